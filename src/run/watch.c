/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a reply while it is being written. The receiver hands over the
 * pieces and the verdict is noted here; run.c looks at it in its next step,
 * stops the call and goes on as with a reply that failed.
 *
 * 1. A verdict counts only if it will hold for the whole reply as receive.c
 *    judges it. Text is checked by the contract's places. A structured value is
 *    checked as the one JSON text that it is; where it will be restored,
 * against what surely holds of it before (loose.c).
 * 2. A structured value decides as long as it is JSON: once it breaks the
 *    contract, nothing behind it is looked at, whether it came whole or not.
 * One that turns out to be no JSON is looked for in the text of the reply, as
 *    receive.c will; then the text is checked. In mode TOOL the text stands
 *    beside the value: if there is any, broken arguments alone decide nothing.
 * 3. Some replies are wanted whole whatever is wrong with them: one that is to
 *    be mended by a patch, and one whose text is the contract's fallback. They
 *    are stopped only where they run away; so is a patch, and what is checked
 *    against nothing.
 * 4. That a value is lost stops a call only where the caller commits to the
 *    first one.
 * 5. Of a reply that breaks its contract the rest may be worth reading, for the
 *    errors in it (weigh.c); from then on it may only run away. */
#include "run/run.h"

/* ORDER stops */
static const char *const watch_stops[] = {"weigh", "always", "never"};

const char *surety_stop_name(surety_stop stop)
{
    return (unsigned)stop <= SURETY_STOP_NEVER ? watch_stops[stop] : "unknown";
}

/* ---- what is checked ----------------------------------------------------- */

/* The level at which replies are judged. */
static surety_repair watch_repair(const surety_run *run)
{
    const surety__subject none = {.cut = false};
    const surety_judge_options options = surety__receive_options(run, &none);

    return options.repair ? *options.repair
                          : surety_contract_repair(run->options.contract);
}

/* A contract that every value satisfies; NULL: out of memory. */
static const surety_contract *watch_any(surety_run *run)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .limits = run->options.limits,
                                             .alloc = run->alloc};

    if (!run->any && surety_contract_read(SURETY__LITERAL("true"), &options,
                                          &run->any, NULL) == SURETY_NOMEM)
        run->status = SURETY_NOMEM;
    return run->any;
}

/* The contract of a structured value as it is delivered. */
static const surety_contract *watch_value_contract(surety_run *run)
{
    surety__bound *bound = surety__mode_bound(run);
    const surety_contract *loose;

    if (!run->plan.strict || !bound ||
        surety_strict_verdict_of(run->plan.strict) == SURETY_STRICT_ACCEPTED)
        return run->options.contract;
    loose = surety__loose_contract(run, bound);
    return loose ? loose : watch_any(run);
}

/* Begins the stream for what is watched. Where it cannot be begun nothing is
 * watched, and the reply is judged when it is whole. */
static void watch_open(surety_run *run, surety__watch_kind kind)
{
    const surety__subject none = {.cut = false};
    const surety_repair repair = watch_repair(run);
    surety_judge_options judge = surety__receive_options(run, &none);
    const surety_stream_options options = {.size = sizeof(options),
                                           .judge = &judge,
                                           .native = kind == WATCH_VALUE};
    const surety_contract *contract = run->options.contract;
    surety_status status;

    judge.repair = &repair;
    judge.derive = false;
    run->watch.kind = WATCH_NOTHING;
    if (kind == WATCH_VALUE)
        contract = watch_value_contract(run);
    else if (kind == WATCH_RUNAWAY)
        contract = watch_any(run);
    if (!run->stream)
        run->stream = surety_stream_new(run->alloc, run->options.limits);
    if (!run->stream)
        run->status = SURETY_NOMEM;
    if (!run->stream || !contract)
        return;
    status = surety_stream_begin(run->stream, contract, &options, NULL);
    if (status == SURETY_NOMEM)
        run->status = SURETY_NOMEM;
    else if (status == SURETY_OK)
        run->watch.kind = kind;
}

/* Whether the reply is wanted whole, whatever is wrong with it. */
static bool watch_wants_whole(const surety_run *run)
{
    if (run->options.stop == SURETY_STOP_NEVER)
        return true;
    if (!run->judge.no_fallback &&
        surety_contract_fallback(run->options.contract) == SURETY_FALLBACK_TEXT)
        return true;
    return run->feedback == SURETY_FEEDBACK_PATCH && !run->patch_failed &&
           run->reasks < run->reask_max;
}

void surety__watch_begin(surety_run *run)
{
    const surety__plan *plan = &run->plan;

    run->watch = (surety__watch){.kind = WATCH_NOTHING};
    if (!run->options.contract)
        return;
    run->watch.whole = plan->patch || watch_wants_whole(run);
    if (plan->patch)
        watch_open(run, WATCH_RUNAWAY);
    else
        watch_open(run,
                   plan->mode == SURETY_MODE_PROMPT ? WATCH_TEXT : WATCH_VALUE);
}

/* ---- what comes ---------------------------------------------------------- */

surety_stage surety__watch_stage(const surety_issue *finding)
{
    if (surety_str_equal(finding->keyword, SURETY__LITERAL("runaway")))
        return SURETY_STAGE_JSON_PARSE;
    for (int i = SURETY_STAGE_EXTRACTION; i < SURETY_STAGE_VALIDATION; i++) {
        const surety_stage stage = (surety_stage)i;

        if (surety_str_equal(finding->keyword,
                             surety_str_of(surety_stage_name(stage))))
            return stage;
    }
    return SURETY_STAGE_VALIDATION;
}

static void watch_feed(surety_run *run, surety_str text)
{
    const surety_status status = surety_stream_feed(run->stream, text, NULL);

    run->watch.fed = true;
    if (status == SURETY_NOMEM)
        run->status = SURETY_NOMEM;
    if (status == SURETY_OK)
        return;
    run->watch.kind = WATCH_NOTHING;
    run->watch.certain = SURETY_VERDICT_OPEN;
}

/* Goes on with all that came, checked as another kind. */
static void watch_as(surety_run *run, surety__watch_kind kind)
{
    surety_buf came;

    surety_buf_init(&came, run->alloc, 0);
    surety_buf_add(&came, surety_stream_reply(run->stream));
    if (came.status != SURETY_OK)
        run->status = SURETY_NOMEM;
    watch_open(run, kind);
    if (run->watch.kind != WATCH_NOTHING && run->status == SURETY_OK)
        watch_feed(run, surety_buf_str(&came));
    surety_buf_done(&came);
}

/* Whether what the stream says now ends the call. */
static bool watch_decides(const surety_run *run)
{
    const surety__watch *watch = &run->watch;
    const surety_verdict verdict = surety_stream_verdict(run->stream);

    if (verdict == SURETY_VERDICT_RUNAWAY)
        return true;
    if (watch->whole || watch->kind == WATCH_RUNAWAY)
        return false;
    if (verdict == SURETY_VERDICT_LOST)
        return run->options.commit && watch->kind == WATCH_TEXT;
    return verdict == SURETY_VERDICT_NO;
}

/* Whether a structured value was found to be no JSON. */
static bool watch_is_broken(const surety_run *run)
{
    const surety_issue finding = surety_stream_finding(run->stream);

    return run->watch.kind == WATCH_VALUE &&
           surety_stream_verdict(run->stream) == SURETY_VERDICT_NO &&
           surety__watch_stage(&finding) != SURETY_STAGE_VALIDATION;
}

/* Notes that the reply is wrong, and goes on with it. */
static void watch_read_on(surety_run *run)
{
    surety__watch *watch = &run->watch;
    const surety_issue finding = surety_stream_finding(run->stream);

    watch->certain = surety_stream_verdict(run->stream);
    watch->certain_at = surety_stream_reply(run->stream).len;
    watch->was = watch->kind;
    watch->finding = surety__result_issue(run, &finding);
    surety__findings_note(run, &watch->finding);
    watch_as(run, WATCH_RUNAWAY);
    if (watch->kind == WATCH_NOTHING)
        watch->certain = SURETY_VERDICT_OPEN;
}

/* Whether the call is stopped now. Behind what is no JSON nothing is found, so
 * that is not read on. */
static bool watch_ends(surety_run *run)
{
    surety__watch *watch = &run->watch;
    surety_issue finding;

    if (watch->certain == SURETY_VERDICT_OPEN) {
        if (!watch_decides(run))
            return false;
        finding = surety_stream_finding(run->stream);
        if (run->options.stop == SURETY_STOP_ALWAYS ||
            surety_stream_verdict(run->stream) == SURETY_VERDICT_RUNAWAY ||
            surety__watch_stage(&finding) != SURETY_STAGE_VALIDATION)
            return true;
        watch->certain_at = surety_stream_reply(run->stream).len;
        if (surety__weigh_stops(run))
            return true;
        watch_read_on(run);
    }
    return watch->kind != WATCH_NOTHING &&
           (watch_decides(run) || surety__weigh_stops(run));
}

bool surety__watch_is_value(const surety_run *run)
{
    return (run->watch.certain ? run->watch.was : run->watch.kind) ==
           WATCH_VALUE;
}

void surety__watch_feed(surety_run *run, surety__piece piece, surety_str text)
{
    surety__watch *watch = &run->watch;

    if (watch->kind == WATCH_NOTHING || watch->stops || run->ended ||
        piece == PIECE_REASONING)
        return;
    if (surety__watch_is_value(run) && piece == PIECE_TEXT) {
        watch->beside = true;
        return;
    }
    watch_feed(run, text);
    if (watch->kind != WATCH_NOTHING && watch_is_broken(run)) {
        if (run->plan.mode == SURETY_MODE_NATIVE)
            watch_as(run, WATCH_TEXT);
        else if (watch->beside)
            watch->kind = WATCH_NOTHING;
    }
    watch->stops = watch->kind != WATCH_NOTHING && run->status == SURETY_OK &&
                   watch_ends(run);
}

bool surety__watch_refuses(surety_run *run, surety_str native)
{
    const surety__watch *watch = &run->watch;

    if (watch->certain)
        return watch->was == WATCH_VALUE;
    if (watch->kind == WATCH_VALUE && !watch->whole && !watch->fed)
        watch_feed(run, native);
    return watch->kind == WATCH_VALUE && !watch->whole &&
           surety_stream_verdict(run->stream) == SURETY_VERDICT_NO &&
           !watch_is_broken(run);
}

surety_str surety__watch_reply(const surety_run *run)
{
    return surety_stream_reply(run->stream);
}

/* ---- what is told of it -------------------------------------------------- */

void surety__watch_note(surety_run *run)
{
    surety__attempt *attempt = surety__attempt_last(run);
    surety_attempt *seen = &attempt->seen;
    const surety_issue finding = surety_stream_finding(run->stream);
    const surety_verdict verdict = surety_stream_verdict(run->stream);
    const uint64_t most = surety__budget_reply_max(seen->model);
    const bool before = run->watch.certain && verdict != SURETY_VERDICT_RUNAWAY;

    seen->stopped = before ? run->watch.certain : verdict;
    seen->stopped_bytes = surety_stream_reply(run->stream).len;
    seen->stopped_tokens = surety__budget_estimate((size_t)seen->stopped_bytes);
    seen->saved_known = most > seen->stopped_tokens;
    if (seen->saved_known)
        seen->saved_tokens = most - seen->stopped_tokens;
    attempt->finding =
        before ? run->watch.finding : surety__result_issue(run, &finding);
    attempt->broke = !run->watch.stops;
    run->stops = run->stops || seen->stopped != SURETY_VERDICT_RUNAWAY;
}

/* The report's warnings, and behind them that the reply was stopped. */
static void watch_put_warnings(const surety__attempt *attempt,
                               surety_val warnings, surety_buf *out)
{
    surety_buf why;

    surety_buf_init(&why, out->alloc, 0);
    surety__decide_tell_stop(&attempt->seen, &why);
    surety_buf_byte(out, '[');
    for (surety_val item = surety_val_first(warnings); item.doc;
         item = surety_val_next(warnings, item)) {
        (void)surety_val_write(item, SURETY_STYLE_COMPACT, out);
        surety_buf_byte(out, ',');
    }
    surety_buf_byte(out, '{');
    surety_json_text(out, "keyword", SURETY__LITERAL("stopped"));
    surety_json_text(out, "error", surety_buf_str(&why));
    surety_buf_text(out, "}]");
    if (why.status != SURETY_OK)
        out->status = why.status;
    surety_buf_done(&why);
}

static void watch_put_report(const surety__attempt *attempt, surety_val report,
                             surety_buf *out)
{
    const bool finds = !attempt->seen.ok && !attempt->outcome_tells;
    char before = '{';

    for (surety_val member = surety_val_first(report); member.doc;
         member = surety_val_next(report, member), before = ',') {
        const surety_val key = surety_val_key(member);

        surety_buf_byte(out, before);
        (void)surety_val_write(key, SURETY_STYLE_COMPACT, out);
        surety_buf_byte(out, ':');
        if (surety_val_is(key, "warnings")) {
            watch_put_warnings(attempt, member, out);
        } else if (finds && surety_val_is(key, "errors")) {
            surety_buf_byte(out, '[');
            surety_issue_write_json(&attempt->finding, out);
            surety_buf_byte(out, ']');
        } else if (finds && surety_val_is(key, "stage")) {
            surety_json_string(
                out, surety_str_of(surety_stage_name(attempt->seen.stage)));
        } else if (finds && surety_val_is(key, "ok")) {
            surety_buf_text(out, "false");
        } else {
            (void)surety_val_write(member, SURETY_STYLE_COMPACT, out);
        }
    }
    surety_buf_byte(out, '}');
}

/* What the outcome's report says, read again: there is one form of a report,
 * and it is written in one place. */
surety_status surety__watch_report(const surety_run *run,
                                   const surety__attempt *attempt,
                                   surety_buf *out)
{
    surety_doc *doc = surety_doc_new(out->alloc);
    surety_status status = SURETY_NOMEM;
    surety_buf text;

    surety_buf_init(&text, out->alloc, 0);
    if (doc)
        status = surety_outcome_write(run->outcome, SURETY_REPORT_JSON,
                                      (surety_str){"", 0}, NULL, &text);
    if (status == SURETY_OK)
        status = surety_doc_read(doc, surety_buf_str(&text), NULL, NULL);
    if (status == SURETY_OK)
        watch_put_report(attempt, surety_doc_root(doc), out);
    surety_buf_done(&text);
    surety_doc_free(doc);
    return status == SURETY_OK ? out->status : status;
}
