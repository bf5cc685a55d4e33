/* SPDX-License-Identifier: Apache-2.0 */
/* Formats: what each takes and refuses, which draft knows it, and the edges of
 * its lengths. */
#include "check.h"
#include "schema/format.h"

#include "base/base.h"

struct format_case {
    const char *text;
    size_t len;
    bool want;
};

#define YES(text)                                                              \
    {                                                                          \
        text, sizeof(text) - 1, true                                           \
    }
#define NO(text)                                                               \
    {                                                                          \
        text, sizeof(text) - 1, false                                          \
    }

/* Whether every case gets its answer. Each text is checked in a block of
 * exactly its size, where a read beyond it is seen. */
static surety_status format_run(struct check *t, surety__format_fn is,
                                const struct format_case *cases, size_t count,
                                bool *ret_right)
{
    *ret_right = true;
    for (size_t i = 0; i < count; i++) {
        size_t len = cases[i].len;
        char *exact = surety__resize(check_alloc(t), NULL, 0, len ? len : 1);
        bool got;

        if (!exact)
            return SURETY_NOMEM;
        memcpy(exact, cases[i].text, len);
        got = is((surety_str){len ? exact : NULL, len});
        surety__free(check_alloc(t), exact, len ? len : 1);
        if (got != cases[i].want) {
            printf("# %s: %s\n", cases[i].text, got ? "taken" : "refused");
            *ret_right = false;
        }
    }
    return SURETY_OK;
}

#define FORMAT_TEST(function, format)                                          \
    TEST(function)                                                             \
    {                                                                          \
        bool right = false;                                                    \
                                                                               \
        TRY(format_run(t, format, cases_##function,                            \
                       CHECK_COUNT(cases_##function), &right));                \
        CHECK(right);                                                          \
    done:;                                                                     \
    }

static const struct format_case cases_dates[] = {
    YES("1963-06-19"),
    YES("0000-01-01"),
    YES("9999-12-31"),
    YES("2024-02-29"),
    NO("2023-02-29"),
    NO("1900-02-29"),
    YES("2000-02-29"),
    NO("2024-04-31"),
    NO("2024-00-10"),
    NO("2024-13-10"),
    NO("2024-01-00"),
    NO("2024-01-32"),
    NO("2024-1-01"),
    NO("24-01-01"),
    NO("2024-01-01 "),
    NO(" 2024-01-01"),
    NO(""),
    NO("2024-01-01\0"),
    NO("2024/01/01"),
    NO("20240101"),
    NO("+2024-01-01"),
    NO("2024-01-1\xe0\xa7\xaa"),
    NO("2024-01-0"),
};
FORMAT_TEST(dates, surety__format_date)

static const struct format_case cases_times[] = {
    YES("00:00:00Z"),
    YES("23:59:59z"),
    YES("12:00:00.000000000000000001Z"),
    YES("12:00:00+23:59"),
    YES("12:00:00-00:00"),
    NO("12:00:00"),
    NO("12:00:00.Z"),
    NO("12:00:00,5Z"),
    NO("24:00:00Z"),
    NO("12:60:00Z"),
    NO("12:00:61Z"),
    NO("12:00:00+24:00"),
    NO("12:00:00+00:60"),
    NO("12:00:00+0000"),
    NO("12:00:00+00"),
    NO("12:00Z"),
    NO("1:00:00Z"),
    NO("12:00:00ZZ"),
    NO("12:00:00Z\n"),
    NO("12:00:00 Z"),
    NO(""),
    /* leap seconds, at 23:59 of UTC */
    YES("23:59:60Z"),
    YES("23:59:60.5Z"),
    YES("23:59:60+00:00"),
    NO("23:58:60Z"),
    NO("22:59:60Z"),
    YES("01:29:60+01:30"),
    YES("15:59:60-08:00"),
    YES("00:29:60-23:30"),
    YES("23:29:60+23:30"),
    NO("23:59:60+01:00"),
    NO("23:59:60-00:01"),
    YES("23:58:60-00:01"),
    YES("00:00:60+00:01"),
};
FORMAT_TEST(times, surety__format_time)

static const struct format_case cases_date_times[] = {
    YES("1963-06-19T08:30:06.283185Z"),
    YES("1963-06-19t08:30:06z"),
    YES("1985-04-12T23:20:50.52-08:00"),
    NO("1963-06-19 08:30:06Z"),
    NO("1963-06-19T08:30:06"),
    NO("1963-06-19"),
    NO("08:30:06Z"),
    NO("1963-02-29T08:30:06Z"),
    NO("1963-06-19T08:30:06Z\n"),
    NO(""),
    NO("1963-06-19T"),
    NO("1963-06-19T0\xe0\xa7\xaa:30:06Z"),
    /* leap seconds, at the end of a month of UTC */
    YES("1990-12-31T23:59:60Z"),
    YES("1990-12-31T15:59:60-08:00"),
    YES("1991-01-01T00:29:60+00:30"),
    YES("2016-06-30T23:59:60Z"),
    NO("1990-12-30T23:59:60Z"),
    NO("1991-01-01T23:59:60Z"),
    NO("1991-01-02T00:29:60+00:30"),
    YES("2024-02-29T23:59:60Z"),
    NO("2024-02-28T23:59:60Z"),
    YES("2023-02-28T23:59:60Z"),
    YES("2024-02-29T22:59:60-01:00"),
    YES("2024-03-01T00:59:60+01:00"),
    NO("2024-02-28T22:59:60-01:00"),
};
FORMAT_TEST(date_times, surety__format_date_time)

static const struct format_case cases_durations[] = {
    YES("P4DT12H30M5S"),
    YES("P1Y2M3DT4H5M6S"),
    YES("P1Y"),
    YES("P1Y2M"),
    YES("P2M3D"),
    YES("P0D"),
    YES("PT0S"),
    YES("PT36H"),
    YES("P2W"),
    YES("PT1M2S"),
    YES("P999999999999999999999999D"),
    YES("p1dt1h"),
    NO(""),
    NO("P"),
    NO("PT"),
    NO("P1DT"),
    NO("1D"),
    NO("P1"),
    NO("PD"),
    NO("P1Y3D"),
    NO("PT1H2S"),
    NO("P1D1Y"),
    NO("P1D1D"),
    NO("P1Y2W"),
    NO("P2W1D"),
    NO("P2WT1H"),
    NO("P1S"),
    NO("PT1D"),
    NO("P1H"),
    NO("PT1.5S"),
    NO("P-1D"),
    NO("-P1D"),
    NO("P1D "),
    NO("PT1H1H"),
    NO("P1DT2"),
    NO("P\xe0\xa7\xa8Y"),
    NO("P1D\0"),
};
FORMAT_TEST(durations, surety__format_duration)

static const struct format_case cases_ipv4[] = {
    YES("0.0.0.0"),
    YES("255.255.255.255"),
    YES("192.168.0.1"),
    NO("256.0.0.1"),
    NO("1.2.3"),
    NO("1.2.3.4.5"),
    NO("1.2.3."),
    NO(".1.2.3"),
    NO("1..2.3"),
    NO("01.2.3.4"),
    NO("1.2.3.00"),
    NO("1.2.3.4 "),
    NO(""),
    NO("0x7f.0.0.1"),
    NO("2130706433"),
    NO("1.2.3.4/8"),
    NO("1.2.3.1000"),
    NO("1.2.3.\xe0\xa7\xaa"),
    NO("1.2.3.4\0"),
    NO("-1.2.3.4"),
};
FORMAT_TEST(ipv4, surety__format_ipv4)

static const struct format_case cases_ipv6[] = {
    YES("::"),
    YES("::1"),
    YES("1::"),
    YES("1:2:3:4:5:6:7:8"),
    YES("1:2:3:4:5:6:7::"),
    YES("::2:3:4:5:6:7:8"),
    YES("1:2::7:8"),
    YES("::ffff:1.2.3.4"),
    YES("1:2:3:4:5:6:1.2.3.4"),
    YES("::1.2.3.4"),
    YES("ABCD:ef01::"),
    YES("1::3:4:5:6:1.2.3.4"),
    NO("1:2:3:4:5:6:7:8::"),
    NO("::1:2:3:4:5:6:7:8"),
    NO("1:2:3:4:5:6:7"),
    NO("1:2:3:4:5:6:7:8:9"),
    NO("1::2::3"),
    NO(":1:2:3:4:5:6:7"),
    NO(":::"),
    NO("1:"),
    NO(":"),
    NO(""),
    NO("12345::"),
    NO("g::"),
    NO("::1.2.3"),
    NO("::1.2.3.4.5"),
    NO("::1.2.3.256"),
    NO("1.2.3.4::"),
    NO("1.2.3.4"),
    NO("1:2:3:4:5:6:7:1.2.3.4"),
    NO("::01.2.3.4"),
    NO("fe80::1%eth0"),
    NO("[::1]"),
    NO("::1/64"),
    NO("::1 "),
    NO("1:2:3:4:5:6:7:"),
    NO("::\xe0\xa7\xaa"),
    NO("::1\0"),
    NO("::1:"),
};
FORMAT_TEST(ipv6, surety__format_ipv6)

#define FIFTY "12345678901234567890123456789012345678901234567890"
#define LABEL63 FIFTY "1234567890123"

static const struct format_case cases_hostnames[] = {
    YES("a"),
    YES("www.example.com"),
    YES("1host"),
    YES("a-b.c--d"),
    YES("1.2.3.4"),
    YES(LABEL63 ".com"),
    NO(LABEL63 "4.com"),
    YES(LABEL63 "." LABEL63 "." LABEL63 "." FIFTY "12345678901"),
    NO(LABEL63 "." LABEL63 "." LABEL63 "." FIFTY "123456789012"),
    NO(""),
    NO("."),
    NO("a."),
    NO(".a"),
    NO("a..b"),
    NO("-a"),
    NO("a-"),
    NO("a.-b"),
    NO("a-.b"),
    NO("a_b"),
    NO("a b"),
    NO("a\n"),
    NO("a\0"),
    NO("\xe2\x84\xaa"),
    NO("a\xef\xbc\x8e"
       "b"),
    YES("ab--cd.example"),
    YES("xn--X"),
};
FORMAT_TEST(hostnames, surety__format_hostname)

static const struct format_case cases_alabels[] = {
    YES("www.example.com"),
    YES("xn--mnchen-3ya.de"),
    YES("XN--MNCHEN-3YA.de"),
    YES("ab--cd.example"),
    NO("xn--X"),
    NO("xn--"),
    NO("xn--a"),
    NO("xn--7a"),
    NO("xn--example-"),
    NO("xn---9uc"),
    NO("xn--aa---o47jg78q"),
    NO("xn--0ca24w"),
    NO("m\xc3\xbcnchen.de"),
    NO(""),
    NO("a..b"),
    YES(LABEL63 "." LABEL63 "." LABEL63 "." FIFTY "12345678901"),
    NO(LABEL63 "." LABEL63 "." LABEL63 "." FIFTY "123456789012"),
    /* the Bidi rule binds all labels */
    YES("a.xn--4db"),
    NO("0a.xn--4db"),
    YES("0a.xn--mnchen-3ya"),
};
FORMAT_TEST(alabels, surety__format_hostname_alabel)

#define UE10                                                                   \
    "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc"         \
    "\xc3\xbc\xc3\xbc"

static const struct format_case cases_idn_hostnames[] = {
    YES("m\xc3\xbcnchen.de"),
    YES("xn--mnchen-3ya.de"),
    YES("a"),
    YES("A.b"),
    YES("a\xe3\x80\x82"
        "b"),
    YES("a\xef\xbd\xa1"
        "b"),
    NO("\xe3\x80\x82"
       "b"),
    NO("b\xe3\x80\x82"),
    NO("a\xe3\x80\x82.b"),
    NO(""),
    NO("."),
    NO("a."),
    NO("-\xc3\xbc"),
    NO("\xc3\xbc-"),
    NO("\xc3\xbc_a"),
    NO("\xc3\xbc a"),
    NO("\xc3\x9c"),
    NO("u\xcc\x88"),
    NO("ab--c"),
    NO("\xc3\xbc"
       "b--c"),
    YES("\xc3\xbc"
        "--c"),
    NO("xn--X"),
    NO("xn--7a"),
    NO("\xc2\xa1"),
    NO("a\0"),
    NO("\xc3\xbc\0"),
    NO("\xef\xbf\xbf"),
    NO("\xcd\xb8"),
    NO("\xf0\x9f\x90\xb2"),
    YES(LABEL63),
    NO(LABEL63 "4"),
    YES(UE10 UE10 UE10 UE10 UE10),
    NO(UE10 UE10 UE10 UE10 UE10 UE10 UE10),
    /* context rules (RFC 5892, appendix A) */
    YES("l\xc2\xb7l"),
    NO("a\xc2\xb7l"),
    YES("\xe0\xa4\x95\xe0\xa5\x8d"
        "\xe2\x80\x8d\xe0\xa4\xb7"),
    NO("\xe0\xa4\x95\xe2\x80\x8d\xe0\xa4\xb7"),
    YES("\xe3\x83\xbb\xe3\x81\x81"),
    NO("a\xe3\x83\xbb"
       "b"),
    /* the Bidi rule (RFC 5893, 2) */
    YES("\xd7\x90\xd7\x91"),
    YES("\xd7\x90"
        "1"),
    NO("1\xd7\x90"),
    NO("a\xd7\x90"),
    NO("\xd7\x90"
       "a"),
    YES("\xd7\x90-\xd7\x90"),
    NO("\xd7\x90"
       "1\xd9\xa0"),
    YES("\xd8\xa7\xd9\xa0"),
    NO("\xd9\xa0"),
    NO("1.\xd7\x90"),
    YES("a1.\xd7\x90"),
    NO("1\xc3\xbc.\xd7\x90"),
    YES("1\xc3\xbc.de"),
    YES("\xd7\x90\xd6\xb0"),
};
FORMAT_TEST(idn_hostnames, surety__format_idn_hostname)

static const struct format_case cases_emails[] = {
    YES("joe.bloggs@example.com"),
    YES("a@b"),
    YES("te~st!#$%&'*+-/=?^_`{|}@b"),
    YES("\"joe bloggs\"@b"),
    YES("\"a@b\"@c"),
    YES("\"a..b\"@c"),
    YES("\"a\\\"b\\\\\"@c"),
    YES("\"\"@c"),
    YES("a@[127.0.0.1]"),
    YES("a@[IPv6:::1]"),
    YES("a@[ipv6:1::]"),
    YES("a@[x-tag:data]"),
    YES("a@[127.000.000.001]"),
    NO(""),
    NO("@b"),
    NO("a@"),
    NO("a"),
    NO(".a@b"),
    NO("a.@b"),
    NO("a..b@c"),
    NO("a b@c"),
    NO("a@b@c"),
    NO("a@b c"),
    NO("a@-b"),
    NO("a@b-"),
    NO("a@b."),
    NO("a@b_c"),
    NO("\"a@b"),
    NO("\"a\"b@c"),
    NO("\"a\nb\"@c"),
    NO("\"a\\"),
    NO("a@[127.0.0.300]"),
    NO("a@[127.0.0.1"),
    NO("a@[IPv6:1]"),
    NO("a@[]"),
    NO("a@[:x]"),
    NO("a@[x:]"),
    NO("a@[x-:y]"),
    NO("a@[x:y\\]"),
    NO("a@b\0"),
    NO("a\0@b"),
    NO("\xc3\xbc@b"),
    NO("a@\xc3\xbc"),
    NO("<a@b>"),
    NO("a@b, c@d"),
    NO("\"\xc3\xbc\"@b"),
    YES(FIFTY "12345678901234@b"),
    NO(FIFTY "123456789012345@b"),
    YES("a@" LABEL63 "." LABEL63 "." LABEL63 "." LABEL63),
    NO("a@" LABEL63 "." LABEL63 "." LABEL63 "." LABEL63 ".b"),
};
FORMAT_TEST(emails, surety__format_email)

static const struct format_case cases_idn_emails[] = {
    YES("joe.bloggs@example.com"),
    YES("\xec\x8b\xa4@\xec\x8b\xa4.\xeb\xa1\x80"),
    YES("\"\xc3\xbc b\"@c"),
    YES("a@u\xcc\x88"),
    YES("u\xcc\x88@a"),
    YES("\xc2\x85@a"),
    YES("a@[IPv6:::1]"),
    YES("a@ab--cd"),
    YES("a@xn--X"),
    NO(""),
    NO("\xc3\xbc"),
    NO("\xc3\xbc@"),
    NO("@\xc3\xbc"),
    NO("a\xef\xbc\xa0"
       "b"),
    NO("a@\xc3\xbc_"),
    NO("a@-\xc3\xbc"),
    NO("a@b\xe3\x80\x82"
       "c"),
    NO("\xc3\xbc.@a"),
    NO("\xc3\xbc b@a"),
    NO("a@\xd7\x90"
       "a"),
    NO("a@[\xc3\xbc:a]"),
    YES(FIFTY "123456789012\xc3\xbc@b"),
    NO(FIFTY "1234567890123\xc3\xbc@b"),
};
FORMAT_TEST(idn_emails, surety__format_idn_email)

static const struct format_case cases_uris[] = {
    YES("http://foo.bar/?baz=qux#quux"),
    YES("urn:a:b"),
    YES("a:"),
    YES("mailto:a@b.c"),
    YES("http://"),
    YES("http://a:80/"),
    YES("http://a:"),
    YES("http://u:p@h:1/p;a=b/c?q/?#f/?"),
    YES("http://[::1]:80"),
    YES("http://[v1.fe:a]/"),
    YES("http://[V1F.a]"),
    YES("http://%41/%ff"),
    YES("http://999.999.999.999"),
    YES("x+1.-://-.~_!$&'()*+,;=:@h"),
    YES("file:/a"),
    YES("ldap://[2001:db8::7]/c=GB?objectClass?one"),
    NO(""),
    NO("a"),
    NO("/a"),
    NO("//a"),
    NO(":a"),
    NO("1a:b"),
    NO("a_b:c"),
    NO("a b:c"),
    NO("a:b c"),
    NO("a:%"),
    NO("a:%4"),
    NO("a:%4g"),
    NO("a:b\\c"),
    NO("a:\"b\""),
    NO("a:<b>"),
    NO("a:{b}"),
    NO("a:^"),
    NO("a:`"),
    NO("a:|"),
    NO("a:[b]"),
    NO("a:b?[c]"),
    NO("a:b#c#d"),
    NO("a:\xc3\xbc"),
    NO("a://h:8a"),
    NO("a://a@b@c"),
    NO("a://[::1"),
    NO("a://[::1]b"),
    NO("a://[1]"),
    NO("a://::1"),
    NO("a://[v.a]"),
    NO("a://[v1.]"),
    NO("a://[vg.a]"),
    NO("a://[v1]"),
    NO("a://[::1%25a]"),
    NO("a://[u@h"),
    NO("a:b\n"),
    NO("a:b\0"),
    NO("a:\x7f"),
    NO("http:/[::1]"),
    NO("a://h:1:2"),
};
FORMAT_TEST(uris, surety__format_uri)

static const struct format_case cases_uri_references[] = {
    YES(""),    YES("a"),    YES("/a"),    YES("//a"),   YES("//"),
    YES("?a"),  YES("#a"),   YES("./a:b"), YES("a/b:c"), YES("../a?b#c"),
    YES("a:b"), YES("a//b"), YES("@"),     NO("1:b"),    NO(":"),
    NO("a b"),  NO("a\\b"),  NO("#a#b"),   NO("%zz"),    NO("\xc3\xbc"),
    NO("[a]"),  NO("//[a]"),
};
FORMAT_TEST(uri_references, surety__format_uri_reference)

static const struct format_case cases_iris[] = {
    YES("http://\xc6\x92\xc3\xb8\xc3\xb8.\xc3\x9f/?\xe2\x88\x82#\xcf\x80"),
    YES("urn:a"),
    YES("a:\xc3\xbc"),
    YES("a:\xf0\x90\x8c\x80"),
    YES("a:?\xee\x80\x80"),
    YES("a:?\xf3\xb0\x80\x80"),
    NO("a:\xee\x80\x80"),
    NO("a:#\xee\x80\x80"),
    NO("a:\xef\xbf\xbf"),
    NO("a:\xef\xb7\x90"),
    NO("a:\xc2\x80"),
    NO("a:\xe2\x80\x8f"),
    NO("a:\xf0\x9f\xbf\xbf"),
    NO("a:\xf3\xa0\x80\x81"),
    NO("\xc3\xbc:a"),
    NO("\xc3\xbc"),
    NO("/\xc3\xbc"),
    NO("a:\xc3\xbc b"),
    NO("a://[\xc3\xbc]"),
    NO("a://h:\xd9\xa1"),
};
FORMAT_TEST(iris, surety__format_iri)

static const struct format_case cases_iri_references[] = {
    YES("\xc3\xbc"),  YES("//\xc3\xbc?\xc3\xbc#\xc3\xbc"),
    YES(""),          NO("/\xe2\x80\x8e"),
    NO("\xc3\xbc\\"), NO("#\xc3\xbc\\"),
    NO("\xc3\xbc:a"),
};
FORMAT_TEST(iri_references, surety__format_iri_reference)

static const struct format_case cases_templates[] = {
    YES(""),
    YES("a"),
    YES("{a}"),
    YES("http://a/{b:1}/{c}{?d,e*}{#f}"),
    YES("{+a}{.a}{/a}{;a}{&a}"),
    YES("{a.b}"),
    YES("{%41b}"),
    YES("{_1}"),
    YES("{a:9999}"),
    YES("a%41'[]#?"),
    YES("\xc3\xbc"),
    YES("\xee\x80\x80"),
    NO("{}"),
    NO("{a"),
    NO("a}"),
    NO("{a}}"),
    NO("{{a}}"),
    NO("{a,}"),
    NO("{,,a}"),
    NO("{a..b}"),
    NO("{.}"),
    NO("{a.}"),
    NO("{+.a}"),
    NO("{a:0}"),
    NO("{a:01}"),
    NO("{a:10000}"),
    NO("{a:}"),
    NO("{a**}"),
    NO("{a:1*}"),
    NO("{a b}"),
    NO("{\xc3\xbc}"),
    NO("{%4}"),
    NO("a b"),
    NO("%4"),
    NO("\""),
    NO("<"),
    NO("\\"),
    NO("^"),
    NO("`"),
    NO("|"),
    NO("\x7f"),
    NO("a\0"),
    NO("{a\0}"),
    NO("{a-b}"),
    NO("\xef\xbf\xbf"),
};
FORMAT_TEST(templates, surety__format_uri_template)

static const struct format_case cases_uuids[] = {
    YES("2eb8aa08-AA98-11ea-b4aa-73b441d16380"),
    YES("00000000-0000-0000-0000-000000000000"),
    NO("2eb8aa08-aa98-11ea-b4aa-73b441d1638"),
    NO("2eb8aa08-aa98-11ea-b4aa-73b441d163800"),
    NO("2eb8aa08-aa98-11ea-b4ga-73b441d16380"),
    NO("2eb8aa08aa98-11ea-b4aa-73b441d16380-"),
    NO("{2eb8aa08-aa98-11ea-b4aa-73b441d163}"),
    NO(""),
};
FORMAT_TEST(uuids, surety__format_uuid)

static const struct format_case cases_pointers[] = {
    YES(""), YES("/"),  YES("//"), YES("/a~0~1"), YES("/\0"), YES("/\xc3\xbc"),
    NO("a"), NO("#/a"), NO("/~"),  NO("/~2"),     NO("/~~0"), NO("0"),
};
FORMAT_TEST(pointers, surety__format_json_pointer)

static const struct format_case cases_relative[] = {
    YES("0"),  YES("1/a"),     YES("0#"), YES("120//"), NO(""),     NO("/a"),
    NO("01"),  NO("-1"),       NO("+1"),  NO("0##"),    NO("1#/a"), NO("0a"),
    NO("0/~"), NO("\xd9\xa1"), NO("0+1"), NO("1\n"),
};
FORMAT_TEST(relative, surety__format_relative_pointer)

static const struct format_case cases_moved[] = {
    YES("0"),   YES("0+1"), YES("0-1/a"), YES("2+0#"), NO("0+"),
    NO("0+01"), NO("0+-1"), NO("+1"),     NO("0+1a"),  NO("0+1+1"),
};
FORMAT_TEST(moved, surety__format_relative_pointer_moved)

static const struct format_case cases_regexes[] = {
    YES(""),
    YES("^a$"),
    YES("(?<=a+)b"),
    YES("[]"),
    YES("[^]"),
    YES("\\cA"),
    YES("(?<n>a)\\k<n>"),
    YES("a{99999999999}"),
    YES("(?<\\ud7ff>a)"),
    NO("(?<\\ud800>a)"),
    NO("(?<\\udfff>a)"),
    YES("(?<\\ue000>a)"),
    YES("(?<\\u{10ffff}>a)"),
    NO("(?<\\u{110000}>a)"),
    NO("(a)\\10"),
    YES("(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\\10"),
    NO("(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\\11"),
    NO("("),
    NO("\\a"),
    NO("(?P<n>a)"),
    NO("(?i)a"),
    NO("a**"),
    NO("[b-a]"),
    NO("\\Z"),
};
FORMAT_TEST(regexes, surety__format_regex)

static const struct format_case cases_base64[] = {
    YES("AZaz"),
    YES("09+/"),
    YES("AA=="),
    YES("AAA="),
    NO("A@AA"),
    NO("A[AA"),
    NO("A`AA"),
    NO("A{AA"),
    NO("A.AA"),
    NO("A:AA"),
    NO("A-AA"),
    NO("A_AA"),
    NO("A,AA"),
    NO("A*AA"),
    NO("A==="),
    NO("===="),
    NO("A=AA"),
    NO("AA=A"),
    NO("AAA"),
    NO("AAAAA"),
    YES(""),
    YES("eyJh"),
    YES("eyI="),
    YES("ey=="),
    YES("+/+/"),
    NO("e"),
    NO("ey"),
    NO("eyJ"),
    NO("e==="),
    NO("===="),
    NO("ey=a"),
    NO("eyJ_"),
    NO("eyJ-"),
    NO("ey J"),
    NO("eyJh\n"),
    NO("eyJ\0"),
    NO("e\xc3\xbc"
       "a"),
    NO("=eyJ"),
};
FORMAT_TEST(base64, surety__content_base64)

/* The drafts that know each name, from the oldest. */
TEST(knows_the_names_of_each_draft)
{
    static const struct {
        const char *name;
        unsigned first; /* SURETY_DIALECT_... */
    } names[] = {
        {"date-time", SURETY_DIALECT_4},
        {"email", SURETY_DIALECT_4},
        {"hostname", SURETY_DIALECT_4},
        {"ipv4", SURETY_DIALECT_4},
        {"ipv6", SURETY_DIALECT_4},
        {"uri", SURETY_DIALECT_4},
        {"uri-reference", SURETY_DIALECT_6},
        {"uri-template", SURETY_DIALECT_6},
        {"json-pointer", SURETY_DIALECT_6},
        {"date", SURETY_DIALECT_7},
        {"time", SURETY_DIALECT_7},
        {"idn-email", SURETY_DIALECT_7},
        {"idn-hostname", SURETY_DIALECT_7},
        {"iri", SURETY_DIALECT_7},
        {"iri-reference", SURETY_DIALECT_7},
        {"relative-json-pointer", SURETY_DIALECT_7},
        {"regex", SURETY_DIALECT_7},
        {"duration", SURETY_DIALECT_2019_09},
        {"uuid", SURETY_DIALECT_2019_09},
        {"unknown", SURETY_DIALECT_V1 + 1},
        {"color", SURETY_DIALECT_V1 + 1},
        {"", SURETY_DIALECT_V1 + 1},
        {"Date", SURETY_DIALECT_V1 + 1},
        {"dat", SURETY_DIALECT_V1 + 1},
    };

    for (size_t i = 0; i < CHECK_COUNT(names); i++)
        for (unsigned draft = SURETY_DIALECT_4; draft <= SURETY_DIALECT_V1;
             draft++)
            CHECK((surety__format_find(surety_str_of(names[i].name),
                                       1u << draft) != NULL) ==
                  (names[i].first <= SURETY_DIALECT_V1));
    /* What a draft does not list has the rules of the newest that does. */
    CHECK(surety__format_find(SURETY__LITERAL("relative-json-pointer"),
                              1u << SURETY_DIALECT_4) ==
          surety__format_relative_pointer_moved);
    CHECK(surety__format_find(SURETY__LITERAL("hostname"),
                              1u << SURETY_DIALECT_6) ==
          surety__format_hostname);
    CHECK(surety__format_find(SURETY__LITERAL("hostname"),
                              1u << SURETY_DIALECT_7) ==
          surety__format_hostname_alabel);
    CHECK(surety__format_find(SURETY__LITERAL("relative-json-pointer"),
                              1u << SURETY_DIALECT_2019_09) ==
          surety__format_relative_pointer);
    CHECK(surety__format_find(SURETY__LITERAL("relative-json-pointer"),
                              1u << SURETY_DIALECT_2020_12) ==
          surety__format_relative_pointer_moved);
done:;
}

/* A long run of anything is answered at once: no format is worse than
 * linear. */
TEST(stays_linear)
{
    static const char *const pieces[] = {
        "1",    "a",    "a.",  "P1Y",   "0",      ":",  "[",    "{",
        "{a",   "/~0",  "%41", "(",     "\"\\",   "a@", "xn--", "\xc3\xbc",
        "(?<a", "\\p{", "[a-", "\\u{1", "(?<a>)", "<",  "a{1}", "\xef\xbd\xa1",
    };
    static const char *const names[] = {
        "date-time", "duration",      "email",        "idn-email",
        "hostname",  "idn-hostname",  "ipv4",         "ipv6",
        "uri",       "uri-reference", "iri",          "iri-reference",
        "uuid",      "uri-template",  "json-pointer", "relative-json-pointer",
        "regex",
    };
    surety_buf buf;

    surety_buf_init(&buf, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(pieces); i++) {
        surety_buf_reset(&buf);
        while (!buf.status && buf.len < 1u << 18)
            surety_buf_text(&buf, pieces[i]);
        TRY(buf.status);
        for (size_t k = 0; k < CHECK_COUNT(names); k++)
            (void)surety__format_find(surety_str_of(names[k]),
                                      1u << SURETY_DIALECT_V1)(
                surety_buf_str(&buf));
    }
done:
    surety_buf_done(&buf);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"date", dates},
        {"time", times},
        {"date-time", date_times},
        {"duration", durations},
        {"ipv4", ipv4},
        {"ipv6", ipv6},
        {"hostname", hostnames},
        {"hostname with A-labels", alabels},
        {"idn-hostname", idn_hostnames},
        {"email", emails},
        {"idn-email", idn_emails},
        {"uri", uris},
        {"uri-reference", uri_references},
        {"iri", iris},
        {"iri-reference", iri_references},
        {"uri-template", templates},
        {"uuid", uuids},
        {"json-pointer", pointers},
        {"relative-json-pointer", relative},
        {"relative-json-pointer with a moved index", moved},
        {"regex", regexes},
        {"base64", base64},
        {"knows the names of each draft", knows_the_names_of_each_draft},
        {"stays linear", stays_linear},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
