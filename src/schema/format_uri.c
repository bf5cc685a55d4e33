/* SPDX-License-Identifier: Apache-2.0 */
/* URIs, IRIs and URI templates, character by character: RFC 3986, appendix A;
 * RFC 3987, section 2.2; RFC 6570, section 2.
 *
 * The one idea: a reference is read from left to right in one pass. Each part
 * goes as far as its own set of characters does, and the next character must be
 * the delimiter of a part that may come next (uri.h cuts them so too). The sets
 * are bits of one table of the ASCII characters. What lies above ASCII is a
 * character of IRIs only; the marks of direction that RFC 3987, 4.1, forbids
 * are none. */
#include "schema/format.h"

/* The parts in which a character is allowed. */
enum uri_part {
    URI_SCHEME = 1,
    URI_USER = 2,    /* userinfo */
    URI_NAME = 4,    /* reg-name */
    URI_SEGMENT = 8, /* a path, slashes included */
    URI_QUERY = 16,
    URI_FRAGMENT = 32,
    URI_FUTURE = 64,  /* IPvFuture behind its dot */
    URI_LITERAL = 128 /* literals of a template */
};

/* Characters that are allowed in the same parts. */
enum {
    URI_0 = 0,
    URI_L = URI_LITERAL,
    URI_Q = URI_QUERY | URI_FRAGMENT | URI_LITERAL,
    URI_P = URI_Q | URI_SEGMENT,
    URI_C = URI_P | URI_USER | URI_FUTURE,
    URI_T = URI_C | URI_NAME,
    URI_A = URI_T | URI_SCHEME
};

/* The parts in which a character but "%" is allowed, 16 characters a row; none
 * above ASCII. */
static const unsigned char uri_parts[256] = {
#define ROW(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                    \
    URI_##a, URI_##b, URI_##c, URI_##d, URI_##e, URI_##f, URI_##g, URI_##h,    \
        URI_##i, URI_##j, URI_##k, URI_##l, URI_##m, URI_##n, URI_##o, URI_##p
    ROW(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    ROW(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    ROW(0, T, 0, L, T, 0, T, T, T, T, T, A, T, A, A, P),
    ROW(A, A, A, A, A, A, A, A, A, A, C, T, 0, T, 0, Q),
    ROW(P, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A),
    ROW(A, A, A, A, A, A, A, A, A, A, A, L, 0, L, 0, T),
    ROW(0, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A),
    ROW(A, A, A, A, A, A, A, A, A, A, A, 0, 0, 0, T, 0),
#undef ROW
};

/* RFC 3987, 2.2: ucschar, and with `private` iprivate too. The planes end in
 * two noncharacters; plane 14 begins with the tags. */
static bool uri_is_wide(uint32_t code, bool private)
{
    if (code < 0x10000) {
        if ((code >= 0x200E && code <= 0x200F) ||
            (code >= 0x202A && code <= 0x202E))
            return false;
        return (code >= 0xA0 && code <= 0xD7FF) ||
               (code >= 0xF900 && code <= 0xFDCF) ||
               (code >= 0xFDF0 && code <= 0xFFEF) ||
               (private && code >= 0xE000 && code <= 0xF8FF);
    }
    if (code > 0x10FFFF || (code & 0xFFFF) > 0xFFFD)
        return false;
    if (code >= 0xF0000)
        return private;
    return code < 0xE0000 || code >= 0xE1000;
}

/* The length of the character of `part` at ptr (< end), escapes among them; 0:
 * it is not allowed there. */
static size_t uri_take_char(const char *ptr, const char *end,
                            enum uri_part part, bool wide)
{
    unsigned len;
    uint32_t code;

    if (*ptr == '%')
        return part != URI_SCHEME && part != URI_FUTURE && end - ptr >= 3 &&
                       surety__hex_digit(ptr[1]) < 16 &&
                       surety__hex_digit(ptr[2]) < 16
                   ? 3
                   : 0;
    if ((unsigned char)*ptr < 0x80)
        return uri_parts[(unsigned char)*ptr] & (unsigned)part ? 1 : 0;
    if (!wide)
        return 0;
    code = surety__utf8_decode(ptr, end, &len);
    return uri_is_wide(code, part == URI_QUERY || part == URI_LITERAL) ? len
                                                                       : 0;
}

/* The first character that is not allowed in part; end: none. */
static const char *uri_skip_part(const char *ptr, const char *end,
                                 enum uri_part part, bool wide)
{
    while (ptr < end) {
        size_t len = 1;

        if (!(uri_parts[(unsigned char)*ptr] & (unsigned)part))
            len = uri_take_char(ptr, end, part, wide);
        if (!len)
            return ptr;
        ptr += len;
    }
    return end;
}

static bool uri_is_all(surety_str text, enum uri_part part, bool wide)
{
    const char *end = text.ptr + text.len;

    return uri_skip_part(text.ptr, end, part, wide) == end;
}

/* "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" ) */
static bool uri_is_future(surety_str text)
{
    size_t i = 1;

    if (!text.len || (text.ptr[0] != 'v' && text.ptr[0] != 'V'))
        return false;
    while (i < text.len && surety__hex_digit(text.ptr[i]) < 16)
        i++;
    if (i == 1 || i + 1 >= text.len || text.ptr[i] != '.')
        return false;
    return uri_is_all((surety_str){text.ptr + i + 1, text.len - i - 1},
                      URI_FUTURE, false);
}

static bool uri_is_authority(surety_str text, bool wide)
{
    const char *at = text.len ? memchr(text.ptr, '@', text.len) : NULL;
    size_t host_len = 0;

    if (at) {
        surety_str user = {text.ptr, (size_t)(at - text.ptr)};

        if (!uri_is_all(user, URI_USER, wide))
            return false;
        text.len -= user.len + 1;
        text.ptr = at + 1;
    }
    if (text.len && text.ptr[0] == '[') {
        const char *close = memchr(text.ptr, ']', text.len);
        surety_str literal;

        if (!close)
            return false;
        literal = (surety_str){text.ptr + 1, (size_t)(close - text.ptr - 1)};
        if (!surety__format_ipv6(literal) && !uri_is_future(literal))
            return false;
        host_len = literal.len + 2;
    } else {
        while (host_len < text.len && text.ptr[host_len] != ':')
            host_len++;
        if (!uri_is_all((surety_str){text.ptr, host_len}, URI_NAME, wide))
            return false;
    }
    for (size_t i = host_len; i < text.len; i++)
        if (i == host_len ? text.ptr[i] != ':' : !surety__is_digit(text.ptr[i]))
            return false;
    return true;
}

/* Whether the authority ends at ptr. */
static bool uri_ends_authority(const char *ptr, const char *end)
{
    return ptr == end || *ptr == '/' || *ptr == '?' || *ptr == '#';
}

/* Takes an authority. */
static bool uri_take_authority(const char **at, const char *end, bool wide)
{
    const char *from = *at;
    const char *to = uri_skip_part(from, end, URI_NAME, wide);

    *at = to;
    if (uri_ends_authority(to, end))
        return true;
    while (!uri_ends_authority(to, end))
        to++;
    *at = to;
    return uri_is_authority((surety_str){from, (size_t)(to - from)}, wide);
}

/* Takes a scheme and its colon, if they are there. */
static bool uri_take_scheme(const char **at, const char *end)
{
    const char *to = *at;

    if (to == end || !surety__is_letter(*to))
        return false;
    while (to < end && uri_parts[(unsigned char)*to] & URI_SCHEME)
        to++;
    if (to == end || *to != ':')
        return false;
    *at = to + 1;
    return true;
}

/* Whether text is a reference, `wide` an IRI's; and begins with a scheme where
 * that is asked. */
static bool uri_is_reference(surety_str text, bool wide, bool scheme)
{
    const char *at = text.len ? text.ptr : "";
    const char *end = at + text.len;
    const char *path;
    bool open = !uri_take_scheme(&at, end); /* it could be one */

    if (open && scheme)
        return false;
    if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
        open = false;
        at += 2;
        if (!uri_take_authority(&at, end, wide))
            return false;
    }
    path = at;
    at = uri_skip_part(at, end, URI_SEGMENT, wide);
    /* A colon in the first segment would make it a scheme (path-noscheme). */
    for (; open && path < at && *path != '/'; path++)
        if (*path == ':')
            return false;
    if (at < end && *at == '?')
        at = uri_skip_part(at + 1, end, URI_QUERY, wide);
    if (at < end && *at == '#')
        at = uri_skip_part(at + 1, end, URI_FRAGMENT, wide);
    return at == end;
}

bool surety__format_uri(surety_str text)
{
    return uri_is_reference(text, false, true);
}

bool surety__format_uri_reference(surety_str text)
{
    return uri_is_reference(text, false, false);
}

bool surety__format_iri(surety_str text)
{
    return uri_is_reference(text, true, true);
}

bool surety__format_iri_reference(surety_str text)
{
    return uri_is_reference(text, true, false);
}

/* ---- templates ----------------------------------------------------------- */

/* Takes a varname: varchar *( ["."] varchar ). */
static bool template_name(surety_str *rest)
{
    bool open = true; /* a varchar must follow */
    size_t i = 0;

    while (i < rest->len) {
        char c = rest->ptr[i];
        size_t len = 1;

        if (c == '%')
            len = uri_take_char(rest->ptr + i, rest->ptr + rest->len,
                                URI_LITERAL, false);
        else if (c == '.' && open)
            return false;
        else if (c != '.' && c != '_' && !surety__is_letter(c) &&
                 !surety__is_digit(c))
            break;
        if (!len)
            return false;
        open = c == '.';
        i += len;
    }
    surety__str_skip(rest, i);
    return !open;
}

/* Takes ":" and a number from 1 to 9999, or "*", if they are there. */
static bool template_modifier(surety_str *rest)
{
    size_t i = 0;

    if (rest->len && rest->ptr[0] == '*') {
        i = 1;
    } else if (rest->len && rest->ptr[0] == ':') {
        i = 1;
        while (i < rest->len && i < 5 && surety__is_digit(rest->ptr[i]))
            i++;
        if (i == 1 || rest->ptr[1] == '0')
            return false;
    }
    surety__str_skip(rest, i);
    return true;
}

/* Whether text, from between braces, is an operator and a list of
 * variables. The operators that RFC 6570 reserves count. */
static bool template_is_expression(surety_str text)
{
    if (text.len && memchr("+#./;?&=,!@|", text.ptr[0], 12)) {
        surety__str_skip(&text, 1);
    }
    for (;;) {
        if (!template_name(&text) || !template_modifier(&text))
            return false;
        if (!text.len || text.ptr[0] != ',')
            return !text.len;
        surety__str_skip(&text, 1);
    }
}

bool surety__format_uri_template(surety_str text)
{
    const char *at = text.len ? text.ptr : "";
    const char *end = at + text.len;

    for (;;) {
        const char *close;

        at = uri_skip_part(at, end, URI_LITERAL, true);
        if (at == end)
            return true;
        close = *at == '{' ? memchr(at, '}', (size_t)(end - at)) : NULL;
        if (!close || !template_is_expression(
                          (surety_str){at + 1, (size_t)(close - at - 1)}))
            return false;
        at = close + 1;
    }
}
