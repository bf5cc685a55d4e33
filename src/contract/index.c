/* SPDX-License-Identifier: Apache-2.0 */
/* index.c: all contracts that a registry can find, as one sorted table.
 *
 * A file that is no valid contract is also a row, with its error: without the
 * row, a listing would hide the mistake. Contracts are not compiled here; only
 * their heads are read. */
#include <stdlib.h>

#include "contract/registry.h"

enum {
    INDEX_DEPTH = 8,           /* levels of folders below a registry's folder */
    INDEX_RECORDS_MAX = 100000 /* files and aliases */
};

bool surety__name_valid(surety_str text)
{
    bool word = false; /* a letter, digit or "-" came before */

    if (text.len == 0 || text.len > 128)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        const bool plain =
            (byte >= 'a' && byte <= 'z') || surety__is_digit(byte);

        if (!plain && (!word || (byte != '-' && byte != '/')))
            return false;
        word = plain || byte == '-';
    }
    return text.ptr[text.len - 1] != '/';
}

surety_str surety__name_split(surety_str text, surety_str *ret_version)
{
    const size_t len = surety__str_find(text, SURETY__LITERAL("@"));

    *ret_version = (surety_str){NULL, 0};
    if (len < text.len)
        *ret_version = (surety_str){text.ptr + len + 1, text.len - len - 1};
    text.len = len;
    return text;
}

const surety__embedded *surety__builtin_find(surety_str name)
{
    for (size_t i = 0; i < surety__builtins_count; i++)
        if (surety_str_equal(surety_str_of(surety__builtins[i].name), name))
            return &surety__builtins[i];
    return NULL;
}

surety_status surety__head_read(surety_doc *doc, surety_str text,
                                const surety_limits *limits,
                                surety__head *ret_head, surety_error *reterr)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_SKIP_BOM,
                                         .limits = limits};
    const surety_status status = surety_doc_read(doc, text, &options, reterr);
    surety_val root;
    surety_val own;

    if (status != SURETY_OK)
        return status;
    root = surety_doc_root(doc);
    if (surety_val_kind(root) != SURETY_KIND_OBJECT &&
        surety_val_kind(root) != SURETY_KIND_BOOLEAN)
        return surety__policy_fail(root, reterr,
                                   "a contract is an object or a boolean");
    own = surety_val_get(root, "x-surety");
    ret_head->name = surety_val_str(surety_val_get(own, "name"));
    ret_head->version = surety_val_str(surety_val_get(own, "version"));
    ret_head->deprecated = surety_val_str(surety_val_get(own, "deprecated"));
    ret_head->aliases = surety_val_get(own, "aliases");
    ret_head->title = surety_val_str(surety_val_get(root, "title"));
    if (ret_head->title.len == 0)
        ret_head->title = surety_val_str(surety_val_get(root, "description"));
    return SURETY_OK;
}

void surety__index_init(surety__index *index, const surety_alloc *alloc)
{
    *index = (surety__index){.alloc = alloc};
    surety__arena_init(&index->arena, alloc, 0);
}

void surety__index_done(surety__index *index)
{
    surety__free(index->alloc, index->records,
                 index->cap * sizeof(*index->records));
    surety__arena_done(&index->arena);
    index->records = NULL;
    index->count = 0;
    index->cap = 0;
}

static surety_status index_push(surety__index *index, surety__record record)
{
    const surety_status status = surety__grow(
        index->alloc, &index->records, &index->cap, index->count + 1,
        sizeof(*index->records), INDEX_RECORDS_MAX);

    if (status == SURETY_OK)
        index->records[index->count++] = record;
    return status;
}

/* Adds a contract and its aliases. */
static surety_status index_add_head(surety__index *index, surety__record record,
                                    const surety__head *head)
{
    surety_registry_entry *entry = &record.entry;
    const surety_str name = entry->name;
    surety_status status;

    assert(name.len > 0 && entry->source.len > 0);
    entry->version = surety__arena_text(&index->arena, head->version);
    entry->title = surety__arena_text(&index->arena, head->title);
    entry->deprecated = surety__arena_text(&index->arena, head->deprecated);
    if (!entry->version.ptr || !entry->title.ptr || !entry->deprecated.ptr)
        return SURETY_NOMEM;
    status = index_push(index, record);
    for (surety_val alias = surety_val_first(head->aliases);
         alias.doc && status == SURETY_OK;
         alias = surety_val_next(head->aliases, alias)) {
        if (!surety__name_valid(surety_val_str(alias)))
            continue;
        entry->alias_of = name;
        entry->name = surety__arena_text(&index->arena, surety_val_str(alias));
        if (!entry->name.ptr)
            return SURETY_NOMEM;
        status = index_push(index, record);
    }
    return status;
}

/* Adds the contract of a file. The record has its name and, if the file's name
 * has one, its version. */
static surety_status index_read_file(surety__index *index,
                                     const surety_limits *limits,
                                     surety__record record, surety_doc *doc,
                                     surety_error *reterr)
{
    const surety_str version = record.entry.version;
    surety_error why;
    surety_buf text;
    surety__head head;
    surety_status status;

    surety_buf_init(&text, index->alloc, 0);
    status = surety__file_read(record.entry.source.ptr,
                               limits->schema_bytes_max, &text, &why);
    if (status == SURETY_OK)
        status =
            surety__head_read(doc, surety_buf_str(&text), limits, &head, &why);
    if (status == SURETY_OK && !surety__name_valid(record.entry.name))
        status = surety__fail(&why, SURETY_SYNTAX,
                              "the file's name is no contract name");
    if (status == SURETY_OK && head.name.len > 0 &&
        !surety_str_equal(head.name, record.entry.name))
        status = surety__fail(&why, SURETY_SYNTAX,
                              "the contract is called \"%.*s\", not as its "
                              "file",
                              (int)head.name.len, head.name.ptr);
    if (status == SURETY_OK && version.len > 0 &&
        !surety_str_equal(head.version, version))
        status = surety__fail(&why, SURETY_SYNTAX,
                              "the contract's version is \"%.*s\", not as its "
                              "file's name says",
                              (int)head.version.len, head.version.ptr);
    if (status == SURETY_OK) {
        status = index_add_head(index, record, &head);
    } else if (status != SURETY_NOMEM) {
        record.entry.error =
            surety__arena_text(&index->arena, surety_str_of(why.message));
        status =
            record.entry.error.ptr ? index_push(index, record) : SURETY_NOMEM;
    }
    surety_buf_done(&text);
    return status == SURETY_OK ? status : surety__fail_nomem(reterr);
}

static surety_status index_read_folder(surety__index *index,
                                       const surety_registry *registry,
                                       size_t rank, surety_doc *doc,
                                       surety_error *reterr)
{
    const surety_str folder = registry->folders[rank];
    surety__listing files;
    surety_status status =
        surety__folder_list(folder, INDEX_DEPTH, &index->arena, &files, reterr);

    for (size_t i = 0; status == SURETY_OK && i < files.count; i++) {
        surety__record record = {.rank = rank};

        record.entry.name = (surety_str){files.paths[i].ptr,
                                         files.paths[i].len - 5 /* .json */};
        record.entry.name =
            surety__name_split(record.entry.name, &record.entry.version);
        record.entry.source =
            surety__path_join(&index->arena, folder, files.paths[i]);
        if (!record.entry.source.ptr)
            return surety__fail_nomem(reterr);
        status = index_read_file(index, &registry->limits, record, doc, reterr);
    }
    return status;
}

static surety_status index_read_builtin(surety__index *index,
                                        const surety_registry *registry,
                                        surety_doc *doc, surety_error *reterr)
{
    surety_status status = SURETY_OK;

    for (size_t i = 0; i < surety__builtins_count && status == SURETY_OK; i++) {
        const surety__embedded *builtin = &surety__builtins[i];
        surety__record record = {.rank = registry->folder_count,
                                 .builtin = builtin};
        surety__head head;

        record.entry.name = surety_str_of(builtin->name);
        record.entry.source = SURETY__LITERAL("built-in");
        status =
            surety__head_read(doc, (surety_str){builtin->text, builtin->len},
                              NULL, &head, reterr);
        if (status == SURETY_OK &&
            index_add_head(index, record, &head) != SURETY_OK)
            status = surety__fail_nomem(reterr);
    }
    return status;
}

/* Compares by name, version and folder; a contract comes before an alias. */
static int index_compare(const void *a, const void *b)
{
    const surety__record *x = a;
    const surety__record *y = b;
    int order = surety__str_compare(x->entry.name, y->entry.name);

    if (order == 0)
        order = surety__version_compare(x->entry.version, y->entry.version);
    if (order == 0)
        order = surety__str_compare(x->entry.version, y->entry.version);
    if (order == 0)
        order = (x->rank > y->rank) - (x->rank < y->rank);
    if (order == 0)
        order = (x->entry.alias_of.len > 0) - (y->entry.alias_of.len > 0);
    if (order == 0)
        order = surety__str_compare(x->entry.source, y->entry.source);
    return order;
}

surety_status surety__index_read(surety__index *index,
                                 const surety_registry *registry,
                                 surety_error *reterr)
{
    surety_doc *doc = surety_doc_new(index->alloc);
    surety_status status = SURETY_OK;

    if (!doc)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < registry->folder_count && status == SURETY_OK; i++)
        status = index_read_folder(index, registry, i, doc, reterr);
    if (status == SURETY_OK)
        status = index_read_builtin(index, registry, doc, reterr);
    if (status == SURETY_OK && index->count > 1)
        qsort(index->records, index->count, sizeof(*index->records),
              index_compare);
    surety_doc_free(doc);
    return status;
}

void surety__index_hide(surety__index *index)
{
    size_t kept = 0;

    for (size_t i = 0; i < index->count; i++) {
        const surety_registry_entry *entry = &index->records[i].entry;
        const surety_registry_entry *last =
            kept > 0 ? &index->records[kept - 1].entry : NULL;

        if (last && surety_str_equal(last->name, entry->name) &&
            surety_str_equal(last->version, entry->version))
            continue;
        index->records[kept++] = index->records[i];
    }
    assert(kept <= index->count);
    index->count = kept;
}
