/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Under random faults, seeded: clients that list, watch, and list again when they cannot go on, while
 * objects change and the server misbehaves, is compacted and restarted. When the faults are gone each of
 * them knows what the server has, version by version.
 *
 * Honest faults, and lies: see tests/support/random_faults.h.
 *
 * KIN_SEED=n for another run.
 */
#include "client_support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "folder.h"
#include "kinform/apiserver.h"
#include "kinform/list_watch.h"
#include "kinform/metadata.h"
#include "kinform/retry_watch.h"
#include "random_faults.h"
#include "rng.h"

enum { NAMES = 64, WRITES = 1500, FOLLOWERS = 4, FAULTS_MIN = 200, LAST = NAMES };

/* Which version of which object there is; 0: none. The last one is written when all is well again. */
typedef struct world {
    uint64_t versions[NAMES + 1];
} world;

struct run {
    kin_apiserver *server;
    kin_resource *maps;
    kin_client *writer;
    kin_test_rng rng;
    char folder[64];
    char kubeconfig[128];
    bool with_lies;
};

struct follower {
    struct run *run;
    kin_client *client;
    kin_list_watch *source;
    const char *selector;
    pthread_t thread;
    world known;
    kin_test_latch up_to_date;
    unsigned n_lists;
    unsigned n_events;
    pthread_mutex_t lock;
    kin_retry_watch *watch; /* (lock) */
    bool must_list;         /* (lock) */
    bool is_over;           /* (lock) */
};

/* --- what is known --- */

/* In any thread, where a test cannot fail. */
static void must(bool is_so)
{
    if (!is_so)
        abort();
}

static void note(world *known, const kin_object *object, bool is_gone)
{
    uint64_t version = 0;
    unsigned i = 0;

    must(sscanf(kin_object_key(object), "default/m%u", &i) == 1 && i <= NAMES);
    must(kin__str_to_u64(&version, kin_object_resource_version(object)) == 0);
    known->versions[i] = is_gone ? 0 : version;
}

static int note_item(const kin_object *object, void *arg, kin_error *err)
{
    (void)err;
    note(arg, object, false);
    return 0;
}

static int list(kin_client *client, kin_resource *maps, const char *selector, world *ret,
                char version[32])
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *head = NULL;

    memset(ret, 0, sizeof(*ret));
    options.label_selector = selector;
    int code = kin_client_list(client, &head, maps, "default", note_item, ret, &options, NULL);
    if (code == 0)
        snprintf(version, 32, "%" KIN_STR_FMT, KIN_STR_ARG(kin_object_resource_version(head)));
    kin_object_unref(head);
    return code;
}

/* --- a client that follows --- */

static void look_for_the_last(struct follower *f)
{
    if (f->known.versions[LAST])
        kin_test_latch_raise(&f->up_to_date);
}

static int on_event(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    struct follower *f = arg;

    (void)err;
    note(&f->known, object, type == KIN_WATCH_DELETED);
    f->n_events++;
    /* After lies only a list counts. */
    if (!f->run->with_lies)
        look_for_the_last(f);
    return 0;
}

/* The watch that others may stop; false: it is not to run. */
static bool set_watch(struct follower *f, kin_retry_watch *watch)
{
    pthread_mutex_lock(&f->lock);
    f->watch = watch;
    bool may_run = !f->is_over && !f->must_list;
    pthread_mutex_unlock(&f->lock);
    return may_run;
}

/* Whether it goes on, with a list. */
static bool goes_on(struct follower *f)
{
    pthread_mutex_lock(&f->lock);
    f->must_list = false;
    bool is_over = f->is_over;
    pthread_mutex_unlock(&f->lock);
    return !is_over;
}

/* List again, or end. */
static void interrupt(struct follower *f, bool is_over)
{
    pthread_mutex_lock(&f->lock);
    f->must_list = true;
    f->is_over = is_over;
    kin_retry_watch_stop(f->watch);
    pthread_mutex_unlock(&f->lock);
}

static void watch(struct follower *f, const char *version)
{
    kin_retry_watch_options options = KIN_RETRY_WATCH_OPTIONS_INIT;
    kin_retry_watch *made = NULL;

    options.min_delay_ms = 1;
    options.watch_timeout_ms = -1;
    must(kin_retry_watch_new(&made, f->source, version, &options, NULL) == 0);
    if (set_watch(f, made))
        (void)kin_retry_watch_run(made, on_event, f, NULL);
    set_watch(f, NULL);
    kin_retry_watch_free(made);
}

static void *follow(void *arg)
{
    struct follower *f = arg;
    char version[32];

    while (goes_on(f)) {
        world found;

        if (list(f->client, f->run->maps, f->selector, &found, version) < 0)
            continue;
        f->n_lists++;
        f->known = found;
        look_for_the_last(f);
        watch(f, version);
    }
    return NULL;
}

static kin_client *client_of(const struct run *run)
{
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_client *client = NULL;

    config.kubeconfig = run->kubeconfig;
    assert_code(kin_config_load(&options.config, &config, NULL), 0);
    options.qps = -1;
    options.max_retries = -1;
    options.timeout_ms = 500;
    options.watch_idle_ms = 100; /* what is stalled is found by it */
    assert_code(kin_client_new(&client, &options, NULL), 0);
    kin_config_unref(options.config);
    return client;
}

static void follower_start(struct follower *f, struct run *run, const char *selector)
{
    kin_list_watch_options options = KIN_LIST_WATCH_OPTIONS_INIT;

    memset(f, 0, sizeof(*f));
    f->run = run;
    f->selector = selector;
    f->client = client_of(run);
    options.namespace_ = "default";
    options.label_selector = selector;
    assert_code(kin_client_list_watch(f->client, &f->source, run->maps, &options, NULL), 0);
    pthread_mutex_init(&f->lock, NULL);
    kin_test_latch_init(&f->up_to_date);
    assert_int_equal(pthread_create(&f->thread, NULL, follow, f), 0);
}

static void follower_end(struct follower *f)
{
    interrupt(f, true);
    pthread_join(f->thread, NULL);
    kin_list_watch_unref(f->source);
    kin_client_free(f->client);
    kin_test_latch_done(&f->up_to_date);
    pthread_mutex_destroy(&f->lock);
}

/* --- changes --- */

static int create(struct run *run, unsigned i, unsigned label)
{
    char json[256];

    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m%u\","
             "\"labels\":{\"odd\":\"%u\"}}}",
             i, label);
    const kin_object *object = client_object(json);
    int code = kin_client_create(run->writer, NULL, run->maps, "default", object, NULL, NULL);
    kin_object_unref(object);
    return code;
}

/* Connections may be refused to the writer, too: what does not succeed is left. */
static int change_something(struct run *run)
{
    unsigned i = (unsigned)kin_test_below(&run->rng, NAMES);
    unsigned label = (unsigned)kin_test_below(&run->rng, 2);
    char name[16];
    char patch[128];

    snprintf(name, sizeof(name), "m%u", i);
    snprintf(patch, sizeof(patch),
             "{\"metadata\":{\"labels\":{\"odd\":\"%u\"}},\"data\":{\"k\":\"%llu\"}}", label,
             (unsigned long long)kin_test_random(&run->rng));
    switch (kin_test_below(&run->rng, 4)) {
    case 0:
        return kin_client_delete(run->writer, NULL, run->maps, "default", name, NULL, NULL);
    case 1:
        return create(run, i, label);
    default:
        return kin_client_patch(run->writer, NULL, run->maps, "default", name, KIN_PATCH_MERGE,
                                kin_str_of(patch), NULL, NULL);
    }
}

static unsigned change_much(struct run *run)
{
    unsigned done = 0;

    for (unsigned tries = 0; done < WRITES && tries < 20 * WRITES; tries++) {
        done += change_something(run) == 0;
        if (tries % 400 == 399)
            assert_code(kin_apiserver_compact(run->server, NULL), 0);
        if (tries % 300 == 299)
            assert_code(kin_apiserver_restart(run->server, tries % 600 == 299, NULL), 0);
    }
    return done;
}

/* --- all of it --- */

static void open_run(struct run *run, uint64_t seed, bool with_lies)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;

    memset(run, 0, sizeof(*run));
    run->rng.state = seed;
    run->with_lies = with_lies;
    snprintf(run->folder, sizeof(run->folder), "/tmp/kin-random-faults-XXXXXX");
    assert_non_null(mkdtemp(run->folder));
    snprintf(run->kubeconfig, sizeof(run->kubeconfig), "%s/kubeconfig", run->folder);
    options.seed = seed;
    options.bookmark_ms = 5;
    options.window_changes = 300;
    assert_code(kin_apiserver_new(&run->server, &options, NULL), 0);
    assert_code(kin_apiserver_start(run->server, NULL), 0);
    assert_code(kin_apiserver_write_kubeconfig(run->server, run->kubeconfig, NULL), 0);
    spec.version = "v1";
    spec.resource = "configmaps";
    spec.kind = "ConfigMap";
    assert_code(kin_resource_new(&run->maps, &spec, NULL), 0);
    run->writer = client_of(run);
}

static void close_run(struct run *run)
{
    kin_client_free(run->writer);
    kin_resource_unref(run->maps);
    kin_apiserver_free(run->server);
    assert_int_equal(kin_test_folder_remove(run->folder), 0);
}

/* All is well from now on; those who were lied to list again. */
static void calm_down(struct run *run, struct follower *followers)
{
    assert_code(create(run, LAST, 1), 0);
    for (size_t i = 0; run->with_lies && i < FOLLOWERS; i++)
        interrupt(&followers[i], false);
}

static void compare(const struct run *run, const struct follower *f)
{
    char version[32];
    world truth;

    assert_code(list(run->writer, run->maps, f->selector, &truth, version), 0);
    for (size_t i = 0; i <= NAMES; i++) {
        if (truth.versions[i] != f->known.versions[i])
            fail_msg("%s: m%zu is known as %llu and is %llu", f->selector ? f->selector : "all", i,
                     (unsigned long long)f->known.versions[i],
                     (unsigned long long)truth.versions[i]);
    }
}

static uint64_t seed_of(uint64_t otherwise)
{
    const char *text = getenv("KIN_SEED");

    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void run_with(uint64_t seed, bool with_lies)
{
    static const char *const selectors[FOLLOWERS] = {NULL, "odd=1", NULL, "odd!=0"};
    struct follower followers[FOLLOWERS];
    kin_test_faults faults;
    struct run run;

    print_message("KIN_SEED=%llu\n", (unsigned long long)seed);
    open_run(&run, seed, with_lies);
    kin_test_faults_init(&faults, run.server);
    kin_test_faults_inject(&faults, with_lies, 1);
    for (size_t i = 0; i < FOLLOWERS; i++)
        follower_start(&followers[i], &run, selectors[i]);
    unsigned changes = change_much(&run);
    kin_test_faults_remove(&faults);
    uint64_t n_faults = kin_test_faults_sum(&faults);
    calm_down(&run, followers);
    for (size_t i = 0; i < FOLLOWERS; i++)
        kin_test_latch_wait(&followers[i].up_to_date, 1);
    for (size_t i = 0; i < FOLLOWERS; i++) {
        follower_end(&followers[i]);
        print_message("%u changes, %llu faults, %u lists, %u events\n", changes,
                      (unsigned long long)n_faults, followers[i].n_lists, followers[i].n_events);
    }
    for (size_t i = 0; i < FOLLOWERS; i++)
        compare(&run, &followers[i]);
    assert_int_equal(changes, WRITES);
    assert_true(n_faults >= FAULTS_MIN);
    close_run(&run);
}

static void nothing_is_lost(void **state)
{
    (void)state;
    run_with(seed_of(1), false);
}

static void lies_are_found_out_by_a_list(void **state)
{
    (void)state;
    run_with(seed_of(2), true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(lies_are_found_out_by_a_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
