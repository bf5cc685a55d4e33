/* SPDX-License-Identifier: Apache-2.0 */
/* The internal interface of render/, shared by its files. */
#ifndef SURETY_RENDER_RENDER_H
#define SURETY_RENDER_RENDER_H

#include <surety/render.h>

#include "base/base.h"

/* ---- figure.c, moment.c -------------------------------------------------- */

enum { FIGURE_LEN_MAX = 400 };

/* A number as people and models write it: "53,889", "-$1.5", "(12)", "12 %". */
typedef struct surety__figure {
    char text[FIGURE_LEN_MAX + 8]; /* the number in JSON's syntax */
    size_t len;
    surety_str unit;   /* "$", "%", ...; a constant; may be empty */
    bool is_integer;   /* no fraction, no exponent */
    bool is_code;      /* it has a leading zero, as "06" */
    unsigned decimals; /* digits after the decimal point */
} surety__figure;

/* False: text is no such number, or it is too long. */
bool surety__figure_read(surety_str text, surety__figure *figure);
/* Appends a figure's digits, grouped by three unless it has an exponent. */
void surety__figure_group(const surety__figure *figure, surety_buf *out);

enum { DAY_SECONDS = 86400 };

/* The resolution of a time, the coarsest first. */
typedef enum surety__grain {
    SURETY__GRAIN_YEARS = 0, /* "2015-2019" */
    SURETY__GRAIN_YEAR,
    SURETY__GRAIN_QUARTER,
    SURETY__GRAIN_MONTH,
    SURETY__GRAIN_WEEK,
    SURETY__GRAIN_DAY,
    SURETY__GRAIN_MINUTE,
    SURETY__GRAIN_SECOND,
    SURETY__GRAIN_FRACTION /* fractions of a second */
} surety__grain;

/* A time as data write it: "2015", "2015-03", "2015-03-07T10:15:00.5+01:00",
 * "2015 Q1", "Mar 7, 2015", "2015-2019", 1774656000. */
typedef struct surety__moment {
    /* Seconds since 1970-01-01T00:00:00: in UTC if it has an offset, otherwise
     * in its unknown local time. The start of its grain; for several years,
     * their middle. */
    int64_t second;
    uint32_t nano;
    surety__grain grain;
    bool has_offset;
    int32_t offset; /* of the written time, in seconds east of UTC */
    bool is_plain;  /* digits alone, which may be any number */
    bool is_unix;   /* seconds or milliseconds since 1970 */
} surety__moment;
bool surety__moment_read(surety_str text, surety__moment *moment);
/* Whether a text names a recurring part of a time: a month, a quarter, a day of
 * the week. */
bool surety__moment_is_part(surety_str text);

/* ---- table.c, column.c --------------------------------------------------- */

/* The content of a column. Its name and all of its values decide this. */
typedef enum surety__column_kind {
    SURETY__COLUMN_TEXT = 0,
    SURETY__COLUMN_NUMBER,
    SURETY__COLUMN_TIME, /* years, months, days, times of day, ... */
    SURETY__COLUMN_CODE  /* digits that are an identifier: "06", a FIPS code */
} surety__column_kind;
/* "text", "number", "time", "code". */
const char *surety__column_kind_name(surety__column_kind kind);

typedef struct surety__column {
    surety_str name;  /* name in the data */
    surety_str label; /* label from the options' labels; else the name */
    surety__column_kind kind;
    size_t missing; /* number of values that are absent, null or mean "no
                     * value" */
    struct surety__column *next; /* with the same hash */
    size_t index;
    surety_val first; /* the first value that is not missing */
    bool varies;      /* it has a second, different value */
    size_t figures, integers, codes;
    size_t moments, plains, years; /* all; only digits; years */
    size_t parts;                  /* months, quarters, weekdays: no times */
    size_t offsets;                /* moments with an offset */
    int32_t offset;                /* the first moment's that has one */
    bool offsets_vary, has_unix;
    surety__grain grain; /* the finest of its moments */
    int64_t origin;      /* the second of the first moment */
    surety_str unit;     /* of its figures if all have the same */
    bool has_figure, is_mixed;
    unsigned decimals; /* the most of a figure, up to 6 */
    bool has_exponent;
} surety__column;

typedef struct surety__table_options {
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
} surety__table_options;

/* Data that are read once and can be drawn in every form. */
typedef struct surety__table {
    const surety_alloc *alloc;
    surety__arena arena;
    surety_val *rows; /* arrays or objects */
    size_t rows_count, rows_cap;
    surety__column **columns;
    size_t columns_count, columns_cap;
    surety__map names;
    surety_val *cells; /* the values of the row read last */
    surety_doc *number;
    surety_buf scratch;
    bool is_objects;
    bool census;
    surety_str *missing;
    size_t missing_count;
} surety__table;

/* Reads data: an array of arrays, the first of which is the header; or an array
 * of objects, whose members are the columns in order of appearance (an absent
 * member is a missing value). For an object with a member "data", that member
 * is read. Values must outlive the table. SURETY_SYNTAX, with path: data has
 * another form, has no rows, or has a row that is longer or shorter than the
 * header; SURETY_LIMIT, SURETY_NOMEM. */
surety_status surety__table_read(surety_val data,
                                 const surety__table_options *options,
                                 surety__table **ret_table,
                                 surety_error *reterr);
void surety__table_free(surety__table *table); /* takes NULL */

typedef enum surety__table_format {
    SURETY__TABLE_CSV = 0,
    SURETY__TABLE_XLSX, /* SURETY_UNSUPPORTED in a build without libxlsxwriter
                         */
    SURETY__TABLE_HTML
} surety__table_format;

typedef struct surety__table_form {
    surety__table_format format;
    surety_headers headers;
    surety_str title;        /* CSV has none */
    const surety_str *notes; /* shown below the table; not in CSV */
    size_t notes_count;
    bool formulas;        /* CSV, as in surety_rendering_options */
    bool byte_order_mark; /* CSV */
    surety_str scratch;   /* XLSX: folder for temporary files; empty: /tmp */
} surety__table_form;

/* Appends the table in the given form. SURETY_UNSUPPORTED; SURETY_LIMIT;
 * SURETY_IO: the scratch folder cannot be used, or libxlsxwriter, which is
 * loaded for XLSX, is not installed; SURETY_NOMEM. On failure out keeps its
 * former content and nothing else. */
surety_status surety__table_write(surety__table *table,
                                  const surety__table_form *form,
                                  surety_buf *out, surety_error *reterr);

typedef enum surety__cell {
    SURETY__CELL_MISSING = 0, /* absent, null, empty, or a usual "no value" */
    SURETY__CELL_PLACEHOLDER, /* the caller's or the Census API's "no value" */
    SURETY__CELL_FIGURE,      /* *figure is filled in */
    SURETY__CELL_TEXT
} surety__cell;

/* Fills table->cells with the values of a row, SURETY_NONE where absent. */
void surety__table_row(surety__table *table, size_t row);
/* Classifies a value. */
surety__cell surety__table_cell(const surety__table *table, surety_val val,
                                surety__figure *figure);
/* The text of a value: a string's content, otherwise its JSON. Valid until the
 * next call. */
surety_str surety__table_text(surety__table *table, surety_val val);
/* The double nearest to a figure, ±HUGE_VAL if it is too large.
 * SURETY_NOMEM. */
surety_status surety__table_number(surety__table *table,
                                   const surety__figure *figure,
                                   double *ret_number);
/* The first column of that name; NULL: none. */
surety__column *surety__table_column(const surety__table *table,
                                     surety_str name);
/* The column of that name or label; NULL: none. */
const surety__column *surety__table_find(const surety__table *table,
                                         surety_str name);
/* Appends the header of a column. */
void surety__table_header(const surety__table *table, size_t column,
                          surety_headers headers, surety_buf *out);

/* column.c: _count takes each value of a column; _settle then decides its
 * kind. */
void surety__column_count(surety__table *table, surety__column *column,
                          surety_val val);
void surety__column_settle(const surety__table *table, surety__column *column);
/* Sets the cleaned label of a column, in the table's arena. SURETY_NOMEM. */
surety_status surety__column_label(surety__table *table, surety_val labels,
                                   surety__column *column);
/* Whether a column's name has a word that its label lacks. It does not for "ms"
 * and "Latency (ms)". */
bool surety__column_has_code(const surety__column *column);
/* Takes the next word of *rest, made of letters and digits; empty: none is
 * left. */
surety_str surety__word_next(surety_str *rest);

/* Fails with SURETY_SYNTAX; the error's path is the JSON Pointer of val. */
surety_status surety__render_fail_at(surety_error *reterr, surety_val val,
                                     const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- csv.c, html.c, xlsx.c ----------------------------------------------- */

surety_status surety__csv_write(surety__table *table,
                                const surety__table_form *form,
                                surety_buf *out);
surety_status surety__html_write(surety__table *table,
                                 const surety__table_form *form,
                                 surety_buf *out);
/* Whether a double, as the sheet stores it, keeps all digits of a figure. */
bool surety__xlsx_holds(const surety__figure *figure);
surety_status surety__xlsx_write(surety__table *table,
                                 const surety__table_form *form,
                                 surety_buf *out, surety_error *reterr);

/* ---- chart.c ------------------------------------------------------------- */

typedef enum surety__chart_type {
    SURETY__CHART_BAR = 0, /* comparisons */
    SURETY__CHART_LINE     /* trends */
} surety__chart_type;

/* A meaning of a series that its colour shows: good and fair are two blues, bad
 * is a red; people with every kind of colour vision can distinguish them. */
typedef enum surety__chart_tone {
    SURETY__TONE_NONE = 0, /* the next of the usual colours */
    SURETY__TONE_GOOD,
    SURETY__TONE_FAIR,
    SURETY__TONE_BAD
} surety__chart_tone;

typedef struct surety__chart {
    surety__chart_type type;
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
    unsigned scale;                  /* PNG: factor from 1 to 4; 0: 2 */
    const surety__chart_tone *tones; /* tones of the columns in y; NULL: none */
    size_t tones_count;
} surety__chart;

/* Draws a chart and appends the picture to out. Where the picture differs from
 * the data (a value that is no number, a measure that is not drawn, joined
 * bars, a shortened title), a line is appended to notes (may be NULL).
 * SURETY_SYNTAX: the data do not fit this chart, or there is no such column;
 * SURETY_LIMIT; SURETY_UNSUPPORTED: a build without cairo; SURETY_IO: cairo or
 * Pango, which are loaded here, is not installed; SURETY_NOMEM. */
surety_status surety__chart_draw(surety__table *table,
                                 const surety__chart *chart, surety_buf *out,
                                 surety_buf *notes, surety_error *reterr);

/* ---- choose.c, model.c --------------------------------------------------- */

/* Columns whose names are times of one measure (wide.c). */
typedef struct surety__wide {
    size_t *columns; /* in the order of the data */
    size_t count;
    bool is_time;       /* times; otherwise parts, as months */
    surety_str measure; /* the words that their names share; may be empty */
} surety__wide;
/* Finds such columns; count 0: there are none. SURETY_NOMEM. */
surety_status surety__wide_find(const surety__table *table, surety_str title,
                                surety__arena *arena, surety__wide *ret_wide);
/* The time in the name or label of such a column, "2015" of "pop_2015"; *moment
 * is the time that it is, unless it is a part of one. */
surety_str surety__wide_time(const surety__column *column,
                             surety__moment *moment);
/* Counts the words of text that title has too; words of up to two bytes do not
 * count. */
unsigned surety__words_shared(surety_str text, surety_str title);

/* The columns that a chart shows. */
typedef struct surety__choice {
    size_t x; /* SIZE_MAX: none, as columns are the places */
    bool is_x_given;
    size_t beside; /* also names the bars, as x repeats; SIZE_MAX: none */
    size_t *y;     /* the columns of values */
    size_t y_count;
    bool is_one_measure; /* y are times of one measure */
    size_t series;       /* SIZE_MAX: none */
    /* y, where these columns are the places and each row is a series; count 0:
     * not used. */
    surety__wide across;
} surety__choice;
surety_status surety__chart_choose(surety__table *table,
                                   const surety__chart *chart,
                                   surety__arena *arena,
                                   surety__choice *ret_choice,
                                   surety_error *reterr);

typedef enum surety__scale {
    SURETY__SCALE_NAMES = 0, /* names, in the order of the rows */
    SURETY__SCALE_YEARS,     /* whole years */
    SURETY__SCALE_TIME,      /* other times: seconds since origin */
    SURETY__SCALE_NUMBERS
} surety__scale;

/* A place on the x axis, that is a category; or a series. */
typedef struct surety__place {
    surety_str text;            /* the shown text */
    surety_str key;             /* identifies it among the others */
    struct surety__place *next; /* with the same hash */
    double at;                  /* its number; NAMES: its index */
    size_t index;
} surety__place;

/* The data of a drawing: values by series and place, NaN for a gap. Values are
 * divided by 10 to the exponent, so that the largest is below 10. */
typedef struct surety__model {
    surety__arena arena;
    surety__scale scale;
    int64_t origin; /* of a time scale: a second, in shown time */
    surety__grain grain;
    surety__place **places;
    size_t places_count, places_cap;
    surety__place **series; /* their text is the name */
    size_t series_count, series_cap;
    double *values; /* series_count rows of places_count */
    int exponent;
    double low, high; /* of values, or of stacks; both 0: no values */
    size_t shown;     /* the number of values */
    size_t missing;
    size_t gaps;       /* places without a row, between places with one */
    bool is_uneven;    /* bars whose distance does not show the time */
    unsigned decimals; /* of shown values below a million */
    surety_str unit;
    bool is_stacked; /* bars are stacked shares of a whole */
    surety_str x_title, y_title, title;
    surety_str note; /* differences from the data; may be empty */
    /* Sets of series that have no common scale, drawn one below the other. Each
     * is a model over the same places and shares all memory with this one. At
     * least one. */
    struct surety__model *panels;
    size_t panels_count;
} surety__model;

static inline double surety__model_value(const surety__model *model,
                                         size_t series, size_t place)
{
    assert(series < model->series_count && place < model->places_count);
    return model->values[series * model->places_count + place];
}

/* Reads the data of a chart, and appends a note for all that it leaves out.
 * Call surety__model_done in any case. */
surety_status surety__model_read(surety__table *table,
                                 const surety__chart *chart,
                                 surety__model *model, surety_buf *notes,
                                 surety_error *reterr);
void surety__model_done(surety__model *model, const surety_alloc *alloc);

/* ---- arrange.c ----------------------------------------------------------- */

/* Adds a place for each step of time that has none, for bars, if the times have
 * even steps and most steps have a place. Places must be sorted. SURETY_NOMEM
 * leaves the model unchanged. */
surety_status surety__arrange_fill(surety__model *model,
                                   const surety_alloc *alloc);
/* Whether the values are shares that sum to 100 at each place, within rounding.
 * is_share: their names or units say that they are shares. */
bool surety__arrange_is_whole(const surety__model *model, bool is_share);
/* If there are more bars than a chart shows, keeps the largest and joins the
 * others to one last place: their sum, or their mean where values do not add
 * up. *ret_joined: how many places were joined. SURETY_NOMEM. */
surety_status surety__arrange_join(surety__model *model, bool adds_up,
                                   size_t *ret_joined);
/* The unit of a measure, for each series of a chart of several measures. */
typedef struct surety__measure {
    surety_str unit, dimension; /* "$"; "ms" of a label "Latency (ms)" */
    unsigned decimals;          /* the data's; 9: with an exponent */
} surety__measure;
/* Makes the panels, with exponent, bounds and decimals of each. measures has
 * one entry for each series, or one for all. SURETY_NOMEM. */
surety_status surety__arrange_panels(surety__model *model,
                                     const surety__measure *measures,
                                     size_t measures_count);

/* ---- clock.c ------------------------------------------------------------- */

/* A step between ticks of time. With the grains quarter, month and year, count
 * is in months; with all others, in seconds. */
typedef struct surety__step {
    surety__grain grain;
    double count;
} surety__step;
/* The i-th step, the shortest first; count 0 after the last. */
surety__step surety__clock_step(size_t i);
/* The day that contains a second, counted from 1970-01-01. */
int64_t surety__clock_day(int64_t second);
/* Its length in seconds; for months, the mean. */
double surety__clock_length(const surety__step *step);
/* The first tick at or after a time, and the one after a tick. All are in
 * seconds since the origin. */
double surety__clock_tick(int64_t origin, double at, const surety__step *step);
double surety__clock_next(int64_t origin, double tick,
                          const surety__step *step);
/* Appends the label of a tick ("10:15", "7 Mar", "Mar", "2026"), or its
 * context, the period that contains it ("7 Mar 2026", "2026"). Years have no
 * context. */
void surety__clock_label(int64_t origin, double at, const surety__step *step,
                         surety_buf *out);
void surety__clock_context(int64_t origin, double at, const surety__step *step,
                           surety_buf *out);
/* Appends a date to its grain ("2026", "2026 Q1", "2026-03", "2026-03-07"), and
 * a time to the second ("2026-03-07 10:15:00"). */
void surety__clock_date(surety__date date, surety__grain grain,
                        surety_buf *out);
void surety__clock_write(int64_t origin, double at, surety_buf *out);

/* ---- ticks.c ------------------------------------------------------------- */

enum { TICKS_MAX = 24 };

/* Round values on an axis, in the model's scale. */
typedef struct surety__ticks {
    double first, step;
    unsigned count;
    int exponent;
    surety_str unit;
} surety__ticks;

/* Ticks that enclose low and high, about `wanted` of them. */
surety__ticks surety__ticks_make(double low, double high, unsigned wanted);
/* Appends the label of the i-th: "2.5M", "-$40K", "15%", "3×10¹⁷". */
void surety__ticks_label(const surety__ticks *ticks, unsigned i,
                         surety_buf *out);
/* Appends a value of the model, shortened: "39.5M", "53,889", "$1.20". */
void surety__ticks_value(const surety__model *model, double value,
                         surety_buf *out);

/* ---- name.c -------------------------------------------------------------- */

enum { FILE_NAME_MAX = 100, FILE_STEM_MAX = 84 };

/* As surety_file_name, of at most max bytes. */
void surety__file_stem(surety_str wanted, size_t max, surety_buf *out);

/* ---- line.c, draw.c ------------------------------------------------------ */

/* Appends the text as a picture may show it: direction characters are left out,
 * control characters count as blanks, blanks are joined, and a text of more
 * than max code points is cut and ends in an ellipsis (U+2026). */
void surety__line_clean(surety_str text, size_t max, surety_buf *out);

surety_status surety__model_draw(surety__model *model,
                                 const surety__chart *chart, surety_buf *out,
                                 surety_buf *notes, surety_error *reterr);

#endif
