/* SPDX-License-Identifier: Apache-2.0 */
/* run_watch.h: what a run's user sees while it goes on, all of it on standard
 * error: decisions, the model's text, and on a terminal a line that moves. */
#ifndef CLI_RUN_WATCH_H
#define CLI_RUN_WATCH_H

#include <surety-run.h>

#include "cli.h"
#include "shown.h"

struct run_watch {
    struct cli *cli;
    const surety_run *run; /* set once it is made */
    surety_str who;        /* whose events come, where there are several */
    bool verbose;          /* attempts and decisions */
    bool show_prompt;      /* what the model is told */
    bool show_reply;       /* the model's text */
    bool is_terminal;
    bool moves; /* the line that moves */
    /* How it stands. */
    uint32_t attempt;
    uint64_t begun_ms, drawn_ms;
    size_t text_bytes;
    bool is_drawn;   /* the moving line stands there */
    bool is_midline; /* the model's text ended without a line feed */
    struct shown shown;
};

/* Zeroed but for what is shown. quiet: no line that moves. */
void run_watch_init(struct run_watch *watch, struct cli *cli, bool quiet);
/* A surety_run_options.event. */
void run_watch_event(void *ctx, const surety_event *event);
/* Leaves the terminal as it was; before anything else is written to it. */
void run_watch_done(struct run_watch *watch);

/* A transport that passes everything on to another, and moves the line while
 * it waits. */
struct watched {
    surety_transport transport;
    surety_transport *inner;
    struct run_watch *watch;
};
void watched_init(struct watched *watched, surety_transport *inner,
                  struct run_watch *watch);

#endif
