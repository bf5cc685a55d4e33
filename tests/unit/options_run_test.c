/* SPDX-License-Identifier: Apache-2.0 */
/* The structs of libsurety-run that begin with their size, from callers with
 * older and newer headers. */
#include <stdlib.h>

#include <surety-render.h>
#include <surety-serve.h>

#include "heard.h"
#include "options_size.h"
#include "stats_sample.h"

#include "tool/tool.h"

#define ID "018f2d3c-0000-7000-8000-000000000001"

/* ---- transports ---------------------------------------------------------- */

/* One exchange, and the end of the transport. */
static void converse(surety_transport *transport, const void *request,
                     surety_buf *out)
{
    struct heard heard;

    if (!transport)
        return;
    heard_init(&heard, NULL);
    if (options_ended(heard_converse(&heard, transport, request), out))
        options_put(out, surety_buf_str(&heard.text));
    heard_done(&heard);
    transport_close(transport);
}

static surety_status heard_line(void *ctx, surety_str line)
{
    (void)ctx;
    (void)line;
    return SURETY_OK;
}

static surety_recording *recording_of(const char *text)
{
    surety_recording *recording = NULL;

    (void)surety_recording_read(surety_str_of(text), NULL, &recording, NULL);
    return recording;
}

static void request_fill(void *own)
{
    ((surety_request *)own)->method = surety_str_of("POST");
    ((surety_request *)own)->url = surety_str_of("exec:cat");
    ((surety_request *)own)->body = surety_str_of("hello");
}

static void request_act(const void *given, surety_buf *out)
{
    surety_recording *recording = recording_of("{\"reply\":\"a\"}");
    surety_transport *transport = NULL, *inner = NULL;

    if (surety_exec_open(NULL, 0, NULL, &transport, NULL) == SURETY_OK)
        converse(transport, given, out);
    if (surety_exec_open(NULL, 0, NULL, &inner, NULL) == SURETY_OK &&
        surety_record_open(inner, heard_line, NULL, NULL, &transport, NULL) ==
            SURETY_OK)
        converse(transport, given, out);
    if (surety_replay_open(recording, SURETY_REPLAY_MATCH, NULL, &transport,
                           NULL) == SURETY_OK)
        converse(transport, given, out);
    if (surety_http_open(NULL, &transport, NULL) == SURETY_OK)
        converse(transport, given, out);
    surety_recording_free(recording);
}

static void http_fill(void *own)
{
    ((surety_http_options *)own)->proxy = surety_str_of("http://127.0.0.1:9");
    ((surety_http_options *)own)->public_only = true;
}

static void http_act(const void *given, surety_buf *out)
{
    surety_transport *transport = NULL;

    if (options_ended(surety_http_open(given, &transport, NULL), out))
        transport->close(transport->ctx);
}

/* ---- runs ---------------------------------------------------------------- */

static surety_status nobody_start(void *ctx, uint64_t id,
                                  const surety_request *request,
                                  const surety_receiver *receiver,
                                  surety_error *reterr)
{
    (void)ctx;
    (void)id;
    (void)request;
    (void)receiver;
    (void)reterr;
    return SURETY_MISUSE;
}

static void nobody_cancel(void *ctx, uint64_t id)
{
    (void)ctx;
    (void)id;
}

static surety_status nobody_wait(void *ctx, uint32_t timeout_ms,
                                 surety_error *reterr)
{
    (void)ctx;
    (void)timeout_ms;
    (void)reterr;
    return SURETY_OK;
}

/* A model that nobody answers for. */
static surety_transport nobody = {.version = 1,
                                  .start = nobody_start,
                                  .cancel = nobody_cancel,
                                  .wait = nobody_wait};
static const surety_model nobodys = {
    .size = sizeof(surety_model), .name = {"m", 1}, .transport = &nobody};

static void run_fill(void *own)
{
    surety_run_options *options = own;

    options->models = &nobodys;
    options->model_count = 1;
    options->prompt = surety_str_of("Count.");
    options->seed = 1;
}

static void run_act(const void *given, surety_buf *out)
{
    const surety_consensus_options options = {.size = sizeof(options),
                                              .run = given};
    surety_consensus *consensus = NULL;
    surety_run *run = NULL;

    if (options_ended(surety_run_new(given, &run, NULL), out))
        surety_run_free(run);
    if (options_ended(surety_consensus_new(&options, &consensus, NULL), out))
        surety_consensus_free(consensus);
}

/* What a run's options point at is taken as the options are. */
TEST(takes_what_runs_point_at)
{
    surety_extract extract = {.size = sizeof(extract)};
    surety_judge_options judge = {.size = sizeof(judge), .extract = &extract};
    surety_prompt_options prompt = {.size = sizeof(prompt)};
    surety_run_options options = {.size = sizeof(options),
                                  .judge = &judge,
                                  .prompt_options = &prompt,
                                  .alloc = check_alloc(t)};
    size_t *const sizes[] = {&extract.size, &judge.size, &prompt.size};
    surety_run *run = NULL;

    options.models = &nobodys;
    options.model_count = 1;
    options.seed = 1;
    for (size_t i = 0; i < CHECK_COUNT(sizes); i++) {
        const size_t size = *sizes[i];

        *sizes[i] = 0;
        EXPECT(SURETY_MISUSE, surety_run_new(&options, &run, NULL));
        *sizes[i] = size;
    }
    TRY(surety_run_new(&options, &run, NULL));
done:
    surety_run_free(run);
}

/* Models are in arrays, so there is but one size of them. */
TEST(takes_models_of_one_size)
{
    surety_model model = nobodys;
    surety_run_options options = {.size = sizeof(options),
                                  .models = &model,
                                  .model_count = 1,
                                  .seed = 1,
                                  .alloc = check_alloc(t)};
    const size_t sizes[] = {0, sizeof(model) - 1, sizeof(model) + 1};
    surety_error error;
    surety_run *run = NULL;

    for (size_t i = 0; i < CHECK_COUNT(sizes); i++) {
        model.size = sizes[i];
        EXPECT(SURETY_MISUSE, surety_run_new(&options, &run, &error));
        CHECK(strstr(error.message, "size"));
    }
    model.size = sizeof(model);
    TRY(surety_run_new(&options, &run, NULL));
done:
    surety_run_free(run);
}

static void consensus_fill(void *own)
{
    static surety_run_options run = {.size = sizeof(run)};
    surety_consensus_options *options = own;

    run_fill(&run);
    options->run = &run;
    options->quorum = 1;
}

static void consensus_act(const void *given, surety_buf *out)
{
    surety_consensus *consensus = NULL;

    if (options_ended(surety_consensus_new(given, &consensus, NULL), out))
        surety_consensus_free(consensus);
}

/* ---- configuration, mock, ledger ----------------------------------------- */

static void config_fill(void *own)
{
    ((surety_config_options *)own)->keyless = true;
}

static void config_show(surety_config *config, surety_buf *out)
{
    const surety_model *model = NULL;

    options_ended(
        surety_config_model(config, surety_str_of("f:a"), &model, NULL), out);
    surety_config_free(config);
}

static void config_act(const void *given, surety_buf *out)
{
    const surety_str text =
        surety_str_of("{\"providers\":{\"f\":{\"base_url\":\"https://h\","
                      "\"key_file\":\"/nonexistent/key\"}}}");
    surety_config *config = NULL;

    if (options_ended(surety_config_read(text, given, &config, NULL), out))
        config_show(config, out);
    if (options_ended(surety_config_load(surety_str_of("/dev/null"), given,
                                         &config, NULL),
                      out))
        config_show(config, out);
}

static void mock_fill(void *own)
{
    ((surety_mock_options *)own)->address = surety_str_of("nowhere");
}

static void gateway_fill(void *own)
{
    ((surety_gateway_options *)own)->address = surety_str_of("nowhere");
}

static void gateway_act(const void *given, surety_buf *out)
{
    surety_gateway *gateway = NULL;

    if (options_ended(surety_gateway_open(given, &gateway, NULL), out))
        surety_gateway_close(gateway);
}

static void mock_act(const void *given, surety_buf *out)
{
    surety_mock *mock = NULL;
    surety_error error = {.status = SURETY_OK};

    if (options_ended(
            surety_mock_open(surety_str_of("{\"replies\":[{\"text\":\"a\"}]}"),
                             given, &mock, &error),
            out))
        surety_mock_close(mock);
    else if (strstr(error.message, "nowhere"))
        options_put(out, surety_str_of(error.message));
}

static void ledger_fill(void *own)
{
    ((surety_ledger_options *)own)->read_only = true;
}

/* A file of a folder that is made for it. */
struct place {
    char folder[32], path[48];
};

static bool place_make(struct place *place)
{
    *place = (struct place){.folder = "/tmp/surety-options-XXXXXX"};
    if (!mkdtemp(place->folder))
        return false;
    (void)snprintf(place->path, sizeof(place->path), "%s/ledger.db",
                   place->folder);
    return true;
}

static void place_remove(const struct place *place)
{
    (void)remove(place->path);
    (void)remove(place->folder);
}

static void ledger_act(const void *given, surety_buf *out)
{
    surety_ledger *ledger = NULL;
    struct place place;

    if (!place_make(&place))
        return;
    options_ended(
        surety_ledger_open(surety_str_of(place.path), given, &ledger, NULL),
        out);
    surety_ledger_close(ledger);
    place_remove(&place);
}

/* ---- keys ---------------------------------------------------------------- */

static void keys_fill(void *own)
{
    ((surety_keys_options *)own)->fresh_ms = 60000;
}

/* A key that another object revokes is found for as long as it is fresh. */
static void keys_act(const void *given, surety_buf *out)
{
    const surety_key key = {.size = sizeof(key), .name = surety_str_of("a")};
    const surety_key *found = NULL;
    surety_keys *keys = NULL, *other = NULL;
    surety_buf secret;
    struct place place;

    if (!place_make(&place))
        return;
    surety_buf_init(&secret, NULL, 0);
    if (options_ended(
            surety_keys_open(surety_str_of(place.path), given, &keys, NULL),
            out) &&
        surety_keys_open(surety_str_of(place.path), NULL, &other, NULL) ==
            SURETY_OK &&
        surety_keys_add(other, &key, 1, &secret, NULL) == SURETY_OK &&
        surety_keys_find(keys, surety_buf_str(&secret), 1, &found, NULL) ==
            SURETY_OK &&
        surety_keys_revoke(other, key.name, 1, NULL) == SURETY_OK)
        options_ended(
            surety_keys_find(keys, surety_buf_str(&secret), 9000, &found, NULL),
            out);
    surety_keys_close(other);
    surety_keys_close(keys);
    surety_buf_done(&secret);
    place_remove(&place);
}

/* Opens keys for a struct that one of their functions takes, and gives it. */
static void keys_give(const void *given, surety_buf *out,
                      surety_status (*give)(surety_keys *keys,
                                            const void *given))
{
    surety_keys *keys = NULL;
    struct place place;

    if (!place_make(&place))
        return;
    if (surety_keys_open(surety_str_of(place.path), NULL, &keys, NULL) ==
        SURETY_OK)
        options_ended(give(keys, given), out);
    surety_keys_close(keys);
    place_remove(&place);
}

static void key_fill(void *own)
{
    ((surety_key *)own)->name = surety_str_of("a");
}

static surety_status key_give(surety_keys *keys, const void *given)
{
    surety_buf secret;
    surety_status status;

    surety_buf_init(&secret, NULL, 0);
    status = surety_keys_add(keys, given, 1, &secret, NULL);
    surety_buf_done(&secret);
    return status;
}

static void key_act(const void *given, surety_buf *out)
{
    keys_give(given, out, key_give);
}

static void estimate_fill(void *own)
{
    ((surety_estimate *)own)->tokens = 2;
}

static surety_status estimate_give(surety_keys *keys, const void *given)
{
    const surety_key key = {
        .size = sizeof(key), .name = surety_str_of("a"), .minute_tokens = 1};
    const surety_key *found = NULL;
    surety_grant grant = {.size = sizeof(grant)};
    surety_status status;
    surety_buf secret;

    surety_buf_init(&secret, NULL, 0);
    status = surety_keys_add(keys, &key, 1, &secret, NULL);
    if (status == SURETY_OK)
        status =
            surety_keys_find(keys, surety_buf_str(&secret), 1, &found, NULL);
    if (status == SURETY_OK)
        status = surety_keys_reserve(keys, found->id, given, 1, &grant, NULL);
    if (status == SURETY_OK)
        status = surety_keys_settle(keys, &grant, given, NULL);
    surety_buf_done(&secret);
    return status == SURETY_OK && grant.denial ? SURETY_END : status;
}

static void estimate_act(const void *given, surety_buf *out)
{
    keys_give(given, out, estimate_give);
}

static surety_status grant_give(surety_keys *keys, const void *given)
{
    const surety_estimate used = {.size = sizeof(used)};

    return surety_keys_settle(keys, given, &used, NULL);
}

static void grant_act(const void *given, surety_buf *out)
{
    keys_give(given, out, grant_give);
}

/* ---- statistics ---------------------------------------------------------- */

static void stats_fill(void *own)
{
    static const surety_stats_by by[] = {SURETY_BY_PROVIDER};

    ((surety_stats_options *)own)->by = by;
    ((surety_stats_options *)own)->by_count = 1;
}

static void stats_act(const void *given, surety_buf *out)
{
    surety_stats *stats = NULL;

    if (options_ended(surety_stats_new(given, &stats, NULL), out))
        surety_buf_number(out, surety_stats_info_of(stats)->by_count);
    surety_stats_free(stats);
}

static void entry_fill(void *own)
{
    surety_entry *entry = own;

    *entry = sample_broken(ID, 1);
    entry->estimated = false; /* the newest member */
}

static void entry_alter(void *own)
{
    ((surety_entry *)own)->estimated = true;
}

static bool entry_show(void *ctx, const surety_entry *entry)
{
    surety_buf *out = ctx;

    surety_buf_number(out, entry->size);
    surety_buf_number(out, entry->partial);
    options_put(out, entry->model);
    options_put(out, entry->key);
    options_put(out, entry->tag);
    surety_buf_number(out, entry->estimated);
    return true;
}

static void entry_act(const void *given, surety_buf *out)
{
    struct place place;
    surety_ledger *ledger = NULL;
    surety_stats *stats = NULL;
    surety_stats_group total;

    (void)surety_stats_new(NULL, &stats, NULL);
    if (options_ended(surety__stats_add(stats, given, NULL), out) &&
        surety__stats_end(stats, NULL) == SURETY_OK) {
        total = *surety_stats_info_of(stats)->total;
        surety_buf_number(out, total.ended[SURETY_ENDED_PARTIAL]);
        surety_buf_number(out, total.ended[SURETY_ENDED_REJECTED]);
    }
    surety_stats_free(stats);
    if (!place_make(&place))
        return;
    (void)surety_ledger_open(surety_str_of(place.path), NULL, &ledger, NULL);
    if (options_ended(ledger->begin(ledger->ctx, given, NULL), out) &&
        options_ended(ledger->finish(ledger->ctx, given, NULL), out))
        (void)ledger->each(ledger->ctx, 0, entry_show, out, NULL);
    surety_ledger_close(ledger);
    place_remove(&place);
}

/* ---- outputs and charts -------------------------------------------------- */

static const char data_text[] = "{\"charts_needed\":[{\"type\":\"bar\"}],"
                                "\"tables_needed\":[{\"type\":\"csv\"}],"
                                "\"data\":[[\"a\",\"b\"],[\"x\",7],[\"y\",8]]}";

static surety_doc *data_doc(void)
{
    surety_doc *doc = surety_doc_new(NULL);

    (void)surety_doc_read(doc, surety_str_of(data_text), NULL, NULL);
    return doc;
}

static void chart_fill(void *own)
{
    ((surety_stats_chart *)own)->format = SURETY_CHART_SVG;
    ((surety_stats_chart *)own)->title = surety_str_of("T");
}

/* What kind of picture it is: in one of cairo's, names differ from call to
 * call. */
static void chart_show(surety_buf *text, surety_buf *out)
{
    surety_buf_append(out, text->ptr, text->len < 4 ? text->len : 4);
    surety_buf_reset(text);
}

static void chart_act(const void *given, surety_buf *out)
{
    const surety_entry entry = sample_attempt(ID, 1);
    surety_stats *stats = NULL;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    (void)surety_stats_new(NULL, &stats, NULL);
    (void)surety__stats_add(stats, &entry, NULL);
    (void)surety__stats_end(stats, NULL);
    options_ended(surety_stats_draw(stats, given, &text, NULL, NULL), out);
    chart_show(&text, out);
    surety_stats_free(stats);
    surety_buf_done(&text);
}

static void rendering_fill(void *own)
{
    ((surety_rendering_options *)own)->chart_format = SURETY_CHART_SVG;
    ((surety_rendering_options *)own)->byte_order_mark = true;
}

static void rendering_act(const void *given, surety_buf *out)
{
    surety_doc *doc = data_doc();
    surety_rendering *all = NULL;

    if (options_ended(
            surety_rendering_new(surety_doc_root(doc), given, &all, NULL),
            out)) {
        options_put(out, surety_rendering_item(all, 0).name);
        options_ended(surety_rendering_draw(all, 1, out, NULL), out);
    }
    surety_rendering_free(all);
    surety_doc_free(doc);
}

/* ---- tools --------------------------------------------------------------- */

static void tools_fill(void *own)
{
    static const surety_limits limits = {.size = sizeof(limits),
                                         .schema_bytes_max = 1};

    ((surety_tools_options *)own)->limits = &limits;
}

static void command_fill(void *own)
{
    ((surety_command_options *)own)->url = surety_str_of("exec:true");
}

static void command_act(const void *given, surety_buf *out)
{
    surety_command *command = NULL;

    if (options_ended(surety_command_new(given, &command, NULL), out))
        surety_command_free(command);
}

static surety_status tool_call(void *ctx, const surety_tool_call *call,
                               surety_buf *result, surety_error *reterr)
{
    (void)ctx;
    (void)reterr;
    surety_buf_add(result, call->text);
    return SURETY_OK;
}

static void tool_fill(void *own)
{
    ((surety_tool *)own)->name = surety_str_of("echo");
    ((surety_tool *)own)->call = tool_call;
    ((surety_tool *)own)->result_bytes_max = 1;
    ((surety_tool *)own)->polls = true;
    ((surety_tool *)own)->strict = true;
    ((surety_tool *)own)->raw = surety_str_of("{}");
}

static void tool_alter(void *own)
{
    ((surety_tool *)own)->raw_protocol = SURETY_PROTOCOL_ANTHROPIC;
}

static void tools_act(const void *given, surety_buf *out)
{
    surety_tool tool = {.size = sizeof(tool)};
    surety_tools *tools = NULL;

    tool_fill(&tool);
    if (options_ended(surety_tools_new(given, &tools, NULL), out))
        options_ended(surety_tools_add(tools, &tool, NULL), out);
    surety_tools_free(tools);
}

static void tool_act(const void *given, surety_buf *out)
{
    surety_tools *tools = NULL;

    (void)surety_tools_new(NULL, &tools, NULL);
    if (options_ended(surety_tools_add(tools, given, NULL), out)) {
        surety_buf_number(out, surety_tools_info(tools, 0)->polls);
        surety_buf_number(out, surety__tools_find(tools, surety_str_of("echo"))
                                   ->given.raw_protocol);
    }
    surety_tools_free(tools);
}

static void server_fill(void *own)
{
    static const surety_str bad = {"A=B", 3};

    ((surety_tool_server *)own)->command = surety_str_of("[\"true\"]");
    ((surety_tool_server *)own)->environment = &bad;
}

static void server_alter(void *own)
{
    ((surety_tool_server *)own)->environment_count = 1;
}

static void server_act(const void *given, surety_buf *out)
{
    surety_tools *tools = NULL;

    (void)surety_tools_new(NULL, &tools, NULL);
    options_ended(surety_tools_connect(tools, given, NULL, NULL), out);
    surety_tools_free(tools);
}

static void conversation_fill(void *own)
{
    static const surety_limits limits = {.size = sizeof(limits),
                                         .messages_max = 1};

    ((surety_conversation_options *)own)->limits = &limits;
}

static void conversation_act(const void *given, surety_buf *out)
{
    const surety_part part = {.text = surety_str_of("a")};
    const surety_message message = {SURETY_ROLE_USER, &part, 1};
    surety_conversation *conversation = NULL;

    if (options_ended(surety_conversation_new(given, &conversation, NULL),
                      out) &&
        options_ended(surety_conversation_add(conversation, &message, NULL),
                      out))
        options_ended(surety_conversation_add(conversation, &message, NULL),
                      out);
    surety_conversation_free(conversation);
}

/* ---- the table ----------------------------------------------------------- */

static const struct options_row options_rows[] = {
    OPTIONS_ROW(surety_conversation_options, protocol,
                .fill = conversation_fill, .act = conversation_act),
    OPTIONS_ROW(surety_request, part_count, .fill = request_fill,
                .act = request_act),
    OPTIONS_ROW(surety_http_options, alloc, .fill = http_fill, .act = http_act),
    OPTIONS_ROW(surety_entry, estimated, .fill = entry_fill,
                .alter = entry_alter, .act = entry_act),
    OPTIONS_ROW(surety_ledger_options, alloc, .fill = ledger_fill,
                .act = ledger_act),
    OPTIONS_ROW(surety_keys_options, lapse_ms, .fill = keys_fill,
                .act = keys_act),
    OPTIONS_ROW(surety_key, month_spent_picousd, .fill = key_fill,
                .act = key_act),
    OPTIONS_ROW(surety_estimate, picousd, .fill = estimate_fill,
                .act = estimate_act),
    OPTIONS_ROW(surety_grant, retry_after_ms, .act = grant_act),
    OPTIONS_ROW(surety_run_options, request_type, .fill = run_fill,
                .act = run_act),
    OPTIONS_ROW(surety_consensus_options, event_ctx, .fill = consensus_fill,
                .act = consensus_act),
    OPTIONS_ROW(surety_config_options, connections_max, .fill = config_fill,
                .act = config_act),
    OPTIONS_ROW(surety_gateway_options, stream, .fill = gateway_fill,
                .act = gateway_act),
    OPTIONS_ROW(surety_mock_options, alloc, .fill = mock_fill, .act = mock_act),
    OPTIONS_ROW(surety_stats_chart, scale, .fill = chart_fill,
                .act = chart_act),
    OPTIONS_ROW(surety_rendering_options, alloc, .fill = rendering_fill,
                .act = rendering_act),
    OPTIONS_ROW(surety_stats_options, alloc, .fill = stats_fill,
                .act = stats_act),
    OPTIONS_ROW(surety_tools_options, certain_only, .fill = tools_fill,
                .act = tools_act),
    OPTIONS_ROW(surety_command_options, alloc, .fill = command_fill,
                .act = command_act),
    OPTIONS_ROW(surety_tool_server, environment_count, .fill = server_fill,
                .alter = server_alter, .act = server_act),
    OPTIONS_ROW(surety_tool, raw_protocol, .fill = tool_fill,
                .alter = tool_alter, .act = tool_act),
};

TEST(takes_structs_of_any_size)
{
    options_try_all(t, options_rows, CHECK_COUNT(options_rows));
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"takes structs of older and newer headers", takes_structs_of_any_size},
        {"takes what runs point at", takes_what_runs_point_at},
        {"takes models of one size", takes_models_of_one_size},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
