/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a contract for a provider's subset: its shapes become nodes
 * (make.c), the nodes are settled (settle.c), the graph is searched for
 * recursion (limits.c) and written (write.c). What a provider would refuse is
 * a note. Only out of memory and the compiler's own limits are failures. The
 * result is a form of the contract (contract/forms.c). */
#include "strict/node.h"

static void strict_name(surety_strict *strict)
{
    const surety_contract_info *contract =
        surety_contract_info_of(strict->contract);
    surety_buf name;

    surety_buf_init(&name, strict->alloc, 0);
    surety__strict_plain(
        &name, contract->name.len ? contract->name : SURETY__LITERAL("reply"),
        64, "");
    strict->info.name = surety__arena_buf(&strict->arena, &name);
    strict->info.description =
        surety_val_str(surety_val_get(contract->root, "description"));
}

/* Checks whether the provider accepts the root as it is, and wraps it
 * otherwise. */
static void strict_root(surety_strict *strict)
{
    const surety__node *root = strict->root;
    const bool object = root->form == NODE_VALUE &&
                        root->types == TYPE_OBJECT && !root->choice_count;

    assert(root->is_made && root->ordinal == 1);
    if (root->form == NODE_NEVER) {
        surety__strict_add_note(strict, SURETY_STRICT_IMPOSSIBLE, root->origin,
                                "correct the schema", "no value satisfies it");
        return;
    }
    strict->wrapped = strict->subset->traits & SUBSET_ROOT_OBJECT && !object;
    if (strict->wrapped)
        surety__strict_rewritten(strict, root->origin,
                                 "it is requested as the only property of an "
                                 "object, and unwrapped afterwards",
                                 "takes only an object at the root");
}

static surety_status strict_too_large(surety_strict *strict,
                                      surety_error *reterr)
{
    if (strict->status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    surety__fail(reterr, strict->status,
                 "the schema grows too large for %s when references and unions "
                 "are written out",
                 strict->subset->title);
    surety__hint(reterr, "use fewer unions beside each other");
    return strict->status;
}

/* Completes what callers see. */
static void strict_finish(surety_strict *strict)
{
    surety_buf text;

    strict->info.size = sizeof(strict->info);
    if (strict->info.support != SURETY_STRICT_IMPOSSIBLE) {
        strict->info.schema = surety_doc_root(strict->doc);
        surety_buf_init(&text, strict->alloc, 0);
        surety_val_write(strict->info.schema, SURETY_STYLE_COMPACT, &text);
        strict->info.text = surety__arena_buf(&strict->arena, &text);
    }
    surety__strict_locate(strict);
    strict->info.notes = strict->notes;
    strict->info.note_count = strict->note_count;
    strict->info.changes_values = strict->wrapped || strict->root->changes;
}

static void strict_free(void *made)
{
    surety_strict *strict = made;

    surety_doc_free(strict->doc);
    surety__map_done(&strict->marks, strict->alloc);
    surety__graph_done(&strict->graph);
    surety__free(strict->alloc, strict->notes,
                 strict->note_cap * sizeof(*strict->notes));
    surety__free(strict->alloc, strict->places,
                 strict->place_cap * sizeof(*strict->places));
    surety__free(strict->alloc, strict->nodes,
                 strict->node_cap * sizeof(*strict->nodes));
    surety__arena_done(&strict->arena);
    surety__free(strict->alloc, strict, sizeof(*strict));
}

/* The recipe: `from` is the subset's row. */
static surety_status strict_make(const surety_contract *contract,
                                 const void *from, void **ret_made,
                                 surety_error *reterr)
{
    surety_strict *strict = surety__new(contract->alloc, sizeof(*strict));
    surety_status status;

    if (!strict)
        return surety__fail_nomem(reterr);
    strict->alloc = contract->alloc;
    strict->contract = contract;
    strict->subset = from;
    surety__arena_init(&strict->arena, strict->alloc, 0);
    strict->arena.status = &strict->status;
    strict->work = STRICT_WORK_MAX;
    strict->graph = (surety__graph){.arena = &strict->arena,
                                    .limits = &contract->limits,
                                    .work = &strict->work};
    strict_name(strict);
    strict->root = surety__node_of(
        strict, CONJUNCTION_OF(surety_contract_info_of(contract)->schema->root),
        TYPE_ANY);
    if (strict->root && strict->status == SURETY_OK &&
        surety__node_make_all(strict) == SURETY_OK) {
        strict_root(strict);
        if (strict->status == SURETY_OK)
            surety__strict_walk(strict);
        if (strict->status == SURETY_OK &&
            strict->info.support != SURETY_STRICT_IMPOSSIBLE)
            surety__strict_write(strict, reterr);
    }
    if (strict->status == SURETY_OK)
        strict_finish(strict);
    status = strict->status;
    if (status != SURETY_OK) {
        strict_too_large(strict, reterr);
        strict_free(strict);
        return status;
    }
    *ret_made = strict;
    return SURETY_OK;
}

surety_status surety_strict_of(const surety_contract *contract,
                               surety_subset subset,
                               const surety_strict **ret_strict,
                               surety_error *reterr)
{
    const surety__recipe recipe = {strict_make, strict_free,
                                   surety__subset_of(subset)};
    const void *made = NULL;
    surety_status status;

    if (!contract || !recipe.from || !ret_strict)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a contract, a known subset and an address for the "
                            "result are needed");
    status = surety__form_of(contract, CONTRACT_STRICT + subset, &recipe, &made,
                             reterr);
    if (status == SURETY_OK)
        *ret_strict = made;
    return status;
}

const surety_strict_info *surety_strict_info_of(const surety_strict *strict)
{
    return &strict->info;
}
