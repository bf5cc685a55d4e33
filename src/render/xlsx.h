/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libxlsxwriter that render/ calls. */
#ifndef SURETY_RENDER_XLSX_H
#define SURETY_RENDER_XLSX_H

#include <xlsxwriter.h>

#include "load/load.h"

#define SURETY__XLSX(FUNCTION)                                                 \
    FUNCTION(format_set_align, format_set_align)                               \
    FUNCTION(format_set_bold, format_set_bold)                                 \
    FUNCTION(format_set_bottom, format_set_bottom)                             \
    FUNCTION(format_set_num_format, format_set_num_format)                     \
    FUNCTION(lxw_strerror, lxw_strerror)                                       \
    FUNCTION(lxw_workbook_free, lxw_workbook_free)                             \
    FUNCTION(workbook_add_format, workbook_add_format)                         \
    FUNCTION(workbook_add_worksheet, workbook_add_worksheet)                   \
    FUNCTION(workbook_close, workbook_close)                                   \
    FUNCTION(workbook_new_opt, workbook_new_opt)                               \
    FUNCTION(workbook_set_properties, workbook_set_properties)                 \
    FUNCTION(worksheet_autofilter, worksheet_autofilter)                       \
    FUNCTION(worksheet_freeze_panes, worksheet_freeze_panes)                   \
    FUNCTION(worksheet_repeat_rows, worksheet_repeat_rows)                     \
    FUNCTION(worksheet_set_column, worksheet_set_column)                       \
    FUNCTION(worksheet_write_number, worksheet_write_number)                   \
    FUNCTION(worksheet_write_string, worksheet_write_string)

typedef struct surety__xlsx {
    SURETY__XLSX(SURETY__POINTER)
} surety__xlsx;

#endif
