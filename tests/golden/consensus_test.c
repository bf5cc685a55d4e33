/* SPDX-License-Identifier: Apache-2.0 */
/* A consensus, as text to be read: what the members answer and when, and what
 * is made of it.
 *
 *     consensus_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case with sections:
 *
 *     === contract     the contract; none: text is asked for
 *     === options      a line each: those of world.h, each member a model, and
 *                      kind KIND, quorum N, aggregator NAME (the model of that
 *                      name is no member), all-calls N, all-tokens N,
 *                      all-ms N, all-cost N, members-unheard
 *     === answers, answers NAME     what the models answer, see world.h
 * and what must come, any of it:
 *     === end          verdict, value, winner, message, what was spent
 *     === text, color, json     the reports
 *     === votes        each decision: what was given, how many gave it
 *     === log          each member's decision log
 *     === sent         each request
 *     === events       what was heard of whom, and when
 *     === error        what the call says where it cannot begin
 *
 * With --update what must come is written anew. */
#include "base/base.h"

#include "consensus/consensus.h"
#include "golden/world.h"

#include <stdio.h>

/* A consensus and how it is asked for. */
struct talk {
    struct world world;
    surety_consensus_options options;
    surety_consensus *consensus;
    bool unheard; /* members' events are not told apart */
};

static surety_status step(void *machine, surety_now now, uint32_t *ret_delay_ms,
                          surety_error *reterr)
{
    return surety_consensus_step(machine, now, ret_delay_ms, reterr);
}

static void hear(void *ctx, size_t member, const surety_event *event)
{
    struct talk *talk = ctx;

    surety__buf_printf(&talk->world.events, "member %zu, ", member);
    world_hear(&talk->world, event);
}

/* ---- options ------------------------------------------------------------- */

static bool option_aggregator(struct talk *talk, surety_str name)
{
    struct world *world = &talk->world;
    const size_t last = world->model_count - 1;

    if (!world->model_count ||
        !surety_str_equal(world->models[last].name, name))
        return false;
    talk->options.aggregator = &world->models[last];
    return true;
}

static bool option_kind(surety_consensus_options *options, surety_str name)
{
    for (int i = 0; i <= SURETY_CONSENSUS_AGGREGATE; i++) {
        options->kind = (surety_consensus_kind)i;
        if (surety_str_equal(name, surety_str_of(surety__consensus_kind_name(
                                       options->kind))))
            return true;
    }
    return false;
}

static bool option(struct talk *talk, surety_str line)
{
    surety_consensus_options *options = &talk->options;
    surety_str rest = line;
    const surety_str name = world_word(&rest);

    if (surety_str_equal(name, SURETY__LITERAL("kind")))
        return option_kind(options, rest);
    if (surety_str_equal(name, SURETY__LITERAL("aggregator")))
        return option_aggregator(talk, rest);
    if (surety_str_equal(name, SURETY__LITERAL("quorum")))
        options->quorum = (uint32_t)world_number(rest);
    else if (surety_str_equal(name, SURETY__LITERAL("all-calls")))
        options->budget.calls_max = (uint32_t)world_number(rest);
    else if (surety_str_equal(name, SURETY__LITERAL("all-tokens")))
        options->budget.tokens_max = world_number(rest);
    else if (surety_str_equal(name, SURETY__LITERAL("all-ms")))
        options->budget.ms_max = world_number(rest);
    else if (surety_str_equal(name, SURETY__LITERAL("all-cost")))
        options->budget.cost_picousd_max = world_number(rest);
    else if (surety_str_equal(name, SURETY__LITERAL("members-unheard")))
        talk->unheard = true;
    else
        return world_option(&talk->world, line);
    return true;
}

/* ---- what came ----------------------------------------------------------- */

static void tell_value(surety_buf *out, surety_val value)
{
    if (value.doc)
        (void)surety_val_write(value, SURETY_STYLE_COMPACT, out);
    else
        surety_buf_text(out, "nothing");
}

static void tell_end(const struct talk *talk, surety_buf *out)
{
    const surety_consensus *consensus = talk->consensus;
    const surety_usage usage = surety_consensus_info_of(consensus)->usage;
    const size_t winner = surety_consensus_info_of(consensus)->winner;
    uint64_t picousd = 0;

    surety__buf_printf(
        out, "%s at %zu ms\nvalue: ",
        surety_run_verdict_name(surety_consensus_info_of(consensus)->verdict),
        (size_t)talk->world.now_ms);
    tell_value(out, surety_consensus_info_of(consensus)->value);
    surety_buf_text(out, "\nmessage: ");
    surety_buf_add(out, surety_consensus_info_of(consensus)->message);
    surety_buf_text(out, "\nwinner: ");
    if (winner == SIZE_MAX)
        surety_buf_text(out, "none");
    else
        surety_buf_number(out, winner);
    surety__buf_printf(
        out,
        "\ntokens: %zu in, %zu of them cached, %zu out, %zu of "
        "them reasoning%s\n",
        (size_t)usage.input_tokens, (size_t)usage.cached_input_tokens,
        (size_t)usage.output_tokens, (size_t)usage.reasoning_tokens,
        usage.known ? "" : ", estimated");
    picousd = surety_consensus_info_of(consensus)->cost_picousd;
    if (!surety_consensus_info_of(consensus)->cost_known)
        return;
    surety_buf_text(out, "cost: $");
    surety_dollars_write(picousd, false, out);
    surety_buf_byte(out, '\n');
}

static void tell_votes(const surety_consensus *consensus, surety_buf *out)
{
    const surety_vote *vote = surety_consensus_info_of(consensus)->vote;

    surety_buf_text(out, "voters:");
    for (size_t i = 0; i < surety_consensus_info_of(consensus)->voter_count;
         i++)
        surety__buf_printf(out, " %zu",
                           surety_consensus_info_of(consensus)->voters[i]);
    surety_buf_byte(out, '\n');
    for (size_t i = 0; i < surety_vote_info_of(vote)->ballot_count; i++) {
        const surety_ballot ballot = surety_vote_info_of(vote)->ballots[i];

        surety__buf_printf(out, "%.*s: %s, %u of %u: ", (int)ballot.pointer.len,
                           ballot.pointer.ptr, surety_vote_how_name(ballot.how),
                           (unsigned)ballot.votes, (unsigned)ballot.voters);
        tell_value(out, ballot.value);
        surety_buf_byte(out, '\n');
    }
}

static void tell_logs(const surety_consensus *consensus, surety_buf *out)
{
    const surety_run *aggregator =
        surety_consensus_info_of(consensus)->aggregator;

    for (size_t i = 0; i < surety_consensus_info_of(consensus)->member_count;
         i++) {
        surety__buf_printf(out, "member %zu\n", i);
        (void)surety_run_write_log(surety_consensus_member(consensus, i), false,
                                   out);
    }
    if (!aggregator)
        return;
    surety_buf_text(out, "aggregator\n");
    (void)surety_run_write_log(aggregator, false, out);
}

static void tell_report(const surety_consensus *consensus, surety_report form,
                        surety_buf *out)
{
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    (void)surety_consensus_write(consensus, form, &text);
    if (form == SURETY_REPORT_JSON)
        world_tell_json(out, surety_buf_str(&text));
    else
        world_tell_raw(out, surety_buf_str(&text));
    surety_buf_done(&text);
}

/* Writes what a section must hold; false: it is an input. */
static bool answer(const struct talk *talk,
                   const struct golden_section *section, surety_buf *out)
{
    if (golden_is(section, "end"))
        tell_end(talk, out);
    else if (golden_is(section, "text"))
        tell_report(talk->consensus, SURETY_REPORT_TEXT, out);
    else if (golden_is(section, "color"))
        tell_report(talk->consensus, SURETY_REPORT_COLOR, out);
    else if (golden_is(section, "json"))
        tell_report(talk->consensus, SURETY_REPORT_JSON, out);
    else if (golden_is(section, "votes"))
        tell_votes(talk->consensus, out);
    else if (golden_is(section, "log"))
        tell_logs(talk->consensus, out);
    else if (golden_is(section, "sent"))
        surety_buf_add(out, surety_buf_str(&talk->world.sent));
    else if (golden_is(section, "events"))
        surety_buf_add(out, surety_buf_str(&talk->world.events));
    else
        return false;
    return true;
}

/* Makes the case anew: there is no consensus where the call gave err. */
static void write_case(struct golden *golden, const struct talk *talk,
                       const surety_error *err)
{
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];
        surety_buf text;

        surety_buf_init(&text, NULL, 0);
        if (golden_is(section, "error")) {
            golden_begin(golden, section);
            if (!talk->consensus)
                surety__buf_printf(&golden->made, "%s: %s\n",
                                   surety_status_name(err->status),
                                   err->message);
        } else if (talk->consensus && answer(talk, section, &text)) {
            golden_begin(golden, section);
            surety_buf_add(&golden->made, surety_buf_str(&text));
            golden_end(golden);
        } else {
            golden_keep(golden, section);
        }
        surety_buf_done(&text);
    }
}

static bool ask(struct golden *golden, struct talk *talk)
{
    struct world *world = &talk->world;
    surety_error err = {.status = SURETY_OK};
    surety_status status = SURETY_OK;

    if (talk->options.aggregator)
        world->options.model_count--;
    if (!talk->unheard) {
        talk->options.event = hear;
        talk->options.event_ctx = talk;
    }
    if (surety_consensus_new(&talk->options, &talk->consensus, &err) ==
        SURETY_OK) {
        status = world_go(world, talk->consensus, step, &err);
        if (status == SURETY_MORE)
            surety_consensus_cancel(talk->consensus, world_now(world));
    }
    write_case(golden, talk, &err);
    surety_consensus_free(talk->consensus);
    if (status == SURETY_TIMEOUT)
        printf("# it does not come to an end\n");
    return status != SURETY_TIMEOUT;
}

static bool run_case(struct golden *golden)
{
    surety_str rest = golden_body(golden, "options");
    const surety_str text = golden_body(golden, "contract");
    surety_contract *contract = NULL;
    surety_status status = SURETY_OK;
    struct talk talk = {.options = {.size = sizeof(talk.options)}};
    bool good = true;
    surety_error err;
    surety_str line;

    world_open(&talk.world, golden);
    talk.options.run = &talk.world.options;
    while (golden_line(&rest, &line))
        if (!option(&talk, line)) {
            printf("# an option means nothing: %.*s\n", (int)line.len,
                   line.ptr);
            good = false;
        }
    if (text.len)
        status = surety_contract_read(text, NULL, &contract, &err);
    golden->skipped = status == SURETY_UNSUPPORTED;
    if (status != SURETY_OK && !golden->skipped)
        printf("# contract: %s (%s)\n", err.message, err.path);
    talk.world.options.contract = contract;
    good = world_ready(&talk.world) && good &&
           (golden->skipped || (status == SURETY_OK && ask(golden, &talk)));
    world_close(&talk.world);
    surety_contract_free(contract);
    return good;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run_case};

    return golden_main(argc, argv, &folder);
}
