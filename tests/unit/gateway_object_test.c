/* SPDX-License-Identifier: Apache-2.0 */
/* What the gateway passes on besides calls: the paths that surety.json names,
 * and nothing else, whatever a client asks for. */
#include "gateway_step.h"

#include "gateway/gateway.h"
#include "provider/provider.h"

#define LITERAL SURETY__LITERAL
#define BASE "http://h:1/v1"

enum { LAW_PATHS = 50000, LAW_NAMES = 5000 };

static uint32_t object_random(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*state >> 33) % below;
}

/* ---- names and paths ----------------------------------------------------- */

TEST(knows_what_a_name_stands_for)
{
    static const struct {
        const char *name, *path;
        bool is;
    } rows[] = {
        {"/files", "/files", true},
        {"/files", "/files/a", false},
        {"/files", "/filesystem", false},
        {"/files", "/file", false},
        {"/files", "/v1/files", false},
        {"/files/*", "/files", false},
        {"/files/*", "/files/", false},
        {"/files/*", "/files/a", true},
        {"/files/*", "/files/a/content", true},
        {"/files/*", "/filesystem/a", false},
        {"/files/*", "/Files/a", false},
        {"/a/b/*", "/a/b/c", true},
        {"/a/b/*", "/a/c/b/c", false},
    };

    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        CHECK(surety__object_is_named(surety_str_of(rows[i].name),
                                      surety_str_of(rows[i].path)) ==
              rows[i].is);
done:
    return;
}

TEST(knows_which_paths_are_safe)
{
    static const char *const good[] = {"/a", "/a/b", "/file-1_2.jsonl",
                                       "/batches/x:cancel", "/a..b/-/~c/_"};
    static const char *const bad[] = {
        "",       "/",          "a",       "//a",       "/a/",    "/a//b",
        "/.",     "/..",        "/a/..",   "/./a",      "/.git",  "/a/:b",
        "/a%2fb", "/%2e%2e",    "/a\\b",   "/a;b",      "/a b",   "/a?b",
        "/a#b",   "/a@b",       "/a\r\nb", "/\xc3\xa9", "/a\x7f", "/*",
        "/a/*",   "http://h/a", "*",       "/a,b"};

    for (size_t i = 0; i < CHECK_COUNT(good); i++)
        CHECK(surety__object_is_path(surety_str_of(good[i])));
    for (size_t i = 0; i < CHECK_COUNT(bad); i++)
        CHECK(!surety__object_is_path(surety_str_of(bad[i])));
    CHECK(!surety__object_is_path((surety_str){"/a\0b", 4}));
done:
    return;
}

TEST(takes_the_prefix_of_a_client_off)
{
    static const struct {
        const char *path, *below;
    } rows[] = {{"/v1/files", "/files"},
                {"/files", "/files"},
                {"/v1beta/files", "/files"},
                {"/v1beta/openai/files/a", "/files/a"},
                {"/v1x/files", "/v1x/files"},
                {"/v1", "/v1"},
                {"/v1/v1/files", "/v1/files"},
                {"/api/v1/files", "/files"},
                {"*", "*"}};

    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        CHECK_TEXT(surety__route_below(surety_str_of(rows[i].path)),
                   rows[i].below);
done:
    return;
}

/* ---- laws ---------------------------------------------------------------- */

/* A path of pieces that are good, and of such as break servers. */
static surety_str law_path(uint64_t *state, surety_buf *out)
{
    static const char *const pieces[] = {"/",
                                         "/",
                                         "/",
                                         "/",
                                         "/files",
                                         "/chat",
                                         "files",
                                         "completions",
                                         "chat",
                                         "Completions",
                                         "v1",
                                         "responses",
                                         "a",
                                         "models",
                                         "MODELS",
                                         ":cancel",
                                         "..",
                                         ".",
                                         "%2e",
                                         "%2F",
                                         "\\",
                                         "*",
                                         "?",
                                         "#",
                                         "@h",
                                         "\r\n",
                                         " ",
                                         ";",
                                         ":",
                                         "\xc3\xa9",
                                         ":generateContent"};
    const uint32_t most = 1 + object_random(state, 8);

    surety_buf_reset(out);
    for (uint32_t i = 0; i < most; i++)
        surety_buf_text(out, pieces[object_random(state, CHECK_COUNT(pieces))]);
    return surety_buf_str(out);
}

/* The same as surety__object_is_path, said otherwise. */
static bool law_is_safe(surety_str path)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/";
    static const char *const never[] = {"//", "/.", "/:"};

    for (size_t i = 0; i < path.len; i++)
        if (!memchr(safe, path.ptr[i], sizeof(safe) - 1))
            return false;
    for (size_t i = 0; i < CHECK_COUNT(never); i++)
        if (surety__str_find(path, surety_str_of(never[i])) < path.len)
            return false;
    return path.len > 1 && path.ptr[0] == '/' && path.ptr[path.len - 1] != '/';
}

/* The URL that a request for the path gets. */
static surety_status law_url(struct check *t, surety_str path,
                             surety__arena *arena, surety_buf *body,
                             surety_str *ret_url)
{
    const surety_model model = {.size = sizeof(model),
                                .base_url = LITERAL(BASE "/files")};
    const surety__raw raw = {.path = path, .is_bytes = true};
    const surety__call call = {
        .model = &model, .mode = SURETY_MODE_PROMPT, .raw = &raw};
    surety_request request;
    surety_status status;

    (void)t;
    surety__arena_reset(arena);
    status = surety__call_encode(&call, arena, body, &request, NULL);
    *ret_url = request.url;
    return status;
}

/* Whatever the path: it is passed on only if it is named, safe and no call, and
 * then the request stays below the base URL. */
TEST(passes_named_paths_alone)
{
    static const char text[] =
        "{\"providers\": {"
        "\"a\": {\"base_url\": \"" BASE "\", \"passed_paths\": "
        "[\"/files\", \"/files/*\", \"/chat/*\", \"/v1/*\"]},"
        "\"b\": {\"base_url\": \"" BASE "\", \"protocol\": \"anthropic\","
        "\"passed_paths\": [\"/a/*\"]}}}";
    const surety_config_options options = {.size = sizeof(options),
                                           .alloc = check_alloc(t)};
    surety_config *config = NULL;
    surety_buf path, body;
    surety__arena arena;
    uint64_t state = 7;
    size_t passed = 0;

    surety_buf_init(&path, check_alloc(t), 0);
    surety_buf_init(&body, check_alloc(t), 0);
    surety__arena_init(&arena, check_alloc(t), 0);
    TRY(surety_config_read(surety_str_of(text), &options, &config, NULL));
    for (size_t i = 0; i < (t->starved ? 200 : LAW_PATHS); i++) {
        const surety_str one = law_path(&state, &path);
        const bool is_anthropic = object_random(&state, 4) == 0;
        const surety_config_passed *found =
            surety__object_find(surety_config_info_of(config),
                                is_anthropic ? SURETY_PROTOCOL_ANTHROPIC
                                             : SURETY_PROTOCOL_RESPONSES,
                                one);
        const bool is_named =
            is_anthropic ? surety__str_starts(one, LITERAL("/a/"))
                         : surety_str_equal(one, LITERAL("/files")) ||
                               surety__str_starts(one, LITERAL("/files/")) ||
                               surety__str_starts(one, LITERAL("/chat/")) ||
                               surety__str_starts(one, LITERAL("/v1/"));
        surety_str url;

        if (path.status)
            goto done;
        CHECK((found != NULL) ==
              (is_named && law_is_safe(one) && !surety__route_is_taken(one)));
        if (!found)
            continue;
        passed++;
        CHECK_TEXT(found->provider, is_anthropic ? "b" : "a");
        TRY(law_url(t, one, &arena, &body, &url));
        CHECK(url.len == sizeof(BASE "/files") - 1 + one.len);
        CHECK(surety__str_starts(url, LITERAL(BASE "/files/")));
        CHECK(surety__str_ends(url, one));
    }
    CHECK(t->starved || passed > LAW_PATHS / 200);
done:
    surety__arena_done(&arena);
    surety_buf_done(&path);
    surety_buf_done(&body);
    surety_config_free(config);
}

/* What the gateway takes for a call is never passed on, and neither is what
 * differs from it in case only. */
TEST(passes_no_call)
{
    surety_buf path;
    uint64_t state = 11;
    size_t taken = 0;

    surety_buf_init(&path, check_alloc(t), 0);
    for (size_t i = 0; i < (t->starved ? 200 : LAW_PATHS); i++) {
        const surety_str one = law_path(&state, &path);

        if (path.status)
            goto done;
        if (surety__route_of(one, false, false).kind == ROUTE_NONE)
            continue;
        taken++;
        CHECK(surety__route_is_taken(one));
        for (size_t k = 0; k < one.len; k++)
            if (surety__is_letter(path.ptr[k]) && object_random(&state, 2))
                path.ptr[k] ^= 0x20;
        CHECK(surety__route_is_taken(one));
    }
    CHECK(t->starved || taken > LAW_PATHS / 1000);
done:
    surety_buf_done(&path);
}

/* ---- two providers ------------------------------------------------------- */

/* A name of one or two segments, with a star or without. */
static surety_str law_name(uint64_t *state, char *room)
{
    static const char *const names[] = {"/a",     "/b",   "/a/*", "/b/*",
                                        "/a/a",   "/a/b", "/b/a", "/a/a/*",
                                        "/a/b/*", "/ab",  "/ab/*"};

    strcpy(room, names[object_random(state, CHECK_COUNT(names))]);
    return surety_str_of(room);
}

/* Whether any path of up to three segments has both names. */
static bool law_is_shared(surety_str one, surety_str other)
{
    static const char *const words[] = {"", "/a", "/b", "/ab", "/c"};
    const size_t count = CHECK_COUNT(words);

    for (size_t i = 0; i < count * count * count; i++) {
        char room[16];
        surety_buf path = surety__buf_over(room, sizeof(room));
        surety_str text;

        surety_buf_text(&path, words[i % count]);
        surety_buf_text(&path, words[i / count % count]);
        surety_buf_text(&path, words[i / count / count]);
        text = surety_buf_str(&path);
        if (surety__object_is_named(one, text) &&
            surety__object_is_named(other, text))
            return true;
    }
    return false;
}

/* A configuration is taken exactly if no path has two providers whose clients
 * speak one protocol. */
TEST(gives_each_path_one_provider)
{
    static const surety_protocol protocols[] = {
        SURETY_PROTOCOL_OPENAI, SURETY_PROTOCOL_RESPONSES,
        SURETY_PROTOCOL_ANTHROPIC, SURETY_PROTOCOL_GEMINI};
    uint64_t state = 13;
    size_t refused = 0;

    for (size_t i = 0; i < LAW_NAMES; i++) {
        const size_t one = object_random(&state, 4);
        const size_t other = object_random(&state, 4);
        const bool is_same = object_random(&state, 4) == 0;
        char rooms[2][16];
        const surety_config_passed passed[] = {
            {.provider = LITERAL("p"),
             .protocol = protocols[one],
             .path = law_name(&state, rooms[0]),
             .position = {.line = 3}},
            {.provider = is_same ? LITERAL("p") : LITERAL("q"),
             .protocol = protocols[is_same ? one : other],
             .path = law_name(&state, rooms[1]),
             .position = {.line = 7}}};
        const surety_config_info info = {.file = LITERAL("surety.json"),
                                         .passed = passed,
                                         .passed_count = 2};
        const bool is_kin = one == other || (one < 2 && other < 2);
        const bool is_bad =
            !is_same && is_kin && law_is_shared(passed[0].path, passed[1].path);
        surety_error error = {.status = SURETY_OK};

        CHECK(surety__objects_check(&info, &error) ==
              (is_bad ? SURETY_SYNTAX : SURETY_OK));
        CHECK(error.position.line == (is_bad ? 7 : 0));
        CHECK(!is_bad || (strstr(error.message, "\"p\" and \"q\"") &&
                          strstr(error.hint, "line 3")));
        refused += is_bad;
    }
    CHECK(refused > LAW_NAMES / 50);
done:
    return;
}

TEST(refuses_names_that_never_pass)
{
    static const char *const names[] = {"/chat/completions",
                                        "/Responses",
                                        "/messages",
                                        "/messages/count_tokens",
                                        "/embeddings",
                                        "/models",
                                        "/models/*",
                                        "/models/a",
                                        "/v1/responses",
                                        "/v1/models/*",
                                        "/v1/files",
                                        "/v1/*",
                                        "/v1beta/openai/files",
                                        "/a/b:generateContent",
                                        "/x:countTokens"};
    static const char *const good[] = {"/chat/*",     "/responses/*",
                                       "/messages/*", "/messages/batches",
                                       "/modelsx",    "/threads/*"};

    for (size_t i = 0; i < CHECK_COUNT(names) + CHECK_COUNT(good); i++) {
        const bool is_bad = i < CHECK_COUNT(names);
        const surety_config_passed passed = {
            .provider = LITERAL("p"),
            .path =
                surety_str_of(is_bad ? names[i] : good[i - CHECK_COUNT(names)]),
            .position = {.line = 5}};
        const surety_config_info info = {.file = LITERAL("surety.json"),
                                         .passed = &passed,
                                         .passed_count = 1};
        surety_error error = {.status = SURETY_OK};

        CHECK(surety__objects_check(&info, &error) ==
              (is_bad ? SURETY_SYNTAX : SURETY_OK));
        CHECK(!is_bad || (error.position.line == 5 &&
                          strcmp(error.source, "surety.json") == 0));
        CHECK(surety__objects_check(&info, NULL) ==
              (is_bad ? SURETY_SYNTAX : SURETY_OK));
    }
done:
    return;
}

/* ---- a request ----------------------------------------------------------- */

/* A request and its answer, each with bytes that are no text; also where memory
 * runs out anywhere. */
TEST(passes_a_request_on)
{
    static const char asked[] =
        "POST /v1beta/files/a:b?key=sk-client&c=d HTTP/1.1\r\nHost: a\r\n"
        "Content-Type: a/b\r\nConnection: close\r\nContent-Length: 3\r\n\r\n"
        "\xff\x01{";
    struct step_provider provider = {
        .listener = -1,
        .link = -1,
        .answer = "HTTP/1.1 201 Made\r\nContent-Type: c/d\r\nContent-Length: "
                  "2\r\nConnection: close\r\n\r\n\xfe\x02"};
    char path[] = "/tmp/surety-object-XXXXXX";
    const int fd = mkstemp(path);
    const surety_gateway_options options = step_options(t, path);
    surety_gateway *gateway = NULL;
    surety_buf answer;
    char text[256];

    surety_buf_init(&answer, NULL, 0);
    CHECK(fd >= 0 && step_listen(&provider));
    snprintf(text, sizeof(text),
             "{\"providers\": {\"gemini\": {\"base_url\": "
             "\"http://127.0.0.1:%u/v1\", \"passed_paths\": [\"/files/*\"]}}}",
             (unsigned)provider.port);
    CHECK(step_write(path, text));
    TRY(surety_gateway_open(&options, &gateway, NULL));
    CHECK(step_ask(t, gateway, asked, &provider, &answer) || t->starved);
    CHECK(t->starved ||
          (strncmp(provider.asked, "POST /v1/files/a:b?c=d HTTP/1.1\r\n", 33) ==
               0 &&
           strstr(provider.asked, "\r\nx-goog-api-key: sk-client\r\n") &&
           strstr(provider.asked, "\r\n\r\n\xff\x01{")));
    CHECK(t->starved || (step_has(&answer, "HTTP/1.1 201 Created\r\n") &&
                         strstr(answer.ptr, "\r\n\r\n\xfe\x02")));
done:
    surety_gateway_close(gateway);
    surety_buf_done(&answer);
    step_end(&provider);
    if (fd >= 0)
        close(fd);
    unlink(path);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"knows what a name stands for", knows_what_a_name_stands_for},
        {"knows which paths are safe", knows_which_paths_are_safe},
        {"takes the prefix of a client off", takes_the_prefix_of_a_client_off},
        {"passes named paths alone", passes_named_paths_alone},
        {"passes no call", passes_no_call},
        {"gives each path one provider", gives_each_path_one_provider},
        {"refuses names that never pass", refuses_names_that_never_pass},
        {"passes a request on", passes_a_request_on},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
