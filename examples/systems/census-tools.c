/* SPDX-License-Identifier: Apache-2.0 */
/* The tools of the census agent are calls of the Census API, from a tools file.
 * The API cannot search its lists, which are long. So where a call has the
 * argument `words`, the model gets what has all of them, a line each. A busy
 * API is asked again, after a second and after two. */
#include "census.h"

#include <string.h>
#include <time.h>

enum { LINES_MAX = 60, TRIES = 3 };

/* ---- lists --------------------------------------------------------------- */

static int lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte;
}

static bool has_word(surety_str text, surety_str word)
{
    for (size_t i = 0; i + word.len <= text.len; i++) {
        size_t k = 0;

        while (k < word.len && lower(text.ptr[i + k]) == lower(word.ptr[k]))
            k++;
        if (k == word.len)
            return true;
    }
    return false;
}

static bool has_words(surety_str text, surety_str words)
{
    bool has = true;

    for (size_t i = 0, start = 0; i <= words.len && has; i++)
        if (i == words.len || words.ptr[i] == ' ') {
            has = has_word(text, (surety_str){words.ptr + start, i - start});
            start = i + 1;
        }
    return has;
}

/* The list of a result: of tables, variables, levels; or of areas, the whole.
 */
static surety_val list_of(surety_val root)
{
    static const char *const names[] = {"groups", "variables", "fips"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (surety_val_get(root, names[i]).doc)
            return surety_val_get(root, names[i]);
    return root;
}

/* Appends what a list has with all words: items, or members with their keys. A
 * list of rows begins with its header. */
static void find(surety_val list, surety_str words, surety_buf *out)
{
    const surety_val head = surety_val_first(list);
    size_t found = 0;
    surety_buf line;

    surety_buf_init(&line, NULL, 0);
    SURETY_EACH (entry, list) {
        surety_buf_reset(&line);
        if (surety_val_kind(list) == SURETY_KIND_OBJECT) {
            surety_buf_add(&line, surety_val_str(surety_val_key(entry)));
            surety_buf_text(&line, ": ");
        }
        surety_val_write(entry, SURETY_STYLE_COMPACT, &line);
        surety_buf_byte(&line, '\n');
        if (line.status)
            out->status = line.status;
        if ((surety_val_kind(entry) == SURETY_KIND_ARRAY &&
             entry.index == head.index) ||
            (has_words(surety_buf_str(&line), words) && ++found <= LINES_MAX))
            surety_buf_add(out, surety_buf_str(&line));
    }
    surety_buf_done(&line);
    surety_buf_number(out, found);
    surety_buf_text(out, found > LINES_MAX ? " have all words; give more words"
                                           : " have all words");
}

/* ---- calls --------------------------------------------------------------- */

static bool is_busy(const surety_tool_result *got)
{
    return got->failure == SURETY_TOOL_FAILED &&
           (strncmp(got->message.ptr, "HTTP status 429", 15) == 0 ||
            strncmp(got->message.ptr, "HTTP status 503", 15) == 0);
}

/* What the model calls: the tool of the file with the same name. */
static surety_status call_api(void *ctx, const surety_tool_call *call,
                              surety_buf *result, surety_error *err)
{
    const struct census_tools *tools = ctx;
    const surety_val words = surety_val_get(call->arguments, "words");
    const surety_tool_result *got = NULL;
    surety_status status = SURETY_OK;
    surety_doc *doc;

    for (int i = 0; i < TRIES && !status && (!got || is_busy(got)); i++) {
        const struct timespec delay = {.tv_sec = i};

        nanosleep(&delay, NULL);
        status = surety_tools_call(tools->calls, call->tool, call->text, NULL,
                                   &got, err);
    }
    if (status)
        return status;
    if (got->failure) {
        snprintf(err->message, sizeof(err->message), "%.*s%s",
                 (int)got->message.len, got->message.ptr,
                 got->failure == SURETY_TOOL_RESULT
                     ? "; the Census API gives nothing where it has no rows, "
                       "and a page where it refuses the key"
                     : "");
        return SURETY_IO;
    }
    if (!words.doc) {
        surety_buf_add(result, got->text);
        return SURETY_OK;
    }
    doc = surety_doc_new(NULL);
    status = doc ? surety_doc_read(doc, got->text, NULL, err) : SURETY_NOMEM;
    if (!status)
        find(list_of(surety_doc_root(doc)), surety_val_str(words), result);
    surety_doc_free(doc);
    return status;
}

/* ---- opening ------------------------------------------------------------- */

static surety_status read_file(const char *name, surety_buf *out,
                               surety_error *err)
{
    FILE *file = fopen(name, "rb");
    char bytes[8192];
    size_t len;

    while (file && (len = fread(bytes, 1, sizeof(bytes), file)) > 0)
        surety_buf_append(out, bytes, len);
    if (file && !ferror(file) && !fclose(file))
        return out->status;
    snprintf(err->message, sizeof(err->message), "%s cannot be read", name);
    return err->status = SURETY_IO;
}

surety_status census_tools_open(const char *file, struct census_tools *tools,
                                surety_error *err)
{
    surety_buf text;
    surety_status status;

    surety_buf_init(&text, NULL, 0);
    status = read_file(file, &text, err);
    if (!status)
        status = surety_tools_new(NULL, &tools->calls, err);
    if (!status)
        status = surety_tools_read(tools->calls, surety_buf_str(&text), STR(""),
                                   err);
    if (!status)
        status = surety_tools_new(NULL, &tools->offered, err);
    for (size_t i = 0; !status && i < surety_tools_count(tools->calls); i++) {
        const surety_tool_info *info = surety_tools_info(tools->calls, i);
        const surety_tool tool = {.size = sizeof(tool),
                                  .name = info->name,
                                  .description = info->description,
                                  .parameters = info->parameters,
                                  .call = call_api,
                                  .ctx = tools,
                                  .result_bytes_max = 1 << 20};

        status = surety_tools_add(tools->offered, &tool, err);
    }
    surety_buf_done(&text);
    return status;
}

void census_tools_close(struct census_tools *tools)
{
    surety_tools_free(tools->offered);
    surety_tools_free(tools->calls);
}
