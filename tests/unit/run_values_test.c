/* SPDX-License-Identifier: Apache-2.0 */
/* What a model means is what a run gives: values made by chance for contracts
 * with open places go through whole runs, in every protocol and mode. The model
 * here reads the request as the mock does, writes the value in the form of the
 * schema that it finds there, by itself and not by surety/strict.h, and its
 * answer goes back in the protocol's bytes, in one piece or in many.
 *
 * SURETY_SEED sets the seed, which a failure prints. */
#include "check.h"

#include "contract/contract.h"
#include "run/run.h"
#include "serve/serve.h"

#include <stdlib.h>

enum { VALUES_ROUNDS = 12, VALUES_DEEP = 4, VALUES_TRIES = 40 };

#define OPEN_OBJECT "{\"type\":\"object\"}"
#define CLOSED "\"additionalProperties\":false,\"type\":\"object\""

static const char *const values_contracts[] = {
    "{" CLOSED ",\"required\":[\"rows\",\"any\"],\"properties\":{\"rows\":{"
    "\"type\":\"array\",\"items\":{\"type\":\"array\"}},\"any\":{},\"open\":"
    "{\"type\":\"object\"},\"told\":{\"description\":\"Anything.\"}}}",
    "true",
    "{\"type\":\"object\"}",
    "{\"type\":\"array\"}",
    "{\"anyOf\":[{" CLOSED ",\"required\":[\"a\"],\"properties\":{\"a\":{"
    "\"type\":\"string\"}}},{\"type\":\"array\",\"items\":{\"type\":\"object\","
    "\"additionalProperties\":{\"type\":\"string\"}}},{\"type\":\"string\"}]}",
    "{" CLOSED ",\"required\":[\"u\"],\"properties\":{\"u\":{\"anyOf\":[{"
    "\"type\":\"string\"},{" CLOSED ",\"required\":[\"kind\"],\"properties\":{"
    "\"kind\":{\"const\":\"x\"},\"more\":{}}},{\"type\":\"array\",\"items\":{}"
    "}]},\"n\":{\"type\":[\"number\",\"string\"]}}}",
    /* A property with the name of the list of members. */
    "{" CLOSED ",\"required\":[\"additional_properties\"],\"properties\":{"
    "\"additional_properties\":{\"type\":\"object\",\"additionalProperties\":{"
    "\"type\":\"array\",\"items\":{}}},\"key\":{\"type\":\"string\"}}}",
    "{\"type\":\"object\",\"required\":[\"id\"],\"properties\":{\"id\":{"
    "\"type\":\"integer\"}},\"additionalProperties\":{\"type\":[\"string\","
    "\"number\",\"boolean\"]}}",
    "{" CLOSED ",\"required\":[\"t\"],\"properties\":{\"t\":{\"type\":"
    "\"array\",\"prefixItems\":[{\"type\":\"string\"},{},{\"type\":"
    "\"integer\"}],\"items\":{\"type\":\"string\"},\"minItems\":2}}}",
    "{\"$ref\":\"#/$defs/tree\",\"$defs\":{\"tree\":{" CLOSED ",\"required\":"
    "[\"leaf\",\"more\"],\"properties\":{\"leaf\":{},\"more\":{\"type\":"
    "\"array\",\"items\":{\"$ref\":\"#/$defs/tree\"}}}}}}",
    "{" CLOSED ",\"properties\":{\"a b\":{\"type\":\"integer\"},\"a_b\":{"
    "\"type\":\"string\"},\"m\":{\"type\":\"object\",\"additionalProperties\":"
    "{\"type\":\"string\"}}}}",
};

static const char *const values_builtins[] = {
    "census/agent-output",
    "trend/final-report",
    "trend/iteration-response",
};

/* ---- what is meant ------------------------------------------------------- */

static uint64_t dice(uint64_t *state, uint64_t count)
{
    return surety__id_below(state, count - 1);
}

static surety_val follow(surety_val root, surety_val schema)
{
    surety_str pointer = surety_val_str(surety_val_get(schema, "$ref"));

    if (!pointer.len)
        return schema;
    pointer.ptr++;
    pointer.len--;
    return surety_val_at(root, pointer);
}

static void mean(uint64_t *state, surety_val root, surety_val schema, int depth,
                 surety_buf *out);

static const char *const mean_names[] = {
    "a", "key", "value", "additional_properties", "item_1", "06", "", "a b"};

/* Any value, most of all those that may be taken for others. */
static void mean_any(uint64_t *state, int depth, surety_buf *out)
{
    static const char *const scalars[] = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1.0",
        "1e2",
        "6",
        "29145505",
        "0.10",
        "123456789012345678901234567890",
        "\"\"",
        "\"null\"",
        "\"true\"",
        "\"06\"",
        "\"6\"",
        "\"[1]\"",
        "\"{}\"",
        "\"\\\"06\\\"\"",
        "\"Texas\"",
        "\"{\\\"additional_properties\\\":[]}\"",
        "\" 1\"",
        "\"\\u00e9\\n\\\\\"",
        "\"item_1\""};
    const uint64_t what = dice(state, depth > VALUES_DEEP ? 5 : 9);
    const uint64_t first = dice(state, CHECK_COUNT(mean_names));
    const uint64_t count = dice(state, 4);

    if (what < 5) {
        surety_buf_text(out, scalars[dice(state, CHECK_COUNT(scalars))]);
        return;
    }
    surety_buf_byte(out, what < 7 ? '[' : '{');
    for (uint64_t i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        if (what >= 7) {
            surety_json_string(
                out, surety_str_of(
                         mean_names[(first + i) % CHECK_COUNT(mean_names)]));
            surety_buf_byte(out, ':');
        }
        mean_any(state, depth + 1, out);
    }
    surety_buf_byte(out, what < 7 ? ']' : '}');
}

/* Whether a schema takes null by its own words; such members are never left
 * out, for where all are required their absence cannot be said. */
static bool takes_null(surety_val root, surety_val schema)
{
    const surety_val type = surety_val_get(follow(root, schema), "type");
    const surety_val branches = surety_val_get(follow(root, schema), "anyOf");
    bool takes =
        surety_val_is(type, "null") ||
        (!type.doc && !branches.doc && !surety_val_get(schema, "enum").doc &&
         !surety_val_get(schema, "const").doc);

    for (surety_val one = surety_val_first(type); one.doc;
         one = surety_val_next(type, one))
        takes |= surety_val_is(one, "null");
    for (surety_val one = surety_val_first(branches); one.doc;
         one = surety_val_next(branches, one))
        takes |= takes_null(root, one);
    return takes;
}

static bool lists(surety_val list, surety_str name)
{
    for (surety_val one = surety_val_first(list); one.doc;
         one = surety_val_next(list, one))
        if (surety_str_equal(surety_val_str(one), name))
            return true;
    return false;
}

static void mean_object(uint64_t *state, surety_val root, surety_val schema,
                        int depth, surety_buf *out)
{
    const surety_val names = surety_val_get(schema, "properties");
    const surety_val others = surety_val_get(schema, "additionalProperties");
    const surety_val required = surety_val_get(schema, "required");
    const size_t start = out->len;

    surety_buf_byte(out, '{');
    for (surety_val one = surety_val_first(names); one.doc;
         one = surety_val_next(names, one)) {
        if (!lists(required, surety_val_str(surety_val_key(one))) &&
            !takes_null(root, one) && !dice(state, 3))
            continue;
        surety_buf_text(out, out->len > start + 1 ? "," : "");
        surety_json_string(out, surety_val_str(surety_val_key(one)));
        surety_buf_byte(out, ':');
        mean(state, root, one, depth + 1, out);
    }
    /* Beside named properties others are asked for only by a schema. */
    if (surety_val_kind(others) == SURETY_KIND_OBJECT || !names.doc)
        for (uint64_t i = dice(state, CHECK_COUNT(mean_names));
             i < CHECK_COUNT(mean_names) &&
             !surety_val_member(names, surety_str_of(mean_names[i])).doc;
             i += 3) {
            if (surety_val_kind(others) == SURETY_KIND_BOOLEAN &&
                !surety_val_bool(others, false))
                break;
            surety_buf_text(out, out->len > start + 1 ? "," : "");
            surety_json_string(out, surety_str_of(mean_names[i]));
            surety_buf_byte(out, ':');
            mean(state, root, others, depth + 1, out);
        }
    surety_buf_byte(out, '}');
}

static void mean_array(uint64_t *state, surety_val root, surety_val schema,
                       int depth, surety_buf *out)
{
    const surety_val prefix = surety_val_get(schema, "prefixItems");
    const uint64_t least =
        surety_val_uint(surety_val_get(schema, "minItems"), 0);
    const uint64_t count =
        depth > VALUES_DEEP + 2 ? least : least + dice(state, 3);

    surety_buf_byte(out, '[');
    for (uint64_t i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        mean(state, root,
             i < surety_val_count(prefix) ? surety_val_item(prefix, i)
                                          : surety_val_get(schema, "items"),
             depth + 1, out);
    }
    surety_buf_byte(out, ']');
}

static void mean_string(uint64_t *state, surety_val schema, surety_buf *out)
{
    static const char *const texts[] = {"a",  "06",  "null", "[1]",
                                        "{}", "1.0", ""};
    const uint64_t least =
        surety_val_uint(surety_val_get(schema, "minLength"), 0);

    if (surety_val_is(surety_val_get(schema, "format"), "date"))
        surety_buf_text(out, "\"2022-01-01\"");
    else if (least)
        surety_buf_text(out, dice(state, 2) ? "\"[1, 2, 3, 4]\""
                                            : "\"12345678901\"");
    else
        surety_json_string(
            out, surety_str_of(texts[dice(state, CHECK_COUNT(texts))]));
}

/* A value that the schema wants, most of the time. Tests may recurse. */
static void mean(uint64_t *state, surety_val root, surety_val schema, int depth,
                 surety_buf *out)
{
    surety_val type, choices;

    schema = follow(root, schema);
    type = surety_val_get(schema, "type");
    choices = surety_val_get(schema, "anyOf");
    if (choices.doc) {
        mean(state, root,
             surety_val_item(choices, dice(state, surety_val_count(choices))),
             depth, out);
        return;
    }
    choices = surety_val_get(schema, "enum");
    if (surety_val_kind(type) == SURETY_KIND_ARRAY)
        type = surety_val_item(type, dice(state, surety_val_count(type)));
    if (choices.doc)
        (void)surety_val_write(
            surety_val_item(choices, dice(state, surety_val_count(choices))),
            SURETY_STYLE_COMPACT, out);
    else if (surety_val_get(schema, "const").doc)
        (void)surety_val_write(surety_val_get(schema, "const"),
                               SURETY_STYLE_COMPACT, out);
    else if (surety_val_is(type, "object"))
        mean_object(state, root, schema, depth, out);
    else if (surety_val_is(type, "array"))
        mean_array(state, root, schema, depth, out);
    else if (surety_val_is(type, "string"))
        mean_string(state, schema, out);
    else if (surety_val_is(type, "integer"))
        surety_buf_number(out, 1 + dice(state, 9));
    else if (surety_val_is(type, "number"))
        surety_buf_text(out, dice(state, 2) ? "0.50" : "1");
    else if (surety_val_is(type, "boolean"))
        surety_buf_text(out, dice(state, 2) ? "true" : "false");
    else if (surety_val_is(type, "null"))
        surety_buf_text(out, "null");
    else
        mean_any(state, depth, out);
}

/* ---- what is said -------------------------------------------------------- */

static bool say(surety_val root, surety_val schema, surety_val val,
                surety_buf *out);

static bool is_type(surety_val name, surety_val val)
{
    static const char *const names[] = {"",       "null",  "boolean", "number",
                                        "string", "array", "object"};
    const surety_kind kind = surety_val_kind(val);

    if (surety_val_is(name, "integer"))
        return kind == SURETY_KIND_NUMBER && surety_val_is_integer(val);
    return surety_val_is(name, names[kind]);
}

static bool is_typed(surety_val schema, surety_val val)
{
    const surety_val type = surety_val_get(schema, "type");
    const surety_val choices = surety_val_get(schema, "enum");
    const surety_val constant = surety_val_get(schema, "const");
    bool good = !type.doc || is_type(type, val);

    for (surety_val one = surety_val_first(type); one.doc && !good;
         one = surety_val_next(type, one))
        good = is_type(one, val);
    if (!good || (constant.doc && !surety_val_equal(constant, val)))
        return false;
    good = !choices.doc;
    for (surety_val one = surety_val_first(choices); one.doc && !good;
         one = surety_val_next(choices, one))
        good = surety_val_equal(one, val);
    return good;
}

/* The property that lists the other members, as its description says. */
static surety_val list_of(surety_val names)
{
    for (surety_val one = surety_val_first(names); one.doc;
         one = surety_val_next(names, one))
        if (surety_str_equal(
                surety_val_str(surety_val_get(one, "description")),
                surety_str_of("Members of any name, each as its key and its "
                              "value.")))
            return one;
    return surety_val_none();
}

/* The name that a property of the contract goes by. */
static surety_str sent_as(surety_val names, surety_str name)
{
    if (surety_str_equal(name, surety_str_of("a b")) &&
        surety_val_get(names, "a_b_").doc)
        return surety_str_of("a_b_");
    return name;
}

static bool say_list(surety_val root, surety_val names, surety_val list,
                     surety_val val, surety_buf *out)
{
    const surety_val of = surety_val_get(
        surety_val_get(surety_val_get(list, "items"), "properties"), "value");
    bool good = true, first = true;

    surety_json_string(out, surety_val_str(surety_val_key(list)));
    surety_buf_text(out, ":[");
    for (surety_val one = surety_val_first(val); one.doc && good;
         one = surety_val_next(val, one)) {
        const surety_str name = surety_val_str(surety_val_key(one));
        if (surety_val_member(names, name).doc &&
            !surety_str_equal(name, surety_val_str(surety_val_key(list))))
            continue;
        surety_buf_text(out, first ? "{\"key\":" : ",{\"key\":");
        surety_json_string(out, name);
        surety_buf_text(out, ",\"value\":");
        good = say(root, of, one, out);
        surety_buf_byte(out, '}');
        first = false;
    }
    surety_buf_byte(out, ']');
    return good;
}

static bool say_object(surety_val root, surety_val schema, surety_val val,
                       surety_buf *out)
{
    const surety_val names = surety_val_get(schema, "properties");
    const surety_val others = surety_val_get(schema, "additionalProperties");
    const surety_val required = surety_val_get(schema, "required");
    const surety_val list = list_of(names);
    const size_t start = out->len;

    surety_buf_byte(out, '{');
    for (surety_val one = surety_val_first(val); one.doc;
         one = surety_val_next(val, one)) {
        const surety_str name =
            sent_as(names, surety_val_str(surety_val_key(one)));
        const surety_val of = surety_val_member(names, name);
        const bool listed = list.doc && (!of.doc || of.index == list.index);
        if (listed)
            continue;
        if (!of.doc && surety_val_kind(others) == SURETY_KIND_BOOLEAN &&
            !surety_val_bool(others, true))
            return false;
        surety_buf_text(out, out->len > start + 1 ? "," : "");
        surety_json_string(out, name);
        surety_buf_byte(out, ':');
        if (!say(root, of.doc ? of : others, one, out))
            return false;
    }
    for (surety_val one = surety_val_first(required); one.doc;
         one = surety_val_next(required, one)) {
        const surety_str name = surety_val_str(one);
        const bool is_list =
            list.doc &&
            surety_str_equal(name, surety_val_str(surety_val_key(list)));
        bool there = false;
        for (surety_val sub = surety_val_first(val); sub.doc;
             sub = surety_val_next(val, sub))
            there |= surety_str_equal(
                sent_as(names, surety_val_str(surety_val_key(sub))), name);
        if (there && !is_list)
            continue;
        surety_buf_text(out, out->len > start + 1 ? "," : "");
        if (is_list) {
            if (!say_list(root, names, list, val, out))
                return false;
            continue;
        }
        if (!takes_null(root, surety_val_member(names, name)))
            return false;
        surety_json_string(out, name);
        surety_buf_text(out, ":null");
    }
    surety_buf_byte(out, '}');
    return true;
}

/* A tuple, where it is asked for as an object. */
static bool say_tuple(surety_val root, surety_val schema, surety_val val,
                      surety_buf *out)
{
    const surety_val names = surety_val_get(schema, "properties");
    const surety_val required = surety_val_get(schema, "required");
    surety_val item = surety_val_first(val);
    bool first = true;

    surety_buf_byte(out, '{');
    for (surety_val one = surety_val_first(names); one.doc;
         one = surety_val_next(names, one)) {
        const surety_val key = surety_val_key(one);
        if (!item.doc && !lists(required, surety_val_str(key)))
            continue;
        surety_buf_text(out, first ? "" : ",");
        first = false;
        (void)surety_val_write(key, SURETY_STYLE_COMPACT, out);
        surety_buf_byte(out, ':');
        if (surety_val_is(key, "rest")) {
            surety_buf_byte(out, '[');
            for (bool begun = false; item.doc;
                 item = surety_val_next(val, item), begun = true) {
                surety_buf_text(out, begun ? "," : "");
                if (!say(root, surety_val_get(one, "items"), item, out))
                    return false;
            }
            surety_buf_byte(out, ']');
            continue;
        }
        if (!item.doc)
            surety_buf_text(out, "null");
        else if (!say(root, one, item, out))
            return false;
        item = item.doc ? surety_val_next(val, item) : item;
    }
    surety_buf_byte(out, '}');
    return !item.doc;
}

static bool say_array(surety_val root, surety_val schema, surety_val val,
                      surety_buf *out)
{
    const surety_val prefix = surety_val_get(schema, "prefixItems");
    size_t index = 0;

    surety_buf_byte(out, '[');
    for (surety_val one = surety_val_first(val); one.doc;
         one = surety_val_next(val, one), index++) {
        surety_buf_text(out, index ? "," : "");
        if (!say(root,
                 index < surety_val_count(prefix)
                     ? surety_val_item(prefix, index)
                     : surety_val_get(schema, "items"),
                 one, out))
            return false;
    }
    surety_buf_byte(out, ']');
    return true;
}

/* Writes val as schema asks for it; false: it cannot be said so. */
static bool say(surety_val root, surety_val schema, surety_val val,
                surety_buf *out)
{
    const surety_kind kind = surety_val_kind(val);
    const size_t start = out->len;
    surety_val choices;

    schema = follow(root, schema);
    choices = surety_val_get(schema, "anyOf");
    if (!choices.doc)
        choices = surety_val_get(schema, "oneOf");
    for (surety_val one = surety_val_first(choices); one.doc;
         one = surety_val_next(choices, one)) {
        if (say(root, one, val, out))
            return true;
        out->len = start;
    }
    if (choices.doc)
        return false;
    if (kind == SURETY_KIND_ARRAY &&
        surety_val_get(surety_val_get(schema, "properties"), "item_1").doc)
        return say_tuple(root, schema, val, out);
    if (!is_typed(schema, val))
        return false;
    if (kind == SURETY_KIND_OBJECT)
        return say_object(root, schema, val, out);
    if (kind == SURETY_KIND_ARRAY)
        return say_array(root, schema, val, out);
    return surety_val_write(val, SURETY_STYLE_COMPACT, out) == SURETY_OK;
}

/* ---- a model ------------------------------------------------------------- */

struct fake {
    surety_transport transport;
    surety_val meant;
    surety__route route;
    uint64_t *dice;
    bool whole, unsaid;
    surety_buf text;
    /* Under way. */
    bool active;
    uint64_t id;
    surety_receiver receiver;
    surety_doc *body;
    surety__arena arena;
    surety__model_request request;
};

static surety_status fake_start(void *ctx, uint64_t id,
                                const surety_request *request,
                                const surety_receiver *receiver,
                                surety_error *reterr)
{
    struct fake *fake = ctx;
    surety__problem problem = {.status = 0};

    fake->active = true;
    fake->id = id;
    fake->receiver = *receiver;
    if (surety_doc_read(fake->body, request->body, NULL, reterr) ||
        surety__speak_read(&fake->route, surety_doc_root(fake->body),
                           &fake->arena, &fake->request, &problem, reterr))
        return SURETY_MISUSE;
    return SURETY_OK;
}

static void fake_write(struct fake *fake, surety_buf *out)
{
    const bool tool = fake->request.mode == SURETY_MODE_TOOL;
    const surety__speech_part part = tool ? PART_ARGUMENTS : PART_TEXT;
    surety__closing closing = {.usage = {.known = true}};
    surety__speech speech;
    surety_str text = surety_buf_str(&fake->text);

    surety__speech_init(&speech, &fake->request, surety_str_of("id"), NULL);
    speech.model = surety_str_of("m");
    speech.tool = fake->request.tool;
    if (!fake->whole)
        surety__speech_begin(&speech, &closing.usage, out);
    while (text.len) {
        size_t len = 1 + dice(fake->dice, 9);
        len = len < text.len ? len : text.len;
        while (len < text.len && ((unsigned char)text.ptr[len] & 0xC0) == 0x80)
            len++;
        surety__speech_piece(&speech, part, (surety_str){text.ptr, len},
                             fake->whole ? NULL : out);
        text.ptr += len;
        text.len -= len;
    }
    if (fake->whole)
        surety__speech_whole(&speech, &closing, out);
    else
        surety__speech_end(&speech, &closing, out);
    surety__speech_done(&speech);
}

static void fake_end(struct fake *fake, surety_failure failure)
{
    const surety_delivery delivery = {.failure = failure, .sent = true};

    fake->active = false;
    fake->receiver.end(fake->receiver.ctx, &delivery);
}

static surety_status fake_wait(void *ctx, uint32_t timeout_ms,
                               surety_error *reterr)
{
    struct fake *fake = ctx;
    const surety_header header = {.name = surety_str_of("content-type"),
                                  .value =
                                      surety__speak_content_type(!fake->whole)};
    const surety_val schema = fake->request.schema;
    surety_buf out;

    (void)timeout_ms;
    (void)reterr;
    if (!fake->active)
        return SURETY_OK;
    surety_buf_reset(&fake->text);
    if (!schema.doc || fake->request.mode == SURETY_MODE_PROMPT) {
        (void)surety_val_write(fake->meant, SURETY_STYLE_COMPACT, &fake->text);
    } else if (surety_val_get(surety_val_get(schema, "properties"), "value")
                   .doc &&
               surety_val_count(surety_val_get(schema, "properties")) == 1) {
        surety_buf_text(&fake->text, "{\"value\":");
        fake->unsaid |=
            !say(schema,
                 surety_val_get(surety_val_get(schema, "properties"), "value"),
                 fake->meant, &fake->text);
        surety_buf_byte(&fake->text, '}');
    } else {
        fake->unsaid |= !say(schema, schema, fake->meant, &fake->text);
    }
    surety_buf_init(&out, NULL, 0);
    fake_write(fake, &out);
    fake->receiver.head(fake->receiver.ctx, 200, &header, 1);
    (void)fake->receiver.bytes(fake->receiver.ctx, surety_buf_str(&out));
    surety_buf_done(&out);
    if (fake->active)
        fake_end(fake, SURETY_FAILURE_NONE);
    return SURETY_OK;
}

static void fake_cancel(void *ctx, uint64_t id)
{
    struct fake *fake = ctx;

    if (fake->active && fake->id == id)
        fake_end(fake, SURETY_FAILURE_CANCELLED);
}

static void fake_close(void *ctx)
{
    (void)ctx;
}

/* ---- the law ------------------------------------------------------------- */

/* Equal to the letter: numbers by their text, kinds kept apart. */
static bool same(surety_val a, surety_val b)
{
    const surety_kind kind = surety_val_kind(a);
    surety_val other = surety_val_first(b);

    if (kind != surety_val_kind(b) ||
        surety_val_count(a) != surety_val_count(b))
        return false;
    if (kind == SURETY_KIND_NUMBER)
        return surety_str_equal(surety_val_number(a), surety_val_number(b));
    if (kind < SURETY_KIND_ARRAY)
        return surety_val_equal(a, b);
    for (surety_val one = surety_val_first(a); one.doc;
         one = surety_val_next(a, one)) {
        if (kind == SURETY_KIND_OBJECT)
            other = surety_val_member(b, surety_val_str(surety_val_key(one)));
        if (!other.doc || !same(one, other))
            return false;
        if (kind == SURETY_KIND_ARRAY)
            other = surety_val_next(b, other);
    }
    return true;
}

static const struct {
    surety_protocol protocol;
    const char *provider, *path;
} values_models[] = {
    {SURETY_PROTOCOL_OPENAI, "openai", "/v1/chat/completions"},
    {SURETY_PROTOCOL_OPENAI, "ollama", "/v1/chat/completions"},
    {SURETY_PROTOCOL_OPENAI, "elsewhere", "/v1/chat/completions"},
    {SURETY_PROTOCOL_RESPONSES, "responses", "/v1/responses"},
    {SURETY_PROTOCOL_ANTHROPIC, "anthropic", "/v1/messages"},
    {SURETY_PROTOCOL_GEMINI, "gemini", "/v1beta/models/m:generateContent"},
};

static void values_tell(const struct fake *fake, const surety_run *run,
                        size_t model, surety_mode mode, uint64_t seed)
{
    const surety_outcome *outcome = surety_run_info_of(run)->outcome;
    surety_buf out;

    surety_buf_init(&out, NULL, 0);
    surety_buf_text(&out, "meant ");
    (void)surety_val_write(fake->meant, SURETY_STYLE_COMPACT, &out);
    surety_buf_text(&out, "\n# said ");
    surety_buf_add(&out, surety_buf_str(&fake->text));
    surety_buf_text(&out, "\n# came ");
    if (outcome)
        (void)surety_val_write(surety_outcome_info_of(outcome)->candidate,
                               SURETY_STYLE_COMPACT, &out);
    surety_buf_text(&out, "\n# ");
    surety_buf_add(&out, surety_run_info_of(run)->message);
    printf("# seed %llu: %s in mode %s\n# %.*s\n", (unsigned long long)seed,
           values_models[model].provider, surety_mode_name(mode), (int)out.len,
           out.ptr);
    surety_buf_done(&out);
}

/* One value through one model in one mode. */
static void values_run(struct check *t, const surety_contract *contract,
                       struct fake *fake, size_t m, surety_mode mode,
                       uint64_t seed)
{
    const surety_model model = {.size = sizeof(model),
                                .name = surety_str_of("m"),
                                .provider =
                                    surety_str_of(values_models[m].provider),
                                .model = surety_str_of("m"),
                                .protocol = values_models[m].protocol,
                                .base_url = surety_str_of("http://localhost"),
                                .mode = mode,
                                .whole = fake->whole,
                                .transport = &fake->transport};
    const surety_run_options options = {.size = sizeof(options),
                                        .contract = contract,
                                        .prompt = surety_str_of("What?"),
                                        .models = &model,
                                        .model_count = 1,
                                        .retry_max = SURETY_RUN_NONE,
                                        .seed = 1,
                                        .alloc = check_alloc(t)};
    surety_run *run = NULL;
    const surety_outcome *outcome;

    fake->route =
        surety__route_of(surety_str_of(values_models[m].path), false, false);
    fake->route.stream = !fake->whole;
    TRY(surety_run_new(&options, &run, NULL));
    TRY(surety_run_wait(run, NULL, NULL));
    outcome = surety_run_info_of(run)->outcome;
    if (fake->unsaid || !outcome ||
        surety_run_info_of(run)->verdict != SURETY_RUN_VALID ||
        !same(fake->meant, surety_outcome_info_of(outcome)->candidate))
        values_tell(fake, run, m, mode, seed);
    CHECK(!fake->unsaid);
    CHECK(surety_run_info_of(run)->verdict == SURETY_RUN_VALID);
    CHECK(same(fake->meant, surety_outcome_info_of(outcome)->candidate));
done:
    surety_run_free(run);
}

/* A value that satisfies the contract, into doc; false: chance made none. */
static bool values_mean(const surety_contract *contract, uint64_t *state,
                        surety_doc *doc)
{
    const surety_val root = surety_contract_info_of(contract)->root;
    static const surety_extract whole = {
        .size = sizeof(whole), .from = {SURETY_PLACE_WHOLE}, .from_count = 1};
    const surety_judge_options options = {
        .size = sizeof(options), .extract = &whole, .no_fallback = true};
    bool valid = false;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    for (int i = 0; i < VALUES_TRIES && !valid; i++) {
        surety_outcome *outcome = NULL;
        surety_buf_reset(&text);
        mean(state, root, root, 0, &text);
        valid = surety_contract_judge(contract, surety_buf_str(&text), &options,
                                      &outcome, NULL) == SURETY_OK &&
                surety_outcome_info_of(outcome)->ok &&
                surety_doc_read(doc, surety_buf_str(&text), NULL, NULL) ==
                    SURETY_OK;
        surety_outcome_free(outcome);
    }
    surety_buf_done(&text);
    return valid;
}

static void values_try(struct check *t, const surety_contract *contract,
                       uint64_t seed, int rounds)
{
    static const surety_mode modes[] = {SURETY_MODE_AUTO, SURETY_MODE_NATIVE,
                                        SURETY_MODE_TOOL, SURETY_MODE_PROMPT};
    const surety_val root = surety_contract_info_of(contract)->root;
    const bool object = surety_val_is(surety_val_get(root, "type"), "object") ||
                        surety_val_get(root, "$ref").doc;
    uint64_t state = seed;
    struct fake fake = {.dice = &state,
                        .transport = {1, &fake, fake_start, fake_cancel,
                                      fake_wait, fake_close, NULL}};
    surety_doc *meant = surety_doc_new(NULL);

    fake.body = surety_doc_new(NULL);
    surety_buf_init(&fake.text, NULL, 0);
    surety__arena_init(&fake.arena, NULL, 0);
    NEED(meant);
    NEED(fake.body);
    for (int i = 0; i < rounds && !t->failed; i++) {
        CHECK(values_mean(contract, &state, meant));
        fake.meant = surety_doc_root(meant);
        for (size_t m = 0; m < CHECK_COUNT(values_models); m++)
            for (size_t k = 0; k < CHECK_COUNT(modes) && !t->failed; k++) {
                /* A tool takes an object: AUTO knows that. */
                if (modes[k] == SURETY_MODE_TOOL && !object)
                    continue;
                fake.whole = dice(&state, 2);
                values_run(t, contract, &fake, m, modes[k], seed);
            }
    }
done:
    surety__arena_done(&fake.arena);
    surety_buf_done(&fake.text);
    surety_doc_free(fake.body);
    surety_doc_free(meant);
}

static uint64_t values_seed(void)
{
    const char *given = getenv("SURETY_SEED");

    return given ? strtoull(given, NULL, 10) : 1;
}

TEST(open_places_come_back)
{
    surety_contract *contract = NULL;

    for (size_t i = 0; i < CHECK_COUNT(values_contracts) && !t->failed; i++) {
        TRY(check_contract(t, values_contracts[i], &contract));
        values_try(t, contract, values_seed() + i, VALUES_ROUNDS);
        if (t->failed)
            printf("# %s\n", values_contracts[i]);
        surety_contract_free(contract);
        contract = NULL;
    }
done:
    surety_contract_free(contract);
}

TEST(contracts_of_the_systems_come_back)
{
    surety_contract *contract = NULL;

    for (size_t i = 0; i < surety__builtins_count && !t->failed; i++) {
        const surety__embedded *builtin = &surety__builtins[i];
        const surety_str text = {builtin->text, builtin->len};
        bool wanted = false;

        for (size_t k = 0; k < CHECK_COUNT(values_builtins); k++)
            wanted |= strcmp(builtin->name, values_builtins[k]) == 0;
        if (!wanted)
            continue;
        if (surety_contract_read(text, NULL, &contract, NULL) ==
            SURETY_UNSUPPORTED)
            continue; /* rules that are not built in */
        values_try(t, contract, values_seed(), 3);
        surety_contract_free(contract);
        contract = NULL;
    }
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"open places come back as they were meant", open_places_come_back},
        {"so do those of the systems' contracts",
         contracts_of_the_systems_come_back},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
