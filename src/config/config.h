/* SPDX-License-Identifier: Apache-2.0 */
/* The door of config/, and what its files share: the configuration as structs,
 * made once when it is read, and the models that were made from it. */
#ifndef SURETY_CONFIG_CONFIG_H
#define SURETY_CONFIG_CONFIG_H

#include <surety/config.h>
#include <surety/json.h>

#include "base/base.h"

/* The built-in contract of the file, embedded at build time. */
extern const surety__embedded surety__config_contract[];
extern const size_t surety__config_contract_count;

/* ---- what the file says (config.c, rows.c) ------------------------------- */

/* How bytes get to a provider. */
typedef enum surety__reach {
    REACH_HTTP = 0,
    REACH_EXEC,  /* the model is a command */
    REACH_REPLAY /* the model is a recording's file */
} surety__reach;

/* A provider, built in or of the file; texts are constants or the arena's. */
typedef struct surety__config_provider {
    surety_str name;
    surety__reach reach;
    surety_protocol protocol;
    surety_str base_url;
    surety_str key_env;
    surety_str key_file;
    surety_val headers; /* an object, or none */
    surety_str ca_file;
    surety_str proxy;
    bool public_only;
    bool retry_ambiguous;
    surety_timeouts timeouts;
    size_t response_bytes_max;
} surety__config_provider;

/* A model of the file, or one that was named directly. */
typedef struct surety__config_row {
    surety_str name;
    bool is_direct;
    const surety__config_provider *provider;
    surety_str model;
    surety_mode mode;
    bool whole;
    bool has_temperature;
    double temperature;
    uint32_t output_tokens_max;
    surety_val extra;
    surety_price price;
    bool retry_ambiguous;
    surety_timeouts timeouts;
    size_t response_bytes_max;
    surety_val environment; /* names that its command gets; of REACH_EXEC */
} surety__config_row;

/* A price of a model that is named directly. */
typedef struct surety__config_price {
    surety_str name;
    surety_price price;
} surety__config_price;

/* ---- what was made of it (model.c) --------------------------------------- */

/* A secret in a block of its own, so that it can be wiped. */
typedef struct surety__config_key {
    struct surety__config_key *next;
    char *ptr;
    size_t len;
} surety__config_key;

typedef struct surety__config_transport {
    struct surety__config_transport *next;
    surety__reach reach;
    surety_str ca_file, proxy; /* of REACH_HTTP */
    bool public_only;
    bool is_own; /* of one model: its command gets variables of its own */
    surety_transport *transport;
} surety__config_transport;

typedef struct surety__config_recording {
    struct surety__config_recording *next;
    surety_recording *recording;
} surety__config_recording;

typedef struct surety__config_model {
    struct surety__config_model *next;
    surety_model model;
} surety__config_model;

struct surety_config {
    surety_config_info info; /* filled in at the end of reading */
    const surety_alloc *alloc;
    surety_config_options options; /* folder is the arena's */
    surety__arena arena;
    surety_doc *doc;
    surety_str text; /* while it is read: positions count in it */
    surety__config_provider *providers;
    size_t provider_count;
    surety__config_row *rows;
    size_t row_count;
    surety__config_price *prices;
    size_t price_count;
    surety_budget budget;
    surety_backoff backoff;
    uint32_t broken_retries_max;
    surety_limits limits;
    surety_stop stop;
    surety_str ledger;
    surety__config_model *models;
    surety__config_transport *transports; /* newest first */
    surety__config_recording *recordings;
    surety__config_key *keys;
};

/* ---- check.c ------------------------------------------------------------- */

/* Gives the place of a failure its line and column in the file as it was read,
 * with its comments. */
void surety__config_place(const surety_config *config, surety_error *reterr);
/* Adds to a failure the place of val in the file. Gives reterr->status, or
 * status where reterr is NULL. */
surety_status surety__config_at(const surety_config *config, surety_val val,
                                surety_error *reterr, surety_status status);

/* Refuses a key in the file itself, then what the contract
 * surety/config does not allow. No message quotes what may be a key. */
surety_status surety__config_check(const surety_config *config,
                                   surety_error *reterr);
/* Refuses a URL with another scheme than the list's (separated by spaces),
 * without a host, with a fragment, or with a user, password or key in it. */
surety_status surety__config_check_url(const surety_config *config,
                                       surety_val url, const char *schemes,
                                       surety_error *reterr);
/* Refuses a header that is none, that is not the user's to set, or whose
 * secret is in the file. */
surety_status surety__config_check_headers(const surety_config *config,
                                           surety_val headers,
                                           surety_error *reterr);

/* ---- rows.c, providers.c ------------------------------------------------- */

/* Fills the configuration's arrays from its document, which was checked. */
surety_status surety__config_rows(surety_config *config, surety_error *reterr);
/* A path of the file: absolute, from the home folder (~/), or from the
 * configuration's. ptr NULL: out of memory. */
surety_str surety__config_path(surety_config *config, surety_str path);

/* A provider of the configuration or a built-in one; NULL: none. */
const surety__config_provider *
surety__config_provider_find(const surety_config *config, surety_str name);
/* The provider's or model's name nearest to word, or empty. */
surety_str surety__config_nearest(const surety_config *config, surety_str word,
                                  bool of_models);

/* ---- keys.c: the door to the environment and to files -------------------- */

#define SURETY__KEY_MAX 4096

/* An environment variable, as options (may be NULL) look it up; NULL: not
 * set. */
const char *surety__environment(const surety_config_options *options,
                                const char *name);
/* The secret of a variable or (variable empty) of a file, trimmed, kept until
 * the configuration is freed. SURETY_UNSUPPORTED: not set or empty; SURETY_IO:
 * a file that cannot be read; SURETY_SYNTAX: a text that is no key. */
surety_status surety__config_key_read(surety_config *config,
                                      surety_str variable, surety_str file,
                                      surety_str *ret_key,
                                      surety_error *reterr);
/* A file of at most max bytes into out. SURETY_IO, SURETY_LIMIT,
 * SURETY_NOMEM. */
surety_status surety__config_file(const char *path, size_t max, surety_buf *out,
                                  surety_error *reterr);
/* What can be read of fd, the file at path, appended; at most max + 1 bytes.
 * SURETY_IO, SURETY_LIMIT, SURETY_NOMEM. */
surety_status surety__config_read_all(int fd, const char *path, size_t max,
                                      surety_buf *out, surety_error *reterr);
void surety__config_keys_wipe(surety_config *config);
/* Tells the caller of something that is likely not meant. */
void surety__config_warn(const surety_config *config, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
