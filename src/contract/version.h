/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of contracts: Semantic Versioning 2.0.0. Inner header of
 * contract/. */
#ifndef SURETY_CONTRACT_VERSION_H
#define SURETY_CONTRACT_VERSION_H

#include "contract/contract.h"

/* Returns whether text is a semantic version (sections 2, 9 and 10 there). */
bool surety__version_valid(surety_str text);
/* Returns whether text may follow "@" in a name: a version, or its first
 * number, or its first two numbers. */
bool surety__version_request_valid(surety_str text);
/* Returns whether version matches request; an empty request matches any. */
bool surety__version_matches(surety_str version, surety_str request);
/* Returns whether version is a pre-release. */
bool surety__version_is_early(surety_str version);

#endif
