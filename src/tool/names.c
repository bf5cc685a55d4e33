/* SPDX-License-Identifier: Apache-2.0 */
/* names.c: the names of the failures of tools, in the order of the enum. */
#include "tool/tool.h"

static const char *const names_tool_failures[SURETY_TOOL_FAILURE_COUNT] = {
    "none",   "unknown", "arguments", "failed", "unreachable",
    "broken", "timeout", "limit",     "result", "cancelled",
};

const char *surety_tool_failure_name(surety_tool_failure failure)
{
    return names_tool_failures[failure];
}
