/* SPDX-License-Identifier: Apache-2.0 */
/* Keywords that do not define structure. A keyword is sent unchanged if the
 * subset accepts it with this value; otherwise it becomes a sentence at the
 * end of the description. The provider then enforces less than the contract,
 * but the contract still checks the reply. */
#include "strict/node.h"

enum { WORDS_VALUE_MAX = 400 };

static bool keyword_is(const surety__strict_keyword *row, const char *name)
{
    return strcmp(row->name, name) == 0;
}

/* Whether the subset accepts the keyword with this value on this node. */
static bool keyword_fits(const surety_strict *strict, const surety__node *node,
                         const surety__strict_keyword *row, surety_val val)
{
    const surety__subset *subset = strict->subset;
    const uint64_t count = surety_val_uint(val, UINT64_MAX);
    const bool counts = row->types == TYPE_ARRAY || row->types == TYPE_STRING;

    if (!(row->takes >> subset->id & 1))
        return false;
    if (keyword_is(row, "format"))
        return surety__subset_takes_format(subset, surety_val_str(val));
    if (keyword_is(row, "pattern"))
        return surety__subset_takes_pattern(subset, surety_val_str(val));
    if (row->types == TYPE_NUMBER)
        return surety_val_kind(val) == SURETY_KIND_NUMBER &&
               (!(subset->traits & SUBSET_INTEGER_RANGE) ||
                (!(node->types & TYPE_NUMBER) && surety_val_is_integer(val)));
    if (keyword_is(row, "minItems") && subset->min_items_max)
        return count <= subset->min_items_max;
    return !counts || !subset->repeat_max || count < subset->repeat_max;
}

/* Appends the value of a keyword, cut if it is long. */
static void keyword_value(surety_buf *words, const surety__strict_keyword *row,
                          surety_val val)
{
    const size_t start = words->len;

    if (surety_val_kind(val) == SURETY_KIND_STRING && keyword_is(row, "format"))
        surety_buf_add(words, surety_val_str(val));
    else
        surety_val_write(val, SURETY_STYLE_COMPACT, words);
    surety__buf_cut(words, start, WORDS_VALUE_MAX);
}

/* Appends the sentence of a keyword that is not sent. */
static void keyword_words(surety_buf *words, const surety__strict_keyword *row,
                          surety_val val)
{
    const surety_str sentence = surety_str_of(row->words);
    const size_t at = surety__str_find(sentence, SURETY__LITERAL("%.*s"));

    if (words->len)
        surety_buf_byte(words, ' ');
    if (row->types == TYPE_NUMBER &&
        surety_val_kind(val) == SURETY_KIND_BOOLEAN) {
        surety_buf_text(words, "The bound itself is excluded."); /* draft 4 */
        return;
    }
    surety_buf_append(words, sentence.ptr, at);
    if (at == sentence.len)
        return;
    keyword_value(words, row, val);
    surety_buf_text(words, sentence.ptr + at + 4);
}

/* Sends the keyword; false: one of the same name with another value is sent. */
static bool keyword_send(surety_strict *strict, surety__node *node,
                         surety_val val)
{
    const surety_str name = surety_val_str(surety_val_key(val));
    surety_val *sent;

    for (uint32_t i = 0; i < node->keyword_count; i++)
        if (surety_str_equal(surety_val_str(surety_val_key(node->keywords[i])),
                             name))
            return surety_val_equal(node->keywords[i], val);
    sent = surety__arena_take(&strict->arena,
                              (node->keyword_count + 1u) * sizeof(*sent));
    if (!sent)
        return true;
    if (node->keyword_count)
        memcpy(sent, node->keywords, node->keyword_count * sizeof(*sent));
    sent[node->keyword_count++] = val;
    node->keywords = sent;
    return true;
}

static void keyword_move(surety_strict *strict, surety_buf *words,
                         const surety__strict_keyword *row, surety_val val)
{
    keyword_words(words, row, val);
    surety__strict_add_note(
        strict, SURETY_STRICT_REWRITTEN, val,
        row->role == ROLE_ANNOTATION
            ? "it is moved to the description"
            : "it is moved to the description; the contract "
              "still enforces it",
        "%s does not take this \"%s\"", strict->subset->title, row->name);
}

static void keyword_annotate(surety_strict *strict, surety__node *node,
                             surety_buf *words,
                             const surety__strict_keyword *row, surety_val val)
{
    const surety_str text = surety_val_str(val);

    if (keyword_is(row, "title")) {
        if (!node->title.len)
            node->title = text;
    } else if (keyword_is(row, "description")) {
        if (!node->description.len)
            node->description = text;
    } else if (row->takes >> strict->subset->id & 1) {
        keyword_send(strict, node, val);
    } else {
        keyword_move(strict, words, row, val);
    }
}

static void keyword_assert(surety_strict *strict, surety__node *node,
                           surety_buf *words, const surety__strict_keyword *row,
                           surety_val val)
{
    const bool is_bool = surety_val_kind(val) == SURETY_KIND_BOOLEAN;
    unsigned types = row->types;

    if (types & TYPE_NUMBER)
        types |= TYPE_INTEGER;
    /* In a schema that was divided by types, another branch has this
     * keyword. */
    if (types && !(node->conjunction->types & types))
        return;
    if (types && !(node->types & types) && node->form != NODE_NEVER) {
        surety__strict_add_note(
            strict, SURETY_STRICT_REWRITTEN, val, "it is left out",
            "\"%s\" says nothing about values of this type", row->name);
        return;
    }
    if (node->form == NODE_UNION ||
        (is_bool && !surety_val_bool(val, false) && types))
        return;
    if (node->array.as_object &&
        (keyword_is(row, "minItems") || keyword_is(row, "maxItems")))
        return;
    if (node->form == NODE_VALUE && keyword_fits(strict, node, row, val) &&
        keyword_send(strict, node, val))
        return;
    keyword_move(strict, words, row, val);
}

static void keyword_conjunct(surety_strict *strict, surety__node *node,
                             surety_buf *words, const surety__conjunct *one)
{
    const surety__shape *shape = one->shape;
    const surety_dialect dialect = shape->resource->dialect;
    const bool is_alone = dialect <= SURETY_DIALECT_7 &&
                          surety_val_get(shape->at, "$ref").doc != NULL;

    if (surety_val_kind(shape->at) != SURETY_KIND_OBJECT)
        return;
    SURETY_EACH (val, shape->at) {
        const surety_str name = surety_val_str(surety_val_key(val));
        const surety__strict_keyword *row = surety__strict_keyword_of(name);
        surety__keyword keyword;
        if (!row)
            continue;
        keyword = surety__keyword_named(name);
        if (keyword != KW_NONE &&
            surety__keyword_in(keyword, dialect) == KW_NONE)
            continue;
        if (row->role == ROLE_ANNOTATION && !one->quiet)
            keyword_annotate(strict, node, words, row, val);
        else if (row->role == ROLE_ASSERTION && !is_alone)
            keyword_assert(strict, node, words, row, val);
    }
}

void surety__node_keywords(surety_strict *strict, surety__node *node,
                           const surety__facts *facts)
{
    surety_buf words;

    surety_buf_init(&words, strict->alloc, 0);
    for (size_t i = 0; i < facts->all.count; i++)
        keyword_conjunct(strict, node, &words, &facts->all.items[i]);
    surety__node_describe(strict, node, &words);
}
