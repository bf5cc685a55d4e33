/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that a conversation carries: the arguments of calls, and items of
 * providers.
 *
 * Models write arguments that are no object at times, or one that has a key
 * twice; most protocols and a saved conversation can carry neither. What a
 * model wrote then becomes a member of an object, and the model sees what it
 * wrote. */
#include "message/message.h"

/* How deep a part's JSON is in a written conversation: list, message, content,
 * part, raw. */
enum { ARGUMENTS_DEPTH = 5 };

surety_status surety__carried_read(surety_doc *doc, surety_str text,
                                   const surety_limits *limits,
                                   surety_error *reterr)
{
    surety_limits own = *limits;
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_BORROW |
                                                  SURETY_READ_UNIQUE_KEYS,
                                         .limits = &own};

    own.depth_max -= own.depth_max > ARGUMENTS_DEPTH ? ARGUMENTS_DEPTH : 0;
    own.string_len_max = (uint32_t)own.text_bytes_max;
    return surety_doc_read(doc, text, &options, reterr);
}

bool surety__arguments_write(surety_str text, surety_buf *out)
{
    const surety_limits limits = surety_limits_of(NULL);
    const surety_str trimmed = surety__str_trim(text);
    surety_doc *doc = surety_doc_new(out->alloc);
    bool is_object = true;
    surety_status status =
        doc && trimmed.len ? surety__carried_read(doc, trimmed, &limits, NULL)
        : doc              ? SURETY_OK
                           : SURETY_NOMEM;

    if (status == SURETY_NOMEM) {
        out->status = SURETY_NOMEM;
    } else if (!trimmed.len) {
        surety_buf_text(out, "{}");
    } else if (status == SURETY_OK &&
               surety_val_kind(surety_doc_root(doc)) == SURETY_KIND_OBJECT) {
        surety_buf_add(out, trimmed);
    } else {
        surety_buf_byte(out, '{');
        surety_json_text(out, "INVALID_JSON", trimmed);
        surety_buf_byte(out, '}');
        is_object = false;
    }
    surety_doc_free(doc);
    return is_object;
}
