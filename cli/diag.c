/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tool's own findings in the form that reports on replies have. */
#include "diag.h"

#include <assert.h>
#include <surety/reply.h>

void diag_write(surety_buf *buf, bool color, const struct diag *diag)
{
    surety_issue issue = {
        .keyword = diag->keyword,
        .instance_location = diag->at,
        .keyword_location = diag->location,
        .absolute_keyword_location = diag->subject,
        .message = diag->message,
        .hint = diag->hint,
        .position = diag->position,
    };
    const surety_issue_form form = {
        .size = sizeof(form),
        .source = diag->source,
        .text = diag->text,
        .subject = diag->subject,
        .warning = diag->level == DIAG_WARNING,
    };

    assert(diag->source.len > 0);
    if (diag->line_shown)
        issue.position.line = diag->line_shown;
    surety_issue_write(&issue, color ? SURETY_REPORT_COLOR : SURETY_REPORT_TEXT,
                       &form, buf);
}
