/* SPDX-License-Identifier: Apache-2.0 */
/* Decides the kind of a column.
 *
 * 1. The name gives the kinds that are possible (a year, a code), and the
 *    values decide. All of them count, not only the first, since one "N/A" at
 *    the top must not turn numbers into text.
 * 2. Digits that begin with a zero are a code ("06", a state), and so are whole
 *    numbers if the column's name is that of a code. Any other column of mostly
 *    numbers is numbers.
 * 3. Placeholders for a missing value are the common ones, the caller's, and
 *    the Census API's. */
#include "render/render.h"

#include <assert.h>
#include <surety/json.h>

/* Texts that mean "no value", in upper or lower case. */
static const char *const column_nothing[] = {
    "-",    "--",  "\xE2\x80\x93", "\xE2\x80\x94", "n/a", "na",
    "#n/a", "nan", "null",         "none",         "nil", "."};

/* Annotation values of estimates and margins of error, and annotations that
 * may replace them. Source: Census Bureau, "Notes on ACS Estimate and
 * Annotation Values" (Census API, developers' pages of the ACS data sets). */
static const char *const column_census[] = {
    "-999999999", /* too few sample cases */
    "-888888888", /* not applicable or not available */
    "-666666666", /* too few sample observations for an estimate */
    "-555555555", /* a controlled estimate has no margin of error */
    "-333333333", /* the median is in an open-ended interval */
    "-222222222"  /* too few sample observations for a margin of error */
};
static const char *const column_census_texts[] = {"**", "***", "*****", "(X)",
                                                  "N"};

/* Names of columns, or their last words, whose digits are a code. */
static const char *const column_codes[] = {"code", "fips", "id",    "geoid",
                                           "zip",  "zcta", "ucgid", "naics"};
static const char *const column_places[] = {
    "state",  "county",   "place", "tract", "us",
    "region", "division", "puma",  "cbsa",  "block"};
static const char *const column_times[] = {
    "year",  "date", "time",      "period",   "day", "quarter", "week",
    "month", "hour", "timestamp", "datetime", "ts",  "epoch"};

/* Whether a byte belongs to a word. */
static bool column_is_word(char byte)
{
    return (unsigned char)byte >= 0x80 || surety__is_digit(byte) ||
           surety__is_letter(byte);
}

surety_str surety__word_next(surety_str *rest)
{
    surety_str word;

    while (rest->len > 0 && !column_is_word(*rest->ptr))
        surety__str_skip(rest, 1);
    word = (surety_str){rest->ptr, 0};
    while (word.len < rest->len && column_is_word(rest->ptr[word.len]))
        word.len++;
    surety__str_skip(rest, word.len);
    return word;
}

bool surety__column_has_code(const surety__column *column)
{
    surety_str rest = column->name;

    if (surety__word_next(&rest).len == 0)
        return !surety_str_equal(column->name, column->label);
    rest = column->name;
    for (surety_str word; (word = surety__word_next(&rest)).len > 0;) {
        surety_str label = column->label;
        surety_str other = surety__word_next(&label);
        while (other.len > 0 && !surety__str_equal_nocase(word, other))
            other = surety__word_next(&label);
        if (other.len == 0)
            return true;
    }
    return false;
}

/* ---- values -------------------------------------------------------------- */

static bool column_is_placeholder(const surety__table *table, surety_str text,
                                  const surety__figure *figure)
{
    surety_str digits = {figure->text, figure->len};

    /* Subject tables have "-888888888.0". */
    while (memchr(figure->text, '.', figure->len) && digits.len > 0 &&
           (digits.ptr[digits.len - 1] == '0' ||
            digits.ptr[digits.len - 1] == '.')) {
        if (digits.ptr[--digits.len] == '.')
            break;
    }
    for (size_t i = 0; i < table->missing_count; i++)
        if (surety_str_equal(text, table->missing[i]) ||
            (digits.len > 0 && surety_str_equal(digits, table->missing[i])))
            return true;
    return table->census &&
           (surety__str_among(digits, column_census,
                              SURETY__COUNT(column_census)) ||
            surety__str_among(text, column_census_texts,
                              SURETY__COUNT(column_census_texts)));
}

surety__cell surety__table_cell(const surety__table *table, surety_val val,
                                surety__figure *figure)
{
    const surety_kind kind = surety_val_kind(val);
    surety_str text;

    if (kind == SURETY_KIND_NONE || kind == SURETY_KIND_NULL)
        return SURETY__CELL_MISSING;
    if (kind != SURETY_KIND_STRING && kind != SURETY_KIND_NUMBER)
        return SURETY__CELL_TEXT;
    text = kind == SURETY_KIND_STRING ? surety__str_trim(surety_val_str(val))
                                      : surety_val_number(val);
    if (!surety__figure_read(text, figure))
        figure->len = 0;
    if (column_is_placeholder(table, text, figure))
        return SURETY__CELL_PLACEHOLDER;
    if (figure->len > 0)
        return SURETY__CELL_FIGURE;
    return text.len == 0 ||
                   surety__str_among_nocase(text, column_nothing,
                                            SURETY__COUNT(column_nothing))
               ? SURETY__CELL_MISSING
               : SURETY__CELL_TEXT;
}

/* ---- kinds --------------------------------------------------------------- */

static void column_unit(surety__column *column, const surety__figure *figure)
{
    if (!column->has_figure)
        column->unit = figure->unit;
    else if (!surety_str_equal(column->unit, figure->unit))
        column->is_mixed = true;
    column->has_figure = true;
    if (memchr(figure->text, 'e', figure->len))
        column->has_exponent = true;
    if (figure->decimals > column->decimals)
        column->decimals = figure->decimals > 6 ? 6 : figure->decimals;
}

static void column_moment(surety__column *column, const surety__moment *moment)
{
    if (column->moments++ == 0) {
        column->origin = moment->second;
        column->grain = moment->grain;
    }
    if (moment->grain > column->grain)
        column->grain = moment->grain;
    column->plains += moment->is_plain;
    column->years += moment->grain == SURETY__GRAIN_YEAR;
    column->has_unix |= moment->is_unix;
    if (!moment->has_offset)
        return;
    if (column->offsets++ == 0)
        column->offset = moment->offset;
    else
        column->offsets_vary |= column->offset != moment->offset;
}

void surety__column_count(surety__table *table, surety__column *column,
                          surety_val val)
{
    surety__figure figure;
    surety__moment moment;
    const surety__cell cell = surety__table_cell(table, val, &figure);

    if (cell <= SURETY__CELL_PLACEHOLDER) {
        column->missing++;
        return;
    }
    if (!column->first.doc)
        column->first = val;
    else if (!column->varies)
        column->varies = !surety_val_equal(column->first, val);
    if (cell == SURETY__CELL_FIGURE) {
        column->figures++;
        column->integers += figure.is_integer && figure.unit.len == 0;
        column->codes += figure.is_code;
        column_unit(column, &figure);
    }
    if (surety_val_kind(val) > SURETY_KIND_STRING)
        return;
    if (surety__moment_read(surety__table_text(table, val), &moment))
        column_moment(column, &moment);
    else
        column->parts += surety__moment_is_part(surety__table_text(table, val));
}

const char *surety__column_kind_name(surety__column_kind kind)
{
    static const char *const names[] = {"text", "number", "time", "code"};

    return (size_t)kind < SURETY__COUNT(names) ? names[kind] : "text";
}

/* Whether the name of a column has a word for time, or ends in one for a
 * code. */
static void column_name(surety_str name, bool *is_time, bool *is_code)
{
    surety_str rest = name;
    surety_str last = {NULL, 0};
    size_t words = 0;

    *is_time = false;
    for (surety_str word; (word = surety__word_next(&rest)).len > 0; words++) {
        *is_time |= surety__str_among_nocase(word, column_times,
                                             SURETY__COUNT(column_times));
        last = word;
    }
    *is_code =
        surety__str_among_nocase(last, column_codes,
                                 SURETY__COUNT(column_codes)) ||
        (words == 1 && surety__str_among_nocase(last, column_places,
                                                SURETY__COUNT(column_places)));
}

/* Whether the values are times. If digits alone could be other numbers, all
 * values must be times. Otherwise four in five suffice, and the chart reports
 * the others. */
static bool column_is_time(const surety__column *column, size_t there,
                           bool is_named)
{
    if (column->plains == column->moments)
        return is_named && column->moments == there;
    return column->moments >= there - there / 5;
}

void surety__column_settle(const surety__table *table, surety__column *column)
{
    const size_t there = table->rows_count - column->missing;
    bool is_time;
    bool is_code;

    assert(column->missing <= table->rows_count);
    column_name(column->name, &is_time, &is_code);
    if (there == 0)
        column->kind = SURETY__COLUMN_TEXT;
    else if (column_is_time(column, there, is_time))
        column->kind = SURETY__COLUMN_TIME;
    else if (column->figures == there && column->integers == there &&
             (is_code || column->codes > 0))
        column->kind = SURETY__COLUMN_CODE;
    else if (column->figures >= there - there / 5)
        column->kind = SURETY__COLUMN_NUMBER;
    if (column->is_mixed)
        column->unit = (surety_str){NULL, 0};
}

/* ---- labels -------------------------------------------------------------- */

/* Turns "Estimate!!Total:!!Male:" into "Total: Male". Empty levels are left
 * out. */
static void column_clean(surety_str label, surety_buf *out)
{
    const surety_str parts = SURETY__LITERAL("!!");
    const surety_str estimate = SURETY__LITERAL("Estimate!!");

    if (surety__str_starts(label, estimate))
        surety__str_skip(&label, estimate.len);
    while (label.len > 0) {
        const size_t end = surety__str_find(label, parts);
        const size_t next = end < label.len ? end + parts.len : end;
        surety_str level = {label.ptr, end};
        if (level.len > 0 && level.ptr[level.len - 1] == ':')
            level.len--;
        if (level.len > 0 && out->len > 0)
            surety_buf_text(out, ": ");
        surety_buf_add(out, level);
        surety__str_skip(&label, next);
    }
}

surety_status surety__column_label(surety__table *table, surety_val labels,
                                   surety__column *column)
{
    const surety_str label =
        surety_val_str(surety_val_member(labels, column->name));

    if (surety__str_trim(label).len == 0)
        return SURETY_OK;
    if (!table->census) {
        column->label = label;
        return SURETY_OK;
    }
    surety_buf_reset(&table->scratch);
    column_clean(label, &table->scratch);
    if (table->scratch.len == 0)
        return table->scratch.status;
    column->label =
        surety__arena_text(&table->arena, surety_buf_str(&table->scratch));
    return table->scratch.status || !column->label.ptr ? SURETY_NOMEM
                                                       : SURETY_OK;
}
