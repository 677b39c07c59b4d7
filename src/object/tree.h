/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree: a document while it is being changed.
 *
 * A tree begins as one node that stands for a whole value of some object. Only where
 * somebody changes something below a node is it expanded, one level at a time; all else stays
 * a handle into the object it came from, is never read, and goes into the new document as it is.
 *
 *     kin__tree_expand(node)          a map or array now has a node per element
 *     kin__tree_member(map, key)      its nodes by key; the children of expanded maps and arrays
 *     kin__tree_item(array, index)    ... by index
 *     kin__tree_put(map, node)        the node becomes a member, in place of the one of its key
 *     kin__tree_to_draft(root, ...)   what a new document is made of
 *
 * Objects whose values are in the tree must live as long as it does; a node can hold the one that
 * its own value is of, and then no part of it may be taken out and outlive it. A node that is not
 * in a tree belongs to who made it or took it out. What fails changes no value; it may leave
 * nodes expanded. One thread at a time.
 */
#ifndef KIN_OBJECT_TREE_H
#define KIN_OBJECT_TREE_H

#include "base/map.h"
#include "object/draft.h"

enum kin__tree_type {
    KIN__TREE_VALUE, /* a value of an object, not expanded */
    KIN__TREE_NULL,
    KIN__TREE_BOOL,
    KIN__TREE_INTEGER,
    KIN__TREE_NUMBER,
    KIN__TREE_STRING,
    KIN__TREE_ARRAY, /* expanded, as are maps */
    KIN__TREE_MAP,
};

typedef struct kin__tree_node {
    kin__map_node by_key;          /* of a member: its key; in the parent's index if that has one */
    struct kin__tree_node *parent; /* NULL for the root and what is not in a tree */
    struct kin__tree_node *prev;   /* sibling */
    struct kin__tree_node *next;
    char *own_key;            /* the key, if its memory is this node's; NULL: it is an object's */
    const kin_object *holder; /* SHARED; lives as long as the node; may be NULL */
    uint8_t type;             /* enum kin__tree_type */
    union {
        kin_value value;
        bool boolean;
        int64_t integer;
        struct {
            char *data;
            size_t len;
        } text; /* NUMBER, STRING; its memory is this node's */
        struct {
            struct kin__tree_node *first;
            struct kin__tree_node *last;
            size_t len;
            struct kin__tree_node **items; /* of an array: all children by index */
            size_t cap;
            kin__map *index; /* of a map with many members: all by key */
        } children;
    } u;
} kin__tree_node;

/*
 * Make a node. Texts are copied; those of strings are valid UTF-8, those of numbers are JSON
 * numbers. `value` is not KIN_NONE. 0, KIN_ENOMEM.
 */
int kin__tree_new_value(kin__tree_node **ret, kin_value value, kin_error *err);
/* The same; the node holds the value's object, which is CONSUMED in any case. */
int kin__tree_new_held(kin__tree_node **ret, const kin_object *holder, kin_value value,
                       kin_error *err);
int kin__tree_new_null(kin__tree_node **ret, kin_error *err);
int kin__tree_new_bool(kin__tree_node **ret, bool value, kin_error *err);
int kin__tree_new_integer(kin__tree_node **ret, int64_t value, kin_error *err);
int kin__tree_new_number(kin__tree_node **ret, kin_str text, kin_error *err);
int kin__tree_new_string(kin__tree_node **ret, kin_str text, kin_error *err);
int kin__tree_new_map(kin__tree_node **ret, kin_error *err);
int kin__tree_new_array(kin__tree_node **ret, kin_error *err);
/* A copy of a subtree, in no tree and without a key. */
int kin__tree_copy(kin__tree_node **ret, const kin__tree_node *node, kin_error *err);

/* Free a node that is in no tree, and all below it. May be NULL. */
void kin__tree_free(kin__tree_node *node);

/* What the node is, expanded or not. */
enum kin_type kin__tree_type(const kin__tree_node *node);
/* A node's string; KIN_ETYPE if it is none. BORROWED while the node and `scratch` are unchanged. */
int kin__tree_string(kin_str *ret, const kin__tree_node *node, kin_scratch *scratch);

/* Have a node for each member or item of a map or array. Others stay as they are. */
int kin__tree_expand(kin__tree_node *node, kin_error *err);
/* Make a node stand for `value` and for nothing else, whatever it was. Cannot fail. */
void kin__tree_reset(kin__tree_node *node, kin_value value);

/* Of expanded nodes. NULL: there is none; also if the node is no map, no array. */
kin__tree_node *kin__tree_member(const kin__tree_node *map, kin_str key);
kin__tree_node *kin__tree_item(const kin__tree_node *array, size_t index);
/* Of expanded nodes; 0 for all others. */
size_t kin__tree_len(const kin__tree_node *node);

/* Give a node that is in no tree a key. 0, KIN_ENOMEM, KIN_ELIMIT (an enormous key). */
int kin__tree_set_key(kin__tree_node *node, kin_str key, kin_error *err);

/*
 * Make a node that has a key a member of an expanded map: in place of the member that has the
 * key, which is freed, or as the last one. The node is CONSUMED. 0, KIN_ENOMEM.
 */
int kin__tree_put(kin__tree_node *map, kin__tree_node *node, kin_error *err);
/* Insert an item before `index`, at most the length, of an expanded array. As kin__tree_put(). */
int kin__tree_insert(kin__tree_node *array, size_t index, kin__tree_node *node, kin_error *err);
/* Put a node in place of an item that is there. CONSUMED; the old one is freed. */
void kin__tree_set_item(kin__tree_node *array, size_t index, kin__tree_node *node);

/* Take an element out; it is the caller's. It is there. */
kin__tree_node *kin__tree_take_member(kin__tree_node *map, kin__tree_node *member);
kin__tree_node *kin__tree_take_item(kin__tree_node *array, size_t index);

/* Whether a subtree is equal to a value, as kin_value_equal() has it. 0 no, 1 yes, KIN_ENOMEM. */
int kin__tree_equal(const kin__tree_node *node, kin_value value, kin_error *err);

/*
 * About how many bytes of JSON text a subtree is, counted up to `limit` and a little more.
 * 0, KIN_ENOMEM.
 */
int kin__tree_size(size_t *ret, const kin__tree_node *node, size_t limit, kin_error *err);

/*
 * The document that an object is, or, for a tombstone, was last known to be. NULL: it is none.
 * BORROWED from the object.
 */
const kin_object *kin__tree_document(const kin_object *object);

/*
 * Make the document that a tree is. 0, KIN_EINVAL (not a map), KIN_ELIMIT (too deep, too large),
 * KIN_ENOMEM, KIN_ESYSTEM.
 */
int kin__tree_to_object(const kin_object **ret, const kin__tree_node *root, kin_error *err);

/*
 * A copy of a value, which is not KIN_NONE. It lives as long as `*ret_holder`, which is the
 * caller's to release. 0, KIN_ELIMIT (too deep, too large), KIN_ENOMEM, KIN_ESYSTEM.
 */
int kin__tree_keep_value(const kin_object **ret_holder, kin_value *ret, kin_value value,
                         kin_error *err);

/* Add a subtree to a draft. 0, KIN_ENOMEM, KIN_ELIMIT (too deep, too large). */
int kin__tree_to_draft(const kin__tree_node *node, kin__draft *draft, kin_error *err);

#endif
