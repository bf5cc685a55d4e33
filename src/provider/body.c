/* SPDX-License-Identifier: Apache-2.0 */
/* body.c: writes the parts of a request's body that all protocols have, and
 * joins the caller's own members with those that the protocol wrote.
 *
 * Objects that both have are joined member by member, one level deep:
 * protocols nest no deeper where a caller may want to add a member
 * (generationConfig, output_config, text, stream_options). If both set the
 * same member, the caller's value is used if the protocol lists the member as
 * replaceable, and null removes it; otherwise it is SURETY_MISUSE. */
#include "provider/protocol.h"

void surety__body_text(surety_buf *out, surety_str text,
                       const surety_prompt_part *part)
{
    surety_str rest = text;

    assert(part->start <= text.len && part->len <= text.len - part->start);
    if (!part->len) {
        surety_json_string(out, text);
        return;
    }
    text.len = part->start;
    surety__str_skip(&rest, part->start + part->len);
    surety__template_write(out, "\"$e$r$e\"", text, part->json, rest);
}

void surety__body_schema(const surety__tool_spec *spec, surety_buf *out,
                         const char *member)
{
    assert(spec->parameters.len && spec->name.len);
    surety_json_text(out, "name", spec->name);
    if (spec->description.len)
        surety_json_text(out, "description", spec->description);
    surety_json_bool(out, "strict", spec->strict);
    surety__template_write(out, ",'$t':$r", member, spec->parameters);
}

surety__tool_spec surety__call_answer(const surety__call *call)
{
    return (surety__tool_spec){.name = call->schema_name,
                               .description = call->schema_description,
                               .parameters = call->schema,
                               .strict = call->strict};
}

/* Whether the answer is a tool. */
static bool body_has_answer(const surety__call *call)
{
    return call->mode == SURETY_MODE_TOOL && call->schema.len;
}

bool surety__body_tools(const surety__call *call, surety_buf *out,
                        const char *before,
                        void (*write)(const surety__tool_spec *spec,
                                      surety_buf *out))
{
    const surety__tool_spec answer = surety__call_answer(call);

    if (call->mode == SURETY_MODE_PROMPT ||
        (!call->tool_count && !body_has_answer(call)))
        return false;
    surety__template_write(out, before);
    for (size_t i = 0; i < call->tool_count; i++) {
        if (i)
            surety_buf_byte(out, ',');
        if (call->tools[i].raw.len)
            surety_buf_add(out, call->tools[i].raw);
        else
            write(&call->tools[i], out);
    }
    if (body_has_answer(call)) {
        if (call->tool_count)
            surety_buf_byte(out, ',');
        write(&answer, out);
    }
    return true;
}

surety__choice surety__call_choice(const surety__call *call,
                                   surety_str *ret_name, bool *ret_single)
{
    static const surety__choice choices[] = {CHOICE_FREE, CHOICE_NONE,
                                             CHOICE_SOME, CHOICE_NAMED};
    const bool alone = !call->tool_count || call->answer_only;

    if (body_has_answer(call)) {
        *ret_name = call->schema_name;
        *ret_single = alone || call->single;
        return alone ? CHOICE_NAMED : CHOICE_SOME;
    }
    *ret_name = call->choice_name;
    *ret_single = call->single && !call->answer_only;
    return call->answer_only ? CHOICE_NONE : choices[call->choice];
}

void surety__body_temperature(const surety__call *call, surety_buf *out)
{
    if (!call->model->has_temperature)
        return;
    surety_json_name(out, "temperature");
    surety__template_write(out, "$f", call->model->temperature);
}

/* ---- the caller's members ------------------------------------------------ */

typedef struct body__join {
    const char *const *replaceable;
    surety_doc *out;
    surety_error *reterr;
    surety_status status;
} body__join;

/* Whether the table has `outer/inner`, or outer if inner is empty. */
static bool body_replaceable(const body__join *join, surety_str outer,
                             surety_str inner)
{
    for (const char *const *row = join->replaceable; *row; row++) {
        const surety_str path = surety_str_of(*row);

        if (!inner.len && surety_str_equal(path, outer))
            return true;
        if (inner.len && path.len == outer.len + 1 + inner.len &&
            surety__str_starts(path, outer) && path.ptr[outer.len] == '/' &&
            !memcmp(path.ptr + outer.len + 1, inner.ptr, inner.len))
            return true;
    }
    return false;
}

static void body_copy(body__join *join, surety_val member)
{
    surety_build_key_of(join->out, surety_val_key(member));
    surety_build_val(join->out, member);
}

/* Joins a member that both have. */
static void body_settle(body__join *join, surety_str outer, surety_str inner,
                        surety_val given)
{
    if (body_replaceable(join, outer, inner)) {
        if (surety_val_kind(given) != SURETY_KIND_NULL)
            body_copy(join, given);
        return;
    }
    if (join->status)
        return;
    join->status = surety__fail(
        join->reterr, SURETY_MISUSE,
        "the extra member %.*s%s%.*s is one that the protocol sets itself",
        (int)outer.len, outer.ptr, inner.len ? "/" : "", (int)inner.len,
        inner.ptr);
    surety__hint(join->reterr, "leave it out: the model's own settings, its "
                               "mode and the contract decide it");
}

static void body_inner(body__join *join, surety_val own, surety_val given)
{
    const surety_str outer = surety_val_str(surety_val_key(own));

    surety_build_key_of(join->out, surety_val_key(own));
    surety_build_object(join->out);
    SURETY_EACH (member, own) {
        const surety_str key = surety_val_str(surety_val_key(member));
        const surety_val other = surety_val_member(given, key);

        if (other.doc)
            body_settle(join, outer, key, other);
        else
            body_copy(join, member);
    }
    SURETY_EACH (member, given) {
        const surety_str key = surety_val_str(surety_val_key(member));

        if (!surety_val_member(own, key).doc)
            body_copy(join, member);
    }
    surety_build_close(join->out);
}

surety_status surety__extra_join(surety_val own, surety_val extra,
                                 const char *const *replaceable,
                                 surety_doc *out, surety_error *reterr)
{
    body__join join = {replaceable, out, reterr, SURETY_OK};
    surety_status status;

    surety_build_begin(out, NULL);
    surety_build_object(out);
    SURETY_EACH (member, own) {
        const surety_str key = surety_val_str(surety_val_key(member));
        const surety_val given = surety_val_member(extra, key);

        if (!given.doc)
            body_copy(&join, member);
        else if (surety_val_kind(member) == SURETY_KIND_OBJECT &&
                 surety_val_kind(given) == SURETY_KIND_OBJECT &&
                 !body_replaceable(&join, key, (surety_str){NULL, 0}))
            body_inner(&join, member, given);
        else
            body_settle(&join, key, SURETY__LITERAL(""), given);
    }
    SURETY_EACH (member, extra) {
        const surety_str key = surety_val_str(surety_val_key(member));

        /* null for a member that is absent: nothing to remove. */
        if (!surety_val_member(own, key).doc &&
            (surety_val_kind(member) != SURETY_KIND_NULL ||
             !body_replaceable(&join, key, (surety_str){NULL, 0})))
            body_copy(&join, member);
    }
    surety_build_close(out);
    status = surety_build_end(out, join.status ? NULL : reterr);
    return join.status ? join.status : status;
}
