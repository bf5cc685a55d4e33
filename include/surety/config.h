/* SPDX-License-Identifier: Apache-2.0 */
/* surety/config.h: surety.json: models, providers, prices, budget, ledger. The
 * file is JSON with comments and is checked against the built-in contract
 * surety/config. It never contains keys: it names the environment variables or
 * files that hold them.
 *
 * Threads: a configuration is owned (it opens transports when they are
 * needed). */
#ifndef SURETY_CONFIG_H
#define SURETY_CONFIG_H

#include <surety/base.h>
#include <surety/provider.h>
#include <surety/run.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct surety_config surety_config;

typedef struct surety_config_options {
    size_t size; /* sizeof(surety_config_options) */
    /* Base folder of relative paths in key_file and ca_file; empty: the working
     * folder. */
    surety_str folder;
    /* Returns the value of an environment variable, or NULL. The text is copied
     * before the surety call returns. If this member is NULL, the process's
     * environment is used. */
    const char *(*environment)(void *ctx, const char *name);
    void *environment_ctx;
    /* Read no keys, and do not fail where one is missing. Models then have no
     * key, and a provider that needs one would refuse the call. Used to show
     * what would be sent. */
    bool keyless;
    /* Is called with a sentence for each setting that is allowed but is
     * probably a mistake: a key file that other users can read, a key sent over
     * http:// to another machine. May be NULL. */
    void (*warn)(void *ctx, surety_str sentence);
    void *warn_ctx;
    /* Answer every call from this recording, matched by request, instead of
     * contacting a provider; no keys are needed. NULL: no recording. Must
     * outlive the configuration. */
    const surety_recording *replay;
    /* Is called with each recorded exchange, one line at a time; NULL:
     * exchanges are not recorded. */
    surety_status (*record)(void *ctx, surety_str line);
    void *record_ctx;
    const surety_alloc *alloc;
    /* Names of further environment variables that the command of every exec
     * model gets, besides those listed at surety_exec_open and those of the
     * model's env. Must outlive the configuration. */
    const surety_str *exec_environment;
    size_t exec_environment_count;
    /* Most open connections to a provider's host; 0: 16, and 64 in total. */
    uint32_t connections_max;
} surety_config_options;

/* Reads a configuration. An empty text gives the built-in providers only. The
 * configuration keeps no reference to text; options may be NULL, and are
 * copied. Keys are read by surety_config_model, not here. SURETY_SYNTAX with
 * line, column and path, also if the text contains a key (no message quotes
 * it); SURETY_LIMIT; SURETY_NOMEM. */
SURETY_API surety_status
surety_config_read(surety_str text, const surety_config_options *options,
                   surety_config **ret_config, surety_error *reterr);
/* Frees the configuration, closes its transports and wipes its keys from
 * memory. */
SURETY_API void surety_config_free(surety_config *config); /* takes NULL */

/* Reads a configuration from a file. If path is empty, the file is
 * ./surety.json, else surety/surety.json in $XDG_CONFIG_HOME or ~/.config; if
 * none of these exists, the configuration has the built-in providers only.
 * Relative paths start at the file's folder, whatever options->folder is.
 * SURETY_IO: the file cannot be read; SURETY_MISUSE: path is empty, and
 * ./surety.json belongs to another user, who could choose where keys are sent;
 * SURETY_SYNTAX also: the file is empty, as an interrupted write leaves it;
 * other statuses as surety_config_read, with the file in reterr->source. */
SURETY_API surety_status
surety_config_load(surety_str path, const surety_config_options *options,
                   surety_config **ret_config, surety_error *reterr);

/* Finds a model by name and reads its key. The name is one of these: a model's
 * name in the configuration; "PROVIDER:NAME", with a provider of the
 * configuration or a built-in one (openai, responses, anthropic, gemini,
 * ollama, vllm, llamacpp, lmstudio, openrouter); "exec:COMMAND"; "replay:FILE".
 * The model belongs to the configuration. SURETY_SYNTAX: there is no such name
 * (the hint gives the nearest); SURETY_UNSUPPORTED: its key is missing (the
 * message gives the variable's name); SURETY_IO: a key file or a recording
 * cannot be read; SURETY_NOMEM. */
SURETY_API surety_status surety_config_model(surety_config *config,
                                             surety_str name,
                                             const surety_model **ret_model,
                                             surety_error *reterr);

/* A name that clients of a gateway ask for, and the models that it stands for,
 * in their order. weights has the turns of each as the first; 0: none. The
 * struct never grows. */
typedef struct surety_config_route {
    surety_str name;
    const surety_str *models;
    const uint32_t *weights;
    size_t model_count;
} surety_config_route;

/* Paths of a provider to which a gateway passes requests on that are no calls:
 * "/files", that path, or "/files/" and a star, all below it. Its text ends
 * with a zero. The struct never grows. */
typedef struct surety_config_passed {
    surety_str provider;
    surety_protocol protocol;
    surety_str path;
    surety_position position; /* in the file */
} surety_config_passed;

/* A member of a client's request that a gateway leaves out for the models of a
 * provider, where their protocol has no meaning for it: "thinking", or
 * "output_config/effort" for a member of a member. The struct never grows. */
typedef struct surety_config_ignored {
    surety_str provider, member;
} surety_config_ignored;

/* The settings of a configuration. All texts belong to the configuration. */
typedef struct surety_config_info {
    size_t size; /* sizeof(surety_config_info) of the library */
    /* Names of the models to call where the caller names none; an empty text
     * follows the last. */
    const surety_str *defaults;
    size_t default_count;
    const surety_str *models; /* the names of its own models */
    size_t model_count;
    const surety_budget *budget; /* zeros where it says nothing, as below */
    const surety_backoff *backoff;
    const surety_limits *limits;
    surety_str ledger; /* a URL; empty: the default place; "none": no ledger */
    bool ledger_raw;
    bool ledger_optional;
    /* The members tools and servers, as the text of a tools file for
     * surety_tools_read; every value is in the line and column that it has in
     * the file. Empty: there are none. They are not checked yet. */
    surety_str tools;
    surety_str folder; /* where relative paths start; empty: here */
    surety_str file;   /* its path; empty: it was not read from a file */
    const surety_config_route *routes;
    size_t route_count;
    /* For each of models: calls at one time of a gateway; 0: no limit. */
    const uint32_t *at_once;
    const surety_config_passed *passed;
    size_t passed_count;
    const surety_config_ignored *ignored;
    size_t ignored_count;
} surety_config_info;
SURETY_API const surety_config_info *
surety_config_info_of(const surety_config *config);
/* Copies the configuration's settings for runs to options: budget, backoff,
 * broken_retries_max and stop; and limits where options->limits is NULL (they
 * then belong to the configuration). */
SURETY_API void surety_config_run(const surety_config *config,
                                  surety_run_options *options);
/* Reads a JSON number that is not negative, and gives it times 10^scale, which
 * must be an integer. For exact amounts of money and time: "0.05" dollars with
 * scale 12 gives pico-dollars. SURETY_SYNTAX: text is no such number;
 * SURETY_UNSUPPORTED: it has more than scale decimals; SURETY_LIMIT: the result
 * is above UINT64_MAX. */
SURETY_API surety_status surety_decimal_read(surety_str text, unsigned scale,
                                             uint64_t *ret_value,
                                             surety_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
