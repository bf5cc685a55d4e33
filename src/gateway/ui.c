/* SPDX-License-Identifier: Apache-2.0 */
/* The page /ui: who may see it, its files, and the questions that its script
 * asks.
 *
 * It shows replies of models and what clients asked for, and needs no password.
 * So only a client on this machine gets it, or one that sends a key of the role
 * admin, and four doors that others have to a local client are shut:
 *
 * 1. A name of an attacker's that resolves to this machine (DNS rebinding): the
 *    Host must be a name of the loopback.
 * 2. A page of another site that asks: a question is a POST of JSON, which a
 *    browser lets another site send only after a preflight, and Sec-Fetch-Site
 *    must not name another site.
 * 3. A proxy in front, behind which everybody is local: a request with a
 *    proxy's header is refused.
 * 4. Text of a model that is markup: the policy in the head lets nothing be
 *    executed or loaded but the page's own two files, and the script writes
 *    texts only.
 *
 * A question becomes a job of the desk (desk.c). */
#include "gateway/ui.h"

/* ORDER questions */
static const char *const ui_questions[] = {"overview",  "runs",  "run",
                                           "contracts", "check", "now"};

/* ---- access -------------------------------------------------------------- */

static bool ui_is_loopback(surety_str host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    const char *colon = host.len ? memchr(host.ptr, ':', host.len) : NULL;

    if (host.len && *host.ptr == '[') {
        const char *end = memchr(host.ptr, ']', host.len);

        host.len = end ? (size_t)(end - host.ptr) + 1 : 0;
    } else if (colon) {
        host.len = (size_t)(colon - host.ptr);
    }
    return surety__str_among_nocase(host, names, SURETY__COUNT(names));
}

/* Why the request may not see the page; NULL: it may. */
static const char *ui_refuses(const surety__exchange *exchange)
{
    const surety__serving *serving = exchange->serving;
    static const char *const proxies[] = {
        "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"};

    if (exchange->worker->gateway->keeper && surety__admit_is_admin(exchange))
        return NULL;
    for (size_t i = 0; i < SURETY__COUNT(proxies); i++)
        if (surety__serving_header(serving, proxies[i]).ptr)
            return "the page /ui is not given to a proxy, behind which every "
                   "client looks like one of this machine: open it on the "
                   "gateway's machine, or give a key of the role admin\n";
    if (!surety__serving_is_local(serving))
        return "the page /ui is for clients on the gateway's machine: open it "
               "there, or through a tunnel (ssh -L 4141:127.0.0.1:4141 "
               "HOST), or give a key of the role admin\n";
    if (!ui_is_loopback(surety__serving_header(serving, "Host")))
        return "the page /ui is for the address of the loopback: open "
               "http://127.0.0.1:PORT/ui\n";
    return NULL;
}

/* Whether a page of another site may have sent the question. */
static bool ui_is_foreign(const surety__serving *serving)
{
    const surety_str site = surety__serving_header(serving, "Sec-Fetch-Site");
    const surety_str type = surety__serving_header(serving, "Content-Type");

    return (site.ptr &&
            !surety_str_equal(site, SURETY__LITERAL("same-origin"))) ||
           !surety__str_starts_nocase(type,
                                      SURETY__LITERAL("application/json"));
}

/* ---- answering ----------------------------------------------------------- */

/* allow: for the header Allow, of status 405; else NULL. */
static surety__flow ui_give(surety__exchange *exchange, int status,
                            const char *allow, const char *type,
                            surety_str body)
{
    const surety_header headers[] = {
        {SURETY__LITERAL("Content-Type"), surety_str_of(type), false},
        {SURETY__LITERAL("Cache-Control"), SURETY__LITERAL("no-store"), false},
        {SURETY__LITERAL("X-Content-Type-Options"), SURETY__LITERAL("nosniff"),
         false},
        {SURETY__LITERAL("Referrer-Policy"), SURETY__LITERAL("no-referrer"),
         false},
        {SURETY__LITERAL("Cross-Origin-Resource-Policy"),
         SURETY__LITERAL("same-origin"), false},
        {SURETY__LITERAL("Content-Security-Policy"),
         SURETY__LITERAL("default-src 'none'; script-src 'self'; style-src "
                         "'self'; connect-src 'self'; img-src data:; base-uri "
                         "'none'; form-action 'none'; frame-ancestors "
                         "'none'"),
         false},
        {SURETY__LITERAL("Allow"), surety_str_of(allow), false}, /* the last */
    };
    const size_t count = SURETY__COUNT(headers);
    const surety__response response = {.kind = ANSWER_WHOLE,
                                       .status = status,
                                       .headers = headers,
                                       .header_count =
                                           allow ? count : count - 1,
                                       .body = body};

    exchange->status = status;
    return surety__serving_answer(exchange->serving, &response, NULL) ? FLOW_CUT
                                                                      : FLOW_ON;
}

static surety__flow ui_text(surety__exchange *exchange, int status,
                            const char *text)
{
    return ui_give(exchange, status, NULL, "text/plain; charset=utf-8",
                   surety_str_of(text));
}

static surety__flow ui_wrong_method(surety__exchange *exchange,
                                    const char *allow, const char *text)
{
    return ui_give(exchange, 405, allow, "text/plain; charset=utf-8",
                   surety_str_of(text));
}

static surety__flow ui_file(surety__exchange *exchange, surety_str name)
{
    static const struct {
        const char *ending, *type;
    } types[] = {{".html", "text/html; charset=utf-8"},
                 {".css", "text/css; charset=utf-8"},
                 {".js", "text/javascript; charset=utf-8"}};

    for (size_t i = 0; i < surety__ui_files_count; i++) {
        const surety__embedded *file = &surety__ui_files[i];

        if (!surety_str_equal(name, surety_str_of(file->name)))
            continue;
        for (size_t k = 0; k < SURETY__COUNT(types); k++)
            if (surety__str_ends(name, surety_str_of(types[k].ending)))
                return ui_give(exchange, 200, NULL, types[k].type,
                               (surety_str){file->text, file->len});
    }
    return ui_text(exchange, 404, "the page has no such file\n");
}

/* ---- questions ----------------------------------------------------------- */

/* Makes a job of the question. Statuses as surety_doc_read. */
static surety_status ui_job(surety__exchange *exchange, surety__job_kind kind,
                            surety__job **ret_job)
{
    const surety_alloc *alloc = exchange->worker->gateway->options.alloc;
    surety__job *job = surety__new(alloc, sizeof(*job));
    surety_status status;

    if (!job)
        return SURETY_NOMEM;
    job->kind = kind;
    job->exchange = exchange;
    job->worker = exchange->worker;
    surety_buf_init(&job->out, alloc, 0);
    job->body = surety_doc_new(alloc);
    status = job->body
                 ? surety_doc_read(job->body,
                                   surety_buf_str(&exchange->serving->body),
                                   NULL, NULL)
                 : SURETY_NOMEM;
    if (status) {
        surety_doc_free(job->body);
        surety__free(alloc, job, sizeof(*job));
        return status;
    }
    *ret_job = job;
    return SURETY_OK;
}

static surety__flow ui_question(surety__exchange *exchange, surety_str name)
{
    surety_gateway *gateway = exchange->worker->gateway;
    surety__job *job;
    surety_status status;
    size_t kind = 0;

    while (kind < SURETY__COUNT(ui_questions) &&
           !surety_str_equal(name, surety_str_of(ui_questions[kind])))
        kind++;
    if (kind == SURETY__COUNT(ui_questions))
        return ui_text(exchange, 404, "the page has no such question\n");
    if (!surety_str_equal(exchange->serving->method, SURETY__LITERAL("POST")))
        return ui_wrong_method(exchange, "POST",
                               "questions of the page are a POST\n");
    if (ui_is_foreign(exchange->serving))
        return ui_text(exchange, 403,
                       "questions are for the page itself: they are a POST of "
                       "application/json from its own address\n");
    if (exchange->serving->is_oversized)
        return ui_text(exchange, 413, "the body is too large\n");
    status = ui_job(exchange, (surety__job_kind)kind, &job);
    if (status == SURETY_NOMEM)
        return FLOW_CUT;
    if (status)
        return ui_text(exchange, 400, "the body is no JSON\n");
    if (!surety__desk_put(gateway, job))
        return ui_text(exchange, 503, "too many questions wait: ask later\n");
    exchange->job = job;
    return FLOW_WAIT;
}

bool surety__ui_takes(const surety__exchange *exchange)
{
    const surety_str path = exchange->serving->path;

    return exchange->worker->gateway->desk &&
           (surety_str_equal(path, SURETY__LITERAL("/ui")) ||
            surety__str_starts(path, SURETY__LITERAL("/ui/")));
}

surety__flow surety__ui_request(surety__exchange *exchange)
{
    const surety_str api = SURETY__LITERAL("/ui/api/");
    const surety_str method = exchange->serving->method;
    surety_str name = exchange->serving->path;
    const char *const refusal = ui_refuses(exchange);

    if (refusal)
        return ui_text(exchange, 403, refusal);
    if (surety__str_starts(name, api)) {
        surety__str_skip(&name, api.len);
        return ui_question(exchange, name);
    }
    if (!surety_str_equal(method, SURETY__LITERAL("GET")) &&
        !surety_str_equal(method, SURETY__LITERAL("HEAD")))
        return ui_wrong_method(exchange, "GET, HEAD", "the page is for GET\n");
    if (name.len <= 4)
        return ui_file(exchange, SURETY__LITERAL("page.html"));
    surety__str_skip(&name, 4);
    return ui_file(exchange, name);
}

void surety__ui_step(surety__exchange *exchange)
{
    if (!surety__desk_is_done(exchange->worker->gateway, exchange->job))
        return;
    exchange->worker->has_news = true;
    surety__serving_wake(exchange->serving);
}

surety__flow surety__ui_answer(surety__exchange *exchange)
{
    surety__job *job = exchange->job;

    if (!surety__desk_is_done(exchange->worker->gateway, job))
        return FLOW_WAIT;
    if (job->out.status)
        return FLOW_CUT;
    return ui_give(exchange, job->status, NULL, "application/json",
                   surety_buf_str(&job->out));
}

void surety__ui_leave(surety__exchange *exchange)
{
    if (exchange->job)
        surety__desk_leave(exchange->worker->gateway, exchange->job);
    exchange->job = NULL;
}
