/* SPDX-License-Identifier: Apache-2.0 */
/* render_output.h: saves the outputs of render as files in a folder, and
 * reports each. */
#ifndef CLI_RENDER_OUTPUT_H
#define CLI_RENDER_OUTPUT_H

#include <surety-render.h>

#include "cli.h"

struct render_output {
    struct cli *cli;
    const char *folder; /* "-": one output, to standard output */
    bool force, quiet;
    bool is_json;      /* the report is JSON */
    size_t chart_only; /* from 1; 0: every chart */
    size_t table_only;
    bool only; /* make only the outputs that the two members above select */
    /* With --data: location of the data in the user's file; NULL: the data are
     * part of a reply's value. */
    const char *data_at;
    surety_buf outputs; /* JSON: the items of the report's array */
    size_t failed;
};

/* Makes all outputs of the rendering; one that fails does not stop the
 * others. */
void render_output_all(struct render_output *output,
                       surety_rendering *rendering);
/* Writes the report if it is JSON; reply is the report of the check, as JSON,
 * or empty. */
void render_output_done(struct render_output *output, surety_str reply);
/* Writes a failure before any output, in the form of the report. */
void render_output_fail(struct render_output *output, int code,
                        const char *source, const surety_error *error);

#endif
