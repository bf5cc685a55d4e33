/* SPDX-License-Identifier: Apache-2.0 */
/* Of a value that was cut off: which findings stay true, however the text would
 * have continued.
 *
 * The values that are open are a chain from the root down. A finding at a value
 * that is complete stays, unless the keyword that judged it belongs to a union
 * or condition applied at an open value, where another branch may hold in the
 * end. A finding at an open value stays only where more of it makes nothing
 * better: it is of the wrong type, has too many items or too long a text, or a
 * name that is not allowed. What it does not have yet may come.
 *
 * Where a union was applied is read off the evaluation path: every keyword of
 * it goes down one step in the instance or none. */
#include "reply/reply.h"

/* Keywords behind which the path goes on in another part of the schema, and how
 * many tokens they take; whether the instance changes. */
static const struct partial_step {
    const char *keyword;
    bool names; /* a name or number follows */
    bool down;
    bool choice; /* what it says may come out otherwise */
} partial_steps[] = {
    {"properties", true, true, false},
    {"patternProperties", true, true, false},
    {"additionalProperties", false, true, false},
    {"unevaluatedProperties", false, true, true},
    {"propertyNames", false, false, false},
    {"items", false, true, false},
    {"prefixItems", true, true, false},
    {"additionalItems", false, true, false},
    {"unevaluatedItems", false, true, true},
    {"contains", false, true, true},
    {"allOf", true, false, false},
    {"anyOf", true, false, true},
    {"oneOf", true, false, true},
    {"not", false, false, true},
    {"if", false, false, true},
    {"then", false, false, true},
    {"else", false, false, true},
    {"dependentSchemas", true, false, true},
    {"dependencies", true, false, true},
};

enum { PARTIAL_NAMES = 4 }; /* the row of propertyNames */

/* Keywords whose findings at an open array or object stay. */
static const char *const partial_lasting[] = {
    "type",       "maxItems",      "maxProperties",        "maxLength",
    "false",      "propertyNames", "additionalProperties", "additionalItems",
    "properties", "items",         "prefixItems",          "patternProperties",
};

/* The next reference token of a pointer, still escaped; false: there is none.
 */
static bool partial_token(surety_str *pointer, surety_str *ret_token)
{
    size_t len = 1;

    if (!pointer->len)
        return false;
    while (len < pointer->len && pointer->ptr[len] != '/')
        len++;
    *ret_token = (surety_str){pointer->ptr + 1, len - 1};
    pointer->ptr += len;
    pointer->len -= len;
    return true;
}

/* How deep the deepest open value is on the way to a location: 0 is the root;
 * -1: none is open. *ret_depth is that of the location. */
static long partial_open_depth(surety_val root, surety_str location,
                               long *ret_depth)
{
    const surety_str whole = location;
    surety_str token;
    surety_val val = root;
    long open = surety_val_is_open(root) ? 0 : -1;
    long depth = 0;

    while (partial_token(&location, &token)) {
        const surety_str prefix = {whole.ptr,
                                   (size_t)(location.ptr - whole.ptr)};

        depth++;
        if (open == depth - 1) {
            val = surety_val_at(root, prefix);
            if (surety_val_is_open(val))
                open = depth;
        }
    }
    assert(open <= depth);
    *ret_depth = depth;
    return open;
}

/* The depth in the instance at which the path first makes a choice; -1: it
 * makes none. *ret_named: it leads to the name of a property. */
static long partial_choice_depth(surety_str path, bool *ret_named)
{
    surety_str token;
    long depth = 0;

    *ret_named = false;
    while (partial_token(&path, &token)) {
        for (size_t i = 0; i < sizeof(partial_steps) / sizeof(*partial_steps);
             i++) {
            const struct partial_step *step = &partial_steps[i];
            surety_str name;

            if (!surety_str_equal(token, surety_str_of(step->keyword)))
                continue;
            if (step->choice)
                return depth;
            depth += step->down;
            *ret_named |= i == PARTIAL_NAMES;
            if (step->names)
                (void)partial_token(&path, &name);
            break;
        }
    }
    return -1;
}

/* Whether an open string may still become one of those that enum or const
 * list. */
static bool partial_may_become(surety_val listed, surety_str begun)
{
    surety_val item = listed;

    if (surety_val_kind(listed) == SURETY_KIND_STRING)
        return surety__str_starts(surety_val_str(listed), begun);
    if (surety_val_kind(listed) != SURETY_KIND_ARRAY)
        return false;
    for (item = surety_val_first(listed); item.doc;
         item = surety_val_next(listed, item))
        if (surety_val_kind(item) == SURETY_KIND_STRING &&
            surety__str_starts(surety_val_str(item), begun))
            return true;
    return false;
}

/* Whether "type" names a kind of number. */
static bool partial_wants_number(surety_val type)
{
    if (surety_val_is(type, "integer") || surety_val_is(type, "number"))
        return true;
    SURETY_EACH (item, type)
        if (surety_val_is(item, "integer") || surety_val_is(item, "number"))
            return true;
    return false;
}

/* A finding at a value that is open itself. */
static bool partial_stays_open(const surety_finding *finding)
{
    const surety_kind kind = surety_val_kind(finding->instance);
    const surety_str keyword = finding->keyword;

    if (kind == SURETY_KIND_STRING &&
        (surety_str_equal(keyword, SURETY__LITERAL("enum")) ||
         surety_str_equal(keyword, SURETY__LITERAL("const"))))
        return !partial_may_become(finding->schema,
                                   surety_val_str(finding->instance));
    if (kind == SURETY_KIND_NUMBER &&
        surety_str_equal(keyword, SURETY__LITERAL("type")))
        return !partial_wants_number(finding->schema);
    for (size_t i = 0; i < sizeof(partial_lasting) / sizeof(*partial_lasting);
         i++)
        if (surety_str_equal(keyword, surety_str_of(partial_lasting[i])))
            return true;
    return false;
}

bool surety__partial_stays(surety_val root, const surety_finding *finding)
{
    long depth;
    const long open =
        partial_open_depth(root, finding->instance_location, &depth);
    bool named;
    const long choice = partial_choice_depth(finding->keyword_location, &named);

    if (open < 0)
        return true;
    if (choice >= 0 && choice <= open)
        return false;
    /* A name whose value has begun is complete. */
    if (open < depth || named)
        return true;
    return partial_stays_open(finding);
}

surety_status surety__partial_check(surety_judge *judge, surety__trial *trial,
                                    bool *ret_good, surety_error *reterr)
{
    const surety_val root = surety_doc_root(trial->doc);
    bool valid = false;
    surety_status status;

    assert(trial != judge->best);
    /* Nothing has come but white space: it can become anything. */
    if (!root.doc) {
        *ret_good = false;
        return SURETY_OK;
    }
    status = surety_checker_check(judge->checker, judge->task.schema, root,
                                  &valid, reterr);
    if (status != SURETY_OK)
        return status;
    if (!valid)
        status = surety__trial_count(judge, trial, reterr);
    if (status != SURETY_OK)
        return status;
    trial->error_count = 0;
    /* Of a valid value the findings are those of a value before it. */
    for (size_t i = 0; !valid && i < surety_findings_count(trial->findings);
         i++) {
        const surety_finding finding = surety_findings_at(trial->findings, i);

        if (!finding.keyword.ptr)
            return surety__fail_nomem(reterr);
        trial->error_count += surety__partial_stays(root, &finding);
    }
    *ret_good = trial->error_count == 0;
    return SURETY_OK;
}

surety_str surety__partial_path(const surety__trial *trial)
{
    const surety_val root = surety_doc_root(trial->doc);
    surety_str path = surety_str_of(trial->fault.path);

    /* A path that had no room to its end leads to the value around it. */
    while (path.len && !surety_val_at(root, path).doc) {
        while (path.len && path.ptr[path.len - 1] != '/')
            path.len--;
        if (path.len)
            path.len--;
    }
    return path;
}
