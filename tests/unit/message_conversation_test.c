/* SPDX-License-Identifier: Apache-2.0 */
/* Conversations: what a message may be, limits, copies, files as parts, and the
 * law that a written conversation is read back as it was. */
#include <surety-run.h>

#include "check.h"

#include <string.h>

#define TEXT(literal) ((surety_str){(literal), sizeof(literal) - 1})

static surety_status conversation_of(struct check *t,
                                     const surety_limits *limits,
                                     surety_conversation **ret)
{
    const surety_conversation_options options = {
        .size = sizeof(options), .limits = limits, .alloc = check_alloc(t)};

    return surety_conversation_new(&options, ret, NULL);
}

static surety_status add(surety_conversation *conversation, surety_role role,
                         const surety_part *part, surety_error *error)
{
    const surety_message message = {role, part, part ? 1 : 0};

    return surety_conversation_add(conversation, &message, error);
}

static const struct {
    surety_role role;
    surety_part part;
    const char *message; /* NULL: it is taken */
} part_rows[] = {
    {SURETY_ROLE_USER, {.text = {"a", 1}}, NULL},
    {SURETY_ROLE_USER,
     {.kind = (surety_part_kind)9},
     "there is no part of kind 9"},
    {SURETY_ROLE_USER,
     {.text = {"\xFF", 1}},
     "the text of this text is not text in UTF-8"},
    {SURETY_ROLE_USER, {.text = {"a", 1}, .name = {"n", 1}}, NULL},
    {SURETY_ROLE_TOOL,
     {.text = {"a", 1}, .name = {"n", 1}},
     "a text of the role tool has no name"},
    {SURETY_ROLE_USER,
     {.name = {"\xFF", 1}},
     "the name of this text is not text in UTF-8"},
    {SURETY_ROLE_USER,
     {.text = {"a", 1}, .url = {"b", 1}},
     "a part text has no url"},
    {SURETY_ROLE_USER,
     {.text = {"a", 1}, .error = true},
     "a part text has no error"},
    {SURETY_ROLE_USER,
     {.kind = SURETY_PART_IMAGE},
     "this image needs exactly one of data, url and file_id"},
    {SURETY_ROLE_USER,
     {.kind = SURETY_PART_IMAGE, .data = {"\0", 1}},
     "this image needs a media_type for its data"},
    {SURETY_ROLE_USER,
     {.kind = SURETY_PART_IMAGE,
      .data = {"\0", 1},
      .media_type = {"image/png", 9}},
     NULL},
    {SURETY_ROLE_USER,
     {.kind = SURETY_PART_IMAGE, .url = {"u", 1}, .name = {"n", 1}},
     "a part image has no name"},
    {SURETY_ROLE_SYSTEM,
     {.kind = SURETY_PART_AUDIO, .url = {"u", 1}},
     "a message of the role system has no part audio"},
    {SURETY_ROLE_ASSISTANT,
     {.kind = SURETY_PART_CALL, .id = {"1", 1}, .text = {"{}", 2}},
     "this call needs a name"},
    {SURETY_ROLE_ASSISTANT,
     {.kind = SURETY_PART_CALL,
      .id = {"1", 1},
      .name = {"n", 1},
      .text = {"[]", 2}},
     "the text of this call is no object of JSON"},
    {SURETY_ROLE_ASSISTANT,
     {.kind = SURETY_PART_CALL,
      .id = {"1", 1},
      .name = {"n", 1},
      .text = {"{", 1}},
     "the text of this call: the text ends inside an object"},
    {SURETY_ROLE_TOOL, {.kind = SURETY_PART_RESULT}, "this result needs an id"},
    {SURETY_ROLE_ASSISTANT,
     {.text = {"a", 1}, .raw = {"1", 1}},
     "the raw of this part is no object of JSON"},
};

TEST(a_part_has_what_its_kind_uses)
{
    surety_conversation *conversation = NULL;
    surety_error error;
    size_t count = 0, taken = 0;

    TRY(conversation_of(t, NULL, &conversation));
    for (size_t i = 0; i < CHECK_COUNT(part_rows); i++) {
        if (!part_rows[i].message) {
            TRY(add(conversation, part_rows[i].role, &part_rows[i].part, NULL));
            taken++;
            continue;
        }
        EXPECT(SURETY_MISUSE, add(conversation, part_rows[i].role,
                                  &part_rows[i].part, &error));
        CHECK_TEXT(surety_str_of(error.message), part_rows[i].message);
        CHECK(error.status == SURETY_MISUSE);
    }
    EXPECT(SURETY_MISUSE, add(conversation, SURETY_ROLE_USER, NULL, &error));
    EXPECT(SURETY_MISUSE,
           add(conversation, (surety_role)7, &part_rows[0].part, &error));
    TRY(add(conversation, SURETY_ROLE_ASSISTANT, NULL, &error));
    (void)surety_conversation_messages(conversation, &count);
    CHECK(count == taken + 1);
done:
    surety_conversation_free(conversation);
}

TEST(what_is_added_is_a_copy)
{
    char text[] = "{ \"a\": 1 }  ";
    surety_part part = {.kind = SURETY_PART_CALL,
                        .id = {"1", 1},
                        .name = {"n", 1},
                        .text = {text, sizeof(text) - 1}};
    surety_conversation *conversation = NULL;
    const surety_message *messages;
    size_t count;

    TRY(conversation_of(t, NULL, &conversation));
    TRY(add(conversation, SURETY_ROLE_ASSISTANT, &part, NULL));
    memset(text, 'x', sizeof(text));
    messages = surety_conversation_messages(conversation, &count);
    CHECK(count == 1 && messages[0].part_count == 1);
    CHECK_TEXT(messages[0].parts[0].text, "{ \"a\": 1 }");
done:
    surety_conversation_free(conversation);
}

TEST(limits_hold)
{
    const surety_limits limits = {
        .size = sizeof(limits), .messages_max = 2, .media_bytes_max = 3};
    surety_part part = {.kind = SURETY_PART_IMAGE,
                        .media_type = {"image/png", 9},
                        .data = {"abcd", 3}};
    surety_conversation *conversation = NULL;
    surety_error error;
    size_t count;

    TRY(conversation_of(t, &limits, &conversation));
    TRY(add(conversation, SURETY_ROLE_USER, &part, NULL));
    part.data.len = 4;
    EXPECT(SURETY_LIMIT, add(conversation, SURETY_ROLE_USER, &part, &error));
    CHECK(strstr(error.message, "media_bytes_max of 3"));
    TRY(surety_conversation_read(
        conversation, TEXT("[{\"role\":\"user\",\"content\":\"b\"}]"), NULL));
    EXPECT(SURETY_LIMIT,
           surety_conversation_read(
               conversation, TEXT("[{\"role\":\"user\",\"content\":\"c\"}]"),
               &error));
    CHECK(strstr(error.message, "messages_max of 2"));
    (void)surety_conversation_messages(conversation, &count);
    CHECK(count == 2);
done:
    surety_conversation_free(conversation);
}

/* A conversation of a protocol reads its requests, and tries nothing else. */
TEST(a_protocol_is_not_guessed)
{
    static const struct {
        surety_protocol protocol;
        const char *text;
        const char *path; /* of the mistake; NULL: it is read */
        size_t count;
    } rows[] = {
        {SURETY_PROTOCOL_OPENAI,
         "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}", NULL, 1},
        {SURETY_PROTOCOL_OPENAI,
         "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"tool_"
         "use\","
         "\"id\":\"1\",\"name\":\"n\",\"input\":{}}]}]}",
         "/messages/0/content/0", 0},
        {SURETY_PROTOCOL_RESPONSES, "{\"input\":\"a\",\"instructions\":\"b\"}",
         NULL, 2},
        {SURETY_PROTOCOL_RESPONSES,
         "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}", "", 0},
        {SURETY_PROTOCOL_ANTHROPIC,
         "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}", NULL, 1},
        {SURETY_PROTOCOL_ANTHROPIC,
         "{\"system\":\"s\",\"messages\":[{\"role\":\"user\",\"content\":"
         "[{\"type\":\"text\",\"text\":\"a\"}]}]}",
         NULL, 2},
        {SURETY_PROTOCOL_GEMINI,
         "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"a\"}]}]}",
         NULL, 1},
        {SURETY_PROTOCOL_GEMINI,
         "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}", "", 0},
    };
    surety_conversation *conversation = NULL;
    surety_error error;
    size_t count;

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const surety_conversation_options options = {.size = sizeof(options),
                                                     .alloc = check_alloc(t),
                                                     .has_protocol = true,
                                                     .protocol =
                                                         rows[i].protocol};

        surety_conversation_free(conversation);
        conversation = NULL;
        TRY(surety_conversation_new(&options, &conversation, NULL));
        EXPECT(rows[i].path ? SURETY_SYNTAX : SURETY_OK,
               surety_conversation_read(conversation,
                                        surety_str_of(rows[i].text), &error));
        if (rows[i].path)
            CHECK_TEXT(surety_str_of(error.path), rows[i].path);
        (void)surety_conversation_messages(conversation, &count);
        CHECK(count == rows[i].count);
    }
    surety_conversation_free(conversation);
    conversation = NULL;
    {
        const surety_conversation_options options = {.size = sizeof(options),
                                                     .alloc = check_alloc(t),
                                                     .has_protocol = true,
                                                     .protocol =
                                                         SURETY_PROTOCOL_TEXT};

        EXPECT(SURETY_MISUSE,
               surety_conversation_new(&options, &conversation, &error));
    }
done:
    surety_conversation_free(conversation);
}

TEST(a_failure_adds_nothing)
{
    static const char text[] =
        "[{\"role\":\"user\",\"name\":\"bob\",\"content\":\"a\"},"
        "{\"role\":\"assistant\",\"audio\":{\"id\":\"1\"}}]";
    surety_conversation *conversation = NULL;
    surety_conversation_note note;
    surety_error error;
    size_t count;

    TRY(conversation_of(t, NULL, &conversation));
    EXPECT(SURETY_SYNTAX,
           surety_conversation_read(conversation, TEXT(text), &error));
    CHECK_TEXT(surety_str_of(error.path), "/1/audio");
    CHECK(error.position.line == 1);
    (void)surety_conversation_messages(conversation, &count);
    CHECK(count == 0 && !surety_conversation_note_at(conversation, 0, &note));
done:
    surety_conversation_free(conversation);
}

/* A root that was read already gives the messages of its text, without notes.
 */
TEST(a_value_is_read_like_its_text)
{
    static const char text[] =
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\","
        "\"name\":\"n\"},{\"role\":\"assistant\",\"content\":[{\"type\":"
        "\"text\","
        "\"text\":\"b\"}]}]}";
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_conversation *by_text = NULL, *by_value = NULL;
    surety_conversation_note note;
    surety_error error;
    surety_buf one, other;
    size_t count;

    surety_buf_init(&one, check_alloc(t), 0);
    surety_buf_init(&other, check_alloc(t), 0);
    NEED(doc);
    TRY(conversation_of(t, NULL, &by_text));
    TRY(conversation_of(t, NULL, &by_value));
    TRY(surety_conversation_read(by_text, TEXT(text), NULL));
    TRY(surety_doc_read(doc, TEXT(text), NULL, NULL));
    TRY(surety_conversation_read_value(by_value, surety_doc_root(doc), NULL));
    TRY(surety_conversation_write(by_text, &one));
    TRY(surety_conversation_write(by_value, &other));
    CHECK(surety_str_equal(surety_buf_str(&one), surety_buf_str(&other)));
    CHECK(surety_conversation_note_at(by_text, 0, &note));
    CHECK(!surety_conversation_note_at(by_value, 0, &note));
    EXPECT(
        SURETY_SYNTAX,
        surety_conversation_read_value(
            by_value, surety_val_get(surety_doc_root(doc), "model"), &error));
    (void)surety_conversation_messages(by_value, &count);
    CHECK(count == 2);
done:
    surety_buf_done(&one);
    surety_buf_done(&other);
    surety_conversation_free(by_text);
    surety_conversation_free(by_value);
    surety_doc_free(doc);
}

/* Every dialect once, with what allocates. */
TEST(dialects_are_read_and_repaired)
{
    static const char *const texts[] = {
        "[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"data\":\"QQ=="
        "\","
        "\"media_type\":\"image/png\"}]}]",
        "{\"model\":\"m\",\"messages\":[{\"role\":\"assistant\",\"content\":"
        "null,"
        "\"reasoning_content\":\"r\",\"tool_calls\":[{\"id\":\"1\","
        "\"function\":"
        "{\"name\":\"f\",\"arguments\":\"[\"}}]},{\"role\":\"user\","
        "\"content\":\"b\"},{\"role\":\"tool\","
        "\"tool_call_id\":\"1\",\"content\":[{\"type\":\"text\",\"text\":"
        "\"x\"}]}]}",
        "{\"instructions\":\"s\",\"input\":[{\"type\":\"reasoning\",\"id\":"
        "\"r\",\"summary\":[{\"text\":\"t\"}]},{\"type\":\"message\",\"id\":"
        "\"m\","
        "\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\","
        "\"text\":"
        "\"a\"}]},{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\","
        "\"arguments\":\"{}\"}]}",
        "{\"system\":[{\"type\":\"text\",\"text\":\"s\"}],\"messages\":[{"
        "\"role\":"
        "\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"c\","
        "\"content\":[{\"type\":\"text\",\"text\":\"x\"}]},{\"type\":\"text\","
        "\"text\":\"y\"}]}]}",
        "{\"contents\":[{\"role\":\"model\",\"parts\":[{\"functionCall\":{"
        "\"name\":\"f\"}}]},{\"role\":\"user\",\"parts\":[{"
        "\"functionResponse\":{"
        "\"name\":\"f\",\"response\":{\"output\":1}}}]}]}",
        "[{\"role\":\"assistant\",\"content\":[{\"type\":\"reasoning\","
        "\"text\":"
        "\"t\",\"providerOptions\":{\"anthropic\":{\"signature\":\"s\"}}},{"
        "\"type\":\"tool-call\",\"toolCallId\":\"d\",\"toolName\":\"f\","
        "\"input\":"
        "{},\"providerOptions\":{\"google\":{\"thoughtSignature\":\"s\"}}}]}]",
    };
    surety_conversation *conversation = NULL;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(conversation_of(t, NULL, &conversation));
    for (size_t i = 0; i < CHECK_COUNT(texts); i++)
        TRY(surety_conversation_read(conversation, surety_str_of(texts[i]),
                                     NULL));
    TRY(surety_conversation_repair(conversation, NULL));
    TRY(surety_conversation_write(conversation, &out));
    CHECK(out.len > 500);
done:
    surety_buf_done(&out);
    surety_conversation_free(conversation);
}

/* A call that a model made without a name pairs by its id, and ids may come
 * again behind their results. */
TEST(calls_without_a_name_are_kept)
{
    static const char *const texts[] = {
        "[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"function\":{"
        "\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"a\","
        "\"content\":\"x\"},{\"role\":\"assistant\",\"tool_calls\":[{\"id\":"
        "\"a\",\"function\":{\"name\":\"\",\"arguments\":\"{}\"}}]},{\"role\":"
        "\"tool\",\"tool_call_id\":\"a\",\"content\":\"y\"}]",
        "[{\"type\":\"function_call\",\"call_id\":\"a\",\"arguments\":\"{}\"},"
        "{\"type\":\"function_call_output\",\"call_id\":\"a\",\"output\":"
        "\"x\"}]",
        "[{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":"
        "\"a\",\"input\":{}}]},{\"role\":\"user\",\"content\":[{\"type\":"
        "\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"x\"}]}]",
    };
    surety_conversation *conversation = NULL;
    surety_conversation_note note;
    const surety_message *messages;
    size_t count = 0;

    for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
        TRY(conversation_of(t, NULL, &conversation));
        TRY(surety_conversation_read(conversation, surety_str_of(texts[i]),
                                     NULL));
        TRY(surety_conversation_repair(conversation, NULL));
        messages = surety_conversation_messages(conversation, &count);
        CHECK(count == (i ? 2 : 4));
        for (size_t k = 0; k < count; k++)
            CHECK_TEXT(messages[k].parts[0].name, "unnamed");
        CHECK(surety_conversation_note_at(conversation, 0, &note));
        CHECK_TEXT(surety_str_of(note.rule), "unnamed");
        CHECK(surety_conversation_note_at(conversation, 1, &note) == !i);
        surety_conversation_free(conversation);
        conversation = NULL;
    }
done:
    surety_conversation_free(conversation);
}

/* ---- the law ------------------------------------------------------------- */

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static surety_str any_text(uint32_t *seed)
{
    static const surety_str texts[] = {
        {"a", 1},           {"\"\\\n\t\0z", 6},
        {"caf\xC3\xA9", 5}, {"\xF0\x9F\x98\x80", 4},
        {"{\"x\": 1}", 8},  {" b ", 3}};

    return texts[next(seed) % CHECK_COUNT(texts)];
}

static surety_str any_object(uint32_t *seed)
{
    static const char *const objects[] = {
        "{}", "{\"a\" : [1.0, 1e400, \"\\u00e9\\/\"]}",
        "{\"deep\":[[[[{\"x\":null}]]]],\n\"b\":-0}"};

    return surety_str_of(objects[next(seed) % CHECK_COUNT(objects)]);
}

static surety_part any_part(surety_role role, uint32_t *seed)
{
    static const surety_part_kind kinds[][4] = {
        {SURETY_PART_TEXT, SURETY_PART_TEXT, SURETY_PART_TEXT,
         SURETY_PART_TEXT},
        {SURETY_PART_TEXT, SURETY_PART_IMAGE, SURETY_PART_DOCUMENT,
         SURETY_PART_AUDIO},
        {SURETY_PART_TEXT, SURETY_PART_CALL, SURETY_PART_REASONING,
         SURETY_PART_IMAGE},
        {SURETY_PART_RESULT, SURETY_PART_RESULT, SURETY_PART_IMAGE,
         SURETY_PART_TEXT}};
    surety_part part = {.kind = kinds[role][next(seed) % 4]};

    switch (part.kind) {
    case SURETY_PART_CALL: part.name = any_text(seed); break;
    case SURETY_PART_RESULT: part.error = next(seed) % 2; break;
    case SURETY_PART_IMAGE:
    case SURETY_PART_DOCUMENT:
    case SURETY_PART_AUDIO:
        part.media_type = TEXT("x/y");
        if (next(seed) % 2)
            part.data = (surety_str){"\0\xFF\x80"
                                     "1234",
                                     1 + next(seed) % 7};
        else
            part.url = any_text(seed);
        if (part.kind == SURETY_PART_DOCUMENT)
            part.name = any_text(seed);
        break;
    default: break;
    }
    if (part.kind == SURETY_PART_CALL)
        part.text = any_object(seed);
    else if (part.media_type.len == 0 && next(seed) % 8)
        part.text = any_text(seed);
    if (part.kind == SURETY_PART_CALL || part.kind == SURETY_PART_RESULT)
        part.id = any_text(seed);
    part.cache = next(seed) % 4 == 0;
    if (next(seed) % 3 == 0) {
        part.raw = any_object(seed);
        part.raw_protocol = (surety_protocol)(next(seed) % 5);
    }
    return part;
}

static bool parts_equal(const surety_part *a, const surety_part *b)
{
    return a->kind == b->kind && surety_str_equal(a->text, b->text) &&
           surety_str_equal(a->media_type, b->media_type) &&
           surety_str_equal(a->data, b->data) &&
           surety_str_equal(a->url, b->url) &&
           surety_str_equal(a->file_id, b->file_id) &&
           surety_str_equal(a->name, b->name) &&
           surety_str_equal(a->id, b->id) && a->error == b->error &&
           a->cache == b->cache && surety_str_equal(a->raw, b->raw) &&
           (a->raw.len == 0 || a->raw_protocol == b->raw_protocol);
}

static bool conversations_equal(const surety_conversation *a,
                                const surety_conversation *b)
{
    size_t count, other;
    const surety_message *first = surety_conversation_messages(a, &count);
    const surety_message *last = surety_conversation_messages(b, &other);

    if (count != other)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (first[i].role != last[i].role ||
            first[i].part_count != last[i].part_count)
            return false;
        for (size_t k = 0; k < first[i].part_count; k++)
            if (!parts_equal(&first[i].parts[k], &last[i].parts[k]))
                return false;
    }
    return true;
}

static surety_status fill(surety_conversation *conversation, uint32_t *seed)
{
    surety_status status = SURETY_OK;

    for (uint32_t i = next(seed) % 6; i > 0 && status == SURETY_OK; i--) {
        const surety_role role = (surety_role)(next(seed) % 4);
        surety_part parts[4];
        const size_t count =
            1 + next(seed) % 4 - (role == SURETY_ROLE_ASSISTANT);
        const surety_message message = {role, parts, count};

        for (size_t k = 0; k < count; k++)
            parts[k] = any_part(role, seed);
        if (count && parts[0].kind == SURETY_PART_TEXT &&
            role != SURETY_ROLE_TOOL && next(seed) % 3 == 0)
            parts[0].name = any_text(seed);
        status = surety_conversation_add(conversation, &message, NULL);
    }
    return status;
}

TEST(what_is_written_is_read_back)
{
    surety_conversation *made = NULL, *read = NULL;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (uint32_t seed = 1; seed <= 400; seed++) {
        uint32_t state = seed;

        TRY(conversation_of(t, NULL, &made));
        TRY(conversation_of(t, NULL, &read));
        TRY(fill(made, &state));
        surety_buf_reset(&out);
        TRY(surety_conversation_write(made, &out));
        TRY(surety_conversation_read(read, surety_buf_str(&out), NULL));
        if (!conversations_equal(made, read))
            printf("# seed %u\n", seed);
        CHECK(conversations_equal(made, read));
        surety_conversation_free(made);
        surety_conversation_free(read);
        made = read = NULL;
        if (t->fail_at)
            break; /* one is enough to see each allocation fail */
    }
done:
    surety_conversation_free(made);
    surety_conversation_free(read);
    surety_buf_done(&out);
}

/* An item that a library for JSON could write otherwise is a string. */
TEST(an_item_that_could_change_is_a_string)
{
    static const struct {
        const char *item;
        bool stays;
    } rows[] = {
        {"{}", true},
        {"{\"a\":[1,-12,true,null,\"e 1.50E+ \"],\"e\":{\"b\":\"\"}}", true},
        {"{\"a\":\"\\\"\\\\\\n\\t\\b\\f\\r\\u001f caf\xC3\xA9\"}", true},
        {"{\"a\":123456789012345}", true},
        {"{\"a\":1234567890123456}", false},
        {"{\"a\":1.0}", false},
        {"{\"a\":1e3}", false},
        {"{\"a\":1E3}", false},
        {"{\"a\":-0}", false},
        {"{\"a\": 1}", false},
        {"{\"1\":2}", false},
        {"{\"a\":\"\\/\"}", false},
        {"{\"a\":\"\\u00e9\"}", false},
        {"{\"a\":\"\\u001F\"}", false},
        {"{\"a\":\"\\u000a\"}", false},
        {"{\"\\u0061\":1}", false},
    };
    surety_conversation *conversation = NULL;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const surety_part part = {.kind = SURETY_PART_REASONING,
                                  .raw = surety_str_of(rows[i].item),
                                  .raw_protocol = SURETY_PROTOCOL_ANTHROPIC};
        const surety_message message = {SURETY_ROLE_ASSISTANT, &part, 1};

        TRY(conversation_of(t, NULL, &conversation));
        TRY(surety_conversation_add(conversation, &message, NULL));
        surety_buf_reset(&out);
        TRY(surety_conversation_write(conversation, &out));
        surety_buf_byte(&out, 0);
        TRY(out.status);
        if (!strstr(out.ptr, "\"item\":\"") != rows[i].stays)
            printf("# %s\n", out.ptr);
        CHECK(!strstr(out.ptr, "\"item\":\"") == rows[i].stays);
        surety_conversation_free(conversation);
        conversation = NULL;
    }
done:
    surety_conversation_free(conversation);
    surety_buf_done(&out);
}

/* ---- files --------------------------------------------------------------- */

TEST(a_file_shows_what_it_is)
{
    static const struct {
        surety_str bytes;
        const char *name;
        surety_part_kind kind;
        const char *media_type; /* NULL: none */
    } rows[] = {
        {{"\x89PNG\r\n\x1A\n...", 11}, "a.jpg", SURETY_PART_IMAGE, "image/png"},
        {{"\xFF\xD8\xFF\xE0", 4}, "", SURETY_PART_IMAGE, "image/jpeg"},
        {{"RIFF....WEBP", 12}, "", SURETY_PART_IMAGE, "image/webp"},
        {{"RIFF....WAVE", 12}, "", SURETY_PART_AUDIO, "audio/wav"},
        {{"GIF89a", 6}, "", SURETY_PART_IMAGE, "image/gif"},
        {{"ID3\x04", 4}, "", SURETY_PART_AUDIO, "audio/mpeg"},
        {{"%PDF-1.7", 8}, "", SURETY_PART_DOCUMENT, "application/pdf"},
        {{"a,b\n", 4}, "DATA.CSV", SURETY_PART_DOCUMENT, "text/csv"},
        {{"hello", 5}, "notes", SURETY_PART_DOCUMENT, "text/plain"},
        {{"RIFF", 4}, "", SURETY_PART_DOCUMENT, "text/plain"},
        {{"a\0b", 3}, "x.bin", SURETY_PART_DOCUMENT, NULL},
        {{"", 0}, "x.png", SURETY_PART_DOCUMENT, NULL},
    };

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        surety_part part;
        surety_error error;
        const surety_status status = surety_part_of_file(
            rows[i].bytes, surety_str_of(rows[i].name), &part, &error);

        CHECK(status == (rows[i].media_type ? SURETY_OK : SURETY_UNSUPPORTED));
        if (status != SURETY_OK)
            continue;
        CHECK(part.kind == rows[i].kind);
        CHECK_TEXT(part.media_type, rows[i].media_type);
        CHECK(surety_str_equal(part.data, rows[i].bytes));
    }
done:
    return;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"a part has what its kind uses", a_part_has_what_its_kind_uses},
        {"what is added is a copy", what_is_added_is_a_copy},
        {"limits hold", limits_hold},
        {"a protocol is not guessed", a_protocol_is_not_guessed},
        {"a failure adds nothing", a_failure_adds_nothing},
        {"a value is read like its text", a_value_is_read_like_its_text},
        {"calls without a name are kept", calls_without_a_name_are_kept},
        {"dialects are read and repaired", dialects_are_read_and_repaired},
        {"what is written is read back", what_is_written_is_read_back},
        {"an item that could change is a string",
         an_item_that_could_change_is_a_string},
        {"a file shows what it is", a_file_shows_what_it_is},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
