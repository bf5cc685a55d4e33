/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile texts for the readers of forms: pieces of each form, repeated to 1
 * MiB. What the readers ask for (names of members and tools, in bytes), what
 * they write and the memory they hold are counted, and bounded by multiples of
 * the text; a part that does not count and is not linear would not come to an
 * end here. */
#include "check.h"
#include "form/inside.h"
#include "meter.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_LEN ((size_t)1 << 20)
#define ASKED_MAX (4 * TEXT_LEN)
#define WRITTEN_MAX (16 * TEXT_LEN)
#define MEMORY_MAX (128 * TEXT_LEN)

static const char *const pieces[] = {
    "a: b\n",
    "a:\n",
    "- a: b\n",
    " a: b\n",
    "**a:** b\n",
    "\na: b\nb: c\n",
    "a: &b c\n",
    "a: [",
    "a: {",
    "- ",
    "- - ",
    "a,b\n",
    "a;b\n1;2\n",
    "\"a\",\"b\n",
    "a\tb\n",
    "\na,b\n1,2\n\n",
    "| a | b |\n",
    "| a | b |\n|---|---|\n",
    "\n| a | b |\n|---|---|\n| 1 | 2 |\n\n",
    "|",
    "<a>",
    "<a>1</a>",
    "<a><b>1</b>",
    "</a>",
    "<a b=\"",
    "<a b=\"1\"/>",
    "<![CDATA[",
    "&amp;",
    "<a>&amp;</a>",
    "<tool_call>",
    "<tool_call>a<arg_key>b</arg_key><arg_value>c</arg_value>",
    "<tool_call>{\"name\":\"a\",\"arguments\":{",
    "<function=a><parameter=b>c",
    "<function=a><parameter=b>c</parameter></function>",
    "<invoke name=\"a\"><parameter name=\"b\">c",
    "[TOOL_CALLS]",
    "[a(b=1), ",
    "<|channel|>commentary to=functions.a <|message|>{",
    "{\"name\":\"a\",",
    "Action: a\nAction Input: {\n",
    "```yaml\na: b\n```\n",
    "\n",
};

/* What was asked, in bytes. */
struct asked {
    bool known;
    size_t bytes;
};

static bool asked_name(void *ctx, surety_str name, surety_str *ret_name)
{
    struct asked *asked = ctx;

    asked->bytes += name.len + 1;
    *ret_name = name;
    return asked->known;
}

static bool asked_tool(void *ctx, surety_str name)
{
    struct asked *asked = ctx;

    asked->bytes += name.len + 1;
    return asked->known;
}

TEST(hostile_texts)
{
    struct meter meter = {0, 0};
    const surety_alloc alloc = {meter_resize, &meter};
    char *text = malloc(TEXT_LEN);
    surety__forms *forms = NULL;

    CHECK(text);
    for (size_t i = 0; i < 4 * CHECK_COUNT(pieces); i++) {
        const char *piece = pieces[i / 4];
        const size_t len = strlen(piece);
        struct asked asked = {.known = i & 1};
        const surety__form_task task = {
            .text = {text, TEXT_LEN},
            .info = {"yaml", i & 2 ? 4 : 0},
            .block = i & 2,
            .forms = (1u << SURETY_FORMS) - 1,
            .name = asked_name,
            .is_tool = asked_tool,
            .ctx = &asked,
        };
        bool within;

        for (size_t at = 0; at < TEXT_LEN; at++)
            text[at] = piece[at % len];
        meter.peak = meter.now;
        forms = surety__forms_new(&alloc, NULL);
        NEED(forms);
        TRY(surety__forms_read(forms, &task));
        within = asked.bytes <= ASKED_MAX && forms->out.len <= WRITTEN_MAX &&
                 meter.peak <= MEMORY_MAX;
        if (!within)
            printf("# %s: %zu bytes asked, %zu written, %zu held\n", piece,
                   asked.bytes, forms->out.len, meter.peak);
        CHECK(within);
        CHECK(surety__forms_count(forms) <= FORM_READINGS_MAX);
        surety__forms_free(forms);
        forms = NULL;
    }
done:
    surety__forms_free(forms);
    free(text);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"hostile texts", hostile_texts},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
