/* SPDX-License-Identifier: Apache-2.0 */
/* How a struct whose first member is its size is taken from a caller, whose
 * header may be older or newer than this library. Every public function that
 * is given one takes it so before it looks at a member: what the caller's
 * header did not have is zero, which means the default, and what this library
 * does not know is left where it is. A size that does not even reach over
 * itself was forgotten, and is said to be: read as a caller's without members,
 * the options would be left out without a word. */
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
