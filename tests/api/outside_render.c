/* SPDX-License-Identifier: Apache-2.0 */
/* outside_render.c: a program that knows libsurety-render only as it is
 * installed: a table as CSV, and statistics, of which there are none. */
#include <surety-render.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    surety_doc *doc = surety_doc_new(NULL);
    surety_rendering *all = NULL;
    surety_stats *stats = NULL;
    surety_error error;
    surety_buf out;
    int good = 0;

    surety_buf_init(&out, NULL, 0);
    if (surety_doc_read(doc,
                        surety_str_of("{\"tables\": [{}],"
                                      "\"data\": [[\"answer\"], [42]]}"),
                        NULL, &error) == SURETY_OK &&
        surety_rendering_new(surety_doc_root(doc), NULL, &all, &error) ==
            SURETY_OK &&
        surety_rendering_draw(all, 0, &out, &error) == SURETY_OK &&
        surety_stats_new(NULL, &stats, &error) == SURETY_OK)
        good =
            out.len == 12 && memcmp(out.ptr, "answer\r\n42\r\n", 12) == 0 &&
            surety_stats_draw(stats, NULL, &out, NULL, &error) == SURETY_SYNTAX;
    printf("%s\n", good ? "42" : error.message);
    surety_stats_free(stats);
    surety_rendering_free(all);
    surety_doc_free(doc);
    surety_buf_done(&out);
    return good ? 0 : 1;
}
