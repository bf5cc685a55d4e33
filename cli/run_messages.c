/* SPDX-License-Identifier: Apache-2.0 */
/* The conversation of surety run. What was left out of a file or repaired is
 * written as a note, unless the run is quiet. */
#include "run_messages.h"

#include <stdlib.h>
#include <string.h>

/* A conversation that is being put together. */
struct intake {
    struct cli *cli;
    surety_conversation *conversation;
    size_t notes; /* that are written already */
    bool quiet;
};

static void intake_notes(struct intake *intake, const char *source)
{
    surety_conversation_note note;

    for (; surety_conversation_note_at(intake->conversation, intake->notes,
                                       &note);
         intake->notes++) {
        surety_buf *out = &intake->cli->err.buf;

        if (intake->quiet)
            continue;
        put_safe(out, surety_str_of(source));
        put_format(out, ": note[%s]: ", note.rule);
        put_safe(out, note.text);
        if (note.location.len > 0)
            put_safe_line(out, " at ", note.location);
        else
            surety_buf_byte(out, '\n');
    }
}

static bool intake_add(struct intake *intake, surety_role role,
                       const surety_part *parts, size_t count)
{
    const surety_message message = {role, parts, count};
    surety_error error;
    const surety_status status =
        surety_conversation_add(intake->conversation, &message, &error);

    if (status == SURETY_OK)
        return true;
    return cli_fail_error(intake->cli, cli_code_of(status, CODE_USAGE), &error);
}

/* The messages of --messages. */
static bool intake_file(struct intake *intake, const char *path)
{
    struct cli *cli = intake->cli;
    surety_str text;
    surety_error error;
    surety_status status;

    if (!path)
        return true;
    if (!cli_read(cli, path, input_text(&cli->limits), CODE_USAGE, &text))
        return false;
    status = surety_conversation_read(intake->conversation, text, &error);
    if (status == SURETY_OK)
        status = surety_conversation_repair(intake->conversation, &error);
    if (status != SURETY_OK)
        cli_report(cli, cli_code_of(status, CODE_USAGE), input_name(path), text,
                   &error);
    else
        intake_notes(intake, input_name(path));
    free((char *)text.ptr);
    return status == SURETY_OK;
}

/* One --message: ROLE=TEXT or ROLE=@FILE. */
static bool intake_message(struct intake *intake, const char *given)
{
    static const char hint[] = "such as --message assistant=Yes. or "
                               "--message user=@question.txt";
    surety_part part = {.kind = SURETY_PART_TEXT};
    const char *text = strchr(given, '=');
    surety_role role = SURETY_ROLE_SYSTEM;
    char *read = NULL;
    bool is_added;

    while (text && role < SURETY_ROLE_TOOL) {
        const char *name = surety_role_name(role);

        if ((size_t)(text - given) == strlen(name) &&
            strncmp(given, name, strlen(name)) == 0)
            break;
        role++;
    }
    if (!text || role == SURETY_ROLE_TOOL)
        return cli_usage(intake->cli, hint,
                         "--message begins with system=, user= or assistant=");
    if (!cli_text(intake->cli, text + 1, false, &part.text, &read))
        return false;
    is_added = intake_add(intake, role, &part, 1);
    free(read);
    return is_added;
}

/* ---- media --------------------------------------------------------------- */

static bool medium_is_url(const char *given)
{
    return strncmp(given, "https://", 8) == 0 ||
           strncmp(given, "http://", 7) == 0;
}

/* Gives the part of a file or URL. Its bytes are for the caller to free. */
static bool medium_read(struct cli *cli, const char *given, bool is_image,
                        surety_part *ret_part)
{
    const struct input_bound bound = {cli->limits.media_bytes_max,
                                      "media_bytes_max"};
    const char *slash = strrchr(given, '/');
    surety_str bytes;
    surety_error error;
    surety_status status;

    *ret_part = (surety_part){.kind = is_image ? SURETY_PART_IMAGE
                                               : SURETY_PART_DOCUMENT};
    if (medium_is_url(given)) {
        ret_part->url = surety_str_of(given);
        return true;
    }
    if (!cli_read(cli, given, bound, CODE_USAGE, &bytes))
        return false;
    status = surety_part_of_file(
        bytes, surety_str_of(slash ? slash + 1 : given), ret_part, &error);
    if (status == SURETY_OK &&
        (!is_image || ret_part->kind == SURETY_PART_IMAGE))
        return true;
    if (status != SURETY_OK)
        cli_report(cli, CODE_USAGE, given, NO_TEXT, &error);
    else
        cli_usage(cli, "give it with --file", "--image: %s is of the type %.*s",
                  given, (int)ret_part->media_type.len,
                  ret_part->media_type.ptr);
    free((char *)bytes.ptr);
    return false;
}

/* One message with all images and files. */
static bool intake_media(struct intake *intake,
                         const struct messages_settings *settings)
{
    const size_t count = settings->images.count + settings->files.count;
    surety_part *parts;
    size_t made = 0;
    bool is_added = true;

    if (count == 0)
        return true;
    parts = calloc(count, sizeof(*parts));
    if (!parts)
        return cli_nomem(intake->cli);
    for (; made < count && is_added; made += is_added) {
        const bool is_image = made < settings->images.count;
        const char *given =
            is_image ? settings->images.items[made]
                     : settings->files.items[made - settings->images.count];

        is_added = medium_read(intake->cli, given, is_image, &parts[made]);
    }
    if (is_added)
        is_added = intake_add(intake, SURETY_ROLE_USER, parts, count);
    for (size_t i = 0; i < made; i++)
        free((char *)parts[i].data.ptr);
    free(parts);
    return is_added;
}

/* ---- all ----------------------------------------------------------------- */

bool run_messages_given(const struct messages_settings *settings)
{
    return settings->file || settings->messages.count > 0;
}

static bool messages_new(struct cli *cli, surety_conversation **ret)
{
    const surety_conversation_options options = {.size = sizeof(options),
                                                 .limits = &cli->limits};
    surety_error error;

    return surety_conversation_new(&options, ret, &error) == SURETY_OK ||
           cli_fail_error(cli, CODE_WORLD, &error);
}

bool run_messages_read(struct cli *cli,
                       const struct messages_settings *settings,
                       surety_conversation **ret_conversation)
{
    struct intake intake = {.cli = cli, .quiet = settings->quiet};
    bool is_read;

    *ret_conversation = NULL;
    if (!run_messages_given(settings) && settings->images.count == 0 &&
        settings->files.count == 0)
        return true;
    if (!messages_new(cli, &intake.conversation))
        return false;
    is_read = intake_file(&intake, settings->file);
    for (size_t i = 0; i < settings->messages.count && is_read; i++)
        is_read = intake_message(&intake, settings->messages.items[i]);
    if (is_read)
        is_read = intake_media(&intake, settings);
    *ret_conversation = intake.conversation;
    return is_read;
}

bool run_messages_save(struct cli *cli, const surety_run *run, const char *path)
{
    struct intake intake = {.cli = cli};
    const surety_message *messages;
    surety_error error;
    surety_buf out;
    size_t count;
    bool is_saved = true;

    if (!path)
        return true;
    if (!messages_new(cli, &intake.conversation))
        return false;
    surety_buf_init(&out, NULL, 0);
    messages = surety_run_messages(run, &count);
    for (size_t i = 0; i < count && is_saved; i++)
        is_saved = intake_add(&intake, messages[i].role, messages[i].parts,
                              messages[i].part_count);
    if (is_saved &&
        surety_conversation_write(intake.conversation, &out) != SURETY_OK)
        is_saved = cli_nomem(cli);
    if (is_saved && surety_file_write(surety_str_of(path), surety_buf_str(&out),
                                      true, &error) != SURETY_OK)
        is_saved = cli_fail_error(cli, CODE_WORLD, &error);
    surety_buf_done(&out);
    surety_conversation_free(intake.conversation);
    return is_saved;
}
