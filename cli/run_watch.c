/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a run while it goes on. A model's text is not trusted: on a terminal
 * its control characters are escaped. The progress line is redrawn in place,
 * and cleared before any other output. It is shown only if standard error is a
 * terminal; a file or a pipe gets whole lines. */
#include "run_watch.h"

#include <assert.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run_world.h"

enum { WATCH_STEP_MS = 200, WATCH_BYTES_A_TOKEN = 3 };

/* ---- the progress line --------------------------------------------------- */

static uint64_t now_ms(void)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void clear(struct run_watch *watch)
{
    if (watch->is_drawn)
        surety_buf_text(&watch->cli->err.buf, "\r\033[K");
    watch->is_drawn = false;
}

static void draw(struct run_watch *watch)
{
    surety_buf *out = &watch->cli->err.buf;
    const uint64_t now = now_ms();

    if (!watch->moves || watch->attempt == 0 ||
        (watch->is_drawn && now - watch->drawn_ms < WATCH_STEP_MS))
        return;
    clear(watch);
    put_format(out, "attempt %u, %llu s", (unsigned)watch->attempt,
               (unsigned long long)((now - watch->begun_ms) / 1000));
    if (watch->text_bytes > 0)
        put_format(out, ", about %zu tokens",
                   watch->text_bytes / WATCH_BYTES_A_TOKEN + 1);
    watch->is_drawn = true;
    watch->drawn_ms = now;
    output_flush(&watch->cli->err);
}

/* Ends a line of the model's text with a line feed, if it has none. */
static void end_line(struct run_watch *watch)
{
    surety_buf *out = &watch->cli->err.buf;

    clear(watch);
    surety_buf_shown(out, (surety_str){watch->rest, watch->rest_len}, true);
    watch->rest_len = 0;
    if (watch->is_midline)
        surety_buf_byte(out, '\n');
    watch->is_midline = false;
}

/* ---- events -------------------------------------------------------------- */

void run_watch_init(struct run_watch *watch, struct cli *cli, bool quiet)
{
    watch->cli = cli;
    watch->is_terminal = isatty(cli->err.fd) != 0;
    watch->moves = watch->is_terminal && !watch->show_reply && !quiet;
}

/* Returns how many bytes at the end of a text begin a character of UTF-8 that
 * goes on in the next chunk. */
static size_t incomplete(surety_str text)
{
    for (size_t i = 1; i <= 3 && i <= text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[text.len - i];
        const size_t len = byte >= 0xF0   ? 4
                           : byte >= 0xE0 ? 3
                           : byte >= 0xC0 ? 2
                                          : 1;

        if ((byte & 0xC0) != 0x80)
            return i < len ? i : 0;
    }
    return 0;
}

/* Shows a chunk of text on a terminal, safely. */
static void show_chunk(struct run_watch *watch, surety_str text)
{
    surety_buf whole; /* with the rest of the chunk before */
    surety_str shown;

    assert(watch->rest_len < sizeof(watch->rest));
    surety_buf_init(&whole, NULL, 0);
    surety_buf_append(&whole, watch->rest, watch->rest_len);
    surety_buf_add(&whole, text);
    shown = surety_buf_str(&whole);
    watch->rest_len = incomplete(shown);
    shown.len -= watch->rest_len;
    surety_buf_shown(&watch->cli->err.buf, shown, true);
    memcpy(watch->rest, shown.ptr + shown.len, watch->rest_len);
    surety_buf_done(&whole);
}

static void show_text(struct run_watch *watch, surety_str text)
{
    surety_buf *out = &watch->cli->err.buf;

    if (text.len == 0)
        return;
    clear(watch);
    if (watch->is_terminal)
        show_chunk(watch, text);
    else
        surety_buf_add(out, text);
    watch->is_midline = text.ptr[text.len - 1] != '\n';
    output_flush(&watch->cli->err);
}

/* Shows the prompt that is sent, between separator lines. */
static void show_prompt(struct run_watch *watch, uint32_t attempt)
{
    surety_buf *out = &watch->cli->err.buf;
    const surety_str mark = surety_str_of("surety run: ");

    if (!watch->run || surety_run_info_of(watch->run)->attempt_count < attempt)
        return;
    end_line(watch);
    surety_buf_add(out, mark);
    put_format(out, "prompt of attempt %u:\n", (unsigned)attempt);
    show_text(watch, surety_run_attempt(watch->run, attempt - 1).prompt);
    end_line(watch);
    if (watch->show_reply) {
        surety_buf_add(out, mark);
        surety_buf_text(out, "reply:\n");
    }
    output_flush(&watch->cli->err);
}

/* Shows a call of a tool, or its result. */
static void say_tool(struct run_watch *watch, const surety_event *event)
{
    surety_buf *out = &watch->cli->err.buf;

    end_line(watch);
    surety_buf_text(out, "surety run: ");
    put_safe(out, watch->who);
    put_format(out, "%s%s ", watch->who.len ? ": " : "",
               event->kind == SURETY_EVENT_TOOL ? "calls" : "result of");
    put_safe(out, event->tool);
    put_safe_line(out, ": ", event->text);
    output_flush(&watch->cli->err);
}

static void say(struct run_watch *watch, const surety_event *event)
{
    surety_buf *out = &watch->cli->err.buf;

    end_line(watch);
    surety_buf_text(out, "surety run: ");
    put_safe(out, watch->who);
    put_format(out, "%s%s %u: ", watch->who.len ? ": " : "",
               event->kind == SURETY_EVENT_ATTEMPT ? "attempt"
                                                   : "after attempt",
               (unsigned)event->attempt);
    put_safe_line(out, "", event->text);
    output_flush(&watch->cli->err);
}

/* Prints a value or an element as a line. A run whose output cannot be written
 * is of no use to its reader. */
static void print(struct run_watch *watch, surety_str text)
{
    struct output *out = &watch->cli->out;
    const size_t start = out->buf.len;

    clear(watch);
    output_flush(&watch->cli->err);
    surety_buf_add(&out->buf, text);
    output_json(out, start);
    surety_buf_byte(&out->buf, '\n');
    if (!output_flush(out))
        signals_stop();
}

void run_watch_event(void *ctx, const surety_event *event)
{
    struct run_watch *watch = ctx;

    assert(watch->cli);
    if (event->kind == SURETY_EVENT_ATTEMPT) {
        watch->attempt = event->attempt;
        watch->begun_ms = now_ms();
        watch->text_bytes = 0;
    }
    if (event->kind == SURETY_EVENT_TEXT ||
        event->kind == SURETY_EVENT_REASONING)
        watch->text_bytes += event->text.len;
    else if (event->kind == SURETY_EVENT_VALUE ||
             event->kind == SURETY_EVENT_ITEM)
        print(watch, event->text);
    else if (watch->verbose && event->tool.len)
        say_tool(watch, event);
    else if (watch->verbose && event->kind != SURETY_EVENT_REASONING_ITEM)
        say(watch, event);
    if (event->kind == SURETY_EVENT_ATTEMPT && watch->show_prompt)
        show_prompt(watch, event->attempt);
    if (event->kind == SURETY_EVENT_TEXT && watch->show_reply)
        show_text(watch, event->text);
    draw(watch);
}

void run_watch_done(struct run_watch *watch)
{
    end_line(watch);
    watch->moves = false;
    /* Flushed before output to standard output, which may be the same
     * terminal. */
    output_flush(&watch->cli->err);
}

/* ---- transports ---------------------------------------------------------- */

static surety_status watched_start(void *ctx, uint64_t id,
                                   const surety_request *request,
                                   const surety_receiver *receiver,
                                   surety_error *reterr)
{
    const struct watched *watched = ctx;

    return watched->inner->start(watched->inner->ctx, id, request, receiver,
                                 reterr);
}

static void watched_cancel(void *ctx, uint64_t id)
{
    const struct watched *watched = ctx;

    watched->inner->cancel(watched->inner->ctx, id);
}

/* Waits for less than timeout_ms, so that the progress line is redrawn; the
 * caller repeats a wait that returns early. */
static surety_status watched_wait(void *ctx, uint32_t timeout_ms,
                                  surety_error *reterr)
{
    const struct watched *watched = ctx;
    const surety_status status = watched->inner->wait(
        watched->inner->ctx,
        timeout_ms < WATCH_STEP_MS ? timeout_ms : WATCH_STEP_MS, reterr);

    draw(watched->watch);
    return status;
}

/* Does nothing: the inner transport belongs to the configuration. */
void watched_init(struct watched *watched, surety_transport *inner,
                  struct run_watch *watch)
{
    /* A run does not close its transports. */
    *watched = (struct watched){{inner->version < 2 ? inner->version : 2,
                                 watched, watched_start, watched_cancel,
                                 watched_wait, NULL, NULL},
                                inner,
                                watch};
}
