/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of a contract (contract/forms.c), as runs use them: made once,
 * shared by threads, and the same as those of a contract that is read anew.
 * Clean under -fsanitize=thread. */
#include "check.h"
#include "run_fake.h"

#include <pthread.h>

#include <surety/prompt.h>
#include <surety/strict.h>

enum { FORMS_THREADS = 8, FORMS_CASES = 4 * 3 * 3 };

static const char *const forms_contracts[] = {
    /* Restoring leaves nulls out; the schema is another than the contract's. */
    "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{"
    "\"type\":\"integer\",\"maximum\":10},\"o\":{\"type\":\"string\"}},"
    "\"x-surety\":{\"name\":\"count\",\"prompt\":{\"example\":{\"n\":4}}}}",
    /* Accepted as it is. */
    "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{"
    "\"type\":\"integer\"}},\"additionalProperties\":false}",
    /* Impossible for some. */
    "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{"
    "\"type\":\"integer\"},\"o\":{\"enum\":[[1],{\"a\":2}]}}}",
};

static const struct fake_answer forms_answers[] = {
    {.status = 200, .body = SAYS("{\\\"n\\\":30}")},
    {.status = 200, .body = SAYS("{\\\"n\\\":3,\\\"o\\\":null}")},
    {.status = 200, .body = SAYS("{\\\"n\\\":3}")},
};

/* Runs the i-th combination of protocol, mode and style, and appends what was
 * sent, what was heard and what came out. */
static surety_status forms_run(const surety_contract *contract, size_t i,
                               const surety_alloc *alloc, surety_buf *out)
{
    static const surety_protocol protocols[] = {
        SURETY_PROTOCOL_OPENAI, SURETY_PROTOCOL_RESPONSES,
        SURETY_PROTOCOL_ANTHROPIC, SURETY_PROTOCOL_GEMINI};
    struct check unused = {.name = ""};
    surety_prompt_options prompt = {.size = sizeof(prompt)};
    struct fake *fake = malloc(sizeof(*fake));
    surety_run_options options;
    surety_run *run = NULL;
    surety_model model;
    surety_status status;

    if (!fake)
        abort();
    fake_init(fake, forms_answers, CHECK_COUNT(forms_answers));
    model = fake_model(fake, "m");
    model.protocol = protocols[i % 4];
    model.provider = surety_str_of(i % 2 ? "" : "ollama");
    model.mode = (surety_mode)(SURETY_MODE_NATIVE + i / 4 % 3);
    prompt.style = (surety_prompt_style)(1 + i / 12);
    options = fake_options(&unused, fake, contract, &model, 1);
    options.prompt_options = &prompt;
    options.alloc = alloc;
    status = surety_run_new(&options, &run, NULL);
    if (status == SURETY_OK)
        status = fake_go(fake, run, NULL);
    for (size_t call = 0; call < fake->calls; call++)
        surety_buf_text(out, fake->bodies[call]);
    surety_buf_text(out, fake->events);
    if (status == SURETY_OK)
        status =
            surety_run_write(run, SURETY_REPORT_JSON, (surety_str){"", 0}, out);
    surety_run_free(run);
    free(fake);
    return status;
}

/* All combinations, each with a contract that is read anew for it. */
static surety_status forms_anew(const char *text, const surety_alloc *alloc,
                                surety_buf *out)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = alloc};
    surety_status status = SURETY_OK;

    for (size_t i = 0; i < FORMS_CASES && status == SURETY_OK; i++) {
        surety_contract *contract = NULL;

        status = surety_contract_read(surety_str_of(text), &options, &contract,
                                      NULL);
        if (status == SURETY_OK)
            status = forms_run(contract, i, alloc, out);
        surety_contract_free(contract);
    }
    return status;
}

/* All combinations, with one contract. */
static surety_status forms_again(const surety_contract *contract,
                                 const surety_alloc *alloc, surety_buf *out)
{
    surety_status status = SURETY_OK;

    for (size_t i = 0; i < FORMS_CASES && status == SURETY_OK; i++)
        status = forms_run(contract, i, alloc, out);
    return status;
}

/* All forms of a contract made anew, and the contract to be reused. */
static surety_status forms_pair(const char *text, surety_buf *anew,
                                surety_contract **ret_contract)
{
    surety_status status;

    surety_buf_reset(anew);
    status = forms_anew(text, NULL, anew);
    return status == SURETY_OK ? surety_contract_read(surety_str_of(text), NULL,
                                                      ret_contract, NULL)
                               : status;
}

TEST(one_contract_gives_what_a_fresh_one_gives)
{
    surety_contract *contract = NULL;
    surety_buf anew, again;

    surety_buf_init(&anew, NULL, 0);
    surety_buf_init(&again, NULL, 0);
    for (size_t i = 0; i < CHECK_COUNT(forms_contracts); i++) {
        EXPECT(SURETY_OK, forms_pair(forms_contracts[i], &anew, &contract));
        for (int round = 0; round < 3; round++) {
            surety_buf_reset(&again);
            EXPECT(SURETY_OK, forms_again(contract, NULL, &again));
            CHECK(surety_str_equal(surety_buf_str(&anew),
                                   surety_buf_str(&again)));
        }
        surety_contract_free(contract);
        contract = NULL;
    }
done:
    surety_contract_free(contract);
    surety_buf_done(&anew);
    surety_buf_done(&again);
}

/* ---- threads ------------------------------------------------------------- */

struct forms_worker {
    pthread_t thread;
    const surety_contract *contract;
    surety_str want;
    bool same;
};

static void *forms_work(void *ctx)
{
    struct forms_worker *worker = ctx;
    surety_buf out;

    surety_buf_init(&out, NULL, 0);
    worker->same = forms_again(worker->contract, NULL, &out) == SURETY_OK &&
                   surety_str_equal(surety_buf_str(&out), worker->want);
    surety_buf_done(&out);
    return NULL;
}

TEST(eight_threads_and_one_contract)
{
    struct forms_worker workers[FORMS_THREADS];
    surety_contract *contract = NULL;
    surety_buf anew;

    surety_buf_init(&anew, NULL, 0);
    for (size_t i = 0; i < CHECK_COUNT(forms_contracts); i++) {
        EXPECT(SURETY_OK, forms_pair(forms_contracts[i], &anew, &contract));
        for (size_t j = 0; j < FORMS_THREADS; j++) {
            workers[j] = (struct forms_worker){.contract = contract,
                                               .want = surety_buf_str(&anew)};
            if (pthread_create(&workers[j].thread, NULL, forms_work,
                               &workers[j]))
                abort();
        }
        for (size_t j = 0; j < FORMS_THREADS; j++) {
            pthread_join(workers[j].thread, NULL);
            CHECK(workers[j].same);
        }
        surety_contract_free(contract);
        contract = NULL;
    }
done:
    surety_contract_free(contract);
    surety_buf_done(&anew);
}

/* ---- out of memory ------------------------------------------------------- */

/* An allocator whose next allocations succeed until `left` is 0; that one
 * fails, and all later ones succeed. */
struct forms_memory {
    surety_alloc alloc;
    size_t left;
    bool failed;
};

static void *forms_resize(void *ctx, void *ptr, size_t size_old,
                          size_t size_new)
{
    struct forms_memory *memory = ctx;

    (void)size_old;
    if (!size_new) {
        free(ptr);
        return NULL;
    }
    if (memory->left && !--memory->left) {
        memory->failed = true;
        return NULL;
    }
    return realloc(ptr, size_new);
}

/* Makes every form of a contract and of a subset. */
static surety_status forms_make(const surety_contract *contract,
                                surety_subset subset)
{
    const surety_contract *delivered;
    const surety_strict *strict;
    surety_status status = surety_strict_of(contract, subset, &strict, NULL);
    surety_prompt_options prompt = {.size = sizeof(prompt)};
    surety_str text;
    surety_buf out;

    surety_buf_init(&out, NULL, 0);
    if (status == SURETY_OK) {
        prompt.native = true;
        prompt.style = SURETY_PROMPT_JSON_SCHEMA;
        prompt.schema = surety_strict_info_of(strict)->schema;
        status = surety_prompt_write(contract, (surety_str){"", 0}, &prompt,
                                     &out, NULL);
    }
    prompt.native = false;
    for (int i = SURETY_PROMPT_JSON_SCHEMA;
         i <= SURETY_PROMPT_EXAMPLE && status == SURETY_OK; i++) {
        prompt.style = (surety_prompt_style)i;
        status = surety_prompt_write(contract, (surety_str){"", 0}, &prompt,
                                     &out, NULL);
    }
    surety_buf_done(&out);
    if (status == SURETY_OK)
        status = surety_contract_schema_text(contract, &text, NULL);

    if (status == SURETY_OK &&
        surety_strict_info_of(strict)->support != SURETY_STRICT_IMPOSSIBLE)
        status = surety_strict_delivered(strict, &delivered, NULL);
    return status;
}

/* Whatever allocation of a form fails, the call that made it reports that, and
 * the contract goes on as if it had not been called. */
TEST(out_of_memory_is_for_one_call)
{
    surety_contract *contract = NULL;
    surety_buf anew, again;
    struct forms_memory memory = {.alloc = {forms_resize, &memory}};
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = &memory.alloc};
    surety_status status;
    size_t at = 0;

    surety_buf_init(&anew, NULL, 0);
    surety_buf_init(&again, NULL, 0);
    EXPECT(SURETY_OK, forms_anew(forms_contracts[0], NULL, &anew));
    do {
        EXPECT(SURETY_OK,
               surety_contract_read(surety_str_of(forms_contracts[0]), &options,
                                    &contract, NULL));
        memory.failed = false;
        memory.left = ++at;
        status = forms_make(contract, SURETY_SUBSET_OPENAI);
        CHECK(status == (memory.failed ? SURETY_NOMEM : SURETY_OK));
        memory.left = 0;
        EXPECT(SURETY_OK, forms_make(contract, SURETY_SUBSET_OPENAI));
        if (at % 100 == 1) {
            surety_buf_reset(&again);
            EXPECT(SURETY_OK, forms_again(contract, NULL, &again));
            CHECK(surety_str_equal(surety_buf_str(&anew),
                                   surety_buf_str(&again)));
        }
        surety_contract_free(contract);
        contract = NULL;
    } while (memory.failed);
    CHECK(at > 20);
done:
    surety_contract_free(contract);
    surety_buf_done(&anew);
    surety_buf_done(&again);
}

TEST(a_form_is_made_once)
{
    const surety_strict *strict = NULL, *again = NULL;
    const surety_contract *delivered, *twice;
    surety_contract *contract = NULL;
    surety_str text, same;

    TRY(check_contract(t, forms_contracts[0], &contract));
    for (int i = 0; i <= SURETY_SUBSET_GRAMMAR; i++) {
        TRY(surety_strict_of(contract, (surety_subset)i, &strict, NULL));
        TRY(surety_strict_of(contract, (surety_subset)i, &again, NULL));
        CHECK(strict == again);
        TRY(surety_strict_delivered(strict, &delivered, NULL));
        TRY(surety_strict_delivered(strict, &twice, NULL));
        CHECK(delivered == twice);
    }
    TRY(surety_contract_schema_text(contract, &text, NULL));
    TRY(surety_contract_schema_text(contract, &same, NULL));
    CHECK(text.ptr == same.ptr);
    CHECK_TEXT(text, "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":"
                     "{\"n\":{\"type\":\"integer\",\"maximum\":10},\"o\":{"
                     "\"type\":\"string\"}}}");
    EXPECT(SURETY_MISUSE, surety_contract_schema_text(NULL, &text, NULL));
    EXPECT(SURETY_MISUSE, surety_strict_delivered(NULL, &delivered, NULL));
done:
    surety_contract_free(contract);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"one contract gives what a fresh one gives",
         one_contract_gives_what_a_fresh_one_gives},
        {"eight threads and one contract", eight_threads_and_one_contract},
        {"out of memory is for one call", out_of_memory_is_for_one_call},
        {"a form is made once", a_form_is_made_once},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
