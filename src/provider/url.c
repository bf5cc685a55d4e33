/* SPDX-License-Identifier: Apache-2.0 */
/* url.c: the base URL of a model: its parts, and its checks. */
#include "provider/protocol.h"
#include "provider/recording.h"

bool surety__call_is_exec(const surety_model *model)
{
    return surety__str_starts(model->base_url, SURETY__LITERAL("exec:"));
}

/* The length of the scheme with "://"; 0: neither http nor https. */
static size_t url_scheme_len(surety_str url)
{
    static const char *const schemes[] = {"https://", "http://"};

    for (size_t i = 0; i < SURETY__COUNT(schemes); i++) {
        const surety_str scheme = surety_str_of(schemes[i]);

        if (surety__str_starts_nocase(url, scheme))
            return scheme.len;
    }
    return 0;
}

/* The place of the first byte that is one of two; text.len: there is none. */
static size_t url_find(surety_str text, char one, char other)
{
    size_t i = 0;

    while (i < text.len && text.ptr[i] != one && text.ptr[i] != other)
        i++;
    return i;
}

surety__url surety__url_split(surety_str url)
{
    const size_t scheme = url_scheme_len(url);
    surety__url parts;
    surety_str rest = {url.ptr + scheme, url.len - scheme};
    size_t at = url_find(rest, '/', '?');

    parts.authority = (surety_str){rest.ptr, at};
    parts.host = parts.authority;
    if (parts.host.len && parts.host.ptr[0] != '[')
        parts.host.len = url_find(parts.host, ':', ':');
    at = scheme + at;
    at += url_find((surety_str){url.ptr + at, url.len - at}, '?', '?');
    parts.query = (surety_str){url.ptr + at, url.len - at};
    while (at > scheme && url.ptr[at - 1] == '/')
        at--;
    assert(at >= scheme && at + parts.query.len <= url.len);
    parts.base = (surety_str){url.ptr, at};
    return parts;
}

surety_str surety__url_path(surety_str url)
{
    if (url_scheme_len(url)) {
        const surety_str authority = surety__url_split(url).authority;

        surety__str_skip(&url,
                         (size_t)(authority.ptr + authority.len - url.ptr));
    }
    return url;
}

surety_status surety__url_check(const surety_model *model, surety_error *reterr)
{
    const surety_str url = model->base_url;
    const int len = url.len < 200 ? (int)url.len : 200;
    surety__url parts;

    if (!url.len) {
        surety__fail(reterr, SURETY_MISUSE, "the model has no base URL");
        surety__hint(reterr, "give the URL with the version and without the "
                             "method's path, https://HOST/v1");
        return SURETY_MISUSE;
    }
    if (surety__call_is_exec(model) && url.len == 5)
        return surety__fail(reterr, SURETY_MISUSE, "no command follows exec:");
    if (surety__call_is_exec(model))
        return memchr(url.ptr, 0, url.len)
                   ? surety__fail(reterr, SURETY_MISUSE,
                                  "the command has a NUL character")
                   : SURETY_OK;
    if (!url_scheme_len(url)) {
        surety__fail(reterr, SURETY_MISUSE,
                     "the base URL %.*s is neither https:// nor http://", len,
                     url.ptr);
        return SURETY_MISUSE;
    }
    for (size_t i = 0; i < url.len; i++)
        if (!surety__is_letter(url.ptr[i]) && !surety__is_digit(url.ptr[i]) &&
            (url.ptr[i] <= ' ' || url.ptr[i] > '~' ||
             strchr("\"<>\\^`{|}#", url.ptr[i])))
            return surety__fail(
                reterr, SURETY_MISUSE,
                "byte %zu of the base URL is not allowed in a URL", i);
    parts = surety__url_split(url);
    if (!parts.host.len)
        return surety__fail(reterr, SURETY_MISUSE, "the base URL has no host");
    if (memchr(parts.authority.ptr, '@', parts.authority.len)) {
        surety__fail(reterr, SURETY_MISUSE,
                     "the base URL has a user or a password");
        surety__hint(reterr, "give it as a key or as a secret header: a URL "
                             "is shown and recorded");
        return SURETY_MISUSE;
    }
    return SURETY_OK;
}

bool surety__call_host_ends(const surety__call *call, const char *domain)
{
    const surety_str host = surety__call_is_exec(call->model)
                                ? (surety_str){NULL, 0}
                                : surety__url_split(call->model->base_url).host;
    const surety_str end = surety_str_of(domain);

    if (host.len < end.len ||
        (host.len > end.len && host.ptr[host.len - end.len - 1] != '.'))
        return false;
    return surety__str_equal_nocase(
        (surety_str){host.ptr + host.len - end.len, end.len}, end);
}
