/* SPDX-License-Identifier: Apache-2.0 */
/* census.h: what the files of the census agent share. */
#ifndef CENSUS_H
#define CENSUS_H

#include <surety-render.h>
#include <stdio.h>

#define STR(text) surety_str_of(text)

/* ---- census-tools.c ------------------------------------------------------ */

struct census_tools {
    surety_tools *calls;   /* of the Census API, as the file has them */
    surety_tools *offered; /* the same to the model */
};

/* Opens the tools of a file. After a failure too, census_tools_close closes
 * what is open. */
surety_status census_tools_open(const char *file, struct census_tools *tools,
                                surety_error *err);
void census_tools_close(struct census_tools *tools);

/* ---- census-results.c ---------------------------------------------------- */

/* What a call of get_data gave. */
struct census_result {
    surety_doc *asked, *given;
    int *from; /* where each column of the answer is; NULL: nothing was given */
};

struct census_results {
    struct census_result *items;
    size_t count;
};

/* header: of the answer; labels: what its columns stand for. NOMEM; after it
 * too, census_results_close frees what there is. */
surety_status census_results_open(const surety_run *run, surety_val header,
                                  surety_val labels,
                                  struct census_results *results);
void census_results_close(struct census_results *results);
/* Whether a result has a column of the answer, and the value in one row. */
bool census_has(const struct census_result *result, size_t column);
surety_str census_cell(const struct census_result *result, surety_val row,
                       size_t column);
/* The first column in which a row of the answer and one of a result differ;
 * *ret_equal: how many are equal before it. */
size_t census_compare(const struct census_result *result, surety_val row,
                      surety_val given, size_t *ret_equal);
/* A value as text, and whether two are equal, thousands commas aside. */
surety_str census_text(surety_val value);
bool census_same(surety_str a, surety_str b);

/* ---- census-rows.c ------------------------------------------------------- */

/* A validator: whether the rows of an answer are what the calls of the run
 * gave; ctx: the address of the run. */
surety_status census_check_rows(void *ctx, const surety_validation *validation,
                                surety_error *err);

/* ---- census-show.c ------------------------------------------------------- */

/* Writes a line of what a model may have written, without what a terminal acts
 * on. */
void census_put(FILE *to, const char *before, surety_str text);
/* The steps so far: ${steps} of the contract's fallback. */
struct census_steps {
    surety_variable variable;
    unsigned count;
    char digits[16];
};
/* Counts the steps, and says what is done; ctx: the steps. */
void census_hear(void *ctx, const surety_event *event);
/* Writes the answer, then makes its charts and tables; the exit code. */
int census_show(surety_val value, const surety_rendering_options *options,
                const char *folder);

#endif
