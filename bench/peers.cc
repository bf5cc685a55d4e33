/* SPDX-License-Identifier: Apache-2.0 */
/* yyjson and simdjson, as their authors advise to use them: memory is reused,
 * and simdjson has its padded copies beforehand. */
#include "peers.h"

#include <algorithm>
#include <vector>

#ifdef WITH_YYJSON
#include "yyjson.hpp"
#endif
#ifdef WITH_SIMDJSON
#include <simdjson.h>
#endif

struct peers {
    std::vector<surety_str> texts;
#ifdef WITH_YYJSON
    std::vector<char> memory;
    duckdb_yyjson::yyjson_alc pool{};
#endif
#ifdef WITH_SIMDJSON
    simdjson::dom::parser parser;
    std::vector<simdjson::padded_string> padded;
#endif
};

peers *peers_new(const surety_str *texts, size_t count)
{
    auto *all = new peers;

    all->texts.assign(texts, texts + count);
#ifdef WITH_YYJSON
    std::size_t longest = 0;

    for (const auto &text : all->texts)
        longest = std::max(longest, text.len);
    all->memory.resize(duckdb_yyjson::yyjson_read_max_memory_usage(longest, 0) +
                       4096);
    duckdb_yyjson::yyjson_alc_pool_init(&all->pool, all->memory.data(),
                                        all->memory.size());
#endif
#ifdef WITH_SIMDJSON
    for (const auto &text : all->texts)
        all->padded.emplace_back(text.ptr, text.len);
#endif
    return all;
}

void peers_free(peers *peers)
{
    delete peers;
}

bool peers_have(enum peer peer)
{
    switch (peer) {
#ifdef WITH_YYJSON
    case PEER_YYJSON: return true;
#endif
#ifdef WITH_SIMDJSON
    case PEER_SIMDJSON: return true;
#endif
    default: return false;
    }
}

size_t peers_parse(peers *peers, enum peer peer)
{
    size_t valid = 0;

    (void)peers;
#ifdef WITH_YYJSON
    if (peer == PEER_YYJSON)
        for (const auto &text : peers->texts) {
            auto *doc = duckdb_yyjson::yyjson_read_opts(
                const_cast<char *>(text.ptr), text.len,
                duckdb_yyjson::YYJSON_READ_NOFLAG, &peers->pool, nullptr);

            valid += doc != nullptr;
            duckdb_yyjson::yyjson_doc_free(doc);
        }
#endif
#ifdef WITH_SIMDJSON
    if (peer == PEER_SIMDJSON)
        for (const auto &text : peers->padded)
            valid += peers->parser.parse(text).error() == simdjson::SUCCESS;
#endif
    return valid;
}
