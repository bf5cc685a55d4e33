/* SPDX-License-Identifier: Apache-2.0 */
/* Which characters a format takes, place by place: every one of ASCII is put
 * there and the answer compared with a set. Above ASCII the edges of the ranges
 * are tried, and names at their longest. */
#include "check.h"
#include "schema/format.h"

#include <string.h>

#define ALPHA "A-Za-z"
#define ALNUM "0-9" ALPHA
#define HEX "0-9A-Fa-f"
#define ATEXT "!#-'*+\\-/-9=?A-Z^-~"
/* RFC 3986, appendix A. */
#define UNRESERVED ALNUM "\\-._~"
#define SUB_DELIMS "!$&-,;="
#define PCHAR UNRESERVED SUB_DELIMS ":@"

/* `taken` is a set as between the brackets of a regular expression; U+0000
 * counts as U+0001. */
struct place {
    const char *format, *before, *after, *taken;
};

static bool in_set(const char *set, char c)
{
    while (*set) {
        char first = *set == '\\' ? *++set : *set;
        char last = first;

        set++;
        if (*set == '-') {
            last = set[1];
            set += 2;
        }
        if (c >= first && c <= last)
            return true;
    }
    return false;
}

static bool is_one(const char *format, surety_str text)
{
    return surety__format_find(surety_str_of(format),
                               1u << SURETY_DIALECT_V1)(text);
}

static bool place_holds(const struct place *place)
{
    size_t at = strlen(place->before);
    size_t len = at + 1 + strlen(place->after);
    bool holds = true;
    char text[64];

    memcpy(text, place->before, at);
    memcpy(text + at + 1, place->after, len - at - 1);
    for (int c = 0; c < 0x80; c++) {
        bool want = in_set(place->taken, (char)(c ? c : 1));

        text[at] = (char)c;
        if (is_one(place->format, (surety_str){text, len}) == want)
            continue;
        printf("# %s: %s\\x%02x%s must be %s\n", place->format, place->before,
               (unsigned)c, place->after, want ? "taken" : "refused");
        holds = false;
    }
    return holds;
}

static void places(struct check *t, const struct place *rows, size_t count)
{
    bool holds = true;

    for (size_t i = 0; i < count; i++)
        holds = place_holds(&rows[i]) && holds;
    CHECK(holds);
done:;
}

TEST(of_uris)
{
    static const struct place rows[] = {
        {"uri", "", "b:c", ALPHA},
        {"uri", "a", "b:c", ALNUM "+\\-.:"},
        {"uri", "a", "", ":"},
        {"uri", "a://b", "c@d", UNRESERVED SUB_DELIMS ":/?#"},
        {"uri", "a://b", "c", UNRESERVED SUB_DELIMS "@/?#"},
        {"uri", "a://b:8", "0", "0-9@/?#"},
        {"uri", "a://u@", "", UNRESERVED SUB_DELIMS ":/?#"},
        {"uri", "a://[::1]", "80", ":/?#"},
        {"uri", "a://[::", "]", HEX},
        {"uri", "a://", "::]", "["},
        {"uri", "a://[::", "", "]"},
        {"uri", "a://[", "1.x]", "Vv"},
        {"uri", "a://[v", ".x]", HEX},
        {"uri", "a://[v1", "x]", "."},
        {"uri", "a://[v1.", "]", UNRESERVED SUB_DELIMS ":"},
        {"uri", "a:b", "c", PCHAR "/?#"},
        {"uri", "a:?b", "c", PCHAR "/?#"},
        {"uri", "a:#b", "c", PCHAR "/?"},
        {"uri", "a:%", "0", HEX},
        {"uri", "a:%0", "", HEX},
        {"uri-reference", "", "b", UNRESERVED SUB_DELIMS "@/?#"},
        {"uri-reference", "/b", "c", PCHAR "/?#"},
        {"uri-reference", "1", "b:c", "/?#"},
        {"iri", "", "b:c", ALPHA},
        {"iri", "a:b", "c", PCHAR "/?#"},
        {"iri-reference", "\xc3\xbc", "b:c", "/?#"},
        {"uri-template", "a", "b", "!#$&-;=?-[\\]_a-z~"},
        {"uri-template", "{", "a}", ALNUM "_+#./;?&=,!@|"},
        {"uri-template", "{a", "b}", ALNUM "_.,"},
        {"uri-template", "{a", "}", ALNUM "_*"},
        {"uri-template", "{a", ",b}", ALNUM "_*"},
        {"uri-template", "{a:", "}", "1-9"},
        {"uri-template", "{a:1", "}", "0-9"},
        {"uri-template", "{a:1", "b}", ","},
        {"uri-template", "{%", "0}", HEX},
        {"uri-template", "{%0", "}", HEX},
        {"uri-template", "", "a}", "{"},
        {"uri-template", "{a", "", "}"},
    };

    places(t, rows, CHECK_COUNT(rows));
}

TEST(of_hosts_and_mailboxes)
{
    static const struct place rows[] = {
        {"ipv4", "1.2.3.", "", "0-9"},
        {"ipv4", "", ".2.3.4", "0-9"},
        {"ipv4", "1", "2.3.4", "."},
        {"ipv4", "25", ".2.3.4", "0-5"},
        {"ipv6", "::", "", HEX},
        {"ipv6", "", "::", HEX},
        {"ipv6", "1", ":2", ":"},
        {"ipv6", "::1:", ":2", HEX},
        {"ipv6", "1:", ":2", ""},
        {"ipv6", "::1.2.3", "4", "."},
        {"hostname", "", "", ALNUM},
        {"hostname", "", "b", ALNUM},
        {"hostname", "a", "b", ALNUM "\\-."},
        {"hostname", "a.", "b", ALNUM},
        {"hostname", "a", "", ALNUM},
        {"hostname", "a", ".b", ALNUM},
        {"idn-hostname", "a", "b.\xc3\xbc", ALNUM "\\-."},
        {"idn-hostname", "", "b.\xc3\xbc", ALNUM},
        {"idn-hostname", "\xc3\xbc.a", "", ALNUM},
        {"idn-hostname", "\xc3\xbc", "b", "0-9a-z\\-."},
        {"idn-hostname", "a-", "b", ALNUM "\\-"},
        {"idn-hostname", "ab", "-c", ALNUM},
        {"idn-hostname", "xn-", "tda", ALNUM "\\-"},
        {"hostname", "", "n--a", "0-9A-WYZa-wyz"},
        {"hostname", "x", "--a", "0-9A-MO-Za-mo-z\\-"},
        {"email", "", "b@c", ATEXT},
        {"email", "a", "b@c", ATEXT "."},
        {"email", "a.", "b@c", ATEXT},
        {"email", "a", "@c", ATEXT},
        {"email", "\"a", "b\"@c", " !#-~"},
        {"email", "\"\\", "\"@c", " -~"},
        {"email", "\"a\"", "c", "@"},
        {"email", "\"a", "@c", "\""},
        {"email", "a@b", "c", ALNUM "\\-."},
        {"email", "a@[x", "y:z]", ALNUM "\\-:"},
        {"email", "a@[x", ":z]", ALNUM ":"},
        {"email", "a@[x:", "]", "!-Z^-~"},
        {"email", "a@[x:y", "z]", "!-Z^-~"},
        {"email", "a@[01.02.03.00", "]", "0-9"},
        {"email", "a@[000", ".0.0.0]", ":"},
        {"email", "a@[IPv6:::", "]", HEX},
        {"email", "a@[IPv", "::]", "0-57-9:" ALPHA},
        {"idn-email", "", "\xc3\xbc@c", ATEXT},
        {"idn-email", "\"\xc3\xbc", "\"@c", " !#-[\\]-~"},
        {"idn-email", "a@b", "c.\xc3\xbc", ALNUM "\\-."},
    };

    places(t, rows, CHECK_COUNT(rows));
}

TEST(of_times_and_the_rest)
{
    static const struct place rows[] = {
        {"date", "", "001-01-01", "0-9"},
        {"date", "2001-0", "-01", "1-9"},
        {"date", "2001-1", "-01", "0-2"},
        {"date", "2001", "01-01", "\\-"},
        {"date", "2001-01", "01", "\\-"},
        {"date", "2001-01-0", "", "1-9"},
        {"date", "2001-01-3", "", "01"},
        {"date", "2001-04-3", "", "0"},
        {"date-time", "2001-01-01", "00:00:00Z", "Tt"},
        {"time", "2", ":00:00Z", "0-3"},
        {"time", "00:", "0:00Z", "0-5"},
        {"time", "00:00:", "0Z", "0-5"},
        {"time", "23:59:6", "Z", "0"},
        {"time", "00", "00:00Z", ":"},
        {"time", "00:00", "00Z", ":"},
        {"time", "00:00:00", "", "Zz"},
        {"time", "00:00:00.", "Z", "0-9"},
        {"time", "00:00:00.0", "Z", "0-9"},
        {"time", "00:00:00", "00:00", "+\\-"},
        {"time", "00:00:00+2", ":00", "0-3"},
        {"time", "00:00:00+00", "00", ":"},
        {"time", "00:00:00+00:", "0", "0-5"},
        {"duration", "", "1D", "Pp"},
        {"duration", "P", "D", "0-9"},
        {"duration", "P1", "", "YyMmWwDd"},
        {"duration", "P1", "1D", "0-9Mm"},
        {"duration", "P1D", "1S", "Tt"},
        {"duration", "PT1", "", "HhMmSs"},
        {"json-pointer", "", "a", "/"},
        {"json-pointer", "/~", "", "01"},
        {"json-pointer", "/~", "a", "01"},
        {"relative-json-pointer", "", "", "0-9"},
        {"relative-json-pointer", "1", "", "0-9#/"},
        {"relative-json-pointer", "0", "1", "+\\-/"},
        {"relative-json-pointer", "0+", "", "0-9"},
    };

    places(t, rows, CHECK_COUNT(rows));
}

/* Annex B of ECMA-262 without its octal escapes: a brace may stand for
 * itself. */
TEST(of_patterns)
{
    static const struct place rows[] = {
        {"regex", "\\", "", " -0:-@BDSW[-`bdfnrstvw{-~"},
        {"regex", "(a)\\", "", " -1:-@BDSW[-`bdfnrstvw{-~"},
        {"regex", "[\\", "]", " -0:-@DSW[-`bdfnrstvw{-~"},
        {"regex", "\\c", "", ALPHA},
        {"regex", "\\x", "0", HEX},
        {"regex", "\\x0", "", HEX},
        {"regex", "\\u", "000", HEX},
        {"regex", "\\u000", "", HEX},
        {"regex", "\\u{", "}", HEX},
        {"regex", "\\u{10fff", "}", HEX "}"},
        {"regex", "\\p", "L}", "{"},
        {"regex", "\\p{L", "}", "Clmotu}"},
        {"regex", "\\p{Script", "Latin}", "="},
        {"regex", "\\0", "", "\x01-'*-/:-Z]-\x7f"},
        {"regex", "(?", "a)", "!:="},
        {"regex", "(?<", "a>b)", ALPHA "!$=_"},
        {"regex", "(?<a", "b>c)", ALNUM "$>_"},
        {"regex", "(?<a>b)\\k", "a>", "<"},
        {"regex", "(a", "", ")"},
        {"regex", "[a", "", "]"},
        {"regex", "[b-", "]", "]b-\x7f"},
        {"regex", "[", "-m]", "\x01-m"},
        {"regex", "", "a", "\x01-',->@-Z]-\x7f"},
        {"regex", "^", "", "\x01-',->@-Z]-\x7f"},
        {"regex", "a", "", "\x01-'*-Z]-\x7f"},
        {"regex", "a*", "", "\x01-',-Z]-\x7f"},
        {"regex", "a{1}", "", "\x01-',-Z]-\x7f"},
        {"regex", "a{1,", "}", "\x01-'*-/1-Z\\\\-\x7f"},
        {"regex", "a{2,", "}", "\x01-'*-/2-Z\\\\-\x7f"},
        {"regex", "a{2,1", "}", "\x01-'*-Z\\\\-|~-\x7f"},
        {"regex", "(?=a)", "", "\x01-',->@-Z]-\x7f"},
    };

    places(t, rows, CHECK_COUNT(rows));
}

/* Each of the 36 places of a UUID. */
TEST(of_uuids)
{
    static const char uuid[] = "2eb8aa08-aa98-11ea-b4aa-73b441d16380";
    char before[sizeof(uuid)];

    for (size_t at = 0; at + 1 < sizeof(uuid); at++) {
        struct place place = {"uuid", before, uuid + at + 1,
                              uuid[at] == '-' ? "\\-" : HEX};

        memcpy(before, uuid, at);
        before[at] = '\0';
        CHECK(place_holds(&place));
    }
done:;
}

/* RFC 3987, 2.2: ucschar and iprivate. */
TEST(above_ascii)
{
    enum { NOWHERE, QUERY, ANYWHERE };
    static const struct {
        uint32_t code;
        int taken;
    } rows[] = {
        {0x80, NOWHERE},     {0x9F, NOWHERE},     {0xA0, ANYWHERE},
        {0x200D, ANYWHERE},  {0x200E, NOWHERE},   {0x200F, NOWHERE},
        {0x2010, ANYWHERE},  {0x2029, ANYWHERE},  {0x202A, NOWHERE},
        {0x202E, NOWHERE},   {0x202F, ANYWHERE},  {0xD7FF, ANYWHERE},
        {0xE000, QUERY},     {0xF8FF, QUERY},     {0xF900, ANYWHERE},
        {0xFDCF, ANYWHERE},  {0xFDD0, NOWHERE},   {0xFDEF, NOWHERE},
        {0xFDF0, ANYWHERE},  {0xFFEF, ANYWHERE},  {0xFFF0, NOWHERE},
        {0xFFFD, NOWHERE},   {0xFFFF, NOWHERE},   {0x10000, ANYWHERE},
        {0x1FFFD, ANYWHERE}, {0x1FFFE, NOWHERE},  {0x1FFFF, NOWHERE},
        {0x20000, ANYWHERE}, {0xDFFFD, ANYWHERE}, {0xDFFFE, NOWHERE},
        {0xE0000, NOWHERE},  {0xE0FFF, NOWHERE},  {0xE1000, ANYWHERE},
        {0xEFFFD, ANYWHERE}, {0xEFFFE, NOWHERE},  {0xF0000, QUERY},
        {0xFFFFD, QUERY},    {0xFFFFE, NOWHERE},  {0x100000, QUERY},
        {0x10FFFD, QUERY},   {0x10FFFE, NOWHERE}, {0x10FFFF, NOWHERE},
    };
    char path[8] = "a:";
    char query[8] = "a:?";
    char host[8] = "a://";

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        size_t len = surety__utf8_encode(rows[i].code, path + 2);

        memcpy(query + 3, path + 2, len);
        memcpy(host + 4, path + 2, len);
        if (is_one("iri", (surety_str){path, 2 + len}) !=
                (rows[i].taken == ANYWHERE) ||
            is_one("iri", (surety_str){host, 4 + len}) !=
                (rows[i].taken == ANYWHERE) ||
            is_one("iri", (surety_str){query, 3 + len}) !=
                (rows[i].taken != NOWHERE) ||
            is_one("uri-template", (surety_str){path + 2, len}) !=
                (rows[i].taken != NOWHERE))
            printf("# U+%04X\n", (unsigned)rows[i].code);
        CHECK(is_one("iri", (surety_str){path, 2 + len}) ==
              (rows[i].taken == ANYWHERE));
        CHECK(is_one("iri", (surety_str){host, 4 + len}) ==
              (rows[i].taken == ANYWHERE));
        CHECK(is_one("iri", (surety_str){query, 3 + len}) ==
              (rows[i].taken != NOWHERE));
        CHECK(is_one("uri-template", (surety_str){path + 2, len}) ==
              (rows[i].taken != NOWHERE));
        CHECK(!is_one("uri", (surety_str){path, 2 + len}));
    }
done:;
}

/* Names at their limit and one above; xn--tda, 7 octets, is U+00FC. */
TEST(at_their_longest)
{
    static const struct {
        const char *format, *before;
        size_t letters; /* that still fit behind it */
        const char *after;
    } rows[] = {
#define L50 "12345678901234567890123456789012345678901234567890"
#define L63 L50 "1234567890123"
#define THREE L63 "." L63 "." L63 "." /* 192 octets */
        {"hostname", "", 63, ""},
        {"hostname", "a.", 63, ".b"},
        {"hostname", THREE, 61, ""},
        {"hostname", THREE, 53, ".xn--tda"},
        {"idn-hostname", "", 63, ""},
        {"idn-hostname", "\xc3\xbc.", 63, ""},
        {"idn-hostname", "", 63, ".\xc3\xbc"},
        {"idn-hostname", "", 55, "\xc3\xbc"},
        {"idn-hostname", THREE, 61, ""},
        {"idn-hostname", THREE, 53, ".\xc3\xbc"},
        {"idn-hostname", THREE "\xc3\xbc.", 53, ""},
        {"idn-hostname", THREE, 53, ".xn--tda"},
        {"email", "", 64, "@b"},
        {"email", "\"", 62, "\"@b"},
        {"email", "a@", 63, ""},
        {"email", "a@" THREE, 63, ""},
        {"email", "a@[x:", 251, "]"},
        {"idn-email", "\xc3\xbc", 62, "@b"},
        {"idn-email", "a@" THREE, 63, ""},
        {"idn-email", "a@" THREE, 55, ".\xc3\xbc"},
        {"idn-email", "a@[x:", 251, "]"},
#undef L50
#undef L63
#undef THREE
    };
    char text[512];

    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        for (size_t more = 0; more < 2; more++) {
            size_t before = strlen(rows[i].before);
            size_t letters = rows[i].letters + more;
            size_t after = strlen(rows[i].after);
            bool taken;

            memcpy(text, rows[i].before, before);
            memset(text + before, 'a', letters);
            memcpy(text + before + letters, rows[i].after, after);
            taken = is_one(rows[i].format,
                           (surety_str){text, before + letters + after});
            if (taken == (more == 1))
                printf("# %s, row %zu: %zu letters\n", rows[i].format, i,
                       letters);
            CHECK(taken == (more == 0));
        }
done:;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"characters of URIs", of_uris},
        {"characters of hosts and mailboxes", of_hosts_and_mailboxes},
        {"characters of times and the rest", of_times_and_the_rest},
        {"characters of patterns", of_patterns},
        {"characters of UUIDs", of_uuids},
        {"above ASCII", above_ascii},
        {"at their longest", at_their_longest},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
