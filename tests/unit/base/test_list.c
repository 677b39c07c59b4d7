/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intrusive lists: each operation, and all of them against a plain array.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "model.h"

struct item {
    char name; /* in front of the node, so that a wrong container_of() shows */
    kin__list link;
};

static struct item *item_of(kin__list *node)
{
    return kin__list_entry(node, struct item, link);
}

/* n unlinked items called a, b, c ... */
static void init_items(struct item *items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        items[i].name = (char)('a' + i);
        kin__list_init(&items[i].link);
    }
}

/* The names, forwards; checks that the way backwards is the same. */
static const char *names(kin__list *head)
{
    static char text[128];
    size_t n = 0;

    kin__list_for_each(head, node) {
        assert_ptr_equal(node->prev->next, node);
        assert_ptr_equal(node->next->prev, node);
        assert_true(n < sizeof(text) - 1);
        text[n++] = item_of(node)->name;
    }
    text[n] = '\0';
    assert_ptr_equal(head->prev->next, head);
    assert_ptr_equal(head->next->prev, head);
    for (kin__list *node = head->prev; node != head; node = node->prev)
        assert_int_equal(item_of(node)->name, text[--n]);
    assert_int_equal(n, 0);
    return text;
}

static void fill(kin__list *head, struct item *items, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        kin__list_push_back(head, &items[i].link);
}

static void a_new_list_is_empty(void **state)
{
    kin__list head;

    (void)state;
    kin__list_init(&head);
    assert_true(kin__list_is_empty(&head));
    assert_null(kin__list_pop_front(&head));
    assert_string_equal(names(&head), "");
}

static void a_node_knows_whether_it_is_in_a_list(void **state)
{
    kin__list head;
    struct item items[1];

    (void)state;
    kin__list_init(&head);
    init_items(items, 1);
    assert_true(kin__list_is_empty(&items[0].link));
    kin__list_push_back(&head, &items[0].link);
    assert_false(kin__list_is_empty(&items[0].link));
    assert_false(kin__list_is_empty(&head));
    kin__list_remove(&items[0].link);
    assert_true(kin__list_is_empty(&items[0].link));
    assert_true(kin__list_is_empty(&head));
}

static void push_back_appends_and_push_front_prepends(void **state)
{
    kin__list head;
    struct item items[4];

    (void)state;
    kin__list_init(&head);
    init_items(items, 4);
    kin__list_push_back(&head, &items[0].link);
    assert_string_equal(names(&head), "a");
    kin__list_push_back(&head, &items[1].link);
    assert_string_equal(names(&head), "ab");
    kin__list_push_front(&head, &items[2].link);
    assert_string_equal(names(&head), "cab");
    kin__list_push_front(&head, &items[3].link);
    assert_string_equal(names(&head), "dcab");
}

static void insert_between_puts_a_node_where_it_is_told(void **state)
{
    kin__list head;
    struct item items[3];

    (void)state;
    kin__list_init(&head);
    init_items(items, 3);
    fill(&head, items, 0, 2);
    kin__list_insert_between(&items[2].link, &items[0].link, &items[1].link);
    assert_string_equal(names(&head), "acb");
}

static void pop_front_takes_the_first_and_unlinks_it(void **state)
{
    kin__list head;
    struct item items[2];

    (void)state;
    kin__list_init(&head);
    init_items(items, 2);
    fill(&head, items, 0, 2);
    assert_ptr_equal(kin__list_pop_front(&head), &items[0].link);
    assert_true(kin__list_is_empty(&items[0].link));
    assert_string_equal(names(&head), "b");
    assert_ptr_equal(kin__list_pop_front(&head), &items[1].link);
    assert_null(kin__list_pop_front(&head));
    assert_true(kin__list_is_empty(&head));
}

static void removal_works_at_every_place(void **state)
{
    static const char *const left[] = {"bcd", "acd", "abd", "abc"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        kin__list head;
        struct item items[4];

        kin__list_init(&head);
        init_items(items, 4);
        fill(&head, items, 0, 4);
        kin__list_remove(&items[i].link);
        assert_string_equal(names(&head), left[i]);
    }
}

static void removing_twice_is_defined(void **state)
{
    kin__list head;
    struct item items[3];

    (void)state;
    kin__list_init(&head);
    init_items(items, 3);
    fill(&head, items, 0, 3);
    kin__list_remove(&items[1].link);
    kin__list_remove(&items[1].link);
    assert_string_equal(names(&head), "ac");
    assert_true(kin__list_is_empty(&items[1].link));
    kin__list_push_back(&head, &items[1].link); /* and it can come back */
    assert_string_equal(names(&head), "acb");
}

static void removing_a_node_that_never_was_in_a_list_is_defined(void **state)
{
    struct item items[1];

    (void)state;
    init_items(items, 1);
    kin__list_remove(&items[0].link);
    assert_true(kin__list_is_empty(&items[0].link));
}

static void splice_appends_all_in_order_and_empties_the_source(void **state)
{
    (void)state;
    for (size_t n_to = 0; n_to <= 3; n_to++) {
        for (size_t n_from = 0; n_from <= 3; n_from++) {
            kin__list to;
            kin__list from;
            struct item items[6];
            char expected[8] = "abcdef";

            kin__list_init(&to);
            kin__list_init(&from);
            init_items(items, 6);
            fill(&to, items, 0, n_to);
            fill(&from, items, n_to, n_to + n_from);
            kin__list_splice_back(&to, &from);
            expected[n_to + n_from] = '\0';
            assert_string_equal(names(&to), expected);
            assert_true(kin__list_is_empty(&from));
            assert_string_equal(names(&from), "");
            /* Both are lists as before. */
            if (n_from > 0) {
                kin__list_remove(&items[n_to].link);
                kin__list_push_back(&from, &items[n_to].link);
                assert_int_equal(strlen(names(&to)), n_to + n_from - 1);
                assert_int_equal(strlen(names(&from)), 1);
            }
        }
    }
}

static void iteration_visits_each_once_in_order(void **state)
{
    kin__list head;
    struct item items[3];
    char seen[8] = "";
    size_t n = 0;

    (void)state;
    kin__list_init(&head);
    kin__list_for_each(&head, node) {
        assert_null(node); /* not reached */
    }
    init_items(items, 3);
    fill(&head, items, 0, 3);
    kin__list_for_each(&head, node) {
        seen[n++] = item_of(node)->name;
    }
    assert_string_equal(seen, "abc");
}

/* Each subset of four, so the first, the last, neighbours, and all. Freed at once, for ASan. */
static void the_current_node_may_be_removed_and_freed_while_iterating(void **state)
{
    (void)state;
    for (unsigned doomed = 0; doomed < 16; doomed++) {
        kin__list head;
        char visited[8] = "";
        char expected[8] = "";
        size_t n = 0;
        size_t n_left = 0;

        kin__list_init(&head);
        for (unsigned i = 0; i < 4; i++) {
            struct item *item = malloc(sizeof(*item));

            assert_non_null(item);
            item->name = (char)('a' + i);
            kin__list_push_back(&head, &item->link);
            if (!(doomed & (1u << i)))
                expected[n_left++] = item->name;
        }
        kin__list_for_each(&head, node) {
            visited[n] = item_of(node)->name;
            if (doomed & (1u << n)) {
                kin__list_remove(node);
                free(item_of(node));
            }
            n++;
        }
        assert_string_equal(visited, "abcd");
        assert_string_equal(names(&head), expected);
        for (kin__list *node; (node = kin__list_pop_front(&head)) != NULL;)
            free(item_of(node));
    }
}

static void the_current_node_may_move_to_another_list_while_iterating(void **state)
{
    kin__list head;
    kin__list other;
    struct item items[4];

    (void)state;
    kin__list_init(&head);
    kin__list_init(&other);
    init_items(items, 4);
    fill(&head, items, 0, 4);
    kin__list_for_each(&head, node) {
        if (item_of(node)->name % 2 == 0) {
            kin__list_remove(node);
            kin__list_push_front(&other, node);
        }
    }
    assert_string_equal(names(&head), "ac");
    assert_string_equal(names(&other), "db");
}

/* --- model: two lists against two arrays of names --- */

#define N_ITEMS 6

struct model_state {
    struct item items[N_ITEMS];
    kin__list lists[2];
    char model[2][N_ITEMS + 1];
};

static void *model_new(uint64_t seed)
{
    struct model_state *s = calloc(1, sizeof(*s));

    (void)seed;
    if (s) {
        init_items(s->items, N_ITEMS);
        kin__list_init(&s->lists[0]);
        kin__list_init(&s->lists[1]);
    }
    return s;
}

static void model_remove(struct model_state *s, char name)
{
    for (int l = 0; l < 2; l++) {
        char *at = strchr(s->model[l], name);

        if (at)
            memmove(at, at + 1, strlen(at));
    }
}

static void model_insert_front(char *model, char name)
{
    memmove(model + 1, model, strlen(model) + 1);
    model[0] = name;
}

static const char *op_push_back(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;
    struct item *item = &s->items[kin_test_below(rng, N_ITEMS)];
    size_t to = kin_test_below(rng, 2);

    kin__list_remove(&item->link);
    kin__list_push_back(&s->lists[to], &item->link);
    model_remove(s, item->name);
    size_t len = strlen(s->model[to]);
    s->model[to][len] = item->name;
    s->model[to][len + 1] = '\0';
    return NULL;
}

static const char *op_push_front(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;
    struct item *item = &s->items[kin_test_below(rng, N_ITEMS)];
    size_t to = kin_test_below(rng, 2);

    kin__list_remove(&item->link);
    kin__list_push_front(&s->lists[to], &item->link);
    model_remove(s, item->name);
    model_insert_front(s->model[to], item->name);
    return NULL;
}

static const char *op_remove(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;
    struct item *item = &s->items[kin_test_below(rng, N_ITEMS)];

    kin__list_remove(&item->link);
    model_remove(s, item->name);
    return NULL;
}

static const char *op_pop_front(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;
    size_t from = kin_test_below(rng, 2);
    kin__list *node = kin__list_pop_front(&s->lists[from]);

    if ((node ? item_of(node)->name : '\0') != s->model[from][0])
        return "another node was popped";
    model_remove(s, s->model[from][0]);
    return NULL;
}

static const char *op_splice(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;
    size_t to = kin_test_below(rng, 2);
    char joined[2 * N_ITEMS + 1];

    kin__list_splice_back(&s->lists[to], &s->lists[1 - to]);
    snprintf(joined, sizeof(joined), "%s%s", s->model[to], s->model[1 - to]);
    memcpy(s->model[to], joined, N_ITEMS + 1);
    s->model[1 - to][0] = '\0';
    return NULL;
}

static const char *model_check(void *state)
{
    struct model_state *s = state;

    for (int l = 0; l < 2; l++) {
        if (strcmp(names(&s->lists[l]), s->model[l]) != 0)
            return "the lists differ";
        if (kin__list_is_empty(&s->lists[l]) != (s->model[l][0] == '\0'))
            return "is_empty is wrong";
    }
    for (int i = 0; i < N_ITEMS; i++) {
        bool linked = strchr(s->model[0], 'a' + i) || strchr(s->model[1], 'a' + i);

        if (kin__list_is_empty(&s->items[i].link) == linked)
            return "a node does not know where it is";
    }
    return NULL;
}

static void lists_behave_like_plain_arrays(void **state)
{
    static const kin_test_op ops[] = {
        {"push_back", 4, op_push_back}, {"push_front", 4, op_push_front}, {"remove", 3, op_remove},
        {"pop_front", 2, op_pop_front}, {"splice", 1, op_splice},
    };
    static const kin_test_model model = {
        .ops = ops,
        .n_ops = kin__array_len(ops),
        .state_new = model_new,
        .state_free = free,
        .check = model_check,
    };

    (void)state;
    kin_test_run_model(&model, 100, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_list_is_empty),
        cmocka_unit_test(a_node_knows_whether_it_is_in_a_list),
        cmocka_unit_test(push_back_appends_and_push_front_prepends),
        cmocka_unit_test(insert_between_puts_a_node_where_it_is_told),
        cmocka_unit_test(pop_front_takes_the_first_and_unlinks_it),
        cmocka_unit_test(removal_works_at_every_place),
        cmocka_unit_test(removing_twice_is_defined),
        cmocka_unit_test(removing_a_node_that_never_was_in_a_list_is_defined),
        cmocka_unit_test(splice_appends_all_in_order_and_empties_the_source),
        cmocka_unit_test(iteration_visits_each_once_in_order),
        cmocka_unit_test(the_current_node_may_be_removed_and_freed_while_iterating),
        cmocka_unit_test(the_current_node_may_move_to_another_list_while_iterating),
        cmocka_unit_test(lists_behave_like_plain_arrays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
