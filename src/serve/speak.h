/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to serve/: the functions that a protocol's file provides to speak.c,
 * and the functions that these files share. */
#ifndef SURETY_SERVE_SPEAK_H
#define SURETY_SERVE_SPEAK_H

#include "serve/serve.h"
#include "template/template.h"

/* The state of reading a request. */
typedef struct surety__request_reader {
    surety_val body;
    surety__arena *arena;
    surety__model_request *request;
    surety__problem *problem;
    surety_error *error;
    surety_status status; /* the first failure */
    bool counts;          /* the request only counts tokens */
    surety__model_message *messages;
    surety_str *tools;
    size_t message_cap, tool_cap;
} surety__request_reader;

/* The usual error for an HTTP status. A table ends with status 0, which is for
 * all others. */
typedef struct surety__fault_row {
    int status;
    const char *type;
    const char *code;
    const char *message;
} surety__fault_row;

/* The functions of a protocol. */
typedef struct surety__speaker {
    void (*read)(surety__request_reader *reader);
    void (*error)(const surety__problem *problem, surety_buf *out);
    const surety__fault_row *faults;
    /* Templates: a count of tokens (NULL: the protocol has none), a model by
     * its name given twice, and the start of a list of models. */
    const char *count, *model, *models;
    /* How an answer ended: stop, length, filter, refusal, tool. */
    const char *words[5];
    /* Write the start of a stream; NULL: it has none. */
    void (*begin)(surety__speech *speech, const surety_usage *usage,
                  surety_buf *out);
    /* Write the start, a piece, and the end of a part of a stream. part and
     * close may be NULL. */
    void (*part)(surety__speech *speech, surety_buf *out);
    void (*piece)(surety__speech *speech, surety_str text, surety_buf *out);
    void (*close)(surety__speech *speech, surety_buf *out);
    /* Writes a part that is the provider's own item; NULL: it has none. */
    void (*raw)(surety__speech *speech, surety_val raw, surety_buf *out);
    /* Ends the open reasoning, whose text was written in pieces, as the
     * provider's own item. False: it is another, and nothing was written. NULL:
     * such an item is written whole. */
    bool (*seal)(surety__speech *speech, surety_val raw, surety_buf *out);
    void (*end)(surety__speech *speech, const surety__closing *ending,
                surety_buf *out);
    /* Writes an event that says nothing; NULL: that is a comment. */
    void (*ping)(const surety__speech *speech, surety_buf *out);
    /* An error within a stream: the text before the error's body, or if that is
     * not enough, a function. */
    const char *failing;
    void (*fail)(surety__speech *speech, const surety__problem *problem,
                 surety_buf *out);
    void (*whole)(surety__speech *speech, const surety__closing *ending,
                  surety_buf *out);
} surety__speaker;

/* Those of OpenAI's two protocols. */
#define SURETY__OPENAI_MODEL                                                   \
    "{'id':$s,'object':'model','created':1767225600,'owned_by':'surety'}"
#define SURETY__OPENAI_MODELS "{'object':'list','data':["

extern const surety__speaker surety__speaker_openai;
extern const surety__speaker surety__speaker_responses;
extern const surety__speaker surety__speaker_anthropic;
extern const surety__speaker surety__speaker_gemini;

/* Appends an error in the form of OpenAI's two protocols. */
void surety__speak_openai_error(const surety__problem *problem,
                                surety_buf *out);

/* Keeps the first fault of a request, with the HTTP status 400. */
void surety__request_fail(surety__request_reader *reader, const char *param,
                          const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for a required parameter that is absent, in OpenAI's words. */
void surety__request_missing(surety__request_reader *reader, const char *param);
/* Adds a message to the prompt. The role "system", under any of its names, adds
 * to system. content is a string, an array of parts with a "text" or a tool's
 * result, or any other value, which counts as its JSON. */
void surety__request_add_message(surety__request_reader *reader,
                                 surety_str role, surety_val content);
/* The texts of such a content, joined; ptr NULL: out of memory. Sets
 * *ret_is_result if it has a tool's result. */
surety_str surety__request_text(surety__request_reader *reader,
                                surety_val content, bool *ret_is_result);
/* Adds a message; text.ptr NULL means that memory ran out. */
void surety__request_add(surety__request_reader *reader, surety__author author,
                         surety_str text, uint32_t dimensions);
/* Makes room for one more item of an array in the arena. Returns the array;
 * NULL: out of memory. */
void *surety__request_room(surety__request_reader *reader, void *items,
                           size_t count, size_t *cap, size_t size);
/* Adds an offered tool; callable: the model calls it and the client runs it. */
void surety__request_add_tool(surety__request_reader *reader, surety_str name,
                              bool callable);
/* Reads OpenAI's tool_choice: "none", "auto", "required", a named tool
 * (wanted), or a list of allowed tools, of which the first counts; absent means
 * "auto". Returns the name of the tool that must be called, if it must be a
 * certain one. */
surety_str surety__request_choose(surety__request_reader *reader,
                                  surety_val choice, surety_str wanted);
/* Whether this tool is the one that must be called: the first that fits the
 * choice. */
bool surety__request_requires(const surety__request_reader *reader,
                              surety_str name, surety_str wanted);
/* Call it after the tools: refuses a choice that no tool fits, in the
 * provider's words. named is the message for a named tool, with the name as
 * %.*s; any, the message if any tool would fit. */
void surety__request_tools_end(surety__request_reader *reader,
                               surety_str wanted, const char *named,
                               const char *any);
/* Reads a number from 1 to most; usual: it is absent. */
uint32_t surety__request_number(surety__request_reader *reader,
                                surety_val number, const char *name,
                                uint32_t most, uint32_t usual);
/* A member, which must have this kind if it is present and not null. */
surety_val surety__request_member(surety__request_reader *reader,
                                  surety_val object, const char *name,
                                  surety_kind kind);
/* The name of a schema where its protocol has none: its title, cut to the 64
 * bytes that names may have elsewhere, or "output". */
surety_str surety__request_title(surety_val schema);
/* Sets mode, tool and schema for a tool that must be called. */
void surety__request_require(surety__request_reader *reader, surety_str name,
                             surety_val schema, bool is_strict);

/* Read the parts that OpenAI's two protocols share: model (no_model: the
 * message if it is absent) and stream; the form of the text, with the schema in
 * named; the tools and their choice, whose functions are nested or not. */
typedef struct surety__format_params { /* names of parameters, for errors */
    const char *type, *name;
    const char *schema; /* NULL: it may be absent */
} surety__format_params;
void surety__request_openai_head(surety__request_reader *reader,
                                 const char *no_model);
void surety__request_openai_format(surety__request_reader *reader,
                                   surety_val format, surety_val named,
                                   const surety__format_params *params);
void surety__request_openai_tools(surety__request_reader *reader, bool nested);

/* Reads a request for embeddings. */
void surety__embed_read(surety__request_reader *reader);

/* The protocol's word for how the answer ended: ending->finish, translated if
 * it is one of ours (stop, length, filter, refusal, tool), or derived from the
 * parts. */
surety_str surety__closing_word(const surety__closing *ending,
                                const surety__speech *speech);
/* The text of a part so far. */
surety_str surety__speech_text(const surety__speech *speech,
                               surety__speech_part part);
/* One thing that an answer says: a part, or one of its calls of tools. */
typedef struct surety__speech_item {
    surety__speech_part part;
    surety_str text;    /* so far */
    surety_str tool;    /* of a call */
    surety_str id, raw; /* of a call; may be empty */
    size_t call;        /* of a call: its number, from 0 */
} surety__speech_item;
/* An answer has as many possible items: the parts before the calls, and the
 * calls. _item gives the one at this index; false: it did not come. */
size_t surety__speech_items(const surety__speech *speech);
bool surety__speech_item_at(const surety__speech *speech, size_t index,
                            surety__speech_item *ret_item);
/* The open item of a stream, which has one. */
surety__speech_item surety__speech_open(const surety__speech *speech);
/* Appends what makes the ids of an answer's calls differ: nothing for the
 * first, "-2" for the second. */
void surety__speech_put_number(const surety__speech_item *item,
                               surety_buf *out);
/* Appends the id of a call, the inside of a JSON string: the provider's, or one
 * that is made of the prefix and the answer's id. */
void surety__speech_put_id(const surety__speech *speech,
                           const surety__speech_item *item, const char *prefix,
                           surety_buf *out);
/* Appends the arguments of a call as JSON: unchanged if they are an object's
 * text, otherwise as a string. */
void surety__speak_arguments(surety_str text, surety_buf *out);

#endif
