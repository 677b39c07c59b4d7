/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree. Children are a list in document order, for maps and arrays alike, and every node knows
 * its parent. So all walks go by the links: nothing recurses, and no walk over nodes needs
 * memory, however deep patches have made the tree. (The draft refuses what is too deep.)
 *
 * Beside the list there is an index, so that many changes of one large map or array do not take
 * quadratic time: an array has its children in an array of pointers, a map with more than
 * INDEX_FROM members has a hash map of them.
 *
 * Invariants:
 * - a node is a KIN__TREE_VALUE or expanded whole: there is nothing in between;
 * - children.items[i] is the i-th of the list; children.index, if there is one, has every member;
 * - what can fail is done before the first change, so that a failure leaves all as it was.
 *
 * Inserting into and taking out of an array moves pointers, in proportion to its length. That is
 * left so on purpose: JSON patches bound how many they move.
 */
#include "object/tree.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/stack.h"
#include "object/number.h"

/* Maps with more members have an index. */
#define INDEX_FROM 16

static kin_str key_of(const kin__tree_node *node)
{
    return kin_str_make(node->by_key.key, node->by_key.key_len);
}

/* Of a string or number that is this node's own. */
static kin_str text_of(const kin__tree_node *node)
{
    return kin_str_make(node->u.text.data, node->u.text.len);
}

static bool is_expanded(const kin__tree_node *node)
{
    return node->type == KIN__TREE_MAP || node->type == KIN__TREE_ARRAY;
}

static kin__tree_node *first_child(const kin__tree_node *node)
{
    return is_expanded(node) ? node->u.children.first : NULL;
}

/* --- nodes --- */

static kin__tree_node *node_new(enum kin__tree_type type)
{
    kin__tree_node *node = kin__calloc(1, sizeof(*node));

    if (node)
        node->type = (uint8_t)type;
    return node;
}

/* Hand over a node that was made, or the news that it was not. */
static int made(kin__tree_node **ret, kin__tree_node *node, kin_error *err)
{
    if (!node)
        return kin__error_no_memory(err);
    *ret = node;
    return 0;
}

static kin__tree_node *text_new(enum kin__tree_type type, kin_str text)
{
    kin__tree_node *node = node_new(type);
    char *copy = node ? kin__memdup_str(text) : NULL;

    if (!copy) {
        kin__free(node);
        return NULL;
    }
    node->u.text.data = copy;
    node->u.text.len = text.len;
    return node;
}

int kin__tree_new_value(kin__tree_node **ret, kin_value value, kin_error *err)
{
    kin__tree_node *node = node_new(KIN__TREE_VALUE);

    kin__assert(kin_value_type(value) != KIN_NONE);
    if (node)
        node->u.value = value;
    return made(ret, node, err);
}

int kin__tree_new_held(kin__tree_node **ret, const kin_object *holder, kin_value value,
                       kin_error *err)
{
    kin__tree_node *node = NULL;
    int code = kin__tree_new_value(&node, value, err);

    if (code < 0) {
        kin_object_unref(holder);
        return code;
    }
    node->holder = holder;
    *ret = node;
    return 0;
}

int kin__tree_new_null(kin__tree_node **ret, kin_error *err)
{
    return made(ret, node_new(KIN__TREE_NULL), err);
}

int kin__tree_new_bool(kin__tree_node **ret, bool value, kin_error *err)
{
    kin__tree_node *node = node_new(KIN__TREE_BOOL);

    if (node)
        node->u.boolean = value;
    return made(ret, node, err);
}

int kin__tree_new_integer(kin__tree_node **ret, int64_t value, kin_error *err)
{
    kin__tree_node *node = node_new(KIN__TREE_INTEGER);

    if (node)
        node->u.integer = value;
    return made(ret, node, err);
}

int kin__tree_new_number(kin__tree_node **ret, kin_str text, kin_error *err)
{
    return made(ret, text_new(KIN__TREE_NUMBER, text), err);
}

int kin__tree_new_string(kin__tree_node **ret, kin_str text, kin_error *err)
{
    return made(ret, text_new(KIN__TREE_STRING, text), err);
}

int kin__tree_new_map(kin__tree_node **ret, kin_error *err)
{
    return made(ret, node_new(KIN__TREE_MAP), err);
}

int kin__tree_new_array(kin__tree_node **ret, kin_error *err)
{
    return made(ret, node_new(KIN__TREE_ARRAY), err);
}

static void drop_key(kin__tree_node *node)
{
    kin__free(node->own_key);
    node->own_key = NULL;
    node->by_key = (kin__map_node){NULL, 0, 0};
}

static void drop_holder(kin__tree_node *node)
{
    kin_object_unref(node->holder);
    node->holder = NULL;
}

/* What a node has, apart from its children. */
static void drop_content(kin__tree_node *node)
{
    if (node->type == KIN__TREE_STRING || node->type == KIN__TREE_NUMBER)
        kin__free(node->u.text.data);
    if (!is_expanded(node))
        return;
    kin__free(node->u.children.items);
    if (node->u.children.index)
        kin__map_done(node->u.children.index);
    kin__free(node->u.children.index);
}

/* Free all below a node, which is left without children. */
static void free_children(kin__tree_node *node)
{
    kin__tree_node *at = node;

    for (;;) {
        kin__tree_node *child = first_child(at);

        if (child) {
            at->u.children.first = child->next;
            at = child;
        } else if (at != node) {
            kin__tree_node *parent = at->parent;

            drop_content(at);
            drop_holder(at);
            drop_key(at);
            kin__free(at);
            at = parent;
        } else {
            return;
        }
    }
}

void kin__tree_free(kin__tree_node *node)
{
    if (!node)
        return;
    kin__assert(!node->parent);
    free_children(node);
    drop_content(node);
    drop_holder(node);
    drop_key(node);
    kin__free(node);
}

void kin__tree_reset(kin__tree_node *node, kin_value value)
{
    free_children(node);
    drop_content(node);
    drop_holder(node);
    memset(&node->u, 0, sizeof(node->u));
    node->type = KIN__TREE_VALUE;
    node->u.value = value;
}

int kin__tree_set_key(kin__tree_node *node, kin_str key, kin_error *err)
{
    kin__assert(!node->parent);
    if (key.len > KIN__MAP_KEY_MAX)
        return kin_error_set(err, KIN_ELIMIT, "a key of %zu bytes", key.len);
    char *copy = kin__memdup_str(key);
    if (!copy)
        return kin__error_no_memory(err);
    drop_key(node);
    node->by_key.key = copy;
    node->by_key.key_len = (uint32_t)key.len;
    node->own_key = copy;
    return 0;
}

enum kin_type kin__tree_type(const kin__tree_node *node)
{
    switch ((enum kin__tree_type)node->type) {
    case KIN__TREE_VALUE:
        return kin_value_type(node->u.value);
    case KIN__TREE_NULL:
        return KIN_NULL;
    case KIN__TREE_BOOL:
        return KIN_BOOL;
    case KIN__TREE_INTEGER:
        return KIN_INTEGER;
    case KIN__TREE_NUMBER:
        return KIN_NUMBER;
    case KIN__TREE_STRING:
        return KIN_STRING;
    case KIN__TREE_ARRAY:
        return KIN_ARRAY;
    case KIN__TREE_MAP:
        return KIN_MAP;
    }
    return KIN_NONE;
}

int kin__tree_string(kin_str *ret, const kin__tree_node *node, kin_scratch *scratch)
{
    if (node->type == KIN__TREE_VALUE)
        return kin_value_string(ret, node->u.value, scratch);
    if (node->type != KIN__TREE_STRING)
        return KIN_ETYPE;
    *ret = text_of(node);
    return 0;
}

/* --- children --- */

static void link_between(kin__tree_node *parent, kin__tree_node *node, kin__tree_node *prev,
                         kin__tree_node *next)
{
    node->parent = parent;
    node->prev = prev;
    node->next = next;
    if (prev)
        prev->next = node;
    else
        parent->u.children.first = node;
    if (next)
        next->prev = node;
    else
        parent->u.children.last = node;
}

static void unlink_child(kin__tree_node *node)
{
    kin__tree_node *parent = node->parent;

    if (node->prev)
        node->prev->next = node->next;
    else
        parent->u.children.first = node->next;
    if (node->next)
        node->next->prev = node->prev;
    else
        parent->u.children.last = node->prev;
    node->parent = NULL;
    node->prev = NULL;
    node->next = NULL;
}

/* Put a node into the links of another, which leaves them. */
static void link_instead(kin__tree_node *old, kin__tree_node *node)
{
    kin__tree_node *parent = old->parent;
    kin__tree_node *prev = old->prev;
    kin__tree_node *next = old->next;

    unlink_child(old);
    link_between(parent, node, prev, next);
}

/* An index of all members that a map has, with room for one more. */
static int index_new(kin__tree_node *map)
{
    kin__map *index = kin__malloc(sizeof(*index));

    if (!index)
        return KIN_ENOMEM;
    kin__map_init(index, kin__hash_seed());
    if (kin__map_reserve(index, map->u.children.len + 1) < 0) {
        kin__map_done(index);
        kin__free(index);
        return KIN_ENOMEM;
    }
    for (kin__tree_node *at = map->u.children.first; at; at = at->next)
        kin__map_add(index, &at->by_key, key_of(at), NULL);
    map->u.children.index = index;
    return 0;
}

/* The key is not among the members yet. */
static int append_member(kin__tree_node *map, kin__tree_node *node, kin_error *err)
{
    if (map->u.children.len >= INDEX_FROM && !map->u.children.index && index_new(map) < 0)
        return kin__error_no_memory(err);
    kin__map *index = map->u.children.index;
    if (index && kin__map_add(index, &node->by_key, key_of(node), NULL) < 0)
        return kin__error_no_memory(err);
    link_between(map, node, map->u.children.last, NULL);
    map->u.children.len++;
    return 0;
}

static int append_item(kin__tree_node *array, kin__tree_node *node, kin_error *err)
{
    return kin__tree_insert(array, array->u.children.len, node, err);
}

static int append_child(kin__tree_node *parent, kin__tree_node *node, kin_error *err)
{
    return parent->type == KIN__TREE_MAP ? append_member(parent, node, err)
                                         : append_item(parent, node, err);
}

/* Make a node for each element of `value`. */
static int add_elements(kin__tree_node *parent, kin_value value, kin_error *err)
{
    kin_iter it;

    for (kin_iter_init(&it, value); kin_iter_next(&it);) {
        kin__tree_node *child = node_new(KIN__TREE_VALUE);

        if (!child)
            return kin__error_no_memory(err);
        child->u.value = it.value;
        if (parent->type == KIN__TREE_MAP) { /* the key lives as long as its object */
            child->by_key.key = it.key.data;
            child->by_key.key_len = (uint32_t)it.key.len;
        }
        int code = append_child(parent, child, err);
        if (code < 0) {
            kin__tree_free(child);
            return code;
        }
    }
    return 0;
}

int kin__tree_expand(kin__tree_node *node, kin_error *err)
{
    kin__tree_node aside;
    enum kin_type type = kin__tree_type(node);

    if (node->type != KIN__TREE_VALUE || (type != KIN_MAP && type != KIN_ARRAY))
        return 0;
    memset(&aside, 0, sizeof(aside));
    aside.type = type == KIN_MAP ? KIN__TREE_MAP : KIN__TREE_ARRAY;
    int code = add_elements(&aside, node->u.value, err);
    if (code < 0) {
        free_children(&aside);
        drop_content(&aside);
        return code;
    }
    node->type = aside.type;
    node->u = aside.u;
    for (kin__tree_node *at = first_child(node); at; at = at->next)
        at->parent = node;
    return 0;
}

size_t kin__tree_len(const kin__tree_node *node)
{
    return is_expanded(node) ? node->u.children.len : 0;
}

kin__tree_node *kin__tree_member(const kin__tree_node *map, kin_str key)
{
    if (map->type != KIN__TREE_MAP)
        return NULL;
    if (map->u.children.index) {
        kin__map_node *found = kin__map_get(map->u.children.index, key);

        return found ? kin__container_of(found, kin__tree_node, by_key) : NULL;
    }
    for (kin__tree_node *at = map->u.children.first; at; at = at->next) {
        if (kin_str_equal(key_of(at), key))
            return at;
    }
    return NULL;
}

kin__tree_node *kin__tree_item(const kin__tree_node *array, size_t index)
{
    if (array->type != KIN__TREE_ARRAY || index >= array->u.children.len)
        return NULL;
    return array->u.children.items[index];
}

int kin__tree_put(kin__tree_node *map, kin__tree_node *node, kin_error *err)
{
    kin__assert(map->type == KIN__TREE_MAP && !node->parent && node->by_key.key);
    kin__tree_node *old = kin__tree_member(map, key_of(node));
    kin__map *index = map->u.children.index;

    if (!old)
        return append_member(map, node, err);
    if (index) { /* there is room for as many as there were */
        kin__map_remove(index, &old->by_key);
        kin__map_add(index, &node->by_key, key_of(node), NULL);
    }
    link_instead(old, node);
    kin__tree_free(old);
    return 0;
}

int kin__tree_insert(kin__tree_node *array, size_t index, kin__tree_node *node, kin_error *err)
{
    size_t len = array->u.children.len;

    kin__assert(array->type == KIN__TREE_ARRAY && !node->parent && index <= len);
    kin__tree_node **items = kin__grow_array(array->u.children.items, &array->u.children.cap,
                                             len + 1, sizeof(kin__tree_node *));
    if (!items)
        return kin__error_no_memory(err);
    array->u.children.items = items;
    link_between(array, node, index > 0 ? items[index - 1] : NULL,
                 index < len ? items[index] : NULL);
    memmove(items + index + 1, items + index, (len - index) * sizeof(*items));
    items[index] = node;
    array->u.children.len++;
    return 0;
}

void kin__tree_set_item(kin__tree_node *array, size_t index, kin__tree_node *node)
{
    kin__assert(index < array->u.children.len && !node->parent);
    kin__tree_node *old = array->u.children.items[index];
    link_instead(old, node);
    array->u.children.items[index] = node;
    kin__tree_free(old);
}

kin__tree_node *kin__tree_take_member(kin__tree_node *map, kin__tree_node *member)
{
    kin__assert(map->type == KIN__TREE_MAP && member->parent == map);
    if (map->u.children.index)
        kin__map_remove(map->u.children.index, &member->by_key);
    unlink_child(member);
    map->u.children.len--;
    return member;
}

kin__tree_node *kin__tree_take_item(kin__tree_node *array, size_t index)
{
    kin__assert(index < array->u.children.len);
    kin__tree_node *node = array->u.children.items[index];
    unlink_child(node);
    array->u.children.len--;
    kin__tree_node **items = array->u.children.items;
    memmove(items + index, items + index + 1, (array->u.children.len - index) * sizeof(*items));
    return node;
}

/* --- copying --- */

/* A node alone: maps and arrays come out empty. */
static kin__tree_node *copy_node(const kin__tree_node *node)
{
    if (node->type == KIN__TREE_STRING || node->type == KIN__TREE_NUMBER)
        return text_new((enum kin__tree_type)node->type, text_of(node));
    kin__tree_node *copy = node_new((enum kin__tree_type)node->type);
    if (copy && !is_expanded(node))
        copy->u = node->u;
    if (copy)
        copy->holder = kin_object_ref(node->holder);
    return copy;
}

static int copy_key(kin__tree_node *to, const kin__tree_node *from, kin_error *err)
{
    if (from->own_key)
        return kin__tree_set_key(to, key_of(from), err);
    to->by_key.key = from->by_key.key;
    to->by_key.key_len = from->by_key.key_len;
    return 0;
}

/* A copy of `node`, with its key, as the last child of `parent`. */
static int copy_below(kin__tree_node **ret, kin__tree_node *parent, const kin__tree_node *node,
                      kin_error *err)
{
    kin__tree_node *copy = copy_node(node);

    if (!copy)
        return kin__error_no_memory(err);
    int code = copy_key(copy, node, err);
    if (code == 0)
        code = append_child(parent, copy, err);
    if (code < 0) {
        kin__tree_free(copy);
        return code;
    }
    *ret = copy;
    return 0;
}

int kin__tree_copy(kin__tree_node **ret, const kin__tree_node *node, kin_error *err)
{
    kin__tree_node *root = copy_node(node);
    const kin__tree_node *at = node;

    if (!root)
        return kin__error_no_memory(err);
    kin__tree_node *copy = root; /* of `at` */
    for (;;) {
        const kin__tree_node *child = first_child(at);

        while (!child && at != node) { /* the next one that is not copied yet */
            child = at->next;
            at = at->parent;
            copy = copy->parent;
        }
        if (!child)
            break;
        int code = copy_below(&copy, copy, child, err);
        if (code < 0) {
            kin__tree_free(root);
            return code;
        }
        at = child;
    }
    *ret = root;
    return 0;
}

/* --- walks along values --- */

/* A map or array of a value, in the middle of its elements, and the node that is beside it. */
struct frame {
    kin_iter it;
    const kin__tree_node *node;
};

static int push(kin__stack *stack, kin_value value, const kin__tree_node *node, kin_error *err)
{
    struct frame *frame = kin__stack_push(stack);

    if (!frame)
        return kin__error_no_memory(err);
    kin_iter_init(&frame->it, value);
    frame->node = node;
    return 0;
}

static bool scalar_equal(const kin__tree_node *node, kin_value value)
{
    kin_scratch scratch;
    char digits[32];
    kin_str text;
    bool boolean;

    switch ((enum kin__tree_type)node->type) {
    case KIN__TREE_NULL:
        return kin_value_type(value) == KIN_NULL;
    case KIN__TREE_BOOL:
        return kin_value_bool(&boolean, value) == 0 && boolean == node->u.boolean;
    case KIN__TREE_STRING:
        return kin_value_string(&text, value, &scratch) == 0 && kin_str_equal(text, text_of(node));
    case KIN__TREE_NUMBER:
        return kin_value_number(&text, value, &scratch) == 0 &&
               kin__number_compare(text.data, text.len, node->u.text.data, node->u.text.len) == 0;
    case KIN__TREE_INTEGER:
        snprintf(digits, sizeof(digits), "%" PRId64, node->u.integer);
        return kin_value_number(&text, value, &scratch) == 0 &&
               kin__number_compare(text.data, text.len, digits, strlen(digits)) == 0;
    default:
        return kin_value_equal(node->u.value, value);
    }
}

/* Compare what can be compared at once; the elements of expanded ones go on the stack. */
static int compare(kin__stack *stack, const kin__tree_node *node, kin_value value, kin_error *err)
{
    if (!is_expanded(node))
        return scalar_equal(node, value);
    if (kin__tree_type(node) != kin_value_type(value) ||
        kin__tree_len(node) != kin_value_len(value))
        return 0;
    int code = push(stack, value, node, err);
    return code < 0 ? code : 1;
}

int kin__tree_equal(const kin__tree_node *node, kin_value value, kin_error *err)
{
    kin__stack stack;

    kin__stack_init(&stack, sizeof(struct frame));
    int same = compare(&stack, node, value, err);

    while (same > 0 && stack.len > 0) {
        struct frame *top = kin__stack_top(&stack);

        if (!kin_iter_next(&top->it)) {
            kin__stack_pop(&stack);
            continue;
        }
        /* As many members on both sides: if each of one is in the other, all are. */
        const kin__tree_node *child = top->node->type == KIN__TREE_MAP
                                          ? kin__tree_member(top->node, top->it.key)
                                          : kin__tree_item(top->node, top->it.index);
        same = child ? compare(&stack, child, top->it.value, err) : 0;
    }
    kin__stack_done(&stack);
    return same;
}

static size_t scalar_size(kin_value value)
{
    kin_scratch scratch;
    kin_str text;

    if (kin_value_string(&text, value, &scratch) == 0)
        return text.len + 2;
    if (kin_value_number(&text, value, &scratch) == 0)
        return text.len;
    return 5;
}

/* Add up the text of a value, as long as `*sum` is within the limit. */
static int add_size(kin__stack *stack, size_t *sum, kin_value value, size_t limit, kin_error *err)
{
    int code = push(stack, value, NULL, err);

    *sum += scalar_size(value);
    while (code == 0 && stack->len > 0 && *sum <= limit) {
        struct frame *top = kin__stack_top(stack);

        if (!kin_iter_next(&top->it)) {
            kin__stack_pop(stack);
            continue;
        }
        kin_value element = top->it.value;
        *sum += scalar_size(element) + top->it.key.len + 4;
        enum kin_type type = kin_value_type(element);
        if (type == KIN_MAP || type == KIN_ARRAY)
            code = push(stack, element, NULL, err);
    }
    stack->len = 0;
    return code;
}

/* The node behind `at` and all below it, in document order, within the subtree of `top`. */
static const kin__tree_node *next_beside(const kin__tree_node *at, const kin__tree_node *top)
{
    while (at != top && !at->next)
        at = at->parent;
    return at == top ? NULL : at->next;
}

int kin__tree_size(size_t *ret, const kin__tree_node *node, size_t limit, kin_error *err)
{
    kin__stack stack;
    size_t sum = 0;
    int code = 0;

    kin__stack_init(&stack, sizeof(struct frame));
    for (const kin__tree_node *at = node; at && code == 0 && sum <= limit;) {
        sum += (at == node ? 0 : at->by_key.key_len) + 4;
        if (at->type == KIN__TREE_VALUE)
            code = add_size(&stack, &sum, at->u.value, limit, err);
        else if (at->type == KIN__TREE_STRING || at->type == KIN__TREE_NUMBER)
            sum += at->u.text.len;
        const kin__tree_node *child = first_child(at);
        at = child ? child : next_beside(at, node);
    }
    kin__stack_done(&stack);
    if (code == 0)
        *ret = sum;
    return code;
}

/* --- documents --- */

const kin_object *kin__tree_document(const kin_object *object)
{
    while (object && kin_object_is_tombstone(object, &object)) {
    }
    return object && kin_value_type(kin_object_root(object)) == KIN_MAP ? object : NULL;
}

static int draft_node(const kin__tree_node *node, kin__draft *draft, kin_error *err)
{
    switch ((enum kin__tree_type)node->type) {
    case KIN__TREE_VALUE:
        return kin__draft_value(draft, node->u.value, err);
    case KIN__TREE_NULL:
        return kin__draft_null(draft, err);
    case KIN__TREE_BOOL:
        return kin__draft_bool(draft, node->u.boolean, err);
    case KIN__TREE_INTEGER:
        return kin__draft_integer(draft, node->u.integer, err);
    case KIN__TREE_NUMBER:
        return kin__draft_number(draft, text_of(node), err);
    case KIN__TREE_STRING:
        return kin__draft_string(draft, text_of(node), err);
    case KIN__TREE_ARRAY:
        return kin__draft_begin_array(draft, err);
    case KIN__TREE_MAP:
        return kin__draft_begin_map(draft, err);
    }
    return KIN_EINVAL;
}

int kin__tree_to_draft(const kin__tree_node *node, kin__draft *draft, kin_error *err)
{
    const kin__tree_node *at = node;

    for (;;) {
        bool is_member = at != node && at->parent->type == KIN__TREE_MAP;
        int code = is_member ? kin__draft_key(draft, key_of(at), err) : 0;

        if (code == 0)
            code = draft_node(at, draft, err);
        if (code == 0 && first_child(at)) {
            at = first_child(at);
            continue;
        }
        if (code == 0 && is_expanded(at))
            code = kin__draft_end(draft, err);
        while (code == 0 && at != node && !at->next) {
            at = at->parent;
            code = kin__draft_end(draft, err);
        }
        if (code < 0 || at == node)
            return code;
        at = at->next;
    }
}

static kin__draft *draft_new(kin_error *err, int *ret_code)
{
    kin__draft *draft = kin__malloc(sizeof(*draft));

    *ret_code = draft ? kin__draft_init(draft, KIN__DEPTH_MAX, err) : kin__error_no_memory(err);
    if (*ret_code < 0) {
        kin__free(draft);
        return NULL;
    }
    return draft;
}

static void draft_free(kin__draft *draft)
{
    kin__draft_done(draft);
    kin__free(draft);
}

int kin__tree_to_object(const kin_object **ret, const kin__tree_node *root, kin_error *err)
{
    int code;

    if (kin__tree_type(root) != KIN_MAP)
        return kin_error_set(err, KIN_EINVAL, "the result is a value of type %s, not a map",
                             kin_type_name(kin__tree_type(root)));
    kin__draft *draft = draft_new(err, &code);
    if (!draft)
        return code;
    code = kin__tree_to_draft(root, draft, err);
    if (code == 0)
        code = kin__draft_finish(draft, ret, err);
    draft_free(draft);
    return code;
}

/* A document whose only member is the value, under the empty key. */
static int draft_wrapped(kin__draft *draft, kin_value value, kin_error *err)
{
    int code = kin__draft_begin_map(draft, err);

    if (code == 0)
        code = kin__draft_key(draft, kin_str_make("", 0), err);
    if (code == 0)
        code = kin__draft_value(draft, value, err);
    if (code == 0)
        code = kin__draft_end(draft, err);
    return code;
}

int kin__tree_keep_value(const kin_object **ret_holder, kin_value *ret, kin_value value,
                         kin_error *err)
{
    bool is_map = kin_value_type(value) == KIN_MAP;
    int code;
    kin__draft *draft = draft_new(err, &code);

    if (!draft)
        return code;
    /* A map as deep as maps may be is a document, and would be too deep inside of one. */
    code = is_map ? kin__draft_value(draft, value, err) : draft_wrapped(draft, value, err);
    if (code == 0)
        code = kin__draft_finish(draft, ret_holder, err);
    draft_free(draft);
    if (code < 0)
        return code;
    kin_value root = kin_object_root(*ret_holder);
    *ret = is_map ? root : kin_value_get(root, kin_str_make("", 0));
    return 0;
}
