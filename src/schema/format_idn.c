/* SPDX-License-Identifier: Apache-2.0 */
/* Internationalised host names and mailboxes: IDNA2008 (RFC 5890 to 5893).
 *
 * The one idea: a name is taken label by label, as RFC 5891, section 4, does
 * at registration, without the mapping and leniency of lookup. libidn2 knows
 * Unicode: which code points a label may hold, their context rules, and
 * Punycode. The rest is done here: the letters, digits and hyphens of ASCII
 * labels, hyphens in the third and fourth place, lengths, and the Bidi rule,
 * which speaks of the whole name: one label that is written from right to left
 * binds all the others.
 *
 * libidn2 allocates by itself, with malloc. Its input is bounded first,
 * and where it has no memory the text counts as no name. */
#include "schema/format.h"

#include <idn2.h>

enum {
    IDN_BYTES_MAX = 1024, /* more UTF-8 than 253 octets of A-labels hold */
    IDN_NAME_MAX = 253,   /* octets of the name in A-labels */
    IDN_LABEL_MAX = 63,   /* octets of an A-label */
    IDN_DOMAIN_MAX = 255  /* RFC 5321, 4.5.3.1.2 */
};

/* The rules for the labels. */
enum idn_kind {
    IDN_ASCII, /* a host name of LDH labels and A-labels */
    IDN_HOST,  /* and U-labels */
    IDN_MAIL   /* the domain of a mailbox: LDH labels and U-labels */
};

/* A name while it is read. */
struct idn_name {
    enum idn_kind kind;
    size_t len;       /* octets in A-labels so far, the dots too */
    bool right;       /* a label is written from right to left */
    bool bidi_broken; /* a label does not satisfy the Bidi rule */
};

/* The Bidi rule (RFC 5893, 2) for one label. */
static void idn_bidi(struct idn_name *name, const uint32_t *codes, size_t count)
{
    surety__bidi first = surety__bidi_class(codes[0]);
    surety__bidi last = BIDI_NSM; /* the last but for marks */
    unsigned seen = 0;            /* a bit a class */
    bool right = first == BIDI_R;
    unsigned allowed = 1u << BIDI_EN | 1u << BIDI_NEUTRAL | 1u << BIDI_NSM;

    for (size_t i = 0; i < count; i++) {
        surety__bidi class = surety__bidi_class(codes[i]);

        seen |= 1u << class;
        if (class != BIDI_NSM)
            last = class;
    }
    allowed |= right ? 1u << BIDI_R | 1u << BIDI_AN : 1u << BIDI_L;
    if (seen & (1u << BIDI_R | 1u << BIDI_AN))
        name->right = true;
    if ((first != BIDI_L && first != BIDI_R) || seen & ~allowed ||
        last == BIDI_NEUTRAL || last == BIDI_NSM ||
        (right && seen & 1u << BIDI_EN && seen & 1u << BIDI_AN))
        name->bidi_broken = true;
}

/* Rules for the code points of a U-label that libidn2 does not check. */
static bool idn_codes(struct idn_name *name, const uint32_t *codes,
                      size_t count)
{
    if (!count || codes[0] == '-' || codes[count - 1] == '-' ||
        (count >= 4 && codes[2] == '-' && codes[3] == '-'))
        return false;
    idn_bidi(name, codes, count);
    return true;
}

/* Whether the A-label (lower case, terminated) is one: the encoding of a
 * U-label and nothing else. */
static bool idn_alabel(struct idn_name *name, const char *label)
{
    const uint8_t *bytes = (const uint8_t *)label;
    uint8_t *again = NULL;
    uint32_t *codes = NULL;
    size_t count = 0;
    bool valid = false;

    if (idn2_register_u8(NULL, bytes, &again, 0) == IDN2_OK &&
        idn2_to_unicode_8z4z(label, &codes, 0) == IDN2_OK) {
        while (codes[count])
            count++;
        valid = idn_codes(name, codes, count);
    }
    idn2_free(again);
    idn2_free(codes);
    return valid;
}

/* A label with something above ASCII in it (terminated). */
static bool idn_ulabel(struct idn_name *name, const char *label)
{
    const uint8_t *bytes = (const uint8_t *)label;
    uint8_t *encoded = NULL;
    bool valid;
    int status;

    /* A mailbox's need not be normalised (RFC 6531 does not require it): it is
     * first, and then is a U-label if its A-label is one. */
    if (name->kind == IDN_MAIL)
        status = idn2_lookup_u8(bytes, &encoded, IDN2_NFC_INPUT | IDN2_NO_TR46);
    else
        status = idn2_register_u8(bytes, NULL, &encoded, 0);
    valid = status == IDN2_OK && encoded &&
            strlen((const char *)encoded) <= IDN_LABEL_MAX &&
            idn_alabel(name, (const char *)encoded);
    if (valid)
        name->len += strlen((const char *)encoded);
    idn2_free(encoded);
    return valid;
}

/* Checks one label, `ascii` or not. */
static bool idn_label(struct idn_name *name, surety_str label, bool ascii)
{
    char text[IDN_BYTES_MAX + 1];
    uint32_t codes[IDN_LABEL_MAX];
    bool tagged;

    if (ascii && !surety__host_label(label))
        return false;
    assert(label.len && label.len <= IDN_BYTES_MAX);
    memcpy(text, label.ptr, label.len);
    text[label.len] = '\0';
    if (!ascii)
        return name->kind != IDN_ASCII && idn_ulabel(name, text);
    name->len += label.len;
    tagged = label.len >= 4 && label.ptr[2] == '-' && label.ptr[3] == '-';
    for (size_t i = 0; i < label.len; i++) {
        if (text[i] >= 'A' && text[i] <= 'Z')
            text[i] = (char)(text[i] - 'A' + 'a');
        codes[i] = (unsigned char)text[i];
    }
    if (tagged && name->kind != IDN_MAIL && text[0] == 'x' && text[1] == 'n')
        return idn_alabel(name, text);
    /* Other labels of this form are reserved (RFC 5890, 2.3.1), which a plain
     * host name is not checked. */
    if (tagged && name->kind == IDN_HOST)
        return false;
    idn_bidi(name, codes, label.len);
    return true;
}

/* Whether code divides labels: a full stop, outside of mailboxes also the
 * three others of RFC 3490, section 3.1. */
static bool idn_is_dot(const struct idn_name *name, uint32_t code)
{
    return code == '.' ||
           (name->kind == IDN_HOST &&
            (code == 0x3002 || code == 0xFF0E || code == 0xFF61));
}

static bool idn_is_name(surety_str text, enum idn_kind kind, size_t len_max)
{
    struct idn_name name = {.kind = kind};
    size_t from = 0;
    size_t at = 0;
    bool ascii = true;

    if (!text.len || text.len > IDN_BYTES_MAX ||
        memchr(text.ptr, '\0', text.len))
        return false;
    while (at <= text.len) {
        unsigned len = 1;
        uint32_t code = '.';

        if (at < text.len)
            code =
                surety__utf8_decode(text.ptr + at, text.ptr + text.len, &len);
        if (idn_is_dot(&name, code)) {
            surety_str label = {text.ptr + from, at - from};

            if (!label.len || !idn_label(&name, label, ascii))
                return false;
            from = at + len;
            ascii = true;
            name.len++;
        } else if (code >= 0x80) {
            ascii = false;
        }
        at += len;
    }
    return name.len - 1 <= len_max && !(name.right && name.bidi_broken);
}

/* Whether all of text is ASCII and no label can have hyphens in the third and
 * fourth place. Such a name holds neither A-labels nor U-labels; then nothing
 * in it is written from right to left, and libidn2 is not needed. */
static bool idn_is_plain(surety_str text)
{
    char last = '\0';
    unsigned char all = 0;
    bool hyphens = false;

    for (size_t i = 0; i < text.len; i++) {
        hyphens = hyphens || (text.ptr[i] == '-' && last == '-');
        last = text.ptr[i];
        all |= (unsigned char)last;
    }
    return all < 0x80 && !hyphens;
}

bool surety__format_hostname_alabel(surety_str text)
{
    return surety__format_hostname(text) &&
           (idn_is_plain(text) || idn_is_name(text, IDN_ASCII, IDN_NAME_MAX));
}

bool surety__format_idn_hostname(surety_str text)
{
    return idn_is_plain(text) ? surety__format_hostname(text)
                              : idn_is_name(text, IDN_HOST, IDN_NAME_MAX);
}

bool surety__format_idn_email(surety_str text)
{
    surety_str domain;

    if (!surety__email_local(text, true, &domain))
        return false;
    if (domain.len && domain.ptr[0] == '[')
        return surety__email_literal(domain);
    if (idn_is_plain(domain))
        return domain.len <= IDN_DOMAIN_MAX && surety__host_name(domain);
    return idn_is_name(domain, IDN_MAIL, IDN_DOMAIN_MAX);
}
