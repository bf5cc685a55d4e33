/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c: rules in jq, for conditions that JSON Schema cannot express.
 *
 * 1. All programs of a contract (rules and derived members) are compiled as one
 *    jq program: each compilation costs 15 ms, because jq also compiles its
 *    built-in definitions.
 * 2. Each program is in parentheses, and rules_scan checks that its own
 *    brackets are balanced, so no program can change another. A newline after
 *    it ends a comment in its last line.
 * 3. The output of a program depends on the value only. So the built-ins that
 *    read other input (input, now, modules, halt) are redefined as errors, and
 *    the environment is empty.
 * 4. The worker process starts when the contract is read, and compiles while
 *    the schema compiles. Then it waits in the contract's pool, which holds one
 *    worker: judging many replies, each with a new judge, starts only one
 *    process. An evaluator takes the spare worker or starts another. It puts
 *    the worker back when it is freed.
 * 5. jq 1.6 computes with doubles: to a program, 2^53 + 1 is 2^53. */
#include "contract/contract.h"
#include "contract/rules_worker.h"

size_t surety__rules_count(const surety_contract *contract)
{
    return contract->policy.info.rule_count +
           surety_val_count(contract->policy.info.derive);
}

/* Returns the value in the contract document that holds program number
 * index. */
static surety_val rules_source(const surety_contract *contract, size_t index)
{
    const surety_val own =
        surety_val_get(surety_doc_root(contract->doc), "x-surety");
    surety_val member;

    assert(index < surety__rules_count(contract));
    if (index < contract->policy.info.rule_count)
        return surety_val_get(
            surety_val_item(surety_val_get(own, "rules"), index), "expr");
    member = surety_val_first(contract->policy.info.derive);
    for (size_t i = contract->policy.info.rule_count; i < index; i++)
        member = surety_val_next(contract->policy.info.derive, member);
    return member;
}

#ifndef SURETY_WITH_JQ

surety_status surety__rules_start(surety_contract *contract,
                                  surety_error *reterr)
{
    surety_status status;

    if (surety__rules_count(contract) == 0)
        return SURETY_OK;
    status =
        surety__fail(reterr, SURETY_UNSUPPORTED,
                     "rules and derived members are not part of this build");
    surety__policy_at(rules_source(contract, 0), reterr, status);
    surety__hint(reterr, "build with libjq (option jq)");
    return status;
}

surety_status surety__rules_await(surety_contract *contract,
                                  surety_error *reterr)
{
    (void)contract;
    (void)reterr;
    return SURETY_OK;
}

void surety__rules_stop(surety_contract *contract)
{
    (void)contract;
}

struct surety__rules {
    const surety_alloc *alloc;
};

surety__rules *surety__rules_new(const surety_contract *contract,
                                 const surety_alloc *alloc)
{
    surety__rules *rules = surety__new(alloc, sizeof(*rules));

    (void)contract;
    if (rules)
        rules->alloc = alloc;
    return rules;
}

void surety__rules_free(surety__rules *rules)
{
    if (rules)
        surety__free(rules->alloc, rules, sizeof(*rules));
}

surety_status surety__rules_check(surety__rules *rules, surety_val value,
                                  const surety__rule_result **ret_results,
                                  surety_error *reterr)
{
    (void)rules;
    (void)value;
    (void)reterr;
    *ret_results = NULL;
    return SURETY_OK;
}

surety_status surety__rules_derive(surety__rules *rules, surety_val value,
                                   surety_doc *out, surety_error *reterr)
{
    (void)rules;
    (void)value;
    surety_build_begin(out, NULL);
    surety_build_object(out);
    surety_build_close(out);
    return surety_build_end(out, reterr);
}

#else

#include <stdatomic.h>

enum {
    RULES_START_MS = 15000, /* to compile; 15 ms on an idle machine */
    RULES_GRACE_MS = 1000,  /* added to wait for FRAME_DONE */
    RULES_NESTING_MAX = 64  /* open brackets and strings in one program */
};

/* Holds one idle worker; all threads that use the contract share it. */
struct surety__pool {
    atomic_flag busy;
    surety__worker worker;
};

struct surety__rules {
    const surety_alloc *alloc;
    const surety_contract *contract;
    surety__worker worker;
    surety__rule_result *results;
    surety__arena arena; /* the texts of the results */
    surety_buf text;     /* the value as JSON, then what the worker sent */
    surety_doc *output;  /* the output of one program */
    bool spent;          /* the worker exceeded its time or memory */
};

/* Reads one token as far as brackets matter. Returns the offset of the next
 * one, or `at` for a token that is not allowed there. open is the stack of open
 * brackets and strings ('"'); a "\(" in a string pushes a '('. */
static size_t rules_bracket(surety_str text, size_t at, char *open,
                            size_t *depth)
{
    const char byte = text.ptr[at];
    const bool string = *depth > 0 && open[*depth - 1] == '"';
    char push = 0;

    assert(at < text.len && *depth <= RULES_NESTING_MAX);
    if (byte == '\0')
        return at;
    if (string && byte == '\\') {
        if (at + 1 == text.len)
            return at;
        if (text.ptr[at + 1] != '(')
            return at + 2;
        push = '(';
    } else if (byte == '"') {
        if (string) {
            (*depth)--;
            return at + 1;
        }
        push = '"';
    } else if (string) {
        return at + 1;
    } else if (byte == '#') {
        while (at < text.len && text.ptr[at] != '\n')
            at++;
        return at;
    } else if (byte == '(' || byte == '[' || byte == '{') {
        push = byte;
    } else if (byte == ')' || byte == ']' || byte == '}') {
        const char want = byte == ')' ? '(' : byte == ']' ? '[' : '{';

        if (*depth == 0 || open[*depth - 1] != want)
            return at;
        (*depth)--;
        return at + 1;
    }
    if (push) {
        if (*depth == RULES_NESTING_MAX)
            return at;
        open[(*depth)++] = push;
    }
    return at + (push == '(' && byte == '\\' ? 2 : 1);
}

/* Checks that a program's brackets and strings are balanced, so that it stays
 * inside its parentheses in the combined program. */
static surety_status rules_scan(surety_val source, surety_error *reterr)
{
    const surety_str text = surety_val_str(source);
    char open[RULES_NESTING_MAX];
    size_t depth = 0;
    size_t at = 0;

    while (at < text.len) {
        const size_t next = rules_bracket(text, at, open, &depth);

        if (next == at)
            break;
        at = next;
    }
    if (at == text.len && depth == 0)
        return SURETY_OK;
    if (at == text.len)
        return surety__policy_fail(
            source, reterr, "the jq program has a '%c' that is never closed",
            open[depth - 1]);
    if (text.ptr[at] == '\0')
        return surety__policy_fail(
            source, reterr, "the jq program has a zero byte at byte %zu", at);
    return surety__policy_fail(source, reterr,
                               depth == RULES_NESTING_MAX
                                   ? "the jq program has '%c' nested too deep "
                                     "at byte %zu"
                                   : "the jq program has a stray '%c' at byte "
                                     "%zu",
                               text.ptr[at], at);
}

/* ---- when the contract is read ------------------------------------------ */

surety_status surety__rules_start(surety_contract *contract,
                                  surety_error *reterr)
{
    const size_t count = surety__rules_count(contract);
    surety_status status;

    for (size_t i = 0; i < count; i++) {
        status = rules_scan(rules_source(contract, i), reterr);
        if (status != SURETY_OK)
            return status;
    }
    if (count == 0)
        return SURETY_OK;
    contract->pool = surety__new(contract->alloc, sizeof(*contract->pool));
    if (!contract->pool)
        return surety__fail_nomem(reterr);
    atomic_flag_clear(&contract->pool->busy);
    return surety__worker_start(&contract->pool->worker, contract, reterr);
}

/* Reports which program does not compile, with jq's message. Cuts off what jq
 * adds about shells and line numbers, because they refer to the combined
 * program. */
static surety_status rules_refuse(const surety_contract *contract,
                                  surety_str message, surety_error *reterr)
{
    static const char *const noise[] = {" (Unix shell quoting issues?)",
                                        " at <top-level>", ", line ", "\n"};
    const surety_str prefix = SURETY__LITERAL("jq: error: ");
    uint32_t index = 0;

    assert(message.len >= sizeof(index));
    memcpy(&index, message.ptr, sizeof(index));
    surety__str_skip(&message, sizeof(index));
    if (surety__str_starts(message, prefix))
        surety__str_skip(&message, prefix.len);
    for (size_t i = 0; i < SURETY__COUNT(noise); i++)
        message.len = surety__str_find(message, surety_str_of(noise[i]));
    return surety__policy_fail(rules_source(contract, index), reterr,
                               "the jq program does not compile: %.*s",
                               (int)message.len, message.ptr);
}

/* Waits until the worker has compiled the programs. */
static surety_status rules_ready(surety__worker *worker, surety_buf *buf,
                                 const surety_contract *contract,
                                 surety_error *reterr)
{
    const uint64_t deadline_ms = surety__worker_clock_ms() + RULES_START_MS;
    uint32_t kind = 0;
    surety_status status;

    if (worker->ready)
        return SURETY_OK;
    status = surety__worker_receive(worker, deadline_ms, &kind, buf);
    if (status == SURETY_OK && kind == FRAME_READY) {
        worker->ready = true;
        return SURETY_OK;
    }
    if (status == SURETY_OK && kind == FRAME_WRONG) {
        surety__worker_stop(worker);
        return rules_refuse(contract, surety_buf_str(buf), reterr);
    }
    if (status == SURETY_NOMEM) {
        surety__worker_stop(worker);
        return surety__fail_nomem(reterr);
    }
    if (status == SURETY_IO)
        status = surety__worker_bury(worker);
    else
        surety__worker_stop(worker);
    if (status == SURETY_LIMIT)
        return surety__fail(reterr, status,
                            "compiling the rules takes more than %u MiB "
                            "(rule_memory_mib_max)",
                            (unsigned)contract->limits.rule_memory_mib_max);
    if (status == SURETY_TIMEOUT)
        return surety__fail(reterr, status,
                            "compiling the rules takes more than %d ms",
                            RULES_START_MS);
    return surety__fail(reterr, SURETY_IO, "the rules' process died");
}

surety_status surety__rules_await(surety_contract *contract,
                                  surety_error *reterr)
{
    surety_buf buf;
    surety_status status;

    if (!contract->pool)
        return SURETY_OK;
    surety_buf_init(&buf, contract->alloc, 0);
    status = rules_ready(&contract->pool->worker, &buf, contract, reterr);
    surety_buf_done(&buf);
    return status;
}

void surety__rules_stop(surety_contract *contract)
{
    if (!contract->pool)
        return;
    surety__worker_stop(&contract->pool->worker);
    surety__free(contract->alloc, contract->pool, sizeof(*contract->pool));
    contract->pool = NULL;
}

/* Adds a program, wrapped so that it has exactly one output. A rule gives true,
 * false or, without any output, null; it gives true only if all its outputs are
 * true. A derived member gives [VALUE] or []. Both give {"e": REASON} on an
 * error. */
static void rules_add(const surety_contract *contract, size_t index,
                      surety_buf *out)
{
    const surety_str program = surety_val_str(rules_source(contract, index));
    const bool rule = index < contract->policy.info.rule_count;

    surety_buf_text(out, rule ? ",\n([try (reduce (" : ",\n([try [first((");
    surety_buf_add(out, program);
    surety_buf_text(out, rule ? "\n) as $x (null; if . == false then . else "
                                "($x | if . then true else false end) end)"
                                ")"
                              : "\n))]");
    surety_buf_text(out, " catch {e: (if type == \"string\" then . else tojson "
                         "end | .[:200])}] | .[0])");
}

/* ---- the program -------------------------------------------------------- */

void surety__rules_program(const surety_contract *contract, size_t only,
                           surety_buf *out)
{
    static const char prelude[] =
        "def surety_no: error(\"not available in a contract\");"
        "def halt: surety_no; def halt_error: surety_no;"
        "def halt_error(f): surety_no; def input: surety_no;"
        "def inputs: surety_no; def now: surety_no;"
        "def localtime: surety_no; def strflocaltime(f): surety_no;"
        "def modulemeta: surety_no; def get_search_list: surety_no;"
        "def input_filename: surety_no; def input_line_number: surety_no;"
        "def debug: .; def stderr: .;\n";
    const size_t rule_count = contract->policy.info.rule_count;
    const size_t count = surety__rules_count(contract);

    surety_buf_text(out, prelude);
    surety_buf_text(out, "if .[0] then (.[1] | (empty");
    for (size_t i = rule_count; i < count; i++)
        if (only == SIZE_MAX || only == i)
            rules_add(contract, i, out);
    surety_buf_text(out, ")) else (.[1] | (empty");
    for (size_t i = 0; i < rule_count; i++)
        if (only == SIZE_MAX || only == i)
            rules_add(contract, i, out);
    surety_buf_text(out, ")) end");
}

/* ---- evaluating --------------------------------------------------------- */

surety__rules *surety__rules_new(const surety_contract *contract,
                                 const surety_alloc *alloc)
{
    surety__rules *rules = surety__new(alloc, sizeof(*rules));

    if (!rules)
        return NULL;
    rules->alloc = alloc;
    rules->contract = contract;
    surety__arena_init(&rules->arena, alloc, 0);
    surety_buf_init(&rules->text, alloc, 0);
    rules->output = surety_doc_new(alloc);
    rules->results = surety__new(alloc, (contract->policy.info.rule_count + 1) *
                                            sizeof(*rules->results));
    if (!rules->output || !rules->results) {
        surety__rules_free(rules);
        return NULL;
    }
    return rules;
}

/* Puts the worker back if it is idle and the pool is empty; ends it
 * otherwise. */
static void rules_return(const surety_contract *contract,
                         surety__worker *worker)
{
    assert(!worker->ready || contract->pool);
    if (worker->ready && surety__worker_idle(worker) &&
        !atomic_flag_test_and_set(&contract->pool->busy)) {
        if (contract->pool->worker.pid == 0) {
            contract->pool->worker = *worker;
            *worker = (surety__worker){0};
        }
        atomic_flag_clear(&contract->pool->busy);
    }
    surety__worker_stop(worker);
}

void surety__rules_free(surety__rules *rules)
{
    if (!rules)
        return;
    rules_return(rules->contract, &rules->worker);
    surety_doc_free(rules->output);
    surety_buf_done(&rules->text);
    surety__arena_done(&rules->arena);
    if (rules->results)
        surety__free(rules->alloc, rules->results,
                     (rules->contract->policy.info.rule_count + 1) *
                         sizeof(*rules->results));
    surety__free(rules->alloc, rules, sizeof(*rules));
}

/* Takes the contract's spare worker, unless another thread holds the pool. All
 * zero: there is none. */
static surety__worker rules_borrow(const surety_contract *contract)
{
    surety__worker worker = {0};

    if (contract->pool && !atomic_flag_test_and_set(&contract->pool->busy)) {
        worker = contract->pool->worker;
        contract->pool->worker = (surety__worker){0};
        atomic_flag_clear(&contract->pool->busy);
    }
    return worker;
}

static const char *rules_bound(const surety_contract *contract,
                               surety_status status, uint32_t *ret_number)
{
    assert(status == SURETY_TIMEOUT || status == SURETY_LIMIT ||
           status == SURETY_IO);
    if (status == SURETY_TIMEOUT) {
        *ret_number = contract->limits.rule_time_ms_max;
        return "ms (rule_time_ms_max)";
    }
    *ret_number = contract->limits.rule_memory_mib_max;
    return "MiB (rule_memory_mib_max)";
}

/* Reports a program that exceeded its time or memory. */
static surety_status rules_excuse(const surety_contract *contract, size_t index,
                                  surety_status status, surety_error *reterr)
{
    uint32_t number;
    const char *unit = rules_bound(contract, status, &number);

    if (status == SURETY_IO)
        return surety__fail(reterr, status, "the rules' process died");
    if (index == SIZE_MAX)
        return surety__fail(reterr, status, "the rules take more than %u %s",
                            (unsigned)number, unit);
    return surety__policy_at(
        rules_source(contract, index), reterr,
        surety__fail(reterr, status, "the derived member takes more than %u %s",
                     (unsigned)number, unit));
}

/* Sends a value to a ready worker; starts a worker if necessary. The time limit
 * starts here, after a new worker has started. */
static surety_status rules_send(surety__rules *rules, uint32_t kind,
                                surety_val value, uint64_t *ret_deadline_ms,
                                surety_error *reterr)
{
    const surety_contract *contract = rules->contract;
    surety__worker *worker = &rules->worker;
    surety__packet head = {.kind = kind};
    surety_status status;

    if (!surety__worker_idle(worker)) {
        surety__worker_stop(worker);
        *worker = rules_borrow(contract);
    }
    if (!surety__worker_idle(worker)) {
        surety__worker_stop(worker);
        status = surety__worker_start(worker, contract, reterr);
        if (status != SURETY_OK)
            return status;
    }
    status = rules_ready(worker, &rules->text, contract, reterr);
    if (status != SURETY_OK)
        return status;

    surety_buf_reset(&rules->text);
    surety_buf_append(&rules->text, (const char *)&head, sizeof(head));
    status = surety_val_write(value, SURETY_STYLE_COMPACT, &rules->text);
    if (status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (status != SURETY_OK)
        return surety__fail(reterr, status,
                            "the value is too long for the rules");
    head.size = (uint32_t)(rules->text.len - sizeof(head));
    memcpy(rules->text.ptr, &head, sizeof(head));
    *ret_deadline_ms =
        surety__worker_clock_ms() + contract->limits.rule_time_ms_max;
    status = surety__worker_send(worker, surety_buf_str(&rules->text),
                                 *ret_deadline_ms);
    if (status == SURETY_OK)
        return SURETY_OK;
    if (status == SURETY_TIMEOUT)
        surety__worker_stop(worker);
    else
        status = surety__worker_bury(worker);
    return rules_excuse(contract, SIZE_MAX, status, reterr);
}

/* Reports that the process died and, unless index is SIZE_MAX, in which
 * program. */
static surety_status rules_mourn(const surety_contract *contract, size_t index,
                                 surety_error *reterr)
{
    const bool rule = index < contract->policy.info.rule_count;
    surety_status status;
    surety_str name;

    if (index == SIZE_MAX)
        return surety__fail(reterr, SURETY_IO, "the rules' process died");
    name = rule ? contract->policy.info.rules[index].id
                : surety_val_str(surety_val_key(rules_source(contract, index)));
    status = surety__fail(
        reterr, SURETY_IO, "the rules' process died in the %s %.*s",
        rule ? "rule" : "derived member", (int)name.len, name.ptr);
    surety__hint(reterr, "make it do less, or simpler, things");
    return status;
}

/* Receives the output of program number index into rules->output. SIZE_MAX:
 * receives FRAME_DONE. Ends a worker that fails. If the worker exceeded its
 * time or memory, sets `spent` and leaves reterr to the caller, who knows the
 * program. */
static surety_status rules_next(surety__rules *rules, size_t index,
                                uint64_t deadline_ms, surety_error *reterr)
{
    const uint32_t expected = index == SIZE_MAX ? FRAME_DONE : FRAME_OUTPUT;
    const surety_contract *contract = rules->contract;
    const surety_read_options options = {.size = sizeof(options),
                                         .limits = &contract->limits};
    uint32_t kind = 0;
    surety_status status = surety__worker_receive(&rules->worker, deadline_ms,
                                                  &kind, &rules->text);

    if (status == SURETY_IO)
        status = surety__worker_bury(&rules->worker);
    rules->spent = status == SURETY_TIMEOUT || status == SURETY_LIMIT;
    if (status == SURETY_OK && kind == FRAME_DEEP)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the value is nested deeper than the 256 levels "
                            "that rules can take");
    if (status == SURETY_OK && kind == FRAME_DONE && kind == expected)
        return SURETY_OK;
    if (status == SURETY_OK && kind == FRAME_OUTPUT && kind == expected) {
        status = surety_doc_read(rules->output, surety_buf_str(&rules->text),
                                 &options, reterr);
        if (status == SURETY_OK)
            return SURETY_OK;
        surety__worker_stop(&rules->worker);
        return status;
    }
    surety__worker_stop(&rules->worker);
    if (status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (rules->spent)
        return status;
    return rules_mourn(contract, index, reterr);
}

/* Fills in the results of the rule that exceeded its time or memory, and of
 * all rules after it. */
static surety_status rules_spend(surety__rules *rules, size_t index,
                                 surety_status status, surety_error *reterr)
{
    uint32_t number;
    const char *unit = rules_bound(rules->contract, status, &number);

    for (size_t i = index; i < rules->contract->policy.info.rule_count; i++) {
        surety__rule_result *result = &rules->results[i];

        surety_buf_reset(&rules->text);
        surety__buf_printf(&rules->text,
                           i == index
                               ? "the rule takes more than %u %s"
                               : "not evaluated: a rule before it takes more "
                                 "than %u %s",
                           (unsigned)number, unit);
        *result = (surety__rule_result){.status = status};
        result->text =
            surety__arena_text(&rules->arena, surety_buf_str(&rules->text));
        if (rules->text.status != SURETY_OK || !result->text.ptr)
            return surety__fail_nomem(reterr);
    }
    return SURETY_OK;
}

/* Converts the last output to the result of rule number index. */
static surety_status rules_judge(surety__rules *rules, size_t index,
                                 surety_error *reterr)
{
    const surety_val output = surety_doc_root(rules->output);
    const surety_val failure = surety_val_get(output, "e");
    surety__rule_result *result = &rules->results[index];
    surety_str text = surety_val_str(failure);

    assert(index < rules->contract->policy.info.rule_count);
    *result = (surety__rule_result){0};
    if (surety_val_kind(output) == SURETY_KIND_BOOLEAN) {
        result->holds = surety_val_bool(output, false);
        return SURETY_OK;
    }
    if (!failure.doc)
        text = SURETY__LITERAL("the rule gave neither true nor false");
    result->status = SURETY_SYNTAX;
    result->text = surety__arena_text(&rules->arena, text);
    return result->text.ptr ? SURETY_OK : surety__fail_nomem(reterr);
}

surety_status surety__rules_check(surety__rules *rules, surety_val value,
                                  const surety__rule_result **ret_results,
                                  surety_error *reterr)
{
    const size_t count = rules->contract->policy.info.rule_count;
    uint64_t deadline_ms = 0;
    surety_status status = SURETY_OK;

    surety__arena_reset(&rules->arena);
    if (count > 0)
        status = rules_send(rules, FRAME_CHECK, value, &deadline_ms, reterr);
    for (size_t i = 0; i < count && status == SURETY_OK; i++) {
        status = rules_next(rules, i, deadline_ms, reterr);
        if (rules->spent) {
            status = rules_spend(rules, i, status, reterr);
            break;
        }
        if (status == SURETY_OK)
            status = rules_judge(rules, i, reterr);
    }
    if (status == SURETY_OK && rules->worker.pid != 0 && count > 0)
        status =
            rules_next(rules, SIZE_MAX, deadline_ms + RULES_GRACE_MS, reterr);
    if (status == SURETY_OK)
        *ret_results = rules->results;
    else if (status == SURETY_NOMEM)
        surety__worker_stop(&rules->worker);
    return status;
}

/* Appends the last output to out as a derived member. */
static surety_status rules_build(surety__rules *rules, size_t index,
                                 surety_val member, surety_doc *out,
                                 surety_error *reterr)
{
    const surety_val output = surety_doc_root(rules->output);
    const surety_str failure = surety_val_str(surety_val_get(output, "e"));
    const surety_val source = rules_source(rules->contract, index);

    if (surety_val_kind(output) == SURETY_KIND_OBJECT)
        return surety__policy_fail(source, reterr,
                                   "the derived member fails: %.*s",
                                   (int)failure.len, failure.ptr);
    if (surety_val_count(output) == 0)
        return surety__policy_fail(source, reterr,
                                   "the derived member gives no value");
    surety_build_key_of(out, surety_val_key(member));
    surety_build_val(out, surety_val_first(output));
    return SURETY_OK;
}

surety_status surety__rules_derive(surety__rules *rules, surety_val value,
                                   surety_doc *out, surety_error *reterr)
{
    const surety_contract *contract = rules->contract;
    const surety_val derive = contract->policy.info.derive;
    size_t index = contract->policy.info.rule_count;
    uint64_t deadline_ms = 0;
    surety_status status = SURETY_OK;

    surety_build_begin(out, NULL);
    surety_build_object(out);
    if (surety_val_count(derive) > 0)
        status = rules_send(rules, FRAME_DERIVE, value, &deadline_ms, reterr);
    for (surety_val member = surety_val_first(derive);
         member.doc && status == SURETY_OK;
         member = surety_val_next(derive, member), index++) {
        status = rules_next(rules, index, deadline_ms, reterr);
        if (rules->spent)
            return rules_excuse(contract, index, status, reterr);
        if (status == SURETY_OK)
            status = rules_build(rules, index, member, out, reterr);
    }
    if (status == SURETY_OK && surety_val_count(derive) > 0)
        status =
            rules_next(rules, SIZE_MAX, deadline_ms + RULES_GRACE_MS, reterr);
    if (status != SURETY_OK) {
        surety__worker_stop(&rules->worker); /* it may still send messages */
        return status;
    }
    surety_build_close(out);
    return surety_build_end(out, reterr);
}

#endif
