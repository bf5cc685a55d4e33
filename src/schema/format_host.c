/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses, host names and mailboxes of ASCII.
 *
 * One pass each, from left to right. A mailbox is split at the "@" behind its
 * local part, which is found by reading the local part, not by searching: a
 * quoted one may hold "@" itself. */
#include "schema/format.h"

enum {
    HOST_OCTETS_MAX = 253, /* RFC 1035, 2.3.4: 255 octets on the wire */
    HOST_LABEL_OCTETS_MAX = 63,
    HOST_LOCAL_OCTETS_MAX = 64,  /* RFC 5321, 4.5.3.1.1 */
    HOST_DOMAIN_OCTETS_MAX = 255 /* RFC 5321, 4.5.3.1.2 */
};

static bool host_is_alnum(char c)
{
    return surety__is_digit(c) || surety__is_letter(c);
}

/* Four numbers from 0 to 255; `padded` allows leading zeros (RFC 5321's
 * Snum). */
static bool host_is_quad(surety_str text, bool padded)
{
    size_t at = 0;

    for (int part = 0; part < 4; part++) {
        size_t from = at;
        int number = 0;

        while (at < text.len && at - from < 3 && surety__is_digit(text.ptr[at]))
            number = number * 10 + (text.ptr[at++] - '0');
        if (at == from || number > 255 ||
            (!padded && at - from > 1 && text.ptr[from] == '0'))
            return false;
        if (part < 3 && (at == text.len || text.ptr[at++] != '.'))
            return false;
    }
    return at == text.len;
}

bool surety__format_ipv4(surety_str text)
{
    return host_is_quad(text, false);
}

/* The number of hexadecimal digits that text begins with, at most 5. */
static size_t host_hex_len(surety_str text)
{
    size_t len = 0;

    while (len < text.len && len < 5 && surety__hex_digit(text.ptr[len]) < 16)
        len++;
    return len;
}

bool surety__format_ipv6(surety_str text)
{
    int groups = 0;   /* of 16 bits */
    bool gap = false; /* "::" was there */

    do {
        size_t len;

        if (surety__str_starts(text, SURETY__LITERAL("::"))) {
            if (gap)
                return false;
            gap = true;
            surety__str_skip(&text, 2);
            if (!text.len)
                break;
        } else if (groups) {
            if (text.ptr[0] != ':')
                return false;
            surety__str_skip(&text, 1);
        }
        len = host_hex_len(text);
        if (len < text.len && text.ptr[len] == '.') {
            if (!host_is_quad(text, false))
                return false;
            groups += 2;
            break;
        }
        if (len < 1 || len > 4)
            return false;
        groups++;
        surety__str_skip(&text, len);
    } while (text.len);
    return gap ? groups <= 7 : groups == 8;
}

bool surety__host_name(surety_str text)
{
    const char *at = text.len ? text.ptr : "";
    const char *end = at + text.len;

    /* A label a round. */
    for (;; at++) {
        const char *from = at;

        while (at < end && (host_is_alnum(*at) || *at == '-'))
            at++;
        if (at == from || at - from > HOST_LABEL_OCTETS_MAX || *from == '-' ||
            at[-1] == '-')
            return false;
        if (at == end)
            return true;
        if (*at != '.')
            return false;
    }
}

bool surety__format_hostname(surety_str text)
{
    return text.len <= HOST_OCTETS_MAX && surety__host_name(text);
}

bool surety__host_label(surety_str text)
{
    return surety__host_name(text) && !memchr(text.ptr, '.', text.len);
}

/* ---- mailboxes ----------------------------------------------------------- */

/* atext (RFC 5322, 3.2.3): letters, digits and !#$%&'*+-/=?^_`{|}~, a bit
 * each; with `wide` also what is not ASCII. */
static bool email_is_atom(char c, bool wide)
{
    static const uint64_t atext[2] = {0xA3FFACFA00000000, 0x7FFFFFFFC7FFFFFE};
    const unsigned byte = (unsigned char)c;

    return byte < 0x80 ? atext[byte >> 6] >> (byte & 63) & 1 : wide;
}

/* The length of the dot-string that text begins with; 0: none. */
static size_t email_dot_string(surety_str text, bool wide)
{
    size_t len = 0;
    bool open = true; /* an atom must follow */

    for (; len < text.len; len++) {
        if (email_is_atom(text.ptr[len], wide))
            open = false;
        else if (text.ptr[len] == '.' && !open)
            open = true;
        else
            break;
    }
    return open ? 0 : len;
}

/* The length of the quoted string that text begins with; 0: none. */
static size_t email_quoted(surety_str text, bool wide)
{
    for (size_t i = 1; i < text.len; i++) {
        char c = text.ptr[i];
        bool wide_ok = (unsigned char)c >= 0x80 && wide;

        if (c == '"')
            return i + 1;
        if (c == '\\' && ++i < text.len)
            c = text.ptr[i];
        else if (c == '\\')
            return 0;
        if (!wide_ok && (c < ' ' || c > '~'))
            return 0;
    }
    return 0;
}

bool surety__email_local(surety_str text, bool wide, surety_str *ret_domain)
{
    size_t len;

    if (!text.len)
        return false;
    len = text.ptr[0] == '"' ? email_quoted(text, wide)
                             : email_dot_string(text, wide);
    if (!len || len > HOST_LOCAL_OCTETS_MAX || len == text.len ||
        text.ptr[len] != '@')
        return false;
    *ret_domain = (surety_str){text.ptr + len + 1, text.len - len - 1};
    return true;
}

bool surety__email_literal(surety_str text)
{
    const surety_str ipv6 = SURETY__LITERAL("IPv6:");
    surety_str tag;
    size_t colon = 0;

    if (text.len < 2 || text.len > HOST_DOMAIN_OCTETS_MAX ||
        text.ptr[0] != '[' || text.ptr[text.len - 1] != ']')
        return false;
    text.ptr++;
    text.len -= 2;
    if (host_is_quad(text, true))
        return true;
    while (colon < text.len && text.ptr[colon] != ':')
        colon++;
    if (colon + 1 >= text.len)
        return false;
    tag = (surety_str){text.ptr, colon};
    surety__str_skip(&text, colon + 1);
    if (surety__str_equal_nocase(tag, (surety_str){ipv6.ptr, ipv6.len - 1}))
        return surety__format_ipv6(text);
    /* General-address-literal: Ldh-str ":" 1*dcontent. */
    for (size_t i = 0; i < tag.len; i++)
        if (!host_is_alnum(tag.ptr[i]) &&
            (tag.ptr[i] != '-' || i + 1 == tag.len))
            return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < '!' || text.ptr[i] > '~' || text.ptr[i] == '[' ||
            text.ptr[i] == '\\' || text.ptr[i] == ']')
            return false;
    return tag.len > 0;
}

bool surety__format_email(surety_str text)
{
    surety_str domain;

    if (!surety__email_local(text, false, &domain))
        return false;
    if (domain.len && domain.ptr[0] == '[')
        return surety__email_literal(domain);
    return domain.len <= HOST_DOMAIN_OCTETS_MAX && surety__host_name(domain);
}
