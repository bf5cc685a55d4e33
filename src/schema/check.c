/* SPDX-License-Identifier: Apache-2.0 */
/* The checker: one thread's scratch memory, and the two ways to use
 * the machine: whether a value is valid, and what is wrong with it. */
#include "schema/findings.h"
#include "schema/machine.h"
#include "schema/schema.h"

surety_checker *surety_checker_new(const surety_alloc *alloc,
                                   const surety_limits *limits)
{
    surety_checker *checker = surety__new(alloc, sizeof(*checker));

    if (!checker)
        return NULL;
    checker->machine.alloc = alloc;
    checker->machine.limits = surety_limits_of(limits);
    checker->machine.matcher =
        surety__matcher_new(alloc, &checker->machine.limits);
    if (!checker->machine.matcher) {
        surety__free(alloc, checker, sizeof(*checker));
        return NULL;
    }
    return checker;
}

void surety_checker_free(surety_checker *checker)
{
    surety__machine *machine;

    if (!checker)
        return;
    machine = &checker->machine;
    surety__free(machine->alloc, machine->frames,
                 machine->frame_cap * sizeof(*machine->frames));
    surety__free(machine->alloc, machine->bits,
                 machine->bits_cap * sizeof(*machine->bits));
    surety__free(machine->alloc, machine->hashes,
                 machine->hash_cap * sizeof(*machine->hashes));
    surety__map_done(&machine->memo.results, machine->alloc);
    surety_doc_free(machine->content);
    surety__completion_free(machine->alloc, checker->completion);
    surety_doc_free(checker->text);
    surety__matcher_free(machine->matcher);
    surety__free(machine->alloc, checker, sizeof(*checker));
}

/* How the machine ended; reterr may still be empty. */
static surety_status checker_end(surety__machine *machine, surety_error *reterr)
{
    machine->reterr = NULL;
    return machine->status == SURETY_NOMEM ? surety__fail_nomem(reterr)
                                           : machine->status;
}

surety_status surety_checker_check(surety_checker *checker,
                                   const surety_schema *schema, surety_val val,
                                   bool *ret_valid, surety_error *reterr)
{
    surety__machine *machine;
    unsigned how;

    if (!checker || !schema || !val.doc || !ret_valid)
        return surety__fail(reterr, SURETY_MISUSE, "there is nothing to check");
    /* What the kind of the value decides needs no machine. */
    how = schema->root->direct->how[surety__cell_of(val)->kind];
    if (how <= HOW_YES) {
        *ret_valid = how == HOW_YES;
        return SURETY_OK;
    }
    machine = &checker->machine;
    surety__machine_start(machine, schema, val, MODE_VALIDITY, reterr);
    surety__machine_remember(machine);
    if (surety__shape_holds(machine, schema->root, surety__cell_of(val),
                            BITS_NONE))
        *ret_valid = machine->result;
    return checker_end(machine, reterr);
}

surety_status surety_checker_check_text(surety_checker *checker,
                                        const surety_schema *schema,
                                        surety_str text,
                                        const surety_read_options *options,
                                        bool *ret_valid, surety_error *reterr)
{
    surety_read_options read;
    surety_status status;

    if (!checker || !schema || (!text.ptr && text.len) || !ret_valid)
        return surety__fail(reterr, SURETY_MISUSE, "there is nothing to check");
    if (surety__options_take(&read, sizeof(read), options, reterr))
        return SURETY_MISUSE;
    read.flags |= SURETY_READ_BORROW;
    if (!checker->text)
        checker->text = surety_doc_new(checker->machine.alloc);
    if (!checker->text)
        return surety__fail_nomem(reterr);
    status = surety_doc_read(checker->text, text, &read, reterr);
    if (status)
        return status;
    return surety_checker_check(checker, schema, surety_doc_root(checker->text),
                                ret_valid, reterr);
}

surety_status surety__shape_check(surety_checker *checker,
                                  const surety_schema *schema,
                                  const surety__shape *shape, surety_val val,
                                  uint64_t *work, bool *ret_valid)
{
    surety__machine *machine = &checker->machine;

    surety__machine_start(machine, schema, val, MODE_VALIDITY, NULL);
    machine->work = *work;
    surety__machine_remember(machine);
    if (surety__shape_holds(machine, shape->direct, surety__cell_of(val),
                            BITS_NONE))
        *ret_valid = machine->result;
    *work = machine->work + machine->memo.work;
    return machine->status;
}

surety_status surety__conjunction_check(surety_checker *checker,
                                        const surety_schema *schema,
                                        const surety__conjunction *all,
                                        surety_val val, uint64_t *work,
                                        bool *ret_valid)
{
    surety_status status = SURETY_OK;
    bool valid = true;

    for (size_t i = 0; i < all->count && valid && status == SURETY_OK; i++)
        status = surety__shape_check(checker, schema, all->items[i].shape, val,
                                     work, &valid);
    if (status == SURETY_OK)
        *ret_valid = valid;
    return status;
}

surety_status surety_checker_report(surety_checker *checker,
                                    const surety_schema *schema, surety_val val,
                                    surety_findings *findings,
                                    surety_error *reterr)
{
    surety__step root = {.index = UINT32_MAX};
    surety__machine *machine;
    surety_status status;
    bool valid = false;

    if (!checker || !schema || !val.doc || !findings)
        return surety__fail(reterr, SURETY_MISUSE,
                            "there is nothing to report on");
    surety__findings_reset(findings);
    findings->doc = val.doc;
    machine = &checker->machine;
    machine->findings = findings;
    machine->passed.open = !schema->dynamic;
    machine->passed.count = 0;
    status = surety_checker_check(checker, schema, val, &valid, reterr);
    if (!status && !valid) {
        surety__machine_start(machine, schema, val, MODE_REPORT, reterr);
        surety__machine_remember(machine);
        surety__shape_report(machine, schema->root, surety__cell_of(val), root);
        status = checker_end(machine, reterr);
    }
    machine->passed.open = false;
    return status;
}
