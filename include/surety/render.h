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
 * It must outlive the rendering.
 *
 * Threads: a rendering is owned. The fonts are those of the
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

/* ---- outputs of a value -------------------------------------------------- */

typedef enum surety_chart_format {
    SURETY_CHART_PNG = 0,
    SURETY_CHART_SVG
} surety_chart_format;

/* What the first row of a table has. */
typedef enum surety_headers {
    SURETY_HEADERS_DEFAULT = 0, /* names in CSV, both in the other formats */
    SURETY_HEADERS_NAMES,
    SURETY_HEADERS_LABELS,
    SURETY_HEADERS_BOTH /* "label (name)" */
} surety_headers;

typedef struct surety_rendering_options {
    size_t size; /* sizeof(surety_rendering_options) */
    surety_chart_format chart_format;
    /* Size of a picture in pixels at scale 1; 0: chosen for the data. scale is
     * a factor from 1 to 4, for PNG; 0: 2. */
    unsigned width, height, scale;
    surety_headers headers;
    /* CSV: write a text that a spreadsheet would read as a formula without a '
     * before it. Such a text begins with =, +, -, @ or their full width forms,
     * also after blanks, line ends and U+FEFF; or with a tab, CR or LF. Numbers
     * are never changed; the other formats mark such texts as text. */
    bool formulas;
    bool byte_order_mark; /* CSV: begin with a byte order mark, for older
                           * spreadsheets */
    surety_str scratch;   /* XLSX: folder for temporary files; empty: /tmp */
    /* Texts and numbers that mean "no value" ("-999"), in addition to null, ""
     * and the usual ones (N/A, NaN, -, ...). */
    const surety_str *missing;
    size_t missing_count;
    /* The data come from the Census Bureau's API: its annotation values such as
     * -666666666 mean "no value", and "!!" separates the levels of a label.
     * Always true if the data are the member "census_data". Source: Census
     * Bureau, "Notes on ACS Estimate and Annotation Values". */
    bool census;
    const surety_alloc *alloc;
} surety_rendering_options;

/* One output. The texts belong to the rendering. */
typedef struct surety_render_item {
    bool is_table;
    surety_str type;  /* type as the value has it: "bar", "excel"; may be
                       * unknown */
    surety_str title; /* may be empty */
    surety_str name;  /* a safe file name with its suffix, different from all
                       * others */
    surety_str at;    /* JSON Pointer of the value that asks for it */
    surety_str note;  /* a line for each changed file name, shortened title or
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
/* Makes the i-th output and appends its bytes. SURETY_SYNTAX, with path: the
 * data have another form, do not fit the chart, or there is no such column; the
 * type is unknown, or the title is no text. SURETY_UNSUPPORTED: a build without
 * cairo or libxlsxwriter; SURETY_IO: one of these (or Pango), which are loaded
 * here, is not installed, or the scratch folder cannot be used; SURETY_LIMIT;
 * SURETY_NOMEM. On failure out keeps its former content and nothing else. */
SURETY_API surety_status surety_rendering_draw(surety_rendering *rendering,
                                               size_t i, surety_buf *out,
                                               surety_error *reterr);

/* ---- statistics ---------------------------------------------------------- */

typedef struct surety_stats_chart {
    size_t size; /* sizeof(surety_stats_chart) */
    surety_chart_format format;
    surety_str title;              /* empty: made from the groups */
    surety_str note;               /* small lines below; may be empty */
    unsigned width, height, scale; /* as in surety_rendering_options */
} surety_stats_chart;

/* Draws the statistics in stats and appends the picture to out: for each group
 * a stacked bar with the percentages of runs that were valid at the first try
 * (dark blue), valid after more tries (light blue), and not valid (red). Groups
 * that differ only in day or month are bars along the time, or lines if there
 * are more than SURETY_CHART_BARS_MAX. If there are more than
 * SURETY_STATS_BARS_MAX other groups, those with the most runs are drawn, and a
 * line is appended to notes (may be NULL), as for every other difference from
 * the data. NULL chart: defaults. SURETY_SYNTAX: there are no runs; other
 * statuses as surety_rendering_draw. */
#define SURETY_STATS_BARS_MAX 40
SURETY_API surety_status surety_stats_draw(const surety_stats *stats,
                                           const surety_stats_chart *chart,
                                           surety_buf *out, surety_buf *notes,
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
