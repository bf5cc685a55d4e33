/* SPDX-License-Identifier: Apache-2.0 */
/* repair_suite.h: a case of repair and how it is judged, for the program that
 * compares it with what is expected (repair_suite.c) and for the laws that hold
 * of every case (repair_laws.c). */
#ifndef SURETY_TESTS_REPAIR_SUITE_H
#define SURETY_TESTS_REPAIR_SUITE_H

#include "suite/suite.h"

/* A case, and the contract of it. */
struct trial {
    char *id;
    surety_val root;
    surety_str input;
    surety_contract *contract;
    bool partial, core;
};

/* How a reply is judged. */
struct way {
    surety_repair level;
    bool certain_only, partial, cut;
};

/* A line of a diagnostic, shortened. */
void repair_show(const char *label, surety_str text);

surety_judge_options repair_options(const struct way *way);
/* The outcome; the caller frees it. A call that fails ends the program. */
surety_outcome *repair_judge(const struct trial *trial,
                             const surety_contract *contract, surety_str reply,
                             const struct way *way);
size_t repair_likely(const surety_outcome *outcome);
/* Whether val satisfies the contract. */
bool repair_satisfies(const struct trial *trial, surety_val val);

/* Tries every law on a case and tells what is broken. */
void repair_laws_run(const struct trial *trial);
/* The name of the i-th law, and how often it was broken since the last time
 * that was asked; NULL behind the last. */
const char *repair_laws_take(size_t i, size_t *ret_broken);

#endif
