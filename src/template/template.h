/* SPDX-License-Identifier: Apache-2.0 */
/* The door of template/: JSON written from a template, for the libraries over
 * the core. */
#ifndef SURETY_TEMPLATE_TEMPLATE_H
#define SURETY_TEMPLATE_TEMPLATE_H

#include <surety/json.h>

#include "base/base.h"

/* Appends template, in which ' stands for a quotation mark and $ with a letter
 * for the next argument:
 *
 *     $s  a surety_str as a JSON string
 *     $m  the same, or null if it is empty
 *     $e  a surety_str as the inside of a JSON string
 *     $r  a surety_str unchanged
 *     $t  a const char * unchanged
 *     $o  an int and a uint64_t; null if the int is 0
 *     $n  a uint64_t
 *     $f  a double, or null if it is not finite
 *     $b  a bool
 *     $v  a surety_val in compact style; null for SURETY_NONE
 *
 * A failure is set in out->status. */
void surety__template_write(surety_buf *out, const char *template, ...);

/* Appends a template up to its next $, or to its end. Returns where it ended.
 */
const char *surety__template_plain(surety_buf *out, const char *at);

#endif
