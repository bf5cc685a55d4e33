/* SPDX-License-Identifier: Apache-2.0 */
/* One iteration of trend: its tools, its contract, and what its reply may
 * claim. A model can write that it looked something up, or saved a file,
 * without having done so. So its actions are held against the calls that its
 * run made. */
#include "trend.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

surety_status trend_tools(const char *path, surety_tools **ret_tools,
                          surety_error *err)
{
    const char *slash = strrchr(path, '/');
    const surety_str folder = {path, slash ? (size_t)(slash - path) + 1 : 0};
    FILE *file = fopen(path, "r");
    surety_status status = SURETY_IO;
    surety_buf text;
    char part[4096];
    size_t len;

    surety_buf_init(&text, NULL, 0);
    while (file && (len = fread(part, 1, sizeof(part), file)) > 0)
        surety_buf_add(&text, (surety_str){part, len});
    if (!file || ferror(file)) {
        err->status = SURETY_IO;
        snprintf(err->message, sizeof(err->message), "%s: %s", path,
                 strerror(errno));
    } else {
        status =
            text.status ? text.status : surety_tools_new(NULL, ret_tools, err);
    }
    if (!status)
        status =
            surety_tools_read(*ret_tools, surety_buf_str(&text), folder, err);
    if (file)
        fclose(file);
    surety_buf_done(&text);
    return status;
}

void trend_put(surety_buf *out, const char *text, surety_val derived,
               const char *name)
{
    surety_buf_text(out, text);
    surety_val_write(surety_val_get(derived, name), SURETY_STYLE_COMPACT, out);
}

/* The contract with the phase of `next` as the only one: what a reply says of
 * itself, and a ledger keeps of it, is then what was asked for. */
static surety_status narrow(const surety_contract *any, surety_val next,
                            surety_contract **ret_contract, surety_error *err)
{
    surety_doc *patch = surety_doc_new(NULL), *made = surety_doc_new(NULL);
    surety_status status = patch && made ? SURETY_OK : SURETY_NOMEM;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    trend_put(
        &text,
        "[{\"op\":\"replace\",\"path\":\"/properties/phase/enum\",\"value\":[",
        next, "phase");
    trend_put(
        &text,
        "]},{\"op\":\"replace\",\"path\":\"/x-surety/prompt/example/phase\","
        "\"value\":",
        next, "phase");
    surety_buf_text(&text, "}]");
    if (!status)
        status = surety_doc_read(patch, surety_buf_str(&text), NULL, err);
    if (!status)
        status =
            surety_patch_apply(surety_doc_root(patch),
                               surety_contract_info_of(any)->root, made, err);
    surety_buf_reset(&text);
    if (!status)
        status = surety_val_write(surety_doc_root(made), SURETY_STYLE_COMPACT,
                                  &text);
    if (!status)
        status = surety_contract_read(surety_buf_str(&text), NULL, ret_contract,
                                      err);
    surety_buf_done(&text);
    surety_doc_free(patch);
    surety_doc_free(made);
    return status;
}

surety_status trend_iterate(const surety_run_options *options, surety_run **run,
                            surety_val next, surety_buf *reports,
                            surety_error *err)
{
    surety_run_options own = *options;
    surety_contract *one = NULL;
    surety_status status = narrow(options->contract, next, &one, err);
    surety_buf why;

    surety_buf_init(&why, NULL, 0);
    own.contract = one;
    if (!status)
        status = surety_run_new(&own, run, err);
    if (!status)
        status = surety_run_wait(*run, NULL, err);
    for (size_t i = 0; i < surety_run_info_of(*run)->tool_use_count; i++) {
        const surety_tool_use use = surety_run_tool_use(*run, i);

        surety_buf_reset(&why);
        surety_json_string(&why, use.message);
        fprintf(stderr, "Call: %.*s %.*s%s%.*s\n", (int)use.name.len,
                use.name.ptr, use.made ? (int)use.arguments.len : 0,
                use.arguments.ptr, use.message.len ? ": " : "",
                use.message.len ? (int)why.len : 0, why.ptr);
    }
    surety_buf_text(reports, ",\"report\":");
    surety_run_write(*run, SURETY_REPORT_JSON, surety_str_of(""), reports);
    surety_buf_byte(reports, '}');
    surety_run_free(*run);
    *run = NULL;
    surety_contract_free(one);
    surety_buf_done(&why);
    return status;
}

/* Adds an issue at PLACE/NUMBER of the value. */
static surety_status object(const surety_validation *validation,
                            const char *place, uint64_t number,
                            const char *message, const char *hint)
{
    surety_status status;
    surety_buf at;

    surety_buf_init(&at, NULL, 0);
    surety_buf_text(&at, place);
    surety_buf_number(&at, number);
    status = at.status ? at.status
                       : surety_validation_add(validation, surety_buf_str(&at),
                                               surety_str_of(message),
                                               surety_str_of(hint));
    surety_buf_done(&at);
    return status;
}

/* Whether the call was made and is the one that the action names. */
static bool is_call(surety_val action, const surety_tool_use *use,
                    surety_doc *doc)
{
    return use->made &&
           surety_str_equal(use->name, surety_val_str(surety_val_get(
                                           action, "tool_name"))) &&
           surety_doc_read(doc, use->arguments, NULL, NULL) == SURETY_OK &&
           surety_val_equal(surety_doc_root(doc),
                            surety_val_get(action, "arguments"));
}

/* Each action is a call, in the order of the calls, and each saved file is an
 * action that saved one. */
surety_status trend_confirm(void *ctx, const surety_validation *validation,
                            surety_error *err)
{
    const surety_run *run = *(surety_run **)ctx;
    const surety_val actions = surety_val_get(validation->value, "actions");
    const surety_val files = surety_val_get(validation->value, "saved_csv");
    surety_doc *doc = surety_doc_new(NULL);
    surety_status status = doc ? SURETY_OK : SURETY_NOMEM;
    bool has_saved[3] = {false}; /* the contract has three actions at most */
    size_t next = 0, number = 0;

    (void)err;
    SURETY_EACH (action, actions) {
        size_t i = next;
        surety_tool_use use = surety_run_tool_use(run, i);

        while (!status && use.name.len && !is_call(action, &use, doc))
            use = surety_run_tool_use(run, ++i);
        if (!status && !use.name.len)
            status = object(validation, "/actions/", number,
                            "no such call was made in this iteration",
                            "list the calls that you made, in their order, "
                            "with the same arguments");
        else
            next = i + 1;
        has_saved[number++] =
            use.failure == SURETY_TOOL_NONE &&
            surety_str_equal(use.name, surety_str_of("save_query_to_csv_tool"));
    }
    number = 0;
    SURETY_EACH (file, files) {
        const size_t index = (size_t)surety_val_uint(
            surety_val_get(file, "corresponding_action_index"), 0);

        if (!status && (index > 2 || !has_saved[index]))
            status = object(validation, "/saved_csv/", number,
                            "the action that it names saved no file",
                            "name an action of save_query_to_csv_tool that "
                            "succeeded");
        number++;
    }
    surety_doc_free(doc);
    return status;
}
