/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics in the text format of Prometheus. A family has a name and a kind; a
 * series is a family with labels, whose text is its identity. Everything is
 * counted in whole numbers (microseconds, tokens, picodollars), so that sums
 * are exact and objects can be merged.
 *
 * Labels are made of what the configuration has, and never of a text of the
 * client: each value would be a series of its own, kept for ever. The number of
 * series is bounded all the same; what would be one more is counted as dropped.
 */
#include "observe/observe.h"

#include <surety/provider.h>

#define METRICS_SERIES_MAX 4096
#define METRICS_LABEL_MAX 128
#define METRICS_BUCKETS 16

typedef enum metrics_kind {
    KIND_COUNTER = 0,
    KIND_DOLLARS,   /* a counter of picodollars */
    KIND_HISTOGRAM, /* of tokens */
    KIND_TIMES      /* a histogram of microseconds, written in seconds */
} metrics_kind;

/* ORDER families (metrics_families). */
typedef enum metrics_family {
    FAMILY_REQUESTS = 0,
    FAMILY_REQUEST_TIMES,
    FAMILY_OVERHEAD,
    FAMILY_DENIALS,
    FAMILY_UNCHECKED,
    FAMILY_RUNS,
    FAMILY_REPAIRS,
    FAMILY_ATTEMPTS,
    FAMILY_COST,
    FAMILY_DURATION,
    FAMILY_FIRST_CHUNK,
    FAMILY_TOKENS,
    FAMILY_COUNT
} metrics_family;

/* Buckets of the conventions, and of what a gateway adds. */
static const uint64_t metrics_times[] = {
    10000,   20000,   40000,   80000,    160000,   320000,   640000,
    1280000, 2560000, 5120000, 10240000, 20480000, 40960000, 81920000};
static const uint64_t metrics_overheads[] = {
    50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000, 100000, 1000000};
static const uint64_t metrics_tokens[] = {
    1,     4,     16,     64,      256,     1024,     4096,
    16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864};

/* ORDER families. A convention's name comes from names.c. */
static const struct metrics_row {
    const char *name;
    surety__name convention; /* where name is NULL */
    metrics_kind kind;
    const uint64_t *buckets;
    size_t bucket_count;
    const char *help;
} metrics_families[FAMILY_COUNT] = {
    {"surety.requests", NAME_COUNT, KIND_COUNTER, NULL, 0,
     "Requests that have ended, by route and status."},
    {"surety.request.duration", NAME_COUNT, KIND_TIMES, metrics_times,
     sizeof(metrics_times) / sizeof(*metrics_times),
     "Time from a request to the end of its answer."},
    {"surety.request.overhead", NAME_COUNT, KIND_TIMES, metrics_overheads,
     sizeof(metrics_overheads) / sizeof(*metrics_overheads),
     "Time of a request that was not spent waiting for a model."},
    {"surety.denials", NAME_COUNT, KIND_COUNTER, NULL, 0,
     "Requests that a key's limit denied, by its kind."},
    {"surety.unchecked", NAME_COUNT, KIND_COUNTER, NULL, 0,
     "Requests with tools that were passed on unchecked, by route."},
    {"surety.runs", NAME_COUNT, KIND_COUNTER, NULL, 0,
     "Runs by contract and verdict; attempts is 1 or more."},
    {"surety.repairs", NAME_COUNT, KIND_COUNTER, NULL, 0,
     "Repairs of values, by contract."},
    {"surety.attempts", NAME_COUNT, KIND_COUNTER, NULL, 0,
     "Calls of models by purpose and outcome: valid, invalid or a failure."},
    {"surety.cost.dollars", NAME_COUNT, KIND_DOLLARS, NULL, 0,
     "Cost of calls, where it is known."},
    {NULL, NAME_DURATION, KIND_TIMES, metrics_times,
     sizeof(metrics_times) / sizeof(*metrics_times), "Time of a call."},
    {NULL, NAME_FIRST_CHUNK, KIND_TIMES, metrics_times,
     sizeof(metrics_times) / sizeof(*metrics_times),
     "Time from a call to the first byte of its answer."},
    {NULL, NAME_TOKEN_USAGE, KIND_HISTOGRAM, metrics_tokens,
     sizeof(metrics_tokens) / sizeof(*metrics_tokens),
     "Tokens of a call, by their type."},
};

typedef struct metrics_series {
    struct metrics_series *next; /* with the same hash */
    metrics_family family;
    surety_str labels;
    uint64_t count, sum;
    uint64_t buckets[METRICS_BUCKETS]; /* not cumulative */
} metrics_series;

struct surety__metrics {
    const surety_alloc *alloc;
    surety__arena arena; /* the series */
    surety__map map;
    metrics_series **series; /* in the order of their first use */
    size_t count, cap;
    uint64_t dropped;
    surety_buf labels; /* of the series that is looked for */
};

surety__metrics *surety__metrics_new(const surety_alloc *alloc)
{
    surety__metrics *metrics = surety__new(alloc, sizeof(*metrics));

    if (!metrics)
        return NULL;
    metrics->alloc = alloc;
    surety__arena_init(&metrics->arena, alloc, 0);
    surety_buf_init(&metrics->labels, alloc, 0);
    return metrics;
}

void surety__metrics_free(surety__metrics *metrics)
{
    if (!metrics)
        return;
    surety_buf_done(&metrics->labels);
    surety__map_done(&metrics->map, metrics->alloc);
    surety__free(metrics->alloc, metrics->series,
                 metrics->cap * sizeof(*metrics->series));
    surety__arena_done(&metrics->arena);
    surety__free(metrics->alloc, metrics, sizeof(*metrics));
}

/* ---- labels and series --------------------------------------------------- */

/* Writes a name of a convention or of ours, dots as "_". Returns its end. */
static char *metrics_write_name(char *at, const char *name)
{
    for (; *name; name++)
        *at++ = *name == '.' ? '_' : *name;
    return at;
}

/* Adds a label to the series that is looked for. In the value is escaped what
 * the format wants. */
static void metrics_label(surety__metrics *metrics, const char *name,
                          surety_str value)
{
    surety_buf *out = &metrics->labels;
    const size_t len = surety__utf8_cut(value, METRICS_LABEL_MAX);
    char *start = surety__buf_room(out, strlen(name) + 2 * len + 4);
    char *at = start;

    if (!start)
        return;
    if (out->len)
        *at++ = ',';
    at = metrics_write_name(at, name);
    *at++ = '=';
    *at++ = '"';
    for (size_t i = 0; i < len; i++) {
        const char byte = value.ptr[i];

        if (byte == '\\' || byte == '"' || byte == '\n')
            *at++ = '\\';
        *at++ = byte == '\n' ? 'n' : (unsigned char)byte < ' ' ? ' ' : byte;
    }
    *at++ = '"';
    out->len += (size_t)(at - start);
}

static metrics_series *metrics_insert(surety__metrics *metrics,
                                      metrics_family family, surety_str labels,
                                      uint64_t key)
{
    metrics_series *series;
    surety_status status;

    if (metrics->count == METRICS_SERIES_MAX)
        return NULL;
    status = surety__grow(metrics->alloc, &metrics->series, &metrics->cap,
                          metrics->count + 1, sizeof(*metrics->series),
                          METRICS_SERIES_MAX);
    series =
        status ? NULL : surety__arena_take(&metrics->arena, sizeof(*series));
    if (!series)
        return NULL;
    series->labels = surety__arena_text(&metrics->arena, labels);
    series->family = family;
    series->next = surety__map_get(&metrics->map, key);
    if (!series->labels.ptr ||
        !surety__map_put(&metrics->map, metrics->alloc, key, series))
        return NULL;
    metrics->series[metrics->count++] = series;
    return series;
}

/* The series of a family with these labels; NULL: dropped. */
static metrics_series *metrics_find(surety__metrics *metrics,
                                    metrics_family family, surety_str labels)
{
    const uint64_t key =
        (uint64_t)family << 32 |
        (labels.len ? surety__hash(labels.ptr, labels.len) : 0);
    metrics_series *series = surety__map_get(&metrics->map, key);

    while (series && !surety_str_equal(series->labels, labels))
        series = series->next;
    if (!series)
        series = metrics_insert(metrics, family, labels, key);
    if (!series)
        metrics->dropped++;
    return series;
}

/* Counts a value in the series with the labels that were added. The first keep
 * bytes of them are left for the next series. */
static void metrics_count_keep(surety__metrics *metrics, metrics_family family,
                               uint64_t value, size_t keep)
{
    const struct metrics_row *row = &metrics_families[family];
    metrics_series *series = NULL;
    size_t i = 0;

    if (metrics->labels.status)
        metrics->dropped++;
    else
        series =
            metrics_find(metrics, family, surety_buf_str(&metrics->labels));
    if (!keep)
        surety_buf_reset(&metrics->labels);
    else if (!metrics->labels.status)
        metrics->labels.len = keep;
    if (!series)
        return;
    series->sum += value;
    series->count++;
    while (i < row->bucket_count && value > row->buckets[i])
        i++;
    if (i < row->bucket_count)
        series->buckets[i]++;
}

static void metrics_count(surety__metrics *metrics, metrics_family family,
                          uint64_t value)
{
    metrics_count_keep(metrics, family, value, 0);
}

/* ---- counting a request -------------------------------------------------- */

static void metrics_label_number(surety__metrics *metrics, const char *name,
                                 int number)
{
    char bytes[20];
    surety_buf text = surety__buf_over(bytes, sizeof(bytes));

    surety_buf_number(&text, (uint64_t)number);
    metrics_label(metrics, name, surety_buf_str(&text));
}

static void metrics_label_call(surety__metrics *metrics,
                               const surety__request_record *record,
                               const surety__attempt_record *attempt)
{
    metrics_label(metrics, surety__name_of(NAME_OPERATION),
                  surety_str_of(record->operation));
    metrics_label(metrics, surety__name_of(NAME_PROVIDER),
                  surety__name_provider(attempt->provider));
    metrics_label(metrics, surety__name_of(NAME_REQUEST_MODEL), attempt->model);
}

/* Of tokens and cost: where they are an estimate, in whole or in part. */
static void metrics_label_estimate(surety__metrics *metrics,
                                   const surety__attempt_record *attempt)
{
    if (attempt->estimated)
        metrics_label(metrics, "estimated", SURETY__LITERAL("true"));
}

static uint64_t metrics_span_us(int64_t from_ms, int64_t to_ms)
{
    return to_ms > from_ms ? (uint64_t)(to_ms - from_ms) * 1000 : 0;
}

static void metrics_add_attempt(surety__metrics *metrics,
                                const surety__request_record *record,
                                const surety__attempt_record *attempt)
{
    const struct {
        const char *type;
        uint64_t tokens;
    } tokens[] = {{"input", attempt->input_tokens},
                  {"output", attempt->output_tokens}};
    size_t call; /* labels of a call, which several families have */

    metrics_label(metrics, "provider", attempt->provider);
    metrics_label(metrics, "model", attempt->model);
    metrics_label(metrics, "purpose", attempt->purpose);
    metrics_label(metrics, "outcome",
                  attempt->failure.len ? attempt->failure
                  : attempt->ok        ? surety_str_of("valid")
                                       : surety_str_of("invalid"));
    metrics_count(metrics, FAMILY_ATTEMPTS, 1);
    if (attempt->cost_known) {
        metrics_label(metrics, "provider", attempt->provider);
        metrics_label(metrics, "model", attempt->model);
        metrics_label_estimate(metrics, attempt);
        metrics_count(metrics, FAMILY_COST, attempt->cost_picousd);
    }
    metrics_label_call(metrics, record, attempt);
    call = metrics->labels.len;
    if (attempt->failure.len)
        metrics_label(metrics, surety__name_of(NAME_ERROR), attempt->failure);
    metrics_count_keep(metrics, FAMILY_DURATION,
                       metrics_span_us(attempt->started_ms, attempt->ended_ms),
                       call);
    if (attempt->first_byte_ms)
        metrics_count_keep(
            metrics, FAMILY_FIRST_CHUNK,
            metrics_span_us(attempt->started_ms, attempt->first_byte_ms), call);
    for (size_t i = 0; attempt->usage_known && i < 2; i++) {
        metrics_label(metrics, surety__name_of(NAME_TOKEN_TYPE),
                      surety_str_of(tokens[i].type));
        metrics_label_estimate(metrics, attempt);
        metrics_count_keep(metrics, FAMILY_TOKENS, tokens[i].tokens, call);
    }
    surety_buf_reset(&metrics->labels);
}

/* The contract's label: a name of ours, "(request)" for a schema that the
 * request brought, "(none)". */
static surety_str metrics_contract(const surety__request_record *record)
{
    if (record->contract.len)
        return record->contract;
    return surety_str_of(record->has_contract ? "(request)" : "(none)");
}

void surety__metrics_add(surety__metrics *metrics,
                         const surety__request_record *record)
{
    const surety_str route = surety_str_of(record->route);

    metrics_label(metrics, "route", route);
    metrics_count_keep(metrics, FAMILY_REQUEST_TIMES, record->total_us,
                       metrics->labels.len);
    metrics_count_keep(metrics, FAMILY_OVERHEAD, record->overhead_us,
                       metrics->labels.len);
    metrics_label_number(metrics, "status", record->status);
    metrics_count(metrics, FAMILY_REQUESTS, 1);
    if (record->denial) {
        metrics_label(metrics, "kind", surety_str_of(record->denial));
        metrics_count(metrics, FAMILY_DENIALS, 1);
    }
    if (record->unchecked.len) {
        metrics_label(metrics, "route", route);
        metrics_count(metrics, FAMILY_UNCHECKED, 1);
    }
    if (record->verdict) {
        metrics_label(metrics, "contract", metrics_contract(record));
        metrics_label(metrics, "verdict", surety_str_of(record->verdict));
        metrics_label(metrics, "attempts",
                      surety_str_of(record->attempt_count > 1 ? "more" : "1"));
        metrics_count(metrics, FAMILY_RUNS, 1);
    }
    if (record->repairs) {
        metrics_label(metrics, "contract", metrics_contract(record));
        metrics_count(metrics, FAMILY_REPAIRS, record->repairs);
    }
    for (size_t i = 0; i < record->attempt_count; i++)
        metrics_add_attempt(metrics, record, &record->attempts[i]);
}

void surety__metrics_merge(surety__metrics *metrics,
                           const surety__metrics *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const metrics_series *other = from->series[i];
        metrics_series *series =
            metrics_find(metrics, other->family, other->labels);

        if (!series)
            continue;
        series->count += other->count;
        series->sum += other->sum;
        for (size_t at = 0; at < METRICS_BUCKETS; at++)
            series->buckets[at] += other->buckets[at];
    }
    metrics->dropped += from->dropped;
}

/* ---- writing ------------------------------------------------------------- */

static void metrics_put_number(surety_buf *out, metrics_kind kind,
                               uint64_t number)
{
    const unsigned scale = kind == KIND_TIMES     ? 6
                           : kind == KIND_DOLLARS ? 12
                                                  : 0;
    uint64_t unit = 1;

    for (unsigned i = 0; i < scale; i++)
        unit *= 10;
    surety__buf_printf(out, "%llu", (unsigned long long)(number / unit));
    number %= unit;
    if (!number)
        return;
    surety__buf_printf(out, ".%0*llu", (int)scale, (unsigned long long)number);
    while (!out->status && out->ptr[out->len - 1] == '0')
        out->len--;
}

/* Appends the name of a family, with its unit. */
static void metrics_put_family(surety_buf *out, const struct metrics_row *row)
{
    const char *name = row->name ? row->name : surety__name_of(row->convention);
    char *start = surety__buf_room(out, strlen(name));

    if (start)
        out->len += (size_t)(metrics_write_name(start, name) - start);
    surety_buf_text(out, row->kind == KIND_TIMES       ? "_seconds"
                         : row->kind == KIND_HISTOGRAM ? ""
                                                       : "_total");
}

/* Appends one sample: le, where it is not empty, is the bound of a bucket. */
static void metrics_put_sample(surety_buf *out, const metrics_series *series,
                               const char *ending, surety_str le,
                               metrics_kind kind, uint64_t number)
{
    metrics_put_family(out, &metrics_families[series->family]);
    surety_buf_text(out, ending);
    if (series->labels.len || le.len) {
        surety_buf_byte(out, '{');
        surety_buf_add(out, series->labels);
        if (le.len) {
            surety_buf_text(out, series->labels.len ? ",le=\"" : "le=\"");
            surety_buf_add(out, le);
            surety_buf_byte(out, '"');
        }
        surety_buf_byte(out, '}');
    }
    surety_buf_byte(out, ' ');
    metrics_put_number(out, kind, number);
    surety_buf_byte(out, '\n');
}

static void metrics_put_histogram(surety_buf *out, const metrics_series *series)
{
    const struct metrics_row *row = &metrics_families[series->family];
    uint64_t below = 0;

    for (size_t i = 0; i < row->bucket_count; i++) {
        char bytes[40];
        surety_buf bound = surety__buf_over(bytes, sizeof(bytes));

        below += series->buckets[i];
        metrics_put_number(&bound, row->kind, row->buckets[i]);
        metrics_put_sample(out, series, "_bucket", surety_buf_str(&bound),
                           KIND_COUNTER, below);
    }
    metrics_put_sample(out, series, "_bucket", SURETY__LITERAL("+Inf"),
                       KIND_COUNTER, series->count);
    metrics_put_sample(out, series, "_sum", (surety_str){NULL, 0}, row->kind,
                       series->sum);
    metrics_put_sample(out, series, "_count", (surety_str){NULL, 0},
                       KIND_COUNTER, series->count);
}

void surety__metrics_write(const surety__metrics *metrics, uint64_t under_way,
                           surety_buf *out)
{
    for (size_t family = 0; family < FAMILY_COUNT; family++) {
        const struct metrics_row *row = &metrics_families[family];
        const bool is_histogram = row->bucket_count > 0;
        bool is_first = true;

        for (size_t i = 0; i < metrics->count; i++) {
            const metrics_series *series = metrics->series[i];

            if (series->family != family)
                continue;
            for (int line = 0; is_first && line < 2; line++) {
                surety_buf_text(out, line ? "# TYPE " : "# HELP ");
                metrics_put_family(out, row);
                surety__buf_printf(out, " %s\n",
                                   !line          ? row->help
                                   : is_histogram ? "histogram"
                                                  : "counter");
            }
            is_first = false;
            if (is_histogram)
                metrics_put_histogram(out, series);
            else
                metrics_put_sample(out, series, "", (surety_str){NULL, 0},
                                   row->kind, series->sum);
        }
    }
    surety__buf_printf(
        out,
        "# HELP surety_requests_under_way Requests that have not ended.\n"
        "# TYPE surety_requests_under_way gauge\n"
        "surety_requests_under_way %llu\n"
        "# HELP surety_metrics_dropped_total What was counted in no series, "
        "because there are too many.\n"
        "# TYPE surety_metrics_dropped_total counter\n"
        "surety_metrics_dropped_total %llu\n",
        (unsigned long long)under_way, (unsigned long long)metrics->dropped);
}
