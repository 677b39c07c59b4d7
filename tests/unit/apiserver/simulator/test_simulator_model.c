/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator next to people who change and delete whatever they like, at any moment, also
 * between its reading an object and its writing it. Whatever they did: left alone, the cluster
 * comes to rest in a right state.
 */
#include <stdlib.h>

#include "base/compiler.h"
#include "kinform/metadata.h"
#include "model.h"
#include "simulator_support.h"

struct world {
    struct cluster c;
    kin_test_rng rng; /* of what happens in between */
    bool meddle;
    unsigned made;
};

/* Something else was there first: another version, nothing at all, or a server that fails. */
static int before(void *arg, enum kin__simulated kind, const kin_object *object)
{
    struct world *w = kin__container_of((struct cluster *)arg, struct world, c);
    const char *key = kin_object_key(object);

    if (!w->meddle || kind == KIN__SIMULATED_NAMESPACE)
        return 0;
    switch (kin_test_below(&w->rng, 60)) {
    case 0:
    case 1:
    case 2:
        (void)kin_test_sink_set_json(&w->c.sink, kind, key, "metadata.annotations.touched",
                                     "\"1\"");
        return 0;
    case 3:
        if (kind != KIN__SIMULATED_DEPLOYMENT || kin_test_below(&w->rng, 10) == 0)
            (void)kin_test_sink_erase(&w->c.sink, kind, key);
        return 0;
    case 4:
        return KIN_ESERVER;
    default:
        return 0;
    }
}

static void *world_new(uint64_t seed)
{
    struct world *w = calloc(1, sizeof(*w));
    kin__simulator_options o = {
        .seed = seed, .nodes = 4, .deployments = 5, .pods = 20, .churn = 20, .events = 200};

    assert_non_null(w);
    assert_code(cluster_init(&w->c, &o, NULL), 0);
    w->rng.state = seed;
    w->c.sink.before = before;
    w->meddle = true;
    cluster_run(&w->c, 2000);
    return w;
}

static void world_free(void *state)
{
    struct world *w = state;

    cluster_done(&w->c);
    free(w);
}

static const char *world_check(void *state)
{
    struct world *w = state;

    return w->c.wrong[0] ? w->c.wrong : NULL;
}

/* The key of some object; false if there is none. COPIED: it may go. */
static bool choose(char *ret, size_t size, struct world *w, enum kin__simulated kind,
                   kin_test_rng *rng)
{
    size_t n = cluster_count(&w->c, kind);

    if (n == 0)
        return false;
    (void)snprintf(ret, size, "%s",
                   kin_object_key(cluster_at(&w->c, kind, (size_t)kin_test_below(rng, n))));
    return true;
}

/* Sometimes it is told at once. */
static void notice(struct world *w, enum kin__simulated kind, const char *key, kin_test_rng *rng,
                   bool always)
{
    const char *slash = strchr(key, '/');

    if (!always && kin_test_below(rng, 2))
        return;
    assert_code(
        kin__simulator_notice(w->c.sim, kind, kin_str_make(key, slash ? (size_t)(slash - key) : 0),
                              kin_str_of(slash ? slash + 1 : key), kin_clock_now(w->c.clock), NULL),
        0);
}

static const char *let_time_pass(void *state, kin_test_rng *rng)
{
    struct world *w = state;

    cluster_run(&w->c, (int64_t)kin_test_below(rng, 8000));
    return NULL;
}

static const char *delete_something(struct world *w, enum kin__simulated kind, kin_test_rng *rng)
{
    char key[512];

    if (!choose(key, sizeof(key), w, kind, rng))
        return NULL;
    if (kin_test_below(rng, 3))
        (void)kin_test_sink_delete(&w->c.sink, kind, key);
    else
        (void)kin_test_sink_erase(&w->c.sink, kind, key);
    notice(w, kind, key, rng, false);
    return NULL;
}

static const char *delete_pod(void *state, kin_test_rng *rng)
{
    return delete_something(state, KIN__SIMULATED_POD, rng);
}

static const char *delete_set(void *state, kin_test_rng *rng)
{
    return delete_something(state, KIN__SIMULATED_REPLICA_SET, rng);
}

static const char *delete_deployment(void *state, kin_test_rng *rng)
{
    return delete_something(state, KIN__SIMULATED_DEPLOYMENT, rng);
}

static const char *delete_node(void *state, kin_test_rng *rng)
{
    return delete_something(state, KIN__SIMULATED_NODE, rng);
}

static const char *delete_lease(void *state, kin_test_rng *rng)
{
    return delete_something(state, KIN__SIMULATED_LEASE, rng);
}

static const char *delete_event(void *state, kin_test_rng *rng)
{
    return delete_something(state, KIN__SIMULATED_EVENT, rng);
}

static const char *scale(void *state, kin_test_rng *rng)
{
    struct world *w = state;
    char key[512], replicas[24];

    if (!choose(key, sizeof(key), w, KIN__SIMULATED_DEPLOYMENT, rng))
        return NULL;
    (void)snprintf(replicas, sizeof(replicas), "%u", (unsigned)kin_test_below(rng, 9));
    (void)kin_test_sink_set_json(&w->c.sink, KIN__SIMULATED_DEPLOYMENT, key, "spec.replicas",
                                 replicas);
    notice(w, KIN__SIMULATED_DEPLOYMENT, key, rng, false);
    return NULL;
}

static const char *scale_set(void *state, kin_test_rng *rng)
{
    struct world *w = state;
    char key[512];

    if (choose(key, sizeof(key), w, KIN__SIMULATED_REPLICA_SET, rng))
        (void)kin_test_sink_set_json(&w->c.sink, KIN__SIMULATED_REPLICA_SET, key, "spec.replicas",
                                     "3");
    return NULL;
}

static const char *release(void *state, kin_test_rng *rng)
{
    struct world *w = state;
    char key[512], image[64];

    if (!choose(key, sizeof(key), w, KIN__SIMULATED_DEPLOYMENT, rng))
        return NULL;
    (void)snprintf(image, sizeof(image), "\"registry.example/other:%u\"",
                   (unsigned)kin_test_below(rng, 4));
    (void)kin_test_sink_set_json(&w->c.sink, KIN__SIMULATED_DEPLOYMENT, key,
                                 "spec.template.spec.containers[0].image", image);
    notice(w, KIN__SIMULATED_DEPLOYMENT, key, rng, false);
    return NULL;
}

static const char *touch(void *state, kin_test_rng *rng)
{
    struct world *w = state;
    enum kin__simulated kind = (enum kin__simulated)(
        KIN__SIMULATED_NODE + kin_test_below(rng, KIN__SIMULATED_KINDS - KIN__SIMULATED_NODE));
    char key[512];

    if (choose(key, sizeof(key), w, kind, rng))
        (void)kin_test_sink_set_json(&w->c.sink, kind, key, "metadata.managedFields", "[]");
    return NULL;
}

/* Also of a name that another one has just had. */
static const char *create_deployment(void *state, kin_test_rng *rng)
{
    struct world *w = state;
    char json[1024], key[64];
    unsigned n = (unsigned)kin_test_below(rng, 4);

    (void)snprintf(key, sizeof(key), "default/mine-%u", n);
    if (kin_test_sink_find(&w->c.sink, KIN__SIMULATED_DEPLOYMENT, key))
        return NULL;
    (void)snprintf(json, sizeof(json),
                   "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":"
                   "\"mine-%u\",\"namespace\":\"default\"},\"spec\":{\"replicas\":%u,\"selector\":{"
                   "\"matchLabels\":{\"app\":\"mine-%u\"}},\"template\":{\"metadata\":{\"labels\":{"
                   "\"app\":\"mine-%u\"}},\"spec\":{\"containers\":[{\"name\":\"only\",\"image\":"
                   "\"registry.example/mine:%u\"}]}}}}",
                   n, (unsigned)kin_test_below(rng, 5), n, n, w->made++);
    w->meddle = false;
    kin_test_sink_create_json(&w->c.sink, KIN__SIMULATED_DEPLOYMENT, json);
    w->meddle = true;
    notice(w, KIN__SIMULATED_DEPLOYMENT, key, rng, true);
    return NULL;
}

static const char *come_to_rest(void *state, kin_test_rng *rng)
{
    struct world *w = state;

    (void)rng;
    w->meddle = false;
    cluster_calm(&w->c);
    const char *wrong = cluster_check(&w->c);
    w->meddle = true;
    kin__simulator_set_churn(w->c.sim, 20);
    return wrong;
}

static const kin_test_op ops[] = {
    {"let time pass", 20, let_time_pass},
    {"delete a Pod", 8, delete_pod},
    {"delete a ReplicaSet", 2, delete_set},
    {"delete a Deployment", 1, delete_deployment},
    {"delete a Node", 1, delete_node},
    {"delete a Lease", 1, delete_lease},
    {"delete an Event", 2, delete_event},
    {"scale", 4, scale},
    {"scale a ReplicaSet", 1, scale_set},
    {"release", 3, release},
    {"touch", 3, touch},
    {"create a Deployment", 2, create_deployment},
    {"come to rest", 2, come_to_rest},
};

static void test_model(void **state)
{
    static const kin_test_model model = {ops, sizeof(ops) / sizeof(ops[0]), world_new, world_free,
                                         world_check};

    (void)state;
    kin_test_run_model(&model, 60, KIN_TEST_SANITIZED ? 4 : 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
