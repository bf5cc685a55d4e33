/* SPDX-License-Identifier: Apache-2.0 */
/* A contract: any bytes. What must hold: types are made of it, or SURETY_LIMIT;
 * the same the second time; both texts are marked as untouched, end with a line
 * feed, and have no comment or string that goes on past its line's end. */
#include <surety/gen.h>

#include <string.h>

#include "fuzz.h"

/* Walks text as C reads it: outside, in a comment, in a string. */
static void look(surety_str text)
{
    bool in_comment = false, in_string = false;

    must(text.len > 0 && text.ptr[text.len - 1] == '\n');
    for (size_t i = 0; i + 1 < text.len; i++) {
        const char byte = text.ptr[i], next = text.ptr[i + 1];

        must((unsigned char)byte >= ' ' || byte == '\n');
        must(!(byte == '?' && next == '?'));
        if (in_comment) {
            must(!(byte == '/' && next == '*'));
            in_comment = !(byte == '*' && next == '/');
            i += !in_comment;
        } else if (in_string) {
            must(byte != '\n');
            in_string = byte != '"';
            i += byte == '\\';
        } else if (byte == '/' && next == '*') {
            in_comment = true;
            i++;
        } else {
            in_string = byte == '"';
        }
    }
    must(!in_comment && !in_string);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const surety_str text = {(const char *)data, size};
    surety_contract *contract = NULL;
    const surety_contract *given;
    surety_gen *gen = NULL, *again = NULL;
    surety_status status;

    if (surety_contract_read(text, NULL, &contract, NULL) != SURETY_OK)
        return 0;
    given = contract;
    status = surety_gen_new(&given, 1, NULL, &gen, NULL);
    must(status == SURETY_OK || status == SURETY_LIMIT);
    if (status == SURETY_OK) {
        must(surety_gen_new(&given, 1, NULL, &again, NULL) == SURETY_OK);
        must(surety_str_equal(surety_gen_info_of(gen)->header,
                              surety_gen_info_of(again)->header));
        must(surety_str_equal(surety_gen_info_of(gen)->source,
                              surety_gen_info_of(again)->source));
        must(surety_gen_is_untouched(surety_gen_info_of(gen)->header));
        must(surety_gen_is_untouched(surety_gen_info_of(gen)->source));
        look(surety_gen_info_of(gen)->header);
        look(surety_gen_info_of(gen)->source);
    }
    surety_gen_free(gen);
    surety_gen_free(again);
    surety_contract_free(contract);
    return 0;
}
