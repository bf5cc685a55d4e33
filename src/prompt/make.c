/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a value that satisfies a schema, by guesses that are all checked.
 *
 * The value must satisfy a conjunction, `want`. It is unfolded: the targets of
 * references, allOf, and one branch of each anyOf, oneOf and if are added. The
 * digits of a number (the way) choose the branches, so counting visits all
 * combinations. The unfolded conjunction gives a text, and the checker must
 * accept the text for `want`; otherwise it is discarded and the next way is
 * tried. So a keyword that this file does not know can make it fail, but never
 * give an invalid value.
 *
 * Rules:
 * 1. The text is at the end of `out`; discarding it means to reset the length.
 * 2. A pass decides whether optional members are made. They are left out if
 *    they are already being made, so recursion in a schema ends.
 * 3. Calls nest by the depth of the value, at most MAKE_DEPTH. Their number is
 *    limited too: some schemas have no value, and a search would not end.
 * 4. `turn` asks for a value other than those for smaller turns, for arrays
 *    whose items must differ.
 * 5. Each value being made has a level with its own conjunction and that of
 *    its current child. The lists are reused by the next value at that
 *    depth. */
#include "prompt/prompt.h"

#include <math.h>

enum {
    MAKE_DEPTH = 24,     /* depth of nested values */
    MAKE_OPTIONAL = 6,   /* depth to which optional members are made */
    MAKE_CONJUNCTS = 48, /* for one value */
    MAKE_WAYS = 40,      /* combinations of branches */
    MAKE_STEPS = 20000,
    MAKE_CHECKED = 1 << 22, /* bytes checked */
    MAKE_ITEMS = 64,
    MAKE_GUESSES = 48, /* for a number or text */
    MAKE_PATTERN_WAYS = 12
};

typedef struct make_level {
    surety__conjunction all;    /* unfolded */
    surety__member_facts facts; /* for a member or an item */
} make_level;

typedef struct make_state {
    const surety_schema *schema;
    const surety_alloc *alloc;
    surety_buf *out;
    surety_checker *checker;
    surety_doc *doc;
    surety__arena arena;
    surety__graph graph;
    make_level levels[MAKE_DEPTH]; /* from the outside in */
    surety__conjunction spare;
    unsigned depth;
    unsigned turn; /* of the current value */
    unsigned pass;
    bool optional;  /* optional members are made */
    bool annotated; /* examples and defaults are used */
    size_t steps, checked;
} make_state;

static bool make_value(make_state *state, const surety__conjunction *want,
                       unsigned turn);

/* Whether the text from start is a value that satisfies the want. */
static bool make_good(make_state *state, const surety__conjunction *want,
                      size_t start)
{
    surety_str text;
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_BORROW};
    const surety_limits *limits = &state->schema->limits;
    surety_status status = state->out->status;
    bool valid = false;
    uint64_t work;

    if (status != SURETY_OK || state->checked > MAKE_CHECKED)
        return false;
    assert(start <= state->out->len);
    text = (surety_str){state->out->ptr + start, state->out->len - start};
    state->checked += text.len + 16;
    status = surety_doc_read(state->doc, text, &options, NULL);
    work = limits->work_base +
           (uint64_t)limits->work_per_value * surety__doc_size(state->doc);
    if (status == SURETY_OK)
        status = surety__conjunction_check(state->checker, state->schema, want,
                                           surety_doc_root(state->doc), &work,
                                           &valid);
    if (status == SURETY_NOMEM)
        state->out->status = SURETY_NOMEM;
    return status == SURETY_OK && valid;
}

/* Keeps the text from start if it is valid and the turn is 0; a valid one
 * counts the turn down. Otherwise discards it. */
static bool make_keep(make_state *state, const surety__conjunction *want,
                      size_t start)
{
    if (make_good(state, want, start)) {
        if (state->turn == 0)
            return true;
        state->turn--;
    }
    if (state->out->status == SURETY_OK)
        state->out->len = start;
    return false;
}

struct make_choice {
    surety__graph *graph;
    unsigned way;
};

/* Chooses the branch for the lowest digit of the way. */
static bool make_choose(void *context, surety__conjunction *all, size_t i,
                        const surety__applicator *one)
{
    struct make_choice *choice = context;
    surety__graph *graph = choice->graph;
    const unsigned way = choice->way;
    const surety__shape *first = NULL, *second = NULL;

    if (one->kind == APPLY_DYNAMIC) {
        first = one->shapes[0];
    } else if (one->kind == APPLY_ANY || one->kind == APPLY_ONE) {
        first = one->shapes[way % one->count];
        choice->way /= one->count;
    } else if (one->kind == APPLY_IF) {
        first = one->shapes[way % 2 == 0 ? 0 : 2];
        second = way % 2 == 0 ? one->shapes[1] : NULL;
        choice->way /= 2;
    }
    return surety__conjunction_apply(graph, all, i, first) &&
           surety__conjunction_apply(graph, all, i, second);
}

/* Unfolds a want with the branches that `way` chooses. False: there are no
 * more ways. */
static bool make_unfold(make_state *state, const surety__conjunction *want,
                        unsigned way, surety__conjunction *all)
{
    struct make_choice choice = {&state->graph, way};

    assert(all != want);
    all->count = 0;
    all->is_cut = want->is_cut;
    for (size_t i = 0; i < want->count; i++)
        surety__conjunction_add(&state->graph, all, want->items[i]);
    surety__conjunction_follow(&state->graph, all, make_choose, &choice);
    return choice.way == 0;
}

/* Tries a value from the schema's own document. */
static bool make_copy(make_state *state, const surety__conjunction *want,
                      surety_val val)
{
    const size_t start = state->out->len;

    if (!val.doc || state->out->status != SURETY_OK)
        return false;
    surety_val_write(val, SURETY_STYLE_COMPACT, state->out);
    return make_keep(state, want, start);
}

/* Tries each value of a list from the schema. */
static bool make_listed(make_state *state, const surety__conjunction *want,
                        surety_val list)
{
    SURETY_EACH (v, list)
        if (make_copy(state, want, v))
            return true;
    return false;
}

/* Whether a default is useful in an example: null or an empty container would
 * only hide what the value can be. */
static bool make_default_shows(surety_val val)
{
    switch (surety_val_kind(val)) {
    case SURETY_KIND_NONE:
    case SURETY_KIND_NULL: return false;
    case SURETY_KIND_STRING: return surety_val_str(val).len > 0;
    case SURETY_KIND_ARRAY:
    case SURETY_KIND_OBJECT: return surety_val_count(val) > 0;
    default: return true;
    }
}

/* Tries the values in the schema: const, enum, and the annotations examples
 * and default (2020-12, validation, 9). */
static bool make_named(make_state *state, const surety__conjunction *want,
                       const surety__conjunction *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const surety_val at = all->items[i].shape->at;
        const surety_val examples = surety_val_get(at, "examples");

        if (state->annotated &&
            surety_val_kind(examples) == SURETY_KIND_ARRAY &&
            make_listed(state, want, examples))
            return true;
        if (all->items[i].shape->constant &&
            make_copy(state, want, surety_val_get(at, "const")))
            return true;
        if (all->items[i].shape->choices &&
            make_listed(state, want, surety_val_get(at, "enum")))
            return true;
        if (state->annotated &&
            make_default_shows(surety_val_get(at, "default")) &&
            make_copy(state, want, surety_val_get(at, "default")))
            return true;
    }
    return false;
}

/* ---- numbers ------------------------------------------------------------- */

#define MAKE_COUNT_MAX 9007199254740991.0 /* 2^53 - 1 */

/* The bounds of a number as doubles. */
typedef struct make_range {
    double least, most, step;
    bool has_least, has_most, has_step;
} make_range;

/* The tightest bound. False: there is none, or it is not a typical number,
 * such as the limits of exact integers in a double. */
static bool make_bound(const surety__conjunction *all, bool is_upper,
                       double *ret_value)
{
    const surety__bound bound = surety__conjunction_bound(all, is_upper);

    if (!bound.cell)
        return false;
    *ret_value = surety_val_real(surety__val_of(bound.doc, bound.cell), 0);
    return *ret_value<MAKE_COUNT_MAX && * ret_value> - MAKE_COUNT_MAX;
}

static make_range make_range_of(const surety__conjunction *all)
{
    make_range range = {.step = 1};

    range.has_least = make_bound(all, false, &range.least);
    range.has_most = make_bound(all, true, &range.most);
    for (size_t i = 0; i < all->count; i++) {
        const surety__shape *shape = all->items[i].shape;
        const surety__numbers *numbers = shape->numbers;
        double step;

        if (!numbers || !numbers->multiple_of)
            continue;
        step = surety_val_real(
            surety__val_of(shape->at.doc, numbers->multiple_of), 1);
        if (!range.has_step || step > range.step)
            range.step = step;
        range.has_step = true;
    }
    return range;
}

/* Rounds down a double that fits into a 64-bit integer; others are
 * unchanged. */
static double make_floor(double value)
{
    double whole;

    if (value > 9e15 || value < -9e15)
        return value;
    whole = (double)(int64_t)value;
    return whole > value ? whole - 1 : whole;
}

/* The n-th guess. */
static double make_guess(const make_range *range, unsigned n)
{
    const double low = range->has_least  ? range->least
                       : range->has_most ? range->most - 16 * range->step
                                         : 0;
    const double high = range->has_most ? range->most : low + 4;
    const double first = make_floor(low / range->step) * range->step;

    switch (n) {
    case 0:
        return range->has_step ? first + range->step
               : range->has_least || range->has_most
                   ? make_floor((low + high) / 2)
                   : 1;
    case 1: return low;
    case 2: return high;
    case 3: return (low + high) / 2;
    case 4: return make_floor(low) + 1;
    case 5: return low + (high - low) / 4;
    case 6: return high - (high - low) / 4;
    case 7: return make_floor(high);
    case 8: return low + 0.5;
    default: return first + (n - 8) * range->step;
    }
}

/* Tries guesses, then the bounds in their own text, for numbers that a double
 * cannot represent. */
static bool make_number(make_state *state, const surety__conjunction *want,
                        const surety__conjunction *all)
{
    const make_range range = make_range_of(all);
    const size_t start = state->out->len;
    char digits[32];

    for (unsigned n = 0; n < MAKE_GUESSES; n++) {
        const double guess = make_guess(&range, n);

        surety_buf_append(
            state->out, digits,
            surety__number_write(isfinite(guess) ? guess : 0, digits));
        if (make_keep(state, want, start))
            return true;
    }
    for (size_t i = 0; i < all->count; i++) {
        const surety__numbers *numbers = all->items[i].shape->numbers;
        const surety_doc *doc = all->items[i].shape->at.doc;
        const surety__cell *const bounds[] = {numbers ? numbers->minimum : NULL,
                                              numbers ? numbers->maximum : NULL,
                                              numbers ? numbers->multiple_of
                                                      : NULL};

        for (size_t k = 0; k < SURETY__COUNT(bounds); k++)
            if (bounds[k] &&
                make_copy(state, want, surety__val_of(doc, bounds[k])))
                return true;
    }
    return false;
}

/* ---- texts --------------------------------------------------------------- */

/* Writes raw as a JSON string and keeps it if it is valid. */
static bool make_put_text(make_state *state, const surety__conjunction *want,
                          const surety_buf *raw)
{
    const size_t start = state->out->len;

    if (raw->status != SURETY_OK)
        state->out->status = raw->status;
    surety_json_string(state->out, surety_buf_str(raw));
    return make_keep(state, want, start);
}

/* Tries a plain text of an allowed length. The n-th contains its number. */
static bool make_plain(make_state *state, const surety__conjunction *want,
                       const surety__conjunction *all, unsigned n)
{
    const surety__range range =
        surety__conjunction_range(all, COUNT_CHARACTERS);
    surety_buf raw;
    bool good = false;

    surety_buf_init(&raw, state->alloc, 0);
    if (n > 0)
        surety__buf_printf(&raw, "%u ", n + 1);
    surety_buf_text(&raw, "text");
    while (raw.len < range.least && raw.len < 65536 && raw.status == SURETY_OK)
        surety_buf_text(&raw, " text");
    if (raw.len > range.most && range.most >= range.least)
        raw.len = (size_t)range.most;
    else if (range.least > 4 && raw.len > range.least)
        raw.len = (size_t)range.least;
    if (raw.len && raw.ptr[raw.len - 1] == ' ')
        raw.ptr[raw.len - 1] = 't';
    good = make_put_text(state, want, &raw);
    surety_buf_done(&raw);
    return good;
}

/* Tries texts that a pattern matches. */
static bool make_matching(make_state *state, const surety__conjunction *want,
                          surety_str source, unsigned n)
{
    static const unsigned more[] = {3, 0, 1, 7, 15, 31, 99};
    surety_buf raw;
    size_t last = SIZE_MAX;
    bool good = false;

    surety_buf_init(&raw, state->alloc, 0);
    for (size_t i = 0; i < SURETY__COUNT(more) && !good; i++) {
        surety_buf_reset(&raw);
        if (!surety__make_pattern(source, n, more[i], &raw))
            state->out->status = raw.status;
        else if (raw.len != last) /* the same length: nothing is repeated, so
                                   * the text is the same */
            good = make_put_text(state, want, &raw);
        last = raw.len;
    }
    surety_buf_done(&raw);
    return good;
}

static bool make_string(make_state *state, const surety__conjunction *want,
                        const surety__conjunction *all)
{
    surety_buf raw;
    bool good = false;

    for (size_t i = 0; i < all->count && !good; i++) {
        const surety__strings *strings = all->items[i].shape->strings;
        const surety_str format =
            surety_val_str(surety_val_get(all->items[i].shape->at, "format"));

        surety_buf_init(&raw, state->alloc, 0);
        for (unsigned n = 0;
             n < 3 && !good && surety__make_format(format, n, &raw); n++) {
            good = make_put_text(state, want, &raw);
            surety_buf_reset(&raw);
        }
        surety_buf_done(&raw);
        if (!strings || !strings->pattern)
            continue;
        for (unsigned n = 0; n < MAKE_PATTERN_WAYS && !good; n++)
            good = make_matching(state, want,
                                 surety_val_str(surety_val_get(
                                     all->items[i].shape->at, "pattern")),
                                 n);
    }
    for (unsigned n = 0; n < MAKE_GUESSES && !good; n++)
        good = make_plain(state, want, all, n);
    return good;
}

/* ---- arrays -------------------------------------------------------------- */

/* The conjunction of the current child. */
static surety__conjunction *make_child(make_state *state)
{
    assert(state->depth > 0 && state->depth <= MAKE_DEPTH);
    return &state->levels[state->depth - 1].facts.all;
}

/* Whether the child's conjunction can have a value. */
static bool make_may_be(make_state *state)
{
    const surety__conjunction *child = make_child(state);

    return !child->is_cut && !surety__conjunction_never(child) &&
           state->out->status == SURETY_OK;
}

/* Sets the conjunction of the i-th item; false: there must be no such item. */
static bool make_item_want(make_state *state, const surety__conjunction *all,
                           size_t i)
{
    surety__conjunction *item = make_child(state);

    item->count = 0;
    item->is_cut = false;
    if (i >= surety__conjunction_range(all, COUNT_ITEMS).most)
        return false;
    surety__conjunction_item(&state->graph, all, (uint32_t)i, item);
    for (size_t k = 0; k < all->count; k++) {
        const surety__arrays *arrays = all->items[k].shape->arrays;

        if (arrays && arrays->contains && i < arrays->min_contains)
            surety__conjunction_add(
                &state->graph, item,
                (surety__conjunct){.shape = arrays->contains});
    }
    return make_may_be(state);
}

/* Whether an unfolded conjunction is already being made in one of the first
 * `depth` levels. */
static bool make_is_open(const make_state *state,
                         const surety__conjunction *all, unsigned depth)
{
    for (unsigned d = 0; d < depth; d++) {
        const surety__conjunction *open = &state->levels[d].all;

        for (size_t i = 0; i < open->count; i++)
            for (size_t k = 0; k < all->count; k++)
                if (open->items[i].shape == all->items[k].shape &&
                    (open->items[i].shape->objects ||
                     open->items[i].shape->arrays))
                    return true;
    }
    return false;
}

/* Whether the child is already being made in an outer level. */
static bool make_recurs(make_state *state)
{
    make_unfold(state, make_child(state), 0, &state->spare);
    return make_is_open(state, &state->spare, state->depth);
}

static bool make_array(make_state *state, const surety__conjunction *want,
                       const surety__conjunction *all)
{
    const size_t start = state->out->len;
    const unsigned turn = state->turn;
    const uint32_t prefix = surety__conjunction_places(all, NULL);
    uint64_t least = surety__conjunction_range(all, COUNT_ITEMS).least;
    bool unique = false;

    for (size_t i = 0; i < all->count; i++) {
        const surety__arrays *arrays = all->items[i].shape->arrays;

        if (arrays && arrays->contains && arrays->min_contains > least)
            least = arrays->min_contains;
        unique |= arrays && arrays->unique;
    }
    if (least > MAKE_ITEMS)
        return false;
    surety_buf_byte(state->out, '[');
    for (uint64_t i = 0; i < least || state->optional; i++) {
        const size_t before = state->out->len;

        if (!make_item_want(state, all, i))
            break;
        if (i >= least &&
            (i >= (prefix ? prefix : 1) || make_child(state)->count == 0 ||
             state->depth > MAKE_OPTIONAL || make_recurs(state)))
            break;
        if (i > 0)
            surety_buf_byte(state->out, ',');
        if (!make_value(state, make_child(state),
                        (unsigned)(unique   ? i + turn
                                   : i == 0 ? turn
                                            : 0))) {
            if (state->out->status == SURETY_OK)
                state->out->len = before;
            break;
        }
    }
    surety_buf_byte(state->out, ']');
    state->turn = 0;
    return make_keep(state, want, start);
}

/* ---- objects ------------------------------------------------------------- */

/* Sets the conjunction of a member; false: the member must be absent. */
static bool make_member_want(make_state *state, const surety__conjunction *all,
                             surety_str name)
{
    surety__member_facts *facts = &state->levels[state->depth - 1].facts;

    return surety__conjunction_member(&state->graph, all, name,
                                      surety__name_hash(name), facts) &&
           make_may_be(state);
}

/* Appends a member. False: none can be made. */
static bool make_member(make_state *state, surety_str name, size_t start,
                        unsigned turn)
{
    const size_t before = state->out->len;

    if (before > start + 1)
        surety_buf_byte(state->out, ',');
    surety_json_string(state->out, name);
    surety_buf_byte(state->out, ':');
    if (make_value(state, make_child(state), turn))
        return true;
    if (state->out->status == SURETY_OK)
        state->out->len = before;
    return false;
}

/* Adds members that are no properties until there are enough: with names that
 * match a pattern, then any names. */
static void make_more(make_state *state, const surety__conjunction *all,
                      size_t start, uint64_t missing)
{
    surety_buf name;

    surety_buf_init(&name, state->alloc, 0);
    for (unsigned n = 0; n < MAKE_GUESSES && missing > 0; n++) {
        const surety__objects *objects =
            n < all->count ? all->items[n].shape->objects : NULL;

        surety_buf_reset(&name);
        if (objects && objects->pattern_count)
            surety__make_pattern(objects->patterns[0].source, 0, 2, &name);
        else
            surety__buf_printf(&name, "key%u", n + 1);
        if (name.status != SURETY_OK)
            state->out->status = name.status;
        if (make_member_want(state, all, surety_buf_str(&name)) &&
            make_member(state, surety_buf_str(&name), start, 0))
            missing--;
    }
    surety_buf_done(&name);
}

/* Whether to make an optional member. */
static bool make_is_shown(make_state *state)
{
    return state->optional && state->depth <= MAKE_OPTIONAL &&
           make_child(state)->count > 0 && !make_recurs(state);
}

/* A key for a map: the first that propertyNames lists, or any. */
static surety_str make_map_key(const surety__shape *names)
{
    while (names && !names->choices && names->applicator_count == 1 &&
           names->applicators[0].kind == APPLY_ALL &&
           names->applicators[0].count == 1)
        names = names->applicators[0].shapes[0];
    if (names && names->choices)
        return surety_val_str(
            surety_val_first(surety_val_get(names->at, "enum")));
    return surety_str_of("key");
}

/* Adds a member of a map, to show its values. False: it is not a map, or its
 * values show nothing. */
static bool make_map_member(make_state *state, const surety__conjunction *all,
                            size_t start)
{
    for (size_t i = 0; i < all->count; i++) {
        const surety__objects *objects = all->items[i].shape->objects;
        surety_str key;

        if (!objects || !objects->additional || objects->additional->always ||
            objects->property_count || objects->pattern_count)
            continue;
        key = make_map_key(objects->names);
        return key.len && make_member_want(state, all, key) &&
               make_is_shown(state) && make_member(state, key, start, 0);
    }
    return false;
}

static bool make_object(make_state *state, const surety__conjunction *want,
                        const surety__conjunction *all)
{
    const size_t start = state->out->len;
    unsigned turn = state->turn;
    const surety__range range = surety__conjunction_range(all, COUNT_MEMBERS);
    const surety__property *property;
    surety__name_at at = {0, 0};
    uint64_t count = 0;

    surety_buf_byte(state->out, '{');
    while ((property = surety__conjunction_name(all, &at)) != NULL) {
        const bool may = make_member_want(state, all, property->name);
        const bool required = state->levels[state->depth - 1].facts.required;

        if (required && !may)
            goto fail;
        if (!required && (!may || count >= range.most || !make_is_shown(state)))
            continue;
        if (make_member(state, property->name, start, turn)) {
            count++;
            turn = 0;
        } else if (required) {
            goto fail;
        }
    }
    if (count < range.least && range.least <= MAKE_ITEMS)
        make_more(state, all, start, range.least - count);
    if (count == 0 && range.least == 0 && range.most > 0 &&
        make_map_member(state, all, start)) {
        surety_buf_byte(state->out, '}');
        state->turn = 0;
        if (make_good(state, want, start))
            return true;
        if (state->out->status != SURETY_OK)
            return false;
        state->out->len = start + 1;
    }
    surety_buf_byte(state->out, '}');
    state->turn = 0;
    return make_keep(state, want, start);
fail:
    if (state->out->status == SURETY_OK)
        state->out->len = start;
    return false;
}

/* ---- values -------------------------------------------------------------- */

static bool make_literal(make_state *state, const surety__conjunction *want,
                         const char *text)
{
    const size_t start = state->out->len;

    surety_buf_text(state->out, text);
    return make_keep(state, want, start);
}

static bool make_kind(make_state *state, const surety__conjunction *want,
                      const surety__conjunction *all, unsigned type)
{
    if (type & TYPE_OBJECT)
        return make_object(state, want, all);
    if (type & TYPE_ARRAY)
        return make_array(state, want, all);
    if (type & TYPE_STRING)
        return make_string(state, want, all);
    if (type & (TYPE_INTEGER | TYPE_NUMBER))
        return make_number(state, want, all);
    if (type & TYPE_BOOLEAN)
        return make_literal(state, want, "true") ||
               make_literal(state, want, "false");
    return make_literal(state, want, "null");
}

/* Makes a value of any allowed type, the likely types first. */
static bool make_together(make_state *state, const surety__conjunction *want,
                          const surety__conjunction *all)
{
    static const unsigned order[] = {TYPE_OBJECT,  TYPE_ARRAY,   TYPE_STRING,
                                     TYPE_INTEGER, TYPE_BOOLEAN, TYPE_NULL};
    const unsigned named = surety__conjunction_speaks(all);
    unsigned types = surety__conjunction_types(all);

    if (types & TYPE_NUMBER)
        types |= TYPE_INTEGER;
    if (make_named(state, want, all))
        return true;
    for (unsigned likely = 0; likely < 2; likely++)
        for (size_t i = 0; i < SURETY__COUNT(order); i++)
            if ((types & order[i]) && ((named & order[i]) == 0) == likely &&
                make_kind(state, want, all, order[i]))
                return true;
    /* The defaults that show nothing come last. */
    for (size_t i = 0; i < all->count && state->annotated; i++)
        if (make_copy(state, want,
                      surety_val_get(all->items[i].shape->at, "default")))
            return true;
    return false;
}

/* Tries the ways that make again what is already being made, or all others.
 * *ret_others: whether there were ways of the other kind. */
static bool make_ways(make_state *state, const surety__conjunction *want,
                      unsigned turn, bool again, bool *ret_others)
{
    surety__conjunction *all = &state->levels[state->depth - 1].all;
    bool good = false;

    *ret_others = false;
    for (unsigned n = 0; n < MAKE_WAYS && !good; n++) {
        /* Later passes begin with other branches. */
        const unsigned way = n + (state->pass > 2 ? state->pass - 2 : 0);

        if (state->steps > MAKE_STEPS ||
            (!make_unfold(state, want, way, all) && n > 0))
            break;
        if (make_is_open(state, all, state->depth - 1) != again) {
            *ret_others = true;
            continue;
        }
        state->steps++;
        state->turn = turn;
        if (!all->is_cut)
            good = make_together(state, want, all);
        if (state->out->status != SURETY_OK)
            break;
    }
    return good;
}

/* Makes a value. If a union has a branch that is not being made already, that
 * branch is preferred, so that a tree ends at once. */
static bool make_value(make_state *state, const surety__conjunction *want,
                       unsigned turn)
{
    const unsigned outer = state->turn;
    bool others = false;
    bool good = false;

    if (state->depth == MAKE_DEPTH || state->out->status != SURETY_OK ||
        want->is_cut)
        return false;
    state->depth++;
    good = make_ways(state, want, turn, false, &others);
    if (!good && others && state->out->status == SURETY_OK)
        good = make_ways(state, want, turn, true, &others);
    state->depth--;
    state->turn = outer;
    return good;
}

bool surety__make_value(const surety_schema *schema, unsigned pass,
                        const surety_alloc *alloc, surety_buf *out)
{
    make_state state = {.schema = schema,
                        .alloc = alloc,
                        .out = out,
                        .pass = pass,
                        .optional = pass % 2 == 0,
                        .annotated = pass < 4};
    bool good = false;

    assert(pass < MAKE_PASSES);
    surety__arena_init(&state.arena, alloc, 0);
    state.arena.status = &out->status;
    state.graph = (surety__graph){.arena = &state.arena,
                                  .limits = &schema->limits,
                                  .cut_at = MAKE_CONJUNCTS};
    state.checker = surety_checker_new(alloc, NULL);
    state.doc = surety_doc_new(alloc);
    if (!state.checker || !state.doc)
        out->status = SURETY_NOMEM;
    else
        good = make_value(&state, CONJUNCTION_OF(schema->root), 0);
    surety__graph_done(&state.graph);
    surety__arena_done(&state.arena);
    surety_doc_free(state.doc);
    surety_checker_free(state.checker);
    return good && out->status == SURETY_OK;
}
