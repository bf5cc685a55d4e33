/* SPDX-License-Identifier: Apache-2.0 */
/* The tools of a run: the calls that a reply asks for are made, and their
 * results are the next message.
 *
 * Invariants:
 * 1. Every call gets a result, also one that was not made: the model reads why.
 *    So the conversation is complete after every step.
 * 2. Before a tool is called, its row is in the ledger; the row is complete
 *    before the result goes to the model. A call is made once.
 * 3. The calls of one reply are made side by side, SURETY__STEPS_AT_ONCE at a
 *    time, in the order of the reply.
 * 4. A call that equals an earlier one (name and arguments as values) waits
 *    until that one has ended, and is not made if it had a result: the model
 *    gets the same result, and a note. The third of such calls ends the loop:
 *    the next call allows the answer alone. */
#include "run/run.h"

static const surety_run_options *steps_options(const surety__steps *steps)
{
    return &steps->setup->options;
}

bool surety__steps_is_call(const surety__plan *plan, const surety_part *part)
{
    return part->kind == SURETY_PART_CALL &&
           (plan->mode != SURETY_MODE_TOOL ||
            !surety_str_equal(part->name, plan->name));
}

bool surety__steps_wanted(const surety__setup *setup, const surety__plan *plan,
                          const surety_answer *answer)
{
    if (!setup->options.tools || plan->patch || plan->answer_only ||
        answer->failure != SURETY_FAILURE_NONE)
        return false;
    for (size_t i = 0; i < answer->message.part_count; i++)
        if (surety__steps_is_call(plan, &answer->message.parts[i]))
            return true;
    return false;
}

void surety__steps_read(surety__steps *steps, const surety__plan *plan,
                        surety_answer *answer)
{
    surety__run_store *store = steps->store;
    surety_message *message = &answer->message;
    surety_part *parts;
    size_t count;

    if (!steps_options(steps)->tools || plan->mode != SURETY_MODE_PROMPT ||
        plan->patch || answer->failure != SURETY_FAILURE_NONE ||
        store->status != SURETY_OK)
        return;
    if (surety__store_pass(
            store, surety__tool_text_read(steps_options(steps)->tools,
                                          answer->text, &store->arena, &parts,
                                          &count)) != SURETY_OK ||
        !count)
        return;
    for (size_t i = 0; i < count; i++) {
        surety__buf_printf(&store->text, "call_%zu", steps->count + i + 1);
        parts[i].id = surety__store_keep(store);
        parts[i].name = surety__store_utf8(store, parts[i].name);
    }
    *message = (surety_message){SURETY_ROLE_ASSISTANT, parts, count};
}

/* ---- the ledger ---------------------------------------------------------- */

/* The row of a call. It has the number of the attempt whose reply asks for
 * it. */
static surety_entry steps_entry(const surety__steps *steps,
                                const surety__use *use)
{
    surety_entry entry = {
        .size = sizeof(entry),
        .id = use->seen.id,
        .run = steps->log->run,
        .number = (uint32_t)use->seen.attempt,
        .purpose = SURETY__LITERAL("tool"),
        .provider = SURETY__LITERAL("tool"),
        .model = use->seen.name,
        .mode = SURETY__LITERAL("tool"),
        .started_ms = use->started_unix_ms,
        .key = steps_options(steps)->key,
        .tag = steps_options(steps)->tag,
    };

    if (steps_options(steps)->ledger->raw)
        entry.prompt = use->seen.arguments;
    return entry;
}

/* Whether the step goes on after the ledger's status. */
static bool steps_recorded(surety__steps *steps, surety_status status,
                           const surety_error *error, surety_error *reterr)
{
    if (surety__store_pass(steps->store, status) == SURETY_NOMEM)
        return false;
    if (status == SURETY_OK)
        return true;
    if (steps_options(steps)->ledger_optional) {
        surety__record_warn(steps->setup, steps->store, steps->log, error);
        return true;
    }
    steps->unrecorded = true;
    *reterr = *error;
    return false;
}

static bool steps_record_begin(surety__steps *steps, surety__use *use,
                               surety_error *reterr)
{
    surety_ledger *ledger = steps_options(steps)->ledger;
    surety_entry entry;
    surety_error error = {.status = SURETY_OK};
    surety_status status;

    if (!ledger)
        return true;
    assert(!use->open);
    entry = steps_entry(steps, use);
    status = ledger->begin(ledger->ctx, &entry, &error);
    use->open = status == SURETY_OK;
    return steps_recorded(steps, status, &error, reterr);
}

static surety_entry_state steps_state(const surety_tool_use *seen)
{
    if (seen->failure == SURETY_TOOL_NONE)
        return SURETY_ENTRY_DONE;
    if (seen->failure == SURETY_TOOL_CANCELLED)
        return SURETY_ENTRY_CANCELLED;
    return seen->made && seen->failure != SURETY_TOOL_FAILED &&
                   seen->failure != SURETY_TOOL_RESULT
               ? SURETY_ENTRY_UNKNOWN
               : SURETY_ENTRY_FAILED;
}

static bool steps_record_end(surety__steps *steps, surety__use *use,
                             surety_str decision, surety_error *reterr)
{
    surety_ledger *ledger = steps_options(steps)->ledger;
    const surety_tool_use *seen = &use->seen;
    surety_error error = {.status = SURETY_OK};
    surety_entry entry;

    if (!use->open)
        return true;
    use->open = false;
    entry = steps_entry(steps, use);
    entry.state = steps_state(seen);
    entry.ended_ms =
        use->started_unix_ms + (int64_t)(seen->ended_ms - seen->started_ms);
    if (seen->failure != SURETY_TOOL_NONE)
        entry.failure = surety_str_of(surety_tool_failure_name(seen->failure));
    entry.error_message = seen->message;
    entry.ok = seen->failure == SURETY_TOOL_NONE;
    entry.decision = decision;
    if (ledger->raw)
        entry.reply = seen->result;
    return steps_recorded(steps, ledger->finish(ledger->ctx, &entry, &error),
                          &error, reterr);
}

/* ---- calls that are not made --------------------------------------------- */

/* How many earlier calls of the run equal this one; *ret_first: the first that
 * has a result. MORE: it has to wait for an earlier one. */
static surety_status steps_equals(const surety__steps *steps,
                                  const surety__use *use, size_t *ret_count,
                                  const surety__use **ret_first)
{
    *ret_count = 0;
    *ret_first = NULL;
    for (const surety__use *one = steps->items; one < use; one++) {
        if (!surety_str_equal(one->seen.name, use->seen.name))
            continue;
        if (!one->judged)
            return SURETY_MORE;
        if (!surety_str_equal(one->canonical, use->canonical))
            continue;
        if (!one->ended)
            return SURETY_MORE;
        ++*ret_count;
        if (!*ret_first && one->seen.made &&
            one->seen.failure == SURETY_TOOL_NONE)
            *ret_first = one;
    }
    return SURETY_OK;
}

/* Ends a call that is not made. */
static void steps_skip(surety__use *use, surety_tool_failure failure,
                       surety_str result, const char *message)
{
    use->seen.failure = failure;
    use->seen.result = result;
    use->seen.message = surety_str_of(message);
    use->ended = true;
}

/* Ends a judged call that must not be made. MORE: that is not known yet. */
static surety_status steps_refuse(surety__steps *steps, surety__use *use)
{
    static const char note[] =
        "\n(The same call was made before; this is its result.)";
    const surety_str again =
        SURETY__LITERAL("This call was made before, with the same arguments. "
                        "It is not made again. Answer with what you have.");
    const surety_str spent =
        SURETY__LITERAL("This call was not made: no more calls of tools are "
                        "allowed. Answer with what you have.");
    const surety__tool *tool =
        surety__tools_find(steps_options(steps)->tools, use->seen.name);
    const surety__use *first = NULL;
    size_t count = 0;

    if (!tool->info.polls &&
        steps_equals(steps, use, &count, &first) == SURETY_MORE)
        return SURETY_MORE;
    if (count >= SURETY__STEPS_EQUAL_MAX) {
        steps->repeats = true;
        steps_skip(use, SURETY_TOOL_CANCELLED, again,
                   "the same call was made too often");
    } else if (first) {
        surety_buf_add(&steps->store->text, first->seen.result);
        surety_buf_text(&steps->store->text, note);
        steps_skip(use, SURETY_TOOL_NONE, surety__store_keep(steps->store), "");
    } else if (steps->made >= steps_options(steps)->tool_calls_max) {
        steps_skip(use, SURETY_TOOL_CANCELLED, spent,
                   "the calls of tools are spent");
    }
    if (use->ended) {
        surety__tool_call_free(use->call);
        use->call = NULL;
    }
    return steps->store->status;
}

/* ---- one call ------------------------------------------------------------ */

/* Arguments as a canonical text, so that equal values have equal texts. */
static surety_str steps_canonical(surety__run_store *store, surety_str text)
{
    surety_doc *doc = surety_doc_new(store->alloc);
    surety_status status =
        doc ? surety_doc_read(doc, text, NULL, NULL) : SURETY_NOMEM;
    surety_str canonical = text;

    if (status == SURETY_OK)
        status = surety_val_write(surety_doc_root(doc), SURETY_STYLE_CANONICAL,
                                  &store->text);
    surety_doc_free(doc);
    if (status == SURETY_OK)
        return surety__store_keep(store);
    surety_buf_reset(&store->text);
    (void)surety__store_pass(store, status);
    return canonical;
}

/* Copies the result of a call that has ended, and frees it. */
static void steps_take(surety__steps *steps, surety__use *use, surety_now now)
{
    const surety_tool_result *result = surety__tool_call_result(use->call);
    surety_tool_use *seen = &use->seen;

    seen->failure = result->failure;
    seen->result = surety__store_copy(steps->store, result->text);
    seen->message = surety__store_copy(steps->store, result->message);
    seen->made = result->sent;
    use->report =
        surety__store_copy(steps->store, surety__tool_call_report(use->call));
    seen->ended_ms = now.monotonic_ms;
    use->ended = true;
    surety__tool_call_free(use->call);
    use->call = NULL;
}

static void steps_ready(void *ctx)
{
    surety__setup_ready(ctx);
}

/* Judges the arguments. MORE: a validator is not done. */
static surety_status steps_judge(surety__steps *steps, surety__use *use,
                                 surety_now now, surety_error *reterr)
{
    surety_tools *tools = steps_options(steps)->tools;
    const surety_part asked = {.kind = SURETY_PART_CALL,
                               .name = use->seen.name,
                               .id = use->seen.call,
                               .text = use->seen.arguments};
    surety_status status;

    if (!use->call)
        use->call = surety__tool_call_new(tools, steps_ready, steps->setup);
    if (!use->call)
        return SURETY_NOMEM;
    status = surety__tool_call_judge(use->call,
                                     surety__tools_find(tools, asked.name),
                                     &asked, now.monotonic_ms, reterr);
    if (status != SURETY_OK)
        return status;
    use->judged = true;
    use->seen.arguments = surety__store_copy(
        steps->store, surety__tool_call_result(use->call)->arguments);
    if (surety__tool_call_has_ended(use->call)) {
        steps_take(steps, use, now);
        return SURETY_OK;
    }
    use->canonical = steps_canonical(steps->store, use->seen.arguments);
    return steps->store->status;
}

static void steps_event(const surety__steps *steps, surety_event_kind kind,
                        const surety__use *use, surety_str text)
{
    const surety_event event = {.kind = kind,
                                .attempt = use->seen.attempt,
                                .text = text,
                                .tool = use->seen.name,
                                .call = use->seen.call};

    if (steps_options(steps)->event)
        steps_options(steps)->event(steps_options(steps)->event_ctx, &event);
}

/* Writes the row of a judged call, and begins the call if it is to be made. */
static surety_status steps_begin(surety__steps *steps, surety__use *use,
                                 surety_now now, surety_error *reterr)
{
    use->seen.started_ms = use->seen.ended_ms = now.monotonic_ms;
    use->started_unix_ms = now.unix_ms;
    if (!steps_record_begin(steps, use, reterr))
        return SURETY_IO;
    use->begun = true;
    steps_event(steps, SURETY_EVENT_TOOL, use, use->seen.arguments);
    if (use->ended)
        return SURETY_OK;
    steps->made++;
    return surety__tool_call_begin(use->call, now.monotonic_ms, reterr);
}

/* Takes the end of a call to its row. */
static surety_status steps_finish(surety__steps *steps, surety__use *use,
                                  surety_str decision, surety_now now,
                                  surety_error *reterr)
{
    if (use->call)
        steps_take(steps, use, now);
    use->finished = true;
    if (!steps_record_end(steps, use, decision, reterr))
        return SURETY_IO;
    steps_event(steps, SURETY_EVENT_RESULT, use, use->seen.result);
    return SURETY_OK;
}

/* Takes one call as far as it goes now. MORE: it has not ended. */
static surety_status steps_advance(surety__steps *steps, surety__use *use,
                                   surety_now now, surety_error *reterr)
{
    surety_status status = SURETY_OK;

    if (!use->judged)
        status = steps_judge(steps, use, now, reterr);
    if (status == SURETY_OK && !use->begun && !use->ended)
        status = steps_refuse(steps, use);
    if (status == SURETY_OK && !use->begun)
        status = steps_begin(steps, use, now, reterr);
    if (status == SURETY_OK && !use->ended)
        status = surety__tool_call_step(use->call, now.monotonic_ms, reterr);
    if (status == SURETY_OK)
        status = steps_finish(steps, use,
                              SURETY__LITERAL("the result goes to the model"),
                              now, reterr);
    return surety__store_pass(steps->store, status);
}

/* ---- calls of declared tools --------------------------------------------- */

/* Judges a call, unless the choice of tools forbids it. */
static surety_status steps_check(surety__steps *steps, surety__use *use,
                                 surety_now now, surety_error *reterr)
{
    const surety_run_options *options = steps_options(steps);
    surety_buf *out = &steps->store->text;

    use->seen.started_ms = use->seen.ended_ms = now.monotonic_ms;
    if (options->single_call && use > &steps->items[steps->first]) {
        steps_skip(use, SURETY_TOOL_CANCELLED,
                   SURETY__LITERAL("A reply may call one tool only."),
                   "it is not the only call of the reply");
    } else if (options->tool_choice == SURETY_TOOL_CHOICE_NAMED &&
               !surety_str_equal(use->seen.name, options->tool_choice_name)) {
        surety_buf_text(out, "Only the tool ");
        surety_buf_add(out, options->tool_choice_name);
        surety_buf_text(out, " may be called.");
        steps_skip(use, SURETY_TOOL_UNKNOWN, surety__store_keep(steps->store),
                   "another tool has to be called");
    } else if (!steps->setup->passes ||
               surety__tools_find(options->tools, use->seen.name)) {
        return steps_judge(steps, use, now, reterr);
    }
    /* A request of the caller's own may have more tools than are declared. */
    use->judged = true;
    return steps->store->status;
}

/* Lists what is wrong in the calls of the reply at hand; NULL: out of
 * memory. */
static const surety_entry_issue *steps_faults(const surety__steps *steps,
                                              size_t *ret_count)
{
    surety__run_store *store = steps->store;
    surety_entry_issue *faults = surety__arena_take(
        &store->arena, (steps->count - steps->first + 1) * sizeof(*faults));

    *ret_count = 0;
    for (size_t i = steps->first; i < steps->count && faults; i++) {
        const surety_tool_use *seen = &steps->items[i].seen;

        if (seen->failure == SURETY_TOOL_NONE)
            continue;
        surety__buf_line(&store->text, seen->name, 64);
        surety_buf_text(&store->text, ": ");
        surety_buf_add(&store->text, seen->message);
        faults[(*ret_count)++] = (surety_entry_issue){
            .kind = surety_str_of(surety_tool_failure_name(seen->failure)),
            .message = surety__store_keep(store)};
    }
    if (!faults)
        store->status = SURETY_NOMEM;
    return faults;
}

surety_status surety__steps_judge(surety__steps *steps, surety_now now,
                                  const surety_entry_issue **ret_faults,
                                  size_t *ret_count, surety_error *reterr)
{
    surety_status result = SURETY_OK;

    for (size_t i = steps->first; i < steps->count; i++) {
        surety__use *use = &steps->items[i];
        const surety_status status =
            use->judged ? SURETY_OK : steps_check(steps, use, now, reterr);

        if (surety__store_pass(steps->store, status) < 0)
            return status;
        if (status == SURETY_MORE)
            result = SURETY_MORE;
    }
    if (result != SURETY_OK)
        return result;
    *ret_faults = steps_faults(steps, ret_count);
    for (size_t i = steps->first; i < steps->count; i++) {
        surety__use *use = &steps->items[i];

        use->finished = true;
        if (*ret_count && use->seen.failure == SURETY_TOOL_NONE)
            steps_skip(use, SURETY_TOOL_CANCELLED,
                       SURETY__LITERAL("This call was not made, because "
                                       "another call of the reply is wrong. "
                                       "Make it again, beside the others."),
                       "another call of the reply is wrong");
    }
    return steps->store->status;
}

void surety__steps_hand_out(const surety__steps *steps)
{
    for (size_t i = steps->first; i < steps->count; i++)
        steps_event(steps, SURETY_EVENT_TOOL, &steps->items[i],
                    steps->items[i].seen.arguments);
}

void surety__steps_withhold(surety__steps *steps)
{
    for (size_t i = steps->first; i < steps->count; i++)
        surety__tool_call_free(steps->items[i].call);
    steps->count = steps->first;
}

/* ---- a step -------------------------------------------------------------- */

bool surety__steps_begin(surety__steps *steps, const surety__plan *plan,
                         size_t attempt, const surety_message *answer,
                         surety_now now, uint64_t *random)
{
    surety__run_store *store = steps->store;

    steps->first = steps->count;
    for (size_t i = 0; i < answer->part_count; i++) {
        const surety_part *part = &answer->parts[i];
        char id[SURETY__ID_LEN];
        surety__use *use;

        if (part->kind != SURETY_PART_CALL)
            continue;
        if (surety__grow(store->alloc, &steps->items, &steps->cap,
                         steps->count + 1, sizeof(*use),
                         SIZE_MAX / sizeof(*use)) != SURETY_OK) {
            store->status = SURETY_NOMEM;
            return false;
        }
        surety__id_write(random, now.unix_ms, id);
        use = &steps->items[steps->count++];
        *use =
            (surety__use){.seen = {.id = surety__store_copy(
                                       store, (surety_str){id, SURETY__ID_LEN}),
                                   .attempt = (uint32_t)attempt,
                                   .call = part->id,
                                   .name = part->name,
                                   .arguments = part->text}};
        if (!surety__steps_is_call(plan, part)) {
            use->judged = true;
            steps_skip(use, SURETY_TOOL_CANCELLED,
                       SURETY__LITERAL("The answer was not taken, because "
                                       "tools were called beside it. Answer "
                                       "again when you have their results."),
                       "the answer came beside calls of tools");
        }
    }
    return store->status == SURETY_OK;
}

surety_status surety__steps_go(surety__steps *steps, surety_now now,
                               uint64_t *ret_delay_ms, surety_error *reterr)
{
    surety_status result = SURETY_OK;
    size_t under_way = 0;

    *ret_delay_ms = UINT64_MAX;
    for (size_t i = steps->first;
         i < steps->count && under_way < SURETY__STEPS_AT_ONCE; i++) {
        surety__use *use = &steps->items[i];
        surety_status status;
        uint64_t delay_ms = SURETY__WAIT_HOST_MS;

        if (use->finished)
            continue;
        status = steps_advance(steps, use, now, reterr);
        if (status != SURETY_OK && status != SURETY_MORE)
            return status;
        if (status == SURETY_OK)
            continue;
        result = SURETY_MORE;
        under_way++;
        if (use->judged && !use->begun) {
            delay_ms = UINT64_MAX; /* that of the call that it waits for */
        } else if (surety__tool_call_transport(use->call)) {
            const uint64_t end = surety__tool_call_deadline(use->call);

            delay_ms = end > now.monotonic_ms ? end - now.monotonic_ms : 0;
        }
        if (delay_ms < *ret_delay_ms)
            *ret_delay_ms = delay_ms;
    }
    return result;
}

void surety__steps_cancel(surety__steps *steps, surety_now now,
                          surety_error *reterr)
{
    for (size_t i = steps->first; i < steps->count; i++) {
        surety__use *use = &steps->items[i];

        if (use->finished)
            continue;
        if (use->call && use->judged)
            surety__tool_call_cancel(use->call);
        if (use->call && use->begun) {
            (void)steps_finish(
                steps, use, SURETY__LITERAL("the run ends before the result"),
                now, reterr);
            continue;
        }
        surety__tool_call_free(use->call);
        use->call = NULL;
        use->finished = true;
        steps_skip(use, SURETY_TOOL_CANCELLED, SURETY__LITERAL(""),
                   "the run ended before the call was made");
    }
}

const surety_message *surety__steps_results(surety__steps *steps)
{
    const size_t count = steps->count - steps->first;
    surety_part *parts =
        surety__arena_take(&steps->store->arena, (count + 1) * sizeof(*parts));

    if (!parts) {
        steps->store->status = SURETY_NOMEM;
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const surety_tool_use *seen = &steps->items[steps->first + i].seen;

        assert(steps->items[steps->first + i].finished);
        parts[i] = (surety_part){.kind = SURETY_PART_RESULT,
                                 .text = seen->result,
                                 .name = seen->name,
                                 .id = seen->call,
                                 .error = seen->failure != SURETY_TOOL_NONE};
    }
    steps->results = (surety_message){SURETY_ROLE_TOOL, parts, count};
    return &steps->results;
}

surety_transport *surety__steps_transport(const surety__steps *steps, size_t i)
{
    const surety__use *use = i < steps->count - steps->first
                                 ? &steps->items[steps->first + i]
                                 : NULL;

    return use && use->call ? surety__tool_call_transport(use->call) : NULL;
}

bool surety__steps_has_ended(const surety__steps *steps)
{
    for (size_t i = steps->first; i < steps->count; i++)
        if (steps->items[i].call &&
            surety__tool_call_has_ended(steps->items[i].call))
            return true;
    return false;
}

void surety__steps_done(surety__steps *steps)
{
    for (size_t i = steps->first; i < steps->count; i++)
        surety__tool_call_free(steps->items[i].call);
    surety__free(steps->store->alloc, steps->items,
                 steps->cap * sizeof(*steps->items));
}
