/* SPDX-License-Identifier: Apache-2.0 */
/* configuration.h: surety.json, found where a user may have put it. */
#ifndef CLI_CONFIGURATION_H
#define CLI_CONFIGURATION_H

#include <surety-run.h>

#include "cli.h"

/* Reads the file at path, or where it is NULL ./surety.json or
 * surety/surety.json of the user's configuration folder, the first that exists;
 * where none does, what is built in. The folder and the warnings of options are
 * set here, and the limits of the tool; a path kept in options must outlive the
 * configuration. The caller frees it. NULL: said why, with the code raised. */
surety_config *configuration_open(struct cli *cli, const char *path,
                                  const surety_config_options *options);

/* Takes the limits of the file that configuration_open would read, for a
 * command that needs nothing else of it. A ./surety.json of another user is
 * passed over with a warning. False: said why, with the code raised. */
bool configuration_limits(struct cli *cli);

/* A model by its name; NULL: said why, with the code raised. */
const surety_model *configuration_model(struct cli *cli, surety_config *config,
                                        surety_str name);

/* Appends the place of ledgers where none is named: surety/ledger.db in
 * $XDG_STATE_HOME or ~/.local/state. False: there is no such folder, and it is
 * said: as a warning where the ledger is optional. Makes nothing. */
bool configuration_ledger_place(struct cli *cli, bool optional,
                                surety_buf *path);
/* The same, and makes the folders, for the user alone. */
bool configuration_ledger(struct cli *cli, bool optional, surety_buf *path);

#endif
