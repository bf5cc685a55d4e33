/* SPDX-License-Identifier: Apache-2.0 */
/* record.h: one line of JSON Lines judged, its report appended. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "session.h"

/* One thread's memory for judging records. */
struct recorder {
    const struct session *session;
    surety_judge *judge;
    surety_doc *doc;   /* the record */
    surety_buf native; /* a member that is no string, as JSON again */
    struct validators validators;
    surety_judge_options options;
};

/* SURETY_NOMEM. Call recorder_done in any case. */
surety_status recorder_init(struct recorder *recorder,
                            const struct session *session);
void recorder_done(struct recorder *recorder);

/* Judges the record on a line. An empty line is none: nothing is appended.
 * is_overlong: the line goes on beyond what may be read. SURETY_NOMEM. */
surety_status recorder_line(struct recorder *recorder, surety_str line,
                            bool is_overlong, surety_buf *out,
                            struct tally *tally);

#endif
