/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store in many threads: all that can be done to it is done at once. What readers must find,
 * whenever they look:
 *
 * - a token that transactions pass between four keys is under exactly one of them, in every list, view
 *   and visit, and replacing everything keeps it so;
 * - a view shows as many objects as it says, the same whenever it is asked, and under each value of
 *   each index exactly those that the index function would put there;
 * - no object is found twice, and each is alive;
 * - what one reader sees of a key never gets older.
 *
 * In the first half replacing excludes other writers of the test, so that versions rise. In the
 * second it does not, and only the last rule is dropped.
 */
#include "kin_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "base/thread.h"
#include "item.h"
#include "kinform/lister.h"
#include "kinform/store.h"
#include "kinform/view.h"
#include "rng.h"

enum {
    TOKENS = 4,
    KEYS = 32,
    BULK = 600,
    ALL = TOKENS + KEYS + BULK,
    WRITERS = 3,
    READERS = 3,
    STEPS = 5000,    /* of each writer */
    BULK_ROUNDS = 5, /* of filling and emptying */
    INDEXES = 8,     /* that are added meanwhile */
};

static const char *const tags[] = {"a", "b", "c", "bulk", "token"};
enum { TAGS = 5, TOKEN_TAG = 4 };

struct world {
    kin_store *store;
    bool ordered;
    pthread_rwlock_t replacing; /* held for writing while all is replaced, if ordered */
    atomic_uint version;
    atomic_uint writing; /* threads that still write */
    atomic_uint failures;
};

struct worker {
    struct world *world;
    unsigned number;
    kin_test_rng rng;
    kin__thread thread;
    unsigned last[ALL]; /* versions that this reader saw */
    unsigned reads;
};

static void complain(struct world *world, const char *what, int line)
{
    if (atomic_fetch_add(&world->failures, 1) < 10)
        fprintf(stderr, "line %d: %s\n", line, what);
}

/* cmocka's assertions are for its own thread. */
#define check(world, condition)                                                                    \
    do {                                                                                           \
        if (!(condition))                                                                          \
            complain((world), #condition, __LINE__);                                               \
    } while (0)

/* --- keys and items --- */

static void key_of(unsigned i, char key[24])
{
    if (i < TOKENS)
        snprintf(key, 24, "token/%u", i);
    else if (i < TOKENS + KEYS)
        snprintf(key, 24, "k-%u/%u", i % 3, i);
    else
        snprintf(key, 24, "bulk/%u", i);
}

static unsigned number_of(const kin_object *item)
{
    kin_str name = kin_object_name(item);
    unsigned number = (unsigned)strtoul(name.data, NULL, 10);

    return number < ALL ? number : 0;
}

static const kin_object *make_item(struct world *world, unsigned i, const char *item_tags)
{
    char key[24];

    key_of(i, key);
    return kin_test_item(key, atomic_fetch_add(&world->version, 1) + 1, item_tags);
}

static const char *random_tags(kin_test_rng *rng)
{
    static const char *const some[] = {"a", "b", "a,b", "c,b,a", "c", "", "b,c", "!"};

    return some[kin_test_below(rng, kin__array_len(some))];
}

static bool has_tag(const kin_object *item, const char *tag)
{
    const char *all = kin_test_item_tags(item);
    size_t len = strlen(tag);

    if (strchr(all, '!'))
        return false;
    for (const char *at = all; (at = strstr(at, tag)); at += len)
        if ((at == all || at[-1] == ',') && (at[len] == ',' || !at[len]))
            return true;
    return false;
}

/* --- writers --- */

static void begin_write(struct world *world)
{
    if (world->ordered)
        pthread_rwlock_rdlock(&world->replacing);
}

static void end_write(struct world *world)
{
    if (world->ordered)
        pthread_rwlock_unlock(&world->replacing);
}

/* A key that only this writer writes. */
static unsigned own_key(struct worker *w)
{
    unsigned i = (unsigned)kin_test_below(&w->rng, KEYS / WRITERS);

    return TOKENS + i * WRITERS + w->number;
}

static void put_one(struct worker *w)
{
    const kin_object *item = make_item(w->world, own_key(w), random_tags(&w->rng));

    check(w->world, kin_store_update(w->world->store, item, NULL) == 0);
    kin_object_unref(item);
}

static void delete_one(struct worker *w)
{
    const kin_object *item = make_item(w->world, own_key(w), NULL);

    if (kin_test_below(&w->rng, 2))
        check(w->world, kin_store_delete(w->world->store, item, NULL) == 0);
    else
        check(w->world,
              kin_store_delete_key(w->world->store, kin_str_of(kin_object_key(item)), NULL) == 0);
    kin_object_unref(item);
}

/* The token goes to one of its keys, and some others change with it. */
static void pass_token(struct worker *w)
{
    kin_write writes[TOKENS + 6];
    unsigned who = (unsigned)kin_test_below(&w->rng, TOKENS);
    size_t n = 0;

    for (unsigned i = 0; i < TOKENS; i++)
        writes[n++] =
            (kin_write){KIN_WRITE_PUT, make_item(w->world, i, i == who ? "token,a" : "a"), 1};
    for (uint64_t more = kin_test_below(&w->rng, 6); more > 0; more--)
        writes[n++] = (kin_write){kin_test_below(&w->rng, 3) ? KIN_WRITE_PUT : KIN_WRITE_DELETE,
                                  make_item(w->world, own_key(w), random_tags(&w->rng)), 1};
    check(w->world, kin_store_write(w->world->store, writes, n, NULL) == 0);
    for (size_t i = 0; i < n; i++)
        kin_object_unref(writes[i].object);
}

static void add_staged(struct worker *w, kin_replace *replace, unsigned i, const char *item_tags)
{
    const kin_object *item = make_item(w->world, i, item_tags);

    check(w->world, kin_replace_add(replace, item, NULL) == 0);
    kin_object_unref(item);
}

/* All tokens, some others, some of the bulk. */
static void replace_all(struct worker *w)
{
    struct world *world = w->world;
    kin_replace *replace = NULL;
    unsigned who = (unsigned)kin_test_below(&w->rng, TOKENS);
    bool abort = kin_test_below(&w->rng, 4) == 0;

    if (world->ordered && !abort)
        pthread_rwlock_wrlock(&world->replacing);
    check(world, kin_store_replace_begin(world->store, &replace, NULL) == 0);
    for (unsigned i = 0; i < ALL; i++) {
        if (i < TOKENS)
            add_staged(w, replace, i, i == who ? "b,token" : "b");
        else if (i < TOKENS + KEYS && kin_test_below(&w->rng, 2))
            add_staged(w, replace, i, random_tags(&w->rng));
        else if (i >= TOKENS + KEYS && kin_test_below(&w->rng, 8) == 0)
            add_staged(w, replace, i, "bulk");
    }
    if (abort)
        kin_replace_abort(replace);
    else
        check(world, kin_replace_commit(replace, kin_str_of("list"), NULL) == 0);
    if (world->ordered && !abort)
        pthread_rwlock_unlock(&world->replacing);
}

static void write_one(struct worker *w)
{
    uint64_t what = kin_test_below(&w->rng, 200);

    if (what == 0) {
        replace_all(w);
        return;
    }
    begin_write(w->world);
    if (what < 100)
        put_one(w);
    else if (what < 150)
        delete_one(w);
    else if (what < 190)
        pass_token(w);
    else
        check(w->world, kin_store_bookmark(w->world->store, kin_str_of("bookmark"), NULL) == 0);
    end_write(w->world);
}

static void run_writer(void *arg)
{
    struct worker *w = arg;

    for (unsigned i = 0; i < STEPS; i++)
        write_one(w);
    atomic_fetch_sub(&w->world->writing, 1);
}

/* Makes tables and places grow, and shrink again. */
static void run_bulk_writer(void *arg)
{
    struct worker *w = arg;
    struct world *world = w->world;

    for (unsigned round = 0; round < 2 * BULK_ROUNDS; round++)
        for (unsigned i = TOKENS + KEYS; i < ALL; i++) {
            const kin_object *item;

            /* A list that comes between making and writing would be newer. */
            begin_write(world);
            item = make_item(world, i, i % 5 ? "bulk" : "bulk,c");
            check(world, (round % 2 ? kin_store_delete(world->store, item, NULL)
                                    : kin_store_add(world->store, item, NULL)) == 0);
            end_write(world);
            kin_object_unref(item);
        }
    atomic_fetch_sub(&world->writing, 1);
}

static void index_name(unsigned i, char name[16])
{
    snprintf(name, 16, "index-%u", i);
}

/* Adds an index whenever a part of the versions has gone by. */
static void run_indexer(void *arg)
{
    struct worker *w = arg;
    struct world *world = w->world;
    unsigned part = WRITERS * STEPS / (INDEXES + 1);

    for (unsigned i = 0; i < INDEXES; i++) {
        char name[16];
        kin_index index = KIN_INDEX_INIT(name, kin_test_by_tag);

        index_name(i, name);
        while (atomic_load(&world->version) < (i + 1) * part && atomic_load(&world->writing) > 1)
            sched_yield();
        check(world, kin_store_add_index(world->store, &index, NULL) == 0);
        check(world, kin_store_add_index(world->store, &index, NULL) == KIN_EINVAL);
    }
    atomic_fetch_sub(&world->writing, 1);
}

/* --- readers --- */

/* What was seen of one version. */
struct seen {
    struct worker *w;
    bool there[ALL];
    size_t n;
    struct tally {
        size_t n;
        uintptr_t sum;
    } tallies[TAGS];
};

static void see(struct seen *seen, const kin_object *item)
{
    struct world *world = seen->w->world;
    unsigned number = number_of(item);
    unsigned version = kin_test_item_version(item);
    char key[24];

    key_of(number, key);
    check(world, strcmp(key, kin_object_key(item)) == 0);
    check(world, !seen->there[number]);
    seen->there[number] = true;
    seen->n++;
    for (unsigned t = 0; t < TAGS; t++)
        if (has_tag(item, tags[t])) {
            seen->tallies[t].n++;
            seen->tallies[t].sum += (uintptr_t)item;
        }
    if (world->ordered && number >= TOKENS) {
        check(world, version >= seen->w->last[number]);
        seen->w->last[number] = version;
    }
}

/* Of a whole version. */
static void check_seen(const struct seen *seen)
{
    struct world *world = seen->w->world;

    check(world, seen->tallies[TOKEN_TAG].n == 1);
    for (unsigned i = 0; i < TOKENS; i++)
        check(world, seen->there[i]);
}

static bool is_tally(const kin_object_list *list, const struct tally *tally)
{
    uintptr_t sum = 0;

    for (size_t i = 0; i < list->len; i++)
        sum += (uintptr_t)list->items[i];
    return list->len == tally->n && sum == tally->sum;
}

static void read_list(struct worker *w)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    struct seen seen = {.w = w};

    check(w->world, kin_list_all(w->world->store, &list, NULL, NULL) == 0);
    for (size_t i = 0; i < list.len; i++)
        see(&seen, list.items[i]);
    check_seen(&seen);
    kin_object_list_done(&list);
}

static int visit(kin_str key, const kin_object *object, void *arg)
{
    struct seen *seen = arg;

    check(seen->w->world, kin_str_equal(key, kin_str_of(kin_object_key(object))));
    see(seen, object);
    if (kin_test_below(&seen->w->rng, 64) == 0)
        sched_yield();
    return 0;
}

static void read_visit(struct worker *w)
{
    struct seen seen = {.w = w};

    check(w->world, kin_store_each(w->world->store, visit, &seen, NULL) == 0);
    check_seen(&seen);
}

/* One object by a value. A version has exactly one token, whichever key holds it then. */
static void read_one_of_value(struct worker *w)
{
    unsigned t = (unsigned)kin_test_below(&w->rng, TAGS);
    const kin_object *item = NULL;
    struct seen seen = {.w = w};
    size_t n = 0;
    int code = kin_store_get_by_index(w->world->store, &item, &n, kin_str_of("tag"),
                                      kin_str_of(tags[t]), NULL);

    check(w->world, code == 0 || (code == KIN_ENOTFOUND && t != TOKEN_TAG));
    check(w->world, (code == 0) == (n > 0));
    check(w->world, t != TOKEN_TAG || n == 1);
    if (code == 0)
        see(&seen, item);
    check(w->world, code < 0 || seen.tallies[t].n == 1);
    kin_object_unref(item);
}

/* By one value: all have it, none twice. */
static void read_value(struct worker *w)
{
    unsigned t = (unsigned)kin_test_below(&w->rng, TAGS);
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    struct seen seen = {.w = w};
    kin_str index = kin_str_of("tag");

    if (kin_test_below(&w->rng, 2)) {
        check(w->world, kin_store_each_by_index(w->world->store, index, kin_str_of(tags[t]), visit,
                                                &seen, NULL) == 0);
    } else {
        check(w->world,
              kin_store_by_index(w->world->store, &list, index, kin_str_of(tags[t]), NULL) == 0);
        for (size_t i = 0; i < list.len; i++)
            see(&seen, list.items[i]);
        kin_object_list_done(&list);
    }
    check(w->world, seen.tallies[t].n == seen.n);
    check(w->world, t != TOKEN_TAG || seen.n == 1);
}

static void read_keys(struct worker *w)
{
    kin_string_list list = KIN_STRING_LIST_INIT;
    unsigned tokens = 0;

    check(w->world, kin_store_list_keys(w->world->store, &list, NULL) == 0);
    for (size_t i = 0; i < list.len; i++)
        tokens += strncmp(list.items[i].data, "token/", 6) == 0;
    check(w->world, tokens == TOKENS);
    kin_string_list_done(&list);
    check(w->world, kin_store_index_keys(w->world->store, &list, kin_str_of("tag"), kin_str_of("b"),
                                         NULL) == 0);
    for (size_t i = 1; i < list.len; i++)
        check(w->world, strcmp(list.items[i - 1].data, list.items[i].data) < 0);
    kin_string_list_done(&list);
    check(w->world, kin_store_index_values(w->world->store, &list, kin_str_of("tag"), NULL) == 0);
    check(w->world, list.len >= 1 && list.len <= TAGS);
    kin_string_list_done(&list);
    check(w->world, kin_store_index_names(w->world->store, &list, NULL) == 0);
    check(w->world, list.len >= 1 && list.len <= 1 + INDEXES);
    kin_string_list_done(&list);
}

static void read_one(struct worker *w)
{
    struct seen seen = {.w = w};
    const kin_object *item = NULL;
    char key[24];

    key_of((unsigned)kin_test_below(&w->rng, ALL), key);
    if (kin_store_get(w->world->store, &item, kin_str_of(key), NULL) == 0)
        see(&seen, item);
    kin_object_unref(item);
    /* One that is always there. */
    key_of((unsigned)kin_test_below(&w->rng, TOKENS), key);
    check(w->world, kin_store_get(w->world->store, NULL, kin_str_of(key), NULL) == 0);
}

static void read_like(struct worker *w)
{
    const kin_object *like = kin_test_item("like", 0, "a,token,c");
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    struct seen seen = {.w = w};

    check(w->world, kin_store_index(w->world->store, &list, kin_str_of("tag"), like, NULL) == 0);
    for (size_t i = 0; i < list.len; i++)
        see(&seen, list.items[i]);
    check(w->world, seen.tallies[TOKEN_TAG].n == 1);
    kin_object_list_done(&list);
    kin_object_unref(like);
}

static void read_state(struct worker *w)
{
    kin_store_stats stats = KIN_STORE_STATS_INIT;
    char version[16];

    check(w->world, kin_store_get_stats(w->world->store, &stats, NULL) == 0);
    check(w->world, stats.objects >= TOKENS && stats.objects <= ALL);
    check(w->world, kin_store_len(w->world->store) >= TOKENS);
    kin_store_resource_version(w->world->store, version, sizeof(version));
    check(w->world, strcmp(version, "list") == 0 || strcmp(version, "bookmark") == 0 ||
                        strtoul(version, NULL, 10) > 0);
}

/* What a view shows, by going through it; and under every value the same by index. */
static void see_view(struct seen *seen, kin_view *view, bool first)
{
    struct world *world = seen->w->world;
    const kin_object *item;

    while (kin_view_next(view, NULL, &item)) {
        const kin_object *got = NULL;

        if (first || kin_test_below(&seen->w->rng, 8) == 0) {
            check(world, kin_view_get(view, &got, kin_str_of(kin_object_key(item)), NULL) == 0);
            check(world, got == item);
        }
        see(seen, item);
    }
    check(world, seen->n == kin_view_len(view));
    check_seen(seen);
}

static void check_indexes(const struct seen *seen, kin_view *view)
{
    struct world *world = seen->w->world;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    char name[16];

    for (unsigned t = 0; t < TAGS; t++) {
        check(world,
              kin_view_by_index(view, &list, kin_str_of("tag"), kin_str_of(tags[t]), NULL) == 0);
        check(world, is_tally(&list, &seen->tallies[t]));
        kin_object_list_done(&list);
        index_name((unsigned)kin_test_below(&seen->w->rng, INDEXES), name);
        if (kin_view_by_index(view, &list, kin_str_of(name), kin_str_of(tags[t]), NULL) == 0)
            check(world, is_tally(&list, &seen->tallies[t]));
        kin_object_list_done(&list);
    }
}

static void read_something(struct worker *w);

static void read_view(struct worker *w)
{
    struct world *world = w->world;
    kin_view *view = NULL;
    struct seen first = {.w = w};
    unsigned last[ALL];

    check(world, kin_view_new(&view, world->store, NULL) == 0);
    see_view(&first, view, true);
    check_indexes(&first, view);
    memcpy(last, w->last, sizeof(last));
    for (uint64_t more = kin_test_below(&w->rng, 4); more > 0; more--) {
        struct seen again = {.w = w};

        for (uint64_t i = kin_test_below(&w->rng, 20); i > 0; i--)
            read_something(w);
        /* What it shows is as old as it was, though newer has been seen since. */
        memcpy(w->last, last, sizeof(last));
        see_view(&again, view, false);
        check(world, again.n == first.n);
        for (unsigned t = 0; t < TAGS; t++)
            check(world, again.tallies[t].sum == first.tallies[t].sum);
        check_indexes(&again, view);
    }
    kin_view_free(view);
}

/* All but views. */
static void read_something(struct worker *w)
{
    static void (*const reads[])(struct worker *) = {
        read_one,   read_one,          read_one,  read_list, read_visit,
        read_value, read_one_of_value, read_keys, read_like, read_state};

    reads[kin_test_below(&w->rng, kin__array_len(reads))](w);
    w->reads++;
}

static void run_reader(void *arg)
{
    struct worker *w = arg;

    /* At least a round, also if the writers are quick. */
    do {
        for (unsigned i = 0; i < 8; i++)
            read_something(w);
        read_view(w);
    } while (atomic_load(&w->world->writing) > 0);
}

/* --- all --- */

static void make_world(struct world *world, bool ordered)
{
    kin_index by_tag = KIN_INDEX_INIT("tag", kin_test_by_tag);
    kin_logger *logger = NULL;
    kin_store_options options = KIN_STORE_OPTIONS_INIT;
    struct worker first = {.world = world};

    memset(world, 0, sizeof(*world));
    world->ordered = ordered;
    pthread_rwlock_init(&world->replacing, NULL);
    atomic_init(&world->version, 0);
    atomic_init(&world->writing, WRITERS + 2);
    atomic_init(&world->failures, 0);
    /* Index functions fail all the time; nobody wants to read that. */
    assert_code(kin_logger_new(&logger, KIN_LOG_OFF, kin_log_to_stderr, NULL, NULL, NULL), 0);
    options.logger = logger;
    assert_code(kin_store_new(&world->store, &options, NULL), 0);
    kin_logger_unref(logger);
    assert_code(kin_store_add_index(world->store, &by_tag, NULL), 0);
    pass_token(&first);
}

static void run_world(bool ordered)
{
    static struct world world;
    enum { THREADS = WRITERS + 2 + READERS };
    struct worker *workers = calloc(THREADS, sizeof(*workers));
    unsigned reads = 0;

    assert_non_null(workers);
    make_world(&world, ordered);
    for (unsigned i = 0; i < THREADS; i++) {
        kin__thread_fn *fn = i < WRITERS        ? run_writer
                             : i == WRITERS     ? run_bulk_writer
                             : i == WRITERS + 1 ? run_indexer
                                                : run_reader;

        workers[i].world = &world;
        workers[i].number = i;
        workers[i].rng.state = i;
        assert_code(kin__thread_start(&workers[i].thread, "stress", fn, &workers[i], NULL), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        assert_code(kin__thread_join(&workers[i].thread, NULL), 0);
        reads += workers[i].reads;
    }
    assert_int_equal(atomic_load(&world.failures), 0);
    assert_true(reads > 0);
    /* With nobody left, old states go. */
    for (unsigned i = 0; i < 200; i++)
        assert_code(kin_store_bookmark(world.store, kin_str_of("end"), NULL), 0);
    {
        kin_store_stats stats = KIN_STORE_STATS_INIT;

        assert_code(kin_store_get_stats(world.store, &stats, NULL), 0);
        assert_int_equal(stats.old_states, 0);
        assert_int_equal(stats.views, 0);
        assert_int_equal(kin_test_items_live(), kin_store_len(world.store));
    }
    kin_store_unref(world.store);
    assert_int_equal(kin_test_items_live(), 0);
    assert_int_equal(kin_test_alloc_live(), 0);
    pthread_rwlock_destroy(&world.replacing);
    free(workers);
}

static void every_version_is_whole_and_none_is_older(void **state)
{
    (void)state;
    run_world(true);
}

static void every_version_is_whole_while_all_is_replaced(void **state)
{
    (void)state;
    run_world(false);
}

/* --- one key --- */

/*
 * The narrowest race there is: one key, updated for ever, and readers that must always find it. Both
 * with readers that come and go and with views, and with a table that is replaced all the time.
 */
struct narrow {
    kin_store *store;
    atomic_bool stop;
    atomic_uint wrong;
};

static void find_it(void *arg)
{
    struct narrow *narrow = arg;
    unsigned last = 0;

    while (!atomic_load(&narrow->stop)) {
        const kin_object *item = NULL;
        kin_view *view = NULL;
        bool right = kin_store_get(narrow->store, &item, kin_str_of("key"), NULL) == 0;

        right = right && kin_test_item_version(item) >= last;
        last = right ? kin_test_item_version(item) : last;
        kin_object_unref(item);
        right = right && kin_view_new(&view, narrow->store, NULL) == 0;
        /* What the view says of itself is of the version that it shows. */
        right = right && kin_view_get(view, &item, kin_str_of("key"), NULL) == 0 &&
                strtoul(kin_view_resource_version(view), NULL, 10) == kin_test_item_version(item);
        for (unsigned i = 0; right && i < 3; i++) {
            const kin_object *again = NULL;

            right = kin_view_get(view, &again, kin_str_of("key"), NULL) == 0 &&
                    (i == 0 || again == item) && kin_test_item_version(again) >= last;
            item = again;
        }
        kin_view_free(view);
        atomic_fetch_add(&narrow->wrong, !right);
    }
}

static void a_key_that_is_there_is_always_found(void **state)
{
    enum { FINDERS = 2, UPDATES = 20000 };
    static struct narrow narrow;
    kin__thread threads[FINDERS];

    (void)state;
    assert_code(kin_store_new(&narrow.store, NULL, NULL), 0);
    atomic_init(&narrow.stop, false);
    atomic_init(&narrow.wrong, 0);
    for (unsigned i = 0; i <= UPDATES; i++) {
        const kin_object *item = kin_test_item("key", i, NULL);
        char other[16];

        assert_code(kin_store_update(narrow.store, item, NULL), 0);
        kin_object_unref(item);
        if (i == 0)
            for (unsigned t = 0; t < FINDERS; t++)
                assert_code(kin__thread_start(&threads[t], "finder", find_it, &narrow, NULL), 0);
        /* Others come until the table has grown, and go until it has shrunk. */
        snprintf(other, sizeof(other), "other-%u", i % 800 < 400 ? i % 400 : 799 - i % 800);
        item = kin_test_item(other, i, NULL);
        assert_code(i % 800 < 400 ? kin_store_add(narrow.store, item, NULL)
                                  : kin_store_delete(narrow.store, item, NULL),
                    0);
        kin_object_unref(item);
    }
    atomic_store(&narrow.stop, true);
    for (unsigned t = 0; t < FINDERS; t++)
        assert_code(kin__thread_join(&threads[t], NULL), 0);
    assert_int_equal(atomic_load(&narrow.wrong), 0);
    kin_store_unref(narrow.store);
    assert_int_equal(kin_test_items_live(), 0);
}

/* Versions of one letter, as long as can be: none may be made of two. */
static void read_letters(void *arg)
{
    struct narrow *narrow = arg;

    while (!atomic_load(&narrow->stop)) {
        char version[KIN_RESOURCE_VERSION_BYTES_MAX + 1];
        size_t len = kin_store_resource_version(narrow->store, version, sizeof(version));

        if (len != strspn(version, (char[]){version[0], '\0'}))
            atomic_fetch_add(&narrow->wrong, 1);
    }
}

static void a_resource_version_is_never_mixed(void **state)
{
    enum { FINDERS = 2, BOOKMARKS = 40000 };
    static struct narrow narrow;
    kin__thread threads[FINDERS];
    char version[KIN_RESOURCE_VERSION_BYTES_MAX];

    (void)state;
    assert_code(kin_store_new(&narrow.store, NULL, NULL), 0);
    atomic_init(&narrow.stop, false);
    atomic_init(&narrow.wrong, 0);
    for (unsigned t = 0; t < FINDERS; t++)
        assert_code(kin__thread_start(&threads[t], "reader", read_letters, &narrow, NULL), 0);
    for (unsigned i = 0; i < BOOKMARKS; i++) {
        memset(version, 'a' + (int)(i % 26), sizeof(version));
        assert_code(kin_store_bookmark(narrow.store, kin_str_make(version, 90 + i % 38), NULL), 0);
    }
    atomic_store(&narrow.stop, true);
    for (unsigned t = 0; t < FINDERS; t++)
        assert_code(kin__thread_join(&threads[t], NULL), 0);
    assert_int_equal(atomic_load(&narrow.wrong), 0);
    kin_store_unref(narrow.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_is_whole_and_none_is_older),
        cmocka_unit_test(every_version_is_whole_while_all_is_replaced),
        cmocka_unit_test(a_key_that_is_there_is_always_found),
        cmocka_unit_test(a_resource_version_is_never_mixed),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
