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

static bool branch_is_open(const surety__applicator *applicator, uint32_t i)
{
    return applicator->shapes[i]->direct->how[CELL_OBJECT] != HOW_NO;
}

/* Calls for each word of facts; counts them, and adds them to words unless it
 * is NULL, for branch. Of many branches a word may mean only one: false where
 * it would mean two. */
static bool words_take(const struct branch_facts *facts, surety__words *words,
                       uint32_t branch, bool many, size_t *count)
{
    assert(many || !words || branch < SWITCH_BRANCHES);
    for (uint32_t s = 0; s < facts->set_count; s++) {
        const surety__words *set = facts->sets[s];

        for (size_t w = 0;
             set->mask ? w <= set->mask : set->entries[w].text.ptr != NULL;
             w++) {
            surety__word *word;

            if (!set->entries[w].text.ptr)
                continue;
            ++*count;
            if (!words)
                continue;
            word = surety__words_add(words, set->entries[w].text);
            if (many && word->branches && word->branches != branch + 1)
                return false;
            if (many)
                word->branches = branch + 1;
            else
                word->branches |= (uint64_t)1 << branch;
        }
    }
    return true;
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
        words_take(&facts, NULL, i, false, ret_words);
    }
    return score;
}

/* The tag that fixes most branches, looked for in the members of the first one
 * that objects can satisfy; *ret_words as above, 0 where there is none. */
static struct branch_tag tag_find(const surety__applicator *applicator,
                                  size_t *ret_words)
{
    struct branch_tag best = {.hash = 0};
    struct branch_parts parts = {.count = 0};
    uint32_t best_score = 1;
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

/* Of more branches than bits: only where the tag decides every one. */
static void switch_many(surety__applicator *applicator, surety__switch *built,
                        const struct branch_tag *tag)
{
    size_t words = 0;

    for (uint32_t i = 0; i < applicator->count; i++) {
        struct branch_facts facts;

        if (!branch_is_open(applicator, i))
            continue;
        facts = facts_of(applicator->shapes[i], tag);
        if (!facts.set_count || !facts.required ||
            !words_take(&facts, &built->words, i, true, &words))
            return;
    }
    applicator->branching = built;
}

static bool switch_few(surety__compiler *compiler,
                       surety__applicator *applicator, surety__switch *built,
                       const struct branch_tag *tag)
{
    surety__screen *screens =
        surety__compiler_take(compiler, applicator->count * sizeof(*screens));
    bool decides = tag->name.ptr != NULL;
    size_t words = 0;

    if (!screens)
        return false;
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
        words_take(&facts, &built->words, i, false, &words);
    }
    built->screens = screens;
    if (decides)
        applicator->branching = built;
    return true;
}

bool surety__fold_switch(surety__compiler *compiler,
                         surety__applicator *applicator)
{
    struct branch_tag tag;
    surety__switch *built;
    uint32_t open = 0;
    size_t words;

    if (applicator->kind != APPLY_ANY && applicator->kind != APPLY_ONE)
        return true;
    for (uint32_t i = 0; i < applicator->count; i++)
        open += branch_is_open(applicator, i);
    if (open < 2)
        return true;
    tag = tag_find(applicator, &words);
    if (applicator->count > SWITCH_BRANCHES && !tag.name.ptr)
        return true;
    built = surety__compiler_take(compiler, sizeof(*built));
    if (!built || !surety__words_open(compiler, &built->words, words))
        return false;
    built->name = tag.name;
    built->hash = (uint16_t)tag.hash;
    if (applicator->count <= SWITCH_BRANCHES)
        return switch_few(compiler, applicator, built, &tag);
    switch_many(applicator, built, &tag);
    return true;
}
