/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns: read as ECMA-262, matched by an automaton of ours where one can be
 * had (pattern_simple.c), else by PCRE2.
 *
 * A pattern is read once for the automaton, and once more for PCRE2 if there
 * is none; so PCRE2's work is not done for nothing. The length and nesting are
 * limited at compile time; heap, the stack of the machine code and steps at
 * match time. Reaching a limit is an answer (SURETY_LIMIT), never a long wait.
 *
 * Steps are counted here, for PCRE2's own match limit does not see what its
 * loops pass over, nor that each start may cost the whole text again. Every
 * program calls back before each of its items (PCRE2_AUTO_CALLOUT); a call is a
 * step, and so are STEP_BYTES passed over since the last one.
 *
 * PCRE2 gets memory from the caller's allocator. It frees without a size, so
 * each block begins with its own. */
#include "schema/pattern.h"

#include "schema/pattern_inside.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Bytes of a pattern as written for PCRE2: a pattern of the default
 * pattern_len_max made of nothing but \S in classes stays below. */
#define PATTERN_OUT_MAX ((size_t)1 << 20)

/* How fast passing over text is, compared with a call. */
enum { STEP_BYTES = 16 };

/* Steps that a match may take for each byte of its text besides the limit: what
 * is linear gets through on any length. */
enum { STEPS_PER_BYTE = 8 };

struct surety__pattern {
    const surety_alloc *alloc;
    surety__pattern_simple simple;
    pcre2_code *code; /* NULL for a simple form */
};

struct surety__matcher {
    const surety_alloc *alloc;
    surety_limits limits;
    pcre2_general_context *general;
    pcre2_match_context *context;
    pcre2_match_data *data;
    pcre2_jit_stack *stack; /* NULL where there is no machine code */
    size_t start, at;       /* of the match that goes on: where it began, is */
    uint64_t steps, steps_max;
};

/* ---- memory -------------------------------------------------------------- */

union pattern_block {
    size_t size;
    max_align_t align;
};

static void *pattern_block_take(size_t size, void *ctx)
{
    union pattern_block *block;

    if (size > SIZE_MAX - sizeof(*block))
        return NULL;
    block = surety__resize(ctx, NULL, 0, size + sizeof(*block));
    if (!block)
        return NULL;
    block->size = size + sizeof(*block);
    return block + 1;
}

static void pattern_block_return(void *ptr, void *ctx)
{
    union pattern_block *block = ptr;

    if (!block)
        return;
    block--;
    assert(block->size >= sizeof(*block));
    surety__resize(ctx, block, block->size, 0);
}

static pcre2_general_context *pattern_general(const surety_alloc *alloc)
{
    /* PCRE2 only gives the pointer back. */
    return pcre2_general_context_create(
        pattern_block_take, pattern_block_return, (void *)(uintptr_t)alloc);
}

/* ---- compiling ----------------------------------------------------------- */

static surety_status pattern_too_large(surety_error *reterr)
{
    surety__fail(reterr, SURETY_LIMIT,
                 "pattern: it is too large when compiled: PCRE2 takes 64 KiB "
                 "of its code");
    surety__hint(reterr, "write a list of words as enum, or divide the pattern "
                         "by anyOf");
    return SURETY_LIMIT;
}

/* The error of a pattern that ECMA-262 allows and PCRE2 does not. */
static surety_status pattern_refused(int code, surety_error *reterr)
{
    PCRE2_UCHAR text[128] = "";

    switch (code) {
    case PCRE2_ERROR_HEAP_FAILED: return surety__fail_nomem(reterr);
    case PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP:
    case PCRE2_ERROR_PATTERN_TOO_LARGE:
    case PCRE2_ERROR_PATTERN_TOO_COMPLICATED:
    case PCRE2_ERROR_PATTERN_STRING_TOO_LONG:
    case PCRE2_ERROR_QUANTIFIER_TOO_BIG: return pattern_too_large(reterr);
    case PCRE2_ERROR_LOOKBEHIND_NOT_FIXED_LENGTH:
    case PCRE2_ERROR_LOOKBEHIND_TOO_LONG:
    case PCRE2_ERROR_LOOKBEHIND_TOO_COMPLICATED:
        surety__fail(reterr, SURETY_UNSUPPORTED,
                     "pattern: a lookbehind without a fixed length cannot be "
                     "matched");
        surety__hint(reterr, "give each alternative of the lookbehind a fixed "
                             "length");
        return SURETY_UNSUPPORTED;
    case PCRE2_ERROR_UNKNOWN_UNICODE_PROPERTY:
        return surety__fail(reterr, SURETY_UNSUPPORTED,
                            "pattern: this PCRE2 does not know one of the "
                            "Unicode properties");
    default: break;
    }
    (void)pcre2_get_error_message(code, text, sizeof(text));
    return surety__fail(reterr, SURETY_UNSUPPORTED,
                        "pattern: PCRE2 says \"%s\"", (const char *)text);
}

static surety_status pattern_program(surety_str program,
                                     const surety_alloc *alloc,
                                     pcre2_code **ret_code,
                                     surety_error *reterr)
{
    const uint32_t options = PCRE2_UTF | PCRE2_MATCH_UNSET_BACKREF |
                             PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT;
    pcre2_general_context *general = pattern_general(alloc);
    pcre2_compile_context *context =
        general ? pcre2_compile_context_create(general) : NULL;
    pcre2_code *code = NULL;
    PCRE2_SIZE offset;
    int why = PCRE2_ERROR_HEAP_FAILED;
    surety_status status = SURETY_OK;

    if (context) {
        pcre2_set_max_pattern_length(context, PATTERN_OUT_MAX);
        pcre2_set_parens_nest_limit(context, PATTERN_DEPTH_MAX);
        code = pcre2_compile((PCRE2_SPTR)program.ptr, program.len, options,
                             &why, &offset, context);
    }
    if (!code) {
        status = pattern_refused(why, reterr);
        goto done;
    }
    /* Where no memory may be made executable the interpreter does it. */
    (void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    *ret_code = code;
done:
    pcre2_compile_context_free(context);
    pcre2_general_context_free(general);
    return status;
}

/* Reads source for PCRE2 and compiles it. */
static surety_status pattern_compile_program(surety_str source,
                                             surety__pattern *pattern,
                                             surety_error *reterr)
{
    surety__pattern_reader reader;
    surety_buf program;
    surety_status status;

    surety_buf_init(&program, pattern->alloc, PATTERN_OUT_MAX);
    status = surety__pattern_read(&reader, source, &program, NULL, reterr);
    if (!status && program.status)
        status = program.status == SURETY_LIMIT ? pattern_too_large(reterr)
                                                : surety__fail_nomem(reterr);
    if (!status)
        status = pattern_program(surety_buf_str(&program), pattern->alloc,
                                 &pattern->code, reterr);
    surety_buf_done(&program);
    return status;
}

/* Reads source and makes what matches it without PCRE2, if that can be had. */
static surety_status pattern_compile_simple(surety_str source,
                                            surety__pattern *pattern,
                                            surety_error *reterr)
{
    surety__pattern_reader reader;
    surety__pattern_net net;
    surety_status status;

    surety__net_init(&net, pattern->alloc);
    status = surety__pattern_read(&reader, source, NULL, &net, reterr);
    if (!status && surety__pattern_simplify(&net, &pattern->simple))
        status = surety__fail_nomem(reterr);
    surety__net_done(&net);
    return status;
}

surety_status surety__pattern_compile(surety_str source,
                                      const surety_alloc *alloc,
                                      const surety_limits *limits,
                                      surety__pattern **ret_pattern,
                                      surety_error *reterr)
{
    const size_t len_max = surety_limits_of(limits).pattern_len_max;
    surety__pattern *pattern;
    surety_status status;

    if (source.len > len_max)
        return surety__fail(reterr, SURETY_LIMIT,
                            "pattern: %zu bytes are more than the limit of %zu "
                            "(pattern_len_max)",
                            source.len, len_max);
    pattern = surety__new(alloc, sizeof(*pattern));
    if (!pattern)
        return surety__fail_nomem(reterr);
    pattern->alloc = alloc;
    status = pattern_compile_simple(source, pattern, reterr);
    if (!status && pattern->simple.form == PATTERN_PROGRAM)
        status = pattern_compile_program(source, pattern, reterr);
    if (status) {
        surety__pattern_free(pattern);
        return status;
    }
    assert((pattern->simple.form == PATTERN_PROGRAM) ==
           (pattern->code != NULL));
    *ret_pattern = pattern;
    return SURETY_OK;
}

void surety__pattern_free(surety__pattern *pattern)
{
    if (!pattern)
        return;
    pcre2_code_free(pattern->code);
    surety__pattern_simple_done(&pattern->simple, pattern->alloc);
    surety__free(pattern->alloc, pattern, sizeof(*pattern));
}

bool surety__pattern_is_simple(const surety__pattern *pattern)
{
    return pattern->simple.form != PATTERN_PROGRAM;
}

surety_str surety__pattern_within(const surety__pattern *pattern,
                                  bool *ret_starts)
{
    const surety__pattern_simple *simple = &pattern->simple;
    const bool automaton = simple->form == PATTERN_AUTOMATON;

    *ret_starts = automaton ? simple->literal.len != 0 : simple->starts;
    return automaton && !*ret_starts ? simple->within : simple->literal;
}

bool surety__pattern_is_valid(surety_str text)
{
    surety__pattern_reader reader;

    return surety__pattern_read(&reader, text, NULL, NULL, NULL) == SURETY_OK;
}

/* ---- matching ------------------------------------------------------------ */

surety__matcher *surety__matcher_new(const surety_alloc *alloc,
                                     const surety_limits *limits)
{
    surety__matcher *matcher = surety__new(alloc, sizeof(*matcher));

    if (!matcher)
        return NULL;
    matcher->alloc = alloc;
    matcher->limits = surety_limits_of(limits);
    return matcher;
}

void surety__matcher_free(surety__matcher *matcher)
{
    if (!matcher)
        return;
    if (matcher->stack)
        pcre2_jit_stack_free(matcher->stack);
    pcre2_match_data_free(matcher->data);
    pcre2_match_context_free(matcher->context);
    pcre2_general_context_free(matcher->general);
    surety__free(matcher->alloc, matcher, sizeof(*matcher));
}

/* Called by PCRE2 before each item of a program. Going back is free: what was
 * passed over then is passed over again before it is counted again. */
static int matcher_step(pcre2_callout_block *block, void *ctx)
{
    surety__matcher *matcher = ctx;

    if (block->start_match != matcher->start) {
        matcher->start = block->start_match;
        matcher->at = block->start_match;
    }
    matcher->steps++;
    if (block->current_position > matcher->at)
        matcher->steps += (block->current_position - matcher->at) / STEP_BYTES;
    matcher->at = block->current_position;
    return matcher->steps > matcher->steps_max ? PCRE2_ERROR_CALLOUT : 0;
}

/* Makes what PCRE2 needs, at the first pattern that is not simple. */
static bool matcher_ready(surety__matcher *matcher)
{
    const uint32_t heap_kib = matcher->limits.pattern_heap_kib_max;
    const size_t heap = (size_t)heap_kib * 1024;
    const size_t first = heap < 32768 ? heap : 32768;

    if (matcher->data)
        return true;
    if (!matcher->general)
        matcher->general = pattern_general(matcher->alloc);
    if (!matcher->context && matcher->general) {
        matcher->context = pcre2_match_context_create(matcher->general);
        if (matcher->context) {
            pcre2_set_match_limit(matcher->context, UINT32_MAX);
            pcre2_set_depth_limit(matcher->context, UINT32_MAX);
            pcre2_set_heap_limit(matcher->context, heap_kib);
            pcre2_set_callout(matcher->context, matcher_step, matcher);
        }
    }
    if (!matcher->context)
        return false;
    if (!matcher->stack) {
        /* Without one the machine code has 32 KiB of the caller's stack. */
        matcher->stack = pcre2_jit_stack_create(first, heap, matcher->general);
        if (matcher->stack)
            pcre2_jit_stack_assign(matcher->context, NULL, matcher->stack);
    }
    matcher->data = pcre2_match_data_create(1, matcher->general);
    return matcher->data != NULL;
}

int surety__pattern_match(const surety__pattern *pattern,
                          surety__matcher *matcher, surety_str text)
{
    int result;

    matcher->steps = 0;
    if (pattern->simple.form != PATTERN_PROGRAM)
        return surety__pattern_simple_match(&pattern->simple, text) ? 1 : 0;
    if (!matcher_ready(matcher))
        return SURETY_NOMEM;
    matcher->start = 0;
    matcher->at = 0;
    matcher->steps_max =
        matcher->limits.pattern_match_max + (uint64_t)text.len * STEPS_PER_BYTE;
    result = pcre2_match(pattern->code, (PCRE2_SPTR)(text.len ? text.ptr : ""),
                         text.len, 0, PCRE2_NO_UTF_CHECK, matcher->data,
                         matcher->context);
    if (result >= 0)
        return 1;
    switch (result) {
    case PCRE2_ERROR_NOMATCH: return 0;
    case PCRE2_ERROR_NOMEMORY: return SURETY_NOMEM;
    default: return SURETY_LIMIT;
    }
}

surety_status surety__match_fail(int match, surety_str text,
                                 const surety_limits *limits,
                                 surety_error *reterr)
{
    const surety_limits known = surety_limits_of(limits);

    assert(match < 0);
    if (match == SURETY_LIMIT)
        surety__fail(reterr, SURETY_LIMIT,
                     "a pattern needs more steps on a string of %zu bytes than "
                     "the limits allow (pattern_match_max %u, "
                     "pattern_heap_kib_max %u)",
                     text.len, known.pattern_match_max,
                     known.pattern_heap_kib_max);
    return (surety_status)match;
}

uint64_t surety__matcher_steps(const surety__matcher *matcher)
{
    return matcher->steps;
}
