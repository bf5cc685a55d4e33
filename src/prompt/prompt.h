/* SPDX-License-Identifier: Apache-2.0 */
/* The door of prompt/, and what its files give each other. */
#ifndef SURETY_PROMPT_PROMPT_H
#define SURETY_PROMPT_PROMPT_H

#include <surety/prompt.h>

#include "base/base.h"
#include "contract/contract.h"
#include "json/json.h"
#include "reply/reply.h"
#include "schema/schema.h"

/* ---- layout.c ----------------------------------------------------------- */

/* Appends value as JSON that is easy to read and short: what fits a line stands
 * on one, the rest is indented by a space a level. The members of an object
 * called any of `drop` (a list that NULL ends; may be NULL) are left out at the
 * root. */
void surety__layout_write(surety_val value, const char *const *drop,
                          surety_buf *out);

/* Appends text cut after max bytes at a character's end, with a note of how
 * long it was. Control characters, and those that hide or turn text around,
 * become \uXXXX, which is what they are inside of a JSON string. */
void surety__layout_quote(surety_buf *out, surety_str text, size_t max);
/* The same for a value, as compact JSON. */
void surety__layout_value(surety_buf *out, surety_val value, size_t max);

/* ---- spell.c, spell_note.c ---------------------------------------------- */

/* Appends the schema as a TypeScript type, and the types it names behind it.
 * The result is out->status or SURETY_NOMEM. */
surety_status surety__spell_write(const surety_schema *schema,
                                  const surety_alloc *alloc, surety_buf *out);

/* Appends what a type cannot say of shape in words, on one line: description
 * and constraints. Nothing where there is nothing to say. */
void surety__spell_note(const surety__shape *shape, surety_buf *out);
/* Appends a description on one line, as a comment may have it. */
void surety__spell_line(surety_buf *out, surety_str text);

/* ---- legend.c ----------------------------------------------------------- */

/* Appends a line that names the members of example, a value of schema, that may
 * be left out; nothing where all of them must be there. SURETY_NOMEM; else the
 * result is out->status. */
surety_status surety__legend_write(const surety_schema *schema,
                                   surety_val example,
                                   const surety_alloc *alloc, surety_buf *out);

/* ---- make.c, make_text.c ------------------------------------------------ */

/* Builds a value that satisfies the schema, as JSON: the pass-th way of making
 * one (MAKE_PASSES). False: none found that way; failures of memory are in
 * out->status. */
enum { MAKE_PASSES = 6 };
bool surety__make_value(const surety_schema *schema, unsigned pass,
                        const surety_alloc *alloc, surety_buf *out);

/* Appends the n-th sample of a format; false: there is none. */
bool surety__make_format(surety_str format, unsigned n, surety_buf *out);
/* Appends a text that a pattern is likely to match: of alternatives the one
 * that n says, and what may be repeated `more` times beyond what it must be.
 * False where the pattern has what this does not know. */
bool surety__make_pattern(surety_str source, unsigned n, unsigned more,
                          surety_buf *out);

/* ---- order.c ------------------------------------------------------------- */

/* Sorts findings by their places, in the order of the value that root is: what
 * is no place of a value first, a container before what is in it, members as
 * they stand there, what does not stand there last. Stable. */
void surety__order_findings(surety_prompt_finding *findings, size_t count,
                            surety_val root);

/* ---- format.c ------------------------------------------------------------ */

/* Whether the value is asked for in another form than the contract's. */
bool surety__format_is_other(const surety_contract *contract,
                             const surety_prompt_options *options);
/* The contract's places as a model must know them: appends one sentence that
 * says where the JSON must stand. */
void surety__format_place(const surety_contract *contract, bool native,
                          surety_buf *out);

#endif
