/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a value satisfies a shape without its subschemas: the common cases at
 * once, the others as a report does it (surety__assert_all). It is here and not
 * in leaf.c because the loops of evaluate.c have it inline: as a call it made
 * checks of many small members 1.12 times slower. */
#ifndef SURETY_SCHEMA_LEAF_H
#define SURETY_SCHEMA_LEAF_H

#include "schema/assert.h"
#include "schema/evaluate.h"

/* Each gives OPEN where it is not so simple. */

/* A number that is no integer against bounds that are: the digits before its
 * dot decide. */
static inline enum surety__validity leaf_real(surety_str text,
                                              const surety__numbers *numbers)
{
    bool negative = text.ptr[0] == '-';
    size_t i = negative;
    int64_t whole = 0;

    for (; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++) {
        if (i == 18)
            return VALID_OPEN;
        whole = whole * 10 + (text.ptr[i] - '0');
    }
    for (size_t k = i; k < text.len; k++)
        if (text.ptr[k] == 'e' || text.ptr[k] == 'E')
            return VALID_OPEN;
    whole = negative ? -whole - 1 : whole;
    /* whole < number < whole + 1 */
    return surety__valid_if(whole >= numbers->lower && whole < numbers->upper);
}

static inline enum surety__validity leaf_number(const surety__machine *machine,
                                                const surety__shape *shape,
                                                const surety__cell *cell)
{
    const surety__numbers *numbers = shape->numbers;

    if (!numbers || !numbers->ranged || shape->choices || shape->constant)
        return VALID_OPEN;
    if (cell->kind == CELL_INT)
        return surety__valid_if(
            cell->i >= numbers->least && cell->i <= numbers->most &&
            (!numbers->multiple_of || cell->i % numbers->multiple_of->i == 0));
    if (cell->kind != CELL_REAL)
        return VALID_OPEN;
    return numbers->multiple_of
               ? VALID_NO /* which is an integer */
               : leaf_real(surety__cell_str(machine->doc, cell), numbers);
}

static inline enum surety__validity leaf_string(surety__machine *machine,
                                                const surety__shape *shape,
                                                const surety__cell *cell)
{
    const surety__strings *strings = shape->strings;
    surety_str text = surety__cell_str(machine->doc, cell);

    if ((shape->choices || shape->constant) && !shape->words)
        return VALID_OPEN;
    if (!strings)
        return surety__valid_if(surety__words_find(shape->words, text));
    if (!(cell->flags & FLAG_ASCII) || shape->words || strings->format ||
        strings->content_base64 || strings->content_json)
        return VALID_OPEN;
    if (text.len < strings->min_length || text.len > strings->max_length)
        return VALID_NO;
    return surety__valid_if(
        !strings->pattern ||
        surety__assert_pattern(machine, strings->pattern, text));
}

static inline enum surety__validity leaf_container(const surety__shape *shape,
                                                   const surety__cell *cell)
{
    return shape->choices || shape->constant
               ? VALID_OPEN
               : surety__valid_if(!surety__assert_count(shape, cell));
}

static inline bool surety__leaf_valid(surety__machine *machine,
                                      const surety__shape *shape,
                                      const surety__cell *cell)
{
    enum surety__validity valid = VALID_OPEN;

    if (cell->kind >= CELL_ARRAY)
        valid = leaf_container(shape, cell);
    else if (surety__cell_is_number(cell))
        valid = leaf_number(machine, shape, cell);
    else if (surety__cell_is_string(cell))
        valid = leaf_string(machine, shape, cell);
    return valid == VALID_OPEN ? surety__assert_all(machine, shape, cell)
                               : valid == VALID_YES;
}

/* Passes the first of *left items, those that rest takes by their kinds alone;
 * returns the item behind. Items of a table mostly have as many cells as the
 * one before. A run of them is no chain of loads that each wait for the last.
 */
EVALUATE_INLINE const surety__cell *surety__items_pass(
    const surety__shape *rest, const surety__cell *item, uint32_t *left)
{
    uint32_t count = *left;

    while (count && rest->quick.any >> item->kind & 1) {
        const unsigned kind = item->kind;
        const uint32_t span = kind < CELL_ARRAY ? 1 : item->span;

        do {
            item += span;
            count--;
        } while (count && item->kind == kind &&
                 (kind < CELL_ARRAY || item->span == span));
    }
    *left = count;
    return item;
}

#endif
