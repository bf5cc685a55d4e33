/* SPDX-License-Identifier: Apache-2.0 */
/* The strict reader: one JSON text (RFC 8259) into cells, in two stages.
 *
 * Stage one (index.h, tokens.c) finds where values and signs stand, a window of
 * text at a time. Stage two, here, is the grammar over those tokens: a machine
 * whose state is the place in walk_values, and whose stack of open containers
 * is kept in the cells themselves (a container's span is its parent's index
 * until it closes).
 *
 * Cells are given room for a whole window of tokens at once, and the limit
 * values_max is looked at once a window: no leaf asks for either. Likewise a
 * key costs one look into a table by its hash; only an object in which two keys
 * fall on one place is looked through when it closes (unique.c).
 *
 * On a mistake the reader only stops; fault.c and explain.c read the text again
 * to say what is wrong. */
#include "json/inside.h"

#define READ_INLINE static inline __attribute__((always_inline))

/* A container in which a key may stand twice; only while it is open. */
#define FLAG_LOOK 0x40u
/* In a slot: keys of several hashes have it. What is below is an index above
 * slots_base, so neither may reach half of it. */
#define SLOT_SHARED 0x80000000u
#define SLOT_HALF (SLOT_SHARED / 2)

/* The machine's registers: nothing takes their address out of walk_values. */
struct walk {
    surety__cell *cells;
    uint32_t used;  /* cells taken */
    uint32_t open;  /* the innermost open container */
    uint32_t count; /* its values so far */
    uint32_t depth; /* open containers of this walk */
};

/* ---- memory ------------------------------------------------------------ */

/* Makes room for a cell for every token that there is. */
static bool walk_room(surety__tokens *tokens, const uint32_t *at, uint32_t used)
{
    surety_doc *doc = tokens->doc;
    const size_t count = used + (size_t)(tokens->end - at) + TOKENS_AHEAD;
    surety_status status;

    if (count <= doc->cell_cap)
        return true;
    status = surety__grow(doc->alloc, &doc->cells, &doc->cell_cap, count,
                          sizeof(*doc->cells), SLOT_HALF);
    tokens->nomem = status != SURETY_OK;
    return status == SURETY_OK;
}

/* The next window; used: the walk's cells. */
static const uint32_t *walk_fill(surety__tokens *tokens, const uint32_t *at,
                                 uint32_t used)
{
    at = surety__tokens_fill(tokens, at);
    if (!at || !walk_room(tokens, at, used) ||
        (size_t)used + tokens->values > tokens->doc->limits.values_max)
        return NULL;
    return at;
}

/* A closed object in which a key may stand twice; at: its bracket. False where
 * that is a mistake. */
static bool walk_look(surety__tokens *tokens, const uint32_t *at, uint32_t open)
{
    surety_doc *doc = tokens->doc;
    uint32_t later;

    doc->cells[open].flags = 0;
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
    surety__cell *cell = &walk->cells[walk->used];

    if (walk->depth >= tokens->doc->limits.depth_max)
        return NULL;
    if (walk->depth)
        walk->cells[walk->open].count = walk->count;
    surety__cell_head(cell, kind, 0, 0, *at);
    surety__cell_text(cell, 0, walk->open); /* count and span */
    walk->open = walk->used;
    walk->count = 0;
    walk->used++;
    walk->depth++;
    return at + 1;
}

/* Closes the innermost container, whose bracket is at `at`; NULL where its keys
 * may not be so. */
READ_INLINE const uint32_t *walk_close(surety__tokens *tokens,
                                       struct walk *walk, const uint32_t *at)
{
    surety__cell *cell = &walk->cells[walk->open];
    const uint32_t parent = cell->span;

    walk->depth--;
    surety__cell_text(cell, walk->count, walk->used - walk->open);
    if (cell->flags && !walk_look(tokens, at, walk->open))
        return NULL;
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

/* Notes the key in the last cell and, where another of the object may be the
 * same, that the object must be looked through. A slot that was filled since
 * the object opened is of a key of its own or of one that stands deeper. The
 * last key of a slot stands for all of its hash before it; a key of another
 * hash, which may be of an object around that is still open, is shared with. */
READ_INLINE void walk_slot(surety_doc *doc, struct walk *walk, uint32_t hash)
{
    const uint32_t base = doc->slots_base;
    uint32_t *slot = &doc->slots[hash % DOC_SLOTS];
    const uint32_t last = *slot & ~SLOT_SHARED;
    uint32_t next = base + walk->used;

    if (last > base) {
        const uint32_t shared =
            walk->cells[last - base].hash == walk->cells[walk->used].hash
                ? *slot & SLOT_SHARED
                : SLOT_SHARED;

        if (last > base + walk->open && (*slot & SLOT_SHARED || !shared))
            walk->cells[walk->open].flags = FLAG_LOOK;
        next |= shared;
    }
    *slot = next;
}

/* A key and its colon. */
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
    walk_slot(tokens->doc, walk, hash);
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
        }                                                                      \
    } while (0)

/* The value at `at`; gives the cursor behind it. */
READ_INLINE const uint32_t *walk_values(surety__tokens *tokens,
                                        const uint32_t *at)
{
    struct walk walk = {.cells = tokens->doc->cells, .open = PLACE_NONE};
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
    if (byte != '"') { /* the commonest first */
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
    tokens->used = walk.used;
    return at;
}

const uint32_t *surety__tokens_read(surety__tokens *tokens, const uint32_t *at)
{
    surety_doc *doc = tokens->doc;

    doc->cell_count = 0;
    doc->duplicate_count = 0;
    /* What older slots hold is at most slots_base; both must stay in range. */
    if (doc->slots_base >= SLOT_HALF) {
        memset(doc->slots, 0, sizeof(doc->slots));
        doc->slots_base = 0;
    }
    if (at <= tokens->end && !walk_room(tokens, at, 0))
        return NULL;
    at = walk_values(tokens, at);
    doc->slots_base += tokens->used;
    tokens->values += tokens->used;
    if (!at)
        return NULL;
    doc->cell_count = tokens->used;
    if (surety__keys_compact(doc)) {
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
    if (options && surety__options_take(&own, sizeof(own), options, reterr))
        return SURETY_MISUSE;
    at = surety__tokens_begin(&tokens, doc, text, options ? &own : NULL);
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
    /* The walk looks at tokens behind the value: a bracket is a safe last one,
     * and what stands behind the text's last one is no part of the value. */
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
