/* SPDX-License-Identifier: Apache-2.0 */
/* The conversation, for the files that fill it. */
#ifndef SURETY_MESSAGE_CONVERSATION_H
#define SURETY_MESSAGE_CONVERSATION_H

#include <surety/json.h>

#include "message/message.h"

enum { CONVERSATION_NOTES_MAX = 64 };

struct surety_conversation {
    const surety_alloc *alloc;
    surety_limits limits;
    bool has_protocol; /* of the texts that are read */
    surety_protocol protocol;
    surety__arena arena; /* parts, texts, those of notes */
    surety_doc *doc;     /* reads the JSON of a part, to check it */
    surety_message *messages;
    size_t count, cap;
    surety_conversation_note *notes;
    size_t note_count, note_cap;
};

/* The members of a part, for the table of what each kind uses. */
enum surety__part_member {
    PART_TEXT = 1,
    PART_MEDIA = 2, /* media_type, and one of data, url, file_id */
    PART_NAME = 4,
    PART_ID = 8,
    PART_ERROR = 16
};
/* Returns which members parts of this kind use, besides cache and raw. */
unsigned surety__part_members(surety_part_kind kind);

/* As surety_conversation_add, of a role that exists and has such parts; what
 * is wrong with a part is SURETY_SYNTAX. */
surety_status surety__conversation_put(surety_conversation *conversation,
                                       const surety_message *message,
                                       surety_error *reterr);
/* Adds a note; texts are copied. Beyond the bound it is left out. */
surety_status surety__conversation_note(surety_conversation *conversation,
                                        const surety_conversation_note *note,
                                        surety_error *reterr);

/* Returns the part of a media type: image, audio, or document. */
surety_part_kind surety__media_kind(surety_str media_type);

/* Checks root against a built-in contract. SURETY_SYNTAX: the first finding,
 * with its position and path in the text that was read. SURETY_LIMIT,
 * SURETY_NOMEM. */
surety_status surety__form_check(surety_str contract, surety_val root,
                                 const surety_alloc *alloc,
                                 surety_error *reterr);

#endif
