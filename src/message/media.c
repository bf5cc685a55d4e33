/* SPDX-License-Identifier: Apache-2.0 */
/* media.c: the media type of a file (RFC 6838), by its first bytes, else
 * by the ending of its name, else as text.
 *
 * The first bytes are decisive, because names are often wrong and a provider
 * refuses a JPEG that is called PNG. The list has what some provider takes. */
#include "message/conversation.h"

/* A mark in the first bytes. */
static const struct media_mark {
    const char *media_type;
    size_t offset, len;
    const char *bytes;
} media_marks[] = {
    {"image/png", 0, 8, "\x89PNG\r\n\x1A\n"},
    {"image/jpeg", 0, 3, "\xFF\xD8\xFF"},
    {"image/gif", 0, 6, "GIF87a"},
    {"image/gif", 0, 6, "GIF89a"},
    {"image/webp", 8, 4, "WEBP"},
    {"image/tiff", 0, 4, "II*\0"},
    {"image/tiff", 0, 4, "MM\0*"},
    {"image/heic", 4, 8, "ftypheic"},
    {"image/avif", 4, 8, "ftypavif"},
    {"application/pdf", 0, 5, "%PDF-"},
    {"audio/wav", 8, 4, "WAVE"},
    {"audio/mpeg", 0, 3, "ID3"},
    {"audio/mpeg", 0, 2, "\xFF\xFB"},
    {"audio/mpeg", 0, 2, "\xFF\xF3"},
    {"audio/mpeg", 0, 2, "\xFF\xF2"},
    {"audio/flac", 0, 4, "fLaC"},
    {"audio/ogg", 0, 4, "OggS"},
    {"audio/mp4", 4, 8, "ftypM4A "},
};

/* An ending of a name. */
static const struct media_ending {
    const char *ending;
    const char *media_type;
} media_endings[] = {
    {".aac", "audio/aac"},
    {".bmp", "image/bmp"},
    {".csv", "text/csv"},
    {".docx", "application/"
              "vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {".htm", "text/html"},
    {".html", "text/html"},
    {".json", "application/json"},
    {".md", "text/markdown"},
    {".pptx", "application/"
              "vnd.openxmlformats-officedocument.presentationml.presentation"},
    {".svg", "image/svg+xml"},
    {".txt", "text/plain"},
    {".xlsx",
     "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {".xml", "application/xml"},
};

static const char *media_by_mark(surety_str bytes)
{
    for (size_t i = 0; i < SURETY__COUNT(media_marks); i++) {
        const struct media_mark *mark = &media_marks[i];

        if (bytes.len >= mark->offset + mark->len &&
            memcmp(bytes.ptr + mark->offset, mark->bytes, mark->len) == 0)
            return mark->media_type;
    }
    return NULL;
}

static const char *media_by_name(surety_str name)
{
    for (size_t i = 0; i < SURETY__COUNT(media_endings); i++) {
        const surety_str ending = surety_str_of(media_endings[i].ending);

        if (name.len > ending.len &&
            surety__str_equal_nocase(
                (surety_str){name.ptr + name.len - ending.len, ending.len},
                ending))
            return media_endings[i].media_type;
    }
    return NULL;
}

surety_part_kind surety__media_kind(surety_str media_type)
{
    if (surety__str_starts_nocase(media_type, SURETY__LITERAL("image/")))
        return SURETY_PART_IMAGE;
    if (surety__str_starts_nocase(media_type, SURETY__LITERAL("audio/")))
        return SURETY_PART_AUDIO;
    return SURETY_PART_DOCUMENT;
}

surety_status surety_part_of_file(surety_str bytes, surety_str name,
                                  surety_part *ret_part, surety_error *reterr)
{
    const char *media_type = media_by_mark(bytes);
    surety_status status;

    if (!media_type)
        media_type = media_by_name(name);
    if (!media_type && bytes.len > 0 && surety__utf8_valid(bytes, NULL) &&
        !memchr(bytes.ptr, '\0', bytes.len))
        media_type = "text/plain";
    if (bytes.len == 0 || !media_type) {
        status = surety__fail(
            reterr, SURETY_UNSUPPORTED,
            bytes.len == 0 ? "the file is empty"
                           : "neither the bytes of the file nor its name "
                             "say what it is");
        surety__hint(reterr, "images, audio, PDF and text can be sent");
        return status;
    }
    *ret_part =
        (surety_part){.media_type = surety_str_of(media_type), .data = bytes};
    ret_part->kind = surety__media_kind(ret_part->media_type);
    if (ret_part->kind == SURETY_PART_DOCUMENT)
        ret_part->name = name;
    return SURETY_OK;
}
