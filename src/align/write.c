/* SPDX-License-Identifier: Apache-2.0 */
/* Writes plans: the value that a plan makes, and its edits.
 *
 * The plan is walked with an explicit stack; a value without a plan is copied
 * whole. An edit is recorded when its value begins in the new document, so
 * edits are in the order of the aligned value, outer before inner. */
#include "align/inside.h"

/* A container being written. */
struct surety__align_place {
    const surety__align_plan *plan;
    uint32_t at;        /* the next child */
    uint32_t cursor;    /* for an array: the next item's cell */
    size_t pointer_len; /* length of the pointer before its children */
};

/* Where a plan is being written. */
struct put_turn {
    surety__aligner *aligner;
    surety_doc *doc;
    bool with_edits;
};

/* Counts an edit, and keeps it if the limit allows. cost 0: that of its kind.
 */
static void put_edit(const struct put_turn *turn, unsigned id, uint32_t cost,
                     surety_val from, surety_val to)
{
    surety__aligner *aligner = turn->aligner;
    surety__align_edits *edits = &aligner->edits;
    const surety__edit_row *row = &surety__edit_rows[id];
    surety__edit edit = {row->name, row->likely, cost ? cost : row->cost,
                         {NULL, 0}, from,        to};

    assert(id != EDIT_NONE && id < EDIT_COUNT);
    assert(edits->kept <= edits->count);
    if (!turn->with_edits)
        return;
    edits->count++;
    edits->cost += edit.cost;
    edits->likely += edit.likely;
    if (edits->kept >= aligner->limits.repairs_max ||
        !surety__aligner_room(aligner, &edits->items, &edits->cap, edits->kept,
                              sizeof(edit)))
        return;
    edit.pointer =
        surety__arena_text(&aligner->arena, surety_buf_str(&aligner->pointer));
    edits->items[edits->kept++] = edit;
}

/* The next value to be written. */
static surety_val put_next(const struct put_turn *turn)
{
    return (surety_val){turn->doc, (uint32_t)turn->doc->cell_count};
}

static void put_number(const struct put_turn *turn, surety_str text)
{
    surety_read_options options = {.size = sizeof(options),
                                   .flags = SURETY_READ_BORROW};
    surety_status status;

    status =
        surety_doc_read(turn->aligner->docs[DOC_LITERAL], text, &options, NULL);
    if (status)
        turn->aligner->status = status;
    else
        surety_build_val(turn->doc,
                         surety_doc_root(turn->aligner->docs[DOC_LITERAL]));
}

static void put_open(const struct put_turn *turn,
                     const surety__align_plan *plan)
{
    surety__aligner *aligner = turn->aligner;

    if (!surety__aligner_room(aligner, &aligner->places, &aligner->place_cap,
                              aligner->place_count, sizeof(*aligner->places)))
        return;
    aligner->places[aligner->place_count++] =
        (struct surety__align_place){.plan = plan,
                                     .cursor = plan->val.index + 1,
                                     .pointer_len = aligner->pointer.len};
    if (plan->kind == PLAN_OBJECT || plan->kind == PLAN_MEMBER)
        surety_build_object(turn->doc);
    else
        surety_build_array(turn->doc);
}

/* Writes the value that plan makes of val: a scalar or a copy at once, or the
 * beginning of a container. */
static void put_value(const struct put_turn *turn,
                      const surety__align_plan *plan, surety_val val)
{
    while (plan) {
        if (plan->edit)
            put_edit(turn, plan->edit, plan->cost, plan->val, put_next(turn));
        switch ((enum surety__plan_kind)plan->kind) {
        case PLAN_NULL: surety_build_null(turn->doc); return;
        case PLAN_FALSE:
        case PLAN_TRUE:
            surety_build_bool(turn->doc, plan->kind == PLAN_TRUE);
            return;
        case PLAN_NUMBER: put_number(turn, plan->text); return;
        case PLAN_STRING: surety_build_str(turn->doc, plan->text); return;
        case PLAN_VALUE: surety_build_val(turn->doc, plan->inner); return;
        case PLAN_ARRAY:
        case PLAN_OBJECT:
        case PLAN_WRAP:
        case PLAN_MEMBER: put_open(turn, plan); return;
        case PLAN_INNER: break;
        }
        val = plan->inner;
        plan = plan->inner_plan;
    }
    surety_build_val(turn->doc, val);
}

/* Writes the next member that is kept; one that is left out becomes an edit. */
static void put_member(const struct put_turn *turn,
                       struct surety__align_place *place)
{
    surety__aligner *aligner = turn->aligner;
    const surety__aligned_part *part = &place->plan->parts[place->at++];
    const surety_doc *from = place->plan->val.doc;
    surety_val key = {from, part->key};
    surety_val val = {from, part->key + 1};

    if (part->left_out) {
        if (turn->with_edits)
            surety_pointer_token(&aligner->pointer, surety_val_str(key));
        put_edit(turn, part->left_out, 0, val, surety_val_none());
        return;
    }
    if (turn->with_edits && (part->plan || part->key_edit))
        surety_pointer_token(&aligner->pointer,
                             part->key_edit ? part->name : surety_val_str(key));
    if (part->key_edit) {
        put_edit(turn, part->key_edit, 0, key, put_next(turn));
        surety_build_key(turn->doc, part->name);
    } else {
        surety_build_key_of(turn->doc, key);
    }
    put_value(turn, part->plan, val);
}

/* Writes the only child of a plan that puts a container around its value. */
static void put_inner(const struct put_turn *turn,
                      struct surety__align_place *place)
{
    const surety__align_plan *plan = place->plan;
    const bool is_member = plan->kind == PLAN_MEMBER;

    if (turn->with_edits && plan->inner_plan)
        surety_pointer_token(&turn->aligner->pointer,
                             is_member ? plan->text : SURETY__LITERAL("0"));
    if (is_member)
        surety_build_key(turn->doc, plan->text);
    place->at++;
    put_value(turn, plan->inner_plan, plan->inner);
}

static void put_item(const struct put_turn *turn,
                     struct surety__align_place *place)
{
    const surety__align_plan *plan = place->plan;
    const surety__align_plan *item = plan->items[place->at];
    const surety_val val = {plan->val.doc, place->cursor};

    place->cursor =
        (uint32_t)(surety__cell_after(surety__cell_of(val)) - val.doc->cells);
    if (turn->with_edits && item) {
        surety_buf_byte(&turn->aligner->pointer, '/');
        surety_buf_number(&turn->aligner->pointer, place->at);
    }
    place->at++;
    put_value(turn, item, val);
}

static void put_step(const struct put_turn *turn)
{
    surety__aligner *aligner = turn->aligner;
    struct surety__align_place *place =
        &aligner->places[aligner->place_count - 1];
    const enum surety__plan_kind kind = place->plan->kind;
    const bool is_around = kind == PLAN_WRAP || kind == PLAN_MEMBER;
    const uint32_t count = is_around ? 1 : place->plan->count;

    assert(place->at <= count && place->pointer_len <= aligner->pointer.len);
    aligner->pointer.len = place->pointer_len;
    if (place->at == count) {
        surety_build_close(turn->doc);
        aligner->place_count--;
    } else if (is_around) {
        put_inner(turn, place);
    } else if (kind == PLAN_OBJECT) {
        put_member(turn, place);
    } else {
        put_item(turn, place);
    }
}

bool surety__plan_write(surety__aligner *aligner, const surety__answer *answer,
                        surety_val val, surety_doc *doc, bool with_edits)
{
    struct put_turn turn = {
        .aligner = aligner, .doc = doc, .with_edits = with_edits};
    surety_status status;

    assert(doc != val.doc);
    assert(!with_edits || !aligner->edits.count);
    aligner->place_count = 0;
    surety_buf_reset(&aligner->pointer);
    surety_build_begin(doc, val.doc);
    if (aligner->is_text)
        put_edit(&turn, EDIT_TEXT, 0, surety_val_none(), (surety_val){doc, 0});
    put_value(&turn, answer->plan, val);
    while (aligner->place_count && !aligner->status && !doc->build.status)
        put_step(&turn);
    if (aligner->status)
        return false;
    status = surety_build_end(doc, NULL);
    if (!status && with_edits)
        status = aligner->pointer.status;
    aligner->status = status;
    return !status && surety__aligner_charge(aligner, doc->cell_count / 16);
}
