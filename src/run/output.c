/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON text of a run's value, given out in pieces while a reply comes.
 *
 * Invariants:
 * 1. What was given is never taken back: it is the beginning of the compact
 *    JSON of every value that the run may end with. A value that does not
 *    begin with it is refused, as the validator here says.
 * 2. A piece is what can no longer change: members and elements that have
 *    ended, and the characters of a string so far. A number or a literal is
 *    given when it has ended; its key comes with it.
 * 3. Pieces are taken from a value only while it may still become valid. So
 *    where a reply is certainly wrong, what was given is the beginning of a
 *    value that, as far as the stream knows, may be valid, and another reply
 *    can go on from there. */
#include "run/run.h"

/* What another reply has to begin with is quoted in its prompt. A model does
 * not repeat a longer text without a mistake, and it would be paid for
 * again. */
enum { OUTPUT_QUOTE_MAX = 16 << 10 };

static const char output_demand[] =
    "\n\nThe beginning of your answer has been used already, and cannot be "
    "changed. The JSON of your answer, written without white space, must begin "
    "with exactly this text, and go on behind it:\n";

void surety__output_init(surety__output *output, const surety__setup *setup,
                         surety__run_store *store)
{
    *output = (surety__output){.setup = setup, .store = store};
    surety_buf_init(&output->given, store->alloc, 0);
    surety_buf_init(&output->text, store->alloc, 0);
}

void surety__output_done(surety__output *output)
{
    surety_buf_done(&output->given);
    surety_buf_done(&output->text);
}

/* Why no piece may be given out. */
static surety_status output_refuse(const char *why, surety_error *reterr)
{
    (void)surety__fail(reterr, SURETY_UNSUPPORTED,
                       "the text of a value cannot be given out as it comes: "
                       "%s, at its end",
                       why);
    surety__hint(reterr,
                 "give it out when it is whole, or change the contract");
    return SURETY_UNSUPPORTED;
}

surety_status surety_run_output_allows(const surety_contract *contract,
                                       const surety_judge_options *judge,
                                       surety_error *reterr)
{
    const surety_contract_info *info;
    surety_str schema = {"", 0};
    surety_status status = SURETY_OK;

    if (!contract)
        return output_refuse("there is no contract that says what is valid",
                             reterr);
    info = surety_contract_info_of(contract);
    if ((judge && judge->repair ? *judge->repair : info->repair) >=
        SURETY_REPAIR_ALIGN)
        return output_refuse("it may be aligned with its schema", reterr);
    if (info->strips_unknown)
        return output_refuse("unknown members are left out", reterr);
    if (info->fills_defaults)
        status = surety_contract_schema_text(contract, &schema, reterr);
    if (surety__str_find(schema, SURETY__LITERAL("\"default\":")) < schema.len)
        return output_refuse("defaults are filled in", reterr);
    return status;
}

/* ---- the part that cannot change ----------------------------------------- */

/* Appends a string that goes on: without its end, and without a character that
 * may be half of another. */
static void output_string(surety_buf *out, surety_val val)
{
    static const char unknown[] = "\xEF\xBF\xBD";
    surety_str text = surety_val_str(val);

    if (text.len >= 3 && !memcmp(text.ptr + text.len - 3, unknown, 3))
        text.len -= 3;
    surety_json_string(out, text);
    if (out->status == SURETY_OK)
        out->len--;
}

/* Appends the members or elements of an open container as far as they are
 * certain. Returns the last one if it is to be gone into. */
static surety_val output_container(surety_buf *out, surety_val val)
{
    const bool object = surety_val_kind(val) == SURETY_KIND_OBJECT;
    bool any = false;

    surety_buf_byte(out, object ? '{' : '[');
    SURETY_EACH (child, val) {
        const bool open = surety_val_is_open(child);
        const surety_kind kind = surety_val_kind(child);
        const bool goes = kind == SURETY_KIND_STRING ||
                          kind == SURETY_KIND_ARRAY ||
                          kind == SURETY_KIND_OBJECT;

        if (open && !goes)
            break;
        if (any)
            surety_buf_byte(out, ',');
        any = true;
        if (object) {
            surety_json_string(out, surety_val_str(surety_val_key(child)));
            surety_buf_byte(out, ':');
        }
        if (open)
            return child;
        (void)surety_val_write(child, SURETY_STYLE_COMPACT, out);
    }
    return surety_val_none();
}

/* Appends the part of a value so far that cannot change. */
static void output_write(surety_buf *out, surety_val val)
{
    while (val.doc) {
        const surety_kind kind = surety_val_kind(val);

        if (!surety_val_is_open(val)) {
            (void)surety_val_write(val, SURETY_STYLE_COMPACT, out);
            return;
        }
        if (kind == SURETY_KIND_STRING)
            output_string(out, val);
        val = kind == SURETY_KIND_ARRAY || kind == SURETY_KIND_OBJECT
                  ? output_container(out, val)
                  : surety_val_none();
    }
}

/* ---- pieces -------------------------------------------------------------- */

/* Whether the text at hand begins with what was given. */
static bool output_goes_on(const surety__output *output)
{
    return surety__str_starts(surety_buf_str(&output->text),
                              surety_buf_str(&output->given));
}

/* Gives out what the text at hand has behind what was given. */
static void output_give(surety__output *output, size_t attempt)
{
    surety_str rest = surety_buf_str(&output->text);

    if (output->text.status != SURETY_OK) {
        output->store->status = SURETY_NOMEM;
        return;
    }
    if (!output_goes_on(output) || rest.len == output->given.len)
        return;
    surety__str_skip(&rest, output->given.len);
    surety_buf_add(&output->given, rest);
    if (output->given.status != SURETY_OK) {
        output->store->status = SURETY_NOMEM;
        return;
    }
    surety__setup_event(output->setup, attempt, SURETY_EVENT_OUTPUT, rest);
}

void surety__output_look(surety__output *output, size_t attempt, surety_val val)
{
    surety_buf_reset(&output->text);
    output_write(&output->text, val);
    output_give(output, attempt);
}

void surety__output_end(surety__output *output, size_t attempt, surety_val val)
{
    surety_buf_reset(&output->text);
    (void)surety_val_write(val, SURETY_STYLE_COMPACT, &output->text);
    output_give(output, attempt);
}

/* ---- what was given binds ------------------------------------------------ */

static surety_status output_validate(void *ctx,
                                     const surety_validation *validation,
                                     surety_error *reterr)
{
    surety__output *output = ctx;

    if (!output->given.len)
        return SURETY_OK;
    surety_buf_reset(&output->text);
    (void)surety_val_write(validation->value, SURETY_STYLE_COMPACT,
                           &output->text);
    if (output->text.status != SURETY_OK)
        return surety__fail_nomem(reterr);
    if (output_goes_on(output))
        return SURETY_OK;
    return validation->add(
        validation->ctx, SURETY__LITERAL(""),
        SURETY__LITERAL("the value does not begin with what was given out"),
        SURETY__LITERAL("begin the answer with the text that was given out"));
}

surety_validator surety__output_validator(surety__output *output)
{
    return (surety_validator){.name = SURETY__LITERAL("output"),
                              .validate = output_validate,
                              .ctx = output};
}

bool surety__output_binds(const surety__output *output)
{
    return output && output->given.len > (output->setup->options.output ==
                                                  SURETY_RUN_OUTPUT_RESUME
                                              ? OUTPUT_QUOTE_MAX
                                              : 0);
}

void surety__output_demand(const surety__output *output, surety_buf *out)
{
    if (!output->given.len)
        return;
    surety_buf_text(out, output_demand);
    surety_buf_add(out, surety_buf_str(&output->given));
    surety_buf_byte(out, '\n');
}
