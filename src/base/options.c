/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a struct of options, whose first member is its size, from a caller
 * whose header may be older or newer than this library. Every public function
 * with such a parameter calls this first.
 *
 * 1. Members that the caller's header does not have are zero, which means the
 *    default.
 * 2. Members that this library does not have are ignored.
 * 3. A size smaller than the size member itself means that the caller forgot to
 *    set it. That is an error: otherwise all options would be ignored
 *    silently. */
#include "base/base.h"

surety_status surety__options_take(void *own, size_t own_size,
                                   const void *given, surety_error *reterr)
{
    size_t size = own_size;

    memset(own, 0, own_size);
    if (given)
        memcpy(&size, given, sizeof(size));
    if (size < sizeof(size)) {
        (void)surety__fail(reterr, SURETY_MISUSE,
                           "the member size of a struct of options is %zu",
                           size);
        surety__hint(reterr, "set it to the sizeof of that struct");
        return SURETY_MISUSE;
    }
    if (given)
        memcpy(own, given, size < own_size ? size : own_size);
    memcpy(own, &own_size, sizeof(own_size));
    return SURETY_OK;
}
