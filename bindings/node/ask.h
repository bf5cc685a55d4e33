/* SPDX-License-Identifier: Apache-2.0 */
/* ask.h: what the thread of a run asks JavaScript: what its validators have
 * against a value, and to call a tool. */
#ifndef SURETY_NODE_ASK_H
#define SURETY_NODE_ASK_H

#include "addon.h"

#include <pthread.h>

/* The kinds of notes that are questions; far behind those of events, of which a
 * later library may have more. ORDER questions (run.cjs) */
enum {
    NOTE_VALIDATE = 1000, /* asks the validators */
    NOTE_CALL,            /* asks for a call of a tool */
    NOTE_CANCEL,          /* the call of a tool is not waited for any more */
    NOTE_ASK,             /* a request to a model that is a function */
    NOTE_STOP             /* its answer is not waited for any more */
};

/* What the thread sends to JavaScript: an event or a question. */
struct note {
    int kind;        /* surety_event_kind, or one of the above */
    uint32_t number; /* the attempt of an event, the id of a question or of
                      * a request */
    size_t member;   /* of the consensus, or which tool or function;
                      * SIZE_MAX: none */
    surety_str text, tool, call;
};

struct question;

/* The questions of a run. post is called in the run's thread and copies the
 * note: CANCELLED: JavaScript has ended. */
struct asking {
    pthread_mutex_t lock;
    pthread_cond_t answered;
    struct question *questions;
    uint32_t last_id;
    surety_status (*post)(void *ctx, const struct note *note);
    void *ctx;
};
void asking_init(struct asking *asking);
void asking_done(struct asking *asking);
/* In JavaScript's thread: takes the answer to a question; one that is not
 * waited for is left out. */
void asking_answer(struct asking *asking, uint32_t id, surety_str text,
                   bool failed);

/* Who asks: the run (member SIZE_MAX), or one of its tools. */
struct asker {
    struct asking *asking;
    size_t member;
};
/* The validator of an asker (surety_validator). */
surety_validator asker_validator(struct asker *asker);

/* ---- tools --------------------------------------------------------------- */

struct tool {
    struct asker asker;
    struct bytes name, description, parameters, result;
    uint32_t time_ms_max;
    bool polls, strict, validates;
    surety_validator validator;
};
struct toolbox {
    struct tool *tools;
    size_t count;
    /* Tools files: of each the text, the folder where its paths start, and how
     * errors name it. */
    struct bytes *files;
    size_t file_texts;
    struct bytes *servers; /* of each its command, as JSON */
    size_t server_count;
    bool given; /* so those of the configuration are not the run's */
};
/* Takes spec.tools, .toolFiles, .servers and .toolsGiven; false: thrown. The
 * toolbox is dropped in both cases. */
bool toolbox_take(napi_env env, napi_value spec, struct asking *asking,
                  struct toolbox *ret);
void toolbox_drop(struct toolbox *toolbox);
/* Makes the library's set of the tools, which refers to the toolbox; config,
 * which may be NULL, has further ones. None: *ret_tools is NULL. The caller
 * owns it, on failure too. When *cancelled is not 0, no server is waited for.
 */
surety_status toolbox_open(struct toolbox *toolbox,
                           const surety_config_info *config,
                           const surety_tools_options *options,
                           const volatile int *cancelled,
                           surety_tools **ret_tools, surety_error *reterr);

#endif
