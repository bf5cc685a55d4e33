/* SPDX-License-Identifier: Apache-2.0 */
/* diag.h: writes one finding as compilers do, with its source line:
 *
 *     story.json:14:17: error[maximum]: 85 is greater than the maximum of 1
 *        14 |   "confidence": 85,
 *           |                 ^^ at /confidence
 *           = schema story.schema.json: /properties/confidence/maximum
 *           = hint: 0.85? */
#ifndef CLI_DIAG_H
#define CLI_DIAG_H

#include <surety/base.h>

enum diag_level { DIAG_ERROR, DIAG_WARNING };

struct diag {
    enum diag_level level;
    surety_str source;        /* the file; shown unchanged */
    surety_str text;          /* text of the position; empty: no source line is
                               * shown */
    surety_position position; /* line 0: none */
    uint32_t line_shown;      /* line number to show instead of position.line,
                               * for a text that is one line of a file; 0:
                               * none */
    surety_str keyword;       /* may be empty, like all members below */
    surety_str message;
    surety_str at;       /* JSON Pointer */
    surety_str subject;  /* "schema story.schema.json": owner of the keyword */
    surety_str location; /* JSON Pointer of the keyword in it */
    surety_str hint;
};

void diag_write(surety_buf *buf, bool color, const struct diag *diag);

#endif
