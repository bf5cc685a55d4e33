/* SPDX-License-Identifier: Apache-2.0 */
/* Builds objects and arrays. A member is the conjunction of what properties,
 * patternProperties and additionalProperties of every conjunct say about its
 * name. Members that are no properties form a map. An object that has only
 * such members is a map, and one without any constraint is any value. */
#include "gen/inside.h"

/* Sets a member's default, which is filled in even if it is invalid: then the
 * member accepts any value. */
static bool member_default(surety__gen_model *model, surety__gen_member *member,
                           const surety__shape *shape, surety_val fill)
{
    const surety_limits *limits = &model->contract->limits;
    uint64_t work = limits->work_base;
    surety_status status;
    bool valid = false;

    if (!surety_contract_info_of(model->contract)->fills_defaults || !fill.doc)
        return true;
    if (!model->checker)
        model->checker = surety_checker_new(model->gen->alloc, limits);
    if (!model->checker) {
        model->gen->status = SURETY_NOMEM;
        return false;
    }
    status = surety__shape_check(model->checker, model->schema, shape, fill,
                                 &work, &valid);
    if (status == SURETY_NOMEM)
        model->gen->status = status;
    else if (status == SURETY_OK && valid)
        member->fill = fill;
    else
        surety__gen_add_note(
            model, shape->at, "default",
            "the member becomes a surety_val; correct the default",
            "the schema does not allow the default");
    if (!member->fill.doc)
        member->node = model->value;
    return true;
}

static void object_members(surety__gen_model *model, surety__gen_node *node,
                           const surety__facts *facts)
{
    surety__member_facts about = {.required = false};
    const surety__property *property;
    surety__name_at at = {0, 0};
    size_t count = 0;

    while (surety__conjunction_name(&facts->all, &at))
        count++;
    node->members =
        surety__arena_take(&model->gen->arena, count * sizeof(*node->members));
    at = (surety__name_at){0, 0};
    while (node->members &&
           (property = surety__conjunction_name(&facts->all, &at)) != NULL) {
        surety__gen_member *member = &node->members[node->member_count];

        assert(node->member_count < count);
        if (!surety__conjunction_member(&model->graph, &facts->all,
                                        property->name, property->hash, &about))
            return;
        *member = (surety__gen_member){
            .json = property->name,
            .shape = about.property ? about.property->shape : NULL,
            .required = about.required};
        if (!member_default(model, member, about.fill_shape, about.fill))
            return;
        if (member->required)
            member->fill = surety_val_none();
        if (!member->node)
            member->node =
                surety__gen_link(model, &about.all, node, property->name);
        if (!member->node)
            return;
        node->member_count++;
    }
}

/* ---- members that are no properties -------------------------------------- */

typedef struct object_others {
    bool closed;
    bool declared; /* there is a schema for them */
    bool mixed;    /* several schemas for different names */
    surety__conjunction all;
    surety_val at; /* subschema of the mixed ones */
    const surety__shape *unevaluated;
    bool several; /* more than one of these */
} object_others;

/* Whether there is a constraint on members that are no properties. */
static bool others_constrain(const surety__objects *objects)
{
    const surety__shape *rest = objects->additional;
    bool say = rest && !rest->always && !rest->never;

    for (uint32_t i = 0; i < objects->pattern_count; i++)
        say |= !objects->patterns[i].shape->always;
    return say;
}

static void others_of(surety__gen_model *model, const surety__shape *shape,
                      object_others *others)
{
    const surety__objects *objects = shape->objects;
    const surety__shape *rest;

    if (!objects)
        return;
    rest = objects->additional;
    if (!rest && objects->unevaluated) {
        others->several |= others->unevaluated != NULL;
        others->unevaluated = objects->unevaluated;
    }
    if (others_constrain(objects) &&
        (objects->pattern_count > 1 ||
         (objects->pattern_count &&
          (others->declared || !rest || !rest->never) &&
          !objects->unevaluated))) {
        others->mixed = true;
        others->at = shape->at;
    }
    if (objects->pattern_count) {
        surety__conjunction_add(
            &model->graph, &others->all,
            (surety__conjunct){.shape = objects->patterns[0].shape});
        others->declared = true;
    } else if (rest && rest->never) {
        others->closed = true;
    } else if (rest && !rest->always) {
        surety__conjunction_add(&model->graph, &others->all,
                                (surety__conjunct){.shape = rest});
        others->declared = true;
    } else if (rest) {
        others->declared = true;
    }
}

/* Handles unevaluatedProperties: the schema of members that no other keyword
 * is about. */
static void others_unevaluated(surety__gen_model *model,
                               const surety__facts *facts,
                               object_others *others)
{
    const surety__shape *shape = others->unevaluated;
    const bool elsewhere =
        facts->conditional || facts->any_of || others->several;

    if (!shape || others->closed)
        return;
    if (elsewhere) {
        others->mixed = others->declared = true;
        others->at = shape->at;
    } else if (others->declared) {
        others->mixed |= !shape->never;
        others->at = shape->at;
    } else if (shape->never) {
        others->closed = true;
    } else {
        others->declared = true;
        if (!shape->always)
            surety__conjunction_add(&model->graph, &others->all,
                                    (surety__conjunct){.shape = shape});
    }
}

/* The map of members that are no properties; NULL: there are none. */
static surety__gen_node *object_rest(surety__gen_model *model,
                                     surety__gen_node *node,
                                     const surety__facts *facts,
                                     bool *ret_constrained)
{
    object_others others = {.closed = false};
    surety__gen_node *map;

    for (size_t i = 0; i < facts->all.count; i++)
        others_of(model, facts->all.items[i].shape, &others);
    others_unevaluated(model, facts, &others);
    *ret_constrained = others.all.count > 0;
    if (others.closed ||
        (!others.declared && !facts->conditional &&
         surety_contract_info_of(model->contract)->strips_unknown))
        return NULL;
    map = surety__gen_node_new(model, SURETY_TYPED_MAP);
    if (!map)
        return NULL;
    map->label.parent = node;
    map->label.word =
        node->member_count ? SURETY__LITERAL("others") : node->label.word;
    map->rest = model->value;
    if (others.mixed) {
        surety__gen_add_note(model, others.at, "patternProperties",
                             "they become surety_val",
                             "members of several kinds have no common type");
    } else if (others.all.count) {
        map->rest =
            surety__gen_link(model, &others.all, node,
                             node->member_count ? SURETY__LITERAL("other")
                                                : SURETY__LITERAL("value"));
    }
    return map->rest ? map : NULL;
}

void surety__gen_object(surety__gen_model *model, surety__gen_node *node,
                        const surety__facts *facts)
{
    surety__gen_node *map;
    bool constrained = false;

    object_members(model, node, facts);
    if (model->gen->status != SURETY_OK)
        return;
    map = object_rest(model, node, facts, &constrained);
    if (node->member_count) {
        node->form = SURETY_TYPED_STRUCT;
        node->rest = map;
    } else if (constrained && map) {
        node->form = SURETY_TYPED_MAP;
        node->rest = map->rest;
    } else {
        node->form = SURETY_TYPED_VALUE;
        node->nullable = false;
    }
}

/* ---- arrays -------------------------------------------------------------- */

/* Whether only prefix items are evaluated: then unevaluatedItems is about all
 * that follow. */
static bool array_is_alone(const surety__facts *facts)
{
    bool alone = !facts->conditional && !facts->any_of;
    size_t unevaluated = 0;

    for (size_t i = 0; i < facts->all.count; i++) {
        const surety__arrays *arrays = facts->all.items[i].shape->arrays;

        if (arrays && (arrays->rest || arrays->contains))
            alone = false;
        unevaluated += arrays && arrays->unevaluated;
    }
    return alone && unevaluated == 1;
}

/* Adds the shapes for item i, which may be one of the first `places` or a
 * later one. True: there is no such item. */
static bool array_place_of(surety__gen_model *model, const surety__facts *facts,
                           uint32_t i, uint32_t places,
                           surety__conjunction *all)
{
    const bool alone = i >= places && array_is_alone(facts);
    bool never = false;

    for (size_t k = 0; k < facts->all.count; k++) {
        const surety__arrays *arrays = facts->all.items[k].shape->arrays;
        const surety__shape *shape = !arrays ? NULL
                                     : i < arrays->prefix_count
                                         ? arrays->prefix[i]
                                         : arrays->rest;

        if (!shape && arrays && alone)
            shape = arrays->unevaluated;
        never |= shape && shape->never;
        if (shape && !shape->always)
            surety__conjunction_add(&model->graph, all,
                                    (surety__conjunct){.shape = shape});
    }
    return never;
}

static surety__gen_node *array_node(surety__gen_model *model,
                                    const surety__conjunction *all,
                                    surety__gen_node *parent, surety_str word)
{
    return all->count ? surety__gen_link(model, all, parent, word)
                      : model->value;
}

static surety_str array_place(surety__gen_model *model, uint32_t i)
{
    surety_buf name;

    surety_buf_init(&name, model->gen->alloc, 0);
    surety_buf_text(&name, "item");
    surety_buf_number(&name, i);
    return surety__arena_buf(&model->gen->arena, &name);
}

static void array_tuple(surety__gen_model *model, surety__gen_node *node,
                        const surety__facts *facts, uint32_t count)
{
    const surety__range range =
        surety__conjunction_range(&facts->all, COUNT_ITEMS);

    node->form = SURETY_TYPED_TUPLE;
    node->members =
        surety__arena_take(&model->gen->arena, count * sizeof(*node->members));
    for (uint32_t i = 0; i < count && node->members; i++) {
        surety__gen_member *member = &node->members[i];
        surety__conjunction all = {NULL, 0, 0, false};

        *member = (surety__gen_member){.required = i < range.least};
        member->json = array_place(model, i);
        if (array_place_of(model, facts, i, count, &all))
            return;
        if (all.count)
            member->shape = all.items[0].shape;
        member->node = array_node(model, &all, node, member->json);
        if (!member->node)
            return;
        node->member_count++;
    }
}

/* The singular of a word: "findings" are a list of finding. */
static surety_str array_singular(surety__gen_model *model, surety_str word)
{
    const size_t len = word.len;
    const char *end = word.ptr + len;

    if (len > 4 && memcmp(end - 3, "ies", 3) == 0)
        return surety__gen_join(model->gen, (surety_str){word.ptr, len - 3},
                                "y");
    if (len > 4 && end[-1] == 's' && end[-2] == 'e' &&
        (memchr("xh", end[-3], 2) || (end[-3] == 's' && end[-4] == 's')))
        return (surety_str){word.ptr, len - 2};
    if (len > 3 && end[-1] == 's' && !memchr("sui", end[-2], 3))
        return (surety_str){word.ptr, len - 1};
    if (!len)
        return SURETY__LITERAL("item");
    return surety__gen_join(
        model->gen, (surety_str){word.ptr, len > 100 ? 100 : len}, "_item");
}

void surety__gen_array(surety__gen_model *model, surety__gen_node *node,
                       const surety__facts *facts)
{
    const uint32_t places = surety__conjunction_places(&facts->all, NULL);
    surety__conjunction all = {NULL, 0, 0, false};
    const bool never = array_place_of(model, facts, places, places, &all);
    surety__gen_node *items =
        array_node(model, &all, node,
                   places ? SURETY__LITERAL("more")
                          : array_singular(model, node->label.word));

    node->form = SURETY_TYPED_LIST;
    node->rest = items;
    if (!places || !items)
        return;
    array_tuple(model, node, facts, places);
    node->rest = NULL;
    if (never || node->member_count < places ||
        surety__conjunction_range(&facts->all, COUNT_ITEMS).most <= places)
        return;
    node->rest = surety__gen_node_new(model, SURETY_TYPED_LIST);
    if (!node->rest)
        return;
    node->rest->rest = items;
    node->rest->label.parent = node;
    node->rest->label.word = SURETY__LITERAL("rest");
}
