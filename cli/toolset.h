/* SPDX-License-Identifier: Apache-2.0 */
/* toolset.h: the tools of a file and of servers, for a run or alone. */
#ifndef CLI_TOOLSET_H
#define CLI_TOOLSET_H

#include <surety-run.h>

#include "cli.h"
#include "run_world.h"

/* What the calls of tools go through instead of the world. Begins zeroed. */
struct toolset_world {
    const surety_recording *replay; /* they are answered by it; NULL: made */
    struct record_file *record;     /* they are recorded in it; NULL: not */
};

/* Reads the tools of a file; path NULL: those of a configuration, which may be
 * NULL too. Then lists those of servers of the Model Context Protocol: command
 * lines for /bin/sh. From now on signals are caught, and a signal ends the
 * listing: call signals_raise when all is released. NULL: the message is
 * written. world (may be NULL) must
 * outlive the set. */
surety_tools *toolset_open(struct cli *cli, const char *path,
                           const surety_config_info *config,
                           const struct texts *servers,
                           const struct toolset_world *world);

#endif
