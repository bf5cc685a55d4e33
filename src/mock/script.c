/* SPDX-License-Identifier: Apache-2.0 */
/* Reads, checks and searches the scripts of the mock server.
 *
 * 1. A script is JSON with comments. Comments are blanked out byte for byte, so
 *    positions in the parsed text are positions in the user's text.
 * 2. The built-in contract surety/mock-script defines what a script may
 *    contain, and its findings are the messages. Only what a schema cannot
 *    express is checked here.
 * 3. A reply stays a JSON value: plan.c reads its members when the reply is
 *    given. */
#include "mock/mock.h"

#include <surety/contract.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define SCRIPT_FILE_MAX ((size_t)64 << 20)

/* ---- checking ------------------------------------------------------------ */

/* Reports an error at a value of the script. Returns SURETY_SYNTAX. */
static surety_status script_fail(const surety__script *script, surety_val val,
                                 surety_error *reterr, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static surety_status script_fail(const surety__script *script, surety_val val,
                                 surety_error *reterr, const char *format, ...)
{
    const surety_position position = surety_val_position(val);
    surety_buf path;
    va_list args;

    va_start(args, format);
    surety__failv(reterr, SURETY_SYNTAX, format, args);
    va_end(args);
    if (!reterr)
        return SURETY_SYNTAX;
    reterr->position =
        surety_position_at(script->original, position.offset, position.length);
    path = surety__buf_over(reterr->path, sizeof(reterr->path));
    surety_val_pointer(val, &path);
    reterr->path[path.len] = '\0';
    return SURETY_SYNTAX;
}

static surety_status script_validate(const surety__script *script,
                                     surety_error *reterr)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = script->alloc};
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;
    surety_checker *checker = NULL;
    surety_findings *findings = NULL;
    surety_finding first;
    surety_status status;

    status =
        surety_registry_new(SURETY__LITERAL(""), &options, &registry, reterr);
    if (!status)
        status = surety_registry_find(
            registry, SURETY__LITERAL("surety/mock-script"), &contract, reterr);
    if (status)
        goto done;
    checker = surety_checker_new(script->alloc, NULL);
    findings = surety_findings_new(script->alloc);
    if (!checker || !findings) {
        status = surety__fail_nomem(reterr);
        goto done;
    }
    status = surety_checker_report(checker,
                                   surety_contract_info_of(contract)->schema,
                                   script->root, findings, reterr);
    if (status || surety_findings_count(findings) == 0)
        goto done;
    first = surety_findings_at(findings, 0);
    if (!first.keyword.ptr) {
        status = surety__fail_nomem(reterr);
        goto done;
    }
    status = script_fail(script, first.instance, reterr, "%.*s",
                         (int)first.message.len, first.message.ptr);
    if (!first.hint.len)
        first.hint = SURETY__LITERAL("surety contracts show surety/mock-script "
                                     "lists what a script may have");
    surety__hint(reterr, "%.*s", (int)first.hint.len, first.hint.ptr);
done:
    surety_findings_free(findings);
    surety_checker_free(checker);
    surety_contract_free(contract);
    surety_registry_free(registry);
    return status;
}

/* Checks that an object has at most one of these members. what: what it is, for
 * the message. */
static surety_status script_check_one(const surety__script *script,
                                      surety_val object, const char *what,
                                      const char *const *names,
                                      surety_error *reterr)
{
    surety_val found = surety_val_none();

    for (; *names; names++) {
        const surety_val member = surety_val_get(object, *names);
        const surety_str before = surety_val_str(surety_val_key(found));

        if (!member.doc)
            continue;
        if (found.doc)
            return script_fail(script, member, reterr,
                               "a %s cannot have both \"%.*s\" and \"%s\"",
                               what, (int)before.len, before.ptr, *names);
        found = member;
    }
    return SURETY_OK;
}

/* Checks that at most one member gives the content of a reply, and one those of
 * each call; and that calls stand beside a text only. */
static surety_status script_check_reply(const surety__script *script,
                                        surety_val reply, surety_error *reterr)
{
    static const char *const contents[] = {"text",  "json",  "file", "echo",
                                           "huge",  "html",  "body", "events",
                                           "bytes", "empty", NULL};
    static const char *const others[] = {"calls", "tool",  "deliver",
                                         "html",  "body",  "events",
                                         "bytes", "empty", NULL};
    static const char *const arguments[] = {"json", "text", NULL};
    const surety_val calls = surety_val_get(reply, "calls");
    surety_status status =
        script_check_one(script, reply, "reply", contents, reterr);

    for (size_t i = 1; calls.doc && others[i] && !status; i++) {
        const char *const both[] = {others[0], others[i], NULL};
        status = script_check_one(script, reply, "reply", both, reterr);
    }
    for (surety_val call = surety_val_first(calls); call.doc && !status;
         call = surety_val_next(calls, call))
        status = script_check_one(script, call, "call", arguments, reterr);
    return status;
}

/* ---- files --------------------------------------------------------------- */

static surety_status script_load(surety__script *script, surety_str folder,
                                 surety__script_reply *reply,
                                 surety_error *reterr)
{
    const surety_val member = surety_val_get(reply->val, "file");
    const surety_str name = surety_val_str(member);
    surety_buf path, content;
    surety_status status;
    int fd = -1, error = 0;

    if (!member.doc)
        return SURETY_OK;
    if (memchr(name.ptr, '\0', name.len))
        return script_fail(script, member, reterr,
                           "the name of a file cannot have a NUL");
    surety_buf_init(&path, script->alloc, 0);
    surety_buf_init(&content, script->alloc, 0);
    if (name.len && name.ptr[0] != '/' && folder.len) {
        surety_buf_add(&path, folder);
        surety_buf_byte(&path, '/');
    }
    surety_buf_add(&path, name);
    surety_buf_byte(&path, '\0');
    status = path.status;
    if (!status) {
        fd = open(path.ptr, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        status = fd < 0 ? SURETY_IO
                        : surety__file_drain(fd, SCRIPT_FILE_MAX, &content);
        error = errno;
    }
    if (fd >= 0)
        close(fd);
    if (!status && !surety__utf8_valid(surety_buf_str(&content), NULL))
        status =
            script_fail(script, member, reterr, "the file is no UTF-8 text");
    else if (status == SURETY_IO || status == SURETY_LIMIT) {
        script_fail(script, member, reterr, "%s cannot be read: %s", path.ptr,
                    status == SURETY_IO ? strerror(error)
                                        : "it is larger than 64 MiB");
        if (reterr)
            reterr->status = status;
    }
    if (!status) {
        reply->file =
            surety__arena_text(&script->arena, surety_buf_str(&content));
        if (!reply->file.ptr)
            status = SURETY_NOMEM;
    }
    if (status == SURETY_NOMEM)
        surety__fail_nomem(reterr);
    surety_buf_done(&content);
    surety_buf_done(&path);
    return status;
}

/* ---- reading ------------------------------------------------------------- */

static surety_status script_list(surety__script *script, surety_str folder,
                                 surety_error *reterr)
{
    const surety_val replies = surety_val_get(script->root, "replies");
    surety_status status = SURETY_OK;
    size_t i = 0;

    script->defaults = surety_val_get(script->root, "defaults");
    script->repeats_last =
        surety_val_is(surety_val_get(script->root, "then"), "repeat");
    script->replies =
        surety__arena_take(&script->arena, (surety_val_count(replies) + 1) *
                                               sizeof(*script->replies));
    if (!script->replies)
        return surety__fail_nomem(reterr);
    for (surety_val one = surety_val_first(replies); one.doc && !status;
         one = surety_val_next(replies, one)) {
        const surety_val repeat = surety_val_get(one, "repeat");
        surety__script_reply *reply = &script->replies[i++];
        reply->val = one;
        reply->left = surety_val_kind(repeat) == SURETY_KIND_BOOLEAN
                          ? (surety_val_bool(repeat, false) ? UINT64_MAX : 1)
                          : surety_val_uint(repeat, 1);
        status = script_check_reply(script, one, reterr);
        if (!status)
            status = script_load(script, folder, reply, reterr);
    }
    assert(status || i == surety_val_count(replies));
    script->reply_count = i;
    return status;
}

surety_status surety__script_read(surety__script *script, surety_str text,
                                  surety_str folder, const surety_alloc *alloc,
                                  surety_error *reterr)
{
    const surety_read_options options = {
        sizeof(options),
        SURETY_READ_BORROW | SURETY_READ_UNIQUE_KEYS | SURETY_READ_SKIP_BOM,
        NULL};
    surety_status status;

    *script = (surety__script){.alloc = alloc, .original = text};
    surety_buf_init(&script->text, alloc, 0);
    surety__arena_init(&script->arena, alloc, 0);
    surety_buf_add(&script->text, text);
    script->doc = surety_doc_new(alloc);
    if (!script->doc || script->text.status)
        return surety__fail_nomem(reterr);
    status = surety_json_uncomment(text, script->text.ptr, reterr);
    if (!status)
        status = surety_doc_read(script->doc, surety_buf_str(&script->text),
                                 &options, reterr);
    if (status == SURETY_SYNTAX && reterr && reterr->position.line)
        reterr->position = surety_position_at(text, reterr->position.offset,
                                              reterr->position.length);
    if (status)
        return status;
    script->root = surety_doc_root(script->doc);
    status = script_validate(script, reterr);
    if (!status)
        status = script_list(script, folder, reterr);
    script->original = (surety_str){NULL, 0};
    return status;
}

void surety__script_done(surety__script *script)
{
    surety_doc_free(script->doc);
    surety_buf_done(&script->text);
    surety__arena_done(&script->arena);
    script->doc = NULL;
}

surety_val surety__script_get(const surety__script *script,
                              const surety__script_reply *reply,
                              const char *name)
{
    const surety_val member = surety_val_get(reply->val, name);

    return member.doc ? member : surety_val_get(script->defaults, name);
}

/* ---- picking ------------------------------------------------------------- */

bool surety__script_names(surety_val val, surety_str text)
{
    if (surety_val_kind(val) == SURETY_KIND_STRING)
        return surety_str_equal(surety_val_str(val), text);
    SURETY_EACH (one, val)
        if (surety_str_equal(surety_val_str(one), text))
            return true;
    return false;
}

static bool script_prompt_has(const surety__model_request *request,
                              surety_str text)
{
    if (!text.len)
        return true;
    if (surety__str_find(request->system, text) < request->system.len)
        return true;
    for (size_t i = 0; i < request->message_count; i++)
        if (surety__str_find(request->messages[i].text, text) <
            request->messages[i].text.len)
            return true;
    return false;
}

static bool script_contains(const surety__model_request *request,
                            surety_val val)
{
    if (surety_val_kind(val) == SURETY_KIND_STRING)
        return script_prompt_has(request, surety_val_str(val));
    SURETY_EACH (one, val)
        if (!script_prompt_has(request, surety_val_str(one)))
            return false;
    return true;
}

static bool script_counts(surety_val val, uint64_t number)
{
    if (surety_val_kind(val) == SURETY_KIND_NUMBER)
        return surety_val_uint(val, 0) == number;
    SURETY_EACH (one, val)
        if (surety_val_uint(one, 0) == number)
            return true;
    return false;
}

/* Matches "tools". true: the request offers tools; false: it offers none; a
 * name or names: it offers all of them. */
static bool script_tools(const surety__model_request *request, surety_val val)
{
    surety_val one = val;

    if (surety_val_kind(val) == SURETY_KIND_BOOLEAN)
        return surety_val_bool(val, false) == (request->tool_count > 0);
    if (surety_val_kind(val) == SURETY_KIND_ARRAY)
        one = surety_val_first(val);
    for (; one.doc; one = surety_val_next(val, one)) {
        size_t i = 0;
        while (i < request->tool_count &&
               !surety_str_equal(request->tools[i], surety_val_str(one)))
            i++;
        if (i == request->tool_count)
            return false;
        if (surety_val_kind(val) == SURETY_KIND_STRING)
            break;
    }
    return true;
}

/* The author of the last message; empty: there is no message. */
surety_str surety__request_last(const surety__model_request *request)
{
    return surety_str_of(
        request->message_count
            ? surety__author_name(
                  request->messages[request->message_count - 1].author)
            : "");
}

/* Whether every named header is present and contains its text. */
static bool script_headers(const surety__script_call *call, surety_val headers)
{
    SURETY_EACH (one, headers) {
        const surety_str name = surety_val_str(surety_val_key(one));
        const surety_str want = surety_val_str(one);
        surety_str value;
        char text[128];
        if (name.len >= sizeof(text))
            return false;
        memcpy(text, name.ptr, name.len);
        text[name.len] = '\0';
        value = call->header(call->header_ctx, text);
        if (!value.ptr ||
            (want.len && surety__str_find(value, want) == value.len))
            return false;
    }
    return true;
}

static bool script_matches(const surety__script *script, surety_val when,
                           const surety__script_call *call)
{
    const surety__model_request *request = call->request;
    const struct {
        const char *name;
        surety_str text;
    } words[] = {
        {"model", request->model},
        {"protocol", surety_str_of(surety_protocol_name(request->protocol))},
        {"path", call->path},
        {"mode", surety_str_of(surety_mode_name(request->mode))},
        {"format", surety_str_of(surety__format_name(request->format))},
        {"tool_choice", surety_str_of(surety__choice_name(request->choice))},
        {"last", surety__request_last(request)}};
    const surety_val stream = surety_val_get(when, "stream");
    const surety_val tools = surety_val_get(when, "tools");
    const surety_val contains = surety_val_get(when, "contains");
    const surety_val nth = surety_val_get(when, "nth");

    for (size_t i = 0; i < SURETY__COUNT(words); i++) {
        const surety_val want = surety_val_get(when, words[i].name);
        if (want.doc && !surety__script_names(want, words[i].text))
            return false;
    }
    return (!stream.doc || surety_val_bool(stream, false) == request->stream) &&
           (!tools.doc || script_tools(request, tools)) &&
           (!contains.doc || script_contains(request, contains)) &&
           (!nth.doc || script_counts(nth, script->calls)) &&
           script_headers(call, surety_val_get(when, "headers"));
}

surety__script_reply *surety__script_find(surety__script *script,
                                          const surety__script_call *call,
                                          bool by_path)
{
    for (size_t i = 0; i < script->reply_count; i++) {
        surety__script_reply *reply = &script->replies[i];
        const surety_val when = surety_val_get(reply->val, "when");
        if (!reply->left || (when.doc && !script_matches(script, when, call)) ||
            (by_path && !surety_val_get(when, "path").doc))
            continue;
        return reply;
    }
    return NULL;
}

surety__script_reply *surety__script_pick(surety__script *script,
                                          const surety__script_call *call)
{
    surety__script_reply *reply;

    script->calls++;
    reply = surety__script_find(script, call, false);
    if (reply && reply->left != UINT64_MAX)
        reply->left--;
    if (reply)
        script->last = reply;
    return reply || !script->repeats_last ? reply : script->last;
}
