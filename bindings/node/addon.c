/* SPDX-License-Identifier: Apache-2.0 */
/* addon.c: libsurety for Node.js: what every part of the addon stands on, then
 * contracts, prompts and plain validation.
 *
 * The addon copies nothing of the engine; it turns arguments into the library's
 * and results into JSON texts, which JavaScript reads far faster than an object
 * can be built member by member. Nothing of a judgement is kept: the outcome
 * that JavaScript holds is made of the JSON report, and whoever wants another
 * form of it has the reply judged once more. So a loop that checks a million
 * replies leaves nothing behind for finalizers, which Node.js runs only when
 * the loop has ended. Handles are kept for contracts, streams and runs. */
#include "addon.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const napi_type_tag contract_tag = {0x5a0f2b6c1d3e4f58u, 0x9c8b7a6f5e4d3c21u};

struct addon *addon_of(napi_env env)
{
    void *data = NULL;

    napi_get_instance_data(env, &data);
    return data;
}

/* ---- errors ------------------------------------------------------------ */

static napi_value text_make(napi_env env, const char *text)
{
    return string_make(env, surety_str_of(text));
}

napi_value error_make(napi_env env, const surety_error *error)
{
    napi_value class, made, arguments[9];
    struct addon *addon = addon_of(env);

    arguments[0] = text_make(env, error->message);
    arguments[1] = text_make(env, surety_status_name(error->status));
    arguments[2] = text_make(env, error->hint);
    arguments[3] = text_make(env, error->path);
    arguments[4] = text_make(env, error->source);
    if (!addon || !addon->error_class || !arguments[0] || !arguments[1] ||
        !arguments[2] || !arguments[3] || !arguments[4] ||
        napi_create_uint32(env, error->position.line, &arguments[5]) ||
        napi_create_uint32(env, error->position.column, &arguments[6]) ||
        napi_create_double(env, (double)error->position.offset,
                           &arguments[7]) ||
        napi_create_double(env, (double)error->position.length,
                           &arguments[8]) ||
        napi_get_reference_value(env, addon->error_class, &class) ||
        napi_new_instance(env, class, 9, arguments, &made))
        return NULL;
    return made;
}

napi_value fail(napi_env env, const surety_error *error)
{
    napi_value made = error_make(env, error);

    if (!made)
        return fail_node(env);
    napi_throw(env, made);
    return NULL;
}

napi_value fail_status(napi_env env, surety_status status, const char *message)
{
    surety_error error = {.status = status};

    strncpy(error.message, message, sizeof(error.message) - 1);
    return fail(env, &error);
}

napi_value fail_node(napi_env env)
{
    const napi_extended_error_info *info = NULL;
    const char *message = NULL;
    bool pending = false;

    if (!napi_get_last_error_info(env, &info) && info)
        message = info->error_message;
    if (!napi_is_exception_pending(env, &pending) && !pending)
        napi_throw_error(env, NULL, message ? message : "Node-API failed");
    return NULL;
}

/* ---- handles ----------------------------------------------------------- */

void shared_drop(struct shared *object)
{
    if (object && --object->holders == 0)
        object->free(object);
}

static void handle_free(napi_env env, void *data, void *hint)
{
    int64_t total;

    napi_adjust_external_memory(env, -(int64_t)(intptr_t)hint, &total);
    shared_drop(data);
}

napi_value handle_make(napi_env env, struct shared *object,
                       const napi_type_tag *tag, size_t bytes)
{
    napi_value made;
    int64_t total;

    if (napi_create_object(env, &made) ||
        napi_wrap(env, made, object, handle_free, (void *)(intptr_t)bytes,
                  NULL)) {
        shared_drop(object);
        return fail_node(env);
    }
    napi_adjust_external_memory(env, (int64_t)bytes, &total);
    if (napi_type_tag_object(env, made, tag))
        return fail_node(env);
    return made;
}

void *handle_take(napi_env env, napi_value value, const napi_type_tag *tag)
{
    napi_valuetype type;
    void *object;
    bool tagged;

    if (napi_typeof(env, value, &type) || type != napi_object ||
        napi_check_object_type_tag(env, value, tag, &tagged) || !tagged ||
        napi_unwrap(env, value, &object)) {
        napi_throw_type_error(env, NULL, "not a handle of that kind");
        return NULL;
    }
    return object;
}

/* ---- values ------------------------------------------------------------ */

static bool string_take(napi_env env, napi_value value, struct bytes *ret)
{
    size_t len;
    char *copy;

    if (napi_get_value_string_utf8(env, value, NULL, 0, &len))
        return fail_node(env);
    copy = malloc(len + 1);
    if (!copy)
        return fail_status(env, SURETY_NOMEM, "out of memory");
    if (napi_get_value_string_utf8(env, value, copy, len + 1, &len)) {
        free(copy);
        return fail_node(env);
    }
    *ret = (struct bytes){{copy, len}, copy};
    return true;
}

bool bytes_take(napi_env env, napi_value value, struct bytes *ret_bytes)
{
    napi_valuetype type;
    bool typed = false;
    size_t len;
    void *data;

    *ret_bytes = (struct bytes){{NULL, 0}, NULL};
    if (napi_typeof(env, value, &type))
        return fail_node(env);
    if (type == napi_undefined || type == napi_null)
        return true;
    if (type == napi_string)
        return string_take(env, value, ret_bytes);
    if (napi_is_typedarray(env, value, &typed) || !typed ||
        napi_get_typedarray_info(env, value, NULL, &len, &data, NULL, NULL)) {
        napi_throw_type_error(env, NULL, "neither a string nor bytes");
        return false;
    }
    ret_bytes->str = (surety_str){data, data ? len : 0};
    return true;
}

bool bytes_copy(napi_env env, napi_value value, struct bytes *ret_bytes)
{
    surety_str given;

    if (!bytes_take(env, value, ret_bytes))
        return false;
    given = ret_bytes->str;
    if (ret_bytes->owned || given.len == 0)
        return true;
    ret_bytes->owned = malloc(given.len);
    if (!ret_bytes->owned)
        return fail_status(env, SURETY_NOMEM, "out of memory");
    memcpy(ret_bytes->owned, given.ptr, given.len);
    ret_bytes->str.ptr = ret_bytes->owned;
    return true;
}

void bytes_drop(struct bytes *bytes)
{
    free(bytes->owned);
    *bytes = (struct bytes){{NULL, 0}, NULL};
}

bool arguments_take(napi_env env, napi_callback_info info, size_t count,
                    napi_value *arguments)
{
    if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL))
        return fail_node(env);
    return true;
}

bool member_take(napi_env env, napi_value object, const char *name,
                 napi_value *ret_value)
{
    napi_valuetype type;
    napi_value value;

    if (napi_typeof(env, object, &type) || type != napi_object ||
        napi_get_named_property(env, object, name, &value) ||
        napi_typeof(env, value, &type) || type == napi_undefined ||
        type == napi_null)
        return false;
    *ret_value = value;
    return true;
}

bool flag_take(napi_env env, napi_value object, const char *name)
{
    napi_value value;
    bool flag = false;

    return member_take(env, object, name, &value) &&
           !napi_get_value_bool(env, value, &flag) && flag;
}

int64_t number_take(napi_env env, napi_value object, const char *name,
                    int64_t otherwise)
{
    napi_value value;
    int64_t number;

    if (!member_take(env, object, name, &value) ||
        napi_get_value_int64(env, value, &number))
        return otherwise;
    return number;
}

bool text_take(napi_env env, napi_value object, const char *name,
               struct bytes *ret_bytes)
{
    napi_value value;

    *ret_bytes = (struct bytes){{NULL, 0}, NULL};
    return !member_take(env, object, name, &value) ||
           bytes_copy(env, value, ret_bytes);
}

bool texts_take(napi_env env, napi_value object, const char *name,
                struct bytes **ret_list, size_t *ret_count)
{
    struct bytes *list;
    napi_value array, item;
    uint32_t i, count;

    *ret_list = NULL;
    *ret_count = 0;
    if (!member_take(env, object, name, &array))
        return true;
    if (napi_get_array_length(env, array, &count))
        return fail_node(env);
    list = calloc((size_t)count + 1, sizeof(*list));
    if (!list)
        return fail_status(env, SURETY_NOMEM, "out of memory");
    for (i = 0; i < count; i++) {
        if (napi_get_element(env, array, i, &item))
            fail_node(env);
        else if (bytes_copy(env, item, &list[i]))
            continue;
        texts_drop(list, count);
        return false;
    }
    *ret_list = list;
    *ret_count = count;
    return true;
}

void texts_drop(struct bytes *list, size_t count)
{
    while (list && count > 0)
        bytes_drop(&list[--count]);
    free(list);
}

napi_value string_make(napi_env env, surety_str str)
{
    napi_value made;

    if (napi_create_string_utf8(env, str.len ? str.ptr : "", str.len, &made))
        return fail_node(env);
    return made;
}

napi_value string_done(napi_env env, surety_buf *buf)
{
    napi_value made =
        buf->status == SURETY_OK
            ? string_make(env, surety_buf_str(buf))
            : fail_status(env, buf->status, "out of memory for the result");

    surety_buf_done(buf);
    return made;
}

bool method_add(napi_env env, napi_value exports, const char *name,
                napi_callback function)
{
    napi_value made;

    if (napi_create_function(env, name, NAPI_AUTO_LENGTH, function, NULL,
                             &made) ||
        napi_set_named_property(env, exports, name, made))
        return fail_node(env);
    return true;
}

/* ---- contracts --------------------------------------------------------- */

static void contract_free(struct shared *object)
{
    struct contract *contract = (struct contract *)object;

    surety_judge_free(contract->judge);
    surety_contract_free(contract->contract);
    free(contract);
}

/* The limits by their names in JavaScript. */
static const struct limit {
    const char *name;
    size_t offset;
    bool wide; /* a size_t */
} limits[] = {
    {"textBytesMax", offsetof(surety_limits, text_bytes_max), true},
    {"depthMax", offsetof(surety_limits, depth_max), false},
    {"numberLenMax", offsetof(surety_limits, number_len_max), false},
    {"stringLenMax", offsetof(surety_limits, string_len_max), false},
    {"keyLenMax", offsetof(surety_limits, key_len_max), false},
    {"valuesMax", offsetof(surety_limits, values_max), false},
    {"schemaBytesMax", offsetof(surety_limits, schema_bytes_max), true},
    {"schemaNodesMax", offsetof(surety_limits, schema_nodes_max), false},
    {"schemaDepthMax", offsetof(surety_limits, schema_depth_max), false},
    {"schemaDocumentsMax", offsetof(surety_limits, schema_documents_max),
     false},
    {"inplaceDepthMax", offsetof(surety_limits, inplace_depth_max), false},
    {"patternLenMax", offsetof(surety_limits, pattern_len_max), false},
    {"patternMatchMax", offsetof(surety_limits, pattern_match_max), false},
    {"patternHeapKibMax", offsetof(surety_limits, pattern_heap_kib_max), false},
    {"workPerValue", offsetof(surety_limits, work_per_value), false},
    {"workBase", offsetof(surety_limits, work_base), false},
    {"findingsMax", offsetof(surety_limits, findings_max), false},
    {"candidatesMax", offsetof(surety_limits, candidates_max), false},
    {"ruleTimeMsMax", offsetof(surety_limits, rule_time_ms_max), false},
    {"ruleMemoryMibMax", offsetof(surety_limits, rule_memory_mib_max), false},
    {"repairsMax", offsetof(surety_limits, repairs_max), false},
    {"blankRunMax", offsetof(surety_limits, blank_run_max), false},
    {"repeatRunMax", offsetof(surety_limits, repeat_run_max), false},
    {"repeatDataMax", offsetof(surety_limits, repeat_data_max), false},
    {"attemptRawMax", offsetof(surety_limits, attempt_raw_max), false},
    {"memoMax", offsetof(surety_limits, memo_max), false},
    {"mediaBytesMax", offsetof(surety_limits, media_bytes_max), true},
    {"messagesMax", offsetof(surety_limits, messages_max), false},
    {"serverToolsMax", offsetof(surety_limits, server_tools_max), true},
};

/* False: it sets none. */
static bool limits_take(napi_env env, napi_value object, surety_limits *ret)
{
    char *base = (char *)ret;
    bool limited = false;
    int64_t number;
    size_t i;

    *ret = (surety_limits){.size = sizeof(*ret)};
    for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        number = number_take(env, object, limits[i].name, 0);
        limited = limited || number > 0;
        if (limits[i].wide)
            *(size_t *)(void *)(base + limits[i].offset) = (size_t)number;
        else
            *(uint32_t *)(void *)(base + limits[i].offset) = (uint32_t)number;
    }
    return limited;
}

void limits_over(const surety_limits *own, surety_limits *others)
{
    size_t i;

    for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        const char *from = (const char *)own + limits[i].offset;
        const uint64_t none = 0;
        const size_t size = limits[i].wide ? sizeof(size_t) : sizeof(uint32_t);

        if (memcmp(from, &none, size) != 0)
            memcpy((char *)others + limits[i].offset, from, size);
    }
}

/* limitNames(): an array. */
static napi_value limit_names(napi_env env, napi_callback_info info)
{
    napi_value made, name;
    uint32_t i;

    (void)info;
    if (napi_create_array(env, &made))
        return fail_node(env);
    for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        name = text_make(env, limits[i].name);
        if (!name || napi_set_element(env, made, i, name))
            return fail_node(env);
    }
    return made;
}

/* The handle of a contract, which it owns from now on. */
static napi_value contract_make(napi_env env, surety_contract *contract,
                                const surety_limits *bounds, bool limited)
{
    struct contract *object = malloc(sizeof(*object));

    if (!object) {
        surety_contract_free(contract);
        return fail_status(env, SURETY_NOMEM, "out of memory");
    }
    *object =
        (struct contract){{1, contract_free}, contract, limited, *bounds, NULL};
    return handle_make(env, &object->base, &contract_tag, 65536);
}

/* contractRead(text, name, limits) */
static napi_value contract_read(napi_env env, napi_callback_info info)
{
    surety_schema_options schema = {.size = sizeof(schema),
                                    .assert_format = true};
    surety_contract_options options = {.size = sizeof(options),
                                       .schema = &schema};
    struct bytes text = {{NULL, 0}, NULL}, name = {{NULL, 0}, NULL};
    napi_value arguments[3], made = NULL;
    surety_contract *contract;
    surety_limits bounds;
    bool limited;
    surety_error error;

    if (arguments_take(env, info, 3, arguments) &&
        bytes_take(env, arguments[0], &text) &&
        bytes_take(env, arguments[1], &name)) {
        limited = limits_take(env, arguments[2], &bounds);
        options.limits = schema.limits = &bounds;
        options.name = name.str;
        made = surety_contract_read(text.str, &options, &contract, &error)
                   ? fail(env, &error)
                   : contract_make(env, contract, &bounds, limited);
    }
    bytes_drop(&text);
    bytes_drop(&name);
    return made;
}

/* contractFind(name, folders, limits) */
static napi_value contract_find(napi_env env, napi_callback_info info)
{
    surety_schema_options schema = {.size = sizeof(schema),
                                    .assert_format = true};
    surety_contract_options reading = {.size = sizeof(reading),
                                       .schema = &schema};
    struct bytes name = {{NULL, 0}, NULL}, folders = {{NULL, 0}, NULL};
    napi_value arguments[3], made = NULL;
    surety_registry *registry = NULL;
    surety_contract *contract;
    surety_limits bounds;
    bool limited;
    surety_error error;

    if (arguments_take(env, info, 3, arguments) &&
        bytes_take(env, arguments[0], &name) &&
        bytes_take(env, arguments[1], &folders)) {
        limited = limits_take(env, arguments[2], &bounds);
        reading.limits = schema.limits = &bounds;
        made =
            surety_registry_new(folders.str, &reading, &registry, &error) ||
                    surety_registry_find(registry, name.str, &contract, &error)
                ? fail(env, &error)
                : contract_make(env, contract, &bounds, limited);
    }
    surety_registry_free(registry);
    bytes_drop(&name);
    bytes_drop(&folders);
    return made;
}

/* The members of a contract that say nothing, as issues in JSON; the last says
 * how many more there are than are kept. */
static void warnings_write(const surety_schema *schema, surety_buf *out)
{
    const surety_schema_info *schema_info = surety_schema_info_of(schema);
    const size_t count = schema_info->warning_count;
    surety_schema_warning warning;
    surety_issue issue;
    char more[64];
    surety_buf at;
    size_t i;

    surety_buf_init(&at, NULL, 0);
    surety_json_name(out, "warnings");
    surety_buf_byte(out, '[');
    for (i = 0; i < count + (schema_info->warnings_left > 0); i++) {
        surety_buf_reset(&at);
        if (i == count) {
            snprintf(more, sizeof(more), "%zu more members say nothing",
                     schema_info->warnings_left);
            issue = (surety_issue){.message = surety_str_of(more)};
        } else {
            warning = schema_info->warnings[i];
            surety_val_pointer(warning.key, &at);
            issue =
                (surety_issue){.message = warning.message,
                               .hint = warning.hint,
                               .keyword_location = surety_buf_str(&at),
                               .position = surety_val_position(warning.key)};
        }
        if (i > 0)
            surety_buf_byte(out, ',');
        surety_issue_write(&issue, SURETY_REPORT_JSON, NULL, out);
    }
    surety_buf_byte(out, ']');
    if (at.status)
        out->status = at.status;
    surety_buf_done(&at);
}

/* contractInfo(contract): JSON. */
static napi_value contract_info(napi_env env, napi_callback_info info)
{
    struct contract *object;
    napi_value argument;
    surety_buf out;

    if (!arguments_take(env, info, 1, &argument) ||
        !(object = handle_take(env, argument, &contract_tag)))
        return NULL;
    surety_buf_init(&out, NULL, 0);
    surety_buf_byte(&out, '{');
    surety_json_text(&out, "name",
                     surety_contract_info_of(object->contract)->name);
    surety_json_text(&out, "version",
                     surety_contract_info_of(object->contract)->version);
    surety_json_text(&out, "id", surety_contract_info_of(object->contract)->id);
    surety_json_text(&out, "deprecated",
                     surety_contract_info_of(object->contract)->deprecated);
    surety_json_value(&out, "schema",
                      surety_contract_info_of(object->contract)->root);
    warnings_write(surety_contract_info_of(object->contract)->schema, &out);
    surety_buf_byte(&out, '}');
    return string_done(env, &out);
}

/* contractList(folders): JSON. */
static napi_value contract_list(napi_env env, napi_callback_info info)
{
    struct bytes folders = {{NULL, 0}, NULL};
    surety_registry *registry = NULL;
    const surety_registry_entry *entries = NULL, *entry;
    size_t count = 0;
    napi_value argument, made;
    surety_error error;
    surety_buf out;
    size_t i;

    if (!arguments_take(env, info, 1, &argument) ||
        !bytes_take(env, argument, &folders))
        return NULL;
    surety_buf_init(&out, NULL, 0);
    if (surety_registry_new(folders.str, NULL, &registry, &error) ||
        surety_registry_list(registry, &entries, &count, &error)) {
        made = fail(env, &error);
        goto done;
    }
    surety_buf_byte(&out, '[');
    for (i = 0; i < count; i++) {
        entry = &entries[i];
        surety_buf_text(&out, i ? ",{" : "{");
        surety_json_text(&out, "name", entry->name);
        surety_json_text(&out, "version", entry->version);
        surety_json_text(&out, "title", entry->title);
        surety_json_text(&out, "source", entry->source);
        surety_json_text(&out, "deprecated", entry->deprecated);
        surety_json_text(&out, "aliasOf", entry->alias_of);
        surety_json_text(&out, "error", entry->error);
        surety_buf_byte(&out, '}');
    }
    surety_buf_byte(&out, ']');
    made = string_done(env, &out);
done:
    surety_registry_free(registry);
    bytes_drop(&folders);
    return made;
}

/* ---- prompts ----------------------------------------------------------- */

/* promptWrite(contract, prompt or null, style, native): the prompt with the
 * format instructions behind it, or these alone. */
static napi_value prompt_write(napi_env env, napi_callback_info info)
{
    surety_prompt_options options = {.size = sizeof(options)};
    struct bytes text = {{NULL, 0}, NULL};
    struct contract *object;
    napi_value arguments[4], made;
    surety_status status;
    surety_error error;
    surety_buf out;
    int32_t style;

    if (!arguments_take(env, info, 4, arguments) ||
        !(object = handle_take(env, arguments[0], &contract_tag)) ||
        !bytes_take(env, arguments[1], &text))
        return NULL;
    surety_buf_init(&out, NULL, 0);
    if (napi_get_value_int32(env, arguments[2], &style) ||
        napi_get_value_bool(env, arguments[3], &options.native)) {
        bytes_drop(&text);
        return fail_node(env);
    }
    options.style = (surety_prompt_style)style;
    status =
        surety_prompt_write(object->contract, text.str, &options, &out, &error);
    made = status ? fail(env, &error) : string_make(env, surety_buf_str(&out));
    surety_buf_done(&out);
    bytes_drop(&text);
    return made;
}

/* promptExample(contract): JSON. */
static napi_value prompt_example(napi_env env, napi_callback_info info)
{
    struct contract *object;
    napi_value argument, made;
    surety_error error;
    surety_doc *doc;
    surety_buf out;

    if (!arguments_take(env, info, 1, &argument) ||
        !(object = handle_take(env, argument, &contract_tag)))
        return NULL;
    doc = surety_doc_new(NULL);
    if (!doc)
        return fail_status(env, SURETY_NOMEM, "out of memory");
    surety_buf_init(&out, NULL, 0);
    if (surety_prompt_example(object->contract, doc, &error)) {
        made = fail(env, &error);
    } else {
        surety_val_write(surety_doc_root(doc), SURETY_STYLE_COMPACT, &out);
        made = string_make(env, surety_buf_str(&out));
    }
    surety_buf_done(&out);
    surety_doc_free(doc);
    return made;
}

/* ---- plain validation -------------------------------------------------- */

static void finding_write(surety_buf *out, const surety_finding *finding)
{
    const surety_issue issue = {
        .keyword = finding->keyword,
        .instance_location = finding->instance_location,
        .keyword_location = finding->keyword_location,
        .absolute_keyword_location = finding->absolute_keyword_location,
        .message = finding->message,
        .hint = finding->hint,
        .position = surety_val_position(finding->instance)};

    surety_issue_write(&issue, SURETY_REPORT_JSON, NULL, out);
}

/* Checks text by schema and writes {valid, errors, truncated}. */
static surety_status validation_write(struct addon *addon,
                                      const surety_schema *schema,
                                      surety_str text, surety_buf *out,
                                      surety_error *reterr)
{
    surety_findings *findings = surety_findings_new(NULL);
    surety_doc *doc = surety_doc_new(NULL);
    surety_status status = SURETY_NOMEM;
    surety_finding finding;
    bool valid = false;
    size_t i;

    reterr->status = SURETY_NOMEM;
    if (!findings || !doc)
        goto done;
    status = surety_doc_read(doc, text, NULL, reterr);
    if (!status)
        status = surety_checker_check(addon->checker, schema,
                                      surety_doc_root(doc), &valid, reterr);
    if (!status && !valid)
        status = surety_checker_report(addon->checker, schema,
                                       surety_doc_root(doc), findings, reterr);
    if (status)
        goto done;
    surety_buf_text(out, valid ? "{\"valid\":true,\"errors\":["
                               : "{\"valid\":false,\"errors\":[");
    for (i = 0; i < surety_findings_count(findings); i++) {
        if (i)
            surety_buf_byte(out, ',');
        finding = surety_findings_at(findings, i);
        if (!finding.keyword.ptr) {
            status = SURETY_NOMEM;
            goto done;
        }
        finding_write(out, &finding);
    }
    surety_buf_text(out, surety_findings_truncated(findings)
                             ? "],\"truncated\":true}"
                             : "],\"truncated\":false}");
done:
    surety_findings_free(findings);
    surety_doc_free(doc);
    return status;
}

/* validate(schema, instance, format, dialect): JSON. */
static napi_value validate(napi_env env, napi_callback_info info)
{
    surety_schema_options options = {.size = sizeof(options)};
    struct bytes schema_text = {{NULL, 0}, NULL}, text = {{NULL, 0}, NULL};
    struct addon *addon = addon_of(env);
    const surety_schema *schema;
    napi_value arguments[4], made = NULL;
    surety_error error = {.message = "out of memory"};
    surety_buf out;
    int32_t dialect;

    surety_buf_init(&out, NULL, 0);
    if (!arguments_take(env, info, 4, arguments) ||
        !bytes_take(env, arguments[0], &schema_text) ||
        !bytes_take(env, arguments[1], &text))
        goto done;
    if (napi_get_value_bool(env, arguments[2], &options.assert_format) ||
        napi_get_value_int32(env, arguments[3], &dialect)) {
        fail_node(env);
        goto done;
    }
    options.dialect = (surety_dialect)dialect;
    if (surety_schema_cache_read(addon->schemas, schema_text.str, &options,
                                 &schema, &error)) {
        if (!error.source[0])
            memcpy(error.source, "schema", sizeof("schema"));
        made = fail(env, &error);
    } else if (validation_write(addon, schema, text.str, &out, &error)) {
        made = fail(env, &error);
    } else {
        made = string_make(env, surety_buf_str(&out));
    }
done:
    surety_buf_done(&out);
    bytes_drop(&schema_text);
    bytes_drop(&text);
    return made;
}

/* ---- the module -------------------------------------------------------- */

static napi_value version(napi_env env, napi_callback_info info)
{
    (void)info;
    return text_make(env, surety_version());
}

/* setError(SuretyError) */
static napi_value set_error(napi_env env, napi_callback_info info)
{
    struct addon *addon = addon_of(env);
    napi_value argument;

    if (!arguments_take(env, info, 1, &argument))
        return NULL;
    if (!addon->error_class &&
        napi_create_reference(env, argument, 1, &addon->error_class))
        return fail_node(env);
    return NULL;
}

static void addon_free(napi_env env, void *data, void *hint)
{
    struct addon *addon = data;

    (void)hint;
    if (addon->error_class)
        napi_delete_reference(env, addon->error_class);
    surety_judge_free(addon->judge);
    surety_checker_free(addon->checker);
    surety_schema_cache_free(addon->schemas);
    free(addon);
}

static void anchor_call(napi_env env, napi_value callback, void *context,
                        void *data)
{
    (void)env;
    (void)callback;
    (void)context;
    (void)data;
}

/* Node.js 20 may run the finalizers that a collection of garbage at its end has
 * queued when the environment of the addon is freed already
 * (DrainFinalizerQueue). A thread-safe function holds that environment until
 * handles are closed, which is after that. This one is never called, and the
 * loop does not wait for it. */
static bool anchor_add(napi_env env)
{
    napi_threadsafe_function anchor;
    napi_value name;

    return !napi_create_string_utf8(env, "surety", NAPI_AUTO_LENGTH, &name) &&
           !napi_create_threadsafe_function(env, NULL, NULL, name, 0, 1, NULL,
                                            NULL, NULL, anchor_call, &anchor) &&
           !napi_unref_threadsafe_function(env, anchor);
}

/* What Node.js looks for; NAPI_MODULE_INIT declares neither. */
NAPI_MODULE_EXPORT int32_t node_api_module_get_api_version_v1(void);
NAPI_MODULE_EXPORT napi_value napi_register_module_v1(napi_env env,
                                                      napi_value exports);

int32_t node_api_module_get_api_version_v1(void)
{
    return NAPI_VERSION;
}

napi_value napi_register_module_v1(napi_env env, napi_value exports)
{
    struct addon *addon = calloc(1, sizeof(*addon));

    if (!addon || napi_set_instance_data(env, addon, addon_free, NULL)) {
        free(addon);
        napi_throw_error(env, NULL, "out of memory");
        return NULL;
    }
    addon->judge = surety_judge_new(NULL, NULL);
    addon->checker = surety_checker_new(NULL, NULL);
    addon->schemas = surety_schema_cache_new(NULL, 0, 0);
    if (!addon->judge || !addon->checker || !addon->schemas) {
        napi_throw_error(env, NULL, "out of memory");
        return NULL;
    }
    if (!anchor_add(env)) {
        fail_node(env);
        return NULL;
    }
    if (!method_add(env, exports, "version", version) ||
        !method_add(env, exports, "setError", set_error) ||
        !method_add(env, exports, "limitNames", limit_names) ||
        !method_add(env, exports, "contractRead", contract_read) ||
        !method_add(env, exports, "contractFind", contract_find) ||
        !method_add(env, exports, "contractInfo", contract_info) ||
        !method_add(env, exports, "contractList", contract_list) ||
        !method_add(env, exports, "promptWrite", prompt_write) ||
        !method_add(env, exports, "promptExample", prompt_example) ||
        !method_add(env, exports, "validate", validate) ||
        !judge_add(env, exports) || !run_add(env, exports))
        return NULL;
    return exports;
}
