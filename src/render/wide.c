/* SPDX-License-Identifier: Apache-2.0 */
/* Finds columns whose names are times: NAME, 2015, 2016, 2017; or pop_2015,
 * pop_2016; or Jan, Feb, Mar. Such columns are no measures, but places along a
 * time axis, or series.
 *
 * 1. A column is such a column if its name or label is a time or a part of one,
 *    or has exactly one year among its words.
 * 2. Columns whose other words are equal belong to one group. Of several
 *    groups, the title decides. */
#include "render/render.h"

#include <assert.h>

/* The time in the name of a column. */
struct wide_name {
    bool is_time, is_part;
    uint64_t stem; /* hash of the words beside a year; 0: no words */
    surety_str year;
    surety__moment moment;
};

static bool wide_is_year(surety_str word)
{
    surety__moment moment;

    return word.len == 4 &&
           (surety__str_starts(word, surety_str_of("19")) ||
            surety__str_starts(word, surety_str_of("20"))) &&
           surety__moment_read(word, &moment);
}

static struct wide_name wide_text(surety_str text)
{
    struct wide_name name = {.stem = 0};
    surety_str rest = text;
    size_t years = 0;

    name.is_time = surety__moment_read(text, &name.moment);
    name.is_part = !name.is_time && surety__moment_is_part(text);
    if (name.is_time || name.is_part) {
        name.year = text;
        return name;
    }
    for (surety_str word; (word = surety__word_next(&rest)).len > 0;) {
        if (wide_is_year(word)) {
            years++;
            name.year = word;
            continue;
        }
        for (size_t i = 0; i < word.len; i++)
            name.stem = name.stem * 31 + ((unsigned char)word.ptr[i] | 32);
        name.stem = name.stem * 31 + 1;
    }
    name.is_time = years == 1 && surety__moment_read(name.year, &name.moment);
    return name;
}

static struct wide_name wide_name(const surety__column *column)
{
    const struct wide_name name = wide_text(column->name);

    return name.is_time || name.is_part ? name : wide_text(column->label);
}

surety_str surety__wide_time(const surety__column *column,
                             surety__moment *moment)
{
    const struct wide_name name = wide_name(column);

    *moment = name.moment;
    return name.year;
}

static bool wide_alike(const struct wide_name *one,
                       const struct wide_name *other)
{
    return one->is_time == other->is_time && one->is_part == other->is_part &&
           one->stem == other->stem;
}

/* A text without the blanks and punctuation at both ends. */
static surety_str wide_inner(surety_str text)
{
    static const char edges[] = " _-:;,.()[]!";

    while (text.len > 0 && strchr(edges, text.ptr[text.len - 1]))
        text.len--;
    while (text.len > 0 && strchr(edges, *text.ptr))
        surety__str_skip(&text, 1);
    return text;
}

/* The text of a name without its year: "pop" of "pop_2015". It is the longer of
 * the texts before and after the year. */
static surety_str wide_measure(const surety__column *column,
                               surety__arena *arena)
{
    const struct wide_name name = wide_name(column);
    const struct wide_name own = wide_text(column->name);
    const surety_str text =
        own.is_time || own.is_part ? column->name : column->label;
    const size_t at = (size_t)(name.year.ptr - text.ptr);
    const surety_str before = wide_inner((surety_str){text.ptr, at});
    const surety_str behind = wide_inner((surety_str){
        name.year.ptr + name.year.len, text.len - at - name.year.len});

    assert(at + name.year.len <= text.len);
    if (name.stem == 0)
        return (surety_str){"", 0};
    return surety__arena_text(arena, behind.len > before.len ? behind : before);
}

surety_status surety__wide_find(const surety__table *table, surety_str title,
                                surety__arena *arena, surety__wide *ret_wide)
{
    const size_t count = table->columns_count;
    struct wide_name *names = surety__arena_take(arena, count * sizeof(*names));
    size_t *columns = surety__arena_take(arena, count * sizeof(*columns));
    size_t best = SIZE_MAX;
    unsigned best_score = 0;
    size_t found = 0;

    *ret_wide = (surety__wide){0};
    if (!names || !columns)
        return SURETY_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const surety__column *column = table->columns[i];

        /* Only numbers, or no values, can be the values of a time. */
        if (column->kind == SURETY__COLUMN_NUMBER ||
            column->missing == table->rows_count)
            names[i] = wide_name(column);
    }
    for (size_t i = 0; i < count; i++) {
        size_t group = 0;
        unsigned score;
        if (!names[i].is_time && !names[i].is_part)
            continue;
        for (size_t k = 0; k < count; k++)
            group += wide_alike(&names[i], &names[k]);
        score = 1 + surety__words_shared(table->columns[i]->name, title) +
                surety__words_shared(table->columns[i]->label, title);
        if (group < 2 || score <= best_score)
            continue;
        best = i;
        best_score = score;
    }
    for (size_t i = 0; best < count && i < count; i++)
        if (wide_alike(&names[best], &names[i]))
            columns[found++] = i;
    if (found == 0)
        return SURETY_OK;
    *ret_wide = (surety__wide){
        .columns = columns, .count = found, .is_time = names[best].is_time};
    ret_wide->measure = wide_measure(table->columns[columns[0]], arena);
    return ret_wide->measure.ptr ? SURETY_OK : SURETY_NOMEM;
}
