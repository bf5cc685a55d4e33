/* SPDX-License-Identifier: Apache-2.0 */
/* Telling the branches of anyOf and oneOf apart without trying them.
 *
 * Two things are looked for in the branches, through references, allOf and one
 * more union: a member that most of them fix by const or enum (a tag), and the
 * names that a branch must have or may not have. Only necessary conditions are
 * collected, so a branch that is ruled out would have failed, and one that is
 * left may still fail. */
#include "schema/compile.h"

enum {
    BRANCH_SHAPES = 16, /* a branch and what it applies to the same value */
    BRANCH_SETS = 16,   /* sets of words for one member of one branch */
    BRANCH_TAGS = 4     /* members that are tried */
};

struct branch_parts {
    const surety__shape *shapes[BRANCH_SHAPES];
    uint32_t count;
};

/* The member that may be the tag; name.ptr NULL: none. */
struct branch_tag {
    surety_str name;
    uint32_t hash;
};

/* Conditions of a branch on objects, and on the tag. */
struct branch_facts {
    surety__screen screen;
    const surety__words *sets[BRANCH_SETS]; /* the tag's words, if any */
    uint32_t set_count;
    bool required; /* the tag must be there */
};

static uint64_t branch_bit(uint32_t hash)
{
    return (uint64_t)1 << (hash & 63);
}

/* shape and what its references and allOf apply. */
static void parts_collect(const surety__shape *shape,
                          struct branch_parts *parts)
{
    parts->shapes[0] = shape->direct;
    parts->count = 1;
    for (uint32_t i = 0; i < parts->count; i++)
        for (uint32_t a = 0; a < parts->shapes[i]->applicator_count; a++) {
            const surety__applicator *applicator =
                &parts->shapes[i]->applicators[a];

            for (uint32_t s = 0;
                 applicator->kind == APPLY_ALL && s < applicator->count &&
                 parts->count < BRANCH_SHAPES;
                 s++)
                parts->shapes[parts->count++] = applicator->shapes[s]->direct;
        }
}

/* Adds the conditions of one shape itself. */
static void facts_add(struct branch_facts *facts, const surety__shape *shape,
                      const struct branch_tag *tag)
{
    const surety__objects *objects = shape->objects;
    const surety__property *property;
    uint64_t names = 0;

    if (!objects)
        return;
    for (uint32_t i = 0; i < objects->property_count; i++) {
        property = &objects->properties[i];
        if (property->required)
            facts->screen.needs |= branch_bit(property->hash);
        if (property->shape)
            names |= branch_bit(property->hash);
    }
    if (objects->additional && objects->additional->never &&
        !objects->pattern_count)
        facts->screen.allows &= names;
    property = tag->name.ptr
                   ? surety__objects_named(objects, tag->name, tag->hash)
                   : NULL;
    if (!property)
        return;
    facts->required = facts->required || property->required;
    if (!facts->set_count && property->shape && property->shape->direct->words)
        facts->sets[facts->set_count++] = property->shape->direct->words;
}

/* The conditions of a shape and those it refers to, without unions. */
static struct branch_facts facts_plain(const struct branch_parts *parts,
                                       const struct branch_tag *tag)
{
    struct branch_facts facts = {.screen.allows = UINT64_MAX};

    assert(parts->count && parts->count <= BRANCH_SHAPES);
    for (uint32_t i = 0; i < parts->count; i++)
        facts_add(&facts, parts->shapes[i], tag);
    return facts;
}

/* Adds what the alternatives of a union have in common. */
static void facts_union(struct branch_facts *facts,
                        const surety__applicator *applicator,
                        const struct branch_tag *tag)
{
    struct branch_facts all = {.screen = {.needs = UINT64_MAX},
                               .required = true};
    bool tagged = true;

    for (uint32_t i = 0; i < applicator->count; i++) {
        struct branch_parts parts;
        struct branch_facts one;

        if (applicator->shapes[i]->direct->how[CELL_OBJECT] == HOW_NO)
            continue;
        parts_collect(applicator->shapes[i], &parts);
        one = facts_plain(&parts, tag);
        all.screen.needs &= one.screen.needs;
        all.screen.allows |= one.screen.allows;
        all.required = all.required && one.required;
        tagged = tagged && one.set_count && all.set_count < BRANCH_SETS;
        if (tagged)
            all.sets[all.set_count++] = one.sets[0];
    }
    facts->screen.needs |= all.screen.needs;
    facts->screen.allows &= all.screen.allows;
    facts->required = facts->required || all.required;
    if (facts->set_count || !tagged)
        return;
    memcpy(facts->sets, all.sets, sizeof(all.sets));
    facts->set_count = all.set_count;
}

static struct branch_facts facts_of(const surety__shape *branch,
                                    const struct branch_tag *tag)
{
    struct branch_parts parts;
    struct branch_facts facts;

    parts_collect(branch, &parts);
    facts = facts_plain(&parts, tag);
    for (uint32_t i = 0; i < parts.count; i++)
        for (uint32_t a = 0; a < parts.shapes[i]->applicator_count; a++) {
            const surety__applicator *applicator =
                &parts.shapes[i]->applicators[a];

            if (applicator->kind == APPLY_ANY || applicator->kind == APPLY_ONE)
                facts_union(&facts, applicator, tag);
        }
    return facts;
}

/* ---- enums --------------------------------------------------------------- */

/* Values with one hash that are compared with each other. */
enum { BRANCH_EQUALS = 64 };

/* The values of a branch that is an enum or const and no more but types; NULL:
 * it is something else. */
static const surety__choices *branch_choices(const surety__shape *branch,
                                             const surety_doc *doc)
{
    const bool several = branch->constant && branch->choices;

    return several || branch->applicator_count || branch->numbers ||
                   branch->strings || branch->arrays || branch->objects ||
                   branch->at.doc != doc ||
                   (branch->lexical_integer && branch->types != TYPE_ANY)
               ? NULL
           : branch->constant ? branch->constant
                              : branch->choices;
}

/* Leaves out the values that several branches have; each is a hash, and a
 * branch and index. False: too many have one hash. */
static bool choices_once(const surety_doc *doc, surety__choices *choices)
{
    surety__pair *list = choices->list;
    uint32_t left = 0;

    for (uint32_t from = 0, to; from < choices->count; from = to) {
        uint64_t several = 0;

        for (to = from + 1;
             to < choices->count && list[to].key == list[from].key;)
            if (++to - from > BRANCH_EQUALS)
                return false;
        for (uint32_t i = from; i < to; i++)
            for (uint32_t k = from; k < i; k++)
                if (list[i].value >> 32 != list[k].value >> 32 &&
                    surety__cell_equal(
                        (surety_val){doc, (uint32_t)list[i].value},
                        (surety_val){doc, (uint32_t)list[k].value}))
                    several |= (uint64_t)1 << (i - from) | (uint64_t)1
                                                               << (k - from);
        for (uint32_t i = from; i < to; i++)
            if (!(several >> (i - from) & 1))
                list[left++] = list[i];
    }
    choices->count = left;
    return true;
}

bool surety__branches_merge(surety__compiler *compiler, const surety_doc *doc,
                            const surety__applicator *applicator,
                            surety__choices *ret_choices)
{
    surety__choices merged = {.count = 0};
    size_t most = 0;

    for (uint32_t i = 0; i < applicator->count; i++) {
        const surety__shape *branch = applicator->shapes[i]->direct;
        const surety__choices *choices = branch_choices(branch, doc);

        if (!choices && !branch->never)
            return true;
        most += choices ? choices->count : 0;
    }
    merged.list =
        surety__compiler_take(compiler, (most + 1) * sizeof(*merged.list));
    if (!merged.list)
        return false;
    for (uint32_t i = 0; i < applicator->count; i++) {
        const surety__shape *branch = applicator->shapes[i]->direct;
        const surety__choices *choices = branch_choices(branch, doc);

        for (uint32_t k = 0; choices && k < choices->count; k++) {
            const surety__pair pair = choices->list[k];

            if (surety__type_of_kind[doc->cells[pair.value].kind] &
                branch->types)
                merged.list[merged.count++] =
                    (surety__pair){pair.key, (uint64_t)i << 32 | pair.value};
        }
    }
    assert(merged.count <= most);
    surety__pairs_sort(merged.list, merged.count);
    if (applicator->kind == APPLY_ONE && !choices_once(doc, &merged))
        return true;
    for (uint32_t i = 0; i < merged.count; i++)
        merged.list[i].value = (uint32_t)merged.list[i].value;
    *ret_choices = merged;
    return true;
}

/* ---- the switch ---------------------------------------------------------- */

static bool branch_is_open(const surety__applicator *applicator, uint32_t i)
{
    return applicator->shapes[i]->direct->how[CELL_OBJECT] != HOW_NO;
}

/* The word that the index is at, NULL past the last; the index goes behind it.
 */
static surety__word *words_next(const surety__words *words, size_t *at)
{
    while (words->mask && *at <= words->mask && !words->entries[*at].text.ptr)
        ++*at;
    return (words->mask ? *at <= words->mask
                        : words->entries[*at].text.ptr != NULL)
               ? &words->entries[(*at)++]
               : NULL;
}

/* How many branches the tag fixes; *ret_words is by how many words. */
static uint32_t tag_score(const surety__applicator *applicator,
                          const struct branch_tag *tag, size_t *ret_words)
{
    uint32_t score = 0;

    *ret_words = 0;
    for (uint32_t i = 0; i < applicator->count; i++) {
        struct branch_facts facts;

        if (!branch_is_open(applicator, i))
            continue;
        facts = facts_of(applicator->shapes[i], tag);
        score += facts.set_count != 0;
        for (uint32_t s = 0; s < facts.set_count; s++)
            for (size_t at = 0; words_next(facts.sets[s], &at);)
                ++*ret_words;
    }
    return score;
}

/* The tag that fixes most branches, and at least `least`, looked for in the
 * members of the first one that objects can satisfy; *ret_words as above, 0
 * where there is none. */
static struct branch_tag tag_find(const surety__applicator *applicator,
                                  uint32_t least, size_t *ret_words)
{
    struct branch_tag best = {.hash = 0};
    struct branch_parts parts = {.count = 0};
    uint32_t best_score = least - 1;
    unsigned tried = 0;

    *ret_words = 0;
    for (uint32_t i = 0; i < applicator->count && !parts.count; i++)
        if (branch_is_open(applicator, i))
            parts_collect(applicator->shapes[i], &parts);
    for (uint32_t s = 0; s < parts.count; s++) {
        const surety__objects *objects = parts.shapes[s]->objects;

        for (uint32_t p = 0;
             objects && p < objects->property_count && tried < BRANCH_TAGS;
             p++) {
            const surety__property *property = &objects->properties[p];
            struct branch_tag tag = {property->name, property->hash};
            uint32_t score;
            size_t words;

            if (!property->shape || !property->shape->direct->words)
                continue;
            tried++;
            score = tag_score(applicator, &tag, &words);
            if (score <= best_score)
                continue;
            best_score = score;
            best = tag;
            *ret_words = words;
        }
    }
    return best;
}

/* ---- of many branches ---------------------------------------------------- */

/* The lists of branches may have so many entries for each branch. */
enum { LISTED_MAX = 16 };

/* What a switch of many branches is made of. */
struct branch_many {
    const surety__applicator *applicator;
    struct branch_tag tag;
    surety__words names; /* without a tag: required names, counted */
    surety__words words; /* values of the tag, or the rarest names */
    /* A pair for each word that a branch has: the entry of words, or UINT32_MAX
     * where it has none, and the branch. */
    surety__pair *pairs;
    size_t pair_count;
    uint32_t *order;
    uint32_t used;
};

/* Adds a branch to the order. */
static void many_add(struct branch_many *many, uint32_t branch)
{
    many->order[many->used++] = branch;
}

/* The stretch of order that begins at `from`. */
static uint64_t many_stretch(const struct branch_many *many, uint32_t from)
{
    assert(from <= many->used);
    return from | (uint64_t)many->used << 32;
}

/* Calls for the properties that a branch requires: how many there are; each is
 * added to names, and counted there, unless that is NULL. *ret_rarest is the
 * one that names counts least, NULL where there is none. */
static size_t branch_names(const surety__shape *branch, surety__words *names,
                           surety__word **ret_rarest)
{
    struct branch_parts parts;
    size_t count = 0;

    *ret_rarest = NULL;
    parts_collect(branch, &parts);
    for (uint32_t s = 0; s < parts.count; s++) {
        const surety__objects *objects = parts.shapes[s]->objects;

        count += objects ? objects->required_count : 0;
        for (uint32_t p = 0; names && objects && p < objects->property_count;
             p++) {
            surety__word *word;

            if (!objects->properties[p].required)
                continue;
            word = surety__words_add(names, objects->properties[p].name);
            word->branches++;
            if (!*ret_rarest || word->branches < (*ret_rarest)->branches)
                *ret_rarest = word;
        }
    }
    return count;
}

/* Adds the pairs of a branch; *ret_required: an object without the tag does not
 * satisfy it. */
static void many_take(struct branch_many *many, uint32_t branch,
                      bool *ret_required)
{
    const surety__shape *shape = many->applicator->shapes[branch];
    const size_t before = many->pair_count;
    struct branch_facts facts = {.set_count = 0};
    surety__word *word;

    *ret_required = false;
    if (many->tag.name.ptr) {
        facts = facts_of(shape, &many->tag);
        *ret_required = facts.required;
    } else if (branch_names(shape, &many->names, &word) && word) {
        word = surety__words_add(&many->words, word->text);
        many->pairs[many->pair_count++] =
            (surety__pair){(uint64_t)(word - many->words.entries), branch};
    }
    for (uint32_t s = 0; s < facts.set_count; s++) {
        const surety__word *from;

        for (size_t at = 0; (from = words_next(facts.sets[s], &at)) != NULL;) {
            word = surety__words_add(&many->words, from->text);
            many->pairs[many->pair_count++] =
                (surety__pair){(uint64_t)(word - many->words.entries), branch};
        }
    }
    if (many->pair_count == before)
        many->pairs[many->pair_count++] = (surety__pair){UINT32_MAX, branch};
}

/* Writes the list of each word: its branches and those without words (from
 * `open` on), in order. A branch is there once, however often it has the word.
 */
static void many_words(struct branch_many *many, size_t open)
{
    const surety__pair *pairs = many->pairs;

    for (size_t at = 0; at < open;) {
        const uint64_t entry = pairs[at].key;
        const uint32_t from = many->used;
        size_t other = open;

        while (other < many->pair_count ||
               (at < open && pairs[at].key == entry)) {
            const bool own = at < open && pairs[at].key == entry &&
                             (other == many->pair_count ||
                              pairs[at].value < pairs[other].value);
            const uint32_t branch = (uint32_t)pairs[own ? at++ : other++].value;

            if (many->used == from || many->order[many->used - 1] != branch)
                many_add(many, branch);
        }
        many->words.entries[entry].branches = many_stretch(many, from);
    }
}

/* How many words the pairs have before `open`; they are sorted. */
static size_t many_word_count(const struct branch_many *many, size_t open)
{
    size_t count = 0;

    for (size_t i = 0; i < open; i++)
        count += i == 0 || many->pairs[i].key != many->pairs[i - 1].key;
    return count;
}

/* Writes all lists: those by kind, and where the words have not too much in
 * common theirs. */
static bool many_lists(surety__compiler *compiler, struct branch_many *many,
                       surety__switch *built, const bool *required)
{
    const surety__applicator *applicator = many->applicator;
    size_t open = many->pair_count;
    size_t room = (size_t)applicator->count * (CELL_KINDS + 3);
    size_t listed;
    uint64_t *kinds;

    surety__pairs_sort(many->pairs, many->pair_count);
    while (open > 0 && many->pairs[open - 1].key == UINT32_MAX)
        open--;
    listed = open + many_word_count(many, open) * (many->pair_count - open);
    if (listed > (size_t)applicator->count * LISTED_MAX)
        listed = open = 0;
    many->order =
        surety__compiler_take(compiler, (room + listed) * sizeof(uint32_t));
    kinds = surety__compiler_take(compiler, CELL_KINDS * sizeof(*kinds));
    if (!many->order || !kinds)
        return false;
    built->order = many->order;
    for (unsigned kind = CELL_NULL; kind < CELL_KINDS; kind++) {
        const uint32_t from = many->used;

        for (uint32_t i = 0; i < applicator->count; i++)
            if (applicator->shapes[i]->direct->how[kind] != HOW_NO)
                many_add(many, i);
        kinds[kind] = many_stretch(many, from);
    }
    built->kinds = kinds;
    built->objects = kinds[CELL_OBJECT];
    built->lacking = built->open = built->objects;
    if (!open)
        return true;
    many_words(many, open);
    built->open = many_stretch(many, many->used) & UINT32_MAX;
    for (size_t i = open; i < many->pair_count; i++)
        many_add(many, (uint32_t)many->pairs[i].value);
    built->open = many_stretch(many, (uint32_t)built->open);
    built->lacking = many->used;
    for (uint32_t i = 0; i < applicator->count; i++)
        if (branch_is_open(applicator, i) && !required[i])
            many_add(many, i);
    built->lacking = many_stretch(many, (uint32_t)built->lacking);
    built->words = many->words;
    built->name = many->tag.name;
    built->hash = (uint16_t)many->tag.hash;
    assert(many->used <= room + listed);
    return true;
}

/* More branches than bits. words: how many the tag has. */
static bool switch_many(surety__compiler *compiler,
                        surety__applicator *applicator, surety__switch *built,
                        const struct branch_tag *tag, size_t words)
{
    struct branch_many many = {.applicator = applicator, .tag = *tag};
    surety__arena *work = &compiler->resolver.work;
    surety__word *rarest;
    bool *required = surety__arena_take(work, applicator->count);

    for (uint32_t i = 0; i < applicator->count && !tag->name.ptr; i++)
        words += branch_names(applicator->shapes[i], NULL, &rarest);
    many.pairs = surety__arena_take(work, (words + applicator->count) *
                                              sizeof(*many.pairs));
    if (!required || !many.pairs)
        return surety__resolver_starve(&compiler->resolver);
    if (!surety__words_open(compiler, &many.words, words) ||
        !surety__words_open(compiler, &many.names, tag->name.ptr ? 0 : words))
        return false;
    for (uint32_t i = 0; i < applicator->count && !tag->name.ptr; i++)
        branch_names(applicator->shapes[i], &many.names, &rarest);
    for (uint32_t i = 0; i < applicator->count; i++)
        if (branch_is_open(applicator, i))
            many_take(&many, i, &required[i]);
    applicator->branching = built;
    return many_lists(compiler, &many, built, required);
}

static bool switch_few(surety__compiler *compiler,
                       surety__applicator *applicator, surety__switch *built,
                       const struct branch_tag *tag, size_t words)
{
    surety__screen *screens =
        surety__compiler_take(compiler, applicator->count * sizeof(*screens));
    bool decides = tag->name.ptr != NULL;

    if (!screens || !surety__words_open(compiler, &built->words, words))
        return false;
    built->name = tag->name;
    built->hash = (uint16_t)tag->hash;
    for (uint32_t i = 0; i < applicator->count; i++) {
        uint64_t bit = (uint64_t)1 << i;
        struct branch_facts facts;

        if (!branch_is_open(applicator, i))
            continue;
        facts = facts_of(applicator->shapes[i], tag);
        screens[i] = facts.screen;
        decides = decides || facts.screen.needs || ~facts.screen.allows;
        built->objects |= bit;
        if (!facts.required)
            built->lacking |= bit;
        if (!facts.set_count)
            built->open |= bit;
        for (uint32_t s = 0; s < facts.set_count; s++) {
            const surety__word *word;

            for (size_t at = 0;
                 (word = words_next(facts.sets[s], &at)) != NULL;)
                surety__words_add(&built->words, word->text)->branches |= bit;
        }
    }
    built->screens = screens;
    if (decides)
        applicator->branching = built;
    return true;
}

bool surety__fold_switch(surety__compiler *compiler,
                         surety__applicator *applicator)
{
    const bool many = applicator->count > SWITCH_BRANCHES;
    struct branch_tag tag;
    surety__switch *built;
    uint32_t open = 0;
    size_t words;

    if (applicator->choice ||
        (applicator->kind != APPLY_ANY && applicator->kind != APPLY_ONE))
        return true;
    for (uint32_t i = 0; i < applicator->count; i++)
        open += branch_is_open(applicator, i);
    if (open < 2 && !many)
        return true;
    /* Of many, names do better than a tag of a few. */
    tag = tag_find(applicator, many ? open / 2 + 1 : 2, &words);
    built = surety__compiler_take(compiler, sizeof(*built));
    return built &&
           (many ? switch_many(compiler, applicator, built, &tag, words)
                 : switch_few(compiler, applicator, built, &tag, words));
}
