/* SPDX-License-Identifier: Apache-2.0 */
/* A reply that is still being written. What comes is searched for values as it
 * comes (search.c), the value at hand is read by the push reader and
 * followed by the prefix machine of schema/, and in the end the judge looks at
 * the whole: so the outcome cannot depend on the chunks.
 *
 * The state. When no continuation of a value satisfies the contract, the state
 * is REFUTED, because another value may follow. It is NO if nothing else can be
 * the reply's value: the text is the native value, or the contract has only the
 * place whole. Then text that is not JSON is NO as well, if nothing is
 * repaired. One case is left open: a reply may begin with reasoning whose
 * opening tag was part of the prompt; only its closing tag shows that. So the
 * state NO needs a reply that begins with a bracket, as reasoning does not, or
 * a contract that does not look for reasoning.
 *
 * With alignment only what it never changes counts (schema.h). Rules, defaults,
 * validators and fallbacks are the judge's. NO and RUNAWAY stay; then bytes are
 * stored and no longer looked at. */
#include "stream/stream.h"

/* ORDER states */
static const char *const stream_names[] = {"open", "refuted", "no", "runaway"};

const char *surety_stream_state_name(surety_stream_state state)
{
    return stream_names[(unsigned)state <= SURETY_STREAM_RUNAWAY ? state : 0];
}

/* ---- life ---------------------------------------------------------------- */

surety_stream *surety_stream_new(const surety_alloc *alloc,
                                 const surety_limits *limits)
{
    surety_stream *stream = surety__new(alloc, sizeof(*stream));

    if (!stream)
        return NULL;
    stream->alloc = alloc;
    stream->limits = surety_limits_of(limits);
    stream->info.size = sizeof(stream->info);
    surety_buf_init(&stream->reply, alloc, 0);
    surety_buf_init(&stream->text, alloc, 0);
    stream->reader = surety_lenient_new(alloc);
    stream->doc = surety_doc_new(alloc);
    stream->prefix = surety__prefix_new(alloc, limits);
    if (stream->reader && stream->doc && stream->prefix)
        return stream;
    surety_stream_free(stream);
    return NULL;
}

void surety_stream_free(surety_stream *stream)
{
    if (!stream)
        return;
    surety__items_leave(stream);
    surety_judge_free(stream->judge);
    surety_lenient_free(stream->reader);
    surety_doc_free(stream->doc);
    surety__prefix_free(stream->prefix);
    surety_finder_free(stream->finder);
    surety_buf_done(&stream->reply);
    surety_buf_done(&stream->text);
    surety__free(stream->alloc, stream, sizeof(*stream));
}

/* Where the value is looked for on the way. */
static void stream_places(surety_stream *stream)
{
    const surety_extract *extract = &stream->task.extract;

    stream->task.places = 0;
    for (size_t i = 0; i < extract->from_count && i < SURETY_PLACES; i++)
        stream->task.places |= 1u << extract->from[i];
    if (!extract->from_count)
        stream->task.places = (2u << SURETY_PLACES) - 2;
}

surety_status surety_stream_begin(surety_stream *stream,
                                  const surety_contract *contract,
                                  const surety_judge_options *options,
                                  bool native, surety_error *reterr)
{
    surety_judge_options how;
    surety_extract extract;

    if (!stream || !contract)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a stream and a contract are needed");
    if (surety__options_take(&how, sizeof(how), options, reterr) ||
        surety__options_take(&extract, sizeof(extract),
                             how.extract
                                 ? how.extract
                                 : surety_contract_info_of(contract)->extract,
                             reterr))
        return SURETY_MISUSE;
    stream->task.contract = contract;
    stream->task.native = native;
    stream->task.how = how;
    stream->task.extract = extract;
    stream->task.repair = stream->task.how.repair
                              ? *stream->task.how.repair
                              : surety_contract_info_of(contract)->repair;
    stream->task.how.extract = &stream->task.extract;
    stream->task.how.repair = &stream->task.repair;
    stream_places(stream);
    surety_buf_reset(&stream->reply);
    surety_buf_reset(&stream->text);
    stream->finished = stream->current.reading = stream->current.complete =
        false;
    stream->search = (struct stream_search){.blank = !native};
    stream->runaway = (struct stream_runaway){.at = 0};
    surety__stream_reopen(stream);
    stream->walk = (surety_position){.line = 1, .column = 1};
    stream->info.value = surety_val_none();
    stream->info.reply = surety__stream_text(stream);
    stream->current.first = true;
    if (native) /* the value is all that comes */
        return surety__stream_start(stream, 0, reterr);
    if (!stream->finder)
        stream->finder = surety_finder_new(stream->alloc);
    return stream->finder
               ? surety__finder_begin(stream->finder, (surety_str){"", 0},
                                      &stream->task.extract, &stream->limits,
                                      reterr)
               : surety__fail_nomem(reterr);
}

/* ---- the state ----------------------------------------------------------- */

bool surety__stream_is_sole(const surety_stream *stream)
{
    const unsigned whole = 1u << SURETY_PLACE_NATIVE | 1u << SURETY_PLACE_WHOLE;

    return stream->task.native || !(stream->task.places & ~whole);
}

/* Whether the value at hand, or the text in its place, is all that can
 * be the reply's; if so, what is wrong with it is final. */
static bool stream_is_final(const surety_stream *stream)
{
    return surety__stream_is_sole(stream) &&
           (stream->task.native || stream->task.extract.keep_reasoning ||
            (stream->current.first &&
             stream->current.start < stream->reply.len &&
             memchr("{[", stream->reply.ptr[stream->current.start], 2)));
}

/* Whether the value at hand may be a row: where the whole reply is repaired,
 * values that follow one another are the rows of an array, if that satisfies
 * the schema. */
static bool stream_may_be_row(const surety_stream *stream)
{
    const surety__shape *shape =
        surety_contract_info_of(stream->task.contract)->schema->root->direct;
    const surety__arrays *arrays;

    if (stream->task.native || stream->task.repair == SURETY_REPAIR_NONE)
        return false;
    shape = surety__route_end(shape, CELL_ARRAY);
    if (shape->how[CELL_ARRAY] == HOW_NO)
        return false;
    arrays = shape->arrays;
    return stream->task.repair == SURETY_REPAIR_ALIGN || !arrays ||
           !arrays->rest || arrays->prefix_count || !stream->info.value.doc ||
           arrays->rest->direct
                   ->how[surety__cell_of(stream->info.value)->kind] != HOW_NO;
}

/* The position of offset, counted on from the last one: findings come in the
 * order of the reply, but for a runaway. */
static surety_position stream_position(surety_stream *stream, size_t offset,
                                       size_t length)
{
    const surety_str text = surety__stream_text(stream);
    surety_position *const walk = &stream->walk;
    surety_position position;

    if (offset < walk->offset)
        *walk = (surety_position){.line = 1, .column = 1};
    for (; walk->offset < offset; walk->offset++) {
        const char byte = text.ptr[walk->offset];

        walk->column += ((unsigned char)byte & 0xC0) != 0x80;
        if (byte != '\n' &&
            (byte != '\r' || (walk->offset + 1 < text.len &&
                              text.ptr[walk->offset + 1] == '\n')))
            continue;
        walk->line++;
        walk->column = 1;
    }
    position = *walk;
    position.length = length;
    return position;
}

void surety__stream_reopen(surety_stream *stream)
{
    stream->info.state = SURETY_STREAM_OPEN;
    stream->info.finding = (surety_issue){.keyword = {NULL, 0}};
}

surety_status surety__stream_say(surety_stream *stream,
                                 surety_stream_state state,
                                 const surety_issue *issue, size_t offset,
                                 size_t length)
{
    surety_issue *const own = &stream->info.finding;
    surety_str *const texts[] = {
        &own->keyword,          &own->instance_location,
        &own->keyword_location, &own->absolute_keyword_location,
        &own->message,          &own->hint};
    size_t at = 0;

    *own = *issue;
    surety_buf_reset(&stream->text);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        surety_buf_add(&stream->text, *texts[i]);
    if (stream->text.status) {
        *own = (surety_issue){.keyword = {NULL, 0}};
        return SURETY_NOMEM;
    }
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        texts[i]->ptr = stream->text.len ? stream->text.ptr + at : NULL;
        at += texts[i]->len;
    }
    stream->info.state = state;
    own->position = stream_position(stream, offset, length);
    return SURETY_OK;
}

surety_status surety__stream_refuse(surety_stream *stream, surety_str message,
                                    surety_str hint, size_t offset)
{
    const surety_issue issue = {.keyword = SURETY__LITERAL("json_parse"),
                                .message = message,
                                .hint = hint};

    if (stream->task.repair != SURETY_REPAIR_NONE)
        return SURETY_OK;
    return surety__stream_say(stream,
                              stream_is_final(stream) ? SURETY_STREAM_NO
                                                      : SURETY_STREAM_REFUTED,
                              &issue, offset, offset < stream->reply.len);
}

/* No continuation of the current value satisfies the schema. */
static surety_status stream_refute(surety_stream *stream)
{
    const surety_finding *found = surety__prefix_finding(stream->prefix);
    const surety__cell *cell = surety__cell_of(found->instance);
    const surety_issue issue = {
        .keyword = found->keyword,
        .instance_location = found->instance_location,
        .keyword_location = found->keyword_location,
        .absolute_keyword_location = found->absolute_keyword_location,
        .message = found->message,
        .hint = found->hint,
    };
    size_t offset = stream->current.start;
    surety_str text = surety__stream_text(stream);
    size_t length = 0;

    if (cell->place < stream->reply.len - stream->current.start) {
        offset += cell->place;
        surety__str_skip(&text, offset);
        length = surety__locate_cell(text, found->instance.doc, cell);
        if (length > stream->reply.len - offset)
            length = stream->reply.len - offset;
    }
    return surety__stream_say(stream,
                              stream_is_final(stream) &&
                                      !stream_may_be_row(stream)
                                  ? SURETY_STREAM_NO
                                  : SURETY_STREAM_REFUTED,
                              &issue, offset, length);
}

/* Takes root for the value at hand and asks whether it may still satisfy the
 * schema. */
static surety_status stream_look(surety_stream *stream, surety_val root)
{
    bool refuted = false;
    surety_status status;

    stream->info.value = root;
    if (stream->info.state != SURETY_STREAM_OPEN)
        return SURETY_OK;
    status = surety__prefix_step(stream->prefix, root, &refuted);
    return status == SURETY_OK && refuted ? stream_refute(stream) : status;
}

/* ---- the value at hand --------------------------------------------------- */

static bool stream_expects(void *ctx, surety_str name)
{
    const surety_stream *stream = ctx;

    return surety__contract_expects(stream->task.contract, name);
}

static surety_status stream_begin_reader(surety_stream *stream,
                                         surety_error *reterr)
{
    const surety__lenient_options options = {
        .strict = stream->task.repair == SURETY_REPAIR_NONE,
        .certain_only = stream->task.how.certain_only,
        .expects = stream->task.contract->name_count ? stream_expects : NULL,
        .expects_ctx = stream,
        .limits = &stream->limits,
    };

    return surety__lenient_begin(stream->reader, stream->doc, &options, reterr);
}

surety_status surety__stream_start(surety_stream *stream, size_t at,
                                   surety_error *reterr)
{
    const unsigned flags =
        stream->task.repair == SURETY_REPAIR_NONE    ? SURETY__PREFIX_STRICT
        : stream->task.repair == SURETY_REPAIR_ALIGN ? SURETY__PREFIX_ALIGN
                                                     : 0;

    surety__stream_drop(stream);
    assert(at <= stream->reply.len && !surety__stream_is_over(stream));
    surety__stream_reopen(stream);
    stream->current.start = at;
    stream->runaway.quoted = stream->runaway.escaped = false;
    if (stream->runaway.at > at)
        stream->runaway.at = at;
    surety__prefix_begin(stream->prefix,
                         surety_contract_info_of(stream->task.contract)->schema,
                         flags);
    stream->current.reading = true;
    stream->begun++;
    return stream_begin_reader(stream, reterr);
}

void surety__stream_drop(surety_stream *stream)
{
    stream->current.reading = stream->current.complete = false;
    stream->runaway.quoted = stream->runaway.escaped = false;
    stream->info.value = surety_val_none();
}

/* The search goes on at offset `at`. */
static void stream_go_on(surety_stream *stream, size_t at)
{
    stream->search.at = at;
    stream->search.armed = stream->search.bare = false;
}

/* The reader has come to the end of the value. */
static surety_status stream_ends(surety_stream *stream, surety_error *reterr)
{
    size_t end = 0;
    surety_status status = surety_lenient_finish(stream->reader, &end, reterr);

    if (status != SURETY_OK)
        return status;
    stream->current.reading = false;
    stream->runaway.quoted = false;
    stream->search.behind = true;
    stream_go_on(stream, stream->current.start + end);
    status = stream_look(stream, surety_doc_root(stream->doc));
    stream->current.complete = stream->info.state == SURETY_STREAM_OPEN;
    return status == SURETY_OK ? status : surety__fail_nomem(reterr);
}

/* Whether the bytes up to `end` look like JSON: as the finder has it, an object
 * with a colon, an array with a comma. Others were brackets in prose. */
static bool stream_looks(const surety_stream *stream, size_t end)
{
    const char *const text = stream->reply.ptr + stream->current.start;

    return memchr(text, *text == '{' ? ':' : ',', end - stream->current.start);
}

/* Checks the value up to the byte at `end`, which the reader refused: it may
 * have been refuted earlier, and was not checked since the chunk began. */
static surety_status stream_again(surety_stream *stream, size_t end)
{
    const surety_str text = {stream->reply.ptr + stream->current.start,
                             end - stream->current.start};
    surety_status status = stream_begin_reader(stream, NULL);
    surety_val root;

    if (status == SURETY_OK)
        status = surety_lenient_feed(stream->reader, text, NULL);
    if (status == SURETY_OK)
        status = surety_lenient_snapshot(stream->reader, &root, NULL);
    if (status == SURETY_OK)
        status = stream_look(stream, root);
    return status == SURETY_NOMEM ? status : SURETY_OK;
}

/* The reader refuses the value for what fault says. As the native value there
 * is no other, and no repair of it; of the whole reply repairs may find one. */
static surety_status stream_refused(surety_stream *stream,
                                    const surety_error *fault)
{
    const surety_issue issue = {.keyword = SURETY__LITERAL("json_parse"),
                                .message = surety_str_of(fault->message),
                                .hint = surety_str_of(fault->hint)};
    const bool proven =
        stream->task.native || stream->task.repair == SURETY_REPAIR_NONE;
    const size_t fed = stream->search.at;
    size_t at = stream->current.start + fault->position.offset;
    surety_status status = SURETY_OK;

    if (at > fed)
        at = fed;
    if (!surety__stream_is_sole(stream) && !stream_looks(stream, at)) {
        surety__stream_reopen(stream);
    } else if (stream->info.state == SURETY_STREAM_OPEN) {
        status = stream_again(stream, at);
        if (status == SURETY_OK && stream->info.state == SURETY_STREAM_OPEN)
            status = surety__stream_say(stream,
                                        proven && stream_is_final(stream)
                                            ? SURETY_STREAM_NO
                                            : SURETY_STREAM_REFUTED,
                                        &issue, at, at < stream->reply.len);
    }
    surety__stream_drop(stream);
    if (at == stream->current.start)
        at++;
    stream_go_on(stream, surety__search_again(stream, at, fed));
    return status;
}

surety_status surety__stream_read(surety_stream *stream, size_t to,
                                  bool *ret_end, surety_error *reterr)
{
    const size_t from = stream->search.at;
    surety_error fault;
    surety_status status = surety_lenient_feed(
        stream->reader, (surety_str){stream->reply.ptr + from, to - from},
        &fault);

    stream->search.at = to;
    *ret_end = status != SURETY_OK;
    assert(from <= to && to <= stream->reply.len);
    switch (status) {
    case SURETY_OK: return SURETY_OK;
    case SURETY_END: return stream_ends(stream, reterr);
    case SURETY_SYNTAX:
    case SURETY_LIMIT:
        status = stream_refused(stream, &fault);
        return status == SURETY_OK ? status : surety__fail_nomem(reterr);
    default: return surety__fail_nomem(reterr);
    }
}

/* What there is of the value at hand. */
surety_status surety__stream_show(surety_stream *stream, surety_error *reterr)
{
    surety_val root;
    surety_error fault;
    surety_status status;

    if (!stream->current.reading)
        return SURETY_OK;
    status = surety_lenient_snapshot(stream->reader, &root, &fault);
    if (status == SURETY_OK)
        status = stream_look(stream, root);
    else if (status == SURETY_LIMIT)
        status = stream_refused(stream, &fault);
    return status == SURETY_OK ? status : surety__fail_nomem(reterr);
}

/* ---- feeding ------------------------------------------------------------- */

/* Looks at the bytes from `at` on. Where a run of the same text must be asked
 * what it is, those up to there are looked at first. */
static surety_status stream_take(surety_stream *stream, size_t at,
                                 surety_error *reterr)
{
    const size_t all = stream->reply.len;
    surety_status status = SURETY_OK;

    while (status == SURETY_OK && at < all && !surety__stream_is_over(stream)) {
        at = surety__runaway_follow(stream, all);
        stream->reply.len = at;
        status = surety__stream_search(stream, reterr);
        if (status == SURETY_OK && !surety__stream_is_over(stream))
            status = surety__stream_show(stream, reterr);
        if (status == SURETY_OK && !surety__stream_is_over(stream) &&
            surety__runaway_ask(stream) != SURETY_OK)
            status = surety__fail_nomem(reterr);
    }
    stream->reply.len = all;
    return status;
}

/* Appends bytes to the reply and looks at them. */
static surety_status stream_add(surety_stream *stream, surety_str bytes,
                                surety_error *reterr)
{
    const size_t at = stream->reply.len;

    surety_buf_add(&stream->reply, bytes);
    if (stream->reply.status)
        return surety__fail_nomem(reterr);
    stream->info.reply = surety__stream_text(stream);
    return stream_take(stream, at, reterr);
}

/* The same, in stretches behind each of which elements are looked for. */
static surety_status stream_add_items(surety_stream *stream, surety_str bytes,
                                      surety_error *reterr)
{
    surety_status status = SURETY_OK;

    while (bytes.len && status == SURETY_OK) {
        size_t len = bytes.len;
        const bool looks =
            !surety__stream_is_over(stream) && surety__items_cut(bytes, &len);

        status = stream_add(stream, (surety_str){bytes.ptr, len}, reterr);
        if (status == SURETY_OK && looks &&
            surety__items_look(stream->items) != SURETY_OK)
            status = surety__fail_nomem(reterr);
        bytes.ptr += len;
        bytes.len -= len;
    }
    return status;
}

surety_status surety_stream_feed(surety_stream *stream, surety_str bytes,
                                 surety_error *reterr)
{
    if (!stream || !stream->task.contract || stream->finished ||
        (bytes.len && !bytes.ptr))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a stream that has been begun and has not been "
                            "finished is needed");
    if (bytes.len > stream->limits.text_bytes_max - stream->reply.len) {
        surety__fail(reterr, SURETY_LIMIT,
                     "the reply has more bytes than the limit text_bytes_max "
                     "of %zu",
                     stream->limits.text_bytes_max);
        return SURETY_LIMIT;
    }
    return stream->items ? stream_add_items(stream, bytes, reterr)
                         : stream_add(stream, bytes, reterr);
}

const surety_stream_info *surety_stream_info_of(const surety_stream *stream)
{
    static const surety_stream_info none = {.size = sizeof(none)};

    return stream ? &stream->info : &none;
}

surety_status surety_stream_finish(surety_stream *stream,
                                   const surety_judge_options *end,
                                   const surety_outcome **ret_outcome,
                                   surety_error *reterr)
{
    surety_judge_options how;
    surety_status status;
    surety_str reply;

    if (!stream || !stream->task.contract || !ret_outcome)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a stream that has been begun and an address for "
                            "the outcome are needed");
    how = stream->task.how;
    if (end && surety__options_take(&how, sizeof(how), end, reterr))
        return SURETY_MISUSE;
    reply = surety__stream_text(stream);
    how.native = stream->task.native ? reply : (surety_str){NULL, 0};
    if (stream->task.native)
        reply = (surety_str){"", 0};
    if (!stream->judge)
        stream->judge = surety_judge_new(stream->alloc, &stream->limits);
    if (!stream->judge)
        return surety__fail_nomem(reterr);
    status = surety_judge_reply(stream->judge, stream->task.contract, reply,
                                &how, ret_outcome, reterr);
    stream->finished = status != SURETY_MORE;
    return status;
}
