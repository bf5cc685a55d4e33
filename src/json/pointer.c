/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Pointer (RFC 6901), in both directions: from a pointer to a value, and
 * from a value to its pointer. Neither allocates memory of its own; both walk
 * down from the root and skip whole subtrees. */
#include "json/inside.h"

bool surety__pointer_matches(surety_str token, surety_str key)
{
    size_t used = 0;

    for (size_t i = 0; i < token.len; i++) {
        char byte = token.ptr[i];

        if (byte == '~')
            byte = token.ptr[++i] == '0' ? '~' : '/';
        if (used == key.len || key.ptr[used++] != byte)
            return false;
    }
    return used == key.len;
}

/* Returns whether 0 or 1 follows every "~" of a token. */
static bool pointer_escapes_valid(surety_str token)
{
    for (size_t i = 0; i < token.len; i++)
        if (token.ptr[i] == '~' &&
            (++i == token.len || (token.ptr[i] != '0' && token.ptr[i] != '1')))
            return false;
    return true;
}

static surety_val pointer_member(surety_val object, surety_str token,
                                 bool escaped)
{
    surety_val val;

    if (!escaped)
        return surety_val_member(object, token);
    for (val = surety_val_first(object); val.doc;
         val = surety_val_next(object, val))
        if (surety__pointer_matches(token, surety_val_str(surety_val_key(val))))
            break;
    return val;
}

/* RFC 6901, section 4: digits without a leading zero. "-" is the item after the
 * last one, which does not exist. */
bool surety__pointer_index(surety_str token, uint32_t *ret_index)
{
    uint32_t index = 0;

    if (token.len == 0 || (token.ptr[0] == '0' && token.len > 1))
        return false;
    for (size_t i = 0; i < token.len; i++) {
        const uint32_t digit = (uint32_t)(token.ptr[i] - '0');

        if (!surety__is_digit(token.ptr[i]) ||
            index > (UINT32_MAX - digit) / 10)
            return false;
        index = index * 10 + digit;
    }
    *ret_index = index;
    return true;
}

static surety_val pointer_item(surety_val array, surety_str token)
{
    uint32_t index;

    return surety__pointer_index(token, &index) ? surety_val_item(array, index)
                                                : surety_val_none();
}

surety_val surety_val_at(surety_val val, surety_str pointer)
{
    size_t at = 0;

    while (val.doc && at < pointer.len) {
        surety_str token;
        const char *end;
        bool escaped;

        if (pointer.ptr[at] != '/')
            return surety_val_none();
        token.ptr = pointer.ptr + ++at;
        end = memchr(token.ptr, '/', pointer.len - at);
        at = end ? (size_t)(end - pointer.ptr) : pointer.len;
        token.len = (size_t)(pointer.ptr + at - token.ptr);
        escaped = memchr(token.ptr, '~', token.len);
        if (escaped && !pointer_escapes_valid(token))
            return surety_val_none();
        val = surety_val_kind(val) == SURETY_KIND_ARRAY
                  ? pointer_item(val, token)
                  : pointer_member(val, token, escaped);
    }
    return val;
}

void surety__pointer_word(surety_buf *out, surety_str word)
{
    char *room = surety__buf_room(out, word.len + 1);

    if (!room)
        return;
    *room = '/';
    if (word.len)
        memcpy(room + 1, word.ptr, word.len);
    out->len += word.len + 1;
}

void surety_pointer_token(surety_buf *out, surety_str token)
{
    size_t start = 0;

    if (!token.len || (!memchr(token.ptr, '~', token.len) &&
                       !memchr(token.ptr, '/', token.len))) {
        surety__pointer_word(out, token);
        return;
    }
    surety_buf_byte(out, '/');
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] != '~' && token.ptr[i] != '/')
            continue;
        surety_buf_append(out, token.ptr + start, i - start);
        surety_buf_text(out, token.ptr[i] == '~' ? "~0" : "~1");
        start = i + 1;
    }
    surety_buf_append(out, token.ptr + start, token.len - start);
}

/* Makes step the one at depth. The steps below are of another child unless it
 * was so already. */
static void pointer_remember(surety__pointer_walk *walk, size_t depth,
                             struct surety__pointer_step step)
{
    if (depth >= SURETY__COUNT(walk->steps) ||
        (depth < walk->depth && walk->steps[depth].child == step.child))
        return;
    walk->steps[depth] = step;
    walk->depth = depth + 1;
}

void surety__pointer_walk_to(surety__pointer_walk *walk, surety_val val,
                             surety_buf *out)
{
    const surety_doc *doc = val.doc;
    const surety__cell *cell, *target;

    if (!doc || val.index >= doc->cell_count)
        return;
    if (walk->doc != doc)
        walk->depth = 0;
    walk->doc = doc;
    target = surety__cell_of(val);
    if (target->kind == CELL_KEY)
        target++;
    cell = doc->cells;
    for (size_t depth = 0; cell != target; depth++) {
        const bool object = cell->kind == CELL_OBJECT;
        struct surety__pointer_step step = {
            (uint32_t)(cell - doc->cells) + (object ? 2 : 1), 0};

        assert(cell->kind >= CELL_ARRAY && cell < target);
        if (depth < walk->depth &&
            doc->cells + walk->steps[depth].child <= target)
            step = walk->steps[depth];
        cell = doc->cells + step.child;
        for (; target >= surety__cell_after(cell); step.ordinal++)
            cell = surety__cell_after(cell) + (object ? 1 : 0);
        step.child = (uint32_t)(cell - doc->cells);
        pointer_remember(walk, depth, step);
        if (object) {
            surety_pointer_token(out, surety__cell_str(doc, cell - 1));
        } else {
            surety_buf_byte(out, '/');
            surety_buf_number(out, step.ordinal);
        }
    }
}

void surety_val_pointer(surety_val val, surety_buf *out)
{
    surety__pointer_walk walk;

    walk.doc = NULL;
    surety__pointer_walk_to(&walk, val, out);
}

/* Takes the last token from a pointer. */
static surety_str pointer_take_last(surety_str *pointer)
{
    size_t start = pointer->len;
    surety_str token;

    while (start > 0 && pointer->ptr[start - 1] != '/')
        start--;
    token = (surety_str){start ? pointer->ptr + start : NULL,
                         start ? pointer->len - start : 0};
    pointer->len = start ? start - 1 : 0;
    return token;
}

surety_str surety__pointer_last(surety_str pointer, surety_str *ret_before)
{
    const surety_str last = pointer_take_last(&pointer);

    if (ret_before)
        *ret_before = pointer_take_last(&pointer);
    return last;
}
