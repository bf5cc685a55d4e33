/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant reader, records: failures, of which only the first counts;
 * repairs; and the byte that the reader waits for. */
#include "json/lenient.h"

enum lenient_step surety__lenient_fail(surety_lenient *lenient, size_t at,
                                       const char *fault)
{
    if (lenient->failure.status == SURETY_OK) {
        lenient->failure.status = SURETY_SYNTAX;
        lenient->failure.fault = fault;
        lenient->failure.at = at;
    }
    return STEP_FAIL;
}

enum lenient_step surety__lenient_limit(surety_lenient *lenient, size_t at,
                                        enum read_fault limit)
{
    if (lenient->failure.status == SURETY_OK) {
        lenient->failure.status = SURETY_LIMIT;
        lenient->failure.limit = limit;
        lenient->failure.at = at;
    }
    return STEP_FAIL;
}

enum lenient_step surety__lenient_nomem(surety_lenient *lenient)
{
    if (lenient->failure.status == SURETY_OK)
        lenient->failure.status = SURETY_NOMEM;
    return STEP_FAIL;
}

enum lenient_step surety__lenient_repair(surety_lenient *lenient,
                                         enum surety__repair_kind kind,
                                         size_t at, size_t len,
                                         const char *read)
{
    const surety__text_repair repair = {.kind = (uint8_t)kind,
                                        .offset = (uint32_t)at,
                                        .len = (uint32_t)len,
                                        .read = read};

    return surety__lenient_repair_as(lenient, &repair);
}

enum lenient_step surety__lenient_repair_as(surety_lenient *lenient,
                                            const surety__text_repair *repair)
{
    const enum surety__repair_kind kind =
        (enum surety__repair_kind)repair->kind;

    assert(repair->offset + (size_t)repair->len <= lenient->end);
    if (lenient->options.strict ||
        (lenient->options.certain_only && surety__repair_kind_is_likely(kind)))
        return surety__lenient_fail(lenient, repair->offset,
                                    surety__repair_kind_about(kind));
    return surety__doc_repair_add(lenient->doc, repair)
               ? surety__lenient_nomem(lenient)
               : STEP_GO;
}

enum lenient_step surety__lenient_skip(surety_lenient *lenient,
                                       enum surety__repair_kind kind,
                                       size_t len, const char *read)
{
    const enum lenient_step step =
        surety__lenient_repair(lenient, kind, lenient->at, len, read);

    if (step == STEP_GO)
        lenient->at += len;
    return step;
}

enum lenient_step surety__lenient_own(surety_lenient *lenient, size_t n)
{
    const surety_status status = surety__doc_own_room(lenient->doc, n);

    if (status == SURETY_LIMIT)
        return surety__lenient_limit(lenient, lenient->at, FAULT_TEXT);
    return status ? surety__lenient_nomem(lenient) : STEP_GO;
}

enum lenient_step surety__lenient_wait(surety_lenient *lenient,
                                       enum lenient_wait sort, size_t at)
{
    lenient->wait.sort = (uint8_t)sort;
    lenient->wait.at = at;
    lenient->wait.most = SIZE_MAX;
    return STEP_WAIT;
}
