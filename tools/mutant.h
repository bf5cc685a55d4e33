/* SPDX-License-Identifier: Apache-2.0 */
/* What tools/mutate.py writes into a copy of the sources refers to this: one
 * build holds every mutant, and SURETY_MUTANT says which of them is alive. */
#ifndef SURETY_MUTANT_H
#define SURETY_MUTANT_H

/* The number of the mutant that is alive; -1: none. */
extern int surety_mutant;
/* A byte a mutant: whether its place was reached. */
extern volatile unsigned char *surety_seen;

static inline int surety_mutant_is(int number)
{
    surety_seen[number] = 1;
    return surety_mutant == number;
}

#endif
