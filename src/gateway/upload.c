/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads of Gemini's clients. They go to a path beside the base URL: that of
 * https://HOST/v1beta is https://HOST/upload/v1beta. surety.json names it as
 * "/upload/files".
 *
 * A provider answers the first request with a URL for the bytes, which leads
 * past the gateway. The client gets one of the gateway in its place, which
 * comes back as a request of the same name. A URL that leads elsewhere is given
 * to no client: the answer is an error. The provider's host is always that of
 * surety.json, and no part of a client's URL changes it. */
#include "gateway/gateway.h"

#define UPLOAD SURETY__LITERAL("/upload")

/* What stands behind the prefixes of clients; empty: it is no upload. */
static surety_str upload_below(surety_str path)
{
    surety_str below = path;

    if (!surety__str_starts(path, UPLOAD))
        return (surety_str){NULL, 0};
    surety__str_skip(&below, UPLOAD.len);
    path = surety__route_below(below);
    return path.len < below.len ? path : (surety_str){NULL, 0};
}

/* The name of a path below the upload's base URL, in the arena. */
static surety_str upload_name(surety__ask *ask, surety_str below)
{
    surety_buf name;

    surety_buf_init(&name, ask->arena->alloc, 0);
    surety_buf_add(&name, UPLOAD);
    surety_buf_add(&name, below);
    return surety__arena_buf(ask->arena, &name);
}

bool surety__upload_names(const surety_config_passed *passed)
{
    return passed->protocol == SURETY_PROTOCOL_GEMINI &&
           surety__str_starts(passed->path, SURETY__LITERAL("/upload/"));
}

const surety_config_passed *surety__upload_find(surety__ask *ask,
                                                surety_str path,
                                                surety_str *ret_below)
{
    const surety_config_info *info =
        surety_config_info_of(ask->settings->config);
    const surety_str below = upload_below(path);
    const surety_str name =
        below.len ? upload_name(ask, below) : (surety_str){NULL, 0};

    if (!surety__object_is_path(name) || surety__route_is_taken(below))
        return NULL;
    for (size_t i = 0; i < info->passed_count; i++) {
        const surety_config_passed *passed = &info->passed[i];

        if (surety__upload_names(passed) &&
            surety__object_is_named(passed->path, name)) {
            *ret_below = below;
            return passed;
        }
    }
    return NULL;
}

surety_status surety__upload_target(surety__ask *ask)
{
    surety_str base = ask->model.base_url;
    surety_str rest;
    size_t at = surety__str_find(base, SURETY__LITERAL("://")) + 3;
    surety_buf out;

    while (base.len && base.ptr[base.len - 1] == '/')
        base.len--;
    while (at < base.len && base.ptr[at] != '/')
        at++;
    rest = base;
    surety__str_skip(&rest, at < base.len ? at : base.len);
    base.len -= rest.len;
    surety_buf_init(&out, ask->arena->alloc, 0);
    surety_buf_add(&out, base);
    surety_buf_add(&out, UPLOAD);
    surety_buf_add(&out, rest);
    ask->model.base_url = surety__arena_buf(ask->arena, &out);
    return ask->model.base_url.ptr ? SURETY_OK : SURETY_NOMEM;
}

/* Writes the gateway's URL for one of the provider; empty: the configuration
 * does not name the upload, or the client cannot get a URL. */
static surety_str upload_url(surety__exchange *exchange, surety_str given)
{
    surety__ask *ask = &exchange->ask;
    const surety__serving *serving = exchange->serving;
    const surety_str host = surety__serving_header(serving, "host");
    const bool is_tls =
        exchange->worker->gateway->tls ||
        surety__str_equal_nocase(
            surety__serving_header(serving, "x-forwarded-proto"),
            SURETY__LITERAL("https"));
    surety_str prefix = serving->path;
    surety_str path = given;
    surety_buf out;

    prefix.len -= upload_below(prefix).len;
    if (!host.len || !surety__str_starts(given, ask->model.base_url) ||
        surety__str_find_control(given, true) < given.len ||
        (ask->model.key.len &&
         surety__str_find(given, ask->model.key) < given.len))
        return (surety_str){NULL, 0};
    surety__str_skip(&given, ask->model.base_url.len);
    path = given;
    path.len = surety__str_find(path, SURETY__LITERAL("?"));
    if (!surety__object_is_path(path) ||
        !surety__object_is_named(ask->object.passed->path,
                                 upload_name(ask, path)))
        return (surety_str){NULL, 0};
    surety_buf_init(&out, ask->arena->alloc, 0);
    surety_buf_text(&out, is_tls ? "https://" : "http://");
    surety_buf_add(&out, host);
    surety_buf_add(&out, prefix);
    surety_buf_add(&out, given);
    return surety__arena_buf(ask->arena, &out);
}

bool surety__upload_is_url(surety_str name)
{
    return surety__str_equal_nocase(name, SURETY__LITERAL("x-goog-upload-url"));
}

bool surety__upload_learn(surety__exchange *exchange,
                          const surety_run_response_info *info)
{
    surety__ask_object *object = &exchange->ask.object;

    if (!object->is_upload || object->url.len)
        return true;
    for (size_t i = 0; i < info->header_count; i++)
        if (surety__upload_is_url(info->headers[i].name)) {
            object->url = upload_url(exchange, info->headers[i].value);
            if (!object->url.len)
                return false;
        }
    return true;
}
