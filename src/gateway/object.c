/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that a provider keeps: files, batches, stored responses. A request
 * for one is no call, so nothing of it is read here; it is passed on (pass.c)
 * where surety.json names its path at a provider ("passed_paths").
 *
 * 1. Nothing is passed on that is not named: with the gateway's own key such a
 *    request reaches every object of the account. "/files" is that path alone,
 *    "/files/" and a star all paths below it.
 * 2. A path goes on only if every server reads it alike: it came without
 *    escapes, and is of segments that are not empty, have letters, digits and
 *    "-._~:", and begin with neither a dot nor a colon. It is put behind the
 *    provider's base URL, so the request stays below that.
 * 3. A call is never passed on as an object, because nothing would be checked
 *    or counted. What a server that forgives may take for a call is none. */
#include "gateway/gateway.h"

/* ---- paths --------------------------------------------------------------- */

static bool object_has_byte(char byte, bool is_first)
{
    return surety__is_letter(byte) || surety__is_digit(byte) ||
           memchr("-_~.:", byte, is_first ? 3 : 5);
}

bool surety__object_is_path(surety_str path)
{
    bool is_first = true; /* of a segment */

    if (!path.len || path.ptr[0] != '/')
        return false;
    for (size_t i = 1; i < path.len; i++) {
        if (path.ptr[i] == '/' ? is_first
                               : !object_has_byte(path.ptr[i], is_first))
            return false;
        is_first = path.ptr[i] == '/';
    }
    return !is_first;
}

/* Takes the star off a name of paths. Returns whether it had one; the rest
 * ends with a slash then. */
static bool object_star(surety_str *name)
{
    const bool has = surety__str_ends(*name, SURETY__LITERAL("/*"));

    name->len -= has;
    return has;
}

bool surety__object_is_named(surety_str name, surety_str path)
{
    const bool has_star = object_star(&name);

    return has_star ? path.len > name.len && surety__str_starts(path, name)
                    : surety_str_equal(path, name);
}

/* ---- the configuration --------------------------------------------------- */

/* Whether a client cannot say which of two protocols it speaks: those of OpenAI
 * have the same objects. */
static bool object_is_kin(surety_protocol one, surety_protocol other)
{
    const surety_protocol openai = SURETY_PROTOCOL_OPENAI;
    const surety_protocol responses = SURETY_PROTOCOL_RESPONSES;

    return (one == responses ? openai : one) ==
           (other == responses ? openai : other);
}

/* Whether there is a path that both name. */
static bool object_overlaps(surety_str one, surety_str other)
{
    const bool has_star = object_star(&one);
    const bool other_has_star = object_star(&other);

    return surety_str_equal(one, other) ||
           (has_star && surety__str_starts(other, one)) ||
           (other_has_star && surety__str_starts(one, other));
}

static surety_status object_refuse(const surety_config_info *info,
                                   const surety_config_passed *passed,
                                   surety_error *reterr)
{
    const size_t most = sizeof(reterr->source) - 1;

    if (!reterr)
        return SURETY_SYNTAX;
    reterr->position = passed->position;
    memcpy(reterr->source, info->file.ptr,
           info->file.len < most ? info->file.len : most);
    return SURETY_SYNTAX;
}

/* Checks a name against those of other providers before it. */
static surety_status object_check_others(const surety_config_info *info,
                                         size_t at, surety_error *reterr)
{
    const surety_config_passed *passed = &info->passed[at];

    for (size_t i = 0; i < at; i++) {
        const surety_config_passed *other = &info->passed[i];

        if (surety_str_equal(other->provider, passed->provider) ||
            !object_is_kin(other->protocol, passed->protocol) ||
            !object_overlaps(other->path, passed->path))
            continue;
        surety__fail(reterr, SURETY_SYNTAX,
                     "the providers \"%.*s\" and \"%.*s\" both pass %s on, and "
                     "their clients speak one protocol",
                     (int)other->provider.len, other->provider.ptr,
                     (int)passed->provider.len, passed->provider.ptr,
                     passed->path.ptr);
        surety__hint(reterr, "name it at one of them: line %u has %s",
                     (unsigned)other->position.line, other->path.ptr);
        return object_refuse(info, passed, reterr);
    }
    return SURETY_OK;
}

/* Checks a name by itself. */
static surety_status object_check_name(const surety_config_info *info,
                                       const surety_config_passed *passed,
                                       surety_error *reterr)
{
    const surety_str below = surety__route_below(passed->path);

    if (surety__route_is_taken(passed->path)) {
        surety__fail(reterr, SURETY_SYNTAX,
                     "%s cannot be passed on: it is a call or a list of "
                     "models, which the gateway answers itself",
                     passed->path.ptr);
        surety__hint(reterr, "leave it out of \"passed_paths\": calls reach "
                             "the provider by its models");
    } else if (below.len < passed->path.len) {
        surety__fail(reterr, SURETY_SYNTAX,
                     "%s is never asked for: %.*s belongs to the base URL of "
                     "clients",
                     passed->path.ptr, (int)(passed->path.len - below.len),
                     passed->path.ptr);
        surety__hint(reterr, "name what stands behind it: %s", below.ptr);
    } else {
        return SURETY_OK;
    }
    return object_refuse(info, passed, reterr);
}

surety_status surety__objects_check(const surety_config_info *info,
                                    surety_error *reterr)
{
    surety_status status = SURETY_OK;

    for (size_t i = 0; i < info->passed_count && !status; i++) {
        status = object_check_name(info, &info->passed[i], reterr);
        if (!status)
            status = object_check_others(info, i, reterr);
    }
    return status;
}

/* ---- a request ----------------------------------------------------------- */

const surety_config_passed *surety__object_find(const surety_config_info *info,
                                                surety_protocol protocol,
                                                surety_str path)
{
    if (!surety__object_is_path(path) || surety__route_is_taken(path))
        return NULL;
    for (size_t i = 0; i < info->passed_count; i++)
        if (object_is_kin(info->passed[i].protocol, protocol) &&
            !surety__upload_names(&info->passed[i]) &&
            surety__object_is_named(info->passed[i].path, path))
            return &info->passed[i];
    return NULL;
}

void surety__object_route(surety__ask *ask, const surety__serving *serving)
{
    surety_str path = surety__route_below(serving->path);
    const surety_config_passed *passed = NULL;
    bool is_upload;

    if (!serving->is_escaped)
        passed = surety__upload_find(ask, serving->path, &path);
    is_upload = passed != NULL;
    if (!serving->is_escaped && !is_upload)
        passed =
            surety__object_find(surety_config_info_of(ask->settings->config),
                                ask->route.protocol, path);
    if (!passed)
        return;
    ask->route.kind = ROUTE_OBJECT;
    ask->route.protocol = passed->protocol;
    ask->object = (surety__ask_object){
        .passed = passed, .path = path, .is_upload = is_upload};
}

/* Whether a query has bytes that no query may have (RFC 3986, section 3.4), but
 * for brackets, which clients send. */
static bool object_is_query(surety_str query)
{
    for (size_t i = 0; i < query.len; i++)
        if (query.ptr[i] <= ' ' || query.ptr[i] > '~' ||
            memchr("\"#<>\\^`{|}", query.ptr[i], 10))
            return false;
    return true;
}

/* Appends a query without the client's key, which Gemini's clients may have in
 * it. */
static void object_put_query(surety_str query, bool has_key, surety_buf *out)
{
    const surety_str key = SURETY__LITERAL("key=");
    char mark = '?';

    while (query.len) {
        const char *end = memchr(query.ptr, '&', query.len);
        const surety_str one = {query.ptr,
                                end ? (size_t)(end - query.ptr) : query.len};

        if (!has_key || !surety__str_starts(one, key)) {
            surety_buf_byte(out, mark);
            surety_buf_add(out, one);
            mark = '&';
        }
        surety__str_skip(&query, end ? one.len + 1 : one.len);
    }
}

surety_status surety__object_target(surety__ask *ask,
                                    const surety__serving *serving,
                                    surety__problem *ret_problem)
{
    surety_error error;
    surety_buf out;

    if (!object_is_query(serving->query)) {
        surety__fail(&error, SURETY_SYNTAX,
                     "the query has a character that must be escaped");
        return surety__ask_refuse(ask, 400, (surety_str){NULL, 0}, &error,
                                  ret_problem);
    }
    surety_buf_init(&out, ask->arena->alloc, 0);
    surety_buf_add(&out, ask->object.path);
    object_put_query(serving->query,
                     ask->route.protocol == SURETY_PROTOCOL_GEMINI, &out);
    ask->object.path = surety__arena_buf(ask->arena, &out);
    if (!ask->object.path.ptr)
        return SURETY_NOMEM;
    return ask->object.is_upload ? surety__upload_target(ask) : SURETY_OK;
}
