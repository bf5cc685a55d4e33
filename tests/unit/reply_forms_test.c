/* SPDX-License-Identifier: Apache-2.0 */
/* Values in other forms than JSON, as laws over random values:
 *
 * 1. A value that is written in a form comes back, with a repair of the form's
 *    kind whose position is in the reply; as JSON it comes back without one.
 * 2. Of a text that was changed at random no other value comes back that is
 *    certain. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include <surety/contract.h>
#include <surety/reply.h>

enum { VALUES = 1200, MUTATIONS = 4, ROWS_MAX = 4 };

static uint32_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Texts that each form can say. */
static const char *const texts[] = {
    "Oslo",      "Lamp: out", "a, b",      "it is 5 > 4", "caf\xC3\xA9 & more",
    "x = \"y\"", "no",        "12",        "a | b",       "1,204",
    "f(x)",      "so - so",   "of {a} b}",
};

/* ---- values ----------------------------------------------------------------
 */

typedef struct ticket {
    unsigned id;
    const char *title;
    int open;      /* -1: it is not there */
    unsigned size; /* 0: likewise */
} ticket;

static ticket ticket_random(uint64_t *state)
{
    return (ticket){
        .id = random_next(state) % 9000,
        .title = texts[random_next(state) % CHECK_COUNT(texts)],
        .open = (int)(random_next(state) % 3) - 1,
        .size = random_next(state) % 3 ? random_next(state) % 90 : 0,
    };
}

enum { MEMBERS = 4 };
static const char *const names[MEMBERS] = {"id", "title", "is_open", "size"};
static const char *const shown[MEMBERS] = {"ID", "Title", "Is open", "Size"};

static bool ticket_has(const ticket *it, size_t i)
{
    return i < 2 || (i == 2 ? it->open >= 0 : it->size > 0);
}

/* A member's text, as all forms but JSON have it. */
static surety_str ticket_text(const ticket *it, size_t i, char *room,
                              size_t cap)
{
    if (i == 1)
        return surety_str_of(it->title);
    if (i == 2)
        return surety_str_of(it->open ? "true" : "false");
    (void)snprintf(room, cap, "%u", i ? it->size : it->id);
    return surety_str_of(room);
}

static void ticket_json(const ticket *it, surety_buf *out)
{
    char room[16];

    surety_buf_byte(out, '{');
    for (size_t i = 0; i < MEMBERS; i++) {
        if (!ticket_has(it, i))
            continue;
        surety_json_name(out, names[i]);
        if (i == 1)
            surety_json_string(out, surety_str_of(it->title));
        else
            surety_buf_add(out, ticket_text(it, i, room, sizeof(room)));
    }
    surety_buf_byte(out, '}');
}

/* ---- forms -----------------------------------------------------------------
 */

/* How a form writes a member: before its name, before its text, behind it. */
typedef struct form_row {
    const char *kind;
    const char *open, *name, *text, *end, *close;
    const char *escape; /* bytes that are written otherwise */
    const char *const *names;
} form_row;

static const form_row form_rows[] = {
    {"tool-call", "<tool_call>\n<function=file>\n", "<parameter=", ">\n",
     "\n</parameter>\n", "</function>\n</tool_call>", "", names},
    {"tool-call", "So:\n<tool_call>file\n", "<arg_key>",
     "</arg_key>\n<arg_value>", "</arg_value>\n", "</tool_call>", "", names},
    {"tool-call", "<function_calls>\n<invoke name=\"file\">\n",
     "<parameter name=\"", "\">", "</parameter>\n",
     "</invoke>\n</function_calls>", "", names},
    {"yaml", "Here:\n```yaml\n", "", ": ", "\n", "```\n", "yaml", names},
    {"key-value", "Here is the ticket:\n\n", "**", ":** ", "\n", "\nBye.", "",
     shown},
    {"key-value", "", "- ", ": ", "\n", "", "", shown},
    {"table", "| Field | Value |\n|---|---|\n", "| ", " | ", " |\n", "\nBye.",
     "|", shown},
    {"xml", "<ticket>", "<", "xml", "\n", "</ticket>", "<", names},
};

static void form_text(const form_row *form, surety_str text, bool string,
                      surety_buf *out)
{
    if (string && !strcmp(form->escape, "yaml")) {
        surety_json_string(out, text);
        return;
    }
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '|' && *form->escape == '|')
            surety_buf_text(out, "\\|");
        else if (text.ptr[i] == '&' && *form->escape == '<')
            surety_buf_text(out, "&amp;");
        else if (text.ptr[i] == '>' && *form->escape == '<')
            surety_buf_text(out, "&gt;");
        else
            surety_buf_byte(out, text.ptr[i]);
}

static void form_write(const form_row *form, const ticket *it, surety_buf *out)
{
    char room[16];

    surety_buf_text(out, form->open);
    for (size_t i = 0; i < MEMBERS; i++) {
        const bool xml = !strcmp(form->text, "xml");

        if (!ticket_has(it, i))
            continue;
        surety_buf_text(out, form->name);
        surety_buf_text(out, form->names[i]);
        surety_buf_text(out, xml ? ">" : form->text);
        form_text(form, ticket_text(it, i, room, sizeof(room)), i == 1, out);
        if (xml) {
            surety_buf_text(out, "</");
            surety_buf_text(out, form->names[i]);
            surety_buf_byte(out, '>');
        }
        surety_buf_text(out, form->end);
    }
    surety_buf_text(out, form->close);
}

/* Rows: a table of Markdown, CSV, and CSV with tabs. */
static void rows_write(unsigned style, const ticket *rows, size_t count,
                       surety_buf *out)
{
    static const char *const commas[] = {" | ", ",", "\t"};
    static const form_row bars = {.escape = "|"}, plain = {.escape = ""};
    char room[16];

    surety_buf_text(out, style ? "" : "Rows:\n\n");
    for (size_t row = 0; row <= count; row++) {
        for (size_t i = 0; i < MEMBERS; i++) {
            surety_str text = surety_str_of(shown[i]);
            const bool quoted = style && row && (i == 1 || row % 2) &&
                                ticket_has(&rows[row - 1], i);

            if (row)
                text = ticket_has(&rows[row - 1], i)
                           ? ticket_text(&rows[row - 1], i, room, sizeof(room))
                           : surety_str_of("");
            surety_buf_text(out, i ? commas[style] : style ? "" : "| ");
            surety_buf_text(out, quoted ? "\"" : "");
            for (size_t k = 0; k < text.len; k++) {
                if (quoted && text.ptr[k] == '"')
                    surety_buf_byte(out, '"');
                form_text(style ? &plain : &bars, (surety_str){text.ptr + k, 1},
                          false, out);
            }
            surety_buf_text(out, quoted ? "\"" : "");
        }
        surety_buf_text(out, style ? "\n" : " |\n");
        if (!row && !style)
            surety_buf_text(out, "|---|:-:|---|---|\n");
    }
}

/* ---- laws ------------------------------------------------------------------
 */

static const char contract_text[] =
    "{\"type\":\"object\",\"required\":[\"id\",\"title\"],\"properties\":{"
    "\"id\":{\"type\":\"integer\"},\"title\":{\"type\":\"string\"},"
    "\"is_open\":{\"type\":\"boolean\"},\"size\":{\"type\":\"number\"}},"
    "\"additionalProperties\":false}";

typedef struct law_world {
    surety_judge *judge;
    surety_contract *object, *array;
} law_world;

static bool laws_begin(law_world *laws)
{
    surety_buf rows;
    bool good;

    surety_buf_init(&rows, NULL, 0);
    surety_buf_text(&rows, "{\"type\":\"array\",\"items\":");
    surety_buf_text(&rows, contract_text);
    surety_buf_byte(&rows, '}');
    laws->judge = surety_judge_new(NULL, NULL);
    good = laws->judge &&
           surety_contract_read(surety_str_of(contract_text), NULL,
                                &laws->object, NULL) == SURETY_OK &&
           surety_contract_read(surety_buf_str(&rows), NULL, &laws->array,
                                NULL) == SURETY_OK;
    surety_buf_done(&rows);
    return good;
}

static void laws_end(law_world *laws)
{
    surety_judge_free(laws->judge);
    surety_contract_free(laws->object);
    surety_contract_free(laws->array);
}

/* What a reply comes to. */
typedef struct law_result {
    bool ok, same, likely, kind, placed;
} law_result;

static law_result laws_judge(law_world *laws, const surety_contract *contract,
                             surety_str reply, surety_str json,
                             const char *kind)
{
    static const surety_repair align = SURETY_REPAIR_ALIGN;
    const surety_judge_options options = {.size = sizeof(options),
                                          .repair = &align};
    law_result result = {.placed = true};
    const surety_outcome_info *info;
    const surety_outcome *outcome;
    surety_buf out;

    if (surety_judge_reply(laws->judge, contract, reply, &options, &outcome,
                           NULL) != SURETY_OK)
        return result;
    info = surety_outcome_info_of(outcome);
    result.ok = info->ok;
    for (size_t i = 0; i < info->repaired_count; i++) {
        const surety_repaired repair = surety_outcome_repaired(outcome, i);

        result.likely |= repair.likely;
        result.kind |= kind && !strcmp(repair.kind, kind);
        result.placed &=
            repair.position.offset + repair.position.length <= reply.len;
    }
    surety_buf_init(&out, NULL, 0);
    if (info->ok)
        (void)surety_val_write(info->value, SURETY_STYLE_COMPACT, &out);
    result.same = surety_str_equal(surety_buf_str(&out), json);
    surety_buf_done(&out);
    return result;
}

static bool form_is_built(const char *kind)
{
#ifdef SURETY_WITH_YAML
    (void)kind;
    return true;
#else
    return strcmp(kind, "yaml") != 0; /* built without libyaml: skipped */
#endif
}

/* Changes a text at random places. */
static void text_mutate(uint64_t *state, surety_str text, surety_buf *out)
{
    static const char bytes[] = "\n:|,<>/\"' -ax0{}[]*#&";
    const size_t at = text.len ? random_next(state) % text.len : 0;
    const char byte = bytes[random_next(state) % (sizeof(bytes) - 1)];
    const size_t skip = random_next(state) % 3;

    surety_buf_reset(out);
    surety_buf_append(out, text.ptr, at);
    if (random_next(state) % 3)
        surety_buf_byte(out, byte);
    if (at + skip < text.len)
        surety_buf_append(out, text.ptr + at + skip, text.len - at - skip);
}

TEST(a_value_comes_back_from_every_form)
{
    uint64_t state = 5;
    law_world laws = {0};
    surety_buf json, out, mutated;

    surety_buf_init(&json, NULL, 0);
    surety_buf_init(&out, NULL, 0);
    surety_buf_init(&mutated, NULL, 0);
    CHECK(laws_begin(&laws));
    for (size_t i = 0; i < VALUES; i++) {
        const unsigned turn =
            (unsigned)i % (unsigned)(CHECK_COUNT(form_rows) + 3);
        const bool rows = turn >= CHECK_COUNT(form_rows);
        const unsigned style = turn - (unsigned)CHECK_COUNT(form_rows);
        const surety_contract *contract = rows ? laws.array : laws.object;
        const char *kind = !rows   ? form_rows[turn].kind
                           : style ? "csv"
                                   : "table";
        const size_t count = rows ? 2 + random_next(&state) % ROWS_MAX : 1;
        ticket tickets[ROWS_MAX + 2];
        law_result result;

        if (!rows && !form_is_built(kind))
            continue;
        surety_buf_reset(&json);
        surety_buf_reset(&out);
        surety_buf_text(&json, rows ? "[" : "");
        for (size_t k = 0; k < count; k++) {
            tickets[k] = ticket_random(&state);
            surety_buf_text(&json, k ? "," : "");
            ticket_json(&tickets[k], &json);
        }
        surety_buf_text(&json, rows ? "]" : "");
        if (rows)
            rows_write(style, tickets, count, &out);
        else
            form_write(&form_rows[turn], tickets, &out);
        result = laws_judge(&laws, contract, surety_buf_str(&json),
                            surety_buf_str(&json), NULL);
        CHECK(result.ok && result.same && !result.likely);
        result = laws_judge(&laws, contract, surety_buf_str(&out),
                            surety_buf_str(&json), kind);
        if (!result.same || !result.kind || !result.placed)
            printf("# %s of value %zu: %.*s\n", kind, i, (int)json.len,
                   json.ptr);
        CHECK(result.ok && result.same && result.kind && result.likely);
        CHECK(result.placed);
        for (size_t k = 0; k < MUTATIONS; k++) {
            text_mutate(&state, surety_buf_str(&out), &mutated);
            result = laws_judge(&laws, contract, surety_buf_str(&mutated),
                                surety_buf_str(&json), NULL);
            CHECK(result.placed &&
                  (!result.ok || result.same || result.likely));
        }
    }
done:
    laws_end(&laws);
    surety_buf_done(&json);
    surety_buf_done(&out);
    surety_buf_done(&mutated);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"a value comes back from every form",
         a_value_comes_back_from_every_form},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
