/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated cluster as clients see it, over HTTP. Time is a fake clock's: who waits for something
 * lets it go by, and asks again.
 */
#include "kin_test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"
#include "kinform/apiserver.h"
#include "kinform/client.h"
#include "kinform/memory.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

enum { NODES = 4, DEPLOYMENTS = 9, PODS = 40, SEEN_MAX = 512 };

/* 2026-01-15T00:00:00Z */
#define BEGIN INT64_C(1768435200000000000)

struct fixture {
    kin_clock *clock;
    kin_apiserver *server;
    kin_client *client;
    kin_resource *pods, *sets, *deployments, *nodes, *leases;
};

/* --- life --- */

static kin_client *client_of(const kin_apiserver *server)
{
    char path[] = "/tmp/kin-simulation-XXXXXX";
    kin_config_options config_options = KIN_CONFIG_OPTIONS_INIT;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_config *config = NULL;
    kin_client *client = NULL;
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    assert_code(kin_apiserver_write_kubeconfig(server, path, NULL), 0);
    config_options.kubeconfig = path;
    assert_code(kin_config_load(&config, &config_options, NULL), 0);
    options.config = config;
    options.qps = -1;
    assert_code(kin_client_new(&client, &options, NULL), 0);
    kin_config_unref(config);
    unlink(path);
    return client;
}

static void simulate(struct fixture *f, unsigned churn)
{
    kin_simulation_options options = KIN_SIMULATION_OPTIONS_INIT;

    options.seed = 11;
    options.nodes = NODES;
    options.deployments = DEPLOYMENTS;
    options.pods = PODS;
    options.churn = churn;
    assert_code(kin_apiserver_simulate(f->server, &options, NULL), 0);
    assert_code(kin_apiserver_wait_for_simulation(f->server, KIN_TEST_TIMEOUT_MS, NULL), 0);
}

static void begin(struct fixture *f, const char *storage, unsigned churn)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_clock_new_fake(&f->clock, BEGIN, NULL), 0);
    options.clock = f->clock;
    options.storage_path = storage;
    if (kin_apiserver_new(&f->server, &options, &err) < 0 ||
        kin_apiserver_start(f->server, &err) < 0)
        fail_msg("%s", err.message);
    simulate(f, churn);
    f->client = client_of(f->server);
    assert_code(kin_client_resolve(f->client, &f->pods, "pods", NULL), 0);
    assert_code(kin_client_resolve(f->client, &f->sets, "replicasets.apps", NULL), 0);
    assert_code(kin_client_resolve(f->client, &f->deployments, "deployments.apps", NULL), 0);
    assert_code(kin_client_resolve(f->client, &f->nodes, "nodes", NULL), 0);
    assert_code(kin_client_resolve(f->client, &f->leases, "leases.coordination.k8s.io", NULL), 0);
}

static void end(struct fixture *f)
{
    kin_resource_unref(f->pods);
    kin_resource_unref(f->sets);
    kin_resource_unref(f->deployments);
    kin_resource_unref(f->nodes);
    kin_resource_unref(f->leases);
    kin_client_free(f->client);
    kin_apiserver_free(f->server);
    kin_clock_unref(f->clock);
}

/* --- looking --- */

struct seen {
    const kin_object *objects[SEEN_MAX]; /* references */
    size_t n;
};

static int see(const kin_object *object, void *arg, kin_error *err)
{
    struct seen *seen = arg;

    (void)err;
    assert_true(seen->n < SEEN_MAX);
    seen->objects[seen->n++] = kin_object_ref(object);
    return 0;
}

static void forget(struct seen *seen)
{
    while (seen->n > 0)
        kin_object_unref(seen->objects[--seen->n]);
}

/* All objects of a resource; those of Pods may be chosen by labels. */
static void list(const struct fixture *f, kin_resource *resource, const char *labels,
                 struct seen *ret)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;

    ret->n = 0;
    options.label_selector = labels;
    if (kin_client_list(f->client, NULL, resource, NULL, see, ret, &options, &err) < 0)
        fail_msg("%s", err.message);
}

static bool is_text(const kin_object *object, const char *path, const char *text)
{
    kin_scratch scratch;
    kin_str found;

    return kin_value_string(&found, kin_object_find(object, path), &scratch) == 0 &&
           kin_str_equal(found, kin_str_of(text));
}

static int64_t number_at(const kin_object *object, const char *path)
{
    int64_t n = 0;

    (void)kin_value_int64(&n, kin_object_find(object, path));
    return n;
}

static bool runs(const kin_object *pod)
{
    bool is_ready = false;

    (void)kin_value_bool(&is_ready, kin_object_find(pod, "status.containerStatuses[0].ready"));
    return is_ready && is_text(pod, "status.phase", "Running") &&
           kin_value_type(kin_object_find(pod, "spec.nodeName")) == KIN_STRING &&
           kin_object_deletion_timestamp(NULL, pod) < 0;
}

static bool has_owner(const kin_object *object, const struct seen *owners)
{
    kin_owner_reference reference;
    kin_iter it;
    kin_scratch scratch;

    kin_iter_init(&it, kin_object_owner_references(object));
    if (!kin_iter_next(&it) || kin_owner_reference_get(&reference, it.value) < 0)
        return false;
    for (size_t i = 0; i < owners->n; i++) {
        if (kin_str_equal(reference.uid, kin_object_uid(owners->objects[i], &scratch)) &&
            kin_str_equal(reference.name, kin_object_name(owners->objects[i])))
            return true;
    }
    return false;
}

/* --- waiting --- */

typedef bool check_fn(struct fixture *f, const void *arg);

/* Let time go by until it is so. */
static void until(struct fixture *f, check_fn *check, const void *arg)
{
    for (int i = 0; i < 20000; i++) {
        if (check(f, arg))
            return;
        assert_code(kin_clock_advance(f->clock, INT64_C(50000000), NULL), 0);
    }
    fail_msg("it has not come to that");
}

struct wanted {
    int64_t replicas;
    const char *image; /* NULL: any */
    const char * not ; /* the key of a Pod that is not there any more; NULL: none */
};

/* Whether the Deployment default/web has come to rest so, and its Pods all run. */
static bool is_at_rest(struct fixture *f, const void *arg)
{
    const struct wanted *w = arg;
    const kin_object *d = NULL;
    struct seen pods;
    bool so;

    assert_code(kin_client_get(f->client, &d, f->deployments, "default", "web", NULL, NULL), 0);
    so = number_at(d, "status.observedGeneration") == kin_object_generation(d) &&
         number_at(d, "status.replicas") == w->replicas &&
         number_at(d, "status.updatedReplicas") == w->replicas &&
         number_at(d, "status.readyReplicas") == w->replicas;
    kin_object_unref(d);
    list(f, f->pods, "app.kubernetes.io/part-of=default,app.kubernetes.io/name=web", &pods);
    so = so && (int64_t)pods.n == w->replicas;
    for (size_t i = 0; i < pods.n; i++) {
        so = so && runs(pods.objects[i]) &&
             (!w->image || is_text(pods.objects[i], "spec.containers[0].image", w->image)) &&
             (!w->not || strcmp(kin_object_key(pods.objects[i]), w->not ) != 0);
    }
    forget(&pods);
    return so;
}

static int64_t replicas_of_web(const struct fixture *f)
{
    const kin_object *d = NULL;

    assert_code(kin_client_get(f->client, &d, f->deployments, "default", "web", NULL, NULL), 0);
    int64_t n = number_at(d, "spec.replicas");
    kin_object_unref(d);
    return n;
}

static void patch_web(const struct fixture *f, enum kin_patch_type type, const char *patch)
{
    kin_error err = KIN_ERROR_INIT;

    if (kin_client_patch(f->client, NULL, f->deployments, "default", "web", type, kin_str_of(patch),
                         NULL, &err) < 0)
        fail_msg("%s", err.message);
}

/* --- tests --- */

static void test_population(void **state)
{
    struct fixture f;
    struct seen pods, sets, deployments, nodes, leases;
    kin_simulation_stats stats = KIN_SIMULATION_STATS_INIT;
    char *text = NULL;
    size_t len = 0;

    (void)state;
    begin(&f, NULL, 0);
    list(&f, f.pods, NULL, &pods);
    list(&f, f.sets, NULL, &sets);
    list(&f, f.deployments, NULL, &deployments);
    list(&f, f.nodes, NULL, &nodes);
    list(&f, f.leases, NULL, &leases);
    assert_int_equal(pods.n, PODS);
    assert_int_equal(deployments.n, DEPLOYMENTS);
    assert_int_equal(sets.n, DEPLOYMENTS);
    assert_int_equal(nodes.n, NODES);
    assert_int_equal(leases.n, NODES);
    for (size_t i = 0; i < pods.n; i++) {
        assert_true(runs(pods.objects[i]));
        assert_true(has_owner(pods.objects[i], &sets));
    }
    for (size_t i = 0; i < sets.n; i++)
        assert_true(has_owner(sets.objects[i], &deployments));
    for (size_t i = 0; i < leases.n; i++)
        assert_true(has_owner(leases.objects[i], &nodes));
    assert_code(kin_client_get_text(f.client, &text, &len, "/api/v1/pods", NULL), 0);
    assert_in_range(len / PODS, 7000, 9000);
    kin_free(text);
    assert_code(kin_apiserver_simulation_stats(f.server, &stats, NULL), 0);
    assert_int_equal(stats.pods, PODS);
    assert_int_equal(stats.replica_sets, DEPLOYMENTS);
    assert_int_equal(stats.deployments, DEPLOYMENTS);
    assert_int_equal(stats.nodes, NODES);
    assert_int_equal(stats.failures, 0);
    forget(&pods);
    forget(&sets);
    forget(&deployments);
    forget(&nodes);
    forget(&leases);
    end(&f);
}

static void test_scaled_by_a_client(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f, NULL, 0);
    patch_web(&f, KIN_PATCH_MERGE, "{\"spec\":{\"replicas\":9}}");
    until(&f, is_at_rest, &(struct wanted){.replicas = 9});
    patch_web(&f, KIN_PATCH_MERGE, "{\"spec\":{\"replicas\":2}}");
    until(&f, is_at_rest, &(struct wanted){.replicas = 2});
    end(&f);
}

static void test_deleted_pod_is_replaced(void **state)
{
    struct fixture f;
    struct seen pods;

    (void)state;
    begin(&f, NULL, 0);
    list(&f, f.pods, "app.kubernetes.io/part-of=default,app.kubernetes.io/name=web", &pods);
    assert_true(pods.n > 0);
    const kin_object *pod = pods.objects[0];
    char *name = strdup(kin_object_key(pod) + strlen("default/"));
    assert_code(kin_client_delete(f.client, NULL, f.pods, "default", name, NULL, NULL), 0);
    until(&f, is_at_rest,
          &(struct wanted){.replicas = (int64_t)pods.n, .not = kin_object_key(pod)});
    free(name);
    forget(&pods);
    end(&f);
}

static void test_new_image_rolls_out(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f, NULL, 0);
    int64_t n = replicas_of_web(&f);
    patch_web(&f, KIN_PATCH_JSON,
              "[{\"op\":\"replace\",\"path\":\"/spec/template/spec/containers/0/image\","
              "\"value\":\"web:next\"}]");
    until(&f, is_at_rest, &(struct wanted){.replicas = n, .image = "web:next"});
    end(&f);
}

/* --- watches --- */

struct replay {
    struct fixture *f;
    pthread_t thread;
    char version[32]; /* where it begins */
    struct seen seen; /* what there is now */
    size_t n_events;
    size_t n_nonsense; /* an ADDED of what is there, … */
    int code;
};

static size_t find(const struct seen *seen, const kin_object *object)
{
    size_t i = 0;

    while (i < seen->n && strcmp(kin_object_key(seen->objects[i]), kin_object_key(object)) != 0)
        i++;
    return i;
}

static int replay_event(enum kin_watch_type type, const kin_object *object, void *arg,
                        kin_error *err)
{
    struct replay *r = arg;
    size_t at = find(&r->seen, object);
    bool is_known = at < r->seen.n;

    r->n_events++;
    r->n_nonsense += is_known != (type != KIN_WATCH_ADDED);
    if (is_known) {
        kin_object_unref(r->seen.objects[at]);
        r->seen.objects[at] = r->seen.objects[--r->seen.n];
    }
    if (type != KIN_WATCH_DELETED)
        (void)see(object, &r->seen, err);
    return strcmp(kin_object_key(object), "default/marker") == 0
               ? kin_error_set(err, KIN_ECANCELED, "that is all")
               : 0;
}

static void *replay_run(void *arg)
{
    struct replay *r = arg;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;

    options.resource_version = r->version;
    r->code = kin_client_watch(r->f->client, r->f->pods, NULL, replay_event, r, &options, NULL);
    return NULL;
}

static bool has_written(struct fixture *f, const void *arg)
{
    kin_simulation_stats stats = KIN_SIMULATION_STATS_INIT;

    (void)replicas_of_web(f); /* time for the others */
    assert_code(kin_apiserver_simulation_stats(f->server, &stats, NULL), 0);
    return stats.writes >= *(const uint64_t *)arg;
}

static const kin_object *mark(struct fixture *f)
{
    const kin_object *marker = NULL, *made = NULL;

    assert_code(kin_object_from_json(
                    &marker,
                    kin_str_of("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                               "\"marker\",\"namespace\":\"default\"},\"spec\":{\"containers\":"
                               "[{\"name\":\"c\",\"image\":\"i\"}]}}"),
                    NULL, NULL),
                0);
    assert_code(kin_client_create(f->client, &made, f->pods, "default", marker, NULL, NULL), 0);
    kin_object_unref(marker);
    return made;
}

static void check_replay(struct replay *r, const struct seen *wanted)
{
    assert_int_equal(pthread_join(r->thread, NULL), 0);
    assert_code(r->code, KIN_ECANCELED);
    assert_true(r->n_events > 100);
    assert_int_equal(r->n_nonsense, 0);
    assert_int_equal(r->seen.n, wanted->n);
    for (size_t i = 0; i < wanted->n; i++) {
        size_t at = find(&r->seen, wanted->objects[i]);

        assert_true(at < r->seen.n);
        assert_true(kin_str_equal(kin_object_resource_version(r->seen.objects[at]),
                                  kin_object_resource_version(wanted->objects[i])));
    }
    forget(&r->seen);
}

/* What a watch tells, from a list on, gives what a later list shows, while all is in motion. */
static void test_watches_replay(void **state)
{
    enum { WATCHES = 3 };
    struct fixture f;
    struct replay replays[WATCHES];
    struct seen wanted = {.n = 0};
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    char version[32];
    uint64_t writes = KIN_TEST_SANITIZED ? 1200 : 4000;

    (void)state;
    begin(&f, NULL, 300);
    for (size_t i = 0; i < WATCHES; i++) {
        struct replay *r = &replays[i];
        const kin_object *whole = NULL;

        memset(r, 0, sizeof(*r));
        r->f = &f;
        assert_code(kin_client_list(f.client, &whole, f.pods, NULL, see, &r->seen, NULL, NULL), 0);
        (void)snprintf(r->version, sizeof(r->version), "%" KIN_STR_FMT,
                       KIN_STR_ARG(kin_object_resource_version(whole)));
        kin_object_unref(whole);
        assert_int_equal(pthread_create(&r->thread, NULL, replay_run, r), 0);
        until(&f, has_written, &(uint64_t){writes * (i + 1) / (WATCHES + 1)});
    }
    until(&f, has_written, &writes);
    const kin_object *marker = mark(&f);
    (void)snprintf(version, sizeof(version), "%" KIN_STR_FMT,
                   KIN_STR_ARG(kin_object_resource_version(marker)));
    options.resource_version = version;
    options.resource_version_match = "Exact";
    assert_code(kin_client_list(f.client, NULL, f.pods, NULL, see, &wanted, &options, NULL), 0);
    for (size_t i = 0; i < WATCHES; i++)
        check_replay(&replays[i], &wanted);
    forget(&wanted);
    kin_object_unref(marker);
    end(&f);
}

/* --- restarts --- */

static void test_storage_is_taken_over(void **state)
{
    char folder[] = "/tmp/kin-simulation-XXXXXX", path[64];
    struct fixture f;
    struct seen before, after;
    size_t found = 0;

    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/data", folder);
    begin(&f, path, 0);
    patch_web(&f, KIN_PATCH_MERGE, "{\"spec\":{\"replicas\":8}}");
    until(&f, is_at_rest, &(struct wanted){.replicas = 8});
    list(&f, f.pods, NULL, &before);
    end(&f);

    begin(&f, path, 0);
    until(&f, is_at_rest, &(struct wanted){.replicas = 8});
    list(&f, f.sets, NULL, &after);
    assert_int_equal(after.n, DEPLOYMENTS);
    forget(&after);
    list(&f, f.pods, NULL, &after);
    assert_int_equal(after.n, before.n);
    for (size_t i = 0; i < before.n; i++) {
        size_t at = find(&after, before.objects[i]);
        kin_scratch a, b;

        assert_true(at < after.n);
        assert_true(runs(after.objects[at]));
        found += kin_str_equal(kin_object_uid(before.objects[i], &a),
                               kin_object_uid(after.objects[at], &b));
    }
    assert_int_equal(found, before.n);
    forget(&before);
    forget(&after);
    /* It goes on. */
    patch_web(&f, KIN_PATCH_MERGE, "{\"spec\":{\"replicas\":3}}");
    until(&f, is_at_rest, &(struct wanted){.replicas = 3});
    end(&f);
    assert_int_equal(kin_test_folder_remove(folder), 0);
}

static void test_life(void **state)
{
    struct fixture f;
    kin_apiserver *server = NULL;
    kin_simulation_options options = KIN_SIMULATION_OPTIONS_INIT;
    kin_simulation_stats stats = KIN_SIMULATION_STATS_INIT, none = {0};
    kin_simulation_stats before = KIN_SIMULATION_STATS_INIT;
    uint64_t enough;

    (void)state;
    assert_code(kin_apiserver_simulate(NULL, NULL, NULL), KIN_EINVAL);
    kin_apiserver_stop_simulation(NULL);
    assert_code(kin_apiserver_new(&server, NULL, NULL), 0);
    assert_code(kin_apiserver_simulate(server, NULL, NULL), KIN_EINVAL);
    assert_code(kin_apiserver_start(server, NULL), 0);
    assert_code(kin_apiserver_set_churn(server, 1, NULL), KIN_EINVAL);
    assert_code(kin_apiserver_wait_for_simulation(server, 0, NULL), KIN_EINVAL);
    assert_code(kin_apiserver_simulation_stats(server, &stats, NULL), KIN_EINVAL);
    options.pods = 1000001;
    assert_code(kin_apiserver_simulate(server, &options, NULL), KIN_EINVAL);
    options.size = 0;
    assert_code(kin_apiserver_simulate(server, &options, NULL), KIN_EINVAL);
    kin_apiserver_free(server);

    begin(&f, NULL, 0);
    assert_code(kin_apiserver_simulate(f.server, NULL, NULL), KIN_EBUSY);
    assert_code(kin_apiserver_set_churn(f.server, 1000001, NULL), KIN_EINVAL);
    assert_code(kin_apiserver_simulation_stats(f.server, NULL, NULL), KIN_EINVAL);
    assert_code(kin_apiserver_simulation_stats(f.server, &none, NULL), KIN_EINVAL);
    assert_code(kin_apiserver_wait_for_simulation(f.server, -2, NULL), KIN_EINVAL);
    assert_code(kin_apiserver_simulation_stats(f.server, &stats, NULL), 0);
    assert_code(kin_apiserver_set_churn(f.server, 500, NULL), 0);
    enough = stats.writes + 1000;
    until(&f, has_written, &enough);
    /* Again, after its end and after the server's. */
    kin_apiserver_stop_simulation(f.server);
    kin_apiserver_stop_simulation(f.server);
    assert_code(kin_apiserver_simulation_stats(f.server, &stats, NULL), KIN_EINVAL);
    simulate(&f, 0);
    kin_apiserver_stop(f.server);
    assert_code(kin_apiserver_start(f.server, NULL), 0);
    assert_code(kin_apiserver_simulation_stats(f.server, &stats, NULL), KIN_EINVAL);
    simulate(&f, 0);
    assert_code(kin_apiserver_simulation_stats(f.server, &stats, NULL), 0);
    assert_int_equal(stats.deployments, DEPLOYMENTS);
    assert_in_range(stats.pods, PODS / 2, PODS * 2);
    /* Over restarts it goes on, with the churn that it had last, and so do its counts. */
    assert_code(kin_apiserver_set_churn(f.server, 500, NULL), 0);
    enough = stats.writes + 1000;
    for (int i = 0; i < 2; i++) {
        until(&f, has_written, &enough);
        assert_code(kin_apiserver_simulation_stats(f.server, &before, NULL), 0);
        assert_code(kin_apiserver_restart(f.server, false, NULL), 0);
        assert_code(kin_apiserver_simulation_stats(f.server, &stats, NULL), 0);
        assert_true(stats.writes >= before.writes);
    }
    assert_code(kin_apiserver_wait_for_simulation(f.server, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_apiserver_simulation_stats(f.server, &stats, NULL), 0);
    assert_int_equal(stats.deployments, DEPLOYMENTS);
    enough = stats.writes + 100;
    until(&f, has_written, &enough);
    /* A simulation of its own counts from zero. */
    kin_apiserver_stop_simulation(f.server);
    simulate(&f, 0);
    assert_code(kin_apiserver_simulation_stats(f.server, &stats, NULL), 0);
    assert_true(stats.writes < before.writes);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_population),
        cmocka_unit_test(test_scaled_by_a_client),
        cmocka_unit_test(test_deleted_pod_is_replaced),
        cmocka_unit_test(test_new_image_rolls_out),
        cmocka_unit_test(test_watches_replay),
        cmocka_unit_test(test_storage_is_taken_over),
        cmocka_unit_test(test_life),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
