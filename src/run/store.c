/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a run: an arena for texts that live as long as the run, a
 * buffer for the text being written, and a flag for out of memory. A long text
 * is not copied to the arena: it keeps its buffer.
 *
 * Invariants:
 * 1. NOMEM is never reset: functions go on with empty texts, and the state
 *    machine checks after each step.
 * 2. The buffer is empty between two texts. */
#include "run/run.h"

enum { STORE_LONG = 1 << 14 };

void surety__store_init(surety__run_store *store, const surety_alloc *alloc)
{
    store->alloc = alloc;
    surety__arena_init(&store->arena, alloc, 0);
    surety__arena_init(&store->scratch, alloc, 0);
    surety_buf_init(&store->text, alloc, 0);
}

void surety__store_done(surety__run_store *store)
{
    for (surety__long_text *one = store->texts; one; one = one->next)
        surety_buf_done(&one->text);
    surety_buf_done(&store->text);
    surety__arena_done(&store->scratch);
    surety__arena_done(&store->arena);
}

surety_status surety__store_pass(surety__run_store *store, surety_status status)
{
    if (status == SURETY_NOMEM)
        store->status = SURETY_NOMEM;
    return status;
}

surety_str surety__store_copy(surety__run_store *store, surety_str text)
{
    surety_str copy = {"", 0};

    assert(text.ptr || !text.len);
    if (!text.len)
        return copy;
    copy = surety__arena_text(&store->arena, text);
    if (copy.ptr)
        return copy;
    store->status = SURETY_NOMEM;
    return (surety_str){"", 0};
}

surety_str surety__store_utf8(surety__run_store *store, surety_str text)
{
    if (surety__utf8_valid(text, NULL))
        return text;
    surety__buf_utf8(&store->text, text);
    return surety__store_keep(store);
}

surety_issue surety__store_issue(surety__run_store *store,
                                 const surety_issue *issue)
{
    return (surety_issue){
        .keyword = surety__store_copy(store, issue->keyword),
        .instance_location =
            surety__store_copy(store, issue->instance_location),
        .keyword_location = surety__store_copy(store, issue->keyword_location),
        .absolute_keyword_location =
            surety__store_copy(store, issue->absolute_keyword_location),
        .message = surety__store_copy(store, issue->message),
        .hint = surety__store_copy(store, issue->hint),
        .position = issue->position,
    };
}

/* Keeps the text in its buffer, and makes a new one for the next text. */
static surety_str store_take(surety__run_store *store)
{
    surety__long_text *taken =
        surety__arena_take(&store->arena, sizeof(*taken));

    if (!taken) {
        store->status = SURETY_NOMEM;
        return (surety_str){"", 0};
    }
    *taken = (surety__long_text){store->texts, store->text};
    store->texts = taken;
    surety_buf_init(&store->text, store->alloc, 0);
    return surety_buf_str(&taken->text);
}

surety_str surety__store_keep(surety__run_store *store)
{
    surety_str text = {"", 0};

    if (store->text.status != SURETY_OK)
        store->status = SURETY_NOMEM;
    else if (store->text.len >= STORE_LONG)
        text = store_take(store);
    else
        text = surety__store_copy(store, surety_buf_str(&store->text));
    surety_buf_reset(&store->text);
    return text;
}

bool surety__store_written(surety__run_store *store, surety_status status,
                           surety_str *ret_text)
{
    if (status == SURETY_OK) {
        *ret_text = surety__store_keep(store);
        return true;
    }
    surety_buf_reset(&store->text);
    (void)surety__store_pass(store, status);
    return false;
}

surety_doc *surety__store_doc(surety__run_store *store, surety_doc **doc)
{
    if (!*doc)
        *doc = surety_doc_new(store->alloc);
    if (!*doc)
        store->status = SURETY_NOMEM;
    return *doc;
}

void *surety__store_scratch(surety__run_store *store, size_t size)
{
    void *block = surety__arena_take(&store->scratch, size);

    if (!block)
        store->status = SURETY_NOMEM;
    return block;
}
