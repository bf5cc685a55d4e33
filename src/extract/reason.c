/* SPDX-License-Identifier: Apache-2.0 */
/* Tags of reasoning sections. A kind is an opening and a closing text, letters
 * compared without case. An opening that starts with "<" and a letter is a tag
 * and may carry attributes before its ">". A section ends at the first closing
 * tag of its kind: sections of one kind do not nest, for a model that writes
 * about the tag would otherwise hide its answer.
 *
 * Which tags count (only those at the start of a line, never in a fenced
 * block) is decided in block.c. */
#include "extract/finder.h"

/* Attributes of an opening tag: bytes up to its ">". */
#define REASON_TAG_MAX 256

#define REASON_ROW(open, close)                                                \
    {                                                                          \
        {open, sizeof(open) - 1},                                              \
        {                                                                      \
            close, sizeof(close) - 1                                           \
        }                                                                      \
    }

static const struct reason_kind {
    surety_str open, close;
} reason_kinds[] = {
    REASON_ROW("<think", "</think>"),
    REASON_ROW("<thinking", "</thinking>"),
    REASON_ROW("<reasoning", "</reasoning>"),
    REASON_ROW("<reflection", "</reflection>"),
    REASON_ROW("<scratchpad", "</scratchpad>"),
    REASON_ROW("<analysis", "</analysis>"),
    REASON_ROW("[think]", "[/think]"),
    REASON_ROW("<|start|>assistant<|channel|>analysis", "<|end|>"),
    REASON_ROW("<|channel|>analysis", "<|end|>"),
};

#define REASON_KINDS (sizeof(reason_kinds) / sizeof(reason_kinds[0]))

/* Whether what is at `at`; *ret_cut: not yet, but more bytes may make it so. */
static bool reason_has(surety_str text, size_t at, surety_str what,
                       bool *ret_cut)
{
    const surety_str rest = {
        text.ptr + at, text.len - at < what.len ? text.len - at : what.len};

    if (!surety__str_equal_nocase(rest, (surety_str){what.ptr, rest.len}))
        return false;
    *ret_cut = *ret_cut || rest.len < what.len;
    return rest.len == what.len;
}

size_t surety__reason_opens(surety_str text, size_t at, unsigned *ret_kind,
                            bool *ret_cut)
{
    *ret_cut = false;
    /* Most marks are no tag: the byte behind one shows it. */
    if ((text.ptr[at] != '<' && text.ptr[at] != '[') ||
        (at + 1 < text.len && !memchr("|TtRrSsAa", text.ptr[at + 1], 9)))
        return 0;
    for (unsigned kind = 0; kind < REASON_KINDS; kind++) {
        const surety_str open = reason_kinds[kind].open;
        size_t end = at + open.len;
        size_t stop;

        if (!reason_has(text, at, open, ret_cut))
            continue;
        *ret_kind = kind;
        if (open.ptr[0] != '<' || open.ptr[1] == '|')
            return open.len;
        if (end < text.len && text.ptr[end] == '>')
            return open.len + 1;
        if (end < text.len && !surety__is_blank(text.ptr[end]))
            continue;
        stop =
            text.len - end > REASON_TAG_MAX ? end + REASON_TAG_MAX : text.len;
        while (end < stop && !memchr("<>\r\n", text.ptr[end], 4))
            end++;
        *ret_cut = *ret_cut || end == text.len;
        if (end < stop && text.ptr[end] == '>')
            return end + 1 - at;
    }
    return 0;
}

size_t surety__reason_closes(surety_str text, size_t at, unsigned *ret_kind,
                             bool *ret_cut)
{
    *ret_cut = false;
    if (at + 1 < text.len && text.ptr[at + 1] != '/')
        return 0;
    for (unsigned kind = 0; kind < REASON_KINDS; kind++) {
        const surety_str close = reason_kinds[kind].close;

        if (!reason_has(text, at, close, ret_cut))
            continue;
        *ret_kind = kind;
        return close.len;
    }
    return 0;
}

size_t surety__reason_end(surety_str text, size_t from, unsigned kind)
{
    const surety_str close = reason_kinds[kind].close;
    bool cut = false;

    while (from < text.len) {
        const char *hit =
            memchr(text.ptr + from, close.ptr[0], text.len - from);

        if (!hit)
            break;
        from = (size_t)(hit - text.ptr);
        if (reason_has(text, from, close, &cut))
            return from + close.len;
        from++;
    }
    return SURETY__NOWHERE;
}
