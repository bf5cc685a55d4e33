/* SPDX-License-Identifier: Apache-2.0 */
/* The door of load/: libraries of others that are loaded when a call first
 * needs them. A program that makes no such call neither waits for them nor
 * needs them.
 *
 * What we call of a library is a list, FUNCTION(name in the library, member)
 * for each. SURETY__POINTER makes a struct of pointers from it, SURETY__ROW the
 * rows by which they are found. Whoever uses the library owns such a struct and
 * fills it first, so there is no state that outlives a call.
 *
 * With the build option deferred=false everything is linked as usual: then the
 * rows hold the functions, and nothing is loaded. */
#ifndef SURETY_LOAD_LOAD_H
#define SURETY_LOAD_LOAD_H

#include "base/base.h"
#ifdef SURETY_DEFERRED
#include "sonames.inc"
#else
#define SURETY__LIBCURL NULL, NULL
#define SURETY__LIBMICROHTTPD NULL, NULL
#define SURETY__LIBPANGOCAIRO NULL, NULL
#define SURETY__LIBPQ NULL, NULL
#define SURETY__LIBSQLITE3 NULL, NULL
#define SURETY__LIBXLSXWRITER NULL, NULL
#endif

typedef void surety__function(void);

typedef struct surety__function_row {
    const char *name;
    surety__function *linked; /* NULL: to be found in the loaded library */
} surety__function_row;

typedef struct surety__library {
    const char *file;    /* as the loader finds it: "libcurl.so.4" */
    const char *package; /* that Debian has it in: "libcurl4" */
    const char *purpose; /* what needs it: "calls over HTTP" */
    const surety__function_row *rows;
    size_t row_count;
} surety__library;

#define SURETY__POINTER(name, member) __typeof__(name) *member;
#ifdef SURETY_DEFERRED
#define SURETY__ROW(name, member) {#name, NULL},
#else
#define SURETY__ROW(name, member) {#name, (surety__function *)name},
#endif

/* Fills functions, a struct of as many pointers as the library has rows, in
 * their order. The library then stays for the life of the process.
 * SURETY_IO: it is not there, or lacks a function; the hint says how
 * to install it. */
surety_status surety__load(const surety__library *library, void *functions,
                           surety_error *reterr);

#endif
