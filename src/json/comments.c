/* SPDX-License-Identifier: Apache-2.0 */
/* comments.c: JSON with comments becomes JSON of the same length.
 *
 * Each byte of a comment becomes a space and line ends stay, so an offset in
 * what is read is the offset in what was written, and lines and columns can be
 * counted in the file itself. Strings are passed over, escapes and all; whether
 * the rest is JSON is the reader's to say. Comments are those of C: to the end
 * of the line, or between marks that do not nest. */
#include "json/json.h"

/* Where the string that begins at start ends, or the end of text. */
static size_t comments_string(surety_str text, size_t start)
{
    size_t i = start + 1;

    while (i < text.len && text.ptr[i] != '"' && text.ptr[i] != '\n')
        i += text.ptr[i] == '\\' && i + 1 < text.len ? 2 : 1;
    return i < text.len ? i + 1 : text.len;
}

/* Where the comment that begins at start ends; 0: never. */
static size_t comments_end(surety_str text, size_t start)
{
    size_t i = start + 2;

    if (text.ptr[start + 1] == '/') {
        while (i < text.len && text.ptr[i] != '\n' && text.ptr[i] != '\r')
            i++;
        return i;
    }
    for (; i + 1 < text.len; i++)
        if (text.ptr[i] == '*' && text.ptr[i + 1] == '/')
            return i + 2;
    return 0;
}

surety_status surety_json_uncomment(surety_str text, char *out,
                                    surety_error *reterr)
{
    surety_status status;
    size_t i = 0;

    if (text.len)
        memmove(out, text.ptr, text.len);
    while (i < text.len) {
        size_t end;
        if (text.ptr[i] == '"') {
            i = comments_string(text, i);
            continue;
        }
        if (text.ptr[i] != '/' || i + 1 == text.len ||
            (text.ptr[i + 1] != '/' && text.ptr[i + 1] != '*')) {
            i++;
            continue;
        }
        end = comments_end(text, i);
        if (end == 0) {
            status = surety__fail(reterr, SURETY_SYNTAX,
                                  "this comment is never closed");
            surety__hint(reterr, "end it with */");
            if (reterr)
                reterr->position = surety_position_at(text, i, 2);
            return status;
        }
        for (; i < end; i++)
            if (out[i] != '\n' && out[i] != '\r')
                out[i] = ' ';
    }
    return SURETY_OK;
}
