/* SPDX-License-Identifier: Apache-2.0 */
/* record.h: judges one line of JSON Lines and appends its report. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "session.h"

/* A line of a log. */
struct record {
    surety_str text;
    uint64_t number;  /* number of its line, from 1 */
    bool is_overlong; /* the line is longer than the limit */
};

/* The results of records. */
struct record_sink {
    surety_buf out;    /* reports, or values */
    surety_buf errors; /* "KEYWORD at PATH" of each error, with a NUL after
                        * each */
    struct tally tally;
    char hint[192]; /* hint for --field; empty: none */
};

/* One thread's memory for judging records. */
struct recorder {
    const struct session *session;
    surety_judge *judge;
    surety_doc *doc;   /* the parsed record */
    surety_val id;     /* value of --id, in doc */
    surety_buf native; /* a member that is no string, written as JSON */
    surety_judge_options options;
    struct validators validators;
    size_t raw_valid, raw_other; /* raw_max of surety_outcome_write */
};

/* Reads the argument of --raw; false: it is not valid. */
bool record_raw_read(const char *text, size_t *ret_max);

/* SURETY_NOMEM. Call recorder_done also after a failure. */
surety_status recorder_init(struct recorder *recorder,
                            const struct session *session);
void recorder_done(struct recorder *recorder);

/* Judges a record and adds its results to a sink. A blank line is no record and
 * gives no result. SURETY_NOMEM. */
surety_status recorder_line(struct recorder *recorder,
                            const struct record *record,
                            struct record_sink *sink);

#endif
