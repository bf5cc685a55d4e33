/* SPDX-License-Identifier: Apache-2.0 */
/* Gemini's own form of a schema, as JSON Schema. It is the Schema object of
 * OpenAPI 3.0 with types in capitals (Schema in Google's API reference):
 *
 *     {"type": "STRING", "nullable": true}  →  {"type": ["string", "null"]}
 *
 * Bounds are integers of 64 bits, which its JSON form writes as strings;
 * propertyOrdering and example say nothing about validity. What JSON Schema
 * has too, and what neither has, stays as it is. */
#include "gateway/gateway.h"

/* What the members of an object, or the items of an array, are. */
typedef enum openapi_what {
    OPENAPI_SCHEMA, /* the keywords of a schema */
    OPENAPI_NAMED,  /* schemas by name */
    OPENAPI_LISTED  /* schemas */
} openapi_what;

typedef struct openapi_frame {
    surety_val container, child; /* child: the next one */
    openapi_what what;
} openapi_frame;

typedef struct openapi_walk {
    const surety_alloc *alloc;
    surety_doc *out;
    openapi_frame *frames;
    size_t count, cap;
    surety_status status;
} openapi_walk;

static void openapi_type(openapi_walk *walk, surety_val type, bool nullable)
{
    const surety_str word = surety_val_str(type);
    char small[16];

    if (surety_val_kind(type) != SURETY_KIND_STRING ||
        word.len > sizeof(small)) {
        surety_build_val(walk->out, type);
        return;
    }
    for (size_t i = 0; i < word.len; i++)
        small[i] = (char)(word.ptr[i] >= 'A' && word.ptr[i] <= 'Z'
                              ? word.ptr[i] - 'A' + 'a'
                              : word.ptr[i]);
    if (nullable)
        surety_build_array(walk->out);
    surety_build_str(walk->out, (surety_str){small, word.len});
    if (!nullable)
        return;
    surety_build_str(walk->out, SURETY__LITERAL("null"));
    surety_build_close(walk->out);
}

/* The words of an enum, and null where the value may be null. */
static void openapi_words(openapi_walk *walk, surety_val words)
{
    surety_build_array(walk->out);
    SURETY_EACH (word, words)
        surety_build_val(walk->out, word);
    surety_build_null(walk->out);
    surety_build_close(walk->out);
}

/* A bound: the number in a string, else the value. */
static void openapi_bound(openapi_walk *walk, surety_val bound)
{
    uint64_t number;

    if (surety_val_kind(bound) == SURETY_KIND_STRING &&
        surety__str_number(surety_val_str(bound), &number))
        surety_build_uint(walk->out, number);
    else
        surety_build_val(walk->out, bound);
}

static void openapi_open(openapi_walk *walk, surety_val container,
                         openapi_what what)
{
    if (surety__grow(walk->alloc, &walk->frames, &walk->cap, walk->count + 1,
                     sizeof(*walk->frames), SIZE_MAX / sizeof(*walk->frames))) {
        walk->status = SURETY_NOMEM;
        return;
    }
    if (surety_val_kind(container) == SURETY_KIND_ARRAY)
        surety_build_array(walk->out);
    else
        surety_build_object(walk->out);
    walk->frames[walk->count++] =
        (openapi_frame){container, surety_val_first(container), what};
}

/* Adds a value: a schema is gone into. */
static void openapi_value(openapi_walk *walk, surety_val value,
                          openapi_what what)
{
    const surety_kind kind = surety_val_kind(value);

    if (kind == SURETY_KIND_OBJECT ||
        (kind == SURETY_KIND_ARRAY && what == OPENAPI_LISTED))
        openapi_open(walk, value, what);
    else
        surety_build_val(walk->out, value);
}

/* Adds a keyword of a schema. */
static void openapi_keyword(openapi_walk *walk, surety_val schema,
                            surety_val value)
{
    static const char *const silent[] = {"nullable", "propertyOrdering",
                                         "property_ordering", "example"};
    static const char *const bounds[] = {"minItems",      "maxItems",
                                         "minLength",     "maxLength",
                                         "minProperties", "maxProperties"};
    const surety_str name = surety_val_str(surety_val_key(value));
    const bool nullable =
        surety_val_bool(surety_val_get(schema, "nullable"), false);

    if (surety__str_among(name, silent, SURETY__COUNT(silent)))
        return;
    surety_build_key_of(walk->out, surety_val_key(value));
    if (surety_str_equal(name, SURETY__LITERAL("type")))
        openapi_type(walk, value, nullable);
    else if (surety_str_equal(name, SURETY__LITERAL("enum")) && nullable)
        openapi_words(walk, value);
    else if (surety__str_among(name, bounds, SURETY__COUNT(bounds)))
        openapi_bound(walk, value);
    else if (surety_str_equal(name, SURETY__LITERAL("properties")))
        openapi_value(walk, value, OPENAPI_NAMED);
    else if (surety_str_equal(name, SURETY__LITERAL("anyOf")))
        openapi_value(walk, value, OPENAPI_LISTED);
    else if (surety_str_equal(name, SURETY__LITERAL("items")))
        openapi_value(walk, value, OPENAPI_SCHEMA);
    else
        surety_build_val(walk->out, value);
}

static void openapi_step(openapi_walk *walk)
{
    openapi_frame *frame = &walk->frames[walk->count - 1];
    const surety_val container = frame->container;
    const surety_val child = frame->child;
    const openapi_what what = frame->what;

    if (!child.doc) {
        surety_build_close(walk->out);
        walk->count--;
        return;
    }
    frame->child = surety_val_next(container, child);
    if (what == OPENAPI_SCHEMA) {
        openapi_keyword(walk, container, child);
        return;
    }
    if (what == OPENAPI_NAMED)
        surety_build_key_of(walk->out, surety_val_key(child));
    openapi_value(walk, child, OPENAPI_SCHEMA);
}

surety_status surety__openapi_write(surety_val schema,
                                    const surety_alloc *alloc, surety_buf *out)
{
    openapi_walk walk = {.alloc = alloc, .out = surety_doc_new(alloc)};

    if (!walk.out)
        return SURETY_NOMEM;
    surety_build_begin(walk.out, NULL);
    openapi_value(&walk, schema, OPENAPI_SCHEMA);
    while (walk.count && !walk.status)
        openapi_step(&walk);
    if (!walk.status)
        walk.status = surety_build_end(walk.out, NULL);
    if (!walk.status)
        walk.status = surety_val_write(surety_doc_root(walk.out),
                                       SURETY_STYLE_COMPACT, out);
    surety_doc_free(walk.out);
    surety__free(alloc, walk.frames, walk.cap * sizeof(*walk.frames));
    return walk.status;
}
