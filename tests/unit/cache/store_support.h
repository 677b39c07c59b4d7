/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores for tests: filled with items (item.h), and told as one line of text, so that "nothing has
 * changed" is a comparison of two lines.
 */
#ifndef KIN_TEST_STORE_SUPPORT_H
#define KIN_TEST_STORE_SUPPORT_H

#include <stdbool.h>

#include "item.h"
#include "kinform/store.h"
#include "kinform/view.h"

/* An empty store with the index "tag" (kin_test_by_tag). */
kin_store *test_store_new(void);

/* The same; it looks for old states at every write. */
kin_store *test_eager_store(void);
/* OWNED; release with kin_view_free(). */
kin_view *test_open_view(kin_store *store);

/* Put an item there; the numbered ones are in three namespaces. */
void test_put_numbered(kin_store *store, unsigned i, unsigned version, const char *tags);
void test_delete_key(kin_store *store, const char *key);
void test_put(kin_store *store, const char *key, unsigned version, const char *tags);

/*
 * All that a store shows, in the order of keys:
 *     2 at 7: a@5(x,y) b@7() | tag: x=a y=a
 * What is asked in different ways must agree. free() it.
 */
char *test_describe(kin_store *store);
/* The same of a view, with the values x, y and z of the index "tag". free() it. */
char *test_describe_view(kin_view *view);

void test_assert_store(kin_store *store, const char *expected, const char *file, int line);
void test_assert_view(kin_view *view, const char *expected, const char *file, int line);
void test_assert_tag(kin_store *store, const char *tag, const char *keys, const char *file,
                     int line);

#define assert_store(store, expected) test_assert_store((store), (expected), __FILE__, __LINE__)
#define assert_view(view, expected) test_assert_view((view), (expected), __FILE__, __LINE__)
/* The sorted keys under a tag, with spaces between. */
#define assert_tag(store, tag, keys) test_assert_tag((store), (tag), (keys), __FILE__, __LINE__)

/* States that the store keeps for views. */
size_t test_old_states(kin_store *store);

/*
 * Fail each allocation of an operation in turn, on a store that setup() makes anew, first only that
 * one, then it and all behind it. After a failure, which is KIN_ENOMEM, the store must be told as
 * before; after a success as `expected` says. Returns the number of allocations of a run in which
 * none fails.
 */
typedef struct test_sweep {
    kin_store *(*setup)(void *arg);
    int (*run)(kin_store *store, void *arg, kin_error *err);
    void *arg;
    const char *expected; /* NULL: as before */
} test_sweep;

size_t test_run_sweep(const test_sweep *sweep);

#endif
