/* SPDX-License-Identifier: Apache-2.0 */
/* Findings and the output formats of JSON Schema (2020-12 core, section 12.4).
 *
 * Findings arrive in the order in which the machine meets them and are kept in
 * the order of the schema: by the keywords on the way to them, and among equal
 * ones by the values they are about. They arrive nearly sorted, so each is put
 * in its place from the end. */
#include "schema/findings.h"

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

void surety_findings_reset(surety_findings *findings)
{
    if (!findings)
        return;
    surety__arena_reset(&findings->arena);
    findings->count = 0;
    findings->sorted_from = 0;
    findings->truncated = false;
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

static int findings_order(const surety__noted *a, const surety__noted *b)
{
    uint32_t len = a->order_len < b->order_len ? a->order_len : b->order_len;

    for (uint32_t i = 0; i < len; i++)
        if (a->order[i] != b->order[i])
            return a->order[i] < b->order[i] ? -1 : 1;
    return (a->order_len > b->order_len) - (a->order_len < b->order_len);
}

surety_status surety__findings_add(surety_findings *findings,
                                   surety__noted noted)
{
    void *items = findings->list;
    size_t at = findings->count;
    surety_status status =
        surety__grow(findings->alloc, &items, &findings->cap,
                     findings->count + 1, sizeof(noted), SIZE_MAX);

    findings->list = items;
    if (status)
        return status;
    while (at > findings->sorted_from &&
           findings_order(&findings->list[at - 1], &noted) > 0) {
        findings->list[at] = findings->list[at - 1];
        at--;
    }
    findings->list[at] = noted;
    findings->count++;
    return SURETY_OK;
}

/* ---- output ------------------------------------------------------------ */

static void output_location(surety_buf *out, const char *name, surety_str value)
{
    surety_buf_byte(out, '"');
    surety_buf_text(out, name);
    surety_buf_text(out, "\":");
    surety_json_string(out, value);
}

static void output_unit(surety_buf *out, const surety_finding *finding)
{
    surety_buf_text(out, "{\"valid\":false,");
    output_location(out, "keywordLocation", finding->keyword_location);
    surety_buf_byte(out, ',');
    output_location(out, "absoluteKeywordLocation",
                    finding->absolute_keyword_location);
    surety_buf_byte(out, ',');
    output_location(out, "instanceLocation", finding->instance_location);
    surety_buf_byte(out, ',');
    output_location(out, "error", finding->message);
}

/* The length of a keyword location's first `tokens` reference tokens. */
static size_t location_prefix(surety_str location, size_t tokens)
{
    size_t at = 0;

    while (at < location.len && tokens) {
        at++;
        while (at < location.len && location.ptr[at] != '/')
            at++;
        tokens--;
    }
    return at;
}

static size_t location_shared(surety_str a, surety_str b)
{
    size_t tokens = 0;

    for (;; tokens++) {
        size_t end = location_prefix(a, tokens + 1);

        if (end > b.len || location_prefix(b, tokens + 1) != end ||
            memcmp(a.ptr, b.ptr, end) || end == location_prefix(a, tokens))
            return tokens;
    }
}

static size_t location_tokens(surety_str location)
{
    size_t tokens = 0;

    for (size_t i = 0; i < location.len; i++)
        tokens += location.ptr[i] == '/';
    return tokens;
}

/* Detailed: findings whose keyword locations begin alike stand under a unit of
 * that beginning. `open` holds how many tokens each open unit has. */
static void output_detailed(const surety_findings *findings, surety_buf *out)
{
    size_t open[64];
    size_t depth = 0;
    bool comma = false;

    for (size_t i = 0; i < findings->count; i++) {
        surety_str here = findings->list[i].finding.keyword_location;
        size_t next_shared =
            i + 1 < findings->count
                ? location_shared(
                      here, findings->list[i + 1].finding.keyword_location)
                : 0;

        if (comma)
            surety_buf_byte(out, ',');
        /* A unit is opened where this finding and the next share more than
         * the unit around them, and this one goes deeper still. */
        if (next_shared > (depth ? open[depth - 1] : 0) &&
            next_shared < location_tokens(here) &&
            depth < sizeof(open) / sizeof(*open)) {
            surety_buf_text(out, "{\"valid\":false,");
            output_location(
                out, "keywordLocation",
                (surety_str){here.ptr, location_prefix(here, next_shared)});
            surety_buf_text(out, ",\"errors\":[");
            open[depth++] = next_shared;
        }
        output_unit(out, &findings->list[i].finding);
        surety_buf_byte(out, '}');
        comma = true;
        while (depth && open[depth - 1] > next_shared) {
            surety_buf_text(out, "]}");
            depth--;
        }
    }
}

surety_status surety_findings_write(const surety_findings *findings, bool valid,
                                    surety_output output, surety_buf *out)
{
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
                surety_buf_byte(out, '}');
            }
        }
        surety_buf_byte(out, ']');
    }
    surety_buf_byte(out, '}');
    return out->status;
}
