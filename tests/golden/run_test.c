/* SPDX-License-Identifier: Apache-2.0 */
/* Whole runs, as text to be read: what is asked, what models answer and when,
 * and all that comes of it.
 *
 *     run_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case with sections:
 *
 *     === contract     the contract; none: text is asked for
 *     === options      a line each, see world.h
 *     === answers      what the models answer, see world.h; "answers NAME" what
 *                      one of them does
 * and what must come, any of it:
 *     === log          the decision log
 *     === end          verdict, message, hint, value, what was spent, replies
 *     === events       what was heard, and when
 *     === sent         each request
 *     === rows         what the ledger was told
 *     === json, text, color, plain, github, sarif     the reports
 *     === loose        what is checked of values while they come that are to
 *                      be made the contract's
 *     === error        what the call says where the run cannot begin
 *
 * With --update what must come is written anew. */
#include "base/base.h"
#include "run/run.h"

#include "golden/world.h"

#include <stdio.h>

static surety_status step(void *machine, surety_now now, uint32_t *ret_delay_ms,
                          surety_error *reterr)
{
    return surety_run_step(machine, now, ret_delay_ms, reterr);
}

static void tell_line(surety_buf *out, const char *name, surety_str text)
{
    surety__buf_printf(out, "%s: ", name);
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '\n')
            surety_buf_text(out, "\\n");
        else
            surety_buf_byte(out, text.ptr[i]);
    surety_buf_byte(out, '\n');
}

static void tell_end(const struct world *world, const surety_run *run,
                     surety_buf *out)
{
    const surety_outcome *outcome = surety_run_info_of(run)->outcome;
    const surety_usage usage = surety_run_info_of(run)->usage;
    uint64_t picousd = 0;

    surety__buf_printf(
        out, "%s at %zu ms\n",
        surety_run_verdict_name(surety_run_info_of(run)->verdict),
        (size_t)world->now_ms);
    tell_line(out, "message", surety_run_info_of(run)->message);
    tell_line(out, "hint", surety_run_info_of(run)->hint);
    if (outcome) {
        surety_buf_text(out, "value: ");
        if (surety_outcome_info_of(outcome)->value.doc)
            (void)surety_val_write(surety_outcome_info_of(outcome)->value,
                                   SURETY_STYLE_COMPACT, out);
        surety_buf_byte(out, '\n');
    }
    tell_line(out, "first reply", surety_run_info_of(run)->reply_first);
    tell_line(out, "last reply", surety_run_info_of(run)->reply_last);
    surety__buf_printf(
        out,
        "tokens: %zu in, %zu of them cached, %zu out, %zu of "
        "them reasoning%s\n",
        (size_t)usage.input_tokens, (size_t)usage.cached_input_tokens,
        (size_t)usage.output_tokens, (size_t)usage.reasoning_tokens,
        usage.known ? "" : ", estimated");
    picousd = surety_run_info_of(run)->cost_picousd;
    if (surety_run_info_of(run)->cost_known) {
        surety_buf_text(out, "cost: $");
        surety_dollars_write(picousd, false, out);
        surety_buf_byte(out, '\n');
    }
}

/* A schema: as people read it, unless it is too long for that. */
static void tell_schema(surety_val schema, surety_buf *out)
{
    enum { SHOWN_MAX = 4000 };
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    (void)surety_val_write(schema, SURETY_STYLE_PRETTY, &text);
    if (text.len > SHOWN_MAX) {
        surety_buf_reset(&text);
        (void)surety_val_write(schema, SURETY_STYLE_COMPACT, &text);
        surety__buf_printf(out, "%zu bytes: ", text.len);
        text.len = text.len < SHOWN_MAX ? text.len : SHOWN_MAX;
    }
    surety_buf_add(out, surety_buf_str(&text));
    surety_buf_byte(out, '\n');
    surety_buf_done(&text);
}

/* The contract for the delivered form of the last call's value, where it is
 * another. */
static void tell_delivered(const surety_run *run, surety_buf *out)
{
    const surety_contract *delivered = run->setup.options.contract;

    if (run->plan.strict &&
        surety_strict_delivered(run->plan.strict, &delivered, NULL))
        golden_die("no delivered form", "");
    if (delivered != run->setup.options.contract)
        tell_schema(surety_contract_info_of(delivered)->root, out);
}

static void tell_report(const surety_run *run, surety_report form,
                        surety_buf *out)
{
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    (void)surety_run_write(run, form, (surety_str){"", 0}, &text);
    if (form == SURETY_REPORT_JSON || form == SURETY_REPORT_SARIF)
        world_tell_json(out, surety_buf_str(&text));
    else
        world_tell_raw(out, surety_buf_str(&text));
    surety_buf_done(&text);
}

/* The form of report that a section holds; -1: none. */
static int form_of(const struct golden_section *section)
{
    static const char *const forms[] = {"json",  "text",   "color",
                                        "plain", "github", "sarif"};

    for (int i = 0; i < 6; i++)
        if (golden_is(section, forms[i]))
            return i;
    return -1;
}

/* Writes what a section must hold; false: it is an input. */
static bool answer(const struct world *world, const surety_run *run,
                   const struct golden_section *section, surety_buf *out)
{
    const int form = form_of(section);

    if (form >= 0)
        tell_report(run, (surety_report)form, out);
    else if (golden_is(section, "log"))
        (void)surety_run_write_log(run, false, out);
    else if (golden_is(section, "end"))
        tell_end(world, run, out);
    else if (golden_is(section, "events"))
        surety_buf_add(out, surety_buf_str(&world->events));
    else if (golden_is(section, "sent"))
        surety_buf_add(out, surety_buf_str(&world->sent));
    else if (golden_is(section, "rows"))
        surety_buf_add(out, surety_buf_str(&world->rows));
    else if (golden_is(section, "loose"))
        tell_delivered(run, out);
    else
        return false;
    return true;
}

/* Makes the case anew: run is NULL where the call gave err. */
static void write_case(struct golden *golden, const struct world *world,
                       const surety_run *run, const surety_error *err)
{
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];
        surety_buf text;

        surety_buf_init(&text, NULL, 0);
        if (golden_is(section, "error")) {
            golden_begin(golden, section);
            if (!run)
                surety__buf_printf(&golden->made, "%s: %s\n%s\n",
                                   surety_status_name(err->status),
                                   err->message, err->hint);
        } else if (run && answer(world, run, section, &text)) {
            golden_begin(golden, section);
            surety_buf_add(&golden->made, surety_buf_str(&text));
            golden_end(golden);
        } else {
            golden_keep(golden, section);
        }
        surety_buf_done(&text);
    }
}

static bool ask(struct golden *golden, struct world *world)
{
    surety_run *run = NULL;
    surety_error err = {.status = SURETY_OK};
    surety_status status = SURETY_OK;

    if (surety_run_new(&world->options, &run, &err) == SURETY_OK) {
        status = world_go(world, run, step, &err);
        if (status == SURETY_MORE)
            surety_run_cancel(run, world_now(world));
    }
    write_case(golden, world, run, &err);
    surety_run_free(run);
    if (status == SURETY_TIMEOUT)
        printf("# it does not come to an end\n");
    return status != SURETY_TIMEOUT;
}

static bool run_case(struct golden *golden)
{
    surety_str rest = golden_body(golden, "options");
    const surety_str text = golden_body(golden, "contract");
    surety_contract *contract = NULL;
    surety_status status = SURETY_OK;
    struct world world;
    bool good = true;
    surety_error err;
    surety_str line;

    world_open(&world, golden);
    while (golden_line(&rest, &line))
        if (!world_option(&world, line)) {
            printf("# an option means nothing: %.*s\n", (int)line.len,
                   line.ptr);
            good = false;
        }
    if (text.len)
        status = surety_contract_read(text, NULL, &contract, &err);
    world.options.contract = contract;
    golden->skipped = status == SURETY_UNSUPPORTED;
    if (status != SURETY_OK && !golden->skipped)
        printf("# contract: %s (%s)\n", err.message, err.path);
    good = world_ready(&world) && good &&
           (golden->skipped || (status == SURETY_OK && ask(golden, &world)));
    world_close(&world);
    surety_contract_free(contract);
    return good;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run_case};

    return golden_main(argc, argv, &folder);
}
