/* SPDX-License-Identifier: Apache-2.0 */
/* Other forms of a value, as a property: a random value, written in a form that
 * the tolerant reader knows, comes back, with a repair of the form's kind; as
 * JSON it comes back without any. */
#include "check.h"
#include "json/json.h"

#include <stdlib.h>

enum { VALUES = 1500, DEPTH = 3 };

static uint32_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static const char *const texts[] = {
    "",      "Oslo",    "a, b",         "x = 1, y = 2",    "f(x)",
    "[see]", "no: yes", "it (is) {so}", "caf\xC3\xA9",     "12",
    "null",  "a => b",  "<b>",          "one\xE2\x80\xA6", "; # //",
};

static const char *const keys[] = {"id", "title", "city", "max_count", "k"};

/* ---- forms ----------------------------------------------------------------
 */

enum form {
    FORM_CALL,
    FORM_PHP,
    FORM_RUBY,
    FORM_PAIRS,
    FORM_DOUBLED,
    FORM_ENTITY,
    FORM_ESCAPED,
    FORM_BLOCK_QUOTE,
    FORM_FENCE,
    FORM_COUNT
};

/* How a form writes a container and its members. */
static const struct spelling {
    const char *kind; /* of the repair that an object with members has */
    const char *open, *close;
    const char *key_open,
        *key_close; /* around a key, with the sign behind it */
    const char *member_close;
    const char *quote;
    const char *yes, *no, *null;
} spellings[] = {
    [FORM_CALL] = {"call", "Ticket(", ")", "", "=", "", "'", "True", "False",
                   "None"},
    [FORM_PHP] = {"hash", "[", "]", "'", "' => ", "", "'", "true", "false",
                  "null"},
    [FORM_RUBY] = {"symbol", "{", "}", ":", " => ", "", "\"", "true", "false",
                   "nil"},
    [FORM_PAIRS] = {"pairs", "OrderedDict([", "])", "('", "', ", ")", "'",
                    "True", "False", "None"},
    [FORM_DOUBLED] = {"doubled-quote", "{", "}", "\"\"", "\"\": ", "", "\"\"",
                      "true", "false", "null"},
    [FORM_ENTITY] = {"html-entity", "{", "}", "&quot;", "&quot;: ", "",
                     "&quot;", "true", "false", "null"},
    [FORM_ESCAPED] = {"escaped-json", "{", "}", "\\\"", "\\\": ", "", "\\\"",
                      "true", "false", "null"},
    [FORM_BLOCK_QUOTE] = {"block-quote", "{", "\n>}", "\n> \"", "\": ", "",
                          "\"", "true", "false", "null"},
    [FORM_FENCE] = {"", "{", "}", "\"", "\": ", "", "```text\n", "true",
                    "false", "null"},
};

/* Writes a value to json, and in a form to out. object: it has members. */
static void value_write(uint64_t *state, unsigned depth, bool object,
                        const struct spelling *form, surety_buf *json,
                        surety_buf *out)
{
    const unsigned pick = object ? 7 : random_next(state) % 8;
    const size_t count = random_next(state) % 3 + 1;
    const char *text;

    if (pick >= 6 && (depth || object)) {
        const bool members = pick == 7;
        const bool call = !members && random_next(state) % 4 == 0;
        const size_t first = random_next(state) % CHECK_COUNT(keys);

        surety_buf_text(json, members ? "{" : "[");
        surety_buf_text(out, members ? form->open : call ? "np.array([" : "[");
        for (size_t i = 0; i < count; i++) {
            surety_buf_text(json, i ? "," : "");
            surety_buf_text(out, i ? ", " : "");
            if (members) {
                text = keys[(first + i) % CHECK_COUNT(keys)];
                surety_json_string(json, surety_str_of(text));
                surety_buf_text(json, ":");
                surety_buf_text(out, form->key_open);
                surety_buf_text(out, text);
                surety_buf_text(out, form->key_close);
            }
            value_write(state, depth ? depth - 1 : 0, false, form, json, out);
            surety_buf_text(out, members ? form->member_close : "");
        }
        surety_buf_text(json, members ? "}" : "]");
        surety_buf_text(out, members ? form->close : call ? "])" : "]");
    } else if (pick < 3 || pick >= 6) {
        text = texts[random_next(state) % CHECK_COUNT(texts)];
        surety_json_string(json, surety_str_of(text));
        surety_buf_text(out, form->quote);
        surety_buf_text(out, text);
        surety_buf_text(out, *form->quote == '`' ? "\n```" : form->quote);
    } else if (pick < 5) {
        surety_buf_number(json, count * 7);
        surety_buf_number(out, count * 7);
    } else {
        surety_buf_text(json, count == 1   ? "true"
                              : count == 2 ? "false"
                                           : "null");
        surety_buf_text(out, count == 1   ? form->yes
                             : count == 2 ? form->no
                                          : form->null);
    }
}

/* Whether the text is read as the JSON, with a repair of that kind; kind "":
 * with some, or none; NULL: without any. */
static bool comes_back(surety_str text, surety_str json, const char *kind)
{
    static const surety__lenient_options options;
    surety_doc *doc = surety_doc_new(NULL);
    surety_buf out;
    surety_error error;
    size_t end = 0;
    bool good = false, named = !kind || !*kind;

    surety_buf_init(&out, NULL, 0);
    if (!doc)
        goto done;
    if (surety__doc_read_lenient(doc, text, &options, &end, &error) !=
        SURETY_OK) {
        printf("# %.*s: %s\n", (int)text.len, text.ptr, error.message);
        goto done;
    }
    for (size_t i = 0; kind && i < surety__doc_repair_count(doc); i++)
        named |=
            surety_str_equal(surety_str_of(surety__doc_repair(doc, i).kind),
                             surety_str_of(kind));
    surety_val_write(surety_doc_root(doc), SURETY_STYLE_COMPACT, &out);
    good = end == text.len && named &&
           (kind || !surety__doc_repair_count(doc)) &&
           surety_str_equal(surety_buf_str(&out), json);
    if (!good)
        printf("# %.*s\n# is %.*s\n# as %.*s\n", (int)text.len, text.ptr,
               (int)json.len, json.ptr, (int)out.len, out.ptr);
done:
    surety_buf_done(&out);
    surety_doc_free(doc);
    return good;
}

TEST(a_value_comes_back_from_every_form)
{
    uint64_t state = 7;
    surety_buf json, out;

    surety_buf_init(&json, NULL, 0);
    surety_buf_init(&out, NULL, 0);
    for (size_t i = 0; i < VALUES; i++) {
        const struct spelling *form = &spellings[i % FORM_COUNT];

        surety_buf_reset(&json);
        surety_buf_reset(&out);
        value_write(&state, DEPTH, true, form, &json, &out);
        CHECK(json.status == SURETY_OK && out.status == SURETY_OK);
        CHECK(comes_back(surety_buf_str(&json), surety_buf_str(&json), NULL));
        CHECK(comes_back(surety_buf_str(&out), surety_buf_str(&json),
                         form->kind));
    }
done:
    surety_buf_done(&json);
    surety_buf_done(&out);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"a value comes back from every form",
         a_value_comes_back_from_every_form},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
