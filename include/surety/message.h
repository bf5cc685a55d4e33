/* SPDX-License-Identifier: Apache-2.0 */
/* surety/message.h: what a conversation with a model consists of. A message has
 * a role and parts: texts, media, calls of tools and their results. The form is
 * the same for all protocols; each writes it in its own way, and a part that it
 * cannot carry is refused before the call.
 *
 * Threads: plain structs of the caller, which threads may share while none
 * changes them. */
#ifndef SURETY_MESSAGE_H
#define SURETY_MESSAGE_H

#include <surety/base.h>

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
    surety_str name; /* DOCUMENT: the file's name; CALL, RESULT: the tool's */
    surety_str id;   /* CALL, RESULT: what pairs them */
    bool error;      /* RESULT: the tool failed, and text says why */
    bool cache;      /* the provider may keep the conversation up to here */
    /* The provider's own item for this part, as JSON, from one of its answers;
     * empty: none. It is sent back to the same protocol byte for byte, because
     * it has what the provider checks (signatures, encrypted reasoning).
     * Another protocol gets the part without it; a REASONING part is then left
     * out. */
    surety_protocol raw_protocol;
    surety_str raw;
} surety_part;

/* A message: its parts in their order. */
typedef struct surety_message {
    surety_role role;
    const surety_part *parts;
    size_t part_count;
} surety_message;

#ifdef __cplusplus
}
#endif
#endif
