/* SPDX-License-Identifier: Apache-2.0 */
/* Elements named as members.
 *
 * - An element with text is a member with that text; one with elements is an
 *   object; several of one name beside one another are an array.
 * - An element whose name the contract does not have may be all around the
 *   members, or around the items of an array, whose names do not count then.
 * - Attributes are members, too.
 * - Text beside elements, a name that nothing knows, and what XML has besides
 *   (processing instructions, own entities) make it no value.
 *
 * The elements are a list of nodes in the order of the text, read without
 * recursion, and written from it. */
#include "form/inside.h"

enum {
    XML_NODES_MAX = 4096,
    XML_DEPTH_MAX = 64,
    XML_ENTITY_MAX = 12 /* bytes of an entity */
};

typedef struct xml_node {
    form_span name;
    form_span text; /* of a leaf; of an attribute: its value */
    size_t start, end;
    uint32_t after; /* the first node that is not in it */
    uint32_t count; /* of elements and attributes in it */
    bool filled;    /* it has text */
    bool attribute;
    bool written;
} xml_node;

/* The nodes of one stretch. */
typedef struct xml_tree {
    surety__forms *forms;
    xml_node *nodes;
    uint32_t count, cap;
    size_t at;
    uint32_t open[XML_DEPTH_MAX];
    size_t depth;
} xml_tree;

static bool xml_is_name(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' ||
           byte == '.' || (unsigned char)byte >= 0x80;
}

static bool xml_is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static char xml_byte(const xml_tree *tree, size_t at)
{
    return at < tree->forms->text.len ? tree->forms->text.ptr[at] : '\0';
}

static void xml_blanks(xml_tree *tree)
{
    while (tree->at < tree->forms->text.len &&
           xml_is_blank(tree->forms->text.ptr[tree->at]))
        tree->at++;
}

/* The name at hand; empty: there is none. */
static form_span xml_name(xml_tree *tree)
{
    const size_t from = tree->at;

    while (tree->at < tree->forms->text.len &&
           xml_is_name(tree->forms->text.ptr[tree->at]))
        tree->at++;
    return (form_span){from, tree->at};
}

static surety_str xml_str(const xml_tree *tree, form_span span)
{
    return surety__form_str(tree->forms, span);
}

/* A new node in those that are open; NULL: there are too many. */
static xml_node *xml_add(xml_tree *tree, form_span name)
{
    xml_node *node;

    if (tree->count == XML_NODES_MAX)
        return NULL;
    if (surety__grow(tree->forms->alloc, &tree->forms->nodes,
                     &tree->forms->node_cap, tree->count + (size_t)1,
                     sizeof(*node), XML_NODES_MAX) != SURETY_OK) {
        tree->forms->status = SURETY_NOMEM;
        return NULL;
    }
    tree->forms->node_size = sizeof(*node);
    tree->nodes = tree->forms->nodes;
    if (tree->depth) {
        xml_node *outer = &tree->nodes[tree->open[tree->depth - 1]];

        if (outer->filled)
            return NULL;
        outer->count++;
    }
    node = &tree->nodes[tree->count++];
    *node = (xml_node){.name = name};
    return node;
}

/* Reads attributes up to the end of the tag. False: it is none. */
static bool xml_attributes(xml_tree *tree, bool *ret_closed)
{
    for (;;) {
        form_span name;
        xml_node *node;
        const char *hit;
        char quote;

        xml_blanks(tree);
        if (xml_byte(tree, tree->at) == '>' ||
            (xml_byte(tree, tree->at) == '/' &&
             xml_byte(tree, tree->at + 1) == '>')) {
            *ret_closed = xml_byte(tree, tree->at) == '/';
            tree->at += *ret_closed ? 2 : 1;
            return true;
        }
        name = xml_name(tree);
        if (name.at == name.end || xml_byte(tree, tree->at++) != '=')
            return false;
        quote = xml_byte(tree, tree->at++);
        if (quote != '"' && quote != '\'')
            return false;
        hit = memchr(tree->forms->text.ptr + tree->at, quote,
                     tree->forms->text.len - tree->at);
        node = hit ? xml_add(tree, name) : NULL;
        if (!node)
            return false;
        node->attribute = node->filled = true;
        node->start = name.at;
        node->text =
            (form_span){tree->at, (size_t)(hit - tree->forms->text.ptr)};
        node->end = tree->at = node->text.end + 1;
        node->after = tree->count;
    }
}

/* Reads an opening tag at `at`. False: it is none. */
static bool xml_open(xml_tree *tree)
{
    const size_t start = tree->at++;
    const form_span name = xml_name(tree);
    xml_node *node;
    uint32_t index;
    bool closed;

    if (name.at == name.end || tree->depth == XML_DEPTH_MAX)
        return false;
    index = tree->count;
    node = xml_add(tree, name);
    if (!node)
        return false;
    node->start = start;
    tree->open[tree->depth++] = index;
    if (!xml_attributes(tree, &closed))
        return false;
    node = &tree->nodes[index];
    node->text = (form_span){tree->at, tree->at};
    node->after = tree->count;
    node->end = tree->at;
    tree->depth -= closed;
    return true;
}

/* Reads a closing tag at `at`, which must be that of the innermost element. */
static bool xml_close(xml_tree *tree)
{
    xml_node *node;
    size_t start = tree->at;
    form_span name;

    if (!tree->depth)
        return false;
    node = &tree->nodes[tree->open[--tree->depth]];
    tree->at += 2;
    name = xml_name(tree);
    xml_blanks(tree);
    if (!surety_str_equal(xml_str(tree, name), xml_str(tree, node->name)) ||
        xml_byte(tree, tree->at) != '>')
        return false;
    if (!node->count)
        node->text.end = start;
    node->end = ++tree->at;
    node->after = tree->count;
    return true;
}

/* Skips text up to the next tag. False: there is text where none may be. */
static bool xml_text(xml_tree *tree)
{
    const surety_str text = tree->forms->text;
    const char *hit = memchr(text.ptr + tree->at, '<', text.len - tree->at);
    const size_t end = hit ? (size_t)(hit - text.ptr) : text.len;
    xml_node *node = &tree->nodes[tree->open[tree->depth - 1]];
    const bool blank =
        surety__form_is_blank(tree->forms, (form_span){tree->at, end});

    tree->at = end;
    if (!hit || (!blank && node->count))
        return false;
    node->filled |= !blank;
    return true;
}

/* Whether the bytes at hand are `mark`. */
static bool xml_is(const xml_tree *tree, const char *mark)
{
    return surety__str_starts((surety_str){tree->forms->text.ptr + tree->at,
                                           tree->forms->text.len - tree->at},
                              surety_str_of(mark));
}

/* Skips what begins with <!: a comment, or text as it is. */
static bool xml_marked(xml_tree *tree)
{
    const bool data = xml_is(tree, "<![CDATA[");
    form_span rest = {tree->at, tree->forms->text.len}, inner;
    xml_node *node = &tree->nodes[tree->open[tree->depth - 1]];

    if (!data && !xml_is(tree, "<!--"))
        return false;
    if (!surety__form_until(tree->forms, &rest, data ? "]]>" : "-->", &inner) ||
        (data && node->count))
        return false;
    node->filled |= data;
    tree->at = rest.at;
    return true;
}

/* Reads the element at `at` to its end. */
static bool xml_element(xml_tree *tree)
{
    if (!xml_open(tree))
        return false;
    while (tree->depth) {
        if (tree->at >= tree->forms->text.len)
            return false;
        if (xml_byte(tree, tree->at) != '<') {
            if (!xml_text(tree))
                return false;
        } else if (xml_byte(tree, tree->at + 1) == '/') {
            if (!xml_close(tree))
                return false;
        } else if (xml_byte(tree, tree->at + 1) == '!') {
            if (!xml_marked(tree))
                return false;
        } else if (!xml_open(tree)) {
            return false;
        }
    }
    return true;
}

/* ---- text ---------------------------------------------------------------- */

/* The character of an entity; 0: it is none that XML has. */
static uint32_t xml_entity(surety_str name)
{
    static const struct {
        const char *name;
        char byte;
    } known[] = {
        {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    uint32_t code = 0;
    bool hex;

    for (size_t i = 0; i < SURETY__COUNT(known); i++)
        if (surety_str_equal(name, surety_str_of(known[i].name)))
            return (unsigned char)known[i].byte;
    if (name.len < 2 || name.ptr[0] != '#')
        return 0;
    hex = name.ptr[1] == 'x' || name.ptr[1] == 'X';
    for (size_t i = hex ? 2 : 1; i < name.len; i++) {
        const char byte = name.ptr[i];
        const char lower = (char)(byte | 0x20);

        if (byte >= '0' && byte <= '9')
            code = code * (hex ? 16 : 10) + (uint32_t)(byte - '0');
        else if (hex && lower >= 'a' && lower <= 'f')
            code = code * 16 + (uint32_t)(lower - 'a') + 10;
        else
            return 0;
        if (code > 0x10FFFF)
            return 0;
    }
    return code >= 0xD800 && code < 0xE000 ? 0 : code;
}

/* Writes a character as UTF-8. */
static size_t xml_utf8(uint32_t code, char *to)
{
    size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    for (size_t i = len; i-- > 1; code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3F));
    to[0] = (char)(len == 1 ? code : (0xF00u >> len & 0xFFu) | code);
    return len;
}

/* The text of a span without its markup; no address: an entity is unknown. */
static surety_str xml_plain(xml_tree *tree, form_span span)
{
    const surety_str text = surety__str_trim(xml_str(tree, span));
    char *copy;
    size_t len = 0;

    if (!text.len ||
        (!memchr(text.ptr, '&', text.len) && !memchr(text.ptr, '<', text.len)))
        return text;
    copy = surety__arena_take(&tree->forms->names, text.len);
    if (!copy) {
        tree->forms->status = SURETY_NOMEM;
        return (surety_str){0};
    }
    for (size_t i = 0; i < text.len;) {
        surety_str rest = {text.ptr + i, text.len - i};
        const bool data =
            surety__str_starts(rest, SURETY__LITERAL("<![CDATA["));
        size_t end;

        if (rest.ptr[0] == '<') { /* xml_marked has found its end */
            end = surety__str_find(rest, data ? SURETY__LITERAL("]]>")
                                              : SURETY__LITERAL("-->"));
            i += end + 3;
            if (data) {
                memcpy(copy + len, rest.ptr + 9, end - 9);
                len += end - 9;
            }
        } else if (rest.ptr[0] == '&') {
            uint32_t code;

            rest.len = rest.len < XML_ENTITY_MAX ? rest.len : XML_ENTITY_MAX;
            end = surety__str_find(rest, SURETY__LITERAL(";"));
            code = end < rest.len
                       ? xml_entity((surety_str){rest.ptr + 1, end - 1})
                       : 0;
            if (!code)
                return (surety_str){0};
            len += xml_utf8(code, copy + len);
            i += end + 1;
        } else {
            copy[len++] = text.ptr[i++];
        }
    }
    return (surety_str){copy, len};
}

/* ---- writing ------------------------------------------------------------- */

/* Whether the nodes from `at` to `stop`, side by side, are items: they have one
 * name, which no member has. */
static bool xml_are_items(const xml_tree *tree, uint32_t at, uint32_t stop)
{
    const surety_str name = xml_str(tree, tree->nodes[at].name);

    if (surety__form_knows(tree->forms, name))
        return false;
    for (uint32_t i = at; i < stop; i = tree->nodes[i].after)
        if (tree->nodes[i].attribute ||
            !surety_str_equal(name, xml_str(tree, tree->nodes[i].name)))
            return false;
    return true;
}

/* The next node of the same name that is not written, or stop. */
static uint32_t xml_twin(const xml_tree *tree, uint32_t at, uint32_t stop)
{
    const surety_str name = xml_str(tree, tree->nodes[at].name);

    for (uint32_t i = tree->nodes[at].after; i < stop; i = tree->nodes[i].after)
        if (surety_str_equal(name, xml_str(tree, tree->nodes[i].name)))
            return i;
    return stop;
}

/* What is being written: the nodes side by side from `at` to `stop`. */
typedef struct xml_level {
    uint32_t at, stop;
    uint32_t twin; /* the next one of an array; stop: there is none */
    bool array;    /* they are items */
    bool list;     /* a twin's array is open */
    size_t end;    /* the text's byte of the closing bracket */
} xml_level;

/* Begins the value of a node. False: it is none. */
static bool xml_begin(xml_tree *tree, uint32_t index, xml_level *level)
{
    const xml_node *node = &tree->nodes[index];
    surety_str text;

    if (!node->count) {
        text = xml_plain(tree, node->text);
        if (text.ptr)
            surety__form_scalar(tree->forms, text,
                                surety__form_trim(tree->forms, node->text));
        level->at = level->stop = 0;
        return text.ptr != NULL;
    }
    if (node->filled)
        return false;
    *level = (xml_level){.at = index + 1, .stop = node->after};
    level->array = xml_are_items(tree, level->at, level->stop);
    level->end = node->end - 1;
    surety__form_bracket(tree->forms, level->array ? '[' : '{', node->start);
    return true;
}

/* The next member or item of a level: *ret_node; false: an unknown name. */
static bool xml_step(xml_tree *tree, xml_level *level, uint32_t *ret_node)
{
    surety_str member;
    xml_node *node;

    if (level->list) {
        *ret_node = level->twin;
        tree->nodes[level->twin].written = true;
        level->twin = xml_twin(tree, level->twin, level->stop);
        return true;
    }
    node = &tree->nodes[level->at];
    *ret_node = level->at;
    node->written = true;
    if (level->array) {
        level->at = node->after;
        return true;
    }
    member = surety__form_member(tree->forms, xml_str(tree, node->name));
    if (!member.len)
        return false;
    surety__form_string(tree->forms, member, node->name, true);
    level->twin = xml_twin(tree, level->at, level->stop);
    level->list = level->twin < level->stop;
    if (level->list)
        surety__form_bracket(tree->forms, '[', node->start);
    level->at = node->after;
    return true;
}

/* Writes the nodes, side by side at the root. False: they are no value. */
static bool xml_write(xml_tree *tree)
{
    xml_level levels[XML_DEPTH_MAX + 1];
    size_t depth = 1;

    levels[0] = (xml_level){.stop = tree->count, .end = tree->at - 1};
    /* One around all whose name no member has is not looked at. */
    if (tree->nodes[0].after == tree->count && tree->nodes[0].count &&
        !surety__form_knows(tree->forms, xml_str(tree, tree->nodes[0].name))) {
        levels[0].at = 1;
        levels[0].array = xml_are_items(tree, 1, tree->count);
    }
    surety__form_bracket(tree->forms, levels[0].array ? '[' : '{',
                         tree->nodes[0].start);
    while (depth) {
        xml_level *level = &levels[depth - 1];
        uint32_t node;

        if (level->list && level->twin >= level->stop) {
            level->list = false;
            surety__form_bracket(tree->forms, ']', level->end);
        }
        while (!level->list && level->at < level->stop &&
               tree->nodes[level->at].written)
            level->at = tree->nodes[level->at].after;
        if (!level->list && level->at >= level->stop) {
            surety__form_bracket(tree->forms, level->array ? ']' : '}',
                                 level->end);
            depth--;
            continue;
        }
        if (!xml_step(tree, level, &node) || depth > XML_DEPTH_MAX ||
            !xml_begin(tree, node, &levels[depth]))
            return false;
        depth += levels[depth].stop > 0;
    }
    return true;
}

/* Reads the elements that begin at `at`, one behind the other. Returns where
 * they end; 0: they are no value. */
static size_t xml_take(surety__forms *forms, size_t at)
{
    xml_tree tree = {.forms = forms, .nodes = forms->nodes, .at = at};
    size_t end = 0;
    surety__formed *reading;

    while (xml_byte(&tree, tree.at) == '<' &&
           xml_is_name(xml_byte(&tree, tree.at + 1))) {
        const uint32_t before = tree.count;

        if (!xml_element(&tree)) {
            tree.count = before;
            return 0;
        }
        end = tree.at;
        xml_blanks(&tree);
    }
    tree.at = end;
    reading = end ? surety__form_begin(forms, SURETY_FORM_XML, at) : NULL;
    if (!reading)
        return 0;
    reading->weak = true;
    if (!xml_write(&tree) || !surety__form_is_unique(forms)) {
        surety__form_drop(forms);
        return 0;
    }
    surety__form_end(forms, end);
    return end;
}

void surety__form_xml(surety__forms *forms)
{
    size_t at = 0;

    while (at < forms->text.len && forms->failures < FORM_FAILURES_MAX &&
           forms->status == SURETY_OK) {
        const char *hit =
            memchr(forms->text.ptr + at, '<', forms->text.len - at);
        size_t end;

        if (!hit)
            return;
        at = (size_t)(hit - forms->text.ptr);
        if (at + 1 == forms->text.len || !xml_is_name(hit[1])) {
            at++;
            continue;
        }
        end = xml_take(forms, at);
        forms->failures += !end;
        at = end ? end : at + 1;
    }
}
