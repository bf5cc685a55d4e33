/* SPDX-License-Identifier: Apache-2.0 */
/* forms.c: the forms of a contract, made when a call first needs them: a
 * provider's schema, the contract of delivered values, the texts of a prompt.
 * A contract owns its forms, so only the first call pays for one.
 *
 * Invariants:
 * 1. A form is made under the contract's lock and is complete when it can be
 *    seen. After that it does not change, and is read without the lock.
 * 2. A failure that the contract is the reason of (LIMIT, UNSUPPORTED) is kept
 *    as the form would be. Any other, out of memory first of all, is reported
 *    by that call alone, and the next call tries again.
 * 3. A recipe takes no other form of the same contract: its caller gives it the
 *    form that it is made from. So a lock is never taken twice. */
#include "contract/contract.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct form_slot {
    atomic_bool done; /* made or fault is set */
    void *made;
    void (*free)(void *made);
    surety_error *fault;
} form_slot;

struct surety__form_slots {
    pthread_mutex_t lock;
    form_slot slots[CONTRACT_FORMS];
};

bool surety__forms_begin(surety_contract *contract)
{
    surety__form_slots *forms = surety__new(contract->alloc, sizeof(*forms));

    if (forms && pthread_mutex_init(&forms->lock, NULL)) {
        surety__free(contract->alloc, forms, sizeof(*forms));
        forms = NULL;
    }
    contract->forms = forms;
    return forms != NULL;
}

void surety__forms_end(surety_contract *contract)
{
    surety__form_slots *forms = contract->forms;

    if (!forms)
        return;
    for (size_t i = CONTRACT_FORMS; i > 0; i--) {
        form_slot *slot = &forms->slots[i - 1];

        if (slot->made)
            slot->free(slot->made);
        surety__free(contract->alloc, slot->fault, sizeof(*slot->fault));
    }
    pthread_mutex_destroy(&forms->lock);
    surety__free(contract->alloc, forms, sizeof(*forms));
}

/* Makes the form of a slot, or keeps why there is none. */
static surety_status form_make(const surety_contract *contract, form_slot *slot,
                               const surety__recipe *recipe,
                               surety_error *reterr)
{
    surety_error cause = {.status = SURETY_OK};
    const surety_status status =
        recipe->make(contract, recipe->from, &slot->made, &cause);

    slot->free = recipe->free;
    if (status == SURETY_LIMIT || status == SURETY_UNSUPPORTED) {
        slot->fault = surety__new(contract->alloc, sizeof(*slot->fault));
        if (slot->fault)
            *slot->fault = cause;
    }
    if (status != SURETY_OK && reterr)
        *reterr = cause;
    assert((status == SURETY_OK) == (slot->made != NULL));
    atomic_store_explicit(&slot->done, slot->made || slot->fault,
                          memory_order_release);
    return status;
}

surety_status surety__form_of(const surety_contract *contract,
                              surety__contract_form which,
                              const surety__recipe *recipe,
                              const void **ret_form, surety_error *reterr)
{
    surety__form_slots *forms = contract->forms;
    form_slot *slot = &forms->slots[which];
    surety_status status = SURETY_OK;

    assert((unsigned)which < CONTRACT_FORMS);
    if (!atomic_load_explicit(&slot->done, memory_order_acquire)) {
        pthread_mutex_lock(&forms->lock);
        if (!atomic_load_explicit(&slot->done, memory_order_relaxed))
            status = form_make(contract, slot, recipe, reterr);
        pthread_mutex_unlock(&forms->lock);
        if (status != SURETY_OK)
            return status;
    }
    if (slot->fault) {
        if (reterr)
            *reterr = *slot->fault;
        return slot->fault->status;
    }
    *ret_form = slot->made;
    return SURETY_OK;
}

const void *surety__form_made(const surety_contract *contract,
                              surety__contract_form which)
{
    const form_slot *slot = &contract->forms->slots[which];

    assert((unsigned)which < CONTRACT_FORMS);
    return atomic_load_explicit(&slot->done, memory_order_acquire) ? slot->made
                                                                   : NULL;
}

/* ---- texts --------------------------------------------------------------- */

typedef struct form_text {
    surety_buf text;
    const surety_alloc *alloc;
} form_text;

typedef struct form_draft {
    surety__form_write *write;
    const void *from;
} form_draft;

static void form_text_free(void *made)
{
    form_text *text = made;
    const surety_alloc *alloc = text->alloc;

    surety_buf_done(&text->text);
    surety__free(alloc, text, sizeof(*text));
}

static surety_status form_text_make(const surety_contract *contract,
                                    const void *from, void **ret_made,
                                    surety_error *reterr)
{
    const form_draft *draft = from;
    form_text *text = surety__new(contract->alloc, sizeof(*text));
    surety_status status;

    if (!text)
        return surety__fail_nomem(reterr);
    text->alloc = contract->alloc;
    surety_buf_init(&text->text, contract->alloc, 0);
    status = draft->write(contract, draft->from, &text->text, reterr);
    if (status == SURETY_NOMEM || text->text.status != SURETY_OK)
        status = surety__fail_nomem(reterr);
    if (status == SURETY_OK)
        *ret_made = text;
    else
        form_text_free(text);
    return status;
}

surety_status surety__form_text(const surety_contract *contract,
                                surety__contract_form which,
                                surety__form_write *write, const void *from,
                                surety_str *ret_text, surety_error *reterr)
{
    const form_draft draft = {write, from};
    const surety__recipe recipe = {form_text_make, form_text_free, &draft};
    const void *made = NULL;
    const surety_status status =
        surety__form_of(contract, which, &recipe, &made, reterr);

    if (status == SURETY_OK)
        *ret_text = surety_buf_str(&((const form_text *)made)->text);
    return status;
}

/* ---- the schema as text -------------------------------------------------- */

static surety_status form_write_schema(const surety_contract *contract,
                                       const void *from, surety_buf *out,
                                       surety_error *reterr)
{
    const surety_val root = surety_doc_root(contract->doc);
    const char *separator = "{";

    (void)from;
    (void)reterr;
    if (surety_val_kind(root) != SURETY_KIND_OBJECT) {
        (void)surety_val_write(root, SURETY_STYLE_COMPACT, out);
        return SURETY_OK;
    }
    SURETY_EACH (member, root) {
        const surety_val key = surety_val_key(member);

        if (surety_val_is(key, "x-surety"))
            continue;
        surety_buf_text(out, separator);
        (void)surety_val_write(key, SURETY_STYLE_COMPACT, out);
        surety_buf_byte(out, ':');
        (void)surety_val_write(member, SURETY_STYLE_COMPACT, out);
        separator = ",";
    }
    surety_buf_text(out, *separator == '{' ? "{}" : "}");
    return SURETY_OK;
}

surety_status surety_contract_schema_text(const surety_contract *contract,
                                          surety_str *ret_text,
                                          surety_error *reterr)
{
    if (!contract || !ret_text)
        return surety__fail(
            reterr, SURETY_MISUSE,
            "a contract and an address for the text are needed");
    return surety__form_text(contract, CONTRACT_SCHEMA, form_write_schema, NULL,
                             ret_text, reterr);
}
