/* SPDX-License-Identifier: Apache-2.0 */
/* validator.c: commands as validators. A value is on the command's standard
 * input, so no shell interprets a part of a reply.
 *
 * The output decides. No output or an empty array, with exit status 0: the
 * value is accepted. An array of issues: the value is not valid; the exit
 * status is ignored, because many checkers then end with 1. Everything else is
 * a failure of the command: another status without issues, a signal, a limit,
 * an output that is no array of issues.
 *
 * A judgement that MORE interrupts begins anew, and asks about each of its
 * values again. So the answers of a tool's validator are kept until the
 * judgement has ended (surety__command_forget): else two values, or one that is
 * tried twice, would wait for each other without end. */
#include "tool/inside.h"

enum {
    /* Long enough for a query to a database or a service, too short for a
     * question to a person. */
    VALIDATOR_TIME_MS = 10000,
    /* Enough for some thousand issues, but not for a whole document. */
    VALIDATOR_BYTES_MAX = 1 << 20,
    /* The longest time that one call of the validator waits. */
    VALIDATOR_SLICE_MS = 10
};

/* The exchange of one value with the command. */
struct validator_exchange {
    struct validator_exchange *next;
    surety_buf question, answer;
    surety_delivery delivery;
    bool ended;
};

struct surety_command {
    const surety_alloc *alloc;
    surety_buf url;
    uint32_t time_ms_max;
    size_t bytes_max;
    surety_transport *transport;
    uint64_t last_id;
    struct validator_exchange *exchanges;
    bool keeps; /* those that have ended */
};

/* ---- the exchange -------------------------------------------------------- */

static void validator_head(void *ctx, int status, const surety_header *headers,
                           size_t count)
{
    (void)ctx;
    (void)status;
    (void)headers;
    (void)count;
}

static bool validator_bytes(void *ctx, surety_str bytes)
{
    struct validator_exchange *exchange = ctx;

    surety_buf_add(&exchange->answer, bytes);
    return exchange->answer.status == SURETY_OK;
}

static void validator_end(void *ctx, const surety_delivery *delivery)
{
    struct validator_exchange *exchange = ctx;

    exchange->delivery = *delivery;
    exchange->ended = true;
}

static void validator_drop(const surety_alloc *alloc,
                           struct validator_exchange *exchange)
{
    surety_buf_done(&exchange->question);
    surety_buf_done(&exchange->answer);
    surety__free(alloc, exchange, sizeof(*exchange));
}

/* The exchange for a value; a pointer to NULL: there is none. */
static struct validator_exchange **validator_find(surety_command *command,
                                                  surety_str question)
{
    struct validator_exchange **place = &command->exchanges;

    while (*place &&
           !surety_str_equal(surety_buf_str(&(*place)->question), question))
        place = &(*place)->next;
    return place;
}

static surety_status validator_start(surety_command *command,
                                     surety_str question, surety_error *reterr)
{
    const uint32_t time_ms = command->time_ms_max;
    struct validator_exchange *exchange =
        surety__new(command->alloc, sizeof(*exchange));
    const surety_receiver receiver = {exchange, validator_head, validator_bytes,
                                      validator_end};
    surety_request request = {.size = sizeof(request),
                              .method = SURETY__LITERAL("POST"),
                              .url = surety_buf_str(&command->url),
                              .timeouts = {.first_byte_ms = time_ms,
                                           .idle_ms = time_ms,
                                           .total_ms = time_ms},
                              .response_bytes_max = command->bytes_max};
    surety_status status;

    if (!exchange)
        return SURETY_NOMEM;
    surety_buf_init(&exchange->question, command->alloc, 0);
    surety_buf_init(&exchange->answer, command->alloc, 0);
    surety_buf_add(&exchange->question, question);
    request.body = surety_buf_str(&exchange->question);
    status = exchange->question.status;
    if (status == SURETY_OK)
        status = command->transport->start(command->transport->ctx,
                                           ++command->last_id, &request,
                                           &receiver, reterr);
    if (status == SURETY_OK) {
        exchange->next = command->exchanges;
        command->exchanges = exchange;
    } else {
        validator_drop(command->alloc, exchange);
    }
    return status;
}

/* ---- issues -------------------------------------------------------------- */

static surety_status validator_fail(surety_error *reterr, surety_status status,
                                    const char *message)
{
    (void)surety__fail(reterr, status, "%s", message);
    surety__hint(reterr, "it writes nothing, or "
                         "[{\"path\":\"/a\",\"message\":\"why\"}]");
    return status;
}

/* The member with one of two names. */
static surety_val validator_either(surety_val item, const char *name,
                                   const char *other)
{
    const surety_val val = surety_val_get(item, name);

    return val.doc ? val : surety_val_get(item, other);
}

/* Appends a location, which is a JSON Pointer or an array of names and indices.
 * False: it is neither. */
static bool validator_location(surety_val val, surety_buf *out)
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

static surety_status validator_issue(const surety_alloc *alloc, surety_val item,
                                     const surety_validation *validation,
                                     surety_error *reterr)
{
    const surety_val message = validator_either(item, "message", "error");
    const surety_val hint = surety_val_get(item, "hint");
    surety_status status;
    surety_buf location;

    if (surety_val_kind(item) != SURETY_KIND_OBJECT ||
        surety_val_kind(message) != SURETY_KIND_STRING ||
        !surety_val_str(message).len)
        return validator_fail(reterr, SURETY_SYNTAX,
                              "an issue that it wrote has no message");
    if (hint.doc && surety_val_kind(hint) != SURETY_KIND_STRING &&
        surety_val_kind(hint) != SURETY_KIND_NULL)
        return validator_fail(reterr, SURETY_SYNTAX,
                              "the hint of an issue that it wrote is no "
                              "string");
    surety_buf_init(&location, alloc, 0);
    if (!validator_location(validator_either(item, "instanceLocation", "path"),
                            &location))
        status = validator_fail(reterr, SURETY_SYNTAX,
                                "the path of an issue that it wrote is neither "
                                "a JSON Pointer nor an array of names and "
                                "indexes");
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
static surety_status validator_issues(const surety_alloc *alloc,
                                      surety_str text,
                                      const surety_validation *validation,
                                      size_t *ret_count, surety_error *reterr)
{
    surety_doc *doc = surety_doc_new(alloc);
    surety_error fault = {.message = ""};
    surety_status status = SURETY_NOMEM;
    char message[256];
    surety_val root;

    if (doc)
        status = surety_doc_read(doc, text, NULL, &fault);
    root = surety_doc_root(doc);
    if (status != SURETY_OK && status != SURETY_NOMEM) {
        surety_buf said = surety__buf_over(message, sizeof(message));

        surety__buf_printf(&said, "what it wrote is no JSON: %.200s",
                           fault.message);
        message[said.len] = '\0';
        status = validator_fail(reterr, SURETY_SYNTAX, message);
    } else if (status == SURETY_OK &&
               surety_val_kind(root) != SURETY_KIND_ARRAY) {
        status = validator_fail(reterr, SURETY_SYNTAX,
                                "what it wrote is no JSON array of issues");
    }
    for (surety_val item = surety_val_first(root); item.doc && !status;
         item = surety_val_next(root, item), (*ret_count)++)
        status = validator_issue(alloc, item, validation, reterr);
    surety_doc_free(doc);
    return status;
}

/* Takes an exchange that has ended. */
static surety_status validator_take(const surety_command *command,
                                    const struct validator_exchange *exchange,
                                    const surety_validation *validation,
                                    surety_error *reterr)
{
    const surety_delivery *delivery = &exchange->delivery;
    const surety_str text = surety__str_trim(surety_buf_str(&exchange->answer));
    surety_status status = SURETY_OK;
    size_t count = 0;

    assert(exchange->ended);
    if (exchange->answer.status != SURETY_OK)
        return exchange->answer.status;
    if (delivery->failure == SURETY_FAILURE_LIMIT)
        return surety__fail(reterr, SURETY_LIMIT,
                            "it wrote more than the limit of %zu bytes",
                            command->bytes_max);
    if (delivery->failure == SURETY_FAILURE_TIMEOUT)
        return surety__fail(reterr, SURETY_TIMEOUT,
                            "it was not done after %u ms",
                            (unsigned)command->time_ms_max);
    if (delivery->failure == SURETY_FAILURE_CANCELLED)
        return surety__fail(reterr, SURETY_CANCELLED, "it was stopped");
    if (text.len && (!delivery->failure || text.ptr[0] == '['))
        status =
            validator_issues(command->alloc, text, validation, &count, reterr);
    if (delivery->failure && status != SURETY_NOMEM && (status || !count)) {
        (void)surety__fail(reterr, SURETY_IO, "%s", delivery->message);
        surety__hint(reterr, "run the command by hand, with a value on its "
                             "standard input");
        return SURETY_IO;
    }
    return status;
}

/* ---- the validator ------------------------------------------------------- */

static surety_status validator_ask(void *ctx,
                                   const surety_validation *validation,
                                   surety_error *reterr)
{
    surety_command *command = ctx;
    surety_transport *transport = command->transport;
    struct validator_exchange **place, *exchange;
    surety_buf question;
    surety_status status;

    surety_buf_init(&question, command->alloc, 0);
    (void)surety_val_write(validation->value, SURETY_STYLE_COMPACT, &question);
    surety_buf_byte(&question, '\n');
    status = question.status;
    if (status == SURETY_OK &&
        !*validator_find(command, surety_buf_str(&question)))
        status = validator_start(command, surety_buf_str(&question), reterr);
    place = validator_find(command, surety_buf_str(&question));
    exchange = *place;
    if (status == SURETY_OK && !exchange->ended)
        status = transport->wait(transport->ctx, VALIDATOR_SLICE_MS, reterr);
    surety_buf_done(&question);
    if (status != SURETY_OK)
        return status == SURETY_NOMEM ? surety__fail_nomem(reterr) : status;
    if (!exchange->ended)
        return SURETY_MORE;
    status = validator_take(command, exchange, validation, reterr);
    if (!command->keeps) {
        *place = exchange->next;
        validator_drop(command->alloc, exchange);
    }
    return status == SURETY_NOMEM ? surety__fail_nomem(reterr) : status;
}

void surety__command_forget(surety_command *command)
{
    struct validator_exchange **place = &command->exchanges;

    command->keeps = true;
    while (*place) {
        struct validator_exchange *one = *place;

        if (!one->ended) {
            place = &one->next;
            continue;
        }
        *place = one->next;
        validator_drop(command->alloc, one);
    }
}

surety_validator surety_command_validator(surety_command *command,
                                          surety_str name)
{
    return (surety_validator){
        .name = name, .validate = validator_ask, .ctx = command};
}

surety_status surety_command_new(const surety_command_options *options,
                                 surety_command **ret_command,
                                 surety_error *reterr)
{
    surety_command_options own;
    surety_command *command;
    surety_status status;

    if (!ret_command ||
        surety__options_take(&own, sizeof(own), options, reterr) ||
        !own.url.len)
        return surety__fail(reterr, SURETY_MISUSE,
                            "options with a command, and an address for it "
                            "are needed");
    command = surety__new(own.alloc, sizeof(*command));
    if (!command)
        return surety__fail_nomem(reterr);
    command->alloc = own.alloc;
    command->time_ms_max =
        own.time_ms_max ? own.time_ms_max : VALIDATOR_TIME_MS;
    command->bytes_max = own.bytes_max ? own.bytes_max : VALIDATOR_BYTES_MAX;
    surety_buf_init(&command->url, own.alloc, 0);
    surety_buf_add(&command->url, own.url);
    status = command->url.status ? surety__fail_nomem(reterr) : SURETY_OK;
    if (status == SURETY_OK && !own.transport)
        status = surety_exec_open(own.environment, own.environment_count,
                                  own.alloc, &own.transport, reterr);
    if (status != SURETY_OK) {
        surety_command_free(command);
        return status;
    }
    command->transport = own.transport;
    *ret_command = command;
    return SURETY_OK;
}

void surety_command_free(surety_command *command)
{
    struct validator_exchange *next;

    if (!command)
        return;
    if (command->transport)
        command->transport->close(command->transport->ctx);
    for (struct validator_exchange *one = command->exchanges; one; one = next) {
        next = one->next;
        validator_drop(command->alloc, one);
    }
    surety_buf_done(&command->url);
    surety__free(command->alloc, command, sizeof(*command));
}
