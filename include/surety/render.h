/* SPDX-License-Identifier: Apache-2.0 */
/* surety/render.h: charts (PNG, SVG) and tables (CSV, XLSX, HTML) that a value
 * asks for, made in memory.
 *
 *     surety_rendering *all = NULL;
 *     if (surety_rendering_new(value, NULL, &all, &err) != SURETY_OK)
 *         return fail(err.message);
 *     for (size_t i = 0; i < surety_rendering_count(all); i++)
 *         if (surety_rendering_draw(all, i, &buf, &err) == SURETY_OK)
 *             use(surety_rendering_item(all, i).name, surety_buf_str(&buf));
 *     surety_rendering_free(all);
 *
 * Each output fails or succeeds alone, and the value is never changed. Beneath
 * it, a surety_table is data read once, and may be drawn in any form. Values
 * must outlive what is made of them.
 *
 * Threads: a table and a rendering are owned. The fonts are those of the
 * machine (fontconfig), so pictures differ between machines in their letters.
 */
#ifndef SURETY_RENDER_H
#define SURETY_RENDER_H

#include <surety/base.h>
#include <surety/json.h>
#include <surety/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits, each SURETY_LIMIT with a message that names it. Rows and columns of
 * a table (a sheet has 1,048,576 rows); bars and points of one chart; lines of
 * one chart, of which eight are told apart by colour; outputs of one value. */
#define SURETY_TABLE_ROWS_MAX 1000000
#define SURETY_TABLE_COLUMNS_MAX 2000
#define SURETY_CHART_BARS_MAX 500 /* of more, the smallest become one */
#define SURETY_CHART_POINTS_MAX 100000
#define SURETY_CHART_LINES_MAX 500
#define SURETY_CHART_SERIES_MAX 8
#define SURETY_RENDER_ITEMS_MAX 100

/* ---- tables -------------------------------------------------------------- */

/* What a column holds, by its name and by all of its values. */
typedef enum surety_column_kind {
    SURETY_COLUMN_TEXT = 0,
    SURETY_COLUMN_NUMBER,
    SURETY_COLUMN_TIME, /* years, months, days, times of day, ... */
    SURETY_COLUMN_CODE  /* digits that are a name: "06", a FIPS code */
} surety_column_kind;
/* "text", "number", "time", "code". */
SURETY_API const char *surety_column_kind_name(surety_column_kind kind);

typedef struct surety_column {
    surety_str name;  /* as the data calls it */
    surety_str label; /* of the labels; else the name */
    surety_column_kind kind;
    size_t missing; /* values that are absent, null or stand for nothing */
} surety_column;

typedef struct surety_table_options {
    size_t size; /* sizeof(surety_table_options) */
    /* An object from column names to labels; null and SURETY_NONE: none. */
    surety_val labels;
    /* Texts and numbers that stand for no value ("-999"), beside null, "" and
     * what every reader knows (N/A, NaN, -, ...). */
    const surety_str *missing;
    size_t missing_count;
    /* The data come from the Census Bureau's API: its annotation values such
     * as -666666666 stand for no value, and "!!" in labels parts their levels.
     * Source: Census Bureau, "Notes on ACS Estimate and Annotation Values". */
    bool census;
    const surety_alloc *alloc;
} surety_table_options;

typedef struct surety_table surety_table;

/* Reads data: an array of arrays of which the first is the header, or an array
 * of objects, whose members are the columns in order of appearance; an absent
 * member is missing. An object with a member "data" stands for that member.
 * SURETY_SYNTAX: no such data, no rows, a row that is longer or shorter than
 * the header, with path; SURETY_LIMIT, SURETY_NOMEM. */
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
    SURETY_TABLE_XLSX, /* SURETY_UNSUPPORTED in a build without it */
    SURETY_TABLE_HTML
} surety_table_format;

typedef enum surety_headers {
    SURETY_HEADERS_DEFAULT = 0, /* names in CSV, both elsewhere */
    SURETY_HEADERS_NAMES,
    SURETY_HEADERS_LABELS,
    SURETY_HEADERS_BOTH /* "label (name)" */
} surety_headers;

typedef struct surety_table_form {
    size_t size; /* sizeof(surety_table_form) */
    surety_table_format format;
    surety_headers headers;
    surety_str title;        /* CSV has none */
    const surety_str *notes; /* shown below the table; CSV has none */
    size_t notes_count;
    /* CSV: write a text that a spreadsheet would take for a formula (it begins
     * with =, +, -, @ or their full width forms, also behind blanks, line ends
     * and U+FEFF; or with a tab, CR or LF) as it is, not with a ' before it.
     * Numbers are never changed; the other formats keep such texts texts. */
    bool formulas;
    bool byte_order_mark; /* CSV: begin with one, for older spreadsheets */
    surety_str scratch;   /* XLSX: folder for temporary files; empty: /tmp */
} surety_table_form;

/* Appends the table. SURETY_UNSUPPORTED, SURETY_LIMIT, SURETY_IO (the scratch
 * folder, or libxlsxwriter, which a workbook loads, is not installed),
 * SURETY_NOMEM; what was appended before is kept, nothing else. */
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

/* What a series means, where its colour is to say so: the colours of good and
 * fair are two blues, that of bad is a red, and all are told apart by every
 * kind of colour vision. */
typedef enum surety_chart_tone {
    SURETY_TONE_NONE = 0, /* one of the colours in their order */
    SURETY_TONE_GOOD,
    SURETY_TONE_FAIR,
    SURETY_TONE_BAD
} surety_chart_tone;

typedef struct surety_chart {
    size_t size; /* sizeof(surety_chart) */
    surety_chart_type type;
    surety_chart_format format;
    surety_str title; /* empty: made from the columns */
    surety_str note;  /* small, below, a line each: the source; may be empty */
    /* Columns by name or label. Where none is named, x is for lines the first
     * column of time, else the first of text; y the column of numbers whose
     * name and label share most words with the title and those that it names,
     * else the first; series a column that parts rows with the same x. Columns
     * whose names are times are places of lines, and series of bars. */
    surety_str x;
    const surety_str *y; /* several: a series each */
    size_t y_count;
    surety_str series;
    /* The picture in pixels of a scale of 1; 0: what suits the data. */
    unsigned width;
    unsigned height;
    unsigned scale; /* PNG: pixels for each of those, 1 to 4; 0: 2 */
    const surety_chart_tone *tones; /* of the columns in y; NULL: none */
    size_t tones_count;
} surety_chart;

/* Draws a chart and appends the picture; what it does not show as the data have
 * it (a value that was no number, a measure that is not drawn, bars that were
 * joined, a title cut) is appended to remarks (may be NULL), a line each.
 * SURETY_SYNTAX: the data cannot be drawn so, or no such column; SURETY_LIMIT;
 * SURETY_UNSUPPORTED: a build without cairo; SURETY_IO: cairo and Pango, which
 * are loaded here, are not installed; SURETY_NOMEM. */
SURETY_API surety_status surety_chart_draw(surety_table *table,
                                           const surety_chart *chart,
                                           surety_buf *out, surety_buf *remarks,
                                           surety_error *reterr);

/* ---- what a value asks for ----------------------------------------------- */

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
    bool census; /* always where the data are the member "census_data" */
    const surety_alloc *alloc;
} surety_rendering_options;

/* One output. The texts belong to the rendering. */
typedef struct surety_render_item {
    bool is_table;
    surety_str type;   /* as asked for: "bar", "excel"; may be unknown */
    surety_str title;  /* may be empty */
    surety_str name;   /* a safe file name with its ending, unlike others */
    surety_str at;     /* JSON Pointer of what asks for it */
    surety_str remark; /* a file name that was changed, a title that was cut,
                        * a value missing; a line each; grows with _draw */
} surety_render_item;

typedef struct surety_rendering surety_rendering;

/* Finds what value asks for: charts in "charts_needed" or "charts", tables in
 * "tables_needed" or "tables", data in "census_data" or "data", their labels in
 * "variables" beside the rows, notes in "footnotes" (docs/render.md). Data
 * that cannot be read are told by each _draw, not here. SURETY_SYNTAX: value is
 * no object, or one of the lists no array; SURETY_LIMIT; SURETY_NOMEM. */
SURETY_API surety_status
surety_rendering_new(surety_val value, const surety_rendering_options *options,
                     surety_rendering **ret_rendering, surety_error *reterr);
SURETY_API void surety_rendering_free(surety_rendering *rendering);
SURETY_API size_t surety_rendering_count(const surety_rendering *rendering);
SURETY_API surety_render_item
surety_rendering_item(const surety_rendering *rendering, size_t i);
/* Makes the i-th output and appends its bytes. As surety_chart_draw and
 * surety_table_write; SURETY_SYNTAX too for an unknown type or a title that is
 * no text. */
SURETY_API surety_status surety_rendering_draw(surety_rendering *rendering,
                                               size_t i, surety_buf *out,
                                               surety_error *reterr);

/* ---- statistics ---------------------------------------------------------- */

/* Draws statistics that were read: of each group the share of runs that were
 * valid at the first try, after more, and not, in percent, stacked, in the
 * tones good, fair and bad. Of chart, format, title, note, width, height and
 * scale count. Groups that differ in day or month alone are bars along the
 * time, or lines where they are more than SURETY_CHART_BARS_MAX. Of more than
 * SURETY_STATS_BARS_MAX other groups, those with the most runs are drawn, with
 * a remark. As surety_chart_draw; SURETY_SYNTAX: there are no runs. */
#define SURETY_STATS_BARS_MAX 40
SURETY_API surety_status surety_stats_draw(const surety_stats *stats,
                                           const surety_chart *chart,
                                           surety_buf *out, surety_buf *remarks,
                                           surety_error *reterr);

/* ---- files --------------------------------------------------------------- */

/* Appends a file name made of wanted that is safe in every folder of every
 * common system: no path, no control characters, no leading dot, no device
 * name, at most 100 bytes, letters of all scripts kept. Nothing where nothing
 * is left. */
SURETY_API void surety_file_name(surety_str wanted, surety_buf *out);

/* Writes bytes to folder/name, whole or not at all: to a temporary name first.
 * A file that is there is SURETY_MISUSE unless replace. name must be what
 * surety_file_name leaves alone, else SURETY_MISUSE; SURETY_IO with the
 * system's reason; SURETY_NOMEM. */
SURETY_API surety_status surety_file_save(surety_str folder, surety_str name,
                                          surety_str bytes, bool replace,
                                          surety_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
