/* SPDX-License-Identifier: Apache-2.0 */
/* Inside serve/: what a protocol's file gives to speak.c, and what they
 * share. */
#ifndef SURETY_SERVE_SPEAK_H
#define SURETY_SERVE_SPEAK_H

#include "serve/serve.h"

/* A request that is being read. */
typedef struct surety__asking {
    surety_val body;
    surety__arena *arena;
    surety__asked *asked;
    surety__problem *problem;
    surety_error *error;
    surety_status status; /* the first failure */
    bool counts;          /* only the tokens are asked for */
    surety__said *messages;
    surety_str *tools;
    size_t message_cap, tool_cap;
} surety__asking;

/* What a status usually says; ended by status 0, which is for all others. */
typedef struct surety__fault_row {
    int status;
    const char *type;
    const char *code;
    const char *message;
} surety__fault_row;

/* A protocol. */
typedef struct surety__speaker {
    void (*read)(surety__asking *reading);
    void (*error)(const surety__problem *problem, surety_buf *out);
    const surety__fault_row *faults;
    void (*begin)(surety__speech *speech, const surety_usage *usage,
                  surety_buf *out);
    /* Start, piece and end of a part of a stream. */
    void (*part)(surety__speech *speech, surety_buf *out);
    void (*piece)(surety__speech *speech, surety_str text, surety_buf *out);
    void (*close)(surety__speech *speech, surety_buf *out);
    void (*end)(surety__speech *speech, const surety__closing *ending,
                surety_buf *out);
    /* An error within a stream: the text before the error's body, or where that
     * does not suffice, a function. */
    const char *failing;
    void (*fail)(surety__speech *speech, const surety__problem *problem,
                 surety_buf *out);
    void (*whole)(surety__speech *speech, const surety__closing *ending,
                  surety_buf *out);
} surety__speaker;

extern const surety__speaker surety__speaker_openai;
extern const surety__speaker surety__speaker_responses;
extern const surety__speaker surety__speaker_anthropic;
extern const surety__speaker surety__speaker_gemini;

/* Appends format, in which ' stands for a quotation mark and $ with a letter
 * for an argument: $s a surety_str as a JSON string, $m the same or null where
 * it is empty, $r one as it stands, $n a uint64_t, $e a surety_str as the
 * inside of a JSON string. */
void surety__speak_put(surety_buf *out, const char *format, ...);
/* An error as OpenAI's two protocols have it. */
void surety__speak_openai_error(const surety__problem *problem,
                                surety_buf *out);

/* Says once what is wrong with a request: 400 unless status says otherwise. */
void surety__asking_fail(surety__asking *reading, const char *param,
                         const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds to the prompt: role "system" in any of its names goes to system. content
 * is a string, an array of parts with a "text" or a tool's result, or any other
 * value, which counts as its JSON. */
void surety__asking_message(surety__asking *reading, surety_str role,
                            surety_val content);
/* The texts of such a content; ptr NULL for want of memory. */
surety_str surety__asking_text(surety__asking *reading, surety_val content);
/* Adds a message; text.ptr NULL: memory ran out. */
void surety__asking_say(surety__asking *reading, surety__author author,
                        surety_str text, uint32_t dimensions);
/* Adds a tool that is offered; callable: the model calls it, and its caller
 * runs it. */
void surety__asking_offer(surety__asking *reading, surety_str name,
                          bool callable);
/* Reads OpenAI's choice: "none", "auto", "required", the tool that it names
 * (wanted), or some that are allowed, of which the first counts; nothing is
 * "auto". Gives the tool that must be called, if it must be a certain one. */
surety_str surety__asking_choose(surety__asking *reading, surety_val choice,
                                 surety_str wanted);
/* Whether this tool is the one that must be called: the first that the choice
 * takes. */
bool surety__asking_wants(const surety__asking *reading, surety_str name,
                          surety_str wanted);
/* After the tools: refuses a choice for which there is no tool, in the
 * provider's words. named is its sentence where the choice names one, with the
 * name as %.*s; any, where any tool would do. */
void surety__asking_tools_end(surety__asking *reading, surety_str wanted,
                              const char *named, const char *any);
/* How many answers are asked for, from 1 to most. */
void surety__asking_answers(surety__asking *reading, surety_val number,
                            const char *name, uint32_t most);
/* Members that are there must have this kind. */
surety_val surety__asking_member(surety__asking *reading, surety_val object,
                                 const char *name, surety_kind kind);
/* Settles mode, tool and schema: a tool that must be called. */
void surety__asking_tool(surety__asking *reading, surety_str name,
                         surety_val schema, bool is_strict);

/* Reads a request for embeddings. */
void surety__embed_read(surety__asking *reading);

/* The word for how it ended: ending->finish, one of ours put into the
 * protocol's (words: stop, length, filter, refusal, tool), or what follows
 * from what was said. */
surety_str surety__closing_word(const surety__closing *ending,
                                const surety__speech *speech,
                                const char *const words[5]);
/* What was said of a part. */
surety_str surety__speech_text(const surety__speech *speech,
                               surety__speech_part part);
/* The arguments as a JSON object's text: as they are, or where they are none,
 * as a string. */
void surety__speak_arguments(const surety__speech *speech, surety_buf *out);

#endif
