/* SPDX-License-Identifier: Apache-2.0 */
/* SVG as cairo writes it, element after element: letters are symbols (before
 * 1.18) or groups (since) that are used at a place, all else is paths; what
 * they are drawn with is in attributes or in their style. */
#include "golden/drawn.h"

#include "golden/boxfont.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GLYPHS_MAX = 512, POINTS_SHOWN = 12, ID_BYTES_MAX = 24 };

struct glyph {
    char id[ID_BYTES_MAX];
    struct boxfont_letter letter;
};

/* A text whose letters are being gathered. */
struct run {
    bool is_open;
    struct boxfont_letter first;
    double x, y;         /* of its first letter */
    double end_x, end_y; /* where the next one stands */
    char color[8];
    surety_buf text;
};

struct reader {
    surety_buf *out;
    struct glyph glyphs[GLYPHS_MAX];
    size_t glyphs_count;
    bool is_glyph; /* the next path is that of the last glyph */
    char fill[8];  /* of the group */
    struct run run;
};

struct path {
    double points[POINTS_SHOWN][2];
    bool starts[POINTS_SHOWN]; /* a part */
    size_t count, parts, closed;
    double low[2], high[2];
    double sum; /* of all, each times its place of seven */
    bool is_curved;
};

/* ---- words --------------------------------------------------------------- */

static size_t find(surety_str text, const char *what)
{
    const size_t len = strlen(what);

    for (size_t i = 0; i + len <= text.len; i++)
        if (memcmp(text.ptr + i, what, len) == 0)
            return i;
    return text.len;
}

static bool begins(surety_str text, const char *with)
{
    return text.len >= strlen(with) &&
           memcmp(text.ptr, with, strlen(with)) == 0;
}

/* What an element has of a name, as an attribute or in its style. */
static bool property(surety_str element, const char *name, surety_str *ret_text)
{
    /* As an attribute; first, or further behind, in the style. */
    static const char *const before[] = {" ", "\"", ";", "; "};

    for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
        char start[40];
        surety_str rest;
        size_t at;
        size_t end;
        snprintf(start, sizeof(start), "%s%s%s", before[i], name,
                 i == 0 ? "=\"" : ":");
        at = find(element, start);
        if (at == element.len)
            continue;
        at += strlen(start);
        rest = (surety_str){element.ptr + at, element.len - at};
        end = find(rest, "\"");
        if (i > 0 && find(rest, ";") < end)
            end = find(rest, ";");
        *ret_text = (surety_str){rest.ptr, end};
        return true;
    }
    return false;
}

static double number(surety_str element, const char *name)
{
    surety_str text;

    return property(element, name, &text) ? strtod(text.ptr, NULL) : 0;
}

/* "rgb(0%,44.7%,69.8%)" as "#0072b2"; false: none. */
static bool color(surety_str element, const char *name, char ret_color[8])
{
    surety_str text;
    const char *at;
    unsigned parts[3];

    if (!property(element, name, &text) || !begins(text, "rgb("))
        return false;
    at = text.ptr + 4;
    for (size_t i = 0; i < 3; i++) {
        char *end;
        const long part = lround(strtod(at, &end) * 2.55);
        parts[i] = part < 0 ? 0 : part > 255 ? 255 : (unsigned)part;
        at = end + strspn(end, "%, ");
    }
    snprintf(ret_color, 8, "#%02x%02x%02x", parts[0], parts[1], parts[2]);
    return true;
}

/* A length to a tenth. What lies on the border of two goes up, for cairo and
 * Pango round the last digits. */
static void put(surety_buf *out, double length)
{
    char text[32];
    const double tenths = floor(length * 10 + 0.52);

    snprintf(text, sizeof(text), "%.15g", tenths == 0 ? 0 : tenths / 10);
    surety_buf_text(out, text);
}

static void put_pair(surety_buf *out, double x, char mark, double y)
{
    put(out, x);
    surety_buf_byte(out, mark);
    put(out, y);
}

/* ---- texts --------------------------------------------------------------- */

static void run_end(struct reader *reader)
{
    struct run *run = &reader->run;
    surety_buf *out = reader->out;

    if (!run->is_open)
        return;
    while (run->text.len > 0 && run->text.ptr[run->text.len - 1] == ' ')
        run->text.len--;
    surety_buf_text(out, "text ");
    put_pair(out, run->x, ',', run->y);
    surety_buf_byte(out, ' ');
    put(out, run->first.size);
    if (run->first.bold)
        surety_buf_text(out, " bold");
    if (fabs(run->first.turned) > 0.1) {
        surety_buf_text(out, " turned ");
        put(out, run->first.turned);
    }
    surety_buf_byte(out, ' ');
    surety_buf_text(out, run->color);
    surety_buf_text(out, " \"");
    surety_buf_add(out, surety_buf_str(&run->text));
    surety_buf_text(out, "\"\n");
    run->is_open = false;
}

static void put_code(surety_buf *out, uint32_t code)
{
    if (code < 0x80) {
        surety_buf_byte(out, (char)code);
        return;
    }
    if (code < 0x800) {
        surety_buf_byte(out, (char)(0xC0 | code >> 6));
    } else {
        surety_buf_byte(out, (char)(0xE0 | code >> 12));
        surety_buf_byte(out, (char)(0x80 | (code >> 6 & 63)));
    }
    surety_buf_byte(out, (char)(0x80 | (code & 63)));
}

/* A letter goes on the text before it where that ends there. */
static void take_letter(struct reader *reader, struct boxfont_letter letter,
                        double x, double y)
{
    struct run *run = &reader->run;
    double advance = letter.advance;
    double radians;

    if (run->is_open && !(letter.size > 0)) {
        /* A blank. */
        advance = run->first.size * (run->first.bold ? 5 : 4) / 16;
        letter = run->first;
        letter.code = ' ';
    } else if (!(letter.size > 0)) {
        return;
    }
    if (run->is_open && (hypot(x - run->end_x, y - run->end_y) > 0.1 ||
                         fabs(letter.size - run->first.size) > 0.1 ||
                         letter.bold != run->first.bold ||
                         strcmp(reader->fill, run->color) != 0))
        run_end(reader);
    if (!run->is_open) {
        if (letter.code == ' ')
            return;
        *run = (struct run){true, letter, x, y, x, y, "", run->text};
        memcpy(run->color, reader->fill, sizeof(run->color));
        surety_buf_reset(&run->text);
    }
    put_code(&run->text, letter.code);
    radians = letter.turned / 57.29577951308232;
    run->end_x = x + advance * cos(radians);
    run->end_y = y - advance * sin(radians);
}

static void take_use(struct reader *reader, surety_str element)
{
    surety_str id;

    if (!property(element, "xlink:href", &id) || id.len < 2)
        return;
    for (size_t i = 0; i < reader->glyphs_count; i++) {
        const struct glyph *glyph = &reader->glyphs[i];
        if (strlen(glyph->id) == id.len - 1 &&
            memcmp(glyph->id, id.ptr + 1, id.len - 1) == 0) {
            take_letter(reader, glyph->letter, number(element, "x"),
                        number(element, "y"));
            return;
        }
    }
    surety_buf_text(reader->out, "unknown letter\n");
}

static void take_glyph(struct reader *reader, surety_str id)
{
    if (reader->glyphs_count == GLYPHS_MAX || id.len >= ID_BYTES_MAX)
        return;
    memcpy(reader->glyphs[reader->glyphs_count++].id, id.ptr, id.len);
    reader->is_glyph = true;
}

/* ---- paths --------------------------------------------------------------- */

static void path_take(struct path *path, double x, double y, bool starts)
{
    const double point[2] = {x, y};

    for (size_t i = 0; i < 2; i++) {
        if (path->count == 0 || point[i] < path->low[i])
            path->low[i] = point[i];
        if (path->count == 0 || point[i] > path->high[i])
            path->high[i] = point[i];
    }
    if (path->count < POINTS_SHOWN) {
        memcpy(path->points[path->count], point, sizeof(point));
        path->starts[path->count] = starts;
    }
    path->sum += (double)(path->count % 7 + 1) * (x + 3 * y);
    path->count++;
    path->parts += starts;
}

/* Reads so many pairs of numbers. */
static bool read_pairs(const char **at, double (*pairs)[2], size_t count)
{
    for (size_t i = 0; i < 2 * count; i++) {
        char *behind;
        pairs[i / 2][i % 2] = strtod(*at, &behind);
        if (behind == *at)
            return false;
        *at = behind;
    }
    return true;
}

/* The points of a curve from the last one on, near enough for its box. */
static void path_curve(struct path *path, const double from[2],
                       double (*pairs)[2])
{
    for (int i = 1; i <= 32; i++) {
        const double t = i / 32.0;
        const double s = 1 - t;
        double point[2];
        for (size_t k = 0; k < 2; k++)
            point[k] = s * s * s * from[k] + 3 * s * s * t * pairs[0][k] +
                       3 * s * t * t * pairs[1][k] + t * t * t * pairs[2][k];
        path_take(path, point[0], point[1], false);
    }
    path->is_curved = true;
}

/* Reads "M 1 2 L 3 4 C 1 2 3 4 5 6 Z"; false: another form. */
static bool path_read(surety_str text, struct path *path)
{
    const char *const end = text.ptr + text.len;
    bool has_start = false; /* a start that no line follows yet */
    double last[2] = {0, 0};

    memset(path, 0, sizeof(*path));
    for (const char *at = text.ptr; at < end;) {
        const char command = *at++;
        const size_t count = command == 'C' ? 3 : 1;
        double pairs[3][2];
        if (command == ' ')
            continue;
        if (command == 'Z') {
            path->closed++;
            continue;
        }
        if (!strchr("MLC", command) || !read_pairs(&at, pairs, count))
            return false;
        if (has_start && command != 'M')
            path_take(path, last[0], last[1], true);
        has_start = command == 'M';
        if (command == 'C')
            path_curve(path, last, pairs);
        else if (command == 'L')
            path_take(path, pairs[0][0], pairs[0][1], false);
        memcpy(last, pairs[count - 1], sizeof(last));
    }
    return true;
}

static bool path_is_box(const struct path *path)
{
    const double(*points)[2] = path->points;

    return path->closed == 1 && path->parts == 1 && !path->is_curved &&
           path->count == 4 && points[0][0] == points[3][0] &&
           points[1][0] == points[2][0] && points[0][1] == points[1][1] &&
           points[2][1] == points[3][1];
}

static void put_bounds(surety_buf *out, const struct path *path)
{
    put_pair(out, path->low[0], ',', path->low[1]);
    surety_buf_byte(out, ' ');
    put_pair(out, path->high[0] - path->low[0], 'x',
             path->high[1] - path->low[1]);
}

static void put_points(surety_buf *out, const struct path *path)
{
    char text[32];

    if (path->count > POINTS_SHOWN) {
        snprintf(text, sizeof(text), "%zu points ", path->count);
        surety_buf_text(out, text);
        put_bounds(out, path);
        snprintf(text, sizeof(text), " sum %.0f", floor(path->sum + 0.52));
        surety_buf_text(out, text);
        return;
    }
    for (size_t i = 0; i < path->count; i++) {
        if (i > 0)
            surety_buf_text(out, path->starts[i] ? " / " : " ");
        put_pair(out, path->points[i][0], ',', path->points[i][1]);
    }
}

static void put_shape(surety_buf *out, const struct path *path)
{
    if (path->count == 2 && path->closed == 0) {
        surety_buf_text(out, "line ");
        put_pair(out, path->points[0][0], ',', path->points[0][1]);
        surety_buf_text(out, " - ");
        put_pair(out, path->points[1][0], ',', path->points[1][1]);
    } else if (path_is_box(path)) {
        surety_buf_text(out, "box ");
        put_bounds(out, path);
    } else if (path->closed > 1) {
        surety_buf_text(out, "rim ");
        put_bounds(out, path);
    } else if (path->is_curved) {
        surety_buf_text(out, "round ");
        put_bounds(out, path);
    } else {
        surety_buf_text(out, path->closed ? "shape " : "path ");
        put_points(out, path);
    }
}

static void take_path(struct reader *reader, surety_str element)
{
    surety_buf *out = reader->out;
    surety_str shape;
    struct path path;
    char name[8];

    if (!property(element, "d", &shape) || !path_read(shape, &path)) {
        surety_buf_text(out, "unknown path\n");
        return;
    }
    if (reader->is_glyph) {
        const double corners[6] = {path.points[0][0], path.points[0][1],
                                   path.points[1][0], path.points[1][1],
                                   path.points[2][0], path.points[2][1]};
        if (path.count >= 4)
            reader->glyphs[reader->glyphs_count - 1].letter =
                boxfont_read(corners);
        reader->is_glyph = false;
        return;
    }
    run_end(reader);
    put_shape(out, &path);
    if (color(element, "fill", name)) {
        surety_buf_text(out, " fill ");
        surety_buf_text(out, name);
    }
    if (color(element, "stroke", name)) {
        surety_str end;
        surety_buf_text(out, " pen ");
        put(out, number(element, "stroke-width"));
        if (property(element, "stroke-linecap", &end) && begins(end, "round"))
            surety_buf_text(out, " round");
        if (property(element, "stroke-linejoin", &end) && !begins(end, "round"))
            surety_buf_text(out, " sharp");
        surety_buf_byte(out, ' ');
        surety_buf_text(out, name);
    }
    surety_buf_byte(out, '\n');
}

/* ---- all ----------------------------------------------------------------- */

static void take_text(struct reader *reader, const char *what, surety_str rest)
{
    surety_buf_text(reader->out, what);
    surety_buf_byte(reader->out, ' ');
    surety_buf_append(reader->out, rest.ptr, find(rest, "<"));
    surety_buf_byte(reader->out, '\n');
}

static void take_group(struct reader *reader, surety_str element)
{
    surety_str id;

    if (property(element, "id", &id) && begins(id, "glyph") && id.len > 5 &&
        strchr("-0123456789", id.ptr[5]) && find(id, "-") < id.len)
        take_glyph(reader, id);
    (void)color(element, "fill", reader->fill);
}

/* An element, and what is behind it. */
static void take(struct reader *reader, surety_str element, surety_str rest)
{
    surety_buf *out = reader->out;

    if (begins(element, "svg ")) {
        surety_buf_text(out, "sheet ");
        put_pair(out, number(element, "width"), 'x', number(element, "height"));
        surety_buf_byte(out, '\n');
    } else if (begins(element, "title>")) {
        take_text(reader, "title", rest);
    } else if (begins(element, "desc>")) {
        take_text(reader, "about", rest);
    } else if (begins(element, "g ") || begins(element, "symbol ")) {
        take_group(reader, element);
    } else if (begins(element, "use ")) {
        take_use(reader, element);
    } else if (begins(element, "path ")) {
        take_path(reader, element);
    } else if (begins(element, "rect ")) {
        /* The paper. */
        char name[8] = "";
        run_end(reader);
        surety_buf_text(out, "paper ");
        (void)color(element, "fill", name);
        surety_buf_text(out, name);
        surety_buf_byte(out, '\n');
    } else if (element.ptr[0] == '/') {
        reader->is_glyph = false;
    } else if (!begins(element, "?xml") && !begins(element, "defs>") &&
               !begins(element, "g>")) {
        surety_buf_text(out, "unknown ");
        surety_buf_append(out, element.ptr, find(element, " "));
        surety_buf_byte(out, '\n');
    }
}

void drawn_svg(surety_str svg, surety_buf *out)
{
    struct reader *reader = calloc(1, sizeof(*reader));
    surety_buf text;

    if (!reader)
        return;
    reader->out = out;
    surety_buf_init(&reader->run.text, NULL, 0);
    /* Numbers are read up to what is none: the last byte is no digit. */
    surety_buf_init(&text, NULL, 0);
    surety_buf_add(&text, svg);
    surety_buf_byte(&text, '\0');
    for (surety_str rest = surety_buf_str(&text); rest.len > 0;) {
        const size_t start = find(rest, "<");
        const surety_str tail = {rest.ptr + start, rest.len - start};
        const size_t end = find(tail, ">");
        if (end == tail.len)
            break;
        rest = (surety_str){tail.ptr + end + 1, tail.len - end - 1};
        take(reader, (surety_str){tail.ptr + 1, end}, rest);
    }
    run_end(reader);
    if (svg.len < 7 || memcmp(svg.ptr + svg.len - 7, "</svg>\n", 7) != 0)
        surety_buf_text(out, "unknown end\n");
    surety_buf_done(&reader->run.text);
    surety_buf_done(&text);
    free(reader);
}

/* ---- images -------------------------------------------------------------- */

static cairo_status_t give(void *closure, unsigned char *bytes, unsigned len)
{
    surety_str *rest = closure;

    if (rest->len < len)
        return CAIRO_STATUS_READ_ERROR;
    memcpy(bytes, rest->ptr, len);
    rest->ptr += len;
    rest->len -= len;
    return CAIRO_STATUS_SUCCESS;
}

/* Whether a pixel is rather drawn on than paper. */
static bool is_dark(const unsigned char *pixel)
{
    return pixel[0] < 0xC0 || pixel[1] < 0xC0 || pixel[2] < 0xC0;
}

void drawn_png(surety_str png, surety_buf *out)
{
    cairo_surface_t *image =
        cairo_image_surface_create_from_png_stream(give, &png);
    const int width = cairo_image_surface_get_width(image);
    const int height = cairo_image_surface_get_height(image);
    const unsigned char *pixels = cairo_image_surface_get_data(image);
    int low[2] = {width, height};
    int high[2] = {0, 0};
    char text[120];

    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            const ptrdiff_t at =
                (ptrdiff_t)y * cairo_image_surface_get_stride(image) + 4 * x;
            if (!is_dark(pixels + at))
                continue;
            low[0] = x < low[0] ? x : low[0];
            low[1] = y < low[1] ? y : low[1];
            high[0] = x >= high[0] ? x + 1 : high[0];
            high[1] = y >= high[1] ? y + 1 : high[1];
        }
    }
    snprintf(text, sizeof(text), "image %dx%d, drawn on %d,%d - %d,%d\n", width,
             height, low[0], low[1], high[0], high[1]);
    surety_buf_text(out, text);
    cairo_surface_destroy(image);
}
