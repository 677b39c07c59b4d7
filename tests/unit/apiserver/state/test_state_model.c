/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A state under random operations, next to a table of what every key was at every version. In
 * memory, with a storage that lags, and in SQLite with restarts.
 *
 * Watchers begin with the list of a version; what they read is replayed onto it. After each read
 * the result is the state at the version that the read has named.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "base/str.h"
#include "latch.h"
#include "model.h"
#include "state_support.h"

enum {
    N_KEYS = 14, /* half of them in a/, half in b/ */
    N_COLLECTIONS = 2,
    N_WATCHES = 6,
    VERSIONS = 3000,
    WINDOW = 12,
};

enum mode { IN_MEMORY, LAGGING, IN_SQLITE };

struct watch {
    kin__watcher base;
    bool is_open;
    bool is_over;       /* it has to say KIN_EEXPIRED */
    bool has_nothing;   /* was said to it */
    bool is_notified;   /* since then */
    unsigned c;         /* which collection */
    uint64_t at;        /* the last change that it has read, or where it was opened */
    uint64_t m[N_KEYS]; /* the replayed state: version of each key's object, 0: not there */
};

struct model {
    enum mode mode;
    char path[256];
    kin_test_storage storage;
    kin__state *state;
    kin__collection *collections[N_COLLECTIONS];
    uint64_t last;
    uint64_t published;
    uint64_t at[VERSIONS][N_COLLECTIONS][N_KEYS]; /* up to `last` */
    unsigned char changed[VERSIONS];              /* which collection, + 1 */
    uint64_t floor[N_COLLECTIONS];                /* what was forgotten */
    struct watch watches[N_WATCHES];
    char problem[256];
};

#define problem(m, ...) (snprintf((m)->problem, sizeof((m)->problem), __VA_ARGS__), (m)->problem)

static void key_of(char *key, unsigned k)
{
    snprintf(key, 16, "%c/%u", k < N_KEYS / 2 ? 'a' : 'b', k % (N_KEYS / 2));
}

static unsigned index_of(const kin_object *object)
{
    const char *key = kin_object_key(object);

    return (key[0] == 'b' ? N_KEYS / 2 : 0) + (unsigned)(key[2] - '0');
}

static void open_state(struct model *m)
{
    kin__state_options options = {.window_changes = WINDOW};

    if (m->mode == LAGGING) {
        kin_test_storage_init(&m->storage);
        options.storage = &m->storage.base;
    }
    if (m->mode == IN_SQLITE)
        m->state = kin_test_open_state(m->path, WINDOW, 0);
    else
        assert_code(kin__state_new(&m->state, &options, NULL), 0);
    m->collections[0] = kin_test_collection(m->state, "pods");
    m->collections[1] = kin_test_collection(m->state, "nodes");
}

static void *model_new(uint64_t seed)
{
    struct model *m = calloc(1, sizeof(*m));

    assert_non_null(m);
    m->mode = seed % 8 == 0 ? IN_SQLITE : seed % 2 ? LAGGING : IN_MEMORY;
    snprintf(m->path, sizeof(m->path), "%s", kin_test_database("model.db"));
    m->last = m->published = 1;
    open_state(m);
    return m;
}

static void publish(struct model *m, uint64_t version)
{
    while (m->published < version) {
        unsigned c = m->changed[++m->published] - 1;
        unsigned n = 0;

        /* The window has the last ones of the collection; those before are forgotten. */
        for (uint64_t v = m->published; v > m->floor[c]; v--)
            if (m->changed[v] == c + 1 && ++n > WINDOW)
                m->floor[c] = v;
    }
    if (m->mode == LAGGING)
        kin_test_storage_written(&m->storage, version, 0);
}

static void close_watches(struct model *m)
{
    for (unsigned i = 0; i < N_WATCHES; i++)
        if (m->watches[i].is_open)
            kin__watcher_close(&m->watches[i].base);
    memset(m->watches, 0, sizeof(m->watches));
}

static void model_free(void *state)
{
    struct model *m = state;

    close_watches(m);
    publish(m, m->last);
    kin__state_free(m->state);
    kin_test_remove_database(m->path);
    free(m);
}

/* --- operations --- */

static void commit(struct model *m, unsigned c, unsigned k, bool is_deletion)
{
    kin_test_latch latch;
    kin_test_done done;
    uint64_t version = 0;
    char key[16];

    key_of(key, k);
    kin_test_latch_init(&latch);
    kin_test_done_init(&done, &latch);
    if (is_deletion)
        assert_code(kin_test_try_delete(m->state, m->collections[c], key,
                                        m->mode == LAGGING ? NULL : &done.base, &version, NULL),
                    0);
    else
        assert_code(kin_test_try_put(m->state, m->collections[c], key, k,
                                     m->mode == LAGGING ? NULL : &done.base, &version, NULL),
                    0);
    assert_int_equal(version, m->last + 1);
    m->last = version;
    memcpy(m->at[version], m->at[version - 1], sizeof(m->at[0]));
    m->at[version][c][k] = is_deletion ? 0 : version;
    m->changed[version] = (unsigned char)(c + 1);
    if (m->mode != LAGGING) {
        kin_test_latch_wait(&latch, 1);
        publish(m, version);
    }
    kin_test_latch_done(&latch);
}

static const char *op_write(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    unsigned n = 1 + (unsigned)kin_test_below(rng, 4);

    for (unsigned i = 0; i < n && m->last + 1 < VERSIONS; i++) {
        unsigned c = kin_test_below(rng, 4) == 0;
        unsigned k = (unsigned)kin_test_below(rng, N_KEYS);

        commit(m, c, k, m->at[m->last][c][k] && kin_test_below(rng, 3) == 0);
    }
    return NULL;
}

static const char *op_publish(void *state, kin_test_rng *rng)
{
    struct model *m = state;

    publish(m, m->published + kin_test_below(rng, m->last - m->published + 1));
    return NULL;
}

static bool is_odd(const kin_object *object, void *arg)
{
    (void)arg;
    return index_of(object) % 2 == 1;
}

static const char *compare_page(struct model *m, unsigned c, const kin__state_query *query,
                                uint64_t version, const kin__state_page *page)
{
    size_t i = 0;
    size_t behind = 0;
    bool is_newest = true;
    char key[16];

    for (unsigned k = 0; k < N_KEYS; k++) {
        uint64_t expected = m->at[version][c][k];

        key_of(key, k);
        if (!expected || !kin__str_starts_with(kin_str_of(key), query->prefix) ||
            kin__str_compare(kin_str_of(key), query->after) <= 0)
            continue;
        if (query->limit && i == query->limit) {
            behind++;
            continue;
        }
        if (query->match && k % 2 == 0)
            continue;
        if (i == page->objects.len)
            return problem(m, "the list of %llu has no %s", (unsigned long long)version, key);
        if (index_of(page->objects.items[i]) != k ||
            kin_test_document_version(page->objects.items[i]) != expected)
            return problem(m, "the list of %llu has another %s", (unsigned long long)version, key);
        i++;
    }
    if (i != page->objects.len)
        return "a list has too much";
    if (page->more != (behind > 0))
        return "a list does not know whether there is more";
    for (uint64_t v = version + 1; v <= m->published; v++)
        is_newest = is_newest && m->changed[v] != c + 1;
    if (page->remaining != (is_newest && !query->match ? behind : 0))
        return "a list does not know how many remain";
    return NULL;
}

static const char *op_list(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    unsigned c = (unsigned)kin_test_below(rng, N_COLLECTIONS);
    uint64_t version = kin_test_below(rng, 3) == 0 ? 0 : m->published + 2 - kin_test_below(rng, 60);
    kin__state_query query = {.limit = kin_test_below(rng, 2) ? kin_test_below(rng, 8) : 0};
    kin__state_page page;
    const char *problem;
    char after[16];
    int expected = 0;
    int code;

    if (version > m->published + 2)
        version = 1;
    query.version = version;
    query.prefix = kin_str_of((const char *[]){"", "a/", "b/"}[kin_test_below(rng, 3)]);
    key_of(after, (unsigned)kin_test_below(rng, N_KEYS));
    query.after = kin_str_of(kin_test_below(rng, 2) ? after : "");
    query.match = kin_test_below(rng, 3) == 0 ? is_odd : NULL;
    if (version == 0)
        version = m->published;
    if (version > m->published)
        expected = KIN_ERANGE;
    else if (version < m->floor[c])
        expected = KIN_EEXPIRED;
    code = kin__state_list(m->state, m->collections[c], &query, &page, NULL);
    if (code != expected)
        return problem(m, "listing %llu of %llu says %s instead of %s", (unsigned long long)version,
                       (unsigned long long)m->published, kin_error_name(code),
                       kin_error_name(expected));
    if (code < 0)
        return NULL;
    problem = page.version == version ? compare_page(m, c, &query, version, &page)
                                      : "a list is of another version";
    kin_object_list_done(&page.objects);
    return problem;
}

static void on_notify(kin__watcher *base)
{
    struct watch *watch = kin__container_of(base, struct watch, base);

    assert_true(watch->has_nothing && !watch->is_notified);
    watch->is_notified = true;
}

/* From the storage's thread, some time. */
static void on_late_notify(kin__watcher *base)
{
    (void)base;
}

static const char *op_open(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    struct watch *watch = &m->watches[kin_test_below(rng, N_WATCHES)];
    uint64_t version = m->published + 1 - kin_test_below(rng, 50);
    int expected = 0;
    int code;

    if (version > m->published + 1)
        version = 1;
    if (watch->is_open)
        kin__watcher_close(&watch->base);
    memset(watch, 0, sizeof(*watch));
    watch->base.notify = m->mode == IN_SQLITE ? on_late_notify : on_notify;
    watch->c = (unsigned)kin_test_below(rng, N_COLLECTIONS);
    if (version > m->published)
        expected = KIN_ERANGE;
    else if (version < m->floor[watch->c])
        expected = KIN_EEXPIRED;
    code = kin__watcher_open(&watch->base, m->state, m->collections[watch->c], version, NULL);
    if (code != expected)
        return problem(m, "watching from %llu of %llu says %s instead of %s",
                       (unsigned long long)version, (unsigned long long)m->published,
                       kin_error_name(code), kin_error_name(expected));
    watch->is_open = code == 0;
    watch->at = version;
    memcpy(watch->m, m->at[version][watch->c], sizeof(watch->m)); /* lists were compared */
    return NULL;
}

static const char *replay(struct watch *watch, const kin__change *change)
{
    unsigned k = index_of(change->object);
    uint64_t old = change->old ? kin_test_document_version(change->old) : 0;

    if (change->version <= watch->at)
        return "a change came twice or too late";
    if (kin_test_document_version(change->object) != change->version)
        return "a change has another object";
    if (old != watch->m[k])
        return "a change does not go on where the last one ended";
    watch->m[k] = change->is_deletion ? 0 : change->version;
    watch->at = change->version;
    return NULL;
}

static const char *op_read(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    struct watch *watch = &m->watches[kin_test_below(rng, N_WATCHES)];
    size_t max = 1 + kin_test_below(rng, 8);
    bool is_over = watch->is_over || watch->at < m->floor[watch->c];
    const char *problem = NULL;
    kin__change *changes[8];
    uint64_t version;
    size_t n;
    int code;

    if (!watch->is_open)
        return NULL;
    code = kin__watcher_read(&watch->base, changes, max, &n, &version);
    if (code != (is_over ? KIN_EEXPIRED : 0))
        return problem(m, "reading says %s", kin_error_name(code));
    if (code < 0)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (!problem)
            problem = replay(watch, changes[i]);
        kin__change_unref(changes[i]);
    }
    watch->has_nothing = n == 0;
    watch->is_notified = false;
    if (problem)
        return problem;
    if (version > m->published || (n < max && version != m->published))
        return "a read names a version that is not there";
    if (memcmp(watch->m, m->at[version][watch->c], sizeof(watch->m)) != 0)
        return problem(m, "what was read up to %llu is not what was listed",
                       (unsigned long long)version);
    return NULL;
}

static void end_watches(struct model *m)
{
    for (unsigned i = 0; i < N_WATCHES; i++)
        m->watches[i].is_over = true;
}

static const char *op_compact(void *state, kin_test_rng *rng)
{
    struct model *m = state;

    (void)rng;
    kin__state_compact(m->state);
    m->floor[0] = m->floor[1] = m->published;
    end_watches(m);
    return NULL;
}

static const char *op_rewind(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    uint64_t version;
    int expected;
    int code;

    publish(m, m->last); /* it would wait for that */
    version = m->published + 1 - kin_test_below(rng, 12);
    if (version == 0 || version > m->published + 1)
        version = 1;
    expected = version > m->published                           ? KIN_ERANGE
               : version < m->floor[0] || version < m->floor[1] ? KIN_EEXPIRED
                                                                : 0;
    code = kin__state_rewind(m->state, version, NULL);
    if (code != expected)
        return problem(m, "going back says %s instead of %s", kin_error_name(code),
                       kin_error_name(expected));
    if (code < 0)
        return NULL;
    memset(&m->changed[version + 1], 0, sizeof(m->changed) - version - 1);
    m->last = m->published = version;
    end_watches(m);
    return NULL;
}

static const char *op_restart(void *state, kin_test_rng *rng)
{
    struct model *m = state;

    (void)rng;
    if (m->mode != IN_SQLITE)
        return NULL;
    close_watches(m);
    kin__state_free(m->state);
    open_state(m);
    return NULL;
}

static const char *model_check(void *state)
{
    struct model *m = state;
    unsigned k = (unsigned)(m->published % N_KEYS);
    const kin_object *object = NULL;
    uint64_t version = 0;
    char key[16];

    if (kin__state_version(m->state) != m->published)
        return "the newest version differs";
    key_of(key, k);
    if (kin__state_get(m->state, m->collections[0], kin_str_of(key), &object, NULL) == 0)
        version = kin_test_document_version(object);
    kin_object_unref(object);
    if (version != m->at[m->published][0][k])
        return "an object differs";
    for (unsigned i = 0; m->mode != IN_SQLITE && i < N_WATCHES; i++) {
        const struct watch *w = &m->watches[i];
        bool is_due = w->is_over;

        for (uint64_t v = w->at + 1; v <= m->published && !is_due; v++)
            is_due = m->changed[v] == w->c + 1;
        if (w->is_open && w->has_nothing && w->is_notified != is_due)
            return is_due ? "a watcher was not notified" : "a watcher was notified of nothing";
    }
    return NULL;
}

static void it_behaves_like_a_table_of_versions(void **unused)
{
    static const kin_test_op ops[] = {
        {"write", 40, op_write},  {"publish", 20, op_publish}, {"list", 30, op_list},
        {"open", 12, op_open},    {"read", 60, op_read},       {"compact", 1, op_compact},
        {"rewind", 2, op_rewind}, {"restart", 2, op_restart},
    };
    static const kin_test_model model = {
        .ops = ops,
        .n_ops = kin__array_len(ops),
        .state_new = model_new,
        .state_free = model_free,
        .check = model_check,
    };

    (void)unused;
    kin_test_run_model(&model, 300, 200);
    assert_int_equal(kin_test_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_behaves_like_a_table_of_versions),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
