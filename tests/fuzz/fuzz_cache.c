/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_cache.c: the cache of schemas against a plain list of what it must hold.
 *
 * The first two bytes choose the cache's size; each byte after them is a read
 * of one of a few schemas, or forgets them all. Whether it was kept, what is
 * put out for it and what is counted follows from the list; a schema that is
 * given must be the one that was asked for. */
#include <surety/schema.h>

#include <string.h>

#include "schema/schema.h"
#include "fuzz.h"

enum { KEPT = 64, TEXT = 96 };

/* One schema: {"maximum": number} in that dialect, with blanks up to len. */
struct wanted {
    unsigned number;
    surety_dialect dialect;
    size_t len;
};

struct model {
    struct wanted kept[KEPT]; /* newest first */
    const surety_schema *schemas[KEPT];
    size_t count, bytes, schemas_max, bytes_max;
    surety__schema_cache_counts counts;
};

static bool wanted_is(const struct wanted *a, const struct wanted *b)
{
    return a->number == b->number && a->dialect == b->dialect &&
           a->len == b->len;
}

/* Puts out what no longer fits beside len bytes. */
static void model_shrink(struct model *model, size_t len)
{
    while (model->count && (model->count >= model->schemas_max ||
                            model->bytes + len > model->bytes_max)) {
        model->bytes -= model->kept[--model->count].len;
        model->counts.evictions++;
    }
}

/* Takes a read over; the schema that must be given, or NULL: a new one. */
static const surety_schema *model_read(struct model *model,
                                       const struct wanted *wanted)
{
    const surety_schema *schema = NULL;
    size_t at = 0;

    while (at < model->count && !wanted_is(&model->kept[at], wanted))
        at++;
    if (at < model->count) {
        schema = model->schemas[at];
        model->counts.hits++;
    } else {
        model->counts.misses++;
        model_shrink(model, wanted->len);
        at = model->count++;
        model->bytes += wanted->len;
    }
    memmove(model->kept + 1, model->kept, at * sizeof(*model->kept));
    memmove((void *)(model->schemas + 1), (const void *)model->schemas,
            at * sizeof(*model->schemas));
    model->kept[0] = *wanted;
    model->schemas[0] = schema;
    return schema;
}

/* Whether schema takes number and refuses what is greater by one. */
static bool is_schema_of(surety_checker *checker, const surety_schema *schema,
                         const struct wanted *wanted)
{
    bool valid = false, more = true;
    char text[2] = {(char)('0' + wanted->number), 0};

    must(!surety_checker_check_text(checker, schema, (surety_str){text, 1},
                                    NULL, &valid, NULL));
    text[0]++;
    must(!surety_checker_check_text(checker, schema, (surety_str){text, 1},
                                    NULL, &more, NULL));
    return valid && !more &&
           surety_schema_info_of(schema)->dialect == wanted->dialect;
}

static void fuzz_read(surety_schema_cache *cache, struct model *model,
                      surety_checker *checker, uint8_t byte)
{
    const struct wanted wanted = {
        .number = byte & 7,
        .dialect = byte & 8 ? SURETY_DIALECT_7 : SURETY_DIALECT_2020_12,
        .len = byte & 16 ? TEXT - 8u * (byte >> 5) : 14};
    surety_schema_options options = {.size = sizeof(options),
                                     .dialect = wanted.dialect};
    const surety_schema *schema = NULL;
    const surety_schema *want;
    char text[TEXT];

    memset(text, ' ', sizeof(text));
    memcpy(text, "{\"maximum\":0 }", 14);
    text[11] = (char)('0' + wanted.number);
    if (byte >= 0xE8 && byte < 0xF0) { /* a failure is not kept */
        model->counts.misses++;
        must(surety_schema_cache_read(cache, (surety_str){text, 13}, &options,
                                      &schema, NULL) == SURETY_SYNTAX);
        must(!schema);
        return;
    }
    want = model_read(model, &wanted);
    must(!surety_schema_cache_read(cache, (surety_str){text, wanted.len},
                                   &options, &schema, NULL));
    must(want ? schema == want : schema != NULL);
    model->schemas[0] = schema;
    must(is_schema_of(checker, schema, &wanted));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model model = {.schemas_max = size ? 1 + data[0] % 40 : 1,
                          .bytes_max = size > 1 ? 1 + 8u * data[1] : 64};
    surety_schema_cache *cache = surety_schema_cache_new(
        NULL, (uint32_t)model.schemas_max, model.bytes_max);
    surety_checker *checker = surety_checker_new(NULL, NULL);

    for (size_t i = 2; i < size; i++) {
        surety__schema_cache_counts counts;

        if (data[i] == 0xFF) {
            surety__schema_cache_reset(cache);
            model.count = model.bytes = 0;
        } else {
            fuzz_read(cache, &model, checker, data[i]);
        }
        counts = surety__schema_cache_count(cache);
        must(counts.hits == model.counts.hits);
        must(counts.misses == model.counts.misses);
        must(counts.evictions == model.counts.evictions);
        must(counts.schemas == model.count && counts.bytes == model.bytes);
        for (size_t k = 0; k < model.count; k++) /* all still are good */
            must(model.schemas[k]->root_val.doc);
    }
    surety_checker_free(checker);
    surety_schema_cache_free(cache);
    return 0;
}
