/* SPDX-License-Identifier: Apache-2.0 */
/* messages.h: the conversation before a run, and the one to go on with. */
#ifndef SURETY_NODE_MESSAGES_H
#define SURETY_NODE_MESSAGES_H

#include "addon.h"

/* Gives the messages of a text, which may be empty, to a run; *ret has them,
 * and is the caller's, on failure too. */
surety_status messages_read(surety_str text, surety_run_options *options,
                            surety_conversation **ret, surety_error *reterr);
/* Appends the conversation to go on with, as JSON. */
surety_status messages_write(const surety_run *ended,
                             const surety_limits *limits, surety_buf *out,
                             surety_error *reterr);

#endif
