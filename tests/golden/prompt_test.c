/* SPDX-License-Identifier: Apache-2.0 */
/* What models are told, as text to be read.
 *
 *     prompt_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case with sections, each begun by a line "=== WORDS":
 *
 *     === contract             the contract; another one begins afresh
 *     === reply                a reply that failed (only where there is one)
 *     === findings             what is known of replies before it, a line each:
 *                              "earlier", "last" or "corrected", a place ("-":
 * the root), and the message
 *     === schema               the schema that goes with a call
 *     === value                an example in its form
 *     === STYLE                what surety_prompt_write must give: json-schema,
 *                              typescript, example, own style (the
 *                              contract's); the prompt is "Go on."
 *     === system               what surety_prompt_system must give, behind
 *                              "Be kind."; "system and instructions" with
 *                              the format instructions
 *     === FEEDBACK             what surety_prompt_again must add after a failed
 *                              reply: simple, errors, patch; all of it where
 *                              the first prompt is not at its start
 *     === applied PATCH        PATCH is a reply to the patch prompt; what must
 *                              come of it, or "error: ..."
 *     === examples             a schema a line, and behind it the example that
 *                              is made of it, or "error: ..."
 *     === types                a schema a line, and behind it the same as a
 *                              TypeScript type
 *
 * A text that does not end with a line feed has "<end>" behind it.
 * Behind STYLE and FEEDBACK may stand "native" and "shown", as in
 * surety_prompt_options. With --update what must come is written anew. */
#include "golden/cases.h"

#include <stdio.h>
#include <string.h>

enum { FINDINGS_MAX = 8 };

static const char *const styles[] = {"own style", "json-schema", "typescript",
                                     "example"};
static const char *const feedbacks[] = {"errors", "simple", "patch"};

/* What the sections so far have said. */
struct talk {
    surety_contract *contract;
    surety_outcome *outcome;
    surety_str reply;
    surety_doc *schema, *value;
    surety_prompt_finding findings[FINDINGS_MAX];
    size_t finding_count;
};

static void talk_end(struct talk *talk)
{
    surety_outcome_free(talk->outcome);
    surety_contract_free(talk->contract);
    surety_doc_free(talk->schema);
    surety_doc_free(talk->value);
    *talk = (struct talk){.contract = NULL};
}

static void tell_error(const surety_error *err, surety_buf *out)
{
    surety_buf_text(out, "error: ");
    surety_buf_text(out, err->message);
    if (err->hint[0]) {
        surety_buf_text(out, "; ");
        surety_buf_text(out, err->hint);
    }
    surety_buf_byte(out, '\n');
}

/* Takes one of the names off words; -1: none. */
static int take_name(const char *const *names, size_t count, surety_str *words)
{
    for (size_t i = 0; i < count; i++)
        if (golden_take(words, names[i]))
            return (int)i;
    return -1;
}

/* What is added to the first prompt, which must be at its start. */
static surety_status ask_again(const struct talk *talk,
                               surety_feedback feedback,
                               const surety_prompt_options *options,
                               surety_buf *out, surety_error *reterr)
{
    const surety_str prompt = surety_str_of("Go on.");
    surety_buf first;
    surety_status status;

    surety_buf_init(&first, NULL, 0);
    surety_prompt_write(talk->contract, prompt, options, &first, NULL);
    status =
        surety_prompt_again(talk->contract, prompt, feedback, talk->outcome,
                            talk->reply, options, out, reterr);
    if (status == SURETY_OK && out->len >= first.len &&
        memcmp(out->ptr, first.ptr, first.len) == 0) {
        memmove(out->ptr, out->ptr + first.len, out->len - first.len);
        out->len -= first.len;
    }
    surety_buf_done(&first);
    return status;
}

/* Writes what a section must hold; false: its words mean nothing. */
static bool answer(const struct talk *talk, surety_str words, surety_buf *out)
{
    const int style = take_name(styles, 4, &words);
    const int feedback = style < 0 ? take_name(feedbacks, 3, &words) : -1;
    surety_prompt_options options = {.size = sizeof(options),
                                     .findings = talk->findings,
                                     .finding_count = talk->finding_count};
    surety_status status;
    surety_error err = {.message = ""};

    if (golden_take(&words, "system")) {
        options.instruct_system = golden_take(&words, " and instructions");
        status =
            surety_prompt_system(talk->contract, surety_str_of("Be kind."),
                                 surety_str_of("Go on."), &options, out, &err);
    } else if (style < 0 && feedback < 0) {
        if (!talk->outcome || !golden_take(&words, "applied "))
            return false;
        status = surety_prompt_patch(talk->outcome, words, out, &err);
        if (status == SURETY_OK)
            surety_buf_byte(out, '\n');
    } else {
        options.native = golden_take(&words, " native");
        options.shown = golden_take(&words, " shown");
        if (talk->schema)
            options.schema = surety_doc_root(talk->schema);
        if (talk->value)
            options.example = surety_doc_root(talk->value);
        if (words.len)
            return false;
        options.style =
            style < 0 ? SURETY_PROMPT_CONTRACT : (surety_prompt_style)style;
        status = feedback < 0 ? surety_prompt_write(talk->contract,
                                                    surety_str_of("Go on."),
                                                    &options, out, &err)
                              : ask_again(talk, (surety_feedback)feedback,
                                          &options, out, &err);
    }
    if (status != SURETY_OK)
        tell_error(&err, out);
    else if (out->len == 0 || out->ptr[out->len - 1] != '\n')
        surety_buf_text(out, "<end>\n");
    return out->status == SURETY_OK;
}

/* ---- tables -------------------------------------------------------------- */

/* The example of a contract on a line, or its type without the words around. */
static void show(const surety_contract *contract, bool types, surety_buf *out)
{
    const surety_prompt_options options = {.size = sizeof(options),
                                           .style = SURETY_PROMPT_TYPESCRIPT};
    surety_doc *doc = surety_doc_new(NULL);
    surety_error err = {.message = ""};
    surety_buf text;
    surety_str rest, line;

    surety_buf_init(&text, NULL, 0);
    if (types ? surety_prompt_write(contract, surety_str_of(""), &options,
                                    &text, &err)
              : surety_prompt_example(contract, doc, &err))
        tell_error(&err, &text);
    else if (!types)
        surety_val_write(surety_doc_root(doc), SURETY_STYLE_COMPACT, &text);
    rest = surety_buf_str(&text);
    if (types)
        golden_line(&rest, &line);
    while (golden_line(&rest, &line)) {
        if (types && !rest.len)
            break;
        if (!line.len)
            continue;
        surety_buf_text(out, "    ");
        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
    }
    surety_buf_done(&text);
    surety_doc_free(doc);
}

/* Each line that is not indented is a schema. */
static bool show_each(surety_str text, bool types, surety_buf *out)
{
    surety_error err;
    surety_str line;
    bool good = true;

    while (golden_line(&text, &line)) {
        surety_contract *contract = NULL;

        if (!line.len || line.ptr[0] == ' ')
            continue;
        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
        if (surety_contract_read(line, NULL, &contract, &err) == SURETY_OK) {
            show(contract, types, out);
        } else {
            printf("# %.*s: %s\n", (int)line.len, line.ptr, err.message);
            good = false;
        }
        surety_contract_free(contract);
    }
    return good;
}

/* ---- sections ------------------------------------------------------------ */

static bool take_contract(struct golden *golden, struct talk *talk,
                          surety_str text)
{
    surety_error err;
    surety_status status;

    talk_end(talk);
    status = surety_contract_read(text, NULL, &talk->contract, &err);
    golden->skipped = golden->skipped || status == SURETY_UNSUPPORTED;
    if (status != SURETY_OK)
        printf("# %s\n", err.message);
    return status == SURETY_OK;
}

static bool take_findings(struct talk *talk, surety_str text)
{
    static const char *const whens[] = {"last ", "earlier ", "corrected "};
    surety_str line;

    talk->finding_count = 0;
    while (golden_line(&text, &line)) {
        const int when = take_name(whens, 3, &line);
        surety_issue issue = {.keyword = surety_str_of("type"),
                              .instance_location = line};

        if (when < 0 || talk->finding_count == FINDINGS_MAX)
            return false;
        issue.instance_location.len = 0;
        while (line.len && line.ptr[0] != ' ') {
            issue.instance_location.len++;
            line = (surety_str){line.ptr + 1, line.len - 1};
        }
        if (surety_str_equal(issue.instance_location, surety_str_of("-")))
            issue.instance_location.len = 0;
        if (!golden_take(&line, " "))
            return false;
        issue.message = line;
        talk->findings[talk->finding_count++] = (surety_prompt_finding){
            .issue = issue, .when = (surety_prompt_when)when};
    }
    return true;
}

static bool take_reply(struct talk *talk, surety_str text)
{
    surety_outcome_free(talk->outcome);
    talk->outcome = NULL;
    talk->reply = text;
    return talk->contract &&
           surety_contract_judge(talk->contract, text, NULL, &talk->outcome,
                                 NULL) == SURETY_OK &&
           !surety_outcome_info_of(talk->outcome)->ok;
}

static bool take_doc(surety_doc **doc, surety_str text)
{
    surety_doc_free(*doc);
    *doc = surety_doc_new(NULL);
    return surety_doc_read(*doc, text, NULL, NULL) == SURETY_OK;
}

/* Takes a section in; false: it cannot be, or its words mean nothing. */
static bool run_section(struct golden *golden, struct talk *talk,
                        const struct golden_section *section)
{
    const bool types = golden_is(section, "types");
    surety_buf answered;
    bool good;

    if (golden_is(section, "contract") || golden_is(section, "reply") ||
        golden_is(section, "findings") || golden_is(section, "schema") ||
        golden_is(section, "value")) {
        golden_keep(golden, section);
        switch (section->kind.ptr[0]) {
        case 'c': return take_contract(golden, talk, section->body);
        case 'r': return take_reply(talk, section->text);
        case 'f': return take_findings(talk, section->text);
        case 's': return take_doc(&talk->schema, section->body);
        default: return take_doc(&talk->value, section->body);
        }
    }
    golden_begin(golden, section);
    if (types || golden_is(section, "examples"))
        return show_each(section->text, types, &golden->made);
    surety_buf_init(&answered, NULL, 0);
    good = talk->contract && answer(talk, section->kind, &answered);
    surety_buf_add(&golden->made, surety_buf_str(&answered));
    surety_buf_done(&answered);
    return good;
}

static bool run(struct golden *golden)
{
    struct talk talk = {.contract = NULL};
    bool good = true;

    for (size_t i = 0; i < golden->count; i++)
        good = run_section(golden, &talk, &golden->sections[i]) && good;
    talk_end(&talk);
    return good || golden->skipped;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
