/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c: replies, whole and while they are being written.
 *
 * A judgement is given as its JSON report. The judge that an environment keeps
 * is used for all; after a large reply it is made anew, for its scratch memory
 * never shrinks. */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

#define KEPT_MAX ((size_t)1 << 20) /* replies whose scratch memory is kept */

static const napi_type_tag stream_tag = {0x1b7d9e3c5a2f4866u,
                                         0x8f6e4d2c1b0a9978u};

/* ---- options ----------------------------------------------------------- */

static bool extract_take(napi_env env, napi_value object,
                         struct judging *judging)
{
    surety_extract *extract = &judging->extract;
    napi_value how, from, item;
    uint32_t i, count = 0;
    int32_t place;

    if (!member_take(env, object, "extract", &how))
        return true;
    *extract = (surety_extract){.size = sizeof(*extract)};
    extract->pick_last = flag_take(env, how, "pickLast");
    extract->keep_reasoning = flag_take(env, how, "keepReasoning");
    if (!text_take(env, how, "marker", &judging->marker))
        return false;
    extract->marker = judging->marker.str;
    extract->forms_off = (unsigned)number_take(env, how, "formsOff", 0);
    if (member_take(env, how, "from", &from)) {
        if (napi_get_array_length(env, from, &count))
            return fail_node(env);
        for (i = 0; i < count && i < SURETY_PLACES; i++) {
            if (napi_get_element(env, from, i, &item) ||
                napi_get_value_int32(env, item, &place))
                return fail_node(env);
            extract->from[i] = (surety_place)place;
        }
        extract->from_count = i;
    }
    judging->options.extract = extract;
    return true;
}

static bool variables_take(napi_env env, napi_value object,
                           struct judging *judging)
{
    size_t i, count;

    if (!texts_take(env, object, "variables", &judging->texts,
                    &judging->text_count))
        return false;
    count = judging->text_count / 2;
    if (count == 0)
        return true;
    judging->variables = calloc(count, sizeof(*judging->variables));
    if (!judging->variables)
        return fail_status(env, SURETY_NOMEM, "out of memory");
    for (i = 0; i < count; i++)
        judging->variables[i] = (surety_variable){
            judging->texts[2 * i].str, judging->texts[2 * i + 1].str};
    judging->options.variables = judging->variables;
    judging->options.variables_count = count;
    return true;
}

surety_status issues_say(surety_str issues, const surety_validation *validation,
                         surety_error *reterr)
{
    surety_doc *doc = surety_doc_new(NULL);
    surety_status status =
        doc ? surety_doc_read(doc, issues, NULL, reterr) : SURETY_NOMEM;
    const surety_val root = surety_doc_root(doc);
    surety_val item;

    for (item = surety_val_first(root); item.doc && !status;
         item = surety_val_next(root, item))
        status = surety_validation_add(
            validation, surety_val_str(surety_val_item(item, 0)),
            surety_val_str(surety_val_item(item, 1)),
            surety_val_str(surety_val_item(item, 2)));
    surety_doc_free(doc);
    return status;
}

/* What JavaScript said of the value; where it has said nothing, it is asked. */
static surety_status answer(void *ctx, const surety_validation *validation,
                            surety_error *reterr)
{
    struct judging *judging = ctx;
    surety_str value;
    size_t i;

    surety_buf_reset(&judging->asked);
    surety_val_write(validation->value, SURETY_STYLE_COMPACT, &judging->asked);
    if (judging->asked.status)
        return judging->asked.status;
    value = surety_buf_str(&judging->asked);
    for (i = 0; i + 1 < judging->answer_count; i += 2)
        if (surety_str_equal(judging->answers[i].str, value))
            return issues_say(judging->answers[i + 1].str, validation, reterr);
    return SURETY_MORE;
}

static bool answers_take(napi_env env, napi_value object,
                         struct judging *judging)
{
    judging->asks = flag_take(env, object, "asks");
    surety_buf_init(&judging->asked, NULL, 0);
    if (!judging->asks)
        return true;
    judging->validator = (surety_validator){.validate = answer, .ctx = judging};
    judging->options.validators = &judging->validator;
    judging->options.validator_count = 1;
    return texts_take(env, object, "answers", &judging->answers,
                      &judging->answer_count);
}

bool judging_take(napi_env env, napi_value object, struct judging *ret)
{
    surety_judge_options *options = &ret->options;
    int64_t repair;

    *ret = (struct judging){.options.size = sizeof(*options)};
    options->no_fallback = flag_take(env, object, "noFallback");
    options->derive = flag_take(env, object, "derive");
    options->certain_only = flag_take(env, object, "certain");
    options->partial = flag_take(env, object, "partial");
    options->cut = flag_take(env, object, "cut");
    repair = number_take(env, object, "repair", -1);
    if (repair >= 0) {
        ret->repair = (surety_repair)repair;
        options->repair = &ret->repair;
    }
    if (!text_take(env, object, "native", &ret->native) ||
        !extract_take(env, object, ret) || !variables_take(env, object, ret) ||
        !answers_take(env, object, ret)) {
        judging_drop(ret);
        return false;
    }
    options->native = ret->native.str;
    return true;
}

void judging_drop(struct judging *judging)
{
    bytes_drop(&judging->native);
    bytes_drop(&judging->marker);
    texts_drop(judging->texts, judging->text_count);
    texts_drop(judging->answers, judging->answer_count);
    surety_buf_done(&judging->asked);
    free(judging->variables);
    *judging = (struct judging){0};
}

/* ---- whole replies ----------------------------------------------------- */

/* One judgement, from its arguments (contract, reply, options, ...) to the
 * outcome, which is the environment's judge's. */
struct judgement {
    napi_value arguments[6];
    struct contract *contract;
    struct bytes reply;
    struct judging judging;
    const surety_outcome *outcome; /* NULL: a validator is to be asked */
};

/* The judge for a contract; NULL: out of memory. */
static surety_judge **judge_of(napi_env env, struct contract *contract)
{
    surety_judge **judge =
        contract->limited ? &contract->judge : &addon_of(env)->judge;

    if (!*judge)
        *judge = surety_judge_new(NULL,
                                  contract->limited ? &contract->limits : NULL);
    return *judge ? judge : NULL;
}

/* False: thrown. The caller drops it in both cases. */
static bool judgement_take(napi_env env, napi_callback_info info,
                           struct judgement *ret)
{
    surety_error error = {.message = "out of memory"};
    surety_judge **judge;
    surety_status status;

    *ret = (struct judgement){0};
    if (!arguments_take(env, info, 6, ret->arguments))
        return false;
    ret->contract = handle_take(env, ret->arguments[0], &contract_tag);
    if (!ret->contract || !bytes_take(env, ret->arguments[1], &ret->reply) ||
        !judging_take(env, ret->arguments[2], &ret->judging))
        return false;
    judge = judge_of(env, ret->contract);
    if (!judge)
        return fail_status(env, SURETY_NOMEM, "out of memory");
    status = surety_judge_reply(*judge, ret->contract->contract, ret->reply.str,
                                &ret->judging.options, &ret->outcome, &error);
    if (status && status != SURETY_MORE)
        return fail(env, &error);
    return true;
}

/* The same for what needs the outcome. */
static bool outcome_take(napi_env env, napi_callback_info info,
                         struct judgement *ret)
{
    if (!judgement_take(env, info, ret))
        return false;
    if (!ret->outcome)
        return fail_status(env, SURETY_MISUSE,
                           "a validator was not asked about the value");
    return true;
}

/* [report, the value's JSON], or [undefined, the JSON of the value that is to
 * be asked about]. */
static napi_value pair_make(napi_env env, const surety_outcome *outcome,
                            napi_value report, const struct judging *judging)
{
    napi_value made, text;
    surety_buf value;

    surety_buf_init(&value, NULL, 0);
    if (!outcome)
        surety_buf_add(&value, surety_buf_str(&judging->asked));
    else if (surety_outcome_info_of(outcome)->value.doc)
        surety_val_write(surety_outcome_info_of(outcome)->value,
                         SURETY_STYLE_COMPACT, &value);
    text = string_done(env, &value);
    if (!text)
        return NULL;
    if (napi_create_array_with_length(env, 2, &made) ||
        (report && napi_set_element(env, made, 0, report)) ||
        napi_set_element(env, made, 1, text))
        return fail_node(env);
    return made;
}

static void judgement_drop(napi_env env, struct judgement *judgement)
{
    surety_judge **judge =
        judgement->contract ? judge_of(env, judgement->contract) : NULL;

    if (judge && (judgement->reply.str.len > KEPT_MAX ||
                  judgement->judging.native.str.len > KEPT_MAX)) {
        surety_judge_free(*judge);
        *judge = NULL;
    }
    bytes_drop(&judgement->reply);
    judging_drop(&judgement->judging);
}

/* judge(contract, reply, options, form, source): a report; with asks and
 * without a form: a pair. */
static napi_value judge(napi_env env, napi_callback_info info)
{
    struct bytes source = {{NULL, 0}, NULL};
    struct judgement judgement;
    napi_value made = NULL;
    int32_t form = -1;
    bool pair;
    surety_buf out;

    if (judgement_take(env, info, &judgement) &&
        bytes_take(env, judgement.arguments[4], &source)) {
        napi_get_value_int32(env, judgement.arguments[3], &form);
        pair = form < 0;
        surety_buf_init(&out, NULL, 0);
        if (judgement.outcome)
            surety_outcome_write(judgement.outcome,
                                 pair ? SURETY_REPORT_JSON
                                      : (surety_report)form,
                                 source.str, 0, &out);
        if (judgement.outcome)
            made = string_done(env, &out);
        else if (!pair)
            fail_status(env, SURETY_MISUSE,
                        "a validator was not asked about the value");
        if (pair && (made || !judgement.outcome))
            made = pair_make(env, judgement.outcome, made, &judgement.judging);
    }
    bytes_drop(&source);
    judgement_drop(env, &judgement);
    return made;
}

/* retryPrompt(contract, reply, options, prompt, feedback, style): what to send
 * after the reply. */
static napi_value retry_prompt(napi_env env, napi_callback_info info)
{
    surety_prompt_options options = {.size = sizeof(options)};
    struct bytes prompt = {{NULL, 0}, NULL};
    int32_t feedback = 0, style = 0;
    struct judgement judgement;
    napi_value made = NULL;
    surety_error error;
    surety_buf out;

    surety_buf_init(&out, NULL, 0);
    if (outcome_take(env, info, &judgement) &&
        bytes_take(env, judgement.arguments[3], &prompt)) {
        napi_get_value_int32(env, judgement.arguments[4], &feedback);
        napi_get_value_int32(env, judgement.arguments[5], &style);
        if (feedback < 0)
            feedback =
                (int32_t)surety_contract_info_of(judgement.contract->contract)
                    ->feedback;
        options.style = (surety_prompt_style)style;
        made = surety_prompt_again(judgement.contract->contract, prompt.str,
                                   (surety_feedback)feedback, judgement.outcome,
                                   judgement.reply.str, &options, &out, &error)
                   ? fail(env, &error)
                   : string_make(env, surety_buf_str(&out));
    }
    surety_buf_done(&out);
    bytes_drop(&prompt);
    judgement_drop(env, &judgement);
    return made;
}

/* patch(contract, reply, options, answer): the JSON that a model's patch makes
 * of the reply's value. */
static napi_value patch(napi_env env, napi_callback_info info)
{
    struct bytes answer = {{NULL, 0}, NULL};
    struct judgement judgement;
    napi_value made = NULL;
    surety_error error;
    surety_buf out;

    surety_buf_init(&out, NULL, 0);
    if (outcome_take(env, info, &judgement) &&
        bytes_take(env, judgement.arguments[3], &answer))
        made = surety_prompt_patch(judgement.outcome, answer.str, &out, &error)
                   ? fail(env, &error)
                   : string_make(env, surety_buf_str(&out));
    surety_buf_done(&out);
    bytes_drop(&answer);
    judgement_drop(env, &judgement);
    return made;
}

/* Where a value of the candidate is in the reply, which holds for sure only
 * where the candidate's text is the reply's own bytes. */
static bool place_of(const struct judgement *judgement, surety_val val,
                     surety_position *ret)
{
    const surety_outcome *outcome = judgement->outcome;
    surety_position position = surety_val_position(val);
    surety_str reply = judgement->judging.native.str, text;
    size_t start = 0;

    if (!val.doc || !position.line)
        return false;
    text = surety_doc_text(val.doc);
    if (surety_outcome_info_of(outcome)->place != SURETY_PLACE_NATIVE) {
        reply = judgement->reply.str;
        start = surety_outcome_info_of(outcome)->start;
    }
    if (start > reply.len || position.offset > text.len ||
        position.length > text.len - position.offset ||
        position.offset + position.length > reply.len - start ||
        memcmp(reply.ptr + start, text.ptr,
               position.offset + position.length) != 0)
        return false;
    *ret = surety_position_at(reply, start + position.offset, position.length);
    return true;
}

/* locate(contract, reply, options, pointer): JSON, or null. */
static napi_value locate(napi_env env, napi_callback_info info)
{
    struct bytes pointer = {{NULL, 0}, NULL};
    struct judgement judgement;
    surety_position position;
    napi_value made = NULL;
    surety_buf out;

    surety_buf_init(&out, NULL, 0);
    if (outcome_take(env, info, &judgement) &&
        bytes_take(env, judgement.arguments[3], &pointer)) {
        if (place_of(&judgement,
                     surety_val_at(
                         surety_outcome_info_of(judgement.outcome)->candidate,
                         pointer.str),
                     &position)) {
            surety_buf_byte(&out, '{');
            surety_json_number(&out, "line", position.line);
            surety_json_number(&out, "column", position.column);
            surety_json_number(&out, "offset", position.offset);
            surety_json_number(&out, "length", position.length);
            surety_buf_byte(&out, '}');
        } else {
            surety_buf_text(&out, "null");
        }
        made = string_make(env, surety_buf_str(&out));
    }
    surety_buf_done(&out);
    bytes_drop(&pointer);
    judgement_drop(env, &judgement);
    return made;
}

/* candidate(contract, reply, options): JSON of the value that the outcome is
 * about, as it was read; "" where nothing parsed. */
static napi_value candidate(napi_env env, napi_callback_info info)
{
    struct judgement judgement;
    napi_value made = NULL;
    surety_val val;
    surety_buf out;

    surety_buf_init(&out, NULL, 0);
    if (outcome_take(env, info, &judgement)) {
        val = surety_outcome_info_of(judgement.outcome)->candidate;
        if (val.doc)
            surety_val_write(val, SURETY_STYLE_COMPACT, &out);
        made = string_done(env, &out);
    }
    judgement_drop(env, &judgement);
    return made;
}

/* issueText({keyword, message, hint, instanceLocation, source, text, line,
 * column, offset, length, warning, color}): an issue as the report "text" has
 * it; offset and length count bytes. */
static napi_value issue_text(napi_env env, napi_callback_info info)
{
    static const char *const names[] = {"keyword",          "message", "hint",
                                        "instanceLocation", "source",  "text"};
    enum { TEXTS = sizeof(names) / sizeof(*names) };
    surety_issue_form form = {.size = sizeof(form)};
    struct bytes texts[TEXTS] = {0};
    napi_value it, made = NULL;
    surety_issue issue = {0};
    surety_buf out;
    size_t i = 0;

    if (!arguments_take(env, info, 1, &it))
        return NULL;
    while (i < TEXTS && text_take(env, it, names[i], &texts[i]))
        i++;
    if (i == TEXTS) {
        issue.keyword = texts[0].str;
        issue.message = texts[1].str;
        issue.hint = texts[2].str;
        issue.instance_location = texts[3].str;
        issue.position =
            (surety_position){(size_t)number_take(env, it, "offset", 0),
                              (size_t)number_take(env, it, "length", 0),
                              (uint32_t)number_take(env, it, "line", 0),
                              (uint32_t)number_take(env, it, "column", 0)};
        form.source = texts[4].str;
        form.text = texts[5].str;
        form.warning = flag_take(env, it, "warning");
        surety_buf_init(&out, NULL, 0);
        surety_issue_write(&issue,
                           flag_take(env, it, "color") ? SURETY_REPORT_COLOR
                                                       : SURETY_REPORT_TEXT,
                           &form, &out);
        made = string_done(env, &out);
    }
    while (i > 0)
        bytes_drop(&texts[--i]);
    return made;
}

/* ---- streams ----------------------------------------------------------- */

struct stream {
    struct shared base;
    surety_stream *stream;
    struct contract *contract; /* held */
    struct judging judging;
};

static void stream_free(struct shared *object)
{
    struct stream *stream = (struct stream *)object;

    surety_stream_free(stream->stream);
    judging_drop(&stream->judging);
    shared_drop(&stream->contract->base);
    free(stream);
}

/* streamNew(contract, options, native) */
static napi_value stream_new(napi_env env, napi_callback_info info)
{
    bool native = false;
    struct contract *contract;
    napi_value arguments[3];
    struct stream *stream;
    surety_error error = {.message = "out of memory"};

    if (!arguments_take(env, info, 3, arguments) ||
        !(contract = handle_take(env, arguments[0], &contract_tag)))
        return NULL;
    stream = calloc(1, sizeof(*stream));
    if (!stream)
        return fail_status(env, SURETY_NOMEM, "out of memory");
    stream->base = (struct shared){1, stream_free};
    stream->contract = contract;
    contract->base.holders++;
    napi_get_value_bool(env, arguments[2], &native);
    if (!judging_take(env, arguments[1], &stream->judging))
        goto failed;
    stream->stream =
        surety_stream_new(NULL, contract->limited ? &contract->limits : NULL);
    if (!stream->stream) {
        fail_status(env, SURETY_NOMEM, "out of memory");
        goto failed;
    }
    if (surety_stream_begin(stream->stream, contract->contract,
                            &stream->judging.options, native, &error)) {
        fail(env, &error);
        goto failed;
    }
    return handle_make(env, &stream->base, &stream_tag, 65536);
failed:
    shared_drop(&stream->base);
    return NULL;
}

/* streamFeed(stream, bytes): the number of the state. */
static napi_value stream_feed(napi_env env, napi_callback_info info)
{
    napi_value arguments[2], made;
    struct bytes bytes;
    struct stream *stream;
    surety_stream_state state;
    surety_status status;
    surety_error error = {.message = "out of memory"};

    if (!arguments_take(env, info, 2, arguments) ||
        !(stream = handle_take(env, arguments[0], &stream_tag)) ||
        !bytes_take(env, arguments[1], &bytes))
        return NULL;
    status = surety_stream_feed(stream->stream, bytes.str, &error);
    bytes_drop(&bytes);
    if (status < 0)
        return fail(env, &error);
    state = surety_stream_info_of(stream->stream)->state;
    if (napi_create_int32(env, (int32_t)state, &made))
        return fail_node(env);
    return made;
}

/* The stream that is the only argument; NULL: thrown. */
static const struct stream *stream_alone(napi_env env, napi_callback_info info)
{
    napi_value argument;

    return arguments_take(env, info, 1, &argument)
               ? handle_take(env, argument, &stream_tag)
               : NULL;
}

/* streamValue(stream): JSON of the value so far, "" where none has begun. */
static napi_value stream_value(napi_env env, napi_callback_info info)
{
    const struct stream *stream = stream_alone(env, info);
    surety_val value;
    surety_buf out;

    if (!stream)
        return NULL;
    surety_buf_init(&out, NULL, 0);
    value = surety_stream_info_of(stream->stream)->value;
    if (value.doc)
        surety_val_write(value, SURETY_STYLE_COMPACT, &out);
    return string_done(env, &out);
}

/* streamFinding(stream): JSON of the finding. */
static napi_value stream_finding(napi_env env, napi_callback_info info)
{
    const struct stream *stream = stream_alone(env, info);
    surety_issue issue;
    surety_buf out;

    if (!stream)
        return NULL;
    issue = surety_stream_info_of(stream->stream)->finding;
    surety_buf_init(&out, NULL, 0);
    surety_issue_write(&issue, SURETY_REPORT_JSON, NULL, &out);
    return string_done(env, &out);
}

/* streamReply(stream): the bytes that came, a copy. */
static napi_value stream_reply(napi_env env, napi_callback_info info)
{
    napi_value made;
    const struct stream *stream = stream_alone(env, info);
    surety_str text;

    if (!stream)
        return NULL;
    text = surety_stream_info_of(stream->stream)->reply;
    if (napi_create_buffer_copy(env, text.len, text.len ? text.ptr : "", NULL,
                                &made))
        return fail_node(env);
    return made;
}

/* streamFinish(stream, cut, options): a pair; asks and answers are those of
 * options, all else is the stream's. */
static napi_value stream_finish(napi_env env, napi_callback_info info)
{
    surety_error error = {.message = "out of memory"};
    const surety_outcome *outcome = NULL;
    surety_judge_options end;
    napi_value arguments[3], made = NULL;
    struct judging judging;
    struct stream *stream;
    surety_status status;
    bool cut = false;
    surety_buf out;

    if (!arguments_take(env, info, 3, arguments) ||
        !(stream = handle_take(env, arguments[0], &stream_tag)) ||
        !judging_take(env, arguments[2], &judging))
        return NULL;
    napi_get_value_bool(env, arguments[1], &cut);
    end = stream->judging.options;
    end.cut = end.cut || cut;
    end.validators = judging.options.validators;
    end.validator_count = judging.options.validator_count;
    status = surety_stream_finish(stream->stream, &end, &outcome, &error);
    if (status && status != SURETY_MORE) {
        fail(env, &error);
    } else {
        surety_buf_init(&out, NULL, 0);
        if (!status)
            surety_outcome_write(outcome, SURETY_REPORT_JSON, surety_str_of(""),
                                 0, &out);
        if (!status)
            made = string_done(env, &out);
        if (made || status)
            made = pair_make(env, outcome, made, &judging);
    }
    judging_drop(&judging);
    return made;
}

bool judge_add(napi_env env, napi_value exports)
{
    return method_add(env, exports, "judge", judge) &&
           method_add(env, exports, "retryPrompt", retry_prompt) &&
           method_add(env, exports, "patch", patch) &&
           method_add(env, exports, "locate", locate) &&
           method_add(env, exports, "candidate", candidate) &&
           method_add(env, exports, "issueText", issue_text) &&
           method_add(env, exports, "streamNew", stream_new) &&
           method_add(env, exports, "streamFeed", stream_feed) &&
           method_add(env, exports, "streamValue", stream_value) &&
           method_add(env, exports, "streamFinding", stream_finding) &&
           method_add(env, exports, "streamReply", stream_reply) &&
           method_add(env, exports, "streamFinish", stream_finish);
}
