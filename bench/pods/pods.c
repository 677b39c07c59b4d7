/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generator: from (options, index, round) to the state of a Pod, and from that to its text.
 *
 * Nothing is carried over from one Pod to the next, so events may visit them in any order. What an
 * event changes depends on the Pod and the round only: every fourth round of a Pod restarts its
 * first container, the second round after that makes it unready, and each moves the times of the
 * readiness conditions and of the kubelet's entry in managedFields.
 *
 * Templated: Pod i belongs to workload (i mod 250), in an order drawn from the seed, and is the
 * (i / 250)-th of it. Workloads of one list are thus interleaved, not grouped.
 */
#include "pods.h"

#include "pod.h"

#include <errno.h>
#include <stdlib.h>

#define NODES_MAX 2000u
#define PODS_PER_NODE 50u

/* Resource versions of one set are three apart on average: other kinds take numbers too. */
#define VERSION_BASE UINT64_C(418230000)
#define VERSION_STEP 3u

/* The Pods of one round change within this many seconds. */
#define ROUND_SECONDS 600u

struct kin_bench_pods {
    struct kin_bench_pods_options options;
    uint32_t nodes;
    struct kin_bench__workload *workloads; /* 250, or one that is built anew for each Pod */
};

const char *kin_bench_file_name(enum kin_bench_file file)
{
    static const char *const names[] = {
        [KIN_BENCH_FILE_PODS] = "pods.json",
        [KIN_BENCH_FILE_META] = "pods.meta.json",
        [KIN_BENCH_FILE_STREAM] = "stream.jsonl",
        [KIN_BENCH_FILE_EVENTS] = "events.jsonl",
    };

    return (unsigned)file < KIN_BENCH_FILE_COUNT ? names[file] : "";
}

const char *kin_bench_variant_name(enum kin_bench_variant variant)
{
    return variant == KIN_BENCH_SINGLETON ? "singleton" : "templated";
}

int kin_bench_pods_new(struct kin_bench_pods **ret, const struct kin_bench_pods_options *options)
{
    struct kin_bench_pods *gen;
    size_t count = options->variant == KIN_BENCH_TEMPLATED ? KIN_BENCH_WORKLOADS : 1;
    int rc = 0;

    if (options->pods < 1 || options->pods > KIN_BENCH_PODS_MAX ||
        (options->variant != KIN_BENCH_TEMPLATED && options->variant != KIN_BENCH_SINGLETON))
        return -EINVAL;
    gen = calloc(1, sizeof(*gen));
    if (!gen)
        return -ENOMEM;
    gen->options = *options;
    gen->nodes = (uint32_t)(options->pods / PODS_PER_NODE);
    if (gen->nodes < 1)
        gen->nodes = 1;
    if (gen->nodes > NODES_MAX)
        gen->nodes = NODES_MAX;
    gen->workloads = calloc(count, sizeof(*gen->workloads));
    if (!gen->workloads)
        rc = -ENOMEM;
    for (size_t i = 0; rc == 0 && options->variant == KIN_BENCH_TEMPLATED && i < count; i++)
        rc = kin_bench__workload_init(&gen->workloads[i], options, i);
    if (rc < 0) {
        kin_bench_pods_free(gen);
        return rc;
    }
    *ret = gen;
    return 0;
}

void kin_bench_pods_free(struct kin_bench_pods *gen)
{
    if (!gen)
        return;
    free(gen->workloads);
    free(gen);
}

uint64_t kin_bench_pods_list_version(const struct kin_bench_pods *gen)
{
    return VERSION_BASE + VERSION_STEP * gen->options.pods;
}

static void format_ip(char ret[16], uint32_t address)
{
    struct kin_bench__text t;

    kin_bench__text_init(&t, ret, 15);
    for (int shift = 24; shift >= 0; shift -= 8) {
        put_u64(&t, (address >> shift) & 255);
        if (shift)
            put_char(&t, '.');
    }
    ret[t.len] = '\0';
}

/* The workload of a Pod, and the how manieth of it the Pod is. */
static int find_workload(struct kin_bench_pods *gen, uint64_t index,
                         const struct kin_bench__workload **ret, uint64_t *ret_ordinal)
{
    const struct kin_bench_pods_options *o = &gen->options;

    if (o->variant == KIN_BENCH_SINGLETON) {
        int rc = kin_bench__workload_init(gen->workloads, o, index);

        *ret = gen->workloads;
        *ret_ordinal = 0;
        return rc;
    }
    *ret = &gen->workloads[kin_bench__permute(kin_bench__hash3(o->seed, KIN_BENCH__DOMAIN_PLACE, 0),
                                              KIN_BENCH_WORKLOADS, index % KIN_BENCH_WORKLOADS)];
    *ret_ordinal = index / KIN_BENCH_WORKLOADS;
    return 0;
}

static void make_name(struct kin_bench__pod *p, uint64_t ordinal)
{
    struct kin_bench__text t;

    kin_bench__text_init(&t, p->name, sizeof(p->name) - 1);
    put_str(&t, p->workload->generate_name);
    if (p->workload->owner == KIN_BENCH__STATEFULSET)
        put_u64(&t, ordinal);
    else
        put_str(&t, p->suffix);
    p->name[t.len] = '\0';
}

static uint64_t change_time(const struct kin_bench_pods *gen, uint64_t index, uint64_t round)
{
    uint64_t h = kin_bench__hash3(
        kin_bench__hash3(gen->options.seed, KIN_BENCH__DOMAIN_CHANGE, round), 0, index);

    return KIN_BENCH__NOW + round * ROUND_SECONDS + h % ROUND_SECONDS;
}

/* Turns the Pod of the list into that of its round-th event. */
static void change(const struct kin_bench_pods *gen, struct kin_bench__pod *p, uint64_t index,
                   uint64_t round)
{
    uint64_t phase = p->id % 4;
    uint64_t restarts = (round + phase) / 4;

    p->round = round;
    p->ready = change_time(gen, index, round);
    p->written = p->ready;
    if (p->succeeded)
        return;
    p->unready = (round + phase) % 4 == 2;
    if (restarts > 0) {
        p->restarts += (unsigned)restarts;
        p->restarted = change_time(gen, index, 4 * restarts - phase);
    }
}

static int make_pod(struct kin_bench_pods *gen, struct kin_bench__pod *p, uint64_t index)
{
    const struct kin_bench_pods_options *o = &gen->options;
    struct kin_bench__rng rng;
    uint64_t ordinal;
    uint32_t node;
    uint32_t lot;
    int rc;

    memset(p, 0, sizeof(*p));
    rc = find_workload(gen, index, &p->workload, &ordinal);
    if (rc < 0)
        return rc;
    kin_bench__rng_init(&rng, o->seed, KIN_BENCH__DOMAIN_POD, index);
    p->uid[0] = kin_bench__rng_next(&rng);
    p->uid[1] = kin_bench__rng_next(&rng);
    p->id = kin_bench__rng_next(&rng);
    kin_bench__suffix(p->suffix, p->workload->suffix_offset, ordinal);
    make_name(p, ordinal);

    /* A DaemonSet has one Pod per node, the others go where there is room. */
    node = kin_bench__rng_below(&rng, gen->nodes);
    if (p->workload->owner == KIN_BENCH__DAEMONSET && o->variant == KIN_BENCH_TEMPLATED)
        node = (uint32_t)((ordinal + p->workload->suffix_offset % gen->nodes) % gen->nodes);
    p->node = node;
    p->sandbox_condition = node % 4 == 0;
    format_ip(p->host_ip, UINT32_C(0xac100000) + (node / 250 << 8) + node % 250 + 2);
    format_ip(p->pod_ip,
              UINT32_C(0x0a000000) + (uint32_t)kin_bench__permute(
                                         kin_bench__hash3(o->seed, KIN_BENCH__DOMAIN_PLACE, 1),
                                         UINT64_C(1) << 24, index));

    p->created = p->workload->rollout + kin_bench__rng_below(&rng, 9 * 86400);
    p->initialized = p->created + (p->workload->has_init ? 4 + kin_bench__rng_below(&rng, 20) : 2);
    p->ready = p->initialized + 5 + kin_bench__rng_below(&rng, 60);
    lot = kin_bench__rng_below(&rng, 24);
    if (p->workload->owner == KIN_BENCH__JOB && lot % 2 == 0) {
        p->succeeded = true;
        p->finished = p->ready + kin_bench__rng_below(&rng, 40000);
        p->ready = p->finished + 1;
    } else if (lot < 4) {
        p->restarts = 1 + lot;
        p->restarted = p->ready + 10 + kin_bench__rng_below(&rng, 40000);
        p->ready = p->restarted + 5 + kin_bench__rng_below(&rng, 60);
    }
    p->written = p->ready;
    return 0;
}

static int render(const struct kin_bench__pod *p, char *text, size_t size,
                  struct kin_bench_pod_info *ret)
{
    struct kin_bench_pod_info info;
    struct kin_bench__text t;

    kin_bench__text_init(&t, text, size);
    info.resource_version = p->resource_version;
    put_json(&t, "{'metadata':");
    info.metadata.start = t.len;
    kin_bench__pod_put_metadata(&t, p, &info.managed);
    info.metadata.end = t.len;
    put_json(&t, ",'spec':");
    info.spec.start = t.len;
    kin_bench__pod_put_spec(&t, p);
    info.spec.end = t.len;
    put_json(&t, ",'status':");
    info.status.start = t.len;
    kin_bench__pod_put_status(&t, p);
    info.status.end = t.len;
    put_json(&t, "}");
    info.length = t.len;
    if (t.overflow)
        return -ENOBUFS;
    *ret = info;
    return 0;
}

int kin_bench_pods_render(struct kin_bench_pods *gen, uint64_t index, char *text, size_t size,
                          struct kin_bench_pod_info *ret)
{
    const struct kin_bench_pods_options *o = &gen->options;
    struct kin_bench__pod p;
    uint64_t place;
    int rc;

    if (index >= o->pods)
        return -EINVAL;
    rc = make_pod(gen, &p, index);
    if (rc < 0)
        return rc;
    place =
        kin_bench__permute(kin_bench__hash3(o->seed, KIN_BENCH__DOMAIN_VERSION, 0), o->pods, index);
    p.resource_version = VERSION_BASE + VERSION_STEP * place + 1 + p.id / 4 % VERSION_STEP;
    return render(&p, text, size, ret);
}

int kin_bench_pods_render_event(struct kin_bench_pods *gen, uint64_t event, char *text, size_t size,
                                struct kin_bench_pod_info *ret, uint64_t *ret_index)
{
    const struct kin_bench_pods_options *o = &gen->options;
    uint64_t round = event / o->pods + 1;
    uint64_t index;
    struct kin_bench__pod p;
    int rc;

    if (event >= KIN_BENCH_EVENTS_MAX)
        return -EINVAL;
    index = kin_bench__permute(kin_bench__hash3(o->seed, KIN_BENCH__DOMAIN_ROUND, round), o->pods,
                               event % o->pods);
    rc = make_pod(gen, &p, index);
    if (rc < 0)
        return rc;
    change(gen, &p, index, round);
    p.resource_version =
        kin_bench_pods_list_version(gen) + VERSION_STEP * event + 1 +
        kin_bench__hash3(o->seed, KIN_BENCH__DOMAIN_VERSION, event + 1) % VERSION_STEP;
    rc = render(&p, text, size, ret);
    if (rc == 0 && ret_index)
        *ret_index = index;
    return rc;
}
