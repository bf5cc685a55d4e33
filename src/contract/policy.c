/* SPDX-License-Identifier: Apache-2.0 */
/* policy.c: reads x-surety from JSON into a struct.
 *
 * The built-in contract surety/contract has already checked the members and
 * their types. So this file reads them without further checks, and checks only
 * what a schema cannot express: that members agree with each other, and that
 * this version supports them. The names of enumerations are in that contract
 * and, as arrays, here. */
#include "contract/contract.h"
#include "extract/extract.h"

surety_status surety__policy_at(surety_val val, surety_error *reterr,
                                surety_status status)
{
    surety_buf path;

    if (!reterr || !val.doc)
        return status;
    /* A buffer that cannot grow: an error allocates nothing. */
    path = surety__buf_over(reterr->path, sizeof(reterr->path));
    surety_val_pointer(val, &path);
    reterr->path[path.status == SURETY_OK ? path.len : 0] = '\0';
    reterr->position = surety_val_position(val);
    return status;
}

surety_status surety__policy_fail(surety_val val, surety_error *reterr,
                                  const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)surety__failv(reterr, SURETY_SYNTAX, format, args);
    va_end(args);
    return surety__policy_at(val, reterr, SURETY_SYNTAX);
}

/* Returns the index of a string in names; 0 when it is absent. */
static int policy_choice(surety_val name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (surety_val_is(name, names[i]))
            return i;
    return 0;
}

/* Reads a template of x-surety.prompt. */
static surety_status policy_read_wording(surety_val val,
                                         surety__wording_kind kind,
                                         surety__policy *policy,
                                         surety_error *reterr)
{
    surety_status status;

    if (!val.doc)
        return SURETY_OK;
    status = surety__wording_read(surety_val_str(val), kind,
                                  &policy->wordings[kind], reterr);
    if (status != SURETY_OK && reterr) {
        const surety_position within = reterr->position;

        (void)surety__policy_at(val, reterr, status);
        reterr->position =
            surety__val_position_within(val, within.offset, within.length);
    }
    return status;
}

static surety_status policy_read_prompt(surety_val own, surety__policy *policy,
                                        surety_error *reterr)
{
    /* ORDER wording kinds */
    static const char *const wordings[] = {"instructions", "reask", "system"};
    static const char *const feedbacks[] = {"errors", "simple", "patch"};
    static const char *const styles[] = {"json-schema", "typescript",
                                         "example"};
    const surety_val retry = surety_val_get(own, "retry");
    const surety_val prompt = surety_val_get(own, "prompt");
    surety_status status = SURETY_OK;

    policy->info.retry_max =
        (uint32_t)surety_val_uint(surety_val_get(retry, "max"), 2);
    policy->info.feedback = (surety_feedback)policy_choice(
        surety_val_get(retry, "feedback"), feedbacks, 3);
    policy->prompt_style = (surety__prompt_style)policy_choice(
        surety_val_get(prompt, "style"), styles, 3);
    policy->prompt_example = surety_val_get(prompt, "example");
    policy->prompt_examples = surety_val_get(prompt, "examples");
    for (unsigned i = 0; i < WORDINGS && status == SURETY_OK; i++)
        status = policy_read_wording(surety_val_get(prompt, wordings[i]),
                                     (surety__wording_kind)i, policy, reterr);
    policy->info.has_system = policy->wordings[WORDING_SYSTEM].text.len > 0;
    return status;
}

static surety_status policy_read_extract(surety_val own, surety__policy *policy,
                                         surety_error *reterr)
{
    const surety_val extract = surety_val_get(own, "extract");
    const surety_val from = surety_val_get(extract, "from");
    const surety_val forms = surety_val_get(extract, "forms");
    surety_status status;

    policy->extract.pick_last =
        surety_val_is(surety_val_get(extract, "pick"), "last");
    policy->extract.keep_reasoning =
        !surety_val_bool(surety_val_get(extract, "skip_reasoning"), true);
    policy->extract.marker = surety_val_str(surety_val_get(extract, "marker"));
    if (forms.doc)
        policy->extract.forms_off = (1u << SURETY_FORMS) - 1;
    SURETY_EACH (form, forms)
        policy->extract.forms_off &=
            ~(1u << surety__form_named(surety_val_str(form)));

    SURETY_EACH (name, from) {
        const surety_place place = surety__place_of(surety_val_str(name));

        if (policy->extract.from_count == SURETY_PLACES)
            break;
        policy->extract.from[policy->extract.from_count++] = place;
        if (place != SURETY_PLACE_MARKER || policy->extract.marker.len > 0)
            continue;
        status = surety__fail(reterr, SURETY_SYNTAX,
                              "the place \"marker\" needs a marker");
        surety__hint(reterr, "add \"marker\": \"Final Answer:\" to extract");
        return surety__policy_at(name, reterr, status);
    }
    return SURETY_OK;
}

static surety_status policy_read_rules(surety_val own, surety__arena *arena,
                                       surety__policy *policy,
                                       surety_error *reterr)
{
    const surety_val rules = surety_val_get(own, "rules");
    const size_t count = surety_val_count(rules);
    surety_rule *made;
    size_t i = 0;

    if (count == 0)
        return SURETY_OK;
    made = surety__arena_take(arena, count * sizeof(*made));
    if (!made)
        return surety__fail_nomem(reterr);
    SURETY_EACH (item, rules) {
        surety_rule *rule = &made[i];

        rule->id = surety_val_str(surety_val_get(item, "id"));
        rule->at = surety_val_str(surety_val_get(item, "at"));
        rule->expr = surety_val_str(surety_val_get(item, "expr"));
        rule->message = surety_val_str(surety_val_get(item, "message"));
        for (size_t before = 0; before < i; before++)
            if (surety_str_equal(made[before].id, rule->id))
                return surety__policy_fail(surety_val_get(item, "id"), reterr,
                                           "two rules are called \"%.*s\"",
                                           (int)rule->id.len, rule->id.ptr);
        i++;
    }
    policy->info.rules = made;
    policy->info.rule_count = count;
    return SURETY_OK;
}

/* `none` and `null` take neither value nor field. `value` takes a value. `text`
 * takes both, and the field must be the JSON Pointer of a location in the
 * value. */
static surety_status policy_read_fallback(surety_val own,
                                          surety__policy *policy,
                                          surety_error *reterr)
{
    static const char *const names[] = {"none", "null", "value", "text"};
    const surety_val fallback = surety_val_get(own, "fallback");
    const surety_val value = surety_val_get(fallback, "value");
    const surety_val field = surety_val_get(fallback, "field");
    const int kind = policy_choice(surety_val_get(fallback, "kind"), names, 4);
    const bool takes_value = kind >= SURETY_FALLBACK_VALUE;
    const bool takes_field = kind == SURETY_FALLBACK_TEXT;
    const surety_str path = surety_val_str(field);

    if (!fallback.doc)
        return SURETY_OK;
    if (takes_value != (value.doc != NULL))
        return surety__policy_fail(takes_value ? fallback : value, reterr,
                                   takes_value
                                       ? "a fallback \"%s\" needs a value"
                                       : "a fallback \"%s\" takes no value",
                                   names[kind]);
    if (takes_field != (field.doc != NULL))
        return surety__policy_fail(takes_field ? fallback : field, reterr,
                                   takes_field
                                       ? "a fallback \"%s\" needs a field"
                                       : "a fallback \"%s\" takes no field",
                                   names[kind]);
    if (takes_field && !surety_val_at(value, path).doc)
        return surety__policy_fail(
            field, reterr, "the field \"%.*s\" leads nowhere in the value",
            (int)path.len, path.ptr);
    policy->info.fallback = (surety_fallback)kind;
    policy->info.fallback_value = value;
    policy->info.fallback_field = path;
    return SURETY_OK;
}

surety_status surety__policy_read(surety_val root, surety__arena *arena,
                                  surety__policy *policy, surety_error *reterr)
{
    static const char *const repairs[] = {"none", "syntax", "align"};
    const surety_val own = surety_val_get(root, "x-surety");
    surety_status status;

    *policy = (surety__policy){0};
    policy->info.size = sizeof(policy->info);
    policy->info.root = root;
    policy->info.extract = &policy->extract;
    policy->extract.size = sizeof(policy->extract);
    policy->info.name = surety_val_str(surety_val_get(own, "name"));
    policy->info.version = surety_val_str(surety_val_get(own, "version"));
    policy->info.deprecated = surety_val_str(surety_val_get(own, "deprecated"));
    policy->info.strips_unknown =
        surety_val_is(surety_val_get(own, "unknown"), "strip");
    policy->info.fills_defaults =
        surety_val_bool(surety_val_get(own, "defaults"), true);
    policy->info.repair =
        (surety_repair)policy_choice(surety_val_get(own, "repair"), repairs, 3);
    policy->info.partial =
        surety_val_bool(surety_val_get(own, "partial"), false);
    policy->info.derive = surety_val_get(own, "derive");
    policy->aliases = surety_val_get(own, "aliases");

    status = policy_read_prompt(own, policy, reterr);
    if (status == SURETY_OK)
        status = policy_read_extract(own, policy, reterr);
    if (status == SURETY_OK)
        status = policy_read_rules(own, arena, policy, reterr);
    if (status == SURETY_OK)
        status = policy_read_fallback(own, policy, reterr);
    SURETY_EACH (alias, policy->aliases)
        if (status == SURETY_OK &&
            surety_str_equal(surety_val_str(alias), policy->info.name))
            status = surety__policy_fail(alias, reterr,
                                         "the alias is the contract's own "
                                         "name");
    return status;
}
