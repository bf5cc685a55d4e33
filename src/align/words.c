/* SPDX-License-Identifier: Apache-2.0 */
/* Finds enum values as models write them: in another case, in quotes, with
 * other separators, with an explanation.
 *
 * A text means a choice if the two are close (letters.h) and no other choice
 * is as close. If the text has more words, exactly one choice may occur in it,
 * as whole words. If it negates, doubts or asks, it means none. */
#include "align/inside.h"

/* A choice that occurs in a text as whole words. */
struct word_hit {
    const surety__entry *choice;
    size_t start, end;
};

/* The most words of a choice inside a text. */
enum { WORDS_MAX = 24 };

/* The most bytes of an explanation after a choice. */
enum { EXPLAINED_MAX = 4096 };

/* ---- words --------------------------------------------------------------- */

static uint32_t word_before(surety_str text, size_t at)
{
    size_t start = at;
    unsigned len;

    if (!at)
        return ' ';
    do
        start--;
    while (start && ((unsigned char)text.ptr[start] & 0xC0) == 0x80);
    return surety__utf8_decode(text.ptr + start, text.ptr + text.len, &len);
}

static uint32_t word_at(surety_str text, size_t at, unsigned *ret_len)
{
    *ret_len = 1;
    return at < text.len ? surety__utf8_decode(text.ptr + at,
                                               text.ptr + text.len, ret_len)
                         : ' ';
}

/* Whether a character between two letters does not separate words. */
static bool word_is_joint(uint32_t code)
{
    return code == '-' || code == '\'' || code == 0x2019 || code == '/';
}

/* Whether `at` is not inside a word. An apostrophe or hyphen between letters
 * does not separate words. */
static bool word_edge(surety_str text, size_t at)
{
    unsigned len;
    uint32_t before = word_before(text, at);
    uint32_t after = word_at(text, at, &len);

    if (surety__is_word(before) && surety__is_word(after))
        return false;
    if (word_is_joint(after))
        return !surety__is_word(before) || at + len >= text.len ||
               !surety__is_word(word_at(text, at + len, &len));
    return !word_is_joint(before) || !surety__is_word(after) ||
           !surety__is_word(word_before(text, at - (before == 0x2019 ? 3 : 1)));
}

/* The longest choice that begins at start, which is the beginning of a word. */
static bool word_hit_at(const surety__goal *goal, surety_str text, size_t start,
                        struct word_hit *ret_hit)
{
    surety_str rest = {text.ptr + start, text.len - start};
    surety__folding letters = surety__letters_of(rest, CLOSE_ACCENT);
    uint32_t hash = 0, letter, words = 0;
    bool found = false;

    while (words < WORDS_MAX &&
           (letter = surety__letters_next(&letters)) != LETTER_END) {
        size_t end = (size_t)(letters.at - text.ptr);
        surety__lookup lookup;
        const surety__entry *choice;

        hash = surety__letter_hash(hash, letter);
        if (end - start > 3 * goal->choices.longest + 8)
            break;
        if (letters.pending || !word_edge(text, end))
            continue;
        words++;
        lookup.text = lookup.bare = (surety_str){rest.ptr, end - start};
        lookup.least = CLOSE_SAME;
        lookup.letters = hash;
        choice = surety__lexicon_closest(&goal->choices, &lookup);
        if (!choice || lookup.ambiguous)
            continue;
        *ret_hit = (struct word_hit){choice, start, end};
        found = true;
    }
    return found;
}

/* Finds the first choice in text from *at, and moves *at behind it. */
static bool word_hit_next(surety__aligner *aligner, const surety__goal *goal,
                          surety_str text, size_t *at, struct word_hit *ret_hit)
{
    unsigned len;

    for (; *at < text.len; *at += len) {
        uint32_t code = word_at(text, *at, &len);

        if (!surety__is_word(code) || !word_edge(text, *at))
            continue;
        if (!surety__aligner_charge(aligner, 1 + goal->choices.longest / 4))
            return false;
        if (word_hit_at(goal, text, *at, ret_hit)) {
            *at = ret_hit->end;
            return true;
        }
    }
    return false;
}

/* ---- negation and doubt -------------------------------------------------- */

static bool word_is_doubt(surety_str word)
{
    static const char *const words[] = {
        "not",     "no",       "never",     "neither", "nor",     "cannot",
        "without", "except",   "maybe",     "perhaps", "either",  "possibly",
        "unsure",  "unless",   "nicht",     "kein",    "keine",   "weder",
        "pas",     "non",      "ni",        "jamais",  "nunca",   "aucun",
        "rather",  "isn't",    "wasn't",    "don't",   "doesn't", "didn't",
        "can't",   "couldn't", "won't",     "aren't",  "weren't", "hasn't",
        "haven't", "hadn't",   "shouldn't", "wouldn't"};
    char plain[16];
    size_t len = 0;

    if (word.len > sizeof(plain))
        return false;
    for (size_t i = 0; i < word.len; i++) {
        if (i + 2 < word.len && !memcmp(word.ptr + i, "\xE2\x80\x99", 3)) {
            plain[len++] = '\'';
            i += 2;
        } else {
            plain[len++] = word.ptr[i];
        }
    }
    return surety__str_among_nocase((surety_str){plain, len}, words,
                                    SURETY__COUNT(words));
}

/* Whether text, without the part from start to end, negates, doubts or asks. */
static bool text_doubts(surety_str text, size_t start, size_t end)
{
    size_t at = 0, from = 0;
    bool inside = false;
    unsigned len;

    for (; at <= text.len; at += len) {
        uint32_t code = word_at(text, at, &len);
        bool word = at < text.len &&
                    (surety__is_word(code) || code == '\'' || code == 0x2019);

        if (at >= start && at < end)
            word = false;
        else if (code == '?')
            return true;
        if (word && !inside)
            from = at;
        if (!word && inside &&
            word_is_doubt((surety_str){text.ptr + from, at - from}))
            return true;
        inside = word;
    }
    return false;
}

/* Whether no other choice than hit's occurs in text, and nothing negates it. */
static bool hit_is_meant(surety__aligner *aligner, const surety__goal *goal,
                         surety_str text, const struct word_hit *hit)
{
    struct word_hit other;
    size_t at = 0;

    if (text_doubts(text, hit->start, hit->end))
        return false;
    while (word_hit_next(aligner, goal, text, &at, &other))
        if (other.choice != hit->choice)
            return false;
    return !aligner->status;
}

/* Whether the text at `at` separates a choice from the rest: punctuation, or a
 * dash after a blank. */
static bool text_parts(surety_str text, size_t at)
{
    static const char marks[] = "\n,;:.!([=|)*\"'`";
    bool blank = false;
    unsigned len;

    while (at < text.len) {
        uint32_t code = word_at(text, at, &len);

        if (code == '-')
            return blank;
        if ((code < 0x80 && memchr(marks, (int)code, sizeof(marks) - 1)) ||
            (code >= 0x2012 && code <= 0x2015))
            return true;
        if (surety__is_word(code))
            return false;
        blank = code == ' ';
        at += len;
    }
    return true;
}

/* ---- the meaning of a text ----------------------------------------------- */

/* The edit that leads from text, or from text without punctuation around it
 * (bare), to the choice. */
static surety__edit_id choice_edit(const surety__entry *choice, surety_str text,
                                   surety_str bare)
{
    enum surety__closeness close = surety__text_closeness(text, choice->text);

    if (close <= CLOSE_CASE)
        return EDIT_ENUM_CASE;
    close = surety__text_closeness(bare, choice->text);
    if (close > CLOSE_CASE)
        close = surety__text_closeness(bare, surety__text_bare(choice->text));
    if (close <= CLOSE_CASE)
        return EDIT_ENUM_PUNCTUATION;
    return close == CLOSE_SEPARATOR ? EDIT_ENUM_SEPARATOR : EDIT_ENUM_ACCENT;
}

/* The choice that comes first in text and is separated from the rest, or that
 * comes after a label ("Priority: high"). */
static const surety__entry *choice_explained(surety__aligner *aligner,
                                             const surety__goal *goal,
                                             surety_str text)
{
    surety_str bare = surety__text_bare(text);
    size_t offset = (size_t)(bare.ptr - text.ptr);
    struct word_hit hit;
    size_t at = offset;
    bool first;

    if (!bare.len || !word_hit_next(aligner, goal, text, &at, &hit))
        return NULL;
    first = hit.start == offset && text_parts(text, hit.end);
    if (!first) {
        size_t colon = hit.start;
        unsigned len;

        if (surety__text_bare(
                (surety_str){text.ptr + hit.end, text.len - hit.end})
                .len)
            return NULL;
        while (colon > offset && !surety__is_word(word_before(text, colon)) &&
               text.ptr[colon - 1] != ':' && text.ptr[colon - 1] != '=')
            colon--;
        if (colon <= offset || surety__is_word(word_at(text, colon - 1, &len)))
            return NULL;
    }
    return hit_is_meant(aligner, goal, text, &hit) ? hit.choice : NULL;
}

const surety__entry *surety__choice_meant(surety__aligner *aligner,
                                          const surety__goal *goal,
                                          surety_str text,
                                          surety__edit_id *ret_edit)
{
    const surety_str bare = surety__text_bare(text);
    surety__lookup lookup = {.text = text, .bare = text};
    const surety__entry *choice;

    if (!goal->choices.count ||
        !surety__aligner_charge(aligner, 1 + text.len / 64))
        return NULL;
    if (!bare.len || bare.len > 4 * goal->choices.longest + EXPLAINED_MAX)
        return NULL;
    lookup.letters = surety__text_hash(bare);
    choice = surety__lexicon_closest(&goal->choices, &lookup);
    if (!choice || lookup.close > CLOSE_CASE) {
        lookup.text = lookup.bare = bare;
        choice = surety__lexicon_closest(&goal->choices, &lookup);
    }
    if (choice) {
        *ret_edit = choice_edit(choice, text, bare);
        return lookup.ambiguous ? NULL : choice;
    }
    *ret_edit = EDIT_ENUM_IN_TEXT;
    return choice_explained(aligner, goal, text);
}

const surety__entry *surety__choice_within(surety__aligner *aligner,
                                           const surety__goal *goal,
                                           surety_str text)
{
    struct word_hit hit;
    size_t at = 0;

    return goal->choices.count &&
                   word_hit_next(aligner, goal, text, &at, &hit) &&
                   hit_is_meant(aligner, goal, text, &hit)
               ? hit.choice
               : NULL;
}

/* ---- booleans and null --------------------------------------------------- */

/* 1, 0: the word means true or false; -1: neither. */
static int word_boolean(surety_str word)
{
    static const char *const yes[] = {"true", "yes"};
    static const char *const no[] = {"false", "no"};

    return surety__str_among_nocase(word, yes, SURETY__COUNT(yes)) ? 1
           : surety__str_among_nocase(word, no, SURETY__COUNT(no)) ? 0
                                                                   : -1;
}

/* Finds the next word of text from *at, and moves *at behind it; false: there
 * is none. Bytes beyond ASCII count as code points. */
static bool word_next(surety_str text, size_t *at, surety_str *ret_word)
{
    size_t start = *at;

    while (start < text.len && !surety__is_word((unsigned char)text.ptr[start]))
        start++;
    *at = start;
    while (*at < text.len && surety__is_word((unsigned char)text.ptr[*at]))
        ++*at;
    *ret_word = (surety_str){text.ptr + start, *at - start};
    return *at > start;
}

int surety__boolean_of_text(surety_str text)
{
    surety_str bare = surety__text_bare(text), word;
    size_t end = 0;
    int value = word_boolean(bare);

    if (value >= 0 || text.len > 4096 || !bare.len)
        return value >= 0 && !memchr(text.ptr, '?', text.len) ? value : -1;
    /* "Yes, because ...": the first word is separated, and no other word
     * contradicts it. */
    while (end < bare.len && surety__is_letter(bare.ptr[end]))
        end++;
    value = word_boolean((surety_str){bare.ptr, end});
    if (value < 0 || !text_parts(bare, end) || text_doubts(bare, 0, end))
        return -1;
    while (word_next(bare, &end, &word))
        if (word_boolean(word) == !value)
            return -1;
    return value;
}

/* Whether a "yes" or "no" that ends at `end` is an answer: only punctuation
 * follows. ("no answer" is not "no".) */
static bool boolean_is_answer(surety_str text, size_t end)
{
    unsigned len;

    while (end < text.len && text.ptr[end] == '*')
        end++;
    return end >= text.len || !(surety__is_word(word_at(text, end, &len)) ||
                                text.ptr[end] == ' ' || text.ptr[end] == '-');
}

int surety__boolean_within(surety__aligner *aligner, surety_str text)
{
    size_t at = 0, start = 0, end = 0;
    int value = -1, other = -1;
    surety_str word;

    if (!surety__aligner_charge(aligner, text.len / 8))
        return -1;
    while (word_next(text, &at, &word)) {
        const int here = word_boolean(word);

        if (here >= 0 && other == !here)
            return -1;
        other = here >= 0 ? here : other;
        if (here >= 0 && (word.len > 3 || boolean_is_answer(text, at))) {
            value = here;
            start = at - word.len;
            end = at;
        }
    }
    return value >= 0 && !text_doubts(text, start, end) ? value : -1;
}

bool surety__text_is_null(surety_str text)
{
    static const char *const words[] = {
        "null", "none",      "nil",           "n/a",
        "na",   "undefined", "not available", "not applicable"};
    surety_str bare = surety__text_trim(text);

    if (!bare.len)
        return true;
    if (bare.len > 32)
        return false;
    return surety__str_among_nocase(surety__text_bare(bare), words,
                                    SURETY__COUNT(words));
}
