/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of the array at one location of a schema's values: whether one
 * of them is valid on its own, and what it is with its defaults and without
 * its unknown members.
 *
 * The way from the root to the array is followed once. On it allOf and
 * references apply always, and a union does if just one branch takes a value
 * of the kind that the way needs (as of an array that may be null). Any other
 * condition may or may not apply to the elements, which only the whole value
 * shows: then nothing is certain of one element alone. The same holds for
 * schemas with dynamic references. */
#include "schema/machine.h"
#include "schema/schema.h"

struct surety__elements {
    const surety_schema *schema;
    surety_status status;
    surety__arena arena;
    surety__graph graph;
    surety__member_facts member;
    surety__conjunction all;  /* of the array */
    surety__conjunction item; /* of the element at hand */
    unsigned kinds; /* bits of the kinds of cells that the way needs */
    unsigned how;   /* surety__completes */
    bool open;      /* not certain */
    bool none;      /* no value of these kinds is valid */
};

static bool elements_takes(const struct surety__elements *elements,
                           const surety__shape *shape)
{
    bool takes = false;

    for (unsigned kind = CELL_ARRAY; kind <= CELL_OBJECT; kind++)
        takes |= elements->kinds >> kind & 1 &&
                 surety__route_end(shape->direct, kind)->how[kind] != HOW_NO;
    return takes;
}

static bool elements_decide(void *context, surety__conjunction *all, size_t i,
                            const surety__applicator *one)
{
    struct surety__elements *elements = context;
    const surety__shape *only = NULL;
    size_t count = 0;

    if (one->kind == APPLY_NOT)
        return true;
    if (one->kind != APPLY_ANY && one->kind != APPLY_ONE) {
        elements->open = true;
        return true;
    }
    for (uint32_t j = 0; j < one->count; j++)
        if (elements_takes(elements, one->shapes[j])) {
            only = one->shapes[j];
            count++;
        }
    elements->none |= count == 0;
    elements->open |= count > 1;
    return count != 1 ||
           surety__conjunction_apply(&elements->graph, all, i, only);
}

/* Everything that applies to the value on the way, which must be of one of
 * these kinds. */
static bool elements_follow(struct surety__elements *elements, unsigned kinds)
{
    const unsigned types = (kinds >> CELL_ARRAY & 1 ? TYPE_ARRAY : 0u) |
                           (kinds >> CELL_OBJECT & 1 ? TYPE_OBJECT : 0u);

    elements->kinds = kinds;
    if (!surety__conjunction_follow(&elements->graph, &elements->all,
                                    elements_decide, elements))
        return false;
    elements->none |= surety__conjunction_never(&elements->all) ||
                      !(surety__conjunction_types(&elements->all) & types);
    return true;
}

/* One step down; the list of the child takes the place of its container's. */
static bool elements_step(struct surety__elements *elements, surety_str token)
{
    const surety__conjunction spare = elements->all;
    surety__conjunction *child = &elements->member.all;
    uint32_t index = 0;
    const bool counts = surety__pointer_index(token, &index);

    if (!elements_follow(elements,
                         1u << CELL_OBJECT | (unsigned)counts << CELL_ARRAY) ||
        !surety__conjunction_member(&elements->graph, &elements->all, token,
                                    surety__name_hash(token),
                                    &elements->member))
        return false;
    if (!child->count && counts)
        (void)surety__conjunction_item(&elements->graph, &elements->all, index,
                                       child);
    if (!child->count)
        surety__conjunction_unevaluated(&elements->graph, &elements->all, true,
                                        child);
    elements->none |= !child->count && !elements->open;
    elements->all = *child;
    *child = spare;
    for (size_t i = 0; i < elements->all.count; i++)
        elements->all.items[i].from = 0;
    return elements->status == SURETY_OK;
}

/* Takes the next token off the location, decoded; false: it is no pointer. */
static bool elements_token(surety_str *location, surety_buf *out)
{
    size_t i = 1;

    surety_buf_reset(out);
    if (location->ptr[0] != '/')
        return false;
    for (; i < location->len && location->ptr[i] != '/'; i++) {
        char byte = location->ptr[i];

        if (byte == '~') {
            if (++i == location->len ||
                (location->ptr[i] != '0' && location->ptr[i] != '1'))
                return false;
            byte = location->ptr[i] == '0' ? '~' : '/';
        }
        surety_buf_byte(out, byte);
    }
    location->ptr += i;
    location->len -= i;
    return true;
}

static surety_status elements_walk(struct surety__elements *elements,
                                   surety_str location, surety_error *reterr)
{
    const int len = (int)(location.len < 160 ? location.len : 160);
    const char *text = location.ptr;
    surety_buf token;
    bool good = true;

    surety_buf_init(&token, elements->arena.alloc, 0);
    (void)surety__conjunction_add(
        &elements->graph, &elements->all,
        (surety__conjunct){.shape = elements->schema->root});
    while (good && location.len && elements->status == SURETY_OK) {
        good = elements_token(&location, &token);
        if (token.status != SURETY_OK)
            elements->status = token.status;
        if (good && elements->status == SURETY_OK)
            (void)elements_step(elements, surety_buf_str(&token));
    }
    surety_buf_done(&token);
    if (good && elements->status == SURETY_OK)
        (void)elements_follow(elements, 1u << CELL_ARRAY);
    if (elements->status != SURETY_OK)
        return elements->status == SURETY_NOMEM
                   ? surety__fail_nomem(reterr)
                   : surety__fail(reterr, elements->status,
                                  "the schema is too large to find %.*s", len,
                                  text);
    if (good && !elements->none)
        return SURETY_OK;
    surety__fail(reterr, SURETY_MISUSE,
                 good ? "the contract has no array at \"%.*s\""
                      : "the location of the items is no JSON Pointer: "
                        "\"%.*s\"",
                 len, text);
    surety__hint(reterr, "name the location of an array, such as /rows; an "
                         "empty one is the whole value");
    return SURETY_MISUSE;
}

surety_status surety__elements_new(const surety_schema *schema,
                                   surety_str location, unsigned how,
                                   const surety_alloc *alloc,
                                   surety__elements **ret_elements,
                                   surety_error *reterr)
{
    struct surety__elements *elements = surety__new(alloc, sizeof(*elements));
    surety_status status;

    if (!elements)
        return surety__fail_nomem(reterr);
    elements->schema = schema;
    elements->how = how;
    elements->open = schema->dynamic;
    surety__arena_init(&elements->arena, alloc, 0);
    elements->arena.status = &elements->status;
    elements->graph.arena = &elements->arena;
    status = elements_walk(elements, location, reterr);
    if (status == SURETY_OK)
        *ret_elements = elements;
    else
        surety__elements_free(elements);
    return status;
}

void surety__elements_free(surety__elements *elements)
{
    const surety_alloc *alloc = elements ? elements->arena.alloc : NULL;

    if (!elements)
        return;
    surety__graph_done(&elements->graph);
    surety__arena_done(&elements->arena);
    surety__free(alloc, elements, sizeof(*elements));
}

surety_status surety__elements_take(surety__elements *elements,
                                    surety_checker *checker, uint32_t index,
                                    surety_doc *doc, surety_val *value,
                                    bool *ret_good)
{
    const surety__machine *machine = &checker->machine;
    const surety__cell *cell = surety__cell_of(*value);
    uint64_t work = machine->limits.work_base +
                    (uint64_t)machine->limits.work_per_value *
                        (cell->kind >= CELL_ARRAY ? cell->span : 1);
    surety_status status;

    *ret_good = false;
    if (elements->open)
        return SURETY_OK;
    elements->item.count = 0;
    (void)surety__conjunction_item(&elements->graph, &elements->all, index,
                                   &elements->item);
    if (!elements->item.count)
        surety__conjunction_unevaluated(&elements->graph, &elements->all, false,
                                        &elements->item);
    if (elements->status != SURETY_OK)
        return elements->status;
    *ret_good = true;
    status = surety__conjunction_check(
        checker, elements->schema, &elements->item, *value, &work, ret_good);
    if (status == SURETY_OK && *ret_good && elements->how)
        status = surety__conjunction_complete(checker, elements->schema,
                                              &elements->item, elements->how,
                                              doc, value);
    if (status == SURETY_OK && *ret_good && value->doc == doc)
        status =
            surety__conjunction_check(checker, elements->schema,
                                      &elements->item, *value, &work, ret_good);
    *ret_good = *ret_good && status == SURETY_OK;
    return status == SURETY_NOMEM ? status : SURETY_OK;
}
