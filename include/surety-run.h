/* SPDX-License-Identifier: Apache-2.0 */
/* surety-run.h: all headers of libsurety-run, which uses the core (surety.h).
 * Most programs need only run.h, which has the run, and config.h, which gives
 * its models. */
#ifndef SURETY_RUN_H
#define SURETY_RUN_H

#include <surety.h>
#include <surety/config.h>
#include <surety/consensus.h>
#include <surety/keys.h>
#include <surety/ledger.h>
#include <surety/message.h>
#include <surety/provider.h>
#include <surety/run.h>
#include <surety/stats.h>
#include <surety/tool.h>

#endif
