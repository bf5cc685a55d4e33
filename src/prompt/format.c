/* SPDX-License-Identifier: Apache-2.0 */
/* The format instructions: what to answer, where it must be in the reply, and
 * the schema in one of three styles. If the call itself has a schema, that one
 * is shown, or none if the model sees it anyway. The requested place is the
 * first of the contract's places that is in the text of a reply; the others
 * are only tolerated.
 *
 * Whatever is as long as the schema is a form of the contract
 * (contract/forms.c): the schema in each style, and the example. */
#include "json/json.h"
#include "prompt/prompt.h"

#include <surety/strict.h>

/* The style in the options, else the contract's. */
static surety_prompt_style format_style(const surety_contract *contract,
                                        const surety_prompt_options *options)
{
    static const surety_prompt_style styles[] = {
        [PROMPT_JSON_SCHEMA] = SURETY_PROMPT_JSON_SCHEMA,
        [PROMPT_TYPESCRIPT] = SURETY_PROMPT_TYPESCRIPT,
        [PROMPT_EXAMPLE] = SURETY_PROMPT_EXAMPLE,
    };

    if (options->style != SURETY_PROMPT_CONTRACT)
        return options->style;
    return styles[contract->policy.prompt_style];
}

surety_place surety__format_where(const surety_contract *contract, bool native)
{
    const surety_extract *how = surety_contract_info_of(contract)->extract;
    surety_place place = SURETY_PLACE_NONE;

    for (size_t i = how->from_count; i > 0; i--)
        if (how->from[i - 1] != SURETY_PLACE_NATIVE)
            place = how->from[i - 1];
    return native ? SURETY_PLACE_NATIVE : place;
}

void surety__format_place(const surety_contract *contract, bool native,
                          surety_buf *out)
{
    const surety_extract *how = surety_contract_info_of(contract)->extract;

    switch (surety__format_where(contract, native)) {
    case SURETY_PLACE_NATIVE: break;
    case SURETY_PLACE_FENCE:
    case SURETY_PLACE_FENCE_ANY:
        surety_buf_text(out, "Put it in a block that opens with a line ```json "
                             "and closes with a line ```. Write no other such "
                             "block, and nothing after it.\n");
        break;
    case SURETY_PLACE_MARKER:
        surety_buf_text(out, "Write ");
        surety_buf_add(out, how->marker);
        surety_buf_text(out, " and then the JSON, and nothing after it.\n");
        break;
    case SURETY_PLACE_NONE:
    case SURETY_PLACE_WHOLE:
    case SURETY_PLACE_EMBEDDED:
        surety_buf_text(out, "Answer with the JSON alone: no text before or "
                             "after it, no code fence.\n");
        break;
    }
}

/* Whether a schema has a reference that is not only a fragment: then the $id
 * is needed to resolve it. */
static bool format_needs_id(surety_val root)
{
    const surety_doc *doc = root.doc;

    for (size_t i = 0; i + 1 < surety__doc_size(doc); i++) {
        const surety__cell *cell = &doc->cells[i];
        surety_str text;

        if (cell->kind != CELL_KEY || cell[1].kind != CELL_STRING)
            continue;
        text = surety__cell_str(doc, cell);
        if (!surety_str_equal(text, SURETY__LITERAL("$ref")) &&
            !surety_str_equal(text, SURETY__LITERAL("$dynamicRef")))
            continue;
        text = surety__cell_str(doc, cell + 1);
        if (text.len && text.ptr[0] != '#')
            return true;
    }
    return false;
}

/* ---- the schema in a prompt -----------------------------------------------
 */

bool surety__format_is_other(const surety_contract *contract,
                             const surety_prompt_options *options)
{
    return options->native && options->schema.doc &&
           options->schema.doc != surety_contract_info_of(contract)->root.doc;
}

static surety_status format_schema(const surety_contract *contract,
                                   const void *from, surety_buf *out,
                                   surety_error *reterr)
{
    static const char *const drop[] = {"x-surety", "$schema", "$id", NULL};
    static const char *const drop_old[] = {"x-surety", "$schema", "id", NULL};
    static const char *const drop_less[] = {"x-surety", "$schema", NULL};
    const surety_val root = surety_contract_info_of(contract)->root;

    const bool old =
        surety_schema_info_of(surety_contract_info_of(contract)->schema)
            ->dialect == SURETY_DIALECT_4;

    (void)from;
    (void)reterr;
    surety__layout_write(root,
                         format_needs_id(root) ? drop_less
                         : old                 ? drop_old
                                               : drop,
                         out);
    return SURETY_OK;
}

static surety_status format_type(const surety_contract *contract,
                                 const void *from, surety_buf *out,
                                 surety_error *reterr)
{
    (void)from;
    (void)reterr;
    return surety__spell_write(surety_contract_info_of(contract)->schema,
                               contract->alloc, out);
}

/* Appends the example, the document `from`. */
static surety_status format_example(const surety_contract *contract,
                                    const void *from, surety_buf *out,
                                    surety_error *reterr)
{
    const surety_val example = surety_doc_root(from);

    (void)reterr;
    surety__layout_write(example, NULL, out);
    return surety__legend_write(surety_contract_info_of(contract)->schema,
                                example, contract->alloc, out);
}

/* Appends the value at `from`. */
static surety_status format_value(const surety_contract *contract,
                                  const void *from, surety_buf *out,
                                  surety_error *reterr)
{
    const surety_val *val = from;

    (void)contract;
    (void)reterr;
    surety__layout_write(*val, NULL, out);
    return SURETY_OK;
}

/* Appends the text at `from` as a JSON string. */
static surety_status format_quote(const surety_contract *contract,
                                  const void *from, surety_buf *out,
                                  surety_error *reterr)
{
    const surety_str *text = from;

    (void)contract;
    (void)reterr;
    assert(surety__utf8_valid(*text, NULL));
    surety_json_string(out, *text);
    return SURETY_OK;
}

/* A prompt that is being written. */
typedef struct format_draft {
    const surety_contract *contract;
    surety_prompt_part *part; /* or NULL */
    surety_buf *out;
} format_draft;

/* Appends a form that is a text, the part of the prompt. */
static surety_status format_add(const format_draft *draft,
                                surety__contract_form which,
                                surety__form_write *write, const void *from,
                                surety_error *reterr)
{
    surety_str text = {NULL, 0};
    surety_str json;
    surety_status status =
        surety__form_text(draft->contract, which, write, from, &text, reterr);

    if (status == SURETY_OK && draft->part) {
        status = surety__form_text(draft->contract,
                                   CONTRACT_QUOTED + which - CONTRACT_SHOWN,
                                   format_quote, &text, &json, reterr);
        if (status == SURETY_OK)
            *draft->part = (surety_prompt_part){
                draft->out->len, text.len, {json.ptr + 1, json.len - 2}};
    }
    surety_buf_add(draft->out, text);
    return status;
}

/* Appends the line before the schema. */
static void format_head(surety_prompt_style style, bool native, surety_buf *out)
{
    static const char *const heads[][2] = {
        [SURETY_PROMPT_JSON_SCHEMA] =
            {"Answer with one JSON value that satisfies this JSON Schema:\n",
             "The answer is a value that satisfies this JSON Schema:\n"},
        [SURETY_PROMPT_TYPESCRIPT] =
            {"Answer with one JSON value in this TypeScript form: the first "
             "type is the whole of it, and what comments say must hold.\n",
             "The answer is a value in this TypeScript form: the first type is "
             "the whole of it, and what comments say must hold.\n"},
        [SURETY_PROMPT_EXAMPLE] =
            {"Answer with one JSON value of the same form as this example, "
             "with your own content:\n",
             "The answer is a value of the same form as this example, with "
             "your own content:\n"},
    };

    assert(style > SURETY_PROMPT_CONTRACT && style <= SURETY_PROMPT_EXAMPLE);
    surety_buf_text(out, heads[style][native]);
}

/* Finds the subset of the contract whose schema is sent with the call; NULL: it
 * is another schema. */
static const surety_strict *format_subset(const surety_contract *contract,
                                          surety_val schema, unsigned *ret_i)
{
    for (*ret_i = 0; *ret_i < SUBSETS; ++*ret_i) {
        const surety_strict *strict =
            surety__form_made(contract, CONTRACT_STRICT + *ret_i);

        if (strict && surety_strict_info_of(strict)->schema.doc == schema.doc &&
            surety_strict_info_of(strict)->schema.index == schema.index)
            return strict;
    }
    return NULL;
}

/* Appends the schema that is sent with the call, which is seldom another than
 * the contract's in one of the subsets. */
static surety_status format_sent(const format_draft *draft, surety_val schema,
                                 surety_error *reterr)
{
    unsigned subset;

    if (format_subset(draft->contract, schema, &subset))
        return format_add(draft, CONTRACT_STRICT_SHOWN + subset, format_value,
                          &schema, reterr);
    surety__layout_write(schema, NULL, draft->out);
    return SURETY_OK;
}

/* Appends the contract's schema in the style. */
static surety_status format_own(const format_draft *draft,
                                surety_prompt_style style, surety_error *reterr)
{
    const surety_doc *example = NULL;
    surety_status status;

    switch (style) {
    case SURETY_PROMPT_TYPESCRIPT:
        return format_add(draft, CONTRACT_SHOWN + PROMPT_TYPESCRIPT,
                          format_type, NULL, reterr);
    case SURETY_PROMPT_EXAMPLE:
        status = surety__example_of(draft->contract, &example, reterr);
        return status != SURETY_OK
                   ? status
                   : format_add(draft, CONTRACT_SHOWN + PROMPT_EXAMPLE,
                                format_example, example, reterr);
    default:
        return format_add(draft, CONTRACT_SHOWN + PROMPT_JSON_SCHEMA,
                          format_schema, NULL, reterr);
    }
}

/* Appends the schema in the style, or the one that is sent with the call. */
static surety_status format_form(const format_draft *draft,
                                 surety_prompt_style style,
                                 const surety_prompt_options *options,
                                 surety_error *reterr)
{
    surety_buf *out = draft->out;
    const bool other = surety__format_is_other(draft->contract, options);
    const bool example = style == SURETY_PROMPT_EXAMPLE;

    if (options->native && options->shown &&
        !(example && (!other || options->example.doc))) {
        surety_buf_text(out, "The answer is a value that satisfies the schema "
                             "that comes with this request.\n");
        return SURETY_OK;
    }
    if (other && (!example || !options->example.doc)) {
        format_head(SURETY_PROMPT_JSON_SCHEMA, true, out);
        return format_sent(draft, options->schema, reterr);
    }
    format_head(style, options->native, out);
    if (!other)
        return format_own(draft, style, reterr);
    surety__layout_write(options->example, NULL, out);
    return SURETY_OK;
}

/* Appends the rules in their own words. */
static void format_rules(const surety_contract *contract, surety_buf *out)
{
    const size_t count = surety_contract_info_of(contract)->rule_count;

    if (count > 0)
        surety_buf_text(out, "It must also keep these rules:\n");
    for (size_t i = 0; i < count; i++) {
        const surety_rule rule = surety_contract_info_of(contract)->rules[i];

        surety_buf_text(out, "- ");
        if (rule.at.len) {
            surety_buf_text(out, "at ");
            surety_buf_add(out, rule.at);
            surety_buf_text(out, ": ");
        }
        surety__spell_line(out, rule.message);
        surety_buf_byte(out, '\n');
    }
}

/* ---- templates ----------------------------------------------------------- */

/* Reads the template of the options for a part of a prompt, if there is one. */
static surety_status format_given(const surety_prompt_options *options,
                                  surety__wording_kind kind,
                                  surety__wording *ret_wording,
                                  surety_error *reterr)
{
    /* ORDER wording kinds */
    const struct {
        const char *name;
        surety_str text;
    } given[] = {{"instructions", options->instructions},
                 {"reask", options->reask},
                 {"system", options->system}};
    surety_status status;

    assert((unsigned)kind < WORDINGS);
    if (!given[kind].text.len)
        return SURETY_OK;
    status = surety__wording_read(given[kind].text, kind, ret_wording, reterr);
    if (status != SURETY_OK && reterr) {
        surety_buf source =
            surety__buf_over(reterr->source, sizeof(reterr->source));

        surety_buf_text(&source, given[kind].name);
        reterr->source[source.len] = '\0';
    }
    return status;
}

surety_status surety__format_wording(const surety_contract *contract,
                                     const surety_prompt_options *options,
                                     surety__wording_kind kind,
                                     surety__wording *ret_wording,
                                     surety_error *reterr)
{
    *ret_wording = contract->policy.wordings[kind];
    return format_given(options, kind, ret_wording, reterr);
}

surety_status surety_prompt_check(const surety_prompt_options *options,
                                  surety_error *reterr)
{
    surety_prompt_options own;
    surety__wording wording;
    surety_status status =
        surety__options_take(&own, sizeof(own), options, reterr);

    for (unsigned i = 0; i < WORDINGS && status == SURETY_OK; i++)
        status = format_given(&own, (surety__wording_kind)i, &wording, reterr);
    return status == SURETY_OK ? surety__example_check_given(&own, reterr)
                               : status;
}

surety_status surety__format_deliver(const surety_contract *contract,
                                     const surety_prompt_options *options,
                                     surety_val value, surety_doc *out,
                                     surety_error *reterr)
{
    const surety_strict *strict;
    unsigned subset;

    if (!surety__format_is_other(contract, options)) {
        surety_build_begin(out, NULL);
        surety_build_val(out, value);
        return surety_build_end(out, reterr);
    }
    strict = format_subset(contract, options->schema, &subset);
    if (!strict)
        return surety__fail(reterr, SURETY_UNSUPPORTED,
                            "no value can be shown in the form of the schema "
                            "that is sent");
    return surety_strict_deliver(strict, value, out, reterr);
}

/* Appends the contract's example in the form that is asked for. */
static surety_status format_shown_example(const surety_contract *contract,
                                          const surety_prompt_options *options,
                                          surety_buf *out, surety_error *reterr)
{
    const surety_doc *example = NULL;
    surety_doc *delivered = NULL;
    surety_status status;

    if (surety__format_is_other(contract, options) && options->example.doc) {
        surety__layout_write(options->example, NULL, out);
        return SURETY_OK;
    }
    status = surety__example_of(contract, &example, reterr);
    if (status != SURETY_OK)
        return status;
    delivered = surety_doc_new(out->alloc);
    if (!delivered)
        return surety__fail_nomem(reterr);
    status = surety__format_deliver(contract, options, surety_doc_root(example),
                                    delivered, reterr);
    if (status == SURETY_OK)
        surety__layout_write(surety_doc_root(delivered), NULL, out);
    surety_doc_free(delivered);
    return status;
}

surety_status surety__format_variable(const surety_contract *contract,
                                      const surety_prompt_options *options,
                                      surety__variable variable,
                                      surety_buf *out, surety_error *reterr)
{
    const surety_prompt_style style =
        format_style(contract, options) == SURETY_PROMPT_TYPESCRIPT
            ? SURETY_PROMPT_TYPESCRIPT
            : SURETY_PROMPT_JSON_SCHEMA;
    surety_prompt_part part = {0};
    const format_draft draft = {contract, options->part ? &part : NULL, out};
    surety_status status;

    assert(variable == VARIABLE_SCHEMA || variable == VARIABLE_EXAMPLE);
    if (variable == VARIABLE_EXAMPLE)
        status = format_shown_example(contract, options, out, reterr);
    else if (surety__format_is_other(contract, options))
        status = format_sent(&draft, options->schema, reterr);
    else
        status = format_own(&draft, style, reterr);
    if (status != SURETY_OK || out->status != SURETY_OK)
        return status;
    /* The line feed that ends a schema is the template's to write. */
    assert(out->len > 0 && out->ptr[out->len - 1] == '\n');
    out->len--;
    if (part.len) {
        part.len--;
        part.json.len -= sizeof("\\n") - 1;
        *options->part = part;
    }
    return SURETY_OK;
}

/* Appends a template, with what its variables stand for. */
static surety_status format_fill(const surety_contract *contract,
                                 const surety__wording *wording,
                                 surety_str prompt,
                                 const surety_prompt_options *options,
                                 surety_buf *out, surety_error *reterr)
{
    surety_status status = SURETY_OK;
    surety_str rest = wording->text;
    surety__variable variable;
    surety_str text;

    while (status == SURETY_OK &&
           surety__wording_next(&rest, &text, &variable)) {
        surety_buf_add(out, text);
        if (variable == VARIABLE_PROMPT)
            surety_buf_add(out, prompt);
        else if (variable == VARIABLE_EXAMPLES)
            status = surety__example_texts(contract, options, out, reterr);
        else if (variable != VARIABLES)
            status = surety__format_variable(contract, options, variable, out,
                                             reterr);
    }
    return status;
}

void surety__format_gap(surety_buf *out, size_t start)
{
    size_t ended = 0;

    while (ended < 2 && out->len > start + ended &&
           out->ptr[out->len - 1 - ended] == '\n')
        ended++;
    if (out->len > start)
        surety_buf_text(out, &"\n\n"[ended]);
}

/* ---- the texts ----------------------------------------------------------- */

/* Appends the format instructions in Surety's words. */
static surety_status format_instruct(const surety_contract *contract,
                                     const surety_prompt_options *options,
                                     surety_buf *out, surety_error *reterr)
{
    const format_draft draft = {contract, options->part, out};
    const surety_status status =
        format_form(&draft, format_style(contract, options), options, reterr);

    format_rules(contract, out);
    surety__format_place(contract, options->native, out);
    return status;
}

/* Whether nothing is to be added to the prompt. */
static bool format_is_none(const surety__wording *wording)
{
    return wording->text.ptr && !wording->text.len;
}

surety_status surety__format_first(const surety_contract *contract,
                                   surety_str prompt,
                                   const surety_prompt_options *options,
                                   surety_buf *out, surety_error *reterr)
{
    const size_t start = out->len;
    surety_str trimmed = prompt;
    surety__wording wording;
    surety_status status = surety__format_wording(
        contract, options, WORDING_INSTRUCTIONS, &wording, reterr);

    if (status != SURETY_OK)
        return status;
    if (!options->as_turns && !surety__example_placed(contract, options)) {
        status = surety__example_texts(contract, options, out, reterr);
        surety__format_gap(out, start);
    }
    if (status != SURETY_OK || format_is_none(&wording)) {
        surety_buf_add(out, prompt);
        return status;
    }
    while (trimmed.len && memchr(" \t\r\n", trimmed.ptr[trimmed.len - 1], 4))
        trimmed.len--;
    if (!surety__wording_has(&wording, VARIABLE_PROMPT)) {
        surety_buf_add(out, trimmed);
        surety__format_gap(out, start);
    }
    return wording.text.ptr
               ? format_fill(contract, &wording, prompt, options, out, reterr)
               : format_instruct(contract, options, out, reterr);
}

surety_status surety__format_take(surety_prompt_options *own,
                                  const surety_contract *contract,
                                  const surety_prompt_options *options,
                                  const surety_buf *out, surety_error *reterr)
{
    if (!contract || !out)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a contract and a buffer are needed");
    if (surety__options_take(own, sizeof(*own), options, reterr))
        return SURETY_MISUSE;
    if ((unsigned)own->style > SURETY_PROMPT_EXAMPLE)
        return surety__fail(reterr, SURETY_MISUSE, "there is no style %d",
                            (int)own->style);
    if (own->part)
        *own->part = (surety_prompt_part){0};
    return SURETY_OK;
}

surety_status surety__format_end(surety_buf *out, size_t start,
                                 surety_status status, surety_error *reterr)
{
    if (status == SURETY_OK && out->status != SURETY_OK)
        return surety__fail(reterr, out->status,
                            "the prompt could not be written: %s",
                            surety_status_name(out->status));
    if (status != SURETY_OK && out->status == SURETY_OK)
        out->len = start;
    return status;
}

surety_status surety_prompt_write(const surety_contract *contract,
                                  surety_str prompt,
                                  const surety_prompt_options *options,
                                  surety_buf *out, surety_error *reterr)
{
    surety_prompt_options own;
    surety_status status =
        surety__format_take(&own, contract, options, out, reterr);
    size_t start;

    if (status != SURETY_OK)
        return status;
    start = out->len;
    if (own.instruct_system)
        surety_buf_add(out, prompt);
    else
        status = surety__format_first(contract, prompt, &own, out, reterr);
    return surety__format_end(out, start, status, reterr);
}

surety_status surety_prompt_system(const surety_contract *contract,
                                   surety_str system, surety_str prompt,
                                   const surety_prompt_options *options,
                                   surety_buf *out, surety_error *reterr)
{
    const surety_str empty = SURETY__LITERAL("");
    surety_prompt_options own;
    surety__wording wording;
    surety_status status =
        surety__format_take(&own, contract, options, out, reterr);
    size_t start;

    if (status != SURETY_OK)
        return status;
    start = out->len;
    surety_buf_add(out, system);
    status = surety__format_wording(contract, &own, WORDING_SYSTEM, &wording,
                                    reterr);
    if (status == SURETY_OK && wording.text.len) {
        surety__format_gap(out, start);
        status = format_fill(contract, &wording, prompt, &own, out, reterr);
    }
    if (status == SURETY_OK && own.instruct_system)
        status = surety__format_wording(contract, &own, WORDING_INSTRUCTIONS,
                                        &wording, reterr);
    if (status == SURETY_OK && own.instruct_system &&
        !format_is_none(&wording)) {
        surety__format_gap(out, start);
        status = surety__format_first(
            contract,
            surety__wording_has(&wording, VARIABLE_PROMPT) ? prompt : empty,
            &own, out, reterr);
    }
    return surety__format_end(out, start, status, reterr);
}
