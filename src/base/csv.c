/* SPDX-License-Identifier: Apache-2.0 */
/* One field of CSV (RFC 4180), for tables and statistics.
 *
 * 1. A field that has a separator, a quote or a line end, or begins or ends
 *    with a space, is quoted; quotes inside are doubled.
 * 2. A text that a spreadsheet would execute as a formula gets a ' in front,
 *    unless the caller asks for the raw text: the data come from a model, and
 *    people open CSV in spreadsheets (CWE-1236). */
#include "base/base.h"

/* Returns whether a spreadsheet skips the character before it looks for a
 * formula: blanks, line ends, controls and invisible characters (U+FEFF). */
static bool csv_is_passed(uint32_t code)
{
    return surety__utf8_is_blank(code) || surety__utf8_is_hidden(code) ||
           (code >= 0x2000 && code <= 0x200D) || code == 0x202F ||
           code == 0x205F || code == 0x3000 || code == 0x180E;
}

/* Returns whether a spreadsheet may read the text as a formula: the first
 * characters that CWE-1236 and OWASP's "CSV Injection" list, after any skipped
 * characters, and their full-width forms, which Japanese and Chinese versions
 * read the same way. */
static bool csv_is_formula(surety_str text)
{
    const char *at = text.ptr;
    const char *end = text.len > 0 ? at + text.len : at;

    while (at < end) {
        unsigned len;
        const uint32_t code = surety__utf8_decode(at, end, &len);
        if (!csv_is_passed(code))
            return code == '=' || code == '+' || code == '-' || code == '@' ||
                   code == 0xFF1D || code == 0xFF0B || code == 0xFF0D ||
                   code == 0xFF20;
        /* A tab, LF or CR at the beginning can itself start a formula. */
        if (at == text.ptr && (code == '\t' || code == '\r' || code == '\n'))
            return true;
        at += len;
    }
    return false;
}

/* Returns whether a field needs quotes: for the characters of RFC 4180, and for
 * other separators that spreadsheets split at by their settings, because the
 * rest could begin a cell. */
static bool csv_needs_quotes(surety_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '\0' || strchr("\",;\t\r\n", text.ptr[i]))
            return true;
    return text.len > 0 &&
           (text.ptr[0] == ' ' || text.ptr[text.len - 1] == ' ');
}

void surety__csv_field(surety_str text, bool formulas, surety_buf *out)
{
    const bool is_formula = !formulas && csv_is_formula(text);

    if (!is_formula && !csv_needs_quotes(text)) {
        surety_buf_add(out, text);
        return;
    }
    surety_buf_byte(out, '"');
    if (is_formula)
        surety_buf_byte(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\0')
            surety_buf_text(out, "\xEF\xBF\xBD"); /* some readers stop at it */
        else
            surety_buf_byte(out, text.ptr[i]);
        if (text.ptr[i] == '"')
            surety_buf_byte(out, '"');
    }
    surety_buf_byte(out, '"');
}
