/* SPDX-License-Identifier: Apache-2.0 */
/* A store of either kind: opened by its URL, given its statements, brought to
 * this version, and written to in transactions that may be repeated. The
 * ledger of attempts and the keys of the gateway both stand on it. */
#include "ledger/ledger.h"

#define STORE_TIMEOUT_MS 10000

surety_status surety__fail_absent(surety_str name, surety_error *reterr)
{
    (void)surety__fail(reterr, SURETY_END, "there is no ledger at %.*s yet",
                       (int)name.len, name.ptr);
    surety__hint(reterr, "surety run makes it");
    return SURETY_END;
}

surety_status surety__fail_version(const surety__store *store, int64_t version,
                                   surety_error *reterr)
{
    (void)surety__fail(reterr, SURETY_UNSUPPORTED,
                       "the ledger %.*s is of version %u, and this program "
                       "knows versions up to %d",
                       (int)store->name.len, store->name.ptr, (unsigned)version,
                       SURETY__LEDGER_VERSION);
    surety__hint(reterr, "use a newer surety, or name another ledger");
    return SURETY_UNSUPPORTED;
}

static surety_status store_open_kind(surety_str url,
                                     const surety_ledger_options *options,
                                     surety__store **ret_store,
                                     surety_error *reterr)
{
    const surety_str scheme = {url.ptr,
                               surety__str_find(url, SURETY__LITERAL("://"))};

    if (surety__str_starts(url, SURETY__LITERAL("postgresql://")) ||
        surety__str_starts(url, SURETY__LITERAL("postgres://")))
        return surety__postgres_open(url, options, ret_store, reterr);
    if (surety__str_starts(url, SURETY__LITERAL("sqlite:"))) {
        url.ptr += 7;
        url.len -= 7;
    } else if (scheme.len < url.len && !memchr(url.ptr, '/', scheme.len)) {
        (void)surety__fail(
            reterr, SURETY_UNSUPPORTED, "a ledger cannot be at \"%.*s://\"",
            (int)(scheme.len < 40 ? scheme.len : 40), scheme.ptr);
        surety__hint(reterr, "give a path, sqlite:PATH or postgresql://...");
        return SURETY_UNSUPPORTED;
    }
    if (!url.len || memchr(url.ptr, 0, url.len)) {
        (void)surety__fail(reterr, SURETY_MISUSE, "the ledger's path %s",
                           url.len ? "has a NUL character" : "is empty");
        surety__hint(reterr, "give a path, sqlite:PATH or postgresql://...");
        return SURETY_MISUSE;
    }
    return surety__sqlite_open(url, options, ret_store, reterr);
}

surety_status surety__store_open(surety_str url,
                                 const surety_ledger_options *options,
                                 surety__store **ret_store,
                                 surety_error *reterr)
{
    surety_ledger_options filled = *options;
    surety_status status;

    if (!filled.timeout_ms)
        filled.timeout_ms = STORE_TIMEOUT_MS;
    if (filled.timeout_ms > INT32_MAX)
        filled.timeout_ms = INT32_MAX;
    status = store_open_kind(url, &filled, ret_store, reterr);
    if (!status)
        surety_buf_init(&(*ret_store)->text, options->alloc, 0);
    return status;
}

surety_status surety__store_prepare(surety__store *store,
                                    void (*write)(size_t which, bool postgres,
                                                  surety_buf *out),
                                    size_t count, surety_error *reterr)
{
    size_t starts[SURETY__STATEMENTS_MAX];

    assert(count <= SURETY__STATEMENTS_MAX && !store->text.len);
    for (size_t i = 0; i < count; i++) {
        starts[i] = store->text.len;
        write(i, store->postgres, &store->text);
    }
    if (store->text.status)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < count; i++)
        store->sql[i] = store->text.ptr + starts[i];
    return SURETY_OK;
}

surety_status surety__store_migrate(surety__store *store, surety_error *reterr)
{
    int64_t version = 0;
    surety_status status = store->version(store, &version, reterr);

    if (!status && version > SURETY__LEDGER_VERSION)
        status = surety__fail_version(store, version, reterr);
    if (!status)
        status = surety__schema_migrate(store, version, reterr);
    return status;
}

surety_status surety__store_write(
    surety__store *store,
    surety_status (*work)(void *owner, const void *ctx, surety_error *reterr),
    void *owner, const void *ctx, surety_error *reterr)
{
    surety_error cause;
    surety_status status = SURETY_OK;

    for (int tries = 0; tries < 2; tries++) {
        status = store->begin(store, &cause);
        if (!status) {
            status = work(owner, ctx, &cause);
            if (!status)
                status = store->commit(store, &cause);
        }
        if (!status)
            return SURETY_OK;
        if (!store->rollback(store))
            break;
    }
    if (reterr)
        *reterr = cause;
    return status;
}

void surety__store_close(surety__store *store)
{
    if (!store)
        return;
    surety_buf_done(&store->text);
    store->close(store);
}
