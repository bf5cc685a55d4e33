/* SPDX-License-Identifier: Apache-2.0 */
/* The assertions; see assert.h. Numbers are compared exactly: as integers where
 * both fit 64 bits, else as decimals. */
#include "schema/assert.h"

/* A failure: true where the caller must end. */
static bool assert_fails(surety__machine *machine, surety__failure failure)
{
    if (machine->mode == MODE_VALIDITY)
        return true;
    surety__report_failure(machine, failure);
    return false;
}

/* The same for a failure that needs nothing but the keyword and the value. */
static bool assert_breaks(surety__machine *machine, surety__keyword keyword,
                          const surety__cell *cell)
{
    return assert_fails(
        machine, (surety__failure){.keyword = keyword, .instance = cell});
}

bool surety__assert_pattern(surety__machine *machine,
                            const surety__pattern *pattern, surety_str text)
{
    int match;

    if (!surety__machine_charge(machine, 1 + text.len / 64))
        return false;
    match = surety__pattern_match(pattern, machine->matcher, text);
    if (!surety__machine_charge(machine,
                                surety__matcher_steps(machine->matcher) / 8))
        return false;
    if (match >= 0)
        return match > 0;
    machine->status =
        surety__match_fail(match, text, &machine->limits,
                           machine->status ? NULL : machine->reterr);
    return false;
}

/* ---- numbers ----------------------------------------------------------- */

static int number_order(const surety__machine *machine,
                        const surety__shape *shape, const surety__cell *cell,
                        const surety__cell *bound)
{
    if (cell->kind == CELL_INT && bound->kind == CELL_INT)
        return (cell->i > bound->i) - (cell->i < bound->i);
    return surety__number_compare(machine->doc, cell, shape->at.doc, bound);
}

static bool number_multiple(const surety__machine *machine,
                            const surety__shape *shape,
                            const surety__cell *cell,
                            const surety__cell *divisor)
{
    if (cell->kind == CELL_INT && divisor->kind == CELL_INT)
        return cell->i % divisor->i == 0;
    return surety__decimal_multiple(
        surety__cell_decimal(machine->doc, cell),
        surety__cell_decimal(shape->at.doc, divisor));
}

static bool assert_number(surety__machine *machine, const surety__shape *shape,
                          const surety__cell *cell)
{
    const surety__numbers *numbers = shape->numbers;
    const struct {
        surety__keyword keyword;
        const surety__cell *bound;
        int least, most; /* the orders that pass */
    } bounds[] = {
        {KW_MINIMUM, numbers->minimum, 0, 1},
        {KW_MAXIMUM, numbers->maximum, -1, 0},
        {KW_EXCLUSIVE_MINIMUM, numbers->exclusive_minimum, 1, 1},
        {KW_EXCLUSIVE_MAXIMUM, numbers->exclusive_maximum, -1, -1},
    };

    for (size_t i = 0; i < SURETY__COUNT(bounds); i++) {
        int order;

        if (!bounds[i].bound)
            continue;
        order = number_order(machine, shape, cell, bounds[i].bound);
        if (order >= bounds[i].least && order <= bounds[i].most)
            continue;
        if (assert_breaks(machine, bounds[i].keyword, cell))
            return false;
    }
    return !numbers->multiple_of ||
           number_multiple(machine, shape, cell, numbers->multiple_of) ||
           !assert_breaks(machine, KW_MULTIPLE_OF, cell);
}

/* ---- strings ----------------------------------------------------------- */

static uint64_t string_length(const surety_doc *doc, const surety__cell *cell)
{
    return cell->flags & FLAG_ASCII
               ? cell->len
               : surety__utf8_count(surety__cell_str(doc, cell));
}

/* Reading a string again costs as matching it does; counting is faster. */
static bool string_charge(surety__machine *machine,
                          const surety__strings *strings,
                          const surety__cell *cell)
{
    uint64_t cost = cell->flags & FLAG_ASCII ? 0 : cell->len / 1024;

    if (strings->format || strings->content_base64 || strings->content_json)
        cost += cell->len / 64;
    return surety__machine_charge(machine, cost);
}

static bool string_is_json(surety__machine *machine, surety_str text,
                           bool base64)
{
    surety_buf decoded;
    surety_status status;

    surety_buf_init(&decoded, machine->alloc, 0);
    if (base64)
        (void)surety__base64_decode(&decoded, text);
    status = decoded.status;
    if (!status)
        status = surety__machine_read(machine,
                                      base64 ? surety_buf_str(&decoded) : text);
    surety_buf_done(&decoded);
    if (status == SURETY_NOMEM)
        machine->status = status;
    return status == SURETY_OK;
}

static bool assert_string(surety__machine *machine, const surety__shape *shape,
                          const surety__cell *cell)
{
    const surety__strings *strings = shape->strings;
    surety_str text = surety__cell_str(machine->doc, cell);
    uint64_t length = strings->min_length;
    surety__failure failures[6];
    size_t count = 0;

    if (!string_charge(machine, strings, cell))
        return false;
    /* A character takes one byte to four: most strings need no counting. */
    if (text.len / 4 < strings->min_length || text.len > strings->max_length)
        length = string_length(machine->doc, cell);
    if (length < strings->min_length)
        failures[count++] = (surety__failure){.keyword = KW_MIN_LENGTH};
    if (length > strings->max_length)
        failures[count++] = (surety__failure){.keyword = KW_MAX_LENGTH};
    if (count && machine->mode == MODE_VALIDITY)
        return false;
    if (strings->format && !strings->format(text))
        failures[count++] = (surety__failure){.keyword = KW_FORMAT};
    if (strings->pattern &&
        !surety__assert_pattern(machine, strings->pattern, text))
        failures[count++] = (surety__failure){.keyword = KW_PATTERN};
    if (strings->content_base64 && !surety__content_base64(text))
        failures[count++] = (surety__failure){.keyword = KW_CONTENT_ENCODING};
    else if (strings->content_json &&
             !string_is_json(machine, text, strings->content_base64))
        failures[count++] = (surety__failure){.keyword = KW_CONTENT_MEDIA_TYPE};
    for (size_t i = 0; i < count && !machine->status; i++) {
        failures[i].instance = cell;
        failures[i].count = length;
        if (assert_fails(machine, failures[i]))
            return false;
    }
    return !machine->status;
}

/* ---- counts and names -------------------------------------------------- */

surety__keyword surety__assert_count(const surety__shape *shape,
                                     const surety__cell *cell)
{
    const surety__arrays *const arrays = shape->arrays;
    const surety__objects *const objects = shape->objects;

    if (cell->kind == CELL_ARRAY && arrays)
        return cell->count < arrays->min_items   ? KW_MIN_ITEMS
               : cell->count > arrays->max_items ? KW_MAX_ITEMS
                                                 : KW_NONE;
    if (cell->kind == CELL_OBJECT && objects)
        return cell->count < objects->min_properties   ? KW_MIN_PROPERTIES
               : cell->count > objects->max_properties ? KW_MAX_PROPERTIES
                                                       : KW_NONE;
    return KW_NONE;
}

/* Objects of more members are indexed where several names are looked up. */
enum { MEMBERS_FEW = 16 };

/* An object whose members are looked up by name. */
struct members {
    const surety__cell *object;
    /* By the hash of the key: its offset. NULL: the object is searched. */
    const surety__pair *pairs;
};

/* Indexes the object in the scratch of uniqueItems. False: the status is set.
 */
static bool members_index(surety__machine *machine, struct members *members)
{
    const surety__cell *object = members->object;
    const surety__cell *key = object + 1;

    if (!surety__machine_charge(machine, object->count))
        return false;
    if (surety__grow(machine->alloc, &machine->hashes, &machine->hash_cap,
                     object->count, sizeof(*machine->hashes), SIZE_MAX)) {
        machine->status = SURETY_NOMEM;
        return false;
    }
    for (uint32_t i = 0; i < object->count; i++) {
        machine->hashes[i] =
            (surety__pair){key->hash, (uint64_t)(key - object)};
        key = surety__cell_after(key + 1);
    }
    surety__pairs_sort(machine->hashes, object->count);
    members->pairs = machine->hashes;
    return true;
}

/* Prepares so many lookups. False: the status is set. */
static inline bool members_open(surety__machine *machine,
                                struct members *members, size_t lookups)
{
    return members->object->count <= MEMBERS_FEW || lookups <= MEMBERS_FEW ||
           members_index(machine, members);
}

/* Whether an indexed object has a member of this name, or the status is set. */
static bool members_find(surety__machine *machine,
                         const struct members *members, surety_str name)
{
    const surety__cell *object = members->object;
    const uint64_t hash = surety__hash(name.ptr, name.len) & UINT16_MAX;
    uint32_t low = 0;
    uint32_t high = object->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (members->pairs[middle].key < hash)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < object->count && members->pairs[low].key == hash; low++)
        if (!surety__machine_charge(machine, 1) ||
            surety_str_equal(
                surety__cell_str(machine->doc,
                                 object + members->pairs[low].value),
                name))
            return true;
    return false;
}

/* Whether the object has a member of this name, or the status is set. */
static inline bool members_have(surety__machine *machine,
                                const struct members *members, surety_str name)
{
    if (!surety__machine_charge(
            machine, members->pairs ? 1 : members->object->count / 16))
        return true;
    return members->pairs ? members_find(machine, members, name)
                          : surety__member_named(machine->doc, members->object,
                                                 name) != NULL;
}

/* The names of one dependent, whose key is there. */
static bool assert_dependent(surety__machine *machine,
                             const struct members *members,
                             const surety__shape *shape,
                             const surety__dependent_required *dependent)
{
    surety_val names = surety__val_of(shape->at.doc, dependent->names);

    SURETY_EACH (v, names) {
        surety__failure failure = {.keyword = dependent->keyword,
                                   .instance = members->object,
                                   .name = surety_val_str(v)};

        if (members_have(machine, members, failure.name))
            continue;
        failure.step.token = dependent->key;
        if (assert_fails(machine, failure))
            return false;
    }
    return !machine->status;
}

/* A report goes through the dependents in their order; for the validity the
 * members lead to those of many. */
static bool assert_dependents(surety__machine *machine,
                              const surety__shape *shape,
                              const surety__cell *object)
{
    const surety__objects *objects = shape->objects;
    const surety__cell *key = object + 1;
    const bool by_key = machine->mode == MODE_VALIDITY &&
                        objects->dependent_count > MEMBERS_FEW;
    struct members members = {.object = object};

    if (!objects->dependent_count)
        return true;
    if (!members_open(machine, &members, objects->dependent_names))
        return false;
    for (uint32_t i = 0; !by_key && i < objects->dependent_count; i++)
        if (members_have(machine, &members, objects->dependents[i].key) &&
            !assert_dependent(machine, &members, shape,
                              &objects->dependents[i]))
            return false;
    for (uint32_t i = 0; by_key && i < object->count; i++) {
        const surety__word *word = surety__words_find(
            objects->dependent_keys, surety__cell_str(machine->doc, key));
        uint64_t next = word ? word->number : 0;

        for (; next; next = objects->dependents[next - 1].next)
            if (!assert_dependent(machine, &members, shape,
                                  &objects->dependents[next - 1]))
                return false;
        key = surety__cell_after(key + 1);
    }
    return !machine->status;
}

bool surety__assert_names(surety__machine *machine, const surety__shape *shape,
                          const surety__cell *object, uint32_t seen)
{
    const surety__objects *objects = shape->objects;
    const bool lacks = seen != objects->required_count;
    struct members members = {.object = object};

    if (lacks && machine->mode == MODE_VALIDITY)
        return false;
    if (lacks && !members_open(machine, &members, objects->required_count))
        return false;
    for (uint32_t i = 0; lacks && i < objects->property_count; i++) {
        const surety__property *property = &objects->properties[i];

        if (property->required &&
            !members_have(machine, &members, property->name))
            surety__report_failure(machine,
                                   (surety__failure){.keyword = KW_REQUIRED,
                                                     .instance = object,
                                                     .name = property->name,
                                                     .count = i});
    }
    return assert_dependents(machine, shape, object);
}

/* ---- uniqueItems ------------------------------------------------------- */

/* Position of a pair's item among its array's items. */
static uint64_t unique_position(const surety__cell *array, uint64_t offset)
{
    const surety__cell *item = array + 1;
    uint64_t position = 0;

    for (; (uint64_t)(item - array) < offset; item = surety__cell_after(item))
        position++;
    return position;
}

/* Looks for equal items among those of one hash; a failure to be reported is of
 * the first item that is equal to one before it. Every comparison is work, so
 * that an array made to collide runs into the work limit instead of taking
 * quadratic time. */
static bool unique_equal(surety__machine *machine, const surety__cell *array,
                         const surety__pair *pairs, size_t count,
                         surety__failure *failure)
{
    uint64_t first = 0;
    uint64_t second = UINT64_MAX;

    for (size_t i = 0; i + 1 < count; i++)
        for (size_t j = i + 1; j < count && pairs[j].key == pairs[i].key &&
                               pairs[j].value < second;
             j++) {
            const surety__cell *a = array + pairs[i].value;
            const surety__cell *b = array + pairs[j].value;

            if (!surety__machine_charge(machine, 1))
                return false;
            if (!surety_val_equal(surety__val_of(machine->doc, a),
                                  surety__val_of(machine->doc, b)))
                continue;
            if (machine->mode == MODE_VALIDITY)
                return true;
            first = pairs[i].value;
            second = pairs[j].value;
        }
    if (second == UINT64_MAX)
        return false;
    failure->count = unique_position(array, first);
    failure->other = unique_position(array, second);
    failure->instance = array + second;
    return true;
}

/* The marks of at most so many items are compared with each other. */
enum { UNIQUE_FEW = 16 };

/* Equal values have equal marks, which cost less than hashes: nothing below
 * members is read. Of an object the order of its members must not matter, of a
 * number in it not how it is written. */
static uint64_t item_mark(const surety_doc *doc, const surety__cell *cell)
{
    const surety__cell *key = cell + 1;
    surety_str text = {NULL, 0};
    uint64_t mark = cell->kind;

    if (surety__cell_is_number(cell))
        return surety__val_hash(surety__val_of(doc, cell));
    if (surety__cell_is_string(cell))
        text = surety__cell_str(doc, cell);
    if (text.ptr)
        return (uint64_t)surety__hash(text.ptr, text.len) << 32 | text.len;
    if (cell->kind == CELL_ARRAY)
        return (uint64_t)cell->count << 8 | cell->kind;
    for (uint32_t i = 0; cell->kind == CELL_OBJECT && i < cell->count; i++) {
        uint64_t part = key->hash;

        if (surety__cell_is_string(key + 1)) {
            text = surety__cell_str(doc, key + 1);
            part |= (uint64_t)surety__hash(text.ptr, text.len) << 16;
        }
        mark += part * 0x9E3779B97F4A7C15u;
        key = surety__cell_after(key + 1);
    }
    return mark;
}

/* Whether the marks of a few items are all different: then they are, too. */
static bool items_differ(const surety_doc *doc, const surety__cell *array)
{
    const surety__cell *item = array + 1;
    uint64_t marks[UNIQUE_FEW];

    for (uint32_t i = 0; i < array->count; i++) {
        marks[i] = item_mark(doc, item);
        for (uint32_t k = 0; k < i; k++)
            if (marks[k] == marks[i])
                return false;
        item = surety__cell_after(item);
    }
    return true;
}

/* The slots of a table of so many marks; at most half of them are used. */
static size_t marks_room(uint32_t count)
{
    return (size_t)4 << (31 - __builtin_clz(count));
}

/* The same of many items, by a table of their marks with open addressing. Where
 * marks crowd, which chance hardly does, the items are not known to differ. */
static bool items_differ_all(const surety_doc *doc, const surety__cell *array,
                             uint64_t *slots)
{
    enum { CROWD_MAX = 32 };
    const size_t mask = marks_room(array->count) - 1;
    const surety__cell *item = array + 1;

    memset(slots, 0, (mask + 1) * sizeof(*slots));
    for (uint32_t i = 0; i < array->count; i++) {
        const uint64_t mark = item_mark(doc, item) | 1; /* 0: a free slot */
        size_t at = (mark * 0x9E3779B97F4A7C15u >> 32) & mask;
        uint32_t crowd = 0;

        for (; slots[at]; at = (at + 1) & mask)
            if (slots[at] == mark || ++crowd == CROWD_MAX)
                return false;
        slots[at] = mark;
        item = surety__cell_after(item);
    }
    return true;
}

/* Sorts the items of array by their hashes: a pair has one of these and the
 * item's offset. Whether two pairs have the same hash. */
static bool items_sort(const surety_doc *doc, const surety__cell *array,
                       surety__pair *pairs)
{
    const surety__cell *item = array + 1;
    bool same = false;

    for (uint32_t i = 0; i < array->count; i++) {
        pairs[i].key = surety__val_hash(surety__val_of(doc, item));
        pairs[i].value = (uint64_t)(item - array);
        item = surety__cell_after(item);
    }
    surety__pairs_sort(pairs, array->count);
    for (uint32_t i = 1; i < array->count && !same; i++)
        same = pairs[i].key == pairs[i - 1].key;
    return same;
}

bool surety__assert_unique(surety__machine *machine, const surety__shape *shape,
                           const surety__cell *array)
{
    surety__failure failure = {.keyword = KW_UNIQUE_ITEMS};
    surety__pair *pairs;

    if (!shape->arrays->unique || array->count < 2)
        return true;
    if (!surety__machine_charge(machine, array->span))
        return false;
    if (array->count <= UNIQUE_FEW && items_differ(machine->doc, array))
        return true;
    if (surety__grow(machine->alloc, &machine->hashes, &machine->hash_cap,
                     marks_room(array->count) / 2, sizeof(*pairs), SIZE_MAX)) {
        machine->status = SURETY_NOMEM;
        return false;
    }
    pairs = machine->hashes;
    if (items_differ_all(machine->doc, array, (uint64_t *)pairs) ||
        !items_sort(machine->doc, array, pairs) ||
        !unique_equal(machine, array, pairs, array->count, &failure))
        return true;
    return !assert_fails(machine, failure);
}

/* ---- contains ---------------------------------------------------------- */

bool surety__assert_contains(surety__machine *machine,
                             const surety__shape *shape,
                             const surety__cell *array, uint32_t matches)
{
    const surety__arrays *arrays = shape->arrays;
    surety__failure failure = {
        .keyword = KW_MAX_CONTAINS, .instance = array, .count = matches};

    if (matches >= arrays->min_contains && matches <= arrays->max_contains)
        return true;
    if (matches <= arrays->max_contains)
        failure.keyword =
            arrays->min_contains == 1 ? KW_CONTAINS : KW_MIN_CONTAINS;
    return !assert_fails(machine, failure);
}

/* ---- all --------------------------------------------------------------- */

static bool assert_kind(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell)
{
    surety__failure failure = {.instance = cell, .count = cell->count};

    switch ((enum surety__cell_kind)cell->kind) {
    case CELL_INT:
    case CELL_WHOLE:
    case CELL_REAL:
        return !shape->numbers || assert_number(machine, shape, cell);
    case CELL_STRING:
    case CELL_KEY:
        return !shape->strings || assert_string(machine, shape, cell);
    case CELL_ARRAY:
    case CELL_OBJECT:
        failure.keyword = surety__assert_count(shape, cell);
        return !failure.keyword || !assert_fails(machine, failure);
    default: return true;
    }
}

/* The work of reading a whole value, as a comparison does. */
static uint64_t choices_cost(const surety__cell *cell)
{
    if (cell->kind >= CELL_ARRAY)
        return cell->span / 4;
    return cell->kind == CELL_STRING || cell->kind == CELL_KEY ? cell->len / 64
                                                               : 0;
}

bool surety__assert_all(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell)
{
    surety_val val = surety__val_of(machine->doc, cell);

    if (shape->types != TYPE_ANY &&
        !(shape->types &
          surety__type_bits(machine->doc, cell, shape->lexical_integer)) &&
        assert_breaks(machine, KW_TYPE, cell))
        return false;
    if ((shape->choices || shape->constant) &&
        !surety__machine_charge(machine, choices_cost(cell)))
        return false;
    if (shape->choices &&
        !surety__choices_have(shape->choices, shape->at.doc, val) &&
        assert_breaks(machine, KW_ENUM, cell))
        return false;
    if (shape->constant &&
        !surety__choices_have(shape->constant, shape->at.doc, val) &&
        assert_breaks(machine, KW_CONST, cell))
        return false;
    return assert_kind(machine, shape, cell);
}
