/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a request: every member of its body that the gateway does
 * not read itself.
 *
 * 1. To a model of the client's own protocol all of them go unchanged.
 * 2. To another protocol those go that both have, under the name that it has
 *    there (table below). A member that has its usual value says nothing and is
 *    left out, and so is one that the configuration names. Every other one
 *    refuses the request, with its name: none is dropped without a word.
 *
 * Sources of the names: the types of the providers' official clients (2026). */
#include "gateway/gateway.h"

/* Members that the gateway reads; "a/b" is member b of a. */
static const char *const params_taken[][16] = {
    /* ORDER protocols */
    {"model", "messages", "stream", "stream_options", "response_format",
     "tools", "tool_choice", "parallel_tool_calls", "n"},
    {"model", "input", "instructions", "stream", "stream_options", "tools",
     "tool_choice", "parallel_tool_calls", "text/format"},
    {"model", "messages", "system", "stream", "tools", "tool_choice",
     "output_format", "output_config/format"},
    {"contents", "systemInstruction", "system_instruction", "tools",
     "toolConfig", "tool_config", "generationConfig/responseMimeType",
     "generationConfig/responseSchema", "generationConfig/responseJsonSchema",
     "generationConfig/candidateCount", "generationConfig/response_mime_type",
     "generationConfig/response_schema",
     "generationConfig/response_json_schema",
     "generationConfig/candidate_count"},
};

/* Objects whose members are looked at one by one; the last one on the way to
 * another protocol only, for OpenAI's has any names. */
static const char *const params_objects[] = {"text", "output_config",
                                             "generationConfig", "metadata"};

/* What a parameter is in every protocol. */
typedef enum params_kind {
    PARAMS_COUNT = 0, /* a whole number above 0 */
    PARAMS_WHOLE,
    PARAMS_NUMBER,
    PARAMS_TEXT,
    PARAMS_TEXTS /* a list of texts, or one text */
} params_kind;
/* ORDER kinds of parameters. */
static const char *const params_kinds[] = {
    "a whole number from 1 to 4294967295", "a whole number", "a number",
    "a text", "a list of texts"};

/* The same parameter in each protocol; NULL: it has none. */
typedef struct params_row {
    params_kind kind;
    const char *names[4]; /* ORDER protocols */
} params_row;
static const params_row params_rows[] = {
    {PARAMS_COUNT,
     {"max_completion_tokens", "max_output_tokens", "max_tokens",
      "generationConfig/maxOutputTokens"}},
    {PARAMS_COUNT, {"max_tokens", NULL, NULL, NULL}},
    {PARAMS_NUMBER,
     {"temperature", "temperature", "temperature",
      "generationConfig/temperature"}},
    {PARAMS_NUMBER, {"top_p", "top_p", "top_p", "generationConfig/topP"}},
    {PARAMS_NUMBER, {NULL, NULL, "top_k", "generationConfig/topK"}},
    {PARAMS_TEXTS,
     {"stop", NULL, "stop_sequences", "generationConfig/stopSequences"}},
    {PARAMS_WHOLE, {"seed", NULL, NULL, "generationConfig/seed"}},
    {PARAMS_NUMBER,
     {"frequency_penalty", NULL, NULL, "generationConfig/frequencyPenalty"}},
    {PARAMS_NUMBER,
     {"presence_penalty", NULL, NULL, "generationConfig/presencePenalty"}},
    {PARAMS_TEXT, {"user", "user", "metadata/user_id", NULL}},
};
enum {
    PARAMS_LIMIT = 0,
    PARAMS_OLD_LIMIT,
    PARAMS_TEMPERATURE,
    PARAMS_STOP = 5
};

/* Members with the value that they have where they are absent. */
static const struct {
    const char *name, *value;
} params_usual[] = {
    {"store", "false"},
    {"logprobs", "false"},
    {"top_logprobs", "0"},
    {"service_tier", "\"auto\""},
    {"truncation", "\"disabled\""},
    {"background", "false"},
    {"modalities", "[\"text\"]"},
    {"frequency_penalty", "0"},
    {"presence_penalty", "0"},
    {"metadata", "{}"},
    {"include", "[]"},
    {"logit_bias", "{}"},
    {"thinking", "{\"type\":\"disabled\"}"},
};

typedef struct params_reader {
    surety__ask *ask;
    surety__problem *problem;
    surety_doc *extra;
    surety_protocol from, to;
    surety_status status;
    bool is_same;
    const char *open; /* the object of extra that is open; NULL: none */
} params_reader;

static bool params_is_taken(const params_reader *reader, surety_str path)
{
    const char *const *names = params_taken[reader->from];
    size_t count = 0;

    while (count < SURETY__COUNT(params_taken[0]) && names[count])
        count++;
    return surety__str_among(path, names, count);
}

/* Whether the member has the value that it has where it is absent. */
static bool params_is_usual(surety_str name, surety_val value)
{
    char room[64];
    surety_buf text = surety__buf_over(room, sizeof(room));

    if (surety_val_kind(value) == SURETY_KIND_NULL)
        return true;
    surety_val_write(value, SURETY_STYLE_COMPACT, &text);
    if (text.status)
        return false;
    for (size_t i = 0; i < SURETY__COUNT(params_usual); i++)
        if (surety_str_equal(name, surety_str_of(params_usual[i].name)) &&
            surety_str_equal(surety_buf_str(&text),
                             surety_str_of(params_usual[i].value)))
            return true;
    return false;
}

/* Whether the configuration leaves a member out for the model's provider. */
static bool params_is_ignored(const params_reader *reader, surety_str path)
{
    const surety_config_info *info =
        surety_config_info_of(reader->ask->settings->config);

    for (size_t i = 0; i < info->ignored_count; i++) {
        const surety_config_ignored *one = &info->ignored[i];
        const size_t len = one->member.len;

        if (surety_str_equal(one->provider, reader->ask->model.provider) &&
            surety__str_starts(path, one->member) &&
            (path.len == len || path.ptr[len] == '/'))
            return true;
    }
    return false;
}

static void params_refuse(params_reader *reader, surety_str path)
{
    surety_error error;

    surety__fail(&error, SURETY_SYNTAX,
                 "the member \"%.*s\" has no meaning for a model of the "
                 "protocol %s",
                 (int)path.len, path.ptr, surety_protocol_name(reader->to));
    surety__hint(&error,
                 "leave it out, ask a model of the protocol %s, or name it in "
                 "\"ignored_members\" of the provider (surety.json)",
                 surety_protocol_name(reader->from));
    reader->status =
        surety__ask_refuse(reader->ask, 400, path, &error, reader->problem);
}

static bool params_are_texts(surety_val value)
{
    SURETY_EACH (one, value)
        if (surety_val_kind(one) != SURETY_KIND_STRING)
            return false;
    return surety_val_kind(value) == SURETY_KIND_ARRAY ||
           surety_val_kind(value) == SURETY_KIND_STRING;
}

/* Whether a value is one of the kind. Its bounds are the provider's matter, but
 * for a limit, which must not become another one. */
static bool params_is_kind(params_kind kind, surety_val value)
{
    const uint64_t count = surety_val_uint(value, 0);

    switch (kind) {
    case PARAMS_COUNT: return count > 0 && count <= UINT32_MAX;
    case PARAMS_WHOLE: return surety_val_is_integer(value);
    case PARAMS_NUMBER: return surety_val_kind(value) == SURETY_KIND_NUMBER;
    case PARAMS_TEXT: return surety_val_kind(value) == SURETY_KIND_STRING;
    case PARAMS_TEXTS: return params_are_texts(value);
    }
    return false;
}

static void params_refuse_kind(params_reader *reader, surety_str path,
                               params_kind kind)
{
    surety_error error;

    surety__fail(&error, SURETY_SYNTAX, "the member \"%.*s\" is %s",
                 (int)path.len, path.ptr, params_kinds[kind]);
    reader->status =
        surety__ask_refuse(reader->ask, 400, path, &error, reader->problem);
}

/* Adds the name of a member to extra; that of "a/b" to its object a, which
 * stays open. */
static void params_name(params_reader *reader, const char *path)
{
    const char *slash = strchr(path, '/');
    const size_t len = slash ? (size_t)(slash - path) : 0;
    const surety_str object = {path, len};

    if (reader->open &&
        (!slash || !surety_str_equal(object, surety_str_of(reader->open)))) {
        surety_build_close(reader->extra);
        reader->open = NULL;
    }
    if (slash && !reader->open) {
        for (size_t i = 0; i < SURETY__COUNT(params_objects); i++)
            if (surety_str_equal(object, surety_str_of(params_objects[i])))
                reader->open = params_objects[i];
        surety_build_name(reader->extra, reader->open);
        surety_build_object(reader->extra);
    }
    surety_build_name(reader->extra, slash ? slash + 1 : path);
}

/* Translates a member for another protocol. */
static void params_translate(params_reader *reader, surety_str path,
                             surety_val value)
{
    surety_model *model = &reader->ask->model;

    if (params_is_usual(path, value) || params_is_ignored(reader, path))
        return;
    for (size_t i = 0; i < SURETY__COUNT(params_rows); i++) {
        const char *own = params_rows[i].names[reader->from];
        const char *other = reader->to == SURETY_PROTOCOL_TEXT
                                ? NULL
                                : params_rows[i].names[reader->to];

        if (!own || !surety_str_equal(path, surety_str_of(own)))
            continue;
        if (!params_is_kind(params_rows[i].kind, value)) {
            params_refuse_kind(reader, path, params_rows[i].kind);
            return;
        }
        if (i <= PARAMS_OLD_LIMIT) {
            model->output_tokens_max = (uint32_t)surety_val_uint(value, 1);
            return;
        }
        if (i == PARAMS_TEMPERATURE && reader->to != SURETY_PROTOCOL_TEXT) {
            model->has_temperature = true;
            model->temperature = surety_val_real(value, 1);
            return;
        }
        if (!other)
            break;
        params_name(reader, other);
        /* Chat Completions takes one stop sequence without a list. */
        if (i == PARAMS_STOP && surety_val_kind(value) == SURETY_KIND_STRING) {
            surety_build_array(reader->extra);
            surety_build_val(reader->extra, value);
            surety_build_close(reader->extra);
        } else {
            surety_build_val(reader->extra, value);
        }
        return;
    }
    params_refuse(reader, path);
}

static void params_member(params_reader *reader, surety_str path,
                          surety_val value)
{
    if (reader->status || params_is_taken(reader, path))
        return;
    if (!reader->is_same) {
        params_translate(reader, path, value);
        return;
    }
    if (surety__str_ends(path, SURETY__LITERAL("temperature")))
        reader->ask->model.has_temperature = false;
    if (surety_val_kind(value) != SURETY_KIND_NULL) {
        const surety_str whole = surety__arena_text(reader->ask->arena, path);

        if (!whole.ptr) {
            reader->status = SURETY_NOMEM;
            return;
        }
        params_name(reader, whole.ptr);
        surety_build_val(reader->extra, value);
    }
}

static bool params_is_object(const params_reader *reader, surety_str name,
                             surety_val value)
{
    const size_t count = SURETY__COUNT(params_objects);
    const bool is_foreign =
        reader->from == SURETY_PROTOCOL_ANTHROPIC && !reader->is_same;

    return surety_val_kind(value) == SURETY_KIND_OBJECT &&
           surety__str_among(name, params_objects,
                             is_foreign ? count : count - 1);
}

/* Looks at each member of an object of parameters. */
static void params_object(params_reader *reader, surety_str name,
                          surety_val object)
{
    surety_buf path;

    surety_buf_init(&path, reader->ask->arena->alloc, 0);
    SURETY_EACH (one, object) {
        surety_buf_reset(&path);
        surety_buf_add(&path, name);
        surety_buf_byte(&path, '/');
        surety_buf_add(&path, surety_val_str(surety_val_key(one)));
        if (path.status)
            reader->status = SURETY_NOMEM;
        else
            params_member(reader, surety_buf_str(&path), one);
    }
    surety_buf_done(&path);
}

surety_status surety__params_read(surety__ask *ask, const surety_alloc *alloc,
                                  surety__problem *ret_problem)
{
    params_reader reader = {.ask = ask,
                            .problem = ret_problem,
                            .from = ask->route.protocol,
                            .to = ask->model.protocol,
                            .is_same =
                                ask->route.protocol == ask->model.protocol};
    surety_val given = ask->model.extra;
    surety_status status;

    ask->extra = reader.extra = surety_doc_new(alloc);
    if (!ask->extra)
        return SURETY_NOMEM;
    surety_build_begin(ask->extra, NULL);
    surety_build_object(ask->extra);
    SURETY_EACH (one, given) { /* what the client says goes before */
        if (surety_val_member(surety_doc_root(ask->doc),
                              surety_val_str(surety_val_key(one)))
                .doc)
            continue;
        surety_build_key_of(ask->extra, surety_val_key(one));
        surety_build_val(ask->extra, one);
    }
    SURETY_EACH (one, surety_doc_root(ask->doc)) {
        const surety_str name = surety_val_str(surety_val_key(one));

        if (params_is_object(&reader, name, one))
            params_object(&reader, name, one);
        else
            params_member(&reader, name, one);
    }
    if (reader.open)
        surety_build_close(ask->extra);
    surety_build_close(ask->extra);
    status = surety_build_end(ask->extra, NULL);
    if (reader.status)
        return reader.status;
    if (status)
        return SURETY_NOMEM;
    ask->model.extra = surety_doc_root(ask->extra);
    return SURETY_OK;
}
