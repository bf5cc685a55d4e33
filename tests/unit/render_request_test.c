/* SPDX-License-Identifier: Apache-2.0 */
/* What a value asks for, the names of its files, and files that are whole or
 * not there. */
#include "check.h"

#include <surety-run.h>

#include "render/render.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static surety_doc *read_doc(struct check *t, const char *json)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));

    if (doc && surety_doc_read(doc, surety_str_of(json), NULL, NULL)) {
        surety_doc_free(doc);
        return NULL;
    }
    return doc;
}

TEST(makes_names_safe)
{
    static const struct {
        const char *wanted, *want;
    } cases[] = {{"../../etc/passwd", "etc-passwd"},
                 {"..", ""},
                 {"/", ""},
                 {"", ""},
                 {".hidden", "hidden"},
                 {"-rf", "rf"},
                 {"C:\\Windows\\x", "C-Windows-x"},
                 {"a b  c", "a-b-c"},
                 {"state_population_2023", "state_population_2023"},
                 {"CON", "_CON"},
                 {"con.txt", "_con.txt"},
                 {"com1", "_com1"},
                 {"console", "console"},
                 {"a.", "a"},
                 {"Top 10 (by state)?", "Top-10-by-state"},
                 {"\xE6\x9D\xB1\xE4\xBA\xAC", "\xE6\x9D\xB1\xE4\xBA\xAC"},
                 {"a\xE2\x80\xAE"
                  "b",
                  "a-b"},
                 {"a\nb\tc\x7F", "a-b-c"},
                 {"\xFF\xFE", ""}};
    surety_buf out;
    surety_buf again;

    surety_buf_init(&out, check_alloc(t), 0);
    surety_buf_init(&again, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_buf_reset(&out);
        surety_buf_reset(&again);
        surety_file_name(surety_str_of(cases[i].wanted), &out);
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), cases[i].want);
        surety_file_name(surety_buf_str(&out), &again);
        TRY(again.status);
        CHECK(surety_str_equal(surety_buf_str(&out), surety_buf_str(&again)));
    }
done:
    surety_buf_done(&out);
    surety_buf_done(&again);
}

TEST(makes_names_short)
{
    char wanted[300];
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    /* Two bytes are kept for a device's name. */
    for (size_t len = 97; len <= 99; len++) {
        memset(wanted, 'a', sizeof(wanted));
        surety_buf_reset(&out);
        surety_file_name((surety_str){wanted, len}, &out);
        TRY(out.status);
        CHECK(out.len == (len > 98 ? 98 : len));
    }
    for (size_t i = 0; i + 3 <= sizeof(wanted); i += 3)
        memcpy(wanted + i, "\xE6\x9D\xB1", 3);
    surety_buf_reset(&out);
    surety_file_name((surety_str){wanted, sizeof(wanted)}, &out);
    TRY(out.status);
    CHECK(out.len == 96 && surety__utf8_valid(surety_buf_str(&out), NULL));
done:
    surety_buf_done(&out);
}

TEST(lists_what_a_value_asks_for)
{
    static const struct {
        bool is_table;
        const char *type, *name, *at;
    } want[] = {{false, "bar", "A.svg", "/charts_needed/0"},
                {false, "pie", "a-2.svg", "/charts_needed/1"},
                {false, "bar", "chart-3.svg", "/charts_needed/2"},
                {true, "csv", "a.csv", "/tables_needed/0"},
                {true, "excel", "up.xlsx", "/tables_needed/1"},
                {true, "html", "A.html", "/tables_needed/2"},
                {true, "csv", "A.csv-3.csv", "/tables_needed/3"}};
    const surety_rendering_options options = {.size = sizeof(options),
                                              .chart_format = SURETY_CHART_SVG,
                                              .alloc = check_alloc(t)};
    surety_rendering *all = NULL;
    surety_doc *doc = read_doc(
        t, "{\"census_data\":{\"success\":true,\"data\":[[\"NAME\",\"v\"],"
           "[\"a\",\"-666666666\"],[\"b\",\"2\"]],\"variables\":null},"
           "\"charts_needed\":[{\"type\":\"bar\",\"title\":\"A\"},"
           "{\"type\":\"pie\",\"title\":\"a\"},{}],"
           "\"tables_needed\":[{\"filename\":\"a.csv\"},"
           "{\"format\":\"excel\",\"title\":\"A\",\"filename\":\"../up\"},"
           "{\"format\":\"html\",\"title\":\"A\",\"filename\":null},"
           "{\"format\":\"csv\",\"title\":\"A.csv\"}],"
           "\"footnotes\":[\"First.\",\"Source: here.\"]}");
    surety_error error;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    TRY(surety_rendering_new(surety_doc_root(doc), &options, &all, &error));
    CHECK(surety_rendering_count(all) == CHECK_COUNT(want));
    for (size_t i = 0; i + 1 < CHECK_COUNT(want); i++) {
        const surety_render_item item = surety_rendering_item(all, i);
        CHECK(item.is_table == want[i].is_table);
        CHECK_TEXT(item.type, want[i].type);
        CHECK_TEXT(item.name, want[i].name);
        CHECK_TEXT(item.at, want[i].at);
    }
    CHECK_TEXT(surety_rendering_item(all, 6).name, "A.csv.csv");
    CHECK_TEXT(surety_rendering_item(all, 4).note,
               "the file name \"../up\" is made safe: up.xlsx\n");
    EXPECT(SURETY_SYNTAX, surety_rendering_draw(all, 1, &out, &error));
    CHECK(strstr(error.message, "no charts of the type \"pie\""));
    CHECK(strcmp(error.path, "/charts_needed/1") == 0 || t->starved);
    TRY(surety_rendering_draw(all, 3, &out, &error));
    CHECK_TEXT(surety_buf_str(&out), "NAME,v\r\na,\r\nb,2\r\n");
    EXPECT(SURETY_MISUSE, surety_rendering_draw(all, 7, &out, &error));
done:
    surety_buf_done(&out);
    surety_rendering_free(all);
    surety_doc_free(doc);
}

TEST(refuses_what_is_no_request)
{
    static const struct {
        const char *json, *says;
    } cases[] = {{"[1]", "of type array, not an object"},
                 {"{\"charts\":{}}", "the list of charts is of type object"},
                 {"{\"charts\":[],\"tables\":1}",
                  "the list of tables is of type number"}};
    const surety_rendering_options options = {.size = sizeof(options),
                                              .alloc = check_alloc(t)};

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_doc *doc = read_doc(t, cases[i].json);
        surety_rendering *all = NULL;
        surety_error error = {0};
        surety_status status = SURETY_NOMEM;
        if (doc)
            status = surety_rendering_new(surety_doc_root(doc), &options, &all,
                                          &error);
        surety_rendering_free(all);
        surety_doc_free(doc);
        EXPECT(SURETY_SYNTAX, status);
        CHECK(strstr(error.message, cases[i].says));
    }
done:;
}

TEST(ends_at_its_outputs)
{
    const surety_rendering_options options = {.size = sizeof(options),
                                              .alloc = check_alloc(t)};
    surety_buf json;

    surety_buf_init(&json, NULL, 0);
    for (size_t count = SURETY_RENDER_ITEMS_MAX - 1;
         count <= SURETY_RENDER_ITEMS_MAX + 1; count++) {
        surety_rendering *all = NULL;
        surety_status status = SURETY_NOMEM;
        surety_doc *doc;
        surety_buf_reset(&json);
        surety_buf_text(&json, "{\"data\":[],\"tables\":[{}");
        for (size_t i = 1; i < count; i++)
            surety_buf_text(&json, ",{}");
        surety_buf_text(&json, "]}");
        surety_buf_byte(&json, '\0');
        CHECK(!json.status);
        doc = read_doc(t, json.ptr);
        if (doc)
            status = surety_rendering_new(surety_doc_root(doc), &options, &all,
                                          NULL);
        surety_rendering_free(all);
        surety_doc_free(doc);
        EXPECT(count > SURETY_RENDER_ITEMS_MAX ? SURETY_LIMIT : SURETY_OK,
               status);
    }
done:
    surety_buf_done(&json);
}

TEST(saves_files_whole)
{
    char folder[] = "/tmp/surety-save-XXXXXX";
    char path[64] = "";
    const surety_str name = surety_str_of("a.txt");
    surety_error error;
    struct stat about;
    surety_str where;

    NEED(mkdtemp(folder));
    where = surety_str_of(folder);
    memcpy(path, folder, sizeof(folder) - 1);
    memcpy(path + sizeof(folder) - 1, "/a.txt", sizeof("/a.txt"));
    TRY(surety_file_save(where, name, surety_str_of("one"), false, &error));
    CHECK(stat(path, &about) == 0 && about.st_size == 3);
    EXPECT(SURETY_MISUSE,
           surety_file_save(where, name, surety_str_of("four"), false, &error));
    CHECK(strstr(error.message, "is there already"));
    CHECK(stat(path, &about) == 0 && about.st_size == 3);
    TRY(surety_file_save(where, name, surety_str_of("four"), true, &error));
    CHECK(stat(path, &about) == 0 && about.st_size == 4);
    EXPECT(SURETY_MISUSE, surety_file_save(where, surety_str_of("../a"),
                                           surety_str_of(""), true, &error));
    EXPECT(SURETY_MISUSE, surety_file_save(where, surety_str_of(""),
                                           surety_str_of(""), true, &error));
    EXPECT(SURETY_IO, surety_file_save(surety_str_of("/dev/null/nowhere"), name,
                                       surety_str_of(""), false, &error));
done:
    if (*path) {
        unlink(path);
        /* Nothing else is left in it. */
        if (rmdir(folder))
            check_that(t, false, "the folder is empty", __FILE__, __LINE__);
    }
}

/* Six notes are below a chart; what a seventh loses is a remark. */
TEST(ends_at_its_notes)
{
    for (int count = 6; count <= 7; count++) {
        surety_doc *doc = surety_doc_new(check_alloc(t));
        const surety_rendering_options options = {.size = sizeof(options),
                                                  .chart_format =
                                                      SURETY_CHART_SVG,
                                                  .alloc = check_alloc(t)};
        surety_rendering *all = NULL;
        surety_buf json, out;
        surety_status status;
        bool is_said = false;
        surety_buf_init(&json, NULL, 0);
        surety_buf_init(&out, check_alloc(t), 0);
        surety_buf_text(&json, "{\"data\":[[\"n\",\"v\"],[\"a\",1]],"
                               "\"charts\":[{\"cut\":1}],\"notes\":[\"1\"");
        for (int i = 2; i <= count; i++)
            surety__buf_printf(&json, ",\"%d\"", i);
        surety_buf_text(&json, "]}");
        status = doc ? surety_doc_read(doc, surety_buf_str(&json), NULL, NULL)
                     : SURETY_NOMEM;
        if (!status)
            status = surety_rendering_new(surety_doc_root(doc), &options, &all,
                                          NULL);
        if (!status)
            status = surety_rendering_draw(all, 0, &out, NULL);
        if (status == SURETY_UNSUPPORTED)
            status = SURETY_OK;
        if (!status)
            is_said = surety_str_equal(
                surety_rendering_item(all, 0).note,
                surety_str_of(count == 6
                                  ? "members that are ignored: \"cut\"\n"
                                  : "members that are ignored: \"cut\"\n"
                                    "of 7 notes the picture has the first "
                                    "6\n"));
        if (all)
            surety_rendering_free(all);
        surety_doc_free(doc);
        surety_buf_done(&json);
        surety_buf_done(&out);
        TRY(status);
        CHECK(is_said);
    }
done:;
}

/* The bytes of a picture with so many notes; 0: it was not drawn. */
static size_t draw_with_notes(struct check *t, int count, surety_buf *out)
{
    const surety_rendering_options options = {.size = sizeof(options),
                                              .chart_format = SURETY_CHART_SVG,
                                              .alloc = check_alloc(t)};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_rendering *all = NULL;
    surety_buf json;
    surety_status status = SURETY_NOMEM;

    surety_buf_init(&json, NULL, 0);
    surety_buf_text(&json, "{\"data\":[[\"n\",\"v\"],[\"a\",1]],"
                           "\"charts\":[{}],\"notes\":[\"A note\"");
    for (int i = 2; i <= count; i++)
        surety__buf_printf(&json, ",\"A note\"");
    surety_buf_text(&json, "]}");
    surety_buf_reset(out);
    if (doc)
        status = surety_doc_read(doc, surety_buf_str(&json), NULL, NULL);
    if (!status)
        status =
            surety_rendering_new(surety_doc_root(doc), &options, &all, NULL);
    if (!status)
        status = surety_rendering_draw(all, 0, out, NULL);
    if (all)
        surety_rendering_free(all);
    surety_doc_free(doc);
    surety_buf_done(&json);
    return status ? 0 : out->len;
}

/* Each of six notes is in the picture; of seven the first six. */
TEST(draws_its_notes)
{
    size_t before = 0;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (int count = 1; count <= 7; count++) {
        const size_t len = draw_with_notes(t, count, &out);
        if (len == 0 || t->starved)
            goto done; /* a build without charts, or short of memory */
        CHECK(count > 6 ? len == before : len > before);
        before = len;
    }
done:
    surety_buf_done(&out);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"makes names safe", makes_names_safe},
        {"makes names short", makes_names_short},
        {"lists what a value asks for", lists_what_a_value_asks_for},
        {"refuses what is no request", refuses_what_is_no_request},
        {"ends at its outputs", ends_at_its_outputs},
        {"ends at its notes", ends_at_its_notes},
        {"draws its notes", draws_its_notes},
        {"saves files whole", saves_files_whole},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
