/* SPDX-License-Identifier: Apache-2.0 */
/* Converts an entry to a row of cells and back. Only the table of columns
 * knows which member is in which column, and in which form:
 *
 * - An empty text is NULL, and so is a time of 0, except started_ms: there is
 *   none.
 * - Tokens are NULL if the usage is unknown, and so is an unknown cost; the
 *   tokens saved by stopping a call are NULL if they are unknown, and the
 *   bytes of a stopped call if it was not stopped.
 * - Numbers above 2^63 - 1 are stored as 2^63 - 1: databases have no unsigned
 *   numbers, and no attempt costs nine million dollars.
 * - A negative count, which only another program can have written, is read as
 *   NULL.
 *
 * Errors and repairs have their own rows; this table has only their counts. */
#include "ledger/ledger.h"

#include <limits.h>

typedef enum entry_form {
    FORM_TEXT = 0,
    FORM_RAW,
    FORM_UINT32,
    FORM_INT,
    FORM_TIME,
    FORM_MOMENT, /* a time that may be absent */
    FORM_BOOL,
    FORM_STATE,
    FORM_SIZE,
    FORM_KNOWN,  /* a uint64_t that is known if a bool says so */
    FORM_STOPPED /* a uint64_t, for an attempt that was stopped */
} entry_form;

typedef struct entry_column {
    const char *name;
    size_t offset;
    entry_form form;
    size_t known; /* the bool of FORM_KNOWN */
} entry_column;

#define COLUMN(name, form)                                                     \
    {                                                                          \
#name, offsetof(surety_entry, name), form, 0                           \
    }
#define COLUMN_KNOWN(name, known)                                              \
    {                                                                          \
#name, offsetof(surety_entry, name), FORM_KNOWN,                       \
            offsetof(surety_entry, known)                                      \
    }
static const entry_column entry_columns[SURETY__COLUMNS] = {
    COLUMN(id, FORM_TEXT),
    COLUMN(run, FORM_TEXT),
    COLUMN(number, FORM_UINT32),
    COLUMN(purpose, FORM_TEXT),
    COLUMN(contract, FORM_TEXT),
    COLUMN(contract_version, FORM_TEXT),
    COLUMN(provider, FORM_TEXT),
    COLUMN(model, FORM_TEXT),
    COLUMN(mode, FORM_TEXT),
    COLUMN(started_ms, FORM_TIME),
    COLUMN(prompt, FORM_RAW),
    COLUMN(key, FORM_TEXT),
    COLUMN(tag, FORM_TEXT),
    /* SURETY__BEGIN_COLUMNS end here. */
    COLUMN(state, FORM_STATE),
    COLUMN(first_byte_ms, FORM_MOMENT),
    COLUMN(ended_ms, FORM_MOMENT),
    COLUMN(failure, FORM_TEXT),
    COLUMN(http_status, FORM_INT),
    COLUMN(error_code, FORM_TEXT),
    COLUMN(error_message, FORM_TEXT),
    COLUMN(finish_reason, FORM_TEXT),
    COLUMN(request_id, FORM_TEXT),
    COLUMN(response_id, FORM_TEXT),
    COLUMN(ok, FORM_BOOL),
    COLUMN(fallback, FORM_BOOL),
    COLUMN(stage, FORM_TEXT),
    COLUMN(error_count, FORM_SIZE),
    COLUMN(repair_count, FORM_SIZE),
    COLUMN_KNOWN(input_tokens, usage_known),
    COLUMN_KNOWN(cached_input_tokens, usage_known),
    COLUMN_KNOWN(output_tokens, usage_known),
    COLUMN_KNOWN(reasoning_tokens, usage_known),
    COLUMN_KNOWN(cost_picousd, cost_known),
    COLUMN(decision, FORM_TEXT),
    COLUMN(reply, FORM_RAW),
    COLUMN(stopped, FORM_TEXT),
    COLUMN(stopped_bytes, FORM_STOPPED),
    COLUMN_KNOWN(saved_tokens, saved_known),
    COLUMN(partial, FORM_BOOL),
    COLUMN(estimated, FORM_BOOL),
};
#undef COLUMN
#undef COLUMN_KNOWN

static const char *const entry_states[] = {"open", "done", "failed",
                                           "cancelled", "unknown"};

const char *surety__entry_state_name(surety_entry_state state)
{
    const size_t i = (size_t)state;

    return entry_states[i <= SURETY_ENTRY_UNKNOWN ? i : SURETY_ENTRY_UNKNOWN];
}

const char *surety__column_name(size_t i)
{
    assert(i < SURETY__COLUMNS);
    return entry_columns[i].name;
}

bool surety__column_raw(size_t i)
{
    assert(i < SURETY__COLUMNS);
    return entry_columns[i].form == FORM_RAW;
}

surety_str *surety__entry_text(surety_entry *entry, size_t i)
{
    assert(i < SURETY__COLUMNS);
    return entry_columns[i].form <= FORM_RAW
               ? (surety_str *)(void *)((char *)entry + entry_columns[i].offset)
               : NULL;
}

static int64_t entry_number(uint64_t number)
{
    return number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

void surety__entry_cells(const surety_entry *entry, bool raw, size_t count,
                         surety__cell *cells)
{
    assert(count <= SURETY__COLUMNS);
    for (size_t i = 0; i < count; i++) {
        const entry_column *column = &entry_columns[i];
        const char *base = (const char *)entry;
        const void *member = base + column->offset;
        surety__cell cell = {.kind = CELL_INT};
        bool present = true;

        switch (column->form) {
        case FORM_TEXT:
        case FORM_RAW:
            cell.kind = column->form == FORM_TEXT ? CELL_TEXT : CELL_BYTES;
            cell.text = *(const surety_str *)member;
            present = cell.text.len && (column->form == FORM_TEXT || raw);
            break;
        case FORM_STATE:
            cell.kind = CELL_TEXT;
            cell.text = surety_str_of(surety__entry_state_name(entry->state));
            break;
        case FORM_BOOL:
            cell.kind = CELL_BOOL;
            cell.number = *(const bool *)member;
            break;
        case FORM_UINT32: cell.number = *(const uint32_t *)member; break;
        case FORM_INT: cell.number = *(const int *)member; break;
        case FORM_SIZE:
            cell.number = entry_number(*(const size_t *)member);
            break;
        case FORM_KNOWN:
        case FORM_STOPPED:
            cell.number = entry_number(*(const uint64_t *)member);
            present = column->form == FORM_KNOWN
                          ? *(const bool *)(base + column->known)
                          : entry->stopped.len > 0;
            break;
        default:
            cell.number = *(const int64_t *)member;
            present = cell.number || column->form == FORM_TIME;
            break;
        }
        if (!present)
            cell = (surety__cell){.kind = CELL_NULL};
        cells[i] = cell;
    }
}

static surety_entry_state entry_state(surety_str name)
{
    size_t i = SURETY_ENTRY_UNKNOWN;

    while (i && !surety_str_equal(name, surety_str_of(entry_states[i])))
        i--;
    return (surety_entry_state)i;
}

/* Whether a form is a count, which is never negative. */
static bool entry_counts(entry_form form)
{
    return form == FORM_UINT32 || form == FORM_SIZE || form == FORM_KNOWN ||
           form == FORM_STOPPED;
}

/* The number, limited to the range of the member that takes it. */
static int64_t entry_clamp(int64_t number, int64_t low, int64_t high)
{
    return number < low ? low : number > high ? high : number;
}

surety_entry surety__entry_of(const surety__cell *cells)
{
    surety_entry entry = {.size = sizeof(entry)};
    bool is_usage_broken = false;

    for (size_t i = 0; i < SURETY__COLUMNS; i++) {
        const entry_column *column = &entry_columns[i];
        const surety__cell cell = cells[i];
        void *member = (char *)&entry + column->offset;

        if (cell.kind == CELL_NULL)
            continue;
        /* A negative count is read as absent. */
        if (entry_counts(column->form) && cell.number < 0) {
            is_usage_broken |=
                column->known == offsetof(surety_entry, usage_known);
            continue;
        }
        switch (column->form) {
        case FORM_TEXT:
        case FORM_RAW: *(surety_str *)member = cell.text; break;
        case FORM_STATE: entry.state = entry_state(cell.text); break;
        case FORM_UINT32:
            *(uint32_t *)member =
                (uint32_t)entry_clamp(cell.number, 0, UINT32_MAX);
            break;
        case FORM_INT:
            *(int *)member = (int)entry_clamp(cell.number, INT_MIN, INT_MAX);
            break;
        case FORM_BOOL: *(bool *)member = cell.number != 0; break;
        case FORM_SIZE: *(size_t *)member = (size_t)cell.number; break;
        case FORM_KNOWN:
            *(bool *)((char *)&entry + column->known) = true;
            *(uint64_t *)member = (uint64_t)cell.number;
            break;
        case FORM_STOPPED: *(uint64_t *)member = (uint64_t)cell.number; break;
        default: *(int64_t *)member = cell.number; break;
        }
    }
    /* Token counts are summed: if one is invalid, the usage is unknown. */
    if (is_usage_broken) {
        entry.usage_known = false;
        entry.input_tokens = entry.cached_input_tokens = 0;
        entry.output_tokens = entry.reasoning_tokens = 0;
    }
    return entry;
}
