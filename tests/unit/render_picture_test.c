/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures by the boxes of their SVG: bars are as long as their values, begin
 * at one zero, are in the data's order, apart and within the sheet, in the
 * colours of their series. Letters are those of the machine, so that no test
 * knows a position: all measures are of boxes against each other. */
#include "check.h"

#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES_MAX = 32 };

struct box {
    double x, y, width, height;
    char fill[48]; /* as it is written: "rgb(0%,44.7%,69.8%)" */
};

struct picture {
    surety_buf svg;
    struct box boxes[BOXES_MAX];
    size_t count;
};

/* Draws the rows. SURETY_UNSUPPORTED: a build without cairo. */
static surety_status draw(struct check *t, const char *json, unsigned width,
                          unsigned height, surety_buf *out)
{
    const surety__table_options options = {.alloc = check_alloc(t)};
    const surety__chart chart = {.type = SURETY__CHART_BAR,
                                 .format = SURETY_CHART_SVG,
                                 .width = width,
                                 .height = height};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety__table *table = NULL;
    surety_status status =
        doc ? surety_doc_read(doc, surety_str_of(json), NULL, NULL)
            : SURETY_NOMEM;

    if (!status)
        status =
            surety__table_read(surety_doc_root(doc), &options, &table, NULL);
    if (!status)
        status = surety__chart_draw(table, &chart, out, NULL, NULL);
    surety__table_free(table);
    surety_doc_free(doc);
    return status;
}

/* The corners of a path: "M 1 2 L 3 2 L 3 4 L 1 4 Z". */
static bool read_corners(const char *at, double corners[8])
{
    for (size_t i = 0; i < 8; i++) {
        char *end;
        if (i % 2 == 0 && *at++ != (i ? 'L' : 'M'))
            return false;
        corners[i] = strtod(at, &end);
        if (end == at || *end != ' ')
            return false;
        at = end + 1;
    }
    return *at == 'Z';
}

/* Takes the box of a path of four straight sides that is filled. */
static void take_box(struct picture *picture, const char *path)
{
    const char *end = strchr(path, '>');
    const char *fill = strstr(path, "fill:rgb(");
    const char *shape = strstr(path, " d=\"");
    double at[8];
    size_t len;

    fill = fill && fill < end ? fill + 5 : strstr(path, "fill=\"rgb(");
    if (!end || !fill || fill > end || !shape || shape > end ||
        picture->count == BOXES_MAX || !read_corners(shape + 4, at) ||
        at[0] != at[6] || at[2] != at[4])
        return;
    fill = strstr(fill, "rgb(");
    len = strcspn(fill, ")") + 1;
    picture->boxes[picture->count] =
        (struct box){.x = fmin(at[0], at[2]),
                     .y = fmin(at[1], at[5]),
                     .width = fabs(at[2] - at[0]),
                     .height = fabs(at[5] - at[1])};
    if (len < sizeof(picture->boxes->fill))
        memcpy(picture->boxes[picture->count++].fill, fill, len);
}

static surety_status read_picture(struct check *t, const char *json,
                                  unsigned width, unsigned height,
                                  struct picture *picture)
{
    surety_status status;

    picture->count = 0;
    surety_buf_reset(&picture->svg);
    status = draw(t, json, width, height, &picture->svg);
    surety_buf_byte(&picture->svg, '\0');
    if (status || picture->svg.status)
        return status ? status : picture->svg.status;
    for (const char *at = strstr(picture->svg.ptr, "</defs>");
         at && (at = strstr(at, "<path")); at++)
        take_box(picture, at);
    return SURETY_OK;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 0.01;
}

/* Upright: the boxes have the values' heights, from one zero. */
static bool stand_on_zero(const struct picture *picture, const double *values,
                          double width, double height)
{
    const struct box *first = &picture->boxes[0];
    const double unit = first->height / fabs(values[0]);
    const double zero = values[0] > 0 ? first->y + first->height : first->y;

    for (size_t i = 0; i < picture->count; i++) {
        const struct box *box = &picture->boxes[i];
        const double end = values[i] > 0 ? box->y + box->height : box->y;
        if (!is_near(end, zero) || box->width < 3 ||
            fabs(box->height - fabs(values[i]) * unit) > 0.01 || box->x < 0 ||
            box->x + box->width > width || box->y < 0 ||
            box->y + box->height > height || !is_near(box->width, first->width))
            return false;
        if (i > 0 && box->x < first[i - 1].x + first[i - 1].width)
            return false;
    }
    return true;
}

/* Turns a picture of that width: what goes to the right goes up, and what
 * goes down goes to the right. */
static void turn(struct picture *picture, double width)
{
    for (size_t i = 0; i < picture->count; i++) {
        struct box *box = &picture->boxes[i];
        const double x = box->x;
        const double length = box->width;
        box->x = box->y;
        box->y = width - x - length;
        box->width = box->height;
        box->height = length;
    }
}

TEST(bars_stand_on_zero)
{
    static const double values[] = {1, 2, 4, -3};
    struct picture picture = {.count = 0};
    surety_status status;

    surety_buf_init(&picture.svg, check_alloc(t), 0);
    status = read_picture(t,
                          "[[\"NAME\",\"v\"],[\"a\",1],[\"b\",2],[\"c\",4],"
                          "[\"d\",-3],[\"e\",null]]",
                          800, 500, &picture);
    if (status == SURETY_UNSUPPORTED)
        goto done;
    TRY(status);
    CHECK(picture.count == 4);
    CHECK(stand_on_zero(&picture, values, 800, 500));
    /* Places are as wide as each other, bars of few at most 96. */
    CHECK(is_near(picture.boxes[0].width, 96));
    CHECK(is_near(picture.boxes[2].x - picture.boxes[1].x,
                  picture.boxes[1].x - picture.boxes[0].x));
    CHECK(is_near(picture.boxes[3].x - picture.boxes[2].x,
                  picture.boxes[1].x - picture.boxes[0].x));
done:
    surety_buf_done(&picture.svg);
}

TEST(bars_of_a_place_stand_side_by_side)
{
    static const double values[] = {1, 3, 2, 4};
    struct picture picture = {.count = 0};
    surety_status status;

    surety_buf_init(&picture.svg, check_alloc(t), 0);
    status = read_picture(
        t,
        "[[\"NAME\",\"kind\",\"v\"],[\"a\",\"p\",1],[\"a\",\"q\",3],"
        "[\"b\",\"p\",2],[\"b\",\"q\",4]]",
        800, 500, &picture);
    if (status == SURETY_UNSUPPORTED)
        goto done;
    TRY(status);
    /* The legend comes first, a box a series. */
    CHECK(picture.count == 6);
    CHECK(!strcmp(picture.boxes[0].fill, picture.boxes[2].fill));
    CHECK(!strcmp(picture.boxes[1].fill, picture.boxes[3].fill));
    picture.count -= 2;
    memmove(picture.boxes, picture.boxes + 2,
            picture.count * sizeof(*picture.boxes));
    CHECK(stand_on_zero(&picture, values, 800, 500));
    CHECK(strcmp(picture.boxes[0].fill, picture.boxes[1].fill) != 0);
    CHECK(!strcmp(picture.boxes[0].fill, picture.boxes[2].fill));
    CHECK(!strcmp(picture.boxes[1].fill, picture.boxes[3].fill));
    /* A pixel of paper parts them. */
    CHECK(is_near(picture.boxes[1].x - picture.boxes[0].x,
                  picture.boxes[0].width + 1));
done:
    surety_buf_done(&picture.svg);
}

TEST(long_names_lay_bars_down)
{
    static const double values[] = {5, 4, -3, 2};
    struct picture picture = {.count = 0};
    surety_status status;

    surety_buf_init(&picture.svg, check_alloc(t), 0);
    status = read_picture(
        t,
        "[[\"NAME\",\"v\"],[\"a name of so many words that it has no room "
        "below a bar, 1\",5],[\"a name of so many words that it has no room "
        "below a bar, 2\",4],[\"a name of so many words that it has no room "
        "below a bar, 3\",-3],[\"a name of so many words that it has no room "
        "below a bar, 4\",2]]",
        500, 400, &picture);
    if (status == SURETY_UNSUPPORTED)
        goto done;
    TRY(status);
    CHECK(picture.count == 4);
    CHECK(picture.boxes[0].width > picture.boxes[3].width);
    /* A row's share is the bar, the rest is paper. */
    CHECK(is_near((picture.boxes[1].y - picture.boxes[0].y) * 0.7,
                  picture.boxes[0].height) ||
          is_near(picture.boxes[0].height, 40));
    turn(&picture, 500);
    CHECK(stand_on_zero(&picture, values, 400, 500));
done:
    surety_buf_done(&picture.svg);
}

TEST(shares_stand_upon_each_other)
{
    static const double values[] = {20, 30, 50};
    struct picture picture = {.count = 0};
    const struct box *boxes;
    surety_status status;

    surety_buf_init(&picture.svg, check_alloc(t), 0);
    status = read_picture(t,
                          "[[\"NAME\",\"kind\",\"v\"],"
                          "[\"a\",\"p\",\"20%\"],[\"a\",\"q\",\"30%\"],"
                          "[\"a\",\"r\",\"50%\"],[\"b\",\"p\",\"50%\"],"
                          "[\"b\",\"q\",\"30%\"],[\"b\",\"r\",\"20%\"]]",
                          800, 500, &picture);
    if (status == SURETY_UNSUPPORTED)
        goto done;
    TRY(status);
    CHECK(picture.count == 9);
    boxes = picture.boxes + 3; /* behind the legend's */
    for (size_t i = 0; i < 3; i++) {
        CHECK(is_near(boxes[i].x, boxes[0].x));
        CHECK(fabs(boxes[i].height * 20 - boxes[0].height * values[i]) < 0.1);
        CHECK(is_near(boxes[3 + i].height, boxes[2 - i].height));
        CHECK(i == 0 || is_near(boxes[i].y + boxes[i].height, boxes[i - 1].y));
        CHECK(!strcmp(boxes[i].fill, boxes[3 + i].fill));
    }
    CHECK(is_near(boxes[0].y + boxes[0].height, boxes[3].y + boxes[3].height));
done:
    surety_buf_done(&picture.svg);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"bars stand on zero", bars_stand_on_zero},
        {"bars of a place stand side by side",
         bars_of_a_place_stand_side_by_side},
        {"long names lay bars down", long_names_lay_bars_down},
        {"shares stand upon each other", shares_stand_upon_each_other},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
