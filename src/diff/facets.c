/* SPDX-License-Identifier: Apache-2.0 */
/* Compares types and bounds that two conjunctions set for the value itself. A
 * looser keyword allows values that a consumer does not know; a tighter one
 * refuses values that a producer makes. Keywords whose meanings cannot be
 * compared are compared by their text and by the subschemas it refers to
 * (same.c); a difference breaks both. */
#include "diff/diff.h"

/* Who may break after a bound changed. */
static unsigned facet_breaks(bool is_looser)
{
    return is_looser ? DIFF_CONSUMERS : DIFF_PRODUCERS;
}

/* The value of a keyword in the subschema of a shape, if it has an effect
 * there: its dialect and vocabularies know it, and no $ref disables it.
 * Otherwise NONE. */
static surety_val facet_keyword(const surety__shape *shape, const char *keyword)
{
    const surety__resource *resource = shape->resource;
    const surety__keyword named = surety__keyword_named(surety_str_of(keyword));
    const surety__keyword known = surety__keyword_in(named, resource->dialect);
    const unsigned vocabulary = surety__keyword_rows[known].vocabulary;

    if (known == KW_NONE ||
        (vocabulary != VOCABULARY_FORMAT &&
         !(vocabulary & resource->vocabularies)) ||
        (resource->dialect < SURETY_DIALECT_2019_09 &&
         surety_val_get(shape->at, "$ref").doc))
        return surety_val_none();
    return surety_val_get(shape->at, keyword);
}

/* ---- types --------------------------------------------------------------- */

static void facet_report_types(surety_diff *diff, const surety__diff_task *task,
                               unsigned types, unsigned breaks,
                               const char *rest)
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
    for (size_t i = 0; i < SURETY__COUNT(names); i++)
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
    surety__diff_record(diff, task, "type", breaks);
}

void surety__diff_types(surety_diff *diff, const surety__diff_task *task,
                        unsigned before, unsigned after)
{
    facet_report_types(diff, task, after & ~before, DIFF_CONSUMERS,
                       " is taken, too");
    facet_report_types(diff, task, before & ~after, DIFF_PRODUCERS,
                       " is not taken any more");
}

static bool facet_is_lexical(const surety__conjunction *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (surety__diff_is_lexical(all->items[i].shape))
            return true;
    return false;
}

/* ---- numbers ------------------------------------------------------------- */

static void bound_write(surety_diff *diff, surety__bound bound, bool is_upper)
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
    const surety__bound before =
        surety__conjunction_bound(task->before, is_upper);
    const surety__bound after =
        surety__conjunction_bound(task->after, is_upper);
    const int order = surety__bound_compare(after, before, is_upper);

    if (order == 0)
        return;
    surety_buf_reset(&diff->scratch);
    surety_buf_text(&diff->scratch, "the number was ");
    bound_write(diff, before, is_upper);
    surety_buf_text(&diff->scratch, " and is ");
    bound_write(diff, after, is_upper);
    surety__diff_record(diff, task, is_upper ? "maximum" : "minimum",
                        facet_breaks(order < 0));
}

/* ---- lengths and counts -------------------------------------------------- */

/* Bounds that are integers. */
static const struct facet_count {
    const char *keyword, *what;
    enum surety__counted counted;
    bool is_upper;
} facet_counts[] = {
    {"minLength", "character", COUNT_CHARACTERS, false},
    {"maxLength", "character", COUNT_CHARACTERS, true},
    {"minItems", "item", COUNT_ITEMS, false},
    {"maxItems", "item", COUNT_ITEMS, true},
    {"minProperties", "member", COUNT_MEMBERS, false},
    {"maxProperties", "member", COUNT_MEMBERS, true},
};

static uint64_t count_tightest(const surety__conjunction *all,
                               const struct facet_count *facet)
{
    const surety__range range = surety__conjunction_range(all, facet->counted);

    assert(facet->counted <= COUNT_MEMBERS);
    return facet->is_upper ? range.most : range.least;
}

static void count_write(surety_buf *out, uint64_t count, bool is_upper)
{
    if (count == UINT64_MAX) {
        surety_buf_text(out, "any number");
        return;
    }
    surety_buf_text(out, is_upper ? "at most " : "at least ");
    surety_buf_number(out, count);
}

static void facet_compare_counts(surety_diff *diff,
                                 const surety__diff_task *task)
{
    surety_buf *out = &diff->scratch;

    for (size_t i = 0; i < SURETY__COUNT(facet_counts); i++) {
        const struct facet_count *facet = &facet_counts[i];
        const uint64_t before = count_tightest(task->before, facet);
        const uint64_t after = count_tightest(task->after, facet);

        if (before == after)
            continue;
        surety_buf_reset(out);
        count_write(out, after, facet->is_upper);
        surety__buf_printf(out, "%s %s%s now, it was ",
                           after == UINT64_MAX ? " of" : "", facet->what,
                           after == 1 ? "" : "s");
        count_write(out, before, facet->is_upper);
        surety__diff_record(diff, task, facet->keyword,
                            facet_breaks((after > before) == facet->is_upper));
    }
}

/* ---- compared by text ---------------------------------------------------- */

enum { FACET_WORDS = 3 };

/* Keywords that are compared as text. Keywords in one row have a meaning only
 * together in one subschema. by_first: the first one must be present,
 * otherwise any of them. restricts: the keyword only restricts, so if only one
 * conjunction has it, it is clear who breaks. */
static const struct facet_text {
    const char *keywords[FACET_WORDS];
    bool by_first, restricts;
} facet_texts[] = {
    {{"pattern"}, true, true},
    {{"format"}, true, true},
    {{"multipleOf"}, true, true},
    {{"uniqueItems"}, true, true},
    {{"contentEncoding", "contentMediaType"}, false, true},
    {{"contains", "minContains", "maxContains"}, true, true},
    {{"patternProperties"}, true, false},
    {{"propertyNames"}, true, true},
    {{"dependentRequired"}, true, true},
    {{"dependentSchemas"}, true, true},
    {{"dependencies"}, true, true},
    {{"propertyDependencies"}, true, true},
    {{"unevaluatedItems"}, true, true},
    {{"unevaluatedProperties"}, true, true},
    {{"not"}, true, true},
    {{"if", "then", "else"}, true, true},
    {{"$dynamicRef"}, true, false},
    {{"$recursiveRef"}, true, false},
};

/* Patterns with additionalProperties, if several subschemas have some. */
static const struct facet_text facet_patterns = {
    {"patternProperties", "additionalProperties"}, false, false};

/* Unions with too many branches to be compared by branch. */
static const struct facet_text facet_unions[] = {{{"anyOf"}, true, true},
                                                 {{"oneOf"}, true, true}};

/* "uniqueItems": false has no effect. */
static surety_val text_of(const surety__shape *shape, const char *keyword)
{
    const surety_val value = facet_keyword(shape, keyword);

    return strcmp(keyword, "uniqueItems") != 0 || surety_val_bool(value, false)
               ? value
               : surety_val_none();
}

static bool text_is_there(const surety__shape *shape,
                          const struct facet_text *facet)
{
    for (size_t i = 0; i < FACET_WORDS && facet->keywords[i]; i++) {
        if (text_of(shape, facet->keywords[i]).doc)
            return true;
        if (facet->by_first)
            return false;
    }
    return false;
}

enum text_order { TEXT_SAME, TEXT_REFERS, TEXT_DIFFERS };

/* How two conjuncts differ in a facet. *ret_keyword: the first keyword that
 * differs. */
static enum text_order text_compare(surety_diff *diff,
                                    const struct facet_text *facet,
                                    const surety__shape *before,
                                    const surety__shape *after,
                                    const char **ret_keyword)
{
    const bool asserts = !strcmp(facet->keywords[0], "format") ||
                         !strcmp(facet->keywords[0], "contentEncoding");

    *ret_keyword = facet->keywords[0];
    for (size_t i = 0; i < FACET_WORDS && facet->keywords[i]; i++)
        if (!surety_val_equal(text_of(before, facet->keywords[i]),
                              text_of(after, facet->keywords[i]))) {
            *ret_keyword = facet->keywords[i];
            return TEXT_DIFFERS;
        }
    if (asserts && !surety__diff_same_strings(before, after))
        return TEXT_REFERS;
    for (size_t i = 0; i < FACET_WORDS && facet->keywords[i]; i++)
        if (text_of(before, facet->keywords[i]).doc &&
            !surety__diff_same_below(diff, before, after, facet->keywords[i])) {
            *ret_keyword = facet->keywords[i];
            return TEXT_REFERS;
        }
    return TEXT_SAME;
}

/* The first conjunct of all, from *at, that has the facet and has no equal in
 * the other conjunction; NULL: none. */
static const surety__shape *text_alone(surety_diff *diff,
                                       const struct facet_text *facet,
                                       const surety__conjunction *all,
                                       const surety__conjunction *other,
                                       size_t *at)
{
    for (; *at < all->count; ++*at) {
        bool is_same = !text_is_there(all->items[*at].shape, facet);
        const char *keyword;

        for (size_t i = 0; i < other->count && !is_same; i++)
            is_same =
                text_is_there(other->items[i].shape, facet) &&
                text_compare(diff, facet, all->items[*at].shape,
                             other->items[i].shape, &keyword) == TEXT_SAME;
        if (!is_same)
            return all->items[(*at)++].shape;
    }
    return NULL;
}

static void text_report(surety_diff *diff, const surety__diff_task *task,
                        const char *keyword, unsigned breaks, surety_val before,
                        surety_val after)
{
    surety_buf *out = &diff->scratch;

    assert(before.doc || after.doc);
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
    surety__diff_record(diff, task, keyword, breaks);
}

/* Reports a conjunct that only one conjunction has, under its first keyword. */
static void text_report_alone(surety_diff *diff, const surety__diff_task *task,
                              const struct facet_text *facet,
                              const surety__shape *shape, bool is_new)
{
    const surety_val none = surety_val_none();
    unsigned breaks = DIFF_BOTH;
    size_t i = 0;
    surety_val value;

    while (!text_of(shape, facet->keywords[i]).doc) {
        i++;
        assert(i < FACET_WORDS && facet->keywords[i]);
    }
    value = text_of(shape, facet->keywords[i]);
    if (facet->restricts)
        breaks = is_new ? DIFF_PRODUCERS : DIFF_CONSUMERS;
    text_report(diff, task, facet->keywords[i], breaks, is_new ? none : value,
                is_new ? value : none);
}

/* Compares a facet. Equal conjuncts are skipped; the others are reported in
 * pairs, one of each conjunction. */
static void facet_compare_text(surety_diff *diff, const surety__diff_task *task,
                               const struct facet_text *facet)
{
    size_t i = 0;
    size_t j = 0;

    while (diff->status == SURETY_OK) {
        const surety__shape *before =
            text_alone(diff, facet, task->before, task->after, &i);
        const surety__shape *after =
            text_alone(diff, facet, task->after, task->before, &j);
        const char *keyword;

        if (!before && !after)
            return;
        if (!before || !after)
            text_report_alone(diff, task, facet, before ? before : after,
                              !before);
        else if (text_compare(diff, facet, before, after, &keyword) ==
                 TEXT_REFERS)
            surety__diff_report(diff, task, keyword, DIFF_BOTH,
                                "it may refer to something else");
        else
            text_report(diff, task, keyword, DIFF_BOTH,
                        text_of(before, keyword), text_of(after, keyword));
    }
}

/* Whether several conjuncts decide which names are additional, at least one of
 * them with patterns. */
static bool facet_shares_names(const surety__conjunction *all)
{
    bool has_patterns = false;
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++) {
        const surety__objects *objects = all->items[i].shape->objects;

        has_patterns = has_patterns || (objects && objects->pattern_count > 0);
        count += objects && (objects->pattern_count > 0 || objects->additional);
    }
    return has_patterns && count > 1;
}

static void facet_compare_texts(surety_diff *diff,
                                const surety__diff_task *task)
{
    for (size_t i = 0; i < SURETY__COUNT(facet_texts); i++)
        facet_compare_text(diff, task, &facet_texts[i]);
    if (facet_shares_names(task->before) || facet_shares_names(task->after))
        facet_compare_text(diff, task, &facet_patterns);
    for (size_t i = 0; i < 2; i++)
        if (!surety__conjunction_settled(task->before) &&
            !surety__conjunction_settled(task->after))
            facet_compare_text(diff, task, &facet_unions[i]);
}

/* ---- keywords that depend on others -------------------------------------- */

static uint64_t evaluated_add(uint64_t sum, uint64_t value)
{
    return sum + (value + 1) * 0x9E3779B97F4A7C15u;
}

/* A hash of what the conjuncts evaluate, in any order. */
static uint64_t facet_evaluated(const surety__conjunction *all)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < all->count; i++) {
        const surety__objects *objects = all->items[i].shape->objects;
        const surety__arrays *arrays = all->items[i].shape->arrays;

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
        sum = evaluated_add(sum, all->items[i].shape->applicator_count);
    }
    return sum;
}

/* Whether the same members and items may be left unevaluated in both. If
 * conjuncts are in different subschemas, which one sees which is not
 * computed. */
static bool facet_leaves_same(surety_diff *diff,
                              const surety__conjunction *before,
                              const surety__conjunction *after)
{
    if (facet_evaluated(before) != facet_evaluated(after))
        return false;
    return (!before->items[0].shape->applicator_count &&
            !after->items[0].shape->applicator_count && before->count == 1 &&
            after->count == 1) ||
           surety__diff_same(diff, before->items[0].shape,
                             after->items[0].shape);
}

/* Whether a conjunct has the keyword. */
static bool facet_is_used(const surety__conjunction *all, const char *keyword)
{
    for (size_t i = 0; i < all->count; i++)
        if (facet_keyword(all->items[i].shape, keyword).doc)
            return true;
    return false;
}

/* Compares keywords whose effect depends on keywords beside them or on the
 * path to them. */
static void facet_compare_context(surety_diff *diff,
                                  const surety__diff_task *task)
{
    static const struct {
        const char *keyword;
        bool is_dynamic;
    } rows[] = {{"unevaluatedProperties", false},
                {"unevaluatedItems", false},
                {"$dynamicRef", true},
                {"$recursiveRef", true}};

    for (size_t i = 0; i < SURETY__COUNT(rows); i++)
        if (facet_is_used(task->before, rows[i].keyword) &&
            facet_is_used(task->after, rows[i].keyword) &&
            !(rows[i].is_dynamic
                  ? diff->is_unchanged
                  : facet_leaves_same(diff, task->before, task->after)))
            surety__diff_report(diff, task, rows[i].keyword, DIFF_BOTH,
                                rows[i].is_dynamic
                                    ? "it may refer to something else"
                                    : "it applies to other parts of the value");
}

void surety__diff_facets(surety_diff *diff, const surety__diff_task *task)
{
    const unsigned before = surety__conjunction_types(task->before);
    const unsigned after = surety__conjunction_types(task->after);

    if (!task->types_reported)
        surety__diff_types(diff, task, before, after);
    if (before & after & TYPE_INTEGER)
        surety__diff_report_turn(
            diff, task, "type",
            facet_is_lexical(task->after) - facet_is_lexical(task->before),
            "an integer may be written as 1.0, too",
            "an integer must not be written as 1.0 any more");
    if (before & after & (TYPE_NUMBER | TYPE_INTEGER)) {
        facet_compare_bounds(diff, task, false);
        facet_compare_bounds(diff, task, true);
    }
    facet_compare_counts(diff, task);
    facet_compare_texts(diff, task);
    facet_compare_context(diff, task);
}
