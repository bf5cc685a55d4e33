/* SPDX-License-Identifier: Apache-2.0 */
/* addon.h: what the files of the addon share: JavaScript's values as bytes and
 * back, errors, and handles, which are how JavaScript holds an object of the
 * library. index.cjs is the only caller; it has looked at every argument, and
 * what it gives has no getters, so no JavaScript runs while one is read.
 *
 * Everything here belongs to one environment (a main thread or a worker) and
 * is used by its thread alone; the thread of a run is run.c's. */
#ifndef SURETY_NODE_ADDON_H
#define SURETY_NODE_ADDON_H

#define NAPI_VERSION 8
#include <node_api.h>
#include <stdbool.h>
#include <surety-run.h>

/* What one environment keeps. */
struct addon {
    napi_ref error_class; /* SuretyError */
    surety_judge *judge;
    surety_checker *checker;
    surety_schema_cache *schemas;
};
struct addon *addon_of(napi_env env);

/* An object that JavaScript and other objects of the addon hold. */
struct shared {
    unsigned holders;
    void (*free)(struct shared *object);
};
void shared_drop(struct shared *object); /* takes NULL */

struct contract {
    struct shared base;
    surety_contract *contract;
    bool limited; /* it has limits of its own, and then a judge of its own */
    surety_limits limits;
    surety_judge *judge; /* NULL: none yet */
};
extern const napi_type_tag contract_tag;
/* Sets in others the limits that own sets. */
void limits_over(const surety_limits *own, surety_limits *others);

/* ---- handles ---------------------------------------------------------- */

/* Gives object to a handle, which drops it when it is collected; drops it at
 * once on failure, which has thrown and gives NULL. bytes is about what it
 * takes. */
napi_value handle_make(napi_env env, struct shared *object,
                       const napi_type_tag *tag, size_t bytes);
/* The object of a handle of that kind; NULL: it is none, and that is thrown. */
void *handle_take(napi_env env, napi_value value, const napi_type_tag *tag);

/* ---- errors: all throw and give NULL ----------------------------------- */

napi_value fail(napi_env env, const surety_error *error);
napi_value fail_status(napi_env env, surety_status status, const char *message);
/* A call of Node-API failed: its exception, or what it says. */
napi_value fail_node(napi_env env);
/* The SuretyError of an error; NULL where none can be made. */
napi_value error_make(napi_env env, const surety_error *error);

/* ---- values ----------------------------------------------------------- */

/* Text from JavaScript: of a string, UTF-8 with U+FFFD for lone surrogates; of
 * a Uint8Array, its own bytes, good for the length of the call. */
struct bytes {
    surety_str str;
    char *owned; /* NULL: the array's */
};
/* False: thrown. undefined and null give the empty text. */
bool bytes_take(napi_env env, napi_value value, struct bytes *ret_bytes);
/* The same as a copy in every case. */
bool bytes_copy(napi_env env, napi_value value, struct bytes *ret_bytes);
void bytes_drop(struct bytes *bytes);

/* The arguments, undefined for those that are missing. False: thrown. */
bool arguments_take(napi_env env, napi_callback_info info, size_t count,
                    napi_value *arguments);
/* A member; false: it is undefined or null, or object is no object. */
bool member_take(napi_env env, napi_value object, const char *name,
                 napi_value *ret_value);
bool flag_take(napi_env env, napi_value object, const char *name);
/* otherwise where there is no such number. */
int64_t number_take(napi_env env, napi_value object, const char *name,
                    int64_t otherwise);
bool text_take(napi_env env, napi_value object, const char *name,
               struct bytes *ret_bytes);
/* An array of texts, copied; the caller drops each and frees the list. */
bool texts_take(napi_env env, napi_value object, const char *name,
                struct bytes **ret_list, size_t *ret_count);
void texts_drop(struct bytes *list, size_t count);

/* A string; NULL: thrown. */
napi_value string_make(napi_env env, surety_str str);
/* The string of what was written, and the end of buf; a failure is thrown. */
napi_value string_done(napi_env env, surety_buf *buf);
bool method_add(napi_env env, napi_value exports, const char *name,
                napi_callback function);

/* ---- judging ---------------------------------------------------------- */

/* The options of a judgement, and the memory that they point at. */
struct judging {
    surety_judge_options options;
    surety_extract extract;
    surety_repair repair;
    struct bytes native, marker;
    struct bytes *texts; /* name, value, name, value, ... */
    size_t text_count;
    surety_variable *variables;
    /* With asks: what JavaScript's validators said, as value and issues in
     * turn; asked is the value of which they have said nothing yet. */
    bool asks;
    struct bytes *answers;
    size_t answer_count;
    surety_buf asked;
    surety_validator validator;
};
/* ret stays where it is: its options point into it. */
bool judging_take(napi_env env, napi_value object, struct judging *ret);
void judging_drop(struct judging *judging);
/* Adds issues in JSON, [[location, message, hint], ...]. */
surety_status issues_say(surety_str issues, const surety_validation *validation,
                         surety_error *reterr);

/* ---- the parts' doors: false: thrown ----------------------------------- */

bool judge_add(napi_env env, napi_value exports);
bool run_add(napi_env env, napi_value exports);

#endif
