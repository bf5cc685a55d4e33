/* SPDX-License-Identifier: Apache-2.0 */
/* stream_early.h: the laws of the early no (stream_early.c), and what they take
 * from stream_suite.c. */
#ifndef SURETY_TESTS_STREAM_EARLY_H
#define SURETY_TESTS_STREAM_EARLY_H

#include <surety.h>

#include <surety/stream.h>

/* The laws for the schema of a group of the JSON Schema Test Suite and its
 * data, and for schemas that are made of it and the schema of another group;
 * rounds: how many texts are made, and continuations of each. */
void early_group(surety_val group, surety_val other,
                 const surety_schema_options *options, unsigned rounds);
void early_done(void);

/* ---- stream_suite.c ------------------------------------------------------ */

/* Feeds text in chunks of size bytes; gives how many bytes had come when the
 * verdict was worse than OPEN for the first time, or SIZE_MAX. */
size_t suite_feed(surety_stream *stream, const surety_contract *contract,
                  const surety_judge_options *options, bool native,
                  surety_str text, size_t size);
void suite_wrong(const char *what, surety_val schema, surety_str text,
                 size_t at);

#endif
