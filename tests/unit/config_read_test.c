/* SPDX-License-Identifier: Apache-2.0 */
/* surety.json: what it gives, and where a mistake in it is said to be. No
 * message may hold what could be a key. */
#include "check.h"
#include "config/config.h"

#include <string.h>

static surety_status read_config(struct check *t, const char *text,
                                 surety_config **ret, surety_error *err)
{
    const surety_config_options options = {.size = sizeof(options),
                                           .folder = surety_str_of("/etc/x"),
                                           .alloc = check_alloc(t)};

    return surety_config_read(surety_str_of(text), &options, ret, err);
}

TEST(reads_an_empty_one)
{
    surety_run_options options = {.size = sizeof(options)};
    surety_config *config = NULL;

    TRY(read_config(t, "", &config, NULL));
    CHECK(surety_config_info_of(config)->model_count == 0);
    CHECK(surety_config_info_of(config)->defaults[0].len == 0);
    CHECK(surety_config_info_of(config)->budget->calls_max == 0);
    CHECK(surety_config_info_of(config)->backoff->retries_max == 0);
    surety_config_run(config, &options);
    CHECK(options.broken_retries_max == 0 && options.stop == SURETY_STOP_WEIGH);
    CHECK(options.limits == surety_config_info_of(config)->limits);
    CHECK(surety_config_info_of(config)->ledger.len == 0);
    CHECK(!surety_config_info_of(config)->ledger_raw);
    CHECK(!surety_config_info_of(config)->ledger_optional);
done:
    surety_config_free(config);
}

TEST(keeps_a_folder_of_its_own)
{
    char folder[] = "/nonexistent";
    const surety_config_options options = {.size = sizeof(options),
                                           .folder = surety_str_of(folder),
                                           .alloc = check_alloc(t)};
    const surety_model *model = NULL;
    surety_config *config = NULL;
    surety_error err;

    TRY(surety_config_read(
        surety_str_of("{\"providers\":{\"f\":{\"base_url\":\"https://h\","
                      "\"key_file\":\"k\"}}}"),
        &options, &config, NULL));
    memset(folder, 'z', sizeof(folder) - 1);
    EXPECT(SURETY_IO,
           surety_config_model(config, surety_str_of("f:a"), &model, &err));
    CHECK(strstr(err.message, "/nonexistent/k "));
done:
    surety_config_free(config);
}

TEST(reads_what_runs_may_spend)
{
    const surety_limits own = {.size = sizeof(own), .depth_max = 7};
    surety_run_options said = {.size = sizeof(said), .limits = &own};
    surety_config *config = NULL;

    TRY(read_config(t,
                    "{\"limits\":{\"depth_max\":9},\"budget\":{\"calls\":5,"
                    "\"tokens\":200000,\"seconds\":"
                    "1.5,\"usd\":0.05},\"stop\":\"never\",\"retry\":{\"max\":0,"
                    "\"broken\":3,\"first\":0.1,\"most\":2,\"retry_after\":7}}",
                    &config, NULL));
    surety_config_run(config, &said);
    CHECK(said.budget.calls_max == 5 && said.budget.tokens_max == 200000);
    CHECK(said.budget.ms_max == 1500 &&
          said.budget.cost_picousd_max == 50000000000);
    CHECK(said.backoff.first_ms == 100 && said.backoff.most_ms == 2000);
    CHECK(said.backoff.retries_max == UINT32_MAX &&
          said.backoff.retry_after_max_ms == 7000);
    CHECK(said.broken_retries_max == 3 && said.stop == SURETY_STOP_NEVER);
    CHECK(said.limits == &own);
    said.limits = NULL;
    surety_config_run(config, &said);
    CHECK(said.limits && said.limits->depth_max == 9 &&
          said.limits->values_max == 0);
done:
    surety_config_free(config);
}

TEST(reads_every_member)
{
    static const char text[] =
        "\xEF\xBB\xBF{ // of the team\n"
        "\"$schema\":\"x\",\"default\":[\"fast\",\"openai:gpt-5\"],\n"
        "/* one\n of them */\"providers\":{\"own\":{\"protocol\":\"anthropic\","
        "\"base_url\":\"https://llm.example/v1/\",\"key_file\":\"k\","
        "\"headers\":{\"X-Team\":\"a//b\",\"X-Pass\":{\"env\":\"PASS\"}},"
        "\"ca_file\":\"/ca.pem\",\"proxy\":\"socks5h://proxy:1080\","
        "\"public_only\":true,\"timeouts\":{\"connect\":1,\"first_byte\":2.5,"
        "\"idle\":0.001,\"total\":3},\"retry_ambiguous\":true,"
        "\"response_bytes\":4096}},"
        "\"models\":{\"fast\":{\"provider\":\"own\",\"model\":\"m:1\","
        "\"mode\":\"tool\",\"temperature\":0.25,\"max_tokens\":100,"
        "\"stream\":false,\"extra\":{\"seed\":1},\"price\":{\"input\":0.15,"
        "\"cached_input\":0.075,\"output\":0.6},\"timeouts\":{\"idle\":9},"
        "\"retry_ambiguous\":false}},"
        "\"prices\":{\"openai:gpt-5\":{\"input\":1.25,\"output\":10}},"
        "\"budget\":{\"calls\":5,\"tokens\":200000,\"seconds\":1.5,"
        "\"usd\":0.05},"
        "\"stop\":\"never\",\"retry\":{\"max\":0,\"broken\":3,\"first\":0.1,"
        "\"most\":2,\"retry_"
        "after\":7},"
        "\"ledger\":{\"url\":\"l.db\",\"raw\":true,\"optional\":true}}";
    surety_config *config = NULL;
    const surety__config_row *row;
    const surety__config_provider *provider;

    TRY(read_config(t, text, &config, NULL));
    CHECK_TEXT(surety_config_info_of(config)->defaults[0], "fast");
    CHECK_TEXT(surety_config_info_of(config)->defaults[1], "openai:gpt-5");
    CHECK(!surety_config_info_of(config)->defaults[2].len &&
          surety_config_info_of(config)->model_count == 1);
    CHECK_TEXT(surety_config_info_of(config)->models[0], "fast");
    row = &config->rows[0];
    CHECK_TEXT(row->model.model, "m:1");
    CHECK(row->model.mode == SURETY_MODE_TOOL && row->model.whole);
    CHECK(row->model.has_temperature && row->model.temperature == 0.25);
    CHECK(row->model.output_tokens_max == 100 &&
          surety_val_count(row->model.extra) == 1);
    CHECK(row->model.price.known && row->model.price.input_microusd == 150000 &&
          row->model.price.cached_input_microusd == 75000 &&
          row->model.price.output_microusd == 600000);
    CHECK(row->model.timeouts.connect_ms == 1000 &&
          row->model.timeouts.first_byte_ms == 2500 &&
          row->model.timeouts.idle_ms == 9000 &&
          row->model.timeouts.total_ms == 3000);
    CHECK(!row->model.retry_ambiguous && row->model.response_bytes_max == 4096);
    provider = row->provider;
    CHECK(provider->defaults.protocol == SURETY_PROTOCOL_ANTHROPIC);
    CHECK_TEXT(provider->defaults.base_url, "https://llm.example/v1");
    CHECK_TEXT(provider->key_file, "k");
    CHECK_TEXT(provider->ca_file, "/ca.pem");
    CHECK_TEXT(provider->proxy, "socks5h://proxy:1080");
    CHECK(provider->public_only && provider->defaults.retry_ambiguous);
    CHECK(provider->defaults.timeouts.idle_ms == 1);
    CHECK(config->prices[0].price.cached_input_microusd == 1250000);
    CHECK(config->prices[0].price.output_microusd == 10000000);
    CHECK_TEXT(surety_config_info_of(config)->ledger, "/etc/x/l.db");
    CHECK(surety_config_info_of(config)->ledger_raw &&
          surety_config_info_of(config)->ledger_optional);
done:
    surety_config_free(config);
}

/* Tools stand where they are in the file, and nothing else is left of it. */
static void keeps_tools(struct check *t)
{
    const surety_config_options options = {.size = sizeof(options),
                                           .folder = surety_str_of("/etc"),
                                           .alloc = check_alloc(t)};
    surety_config *config = NULL;

    TRY(surety_config_read(
        surety_str_of("{\"budget\":{}, \"servers\" :[{\"a\":1}] /* , */\n"
                      ",\"retry\":{},\n\"tools\": [ {} ] // x\n}"),
        &options, &config, NULL));
    CHECK_TEXT(surety_config_info_of(config)->tools,
               "{             \"servers\" :[{\"a\":1}]        \n"
               ",           \n\"tools\": [ {} ]     \n}");
    CHECK_TEXT(surety_config_info_of(config)->folder, "/etc");
    CHECK(!surety_config_info_of(config)->file.len);
    surety_config_free(config);
    config = NULL;
    TRY(surety_config_read(surety_str_of("{}"), &options, &config, NULL));
    CHECK(!surety_config_info_of(config)->tools.len);
done:
    surety_config_free(config);
}

/* A built-in provider changes member by member, but its key stays with its
 * address. */
TEST(changes_what_is_built_in)
{
    surety_config *config = NULL;
    const surety__config_provider *provider;

    TRY(read_config(t,
                    "{\"providers\":{"
                    "\"openai\":{\"timeouts\":{\"total\":5}},"
                    "\"gemini\":{\"base_url\":\"http://127.0.0.1:9\"},"
                    "\"anthropic\":{\"key_file\":\"/k\"},"
                    "\"new\":{\"base_url\":\"http://[::1]:8/v1\"}}}",
                    &config, NULL));
    provider = surety__config_provider_find(config, surety_str_of("openai"));
    CHECK_TEXT(provider->defaults.base_url, "https://api.openai.com/v1");
    CHECK_TEXT(provider->key_env, "OPENAI_API_KEY");
    CHECK(provider->defaults.timeouts.total_ms == 5000);
    provider = surety__config_provider_find(config, surety_str_of("gemini"));
    CHECK_TEXT(provider->defaults.base_url, "http://127.0.0.1:9");
    CHECK(provider->defaults.protocol == SURETY_PROTOCOL_GEMINI);
    CHECK_TEXT(provider->key_env, "");
    provider = surety__config_provider_find(config, surety_str_of("anthropic"));
    CHECK_TEXT(provider->key_env, "");
    CHECK_TEXT(provider->key_file, "/k");
    provider = surety__config_provider_find(config, surety_str_of("new"));
    CHECK(provider->defaults.protocol == SURETY_PROTOCOL_OPENAI);
    CHECK_TEXT(provider->key_env, "");
done:
    surety_config_free(config);
}

/* One mistake: the text, and where and how it is said. */
struct mistake {
    const char *text;
    uint32_t line, column;
    const char *path;
    const char *message;
    const char *hint;
};

static const struct mistake mistakes[] = {
    {"{\n  \"default\": \"x\",\n}", 3, 1, "", "", ""},
    {"{\"a\":1, /* e\xC3\xA9\xC3\xA9 */ \"a\":2}", 1, 19, "", "\"a\"", ""},
    {"{ /* never", 1, 3, "", "never closed", "*/"},
    {"[]", 1, 1, "", "is an object", ""},
    {"{\"modles\":{}}", 1, 2, "/modles", "modles", "models"},
    {"{\"budget\":{\"callls\":1}}", 1, 12, "/budget/callls", "callls", "calls"},
    {"{\"budget\":{\"calls\":0}}", 1, 20, "/budget/calls", "minimum", ""},
    {"{\"budget\":{\"usd\":0.0000000000001}}", 1, 18, "/budget/usd", "decimals",
     ""},
    {"{\"retry\":{\"first\":0.0001}}", 1, 19, "/retry/first", "decimals", ""},
    {"{\"models\":{\"a\":{\"model\":\"b\"}}}", 1, 16, "/models/a", "provider",
     ""},
    {"{\"models\":{\"a\":{\"provider\":\"opnai\",\"model\":\"b\"}}}", 1, 28,
     "/models/a/provider", "no provider \"opnai\"", "openai"},
    {"{\"models\":{\"a\":{\"provider\":\"nobody-has-it\",\"model\":\"b\"}}}", 1,
     28, "/models/a/provider", "no provider", "providers"},
    {"{\"models\":{\"a b\":{}}}", 1, 12, "/models/a b", "letters", ""},
    {"{\"models\":{\"a\":{\"provider\":\"openai\",\"model\":\"b\",\"mode\":"
     "\"magic\"}}}",
     1, 56, "/models/a/mode", "magic", ""},
    {"{\"models\":{\"a\":{\"provider\":\"openai\",\"model\":\"b\",\n\"price\":{"
     "\"input\":0.0000001,\"output\":1}}}}",
     2, 18, "/models/a/price/input", "6 decimals", ""},
    {"{\"models\":{\"a\":{\"provider\":\"openai\",\"model\":\"b\","
     "\"price\":{\"input\":1}}}}",
     1, 57, "/models/a/price", "output", ""},
    {"{\"prices\":{\"gpt\":{\"input\":1,\"output\":1}}}", 1, 12, "/prices/gpt",
     "PROVIDER:MODEL", ""},
    {"{\"providers\":{\"p\":{}}}", 1, 19, "/providers/p", "no base_url", ""},
    {"{\"providers\":{\"exec\":{}}}", 1, 15, "/providers/exec", "changed", ""},
    {"{\"models\":{\"a\":{\"provider\":\"openai\",\"model\":\"b\","
     "\"env\":[\"A\"]}}}",
     1, 49, "/models/a/env", "openai", "exec"},
    {"{\"models\":{\"a\":{\"provider\":\"exec\",\"model\":\"b\","
     "\"env\":[\"A\",\"B=sk-1\"]}}}",
     1, 58, "/models/a/env/1", "no name of an environment variable",
     "only the name"},
    {"{\"providers\":{\"p\":{\"base_url\":\"ftp://h/\"}}}", 1, 31,
     "/providers/p/base_url", "scheme", "https"},
    {"{\"providers\":{\"p\":{\"base_url\":\"https:///v1\"}}}", 1, 31,
     "/providers/p/base_url", "no host", ""},
    {"{\"providers\":{\"p\":{\"base_url\":\"https://h/v1#x\"}}}", 1, 31,
     "/providers/p/base_url", "fragment", ""},
    {"{\"providers\":{\"p\":{\"base_url\":\"https://h/\\u0000\"}}}", 1, 31,
     "/providers/p/base_url", "character", ""},
    {"{\"providers\":{\"openai\":{\"key_env\":\"A\",\"key_file\":\"b\"}}}", 1,
     50, "/providers/openai/key_file", "twice", ""},
    {"{\"providers\":{\"openai\":{\"headers\":{\"Host\":\"b\"}}}}", 1, 36,
     "/providers/openai/headers/Host", "not set here", ""},
    {"{\"providers\":{\"openai\":{\"headers\":{\"X-Surety-Model\":\"b\"}}}}", 1,
     36, "/providers/openai/headers/X-Surety-Model", "not set here", ""},
    {"{\"providers\":{\"openai\":{\"headers\":{\"a b\":\"b\"}}}}", 1, 36,
     "/providers/openai/headers/a b", "no name of a header", ""},
    {"{\"providers\":{\"openai\":{\"headers\":{\"a\":\"b\\r\\nc: d\"}}}}", 1,
     36, "/providers/openai/headers/a", "control", ""},
    {"{\"default\":\"fsat\"}", 1, 12, "/default", "no model \"fsat\"", ""},
    {"{\"default\":[\"a:b\",\"c\"]}", 1, 19, "/default/1", "no model", ""},
};

static bool holds(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

TEST(says_where_a_mistake_is)
{
    surety_config *config = NULL;
    surety_error err;

    for (size_t i = 0; i < CHECK_COUNT(mistakes); i++) {
        const struct mistake *row = &mistakes[i];
        bool is_right;
        if (t->fail_at && i % 8 > 0)
            continue; /* the fault runs see the same code in a few */
        EXPECT(SURETY_SYNTAX, read_config(t, row->text, &config, &err));
        is_right = err.position.line == row->line &&
                   err.position.column == row->column &&
                   strcmp(err.path, row->path) == 0 &&
                   holds(err.message, row->message) &&
                   holds(err.hint, row->hint);
        if (!is_right)
            printf("# %s\n# got %u:%u %s: %s (%s)\n", row->text,
                   err.position.line, err.position.column, err.path,
                   err.message, err.hint);
        CHECK(is_right);
    }
done:
    surety_config_free(config);
}

/* Where a key was put that is none's place; each is refused, in words that do
 * not hold it. */
#define CANARY "sk-canary-0123456789abcdef"
static const char *const key_texts[] = {
    "{\"api_key\":\"" CANARY "\"}",
    "{\"providers\":{\"openai\":{\"key\":\"" CANARY "\"}}}",
    "{\"providers\":{\"openai\":{\"API-Key\":\"" CANARY "\"}}}",
    "{\"providers\":{\"openai\":{\"apiKey\":\"" CANARY "\"}}}",
    "{\"providers\":{\"openai\":{\"token\":\"" CANARY "\"}}}",
    "{\"models\":{\"m\":{\"api_key\":\"" CANARY "\"}}}",
    "{\"providers\":{\"openai\":{\"key_env\":\"" CANARY "\"}}}",
    "{\"providers\":{\"openai\":\"" CANARY "\"}}",
    "{\"providers\":\"" CANARY "\"}",
    "{\"models\":{\"m\":{\"provider\":\"openai\",\"model\":\"b\",\"mode\":"
    "\"" CANARY "\"}}}",
    "{\"models\":{\"m\":{\"provider\":\"openai\",\"model\":\"b\",\"stream\":"
    "\"" CANARY "\"}}}",
    "{\"providers\":{\"openai\":{\"headers\":{\"Authorization\":"
    "\"Bearer " CANARY "\"}}}}",
    "{\"providers\":{\"openai\":{\"headers\":{\"x-api-key\":\"" CANARY "\"}}}}",
    "{\"providers\":{\"openai\":{\"base_url\":\"https://u:" CANARY "@h/\"}}}",
    "{\"providers\":{\"openai\":{\"base_url\":\"https://h/?key=" CANARY "\"}}}",
    "{\"providers\":{\"openai\":{\"proxy\":\"http://u:" CANARY "@h/\"}}}",
    "{\"ledger\":{\"url\":\"postgres://u:" CANARY "@h/d\"}}",
    "{\"ledger\":{\"url\":\"postgresql://h/d?password=" CANARY "\"}}",
    "{\"default\" \"" CANARY "\"}",
    "{\"api_key\": " CANARY "}",
    "{" CANARY ":1}",
    "{\"api_key\":\"a\" \"" CANARY " " CANARY "\"}",
};

TEST(quotes_no_key)
{
    surety_config *config = NULL;
    surety_error err;

    for (size_t i = 0; i < CHECK_COUNT(key_texts); i++) {
        bool is_right;
        if (t->fail_at && i % 8 > 0)
            continue;
        EXPECT(SURETY_SYNTAX, read_config(t, key_texts[i], &config, &err));
        is_right = err.position.line == 1 && !holds(err.message, "canary") &&
                   !holds(err.hint, "canary") && !holds(err.path, "canary") &&
                   !holds(err.source, "canary");
        if (!is_right)
            printf("# %s\n# got %s (%s)\n", key_texts[i], err.message,
                   err.hint);
        CHECK(is_right);
    }
done:
    surety_config_free(config);
}

TEST(keeps_its_limit)
{
    const size_t max = surety_limits_of(NULL).schema_bytes_max;
    surety_config *config = NULL;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    for (size_t len = max; len <= max + 1; len++) {
        surety_buf_reset(&text);
        surety_buf_text(&text, "{}");
        while (text.len < len && !text.status)
            surety_buf_byte(&text, ' ');
        TRY(text.status);
        EXPECT(len > max ? SURETY_LIMIT : SURETY_OK,
               surety_config_read(surety_buf_str(&text),
                                  &(surety_config_options){
                                      .size = sizeof(surety_config_options),
                                      .alloc = check_alloc(t)},
                                  &config, NULL));
        surety_config_free(config);
        config = NULL;
    }
done:
    surety_config_free(config);
    surety_buf_done(&text);
}

static const struct {
    const char *text;
    unsigned scale;
    surety_status status;
    uint64_t value;
} decimals[] = {
    {"0", 6, SURETY_OK, 0},
    {"-0", 6, SURETY_OK, 0},
    {"0.000", 2, SURETY_OK, 0},
    {"0e99", 0, SURETY_OK, 0},
    {"1", 6, SURETY_OK, 1000000},
    {"0.15", 6, SURETY_OK, 150000},
    {"2.50", 1, SURETY_OK, 25},
    {"1e-6", 6, SURETY_OK, 1},
    {"1E+2", 0, SURETY_OK, 100},
    {"100e-2", 0, SURETY_OK, 1},
    {"1.200000000000000000000000000000000", 1, SURETY_OK, 12},
    {"18446744073709551615", 0, SURETY_OK, UINT64_MAX},
    {"1844674407370955161.5", 1, SURETY_OK, UINT64_MAX},
    {"18446744073709551616", 0, SURETY_LIMIT, 0},
    {"18446744073709551620", 0, SURETY_LIMIT, 0},
    {"1e20", 0, SURETY_LIMIT, 0},
    {"1e999999999999999999999", 0, SURETY_LIMIT, 0},
    {"99999999999999999999999999999", 0, SURETY_LIMIT, 0},
    {"1e-999999999999999999999", 12, SURETY_UNSUPPORTED, 0},
    {"0.0000001", 6, SURETY_UNSUPPORTED, 0},
    {"1.00000000000000000000000000001", 6, SURETY_UNSUPPORTED, 0},
    {"-1", 6, SURETY_SYNTAX, 0},
    {"", 6, SURETY_SYNTAX, 0},
    {"-", 6, SURETY_SYNTAX, 0},
    {"01", 6, SURETY_SYNTAX, 0},
    {"1.", 6, SURETY_SYNTAX, 0},
    {".5", 6, SURETY_SYNTAX, 0},
    {"1e", 6, SURETY_SYNTAX, 0},
    {"+1", 6, SURETY_SYNTAX, 0},
    {" 1", 6, SURETY_SYNTAX, 0},
    {"1,5", 6, SURETY_SYNTAX, 0},
};

TEST(counts_exactly)
{
    surety_error err;

    for (size_t i = 0; i < CHECK_COUNT(decimals); i++) {
        uint64_t value = 0;
        const surety_status status = surety_decimal_read(
            surety_str_of(decimals[i].text), decimals[i].scale, &value, &err);
        const bool is_right =
            status == decimals[i].status && value == decimals[i].value;
        if (!is_right)
            printf("# %s\n", decimals[i].text);
        CHECK(is_right);
    }
done:;
}

TEST(says_why_it_is_no_amount)
{
    uint64_t value = 7;
    surety_error err;

    EXPECT(SURETY_SYNTAX,
           surety_decimal_read(surety_str_of("$5"), 12, &value, &err));
    CHECK(holds(err.message, "\"$5\" is no number"));
    EXPECT(SURETY_UNSUPPORTED,
           surety_decimal_read(surety_str_of("1e-13"), 12, &value, &err));
    CHECK(holds(err.message, "more than 12 decimals"));
    EXPECT(SURETY_UNSUPPORTED,
           surety_decimal_read(surety_str_of("1.5"), 0, &value, &err));
    CHECK(holds(err.message, "no whole number"));
    EXPECT(SURETY_LIMIT,
           surety_decimal_read(surety_str_of("1e9"), 12, &value, &err));
    CHECK(holds(err.message, "more than can be counted"));
    CHECK(value == 7);
done:;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"reads an empty one", reads_an_empty_one},
        {"reads every member", reads_every_member},
        {"keeps a folder of its own", keeps_a_folder_of_its_own},
        {"keeps tools where they are", keeps_tools},
        {"reads what runs may spend", reads_what_runs_may_spend},
        {"changes what is built in", changes_what_is_built_in},
        {"says where a mistake is", says_where_a_mistake_is},
        {"quotes no key", quotes_no_key},
        {"keeps its limit", keeps_its_limit},
        {"counts exactly", counts_exactly},
        {"says why it is no amount", says_why_it_is_no_amount},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
