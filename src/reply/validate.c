/* SPDX-License-Identifier: Apache-2.0 */
/* The host's validators: what only the program knows of a value, asked of one
 * that satisfies schema and rules. What they add belongs to the trial and
 * becomes errors only if the outcome is about it.
 *
 * A validator sees the value as it would be given out, and has no part in how
 * it was found. It says yes (nothing), no (issues), "not yet", or that it
 * failed; the last two end the judgement, for nothing may be taken or refused
 * without its word. */
#include "reply/reply.h"

/* What one question collects. */
struct validate {
    surety_judge *judge;
    surety__trial *trial;
    surety_status status; /* of what was added; MISUSE: error says why */
    surety_error error;
};

/* RFC 6901, section 3. */
static bool validate_is_pointer(surety_str text)
{
    if (text.len && text.ptr[0] != '/')
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '~' &&
            (i + 1 == text.len || !memchr("01", text.ptr[i + 1], 2)))
            return false;
    return true;
}

static surety_status validate_add(void *ctx, surety_str location,
                                  surety_str message, surety_str hint)
{
    struct validate *own = ctx;
    surety_outcome *outcome = &own->judge->outcome;
    surety__trial *trial = own->trial;
    surety__objection *one;

    if (!validate_is_pointer(location) || !message.len) {
        own->status = SURETY_MISUSE;
        return message.len
                   ? surety__fail(&own->error, SURETY_MISUSE,
                                  "it added an issue at \"%.*s\", which is no "
                                  "JSON Pointer",
                                  location.len < 80 ? (int)location.len : 80,
                                  location.ptr)
                   : surety__fail(&own->error, SURETY_MISUSE,
                                  "it added an issue without a message");
    }
    if (trial->objection_count++ >= own->judge->limits.findings_max)
        return SURETY_OK;
    one = surety__arena_take(&outcome->arena, sizeof(*one));
    if (!one || !surety__outcome_copy(outcome, location, &one->location) ||
        !surety__outcome_copy(outcome, message, &one->message) ||
        !surety__outcome_copy(outcome, hint, &one->hint)) {
        own->status = SURETY_NOMEM;
        return SURETY_NOMEM;
    }
    one->next = NULL;
    if (trial->objection_last)
        trial->objection_last->next = one;
    else
        trial->objections = one;
    trial->objection_last = one;
    return SURETY_OK;
}

surety_status surety_validation_add(const surety_validation *validation,
                                    surety_str instance_location,
                                    surety_str message, surety_str hint)
{
    const surety_str none = {"", 0};

    if (!validation || !validation->add ||
        (instance_location.len && !instance_location.ptr) ||
        (message.len && !message.ptr) || (hint.len && !hint.ptr))
        return SURETY_MISUSE;
    return validation->add(
        validation->ctx, instance_location.len ? instance_location : none,
        message.len ? message : none, hint.len ? hint : none);
}

/* Says which validator failed, and why. */
static surety_status validate_fail(const surety_validator *validator,
                                   surety_status status,
                                   const surety_error *cause,
                                   surety_error *reterr)
{
    const surety_str name = validator->name;
    const int len = (int)(name.len < 80 ? name.len : 80);

    if (status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (status > 0)
        status = SURETY_MISUSE;
    (void)surety__fail(reterr, status, "the validator%s%.*s failed%s%s",
                       len ? " " : "", len, len ? name.ptr : "",
                       cause->message[0] ? ": " : "", cause->message);
    surety__hint(reterr, "%s", cause->hint);
    return status;
}

surety_status surety__validate(surety_judge *judge, surety__trial *trial,
                               surety_val value, surety_error *reterr)
{
    struct validate own = {.judge = judge, .trial = trial};
    const surety_validation validation = {.given = surety__trial_value(trial),
                                          .value = value,
                                          .ctx = &own,
                                          .add = validate_add};
    surety_status status;
    bool waits = false;

    assert(!trial->objections);
    for (size_t i = 0; i < judge->task.options.validator_count; i++) {
        const surety_validator *validator = &judge->task.options.validators[i];

        own.error = (surety_error){.status = SURETY_OK};
        status = validator->validate(validator->ctx, &validation, &own.error);
        if (own.status != SURETY_OK)
            status = own.status;
        waits = waits || status == SURETY_MORE;
        judge->unvalidated = status != SURETY_OK;
        if (status != SURETY_OK && status != SURETY_MORE)
            return validate_fail(validator, status, &own.error, reterr);
    }
    judge->unvalidated = waits;
    if (waits)
        return SURETY_MORE;
    trial->error_count = trial->objection_count;
    if (trial->objection_count)
        trial->stage = SURETY_STAGE_VALIDATION;
    return SURETY_OK;
}
