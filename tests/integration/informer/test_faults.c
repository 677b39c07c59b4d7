/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Informers with a real client, against a server that does each thing wrong that it can do wrong: once
 * when they begin, and once while they watch. After quiet the cache has what the server has, found out by
 * another program; what each handler was told leads to the same; versions of an object do not go back; and
 * nothing is left behind.
 *
 * What is promised:
 *
 * | fault                                                       | promise                               |
 * |-------------------------------------------------------------|---------------------------------------|
 * | requests that fail, answers that break off, errors, 410,    | nothing is lost, and each handler is  |
 * | ends, doubled events, bookmarks or an end that do not come, | told of it in order                   |
 * | restarts, compaction                                        |                                       |
 * | an event that is lost or swapped with another, and a list   | the next list finds it, and nothing   |
 * | that is not what was asked for                              | before it can                         |
 * | an object that is too large, or cannot be read              | what is cached of it stays, until it  |
 * |                                                             | can be read again; see "skipped"      |
 * | a server that goes back in time                             | the next list finds it; versions go   |
 * |                                                             | back                                  |
 */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "cluster.h"
#include "fast_clock.h"
#include "kin_test.h"
#include "truth.h"

enum { SPEED = 100, FOLLOWERS = 2, OBJECTS = 8, BOOKMARK_MS = 20, IDLE_MS = 700 };

/* What is done to the server, so that its clients ask again. */
enum kick { NONE, COMPACT, RESTART, FORGET, REWIND, STOP };

struct scenario {
    const char *name;
    kin_fault fault; /* without a type: none */
    enum kick kick;  /* while they watch, behind the injection */
    bool lies;       /* only a list heals it */
};

struct fixture {
    kin_test_cluster cluster;
    kin_test_fast_clock clock;
    kin_client *clients[FOLLOWERS];
    kin_test_follower followers[FOLLOWERS];
    kin_test_loop loop;
    char words[KIN_TEST_WORDS];
};

/* --- the scene --- */

static void open_scene(struct fixture *f)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    options.seed = 1;
    options.bookmark_ms = BOOKMARK_MS;
    options.control = true;
    kin_test_cluster_open(&f->cluster, &options);
    f->cluster.n_kinds = 1;
    kin_test_fast_clock_start(&f->clock, SPEED);
    /* One whose informer lives from its workers, in fast time, and one by the system's clock. */
    f->clients[0] = kin_test_cluster_client(&f->cluster, f->clock.clock, IDLE_MS * SPEED);
    f->clients[1] = kin_test_cluster_client(&f->cluster, NULL, IDLE_MS);
    for (int i = 0; i < OBJECTS; i++)
        assert_code(kin_test_cluster_put(&f->cluster, 0, i, i % 2), 0);
}

static void close_scene(struct fixture *f)
{
    for (int i = 0; i < FOLLOWERS; i++)
        kin_client_free(f->clients[i]);
    kin_test_fast_clock_done(&f->clock);
    kin_test_cluster_close(&f->cluster);
}

/* One by streaming lists, all namespaces; one by pages, some namespaces, in order. */
static void start(struct fixture *f)
{
    static const kin_test_view views[FOLLOWERS] = {{.kind = 0, .namespaces = 7},
                                                   {.kind = 0,
                                                    .namespaces = 3,
                                                    .queue = KIN_QUEUE_ORDERED,
                                                    .no_streaming_list = true,
                                                    .page_size = 3}};

    for (int i = 0; i < FOLLOWERS; i++)
        kin_test_follower_open(&f->followers[i], &views[i], f->clients[i], f->clock.clock,
                               (uint64_t)i + 1);
    kin_test_loop_start(&f->loop, f->followers, FOLLOWERS);
}

static void stop(struct fixture *f)
{
    kin_test_loop_stop(&f->loop);
    for (int i = 0; i < FOLLOWERS; i++)
        kin_test_follower_close(&f->followers[i]);
}

static void quieten(struct fixture *f, bool lies)
{
    if (!kin_test_quieten(&f->cluster, f->followers, FOLLOWERS, lies, KIN_TEST_TIMEOUT_MS,
                          f->words))
        fail_msg("%s", f->words);
}

/* Where connections are refused the writer's may be, too. */
static void write_somehow(struct fixture *f, int i, int slot)
{
    int code = KIN_ECONNECT;

    for (int tries = 0; tries < 100 && code == KIN_ECONNECT; tries++)
        code = i % 4 == 3 ? kin_test_cluster_delete(&f->cluster, 0, slot)
                          : kin_test_cluster_put(&f->cluster, 0, slot, i % 2);
}

/* Updates, deletions and creations of the same few. */
static void change(struct fixture *f)
{
    for (int i = 0; i < 5 * OBJECTS; i++)
        write_somehow(f, i, i * 3 % (OBJECTS + 2));
}

static void kick(struct fixture *f, enum kick how)
{
    kin_apiserver *server = f->cluster.server;

    switch (how) {
    case NONE:
        break;
    case COMPACT:
        write_somehow(f, 0, 0);
        assert_code(kin_apiserver_compact(server, NULL), 0);
        break;
    case RESTART:
    case FORGET:
        assert_code(kin_apiserver_restart(server, how == FORGET, NULL), 0);
        break;
    case REWIND:
        assert_code(kin_apiserver_rewind(server, atomic_load(&f->cluster.version) - 10, NULL), 0);
        break;
    case STOP:
        kin_apiserver_stop(server);
        assert_code(kin_apiserver_start(server, NULL), 0);
        break;
    }
}

static uint64_t inject(struct fixture *f, const kin_fault *fault)
{
    kin_fault all = *fault;
    uint64_t id = 0;

    if (fault->type == 0)
        return 0;
    all.size = sizeof(all);
    assert_code(kin_apiserver_inject(f->cluster.server, &all, &id, NULL), 0);
    return id;
}

static uint64_t remove_fault(struct fixture *f, uint64_t id)
{
    uint64_t hits = 0;

    if (id > 0)
        assert_code(kin_apiserver_remove_fault(f->cluster.server, id, &hits, NULL), 0);
    return hits;
}

/* --- the scenarios --- */

static void await_synced(struct fixture *f)
{
    kin_error err = KIN_ERROR_INIT;

    for (int i = 0; i < FOLLOWERS; i++) {
        if (kin_informer_wait_synced(f->followers[i].informer, KIN_TEST_TIMEOUT_MS * SPEED, &err) <
            0)
            fail_msg("%s", err.message);
    }
}

static uint64_t at_the_beginning(struct fixture *f, const struct scenario *s)
{
    uint64_t id = inject(f, &s->fault), hits;

    start(f);
    for (int i = 0; i < FOLLOWERS; i++)
        kin_test_follower_may_go_back(&f->followers[i], s->lies);
    change(f);
    /* By then both have asked for something, and it was met. */
    await_synced(f);
    change(f);
    hits = remove_fault(f, id);
    quieten(f, s->lies);
    stop(f);
    return hits;
}

static uint64_t while_they_watch(struct fixture *f, const struct scenario *s)
{
    uint64_t id, hits;

    start(f);
    await_synced(f);
    if (!kin_test_mark_all(&f->cluster, f->followers, FOLLOWERS, KIN_TEST_TIMEOUT_MS, f->words))
        fail_msg("%s", f->words);
    for (int i = 0; i < FOLLOWERS; i++)
        kin_test_follower_may_go_back(&f->followers[i], s->lies || s->kick == REWIND);
    /* Bookmarks come by time, and the changes may take less. */
    do {
        id = inject(f, &s->fault);
        kick(f, s->kick);
        change(f);
        hits = remove_fault(f, id);
    } while (hits == 0 && s->fault.type == KIN_FAULT_WATCH_NO_BOOKMARKS);
    quieten(f, s->lies || s->kick == REWIND);
    stop(f);
    return hits;
}

static void run_scenario(void **state)
{
    const struct scenario *s = *state;
    struct fixture *f = calloc(1, sizeof(*f));
    kin_test_holdings before;
    char words[KIN_TEST_WORDS];

    assert_non_null(f);
    kin_test_hold(&before);
    open_scene(f);
    uint64_t hits = at_the_beginning(f, s) + while_they_watch(f, s);

    close_scene(f);
    free(f);
    /* A fault that nobody meets shows nothing. */
    if (s->fault.type != 0)
        assert_true(hits > 0);
    if (!kin_test_holds_same(&before, words, sizeof(words)))
        fail_msg("%s", words);
}

#define FAULT(type_, verb_, ...)                                                                   \
    {                                                                                              \
        .type = KIN_FAULT_##type_, .verb = (verb_), __VA_ARGS__                                    \
    }
#define PODS                                                                                       \
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},"        \
    "\"items\":[{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"o-0\","           \
    "\"namespace\":\"a\",\"resourceVersion\":\"1\"}}]}"
#define TABLE                                                                                      \
    "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":"     \
    "\"1\"},\"rows\":[]}"
#define HUGE_ (64 << 20)

static const struct scenario scenarios[] = {
    /* Nothing is wrong: what the others are compared with. */
    {.name = "nothing", .kick = NONE},

    {.name = "list 400",
     .fault = FAULT(STATUS, "list", .status = 400, .times = 2),
     .kick = COMPACT},
    {.name = "list 401",
     .fault = FAULT(STATUS, "list", .status = 401, .times = 2),
     .kick = COMPACT},
    {.name = "list 403",
     .fault = FAULT(STATUS, "list", .status = 403, .times = 2),
     .kick = COMPACT},
    {.name = "list 404",
     .fault = FAULT(STATUS, "list", .status = 404, .times = 2),
     .kick = COMPACT},
    {.name = "list 410",
     .fault = FAULT(STATUS, "list", .status = 410, .times = 4),
     .kick = COMPACT},
    {.name = "list 422",
     .fault = FAULT(STATUS, "list", .status = 422, .times = 2),
     .kick = COMPACT},
    {.name = "list 429",
     .fault = FAULT(STATUS, "list", .status = 429, .retry_after_s = 1, .times = 2),
     .kick = COMPACT},
    {.name = "list 500",
     .fault = FAULT(STATUS, "list", .status = 500, .times = 4),
     .kick = COMPACT},
    {.name = "list 503",
     .fault = FAULT(STATUS, "list", .status = 503, .times = 2),
     .kick = COMPACT},
    {.name = "list 504",
     .fault = FAULT(STATUS, "list", .status = 504, .times = 2),
     .kick = COMPACT},
    {.name = "a page that has expired",
     .fault = FAULT(STATUS, "list", .status = 410, .skip = 1),
     .kick = COMPACT},
    {.name = "a page that fails",
     .fault = FAULT(STATUS, "list", .status = 500, .skip = 1),
     .kick = COMPACT},
    {.name = "a slow list",
     .fault = FAULT(DELAY, "list", .delay_ms = 50, .times = 3),
     .kick = COMPACT},
    {.name = "a list that is reset",
     .fault = FAULT(RESET, "list", .bytes = 100, .times = 2),
     .kick = COMPACT},
    {.name = "a list without an answer",
     .fault = FAULT(RESET, "list", .times = 2),
     .kick = COMPACT},
    {.name = "a list that drips",
     .fault = FAULT(DRIP, "list", .bytes = 100, .interval_ms = 2, .times = 2),
     .kick = COMPACT},
    {.name = "a list that is cut",
     .fault = FAULT(TRUNCATE, "list", .bytes = 200, .times = 2),
     .kick = COMPACT},
    {.name = "a list that is no JSON",
     .fault = FAULT(GARBAGE, "list", .bytes = 150, .times = 2),
     .kick = COMPACT,
     .lies = true},
    {.name = "a list that is a page",
     .fault = FAULT(STATUS, "list", .status = 200, .body = "<html>", .times = 2),
     .kick = COMPACT},
    {.name = "a list behind white space",
     .fault = FAULT(OVERSIZE, "list", .bytes = 1 << 20, .times = 2),
     .kick = COMPACT},
    {.name = "a list with a large object",
     .fault = FAULT(OVERSIZE_OBJECT, "list", .bytes = 50000, .times = 2),
     .kick = COMPACT},
    {.name = "a list with an object that is too large",
     .fault = FAULT(OVERSIZE_OBJECT, "list", .bytes = HUGE_),
     .kick = COMPACT,
     .lies = true},
    {.name = "a list that is a table",
     .fault = FAULT(STATUS, "list", .status = 200, .body = TABLE, .times = 2),
     .kick = COMPACT},
    {.name = "a list of something else",
     .fault = FAULT(STATUS, "list", .status = 200, .body = PODS, .times = 2),
     .kick = COMPACT,
     .lies = true},

    {.name = "watch 400",
     .fault = FAULT(STATUS, "watch", .status = 400, .times = 2),
     .kick = RESTART},
    {.name = "watch 401",
     .fault = FAULT(STATUS, "watch", .status = 401, .times = 2),
     .kick = RESTART},
    {.name = "watch 403",
     .fault = FAULT(STATUS, "watch", .status = 403, .times = 2),
     .kick = RESTART},
    {.name = "watch 404",
     .fault = FAULT(STATUS, "watch", .status = 404, .times = 2),
     .kick = RESTART},
    {.name = "watch 410",
     .fault = FAULT(STATUS, "watch", .status = 410, .times = 4),
     .kick = RESTART},
    {.name = "watch 422",
     .fault = FAULT(STATUS, "watch", .status = 422, .times = 2),
     .kick = RESTART},
    {.name = "watch 429",
     .fault = FAULT(STATUS, "watch", .status = 429, .retry_after_s = 1, .times = 2),
     .kick = RESTART},
    {.name = "watch 500",
     .fault = FAULT(STATUS, "watch", .status = 500, .times = 4),
     .kick = RESTART},
    {.name = "watch 503",
     .fault = FAULT(STATUS, "watch", .status = 503, .times = 2),
     .kick = RESTART},
    {.name = "watch 504",
     .fault = FAULT(STATUS, "watch", .status = 504, .times = 2),
     .kick = RESTART},
    {.name = "a slow watch",
     .fault = FAULT(DELAY, "watch", .delay_ms = 50, .times = 2),
     .kick = RESTART},
    {.name = "a watch that is reset",
     .fault = FAULT(RESET, "watch", .bytes = 300, .times = 2),
     .kick = RESTART},
    {.name = "a watch without an answer",
     .fault = FAULT(RESET, "watch", .times = 2),
     .kick = RESTART},
    {.name = "a watch that stalls",
     .fault = FAULT(STALL, "watch", .bytes = 300, .times = 2),
     .kick = RESTART},
    {.name = "a watch that never begins",
     .fault = FAULT(STALL, "watch", .times = 2),
     .kick = RESTART},
    {.name = "a watch that drips",
     .fault = FAULT(DRIP, "watch", .bytes = 200, .interval_ms = 2, .times = 2),
     .kick = RESTART},
    {.name = "a watch that is cut",
     .fault = FAULT(TRUNCATE, "watch", .bytes = 300, .times = 2),
     .kick = RESTART},
    {.name = "a watch that is no JSON",
     .fault = FAULT(GARBAGE, "watch", .bytes = 300, .times = 2),
     .kick = RESTART},
    {.name = "a watch behind white space",
     .fault = FAULT(OVERSIZE, "watch", .bytes = 1 << 20, .times = 2),
     .kick = RESTART},
    {.name = "a watch with a large object",
     .fault = FAULT(OVERSIZE_OBJECT, "watch", .bytes = 50000, .times = 2),
     .kick = RESTART},

    {.name = "event 400", .fault = FAULT(WATCH_ERROR, NULL, .status = 400, .times = 3)},
    {.name = "event 401", .fault = FAULT(WATCH_ERROR, NULL, .status = 401, .times = 3)},
    {.name = "event 403", .fault = FAULT(WATCH_ERROR, NULL, .status = 403, .times = 3)},
    {.name = "event 404", .fault = FAULT(WATCH_ERROR, NULL, .status = 404, .times = 3)},
    {.name = "event 409", .fault = FAULT(WATCH_ERROR, NULL, .status = 409, .times = 3)},
    {.name = "event 410", .fault = FAULT(WATCH_ERROR, NULL, .status = 410, .times = 5)},
    {.name = "event 429",
     .fault = FAULT(WATCH_ERROR, NULL, .status = 429, .retry_after_s = 1, .times = 3)},
    {.name = "event 500", .fault = FAULT(WATCH_ERROR, NULL, .status = 500, .times = 5)},
    {.name = "event 503", .fault = FAULT(WATCH_ERROR, NULL, .status = 503, .times = 3)},
    {.name = "event 504", .fault = FAULT(WATCH_ERROR, NULL, .status = 504, .times = 3)},
    {.name = "watches that end", .fault = FAULT(WATCH_END, NULL, .times = 10, .skip = 2)},
    {.name = "events that come twice",
     .fault = FAULT(WATCH_DUPLICATE, NULL, .times = KIN_FAULT_ALWAYS)},
    {.name = "events that are lost",
     .fault = FAULT(WATCH_DROP, NULL, .times = 5, .skip = 3),
     .lies = true},
    {.name = "events that are swapped",
     .fault = FAULT(WATCH_REORDER, NULL, .times = 5, .skip = 3),
     .lies = true},
    {.name = "events with a large object",
     .fault = FAULT(WATCH_OVERSIZE, NULL, .bytes = 50000, .times = 5)},
    {.name = "events with an object that is too large",
     .fault = FAULT(WATCH_OVERSIZE, NULL, .bytes = HUGE_, .skip = 2),
     .lies = true},
    {.name = "no bookmarks", .fault = FAULT(WATCH_NO_BOOKMARKS, NULL, .times = KIN_FAULT_ALWAYS)},
    {.name = "an end that does not come",
     .fault = FAULT(WATCH_NO_INITIAL_END, NULL, .times = 1),
     .kick = FORGET},
    {.name = "an end that never comes",
     .fault = FAULT(WATCH_NO_INITIAL_END, NULL, .times = KIN_FAULT_ALWAYS),
     .kick = FORGET},

    {.name = "connections are refused", .fault = FAULT(REFUSE, NULL, .times = 5), .kick = RESTART},
    {.name = "compaction", .kick = COMPACT},
    {.name = "a restart", .kick = RESTART},
    {.name = "a restart that forgets", .kick = FORGET},
    {.name = "a stop and a start", .kick = STOP},
    {.name = "back in time", .kick = REWIND},
};
enum { SCENARIOS = sizeof(scenarios) / sizeof(scenarios[0]) };

/* --- others --- */

static uint64_t version_of(kin_test_follower *f, int slot)
{
    kin_test_world world;

    assert_true(kin_test_world_of_store(&world, kin_informer_store(f->informer)));
    return world.slots[slot].version;
}

/* The port is closed, and nobody can come in; when it is open again they come back. */
static void a_closed_port(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    kin_fault refuse = FAULT(REFUSE, NULL, .times = KIN_FAULT_ALWAYS);
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    uint64_t id, lists;

    (void)state;
    assert_non_null(f);
    open_scene(f);
    start(f);
    quieten(f, false);
    assert_code(kin_informer_get_status(f->followers[1].informer, &status, NULL), 0);
    lists = status.lists;
    id = inject(f, &refuse);
    assert_code(kin_apiserver_compact(f->cluster.server, NULL), 0);
    remove_fault(f, id);
    change(f);
    quieten(f, false);
    assert_code(kin_informer_get_status(f->followers[1].informer, &status, NULL), 0);
    assert_true(status.lists > lists);
    stop(f);
    close_scene(f);
    free(f);
}

/* A list that makes no progress ends after five minutes, which are three seconds by the fast clock. */
static void a_list_that_stalls(void **state)
{
    static const kin_test_view view = {.kind = 0, .namespaces = 7, .no_streaming_list = true};
    struct fixture *f = calloc(1, sizeof(*f));
    kin_fault stall = FAULT(STALL, "list", .bytes = 100);
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    (void)state;
    assert_non_null(f);
    open_scene(f);
    uint64_t id = inject(f, &stall);

    kin_test_follower_open(&f->followers[0], &view, f->clients[0], NULL, 1);
    kin_test_loop_start(&f->loop, f->followers, 1);
    if (!kin_test_quieten(&f->cluster, f->followers, 1, false, KIN_TEST_TIMEOUT_MS, f->words))
        fail_msg("%s", f->words);
    assert_int_equal(remove_fault(f, id), 1);
    assert_code(kin_informer_get_status(f->followers[0].informer, &status, NULL), 0);
    assert_int_equal(status.last_error.code, KIN_ECONNECT);
    assert_non_null(strstr(status.last_error.message, "no byte for"));
    kin_test_loop_stop(&f->loop);
    kin_test_follower_close(&f->followers[0]);
    close_scene(f);
    free(f);
}

/*
 * A deletion whose event the server has lost stays unknown while the watch goes on as if nothing had
 * happened. The next list finds it, and the handlers are told with a tombstone.
 */
static void a_lost_deletion_is_found_by_the_next_list(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    kin_fault drop = FAULT(WATCH_DROP, NULL, .times = FOLLOWERS);

    (void)state;
    assert_non_null(f);
    open_scene(f);
    start(f);
    quieten(f, false);
    uint64_t id = inject(f, &drop);

    assert_code(kin_test_cluster_delete(&f->cluster, 0, 1), 0);
    if (!kin_test_mark_all(&f->cluster, f->followers, FOLLOWERS, KIN_TEST_TIMEOUT_MS, f->words))
        fail_msg("%s", f->words);
    assert_int_equal(remove_fault(f, id), FOLLOWERS);
    for (int i = 0; i < FOLLOWERS; i++)
        assert_int_not_equal(version_of(&f->followers[i], 1), 0);
    quieten(f, true);
    for (int i = 0; i < FOLLOWERS; i++) {
        assert_int_equal(version_of(&f->followers[i], 1), 0);
        assert_true(f->followers[i].replays[0].n_tombstones > 0);
    }
    stop(f);
    close_scene(f);
    free(f);
}

/* The same by HTTP, as programs in other languages do it. */
static void faults_by_http(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    const char *url;

    (void)state;
    assert_non_null(f);
    open_scene(f);
    url = kin_apiserver_url(f->cluster.server);
    start(f);
    quieten(f, false);
    assert_true(kin_test_post(url, "/_kinform/faults",
                              "{\"faults\":[{\"type\":\"WatchError\",\"status\":500,\"times\":3},"
                              "{\"type\":\"Status\",\"verb\":\"list\",\"status\":503},"
                              "{\"type\":\"WatchDuplicate\",\"times\":4}]}"));
    change(f);
    assert_true(kin_test_post(url, "/_kinform/compact", ""));
    change(f);
    assert_true(kin_test_post(url, "/_kinform/restart?forget=true", ""));
    change(f);
    assert_code(kin_apiserver_clear_faults(f->cluster.server, NULL), 0);
    quieten(f, false);
    stop(f);
    close_scene(f);
    free(f);
}

/* With "even" or "odd" every second test, so that the two halves run beside each other: most of it is waiting. */
int main(int argc, char **argv)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(a_closed_port),
        cmocka_unit_test(a_list_that_stalls),
        cmocka_unit_test(a_lost_deletion_is_found_by_the_next_list),
        cmocka_unit_test(faults_by_http),
    };
    static struct CMUnitTest tests[SCENARIOS + sizeof(others) / sizeof(others[0])];

    for (size_t i = 0; i < SCENARIOS; i++)
        tests[i] = (struct CMUnitTest){.name = scenarios[i].name,
                                       .test_func = run_scenario,
                                       .initial_state = (void *)(uintptr_t)&scenarios[i]};
    memcpy(tests + SCENARIOS, others, sizeof(others));
    size_t n = sizeof(tests) / sizeof(tests[0]);
    if (argc > 1) {
        bool is_odd = strcmp(argv[1], "odd") == 0;

        assert_true(is_odd || strcmp(argv[1], "even") == 0);
        n = (n + !is_odd) / 2;
        for (size_t i = 0; i < n; i++)
            tests[i] = tests[2 * i + is_odd];
    }
    kin_test_alloc_install();
    return _cmocka_run_group_tests("faults", tests, n, NULL, NULL);
}
