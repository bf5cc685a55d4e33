/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a reply that will certainly fail is read on. The text after
 * its first certain error costs tokens, and so does another round. But an
 * error that is found now needs no round of its own.
 *
 * Rules:
 * 1. If no re-ask is left, more errors are of no use, and the call is stopped.
 *    If one is left, the reply is read to its end: the model cannot correct an
 *    error that the last re-ask does not name, and all calls would be wasted.
 * 2. Otherwise the rest may cost at most one round (the prompt and a reply),
 *    divided by the number of rounds left after the next one. Once a reply was
 *    stopped and its re-ask did not suffice, errors come one after the other,
 *    and the rest may cost a whole round again.
 * 3. The expected length of the reply is that of the longest complete reply,
 *    and at least what arrived of this one. If that is too short, reading on
 *    still ends at the bound of rule 2.
 * 4. Money is compared if the model has a price, otherwise tokens. */
#include "run/run.h"

/* The price of this many tokens in picodollars, or their number without a
 * price. */
static uint64_t weigh_cost(const surety_price *price, uint64_t input,
                           uint64_t output)
{
    const surety_usage usage = {.input_tokens = input, .output_tokens = output};

    return price->known ? surety_price_cost(price, &usage) : input + output;
}

bool surety__weigh_stops(const surety__stake *stake, size_t certain_at,
                         size_t received)
{
    const size_t whole =
        stake->whole_most > received ? stake->whole_most : received;
    const uint64_t reply = surety__budget_estimate(whole);
    const uint64_t most =
        reply > stake->output_most ? reply : stake->output_most;
    const uint64_t round = weigh_cost(stake->price, stake->input_tokens, most);
    const uint64_t rest = weigh_cost(
        stake->price, 0, surety__budget_estimate(whole - certain_at));

    assert(certain_at <= received);
    if (stake->rounds <= 1)
        return stake->rounds == 0;
    return rest > (stake->stops ? round : round / (stake->rounds - 1));
}
