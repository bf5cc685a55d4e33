/* SPDX-License-Identifier: Apache-2.0 */
/* Two TrueType fonts, plain and bold, with the least of tables that FreeType,
 * HarfBuzz and fontconfig ask for (OpenType 1.9). The box of the i-th letter
 * begins 1/64 of the size right of its origin for each of i % 16, ends 1/16
 * above the base line for each of i / 16 and one, reaches down by a quarter,
 * and is 1/2 wide, of a bold letter 5/8. */
#include "golden/boxfont.h"

#include "golden/cases.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    EM = 1024,
    DEPTH = EM / 4,
    LETTERS_ASCII = 0x7F - 0x20,
    TABLES = 10,
    PATH_BYTES_MAX = 4096
};

static const uint32_t others[] = {0xA3,   0xA5,   0xB2,   0xB3,   0xB9,
                                  0xD7,   0xE9,   0xFC,   0x2026, 0x2070,
                                  0x2074, 0x2075, 0x2076, 0x2077, 0x2078,
                                  0x2079, 0x207B, 0x20AC, 0x2212, 0xFFFD};

enum { LETTERS = LETTERS_ASCII + sizeof(others) / sizeof(*others) };

static uint32_t code_of(unsigned letter)
{
    return letter < LETTERS_ASCII ? 0x20 + letter
                                  : others[letter - LETTERS_ASCII];
}

static unsigned advance_of(unsigned letter, bool bold)
{
    const uint32_t code = code_of(letter);
    const bool narrow = code < 0x7F && strchr(" fijlrt.,:;'|!()-", (int)code);
    const bool wide =
        code == 0x2026 || (code < 0x7F && strchr("mwMW@%", (int)code));

    const int advance = narrow ? EM / 4 : wide ? EM * 3 / 4 : EM / 2;

    return (unsigned)(advance + (bold ? EM / 16 : 0));
}

/* ---- tables -------------------------------------------------------------- */

static void put16(surety_buf *out, unsigned number)
{
    surety_buf_byte(out, (char)(number >> 8 & 255));
    surety_buf_byte(out, (char)(number & 255));
}

static void put32(surety_buf *out, uint32_t number)
{
    put16(out, number >> 16);
    put16(out, number & 0xFFFF);
}

static void put_zeros(surety_buf *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        surety_buf_byte(out, '\0');
}

static void put_head(surety_buf *out, bool bold)
{
    put32(out, 0x00010000);
    put32(out, 0x00010000);
    put32(out, 0); /* the sum of all, which nothing looks at */
    put32(out, 0x5F0F3CF5);
    put16(out, 0);
    put16(out, EM);
    put_zeros(out, 16); /* made, changed */
    put16(out, 0);
    put16(out, 0x10000 - DEPTH);
    put16(out, EM);
    put16(out, EM);
    put16(out, bold);
    put16(out, 8);
    put16(out, 2);
    put16(out, 1); /* long offsets */
    put16(out, 0);
}

static void put_hhea(surety_buf *out)
{
    put32(out, 0x00010000);
    put16(out, EM - DEPTH);
    put16(out, 0x10000 - DEPTH);
    put16(out, 0);
    put16(out, EM);
    put_zeros(out, 6);
    put16(out, 1);
    put_zeros(out, 14);
    put16(out, LETTERS + 1);
}

static void put_maxp(surety_buf *out)
{
    put32(out, 0x00010000);
    put16(out, LETTERS + 1);
    put16(out, 4);
    put16(out, 1);
    put_zeros(out, 4);
    put16(out, 2);
    put_zeros(out, 16);
}

static void put_os2(surety_buf *out, bool bold)
{
    put16(out, 0);
    put16(out, EM / 2);
    put16(out, bold ? 700 : 400);
    put16(out, 5);
    put_zeros(out, 2);
    put_zeros(out, 20); /* scripts above and below, strikeout */
    put_zeros(out, 2 + 10 + 16 + 4);
    put16(out, bold ? 0x20 : 0x40);
    put16(out, 0x20);
    put16(out, 0xFFFF);
    put16(out, EM - DEPTH);
    put16(out, 0x10000 - DEPTH);
    put16(out, 0);
    put16(out, EM - DEPTH);
    put16(out, DEPTH);
}

/* A range of one for each letter. */
static void put_cmap(surety_buf *out)
{
    put16(out, 0);
    put16(out, 1);
    put16(out, 3);
    put16(out, 10);
    put32(out, 12);
    put16(out, 12);
    put16(out, 0);
    put32(out, 16 + 12 * LETTERS);
    put32(out, 0);
    put32(out, LETTERS);
    for (unsigned i = 0; i < LETTERS; i++) {
        put32(out, code_of(i));
        put32(out, code_of(i));
        put32(out, i + 1);
    }
}

static void put_hmtx(surety_buf *out, bool bold)
{
    put16(out, EM);
    put16(out, 0);
    for (unsigned i = 0; i < LETTERS; i++) {
        put16(out, advance_of(i, bold));
        put16(out, i % 16 * (EM / 64));
    }
}

/* A box of four corners; the glyph of what is no letter and the blank have
 * none. */
static void put_box(surety_buf *out, unsigned letter, bool bold)
{
    const unsigned left = letter % 16 * (EM / 64);
    const unsigned width = bold ? EM * 5 / 8 : EM / 2;
    const unsigned top = (letter / 16 + 1) * (EM / 16);

    put16(out, 1);
    put16(out, left);
    put16(out, 0x10000 - DEPTH);
    put16(out, left + width);
    put16(out, top);
    put16(out, 3);
    put16(out, 0);
    for (unsigned i = 0; i < 4; i++)
        surety_buf_byte(out, 1);
    put16(out, left);
    put16(out, 0);
    put16(out, width);
    put16(out, 0);
    put16(out, 0x10000 - DEPTH);
    put16(out, top + DEPTH);
    put16(out, 0);
    put16(out, 0x10000 - top - DEPTH);
}

enum { BOX_BYTES = 34 };

static void put_loca(surety_buf *out)
{
    put32(out, 0);
    put32(out, 0);
    for (unsigned i = 0; i < LETTERS; i++)
        put32(out, i * BOX_BYTES);
}

static void put_name(surety_buf *out, bool bold)
{
    const char *const texts[] = {"Surety Boxes", bold ? "Bold" : "Regular"};
    size_t from = 0;

    put16(out, 0);
    put16(out, 2);
    put16(out, 6 + 2 * 12);
    for (unsigned i = 0; i < 2; i++) {
        put16(out, 3);
        put16(out, 1);
        put16(out, 0x409);
        put16(out, i + 1);
        put16(out, (unsigned)strlen(texts[i]) * 2);
        put16(out, (unsigned)from);
        from += strlen(texts[i]) * 2;
    }
    for (unsigned i = 0; i < 2; i++)
        for (const char *at = texts[i]; *at; at++)
            put16(out, (unsigned char)*at);
}

static void put_post(surety_buf *out)
{
    put32(out, 0x00030000);
    put_zeros(out, 28);
}

static void put_table(surety_buf *out, unsigned table, bool bold)
{
    switch (table) {
    case 0: put_os2(out, bold); break;
    case 1: put_cmap(out); break;
    case 2:
        for (unsigned i = 1; i < LETTERS; i++)
            put_box(out, i, bold);
        break;
    case 3: put_head(out, bold); break;
    case 4: put_hhea(out); break;
    case 5: put_hmtx(out, bold); break;
    case 6: put_loca(out); break;
    case 7: put_maxp(out); break;
    case 8: put_name(out, bold); break;
    default: put_post(out);
    }
}

static void put_font(surety_buf *out, bool bold)
{
    static const char names[] = "OS/2cmapglyfheadhheahmtxlocamaxpnamepost";
    surety_buf tables;

    surety_buf_init(&tables, NULL, 0);
    put32(out, 0x00010000);
    put16(out, TABLES);
    put16(out, 128);
    put16(out, 3);
    put16(out, TABLES * 16 - 128);
    for (unsigned i = 0; i < TABLES; i++) {
        const size_t start = tables.len;
        put_table(&tables, i, bold);
        surety_buf_append(out, names + (size_t)i * 4, 4);
        put32(out, 0);
        put32(out, (uint32_t)(12 + TABLES * 16 + start));
        put32(out, (uint32_t)(tables.len - start));
        while (tables.len % 4)
            surety_buf_byte(&tables, '\0');
    }
    surety_buf_add(out, surety_buf_str(&tables));
    surety_buf_done(&tables);
}

/* ---- the folder ---------------------------------------------------------- */

static char folder[PATH_BYTES_MAX / 2];

static bool write_file(const char *name, const surety_buf *bytes)
{
    char path[PATH_BYTES_MAX];
    FILE *file;
    bool good;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "wb");
    if (!file)
        return false;
    good = fwrite(bytes->ptr, 1, bytes->len, file) == bytes->len;
    return fclose(file) == 0 && good;
}

static bool write_font(const char *name, bool bold)
{
    surety_buf font;
    bool good;

    surety_buf_init(&font, NULL, 0);
    put_font(&font, bold);
    good = !font.status && write_file(name, &font);
    surety_buf_done(&font);
    return good;
}

static bool write_list(void)
{
    char path[PATH_BYTES_MAX];
    surety_buf list;
    bool good;

    surety_buf_init(&list, NULL, 0);
    surety_buf_text(&list, "<?xml version=\"1.0\"?>\n<fontconfig>\n<dir>");
    surety_buf_text(&list, folder);
    surety_buf_text(&list, "</dir>\n<cachedir>");
    surety_buf_text(&list, folder);
    surety_buf_text(&list, "/cache</cachedir>\n</fontconfig>\n");
    good = !list.status && write_file("fonts.conf", &list);
    surety_buf_done(&list);
    snprintf(path, sizeof(path), "%s/fonts.conf", folder);
    return good && setenv("FONTCONFIG_FILE", path, 1) == 0 &&
           setenv("PANGOCAIRO_BACKEND", "fc", 1) == 0;
}

bool boxfont_begin(void)
{
    const char *base = getenv("TMPDIR");

    snprintf(folder, sizeof(folder), "%s/surety-fonts-XXXXXX",
             base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        folder[0] = '\0';
        return false;
    }
    return write_font("plain.ttf", false) && write_font("bold.ttf", true) &&
           write_list();
}

/* Removes a folder and the files in it. */
static void remove_files(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    char file[PATH_BYTES_MAX];

    while (dir && (entry = readdir(dir))) {
        snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
        (void)unlink(file);
    }
    if (dir)
        closedir(dir);
    (void)rmdir(path);
}

void boxfont_end(void)
{
    char path[PATH_BYTES_MAX];

    if (!*folder)
        return;
    snprintf(path, sizeof(path), "%s/cache", folder);
    remove_files(path);
    remove_files(folder);
}

/* ---- reading back -------------------------------------------------------- */

struct boxfont_letter boxfont_read(const double corners[6])
{
    const double up[2] = {corners[2] - corners[0], corners[3] - corners[1]};
    const double height = hypot(up[0], up[1]);
    /* Upwards and to the right, of length 1. */
    const double y[2] = {up[0] / height, up[1] / height};
    const double x[2] = {-y[1], y[0]};
    const double size = -4 * (corners[0] * y[0] + corners[1] * y[1]);
    const double left = (corners[0] * x[0] + corners[1] * x[1]) / size;
    const double width =
        hypot(corners[4] - corners[2], corners[5] - corners[3]) / size;
    const double row = (height / size - 0.25) * 16 - 1;
    const unsigned letter =
        (unsigned)lround(row) * 16 + (unsigned)lround(left * 64);
    struct boxfont_letter read = {0};

    if (!(size > 1) || row < -0.5 || left < -0.01 || left > 0.24 ||
        letter >= LETTERS)
        return read;
    read.bold = width > 0.5625;
    read.code = code_of(letter);
    read.size = size;
    read.advance = size * advance_of(letter, read.bold) / EM;
    read.turned = atan2(-x[1], x[0]) * 57.29577951308232;
    return read;
}
