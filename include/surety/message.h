/* SPDX-License-Identifier: Apache-2.0 */
/* surety/message.h: what a conversation with a model consists of. A message has
 * a role and parts: texts, media, calls of tools and their results. The form is
 * the same for all protocols; each writes it in its own way, and a part that it
 * cannot carry is refused before the call.
 *
 * Threads: messages are plain structs of the caller, which threads may share
 * while none changes them; a conversation is owned. */
#ifndef SURETY_MESSAGE_H
#define SURETY_MESSAGE_H

#include <surety/base.h>
#include <surety/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The protocols. ORDER protocols (names in message/names.c). */
typedef enum surety_protocol {
    SURETY_PROTOCOL_OPENAI = 0, /* Chat Completions; also vLLM, llama.cpp,
                                 * Ollama, LM Studio and OpenRouter by URL */
    SURETY_PROTOCOL_RESPONSES,  /* OpenAI Responses */
    SURETY_PROTOCOL_ANTHROPIC,  /* Anthropic Messages */
    SURETY_PROTOCOL_GEMINI,     /* Gemini generateContent */
    SURETY_PROTOCOL_TEXT        /* prompt as input, reply as output: commands */
} surety_protocol;
/* "openai", "responses", "anthropic", "gemini", "text"; never NULL. */
SURETY_API const char *surety_protocol_name(surety_protocol protocol);

/* Who speaks. ORDER roles (names in message/names.c). */
typedef enum surety_role {
    SURETY_ROLE_SYSTEM = 0, /* instructions; OpenAI's developer too */
    SURETY_ROLE_USER,
    SURETY_ROLE_ASSISTANT, /* the model */
    SURETY_ROLE_TOOL       /* results of tools, for the model */
} surety_role;
/* "system", "user", "assistant", "tool"; never NULL. */
SURETY_API const char *surety_role_name(surety_role role);

/* ORDER part kinds (names in message/names.c). */
typedef enum surety_part_kind {
    SURETY_PART_TEXT = 0,
    SURETY_PART_IMAGE,
    SURETY_PART_DOCUMENT, /* PDF, or another file that is no image or audio */
    SURETY_PART_AUDIO,
    SURETY_PART_CALL,     /* of a tool, by the assistant */
    SURETY_PART_RESULT,   /* of such a call, by the role tool */
    SURETY_PART_REASONING /* the assistant's, before its answer */
} surety_part_kind;
/* "text", "image", "document", "audio", "call", "result", "reasoning"; never
 * NULL. */
SURETY_API const char *surety_part_kind_name(surety_part_kind kind);

/* A part of a message. A member that its kind does not use is empty. */
typedef struct surety_part {
    surety_part_kind kind;
    /* TEXT, REASONING: the text. CALL: the arguments, an object of JSON.
     * RESULT: what the tool gave, as text; JSON where the tool gave JSON. */
    surety_str text;
    /* IMAGE, DOCUMENT, AUDIO: the content is one of data (the bytes), url (the
     * provider fetches it) and file_id (uploaded to the provider before). */
    surety_str media_type; /* "image/png"; may be empty with url and file_id */
    surety_str data;
    surety_str url;
    surety_str file_id;
    /* DOCUMENT: the file's name. CALL, RESULT: the tool's. TEXT: who speaks,
     * where several do; only the first text of a message has it, and none of
     * the role tool. That text may be empty. */
    surety_str name;
    surety_str id; /* CALL, RESULT: what pairs them */
    bool error;    /* RESULT: the tool failed, and text says why */
    bool cache;    /* the provider may keep the conversation up to here */
    /* The provider's own item for this part, as JSON, from one of its answers;
     * empty: none. It is sent back to the same protocol byte for byte, because
     * it has what the provider checks (signatures, encrypted reasoning).
     * Another protocol gets the part without it; a REASONING part is then left
     * out. */
    surety_protocol raw_protocol;
    surety_str raw;
} surety_part;

/* A message: its parts in their order. In the role tool, media behind a RESULT
 * belong to that result. */
typedef struct surety_message {
    surety_role role;
    const surety_part *parts;
    size_t part_count;
} surety_message;

/* Makes a part of a file's bytes: an image, audio or document with its media
 * type, which comes from the first bytes, else from the ending of name (may be
 * empty), else it is text/plain if the bytes are UTF-8 without NUL. data and
 * name of *ret_part refer to the arguments. SURETY_UNSUPPORTED: none of these
 * gives a type. */
SURETY_API surety_status surety_part_of_file(surety_str bytes, surety_str name,
                                             surety_part *ret_part,
                                             surety_error *reterr);

/* ---- conversations ------------------------------------------------------ */

/* An owned list of messages. */
typedef struct surety_conversation surety_conversation;

typedef struct surety_conversation_options {
    size_t size;                 /* sizeof(surety_conversation_options) */
    const surety_limits *limits; /* NULL: defaults */
    const surety_alloc *alloc;   /* NULL: libc */
    /* What surety_conversation_read gets is of this protocol, and nothing else
     * is tried; otherwise the signs in each text show its form. */
    bool has_protocol;
    surety_protocol protocol;
} surety_conversation_options;

/* Makes an empty conversation. options NULL: defaults. SURETY_NOMEM. */
SURETY_API surety_status surety_conversation_new(
    const surety_conversation_options *options,
    surety_conversation **ret_conversation, surety_error *reterr);
SURETY_API void surety_conversation_free(surety_conversation *conversation);

/* Adds a copy of a message. SURETY_MISUSE: the role cannot have such a part, or
 * the part lacks a member or has one that its kind does not use; texts are
 * UTF-8, data has a media type, a CALL's text and every raw are an object of
 * JSON. Only the assistant's message may be without parts. SURETY_LIMIT,
 * SURETY_NOMEM. */
SURETY_API surety_status
surety_conversation_add(surety_conversation *conversation,
                        const surety_message *message, surety_error *reterr);

/* Adds the messages of a JSON text: those that surety_conversation_write
 * writes, or a list or whole request of OpenAI Chat Completions, OpenAI
 * Responses, Anthropic, Gemini or the AI SDK (ModelMessage). The text itself
 * shows which (docs/messages.md), unless the options name a protocol. An item
 * with more than its part can hold becomes the part's raw. Results that follow
 * each other become one message. What is no message (the model, the tools) is
 * left out, with a note. SURETY_SYNTAX with position and path: the text is not
 * JSON, is of none of these forms, or has an item that no part can hold.
 * SURETY_LIMIT, SURETY_NOMEM. A failure adds nothing. */
SURETY_API surety_status surety_conversation_read(
    surety_conversation *conversation, surety_str text, surety_error *reterr);

/* The same with the root of a text that was read already, in which no object
 * has a name twice. What is left out has no note. */
SURETY_API surety_status surety_conversation_read_value(
    surety_conversation *conversation, surety_val root, surety_error *reterr);

/* Makes the calls and results fit together, as all providers require: each
 * result in one message directly behind that of its call. Two rules, each with
 * a note: "late-result", a result that comes later is moved there;
 * "missing-result", a call without result gets one that says so, with error
 * set. SURETY_SYNTAX: a result has no call, or two calls that wait for a result
 * have one id; nothing is changed then. SURETY_LIMIT, SURETY_NOMEM. */
SURETY_API surety_status surety_conversation_repair(
    surety_conversation *conversation, surety_error *reterr);

/* Appends the messages as JSON in the form of the contract surety/messages, a
 * message a line. surety_conversation_read reads back the same messages, byte
 * for byte. Returns out->status. */
SURETY_API surety_status surety_conversation_write(
    const surety_conversation *conversation, surety_buf *out);

/* Gives all messages. They belong to the conversation, and are valid until it
 * is changed or freed. */
SURETY_API const surety_message *surety_conversation_messages(
    const surety_conversation *conversation, size_t *ret_count);

/* What was left out or changed. */
typedef struct surety_conversation_note {
    const char *rule;    /* "left-out", "arguments", "late-result",
                          * "missing-result" */
    size_t message;      /* index of the message; of the first that was read, if
                          * it is about the whole text */
    surety_str location; /* JSON Pointer in the text that was read; may be
                          * empty */
    surety_str text;     /* a sentence without a full stop */
} surety_conversation_note;
/* Gives the i-th note, in the order in which they were made; false: i is past
 * the last. At most 64 are kept. The texts belong to the conversation. */
SURETY_API bool
surety_conversation_note_at(const surety_conversation *conversation, size_t i,
                            surety_conversation_note *ret_note);

#ifdef __cplusplus
}
#endif
#endif
