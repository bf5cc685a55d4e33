/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions of "pattern", "patternProperties" and "format": "regex":
 * ECMA-262 (2023) with the u flag, matched anywhere in a text.
 *
 *     surety__pattern_compile(source, alloc, &limits, &pattern, &err);
 *     matcher = surety__matcher_new(alloc, &limits);
 *     if (surety__pattern_match(pattern, matcher, text) == 1)
 *         ...
 *
 * What schemas in the wild write against the u flag's grammar but every
 * engine without it takes (ECMA-262, annex B.1.2) is taken too where only one
 * meaning is possible: a backslash before any ASCII punctuation, a lone "]",
 * "{" or "}", and a class escape beside a hyphen in a class ("[\w-.]"). A
 * backslash before a letter or digit without meaning stays an error.
 *
 * One difference is known and kept: a group's capture is not forgotten when a
 * quantifier repeats what is around it, so a backreference may see the last
 * round's text.
 *
 * Threads: a pattern is frozen, a matcher owned. */
#ifndef SURETY_SCHEMA_PATTERN_H
#define SURETY_SCHEMA_PATTERN_H

#include "base/base.h"

typedef struct surety__pattern surety__pattern;
typedef struct surety__matcher surety__matcher;

/* Compiles source, which need not outlive the call. reterr->position.offset
 * is the byte of source where it goes wrong. SURETY_SYNTAX: not an ECMA-262
 * pattern. SURETY_UNSUPPORTED: one, but with what PCRE2 cannot do (lookbehind
 * of unbounded length). SURETY_LIMIT: longer than pattern_len_max, nested too
 * deep, too many groups or too large when compiled. SURETY_NOMEM. */
surety_status surety__pattern_compile(surety_str source,
                                      const surety_alloc *alloc,
                                      const surety_limits *limits,
                                      surety__pattern **ret_pattern,
                                      surety_error *reterr);
void surety__pattern_free(surety__pattern *pattern); /* takes NULL */

/* Scratch memory and limits for matching any number of patterns. NULL when
 * out of memory. */
surety__matcher *surety__matcher_new(const surety_alloc *alloc,
                                     const surety_limits *limits);
void surety__matcher_free(surety__matcher *matcher); /* takes NULL */

/* 1: the pattern matches somewhere in text, which must be UTF-8; 0: it does
 * not; SURETY_LIMIT: the match needs more than the matcher's limits allow;
 * SURETY_NOMEM. */
int surety__pattern_match(const surety__pattern *pattern,
                          surety__matcher *matcher, surety_str text);

/* The status of a match that failed; for SURETY_LIMIT with a message in reterr,
 * which may be NULL. */
surety_status surety__match_fail(int match, surety_str text,
                                 const surety_limits *limits,
                                 surety_error *reterr);

/* The steps that the last match took; 0 for one without PCRE2, which is linear.
 */
uint64_t surety__matcher_steps(const surety__matcher *matcher);

/* Whether text is a pattern at all; no PCRE2, no allocation. Nesting and named
 * groups beyond what surety__pattern_compile takes are refused. */
bool surety__pattern_is_valid(surety_str text);

/* A text that is in everything that the pattern matches, with *ret_starts at
 * its start; empty: none is known. */
surety_str surety__pattern_within(const surety__pattern *pattern,
                                  bool *ret_starts);

/* Whether the pattern is matched without PCRE2, each byte of a text once or a
 * few times. For tests. */
bool surety__pattern_is_simple(const surety__pattern *pattern);

#endif
