/* SPDX-License-Identifier: Apache-2.0 */
/* What is made of a chart's places before it is drawn: steps of a time that no
 * row has, and the least of too many bars joined. Models are made by hand. */
#include "check.h"

#include "render/render.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLACES_MAX = 1100 };

struct made {
    surety__model model;
    surety__place places[PLACES_MAX];
    surety__place *series[2];
    char names[PLACES_MAX][24];
    double values[2 * PLACES_MAX];
};

/* A model of so many places, in memory that grows as the library's own does. */
static surety_status made_init(struct made *made, const surety_alloc *alloc,
                               size_t count)
{
    surety__model *model = &made->model;
    void *items = NULL;
    surety_status status;

    memset(made, 0, sizeof(*made));
    surety__arena_init(&model->arena, alloc, 0);
    status = surety__grow(alloc, &items, &model->places_cap, count,
                          sizeof(*model->places), PLACES_MAX);
    model->places = items;
    if (status)
        return status;
    model->places_count = count;
    model->values = made->values;
    model->series = made->series;
    model->series_count = 1;
    for (size_t i = 0; i < count; i++) {
        snprintf(made->names[i], sizeof(made->names[i]), "n%zu", i);
        made->places[i].text = surety_str_of(made->names[i]);
        made->places[i].index = i;
        model->places[i] = &made->places[i];
    }
    return SURETY_OK;
}

static void made_done(struct made *made, const surety_alloc *alloc)
{
    surety__arena_done(&made->model.arena);
    surety__free(alloc, made->model.places,
                 made->model.places_cap * sizeof(*made->model.places));
}

/* ---- steps --------------------------------------------------------------- */

struct steps {
    surety__grain grain;
    const char *times; /* parted by blanks */
};

static const struct steps steps[] = {
    {SURETY__GRAIN_YEAR, "2015 2017"},
    {SURETY__GRAIN_YEAR, "2015"},
    {SURETY__GRAIN_YEAR, "2015 2016 2020"},
    {SURETY__GRAIN_YEAR, "2015 2022"},
    {SURETY__GRAIN_YEAR, "2015 2023"},
    {SURETY__GRAIN_YEAR, "1968 1969 1971"},
    {SURETY__GRAIN_QUARTER, "2019-Q3 2020-Q1 2020-Q2"},
    {SURETY__GRAIN_QUARTER, "1969-Q1 1969-Q4 1970-Q1"},
    {SURETY__GRAIN_MONTH, "2019-11 2020-02 2020-03"},
    {SURETY__GRAIN_MONTH, "1969-12 1970-02"},
    {SURETY__GRAIN_MONTH, "2020-01 2020-08"},
    {SURETY__GRAIN_MONTH, "2020-01 2020-09"},
    {SURETY__GRAIN_WEEK, "2024-01-01 2024-01-15 2024-01-22"},
    {SURETY__GRAIN_WEEK, "1969-12-22 1970-01-05"},
    {SURETY__GRAIN_DAY, "2024-02-27 2024-03-01 2024-03-02"},
    {SURETY__GRAIN_DAY, "1969-12-30 1970-01-02"},
    {SURETY__GRAIN_MINUTE, "2024-02-27T10:00 2024-02-27T10:15 "
                           "2024-02-27T10:45"},
    {SURETY__GRAIN_MINUTE, "2024-02-27T10:00 2024-02-27T10:15 "
                           "2024-02-27T10:40"},
    {SURETY__GRAIN_SECOND, "2024-02-27T23:59:59 2024-02-28T00:00:00 "
                           "2024-02-28T00:00:02"},
    {SURETY__GRAIN_FRACTION, "2024-02-27T00:00:00 2024-02-27T00:00:01 "
                             "2024-02-27T00:00:03"},
};

/* The places of times, as the model reads them. */
static void take_times(struct made *made, const char *times)
{
    surety__model *model = &made->model;

    model->places_count = 0;
    for (const char *at = times; *at; at += strspn(at, " ")) {
        const size_t len = strcspn(at, " ");
        surety__place *place = &made->places[model->places_count];
        surety__moment moment = {0};
        if (!surety__moment_read((surety_str){at, len}, &moment))
            printf("# no time: %s\n", at);
        if (model->places_count++ == 0)
            model->origin = moment.second;
        place->text = (surety_str){at, len};
        place->at = (double)(moment.second - model->origin);
        at += len;
    }
}

/* The names and times of all, then how many are new, or that they are uneven.
 */
static void put_places(const surety__model *model, surety_buf *out)
{
    for (size_t i = 0; i < model->places_count; i++) {
        surety_buf_add(out, model->places[i]->text);
        surety__buf_printf(out, "@%g%s ", model->places[i]->at,
                           model->places[i]->index == i ? "" : "?");
    }
    surety__buf_printf(out, "+%zu%s\n", model->gaps,
                       model->is_uneven ? " uneven" : "");
}

static surety_status fill(const struct steps *wanted, const surety_alloc *alloc,
                          struct made *made, surety_buf *out)
{
    surety_status status = made_init(made, alloc, 8);

    if (!status) {
        take_times(made, wanted->times);
        made->model.grain = wanted->grain;
        made->model.scale = SURETY__SCALE_TIME;
        status = surety__arrange_fill(&made->model, alloc);
    }
    if (!status)
        put_places(&made->model, out);
    made_done(made, alloc);
    return status ? status : out->status;
}

static const char filled[] =
    "2015@0 2016@3.1536e+07 2017@6.31584e+07 +1\n"
    "2015@0 +0\n"
    "2015@0 2016@3.1536e+07 2017@6.31584e+07 2018@9.46944e+07 2019@1.2623e+08 "
    "2020@1.57766e+08 +3\n"
    "2015@0 2016@3.1536e+07 2017@6.31584e+07 2018@9.46944e+07 2019@1.2623e+08 "
    "2020@1.57766e+08 2021@1.89389e+08 2022@2.20925e+08 +6\n"
    "2015@0 2023@2.52461e+08 +0 uneven\n"
    "1968@0 1969@3.16224e+07 1970@6.31584e+07 1971@9.46944e+07 +1\n"
    "2019-Q3@0 2019 Q4@7.9488e+06 2020-Q1@1.58976e+07 2020-Q2@2.376e+07 +1\n"
    "1969-Q1@0 1969 Q2@7.776e+06 1969 Q3@1.56384e+07 1969-Q4@2.35872e+07 "
    "1970-Q1@3.1536e+07 +2\n"
    "2019-11@0 2019-12@2.592e+06 2020-01@5.2704e+06 2020-02@7.9488e+06 "
    "2020-03@1.04544e+07 +2\n"
    "1969-12@0 1970-01@2.6784e+06 1970-02@5.3568e+06 +1\n"
    "2020-01@0 2020-02@2.6784e+06 2020-03@5.184e+06 2020-04@7.8624e+06 "
    "2020-05@1.04544e+07 2020-06@1.31328e+07 2020-07@1.57248e+07 "
    "2020-08@1.84032e+07 +6\n"
    "2020-01@0 2020-09@2.10816e+07 +0 uneven\n"
    "2024-01-01@0 2024-01-08@604800 2024-01-15@1.2096e+06 "
    "2024-01-22@1.8144e+06 +1\n"
    "1969-12-22@0 1969-12-29@604800 1970-01-05@1.2096e+06 +1\n"
    "2024-02-27@0 2024-02-28@86400 2024-02-29@172800 2024-03-01@259200 "
    "2024-03-02@345600 +2\n"
    "1969-12-30@0 1969-12-31@86400 1970-01-01@172800 1970-01-02@259200 +2\n"
    "2024-02-27T10:00@0 2024-02-27T10:15@900 2024-02-27 10:30:00@1800 "
    "2024-02-27T10:45@2700 +1\n"
    "2024-02-27T10:00@0 2024-02-27T10:15@900 2024-02-27T10:40@2400 +0 uneven\n"
    "2024-02-27T23:59:59@0 2024-02-28T00:00:00@1 2024-02-28 00:00:01@2 "
    "2024-02-28T00:00:02@3 +1\n"
    "2024-02-27T00:00:00@0 2024-02-27T00:00:01@1 2024-02-27 00:00:02@2 "
    "2024-02-27T00:00:03@3 +1\n";

TEST(fills_steps)
{
    static struct made made;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(steps); i++)
        TRY(fill(&steps[i], check_alloc(t), &made, &out));
    CHECK_TEXT(surety_buf_str(&out), filled);
done:
    surety_buf_done(&out);
}

/* Whole years, which stand on a scale of their own; up to 500 bars. */
TEST(fills_years)
{
    static struct made made;
    static const struct {
        double step;
        size_t count, want;
        bool is_uneven;
    } cases[] = {
        {4, 126, 498, false}, {4, 127, 127, true},  {1, 500, 500, false},
        {1, 501, 501, true},  {2, 251, 500, false}, {2, 252, 252, true},
        {1.5, 10, 10, true},  {0, 10, 10, true},    {1, 1, 1, false}};

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety__model *model = &made.model;
        surety_status status = made_init(&made, check_alloc(t), cases[i].count);
        bool is_right;
        model->scale = SURETY__SCALE_YEARS;
        /* One step of one, so that the others leave gaps. */
        for (size_t k = 0; k < cases[i].count; k++)
            made.places[k].at =
                k == 0 ? 1000 : 1001 + cases[i].step * (double)(k - 1);
        if (!status)
            status = surety__arrange_fill(model, check_alloc(t));
        is_right = model->places_count == cases[i].want &&
                   model->is_uneven == cases[i].is_uneven;
        if (!is_right && !status)
            printf("# %zu: %zu%s\n", i, model->places_count,
                   model->is_uneven ? " uneven" : "");
        made_done(&made, check_alloc(t));
        TRY(status);
        CHECK(is_right);
    }
done:;
}

/* ---- joining ------------------------------------------------------------- */

struct joins {
    size_t count, series;
    bool is_stacked, adds_up;
    double scale;   /* of the values */
    size_t missing; /* the first so many have none in the first series */
    size_t equal;   /* the last so many are as large as each other */
};

static const struct joins joins[] = {
    {500, 1, false, true, 1, 0, 0},     {501, 1, false, true, 1, 0, 0},
    {503, 1, false, false, 1, 0, 0},    {250, 2, false, true, 1, 0, 0},
    {251, 2, false, true, 1, 0, 0},     {251, 2, false, true, 1, 5, 0},
    {500, 2, true, true, 1, 0, 0},      {501, 2, true, true, 1, 0, 0},
    {510, 1, false, true, 1e307, 0, 0}, {510, 1, false, true, -1, 0, 0},
    {505, 1, false, true, 1, 0, 505},   {505, 1, false, true, 1, 3, 0}};

static void put_joined(const surety__model *model, size_t joined,
                       surety_buf *out)
{
    const size_t last = model->places_count - 1;

    surety__buf_printf(
        out, "%zu joined: %.*s %.*s ... %.*s %.*s,", joined,
        (int)model->places[0]->text.len, model->places[0]->text.ptr,
        (int)model->places[1]->text.len, model->places[1]->text.ptr,
        (int)model->places[last - 1]->text.len,
        model->places[last - 1]->text.ptr, (int)model->places[last]->text.len,
        model->places[last]->text.ptr);
    for (size_t i = 0; i < model->series_count; i++)
        surety__buf_printf(out, " %g..%g",
                           model->values[i * model->places_count],
                           model->values[i * model->places_count + last]);
    for (size_t i = 0; i <= last; i++)
        if (model->places[i]->index != i)
            surety_buf_text(out, "?");
    surety__buf_printf(out, " of %zu\n", model->places_count);
}

static surety_status join(const struct joins *wanted, const surety_alloc *alloc,
                          struct made *made, surety_buf *out)
{
    surety__model *model = &made->model;
    surety_status status = made_init(made, alloc, wanted->count);
    size_t joined = 99;

    model->series_count = wanted->series;
    model->is_stacked = wanted->is_stacked;
    for (size_t k = 0; k < wanted->count && !status; k++) {
        /* 11, 22, ... without an order that is easy. */
        const double value = (double)(k * 11 % wanted->count + 1);
        made->values[k] = k < wanted->missing ? NAN : value * wanted->scale;
        if (k + wanted->equal >= wanted->count)
            made->values[k] = 7;
        if (wanted->series == 2)
            made->values[wanted->count + k] = -2 * value;
    }
    if (!status)
        status = surety__arrange_join(model, wanted->adds_up, &joined);
    if (!status)
        put_joined(model, joined, out);
    made_done(made, alloc);
    return status ? status : out->status;
}

static const char joined_all[] =
    "0 joined: n0 n1 ... n498 n499, 1..490 of 500\n"
    "2 joined: n1 n2 ... n500 2 others, their sum, 12..3 of 500\n"
    "4 joined: n1 n2 ... n502 4 others, their mean, 12..2.5 of 500\n"
    "0 joined: n0 n1 ... n248 n249, 1..240 -2..-480 of 250\n"
    "2 joined: n1 n2 ... n250 2 others, their sum, 12..3 -24..-6 of 250\n"
    "2 joined: n1 n2 ... n250 2 others, their sum, nan..2 -24..-6 of 250\n"
    "0 joined: n0 n1 ... n498 n499, 1..490 -2..-980 of 500\n"
    "2 joined: n1 n2 ... n500 2 others, their sum, 12..3 -24..-6 of 500\n"
    "11 joined: n1 n2 ... n509 11 others, their mean, 1.2e+308..6e+307 of 500\n"
    "11 joined: n1 n2 ... n509 11 others, their sum, -12..-66 of 500\n"
    "6 joined: n0 n1 ... n498 6 others, their sum, 7..42 of 500\n"
    "6 joined: n3 n4 ... n504 6 others, their sum, 34..9 of 500\n";

TEST(joins_the_least)
{
    static struct made made;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(joins); i++)
        TRY(join(&joins[i], check_alloc(t), &made, &out));
    CHECK_TEXT(surety_buf_str(&out), joined_all);
done:
    surety_buf_done(&out);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"fills steps", fills_steps},
        {"fills years", fills_years},
        {"joins the least", joins_the_least},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
