/* SPDX-License-Identifier: Apache-2.0 */
/* patternProperties by the literal texts that their patterns begin with, so
 * that of thousands of patterns only those are matched that may match a name.
 *
 * 1. There is a node for each such text; a pattern that begins with none is at
 *    the empty one. The nodes are in the order of their texts.
 * 2. A node's parent has the longest other text that its own begins with. The
 *    longest text that a name begins with is that of the last node not behind
 *    the name, or of one of its ancestors.
 * 3. The list of a node has the patterns of its own text and of all ancestors,
 *    in the order of the schema.
 * 4. There is no index where it would leave too many patterns to a name. */
#include "schema/compile.h"

enum {
    INDEX_FEW = 8,    /* patterns that are rather matched one by one */
    INDEX_LISTED = 16 /* entries of lists for each pattern, at most */
};

/* Sorts the numbers of patterns by their texts, equal ones by number: a merge
 * sort from pairs upwards; room is as long. */
static void index_sort(const surety__objects *objects, uint32_t *numbers,
                       uint32_t *room)
{
    const uint32_t count = objects->pattern_count;

    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t from = 0; from < count; from += 2 * width) {
            const uint32_t middle = count - from > width ? from + width : count;
            const uint32_t end =
                count - middle > width ? middle + width : count;
            uint32_t a = from;
            uint32_t b = middle;

            for (uint32_t at = from; at < end; at++) {
                const bool left =
                    b == end ||
                    (a < middle &&
                     surety__str_compare(
                         surety__pattern_prefix(
                             objects->patterns[numbers[a]].pattern),
                         surety__pattern_prefix(
                             objects->patterns[numbers[b]].pattern)) <= 0);

                room[at] = numbers[left ? a++ : b++];
            }
        }
        memcpy(numbers, room, count * sizeof(*numbers));
    }
}

/* Makes the nodes of the sorted patterns; a node's own patterns are at from to
 * before to. Returns how many entries the lists need together. */
static size_t index_nodes(const surety__objects *objects,
                          const uint32_t *numbers, surety__pattern_index *index)
{
    size_t listed = 0;

    for (uint32_t i = 0; i < objects->pattern_count; i++) {
        const surety_str text =
            surety__pattern_prefix(objects->patterns[numbers[i]].pattern);
        surety__pattern_node *node = &index->nodes[index->node_count];
        uint32_t parent = index->node_count;

        if (!index->node_count || !surety_str_equal(node[-1].text, text)) {
            while (parent &&
                   !surety__str_starts(text, index->nodes[parent - 1].text))
                parent = index->nodes[parent - 1].parent;
            *node = (surety__pattern_node){
                .text = text, .parent = parent, .from = i};
            index->node_count++;
        }
        index->nodes[index->node_count - 1].to = i + 1;
    }
    /* A parent comes before its children. */
    for (uint32_t n = 0; n < index->node_count; n++) {
        surety__pattern_node *node = &index->nodes[n];

        node->count = node->to - node->from;
        if (node->parent)
            node->count += index->nodes[node->parent - 1].count;
        if (node->count > index->longest)
            index->longest = node->count;
        listed += node->count;
    }
    return listed;
}

/* Writes the list of each node: its own patterns merged with its parent's. */
static void index_lists(const uint32_t *numbers, surety__pattern_index *index)
{
    uint32_t used = 0;

    for (uint32_t n = 0; n < index->node_count; n++) {
        surety__pattern_node *node = &index->nodes[n];
        const surety__pattern_node *parent =
            node->parent ? &index->nodes[node->parent - 1] : NULL;
        const uint32_t first = used;
        uint32_t a = node->from;
        uint32_t b = parent ? parent->from : 0;
        const uint32_t b_end = parent ? parent->to : 0;

        while (a < node->to || b < b_end) {
            const bool own =
                b == b_end || (a < node->to && numbers[a] < index->lists[b]);

            index->lists[used++] = own ? numbers[a++] : index->lists[b++];
        }
        node->from = first;
        node->to = used;
        assert(node->to - node->from == node->count);
    }
}

bool surety__patterns_index(surety__compiler *compiler,
                            surety__objects *objects)
{
    const uint32_t count = objects->pattern_count;
    surety__arena *work = &compiler->resolver.work;
    surety__pattern_index index = {.longest = 0};
    uint32_t *numbers, *room;
    size_t listed;

    if (count <= INDEX_FEW)
        return true;
    numbers = surety__arena_take(work, count * sizeof(*numbers));
    room = surety__arena_take(work, count * sizeof(*room));
    if (!numbers || !room)
        return surety__resolver_starve(&compiler->resolver);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = i;
    index_sort(objects, numbers, room);
    index.nodes = surety__compiler_take(compiler, count * sizeof(*index.nodes));
    if (!index.nodes)
        return false;
    listed = index_nodes(objects, numbers, &index);
    if (listed > (size_t)count * INDEX_LISTED || index.longest > count / 2)
        return true;
    index.lists = surety__compiler_take(compiler, listed * sizeof(uint32_t));
    if (!index.lists)
        return false;
    index_lists(numbers, &index);
    objects->index = surety__compiler_keep(compiler, &index, sizeof(index));
    return objects->index != NULL;
}

/* The node of the longest text that name begins with, or NULL. */
static const surety__pattern_node *
index_node(const surety__pattern_index *index, surety_str name)
{
    uint32_t low = 0;
    uint32_t high = index->node_count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (surety__str_compare(index->nodes[middle].text, name) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    while (low && !surety__str_starts(name, index->nodes[low - 1].text))
        low = index->nodes[low - 1].parent;
    return low ? &index->nodes[low - 1] : NULL;
}

uint32_t surety__index_next(const surety__objects *objects, surety_str name,
                            uint32_t from)
{
    const surety__pattern_index *index = objects->index;
    const surety__pattern_node *node;
    uint32_t low, high;

    if (from == objects->pattern_count)
        return from;
    node = index_node(index, name);
    low = node ? node->from : 0;
    high = node ? node->to : 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (index->lists[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return node && low < node->to ? index->lists[low] : objects->pattern_count;
}
