/* SPDX-License-Identifier: Apache-2.0 */
/* The door of tool/: a set of tools, and the life of one call. */
#ifndef SURETY_TOOL_TOOL_H
#define SURETY_TOOL_TOOL_H

#include <surety/form.h>
#include <surety/contract.h>
#include <surety/tool.h>

#include "base/base.h"
#include "provider/provider.h"

/* The bounds of a call where its tool gives none: a minute, as the clients of
 * MCP have it, and what a model can read beside its conversation. */
#define SURETY__TOOL_TIME_MS 60000
#define SURETY__TOOL_RESULT_BYTES ((size_t)256 << 10)

/* A tool of a set. */
typedef struct surety__tool {
    surety_tool_info info;
    surety_tool given; /* its texts are in info */
    const surety_contract *parameters;
    surety_contract *own;    /* the parameters that the set has read */
    surety_contract *result; /* NULL: any text */
    /* How it is called over a transport; NULL: it is the program's. */
    const struct surety__tool_kind *kind;
    const void *spec; /* the kind's */
    struct surety__tool_link *link;
    surety_command *validator; /* of a file's tool; NULL: none */
} surety__tool;

struct surety_tools {
    const surety_alloc *alloc;
    surety_tools_options options;
    surety_limits limits;
    surety__arena arena; /* holds the texts, the tools and the links */
    surety__tool **tools;
    size_t tool_count, tool_cap;
    struct surety__tool_link *links; /* newest first */
    uint64_t exchange_id;            /* of the last exchange */
    surety_judge *judge;             /* of all arguments and results */
    surety_calls *calls;             /* of a text; NULL: none was read */
    struct surety__tool_call *own;   /* of surety_tools_call */
};

/* Whether the calls of the tool are the caller's. */
static inline bool surety__tool_is_declared(const surety__tool *tool)
{
    return !tool->kind && !tool->given.call;
}
/* Whether the set has declared tools; then it has no others. */
static inline bool surety__tools_are_declared(const surety_tools *tools)
{
    return tools && tools->tool_count &&
           surety__tool_is_declared(tools->tools[0]);
}
/* Whether arguments may be repaired. */
static inline bool surety__tools_repair(const surety_tools *tools)
{
    return !tools->options.has_repair ||
           tools->options.repair != SURETY_REPAIR_NONE;
}
/* NULL: there is no such tool. */
const surety__tool *surety__tools_find(const surety_tools *tools,
                                       surety_str name);

/* ---- call.c: the life of a call ------------------------------------------ */

/* One call: judged, begun, stepped until it has ended. It may be used again for
 * another call when it has ended. */
typedef struct surety__tool_call surety__tool_call;

/* NULL when out of memory. The set must outlive it. ready (may be NULL) is
 * called when a transport has ended it. */
surety__tool_call *surety__tool_call_new(surety_tools *tools,
                                         void (*ready)(void *ctx),
                                         void *ready_ctx);
/* Ends the call if it is under way. Takes NULL. */
void surety__tool_call_free(surety__tool_call *call);

/* Judges the arguments of a call (name, id and text of the part), JSON text;
 * empty text is {}. tool NULL: there is no such tool. The texts are copied. OK:
 * either the call has ended with UNKNOWN or ARGUMENTS, or it may begin; a
 * declared tool's has ended in any case, with NONE if its arguments are valid.
 * MORE: a validator is not done, which may take as long as the tool; call it
 * again with the same part. NOMEM; the status of a validator that failed. */
surety_status surety__tool_call_judge(surety__tool_call *call,
                                      const surety__tool *tool,
                                      const surety_part *asked, uint64_t now_ms,
                                      surety_error *reterr);
/* Begins the call; a tool that answers at once ends it. now_ms: a monotonic
 * clock. NOMEM; every other failure is a result. */
surety_status surety__tool_call_begin(surety__tool_call *call, uint64_t now_ms,
                                      surety_error *reterr);
/* Goes on with it. OK: it has ended; MORE: it is under way. NOMEM. */
surety_status surety__tool_call_step(surety__tool_call *call, uint64_t now_ms,
                                     surety_error *reterr);
/* Ends it with CANCELLED if it has not ended. */
void surety__tool_call_cancel(surety__tool_call *call);

bool surety__tool_call_has_ended(const surety__tool_call *call);
/* The result, complete when the call has ended; its arguments are valid once it
 * was judged. Valid until the call is judged anew or freed. */
const surety_tool_result *
surety__tool_call_result(const surety__tool_call *call);
/* The report of the arguments, as JSON, for a declared tool; else empty. Valid
 * as long as the result. */
surety_str surety__tool_call_report(const surety__tool_call *call);
/* What the call waits for; NULL: it is not under way, or it must be called
 * again (step), as the program's function is. */
surety_transport *surety__tool_call_transport(const surety__tool_call *call);
/* When its time is over, by the clock of now_ms; UINT64_MAX: not under way. */
uint64_t surety__tool_call_deadline(const surety__tool_call *call);

/* ---- text.c: calls in a text --------------------------------------------- */

/* Appends which tools there are, and how a text calls them. */
void surety__tool_text_offer(const surety_tools *tools, surety_buf *out);
/* Reads the calls in a model's text: parts in the arena, without ids. NOMEM. */
surety_status surety__tool_text_read(surety_tools *tools, surety_str text,
                                     surety__arena *arena,
                                     surety_part **ret_parts,
                                     size_t *ret_count);
/* Appends a result for such a model, on a line of its own. */
void surety__tool_text_result(const surety_part *result, surety_buf *out);

#endif
