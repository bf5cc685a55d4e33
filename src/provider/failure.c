/* SPDX-License-Identifier: Apache-2.0 */
/* failure.c: reads a provider's error and finds its class.
 *
 * Providers differ: the error is an object, a text, or the first item of an
 * array; its name is a code, a type, a status, or a reason in its details. So
 * all names in an error are collected, its sentences are searched without
 * regard to case, and the first row of one table that fits decides. Rows with a
 * name or a phrase come before the status, because a status alone says too
 * little: 429 means "too fast" and also "nothing left to spend", 400 means a
 * wrong request and also a schema that is too large. If no row fits, the status
 * decides (surety__error_of_status), and after it a second table with names
 * that say little.
 *
 * An error is shown as one line without control characters, of limited length,
 * with the caller's key masked. */
#include "provider/protocol.h"

enum { ERROR_NAMES_MAX = 8, ERROR_SEARCHED_MAX = 8192 };

typedef struct error__facts {
    surety_str names[ERROR_NAMES_MAX]; /* the first one is shown */
    size_t name_count;
    surety_str sentence;
    surety_str upstream; /* the message of a provider behind this one */
    surety_str param;
    int status;
} error__facts;

/* A class, for the errors that have one of the names or phrases, which "|"
 * separates. */
typedef struct error__row {
    surety_failure failure;
    const char *names;
    const char *phrases;
    int statuses[2]; /* of the response; 0: any */
} error__row;

/* The first row that fits decides. Sources: the providers' API references and,
 * for phrases, the messages of their servers. */
static const error__row error_rows[] = {
    {SURETY_FAILURE_QUOTA,
     "insufficient_quota|billing_hard_limit_reached|billing_not_active|"
     "billing_error|insufficient_credits|insufficient_balance|"
     "credit_balance_too_low|credits_exhausted|payment_required|"
     "enforced_spend_limit_reached|quota_per_day",
     "credit balance is too low|insufficient credits|insufficient balance|"
     "specified api usage limits|required for long context requests",
     {0}},
    {SURETY_FAILURE_AUTH,
     "invalid_api_key|api_key_invalid|api_key_expired|authentication_error|"
     "unauthenticated|account_deactivated",
     "api key not valid|api key expired",
     {0}},
    {SURETY_FAILURE_FILTER,
     "content_policy_violation|content_filter|moderation_blocked|"
     "invalid_prompt",
     "your input was flagged|blocked by content filtering policy",
     {0}},
    {SURETY_FAILURE_CONTEXT,
     "context_length_exceeded|exceed_context_size_error|"
     "string_above_max_length|tokens_limit_reached",
     "prompt is too long|maximum context length|exceed context limit|"
     "exceeds the available context|exceeds the context window|"
     "exceeds the maximum number of tokens|input length exceeds|"
     "maximum model length|greater than the context length|"
     "with a larger context length|cannot truncate prompt with n_keep",
     {0}},
    /* A limit per minute that this call alone exceeds: waiting does not
     * help. */
    {SURETY_FAILURE_CONTEXT, "", "request too large for", {413, 429}},
    /* The schema, or the mode that carries it. */
    {SURETY_FAILURE_SCHEMA,
     "invalid_json_schema|invalid_function_parameters|json_validate_failed|"
     "tool_use_failed",
     "compiled grammar is too large|schema is too complex|"
     "too many states for serving|failed to parse grammar|"
     "failed to initialize samplers|invalid grammar|invalid json schema|"
     "json schema conversion failed|when tool_choice forces tool use|"
     "does not support tools|support tool use|"
     "handle the requested parameters|json mode is not enabled|"
     "function calling is not enabled",
     {0}},
    {SURETY_FAILURE_SCHEMA, "", "response_format|tool_choice", {400, 422}},
    /* The only tool that is ever sent (tools.0) carries the schema. */
    {SURETY_FAILURE_SCHEMA,
     "",
     "text.format|output_config|output_format|input_schema|json_schema|"
     "json schema|response_schema|responseschema|response_json_schema|"
     "responsejsonschema|function_declarations|schema in generationconfig|"
     "functiondeclaration|function calling|tool calling|structured output|"
     "tools.0.",
     {400}},
    {SURETY_FAILURE_MODEL,
     "model_not_found|model_not_available|deploymentnotfound|"
     "not_found_error|not_found",
     "is not a valid model id",
     {0}},
    {SURETY_FAILURE_RATE_LIMIT,
     "rate_limit_exceeded|rate_limit_error|resource_exhausted|"
     "too_many_requests|slow_down",
     "",
     {0}},
    {SURETY_FAILURE_OVERLOADED,
     "overloaded_error|server_is_overloaded|engine_overloaded|"
     "capacity_exceeded|engine_overloaded_error|model_overloaded|unavailable",
     "is overloaded|currently overloaded",
     {0}},
};

/* Names that say little: they come after the status. */
static const error__row error_rows_last[] = {
    {SURETY_FAILURE_AUTH, "permission_error|permission_denied", "", {0}},
    {SURETY_FAILURE_REQUEST,
     "invalid_request_error|request_too_large|invalid_argument|"
     "failed_precondition",
     "",
     {0}},
};

surety_failure surety__error_of_status(int status)
{
    static const struct {
        int status;
        surety_failure failure;
    } rows[] = {
        {401, SURETY_FAILURE_AUTH},       {402, SURETY_FAILURE_QUOTA},
        {403, SURETY_FAILURE_AUTH},       {404, SURETY_FAILURE_MODEL},
        {408, SURETY_FAILURE_SERVER},     {409, SURETY_FAILURE_SERVER},
        {425, SURETY_FAILURE_SERVER},     {429, SURETY_FAILURE_RATE_LIMIT},
        {498, SURETY_FAILURE_OVERLOADED}, /* Groq: no capacity */
        {501, SURETY_FAILURE_REQUEST},    {503, SURETY_FAILURE_OVERLOADED},
        {529, SURETY_FAILURE_OVERLOADED},
    };

    for (size_t i = 0; i < SURETY__COUNT(rows); i++)
        if (rows[i].status == status)
            return rows[i].failure;
    if (status >= 500 && status <= 599)
        return SURETY_FAILURE_SERVER;
    if (status >= 400 && status <= 499)
        return SURETY_FAILURE_REQUEST;
    return status == 0 || (status >= 200 && status <= 299)
               ? SURETY_FAILURE_NONE
               : SURETY_FAILURE_PROTOCOL;
}

static bool error_has_name(const error__facts *facts, surety_str name)
{
    for (size_t i = 0; i < facts->name_count; i++)
        if (surety__str_equal_nocase(facts->names[i], name))
            return true;
    return false;
}

static bool error_has_phrase(const error__facts *facts, surety_str phrase)
{
    const surety_str texts[] = {facts->sentence, facts->upstream, facts->param};

    for (size_t i = 0; i < SURETY__COUNT(texts); i++) {
        const size_t len = texts[i].len < ERROR_SEARCHED_MAX
                               ? texts[i].len
                               : ERROR_SEARCHED_MAX;

        if (surety__str_find_nocase((surety_str){texts[i].ptr, len}, phrase) <
            len)
            return true;
    }
    return false;
}

/* Whether the error has a text of list, which "|" separates. */
static bool error_has(const error__facts *facts, const char *list,
                      bool (*has)(const error__facts *facts, surety_str text))
{
    while (*list) {
        const size_t len = strcspn(list, "|");

        assert(len > 0);
        if (has(facts, (surety_str){list, len}))
            return true;
        list += len + (list[len] == '|');
    }
    return false;
}

/* The class of the first of count rows that fits; NONE: none does. */
static surety_failure error_find(const error__facts *facts,
                                 const error__row *rows, size_t count)
{
    for (const error__row *row = rows; row < rows + count; row++)
        if ((!row->statuses[0] || facts->status == row->statuses[0] ||
             (row->statuses[1] && facts->status == row->statuses[1])) &&
            (error_has(facts, row->names, error_has_name) ||
             error_has(facts, row->phrases, error_has_phrase)))
            return row->failure;
    return SURETY_FAILURE_NONE;
}

static surety_failure error_class(const error__facts *facts)
{
    surety_failure failure =
        error_find(facts, error_rows, SURETY__COUNT(error_rows));

    if (!failure)
        failure = surety__error_of_status(facts->status);
    if (!failure)
        failure =
            error_find(facts, error_rows_last, SURETY__COUNT(error_rows_last));
    return failure ? failure : SURETY_FAILURE_SERVER;
}

/* ---- contents of an error ------------------------------------------------ */

static void error_name(error__facts *facts, surety_str name)
{
    if (name.len && name.len <= SURETY__NAME_MAX &&
        facts->name_count < ERROR_NAMES_MAX)
        facts->names[facts->name_count++] = name;
}

static void error_name_in(error__facts *facts, surety_val object,
                          const char *member)
{
    error_name(facts, surety_val_str(surety_val_get(object, member)));
}

static surety_str error_sentence(surety_val val)
{
    static const char *const members[] = {
        "message", "detail", "error", "error_description", "msg", "title"};

    if (surety_val_kind(val) == SURETY_KIND_STRING)
        return surety_val_str(val);
    for (size_t i = 0; i < SURETY__COUNT(members); i++) {
        const surety_val member = surety_val_get(val, members[i]);

        if (surety_val_str(member).len)
            return surety_val_str(member);
        /* An array of faults, as some frameworks send it. */
        if (surety_val_kind(member) == SURETY_KIND_ARRAY &&
            surety_val_str(surety_val_get(surety_val_first(member), "msg")).len)
            return surety_val_str(
                surety_val_get(surety_val_first(member), "msg"));
    }
    return (surety_str){NULL, 0};
}

/* Reads the details: an object with its own code, or Google's array of
 * objects. */
static void error_details(surety__decoder *decoder, error__facts *facts,
                          surety_val details)
{
    if (surety_val_kind(details) == SURETY_KIND_OBJECT) {
        error_name_in(facts, details, "error_code");
        return;
    }
    SURETY_EACH (item, details) {
        surety_str delay = surety_val_str(surety_val_get(item, "retryDelay"));
        const surety_val violations = surety_val_get(item, "violations");

        error_name_in(facts, item, "reason");
        if (delay.len && delay.ptr[delay.len - 1] == 's' &&
            decoder->is.retry_after < 0) {
            delay.len--;
            decoder->is.retry_after = surety__retry_seconds(delay);
        }
        SURETY_EACH (one, violations) {
            const surety_str quota =
                surety_val_str(surety_val_get(one, "quotaId"));

            if (surety__str_find(quota, SURETY__LITERAL("PerDay")) == quota.len)
                continue;
            if (facts->name_count == ERROR_NAMES_MAX)
                facts->name_count--;
            error_name(facts, SURETY__LITERAL("quota_per_day"));
        }
    }
}

static void error_gather(surety__decoder *decoder, error__facts *facts,
                         surety_val val)
{
    const surety_val code = surety_val_get(val, "code");
    const surety_val details = surety_val_get(val, "details");
    const int64_t number = surety_val_int(code, 0);

    facts->status = decoder->is.status;
    if ((facts->status == 0 || facts->status / 100 == 2) && number >= 300 &&
        number <= 599)
        facts->status = (int)number;
    facts->sentence = error_sentence(val);
    facts->upstream =
        surety_val_str(surety_val_get(surety_val_get(val, "metadata"), "raw"));
    facts->param = surety_val_str(surety_val_get(val, "param"));
    error_name(facts, surety_val_str(code));
    if (surety_val_kind(details) == SURETY_KIND_OBJECT)
        error_details(decoder, facts, details);
    if (!surety_val_is(surety_val_get(val, "type"), "error"))
        error_name_in(facts, val, "type");
    error_name_in(facts, val, "status");
    if (surety_val_kind(details) == SURETY_KIND_ARRAY)
        error_details(decoder, facts, details);
}

/* Whether an error has contents: some gateways add an empty error to each
 * success. */
static bool error_has_content(surety_val error)
{
    SURETY_EACH (member, error)
        if (surety_val_str(member).len || surety_val_count(member) ||
            surety_val_bool(member, false) ||
            (surety_val_kind(member) == SURETY_KIND_NUMBER &&
             surety_val_int(member, 1) != 0))
            return true;
    return false;
}

surety_val surety__error_in(surety_val root)
{
    surety_val error;

    if (surety_val_kind(root) == SURETY_KIND_ARRAY)
        root = surety_val_first(root);
    error = surety_val_get(root, "error");
    if (error_has_content(error) || surety_val_str(error).len)
        return error;
    if (surety_val_is(surety_val_get(root, "type"), "error") ||
        surety_val_is(surety_val_get(root, "object"), "error"))
        return root;
    return surety_val_none();
}

void surety__error_take(surety__decoder *decoder, surety_val val)
{
    surety_buf *message = &decoder->error_message;
    error__facts facts = {.name_count = 0};

    if (decoder->is.broken)
        return;
    if (surety_val_kind(val) == SURETY_KIND_ARRAY)
        val = surety_val_first(val);
    error_gather(decoder, &facts, val);
    surety_buf_reset(&decoder->error_code);
    surety_buf_reset(message);
    surety__answer_show(decoder, &decoder->error_code,
                        facts.name_count
                            ? facts.names[0]
                            : surety_val_number(surety_val_get(val, "code")),
                        SURETY__NAME_MAX);
    surety__answer_show(decoder, message, facts.sentence, SURETY__MESSAGE_MAX);
    if (message->len && facts.upstream.len)
        surety_buf_text(message, ": ");
    surety__answer_show(decoder, message, facts.upstream, SURETY__MESSAGE_MAX);
    if (!message->len)
        surety__buf_printf(message, "an error without a message (status %d)",
                           facts.status);
    decoder->is.failure = error_class(&facts);
    decoder->is.broken = true;
}

/* ---- bodies that are not JSON -------------------------------------------- */

/* The first visible text of an HTML page, or the first line of another text. */
static surety_str error_first_text(surety_str body)
{
    static const char *const unseen[] = {"<script", "<style", "<!--"};
    static const char *const ends[] = {"</script", "</style", "-->"};

    for (;;) {
        size_t len = 0;

        body = surety__str_trim(body);
        if (!body.len || body.ptr[0] != '<') {
            while (len < body.len && body.ptr[len] != '\n' &&
                   body.ptr[len] != '\r' && body.ptr[len] != '<')
                len++;
            return (surety_str){body.ptr, len};
        }
        for (size_t i = 0; i < SURETY__COUNT(unseen); i++) {
            const surety_str start = surety_str_of(unseen[i]);

            if (surety__str_starts_nocase(body, start))
                len = surety__str_find_nocase(body, surety_str_of(ends[i]));
        }
        while (len < body.len && body.ptr[len] != '>')
            len++;
        len += len < body.len;
        surety__str_skip(&body, len);
    }
}

void surety__error_take_text(surety__decoder *decoder, surety_str body,
                             const char *before)
{
    error__facts facts = {.status = decoder->is.status};

    if (decoder->is.broken)
        return;
    facts.sentence = error_first_text(body);
    decoder->is.failure = error_class(&facts);
    decoder->is.broken = true;
    surety_buf_reset(&decoder->error_message);
    surety_buf_text(&decoder->error_message, before);
    surety__answer_show(decoder, &decoder->error_message, facts.sentence,
                        SURETY__MESSAGE_MAX);
    if (!facts.sentence.len)
        surety__buf_printf(&decoder->error_message, "status %d and no message",
                           decoder->is.status);
}

/* Whether a character is replaced by a blank: blanks, characters that a
 * terminal obeys or does not show, joiners, and bytes that are not UTF-8. */
static bool error_is_blank(uint32_t code)
{
    return code == ' ' || code == 0xA0 || code == 0x200C || code == 0x200D ||
           code == 0x202F || code > 0x10FFFF || surety__utf8_is_acted_on(code);
}

/* The length of the plain characters before the next that may begin a secret,
 * at most max. */
static size_t error_plain(surety_str text, surety_str secret, size_t max)
{
    size_t len = 0;

    while (len < text.len && len < max && text.ptr[len] > ' ' &&
           text.ptr[len] < 0x7F &&
           !(secret.len && text.ptr[len] == secret.ptr[0]))
        len++;
    return len;
}

void surety__error_clean(surety_buf *out, surety_str text, surety_str secret,
                         size_t max)
{
    const size_t start = out->len;
    bool blank = false;
    size_t i = 0;

    assert(max > 0);
    while (i < text.len) {
        const char *ptr = text.ptr + i;
        const size_t used = out->len - start + blank;
        unsigned len = 1;
        surety_str piece = {ptr, 0};

        piece.len = error_plain((surety_str){ptr, text.len - i}, secret,
                                used < max ? max - used : 0);
        i += piece.len;
        if (piece.len) {
            assert(used + piece.len <= max);
        } else if (secret.len && secret.len <= text.len - i &&
                   !memcmp(ptr, secret.ptr, secret.len)) {
            i += secret.len;
            piece = SURETY__LITERAL("***");
        } else {
            const uint32_t code =
                surety__utf8_decode(ptr, text.ptr + text.len, &len);

            i += len;
            if (error_is_blank(code)) {
                blank = out->len > start;
                continue;
            }
            piece.len = len;
        }
        if (out->status)
            return;
        if (out->len - start + piece.len + blank > max) {
            surety_buf_text(out, "...");
            return;
        }
        if (blank)
            surety_buf_byte(out, ' ');
        blank = false;
        surety_buf_add(out, piece);
    }
}
