/* SPDX-License-Identifier: Apache-2.0 */
/* The door of render/, and what its files give each other. */
#ifndef SURETY_RENDER_RENDER_H
#define SURETY_RENDER_RENDER_H

#include <surety/render.h>

#include "base/base.h"

/* ---- figure.c, moment.c -------------------------------------------------- */

enum { FIGURE_LEN_MAX = 400 };

/* A number as people and models write it: "53,889", "-$1.5", "(12)", "12 %". */
typedef struct surety__figure {
    char text[FIGURE_LEN_MAX + 8]; /* the same as JSON writes it */
    size_t len;
    surety_str unit;   /* "$", "%", ...; a constant; may be empty */
    bool is_integer;   /* no fraction, no exponent */
    bool is_code;      /* begins with a zero that is not its only digit: "06" */
    unsigned decimals; /* digits behind the point */
} surety__figure;

/* False: text is no such number, or a longer one. */
bool surety__figure_read(surety_str text, surety__figure *figure);
/* Appends a figure's digits in groups of three where it has no exponent. */
void surety__figure_group(const surety__figure *figure, surety_buf *out);

enum { DAY_SECONDS = 86400 };

/* How fine a time is told, the coarsest first. */
typedef enum surety__grain {
    SURETY__GRAIN_YEARS = 0, /* "2015-2019" */
    SURETY__GRAIN_YEAR,
    SURETY__GRAIN_QUARTER,
    SURETY__GRAIN_MONTH,
    SURETY__GRAIN_WEEK,
    SURETY__GRAIN_DAY,
    SURETY__GRAIN_MINUTE,
    SURETY__GRAIN_SECOND,
    SURETY__GRAIN_FRACTION /* of a second */
} surety__grain;

/* A time as data name it: "2015", "2015-03", "2015-03-07T10:15:00.5+01:00",
 * "2015 Q1", "Mar 7, 2015", "2015-2019", 1774656000. */
typedef struct surety__moment {
    /* Since 1970-01-01T00:00:00, in UTC where it has an offset, else as it is
     * written: the beginning of its grain, of several years the middle. */
    int64_t second;
    uint32_t nano;
    surety__grain grain;
    bool has_offset;
    int32_t offset; /* of the time as it is written, in seconds, to the east */
    bool is_plain;  /* digits alone, which may be any number */
    bool is_unix;   /* seconds or milliseconds since 1970 */
} surety__moment;
bool surety__moment_read(surety_str text, surety__moment *moment);
/* Whether a text names a part of a time that comes around: a month, a quarter,
 * a day of the week. */
bool surety__moment_is_part(surety_str text);

/* ---- table.c, column.c --------------------------------------------------- */

typedef struct surety__column {
    surety_column shown;
    struct surety__column *next; /* of the same hash */
    size_t index;
    surety_val first; /* the first value that is not missing */
    bool varies;      /* has another value besides */
    size_t figures, integers, codes;
    size_t moments, plains, years; /* of the moments: digits alone; years */
    size_t parts;                  /* months, quarters, weekdays: no times */
    size_t offsets;                /* moments with an offset */
    int32_t offset;                /* of those the first */
    bool offsets_vary, has_unix;
    surety__grain grain; /* the finest */
    int64_t origin;      /* the second of the first moment */
    surety_str unit;     /* of its figures, where all have the same */
    bool has_figure, is_mixed;
    unsigned decimals; /* the most behind a point, up to 6 */
    bool has_exponent;
} surety__column;

struct surety_table {
    const surety_alloc *alloc;
    surety__arena arena;
    surety_val *rows; /* arrays or objects */
    size_t rows_count, rows_cap;
    surety__column **columns;
    size_t columns_count, columns_cap;
    surety__map names;
    surety_val *cells; /* of the row that was read last */
    surety_doc *number;
    surety_buf scratch;
    bool is_objects;
    bool census;
    surety_str *missing;
    size_t missing_count;
};

typedef enum surety__cell {
    SURETY__CELL_MISSING = 0,
    SURETY__CELL_FIGURE, /* figure is filled */
    SURETY__CELL_TEXT
} surety__cell;

/* Fills table->cells with the values of a row, SURETY_NONE where absent. */
void surety__table_row(surety_table *table, size_t row);
/* What a value is; figure may be NULL. */
surety__cell surety__table_cell(const surety_table *table, surety_val val,
                                surety__figure *figure);
/* Whether val is one of the Census API's or caller's stand-ins for no value:
 * not merely empty. */
bool surety__table_stand_in(const surety_table *table, surety_val val);
/* The text of a value: a string's own, else its JSON; good until the next. */
surety_str surety__table_text(surety_table *table, surety_val val);
/* The nearest double of a figure, ±HUGE_VAL beyond. SURETY_NOMEM. */
surety_status surety__table_number(surety_table *table,
                                   const surety__figure *figure,
                                   double *ret_number);
/* The column of that name; NULL: none. */
surety__column *surety__table_column(const surety_table *table,
                                     surety_str name);
/* The column of that name or label; NULL: none. */
const surety__column *surety__table_find(const surety_table *table,
                                         surety_str name);
/* Appends the header of a column. */
void surety__table_header(const surety_table *table, size_t column,
                          surety_headers headers, surety_buf *out);

/* column.c: settles the kinds when all values were counted. */
void surety__column_count(surety_table *table, surety__column *column,
                          surety_val val);
void surety__column_settle(const surety_table *table, surety__column *column);
/* The label of a name, cleaned; in the table's arena. SURETY_NOMEM. */
surety_status surety__column_label(surety_table *table, surety_val labels,
                                   surety__column *column);
/* Whether a column's name says more than its label, which has not all of its
 * words: of "ms" and "Latency (ms)" it does not. */
bool surety__column_has_code(const surety_column *column);
/* Takes the next word of *rest, letters and digits; empty: none is left. */
surety_str surety__word_next(surety_str *rest);

/* SURETY_SYNTAX with the JSON Pointer of val as the path. */
surety_status surety__render_fail_at(surety_error *reterr, surety_val val,
                                     const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* How many bytes of a text a message shows: at most max, and no part of a
 * letter. */
int surety__render_cut(surety_str text, size_t max);

/* ---- csv.c, html.c, xlsx.c ----------------------------------------------- */

surety_status surety__csv_write(surety_table *table,
                                const surety_table_form *form, surety_buf *out);
surety_status surety__html_write(surety_table *table,
                                 const surety_table_form *form,
                                 surety_buf *out);
/* Whether a double as the sheet holds it keeps all of a figure's digits. */
bool surety__xlsx_holds(const surety__figure *figure);
surety_status surety__xlsx_write(surety_table *table,
                                 const surety_table_form *form, surety_buf *out,
                                 surety_error *reterr);

/* ---- choose.c, model.c --------------------------------------------------- */

enum { CHART_NONE = -1 };

/* Columns that are times of one measure (wide.c). */
typedef struct surety__wide {
    size_t *columns; /* in the data's order */
    size_t count;
    bool is_time;       /* else parts: months without a year, ... */
    surety_str measure; /* the words that their names share; may be empty */
} surety__wide;
/* Finds them; count 0: there are none. SURETY_NOMEM. */
surety_status surety__wide_find(const surety_table *table, surety_str title,
                                surety__arena *arena, surety__wide *ret_wide);
/* The time that a column's name or label has. */
bool surety__wide_moment(const surety_column *column, surety__moment *moment);
/* The text of it: "2015" of "pop_2015". */
surety_str surety__wide_time(const surety_column *column);
/* How many words of text stand in title, short ones not counted. */
unsigned surety__words_shared(surety_str text, surety_str title);

/* Which columns a chart shows. */
typedef struct surety__choice {
    size_t x; /* SIZE_MAX: none, where columns are the places */
    bool is_x_given;
    size_t beside; /* a column whose values stand in the names of bars too, for
                    * those of x repeat; SIZE_MAX: none */
    size_t y[SURETY_CHART_SERIES_MAX];
    size_t y_count;
    bool is_one_measure; /* y are times of one measure */
    size_t series;       /* SIZE_MAX: none */
    /* Its columns are the places, and each row is a series; count 0: not so. */
    surety__wide across;
} surety__choice;
surety_status surety__chart_choose(surety_table *table,
                                   const surety_chart *chart,
                                   surety__arena *arena,
                                   surety__choice *ret_choice,
                                   surety_error *reterr);

typedef enum surety__scale {
    SURETY__SCALE_NAMES = 0, /* places in order, one a category */
    SURETY__SCALE_YEARS,     /* whole years */
    SURETY__SCALE_TIME,      /* other times: seconds since the origin */
    SURETY__SCALE_NUMBERS
} surety__scale;

/* One category: a place on the x axis; or a series. */
typedef struct surety__place {
    surety_str text;            /* as it is shown */
    surety_str key;             /* what tells it apart */
    struct surety__place *next; /* of the same hash */
    double at;                  /* on a scale that is no NAMES */
    size_t index;
} surety__place;

/* What is drawn: values by series and category, NaN where there is none, and
 * divided by ten to the exponent, so that the largest is below 10. */
typedef struct surety__model {
    surety__arena arena;
    surety__scale scale;
    int64_t origin; /* of a scale of time: the second, as it is shown */
    surety__grain grain;
    surety__place **places;
    size_t places_count, places_cap;
    surety__place **series; /* text: names */
    size_t series_count, series_cap;
    double *values; /* series_count rows of places_count */
    int exponent;
    double low, high; /* of the values, of stacks; 0 and 0: there is none */
    size_t shown;     /* values there are */
    size_t missing;
    size_t gaps;       /* places that no row has, between those that one has */
    bool is_uneven;    /* bars along a time that lies between them unseen */
    unsigned decimals; /* that values are shown with, below a million */
    surety_str unit;
    bool is_stacked; /* bars are shares of a whole, one upon the other */
    surety_str x_title, y_title, title;
    surety_str note; /* what is not as the data have it; may be empty */
    /* Series of measures that have no scale in common are drawn one set below
     * the other: models over the same places, which share all memory with this
     * one. At least one. */
    struct surety__model *panels;
    size_t panels_count;
} surety__model;

/* Reads what a chart shows. Remarks gain a line for what was left out.
 * Call surety__model_done in any case. */
surety_status surety__model_read(surety_table *table, const surety_chart *chart,
                                 surety__model *model, surety_buf *remarks,
                                 surety_error *reterr);
void surety__model_done(surety__model *model, const surety_alloc *alloc);

/* ---- arrange.c ----------------------------------------------------------- */

/* Bars along a time: a place for each of its steps that has none, where the
 * times have even steps and most have a place. Places are sorted. SURETY_NOMEM,
 * with all as it was. */
surety_status surety__arrange_fill(surety__model *model,
                                   const surety_alloc *alloc);
/* Whether values are shares that sum to 100 at each place, as far as rounding
 * lets them; is_share: whether their names or signs say so. */
bool surety__arrange_is_whole(const surety__model *model, bool is_share);
/* Of more bars than a chart shows the largest, and the others as one last
 * place: their sum, or their mean where values do not add up. Gives how many
 * places were joined. SURETY_NOMEM. */
surety_status surety__arrange_join(surety__model *model, bool adds_up,
                                   size_t *ret_joined);
/* Of each series of a chart of several measures: what it is measured in. */
typedef struct surety__measure {
    surety_str unit, dimension; /* "$"; "ms" of a label "Latency (ms)" */
    unsigned decimals;          /* that the data have; 9: with an exponent */
} surety__measure;
/* Makes the panels, and the exponents, bounds and decimals of each. The
 * measures: of each series, or one for all. SURETY_NOMEM. */
surety_status surety__arrange_panels(surety__model *model,
                                     const surety__measure *measures,
                                     size_t measures_count);

/* ---- clock.c ------------------------------------------------------------- */

/* A step between ticks of time: of the grain of a quarter, month or year so
 * many months, else so many seconds. Days, weeks and hours are grains of
 * their own or multiples of a minute. */
typedef struct surety__step {
    surety__grain grain;
    double count;
} surety__step;
/* The steps there are, the shortest first; NULL behind the last. */
const surety__step *surety__clock_step(size_t i);
/* Its length in seconds, of months the mean. */
double surety__clock_length(const surety__step *step);
/* The first tick at a time or after it, and the one after a tick; all in
 * seconds since the origin. */
double surety__clock_tick(int64_t origin, double at, const surety__step *step);
double surety__clock_next(int64_t origin, double tick,
                          const surety__step *step);
/* Appends what stands at a tick: "10:15", "7 Mar", "Mar", "2026"; and what that
 * is a part of: "7 Mar 2026", "2026"; years are part of nothing. */
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

/* The text as a picture may show it: control and direction characters blank,
 * blanks joined, at most max code points, "..." where it was cut. */
void surety__line_clean(surety_str text, size_t max, surety_buf *out);

surety_status surety__chart_draw(surety__model *model,
                                 const surety_chart *chart, surety_buf *out,
                                 surety_buf *remarks, surety_error *reterr);

#endif
