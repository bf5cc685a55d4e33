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

/* Takes a plan if its value satisfies the goal and it is the cheapest so
 * far. */
static void scalar_offer(struct scalar_choice *choice, surety__align_plan *plan)
{
    surety__aligner *aligner = choice->aligner;
    surety__answer offer = {.plan = plan, .fits = true};

    if (!plan || (choice->best.fits && choice->best.cost <= plan->cost))
        return;
    offer.cost = plan->cost;
    if (!surety__plan_write(aligner, &offer, choice->val,
                            aligner->docs.trial[0], false) ||
        !surety__goal_holds(aligner, choice->goal,
                            surety_doc_root(aligner->docs.trial[0])))
        return;
    choice->best = offer;
}

static void scalar_offer_text(struct scalar_choice *choice,
                              enum surety__plan_kind kind, surety__edit_id edit,
                              surety_str text)
{
    surety__aligner *aligner = choice->aligner;
    surety__align_plan *plan;

    plan = surety__plan_new(aligner, kind, edit, choice->val);
    if (!plan)
        return;
    plan->text = surety__arena_text(&aligner->arena, text);
    if (!plan->text.ptr) {
        aligner->status = SURETY_NOMEM;
        return;
    }
    scalar_offer(choice, plan);
}

static void scalar_offer_plain(struct scalar_choice *choice,
                               enum surety__plan_kind kind,
                               surety__edit_id edit)
{
    scalar_offer(choice,
                 surety__plan_new(choice->aligner, kind, edit, choice->val));
}

/* Offers the choice that text means. */
static void scalar_offer_choice(struct scalar_choice *choice, surety_str text,
                                surety__edit_id edit)
{
    surety__edit_id found = EDIT_NONE;
    const surety__entry *meant;
    surety__align_plan *plan;

    if (!surety__goal_list(choice->aligner, choice->goal))
        return;
    meant = surety__choice_meant(choice->aligner, choice->goal, text, &found);
    if (!meant)
        return;
    plan = surety__plan_new(choice->aligner, PLAN_VALUE, edit ? edit : found,
                            choice->val);
    if (!plan)
        return;
    if (edit && found != EDIT_ENUM_CASE)
        return;
    plan->inner = meant->val;
    scalar_offer(choice, plan);
}

static void scalar_string(struct scalar_choice *choice)
{
    surety__aligner *aligner = choice->aligner;
    surety_str text = surety_val_str(choice->val);
    unsigned types = choice->goal->types;
    char number[1100];
    surety__edit_id edit;
    size_t len;
    int said;

    if (types & TYPE_STRING)
        scalar_offer_choice(choice, text, EDIT_NONE);
    if (choice->goal->open_string || choice->best.fits || aligner->status)
        return;
    if (types & (TYPE_NUMBER | TYPE_INTEGER)) {
        len = surety__number_of_text(text, number, &edit);
        if (len)
            scalar_offer_text(choice, PLAN_NUMBER, edit,
                              (surety_str){number, len});
    }
    said = types & TYPE_BOOLEAN ? surety__boolean_of_text(text) : -1;
    if (said >= 0)
        scalar_offer_plain(choice, said ? PLAN_TRUE : PLAN_FALSE,
                           EDIT_BOOLEAN_FROM_TEXT);
    if (types & TYPE_NULL && !(types & TYPE_STRING) &&
        surety__text_is_null(text))
        scalar_offer_plain(choice, PLAN_NULL, EDIT_NULL_FROM_TEXT);
}

static void scalar_number(struct scalar_choice *choice)
{
    surety_str text = surety_val_number(choice->val);
    unsigned types = choice->goal->types;
    surety__decimal decimal;
    char digits[24];
    size_t len = 0;

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
            scalar_offer_text(choice, PLAN_NUMBER, EDIT_INTEGER_FORM,
                              (surety_str){digits, len});
    }
    if (types &
        surety__type_bits(choice->val.doc, surety__cell_of(choice->val), false))
        return;
    if (types & TYPE_STRING) {
        scalar_offer_text(choice, PLAN_STRING, EDIT_TEXT_FROM_NUMBER, text);
        return;
    }
    if (types & (TYPE_NUMBER | TYPE_INTEGER) || !(types & TYPE_BOOLEAN))
        return;
    if (surety_val_int(choice->val, -1) == 1)
        scalar_offer_plain(choice, PLAN_TRUE, EDIT_BOOLEAN_FROM_NUMBER);
    else if (surety_val_int(choice->val, -1) == 0)
        scalar_offer_plain(choice, PLAN_FALSE, EDIT_BOOLEAN_FROM_NUMBER);
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
            scalar_offer_text(&choice, PLAN_STRING, EDIT_TEXT_FROM_BOOLEAN,
                              text);
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
            digits = digits || (text.ptr[at] >= '0' && text.ptr[at] <= '9');
            at++;
        }
        if (digits && found.ptr)
            return (surety_str){NULL, 0};
        if (digits)
            found = (surety_str){text.ptr + start, at - start};
        for (size_t i = 0; i < sizeof(vague) / sizeof(*vague); i++)
            if (surety__str_equal_nocase(surety__text_bare((surety_str){
                                             text.ptr + start, at - start}),
                                         surety_str_of(vague[i])))
                return (surety_str){NULL, 0};
        at++;
    }
    return found;
}

/* The number without the punctuation and emphasis around it. */
static surety_str number_bare(surety_str text)
{
    while (text.len && memchr("*_`\"'([", *text.ptr, 7)) {
        text.ptr++;
        text.len--;
    }
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
    char number[1100];
    surety__edit_id edit;
    surety__align_plan *plan;
    surety_str digits;
    size_t len;
    int said;

    if (within) {
        plan = surety__plan_new(aligner, PLAN_VALUE, EDIT_ENUM_IN_TEXT, val);
        if (plan) {
            plan->inner = within->val;
            scalar_offer(&choice, plan);
        }
    }
    if (choice.best.fits || aligner->status)
        return choice.best;
    said =
        goal->types & TYPE_BOOLEAN ? surety__boolean_within(aligner, text) : -1;
    if (said >= 0)
        scalar_offer_plain(&choice, said ? PLAN_TRUE : PLAN_FALSE,
                           EDIT_BOOLEAN_FROM_TEXT);
    if (goal->types & (TYPE_NUMBER | TYPE_INTEGER)) {
        digits = number_bare(text_number(text));
        /* "8/10" in a sentence is a grade, not a fraction. */
        len = digits.len && !memchr(digits.ptr, '/', digits.len)
                  ? surety__number_of_text(digits, number, &edit)
                  : 0;
        if (len)
            scalar_offer_text(&choice, PLAN_NUMBER, edit,
                              (surety_str){number, len});
    }
    return choice.best;
}
