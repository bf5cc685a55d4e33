/* SPDX-License-Identifier: Apache-2.0 */
/* Generated types at work: each line of the standard input is a type's name and
 * a reply, in which the character 30 stands for a line's end. It is read,
 * written back, judged, printed and freed; what is written must be equal to
 * what was read. Then the same with every allocation failing, and no block may
 * be left. "ok NAME" or "not ok NAME: WHY" a line. Built with DRIVE_TYPES, a
 * header that includes what surety gen made and has DRIVE_LIST, an X(TYPE) for
 * each type. */
#include DRIVE_TYPES

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory {
    long left; /* allocations that succeed; below 0: all */
    long made, live;
};

static void *memory_resize(void *ctx, void *ptr, size_t before, size_t after)
{
    struct memory *memory = (struct memory *)ctx;
    void *result;

    (void)before;
    if (after == 0) {
        memory->live -= ptr != NULL;
        free(ptr);
        return NULL;
    }
    memory->made++;
    if (memory->left == 0)
        return NULL;
    if (memory->left > 0)
        memory->left--;
    result = realloc(ptr, after);
    memory->live += ptr == NULL && result != NULL;
    return result;
}

/* What one run of a type needs, made by every step and freed at the end. */
struct work {
    surety_alloc alloc;
    struct memory *memory;
    long left; /* what the memory is left once there is a contract */
    surety_contract *contract;
    surety_outcome *outcome, *again;
    surety_doc *doc;
    surety_buf json, text;
    surety_error error;
    const char *why;
};

static void work_init(struct work *work, struct memory *memory)
{
    memset(work, 0, sizeof(*work));
    work->alloc.resize = memory_resize;
    work->alloc.ctx = memory;
    work->memory = memory;
    surety_buf_init(&work->json, &work->alloc, 0);
    surety_buf_init(&work->text, &work->alloc, 0);
}

static void work_done(struct work *work)
{
    surety_outcome_free(work->outcome);
    surety_outcome_free(work->again);
    surety_buf_done(&work->json);
    surety_buf_done(&work->text);
    surety_doc_free(work->doc);
    surety_contract_free(work->contract);
}

static surety_status wrong(struct work *work, const char *why)
{
    work->why = why;
    return SURETY_SYNTAX;
}

/* The steps, in order, each only where the one before succeeded. */
#define X(T)                                                                   \
    static surety_status drive_##T(struct work *work, surety_str reply)        \
    {                                                                          \
        surety_contract_options options;                                       \
        const T *value = NULL, *copy = NULL;                                   \
        surety_status status;                                                  \
                                                                               \
        memset(&options, 0, sizeof(options));                                  \
        options.size = sizeof(options);                                        \
        options.alloc = &work->alloc;                                          \
        status = T##_contract(&options, &work->contract, &work->error);        \
        work->memory->left = work->left;                                       \
        work->memory->made = 0;                                                \
        if (status == SURETY_OK)                                               \
            status = T##_read(work->contract, reply, &value, &work->outcome,   \
                              &work->error);                                   \
        if (status == SURETY_OK && !value) {                                   \
            surety_outcome_write(work->outcome, SURETY_REPORT_PLAIN, reply, 0, \
                                 &work->text);                                 \
            status = wrong(work, "the reply is not valid");                    \
        }                                                                      \
        if (status == SURETY_OK) {                                             \
            work->doc = surety_doc_new(&work->alloc);                          \
            status = work->doc ? T##_to(value, work->doc, &work->error)        \
                               : SURETY_NOMEM;                                 \
        }                                                                      \
        if (status == SURETY_OK &&                                             \
            !surety_val_equal(surety_doc_root(work->doc),                      \
                              surety_outcome_info_of(work->outcome)->value))   \
            status = wrong(work, "what is written differs");                   \
        if (status == SURETY_OK)                                               \
            status = T##_from(work->contract, surety_doc_root(work->doc),      \
                              &copy, &work->error);                            \
        if (status == SURETY_OK)                                               \
            status = T##_check(work->contract, copy, &work->json,              \
                               &work->again, &work->error);                    \
        if (status == SURETY_OK && !surety_outcome_info_of(work->again)->ok)   \
            status = wrong(work, "what was read is not valid");                \
        surety_buf_reset(&work->json);                                         \
        if (status == SURETY_OK)                                               \
            status = T##_write(copy, SURETY_STYLE_PRETTY, &work->json,         \
                               &work->error);                                  \
        if (status == SURETY_OK) {                                             \
            T##_print(copy, &work->text);                                      \
            status = work->text.status;                                        \
        }                                                                      \
        T##_free(copy);                                                        \
        T##_free(value);                                                       \
        return status;                                                         \
    }
DRIVE_LIST
#undef X

struct drive {
    const char *name;
    surety_status (*run)(struct work *work, surety_str reply);
};

#define X(T) {#T, drive_##T},
static const struct drive drives[] = {DRIVE_LIST{NULL, NULL}};
#undef X

/* Runs with so many allocations; false: said why. */
static bool drive_once(const struct drive *drive, surety_str reply, long left,
                       long *made)
{
    struct memory memory;
    struct work work;
    surety_status status;

    memory.left = -1;
    memory.made = memory.live = 0;
    work_init(&work, &memory);
    work.left = left;
    status = drive->run(&work, reply);
    if (status != SURETY_OK && (left < 0 || status != SURETY_NOMEM)) {
        printf("not ok %s: %s, %s %s %.*s\n", drive->name,
               surety_status_name(status), work.why ? work.why : "",
               work.why ? "" : work.error.message, (int)work.text.len,
               work.text.ptr ? work.text.ptr : "");
        work_done(&work);
        return false;
    }
    work_done(&work);
    *made = memory.made;
    if (memory.live != 0)
        printf("not ok %s: %ld blocks are left after %ld allocations\n",
               drive->name, memory.live, left);
    return memory.live == 0;
}

static void drive_all(const struct drive *drive, surety_str reply, bool starve)
{
    long made = 0, unused = 0;
    bool good = drive_once(drive, reply, -1, &made);

    /* Of many, some: the step grows with the number. */
    for (long i = 0; starve && good && i < made; i += 1 + i / 100)
        good = drive_once(drive, reply, i, &unused);
    if (good)
        printf("ok %s\n", drive->name);
}

int main(int argc, char **argv)
{
    static char line[1 << 20];
    surety_str reply;

    (void)argv;
    while (fgets(line, sizeof(line), stdin)) {
        char *tab = strchr(line, '\t');
        const struct drive *drive = drives;

        if (!tab)
            return 2;
        *tab = '\0';
        for (char *end = tab + 1; *end; end++)
            *end = (char)(*end == 30 ? '\n' : *end);
        reply = surety_str_of(tab + 1);
        while (drive->name && strcmp(drive->name, line) != 0)
            drive++;
        if (!drive->name)
            printf("not ok %s: there is no such type\n", line);
        else
            drive_all(drive, reply, argc > 1);
    }
    return 0;
}
