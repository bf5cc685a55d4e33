/* SPDX-License-Identifier: Apache-2.0 */
/* The results of the calls of get_data in a run, seen from the header of an
 * answer: which of its columns each of them has. */
#include "census.h"

#include <stdlib.h>

enum { NONE = -1, YEAR = -2 };

surety_str census_text(surety_val value)
{
    return surety_val_kind(value) == SURETY_KIND_STRING
               ? surety_val_str(value)
               : surety_val_number(value);
}

bool census_same(surety_str a, surety_str b)
{
    for (size_t i = 0, k = 0;; i++, k++) {
        while (i < a.len && a.ptr[i] == ',')
            i++;
        while (k < b.len && b.ptr[k] == ',')
            k++;
        if (i == a.len || k == b.len)
            return i == a.len && k == b.len;
        if (a.ptr[i] != b.ptr[k])
            return false;
    }
}

bool census_has(const struct census_result *result, size_t column)
{
    return result->from && result->from[column] != NONE;
}

surety_str census_cell(const struct census_result *result, surety_val row,
                       size_t column)
{
    const int from = result->from[column];

    return census_text(
        from == YEAR ? surety_val_get(surety_doc_root(result->asked), "year")
                     : surety_val_item(row, (size_t)from));
}

size_t census_compare(const struct census_result *result, surety_val row,
                      surety_val given, size_t *ret_equal)
{
    size_t i = 0;

    *ret_equal = 0;
    SURETY_EACH (value, row) {
        if (census_has(result, i)) {
            if (!census_same(census_text(value), census_cell(result, given, i)))
                break;
            ++*ret_equal;
        }
        i++;
    }
    return i;
}

/* ---- opening ------------------------------------------------------------- */

/* The index of a column in the first row of a result. */
static int column_of(surety_val head, surety_str name)
{
    int i = 0;

    SURETY_EACH (one, head) {
        if (surety_str_equal(surety_val_str(one), name))
            return i;
        i++;
    }
    return NONE;
}

static void find_columns(struct census_result *result, surety_val header,
                         surety_val labels)
{
    const surety_val head = surety_val_first(surety_doc_root(result->given));
    size_t i = 0;

    SURETY_EACH (one, header) {
        const surety_str name = surety_val_str(one);
        int from = column_of(head, name);

        SURETY_EACH (label, labels)
            if (from == NONE && surety_str_equal(surety_val_str(label), name))
                from = column_of(head, surety_val_str(surety_val_key(label)));
        if (from == NONE && (surety_str_equal(name, STR("Year")) ||
                             surety_str_equal(name, STR("year"))))
            from = YEAR;
        result->from[i++] = from;
    }
}

/* Reads one call. A result that is no JSON is that of a repeated call, which
 * has a note behind it: the first one counts. */
static surety_status read_use(surety_tool_use use, surety_val header,
                              surety_val labels, struct census_result *result)
{
    surety_status status;

    result->asked = surety_doc_new(NULL);
    result->given = surety_doc_new(NULL);
    if (!result->asked || !result->given)
        return SURETY_NOMEM;
    status = surety_doc_read(result->asked, use.arguments, NULL, NULL);
    if (!status)
        status = surety_doc_read(result->given, use.result, NULL, NULL);
    if (status)
        return status == SURETY_NOMEM ? status : SURETY_OK;
    result->from = calloc(surety_val_count(header) + 1, sizeof(int));
    if (!result->from)
        return SURETY_NOMEM;
    find_columns(result, header, labels);
    return SURETY_OK;
}

surety_status census_results_open(const surety_run *run, surety_val header,
                                  surety_val labels,
                                  struct census_results *results)
{
    const size_t count = surety_run_info_of(run)->tool_use_count;
    surety_status status = SURETY_OK;

    results->items = calloc(count + 1, sizeof(*results->items));
    if (!results->items)
        return SURETY_NOMEM;
    results->count = count;
    for (size_t i = 0; !status && i < count; i++) {
        const surety_tool_use use = surety_run_tool_use(run, i);

        if (!use.failure && surety_str_equal(use.name, STR("get_data")))
            status = read_use(use, header, labels, &results->items[i]);
    }
    return status;
}

void census_results_close(struct census_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        surety_doc_free(results->items[i].asked);
        surety_doc_free(results->items[i].given);
        free(results->items[i].from);
    }
    free(results->items);
}
