/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Pod generator: the same bytes for the same arguments, Pods of the promised size and shape,
 * and events that fit the list. The files are tested in test_pods_files.c.
 */
#include "bench_test.h"

#include "pods_fixture.h"
#include "rng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct span part(const char *text, struct kin_bench_span s)
{
    return (struct span){text + s.start, s.end - s.start};
}

/* --- building blocks --- */

static void hash_matches_published_values(void **state)
{
    static const char fox[] = "The quick brown fox jumps over the lazy dog";

    (void)state;
    assert_true(kin_bench_hash("", 0) == UINT64_C(0xef46db3751d8e999));
    assert_true(kin_bench_hash("a", 1) == UINT64_C(0xd24ec4f1a98c6e5b));
    assert_true(kin_bench_hash("abc", 3) == UINT64_C(0x44bc2cf5ad770999));
    assert_true(kin_bench_hash(fox, sizeof(fox) - 1) == UINT64_C(0x0b242d361fda71bc));
}

static void permutation_is_one(void **state)
{
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 16, 17, 250, 1000};

    (void)state;
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        uint64_t n = sizes[k];
        bool *seen = calloc(n, sizeof(*seen));

        assert_non_null(seen);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t v = kin_bench__permute(99, n, i);

            assert_true(v < n);
            assert_false(seen[v]);
            seen[v] = true;
        }
        free(seen);
    }
}

static void checker_refuses_bad_json(void **state)
{
    static const char *const bad[] = {"",        "{",        "{\"a\":}",   "{\"a\":1,}", "[1,]",
                                      "\"\\x\"", "\"a\nb\"", "01",         "1.",         "nul",
                                      "{a:1}",   "[1 ]",     "{\"a\":1}x", "\"\\u12g4\""};
    static const char good[] = "{\"a\":[1,-2.5,\"\\u003e\\n\",{},[]],\"b\":null}";

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(json_valid((struct span){bad[i], strlen(bad[i])}));
    assert_true(json_valid((struct span){good, sizeof(good) - 1}));
}

/* --- one Pod --- */

static void render_is_a_pure_function(void **state)
{
    static char a[KIN_BENCH_POD_SIZE_MAX];
    static char b[KIN_BENCH_POD_SIZE_MAX];

    (void)state;
    for (size_t v = 0; v < 2; v++) {
        struct kin_bench_pods *one = make_generator(600, 5, variants[v]);
        struct kin_bench_pods *two = make_generator(600, 5, variants[v]);
        struct kin_bench_pods *other = make_generator(600, 6, variants[v]);
        struct kin_bench_pod_info ia;
        struct kin_bench_pod_info ib;

        /* One goes up, the other down: no Pod depends on those made before it. */
        for (uint64_t i = 0; i < 600; i++) {
            assert_int_equal(kin_bench_pods_render(two, 599 - i, b, sizeof(b), &ib), 0);
        }
        for (uint64_t i = 0; i < 600; i++) {
            assert_int_equal(kin_bench_pods_render(one, i, a, sizeof(a), &ia), 0);
            assert_int_equal(kin_bench_pods_render(two, i, b, sizeof(b), &ib), 0);
            assert_int_equal(ia.length, ib.length);
            assert_memory_equal(a, b, ia.length);
            assert_int_equal(kin_bench_pods_render(other, i, b, sizeof(b), &ib), 0);
            assert_true(ia.length != ib.length || memcmp(a, b, ia.length) != 0);
        }
        kin_bench_pods_free(one);
        kin_bench_pods_free(two);
        kin_bench_pods_free(other);
    }
}

static void sizes_are_in_the_band(void **state)
{
    static char text[KIN_BENCH_POD_SIZE_MAX];

    (void)state;
    for (size_t v = 0; v < 2; v++) {
        for (uint64_t seed = 1; seed <= 2; seed++) {
            struct kin_bench_pods *gen = make_generator(2500, seed, variants[v]);
            uint64_t total = 0;
            uint64_t managed = 0;

            for (uint64_t i = 0; i < 2500; i++) {
                struct kin_bench_pod_info info;

                assert_int_equal(kin_bench_pods_render(gen, i, text, sizeof(text), &info), 0);
                assert_in_range(info.length, 6000, 12000);
                total += info.length;
                managed += info.managed.end - info.managed.start;
            }
            assert_in_range(total / 2500, 8000, 8150);
            assert_in_range(managed / 2500, 2800, 3300);
            kin_bench_pods_free(gen);
        }
    }
}

static void check_pod(struct span pod, uint64_t list_version)
{
    size_t containers = json_count(json_get(pod, "spec.containers"));

    assert_true(json_valid(pod));
    assert_int_equal(json_count(pod), 3);
    assert_int_equal(json_count(json_get(pod, "metadata.labels")), 7);
    assert_int_equal(json_count(json_get(pod, "metadata.annotations")), 4);
    assert_int_equal(json_count(json_get(pod, "metadata.ownerReferences")), 1);
    assert_int_equal(json_count(json_get(pod, "metadata.managedFields")), 2);
    assert_true(json_is(pod, "metadata.managedFields.0.manager", "kube-controller-manager"));
    assert_true(json_is(pod, "metadata.managedFields.1.manager", "kubelet"));
    assert_true(json_is(pod, "metadata.managedFields.1.subresource", "status"));
    assert_in_range(json_number(pod, "metadata.resourceVersion"), 1, list_version);
    assert_in_range(containers, 2, 3);
    assert_int_equal(json_count(json_get(pod, "status.containerStatuses")), containers);
    assert_int_equal(json_count(json_get(pod, "status.initContainerStatuses")),
                     json_count(json_get(pod, "spec.initContainers")));
    assert_in_range(json_count(json_get(pod, "status.conditions")), 4, 5);
    assert_int_equal(json_count(json_get(pod, "spec.tolerations")), 2);
    assert_non_null(json_get(pod, "spec.nodeName").data);
    assert_non_null(json_get(pod, "spec.containers.0.image").data);
    assert_non_null(json_get(pod, "status.podIP").data);
}

static void every_shape_is_a_good_pod(void **state)
{
    static char text[KIN_BENCH_POD_SIZE_MAX];

    (void)state;
    for (size_t v = 0; v < 2; v++) {
        struct kin_bench_pods *gen = make_generator(1000, 3, variants[v]);
        uint64_t version = kin_bench_pods_list_version(gen);

        for (uint64_t i = 0; i < 1000; i++) {
            struct kin_bench_pod_info info;

            assert_int_equal(kin_bench_pods_render(gen, i, text, sizeof(text), &info), 0);
            check_pod((struct span){text, info.length}, version);
            assert_true(json_valid(part(text, info.metadata)));
            assert_true(json_valid(part(text, info.managed)));
            assert_true(json_valid(part(text, info.spec)));
            assert_true(json_valid(part(text, info.status)));
        }
        kin_bench_pods_free(gen);
    }
}

static void bad_arguments_are_refused(void **state)
{
    static char text[KIN_BENCH_POD_SIZE_MAX];
    struct kin_bench_pods *gen = NULL;
    struct kin_bench_pods_options o = make_options(0, 0, 1, KIN_BENCH_TEMPLATED);
    struct kin_bench_pod_info info;

    (void)state;
    assert_int_equal(kin_bench_pods_new(&gen, &o), -EINVAL);
    o.pods = KIN_BENCH_PODS_MAX + 1;
    assert_int_equal(kin_bench_pods_new(&gen, &o), -EINVAL);
    o.pods = 1;
    o.variant = (enum kin_bench_variant)2;
    assert_int_equal(kin_bench_pods_new(&gen, &o), -EINVAL);
    assert_null(gen);
    kin_bench_pods_free(NULL);

    gen = make_generator(KIN_BENCH_PODS_MAX, 1, KIN_BENCH_SINGLETON);
    assert_int_equal(kin_bench_pods_render(gen, KIN_BENCH_PODS_MAX, text, sizeof(text), &info),
                     -EINVAL);
    assert_int_equal(kin_bench_pods_render(gen, KIN_BENCH_PODS_MAX - 1, text, sizeof(text), &info),
                     0);
    assert_int_equal(kin_bench_pods_render(gen, 0, text, 1000, &info), -ENOBUFS);
    assert_int_equal(
        kin_bench_pods_render_event(gen, KIN_BENCH_EVENTS_MAX, text, sizeof(text), &info, NULL),
        -EINVAL);
    assert_int_equal(
        kin_bench_pods_render_event(gen, KIN_BENCH_EVENTS_MAX - 1, text, sizeof(text), &info, NULL),
        0);
    kin_bench_pods_free(gen);
}

/* --- many Pods --- */

/* Copies a spec without what may differ between the Pods of one workload. */
static char *mask_spec(struct span spec)
{
    static const char *const cuts[] = {"\"nodeName\":\"", "\"kube-api-access-"};
    char *copy = strndup(spec.data, spec.len);

    assert_non_null(copy);
    for (size_t k = 0; k < 2; k++)
        for (char *p = copy; (p = strstr(p, cuts[k])) != NULL;) {
            p += strlen(cuts[k]);
            while (*p && *p != '"')
                *p++ = '#';
        }
    return copy;
}

static void templated_pods_share_their_spec(void **state)
{
    static char text[KIN_BENCH_POD_SIZE_MAX];
    enum { PODS = 1000 };
    char *specs[KIN_BENCH_WORKLOADS] = {NULL};
    char *owners[KIN_BENCH_WORKLOADS] = {NULL};
    struct kin_bench_pods *gen = make_generator(PODS, 11, KIN_BENCH_TEMPLATED);
    size_t differing = 0;

    (void)state;
    for (uint64_t i = 0; i < PODS; i++) {
        struct kin_bench_pod_info info;
        size_t w = i % KIN_BENCH_WORKLOADS;
        struct span uid;
        char *masked;

        assert_int_equal(kin_bench_pods_render(gen, i, text, sizeof(text), &info), 0);
        masked = mask_spec(part(text, info.spec));
        uid = json_get((struct span){text, info.length}, "metadata.ownerReferences.0.uid");
        if (!specs[w]) {
            specs[w] = masked;
            owners[w] = strndup(uid.data, uid.len);
            for (size_t k = 0; k < w; k++)
                differing += strcmp(specs[k], specs[w]) != 0 ? 1 : 0;
        } else {
            assert_string_equal(specs[w], masked);
            assert_true(span_equal(uid, (struct span){owners[w], strlen(owners[w])}));
            free(masked);
        }
    }
    /* And the workloads do not share theirs. */
    assert_int_equal(differing, KIN_BENCH_WORKLOADS * (KIN_BENCH_WORKLOADS - 1) / 2);
    for (size_t w = 0; w < KIN_BENCH_WORKLOADS; w++) {
        free(specs[w]);
        free(owners[w]);
    }
    kin_bench_pods_free(gen);
}

static int compare_hashes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* How many different values a path has among the Pods of a set. */
static size_t count_distinct(enum kin_bench_variant variant, uint64_t pods, const char *path,
                             const char *path2)
{
    static char text[KIN_BENCH_POD_SIZE_MAX];
    struct kin_bench_pods *gen = make_generator(pods, 21, variant);
    uint64_t *hashes = calloc(pods, sizeof(*hashes));
    size_t n = 0;

    assert_non_null(hashes);
    for (uint64_t i = 0; i < pods; i++) {
        struct kin_bench_pod_info info;
        struct span pod = {text, 0};
        struct span v;

        assert_int_equal(kin_bench_pods_render(gen, i, text, sizeof(text), &info), 0);
        pod.len = info.length;
        v = json_get(pod, path);
        assert_non_null(v.data);
        hashes[i] = kin_bench_hash(v.data, v.len);
        if (path2) {
            v = json_get(pod, path2);
            hashes[i] = hashes[i] * 31 + kin_bench_hash(v.data, v.len);
        }
    }
    qsort(hashes, pods, sizeof(*hashes), compare_hashes);
    for (uint64_t i = 0; i < pods; i++)
        n += i == 0 || hashes[i] != hashes[i - 1] ? 1 : 0;
    free(hashes);
    kin_bench_pods_free(gen);
    return n;
}

static void singletons_share_nothing(void **state)
{
    static const char *const paths[] = {
        "metadata.labels.component",
        "metadata.labels.product",
        "metadata.generateName",
        "metadata.ownerReferences.0.uid",
        "spec.containers.0.image",
        "spec.containers.1.image",
        "spec.containers.0.name",
        "spec.containers.0.args.0",
        "spec.containers.0.args.1",
        "spec.containers.0.env.0",
        "spec.containers.0.volumeMounts",
        "spec.serviceAccountName",
        "spec.volumes.0.name",
        "spec.volumes.0.configMap",
        "status.containerStatuses.0",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        assert_int_equal(count_distinct(KIN_BENCH_SINGLETON, 500, paths[i], NULL), 500);
}

static void pods_are_distinct(void **state)
{
    (void)state;
    for (size_t v = 0; v < 2; v++) {
        assert_int_equal(count_distinct(variants[v], 2500, "metadata.name", "metadata.namespace"),
                         2500);
        assert_int_equal(count_distinct(variants[v], 2500, "metadata.uid", NULL), 2500);
        assert_int_equal(count_distinct(variants[v], 2500, "metadata.resourceVersion", NULL), 2500);
        assert_int_equal(count_distinct(variants[v], 2500, "status.podIP", NULL), 2500);
        assert_int_equal(count_distinct(variants[v], 2500, "metadata.namespace", NULL),
                         KIN_BENCH_NAMESPACES);
        assert_int_equal(count_distinct(variants[v], 2500, "spec.nodeName", NULL), 50);
    }
    assert_int_equal(count_distinct(KIN_BENCH_TEMPLATED, 1000, "spec.containers.0.image", NULL),
                     KIN_BENCH_WORKLOADS);
    assert_int_equal(count_distinct(KIN_BENCH_TEMPLATED, 20, "spec.nodeName", NULL), 1);
}

static void namespaces_follow_zipf(void **state)
{
    static char text[KIN_BENCH_POD_SIZE_MAX];

    (void)state;
    for (size_t v = 0; v < 2; v++) {
        struct kin_bench_pods *gen = make_generator(2500, 2, variants[v]);
        unsigned first = 0;
        unsigned second = 0;

        for (uint64_t i = 0; i < 2500; i++) {
            struct kin_bench_pod_info info;
            struct span pod = {text, 0};

            assert_int_equal(kin_bench_pods_render(gen, i, text, sizeof(text), &info), 0);
            pod.len = info.length;
            first += json_is(pod, "metadata.namespace", "payments-prod") ? 1 : 0;
            second += json_is(pod, "metadata.namespace", "search-prod") ? 1 : 0;
        }
        /* 1 / H(50) = 22.2 % and half of it. */
        assert_in_range(first, 490, 620);
        assert_in_range(second, 230, 330);
        kin_bench_pods_free(gen);
    }
}

/* --- events --- */

static void events_fit_the_list(void **state)
{
    static const char sent[] = "\"" KIN_BENCH_SENT_KEY "\":\"" KIN_BENCH_SENT_ZERO "\"";
    static char text[KIN_BENCH_POD_SIZE_MAX];
    static char before[KIN_BENCH_POD_SIZE_MAX];
    enum { PODS = 130, ROUNDS = 9 };

    (void)state;
    for (size_t v = 0; v < 2; v++) {
        struct kin_bench_pods *gen = make_generator(PODS, 8, variants[v]);
        uint64_t version = kin_bench_pods_list_version(gen);
        uint64_t orders[ROUNDS][PODS];
        uint64_t restarts[PODS] = {0};

        for (uint64_t e = 0; e < (uint64_t)PODS * ROUNDS; e++) {
            struct kin_bench_pod_info info;
            struct kin_bench_pod_info old;
            uint64_t index = PODS;
            struct span event = {text, 0};
            struct span pod = {before, 0};
            uint64_t count;
            const char *at;

            assert_int_equal(kin_bench_pods_render_event(gen, e, text, sizeof(text), &info, &index),
                             0);
            assert_true(index < PODS);
            orders[e / PODS][e % PODS] = index;
            for (uint64_t k = 0; k < e % PODS; k++)
                assert_true(orders[e / PODS][k] != index);
            event.len = info.length;
            assert_true(json_valid(event));

            assert_int_equal(kin_bench_pods_render(gen, index, before, sizeof(before), &old), 0);
            pod.len = old.length;
            assert_true(span_equal(json_get(event, "metadata.uid"), json_get(pod, "metadata.uid")));
            assert_true(
                span_equal(json_get(event, "metadata.name"), json_get(pod, "metadata.name")));
            assert_true(span_equal(part(text, info.spec), part(before, old.spec)));
            assert_false(span_equal(part(text, info.status), part(before, old.status)));
            assert_null(memmem(before, old.length, KIN_BENCH_SENT_KEY, strlen(KIN_BENCH_SENT_KEY)));

            at = memmem(text, info.length, sent, strlen(sent));
            assert_non_null(at);
            assert_true(
                json_is(event, "metadata.annotations." KIN_BENCH_SENT_KEY, KIN_BENCH_SENT_ZERO));
            assert_int_equal(json_count(json_get(event, "metadata.annotations")), 5);

            assert_true(info.resource_version > version);
            assert_true(json_number(event, "metadata.resourceVersion") == info.resource_version);
            version = info.resource_version;

            count = json_number(event, "status.containerStatuses.0.restartCount");
            assert_true(count >= restarts[index]);
            restarts[index] = count;
        }
        for (unsigned r = 1; r < ROUNDS; r++)
            assert_memory_not_equal(orders[r - 1], orders[r], sizeof(orders[0]));
        kin_bench_pods_free(gen);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_matches_published_values),
        cmocka_unit_test(permutation_is_one),
        cmocka_unit_test(checker_refuses_bad_json),
        cmocka_unit_test(render_is_a_pure_function),
        cmocka_unit_test(sizes_are_in_the_band),
        cmocka_unit_test(every_shape_is_a_good_pod),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(templated_pods_share_their_spec),
        cmocka_unit_test(singletons_share_nothing),
        cmocka_unit_test(pods_are_distinct),
        cmocka_unit_test(namespaces_follow_zipf),
        cmocka_unit_test(events_fit_the_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
