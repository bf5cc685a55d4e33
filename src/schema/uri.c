/* SPDX-License-Identifier: Apache-2.0 */
/* URI references: RFC 3986, section 5 and appendix B.
 *
 * The one idea: a reference is taken apart into five pointers by its
 * delimiters alone, which never fails, and put together again part by part.
 * The dot segments of the path are removed in place, in the caller's
 * buffer, so nothing else is allocated.
 *
 * It does not normalise letter case, escapes or ports (RFC 3986, 6.2.2): two
 * URIs are the same here where their bytes are. */
#include "schema/uri.h"

static bool uri_is_scheme(char c)
{
    return surety__is_letter(c) || surety__is_digit(c) || c == '+' ||
           c == '-' || c == '.';
}

/* The length of the scheme that uri begins with; 0: none. */
static size_t uri_scheme_len(surety_str uri)
{
    size_t len = 0;

    if (!uri.len || !surety__is_letter(uri.ptr[0]))
        return 0;
    while (len < uri.len && uri_is_scheme(uri.ptr[len]))
        len++;
    return len < uri.len && uri.ptr[len] == ':' ? len : 0;
}

/* Takes the bytes before the first that is one of `stops` off *rest. */
static surety_str uri_take(surety_str *rest, surety_str stops)
{
    surety_str part = {rest->ptr, 0};

    while (part.len < rest->len &&
           !memchr(stops.ptr, rest->ptr[part.len], stops.len))
        part.len++;
    surety__str_skip(rest, part.len);
    return part;
}

surety__uri surety__uri_parse(surety_str text)
{
    surety__uri uri = {.has_scheme = false};
    surety_str rest = text.len ? text : SURETY__LITERAL("");
    size_t scheme_len = uri_scheme_len(rest);

    if (scheme_len) {
        uri.has_scheme = true;
        uri.scheme = (surety_str){rest.ptr, scheme_len};
        surety__str_skip(&rest, scheme_len + 1);
    }
    if (rest.len >= 2 && rest.ptr[0] == '/' && rest.ptr[1] == '/') {
        uri.has_authority = true;
        surety__str_skip(&rest, 2);
        uri.authority = uri_take(&rest, SURETY__LITERAL("/?#"));
    }
    uri.path = uri_take(&rest, SURETY__LITERAL("?#"));
    if (rest.len && rest.ptr[0] == '?') {
        uri.has_query = true;
        surety__str_skip(&rest, 1);
        uri.query = uri_take(&rest, SURETY__LITERAL("#"));
    }
    if (rest.len) {
        uri.has_fragment = true;
        surety__str_skip(&rest, 1);
        uri.fragment = rest;
    }
    return uri;
}

/* Removes the dot segments of the path of len bytes at path (RFC 3986, 5.2.4),
 * in place; gives what is left of it. A path without a slash in front stays
 * without one. */
static size_t uri_remove_dots(char *path, size_t len)
{
    const size_t root = len && path[0] == '/' ? 1 : 0;
    size_t used = root; /* "segment/" after "segment/", after the root */
    size_t at = root;
    bool last = false;

    while (!last) {
        const char *slash = memchr(path + at, '/', len - at);
        size_t end = slash ? (size_t)(slash - path) : len;
        size_t segment = end - at;

        assert(used <= at && end <= len);
        last = !slash;
        if (segment == 2 && path[at] == '.' && path[at + 1] == '.') {
            used -= used > root ? 1 : 0;
            while (used > root && path[used - 1] != '/')
                used--;
        } else if (segment != 1 || path[at] != '.') {
            memmove(path + used, path + at, segment + (last ? 0 : 1));
            used += segment + (last ? 0 : 1);
        }
        at = end + 1;
    }
    return used;
}

/* Without an authority a path that begins with two slashes would be read as
 * one, and without a scheme a colon in the first segment would end a scheme
 * (RFC 3986, 3.3 and 4.2): a dot segment in front keeps the meaning. */
static surety_str uri_guard(const surety__uri *target, surety_str path)
{
    if (!target->has_authority && path.len > 1 && path.ptr[0] == '/' &&
        path.ptr[1] == '/')
        return SURETY__LITERAL("/.");
    if (!target->has_authority && !target->has_scheme && uri_scheme_len(path))
        return SURETY__LITERAL("./");
    return (surety_str){NULL, 0};
}

/* Appends folder and path as the target's path, without dot segments. */
static void uri_write_path(surety_buf *out, const surety__uri *target,
                           surety_str folder, surety_str path)
{
    const size_t start = out->len;
    surety_str guard;

    surety_buf_add(out, folder);
    surety_buf_add(out, path);
    if (out->status || out->len == start)
        return;
    out->len = start + uri_remove_dots(out->ptr + start, out->len - start);
    guard = uri_guard(target, (surety_str){out->ptr + start, out->len - start});
    if (!guard.len || !surety__buf_room(out, guard.len))
        return;
    memmove(out->ptr + start + guard.len, out->ptr + start, out->len - start);
    memcpy(out->ptr + start, guard.ptr, guard.len);
    out->len += guard.len;
}

/* What the path of a relative reference is put behind: base's path up to its
 * last slash (RFC 3986, 5.2.3). */
static surety_str uri_folder(const surety__uri *base)
{
    surety_str folder = base->path;

    if (base->has_authority && !folder.len)
        return SURETY__LITERAL("/");
    while (folder.len && folder.ptr[folder.len - 1] != '/')
        folder.len--;
    return folder;
}

surety_status surety__uri_resolve(surety_str base, surety_str reference,
                                  surety_buf *out)
{
    const surety_str nothing = {NULL, 0};
    surety__uri target = surety__uri_parse(reference);
    surety__uri from = surety__uri_parse(base);
    bool has_site = target.has_scheme || target.has_authority;
    bool keeps_path = !has_site && !target.path.len;
    bool merges = !has_site && target.path.len && target.path.ptr[0] != '/';

    if (!target.has_scheme) {
        target.scheme = from.scheme;
        target.has_scheme = from.has_scheme;
    }
    if (!has_site) {
        target.authority = from.authority;
        target.has_authority = from.has_authority;
    }
    if (keeps_path && !target.has_query) {
        target.query = from.query;
        target.has_query = from.has_query;
    }
    if (target.has_scheme) {
        surety_buf_add(out, target.scheme);
        surety_buf_byte(out, ':');
    }
    if (target.has_authority) {
        surety_buf_text(out, "//");
        surety_buf_add(out, target.authority);
    }
    if (keeps_path)
        surety_buf_add(out, from.path);
    else
        uri_write_path(out, &target, merges ? uri_folder(&from) : nothing,
                       target.path);
    if (target.has_query) {
        surety_buf_byte(out, '?');
        surety_buf_add(out, target.query);
    }
    if (target.has_fragment) {
        surety_buf_byte(out, '#');
        surety_buf_add(out, target.fragment);
    }
    return out->status;
}

void surety__uri_split(surety_str uri, surety_str *ret_absolute,
                       surety_str *ret_fragment)
{
    const char *hash = uri.len ? memchr(uri.ptr, '#', uri.len) : NULL;
    size_t before = hash ? (size_t)(hash - uri.ptr) : uri.len;

    *ret_absolute = (surety_str){uri.ptr, before};
    *ret_fragment = hash ? (surety_str){hash + 1, uri.len - before - 1}
                         : (surety_str){NULL, 0};
}

void surety__uri_unescape(surety_str text, surety_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        const bool room = i + 2 < text.len;
        const unsigned high = room ? surety__hex_digit(text.ptr[i + 1]) : 16;
        const unsigned low = room ? surety__hex_digit(text.ptr[i + 2]) : 16;

        if (text.ptr[i] == '%' && high < 16 && low < 16) {
            surety_buf_byte(out, (char)(unsigned char)(high * 16 + low));
            i += 2;
        } else {
            surety_buf_byte(out, text.ptr[i]);
        }
    }
}
