/* SPDX-License-Identifier: Apache-2.0 */
/* The door of text/: everything it gives stands in the public header. */
#ifndef SURETY_TEXT_TEXT_H
#define SURETY_TEXT_TEXT_H

#include <surety/text.h>

#include "base/base.h"

#endif
