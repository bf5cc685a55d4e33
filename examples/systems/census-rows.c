/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of an answer are what the Census API gave, and not what the model
 * says that it gave. The check is a validator: the model reads which value is
 * wrong and which it should be, and answers again.
 *
 * 1. A column of the answer is one of a result: by its name, or by the label
 *    that `variables` gives that name; or it is Year, the year of a call.
 * 2. The values of a row are those of rows of results that are equal to it in
 *    every column of both. So columns and rows may be left out, rows sorted,
 *    results joined and years put below each other, and nothing can be added.
 * 3. Values are equal as texts, thousands commas aside.
 * 4. So is a number with such commas in the text of the answer: what the model
 *    has computed is no figure of the Census Bureau. */
#include "census.h"

#include <stdlib.h>
#include <string.h>

enum { ISSUES_MAX = 8 };

struct check {
    const surety_validation *validation;
    surety_val data; /* of the answer; its first row is the header */
    size_t columns;
    struct census_results results;
    bool *proven; /* columns of the row at hand */
    size_t issues;
    surety_status status;
};

/* Adds an issue at a value of the answer. */
static void add(struct check *check, surety_val at, const char *says,
                surety_str what)
{
    surety_buf where, text;

    surety_buf_init(&where, NULL, 0);
    surety_buf_init(&text, NULL, 0);
    surety_val_pointer(at, &where);
    surety_buf_text(&text, says);
    if (what.len)
        surety_json_string(&text, what);
    check->issues++;
    check->status = where.status ? where.status : text.status;
    if (!check->status)
        check->status =
            surety_validation_add(check->validation, surety_buf_str(&where),
                                  surety_buf_str(&text), STR(""));
    surety_buf_done(&where);
    surety_buf_done(&text);
}

static void check_row(struct check *check, surety_val row)
{
    surety_str near = {NULL, 0}; /* what the nearest row has instead */
    surety_val at = row;
    size_t most = 0, proven = 0, equal;

    if (surety_val_count(row) != check->columns) {
        add(check, row, "the row is not as long as the header", near);
        return;
    }
    memset(check->proven, 0, check->columns);
    for (size_t t = 0; t < check->results.count; t++) {
        const struct census_result *result = &check->results.items[t];
        const surety_val root = surety_doc_root(result->given);

        SURETY_EACH (given, result->from ? root : surety_val_none()) {
            const size_t other =
                given.index == surety_val_first(root).index
                    ? 0
                    : census_compare(result, row, given, &equal);

            if (other == check->columns) {
                for (size_t i = 0; i < check->columns; i++)
                    check->proven[i] |= census_has(result, i);
            } else if (other && equal > most) {
                most = equal;
                near = census_cell(result, given, other);
                at = surety_val_item(row, other);
            }
        }
    }
    for (size_t i = 0; i < check->columns; i++)
        proven += check->proven[i];
    if (proven < check->columns)
        add(check, at,
            most ? "get_data gave here " : "no result of get_data has this row",
            near);
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Numbers with thousands commas in the text. */
static void check_text(struct check *check, surety_val text)
{
    const surety_str all = surety_val_str(text);

    for (size_t i = 0, end; i < all.len; i = end + 1) {
        bool known = false;
        size_t commas = 0;

        for (end = i; end < all.len; end++) {
            const bool inside =
                end > i && end + 1 < all.len && is_digit(all.ptr[end + 1]);

            if (!is_digit(all.ptr[end]) &&
                !(inside && (all.ptr[end] == ',' || all.ptr[end] == '.')))
                break;
            commas += all.ptr[end] == ',';
        }
        if (!commas)
            continue;
        SURETY_EACH (row, check->data)
            SURETY_EACH (value, row)
                known = known || census_same((surety_str){all.ptr + i, end - i},
                                             census_text(value));
        if (!known)
            add(check, text, "no row has the figure ",
                (surety_str){all.ptr + i, end - i});
    }
}

/* Every column is one of a result. */
static void check_header(struct check *check, surety_val header)
{
    size_t column = 0;

    SURETY_EACH (name, header) {
        bool known = false;

        for (size_t i = 0; i < check->results.count; i++)
            known = known || census_has(&check->results.items[i], column);
        if (!known && !check->status)
            add(check, name,
                "no result of get_data has this column: name it as there, or "
                "Year, or say in variables which code it stands for",
                STR(""));
        column++;
    }
}

static void check_answer(struct check *check, surety_val answer)
{
    const surety_val success =
        surety_val_at(answer, STR("/census_data/success"));
    const surety_val header = surety_val_first(check->data);
    bool any = false;

    for (size_t i = 0; i < check->results.count; i++)
        any = any || check->results.items[i].from;
    if (!any && surety_val_bool(success, false))
        add(check, success, "no call of get_data has given rows", STR(""));
    else
        check_header(check, header);
    if (check->status || check->issues)
        return; /* what follows from it is no further mistake */
    SURETY_EACH (row, check->data)
        if (row.index != header.index && !check->status &&
            check->issues < ISSUES_MAX)
            check_row(check, row);
    if (!check->status && !check->issues)
        check_text(check, surety_val_get(answer, "answer_text"));
}

surety_status census_check_rows(void *ctx, const surety_validation *validation,
                                surety_error *err)
{
    const surety_val given = surety_val_get(validation->given, "census_data");
    struct check check = {.validation = validation,
                          .data = surety_val_get(given, "data")};
    const surety_val header = surety_val_first(check.data);

    (void)err;
    check.columns = surety_val_count(header);
    check.proven = calloc(check.columns + 1, sizeof(bool));
    check.status = check.proven
                       ? census_results_open(*(surety_run *const *)ctx, header,
                                             surety_val_get(given, "variables"),
                                             &check.results)
                       : SURETY_NOMEM;
    if (!check.status)
        check_answer(&check, validation->given);
    census_results_close(&check.results);
    free(check.proven);
    return check.status;
}
