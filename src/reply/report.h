/* SPDX-License-Identifier: Apache-2.0 */
/* Inside reply/: one function a form of report, and how text from outside gets
 * into them. */
#ifndef SURETY_REPLY_REPORT_H
#define SURETY_REPLY_REPORT_H

#include "reply/reply.h"

/* raw_max: as for surety_outcome_write. */
void surety__report_json(const surety_outcome *outcome, size_t raw_max,
                         surety_buf *out);
void surety__report_text(const surety_outcome *outcome, surety_str source,
                         bool color, surety_buf *out);
void surety__report_plain(const surety_outcome *outcome, surety_buf *out);
void surety__report_github(const surety_outcome *outcome, surety_str source,
                           surety_buf *out);
void surety__report_sarif(const surety_outcome *outcome, surety_str source,
                          surety_buf *out);

/* One issue, as surety_issue_write says. */
void surety__issue_json(const surety_issue *issue, surety_buf *out);
void surety__issue_text(const surety_issue *issue,
                        const surety_issue_form *form, bool color,
                        surety_buf *out);

/* Appends the character at ptr (< end) as a terminal may see it: what would
 * move the cursor, hide or reorder text becomes \uXXXX, a byte that is no UTF-8
 * \xXX. Gives its bytes; *ret_columns is how many characters were written. */
unsigned surety__report_char(surety_buf *out, const char *ptr, const char *end,
                             unsigned *ret_columns);
/* Appends text on one line through the above, cut after max characters with
 * an ellipsis. */
void surety__report_line(surety_buf *out, surety_str text, size_t max);
/* Appends what a repair did, in words. */
void surety__report_repair(surety_buf *out, const surety__repair *repair);
/* Appends "MESSAGE (path: a/b/0)". */
void surety__report_message(surety_buf *out, const surety_issue *issue);

/* Characters of a message or a name in the forms for people. */
enum { SURETY__REPORT_TEXT_MAX = 1000, SURETY__REPORT_NAME_MAX = 300 };

#endif
