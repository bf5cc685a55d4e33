/* SPDX-License-Identifier: Apache-2.0 */
/* The door of message/: what a conversation consists of. */
#ifndef SURETY_MESSAGE_MESSAGE_H
#define SURETY_MESSAGE_MESSAGE_H

#include <surety/message.h>

#include "base/base.h"

/* Finds the protocol of this name; false: there is none. */
bool surety__protocol_named(surety_str name, surety_protocol *ret_protocol);

#endif
