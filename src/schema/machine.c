/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's life, its budget of work, what a long check remembers, and the
 * bits of evaluated children.
 *
 * Invariants:
 * 1. Once the status is set, nothing is reported any more and every evaluation
 *    ends; it stays set until the next start.
 * 2. The bits are a stack as the frames are: those of a frame are freed when it
 *    ends.
 * 3. The memo has results that depend on nothing but the shape and the value.
 *    Where it has room for all, no shape is evaluated twice on one value. */
#include "schema/machine.h"

/* A check without a memo takes so many steps for each value, and besides. Real
 * schemas take less. */
enum { UNNOTED_PER_VALUE = 64, UNNOTED_BASE = 4096 };

void surety__machine_start(surety__machine *machine,
                           const surety_schema *schema, surety_val val,
                           enum surety__mode mode, surety_error *reterr)
{
    assert(schema && schema->root && val.doc);
    machine->schema = schema;
    machine->doc = val.doc;
    machine->mode = mode;
    machine->depth = 0;
    machine->report_base = 0;
    machine->bits_len = 0;
    machine->nest.framed = false;
    machine->nest.height = 0;
    machine->status = SURETY_OK;
    machine->enough = false;
    machine->reterr = reterr;
    machine->work =
        machine->limits.work_base +
        (uint64_t)machine->limits.work_per_value * val.doc->cell_count;
    machine->memo.work = 0;
    if (machine->memo.open)
        surety__map_done(&machine->memo.results, machine->alloc);
    machine->memo.open = false;
}

void surety__machine_remember(surety__machine *machine)
{
    const uint64_t first =
        UNNOTED_BASE + (uint64_t)UNNOTED_PER_VALUE * machine->doc->cell_count;

    if (machine->schema->dynamic || machine->work <= first)
        return;
    machine->memo.work = machine->work - first;
    machine->work = first;
}

bool surety__machine_extend(surety__machine *machine, uint64_t cost)
{
    machine->memo.open = machine->memo.open || machine->memo.work;
    machine->work += machine->memo.work;
    machine->memo.work = 0;
    if (cost <= machine->work) {
        machine->work -= cost;
        return true;
    }
    return surety__machine_exhausted(machine);
}

bool surety__machine_exhausted(surety__machine *machine)
{
    machine->work = 0;
    surety__fail(machine->reterr, SURETY_LIMIT,
                 "the check needs more steps than the limit of %u and %u for "
                 "each value allows (work_base, work_per_value)",
                 machine->limits.work_base, machine->limits.work_per_value);
    machine->status = SURETY_LIMIT;
    return false;
}

/* ---- the memo ------------------------------------------------------------ */

static uint64_t memo_key(const surety__machine *machine,
                         const surety__shape *shape, const surety__cell *cell)
{
    assert(shape == machine->schema->shapes[shape->number]);
    return (uint64_t)shape->number << 32 |
           (uint64_t)(cell - machine->doc->cells);
}

bool surety__memo_find(const surety__machine *machine,
                       const surety__shape *shape, const surety__cell *cell,
                       bool *ret_holds)
{
    const void *found =
        surety__map_get(&machine->memo.results, memo_key(machine, shape, cell));

    *ret_holds = found == shape;
    return found != NULL;
}

void surety__memo_note(surety__machine *machine, const surety__shape *shape,
                       const surety__cell *cell, bool holds)
{
    const void *result = holds ? (const void *)shape : cell;

    assert(machine->memo.open);
    if (machine->memo.results.count < machine->limits.memo_max &&
        !surety__map_put(&machine->memo.results, machine->alloc,
                         memo_key(machine, shape, cell),
                         (void *)(uintptr_t)result))
        machine->status = SURETY_NOMEM;
}

void surety__passed_add(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell, const surety__cell *until)
{
    surety__passed *passed = &machine->passed;

    /* An evaluation that is broken off is none that failed. */
    if (machine->status)
        return;
    passed->list[passed->count % PASSED_MAX].shape = shape;
    passed->list[passed->count % PASSED_MAX].cell = cell;
    passed->list[passed->count++ % PASSED_MAX].until = until;
}

const surety__cell *surety__passed_find(const surety__machine *machine,
                                        const surety__shape *shape,
                                        const surety__cell *cell)
{
    const surety__passed *passed = &machine->passed;

    for (uint32_t i = 0; i < passed->count && i < PASSED_MAX; i++)
        if (passed->list[i].cell == cell && passed->list[i].shape == shape)
            return passed->list[i].until;
    return NULL;
}

bool surety__machine_room(surety__machine *machine, size_t depth)
{
    if (!surety__grow(machine->alloc, &machine->frames, &machine->frame_cap,
                      depth + 1, sizeof(*machine->frames), SIZE_MAX))
        return true;
    machine->status = SURETY_NOMEM;
    return false;
}

surety_status surety__machine_read(surety__machine *machine, surety_str text)
{
    if (!machine->content)
        machine->content = surety_doc_new(machine->alloc);
    return machine->content
               ? surety_doc_read(machine->content, text, NULL, NULL)
               : SURETY_NOMEM;
}

void surety__machine_scope(surety__machine *machine, const surety__shape *shape)
{
    if (!surety__machine_charge(machine, 1) ||
        !surety__machine_room(machine, machine->depth))
        return;
    machine->frames[machine->depth++] = (surety__frame){.shape = shape};
}

const surety__shape *
surety__machine_dynamic(const surety__machine *machine, size_t above,
                        const surety__applicator *applicator)
{
    const surety__resource *last = NULL;

    assert(applicator->kind == APPLY_DYNAMIC && applicator->count);
    assert(machine->depth + above <= machine->frame_cap);
    for (size_t i = 0; i < machine->depth + above; i++) {
        const surety__shape *shape = machine->frames[i].shape;
        const surety__dynamic *dynamic = shape->resource->dynamics;

        if (shape->resource == last)
            continue;
        last = shape->resource;
        for (; dynamic; dynamic = dynamic->next)
            if (dynamic->name == applicator->dynamic_name)
                return dynamic->shape;
    }
    return applicator->shapes[0];
}

/* ---- evaluated bits ---------------------------------------------------- */

uint32_t surety__bits_open(surety__machine *machine, size_t children)
{
    size_t words = (children + 63) / 64;
    uint32_t bits = (uint32_t)machine->bits_len;

    assert(machine->bits_len <= machine->bits_cap);
    if (surety__grow(machine->alloc, &machine->bits, &machine->bits_cap,
                     machine->bits_len + words, sizeof(*machine->bits),
                     UINT32_MAX - 1)) {
        machine->status = SURETY_NOMEM;
        return BITS_NONE;
    }
    if (words)
        memset(machine->bits + bits, 0, words * sizeof(*machine->bits));
    machine->bits_len += words;
    return bits;
}

void surety__bits_merge(surety__machine *machine, uint32_t into, uint32_t from,
                        size_t children)
{
    const size_t words = (children + 63) / 64;

    assert(into + words <= machine->bits_len);
    assert(from + words <= machine->bits_len);
    for (size_t i = 0; i < words; i++)
        machine->bits[into + i] |= machine->bits[from + i];
}
