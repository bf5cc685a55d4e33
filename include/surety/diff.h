/* SPDX-License-Identifier: Apache-2.0 */
/* surety/diff.h: what a new version of a contract changes, and for whom.
 *
 * A consumer reads values. It was written for the old contract and now gets
 * values that satisfy the new one: a value that only the new contract accepts
 * may break it. A producer makes values (a model, a stored value, a test's
 * fixture). It was written for the old contract: a value that only the old
 * contract accepts breaks the producer. A new member breaks no consumer,
 * because a consumer reads members by name and does not see it. But if the old
 * object allowed additional members, the new member could have had any value
 * before, so it may break producers.
 *
 * The compiled schemas are compared, with drafts, references and allOf
 * resolved, and listed values (enum, const) are checked by both schemas. The
 * comparison works keyword by keyword and does not prove what several keywords
 * accept together. So it may report a change as breaking that breaks nothing,
 * but it never misses one: if no change breaks producers, the new schema
 * accepts every value that the old one accepts; if no change breaks consumers,
 * the old schema accepts every value that the new one accepts, after members
 * that the old one does not allow are removed.
 *
 * Threads: a diff is frozen. */
#ifndef SURETY_DIFF_H
#define SURETY_DIFF_H

#include <surety/base.h>
#include <surety/contract.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most changes that are reported, and most pairs of subschemas that are
 * compared. */
#define SURETY_DIFF_CHANGES_MAX 10000
#define SURETY_DIFF_PAIRS_MAX 20000

typedef struct surety_change {
    /* The location in a value, a JSON Pointer; "*" means every item, or every
     * member that has no subschema of its own. For a subschema that is used at
     * several locations, the first of them. */
    surety_str at;
    surety_str keyword; /* the keyword of the contract that changed */
    surety_str message; /* a sentence */
    bool breaks_consumers;
    bool breaks_producers;
    /* The subschema in the old and in the new contract, a JSON Pointer in the
     * document; empty where there is none, or where it is the root. */
    surety_str old_location, new_location;
} surety_change;

typedef struct surety_diff surety_diff;

/* Compares two contracts, which must outlive the diff. SURETY_LIMIT: more
 * changes or pairs than the limits above; SURETY_NOMEM. */
SURETY_API surety_status surety_diff_new(const surety_contract *before,
                                         const surety_contract *after,
                                         const surety_alloc *alloc,
                                         surety_diff **ret_diff,
                                         surety_error *reterr);
SURETY_API void surety_diff_free(surety_diff *diff); /* takes NULL */

/* Which number of the version must be raised (semver.org 2.0.0): the major
 * number where a consumer breaks, the minor number where a producer breaks or a
 * feature is new, the patch number for every other difference. */
typedef enum surety_bump {
    SURETY_BUMP_NONE = 0,
    SURETY_BUMP_PATCH,
    SURETY_BUMP_MINOR,
    SURETY_BUMP_MAJOR
} surety_bump;
/* "none", "patch", "minor", "major"; never NULL. */
SURETY_API const char *surety_bump_name(surety_bump bump);

/* The differences. Everything belongs to the diff. */
typedef struct surety_diff_info {
    size_t size; /* sizeof(surety_diff_info) of the library */
    /* In the order of the old schema; changes of x-surety come last. */
    const surety_change *changes;
    size_t change_count;
    surety_bump bump;
    /* The new contract's version is raised by bump or more. True where either
     * contract has no version. Below 1.0.0, raising the minor number is always
     * enough. */
    bool version_fits;
} surety_diff_info;
SURETY_API const surety_diff_info *surety_diff_info_of(const surety_diff *diff);

/* Appends the diff as one JSON object on one line, in the form of the contract
 * surety/diff. SURETY_NOMEM. */
SURETY_API surety_status surety_diff_write(const surety_diff *diff,
                                           surety_buf *out);

#ifdef __cplusplus
}
#endif
#endif
