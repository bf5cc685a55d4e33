/* SPDX-License-Identifier: Apache-2.0 */
/* The single budget. The run checks it before every call, whether a first
 * call, a retry or a re-ask, so that limits of several layers do not multiply.
 *
 * Rules:
 * 1. A call is charged when it has ended: by the provider's usage. If the reply
 *    broke off, what the provider reported until then counts, and what it did
 *    not report is estimated as one token for three bytes; so is all of it if
 *    it reported nothing and may have worked. A call that never arrived, or was
 *    answered with an error's status, counts only as a call. Its row has what
 *    was charged, so the rows of a run add up to what it spent.
 * 2. Before a call, its input is charged by the estimate, and its output by
 *    the largest output of a call of this run so far. So tokens and money may
 *    exceed the budget by one reply at most; calls and time never exceed it.
 * 3. Time is the caller's monotonic clock, from the first step. */
#include "run/run.h"

enum { BUDGET_BYTES_A_TOKEN = 3 };

uint64_t surety__budget_estimate(size_t bytes)
{
    return bytes / BUDGET_BYTES_A_TOKEN + (bytes % BUDGET_BYTES_A_TOKEN != 0);
}

uint64_t surety__budget_left_ms(const surety_budget *budget,
                                const surety__spent *spent)
{
    return spent->ms < budget->ms_max ? budget->ms_max - spent->ms : 0;
}

uint32_t surety__budget_rounds(const surety__setup *setup,
                               const surety__position *at,
                               const surety__spent *spent)
{
    const uint32_t calls_max = setup->options.budget.calls_max;
    const uint32_t asks =
        setup->reask_max > at->reasks ? setup->reask_max - at->reasks : 0;
    const uint32_t calls =
        spent->calls < calls_max ? calls_max - spent->calls : 0;

    return asks < calls ? asks : calls;
}

surety_str surety__budget_denies(surety__run_store *store,
                                 const surety_budget *budget,
                                 const surety__spent *spent,
                                 const surety_price *price,
                                 const surety__plan *plan, uint64_t delay_ms)
{
    const surety_usage next = {.input_tokens = plan->input_tokens,
                               .output_tokens = spent->output_most};
    const uint64_t tokens = surety__sum(next.input_tokens, next.output_tokens);
    const uint64_t cost = surety_price_cost(price, &next);
    surety_buf *out = &store->text;

    if (spent->calls >= budget->calls_max)
        surety__buf_printf(out, "the budget of %u call%s is spent",
                           (unsigned)budget->calls_max,
                           budget->calls_max == 1 ? "" : "s");
    else if (delay_ms >= surety__budget_left_ms(budget, spent))
        surety__buf_printf(out, "the budget of %zu ms %s",
                           (size_t)budget->ms_max,
                           delay_ms ? "would be spent waiting" : "is spent");
    else if (surety__sum(spent->tokens, tokens) > budget->tokens_max)
        surety__buf_printf(out,
                           "the budget of %zu token%s does not suffice: %zu "
                           "are spent and about %zu are needed",
                           (size_t)budget->tokens_max,
                           budget->tokens_max == 1 ? "" : "s",
                           (size_t)spent->tokens, (size_t)tokens);
    else if (budget->cost_picousd_max &&
             surety__sum(spent->cost_picousd, cost) >
                 budget->cost_picousd_max) {
        surety_buf_text(out, "the budget of $");
        surety_dollars_write(budget->cost_picousd_max, false, out);
        surety_buf_text(out, " does not suffice: $");
        surety_dollars_write(spent->cost_picousd, false, out);
        surety_buf_text(out, " are spent and about $");
        surety_dollars_write(cost, false, out);
        surety_buf_text(out, " are needed");
    }
    return surety__store_keep(store);
}

/* Whether the provider may have worked for this answer. */
static bool budget_worked(const surety__attempt *attempt)
{
    const int status = attempt->seen.answer.http_status;

    return attempt->sent && !attempt->is_free &&
           (status == 0 || (status >= 200 && status < 300));
}

/* Members of extra may replace the model's own limit. */
uint64_t surety__budget_reply_max(const surety_model *model)
{
    static const char *const names[] = {"max_tokens", "max_completion_tokens",
                                        "max_output_tokens"};
    const surety_val gemini = surety_val_get(
        surety_val_get(model->extra, "generationConfig"), "maxOutputTokens");
    uint64_t most = model->output_tokens_max;

    if (!most && model->protocol == SURETY_PROTOCOL_ANTHROPIC)
        most = 8192;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        most = surety_val_uint(surety_val_get(model->extra, names[i]), most);
    return surety_val_uint(gemini, most);
}

/* Completes the usage of an answer that broke off, or has none. */
static void budget_complete(const surety__attempt *attempt,
                            uint64_t input_tokens, surety_usage *usage)
{
    if (!usage->input_tokens)
        usage->input_tokens = input_tokens;
    usage->output_tokens = surety__sum(
        usage->output_tokens, surety__budget_estimate(attempt->uncounted));
}

bool surety__usage_is_kept(const surety_usage *usage)
{
    return usage->known || usage->input_tokens || usage->output_tokens;
}

void surety__usage_add(surety_usage *all, const surety_usage *one)
{
    all->known = all->known && one->known;
    all->input_tokens = surety__sum(all->input_tokens, one->input_tokens);
    all->cached_input_tokens =
        surety__sum(all->cached_input_tokens, one->cached_input_tokens);
    all->output_tokens = surety__sum(all->output_tokens, one->output_tokens);
    all->reasoning_tokens =
        surety__sum(all->reasoning_tokens, one->reasoning_tokens);
}

void surety__budget_count(surety__spent *spent, surety__attempt *attempt,
                          uint64_t input_tokens)
{
    const surety_price *price = &attempt->seen.model->price;
    surety_usage *usage = &attempt->seen.answer.usage;
    const bool worked = usage->known || budget_worked(attempt);
    surety_usage added;

    if (!worked)
        *usage = (surety_usage){.known = false};
    else if (!usage->known)
        budget_complete(attempt, input_tokens, usage);
    assert(usage->cached_input_tokens <= usage->input_tokens);
    added = *usage;
    added.known = usage->known || !worked;
    surety__usage_add(&spent->usage, &added);
    spent->tokens = surety__sum(
        spent->tokens, surety__sum(usage->input_tokens, usage->output_tokens));
    if (usage->output_tokens > spent->output_most)
        spent->output_most = usage->output_tokens;
    attempt->seen.cost_known =
        price->known && (!worked || surety__usage_is_kept(usage));
    attempt->seen.cost_picousd =
        price->known ? surety_price_cost(price, usage) : 0;
    spent->cost_unknown = spent->cost_unknown || !price->known;
    spent->cost_picousd =
        surety__sum(spent->cost_picousd, attempt->seen.cost_picousd);
}
