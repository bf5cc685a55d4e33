/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c: the partial answer, and the functions with which a protocol adds
 * to it. All data of a provider passes through this file, so it has the
 * limits: texts have a maximum length, indices and numbers of tokens are
 * checked, and the first invalid item ends the reading. The decoder checks
 * after each event whether a buffer failed. */
#include "provider/protocol.h"

#define TOKENS_PLAUSIBLE_MAX UINT64_C(1000000000000)

static void answer_pass(const surety__decoder *decoder, surety__piece piece,
                        surety_str text)
{
    assert(piece <= PIECE_ITEM);
    if (decoder->listener.piece && text.len)
        decoder->listener.piece(decoder->listener.ctx, piece, text);
}

void surety__answer_text(surety__decoder *decoder, surety_str text)
{
    surety__draft *draft;

    if (decoder->is.broken || !text.len)
        return;
    draft = surety__draft_open(decoder, SURETY_PART_TEXT);
    if (!draft)
        return;
    draft->len += text.len;
    decoder->is.used.output_bytes += text.len;
    surety_buf_add(&decoder->text, text);
    answer_pass(decoder,
                decoder->mode == SURETY_MODE_NATIVE ? PIECE_NATIVE : PIECE_TEXT,
                text);
}

void surety__answer_reasoning(surety__decoder *decoder, surety_str text)
{
    surety__draft *draft;

    if (decoder->is.broken || !text.len)
        return;
    draft = surety__draft_open(decoder, SURETY_PART_REASONING);
    decoder->is.used.output_bytes += text.len;
    if (draft)
        surety_buf_add(&draft->text, text);
    answer_pass(decoder, PIECE_REASONING, text);
}

void surety__answer_item(surety__decoder *decoder, const surety__draft *draft)
{
    if (!decoder->is.broken && draft && draft->kind == SURETY_PART_REASONING)
        answer_pass(decoder, PIECE_ITEM, surety_buf_str(&draft->raw));
}

void surety__answer_refusal(surety__decoder *decoder, surety_str text)
{
    if (decoder->is.broken)
        return;
    decoder->is.used.output_bytes += text.len;
    surety_buf_add(&decoder->refusal, text);
}

uint64_t surety__answer_index(surety__decoder *decoder, surety_val index,
                              uint64_t otherwise)
{
    const bool given = surety_val_kind(index) > SURETY_KIND_NULL;
    const uint64_t number =
        given ? surety_val_uint(index, SURETY__BLOCKS_MAX) : otherwise;

    if (number >= SURETY__BLOCKS_MAX)
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "the index of a tool call is impossible: an "
                             "integer from 0 to %d is expected",
                             SURETY__BLOCKS_MAX - 1);
    return number;
}

void surety__answer_arguments(surety__decoder *decoder, surety__draft *draft,
                              surety_str fragment)
{
    if (decoder->is.broken || !draft || draft->over)
        return;
    decoder->is.used.output_bytes += fragment.len;
    surety_buf_add(&draft->text, fragment);
    if (draft == surety__draft_native(decoder))
        answer_pass(decoder, PIECE_NATIVE, fragment);
}

void surety__answer_object(surety__decoder *decoder, surety__draft *draft,
                           surety_val value)
{
    if (decoder->is.broken || !draft || draft->text.len)
        return;
    if (surety_val_kind(value) > SURETY_KIND_NULL)
        (void)surety_val_write(value, SURETY_STYLE_COMPACT, &draft->text);
    else
        surety_buf_text(&draft->text, "{}");
    decoder->is.used.output_bytes += draft->text.len;
    draft->over = true;
    if (draft == surety__draft_native(decoder))
        answer_pass(decoder, PIECE_NATIVE, surety_buf_str(&draft->text));
}

void surety__answer_show(surety__decoder *decoder, surety_buf *out,
                         surety_str text, size_t max)
{
    surety__error_clean(out, text, surety_buf_str(&decoder->secret), max);
}

void surety__answer_word(surety__decoder *decoder, surety_buf *word,
                         surety_str value)
{
    if (!word->len)
        surety__answer_show(decoder, word, value, SURETY__NAME_MAX);
}

void surety__answer_names(surety__decoder *decoder, surety_val object,
                          const char *id, const char *model)
{
    if (!decoder->response_id.len)
        surety__answer_word(decoder, &decoder->response_id,
                            surety_val_str(surety_val_get(object, id)));
    if (!decoder->model.len)
        surety__answer_word(decoder, &decoder->model,
                            surety_val_str(surety_val_get(object, model)));
}

void surety__answer_finish(surety__decoder *decoder, surety_val reason)
{
    const surety_str word = surety_val_str(reason);

    if (!word.len || decoder->is.broken)
        return;
    surety_buf_reset(&decoder->finish_reason);
    surety__answer_word(decoder, &decoder->finish_reason, word);
    decoder->is.has_finish = true;
    for (const surety__ending *row = decoder->protocol->endings; row->word;
         row++)
        if (surety__str_equal_nocase(word, surety_str_of(row->word)))
            decoder->is.failure = row->failure;
}

surety_str surety__answer_string(surety__decoder *decoder, surety_val object,
                                 const char *member, const char *what)
{
    const surety_val val = surety_val_get(object, member);
    const surety_kind kind = surety_val_kind(val);

    if (kind > SURETY_KIND_NULL && kind != SURETY_KIND_STRING)
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "a string is expected as %s, found %s", what,
                             surety_kind_name(kind));
    return surety_val_str(val);
}

void surety__answer_break(surety__decoder *decoder, surety_failure failure,
                          const char *format, ...)
{
    surety_error error;
    va_list args;

    if (decoder->is.broken)
        return;
    va_start(args, format);
    (void)surety__failv(&error, SURETY_SYNTAX, format, args);
    va_end(args);
    decoder->is.broken = true;
    decoder->is.failure = failure;
    surety_buf_reset(&decoder->error_message);
    surety__answer_show(decoder, &decoder->error_message,
                        surety_str_of(error.message), SURETY__MESSAGE_MAX);
}

void surety__answer_usage(surety__decoder *decoder, surety_val usage)
{
    const surety__tokens *rows = decoder->protocol->tokens;
    uint64_t *counts = decoder->is.used.counts;
    surety_usage sums = {.known = true};
    uint64_t total = 0;

    if (surety_val_kind(usage) != SURETY_KIND_OBJECT)
        return;
    for (size_t i = 0; rows[i].pointer; i++) {
        const surety_val val =
            surety_val_at(usage, surety_str_of(rows[i].pointer));

        assert(i < SURETY__TOKENS_MAX);
        if (surety_val_kind(val) > SURETY_KIND_NULL)
            counts[i] = surety_val_uint(val, UINT64_MAX);
        else if (!(rows[i].sums & TOKENS_KEPT))
            counts[i] = 0;
        sums.known = sums.known && counts[i] <= TOKENS_PLAUSIBLE_MAX;
        sums.input_tokens += rows[i].sums & TOKENS_INPUT ? counts[i] : 0;
        sums.cached_input_tokens +=
            rows[i].sums & TOKENS_CACHED ? counts[i] : 0;
        sums.output_tokens += rows[i].sums & TOKENS_OUTPUT ? counts[i] : 0;
        sums.reasoning_tokens +=
            rows[i].sums & TOKENS_REASONING ? counts[i] : 0;
        total += rows[i].sums & TOKENS_TOTAL ? counts[i] : 0;
    }
    if (total &&
        total == sums.input_tokens + sums.output_tokens + sums.reasoning_tokens)
        sums.output_tokens += sums.reasoning_tokens;
    if (!sums.known || sums.cached_input_tokens > sums.input_tokens ||
        sums.reasoning_tokens > sums.output_tokens)
        sums = (surety_usage){0};
    decoder->is.used.usage = sums;
    decoder->is.used.counted_bytes =
        sums.output_tokens ? decoder->is.used.output_bytes : 0;
}
