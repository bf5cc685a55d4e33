/* SPDX-License-Identifier: Apache-2.0 */
/* What a script of the mock server answers, byte for byte and pause for pause,
 * without a socket or a clock.
 *
 *     mock_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case. Its sections, of which some are made:
 *
 *     === script      what is to be answered
 *     === read        made: how many replies it has, or what is wrong with it
 *     === headers     lines `NAME: VALUE`, of all calls from here on
 *     === call PATH   the body of a request
 *     === played      made: status and headers, the size of the body, then each
 *                     piece as it comes (`> `, with \r \n \t \\ and \xNN for
 *                     bytes, {c*N} for N times a character, and `N times` for
 *                     a piece that comes again), `wait N`, and how it ends; or
 *                     why there is no answer */
#include "golden/cases.h"

#include <string.h>

#include "mock/mock.h"

/* How much of an answer that never ends is shown, and what bounds the rest. */
enum { ENDLESS_MAX = 12, PULLS_MAX = 2000, RUN_MIN = 40 };

struct world {
    surety__script script;
    bool has_script;
    surety_status status; /* of the script */
    surety_error error;
    surety_str headers;
};

static surety_str header_of(void *ctx, const char *name)
{
    const struct world *world = ctx;
    surety_str rest = world->headers;
    surety_str line;

    while (golden_line(&rest, &line))
        if (golden_take(&line, name) && golden_take(&line, ": "))
            return line;
    return (surety_str){NULL, 0};
}

/* ---- what is shown ------------------------------------------------------- */

static void put_number(surety_buf *out, const char *before, uint64_t number,
                       const char *after)
{
    surety_buf_text(out, before);
    surety_buf_number(out, number);
    surety_buf_text(out, after);
}

static void put_piece(surety_buf *out, surety_str piece)
{
    surety_buf_text(out, "> ");
    for (size_t i = 0; i < piece.len;) {
        size_t end = i + 1;

        while (end < piece.len && piece.ptr[end] == piece.ptr[i])
            end++;
        if (end - i >= RUN_MIN) {
            surety_buf_byte(out, '{');
            golden_escape(out, piece.ptr[i]);
            put_number(out, "*", end - i, "}");
            i = end;
        } else {
            golden_escape(out, piece.ptr[i++]);
        }
    }
    surety_buf_byte(out, '\n');
}

static void put_head(const surety__playback *plan, surety_buf *out)
{
    const uint64_t size = surety__playback_size(plan);

    if (plan->delay_ms)
        put_number(out, "wait ", plan->delay_ms, "\n");
    if (plan->hang_up != FLOW_ON) {
        surety_buf_text(out, plan->hang_up == FLOW_RESET
                                 ? "resets without an answer\n"
                                 : "hangs up without an answer\n");
        return;
    }
    put_number(out, "status ", (uint64_t)plan->http_status,
               plan->kind == ANSWER_RAW ? " raw\n" : "\n");
    for (size_t i = 0; i < plan->header_count; i++) {
        surety_buf_add(out, plan->headers[i].name);
        surety_buf_text(out, ": ");
        surety_buf_add(out, plan->headers[i].value);
        surety_buf_byte(out, '\n');
    }
    if (size == UINT64_MAX)
        surety_buf_text(out, "size unknown");
    else
        put_number(out, "size ", size, "");
    surety_buf_text(out, plan->is_endless ? ", endless\n" : "\n");
}

static void put_body(surety__playback *plan, surety_buf *out)
{
    static const char *const ends[] = {"", "", "end\n", "cut\n", "reset\n"};
    static char room[2][1 << 16];
    const int pulls = plan->is_endless ? ENDLESS_MAX : PULLS_MAX;
    surety_str last = {NULL, 0};
    uint64_t times = 1; /* that the last piece came */
    surety__flow flow = FLOW_ON;

    for (int i = 0; i < pulls && flow <= FLOW_WAIT; i++) {
        surety__pull pull = {room[last.ptr == room[0]], sizeof(room[0]), 0, 0};
        surety_str piece;

        flow = surety__playback_pull(plan, &pull);
        piece = (surety_str){pull.room, pull.len};
        if (flow == FLOW_ON && last.ptr && surety_str_equal(piece, last)) {
            times++;
            continue;
        }
        if (times > 1)
            put_number(out, "  ", times, " times\n");
        times = 1;
        last = flow == FLOW_ON ? piece : (surety_str){NULL, 0};
        if (flow == FLOW_ON) {
            put_piece(out, piece);
        } else if (flow == FLOW_WAIT && pull.wait_ms == SERVE_WAIT_LONG) {
            surety_buf_text(out, "stall\n");
            return;
        } else if (flow == FLOW_WAIT) {
            put_number(out, "wait ", pull.wait_ms, "\n");
        }
    }
    surety_buf_text(out, flow <= FLOW_WAIT ? "and so on\n" : ends[flow]);
}

/* ---- cases --------------------------------------------------------------- */

/* Files of a script stand beside its case. */
static void read_script(struct world *world, surety_str text, const char *path)
{
    const surety_str folder = {path, (size_t)(strrchr(path, '/') - path)};

    if (world->has_script)
        surety__script_done(&world->script);
    world->has_script = true;
    world->status =
        surety__script_read(&world->script, text, folder, NULL, &world->error);
}

static void put_read(const struct world *world, surety_buf *out)
{
    const surety_error *error = &world->error;

    if (world->status == SURETY_OK) {
        put_number(out, "replies ", world->script.reply_count, "\n");
        return;
    }
    surety_buf_text(out, surety_status_name(world->status));
    put_number(out, " ", error->position.line, ":");
    put_number(out, "", error->position.column, " ");
    surety_buf_text(out, error->path);
    surety_buf_text(out, "\n");
    surety_buf_text(out, error->message);
    surety_buf_text(out, "\n");
    if (error->hint[0]) {
        surety_buf_text(out, error->hint);
        surety_buf_text(out, "\n");
    }
}

static void play(struct world *world, surety_str target, surety_str body,
                 surety_buf *out)
{
    const surety_str sse = SURETY__LITERAL("?alt=sse");
    const surety_str path = {target.ptr,
                             surety__str_find(target, SURETY__LITERAL("?"))};
    const surety__route route = surety__route_of(path, false, false);
    surety_doc *doc = surety_doc_new(NULL);
    surety__model_request request;
    const surety__script_call call = {&request, path, header_of, world};
    const surety__script_reply *reply;
    surety__arena arena;
    surety__playback plan;
    surety__problem problem;
    surety_error error;

    surety__arena_init(&arena, NULL, 0);
    surety__playback_init(&plan, NULL);
    if (surety_doc_read(doc, body, NULL, NULL) != SURETY_OK ||
        surety__speak_read(&route, surety_doc_root(doc), &arena, &request,
                           &problem, &error) != SURETY_OK)
        golden_die("no request", "a call");
    reply = surety__script_pick(&world->script, &call);
    if (reply) {
        const bool as_array = request.protocol == SURETY_PROTOCOL_GEMINI &&
                              request.stream &&
                              surety__str_find(target, sse) == target.len;
        const surety__playback_order order = {&world->script, reply, &request,
                                              world->script.calls, as_array};

        request.stream = request.stream && !as_array;
        if (surety__playback_reply(&plan, &order) != SURETY_OK)
            golden_die("out of memory", "a plan");
        put_head(&plan, out);
        if (plan.hang_up == FLOW_ON)
            put_body(&plan, out);
    } else {
        surety_buf_text(out, "no reply is left\n");
    }
    surety__playback_done(&plan);
    surety__arena_done(&arena);
    surety_doc_free(doc);
}

static bool run(struct golden *golden)
{
    struct world world = {.has_script = false};
    const struct golden_section *call = NULL;

    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];
        surety_str path;

        if (golden_is(section, "read")) {
            golden_begin(golden, section);
            put_read(&world, &golden->made);
            continue;
        }
        if (!golden_is(section, "played")) {
            golden_keep(golden, section);
            path = section->kind;
            if (golden_is(section, "script"))
                read_script(&world, section->body, golden->path);
            else if (golden_is(section, "headers"))
                world.headers = section->body;
            else if (golden_take(&path, "call "))
                call = section;
            continue;
        }
        if (!call || !world.has_script)
            golden_die("no call or no script", golden->path);
        if (world.status != SURETY_OK)
            golden_die(world.error.message, golden->path);
        path = call->kind;
        golden_take(&path, "call ");
        golden_begin(golden, section);
        play(&world, path, call->body, &golden->made);
    }
    if (world.has_script)
        surety__script_done(&world.script);
    return true;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
