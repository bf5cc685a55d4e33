/* SPDX-License-Identifier: Apache-2.0 */
/* Text made fit for one line of a picture: what turns text around, hides in it
 * or ends it is left out, blanks of all kinds are joined to one, and what is
 * too long ends in an ellipsis, cut between code points. Marks that combine
 * with a letter are left to the font. */
#include "render/render.h"

void surety__line_clean(surety_str text, size_t max, surety_buf *out)
{
    size_t count = 0;
    bool is_blank = false;
    const char *end;

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
