/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a root, as rows of a table. They are declared in the header
 * and defined in the source. All pass their arguments to surety/typed.h. */
#include "gen/inside.h"

/* What the body does besides passing its arguments. */
enum function_gives { GIVES_NOTHING, GIVES_STATUS, GIVES_VALUE };

/* "@" is the root's name. */
typedef struct function_row {
    const char *suffix;
    enum function_gives gives;
    const char *arguments; /* separated by '\n' */
    const char *passed;
    const char *about;
} function_row;

#define FUNCTION_CONTRACT "const surety_contract *contract"
#define FUNCTION_ERROR "surety_error *reterr"

static const function_row function_rows[] = {
    {"contract", GIVES_STATUS,
     "const surety_contract_options *options\n"
     "surety_contract **ret_contract\n" FUNCTION_ERROR,
     "options\nret_contract\nreterr",
     "Compiles the contract, which serves any number of values and threads. "
     "The caller frees it; options may be NULL."},
    {"read", GIVES_VALUE,
     FUNCTION_CONTRACT "\nsurety_str reply\nconst @ **ret_value\n"
                       "surety_outcome **ret_outcome\n" FUNCTION_ERROR,
     "contract\nreply\n&value\nret_outcome\nreterr",
     "Judges a model's reply and gives its value, or NULL where the outcome, "
     "which may be asked for with ret_outcome, says what is wrong with it."},
    {"from", GIVES_VALUE,
     FUNCTION_CONTRACT "\nsurety_val val\nconst @ **ret_value\n" FUNCTION_ERROR,
     "contract\nval\n&value\nreterr",
     "The same of a value that satisfies the contract."},
    {"free", GIVES_NOTHING, "const @ *value", "value",
     "Frees what _read or _from gave, and all that is in it; takes NULL."},
    {"to", GIVES_STATUS, "const @ *value\nsurety_doc *doc\n" FUNCTION_ERROR,
     "value\ndoc\nreterr", "Builds a value, also one of your own, in doc."},
    {"write", GIVES_STATUS,
     "const @ *value\nsurety_style style\nsurety_buf *out\n" FUNCTION_ERROR,
     "value\nstyle\nout\nreterr", "Appends it as JSON."},
    {"check", GIVES_STATUS,
     FUNCTION_CONTRACT "\nconst @ *value\nsurety_buf *json\n"
                       "surety_outcome **ret_outcome\n" FUNCTION_ERROR,
     "contract\nvalue\njson\nret_outcome\nreterr",
     "Appends it as JSON to json, which is empty, and judges it. json must "
     "outlive the outcome."},
    {"print", GIVES_NOTHING, "const @ *value\nsurety_buf *out", "value\nout",
     "Appends it in a form to read while debugging."}};

/* Appends the first argument of all functions of a root: its table. */
static void function_typed(surety_buf *out, const surety__gen_model *model)
{
    surety__gen_put(out, "&@_typed\n", model->root->in_c.local);
}

void surety__gen_function(surety_buf *out, const char *result, surety_str name,
                          const char *suffix, const char *arguments,
                          const char *tail)
{
    surety_buf head, filled;

    surety_buf_init(&head, out->alloc, 0);
    surety_buf_init(&filled, out->alloc, 0);
    surety_buf_text(&head, result);
    surety__gen_put(&head, "@_", name);
    surety_buf_text(&head, suffix);
    surety__gen_put(&filled, arguments, name);
    surety__gen_call(out, 0, surety_buf_str(&head), surety_buf_str(&filled),
                     tail);
    surety__buf_end(&head, &out->status);
    surety__buf_end(&filled, &out->status);
}

/* ---- derived members ----------------------------------------------------- */

#define FUNCTION_DERIVE                                                        \
    FUNCTION_CONTRACT "\nconst @ *value\nsurety_doc *doc\n" FUNCTION_ERROR

/* Declares or defines a function; key.ptr NULL: that of all members. */
static void derive_write(const surety__gen_model *model, surety_str key,
                         const char *suffix, bool defines, surety_buf *out)
{
    surety_buf arguments;

    surety_buf_text(out, defines ? "\n" : "");
    surety__gen_function(out, "surety_status ", model->prefix, suffix,
                         FUNCTION_DERIVE, defines ? "\n{\n" : ";\n");
    if (!defines)
        return;
    surety_buf_init(&arguments, out->alloc, 0);
    function_typed(&arguments, model);
    surety_buf_text(&arguments, "contract\nvalue\n");
    if (key.ptr)
        surety__gen_quote(&arguments, key);
    else
        surety_buf_text(&arguments, "NULL");
    surety_buf_text(&arguments, "\ndoc\nreterr");
    surety__gen_call(out, 4, SURETY__LITERAL("return surety_typed_derive"),
                     surety_buf_str(&arguments), ";\n}\n");
    surety__buf_end(&arguments, &out->status);
}

static void derive_all(const surety__gen_model *model, bool defines,
                       surety_buf *out)
{
    const surety_val derive = surety_contract_info_of(model->contract)->derive;
    size_t i = 0;

    if (!surety_val_count(derive))
        return;
    assert(model->derives);
    if (!defines) {
        surety_buf_byte(out, '\n');
        surety__gen_comment(
            out, 0,
            SURETY__LITERAL("What the contract derives from a value, as the "
                            "root of doc: all of it as an object, or one "
                            "member."));
    }
    derive_write(model, (surety_str){NULL, 0}, "derive", defines, out);
    SURETY_EACH (v, derive)
        derive_write(model, surety_val_str(surety_val_key(v)),
                     model->derives[i++].ptr + model->prefix.len + 1, defines,
                     out);
}

/* ---- the rows ------------------------------------------------------------ */

/* Writes the comment of a row; for the first row also the reason of a
 * deprecation. */
static void function_comment(const surety__gen_model *model,
                             const function_row *row, surety_buf *out)
{
    const surety_str old = surety_contract_info_of(model->contract)->deprecated;
    const bool is_old = row == function_rows && old.len;
    surety_buf text;

    surety_buf_init(&text, out->alloc, 0);
    surety_buf_text(&text, row->about);
    surety__gen_put(&text, is_old ? " Deprecated: @." : "", old);
    surety__gen_comment(out, 0, surety_buf_str(&text));
    surety_buf_text(out, is_old ? "SURETY_DEPRECATED\n" : "");
    surety__buf_end(&text, &out->status);
}

static void function_body(surety__gen_model *model, const function_row *row,
                          surety_buf *out)
{
    surety_buf head, arguments;

    if (row->gives == GIVES_VALUE)
        surety_buf_text(out, "    const void *value = NULL;\n"
                             "    surety_status status;\n\n");
    surety_buf_init(&head, out->alloc, 0);
    surety_buf_init(&arguments, out->alloc, 0);
    surety_buf_text(&head, row->gives == GIVES_STATUS  ? "return "
                           : row->gives == GIVES_VALUE ? "status = "
                                                       : "");
    surety_buf_text(&head, "surety_typed_");
    surety_buf_text(&head, row->suffix);
    if (row->gives != GIVES_NOTHING || strcmp(row->suffix, "free") != 0)
        function_typed(&arguments, model);
    surety_buf_text(&arguments, row->passed);
    surety__gen_call(out, 4, surety_buf_str(&head), surety_buf_str(&arguments),
                     ";\n");
    surety__buf_end(&head, &out->status);
    surety__buf_end(&arguments, &out->status);
    if (row->gives == GIVES_VALUE)
        surety__gen_put(out,
                        "    if (status == SURETY_OK)\n"
                        "        *ret_value = (const @ *)value;\n"
                        "    return status;\n",
                        model->prefix);
    surety_buf_text(out, "}\n");
}

void surety__gen_functions(surety__gen_model *model, bool defines,
                           surety_buf *out)
{
    for (size_t i = 0; i < SURETY__COUNT(function_rows); i++) {
        const function_row *row = &function_rows[i];

        surety_buf_byte(out, '\n');
        if (!defines)
            function_comment(model, row, out);
        surety__gen_function(
            out, row->gives == GIVES_NOTHING ? "void " : "surety_status ",
            model->prefix, row->suffix, row->arguments,
            defines ? "\n{\n" : ";\n");
        if (defines)
            function_body(model, row, out);
    }
    derive_all(model, defines, out);
}
