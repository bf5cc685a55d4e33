/* SPDX-License-Identifier: Apache-2.0 */
/* What two sides say of the value at one place itself: its type, its values,
 * its bounds. A keyword that became looser lets through what a consumer has not
 * seen; one that became tighter refuses what a producer made. Keywords whose
 * meaning cannot be compared are compared by their text and by what it refers
 * to (same.c), and told as both. */
#include "diff/diff.h"

/* Who may break where a bound moved. */
static unsigned facet_breaks(bool is_looser)
{
    return is_looser ? DIFF_CONSUMERS : DIFF_PRODUCERS;
}

/* ---- types and values ---------------------------------------------------- */

unsigned surety__side_types(const surety__side *side)
{
    unsigned types = TYPE_ANY;

    for (size_t i = 0; i < side->count; i++)
        types &= side->parts[i]->types;
    return types;
}

static void facet_tell_types(surety_diff *diff, const surety__diff_task *task,
                             unsigned types, unsigned breaks, const char *rest)
{
    static const struct {
        unsigned bits;
        const char *name;
    } names[] = {{TYPE_NULL, "null"},
                 {TYPE_BOOLEAN, "a boolean"},
                 {TYPE_STRING, "a string"},
                 {TYPE_ARRAY, "an array"},
                 {TYPE_OBJECT, "an object"}};
    surety_buf *out = &diff->scratch;
    const char *join = "";

    if (!types)
        return;
    surety_buf_reset(out);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (types & names[i].bits) {
            surety__buf_printf(out, "%s%s", join, names[i].name);
            join = ", ";
        }
    if (types & (TYPE_NUMBER | TYPE_INTEGER))
        surety__buf_printf(out, "%s%s", join,
                           !(types & TYPE_NUMBER) ? "an integer"
                           : !(types & TYPE_INTEGER)
                               ? "a number with a fraction"
                               : "a number");
    surety_buf_text(out, rest);
    surety__diff_tell(diff, task, "type", breaks);
}

void surety__diff_types(surety_diff *diff, const surety__diff_task *task,
                        unsigned before, unsigned after)
{
    facet_tell_types(diff, task, after & ~before, DIFF_CONSUMERS,
                     " is taken, too");
    facet_tell_types(diff, task, before & ~after, DIFF_PRODUCERS,
                     " is not taken any more");
}

/* The values of a side's enum or const; list NULL: anything. */
struct facet_values {
    const surety__choices *list;
    const surety_doc *doc;
};

static struct facet_values facet_values_of(const surety__side *side)
{
    for (size_t i = 0; i < side->count; i++) {
        const surety__shape *part = side->parts[i];

        if (part->constant || part->choices)
            return (struct facet_values){
                part->constant ? part->constant : part->choices, part->at.doc};
    }
    return (struct facet_values){NULL, NULL};
}

static surety_val values_at(struct facet_values values, uint32_t i)
{
    return (surety_val){values.doc, (uint32_t)values.list->list[i].value};
}

static bool values_have(struct facet_values values, struct facet_values other,
                        uint32_t wanted)
{
    const uint64_t hash = other.list->list[wanted].key;

    for (uint32_t i = 0; i < values.list->count; i++)
        if (values.list->list[i].key == hash &&
            surety_val_equal(values_at(values, i), values_at(other, wanted)))
            return true;
    return false;
}

/* Tells the values that the other side has not. */
static void values_tell(surety_diff *diff, const surety__diff_task *task,
                        struct facet_values values, struct facet_values other,
                        bool is_new)
{
    enum { LISTED = 8 };
    surety_buf *out = &diff->scratch;
    size_t count = 0;

    surety_buf_reset(out);
    for (uint32_t i = 0; i < values.list->count; i++) {
        if (values_have(other, values, i) || ++count > LISTED)
            continue;
        surety_buf_text(out, count > 1 ? ", " : "");
        surety__diff_value(diff, values_at(values, i));
    }
    if (count == 0)
        return;
    if (count > LISTED)
        surety__buf_printf(out, " and %zu more", count - LISTED);
    surety_buf_text(out, count > 1 ? " are" : " is");
    surety_buf_text(out, is_new ? " taken, too" : " not taken any more");
    surety__diff_tell(diff, task, "enum", facet_breaks(is_new));
}

/* Whether both sides list their values. */
static bool facet_compare_values(surety_diff *diff,
                                 const surety__diff_task *task)
{
    const struct facet_values before = facet_values_of(&task->before);
    const struct facet_values after = facet_values_of(&task->after);

    if (before.list && after.list) {
        values_tell(diff, task, before, after, false);
        values_tell(diff, task, after, before, true);
    } else if (before.list) {
        surety__diff_say(diff, task, "enum", DIFF_CONSUMERS,
                         "other values than the listed ones are taken, too");
    } else if (after.list) {
        surety__diff_say(diff, task, "enum", DIFF_PRODUCERS,
                         "only listed values are taken now");
    }
    return before.list && after.list;
}

/* ---- numbers ------------------------------------------------------------- */

/* The tightest bound of a side; cell NULL: none. */
struct facet_bound {
    const surety_doc *doc;
    const surety__cell *cell;
    bool is_exclusive;
};

/* -1, 0, 1 as a lets through more, the same, less than b; upper ones turn the
 * order around. */
static int bound_compare(struct facet_bound a, struct facet_bound b,
                         bool is_upper)
{
    int order;

    if (!a.cell || !b.cell)
        return (a.cell != NULL) - (b.cell != NULL);
    order = surety__number_compare(a.doc, a.cell, b.doc, b.cell);
    if (order == 0)
        return a.is_exclusive - b.is_exclusive;
    return (order > 0) != is_upper ? 1 : -1;
}

static struct facet_bound facet_bound_of(const surety__side *side,
                                         bool is_upper)
{
    struct facet_bound tightest = {NULL, NULL, false};

    for (size_t i = 0; i < side->count; i++) {
        const surety__numbers *numbers = side->parts[i]->numbers;

        for (int exclusive = 0; numbers && exclusive < 2; exclusive++) {
            const struct facet_bound bound = {
                side->parts[i]->at.doc,
                is_upper
                    ? exclusive ? numbers->exclusive_maximum : numbers->maximum
                : exclusive ? numbers->exclusive_minimum
                            : numbers->minimum,
                exclusive};

            if (bound_compare(bound, tightest, is_upper) > 0)
                tightest = bound;
        }
    }
    return tightest;
}

static void bound_tell(surety_diff *diff, struct facet_bound bound,
                       bool is_upper)
{
    if (!bound.cell) {
        surety_buf_text(&diff->scratch, "without a bound");
        return;
    }
    surety_buf_text(&diff->scratch, bound.is_exclusive
                                        ? is_upper ? "below " : "above "
                                    : is_upper ? "at most "
                                               : "at least ");
    surety__diff_value(diff, surety__val_of(bound.doc, bound.cell));
}

static void facet_compare_bounds(surety_diff *diff,
                                 const surety__diff_task *task, bool is_upper)
{
    const struct facet_bound before = facet_bound_of(&task->before, is_upper);
    const struct facet_bound after = facet_bound_of(&task->after, is_upper);
    const int order = bound_compare(after, before, is_upper);

    if (order == 0)
        return;
    surety_buf_reset(&diff->scratch);
    surety_buf_text(&diff->scratch, "the number was ");
    bound_tell(diff, before, is_upper);
    surety_buf_text(&diff->scratch, " and is ");
    bound_tell(diff, after, is_upper);
    surety__diff_tell(diff, task, is_upper ? "maximum" : "minimum",
                      facet_breaks(order < 0));
}

/* ---- lengths and counts -------------------------------------------------- */

/* Bounds that are whole numbers. ORDER counts (count_of). */
static const struct facet_count {
    const char *keyword, *what;
    bool is_upper;
} facet_counts[] = {
    {"minLength", "characters", false},  {"maxLength", "characters", true},
    {"minItems", "items", false},        {"maxItems", "items", true},
    {"minProperties", "members", false}, {"maxProperties", "members", true},
};

/* The bound of a part; 0 and UINT64_MAX where it says nothing. */
static uint64_t count_of(const surety__shape *part, size_t which)
{
    switch (which) {
    case 0: return part->strings ? part->strings->min_length : 0;
    case 1: return part->strings ? part->strings->max_length : UINT64_MAX;
    case 2: return part->arrays ? part->arrays->min_items : 0;
    case 3: return part->arrays ? part->arrays->max_items : UINT64_MAX;
    case 4: return part->objects ? part->objects->min_properties : 0;
    default: return part->objects ? part->objects->max_properties : UINT64_MAX;
    }
}

static uint64_t count_tightest(const surety__side *side, size_t which)
{
    const bool is_upper = facet_counts[which].is_upper;
    uint64_t tightest = is_upper ? UINT64_MAX : 0;

    for (size_t i = 0; i < side->count; i++) {
        const uint64_t count = count_of(side->parts[i], which);

        if (is_upper ? count < tightest : count > tightest)
            tightest = count;
    }
    return tightest;
}

static void count_tell(surety_buf *out, uint64_t count, bool is_upper)
{
    if (count == UINT64_MAX) {
        surety_buf_text(out, "any number of");
        return;
    }
    surety_buf_text(out, is_upper ? "at most " : "at least ");
    surety_buf_number(out, count);
}

static void facet_compare_counts(surety_diff *diff,
                                 const surety__diff_task *task)
{
    surety_buf *out = &diff->scratch;

    for (size_t i = 0; i < sizeof(facet_counts) / sizeof(*facet_counts); i++) {
        const struct facet_count *facet = &facet_counts[i];
        const uint64_t before = count_tightest(&task->before, i);
        const uint64_t after = count_tightest(&task->after, i);

        if (before == after)
            continue;
        surety_buf_reset(out);
        count_tell(out, after, facet->is_upper);
        surety__buf_printf(out, " %s now, it was ", facet->what);
        count_tell(out, before, facet->is_upper);
        surety__diff_tell(diff, task, facet->keyword,
                          facet_breaks((after > before) == facet->is_upper));
    }
}

/* ---- by their text ------------------------------------------------------- */

/* Keywords that are compared as they are written. The lone ones only restrict:
 * where one side has none, it is clear who breaks. */
static const struct facet_text {
    const char *keyword;
    bool restricts;
} facet_texts[] = {
    {"pattern", true},
    {"format", true},
    {"multipleOf", true},
    {"divisibleBy", true},
    {"uniqueItems", true},
    {"contentEncoding", true},
    {"contentMediaType", true},
    {"contains", true},
    {"minContains", false},
    {"maxContains", false},
    {"patternProperties", false},
    {"propertyNames", true},
    {"dependentRequired", true},
    {"dependentSchemas", true},
    {"dependencies", true},
    {"propertyDependencies", true},
    {"unevaluatedItems", true},
    {"unevaluatedProperties", true},
    {"not", true},
    {"if", false},
    {"then", false},
    {"else", false},
    {"$dynamicRef", false},
    {"$recursiveRef", false},
};

/* "uniqueItems": false says nothing. */
static surety_val text_of(const surety__side *side, const char *keyword)
{
    const surety_val value = surety__side_keyword(side, keyword);

    return strcmp(keyword, "uniqueItems") != 0 || surety_val_bool(value, false)
               ? value
               : surety_val_none();
}

static void facet_compare_text(surety_diff *diff, const surety__diff_task *task,
                               const struct facet_text *facet)
{
    const surety_val before = text_of(&task->before, facet->keyword);
    const surety_val after = text_of(&task->after, facet->keyword);
    surety_buf *out = &diff->scratch;
    unsigned breaks = DIFF_BOTH;

    if (!before.doc && !after.doc)
        return;
    if (before.doc && after.doc && surety_val_equal(before, after)) {
        if (!surety__diff_same_below(
                diff, surety__side_part(&task->before, facet->keyword),
                surety__side_part(&task->after, facet->keyword),
                facet->keyword))
            surety__diff_say(diff, task, facet->keyword, DIFF_BOTH,
                             "what it refers to may be something else");
        return;
    }
    if (facet->restricts && !before.doc)
        breaks = DIFF_PRODUCERS;
    else if (facet->restricts && !after.doc)
        breaks = DIFF_CONSUMERS;
    surety_buf_reset(out);
    if (after.doc) {
        surety_buf_text(out, before.doc ? "it is " : "there is ");
        surety__diff_value(diff, after);
        surety_buf_text(out, " now");
    }
    if (before.doc) {
        surety_buf_text(out, after.doc ? ", it was " : "there is no ");
        surety__diff_value(diff, before);
        surety_buf_text(out, after.doc ? "" : " any more");
    }
    surety__diff_tell(diff, task, facet->keyword, breaks);
}

/* Unions of too many branches to be taken apart. */
static void facet_compare_unions(surety_diff *diff,
                                 const surety__diff_task *task)
{
    static const struct facet_text unions[] = {{"anyOf", true},
                                               {"oneOf", true}};

    for (size_t i = 0; i < 2; i++)
        if (task->before.opened_count == 0 && task->after.opened_count == 0)
            facet_compare_text(diff, task, &unions[i]);
}

/* ---- what depends on the rest -------------------------------------------- */

static uint64_t evaluated_add(uint64_t sum, uint64_t value)
{
    return sum + (value + 1) * 0x9E3779B97F4A7C15u;
}

/* A sum over what a side's parts evaluate, in whatever order. */
static uint64_t facet_evaluated(const surety__side *side)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < side->count; i++) {
        const surety__objects *objects = side->parts[i]->objects;
        const surety__arrays *arrays = side->parts[i]->arrays;

        for (uint32_t j = 0; objects && j < objects->property_count; j++)
            if (objects->properties[j].shape)
                sum = evaluated_add(sum, objects->properties[j].hash);
        for (uint32_t j = 0; objects && j < objects->pattern_count; j++)
            sum = evaluated_add(sum,
                                surety__hash(objects->patterns[j].source.ptr,
                                             objects->patterns[j].source.len));
        if (objects && objects->additional)
            sum = evaluated_add(sum, UINT32_MAX);
        if (arrays)
            sum = evaluated_add(sum, arrays->prefix_count * 8 +
                                         (arrays->rest ? 4 : 0) +
                                         (arrays->contains ? 2 : 0));
        sum = evaluated_add(sum, side->parts[i]->applicator_count);
    }
    return sum;
}

/* Whether the same may be left over on both sides. Where parts of a side stand
 * in other subschemas, who sees whose is not worked out. */
static bool facet_leaves_same(surety_diff *diff, const surety__side *before,
                              const surety__side *after)
{
    if (facet_evaluated(before) != facet_evaluated(after))
        return false;
    return (!before->parts[0]->applicator_count &&
            !after->parts[0]->applicator_count && before->count == 1 &&
            after->count == 1) ||
           surety__diff_same(diff, before->parts[0], after->parts[0]);
}

/* Keywords that mean something by what stands beside them, or around. */
static void facet_compare_context(surety_diff *diff,
                                  const surety__diff_task *task)
{
    static const char *const unevaluated[] = {"unevaluatedProperties",
                                              "unevaluatedItems"};
    static const char *const dynamic[] = {"$dynamicRef", "$recursiveRef"};

    for (size_t i = 0; i < 2; i++)
        if (surety__side_keyword(&task->before, unevaluated[i]).doc &&
            surety__side_keyword(&task->after, unevaluated[i]).doc &&
            !facet_leaves_same(diff, &task->before, &task->after))
            surety__diff_say(diff, task, unevaluated[i], DIFF_BOTH,
                             "other parts of the value are left over for it");
    for (size_t i = 0; i < 2; i++)
        if (surety__side_keyword(&task->before, dynamic[i]).doc &&
            surety__side_keyword(&task->after, dynamic[i]).doc &&
            !surety_val_equal(surety_contract_root(diff->before),
                              surety_contract_root(diff->after)))
            surety__diff_say(diff, task, dynamic[i], DIFF_BOTH,
                             "what it refers to may be something else");
}

void surety__diff_facets(surety_diff *diff, const surety__diff_task *task)
{
    const unsigned before = surety__side_types(&task->before);
    const unsigned after = surety__side_types(&task->after);

    if (!facet_compare_values(diff, task) && !task->types_told)
        surety__diff_types(diff, task, before, after);
    if (before & after & (TYPE_NUMBER | TYPE_INTEGER)) {
        facet_compare_bounds(diff, task, false);
        facet_compare_bounds(diff, task, true);
    }
    facet_compare_counts(diff, task);
    for (size_t i = 0; i < sizeof(facet_texts) / sizeof(*facet_texts); i++)
        facet_compare_text(diff, task, &facet_texts[i]);
    facet_compare_unions(diff, task);
    facet_compare_context(diff, task);
}
