/* SPDX-License-Identifier: Apache-2.0 */
/* The door of load/: libraries of others, loaded when a call first needs them.
 * A program that makes no such call neither waits for them nor needs them.
 *
 * 1. The functions that we call in a library are a list, FUNCTION(name in the
 *    library, member) for each. SURETY__POINTER makes a struct of pointers from
 *    it, and SURETY__ROW makes the rows to find them.
 * 2. The object that uses the library owns such a struct and fills it first, so
 *    no state outlives a call.
 * 3. With the build option deferred=false the linker links everything as usual:
 *    the rows hold the functions, and nothing is loaded. */
#ifndef SURETY_LOAD_LOAD_H
#define SURETY_LOAD_LOAD_H

#include "base/base.h"
#ifdef SURETY_DEFERRED
#include "sonames.inc"
#else
#define SURETY__LIBCURL NULL, NULL
#define SURETY__LIBPANGOCAIRO NULL, NULL
#define SURETY__LIBPQ NULL, NULL
#define SURETY__LIBSQLITE3 NULL, NULL
#define SURETY__LIBSSL NULL, NULL
#define SURETY__LIBXLSXWRITER NULL, NULL
#endif

typedef void surety__function(void);

typedef struct surety__function_row {
    const char *name;
    surety__function *linked; /* NULL: look it up in the loaded library */
} surety__function_row;

typedef struct surety__library {
    const char *file;    /* the loader's name: "libcurl.so.4" */
    const char *package; /* the package in Debian: "libcurl4" */
    const char *purpose; /* the calls that need it: "calls over HTTP" */
    const surety__function_row *rows;
    size_t row_count;
} surety__library;

#define SURETY__POINTER(name, member) __typeof__(name) *member;
#ifdef SURETY_DEFERRED
#define SURETY__ROW(name, member) {#name, NULL},
#else
#define SURETY__ROW(name, member) {#name, (surety__function *)name},
#endif

/* Fills functions, a struct with one pointer per row of the library, in the
 * order of the rows. The library then stays loaded for the life of the process.
 * SURETY_IO: it is not installed, or lacks a function; the hint explains how to
 * install it. */
surety_status surety__load(const surety__library *library, void *functions,
                           surety_error *reterr);

#endif
