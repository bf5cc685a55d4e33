/* SPDX-License-Identifier: Apache-2.0 */
/* A reply that goes nowhere: white space without end, or one text over and
 * over. Both are runs, and each byte is looked at a bounded number of times.
 *
 * White space is counted outside of strings, which begin and end with double
 * quotes.
 *
 * Repetition: a run has the period p where each of its bytes is the one p bytes
 * before. At the end of each window of WINDOW bytes the shortest period of the
 * window is worked out (the failure function of Knuth, Morris and Pratt); if it
 * is PERIOD_MAX at most, the run is followed, byte by byte, as long as it
 * lasts. A run with a period up to PERIOD_MAX that covers a window has no other
 * shortest period in it, for the two periods together are no longer than the
 * window (Fine and Wilf). And a run that is found starts less than two windows
 * before, or else in the run before, which it overlaps by less than a window;
 * so to find its start is cheap. Windows are counted from the start of the
 * reply, so chunks make no difference. */
#include "stream/stream.h"

enum { PERIOD_MAX = 256, WINDOW = 2 * PERIOD_MAX };

static surety_status runaway_says(surety_stream *stream, const char *format,
                                  size_t unit, size_t limit, size_t start)
{
    surety_error error;
    surety_issue issue = {.keyword = SURETY__LITERAL("runaway")};

    /* Its hint says how the limit that it names is raised. */
    surety__fail(&error, SURETY_LIMIT, format, unit, limit);
    issue.message = surety_str_of(error.message);
    issue.hint = surety_str_of(error.hint);
    return surety__stream_say(stream, SURETY_STREAM_RUNAWAY, &issue, start,
                              surety__stream_text(stream).len - start);
}

surety_status surety__runaway_blanks(surety_stream *stream, size_t to)
{
    struct stream_runaway *const run = &stream->runaway;
    const char *const text = stream->reply.ptr;
    const size_t limit = stream->limits.blank_run_max;

    assert(to <= stream->reply.len);
    for (; run->at < to; run->at++) {
        const char byte = text[run->at];

        if (run->quoted ||
            (byte != ' ' && byte != '\n' && byte != '\t' && byte != '\r')) {
            if (run->escaped)
                run->escaped = false;
            else if (run->quoted && byte == '\\')
                run->escaped = true;
            else if (byte == '"')
                run->quoted = stream->current.reading && !run->quoted;
            run->blanks = 0;
            continue;
        }
        if (++run->blanks < limit)
            continue;
        return runaway_says(stream,
                            "white space goes on for %zu bytes, the limit "
                            "blank_run_max of %zu",
                            run->blanks, limit, run->at + 1 - run->blanks);
    }
    return SURETY_OK;
}

/* The shortest period of the window that ends at `end`. */
static size_t runaway_period(const char *end)
{
    const char *const text = end - WINDOW;
    uint16_t border[WINDOW];
    size_t len = 0;

    assert(PERIOD_MAX * 2 <= WINDOW);
    border[0] = 0;
    for (size_t i = 1; i < WINDOW; i++) {
        while (len && text[i] != text[len])
            len = border[len - 1];
        len += text[i] == text[len];
        border[i] = (uint16_t)len;
    }
    return WINDOW - len;
}

/* A window ends at `end`: does a run cover it? */
static void runaway_find(struct stream_runaway *run, const char *text,
                         size_t end, size_t limit)
{
    const size_t period = runaway_period(text + end);

    if (period > PERIOD_MAX)
        return;
    run->period = period;
    run->start = end - WINDOW;
    while (run->start && end - run->start < limit &&
           text[run->start - 1] == text[run->start - 1 + period])
        run->start--;
}

/* Whether the current run is made of the items of an array: they are complete,
 * and the value that contains them is not refuted. */
static bool runaway_is_data(const surety_stream *stream)
{
    const struct stream_runaway *const run = &stream->runaway;
    const size_t end = surety__stream_text(stream).len;
    /* The first and the last may not be whole, and the array, or the value, may
     * have begun in the first. */
    const size_t items = (end - run->start) / run->period;
    const size_t from = end - 2 * run->period;

    return stream->current.reading &&
           stream->info.state == SURETY_STREAM_OPEN &&
           from >= stream->current.start &&
           surety__lenient_lists(stream->reader, items > 2 ? items - 2 : 1,
                                 from - stream->current.start);
}

size_t surety__runaway_follow(surety_stream *stream, size_t to)
{
    struct stream_runaway *const run = &stream->runaway;
    const char *const text = stream->reply.ptr;
    const size_t limit = stream->limits.repeat_run_max;

    for (; run->next < to; run->next++) {
        const size_t end = run->next + 1;

        if (run->period && text[run->next] != text[run->next - run->period])
            run->period = 0;
        if (end == run->windows + WINDOW) {
            run->windows = end;
            if (!run->period) {
                runaway_find(run, text, end, limit);
                run->allowed = limit;
            }
        }
        if (run->period && end - run->start >= run->allowed) {
            run->next++;
            break;
        }
    }
    return run->next;
}

surety_status surety__runaway_ask(surety_stream *stream)
{
    struct stream_runaway *const run = &stream->runaway;
    const size_t limit = stream->limits.repeat_run_max;
    const size_t most = stream->limits.repeat_data_max;
    const size_t len = run->next - run->start;

    if (!run->period || len < run->allowed)
        return SURETY_OK;
    if (!runaway_is_data(stream))
        return runaway_says(stream,
                            "a text of length %zu is repeated over and over "
                            "for the limit repeat_run_max of %zu bytes",
                            run->period, limit, run->start);
    if (len >= most)
        return runaway_says(stream,
                            "items of length %zu are repeated over and over "
                            "for the limit repeat_data_max of %zu bytes",
                            run->period, most, run->start);
    run->allowed = most - len < limit ? most : len + limit;
    return SURETY_OK;
}
