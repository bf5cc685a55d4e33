/* SPDX-License-Identifier: Apache-2.0 */
/* Rows: tables of Markdown, and CSV (RFC 4180, also with semicolons or tabs).
 * The first line has the names of members, each row is an object.
 *
 * 1. Every name must be one that the contract has, or the text is no table of
 *    its values. Every row must have as many cells as there are names.
 * 2. A cell without a text says nothing of its member: it is left out, and only
 *    if that does not satisfy the contract it is "".
 * 3. A table of two columns whose first one has names of members is an object,
 *    a member a row.
 * 4. A table of Markdown shows itself by the line below its names. CSV is only
 *    words with commas, unless it is in a block that says what it is. */
#include "form/inside.h"

enum { TABLE_COLUMNS_MAX = 64 };

typedef struct table_cells {
    form_span items[TABLE_COLUMNS_MAX];
    size_t count; /* TABLE_COLUMNS_MAX + 1: too many */
} table_cells;

/* How rows are split into cells. */
typedef struct table_style {
    surety_form form;
    char comma; /* '|': Markdown */
    bool weak;
} table_style;

static void table_cell(const surety__forms *forms, table_cells *cells,
                       form_span cell)
{
    if (cells->count < TABLE_COLUMNS_MAX)
        cells->items[cells->count] = surety__form_trim(forms, cell);
    cells->count += cells->count <= TABLE_COLUMNS_MAX;
}

/* Whether a bar at `at` is a part of a cell's text. */
static bool table_is_escaped(const char *text, size_t at, size_t from)
{
    size_t count = 0;

    while (at > from && text[at - 1] == '\\') {
        count++;
        at--;
    }
    return count % 2 == 1;
}

/* Splits a line of Markdown; false: it has no bar. */
static bool table_bars(const surety__forms *forms, form_span line,
                       table_cells *ret_cells)
{
    const char *const text = forms->text.ptr;
    size_t from;

    line = surety__form_trim(forms, line);
    ret_cells->count = 0;
    if (!memchr(text + line.at, '|', line.end - line.at))
        return false;
    if (text[line.at] == '|')
        line.at++;
    if (line.end > line.at && text[line.end - 1] == '|' &&
        !table_is_escaped(text, line.end - 1, line.at))
        line.end--;
    from = line.at;
    for (size_t at = line.at; at < line.end; at++) {
        if (text[at] != '|' || table_is_escaped(text, at, line.at))
            continue;
        table_cell(forms, ret_cells, (form_span){from, at});
        from = at + 1;
    }
    table_cell(forms, ret_cells, (form_span){from, line.end});
    return true;
}

/* Whether a line is the one below the names. */
static bool table_is_rule(const surety__forms *forms, const table_cells *cells)
{
    for (size_t i = 0; i < cells->count; i++) {
        surety_str cell;
        size_t marks = 0;

        if (i == TABLE_COLUMNS_MAX)
            return false;
        cell = surety__form_str(forms, cells->items[i]);
        if (cell.len && cell.ptr[0] == ':')
            surety__str_skip(&cell, 1);
        if (cell.len && cell.ptr[cell.len - 1] == ':')
            cell.len--;
        while (marks < cell.len && cell.ptr[marks] == '-')
            marks++;
        if (!marks || marks < cell.len)
            return false;
    }
    return cells->count > 0;
}

/* Reads a row of CSV, whose quoted cells may go over lines. *ret_next: behind
 * it. False: a quote is not closed, or text follows one. */
static bool table_commas(const surety__forms *forms, char comma, size_t at,
                         table_cells *ret_cells, size_t *ret_next)
{
    const char *const text = forms->text.ptr;
    const size_t len = forms->text.len;
    size_t from = at;

    ret_cells->count = 0;
    for (;;) {
        while (at < len && text[at] == ' ')
            at++;
        if (at < len && text[at] == '"') {
            from = at++;
            while (at < len &&
                   (text[at] != '"' || (at + 1 < len && text[at + 1] == '"')))
                at += text[at] == '"' ? 2 : 1;
            if (at >= len)
                return false;
            at++;
            while (at < len && text[at] == ' ')
                at++;
            if (at < len && text[at] != comma && !memchr("\r\n", text[at], 2))
                return false;
        } else {
            while (at < len && text[at] != comma && text[at] != '\n')
                at++;
        }
        table_cell(forms, ret_cells, (form_span){from, at});
        if (at >= len || text[at] != comma)
            break;
        from = ++at;
    }
    if (at < len && text[at] == '\r')
        at++;
    *ret_next = at < len ? at + 1 : len;
    return at >= len || text[at] == '\n';
}

/* The text of a cell, without quotes, escapes and the marks of emphasis or code
 * around all of it. */
static surety_str table_text(surety__forms *forms, const table_style *style,
                             form_span cell)
{
    surety_str text = surety__form_str(forms, cell);
    char *copy;
    size_t len = 0;

    if (style->comma == '|') {
        text = surety__form_plain(text);
        if (surety__str_find(text, SURETY__LITERAL("\\|")) == text.len)
            return text;
    } else {
        if (!text.len || text.ptr[0] != '"')
            return text;
        text = (surety_str){text.ptr + 1, text.len - 2};
        if (!text.len || !memchr(text.ptr, '"', text.len))
            return text;
    }
    copy = surety__arena_take(&forms->names, text.len);
    if (!copy) {
        forms->status = SURETY_NOMEM;
        return text;
    }
    for (size_t i = 0; i < text.len; i++) {
        i += i + 1 < text.len && ((style->comma == '|' && text.ptr[i] == '\\' &&
                                   text.ptr[i + 1] == '|') ||
                                  (style->comma != '|' && text.ptr[i] == '"'));
        copy[len++] = text.ptr[i];
    }
    return (surety_str){copy, len};
}

/* Whether all cells are names of members, and none is there twice. */
static bool table_names(surety__forms *forms, const table_style *style,
                        const table_cells *cells)
{
    surety_str names[TABLE_COLUMNS_MAX];

    if (cells->count > TABLE_COLUMNS_MAX)
        return false;
    for (size_t i = 0; i < cells->count; i++) {
        names[i] = surety__form_member(
            forms, table_text(forms, style, cells->items[i]));
        if (!names[i].len)
            return false;
        for (size_t k = 0; k < i; k++)
            if (surety_str_equal(names[i], names[k]))
                return false;
    }
    return true;
}

/* The next row at `at`. False: there is none. */
static bool table_row(const surety__forms *forms, const table_style *style,
                      size_t at, table_cells *ret_cells, size_t *ret_next)
{
    const form_span line =
        surety__form_line(forms, at, forms->text.len, ret_next);

    if (at == forms->text.len || surety__form_is_blank(forms, line))
        return false;
    if (style->comma == '|')
        return table_bars(forms, line, ret_cells);
    if (!table_commas(forms, style->comma, at, ret_cells, ret_next))
        ret_cells->count = 0; /* which no row has */
    return true;
}

/* Writes a member. */
static void table_member(surety__forms *forms, const table_style *style,
                         form_span name, form_span value, bool fill)
{
    const surety_str text = table_text(forms, style, value);

    if (!text.len && !fill) {
        forms->readings[forms->count].blank = true;
        return;
    }
    surety__form_string(
        forms, surety__form_member(forms, table_text(forms, style, name)), name,
        true);
    if (style->comma != '|' && value.end > value.at &&
        forms->text.ptr[value.at] == '"')
        surety__form_string(forms, text, value, false);
    else
        surety__form_scalar(forms, text, value);
}

/* Writes the rows from `at` on; names NULL: each is a member. fill: a cell
 * without a text is "". Returns where they end; 0: they are none. */
static size_t table_rows(surety__forms *forms, const table_style *style,
                         const table_cells *names, size_t start, size_t at,
                         bool fill)
{
    surety__formed *reading = surety__form_begin(forms, style->form, start);
    const size_t first = at;
    table_cells cells;
    size_t next, end = 0;

    if (!reading)
        return 0;
    reading->weak = style->weak;
    surety__form_bracket(forms, names ? '[' : '{', start);
    while (table_row(forms, style, at, &cells, &next)) {
        if (cells.count != (names ? names->count : 2) ||
            (!names && !surety__form_knows(
                           forms, table_text(forms, style, cells.items[0])))) {
            end = 0;
            break;
        }
        if (names)
            surety__form_bracket(forms, '{', at);
        else
            table_member(forms, style, cells.items[0], cells.items[1], fill);
        for (size_t i = 0; names && i < names->count; i++)
            table_member(forms, style, names->items[i], cells.items[i], fill);
        end = next;
        if (names)
            surety__form_bracket(forms, '}', cells.items[cells.count - 1].end);
        at = next;
    }
    if (!end || at == first) {
        surety__form_drop(forms);
        forms->failures++;
        return 0;
    }
    while (end > start && memchr("\r\n", forms->text.ptr[end - 1], 2))
        end--;
    surety__form_bracket(forms, names ? ']' : '}', end - 1);
    if (!names && !surety__form_is_unique(forms)) {
        surety__form_drop(forms);
        return 0;
    }
    surety__form_end(forms, end);
    return end;
}

/* Lists the rows below the names. Returns where they end, or 0. */
static size_t table_list(surety__forms *forms, const table_style *style,
                         const table_cells *names, size_t start, size_t at)
{
    const size_t end = table_rows(forms, style, names, start, at, false);

    if (end && forms->readings[forms->count - 1].blank)
        (void)table_rows(forms, style, names, start, at, true);
    return end;
}

void surety__form_tables(surety__forms *forms)
{
    static const table_style style = {SURETY_FORM_TABLE, '|', false};
    table_cells names, rule;
    size_t at = 0;

    while (at < forms->text.len && forms->failures < FORM_FAILURES_MAX) {
        size_t next, behind;
        const form_span line =
            surety__form_line(forms, at, forms->text.len, &next);
        size_t end = 0;

        if (table_bars(forms, line, &names) &&
            table_bars(forms,
                       surety__form_line(forms, next, forms->text.len, &behind),
                       &rule) &&
            table_is_rule(forms, &rule) && names.count == rule.count) {
            if (table_names(forms, &style, &names))
                end = table_list(forms, &style, &names, at, behind);
            else if (names.count == 2)
                end = table_list(forms, &style, NULL, at, behind);
        }
        at = surety__form_behind(forms, end > next ? end : next);
    }
}

/* The style of the CSV whose names are at `at`. */
static bool table_csv(surety__forms *forms, size_t at, table_style *ret_style,
                      table_cells *ret_names, size_t *ret_next)
{
    static const char commas[] = ",;\t";

    for (size_t i = 0; i < 3; i++) {
        ret_style->comma = commas[i];
        if (table_commas(forms, commas[i], at, ret_names, ret_next) &&
            ret_names->count > 1 && table_names(forms, ret_style, ret_names))
            return true;
    }
    return false;
}

void surety__form_csv(surety__forms *forms)
{
    const surety__form_task *task = &forms->task;
    const bool named =
        surety__str_equal_nocase(task->info, SURETY__LITERAL("csv")) ||
        surety__str_equal_nocase(task->info, SURETY__LITERAL("tsv"));
    table_style style = {SURETY_FORM_CSV, ',', !named};
    table_cells names;
    size_t at = 0;

    if (!named && !surety__form_is_words(forms))
        return;
    while (at < forms->text.len && forms->failures < FORM_FAILURES_MAX) {
        size_t next, behind;
        size_t end = 0;

        (void)surety__form_line(forms, at, forms->text.len, &next);
        if (surety__form_opens(forms, at) &&
            table_csv(forms, at, &style, &names, &behind))
            end = table_list(forms, &style, &names, at, behind);
        at = surety__form_behind(forms, end > next ? end : next);
    }
}
