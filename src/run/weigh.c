/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a reply that is known to fail is read on. The text behind its first
 * certain error costs tokens, and so does another round; but an error that is
 * found now needs no round of its own.
 *
 * 1. Where no re-ask is left, more errors are of no use, and the call is
 *    stopped. Where one is left, the reply is read to its end: an error that
 *    the last re-ask does not name is not corrected, and all calls were in
 * vain.
 * 2. Else the rest may cost as much as another round, the prompt and a reply;
 *    less, the more rounds are left. Once a reply was stopped and its re-ask
 * did not suffice, errors come one after the other, and the rest may cost a
 * whole round again.
 * 3. A reply is taken to be as long as the longest that came whole, and at
 * least as long as what came of this one. Even if that is wrong, reading on
 * ends when the bound of 2 is reached.
 * 4. Money is compared where the model has a price, else tokens. */
#include "run/run.h"

/* What so many tokens are worth. */
static uint64_t weigh_cost(const surety_price *price, uint64_t input,
                           uint64_t output)
{
    const surety_usage usage = {.input_tokens = input, .output_tokens = output};

    return price->known ? surety_price_cost(price, &usage) : input + output;
}

bool surety__weigh_stops(const surety__stake *stake, size_t certain_at,
                         size_t came)
{
    const size_t whole = stake->whole_most > came ? stake->whole_most : came;
    const uint64_t reply = surety__budget_estimate(whole);
    const uint64_t most =
        reply > stake->output_most ? reply : stake->output_most;
    const uint64_t round = weigh_cost(stake->price, stake->input_tokens, most);
    const uint64_t rest = weigh_cost(
        stake->price, 0, surety__budget_estimate(whole - certain_at));

    assert(certain_at <= came);
    if (stake->rounds <= 1)
        return stake->rounds == 0;
    return rest > (stake->stops ? round : round / (stake->rounds - 1));
}
