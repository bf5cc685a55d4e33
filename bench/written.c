/* SPDX-License-Identifier: Apache-2.0 */
/* What `surety gen` would have to write if it made checkers: the schemas of a
 * few data sets as straight-line C over the public headers. They stand here to
 * show what that is worth beside the interpreter, so nothing is left out that
 * makes them fast: names are told by their length and one comparison, the
 * members of an object are gone over once, what is required is a bit, and all
 * that is small is inlined.
 *
 * What a program would have to repeat from the library goes to the library, as
 * a schema of that part alone: patterns, and numbers next to a bound that no
 * double tells from it. bench.c compares every verdict with the library's. */
#include "written.h"

#include <string.h>

#include <surety/json.h>

static const char *const part_texts[PART_COUNT] = {
    [PART_NO_BLANK] = "{\"pattern\": \"^\\\\S+$\"}",
    [PART_0_TO_1] = "{\"minimum\": 0, \"maximum\": 1}",
    [PART_0_TO_10] = "{\"minimum\": 0, \"maximum\": 10}",
};

static bool part_fits(const written *with, enum written_part part,
                      surety_val value)
{
    bool valid = false;

    surety_checker_check(with->checker, with->parts[part], value, &valid, NULL);
    return valid;
}

/* ---- what all of them are made of --------------------------------------- */

/* text is not empty; what is no string has an empty one. */
static inline bool is_text(surety_str string, const char *text)
{
    return string.len == strlen(text) &&
           memcmp(string.ptr, text, strlen(text)) == 0;
}

/* The same for the name of a required member. */
static inline bool is_needed(surety_str name, const char *text, unsigned bit,
                             unsigned *seen)
{
    if (!is_text(name, text))
        return false;
    *seen |= bit;
    return true;
}

/* The last may be none of them: "". */
static inline bool is_one_of(surety_val value, const char *first,
                             const char *second, const char *third)
{
    const surety_str word = surety_val_str(value);

    return is_text(word, first) || is_text(word, second) ||
           (*third && is_text(word, third));
}

static inline bool is_kind(surety_val value, surety_kind kind)
{
    return surety_val_kind(value) == kind;
}

/* One member; sets the bit of a required one. */
typedef bool member_fits(const written *with, surety_str name, surety_val value,
                         unsigned *seen);

/* These two are inlined with what they are given, so that nothing is called
 * through a pointer. */

static inline bool object_fits(const written *with, surety_val value,
                               member_fits *member, unsigned required)
{
    unsigned seen = 0;

    if (!is_kind(value, SURETY_KIND_OBJECT))
        return false;
    for (surety_val at = surety_val_first(value); at.doc;
         at = surety_val_next(value, at))
        if (!member(with, surety_val_str(surety_val_key(at)), at, &seen))
            return false;
    return (seen & required) == required;
}

static inline bool array_fits(const written *with, surety_val value,
                              bool (*item)(const written *with,
                                           surety_val value))
{
    if (!is_kind(value, SURETY_KIND_ARRAY))
        return false;
    for (surety_val at = surety_val_first(value); at.doc;
         at = surety_val_next(value, at))
        if (!item(with, at))
            return false;
    return true;
}

static inline bool string_fits(const written *with, surety_val value)
{
    (void)with;
    return is_kind(value, SURETY_KIND_STRING);
}

static inline bool number_fits(const written *with, surety_val value)
{
    (void)with;
    return is_kind(value, SURETY_KIND_NUMBER);
}

static inline bool list_fits(const written *with, surety_val value)
{
    (void)with;
    return is_kind(value, SURETY_KIND_ARRAY);
}

/* A string of one character or more: nothing else has a text. */
static inline bool is_filled(surety_val value)
{
    return surety_val_str(value).len > 0;
}

/* An integer, 0 or more. */
static inline bool is_natural(surety_val value)
{
    return surety_val_int(value, -1) >= 0 ||
           (surety_val_is_integer(value) && surety_val_real(value, -1) >= 0);
}

static inline bool is_between(const written *with, surety_val value, double low,
                              double high, enum written_part part)
{
    double number;

    if (!is_kind(value, SURETY_KIND_NUMBER))
        return false;
    number = surety_val_real(value, 0);
    if (number == low || number == high)
        return part_fits(with, part, value);
    return number > low && number < high;
}

static bool is_at_most(surety_str text, size_t most)
{
    size_t count = 0;

    if (text.len <= most)
        return true;
    for (size_t i = 0; i < text.len; i++)
        count += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    return count <= most;
}

/* ---- census/agent-output ------------------------------------------------- */

static inline bool variable_fits(const written *with, surety_str name,
                                 surety_val value, unsigned *seen)
{
    (void)name;
    (void)seen;
    return string_fits(with, value);
}

static inline bool data_member(const written *with, surety_str name,
                               surety_val value, unsigned *seen)
{
    if (is_needed(name, "data", 1, seen))
        return array_fits(with, value, list_fits);
    if (is_needed(name, "success", 2, seen))
        return is_kind(value, SURETY_KIND_BOOLEAN);
    return !is_text(name, "variables") || is_kind(value, SURETY_KIND_NULL) ||
           object_fits(with, value, variable_fits, 0);
}

static inline bool chart_member(const written *with, surety_str name,
                                surety_val value, unsigned *seen)
{
    if (is_needed(name, "type", 1, seen))
        return is_one_of(value, "bar", "line", "");
    return !is_needed(name, "title", 2, seen) || string_fits(with, value);
}

static inline bool table_member(const written *with, surety_str name,
                                surety_val value, unsigned *seen)
{
    if (is_needed(name, "format", 1, seen))
        return is_one_of(value, "csv", "excel", "html");
    if (is_needed(name, "title", 2, seen))
        return string_fits(with, value);
    return !is_text(name, "filename") || string_fits(with, value) ||
           is_kind(value, SURETY_KIND_NULL);
}

static inline bool chart_fits(const written *with, surety_val value)
{
    return object_fits(with, value, chart_member, 3);
}

static inline bool table_fits(const written *with, surety_val value)
{
    return object_fits(with, value, table_member, 3);
}

static inline bool census_member(const written *with, surety_str name,
                                 surety_val value, unsigned *seen)
{
    if (is_needed(name, "census_data", 1, seen))
        return object_fits(with, value, data_member, 3);
    if (is_needed(name, "data_summary", 2, seen) ||
        is_needed(name, "reasoning_trace", 4, seen) ||
        is_needed(name, "answer_text", 8, seen))
        return string_fits(with, value);
    if (is_needed(name, "footnotes", 16, seen))
        return array_fits(with, value, string_fits) &&
               surety_val_count(value) >= 2;
    if (is_text(name, "charts_needed"))
        return array_fits(with, value, chart_fits);
    return !is_text(name, "tables_needed") ||
           array_fits(with, value, table_fits);
}

static bool census_fits(const written *with, surety_val value)
{
    return object_fits(with, value, census_member, 31);
}

/* ---- credibility/analysis-result ----------------------------------------- */

static inline bool overview_member(const written *with, surety_str name,
                                   surety_val value, unsigned *seen)
{
    if (is_needed(name, "sampledPosts", 1, seen))
        return number_fits(with, value);
    return !is_needed(name, "focusAreas", 2, seen) ||
           array_fits(with, value, string_fits);
}

static inline bool credibility_member(const written *with, surety_str name,
                                      surety_val value, unsigned *seen)
{
    if (is_needed(name, "crediScore", 1, seen))
        return is_between(with, value, 0, 10, PART_0_TO_10);
    return !is_needed(name, "overview", 2, seen) ||
           object_fits(with, value, overview_member, 3);
}

static bool credibility_fits(const written *with, surety_val value)
{
    return object_fits(with, value, credibility_member, 3);
}

/* ---- user-story/iteration-output ----------------------------------------- */

static inline bool change_member(const written *with, surety_str name,
                                 surety_val value, unsigned *seen)
{
    if (is_needed(name, "category", 1, seen) ||
        is_needed(name, "description", 2, seen))
        return is_filled(value);
    return !is_text(name, "location") || string_fits(with, value);
}

static inline bool change_fits(const written *with, surety_val value)
{
    return object_fits(with, value, change_member, 3);
}

static inline bool story_member(const written *with, surety_str name,
                                surety_val value, unsigned *seen)
{
    if (is_needed(name, "enhancedStory", 1, seen))
        return is_filled(value);
    if (is_needed(name, "changesApplied", 2, seen))
        return array_fits(with, value, change_fits);
    return !is_text(name, "confidence") ||
           is_between(with, value, 0, 1, PART_0_TO_1);
}

static bool story_fits(const written *with, surety_val value)
{
    return object_fits(with, value, story_member, 3);
}

/* ---- events, log: a oneOf with a tag ------------------------------------- */

/* The members that all events have, and no other. The tag has been looked
 * at. */
static inline bool event_member(const written *with, surety_str name,
                                surety_val value, unsigned *seen)
{
    (void)with;
    return is_needed(name, "id", 1, seen) || is_needed(name, "at", 2, seen)
               ? is_natural(value)
               : is_text(name, "kind");
}

static inline bool message_member(const written *with, surety_str name,
                                  surety_val value, unsigned *seen)
{
    if (is_needed(name, "text", 4, seen))
        return string_fits(with, value) &&
               is_at_most(surety_val_str(value), 4000);
    return event_member(with, name, value, seen);
}

static inline bool call_member(const written *with, surety_str name,
                               surety_val value, unsigned *seen)
{
    if (is_needed(name, "tool", 4, seen))
        return string_fits(with, value) &&
               part_fits(with, PART_NO_BLANK, value);
    if (is_needed(name, "arguments", 8, seen))
        return is_kind(value, SURETY_KIND_OBJECT);
    return event_member(with, name, value, seen);
}

static inline bool error_member(const written *with, surety_str name,
                                surety_val value, unsigned *seen)
{
    if (is_needed(name, "code", 4, seen))
        return surety_val_int(value, 0) >= 400 &&
               surety_val_int(value, 0) <= 599;
    if (is_needed(name, "text", 8, seen))
        return string_fits(with, value);
    return event_member(with, name, value, seen);
}

static inline surety_str event_kind(surety_val value)
{
    surety_val at = surety_val_first(value);

    while (at.doc && !is_text(surety_val_str(surety_val_key(at)), "kind"))
        at = surety_val_next(value, at);
    return surety_val_str(at);
}

static bool event_fits(const written *with, surety_val value)
{
    const surety_str kind = is_kind(value, SURETY_KIND_OBJECT)
                                ? event_kind(value)
                                : (surety_str){NULL, 0};

    if (is_text(kind, "start") || is_text(kind, "stop"))
        return object_fits(with, value, event_member, 3);
    if (is_text(kind, "message"))
        return object_fits(with, value, message_member, 7);
    if (is_text(kind, "call"))
        return object_fits(with, value, call_member, 15);
    return is_text(kind, "error") && object_fits(with, value, error_member, 15);
}

static bool log_fits(const written *with, surety_val value)
{
    return array_fits(with, value, event_fits);
}

/* ---- geo: arrays of arrays of numbers ------------------------------------ */

static inline bool point_fits(const written *with, surety_val value)
{
    const size_t count = surety_val_count(value);

    return count >= 2 && count <= 3 && array_fits(with, value, number_fits);
}

static inline bool ring_fits(const written *with, surety_val value)
{
    return surety_val_count(value) >= 4 && array_fits(with, value, point_fits);
}

static inline bool geometry_member(const written *with, surety_str name,
                                   surety_val value, unsigned *seen)
{
    if (is_needed(name, "type", 1, seen))
        return is_one_of(value, "Point", "Polygon", "");
    return !is_needed(name, "coordinates", 2, seen) ||
           array_fits(with, value, ring_fits);
}

static inline bool feature_member(const written *with, surety_str name,
                                  surety_val value, unsigned *seen)
{
    if (is_needed(name, "type", 1, seen))
        return is_text(surety_val_str(value), "Feature");
    if (is_needed(name, "properties", 2, seen))
        return is_kind(value, SURETY_KIND_OBJECT);
    return !is_needed(name, "geometry", 4, seen) ||
           object_fits(with, value, geometry_member, 3);
}

static inline bool feature_fits(const written *with, surety_val value)
{
    return object_fits(with, value, feature_member, 7);
}

static inline bool geo_member(const written *with, surety_str name,
                              surety_val value, unsigned *seen)
{
    if (is_needed(name, "type", 1, seen))
        return is_text(surety_val_str(value), "FeatureCollection");
    return !is_needed(name, "features", 2, seen) ||
           array_fits(with, value, feature_fits);
}

static bool geo_fits(const written *with, surety_val value)
{
    return object_fits(with, value, geo_member, 3);
}

/* ---- rows: a table of objects -------------------------------------------- */

static inline bool row_member(const written *with, surety_str name,
                              surety_val value, unsigned *seen)
{
    if (is_needed(name, "name", 1, seen))
        return is_filled(value);
    if (is_needed(name, "population", 2, seen))
        return is_natural(value);
    if (is_needed(name, "share", 4, seen))
        return is_between(with, value, 0, 1, PART_0_TO_1);
    return is_needed(name, "active", 8, seen) &&
           is_kind(value, SURETY_KIND_BOOLEAN);
}

static inline bool row_fits(const written *with, surety_val value)
{
    return object_fits(with, value, row_member, 15);
}

static inline bool rows_member(const written *with, surety_str name,
                               surety_val value, unsigned *seen)
{
    if (is_needed(name, "source", 1, seen))
        return is_filled(value);
    return is_needed(name, "rows", 2, seen) &&
           array_fits(with, value, row_fits);
}

static bool rows_fits(const written *with, surety_val value)
{
    return object_fits(with, value, rows_member, 3);
}

/* ---- which there are ----------------------------------------------------- */

static const struct {
    const char *ending; /* of the schema's path */
    bool (*fits)(const written *with, surety_val value);
} written_all[] = {
    {"/census/agent-output.json", census_fits},
    {"/credibility/analysis-result.json", credibility_fits},
    {"/user-story/iteration-output.json", story_fits},
    {"/events.schema.json", event_fits},
    {"/log.schema.json", log_fits},
    {"/geo.schema.json", geo_fits},
    {"/rows.schema.json", rows_fits},
};

written written_open(const char *path)
{
    written with = {0};

    for (size_t i = 0; i < sizeof written_all / sizeof *written_all; i++) {
        const size_t len = strlen(written_all[i].ending);

        if (strlen(path) >= len &&
            strcmp(path + strlen(path) - len, written_all[i].ending) == 0)
            with.fits = written_all[i].fits;
    }
    if (!with.fits)
        return with;
    with.checker = surety_checker_new(NULL, NULL);
    for (size_t i = 0; i < PART_COUNT; i++)
        if (!with.checker ||
            surety_schema_read(surety_str_of(part_texts[i]), NULL,
                               &with.parts[i], NULL) != SURETY_OK)
            with.fits = NULL;
    return with;
}

void written_close(written *with)
{
    for (size_t i = 0; i < PART_COUNT; i++)
        surety_schema_free(with->parts[i]);
    surety_checker_free(with->checker);
}
