/* SPDX-License-Identifier: Apache-2.0 */
/* The import: what the readers of all dialects share. A reader goes through the
 * items of a JSON text and says which message begins and which parts it has;
 * the import checks and adds them, and makes errors with positions.
 *
 * Invariants:
 * 1. After a failure (status is not OK) every function does nothing and returns
 *    false, or a part that is not used.
 * 2. A message is open from surety__import_message to the next one or the end.
 * 3. A result has the name of its call, where the text gives no name. */
#ifndef SURETY_MESSAGE_IMPORT_H
#define SURETY_MESSAGE_IMPORT_H

#include "message/conversation.h"

/* A call that was read. */
typedef struct surety__import_call {
    struct surety__import_call *next;  /* with the same hash of the id */
    struct surety__import_call *later; /* of that name, in the same message */
    surety_str id, name;
} surety__import_call;

/* The calls of one name in the last message that has such calls: those that no
 * result without an id was given to. */
typedef struct surety__import_queue {
    struct surety__import_queue *next; /* with the same hash of the name */
    surety_str name;
    size_t message; /* its index */
    surety__import_call *first, *last;
} surety__import_queue;

typedef struct surety__import {
    surety_conversation *conversation;
    surety_error *reterr;
    surety_status status;
    bool is_own;         /* the messages have Surety's own form */
    surety__arena arena; /* texts that are not in the document */
    surety_doc *scratch; /* of JSON in a string */
    surety_role role;    /* of the open message */
    surety_val item;     /* where it began; SURETY_NONE: none is open */
    surety_part *parts;  /* of the open message */
    size_t part_count, part_cap;
    surety_part unused; /* given out after a failure */
    surety__map calls;  /* by the hash of their ids */
    surety__map queues; /* by the hash of their names */
    size_t call_count;
    bool is_quiet; /* a part that is left out has no note */
} surety__import;

/* What a reader is: it reads one item of the list. */
typedef void (*surety__import_reader)(surety__import *import, surety_val item);
void surety__read_own(surety__import *import, surety_val item);
void surety__read_chat(surety__import *import, surety_val item);
void surety__read_responses(surety__import *import, surety_val item);
void surety__read_anthropic(surety__import *import, surety_val item);
void surety__read_gemini(surety__import *import, surety_val item);
void surety__read_sdk(surety__import *import, surety_val item);
/* The content of Anthropic's system and of Gemini's systemInstruction. */
void surety__read_anthropic_system(surety__import *import, surety_val system);
void surety__read_gemini_system(surety__import *import, surety_val system);

/* ---- messages and parts -------------------------------------------------- */

/* Begins a message, and ends the open one. A message of the role tool goes on
 * where one is open. */
void surety__import_message(surety__import *import, surety_role role,
                            surety_val item);
/* As surety__import_message, but every open message of that role goes on. */
void surety__import_join(surety__import *import, surety_role role,
                         surety_val item);
void surety__import_end(surety__import *import);
/* Adds a part to the open message; valid until the next one. */
surety_part *surety__import_part(surety__import *import, surety_part_kind kind);
/* Adds a TEXT part; text that is a string, not empty. */
void surety__import_text(surety__import *import, surety_val text);
/* Whether val can be a content: a text, a list, or nothing. False: the failure
 * is set. */
bool surety__import_is_content(surety__import *import, surety_val val);
/* Gives the role of this name; false: it is none of ours. */
bool surety__import_role(surety_val name, surety_role *ret_role);

/* Remembers the call that was read from item; makes an id if it has none, and
 * names it if it has no name. */
void surety__import_call_add(surety__import *import, surety_part *call,
                             surety_val item);
/* Gives the id of the oldest call of that name in the message before, for a
 * result without an id; each call once. Empty: there is none. */
surety_str surety__import_waiting(surety__import *import, surety_str name);
/* Names a result by the call with its id, unless it has a name. */
void surety__import_result(surety__import *import, surety_part *result);
/* Joins the texts behind the result at this index of the open message to its
 * text, a line each. Media stay behind it. */
void surety__import_fold(surety__import *import, size_t at);

/* ---- values -------------------------------------------------------------- */

/* Fails with the position of val, or of the open message if val is absent.
 * Returns false. */
bool surety__import_fail(surety__import *import, surety_val val,
                         const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a hint to the failure just made. Returns false. */
bool surety__import_hint(surety__import *import, const char *hint);
/* The failure of an item or part that no part can hold; what: "block", "item";
 * name: its type. */
bool surety__import_refuse(surety__import *import, surety_val item,
                           const char *what, surety_val name);
/* Gives the member, a string. False: it is absent or no string, and the failure
 * is made. */
bool surety__import_str(surety__import *import, surety_val object,
                        const char *name, surety_str *ret_text);
/* Gives the member if it is there: it must be a string, or null, which is
 * empty. */
bool surety__import_maybe(surety__import *import, surety_val object,
                          const char *name, surety_str *ret_text);
/* A text that is built in the import's arena from a buffer, which is
 * released. */
surety_str surety__import_take(surety__import *import, surety_buf *buf);
/* Reads arguments that are JSON in a string. What is no object becomes a member
 * INVALID_JSON, with a note, and *ret_valid is false. */
void surety__import_arguments(surety__import *import, surety_val val,
                              surety_part *part, bool *ret_valid);
/* Decodes a string of base64. */
void surety__import_data(surety__import *import, surety_val val,
                         surety_part *part);
/* Takes a URL; the bytes and type of one with the scheme data. */
void surety__import_url(surety__import *import, surety_val val,
                        surety_part *part);
/* The same, but it must have the scheme data. */
void surety__import_data_url(surety__import *import, surety_val val,
                             surety_part *part);

/* ---- what a part cannot hold --------------------------------------------- */

/* Keeps item as the part's raw, if it has a member that is not in known (names
 * separated by blanks) and that is not null, empty or false. */
void surety__import_keep(surety__import *import, surety_part *part,
                         surety_val item, surety_protocol protocol,
                         const char *known);
/* Keeps item as the part's raw. */
void surety__import_raw(surety_part *part, surety_val item,
                        surety_protocol protocol);
/* Notes the members of val that are not in known, as those above. */
void surety__import_leave(surety__import *import, surety_val val,
                          const char *known);
void surety__import_note(surety__import *import, surety_val val,
                         const char *rule, surety_str text);

#endif
