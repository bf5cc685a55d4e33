/* SPDX-License-Identifier: Apache-2.0 */
/* The strict reader: reads one JSON text (RFC 8259) into cells, in two stages.
 *
 * 1. Stage one (index.h, tokens.c) finds the offsets of values and structural
 *    characters, one window of text at a time. Stage two, here, applies the
 *    grammar to these tokens. It is a state machine: its state is the current
 *    label in walk_values, and its stack of open containers is in the cells
 *    (until a container closes, its span is its parent's index).
 * 2. The cells get room for a whole window of tokens at once, and the limit
 *    values_max is checked once per window. So no scalar has to check either.
 *    Between two scalars is a comma or colon, and a container that is closed
 *    has two brackets. So half as many cells as tokens are enough, and half a
 *    cell more for each container that is open.
 * 3. A key costs one look into a table, by its hash. Only an object in which
 *    two keys share a slot is searched for duplicates when it closes
 *    (unique.c).
 * 4. At a mistake the reader only stops. fault.c and explain.c read the text
 *    again to describe the mistake. */
#include "json/tokens.h"

#define READ_INLINE static inline __attribute__((always_inline))

/* Marks an open container that may have duplicate keys. */
#define FLAG_LOOK 0x40u
/* Marks a slot that keys of several hashes share. The lower bits are a cell's
 * index; 0: the slot is empty. */
#define SLOT_SHARED 0x80000000u

enum { WALK_DEEPER = 16 }; /* containers that a window has room for */

/* The machine's state, kept in registers: walk_values passes its address to
 * inline functions only. */
struct walk {
    surety__cell *cells;
    uint32_t used;    /* number of cells */
    uint32_t open;    /* the innermost open container */
    uint32_t count;   /* number of its values so far */
    uint32_t depth;   /* number of open containers */
    uint32_t deepest; /* where a container that opens needs room */
};

/* ---- memory ------------------------------------------------------------ */

/* Makes room for the cells of the window's tokens, for WALK_DEEPER more open
 * containers. */
static bool walk_room(surety__tokens *tokens, const uint32_t *at, uint32_t used)
{
    surety_doc *doc = tokens->doc;
    const size_t count =
        used + (size_t)(tokens->end - at) / 2 + WALK_DEEPER / 2 + TOKENS_AHEAD;

    if (count <= doc->cell_cap)
        return true;
    tokens->nomem = surety__grow(doc->alloc, &doc->cells, &doc->cell_cap, count,
                                 sizeof(*doc->cells), SLOT_SHARED) != SURETY_OK;
    return !tokens->nomem;
}

/* Returns the depth up to which walk_room is enough, within the limit. */
static uint32_t walk_deepest(const surety__tokens *tokens, uint32_t depth)
{
    const uint32_t max = tokens->doc->limits.depth_max;

    return max - depth < WALK_DEEPER ? max : depth + WALK_DEEPER;
}

/* Reads the next window. used: the walk's cells. NULL: refused. */
static const uint32_t *walk_fill(surety__tokens *tokens, const uint32_t *at,
                                 uint32_t used)
{
    at = surety__tokens_fill(tokens, at);
    if (!at || !walk_room(tokens, at, used) ||
        used > tokens->doc->limits.values_max)
        return NULL;
    return at;
}

/* Searches a closed object for duplicate keys. at: its bracket; used: the
 * walk's cells, which may move. Returns false when a duplicate is a mistake, or
 * memory ran out. */
static bool walk_look(surety__tokens *tokens, const uint32_t *at, uint32_t open,
                      uint32_t used)
{
    surety_doc *doc = tokens->doc;
    uint32_t later;

    doc->cells[open].flags = 0;
    doc->cell_count = used;
    if (surety__keys_mark(doc, open, &later)) {
        tokens->nomem = true;
        return false;
    }
    if (later == PLACE_NONE || !tokens->unique)
        return true;
    tokens->duplicate = doc->cells[later].place;
    tokens->duplicate_end = *at;
    return false;
}

/* ---- containers -------------------------------------------------------- */

/* Opens the container whose bracket is at `at`. */
READ_INLINE const uint32_t *walk_open(surety__tokens *tokens, struct walk *walk,
                                      const uint32_t *at, uint8_t kind)
{
    surety__cell *cell;

    if (walk->depth >= walk->deepest) {
        if (walk->depth >= tokens->doc->limits.depth_max ||
            !walk_room(tokens, at, walk->used))
            return NULL;
        walk->cells = tokens->doc->cells;
        walk->deepest = walk_deepest(tokens, walk->depth);
    }
    cell = &walk->cells[walk->used];
    if (walk->depth)
        walk->cells[walk->open].count = walk->count;
    surety__cell_head(cell, kind, 0, 0, *at);
    surety__cell_text(cell, 0, walk->open); /* sets count and span */
    walk->open = walk->used;
    walk->count = 0;
    walk->used++;
    walk->depth++;
    return at + 1;
}

/* Closes the innermost container, whose bracket is at `at`. Returns NULL when
 * its keys may not be duplicate, and are. */
READ_INLINE const uint32_t *walk_close(surety__tokens *tokens,
                                       struct walk *walk, const uint32_t *at)
{
    surety__cell *cell = &walk->cells[walk->open];
    const uint32_t parent = cell->span;

    walk->depth--;
    surety__cell_text(cell, walk->count, walk->used - walk->open);
    if (cell->flags) {
        if (!walk_look(tokens, at, walk->open, walk->used))
            return NULL;
        walk->cells = tokens->doc->cells;
    }
    walk->open = parent;
    if (walk->depth)
        walk->count = walk->cells[parent].count;
    return at + 1;
}

/* ---- leaves ------------------------------------------------------------ */

READ_INLINE const uint32_t *walk_leaf(surety__tokens *tokens, struct walk *walk,
                                      const uint32_t *at, char byte)
{
    surety__cell *cell = &walk->cells[walk->used];

    walk->used++;
    walk->count++;
    if (byte == '"')
        return surety__token_quoted(tokens, at, cell, CELL_STRING, NULL);
    if (byte == '-' || surety__is_digit(byte))
        return surety__token_numeral(tokens, at, cell);
    return surety__token_named(tokens, at, cell);
}

/* Records the key in the last cell in its slot. If another key of the object
 * may be the same, marks the object for the search.
 *
 * A slot that was filled since the object opened has a key of this object, or
 * of a nested one. The last key of a slot represents all earlier keys with its
 * hash. If an earlier key has another hash, the slot is shared; that key may
 * belong to an outer object that is still open. */
READ_INLINE void walk_slot(surety__tokens *tokens, struct walk *walk,
                           uint32_t hash)
{
    uint32_t *slot = &tokens->slots[hash & tokens->slot_mask];
    const uint32_t last = *slot & ~SLOT_SHARED;
    uint32_t next = walk->used;

    if (last) {
        const uint32_t shared =
            walk->cells[last].hash == walk->cells[walk->used].hash
                ? *slot & SLOT_SHARED
                : SLOT_SHARED;

        if (last > walk->open && (*slot & SLOT_SHARED || !shared))
            walk->cells[walk->open].flags = FLAG_LOOK;
        next |= shared;
    }
    *slot = next;
}

/* Reads a key and its colon. */
READ_INLINE const uint32_t *walk_key(surety__tokens *tokens, struct walk *walk,
                                     const uint32_t *at)
{
    const char *base = tokens->base;
    surety__cell *cell = &walk->cells[walk->used];
    uint32_t hash;

    if ((base[at[0]] ^ '"') | (base[at[2]] ^ ':'))
        return NULL;
    at = surety__token_quoted(tokens, at, cell, CELL_KEY, &hash);
    if (!at)
        return NULL;
    walk_slot(tokens, walk, hash);
    walk->used++;
    return at + 1;
}

/* ---- the machine ------------------------------------------------------- */

#define WALK_NEED()                                                            \
    do {                                                                       \
        if (at > tokens->limit) {                                              \
            at = walk_fill(tokens, at, walk.used);                             \
            if (!at)                                                           \
                goto done;                                                     \
            walk.cells = tokens->doc->cells;                                   \
            walk.deepest = walk_deepest(tokens, walk.depth);                   \
        }                                                                      \
    } while (0)

/* Reads the value at `at`. Returns the cursor after it. */
static const uint32_t *walk_values(surety__tokens *tokens, const uint32_t *at)
{
    struct walk walk = {.cells = tokens->doc->cells,
                        .open = PLACE_NONE,
                        .deepest = walk_deepest(tokens, 0)};
    const char *const base = tokens->base;
    char byte;

    WALK_NEED();
    byte = base[*at];
    if (byte == '{')
        goto open_object;
    if (byte == '[')
        goto open_array;
    at = walk_leaf(tokens, &walk, at, byte);
    goto done;

open_object:
    at = walk_open(tokens, &walk, at, CELL_OBJECT);
    if (!at)
        goto done;
    WALK_NEED();
    if (base[*at] == '}')
        goto close;
member:
    at = walk_key(tokens, &walk, at);
    if (!at)
        goto done;
    byte = base[*at];
    if (byte != '"') { /* the most frequent case first */
        if (byte == '{')
            goto open_object;
        if (byte == '[')
            goto open_array;
    }
    at = walk_leaf(tokens, &walk, at, byte);
    if (!at)
        goto done;
after_member:
    byte = base[*at];
    if (byte == ',') {
        at++;
        WALK_NEED();
        goto member;
    }
    if (byte == '}')
        goto close;
    at = NULL;
    goto done;

open_array:
    at = walk_open(tokens, &walk, at, CELL_ARRAY);
    if (!at)
        goto done;
    WALK_NEED();
    if (base[*at] == ']')
        goto close;
item:
    byte = base[*at];
    if (byte != '"') {
        if (byte == '{')
            goto open_object;
        if (byte == '[')
            goto open_array;
    }
    at = walk_leaf(tokens, &walk, at, byte);
    if (!at)
        goto done;
after_item:
    byte = base[*at];
    if (byte == ',') {
        at++;
        WALK_NEED();
        goto item;
    }
    if (byte == ']')
        goto close;
    at = NULL;
    goto done;

close:
    at = walk_close(tokens, &walk, at);
    if (!at || !walk.depth)
        goto done;
    walk.count++;
    WALK_NEED();
    if (walk.cells[walk.open].kind == CELL_OBJECT)
        goto after_member;
    goto after_item;

done:
    tokens->values = walk.used;
    return at;
}

const uint32_t *surety__tokens_read(surety__tokens *tokens, const uint32_t *at)
{
    surety_doc *doc = tokens->doc;

    if (at <= tokens->end && !walk_room(tokens, at, 0))
        return NULL;
    memset(tokens->slots, 0, (tokens->slot_mask + 1) * sizeof(*tokens->slots));
    at = walk_values(tokens, at);
    assert(tokens->values <= doc->cell_cap);
    if (!at)
        return NULL;
    doc->cell_count = tokens->values;
    if (doc->duplicate_count && surety__keys_compact(doc)) {
        tokens->nomem = true;
        return NULL;
    }
    return at;
}

surety_status surety_doc_read(surety_doc *doc, surety_str text,
                              const surety_read_options *options,
                              surety_error *reterr)
{
    surety_read_options own;
    surety__tokens tokens;
    const uint32_t *at;

    if (!doc || (!text.ptr && text.len))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a document and a text are needed to read");
    if (options && options->size != sizeof(own)) {
        if (surety__options_take(&own, sizeof(own), options, reterr))
            return SURETY_MISUSE;
        options = &own;
    }
    at = surety__tokens_begin(&tokens, doc, text, options);
    if (at)
        at = surety__tokens_read(&tokens, at);
    if (at && surety__tokens_end(&tokens, at))
        return SURETY_OK;
    return surety__tokens_fault(&tokens, reterr);
}

bool surety__doc_read_first(surety_doc *doc, surety_str text,
                            const surety_limits *limits, size_t *ret_end)
{
    const surety_read_options options = {
        .size = sizeof(options), .flags = SURETY_READ_BORROW, .limits = limits};
    surety__tokens tokens;
    const uint32_t *at;

    *ret_end = 0;
    /* The walk reads tokens after the value. So the text is cut to end with a
     * bracket; the bytes after its last bracket cannot belong to the value. */
    while (text.len && text.ptr[text.len - 1] != '}' &&
           text.ptr[text.len - 1] != ']')
        text.len--;
    if (!text.len)
        return false;
    at = surety__tokens_begin(&tokens, doc, text, &options);
    if (at)
        at = surety__tokens_read(&tokens, at);
    if (!at || tokens.values > doc->limits.values_max) {
        *ret_end = text.len < TOKENS_WINDOW ? text.len : TOKENS_WINDOW;
        if (tokens.end && tokens.scan.next > *ret_end)
            *ret_end = tokens.scan.next;
        surety__doc_clear(doc);
        return false;
    }
    *ret_end = (size_t)at[-1] + 1;
    doc->text_len = *ret_end;
    return true;
}

surety_status surety__doc_mistake(surety_doc *doc, surety_str text,
                                  const surety_limits *limits,
                                  size_t *ret_offset)
{
    struct read_mistake mistake;

    doc->limits = surety_limits_of(limits);
    doc->text = text.ptr;
    doc->text_len = text.len;
    mistake = surety__fault_find(doc, false);
    surety__doc_clear(doc);
    *ret_offset = mistake.fault == FAULT_NONE ? text.len : mistake.offset;
    if (mistake.fault == FAULT_NONE || mistake.fault == FAULT_SECOND)
        return SURETY_OK;
    if (mistake.fault == FAULT_NOMEM)
        return SURETY_NOMEM;
    return mistake.fault >= FAULT_DEPTH ? SURETY_LIMIT : SURETY_SYNTAX;
}
