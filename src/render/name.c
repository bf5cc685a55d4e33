/* SPDX-License-Identifier: Apache-2.0 */
/* Makes safe file names from untrusted texts.
 *
 * 1. A name cannot leave its folder, be hidden, look like an option or be a
 *    device, on Linux, macOS and Windows.
 * 2. Letters of every script are kept: a title in Japanese should not become
 *    "chart-1".
 * 3. A name made here stays the same when it is made again. */
#include "render/render.h"

#include <assert.h>

/* Windows treats these as devices, in any folder and with any extension. */
static const char *const name_devices[] = {"con", "prn", "aux", "nul"};
static const char *const name_ports[] = {"com", "lpt"}; /* and a digit */

static bool name_is_device(surety_str name)
{
    const size_t dot = surety__str_find(name, surety_str_of("."));
    const surety_str stem = {name.ptr, dot};

    if (surety__str_among_nocase(stem, name_devices,
                                 SURETY__COUNT(name_devices)))
        return true;
    return stem.len == 4 && surety__is_digit(stem.ptr[3]) &&
           surety__str_among_nocase((surety_str){stem.ptr, 3}, name_ports,
                                    SURETY__COUNT(name_ports));
}

static bool name_keeps(uint32_t code)
{
    if (code < 0x80)
        return surety__is_digit((char)code) || surety__is_letter((char)code) ||
               code == '_' || code == '.';
    return code <= 0x10FFFF && !surety__utf8_is_blank(code) &&
           !surety__utf8_is_hidden(code) && code != 0xFFFD &&
           !(code >= 0xE000 && code <= 0xF8FF);
}

void surety__file_stem(surety_str wanted, size_t max, surety_buf *out)
{
    const size_t start = out->len;
    bool is_parted = false;
    surety_str made;
    const char *end;

    assert(max > 2);
    if (wanted.len == 0)
        return;
    end = wanted.ptr + wanted.len;
    for (const char *at = wanted.ptr; at < end && !out->status;) {
        unsigned len;
        const uint32_t code = surety__utf8_decode(at, end, &len);
        const bool is_first = out->len == start;
        if (!name_keeps(code)) {
            is_parted = true;
        } else if (!is_first || code != '.') {
            /* Two bytes are reserved for the change to a device's name. */
            if (out->len - start + len + 2 > max)
                break;
            if (is_parted && !is_first)
                surety_buf_byte(out, '-');
            is_parted = false;
            surety_buf_append(out, at, len);
        }
        at += len;
    }
    while (out->len > start &&
           (out->ptr[out->len - 1] == '.' || out->ptr[out->len - 1] == '-'))
        out->len--;
    if (out->len == start || out->status)
        return;
    made = (surety_str){out->ptr + start, out->len - start};
    if (!name_is_device(made))
        return;
    surety_buf_byte(out, ' ');
    if (out->status)
        return;
    memmove(out->ptr + start + 1, out->ptr + start, out->len - start - 1);
    out->ptr[start] = '_';
}

void surety_file_name(surety_str wanted, surety_buf *out)
{
    surety__file_stem(wanted, FILE_NAME_MAX, out);
}

surety_status surety_file_save(surety_str folder, surety_str name,
                               surety_str bytes, bool replace,
                               surety_error *reterr)
{
    surety_status status;
    surety_buf path;
    bool is_safe;

    surety_buf_init(&path, NULL, 0);
    surety_file_name(name, &path);
    is_safe = name.len > 0 && surety_str_equal(surety_buf_str(&path), name);
    status = path.status;
    surety_buf_reset(&path);
    surety_buf_add(&path, folder.len > 0 ? folder : surety_str_of("."));
    surety_buf_byte(&path, '/');
    surety_buf_add(&path, name);
    if (status || path.status)
        status = surety__fail_nomem(reterr);
    else if (is_safe)
        status =
            surety_file_write(surety_buf_str(&path), bytes, replace, reterr);
    else
        status = surety__fail(reterr, SURETY_MISUSE,
                              "\"%.*s\" is no safe name for a file",
                              (int)(name.len > 100 ? 100 : name.len), name.ptr);
    surety_buf_done(&path);
    return status;
}
