/* SPDX-License-Identifier: Apache-2.0 */
/* wording.c: templates, the parts of a prompt in the author's own words.
 *
 * Rules:
 * 1. A template is text. Only "${" is special: it begins a variable, which "}"
 *    ends, and "$${" stands for "${". So JSON in a template needs no escapes.
 * 2. A template is checked before it is used: a variable without a meaning is
 * an error with its position, and never ends up in a prompt.
 * 3. Only the template is scanned, once and from left to right. What takes a
 *    variable's place goes to the output and is not read again. */
#include "contract/contract.h"

/* ORDER variables */
static const struct {
    const char *name;
    unsigned kinds; /* bits 1 << surety__wording_kind: who has it */
} wording_variables[VARIABLES] = {
    {"prompt",
     1 << WORDING_INSTRUCTIONS | 1 << WORDING_REASK | 1 << WORDING_SYSTEM},
    {"schema",
     1 << WORDING_INSTRUCTIONS | 1 << WORDING_REASK | 1 << WORDING_SYSTEM},
    {"example",
     1 << WORDING_INSTRUCTIONS | 1 << WORDING_REASK | 1 << WORDING_SYSTEM},
    {"examples", 1 << WORDING_INSTRUCTIONS | 1 << WORDING_SYSTEM},
    {"errors", 1 << WORDING_REASK},
    {"reply", 1 << WORDING_REASK},
};

/* A variable in a template. */
typedef struct wording_hole {
    size_t start, len; /* from "$" to the end of "}" */
    surety_str name;
    bool is_escape; /* "$${" */
    bool is_open;   /* it has no "}" */
} wording_hole;

/* Finds the first variable or "$${"; false: there is none. */
static bool wording_find(surety_str text, wording_hole *hole)
{
    const size_t at = surety__str_find(text, SURETY__LITERAL("${"));
    surety_str tail = text;

    if (at == text.len)
        return false;
    if (at > 0 && text.ptr[at - 1] == '$') {
        *hole = (wording_hole){.start = at - 1, .len = 3, .is_escape = true};
        return true;
    }
    surety__str_skip(&tail, at + 2);
    *hole = (wording_hole){.start = at, .name = tail};
    hole->name.len = surety__str_find(tail, SURETY__LITERAL("}"));
    hole->is_open = hole->name.len == tail.len;
    hole->len = hole->name.len + (hole->is_open ? 2 : 3);
    return true;
}

static surety__variable wording_variable(surety_str name)
{
    unsigned i = 0;

    while (i < VARIABLES &&
           !surety_str_equal(name, surety_str_of(wording_variables[i].name)))
        i++;
    return (surety__variable)i;
}

/* Explains a variable that the template cannot have. */
static surety_status wording_refuse(const wording_hole *hole,
                                    surety__wording_kind kind,
                                    surety_error *reterr)
{
    /* ORDER wording kinds */
    static const char *const parts[] = {"the instructions", "a re-ask",
                                        "the system part"};
    const int len = hole->name.len < 40 ? (int)hole->name.len : 40;

    if (hole->is_open)
        surety__fail(reterr, SURETY_SYNTAX,
                     "the variable that begins here has no \"}\"");
    else
        surety__fail(reterr, SURETY_SYNTAX, "${%.*s} is no variable of %s", len,
                     hole->name.ptr, parts[kind]);
    surety__hint(reterr,
                 "there are ${prompt}, ${schema}, ${example}%s; "
                 "$${ stands for the text ${",
                 kind == WORDING_REASK ? ", ${errors} and ${reply}"
                                       : " and ${examples}");
    return SURETY_SYNTAX;
}

surety_status surety__wording_read(surety_str text, surety__wording_kind kind,
                                   surety__wording *ret_wording,
                                   surety_error *reterr)
{
    surety__wording wording = {.text = text};
    surety_str rest = text;
    wording_hole hole;

    if (kind == WORDING_INSTRUCTIONS &&
        surety_str_equal(text, SURETY__LITERAL("none")))
        wording.text = rest = SURETY__LITERAL("");
    while (wording_find(rest, &hole)) {
        const surety__variable variable = wording_variable(hole.name);

        if (!hole.is_escape &&
            (hole.is_open || variable == VARIABLES ||
             !(wording_variables[variable].kinds >> kind & 1))) {
            const size_t offset = (size_t)(rest.ptr - text.ptr) + hole.start;

            wording_refuse(&hole, kind, reterr);
            if (reterr)
                reterr->position = surety_position_at(text, offset, hole.len);
            return SURETY_SYNTAX;
        }
        if (!hole.is_escape)
            wording.variables |= 1u << variable;
        surety__str_skip(&rest, hole.start + hole.len);
    }
    *ret_wording = wording;
    return SURETY_OK;
}

bool surety__wording_next(surety_str *rest, surety_str *ret_text,
                          surety__variable *ret_variable)
{
    wording_hole hole;

    *ret_text = *rest;
    *ret_variable = VARIABLES;
    if (rest->len == 0)
        return false;
    if (!wording_find(*rest, &hole)) {
        surety__str_skip(rest, rest->len);
        return true;
    }
    ret_text->len = hole.start;
    if (hole.is_escape && hole.start == 0) {
        /* The "$" is left out; the "{" begins no variable any more. */
        *ret_text = (surety_str){rest->ptr + 1, 2};
        surety__str_skip(rest, hole.len);
        return true;
    }
    if (hole.is_escape) {
        surety__str_skip(rest, hole.start);
        return true;
    }
    *ret_variable = wording_variable(hole.name);
    surety__str_skip(rest, hole.start + hole.len);
    assert(*ret_variable < VARIABLES);
    return true;
}
