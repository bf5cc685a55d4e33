/* SPDX-License-Identifier: Apache-2.0 */
/* surety run --dry-run: shows the first request instead of sending it. The run
 * is a normal run with a transport that shows the request and stops the run. So
 * the request is exactly what would be sent, in the mode that would be used.
 * The body goes to standard output; all other information goes to standard
 * error. */
#include "run_dry.h"

#include <assert.h>

enum { DRY_BYTES_A_TOKEN = 3, DRY_CALLS = 8, DRY_TOKENS = 1000000 };

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Writes the highest possible cost of all calls: each prompt as long as the
 * first one plus the most that a re-ask adds, and each reply of the greatest
 * allowed length. */
static void put_cost(const struct run_dry *dry, size_t body_len)
{
    const surety_model *model = dry->model;
    surety_buf *out = &dry->cli->err.buf;
    const uint64_t input = body_len / DRY_BYTES_A_TOKEN + 1;
    const uint64_t added = SURETY_PROMPT_QUOTE_MAX / DRY_BYTES_A_TOKEN;
    const uint32_t calls = dry->calls_max ? dry->calls_max : DRY_CALLS;
    uint32_t output = model->output_tokens_max;
    uint64_t cost = 0;

    assert(calls > 0);
    if (output == 0 && model->protocol == SURETY_PROTOCOL_ANTHROPIC)
        output = 8192;
    put_format(
        out, "      = at most %u call%s and %llu tokens in all\n", calls,
        calls == 1 ? "" : "s",
        (unsigned long long)(dry->tokens_max ? dry->tokens_max : DRY_TOKENS));
    if (model->price.known && output > 0) {
        for (uint32_t i = 0; i < calls; i++) {
            const surety_usage usage = {.known = true,
                                        .input_tokens =
                                            input + (i > 0 ? added : 0),
                                        .output_tokens = output};
            cost = add(cost, surety_price_cost(&model->price, &usage));
        }
        surety_buf_text(out, "      = costs at most about $");
        surety_dollars_write(cost, false, out);
        put_format(out, ": replies of %u tokens\n", output);
    } else {
        put_format(out, "      = what it costs at most is not known: %s\n",
                   model->price.known
                       ? "--max-output-tokens bounds a reply"
                       : "the configuration has no price of this model");
    }
    if (dry->cost_picousd_max > 0) {
        surety_buf_text(out, "      = the budget ends it at $");
        surety_dollars_write(dry->cost_picousd_max, false, out);
        surety_buf_byte(out, '\n');
    }
}

static void put_headers(const struct run_dry *dry,
                        const surety_request *request)
{
    surety_buf *out = &dry->cli->err.buf;
    const surety_str own = surety_str_of("x-surety-");

    for (size_t i = 0; i < request->header_count; i++) {
        const surety_header *header = &request->headers[i];
        if (header->name.len > own.len &&
            surety_str_equal((surety_str){header->name.ptr, own.len}, own))
            continue;
        surety_buf_text(out, "      = ");
        put_safe(out, header->name);
        put_safe_line(out, ": ",
                      header->secret ? surety_str_of("***") : header->value);
    }
}

/* Writes the body, indented if that was asked for and it is JSON. */
static void put_body(const struct run_dry *dry, surety_str body)
{
    surety_buf *out = &dry->cli->out.buf;
    surety_doc *doc =
        dry->style == SURETY_STYLE_PRETTY ? surety_doc_new(NULL) : NULL;

    if (doc && surety_doc_read(doc, body, NULL, NULL) == SURETY_OK)
        surety_val_write(surety_doc_root(doc), dry->style, out);
    else
        surety_buf_add(out, body);
    if (body.len == 0 || body.ptr[body.len - 1] != '\n')
        surety_buf_byte(out, '\n');
    surety_doc_free(doc);
}

static surety_status dry_start(void *ctx, uint64_t id,
                               const surety_request *request,
                               const surety_receiver *receiver,
                               surety_error *reterr)
{
    struct run_dry *dry = ctx;
    surety_buf *out = &dry->cli->err.buf;
    const surety_delivery delivery = {.failure = SURETY_FAILURE_CANCELLED};

    (void)id;
    (void)reterr;
    if (!dry->is_shown) {
        surety_buf_text(out, "surety run: would send: ");
        put_safe(out, request->method);
        surety_buf_byte(out, ' ');
        put_safe(out, request->url);
        put_format(out, "\n      = body of %zu bytes, tokens: about %zu\n",
                   request->body.len,
                   request->body.len / DRY_BYTES_A_TOKEN + 1);
        put_headers(dry, request);
        put_cost(dry, request->body.len);
        put_body(dry, request->body);
    }
    dry->is_shown = 1;
    receiver->end(receiver->ctx, &delivery);
    return SURETY_OK;
}

static void dry_cancel(void *ctx, uint64_t id)
{
    (void)ctx;
    (void)id;
}

static surety_status dry_wait(void *ctx, uint32_t timeout_ms,
                              surety_error *reterr)
{
    (void)ctx;
    (void)timeout_ms;
    (void)reterr;
    return SURETY_OK;
}

void run_dry_init(struct run_dry *dry, struct cli *cli,
                  const surety_model *model, const surety_budget *budget,
                  surety_style style)
{
    assert(model);
    *dry = (struct run_dry){
        /* A run does not close its transports. */
        .transport = {1, dry, dry_start, dry_cancel, dry_wait, NULL, NULL},
        .cli = cli,
        .model = model,
        .style = style,
        .calls_max = budget->calls_max,
        .tokens_max = budget->tokens_max,
        .cost_picousd_max = budget->cost_picousd_max};
}
