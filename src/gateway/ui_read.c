/* SPDX-License-Identifier: Apache-2.0 */
/* What the page shows of a ledger: sums, the newest runs, one run.
 *
 * Each question reads the ledger once, in the order of its rows, with bounded
 * memory. The sums are those of `surety stats` (surety/stats.h). A list keeps
 * the newest runs in a ring: a run that is older than all of them is forgotten.
 * One run is read from the time on that its id has (a UUID of version 7), so
 * rows before it cost nothing. */
#include <surety/stats.h>

#include "gateway/ui.h"
#include "template/template.h"

#define READ_KEPT 1000    /* runs in the ring, of which a filter takes some */
#define READ_NAME_MAX 120 /* bytes of a name in a list */
#define READ_TOP 50       /* errors and repairs */
#define READ_ID_LEN 36    /* of a UUID */
/* The clock may be set back in the middle of a run, by an hour at most. */
#define READ_EARLY_MS 3600000

surety__ui_question surety__ui_ask(surety_val body)
{
    return (surety__ui_question){
        .run = surety_val_str(surety_val_get(body, "run")),
        .model = surety_val_str(surety_val_get(body, "model")),
        .contract = surety_val_str(surety_val_get(body, "contract")),
        .ending = surety_val_str(surety_val_get(body, "ending")),
        .since_ms = surety_val_int(surety_val_get(body, "since_ms"), 0)};
}

/* ---- sums ---------------------------------------------------------------- */

surety_status surety__ui_overview(const surety_ledger *ledger,
                                  const surety__ui_question *question,
                                  surety_buf *out, surety_error *reterr)
{
    static const surety_stats_by by[] = {SURETY_BY_MODEL, SURETY_BY_CONTRACT};
    const surety_stats_options options = {.size = sizeof(options),
                                          .by = by,
                                          .by_count = SURETY__COUNT(by),
                                          .since_ms = question->since_ms,
                                          .model = question->model,
                                          .contract = question->contract,
                                          .alloc = out->alloc};
    surety_stats *stats = NULL;
    surety_status status = surety_stats_new(&options, &stats, reterr);

    if (!status)
        status = surety_stats_read(stats, ledger, reterr);
    if (!status) {
        surety_buf_text(out, "{\"ledger\":true,\"stats\":");
        surety_stats_write(stats,
                           SURETY_STATS_RUNS | SURETY_STATS_ERRORS |
                               SURETY_STATS_REPAIRS,
                           READ_TOP, out);
        surety_buf_byte(out, '}');
        status = out->status ? surety__fail_nomem(reterr) : SURETY_OK;
    }
    surety_stats_free(stats);
    return status;
}

/* ---- the newest runs ----------------------------------------------------- */

typedef struct read_run {
    char id[READ_ID_LEN];
    char contract[READ_NAME_MAX], model[READ_NAME_MAX];
    size_t contract_len, model_len; /* model: of the last attempt */
    int64_t started_ms, ended_ms;
    surety_stats_tally tally;
    uint64_t calls, errors, tokens;
    uint64_t cost_picousd;
    bool cost_unknown;
    bool is_late; /* its first attempt has not come */
} read_run;

typedef struct read_list {
    const surety__ui_question *question;
    read_run *runs; /* a ring of READ_KEPT */
    size_t count;   /* of all runs that came; the last is at count - 1 */
    size_t late;    /* of those in the ring */
} read_list;

static size_t read_name(char to[READ_NAME_MAX], surety_str name)
{
    const size_t len = surety__utf8_cut(name, READ_NAME_MAX);

    if (len)
        memcpy(to, name.ptr, len);
    return len;
}

static bool read_wants(const surety__ui_question *question,
                       const surety_entry *entry)
{
    return (!question->model.len ||
            surety_str_equal(question->model, entry->model)) &&
           (!question->contract.len ||
            surety_str_equal(question->contract, entry->contract));
}

/* Finds the entry's run in the ring, the newest first. NULL: it is not there.
 */
static read_run *read_find(const read_list *list, const surety_entry *entry)
{
    const size_t kept = list->count < READ_KEPT ? list->count : READ_KEPT;

    for (size_t i = 1; i <= kept && (entry->number > 1 || list->late); i++) {
        read_run *run = &list->runs[(list->count - i) % READ_KEPT];

        if (!memcmp(run->id, entry->run.ptr, READ_ID_LEN))
            return run;
    }
    return NULL;
}

/* Finds the entry's run, or adds it. The first attempt comes behind others
 * where the clock was set back between them. NULL: it is not wanted. */
static read_run *read_run_of(read_list *list, const surety_entry *entry)
{
    const bool is_late = entry->number > 1;
    const bool is_wanted = read_wants(list->question, entry);
    read_run *run = is_late || is_wanted ? read_find(list, entry) : NULL;

    if (run) {
        if (run->is_late && !is_late) {
            run->is_late = false;
            run->started_ms = entry->started_ms;
            list->late--;
        }
        return run;
    }
    if (!is_wanted)
        return NULL;
    run = &list->runs[list->count++ % READ_KEPT];
    list->late -= run->is_late;
    *run = (read_run){.started_ms = entry->started_ms, .is_late = is_late};
    list->late += is_late;
    memcpy(run->id, entry->run.ptr, READ_ID_LEN);
    return run;
}

static bool read_each(void *ctx, const surety_entry *entry)
{
    read_list *list = ctx;
    read_run *run = NULL;

    if (entry->run.len == READ_ID_LEN &&
        !surety_str_equal(entry->purpose, SURETY__LITERAL("tool")))
        run = read_run_of(list, entry);
    if (!run)
        return true;
    surety_stats_tally_add(&run->tally, entry);
    run->contract_len = read_name(run->contract, entry->contract);
    run->model_len = read_name(run->model, entry->model);
    if (entry->ended_ms > run->ended_ms)
        run->ended_ms = entry->ended_ms;
    run->calls++;
    run->errors += entry->error_count;
    if (entry->usage_known)
        run->tokens += entry->input_tokens + entry->output_tokens;
    if (entry->cost_known)
        run->cost_picousd += entry->cost_picousd;
    else if (entry->state != SURETY_ENTRY_FAILED)
        run->cost_unknown = true;
    return true;
}

static void read_write(const read_run *run, const char *ending, surety_buf *out)
{
    surety__template_write(
        out,
        "{'run':$s,'started_ms':$n,'ended_ms':$o,'contract':$s,'model':$s,"
        "'ending':'$t','tries':$n,'calls':$n,'errors':$n,'tokens':$n,"
        "'cost_picousd':$o}",
        (surety_str){run->id, READ_ID_LEN}, (uint64_t)run->started_ms,
        run->ended_ms > 0, (uint64_t)run->ended_ms,
        (surety_str){run->contract, run->contract_len},
        (surety_str){run->model, run->model_len}, ending,
        (uint64_t)run->tally.tries, run->calls, run->errors, run->tokens,
        !run->cost_unknown, run->cost_picousd);
}

surety_status surety__ui_runs(const surety_ledger *ledger,
                              const surety__ui_question *question,
                              surety_buf *out, surety_error *reterr)
{
    read_list list = {.question = question};
    const bool filters = question->model.len || question->contract.len;
    const bool problems =
        surety_str_equal(question->ending, SURETY__LITERAL("problem"));
    surety_status status;
    size_t written = 0, kept;

    list.runs = surety__new(out->alloc, READ_KEPT * sizeof(*list.runs));
    if (!list.runs)
        return surety__fail_nomem(reterr);
    status =
        ledger->each(ledger->ctx, question->since_ms, read_each, &list, reterr);
    kept = list.count < READ_KEPT ? list.count : READ_KEPT;
    surety_buf_text(out, "{\"ledger\":true,\"runs\":[");
    for (size_t i = 1; i <= kept && written < SURETY__UI_RUNS_MAX; i++) {
        const read_run *run = &list.runs[(list.count - i) % READ_KEPT];
        const surety_stats_ending ending =
            surety_stats_tally_ending(&run->tally);
        const char *const name = surety_stats_ending_name(ending);

        /* It began before since_ms, or is older than all that are kept. A
         * filter may leave out the first attempt, too. */
        if (run->is_late && !filters)
            continue;
        if (problems
                ? ending == SURETY_ENDED_VALID
                : question->ending.len &&
                      !surety_str_equal(question->ending, surety_str_of(name)))
            continue;
        surety_buf_text(out, written++ ? "," : "");
        read_write(run, name, out);
    }
    surety_buf_text(out, "]}");
    surety__free(out->alloc, list.runs, READ_KEPT * sizeof(*list.runs));
    if (!status && out->status)
        status = surety__fail_nomem(reterr);
    return status;
}

/* ---- one run ------------------------------------------------------------- */

typedef struct read_attempts {
    surety_str run;
    surety_buf *out;
    size_t count, left;
} read_attempts;

/* Writes a text, or null. Of a long one the beginning is written. */
static void read_text(surety_buf *out, const char *name, surety_str text)
{
    const size_t len = surety__utf8_cut(text, SURETY__UI_TEXT_MAX);

    surety_json_name(out, name);
    if (text.len)
        surety_json_string(out, (surety_str){text.ptr, len});
    else
        surety_buf_text(out, "null");
}

static const char *read_state(surety_entry_state state)
{
    static const char *const names[] = {"open", "done", "failed", "cancelled",
                                        "unknown"};

    return (size_t)state < SURETY__COUNT(names) ? names[state] : "?";
}

static void read_repairs(const surety_entry *entry, surety_buf *out)
{
    surety_buf_text(out, ",\"repairs\":[");
    for (size_t i = 0; i < entry->repair_count; i++)
        surety__template_write(out, "$t{'kind':$s,'path':$s,'message':$s}",
                               i ? "," : "", entry->repairs[i].kind,
                               entry->repairs[i].path,
                               entry->repairs[i].message);
    surety_buf_byte(out, ']');
}

static void read_attempt(const surety_entry *entry, surety_buf *out)
{
    const surety_str reply = {
        entry->reply.ptr, surety__utf8_cut(entry->reply, SURETY__UI_TEXT_MAX)};

    surety__template_write(
        out,
        "{'number':$n,'purpose':$s,'contract':$s,'version':$s,'provider':$s,"
        "'model':$s,'mode':$s,'state':'$t','started_ms':$n,'first_byte_ms':$o,"
        "'ended_ms':$o,",
        (uint64_t)entry->number, entry->purpose, entry->contract,
        entry->contract_version, entry->provider, entry->model, entry->mode,
        read_state(entry->state), (uint64_t)entry->started_ms,
        entry->first_byte_ms > 0, (uint64_t)entry->first_byte_ms,
        entry->ended_ms > 0, (uint64_t)entry->ended_ms);
    surety__template_write(
        out,
        "'key':$m,'tag':$m,'failure':$m,'http_status':$o,'error':$m,"
        "'finish':$m,'ok':$b,"
        "'fallback':$b,'partial':$b,'stage':$m,'decision':$m,'stopped':$m,"
        "'input_tokens':$o,'output_tokens':$o,'cost_picousd':$o,"
        "'estimated':$b,"
        "'reply_bytes':$n,'errors':",
        entry->key, entry->tag, entry->failure, entry->http_status > 0,
        (uint64_t)entry->http_status, entry->error_message,
        entry->finish_reason, entry->ok, entry->fallback, entry->partial,
        entry->stage, entry->decision, entry->stopped, (int)entry->usage_known,
        entry->input_tokens, (int)entry->usage_known, entry->output_tokens,
        (int)entry->cost_known, entry->cost_picousd, entry->estimated,
        (uint64_t)entry->reply.len);
    surety__ui_place(reply, entry->errors, entry->error_count, out);
    read_repairs(entry, out);
    read_text(out, "reply", reply);
    read_text(out, "prompt", entry->prompt);
    surety_buf_byte(out, '}');
}

static bool read_attempts_each(void *ctx, const surety_entry *entry)
{
    read_attempts *attempts = ctx;

    if (!surety__str_equal_nocase(entry->run, attempts->run))
        return true;
    if (attempts->count >= SURETY__UI_ATTEMPTS_MAX) {
        attempts->left++;
        return true;
    }
    surety_buf_text(attempts->out, attempts->count++ ? "," : "");
    read_attempt(entry, attempts->out);
    return !attempts->out->status;
}

/* The time in a UUID of version 7; 0: it has none. */
static int64_t read_time_of(surety_str id)
{
    uint64_t time = 0;

    if (id.len != READ_ID_LEN || id.ptr[14] != '7')
        return 0;
    for (size_t i = 0; i < 13; i++) {
        const unsigned digit = surety__hex_digit(id.ptr[i]);

        if (i == 8)
            continue;
        if (digit > 15)
            return 0;
        time = time << 4 | digit;
    }
    return time > READ_EARLY_MS ? (int64_t)time - READ_EARLY_MS : 0;
}

surety_status surety__ui_run(const surety_ledger *ledger,
                             const surety__ui_question *question,
                             surety_buf *out, surety_error *reterr)
{
    read_attempts attempts = {.run = question->run, .out = out};
    surety_status status;

    surety__template_write(out, "{'ledger':true,'run':$s,'attempts':[",
                           question->run);
    status = ledger->each(ledger->ctx, read_time_of(question->run),
                          read_attempts_each, &attempts, reterr);
    if (!status && !attempts.count && !out->status) {
        status = surety__fail(reterr, SURETY_END, "the ledger has no run %.*s",
                              (int)question->run.len, question->run.ptr);
        surety__hint(reterr, "it may have been written to another ledger");
    }
    surety__template_write(out, "],'left':$n}", (uint64_t)attempts.left);
    if (!status && out->status)
        status = surety__fail_nomem(reterr);
    return status;
}
