/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a reply that is still being written a value begins. The finder
 * (extract/) goes on in it as far as what came is known, and gives the fields,
 * as in a whole reply; the values that begin in them go to the push reader.
 *
 * Of a whole reply each place is looked at in its turn. On the way all are
 * looked at together, for what is shown is a guess: a value begins where one of
 * the places says so, and behind a value that is good only one in a block may
 * be better. Never is a NO drawn from that.
 *
 * Of a value that is refused the bytes behind the fault are searched again, in
 * proportion to the reply (AGAIN_SHARE); what is beyond that is left out. */
#include "stream/stream.h"

enum { AGAIN_BASE = 1 << 16, AGAIN_SHARE = 8 };

static bool search_looks(const surety_stream *stream, surety_place place)
{
    return stream->task.places >> place & 1;
}

/* Whether values are looked for in a block with that tag. */
static bool search_wants(const surety_stream *stream, unsigned tag)
{
    return search_looks(stream, SURETY_PLACE_FENCE_ANY) ||
           (search_looks(stream, SURETY_PLACE_FENCE) && tag == BLOCK_JSON);
}

/* Whether a value may begin: behind one that is good only in a block. */
static bool search_open(const surety_stream *stream, bool block)
{
    return !stream->current.complete || stream->task.extract.pick_last ||
           (block && !stream->current.block);
}

/* Whether a JSON value may begin with byte. */
static bool search_may_begin(const surety_stream *stream, char byte)
{
    if (memchr("{[\"-0123456789", byte, 14))
        return true;
    return stream->task.repair == SURETY_REPAIR_NONE && memchr("tfn", byte, 3);
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

/* The first byte of a block, of the reply, behind a marker or behind the value
 * that is the whole reply. */
static surety_status search_first(surety_stream *stream, bool block,
                                  surety_error *reterr)
{
    struct stream_search *const search = &stream->search;
    const char byte = stream->reply.ptr[search->at];
    const bool sole = surety__stream_is_sole(stream);
    const bool first = search->blank;
    const bool behind = search->behind;
    const bool begins = search_open(stream, block) &&
                        search_may_begin(stream, byte) &&
                        (block || search->bare ||
                         (first && search_looks(stream, SURETY_PLACE_WHOLE)));

    search->fresh = search->blank = search->bare = search->behind = false;
    if (begins || !behind)
        stream->current.first = first;
    if (begins) {
        stream->current.block = block;
        return surety__stream_start(stream, search->at, reterr);
    }
    return sole && (first || behind) ? search_refuses(stream, behind, reterr)
                                     : SURETY_OK;
}

/* Behind the marker in the bytes before `begin`; 0: it is not there. */
static size_t search_marker(const surety_stream *stream, size_t begin,
                            size_t stop)
{
    const struct stream_search *const search = &stream->search;
    const surety_str marker = stream->task.extract.marker;
    size_t at = search->at;
    size_t hit;

    if (!marker.len || !search_looks(stream, SURETY_PLACE_MARKER))
        return 0;
    /* It may have begun with what came before. */
    at -= at < marker.len ? at : marker.len - 1;
    if (stop - begin > marker.len)
        stop = begin + marker.len;
    hit = at + surety__str_find((surety_str){stream->reply.ptr + at, stop - at},
                                marker);
    return hit < stop && hit < begin + (begin == stop) ? hit + marker.len : 0;
}

/* The next bracket of the field, or what is behind the next marker. */
static surety_status search_next(surety_stream *stream,
                                 const surety__field *field,
                                 surety_error *reterr)
{
    struct stream_search *const search = &stream->search;
    const bool sole = stream->task.repair != SURETY_REPAIR_NONE &&
                      surety__stream_is_sole(stream);
    const bool looks =
        search->armed || sole || search_looks(stream, SURETY_PLACE_EMBEDDED);
    size_t begin = field->stop;
    size_t marked;

    if (looks && search_open(stream, false))
        for (begin = field->at; begin < field->stop; begin++)
            if (stream->reply.ptr[begin] == '{' ||
                stream->reply.ptr[begin] == '[')
                break;
    marked = search_marker(stream, begin, field->stop);

    if (marked) {
        search->at = marked;
        search->armed = search->bare = true;
        search->blank = false;
        return SURETY_OK;
    }
    search->at = begin;
    if (begin == field->stop)
        return SURETY_OK;
    stream->current.first = stream->current.block = false;
    return surety__stream_start(stream, begin, reterr);
}

/* The text of a field, outside of every value. *ret_wait: what its first byte
 * is must come yet. */
static surety_status search_text(surety_stream *stream,
                                 const surety__field *field, bool *ret_wait,
                                 surety_error *reterr)
{
    struct stream_search *const search = &stream->search;
    const bool block =
        field->block && search->fresh && search_wants(stream, field->tag);
    size_t at = field->at;

    if (!block && !search->blank && !search->bare &&
        !(search->behind && surety__stream_is_sole(stream)))
        return search_next(stream, field, reterr);
    at = surety__text_ink((surety_str){stream->reply.ptr, field->stop}, at);
    search->at = at;
    *ret_wait = at < field->stop && stream->reply.ptr[at] & 0x80 &&
                stream->reply.len - at < 3;
    if (at == field->stop || *ret_wait)
        return SURETY_OK;
    return search_first(stream, block, reterr);
}

/* The bytes of the value at hand that are in its field. */
static surety_status search_value(surety_stream *stream, size_t stop,
                                  surety_error *reterr)
{
    const surety_status status = surety__runaway_blanks(stream, stop);
    bool ended;

    return status != SURETY_OK || surety__stream_is_over(stream)
               ? status
               : surety__stream_read(stream, stop, &ended, reterr);
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

/* Takes what is new. *ret_same: it goes on in the field at hand; the native
 * value is one field. */
static surety_status search_extend(surety_stream *stream, bool *ret_same,
                                   surety_error *reterr)
{
    const bool lenient = stream->task.repair != SURETY_REPAIR_NONE;

    *ret_same = true;
    if (stream->task.native)
        return SURETY_OK;
    if (surety__finder_extend(stream->finder, surety__stream_text(stream),
                              lenient, ret_same) != SURETY_OK)
        return surety__fail_nomem(reterr);
    *ret_same = *ret_same && stream->current.reading;
    return SURETY_OK;
}

/* Begins again at `at`: all that came before was reasoning. */
static void search_restart(surety_stream *stream, size_t at)
{
    surety__stream_drop(stream);
    surety__stream_reopen(stream);
    stream->search = (struct stream_search){
        .at = at, .loose = at, .blank = true, .again = stream->search.again};
}

/* Enters a field: leaves the one before, and the value in it. */
static surety_status search_enter(surety_stream *stream,
                                  const surety__field *field,
                                  surety_error *reterr)
{
    struct stream_search *const search = &stream->search;
    surety_status status = SURETY_OK;

    if (field->at != search->at && stream->current.reading) {
        status = surety__stream_show(stream, reterr);
        surety__stream_drop(stream);
    }
    search->at = field->at;
    if (field->block && field->content != search->block) {
        search->block = field->content;
        search->fresh = true;
        search->blank = false;
    }
    return status;
}

surety_status surety__stream_search(surety_stream *stream, surety_error *reterr)
{
    struct stream_search *const search = &stream->search;
    bool same = false;
    bool more = true;
    bool wait = false;
    surety_status status = search_extend(stream, &same, reterr);

    while (status == SURETY_OK && more && !wait &&
           search->at < stream->reply.len && !surety__stream_is_over(stream)) {
        surety__field field = {.at = search->at, .stop = stream->reply.len};

        if (!same) {
            more = surety__finder_field(stream->finder, search->at, &field);
            if (field.loose > search->loose) {
                search_restart(stream, field.loose);
                continue;
            }
            status = search_enter(stream, &field, reterr);
        }
        if (!more || status != SURETY_OK || surety__stream_is_over(stream))
            break;
        same = stream->task.native;
        status = stream->current.reading
                     ? search_value(stream, field.stop, reterr)
                     : search_text(stream, &field, &wait, reterr);
    }
    return status == SURETY_OK && !surety__stream_is_over(stream)
               ? surety__runaway_blanks(stream, stream->reply.len)
               : status;
}
