/* SPDX-License-Identifier: Apache-2.0 */
/* Embeddings, the server side: OpenAI's /embeddings and Gemini's embedContent
 * and batchEmbedContents. Sources: the OpenAPI description of OpenAI's API,
 * version 2.3.0 (CreateEmbeddingRequest, -Response), and the types of Google's
 * official client (EmbedContentParameters, -Response).
 *
 * 1. A vector depends on the text's hash alone: a text gets the same vector of
 *    length 1 on every machine, and the vectors of other texts are unrelated to
 *    it. A vector does not express the text's meaning.
 * 2. Components are computed as whole numbers, in billionths, so the rounding
 *    of a machine's libraries has no effect. */
#include "serve/speak.h"

#define EMBED_OPENAI_DIMENSIONS 1536 /* text-embedding-3-small */
#define EMBED_GEMINI_DIMENSIONS 3072 /* gemini-embedding-001 */
#define EMBED_DIMENSIONS_MAX 4096
#define EMBED_INPUTS_MAX 2048       /* OpenAI's */
#define EMBED_GEMINI_INPUTS_MAX 100 /* Gemini's */
#define EMBED_ONE INT64_C(1000000000)

static uint64_t embed_hash(surety_str text)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325); /* FNV-1a offset basis */

    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * UINT64_C(0x100000001B3);
    return hash ? hash : 1;
}

/* The next component before scaling, from -2^20 to 2^20. */
static int64_t embed_next(uint64_t *state)
{
    *state ^= *state >> 12; /* xorshift64* */
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (int64_t)((*state * UINT64_C(0x2545F4914F6CDD1D)) >> 43) - (1 << 20);
}

static int64_t embed_root(uint64_t square)
{
    uint64_t low = 0, high = UINT64_C(1) << 32;

    while (low + 1 < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (middle * middle <= square)
            low = middle;
        else
            high = middle;
    }
    return low ? (int64_t)low : 1;
}

/* Appends a component as a float, its lowest byte first. */
static void embed_put_float(surety_buf *out, int64_t billionths)
{
    const float value = (float)((double)billionths / (double)EMBED_ONE);
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    for (int shift = 0; shift < 32; shift += 8)
        surety_buf_byte(out, (char)(unsigned char)(bits >> shift));
}

static void embed_put_decimal(surety_buf *out, int64_t billionths)
{
    const int64_t size = billionths < 0 ? -billionths : billionths;

    surety__buf_printf(out, "%s%d.%09d", billionths < 0 ? "-" : "",
                       (int)(size / EMBED_ONE), (int)(size % EMBED_ONE));
}

/* Appends components, given in billionths, as an array of decimals, or as the
 * base64 of floats. */
static void embed_put_vector(surety_buf *out,
                             const surety__model_message *input, bool is_base64)
{
    uint64_t state = embed_hash(input->text), square = 0;
    surety_buf floats;
    int64_t norm;

    for (uint32_t i = 0; i < input->dimensions; i++) {
        const int64_t next = embed_next(&state);
        square += (uint64_t)(next * next);
    }
    norm = embed_root(square);
    assert(norm > 0);
    state = embed_hash(input->text);
    surety_buf_init(&floats, out->alloc, 0);
    surety_buf_byte(out, is_base64 ? '"' : '[');
    for (uint32_t i = 0; i < input->dimensions; i++) {
        const int64_t scaled = embed_next(&state) * EMBED_ONE / norm;
        if (is_base64) {
            embed_put_float(&floats, scaled);
            continue;
        }
        if (i)
            surety_buf_byte(out, ',');
        embed_put_decimal(out, scaled);
    }
    surety__base64_encode(out, surety_buf_str(&floats));
    if (floats.status && !out->status)
        out->status = floats.status;
    surety_buf_done(&floats);
    surety_buf_byte(out, is_base64 ? '"' : ']');
}

void surety__speak_embed(const surety__model_request *request, surety_buf *out)
{
    const bool is_gemini = request->protocol == SURETY_PROTOCOL_GEMINI;
    const uint64_t tokens = (request->prompt_bytes + 3) / 4;

    surety__template_write(out, !is_gemini ? "{'object':'list','data':["
                                : request->is_batch ? "{'embeddings':["
                                                    : "{'embedding':");
    for (size_t i = 0; i < request->message_count; i++) {
        surety_buf_text(out, i ? "," : "");
        if (is_gemini)
            surety__template_write(out, "{'values':");
        else
            surety__template_write(
                out,
                "{'object':'embedding','index':$n,'embedding':", (uint64_t)i);
        embed_put_vector(out, &request->messages[i], request->is_base64);
        surety_buf_byte(out, '}');
    }
    if (!is_gemini)
        surety__template_write(out,
                               "],'model':$s,'usage':{'prompt_tokens':$n,"
                               "'total_tokens':$n}}",
                               request->model, tokens, tokens);
    else
        surety_buf_text(out, request->is_batch ? "]}" : "}");
}

/* ---- reading ------------------------------------------------------------- */

/* Adds a text as a message. A list of tokens counts as its JSON. */
static void embed_read_input(surety__request_reader *reader, surety_val input,
                             uint32_t dimensions)
{
    const bool is_text = surety_val_kind(input) == SURETY_KIND_STRING;
    surety_str text = surety_val_str(input);
    surety_buf tokens;

    if (!(is_text ? text.len : surety_val_count(input))) {
        surety__request_fail(
            reader, "input", "invalid_value",
            "'$.input' is invalid: it must be a text or a list "
            "of tokens, or a list of these, none of them "
            "empty.");
        return;
    }
    if (!is_text) {
        surety_buf_init(&tokens, reader->arena->alloc, 0);
        surety_val_write(input, SURETY_STYLE_COMPACT, &tokens);
        text = surety__arena_buf(reader->arena, &tokens);
    }
    surety__request_add(reader, AUTHOR_USER, text, dimensions);
}

static void embed_read_openai(surety__request_reader *reader)
{
    const surety_val body = reader->body;
    const surety_val input = surety_val_get(body, "input");
    const surety_val encoding = surety_val_get(body, "encoding_format");
    const uint32_t dimensions = surety__request_number(
        reader, surety_val_get(body, "dimensions"), "dimensions",
        EMBED_DIMENSIONS_MAX, EMBED_OPENAI_DIMENSIONS);
    const bool is_one =
        surety_val_kind(input) == SURETY_KIND_STRING ||
        surety_val_kind(surety_val_first(input)) == SURETY_KIND_NUMBER;

    reader->request->model = surety_val_str(
        surety__request_member(reader, body, "model", SURETY_KIND_STRING));
    reader->request->is_base64 = surety_val_is(encoding, "base64");
    if (!reader->request->model.len)
        surety__request_fail(reader, "model", "missing_required_parameter",
                             "you must provide a model parameter");
    if (encoding.doc && !reader->request->is_base64 &&
        !surety_val_is(encoding, "float"))
        surety__request_fail(reader, "encoding_format", "invalid_value",
                             "Invalid value for 'encoding_format': supported "
                             "values are 'float' and 'base64'.");
    if (!surety_val_count(input) && !surety_val_str(input).len)
        surety__request_missing(reader, "input");
    if (!is_one && surety_val_count(input) > EMBED_INPUTS_MAX)
        surety__request_fail(reader, "input", "array_above_max_length",
                             "Invalid 'input': array too long. Expected an "
                             "array with maximum length %d.",
                             EMBED_INPUTS_MAX);
    if (is_one && !reader->status)
        embed_read_input(reader, input, dimensions);
    for (surety_val one = surety_val_first(input);
         one.doc && !is_one && !reader->status;
         one = surety_val_next(input, one))
        embed_read_input(reader, one, dimensions);
}

static void embed_read_content(surety__request_reader *reader,
                               surety_val request)
{
    const surety_val camel = surety_val_get(request, "outputDimensionality");
    const uint32_t dimensions = surety__request_number(
        reader,
        camel.doc ? camel : surety_val_get(request, "output_dimensionality"),
        "output_dimensionality", EMBED_DIMENSIONS_MAX, EMBED_GEMINI_DIMENSIONS);
    bool is_result = false;
    const surety_str text = surety__request_text(
        reader, surety_val_get(surety_val_get(request, "content"), "parts"),
        &is_result);

    if (text.ptr && !text.len)
        surety__request_fail(reader, NULL, NULL,
                             "* EmbedContentRequest.content: contents is not "
                             "specified");
    surety__request_add(reader, AUTHOR_USER, text, dimensions);
}

static void embed_read_gemini(surety__request_reader *reader)
{
    const surety_val requests = surety_val_get(reader->body, "requests");

    reader->request->is_batch = requests.doc != NULL;
    if (!requests.doc)
        embed_read_content(reader, reader->body);
    if (surety_val_count(requests) > EMBED_GEMINI_INPUTS_MAX)
        surety__request_fail(reader, NULL, NULL,
                             "* BatchEmbedContentsRequest.requests: at most %d "
                             "requests can be in one batch",
                             EMBED_GEMINI_INPUTS_MAX);
    for (surety_val one = surety_val_first(requests);
         one.doc && !reader->status; one = surety_val_next(requests, one))
        embed_read_content(reader, one);
}

void surety__embed_read(surety__request_reader *reader)
{
    if (reader->request->protocol == SURETY_PROTOCOL_GEMINI)
        embed_read_gemini(reader);
    else
        embed_read_openai(reader);
}
