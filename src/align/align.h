/* SPDX-License-Identifier: Apache-2.0 */
/* The door of align/: nothing beyond the public header. */
#ifndef SURETY_ALIGN_ALIGN_H
#define SURETY_ALIGN_ALIGN_H

#include <surety/align.h>

#endif
