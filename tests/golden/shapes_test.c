/* SPDX-License-Identifier: Apache-2.0 */
/* What schemas become (shape.h), compared byte for byte with case files.
 *
 *     shapes_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case:
 *
 *     === schema     the schema
 *     === options    perhaps: assert-format, dialect N, first N (shapes only)
 *     === shapes     every shape from the root on, in the order in which they
 *                    are met
 *
 * Shapes are internal. They are compared, because much of what the compiler
 * works out only spares work: where it is wrong on the safe side, every answer
 * is right and late. Of what a hash decides, only how much of it there is is
 * said. With --update the shapes are written anew, for a person to review. */
#include "golden/cases.h"

#include <stdio.h>
#include <stdlib.h>

#include "schema/schema.h"

#include "base/base.h"

enum { SHAPES_MAX = 1024 };

/* The shapes that were met, by their numbers. */
struct shapes {
    const surety__shape *list[SHAPES_MAX];
    size_t count;
    const surety_doc *doc;
    surety_buf *out;
};

/* ---- words --------------------------------------------------------------- */

static void say(struct shapes *shapes, const char *text)
{
    surety_buf_text(shapes->out, text);
}

static void say_number(struct shapes *shapes, uint64_t number)
{
    if (number == UINT64_MAX)
        say(shapes, "max");
    else
        surety_buf_number(shapes->out, number);
}

static void say_signed(struct shapes *shapes, int64_t number)
{
    if (number == INT64_MIN) {
        say(shapes, "-max");
    } else if (number < 0) {
        say(shapes, "-");
        surety_buf_number(shapes->out, (uint64_t)-number);
    } else {
        say(shapes, number == INT64_MAX ? "max" : "");
        if (number != INT64_MAX)
            surety_buf_number(shapes->out, (uint64_t)number);
    }
}

static void say_flag(struct shapes *shapes, bool is, const char *name)
{
    if (is) {
        say(shapes, " ");
        say(shapes, name);
    }
}

static void say_range(struct shapes *shapes, const char *name, uint64_t least,
                      uint64_t most)
{
    if (!least && most == UINT64_MAX)
        return;
    say(shapes, name);
    say_number(shapes, least);
    say(shapes, "..");
    say_number(shapes, most);
}

static void say_cell(struct shapes *shapes, const char *name,
                     const surety__cell *cell)
{
    if (!cell)
        return;
    say(shapes, name);
    surety_val_write(surety__val_of(shapes->doc, cell), SURETY_STYLE_COMPACT,
                     shapes->out);
}

/* "#3", the shape's number; one that is new gets the next. */
static void say_shape(struct shapes *shapes, const char *name,
                      const surety__shape *shape)
{
    size_t i = 0;

    if (!shape)
        return;
    while (i < shapes->count && shapes->list[i] != shape)
        i++;
    if (i == SHAPES_MAX)
        golden_die("too many shapes", "SHAPES_MAX");
    if (i == shapes->count)
        shapes->list[shapes->count++] = shape;
    say(shapes, name);
    say(shapes, "#");
    surety_buf_number(shapes->out, i);
}

static uint64_t bits_in(uint64_t bits)
{
    uint64_t count = 0;

    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* ---- kinds --------------------------------------------------------------- */

static const char *const kind_names[CELL_KINDS] = {
    [CELL_NULL] = "null",     [CELL_FALSE] = "false", [CELL_TRUE] = "true",
    [CELL_INT] = "int",       [CELL_WHOLE] = "whole", [CELL_REAL] = "real",
    [CELL_STRING] = "string", [CELL_KEY] = "key",     [CELL_ARRAY] = "array",
    [CELL_OBJECT] = "object"};

static void say_kinds(struct shapes *shapes, const surety__shape *shape)
{
    static const char *const hows[] = {"no",          "yes",        "check",
                                       "flat",        "walk",       "route",
                                       "select flat", "select walk"};

    for (unsigned how = HOW_NO; how <= HOW_SELECT_WALK; how++) {
        bool any = false;

        for (unsigned kind = CELL_NULL; kind < CELL_KINDS; kind++) {
            if (shape->how[kind] != how)
                continue;
            say(shapes, any ? " " : "  ");
            if (!any) {
                say(shapes, hows[how]);
                say(shapes, ": ");
            }
            say(shapes, kind_names[kind]);
            if (how == HOW_ROUTE)
                say_shape(shapes, " to ", shape->route[kind]);
            any = true;
        }
        say(shapes, any ? "\n" : "");
    }
    if (!shape->checks)
        return;
    say(shapes, "  checks:");
    for (unsigned kind = CELL_NULL; kind < CELL_KINDS; kind++)
        say_flag(shapes, shape->checks >> kind & 1, kind_names[kind]);
    say(shapes, "\n");
}

/* ---- parts --------------------------------------------------------------- */

static void say_choices(struct shapes *shapes, const char *name,
                        const surety__choices *choices)
{
    if (!choices)
        return;
    say(shapes, name);
    for (uint32_t i = 0; i < choices->count; i++)
        say_cell(shapes, " ", &shapes->doc->cells[choices->list[i].value]);
    say(shapes, "\n");
}

static void say_words(struct shapes *shapes, const surety__words *words)
{
    size_t count = 0;

    if (words->mask) {
        for (size_t i = 0; i <= words->mask; i++)
            count += words->entries[i].text.ptr != NULL;
    } else {
        while (words->entries[count].text.ptr)
            count++;
    }
    surety_buf_number(shapes->out, count);
    say(shapes, words->mask ? " words in " : " words");
    if (words->mask)
        surety_buf_number(shapes->out, words->mask + 1);
    say(shapes, ", longest ");
    surety_buf_number(shapes->out, words->longest);
    for (size_t i = 0; !words->mask && i < count; i++) {
        const surety__word *word = &words->entries[i];

        say(shapes, " \"");
        surety_buf_add(shapes->out, word->text);
        say(shapes, "\"");
    }
}

static void say_numbers(struct shapes *shapes, const surety__numbers *numbers)
{
    say(shapes, "  number:");
    say_cell(shapes, " minimum ", numbers->minimum);
    say_cell(shapes, " maximum ", numbers->maximum);
    say_cell(shapes, " above ", numbers->exclusive_minimum);
    say_cell(shapes, " below ", numbers->exclusive_maximum);
    say_cell(shapes, " multiple of ", numbers->multiple_of);
    if (numbers->ranged) {
        say(shapes, ", int ");
        say_signed(shapes, numbers->least);
        say(shapes, "..");
        say_signed(shapes, numbers->most);
        say(shapes, ", real ");
        say_signed(shapes, numbers->lower);
        say(shapes, "..");
        say_signed(shapes, numbers->upper);
    }
    say(shapes, "\n");
}

static void say_strings(struct shapes *shapes, const surety__strings *strings)
{
    say(shapes, "  string:");
    say_range(shapes, " length ", strings->min_length, strings->max_length);
    if (strings->pattern)
        say(shapes, surety__pattern_is_simple(strings->pattern)
                        ? " pattern, simple"
                        : " pattern");
    if (strings->format) {
        say(shapes, " format ");
        surety_buf_add(shapes->out, strings->format_name);
    }
    say_flag(shapes, strings->content_base64, "base64");
    say_flag(shapes, strings->content_json, "json");
    say(shapes, "\n");
}

static void say_arrays(struct shapes *shapes, const surety__arrays *arrays)
{
    say(shapes, "  array:");
    say_range(shapes, " items ", arrays->min_items, arrays->max_items);
    say_flag(shapes, arrays->unique, "unique");
    for (uint32_t i = 0; i < arrays->prefix_count; i++)
        say_shape(shapes, i ? " " : " prefix ", arrays->prefix[i]);
    say_shape(shapes, " rest ", arrays->rest);
    if (arrays->contains) {
        say_shape(shapes, " contains ", arrays->contains);
        say_range(shapes, " ", arrays->min_contains, arrays->max_contains);
        say_flag(shapes, arrays->contains_evaluates, "evaluates");
    }
    say_shape(shapes, " unevaluated ", arrays->unevaluated);
    say_flag(shapes, arrays->walks, "walks");
    say_flag(shapes, arrays->plain, "plain");
    say(shapes, "\n");
}

static void say_slot(struct shapes *shapes, const surety__slot *slot)
{
    say(shapes, "    \"");
    surety_buf_add(shapes->out, slot->property->name);
    say(shapes, "\"");
    say_shape(shapes, " ", slot->shape);
    say_flag(shapes, slot->required, "required");
    say_flag(shapes, slot->covers, "covers");
    say_flag(shapes, slot->alone, "alone");
    say(shapes, "\n");
}

static const surety__slot *slot_named(const surety__objects *objects,
                                      surety_str name)
{
    for (uint32_t i = 0; i <= objects->slot_mask; i++) {
        const surety__slot *slot = &objects->slots[i];

        if (slot->shape && surety_str_equal(slot->property->name, name))
            return slot;
    }
    return NULL;
}

static void say_objects(struct shapes *shapes, const surety__objects *objects)
{
    say(shapes, "  object:");
    say_range(shapes, " members ", objects->min_properties,
              objects->max_properties);
    say_shape(shapes, " other ", objects->other);
    say_shape(shapes, " additional ", objects->additional);
    say_shape(shapes, " names ", objects->names);
    say_shape(shapes, " unevaluated ", objects->unevaluated);
    if (objects->required_count) {
        say(shapes, " required ");
        surety_buf_number(shapes->out, objects->required_count);
    }
    for (uint32_t i = 0; i < objects->dependent_count; i++) {
        say(shapes, i ? ", " : " dependent ");
        surety_buf_add(shapes->out, objects->dependents[i].key);
    }
    say_flag(shapes, objects->walks, "walks");
    say_flag(shapes, objects->defines, "defines");
    say_flag(shapes, objects->plain, "plain");
    say(shapes, "\n    ");
    surety_buf_number(shapes->out, objects->slot_mask + 1);
    say(shapes, " slots, table of ");
    surety_buf_number(shapes->out,
                      objects->table ? objects->table_mask + 1 : 0);
    say(shapes, "\n");
    for (uint32_t i = 0; i < objects->property_count; i++) {
        const surety__slot *slot =
            slot_named(objects, objects->properties[i].name);

        if (slot)
            say_slot(shapes, slot);
        say_cell(shapes, "      default ", objects->properties[i].default_val);
        say(shapes, objects->properties[i].default_val ? "\n" : "");
        say(shapes,
            objects->properties[i].deprecated ? "      deprecated\n" : "");
    }
    for (uint32_t i = 0; i < objects->pattern_count; i++) {
        say(shapes, "    /");
        surety_buf_add(shapes->out, objects->patterns[i].source);
        say_shape(shapes, "/ ", objects->patterns[i].shape);
        say(shapes, "\n");
    }
}

/* ---- applicators --------------------------------------------------------- */

/* How many values or names there are, and where the branches are few which
 * sets they lead to. */
static void say_hashed(struct shapes *shapes, const surety__hashed *hashed,
                       uint32_t count)
{
    size_t used = 0;

    for (size_t i = 0; hashed->entries && i <= hashed->mask; i++)
        used += hashed->entries[i].value != 0;
    surety_buf_number(shapes->out, used);
    for (uint64_t set = 1; count <= 4 && set >> count == 0; set++) {
        size_t have = 0;

        for (size_t i = 0; hashed->entries && i <= hashed->mask; i++)
            have += hashed->entries[i].value == set;
        if (have)
            surety__buf_printf(shapes->out, " =%x", (unsigned)set);
        if (have > 1)
            surety__buf_printf(shapes->out, "*%zu", have);
    }
}

static void say_tag(struct shapes *shapes, const surety__tag *tag,
                    uint32_t count)
{
    say(shapes, ", told by \"");
    surety_buf_add(shapes->out, tag->name);
    say(shapes, "\": values ");
    say_hashed(shapes, &tag->values, count);
    say(shapes, ", open ");
    surety_buf_number(shapes->out, surety__branches_count(tag->open, count));
    if (tag->excluded) {
        say(shapes, ", excluding ");
        surety_buf_number(shapes->out,
                          surety__branches_count(tag->excluding, count));
    }
    say(shapes, ", lacking ");
    surety_buf_number(shapes->out, surety__branches_count(tag->lacking, count));
}

static void say_switch(struct shapes *shapes, const surety__switch *branching,
                       uint32_t count)
{
    say(shapes, "    branches of objects ");
    surety_buf_number(shapes->out,
                      surety__branches_count(branching->objects, count));
    if (branching->names.entries) {
        say(shapes, ", told by names: ");
        say_hashed(shapes, &branching->names, count);
    }
    for (uint32_t i = 0; i < branching->tag_count; i++)
        say_tag(shapes, &branching->tags[i], count);
    say(shapes, "\n");
    for (uint32_t i = 0; branching->screens && i < count; i++) {
        say(shapes, i ? " " : "    needs/allows: ");
        surety_buf_number(shapes->out, bits_in(branching->screens[i].needs));
        say(shapes, "/");
        surety_buf_number(shapes->out, bits_in(branching->screens[i].allows));
    }
    say(shapes, branching->screens ? "\n" : "");
}

static void say_jump(struct shapes *shapes, const surety__jump *jump)
{
    static const char *const kinds[] = {
        [CELL_NULL] = " null", [CELL_FALSE] = " false", [CELL_TRUE] = " true"};

    say(shapes, "    jumps by \"");
    surety_buf_add(shapes->out, jump->name);
    say(shapes, "\":");
    for (uint32_t i = 0; i <= jump->words->mask; i++)
        if (jump->words->entries[i].text.ptr) {
            say(shapes, " \"");
            surety_buf_add(shapes->out, jump->words->entries[i].text);
            say(shapes, "\"");
            say_shape(shapes, "",
                      jump->targets[jump->words->entries[i].number]);
        }
    for (unsigned kind = CELL_NULL; kind < CELL_INT; kind++)
        say_shape(shapes, kinds[kind], jump->kinds[kind]);
    say_shape(shapes, " absent", jump->lacking);
    say_shape(shapes, " other", jump->targets[0]);
    say(shapes, "\n");
}

static void say_applicator(struct shapes *shapes,
                           const surety__applicator *applicator)
{
    static const char *const kinds[] = {[APPLY_ALL] = "all",
                                        [APPLY_DYNAMIC] = "dynamic",
                                        [APPLY_ANY] = "any",
                                        [APPLY_ONE] = "one",
                                        [APPLY_NOT] = "not",
                                        [APPLY_IF] = "if",
                                        [APPLY_DEPENDENT] = "dependent",
                                        [APPLY_PROPERTY_VALUE] =
                                            "property value"};

    say(shapes, "  ");
    say(shapes, kinds[applicator->kind]);
    say(shapes, " of ");
    surety_buf_add(shapes->out, surety__keyword_name(applicator->keyword));
    if (applicator->key.ptr) {
        say(shapes, " \"");
        surety_buf_add(shapes->out, applicator->key);
        surety_buf_add(shapes->out, applicator->value);
        say(shapes, "\"");
    }
    for (uint32_t i = 0; i < applicator->count; i++)
        if (applicator->shapes[i])
            say_shape(shapes, i ? ", " : " ", applicator->shapes[i]);
        else
            say(shapes, ", none");
    say(shapes, "\n");
    if (applicator->branching)
        say_switch(shapes, applicator->branching, applicator->count);
    if (applicator->jump)
        say_jump(shapes, applicator->jump);
}

/* ---- shapes -------------------------------------------------------------- */

static void say_head(struct shapes *shapes, const surety__shape *shape,
                     size_t number)
{
    static const char *const types[] = {
        "null", "boolean", "number", "integer", "string", "array", "object"};

    say(shapes, "#");
    surety_buf_number(shapes->out, number);
    say(shapes, " ");
    if (shape->resource && shape->resource->uri.len)
        surety_buf_add(shapes->out, shape->resource->uri);
    if (shape->at.doc)
        surety_val_pointer(shape->at, shapes->out);
    else
        say(shapes, "(anything)");
    for (size_t i = 0; i < 7 && shape->types != TYPE_ANY; i++)
        say_flag(shapes, shape->types >> i & 1, types[i]);
    say_flag(shapes, shape->always, "always");
    say_flag(shapes, shape->never, "never");
    say_flag(shapes, shape->lexical_integer, "lexical");
    say_flag(shapes, shape->tracks, "tracks");
    say_flag(shapes, shape->bare, "bare");
    say_flag(shapes, shape->ends, "ends");
    say_flag(shapes, shape->quick.loop >> CELL_OBJECT & 1, "quick-object");
    say_flag(shapes, shape->quick.loop >> CELL_ARRAY & 1, "quick-array");
    say_flag(shapes, !(shape->quick.parts >> CELL_OBJECT & 1) && shape->objects,
             "framed-object");
    say_flag(shapes, !(shape->quick.parts >> CELL_ARRAY & 1) && shape->arrays,
             "framed-array");
    if (shape->direct != shape)
        say_shape(shapes, " is ", shape->direct);
    say(shapes, "\n");
}

static void say_one(struct shapes *shapes, size_t number)
{
    const surety__shape *shape = shapes->list[number];

    if (shape->at.doc)
        shapes->doc = shape->at.doc;
    say_head(shapes, shape, number);
    if (shape->always || shape->never)
        return;
    say_kinds(shapes, shape);
    say_choices(shapes, "  enum:", shape->choices);
    say_choices(shapes, "  const:", shape->constant);
    if (shape->words) {
        say(shapes, "    ");
        say_words(shapes, shape->words);
        say(shapes, "\n");
    }
    if (shape->numbers)
        say_numbers(shapes, shape->numbers);
    if (shape->strings)
        say_strings(shapes, shape->strings);
    if (shape->arrays)
        say_arrays(shapes, shape->arrays);
    if (shape->objects)
        say_objects(shapes, shape->objects);
    for (uint32_t i = 0; i < shape->applicator_count; i++)
        say_applicator(shapes, &shape->applicators[i]);
}

static void say_schema(struct shapes *shapes, const surety_schema *schema,
                       size_t first)
{
    say(shapes, "schema:");
    say_flag(shapes, schema->has_defaults, "defaults");
    say_flag(shapes, schema->has_deprecated, "deprecated");
    say_flag(shapes, schema->dynamic, "dynamic");
    say(shapes, " patterns ");
    surety_buf_number(shapes->out, schema->pattern_count);
    say(shapes, " documents ");
    surety_buf_number(shapes->out, schema->document_count);
    say_shape(shapes, " root ", schema->root);
    say(shapes, "\n");
    for (size_t i = 0; i < shapes->count && i < first; i++)
        say_one(shapes, i);
}

static bool run(struct golden *golden)
{
    surety_schema_options options = {.size = sizeof(options)};
    surety_str rest = golden_body(golden, "options");
    surety_schema *schema = NULL;
    surety_error err = {.status = SURETY_OK};
    size_t first = SHAPES_MAX;
    surety_str line;

    while (golden_line(&rest, &line)) {
        if (golden_take(&line, "assert-format"))
            options.assert_format = true;
        else if (golden_take(&line, "dialect ") && line.len)
            options.dialect = (surety_dialect)(line.ptr[0] - '0');
        else if (golden_take(&line, "first ") && line.len)
            first = strtoul(line.ptr, NULL, 10);
        else
            golden_die("an option is not known", golden->path);
    }
    if (surety_schema_read(golden_body(golden, "schema"), &options, &schema,
                           &err)) {
        printf("# %s\n", err.message);
        return false;
    }
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];
        struct shapes shapes = {.out = &golden->made};

        if (golden_is(section, "shapes")) {
            golden_begin(golden, section);
            say_schema(&shapes, schema, first);
        } else {
            golden_keep(golden, section);
        }
    }
    surety_schema_free(schema);
    return true;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
