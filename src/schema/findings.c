/* SPDX-License-Identifier: Apache-2.0 */
/* Findings and the output formats of JSON Schema (2020-12 core, section 12.4).
 *
 * Findings arrive in the order in which the machine meets them and are kept in
 * the order of the schema: by the keywords on the way to them, and among equal
 * ones by the values they are about. They arrive nearly sorted, so each is put
 * in its place from the end. */
#include "schema/findings.h"
#include "schema/schema.h"

surety_findings *surety_findings_new(const surety_alloc *alloc)
{
    surety_findings *findings = surety__new(alloc, sizeof(*findings));

    if (!findings)
        return NULL;
    findings->alloc = alloc;
    surety__arena_init(&findings->arena, alloc, 0);
    surety_buf_init(&findings->text, alloc, 0);
    return findings;
}

void surety_findings_free(surety_findings *findings)
{
    if (!findings)
        return;
    surety__free(findings->alloc, findings->list,
                 findings->cap * sizeof(*findings->list));
    surety__arena_done(&findings->arena);
    surety_buf_done(&findings->text);
    surety_doc_free(findings->content);
    surety__free(findings->alloc, findings, sizeof(*findings));
}

void surety__findings_reset(surety_findings *findings)
{
    surety__arena_reset(&findings->arena);
    findings->count = 0;
    findings->truncated = false;
    findings->instance_walk.doc = NULL;
    findings->schema_walk.doc = NULL;
}

size_t surety_findings_count(const surety_findings *findings)
{
    return findings ? findings->count : 0;
}

bool surety_findings_truncated(const surety_findings *findings)
{
    return findings && findings->truncated;
}

surety_finding surety_findings_at(surety_findings *findings, size_t i)
{
    static const surety_finding none = {.keyword = {NULL, 0}};
    const surety_finding *finding = findings && i < findings->count
                                        ? surety__finding_read(findings, i)
                                        : NULL;

    return finding ? *finding : none;
}

/* ---- the order --------------------------------------------------------- */

/* Where in its subschema the keyword of a step is. */
static uint32_t mark_place(const surety__mark *mark)
{
    return mark->step.keyword
               ? surety_val_member(mark->above->shape->at,
                                   surety__keyword_name(mark->step.keyword))
                     .index
               : 0;
}

/* Of steps with the same marks above: negative where a comes before b. */
static int mark_order(const surety__mark *a, const surety__mark *b)
{
    if (a->above->shape != b->above->shape ||
        a->step.keyword != b->step.keyword) {
        const uint32_t place = mark_place(a);
        const uint32_t other = mark_place(b);

        if (place != other)
            return place < other ? -1 : 1;
    }
    return a->ordinal == b->ordinal ? 0 : a->ordinal < b->ordinal ? -1 : 1;
}

/* The mark at this level on the way to the one that is given. */
static const surety__mark *mark_at(const surety__mark *mark, uint32_t level)
{
    while (mark->level > level)
        mark = mark->above;
    return mark;
}

/* Whether a comes after b: the first of their steps that differ decides. */
static bool mark_after(const surety__mark *a, const surety__mark *b)
{
    bool after = a->level > b->level;

    a = mark_at(a, b->level);
    b = mark_at(b, a->level);
    for (; a != b; a = a->above, b = b->above) {
        const int order = mark_order(a, b);

        if (order)
            after = order > 0;
    }
    return after;
}

surety_status surety__findings_add(surety_findings *findings,
                                   const surety__noted *noted)
{
    size_t at = findings->count;
    surety_status status =
        surety__grow(findings->alloc, &findings->list, &findings->cap,
                     findings->count + 1, sizeof(*noted), SIZE_MAX);

    if (status)
        return status;
    while (at > 0 && mark_after(&findings->list[at - 1].end, &noted->end)) {
        findings->list[at] = findings->list[at - 1];
        at--;
    }
    findings->list[at] = *noted;
    findings->count++;
    return SURETY_OK;
}

/* ---- output ------------------------------------------------------------ */

/* Opens a unit with its three locations: of the keyword, absolute, and of the
 * instance. */
static void output_locations(surety_buf *out, const surety_str locations[3])
{
    static const char *const names[] = {
        "keywordLocation", "absoluteKeywordLocation", "instanceLocation"};

    surety_buf_text(out, "{\"valid\":false");
    for (size_t i = 0; i < 3; i++) {
        surety__buf_printf(out, ",\"%s\":", names[i]);
        surety_json_string(out, locations[i]);
    }
}

static void output_unit(surety_findings *findings, size_t i, surety_buf *out)
{
    const surety_finding *finding = surety__finding_read(findings, i);

    if (!finding) {
        out->status = SURETY_NOMEM;
        return;
    }
    output_locations(out, (surety_str[]){finding->keyword_location,
                                         finding->absolute_keyword_location,
                                         finding->instance_location});
    surety_buf_text(out, ",\"error\":");
    surety_json_string(out, finding->message);
    surety_buf_byte(out, '}');
}

/* How many subschemas on the way to two findings are the same, applied to the
 * same value. */
static uint32_t output_shared(const surety__noted *a, const surety__noted *b)
{
    const surety__mark *left = mark_at(a->end.above, b->end.above->level);
    const surety__mark *right = mark_at(b->end.above, left->level);
    uint32_t shared = left->level;

    for (; left != right; left = left->above, right = right->above)
        if (left->step.keyword != right->step.keyword ||
            left->ordinal != right->ordinal || left->shape != right->shape)
            shared = left->level - 1;
    return shared;
}

/* Opens the unit of the first `level` subschemas on the way to a finding. */
static void output_open(surety_findings *findings, const surety__noted *noted,
                        uint32_t level, surety_buf *out)
{
    const surety__mark *mark = mark_at(noted->end.above, level);
    surety_buf *texts = &findings->text;
    surety_str parts[3];
    size_t ends[3];
    size_t start = 0;

    surety_buf_reset(texts);
    surety__location_write(mark, texts);
    ends[0] = texts->len;
    surety__location_absolute(&findings->schema_walk, mark->shape, texts);
    ends[1] = texts->len;
    surety__pointer_walk_to(&findings->instance_walk,
                            surety__val_of(findings->doc, mark->cell), texts);
    ends[2] = texts->len;
    if (texts->status) {
        out->status = texts->status;
        return;
    }
    for (size_t i = 0; i < SURETY__COUNT(parts); start = ends[i++])
        parts[i] = (surety_str){texts->ptr + start, ends[i] - start};
    output_locations(out, parts);
    surety_buf_text(out, ",\"errors\":[");
}

/* The least number of subschemas above `above` that finding i shares with some
 * later one and with all in between; 0 where there is none. */
static uint32_t output_level(const surety_findings *findings, size_t i,
                             uint32_t above)
{
    uint32_t shared = UINT32_MAX;
    uint32_t least = 0;

    for (size_t j = i; j + 1 < findings->count; j++) {
        uint32_t next =
            output_shared(&findings->list[j], &findings->list[j + 1]);

        shared = next < shared ? next : shared;
        if (shared <= above)
            break;
        least = shared;
    }
    return least;
}

/* Detailed: a subschema with several failures is a unit of its own around
 * them (12.4.3). `open` holds how many subschemas each open unit has; units
 * deeper than it are left out. */
static void output_detailed(surety_findings *findings, surety_buf *out)
{
    uint32_t open[64];
    size_t depth = 0;

    for (size_t i = 0; i < findings->count; i++) {
        const surety__noted *noted = &findings->list[i];
        uint32_t level;
        uint32_t shared = 0;

        if (i)
            surety_buf_byte(out, ',');
        while (depth < SURETY__COUNT(open) &&
               (level = output_level(findings, i,
                                     depth ? open[depth - 1] : 0)) != 0) {
            output_open(findings, noted, level, out);
            open[depth++] = level;
        }
        output_unit(findings, i, out);
        if (i + 1 < findings->count)
            shared = output_shared(noted, &findings->list[i + 1]);
        while (depth && open[depth - 1] > shared) {
            surety_buf_text(out, "]}");
            depth--;
        }
    }
}

surety_status surety_findings_write(surety_findings *findings, bool valid,
                                    surety_output output, surety_buf *out)
{
    const size_t start = out->len;

    surety_buf_text(out, valid ? "{\"valid\":true" : "{\"valid\":false");
    if (output != SURETY_OUTPUT_FLAG && !valid) {
        surety_buf_text(out, ",\"keywordLocation\":\"\","
                             "\"instanceLocation\":\"\",\"errors\":[");
        if (output == SURETY_OUTPUT_DETAILED) {
            output_detailed(findings, out);
        } else {
            for (size_t i = 0; i < findings->count; i++) {
                if (i)
                    surety_buf_byte(out, ',');
                output_unit(findings, i, out);
            }
        }
        surety_buf_byte(out, ']');
    }
    surety_buf_byte(out, '}');
    surety_json_shown(out, start);
    return out->status;
}
