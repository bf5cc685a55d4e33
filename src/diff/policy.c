/* SPDX-License-Identifier: Apache-2.0 */
/* Compares what contracts have beside their schemas: rules, derived members,
 * defaults, unknown members, fallback. Computes the version that the changes
 * need. */
#include "diff/diff.h"

/* The whole contract as a task, so that changes are reported in the same
 * way. */
static const surety__diff_task policy_task = {.at = {"", 0}};

static void policy_report(surety_diff *diff, const char *what, surety_str name,
                          const char *rest, const char *keyword,
                          unsigned breaks)
{
    surety_buf_reset(&diff->scratch);
    surety_buf_text(&diff->scratch, what);
    surety_buf_add(&diff->scratch, name);
    surety_buf_text(&diff->scratch, rest);
    surety__diff_record(diff, &policy_task, keyword, breaks);
}

/* ---- rules --------------------------------------------------------------- */

static const surety_rule *policy_rule(const surety_contract_info *policy,
                                      surety_str id)
{
    for (size_t i = 0; i < policy->rule_count; i++)
        if (surety_str_equal(policy->rules[i].id, id))
            return &policy->rules[i];
    return NULL;
}

static void policy_compare_rules(surety_diff *diff,
                                 const surety_contract_info *before,
                                 const surety_contract_info *after)
{
    for (size_t i = 0; i < before->rule_count; i++) {
        const surety_rule *old_rule = &before->rules[i];
        const surety_rule *new_rule = policy_rule(after, old_rule->id);

        if (!new_rule)
            policy_report(diff, "the rule ", old_rule->id, " is gone", "rules",
                          DIFF_CONSUMERS);
        else if (!surety_str_equal(old_rule->expr, new_rule->expr))
            policy_report(diff, "the rule ", old_rule->id,
                          " has another expression", "rules", DIFF_BOTH);
    }
    for (size_t i = 0; i < after->rule_count; i++)
        if (!policy_rule(before, after->rules[i].id))
            policy_report(diff, "the rule ", after->rules[i].id, " is new",
                          "rules", DIFF_PRODUCERS);
}

/* ---- derived members ----------------------------------------------------- */

static void policy_compare_derived(surety_diff *diff, surety_val before,
                                   surety_val after)
{
    SURETY_EACH (old_one, before) {
        const surety_str name = surety_val_str(surety_val_key(old_one));
        const surety_val new_one = surety_val_member(after, name);

        if (!new_one.doc)
            policy_report(diff, "the derived member ", name, " is gone",
                          "derive", DIFF_CONSUMERS);
        else if (!surety_val_equal(old_one, new_one))
            policy_report(diff, "the derived member ", name,
                          " is computed otherwise", "derive", DIFF_CONSUMERS);
    }
    SURETY_EACH (new_one, after) {
        const surety_str name = surety_val_str(surety_val_key(new_one));

        if (!surety_val_member(before, name).doc)
            policy_report(diff, "the derived member ", name, " is new",
                          "derive", DIFF_NONE);
    }
}

/* ---- other members ------------------------------------------------------- */

static bool policy_lists(const surety_extract *how, surety_place place)
{
    for (size_t i = 0; i < how->from_count; i++)
        if (how->from[i] == place)
            return true;
    return how->from_count == 0;
}

static void policy_compare_places(surety_diff *diff,
                                  const surety_extract *before,
                                  const surety_extract *after)
{
    for (int i = SURETY_PLACE_NATIVE; i <= SURETY_PLACE_EMBEDDED; i++) {
        const surety_place place = (surety_place)i;
        const bool old_one = policy_lists(before, place);

        if (old_one != policy_lists(after, place))
            policy_report(
                diff, "the place ", surety_str_of(surety_place_name(place)),
                old_one ? " is not looked at any more" : " is looked at, too",
                "extract", old_one ? DIFF_PRODUCERS : DIFF_NONE);
    }
    if (policy_lists(after, SURETY_PLACE_MARKER) &&
        policy_lists(before, SURETY_PLACE_MARKER) &&
        !surety_str_equal(before->marker, after->marker))
        surety__diff_report(diff, &policy_task, "extract", DIFF_PRODUCERS,
                            "the marker is another");
}

static void policy_compare_forms(surety_diff *diff,
                                 const surety_extract *before,
                                 const surety_extract *after)
{
    for (unsigned i = 0; i < SURETY_FORMS; i++) {
        const bool old_one = !(before->forms_off & 1u << i);

        if (old_one != !(after->forms_off & 1u << i))
            policy_report(diff, "the form ",
                          surety_str_of(surety_form_name((surety_form)i)),
                          old_one ? " is not read any more" : " is read, too",
                          "extract", old_one ? DIFF_PRODUCERS : DIFF_NONE);
    }
}

static void policy_compare_rest(surety_diff *diff,
                                const surety_contract_info *before,
                                const surety_contract_info *after)
{
    if (before->repair != after->repair)
        surety__diff_report(
            diff, &policy_task, "repair",
            after->repair < before->repair ? DIFF_PRODUCERS : DIFF_NONE,
            after->repair < before->repair ? "less is repaired than before"
                                           : "more is repaired than before");
    surety__diff_report_turn(
        diff, &policy_task, "partial", before->partial - after->partial,
        "a reply that is cut off gives a partial value now",
        "a reply that is cut off gives no value any more");
    if (before->strips_unknown != after->strips_unknown)
        surety__diff_report(
            diff, &policy_task, "unknown", DIFF_NONE,
            after->strips_unknown
                ? "members that the schema does not know are left out now"
                : "members that the schema does not know are kept now");
    if (before->fills_defaults && !after->fills_defaults)
        surety__diff_report(diff, &policy_task, "defaults", DIFF_CONSUMERS,
                            "defaults are not filled in any more");
    if (before->fallback != after->fallback ||
        !surety_val_equal(before->fallback_value, after->fallback_value) ||
        !surety_str_equal(before->fallback_field, after->fallback_field))
        surety__diff_report(diff, &policy_task, "fallback", DIFF_CONSUMERS,
                            "the fallback is another");
    if (after->deprecated.len && !before->deprecated.len)
        surety__diff_report(diff, &policy_task, "deprecated", DIFF_NONE,
                            "the contract is deprecated now");
}

void surety__diff_policy(surety_diff *diff)
{
    const surety_contract_info *before = surety_contract_info_of(diff->before);
    const surety_contract_info *after = surety_contract_info_of(diff->after);

    policy_compare_rules(diff, before, after);
    policy_compare_derived(diff, before->derive, after->derive);
    policy_compare_places(diff, before->extract, after->extract);
    policy_compare_forms(diff, before->extract, after->extract);
    policy_compare_rest(diff, before, after);
}

/* ---- the version --------------------------------------------------------- */

const char *surety_bump_name(surety_bump bump)
{
    static const char *const names[] = {"none", "patch", "minor", "major"};

    return (size_t)bump < SURETY__COUNT(names) ? names[bump] : "none";
}

static surety_bump diff_bump(const surety_diff *diff)
{
    surety_bump bump = SURETY_BUMP_NONE;

    for (size_t i = 0; i < diff->change_count; i++) {
        const surety_change *change = &diff->changes[i];

        if (change->breaks_consumers)
            return SURETY_BUMP_MAJOR;
        bump = SURETY_BUMP_MINOR;
    }
    if (bump == SURETY_BUMP_NONE && !diff->is_unchanged)
        bump = SURETY_BUMP_PATCH;
    return bump;
}

/* Whether the first `count` numbers of two versions are equal. */
static bool version_same(surety_str a, surety_str b, int count)
{
    size_t i = 0;

    assert(count > 0);
    while (i < a.len && i < b.len && a.ptr[i] == b.ptr[i] &&
           !(a.ptr[i] == '.' && --count == 0))
        i++;
    return count == 0;
}

static bool diff_version_fits(const surety_diff *diff, surety_bump bump)
{
    surety_str before, after;
    bool is_young;

    if (bump == SURETY_BUMP_NONE)
        return true;
    before = surety_contract_info_of(diff->before)->version;
    after = surety_contract_info_of(diff->after)->version;
    if (!before.len || !after.len)
        return true;
    is_young = after.ptr[0] == '0';
    if (surety__version_compare(before, after) >= 0)
        return false;
    if (bump == SURETY_BUMP_MAJOR && !is_young)
        return !version_same(before, after, 1);
    return bump == SURETY_BUMP_PATCH || !version_same(before, after, 2);
}

void surety__diff_settle(surety_diff *diff)
{
    const surety_bump bump = diff_bump(diff);

    diff->info = (surety_diff_info){
        .size = sizeof(diff->info),
        .changes = diff->changes,
        .change_count = diff->change_count,
        .bump = bump,
        .version_fits = diff_version_fits(diff, bump),
    };
}
