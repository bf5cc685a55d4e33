/* SPDX-License-Identifier: Apache-2.0 */
/* The judgements that a run keeps: of its last reply, of the reply that
 * re-asks are about (the basis), and of a partial value.
 *
 * Invariants:
 * 1. Outcome and basis may be the same outcome, which is freed once.
 * 2. An outcome is kept with its subject. */
#include "run/run.h"

void surety__judged_reply(surety__judged *judged, surety_str reply)
{
    if (!judged->replied)
        judged->reply_first = reply;
    judged->reply_last = reply;
    judged->replied = true;
}

void surety__judged_keep(surety__judged *judged, surety_outcome *outcome,
                         const surety__subject *subject)
{
    assert(outcome);
    if (judged->outcome != judged->basis)
        surety_outcome_free(judged->outcome);
    judged->outcome = outcome;
    judged->outcome_of = *subject;
}

void surety__judged_keep_basis(surety__judged *judged)
{
    assert(judged->outcome);
    if (judged->basis != judged->outcome)
        surety_outcome_free(judged->basis);
    judged->basis = judged->outcome;
    judged->basis_of = judged->outcome_of;
}

void surety__judged_keep_partial(surety__judged *judged,
                                 surety_outcome *outcome,
                                 const surety__subject *subject)
{
    assert(outcome);
    surety_outcome_free(judged->partial);
    judged->partial = outcome;
    judged->partial_of = *subject;
}

void surety__judged_prefer_basis(surety__judged *judged)
{
    if (!judged->basis || judged->basis == judged->outcome)
        return;
    surety_outcome_free(judged->outcome);
    judged->outcome = judged->basis;
    judged->outcome_of = judged->basis_of;
}

void surety__judged_forget_basis(surety__judged *judged)
{
    surety__judged_prefer_basis(judged);
    judged->basis = NULL;
}

void surety__judged_forget(surety__judged *judged)
{
    surety__judged_forget_basis(judged);
    surety_outcome_free(judged->outcome);
    surety_outcome_free(judged->partial);
    judged->outcome = judged->partial = NULL;
}

bool surety__judged_settle(surety__judged *judged)
{
    surety_outcome *partial = judged->partial;

    if (!partial)
        return false;
    judged->partial = NULL;
    surety__judged_forget(judged);
    judged->outcome = partial;
    judged->outcome_of = judged->partial_of;
    return true;
}
