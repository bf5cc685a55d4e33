/* SPDX-License-Identifier: Apache-2.0 */
/* failure.c: reads a provider's error and finds its class.
 *
 * Providers differ: the error is an object, a text, or the first item of an
 * array; its name is a code, a type, a status, or a reason in its details. So
 * all names in an error are collected, its sentences are searched in lower
 * case, and the first row of one table that fits decides. Rows with a name or
 * a phrase come before the status, because a status alone says too little: 429
 * means "too fast" and also "nothing left to spend", 400 means a wrong request
 * and also a schema that is too large. If no row fits, the status decides
 * (surety__error_of_status), and after it a second table with names that say
 * little.
 *
 * An error is shown as one line without control characters, of limited length,
 * with the caller's key masked. */
#include "provider/protocol.h"

enum { ERROR_WORDS = 8, ERROR_SEARCH_MAX = 8192 };

typedef struct error__facts {
    surety_str words[ERROR_WORDS]; /* names; the first one is shown */
    size_t word_count;
    surety_str sentence;
    surety_str beneath; /* the message of a provider behind this one */
    surety_str param;
    int status;
    surety_buf search; /* all its texts, in lower case */
} error__facts;

typedef struct error__row {
    const char *word;   /* one of the names; NULL: any */
    const char *phrase; /* in lower case; NULL: any */
    int status;         /* 0: any */
    surety_failure failure;
} error__row;

/* The first row that fits decides. Sources: the providers' API references and,
 * for phrases, the messages of their servers. */
static const error__row error_rows[] = {
    /* Money. */
    {"insufficient_quota", NULL, 0, SURETY_FAILURE_QUOTA},
    {"billing_hard_limit_reached", NULL, 0, SURETY_FAILURE_QUOTA},
    {"billing_not_active", NULL, 0, SURETY_FAILURE_QUOTA},
    {"billing_error", NULL, 0, SURETY_FAILURE_QUOTA},
    {"insufficient_credits", NULL, 0, SURETY_FAILURE_QUOTA},
    {"insufficient_balance", NULL, 0, SURETY_FAILURE_QUOTA},
    {"credit_balance_too_low", NULL, 0, SURETY_FAILURE_QUOTA},
    {"credits_exhausted", NULL, 0, SURETY_FAILURE_QUOTA},
    {"payment_required", NULL, 0, SURETY_FAILURE_QUOTA},
    {"enforced_spend_limit_reached", NULL, 0, SURETY_FAILURE_QUOTA},
    {"quota_per_day", NULL, 0, SURETY_FAILURE_QUOTA},
    {NULL, "credit balance is too low", 0, SURETY_FAILURE_QUOTA},
    {NULL, "insufficient credits", 0, SURETY_FAILURE_QUOTA},
    {NULL, "insufficient balance", 0, SURETY_FAILURE_QUOTA},
    {NULL, "specified api usage limits", 0, SURETY_FAILURE_QUOTA},
    {NULL, "required for long context requests", 0, SURETY_FAILURE_QUOTA},
    /* Keys. */
    {"invalid_api_key", NULL, 0, SURETY_FAILURE_AUTH},
    {"api_key_invalid", NULL, 0, SURETY_FAILURE_AUTH},
    {"api_key_expired", NULL, 0, SURETY_FAILURE_AUTH},
    {"authentication_error", NULL, 0, SURETY_FAILURE_AUTH},
    {"unauthenticated", NULL, 0, SURETY_FAILURE_AUTH},
    {"account_deactivated", NULL, 0, SURETY_FAILURE_AUTH},
    {NULL, "api key not valid", 0, SURETY_FAILURE_AUTH},
    {NULL, "api key expired", 0, SURETY_FAILURE_AUTH},
    /* A filter for prompts. */
    {"content_policy_violation", NULL, 0, SURETY_FAILURE_FILTER},
    {"content_filter", NULL, 0, SURETY_FAILURE_FILTER},
    {"moderation_blocked", NULL, 0, SURETY_FAILURE_FILTER},
    {"invalid_prompt", NULL, 0, SURETY_FAILURE_FILTER},
    {NULL, "your input was flagged", 0, SURETY_FAILURE_FILTER},
    {NULL, "blocked by content filtering policy", 0, SURETY_FAILURE_FILTER},
    /* Length. */
    {"context_length_exceeded", NULL, 0, SURETY_FAILURE_CONTEXT},
    {"exceed_context_size_error", NULL, 0, SURETY_FAILURE_CONTEXT},
    {"string_above_max_length", NULL, 0, SURETY_FAILURE_CONTEXT},
    {"tokens_limit_reached", NULL, 0, SURETY_FAILURE_CONTEXT},
    {NULL, "prompt is too long", 0, SURETY_FAILURE_CONTEXT},
    {NULL, "maximum context length", 0, SURETY_FAILURE_CONTEXT},
    {NULL, "exceed context limit", 0, SURETY_FAILURE_CONTEXT},
    {NULL, "exceeds the available context", 0, SURETY_FAILURE_CONTEXT},
    {NULL, "exceeds the context window", 0, SURETY_FAILURE_CONTEXT},
    {NULL, "exceeds the maximum number of tokens", 0, SURETY_FAILURE_CONTEXT},
    {NULL, "input length exceeds", 0, SURETY_FAILURE_CONTEXT},
    {NULL, "maximum model length", 0, SURETY_FAILURE_CONTEXT},
    {NULL, "greater than the context length", 0, SURETY_FAILURE_CONTEXT},
    {NULL, "with a larger context length", 0, SURETY_FAILURE_CONTEXT},
    {NULL, "cannot truncate prompt with n_keep", 0, SURETY_FAILURE_CONTEXT},
    /* A limit per minute that this call alone exceeds: waiting does not
     * help. */
    {NULL, "request too large for", 413, SURETY_FAILURE_CONTEXT},
    {NULL, "request too large for", 429, SURETY_FAILURE_CONTEXT},
    /* The schema, or the mode that carries it. */
    {"invalid_json_schema", NULL, 0, SURETY_FAILURE_SCHEMA},
    {"invalid_function_parameters", NULL, 0, SURETY_FAILURE_SCHEMA},
    {"json_validate_failed", NULL, 0, SURETY_FAILURE_SCHEMA},
    {"tool_use_failed", NULL, 0, SURETY_FAILURE_SCHEMA},
    {NULL, "compiled grammar is too large", 0, SURETY_FAILURE_SCHEMA},
    {NULL, "schema is too complex", 0, SURETY_FAILURE_SCHEMA},
    {NULL, "too many states for serving", 0, SURETY_FAILURE_SCHEMA},
    {NULL, "failed to parse grammar", 0, SURETY_FAILURE_SCHEMA},
    {NULL, "failed to initialize samplers", 0, SURETY_FAILURE_SCHEMA},
    {NULL, "invalid grammar", 0, SURETY_FAILURE_SCHEMA},
    {NULL, "invalid json schema", 0, SURETY_FAILURE_SCHEMA},
    {NULL, "json schema conversion failed", 0, SURETY_FAILURE_SCHEMA},
    {NULL, "when tool_choice forces tool use", 0, SURETY_FAILURE_SCHEMA},
    {NULL, "does not support tools", 0, SURETY_FAILURE_SCHEMA},
    {NULL, "support tool use", 0, SURETY_FAILURE_SCHEMA},
    {NULL, "handle the requested parameters", 0, SURETY_FAILURE_SCHEMA},
    {NULL, "json mode is not enabled", 0, SURETY_FAILURE_SCHEMA},
    {NULL, "function calling is not enabled", 0, SURETY_FAILURE_SCHEMA},
    {NULL, "response_format", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "response_format", 422, SURETY_FAILURE_SCHEMA},
    {NULL, "text.format", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "output_config", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "output_format", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "input_schema", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "tool_choice", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "tool_choice", 422, SURETY_FAILURE_SCHEMA},
    {NULL, "json_schema", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "json schema", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "response_schema", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "responseschema", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "response_json_schema", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "responsejsonschema", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "function_declarations", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "schema in generationconfig", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "functiondeclaration", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "function calling", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "tool calling", 400, SURETY_FAILURE_SCHEMA},
    {NULL, "structured output", 400, SURETY_FAILURE_SCHEMA},
    /* The only tool that is ever sent is the one that carries the schema. */
    {NULL, "tools.0.", 400, SURETY_FAILURE_SCHEMA},
    /* The model. */
    {"model_not_found", NULL, 0, SURETY_FAILURE_MODEL},
    {"model_not_available", NULL, 0, SURETY_FAILURE_MODEL},
    {"deploymentnotfound", NULL, 0, SURETY_FAILURE_MODEL},
    {"not_found_error", NULL, 0, SURETY_FAILURE_MODEL},
    {"not_found", NULL, 0, SURETY_FAILURE_MODEL},
    {NULL, "is not a valid model id", 0, SURETY_FAILURE_MODEL},
    /* Too many requests. */
    {"rate_limit_exceeded", NULL, 0, SURETY_FAILURE_RATE_LIMIT},
    {"rate_limit_error", NULL, 0, SURETY_FAILURE_RATE_LIMIT},
    {"resource_exhausted", NULL, 0, SURETY_FAILURE_RATE_LIMIT},
    {"too_many_requests", NULL, 0, SURETY_FAILURE_RATE_LIMIT},
    {"slow_down", NULL, 0, SURETY_FAILURE_RATE_LIMIT},
    {"overloaded_error", NULL, 0, SURETY_FAILURE_OVERLOADED},
    {"server_is_overloaded", NULL, 0, SURETY_FAILURE_OVERLOADED},
    {"engine_overloaded", NULL, 0, SURETY_FAILURE_OVERLOADED},
    {"capacity_exceeded", NULL, 0, SURETY_FAILURE_OVERLOADED},
    {"engine_overloaded_error", NULL, 0, SURETY_FAILURE_OVERLOADED},
    {"model_overloaded", NULL, 0, SURETY_FAILURE_OVERLOADED},
    {"unavailable", NULL, 0, SURETY_FAILURE_OVERLOADED},
    {NULL, "is overloaded", 0, SURETY_FAILURE_OVERLOADED},
    {NULL, "currently overloaded", 0, SURETY_FAILURE_OVERLOADED},
};

/* Names that say little: they come after the status. */
static const error__row error_rows_last[] = {
    {"permission_error", NULL, 0, SURETY_FAILURE_AUTH},
    {"permission_denied", NULL, 0, SURETY_FAILURE_AUTH},
    {"invalid_request_error", NULL, 0, SURETY_FAILURE_REQUEST},
    {"request_too_large", NULL, 0, SURETY_FAILURE_REQUEST},
    {"invalid_argument", NULL, 0, SURETY_FAILURE_REQUEST},
    {"failed_precondition", NULL, 0, SURETY_FAILURE_REQUEST},
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

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
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

static bool error_fits(const error__facts *facts, const error__row *row)
{
    bool named = !row->word;

    if (row->status && row->status != facts->status)
        return false;
    if (row->phrase &&
        surety__str_find(surety_buf_str(&facts->search),
                         surety_str_of(row->phrase)) == facts->search.len)
        return false;
    for (size_t i = 0; !named && i < facts->word_count; i++)
        named =
            surety__str_equal_nocase(facts->words[i], surety_str_of(row->word));
    return named;
}

static surety_failure error_class(const error__facts *facts)
{
    surety_failure failure;

    for (size_t i = 0; i < sizeof(error_rows) / sizeof(*error_rows); i++)
        if (error_fits(facts, &error_rows[i]))
            return error_rows[i].failure;
    failure = surety__error_of_status(facts->status);
    if (failure)
        return failure;
    for (size_t i = 0; i < sizeof(error_rows_last) / sizeof(*error_rows_last);
         i++)
        if (error_fits(facts, &error_rows_last[i]))
            return error_rows_last[i].failure;
    return SURETY_FAILURE_SERVER;
}

/* ---- contents of an error ------------------------------------------------ */

static void error_word(error__facts *facts, surety_val val)
{
    const surety_str word = surety_val_str(val);

    if (word.len && word.len <= SURETY__WORD_MAX &&
        facts->word_count < ERROR_WORDS)
        facts->words[facts->word_count++] = word;
}

static surety_str error_sentence(surety_val val)
{
    static const char *const members[] = {
        "message", "detail", "error", "error_description", "msg", "title"};

    if (surety_val_kind(val) == SURETY_KIND_STRING)
        return surety_val_str(val);
    for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
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
        error_word(facts, surety_val_get(details, "error_code"));
        return;
    }
    for (surety_val item = surety_val_first(details); item.doc;
         item = surety_val_next(details, item)) {
        surety_str delay = surety_val_str(surety_val_get(item, "retryDelay"));
        const surety_val violations = surety_val_get(item, "violations");

        error_word(facts, surety_val_get(item, "reason"));
        if (delay.len && delay.ptr[delay.len - 1] == 's' &&
            decoder->is.retry_after < 0) {
            delay.len--;
            decoder->is.retry_after = surety__retry_seconds(delay);
        }
        for (surety_val one = surety_val_first(violations); one.doc;
             one = surety_val_next(violations, one)) {
            const surety_str quota =
                surety_val_str(surety_val_get(one, "quotaId"));

            if (surety__str_find(quota, SURETY__LITERAL("PerDay")) < quota.len)
                facts->words[facts->word_count < ERROR_WORDS
                                 ? facts->word_count++
                                 : ERROR_WORDS - 1] =
                    SURETY__LITERAL("quota_per_day");
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
    facts->beneath =
        surety_val_str(surety_val_get(surety_val_get(val, "metadata"), "raw"));
    facts->param = surety_val_str(surety_val_get(val, "param"));
    error_word(facts, code);
    if (surety_val_kind(details) == SURETY_KIND_OBJECT)
        error_details(decoder, facts, details);
    if (!surety_val_is(surety_val_get(val, "type"), "error"))
        error_word(facts, surety_val_get(val, "type"));
    error_word(facts, surety_val_get(val, "status"));
    if (surety_val_kind(details) == SURETY_KIND_ARRAY)
        error_details(decoder, facts, details);
}

static void error_search_add(surety_buf *out, surety_str text)
{
    const size_t len =
        text.len < ERROR_SEARCH_MAX ? text.len : ERROR_SEARCH_MAX;

    for (size_t i = 0; i < len; i++) {
        const char byte = text.ptr[i];

        surety_buf_byte(out,
                        byte >= 'A' && byte <= 'Z' ? (char)(byte + 32) : byte);
    }
    surety_buf_byte(out, '\n');
}

/* Whether an error has contents: some gateways add an empty error to each
 * success. */
static bool error_says(surety_val error)
{
    for (surety_val member = surety_val_first(error); member.doc;
         member = surety_val_next(error, member))
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
    if (error_says(error) || surety_val_str(error).len)
        return error;
    if (surety_val_is(surety_val_get(root, "type"), "error") ||
        surety_val_is(surety_val_get(root, "object"), "error"))
        return root;
    return surety_val_none();
}

static void error_say(surety__decoder *decoder, const error__facts *facts,
                      surety_val code)
{
    const surety_str secret = surety_buf_str(&decoder->secret);
    surety_buf *message = &decoder->error_message;

    surety_buf_reset(&decoder->error_code);
    surety_buf_reset(message);
    surety__error_clean(&decoder->error_code,
                        facts->word_count ? facts->words[0]
                                          : surety_val_number(code),
                        secret, SURETY__WORD_MAX);
    surety__error_clean(message, facts->sentence, secret, SURETY__SAID_MAX);
    if (facts->beneath.len) {
        if (message->len)
            surety_buf_text(message, ": ");
        surety__error_clean(message, facts->beneath, secret, SURETY__SAID_MAX);
    }
    if (!message->len)
        surety__buf_printf(message, "an error without a message (status %d)",
                           facts->status);
}

void surety__error_take(surety__decoder *decoder, surety_val val)
{
    error__facts facts = {.word_count = 0};

    if (decoder->is.broken)
        return;
    if (surety_val_kind(val) == SURETY_KIND_ARRAY)
        val = surety_val_first(val);
    surety_buf_init(&facts.search, decoder->alloc, 0);
    error_gather(decoder, &facts, val);
    error_search_add(&facts.search, facts.sentence);
    error_search_add(&facts.search, facts.beneath);
    error_search_add(&facts.search, facts.param);
    error_say(decoder, &facts, surety_val_get(val, "code"));
    decoder->is.failure = error_class(&facts);
    decoder->is.broken = true;
    if (facts.search.status)
        decoder->is.starved = true;
    surety_buf_done(&facts.search);
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
        for (size_t i = 0; i < sizeof(unseen) / sizeof(*unseen); i++) {
            const surety_str start = surety_str_of(unseen[i]);

            if (surety__str_starts_nocase(body, start))
                len = surety__str_find_nocase(body, surety_str_of(ends[i]));
        }
        while (len < body.len && body.ptr[len] != '>')
            len++;
        len += len < body.len;
        body.ptr += len;
        body.len -= len;
    }
}

void surety__error_take_text(surety__decoder *decoder, surety_str body,
                             const char *before)
{
    const surety_str secret = surety_buf_str(&decoder->secret);
    error__facts facts = {.status = decoder->is.status};

    if (decoder->is.broken)
        return;
    facts.sentence = error_first_text(body);
    surety_buf_init(&facts.search, decoder->alloc, 0);
    error_search_add(&facts.search, facts.sentence);
    decoder->is.failure = error_class(&facts);
    if (facts.search.status)
        decoder->is.starved = true;
    surety_buf_done(&facts.search);
    decoder->is.broken = true;
    surety_buf_reset(&decoder->error_message);
    surety_buf_text(&decoder->error_message, before);
    surety__error_clean(&decoder->error_message, facts.sentence, secret,
                        SURETY__SAID_MAX);
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

void surety__error_clean(surety_buf *out, surety_str text, surety_str secret,
                         size_t max)
{
    const size_t start = out->len;
    bool blank = false;
    size_t i = 0;

    while (i < text.len) {
        const char *ptr = text.ptr + i;
        unsigned len = 1;
        surety_str piece = {ptr, 0};

        if (secret.len && secret.len <= text.len - i &&
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
