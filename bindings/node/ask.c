/* SPDX-License-Identifier: Apache-2.0 */
/* ask.c: questions of a run's thread to JavaScript.
 *
 * The run calls a validator or a tool again and again until it is done. The
 * first call sends the question; each further one waits for a moment, and says
 * that there is no answer yet: so the run can be cancelled, its tools work side
 * by side, and others of a consensus go on. What is asked (owner and text)
 * finds its question again; JavaScript answers by its id. */
#include "ask.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WAIT_NS 50000000

struct question {
    struct question *next;
    uint32_t id;
    const void *owner; /* an asker, or a call of a tool */
    surety_buf text, answer;
    bool is_answered, failed;
};

static void question_free(struct question *question)
{
    surety_buf_done(&question->text);
    surety_buf_done(&question->answer);
    free(question);
}

void asking_init(struct asking *asking)
{
    *asking = (struct asking){.last_id = 0};
    pthread_mutex_init(&asking->lock, NULL);
    pthread_cond_init(&asking->answered, NULL);
}

void asking_done(struct asking *asking)
{
    struct question *question;

    while ((question = asking->questions)) {
        asking->questions = question->next;
        question_free(question);
    }
    pthread_mutex_destroy(&asking->lock);
    pthread_cond_destroy(&asking->answered);
}

/* Where the question is, or would be. The lock is held. */
static struct question **question_find(struct asking *asking, const void *owner,
                                       surety_str text)
{
    struct question **place = &asking->questions;

    while (*place && !((*place)->owner == owner &&
                       surety_str_equal(surety_buf_str(&(*place)->text), text)))
        place = &(*place)->next;
    return place;
}

/* Asks; the lock is held. */
static surety_status question_ask(struct asking *asking, const void *owner,
                                  struct note note)
{
    struct question *question = calloc(1, sizeof(*question));
    surety_status status;

    if (!question)
        return SURETY_NOMEM;
    question->id = note.number = ++asking->last_id;
    question->owner = owner;
    surety_buf_init(&question->text, NULL, 0);
    surety_buf_init(&question->answer, NULL, 0);
    surety_buf_add(&question->text, note.text);
    status = question->text.status ? question->text.status
                                   : asking->post(asking->ctx, &note);
    if (status) {
        question_free(question);
        return status == SURETY_CANCELLED ? SURETY_MORE : SURETY_NOMEM;
    }
    question->next = asking->questions;
    asking->questions = question;
    return SURETY_MORE;
}

/* Asks, or looks for the answer. OK: *ret_question has it, and the caller frees
 * it. MORE: there is none yet. */
static surety_status question_wait(struct asking *asking, const void *owner,
                                   struct note note,
                                   struct question **ret_question)
{
    surety_status status = SURETY_MORE;
    struct question **place;
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&asking->lock);
    place = question_find(asking, owner, note.text);
    if (!*place)
        status = question_ask(asking, owner, note);
    else if (!(*place)->is_answered)
        pthread_cond_timedwait(&asking->answered, &asking->lock, &until);
    place = question_find(asking, owner, note.text);
    if (*place && (*place)->is_answered) {
        *ret_question = *place;
        *place = (*place)->next;
        status = (*ret_question)->answer.status;
    }
    pthread_mutex_unlock(&asking->lock);
    return status;
}

void asking_answer(struct asking *asking, uint32_t id, surety_str text,
                   bool failed)
{
    struct question *question;

    pthread_mutex_lock(&asking->lock);
    question = asking->questions;
    while (question && question->id != id)
        question = question->next;
    if (question && !question->is_answered) {
        surety_buf_add(&question->answer, text);
        question->failed = failed;
        question->is_answered = true;
    }
    pthread_cond_broadcast(&asking->answered);
    pthread_mutex_unlock(&asking->lock);
}

/* ---- validators ---------------------------------------------------------- */

static surety_status asker_validate(void *ctx,
                                    const surety_validation *validation,
                                    surety_error *reterr)
{
    struct note note = {.kind = NOTE_VALIDATE};
    struct question *question = NULL;
    struct asker *asker = ctx;
    surety_status status;
    surety_buf value;

    surety_buf_init(&value, NULL, 0);
    surety_val_write(validation->value, SURETY_STYLE_COMPACT, &value);
    note.member = asker->member;
    note.text = surety_buf_str(&value);
    status = value.status
                 ? SURETY_NOMEM
                 : question_wait(asker->asking, asker, note, &question);
    if (question && !status)
        status =
            issues_say(surety_buf_str(&question->answer), validation, reterr);
    if (question)
        question_free(question);
    surety_buf_done(&value);
    return status;
}

surety_validator asker_validator(struct asker *asker)
{
    return (surety_validator){.validate = asker_validate, .ctx = asker};
}

/* ---- tools --------------------------------------------------------------- */

/* The beginning of a text as an error's message: a whole number of
 * characters. */
static void message_fill(surety_error *error, surety_str text)
{
    size_t len = sizeof(error->message) - 1;

    *error = (surety_error){.status = SURETY_IO};
    if (text.len < len)
        len = text.len;
    else
        while (len && ((unsigned char)text.ptr[len] & 0xc0) == 0x80)
            len--;
    if (len)
        memcpy(error->message, text.ptr, len);
}

static surety_status tool_call(void *ctx, const surety_tool_call *call,
                               surety_buf *result, surety_error *reterr)
{
    const struct tool *tool = ctx;
    const struct note note = {NOTE_CALL,  0,          tool->asker.member,
                              call->text, call->tool, call->id};
    struct question *question = NULL;
    surety_status status =
        question_wait(tool->asker.asking, call, note, &question);

    if (!question)
        return status;
    if (!status && question->failed) {
        message_fill(reterr, surety_buf_str(&question->answer));
        status = SURETY_IO;
    } else if (!status) {
        surety_buf_add(result, surety_buf_str(&question->answer));
    }
    question_free(question);
    return status;
}

/* Takes the question back; JavaScript aborts the call's signal. */
static void tool_cancel(void *ctx, const surety_tool_call *call)
{
    const struct tool *tool = ctx;
    struct asking *asking = tool->asker.asking;
    struct question **place, *question;
    struct note note = {.kind = NOTE_CANCEL, .member = tool->asker.member};

    pthread_mutex_lock(&asking->lock);
    place = question_find(asking, call, call->text);
    question = *place;
    if (question)
        *place = question->next;
    pthread_mutex_unlock(&asking->lock);
    if (!question)
        return;
    note.number = question->id;
    asking->post(asking->ctx, &note);
    question_free(question);
}

static bool tool_take(napi_env env, napi_value object, struct tool *tool)
{
    tool->time_ms_max = (uint32_t)number_take(env, object, "timeMs", 0);
    tool->polls = flag_take(env, object, "polls");
    tool->strict = flag_take(env, object, "strict");
    tool->validates = flag_take(env, object, "validates");
    return text_take(env, object, "name", &tool->name) &&
           text_take(env, object, "description", &tool->description) &&
           text_take(env, object, "parameters", &tool->parameters) &&
           text_take(env, object, "result", &tool->result);
}

bool toolbox_take(napi_env env, napi_value spec, struct asking *asking,
                  struct toolbox *ret)
{
    napi_value list, item;
    uint32_t i, count;

    ret->given = flag_take(env, spec, "toolsGiven");
    if (!texts_take(env, spec, "toolFiles", &ret->files, &ret->file_texts) ||
        !texts_take(env, spec, "servers", &ret->servers, &ret->server_count))
        return false;
    if (!member_take(env, spec, "tools", &list))
        return true;
    if (napi_get_array_length(env, list, &count))
        return fail_node(env);
    ret->tools = calloc(count ? count : 1, sizeof(*ret->tools));
    if (!ret->tools)
        return fail_status(env, SURETY_NOMEM, "out of memory");
    ret->count = count;
    for (i = 0; i < count; i++) {
        ret->tools[i].asker = (struct asker){asking, i};
        if (napi_get_element(env, list, i, &item))
            return fail_node(env);
        if (!tool_take(env, item, &ret->tools[i]))
            return false;
    }
    return true;
}

void toolbox_drop(struct toolbox *toolbox)
{
    size_t i;

    for (i = 0; i < toolbox->count; i++) {
        bytes_drop(&toolbox->tools[i].name);
        bytes_drop(&toolbox->tools[i].description);
        bytes_drop(&toolbox->tools[i].parameters);
        bytes_drop(&toolbox->tools[i].result);
    }
    free(toolbox->tools);
    texts_drop(toolbox->files, toolbox->file_texts);
    texts_drop(toolbox->servers, toolbox->server_count);
}

/* Adds the tools of a tools file. source: how errors name it. */
static surety_status file_add(surety_tools *tools, surety_str text,
                              surety_str folder, surety_str source,
                              surety_error *reterr)
{
    const surety_status status = surety_tools_read(tools, text, folder, reterr);

    if (status && !reterr->source[0] && source.len < sizeof(reterr->source)) {
        if (source.len)
            memcpy(reterr->source, source.ptr, source.len);
        reterr->source[source.len] = 0;
    }
    return status;
}

/* Adds those that are not the program's functions. */
static surety_status others_add(const struct toolbox *toolbox,
                                const surety_config_info *config,
                                const volatile int *cancelled,
                                surety_tools *tools, surety_error *reterr)
{
    surety_tool_server server = {.size = sizeof(server)};
    surety_status status = SURETY_OK;
    size_t i;

    if (config && config->tools.len)
        status = file_add(tools, config->tools, config->folder, config->file,
                          reterr);
    for (i = 0; i + 2 < toolbox->file_texts && !status; i += 3)
        status =
            file_add(tools, toolbox->files[i].str, toolbox->files[i + 1].str,
                     toolbox->files[i + 2].str, reterr);
    for (i = 0; i < toolbox->server_count && !status; i++) {
        server.command = toolbox->servers[i].str;
        status = surety_tools_connect(tools, &server, cancelled, reterr);
    }
    return status;
}

surety_status toolbox_open(struct toolbox *toolbox,
                           const surety_config_info *config,
                           const surety_tools_options *options,
                           const volatile int *cancelled,
                           surety_tools **ret_tools, surety_error *reterr)
{
    surety_status status;
    size_t i;

    if (!toolbox->count && !toolbox->file_texts && !toolbox->server_count &&
        !(config && config->tools.len))
        return SURETY_OK;
    status = surety_tools_new(options, ret_tools, reterr);
    for (i = 0; i < toolbox->count && !status; i++) {
        struct tool *tool = &toolbox->tools[i];

        tool->validator = asker_validator(&tool->asker);
        status = surety_tools_add(
            *ret_tools,
            &(surety_tool){.size = sizeof(surety_tool),
                           .name = tool->name.str,
                           .description = tool->description.str,
                           .parameters = tool->parameters.str,
                           .result = tool->result.str,
                           .validators = &tool->validator,
                           .validator_count = tool->validates,
                           .call = tool_call,
                           .cancel = tool_cancel,
                           .ctx = tool,
                           .time_ms_max = tool->time_ms_max,
                           .polls = tool->polls,
                           .strict = tool->strict},
            reterr);
    }
    if (!status)
        status = others_add(toolbox, config, cancelled, *ret_tools, reterr);
    return status;
}
