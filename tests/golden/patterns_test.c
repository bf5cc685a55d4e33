/* SPDX-License-Identifier: Apache-2.0 */
/* What patterns become, compared byte for byte with case files.
 *
 *     patterns_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case:
 *
 *     === patterns    a pattern each line, in which \xNN and so on are the
 *                     pattern's own
 *     === made        of each: what is wrong with it, or the text or the
 *                     automata that it became, and how it is written for PCRE2
 *
 * An automaton is written as its states, "1" the one that accepts whatever
 * comes and "0" the one that accepts nothing: behind each state where the
 * characters of a column lead, the column called by its least character, and
 * "$" for the end. The answers have tests of their own; this tells what costs
 * more than it must. With --update it is written anew, for a person to
 * review. */
#include "golden/cases.h"

#include <string.h>

#include "schema/pattern_inside.h"

/* ---- automata ------------------------------------------------------------ */

/* A code point, shown. */
static void say_code(surety_buf *out, uint32_t code)
{
    if (code > 0x20 && code < 0x7F)
        surety_buf_byte(out, (char)code);
    else
        surety__buf_printf(out, "<%x>", code);
}

/* The least code point of a column; UINT32_MAX: it has none. */
static uint32_t column_least(const surety__pattern_simple *simple,
                             unsigned column)
{
    for (uint32_t code = 0; code < 0x80; code++)
        if (simple->column_of[code] == column)
            return code;
    if (!simple->wide_count)
        return simple->column_of[0xC0] == column ? 0x80 : UINT32_MAX;
    for (size_t i = 0; i < simple->wide_count; i++)
        if (simple->wide_column[i] == column)
            return simple->wide_from[i];
    return UINT32_MAX;
}

/* The state behind `state` and a column. */
static unsigned automaton_next(const surety__pattern_simple *simple,
                               const surety__automaton *automaton,
                               unsigned state, unsigned column)
{
    const unsigned width = simple->column_end + 1;

    if (automaton->rows)
        return (unsigned)(automaton->rows[column] >> (6 * state) & 63) / 6;
    return automaton->next[state * width + column] / width;
}

/* Columns that lead to the same state are said together, the one that most lead
 * to as "else". */
static unsigned say_state(surety_buf *out, const surety__pattern_simple *simple,
                          const surety__automaton *automaton, unsigned state)
{
    const unsigned end = simple->column_end;
    unsigned usual = 0, usual_count = 0, highest = 0;

    for (unsigned c = 0; c < end; c++) {
        const unsigned to = automaton_next(simple, automaton, state, c);
        unsigned count = 0;

        for (unsigned k = 0; k < end; k++)
            count += automaton_next(simple, automaton, state, k) == to;
        if (count > usual_count) {
            usual = to;
            usual_count = count;
        }
        highest = to > highest ? to : highest;
    }
    surety__buf_printf(out, "      %u:", state);
    for (unsigned c = 0; c < end; c++) {
        const unsigned to = automaton_next(simple, automaton, state, c);
        const uint32_t least = column_least(simple, c);

        if (to == usual || (least == UINT32_MAX && to == state))
            continue;
        surety_buf_byte(out, ' ');
        if (least == UINT32_MAX)
            surety_buf_text(out, "more");
        else
            say_code(out, least);
        surety__buf_printf(out, ">%u", to);
    }
    surety__buf_printf(out, " else>%u $>%u\n", usual,
                       automaton_next(simple, automaton, state, end));
    return highest;
}

static void say_automaton(surety_buf *out, const surety__pattern_simple *simple,
                          const surety__automaton *automaton)
{
    const unsigned width = simple->column_end + 1;
    const unsigned start = automaton->start / (automaton->rows ? 6 : width);
    unsigned last = start > 1 ? start : 1;

    surety__buf_printf(out, "    automaton of %s, %s, from %u\n",
                       automaton->rows ? "words" : "cells",
                       automaton->wanted ? "wanted" : "unwanted", start);
    for (unsigned state = 0; state <= last; state++) {
        const unsigned highest = say_state(out, simple, automaton, state);

        last = highest > last ? highest : last;
    }
}

/* Which characters each column has, as ranges of ASCII. */
static void say_columns(surety_buf *out, const surety__pattern_simple *simple)
{
    surety_buf_text(out, "    columns:");
    for (uint32_t code = 0; code < 0x80; code++)
        if (!code || simple->column_of[code] != simple->column_of[code - 1]) {
            surety_buf_byte(out, ' ');
            say_code(out, code);
            surety__buf_printf(out, "=%u", simple->column_of[code]);
        }
    surety__buf_printf(out, " <80>=%u <c0>=%u", simple->column_of[0x80],
                       simple->column_of[0xC0]);
    for (size_t i = 0; i < simple->wide_count; i++)
        surety__buf_printf(out, " U+%x=%u", simple->wide_from[i],
                           simple->wide_column[i]);
    surety__buf_printf(out, " of %u\n", simple->column_end + 1);
}

static void say_simple(surety_buf *out, const surety__pattern_simple *simple)
{
    switch (simple->form) {
    case PATTERN_PROGRAM: return;
    case PATTERN_ALWAYS: surety_buf_text(out, "  always\n"); return;
    case PATTERN_LITERAL:
        surety_buf_text(out, "  text ");
        surety_json_string(out, simple->literal);
        surety_buf_text(out, simple->starts ? " at the start" : "");
        surety_buf_text(out, simple->ends ? " at the end" : "");
        surety_buf_byte(out, '\n');
        return;
    case PATTERN_AUTOMATON: break;
    }
    surety__buf_printf(out, "  automata of %zu bytes", simple->block_size);
    if (simple->literal.len) {
        surety_buf_text(out, " behind ");
        surety_json_string(out, simple->literal);
    }
    if (simple->counted)
        surety__buf_printf(out, ", %u to %u characters", simple->count_min,
                           simple->count_max);
    surety_buf_byte(out, '\n');
    say_columns(out, simple);
    for (size_t i = 0; i < simple->automaton_count; i++)
        say_automaton(out, simple, &simple->automata[i]);
}

/* ---- patterns ------------------------------------------------------------ */

/* How it is written for PCRE2, or why it is no pattern. */
static void say_program(surety_buf *out, surety_str source)
{
    surety__pattern_reader reader;
    surety_error err = {.status = SURETY_OK};
    surety_buf program;
    surety_status status;

    surety_buf_init(&program, NULL, 0);
    status = surety__pattern_read(&reader, source, &program, NULL, &err);
    if (status)
        surety__buf_printf(out, "  %s at %u: %s\n", surety_status_name(status),
                           (unsigned)err.position.offset, err.message);
    else
        surety__buf_printf(out, "  PCRE2: %.*s\n", (int)program.len,
                           program.ptr);
    surety_buf_done(&program);
}

static void say_pattern(surety_buf *out, surety_str source)
{
    surety__pattern_reader reader;
    surety__pattern_net net;
    surety__pattern_simple simple;

    surety_buf_add(out, source);
    surety_buf_byte(out, '\n');
    memset(&simple, 0, sizeof(simple));
    surety__net_init(&net, NULL);
    if (!surety__pattern_read(&reader, source, NULL, &net, NULL) &&
        !surety__pattern_simplify(&net, &simple))
        say_simple(out, &simple);
    surety__pattern_simple_done(&simple, NULL);
    surety__net_done(&net);
    say_program(out, source);
}

static bool run(struct golden *golden)
{
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];
        surety_str rest = golden_body(golden, "patterns");
        surety_str line;

        if (!golden_is(section, "made")) {
            golden_keep(golden, section);
            continue;
        }
        golden_begin(golden, section);
        while (golden_line(&rest, &line))
            say_pattern(&golden->made, line);
    }
    return true;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
