/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h: the allocator for objects that may be large: documents, written
 * values. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <surety/base.h>

/* Small blocks come from libc; large ones are mapped, in huge pages where the
 * system has them, and grow without being copied. */
extern const surety_alloc memory_large;

/* Asks the system for huge pages for a block of libc, if it is large. */
void memory_advise(void *ptr, size_t size);

#endif
