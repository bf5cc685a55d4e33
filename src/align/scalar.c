/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars: which other scalar null, a boolean, a number or a string can mean
 * in a schema.
 *
 * Every reading is a candidate and must satisfy the whole goal; the cheapest
 * wins. If a goal accepts the kind of the value, no other kind is tried,
 * unless it accepts only listed values of that kind. */
#include "align/inside.h"

struct scalar_choice {
    surety__aligner *aligner;
    surety__goal *goal;
    surety_val val;
    surety__answer best;
};

/* Offers a plan of this kind and edit, with this text (of a NUMBER or STRING)
 * or inner value (of a VALUE). It is taken if its value satisfies the goal and
 * it is the cheapest so far. */
static void scalar_offer(struct scalar_choice *choice, surety__align_plan offer)
{
    surety__aligner *aligner = choice->aligner;
    surety__align_plan *plan =
        surety__plan_new(aligner, (enum surety__plan_kind)offer.kind,
                         (surety__edit_id)offer.edit, choice->val);
    surety__answer answer = {.plan = plan, .fits = true};

    assert(offer.edit != EDIT_NONE);
    if (plan && offer.text.ptr)
        plan->text = surety__arena_text(&aligner->arena, offer.text);
    if (!plan || aligner->status ||
        (choice->best.fits && choice->best.cost <= plan->cost))
        return;
    plan->inner = offer.inner;
    answer.cost = plan->cost;
    if (surety__plan_write(aligner, &answer, choice->val,
                           aligner->docs[DOC_TRIAL], false) &&
        surety__goal_holds(aligner, choice->goal,
                           surety_doc_root(aligner->docs[DOC_TRIAL])))
        choice->best = answer;
}

/* Offers the number that text means. */
static void scalar_offer_number(struct scalar_choice *choice, surety_str text)
{
    char number[1100];
    surety__edit_id edit;
    size_t len = surety__number_of_text(text, number, &edit);

    if (len)
        scalar_offer(choice, (surety__align_plan){.kind = PLAN_NUMBER,
                                                  .edit = (uint8_t)edit,
                                                  .text = {number, len}});
}

/* Offers false or true (0 or 1); -1: neither. */
static void scalar_offer_boolean(struct scalar_choice *choice, int value,
                                 surety__edit_id edit)
{
    if (value >= 0)
        scalar_offer(
            choice, (surety__align_plan){.kind = value ? PLAN_TRUE : PLAN_FALSE,
                                         .edit = (uint8_t)edit});
}

/* Offers the choice that text means. */
static void scalar_offer_choice(struct scalar_choice *choice, surety_str text,
                                surety__edit_id edit)
{
    surety__edit_id found = EDIT_NONE;
    const surety__entry *meant;

    if (!surety__goal_list(choice->aligner, choice->goal))
        return;
    meant = surety__choice_meant(choice->aligner, choice->goal, text, &found);
    if (meant && (!edit || found == EDIT_ENUM_CASE))
        scalar_offer(
            choice, (surety__align_plan){.kind = PLAN_VALUE,
                                         .edit = (uint8_t)(edit ? edit : found),
                                         .inner = meant->val});
}

static void scalar_string(struct scalar_choice *choice)
{
    surety_str text = surety_val_str(choice->val);
    unsigned types = choice->goal->types;

    if (types & TYPE_STRING)
        scalar_offer_choice(choice, text, EDIT_NONE);
    if (choice->goal->open_string || choice->best.fits ||
        choice->aligner->status)
        return;
    if (types & TYPE_NUMBERS)
        scalar_offer_number(choice, text);
    if (types & TYPE_BOOLEAN)
        scalar_offer_boolean(choice, surety__boolean_of_text(text),
                             EDIT_BOOLEAN_FROM_TEXT);
    if (types & TYPE_NULL && !(types & TYPE_STRING) &&
        surety__text_is_null(text))
        scalar_offer(choice, (surety__align_plan){.kind = PLAN_NULL,
                                                  .edit = EDIT_NULL_FROM_TEXT});
}

static void scalar_number(struct scalar_choice *choice)
{
    surety_str text = surety_val_number(choice->val);
    unsigned types = choice->goal->types;
    surety__decimal decimal;
    char digits[24];
    size_t len = 0;
    int64_t value;

    if (types & TYPE_INTEGER && surety_val_is_integer(choice->val)) {
        /* Draft 4: 3.0 is not an integer. */
        decimal = surety__decimal_of(text);
        if (!decimal.digit_count)
            digits[len++] = '0';
        else if (decimal.negative)
            digits[len++] = '-';
        for (uint32_t i = 0; i < decimal.digits_len && len < 20; i++)
            if (decimal.digits[i] != '.' && decimal.digit_count)
                digits[len++] = decimal.digits[i];
        while (decimal.digit_count && decimal.exponent-- > 0 && len < 20)
            digits[len++] = '0';
        if (len < 20)
            scalar_offer(choice, (surety__align_plan){.kind = PLAN_NUMBER,
                                                      .edit = EDIT_INTEGER_FORM,
                                                      .text = {digits, len}});
    }
    if (types &
        surety__type_bits(choice->val.doc, surety__cell_of(choice->val), false))
        return;
    if (types & TYPE_STRING) {
        scalar_offer(choice, (surety__align_plan){.kind = PLAN_STRING,
                                                  .edit = EDIT_TEXT_FROM_NUMBER,
                                                  .text = text});
        return;
    }
    value = surety_val_int(choice->val, -1);
    if (!(types & TYPE_NUMBERS) && types & TYPE_BOOLEAN &&
        (value == 0 || value == 1))
        scalar_offer_boolean(choice, (int)value, EDIT_BOOLEAN_FROM_NUMBER);
}

surety__answer surety__scalar_align(surety__aligner *aligner,
                                    surety__goal *goal, surety_val val)
{
    struct scalar_choice choice = {
        .aligner = aligner, .goal = goal, .val = val};
    surety_str text;

    switch (surety_val_kind(val)) {
    case SURETY_KIND_STRING: scalar_string(&choice); break;
    case SURETY_KIND_NUMBER: scalar_number(&choice); break;
    case SURETY_KIND_BOOLEAN:
        if (!(goal->types & TYPE_STRING) || goal->types & TYPE_BOOLEAN)
            break;
        text = surety_str_of(surety_val_bool(val, false) ? "true" : "false");
        if (goal->open_string)
            scalar_offer(&choice,
                         (surety__align_plan){.kind = PLAN_STRING,
                                              .edit = EDIT_TEXT_FROM_BOOLEAN,
                                              .text = text});
        else
            scalar_offer_choice(&choice, text, EDIT_TEXT_FROM_BOOLEAN);
        break;
    default: break;
    }
    return choice.best;
}

/* ---- scalars in a longer text -------------------------------------------- */

/* The single number in text, as a text; empty: none, several, or only
 * approximate. */
static surety_str text_number(surety_str text)
{
    static const char *const vague[] = {
        "about",     "around",  "approximately", "approx", "roughly",
        "nearly",    "almost",  "over",          "under",  "least",
        "most",      "between", "circa",         "ca",     "not",
        "estimated", "maybe",   "perhaps",       "some",   "than"};
    surety_str found = {NULL, 0};
    size_t at = 0, start;

    while (at < text.len) {
        bool digits = false;

        start = at;
        while (at < text.len && !memchr(" \t\r\n", text.ptr[at], 4)) {
            digits = digits || surety__is_digit(text.ptr[at]);
            at++;
        }
        if (digits && found.ptr)
            return (surety_str){NULL, 0};
        if (digits)
            found = (surety_str){text.ptr + start, at - start};
        if (surety__str_among_nocase(
                surety__text_bare((surety_str){text.ptr + start, at - start}),
                vague, SURETY__COUNT(vague)))
            return (surety_str){NULL, 0};
        at++;
    }
    return found;
}

/* The number without the punctuation and emphasis around it. */
static surety_str number_bare(surety_str text)
{
    while (text.len && memchr("*_`\"'([", *text.ptr, 7))
        surety__str_skip(&text, 1);
    while (text.len && memchr("*_`\"')].,;:!", text.ptr[text.len - 1], 12))
        text.len--;
    return text;
}

surety__answer surety__text_align(surety__aligner *aligner, surety__goal *goal,
                                  surety_val val, surety_str text)
{
    struct scalar_choice choice = {
        .aligner = aligner, .goal = goal, .val = val};
    const surety__entry *within = surety__choice_within(aligner, goal, text);
    surety_str digits;

    if (within)
        scalar_offer(&choice, (surety__align_plan){.kind = PLAN_VALUE,
                                                   .edit = EDIT_ENUM_IN_TEXT,
                                                   .inner = within->val});
    if (choice.best.fits || aligner->status)
        return choice.best;
    if (goal->types & TYPE_BOOLEAN)
        scalar_offer_boolean(&choice, surety__boolean_within(aligner, text),
                             EDIT_BOOLEAN_FROM_TEXT);
    digits = number_bare(text_number(text));
    /* "8/10" in a sentence is a grade, not a fraction. */
    if (goal->types & TYPE_NUMBERS && digits.len &&
        !memchr(digits.ptr, '/', digits.len))
        scalar_offer_number(&choice, digits);
    return choice.best;
}
