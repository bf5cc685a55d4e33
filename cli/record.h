/* SPDX-License-Identifier: Apache-2.0 */
/* record.h: one line of JSON Lines judged, its report appended. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "session.h"

/* A line of a log. */
struct record {
    surety_str text;
    uint64_t number;  /* of its line, from 1 on */
    bool is_overlong; /* it goes on beyond what may be read */
};

/* What comes of records. */
struct record_sink {
    surety_buf out;    /* reports, or values */
    surety_buf errors; /* "KEYWORD at PATH" of each error, NUL behind it */
    struct tally tally;
    char hint[192]; /* what --field may have meant; empty: nothing known */
};

/* One thread's memory for judging records. */
struct recorder {
    const struct session *session;
    surety_judge *judge;
    surety_doc *doc;   /* the record */
    surety_val id;     /* of --id, in doc */
    surety_buf native; /* a member that is no string, as JSON again */
    surety_judge_options options;
    struct validators validators;
    size_t raw_valid, raw_other; /* surety_report_options.raw_max */
};

/* What --raw says; false: nothing. */
bool record_raw_read(const char *text, size_t *ret_max);

/* SURETY_NOMEM. Call recorder_done in any case. */
surety_status recorder_init(struct recorder *recorder,
                            const struct session *session);
void recorder_done(struct recorder *recorder);

/* Judges a record. A blank line is none: nothing comes of it. SURETY_NOMEM. */
surety_status recorder_line(struct recorder *recorder,
                            const struct record *record,
                            struct record_sink *sink);

#endif
