/* SPDX-License-Identifier: Apache-2.0 */
/* surety/diff.h: what a new version of a contract changes for whom.
 *
 * Who reads values (a consumer) was written for the old contract and gets what
 * satisfies the new one: everything that the new one takes and the old one did
 * not may break it. Who makes values (a producer: a model, a stored value, a
 * test's fixture) made them for the old one: everything that only the old one
 * takes breaks it. A new member breaks no consumer, for who reads by name does
 * not see it; where the old object was open, the member could be anything, and
 * producers may break.
 *
 * The schemas are compared as they are checked, with drafts, references and
 * allOf settled, and values that are listed are checked by both. What two
 * subschemas mean together is not proved: a change is told where the keywords
 * of one place differ in what they take. So a change may be told as breaking
 * that breaks nothing. The converse does not happen: where no change breaks
 * producers, the new schema takes every value that the old one takes, and where
 * none breaks consumers, the old one takes every value that the new one takes,
 * once members that it leaves no room for are left out.
 *
 * Threads: a diff is frozen. */
#ifndef SURETY_DIFF_H
#define SURETY_DIFF_H

#include <surety/base.h>
#include <surety/contract.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes that are told at most, and pairs of subschemas that are compared. */
#define SURETY_DIFF_CHANGES_MAX 10000
#define SURETY_DIFF_PAIRS_MAX 20000

typedef struct surety_change {
    /* Where in a value, a JSON Pointer; "*" stands for every item, or for every
     * member that has no place of its own. Of a subschema that is used in
     * several places, the first of them. */
    surety_str at;
    surety_str keyword; /* what of the contract it is about */
    surety_str message; /* a sentence */
    bool breaks_consumers;
    bool breaks_producers;
    /* The subschema in the old and in the new contract, a JSON Pointer of the
     * document; empty where there is none, or where it is the root. */
    surety_str old_location, new_location;
} surety_change;

typedef struct surety_diff surety_diff;

/* Compares two contracts, which must outlive the diff. SURETY_LIMIT: more
 * changes or pairs than above; SURETY_NOMEM. */
SURETY_API surety_status surety_diff_new(const surety_contract *before,
                                         const surety_contract *after,
                                         const surety_alloc *alloc,
                                         surety_diff **ret_diff,
                                         surety_error *reterr);
SURETY_API void surety_diff_free(surety_diff *diff); /* takes NULL */

/* What of the version has to be raised (semver.org 2.0.0): the major number
 * where a consumer breaks, the minor one where a producer breaks or something
 * is new, the patch for everything else that differs. */
typedef enum surety_bump {
    SURETY_BUMP_NONE = 0,
    SURETY_BUMP_PATCH,
    SURETY_BUMP_MINOR,
    SURETY_BUMP_MAJOR
} surety_bump;
/* "none", "patch", "minor", "major"; never NULL. */
SURETY_API const char *surety_bump_name(surety_bump bump);

/* What differs. All of it belongs to the diff. */
typedef struct surety_diff_info {
    size_t size; /* sizeof(surety_diff_info) of the library */
    /* In the order of the old schema, those of the contracts themselves last.
     */
    const surety_change *changes;
    size_t change_count;
    surety_bump bump;
    /* The new contract's version is raised by that much or more. True where
     * either has no version. Below 1.0.0 the minor number is enough for
     * everything. */
    bool version_fits;
} surety_diff_info;
SURETY_API const surety_diff_info *surety_diff_info_of(const surety_diff *diff);

/* Appends it as one JSON object on one line, in the form of the contract
 * surety/diff. SURETY_NOMEM. */
SURETY_API surety_status surety_diff_write(const surety_diff *diff,
                                           surety_buf *out);

#ifdef __cplusplus
}
#endif
#endif
