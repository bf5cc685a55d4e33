/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a request (RFC 9112, sections 2 to 6).
 *
 * A server that forgives is dangerous behind or before another: where the two
 * do not agree on the end of a request, a client can hide a second request in
 * the first. So every form is refused that some server reads otherwise: a bare
 * CR or LF, a folded line, space before a colon, two lengths (equal ones too),
 * a length beside a transfer coding, a coding that is not exactly "chunked",
 * any coding in HTTP/1.0.
 *
 * What it does not do: Upgrade, and CONNECT's form of a target. */
#include "serve/head.h"

static surety_status head_refuse(surety__serve_fault *ret_fault, int status,
                                 const char *message)
{
    *ret_fault = (surety__serve_fault){status, message};
    return SURETY_SYNTAX;
}

/* ---- the end ------------------------------------------------------------- */

surety_status surety__serve_find(surety_str bytes, size_t *at, size_t *ret_len,
                                 surety__serve_fault *ret_fault)
{
    size_t i = *at;

    for (;; i++) {
        char byte;

        i += surety__str_find_control(
            (surety_str){bytes.ptr + i, bytes.len - i}, false);
        if (i == bytes.len)
            break;
        byte = bytes.ptr[i];
        if (byte == '\n' && i > 0 && bytes.ptr[i - 1] == '\r') {
            /* The line is empty behind the CRLF of the line before. */
            if (i >= 3 && bytes.ptr[i - 2] == '\n') {
                *at = *ret_len = i + 1;
                return SURETY_OK;
            }
            continue;
        }
        if (byte == '\r' && i + 1 == bytes.len)
            break;
        if (byte == '\r' && bytes.ptr[i + 1] == '\n')
            continue;
        return head_refuse(ret_fault, 400,
                           byte == '\n'   ? "a line of the request's head ends "
                                            "in LF without CR"
                           : byte == '\r' ? "the request's head has a CR "
                                            "without LF"
                                          : "the request's head has a control "
                                            "character");
    }
    *at = i;
    return SURETY_MORE;
}

/* ---- the request line ---------------------------------------------------- */

static bool head_is_visible(surety_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] <= ' ' ||
            (unsigned char)text.ptr[i] >= 0x7F)
            return false;
    return text.len > 0;
}

/* Takes the text before the next blank off line. */
static surety_str head_word(surety_str *line)
{
    const char *blank = line->len ? memchr(line->ptr, ' ', line->len) : NULL;
    const surety_str word = {line->ptr,
                             blank ? (size_t)(blank - line->ptr) : line->len};

    surety__str_skip(line, blank ? word.len + 1 : word.len);
    return word;
}

/* A target in absolute form, as proxies get it, becomes its path (RFC 9112,
 * section 3.2.2). */
static surety_str head_path(surety_str target)
{
    static const surety_str schemes[] = {{"http://", 7}, {"https://", 8}};
    const char *slash;

    for (size_t i = 0; i < SURETY__COUNT(schemes); i++) {
        if (!surety__str_starts_nocase(target, schemes[i]))
            continue;
        surety__str_skip(&target, schemes[i].len);
        slash = target.len ? memchr(target.ptr, '/', target.len) : NULL;
        if (!slash)
            return SURETY__LITERAL("/");
        surety__str_skip(&target, (size_t)(slash - target.ptr));
        return target;
    }
    return target;
}

static surety_status head_read_line(surety_str line, surety__serve_head *head,
                                    surety__serve_fault *ret_fault)
{
    head->method = head_word(&line);
    head->target = head_word(&line);
    if (!surety__is_token(head->method) || !head_is_visible(head->target))
        return head_refuse(ret_fault, 400,
                           "the request's first line is not METHOD TARGET "
                           "HTTP/1.1");
    head->target = head_path(head->target);
    if (head->target.ptr[0] != '/' &&
        !surety_str_equal(head->target, SURETY__LITERAL("*")))
        return head_refuse(ret_fault, 400,
                           "the request's target does not begin with \"/\"");
    head->is_old = surety_str_equal(line, SURETY__LITERAL("HTTP/1.0"));
    if (head->is_old || surety_str_equal(line, SURETY__LITERAL("HTTP/1.1")))
        return SURETY_OK;
    if (line.len == 8 && surety__str_starts(line, SURETY__LITERAL("HTTP/")) &&
        surety__is_digit(line.ptr[5]) && line.ptr[6] == '.' &&
        surety__is_digit(line.ptr[7]))
        return head_refuse(ret_fault, 505,
                           "the server speaks HTTP/1.1 and HTTP/1.0");
    return head_refuse(ret_fault, 400,
                       "the request's first line is not METHOD TARGET "
                       "HTTP/1.1");
}

/* ---- fields -------------------------------------------------------------- */

/* Takes the next line off text, which has the CRLF of each. */
static surety_str head_line(surety_str *text)
{
    const char *end = memchr(text->ptr, '\r', text->len);
    const surety_str line = {text->ptr, (size_t)(end - text->ptr)};

    surety__str_skip(text, line.len + 2);
    return line;
}

static surety_status head_read_fields(surety_str text, surety__arena *arena,
                                      surety__serve_head *head,
                                      surety__serve_fault *ret_fault)
{
    surety_header *fields;
    surety_str rest = text;
    size_t count = 0;

    while (head_line(&rest).len)
        count++;
    if (count > SURETY__SERVE_FIELDS_MAX)
        return head_refuse(ret_fault, 431,
                           "the request has more than 100 header fields");
    fields = surety__arena_take(arena, (count + 1) * sizeof(*fields));
    if (!fields)
        return SURETY_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const surety_str line = head_line(&text);
        const char *colon = memchr(line.ptr, ':', line.len);
        surety_header *field = &fields[i];

        field->name =
            (surety_str){line.ptr, colon ? (size_t)(colon - line.ptr) : 0};
        if (!surety__is_token(field->name))
            return head_refuse(ret_fault, 400,
                               "a header field of the request is not NAME: "
                               "VALUE on one line");
        field->value = surety__str_trim(
            (surety_str){colon + 1, line.len - field->name.len - 1});
    }
    head->fields = fields;
    head->field_count = count;
    return SURETY_OK;
}

surety_str surety__serve_field(const surety__serve_head *head, const char *name)
{
    const surety_str wanted = surety_str_of(name);

    for (size_t i = 0; i < head->field_count; i++)
        if (surety__str_equal_nocase(head->fields[i].name, wanted))
            return head->fields[i].value;
    return (surety_str){NULL, 0};
}

static size_t head_count(const surety__serve_head *head, const char *name)
{
    const surety_str wanted = surety_str_of(name);
    size_t count = 0;

    for (size_t i = 0; i < head->field_count; i++)
        count += surety__str_equal_nocase(head->fields[i].name, wanted);
    return count;
}

/* Whether a list of tokens in the fields of that name has the token. */
static bool head_lists(const surety__serve_head *head, const char *name,
                       surety_str token)
{
    const surety_str wanted = surety_str_of(name);

    for (size_t i = 0; i < head->field_count; i++) {
        surety_str list = head->fields[i].value;

        if (!surety__str_equal_nocase(head->fields[i].name, wanted))
            continue;
        while (list.len) {
            const char *comma = memchr(list.ptr, ',', list.len);
            const surety_str one = {list.ptr, comma ? (size_t)(comma - list.ptr)
                                                    : list.len};

            if (surety__str_equal_nocase(surety__str_trim(one), token))
                return true;
            surety__str_skip(&list, comma ? one.len + 1 : one.len);
        }
    }
    return false;
}

/* A host and its port, of the characters that RFC 3986, section 3.2.2, gives
 * them; empty where the target has none. */
static bool head_is_host(surety_str host)
{
    for (size_t i = 0; i < host.len; i++)
        if (!surety__is_digit(host.ptr[i]) && !surety__is_letter(host.ptr[i]) &&
            !memchr("-._~!$&'()*+,;=%:[]", host.ptr[i], 19))
            return false;
    return true;
}

/* ---- what the fields say about the body ---------------------------------- */

static surety_status head_read_body(surety__serve_head *head,
                                    surety__serve_fault *ret_fault)
{
    const size_t lengths = head_count(head, "content-length");
    const size_t codings = head_count(head, "transfer-encoding");
    const surety_str length = surety__serve_field(head, "content-length");

    if (codings && head->is_old)
        return head_refuse(ret_fault, 400, "HTTP/1.0 has no Transfer-Encoding");
    if (lengths + codings > 1)
        return head_refuse(ret_fault, 400,
                           "the request says more than once how long its body "
                           "is");
    if (codings) {
        head->is_chunked = surety__str_equal_nocase(
            surety__serve_field(head, "transfer-encoding"),
            SURETY__LITERAL("chunked"));
        return head->is_chunked
                   ? SURETY_OK
                   : head_refuse(ret_fault, 501,
                                 "the only Transfer-Encoding is chunked");
    }
    if (!lengths || surety__str_number(length, &head->body_len))
        return SURETY_OK;
    for (size_t i = 0; i < length.len; i++)
        if (!surety__is_digit(length.ptr[i]))
            return head_refuse(ret_fault, 400,
                               "Content-Length is not a number");
    return length.len
               ? head_refuse(ret_fault, 413, "the body is too large")
               : head_refuse(ret_fault, 400, "Content-Length is not a number");
}

surety_status surety__serve_read(surety_str bytes, surety__arena *arena,
                                 surety__serve_head *ret_head,
                                 surety__serve_fault *ret_fault)
{
    surety__serve_head head = {.field_count = 0};
    const surety_str close = SURETY__LITERAL("close");
    surety_status status;

    assert(bytes.len >= 4);
    status = head_read_line(head_line(&bytes), &head, ret_fault);
    if (!status)
        status = head_read_fields(bytes, arena, &head, ret_fault);
    if (status)
        return status;
    if (head_count(&head, "host") != 1 &&
        !(head.is_old && head_count(&head, "host") == 0))
        return head_refuse(ret_fault, 400,
                           "the request must have one Host field");
    if (!head_is_host(surety__serve_field(&head, "host")))
        return head_refuse(ret_fault, 400, "Host is no host");
    status = head_read_body(&head, ret_fault);
    if (status)
        return status;
    head.keeps_alive =
        !head_lists(&head, "connection", close) &&
        (!head.is_old ||
         head_lists(&head, "connection", SURETY__LITERAL("keep-alive")));
    if (head_count(&head, "expect") && !head.is_old) {
        head.expects =
            surety__str_equal_nocase(surety__serve_field(&head, "expect"),
                                     SURETY__LITERAL("100-continue"));
        if (!head.expects)
            return head_refuse(ret_fault, 417,
                               "the only Expect is 100-continue");
    }
    *ret_head = head;
    return SURETY_OK;
}
