/* SPDX-License-Identifier: Apache-2.0 */
/* A value that satisfies a schema, made from it: guessed by rules of thumb, and
 * every guess checked.
 *
 * The value in question must satisfy several shapes at once, a `want`. It is
 * unfolded: what references, allOf and one branch of each anyOf, oneOf and if
 * say joins the list; which branches, the digits of a number say, so that
 * counting goes through all of them. From the unfolded list a text is put
 * together, and what is put together must satisfy the want as the checker sees
 * it, or it is thrown away and the next way is tried. So a keyword that this
 * file does not know makes it fail, never lie.
 *
 * 1. The text stands at the end of `out`; throwing away is setting its length.
 * 2. A pass says whether optional members are there too. They are left out
 *    where they are what is already being made: recursion in a schema ends.
 * 3. Calls nest by the value's depth, MAKE_DEPTH at most, and their number is
 *    bounded, too: some schemas have no value, and searching has no end.
 * 4. `turn` asks for another value than those for smaller turns, for lists
 *    whose items must differ. */
#include "prompt/prompt.h"

enum {
    MAKE_DEPTH = 24,   /* of values in each other */
    MAKE_OPTIONAL = 6, /* to which optional members are made */
    MAKE_SHAPES = 48,  /* that one value must satisfy */
    MAKE_WAYS = 40,    /* combinations of branches tried */
    MAKE_STEPS = 20000,
    MAKE_CHECKED = 1 << 22, /* bytes checked */
    MAKE_ITEMS = 64,
    MAKE_GUESSES = 48, /* of a number or text */
    MAKE_PATTERN_WAYS = 12
};

/* Shapes that one value must satisfy, each once. */
typedef struct make_want {
    const surety__shape *shapes[MAKE_SHAPES];
    uint32_t count;
    bool overflow;
} make_want;

typedef struct make_state {
    const surety_schema *schema;
    const surety_alloc *alloc;
    surety_buf *out;
    surety_checker *checker;
    surety__matcher *matcher;
    surety_doc *doc;
    make_want *open[MAKE_DEPTH]; /* unfolded, from the outside in */
    unsigned depth;
    unsigned turn; /* of the value at hand */
    unsigned pass;
    bool optional;  /* whether optional members are made */
    bool annotated; /* whether examples and defaults are used */
    size_t steps, checked;
} make_state;

static bool make_value(make_state *state, const make_want *want, unsigned turn);

static void make_add(make_want *want, const surety__shape *shape)
{
    if (!shape)
        return;
    for (uint32_t i = 0; i < want->count; i++)
        if (want->shapes[i] == shape)
            return;
    if (want->count == MAKE_SHAPES)
        want->overflow = true;
    else
        want->shapes[want->count++] = shape;
}

/* Whether the text from start on is a value that satisfies the want. */
static bool make_good(make_state *state, const make_want *want, size_t start)
{
    surety_str text;
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_BORROW};
    surety_status status = state->out->status;
    bool valid = true;

    if (status != SURETY_OK || state->checked > MAKE_CHECKED)
        return false;
    text = (surety_str){state->out->ptr + start, state->out->len - start};
    state->checked += text.len + 16;
    status = surety_doc_read(state->doc, text, &options, NULL);
    for (uint32_t i = 0; i < want->count && status == SURETY_OK && valid; i++) {
        surety_schema part = *state->schema;

        part.root = want->shapes[i];
        status = surety_checker_check(
            state->checker, &part, surety_doc_root(state->doc), &valid, NULL);
    }
    if (status == SURETY_NOMEM)
        state->out->status = SURETY_NOMEM;
    return status == SURETY_OK && valid;
}

/* Keeps the text from start on if it is good and enough others were: the turn
 * counts them down. */
static bool make_keep(make_state *state, const make_want *want, size_t start)
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

/* Unfolds a want, taking the branches that `way` says. False: there are no more
 * ways. */
static bool make_unfold(const make_want *want, unsigned way, make_want *all)
{
    *all = *want;
    for (uint32_t i = 0; i < all->count; i++) {
        const surety__shape *shape = all->shapes[i];

        for (uint32_t k = 0; k < shape->applicator_count; k++) {
            const surety__applicator *one = &shape->applicators[k];

            if (one->kind == APPLY_ALL) {
                for (uint32_t j = 0; j < one->count; j++)
                    make_add(all, one->shapes[j]);
            } else if (one->kind == APPLY_DYNAMIC) {
                make_add(all, one->shapes[0]);
            } else if (one->kind == APPLY_ANY || one->kind == APPLY_ONE) {
                make_add(all, one->shapes[way % one->count]);
                way /= one->count;
            } else if (one->kind == APPLY_IF) {
                if (way % 2 == 0) {
                    make_add(all, one->shapes[0]);
                    make_add(all, one->shapes[1]);
                } else {
                    make_add(all, one->shapes[2]);
                }
                way /= 2;
            }
        }
    }
    return way == 0;
}

/* Tries a value of the schema's own document. */
static bool make_copy(make_state *state, const make_want *want, surety_val val)
{
    const size_t start = state->out->len;

    if (!val.doc || state->out->status != SURETY_OK)
        return false;
    surety_val_write(val, SURETY_STYLE_COMPACT, state->out);
    return make_keep(state, want, start);
}

/* Whether a default shows a model anything: null or an empty list would only
 * hide what may stand there. */
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

/* Tries the defaults that show nothing, where nothing else could be made. */
static bool make_empty(make_state *state, const make_want *want,
                       const make_want *all)
{
    for (uint32_t i = 0; i < all->count && state->annotated; i++)
        if (make_copy(state, want,
                      surety_val_get(all->shapes[i]->at, "default")))
            return true;
    return false;
}

/* Tries the values that a want names: const, enum; and what annotations show:
 * examples, default (2020-12, validation, 9). */
static bool make_named(make_state *state, const make_want *want,
                       const make_want *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const surety_val at = all->shapes[i]->at;
        const surety_val examples = surety_val_get(at, "examples");
        surety_val v;

        if (state->annotated &&
            surety_val_kind(examples) == SURETY_KIND_ARRAY) {
            for (v = surety_val_first(examples); v.doc;
                 v = surety_val_next(examples, v))
                if (make_copy(state, want, v))
                    return true;
        }
        if (all->shapes[i]->constant &&
            make_copy(state, want, surety_val_get(at, "const")))
            return true;
        if (all->shapes[i]->choices) {
            const surety_val choices = surety_val_get(at, "enum");

            for (v = surety_val_first(choices); v.doc;
                 v = surety_val_next(choices, v))
                if (make_copy(state, want, v))
                    return true;
        }
        if (state->annotated &&
            make_default_shows(surety_val_get(at, "default")) &&
            make_copy(state, want, surety_val_get(at, "default")))
            return true;
    }
    return false;
}

/* ---- numbers ------------------------------------------------------------- */

#define MAKE_COUNT_MAX 9007199254740991.0 /* 2^53 - 1 */

/* What the numbers of a want say, as doubles and as they are written. */
typedef struct make_range {
    double least, most, step;
    bool has_least, has_most, has_step;
} make_range;

static void make_bound(const surety__shape *shape, const surety__cell *cell,
                       bool is_least, make_range *range)
{
    double value;

    if (!cell)
        return;
    value = surety_val_real(surety__val_of(shape->at.doc, cell), 0);
    /* The ends of what a double counts exactly lead to no likely number. */
    if (value >= MAKE_COUNT_MAX || value <= -MAKE_COUNT_MAX)
        return;
    if (is_least && (!range->has_least || value > range->least)) {
        range->least = value;
        range->has_least = true;
    } else if (!is_least && (!range->has_most || value < range->most)) {
        range->most = value;
        range->has_most = true;
    }
}

static make_range make_range_of(const make_want *all)
{
    make_range range = {.step = 1};

    for (uint32_t i = 0; i < all->count; i++) {
        const surety__shape *shape = all->shapes[i];
        const surety__numbers *numbers = shape->numbers;

        if (!numbers)
            continue;
        make_bound(shape, numbers->minimum, true, &range);
        make_bound(shape, numbers->exclusive_minimum, true, &range);
        make_bound(shape, numbers->maximum, false, &range);
        make_bound(shape, numbers->exclusive_maximum, false, &range);
        if (numbers->multiple_of) {
            const double step = surety_val_real(
                surety__val_of(shape->at.doc, numbers->multiple_of), 1);

            if (!range.has_step || step > range.step)
                range.step = step;
            range.has_step = true;
        }
    }
    return range;
}

/* A double whose magnitude an integer of 64 bits holds, rounded down. */
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

static void make_put_real(make_state *state, double value)
{
    char digits[32];

    if (value - value != 0) /* infinite, or no number */
        value = 0;
    surety_buf_append(state->out, digits, surety__number_write(value, digits));
}

/* The bounds as they are written first where a double cannot tell. */
static bool make_number(make_state *state, const make_want *want,
                        const make_want *all)
{
    const make_range range = make_range_of(all);
    const size_t start = state->out->len;

    for (unsigned n = 0; n < MAKE_GUESSES; n++) {
        make_put_real(state, make_guess(&range, n));
        if (make_keep(state, want, start))
            return true;
    }
    for (uint32_t i = 0; i < all->count; i++) {
        const surety__numbers *numbers = all->shapes[i]->numbers;
        const surety_doc *doc = all->shapes[i]->at.doc;

        if (numbers && numbers->minimum &&
            make_copy(state, want, surety__val_of(doc, numbers->minimum)))
            return true;
        if (numbers && numbers->maximum &&
            make_copy(state, want, surety__val_of(doc, numbers->maximum)))
            return true;
        if (numbers && numbers->multiple_of &&
            make_copy(state, want, surety__val_of(doc, numbers->multiple_of)))
            return true;
    }
    return false;
}

/* ---- texts --------------------------------------------------------------- */

/* Writes raw as a JSON string and keeps it if it is good. */
static bool make_put_text(make_state *state, const make_want *want,
                          const surety_buf *raw)
{
    const size_t start = state->out->len;

    if (raw->status != SURETY_OK)
        state->out->status = raw->status;
    surety_json_string(state->out, surety_buf_str(raw));
    return make_keep(state, want, start);
}

/* A plain text of a length that is allowed. The n-th has its number. */
static bool make_plain(make_state *state, const make_want *want,
                       const make_want *all, unsigned n)
{
    uint64_t least = 0, most = UINT64_MAX;
    surety_buf raw;
    bool good = false;

    for (uint32_t i = 0; i < all->count; i++) {
        const surety__strings *strings = all->shapes[i]->strings;

        if (strings && strings->min_length > least)
            least = strings->min_length;
        if (strings && strings->max_length < most)
            most = strings->max_length;
    }
    surety_buf_init(&raw, state->alloc, 0);
    if (n > 0)
        surety__buf_printf(&raw, "%u ", n + 1);
    surety_buf_text(&raw, "text");
    while (raw.len < least && raw.len < 65536 && raw.status == SURETY_OK)
        surety_buf_text(&raw, " text");
    if (raw.len > most && most >= least)
        raw.len = (size_t)most;
    else if (least > 4 && raw.len > least)
        raw.len = (size_t)least;
    if (raw.len && raw.ptr[raw.len - 1] == ' ')
        raw.ptr[raw.len - 1] = 't';
    good = make_put_text(state, want, &raw);
    surety_buf_done(&raw);
    return good;
}

/* Texts that one pattern matches. */
static bool make_matching(make_state *state, const make_want *want,
                          surety_str source, unsigned n)
{
    static const unsigned more[] = {3, 0, 1, 7, 15, 31, 99};
    surety_buf raw;
    size_t last = SIZE_MAX;
    bool good = false;

    surety_buf_init(&raw, state->alloc, 0);
    for (size_t i = 0; i < sizeof(more) / sizeof(*more) && !good; i++) {
        surety_buf_reset(&raw);
        if (!surety__make_pattern(source, n, more[i], &raw))
            state->out->status = raw.status;
        else if (raw.len != last) /* nothing is repeated otherwise */
            good = make_put_text(state, want, &raw);
        last = raw.len;
    }
    surety_buf_done(&raw);
    return good;
}

static bool make_string(make_state *state, const make_want *want,
                        const make_want *all)
{
    surety_buf raw;
    bool good = false;

    for (uint32_t i = 0; i < all->count && !good; i++) {
        const surety__strings *strings = all->shapes[i]->strings;
        const surety_str format =
            surety_val_str(surety_val_get(all->shapes[i]->at, "format"));

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
            good = make_matching(
                state, want,
                surety_val_str(surety_val_get(all->shapes[i]->at, "pattern")),
                n);
    }
    for (unsigned n = 0; n < MAKE_GUESSES && !good; n++)
        good = make_plain(state, want, all, n);
    return good;
}

/* ---- arrays -------------------------------------------------------------- */

/* What the i-th item must satisfy; false: there must be none. */
static bool make_item_want(const make_want *all, size_t i, make_want *item)
{
    *item = (make_want){.count = 0};
    for (uint32_t k = 0; k < all->count; k++) {
        const surety__arrays *arrays = all->shapes[k]->arrays;

        if (!arrays)
            continue;
        if (i >= arrays->max_items)
            return false;
        if (i < arrays->prefix_count)
            make_add(item, arrays->prefix[i]);
        else
            make_add(item, arrays->rest);
        if (arrays->contains && i < arrays->min_contains)
            make_add(item, arrays->contains);
    }
    for (uint32_t k = 0; k < item->count; k++)
        if (item->shapes[k]->never)
            return false;
    return !item->overflow;
}

/* Whether an unfolded want is one of the first `depth` that are being made. */
static bool make_is_open(const make_state *state, const make_want *all,
                         unsigned depth)
{
    for (unsigned d = 0; d < depth; d++)
        for (uint32_t i = 0; i < state->open[d]->count; i++)
            for (uint32_t k = 0; k < all->count; k++)
                if (state->open[d]->shapes[i] == all->shapes[k] &&
                    (all->shapes[k]->objects || all->shapes[k]->arrays))
                    return true;
    return false;
}

/* Whether a value for want would be one of those being made. */
static bool make_recurs(const make_state *state, const make_want *want)
{
    make_want all;

    make_unfold(want, 0, &all);
    return make_is_open(state, &all, state->depth);
}

static bool make_array(make_state *state, const make_want *want,
                       const make_want *all)
{
    const size_t start = state->out->len;
    const unsigned turn = state->turn;
    uint64_t least = 0, prefix = 0;
    bool unique = false;
    make_want item;

    for (uint32_t i = 0; i < all->count; i++) {
        const surety__arrays *arrays = all->shapes[i]->arrays;

        if (!arrays)
            continue;
        if (arrays->min_items > least)
            least = arrays->min_items;
        if (arrays->contains && arrays->min_contains > least)
            least = arrays->min_contains;
        if (arrays->prefix_count > prefix)
            prefix = arrays->prefix_count;
        unique |= arrays->unique;
    }
    if (least > MAKE_ITEMS)
        return false;
    surety_buf_byte(state->out, '[');
    for (uint64_t i = 0; i < least || state->optional; i++) {
        const size_t before = state->out->len;

        if (!make_item_want(all, i, &item))
            break;
        if (i >= least &&
            (i >= (prefix ? prefix : 1) || item.count == 0 ||
             state->depth > MAKE_OPTIONAL || make_recurs(state, &item)))
            break;
        if (i > 0)
            surety_buf_byte(state->out, ',');
        if (!make_value(state, &item,
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

/* What the member called name must satisfy; false: it must not be there. */
static bool make_member_want(make_state *state, const make_want *all,
                             surety_str name, make_want *member)
{
    const uint32_t hash = surety__hash(name.ptr, name.len) & 0xFFFF;

    *member = (make_want){.count = 0};
    for (uint32_t i = 0; i < all->count; i++) {
        const surety__objects *objects = all->shapes[i]->objects;
        const surety__property *property;
        bool covered = false;

        if (!objects)
            continue;
        property = surety__objects_named(objects, name, hash);
        if (property && property->shape) {
            make_add(member, property->shape);
            covered = true;
        }
        for (uint32_t k = 0; k < objects->pattern_count; k++) {
            const int match = surety__pattern_match(
                objects->patterns[k].pattern, state->matcher, name);

            if (match == SURETY_NOMEM)
                state->out->status = SURETY_NOMEM;
            if (match != 1)
                continue;
            make_add(member, objects->patterns[k].shape);
            covered = true;
        }
        if (!covered)
            make_add(member, objects->additional);
    }
    for (uint32_t i = 0; i < member->count; i++)
        if (member->shapes[i]->never)
            return false;
    return !member->overflow;
}

/* Whether a shape before the i-th names this property too. */
static bool make_is_second(const make_want *all, uint32_t i, surety_str name)
{
    const uint32_t hash = surety__hash(name.ptr, name.len) & 0xFFFF;

    for (uint32_t k = 0; k < i; k++)
        if (all->shapes[k]->objects &&
            surety__objects_named(all->shapes[k]->objects, name, hash))
            return true;
    return false;
}

static bool make_is_required(const make_want *all, surety_str name)
{
    const uint32_t hash = surety__hash(name.ptr, name.len) & 0xFFFF;

    for (uint32_t i = 0; i < all->count; i++) {
        const surety__property *property =
            all->shapes[i]->objects
                ? surety__objects_named(all->shapes[i]->objects, name, hash)
                : NULL;

        if (property && property->required)
            return true;
    }
    return false;
}

/* Appends one member. False: none can be made. */
static bool make_member(make_state *state, const make_want *member,
                        surety_str name, size_t start, unsigned turn)
{
    const size_t before = state->out->len;

    if (before > start + 1)
        surety_buf_byte(state->out, ',');
    surety_json_string(state->out, name);
    surety_buf_byte(state->out, ':');
    if (make_value(state, member, turn))
        return true;
    if (state->out->status == SURETY_OK)
        state->out->len = before;
    return false;
}

/* Members nobody names, until there are enough: names that a pattern matches,
 * then any. */
static void make_more(make_state *state, const make_want *all, size_t start,
                      uint64_t missing)
{
    make_want member;
    surety_buf name;

    surety_buf_init(&name, state->alloc, 0);
    for (unsigned n = 0; n < MAKE_GUESSES && missing > 0; n++) {
        const surety__objects *objects =
            n < all->count ? all->shapes[n]->objects : NULL;

        surety_buf_reset(&name);
        if (objects && objects->pattern_count)
            surety__make_pattern(objects->patterns[0].source, 0, 2, &name);
        else
            surety__buf_printf(&name, "key%u", n + 1);
        if (name.status != SURETY_OK)
            state->out->status = name.status;
        if (make_member_want(state, all, surety_buf_str(&name), &member) &&
            make_member(state, &member, surety_buf_str(&name), start, 0))
            missing--;
    }
    surety_buf_done(&name);
}

/* Whether an optional member shall be there. */
static bool make_is_shown(const make_state *state, const make_want *member)
{
    return state->optional && state->depth <= MAKE_OPTIONAL &&
           member->count > 0 && !make_recurs(state, member);
}

/* A key that a map takes: the first that propertyNames lists, or any. */
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

/* A member of a map, to show what stands in it. False: it is none, or shows
 * nothing. */
static bool make_map_member(make_state *state, const make_want *all,
                            size_t start)
{
    make_want member;

    for (uint32_t i = 0; i < all->count; i++) {
        const surety__objects *objects = all->shapes[i]->objects;
        surety_str key;

        if (!objects || !objects->additional || objects->additional->always ||
            objects->property_count || objects->pattern_count)
            continue;
        key = make_map_key(objects->names);
        return key.len && make_member_want(state, all, key, &member) &&
               make_is_shown(state, &member) &&
               make_member(state, &member, key, start, 0);
    }
    return false;
}

static bool make_object(make_state *state, const make_want *want,
                        const make_want *all)
{
    const size_t start = state->out->len;
    unsigned turn = state->turn;
    uint64_t count = 0, least = 0, most = UINT64_MAX;
    make_want member;

    for (uint32_t i = 0; i < all->count; i++) {
        const surety__objects *objects = all->shapes[i]->objects;

        if (objects && objects->min_properties > least)
            least = objects->min_properties;
        if (objects && objects->max_properties < most)
            most = objects->max_properties;
    }
    surety_buf_byte(state->out, '{');
    for (uint32_t i = 0; i < all->count; i++) {
        const surety__objects *objects = all->shapes[i]->objects;

        for (uint32_t k = 0; objects && k < objects->property_count; k++) {
            const surety_str name = objects->properties[k].name;
            const bool required = make_is_required(all, name);
            const bool may = make_member_want(state, all, name, &member);

            if (make_is_second(all, i, name))
                continue;
            if (required && !may)
                goto fail;
            if (!required &&
                (!may || count >= most || !make_is_shown(state, &member)))
                continue;
            if (make_member(state, &member, name, start, turn)) {
                count++;
                turn = 0;
            } else if (required) {
                goto fail;
            }
        }
    }
    if (count < least && least <= MAKE_ITEMS)
        make_more(state, all, start, least - count);
    if (count == 0 && least == 0 && most > 0 &&
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

static bool make_literal(make_state *state, const make_want *want,
                         const char *text)
{
    const size_t start = state->out->len;

    surety_buf_text(state->out, text);
    return make_keep(state, want, start);
}

/* The types that all of a want allow, and those that something is said of. */
static unsigned make_types(const make_want *all, unsigned *ret_said)
{
    unsigned types = TYPE_ANY;

    *ret_said = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const surety__shape *shape = all->shapes[i];

        types &= shape->types;
        *ret_said |= (shape->objects ? TYPE_OBJECT : 0u) |
                     (shape->arrays ? TYPE_ARRAY : 0u) |
                     (shape->strings ? TYPE_STRING : 0u) |
                     (shape->numbers ? TYPE_NUMBER | TYPE_INTEGER : 0u);
    }
    return types;
}

static bool make_kind(make_state *state, const make_want *want,
                      const make_want *all, unsigned type)
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

/* Puts a value of any type that is allowed together, the likely ones first. */
static bool make_together(make_state *state, const make_want *want,
                          const make_want *all)
{
    static const unsigned order[] = {TYPE_OBJECT,  TYPE_ARRAY,   TYPE_STRING,
                                     TYPE_INTEGER, TYPE_BOOLEAN, TYPE_NULL};
    unsigned said, types = make_types(all, &said);

    if (types & TYPE_NUMBER)
        types |= TYPE_INTEGER;
    if (make_named(state, want, all))
        return true;
    for (unsigned likely = 0; likely < 2; likely++)
        for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
            if ((types & order[i]) && ((said & order[i]) == 0) == likely &&
                make_kind(state, want, all, order[i]))
                return true;
    return make_empty(state, want, all);
}

/* Tries every way: those that begin what is being made again, or the others.
 * False in *ret_others: there were no others. */
static bool make_ways(make_state *state, const make_want *want, unsigned turn,
                      bool again, bool *ret_others)
{
    make_want *all = state->open[state->depth - 1];
    bool good = false;

    *ret_others = false;
    for (unsigned n = 0; n < MAKE_WAYS && !good; n++) {
        /* Later passes begin with other branches. */
        const unsigned way = n + (state->pass > 2 ? state->pass - 2 : 0);

        if (state->steps > MAKE_STEPS ||
            (!make_unfold(want, way, all) && n > 0))
            break;
        if (make_is_open(state, all, state->depth - 1) != again) {
            *ret_others = true;
            continue;
        }
        state->steps++;
        state->turn = turn;
        if (!all->overflow)
            good = make_together(state, want, all);
        if (state->out->status != SURETY_OK)
            break;
    }
    return good;
}

/* A union that may hold what is being made, and may hold something else, holds
 * something else: a tree ends at once. */
static bool make_value(make_state *state, const make_want *want, unsigned turn)
{
    const unsigned outer = state->turn;
    make_want all;
    bool others = false;
    bool good = false;

    if (state->depth == MAKE_DEPTH || state->out->status != SURETY_OK ||
        want->overflow)
        return false;
    state->open[state->depth++] = &all;
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
    make_want want = {.count = 0};
    bool good = false;

    state.checker = surety_checker_new(alloc, NULL);
    state.matcher = surety__matcher_new(alloc, &schema->limits);
    state.doc = surety_doc_new(alloc);
    make_add(&want, schema->root);
    if (!state.checker || !state.matcher || !state.doc)
        out->status = SURETY_NOMEM;
    else
        good = make_value(&state, &want, 0);
    surety_doc_free(state.doc);
    surety__matcher_free(state.matcher);
    surety_checker_free(state.checker);
    return good && out->status == SURETY_OK;
}
