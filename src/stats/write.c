/* SPDX-License-Identifier: Apache-2.0 */
/* Writes statistics as JSON (the contract surety/stats) and as CSV. One table
 * of columns describes a group, so both formats have the same figures under the
 * same names; but a CSV header has each name once, so there the ending provider
 * is called provider_failed: a key may be the provider. Money is in picodollars
 * in JSON, and in dollars in CSV, for spreadsheets. */
#include <surety/provider.h>

#include "stats/stats.h"
#include "template/template.h"

#include <assert.h>
#include <math.h>

typedef enum sums_form {
    WRITE_NUMBER = 0,
    WRITE_MONEY,
    WRITE_VALUE_COST, /* computed; empty if no run is valid */
    WRITE_TIME        /* empty if no call was answered */
} sums_form;

typedef struct sums_column {
    const char *name;
    size_t offset;
    sums_form form;
} sums_column;

#define COLUMN(name, member, form)                                             \
    {                                                                          \
        name, offsetof(surety_stats_group, member), form                       \
    }
#define ENDED(ending)                                                          \
    (offsetof(surety_stats_group, ended) + (ending) * sizeof(uint64_t))
static const sums_column sums_columns[] = {
    COLUMN("runs", runs, WRITE_NUMBER),
    {"valid", ENDED(SURETY_ENDED_VALID), WRITE_NUMBER},
    COLUMN("first_try", first, WRITE_NUMBER),
    COLUMN("second_try", again[0], WRITE_NUMBER),
    COLUMN("third_try", again[1], WRITE_NUMBER),
    COLUMN("later_try", again[2], WRITE_NUMBER),
    {"partial", ENDED(SURETY_ENDED_PARTIAL), WRITE_NUMBER},
    {"fallback", ENDED(SURETY_ENDED_FALLBACK), WRITE_NUMBER},
    {"rejected", ENDED(SURETY_ENDED_REJECTED), WRITE_NUMBER},
    {"refused", ENDED(SURETY_ENDED_REFUSED), WRITE_NUMBER},
    {"provider", ENDED(SURETY_ENDED_PROVIDER), WRITE_NUMBER},
    {"cancelled", ENDED(SURETY_ENDED_CANCELLED), WRITE_NUMBER},
    {"abandoned", ENDED(SURETY_ENDED_ABANDONED), WRITE_NUMBER},
    {"open", ENDED(SURETY_ENDED_OPEN), WRITE_NUMBER},
    {"validator", ENDED(SURETY_ENDED_VALIDATOR), WRITE_NUMBER},
    COLUMN("calls", calls, WRITE_NUMBER),
    COLUMN("retries", retries, WRITE_NUMBER),
    COLUMN("reasks", reasks, WRITE_NUMBER),
    COLUMN("failed_calls", failed, WRITE_NUMBER),
    COLUMN("input_tokens", input_tokens, WRITE_NUMBER),
    COLUMN("cached_input_tokens", cached_input_tokens, WRITE_NUMBER),
    COLUMN("output_tokens", output_tokens, WRITE_NUMBER),
    COLUMN("reasoning_tokens", reasoning_tokens, WRITE_NUMBER),
    COLUMN("tokens_unknown_calls", tokens_unknown, WRITE_NUMBER),
    COLUMN("cost", cost_picousd, WRITE_MONEY),
    COLUMN("cost_unknown_calls", cost_unknown, WRITE_NUMBER),
    COLUMN("value_cost", value_cost_picousd, WRITE_VALUE_COST),
    COLUMN("answered_calls", answered, WRITE_NUMBER),
    COLUMN("median_ms", median_ms, WRITE_TIME),
    COLUMN("p95_ms", p95_ms, WRITE_TIME),
    COLUMN("max_ms", max_ms, WRITE_TIME),
    COLUMN("stopped_calls", stopped, WRITE_NUMBER),
    COLUMN("saved_tokens", saved_tokens, WRITE_NUMBER),
    COLUMN("saved_unknown_calls", saved_unknown, WRITE_NUMBER),
};
#undef ENDED
#undef COLUMN
#define WRITE_COLUMNS (SURETY__COUNT(sums_columns))

/* The value of a column; false: it is empty. */
static bool sums_column_of(const sums_column *column,
                           const surety_stats_group *group, uint64_t *ret_value)
{
    assert(column->offset + sizeof(*ret_value) <= sizeof(*group));
    *ret_value =
        *(const uint64_t *)(const void *)((const char *)group + column->offset);
    if (column->form == WRITE_VALUE_COST)
        return group->value_cost_known;
    return column->form != WRITE_TIME || group->answered > 0;
}

static bool sums_is_money(const sums_column *column)
{
    return column->form == WRITE_MONEY || column->form == WRITE_VALUE_COST;
}

/* Whether the name of a column is that of a key, too. */
static bool sums_is_by(const char *name)
{
    bool is_by = false;

    for (int i = 0; i < SURETY_BYS; i++)
        is_by |= strcmp(name, surety_stats_by_name((surety_stats_by)i)) == 0;
    return is_by;
}

static size_t sums_top(size_t count, size_t top)
{
    return top && top < count ? top : count;
}

/* ---- JSON ---------------------------------------------------------------- */

static void sums_moment(const char *name, int64_t unix_ms, surety_buf *out)
{
    surety_json_name(out, name);
    if (!unix_ms) {
        surety_buf_text(out, "null");
        return;
    }
    surety_buf_byte(out, '"');
    surety__moment_write(unix_ms, MOMENT_WHOLE, out);
    surety_buf_byte(out, '"');
}

static void sums_group(const surety_stats *stats,
                       const surety_stats_group *group, surety_buf *out)
{
    uint64_t value;

    surety_buf_byte(out, '{');
    if (group->keys) {
        surety_buf_text(out, "\"key\":{");
        for (size_t i = 0; i < stats->options.by_count; i++)
            surety_json_text(out, surety_stats_by_name(stats->by[i]),
                             group->keys[i]);
        surety_buf_byte(out, '}');
    }
    for (size_t i = 0; i < WRITE_COLUMNS; i++) {
        const sums_column *column = &sums_columns[i];

        surety__buf_printf(out, "%s\"%s%s\":", i || group->keys ? "," : "",
                           column->name,
                           sums_is_money(column) ? "_picousd" : "");
        if (sums_column_of(column, group, &value))
            surety_buf_number(out, value);
        else
            surety_buf_text(out, "null");
    }
    surety_buf_byte(out, '}');
}

static void sums_runs(const surety_stats *stats, surety_buf *out)
{
    surety_json_name(out, "by");
    surety_buf_byte(out, '[');
    for (size_t i = 0; i < stats->options.by_count; i++)
        surety__buf_printf(out, "%s\"%s\"", i ? "," : "",
                           surety_stats_by_name(stats->by[i]));
    surety_buf_text(out, "],\"total\":");
    sums_group(stats, &stats->total.info, out);
    surety_buf_text(out, ",\"groups\":[");
    for (size_t i = 0; i < stats->groups.count; i++) {
        const surety__group *group = stats->groups.items[i];

        surety_buf_text(out, i ? "," : "");
        sums_group(stats, &group->info, out);
    }
    surety_buf_byte(out, ']');
}

static void sums_issue_models(const surety__issue *issue, surety_buf *out)
{
    surety_buf_text(out, ",\"models\":[");
    for (const surety__issue_model *one = issue->models; one; one = one->next)
        surety__template_write(out, "$t{'model':$s,'replies':$n}",
                               one == issue->models ? "" : ",", one->model,
                               one->replies);
    surety_buf_byte(out, ']');
    if (issue->models_left)
        surety__template_write(out, ",'models_left_out_replies':$n",
                               issue->models_left);
    surety_buf_byte(out, '}');
}

static void sums_issues(const char *name, const surety__issues *issues,
                        bool repairs, size_t top, surety_buf *out)
{
    const size_t count = sums_top(issues->list.count, top);

    surety__template_write(out, ",'$t':{'listed':[", name);
    for (size_t i = 0; i < count; i++) {
        const surety__issue *found = issues->list.items[i];
        const surety_stats_issue *issue = &found->info;

        surety__template_write(out,
                               "$t{'contract':$s,'$t':$s,'path':$s,"
                               "'replies':$n,'runs':$n,'$t':$n",
                               i ? "," : "", issue->contract,
                               repairs ? "kind" : "keyword", issue->kind,
                               issue->path, issue->replies, issue->runs,
                               repairs ? "valid" : "corrected", issue->valid);
        sums_issue_models(found, out);
    }
    surety__template_write(out, "],'more':$n,'left_out_replies':$n}",
                           (uint64_t)(issues->list.count - count),
                           issues->left);
}

/* Writes the most frequent values, and the expected values that never came. */
static void sums_cover_values(const surety__cover *cover, size_t top,
                              surety_buf *out)
{
    const surety_stats_cover *info = &cover->info;
    const size_t count = sums_top(info->values, top);

    assert(info->values <= cover->values.count);
    surety__template_write(out, ",'values':[");
    for (size_t i = 0; i < count; i++) {
        const surety__value *found = cover->values.items[i];
        const surety_stats_value *value = &found->info;

        surety__template_write(out, "$t{'value':$s,'replies':$n,'expected':$b}",
                               i ? "," : "", value->text, value->replies,
                               value->expected);
    }
    surety__template_write(out, "],'values_more':$n,'left_out':$n,'expected':",
                           (uint64_t)(info->values - count), info->left);
    if (!info->expected) {
        surety_buf_text(out, "null");
        return;
    }
    surety__template_write(out, "{'count':$n,'reached':$n,'missing':[",
                           (uint64_t)info->expected, (uint64_t)info->reached);
    for (size_t i = info->values; i < cover->values.count; i++) {
        const surety__value *missing = cover->values.items[i];

        surety__template_write(out, i > info->values ? ",$s" : "$s",
                               missing->info.text);
    }
    surety_buf_text(out, "]}");
}

static void sums_cover(const surety__cover *cover, size_t top, surety_buf *out)
{
    const surety_stats_cover *info = &cover->info;

    surety__template_write(out,
                           "{'contract':$s,'member':$s,'replies':$n,'numbers':",
                           info->contract, info->member, info->replies);
    if (info->numbers)
        surety__template_write(
            out, "{'count':$n,'sum':$f,'mean':$f,'min':$f,'max':$f}",
            info->numbers, info->sum, info->sum / (double)info->numbers,
            info->min, info->max);
    else
        surety_buf_text(out, "null");
    surety__template_write(
        out, ",'trues':$n,'falses':$n,'nulls':$n,'others':$n", info->trues,
        info->falses, info->nulls, info->others);
    sums_cover_values(cover, top, out);
    surety_buf_byte(out, '}');
}

static void sums_coverage(const surety_stats *stats, size_t top,
                          surety_buf *out)
{
    const surety_stats_replies *replies = &stats->replies;

    surety__template_write(
        out,
        ",'coverage':{'replies':{'valid':$n,'covered':$n,'not_kept':$n,"
        "'patches':$n,'unknown':$n,'plain':$n,'unfit':$n},'members':[",
        replies->valid, replies->covered, replies->not_kept, replies->patches,
        replies->unknown, replies->plain, replies->unfit);
    for (size_t i = 0; i < stats->covers.count; i++) {
        surety_buf_text(out, i ? "," : "");
        sums_cover(stats->covers.items[i], top, out);
    }
    surety_buf_text(out, "]}");
}

surety_status surety_stats_write(const surety_stats *stats, unsigned sections,
                                 size_t top, surety_buf *out)
{
    size_t start;

    if (!stats || !surety__stats_ended(stats))
        return SURETY_MISUSE;
    start = out->len;
    surety_buf_byte(out, '{');
    sums_moment("from", stats->from_ms, out);
    sums_moment("to", stats->to_ms, out);
    if (sections & SURETY_STATS_RUNS)
        sums_runs(stats, out);
    if (sections & SURETY_STATS_RUNS && stats->tool_calls)
        surety__template_write(out, ",'tools':{'calls':$n,'failed':$n}",
                               stats->tool_calls, stats->tool_failed);
    if (sections & SURETY_STATS_ERRORS)
        sums_issues("errors", &stats->errors, false, top, out);
    if (sections & SURETY_STATS_REPAIRS)
        sums_issues("repairs", &stats->repairs, true, top, out);
    if (sections & SURETY_STATS_COVERAGE)
        sums_coverage(stats, top, out);
    surety_buf_byte(out, '}');
    surety_json_shown(out, start);
    return out->status;
}

/* ---- CSV ----------------------------------------------------------------- */

static void sums_csv_texts(const surety_str *texts, size_t count, bool formulas,
                           surety_buf *out)
{
    for (size_t i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        surety__csv_field(texts[i], formulas, out);
    }
}

static void sums_csv_runs(const surety_stats *stats, bool formulas,
                          surety_buf *out)
{
    const size_t by_count = stats->options.by_count;
    uint64_t value;

    for (size_t i = 0; i < by_count; i++)
        surety__buf_printf(out, "%s,", surety_stats_by_name(stats->by[i]));
    for (size_t i = 0; i < WRITE_COLUMNS; i++)
        surety__buf_printf(out, "%s%s%s", i ? "," : "", sums_columns[i].name,
                           sums_is_money(&sums_columns[i])    ? "_usd"
                           : sums_is_by(sums_columns[i].name) ? "_failed"
                                                              : "");
    surety_buf_text(out, "\r\n");
    for (size_t at = 0; at < stats->groups.count; at++) {
        const surety__group *found = stats->groups.items[at];
        const surety_stats_group *group = &found->info;

        sums_csv_texts(group->keys, by_count, formulas, out);
        for (size_t i = 0; i < WRITE_COLUMNS; i++) {
            const sums_column *column = &sums_columns[i];

            surety_buf_text(out, i || by_count ? "," : "");
            if (!sums_column_of(column, group, &value))
                continue;
            if (sums_is_money(column))
                surety_dollars_write(value, false, out);
            else
                surety_buf_number(out, value);
        }
        surety_buf_text(out, "\r\n");
    }
}

static void sums_csv_issues(const surety__issues *issues, bool repairs,
                            size_t top, bool formulas, surety_buf *out)
{
    const size_t count = sums_top(issues->list.count, top);

    surety__buf_printf(out, "contract,%s,path,replies,runs,%s\r\n",
                       repairs ? "kind" : "keyword",
                       repairs ? "valid" : "corrected");
    for (size_t i = 0; i < count; i++) {
        const surety__issue *found = issues->list.items[i];
        const surety_stats_issue *issue = &found->info;
        const surety_str texts[] = {issue->contract, issue->kind, issue->path};

        sums_csv_texts(texts, 3, formulas, out);
        surety__template_write(out, ",$n,$n,$n\r\n", issue->replies,
                               issue->runs, issue->valid);
    }
}

/* Writes a CSV record of a cover: what is counted, and how often. The columns
 * of numeric members come after the count. */
static void sums_csv_cover(const surety_stats_cover *info, const char *kind,
                           const surety_stats_value *value, bool formulas,
                           surety_buf *out)
{
    const surety_str texts[] = {info->contract, info->member,
                                surety_str_of(kind), value->text};

    sums_csv_texts(texts, SURETY__COUNT(texts), formulas, out);
    surety__template_write(out, ",$n,", value->replies);
}

static void sums_csv_member(const surety__cover *cover, size_t top,
                            bool formulas, surety_buf *out)
{
    const surety_stats_cover *info = &cover->info;
    const surety_stats_value numbers = {.replies = info->numbers};
    const struct {
        const char *kind;
        surety_stats_value value;
    } counts[] = {
        {"boolean", {.text = SURETY__LITERAL("true"), .replies = info->trues}},
        {"boolean",
         {.text = SURETY__LITERAL("false"), .replies = info->falses}},
        {"null", {.replies = info->nulls}},
        {"other", {.replies = info->others}},
        {"left out", {.replies = info->left}},
    };

    for (size_t i = 0; i < cover->values.count; i++) {
        const surety__value *found = cover->values.items[i];
        const surety_stats_value *value = &found->info;

        if (i >= sums_top(info->values, top) && value->replies)
            continue;
        sums_csv_cover(info, "text", value, formulas, out);
        surety__buf_printf(out, "%s,,,,\r\n",
                           !info->expected   ? ""
                           : value->expected ? "true"
                                             : "false");
    }
    if (info->numbers) {
        const double reals[] = {info->sum, info->sum / (double)info->numbers,
                                info->min, info->max};

        sums_csv_cover(info, "number", &numbers, false, out);
        for (size_t i = 0; i < SURETY__COUNT(reals); i++)
            surety__template_write(out, isfinite(reals[i]) ? ",$f" : ",",
                                   reals[i]);
        surety_buf_text(out, "\r\n");
    }
    for (size_t i = 0; i < SURETY__COUNT(counts); i++) {
        if (!counts[i].value.replies)
            continue;
        sums_csv_cover(info, counts[i].kind, &counts[i].value, false, out);
        surety_buf_text(out, ",,,,\r\n");
    }
}

surety_status surety_stats_write_csv(const surety_stats *stats,
                                     surety_stats_section section, size_t top,
                                     bool formulas, surety_buf *out)
{
    if (!stats || !surety__stats_ended(stats))
        return SURETY_MISUSE;
    switch (section) {
    case SURETY_STATS_RUNS: sums_csv_runs(stats, formulas, out); break;
    case SURETY_STATS_ERRORS:
        sums_csv_issues(&stats->errors, false, top, formulas, out);
        break;
    case SURETY_STATS_REPAIRS:
        sums_csv_issues(&stats->repairs, true, top, formulas, out);
        break;
    case SURETY_STATS_COVERAGE:
        surety_buf_text(out, "contract,member,kind,value,count,expected,sum,"
                             "mean,min,max\r\n");
        for (size_t i = 0; i < stats->covers.count; i++)
            sums_csv_member(stats->covers.items[i], top, formulas, out);
        break;
    default: return SURETY_MISUSE;
    }
    return out->status;
}
