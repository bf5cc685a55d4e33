/* SPDX-License-Identifier: Apache-2.0 */
/* Reports, compared byte for byte with what is written in case files.
 *
 *     report_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND" and go
 * on to the next; the line end in front of the next is no part of them.
 *
 *     === contract    the contract
 *     === reply       the reply; "=== reply escaped": \r \n \t \\ and \xNN
 *                     stand for bytes
 *     === options     a line each: extract PLACE..., marker TEXT, pick last,
 *                     keep-reasoning, native TEXT, no-fallback, derive,
 *                     repair LEVEL, certain-only, partial, cut,
 *                     var NAME=VALUE, source NAME, findings-max N,
 *                     depth-max N, candidates-max N, text-bytes-max N
 *     === json, text, color, plain, github, sarif
 *                     the reports expected, any of them; ESC is written \x1b
 *     === error       what the call says where it cannot judge
 *
 * Each case is judged again and again by one judge, in the end without
 * allocating where only this folder's work is done, and its JSON report must
 * satisfy the contract surety/report. With --update the expected sections are
 * written anew, for a person to review. */
#include "base/base.h"

#include "extract/extract.h"
#include "golden/cases.h"

#include <stdio.h>
#include <stdlib.h>

enum { VARIABLES_MAX = 8 };
enum { WARM_UP = 4 }; /* an arena that doubles has grown by then */

/* How a case is judged and told. */
struct setting {
    surety_str source;
    surety_judge_options options;
    surety_repair repair;
    surety_extract extract;
    surety_variable variables[VARIABLES_MAX];
    surety_limits limits;
};

static const struct form {
    const char *name;
    surety_report form;
} forms[] = {
    {"json", SURETY_REPORT_JSON},     {"text", SURETY_REPORT_TEXT},
    {"color", SURETY_REPORT_COLOR},   {"plain", SURETY_REPORT_PLAIN},
    {"github", SURETY_REPORT_GITHUB}, {"sarif", SURETY_REPORT_SARIF},
};

/* ---- reading a case ------------------------------------------------------ */

static uint32_t number_of(surety_str text)
{
    uint32_t number = 0;

    for (size_t i = 0; i < text.len; i++)
        number = number * 10 + (uint32_t)(text.ptr[i] - '0');
    return number;
}

static bool take_places(struct setting *setting, surety_str text)
{
    while (text.len && setting->extract.from_count < SURETY_PLACES) {
        const size_t len = surety__str_find(text, SURETY__LITERAL(" "));
        const surety_place place =
            surety__place_of((surety_str){text.ptr, len});

        if (place == SURETY_PLACE_NONE)
            return false;
        setting->extract.from[setting->extract.from_count++] = place;
        text.ptr += len < text.len ? len + 1 : len;
        text.len -= len < text.len ? len + 1 : len;
    }
    return true;
}

static bool take_option(struct setting *setting, surety_str name,
                        surety_str value)
{
    surety_judge_options *options = &setting->options;
    const size_t equals = surety__str_find(value, SURETY__LITERAL("="));

    if (surety_str_equal(name, SURETY__LITERAL("extract"))) {
        options->extract = &setting->extract;
        return take_places(setting, value);
    }
    if (surety_str_equal(name, SURETY__LITERAL("marker"))) {
        setting->extract.marker = value;
    } else if (surety_str_equal(name, SURETY__LITERAL("pick"))) {
        setting->extract.pick_last = true;
    } else if (surety_str_equal(name, SURETY__LITERAL("keep-reasoning"))) {
        setting->extract.keep_reasoning = true;
    } else if (surety_str_equal(name, SURETY__LITERAL("native"))) {
        options->native = value;
    } else if (surety_str_equal(name, SURETY__LITERAL("no-fallback"))) {
        options->no_fallback = true;
    } else if (surety_str_equal(name, SURETY__LITERAL("derive"))) {
        options->derive = true;
    } else if (surety_str_equal(name, SURETY__LITERAL("repair"))) {
        setting->repair = value.ptr[0] == 'a'   ? SURETY_REPAIR_ALIGN
                          : value.ptr[0] == 's' ? SURETY_REPAIR_SYNTAX
                                                : SURETY_REPAIR_NONE;
        options->repair = &setting->repair;
    } else if (surety_str_equal(name, SURETY__LITERAL("certain-only"))) {
        options->certain_only = true;
    } else if (surety_str_equal(name, SURETY__LITERAL("partial"))) {
        options->partial = true;
    } else if (surety_str_equal(name, SURETY__LITERAL("cut"))) {
        options->cut = true;
    } else if (surety_str_equal(name, SURETY__LITERAL("source"))) {
        setting->source = value;
    } else if (surety_str_equal(name, SURETY__LITERAL("findings-max"))) {
        setting->limits.findings_max = number_of(value);
    } else if (surety_str_equal(name, SURETY__LITERAL("depth-max"))) {
        setting->limits.depth_max = number_of(value);
    } else if (surety_str_equal(name, SURETY__LITERAL("candidates-max"))) {
        setting->limits.candidates_max = number_of(value);
    } else if (surety_str_equal(name, SURETY__LITERAL("text-bytes-max"))) {
        setting->limits.text_bytes_max = number_of(value);
    } else if (surety_str_equal(name, SURETY__LITERAL("var")) &&
               equals < value.len && options->variables_count < VARIABLES_MAX) {
        setting->variables[options->variables_count++] =
            (surety_variable){{value.ptr, equals},
                              {value.ptr + equals + 1, value.len - equals - 1}};
    } else {
        return false;
    }
    return true;
}

static bool setting_read(const struct golden *golden, struct setting *setting)
{
    surety_str rest = golden_body(golden, "options");
    surety_str line;

    *setting = (struct setting){.source = SURETY__LITERAL("reply.md"),
                                .options = {.size = sizeof(setting->options),
                                            .variables = setting->variables},
                                .extract = {.size = sizeof(setting->extract)},
                                .limits = {.size = sizeof(setting->limits)}};
    while (golden_line(&rest, &line)) {
        const size_t space = surety__str_find(line, SURETY__LITERAL(" "));
        const size_t skip = space < line.len ? space + 1 : line.len;

        if (!take_option(setting, (surety_str){line.ptr, space},
                         (surety_str){line.ptr + skip, line.len - skip}))
            return false;
    }
    return true;
}

/* ---- judging ------------------------------------------------------------- */

/* An allocator that counts. */
static void *count_resize(void *ctx, void *ptr, size_t size_old,
                          size_t size_new)
{
    (void)size_old;
    if (size_new == 0) {
        free(ptr);
        return NULL;
    }
    ++*(size_t *)ctx;
    return realloc(ptr, size_new);
}

/* The form of report that a section holds; NULL: none. */
static const struct form *form_of(const struct golden_section *section)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (golden_is(section, forms[i].name))
            return &forms[i];
    return NULL;
}

/* Writes the report, or why there is none where the outcome is NULL. */
static void write_report(struct golden *golden, const surety_outcome *outcome,
                         const struct form *form, surety_str source)
{
    surety_buf raw;

    surety_buf_init(&raw, NULL, 0);
    if (outcome)
        surety_outcome_write(outcome, form->form, source, 0, &raw);
    for (size_t i = 0; i < raw.len; i++) {
        if (raw.ptr[i] == '\x1b')
            surety_buf_text(&golden->made, "\\x1b");
        else
            surety_buf_byte(&golden->made, raw.ptr[i]);
    }
    golden_end(golden);
    surety_buf_done(&raw);
}

/* Makes the case anew: outcome is NULL where the call gave err. */
static void write_case(struct golden *golden, const struct setting *setting,
                       const surety_outcome *outcome, const surety_error *err)
{
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];
        const struct form *form = form_of(section);

        if (form) {
            golden_begin(golden, section);
            write_report(golden, outcome, form, setting->source);
        } else if (golden_is(section, "error")) {
            golden_begin(golden, section);
            if (!outcome)
                surety__buf_printf(&golden->made, "%s: %s\n",
                                   surety_status_name(err->status),
                                   err->message);
        } else {
            golden_keep(golden, section);
        }
    }
}

/* Whether a value was, or was to be, aligned with the schema. */
static bool is_aligned(const surety_contract *contract,
                       const surety_outcome *outcome)
{
    if (surety_contract_info_of(contract)->repair != SURETY_REPAIR_ALIGN)
        return false;
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->repaired_count; i++)
        if (surety_outcome_repaired(outcome, i).cost)
            return true;
    return surety_outcome_info_of(outcome)->stage == SURETY_STAGE_EXTRACTION;
}

/* Whether judging again may allocate nothing: no rule is run, nothing aligned,
 * and the schema has neither findings to report nor a value to complete. */
static bool is_steady(const surety_contract *contract,
                      const surety_outcome *outcome,
                      const struct setting *setting)
{
    return !surety_contract_info_of(contract)->rule_count &&
           !setting->options.derive &&
           !surety_contract_info_of(contract)->strips_unknown &&
           surety_outcome_info_of(outcome)->stage != SURETY_STAGE_VALIDATION &&
           !is_aligned(contract, outcome);
}

static bool judge(struct golden *golden, const struct setting *setting,
                  const surety_contract *contract, surety_str reply)
{
    size_t allocations = 0;
    size_t before = 0;
    const surety_alloc counting = {count_resize, &allocations};
    surety_judge *judge = surety_judge_new(&counting, &setting->limits);
    const surety_outcome *outcome = NULL;
    surety_error err;
    bool good = judge != NULL;

    for (int i = 0; i < WARM_UP && judge; i++) {
        before = allocations;
        outcome = NULL;
        (void)surety_judge_reply(judge, contract, reply, &setting->options,
                                 &outcome, &err);
    }
    if (allocations != before && is_steady(contract, outcome, setting)) {
        printf("# the last time took %zu allocations\n", allocations - before);
        good = false;
    }
    write_case(golden, setting, outcome, &err);
    good = (!outcome || golden_report_holds(outcome)) && good;
    surety_judge_free(judge);
    return good;
}

static bool run(struct golden *golden)
{
    struct setting setting;
    const surety_str text = golden_body(golden, "contract");
    surety_contract *contract = NULL;
    surety_status status;
    surety_error err;
    surety_buf reply;
    bool good = false;

    surety_buf_init(&reply, NULL, 0);
    status = surety_contract_read(text, NULL, &contract, &err);
    golden->skipped = status == SURETY_UNSUPPORTED;
    if (!golden_bytes(golden, "reply", &reply) ||
        !setting_read(golden, &setting))
        printf("# no reply, or an option is unknown\n");
    else if (golden->skipped)
        good = true;
    else if (status != SURETY_OK)
        printf("# contract: %s (%s)\n", err.message, err.path);
    else
        good = judge(golden, &setting, contract, surety_buf_str(&reply));
    surety_contract_free(contract);
    surety_buf_done(&reply);
    return good;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
