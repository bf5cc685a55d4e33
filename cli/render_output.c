/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one output after the other in memory, and saves each completely or not
 * at all. Each is tried even if the one before failed, and has a line of text
 * or an item of the report. The folder is created if it does not exist. */
#include "render_output.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- messages ------------------------------------------------------------ */

static void put_error(surety_buf *out, const surety_error *error)
{
    surety_buf_byte(out, '{');
    surety_json_text(out, "message", surety_str_of(error->message));
    surety_json_name(out, "hint");
    if (error->hint[0])
        surety_json_string(out, surety_str_of(error->hint));
    else
        surety_buf_text(out, "null");
    surety_json_text(out, "at", surety_str_of(error->path));
    surety_buf_byte(out, '}');
}

/* Appends the lines of a text as an array of strings. */
static void put_lines(surety_buf *out, surety_str text)
{
    const char *before = "";

    surety_buf_byte(out, '[');
    for (; text.len > 0; before = ",") {
        surety_buf_text(out, before);
        surety_json_string(out, cli_line(&text));
    }
    surety_buf_byte(out, ']');
}

static void put_item_json(struct render_output *output,
                          const surety_render_item *item, surety_str path,
                          size_t bytes, const surety_error *error)
{
    surety_buf *out = &output->outputs;

    if (out->len > 0)
        surety_buf_byte(out, ',');
    surety_buf_byte(out, '{');
    surety_json_text(out, "kind",
                     surety_str_of(item->is_table ? "table" : "chart"));
    surety_json_text(out, "type", item->type);
    surety_json_text(out, "title", item->title);
    surety_json_text(out, "at", item->at);
    surety_json_name(out, "file");
    if (error) {
        surety_buf_text(out, "null");
    } else {
        surety_json_string(out, path);
        surety_json_number(out, "bytes", bytes);
    }
    surety_json_name(out, "notes");
    put_lines(out, item->note);
    surety_json_name(out, "error");
    if (error)
        put_error(out, error);
    else
        surety_buf_text(out, "null");
    surety_buf_byte(out, '}');
}

/* Appends the name of an output for messages: its type and title, or its
 * file. */
static void put_subject(surety_buf *out, const surety_render_item *item)
{
    surety_str title = item->title;

    if (title.len > 80)
        title.len = 80;
    while (title.len > 0 && title.len < item->title.len &&
           ((unsigned char)title.ptr[title.len] & 0xC0) == 0x80)
        title.len--;
    put_format(out, "%s %s", item->is_table ? "table" : "chart",
               title.len > 0 ? "\"" : "");
    put_safe(out, title);
    surety_buf_text(out, title.len < item->title.len ? "...\"" : "\"");
}

static void put_item_text(struct render_output *output,
                          const surety_render_item *item, surety_str path,
                          const surety_error *error, int code)
{
    surety_buf *err = &output->cli->err.buf;
    surety_str notes = item->note;

    if (error) {
        surety_buf subject;
        surety_buf_init(&subject, NULL, 0);
        if (item->title.len > 0)
            put_subject(&subject, item);
        else
            put_safe(&subject, item->name);
        surety_buf_byte(&subject, '\0');
        cli_report(output->cli, code, subject.ptr ? subject.ptr : "", NO_TEXT,
                   error);
        surety_buf_done(&subject);
    } else if (!output->quiet && path.len > 0) {
        put_safe_line(err, "wrote ", path);
    }
    while (notes.len > 0 && !output->quiet)
        put_safe_line(err, "      = ", cli_line(&notes));
}

/* ---- making outputs ------------------------------------------------------ */

/* Creates the folder if it does not exist. */
static bool make_folder(struct render_output *output)
{
    struct stat about;

    if (stat(output->folder, &about) == 0 && S_ISDIR(about.st_mode))
        return true;
    if (mkdir(output->folder, 0777) == 0)
        return true;
    cli_fail(output->cli, CODE_WORLD,
             errno == ENOENT ? "the folder above it is not there either" : NULL,
             "the folder %s cannot be made: %s", output->folder,
             errno == EEXIST ? "it is a file" : strerror(errno));
    output->failed++;
    return false;
}

static surety_status save(struct render_output *output, surety_str name,
                          surety_str bytes, int *ret_code, surety_error *error)
{
    surety_status status;

    if (strcmp(output->folder, "-") == 0) {
        output_write(&output->cli->out, bytes);
        return SURETY_OK;
    }
    status = surety_file_save(surety_str_of(output->folder), name, bytes,
                              output->force, error);
    *ret_code = CODE_WORLD;
    if (status == SURETY_MISUSE) {
        static const char hint[] = "--force replaces it; --out names another "
                                   "folder";
        memcpy(error->hint, hint, sizeof(hint));
    }
    return status;
}

/* An error's path is a path in the value, which the user of --data has never
 * seen. So a path in the data becomes a path in the user's file, and for other
 * parts, which come from the options, no path is shown. */
static void settle_location(const struct render_output *output,
                            surety_error *error)
{
    static const char data[] = "/data";
    char rest[sizeof(error->path)];

    error->position.line = 0;
    if (!output->data_at)
        return;
    if (strncmp(error->path, data, sizeof(data) - 1) != 0) {
        error->path[0] = '\0';
        return;
    }
    memcpy(rest, error->path, sizeof(rest));
    snprintf(error->path, sizeof(error->path), "%s%s", output->data_at,
             rest + sizeof(data) - 1);
}

static void make_one(struct render_output *output, surety_rendering *rendering,
                     size_t i)
{
    surety_render_item item;
    surety_error error;
    surety_status status;
    surety_buf bytes;
    surety_buf path;
    int code;

    assert(output->folder);
    surety_buf_init(&bytes, NULL, 0);
    surety_buf_init(&path, NULL, 0);
    status = surety_rendering_draw(rendering, i, &bytes, &error);
    code = status == SURETY_UNSUPPORTED ? CODE_USAGE
                                        : cli_code_of(status, CODE_INVALID);
    item = surety_rendering_item(rendering, i);
    if (status == SURETY_OK)
        status = save(output, item.name, surety_buf_str(&bytes), &code, &error);
    if (status == SURETY_OK && strcmp(output->folder, "-") != 0) {
        if (strcmp(output->folder, ".") != 0) {
            surety_buf_text(&path, output->folder);
            if (path.len > 0 && path.ptr[path.len - 1] != '/')
                surety_buf_byte(&path, '/');
        }
        surety_buf_add(&path, item.name);
    }
    if (status != SURETY_OK) {
        settle_location(output, &error);
        output->failed++;
        cli_raise(output->cli, code);
    }
    if (output->is_json)
        put_item_json(output, &item, surety_buf_str(&path), bytes.len,
                      status == SURETY_OK ? NULL : &error);
    else
        put_item_text(output, &item, surety_buf_str(&path),
                      status == SURETY_OK ? NULL : &error, code);
    surety_buf_done(&bytes);
    surety_buf_done(&path);
    output_flush(&output->cli->err);
}

/* Returns whether an output is selected; charts and tables are numbered
 * separately. */
static bool is_wanted(const struct render_output *output, bool is_table,
                      size_t number)
{
    if (!output->only)
        return true;
    return number == (is_table ? output->table_only : output->chart_only);
}

static bool check_number(struct render_output *output, const char *kind,
                         size_t number, size_t count)
{
    return number <= count ||
           cli_usage(output->cli, NULL, "--%s %zu: the value asks for %zu %s%s",
                     kind, number, count, kind, count == 1 ? "" : "s");
}

void render_output_all(struct render_output *output,
                       surety_rendering *rendering)
{
    const size_t count = surety_rendering_count(rendering);
    size_t numbers[2] = {0, 0};
    size_t wanted = 0;

    for (size_t i = 0; i < count; i++) {
        const bool is_table = surety_rendering_item(rendering, i).is_table;
        wanted += is_wanted(output, is_table, ++numbers[is_table]);
    }
    if (!check_number(output, "chart", output->chart_only, numbers[0]) ||
        !check_number(output, "table", output->table_only, numbers[1])) {
        output->failed++;
        return;
    }
    if (strcmp(output->folder, "-") == 0 && wanted != 1) {
        cli_usage(output->cli, "choose one with --chart N or --table N",
                  "--out - is for one output, and there are %zu", wanted);
        output->failed++;
        return;
    }
    if (wanted > 0 && strcmp(output->folder, "-") != 0 && !make_folder(output))
        return;
    numbers[0] = numbers[1] = 0;
    for (size_t i = 0; i < count; i++) {
        const bool is_table = surety_rendering_item(rendering, i).is_table;
        if (is_wanted(output, is_table, ++numbers[is_table]))
            make_one(output, rendering, i);
    }
    if (count == 0 && !output->quiet && !output->is_json)
        surety_buf_text(&output->cli->err.buf,
                        "the value asks for no chart and no table\n");
}

void render_output_fail(struct render_output *output, int code,
                        const char *source, const surety_error *error)
{
    surety_error shown = *error;

    shown.position.line = 0;
    output->failed++;
    cli_report(output->cli, code, source, NO_TEXT, &shown);
}

void render_output_done(struct render_output *output, surety_str reply)
{
    surety_buf *err = &output->cli->err.buf;
    const size_t start = err->len;

    if (output->is_json && !output->quiet) {
        surety_buf_byte(err, '{');
        surety_json_bool(
            err, "ok", output->failed == 0 && output->cli->code == CODE_VALID);
        surety_json_name(err, "reply");
        if (reply.len > 0)
            surety_buf_add(err, reply);
        else
            surety_buf_text(err, "null");
        surety_json_name(err, "outputs");
        surety_buf_byte(err, '[');
        surety_buf_add(err, surety_buf_str(&output->outputs));
        surety_buf_text(err, "]}\n");
        surety_json_shown(err, start);
    }
    surety_buf_done(&output->outputs);
}
