/* SPDX-License-Identifier: Apache-2.0 */
/* Runs commands as validators. Each is started like an exec: model, with the
 * same transport: /bin/sh runs it in a process group of its own, with a small
 * environment, a time limit and a limit on its output. The value is passed only
 * on standard input, so the shell never interprets a part of a reply.
 *
 * The output decides. No output or an empty array, with exit status 0: the
 * value is accepted. An array of issues: the value is not valid; the exit
 * status is ignored, because many checkers then end with 1. Everything else is
 * a failure of the command: another status without issues, a signal, a limit,
 * an output that is no array of issues. */
#include "validator.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum {
    /* Long enough for a query to a database or a service, too short for a
     * question to a person. */
    TIMEOUT_MS = 10000,
    TIMEOUT_MS_MAX = 86400000,
    /* Enough for some thousand issues, but not for a whole document. */
    BYTES_MAX = 1 << 20,
    /* The longest time that one step of a validator delays the rest of a
     * run. */
    SLICE_MS = 10
};

/* The exchange of one value with one command. */
struct exchange {
    struct exchange *next;
    surety_buf question, answer;
    surety_delivery delivery;
    bool has_ended;
};

struct validator_command {
    struct validators *validators;
    const char *command;
    struct exchange *exchanges;
};

/* ---- the exchange -------------------------------------------------------- */

static void hear_head(void *ctx, int status, const surety_header *headers,
                      size_t count)
{
    (void)ctx;
    (void)status;
    (void)headers;
    (void)count;
}

static bool hear_bytes(void *ctx, surety_str bytes)
{
    struct exchange *exchange = ctx;

    surety_buf_add(&exchange->answer, bytes);
    return exchange->answer.status == SURETY_OK;
}

static void hear_end(void *ctx, const surety_delivery *delivery)
{
    struct exchange *exchange = ctx;

    exchange->delivery = *delivery;
    exchange->has_ended = true;
}

static void exchange_free(struct exchange *exchange)
{
    surety_buf_done(&exchange->question);
    surety_buf_done(&exchange->answer);
    free(exchange);
}

/* Returns the exchange for a value; a pointer to NULL: there is none. */
static struct exchange **exchange_find(struct validator_command *command,
                                       surety_str question)
{
    struct exchange **place = &command->exchanges;

    while (*place &&
           !surety_str_equal(surety_buf_str(&(*place)->question), question))
        place = &(*place)->next;
    return place;
}

static surety_status exchange_start(struct validator_command *command,
                                    surety_str question, surety_error *reterr)
{
    struct validators *validators = command->validators;
    const uint32_t timeout_ms = validators->bounds->timeout_ms;
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    surety_request request = {.size = sizeof(request),
                              .body = question,
                              .timeouts = {.first_byte_ms = timeout_ms,
                                           .idle_ms = timeout_ms,
                                           .total_ms = timeout_ms},
                              .response_bytes_max =
                                  validators->bounds->bytes_max};
    const surety_receiver receiver = {exchange, hear_head, hear_bytes,
                                      hear_end};
    surety_status status = SURETY_NOMEM;
    surety_buf url;

    assert(timeout_ms > 0);
    surety_buf_init(&url, NULL, 0);
    surety_buf_text(&url, "exec:");
    surety_buf_text(&url, command->command);
    request.url = surety_buf_str(&url);
    if (exchange && url.status == SURETY_OK) {
        surety_buf_init(&exchange->question, NULL, 0);
        surety_buf_init(&exchange->answer, &memory_large, 0);
        surety_buf_add(&exchange->question, question);
        status = exchange->question.status;
    }
    if (status == SURETY_OK)
        status = validators->transport->start(validators->transport->ctx,
                                              ++validators->last_id, &request,
                                              &receiver, reterr);
    surety_buf_done(&url);
    if (status == SURETY_OK) {
        exchange->next = command->exchanges;
        command->exchanges = exchange;
    } else if (exchange) {
        exchange_free(exchange);
    }
    return status;
}

/* ---- issues -------------------------------------------------------------- */

static surety_status complain(surety_error *reterr, surety_status status,
                              const char *message, const char *hint)
{
    snprintf(reterr->message, sizeof(reterr->message), "%s", message);
    snprintf(reterr->hint, sizeof(reterr->hint), "%s", hint);
    return status;
}

#define ISSUES_HINT                                                            \
    "it writes nothing, or [{\"path\":\"/a\",\"message\":\"why\"}]"

/* Returns the member with one of two names. */
static surety_val either(surety_val item, const char *name, const char *other)
{
    const surety_val val = surety_val_get(item, name);

    return val.doc ? val : surety_val_get(item, other);
}

/* Appends a location, which is a JSON Pointer or an array of names and indices.
 * False: it is neither. */
static bool put_location(surety_val val, surety_buf *out)
{
    if (!val.doc)
        return true;
    if (surety_val_kind(val) == SURETY_KIND_STRING) {
        surety_buf_add(out, surety_val_str(val));
        return true;
    }
    if (surety_val_kind(val) != SURETY_KIND_ARRAY)
        return false;
    SURETY_EACH (part, val) {
        if (surety_val_kind(part) == SURETY_KIND_STRING)
            surety_pointer_token(out, surety_val_str(part));
        else if (surety_val_is_integer(part))
            surety_pointer_token(out, surety_val_number(part));
        else
            return false;
    }
    return true;
}

static surety_status say_issue(surety_val item,
                               const surety_validation *validation,
                               surety_error *reterr)
{
    const surety_val message = either(item, "message", "error");
    const surety_val hint = surety_val_get(item, "hint");
    surety_status status = SURETY_SYNTAX;
    surety_buf location;

    surety_buf_init(&location, NULL, 0);
    if (surety_val_kind(item) != SURETY_KIND_OBJECT ||
        surety_val_kind(message) != SURETY_KIND_STRING ||
        !surety_val_str(message).len)
        complain(reterr, status, "an issue that it wrote has no message",
                 ISSUES_HINT);
    else if (hint.doc && surety_val_kind(hint) != SURETY_KIND_STRING &&
             surety_val_kind(hint) != SURETY_KIND_NULL)
        complain(reterr, status,
                 "the hint of an issue that it wrote is no string",
                 ISSUES_HINT);
    else if (!put_location(either(item, "instanceLocation", "path"), &location))
        complain(reterr, status,
                 "the path of an issue that it wrote is neither a JSON Pointer "
                 "nor an array of names and indexes",
                 ISSUES_HINT);
    else
        status = location.status
                     ? SURETY_NOMEM
                     : surety_validation_add(
                           validation, surety_buf_str(&location),
                           surety_val_str(message), surety_val_str(hint));
    surety_buf_done(&location);
    return status;
}

/* Adds the issues of a command's output. *ret_count is their number. */
static surety_status say_issues(surety_str text,
                                const surety_validation *validation,
                                size_t *ret_count, surety_error *reterr)
{
    surety_doc *doc = surety_doc_new(&memory_large);
    surety_error fault = {.message = ""};
    surety_status status = SURETY_NOMEM;
    char message[sizeof(reterr->message)];
    surety_val root;

    if (doc)
        status = surety_doc_read(doc, text, NULL, &fault);
    root = surety_doc_root(doc);
    if (status != SURETY_OK && status != SURETY_NOMEM) {
        snprintf(message, sizeof(message), "what it wrote is no JSON: %.200s",
                 fault.message);
        status = complain(reterr, SURETY_SYNTAX, message, ISSUES_HINT);
    } else if (status == SURETY_OK &&
               surety_val_kind(root) != SURETY_KIND_ARRAY) {
        status =
            complain(reterr, SURETY_SYNTAX,
                     "what it wrote is no JSON array of issues", ISSUES_HINT);
    }
    for (surety_val item = surety_val_first(root); item.doc && !status;
         item = surety_val_next(root, item), (*ret_count)++)
        status = say_issue(item, validation, reterr);
    surety_doc_free(doc);
    return status;
}

/* Evaluates an exchange that has ended. */
static surety_status say_end(const struct exchange *exchange,
                             const struct validator_bounds *bounds,
                             const surety_validation *validation,
                             surety_error *reterr)
{
    const surety_delivery *delivery = &exchange->delivery;
    const surety_str text = cli_trim(surety_buf_str(&exchange->answer));
    surety_status status = SURETY_OK;
    char message[160];
    size_t count = 0;

    assert(exchange->has_ended);
    if (exchange->answer.status != SURETY_OK)
        return exchange->answer.status;
    if (delivery->failure == SURETY_FAILURE_LIMIT) {
        snprintf(message, sizeof(message),
                 "it wrote more than the limit of %zu bytes",
                 bounds->bytes_max);
        return complain(reterr, SURETY_LIMIT, message,
                        "raise it with --validator-bytes");
    }
    if (delivery->failure == SURETY_FAILURE_TIMEOUT) {
        snprintf(message, sizeof(message), "it was not done after %u ms",
                 (unsigned)bounds->timeout_ms);
        return complain(reterr, SURETY_TIMEOUT, message,
                        "allow more time with --validator-timeout");
    }
    if (delivery->failure == SURETY_FAILURE_CANCELLED)
        return complain(reterr, SURETY_CANCELLED, "it was stopped", "");
    if (text.len && (!delivery->failure || text.ptr[0] == '['))
        status = say_issues(text, validation, &count, reterr);
    if (delivery->failure && status != SURETY_NOMEM && (status || !count))
        return complain(reterr, SURETY_IO, delivery->message,
                        "run the command by hand, with a value on its "
                        "standard input");
    return status;
}

/* ---- the validator ------------------------------------------------------- */

static surety_status command_ask(struct validator_command *command,
                                 const surety_validation *validation,
                                 surety_error *reterr)
{
    surety_transport *transport = command->validators->transport;
    struct exchange **place, *exchange;
    surety_status status;
    surety_buf question;

    surety_buf_init(&question, &memory_large, 0);
    (void)surety_val_write(validation->value, SURETY_STYLE_COMPACT, &question);
    surety_buf_byte(&question, '\n');
    status = question.status;
    if (status == SURETY_OK &&
        !*exchange_find(command, surety_buf_str(&question)))
        status = exchange_start(command, surety_buf_str(&question), reterr);
    place = exchange_find(command, surety_buf_str(&question));
    exchange = *place;
    /* Moves bytes until the exchange has ended, or for the time of a step. */
    while (status == SURETY_OK && !exchange->has_ended) {
        status = transport->wait(transport->ctx, SLICE_MS, reterr);
        if (command->validators->is_stepped)
            break;
    }
    surety_buf_done(&question);
    if (status != SURETY_OK || !exchange)
        return status;
    if (!exchange->has_ended)
        return SURETY_MORE;
    *place = exchange->next;
    status = say_end(exchange, command->validators->bounds, validation, reterr);
    exchange_free(exchange);
    return status;
}

static surety_status command_validate(void *ctx,
                                      const surety_validation *validation,
                                      surety_error *reterr)
{
    struct validator_command *command = ctx;
    const surety_status status = command_ask(command, validation, reterr);

    command->validators->has_failed =
        status != SURETY_OK && status != SURETY_MORE;
    return status;
}

/* ---- preparation --------------------------------------------------------- */

/* Reads the names of --env. */
static bool read_environment(struct validator_bounds *bounds, struct cli *cli,
                             const struct texts *given)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

    bounds->environment = calloc(given->count + 1, sizeof(surety_str));
    if (!bounds->environment)
        return cli_nomem(cli);
    for (size_t i = 0; i < given->count; i++) {
        const char *name = given->items[i];

        if (!*name || (*name >= '0' && *name <= '9') ||
            name[strspn(name, letters)])
            return cli_usage(cli, "its value is the environment's",
                             "--env takes the name of a variable, not \"%.*s\"",
                             (int)strcspn(name, "="), name);
        bounds->environment[i] = surety_str_of(name);
    }
    bounds->environment_count = given->count;
    return true;
}

bool validator_bounds_read(struct validator_bounds *bounds, struct cli *cli,
                           const struct validator_settings *settings)
{
    surety_error error;
    uint64_t ms = TIMEOUT_MS;

    *bounds = (struct validator_bounds){
        .bytes_max = settings->bytes ? settings->bytes : BYTES_MAX};
    for (size_t i = 0; i < settings->commands.count; i++) {
        if (settings->commands.items[i][0])
            continue;
        return cli_usage(cli, "such as --validator ./check.py",
                         "the command of a --validator is empty");
    }
    if (settings->timeout) {
        if (surety_decimal_read(surety_str_of(settings->timeout), 3, &ms,
                                &error))
            return cli_usage(cli, NULL, "--validator-timeout: %s",
                             error.message);
        if (ms < 1 || ms > TIMEOUT_MS_MAX)
            return cli_usage(
                cli, NULL,
                "--validator-timeout goes from 0.001 to 86400 seconds, "
                "not %s",
                settings->timeout);
    }
    bounds->timeout_ms = (uint32_t)ms;
    return read_environment(bounds, cli, &settings->environment);
}

void validator_bounds_done(struct validator_bounds *bounds)
{
    free(bounds->environment);
    bounds->environment = NULL;
}

surety_status validators_init(struct validators *validators,
                              const struct validator_settings *settings,
                              const struct validator_bounds *bounds)
{
    const size_t count = settings->commands.count;

    *validators = (struct validators){.bounds = bounds};
    if (count == 0)
        return SURETY_OK;
    validators->commands = calloc(count, sizeof(*validators->commands));
    validators->list = calloc(count, sizeof(*validators->list));
    if (!validators->commands || !validators->list)
        return SURETY_NOMEM;
    for (size_t i = 0; i < count; i++) {
        struct validator_command *command = &validators->commands[i];

        command->validators = validators;
        command->command = settings->commands.items[i];
        validators->list[i] =
            (surety_validator){.name = surety_str_of(command->command),
                               .validate = command_validate,
                               .ctx = command};
    }
    validators->count = count;
    return surety_exec_open(bounds->environment, bounds->environment_count,
                            NULL, &validators->transport, NULL);
}

void validators_done(struct validators *validators)
{
    if (validators->transport)
        validators->transport->close(validators->transport->ctx);
    for (size_t i = 0; i < validators->count; i++) {
        struct exchange *next, *one = validators->commands[i].exchanges;

        for (; one; one = next) {
            next = one->next;
            exchange_free(one);
        }
    }
    free(validators->commands);
    free(validators->list);
    *validators = (struct validators){.count = 0};
}
