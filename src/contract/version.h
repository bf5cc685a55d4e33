/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of contracts: Semantic Versioning 2.0.0. Inner header of
 * contract/. */
#ifndef SURETY_CONTRACT_VERSION_H
#define SURETY_CONTRACT_VERSION_H

#include "contract/contract.h"

/* Whether text is a semantic version (section 2, 9 and 10 there). */
bool surety__version_valid(surety_str text);
/* Whether text can follow "@" in a name: a version, or its first number
 * or first two. */
bool surety__version_request_valid(surety_str text);
/* Whether version is one that request (may be empty: any) asks for. */
bool surety__version_matches(surety_str version, surety_str request);
/* Whether it is a pre-release. */
bool surety__version_is_early(surety_str version);

#endif
