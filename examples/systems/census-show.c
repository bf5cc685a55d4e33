/* SPDX-License-Identifier: Apache-2.0 */
/* What the user sees: the steps to an answer, its text, its charts and its
 * tables. */
#include "census.h"

#include <string.h>
#include <sys/stat.h>

void census_put(FILE *to, const char *before, surety_str text)
{
    fputs(before, to);
    for (size_t i = 0; i < text.len; i++) {
        const int byte = (unsigned char)text.ptr[i];
        const bool high = byte < 0xA0 && i && text.ptr[i - 1] == '\xC2';
        fputc(byte < ' ' || byte == 127 ? ' ' : high ? 0xA0 : byte, to);
    }
    fputc('\n', to);
}

/* Each line of a text, with the same before it. */
static void put_lines(const char *before, surety_str text)
{
    for (size_t i = 0, start = 0; i <= text.len; i++)
        if (i == text.len ? i > start : text.ptr[i] == '\n') {
            census_put(stderr, before,
                       (surety_str){text.ptr + start, i - start});
            start = i + 1;
        }
}

void census_hear(void *ctx, const surety_event *event)
{
    static const char failed[] = "The tool failed: ";
    struct census_steps *steps = ctx;

    if (event->kind == SURETY_EVENT_TOOL) {
        snprintf(steps->digits, sizeof(steps->digits), "%u", ++steps->count);
        steps->variable.value = STR(steps->digits);
        census_put(stderr, "census: calls ", event->tool);
        census_put(stderr, "  ", event->text);
    } else if (event->kind == SURETY_EVENT_DECISION) {
        census_put(stderr, "census: ", event->text);
    } else if (event->kind == SURETY_EVENT_RESULT &&
               event->text.len >= sizeof(failed) - 1 &&
               memcmp(event->text.ptr, failed, sizeof(failed) - 1) == 0) {
        census_put(stderr, "  ", event->text);
    }
}

int census_show(surety_val value, const surety_rendering_options *options,
                const char *folder)
{
    const surety_val notes = surety_val_get(value, "footnotes");
    surety_rendering *all = NULL;
    surety_error err;
    surety_buf bytes;
    int code = 0;

    census_put(stdout, "",
               surety_val_str(surety_val_get(value, "answer_text")));
    for (size_t i = 0; i < surety_val_count(notes); i++)
        census_put(stdout, "- ", surety_val_str(surety_val_item(notes, i)));
    if (fflush(stdout)) /* it is out before anything else goes wrong */
        perror("census: standard output");
    census_put(stderr, "census: reasoning: ",
               surety_val_str(surety_val_get(value, "reasoning_trace")));
    if (surety_rendering_new(value, options, &all, &err)) {
        census_put(stderr, "census: ", STR(err.message));
        return 1;
    }
    surety_buf_init(&bytes, NULL, 0);
    mkdir(folder, 0777); /* where it cannot be made, saving tells why */
    for (size_t i = 0; i < surety_rendering_count(all); i++) {
        surety_status status = surety_rendering_draw(all, i, &bytes, &err);
        const surety_render_item item = surety_rendering_item(all, i);

        if (!status)
            status = surety_file_save(STR(folder), item.name,
                                      surety_buf_str(&bytes), false, &err);
        census_put(stderr, status ? "census: not made: " : "census: made ",
                   item.name);
        put_lines("  ", item.note);
        if (status) {
            census_put(stderr, "  ", STR(err.message));
            census_put(stderr, "  ", STR(err.hint));
            code = 1;
        }
        surety_buf_reset(&bytes);
    }
    surety_buf_done(&bytes);
    surety_rendering_free(all);
    return code;
}
