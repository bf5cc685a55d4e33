/* SPDX-License-Identifier: Apache-2.0 */
/* The options of surety stats: their table, and the parsing of their texts:
 * lists of words, times, and expected values of derived members. */
#define _DEFAULT_SOURCE /* timegm */
#include "stats_settings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "input.h"
#include "nearest.h"

#define AT(member) offsetof(struct stats_settings, member)

const struct option_row stats_options[] = {
    SECTION("Which runs"),
    TEXT("ledger", 0, AT(ledger), "URL",
         "the ledger: a file, sqlite:FILE or postgresql://...; default: the "
         "one that run writes. It is only read"),
    TEXT("since", 0, AT(since), "TIME",
         "runs that began then or later: 2026-11-21, 2026-11-21T08:30 (UTC), "
         "or a time span before now: 30m, 24h, 7d, 4w"),
    TEXT("until", 0, AT(until), "TIME", "runs that began before that"),
    TEXT("contract", 'c', AT(contract), "CONTRACT",
         "only this contract: a name, NAME@VERSION, or its file"),
    TEXT("model", 'm', AT(model), "NAME",
         "only calls to this model, as the ledger has it (without a provider)"),
    TEXT("provider", 0, AT(provider), "NAME", "only calls to this provider"),
    TEXT("run", 0, AT(run), "ID", "only this run"),
    TEXT("config", 0, AT(config), "FILE",
         "the configuration that names the ledger, instead of surety.json"),
    SECTION("What is counted"),
    TEXT("by", 0, AT(by), "LIST",
         "how runs are grouped, joined by commas: model, provider, contract, "
         "version, mode, day, month; or none. Default: model,contract"),
    TEXT("show", 0, AT(show), "LIST",
         "runs, errors, repairs, coverage; default: all, in csv runs"),
    NUMBER("top", 0, AT(top), 100000, "N",
           "at most N errors, repairs and values; default: 10 in a "
           "table, all elsewhere"),
    TEXTS(
        "expect", 0, AT(expects), "MEMBER=LIST|@FILE",
        "values that a derived member should have in one reply or another, "
        "joined by commas or a line each in FILE; shows which never occurred. "
        "May be given again"),
    SECTION("Output"),
    CHOICE("format", 0, AT(format), "table|json|csv",
           "json: the contract surety/stats"),
    TEXT("chart", 0, AT(chart), "FILE",
         "also draw how many runs were valid, into FILE.svg or FILE.png"),
    NUMBER("width", 0, AT(width), 16000, "PIXELS", "of the chart; default 960"),
    NUMBER("height", 0, AT(height), 16000, "PIXELS",
           "of the chart; default: what it needs"),
    FLAG("force", 'f', AT(force), "replace a chart that is there"),
    FLAG("formulas", 0, AT(formulas),
         "in csv, leave a text that a spreadsheet would run (=, +, -, @) "
         "without the ' that stops it"),
    COLOR,
    FLAG("quiet", 'q', AT(quiet), "no notes on standard error"),
    OPTION_END};

/* ---- lists --------------------------------------------------------------- */

/* Removes and returns the text before the next comma; the rest stays in *list.
 * After the last item list->ptr is NULL. */
static surety_str next_item(surety_str *list)
{
    const char *comma = list->len ? memchr(list->ptr, ',', list->len) : NULL;
    surety_str item = *list;

    if (comma) {
        item.len = (size_t)(comma - list->ptr);
        list->ptr += item.len + 1;
        list->len -= item.len + 1;
    } else {
        *list = NO_TEXT;
    }
    while (item.len > 0 && item.ptr[0] == ' ') {
        item.ptr++;
        item.len--;
    }
    while (item.len > 0 && item.ptr[item.len - 1] == ' ')
        item.len--;
    return item;
}

/* Returns the index of the list's next word among names; count: there is none,
 * and the message is written. */
static size_t next_word(struct cli *cli, const char *option, surety_str *list,
                        const char *const *names, size_t count)
{
    const surety_str word = next_item(list);
    struct nearest nearest;
    char hint[120];
    surety_buf known;

    nearest_init(&nearest, word);
    surety_buf_init(&known, NULL, 0);
    for (size_t i = 0; i < count; i++) {
        if (surety_str_equal(word, surety_str_of(names[i]))) {
            surety_buf_done(&known);
            return i;
        }
        nearest_try(&nearest, surety_str_of(names[i]));
        put_format(&known, "%s%s", i ? ", " : "there are ", names[i]);
    }
    surety_buf_byte(&known, '\0');
    cli_usage(cli,
              nearest_hint(&nearest, "", hint, sizeof(hint)) ? hint : known.ptr,
              "--%s knows no \"%.*s\"", option,
              (int)(word.len < 80 ? word.len : 80), word.ptr);
    surety_buf_done(&known);
    return count;
}

static bool read_by(struct stats_request *request, struct cli *cli,
                    const char *given)
{
    surety_str list = surety_str_of(given ? given : "model,contract");
    const char *names[SURETY_BYS];

    if (surety_str_equal(list, surety_str_of("none")))
        return true;
    for (int i = 0; i < SURETY_BYS; i++)
        names[i] = surety_stats_by_name((surety_stats_by)i);
    do {
        const size_t found = next_word(cli, "by", &list, names, SURETY_BYS);

        if (found == SURETY_BYS)
            return false;
        for (size_t i = 0; i < request->by_count; i++)
            if (request->by[i] == (surety_stats_by)found)
                return cli_usage(cli, "leave one of them out",
                                 "--by names %s twice", names[found]);
        assert(request->by_count < SURETY_BYS);
        request->by[request->by_count++] = (surety_stats_by)found;
    } while (list.ptr);
    return true;
}

static bool read_show(struct stats_request *request, struct cli *cli,
                      const struct stats_settings *settings)
{
    /* ORDER sections: the i-th is the bit 1 << i. */
    static const char *const names[] = {"runs", "errors", "repairs",
                                        "coverage"};
    const bool is_csv = settings->format == STATS_CSV;
    surety_str list = surety_str_of(settings->show);

    if (!settings->show)
        request->sections = is_csv ? SURETY_STATS_RUNS : SURETY_STATS_ALL;
    while (list.ptr) {
        const size_t found =
            next_word(cli, "show", &list, names, COUNT_OF(names));

        if (found == COUNT_OF(names))
            return false;
        request->sections |= 1u << found;
    }
    return !is_csv || !(request->sections & (request->sections - 1)) ||
           cli_usage(cli, "call it once for each, or use --format json",
                     "csv holds one section");
}

/* ---- times --------------------------------------------------------------- */

/* Reads exactly count digits; false: there are fewer. */
static bool take_digits(const char **ptr, int count, int *ret_number)
{
    int number = 0;

    for (int i = 0; i < count; i++, ++*ptr) {
        if (**ptr < '0' || **ptr > '9')
            return false;
        number = number * 10 + (**ptr - '0');
    }
    *ret_number = number;
    return true;
}

static bool take_byte(const char **ptr, char byte)
{
    if (**ptr != byte)
        return false;
    ++*ptr;
    return true;
}

/* Reads "2026-11-21", "2026-11-21T08:30" or "2026-11-21T08:30:15Z". */
static bool read_date(const char *ptr, int64_t *ret_ms)
{
    struct tm date = {.tm_hour = 0}, usual;

    if (!take_digits(&ptr, 4, &date.tm_year) || !take_byte(&ptr, '-') ||
        !take_digits(&ptr, 2, &date.tm_mon) || !take_byte(&ptr, '-') ||
        !take_digits(&ptr, 2, &date.tm_mday) || date.tm_year < 1)
        return false;
    date.tm_year -= 1900;
    date.tm_mon--;
    if (*ptr && !take_byte(&ptr, 'T') && !take_byte(&ptr, ' '))
        return false;
    if (ptr[-1] == 'T' || ptr[-1] == ' ') {
        if (!take_digits(&ptr, 2, &date.tm_hour) || !take_byte(&ptr, ':') ||
            !take_digits(&ptr, 2, &date.tm_min))
            return false;
        if (take_byte(&ptr, ':') && !take_digits(&ptr, 2, &date.tm_sec))
            return false;
        (void)take_byte(&ptr, 'Z');
    }
    usual = date;
    *ret_ms = (int64_t)timegm(&usual) * 1000;
    /* timegm turns what no calendar or clock has into another time. */
    return *ptr == '\0' && usual.tm_mon == date.tm_mon &&
           usual.tm_mday == date.tm_mday && usual.tm_hour == date.tm_hour &&
           usual.tm_min == date.tm_min && usual.tm_sec == date.tm_sec;
}

enum { AGO_MOST = 1000000 };

/* Reads a duration before now: "7d" is seven days ago. */
static bool read_ago(const char *ptr, int64_t *ret_ms)
{
    static const char units[] = "smhdw";
    static const int64_t seconds[] = {1, 60, 3600, 86400, 604800};
    const char *const digits = ptr;
    const int64_t number = cli_number(&ptr, AGO_MOST);
    const char *unit = *ptr ? strchr(units, *ptr) : NULL;

    if (ptr == digits || number > AGO_MOST || !unit || ptr[1] != '\0')
        return false;
    *ret_ms = ((int64_t)time(NULL) - number * seconds[unit - units]) * 1000;
    return true;
}

static bool read_time(struct cli *cli, const char *option, const char *given,
                      int64_t *ret_ms)
{
    if (!given || read_date(given, ret_ms) || read_ago(given, ret_ms))
        return true;
    return cli_usage(
        cli,
        "a date such as 2026-11-21, with a time 2026-11-21T08:30 (UTC), "
        "or a time span before now: 30m, 24h, 7d, 4w",
        "--%s %s is no time", option, given);
}

/* ---- expected values ----------------------------------------------------- */

/* Takes the next line, without blanks at its end. */
static surety_str next_line(surety_str *text)
{
    surety_str line = cli_line(text);

    while (line.len > 0 && memchr("\r \t", line.ptr[line.len - 1], 3))
        line.len--;
    return line;
}

/* Adds the values of a list, or of the lines of a file. */
static bool add_values(struct cli *cli, surety_stats_expect *expect,
                       surety_str text, bool is_file)
{
    surety_str *values = NULL;
    size_t count = 0;

    while (text.len > 0) {
        const surety_str value = is_file ? next_line(&text) : next_item(&text);
        surety_str *grown;

        if (value.len == 0)
            continue;
        if (count == SURETY_STATS_VALUES_MAX) {
            cli_usage(cli, NULL, "--expect %.*s has more than %d values",
                      (int)expect->member.len, expect->member.ptr,
                      SURETY_STATS_VALUES_MAX);
            free(values);
            return false;
        }
        grown = realloc(values, (count + 1) * sizeof(*values));
        if (!grown) {
            free(values);
            return cli_nomem(cli);
        }
        values = grown;
        values[count++] = value;
    }
    expect->values = values;
    expect->value_count = count;
    if (count > 0)
        return true;
    return cli_usage(cli, "such as --expect dimensions_explored=region,age",
                     "--expect %.*s names no values", (int)expect->member.len,
                     expect->member.ptr);
}

static bool read_expect(struct stats_request *request, struct cli *cli,
                        const char *given)
{
    const size_t i = request->expect_count++;
    const size_t len = strcspn(given, "=");
    surety_str text;
    surety_error error;
    surety_status status;

    assert(request->expects && request->files);
    request->expects[i].member = (surety_str){given, len};
    if (len == 0 || given[len] == '\0')
        return cli_usage(cli, "such as --expect dimensions_explored=region,age",
                         "--expect %s is no MEMBER=VALUE,...", given);
    text = surety_str_of(given + len + 1);
    if (given[len + 1] != '@')
        return add_values(cli, &request->expects[i], text, false);
    status = input_read(given + len + 2, input_schema(&cli->limits),
                        &request->files[i], &error);
    if (status == SURETY_OK)
        return add_values(cli, &request->expects[i], request->files[i], true);
    return cli_report(cli, cli_code_of(status, CODE_USAGE), given + len + 2,
                      NO_TEXT, &error);
}

bool stats_request_read(struct stats_request *request, struct cli *cli,
                        const struct stats_settings *settings)
{
    const size_t count = settings->expects.count;

    if (!read_by(request, cli, settings->by) ||
        !read_show(request, cli, settings) ||
        !read_time(cli, "since", settings->since, &request->since_ms) ||
        !read_time(cli, "until", settings->until, &request->until_ms))
        return false;
    if (settings->since && settings->until &&
        request->since_ms >= request->until_ms)
        return cli_usage(cli, NULL, "--until is not later than --since");
    /* 0 means no bound, and no run began before 1970. */
    if (settings->since && request->since_ms < 1)
        request->since_ms = 1;
    if (settings->until && request->until_ms < 1)
        request->until_ms = 1;
    request->expects = calloc(count + 1, sizeof(*request->expects));
    request->files = calloc(count + 1, sizeof(*request->files));
    if (!request->expects || !request->files)
        return cli_nomem(cli);
    for (size_t i = 0; i < count; i++)
        if (!read_expect(request, cli, settings->expects.items[i]))
            return false;
    return true;
}

void stats_request_done(struct stats_request *request)
{
    for (size_t i = 0; i < request->expect_count; i++) {
        free((surety_str *)request->expects[i].values);
        free((char *)request->files[i].ptr);
    }
    free(request->expects);
    free(request->files);
}
