/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: opened, added, listed, revoked and found. A row of the table becomes a
 * surety_key in one place (keys_take_row). The models of a key are one text, a
 * line each. */
#include "keys/keys.h"

#define KEYS_FRESH_MS 2000
#define KEYS_FOUND_MAX 1024
#define KEYS_LAPSE_MS 900000
#define KEYS_NAME_MAX 200
#define KEYS_LIMIT_MAX (INT64_MAX / 4)

/* ORDER columns (STATEMENTS_COLUMNS of keys/statements.c). */
enum {
    COLUMN_ID = 0,
    COLUMN_NAME,
    COLUMN_ADMIN,
    COLUMN_MODELS,
    COLUMN_LIMITS, /* five */
    COLUMN_CREATED = COLUMN_LIMITS + 5,
    COLUMN_EXPIRES,
    COLUMN_REVOKED,
    COLUMN_USED,
    COLUMN_COUNT
};

surety__periods surety__periods_of(int64_t now_ms)
{
    const int64_t day_ms = 86400000;
    uint32_t rest;
    const int64_t days = surety__date_split(now_ms, &rest);
    const surety__date date = surety__date_of(days);
    const surety__date next = {date.month < 12 ? date.year : date.year + 1,
                               date.month < 12 ? date.month + 1 : 1, 1};
    const int64_t month = (int64_t)date.year * 100 + date.month;

    return (surety__periods){.day = month * 100 + date.day,
                             .month = month,
                             .day_end_ms = (days + 1) * day_ms,
                             .month_end_ms = surety__date_days(next) * day_ms};
}

surety_status surety__keys_run(surety_keys *keys, surety__query query,
                               int64_t *ret_changed, surety_error *reterr)
{
    return keys->store->run(keys->store, &query, ret_changed, reterr);
}

/* ---- rows ---------------------------------------------------------------- */

static uint64_t keys_count(const surety__cell *cell)
{
    return cell->kind == CELL_INT && cell->number > 0 ? (uint64_t)cell->number
                                                      : 0;
}

static int64_t keys_time(const surety__cell *cell)
{
    return cell->kind == CELL_INT ? cell->number : 0;
}

/* Splits the lines of models. False: out of memory. */
static bool keys_take_models(surety_str text, surety__arena *arena,
                             surety_key *key)
{
    surety_str *models;
    size_t count = 1;

    if (!text.len)
        return true;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == '\n';
    models = surety__arena_take(arena, count * sizeof(*models));
    text = surety__arena_text(arena, text);
    if (!models || !text.ptr)
        return false;
    for (size_t i = 0; i < count; i++) {
        models[i] = text;
        models[i].len = surety__str_find(text, SURETY__LITERAL("\n"));
        if (i + 1 < count)
            surety__str_skip(&text, models[i].len + 1);
    }
    key->models = models;
    key->model_count = count;
    return true;
}

/* Makes a key of the first COLUMN_COUNT cells; its texts are in the arena.
 * False: out of memory. */
static bool keys_take_row(const surety__cell *cells, surety__arena *arena,
                          surety_key *key)
{
    *key =
        (surety_key){.size = sizeof(*key),
                     .id = surety__arena_text(arena, cells[COLUMN_ID].text),
                     .name = surety__arena_text(arena, cells[COLUMN_NAME].text),
                     .admin = cells[COLUMN_ADMIN].number != 0,
                     .minute_requests = keys_count(&cells[COLUMN_LIMITS]),
                     .minute_tokens = keys_count(&cells[COLUMN_LIMITS + 1]),
                     .at_once_max = keys_count(&cells[COLUMN_LIMITS + 2]),
                     .day_picousd = keys_count(&cells[COLUMN_LIMITS + 3]),
                     .month_picousd = keys_count(&cells[COLUMN_LIMITS + 4]),
                     .created_ms = keys_time(&cells[COLUMN_CREATED]),
                     .expires_ms = keys_time(&cells[COLUMN_EXPIRES]),
                     .revoked_ms = keys_time(&cells[COLUMN_REVOKED]),
                     .used_ms = keys_time(&cells[COLUMN_USED])};
    return key->id.ptr && key->name.ptr &&
           keys_take_models(cells[COLUMN_MODELS].text, arena, key);
}

/* ---- adding and revoking ------------------------------------------------- */

typedef struct keys_new {
    surety__cell cells[COLUMN_COUNT + 1];
} keys_new;

static surety_status keys_add_work(void *owner, const void *ctx,
                                   surety_error *reterr)
{
    const keys_new *row = ctx;
    const surety_str name = row->cells[COLUMN_NAME].text;
    const surety__cell named[] = {row->cells[COLUMN_NAME],
                                  row->cells[COLUMN_ID]};
    surety_keys *keys = owner;
    int64_t others = 0;
    surety_status status =
        surety__keys_ask(keys->store, KEYS_NAMED, named, 2, &others, reterr);

    if (status)
        return status;
    if (others) {
        (void)surety__fail(reterr, SURETY_MISUSE,
                           "there is a key \"%.*s\" already", (int)name.len,
                           name.ptr);
        surety__hint(reterr, "revoke it, or give the new one another name");
        return SURETY_MISUSE;
    }
    return surety__keys_run(owner,
                            (surety__query){.which = KEYS_ADD,
                                            .cells = row->cells,
                                            .count = COLUMN_COUNT + 1},
                            NULL, reterr);
}

/* Checks a key, and joins its models. */
static surety_status keys_check(const surety_key *key, surety_buf *models,
                                surety_error *reterr)
{
    const uint64_t limits[] = {key->minute_requests, key->minute_tokens,
                               key->at_once_max, key->day_picousd,
                               key->month_picousd};

    if (!key->name.len || key->name.len > KEYS_NAME_MAX ||
        !surety__utf8_valid(key->name, NULL) ||
        surety__str_find_control(key->name, true) < key->name.len)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a key's name has 1 to %d bytes of UTF-8, without "
                            "control characters",
                            KEYS_NAME_MAX);
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
        if (limits[i] > KEYS_LIMIT_MAX)
            return surety__fail(reterr, SURETY_MISUSE,
                                "a limit of the key is above %lld",
                                (long long)KEYS_LIMIT_MAX);
    }
    for (size_t i = 0; i < key->model_count; i++) {
        const surety_str model = key->models[i];

        if (!model.len || !surety__utf8_valid(model, NULL) ||
            surety__str_find_control(model, true) < model.len)
            return surety__fail(reterr, SURETY_MISUSE,
                                "a model that the key may use has no name, or "
                                "one with control characters");
        surety_buf_text(models, i ? "\n" : "");
        surety_buf_add(models, model);
    }
    return models->status ? surety__fail_nomem(reterr) : SURETY_OK;
}

/* A number that is NULL if it is 0. */
static surety__cell keys_maybe(uint64_t number)
{
    return (surety__cell){.kind = number ? CELL_INT : CELL_NULL,
                          .number = (int64_t)number};
}

static void keys_digest_hex(const char *digest, char out[64])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < 64; i++)
        out[i] = digits[(unsigned char)digest[i / 2] >> (i % 2 ? 0 : 4) & 15];
}

surety_status surety_keys_add(surety_keys *keys, const surety_key *given,
                              int64_t now_ms, surety_buf *secret,
                              surety_error *reterr)
{
    char id[SURETY__KEY_ID_LEN] = "key_";
    char digest[SURETY__DIGEST_LEN];
    char made[SURETY__SECRET_LEN];
    char hex[64];
    surety_status status;
    surety_buf models;
    surety_key key;
    keys_new row;

    if (surety__options_take(&key, sizeof(key), given, reterr))
        return SURETY_MISUSE;
    surety_buf_init(&models, keys->alloc, 0);
    status = keys_check(&key, &models, reterr);
    if (!status)
        status = surety__id_make(id + 4, SURETY__KEY_ID_LEN - 4, reterr);
    if (!status)
        status = surety__secret_make(made, reterr);
    if (status)
        goto done;
    surety__sha256((surety_str){made, sizeof(made)}, digest);
    keys_digest_hex(digest, hex);
    row = (keys_new){{surety__cell_text((surety_str){id, sizeof(id)}),
                      surety__cell_text(key.name),
                      {.kind = CELL_BOOL, .number = key.admin},
                      {.kind = models.len ? CELL_TEXT : CELL_NULL,
                       .text = surety_buf_str(&models)},
                      keys_maybe(key.minute_requests),
                      keys_maybe(key.minute_tokens),
                      keys_maybe(key.at_once_max),
                      keys_maybe(key.day_picousd),
                      keys_maybe(key.month_picousd),
                      surety__cell_number(now_ms),
                      keys_maybe((uint64_t)key.expires_ms),
                      {.kind = CELL_NULL},
                      {.kind = CELL_NULL},
                      surety__cell_text((surety_str){hex, sizeof(hex)})}};
    status =
        surety__store_write(keys->store, keys_add_work, keys, &row, reterr);
    if (!status) {
        surety_buf_add(secret, (surety_str){made, sizeof(made)});
        surety__found_reset(&keys->found);
    }
    if (!status && secret->status)
        status = surety__fail_nomem(reterr);
done:
    surety_buf_done(&models);
    return status;
}

typedef struct keys_revocation {
    surety__cell cells[2];
    int64_t *ret_changed;
} keys_revocation;

static surety_status keys_revoke_work(void *owner, const void *ctx,
                                      surety_error *reterr)
{
    const keys_revocation *what = ctx;

    return surety__keys_run(
        owner,
        (surety__query){.which = KEYS_REVOKE, .cells = what->cells, .count = 2},
        what->ret_changed, reterr);
}

surety_status surety_keys_revoke(surety_keys *keys, surety_str id_or_name,
                                 int64_t now_ms, surety_error *reterr)
{
    int64_t changed = 0;
    const keys_revocation what = {
        {surety__cell_number(now_ms), surety__cell_text(id_or_name)}, &changed};
    surety_status status =
        surety__store_write(keys->store, keys_revoke_work, keys, &what, reterr);

    surety__found_reset(&keys->found);
    if (status || changed)
        return status;
    (void)surety__fail(reterr, SURETY_END,
                       "no key in force has the id or name \"%.*s\"",
                       (int)(id_or_name.len < 80 ? id_or_name.len : 80),
                       id_or_name.len ? id_or_name.ptr : "");
    surety__hint(reterr, "surety keys list shows them");
    return SURETY_END;
}

/* ---- reading ------------------------------------------------------------- */

typedef struct keys_walk {
    bool (*each)(void *ctx, const surety_key *key);
    void *ctx;
    surety__arena arena;
    bool is_starved;
} keys_walk;

static bool keys_take_listed(void *ctx, const surety__cell *cells)
{
    keys_walk *walk = ctx;
    surety_key key;
    bool more = false;

    walk->is_starved = !keys_take_row(cells, &walk->arena, &key);
    if (!walk->is_starved) {
        key.day_spent_picousd = keys_count(&cells[COLUMN_COUNT + 1]);
        key.month_spent_picousd = keys_count(&cells[COLUMN_COUNT + 2]);
        more = walk->each(walk->ctx, &key);
    }
    surety__arena_reset(&walk->arena);
    return more;
}

surety_status surety_keys_each(surety_keys *keys, int64_t now_ms,
                               bool (*each)(void *ctx, const surety_key *key),
                               void *ctx, surety_error *reterr)
{
    const surety__periods periods = surety__periods_of(now_ms);
    const surety__cell cells[] = {surety__cell_number(periods.day),
                                  surety__cell_number(periods.month)};
    keys_walk walk = {.each = each, .ctx = ctx};
    surety_status status;

    surety__arena_init(&walk.arena, keys->alloc, 0);
    status = surety__keys_run(
        keys, (surety__query){KEYS_LIST, cells, 2, keys_take_listed, &walk},
        NULL, reterr);
    surety__arena_done(&walk.arena);
    return !status && walk.is_starved ? surety__fail_nomem(reterr) : status;
}

static bool keys_take_found(void *ctx, const surety__cell *cells)
{
    surety__found_entry *entry = ctx;
    char hex[64];

    keys_digest_hex(entry->digest, hex);
    /* The database may compare as it likes. */
    if (!surety_str_equal(cells[COLUMN_COUNT].text,
                          (surety_str){hex, sizeof(hex)}))
        return true;
    entry->is_known = true;
    entry->is_used = keys_take_row(cells, &entry->arena, &entry->key);
    return false;
}

/* Reads the key of a digest into a new entry of the cache. */
static surety_status keys_read(surety_keys *keys, const char *digest,
                               int64_t now_ms, surety__found_entry **ret_entry,
                               surety_error *reterr)
{
    surety__found_entry *entry = surety__found_get(&keys->found, digest);
    surety__cell cell = {.kind = CELL_TEXT};
    surety_status status;
    char hex[64];

    if (entry && now_ms >= entry->read_ms &&
        now_ms - entry->read_ms < (int64_t)keys->options.fresh_ms) {
        *ret_entry = entry;
        return SURETY_OK;
    }
    if (entry)
        entry->is_used = false;
    entry = surety__found_add(&keys->found, digest);
    entry->read_ms = now_ms;
    keys_digest_hex(digest, hex);
    cell.text = (surety_str){hex, sizeof(hex)};
    status = surety__keys_run(
        keys, (surety__query){KEYS_FIND, &cell, 1, keys_take_found, entry},
        NULL, reterr);
    if (!status && !entry->is_used)
        status = surety__fail_nomem(reterr);
    if (status)
        entry->is_used = entry->is_known = false;
    *ret_entry = entry;
    return status;
}

surety_status surety_keys_find(surety_keys *keys, surety_str secret,
                               int64_t now_ms, const surety_key **ret_key,
                               surety_error *reterr)
{
    surety__found_entry *entry = NULL;
    char digest[SURETY__DIGEST_LEN];
    surety_status status = SURETY_OK;

    if (surety__secret_formed(secret)) {
        surety__sha256(secret, digest);
        status = keys_read(keys, digest, now_ms, &entry, reterr);
    }
    if (status)
        return status;
    if (!entry || !entry->is_known)
        return surety__fail(reterr, SURETY_END, "the key is not known here");
    if (entry->key.revoked_ms)
        return surety__fail(reterr, SURETY_END, "the key was revoked");
    if (entry->key.expires_ms && entry->key.expires_ms <= now_ms)
        return surety__fail(reterr, SURETY_END, "the key has expired");
    *ret_key = &entry->key;
    return SURETY_OK;
}

/* ---- opening and closing ------------------------------------------------- */

static surety_status keys_open_work(void *owner, const void *ctx,
                                    surety_error *reterr)
{
    surety_keys *keys = owner;
    surety_status status = surety__store_migrate(keys->store, reterr);

    (void)ctx;
    return status ? status : surety__keys_migrate(keys->store, reterr);
}

surety_status surety_keys_open(surety_str url,
                               const surety_keys_options *options,
                               surety_keys **ret_keys, surety_error *reterr)
{
    surety_keys_options filled;
    surety_ledger_options below = {.size = sizeof(below)};
    surety_keys *keys;
    surety_status status = SURETY_OK;

    if (surety__options_take(&filled, sizeof(filled), options, reterr))
        return SURETY_MISUSE;
    if (!filled.fresh_ms)
        filled.fresh_ms = KEYS_FRESH_MS;
    if (!filled.found_max)
        filled.found_max = KEYS_FOUND_MAX;
    if (!filled.lapse_ms)
        filled.lapse_ms = KEYS_LAPSE_MS;
    below.alloc = filled.alloc;
    below.timeout_ms = filled.timeout_ms;
    keys = surety__new(filled.alloc, sizeof(*keys));
    if (!keys)
        return surety__fail_nomem(reterr);
    keys->alloc = filled.alloc;
    keys->options = filled;
    if (!surety__found_init(&keys->found, filled.found_max, filled.alloc))
        status = surety__fail_nomem(reterr);
    if (!status)
        status = surety__store_open(url, &below, &keys->store, reterr);
    if (!status)
        status = surety__store_prepare(keys->store, surety__keys_sql_write,
                                       KEYS_SQL_COUNT, reterr);
    if (!status)
        status = surety__store_write(keys->store, keys_open_work, keys, NULL,
                                     reterr);
    if (status) {
        surety_keys_close(keys);
        return status;
    }
    *ret_keys = keys;
    return SURETY_OK;
}

void surety_keys_close(surety_keys *keys)
{
    if (!keys)
        return;
    surety__store_close(keys->store);
    surety__found_done(&keys->found);
    surety__free(keys->alloc, keys, sizeof(*keys));
}
