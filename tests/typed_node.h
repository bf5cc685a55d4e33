/* SPDX-License-Identifier: Apache-2.0 */
/* typed_node.h: a type of every form by hand, as surety gen writes it, for
 * tests of typed values. */
#ifndef SURETY_TESTS_TYPED_NODE_H
#define SURETY_TESTS_TYPED_NODE_H

#include <stddef.h>

#include <surety/typed.h>

#define NONE SURETY_TYPED_NONE
#define POINTER SURETY_TYPED_POINTER
#define NAME(text) SURETY_TYPED_NAME(text)

typedef enum color { COLOR_RED, COLOR_BLUE } color;
typedef enum choice_kind { CHOICE_TEXT, CHOICE_NODE, CHOICE_NULL } choice_kind;
typedef struct node node;

typedef struct choice {
    choice_kind kind;
    union {
        surety_str text;
        const node *node;
    } as;
} choice;

typedef struct pair {
    int64_t first;
    bool has_second;
    double second;
    const int64_t *rest;
    size_t rest_count;
} pair;

typedef struct bag_entry {
    surety_str key;
    bool value;
} bag_entry;

struct node {
    int64_t whole;
    bool has_natural;
    uint64_t natural;
    double real;
    surety_str text;
    bool has_number;
    surety_str number;
    color color;
    bool has_any;
    surety_val any;
    const node *next;
    bool has_heir;
    const node *heir;
    const pair *pair;
    bool has_choices;
    const choice *choices;
    size_t choices_count;
    bool has_bag;
    const bag_entry *bag;
    size_t bag_count;
    bool has_note;
    bool note_is_null;
    surety_str note;
    const surety_typed_entry *others;
    size_t others_count;
};

enum {
    IS_INT,
    IS_UINT,
    IS_REAL,
    IS_TEXT,
    IS_NUMBER,
    IS_BOOL,
    IS_VALUE,
    IS_COLOR,
    IS_KIND,
    IS_NULL,
    IS_INTS,
    IS_PAIR,
    IS_CHOICE,
    IS_CHOICES,
    IS_BAG,
    IS_OTHERS,
    IS_NODE
};

static const surety_str color_words[] = {NAME("red"), NAME("blue")};
static const surety_str kind_words[] = {NAME("\"node\"")};
static const surety_str null_words[] = {NAME("null")};

/* clang-format off */
static const surety_typed_member choice_members[] = {
    {NAME("text"), IS_TEXT, offsetof(choice, as.text), NONE, NONE, NONE, NULL},
    {NAME("node"), IS_NODE, offsetof(choice, as.node), NONE, NONE, NONE, NULL},
    {NAME("null"), IS_NULL, NONE, NONE, NONE, NONE, NULL},
};
static const surety_typed_member pair_members[] = {
    {NAME("first"), IS_INT, offsetof(pair, first), NONE, NONE, NONE, NULL},
    {NAME("second"), IS_REAL, offsetof(pair, second), NONE,
     offsetof(pair, has_second), NONE, NULL},
};
static const surety_typed_member node_members[] = {
    {NAME("whole"), IS_INT, offsetof(node, whole), NONE, NONE, NONE, "7"},
    {NAME("natural"), IS_UINT, offsetof(node, natural), NONE,
     offsetof(node, has_natural), NONE, NULL},
    {NAME("real"), IS_REAL, offsetof(node, real), NONE, NONE, NONE, "0.5"},
    {NAME("text"), IS_TEXT, offsetof(node, text), NONE, NONE, NONE, "\"-\""},
    {NAME("number"), IS_NUMBER, offsetof(node, number), NONE,
     offsetof(node, has_number), NONE, NULL},
    {NAME("kind"), IS_KIND, NONE, NONE, NONE, NONE, NULL},
    {NAME("color"), IS_COLOR, offsetof(node, color), NONE, NONE, NONE,
     "\"blue\""},
    {NAME("any"), IS_VALUE, offsetof(node, any), NONE, offsetof(node, has_any),
     NONE, NULL},
    {NAME("next"), IS_NODE, offsetof(node, next), NONE, POINTER, NONE, NULL},
    {NAME("heir"), IS_NODE, offsetof(node, heir), NONE,
     offsetof(node, has_heir), POINTER, NULL},
    {NAME("pair"), IS_PAIR, offsetof(node, pair), NONE, POINTER, NONE, NULL},
    {NAME("choices"), IS_CHOICES, offsetof(node, choices),
     offsetof(node, choices_count), offsetof(node, has_choices), NONE, NULL},
    {NAME("bag"), IS_BAG, offsetof(node, bag), offsetof(node, bag_count),
     offsetof(node, has_bag), NONE, NULL},
    {NAME("note"), IS_TEXT, offsetof(node, note), NONE,
     offsetof(node, has_note), offsetof(node, note_is_null), NULL},
};
static const surety_typed_type node_types[] = {
    {SURETY_TYPED_INT, "int64_t", sizeof(int64_t), 0, NULL, NULL, 0, NULL,
     NONE, NONE, NONE},
    {SURETY_TYPED_UINT, "uint64_t", sizeof(uint64_t), 0, NULL, NULL, 0, NULL,
     NONE, NONE, NONE},
    {SURETY_TYPED_REAL, "double", sizeof(double), 0, NULL, NULL, 0, NULL, NONE,
     NONE, NONE},
    {SURETY_TYPED_TEXT, "surety_str", sizeof(surety_str), 0, NULL, NULL, 0,
     NULL, NONE, NONE, NONE},
    {SURETY_TYPED_NUMBER, "surety_str", sizeof(surety_str), 0, NULL, NULL, 0,
     NULL, NONE, NONE, NONE},
    {SURETY_TYPED_BOOL, "bool", sizeof(bool), 0, NULL, NULL, 0, NULL, NONE,
     NONE, NONE},
    {SURETY_TYPED_VALUE, "surety_val", sizeof(surety_val), 0, NULL, NULL, 0,
     NULL, NONE, NONE, NONE},
    {SURETY_TYPED_ENUM, "color", sizeof(color), 0, NULL, color_words, 2, NULL,
     NONE, NONE, NONE},
    {SURETY_TYPED_FIXED, "fixed", 0, 0, NULL, kind_words, 0, NULL, NONE, NONE,
     NONE},
    {SURETY_TYPED_FIXED, "fixed", 0, 0, NULL, null_words, 0, NULL, NONE, NONE,
     NONE},
    {SURETY_TYPED_LIST, "int64_t", 0, sizeof(int64_t), NULL, NULL, 0, NULL,
     IS_INT, NONE, NONE},
    {SURETY_TYPED_TUPLE, "pair", sizeof(pair), 0, pair_members, NULL, 2, NULL,
     IS_INTS, offsetof(pair, rest), offsetof(pair, rest_count)},
    {SURETY_TYPED_UNION, "choice", sizeof(choice), sizeof(choice_kind),
     choice_members, NULL, 3, NULL, NONE, NONE, NONE},
    {SURETY_TYPED_LIST, "choice", 0, sizeof(choice), NULL, NULL, 0, NULL,
     IS_CHOICE, NONE, NONE},
    {SURETY_TYPED_MAP, "bool", 0, sizeof(bag_entry), NULL, NULL, 0, NULL,
     IS_BOOL, offsetof(bag_entry, value), NONE},
    {SURETY_TYPED_MAP, "surety_val", 0, sizeof(surety_typed_entry), NULL, NULL,
     0, NULL, IS_VALUE, offsetof(surety_typed_entry, value), NONE},
    {SURETY_TYPED_STRUCT, "node", sizeof(node), 0, node_members, NULL, 14, NULL,
     IS_OTHERS, offsetof(node, others), offsetof(node, others_count)},
};
/* clang-format on */

/* Nothing here depends on what the contract says. */
static const char *const node_text[] = {"{\"type\":", "\"object\"}", NULL};
static const surety_typed typed = {node_types, 17, IS_NODE, "a/node",
                                   node_text};

#endif
