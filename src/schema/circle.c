/* SPDX-License-Identifier: Apache-2.0 */
/* Subschemas that apply each other to the same value: no circle, and no tower
 * beyond inplace_depth_max.
 *
 * JSON Schema leaves the meaning of a circle undefined (2020-12 core, section
 * 9.4.1). A check would go round it for ever, or come past it where another
 * keyword decides first; which one depends on the order of the work, and the
 * validity, the report and the completion each have an order of their own. So a
 * schema with a circle is refused here, once, whether every value takes that
 * way or some value might, and no check counts how deep it is.
 *
 * The graph has a node for every shape and one for every name of a dynamic
 * anchor. A shape leads to what it applies in place, a dynamic reference to its
 * name, and a name to every subschema that has it: which one it is depends on
 * the dynamic scope. The walk goes depth first with a stack of its own; a
 * node's height is the longest way down from it. The order in which it leaves
 * the shapes is the one in which they can be folded. */
#include "schema/compile.h"

struct circle_step {
    uint32_t node;
    uint32_t applicator, branch; /* of a shape */
    uint32_t next;               /* of a name: its next subschema + 1 */
    uint32_t height;             /* the longest way down that is known */
    bool refers;                 /* the last edge was a reference */
};

/* A subschema that has a dynamic anchor's name. */
struct circle_anchor {
    const surety__shape *shape;
    uint32_t next; /* with the same name; index + 1 */
};

/* Marks of nodes; DONE and its height. */
enum { CIRCLE_NEW, CIRCLE_OPEN, CIRCLE_DONE };

struct circles {
    surety__compiler *compiler;
    uint32_t *marks; /* of the nodes: shapes by number, then names */
    uint32_t *names; /* the first anchor of a name; index + 1 */
    struct circle_anchor *anchors;
    struct circle_step *stack;
    surety__shape **ordered; /* those that are done */
    size_t node_count, anchor_count, depth, cap, ordered_count;
};

/* ---- the graph ----------------------------------------------------------- */

static size_t circles_count_anchors(const surety__compiler *compiler)
{
    const surety__resolver *resolver = &compiler->resolver;
    size_t count = 0;

    for (size_t i = 0; i < resolver->resource_count; i++)
        for (const surety__dynamic *one = resolver->resources[i]->dynamics; one;
             one = one->next)
            count++;
    return count;
}

/* Room for the graph, and the anchors by their names. */
static bool circles_open(struct circles *circles)
{
    const surety__resolver *resolver = &circles->compiler->resolver;
    const surety_alloc *alloc = circles->compiler->schema->alloc;
    uint32_t count = 0;

    circles->node_count = circles->compiler->shape_count + resolver->name_count;
    circles->anchor_count = circles_count_anchors(circles->compiler);
    circles->marks =
        surety__new(alloc, circles->node_count * sizeof(*circles->marks));
    circles->names =
        surety__new(alloc, (resolver->name_count + 1) * sizeof(uint32_t));
    circles->anchors = surety__new(alloc, (circles->anchor_count + 1) *
                                              sizeof(*circles->anchors));
    circles->ordered = surety__new(alloc, circles->compiler->shape_count *
                                              sizeof(*circles->ordered));
    if (!circles->marks || !circles->names || !circles->anchors ||
        !circles->ordered)
        return false;
    for (size_t i = 0; i < resolver->resource_count; i++)
        for (const surety__dynamic *one = resolver->resources[i]->dynamics; one;
             one = one->next) {
            circles->anchors[count] =
                (struct circle_anchor){one->shape, circles->names[one->name]};
            circles->names[one->name] = ++count;
        }
    return true;
}

static void circles_close(struct circles *circles)
{
    const surety_alloc *alloc = circles->compiler->schema->alloc;
    const size_t names = circles->compiler->resolver.name_count;

    surety__free(alloc, circles->marks,
                 circles->node_count * sizeof(*circles->marks));
    surety__free(alloc, circles->names, (names + 1) * sizeof(uint32_t));
    surety__free(alloc, circles->anchors,
                 (circles->anchor_count + 1) * sizeof(*circles->anchors));
    surety__free(alloc, (void *)circles->ordered,
                 circles->compiler->shape_count * sizeof(*circles->ordered));
    surety__free(alloc, circles->stack, circles->cap * sizeof(*circles->stack));
}

static uint32_t circle_node(const struct circles *circles,
                            const surety__shape *shape)
{
    return surety__compiler_number(circles->compiler, shape->at) - 1;
}

/* The next node that the step leads to, UINT32_MAX past the last. A dynamic
 * reference leads to its first target and to its name. */
static uint32_t circle_next(const struct circles *circles,
                            struct circle_step *step)
{
    const size_t shapes = circles->compiler->shape_count;
    const surety__shape *shape;

    if (step->node >= shapes) {
        const struct circle_anchor *anchor;

        if (!step->next)
            return UINT32_MAX;
        anchor = &circles->anchors[step->next - 1];
        step->next = anchor->next;
        return circle_node(circles, anchor->shape);
    }
    shape = circles->compiler->shapes[step->node];
    while (step->applicator < shape->applicator_count) {
        const surety__applicator *one = &shape->applicators[step->applicator];
        const uint32_t branch = step->branch++;

        step->refers = one->keyword == KW_REF;
        if (branch < one->count) {
            if (one->shapes[branch])
                return circle_node(circles, one->shapes[branch]);
        } else {
            step->applicator++;
            step->branch = 0;
            if (one->kind == APPLY_DYNAMIC)
                return (uint32_t)shapes + one->dynamic_name;
        }
    }
    return UINT32_MAX;
}

/* ---- the walk ------------------------------------------------------------ */

/* The innermost shape of the stack from `node` on. */
static const surety__shape *circle_shape(const struct circles *circles,
                                         uint32_t node)
{
    size_t i = circles->depth;

    while (node >= circles->compiler->shape_count && i > 0)
        node = circles->stack[--i].node;
    return circles->compiler->shapes[node];
}

static bool circle_enter(struct circles *circles, uint32_t node)
{
    surety__compiler *compiler = circles->compiler;
    const size_t shapes = compiler->shape_count;

    if (circles->marks[node] == CIRCLE_OPEN)
        return surety__schema_fail(
            &compiler->resolver, circle_shape(circles, node)->at, SURETY_SYNTAX,
            "the schema refers to itself without moving into the value: a "
            "check of it might never end");
    if (surety__grow(compiler->schema->alloc, &circles->stack, &circles->cap,
                     circles->depth + 1, sizeof(*circles->stack), SIZE_MAX))
        return surety__resolver_starve(&compiler->resolver);
    circles->marks[node] = CIRCLE_OPEN;
    circles->stack[circles->depth++] = (struct circle_step){
        .node = node,
        .next = node < shapes ? 0 : circles->names[node - shapes]};
    return true;
}

/* The step on top leads to a node that is done. A name adds nothing
 * to the height, nor does a reference: chains of them are short to follow. */
static void circle_raise(struct circles *circles, uint32_t node)
{
    struct circle_step *step = &circles->stack[circles->depth - 1];
    const uint32_t height =
        circles->marks[node] - CIRCLE_DONE +
        (node < circles->compiler->shape_count && !step->refers);

    assert(circles->marks[node] >= CIRCLE_DONE);
    if (height > step->height)
        step->height = height;
}

/* Nothing below the node is open any more. */
static void circle_done(struct circles *circles, uint32_t node, uint32_t height)
{
    const surety__compiler *compiler = circles->compiler;

    circles->marks[node] = height + CIRCLE_DONE;
    if (node < compiler->shape_count)
        circles->ordered[circles->ordered_count++] = compiler->shapes[node];
}

/* Ends the step on top. */
static bool circle_leave(struct circles *circles)
{
    surety__compiler *compiler = circles->compiler;
    const uint32_t most = compiler->schema->limits.inplace_depth_max;
    const struct circle_step step = circles->stack[--circles->depth];

    if (step.height > most)
        return surety__schema_fail(
            &compiler->resolver, circle_shape(circles, step.node)->at,
            SURETY_LIMIT,
            "more than %u subschemas are nested on one value "
            "(inplace_depth_max)",
            most);
    assert(circles->marks[step.node] == CIRCLE_OPEN);
    circle_done(circles, step.node, step.height);
    if (circles->depth)
        circle_raise(circles, step.node);
    return true;
}

static bool circles_walk(struct circles *circles, uint32_t root)
{
    bool done = circle_enter(circles, root);

    while (done && circles->depth) {
        struct circle_step *step = &circles->stack[circles->depth - 1];
        const uint32_t node = circle_next(circles, step);

        if (node == UINT32_MAX)
            done = circle_leave(circles);
        else if (circles->marks[node] < CIRCLE_DONE)
            done = circle_enter(circles, node);
        else
            circle_raise(circles, node);
    }
    return done;
}

bool surety__circles_refuse(surety__compiler *compiler)
{
    struct circles circles = {.compiler = compiler};
    bool done =
        circles_open(&circles) || surety__resolver_starve(&compiler->resolver);

    for (uint32_t i = 0; i < compiler->shape_count && done; i++)
        if (!compiler->shapes[i]->applicator_count)
            circle_done(&circles, i, 0);
    for (uint32_t i = 0; i < compiler->shape_count && done; i++)
        if (circles.marks[i] == CIRCLE_NEW)
            done = circles_walk(&circles, i);
    if (done) {
        assert(circles.ordered_count == compiler->shape_count);
        memcpy(compiler->shapes, circles.ordered,
               compiler->shape_count * sizeof(*compiler->shapes));
    }
    circles_close(&circles);
    return done;
}
