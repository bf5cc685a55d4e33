/* SPDX-License-Identifier: Apache-2.0 */
/* Models by their names: what a name gives, what it shares, where keys come
 * from, and that nothing of a key is left when the configuration is gone. */
#include "check.h"
#include "config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CANARY "sk-canary-0123456789abcdef"
#define KEY_FILE "a.key"
#define RECORDING_FILE "a.jsonl"

/* An environment, what was warned of, and memory that is looked at when it is
 * given back. */
struct world {
    const char *name, *value; /* the one variable */
    char warned[512];
    surety_alloc below, alloc;
    bool leaked;
};

static const char *look_up(void *ctx, const char *name)
{
    const struct world *world = ctx;

    return world->name && strcmp(name, world->name) == 0 ? world->value : NULL;
}

static void hear(void *ctx, surety_str sentence)
{
    struct world *world = ctx;
    const size_t len = sentence.len < sizeof(world->warned)
                           ? sentence.len
                           : sizeof(world->warned) - 1;

    memcpy(world->warned, sentence.ptr, len);
    world->warned[len] = '\0';
}

/* Whether a block holds the canary when it is freed, or moved. */
static void *watch(void *ctx, void *ptr, size_t size_old, size_t size_new)
{
    struct world *world = ctx;
    const char *bytes = ptr;
    const size_t len = strlen(CANARY);

    for (size_t i = 0; ptr && size_new < size_old && i + len <= size_old; i++)
        if (memcmp(bytes + i, CANARY, len) == 0)
            world->leaked = true;
    return world->below.resize(world->below.ctx, ptr, size_old, size_new);
}

static surety_config_options options_of(struct check *t, struct world *world)
{
    *world = (struct world){.name = world->name,
                            .value = world->value,
                            .below = *check_alloc(t),
                            .alloc = {watch, world}};
    return (surety_config_options){.size = sizeof(surety_config_options),
                                   .environment = look_up,
                                   .environment_ctx = world,
                                   .warn = hear,
                                   .warn_ctx = world,
                                   .alloc = &world->alloc};
}

static bool write_file(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");
    const bool is_written = file && fputs(text, file) >= 0;

    return file && fclose(file) == 0 && is_written && chmod(path, mode) == 0;
}

/* After everything is freed; no way out of a test is left then. */
#define LEAKED_NOT                                                             \
    check_that(t, !world.leaked, "no block held the key when it was freed",    \
               __FILE__, __LINE__)

static surety_status ask(surety_config *config, const char *name,
                         const surety_model **ret_model, surety_error *err)
{
    return surety_config_model(config, surety_str_of(name), ret_model, err);
}

TEST(gives_models_that_are_named_directly)
{
    struct world world = {.name = "OPENAI_API_KEY", .value = CANARY};
    const surety_config_options options = options_of(t, &world);
    const surety_model *model = NULL;
    const surety_model *again = NULL;
    surety_config *config = NULL;

    TRY(surety_config_read(
        surety_str_of("{\"prices\":{\"openai:gpt:5\":{\"input\":1,"
                      "\"output\":2}}}"),
        &options, &config, NULL));
    TRY(ask(config, "openai:gpt:5", &model, NULL));
    CHECK(model->size == sizeof(surety_model));
    CHECK_TEXT(model->name, "openai:gpt:5");
    CHECK_TEXT(model->provider, "openai");
    CHECK_TEXT(model->model, "gpt:5");
    CHECK(model->protocol == SURETY_PROTOCOL_OPENAI);
    CHECK_TEXT(model->base_url, "https://api.openai.com/v1");
    CHECK_TEXT(model->key, CANARY);
    CHECK(model->price.known && model->price.output_microusd == 2000000);
    CHECK(model->mode == SURETY_MODE_AUTO && !model->whole);
    CHECK(model->transport != NULL);
    CHECK(world.warned[0] == '\0');
    TRY(ask(config, "openai:gpt:5", &again, NULL));
    CHECK(again == model);
    TRY(ask(config, "responses:gpt-5", &again, NULL));
    CHECK(again != model && again->protocol == SURETY_PROTOCOL_RESPONSES);
    CHECK(again->transport == model->transport);
    CHECK(again->key.ptr == model->key.ptr);
    CHECK(!again->price.known);
    TRY(ask(config, "ollama:llama3.2:3b", &again, NULL));
    CHECK_TEXT(again->key, "");
    CHECK_TEXT(again->base_url, "http://127.0.0.1:11434/v1");
    TRY(ask(config, "exec: cat -u", &again, NULL));
    CHECK(again->protocol == SURETY_PROTOCOL_TEXT);
    CHECK_TEXT(again->base_url, "exec: cat -u");
    CHECK_TEXT(again->model, "cat -u");
    CHECK(again->transport != model->transport);
done:
    surety_config_free(config);
    LEAKED_NOT;
}

TEST(gives_models_of_the_file)
{
    struct world world = {.name = "TEAM", .value = "  t-1 \n"};
    const surety_config_options options = options_of(t, &world);
    const surety_model *model = NULL;
    const surety_model *other = NULL;
    surety_config *config = NULL;

    TRY(surety_config_read(
        surety_str_of(
            "{\"providers\":{\"own\":{\"base_url\":\"http://llm.example/v1\","
            "\"key_env\":\"TEAM\",\"headers\":{\"X-A\":\"b\",\"X-Team\":"
            "{\"env\":\"TEAM\"}}},"
            "\"two\":{\"base_url\":\"http://localhost:1\",\"proxy\":"
            "\"http://p\",\"key_env\":\"TEAM\"}},"
            "\"models\":{\"fast\":{\"provider\":\"own\",\"model\":\"m\","
            "\"mode\":\"prompt\",\"stream\":false,\"max_tokens\":7,"
            "\"extra\":{\"seed\":1},\"temperature\":0},"
            "\"far\":{\"provider\":\"two\",\"model\":\"m\"}}}"),
        &options, &config, NULL));
    TRY(ask(config, "fast", &model, NULL));
    CHECK_TEXT(model->name, "fast");
    CHECK_TEXT(model->provider, "own");
    CHECK_TEXT(model->key, "t-1");
    CHECK(strstr(world.warned, "unencrypted to http://llm.example/v1"));
    CHECK(model->header_count == 2);
    CHECK_TEXT(model->headers[0].value, "b");
    CHECK(!model->headers[0].secret && model->headers[1].secret);
    CHECK_TEXT(model->headers[1].value, "t-1");
    CHECK(model->whole && model->mode == SURETY_MODE_PROMPT);
    CHECK(model->has_temperature && model->temperature == 0);
    CHECK(model->output_tokens_max == 7 && surety_val_count(model->extra) == 1);
    world.warned[0] = '\0';
    TRY(ask(config, "far", &other, NULL));
    CHECK(world.warned[0] == '\0');
    CHECK(other->transport != model->transport);
    TRY(ask(config, "own:x", &other, NULL));
    CHECK(other->transport == model->transport);
done:
    surety_config_free(config);
}

/* A connection is shared by those whom one way reaches, and by no other. */
TEST(shares_what_is_one_way)
{
    static const struct {
        const char *one, *other;
        bool shared;
    } pairs[] = {
        {"a:m", "a:n", true},       {"a:m", "same:m", true},
        {"a:m", "safe:m", false},   {"safe:m", "safe:n", true},
        {"a:m", "far:m", false},    {"far:m", "far2:m", false},
        {"far:m", "far:n", true},   {"a:m", "exec:cat", false},
        {"exec:cat", "a:m", false}, {"exec:cat", "exec:cat -u", true},
    };
    struct world world = {.name = NULL};
    const surety_config_options options = options_of(t, &world);
    const surety_model *one = NULL;
    const surety_model *other = NULL;
    surety_config *config = NULL;

    for (size_t i = 0; i < CHECK_COUNT(pairs); i++) {
        TRY(surety_config_read(
            surety_str_of(
                "{\"providers\":{\"a\":{\"base_url\":\"http://127.0.0.1:1\"},"
                "\"same\":{\"base_url\":\"http://127.0.0.1:2\","
                "\"retry_ambiguous\":true},"
                "\"safe\":{\"base_url\":\"http://127.0.0.1:1\","
                "\"public_only\":true},"
                "\"far\":{\"base_url\":\"http://127.0.0.1:1\",\"proxy\":"
                "\"http://p\"},\"far2\":{\"base_url\":\"http://127.0.0.1:1\","
                "\"proxy\":\"http://q\"}}}"),
            &options, &config, NULL));
        TRY(ask(config, pairs[i].one, &one, NULL));
        TRY(ask(config, pairs[i].other, &other, NULL));
        if ((one->transport == other->transport) != pairs[i].shared)
            printf("# %s and %s\n", pairs[i].one, pairs[i].other);
        CHECK((one->transport == other->transport) == pairs[i].shared);
        CHECK(!one->retry_ambiguous);
        CHECK(other->retry_ambiguous == !strncmp(pairs[i].other, "same", 4));
        surety_config_free(config);
        config = NULL;
    }
done:
    surety_config_free(config);
}

TEST(says_what_is_not_there)
{
    static const struct {
        const char *name;
        surety_status status;
        const char *message, *hint;
    } rows[] = {
        {"fsat", SURETY_SYNTAX, "no model \"fsat\"", "\"fast\""},
        {"zzzzzzzzz", SURETY_SYNTAX, "no model", "PROVIDER:MODEL"},
        {"openai", SURETY_SYNTAX, "no model", "openai:MODEL"},
        {"", SURETY_SYNTAX, "no model is named", "PROVIDER:MODEL"},
        {"opnai:gpt", SURETY_SYNTAX, "no provider \"opnai\"", "openai:gpt"},
        {"qqqqqqqq:x", SURETY_SYNTAX, "no provider", ""},
        {"openai:", SURETY_SYNTAX, "names no model", ""},
        {":x", SURETY_SYNTAX, "no provider", ""},
        {"openai:gpt", SURETY_UNSUPPORTED, "OPENAI_API_KEY is not set",
         "provider openai"},
        {"replay:/nowhere/x", SURETY_IO, "/nowhere/x cannot be read", ""},
    };
    struct world world = {.name = NULL};
    const surety_config_options options = options_of(t, &world);
    const surety_model *model = NULL;
    surety_config *config = NULL;
    surety_error err;

    TRY(surety_config_read(
        surety_str_of("{\"models\":{\"fast\":{\"provider\":\"ollama\","
                      "\"model\":\"m\"}}}"),
        &options, &config, NULL));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        bool is_right;
        EXPECT(rows[i].status, ask(config, rows[i].name, &model, &err));
        is_right = strstr(err.message, rows[i].message) &&
                   strstr(err.hint, rows[i].hint) && !model;
        if (!is_right)
            printf("# %s: %s (%s)\n", rows[i].name, err.message, err.hint);
        CHECK(is_right);
    }
done:
    surety_config_free(config);
}

/* Keys: trimmed, bounded, no control characters, from variables and files. */
TEST(reads_keys)
{
    static char big[SURETY__KEY_MAX + 3];
    struct world world = {.name = "OPENAI_API_KEY", .value = CANARY};
    surety_config_options options = options_of(t, &world);
    const surety_model *model = NULL;
    surety_config *config = NULL;
    surety_error err;

    TRY(surety_config_read(
        surety_str_of("{\"providers\":{\"f\":{\"base_url\":\"https://h\","
                      "\"key_file\":\"" KEY_FILE "\"}}}"),
        &options, &config, NULL));
    world.value = "";
    EXPECT(SURETY_UNSUPPORTED, ask(config, "openai:a", &model, &err));
    CHECK(strstr(err.message, "is empty"));
    world.value = CANARY "\r\nX-Evil: 1";
    EXPECT(SURETY_SYNTAX, ask(config, "openai:a", &model, &err));
    CHECK(strstr(err.message, "line break") && !strstr(err.message, "canary"));
    for (size_t len = SURETY__KEY_MAX; len <= SURETY__KEY_MAX + 1; len++) {
        memset(big, 'k', len);
        big[len] = '\0';
        world.value = big;
        EXPECT(len > SURETY__KEY_MAX ? SURETY_SYNTAX : SURETY_OK,
               ask(config, len > SURETY__KEY_MAX ? "openai:a" : "openai:b",
                   &model, &err));
    }
    unlink(KEY_FILE);
    EXPECT(SURETY_IO, ask(config, "f:a", &model, &err));
    CHECK(strstr(err.message, KEY_FILE " cannot be read") &&
          strstr(err.hint, "provider f"));
    CHECK(write_file(KEY_FILE, "\n " CANARY " \n", 0600));
    TRY(ask(config, "f:a", &model, &err));
    CHECK_TEXT(model->key, CANARY);
    CHECK(world.warned[0] == '\0');
    CHECK(write_file(KEY_FILE, CANARY, 0640));
    TRY(ask(config, "f:b", &model, &err));
    CHECK(strstr(world.warned, "chmod 600") && !strstr(world.warned, "canary"));
    CHECK(write_file(KEY_FILE, "", 0600));
    EXPECT(SURETY_UNSUPPORTED, ask(config, "f:c", &model, &err));
    memset(big, 'k', sizeof(big) - 1);
    CHECK(write_file(KEY_FILE, big, 0600));
    EXPECT(SURETY_SYNTAX, ask(config, "f:c", &model, &err));
done:
    unlink(KEY_FILE);
    surety_config_free(config);
    LEAKED_NOT;
}

TEST(needs_no_keys_where_none_is_sent)
{
    struct world world = {.name = "OPENAI_API_KEY", .value = CANARY};
    surety_config_options options = options_of(t, &world);
    const surety_model *model = NULL;
    surety_config *config = NULL;

    options.keyless = true;
    TRY(surety_config_read(
        surety_str_of("{\"providers\":{\"openai\":{\"headers\":{\"a\":\"b\","
                      "\"c\":{\"env\":\"NONE\"}}}}}"),
        &options, &config, NULL));
    TRY(ask(config, "openai:a", &model, NULL));
    CHECK_TEXT(model->key, "");
    CHECK(model->header_count == 1);
    TRY(ask(config, "anthropic:a", &model, NULL));
    CHECK_TEXT(model->key, "");
done:
    surety_config_free(config);
}

static surety_status keep_line(void *ctx, surety_str line)
{
    (void)ctx;
    (void)line;
    return SURETY_OK;
}

/* A model that is a recording speaks what its first exchange does; the file is
 * looked for here where it is named directly, else beside the configuration. */
TEST(plays_and_records)
{
    struct world world = {.name = NULL};
    surety_config_options options = options_of(t, &world);
    const surety_model *model = NULL;
    const surety_model *other = NULL;
    surety_config *config = NULL;
    surety_error err;

    options.record = keep_line;
    options.folder = surety_str_of("/nowhere");
    CHECK(write_file(RECORDING_FILE,
                     "{\"protocol\":\"gemini\",\"model\":\"m-1\","
                     "\"response\":{\"json\":{}}}\n",
                     0600));
    TRY(surety_config_read(
        surety_str_of("{\"models\":{\"far\":{\"provider\":\"replay\","
                      "\"model\":\"" RECORDING_FILE "\"}}}"),
        &options, &config, NULL));
    TRY(ask(config, "replay:" RECORDING_FILE, &model, NULL));
    CHECK_TEXT(model->key, "");
    CHECK_TEXT(model->model, "m-1");
    CHECK(model->protocol == SURETY_PROTOCOL_GEMINI);
    TRY(ask(config, "replay:./" RECORDING_FILE, &other, NULL));
    CHECK(other->transport != model->transport);
    EXPECT(SURETY_IO, ask(config, "far", &other, &err));
    CHECK(strstr(err.message, "/nowhere/" RECORDING_FILE));
    CHECK(write_file(RECORDING_FILE, "{\"reply\":\"x\"}\n", 0600));
    TRY(ask(config, "replay:.//" RECORDING_FILE, &other, NULL));
    CHECK(other->protocol == SURETY_PROTOCOL_TEXT);
    CHECK(write_file(RECORDING_FILE, "{\"reply\":\"x\"}\n[]\n", 0600));
    EXPECT(SURETY_SYNTAX,
           ask(config, "replay:././" RECORDING_FILE, &other, &err));
    CHECK(err.position.line == 2);
    CHECK(strcmp(err.source, "././" RECORDING_FILE) == 0);
done:
    unlink(RECORDING_FILE);
    surety_config_free(config);
}

/* With a recording for all, every model has the one transport, and no key. */
TEST(plays_one_for_all)
{
    struct world world = {.name = NULL};
    surety_config_options options = options_of(t, &world);
    surety_recording *recording = NULL;
    const surety_model *model = NULL;
    const surety_model *other = NULL;
    surety_config *config = NULL;

    TRY(surety_recording_read(surety_str_of("{\"reply\":\"x\"}"),
                              check_alloc(t), &recording, NULL));
    options.replay = recording;
    TRY(surety_config_read(surety_str_of(""), &options, &config, NULL));
    TRY(ask(config, "openai:a", &model, NULL));
    CHECK_TEXT(model->key, "");
    TRY(ask(config, "exec:cat", &other, NULL));
    CHECK(other->transport == model->transport);
done:
    surety_config_free(config);
    surety_recording_free(recording);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"gives models that are named directly",
         gives_models_that_are_named_directly},
        {"gives models of the file", gives_models_of_the_file},
        {"shares what is one way", shares_what_is_one_way},
        {"says what is not there", says_what_is_not_there},
        {"reads keys", reads_keys},
        {"needs no keys where none is sent", needs_no_keys_where_none_is_sent},
        {"plays and records", plays_and_records},
        {"plays one for all", plays_one_for_all},
    };

    char folder[] = "surety-config-XXXXXX";
    int result;

    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 99;
    result = check_main(argc, argv, tests, CHECK_COUNT(tests));
    if (chdir("..") == 0)
        rmdir(folder);
    return result;
}
