/* SPDX-License-Identifier: Apache-2.0 */
/* The search for the cheapest way to make a value satisfy a goal.
 *
 * A question is a goal and a value. A value that satisfies its goal is copied,
 * without further questions. Otherwise the ways are tried in a fixed order: as
 * another scalar; each alternative of the goal, child by child, where each
 * child is a question of its own; as the item of an array; at the root, as the
 * only member that an object must have; as a value inside
 * it: the single item of an array, the one fitting member of an object, the
 * JSON in a string. The lowest cost wins. Two different ways of the same cost
 * make the answer ambiguous, and an ambiguous answer is no answer in the end.
 *
 * Questions are on an explicit stack, and answers are known by goal and value.
 * Every question is about a smaller value than the one below it, except that
 * of an item to be wrapped, which is not wrapped twice; so the search ends.
 * Its work is counted. */
#include "align/inside.h"

enum question_phase {
    QUESTION_BEGIN,
    QUESTION_NEXT,     /* the next alternative */
    QUESTION_CHILD,    /* the next child of the current plan */
    QUESTION_ANSWERED, /* its answer has arrived */
    QUESTION_WRAPPED,
    QUESTION_WITHIN, /* the next value inside this one */
    QUESTION_FOUND,
    QUESTION_END
};

struct surety__question {
    surety__goal *goal;
    surety_val val;
    bool wrapped; /* it must not be wrapped in an array */
    uint8_t phase;
    uint32_t alternative; /* the current one */
    surety__answer best;
    surety__answer within;    /* the value inside this one that fits */
    surety__align_plan *plan; /* the current plan */
    uint64_t cost;            /* its cost so far */
    bool ambiguous;
    bool flat; /* items must not be wrapped, if flat_known */
    bool flat_known;
    uint8_t sweep;      /* for an object: 0 scalars, 1 containers */
    uint32_t at;        /* the current child */
    uint32_t cursor;    /* its cell; for an array */
    surety__goal *rest; /* the goal of each further item, if rest_known */
    bool rest_known;
    surety_str name; /* of the member that the value is wrapped in; ptr NULL: it
                      * is wrapped in an array */
};

enum { KNOWN_STRING_MIN = 64 };

/* An answer that is known. */
struct known_answer {
    const surety__goal *goal;
    surety_val val;
    bool wrapped;
    surety__answer answer;
    struct known_answer *next;
};

static struct surety__question *question_top(surety__aligner *aligner)
{
    assert(aligner->question_count);
    return &aligner->questions[aligner->question_count - 1];
}

/* ---- known answers --------------------------------------------------------
 */

static uint64_t known_key(const surety__goal *goal, surety_val val,
                          bool wrapped)
{
    uint64_t key = (uint64_t)(uintptr_t)goal * 0x9E3779B97F4A7C15u;

    key ^= (uint64_t)(uintptr_t)val.doc * 0xC2B2AE3D27D4EB4Fu;
    key ^= ((uint64_t)val.index << 1 | wrapped) * 0xFF51AFD7ED558CCDu;
    return key ^ key >> 29;
}

static const surety__answer *known_find(surety__aligner *aligner,
                                        const surety__goal *goal,
                                        surety_val val, bool wrapped)
{
    struct known_answer *known =
        aligner->answers.count
            ? surety__map_get(&aligner->answers, known_key(goal, val, wrapped))
            : NULL;

    for (; known; known = known->next)
        if (known->goal == goal && known->val.doc == val.doc &&
            known->val.index == val.index && known->wrapped == wrapped)
            return &known->answer;
    return NULL;
}

static void known_add(surety__aligner *aligner,
                      const struct surety__question *question)
{
    const surety__cell *cell = surety__cell_of(question->val);
    uint64_t key = known_key(question->goal, question->val, question->wrapped);
    struct known_answer *known;

    /* Answering a short scalar again is as fast as a lookup. */
    if (cell->kind < CELL_STRING ||
        (cell->kind == CELL_STRING && cell->len < KNOWN_STRING_MIN))
        return;
    known = surety__aligner_take(aligner, 1, sizeof(*known));
    if (!known)
        return;
    *known =
        (struct known_answer){.goal = question->goal,
                              .val = question->val,
                              .wrapped = question->wrapped,
                              .answer = question->best,
                              .next = surety__map_get(&aligner->answers, key)};
    if (!surety__map_put(&aligner->answers, aligner->alloc, key, known))
        aligner->status = SURETY_NOMEM;
}

/* ---- questions ----------------------------------------------------------- */

static void question_ask(surety__aligner *aligner, surety__goal *goal,
                         surety_val val, bool wrapped)
{
    if (surety__aligner_charge(aligner, 2) &&
        surety__aligner_room(aligner, &aligner->questions,
                             &aligner->question_cap, aligner->question_count,
                             sizeof(*aligner->questions)))
        aligner->questions[aligner->question_count++] =
            (struct surety__question){
                .goal = goal, .val = val, .wrapped = wrapped};
}

/* Answers at once if val satisfies goal, and asks otherwise. */
static void question_answer(surety__aligner *aligner, surety__goal *goal,
                            surety_val val, bool wrapped)
{
    if (surety__goal_holds(aligner, goal, val))
        aligner->answer = (surety__answer){.fits = true};
    else
        question_ask(aligner, goal, val, wrapped);
}

/* Whether two answers give the same value for val. */
static bool answers_agree(surety__aligner *aligner, const surety__answer *one,
                          const surety__answer *other, surety_val val)
{
    surety_doc *const *docs = aligner->docs;

    return surety__plan_write(aligner, one, val, docs[DOC_TRIAL], false) &&
           surety__plan_write(aligner, other, val, docs[DOC_OTHER], false) &&
           surety_val_equal(surety_doc_root(docs[DOC_TRIAL]),
                            surety_doc_root(docs[DOC_OTHER]));
}

/* Takes an answer to the top question if it is valid and the best so far. */
static void question_offer(surety__aligner *aligner, surety__answer offer)
{
    struct surety__question *question = question_top(aligner);

    /* A plan without edits gives the same value, which is known not to fit. */
    assert(offer.plan || !offer.cost);
    if (!offer.cost || aligner->status ||
        (question->best.fits && offer.cost > question->best.cost))
        return;
    offer.fits = true;
    if (question->goal->several && !offer.ambiguous &&
        (!surety__plan_write(aligner, &offer, question->val,
                             aligner->docs[DOC_TRIAL], false) ||
         !surety__goal_holds(aligner, question->goal,
                             surety_doc_root(aligner->docs[DOC_TRIAL]))))
        return;
    if (!question->best.fits || offer.cost < question->best.cost) {
        question->best = offer;
        return;
    }
    if (question->best.ambiguous || offer.ambiguous ||
        !answers_agree(aligner, &question->best, &offer, question->val))
        question->best.ambiguous = true;
}

/* ---- alternatives -------------------------------------------------------- */

static unsigned val_bits(surety_val val)
{
    return surety__type_bits(val.doc, surety__cell_of(val), false);
}

static void question_begin(surety__aligner *aligner,
                           struct surety__question *question)
{
    const surety__answer *known =
        known_find(aligner, question->goal, question->val, question->wrapped);

    if (known) {
        question->best = *known;
        question->phase = QUESTION_END;
        return;
    }
    if (!surety__goal_expand(aligner, question->goal))
        return;
    if (surety__cell_of(question->val)->kind < CELL_ARRAY)
        question->best =
            surety__scalar_align(aligner, question->goal, question->val);
    question->phase = QUESTION_NEXT;
}

/* Whether a text that begins with a brace can be no object: {name}. */
static bool text_is_words(surety_str text)
{
    if (text.len < 3 || text.ptr[text.len - 1] != '}')
        return false;
    for (size_t i = 1; i + 1 < text.len; i++)
        if (strchr("\"':,=[]{}", text.ptr[i]))
            return false;
    return true;
}

/* Whether a single value may be replaced by an array with it. */
static bool val_wraps(surety_val val)
{
    surety_str text;

    switch (surety_val_kind(val)) {
    case SURETY_KIND_NULL:
    case SURETY_KIND_ARRAY: return false;
    case SURETY_KIND_STRING:
        /* Empty, or an array or object that could not be read. */
        text = surety__text_trim(surety_val_str(val));
        return text.len && *text.ptr != '[' &&
               (*text.ptr != '{' || text_is_words(text));
    default: return true;
    }
}

/* Whether a value has rows: objects, and at least one. Other arrays are found
 * in prose, and say little: "[1]". Objects with a member of that name are
 * several values, not the rows of one. */
static bool val_is_rows(surety__aligner *aligner,
                        const surety__alternative *alternative,
                        const surety__entry *name, surety_val val)
{
    enum surety__closeness close;

    if (!surety_val_count(val))
        return false;
    SURETY_EACH (item, val) {
        if (surety_val_kind(item) != SURETY_KIND_OBJECT ||
            !surety__aligner_charge(aligner, 1 + surety_val_count(item) / 4))
            return false;
        SURETY_EACH (member, item)
            if (surety__lexicon_find(&alternative->names,
                                     surety_val_key(member), &close) == name)
                return false;
    }
    return true;
}

/* Whether a value at the root is the rows of an object that has only them. Asks
 * about them. */
static bool question_rows(surety__aligner *aligner,
                          struct surety__question *question,
                          surety__alternative *alternative)
{
    const surety__entry *name;

    if (!(alternative->types & TYPE_OBJECT) ||
        question->goal->types & TYPE_ARRAY || aligner->question_count != 1 ||
        surety_val_kind(question->val) != SURETY_KIND_ARRAY)
        return false;
    name = surety__rows_name(aligner, alternative, &question->rest);
    if (!name || !val_is_rows(aligner, alternative, name, question->val))
        return false;
    question->phase = QUESTION_WRAPPED;
    question->name = name->text;
    question_answer(aligner, question->rest, question->val, true);
    return true;
}

/* Begins the plan of the question's container for the alternative. */
static void question_plan(surety__aligner *aligner,
                          struct surety__question *question,
                          surety__alternative *alternative)
{
    const surety__cell *cell = surety__cell_of(question->val);

    question->cost = 0;
    question->ambiguous = false;
    question->at = 0;
    question->sweep = 0;
    question->rest_known = false;
    if (cell->kind == CELL_OBJECT) {
        question->plan = surety__object_plan(aligner, alternative,
                                             question->val, &question->cost);
    } else {
        question->plan =
            surety__array_plan(aligner, alternative, question->val);
        question->cursor = question->val.index + 1;
        surety__aligner_charge(aligner, cell->count / 16);
    }
    question->phase = question->plan ? QUESTION_CHILD : QUESTION_NEXT;
}

static void question_next(surety__aligner *aligner,
                          struct surety__question *question)
{
    surety__goal *goal = question->goal;
    unsigned bits = val_bits(question->val);
    bool container = surety__cell_of(question->val)->kind >= CELL_ARRAY;

    while (question->alternative < goal->alternative_count) {
        surety__alternative *alternative =
            &goal->alternatives[question->alternative++];

        if (!surety__aligner_charge(aligner, 1))
            return;
        if (container && alternative->types & bits) {
            question_plan(aligner, question, alternative);
            if (question->phase != QUESTION_NEXT || aligner->status)
                return;
            continue;
        }
        if (alternative->types & TYPE_ARRAY && !(goal->types & bits) &&
            !question->wrapped && val_wraps(question->val)) {
            question->phase = QUESTION_WRAPPED;
            question->rest = surety__item_goal(aligner, alternative, 0);
            if (aligner->status)
                return;
            question_answer(aligner, question->rest, question->val, true);
            return;
        }
        if (question_rows(aligner, question, alternative) || aligner->status)
            return;
    }
    question->at = 0;
    question->cursor = question->val.index + 1;
    question->phase = QUESTION_WITHIN;
}

/* Whether a member's key is close to a name that the goal knows. */
static bool goal_knows(surety__aligner *aligner, surety__goal *goal,
                       surety_val key)
{
    for (uint32_t a = 0; a < goal->alternative_count; a++) {
        surety__alternative *alternative = &goal->alternatives[a];
        enum surety__closeness close;

        if (!surety__names_make(aligner, alternative) ||
            !surety__aligner_charge(aligner, 1) ||
            surety__lexicon_find(&alternative->names, key, &close))
            return true;
    }
    return false;
}

/* Whether the goal of items knows a key of the object. */
static bool object_is_known(surety__aligner *aligner, surety__goal *goal,
                            surety_val object)
{
    surety_val member = surety_val_first(object);

    if (!goal || !surety__goal_expand(aligner, goal))
        return false;
    while (member.doc && !goal_knows(aligner, goal, surety_val_key(member)))
        member = surety_val_next(object, member);
    return member.doc != NULL;
}

/* Whether a plan gives a value a very different meaning: too uncertain if the
 * place of the value is a guess too. */
static bool plan_guesses(const surety__align_plan *plan)
{
    return plan && (plan->edit == EDIT_BOOLEAN_FROM_NUMBER ||
                    plan->edit == EDIT_NULL_FROM_TEXT ||
                    plan->edit == EDIT_ENUM_IN_TEXT);
}

/* The answer about the item or the member has arrived: offers an array or an
 * object with it. */
static void question_wrapped(surety__aligner *aligner,
                             struct surety__question *question)
{
    surety__answer item = aligner->answer;
    surety__align_plan *plan;

    question->phase = QUESTION_NEXT;
    if (!item.fits || plan_guesses(item.plan))
        return;
    if (question->name.ptr)
        plan = surety__plan_new(aligner, PLAN_MEMBER, EDIT_OBJECT_FROM_ROWS,
                                question->val);
    else
        plan = surety__plan_new(aligner, PLAN_WRAP, EDIT_ARRAY_FROM_VALUE,
                                question->val);
    if (!plan)
        return;
    plan->text = question->name;
    question->name = (surety_str){NULL, 0};
    plan->inner = question->val;
    plan->inner_plan = item.plan;
    /* An object without any name that the items know is more likely a
     * wrapper. */
    if (surety__cell_of(question->val)->kind == CELL_OBJECT &&
        !object_is_known(aligner, question->rest, question->val))
        plan->cost += 20;
    item.plan = plan;
    item.cost += plan->cost;
    question_offer(aligner, item);
}

/* ---- children ------------------------------------------------------------ */

/* Finds the next child and its goal; false: there is none left. */
static bool child_find(surety__aligner *aligner,
                       struct surety__question *question, surety_val *ret_val,
                       surety__goal **ret_goal)
{
    surety__align_plan *plan = question->plan;
    const surety__alternative *alternative =
        &question->goal->alternatives[question->alternative - 1];

    *ret_val = (surety_val){question->val.doc, question->cursor};
    if (plan->kind == PLAN_ARRAY) {
        if (question->at == plan->count)
            return false;
        if (!question->rest_known) {
            question->rest =
                surety__item_goal(aligner, alternative, question->at);
            question->rest_known = question->at >= surety__conjunction_places(
                                                       &alternative->all, NULL);
        }
        *ret_goal = question->rest;
        question->cursor =
            (uint32_t)(surety__cell_after(surety__cell_of(*ret_val)) -
                       ret_val->doc->cells);
        return true;
    }
    /* Scalars first: they distinguish branches at little cost. */
    for (; question->sweep < 2; question->sweep++, question->at = 0)
        for (; question->at < plan->count; question->at++) {
            const surety__aligned_part *part = &plan->parts[question->at];
            surety_val val = {question->val.doc, part->key + 1};
            bool container = surety__cell_of(val)->kind >= CELL_ARRAY;

            if (part->left_out || container != (question->sweep == 1))
                continue;
            *ret_val = val;
            *ret_goal = part->goal;
            return true;
        }
    return false;
}

/* Whether a child must not be wrapped in an array: with several items that are
 * not arrays, it is unknown whether each is a row or all are one. This matters
 * only where the goal takes arrays, which is known once it was asked. */
static bool child_is_flat(struct surety__question *question,
                          const surety__goal *goal)
{
    const surety_val array = question->val;
    surety_val item;

    if (question->plan->kind != PLAN_ARRAY || !goal->expanded ||
        !(goal->types & TYPE_ARRAY))
        return false;
    if (question->flat_known)
        return question->flat;
    item = surety_val_first(array);
    while (item.doc && surety__cell_of(item)->kind != CELL_ARRAY)
        item = surety_val_next(array, item);
    question->flat = !item.doc && surety__cell_of(array)->count > 1;
    question->flat_known = true;
    return question->flat;
}

/* Goes through the children, up to the next one that needs a question. */
static void question_child(surety__aligner *aligner,
                           struct surety__question *question)
{
    surety_val val;
    surety__goal *goal;
    surety__answer offer;

    while (!aligner->status && child_find(aligner, question, &val, &goal)) {
        if (aligner->status)
            return;
        /* A known answer is usually one for another alternative. */
        if (!goal ||
            ((question->alternative == 1 ||
              !known_find(aligner, goal, val, child_is_flat(question, goal))) &&
             surety__goal_holds(aligner, goal, val))) {
            question->at++;
            continue;
        }
        if (aligner->status || !surety__goal_expand(aligner, goal))
            return;
        question->phase = QUESTION_ANSWERED;
        question_ask(aligner, goal, val, child_is_flat(question, goal));
        return;
    }
    if (aligner->status)
        return;
    question->phase = QUESTION_NEXT;
    offer = (surety__answer){.plan = question->plan,
                             .cost = question->cost,
                             .ambiguous = question->ambiguous};
    question_offer(aligner, offer);
}

/* Stores the answer about a child in the plan. */
static void question_answered(surety__aligner *aligner,
                              struct surety__question *question)
{
    surety__answer answer = aligner->answer;
    surety__align_plan *plan = question->plan;
    uint32_t at = question->at++;

    assert(at < plan->count);
    question->phase = QUESTION_CHILD;
    if (!answer.fits && plan->kind == PLAN_OBJECT && plan->parts[at].optional &&
        surety__cell_of((surety_val){plan->val.doc, plan->parts[at].key + 1})
                ->kind == CELL_NULL) {
        plan->parts[at].left_out = EDIT_NULL_LEFT_OUT;
        question->cost += surety__edit_rows[EDIT_NULL_LEFT_OUT].cost;
        if (plan->parts[at].key_edit)
            question->cost -= surety__edit_rows[plan->parts[at].key_edit].cost;
    } else if (answer.fits) {
        question->cost += answer.cost;
        question->ambiguous = question->ambiguous || answer.ambiguous;
        if (plan->kind == PLAN_OBJECT)
            plan->parts[at].plan = answer.plan;
        else
            plan->items[at] = answer.plan;
    }
    if ((!answer.fits &&
         !(plan->kind == PLAN_OBJECT && plan->parts[at].left_out)) ||
        (question->best.fits && question->cost > question->best.cost))
        question->phase = QUESTION_NEXT;
}

/* ---- values inside ------------------------------------------------------- */

/* Whether the goal knows the key, or the key names something that is not the
 * answer. */
static bool key_is_known(surety__aligner *aligner, surety__goal *goal,
                         surety_val key)
{
    static const char *const others[] = {"error",   "errors",  "reason",
                                         "refusal", "message", "warning"};

    return surety__str_among_nocase(surety_val_str(key), others,
                                    SURETY__COUNT(others)) ||
           goal_knows(aligner, goal, key);
}

/* The array or object that a string contains as JSON, and the cost of
 * repairing its text; SURETY_NONE: there is none. */
static surety_val text_within(surety__aligner *aligner, surety_val val,
                              size_t *ret_cost)
{
    surety_status status;
    size_t end = 0;
    surety_str text = surety__text_trim(surety_val_str(val));
    surety_doc *literal = aligner->docs[DOC_LITERAL];
    surety_doc *inner = aligner->docs[DOC_INNER];
    uint32_t index;

    if (!text.len || (*text.ptr != '{' && *text.ptr != '[') ||
        !surety__aligner_charge(aligner, 4 + text.len / 8) || val.doc == inner)
        return surety_val_none();
    status = surety_doc_read(literal, text, NULL, NULL);
    if (status == SURETY_SYNTAX) {
        status = surety__doc_read_lenient(literal, text, NULL, &end, NULL);
        if (!status &&
            surety__text_trim((surety_str){text.ptr + end, text.len - end}).len)
            status = SURETY_SYNTAX;
    }
    if (status == SURETY_NOMEM)
        aligner->status = status;
    if (status)
        return surety_val_none();
    *ret_cost = surety__doc_repair_count(literal) +
                2 * surety__doc_repair_likely(literal);
    if (!aligner->inner_open) {
        surety_build_begin(inner, NULL);
        surety_build_array(inner);
        aligner->inner_open = true;
    }
    index = (uint32_t)inner->cell_count;
    surety_build_val(inner, surety_doc_root(literal));
    if (inner->build.status) {
        aligner->status = inner->build.status;
        return surety_val_none();
    }
    return (surety_val){inner, index};
}

/* Whether a goal is an object without properties: every member is content,
 * whatever its key. */
static bool goal_is_map(const surety__goal *goal)
{
    for (uint32_t a = 0; a < goal->alternative_count; a++) {
        const surety__alternative *alternative = &goal->alternatives[a];
        surety__name_at at = {0, 0};

        if (!(alternative->types & TYPE_OBJECT) ||
            surety__conjunction_name(&alternative->all, &at))
            return false;
    }
    return goal->alternative_count > 0;
}

/* Whether an object may be a wrapper around the value. If the goal is a map,
 * only if the wrapper has no other member. */
static bool object_may_wrap(const surety__goal *goal, surety_val val)
{
    return !goal_is_map(goal) || (surety_val_count(val) == 1 &&
                                  surety_val_count(surety_val_first(val)) > 0);
}

/* The edit by which a value inside val may be taken; EDIT_NONE: not
 * possible. */
static surety__edit_id val_within(const struct surety__question *question,
                                  bool root)
{
    unsigned types = question->goal->types;

    switch (surety_val_kind(question->val)) {
    case SURETY_KIND_ARRAY:
        return !(types & TYPE_ARRAY) && surety_val_count(question->val) == 1
                   ? EDIT_VALUE_FROM_ARRAY
                   : EDIT_NONE;
    case SURETY_KIND_OBJECT:
        /* A member of an object does not replace the object; but a reply that
         * is a scalar may be under a name of its own. */
        return (types & (TYPE_ARRAY | TYPE_OBJECT) &&
                object_may_wrap(question->goal, question->val)) ||
                       (root && !question->goal->open_string &&
                        surety_val_count(question->val) == 1 &&
                        !(types & (TYPE_ARRAY | TYPE_OBJECT)))
                   ? EDIT_WRAPPER_KEY
                   : EDIT_NONE;
    case SURETY_KIND_STRING:
        return types & (TYPE_ARRAY | TYPE_OBJECT) && !(types & TYPE_STRING)
                   ? EDIT_JSON_IN_TEXT
                   : EDIT_NONE;
    default: return EDIT_NONE;
    }
}

/* Asks about the next value inside this one. */
static void question_within(surety__aligner *aligner,
                            struct surety__question *question)
{
    surety__edit_id edit = val_within(question, aligner->question_count == 1);
    uint32_t count = edit == EDIT_JSON_IN_TEXT
                         ? 1
                         : (uint32_t)surety_val_count(question->val);
    surety__goal *goal = question->goal;
    size_t cost = 0;

    /* A value inside costs at least this edit. */
    if (question->best.fits &&
        question->best.cost < surety__edit_rows[edit].cost)
        edit = EDIT_NONE;
    while (edit && question->at < count && !aligner->status) {
        surety_val val = {question->val.doc, question->cursor};

        if (edit == EDIT_JSON_IN_TEXT) {
            val = text_within(aligner, question->val, &cost);
        } else if (edit == EDIT_WRAPPER_KEY) {
            bool known = key_is_known(aligner, goal, val);
            bool scalar = !(goal->types & (TYPE_ARRAY | TYPE_OBJECT));

            val.index++;
            question->cursor =
                (uint32_t)(surety__cell_after(surety__cell_of(val)) -
                           val.doc->cells);
            if (known ||
                (!scalar && surety__cell_of(val)->kind < CELL_STRING) ||
                /* That a goal accepts such a value only because it has no type
                 * is no reason to replace an object by it. */
                goal->types & ~goal->named & val_bits(val))
                val = surety_val_none();
        }
        question->at++;
        if (!val.doc || aligner->status)
            continue;
        question->phase = QUESTION_FOUND;
        question->plan =
            surety__plan_new(aligner, PLAN_INNER, edit, question->val);
        if (!question->plan)
            return;
        question->plan->inner = val;
        question->plan->cost += (uint32_t)cost;
        if (edit == EDIT_WRAPPER_KEY) {
            question->plan->cost += 4 * (count - 1);
            if (!(goal->types & (TYPE_ARRAY | TYPE_OBJECT)))
                question->plan->cost += 4;
        }
        question_answer(aligner, goal, val,
                        question->wrapped ||
                            surety__cell_of(val)->kind < CELL_ARRAY);
        return;
    }
    question->phase = QUESTION_END;
    if (question->within.fits)
        question_offer(aligner, question->within);
    if (!aligner->status)
        known_add(aligner, question);
}

static void question_found(surety__aligner *aligner,
                           struct surety__question *question)
{
    surety__answer answer = aligner->answer;
    bool ambiguous;

    question->phase = QUESTION_WITHIN;
    if (!answer.fits || plan_guesses(answer.plan))
        return;
    question->plan->inner_plan = answer.plan;
    answer.cost += question->plan->cost;
    answer.plan = question->plan;
    if (!question->within.fits) {
        question->within = answer;
        return;
    }
    /* If several values fit, the choice is ambiguous, whatever they cost,
     * unless they give the same result. */
    ambiguous =
        question->within.ambiguous || answer.ambiguous ||
        !answers_agree(aligner, &question->within, &answer, question->val);
    if (answer.cost < question->within.cost)
        question->within = answer;
    question->within.ambiguous = ambiguous;
}

surety__answer surety__align_solve(surety__aligner *aligner, surety__goal *goal,
                                   surety_val val)
{
    aligner->question_count = 0;
    question_ask(aligner, goal, val, false);
    while (aligner->question_count && !aligner->status) {
        struct surety__question *question = question_top(aligner);

        switch ((enum question_phase)question->phase) {
        case QUESTION_BEGIN: question_begin(aligner, question); break;
        case QUESTION_NEXT: question_next(aligner, question); break;
        case QUESTION_CHILD: question_child(aligner, question); break;
        case QUESTION_ANSWERED: question_answered(aligner, question); break;
        case QUESTION_WRAPPED: question_wrapped(aligner, question); break;
        case QUESTION_WITHIN: question_within(aligner, question); break;
        case QUESTION_FOUND: question_found(aligner, question); break;
        case QUESTION_END:
            aligner->answer = question->best;
            aligner->question_count--;
            break;
        }
    }
    return aligner->answer;
}
