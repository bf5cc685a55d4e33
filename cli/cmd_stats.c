/* SPDX-License-Identifier: Apache-2.0 */
/* surety stats: reads a ledger and writes statistics about it. This file is the
 * sequence of the command: find the ledger, find the contracts, read, and write
 * in the chosen form. The ledger is never created or changed. */
#include "commands.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <surety/render.h>

#include "configuration.h"
#include "library.h"
#include "memory.h"
#include "stats_settings.h"
#include "stats_table.h"

enum { WIDTH_LEAST = 40, WIDTH_MOST = 1000, WIDTH_OTHERWISE = 120 };

/* One execution of the command. Begins zeroed; job_done frees it in every
 * state. */
struct job {
    struct cli *cli;
    const struct stats_settings *settings;
    struct stats_request request;
    surety_buf place; /* URL of the ledger */
    surety_ledger *ledger;
    surety_registry *registry;
    surety_contract *contract; /* from --contract, if that is a file */
    surety_stats *stats;
    surety_chart_format chart_format;
    surety_str chart_folder, chart_name;
};

/* ---- reading ------------------------------------------------------------- */

static bool open_ledger(struct job *job)
{
    const surety_ledger_options options = {
        .size = sizeof(options),
        .read_only = true,
        .raw = (job->request.sections & SURETY_STATS_COVERAGE) != 0,
        .alloc = NULL};
    surety_error error;

    if (surety_ledger_open(surety_buf_str(&job->place), &options, &job->ledger,
                           &error) == SURETY_OK)
        return true;
    return cli_fail_error(job->cli, CODE_WORLD, &error);
}

static bool find_contracts(struct job *job)
{
    const char *given = job->settings->contract;
    struct stat about;

    if (given && *given == '\0')
        return cli_usage(job->cli, NULL, "--contract needs a name or a file");
    if (given && stat(given, &about) == 0 && S_ISREG(about.st_mode)) {
        job->contract = library_contract(job->cli, given);
        if (!job->contract)
            return false;
    }
    if (!(job->request.sections & SURETY_STATS_COVERAGE))
        return true;
    job->registry = library_open(job->cli);
    return job->registry != NULL;
}

static bool read_stats(struct job *job)
{
    const struct stats_settings *settings = job->settings;
    const struct stats_request *request = &job->request;
    const surety_contract *contracts[] = {job->contract};
    const surety_stats_options options = {
        .size = sizeof(options),
        .by = request->by,
        .by_count = request->by_count,
        .since_ms = request->since_ms,
        .until_ms = request->until_ms,
        .contract = job->contract ? surety_contract_info_of(job->contract)->name
                                  : surety_str_of(settings->contract),
        .model = surety_str_of(settings->model),
        .provider = surety_str_of(settings->provider),
        .run = surety_str_of(settings->run),
        .contracts = contracts,
        .contract_count = job->contract && job->registry ? 1 : 0,
        .registry = job->registry,
        .expects = request->expects,
        .expect_count = request->expect_count,
        .alloc = &memory_large};
    surety_error error;
    surety_status status = surety_stats_new(&options, &job->stats, &error);

    if (status == SURETY_OK)
        status = surety_stats_read(job->stats, job->ledger, &error);
    if (status == SURETY_OK)
        return true;
    return cli_fail(
        job->cli, cli_code_of(status, CODE_WORLD),
        status == SURETY_LIMIT
            ? "count less at once: --since, --until, --contract, fewer --by"
            : error.hint,
        "%s", error.message);
}

/* ---- writing ------------------------------------------------------------- */

/* Returns the width of the terminal; for another output the number in COLUMNS,
 * or a width that most readers can show. */
static size_t output_width(int fd)
{
    struct winsize size = {0};
    const char *columns = getenv("COLUMNS");
    size_t width = 0;

    if (ioctl(fd, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width == 0 && columns)
        for (; *columns >= '0' && *columns <= '9' && width < WIDTH_MOST;
             columns++)
            width = width * 10 + (size_t)(*columns - '0');
    if (width == 0)
        return WIDTH_OTHERWISE;
    return width < WIDTH_LEAST ? WIDTH_LEAST : width;
}

static void write_table(struct job *job)
{
    const struct stats_table table = {
        .out = &job->cli->out.buf,
        .stats = job->stats,
        .info = surety_stats_info_of(job->stats),
        .sections = job->request.sections,
        .top = job->settings->top ? job->settings->top : 10,
        .width = output_width(job->cli->out.fd),
        .color = cli_color(job->cli, &job->cli->out)};

    if (surety_stats_info_of(job->stats)->total->runs > 0)
        stats_table_write(&table);
}

static void write_stats(struct job *job)
{
    const struct stats_settings *settings = job->settings;
    surety_buf *out = &job->cli->out.buf;

    switch (settings->format) {
    case STATS_JSON:
        surety_stats_write(job->stats, job->request.sections, settings->top,
                           out);
        surety_buf_byte(out, '\n');
        break;
    case STATS_CSV:
        surety_stats_write_csv(job->stats,
                               (surety_stats_section)job->request.sections,
                               settings->top, settings->formulas, out);
        break;
    default: write_table(job); break;
    }
    output_flush(&job->cli->out);
}

/* Returns whether a derived member of that name was counted. */
static bool is_derived(const surety_stats *stats, surety_str member)
{
    for (size_t i = 0; i < surety_stats_info_of(stats)->cover_count; i++)
        if (surety_str_equal(surety_stats_cover_at(stats, i).member, member))
            return true;
    return false;
}

/* Writes notes about what the output leaves out. */
static void write_notes(const struct job *job)
{
    const struct stats_settings *settings = job->settings;
    const bool is_selective = settings->contract || settings->model ||
                              settings->provider || settings->run ||
                              settings->since || settings->until;
    surety_buf *err = &job->cli->err.buf;

    if (settings->quiet)
        return;
    if (surety_stats_info_of(job->stats)->total->runs == 0) {
        surety_buf_text(err, is_selective ? "the ledger has no such runs\n"
                                          : "the ledger has no runs yet\n");
        return;
    }
    for (size_t i = 0; i < job->request.expect_count; i++) {
        const surety_str member = job->request.expects[i].member;

        if (!is_derived(job->stats, member))
            put_safe_line(err, "--expect: no reply has the derived member ",
                          member);
    }
}

/* ---- the picture --------------------------------------------------------- */

static bool ends_with(surety_str text, const char *ending)
{
    const surety_str end = surety_str_of(ending);

    return text.len > end.len &&
           memcmp(text.ptr + text.len - end.len, end.ptr, end.len) == 0;
}

/* Checks --chart: the format of the picture and its file. */
static bool check_chart(struct job *job)
{
    const char *path = job->settings->chart;
    const char *slash = path ? strrchr(path, '/') : NULL;
    const surety_str name = surety_str_of(slash ? slash + 1 : path);
    surety_buf safe;
    bool is_safe;

    if (!path)
        return true;
    if (!ends_with(name, ".svg") && !ends_with(name, ".png"))
        return cli_usage(job->cli, NULL,
                         "--chart names a file that ends in .svg or .png");
    job->chart_format =
        ends_with(name, ".svg") ? SURETY_CHART_SVG : SURETY_CHART_PNG;
    job->chart_name = name;
    job->chart_folder = surety_str_of(slash ? "/" : ".");
    if (slash && slash != path)
        job->chart_folder = (surety_str){path, (size_t)(slash - path)};
    surety_buf_init(&safe, NULL, 0);
    surety_file_name(name, &safe);
    is_safe = surety_str_equal(surety_buf_str(&safe), name);
    if (!is_safe)
        cli_usage(job->cli, NULL, "--chart %s is no usual name of a file%s%.*s",
                  path, safe.len ? "; such as " : "", (int)safe.len,
                  safe.len ? safe.ptr : "");
    surety_buf_done(&safe);
    return is_safe;
}

static void draw_chart(struct job *job)
{
    const struct stats_settings *settings = job->settings;
    const surety_stats_chart chart = {.size = sizeof(chart),
                                      .format = job->chart_format,
                                      .width = settings->width,
                                      .height = settings->height};
    surety_buf *err = &job->cli->err.buf;
    surety_buf picture;
    surety_buf notes;
    surety_error error;
    surety_status status;

    if (!settings->chart)
        return;
    surety_buf_init(&picture, NULL, 0);
    surety_buf_init(&notes, NULL, 0);
    status = surety_stats_draw(job->stats, &chart, &picture, &notes, &error);
    if (status != SURETY_OK) {
        cli_fail(job->cli,
                 cli_code_of(status, status == SURETY_SYNTAX ? CODE_INVALID
                                                             : CODE_USAGE),
                 error.hint, "no chart: %s", error.message);
    } else {
        status =
            surety_file_save(job->chart_folder, job->chart_name,
                             surety_buf_str(&picture), settings->force, &error);
        if (status != SURETY_OK)
            cli_fail(job->cli, CODE_WORLD,
                     status == SURETY_MISUSE ? "--force replaces it"
                                             : error.hint,
                     "%s", error.message);
    }
    if (status == SURETY_OK && !settings->quiet) {
        put_safe_line(err, "wrote ", surety_str_of(settings->chart));
        surety_buf_add(err, surety_buf_str(&notes));
    }
    surety_buf_done(&notes);
    surety_buf_done(&picture);
}

/* ---- the command --------------------------------------------------------- */

static void job_done(struct job *job)
{
    surety_stats_free(job->stats);
    surety_ledger_close(job->ledger);
    surety_registry_free(job->registry);
    surety_contract_free(job->contract);
    surety_buf_done(&job->place);
    stats_request_done(&job->request);
}

void stats_run(struct cli *cli, const void *given,
               const struct operands *operands)
{
    const struct stats_settings *settings = given;
    struct job job = {.cli = cli, .settings = settings};

    surety_buf_init(&job.place, NULL, 0);
    if (operands->count > 0)
        cli_usage(cli, "the ledger is named with --ledger",
                  "stats takes no \"%s\"", operands->items[0]);
    else if (stats_request_read(&job.request, cli, settings) &&
             check_chart(&job) &&
             configuration_ledger_url(cli, settings->ledger, settings->config,
                                      false, &job.place) &&
             find_contracts(&job) && open_ledger(&job) && read_stats(&job)) {
        write_stats(&job);
        write_notes(&job);
        draw_chart(&job);
    }
    job_done(&job);
}
