/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant reader, entry points: begin, feed, snapshot, finish, and reading
 * a whole text at once.
 *
 * 1. The reader collects the bytes it is fed in the doc's own copy of the text.
 *    The machine runs over them as far as it can (lenient.h describes how it
 *    waits).
 * 2. surety__doc_read_lenient runs the same machine over the caller's bytes and
 *    copies none. A text that begins like JSON goes to the strict reader first,
 *    which is much faster; the machine starts only if the strict reader refuses
 *    the text. */
#include "json/lenient.h"

/* ---- waiting ------------------------------------------------------------ */

static bool lenient_awaited(enum lenient_wait sort, char byte)
{
    switch (sort) {
    case WAIT_SIGN: return !scan_is_space(byte);
    case WAIT_QUOTE:
        return byte == '"' || byte == '\'' || byte == '`' ||
               (unsigned char)byte < 0x20 || (unsigned char)byte >= 0x80;
    case WAIT_STOP:
        return !lenient_is_name(byte) || (unsigned char)byte >= 0x80;
    default: return true;
    }
}

/* Returns whether the awaited byte has arrived. A decision that restarted more
 * than LENIENT_RETRIES times waits until twice as many bytes are there, so that
 * the total work stays linear. */
static bool lenient_ready(surety_lenient *lenient)
{
    size_t at = lenient->wait.at;

    if (!lenient->wait.on || lenient->final)
        return true;
    if (lenient->wait.count > LENIENT_RETRIES &&
        lenient->end - lenient->wait.from < lenient->wait.size)
        return false;
    while (at < lenient->end && at < lenient->wait.most &&
           !lenient_awaited((enum lenient_wait)lenient->wait.sort,
                            lenient->text[at]))
        at++;
    lenient->work += at - lenient->wait.at;
    lenient->wait.at = at;
    return at < lenient->end || at >= lenient->wait.most;
}

/* ---- the machine -------------------------------------------------------- */

static inline enum lenient_step lenient_step(surety_lenient *lenient)
{
    switch (lenient->state) {
    case LENIENT_QUOTED: return surety__lenient_quoted(lenient);
    case LENIENT_BARE: return surety__lenient_bare(lenient);
    default: return surety__lenient_structure(lenient);
    }
}

/* Runs the machine over the bytes that are there. STEP_GO: the value has
 * ended. */
static enum lenient_step lenient_run(surety_lenient *lenient)
{
    enum lenient_step step = STEP_GO;

    if (!lenient_ready(lenient))
        return STEP_WAIT;
    while (step == STEP_GO && lenient->state != LENIENT_DONE)
        step = lenient_step(lenient);
    lenient->wait.on = step == STEP_WAIT;
    if (step == STEP_WAIT) {
        if (lenient->wait.from == lenient->at) {
            lenient->wait.count++;
            lenient->wait.size = 2 * (lenient->end - lenient->at);
        } else {
            lenient->wait.from = lenient->at;
            lenient->wait.count = 0;
        }
    }
    return step;
}

/* ---- the end ------------------------------------------------------------ */

/* Returns the last value of a container. Linear in the number of its values. */
static surety_val lenient_last(surety_val container)
{
    surety_val last = surety_val_first(container), next = last;

    while (next.doc) {
        last = next;
        next = surety_val_next(container, last);
    }
    return last;
}

/* Writes the JSON Pointer of the innermost open value to reterr's path, as much
 * as fits. */
static void lenient_path(const surety_doc *doc, surety_error *reterr)
{
    surety_buf path = {.ptr = reterr->path,
                       .cap = sizeof(reterr->path),
                       .max = sizeof(reterr->path) - 1};
    surety_val val = surety_doc_root(doc), last = val;

    while (val.doc && surety_val_is_open(val)) {
        const surety__cell *cell = surety__cell_of(val);

        last = val;
        if (cell->kind < CELL_ARRAY || !cell->count)
            break;
        val = lenient_last(val);
    }
    if (last.doc)
        surety_val_pointer(last, &path);
    reterr->path[path.len] = '\0';
}

static surety_status lenient_explain(surety_lenient *lenient,
                                     surety_error *reterr)
{
    surety_doc *doc = lenient->doc;
    const surety_str text = {lenient->text, lenient->end};
    const size_t at = lenient->failure.at;

    if (lenient->failure.status == SURETY_NOMEM) {
        surety__fail_nomem(reterr);
    } else if (lenient->failure.status == SURETY_LIMIT &&
               lenient->failure.limit == FAULT_TEXT) {
        /* The message leaves out the text's length: more bytes may come. */
        surety__fail(reterr, SURETY_LIMIT,
                     "the text is longer than the limit text_bytes_max of %zu "
                     "bytes",
                     doc->limits.text_bytes_max);
    } else if (lenient->failure.status == SURETY_LIMIT) {
        surety__read_explain(
            text,
            (struct read_mistake){.fault = lenient->failure.limit,
                                  .offset = at,
                                  .length = lenient->failure.length},
            &doc->limits, reterr);
    } else {
        struct read_mistake mistake = {.fault = FAULT_NONE};

        if (lenient->options.strict)
            mistake = surety__fault_find(doc, false);
        if (mistake.fault == FAULT_NOMEM) {
            lenient->failure.status = SURETY_NOMEM;
            surety__fail_nomem(reterr);
        } else if (mistake.fault != FAULT_NONE) {
            lenient->failure.status =
                surety__read_explain(text, mistake, &doc->limits, reterr);
        } else {
            surety__fail(reterr, SURETY_SYNTAX, "%s", lenient->failure.fault);
            if (reterr)
                reterr->position = surety_position_at(text, at, at < text.len);
        }
    }
    return lenient->failure.status;
}

/* Ends reading: the value is complete, cut off or refused. Afterwards the doc
 * belongs to the caller again. */
static surety_status lenient_end(surety_lenient *lenient,
                                 enum lenient_step step, size_t *ret_end,
                                 surety_error *reterr)
{
    surety_doc *doc = lenient->doc;
    surety_status status = SURETY_OK;

    lenient->begun = false;
    if (step == STEP_GO) {
        if (surety__lenient_compact(lenient)) {
            surety__lenient_nomem(lenient);
            step = STEP_FAIL;
        } else {
            doc->open = PLACE_NONE;
            if (ret_end)
                *ret_end = lenient->at;
            return SURETY_OK;
        }
    }
    if (step == STEP_CUT) {
        status = surety__lenient_cut(lenient);
        if (status == SURETY_OK) {
            surety__fail(reterr, SURETY_END,
                         "the text ends before its value does");
            surety__hint(reterr, "it was cut off: ask for it again, with room "
                                 "for a longer reply");
            if (reterr) {
                reterr->position = surety_position_at(
                    (surety_str){lenient->text, lenient->end}, lenient->end, 0);
                lenient_path(doc, reterr);
            }
            if (ret_end)
                *ret_end = lenient->end;
            return SURETY_END;
        }
        if (lenient->failure.status == SURETY_OK)
            lenient->failure.status = status;
    }
    status = lenient_explain(lenient, reterr);
    surety__doc_clear(doc);
    return status;
}

/* ---- the beginning ------------------------------------------------------ */

static void lenient_reset(surety_lenient *lenient, surety_doc *doc,
                          const surety__lenient_options *options)
{
    static const surety__lenient_options none;
    const surety_alloc *alloc = lenient->alloc;
    uint32_t *stack = lenient->stack.items;
    const size_t stack_cap = lenient->stack.cap;

    if (!options)
        options = &none;
    *lenient = (surety_lenient){.alloc = alloc,
                                .options = *options,
                                .doc = doc,
                                .open = PLACE_NONE,
                                .wait = {.from = SIZE_MAX},
                                .begun = true,
                                .stack = {stack, stack_cap}};
    if (options->limits || !doc->limits_default) {
        doc->limits = surety_limits_of(options->limits);
        doc->limits_default = !options->limits;
    }
    if (doc->limits.number_len_max > READ_NUMBER_MAX)
        doc->limits.number_len_max = READ_NUMBER_MAX;
    surety__doc_clear(doc);
    doc->text = "";
}

surety_lenient *surety_lenient_new(const surety_alloc *alloc)
{
    surety_lenient *lenient = surety__new(alloc, sizeof(*lenient));

    if (lenient)
        lenient->alloc = alloc;
    return lenient;
}

void surety_lenient_free(surety_lenient *lenient)
{
    if (!lenient)
        return;
    surety__free(lenient->alloc, lenient->stack.items,
                 lenient->stack.cap * sizeof(*lenient->stack.items));
    surety__free(lenient->alloc, lenient, sizeof(*lenient));
}

surety_status surety_lenient_begin(surety_lenient *lenient, surety_doc *doc,
                                   const surety_limits *limits,
                                   surety_error *reterr)
{
    const surety__lenient_options options = {.limits = limits};

    return surety__lenient_begin(lenient, doc, &options, reterr);
}

surety_status surety__lenient_begin(surety_lenient *lenient, surety_doc *doc,
                                    const surety__lenient_options *options,
                                    surety_error *reterr)
{
    if (!lenient || !doc)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a reader and a document are needed to read");
    lenient_reset(lenient, doc, options);
    lenient->text = doc->text;
    return SURETY_OK;
}

/* ---- pushing ------------------------------------------------------------ */

/* Appends bytes to the doc's copy of the text. */
static surety_status lenient_collect(surety_lenient *lenient, surety_str bytes)
{
    surety_doc *doc = lenient->doc;
    surety_status status;

    if (bytes.len > doc->limits.text_bytes_max - lenient->end) {
        surety__lenient_limit(lenient, 0, FAULT_TEXT);
        return SURETY_LIMIT;
    }
    status = surety__grow(doc->alloc, &doc->copy, &doc->copy_cap,
                          lenient->end + bytes.len + 1, 1, SIZE_MAX / 2);
    if (status) {
        surety__lenient_nomem(lenient);
        return status;
    }
    if (bytes.len)
        memcpy(doc->copy + lenient->end, bytes.ptr, bytes.len);
    lenient->end += bytes.len;
    lenient->text = doc->text = doc->copy;
    doc->text_len = lenient->end;
    return SURETY_OK;
}

surety_status surety_lenient_feed(surety_lenient *lenient, surety_str bytes,
                                  surety_error *reterr)
{
    enum lenient_step step;

    if (!lenient || !lenient->begun || (!bytes.ptr && bytes.len))
        return surety__fail(reterr, SURETY_MISUSE,
                            "bytes were fed to a reader that was not begun");
    if (lenient->state == LENIENT_DONE)
        return SURETY_END;
    surety__lenient_unshow(lenient);
    step = lenient_collect(lenient, bytes) ? STEP_FAIL : lenient_run(lenient);
    if (step == STEP_WAIT)
        return SURETY_OK;
    if (step == STEP_GO)
        return SURETY_END;
    return lenient_end(lenient, step, NULL, reterr);
}

surety_status surety_lenient_snapshot(surety_lenient *lenient,
                                      surety_val *ret_root,
                                      surety_error *reterr)
{
    surety_status status = SURETY_OK;

    if (!lenient || !lenient->begun)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a snapshot needs a reader that has begun");
    if (!lenient->shown.on)
        status = surety__lenient_show(lenient);
    if (status == SURETY_NOMEM) {
        lenient->failure.status = SURETY_OK;
        return surety__fail_nomem(reterr);
    }
    if (status) {
        lenient_explain(lenient, reterr);
        lenient->failure.status = SURETY_OK;
        return status;
    }
    *ret_root = surety_doc_root(lenient->doc);
    return SURETY_OK;
}

surety_status surety_lenient_finish(surety_lenient *lenient, size_t *ret_end,
                                    surety_error *reterr)
{
    enum lenient_step step = STEP_GO;

    if (!lenient || !lenient->begun)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a reader was finished that was not begun");
    surety__lenient_unshow(lenient);
    lenient->final = true;
    if (lenient->state != LENIENT_DONE)
        step = lenient_run(lenient);
    return lenient_end(lenient, step, ret_end, reterr);
}

/* ---- one shot ----------------------------------------------------------- */

/* Reads the container at the start of the text with the strict reader. Returns
 * false when there is none, or the strict reader refuses it. */
static bool lenient_strict(surety_doc *doc, surety_str text, size_t *ret_end)
{
    const surety_limits limits = doc->limits;
    size_t first = 0;

    while (first < text.len && scan_is_space(text.ptr[first]))
        first++;
    return first < text.len &&
           (text.ptr[first] == '{' || text.ptr[first] == '[') &&
           surety__doc_read_first(
               doc, text, doc->limits_default ? NULL : &limits, ret_end);
}

surety_status surety__doc_read_lenient(surety_doc *doc, surety_str text,
                                       const surety__lenient_options *options,
                                       size_t *ret_end, surety_error *reterr)
{
    surety_lenient lenient = {.alloc = doc ? doc->alloc : NULL};
    enum lenient_step step = STEP_FAIL;
    surety_status status;
    size_t end;

    if (!doc || (!text.ptr && text.len))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a document and a text are needed to read");
    lenient_reset(&lenient, doc, options);
    if (text.len > doc->limits.text_bytes_max) {
        surety__lenient_limit(&lenient, 0, FAULT_TEXT);
    } else if (lenient_strict(doc, text, &end)) {
        lenient.at = end;
        step = STEP_GO;
    }
    doc->text = lenient.text = text.len ? text.ptr : "";
    doc->text_len = lenient.end = text.len;
    lenient.final = true;
    if (step == STEP_FAIL && lenient.failure.status == SURETY_OK)
        step = lenient_run(&lenient);
    if (step == STEP_GO)
        lenient.failure.status = SURETY_OK;
    status = lenient_end(&lenient, step, ret_end, reterr);
    surety__free(lenient.alloc, lenient.stack.items,
                 lenient.stack.cap * sizeof(*lenient.stack.items));
    return status;
}
