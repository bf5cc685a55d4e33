/* SPDX-License-Identifier: Apache-2.0 */
/* surety/config.h: surety.json: models, providers, prices, budget, ledger. JSON
 * with comments, checked against the built-in contract surety/config. Keys are
 * never in it: it names the environment variables or files that hold them.
 *
 * Threads: owned (it opens transports as they are needed). */
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
    /* Where relative key_file and ca_file count from; empty: the working
     * folder. */
    surety_str folder;
    /* Looks up an environment variable; NULL: the process's. The text is copied
     * and must be there until the call returns. */
    const char *(*environment)(void *ctx, const char *name);
    void *environment_ctx;
    /* Neither reads nor asks for keys: models have none, and every provider
     * that wants one would say no. To show what would be sent. */
    bool keyless;
    /* Hears what is allowed and likely not meant, a sentence: a key file that
     * others can read, a key that goes over http:// to another machine; may be
     * NULL. */
    void (*warn)(void *ctx, surety_str sentence);
    void *warn_ctx;
    /* Plays this recording instead of reaching any provider, matched by
     * request, and needs no keys; NULL: none. Must outlive the
     * configuration. */
    const surety_recording *replay;
    /* Records every exchange; NULL: none. A line at a time. */
    surety_status (*record)(void *ctx, surety_str line);
    void *record_ctx;
    const surety_alloc *alloc;
    /* Names of variables that every exec model's command gets besides those
     * that surety_exec_options tells of and those of the model's env. Must
     * outlive the configuration. */
    const surety_str *exec_environment;
    size_t exec_environment_count;
} surety_config_options;

/* Reads a configuration; empty text: only what is built in. It keeps no
 * reference to text; options may be NULL, and are copied. SURETY_SYNTAX with
 * line, column and path, also for a key that stands in it, which no message
 * ever quotes; SURETY_LIMIT; SURETY_NOMEM. Keys are read when a model is asked
 * for. */
SURETY_API surety_status
surety_config_read(surety_str text, const surety_config_options *options,
                   surety_config **ret_config, surety_error *reterr);
/* Closes its transports and wipes its keys. */
SURETY_API void surety_config_free(surety_config *config); /* takes NULL */

/* The same of a file: path, or where it is empty ./surety.json, else
 * surety/surety.json in $XDG_CONFIG_HOME or ~/.config; where none of these
 * exists, what is built in. Sets the folder of options. SURETY_IO: it cannot be
 * read; SURETY_MISUSE: ./surety.json was not named and belongs to another user,
 * and it would say where keys are sent; else as surety_config_read, with
 * reterr->source the file. */
SURETY_API surety_status
surety_config_load(surety_str path, const surety_config_options *options,
                   surety_config **ret_config, surety_error *reterr);

/* The model that a name stands for: a name of the configuration;
 * "PROVIDER:NAME" with a provider of the configuration or a built-in one
 * (openai, responses, anthropic, gemini, ollama, vllm, llamacpp, lmstudio,
 * openrouter); "exec:COMMAND"; "replay:FILE". The model belongs to the
 * configuration. SURETY_SYNTAX: no such name, with the nearest as the hint;
 * SURETY_UNSUPPORTED: its key is not there, with the variable's name;
 * SURETY_IO: a key file or a recording that cannot be read; SURETY_NOMEM. */
SURETY_API surety_status surety_config_model(surety_config *config,
                                             surety_str name,
                                             const surety_model **ret_model,
                                             surety_error *reterr);

/* What a configuration says. All of it belongs to the configuration. */
typedef struct surety_config_info {
    size_t size; /* sizeof(surety_config_info) of the library */
    /* The models to ask where none is named; an empty text ends them. */
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
} surety_config_info;
SURETY_API const surety_config_info *
surety_config_info_of(const surety_config *config);
/* Sets all that the configuration says of every run: budget, backoff,
 * broken_retries_max, stop; and limits where they are NULL, which then are of
 * the configuration. */
SURETY_API void surety_config_run(const surety_config *config,
                                  surety_run_options *options);
/* A JSON number, from 0 up, times 10^scale, where that is an integer: amounts
 * of money and of time, exactly ("0.05" dollars with 12 are pico-dollars).
 * SURETY_SYNTAX: no such number; SURETY_UNSUPPORTED: it has more decimals;
 * SURETY_LIMIT: above UINT64_MAX. */
SURETY_API surety_status surety_decimal_read(surety_str text, unsigned scale,
                                             uint64_t *ret_value,
                                             surety_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
