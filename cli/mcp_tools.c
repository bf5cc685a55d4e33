/* SPDX-License-Identifier: Apache-2.0 */
/* The tools of surety mcp, as a table. A row names a command of surety, the
 * members that carry texts and values to it, and which of its options a call
 * may give. The schemas of the arguments are made from the options' rows, so a
 * tool and its command cannot differ. */
#include "mcp.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"

enum input_kind {
    INPUT_NONE = 0,
    INPUT_TEXT,     /* a text, on standard input */
    INPUT_JSON,     /* any value, on standard input */
    INPUT_CONTRACT, /* a name or a path, or a schema, which gets a file */
    INPUT_ROWS,     /* any value, which gets a file */
    INPUT_PATH      /* the path of a file, or a name */
};

/* A member of the arguments that is no option's. */
struct input {
    const char *name;
    enum input_kind kind;
    const char *option; /* the option that takes it; NULL: an operand */
    bool is_required;
    const char *help;
};
enum { INPUTS_MAX = 4 };

/* Where a command's result is, and its form. */
enum result {
    RESULT_REPORT, /* standard error: an object */
    RESULT_JSON,   /* standard output: a value */
    RESULT_TEXT,   /* standard output: text */
    RESULT_LINES   /* standard error: text */
};

struct mcp_tool {
    const char *name, *command, *title, *description;
    const char *fixed[3];            /* options that every call has */
    struct input inputs[INPUTS_MAX]; /* operands in the command's order */
    /* Of these two inputs a call gives one; NULL: no such rule. */
    const char *either, * or ;
    const char *options; /* names, with a space around each */
    enum result result;
    const char *member; /* of the structured result, if that is no object */
    int code_max;       /* above it, the exit code means a failure */
    bool writes;        /* it makes files */
};

#define CONTRACT_HELP                                                          \
    "a name from contracts_list such as a/b or a/b@1, the path of a file, or " \
    "the schema itself"
#define LOOK " extract pick marker keep-reasoning repair certain partial "

static const struct mcp_tool tools[] = {
    {.name = "check",
     .command = "check",
     .title = "Check a model's reply",
     .description =
         "Finds the JSON in a model's reply, checks it against a contract, and "
         "returns the value, or every error with its place in the reply.",
     .fixed = {"--report=json", "--compact"},
     .inputs = {{"contract", INPUT_CONTRACT, "contract", true, CONTRACT_HELP},
                {"reply", INPUT_TEXT, NULL, false,
                 "the whole reply, prose and code fences included"},
                {"file", INPUT_PATH, NULL, false,
                 "a file that has the reply, instead of reply"}},
     .either = "reply",
     .or = "file",
     .options = LOOK " no-fallback ",
     .result = RESULT_REPORT,
     .code_max = 1},
    {.name = "extract",
     .command = "extract",
     .title = "Extract JSON from text",
     .description = "Returns the first JSON value in a text, without a check.",
     .fixed = {"--report=json", "--compact"},
     .inputs = {{"reply", INPUT_TEXT, NULL, false,
                 "the text that contains the JSON"},
                {"file", INPUT_PATH, NULL, false,
                 "a file that has the text, instead of reply"}},
     .either = "reply",
     .or = "file",
     .options = LOOK,
     .result = RESULT_REPORT,
     .code_max = 1},
    {.name = "repair",
     .command = "extract",
     .title = "Repair almost-JSON",
     .description =
         "Returns the value of a text that is not quite JSON (quotes, commas, "
         "comments, literals of other languages, a missing end), with every "
         "repair that was made and its place.",
     .fixed = {"--report=json", "--compact", "--repair=syntax"},
     .inputs = {{"reply", INPUT_TEXT, NULL, false,
                 "the text that is almost JSON"},
                {"file", INPUT_PATH, NULL, false,
                 "a file that has the text, instead of reply"}},
     .either = "reply",
     .or = "file",
     .options = " certain partial ",
     .result = RESULT_REPORT,
     .code_max = 1},
    {.name = "validate",
     .command = "validate",
     .title = "Validate by JSON Schema",
     .description =
         "Validates a JSON value by a JSON Schema of draft 4 to 2020-12, and "
         "returns every error in the basic output format of JSON Schema.",
     .fixed = {"--output=basic"},
     .inputs = {{"schema", INPUT_CONTRACT, NULL, true,
                 "the schema itself, or the path of its file"},
                {"instance", INPUT_JSON, NULL, false, "the value"},
                {"file", INPUT_PATH, NULL, false,
                 "a file that has the value, instead of instance"}},
     .either = "instance",
     .or = "file",
     .options = " dialect assert-format resolve ",
     .result = RESULT_JSON,
     .code_max = 1},
    {.name = "render",
     .command = "render",
     .title = "Draw charts and write tables",
     .description =
         "Draws rows as a bar or line chart (PNG, SVG) or writes them as a "
         "table (csv, xlsx, html); or makes the charts and tables that a value "
         "asks for. Returns the paths of the files, and small PNG charts as "
         "images.",
     .fixed = {"--report=json", "--compact"},
     .inputs = {{"data", INPUT_ROWS, "data", false,
                 "rows to draw: an array of arrays, the first of them the "
                 "header, or an array of objects"},
                {"value", INPUT_JSON, NULL, false,
                 "a value that asks for its charts and tables, instead of "
                 "data"},
                {"contract", INPUT_CONTRACT, "contract", false,
                 "what value must satisfy: " CONTRACT_HELP}},
     .either = "data",
     .or = "value",
     .options = " chart table at x y series title name label format width "
                "height scale headers missing census out force ",
     .result = RESULT_REPORT,
     .code_max = 1,
     .writes = true},
    {.name = "prompt",
     .command = "prompt",
     .title = "Write a prompt for a contract",
     .description = "Returns a prompt with the instructions that make a model "
                    "answer as a contract asks for.",
     .inputs = {{"contract", INPUT_CONTRACT, "contract", true, CONTRACT_HELP},
                {"prompt", INPUT_TEXT, NULL, false,
                 "the task; without it, only an example or the instructions "
                 "can be asked for"}},
     .options = " style system native example ",
     .result = RESULT_TEXT,
     .code_max = 0},
    {.name = "contracts_list",
     .command = "contracts list",
     .title = "List contracts",
     .description = "Returns the contracts that have a name, with version, "
                    "title and source.",
     .fixed = {"--json"},
     .options = "",
     .result = RESULT_JSON,
     .member = "contracts",
     .code_max = 0},
    {.name = "contracts_show",
     .command = "contracts show",
     .title = "Show a contract",
     .description = "Returns the file of a contract as it is.",
     .inputs = {{"contract", INPUT_PATH, NULL, true,
                 "a name from contracts_list, or the path of a file"}},
     .options = "",
     .result = RESULT_TEXT,
     .code_max = 0},
    {.name = "contracts_lint",
     .command = "contracts lint",
     .title = "Find mistakes in a contract",
     .description =
         "Returns the errors and probable mistakes of a contract or a JSON "
         "Schema, with line and column.",
     .inputs = {{"contract", INPUT_CONTRACT, NULL, true, CONTRACT_HELP}},
     .options = " for all ",
     .result = RESULT_LINES,
     .code_max = 2},
    {.name = "contracts_diff",
     .command = "contracts diff",
     .title = "Compare two contracts",
     .description =
         "Returns what a new version of a contract breaks, for programs that "
         "read its values and for those that make them.",
     .fixed = {"--json"},
     .inputs = {{"old", INPUT_CONTRACT, NULL, true, CONTRACT_HELP},
                {"new", INPUT_CONTRACT, NULL, true, CONTRACT_HELP}},
     .options = " fail ",
     .result = RESULT_JSON,
     .code_max = 1},
};

const struct mcp_tool *mcp_tool_find(surety_str name)
{
    for (size_t i = 0; i < COUNT_OF(tools); i++)
        if (surety_str_equal(surety_str_of(tools[i].name), name))
            return &tools[i];
    return NULL;
}

static const struct option_row *options_of(const struct mcp_tool *tool)
{
    const struct command *row = commands;

    while (strcmp(row->name, tool->command) != 0) {
        row++;
        assert(row->name);
    }
    return row->options;
}

/* Returns whether a call may give the option. */
static bool is_offered(const struct mcp_tool *tool,
                       const struct option_row *row)
{
    char word[64];

    if (!row->name || row->kind == OPTION_SECTION)
        return false;
    snprintf(word, sizeof(word), " %s ", row->name);
    return strstr(tool->options, word) != NULL;
}

/* Appends the name of an option's member: words joined by "_". */
static void put_member(const struct option_row *row, surety_buf *out)
{
    for (const char *ptr = row->name; *ptr; ptr++)
        surety_buf_byte(out, *ptr == '-' ? '_' : *ptr);
}

/* ---- the list --------------------------------------------------------------
 */

/* Appends the schema of an option's argument. */
static void put_option_schema(const struct option_row *row, surety_buf *out)
{
    const char *choice = row->choices;

    assert(row->kind >= OPTION_TEXT || row->kind == OPTION_FLAG ||
           row->kind == OPTION_CHOICE);
    surety_buf_byte(out, '{');
    switch (row->kind) {
    case OPTION_FLAG: surety_buf_text(out, "\"type\":\"boolean\""); break;
    case OPTION_TEXT: surety_buf_text(out, "\"type\":\"string\""); break;
    case OPTION_TEXTS:
        surety_buf_text(out,
                        "\"type\":\"array\",\"items\":{\"type\":\"string\"}");
        break;
    case OPTION_NUMBER:
        put_format(out, "\"type\":\"integer\",\"minimum\":1,\"maximum\":%d",
                   row->value);
        break;
    case OPTION_CHOICE:
        surety_buf_text(out, "\"type\":\"string\",\"enum\":[");
        for (;;) {
            const size_t len = strcspn(choice, "|");
            surety_json_string(out, (surety_str){choice, len});
            if (choice[len] == '\0')
                break;
            surety_buf_byte(out, ',');
            choice += len + 1;
        }
        surety_buf_byte(out, ']');
        break;
    case OPTION_SET:
    case OPTION_COLOR:
    case OPTION_SECTION: break;
    }
    surety_json_text(out, "description", surety_str_of(row->help));
    surety_buf_byte(out, '}');
}

static void put_input_schema(const struct input *input, surety_buf *out)
{
    surety_buf_byte(out, '{');
    if (input->kind == INPUT_TEXT || input->kind == INPUT_PATH)
        surety_buf_text(out, "\"type\":\"string\"");
    else if (input->kind == INPUT_CONTRACT)
        surety_buf_text(out, "\"type\":[\"string\",\"object\",\"boolean\"]");
    surety_json_text(out, "description", surety_str_of(input->help));
    surety_buf_byte(out, '}');
}

/* Appends the schema of a tool's arguments. */
static void put_schema(const struct mcp_tool *tool, surety_buf *out)
{
    surety_buf member;
    bool has_required = false;

    surety_buf_init(&member, NULL, 0);
    surety_buf_text(out, "{\"type\":\"object\",\"properties\":{");
    for (const struct input *input = tool->inputs; input->kind; input++) {
        surety_json_name(out, input->name);
        put_input_schema(input, out);
    }
    for (const struct option_row *row = options_of(tool);
         row->name || row->help; row++) {
        if (!is_offered(tool, row))
            continue;
        surety_buf_reset(&member);
        put_member(row, &member);
        surety_buf_byte(&member, '\0');
        surety_json_name(out, member.ptr ? member.ptr : "");
        put_option_schema(row, out);
    }
    surety_buf_text(out, "},\"required\":[");
    for (const struct input *input = tool->inputs; input->kind; input++) {
        if (!input->is_required)
            continue;
        if (has_required)
            surety_buf_byte(out, ',');
        surety_json_string(out, surety_str_of(input->name));
        has_required = true;
    }
    surety_buf_text(out, "],\"additionalProperties\":false}");
    surety_buf_done(&member);
}

void mcp_tools_list(surety_buf *out)
{
    surety_json_name(out, "tools");
    surety_buf_byte(out, '[');
    for (size_t i = 0; i < COUNT_OF(tools); i++) {
        const struct mcp_tool *tool = &tools[i];
        surety_buf_text(out, i ? ",{" : "{");
        surety_json_text(out, "name", surety_str_of(tool->name));
        surety_json_text(out, "title", surety_str_of(tool->title));
        surety_json_text(out, "description", surety_str_of(tool->description));
        surety_json_name(out, "inputSchema");
        put_schema(tool, out);
        surety_json_name(out, "annotations");
        surety_buf_byte(out, '{');
        surety_json_bool(out, "readOnlyHint", !tool->writes);
        surety_json_bool(out, "openWorldHint", false);
        surety_buf_text(out, "}}");
    }
    surety_buf_byte(out, ']');
}

/* ---- the command line ------------------------------------------------------
 */

void mcp_command_init(struct mcp_command *command)
{
    *command = (struct mcp_command){.count = 0};
    surety_buf_init(&command->words, NULL, 0);
    surety_buf_init(&command->input, NULL, 0);
}

void mcp_command_done(struct mcp_command *command)
{
    surety_buf_done(&command->words);
    surety_buf_done(&command->input);
}

static void word_end(struct mcp_command *command)
{
    surety_buf_byte(&command->words, '\0');
    command->count++;
}

/* Appends words that are separated by spaces. */
static void put_words(struct mcp_command *command, const char *words)
{
    while (*words) {
        const size_t len = strcspn(words, " ");
        surety_buf_append(&command->words, words, len);
        word_end(command);
        words += len + (words[len] == ' ');
    }
}

/* Begins a word: "--NAME=". */
static void put_option(struct mcp_command *command, const char *name)
{
    put_format(&command->words, "--%s=", name);
}

static void put_given(struct mcp_command *command, const struct option_row *row,
                      surety_val given)
{
    if (row->kind == OPTION_FLAG) {
        if (!surety_val_bool(given, false))
            return;
        put_format(&command->words, "--%s", row->name);
    } else if (row->kind == OPTION_TEXTS) {
        for (surety_val item = surety_val_first(given); item.doc;
             item = surety_val_next(given, item)) {
            put_option(command, row->name);
            surety_buf_add(&command->words, surety_val_str(item));
            word_end(command);
        }
        return;
    } else {
        put_option(command, row->name);
        surety_buf_add(&command->words, row->kind == OPTION_NUMBER
                                            ? surety_val_number(given)
                                            : surety_val_str(given));
    }
    word_end(command);
}

/* Appends an input's word, and its text to standard input or the files. */
static void put_input(struct mcp_command *command, const struct input *input,
                      surety_val given, const char *folder)
{
    surety_buf *words = &command->words;
    const bool is_text = surety_val_kind(given) == SURETY_KIND_STRING;

    if (input->option)
        put_option(command, input->option);
    if (input->kind == INPUT_TEXT || input->kind == INPUT_JSON) {
        surety_buf_byte(words, '-');
        if (input->kind == INPUT_TEXT)
            surety_buf_add(&command->input, surety_val_str(given));
        else
            surety_val_write(given, SURETY_STYLE_COMPACT, &command->input);
    } else if (input->kind == INPUT_PATH ||
               (input->kind == INPUT_CONTRACT && is_text)) {
        surety_buf_add(words, surety_val_str(given));
    } else {
        assert(command->file_count < MCP_FILES_MAX);
        put_format(words, "%s/%s.json", folder, input->name);
        command->files[command->file_count++] =
            (struct mcp_file){input->name, given};
    }
    word_end(command);
}

/* Appends an error in the arguments, with its location in them. */
static void put_finding(const surety_finding *finding, size_t prefix,
                        surety_buf *errors)
{
    surety_str location = finding->instance_location;

    assert(location.len >= prefix);
    location = (surety_str){location.ptr + prefix, location.len - prefix};
    if (errors->len > 0)
        surety_buf_byte(errors, '\n');
    surety_buf_text(errors, "error[");
    surety_buf_add(errors, finding->keyword);
    surety_buf_text(errors, "]: ");
    surety_buf_add(errors, finding->message);
    if (location.len > 0) {
        surety_buf_text(errors, " (at ");
        surety_buf_add(errors, location);
        surety_buf_byte(errors, ')');
    }
    if (finding->hint.len > 0) {
        surety_buf_text(errors, "; hint: ");
        surety_buf_add(errors, finding->hint);
    }
}

/* Checks the arguments by the tool's schema. False: why is in errors. */
static bool check_schema(const struct mcp_tool *tool, surety_val arguments,
                         surety_buf *errors)
{
    surety_schema *schema = NULL;
    surety_checker *checker = surety_checker_new(NULL, NULL);
    surety_findings *findings = surety_findings_new(NULL);
    surety_error error = {.status = SURETY_NOMEM};
    bool is_valid = false;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    put_schema(tool, &text);
    if (checker && findings && text.status == SURETY_OK)
        error.status =
            surety_schema_read(surety_buf_str(&text), NULL, &schema, &error);
    if (error.status == SURETY_OK)
        error.status =
            surety_checker_check(checker, schema, arguments, &is_valid, &error);
    if (error.status == SURETY_OK && !is_valid)
        error.status =
            surety_checker_report(checker, schema, arguments, findings, &error);
    if (error.status != SURETY_OK)
        surety_buf_text(errors, error.status == SURETY_NOMEM ? "out of memory"
                                                             : error.message);
    /* Locations begin at the root of the message. */
    surety_buf_reset(&text);
    surety_val_pointer(arguments, &text);
    for (size_t i = 0; !is_valid && i < surety_findings_count(findings); i++) {
        const surety_finding finding = surety_findings_at(findings, i);

        if (finding.keyword.ptr)
            put_finding(&finding, text.len, errors);
    }
    surety_buf_done(&text);
    surety_schema_free(schema);
    surety_findings_free(findings);
    surety_checker_free(checker);
    return is_valid;
}

/* Checks what the schema does not say. */
static bool check_inputs(const struct mcp_tool *tool, surety_val arguments,
                         const struct mcp_command *command, surety_buf *errors)
{
    const surety_buf *words = &command->words;
    size_t ends = 0;

    if (tool->either && (surety_val_get(arguments, tool->either).doc != NULL) ==
                            (surety_val_get(arguments, tool->or).doc != NULL)) {
        put_format(errors, "give either %s or %s", tool->either, tool->or);
        return false;
    }
    for (size_t i = 0; i < words->len; i++)
        ends += words->ptr[i] == '\0';
    if (ends != command->count) {
        surety_buf_text(errors, "an option has a NUL character (U+0000)");
        return false;
    }
    if (words->status || command->input.status) {
        surety_buf_text(errors, "out of memory");
        return false;
    }
    return true;
}

/* Appends what the arguments give, options first. */
static void put_arguments(const struct mcp_tool *tool, surety_val arguments,
                          const char *folder, struct mcp_command *command)
{
    surety_buf member;

    surety_buf_init(&member, NULL, 0);
    for (const struct option_row *row = options_of(tool);
         row->name || row->help; row++) {
        surety_val given;
        if (!is_offered(tool, row))
            continue;
        surety_buf_reset(&member);
        put_member(row, &member);
        given = surety_val_member(arguments, surety_buf_str(&member));
        if (given.doc)
            put_given(command, row, given);
    }
    surety_buf_done(&member);
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1)
            put_words(command, "--");
        for (const struct input *input = tool->inputs; input->kind; input++) {
            const surety_val given = surety_val_get(arguments, input->name);
            if (given.doc && (input->option == NULL) == (pass == 1))
                put_input(command, input, given, folder);
        }
    }
}

bool mcp_command_make(const struct mcp_tool *tool, surety_val arguments,
                      const struct mcp_world *world,
                      struct mcp_command *command, surety_buf *errors)
{
    if (!check_schema(tool, arguments, errors))
        return false;
    put_words(command, "surety");
    put_words(command, tool->command);
    for (size_t i = 0; i < COUNT_OF(tool->fixed) && tool->fixed[i]; i++)
        put_words(command, tool->fixed[i]);
    for (size_t i = 0; i < world->limits->count; i++) {
        put_option(command, "limit");
        surety_buf_text(&command->words, world->limits->items[i]);
        word_end(command);
    }
    put_arguments(tool, arguments, world->folder, command);
    return check_inputs(tool, arguments, command, errors);
}

/* ---- results ---------------------------------------------------------------
 */

static void put_text(surety_str text, bool is_error, surety_buf *out)
{
    surety_json_name(out, "content");
    surety_buf_text(out, "[{\"type\":\"text\"");
    surety_json_text(out, "text", text);
    surety_buf_text(out, "}]");
    surety_json_bool(out, "isError", is_error);
}

void mcp_tool_failure(surety_str text, surety_buf *out)
{
    put_text(text, true, out);
}

/* Appends bytes in base64 (RFC 4648, section 4). */
static void put_base64(surety_str bytes, surety_buf *out)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < bytes.len; i += 3) {
        const unsigned char *ptr = (const unsigned char *)bytes.ptr + i;
        const size_t left = bytes.len - i;
        const unsigned group = (unsigned)ptr[0] << 16 |
                               (left > 1 ? (unsigned)ptr[1] << 8 : 0) |
                               (left > 2 ? (unsigned)ptr[2] : 0);
        surety_buf_byte(out, letters[group >> 18]);
        surety_buf_byte(out, letters[group >> 12 & 63]);
        surety_buf_byte(out, left > 1 ? letters[group >> 6 & 63] : '=');
        surety_buf_byte(out, left > 2 ? letters[group & 63] : '=');
    }
}

/* Appends the PNG charts among a rendering's outputs as images, up to a size
 * that a conversation can carry. */
static void put_images(surety_val report, surety_buf *out)
{
    static const struct input_bound bound = {1 << 20, NULL};
    const surety_val outputs = surety_val_get(report, "outputs");

    for (surety_val item = surety_val_first(outputs); item.doc;
         item = surety_val_next(outputs, item)) {
        const surety_str path = surety_val_str(surety_val_get(item, "file"));
        surety_str bytes = NO_TEXT;
        surety_error error;
        surety_buf name;

        if (path.len < 4 || memcmp(path.ptr + path.len - 4, ".png", 4) != 0)
            continue;
        surety_buf_init(&name, NULL, 0);
        surety_buf_add(&name, path);
        surety_buf_byte(&name, '\0');
        if (name.status == SURETY_OK &&
            input_read(name.ptr, bound, &bytes, &error) == SURETY_OK) {
            surety_buf_text(out, ",{\"type\":\"image\","
                                 "\"mimeType\":\"image/png\",\"data\":\"");
            put_base64(bytes, out);
            surety_buf_text(out, "\"}");
        }
        free((char *)bytes.ptr);
        surety_buf_done(&name);
    }
}

/* Appends the structured result: an object. The reply that a report repeats is
 * left out, because the client has it. */
static void put_structured(const struct mcp_tool *tool, surety_val value,
                           surety_buf *out)
{
    surety_buf_byte(out, '{');
    if (tool->member) {
        surety_json_value(out, tool->member, value);
    } else {
        for (surety_val child = surety_val_first(value); child.doc;
             child = surety_val_next(value, child)) {
            const surety_val key = surety_val_key(child);
            if (surety_val_is(key, "raw"))
                continue;
            if (out->ptr && out->ptr[out->len - 1] != '{')
                surety_buf_byte(out, ',');
            surety_json_string(out, surety_val_str(key));
            surety_buf_byte(out, ':');
            surety_val_write(child, SURETY_STYLE_COMPACT, out);
        }
    }
    surety_buf_byte(out, '}');
}

/* Appends the result of a command that wrote JSON. False: it did not. */
static bool put_json(const struct mcp_tool *tool, surety_str text,
                     bool is_error, surety_buf *out)
{
    surety_doc *doc = surety_doc_new(NULL);
    const bool is_read =
        doc && surety_doc_read(doc, text, NULL, NULL) == SURETY_OK;
    surety_buf structured;

    if (is_read) {
        const surety_val root = surety_doc_root(doc);
        surety_buf_init(&structured, NULL, 0);
        put_structured(tool, root, &structured);
        surety_json_name(out, "content");
        surety_buf_text(out, "[{\"type\":\"text\"");
        surety_json_text(out, "text", surety_buf_str(&structured));
        surety_buf_byte(out, '}');
        put_images(root, out);
        surety_buf_byte(out, ']');
        surety_json_name(out, "structuredContent");
        surety_buf_add(out, surety_buf_str(&structured));
        surety_json_bool(out, "isError", is_error);
        surety_buf_done(&structured);
    }
    surety_doc_free(doc);
    return is_read;
}

void mcp_tool_result(const struct mcp_tool *tool,
                     const struct mcp_output *output, surety_buf *out)
{
    const bool is_error = output->code > tool->code_max;

    assert(output->failure || output->code >= 0);
    if (output->failure) {
        mcp_tool_failure(surety_str_of(output->failure), out);
        return;
    }
    switch (tool->result) {
    case RESULT_REPORT:
        if (!put_json(tool, output->err, is_error, out))
            mcp_tool_failure(output->err, out);
        return;
    case RESULT_JSON:
        if (!put_json(tool, output->out, is_error, out))
            mcp_tool_failure(output->err, out);
        return;
    case RESULT_TEXT:
        put_text(is_error ? output->err : output->out, is_error, out);
        return;
    case RESULT_LINES: put_text(output->err, is_error, out);
    }
}
