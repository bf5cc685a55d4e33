/* SPDX-License-Identifier: Apache-2.0 */
/* The door of prompt/, and what its files share. */
#ifndef SURETY_PROMPT_PROMPT_H
#define SURETY_PROMPT_PROMPT_H

#include <surety/prompt.h>

#include "base/base.h"
#include "contract/contract.h"
#include "json/json.h"
#include "reply/reply.h"
#include "schema/schema.h"

/* ---- layout.c ----------------------------------------------------------- */

/* Appends value as JSON that is short and easy to read: what fits on a line is
 * on one line, the rest is indented by one space per level; and a newline. drop
 * (may be NULL): names of members that are left out at the root; NULL ends the
 * list. */
void surety__layout_write(surety_val value, const char *const *drop,
                          surety_buf *out);

/* As surety__buf_quoted, of a buffer, whose status out takes and which it
 * frees. */
void surety__layout_quote_done(surety_buf *out, surety_buf *text, size_t max);
/* The same for a value, as compact JSON. */
void surety__layout_value(surety_buf *out, surety_val value, size_t max);

/* ---- spell.c, spell_note.c ---------------------------------------------- */

/* Appends the schema as a TypeScript type, followed by the types that it
 * names. Returns out->status. */
surety_status surety__spell_write(const surety_schema *schema,
                                  const surety_alloc *alloc, surety_buf *out);

/* Appends what a type cannot express of shape, in words on one line:
 * description and constraints. May append nothing. */
void surety__spell_note(const surety__shape *shape, surety_buf *out);
/* Appends a description on one line, for a comment. */
void surety__spell_line(surety_buf *out, surety_str text);

/* ---- legend.c ----------------------------------------------------------- */

/* Appends a line that names the members of example, a value of schema, that
 * may be left out; nothing if all are required. Returns NOMEM if out of
 * memory; a failure of out is in out->status. */
surety_status surety__legend_write(const surety_schema *schema,
                                   surety_val example,
                                   const surety_alloc *alloc, surety_buf *out);

/* ---- make.c, make_text.c ------------------------------------------------ */

/* Makes a value that satisfies the schema, as JSON. pass: the way to make it,
 * below MAKE_PASSES. False: none was found in this way; out of memory is in
 * out->status. */
enum { MAKE_PASSES = 6 };
bool surety__make_value(const surety_schema *schema, unsigned pass,
                        const surety_alloc *alloc, surety_buf *out);

/* Appends the n-th sample of a format; false: there is none. */
bool surety__make_format(surety_str format, unsigned n, surety_buf *out);
/* Appends a text that a pattern is likely to match. n chooses the
 * alternatives; more: repetitions beyond the minimum. False: the pattern has
 * something that this function does not support. */
bool surety__make_pattern(surety_str source, unsigned n, unsigned more,
                          surety_buf *out);

/* ---- order.c ------------------------------------------------------------- */

/* Sorts findings by location, in the order of the value root: those without a
 * location first, a container before its children, members in their order,
 * locations that do not exist last. Stable. */
void surety__order_findings(surety_prompt_finding *findings, size_t count,
                            surety_val root);

/* ---- example.c ------------------------------------------------------------
 */

/* The example value, which belongs to the contract. Fails as
 * surety_prompt_example does. */
surety_status surety__example_of(const surety_contract *contract,
                                 const surety_doc **ret_example,
                                 surety_error *reterr);
/* Checks the form of the options' inputs and outputs. */
surety_status surety__example_check_given(const surety_prompt_options *options,
                                          surety_error *reterr);
/* Whether a template has the inputs and outputs in its text. */
bool surety__example_placed(const surety_contract *contract,
                            const surety_prompt_options *options);
/* Appends the inputs and outputs as text; nothing if there are none. */
surety_status surety__example_texts(const surety_contract *contract,
                                    const surety_prompt_options *options,
                                    surety_buf *out, surety_error *reterr);

/* ---- format.c ------------------------------------------------------------ */

/* Whether the requested form of the value is not the contract's. */
bool surety__format_is_other(const surety_contract *contract,
                             const surety_prompt_options *options);
/* Takes the options of a call, and sets their part to none. */
surety_status surety__format_take(surety_prompt_options *own,
                                  const surety_contract *contract,
                                  const surety_prompt_options *options,
                                  const surety_buf *out, surety_error *reterr);
/* Ends a call, whose text begins at start: one that failed for another reason
 * than its buffer's leaves no text. */
surety_status surety__format_end(surety_buf *out, size_t start,
                                 surety_status status, surety_error *reterr);
/* Appends the prompt with its format instructions, wherever they are sent.
 * Fails as surety_prompt_write does, and then leaves a part in out. */
surety_status surety__format_first(const surety_contract *contract,
                                   surety_str prompt,
                                   const surety_prompt_options *options,
                                   surety_buf *out, surety_error *reterr);
/* The template for a part of a prompt: the options', else the contract's. */
surety_status surety__format_wording(const surety_contract *contract,
                                     const surety_prompt_options *options,
                                     surety__wording_kind kind,
                                     surety__wording *ret_wording,
                                     surety_error *reterr);
/* Appends what takes the place of ${schema} or ${example}. */
surety_status surety__format_variable(const surety_contract *contract,
                                      const surety_prompt_options *options,
                                      surety__variable variable,
                                      surety_buf *out, surety_error *reterr);
/* Builds in out a value of the contract in the form that is asked for.
 * SURETY_UNSUPPORTED: it has no such form. */
surety_status surety__format_deliver(const surety_contract *contract,
                                     const surety_prompt_options *options,
                                     surety_val value, surety_doc *out,
                                     surety_error *reterr);
/* Appends line feeds, so that an empty line ends what out has from start on. */
void surety__format_gap(surety_buf *out, size_t start);
/* The place of a reply in which the JSON must be; NONE: the contract lists
 * none. */
surety_place surety__format_where(const surety_contract *contract, bool native);
/* Appends a sentence that says so. */
void surety__format_place(const surety_contract *contract, bool native,
                          surety_buf *out);

#endif
