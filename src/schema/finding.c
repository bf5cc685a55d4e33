/* SPDX-License-Identifier: Apache-2.0 */
/* A finding as it is read: its three locations, its message and its hint. They
 * are written once, one after the other, and copied together into the arena of
 * the findings. */
#include "schema/findings.h"

/* ---- locations --------------------------------------------------------- */

static void location_step(const surety__mark *mark, surety_buf *out)
{
    const surety__step *step = &mark->step;

    surety__pointer_word(out, surety__keyword_name(step->keyword));
    if (step->token.ptr)
        surety_pointer_token(out, step->token);
    if (mark->shape && step->keyword == KW_PROPERTY_DEPENDENCIES)
        surety_pointer_token(out,
                             surety_val_str(surety_val_key(mark->shape->at)));
    if (step->index == UINT32_MAX)
        return;
    surety_buf_byte(out, '/');
    surety_buf_number(out, step->index);
}

/* The way is known from its end: it is linked downwards first. */
void surety__location_write(const surety__mark *end, surety_buf *out)
{
    const surety__mark *mark = end;

    for (; mark->above; mark = mark->above)
        mark->above->below = mark;
    while (mark != end) {
        mark = mark->below;
        /* A root that is false has no keyword. */
        if (mark->step.keyword)
            location_step(mark, out);
    }
}

static bool keyword_refers(surety__keyword keyword)
{
    return keyword == KW_REF || keyword == KW_DYNAMIC_REF ||
           keyword == KW_RECURSIVE_REF;
}

/* Whether the evaluation path of a failure is also the way to its keyword in
 * the resource: no reference leads away from it. */
static bool location_is_direct(const surety__mark *end)
{
    const surety__resource *resource = end->above->shape->resource;
    const surety__mark *mark = end;

    for (; mark->above; mark = mark->above)
        if (keyword_refers(mark->step.keyword))
            return false;
    return mark->shape->resource == resource &&
           mark->shape->at.index == resource->root.index;
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

/* ---- findings ---------------------------------------------------------- */

/* Ends one of the texts; gives where that is. */
static size_t text_end(surety_buf *texts)
{
    const size_t end = texts->len;

    surety_buf_byte(texts, '\0');
    return end;
}

/* Writes the texts of a finding one after the other, then copies them. */
static bool finding_write(surety_findings *findings, surety__noted *noted,
                          surety_finding *finding)
{
    const surety__shape *never = noted->failure.never;
    const surety__shape *shape = noted->end.above->shape;
    const bool direct = location_is_direct(&noted->end);
    surety_buf *texts = &findings->text;
    struct {
        surety_str *text;
        size_t start, end;
    } parts[] = {{&finding->instance_location, 0, 0},
                 {&finding->keyword_location, 0, 0},
                 {&finding->absolute_keyword_location, 0, 0},
                 {&finding->message, 0, 0},
                 {&finding->hint, 0, 0}};
    surety_str copy;

    surety_buf_reset(texts);
    surety__pointer_walk_to(&findings->instance_walk, finding->instance, texts);
    parts[0].end = text_end(texts);
    parts[2].start = texts->len;
    if (direct) {
        surety_buf_add(texts, shape->resource->uri);
        surety_buf_byte(texts, '#');
    }
    parts[1].start = texts->len;
    surety__location_write(&noted->end, texts);
    parts[1].end = text_end(texts);
    parts[2].end = parts[1].end;
    if (!direct) {
        parts[2].start = texts->len;
        surety__location_absolute(&findings->schema_walk, never ? never : shape,
                                  texts);
        if (!never)
            surety__pointer_word(texts, finding->keyword);
        parts[2].end = text_end(texts);
    }
    parts[3].start = texts->len;
    surety__message_write(findings->doc, noted, texts);
    parts[3].end = text_end(texts);
    parts[4].start = texts->len;
    surety__message_hint(findings, noted, texts);
    parts[4].end = text_end(texts);
    if (texts->status)
        return false;
    copy = surety__arena_text(&findings->arena, surety_buf_str(texts));
    for (size_t i = 0; copy.ptr && i < SURETY__COUNT(parts); i++)
        *parts[i].text = (surety_str){copy.ptr + parts[i].start,
                                      parts[i].end - parts[i].start};
    return copy.ptr != NULL;
}

const surety_finding *surety__finding_read(surety_findings *findings, size_t i)
{
    surety__noted *noted = &findings->list[i];
    const surety__failure *failure = &noted->failure;
    surety_finding *finding;

    if (noted->finding)
        return noted->finding;
    finding = surety__arena_take(&findings->arena, sizeof(*finding));
    if (!finding)
        return NULL;
    *finding = (surety_finding){
        .keyword = failure->keyword ? surety__keyword_name(failure->keyword)
                                    : SURETY__LITERAL("false"),
        .instance = surety__val_of(findings->doc, failure->instance)};
    finding->schema =
        failure->never
            ? failure->never->at
            : surety_val_member(noted->end.above->shape->at, finding->keyword);
    if (finding_write(findings, noted, finding))
        noted->finding = finding;
    return noted->finding;
}
