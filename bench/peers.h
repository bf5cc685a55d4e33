/* SPDX-License-Identifier: Apache-2.0 */
/* The parsers that run in the process of bench.c: same clock, same memory, same
 * documents. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <surety/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum peer { PEER_YYJSON, PEER_SIMDJSON };

typedef struct peers peers;

/* Never NULL. The documents must outlive it. */
peers *peers_new(const surety_str *texts, size_t count);
void peers_free(peers *peers);
/* Whether the parser was there when this was built. */
bool peers_have(enum peer peer);
/* Parses every document once; returns how many are JSON. */
size_t peers_parse(peers *peers, enum peer peer);

#ifdef __cplusplus
}
#endif
#endif
