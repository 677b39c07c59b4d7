/* SPDX-License-Identifier: Apache-2.0 */
#include "edit_support.h"

#include "alloc.h"
#include "model.h"
#include "object/tree.h"
#include "oom.h"

static kin__tree_node *tree_of(const kin_object *object)
{
    kin__tree_node *root = NULL;

    assert_code(kin__tree_new_value(&root, kin_object_root(object), NULL), 0);
    return root;
}

static kin__tree_node *integer(int64_t i)
{
    kin__tree_node *node = NULL;

    assert_code(kin__tree_new_integer(&node, i, NULL), 0);
    return node;
}

static void put(kin__tree_node *map, const char *key, kin__tree_node *node)
{
    assert_code(kin__tree_set_key(node, kin_str_of(key), NULL), 0);
    assert_code(kin__tree_put(map, node, NULL), 0);
}

static kin__tree_node *member(kin__tree_node *map, const char *key)
{
    assert_code(kin__tree_expand(map, NULL), 0);
    return kin__tree_member(map, kin_str_of(key));
}

static kin__tree_node *item(kin__tree_node *array, size_t index)
{
    assert_code(kin__tree_expand(array, NULL), 0);
    return kin__tree_item(array, index);
}

static void check_tree(const kin__tree_node *root, const char *text)
{
    const kin_object *object = NULL;

    assert_code(kin__tree_to_object(&object, root, NULL), 0);
    check_doc(object, text);
}

/* --- nodes --- */

static void every_kind_of_node_gets_into_the_document(void **state)
{
    const kin_object *other = doc("{'v':[1,{'x':null}]}");
    kin__tree_node *root = NULL;
    kin__tree_node *node = NULL;

    (void)state;
    assert_code(kin__tree_new_map(&root, NULL), 0);
    assert_code(kin__tree_new_null(&node, NULL), 0);
    assert_int_equal(kin__tree_type(node), KIN_NULL);
    put(root, "null", node);
    assert_code(kin__tree_new_bool(&node, true, NULL), 0);
    assert_int_equal(kin__tree_type(node), KIN_BOOL);
    put(root, "true", node);
    assert_code(kin__tree_new_bool(&node, false, NULL), 0);
    put(root, "false", node);
    put(root, "integer", integer(INT64_MIN));
    assert_int_equal(kin__tree_type(member(root, "integer")), KIN_INTEGER);
    assert_code(kin__tree_new_number(&node, kin_str_of("1.50e3"), NULL), 0);
    assert_int_equal(kin__tree_type(node), KIN_NUMBER);
    put(root, "number", node);
    assert_code(kin__tree_new_string(&node, kin_str_of("say \"x\""), NULL), 0);
    assert_int_equal(kin__tree_type(node), KIN_STRING);
    put(root, "string", node);
    assert_code(kin__tree_new_array(&node, NULL), 0);
    assert_int_equal(kin__tree_type(node), KIN_ARRAY);
    put(root, "array", node);
    assert_code(kin__tree_new_map(&node, NULL), 0);
    assert_int_equal(kin__tree_type(node), KIN_MAP);
    put(root, "map", node);
    assert_code(
        kin__tree_new_value(&node, kin_value_get(kin_object_root(other), kin_str_of("v")), NULL),
        0);
    assert_int_equal(kin__tree_type(node), KIN_ARRAY);
    put(root, "value", node);
    check_tree(root, "{'null':null,'true':true,'false':false,'integer':-9223372036854775808,"
                     "'number':1.50e3,'string':'say \\'x\\'','array':[],'map':{},"
                     "'value':[1,{'x':null}]}");
    kin__tree_free(root);
    kin_object_unref(other);
}

static void texts_are_copied(void **state)
{
    char key[] = "key";
    char value[] = "value";
    kin__tree_node *root = NULL;
    kin__tree_node *node = NULL;

    (void)state;
    assert_code(kin__tree_new_map(&root, NULL), 0);
    assert_code(kin__tree_new_string(&node, kin_str_of(value), NULL), 0);
    put(root, key, node);
    memset(key, 'x', 3);
    memset(value, 'x', 5);
    check_tree(root, "{'key':'value'}");
    kin__tree_free(root);
}

static void strings_can_be_read(void **state)
{
    const kin_object *object = doc("{'s':'text','t':'2026-01-31T12:00:00Z','n':1}");
    kin__tree_node *root = tree_of(object);
    kin__tree_node *node = NULL;
    kin_scratch scratch;
    kin_str s = {NULL, 0};

    (void)state;
    assert_code(kin__tree_string(&s, member(root, "s"), &scratch), 0);
    assert_true(kin_str_equal(s, kin_str_of("text")));
    assert_code(kin__tree_string(&s, member(root, "t"), &scratch), 0);
    assert_true(kin_str_equal(s, kin_str_of("2026-01-31T12:00:00Z")));
    assert_code(kin__tree_string(&s, member(root, "n"), &scratch), KIN_ETYPE);
    assert_code(kin__tree_new_string(&node, kin_str_of("own"), NULL), 0);
    assert_code(kin__tree_string(&s, node, &scratch), 0);
    assert_true(kin_str_equal(s, kin_str_of("own")));
    kin__tree_free(node);
    node = integer(1);
    assert_code(kin__tree_string(&s, node, &scratch), KIN_ETYPE);
    kin__tree_free(node);
    kin__tree_free(root);
    kin_object_unref(object);
}

static void freeing_nothing_is_harmless(void **state)
{
    (void)state;
    kin__tree_free(NULL);
}

/* --- expanding --- */

static void what_nobody_touches_stays_a_value(void **state)
{
    const kin_object *object = doc("{'a':{'b':{'c':1}},'d':[1,2]}");
    kin__tree_node *root = tree_of(object);

    (void)state;
    assert_int_equal(root->type, KIN__TREE_VALUE);
    assert_int_equal(kin__tree_type(root), KIN_MAP);
    assert_int_equal(kin__tree_len(root), 0); /* not expanded */
    assert_null(kin__tree_member(root, kin_str_of("a")));
    assert_code(kin__tree_expand(root, NULL), 0);
    assert_int_equal(kin__tree_len(root), 2);
    kin__tree_node *a = kin__tree_member(root, kin_str_of("a"));
    assert_int_equal(a->type, KIN__TREE_VALUE);
    assert_code(kin__tree_expand(root, NULL), 0); /* again: nothing happens */
    assert_ptr_equal(kin__tree_member(root, kin_str_of("a")), a);
    check_tree(root, "{'a':{'b':{'c':1}},'d':[1,2]}");
    kin__tree_free(root);
    kin_object_unref(object);
}

static void scalars_do_not_expand(void **state)
{
    const kin_object *object = doc("{'a':1,'s':'x'}");
    kin__tree_node *root = tree_of(object);
    kin__tree_node *a = member(root, "a");

    (void)state;
    assert_code(kin__tree_expand(a, NULL), 0);
    assert_int_equal(a->type, KIN__TREE_VALUE);
    assert_null(kin__tree_member(a, kin_str_of("x")));
    assert_null(kin__tree_item(a, 0));
    assert_int_equal(kin__tree_len(a), 0);
    kin__tree_free(root);
    kin_object_unref(object);
}

static void maps_have_no_items_and_arrays_no_members(void **state)
{
    const kin_object *object = doc("{'a':[1]}");
    kin__tree_node *root = tree_of(object);
    kin__tree_node *a = member(root, "a");

    (void)state;
    assert_null(kin__tree_item(root, 0));
    assert_non_null(item(a, 0));
    assert_null(item(a, 1));
    assert_null(kin__tree_member(a, kin_str_of("0")));
    assert_null(kin__tree_member(a, kin_str_make(NULL, 0)));
    kin__tree_free(root);
    kin_object_unref(object);
}

static void resetting_makes_it_one_value_again(void **state)
{
    const kin_object *object = doc("{'a':{'b':[1,2]},'c':3}");
    const kin_object *other = doc("{'other':true}");
    kin__tree_node *root = tree_of(object);

    (void)state;
    assert_non_null(item(member(member(root, "a"), "b"), 1));
    put(member(root, "a"), "new", integer(1));
    kin__tree_reset(root, kin_object_root(other));
    assert_int_equal(root->type, KIN__TREE_VALUE);
    kin_object_unref(object); /* nothing of it is left in the tree */
    check_tree(root, "{'other':true}");
    kin__tree_free(root);
    kin_object_unref(other);
}

/* --- changes --- */

static void members_keep_their_places(void **state)
{
    const kin_object *object = doc("{'a':1,'b':2,'c':3}");
    kin__tree_node *root = tree_of(object);

    (void)state;
    assert_code(kin__tree_expand(root, NULL), 0);
    put(root, "b", integer(20));
    put(root, "d", integer(4));
    kin__tree_free(kin__tree_take_member(root, member(root, "a")));
    check_tree(root, "{'b':20,'c':3,'d':4}");
    kin__tree_free(kin__tree_take_member(root, member(root, "d")));
    kin__tree_free(kin__tree_take_member(root, member(root, "b")));
    kin__tree_free(kin__tree_take_member(root, member(root, "c")));
    assert_int_equal(kin__tree_len(root), 0);
    check_tree(root, "{}");
    put(root, "z", integer(1));
    check_tree(root, "{'z':1}");
    kin__tree_free(root);
    kin_object_unref(object);
}

static void items_shift(void **state)
{
    const kin_object *object = doc("{'a':[1,2]}");
    kin__tree_node *root = tree_of(object);
    kin__tree_node *a = member(root, "a");

    (void)state;
    assert_code(kin__tree_expand(a, NULL), 0);
    assert_code(kin__tree_insert(a, 0, integer(0), NULL), 0);
    assert_code(kin__tree_insert(a, 3, integer(9), NULL), 0);
    assert_code(kin__tree_insert(a, 2, integer(5), NULL), 0);
    check_tree(root, "{'a':[0,1,5,2,9]}");
    kin__tree_set_item(a, 2, integer(6));
    kin__tree_free(kin__tree_take_item(a, 0));
    kin__tree_free(kin__tree_take_item(a, 3));
    check_tree(root, "{'a':[1,6,2]}");
    kin__tree_free(root);
    kin_object_unref(object);
}

static void what_was_taken_can_be_put_elsewhere(void **state)
{
    const kin_object *object = doc("{'a':{'x':{'y':[1]}},'b':[]}");
    kin__tree_node *root = tree_of(object);
    kin__tree_node *x = kin__tree_take_member(member(root, "a"), member(member(root, "a"), "x"));
    kin__tree_node *b = member(root, "b");

    (void)state;
    assert_code(kin__tree_expand(x, NULL), 0);
    put(x, "z", integer(2));
    assert_code(kin__tree_expand(b, NULL), 0);
    assert_code(kin__tree_insert(b, 0, x, NULL), 0);
    check_tree(root, "{'a':{},'b':[{'y':[1],'z':2}]}");
    put(root, "c", kin__tree_take_item(b, 0));
    check_tree(root, "{'a':{},'b':[],'c':{'y':[1],'z':2}}");
    kin__tree_free(root);
    kin_object_unref(object);
}

/* Looking up, putting and taking work in maps of any size, and the index follows. */
static void large_maps_are_indexed(void **state)
{
    enum { N = 2000 };
    kin__tree_node *root = NULL;
    char key[16];

    (void)state;
    assert_code(kin__tree_new_map(&root, NULL), 0);
    for (int i = 0; i < N; i++) {
        snprintf(key, sizeof(key), "k%d", i);
        put(root, key, integer(i));
    }
    assert_non_null(root->u.children.index);
    assert_int_equal(kin__map_len(root->u.children.index), N);
    for (int i = 0; i < N; i += 2) {
        snprintf(key, sizeof(key), "k%d", i);
        kin__tree_free(kin__tree_take_member(root, member(root, key)));
    }
    for (int i = 1; i < N; i += 4) {
        snprintf(key, sizeof(key), "k%d", i);
        put(root, key, integer(-i));
    }
    assert_int_equal(kin__tree_len(root), N / 2);
    assert_int_equal(kin__map_len(root->u.children.index), N / 2);
    for (int i = 0; i < N; i++) {
        snprintf(key, sizeof(key), "k%d", i);
        kin__tree_node *node = member(root, key);
        if (i % 2 == 0)
            assert_null(node);
        else
            assert_int_equal(node->u.integer, i % 4 == 1 ? -i : i);
    }
    kin__tree_free(root);
}

/* Deeper than any document, and than any stack: everything but making the document works. */
static void depth_needs_no_stack(void **state)
{
    enum { DEPTH = 200000 };
    kin__tree_node *root = NULL;
    kin__tree_node *copy = NULL;
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    size_t size = 0;

    (void)state;
    assert_code(kin__tree_new_map(&root, NULL), 0);
    kin__tree_node *at = root;
    for (int i = 0; i < DEPTH; i++) {
        kin__tree_node *below = NULL;

        assert_code(kin__tree_new_map(&below, NULL), 0);
        put(at, "a", below);
        at = below;
    }
    assert_code(kin__tree_copy(&copy, root, NULL), 0);
    assert_code(kin__tree_size(&size, copy, SIZE_MAX, NULL), 0);
    assert_true(size > DEPTH);
    assert_code(kin__tree_to_object(&object, root, &err), KIN_ELIMIT);
    assert_int_equal(err.code, KIN_ELIMIT);
    assert_null(object);
    kin__tree_free(copy);
    kin__tree_free(root);
}

static void only_maps_are_documents(void **state)
{
    kin__tree_node *node = integer(1);
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin__tree_to_object(&object, node, &err), KIN_EINVAL);
    assert_int_equal(err.code, KIN_EINVAL);
    kin__tree_free(node);
    assert_code(kin__tree_new_array(&node, NULL), 0);
    assert_code(kin__tree_to_object(&object, node, NULL), KIN_EINVAL);
    kin__tree_free(node);
    assert_null(object);
}

static void enormous_keys_are_refused(void **state)
{
    kin__tree_node *node = integer(1);

    (void)state;
    assert_code(kin__tree_set_key(node, kin_str_make("x", (size_t)UINT32_MAX + 1), NULL),
                KIN_ELIMIT);
    assert_null(node->by_key.key);
    kin__tree_free(node);
}

/* --- comparing, measuring, keeping --- */

static int equal_to(const kin__tree_node *node, const char *wrapped)
{
    const kin_object *object = doc(wrapped);
    kin_value value = kin_value_get(kin_object_root(object), kin_str_of("v"));
    int same = kin__tree_equal(node, value, NULL);

    kin_object_unref(object);
    return same;
}

static void scalars_are_compared_by_value(void **state)
{
    kin__tree_node *node = NULL;

    (void)state;
    assert_code(kin__tree_new_null(&node, NULL), 0);
    assert_int_equal(equal_to(node, "{'v':null}"), 1);
    assert_int_equal(equal_to(node, "{'v':false}"), 0);
    kin__tree_free(node);
    assert_code(kin__tree_new_bool(&node, true, NULL), 0);
    assert_int_equal(equal_to(node, "{'v':true}"), 1);
    assert_int_equal(equal_to(node, "{'v':false}"), 0);
    assert_int_equal(equal_to(node, "{'v':1}"), 0);
    kin__tree_free(node);
    node = integer(-1000);
    assert_int_equal(equal_to(node, "{'v':-1e3}"), 1);
    assert_int_equal(equal_to(node, "{'v':-1000}"), 1);
    assert_int_equal(equal_to(node, "{'v':1000}"), 0);
    assert_int_equal(equal_to(node, "{'v':'-1000'}"), 0);
    kin__tree_free(node);
    assert_code(kin__tree_new_number(&node, kin_str_of("2.50"), NULL), 0);
    assert_int_equal(equal_to(node, "{'v':25e-1}"), 1);
    assert_int_equal(equal_to(node, "{'v':2}"), 0);
    kin__tree_free(node);
    assert_code(kin__tree_new_string(&node, kin_str_of("x"), NULL), 0);
    assert_int_equal(equal_to(node, "{'v':'x'}"), 1);
    assert_int_equal(equal_to(node, "{'v':'y'}"), 0);
    assert_int_equal(equal_to(node, "{'v':['x']}"), 0);
    kin__tree_free(node);
}

static void expanded_maps_and_arrays_are_compared(void **state)
{
    const kin_object *object = doc("{'a':{'x':1,'y':[1,{'z':2}]}}");
    kin__tree_node *root = tree_of(object);
    kin__tree_node *a = member(root, "a");

    (void)state;
    assert_int_equal(equal_to(a, "{'v':{'y':[1,{'z':2}],'x':1}}"), 1); /* not expanded */
    assert_non_null(member(item(member(a, "y"), 1), "z"));
    assert_int_equal(equal_to(a, "{'v':{'x':1,'y':[1,{'z':2}]}}"), 1);
    assert_int_equal(equal_to(a, "{'v':{'y':[1,{'z':2}],'x':1.0}}"), 1);
    assert_int_equal(equal_to(a, "{'v':{'x':1,'y':[1,{'z':3}]}}"), 0);
    assert_int_equal(equal_to(a, "{'v':{'x':1,'y':[1,{'zz':2}]}}"), 0);
    assert_int_equal(equal_to(a, "{'v':{'x':1,'y':[1]}}"), 0);
    assert_int_equal(equal_to(a, "{'v':{'x':1,'y':[{'z':2},1]}}"), 0);
    assert_int_equal(equal_to(a, "{'v':{'x':1}}"), 0);
    assert_int_equal(equal_to(a, "{'v':{'x':1,'y':[1,{'z':2}],'w':0}}"), 0);
    assert_int_equal(equal_to(a, "{'v':[]}"), 0);
    assert_int_equal(equal_to(a, "{'v':1}"), 0);
    kin__tree_free(root);
    kin_object_unref(object);
}

/* The size is about that of the text, expanded or not, and counting stops at the limit. */
static void sizes_are_those_of_the_text(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        kin_test_rng rng = {seed};
        ref_value *r = random_map(&rng, 4, true);
        const kin_object *object = ref_doc(r);
        kin__tree_node *root = tree_of(object);
        char *json = ref_json(r);
        size_t whole = 0;
        size_t expanded = 0;
        size_t cut = 0;

        assert_code(kin__tree_size(&whole, root, SIZE_MAX, NULL), 0);
        assert_code(kin__tree_expand(root, NULL), 0);
        assert_code(kin__tree_size(&expanded, root, SIZE_MAX, NULL), 0);
        assert_true(whole >= strlen(json) / 2 && whole <= 8 * strlen(json) + 16);
        assert_true(expanded >= strlen(json) / 2 && expanded <= 12 * strlen(json) + 16);
        assert_code(kin__tree_size(&cut, root, expanded / 2, NULL), 0);
        assert_true(expanded == 0 || cut > expanded / 2);
        free(json);
        kin__tree_free(root);
        kin_object_unref(object);
        ref_free(r);
    }
}

static void kept_values_outlive_their_objects(void **state)
{
    static const char *const rows[] = {"{'v':null}",     "{'v':[1,[2]]}",      "{'v':'text'}",
                                       "{'v':{'a':{}}}", "{'v':{'name':'x'}}", "{'v':-1.5e3}"};

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_object *object = doc(rows[i]);
        const kin_object *holder = NULL;
        kin_value kept = {NULL, NULL};
        kin_value value = kin_value_get(kin_object_root(object), kin_str_of("v"));
        kin__tree_node *root = NULL;
        kin__tree_node *node = NULL;

        assert_code(kin__tree_keep_value(&holder, &kept, value, NULL), 0);
        kin_object_unref(object);
        assert_code(kin__tree_new_map(&root, NULL), 0);
        assert_code(kin__tree_new_value(&node, kept, NULL), 0);
        put(root, "v", node);
        check_tree(root, rows[i]);
        kin__tree_free(root);
        kin_object_unref(holder);
    }
}

static void a_node_can_hold_its_object(void **state)
{
    size_t before = kin_test_alloc_live();
    const kin_object *object = doc("{'a':{'b':[1]}}");
    kin__tree_node *node = NULL;
    kin__tree_node *copy = NULL;

    (void)state;
    assert_code(kin__tree_new_held(&node, object, kin_object_root(object), NULL), 0);
    assert_code(kin__tree_expand(node, NULL), 0);
    assert_code(kin__tree_copy(&copy, node, NULL), 0);
    kin__tree_free(node);
    check_tree(copy, "{'a':{'b':[1]}}"); /* the copy holds it too */
    kin__tree_free(copy);
    assert_int_equal(kin_test_alloc_live(), before);

    /* Not when it stands for another value, and not if it was never made. */
    object = doc("{'a':1}");
    const kin_object *other = doc("{'z':2}");
    assert_code(kin__tree_new_held(&node, object, kin_object_root(object), NULL), 0);
    kin__tree_reset(node, kin_object_root(other));
    check_tree(node, "{'z':2}");
    kin__tree_free(node);
    kin_object_ref(other);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_code(kin__tree_new_held(&node, other, kin_object_root(other), NULL), KIN_ENOMEM);
    kin_test_alloc_disarm();
    kin_object_unref(other);
    assert_int_equal(kin_test_alloc_live(), before);
}

static void a_tombstone_stands_for_its_document(void **state)
{
    const kin_object *object = doc("{'a':1}");
    const kin_object *tombstone = NULL;
    const kin_object *empty = NULL;

    (void)state;
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("k"), object, NULL), 0);
    assert_code(kin_tombstone_new(&empty, kin_str_of("k"), NULL, NULL), 0);
    assert_ptr_equal(kin__tree_document(object), object);
    assert_ptr_equal(kin__tree_document(tombstone), object);
    assert_null(kin__tree_document(empty));
    assert_null(kin__tree_document(NULL));
    kin_object_unref(empty);
    kin_object_unref(tombstone);
    kin_object_unref(object);
}

/* --- at random --- */

struct pair {
    const kin_object *base;
    kin__tree_node *tree;
    ref_value *ref;
};

static void *pair_new(uint64_t seed)
{
    struct pair *p = calloc(1, sizeof(*p));
    kin_test_rng rng = {seed};

    assert_non_null(p);
    p->ref = random_map(&rng, 4, true);
    p->base = ref_doc(p->ref);
    p->tree = tree_of(p->base);
    return p;
}

static void pair_free(void *state)
{
    struct pair *p = state;

    kin__tree_free(p->tree);
    kin_object_unref(p->base);
    ref_free(p->ref);
    free(p);
}

/* Go down both alike to some map or array; false if there is none of the type. */
static bool descend(struct pair *p, kin_test_rng *rng, enum kin_type type, kin__tree_node **ret,
                    ref_value **ret_ref)
{
    kin__tree_node *node = p->tree;
    ref_value *r = p->ref;
    bool found = false;

    for (;;) {
        assert_code(kin__tree_expand(node, NULL), 0);
        if (r->type == type) {
            *ret = node;
            *ret_ref = r;
            found = true;
        }
        if (r->n_elements == 0 || (found && kin_test_below(rng, 3) == 0))
            return found;
        size_t i = kin_test_below(rng, r->n_elements);
        node = r->type == KIN_MAP ? kin__tree_member(node, kin_str_of(r->elements[i]->key))
                                  : kin__tree_item(node, i);
        assert_non_null(node);
        r = r->elements[i];
        if (!ref_is_container(r))
            return found;
    }
}

static const char *op_put(void *state, kin_test_rng *rng)
{
    struct pair *p = state;
    kin__tree_node *map = NULL;
    ref_value *r = NULL;
    const char *key = random_key(rng);

    if (descend(p, rng, KIN_MAP, &map, &r)) {
        put(map, key, integer(1));
        ref_set(r, key, ref_of("1"));
    }
    return NULL;
}

static const char *op_put_map(void *state, kin_test_rng *rng)
{
    struct pair *p = state;
    kin__tree_node *map = NULL;
    kin__tree_node *added = NULL;
    ref_value *r = NULL;
    const char *key = random_key(rng);

    if (descend(p, rng, KIN_MAP, &map, &r)) {
        assert_code(kin__tree_new_map(&added, NULL), 0);
        put(map, key, added);
        ref_set(r, key, ref_new(KIN_MAP, NULL, 0));
    }
    return NULL;
}

static const char *op_take_member(void *state, kin_test_rng *rng)
{
    struct pair *p = state;
    kin__tree_node *map = NULL;
    ref_value *r = NULL;

    if (descend(p, rng, KIN_MAP, &map, &r) && r->n_elements > 0) {
        size_t i = kin_test_below(rng, r->n_elements);

        kin__tree_free(
            kin__tree_take_member(map, kin__tree_member(map, kin_str_of(r->elements[i]->key))));
        ref_free(ref_take(r, i));
    }
    return NULL;
}

static const char *op_insert(void *state, kin_test_rng *rng)
{
    struct pair *p = state;
    kin__tree_node *array = NULL;
    ref_value *r = NULL;

    if (descend(p, rng, KIN_ARRAY, &array, &r)) {
        size_t i = kin_test_below(rng, r->n_elements + 1);

        assert_code(kin__tree_insert(array, i, integer(32), NULL), 0);
        ref_insert(r, i, NULL, ref_of("32"));
    }
    return NULL;
}

static const char *op_take_item(void *state, kin_test_rng *rng)
{
    struct pair *p = state;
    kin__tree_node *array = NULL;
    ref_value *r = NULL;

    if (descend(p, rng, KIN_ARRAY, &array, &r) && r->n_elements > 0) {
        size_t i = kin_test_below(rng, r->n_elements);

        kin__tree_free(kin__tree_take_item(array, i));
        ref_free(ref_take(r, i));
    }
    return NULL;
}

static const char *op_set_item(void *state, kin_test_rng *rng)
{
    struct pair *p = state;
    kin__tree_node *array = NULL;
    ref_value *r = NULL;

    if (descend(p, rng, KIN_ARRAY, &array, &r) && r->n_elements > 0) {
        size_t i = kin_test_below(rng, r->n_elements);

        kin__tree_set_item(array, i, integer(0));
        ref_replace(r, i, ref_of("0"));
    }
    return NULL;
}

/* A copy of something, as a member of something that may be inside of it. */
static const char *op_copy(void *state, kin_test_rng *rng)
{
    struct pair *p = state;
    kin__tree_node *from = NULL;
    kin__tree_node *to = NULL;
    kin__tree_node *copy = NULL;
    ref_value *from_ref = NULL;
    ref_value *to_ref = NULL;
    const char *key = random_key(rng);

    if (!descend(p, rng, kin_test_below(rng, 2) ? KIN_MAP : KIN_ARRAY, &from, &from_ref) ||
        !descend(p, rng, KIN_MAP, &to, &to_ref))
        return NULL;
    char *json = ref_json(from_ref);
    bool is_large = strlen(json) > 2000;
    free(json);
    if (is_large)
        return NULL;
    assert_code(kin__tree_copy(&copy, from, NULL), 0);
    ref_value *ref_copied = ref_copy(from_ref);
    put(to, key, copy);
    ref_set(to_ref, key, ref_copied);
    return NULL;
}

/* The document of the tree is the reference's, to the letter, and equal to the tree. */
static const char *pair_check(void *state)
{
    struct pair *p = state;
    const kin_object *object = NULL;
    const char *wrong = NULL;
    char *made = NULL;
    char *json = ref_json(p->ref);

    if (kin__tree_to_object(&object, p->tree, NULL) < 0)
        wrong = "no document can be made";
    else if (kin_object_to_json(&made, NULL, object, KIN_JSON_COMPACT, NULL) < 0)
        wrong = "the document can not be written";
    else if (strcmp(made, json) != 0)
        wrong = "the document is another";
    else if (kin__tree_equal(p->tree, kin_object_root(object), NULL) != 1)
        wrong = "the tree is not equal to its document";
    kin_free(made);
    free(json);
    kin_object_unref(object);
    return wrong;
}

static void the_tree_behaves_like_the_reference(void **state)
{
    static const kin_test_op ops[] = {
        {"put", 6, op_put},
        {"put_map", 3, op_put_map},
        {"take_member", 4, op_take_member},
        {"insert", 4, op_insert},
        {"take_item", 3, op_take_item},
        {"set_item", 2, op_set_item},
        {"copy", 2, op_copy},
    };
    static const kin_test_model model = {
        .ops = ops,
        .n_ops = kin__array_len(ops),
        .state_new = pair_new,
        .state_free = pair_free,
        .check = pair_check,
    };

    (void)state;
    kin_test_run_model(&model, 60, 150);
}

static int whole_life(void *arg, kin_error *err)
{
    const kin_object *base = arg;
    const kin_object *object = NULL;
    const kin_object *holder = NULL;
    kin_value kept = {NULL, NULL};
    kin__tree_node *root = NULL;
    kin__tree_node *copy = NULL;
    size_t size = 0;
    int code = kin__tree_new_value(&root, kin_object_root(base), err);

    if (code == 0)
        code = kin__tree_expand(root, err);
    if (code == 0)
        code = kin__tree_expand(kin__tree_member(root, kin_str_of("many")), err);
    if (code == 0)
        code = kin__tree_expand(kin__tree_member(root, kin_str_of("array")), err);
    if (code == 0)
        code = kin__tree_new_string(&copy, kin_str_of("text"), err);
    if (code == 0)
        code = kin__tree_insert(kin__tree_member(root, kin_str_of("array")), 0, copy, err);
    if (code == 0)
        copy = NULL; /* the tree's now */
    if (code == 0)
        code = kin__tree_copy(&copy, root, err);
    if (code == 0)
        code = kin__tree_set_key(copy, kin_str_of("copy"), err);
    if (code == 0)
        code = kin__tree_put(root, copy, err);
    if (code == 0)
        copy = NULL;
    if (code == 0)
        code = kin__tree_size(&size, root, SIZE_MAX, err);
    if (code == 0)
        code = kin__tree_to_object(&object, root, err);
    if (code == 0) {
        code = kin__tree_equal(root, kin_object_root(object), err);
        assert_true(code != 0);
        code = code > 0 ? 0 : code;
    }
    if (code == 0)
        code = kin__tree_keep_value(
            &holder, &kept, kin_value_get(kin_object_root(object), kin_str_of("array")), err);
    kin__tree_free(copy);
    kin__tree_free(root);
    kin_object_unref(holder);
    kin_object_unref(object);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    ref_text t = {NULL, 0, 0};

    (void)state;
    ref_append_str(&t, "{'array':[1,2,{'x':'y'}],'many':{'k0':0");
    for (int i = 1; i < 30; i++) {
        char memb[32];

        snprintf(memb, sizeof(memb), ",'k%d':%d", i, i);
        ref_append_str(&t, memb);
    }
    ref_append_str(&t, "}}");
    const kin_object *base = doc(t.data);
    kin_test_fail_each_allocation(whole_life, (void *)(uintptr_t)base);
    kin_object_unref(base);
    free(t.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_node_gets_into_the_document),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(strings_can_be_read),
        cmocka_unit_test(freeing_nothing_is_harmless),
        cmocka_unit_test(what_nobody_touches_stays_a_value),
        cmocka_unit_test(scalars_do_not_expand),
        cmocka_unit_test(maps_have_no_items_and_arrays_no_members),
        cmocka_unit_test(resetting_makes_it_one_value_again),
        cmocka_unit_test(members_keep_their_places),
        cmocka_unit_test(items_shift),
        cmocka_unit_test(what_was_taken_can_be_put_elsewhere),
        cmocka_unit_test(large_maps_are_indexed),
        cmocka_unit_test(depth_needs_no_stack),
        cmocka_unit_test(only_maps_are_documents),
        cmocka_unit_test(enormous_keys_are_refused),
        cmocka_unit_test(scalars_are_compared_by_value),
        cmocka_unit_test(expanded_maps_and_arrays_are_compared),
        cmocka_unit_test(sizes_are_those_of_the_text),
        cmocka_unit_test(kept_values_outlive_their_objects),
        cmocka_unit_test(a_node_can_hold_its_object),
        cmocka_unit_test(a_tombstone_stands_for_its_document),
        cmocka_unit_test(the_tree_behaves_like_the_reference),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
