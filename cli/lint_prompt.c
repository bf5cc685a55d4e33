/* SPDX-License-Identifier: Apache-2.0 */
/* Warns of templates that say less than a model needs, of what looks like a
 * variable and is text, and of an example that is not used. What a template may
 * not have is an error, which the reader of the contract reports. */
#include "lint.h"

#include <surety/prompt.h>

#include <string.h>

/* ORDER: the last two are those of a re-ask. */
static const char *const variables[] = {"prompt",   "schema", "example",
                                        "examples", "errors", "reply"};

/* Finds {NAME}; the byte before it is `before`, or is not if before is 0. */
static bool has_braced(surety_str text, const char *name, char before)
{
    const size_t len = strlen(name);

    for (size_t i = 0; i + len + 2 <= text.len; i++) {
        if (text.ptr[i] != '{' || text.ptr[i + len + 1] != '}' ||
            memcmp(text.ptr + i + 1, name, len) != 0)
            continue;
        if (before ? i > 0 && text.ptr[i - 1] == before
                   : i == 0 || text.ptr[i - 1] != '$')
            return true;
    }
    return false;
}

static bool has_variable(surety_val template, const char *name)
{
    return has_braced(surety_val_str(template), name, '$');
}

static bool has_word(surety_str text, surety_str word)
{
    for (size_t i = 0; i + word.len <= text.len; i++)
        if (memcmp(text.ptr + i, word.ptr, word.len) == 0)
            return true;
    return false;
}

/* Warns where instructions leave out what a value must be. */
static void lint_instructions(struct lint *lint, surety_val root,
                              surety_val prompt)
{
    const surety_val own = surety_val_get(prompt, "instructions");
    const surety_val system = surety_val_get(prompt, "system");
    const surety_str text = surety_val_str(own);

    if (text.len == 0 || surety_val_is(own, "none"))
        return;
    for (size_t i = 1; i <= 3; i++)
        if (has_variable(own, variables[i]) ||
            has_variable(system, variables[i]))
            return;
    SURETY_EACH (name, surety_val_get(root, "required")) {
        if (has_word(text, surety_val_str(name)))
            continue;
        lint_warn(lint, own, "instructions",
                  "in mode prompt a model reads nothing else of the form; name "
                  "${schema}",
                  "the instructions name neither ${schema} nor ${example}, nor "
                  "the required property \"%.*s\"",
                  (int)surety_val_str(name).len, surety_val_str(name).ptr);
        return;
    }
}

static void lint_reask(struct lint *lint, surety_val prompt)
{
    const surety_val own = surety_val_get(prompt, "reask");

    if (surety_val_str(own).len > 0 && !has_variable(own, "errors"))
        lint_warn(lint, own, "reask", "name ${errors}",
                  "the re-ask does not say what was wrong with the reply");
}

/* Warns of {NAME} and {{NAME}}, which are variables elsewhere. */
static void lint_braces(struct lint *lint, surety_val prompt)
{
    static const char *const parts[] = {"instructions", "reask", "system"};

    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        const surety_val own = surety_val_get(prompt, parts[i]);
        size_t k = 0;

        while (k < COUNT_OF(variables) &&
               !has_braced(surety_val_str(own), variables[k], 0))
            k++;
        if (k < COUNT_OF(variables))
            lint_warn(lint, own, parts[i], "a variable is written ${NAME}",
                      "{%s} is text here, not a variable", variables[k]);
    }
}

/* Warns of an example in whose place another is made. */
static bool lint_example(struct lint *lint, surety_val prompt,
                         const surety_contract *contract)
{
    const surety_val own = surety_val_get(prompt, "example");
    surety_doc *used;
    surety_status status;

    if (!own.doc)
        return true;
    used = surety_doc_new(NULL);
    if (!used)
        return false;
    status = surety_prompt_example(contract, used, NULL);
    if (status != SURETY_NOMEM &&
        (status != SURETY_OK || !surety_val_equal(own, surety_doc_root(used))))
        lint_warn(lint, own, "example",
                  "surety check -c CONTRACT lists its errors",
                  "the example does not satisfy the contract, and is not shown "
                  "to a model");
    surety_doc_free(used);
    return status != SURETY_NOMEM;
}

bool lint_prompt(struct lint *lint, const surety_contract *contract)
{
    const surety_val root = surety_doc_root(lint->doc);
    const surety_val prompt =
        surety_val_get(surety_val_get(root, "x-surety"), "prompt");

    if (surety_val_kind(prompt) != SURETY_KIND_OBJECT)
        return true;
    lint_instructions(lint, root, prompt);
    lint_reask(lint, prompt);
    lint_braces(lint, prompt);
    return lint_example(lint, prompt, contract);
}
