/* SPDX-License-Identifier: Apache-2.0 */
/* functions.h: models that are functions of JavaScript. Their transport hands
 * each request to JavaScript and takes the response in chunks. */
#ifndef SURETY_NODE_FUNCTIONS_H
#define SURETY_NODE_FUNCTIONS_H

#include "ask.h"

/* Which model of the run a function is; FUNCTION_AGGREGATOR: the one that
 * merges. */
#define FUNCTION_AGGREGATOR (-1)

struct function {
    int64_t at; /* among the run's models, or FUNCTION_AGGREGATOR */
    struct bytes name, provider, model;
    surety_mode mode;
    surety_price price;
    char url[64];
};

struct exchange;

/* The functions of a run. post is called in the run's thread, and copies the
 * note (ask.h). */
struct functions {
    struct function *list;
    size_t count;
    pthread_mutex_t lock;
    pthread_cond_t given;
    struct exchange *exchanges; /* the run's thread changes the list */
    uint32_t last_number;
    surety_status (*post)(void *ctx, const struct note *note);
    void *ctx;
    surety_transport transport;
};
void functions_init(struct functions *functions);
void functions_done(struct functions *functions);
/* Takes spec.functions; false: thrown. */
bool functions_take(napi_env env, napi_value spec, struct functions *ret);
/* The function that is this model of the run; NULL: a name of the
 * configuration. */
const struct function *function_find(const struct functions *functions,
                                     int64_t at);
/* Makes the model of a function; its transport is the caller's. */
surety_model function_model(const struct function *function,
                            surety_transport *transport);

/* What JavaScript gives of a response: its status, when it begins (0: nothing
 * of that), with how long to wait before the next call (may be empty); bytes of
 * its body; and its end. */
struct gift {
    int status;
    surety_str retry_after;
    surety_str text;
    bool ended;
    surety_failure failure; /* of the end */
    surety_str message;     /* of the failure */
};
/* In JavaScript's thread: gives it to the exchange of that number. False: that
 * is over, and nothing more of it is wanted. */
bool functions_give(struct functions *functions, uint32_t number,
                    const struct gift *gift);

#endif
