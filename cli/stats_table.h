/* SPDX-License-Identifier: Apache-2.0 */
/* stats_table.h: writes statistics as tables for people. */
#ifndef CLI_STATS_TABLE_H
#define CLI_STATS_TABLE_H

#include <surety-run.h>

#include "cli.h"

struct stats_table {
    surety_buf *out;
    const surety_stats *stats;
    const surety_stats_info *info; /* of stats */
    unsigned sections;
    size_t top;   /* most errors, repairs and values to show */
    size_t width; /* columns of the terminal */
    bool color;
};

void stats_table_write(const struct stats_table *table);

#endif
