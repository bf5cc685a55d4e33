/* SPDX-License-Identifier: Apache-2.0 */
/* The parsers that Surety's is measured against, one process a parser:
 * bench-parsers PARSER INSTANCES. It speaks as bench.c does and knows one
 * work, parse: every document once, bytes to a tree that can be walked.
 *
 * Each is used as its authors advise, with its memory reused where it can be,
 * and is asked for what RFC 8259 asks of a strict reader (RapidJSON: valid
 * UTF-8, which it leaves unchecked unless told). simdjson gets its padded
 * copies before the clock starts. */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#ifdef WITH_JANSSON
#include <jansson.h>
#endif
#ifdef WITH_RAPIDJSON
#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#endif
#include <rapidjson/document.h>
#endif
#ifdef WITH_SIMDJSON
#include <simdjson.h>
#endif
#ifdef WITH_YYJSON
#include <yyjson.h>
#endif

namespace {

struct Parser {
    virtual ~Parser() = default;
    /* Called once with all documents, before any is read. */
    virtual void prepare(const std::vector<std::string> &) {}
    virtual bool read(const std::string &text, std::size_t index) = 0;
};

#ifdef WITH_JANSSON
struct Jansson : Parser {
    bool read(const std::string &text, std::size_t) override
    {
        json_t *value = json_loadb(text.data(), text.size(),
                                   JSON_DECODE_ANY | JSON_ALLOW_NUL, nullptr);
        json_decref(value);
        return value != nullptr;
    }
};
#endif

#ifdef WITH_RAPIDJSON
struct Rapidjson : Parser {
    static constexpr std::size_t chunk = 1 << 16;
    rapidjson::MemoryPoolAllocator<> pool{chunk};

    bool read(const std::string &text, std::size_t) override
    {
        pool.Clear();
        rapidjson::Document document(&pool);
        document.Parse<rapidjson::kParseValidateEncodingFlag>(text.data(),
                                                              text.size());
        return !document.HasParseError();
    }
};
#endif

#ifdef WITH_SIMDJSON
struct Simdjson : Parser {
    simdjson::dom::parser parser;
    std::vector<simdjson::padded_string> padded;

    void prepare(const std::vector<std::string> &texts) override
    {
        for (const auto &text : texts)
            padded.emplace_back(text);
    }
    bool read(const std::string &, std::size_t index) override
    {
        return parser.parse(padded[index]).error() == simdjson::SUCCESS;
    }
};
#endif

#ifdef WITH_YYJSON
struct Yyjson : Parser {
    std::vector<char> memory;
    yyjson_alc pool{};

    void prepare(const std::vector<std::string> &texts) override
    {
        std::size_t longest = 0;

        for (const auto &text : texts)
            longest = std::max(longest, text.size());
        memory.resize(yyjson_read_max_memory_usage(longest, 0) + 4096);
        yyjson_alc_pool_init(&pool, memory.data(), memory.size());
    }
    bool read(const std::string &text, std::size_t) override
    {
        yyjson_doc *doc =
            yyjson_read_opts(const_cast<char *>(text.data()), text.size(),
                             YYJSON_READ_NOFLAG, &pool, nullptr);
        yyjson_doc_free(doc);
        return doc != nullptr;
    }
};
#endif

std::unique_ptr<Parser> parser_of(const std::string &name)
{
#ifdef WITH_JANSSON
    if (name == "jansson")
        return std::make_unique<Jansson>();
#endif
#ifdef WITH_RAPIDJSON
    if (name == "rapidjson")
        return std::make_unique<Rapidjson>();
#endif
#ifdef WITH_SIMDJSON
    if (name == "simdjson")
        return std::make_unique<Simdjson>();
#endif
#ifdef WITH_YYJSON
    if (name == "yyjson")
        return std::make_unique<Yyjson>();
#endif
    return nullptr;
}

std::vector<std::string> documents_of(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::vector<std::string> texts;
    std::string text;

    const auto ends_with = [&path](const std::string &ending) {
        return path.size() > ending.size() &&
               path.compare(path.size() - ending.size(), ending.size(),
                            ending) == 0;
    };
    const bool is_seq = ends_with(".seq");

    if (is_seq || ends_with(".jsonl")) {
        while (std::getline(file, text, is_seq ? '\x1e' : '\n'))
            if (!text.empty())
                texts.push_back(text);
        return texts;
    }
    std::ostringstream all;
    all << file.rdbuf();
    texts.push_back(all.str());
    return texts;
}

} // namespace

int main(int argc, char **argv)
{
    using clock = std::chrono::steady_clock;

    if (argc != 3) {
        std::fprintf(stderr, "usage: bench-parsers PARSER INSTANCES\n");
        return 2;
    }
    const auto parser = parser_of(argv[1]);
    if (!parser) {
        std::puts("{\"error\": \"not installed when the bench was built\"}");
        return 0;
    }
    const auto texts = documents_of(argv[2]);
    std::string verdicts;
    std::string work;
    std::size_t read = 0;
    double ms = 0;

    parser->prepare(texts);
    for (std::size_t i = 0; i < texts.size(); i++)
        verdicts += parser->read(texts[i], i) ? '1' : '0';
    std::printf("{\"verdicts\": \"%s\"}\n", verdicts.c_str());
    std::fflush(stdout);
    while (std::cin >> work >> ms) {
        const auto start = clock::now();
        const std::clock_t used_start = std::clock();
        std::chrono::duration<double, std::nano> spent{};
        double passes = 0;

        if (work != "parse") {
            std::puts("-1");
            std::fflush(stdout);
            continue;
        }
        do {
            for (std::size_t i = 0; i < texts.size(); i++)
                read += parser->read(texts[i], i);
            passes++;
            spent = clock::now() - start;
        } while (spent.count() < ms * 1e6);
        const double used = static_cast<double>(std::clock() - used_start) *
                            (1e9 / CLOCKS_PER_SEC);
        std::printf("%.1f\n", std::min(used, spent.count()) / passes);
        std::fflush(stdout);
    }
    return read == static_cast<std::size_t>(-1);
}
