/* SPDX-License-Identifier: Apache-2.0 */
/* library.h: the contracts that a user can name on the command line. */
#ifndef CLI_LIBRARY_H
#define CLI_LIBRARY_H

#include "cli.h"

/* Appends the folders of library_open, joined by ":". */
void library_folders(surety_buf *folders);

/* Opens a registry over SURETY_CONTRACTS, ./contracts,
 * $XDG_CONFIG_HOME/surety/contracts and the built-in set. NULL: the message is
 * written. */
surety_registry *library_open(struct cli *cli);

/* Returns whether path may be read as a contract. False, with a message, for a
 * pipe or a device, because reading one may wait forever. */
bool library_is_file(struct cli *cli, const char *path);

/* Writes a warning for each member of a schema that has no effect (a misspelt
 * keyword), with its position in source; nothing with --no-schema-warnings. */
void library_warn(struct cli *cli, const char *source,
                  const surety_schema *schema);

/* Writes a warning for each duplicate key of doc, which was read from text;
 * line: as in struct diag. Returns their number. */
size_t library_warn_duplicates(struct cli *cli, const char *source,
                               surety_str text, const surety_doc *doc,
                               uint32_t line);

/* Finds and compiles the contract of a name or a path, and writes such
 * warnings. The caller frees it. NULL: there is no such contract, or no name,
 * and the message is written. */
surety_contract *library_contract(struct cli *cli, const char *name);

/* Reports that no contract has that name; error is that of the registry. A name
 * that can only be a path is that of a missing file. The hint considers that
 * users often name a file without its suffix. */
void library_no_contract(struct cli *cli, const char *name,
                         const surety_error *error);

/* Returns a contract that every value satisfies; the caller frees it. NULL: the
 * message is written. */
surety_contract *library_any(struct cli *cli);

#endif
