/* SPDX-License-Identifier: Apache-2.0 */
/* workbook.h: what an xlsx workbook holds, as text that a person reads: its
 * sheets, of each what of it stays in sight, its filter and widths, and every
 * cell with its value and its form; of very many the first and the last. */
#ifndef SURETY_TESTS_GOLDEN_WORKBOOK_H
#define SURETY_TESTS_GOLDEN_WORKBOOK_H

#include <surety.h>

/* Appends it, a line a cell; false, and a word, where bytes are none. */
bool workbook_tell(surety_str bytes, surety_buf *out);

#endif
