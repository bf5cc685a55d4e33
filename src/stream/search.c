/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a reply that is still being written a value begins.
 *
 * The search goes forward only, byte by byte, and knows lines, fences,
 * reasoning sections and the marker as far as they can be known on the way;
 * where a few bytes more decide, it waits for them. It is about what is shown
 * while the reply is written, and about when another value may still come: the
 * outcome is the judge's, who sees the whole. So where the finder (extract/)
 * knows better, as of lists in quotes, this one may see no value, or one that
 * the finder does not; never is a NO drawn from that.
 *
 * While a value is being read its bytes go to the reader, up to a line that is
 * a fence. Of one that is refused the bytes behind the fault are searched
 * again, in proportion to the reply (AGAIN_SHARE); what is beyond that is left
 * out. */
#include "stream/stream.h"

enum {
    TAG_AHEAD = 300,   /* bytes that show an opening tag of reasoning */
    CLOSE_AHEAD = 16,  /* a closing one */
    INFO_AHEAD = 1024, /* an opening fence */
    AGAIN_BASE = 1 << 16,
    AGAIN_SHARE = 8
};

/* What became of the byte at hand. */
enum search_step {
    SEARCH_ON,   /* search.at has moved, or a value has begun there */
    SEARCH_WAIT, /* more bytes are needed */
    SEARCH_PASS  /* it is nothing of that kind */
};

static bool search_is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static surety_str search_rest(const surety_stream *stream)
{
    const surety_str text = surety__stream_text(stream);

    return (surety_str){text.ptr + stream->search.at,
                        text.len - stream->search.at};
}

/* ---- fences -------------------------------------------------------------- */

/* A line that begins with marks: the start or the end of a block. */
static enum search_step search_fence(surety_stream *stream)
{
    struct stream_search *const search = &stream->search;
    const surety_str rest = search_rest(stream);
    const char *end;
    surety__fence_line fence;
    size_t len;

    if (!surety__fence_may_begin(rest.ptr[0]))
        return SEARCH_PASS;
    end = memchr(rest.ptr, '\n', rest.len);
    if (!end && rest.len < INFO_AHEAD)
        return SEARCH_WAIT;
    len = end ? (size_t)(end - rest.ptr) : 0;
    if (!surety__fence_read((surety_str){rest.ptr, len}, &fence) ||
        (search->fenced && !surety__fence_closes(&fence, &search->fence)))
        return SEARCH_PASS;
    search->fenced = !search->fenced;
    search->fence = fence;
    search->filled = false;
    search->wanted = stream->task.places >> SURETY_PLACE_FENCE_ANY & 1 ||
                     (stream->task.places >> SURETY_PLACE_FENCE & 1 &&
                      fence.tag == BLOCK_JSON);
    search->at += len + 1;
    search->line = true;
    search->blank = false;
    return SEARCH_ON;
}

/* ---- reasoning ----------------------------------------------------------- */

/* In a section: on to its end. */
static enum search_step search_section(surety_stream *stream)
{
    struct stream_search *const search = &stream->search;
    const surety_str text = surety__stream_text(stream);
    const size_t end = surety__reason_end(text, search->at, search->kind);

    if (end == SIZE_MAX) {
        if (text.len - search->at > CLOSE_AHEAD)
            search->at = text.len - CLOSE_AHEAD;
        return SEARCH_WAIT;
    }
    search->at = end;
    search->reasoning = false;
    search->line = true;
    return SEARCH_ON;
}

/* Whether an opening tag may begin where too few bytes are there to say. */
static bool search_may_open(surety_str rest)
{
    const surety_str square = SURETY__LITERAL("[think]");

    if (rest.ptr[0] == '[')
        return rest.len < square.len &&
               surety__str_equal_nocase(rest,
                                        (surety_str){square.ptr, rest.len});
    return rest.len < TAG_AHEAD && !memchr(rest.ptr, '>', rest.len) &&
           !memchr(rest.ptr, '\n', rest.len);
}

/* A tag of reasoning: one that opens a section at the start of a line, or one
 * that closes a section whose opening tag was part of the prompt; then all
 * before it is reasoning. */
static enum search_step search_tag(surety_stream *stream)
{
    struct stream_search *const search = &stream->search;
    const surety_str text = surety__stream_text(stream);
    const surety_str rest = search_rest(stream);
    size_t len;

    if (stream->task.extract.keep_reasoning || search->fenced ||
        (rest.ptr[0] != '<' && rest.ptr[0] != '['))
        return SEARCH_PASS;
    if (search->line) {
        len = surety__reason_opens(text, search->at, &search->kind);
        if (len) {
            search->reasoning = true;
            search->at += len;
            return SEARCH_ON;
        }
        if (search_may_open(rest))
            return SEARCH_WAIT;
    }
    if (rest.ptr[0] == '[')
        return SEARCH_PASS;
    if (rest.len < CLOSE_AHEAD && (rest.len < 2 || rest.ptr[1] == '/') &&
        !memchr(rest.ptr, '>', rest.len))
        return SEARCH_WAIT;
    len = surety__reason_closes(text, search->at, &search->kind);
    if (!len)
        return SEARCH_PASS;
    surety__stream_drop(stream);
    surety__stream_reopen(stream);
    *search = (struct stream_search){.at = search->at + len,
                                     .line = true,
                                     .blank = true,
                                     .again = search->again};
    return SEARCH_ON;
}

/* ---- values -------------------------------------------------------------- */

/* Whether a JSON value may begin with byte. */
static bool search_may_begin(const surety_stream *stream, char byte)
{
    if (memchr("{[\"-0123456789", byte, 14))
        return true;
    return stream->task.repair == SURETY_REPAIR_NONE && memchr("tfn", byte, 3);
}

/* Whether the byte at hand is the first in a block that is asked for. */
static bool search_in_block(const struct stream_search *search)
{
    return search->fenced && search->wanted && !search->filled;
}

/* Whether a value begins at the byte at hand, which is no white space: one of
 * the places says so. Behind a value that is good only one in a block may be
 * better. */
static bool search_begins(const surety_stream *stream, char byte)
{
    const struct stream_search *const search = &stream->search;
    const bool block = search_in_block(search);

    if (stream->current.complete && !stream->task.extract.pick_last &&
        (stream->current.block || !block))
        return false;
    if (stream->task.places >> SURETY_PLACE_EMBEDDED & 1 &&
        (byte == '{' || byte == '['))
        return true;
    /* The whole reply, or what is wrapped in it. */
    if (stream->task.places >> SURETY_PLACE_WHOLE & 1 &&
        (search->blank ||
         (stream->task.repair != SURETY_REPAIR_NONE &&
          surety__stream_is_sole(stream) && (byte == '{' || byte == '['))))
        return search_may_begin(stream, byte);
    return (block || search->armed) && search_may_begin(stream, byte);
}

/* Nothing but the whole reply may be a value, and it cannot be one: its first
 * byte begins none, or something follows one. */
static surety_status search_refuses(surety_stream *stream, bool behind,
                                    surety_error *reterr)
{
    const surety_str text =
        behind ? SURETY__LITERAL("text follows the JSON value, and "
                                 "nothing but the whole reply may be one")
               : SURETY__LITERAL("the reply does not begin with a JSON value, "
                                 "and nothing but the whole of it may be one");
    surety_status status;

    if (!behind)
        stream->current.start = stream->search.at;
    status = surety__stream_refuse(stream, text, (surety_str){NULL, 0},
                                   stream->search.at);
    return status == SURETY_OK ? status : surety__fail_nomem(reterr);
}

/* The marker, if it is here. */
static enum search_step search_marker(surety_stream *stream)
{
    const surety_str marker = stream->task.extract.marker;
    const surety_str rest = search_rest(stream);
    const size_t len = rest.len < marker.len ? rest.len : marker.len;

    if (!marker.len || !(stream->task.places >> SURETY_PLACE_MARKER & 1) ||
        memcmp(rest.ptr, marker.ptr, len))
        return SEARCH_PASS;
    if (len < marker.len)
        return SEARCH_WAIT;
    stream->search.at += marker.len;
    stream->search.armed = true;
    stream->search.line = stream->search.blank = false;
    return SEARCH_ON;
}

/* A byte outside of every value that is no white space and no part of what was
 * looked for before. */
static surety_status search_byte(surety_stream *stream, surety_error *reterr)
{
    struct stream_search *const search = &stream->search;
    const char byte = stream->reply.ptr[search->at];
    const bool sole = surety__stream_is_sole(stream);
    const bool begins = search_begins(stream, byte);
    const bool block = search_in_block(search);
    const bool first = search->blank;
    surety_status status = SURETY_OK;

    /* White space that is none of ASCII's is left to the finder. */
    if (sole && (byte & 0x80) && (first || search->behind)) {
        search->odd = true;
        search->at++;
        return SURETY_OK;
    }
    search->filled = search->filled || search->fenced;
    search->blank = false;
    if (begins || !search->behind)
        stream->current.first = first && !search->odd;
    if (begins) {
        stream->current.block = block;
        return surety__stream_start(stream, search->at, reterr);
    }
    if (sole && (first || search->behind)) {
        const bool behind = search->behind;

        search->behind = false;
        status = search_refuses(stream, behind, reterr);
    }
    /* Markup of quotes and lists, behind which a fence may begin. */
    search->line = search->line && (byte == '>' || byte == '-' || byte == '*');
    search->at++;
    return status;
}

/* The byte at hand, outside of every value. */
static surety_status search_text(surety_stream *stream, bool *ret_wait,
                                 surety_error *reterr)
{
    struct stream_search *const search = &stream->search;
    const char byte = stream->reply.ptr[search->at];
    enum search_step step = SEARCH_PASS;

    if (search->reasoning) {
        step = search_section(stream);
    } else if (search_is_space(byte)) {
        search->line = search->line || byte == '\n';
        search->at++;
        step = SEARCH_ON;
    } else {
        if (search->line && !stream->task.native)
            step = search_fence(stream);
        if (step == SEARCH_PASS && !stream->task.native)
            step = search_tag(stream);
        if (step == SEARCH_PASS)
            step = search_marker(stream);
    }
    *ret_wait = step == SEARCH_WAIT;
    return step == SEARCH_PASS ? search_byte(stream, reterr) : SURETY_OK;
}

/* Where the bytes that the value at hand may have end: at a line that begins
 * with a fence, or before marks that might become one (*ret_wait). */
static size_t search_stop(surety_stream *stream, bool *ret_fence,
                          bool *ret_wait)
{
    struct stream_search *const search = &stream->search;
    const surety_str text = surety__stream_text(stream);
    size_t at = search->at;

    *ret_fence = *ret_wait = false;
    if (stream->task.native)
        return text.len;
    while (at < text.len) {
        const char *hit;

        if (search->line) {
            const surety_str rest = {text.ptr + at, text.len - at};
            const size_t count = surety__fence_marks(rest);

            if (count >= SURETY__FENCE_MIN) {
                *ret_fence = true;
                return at;
            }
            if (count && count == rest.len) {
                *ret_wait = true;
                return at;
            }
            if (rest.ptr[0] == ' ' || rest.ptr[0] == '\t') {
                at++;
                continue;
            }
        }
        hit = memchr(text.ptr + at, '\n', text.len - at);
        search->line = hit != NULL;
        at = hit ? (size_t)(hit - text.ptr) + 1 : text.len;
    }
    return at;
}

/* The bytes of the value at hand. */
static surety_status search_value(surety_stream *stream, bool *ret_wait,
                                  surety_error *reterr)
{
    struct stream_search *const search = &stream->search;
    bool fence, ended;
    const size_t stop = search_stop(stream, &fence, ret_wait);
    surety_status status = surety__runaway_blanks(stream, stop);

    if (status != SURETY_OK || surety__stream_is_over(stream))
        return status;
    if (stop > search->at || !fence) {
        status = surety__stream_read(stream, stop, &ended, reterr);
        if (status != SURETY_OK || ended)
            *ret_wait = false;
        if (status != SURETY_OK || ended)
            return status;
    }
    if (fence) {
        status = surety__stream_show(stream, reterr);
        surety__stream_drop(stream);
        search->at = stop;
    }
    return status;
}

size_t surety__search_again(surety_stream *stream, size_t at, size_t fed)
{
    struct stream_search *const search = &stream->search;

    if (search->again + (fed - at) >
        AGAIN_BASE + AGAIN_SHARE * stream->reply.len)
        return fed;
    search->again += fed - at;
    return at;
}

surety_status surety__stream_search(surety_stream *stream, surety_error *reterr)
{
    struct stream_search *const search = &stream->search;
    surety_status status = SURETY_OK;
    bool wait = false;

    /* The native value is all that comes. */
    if (stream->task.native && search->at == 0 && search->blank) {
        search->blank = false;
        stream->current.first = true;
        status = surety__stream_start(stream, 0, reterr);
    }

    while (status == SURETY_OK && !wait && search->at < stream->reply.len &&
           !surety__stream_is_over(stream)) {
        if (stream->current.reading) {
            status = search_value(stream, &wait, reterr);
        } else {
            status = search_text(stream, &wait, reterr);
            if (status == SURETY_OK && !stream->current.reading &&
                !surety__stream_is_over(stream))
                status = surety__runaway_blanks(stream, search->at);
        }
    }
    return status;
}
