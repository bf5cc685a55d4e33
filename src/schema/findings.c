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
    return findings;
}

void surety_findings_free(surety_findings *findings)
{
    if (!findings)
        return;
    surety__free(findings->alloc, findings->list,
                 findings->cap * sizeof(*findings->list));
    surety__arena_done(&findings->arena);
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

surety_finding surety_findings_at(const surety_findings *findings, size_t i)
{
    static const surety_finding none = {.keyword = {NULL, 0}};

    return findings && i < findings->count ? findings->list[i].finding : none;
}

/* Where in its subschema the keyword of a step is. */
static uint32_t findings_place(const surety__mark *mark)
{
    return mark->keyword
               ? surety_val_member(mark->from->at,
                                   surety__keyword_name(mark->keyword))
                     .index
               : 0;
}

/* Whether a comes after b. */
static bool findings_after(const surety__noted *a, const surety__noted *b)
{
    uint32_t count =
        a->mark_count < b->mark_count ? a->mark_count : b->mark_count;

    for (uint32_t i = 0; i < count; i++) {
        const surety__mark *left = &a->marks[i];
        const surety__mark *right = &b->marks[i];

        if (left->from != right->from || left->keyword != right->keyword) {
            const uint32_t place = findings_place(left);
            const uint32_t other = findings_place(right);

            if (place != other)
                return place > other;
        }
        if (left->ordinal != right->ordinal)
            return left->ordinal > right->ordinal;
    }
    return a->mark_count > b->mark_count;
}

surety_status surety__findings_add(surety_findings *findings,
                                   surety__noted noted)
{
    size_t at = findings->count;
    surety_status status =
        surety__grow(findings->alloc, &findings->list, &findings->cap,
                     findings->count + 1, sizeof(noted), SIZE_MAX);

    if (status)
        return status;
    while (at > 0 && findings_after(&findings->list[at - 1], &noted)) {
        findings->list[at] = findings->list[at - 1];
        at--;
    }
    findings->list[at] = noted;
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

static void output_unit(surety_buf *out, const surety_finding *finding)
{
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
    uint32_t at = 0;

    while (at + 1 < a->mark_count && at + 1 < b->mark_count &&
           a->marks[at].keyword == b->marks[at].keyword &&
           a->marks[at].ordinal == b->marks[at].ordinal &&
           a->marks[at + 1].from == b->marks[at + 1].from)
        at++;
    return at;
}

/* Opens the unit of the first `level` subschemas on the way to a finding. */
static void output_open(surety_buf *out, surety__pointer_walk *walk,
                        const surety__noted *noted, uint32_t level)
{
    const surety__mark *mark = &noted->marks[level - 1];
    surety_buf absolute;

    surety_buf_init(&absolute, out->alloc, 0);
    surety__location_absolute(walk, mark[1].from, &absolute);
    if (absolute.status && !out->status)
        out->status = absolute.status;
    output_locations(
        out, (surety_str[]){
                 {noted->finding.keyword_location.ptr, mark->keyword_len},
                 surety_buf_str(&absolute),
                 {noted->finding.instance_location.ptr, mark->instance_len}});
    surety_buf_text(out, ",\"errors\":[");
    surety_buf_done(&absolute);
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
static void output_detailed(const surety_findings *findings, surety_buf *out)
{
    surety__pointer_walk walk = {.doc = NULL};
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
            output_open(out, &walk, noted, level);
            open[depth++] = level;
        }
        output_unit(out, &noted->finding);
        if (i + 1 < findings->count)
            shared = output_shared(noted, &findings->list[i + 1]);
        while (depth && open[depth - 1] > shared) {
            surety_buf_text(out, "]}");
            depth--;
        }
    }
}

surety_status surety_findings_write(const surety_findings *findings, bool valid,
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
                output_unit(out, &findings->list[i].finding);
            }
        }
        surety_buf_byte(out, ']');
    }
    surety_buf_byte(out, '}');
    surety_json_shown(out, start);
    return out->status;
}
