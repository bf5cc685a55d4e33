/* SPDX-License-Identifier: Apache-2.0 */
/* surety.h: all headers of the core. Most programs need only
 * surety_contract_judge of reply.h. */
#ifndef SURETY_H
#define SURETY_H

#include <surety/base.h>
#include <surety/json.h>
#include <surety/extract.h>
#include <surety/form.h>
#include <surety/schema.h>
#include <surety/contract.h>
#include <surety/reply.h>
#include <surety/stream.h>
#include <surety/vote.h>
#include <surety/diff.h>
#include <surety/strict.h>
#include <surety/prompt.h>
#include <surety/typed.h>
#include <surety/gen.h>

#endif
