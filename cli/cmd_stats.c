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

/* One execution of the command. Begins zeroed; teller_done frees it in every
 * state. */
struct teller {
    struct cli *cli;
    const struct stats_settings *settings;
    struct stats_asked asked;
    surety_config *config;
    surety_buf place; /* path of the ledger if none is named */
    surety_str url;
    surety_ledger *ledger;
    surety_registry *registry;
    surety_contract *contract; /* from --contract, if that is a file */
    surety_stats *stats;
    surety_chart_format chart_format;
    surety_str chart_folder, chart_name;
};

/* ---- reading ------------------------------------------------------------- */

/* Finds the ledger that surety run uses in this environment. */
static bool find_ledger(struct teller *teller)
{
    const surety_config_options options = {.size = sizeof(options),
                                           .keyless = true};
    const struct stats_settings *settings = teller->settings;

    if (settings->ledger && !settings->config &&
        !configuration_limits(teller->cli))
        return false;
    if (settings->ledger && settings->config) {
        teller->config =
            configuration_open(teller->cli, settings->config, &options);
        if (!teller->config)
            return false;
    }
    if (settings->ledger) {
        teller->url = surety_str_of(settings->ledger);
        if (teller->url.len > 0 && strcmp(settings->ledger, "none") != 0)
            return true;
        cli_usage(teller->cli, "a file, sqlite:FILE or postgresql://...",
                  "--ledger needs a place");
        return false;
    }
    teller->config =
        configuration_open(teller->cli, settings->config, &options);
    if (!teller->config)
        return false;
    teller->url = surety_config_info_of(teller->config)->ledger;
    if (surety_str_equal(teller->url, surety_str_of("none"))) {
        cli_usage(teller->cli, "name one with --ledger",
                  "the configuration keeps no ledger");
        return false;
    }
    if (teller->url.len > 0)
        return true;
    if (!configuration_ledger_place(teller->cli, false, &teller->place))
        return false;
    teller->url = surety_buf_str(&teller->place);
    return true;
}

static bool open_ledger(struct teller *teller)
{
    const surety_ledger_options options = {
        .size = sizeof(options),
        .read_only = true,
        .raw = (teller->asked.sections & SURETY_STATS_COVERAGE) != 0,
        .alloc = NULL};
    surety_error error;

    if (surety_ledger_open(teller->url, &options, &teller->ledger, &error) ==
        SURETY_OK)
        return true;
    cli_fail_error(teller->cli, CODE_WORLD, &error);
    return false;
}

/* Returns whether --contract names a file. */
static bool is_file(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static bool find_contracts(struct teller *teller)
{
    const char *given = teller->settings->contract;

    if (given && *given == '\0') {
        cli_usage(teller->cli, NULL, "--contract needs a name or a file");
        return false;
    }
    if (given && is_file(given)) {
        teller->contract = library_contract(teller->cli, given);
        if (!teller->contract)
            return false;
    }
    if (!(teller->asked.sections & SURETY_STATS_COVERAGE))
        return true;
    teller->registry = library_open(teller->cli);
    return teller->registry != NULL;
}

/* Returns a hint about the tool's options for a failure of the statistics. */
static const char *hint_of(const surety_error *error)
{
    if (error->status == SURETY_LIMIT)
        return "tell less at once: --since, --until, --contract, fewer --by";
    return error->hint;
}

static bool read_stats(struct teller *teller)
{
    const struct stats_settings *settings = teller->settings;
    const struct stats_asked *asked = &teller->asked;
    const surety_contract *contracts[] = {teller->contract};
    const surety_stats_options options = {
        .size = sizeof(options),
        .by = asked->by,
        .by_count = asked->by_count,
        .since_ms = asked->since_ms,
        .until_ms = asked->until_ms,
        .contract = teller->contract
                        ? surety_contract_info_of(teller->contract)->name
                        : surety_str_of(settings->contract),
        .model = surety_str_of(settings->model),
        .provider = surety_str_of(settings->provider),
        .run = surety_str_of(settings->run),
        .contracts = contracts,
        .contract_count = teller->contract && teller->registry ? 1 : 0,
        .registry = teller->registry,
        .expects = asked->expects,
        .expect_count = asked->expect_count,
        .alloc = &memory_large};
    surety_error error;
    surety_status status = surety_stats_new(&options, &teller->stats, &error);

    if (status == SURETY_OK)
        status = surety_stats_read(teller->stats, teller->ledger, &error);
    if (status == SURETY_OK)
        return true;
    cli_fail(teller->cli, cli_code_of(status, CODE_WORLD), hint_of(&error),
             "%s", error.message);
    return false;
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

/* Like cli_color, but for standard output. */
static bool has_color(const struct teller *teller)
{
    struct cli of_output = *teller->cli;

    of_output.err.fd = teller->cli->out.fd;
    cli_color(&of_output, teller->settings->color);
    return of_output.color;
}

static void write_table(struct teller *teller)
{
    const struct stats_table table = {
        .out = &teller->cli->out.buf,
        .stats = teller->stats,
        .sections = teller->asked.sections,
        .top = teller->settings->top ? teller->settings->top : 10,
        .width = output_width(teller->cli->out.fd),
        .color = has_color(teller)};

    if (surety_stats_info_of(teller->stats)->total->runs > 0)
        stats_table_write(&table);
}

static void write_stats(struct teller *teller)
{
    const struct stats_settings *settings = teller->settings;
    surety_buf *out = &teller->cli->out.buf;

    switch (settings->format) {
    case STATS_JSON:
        surety_stats_write(teller->stats, teller->asked.sections, settings->top,
                           out);
        surety_buf_byte(out, '\n');
        break;
    case STATS_CSV:
        surety_stats_write_csv(teller->stats,
                               (surety_stats_section)teller->asked.sections,
                               settings->top, settings->formulas, out);
        break;
    default: write_table(teller); break;
    }
    output_flush(&teller->cli->out);
}

/* Returns whether a derived member of that name was counted. */
static bool is_derived(const surety_stats *stats, surety_str member)
{
    for (size_t i = 0; i < surety_stats_info_of(stats)->cover_count; i++)
        if (surety_str_equal(surety_stats_cover_at(stats, i).member, member))
            return true;
    return false;
}

/* Returns whether the options select only some of the runs. */
static bool is_choosy(const struct teller *teller)
{
    const struct stats_settings *settings = teller->settings;

    return settings->contract || settings->model || settings->provider ||
           settings->run || settings->since || settings->until;
}

/* Writes remarks about what the output leaves out. */
static void say_remarks(const struct teller *teller)
{
    surety_buf *err = &teller->cli->err.buf;

    if (teller->settings->quiet)
        return;
    if (surety_stats_info_of(teller->stats)->total->runs == 0) {
        surety_buf_text(err, is_choosy(teller)
                                 ? "the ledger has no runs that are asked for\n"
                                 : "the ledger has no runs yet\n");
        return;
    }
    for (size_t i = 0; i < teller->asked.expect_count; i++) {
        const surety_str member = teller->asked.expects[i].member;

        if (is_derived(teller->stats, member))
            continue;
        surety_buf_text(err, "no reply that was looked at derives ");
        put_safe(err, member);
        surety_buf_text(err, ", of which --expect speaks\n");
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
static bool check_chart(struct teller *teller)
{
    const surety_str path = surety_str_of(teller->settings->chart);
    surety_str name = path;
    surety_buf safe;
    bool is_safe;

    if (!teller->settings->chart)
        return true;
    while (name.len > 0 && memchr(name.ptr, '/', name.len)) {
        name.ptr++;
        name.len--;
    }
    if (!ends_with(name, ".svg") && !ends_with(name, ".png")) {
        cli_usage(teller->cli, NULL,
                  "--chart names a file that ends in .svg or .png");
        return false;
    }
    teller->chart_format =
        ends_with(name, ".svg") ? SURETY_CHART_SVG : SURETY_CHART_PNG;
    teller->chart_name = name;
    teller->chart_folder = (surety_str){path.ptr, path.len - name.len};
    while (teller->chart_folder.len > 1 &&
           teller->chart_folder.ptr[teller->chart_folder.len - 1] == '/')
        teller->chart_folder.len--;
    if (teller->chart_folder.len == 0)
        teller->chart_folder = surety_str_of(".");
    surety_buf_init(&safe, NULL, 0);
    surety_file_name(name, &safe);
    is_safe = surety_str_equal(surety_buf_str(&safe), name);
    if (!is_safe)
        cli_usage(teller->cli, NULL,
                  "--chart %s is no usual name of a file%s%.*s",
                  teller->settings->chart, safe.len ? "; such as " : "",
                  (int)safe.len, safe.len ? safe.ptr : "");
    surety_buf_done(&safe);
    return is_safe;
}

static void draw_chart(struct teller *teller)
{
    const struct stats_settings *settings = teller->settings;
    const surety_stats_chart chart = {.size = sizeof(chart),
                                      .format = teller->chart_format,
                                      .width = settings->width,
                                      .height = settings->height};
    surety_buf *err = &teller->cli->err.buf;
    surety_buf picture;
    surety_buf remarks;
    surety_error error;
    surety_status status;

    if (!settings->chart)
        return;
    surety_buf_init(&picture, NULL, 0);
    surety_buf_init(&remarks, NULL, 0);
    status =
        surety_stats_draw(teller->stats, &chart, &picture, &remarks, &error);
    if (status != SURETY_OK) {
        cli_fail(teller->cli,
                 cli_code_of(status, status == SURETY_SYNTAX ? CODE_INVALID
                                                             : CODE_USAGE),
                 error.hint, "no chart: %s", error.message);
    } else {
        status =
            surety_file_save(teller->chart_folder, teller->chart_name,
                             surety_buf_str(&picture), settings->force, &error);
        if (status != SURETY_OK)
            cli_fail(teller->cli, CODE_WORLD,
                     status == SURETY_MISUSE ? "--force replaces it"
                                             : error.hint,
                     "%s", error.message);
    }
    if (status == SURETY_OK && !settings->quiet) {
        surety_buf_text(err, "wrote ");
        put_safe(err, surety_str_of(settings->chart));
        surety_buf_byte(err, '\n');
        surety_buf_add(err, surety_buf_str(&remarks));
    }
    surety_buf_done(&remarks);
    surety_buf_done(&picture);
}

/* ---- the command --------------------------------------------------------- */

static void teller_done(struct teller *teller)
{
    surety_stats_free(teller->stats);
    surety_ledger_close(teller->ledger);
    surety_registry_free(teller->registry);
    surety_contract_free(teller->contract);
    surety_config_free(teller->config);
    surety_buf_done(&teller->place);
    stats_asked_done(&teller->asked);
}

void stats_run(struct cli *cli, const struct command *command, int argc,
               char **argv)
{
    struct stats_settings settings = {0};
    struct teller teller = {.cli = cli, .settings = &settings};
    struct operands operands;

    if (options_parse(cli, command, argc, argv, &settings, &operands) !=
        OPTIONS_GO)
        return;
    cli_color(cli, settings.color);
    surety_buf_init(&teller.place, NULL, 0);
    if (operands.count > 0)
        cli_usage(cli, "the ledger is named with --ledger",
                  "stats takes no \"%s\"", operands.items[0]);
    else if (stats_asked_read(&teller.asked, cli, &settings) &&
             check_chart(&teller) && find_ledger(&teller) &&
             find_contracts(&teller) && open_ledger(&teller) &&
             read_stats(&teller)) {
        write_stats(&teller);
        say_remarks(&teller);
        draw_chart(&teller);
    }
    teller_done(&teller);
    texts_done(&settings.expects);
}
