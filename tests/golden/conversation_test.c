/* SPDX-License-Identifier: Apache-2.0 */
/* Conversations of every dialect, and the messages that they come to: read by a
 * person.
 *
 *     conversation_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND".
 *
 *     === shape         what is shown
 *     === read WHAT     a conversation as JSON; WHAT names its dialect
 *     === messages      the messages of the one before, in our own form, and
 *                       below them the notes
 *     === same          whether the last conversation has the messages of the
 *                       first, apart from what goes back to a provider: those
 *                       items, a line each, or else all messages
 *     === repaired      messages and notes after a repair
 *     === mistakes      a conversation a line; below each, behind two blanks,
 *                       what is wrong with it, or "holds"
 *
 * What is written in our own form is read again, and must be the same. With
 * --update the expectations are written anew, to be read before they are
 * believed. */
#include <surety-run.h>

#include "golden/cases.h"

#include <stdlib.h>
#include <string.h>

struct talk {
    surety_conversation *first, *last;
    surety_buf *out;
};

static surety_conversation *talk_new(void)
{
    surety_conversation *conversation = NULL;

    if (surety_conversation_new(NULL, &conversation, NULL))
        golden_die("no memory", "");
    return conversation;
}

/* ---- what is shown ------------------------------------------------------- */

static void put_notes(surety_buf *out, const surety_conversation *conversation)
{
    surety_conversation_note note;

    for (size_t i = 0; surety_conversation_note_at(conversation, i, &note);
         i++) {
        surety_buf_text(out, "note ");
        surety_buf_text(out, note.rule);
        surety_buf_text(out, " at message ");
        surety_buf_number(out, note.message + 1);
        if (note.location.len > 0)
            surety_buf_byte(out, ' ');
        surety_buf_add(out, note.location);
        surety_buf_text(out, ": ");
        surety_buf_add(out, note.text);
        surety_buf_byte(out, '\n');
    }
}

/* Writes the messages, reads them again, and writes those: the same. */
static bool put_messages(surety_buf *out,
                         const surety_conversation *conversation)
{
    surety_conversation *again = talk_new();
    const size_t start = out->len;
    surety_buf written;
    surety_error error;
    bool holds = true;

    surety_buf_init(&written, NULL, 0);
    surety_conversation_write(conversation, out);
    if (surety_conversation_read(
            again, (surety_str){out->ptr + start, out->len - start}, &error)) {
        surety_buf_text(out, "NOT READ AGAIN\n");
        golden_error(out, &error);
        holds = false;
    } else {
        surety_conversation_write(again, &written);
        holds =
            surety_str_equal(surety_buf_str(&written),
                             (surety_str){out->ptr + start, out->len - start});
        if (!holds)
            surety_buf_text(out, "NOT THE SAME WHEN READ AGAIN\n");
    }
    surety_buf_done(&written);
    surety_conversation_free(again);
    return holds;
}

static void put_raw(surety_buf *out, size_t message, const surety_part *part)
{
    surety_buf_text(out, "raw of message ");
    surety_buf_number(out, message + 1);
    surety_buf_byte(out, ' ');
    surety_buf_text(out, surety_protocol_name(part->raw_protocol));
    surety_buf_byte(out, ' ');
    surety_buf_add(out, part->raw);
    surety_buf_byte(out, '\n');
}

/* The messages without what only one provider understands. */
static void put_bare(surety_buf *out, const surety_conversation *conversation)
{
    size_t count;
    const surety_message *messages =
        surety_conversation_messages(conversation, &count);
    surety_conversation *bare = talk_new();

    for (size_t i = 0; i < count; i++) {
        surety_part parts[64];
        surety_message message = messages[i];

        if (message.part_count > 64)
            golden_die("a message has too many parts", "");
        for (size_t k = 0; k < message.part_count; k++) {
            parts[k] = message.parts[k];
            parts[k].raw = (surety_str){NULL, 0};
        }
        message.parts = parts;
        if (surety_conversation_add(bare, &message, NULL))
            golden_die("a message cannot be added again", "");
    }
    surety_conversation_write(bare, out);
    surety_conversation_free(bare);
}

static void put_same(const struct talk *talk)
{
    size_t count;
    const surety_message *messages =
        surety_conversation_messages(talk->last, &count);
    surety_buf first, last;

    surety_buf_init(&first, NULL, 0);
    surety_buf_init(&last, NULL, 0);
    put_bare(&first, talk->first);
    put_bare(&last, talk->last);
    if (surety_str_equal(surety_buf_str(&first), surety_buf_str(&last))) {
        surety_buf_text(talk->out, "the same\n");
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < messages[i].part_count; k++)
                if (messages[i].parts[k].raw.len > 0)
                    put_raw(talk->out, i, &messages[i].parts[k]);
    } else {
        surety_conversation_write(talk->last, talk->out);
    }
    put_notes(talk->out, talk->last);
    surety_buf_done(&first);
    surety_buf_done(&last);
}

/* ---- the sections -------------------------------------------------------- */

static void take_read(struct talk *talk, const struct golden_section *section)
{
    surety_error error;

    if (talk->last != talk->first)
        surety_conversation_free(talk->last);
    talk->last = talk_new();
    if (surety_conversation_read(talk->last, section->body, &error))
        golden_die("a conversation cannot be read", error.message);
    if (!talk->first)
        talk->first = talk->last;
}

static void put_mistakes(surety_buf *out, surety_str lines)
{
    surety_error error;
    surety_str line;

    while (golden_line(&lines, &line)) {
        surety_conversation *conversation;
        surety_str exact;

        if (line.len > 0 && *line.ptr == ' ')
            continue;
        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
        conversation = talk_new();
        exact = golden_exact(line);
        if (surety_conversation_read(conversation, exact, &error) ||
            surety_conversation_repair(conversation, &error))
            golden_error(out, &error);
        else
            surety_buf_text(out, "  holds\n");
        free((char *)exact.ptr);
        surety_conversation_free(conversation);
    }
}

static bool run(struct golden *golden)
{
    struct talk talk = {.out = &golden->made};
    surety_error error;
    bool holds = true;

    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];
        const bool is_read =
            section->kind.len > 5 && memcmp(section->kind.ptr, "read ", 5) == 0;

        if (is_read || golden_is(section, "shape"))
            golden_keep(golden, section);
        else
            golden_begin(golden, section);
        if (is_read) {
            take_read(&talk, section);
        } else if (golden_is(section, "messages")) {
            holds = put_messages(talk.out, talk.last) && holds;
            put_notes(talk.out, talk.last);
        } else if (golden_is(section, "same")) {
            put_same(&talk);
        } else if (golden_is(section, "repaired")) {
            if (surety_conversation_repair(talk.last, &error))
                golden_die("a conversation is not repaired", error.message);
            holds = put_messages(talk.out, talk.last) && holds;
            put_notes(talk.out, talk.last);
        } else if (golden_is(section, "mistakes")) {
            put_mistakes(talk.out, section->body);
        }
    }
    if (talk.last != talk.first)
        surety_conversation_free(talk.last);
    surety_conversation_free(talk.first);
    return holds;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
