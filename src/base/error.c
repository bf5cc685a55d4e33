/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses, and the error that the caller owns.
 *
 * Messages quote hostile text, so every formatted text passes one filter:
 * control characters, bidirectional controls and invalid UTF-8 become \xNN, and
 * a text that does not fit is cut between code points and ends in "...". */
#include "base/base.h"

#include <stdio.h>

static const struct {
    surety_status status;
    const char *name;
} status_names[] = {
    {SURETY_OK, "ok"},
    {SURETY_MORE, "more"},
    {SURETY_END, "end"},
    {SURETY_NOMEM, "out of memory"},
    {SURETY_LIMIT, "limit"},
    {SURETY_MISUSE, "misuse"},
    {SURETY_SYNTAX, "syntax"},
    {SURETY_UNSUPPORTED, "unsupported"},
    {SURETY_IO, "io"},
    {SURETY_TIMEOUT, "timeout"},
    {SURETY_CANCELLED, "cancelled"},
};

const char *surety_status_name(surety_status status)
{
    for (size_t i = 0; i < sizeof(status_names) / sizeof(*status_names); i++)
        if (status_names[i].status == status)
            return status_names[i].name;
    return "unknown";
}

const char *surety_version(void)
{
    return SURETY_VERSION;
}

/* Copies text to out (size bytes, zero-terminated) through the filter. */
static void error_filter(char *out, size_t size, const char *text)
{
    const char *end = text + strlen(text);
    size_t used = 0;

    while (text < end) {
        unsigned len = 1;
        uint32_t code = surety__utf8_decode(text, end, &len);
        bool plain = code >= 0x20 && code != 0x7F && code != UINT32_MAX &&
                     !(code >= 0x80 && code < 0xA0) &&
                     !(code >= 0x202A && code <= 0x202E) &&
                     !(code >= 0x2066 && code <= 0x2069);
        size_t need = plain ? len : 4u * len;

        if (used + need + 4 > size) {
            memcpy(out + used, "...", 3);
            used += 3;
            break;
        }
        for (unsigned i = 0; i < len; i++) {
            static const char hex[] = "0123456789abcdef";
            unsigned char byte = (unsigned char)text[i];

            if (plain) {
                out[used++] = (char)byte;
                continue;
            }
            out[used++] = '\\';
            out[used++] = 'x';
            out[used++] = hex[byte >> 4];
            out[used++] = hex[byte & 15];
        }
        text += len;
    }
    out[used] = '\0';
}

/* Formats into 1 KiB before the filter: more than any member of surety_error
 * holds. */
static void error_format(char *out, size_t size, const char *format,
                         va_list args)
{
    char raw[1024];

    (void)vsnprintf(raw, sizeof(raw), format, args);
    error_filter(out, size, raw);
}

/* Adds the hint for a limit that the message names; the hint is the same
 * wherever the limit was reached. */
static void error_raise(surety_error *reterr)
{
    const char *name = surety__limit_named(reterr->message);

    if (name)
        surety__hint(reterr,
                     "raise %s of surety_limits; the tool takes --limit "
                     "%s=VALUE",
                     name, name);
}

surety_status surety__failv(surety_error *reterr, surety_status status,
                            const char *format, va_list args)
{
    if (!reterr)
        return status;
    memset(reterr, 0, sizeof(*reterr));
    reterr->status = status;
    error_format(reterr->message, sizeof(reterr->message), format, args);
    if (status == SURETY_LIMIT)
        error_raise(reterr);
    return status;
}

surety_status surety__fail(surety_error *reterr, surety_status status,
                           const char *format, ...)
{
    va_list args;

    va_start(args, format);
    surety__failv(reterr, status, format, args);
    va_end(args);
    return status;
}

void surety__hint(surety_error *reterr, const char *format, ...)
{
    va_list args;

    if (!reterr)
        return;
    va_start(args, format);
    error_format(reterr->hint, sizeof(reterr->hint), format, args);
    va_end(args);
}

surety_status surety__fail_nomem(surety_error *reterr)
{
    return surety__fail(reterr, SURETY_NOMEM, "out of memory");
}
