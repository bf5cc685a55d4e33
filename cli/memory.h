/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h: the allocator of what may be large: documents, values written. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <surety/base.h>

/* libc's for small blocks; large ones are mapped, in huge pages where the
 * system has them, and grow without being copied. */
extern const surety_alloc memory_large;

/* Asks for huge pages for a block of libc's, if it is large. */
void memory_advise(void *ptr, size_t size);

#endif
