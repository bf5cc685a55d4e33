/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of compiled schemas.
 *
 * An entry is in two lists: that of its bucket, where a read looks for it,
 * and that of use, newest first, from whose end entries are put out while there
 * are too many or their texts too long. So the entries kept are always those
 * read last, as the header promises.
 *
 * The hash only chooses the bucket; an entry is found when its text and options
 * are equal. Texts chosen to collide cost one comparison for each entry, and
 * give no wrong schema. */
#include <surety/schema.h>

#include "schema/schema.h"
#include "base/base.h"

enum { CACHE_SCHEMAS = 64, CACHE_BYTES = 16 << 20, CACHE_BUCKETS = 16 };

struct cache_entry {
    struct cache_entry *newer, *older; /* by use */
    struct cache_entry *next;          /* in its bucket */
    uint64_t hash;
    surety_schema *schema;
    surety_str text, base_uri; /* behind the entry, in one block */
    surety_limits limits;
    surety_resolve_fn resolve;
    void *resolve_ctx;
    surety_dialect dialect;
    bool assert_format;
};

struct surety_schema_cache {
    const surety_alloc *alloc;
    size_t schemas_max, bytes_max;
    struct cache_entry *newest, *oldest;
    struct cache_entry **buckets;
    size_t bucket_count; /* a power of two, or 0 */
    surety__schema_cache_counts counts;
};

surety_schema_cache *surety_schema_cache_new(const surety_alloc *alloc,
                                             uint32_t schemas_max,
                                             size_t bytes_max)
{
    surety_schema_cache *cache = surety__new(alloc, sizeof(*cache));

    if (!cache)
        return NULL;
    cache->alloc = alloc;
    cache->schemas_max = schemas_max ? schemas_max : CACHE_SCHEMAS;
    cache->bytes_max = bytes_max ? bytes_max : CACHE_BYTES;
    return cache;
}

static size_t entry_size(const struct cache_entry *entry)
{
    return sizeof(*entry) + entry->text.len + entry->base_uri.len;
}

static void entry_free(const surety_schema_cache *cache,
                       struct cache_entry *entry)
{
    surety_schema_free(entry->schema);
    surety__free(cache->alloc, entry, entry_size(entry));
}

void surety__schema_cache_reset(surety_schema_cache *cache)
{
    while (cache->newest) {
        struct cache_entry *older = cache->newest->older;

        entry_free(cache, cache->newest);
        cache->newest = older;
    }
    cache->oldest = NULL;
    if (cache->bucket_count)
        memset((void *)cache->buckets, 0,
               cache->bucket_count * sizeof(*cache->buckets));
    cache->counts.schemas = 0;
    cache->counts.bytes = 0;
}

void surety_schema_cache_free(surety_schema_cache *cache)
{
    if (!cache)
        return;
    surety__schema_cache_reset(cache);
    surety__free(cache->alloc, (void *)cache->buckets,
                 cache->bucket_count * sizeof(*cache->buckets));
    surety__free(cache->alloc, cache, sizeof(*cache));
}

surety__schema_cache_counts
surety__schema_cache_count(const surety_schema_cache *cache)
{
    return cache->counts;
}

/* ---- finding ------------------------------------------------------------ */

/* Four sums at once, for hashing a text of 100 KB must be cheaper than reading
 * it; good enough to choose a bucket. */
static uint64_t cache_hash(surety_str text)
{
    static const uint64_t factor = 0x9E3779B97F4A7C15u;
    uint64_t sums[4] = {text.len, 1, 2, 3};
    uint64_t words[4];
    uint64_t hash = 0;
    size_t at = 0;

    for (; text.len - at >= sizeof(words); at += sizeof(words)) {
        memcpy(words, text.ptr + at, sizeof(words));
        for (size_t i = 0; i < 4; i++) {
            sums[i] = (sums[i] ^ words[i]) * factor;
            sums[i] ^= sums[i] >> 32;
        }
    }
    memset(words, 0, sizeof(words));
    if (at < text.len)
        memcpy(words, text.ptr + at, text.len - at);
    for (size_t i = 0; i < 4; i++) {
        hash = (hash ^ sums[i] ^ words[i] * factor) * factor;
        hash ^= hash >> 29;
    }
    return hash;
}

/* The limits that decide whether a schema compiles. */
static bool cache_limits_same(const surety_limits *a, const surety_limits *b)
{
    return a->text_bytes_max == b->text_bytes_max &&
           a->depth_max == b->depth_max &&
           a->number_len_max == b->number_len_max &&
           a->string_len_max == b->string_len_max &&
           a->key_len_max == b->key_len_max && a->values_max == b->values_max &&
           a->schema_bytes_max == b->schema_bytes_max &&
           a->schema_nodes_max == b->schema_nodes_max &&
           a->schema_depth_max == b->schema_depth_max &&
           a->schema_documents_max == b->schema_documents_max &&
           a->inplace_depth_max == b->inplace_depth_max &&
           a->pattern_len_max == b->pattern_len_max &&
           a->pattern_match_max == b->pattern_match_max &&
           a->pattern_heap_kib_max == b->pattern_heap_kib_max;
}

/* wanted: as an entry, without a schema. */
static bool entry_is(const struct cache_entry *entry,
                     const struct cache_entry *wanted)
{
    return entry->hash == wanted->hash && entry->dialect == wanted->dialect &&
           entry->assert_format == wanted->assert_format &&
           entry->resolve == wanted->resolve &&
           entry->resolve_ctx == wanted->resolve_ctx &&
           surety_str_equal(entry->base_uri, wanted->base_uri) &&
           cache_limits_same(&entry->limits, &wanted->limits) &&
           surety_str_equal(entry->text, wanted->text);
}

static struct cache_entry **cache_bucket(const surety_schema_cache *cache,
                                         uint64_t hash)
{
    assert(cache->bucket_count &&
           !(cache->bucket_count & (cache->bucket_count - 1)));
    return &cache->buckets[(size_t)hash & (cache->bucket_count - 1)];
}

/* ---- keeping ------------------------------------------------------------ */

static void entry_unlink(surety_schema_cache *cache, struct cache_entry *entry)
{
    assert(entry->newer || cache->newest == entry);
    assert(entry->older || cache->oldest == entry);
    if (entry->newer)
        entry->newer->older = entry->older;
    else
        cache->newest = entry->older;
    if (entry->older)
        entry->older->newer = entry->newer;
    else
        cache->oldest = entry->newer;
}

static void entry_link(surety_schema_cache *cache, struct cache_entry *entry)
{
    entry->newer = NULL;
    entry->older = cache->newest;
    if (cache->newest)
        cache->newest->newer = entry;
    else
        cache->oldest = entry;
    cache->newest = entry;
}

/* Room in the table for one more; false when out of memory. */
static bool cache_grow(surety_schema_cache *cache)
{
    size_t count = cache->bucket_count ? cache->bucket_count : CACHE_BUCKETS;
    struct cache_entry **grown;

    if (cache->counts.schemas < cache->bucket_count)
        return true;
    while (count <= cache->counts.schemas)
        count *= 2;
    grown = surety__new(cache->alloc, count * sizeof(*grown));
    if (!grown)
        return false;
    surety__free(cache->alloc, (void *)cache->buckets,
                 cache->bucket_count * sizeof(*cache->buckets));
    cache->buckets = grown;
    cache->bucket_count = count;
    for (struct cache_entry *entry = cache->newest; entry;
         entry = entry->older) {
        struct cache_entry **bucket = cache_bucket(cache, entry->hash);

        entry->next = *bucket;
        *bucket = entry;
    }
    return true;
}

/* Puts out the oldest entry. */
static void cache_evict(surety_schema_cache *cache)
{
    struct cache_entry *entry = cache->oldest;
    struct cache_entry **at = cache_bucket(cache, entry->hash);

    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    entry_unlink(cache, entry);
    assert(cache->counts.schemas && cache->counts.bytes >= entry->text.len);
    cache->counts.schemas--;
    cache->counts.bytes -= entry->text.len;
    cache->counts.evictions++;
    entry_free(cache, entry);
}

/* Keeps a schema, the newest from now on; false when out of memory. */
static bool cache_add(surety_schema_cache *cache,
                      const struct cache_entry *wanted, surety_schema *schema)
{
    struct cache_entry **bucket;
    struct cache_entry *entry =
        surety__resize(cache->alloc, NULL, 0, entry_size(wanted));
    char *texts;

    if (!entry)
        return false;
    *entry = *wanted;
    texts = (char *)(entry + 1);
    entry->text.ptr = texts;
    entry->base_uri.ptr = texts + wanted->text.len;
    if (wanted->text.len)
        memcpy(texts, wanted->text.ptr, wanted->text.len);
    if (wanted->base_uri.len)
        memcpy(texts + wanted->text.len, wanted->base_uri.ptr,
               wanted->base_uri.len);
    while (cache->oldest &&
           (cache->counts.schemas >= cache->schemas_max ||
            entry->text.len > cache->bytes_max ||
            cache->counts.bytes > cache->bytes_max - entry->text.len))
        cache_evict(cache);
    if (!cache_grow(cache)) {
        surety__free(cache->alloc, entry, entry_size(entry));
        return false;
    }
    entry->schema = schema;
    bucket = cache_bucket(cache, entry->hash);
    entry->next = *bucket;
    *bucket = entry;
    entry_link(cache, entry);
    cache->counts.schemas++;
    cache->counts.bytes += entry->text.len;
    return true;
}

/* Compiles a schema that is not in the cache, and adds it. The cache is as it
 * was while the compile runs, for a resolver may read from it. */
static surety_status cache_compile(surety_schema_cache *cache,
                                   const struct cache_entry *wanted,
                                   const surety_schema_options *options,
                                   surety_error *reterr)
{
    surety_schema *schema = NULL;
    surety_status status =
        surety_schema_read(wanted->text, options, &schema, reterr);

    if (status)
        return status;
    if (!cache_add(cache, wanted, schema)) {
        surety_schema_free(schema);
        return surety__fail_nomem(reterr);
    }
    return SURETY_OK;
}

surety_status surety_schema_cache_read(surety_schema_cache *cache,
                                       surety_str text,
                                       const surety_schema_options *options,
                                       const surety_schema **ret_schema,
                                       surety_error *reterr)
{
    surety_schema_options own;
    struct cache_entry wanted = {.text = text};
    struct cache_entry *entry = NULL;
    surety_status status;

    if (!cache || !ret_schema)
        return surety__fail(reterr, SURETY_MISUSE,
                            "there is no cache to read a schema with");
    status = surety__options_take(&own, sizeof(own), options, reterr);
    if (status)
        return status;
    own.alloc = cache->alloc;
    if (own.dialect == SURETY_DIALECT_DEFAULT)
        own.dialect = SURETY_DIALECT_2020_12;
    wanted.hash = cache_hash(text);
    wanted.limits = surety_limits_of(own.limits);
    wanted.base_uri = own.base_uri;
    wanted.resolve = own.resolve;
    wanted.resolve_ctx = own.resolve_ctx;
    wanted.dialect = own.dialect;
    wanted.assert_format = own.assert_format;
    if (cache->bucket_count)
        entry = *cache_bucket(cache, wanted.hash);
    while (entry && !entry_is(entry, &wanted))
        entry = entry->next;
    if (entry) {
        cache->counts.hits++;
        entry_unlink(cache, entry);
        entry_link(cache, entry);
    } else {
        cache->counts.misses++;
        status = cache_compile(cache, &wanted, &own, reterr);
        if (status)
            return status;
    }
    *ret_schema = cache->newest->schema;
    return SURETY_OK;
}
