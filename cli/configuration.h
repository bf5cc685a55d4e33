/* SPDX-License-Identifier: Apache-2.0 */
/* configuration.h: finds and opens surety.json. */
#ifndef CLI_CONFIGURATION_H
#define CLI_CONFIGURATION_H

#include <surety-run.h>

#include "cli.h"

/* Reads the file at path. If path is NULL, reads ./surety.json or
 * surety/surety.json in the user's configuration folder, the first that exists;
 * if none exists, only built-in settings apply. Sets folder and warn of
 * options, and the limits of the tool; what options points to must outlive the
 * configuration. The caller frees it. NULL: the message is written and the exit
 * code raised. */
surety_config *configuration_open(struct cli *cli, const char *path,
                                  const surety_config_options *options);

/* Sets the limits of the tool from the file that configuration_open would read,
 * for commands that need no other setting. A ./surety.json of another user is
 * ignored with a warning. False: the message is written and the exit code
 * raised. */
bool configuration_limits(struct cli *cli);

/* Finds a model by its name. NULL: the message is written and the exit code
 * raised. */
const surety_model *configuration_model(struct cli *cli, surety_config *config,
                                        surety_str name);

/* Appends the path of the default ledger: surety/ledger.db in $XDG_STATE_HOME
 * or ~/.local/state. Creates nothing. False: there is no such folder, and a
 * message is written, which is a warning if the ledger is optional. */
bool configuration_ledger_place(struct cli *cli, bool optional,
                                surety_buf *path);
/* The same, and makes the folders, accessible only to the user. */
bool configuration_ledger(struct cli *cli, bool optional, surety_buf *path);
/* Appends the URL of the ledger that surety run uses: the one of --ledger, else
 * that of the configuration (config: its file, or NULL), else the default one,
 * whose folders are made if makes is true. Sets the limits of the tool. False:
 * the message is written and the exit code raised, also where no ledger is
 * kept. */
bool configuration_ledger_url(struct cli *cli, const char *ledger,
                              const char *config, bool makes, surety_buf *url);

#endif
