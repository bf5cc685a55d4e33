/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c: finds the contract for a name.
 *
 * 1. A name is searched in each folder, in order, then among the built-in
 *    contracts. The first of these that has a matching version is taken; of
 *    several versions there, the newest.
 * 2. Only if that finds nothing, all contracts are listed, for aliases and for
 *    the hint. */
#include "contract/registry.h"

/* A contract that was found and not yet read. */
struct registry_hit {
    surety_str name; /* without a version */
    surety_str version;
    surety_str path;                 /* the arena of the search owns it */
    const surety__embedded *builtin; /* set instead of path */
    bool found;
};

/* The state of one search. */
struct registry_search {
    surety_registry *registry;
    surety_str name, request;
    surety__arena arena;
    surety_doc *doc;
    surety_buf text;
    struct registry_hit hit;
};

surety_status surety_registry_new(surety_str folders,
                                  const surety_contract_options *options,
                                  surety_registry **ret_registry,
                                  surety_error *reterr)
{
    surety_contract_options own;
    surety_registry *registry;
    surety_str rest;

    if (surety__options_take(&own, sizeof(own), options, reterr))
        return SURETY_MISUSE;
    registry = surety__new(own.alloc, sizeof(*registry));
    if (!registry)
        return surety__fail_nomem(reterr);
    registry->alloc = own.alloc;
    surety__arena_init(&registry->arena, own.alloc, 0);
    surety__index_init(&registry->index, own.alloc);
    registry->options = own;
    registry->limits = surety_limits_of(registry->options.limits);
    registry->options.limits = &registry->limits;

    rest = surety__arena_text(&registry->arena, folders);
    registry->folders = surety__arena_take(
        &registry->arena, (rest.len + 1) * sizeof(*registry->folders));
    if (!rest.ptr || !registry->folders) {
        surety_registry_free(registry);
        return surety__fail_nomem(reterr);
    }
    while (rest.len > 0) {
        const size_t len = surety__str_find(rest, SURETY__LITERAL(":"));

        if (len > 0)
            registry->folders[registry->folder_count++] =
                (surety_str){rest.ptr, len};
        surety__str_skip(&rest, len < rest.len ? len + 1 : len);
    }
    *ret_registry = registry;
    return SURETY_OK;
}

void surety_registry_free(surety_registry *registry)
{
    if (!registry)
        return;
    surety__index_done(&registry->index);
    surety__arena_done(&registry->arena);
    surety__free(registry->alloc, registry, sizeof(*registry));
}

/* Returns a path without ".json". */
static surety_str registry_stem(surety_str path)
{
    const surety_str suffix = SURETY__LITERAL(".json");

    if (path.len > suffix.len && surety__str_ends(path, suffix))
        path.len -= suffix.len;
    return path;
}

/* Returns what follows the last slash of a path. */
static surety_str registry_last(surety_str path)
{
    size_t start = path.len;

    while (start > 0 && path.ptr[start - 1] != '/')
        start--;
    return (surety_str){path.ptr + start, path.len - start};
}

/* Writes the source of the text to reterr and returns status. */
static surety_status registry_source(surety_error *reterr, surety_status status,
                                     const char *prefix, surety_str source)
{
    surety_buf buf;

    if (!reterr || status >= SURETY_OK || status == SURETY_NOMEM)
        return status;
    /* A buffer that cannot grow: an error allocates nothing. */
    buf = surety__buf_over(reterr->source, sizeof(reterr->source));
    surety_buf_text(&buf, prefix);
    surety_buf_add(&buf, source);
    reterr->source[buf.len] = '\0';
    return status;
}

static surety_status registry_read_hit(struct registry_search *search,
                                       surety_contract **ret_contract,
                                       surety_error *reterr)
{
    const struct registry_hit *hit = &search->hit;
    surety_contract_options options = search->registry->options;
    surety_status status = SURETY_OK;
    surety_str text;

    assert(hit->builtin || hit->path.ptr);
    options.name = hit->name;
    if (hit->builtin) {
        text = (surety_str){hit->builtin->text, hit->builtin->len};
        status = surety_contract_read(text, &options, ret_contract, reterr);
        return registry_source(reterr, status, "built-in ", hit->name);
    }
    status = surety__file_read(hit->path.ptr,
                               search->registry->limits.schema_bytes_max,
                               &search->text, reterr);
    if (status == SURETY_OK)
        status = surety_contract_read(surety_buf_str(&search->text), &options,
                                      ret_contract, reterr);
    return registry_source(reterr, status, "", hit->path);
}

/* Returns whether a file with this path may hold the contract base in a
 * requested version, by the file's name. */
static bool registry_named(surety_str path, surety_str base, surety_str request)
{
    surety_str version;
    const surety_str name = surety__name_split(registry_stem(path), &version);

    return surety_str_equal(name, base) &&
           (version.len == 0 || surety__version_matches(version, request));
}

/* ---- helpers ------------------------------------------------------------ */

/* Returns whether version is better than `than`: it is newer, but a pre-release
 * is better only than another pre-release. */
static bool registry_prefer(surety_str version, surety_str than)
{
    const bool early = surety__version_is_early(version);

    if (early != surety__version_is_early(than))
        return !early;
    return surety__version_compare(version, than) > 0;
}

/* Keeps hit, whose text is given, if its version matches the request and is
 * better than the best one so far. */
static surety_status registry_consider(struct registry_search *search,
                                       surety_str text, struct registry_hit hit,
                                       surety_error *reterr)
{
    struct registry_hit *best = &search->hit;
    surety__head head;
    surety_status status = surety__head_read(
        search->doc, text, &search->registry->limits, &head, reterr);

    if (status != SURETY_OK)
        return status;
    if (head.name.len > 0 && !surety_str_equal(head.name, hit.name)) {
        status = surety__fail(reterr, SURETY_SYNTAX,
                              "the contract is called \"%.*s\", but its "
                              "file is that of \"%.*s\"",
                              (int)head.name.len, head.name.ptr,
                              (int)hit.name.len, hit.name.ptr);
        surety__hint(reterr, "move the file or change the name");
        return status;
    }
    if (hit.version.len > 0 && !surety_str_equal(head.version, hit.version)) {
        status = surety__fail(reterr, SURETY_SYNTAX,
                              "the contract's version is \"%.*s\", but its "
                              "file's name says \"%.*s\"",
                              (int)head.version.len, head.version.ptr,
                              (int)hit.version.len, hit.version.ptr);
        surety__hint(reterr, "rename the file or change the version");
        return status;
    }
    if (!surety__version_matches(head.version, search->request) ||
        (best->found && !registry_prefer(head.version, best->version)))
        return SURETY_OK;
    hit.version = surety__arena_text(&search->arena, head.version);
    if (!hit.version.ptr)
        return surety__fail_nomem(reterr);
    hit.found = true;
    *best = hit;
    return SURETY_OK;
}

/* Considers FOLDER/NAME.json and FOLDER/NAME@VERSION.json. */
static surety_status registry_search_folder(struct registry_search *search,
                                            surety_str folder,
                                            surety_error *reterr)
{
    const surety_str base = registry_last(search->name);
    const surety_str parent = {search->name.ptr, search->name.len - base.len};
    surety__listing files;
    surety_status status;

    folder = surety__path_join(&search->arena, folder, parent);
    if (!folder.ptr)
        return surety__fail_nomem(reterr);
    status = surety__folder_list(folder, 0, &search->arena, &files, reterr);
    for (size_t i = 0; status == SURETY_OK && i < files.count; i++) {
        struct registry_hit hit = {.name = search->name};

        if (!registry_named(files.paths[i], base, search->request))
            continue;
        (void)surety__name_split(registry_stem(files.paths[i]), &hit.version);
        hit.path = surety__path_join(&search->arena, folder, files.paths[i]);
        if (!hit.path.ptr)
            return surety__fail_nomem(reterr);
        status = surety__file_read(hit.path.ptr,
                                   search->registry->limits.schema_bytes_max,
                                   &search->text, reterr);
        if (status == SURETY_OK)
            status = registry_consider(search, surety_buf_str(&search->text),
                                       hit, reterr);
        if (status != SURETY_OK)
            return registry_source(reterr, status, "", hit.path);
    }
    return status;
}

static surety_status registry_search_builtin(struct registry_search *search,
                                             surety_error *reterr)
{
    const surety__embedded *builtin = surety__builtin_find(search->name);
    const struct registry_hit hit = {.name = search->name, .builtin = builtin};

    if (!builtin)
        return SURETY_OK;
    return registry_consider(search, (surety_str){builtin->text, builtin->len},
                             hit, reterr);
}

/* Searches the contracts that have the name as an alias: takes the one of the
 * earliest folder, and of several there the newest. */
static surety_status registry_search_alias(struct registry_search *search,
                                           const surety__index *index,
                                           surety_error *reterr)
{
    const surety__record *best = NULL;

    for (size_t i = 0; i < index->count; i++) {
        const surety__record *record = &index->records[i];
        const surety_registry_entry *entry = &record->entry;

        if (entry->alias_of.len == 0 ||
            !surety_str_equal(entry->name, search->name) ||
            !surety__version_matches(entry->version, search->request))
            continue;
        if (!best || record->rank < best->rank ||
            (record->rank == best->rank &&
             registry_prefer(entry->version, best->entry.version)))
            best = record;
    }
    if (!best)
        return SURETY_OK;
    search->hit.name = surety__arena_text(&search->arena, best->entry.alias_of);
    search->hit.path = surety__arena_text(&search->arena, best->entry.source);
    search->hit.builtin = best->builtin;
    search->hit.found = true;
    if (!search->hit.name.ptr || !search->hit.path.ptr)
        return surety__fail_nomem(reterr);
    return SURETY_OK;
}

/* ---- names that are not found ------------------------------------------- */

/* Returns how far an entry's name is from the requested one; above 4 it is no
 * hint. The right last word in the wrong folder counts as near as a typing
 * error, and a name that begins with the requested text counts as 3. */
static unsigned registry_distance(surety_str name, surety_str wanted)
{
    unsigned whole = surety__str_distance(name, wanted, 4);
    const unsigned part = surety__str_distance(registry_last(name), wanted, 2);

    if (whole >= wanted.len && whole > 0) /* no common characters */
        whole = 5;
    if (part <= 2 && part < wanted.len && part + 1 < whole)
        return part + 1;
    return wanted.len > 2 && whole > 3 && surety__str_starts(name, wanted)
               ? 3
               : whole;
}

/* Reports why a contract that has the name does not match: it is invalid, the
 * request is no version, or it has no such version. */
static surety_status registry_not_that(const struct registry_search *search,
                                       const surety_registry_entry *entry,
                                       surety_error *reterr)
{
    const surety_str name = search->name;
    const surety_str request = search->request;

    if (entry->error.len) {
        surety__fail(reterr, SURETY_END, "\"%.*s\" is no contract: %.*s",
                     (int)name.len, name.ptr, (int)entry->error.len,
                     entry->error.ptr);
        surety__hint(reterr, "the file is %.*s", (int)entry->source.len,
                     entry->source.ptr);
    } else if (!surety__version_request_valid(request)) {
        surety__fail(reterr, SURETY_END, "\"%.*s\" is no version",
                     (int)request.len, request.ptr);
        surety__hint(reterr, "a request is NAME, NAME@1, NAME@1.2 or "
                             "NAME@1.2.3");
    } else {
        surety__fail(reterr, SURETY_END, "\"%.*s\" has no version %.*s",
                     (int)name.len, name.ptr, (int)request.len, request.ptr);
        surety__hint(reterr, "there is %.*s%s%.*s", (int)entry->name.len,
                     entry->name.ptr,
                     entry->version.len ? "@" : ", without a version",
                     (int)entry->version.len, entry->version.ptr);
    }
    return SURETY_END;
}

/* Inserts a name into the three nearest ones, unless it is there already. */
static void registry_near(surety_str name, unsigned distance,
                          surety_str near[3], unsigned far[3])
{
    size_t place = 3;

    assert(far[0] <= far[1] && far[1] <= far[2]); /* nearest first */
    for (size_t i = 0; i < 3; i++)
        if (near[i].ptr && surety_str_equal(name, near[i]))
            return;
    while (place > 0 && distance < far[place - 1])
        place--;
    if (place == 3)
        return;
    memmove(far + place + 1, far + place, (2 - place) * sizeof(far[0]));
    memmove(near + place + 1, near + place, (2 - place) * sizeof(near[0]));
    far[place] = distance;
    near[place] = name;
}

static surety_status registry_miss(const struct registry_search *search,
                                   const surety__index *index,
                                   surety_error *reterr)
{
    const surety_str name = search->name;
    surety_str near[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    unsigned far[3] = {5, 5, 5};
    surety_status status;

    for (size_t i = 0; i < index->count; i++) {
        const surety_registry_entry *entry = &index->records[i].entry;
        const unsigned distance = registry_distance(entry->name, name);

        if (distance == 0)
            return registry_not_that(search, entry, reterr);
        registry_near(entry->name, distance, near, far);
    }
    status = surety__fail(reterr, SURETY_END,
                          "no contract or file is called \"%.*s\"",
                          (int)(name.len), name.ptr);
    if (near[0].ptr)
        surety__hint(reterr, "did you mean %.*s%s%.*s%s%.*s?", (int)near[0].len,
                     near[0].ptr,
                     near[2].ptr   ? ", "
                     : near[1].ptr ? " or "
                                   : "",
                     (int)near[1].len, near[1].ptr ? near[1].ptr : "",
                     near[2].ptr ? " or " : "", (int)near[2].len,
                     near[2].ptr ? near[2].ptr : "");
    return status;
}

static surety_status registry_find_name(struct registry_search *search,
                                        surety_contract **ret_contract,
                                        surety_error *reterr)
{
    const surety_registry *registry = search->registry;
    surety_status status = SURETY_OK;
    surety__index index;

    const bool wanted = search->request.ptr == NULL ||
                        surety__version_request_valid(search->request);

    if (surety__name_valid(search->name) && wanted) {
        for (size_t i = 0; i < registry->folder_count && status == SURETY_OK &&
                           !search->hit.found;
             i++)
            status =
                registry_search_folder(search, registry->folders[i], reterr);
        if (status == SURETY_OK && !search->hit.found)
            status = registry_search_builtin(search, reterr);
        if (status != SURETY_OK)
            return status;
        if (search->hit.found)
            return registry_read_hit(search, ret_contract, reterr);
    }
    surety__index_init(&index, registry->alloc);
    status = surety__index_read(&index, registry, reterr);
    if (status == SURETY_OK && wanted)
        status = registry_search_alias(search, &index, reterr);
    if (status == SURETY_OK)
        status = search->hit.found
                     ? registry_read_hit(search, ret_contract, reterr)
                     : registry_miss(search, &index, reterr);
    surety__index_done(&index);
    return status;
}

surety_status surety_registry_find(surety_registry *registry, surety_str name,
                                   surety_contract **ret_contract,
                                   surety_error *reterr)
{
    struct registry_search search = {.registry = registry};
    surety_status status;
    surety_str path;

    surety__arena_init(&search.arena, registry->alloc, 0);
    surety_buf_init(&search.text, registry->alloc, 0);
    search.doc = surety_doc_new(registry->alloc);
    path = surety__arena_text(&search.arena, name);
    search.name = surety__name_split(path, &search.request);
    if (!search.doc || !path.ptr)
        status = surety__fail_nomem(reterr);
    else if (name.len > 0 && !memchr(name.ptr, '\0', name.len) &&
             surety__file_exists(path.ptr)) {
        search.hit.name = registry_stem(registry_last(path));
        search.hit.path = path;
        status = registry_read_hit(&search, ret_contract, reterr);
    } else {
        status = registry_find_name(&search, ret_contract, reterr);
    }
    surety_doc_free(search.doc);
    surety_buf_done(&search.text);
    surety__arena_done(&search.arena);
    return status;
}

/* ---- listing ------------------------------------------------------------ */

surety_status surety_registry_list(surety_registry *registry,
                                   const surety_registry_entry **ret_entries,
                                   size_t *ret_count, surety_error *reterr)
{
    surety__index index;
    surety_registry_entry *entries = NULL;
    surety_status status;

    surety__index_init(&index, registry->alloc);
    status = surety__index_read(&index, registry, reterr);
    if (status != SURETY_OK)
        goto failed;
    surety__index_hide(&index);
    entries =
        surety__arena_take(&index.arena, (index.count + 1) * sizeof(*entries));
    if (!entries) {
        status = surety__fail_nomem(reterr);
        goto failed;
    }
    for (size_t i = 0; i < index.count; i++)
        entries[i] = index.records[i].entry;
    surety__index_done(&registry->index);
    registry->index = index;
    *ret_entries = entries;
    *ret_count = index.count;
    return SURETY_OK;
failed:
    surety__index_done(&index);
    return status;
}
