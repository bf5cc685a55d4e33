/* SPDX-License-Identifier: Apache-2.0 */
/* From a failure to a finding: the locations, which the machine's frames spell,
 * and the branch of a union that was meant.
 *
 * Nothing here runs for a valid instance. */
#include "schema/findings.h"
#include "schema/machine.h"

/* ---- badness ----------------------------------------------------------- */

/* How far a failure of keyword is from valid. A value of another type than the
 * branch wants was not meant for it at all. */
static uint64_t badness_of(surety__keyword keyword, bool at_root)
{
    switch (keyword) {
    case KW_TYPE: return at_root ? 1000 : 4;
    case KW_CONST:
    case KW_ENUM: return at_root ? 20 : 10;
    case KW_REQUIRED: return 5;
    case KW_ADDITIONAL_PROPERTIES:
    case KW_UNEVALUATED_PROPERTIES: return 3;
    default: return 1;
    }
}

/* ---- locations --------------------------------------------------------- */

static void location_step(surety_buf *out, surety__keyword keyword,
                          surety_str token, uint32_t index)
{
    surety_pointer_token(out, surety__keyword_name(keyword));
    if (token.ptr)
        surety_pointer_token(out, token);
    if (index == UINT32_MAX)
        return;
    surety_buf_byte(out, '/');
    surety_buf_number(out, index);
}

/* The evaluation path of the frame on top. */
static void location_frames(const surety__machine *machine, surety_buf *out)
{
    for (size_t i = machine->report_base + 1; i < machine->depth; i++) {
        const surety__frame *frame = &machine->frames[i];

        location_step(out, (surety__keyword)frame->keyword, frame->token,
                      frame->index);
    }
}

/* What comes behind the path: the keyword that failed, or for a false
 * subschema how it was reached. */
static void location_end(const surety__failure *failure, surety_buf *out)
{
    if (failure->is_false && failure->step.keyword)
        location_step(out, failure->step.keyword, failure->step.token,
                      failure->step.index);
    else if (failure->keyword)
        location_step(out, failure->keyword, (surety_str){NULL, 0}, UINT32_MAX);
}

static void location_absolute(const surety__machine *machine,
                              const surety__failure *failure, surety_buf *out)
{
    const surety__shape *shape = machine->frames[machine->depth - 1].shape;
    surety_buf root;
    size_t start;

    surety_buf_add(out, shape->resource->uri);
    surety_buf_byte(out, '#');
    start = out->len;
    surety_buf_init(&root, machine->alloc, 0);
    surety_val_pointer(shape->resource->root, &root);
    surety_val_pointer(shape->at, out);
    if (!out->status && !root.status && root.len &&
        out->len - start >= root.len) {
        /* The pointer starts at the resource, not at the document. */
        memmove(out->ptr + start, out->ptr + start + root.len,
                out->len - start - root.len);
        out->len -= root.len;
    }
    surety_buf_done(&root);
    location_end(failure, out);
}

/* The index of the cell of a keyword's value in a subschema, for ordering. */
static uint32_t order_keyword(const surety__shape *shape,
                              surety__keyword keyword)
{
    if (!keyword || surety_val_kind(shape->at) != SURETY_KIND_OBJECT)
        return 0;
    return surety_val_member(shape->at, surety__keyword_name(keyword)).index;
}

static const uint32_t *order_of(const surety__machine *machine,
                                const surety__failure *failure,
                                surety__arena *arena, uint32_t *ret_len)
{
    size_t levels = machine->depth - machine->report_base;
    uint32_t *order = surety__arena_take(arena, levels * 2 * sizeof(*order));
    uint32_t len = 0;

    if (!order)
        return NULL;
    for (size_t i = machine->report_base + 1; i < machine->depth; i++) {
        const surety__frame *frame = &machine->frames[i];
        const surety__frame *below = &machine->frames[i - 1];

        order[len++] =
            order_keyword(below->shape, (surety__keyword)frame->keyword);
        order[len++] = frame->same_value && frame->index != UINT32_MAX
                           ? frame->index
                           : below->ordinal;
    }
    order[len++] = order_keyword(machine->frames[machine->depth - 1].shape,
                                 failure->is_false ? failure->step.keyword
                                                   : failure->keyword);
    order[len++] = failure->is_false
                       ? machine->frames[machine->depth - 1].ordinal
                       : (uint32_t)failure->count;
    *ret_len = len;
    return order;
}

/* ---- findings ---------------------------------------------------------- */

static surety_str report_text(surety_findings *findings, surety_buf *text)
{
    surety_str kept = text->status ? (surety_str){NULL, 0}
                                   : surety__arena_text(&findings->arena,
                                                        surety_buf_str(text));

    surety_buf_reset(text);
    return kept;
}

static bool report_note(surety__machine *machine,
                        const surety__failure *failure, surety_buf *text)
{
    surety_findings *findings = machine->findings;
    const surety__shape *shape = machine->frames[machine->depth - 1].shape;
    surety__noted noted = {.order_len = 0};
    surety_finding *finding = &noted.finding;
    surety__keyword keyword =
        failure->is_false ? failure->step.keyword : failure->keyword;

    finding->keyword =
        keyword ? surety__keyword_name(keyword) : SURETY__LITERAL("false");
    finding->instance = surety__val_of(machine->doc, failure->instance);
    finding->schema =
        keyword ? surety_val_member(shape->at, finding->keyword) : shape->at;
    surety_val_pointer(finding->instance, text);
    finding->instance_location = report_text(findings, text);
    location_frames(machine, text);
    location_end(failure, text);
    finding->keyword_location = report_text(findings, text);
    location_absolute(machine, failure, text);
    finding->absolute_keyword_location = report_text(findings, text);
    surety__message_write(machine, failure, text);
    finding->message = report_text(findings, text);
    surety__message_hint(machine, failure, text);
    finding->hint = report_text(findings, text);
    noted.order =
        order_of(machine, failure, &findings->arena, &noted.order_len);
    return finding->instance_location.ptr && finding->keyword_location.ptr &&
           finding->absolute_keyword_location.ptr && finding->message.ptr &&
           finding->hint.ptr && noted.order &&
           !surety__findings_add(findings, noted);
}

void surety__report_failure(surety__machine *machine, surety__failure failure)
{
    surety_findings *findings = machine->findings;
    surety_buf text;

    machine->frames[machine->depth - 1].failed = true;
    if (machine->mode == MODE_COUNT) {
        bool at_root = machine->frames[machine->depth - 1].cell ==
                       machine->frames[machine->report_base].cell;

        machine->badness += badness_of(
            failure.is_false ? failure.step.keyword : failure.keyword, at_root);
        return;
    }
    assert(machine->mode == MODE_REPORT);
    if (findings->count - findings->sorted_from >=
        machine->limits.findings_max) {
        findings->truncated = true;
        return;
    }
    surety_buf_init(&text, machine->alloc, 0);
    if (!report_note(machine, &failure, &text))
        machine->status = SURETY_NOMEM;
    surety_buf_done(&text);
}

/* ---- unions ------------------------------------------------------------ */

enum { UNION_SHAPES = 32 };

/* What the const and enum members of a branch say of the object: how many fit
 * and how many do not. References and allOf are followed a little way. */
static void union_discriminate(const surety__machine *machine,
                               const surety__shape *branch,
                               const surety__cell *cell, unsigned *ret_fit,
                               unsigned *ret_miss)
{
    const surety__shape *todo[UNION_SHAPES] = {branch};
    size_t count = 1;

    *ret_fit = 0;
    *ret_miss = 0;
    for (size_t i = 0; i < count; i++) {
        const surety__objects *objects = todo[i]->objects;

        for (uint32_t p = 0; objects && p < objects->property_count; p++) {
            const surety__property *property = &objects->properties[p];
            const surety__choices *choices = !property->shape ? NULL
                                             : property->shape->constant
                                                 ? property->shape->constant
                                                 : property->shape->choices;
            const surety__cell *member =
                choices ? surety__member(machine->doc, cell, property->name,
                                         surety__hash(property->name.ptr,
                                                      property->name.len))
                        : NULL;

            if (!member)
                continue;
            if (surety__choices_have(choices, property->shape->at.doc,
                                     surety__val_of(machine->doc, member)))
                ++*ret_fit;
            else
                ++*ret_miss;
        }
        for (uint32_t a = 0; a < todo[i]->applicator_count; a++) {
            const surety__applicator *applicator = &todo[i]->applicators[a];

            for (uint32_t s = 0; applicator->kind == APPLY_ALL &&
                                 s < applicator->count && count < UNION_SHAPES;
                 s++)
                todo[count++] = applicator->shapes[s];
        }
    }
}

/* The branch's badness: how far cell is from satisfying it. */
static uint64_t union_badness(surety__machine *machine,
                              const surety__shape *branch,
                              const surety__cell *cell)
{
    size_t base = machine->report_base;
    uint64_t before = machine->badness;
    uint64_t badness;

    machine->badness = 0;
    machine->report_base = machine->depth;
    surety__machine_ask(machine, branch, cell,
                        (surety__step){.index = UINT32_MAX, .same_value = true},
                        MODE_COUNT);
    badness = machine->badness;
    machine->report_base = base;
    machine->badness = before;
    return badness;
}

uint32_t surety__report_meant(surety__machine *machine,
                              const surety__applicator *applicator,
                              const surety__cell *cell)
{
    uint32_t meant = UINT32_MAX;
    uint32_t fitting = 0;
    uint64_t best = UINT64_MAX;
    bool tie = false;

    for (uint32_t i = 0; i < applicator->count; i++) {
        unsigned fit = 0;
        unsigned miss = 0;

        if (cell->kind == CELL_OBJECT)
            union_discriminate(machine, applicator->shapes[i], cell, &fit,
                               &miss);
        if (fit && !miss) {
            fitting++;
            meant = i;
        }
    }
    if (fitting == 1)
        return meant;
    for (uint32_t i = 0; i < applicator->count && !machine->status; i++) {
        uint64_t badness = union_badness(machine, applicator->shapes[i], cell);

        tie = badness == best || (tie && badness > best);
        if (badness < best) {
            best = badness;
            meant = i;
        }
    }
    return tie || best >= 1000 ? UINT32_MAX : meant;
}
