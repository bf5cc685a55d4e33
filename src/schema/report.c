/* SPDX-License-Identifier: Apache-2.0 */
/* From a failure to a finding: the locations, which the machine's frames spell,
 * and the branch of a union that was meant.
 *
 * Nothing here runs for a valid instance. */
#include "schema/findings.h"
#include "schema/machine.h"

/* ---- distance ----------------------------------------------------------- */

/* How far a failure of keyword is from valid. A value of another type than the
 * branch wants was not meant for it at all. */
static uint64_t distance_of(surety__keyword keyword, bool at_root)
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

/* shape is the target of the step, or NULL. */
static void location_step(surety_buf *out, surety__keyword keyword,
                          surety_str token, uint32_t index,
                          const surety__shape *shape)
{
    surety__pointer_word(out, surety__keyword_name(keyword));
    if (token.ptr)
        surety_pointer_token(out, token);
    if (shape && keyword == KW_PROPERTY_DEPENDENCIES)
        surety_pointer_token(out, surety_val_str(surety_val_key(shape->at)));
    if (index == UINT32_MAX)
        return;
    surety_buf_byte(out, '/');
    surety_buf_number(out, index);
}

/* The end of the path: the keyword that failed, or for a false
 * subschema how it was reached. */
static void location_end(const surety__failure *failure, surety_buf *out)
{
    if (failure->never && failure->step.keyword)
        location_step(out, failure->step.keyword, failure->step.token,
                      failure->step.index, failure->never);
    else if (failure->keyword)
        location_step(out, failure->keyword, (surety_str){NULL, 0}, UINT32_MAX,
                      NULL);
}

static bool keyword_refers(surety__keyword keyword)
{
    return keyword == KW_REF || keyword == KW_DYNAMIC_REF ||
           keyword == KW_RECURSIVE_REF;
}

/* Whether the evaluation path of a failure at the frame on top is also the way
 * to its keyword in the resource: no reference leads away from it. */
static bool location_is_direct(const surety__machine *machine,
                               const surety__failure *failure)
{
    const surety__frame *frame = &machine->frames[machine->report_base];
    const surety__frame *top = &machine->frames[machine->depth - 1];
    const surety__resource *resource = frame->shape->resource;

    if (frame->shape->at.index != resource->root.index ||
        top->shape->resource != resource ||
        (failure->never && keyword_refers(failure->step.keyword)))
        return false;
    while (frame++ < top)
        if (keyword_refers(frame->step.keyword))
            return false;
    return true;
}

void surety__location_absolute(surety__pointer_walk *walk,
                               const struct surety__shape *shape,
                               surety_buf *out)
{
    size_t start, root;

    surety_buf_add(out, shape->resource->uri);
    surety_buf_byte(out, '#');
    start = out->len;
    surety__pointer_walk_to(walk, shape->resource->root, out);
    root = out->len - start;
    out->len = start;
    surety__pointer_walk_to(walk, shape->at, out);
    /* The pointer starts at the resource, not at the document. */
    if (out->status || out->len - start < root)
        return;
    memmove(out->ptr + start, out->ptr + start + root, out->len - start - root);
    out->len -= root;
}

/* How much of a pointer is the pointer of the value that is being checked,
 * which need not be its document's root; out is used and left as it was. */
static size_t location_base(const surety__machine *machine, surety_buf *out)
{
    const surety__cell *root = machine->frames[0].cell;
    size_t before = out->len;
    size_t len;

    if (root == machine->doc->cells)
        return 0;
    surety_val_pointer(surety__val_of(machine->doc, root), out);
    len = out->len - before;
    out->len = before;
    return len;
}

/* Appends the evaluation path of a failure at the frame on top, and notes what
 * is on the way. The first instance_len bytes of out are the failure's instance
 * location. */
static void location_path(const surety__machine *machine,
                          const surety__failure *failure, size_t instance_len,
                          surety__mark *marks, surety_buf *out)
{
    const size_t start = out->len;
    const surety__frame *top = &machine->frames[machine->depth - 1];
    size_t at = location_base(machine, out);

    for (size_t i = machine->report_base + 1; i < machine->depth; i++) {
        const surety__frame *frame = &machine->frames[i];
        const surety__frame *below = &machine->frames[i - 1];
        const surety__step *step = &frame->step;

        location_step(out, step->keyword, step->token, step->index,
                      frame->shape);
        if (!step->same_value)
            for (at++; at < instance_len && out->ptr[at] != '/';)
                at++;
        *marks++ = (surety__mark){
            .from = below->shape,
            .keyword = step->keyword,
            .ordinal = !step->same_value ? surety__frame_ordinal(below)
                       : step->index != UINT32_MAX ? step->index
                                                   : below->at,
            .keyword_len = (uint32_t)(out->len - start),
            .instance_len = (uint32_t)(at < instance_len ? at : instance_len)};
    }
    location_end(failure, out);
    *marks = (surety__mark){
        .from = top->shape,
        .keyword = failure->keyword,
        .ordinal = !failure->never             ? (uint32_t)failure->count
                   : !failure->step.same_value ? surety__frame_ordinal(top)
                   : failure->step.index != UINT32_MAX ? failure->step.index
                                                       : top->at,
        .keyword_len = (uint32_t)(out->len - start),
        .instance_len = (uint32_t)instance_len};
}

/* ---- findings ---------------------------------------------------------- */

/* Ends one of the texts of a finding; gives where that is. */
static size_t report_end(surety_buf *texts)
{
    const size_t end = texts->len;

    surety_buf_byte(texts, '\0');
    return end;
}

/* Adds the finding of a failure at the frame on top. Its texts are written one
 * after the other to `texts`, and copied together. */
static bool report_note(surety__machine *machine,
                        const surety__failure *failure, surety_buf *texts)
{
    surety_findings *findings = machine->findings;
    const surety__shape *shape = machine->frames[machine->depth - 1].shape;
    const bool direct = location_is_direct(machine, failure);
    const size_t levels = machine->depth - machine->report_base;
    surety__mark *marks =
        surety__arena_take(&findings->arena, levels * sizeof(*marks));
    surety_finding finding = {
        .instance = surety__val_of(machine->doc, failure->instance)};
    struct {
        surety_str *text;
        size_t start, end;
    } parts[] = {{&finding.instance_location, 0, 0},
                 {&finding.keyword_location, 0, 0},
                 {&finding.absolute_keyword_location, 0, 0},
                 {&finding.message, 0, 0},
                 {&finding.hint, 0, 0}};
    surety_str kept;

    if (!marks)
        return false;
    finding.keyword = failure->keyword ? surety__keyword_name(failure->keyword)
                                       : SURETY__LITERAL("false");
    finding.schema = failure->never
                         ? failure->never->at
                         : surety_val_member(shape->at, finding.keyword);
    surety__pointer_walk_to(&findings->instance_walk, finding.instance, texts);
    parts[0].end = report_end(texts);
    parts[2].start = texts->len;
    if (direct) {
        surety_buf_add(texts, shape->resource->uri);
        surety_buf_byte(texts, '#');
    }
    parts[1].start = texts->len;
    location_path(machine, failure, parts[0].end, marks, texts);
    parts[1].end = report_end(texts);
    parts[2].end = parts[1].end;
    if (!direct) {
        parts[2].start = texts->len;
        surety__location_absolute(&findings->schema_walk,
                                  failure->never ? failure->never : shape,
                                  texts);
        if (!failure->never)
            location_end(failure, texts);
        parts[2].end = report_end(texts);
    }
    parts[3].start = texts->len;
    surety__message_write(machine, failure, texts);
    parts[3].end = report_end(texts);
    parts[4].start = texts->len;
    surety__message_hint(machine, failure, texts);
    parts[4].end = report_end(texts);
    if (texts->status)
        return false;
    kept = surety__arena_text(&findings->arena, surety_buf_str(texts));
    for (size_t i = 0; kept.ptr && i < SURETY__COUNT(parts); i++)
        *parts[i].text = (surety_str){kept.ptr + parts[i].start,
                                      parts[i].end - parts[i].start};
    return kept.ptr &&
           !surety__findings_add(
               findings, (surety__noted){finding, marks, (uint32_t)levels});
}

void surety__report_failure(surety__machine *machine, surety__failure failure)
{
    surety_findings *findings = machine->findings;

    /* After a failed evaluation its frames are still there: locations above
     * them would be wrong. */
    if (machine->status)
        return;
    assert(machine->depth > machine->report_base);
    if (machine->mode == MODE_DISTANCE) {
        bool at_root = machine->frames[machine->depth - 1].cell ==
                       machine->frames[machine->report_base].cell;

        machine->distance += distance_of(failure.keyword, at_root);
        return;
    }
    assert(machine->mode == MODE_REPORT && findings);
    if (findings->count >= machine->limits.findings_max) {
        findings->truncated = true;
        machine->enough = true;
        return;
    }
    surety_buf_reset(&machine->text);
    if (!report_note(machine, &failure, &machine->text))
        machine->status = SURETY_NOMEM;
}
