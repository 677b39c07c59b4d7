/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A state with writers, readers, watchers, and somebody who compacts, all at once; in memory and in
 * SQLite. Lists are one version each; what a watcher replays is what a list of that version says;
 * texts of changes are shared and go while others read them.
 */
#include "kin_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "apiserver/state/state.h"
#include "base/compiler.h"
#include "base/str.h"
#include "latch.h"
#include "rng.h"
#include "state_support.h"

enum { N_KEYS = 400, N_WRITERS = 3, N_READERS = 2, N_WATCHERS = 4, WRITES = 4000, WINDOW = 700 };

struct world {
    kin__state *state;
    kin__collection *pods;
    atomic_bool is_over; /* no more writes but one */
    atomic_uint seed;
    atomic_uint done; /* writes that were acknowledged */
    kin__write_done on_done;
};

/* Versions of the objects of a key, 0: not there. */
struct table {
    uint64_t version;
    uint64_t keys[N_KEYS];
};

static void key_of(char *key, unsigned k)
{
    snprintf(key, 16, "ns/%03u", k);
}

static unsigned index_of(const kin_object *object)
{
    uint64_t k = N_KEYS;

    kin__str_to_u64(&k, kin_object_name(object));
    assert_true(k < N_KEYS);
    return (unsigned)k;
}

static struct world *current;

static void on_done(kin__write_done *done, int code)
{
    (void)done;
    assert_code(code, 0);
    atomic_fetch_add(&current->done, 1);
}

static void *write_many(void *arg)
{
    struct world *w = arg;
    kin_test_rng rng = {atomic_fetch_add(&w->seed, 1)};
    char key[16];

    for (unsigned i = 0; i < WRITES; i++) {
        int code = KIN_ENOTFOUND;

        key_of(key, (unsigned)kin_test_below(&rng, N_KEYS));
        if (kin_test_below(&rng, 4) == 0)
            code = kin_test_try_delete(w->state, w->pods, key, &w->on_done, NULL, NULL);
        if (code == KIN_ENOTFOUND)
            code = kin_test_try_put(w->state, w->pods, key, i, &w->on_done, NULL, NULL);
        assert_code(code, 0);
    }
    return NULL;
}

/* The state at a version, if it is known still. */
static bool get_table(struct world *w, uint64_t version, struct table *table)
{
    kin__state_query query = {.version = version};
    kin__state_page page;
    unsigned last = 0;
    int code = kin__state_list(w->state, w->pods, &query, &page, NULL);

    if (code == KIN_EEXPIRED)
        return false;
    assert_code(code, 0);
    memset(table, 0, sizeof(*table));
    table->version = page.version;
    for (size_t i = 0; i < page.objects.len; i++) {
        unsigned k = index_of(page.objects.items[i]);

        assert_true(i == 0 || k > last);
        last = k;
        table->keys[k] = kin_test_document_version(page.objects.items[i]);
        assert_true(table->keys[k] <= page.version);
    }
    kin_object_list_done(&page.objects);
    return true;
}

/* The same version twice is the same list. */
static void *read_many(void *arg)
{
    struct world *w = arg;
    kin_test_rng rng = {atomic_fetch_add(&w->seed, 1)};
    struct table a;
    struct table b;
    char key[16];

    while (!atomic_load(&w->is_over)) {
        const kin_object *object = NULL;

        assert_true(get_table(w, 0, &a));
        if (get_table(w, a.version - kin_test_below(&rng, a.version < 300 ? 1 : 300), &a) &&
            get_table(w, a.version, &b))
            assert_memory_equal(&a, &b, sizeof(a));
        key_of(key, (unsigned)kin_test_below(&rng, N_KEYS));
        if (kin__state_get(w->state, w->pods, kin_str_of(key), &object, NULL) == 0)
            assert_string_equal(kin_object_key(object), key);
        kin_object_unref(object);
    }
    return NULL;
}

/* --- watchers --- */

struct text {
    kin__encoded base;
    uint64_t version;
};

struct watch {
    kin__watcher base;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool is_notified; /* (lock) */
};

static void text_free(kin__encoded *base)
{
    free(kin__container_of(base, struct text, base));
}

static void look_at_text(kin__change *change)
{
    kin__encoded *found = atomic_load(&change->encoded);

    if (!found) {
        struct text *text = calloc(1, sizeof(*text));

        assert_non_null(text);
        text->base.free = text_free;
        text->version = change->version;
        if (atomic_compare_exchange_strong(&change->encoded, &found, &text->base))
            found = &text->base;
        else
            free(text);
    }
    assert_int_equal(kin__container_of(found, struct text, base)->version, change->version);
}

static void on_notify(kin__watcher *base)
{
    struct watch *watch = kin__container_of(base, struct watch, base);

    pthread_mutex_lock(&watch->lock);
    watch->is_notified = true;
    pthread_cond_signal(&watch->wake);
    pthread_mutex_unlock(&watch->lock);
}

static void wait_for_notify(struct watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    while (!watch->is_notified)
        pthread_cond_wait(&watch->wake, &watch->lock);
    watch->is_notified = false;
    pthread_mutex_unlock(&watch->lock);
}

static void replay(struct table *table, kin__change *change)
{
    unsigned k = index_of(change->object);

    assert_true(change->version > table->version);
    assert_int_equal(change->old ? kin_test_document_version(change->old) : 0, table->keys[k]);
    table->keys[k] = change->is_deletion ? 0 : change->version;
    table->version = change->version;
    look_at_text(change);
}

/* Read until it ends, or all is over. Whether it is to be opened again. */
static bool follow(struct world *w, struct watch *watch, struct table *table, kin_test_rng *rng)
{
    struct table listed;

    for (unsigned reads = 0;; reads++) {
        kin__change *changes[40];
        uint64_t version;
        size_t n;

        if (kin__watcher_read(&watch->base, changes, 1 + kin_test_below(rng, 40), &n, &version) < 0)
            return true;
        for (size_t i = 0; i < n; i++) {
            replay(table, changes[i]);
            kin__change_unref(changes[i]);
        }
        table->version = version;
        if ((n == 0 || reads % 16 == 0) && get_table(w, version, &listed))
            assert_memory_equal(&listed, table, sizeof(listed));
        if (n > 0)
            continue;
        if (atomic_load(&w->is_over))
            return false;
        if (kin_test_below(rng, 50) == 0)
            return true; /* leaves while it may be being notified */
        wait_for_notify(watch);
    }
}

static void *watch_many(void *arg)
{
    struct world *w = arg;
    kin_test_rng rng = {atomic_fetch_add(&w->seed, 1)};
    struct watch *watch = calloc(1, sizeof(*watch));
    struct table table;
    bool again = true;

    assert_non_null(watch);
    pthread_mutex_init(&watch->lock, NULL);
    pthread_cond_init(&watch->wake, NULL);
    while (again) {
        watch->base.notify = on_notify;
        watch->is_notified = false;
        if (!get_table(w, 0, &table))
            continue;
        if (kin__watcher_open(&watch->base, w->state, w->pods, table.version, NULL) < 0)
            continue; /* compacted in between */
        again = follow(w, watch, &table, &rng);
        kin__watcher_close(&watch->base);
    }
    pthread_cond_destroy(&watch->wake);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
    return NULL;
}

static void *compact_often(void *arg)
{
    struct world *w = arg;

    while (!atomic_load(&w->is_over)) {
        uint64_t version = kin__state_version(w->state);

        /* Every thousand versions, and a little going on in between. */
        while (!atomic_load(&w->is_over) && kin__state_version(w->state) < version + 1000)
            sched_yield();
        kin__state_compact(w->state);
    }
    return NULL;
}

static void run(const char *path)
{
    struct world w = {.on_done = {.fn = on_done}};
    pthread_t writers[N_WRITERS];
    pthread_t others[N_READERS + N_WATCHERS + 1];
    size_t n = 0;

    current = &w;
    w.state = kin_test_open_state(path, WINDOW, 0);
    w.pods = kin_test_collection(w.state, "pods");
    for (size_t i = 0; i < N_WATCHERS; i++)
        assert_int_equal(pthread_create(&others[n++], NULL, watch_many, &w), 0);
    for (size_t i = 0; i < N_READERS; i++)
        assert_int_equal(pthread_create(&others[n++], NULL, read_many, &w), 0);
    assert_int_equal(pthread_create(&others[n++], NULL, compact_often, &w), 0);
    for (size_t i = 0; i < N_WRITERS; i++)
        assert_int_equal(pthread_create(&writers[i], NULL, write_many, &w), 0);
    for (size_t i = 0; i < N_WRITERS; i++)
        pthread_join(writers[i], NULL);
    atomic_store(&w.is_over, true);
    kin_test_put(w.state, w.pods, "ns/000", 1); /* whoever waits is told */
    for (size_t i = 0; i < n; i++)
        pthread_join(others[i], NULL);
    kin__state_free(w.state);
    assert_int_equal(atomic_load(&w.done), N_WRITERS * WRITES);
}

static void in_memory(void **unused)
{
    (void)unused;
    run(NULL);
}

static void in_sqlite(void **unused)
{
    const char *path = kin_test_database("stress.db");

    (void)unused;
    run(path);
    kin_test_remove_database(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory),
        cmocka_unit_test(in_sqlite),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
