/* SPDX-License-Identifier: Apache-2.0 */
/* load.c: finds a library and its functions.
 *
 * 1. The library is loaded by its bare name, from where the system's loader
 *    finds linked libraries: never from the working directory.
 * 2. A loaded library is never unloaded (RTLD_NODELETE), because some start
 *    threads or register functions that run at exit. So no handle is kept, and
 *    a second call costs only the look-up.
 * 3. Its symbols are not visible to other libraries (RTLD_LOCAL). */
#include "load/load.h"

#ifdef SURETY_DEFERRED
#include <dlfcn.h>
#endif

/* Sets the i-th pointer of a struct of function pointers. C has no cast from
 * void * to a function pointer; POSIX guarantees that the bytes are the same
 * (dlsym). */
static void load_put(void *functions, size_t i, const void *bytes)
{
    memcpy((char *)functions + i * sizeof(surety__function *), bytes,
           sizeof(surety__function *));
}

#ifdef SURETY_DEFERRED
static surety_status load_fail(const surety__library *library,
                               const char *reason, surety_error *reterr)
{
    surety__fail(reterr, SURETY_IO, "%s need the library %s: %s",
                 library->purpose, library->file,
                 reason ? reason : "it cannot be loaded");
    surety__hint(reterr,
                 "install it; on Debian and Ubuntu it is in the "
                 "package %s",
                 library->package);
    return SURETY_IO;
}

surety_status surety__load(const surety__library *library, void *functions,
                           surety_error *reterr)
{
    void *handle =
        dlopen(library->file, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    surety_status status = SURETY_OK;

    assert(library->row_count > 0);
    if (!handle)
        return load_fail(library, dlerror(), reterr);
    for (size_t i = 0; i < library->row_count && !status; i++) {
        void *symbol = dlsym(handle, library->rows[i].name);

        if (symbol)
            load_put(functions, i, &symbol);
        else
            status = load_fail(library, dlerror(), reterr);
    }
    (void)dlclose(handle);
    return status;
}
#else
surety_status surety__load(const surety__library *library, void *functions,
                           surety_error *reterr)
{
    (void)reterr;
    assert(library->row_count > 0);
    for (size_t i = 0; i < library->row_count; i++)
        load_put(functions, i, &library->rows[i].linked);
    return SURETY_OK;
}
#endif
