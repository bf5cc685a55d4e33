/* SPDX-License-Identifier: Apache-2.0 */
/* The door of config/, and what its files share: the configuration as structs,
 * filled in once when it is read, and the models made from it. */
#ifndef SURETY_CONFIG_CONFIG_H
#define SURETY_CONFIG_CONFIG_H

#include <surety/config.h>
#include <surety/json.h>

#include "base/base.h"

/* The built-in contract of the file, embedded at build time. */
extern const surety__embedded surety__config_contract[];
extern const size_t surety__config_contract_count;

/* ---- contents of the file (config.c, rows.c) ----------------------------- */

/* How a provider is reached. */
typedef enum surety__reach {
    REACH_HTTP = 0,
    REACH_EXEC,  /* the model is a command */
    REACH_REPLAY /* the model is the file of a recording */
} surety__reach;

/* A provider, built in or from the file. Its texts are constants or live in
 * the arena or the document. */
typedef struct surety__config_provider {
    surety_str name;
    surety__reach reach;
    surety_model
        defaults; /* of its models: protocol, base_url, timeouts, ... */
    surety_str key_env;
    surety_str key_file;
    surety_val headers; /* an object, or none */
    surety_str ca_file;
    surety_str proxy;
    bool public_only;
} surety__config_provider;

/* A model of the file, or one that was named directly. */
typedef struct surety__config_row {
    struct surety__config_row *next; /* of those named directly */
    bool is_direct;
    bool is_ready; /* the model has its key, headers and transport */
    surety_model model;
    const surety__config_provider *provider;
    uint32_t at_once;            /* calls at one time; 0: no limit */
    surety_val environment;      /* names of its command's variables; for
                                  * REACH_EXEC */
    surety_recording *recording; /* for REACH_REPLAY */
} surety__config_row;

/* The price of a model that is named directly. */
typedef struct surety__config_price {
    surety_str name;
    surety_price price;
} surety__config_price;

/* Makes the text of a tools file from the members tools and servers, while the
 * text of the file is known. */
surety_status surety__config_tools(surety_config *config, surety_error *reterr);

/* ---- what is made from it (model.c) -------------------------------------- */

/* A secret in its own block, so that it can be overwritten. */
typedef struct surety__config_key {
    struct surety__config_key *next;
    char *ptr;
    size_t len;
} surety__config_key;

typedef struct surety__config_transport {
    struct surety__config_transport *next;
    surety__reach reach;
    surety_str ca_file, proxy; /* for REACH_HTTP */
    bool public_only;
    bool is_own; /* for one model, whose command gets variables of its own */
    surety_transport *transport;
} surety__config_transport;

struct surety_config {
    surety_config_info info; /* complete after reading */
    const surety_alloc *alloc;
    surety_config_options options; /* the arena has a copy of folder */
    surety__arena arena;
    surety_doc *doc;
    surety_str text; /* set while it is read, to compute positions */
    surety__config_provider *providers;
    size_t provider_count;
    surety__config_row *rows;
    size_t row_count;
    surety__config_row *direct; /* models that were named directly */
    surety_config_route *routes;
    size_t route_count;
    surety__config_price *prices;
    size_t price_count;
    surety_config_passed *passed;
    size_t passed_count;
    surety_budget budget;
    surety_backoff backoff;
    uint32_t broken_retries_max;
    surety_limits limits;
    surety_stop stop;
    surety__config_transport *transports; /* newest first */
    surety__config_key *keys;
};

/* ---- check.c ------------------------------------------------------------- */

/* Sets line and column of a failure, counted in the original text of the file,
 * with its comments. */
void surety__config_place(const surety_config *config, surety_error *reterr);
/* Adds the location and position of val to a failure. Returns status. */
surety_status surety__config_at(const surety_config *config, surety_val val,
                                surety_error *reterr, surety_status status);

/* Refuses a key in the file itself, then what the contract surety/config does
 * not allow. No message quotes what may be a key. */
surety_status surety__config_check(const surety_config *config,
                                   surety_error *reterr);
/* Refuses a URL whose scheme is not in the list (separated by spaces), that
 * has no host, has a fragment, or contains a user, password or key. */
surety_status surety__config_check_url(const surety_config *config,
                                       surety_val url, const char *schemes,
                                       surety_error *reterr);
/* Refuses a header whose name or value is invalid, that the user must not set,
 * or whose secret is in the file. */
surety_status surety__config_check_headers(const surety_config *config,
                                           surety_val headers,
                                           surety_error *reterr);

/* ---- rows.c, keys.c, providers.c ----------------------------------------- */

/* Fills the configuration's arrays from its document, which was checked. */
surety_status surety__config_rows(surety_config *config, surety_error *reterr);
/* The full path for a path in the file: absolute, relative to the home folder
 * (~/), or relative to the configuration's folder. ptr NULL: out of memory. */
surety_str surety__config_path(surety_config *config, surety_str path);

/* A provider of the configuration or a built-in one; NULL: none. */
const surety__config_provider *
surety__config_provider_find(const surety_config *config, surety_str name);
/* The name of a provider or model that is nearest to word; empty: none is
 * near. */
surety_str surety__config_nearest(const surety_config *config, surety_str word,
                                  bool of_models);

/* ---- keys.c: the environment and files ----------------------------------- */

#define SURETY__KEY_MAX 4096

/* The value of an environment variable, by the options' function if there is
 * one (options may be NULL); NULL: not set. */
const char *surety__environment(const surety_config_options *options,
                                const char *name);
/* The secret from a variable or, if variable is empty, from a file: trimmed,
 * kept until the configuration is freed. SURETY_UNSUPPORTED: not set or empty;
 * SURETY_IO: the file cannot be read; SURETY_SYNTAX: the text cannot be a
 * key. */
surety_status surety__config_key_read(surety_config *config,
                                      surety_str variable, surety_str file,
                                      surety_str *ret_key,
                                      surety_error *reterr);
/* Reads a file of at most max bytes into out. SURETY_IO, SURETY_LIMIT,
 * SURETY_NOMEM. */
surety_status surety__config_file(const char *path, size_t max, surety_buf *out,
                                  surety_error *reterr);
/* Appends the contents of fd, which is the file at path; at most max + 1
 * bytes. SURETY_IO, SURETY_LIMIT, SURETY_NOMEM. */
surety_status surety__config_read_all(int fd, const char *path, size_t max,
                                      surety_buf *out, surety_error *reterr);
void surety__config_keys_wipe(surety_config *config);
/* Passes a warning about a likely mistake to the caller. */
void surety__config_warn(const surety_config *config, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
