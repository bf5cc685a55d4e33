/* SPDX-License-Identifier: Apache-2.0 */
/* YAML, by libyaml: a block that says so, or lines that look like it. Its
 * events are written as JSON.
 *
 * 1. Plain scalars are what the core schema of YAML 1.2 (section 10.3) makes of
 *    them: null, true, false, and numbers as JSON writes them. All others,
 *    `yes` and `0x1F` among them, are texts, of which the contract may want
 *    something else.
 * 2. One document, whose keys are texts and differ. A merge key, a tag other
 *    than !!str, and an anchor inside of what it names make it no value.
 * 3. An alias is a copy of what its anchor names. All copies of a document have
 *    COPIED_MAX bytes, so that a few lines cannot become many.
 * 4. Lines that do not say what they are must be set off, have keys that the
 *    contract knows, and need YAML: a list, an indented line or a flow. They
 *    have no comment, anchor, alias or tag. */
#include "form/inside.h"

#ifdef SURETY_WITH_YAML
#include <yaml.h>

enum {
    YAML_DEPTH_MAX = 64,
    YAML_ANCHORS_MAX = 64,
    YAML_COPIED_MAX = 65536, /* bytes of JSON from aliases */
    YAML_BYTES_MAX = 1 << 20 /* of a text */
};

/* A value with a name: bytes of what was written. */
typedef struct yaml_anchor {
    surety_str name;
    size_t at, end; /* end 0: it is not complete */
} yaml_anchor;

/* A mapping or sequence that is open. */
typedef struct yaml_level {
    bool mapping;
    bool value;    /* a key was read, and its value is next */
    size_t anchor; /* of it, plus 1 */
} yaml_level;

typedef struct yaml_state {
    surety__forms *forms;
    form_span span; /* of the text that is read */
    bool bare;      /* it does not say that it is YAML */
    yaml_level levels[YAML_DEPTH_MAX];
    size_t depth;
    yaml_anchor anchors[YAML_ANCHORS_MAX];
    size_t anchor_count, copied;
    /* libyaml counts characters: so many of them are `byte` bytes. */
    size_t chars, byte;
    bool done; /* a value was read */
} yaml_state;

/* The text's byte at a character of the span. */
static size_t yaml_at(yaml_state *state, size_t chars)
{
    const char *const text = state->forms->text.ptr;

    while (state->chars < chars && state->byte < state->span.end) {
        state->byte++;
        while (state->byte < state->span.end &&
               ((unsigned char)text[state->byte] & 0xC0) == 0x80)
            state->byte++;
        state->chars++;
    }
    return state->byte;
}

/* What is next in the open container begins: true where it is a key. */
static bool yaml_turn(yaml_state *state)
{
    yaml_level *level = state->depth ? &state->levels[state->depth - 1] : NULL;

    if (!level || !level->mapping)
        return false;
    level->value = !level->value;
    return level->value;
}

/* Notes an anchor of what is written next. False: there are too many. */
static bool yaml_anchored(yaml_state *state, const yaml_char_t *name,
                          size_t *ret_anchor)
{
    yaml_anchor *anchor = &state->anchors[state->anchor_count];

    *ret_anchor = 0;
    if (!name)
        return true;
    if (state->bare || state->anchor_count == YAML_ANCHORS_MAX)
        return false;
    anchor->name =
        surety__form_keep(state->forms, surety_str_of((const char *)name));
    anchor->at = state->forms->out.len;
    anchor->end = 0;
    *ret_anchor = ++state->anchor_count;
    return anchor->name.ptr != NULL;
}

/* What an anchor names is complete. */
static void yaml_complete(yaml_state *state, size_t anchor)
{
    if (anchor)
        state->anchors[anchor - 1].end = state->forms->out.len;
}

/* Copies what an alias names. */
static bool yaml_alias(yaml_state *state, const yaml_event_t *event,
                       form_span span)
{
    const surety_str name =
        surety_str_of((const char *)event->data.alias.anchor);
    surety__forms *forms = state->forms;

    if (yaml_turn(state))
        return false;
    for (size_t i = state->anchor_count; i > 0; i--) {
        const yaml_anchor *anchor = &state->anchors[i - 1];
        surety_str text;

        if (!surety_str_equal(anchor->name, name))
            continue;
        text =
            (surety_str){forms->out.ptr + anchor->at, anchor->end - anchor->at};
        if (!anchor->end || forms->out.status != SURETY_OK)
            return false;
        /* The anchor may be behind a comma that was written with it. */
        if (text.len && text.ptr[0] == ',')
            surety__str_skip(&text, 1);
        state->copied += text.len;
        if (state->copied > YAML_COPIED_MAX)
            return false;
        text = surety__form_keep(forms, text);
        if (text.ptr)
            surety__form_json(forms, text, span);
        return text.ptr != NULL;
    }
    return false;
}

/* Whether a plain scalar is null. */
static bool yaml_is_null(surety_str text)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};

    return surety__str_among(text, nulls, SURETY__COUNT(nulls));
}

static void yaml_plain(surety__forms *forms, surety_str text, form_span span)
{
    static const char *const yes[] = {"true", "True", "TRUE"};
    static const char *const no[] = {"false", "False", "FALSE"};

    if (yaml_is_null(text))
        surety__form_json(forms, SURETY__LITERAL("null"), span);
    else if (surety__str_among(text, yes, SURETY__COUNT(yes)))
        surety__form_json(forms, SURETY__LITERAL("true"), span);
    else if (surety__str_among(text, no, SURETY__COUNT(no)))
        surety__form_json(forms, SURETY__LITERAL("false"), span);
    else
        surety__form_number(forms, text, span);
}

static bool yaml_scalar(yaml_state *state, const yaml_event_t *event,
                        form_span span)
{
    const surety_str text = {(const char *)event->data.scalar.value,
                             event->data.scalar.length};
    const char *const tag = (const char *)event->data.scalar.tag;
    const bool plain =
        event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !tag;
    const bool key = yaml_turn(state);
    size_t anchor;

    if (tag && (state->bare || strcmp(tag, YAML_STR_TAG) != 0))
        return false;
    if (!yaml_anchored(state, event->data.scalar.anchor, &anchor))
        return false;
    if (key && (surety_str_equal(text, SURETY__LITERAL("<<")) ||
                (state->bare && !surety__form_knows(state->forms, text))))
        return false;
    if (key || !plain)
        surety__form_string(state->forms, text, span, key);
    else
        yaml_plain(state->forms, text, span);
    yaml_complete(state, anchor);
    return true;
}

static bool yaml_open(yaml_state *state, bool mapping, const yaml_char_t *tag,
                      const yaml_char_t *name, size_t at)
{
    yaml_level *level = &state->levels[state->depth];
    size_t anchor;

    if (state->depth == YAML_DEPTH_MAX || tag || yaml_turn(state) ||
        !yaml_anchored(state, name, &anchor))
        return false;
    *level = (yaml_level){.mapping = mapping, .anchor = anchor};
    state->depth++;
    surety__form_bracket(state->forms, mapping ? '{' : '[', at);
    return true;
}

static bool yaml_close(yaml_state *state, size_t at)
{
    const yaml_level *level = &state->levels[--state->depth];

    surety__form_bracket(state->forms, level->mapping ? '}' : ']',
                         at > state->span.at ? at - 1 : at);
    yaml_complete(state, level->anchor);
    return true;
}

/* Takes an event. False: it makes this no value. */
static bool yaml_event(yaml_state *state, const yaml_event_t *event)
{
    const size_t at = yaml_at(state, event->start_mark.index);
    const form_span span = {at, yaml_at(state, event->end_mark.index)};
    const bool value = event->type == YAML_ALIAS_EVENT ||
                       event->type == YAML_SCALAR_EVENT ||
                       event->type == YAML_SEQUENCE_START_EVENT ||
                       event->type == YAML_MAPPING_START_EVENT;

    if (value && !state->depth) {
        if (state->done)
            return false;
        state->done = true;
    }
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return !state->bare && yaml_alias(state, event, span);
    case YAML_SCALAR_EVENT:
        return state->depth && yaml_scalar(state, event, span);
    case YAML_SEQUENCE_START_EVENT:
        return yaml_open(state, false, event->data.sequence_start.tag,
                         event->data.sequence_start.anchor, at);
    case YAML_MAPPING_START_EVENT:
        return yaml_open(state, true, event->data.mapping_start.tag,
                         event->data.mapping_start.anchor, at);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return yaml_close(state, at);
    default: return true;
    }
}

/* Reads a span, whose value is written. False: it has none. */
static bool yaml_read(yaml_state *state)
{
    const surety_str text = surety__form_str(state->forms, state->span);
    yaml_parser_t parser;
    yaml_event_t event;
    bool good = true, more = true;

    if (text.len > YAML_BYTES_MAX || !yaml_parser_initialize(&parser))
        return false;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.ptr,
                                 text.len);
    while (good && more) {
        good = yaml_parser_parse(&parser, &event);
        if (!good)
            break;
        good = yaml_event(state, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return good && state->done && !state->depth &&
           surety__form_is_unique(state->forms);
}

/* Lists the value of a span. */
static bool yaml_take(surety__forms *forms, form_span span, bool bare)
{
    yaml_state state = {
        .forms = forms, .span = span, .bare = bare, .byte = span.at};
    surety__formed *reading =
        surety__form_begin(forms, SURETY_FORM_YAML, span.at);

    if (!reading)
        return false;
    reading->weak = bare;
    if (yaml_read(&state)) {
        surety__form_end(forms, span.end);
        return true;
    }
    surety__form_drop(forms);
    forms->failures++;
    return false;
}

/* ---- lines --------------------------------------------------------------- */

/* Whether a line begins with a key that the contract knows. */
static bool yaml_is_key(const surety__forms *forms, form_span line)
{
    form_span key;

    while (surety__form_skip(forms, &line, "- "))
        continue;
    return surety__form_until(forms, &line, ":", &key) &&
           (line.at == line.end ||
            memchr(" \t", forms->text.ptr[line.at], 2)) &&
           surety__form_knows(
               forms, surety__form_str(forms, surety__form_trim(forms, key)));
}

/* Whether a line can only go on with what is before it: it is indented, or an
 * item of a list. */
static bool yaml_goes_on(const surety__forms *forms, form_span line)
{
    const surety_str text = surety__form_str(forms, line);

    return text.len &&
           (memchr(" \t", text.ptr[0], 2) ||
            (text.ptr[0] == '-' && (text.len == 1 || text.ptr[1] == ' ')));
}

/* Where the lines from `at` on end that are YAML; 0: what follows is no end.
 * *ret_needs: something in them is YAML alone. *ret_stop: the line that
 * decided; no stretch that begins before it comes to anything else. */
static size_t yaml_stretch(const surety__forms *forms, size_t at,
                           bool *ret_needs, size_t *ret_stop)
{
    const size_t start = at;
    size_t end = 0, next;
    bool set_off = true;

    *ret_needs = false;
    for (; at < forms->text.len; at = next) {
        *ret_stop = at;
        const form_span line =
            surety__form_line(forms, at, forms->text.len, &next);
        const surety_str text = surety__form_str(forms, line);
        const bool goes_on = at > start && yaml_goes_on(forms, line);

        if (surety__form_is_blank(forms, line)) {
            set_off = true;
            continue;
        }
        if (!goes_on && !yaml_is_key(forms, line))
            return set_off ? end : 0;
        if (text.ptr[0] == '#' ||
            surety__str_find(text, SURETY__LITERAL(" #")) < text.len)
            return 0;
        *ret_needs |= goes_on || text.ptr[0] == '-' ||
                      memchr("]}", text.ptr[text.len - 1], 2);
        end = line.end;
        set_off = false;
    }
    return end;
}

void surety__form_yaml(surety__forms *forms)
{
    const surety_str info = forms->task.info;
    const form_span all = {0, forms->text.len};
    size_t at = 0;

    if (surety__str_equal_nocase(info, SURETY__LITERAL("yaml")) ||
        surety__str_equal_nocase(info, SURETY__LITERAL("yml"))) {
        (void)yaml_take(forms, surety__form_trim(forms, all), false);
        return;
    }
    if (!surety__form_is_words(forms))
        return;
    while (at < forms->text.len && forms->failures < FORM_FAILURES_MAX) {
        size_t next, end = 0, stop = at;
        const form_span line =
            surety__form_line(forms, at, forms->text.len, &next);
        bool needs = false;

        if (line.at < line.end && surety__form_opens(forms, at) &&
            !memchr(" \t", forms->text.ptr[at], 2) && yaml_is_key(forms, line))
            end = yaml_stretch(forms, at, &needs, &stop);
        if (end && needs)
            (void)yaml_take(forms, (form_span){at, end}, true);
        else if (!end && stop > next)
            next = stop;
        at = surety__form_behind(forms, end > next ? end : next);
    }
}
#else
void surety__form_yaml(surety__forms *forms)
{
    (void)forms;
}
#endif
