/* SPDX-License-Identifier: Apache-2.0 */
/* surety/render.h: makes the charts (PNG, SVG) and tables (CSV, XLSX, HTML)
 * that a value asks for, in memory.
 *
 *     surety_rendering *all = NULL;
 *     if (surety_rendering_new(value, NULL, &all, &err) != SURETY_OK)
 *         return fail(err.message);
 *     for (size_t i = 0; i < surety_rendering_count(all); i++)
 *         if (surety_rendering_draw(all, i, &buf, &err) == SURETY_OK)
 *             use(surety_rendering_item(all, i).name, surety_buf_str(&buf));
 *     surety_rendering_free(all);
 *
 * One output can fail while the others succeed, and the value is never changed.
 * A surety_table is the level below: data that is read once and can be drawn in
 * every form. Values must outlive the objects that are made from them.
 *
 * Threads: a table and a rendering are owned. The fonts are those of the
 * machine (fontconfig), so pictures differ between machines in their
 * letters. */
#ifndef SURETY_RENDER_H
#define SURETY_RENDER_H

#include <surety/base.h>
#include <surety/json.h>
#include <surety/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits; exceeding one is SURETY_LIMIT with a message that names it. Rows and
 * columns of a table (a sheet has 1,048,576 rows); bars and points of one
 * chart; lines of one chart, of which eight have a colour of their own; outputs
 * of one value. */
#define SURETY_TABLE_ROWS_MAX 1000000
#define SURETY_TABLE_COLUMNS_MAX 2000
#define SURETY_CHART_BARS_MAX 500 /* the smallest of more become one */
#define SURETY_CHART_POINTS_MAX 100000
#define SURETY_CHART_LINES_MAX 500
#define SURETY_CHART_SERIES_MAX 8
#define SURETY_RENDER_ITEMS_MAX 100

/* ---- tables -------------------------------------------------------------- */

/* What a column contains. Its name and all of its values decide this. */
typedef enum surety_column_kind {
    SURETY_COLUMN_TEXT = 0,
    SURETY_COLUMN_NUMBER,
    SURETY_COLUMN_TIME, /* years, months, days, times of day, ... */
    SURETY_COLUMN_CODE  /* digits that are an identifier: "06", a FIPS code */
} surety_column_kind;
/* "text", "number", "time", "code". */
SURETY_API const char *surety_column_kind_name(surety_column_kind kind);

typedef struct surety_column {
    surety_str name;  /* name in the data */
    surety_str label; /* label from the options' labels; else the name */
    surety_column_kind kind;
    size_t missing; /* number of values that are absent, null or mean "no
                     * value" */
} surety_column;

typedef struct surety_table_options {
    size_t size; /* sizeof(surety_table_options) */
    /* An object that maps column names to labels; null or SURETY_NONE: none. */
    surety_val labels;
    /* Texts and numbers that mean "no value" ("-999"), in addition to null, ""
     * and the usual ones (N/A, NaN, -, ...). */
    const surety_str *missing;
    size_t missing_count;
    /* The data come from the Census Bureau's API: its annotation values such as
     * -666666666 mean "no value", and "!!" separates the levels of a label.
     * Source: Census Bureau, "Notes on ACS Estimate and Annotation Values". */
    bool census;
    const surety_alloc *alloc;
} surety_table_options;

typedef struct surety_table surety_table;

/* Reads data: an array of arrays, the first of which is the header; or an array
 * of objects, whose members are the columns in order of appearance (an absent
 * member is a missing value). For an object with a member "data", that member
 * is read. SURETY_SYNTAX, with path: data has another form, has no rows, or has
 * a row that is longer or shorter than the header; SURETY_LIMIT,
 * SURETY_NOMEM. */
SURETY_API surety_status surety_table_read(surety_val data,
                                           const surety_table_options *options,
                                           surety_table **ret_table,
                                           surety_error *reterr);
SURETY_API void surety_table_free(surety_table *table); /* takes NULL */
SURETY_API size_t surety_table_rows(const surety_table *table);
SURETY_API size_t surety_table_columns(const surety_table *table);
SURETY_API surety_column surety_table_column(const surety_table *table,
                                             size_t i);

typedef enum surety_table_format {
    SURETY_TABLE_CSV = 0,
    SURETY_TABLE_XLSX, /* SURETY_UNSUPPORTED in a build without libxlsxwriter */
    SURETY_TABLE_HTML
} surety_table_format;

typedef enum surety_headers {
    SURETY_HEADERS_DEFAULT = 0, /* names in CSV, both in the other formats */
    SURETY_HEADERS_NAMES,
    SURETY_HEADERS_LABELS,
    SURETY_HEADERS_BOTH /* "label (name)" */
} surety_headers;

typedef struct surety_table_form {
    size_t size; /* sizeof(surety_table_form) */
    surety_table_format format;
    surety_headers headers;
    surety_str title;        /* CSV has none */
    const surety_str *notes; /* shown below the table; not in CSV */
    size_t notes_count;
    /* CSV: write a text that a spreadsheet would read as a formula without a '
     * before it. Such a text begins with =, +, -, @ or their full width forms,
     * also after blanks, line ends and U+FEFF; or with a tab, CR or LF. Numbers
     * are never changed; the other formats mark such texts as text. */
    bool formulas;
    bool byte_order_mark; /* CSV: begin with a byte order mark, for older
                           * spreadsheets */
    surety_str scratch;   /* XLSX: folder for temporary files; empty: /tmp */
} surety_table_form;

/* Appends the table in the given form. SURETY_UNSUPPORTED; SURETY_LIMIT;
 * SURETY_IO: the scratch folder cannot be used, or libxlsxwriter, which is
 * loaded for XLSX, is not installed; SURETY_NOMEM. On failure out keeps its
 * former content and nothing else. */
SURETY_API surety_status surety_table_write(surety_table *table,
                                            const surety_table_form *form,
                                            surety_buf *out,
                                            surety_error *reterr);

/* ---- charts -------------------------------------------------------------- */

typedef enum surety_chart_type {
    SURETY_CHART_BAR = 0, /* comparisons */
    SURETY_CHART_LINE     /* trends */
} surety_chart_type;

typedef enum surety_chart_format {
    SURETY_CHART_PNG = 0,
    SURETY_CHART_SVG
} surety_chart_format;

/* A meaning of a series that its colour shows: good and fair are two blues, bad
 * is a red; people with every kind of colour vision can distinguish them. */
typedef enum surety_chart_tone {
    SURETY_TONE_NONE = 0, /* the next of the usual colours */
    SURETY_TONE_GOOD,
    SURETY_TONE_FAIR,
    SURETY_TONE_BAD
} surety_chart_tone;

typedef struct surety_chart {
    size_t size; /* sizeof(surety_chart) */
    surety_chart_type type;
    surety_chart_format format;
    surety_str title; /* empty: made from the columns */
    surety_str note;  /* small lines below, such as the source; may be empty */
    /* Columns by name or label. Defaults where none is named: x is the first
     * column of text, or for lines the first column of time if there is one; y
     * is the columns of numbers that the title names, or the one whose name and
     * label share most words with it, else the first; series is a column that
     * separates rows with the same x. If the names of columns are times, they
     * are the x values of lines, or the series of bars. */
    surety_str x;
    const surety_str *y; /* each of several is a series */
    size_t y_count;
    surety_str series;
    /* Size of the picture in pixels at scale 1; 0: chosen for the data. */
    unsigned width;
    unsigned height;
    unsigned scale;                 /* PNG: factor from 1 to 4; 0: 2 */
    const surety_chart_tone *tones; /* tones of the columns in y; NULL: none */
    size_t tones_count;
} surety_chart;

/* Draws a chart and appends the picture to out. Where the picture differs from
 * the data (a value that is no number, a measure that is not drawn, joined
 * bars, a shortened title), a line is appended to remarks (may be NULL).
 * SURETY_SYNTAX: the data do not fit this chart, or there is no such column;
 * SURETY_LIMIT; SURETY_UNSUPPORTED: a build without cairo; SURETY_IO: cairo or
 * Pango, which are loaded here, is not installed; SURETY_NOMEM. */
SURETY_API surety_status surety_chart_draw(surety_table *table,
                                           const surety_chart *chart,
                                           surety_buf *out, surety_buf *remarks,
                                           surety_error *reterr);

/* ---- outputs of a value -------------------------------------------------- */

typedef struct surety_rendering_options {
    size_t size; /* sizeof(surety_rendering_options) */
    surety_chart_format chart_format;
    unsigned width, height, scale; /* as in surety_chart */
    surety_headers headers;
    bool formulas;
    bool byte_order_mark;
    surety_str scratch;
    const surety_str *missing; /* as in surety_table_options */
    size_t missing_count;
    bool census; /* always true if the data are the member "census_data" */
    const surety_alloc *alloc;
} surety_rendering_options;

/* One output. The texts belong to the rendering. */
typedef struct surety_render_item {
    bool is_table;
    surety_str type;   /* type as the value has it: "bar", "excel"; may be
                        * unknown */
    surety_str title;  /* may be empty */
    surety_str name;   /* a safe file name with its suffix, different from all
                        * others */
    surety_str at;     /* JSON Pointer of the value that asks for it */
    surety_str remark; /* a line for each changed file name, shortened title or
                        * missing value; surety_rendering_draw adds lines */
} surety_render_item;

typedef struct surety_rendering surety_rendering;

/* Finds the outputs that value asks for: charts in "charts_needed" or "charts",
 * tables in "tables_needed" or "tables", data in "census_data" or "data", their
 * labels in "variables" beside the rows, notes in "footnotes" (docs/render.md).
 * If the data cannot be read, each surety_rendering_draw fails, not this call.
 * SURETY_SYNTAX: value is no object, or one of the lists is no array;
 * SURETY_LIMIT; SURETY_NOMEM. */
SURETY_API surety_status
surety_rendering_new(surety_val value, const surety_rendering_options *options,
                     surety_rendering **ret_rendering, surety_error *reterr);
SURETY_API void surety_rendering_free(surety_rendering *rendering);
SURETY_API size_t surety_rendering_count(const surety_rendering *rendering);
SURETY_API surety_render_item
surety_rendering_item(const surety_rendering *rendering, size_t i);
/* Makes the i-th output and appends its bytes. Statuses of surety_chart_draw
 * and surety_table_write; SURETY_SYNTAX also for an unknown type or a title
 * that is no text. */
SURETY_API surety_status surety_rendering_draw(surety_rendering *rendering,
                                               size_t i, surety_buf *out,
                                               surety_error *reterr);

/* ---- statistics ---------------------------------------------------------- */

/* Draws the statistics in stats: for each group a stacked bar with the
 * percentages of runs that were valid at the first try (tone good), valid after
 * more tries (fair), and not valid (bad). Only format, title, note, width,
 * height and scale of chart are used. Groups that differ only in day or month
 * are bars along the time, or lines if there are more than
 * SURETY_CHART_BARS_MAX. If there are more than SURETY_STATS_BARS_MAX other
 * groups, those with the most runs are drawn, with a remark. Statuses of
 * surety_chart_draw; SURETY_SYNTAX: there are no runs. */
#define SURETY_STATS_BARS_MAX 40
SURETY_API surety_status surety_stats_draw(const surety_stats *stats,
                                           const surety_chart *chart,
                                           surety_buf *out, surety_buf *remarks,
                                           surety_error *reterr);

/* ---- files --------------------------------------------------------------- */

/* Appends a file name made from wanted that is safe on every common system: no
 * path, no control characters, no leading dot, no device name, at most 100
 * bytes; letters of all scripts are kept. Appends nothing if no character is
 * left. */
SURETY_API void surety_file_name(surety_str wanted, surety_buf *out);

/* Writes bytes to folder/name, completely or not at all: it writes a temporary
 * file and renames it. SURETY_MISUSE: the file exists and replace is not set,
 * or name is not a name that surety_file_name leaves unchanged; SURETY_IO: the
 * message gives the system's reason; SURETY_NOMEM. */
SURETY_API surety_status surety_file_save(surety_str folder, surety_str name,
                                          surety_str bytes, bool replace,
                                          surety_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
