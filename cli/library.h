/* SPDX-License-Identifier: Apache-2.0 */
/* library.h: the contracts a user can name from here. */
#ifndef CLI_LIBRARY_H
#define CLI_LIBRARY_H

#include "cli.h"

/* A registry over SURETY_CONTRACTS, ./contracts,
 * $XDG_CONFIG_HOME/surety/contracts and the built-in set. NULL: said why. */
surety_registry *library_open(struct cli *cli);

/* Whether path may be read as a contract: false, and said so, where it is a
 * pipe or a device, which might keep the tool waiting for ever. */
bool library_is_file(struct cli *cli, const char *path);

/* Writes what in a schema says nothing, a misspelt keyword, each with its place
 * in source; unless --no-schema-warnings was given. */
void library_warn(struct cli *cli, const char *source,
                  const surety_schema *schema);

/* Warns of each key of doc, read from text, that a later one replaces; line: as
 * in struct diag. Gives their number. */
size_t library_warn_duplicates(struct cli *cli, const char *source,
                               surety_str text, const surety_doc *doc,
                               uint32_t line);

/* The contract of a name or a path, which the caller frees, with such warnings
 * written. NULL: said why, with the code raised. */
surety_contract *library_contract(struct cli *cli, const char *name);

#endif
