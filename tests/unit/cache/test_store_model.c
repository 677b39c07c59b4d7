/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store under random operations, next to a plain array. Views are opened and closed in between,
 * and each must go on showing what was there when it was opened: by key, in turn and by index.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "cache/store.h"
#include "item.h"
#include "kinform/store.h"
#include "kinform/view.h"
#include "model.h"

enum { N_KEYS = 20, N_VIEWS = 4, N_TAGS = 4 };

/* A version of the store: what is under each key. */
struct snapshot {
    const kin_object *items[N_KEYS]; /* a reference to each; NULL: the key is not there */
    char resource_version[16];
    bool has_second_index;
};

struct state {
    kin_store *store;
    struct snapshot now;
    kin_view *views[N_VIEWS];
    struct snapshot shown[N_VIEWS];
    unsigned version;
    size_t live_before;
    char what[256];
};

static void key_of(unsigned i, char key[24])
{
    snprintf(key, 24, "ns-%u/item-%u", i % 3, i);
}

static void snapshot_copy(struct snapshot *to, const struct snapshot *from)
{
    *to = *from;
    for (unsigned i = 0; i < N_KEYS; i++)
        kin_object_ref(to->items[i]);
}

static void snapshot_done(struct snapshot *snapshot)
{
    for (unsigned i = 0; i < N_KEYS; i++)
        kin_object_unref(snapshot->items[i]);
    memset(snapshot, 0, sizeof(*snapshot));
}

static void set(struct state *s, unsigned i, const kin_object *item)
{
    kin_object_unref(s->now.items[i]);
    s->now.items[i] = kin_object_ref(item);
}

static void *state_new(uint64_t seed)
{
    struct state *s = calloc(1, sizeof(*s));
    kin_index by_tag = KIN_INDEX_INIT("tag", kin_test_by_tag);

    assert_non_null(s);
    s->live_before = kin_test_items_live();
    assert_code(kin_store_new(&s->store, NULL, NULL), 0);
    assert_code(kin_store_add_index(s->store, &by_tag, NULL), 0);
    /* Half of the runs look for old states between views at every write. */
    if (seed % 2) {
        s->store->patience = 0;
        s->store->splice_min = 0;
        s->store->splice_at = 0;
        s->store->splice_at = 0;
    }
    if (seed % 3)
        kin__store_indexes(s->store)->items[0]->sparse_min = 1;
    return s;
}

static void state_free(void *state)
{
    struct state *s = state;

    for (unsigned i = 0; i < N_VIEWS; i++) {
        kin_view_free(s->views[i]);
        snapshot_done(&s->shown[i]);
    }
    snapshot_done(&s->now);
    kin_store_unref(s->store);
    assert_int_equal(kin_test_items_live(), s->live_before);
    free(s);
}

static const char *wrong(struct state *s, const char *what, const char *detail)
{
    snprintf(s->what, sizeof(s->what), "%s %s", what, detail);
    return s->what;
}

/* --- operations --- */

static const kin_object *random_item(struct state *s, kin_test_rng *rng, unsigned i)
{
    static const char *const tags[] = {"a", "b", "a,b", "b,a,c", "c", "", "d,a", "!"};
    char key[24];

    key_of(i, key);
    return kin_test_item(key, ++s->version, tags[kin_test_below(rng, kin__array_len(tags))]);
}

static void note_version(struct state *s, const kin_object *item)
{
    snprintf(s->now.resource_version, sizeof(s->now.resource_version), "%u",
             kin_test_item_version(item));
}

static const char *op_put(void *state, kin_test_rng *rng)
{
    struct state *s = state;
    unsigned i = (unsigned)kin_test_below(rng, N_KEYS);
    const kin_object *item = random_item(s, rng, i);

    assert_code(kin_store_update(s->store, item, NULL), 0);
    set(s, i, item);
    note_version(s, item);
    kin_object_unref(item);
    return NULL;
}

static const char *op_put_again(void *state, kin_test_rng *rng)
{
    struct state *s = state;
    unsigned i = (unsigned)kin_test_below(rng, N_KEYS);

    if (!s->now.items[i])
        return NULL;
    assert_code(kin_store_add(s->store, s->now.items[i], NULL), 0);
    note_version(s, s->now.items[i]);
    return NULL;
}

static const char *op_delete(void *state, kin_test_rng *rng)
{
    struct state *s = state;
    unsigned i = (unsigned)kin_test_below(rng, N_KEYS);
    const kin_object *item = random_item(s, rng, i);

    assert_code(kin_store_delete(s->store, item, NULL), 0);
    set(s, i, NULL);
    note_version(s, item);
    kin_object_unref(item);
    return NULL;
}

static const char *op_delete_key(void *state, kin_test_rng *rng)
{
    struct state *s = state;
    unsigned i = (unsigned)kin_test_below(rng, N_KEYS);
    char key[24];

    key_of(i, key);
    assert_code(kin_store_delete_key(s->store, kin_str_of(key), NULL), 0);
    set(s, i, NULL);
    return NULL;
}

static const char *op_replace(void *state, kin_test_rng *rng)
{
    struct state *s = state;
    kin_replace *replace = NULL;
    unsigned n = (unsigned)kin_test_below(rng, N_KEYS);
    struct snapshot after = {0};

    assert_code(kin_store_replace_begin(s->store, &replace, NULL), 0);
    for (unsigned k = 0; k < n; k++) {
        unsigned i = (unsigned)kin_test_below(rng, N_KEYS);
        const kin_object *item = random_item(s, rng, i);

        assert_code(kin_replace_add(replace, item, NULL), 0);
        kin_object_unref(after.items[i]);
        after.items[i] = item;
    }
    if (kin_test_below(rng, 4) == 0) {
        kin_replace_abort(replace);
        snapshot_done(&after);
        return NULL;
    }
    snprintf(after.resource_version, sizeof(after.resource_version), "list-%u", ++s->version);
    after.has_second_index = s->now.has_second_index;
    assert_code(kin_replace_commit(replace, kin_str_of(after.resource_version), NULL), 0);
    snapshot_done(&s->now);
    s->now = after;
    return NULL;
}

static const char *op_transaction(void *state, kin_test_rng *rng)
{
    struct state *s = state;
    kin_write writes[12];
    size_t n = 1 + (size_t)kin_test_below(rng, kin__array_len(writes));

    for (size_t k = 0; k < n; k++) {
        unsigned i = (unsigned)kin_test_below(rng, N_KEYS);
        const kin_object *item = random_item(s, rng, i);
        bool put = kin_test_below(rng, 3) > 0;

        writes[k] = (kin_write){put ? KIN_WRITE_PUT : KIN_WRITE_DELETE, item, 1};
        set(s, i, put ? item : NULL);
        note_version(s, item);
    }
    assert_code(kin_store_write(s->store, writes, n, NULL), 0);
    for (size_t k = 0; k < n; k++) {
        assert_int_equal(writes[k].code, 0);
        kin_object_unref(writes[k].object);
    }
    return NULL;
}

static const char *op_bookmark(void *state, kin_test_rng *rng)
{
    struct state *s = state;

    (void)rng;
    snprintf(s->now.resource_version, sizeof(s->now.resource_version), "%u", ++s->version);
    assert_code(kin_store_bookmark(s->store, kin_str_of(s->now.resource_version), NULL), 0);
    return NULL;
}

static const char *op_add_index(void *state, kin_test_rng *rng)
{
    struct state *s = state;
    kin_index second = KIN_INDEX_INIT(KIN_NAMESPACE_INDEX, kin_namespace_index);

    (void)rng;
    assert_code(kin_store_add_index(s->store, &second, NULL),
                s->now.has_second_index ? KIN_EINVAL : 0);
    s->now.has_second_index = true;
    return NULL;
}

static const char *op_open(void *state, kin_test_rng *rng)
{
    struct state *s = state;
    unsigned i = (unsigned)kin_test_below(rng, N_VIEWS);

    kin_view_free(s->views[i]);
    s->views[i] = NULL;
    snapshot_done(&s->shown[i]);
    assert_code(kin_view_new(&s->views[i], s->store, NULL), 0);
    snapshot_copy(&s->shown[i], &s->now);
    return NULL;
}

static const char *op_close(void *state, kin_test_rng *rng)
{
    struct state *s = state;
    unsigned i = (unsigned)kin_test_below(rng, N_VIEWS);

    kin_view_free(s->views[i]);
    s->views[i] = NULL;
    snapshot_done(&s->shown[i]);
    return NULL;
}

/* --- what must be there --- */

static bool has_tag(const kin_object *item, const char *tag)
{
    const char *tags = kin_test_item_tags(item);

    return strchr(tags, '!') == NULL && strstr(tags, tag) != NULL;
}

static unsigned number_of(const kin_object *item)
{
    return (unsigned)strtoul(strrchr(kin_object_key(item), '-') + 1, NULL, 10);
}

/* All of `list` are those of the snapshot that pass, each once. */
static bool is_selection(const struct snapshot *snapshot, const kin_object *const *list, size_t n,
                         bool (*passes)(const kin_object *, const char *), const char *arg)
{
    bool seen[N_KEYS] = {false};
    size_t expected = 0;

    for (unsigned i = 0; i < N_KEYS; i++)
        expected += snapshot->items[i] && (!passes || passes(snapshot->items[i], arg));
    for (size_t i = 0; i < n; i++) {
        unsigned number = number_of(list[i]);

        if (seen[number] || snapshot->items[number] != list[i] || (passes && !passes(list[i], arg)))
            return false;
        seen[number] = true;
    }
    return n == expected;
}

static bool in_namespace(const kin_object *item, const char *name)
{
    return kin_str_equal(kin_object_namespace(item), kin_str_of(name));
}

static const char *check_list(struct state *s)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    char version[16];
    bool right;

    assert_code(kin_store_list(s->store, &list, NULL), 0);
    right = is_selection(&s->now, list.items, list.len, NULL, NULL);
    assert_int_equal(list.len, kin_store_len(s->store));
    assert_code(kin_store_list_keys(s->store, &keys, NULL), 0);
    assert_int_equal(keys.len, list.len);
    kin_string_list_done(&keys);
    kin_object_list_done(&list);
    if (!right)
        return wrong(s, "list", "");
    kin_store_resource_version(s->store, version, sizeof(version));
    return strcmp(version, s->now.resource_version) == 0 ? NULL : wrong(s, "version", version);
}

/* Whether a lookup of one object finds the first of the sorted keys, and counts them all. */
static bool is_smallest(struct state *s, const char *index, const char *value,
                        const kin_string_list *keys)
{
    const kin_object *found = NULL;
    size_t n = 0;
    int code =
        kin_store_get_by_index(s->store, &found, &n, kin_str_of(index), kin_str_of(value), NULL);
    bool right = code == (keys->len ? 0 : KIN_ENOTFOUND) && n == keys->len;

    if (found)
        right = right && strcmp(kin_object_key(found), keys->items[0].data) == 0;
    kin_object_unref(found);
    return right;
}

static const char *check_index(struct state *s, const char *index, const char *value,
                               bool (*passes)(const kin_object *, const char *))
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    bool right;

    assert_code(kin_store_by_index(s->store, &list, kin_str_of(index), kin_str_of(value), NULL), 0);
    right = is_selection(&s->now, list.items, list.len, passes, value);
    assert_code(kin_store_index_keys(s->store, &keys, kin_str_of(index), kin_str_of(value), NULL),
                0);
    right = right && keys.len == list.len;
    for (size_t i = 1; i < keys.len; i++)
        right = right && strcmp(keys.items[i - 1].data, keys.items[i].data) < 0;
    right = right && is_smallest(s, index, value, &keys);
    kin_string_list_done(&keys);
    kin_object_list_done(&list);
    return right ? NULL : wrong(s, index, value);
}

static const char *check_values(struct state *s)
{
    kin_string_list values = KIN_STRING_LIST_INIT;
    size_t expected = 0;
    bool right = true;

    for (char tag[2] = "a"; tag[0] < 'a' + N_TAGS; tag[0]++) {
        bool some = false;

        for (unsigned i = 0; i < N_KEYS; i++)
            some |= s->now.items[i] && has_tag(s->now.items[i], tag);
        expected += some;
    }
    assert_code(kin_store_index_values(s->store, &values, kin_str_of("tag"), NULL), 0);
    right = values.len == expected;
    kin_string_list_done(&values);
    return right ? NULL : wrong(s, "values", "");
}

static const char *check_view(struct state *s, unsigned v)
{
    const struct snapshot *shown = &s->shown[v];
    const kin_object *items[N_KEYS + 1];
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    const kin_object *item;
    kin_str key;
    size_t n = 0;
    bool right;

    while (n <= N_KEYS && kin_view_next(s->views[v], &key, &item)) {
        if (!kin_str_equal(key, kin_str_of(kin_object_key(item))))
            return wrong(s, "view", "key");
        items[n++] = item;
    }
    if (n > N_KEYS || n != kin_view_len(s->views[v]) || !is_selection(shown, items, n, NULL, NULL))
        return wrong(s, "view", "next");
    for (unsigned i = 0; i < N_KEYS; i++) {
        char name[24];
        int code;

        key_of(i, name);
        item = NULL;
        code = kin_view_get(s->views[v], &item, kin_str_of(name), NULL);
        if (code != (shown->items[i] ? 0 : KIN_ENOTFOUND) || item != shown->items[i])
            return wrong(s, "view get", name);
    }
    for (char tag[2] = "a"; tag[0] < 'a' + N_TAGS; tag[0]++) {
        assert_code(kin_view_by_index(s->views[v], &list, kin_str_of("tag"), kin_str_of(tag), NULL),
                    0);
        right = is_selection(shown, list.items, list.len, has_tag, tag);
        kin_object_list_done(&list);
        if (!right)
            return wrong(s, "view tag", tag);
    }
    if (!shown->has_second_index)
        assert_code(kin_view_by_index(s->views[v], &list, kin_str_of(KIN_NAMESPACE_INDEX),
                                      kin_str_of("ns-0"), NULL),
                    KIN_ENOTFOUND);
    if (strcmp(kin_view_resource_version(s->views[v]), shown->resource_version) != 0)
        return wrong(s, "view", "resource version");
    return NULL;
}

static const char *check(void *state)
{
    struct state *s = state;
    const char *found = check_list(s);

    for (char tag[2] = "a"; !found && tag[0] < 'a' + N_TAGS; tag[0]++)
        found = check_index(s, "tag", tag, has_tag);
    if (!found && s->now.has_second_index)
        found = check_index(s, KIN_NAMESPACE_INDEX, "ns-1", in_namespace);
    if (!found)
        found = check_values(s);
    for (unsigned v = 0; !found && v < N_VIEWS; v++)
        if (s->views[v])
            found = check_view(s, v);
    return found;
}

static const kin_test_op ops[] = {
    {"put", 30, op_put},          {"put again", 4, op_put_again},
    {"delete", 14, op_delete},    {"delete key", 4, op_delete_key},
    {"replace", 3, op_replace},   {"transaction", 6, op_transaction},
    {"bookmark", 2, op_bookmark}, {"add index", 1, op_add_index},
    {"open view", 4, op_open},    {"close view", 3, op_close},
};

static void every_version_is_as_it_was(void **state)
{
    const kin_test_model model = {ops, kin__array_len(ops), state_new, state_free, check};

    (void)state;
    kin_test_run_model(&model, 400, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_version_is_as_it_was)};

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
