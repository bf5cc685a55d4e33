/* SPDX-License-Identifier: Apache-2.0 */
/* Equality of values as JSON Schema defines it, and a hash that is equal for
 * equal values.
 *
 * Both values are walked together: the first one cell by cell, the second one
 * follows. In an array the second walk goes to the next item. In an object it
 * looks up the key, first at the position it has if both objects have the same
 * order. Neither function can allocate memory, and values may have any depth.
 * Hence:
 *
 * 1. The stack of open pairs has EQUAL_FRAMES entries. Deeper values drop the
 *    outer entries, which are computed again from the root when they are
 *    needed.
 * 2. Members at another position are looked up EQUAL_BATCH at a time, in one
 *    walk over the other object. So two objects of n members in different
 *    orders cost n * n / EQUAL_BATCH steps of a few instructions (100,000
 *    members: 39 million), whatever their keys' hashes are. Only nested large
 *    objects in different orders cost more: one walk for each inner object.
 * 3. The hash covers HASH_FRAMES levels; of deeper containers only the kind and
 *    the count. */
#include "json/inside.h"

enum {
    EQUAL_FRAMES = 128,
    EQUAL_BATCH = 256,
    EQUAL_FEW = 16,
    HASH_FRAMES = 64
};

/* Two containers that are compared. */
struct equal_frame {
    uint32_t a, b;
    uint32_t last; /* in b: the value compared last, 0: none */
};

/* Some members of one object of a, and where the object of b has them. */
struct equal_batch {
    uint32_t object; /* in a; PLACE_NONE: the batch is empty */
    uint32_t count;
    uint32_t found[EQUAL_BATCH]; /* the same keys in b; 0: b has none */
    uint32_t keys[EQUAL_BATCH];  /* of a, by hash, length and bytes */
    uint32_t first, last;        /* the least and the greatest of keys */
    uint64_t filter[32];         /* one bit for each hash, modulo 2,048 */
};

struct equal {
    const surety_doc *a, *b;
    uint32_t a_root, b_root;
    struct equal_frame frames[EQUAL_FRAMES];
    size_t depth;
    bool dropped; /* the stack has dropped outer frames */
    struct equal_batch batch;
};

static uint32_t equal_after(const surety_doc *doc, uint32_t index)
{
    return (uint32_t)(surety__cell_after(&doc->cells[index]) - doc->cells);
}

static int equal_compare_key(const surety_doc *a_doc, const surety__cell *a,
                             const surety_doc *b_doc, const surety__cell *b)
{
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    if (a->len != b->len)
        return a->len < b->len ? -1 : 1;
    return a->len ? memcmp(surety__cell_str(a_doc, a).ptr,
                           surety__cell_str(b_doc, b).ptr, a->len)
                  : 0;
}

/* ---- members in another order ------------------------------------------ */

/* Fills the batch with up to EQUAL_BATCH keys of a's object, from key on, and
 * sorts them. */
static void equal_take(struct equal *equal, uint32_t object, uint32_t key)
{
    struct equal_batch *batch = &equal->batch;
    uint32_t end = equal_after(equal->a, object);
    const surety__cell *cells = equal->a->cells;

    memset(batch->filter, 0, sizeof(batch->filter));
    batch->object = object;
    batch->count = 0;
    batch->first = key;
    while (key < end && batch->count < EQUAL_BATCH) {
        uint32_t at = batch->count++;
        uint16_t hash = cells[key].hash;

        batch->filter[hash >> 6 & 31] |= (uint64_t)1 << (hash & 63);
        for (;
             at > 0 && equal_compare_key(equal->a, &cells[batch->keys[at - 1]],
                                         equal->a, &cells[key]) > 0;
             at--)
            batch->keys[at] = batch->keys[at - 1];
        batch->keys[at] = key;
        batch->last = key;
        key = equal_after(equal->a, key + 1);
    }
}

/* Returns the index of the key, a cell of doc, among the batch's keys; count:
 * it is not there. */
static uint32_t equal_place(const struct equal *equal, const surety_doc *doc,
                            const surety__cell *key)
{
    const struct equal_batch *batch = &equal->batch;
    uint32_t low = 0, high = batch->count;

    assert(batch->count <= EQUAL_BATCH);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = equal_compare_key(
            equal->a, &equal->a->cells[batch->keys[middle]], doc, key);

        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return batch->count;
}

/* Finds the batch's keys in b's object. */
static void equal_seek(struct equal *equal, uint32_t b_object)
{
    struct equal_batch *batch = &equal->batch;
    const surety__cell *key = &equal->b->cells[b_object] + 1;
    uint32_t missing = batch->count;

    memset(batch->found, 0, sizeof(batch->found));
    for (uint32_t i = 0; i < equal->b->cells[b_object].count && missing; i++) {
        uint64_t word = batch->filter[key->hash >> 6 & 31];

        if (word >> (key->hash & 63) & 1) {
            uint32_t place = equal_place(equal, equal->b, key);

            if (place < batch->count) {
                batch->found[place] = (uint32_t)(key - equal->b->cells);
                missing--;
            }
        }
        key = surety__cell_after(key + 1);
    }
}

/* Returns the value in the frame's object of b that has the key of a's cell; 0:
 * there is none. */
static uint32_t equal_member(struct equal *equal,
                             const struct equal_frame *frame, uint32_t key)
{
    const surety__cell *cell = &equal->a->cells[key];
    const surety__cell *object = &equal->b->cells[frame->b];
    uint32_t next =
        frame->last ? equal_after(equal->b, frame->last) : frame->b + 1;
    uint32_t place;

    if (next < equal_after(equal->b, frame->b) &&
        equal_compare_key(equal->a, cell, equal->b, &equal->b->cells[next]) ==
            0)
        return next + 1;
    if (object->count <= EQUAL_FEW) {
        const surety__cell *member = surety__member(
            equal->b, object, surety__cell_str(equal->a, cell), cell->hash);

        return member ? (uint32_t)(member - equal->b->cells) : 0;
    }
    if (equal->batch.object != frame->a || key < equal->batch.first ||
        key > equal->batch.last) {
        equal_take(equal, frame->a, key);
        equal_seek(equal, frame->b);
    }
    place = equal_place(equal, equal->a, cell);
    assert(place < equal->batch.count);
    return equal->batch.found[place] ? equal->batch.found[place] + 1 : 0;
}

/* ---- walking ----------------------------------------------------------- */

static void equal_push(struct equal *equal, uint32_t a, uint32_t b)
{
    assert(equal->a->cells[a].kind >= CELL_ARRAY);
    assert(equal->b->cells[b].kind == equal->a->cells[a].kind);
    if (equal->depth == EQUAL_FRAMES) {
        equal->depth = EQUAL_FRAMES / 2;
        memmove(equal->frames, equal->frames + EQUAL_FRAMES / 2,
                sizeof(equal->frames) / 2);
        equal->dropped = true;
    }
    equal->frames[equal->depth++] = (struct equal_frame){a, b, 0};
}

/* Computes the frames around a's cell at index again, from the root down. */
static void equal_refill(struct equal *equal, uint32_t index)
{
    uint32_t a = equal->a_root, b = equal->b_root;

    equal->dropped = false;
    for (;;) {
        bool object = equal->a->cells[a].kind == CELL_OBJECT;
        uint32_t value = a + 1 + object;
        uint32_t other = b + 1 + object;
        struct equal_frame *frame;

        equal_push(equal, a, b);
        frame = &equal->frames[equal->depth - 1];
        while (equal_after(equal->a, value) <= index) {
            frame->last = object ? 0 : other;
            value = equal_after(equal->a, value) + object;
            if (!object)
                other = equal_after(equal->b, other);
        }
        if (value - object <= index && index <= value)
            return;
        if (object)
            other = equal_member(equal, frame, value - 1);
        frame->last = other;
        a = value;
        b = other;
    }
}

/* Returns whether two cells are equal: scalars completely, containers by kind
 * and count. */
static bool equal_cells(const struct equal *equal, const surety__cell *a,
                        const surety__cell *b)
{
    switch (a->kind) {
    case CELL_INT:
    case CELL_WHOLE:
    case CELL_REAL:
        return surety__cell_is_number(b) &&
               surety__number_compare(equal->a, a, equal->b, b) == 0;
    case CELL_STRING:
    case CELL_KEY:
        return surety__cell_is_string(b) &&
               equal_compare_key(equal->a, a, equal->b, b) == 0;
    case CELL_ARRAY:
    case CELL_OBJECT: return a->kind == b->kind && a->count == b->count;
    default: return a->kind == b->kind;
    }
}

bool surety_val_equal(surety_val a, surety_val b)
{
    struct equal equal;
    uint32_t index, other, end;

    if (!a.doc || !b.doc)
        return !a.doc && !b.doc;
    if (a.index >= a.doc->cell_count || b.index >= b.doc->cell_count)
        return false;
    equal.a = a.doc;
    equal.b = b.doc;
    equal.a_root = index = a.index;
    equal.b_root = other = b.index;
    equal.depth = 0;
    equal.dropped = false;
    equal.batch.object = PLACE_NONE;
    end = equal_after(a.doc, index);
    for (;;) {
        const surety__cell *cell = &a.doc->cells[index];
        struct equal_frame *frame;

        if (!equal_cells(&equal, cell, &b.doc->cells[other]))
            return false;
        if (cell->kind >= CELL_ARRAY && cell->count)
            equal_push(&equal, index, other);
        if (++index >= end)
            return true;
        while (equal.depth &&
               equal_after(a.doc, equal.frames[equal.depth - 1].a) <= index)
            equal.depth--;
        if (equal.depth == 0)
            equal_refill(&equal, index);
        frame = &equal.frames[equal.depth - 1];
        if (a.doc->cells[frame->a].kind == CELL_ARRAY)
            other =
                frame->last ? equal_after(b.doc, frame->last) : frame->b + 1;
        else
            other = equal_member(&equal, frame, index++);
        if (other == 0)
            return false;
        frame->last = other;
    }
}

/* ---- hash -------------------------------------------------------------- */

static uint64_t hash_mix(uint64_t a, uint64_t b)
{
    uint64_t hash =
        (a ^ (b + 0x9E3779B97F4A7C15u + (a << 6))) * 0xFF51AFD7ED558CCDu;

    hash ^= hash >> 32;
    hash *= 0xC4CEB9FE1A85EC53u;
    return hash ^ hash >> 29;
}

/* Hashes the digits, as a number modulo 2^64, with sign and exponent. The
 * result is equal for all spellings of a number, and small integers need no
 * text. */
static uint64_t hash_number(const surety_doc *doc, const surety__cell *cell)
{
    surety__decimal number;
    uint64_t digits = 0;
    int64_t exponent = 0;
    bool negative;

    if (cell->kind == CELL_INT) {
        negative = cell->i < 0;
        digits = negative ? 0 - (uint64_t)cell->i : (uint64_t)cell->i;
        for (; digits && digits % 10 == 0; digits /= 10)
            exponent++;
    } else {
        number = surety__cell_decimal(doc, cell);
        negative = number.digit_count && number.negative;
        exponent = number.exponent;
        for (uint32_t i = 0; i < number.digits_len; i++)
            if (number.digits[i] != '.')
                digits = digits * 10 + (uint64_t)(number.digits[i] - '0');
    }
    return hash_mix(hash_mix(CELL_INT, digits),
                    (uint64_t)exponent * 2 + negative);
}

/* Hashes a scalar completely, a container by its kind and count. */
static uint64_t hash_cell(const surety_doc *doc, const surety__cell *cell)
{
    surety_str text;

    switch (cell->kind) {
    case CELL_INT:
    case CELL_WHOLE:
    case CELL_REAL: return hash_number(doc, cell);
    case CELL_STRING:
    case CELL_KEY:
        text = surety__cell_str(doc, cell);
        return hash_mix(CELL_STRING, surety__hash(text.ptr, text.len) +
                                         ((uint64_t)text.len << 32));
    case CELL_ARRAY:
    case CELL_OBJECT: return hash_mix(cell->kind, cell->count);
    default: return hash_mix(cell->kind, 0);
    }
}

uint64_t surety__val_hash(surety_val val)
{
    struct {
        uint64_t hash; /* of the container, up to here */
        uint64_t key;  /* of the next member */
        const surety__cell *cell;
    } frames[HASH_FRAMES];
    size_t depth = 0;
    const surety__cell *cell, *end;
    uint64_t hash;

    if (!val.doc || val.index >= val.doc->cell_count)
        return 0;
    cell = surety__cell_of(val);
    if (cell->kind < CELL_ARRAY)
        return hash_cell(val.doc, cell);
    end = surety__cell_after(cell);
    for (;;) {
        hash = hash_cell(val.doc, cell);
        if (cell->kind == CELL_KEY && depth) {
            frames[depth - 1].key = hash;
            cell++;
            continue;
        }
        if (cell->kind >= CELL_ARRAY && cell->count && depth < HASH_FRAMES) {
            frames[depth].hash = hash;
            frames[depth].key = 0;
            frames[depth++].cell = cell++;
            continue;
        }
        cell = surety__cell_after(cell);
        /* The value is complete: add its hash to its container and, if it was
         * the last value, the container's hash to the next one. The order of
         * members does not matter. */
        for (; depth; depth--) {
            if (frames[depth - 1].cell->kind == CELL_OBJECT)
                frames[depth - 1].hash += hash_mix(frames[depth - 1].key, hash);
            else
                frames[depth - 1].hash = hash_mix(frames[depth - 1].hash, hash);
            if (cell < surety__cell_after(frames[depth - 1].cell))
                break;
            hash = hash_mix(frames[depth - 1].hash, 1);
        }
        if (cell >= end)
            return hash;
    }
}
