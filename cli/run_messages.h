/* SPDX-License-Identifier: Apache-2.0 */
/* run_messages.h: the conversation of surety run: the one before the prompt,
 * from files and options, and the one to go on with. */
#ifndef CLI_RUN_MESSAGES_H
#define CLI_RUN_MESSAGES_H

#include <surety-run.h>

#include "cli.h"

/* The options; a part of a command's settings. */
struct messages_settings {
    const char *file;           /* --messages */
    struct texts messages;      /* --message */
    struct texts images, files; /* --image, --file */
    const char *save;           /* --save-messages */
    bool quiet;                 /* write no notes */
};

/* Returns whether the options give a conversation. */
bool run_messages_given(const struct messages_settings *settings);
/* Reads and repairs the conversation that the options give: the file's
 * messages, those of --message, and one with the images and files. *ret is NULL
 * if there is none; the caller frees it. False: the message is written. */
bool run_messages_read(struct cli *cli,
                       const struct messages_settings *settings,
                       surety_conversation **ret_conversation);
/* Writes the conversation of a run to the file at path, which is replaced.
 * False: the message is written. */
bool run_messages_save(struct cli *cli, const surety_run *run,
                       const char *path);

#endif
