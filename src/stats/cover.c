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
#include <stdlib.h>

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

/* Finds or adds the contract of an entry. NULL: a failure, kept in stats, or
 * more contracts than the limit. */
static surety__covered *cover_contract(surety_stats *stats,
                                       const surety_entry *entry)
{
    surety__covered *covered = stats->covered;

    while (covered &&
           !(surety_str_equal(covered->name, entry->contract) &&
             surety_str_equal(covered->version, entry->contract_version)))
        covered = covered->next;
    if (covered || stats->covered_count == SURETY_STATS_CONTRACTS_MAX)
        return covered;
    covered = surety__arena_take(&stats->arena, sizeof(*covered));
    if (!covered) {
        (void)surety__stats_nomem(stats);
        return NULL;
    }
    covered->name = surety__stats_keep(stats, entry->contract);
    covered->version = surety__stats_keep(stats, entry->contract_version);
    covered->next = stats->covered;
    stats->covered = covered;
    stats->covered_count++;
    if (stats->status || !cover_find(stats, covered))
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

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
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
    const uint64_t hash = surety__hash(cut.len ? cut.ptr : "", cut.len);
    surety__value *value = surety__map_get(&cover->map, hash);
    surety_status status;

    while (value && !surety_str_equal(value->info.text, cut))
        value = value->next;
    if (value || stats->status || cover->count == SURETY_STATS_VALUES_MAX)
        return value;
    value = surety__arena_take(&stats->arena, sizeof(*value));
    status = surety__grow(stats->alloc, &cover->values, &cover->cap,
                          cover->count + 1, sizeof(surety__value *),
                          SURETY_STATS_VALUES_MAX);
    if (!value || status) {
        (void)surety__stats_nomem(stats);
        return NULL;
    }
    value->info.text = surety__stats_keep(stats, cut);
    value->order = cover->count;
    value->next = surety__map_get(&cover->map, hash);
    if (stats->status ||
        !surety__map_put(&cover->map, stats->alloc, hash, value)) {
        (void)surety__stats_nomem(stats);
        return NULL;
    }
    cover->values[cover->count++] = value;
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
    surety__cover *cover = NULL;
    surety_status status;

    for (size_t i = 0; i < stats->cover_count; i++) {
        cover = stats->covers[i];
        if (surety_str_equal(cover->info.contract, contract) &&
            surety_str_equal(cover->info.member, member))
            return cover;
    }
    if (stats->cover_count == SURETY_STATS_COVERS_MAX)
        return NULL;
    cover = surety__new(stats->alloc, sizeof(*cover));
    status =
        surety__grow(stats->alloc, &stats->covers, &stats->cover_cap,
                     stats->cover_count + 1, sizeof(surety__cover *), SIZE_MAX);
    if (!cover || status) {
        surety__free(stats->alloc, cover, sizeof(*cover));
        (void)surety__stats_nomem(stats);
        return NULL;
    }
    cover->order = stats->cover_count;
    stats->covers[stats->cover_count++] = cover;
    cover->info.contract = surety__stats_keep(stats, contract);
    cover->info.member = surety__stats_keep(stats, member);
    if (!stats->status)
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

static int cover_compare_values(const void *a, const void *b)
{
    const surety__value *left = *(surety__value *const *)a;
    const surety__value *right = *(surety__value *const *)b;

    if (left->info.replies != right->info.replies)
        return left->info.replies > right->info.replies ? -1 : 1;
    if (!left->info.replies)
        return left->order < right->order ? -1 : left->order > right->order;
    return surety__str_compare(left->info.text, right->info.text);
}

static int cover_compare(const void *a, const void *b)
{
    const surety__cover *left = *(surety__cover *const *)a;
    const surety__cover *right = *(surety__cover *const *)b;
    const int order =
        surety__str_compare(left->info.contract, right->info.contract);

    if (order)
        return order;
    return left->order < right->order ? -1 : left->order > right->order;
}

void surety__cover_end(surety_stats *stats)
{
    for (size_t i = 0; i < stats->cover_count; i++) {
        surety__cover *cover = stats->covers[i];

        for (size_t at = 0; at < cover->count; at++) {
            const surety_stats_value *value = &cover->values[at]->info;

            cover->info.values += value->replies > 0;
            cover->info.reached += value->expected && value->replies > 0;
        }
        assert(cover->info.values <= cover->count &&
               cover->info.reached <= cover->info.expected);
        if (cover->count)
            qsort(cover->values, cover->count, sizeof(*cover->values),
                  cover_compare_values);
    }
    if (stats->cover_count)
        qsort(stats->covers, stats->cover_count, sizeof(*stats->covers),
              cover_compare);
}

void surety__cover_done(surety_stats *stats)
{
    for (size_t i = 0; i < stats->cover_count; i++) {
        surety__cover *cover = stats->covers[i];

        surety__map_done(&cover->map, stats->alloc);
        surety__free(stats->alloc, cover->values,
                     cover->cap * sizeof(surety__value *));
        surety__free(stats->alloc, cover, sizeof(*cover));
    }
    surety__free(stats->alloc, stats->covers,
                 stats->cover_cap * sizeof(surety__cover *));
    for (surety__covered *covered = stats->covered; covered;
         covered = covered->next)
        surety_contract_free(covered->owned);
    surety_judge_free(stats->judge);
    surety_doc_free(stats->value);
    surety_doc_free(stats->restored);
}

/* ---- results ------------------------------------------------------------- */

surety_stats_cover surety_stats_cover_at(const surety_stats *stats, size_t i)
{
    if (!stats || i >= stats->info.cover_count)
        return (surety_stats_cover){.replies = 0};
    return stats->covers[i]->info;
}

surety_stats_value surety_stats_value_at(const surety_stats *stats,
                                         size_t cover, size_t i)
{
    if (!stats || cover >= stats->info.cover_count ||
        i >= stats->covers[cover]->count)
        return (surety_stats_value){.text = {"", 0}};
    return stats->covers[cover]->values[i]->info;
}
