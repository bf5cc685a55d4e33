/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the values of derived members over valid replies. It computes the
 * members that a contract derives again, from the replies that the ledger kept.
 *
 * 1. The ledger has a structured value as the provider delivered it. So it is
 *    judged as delivered, then as restored from the provider's form of the
 *    contract's schema (strict.h), then as text. The first valid result counts.
 * 2. The provider's name determines that form. If the name is the user's own,
 *    every form is tried.
 * 3. A reply that was repaired may be repaired again.
 * 4. A patch means nothing without the reply before it, and is only counted.
 * 5. A contract is looked up once for each version, or if that version no
 *    longer exists, by its name. A reply that is invalid by today's contract is
 *    not counted. */
#include "provider/provider.h"
#include "stats/stats.h"

#include <assert.h>

/* ---- contracts ----------------------------------------------------------- */

static bool cover_is(const surety_contract *contract, surety_str name,
                     surety_str version)
{
    return surety_str_equal(surety_contract_info_of(contract)->name, name) &&
           (!version.len ||
            surety_str_equal(surety_contract_info_of(contract)->version,
                             version));
}

/* Looks up the contract: first with its version, then without. */
static bool cover_find(surety_stats *stats, surety__covered *covered)
{
    const surety_stats_options *options = &stats->options;
    surety_status status = SURETY_END;

    for (int exact = 1; exact >= 0 && !covered->contract; exact--) {
        const surety_str version =
            exact ? covered->version : (surety_str){"", 0};

        for (size_t i = 0; i < options->contract_count && !covered->contract;
             i++)
            if (cover_is(options->contracts[i], covered->name, version))
                covered->contract = options->contracts[i];
        if (covered->contract || !options->registry)
            continue;
        surety_buf_reset(&stats->text);
        surety_buf_add(&stats->text, covered->name);
        if (version.len) {
            surety_buf_byte(&stats->text, '@');
            surety_buf_add(&stats->text, version);
        }
        if (stats->text.status)
            return surety__stats_nomem(stats);
        status = surety_registry_find(options->registry,
                                      surety_buf_str(&stats->text),
                                      &covered->owned, &stats->cause);
        if (status == SURETY_NOMEM)
            return surety__stats_nomem(stats);
        /* A name may lead to a file with another contract. */
        if (!status && cover_is(covered->owned, covered->name, version)) {
            covered->contract = covered->owned;
        } else if (!status) {
            surety_contract_free(covered->owned);
            covered->owned = NULL;
        }
    }
    return true;
}

/* Sets the contract's places for extraction, with a structured value (native)
 * first. */
static void cover_settle_extract(surety__covered *covered)
{
    const surety_extract *given =
        surety_contract_info_of(covered->contract)->extract;
    surety_extract *extract = &covered->extract;

    *extract = *given;
    extract->from_count = 0;
    extract->from[extract->from_count++] = SURETY_PLACE_NATIVE;
    for (size_t i = 0;
         i < given->from_count && extract->from_count < SURETY_PLACES; i++)
        if (given->from[i] != SURETY_PLACE_NATIVE)
            extract->from[extract->from_count++] = given->from[i];
}

/* Finds or adds what has a key of two texts, of size bytes. NULL: a
 * failure, kept in stats, or there are max others. */
static void *cover_keyed(surety_stats *stats, surety__keyed_list *list,
                         const surety_str texts[2], size_t size, size_t max)
{
    void *found = NULL;
    surety_buf key;

    surety_buf_init(&key, stats->alloc, 0);
    surety__key_put(&key, texts[0]);
    surety__key_put(&key, texts[1]);
    if (key.status)
        (void)surety__stats_nomem(stats);
    else
        found = surety__keyed_find(list, surety_buf_str(&key));
    if (!found && !stats->status && list->count < max)
        found = surety__keyed_add(stats, list, surety_buf_str(&key), size);
    surety_buf_done(&key);
    return found;
}

/* Finds or adds the contract of an entry. NULL: a failure, kept in stats, or
 * more contracts than the limit. */
static surety__covered *cover_contract(surety_stats *stats,
                                       const surety_entry *entry)
{
    const surety_str texts[] = {entry->contract, entry->contract_version};
    const size_t count = stats->covered.count;
    surety__covered *covered =
        cover_keyed(stats, &stats->covered, texts, sizeof(*covered),
                    SURETY_STATS_CONTRACTS_MAX);
    surety_str rest;

    if (!covered || stats->covered.count == count)
        return covered;
    rest = covered->head.key;
    covered->name = surety__key_take(&rest);
    covered->version = surety__key_take(&rest);
    if (!cover_find(stats, covered))
        return NULL;
    if (covered->contract) {
        covered->derives =
            surety_val_count(
                surety_contract_info_of(covered->contract)->derive) > 0;
        cover_settle_extract(covered);
    }
    return covered;
}

/* ---- replies ------------------------------------------------------------- */

/* A reply and the result of judging it. */
typedef struct cover_look {
    const surety_entry *entry;
    surety__covered *covered;
    surety_val derived; /* the derived members; SURETY_NONE: not valid */
} cover_look;

/* Judges the reply as text, or if native, as a structured value. SURETY_NOMEM
 * is kept in stats; after any other failure the reply counts as not valid. */
static bool cover_judge(surety_stats *stats, cover_look *look, surety_str reply,
                        bool native)
{
    const surety_repair align = SURETY_REPAIR_ALIGN;
    surety_judge_options options = {
        .size = sizeof(options), .no_fallback = true, .derive = true};
    const surety_outcome *outcome = NULL;
    surety_status status;

    assert(stats->judge && look->covered->contract);
    if (look->entry->repair_count)
        options.repair = &align;
    if (native) {
        options.native = reply;
        options.extract = &look->covered->extract;
        reply = (surety_str){"", 0};
    }
    status = surety_judge_reply(stats->judge, look->covered->contract, reply,
                                &options, &outcome, &stats->cause);
    if (status == SURETY_NOMEM)
        return surety__stats_nomem(stats);
    if (!status && surety_outcome_info_of(outcome)->ok &&
        !surety_outcome_info_of(outcome)->partial)
        look->derived = surety_outcome_info_of(outcome)->derived;
    return look->derived.doc != NULL;
}

/* The contract's schema in the form of a provider's subset. NULL: it has none,
 * or memory ran out, which is kept in stats. */
static const surety_strict *cover_strict(surety_stats *stats,
                                         const surety__covered *covered,
                                         size_t subset)
{
    const surety_strict *strict = NULL;

    assert(subset < SURETY__COVER_SUBSETS && covered->contract);
    if (surety_strict_of(covered->contract, (surety_subset)subset, &strict,
                         NULL) == SURETY_NOMEM)
        (void)surety__stats_nomem(stats);
    return strict;
}

/* The subset that a run uses for a provider of this name;
 * SURETY__COVER_SUBSETS: the name is unknown. */
static size_t cover_subset(surety_str provider)
{
    static const struct {
        surety_protocol protocol;
        surety_subset subset;
    } rows[] = {{SURETY_PROTOCOL_OPENAI, SURETY_SUBSET_OPENAI},
                {SURETY_PROTOCOL_RESPONSES, SURETY_SUBSET_OPENAI},
                {SURETY_PROTOCOL_ANTHROPIC, SURETY_SUBSET_ANTHROPIC},
                {SURETY_PROTOCOL_GEMINI, SURETY_SUBSET_GEMINI}};

    for (size_t i = 0; i < SURETY__COUNT(rows); i++)
        if (surety_str_equal(provider, surety_str_of(surety_protocol_name(
                                           rows[i].protocol))))
            return rows[i].subset;
    return surety__provider_has_grammar(provider) ? SURETY_SUBSET_GRAMMAR
                                                  : SURETY__COVER_SUBSETS;
}

/* Judges a structured value after undoing the changes that the provider's form
 * of the schema required. */
static bool cover_restore(surety_stats *stats, cover_look *look)
{
    const size_t known = cover_subset(look->entry->provider);
    surety_status status =
        surety_doc_read(stats->value, look->entry->reply, NULL, NULL);

    if (status == SURETY_NOMEM)
        (void)surety__stats_nomem(stats);
    for (size_t i = 0; i < SURETY__COVER_SUBSETS && !status && !stats->status;
         i++) {
        const surety_strict *strict =
            known == i || known == SURETY__COVER_SUBSETS
                ? cover_strict(stats, look->covered, i)
                : NULL;
        surety_status restored;

        if (!strict)
            continue;
        restored = surety_strict_restore(strict, surety_doc_root(stats->value),
                                         stats->restored, NULL);
        if (restored == SURETY_NOMEM)
            return surety__stats_nomem(stats);
        if (restored)
            continue;
        surety_buf_reset(&stats->text);
        if (surety_val_write(surety_doc_root(stats->restored),
                             SURETY_STYLE_COMPACT, &stats->text))
            return surety__stats_nomem(stats);
        if (cover_judge(stats, look, surety_buf_str(&stats->text), true))
            return true;
    }
    return false;
}

static bool cover_ready(surety_stats *stats)
{
    if (!stats->judge)
        stats->judge = surety_judge_new(stats->alloc, stats->options.limits);
    if (!stats->value)
        stats->value = surety_doc_new(stats->alloc);
    if (!stats->restored)
        stats->restored = surety_doc_new(stats->alloc);
    if (!stats->judge || !stats->value || !stats->restored)
        return surety__stats_nomem(stats);
    return true;
}

/* ---- members ------------------------------------------------------------- */

/* Finds or adds the count of a text. NULL: more texts than the limit, or a
 * failure, kept in stats. */
static surety__value *cover_value(surety_stats *stats, surety__cover *cover,
                                  surety_str text)
{
    const surety_str cut = surety__stats_cut(stats, text);
    surety__value *value = surety__keyed_find(&cover->values, cut);

    if (value || stats->status ||
        cover->values.count == SURETY_STATS_VALUES_MAX)
        return value;
    value = surety__keyed_add(stats, &cover->values, cut, sizeof(*value));
    if (!value)
        return NULL;
    value->info.text = value->head.key;
    value->order = cover->values.count - 1;
    return value;
}

/* Adds the expected values of a member, with a count of 0. */
static void cover_expect(surety_stats *stats, surety__cover *cover)
{
    const surety_stats_options *options = &stats->options;

    for (size_t i = 0; i < options->expect_count; i++) {
        const surety_stats_expect *expect = &options->expects[i];

        if (!surety_str_equal(expect->member, cover->info.member))
            continue;
        for (size_t at = 0; at < expect->value_count && !stats->status; at++) {
            surety__value *value =
                cover_value(stats, cover, expect->values[at]);

            if (value && !value->info.expected) {
                value->info.expected = true;
                cover->info.expected++;
            }
        }
    }
}

/* Finds or adds the counts of a member; NULL as above. */
static surety__cover *cover_of(surety_stats *stats, surety_str contract,
                               surety_str member)
{
    const surety_str texts[] = {contract, member};
    const size_t count = stats->covers.count;
    surety__cover *cover = cover_keyed(stats, &stats->covers, texts,
                                       sizeof(*cover), SURETY_STATS_COVERS_MAX);
    surety_str rest;

    if (!cover || stats->covers.count == count)
        return cover;
    cover->order = count;
    rest = cover->head.key;
    cover->info.contract = surety__key_take(&rest);
    cover->info.member = surety__key_take(&rest);
    cover_expect(stats, cover);
    return stats->status ? NULL : cover;
}

static void cover_number(surety_stats_cover *info, double number)
{
    if (!info->numbers || number < info->min)
        info->min = number;
    if (!info->numbers || number > info->max)
        info->max = number;
    info->sum += number;
    info->numbers++;
}

/* Counts a value that is no array. */
static void cover_count(surety_stats *stats, surety__cover *cover,
                        surety_val val)
{
    surety_stats_cover *info = &cover->info;
    surety__value *value;

    switch (surety_val_kind(val)) {
    case SURETY_KIND_NULL: info->nulls++; break;
    case SURETY_KIND_BOOLEAN:
        if (surety_val_bool(val, false))
            info->trues++;
        else
            info->falses++;
        break;
    case SURETY_KIND_NUMBER:
        cover_number(info, surety_val_real(val, 0.0));
        break;
    case SURETY_KIND_STRING:
        value = cover_value(stats, cover, surety_val_str(val));
        if (!value) {
            info->left++;
        } else if (value->reply != stats->reply) {
            value->reply = stats->reply;
            value->info.replies++;
        }
        break;
    default: info->others++; break;
    }
}

static bool cover_take(surety_stats *stats, const surety_entry *entry,
                       surety_val derived)
{
    for (surety_val member = surety_val_first(derived);
         member.doc && !stats->status;
         member = surety_val_next(derived, member)) {
        surety__cover *cover = cover_of(stats, entry->contract,
                                        surety_val_str(surety_val_key(member)));

        if (!cover)
            continue;
        cover->info.replies++;
        if (surety_val_kind(member) != SURETY_KIND_ARRAY) {
            cover_count(stats, cover, member);
            continue;
        }
        for (surety_val item = surety_val_first(member);
             item.doc && !stats->status; item = surety_val_next(member, item))
            cover_count(stats, cover, item);
    }
    return stats->status == SURETY_OK;
}

bool surety__cover_add(surety_stats *stats, const surety_entry *entry)
{
    const bool native =
        surety_str_equal(entry->mode, SURETY__LITERAL("native")) ||
        surety_str_equal(entry->mode, SURETY__LITERAL("tool"));
    surety_stats_replies *replies = &stats->replies;
    cover_look look = {.entry = entry, .derived = surety_val_none()};

    if (!entry->ok || !entry->contract.len)
        return true;
    replies->valid++;
    if (!stats->options.registry && !stats->options.contract_count)
        return true;
    look.covered = cover_contract(stats, entry);
    if (stats->status)
        return false;
    if (!look.covered || !look.covered->contract) {
        replies->unknown++;
    } else if (!look.covered->derives) {
        replies->plain++;
    } else if (!entry->reply.len) {
        replies->not_kept++;
    } else if (surety_str_equal(entry->purpose, SURETY__LITERAL("patch"))) {
        replies->patches++;
    } else if (!cover_ready(stats)) {
        return false;
    } else if ((native && (cover_judge(stats, &look, entry->reply, true) ||
                           cover_restore(stats, &look))) ||
               cover_judge(stats, &look, entry->reply, false)) {
        replies->covered++;
        return cover_take(stats, entry, look.derived);
    } else {
        replies->unfit++;
    }
    return stats->status == SURETY_OK;
}

/* ---- end ----------------------------------------------------------------- */

static int cover_compare_order(size_t left, size_t right)
{
    return left < right ? -1 : left > right;
}

static int cover_compare_values(const void *a, const void *b)
{
    const surety__value *left = *(void *const *)a;
    const surety__value *right = *(void *const *)b;

    if (left->info.replies != right->info.replies)
        return left->info.replies > right->info.replies ? -1 : 1;
    return left->info.replies
               ? surety__str_compare(left->info.text, right->info.text)
               : cover_compare_order(left->order, right->order);
}

static int cover_compare(const void *a, const void *b)
{
    const surety__cover *left = *(void *const *)a;
    const surety__cover *right = *(void *const *)b;
    const int order =
        surety__str_compare(left->info.contract, right->info.contract);

    return order ? order : cover_compare_order(left->order, right->order);
}

void surety__cover_end(surety_stats *stats)
{
    for (size_t i = 0; i < stats->covers.count; i++) {
        surety__cover *cover = stats->covers.items[i];

        for (size_t at = 0; at < cover->values.count; at++) {
            const surety__value *value = cover->values.items[at];

            cover->info.values += value->info.replies > 0;
            cover->info.reached +=
                value->info.expected && value->info.replies > 0;
        }
        assert(cover->info.values <= cover->values.count &&
               cover->info.reached <= cover->info.expected);
        surety__keyed_sort(&cover->values, cover_compare_values);
    }
    surety__keyed_sort(&stats->covers, cover_compare);
}

void surety__cover_done(surety_stats *stats)
{
    for (size_t i = 0; i < stats->covers.count; i++) {
        surety__cover *cover = stats->covers.items[i];

        surety__keyed_done(&cover->values, stats->alloc);
    }
    for (size_t i = 0; i < stats->covered.count; i++) {
        surety__covered *covered = stats->covered.items[i];

        surety_contract_free(covered->owned);
    }
    surety__keyed_done(&stats->covers, stats->alloc);
    surety__keyed_done(&stats->covered, stats->alloc);
    surety_judge_free(stats->judge);
    surety_doc_free(stats->value);
    surety_doc_free(stats->restored);
}

/* ---- results ------------------------------------------------------------- */

surety_stats_cover surety_stats_cover_at(const surety_stats *stats, size_t i)
{
    const surety__cover *cover;

    if (!stats || i >= stats->info.cover_count)
        return (surety_stats_cover){.replies = 0};
    cover = stats->covers.items[i];
    return cover->info;
}

surety_stats_value surety_stats_value_at(const surety_stats *stats,
                                         size_t cover, size_t i)
{
    const surety__cover *of;
    const surety__value *value;

    if (!stats || cover >= stats->info.cover_count)
        return (surety_stats_value){.text = {"", 0}};
    of = stats->covers.items[cover];
    if (i >= of->values.count)
        return (surety_stats_value){.text = {"", 0}};
    value = of->values.items[i];
    return value->info;
}
