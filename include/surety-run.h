/* SPDX-License-Identifier: Apache-2.0 */
/* surety-run.h: the whole of libsurety-run, over the core of surety.h. run.h is
 * the one call most programs need, config.h where its models come from. */
#ifndef SURETY_RUN_H
#define SURETY_RUN_H

#include <surety.h>
#include <surety/config.h>
#include <surety/consensus.h>
#include <surety/ledger.h>
#include <surety/provider.h>
#include <surety/run.h>
#include <surety/stats.h>

#endif
