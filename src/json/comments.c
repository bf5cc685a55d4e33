/* SPDX-License-Identifier: Apache-2.0 */
/* comments.c: turns JSON with comments into JSON of the same length.
 *
 * 1. Each byte of a comment becomes a space, and line ends stay. So an offset
 *    in the result is the offset in the original text, and lines and columns
 *    can be counted in the file itself.
 * 2. Strings are skipped, with their escapes. The reader decides whether the
 *    rest is JSON.
 * 3. Comments are those of C: up to the end of the line, or between delimiters
 *    that do not nest. */
#include "json/json.h"

/* Returns the end of the string that begins at start, or the end of text. */
static size_t comments_string(surety_str text, size_t start)
{
    size_t i = start + 1;

    while (i < text.len && text.ptr[i] != '"' && text.ptr[i] != '\n')
        i += text.ptr[i] == '\\' && i + 1 < text.len ? 2 : 1;
    return i < text.len ? i + 1 : text.len;
}

/* Returns the end of the comment that begins at start; 0: it has none. */
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
