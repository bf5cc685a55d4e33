/* SPDX-License-Identifier: Apache-2.0 */
/* Generates types from contracts: the order of the steps. Each contract
 * becomes a model of its own. All names are in one set; those of the roots and
 * their functions are claimed first. Then the header and the source are
 * written, each with a hash of its text in its first comment. */
#include "gen/inside.h"

static const char gen_hash_line[] = " * Hash of what follows: ";

/* ---- notes --------------------------------------------------------------- */

/* Sorts notes in the order of their positions in the contracts. */
static void gen_sort_notes(surety_gen *gen)
{
    for (size_t i = 1; i < gen->note_count; i++) {
        const surety_gen_note note = gen->notes[i];
        size_t at = i;

        while (at > 0 && (gen->notes[at - 1].contract > note.contract ||
                          (gen->notes[at - 1].contract == note.contract &&
                           gen->notes[at - 1].at.index > note.at.index))) {
            gen->notes[at] = gen->notes[at - 1];
            at--;
        }
        gen->notes[at] = note;
    }
}

/* ---- changes by hand ----------------------------------------------------- */

enum { GEN_HASH_LEN = 16 };

/* The hash of a text in hexadecimal. FNV-1a, 64 bits: it detects a change, not
 * an attack. */
static void gen_hash(surety_str text, char ret_digits[GEN_HASH_LEN])
{
    uint64_t hash = 0xCBF29CE484222325u;

    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * 0x100000001B3u;
    for (unsigned i = 0; i < GEN_HASH_LEN; i++)
        ret_digits[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
}

bool surety_gen_is_untouched(surety_str text)
{
    const surety_str line = SURETY__LITERAL(gen_hash_line);
    const size_t end = surety__str_find(text, SURETY__LITERAL(" */\n"));
    const size_t at = surety__str_find((surety_str){text.ptr, end}, line);
    char digits[GEN_HASH_LEN];

    if (!surety__str_starts(text, SURETY__LITERAL("/* Made by surety gen")) ||
        at == end || end - at != line.len + GEN_HASH_LEN)
        return false;
    gen_hash((surety_str){text.ptr + end + 4, text.len - end - 4}, digits);
    return memcmp(text.ptr + at + line.len, digits, GEN_HASH_LEN) == 0;
}

/* Writes the first comment with the hash of body, then body. */
static void gen_seal(surety_gen *gen, const surety_buf *about,
                     const surety_buf *body, surety_buf *out)
{
    char digits[GEN_HASH_LEN];

    assert(out->len == 0);
    if (gen->status == SURETY_OK)
        gen->status = about->status ? about->status : body->status;
    if (gen->status != SURETY_OK)
        return;
    gen_hash(surety_buf_str(body), digits);
    surety__gen_comment(out, 0, surety_buf_str(about));
    if (out->status == SURETY_OK)
        out->len -= 4;
    surety_buf_byte(out, '\n');
    surety_buf_text(out, gen_hash_line);
    surety_buf_append(out, digits, GEN_HASH_LEN);
    surety_buf_text(out, " */\n");
    surety_buf_add(out, surety_buf_str(body));
    gen->status = out->status;
}

/* ---- the files ----------------------------------------------------------- */

static void gen_guard(surety_gen *gen, surety_str include)
{
    surety_buf guard;

    surety_buf_init(&guard, gen->alloc, 0);
    /* Names that begin with SURETY_ belong to the library. */
    if (surety__str_starts(include, SURETY__LITERAL("surety")))
        surety_buf_text(&guard, "TYPES_");
    for (size_t i = 0; i < include.len; i++) {
        const char byte = include.ptr[i];

        if (byte >= 'a' && byte <= 'z')
            surety_buf_byte(&guard, (char)(byte - 'a' + 'A'));
        else if ((byte >= 'A' && byte <= 'Z') ||
                 (guard.len && surety__is_digit(byte)))
            surety_buf_byte(&guard, byte);
        else if (guard.len && guard.ptr[guard.len - 1] != '_')
            surety_buf_byte(&guard, '_');
    }
    if (!guard.len)
        surety_buf_text(&guard, "TYPES");
    if (guard.len < 2 || memcmp(guard.ptr + guard.len - 2, "_H", 2) != 0)
        surety_buf_text(&guard, "_H");
    gen->guard = surety__gen_claim(gen, &gen->names,
                                   surety__arena_buf(&gen->arena, &guard));
}

/* Sets prefix and include; the prefix is converted to words of an
 * identifier. */
static void gen_settle(surety_gen *gen, const surety_gen_options *options,
                       const surety_contract *first)
{
    const surety_str name = surety_contract_info_of(first)->name;
    surety_buf text;

    surety_buf_init(&text, gen->alloc, 0);
    if (options->prefix.len)
        surety__gen_word(&text, options->prefix, false);
    gen->prefix = surety__arena_buf(&gen->arena, &text);
    surety_buf_init(&text, gen->alloc, 0);
    if (options->header.len) {
        surety_buf_add(&text, options->header);
    } else {
        surety__gen_word(&text, name, false);
        surety_buf_text(&text, ".h");
    }
    gen->include = surety__arena_buf(&gen->arena, &text);
    gen_guard(gen, gen->include);
}

static void gen_about(const surety_contract *const *contracts, size_t count,
                      surety_buf *out)
{
    surety_buf_text(out, "Made by surety gen from ");
    for (size_t i = 0; i < count; i++) {
        const surety_str id = surety_contract_info_of(contracts[i])->id;

        surety_buf_text(out, i == 0 ? "" : i + 1 == count ? " and " : ", ");
        surety_buf_add(
            out, id.len ? id : SURETY__LITERAL("a contract without a name"));
    }
    surety_buf_text(
        out, ". Changes made here are overwritten when it is made again.");
}

static void gen_write(surety_gen *gen, surety__gen_model *models, size_t count,
                      const surety_contract *const *contracts)
{
    surety_buf about, body;

    surety_buf_init(&about, gen->alloc, 0);
    surety_buf_init(&body, gen->alloc, 0);
    gen_about(contracts, count, &about);
    surety__gen_put(&body, "#ifndef @\n#define @\n\n", gen->guard);
    surety_buf_text(&body, "#include <surety.h>\n\n"
                           "#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    for (size_t i = 0; i < count && gen->status == SURETY_OK; i++)
        surety__gen_header_write(&models[i], &body);
    surety_buf_text(&body, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
    gen_seal(gen, &about, &body, &gen->header);
    surety_buf_reset(&body);
    surety__gen_put(&body,
                    "#define SURETY_KEEP_DEPRECATED\n#include \"@\"\n\n"
                    "#define NONE SURETY_TYPED_NONE\n"
                    "#define POINTER SURETY_TYPED_POINTER\n"
                    "#define NAME(text) SURETY_TYPED_NAME(text)\n",
                    gen->include);
    for (size_t i = 0; i < count && gen->status == SURETY_OK; i++)
        surety__gen_source_write(&models[i], &body);
    gen_seal(gen, &about, &body, &gen->source);
    surety_buf_done(&about);
    surety_buf_done(&body);
}

static void gen_run(surety_gen *gen, surety__gen_model *models, size_t count,
                    const surety_contract *const *contracts)
{
    for (size_t i = 0; i < count && gen->status == SURETY_OK; i++) {
        models[i].gen = gen;
        models[i].number = i;
        models[i].contract = contracts[i];
        models[i].schema = surety_contract_info_of(contracts[i])->schema;
        if (surety__gen_model_make(&models[i]) == SURETY_OK) {
            surety__gen_order(&models[i]);
            surety__gen_name_root(&models[i]);
        }
    }
    for (size_t i = 0; i < count && gen->status == SURETY_OK; i++)
        surety__gen_name_types(&models[i]);
    gen_sort_notes(gen);
    if (gen->status == SURETY_OK)
        gen_write(gen, models, count, contracts);
    for (size_t i = 0; i < count; i++)
        if (models[i].gen)
            surety__gen_model_done(&models[i]);
}

static bool gen_is_misused(const surety_contract *const *contracts,
                           size_t count)
{
    for (size_t i = 0; contracts && i < count; i++) {
        if (!contracts[i])
            return true;
        for (size_t j = 0; j < i; j++)
            if (surety_str_equal(surety_contract_info_of(contracts[i])->id,
                                 surety_contract_info_of(contracts[j])->id))
                return true;
    }
    return !contracts || count == 0;
}

/* Refuses a prefix that cannot begin an identifier, and a header's name that
 * no #include can have. */
static surety_status gen_check(const surety_gen_options *options,
                               surety_error *reterr)
{
    const surety_str prefix = options->prefix, header = options->header;

    if (prefix.len && prefix.ptr[0] >= '0' && prefix.ptr[0] <= '9')
        return surety__fail(
            reterr, SURETY_MISUSE, "the prefix \"%.*s\" begins with a digit",
            (int)(prefix.len > 60 ? 60 : prefix.len), prefix.ptr);
    for (size_t i = 0; i < header.len; i++)
        if ((unsigned char)header.ptr[i] < ' ' || header.ptr[i] == '"')
            return surety__fail(reterr, SURETY_MISUSE,
                                "no #include can name a header that has a "
                                "quote or a control character in its name");
    return SURETY_OK;
}

surety_status surety_gen_new(const surety_contract *const *contracts,
                             size_t count, const surety_gen_options *options,
                             surety_gen **ret_gen, surety_error *reterr)
{
    surety_gen_options own;
    surety__gen_model *models;
    surety_status status;
    surety_gen *gen;

    if (!ret_gen || gen_is_misused(contracts, count))
        return surety__fail(reterr, SURETY_MISUSE,
                            "one contract or more is needed, no two of them "
                            "with the same name");
    status = surety__options_take(&own, sizeof(own), options, reterr);
    if (status == SURETY_OK)
        status = gen_check(&own, reterr);
    if (status)
        return status;
    gen = surety__new(own.alloc, sizeof(*gen));
    models = surety__new(own.alloc, count * sizeof(*models));
    if (!gen || !models) {
        surety__free(own.alloc, gen, sizeof(*gen));
        surety__free(own.alloc, models, count * sizeof(*models));
        return surety__fail_nomem(reterr);
    }
    gen->alloc = own.alloc;
    surety__arena_init(&gen->arena, gen->alloc, 0);
    gen->arena.status = &gen->status;
    surety_buf_init(&gen->header, gen->alloc, 0);
    surety_buf_init(&gen->source, gen->alloc, 0);
    gen_settle(gen, &own, contracts[0]);
    gen_run(gen, models, count, contracts);
    surety__free(gen->alloc, models, count * sizeof(*models));
    status = gen->status;
    if (status == SURETY_OK) {
        gen->info = (surety_gen_info){.size = sizeof(gen->info),
                                      .header = surety_buf_str(&gen->header),
                                      .source = surety_buf_str(&gen->source),
                                      .notes = gen->notes,
                                      .note_count = gen->note_count};
        *ret_gen = gen;
        return SURETY_OK;
    }
    surety_gen_free(gen);
    if (status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (status == SURETY_LIMIT)
        return surety__fail(reterr, status,
                            "more than %d subschemas apply to one value",
                            CONJUNCTION_MAX);
    return surety__fail(reterr, status,
                        "no C types can be made with these "
                        "options");
}

void surety_gen_free(surety_gen *gen)
{
    if (!gen)
        return;
    surety__map_done(&gen->names, gen->alloc);
    surety_buf_done(&gen->header);
    surety_buf_done(&gen->source);
    surety__free(gen->alloc, gen->notes, gen->note_cap * sizeof(*gen->notes));
    surety__arena_done(&gen->arena);
    surety__free(gen->alloc, gen, sizeof(*gen));
}

const surety_gen_info *surety_gen_info_of(const surety_gen *gen)
{
    return &gen->info;
}
