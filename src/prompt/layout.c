/* SPDX-License-Identifier: Apache-2.0 */
/* Lays out JSON for a model. Every space costs tokens, and JSON on one line is
 * hard to read: so what fits on a line is on one line, and the rest is
 * indented by one space per level. This file also quotes text: hidden
 * characters are escaped, and a long text is cut between two characters, with
 * a note. */
#include "prompt/prompt.h"

enum {
    LAYOUT_LINE = 76, /* bytes of a container on one line */
    LAYOUT_SPAN = 40  /* values in it */
};

typedef struct layout_level {
    surety_val container, child; /* child: the next one to write */
    bool begun;
} layout_level;

typedef struct layout_state {
    surety_buf *out;
    surety_buf line;
    layout_level *levels;
    size_t depth, cap;
    const char *const *drop;
} layout_state;

/* Writes a value that fits on a line or is not a container; false: it does
 * neither. */
static bool layout_flat(layout_state *state, surety_val val)
{
    const surety__cell *cell = surety__cell_of(val);

    if (cell->kind < CELL_ARRAY || cell->count == 0) {
        surety_val_write(val, SURETY_STYLE_COMPACT, state->out);
        return true;
    }
    if (cell->span > LAYOUT_SPAN || (state->depth == 0 && state->drop))
        return false;
    surety_buf_reset(&state->line);
    surety_val_write(val, SURETY_STYLE_COMPACT, &state->line);
    if (state->line.status == SURETY_LIMIT)
        return false;
    if (state->line.status != SURETY_OK)
        state->out->status = state->line.status;
    surety_buf_add(state->out, surety_buf_str(&state->line));
    return true;
}

static void layout_newline(layout_state *state)
{
    surety_buf_byte(state->out, '\n');
    for (size_t i = 0; i < state->depth; i++)
        surety_buf_byte(state->out, ' ');
}

/* Opens a container. */
static void layout_open(layout_state *state, surety_val val)
{
    const surety_status status = surety__grow(
        state->out->alloc, &state->levels, &state->cap, state->depth + 1,
        sizeof(*state->levels), SIZE_MAX / sizeof(layout_level));

    if (status != SURETY_OK) {
        state->out->status = status;
        return;
    }
    state->levels[state->depth++] =
        (layout_level){.container = val, .child = surety_val_first(val)};
    surety_buf_byte(state->out,
                    surety_val_kind(val) == SURETY_KIND_OBJECT ? '{' : '[');
}

static bool layout_dropped(const layout_state *state, surety_val child)
{
    for (size_t i = 0; state->depth == 1 && state->drop && state->drop[i]; i++)
        if (surety_val_is(surety_val_key(child), state->drop[i]))
            return true;
    return false;
}

/* Writes the next child of the innermost container, or closes it. */
static void layout_step(layout_state *state)
{
    layout_level *level = &state->levels[state->depth - 1];
    const bool object = surety_val_kind(level->container) == SURETY_KIND_OBJECT;
    const surety_val child = level->child;

    assert(state->depth > 0);
    if (!child.doc) {
        const bool begun = level->begun;

        state->depth--;
        if (begun)
            layout_newline(state);
        surety_buf_byte(state->out, object ? '}' : ']');
        return;
    }
    level->child = surety_val_next(level->container, child);
    if (object && layout_dropped(state, child))
        return;
    if (level->begun)
        surety_buf_byte(state->out, ',');
    level->begun = true;
    layout_newline(state);
    if (object) {
        surety_json_string(state->out, surety_val_str(surety_val_key(child)));
        surety_buf_text(state->out, ": ");
    }
    if (!layout_flat(state, child))
        layout_open(state, child);
}

void surety__layout_write(surety_val value, const char *const *drop,
                          surety_buf *out)
{
    layout_state state = {.out = out, .drop = drop};

    surety_buf_init(&state.line, out->alloc, LAYOUT_LINE);
    if (surety_val_kind(value) != SURETY_KIND_OBJECT)
        state.drop = NULL;
    if (!layout_flat(&state, value))
        layout_open(&state, value);
    while (state.depth > 0 && out->status == SURETY_OK)
        layout_step(&state);
    surety_buf_byte(out, '\n');
    surety__free(out->alloc, state.levels, state.cap * sizeof(*state.levels));
    surety_buf_done(&state.line);
}

/* ---- quoting ------------------------------------------------------------- */

void surety__layout_quote_done(surety_buf *out, surety_buf *text, size_t max)
{
    if (text->status != SURETY_OK)
        out->status = text->status;
    surety__buf_quoted(out, surety_buf_str(text), max);
    surety_buf_done(text);
}

void surety__layout_value(surety_buf *out, surety_val value, size_t max)
{
    surety_buf text;

    surety_buf_init(&text, out->alloc, 0);
    surety_val_write(value, SURETY_STYLE_COMPACT, &text);
    surety__layout_quote_done(out, &text, max);
}
