/* SPDX-License-Identifier: Apache-2.0 */
/* Writes members of an object straight into a buffer, for objects that are
 * written once and not read again: reports. The buffer's last byte shows
 * whether a comma is needed: it is "{" only after the brace that opens an
 * object. So no state is kept between calls. The caller writes the braces. */
#include "json/json.h"

void surety_json_name(surety_buf *out, const char *name)
{
    if (out->len && out->ptr[out->len - 1] != '{')
        surety_buf_byte(out, ',');
    surety_json_string(out, surety_str_of(name));
    surety_buf_byte(out, ':');
}

void surety_json_text(surety_buf *out, const char *name, surety_str text)
{
    surety_json_name(out, name);
    surety_json_string(out, text);
}

void surety_json_number(surety_buf *out, const char *name, uint64_t number)
{
    surety_json_name(out, name);
    surety_buf_number(out, number);
}

void surety_json_bool(surety_buf *out, const char *name, bool value)
{
    surety_json_name(out, name);
    surety_buf_text(out, value ? "true" : "false");
}

void surety__json_position(surety_buf *out, const surety_position *position)
{
    if (!position->line)
        return;
    surety_json_number(out, "line", position->line);
    surety_json_number(out, "column", position->column);
    surety_json_number(out, "offset", position->offset);
    surety_json_number(out, "length", position->length);
}

void surety_json_value(surety_buf *out, const char *name, surety_val val)
{
    surety_json_name(out, name);
    if (val.doc)
        (void)surety_val_write(val, SURETY_STYLE_COMPACT, out);
    else
        surety_buf_text(out, "null");
}
