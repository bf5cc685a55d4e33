/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict straight from bytes: tokens and shapes side by side, without a
 * tree where nobody needs one.
 *
 * Most of a schema asks of a container only that each member or item satisfies
 * a shape of its own, and that some names are there. Such a container is
 * checked while it is read: a level holds its shape and what was seen. What no
 * shape has a say on is passed over. A value of which more is asked (several
 * shapes at once, uniqueItems, unevaluated...) is read into cells and given to
 * the verdict, and reading goes on behind it.
 *
 * Of a key that stands twice in an object the last value counts:
 * - where all of them hold, so does that one. Required names are bits, so that
 *   none is counted twice, and objects whose members are counted are read into
 *   cells;
 * - the branch of a union is chosen by the value of its tag, where that stands
 *   first; if the tag stands again in the object, the tree is asked;
 * - where one does not, the rest of the text is read for its grammar and for
 *   the keys that led there. If one of them stands again, or the value could
 * not be decided for a limit, the whole tree is asked, so that both ways always
 *   answer the same. */
#include "schema/machine.h"

struct straight_level {
    const surety__shape *shape;
    surety__cell key;          /* of the member at work */
    const surety__switch *tag; /* whose value chose the shape, or NULL */
    uint64_t seen;             /* required names */
    uint32_t count;            /* items */
    bool object;
    bool tagged; /* the tag was met */
};

struct surety__straight {
    surety_doc *doc; /* the window of tokens, and values read into cells */
    struct straight_level *levels;
    size_t level_cap;
};

/* What came out, of the text or of a value that cannot be entered. */
enum straight_step {
    STRAIGHT_YES,
    STRAIGHT_NO,     /* of a value: the cursor stands behind it */
    STRAIGHT_UNSURE, /* the tree must be asked */
    STRAIGHT_REFUSED,
    STRAIGHT_PASSED, /* the value holds; the cursor stands behind it */
    STRAIGHT_ENTER
};

void surety__straight_free(const surety_alloc *alloc,
                           struct surety__straight *straight)
{
    if (!straight)
        return;
    surety_doc_free(straight->doc);
    surety__free(alloc, straight->levels,
                 straight->level_cap * sizeof(*straight->levels));
    surety__free(alloc, straight, sizeof(*straight));
}

static struct surety__straight *straight_new(const surety_alloc *alloc)
{
    struct surety__straight *straight = surety__new(alloc, sizeof(*straight));

    if (!straight)
        return NULL;
    straight->doc = surety_doc_new(alloc);
    /* Any value: the doc then has the cell that leaves are put in. */
    if (straight->doc && surety_doc_read(straight->doc, SURETY__LITERAL("0"),
                                         NULL, NULL) == SURETY_OK)
        return straight;
    surety__straight_free(alloc, straight);
    return NULL;
}

static bool straight_room(struct surety__straight *straight,
                          surety__machine *machine, size_t depth)
{
    void *items = straight->levels;
    surety_status status =
        surety__grow(machine->alloc, &items, &straight->level_cap, depth + 1,
                     sizeof(*straight->levels), SIZE_MAX);

    straight->levels = items;
    return !status;
}

/* Whether the leaf in the doc's first cell satisfies shape. */
static inline bool straight_leaf(surety__machine *machine,
                                 const surety__shape *shape)
{
    const surety__cell *cell = machine->doc->cells;
    unsigned how = shape->how[cell->kind];

    if (how <= HOW_YES)
        return how == HOW_YES;
    shape = surety__route_end(shape, cell->kind);
    how = shape->how[cell->kind];
    if (how <= HOW_YES)
        return how == HOW_YES;
    if (how == HOW_CHECK)
        return surety__leaf_holds(machine, shape, cell);
    return surety__shape_holds(machine, shape, cell, BITS_NONE) &&
           machine->result;
}

/* Reads the value at `at` into cells; they are work that may be done. */
static const uint32_t *straight_cells(surety__machine *machine,
                                      surety__tokens *tokens,
                                      const uint32_t *at)
{
    at = surety__tokens_read(tokens, at);
    if (at)
        machine->work += (uint64_t)machine->limits.work_per_value *
                         surety_doc_size(machine->doc);
    return at;
}

/* The shape for the value of the member called key: NULL where nothing is
 * asked; *ret_several where more than one is. */
static const surety__shape *straight_wide(surety__machine *machine,
                                          const surety__objects *objects,
                                          const surety__cell *key,
                                          bool *ret_several)
{
    const surety__shape *first = NULL;
    const surety__shape *shape;
    surety__wide wide = {.sub = 0};

    *ret_several = false;
    while (!*ret_several &&
           (shape = surety__wide_member(machine, objects, key, &wide))) {
        if (shape->always)
            continue;
        *ret_several = first != NULL;
        first = first ? first : shape;
    }
    return first;
}

/* Whether the value in the doc's cells satisfies every shape that has a say on
 * the member called key. */
static bool straight_all(surety__machine *machine,
                         const surety__objects *objects,
                         const surety__cell *key)
{
    const surety__shape *shape;
    surety__wide wide = {.sub = 0};

    while ((shape = surety__wide_member(machine, objects, key, &wide)))
        if (!surety__shape_holds(machine, shape, machine->doc->cells,
                                 BITS_NONE) ||
            !machine->result)
            return false;
    return true;
}

/* For an object that starts at `at`: the branch that it can satisfy, if its
 * first member tells. */
static const surety__shape *straight_branch(const surety__shape *shape,
                                            surety__tokens *tokens,
                                            const uint32_t *at)
{
    const surety__applicator *applicator = shape->branching;
    const surety__switch *branching = applicator->branching;
    const surety__word *word;
    const uint32_t values = tokens->values;
    surety__cell key, value;
    uint64_t branches;

    if (!branching->name.ptr)
        return NULL;
    /* Looked at only: they are read again, and counted then. */
    at = surety__token_key(tokens, at + 1, &key);
    if (at && surety__token_byte(tokens, at) == '"' &&
        surety_str_equal(surety__cell_str(tokens->doc, &key), branching->name))
        at = surety__token_string(tokens, at, &value);
    else
        at = NULL;
    tokens->values = values;
    if (!at)
        return NULL;
    word = surety__words_find(&branching->words,
                              surety__cell_str(tokens->doc, &value));
    if (applicator->count > SWITCH_BRANCHES) {
        if (!word)
            return NULL;
        shape = applicator->shapes[word->branches - 1]->direct;
    } else {
        branches = branching->objects &
                   (branching->open | (word ? word->branches : 0));
        if (!branches || (branches & (branches - 1)))
            return NULL;
        shape = applicator->shapes[__builtin_ctzll(branches)]->direct;
    }
    return surety__route_end(shape, CELL_OBJECT);
}

/* The value whose bracket is at *at, as far as it can be decided without a
 * level; *shape becomes what a level is to be made for, *ret_tag what chose it.
 */
static enum straight_step straight_container(surety__machine *machine,
                                             surety__tokens *tokens,
                                             const uint32_t **at,
                                             const surety__shape **shape,
                                             const surety__switch **ret_tag)
{
    unsigned kind =
        surety__token_byte(tokens, *at) == '{' ? CELL_OBJECT : CELL_ARRAY;
    const surety__shape *branch;
    const surety__shape *wanted = *shape;

    *ret_tag = NULL;

    if (wanted)
        wanted = surety__route_end(wanted, kind);
    if (wanted && kind == CELL_OBJECT && wanted->branching) {
        branch = straight_branch(wanted, tokens, *at);
        if (branch && branch->straight_object) {
            *shape = branch;
            *ret_tag = wanted->branching->branching;
            return STRAIGHT_ENTER;
        }
    }
    if (!wanted || wanted->how[kind] == HOW_YES) {
        *at = surety__tokens_skip(tokens, *at);
        return *at ? STRAIGHT_PASSED : STRAIGHT_REFUSED;
    }
    *shape = wanted;
    if (wanted->how[kind] == HOW_NO) {
        *at = surety__tokens_skip(tokens, *at);
        return *at ? STRAIGHT_NO : STRAIGHT_REFUSED;
    }
    if (kind == CELL_OBJECT ? wanted->straight_object : wanted->straight_array)
        return STRAIGHT_ENTER;
    *at = straight_cells(machine, tokens, *at);
    if (!*at)
        return STRAIGHT_REFUSED;
    if (!surety__shape_holds(machine, wanted, machine->doc->cells, BITS_NONE))
        return STRAIGHT_UNSURE;
    return machine->result ? STRAIGHT_PASSED : STRAIGHT_NO;
}

static bool straight_is_tag(const surety__switch *tag, const surety_doc *doc,
                            const surety__cell *key)
{
    return surety_str_equal(surety__cell_str(doc, key), tag->name);
}

/* After a value that does not hold, in the innermost of depth levels as the
 * member called key: reads to the end of the text. Whether a key that led to
 * the value stands again. */
static enum straight_step straight_end(struct surety__straight *straight,
                                       surety__tokens *tokens,
                                       const uint32_t *at, size_t depth,
                                       surety__cell key)
{
    const surety_doc *doc = straight->doc;
    surety__cell other;

    for (; depth; depth--) {
        const struct straight_level *level = &straight->levels[depth - 1];

        for (;;) {
            at = surety__tokens_need(tokens, at);
            if (!at)
                return STRAIGHT_REFUSED;
            if (surety__token_byte(tokens, at) == (level->object ? '}' : ']'))
                break;
            if (surety__token_byte(tokens, at) != ',')
                return STRAIGHT_REFUSED;
            at = surety__tokens_need(tokens, at + 1);
            if (at && level->object)
                at = surety__token_key(tokens, at, &other);
            if (!at)
                return STRAIGHT_REFUSED;
            if (level->object &&
                (surety_str_equal(surety__cell_str(doc, &other),
                                  surety__cell_str(doc, &key)) ||
                 (level->tag && straight_is_tag(level->tag, doc, &other))))
                return STRAIGHT_UNSURE;
            at = surety__tokens_skip(tokens, at);
            if (!at)
                return STRAIGHT_REFUSED;
        }
        at = surety__token_leave(tokens, at);
        if (depth > 1)
            key = straight->levels[depth - 2].key;
    }
    return surety__tokens_end(tokens, at) ? STRAIGHT_NO : STRAIGHT_REFUSED;
}

/* The tokens from `at` on against the schema. */
static enum straight_step straight_run(struct surety__straight *straight,
                                       surety__machine *machine,
                                       surety__tokens *tokens,
                                       const uint32_t *at)
{
    surety_doc *const doc = straight->doc;
    const surety__shape *shape = machine->schema->root->direct;
    const surety__objects *objects = NULL;
    const surety__arrays *arrays = NULL;
    struct straight_level *level = NULL;
    const surety__slot *slot;
    const surety__switch *tag;
    enum straight_step step;
    surety__cell key = {.kind = CELL_KEY};
    size_t depth = 0;
    uint64_t seen = 0;
    uint32_t count = 0;
    bool several;
    char byte;

    at = surety__tokens_need(tokens, at);
    if (!at)
        return STRAIGHT_REFUSED;
    doc->cell_count = 1; /* where leaves are put */

    /* The value at `at`, for shape; NULL: whatever it is. */
value:
    byte = surety__token_byte(tokens, at);
    if (byte == '{' || byte == '[')
        goto container;
    if (byte == '"')
        at = surety__token_string(tokens, at, doc->cells);
    else if (byte == '-' || (byte >= '0' && byte <= '9'))
        at = surety__token_number(tokens, at, doc->cells);
    else
        at = surety__token_name(tokens, at, doc->cells);
    if (!at)
        return STRAIGHT_REFUSED;
    if (shape && !straight_leaf(machine, shape))
        goto failed;
after:
    if (!depth)
        return surety__tokens_end(tokens, at) ? STRAIGHT_YES : STRAIGHT_REFUSED;
    byte = surety__token_byte(tokens, at);
    if (byte == (objects ? '}' : ']'))
        goto close;
    if (byte != ',')
        return STRAIGHT_REFUSED;
    at = surety__tokens_need(tokens, at + 1);
    if (!at)
        return STRAIGHT_REFUSED;
    if (!objects)
        goto item;

member:
    at = surety__token_key(tokens, at, &key);
    if (!at)
        return STRAIGHT_REFUSED;
    if (level->tag && straight_is_tag(level->tag, doc, &key)) {
        if (level->tagged)
            return STRAIGHT_UNSURE;
        level->tagged = true;
    }
    slot = surety__slot_find(objects, doc, &key);
    shape = slot ? slot->shape : objects->other;
    seen |= slot ? slot->bit : 0;
    if (objects->names) {
        *doc->cells = key;
        if (!straight_leaf(machine, objects->names->direct)) {
            at = surety__tokens_skip(tokens, at);
            goto failed;
        }
    }
    if (objects->plain || (slot && slot->alone))
        goto value;
    shape = straight_wide(machine, objects, &key, &several);
    if (!several)
        goto value;
    at = straight_cells(machine, tokens, at);
    if (!at)
        return STRAIGHT_REFUSED;
    if (!straight_all(machine, objects, &key))
        goto failed;
    at = surety__tokens_need(tokens, at);
    if (!at)
        return STRAIGHT_REFUSED;
    goto after;

item:
    shape = count < arrays->prefix_count ? arrays->prefix[count] : arrays->rest;
    shape = shape ? shape->direct : NULL;
    count++;
    goto value;

container:
    at = surety__tokens_need(tokens, at);
    if (!at)
        return STRAIGHT_REFUSED;
    step = straight_container(machine, tokens, &at, &shape, &tag);
    if (step == STRAIGHT_PASSED)
        goto passed;
    if (step == STRAIGHT_NO)
        goto failed;
    if (step != STRAIGHT_ENTER)
        return step;
    if (depth >= straight->level_cap &&
        !straight_room(straight, machine, depth))
        return STRAIGHT_UNSURE;
    at = surety__token_enter(tokens, at);
    if (at)
        at = surety__tokens_need(tokens, at);
    if (!at)
        return STRAIGHT_REFUSED;
    level = &straight->levels[depth];
    if (depth++) {
        level[-1].key = key;
        level[-1].seen = seen;
        level[-1].count = count;
    }
    level->shape = shape;
    level->object = byte == '{';
    level->tag = tag;
    level->tagged = false;
    seen = 0;
    count = 0;
    objects = level->object ? shape->objects : NULL;
    arrays = shape->arrays;
    byte = surety__token_byte(tokens, at);
    if (byte != (objects ? '}' : ']')) {
        if (objects)
            goto member;
        goto item;
    }

close:
    if (objects ? seen != objects->required_bits
                : count < arrays->min_items || count > arrays->max_items) {
        at = surety__token_leave(tokens, at);
        depth--;
        if (depth)
            key = straight->levels[depth - 1].key;
        goto failed;
    }
    at = surety__token_leave(tokens, at);
    if (--depth) {
        level = &straight->levels[depth - 1];
        objects = level->object ? level->shape->objects : NULL;
        arrays = level->shape->arrays;
        key = level->key;
        seen = level->seen;
        count = level->count;
    }
passed:
    if (depth)
        at = surety__tokens_need(tokens, at);
    if (!at)
        return STRAIGHT_REFUSED;
    goto after;

    /* The value before `at` does not hold. */
failed:
    if (machine->status)
        return STRAIGHT_UNSURE;
    return at ? straight_end(straight, tokens, at, depth, key)
              : STRAIGHT_REFUSED;
}

surety_status surety_checker_check_text(surety_checker *checker,
                                        const surety_schema *schema,
                                        surety_str text,
                                        const surety_read_options *options,
                                        bool *ret_valid, surety_error *reterr)
{
    surety_read_options read;
    enum straight_step step = STRAIGHT_UNSURE;
    surety__tokens tokens;
    const uint32_t *at;
    surety_status status;
    surety_doc *doc;

    if (!checker || !schema || (!text.ptr && text.len) || !ret_valid)
        return surety__fail(reterr, SURETY_MISUSE, "there is nothing to check");
    if (!checker->straight)
        checker->straight = straight_new(checker->machine.alloc);
    if (!checker->straight)
        return surety__fail_nomem(reterr);
    if (surety__options_take(&read, sizeof(read), options, reterr))
        return SURETY_MISUSE;
    read.flags |= SURETY_READ_BORROW;
    doc = checker->straight->doc;
    if (!(read.flags & SURETY_READ_UNIQUE_KEYS)) {
        at = surety__tokens_begin(&tokens, doc, text, &read);
        surety__machine_start(&checker->machine, schema, (surety_val){doc, 0},
                              MODE_VALIDITY, NULL);
        step =
            at ? straight_run(checker->straight, &checker->machine, &tokens, at)
               : STRAIGHT_REFUSED;
    }
    if (step == STRAIGHT_REFUSED)
        return surety__tokens_fault(&tokens, reterr);
    /* What could not be asked looks as what holds until here. */
    if (step != STRAIGHT_UNSURE && !checker->machine.status) {
        *ret_valid = step == STRAIGHT_YES;
        return SURETY_OK;
    }
    status = surety_doc_read(doc, text, &read, reterr);
    if (status)
        return status;
    return surety_checker_check(checker, schema, surety_doc_root(doc),
                                ret_valid, reterr);
}
