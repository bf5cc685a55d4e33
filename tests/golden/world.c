/* SPDX-License-Identifier: Apache-2.0 */
/* The world of a run: what is asked, and the clock; see world.h. */
#include "run/run.h"
#include "base/base.h"

#include "extract/extract.h"
#include "golden/world.h"

#include <stdio.h>
#include <string.h>

/* ---- words --------------------------------------------------------------- */

surety_str world_word(surety_str *text)
{
    const size_t len = surety__str_find(*text, SURETY__LITERAL(" "));
    const surety_str word = {text->ptr, len};
    const size_t taken = len + (len < text->len);

    text->ptr += taken;
    text->len -= taken;
    return word;
}

uint64_t world_number(surety_str text)
{
    uint64_t number = 0;

    for (size_t i = 0; i < text.len; i++)
        number = number * 10 + (uint64_t)(text.ptr[i] - '0');
    return number;
}

/* Its place among names; count: it is none. */
static unsigned word_among(surety_str word, const char *(*name)(unsigned i),
                           unsigned count)
{
    unsigned i = 0;

    while (i < count && !surety_str_equal(word, surety_str_of(name(i))))
        i++;
    return i;
}

static const char *name_mode(unsigned i)
{
    return surety_mode_name((surety_mode)i);
}

static const char *name_protocol(unsigned i)
{
    return surety_protocol_name((surety_protocol)i);
}

static const char *name_stop(unsigned i)
{
    return surety__stop_name((surety_stop)i);
}

static const char *name_style(unsigned i)
{
    static const char *const names[] = {"contract", "json-schema", "typescript",
                                        "example"};

    return names[i];
}

static const char *name_feedback(unsigned i)
{
    static const char *const names[] = {"errors", "simple", "patch"};

    return names[i];
}

static const char *name_repair(unsigned i)
{
    static const char *const names[] = {"none", "syntax", "align"};

    return names[i];
}

/* ---- models -------------------------------------------------------------- */

static bool model_price(surety_price *price, surety_str text)
{
    uint64_t *const numbers[] = {&price->input_microusd,
                                 &price->cached_input_microusd,
                                 &price->output_microusd};

    price->known = true;
    for (size_t i = 0; i < 3; i++) {
        const size_t len = surety__str_find(text, SURETY__LITERAL(","));
        const size_t taken = len + (len < text.len);

        *numbers[i] = world_number((surety_str){text.ptr, len});
        text.ptr += taken;
        text.len -= taken;
    }
    return true;
}

static bool model_extra(struct world_lane *lane, surety_model *model,
                        surety_str text)
{
    lane->extra = surety_doc_new(NULL);
    if (surety_doc_read(lane->extra, text, NULL, NULL) != SURETY_OK)
        return false;
    model->extra = surety_doc_root(lane->extra);
    return true;
}

static bool model_word(struct world_lane *lane, surety_model *model,
                       surety_str word)
{
    if (golden_take(&word, "mode="))
        model->mode = (surety_mode)word_among(word, name_mode, 4);
    else if (golden_take(&word, "protocol="))
        model->protocol = (surety_protocol)word_among(word, name_protocol, 5);
    else if (golden_take(&word, "provider="))
        model->provider = word;
    else if (golden_take(&word, "named="))
        model->model = word;
    else if (golden_take(&word, "max="))
        model->output_tokens_max = (uint32_t)world_number(word);
    else if (golden_take(&word, "price="))
        return model_price(&model->price, word);
    else if (golden_take(&word, "extra="))
        return model_extra(lane, model, word);
    else if (surety_str_equal(word, SURETY__LITERAL("stream")))
        model->whole = false;
    else if (surety_str_equal(word, SURETY__LITERAL("ambiguous")))
        model->retry_ambiguous = true;
    else
        return false;
    return true;
}

static bool world_model(struct world *world, surety_str text)
{
    const size_t i = world->model_count;
    surety_model *model = &world->models[i];
    struct world_lane *lane = &world->lanes[i];
    bool good = true;
    char kind[128];

    if (i == WORLD_MODELS)
        return false;
    world->model_count++;
    lane->world = world;
    lane->transport = world_transport(lane);
    *model = (surety_model){.size = sizeof(*model),
                            .name = world_word(&text),
                            .base_url = SURETY__LITERAL("http://host/v1"),
                            .key = SURETY__LITERAL("sk-planted-1234567890"),
                            .mode = SURETY_MODE_PROMPT,
                            .whole = true,
                            .transport = &lane->transport};
    model->model = model->name;
    while (text.len)
        good = model_word(lane, model, world_word(&text)) && good;
    snprintf(kind, sizeof(kind), "answers %.*s", (int)model->name.len,
             model->name.ptr);
    world->scripts[i] = golden_body(world->golden, kind);
    return good;
}

/* ---- validators ---------------------------------------------------------- */

static surety_status validator_asks(void *ctx, const surety_validation *given,
                                    surety_error *reterr)
{
    struct world_validator *rule = ctx;
    const surety_val value = surety_val_at(given->value, rule->place);
    struct world *world = rule->world;

    surety__buf_printf(
        &world->events, "%zu ms: a validator that %.*s is asked\n",
        (size_t)world->now_ms, (int)rule->says.len, rule->says.ptr);
    if (rule->late) {
        rule->late--;
        return SURETY_MORE;
    }
    rule->asked++;
    if (surety_str_equal(rule->kind, SURETY__LITERAL("misplaces")))
        return surety_validation_add(given, rule->place, rule->message,
                                     (surety_str){"", 0});
    if (surety_str_equal(rule->kind, SURETY__LITERAL("tires")) &&
        rule->asked > rule->most) {
        (void)surety__fail(reterr, SURETY_IO, "%.*s", (int)rule->message.len,
                           rule->message.ptr);
        surety__hint(reterr, "ask less");
        return SURETY_IO;
    }
    if (surety_str_equal(rule->kind, SURETY__LITERAL("fails")))
        return surety__fail(reterr, SURETY_IO, "%.*s", (int)rule->message.len,
                            rule->message.ptr);
    if (surety_str_equal(rule->kind, SURETY__LITERAL("odd")) &&
        surety_val_uint(value, 0) % 2)
        return surety_validation_add(given, rule->place, rule->message,
                                     SURETY__LITERAL("one more or less"));
    return SURETY_OK;
}

static bool world_validator(struct world *world, surety_str text)
{
    const size_t i = world->judge.validator_count;
    struct world_validator *rule = &world->rules[i];

    if (i == WORLD_VALIDATORS)
        return false;
    world->validators[i] = (surety_validator){
        .name = world_word(&text), .validate = validator_asks, .ctx = rule};
    rule->world = world;
    rule->says = text;
    rule->kind = world_word(&text);
    if (surety_str_equal(rule->kind, SURETY__LITERAL("odd")) ||
        surety_str_equal(rule->kind, SURETY__LITERAL("misplaces")))
        rule->place = world_word(&text);
    if (surety_str_equal(rule->kind, SURETY__LITERAL("tires")))
        rule->most = (size_t)world_number(world_word(&text));
    if (surety_str_equal(rule->kind, SURETY__LITERAL("late")))
        rule->late = (size_t)world_number(text);
    rule->message = text;
    world->judge.validators = world->validators;
    world->judge.validator_count++;
    return true;
}

/* ---- options ------------------------------------------------------------- */

/* Those that are numbers; "-": none. */
static bool option_number(struct world *world, surety_str name, surety_str text)
{
    surety_run_options *options = &world->options;
    surety_backoff *backoff = &options->backoff;
    const struct {
        const char *name;
        uint32_t *number;
    } rows[] = {
        {"calls", &options->budget.calls_max},
        {"retries", &backoff->retries_max},
        {"first", &backoff->first_ms},
        {"most", &backoff->most_ms},
        {"retry-after", &backoff->retry_after_max_ms},
        {"broken-retries", &options->broken_retries_max},
        {"re-asks", &options->retry_max},
    };
    const struct {
        const char *name;
        uint64_t *number;
    } long_rows[] = {
        {"tokens", &options->budget.tokens_max},
        {"ms", &options->budget.ms_max},
        {"cost", &options->budget.cost_picousd_max},
        {"seed", &options->seed},
        {"stop-at", &world->stop_ms},
        {"begin-fails", &world->begin_fails},
        {"finish-fails", &world->finish_fails},
    };
    const bool none = surety_str_equal(text, SURETY__LITERAL("-"));

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (surety_str_equal(name, surety_str_of(rows[i].name))) {
            *rows[i].number =
                none ? SURETY_RUN_NONE : (uint32_t)world_number(text);
            return true;
        }
    for (size_t i = 0; i < sizeof(long_rows) / sizeof(*long_rows); i++)
        if (surety_str_equal(name, surety_str_of(long_rows[i].name))) {
            *long_rows[i].number = world_number(text);
            return true;
        }
    return false;
}

/* Those that are on where they stand. */
static bool option_flag(struct world *world, surety_str name)
{
    surety_run_options *options = &world->options;
    const struct {
        const char *name;
        bool *flag;
    } rows[] = {
        {"instruct-system", &options->instruct_system},
        {"commit", &options->commit},
        {"ledger-optional", &options->ledger_optional},
        {"raw", &world->ledger.raw},
        {"partial", &world->judge.partial},
        {"no-fallback", &world->judge.no_fallback},
        {"certain-only", &world->judge.certain_only},
        {"derive", &world->judge.derive},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (surety_str_equal(name, surety_str_of(rows[i].name))) {
            *rows[i].flag = true;
            return true;
        }
    if (!surety_str_equal(name, SURETY__LITERAL("no-ledger")))
        return false;
    options->ledger = NULL;
    return true;
}

static bool option_places(struct world *world, surety_str text)
{
    surety_extract *extract = &world->extract;

    world->judge.extract = extract;
    while (text.len && extract->from_count < SURETY_PLACES)
        extract->from[extract->from_count++] =
            surety__place_of(world_word(&text));
    return !text.len;
}

/* Templates, which are text on one line. */
static bool option_template(struct world *world, surety_str name,
                            surety_str text)
{
    const struct {
        const char *name;
        surety_str *text;
    } rows[] = {
        {"instructions", &world->prompt.instructions},
        {"reask", &world->prompt.reask},
        {"system-template", &world->prompt.system},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (surety_str_equal(name, surety_str_of(rows[i].name))) {
            *rows[i].text = text;
            return true;
        }
    return false;
}

static bool option_word(struct world *world, surety_str name, surety_str text)
{
    surety_run_options *options = &world->options;

    if (option_template(world, name, text))
        return true;
    if (surety_str_equal(name, SURETY__LITERAL("prompt"))) {
        options->prompt = text;
    } else if (surety_str_equal(name, SURETY__LITERAL("system"))) {
        options->system = text;
    } else if (surety_str_equal(name, SURETY__LITERAL("style"))) {
        world->prompt.style =
            (surety_prompt_style)word_among(text, name_style, 4);
    } else if (surety_str_equal(name, SURETY__LITERAL("feedback"))) {
        options->has_feedback = true;
        options->feedback = (surety_feedback)word_among(text, name_feedback, 3);
    } else if (surety_str_equal(name, SURETY__LITERAL("stop"))) {
        options->stop = (surety_stop)word_among(text, name_stop, 3);
    } else if (surety_str_equal(name, SURETY__LITERAL("repair"))) {
        world->repair = (surety_repair)word_among(text, name_repair, 3);
        world->judge.repair = &world->repair;
    } else if (surety_str_equal(name, SURETY__LITERAL("extract"))) {
        return option_places(world, text);
    } else if (surety_str_equal(name, SURETY__LITERAL("limit"))) {
        const surety_str limit = world_word(&text);

        return surety_limits_set(&world->limits, limit, text, NULL) ==
               SURETY_OK;
    } else {
        return false;
    }
    return true;
}

bool world_option(struct world *world, surety_str line)
{
    const surety_str name = world_word(&line);

    if (surety_str_equal(name, SURETY__LITERAL("model")))
        return world_model(world, line);
    if (surety_str_equal(name, SURETY__LITERAL("validator")))
        return world_validator(world, line);
    return option_word(world, name, line) || option_flag(world, name) ||
           option_number(world, name, line);
}

/* ---- its life ------------------------------------------------------------ */

void world_open(struct world *world, const struct golden *golden)
{
    *world = (struct world){
        .golden = golden,
        .now_ms = 1000,
        .judge = {.size = sizeof(world->judge)},
        .prompt = {.size = sizeof(world->prompt)},
        .extract = {.size = sizeof(world->extract)},
        .limits = {.size = sizeof(world->limits)},
    };
    world->ledger = world_ledger(world);
    world->scripts[WORLD_MODELS] = golden_body(golden, "answers");
    world->options = (surety_run_options){
        .size = sizeof(world->options),
        .prompt = SURETY__LITERAL("How many?"),
        .prompt_options = &world->prompt,
        .judge = &world->judge,
        .models = world->models,
        .ledger = &world->ledger,
        .event = world_hear,
        .event_ctx = world,
        .seed = 1,
        .limits = &world->limits,
    };
    surety_buf_init(&world->sent, NULL, 0);
    surety_buf_init(&world->events, NULL, 0);
    surety_buf_init(&world->rows, NULL, 0);
    surety_buf_init(&world->body, NULL, 0);
    for (size_t i = 0; i < WORLD_EXCHANGES; i++)
        surety_buf_init(&world->exchanges[i].bytes, NULL, 0);
}

bool world_ready(struct world *world)
{
    const bool good =
        world->model_count || world_model(world, SURETY__LITERAL("m"));

    world->options.model_count = world->model_count;
    if (world->stop_ms)
        world->stop_ms += world->now_ms;
    return good;
}

void world_close(struct world *world)
{
    for (size_t i = 0; i < WORLD_EXCHANGES; i++)
        surety_buf_done(&world->exchanges[i].bytes);
    for (size_t i = 0; i < world->model_count; i++)
        surety_doc_free(world->lanes[i].extra);
    surety_buf_done(&world->sent);
    surety_buf_done(&world->events);
    surety_buf_done(&world->rows);
    surety_buf_done(&world->body);
}

surety_now world_now(const struct world *world)
{
    return (surety_now){world->now_ms, 1700000000000 + (int64_t)world->now_ms};
}

surety_status world_go(struct world *world, void *machine,
                       surety_status (*step)(void *machine, surety_now now,
                                             uint32_t *ret_delay_ms,
                                             surety_error *reterr),
                       surety_error *reterr)
{
    for (int i = 0; i < 1000; i++) {
        uint32_t delay_ms = UINT32_MAX;
        const surety_status status =
            step(machine, world_now(world), &delay_ms, reterr);
        uint64_t next = world_next(world);

        if (status != SURETY_MORE)
            return status;
        if (next > world->now_ms + delay_ms)
            next = world->now_ms + delay_ms;
        if (world->stop_ms && next >= world->stop_ms) {
            world->now_ms = world->stop_ms;
            return SURETY_MORE;
        }
        world->now_ms = next;
        world_deliver(world);
    }
    return SURETY_TIMEOUT;
}

/* ---- telling ------------------------------------------------------------- */

void world_tell_raw(surety_buf *out, surety_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '\x1b')
            surety_buf_text(out, "\\x1b");
        else
            surety_buf_byte(out, text.ptr[i]);
    if (text.len && text.ptr[text.len - 1] != '\n')
        surety_buf_byte(out, '\n');
}

void world_tell(surety_buf *out, const char *name, surety_str text)
{
    if (!text.len)
        return;
    surety__buf_printf(out, "    %s: ", name);
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '\n')
            surety_buf_text(out, "\\n");
        else
            surety_buf_byte(out, text.ptr[i]);
    surety_buf_byte(out, '\n');
}

void world_tell_json(surety_buf *out, surety_str json)
{
    surety_doc *doc = surety_doc_new(NULL);

    if (surety_doc_read(doc, json, NULL, NULL) == SURETY_OK)
        (void)surety_val_write(surety_doc_root(doc), SURETY_STYLE_PRETTY, out);
    else
        surety_buf_add(out, json);
    surety_buf_byte(out, '\n');
    surety_doc_free(doc);
}
