/* SPDX-License-Identifier: Apache-2.0 */
/* tools.c: the tools of a configuration, as the text of a tools file.
 *
 * The text is the configuration's with blanks in place of all but the members
 * tools and servers. So whoever reads it finds a mistake in the line and column
 * that it has in the configuration; and the configuration need not know what a
 * tool is. */
#include "config/config.h"

/* Copies the stretch of text from one of its places to another. */
static void tools_keep(char *out, surety_str text, const char *from,
                       const char *end)
{
    memcpy(out + (from - text.ptr), from, (size_t)(end - from));
}

surety_status surety__config_tools(surety_config *config, surety_error *reterr)
{
    const surety_val root = surety_doc_root(config->doc);
    const surety_str text = surety_doc_text(config->doc);
    const surety_str whole = surety_val_text(root);
    const char *const end = whole.ptr + whole.len;
    const char *first_end = NULL; /* of the first of the two */
    char *out;

    if (!surety_val_get(root, "tools").doc &&
        !surety_val_get(root, "servers").doc)
        return SURETY_OK;
    out = surety__arena_take(&config->arena, text.len + 1);
    if (!out)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < text.len; i++)
        out[i] = text.ptr[i] == '\n' || text.ptr[i] == '\r' ? text.ptr[i] : ' ';
    out[whole.ptr - text.ptr] = '{';
    out[whole.ptr + whole.len - 1 - text.ptr] = '}';
    SURETY_EACH (member, root) {
        const surety_val key = surety_val_key(member);
        const surety_str value = surety_val_text(member);

        if (!surety_val_is(key, "tools") && !surety_val_is(key, "servers"))
            continue;
        if (first_end) { /* a comma is the first sign behind it */
            const char *comma =
                memchr(first_end, ',', (size_t)(end - first_end));

            tools_keep(out, text, comma, comma + 1);
        }
        first_end = value.ptr + value.len;
        tools_keep(out, text, surety_val_text(key).ptr, first_end);
    }
    config->info.tools = (surety_str){out, text.len};
    return SURETY_OK;
}
