/* SPDX-License-Identifier: Apache-2.0 */
/* Users of the page /ui: they ask for its files and its questions as its script
 * does, and in hostile forms, with and without a key, from this machine and
 * from others. Each request is written when its turn comes, since it may name a
 * run.
 *
 * Laws: each answer has the status that the request deserves; an answer of JSON
 * is JSON; and its figures are those of the rows. Rows may be added between a
 * question and its answer: then a figure is between the two sums, and where
 * nothing was added it is exact. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/ui.h"
#include "sim/gate.h"

/* ---- sums ---------------------------------------------------------------- */

/* Adds a row; is_first: of its run. */
static void sums_add(struct gate_sums *sums, const struct gate_row *row,
                     const surety_entry *entry, bool is_first)
{
    sums->runs += is_first;
    sums->calls++;
    sums->gave += row->gave_value || row->gave_error;
    if (entry->usage_known) {
        sums->input_tokens += entry->input_tokens;
        sums->output_tokens += entry->output_tokens;
    }
    if (entry->cost_known)
        sums->picousd += entry->cost_picousd;
    else if (entry->state != SURETY_ENTRY_FAILED)
        sums->unpriced++;
}

/* What the durable rows of a run come to, or of all (NULL). */
static struct gate_sums sums_of(const struct gate *gate, const char *run)
{
    struct gate_sums sums = {.runs = 0};

    for (size_t i = 0; i < gate->row_count; i++) {
        const struct gate_row *row = &gate->rows[i];
        const surety_entry *entry = gate_row_entry(gate, row);
        bool is_first = true;

        if (!entry || (run && memcmp(row->run, run, 36) != 0))
            continue;
        for (size_t k = 0; k < i && is_first; k++)
            is_first = !gate_row_entry(gate, &gate->rows[k]) ||
                       memcmp(gate->rows[k].run, row->run, 36) != 0;
        sums_add(&sums, row, entry, is_first);
    }
    return sums;
}

/* The Unix time in the id of a run. */
static int64_t run_time(const char *run)
{
    char digits[13];

    memcpy(digits, run, 8);
    memcpy(digits + 8, run + 9, 4);
    digits[12] = '\0';
    return (int64_t)strtoull(digits, NULL, 16);
}

/* Whether the clock was not set back by more than an hour in the run: such an
 * attempt is not found. */
static bool run_is_found(const struct gate *gate, const char *run)
{
    const int64_t first_ms = run_time(run) - 3600000;

    for (size_t i = 0; i < gate->row_count; i++) {
        const surety_entry *entry = gate_row_entry(gate, &gate->rows[i]);

        if (entry && !memcmp(gate->rows[i].run, run, 36) &&
            entry->started_ms < first_ms)
            return false;
    }
    return true;
}

/* ---- requests ------------------------------------------------------------ */

static const char *const page_questions[] = {"overview",  "runs",  "run",
                                             "contracts", "check", "now"};

static const struct page_file {
    const char *path, *name; /* NULL: there is none */
} page_files[] = {
    {"/ui", "page.html"},
    {"/ui/", "page.html"},
    {"/ui/page.css", "page.css"},
    {"/ui/page.js", "page.js"},
    {"/ui/page.js?x=../..", "page.js"},
    {"/ui/%70age.css", "page.css"},
    {"/ui/page", NULL},
    {"/ui/../surety.json", NULL},
    {"/ui/%2e%2e/surety.json", NULL},
    {"/ui/page.js%00", NULL},
    {"/ui//page.js", NULL},
    {"/ui/api", NULL},
};

/* Paths that are no question's. */
static const char *const page_wrong[] = {"/ui/api/",       "/ui/api/secrets",
                                         "/ui/api/RUN",    "/ui/api/run/",
                                         "/ui/api/run%2f", "/ui/api/../now"};

/* Bodies for any question of the ledger; each of them filters, or does not. */
static const char *const page_filters[] = {
    "{\"since_ms\":-9223372036854775808}",
    "{\"since_ms\":18446744073709551615,\"model\":\"small\"}",
    "{\"since_ms\":1e400}",
    "{\"model\":\"small'; DROP TABLE attempts; --\"}",
    "{\"model\":\"\\u0000\\ud83d\\ude00\",\"contract\":7}",
    "{\"contract\":\"../../surety.json\",\"ending\":{}}",
    "{\"contract\":\"point\",\"ending\":\"problem\"}",
    "{\"ending\":\"valid\"}",
    "{\"ending\":\"nonsense\",\"since_ms\":\"now\"}",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    "null",
    "-0.5e-999",
};

static const char *const page_broken[] = {
    "", "{", "{\"since_ms\":}", "\xff", "{\"a\":1}}", "nul"};

/* Ids that no run has. */
static const char *const page_strangers[] = {
    "01936f00-0000-7000-8000-0000000000ff",
    "ffffffff-ffff-7fff-ffff-ffffffffffff",
    "00000000-0000-7000-8000-000000000000",
    "0193\\u0000f00-0000-7000-8000-00000000000a",
    "",
    "%s%n",
    "../../keys",
    "\\\"'<script>",
};

static const struct page_check {
    const char *body;
    int status;
    const char *has; /* in the answer */
} page_checks[] = {
    {"{\"contract\":\"point\",\"reply\":\"{\\\"n\\\":3,\\\"s\\\":\\\"a\\\"}\"}",
     200, "{\"ok\":true"},
    {"{\"contract\":\"point\",\"reply\":\"{\\\"n\\\":11,\\\"s\\\":\\\"a\\\"}\","
     "\"repair\":\"none\"}",
     200, "{\"ok\":false"},
    {"{\"schema\":\"{\\\"type\\\":\\\"array\\\"}\",\"reply\":\"[1]\","
     "\"repair\":7}",
     200, "{\"ok\":true"},
    {"{\"schema\":\"{\\\"pattern\\\":\\\"^(a+)+$\\\"}\",\"reply\":\"\\\""
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\\\"\"}",
     200, "{\"ok\":false"},
    {"{\"schema\":\"{}\",\"reply\":5}", 200, "{\"ok\":false"},
    {"{\"schema\":\"{\",\"reply\":\"1\"}", 422, "{\"error\":"},
    {"{\"contract\":\"../point\",\"reply\":\"1\"}", 422, "{\"error\":"},
    {"{\"contract\":\"nothing\",\"reply\":\"1\"}", 422, "{\"error\":"},
    {"{\"schema\":\"{\\\"x-surety\\\":{\\\"rules\\\":[{\\\"name\\\":\\\"r\\\","
     "\\\"jq\\\":\\\"env\\\"}]}}\",\"reply\":\"1\"}",
     422, "{\"error\":"},
    {"[]", 422, "{\"error\":"},
};

/* ---- who asks ------------------------------------------------------------ */

/* Writes the headers that say who asks. Returns the status that its access
 * gives it; 0: it may see the page. */
static int page_who(struct gate *gate, surety_buf *out)
{
    static const char *const proxies[] = {
        "Forwarded: for=127.0.0.1", "X-Forwarded-For: 127.0.0.1",
        "X-Forwarded-Host: localhost", "X-Real-IP: 127.0.0.1", "via: 1.1 a"};
    static const char *const hosts[] = {"localhost", "127.0.0.1:4141",
                                        "[::1]:4141", "LOCALHOST:1"};
    static const char *const others[] = {"gate.test", "localhost.evil.test",
                                         "127.0.0.1.evil.test:80", "[::2]:1"};
    const uint64_t key = gate_below(gate, 6);
    const uint64_t way = gate_below(gate, 8);
    const bool is_admin = gate->has_keys && key < 2;

    surety__buf_printf(out, "Host: %s\r\n",
                       way == 0 ? others[gate_below(gate, 4)]
                                : hosts[gate_below(gate, 4)]);
    if (way == 1)
        surety__buf_printf(out, "%s\r\n", proxies[gate_below(gate, 5)]);
    if (way == 2)
        surety_buf_text(out, "Far: away\r\n");
    if (is_admin || (key < 4 && way > 3))
        surety__buf_printf(out, "Authorization: Bearer %s\r\n",
                           is_admin         ? gate->admin
                           : key == 3       ? "sk-client"
                           : gate->has_keys ? gate->secret
                                            : "sk-client");
    if (gate->has_keys && !is_admin && key == 3 && way > 3)
        return 401;
    return is_admin || way > 2 ? 0 : 403;
}

/* ---- requests ------------------------------------------------------------ */

/* The body of a question that is right; sets what the answer must be. */
static void page_body(struct gate *gate, struct gate_page *page,
                      surety_buf *body)
{
    const struct gate_row *row =
        gate->row_count ? &gate->rows[gate_below(gate, gate->row_count)] : NULL;

    page->is_filtered = gate_one_in(gate, 3);
    if (page->kind == PAGE_CHECK) {
        page->check = gate_below(gate, SURETY__COUNT(page_checks));
        page->status = page_checks[page->check].status;
        surety_buf_text(body, page_checks[page->check].body);
    } else if (page->kind == PAGE_RUN && gate->has_ledger) {
        const bool is_known = row && gate_row_entry(gate, row) &&
                              run_is_found(gate, row->run) &&
                              !gate_one_in(gate, 3);

        page->status = is_known ? 200 : 404;
        page->row = is_known ? (size_t)(row - gate->rows) : SIZE_MAX;
        surety__buf_printf(body, "{\"run\":\"%.*s\"}", is_known ? 36 : 99,
                           is_known
                               ? row->run
                               : page_strangers[gate_below(
                                     gate, SURETY__COUNT(page_strangers))]);
    } else {
        surety_buf_text(
            body,
            page->is_filtered
                ? page_filters[gate_below(gate, SURETY__COUNT(page_filters))]
                : "{}");
    }
}

/* Writes what follows the headers of access. */
static void page_question(struct gate *gate, struct gate_page *page,
                          surety_buf *head)
{
    static const char *const foreign[] = {
        "", "Content-Type: text/plain\r\n",
        "Content-Type: application/json\r\nSec-Fetch-Site: cross-site\r\n"};
    const bool is_foreign = gate_one_in(gate, 10);
    const bool is_broken = gate_one_in(gate, 10);
    surety_buf body;

    surety_buf_init(&body, NULL, 0);
    page->status = 200;
    page_body(gate, page, &body);
    if (is_broken) {
        surety_buf_reset(&body);
        surety_buf_text(
            &body, page_broken[gate_below(gate, SURETY__COUNT(page_broken))]);
    }
    if (is_broken ||
        surety_doc_read(gate->bench->value, surety_buf_str(&body), NULL, NULL))
        page->status = 400;
    if (is_foreign)
        page->status = 403;
    if (page->kind == PAGE_NONE)
        page->status = 404;
    surety__buf_printf(
        head, "%sContent-Length: %zu\r\n\r\n",
        is_foreign ? foreign[gate_below(gate, SURETY__COUNT(foreign))]
                   : "Content-Type: application/json\r\nSec-Fetch-Site: "
                     "same-origin\r\n",
        body.len);
    surety_buf_append(head, body.ptr, body.len);
    surety_buf_done(&body);
}

/* Writes a request for a file, or with the wrong method. */
static void page_file(struct gate *gate, struct gate_page *page,
                      surety_buf *out, surety_buf *who)
{
    static const char *const methods[] = {"GET",  "GET",  "GET",
                                          "HEAD", "POST", "DELETE"};
    const uint64_t method = gate_below(gate, SURETY__COUNT(methods));
    const struct page_file *file =
        &page_files[gate_below(gate, SURETY__COUNT(page_files))];

    page->kind = PAGE_FILE;
    page->file = file->name;
    page->is_head = method == 3;
    page->status = method > 3 ? 405 : file->name ? 200 : 404;
    surety__buf_printf(out, "%s %s HTTP/1.1\r\n", methods[method], file->path);
    surety_buf_append(out, who->ptr, who->len);
    surety_buf_text(out, "\r\n");
}

void gate_page_write(struct gate *gate, struct gate_client *client,
                     struct gate_ask *ask)
{
    const enum gate_stream before = gate_draw_from(gate, STREAM_PAGE);
    surety_buf *out = &client->out;
    struct gate_page page = {.kind = (enum page_kind)gate_below(gate, 6),
                             .row = SIZE_MAX};
    surety_buf who;
    int access;

    *ask = (struct gate_ask){.schema = -1, .object = -1, .start = out->len};
    surety_buf_init(&who, NULL, 0);
    access = page_who(gate, &who);
    if (gate_one_in(gate, 4)) {
        page_file(gate, &page, out, &who);
    } else {
        const bool is_wrong = gate_one_in(gate, 12);
        const bool is_get = !is_wrong && gate_one_in(gate, 16);

        if (is_wrong)
            surety__buf_printf(
                out, "POST %s HTTP/1.1\r\n",
                page_wrong[gate_below(gate, SURETY__COUNT(page_wrong))]);
        else
            surety__buf_printf(out, "%s /ui/api/%s%s HTTP/1.1\r\n",
                               is_get ? "GET" : "POST",
                               page_questions[page.kind],
                               gate_one_in(gate, 4) ? "?run=1&x=%00" : "");
        if (is_wrong)
            page.kind = PAGE_NONE;
        surety_buf_append(out, who.ptr, who.len);
        page_question(gate, &page, out);
        if (is_get)
            page.status = 405;
    }
    if (access)
        page.status = access;
    surety_buf_done(&who);
    ask->page = page;
    ask->end = out->len;
    client->hang_at = SIZE_MAX;
    if (!gate->memory.fail_at && gate_one_in(gate, 16))
        client->hang_at = ask->start + gate_below(gate, ask->end - ask->start);
    if (out->status)
        abort();
    gate_draw_from(gate, before);
}

void gate_page_sent(const struct gate *gate, struct gate_ask *ask)
{
    ask->page.before = sums_of(gate, NULL);
}

/* ---- laws ---------------------------------------------------------------- */

static uint64_t page_number(surety_val val, const char *name)
{
    return surety_val_uint(surety_val_get(val, name), UINT64_MAX);
}

/* A figure lies between what the rows came to before and after. */
static void check_between(struct gate *gate, uint64_t figure, uint64_t before,
                          uint64_t after)
{
    gate_must(gate, figure >= before && figure <= after,
              "a figure of the page is that of the rows");
}

static void check_overview(struct gate *gate, surety_val root,
                           const struct gate_sums *before,
                           const struct gate_sums *after)
{
    const surety_val total =
        surety_val_at(root, SURETY__LITERAL("/stats/total"));

    check_between(gate, page_number(total, "runs"), before->runs, after->runs);
    check_between(gate, page_number(total, "calls"), before->calls,
                  after->calls);
    check_between(gate, page_number(total, "input_tokens"),
                  before->input_tokens, after->input_tokens);
    check_between(gate, page_number(total, "output_tokens"),
                  before->output_tokens, after->output_tokens);
    check_between(gate, page_number(total, "cost_picousd"), before->picousd,
                  after->picousd);
}

/* What clients got of a run must be what its list and its attempts say. */
static void check_ending(struct gate *gate, const char *run, bool is_valid)
{
    for (size_t i = 0; i < gate->row_count; i++) {
        const struct gate_row *row = &gate->rows[i];

        if (memcmp(row->run, run, 36) != 0)
            continue;
        gate_must(gate,
                  (!row->gave_value || is_valid) &&
                      (!row->gave_error || !is_valid),
                  "a run is valid where its client got the value");
    }
}

/* A run of the list, while no row was added. */
static void check_run_exact(struct gate *gate, surety_val run)
{
    const surety_str id = surety_val_str(surety_val_get(run, "run"));
    struct gate_sums sums;

    gate_must(gate, id.len == 36, "a run of the list has an id");
    if (gate->broken)
        return;
    sums = sums_of(gate, id.ptr);
    gate_must(gate,
              sums.runs == 1 && page_number(run, "calls") == sums.calls &&
                  page_number(run, "tokens") ==
                      sums.input_tokens + sums.output_tokens,
              "a run of the list has the figures of its rows");
    gate_must(gate,
              sums.unpriced ? page_number(run, "cost_picousd") == UINT64_MAX
                            : page_number(run, "cost_picousd") == sums.picousd,
              "a run of the list has the cost of its rows");
    check_ending(gate, id.ptr,
                 surety_val_is(surety_val_get(run, "ending"), "valid"));
}

static void check_runs(struct gate *gate, surety_val root,
                       const struct gate_page *page,
                       const struct gate_sums *after)
{
    const surety_val runs = surety_val_get(root, "runs");
    const bool is_exact = !memcmp(&page->before, after, sizeof(*after));

    if (!page->is_filtered)
        check_between(gate, surety_val_count(runs), page->before.runs,
                      after->runs);
    gate_must(gate, surety_val_count(runs) <= after->runs,
              "a list has no more runs than there are");
    if (!is_exact)
        return;
    gate->bench->tally.figures++;
    if (!page->is_filtered)
        SURETY_EACH (run, runs)
            check_run_exact(gate, run);
}

/* The attempts of a run. */
static void check_run(struct gate *gate, surety_val root,
                      const struct gate_page *page,
                      const struct gate_sums *after)
{
    const surety_val attempts = surety_val_get(root, "attempts");
    const char *id = gate->rows[page->row].run;
    const struct gate_sums sums = sums_of(gate, id);
    uint64_t tokens = 0, picousd = 0;
    bool is_valid = false;

    gate_must(gate,
              surety_val_count(attempts) > 0 &&
                  surety_val_count(attempts) <= sums.calls,
              "a run that is asked for has its attempts");
    if (memcmp(&page->before, after, sizeof(*after)) != 0 ||
        !run_is_found(gate, id))
        return;
    gate->bench->tally.figures++;
    SURETY_EACH (attempt, attempts) {
        is_valid = surety_val_bool(surety_val_get(attempt, "ok"), false);
        tokens += surety_val_uint(surety_val_get(attempt, "input_tokens"), 0) +
                  surety_val_uint(surety_val_get(attempt, "output_tokens"), 0);
        picousd += surety_val_uint(surety_val_get(attempt, "cost_picousd"), 0);
    }
    gate_must(gate,
              surety_val_count(attempts) == sums.calls &&
                  tokens == sums.input_tokens + sums.output_tokens &&
                  picousd == sums.picousd,
              "the attempts of a run have the figures of its rows");
    check_ending(gate, id, is_valid);
}

/* Requests under way are those of the other clients. */
static void check_now(struct gate *gate, surety_val root)
{
    const surety_val requests = surety_val_get(root, "requests");

    gate_must(gate, surety_val_count(requests) <= gate->caller_count,
              "no more requests are under way than there are clients");
    SURETY_EACH (request, requests)
        gate_must(gate,
                  surety_val_str(surety_val_get(request, "run")).len == 36,
                  "a request under way has its run");
}

static void check_file(struct gate *gate, const struct gate_page *page,
                       const struct gate_answer *answer)
{
    for (size_t i = 0; i < surety__ui_files_count; i++) {
        const surety__embedded *file = &surety__ui_files[i];

        if (!strcmp(file->name, page->file))
            gate_must(gate,
                      page->is_head ||
                          surety_str_equal(surety_buf_str(&answer->body),
                                           (surety_str){file->text, file->len}),
                      "a file of the page is the file");
    }
    gate_must(gate,
              gate_has(gate_header(answer->head, "Content-Security-Policy"),
                       "default-src 'none'"),
              "the page may load nothing of others");
}

/* An answer with JSON. */
static void check_json(struct gate *gate, const struct gate_page *page,
                       const struct gate_answer *answer)
{
    const surety_str body = surety_buf_str(&answer->body);
    const struct gate_sums after = sums_of(gate, NULL);
    surety_val root;

    gate_must(gate, !surety_doc_read(gate->bench->doc, body, NULL, NULL),
              "a JSON answer of the page is JSON");
    if (gate->broken)
        return;
    root = surety_doc_root(gate->bench->doc);
    if (page->kind == PAGE_CHECK)
        gate_must(gate, gate_has(body, page_checks[page->check].has),
                  "the bench judges a reply as its schema does");
    if (answer->status != 200)
        return;
    if (page->kind == PAGE_CONTRACTS)
        gate_must(gate, gate_has(body, "\"name\":\"point\""),
                  "the bench can name the contracts of the folder");
    if (page->kind == PAGE_NOW)
        check_now(gate, root);
    if (page->kind > PAGE_RUN)
        return;
    gate_must(gate,
              surety_val_bool(surety_val_get(root, "ledger"), false) ==
                  gate->has_ledger,
              "the page says whether there is a ledger");
    if (!gate->has_ledger)
        return;
    if (page->kind == PAGE_OVERVIEW && !page->is_filtered)
        check_overview(gate, root, &page->before, &after);
    if (page->kind == PAGE_RUNS)
        check_runs(gate, root, page, &after);
    if (page->kind == PAGE_RUN)
        check_run(gate, root, page, &after);
}

void gate_check_page(struct gate *gate, const struct gate_page *page,
                     const struct gate_answer *answer)
{
    const bool reads = page->kind <= PAGE_RUN && gate->has_ledger;
    const bool may_break =
        gate->memory.starved || gate->is_closing ||
        (reads && gate->are_reads_broken && answer->status == 503);
    const surety_str type = gate_header(answer->head, "Content-Type");

    gate->bench->tally.pages++;
    gate_must(gate, answer->is_whole || may_break, "an answer is whole");
    gate_must(gate, answer->status == page->status || may_break,
              "a request for the page has the status that it deserves");
    if (gate->broken || !answer->is_whole || answer->status != page->status)
        return;
    if (page->kind == PAGE_FILE && answer->status == 200)
        check_file(gate, page, answer);
    else if (gate_has(type, "application/json") && answer->status != 401)
        check_json(gate, page, answer);
    else
        gate_must(gate, answer->status >= 400, "a question's answer is JSON");
}
