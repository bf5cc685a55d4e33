/* SPDX-License-Identifier: Apache-2.0 */
/* Telling the branches of anyOf and oneOf apart without trying them.
 *
 * Two things are looked for in the branches, through references, allOf and a
 * few more unions: members whose values some of them fix by const or enum, or
 * whose kinds differ (tags), and the names that a branch must have or may not
 * have. Only necessary conditions are collected, so a branch that is ruled out
 * would have failed, and one that is left may still fail. */
#include "schema/compile.h"

enum {
    BRANCH_SHAPES = 16, /* a branch and what it applies to the same value */
    BRANCH_SETS = 16,   /* sets of values for one member of one branch */
    BRANCH_TAGS = 16,   /* members that are tried */
    /* Unions in each other that are looked through, for a tag and for names. */
    BRANCH_UNIONS_TAG = 1,
    BRANCH_UNIONS = 2,
    ALL_KINDS = (1 << CELL_KINDS) - 1
};

struct branch_parts {
    const surety__shape *shapes[BRANCH_SHAPES];
    uint32_t count;
};

/* The member that may be a tag; name.ptr NULL: none, and the names of members
 * are looked at instead. */
struct branch_tag {
    surety_str name;
    uint32_t hash;
};

/* Conditions of a branch on objects: with a tag those on it, without one those
 * on names. */
struct branch_facts {
    surety__screen screen;
    uint64_t named;  /* bits of the members that have a schema, */
    uint64_t shared; /* and of those that have several */
    const surety__choices *sets[BRANCH_SETS]; /* the tag's values, if any */
    uint32_t set_count;
    const surety__words *excluded; /* strings that the tag is not; or NULL */
    uint16_t kinds;                /* of the tag's value */
    bool required;                 /* the tag must be there */
};

static uint64_t branch_bit(uint32_t hash)
{
    return (uint64_t)1 << (hash & 63);
}

static bool branch_is_open(const surety__applicator *applicator, uint32_t i)
{
    return applicator->shapes[i]->direct->how[CELL_OBJECT] != HOW_NO;
}

static bool applicator_is_union(const surety__applicator *applicator)
{
    return applicator->kind == APPLY_ANY || applicator->kind == APPLY_ONE;
}

/* shape and what its references and allOf apply; with `firsts` also the first
 * branch of each union that objects can satisfy. */
static void parts_collect(const surety__shape *shape, bool firsts,
                          struct branch_parts *parts)
{
    parts->shapes[0] = shape->direct;
    parts->count = 1;
    for (uint32_t i = 0; i < parts->count; i++)
        for (uint32_t a = 0; a < parts->shapes[i]->applicator_count; a++) {
            const surety__applicator *applicator =
                &parts->shapes[i]->applicators[a];
            const bool first = firsts && applicator_is_union(applicator);

            for (uint32_t s = 0;
                 (applicator->kind == APPLY_ALL || first) &&
                 s < applicator->count && parts->count < BRANCH_SHAPES;
                 s++) {
                if (first && !branch_is_open(applicator, s))
                    continue;
                parts->shapes[parts->count++] = applicator->shapes[s]->direct;
                if (first)
                    break;
            }
        }
}

/* The const or enum of a shape, if none of its values nests. */
static const surety__choices *tag_choices(const surety__shape *shape)
{
    const surety__choices *choices =
        shape->constant ? shape->constant : shape->choices;

    for (uint32_t i = 0; choices && i < choices->count; i++)
        if (shape->at.doc->cells[choices->list[i].value].kind >= CELL_ARRAY)
            return NULL;
    return choices;
}

static uint16_t tag_kinds(const surety__shape *shape)
{
    uint16_t kinds = 0;

    for (unsigned kind = CELL_NULL; kind < CELL_KINDS; kind++)
        if (shape->how[kind] != HOW_NO)
            kinds |= (uint16_t)(1u << kind);
    return kinds;
}

const surety__choices *surety__shape_choices(const surety__shape *shape,
                                             const surety_doc *doc)
{
    const bool several = shape->constant && shape->choices;

    return several || shape->applicator_count || shape->numbers ||
                   shape->strings || shape->arrays || shape->objects ||
                   shape->at.doc != doc ||
                   (shape->lexical_integer && shape->types != TYPE_ANY)
               ? NULL
           : shape->constant ? shape->constant
                             : shape->choices;
}

/* The strings that no value of the shape is; NULL: there are none. */
static const surety__words *tag_excluded(const surety__shape *shape)
{
    for (uint32_t i = 0; i < shape->applicator_count; i++) {
        const surety__applicator *applicator = &shape->applicators[i];
        const surety__shape *branch = applicator->shapes[0]->direct;

        if (applicator->kind == APPLY_NOT && branch->types & TYPE_STRING &&
            surety__shape_choices(branch, branch->at.doc))
            return branch->words;
    }
    return NULL;
}

/* Adds the conditions of the shape itself on the tag. */
static void facts_add_tag(struct branch_facts *facts,
                          const surety__objects *objects,
                          const struct branch_tag *tag)
{
    const surety__property *property =
        surety__objects_named(objects, tag->name, tag->hash);

    if (!property)
        return;
    facts->required = facts->required || property->required;
    if (!property->shape)
        return;
    facts->kinds &= tag_kinds(property->shape->direct);
    if (!facts->set_count && tag_choices(property->shape->direct))
        facts->sets[facts->set_count++] = tag_choices(property->shape->direct);
    if (!facts->excluded)
        facts->excluded = tag_excluded(property->shape->direct);
}

/* Adds members that have a schema. */
static void facts_name(struct branch_facts *facts, uint64_t named,
                       uint64_t shared)
{
    facts->shared |= shared | (facts->named & named);
    facts->named |= named;
}

/* Adds the conditions of the shape itself on names. */
static void facts_add_names(struct branch_facts *facts,
                            const surety__objects *objects)
{
    uint64_t names = 0;

    for (uint32_t i = 0; i < objects->property_count; i++) {
        const surety__property *property = &objects->properties[i];

        if (property->required)
            facts->screen.needs |= branch_bit(property->hash);
        if (property->shape)
            names |= branch_bit(property->hash);
    }
    if (objects->additional && objects->additional->never &&
        !objects->pattern_count)
        facts->screen.allows &= names;
    facts_name(facts, names, 0);
}

/* The conditions of a shape and those it refers to, without unions. */
static struct branch_facts facts_plain(const struct branch_parts *parts,
                                       const struct branch_tag *tag)
{
    struct branch_facts facts = {.screen.allows = UINT64_MAX,
                                 .kinds = ALL_KINDS};

    assert(parts->count && parts->count <= BRANCH_SHAPES);
    for (uint32_t i = 0; i < parts->count; i++) {
        const surety__objects *objects = parts->shapes[i]->objects;

        if (objects && tag->name.ptr)
            facts_add_tag(&facts, objects, tag);
        else if (objects)
            facts_add_names(&facts, objects);
    }
    return facts;
}

static struct branch_facts facts_of(const surety__shape *branch,
                                    const struct branch_tag *tag,
                                    unsigned unions);

/* Adds what the alternatives of a union have in common; facts_of. */
static void facts_union(struct branch_facts *facts,
                        const surety__applicator *applicator,
                        const struct branch_tag *tag, unsigned unions)
{
    struct branch_facts all = {.screen = {.needs = UINT64_MAX},
                               .required = true};
    bool tagged = true;
    bool some = true;

    for (uint32_t i = 0; i < applicator->count; i++) {
        struct branch_facts one;

        if (!branch_is_open(applicator, i))
            continue;
        one = facts_of(applicator->shapes[i], tag, unions - 1);
        some = some && (one.screen.needs || one.screen.some);
        all.screen.some |=
            one.screen.needs ? one.screen.needs : one.screen.some;
        all.screen.needs &= one.screen.needs;
        all.screen.allows |= one.screen.allows;
        facts_name(facts, one.named, one.shared);
        all.kinds |= one.kinds;
        all.required = all.required && one.required;
        tagged = tagged && one.set_count &&
                 all.set_count + one.set_count <= BRANCH_SETS;
        for (uint32_t s = 0; tagged && s < one.set_count; s++)
            all.sets[all.set_count++] = one.sets[s];
    }
    facts->screen.needs |= all.screen.needs;
    facts->screen.allows &= all.screen.allows;
    if (some && !facts->screen.some)
        facts->screen.some = all.screen.some;
    facts->kinds &= all.kinds;
    facts->required = facts->required || all.required;
    if (facts->set_count || !tagged)
        return;
    memcpy(facts->sets, all.sets, sizeof(all.sets));
    facts->set_count = all.set_count;
}

/* The conditions of a branch; so many unions in each other are looked
 * through. */
static struct branch_facts facts_of(const surety__shape *branch,
                                    const struct branch_tag *tag,
                                    unsigned unions)
{
    struct branch_parts parts;
    struct branch_facts facts;

    parts_collect(branch, false, &parts);
    facts = facts_plain(&parts, tag);
    for (uint32_t i = 0; i < parts.count && unions; i++)
        for (uint32_t a = 0; a < parts.shapes[i]->applicator_count; a++)
            if (applicator_is_union(&parts.shapes[i]->applicators[a]))
                facts_union(&facts, &parts.shapes[i]->applicators[a], tag,
                            unions);
    return facts;
}

/* ---- enums --------------------------------------------------------------- */

/* Values with one hash that are compared with each other: a set of them is one
 * number. */
enum { BRANCH_EQUALS = 64 };

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
        const surety__choices *choices = surety__shape_choices(branch, doc);

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
        const surety__choices *choices = surety__shape_choices(branch, doc);

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

bool surety__hashed_open(surety__compiler *compiler, surety__hashed *hashed,
                         size_t count)
{
    size_t room = 4;

    while (room < 2 * count)
        room *= 2;
    hashed->mask = (uint32_t)room - 1;
    hashed->entries =
        surety__compiler_take(compiler, room * sizeof(*hashed->entries));
    return hashed->entries != NULL;
}

/* The entry of a hash; a new one has this value. */
static surety__pair *hashed_add(surety__hashed *hashed, uint64_t hash,
                                uint64_t value)
{
    surety__pair *entry = surety__hashed_at(hashed, hash);

    assert(value);
    if (!entry->value)
        *entry = (surety__pair){hash, value};
    return entry;
}

/* What a member would do as a tag. */
struct tag_score {
    uint32_t fixed;     /* branches that fix its value */
    size_t values;      /* by so many */
    uint32_t excluding; /* branches that exclude values */
    bool differs;       /* no kind of value is for all branches */
};

static struct tag_score tag_score(const surety__applicator *applicator,
                                  const struct branch_tag *tag)
{
    struct tag_score score = {.fixed = 0};
    uint16_t kinds = ALL_KINDS;

    for (uint32_t i = 0; i < applicator->count; i++) {
        struct branch_facts facts;

        if (!branch_is_open(applicator, i))
            continue;
        facts = facts_of(applicator->shapes[i], tag, BRANCH_UNIONS_TAG);
        score.fixed += facts.set_count != 0;
        for (uint32_t s = 0; s < facts.set_count; s++)
            score.values += facts.sets[s]->count;
        score.excluding += facts.excluded != NULL;
        kinds &= facts.kinds;
    }
    score.differs = kinds == 0;
    return score;
}

/* A tag, and how it does. */
struct tag_found {
    struct branch_tag tag;
    struct tag_score score;
};

/* The best tags, SWITCH_TAGS at most, of the members of the first branch that
 * objects can satisfy: those that fix most branches first. Returns how many. Of
 * many branches a tag must fix most, so only SWITCH_TAGS members are tried. One
 * that is not among the shared names has one schema, and tells nothing unless
 * that allows no value. */
static uint32_t tags_find(const surety__applicator *applicator, uint64_t shared,
                          struct tag_found *found)
{
    const bool many = applicator->count > SWITCH_BRANCHES;
    const unsigned most = many ? SWITCH_TAGS : BRANCH_TAGS;
    struct branch_parts parts = {.count = 0};
    uint32_t count = 0;
    unsigned tried = 0;

    for (uint32_t i = 0; i < applicator->count && !parts.count; i++)
        if (branch_is_open(applicator, i))
            parts_collect(applicator->shapes[i], true, &parts);
    for (uint32_t s = 0; s < parts.count; s++) {
        const surety__objects *objects = parts.shapes[s]->objects;

        for (uint32_t p = 0;
             objects && p < objects->property_count && tried < most; p++) {
            const surety__property *property = &objects->properties[p];
            struct tag_found one = {.tag = {property->name, property->hash}};
            uint32_t at = count;

            if (!property->shape ||
                (many && !tag_choices(property->shape->direct)))
                continue;
            tried++;
            if (!(shared & branch_bit(property->hash)) &&
                tag_kinds(property->shape->direct))
                continue;
            one.score = tag_score(applicator, &one.tag);
            if (one.score.fixed + one.score.excluding < 2 && !one.score.differs)
                continue;
            while (at && found[at - 1].score.fixed < one.score.fixed)
                at--;
            if (at == SWITCH_TAGS)
                continue;
            count += count < SWITCH_TAGS;
            memmove(&found[at + 1], &found[at],
                    (count - at - 1) * sizeof(*found));
            found[at] = one;
        }
    }
    return count;
}

/* ---- of many branches ---------------------------------------------------- */

/* The lists of branches may have so many entries for each branch. */
enum { LISTED_MAX = 16 };

/* What a switch of many branches is made of. */
struct branch_many {
    const surety__applicator *applicator;
    struct branch_tag tag;
    surety__hashed names;  /* without a tag: required names, counted */
    surety__hashed hashed; /* values of the tag, or the rarest names */
    /* A pair for each hash that a branch has: the entry of hashed, or
     * UINT32_MAX where it has none, and the branch. */
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
static size_t branch_names(const surety__shape *branch, surety__hashed *names,
                           surety__pair **ret_rarest)
{
    struct branch_parts parts;
    size_t count = 0;

    *ret_rarest = NULL;
    parts_collect(branch, false, &parts);
    for (uint32_t s = 0; s < parts.count; s++) {
        const surety__objects *objects = parts.shapes[s]->objects;

        count += objects ? objects->required_count : 0;
        for (uint32_t p = 0; names && objects && p < objects->property_count;
             p++) {
            const surety__property *property = &objects->properties[p];
            surety__pair *entry;

            if (!property->required)
                continue;
            entry = hashed_add(names, surety__hashed_name(property->name), 1);
            entry->value++;
            if (!*ret_rarest || entry->value < (*ret_rarest)->value)
                *ret_rarest = entry;
        }
    }
    return count;
}

/* Adds the pair of a hash that a branch has. */
static void many_pair(struct branch_many *many, uint64_t hash, uint32_t branch)
{
    const surety__pair *entry = hashed_add(&many->hashed, hash, UINT64_MAX);

    many->pairs[many->pair_count++] =
        (surety__pair){(uint64_t)(entry - many->hashed.entries), branch};
}

/* Adds the pairs of a branch; *ret_required: an object without the tag does not
 * satisfy it. */
static void many_take(struct branch_many *many, uint32_t branch,
                      bool *ret_required)
{
    const surety__shape *shape = many->applicator->shapes[branch];
    const size_t before = many->pair_count;
    struct branch_facts facts = {.set_count = 0};
    surety__pair *rarest;

    *ret_required = false;
    if (many->tag.name.ptr) {
        facts = facts_of(shape, &many->tag, BRANCH_UNIONS_TAG);
        *ret_required = facts.required;
    } else if (branch_names(shape, &many->names, &rarest) && rarest) {
        many_pair(many, rarest->key, branch);
    }
    for (uint32_t s = 0; s < facts.set_count; s++)
        for (uint32_t k = 0; k < facts.sets[s]->count; k++)
            many_pair(many, facts.sets[s]->list[k].key, branch);
    if (many->pair_count == before)
        many->pairs[many->pair_count++] = (surety__pair){UINT32_MAX, branch};
}

/* Writes the list of each hash: its branches and those without one (from `open`
 * on), in order. A branch is there once, however often it has the hash. */
static void many_hashes(struct branch_many *many, size_t open)
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
        many->hashed.entries[entry].value = many_stretch(many, from);
    }
}

/* How many hashes the pairs have before `open`; they are sorted. */
static size_t many_hash_count(const struct branch_many *many, size_t open)
{
    size_t count = 0;

    for (size_t i = 0; i < open; i++)
        count += i == 0 || many->pairs[i].key != many->pairs[i - 1].key;
    return count;
}

/* Writes all lists: those by kind, and where the hashes have not too much in
 * common theirs, as those of the tag or of names. */
static bool many_lists(surety__compiler *compiler, struct branch_many *many,
                       surety__switch *built, surety__tag *tag,
                       const bool *required)
{
    const surety__applicator *applicator = many->applicator;
    size_t open = many->pair_count;
    size_t room = (size_t)applicator->count * (CELL_KINDS + 3);
    size_t listed;
    uint64_t *kinds;

    surety__pairs_sort(many->pairs, many->pair_count);
    while (open > 0 && many->pairs[open - 1].key == UINT32_MAX)
        open--;
    listed = open + many_hash_count(many, open) * (many->pair_count - open);
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
    if (!open)
        return true;
    many_hashes(many, open);
    built->nameless = many_stretch(many, many->used) & UINT32_MAX;
    for (size_t i = open; i < many->pair_count; i++)
        many_add(many, (uint32_t)many->pairs[i].value);
    built->nameless = many_stretch(many, (uint32_t)built->nameless);
    if (!many->tag.name.ptr) {
        built->names = many->hashed;
        return true;
    }
    *tag = (surety__tag){.name = many->tag.name,
                         .hash = (uint16_t)many->tag.hash,
                         .values = many->hashed,
                         .open = built->nameless,
                         .lacking = many->used};
    for (uint32_t i = 0; i < applicator->count; i++)
        if (branch_is_open(applicator, i) && !required[i])
            many_add(many, i);
    tag->lacking = many_stretch(many, (uint32_t)tag->lacking);
    built->tags = tag;
    built->tag_count = 1;
    assert(many->used <= room + listed);
    return true;
}

/* More branches than bits. Names do better than a tag of a few. */
static bool switch_many(surety__compiler *compiler,
                        surety__applicator *applicator, surety__switch *built,
                        uint32_t open)
{
    struct tag_found found[SWITCH_TAGS] = {{.tag = {.hash = 0}}};
    const bool tagged = tags_find(applicator, UINT64_MAX, found) &&
                        found->score.fixed > open / 2;
    struct branch_many many = {.applicator = applicator};
    surety__arena *work = &compiler->resolver.work;
    surety__tag *tag = surety__compiler_take(compiler, sizeof(*tag));
    surety__pair *rarest;
    bool *required = surety__arena_take(work, applicator->count);
    size_t hashes = tagged ? found->score.values : 0;

    if (tagged)
        many.tag = found->tag;
    for (uint32_t i = 0; i < applicator->count && !tagged; i++)
        hashes += branch_names(applicator->shapes[i], NULL, &rarest);
    many.pairs = surety__arena_take(work, (hashes + applicator->count) *
                                              sizeof(*many.pairs));
    if (!tag || !required || !many.pairs)
        return surety__resolver_starve(&compiler->resolver);
    if (!surety__hashed_open(compiler, &many.hashed, hashes) ||
        !surety__hashed_open(compiler, &many.names, tagged ? 0 : hashes))
        return false;
    for (uint32_t i = 0; i < applicator->count && !tagged; i++)
        branch_names(applicator->shapes[i], &many.names, &rarest);
    for (uint32_t i = 0; i < applicator->count; i++)
        if (branch_is_open(applicator, i))
            many_take(&many, i, &required[i]);
    applicator->branching = built;
    return many_lists(compiler, &many, built, tag, required);
}

/* A tag of few branches. */
static bool tag_few(surety__compiler *compiler,
                    const surety__applicator *applicator,
                    const struct tag_found *found, surety__tag *tag)
{
    tag->name = found->tag.name;
    tag->hash = (uint16_t)found->tag.hash;
    if (!surety__hashed_open(compiler, &tag->values, found->score.values))
        return false;
    for (uint32_t i = 0; i < applicator->count; i++) {
        const uint64_t bit = (uint64_t)1 << i;
        struct branch_facts facts;

        if (!branch_is_open(applicator, i))
            continue;
        facts = facts_of(applicator->shapes[i], &found->tag, BRANCH_UNIONS_TAG);
        if (!facts.required)
            tag->lacking |= bit;
        if (!facts.set_count)
            tag->open |= bit;
        if (!tag->excluded)
            tag->excluded = facts.excluded;
        if (facts.excluded && facts.excluded == tag->excluded)
            tag->excluding |= bit;
        for (unsigned kind = CELL_NULL; kind < CELL_KINDS; kind++)
            if (facts.kinds >> kind & 1)
                tag->kinds[kind] |= bit;
        for (uint32_t s = 0; s < facts.set_count; s++)
            for (uint32_t k = 0; k < facts.sets[s]->count; k++)
                hashed_add(&tag->values, facts.sets[s]->list[k].key, bit)
                    ->value |= bit;
    }
    return true;
}

static bool switch_few(surety__compiler *compiler,
                       surety__applicator *applicator, surety__switch *built)
{
    const struct branch_tag none = {.hash = 0};
    struct tag_found found[SWITCH_TAGS] = {{.tag = {.hash = 0}}};
    struct branch_facts all = {.named = 0};
    surety__screen *screens =
        surety__compiler_take(compiler, applicator->count * sizeof(*screens));
    surety__tag *tags;
    bool decides = false;

    if (!screens)
        return false;
    for (uint32_t i = 0; i < applicator->count; i++) {
        struct branch_facts facts;

        if (!branch_is_open(applicator, i))
            continue;
        facts = facts_of(applicator->shapes[i], &none, BRANCH_UNIONS);
        facts_name(&all, facts.named, facts.shared);
        screens[i] = facts.screen;
        decides = decides || screens[i].needs || screens[i].some ||
                  ~screens[i].allows;
        built->objects |= (uint64_t)1 << i;
    }
    built->screens = screens;
    built->tag_count = tags_find(applicator, all.shared, found);
    tags =
        surety__compiler_take(compiler, (built->tag_count + 1) * sizeof(*tags));
    if (!tags)
        return false;
    for (uint32_t t = 0; t < built->tag_count; t++)
        if (!tag_few(compiler, applicator, &found[t], &tags[t]))
            return false;
    built->tags = tags;
    if (decides || built->tag_count)
        applicator->branching = built;
    return true;
}

bool surety__fold_switch(surety__compiler *compiler,
                         surety__applicator *applicator)
{
    const bool many = applicator->count > SWITCH_BRANCHES;
    surety__switch *built;
    uint32_t open = 0;

    if (applicator->choice || !applicator_is_union(applicator))
        return true;
    for (uint32_t i = 0; i < applicator->count; i++)
        open += branch_is_open(applicator, i);
    if (open < 2 && !many)
        return true;
    built = surety__compiler_take(compiler, sizeof(*built));
    return built && (many ? switch_many(compiler, applicator, built, open)
                          : switch_few(compiler, applicator, built));
}
