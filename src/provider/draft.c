/* SPDX-License-Identifier: Apache-2.0 */
/* draft.c: the message of an answer while it arrives, as a list of drafts of
 * its parts.
 *
 * Invariants:
 * 1. The bytes of a TEXT are in the decoder's text, and are not copied; those
 *    of other parts are in the draft's own buffers, as calls may arrive
 *    interleaved.
 * 2. Drafts are used again for the next answer, with their buffers.
 * 3. Only a complete answer has a message, so no part in it is incomplete. */
#include "provider/protocol.h"

/* Bytes of a response's id in the ids made for calls; Responses allows 64. */
enum { DRAFT_ID_MAX = 40 };

static surety_buf *draft_buffer(surety__draft *draft, size_t i)
{
    surety_buf *const buffers[] = {&draft->text, &draft->id, &draft->name,
                                   &draft->raw};

    return i < SURETY__COUNT(buffers) ? buffers[i] : NULL;
}

surety__draft *surety__draft_add(surety__decoder *decoder,
                                 surety_part_kind kind)
{
    surety__drafts *drafts = &decoder->drafts;
    surety__draft *draft;
    surety_buf *buffer;

    if (drafts->count >= SURETY__BLOCKS_MAX) {
        surety__answer_break(decoder, SURETY_FAILURE_LIMIT,
                             "the reply has more than %d parts",
                             SURETY__BLOCKS_MAX);
        return NULL;
    }
    if (surety__grow(decoder->alloc, &drafts->items, &drafts->cap,
                     drafts->count + 1, sizeof(*drafts->items),
                     SURETY__BLOCKS_MAX)) {
        decoder->is.starved = true;
        return NULL;
    }
    draft = &drafts->items[drafts->count++];
    if (drafts->made < drafts->count) {
        drafts->made++;
        for (size_t i = 0; (buffer = draft_buffer(draft, i)); i++)
            surety_buf_init(buffer, decoder->alloc,
                            decoder->limits.text_bytes_max);
    }
    for (size_t i = 0; (buffer = draft_buffer(draft, i)); i++)
        surety_buf_reset(buffer);
    draft->kind = kind;
    draft->over = false;
    draft->index = decoder->is.block_index;
    draft->start = decoder->text.len;
    draft->len = 0;
    return draft;
}

surety__draft *surety__draft_last(const surety__decoder *decoder)
{
    const surety__drafts *drafts = &decoder->drafts;

    return drafts->count ? &drafts->items[drafts->count - 1] : NULL;
}

surety__draft *surety__draft_open(surety__decoder *decoder,
                                  surety_part_kind kind)
{
    surety__draft *draft = surety__draft_last(decoder);

    if (decoder->protocol->members)
        for (size_t i = 0; i < decoder->drafts.count; i++)
            if (decoder->drafts.items[i].kind == kind)
                return &decoder->drafts.items[i];
    return draft && draft->kind == kind && !draft->over
               ? draft
               : surety__draft_add(decoder, kind);
}

surety__draft *surety__draft_at(const surety__decoder *decoder, uint64_t index)
{
    for (size_t i = decoder->drafts.count; i-- > 0;)
        if (decoder->drafts.items[i].index == index)
            return &decoder->drafts.items[i];
    return NULL;
}

surety__draft *surety__draft_call(const surety__decoder *decoder)
{
    for (size_t i = decoder->drafts.count; i-- > 0;)
        if (decoder->drafts.items[i].kind == SURETY_PART_CALL)
            return &decoder->drafts.items[i];
    return NULL;
}

void surety__draft_close(surety__decoder *decoder)
{
    surety__draft *draft = surety__draft_last(decoder);

    if (draft)
        draft->over = true;
}

void surety__draft_name(surety__decoder *decoder, surety__draft *draft,
                        surety_str id, surety_str name)
{
    if (!draft->id.len && id.len <= SURETY__NAME_MAX)
        surety_buf_add(&draft->id, id);
    if (!draft->name.len && name.len <= SURETY__NAME_MAX)
        surety_buf_add(&draft->name, name);
    if (!decoder->is.native &&
        (!decoder->is.tools ||
         surety_str_equal(surety_buf_str(&draft->name),
                          surety_buf_str(&decoder->answer_tool))))
        decoder->is.native = (size_t)(draft - decoder->drafts.items) + 1;
}

surety__draft *surety__draft_native(const surety__decoder *decoder)
{
    return decoder->mode == SURETY_MODE_TOOL && decoder->is.native
               ? &decoder->drafts.items[decoder->is.native - 1]
               : NULL;
}

void surety__draft_item(surety__decoder *decoder, surety__draft *draft,
                        surety_val item)
{
    const surety_limits limits = surety_limits_of(NULL);
    surety_status status = SURETY_NOMEM;
    surety_doc *doc;

    if (!draft || draft->raw.len || surety_val_kind(item) != SURETY_KIND_OBJECT)
        return;
    doc = surety_doc_new(decoder->alloc);
    if (doc)
        status =
            surety__carried_read(doc, surety_val_text(item), &limits, NULL);
    if (status == SURETY_NOMEM)
        decoder->is.starved = true;
    else if (status == SURETY_OK)
        surety_buf_add(&draft->raw, surety_val_text(item));
    else /* it has a key twice */
        (void)surety_val_write(item, SURETY_STYLE_COMPACT, &draft->raw);
    surety_doc_free(doc);
}

void surety__draft_input(surety__decoder *decoder, surety__draft *draft)
{
    const surety_str input = surety__str_trim(surety_buf_str(&draft->text));
    surety_doc *doc = surety_doc_new(decoder->alloc);
    const surety_status status =
        doc && input.len ? surety_doc_read(doc, input, NULL, NULL) : SURETY_OK;

    if (!doc || status == SURETY_NOMEM)
        decoder->is.starved = true;
    else if (status)
        surety_buf_reset(&draft->raw);
    else
        surety__template_write(&draft->raw, ",'input':$r}",
                               input.len ? input : SURETY__LITERAL("{}"));
    if (draft->kind == SURETY_PART_REASONING)
        surety_buf_reset(&draft->text);
    surety_doc_free(doc);
}

/* Records a buffer that failed. */
static void draft_check(surety__decoder *decoder, surety__draft *draft)
{
    const surety_buf *buffer;

    for (size_t i = 0; (buffer = draft_buffer(draft, i)); i++)
        if (buffer->status == SURETY_NOMEM)
            decoder->is.starved = true;
        else if (buffer->status)
            surety__answer_break(
                decoder, SURETY_FAILURE_LIMIT,
                "the response is larger than the limit text_bytes_max of %zu",
                decoder->limits.text_bytes_max);
}

void surety__drafts_check(surety__decoder *decoder)
{
    surety__draft *draft = surety__draft_last(decoder);

    if (draft)
        draft_check(decoder, draft);
}

/* ---- the message --------------------------------------------------------- */

static bool draft_id_is_new(const surety__drafts *drafts, size_t i)
{
    const surety_str id = surety_buf_str(&drafts->items[i].id);
    bool is_new = id.len > 0;

    for (size_t k = 0; k < i && is_new; k++)
        is_new = drafts->items[k].kind != SURETY_PART_CALL ||
                 !surety_str_equal(surety_buf_str(&drafts->items[k].id), id);
    return is_new;
}

/* Makes an id for a call that has none, or that of another call. The id of the
 * response is in it, so that it differs from those of other answers. */
static void draft_make_id(surety__decoder *decoder, size_t i)
{
    surety_buf *id = &decoder->drafts.items[i].id;
    const surety_str response = surety_buf_str(&decoder->response_id);

    surety_buf_reset(id);
    surety_buf_text(id, SURETY__MADE_ID);
    for (size_t k = 0; k < response.len && k < DRAFT_ID_MAX; k++)
        if (surety__is_token((surety_str){response.ptr + k, 1}) &&
            !strchr("!#$%&'*+.^`|~", response.ptr[k]))
            surety_buf_byte(id, response.ptr[k]);
    surety__buf_printf(id, response.len ? "-%zu" : "%zu", i);
}

/* Completes a call. Its item would go back as it came, so it does not where it
 * lacks something that the protocol wants. */
static void draft_mend(surety__decoder *decoder, size_t i)
{
    surety__draft *draft = &decoder->drafts.items[i];
    bool mended = false;

    if (!draft_id_is_new(&decoder->drafts, i)) {
        mended = draft->id.len || !decoder->protocol->bare_calls;
        draft_make_id(decoder, i);
    }
    if (!draft->name.len) {
        mended = true;
        surety_buf_text(&draft->name, SURETY__UNNAMED);
    }
    if (mended && !decoder->protocol->members)
        surety_buf_reset(&draft->raw);
}

static surety_part draft_part(const surety__decoder *decoder,
                              const surety__draft *draft)
{
    surety_part part = {
        .kind = draft->kind,
        .text = surety_buf_str(&draft->text),
        .raw_protocol = decoder->is.protocol,
        .raw = surety_buf_str(&draft->raw),
    };

    /* Where memory ran out, the text has no bytes. */
    if (draft->kind == SURETY_PART_TEXT && draft->len && decoder->text.len)
        part.text = (surety_str){decoder->text.ptr + draft->start, draft->len};
    if (draft->kind != SURETY_PART_CALL)
        return part;
    part.id = surety_buf_str(&draft->id);
    part.name = surety_buf_str(&draft->name);
    if (!surety__str_trim(part.text).len)
        part.text = SURETY__LITERAL("{}");
    return part;
}

/* Completes the item that goes back, of which a stream gave one member. */
static void draft_wrap(surety__draft *draft)
{
    const surety_str name = surety_buf_str(&draft->name);
    surety_buf item;

    surety_buf_init(&item, draft->raw.alloc, draft->raw.max);
    if (draft->kind == SURETY_PART_REASONING && name.len)
        surety__template_write(&item, "{$s:$s}", name,
                               surety_buf_str(&draft->text));
    if (draft->kind == SURETY_PART_CALL && draft->raw.len)
        surety__template_write(&item,
                               "{'id':$s,'type':'function','function':{'name':"
                               "$s,'arguments':$s},'extra_content':$r}",
                               surety_buf_str(&draft->id), name,
                               surety_buf_str(&draft->text),
                               surety_buf_str(&draft->raw));
    surety_buf_done(&draft->raw);
    draft->raw = item;
}

/* Takes the id from the item of a call, and leaves out those of texts and
 * reasoning: a provider wants items that it knows by an id with all that came
 * beside them, and one of these does not go back. */
static void draft_part_ways(surety__decoder *decoder, surety__draft *draft)
{
    surety_doc *doc = surety_doc_new(decoder->alloc);
    surety_buf item;

    surety_buf_init(&item, draft->raw.alloc, draft->raw.max);
    if (!doc) {
        decoder->is.starved = true;
    } else if (draft->kind == SURETY_PART_CALL && draft->raw.len &&
               !surety_doc_read(doc, surety_buf_str(&draft->raw), NULL, NULL)) {
        surety_buf_byte(&item, '{');
        SURETY_EACH (member, surety_doc_root(doc)) {
            const surety_str key = surety_val_str(surety_val_key(member));

            if (!surety_str_equal(key, SURETY__LITERAL("id")))
                surety__template_write(&item, item.len > 1 ? ",$s:$v" : "$s:$v",
                                       key, member);
        }
        surety_buf_byte(&item, '}');
    }
    surety_doc_free(doc);
    surety_buf_done(&draft->raw);
    draft->raw = item;
}

void surety__drafts_end(surety__decoder *decoder)
{
    surety__drafts *drafts = &decoder->drafts;

    if (surety__grow(decoder->alloc, &drafts->parts, &drafts->part_cap,
                     drafts->count, sizeof(*drafts->parts),
                     SURETY__BLOCKS_MAX)) {
        decoder->is.starved = true;
        return;
    }
    for (size_t i = 0; i < drafts->count; i++) {
        surety__draft *draft = &drafts->items[i];

        /* An id or a name that memory ran out for is not one that is
         * missing. */
        draft_check(decoder, draft);
        if (draft->kind == SURETY_PART_CALL)
            draft_mend(decoder, i);
        if (decoder->protocol->members)
            draft_wrap(draft);
        else if (decoder->is.others)
            draft_part_ways(decoder, draft);
        draft_check(decoder, draft);
    }
    for (size_t i = 0; i < drafts->count; i++)
        drafts->parts[i] = draft_part(decoder, &drafts->items[i]);
}

void surety__drafts_done(surety__decoder *decoder)
{
    surety__drafts *drafts = &decoder->drafts;
    surety_buf *buffer;

    for (size_t k = 0; k < drafts->made; k++)
        for (size_t i = 0; (buffer = draft_buffer(&drafts->items[k], i)); i++)
            surety_buf_done(buffer);
    surety__free(decoder->alloc, drafts->items,
                 drafts->cap * sizeof(*drafts->items));
    surety__free(decoder->alloc, drafts->parts,
                 drafts->part_cap * sizeof(*drafts->parts));
}
