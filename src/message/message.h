/* SPDX-License-Identifier: Apache-2.0 */
/* The door of message/: what a conversation consists of. */
#ifndef SURETY_MESSAGE_MESSAGE_H
#define SURETY_MESSAGE_MESSAGE_H

#include <surety/json.h>
#include <surety/message.h>

#include "base/base.h"

/* The name of a call that came without one: neither providers nor a saved
 * conversation take a call without. No tool may be called so. */
#define SURETY__UNNAMED "unnamed"

/* Finds the protocol of this name; false: there is none. */
bool surety__protocol_named(surety_str name, surety_protocol *ret_protocol);

/* Whether a message of the role may have parts of the kind. */
/* Returns the fault of the names of a message's texts; NULL: none. */
const char *surety__parts_misnamed(surety_role role, const surety_part *parts,
                                   size_t count);
bool surety__role_has(surety_role role, surety_part_kind kind);
/* What an image, document or audio lacks; NULL: nothing. */
const char *surety__media_lack(const surety_part *part);

/* Reads JSON that a conversation has to carry; doc uses the text. */
surety_status surety__carried_read(surety_doc *doc, surety_str text,
                                   const surety_limits *limits,
                                   surety_error *reterr);
/* Appends the arguments of a call as an object of JSON: {} for none; in a
 * member INVALID_JSON if they are no object, or none that can be carried.
 * False: so it is. */
bool surety__arguments_write(surety_str text, surety_buf *out);

#endif
