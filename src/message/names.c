/* SPDX-License-Identifier: Apache-2.0 */
/* names.c: the names of protocols, roles and kinds of parts, as files, options
 * and messages have them. Each list is in the order of its enum. */
#include "message/message.h"

static const char *const names_protocols[] = {
    "openai", "responses", "anthropic", "gemini", "text",
};
static const char *const names_roles[] = {"system", "user", "assistant",
                                          "tool"};
static const char *const names_parts[] = {
    "text", "image", "document", "audio", "call", "result", "reasoning",
};

const char *surety_protocol_name(surety_protocol protocol)
{
    return names_protocols[protocol];
}

const char *surety_role_name(surety_role role)
{
    return names_roles[role];
}

const char *surety_part_kind_name(surety_part_kind kind)
{
    return names_parts[kind];
}

bool surety__protocol_named(surety_str name, surety_protocol *ret_protocol)
{
    for (size_t i = 0; i < SURETY__COUNT(names_protocols); i++)
        if (surety_str_equal(name, surety_str_of(names_protocols[i]))) {
            *ret_protocol = (surety_protocol)i;
            return true;
        }
    return false;
}
