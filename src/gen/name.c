/* SPDX-License-Identifier: Apache-2.0 */
/* Names in C: made from the contract's names, in ASCII and snake case, none
 * reserved by C or C++, all different.
 *
 * The name of a type is the contract's name and the type's own word, if no
 * other type of the contract has that word; else the name of the enclosing
 * type comes before the word. Names that are still equal get a number. All of
 * this depends only on the order in the schema, so the same schema gives the
 * same names. */
#include "gen/inside.h"

/* An identifier in use: an entry of a map of names. */
typedef struct name_entry {
    struct name_entry *next; /* with the same hash */
    surety_str name;
    unsigned last; /* the last number tried */
} name_entry;

/* Keywords of C11 to C23 and C++20, macros of ISO C and POSIX headers, and
 * types of surety.h that members have; each between two spaces, in
 * alphabetical order. */
static const char name_reserved[] =
    " alignas alignof and and_eq asm assert atomic_cancel atomic_commit auto "
    "bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await co_return co_yield compl complex concept const const_cast "
    "consteval constexpr constinit continue d_fileno decltype default delete "
    "do double dynamic_cast else enum errno explicit export extern false "
    "float for friend goto h_addr h_errno i386 if imaginary inline int linux "
    "long major makedev math_errhandling minor mutable namespace new noexcept "
    "noreturn not not_eq nullptr offsetof operator or or_eq private protected "
    "public reflexpr register reinterpret_cast requires restrict return "
    "s6_addr sa_handler sa_sigaction sched_priority short si_addr si_band "
    "si_fd si_int si_pid si_ptr si_status si_uid si_value signed sizeof "
    "st_atime st_ctime st_mtime static static_assert static_cast stderr stdin "
    "stdout struct surety_str surety_typed_entry surety_val switch "
    "synchronized template this thread_local throw true try typedef typeid "
    "typename typeof typeof_unqual union unix unsigned using va_arg virtual "
    "void volatile wchar_t while xor xor_eq ";

static bool name_is_reserved(surety_str name)
{
    const surety_str reserved = SURETY__LITERAL(name_reserved);
    const char *end = reserved.ptr + reserved.len;

    for (const char *word = reserved.ptr + 1;
         word < end && name.len && *word <= *name.ptr;) {
        const char *next = memchr(word, ' ', (size_t)(end - word));

        assert(next && (next + 1 == end || next[1] >= *word));
        if (surety_str_equal((surety_str){word, (size_t)(next - word)}, name))
            return true;
        word = next + 1;
    }
    return false;
}

/* ---- words --------------------------------------------------------------- */

static bool name_is_upper(char byte)
{
    return byte >= 'A' && byte <= 'Z';
}

static bool name_is_plain(char byte)
{
    return (byte >= 'a' && byte <= 'z') || surety__is_digit(byte);
}

static char name_case(char byte, bool upper)
{
    if (upper && byte >= 'a' && byte <= 'z')
        return (char)(byte - 'a' + 'A');
    if (!upper && name_is_upper(byte))
        return (char)(byte - 'A' + 'a');
    return byte;
}

/* Whether a word begins at i: "fooBar" has two words, and so has
 * "HTTPServer". */
static bool name_begins(surety_str text, size_t i)
{
    const char before = text.ptr[i - 1];
    const char after = i + 1 < text.len ? text.ptr[i + 1] : '\0';

    return name_is_upper(text.ptr[i]) &&
           (name_is_plain(before) ||
            (name_is_upper(before) && after >= 'a' && after <= 'z'));
}

void surety__gen_word(surety_buf *out, surety_str text, bool upper)
{
    const size_t start = out->len;
    bool gap = false;
    size_t i = 0;

    while (i < text.len && out->len - start < GEN_WORD_MAX) {
        const char byte = text.ptr[i];
        unsigned len = 1;

        if ((unsigned char)byte >= 0x80) {
            const uint32_t code =
                surety__utf8_decode(text.ptr + i, text.ptr + text.len, &len);
            if (out->len > start)
                surety_buf_byte(out, '_');
            surety__buf_printf(out, upper ? "U%04X" : "u%04x", code);
            gap = true;
        } else if (name_is_plain(byte) || name_is_upper(byte)) {
            if (out->len > start && (gap || (i && name_begins(text, i))))
                surety_buf_byte(out, '_');
            surety_buf_byte(out, name_case(byte, upper));
            gap = false;
        } else {
            gap = true;
        }
        i += len;
        if (out->status != SURETY_OK)
            return;
    }
    if (out->len == start)
        surety_buf_text(out, upper ? "EMPTY" : "empty");
}

/* ---- identifiers in use -------------------------------------------------- */

static uint64_t name_hash(surety_str name)
{
    return (uint64_t)surety__hash(name.ptr, name.len) << 32 | name.len;
}

static name_entry *name_find(const surety__map *names, surety_str name)
{
    name_entry *entry = surety__map_get(names, name_hash(name));

    while (entry && !surety_str_equal(entry->name, name))
        entry = entry->next;
    return entry;
}

static name_entry *name_add(surety_gen *gen, surety__map *names,
                            surety_str name)
{
    name_entry *entry = surety__arena_take(&gen->arena, sizeof(*entry));

    if (!entry)
        return NULL;
    entry->name = surety__arena_text(&gen->arena, name);
    entry->last = 1;
    entry->next = surety__map_get(names, name_hash(name));
    if (!surety__map_put(names, gen->alloc, name_hash(name), entry))
        gen->status = SURETY_NOMEM;
    return entry;
}

surety_str surety__gen_stem(surety_str name)
{
    if (name.len && name.ptr[name.len - 1] == '_')
        name.len--;
    return name;
}

/* The name in a form such as "@" or "@_count". An underscore that was appended
 * to a reserved word is dropped: "class_", but "class_count". C++ reserves
 * names with "__". */
static surety_str name_formed(surety_gen *gen, surety_buf *scratch,
                              surety_str name, const char *form)
{
    surety_buf_reset(scratch);
    surety__gen_put(scratch, form,
                    strcmp(form, "@") == 0 ? name : surety__gen_stem(name));
    if (scratch->status != SURETY_OK)
        gen->status = scratch->status;
    return surety_buf_str(scratch);
}

static bool name_is_free(surety_gen *gen, const surety__map *names,
                         surety_str name, const char *const *forms,
                         surety_buf *scratch)
{
    for (; *forms; forms++)
        if (name_find(names, name_formed(gen, scratch, name, *forms)))
            return false;
    return true;
}

/* Appends name so that it is a valid and unreserved identifier: POSIX reserves
 * names that end in "_t". */
static void name_escape(surety_buf *out, surety_str name)
{
    if (name.len && name.ptr[0] >= '0' && name.ptr[0] <= '9')
        surety_buf_byte(out, 'n');
    surety_buf_add(out, name);
    if (name_is_reserved(surety_buf_str(out)))
        surety_buf_byte(out, '_');
    else if (out->len > 2 && memcmp(out->ptr + out->len - 2, "_t", 2) == 0)
        surety_buf_text(out, "ype");
}

/* The name, with a number if needed, so that it is unused in all forms, the
 * last of which is followed by NULL. */
static surety_str name_claim(surety_gen *gen, surety__map *names,
                             surety_str name, const char *const *forms)
{
    surety_buf scratch, tried;
    surety_str result;
    name_entry *first;
    size_t len;

    surety_buf_init(&scratch, gen->alloc, 0);
    surety_buf_init(&tried, gen->alloc, 0);
    name_escape(&tried, name);
    first = name_find(names, surety_buf_str(&tried));
    len = surety__gen_stem(surety_buf_str(&tried)).len;
    for (unsigned n = first ? first->last : 1; gen->status == SURETY_OK; n++) {
        if (n > 1) {
            tried.len = len;
            surety__buf_printf(&tried, "_%u", n);
        }
        if (first)
            first->last = n;
        if (tried.status != SURETY_OK ||
            name_is_free(gen, names, surety_buf_str(&tried), forms, &scratch))
            break;
    }
    result = surety__arena_buf(&gen->arena, &tried);
    for (; *forms && gen->status == SURETY_OK; forms++)
        name_add(gen, names, name_formed(gen, &scratch, result, *forms));
    surety_buf_done(&scratch);
    return result;
}

surety_str surety__gen_claim(surety_gen *gen, surety__map *names,
                             surety_str name)
{
    static const char *const alone[] = {"@", NULL};

    return name_claim(gen, names, name, alone);
}

/* ---- the root ------------------------------------------------------------ */

/* Replaces "surety" at the beginning by "contract": names that begin with
 * "surety_" belong to the library. */
static void name_disown(surety_buf *name)
{
    const surety_str own = SURETY__LITERAL("surety");
    const surety_str other = SURETY__LITERAL("contract");

    if (!surety__str_starts(surety_buf_str(name), own) ||
        (name->len > own.len && name->ptr[own.len] != '_'))
        return;
    surety_buf_append(name, other.ptr, other.len - own.len);
    if (name->status != SURETY_OK)
        return;
    memmove(name->ptr + other.len, name->ptr + own.len, name->len - other.len);
    memcpy(name->ptr, other.ptr, other.len);
}

/* The part of a contract's name after the last slash. */
static surety_str name_last(surety_str name)
{
    for (size_t i = name.len; i > 0; i--)
        if (name.ptr[i - 1] == '/')
            return (surety_str){name.ptr + i, name.len - i};
    return name;
}

/* Appends the contract's name as an identifier. */
static void root_name(const surety__gen_model *model, surety_buf *out)
{
    surety_str name = surety_contract_info_of(model->contract)->name;

    if (model->gen->prefix.len) {
        surety_buf_add(out, model->gen->prefix);
        surety_buf_byte(out, '_');
        name = name_last(name);
    }
    surety__gen_word(out, name.len ? name : SURETY__LITERAL("value"), false);
    name_disown(out);
    /* A single word might be a function of the C library. */
    if (out->status == SURETY_OK && (!memchr(out->ptr, '_', out->len) ||
                                     name_is_reserved(surety_buf_str(out))))
        surety_buf_text(out, "_value");
}

/* Names the functions of the derived members. */
static void root_derives(surety__gen_model *model)
{
    const surety_val derive = surety_contract_info_of(model->contract)->derive;
    surety_gen *gen = model->gen;
    size_t count = 0;

    model->derives = surety__arena_take(
        &gen->arena, surety_val_count(derive) * sizeof(*model->derives));
    for (surety_val v = surety_val_first(derive);
         v.doc && gen->status == SURETY_OK; v = surety_val_next(derive, v)) {
        surety_buf name;

        surety_buf_init(&name, gen->alloc, 0);
        surety__gen_put(&name, "@_derive_", model->prefix);
        surety__gen_word(&name, surety_val_str(surety_val_key(v)), false);
        model->derives[count++] = surety__gen_claim(
            gen, &gen->names, surety__arena_buf(&gen->arena, &name));
    }
}

void surety__gen_name_root(surety__gen_model *model)
{
    static const char *const functions[] = {
        "@",       "@_contract", "@_read", "@_from",   "@_to", "@_write",
        "@_check", "@_print",    "@_free", "@_derive", NULL};
    surety_gen *gen = model->gen;
    surety_buf name;

    surety_buf_init(&name, gen->alloc, 0);
    root_name(model, &name);
    model->root->in_c.name = model->prefix = name_claim(
        gen, &gen->names, surety__arena_buf(&gen->arena, &name), functions);
    if (gen->status == SURETY_OK)
        root_derives(model);
}

/* ---- types --------------------------------------------------------------- */

static bool type_is_named(const surety__gen_model *model,
                          const surety__gen_node *node)
{
    if (!node->place.placed)
        return false;
    switch (node->form) {
    case SURETY_TYPED_ENUM:
    case SURETY_TYPED_STRUCT:
    case SURETY_TYPED_TUPLE:
    case SURETY_TYPED_UNION:
    case SURETY_TYPED_WRAP: return node != model->root;
    case SURETY_TYPED_LIST: return node->place.needs_holder;
    case SURETY_TYPED_MAP:
        return node->place.needs_holder || node->rest != model->value;
    default: return false;
    }
}

/* Appends PREFIX_WORD or, if whole, the enclosing type's name instead of the
 * prefix, unless that gets too long. */
static void type_propose(const surety__gen_model *model,
                         const surety__gen_node *node, bool whole,
                         surety_buf *name)
{
    const surety_str word =
        node->label.word.len ? node->label.word : SURETY__LITERAL("value");
    const surety__gen_node *parent = node->label.parent;

    while (parent && !parent->in_c.name.len)
        parent = parent->label.parent;
    whole = whole && parent && parent->in_c.name.len + word.len < GEN_TYPE_MAX;
    surety_buf_add(name, whole ? parent->in_c.name : model->prefix);
    surety_buf_byte(name, '_');
    surety__gen_word(name, word, false);
    if (name->len > GEN_TYPE_MAX)
        name->len = GEN_TYPE_MAX;
    while (name->len && name->ptr[name->len - 1] == '_')
        name->len--;
}

static void type_name(surety__gen_model *model, surety__gen_node *node,
                      const surety__map *counts)
{
    static const char *const forms[] = {"@",      "@_name",  "@_of",
                                        "@_kind", "@_entry", NULL};
    surety_gen *gen = model->gen;
    const name_entry *entry;
    surety_buf name;

    surety_buf_init(&name, gen->alloc, 0);
    type_propose(model, node, false, &name);
    entry = name_find(counts, surety_buf_str(&name));
    if (name.status == SURETY_OK &&
        (node->label.inner || !entry || entry->last > 1)) {
        surety_buf_reset(&name);
        type_propose(model, node, !node->label.top, &name);
    }
    node->in_c.name = name_claim(gen, &gen->names,
                                 surety__arena_buf(&gen->arena, &name), forms);
}

/* Counts how many types propose each short name. */
static void type_count(surety__gen_model *model, const surety__gen_node *node,
                       surety__map *counts)
{
    name_entry *entry;
    surety_buf name;
    surety_str text;

    surety_buf_init(&name, model->gen->alloc, 0);
    type_propose(model, node, false, &name);
    text = surety__arena_buf(&model->gen->arena, &name);
    entry = name_find(counts, text);
    if (entry)
        entry->last++;
    else
        name_add(model->gen, counts, text);
}

/* ---- members, words and branches ----------------------------------------- */

static void member_name(surety_gen *gen, surety__map *names,
                        surety__gen_member *member)
{
    const char *forms[5] = {"@"};
    surety_buf word;
    size_t count = 1;

    if (surety__gen_has(member))
        forms[count++] = "has_@";
    if (surety__gen_has_null(member))
        forms[count++] = "@_is_null";
    if (surety__gen_is_span(member->node))
        forms[count++] = "@_count";
    surety_buf_init(&word, gen->alloc, 0);
    surety__gen_word(&word, member->json, false);
    /* In C++ a member must not have the name of another member's type. */
    if (name_find(&gen->names, surety_buf_str(&word)))
        surety_buf_byte(&word, '_');
    member->name =
        name_claim(gen, names, surety__arena_buf(&gen->arena, &word), forms);
}

/* The name NAME_WORD in upper case. */
static surety_str constant_name(surety_gen *gen, surety_str name,
                                surety_str word)
{
    surety_buf text;

    surety_buf_init(&text, gen->alloc, 0);
    for (size_t i = 0; i < name.len; i++)
        surety_buf_byte(&text, name_case(name.ptr[i], true));
    surety_buf_byte(&text, '_');
    surety__gen_word(&text, word, true);
    return surety__gen_claim(gen, &gen->names,
                             surety__arena_buf(&gen->arena, &text));
}

static void enum_names(surety__gen_model *model, surety__gen_node *node)
{
    assert(node->in_c.name.len);
    node->in_c.words = surety__arena_take(
        &model->gen->arena, node->word_count * sizeof(*node->in_c.words));
    for (uint32_t i = 0; i < node->word_count && node->in_c.words; i++)
        node->in_c.words[i] = constant_name(model->gen, node->in_c.name,
                                            surety_val_str(node->words[i]));
}

static surety_str union_word(const surety__gen_member *member)
{
    const surety__gen_node *node = member->node;

    if (member->json.len && node->form != GEN_NULL)
        return member->json;
    if (node->label.top && node->label.word.len && node->form != GEN_NULL)
        return node->label.word;
    if (node->form == SURETY_TYPED_FIXED &&
        surety_val_kind(node->words[0]) == SURETY_KIND_STRING)
        return surety_val_str(node->words[0]);
    return surety_str_of(surety__gen_forms[node->form].branch);
}

static void union_names(surety__gen_model *model, surety__gen_node *node)
{
    surety_gen *gen = model->gen;
    surety__map names = {0};

    assert(node->in_c.name.len);
    node->in_c.kind = surety__gen_join(gen, node->in_c.name, "_kind");
    node->in_c.words = surety__arena_take(
        &gen->arena, node->member_count * sizeof(*node->in_c.words));
    for (uint32_t i = 0; i < node->member_count && node->in_c.words; i++) {
        surety__gen_member *member = &node->members[i];

        member->json = union_word(member);
        member_name(gen, &names, member);
        node->in_c.words[i] = constant_name(gen, node->in_c.name, member->json);
    }
    surety__map_done(&names, gen->alloc);
}

static void struct_names(surety__gen_model *model, surety__gen_node *node)
{
    static const char *const rest[] = {"@", "@_count", NULL};
    surety_gen *gen = model->gen;
    surety__map names = {0};

    for (uint32_t i = 0; i < node->member_count; i++)
        member_name(gen, &names, &node->members[i]);
    if (node->rest)
        node->in_c.rest = name_claim(gen, &names,
                                     node->form == SURETY_TYPED_TUPLE
                                         ? SURETY__LITERAL("rest")
                                         : SURETY__LITERAL("others"),
                                     rest);
    surety__map_done(&names, gen->alloc);
}

/* The word of a node inside the source file. */
static surety_str type_word(const surety__gen_model *model,
                            const surety__gen_node *node)
{
    const surety_str name = surety_contract_info_of(model->contract)->name;
    const char *word = surety__gen_forms[node->form].word;

    if (node == model->root)
        return name.len ? name_last(name) : SURETY__LITERAL("root");
    if (word)
        return surety_str_of(word);
    return node->label.word.len ? node->label.word : SURETY__LITERAL("part");
}

/* Names a node's tables, and its constant in the table of types. */
static void type_local(surety__gen_model *model, surety__gen_node *node)
{
    static const char *const tables[] = {"@_members", "@_words", "@_sorted",
                                         "@_text",    "@_types", "@_typed",
                                         NULL};
    surety_gen *gen = model->gen;
    surety_buf word;

    assert(node->place.placed && !node->in_c.local.ptr);
    surety_buf_init(&word, gen->alloc, 0);
    surety__gen_word(&word, type_word(model, node), false);
    name_disown(&word);
    if (word.len > GEN_LOCAL_MAX)
        word.len = GEN_LOCAL_MAX;
    while (word.len > 1 && word.ptr[word.len - 1] == '_')
        word.len--;
    node->in_c.local = surety__gen_stem(name_claim(
        gen, &gen->names, surety__arena_buf(&gen->arena, &word), tables));
    if (node->in_c.local.ptr)
        node->in_c.constant =
            constant_name(gen, SURETY__LITERAL("is"), node->in_c.local);
}

void surety__gen_name_types(surety__gen_model *model)
{
    surety_gen *gen = model->gen;
    surety__map counts = {0};

    for (size_t i = 0; i < model->node_count && gen->status == SURETY_OK; i++)
        if (type_is_named(model, model->nodes[i]))
            type_count(model, model->nodes[i], &counts);
    for (size_t i = 0; i < model->node_count && gen->status == SURETY_OK; i++)
        if (type_is_named(model, model->nodes[i]))
            type_name(model, model->nodes[i], &counts);
    surety__map_done(&counts, gen->alloc);
    for (size_t i = 0; i < model->order_count && gen->status == SURETY_OK;
         i++) {
        surety__gen_node *node = model->order[i];

        type_local(model, node);
        if (node->form == SURETY_TYPED_ENUM)
            enum_names(model, node);
        else if (node->form == SURETY_TYPED_UNION)
            union_names(model, node);
        else if (node->member_count)
            struct_names(model, node);
        if (node->form == SURETY_TYPED_MAP)
            node->in_c.entry =
                node->rest == model->value
                    ? SURETY__LITERAL("surety_typed_entry")
                    : surety__gen_join(gen, node->in_c.name, "_entry");
    }
}
