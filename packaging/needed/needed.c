/* SPDX-License-Identifier: Apache-2.0 */
/* needed.c: refers to every function of other libraries that ours load when
 * they first need it (src/load/load.h). It is linked as usual and never run.
 * From the program the build reads the names by which the libraries are loaded
 * (tools/sonames.py), and Debian's packages what they depend on. */
#ifdef NEEDED_RUN
#include "ledger/sqlite.h"
#include "provider/curl.h"
#define RUN SURETY__CURL(SURETY__ROW) SURETY__SQLITE(SURETY__ROW)
#else
#define RUN
#endif
#if defined(NEEDED_RUN) && defined(SURETY_WITH_POSTGRES)
#include "ledger/pq.h"
#define POSTGRES SURETY__PQ(SURETY__ROW)
#else
#define POSTGRES
#endif
#ifdef SURETY_WITH_CHARTS
#include "render/pango.h"
#define CHARTS SURETY__PANGO(PANGO_ROW)
#else
#define CHARTS
#endif
#ifdef SURETY_WITH_XLSX
#include "render/xlsx.h"
#define WORKBOOKS SURETY__XLSX(SURETY__ROW)
#else
#define WORKBOOKS
#endif
#ifdef SURETY_WITH_TLS
#include "serve/openssl.h"
#define TLS SURETY__OPENSSL(SURETY__ROW)
#else
#define TLS
#endif
#include "load/load.h"

extern const surety__function_row surety__needed[];
const surety__function_row surety__needed[] = {
    RUN POSTGRES CHARTS WORKBOOKS TLS{NULL, NULL}};

/* Which row is looked at is not known before, so that a linker that optimises
 * keeps all of them. */
int main(int argc, char **argv)
{
    (void)argv;
    return surety__needed[argc].linked == NULL;
}
