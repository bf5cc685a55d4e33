/* SPDX-License-Identifier: Apache-2.0 */
/* cases.h: a folder of cases as text, for the programs beside it.
 *
 *     static bool run(struct golden *golden)
 *     {
 *         for (size_t i = 0; i < golden->count; i++) {
 *             const struct golden_section *section = &golden->sections[i];
 *
 *             if (!golden_is(section, "sum")) {
 *                 golden_keep(golden, section);
 *                 continue;
 *             }
 *             golden_begin(golden, section);
 *             surety_buf_text(&golden->made, "4\n");
 *         }
 *         return true;
 *     }
 *
 *     int main(int argc, char **argv)
 *     {
 *         struct golden_folder folder = {.endings = {".case"}, .run = run};
 *
 *         return golden_main(argc, argv, &folder);
 *     }
 *
 * One idea: a test makes the file of the expectation as it should be, whole. A
 * case holds where that is what is there byte for byte, and `run` found
 * nothing else amiss; otherwise the lines that differ are shown. With --update
 * what was made is written, to be read before it is believed.
 *
 * A case that holds its own expectation has sections: each begins with a line
 * "=== KIND" and goes on to the next. */
#ifndef SURETY_TESTS_GOLDEN_CASES_H
#define SURETY_TESTS_GOLDEN_CASES_H

#include <surety.h>

enum { GOLDEN_SECTIONS_MAX = 96 };

struct golden_section {
    surety_str kind; /* what is behind "=== " */
    surety_str text; /* from the next line on */
    surety_str body; /* the text without its last line end */
};

/* A case. */
struct golden {
    const char *path;
    surety_buf text; /* of the case's file */
    struct golden_section sections[GOLDEN_SECTIONS_MAX];
    size_t count;
    surety_buf made;     /* the expectation as it should be */
    const void *context; /* the folder's */
    bool skipped;        /* set by run: it needs what is not built in */
};

/* A folder and what is particular to its cases. */
struct golden_folder {
    const char *path;
    bool update;
    const char *endings[8]; /* of a case's name: one of these */
    const char *expected;   /* the ending of the file beside a case that has
                               the expectation; NULL: the case has its own */
    /* Appends to made, tells what else does not hold; false where that is so.
     */
    bool (*run)(struct golden *golden);
    const void *context;
    bool quiet; /* the cases are no points of their own */
};

/* A main: the arguments, every case a point. */
int golden_main(int argc, char **argv, struct golden_folder *folder);
/* Takes [--update] FOLDER; false, and a word, where they are others. */
bool golden_arguments(int argc, char **argv, struct golden_folder *folder);
/* Runs every case; false where one failed or there is none. */
bool golden_run(const struct golden_folder *folder);

/* Ends the program. */
void golden_die(const char *what, const char *which);

/* ---- sections ------------------------------------------------------------ */

bool golden_is(const struct golden_section *section, const char *kind);
/* The first of a kind; NULL: there is none. */
const struct golden_section *golden_find(const struct golden *golden,
                                         const char *kind);
/* Its body; empty where there is none. */
surety_str golden_body(const struct golden *golden, const char *kind);
/* The bytes of KIND, or of "KIND escaped", in which \r \n \t \\ and \xNN stand
 * for bytes; false where there is neither. */
bool golden_bytes(const struct golden *golden, const char *kind,
                  surety_buf *out);

/* The body of "value"; where the section "options" has a line "rows N ROW",
 * each @ in it is N rows, in which # is the row's number from 1. */
void golden_value(const struct golden *golden, surety_buf *out);

/* Appends to made: a section as it stands; the first line of a section. */
void golden_keep(struct golden *golden, const struct golden_section *section);
void golden_begin(struct golden *golden, const struct golden_section *section);
/* Ends made's last line where it is open. */
void golden_end(struct golden *golden);

/* Appends why a call failed: two blanks, the status, where it is, LINE:COLUMN+
 * LENGTH and the path, and what is said; below it, behind four, the hint. */
void golden_error(surety_buf *out, const surety_error *error);

/* ---- texts and files ----------------------------------------------------- */

/* Appends text, in which \r \n \t \\ and \xNN stand for bytes. */
void golden_unescape(surety_str text, surety_buf *out);
/* Appends a byte as it is in such a text. */
void golden_escape(surety_buf *out, char byte);
/* Takes the next line off text; false at its end. */
bool golden_line(surety_str *text, surety_str *ret_line);
/* A copy with nothing behind it, so that reading there is seen; to be freed. */
surety_str golden_exact(surety_str text);
/* Takes start off text; false where text begins otherwise. */
bool golden_take(surety_str *text, const char *start);
/* The file at path in out, or the one beside a case, which has another ending;
 * false where it cannot be read. */
bool golden_read(const char *path, surety_buf *out);
bool golden_beside(const struct golden *golden, const char *ending,
                   surety_buf *out);

/* Whether the outcome's JSON report is what surety/report says. */
bool golden_report_holds(const surety_outcome *outcome);

#endif
