/* SPDX-License-Identifier: Apache-2.0 */
/* redact.c: removes keys from a recording, because recordings are shared and
 * committed.
 *
 * The headers and parts of the URL that carry keys are known. They are left
 * out, and then the texts of the keys are searched everywhere else: servers
 * quote a wrong key in their errors, and a prompt may contain one by accident.
 * A response is searched as one text, so a key that is divided between two
 * chunks is found too.
 *
 * It does not search for texts that look like keys: secrets of other requests
 * remain. */
#include "provider/redact.h"

#include "provider/provider.h"
#include "provider/transport.h"

enum { REDACT_LEN_MIN = 8 };

static const char redact_mask[] = "***";
enum { REDACT_MASK_LEN = sizeof(redact_mask) - 1 };

static bool redact_is_secret(const surety_header *header)
{
    return header->secret || surety__header_is_secret(header->name);
}

/* ---- the URL ------------------------------------------------------------- */

/* The text before "@" in the URL's authority; empty if there is none. */
static surety_str redact_userinfo(surety_str url)
{
    const size_t begin = surety__str_find(url, SURETY__LITERAL("://")) + 3;
    size_t at = begin;
    size_t end = begin;

    for (; at < url.len && !memchr("/?#", url.ptr[at], 3); at++)
        if (url.ptr[at] == '@')
            end = at;
    return begin < url.len ? (surety_str){url.ptr + begin, end - begin}
                           : (surety_str){url.ptr, 0};
}

/* Finds the next query parameter with the name of a secret at or after *at.
 * Sets its value and moves *at behind it; false: there is none. */
static bool redact_member(surety_str url, size_t *at, surety_str *ret_value)
{
    while (*at < url.len) {
        const char before = url.ptr[(*at)++];
        surety_str name = {url.ptr + *at, 0};
        surety_str value;

        if (before != '?' && before != '&')
            continue;
        while (*at + name.len < url.len &&
               !memchr("=&#", url.ptr[*at + name.len], 3))
            name.len++;
        if (*at + name.len >= url.len || url.ptr[*at + name.len] != '=')
            continue;
        value = (surety_str){name.ptr + name.len + 1, 0};
        while (value.ptr + value.len < url.ptr + url.len &&
               !memchr("&#", value.ptr[value.len], 2))
            value.len++;
        if (!surety__name_is_secret(name))
            continue;
        *at += name.len + 1 + value.len;
        *ret_value = value;
        return true;
    }
    return false;
}

/* ---- collecting ---------------------------------------------------------- */

struct redact_bag {
    surety__arena *arena;
    surety__secrets *secrets;
    size_t cap;
    surety_buf form; /* the current form of a secret */
    bool starved;
};

static void redact_put_text(struct redact_bag *bag, surety_str text)
{
    surety_str copy;

    assert(bag->secrets->count <= bag->cap);
    if (text.len < REDACT_LEN_MIN || bag->secrets->count == bag->cap)
        return;
    for (size_t i = 0; i < bag->secrets->count; i++)
        if (surety_str_equal(bag->secrets->texts[i], text))
            return;
    copy = surety__arena_text(bag->arena, text);
    if (copy.ptr)
        bag->secrets->texts[bag->secrets->count++] = copy;
    else
        bag->starved = true;
}

/* Adds text, and its forms in a JSON string and in a URL. */
static void redact_put_forms(struct redact_bag *bag, surety_str text)
{
    surety_buf *form = &bag->form;

    redact_put_text(bag, text);
    surety_buf_reset(form);
    surety_json_string(form, text);
    if (!form->status)
        redact_put_text(bag, (surety_str){form->ptr + 1, form->len - 2});
    else
        bag->starved = true;
    surety_buf_reset(form);
    surety__buf_percent(form, text, "");
    if (!form->status)
        redact_put_text(bag, surety_buf_str(form));
    else
        bag->starved = true;
}

/* Adds text, and the part after its first separator: "Bearer KEY",
 * "user:KEY". */
static void redact_put(struct redact_bag *bag, surety_str text, char separator)
{
    const char *at = text.len ? memchr(text.ptr, separator, text.len) : NULL;

    redact_put_forms(bag, text);
    if (at)
        redact_put_forms(
            bag, (surety_str){at + 1, (size_t)(text.ptr + text.len - at) - 1});
}

surety_status surety__secrets_of(const surety_request *request,
                                 surety__arena *arena,
                                 surety__secrets *ret_secrets)
{
    const surety_str url = request->url;
    struct redact_bag bag = {.arena = arena, .secrets = ret_secrets};
    size_t sources = 1;
    size_t at = 0;
    surety_str value;

    for (size_t i = 0; i < request->header_count; i++)
        sources += redact_is_secret(&request->headers[i]);
    while (redact_member(url, &at, &value))
        sources++;
    bag.cap = 6 * sources;
    *ret_secrets = (surety__secrets){
        .texts = surety__arena_take(arena, bag.cap * sizeof(surety_str))};
    if (!ret_secrets->texts)
        return SURETY_NOMEM;
    surety_buf_init(&bag.form, arena->alloc, 0);
    for (size_t i = 0; i < request->header_count; i++)
        if (redact_is_secret(&request->headers[i]))
            redact_put(&bag, request->headers[i].value, ' ');
    redact_put(&bag, redact_userinfo(url), ':');
    for (at = 0; redact_member(url, &at, &value);)
        redact_put_forms(&bag, value);
    surety_buf_done(&bag.form);
    return bag.starved ? SURETY_NOMEM : SURETY_OK;
}

/* ---- replacing ----------------------------------------------------------- */

/* The first secret in text at or after from, the longest if several begin
 * there; len 0: none. nexts has the last position found for each secret, which
 * makes all calls together linear. */
static surety_str redact_find(const surety__secrets *secrets, size_t *nexts,
                              surety_str text, size_t from)
{
    surety_str found = {text.ptr + text.len, 0};

    assert(from <= text.len);
    for (size_t i = 0; i < secrets->count; i++) {
        const surety_str secret = secrets->texts[i];
        const char *at;

        if (nexts[i] < from)
            nexts[i] = from + surety__str_find((surety_str){text.ptr + from,
                                                            text.len - from},
                                               secret);
        at = text.ptr + nexts[i];
        if (nexts[i] < text.len &&
            (at < found.ptr || (at == found.ptr && secret.len > found.len)))
            found = (surety_str){at, secret.len};
    }
    return found;
}

/* Copies the portions of joined into arena, with every secret replaced, also
 * one that several portions share. A portion that becomes empty is removed, and
 * its time is added to the next one. */
static surety_status redact_portions(const surety__secrets *secrets,
                                     surety__arena *arena, surety_str joined,
                                     surety__exchange *exchange)
{
    surety__portion *portions =
        surety__arena_take(arena, exchange->portion_count * sizeof(*portions));
    /* The first offset of each secret. */
    size_t *nexts =
        surety__arena_take(arena, (secrets->count + 1) * sizeof(size_t));
    surety_str secret;
    surety_buf out;
    size_t count = 0;
    size_t from = 0; /* end of the processed part of joined */
    size_t end = 0;  /* end of the portion in joined */
    uint32_t carry_ms = 0;
    bool starved = false;

    if (!portions || !nexts)
        return SURETY_NOMEM;
    for (size_t i = 0; i < secrets->count; i++)
        nexts[i] = surety__str_find(joined, secrets->texts[i]);
    if (!joined.len)
        joined.ptr = ""; /* arithmetic on NULL is undefined */
    surety_buf_init(&out, arena->alloc, 0);
    secret = redact_find(secrets, nexts, joined, 0);
    for (size_t i = 0; i < exchange->portion_count && !starved; i++) {
        surety__portion portion = exchange->portions[i];

        end += portion.bytes.len;
        surety_buf_reset(&out);
        while (secret.len && (size_t)(secret.ptr - joined.ptr) < end) {
            const size_t begin = (size_t)(secret.ptr - joined.ptr);

            surety_buf_append(&out, joined.ptr + from, begin - from);
            surety_buf_append(&out, redact_mask, REDACT_MASK_LEN);
            from = begin + secret.len;
            secret = redact_find(secrets, nexts, joined, from);
        }
        if (from < end) {
            surety_buf_append(&out, joined.ptr + from, end - from);
            from = end;
        }
        carry_ms = portion.after_ms > UINT32_MAX - carry_ms
                       ? UINT32_MAX
                       : carry_ms + portion.after_ms;
        starved = out.status != SURETY_OK;
        if (portion.bytes.len && !out.len)
            continue;
        portions[count].after_ms = carry_ms;
        portions[count].bytes = surety__arena_text(arena, surety_buf_str(&out));
        starved = starved || !portions[count].bytes.ptr;
        count++;
        carry_ms = 0;
    }
    exchange->portions = portions;
    exchange->portion_count = count;
    exchange->end_after_ms = exchange->end_after_ms > UINT32_MAX - carry_ms
                                 ? UINT32_MAX
                                 : exchange->end_after_ms + carry_ms;
    surety_buf_done(&out);
    return starved ? SURETY_NOMEM : SURETY_OK;
}

/* Copies text into arena, with every secret replaced. */
static surety_status redact_text(const surety__secrets *secrets,
                                 surety__arena *arena, surety_str text,
                                 surety_str *ret_text)
{
    const surety__portion whole = {.bytes = text};
    surety__exchange exchange = {.portions = &whole, .portion_count = 1};
    const surety_status status =
        redact_portions(secrets, arena, text, &exchange);

    if (status)
        return status;
    assert(exchange.portion_count == 1); /* "***" is not empty */
    *ret_text = exchange.portions[0].bytes;
    return SURETY_OK;
}

/* Copies the URL without userinfo and values of secret parameters, of any
 * length, then replaces secrets as in any text. */
static surety_status redact_url(const surety__secrets *secrets,
                                surety__arena *arena, surety_str url,
                                surety_str *ret_url)
{
    const surety_str userinfo = redact_userinfo(url);
    surety_buf out;
    surety_str value;
    surety_status status;
    size_t from = 0;
    size_t at = 0;

    if (!url.len)
        url.ptr = "";
    surety_buf_init(&out, arena->alloc, 0);
    if (userinfo.len) {
        from = (size_t)(userinfo.ptr - url.ptr);
        surety_buf_append(&out, url.ptr, from);
        surety_buf_append(&out, redact_mask, REDACT_MASK_LEN);
        from += userinfo.len;
    }
    while (redact_member(url, &at, &value)) {
        const size_t begin = (size_t)(value.ptr - url.ptr);

        surety_buf_append(&out, url.ptr + from, begin - from);
        if (value.len)
            surety_buf_append(&out, redact_mask, REDACT_MASK_LEN);
        from = begin + value.len;
    }
    surety_buf_append(&out, url.ptr + from, url.len - from);
    status = out.status
                 ? SURETY_NOMEM
                 : redact_text(secrets, arena, surety_buf_str(&out), ret_url);
    surety_buf_done(&out);
    return status;
}

/* Copies headers into arena without secrets: a request's that carry one, or are
 * for a recorder, are left out, and of set-cookie the value. */
static surety_status redact_headers(const surety__secrets *secrets,
                                    surety__arena *arena, bool request,
                                    const surety_header **headers,
                                    size_t *count)
{
    surety_header *copies =
        surety__arena_take(arena, (*count + 1) * sizeof(*copies));
    surety_status status = copies ? SURETY_OK : SURETY_NOMEM;
    size_t taken = 0;

    for (size_t i = 0; i < *count && !status; i++) {
        const surety_header *header = &(*headers)[i];
        const bool cookie =
            !request && surety__str_equal_nocase(header->name,
                                                 SURETY__LITERAL("set-cookie"));

        if (request && (redact_is_secret(header) ||
                        surety__header_is_internal(header->name)))
            continue;
        status = redact_text(secrets, arena, header->name, &copies[taken].name);
        if (!status)
            status =
                redact_text(secrets, arena,
                            cookie ? surety_str_of(redact_mask) : header->value,
                            &copies[taken].value);
        taken++;
    }
    *headers = copies;
    *count = status ? 0 : taken;
    return status;
}

surety_status surety__redact_request(const surety__secrets *secrets,
                                     const surety_request *request,
                                     surety__arena *arena,
                                     surety__exchange *ret_exchange)
{
    surety_status status =
        redact_text(secrets, arena, request->method, &ret_exchange->method);

    ret_exchange->headers = request->headers;
    ret_exchange->header_count = request->header_count;
    if (!status)
        status = redact_url(secrets, arena, request->url, &ret_exchange->url);
    if (!status)
        status = redact_headers(secrets, arena, true, &ret_exchange->headers,
                                &ret_exchange->header_count);
    return status ? status
                  : redact_text(secrets, arena, request->body,
                                &ret_exchange->body);
}

/* Appends all portions to out. Returns whether they contain a secret. */
static bool redact_join(const surety__secrets *secrets,
                        const surety__exchange *exchange, surety_buf *out)
{
    for (size_t i = 0; i < exchange->portion_count; i++)
        surety_buf_add(out, exchange->portions[i].bytes);
    for (size_t i = 0; i < secrets->count && !out->status; i++)
        if (surety__str_find(surety_buf_str(out), secrets->texts[i]) < out->len)
            return true;
    return false;
}

surety_status surety__redact_response(const surety__secrets *secrets,
                                      surety__arena *arena,
                                      surety__exchange *exchange)
{
    surety_status status =
        redact_headers(secrets, arena, false, &exchange->response_headers,
                       &exchange->response_header_count);
    char *message = exchange->delivery.message;
    surety_buf joined;
    surety_str text;

    if (!status)
        status = redact_text(secrets, arena, surety_str_of(message), &text);
    if (!status) {
        /* It cannot become longer: "***" is shorter than any secret. */
        assert(text.len < sizeof(exchange->delivery.message));
        memset(message, 0, sizeof(exchange->delivery.message));
        memcpy(message, text.ptr, text.len);
    }
    surety_buf_init(&joined, arena->alloc, 0);
    if (!status && secrets->count && redact_join(secrets, exchange, &joined))
        status =
            redact_portions(secrets, arena, surety_buf_str(&joined), exchange);
    if (joined.status)
        status = SURETY_NOMEM;
    surety_buf_done(&joined);
    return status;
}
