/* SPDX-License-Identifier: Apache-2.0 */
/* run_watch.h: shows a run on standard error while it goes on: decisions, the
 * model's text, and on a terminal a progress line. Values and elements that
 * were asked for go to standard output. */
#ifndef CLI_RUN_WATCH_H
#define CLI_RUN_WATCH_H

#include <surety-run.h>

#include "cli.h"

struct run_watch {
    struct cli *cli;
    const surety_run *run; /* set when the run exists */
    surety_str who;        /* name of the member whose event is shown, in a
                            * consensus */
    bool verbose;          /* show attempts and decisions */
    bool show_prompt;      /* show the prompt */
    bool show_reply;       /* show the model's text */
    bool is_terminal;
    bool moves; /* show the progress line */
    /* The current state. */
    uint32_t attempt;
    uint64_t begun_ms, drawn_ms;
    size_t text_bytes;
    bool is_drawn;   /* the progress line is on the screen */
    bool is_midline; /* the model's text so far does not end with a line feed */
    char rest[4]; /* of the model's text: a character that is not whole yet */
    size_t rest_len;
};

/* The caller has set the flags of what to show, and zeroed the rest. quiet: no
 * progress line. */
void run_watch_init(struct run_watch *watch, struct cli *cli, bool quiet);
/* For the member event of surety_run_options. */
void run_watch_event(void *ctx, const surety_event *event);
/* Clears the progress line; call it before other output to the terminal. */
void run_watch_done(struct run_watch *watch);

/* A transport that passes all calls to another one, and redraws the progress
 * line while it waits. */
struct watched {
    surety_transport transport;
    surety_transport *inner;
    struct run_watch *watch;
};
void watched_init(struct watched *watched, surety_transport *inner,
                  struct run_watch *watch);

#endif
