/* SPDX-License-Identifier: Apache-2.0 */
/* The results of a consensus, and its report. JSON follows the contract
 * surety/consensus: everything, with the report of each run. The text for
 * people is bounded: a line for each model, then the decisions that were not
 * unanimous, with the answers of the minority. Texts of models are shortened
 * to one line each, without control characters that a terminal obeys. */
#include "consensus/consensus.h"
#include "template/template.h"

enum {
    TALLY_BALLOTS_MAX = 1000, /* in JSON; the others are counted */
    TALLY_LINES_MAX = 32,     /* in text */
    TALLY_VALUE_MAX = 80,
    TALLY_REASON_MAX = 400
};

/* ---- results ------------------------------------------------------------- */

const surety_consensus_info *
surety_consensus_info_of(const surety_consensus *consensus)
{
    static const surety_consensus_info none = {
        .size = sizeof(none), .message = {"", 0}, .winner = SIZE_MAX};
    surety_consensus_info *info;

    if (!consensus)
        return &none;
    info = consensus->info;
    *info = (surety_consensus_info){
        .size = sizeof(*info),
        .verdict = consensus->verdict,
        .value = consensus->value,
        .message = consensus->state == CONSENSUS_ENDED
                       ? surety_buf_str(&consensus->message)
                       : (surety_str){"", 0},
        .winner = consensus->winner,
        .member_count = consensus->member_count,
        .aggregator = consensus->parties[consensus->member_count].run,
        .vote = consensus->vote,
        .voters = consensus->voters,
        .voter_count = consensus->voter_count,
        .usage.known = true,
        .cost_known = true,
    };
    for (size_t i = 0; i <= consensus->member_count; i++) {
        const surety_run_info *one =
            surety_run_info_of(consensus->parties[i].run);

        if (!consensus->parties[i].run)
            continue;
        surety__usage_add(&info->usage, &one->usage);
        info->cost_known = info->cost_known && one->cost_known;
        info->cost_picousd = surety__sum(info->cost_picousd, one->cost_picousd);
    }
    if (!info->cost_known)
        info->cost_picousd = 0;
    return info;
}

const surety_run *surety_consensus_member(const surety_consensus *consensus,
                                          size_t i)
{
    return consensus && i < consensus->member_count ? consensus->parties[i].run
                                                    : NULL;
}

/* ---- JSON ---------------------------------------------------------------- */

/* The agreement in thousandths, rounded. */
static unsigned tally_agreement(const surety_vote_info *vote)
{
    return (unsigned)(vote->agreement * 1000 + 0.5);
}

static void tally_ballot(const surety_consensus *consensus,
                         const surety_ballot *ballot, surety_buf *out)
{
    const char *before = "";

    surety__template_write(out, "{'path':$s,'how':'$t','votes':$n,'voters':$n",
                           ballot->pointer, surety_vote_how_name(ballot->how),
                           (uint64_t)ballot->votes, (uint64_t)ballot->voters);
    if (ballot->how != SURETY_VOTE_LEFT_OUT)
        surety_json_value(out, "value", ballot->value);
    surety_buf_text(out, ",\"minority\":[");
    for (size_t voter = 0; voter < consensus->voter_count; voter++) {
        if (!surety__weigh_differs(ballot, voter))
            continue;
        surety__template_write(out, "$t{'member':$n", before,
                               (uint64_t)consensus->voters[voter]);
        if (ballot->given[voter].doc)
            surety_json_value(out, "value", ballot->given[voter]);
        surety_buf_byte(out, '}');
        before = ",";
    }
    surety_buf_text(out, "]}");
}

static void tally_vote(const surety_consensus *consensus, surety_buf *out)
{
    const surety_vote_info *vote = surety_vote_info_of(consensus->vote);
    const size_t shown = vote->ballot_count < TALLY_BALLOTS_MAX
                             ? vote->ballot_count
                             : TALLY_BALLOTS_MAX;
    const unsigned share = tally_agreement(vote);

    if (!consensus->vote) {
        surety_buf_text(out, ",\"vote\":null");
        return;
    }
    surety__buf_printf(out, ",\"vote\":{\"agreement\":%u.%u%u%u,\"voters\":[",
                       share / 1000, share / 100 % 10, share / 10 % 10,
                       share % 10);
    for (size_t i = 0; i < consensus->voter_count; i++)
        surety__buf_printf(out, i ? ",%zu" : "%zu", consensus->voters[i]);
    surety_buf_text(out, "],\"ballots\":[");
    for (size_t i = 0; i < shown; i++) {
        surety_buf_text(out, i ? "," : "");
        tally_ballot(consensus, &vote->ballots[i], out);
    }
    surety_buf_byte(out, ']');
    if (shown < vote->ballot_count)
        surety_json_number(out, "ballots_more", vote->ballot_count - shown);
    surety_buf_byte(out, '}');
}

static surety_status tally_party(const surety_run *run, surety_str model,
                                 surety_buf *out)
{
    surety_status status;

    surety__template_write(
        out, "{'model':$s,'verdict':'$t','report':", model,
        surety_run_verdict_name(surety_run_info_of(run)->verdict));
    status =
        surety_run_write(run, SURETY_REPORT_JSON, (surety_str){"", 0}, out);
    surety_buf_byte(out, '}');
    return status;
}

static surety_status tally_parties(const surety_consensus *consensus,
                                   const surety_run *aggregator,
                                   surety_buf *out)
{
    surety_status status = SURETY_OK;

    surety_buf_text(out, ",\"members\":[");
    for (size_t i = 0; i < consensus->member_count && status == SURETY_OK;
         i++) {
        surety_buf_text(out, i ? "," : "");
        status = tally_party(consensus->parties[i].run,
                             consensus->run.models[i].name, out);
    }
    surety_buf_text(out, "],\"aggregator\":");
    if (!aggregator)
        surety_buf_text(out, "null");
    else if (status == SURETY_OK)
        status = tally_party(aggregator, consensus->aggregator_model.name, out);
    return status;
}

static surety_status tally_json(const surety_consensus *consensus,
                                surety_buf *out)
{
    const surety_consensus_info *info = surety_consensus_info_of(consensus);
    const surety_contract *contract = consensus->run.contract;
    const surety_run_verdict verdict = consensus->verdict;
    surety_status status;

    surety__template_write(
        out, "{'ok':$b,'kind':'$t','verdict':'$t','contract':$s,'value':$v",
        verdict == SURETY_RUN_VALID || verdict == SURETY_RUN_PARTIAL,
        surety__consensus_kind_name(consensus->options.kind),
        surety_run_verdict_name(verdict),
        contract ? surety_contract_info_of(contract)->id : (surety_str){"", 0},
        consensus->value);
    if (consensus->message.len)
        surety_json_text(out, "message", info->message);
    surety__template_write(out, ",'winner':$o", consensus->winner != SIZE_MAX,
                           (uint64_t)consensus->winner);
    tally_vote(consensus, out);
    surety__report_spent(out, &info->usage, info->cost_known,
                         info->cost_picousd);
    status = tally_parties(consensus, info->aggregator, out);
    surety_buf_byte(out, '}');
    return status == SURETY_OK ? out->status : status;
}

/* ---- text for people ----------------------------------------------------- */

static void tally_show(surety_buf *out, surety_val value)
{
    surety_buf text;

    if (!value.doc) {
        surety_buf_text(out, "nothing");
        return;
    }
    surety_buf_init(&text, out->alloc, 0);
    (void)surety_val_write(value, SURETY_STYLE_COMPACT, &text);
    if (text.status != SURETY_OK)
        out->status = text.status;
    surety__buf_line(out, surety_buf_str(&text), TALLY_VALUE_MAX);
    surety_buf_done(&text);
}

/* Appends "  NAME: valid, 2 calls" */
static void tally_line(const surety_run *run, surety_str model, bool color,
                       bool is_aggregator, surety_buf *out)
{
    const surety_run_info *info = surety_run_info_of(run);

    surety_buf_text(out, is_aggregator ? "  aggregator " : "  ");
    surety_buf_text(out, color ? "\x1b[1m" : "");
    surety__buf_line(out, model, TALLY_VALUE_MAX);
    surety__buf_printf(out, "%s: %s, %zu call%s", color ? "\x1b[0m" : "",
                       surety_run_verdict_name(info->verdict),
                       info->attempt_count,
                       info->attempt_count == 1 ? "" : "s");
    if (info->verdict != SURETY_RUN_VALID && info->message.len) {
        surety_buf_text(out, ": ");
        surety__buf_line(out, info->message, TALLY_REASON_MAX);
    }
    surety_buf_byte(out, '\n');
}

/* Appends "  /a/b: 3 (majority, 2 of 3); NAME gave 4" */
static void tally_dispute(const surety_consensus *consensus,
                          const surety_ballot *ballot, surety_buf *out)
{
    const bool is_out = ballot->how == SURETY_VOTE_LEFT_OUT;
    const surety_str pointer = ballot->pointer;

    surety_buf_text(out, "  ");
    surety__buf_line(out, pointer.len ? pointer : SURETY__LITERAL("the root"),
                     120);
    surety_buf_text(out, is_out ? ": left out" : ": ");
    if (!is_out)
        tally_show(out, ballot->value);
    surety__buf_printf(
        out, " (%s, %u of %u)", surety_vote_how_name(ballot->how),
        (unsigned)(is_out ? ballot->voters - ballot->votes : ballot->votes),
        (unsigned)ballot->voters);
    for (size_t voter = 0; voter < consensus->voter_count; voter++) {
        const size_t member = consensus->voters[voter];

        if (!surety__weigh_differs(ballot, voter))
            continue;
        surety_buf_text(out, "; ");
        surety__buf_line(out, consensus->run.models[member].name,
                         TALLY_VALUE_MAX);
        surety_buf_text(out, " gave ");
        tally_show(out, ballot->given[voter]);
    }
    surety_buf_byte(out, '\n');
}

static void tally_disputes(const surety_consensus *consensus, surety_buf *out)
{
    const surety_vote_info *vote = surety_vote_info_of(consensus->vote);
    size_t count = 0;

    for (size_t i = 0; i < vote->ballot_count; i++)
        if (vote->ballots[i].how != SURETY_VOTE_UNANIMOUS &&
            count++ < TALLY_LINES_MAX)
            tally_dispute(consensus, &vote->ballots[i], out);
    if (count > TALLY_LINES_MAX)
        surety__buf_printf(out, "  and %zu more that are not unanimous\n",
                           count - TALLY_LINES_MAX);
}

static void tally_people(const surety_consensus *consensus, bool color,
                         surety_buf *out)
{
    const surety_consensus_info *info = surety_consensus_info_of(consensus);
    const size_t count = consensus->member_count;
    const char *kind = surety__consensus_kind_name(consensus->options.kind);

    surety__buf_printf(out, "%sconsensus%s: %s of %zu model%s: %s",
                       color ? "\x1b[1m" : "", color ? "\x1b[0m" : "", kind,
                       count, count == 1 ? "" : "s",
                       surety_run_verdict_name(consensus->verdict));
    if (consensus->winner != SIZE_MAX) {
        surety_buf_text(out, ", by ");
        surety__buf_line(out, consensus->run.models[consensus->winner].name,
                         TALLY_VALUE_MAX);
    }
    if (consensus->vote) {
        const unsigned share =
            tally_agreement(surety_vote_info_of(consensus->vote));

        surety__buf_printf(out, ", agreement %u.%u%%", share / 10, share % 10);
    }
    surety_buf_byte(out, '\n');
    if (consensus->message.len) {
        surety_buf_text(out, "  ");
        surety_buf_add(out, info->message);
        surety_buf_byte(out, '\n');
    }
    for (size_t i = 0; i < count; i++)
        tally_line(consensus->parties[i].run, consensus->run.models[i].name,
                   color, false, out);
    if (info->aggregator)
        tally_line(info->aggregator, consensus->aggregator_model.name, color,
                   true, out);
    tally_disputes(consensus, out);
}

surety_status surety_consensus_write(const surety_consensus *consensus,
                                     surety_report form, surety_buf *out)
{
    if (!consensus || !out || (unsigned)form > SURETY_REPORT_SARIF)
        return SURETY_MISUSE;
    if (form == SURETY_REPORT_JSON) {
        const size_t start = out->len;
        const surety_status status = tally_json(consensus, out);

        surety_json_shown(out, start);
        return status ? status : out->status;
    }
    if (form == SURETY_REPORT_TEXT || form == SURETY_REPORT_COLOR)
        tally_people(consensus, form == SURETY_REPORT_COLOR, out);
    else
        return SURETY_UNSUPPORTED;
    return out->status;
}
