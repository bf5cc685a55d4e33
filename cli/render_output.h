/* SPDX-License-Identifier: Apache-2.0 */
/* render_output.h: what render makes: files in a folder, and what is said of
 * each. */
#ifndef CLI_RENDER_OUTPUT_H
#define CLI_RENDER_OUTPUT_H

#include <surety-render.h>

#include "cli.h"

struct render_output {
    struct cli *cli;
    const char *folder; /* "-": one output, to standard output */
    bool force, quiet;
    bool is_json;      /* of the report */
    size_t chart_only; /* from 1; 0: every chart */
    size_t table_only;
    bool only; /* nothing but the two above */
    /* The data are the user's own, and stand there in his file; NULL: they
     * are a value's. */
    const char *data_at;
    surety_buf outputs; /* JSON: the items of the report's array */
    size_t failed;
};

void render_output_init(struct render_output *output, struct cli *cli);
/* Makes what the rendering has, each whatever becomes of the others. */
void render_output_all(struct render_output *output,
                       surety_rendering *rendering);
/* Writes the report where it is JSON; reply is that of the check, as JSON, or
 * empty. */
void render_output_done(struct render_output *output, surety_str reply);
/* A failure before any output: told in the form the report has. */
void render_output_fail(struct render_output *output, int code,
                        const char *source, const surety_error *error);

#endif
