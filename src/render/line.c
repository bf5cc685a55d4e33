/* SPDX-License-Identifier: Apache-2.0 */
/* Cleans a text for one line of a picture. Characters that are invisible or
 * change the direction of text are left out, blanks and line breaks of all
 * kinds are joined to one blank, and a text that is too long is cut between
 * code points and ends in an ellipsis. Combining marks are left to the font. */
#include "render/render.h"

#include <assert.h>

void surety__line_clean(surety_str text, size_t max, surety_buf *out)
{
    size_t count = 0;
    bool is_blank = false;
    const char *end;

    assert(max > 0);
    if (text.len == 0)
        return;
    end = text.ptr + text.len;
    for (const char *at = text.ptr; at < end;) {
        unsigned len;
        const uint32_t code = surety__utf8_decode(at, end, &len);
        if (surety__utf8_is_blank(code)) {
            is_blank = count > 0;
        } else if (!surety__utf8_is_hidden(code)) {
            if (count + is_blank >= max) {
                surety_buf_text(out, "\xE2\x80\xA6");
                return;
            }
            if (is_blank)
                surety_buf_byte(out, ' ');
            count += is_blank;
            is_blank = false;
            if (code == 0xFFFFFFFFu)
                surety_buf_text(out, "\xEF\xBF\xBD");
            else
                surety_buf_append(out, at, len);
            count++;
        }
        at += len;
    }
}
