/* SPDX-License-Identifier: Apache-2.0 */
/* Why a value that is still growing is refuted, in the words of a report.
 *
 * The ordinary report on what has come has too many findings: an open object
 * lacks required members that may still come. So the one is taken that refuted
 * the last thread: at the same value and keyword, else at the same value, else
 * inside of it, else a union around it. Where the report has none of these, the
 * finding states in general what happened. Called once for a value. */
#include "schema/findings.h"
#include "schema/prefix.h"

enum { RANK_NONE = 5 };

/* Whether no continuation can resolve a finding of the report. */
static bool find_is_certain(const surety_doc *doc,
                            const surety_finding *finding)
{
    static const surety__keyword keywords[] = {
        KW_TYPE,         KW_ENUM,      KW_CONST,
        KW_MAX_LENGTH,   KW_MAX_ITEMS, KW_MAX_PROPERTIES,
        KW_MAX_CONTAINS, KW_ANY_OF,    KW_ONE_OF,
        KW_NOT,
    };

    if (!(doc->cells[finding->instance.index].flags & FLAG_OPEN) ||
        surety_val_kind(finding->schema) == SURETY_KIND_BOOLEAN)
        return true;
    for (size_t i = 0; i < SURETY__COUNT(keywords); i++)
        if (surety_str_equal(finding->keyword,
                             surety__keyword_name(keywords[i])))
            return true;
    return false;
}

/* How well a finding fits what refuted the last thread; less is better. */
static unsigned find_rank(const surety__prefix *prefix,
                          const surety_finding *finding)
{
    const surety_doc *const doc = finding->instance.doc;
    const struct prefix_cause *const cause = &prefix->cause;
    const uint32_t at = finding->instance.index;
    const surety__cell *const cell = &doc->cells[cause->cell];
    const bool same = at == cause->cell || at == cause->key;

    if (!find_is_certain(doc, finding))
        return RANK_NONE;
    if (same && cause->keyword &&
        surety_str_equal(finding->keyword,
                         surety__keyword_name(cause->keyword)))
        return 0;
    if (same)
        return 1;
    if (at > cause->cell && !(cell->flags & FLAG_OPEN) &&
        at < cause->cell + (cell->kind >= CELL_ARRAY ? cell->span : 1u))
        return 2;
    for (size_t i = 0; i < prefix->level_count; i++)
        if (prefix->levels[i].cell == at)
            return 3;
    return RANK_NONE;
}

/* The finding where the report has none that fits. */
static surety_status find_plainly(surety__prefix *prefix, surety_val root)
{
    surety_buf *const text = &prefix->findings->text;

    surety_buf_reset(text);
    prefix->found = (surety_finding){
        .instance = {root.doc, prefix->cause.cell},
        .schema = prefix->schema->root_val,
        .keyword = prefix->cause.keyword
                       ? surety__keyword_name(prefix->cause.keyword)
                       : SURETY__LITERAL("false"),
        .absolute_keyword_location = SURETY__LITERAL("#"),
        .message = SURETY__LITERAL("nothing that may follow makes this value "
                                   "satisfy the schema"),
    };
    surety_val_pointer(prefix->found.instance, text);
    prefix->found.instance_location = surety_buf_str(text);
    return text->status ? SURETY_NOMEM : SURETY_OK;
}

surety_status surety__prefix_explain(surety__prefix *prefix, surety_val root)
{
    unsigned best = RANK_NONE;
    size_t count;

    if (surety_checker_report(prefix->checker, prefix->schema, root,
                              prefix->findings, NULL) == SURETY_NOMEM)
        return SURETY_NOMEM;
    count = surety_findings_count(prefix->findings);
    for (size_t i = 0; i < count; i++) {
        const surety_finding finding = surety_findings_at(prefix->findings, i);
        unsigned rank;

        if (!finding.keyword.ptr)
            return SURETY_NOMEM;
        rank = find_rank(prefix, &finding);
        if (rank >= best)
            continue;
        best = rank;
        prefix->found = finding;
    }
    return best < RANK_NONE ? SURETY_OK : find_plainly(prefix, root);
}
