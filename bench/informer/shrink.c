/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-shrink: the memory of an informer whose resource shrinks, and the pauses of its readers.
 *
 * The source is in the process and decodes the Pods of bench/pods on the informer's workers, as a
 * client does. The cache has --pods of them; then a relist or single deletions leave --keep. One
 * thread reads kept objects by key and times each read; `waits` counts how often it slept. Another
 * one allocates and frees blocks of the heap that the Pods of --live are in, as a host program does.
 * With --trim yes the library returns the memory after the drop; with --trim no the same time passes.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <kinform/informer.h>
#include <kinform/memory.h>

#include "load.h"
#include "options.h"
#include "pods.h"

#define PODS_MAX 5000000
#define SUB ((size_t)16) /* parts of a power of two */
#define BUCKETS (64 * SUB)
#define BLOCK 4096 /* bytes that a host allocates: more than its thread caches */
#define WAIT 6.5   /* seconds until the trim has come for certain */

static const char help[] = "usage: kin-bench-shrink relist|delete [OPTION]...\n"
                           "\n"
                           "  --pods N    Pods at the peak (50000)\n"
                           "  --keep N    Pods that remain (100)\n"
                           "  --live N    Pods of another store, which stays (0)\n"
                           "  --trim T    no (the default), or yes\n";

struct run {
    size_t pods;
    size_t keep;
    size_t live;
    bool trim;
    bool by_relist;
};

/* --- the source --- */

struct source {
    kin_list_watch base;
    kin_operation operation;
    struct kin_bench_pods *generator;
    kin_decoder *decoder;
    char *text;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t n;                /* (lock) Pods of the next list */
    unsigned version;        /* (lock) */
    kin_call_handlers watch; /* (lock) of the watch under way */
    bool is_watched;         /* (lock) */
};

static const kin_object *make_pod(struct source *source, size_t i)
{
    struct kin_bench_pod_info info;

    if (kin_bench_pods_render(source->generator, i, source->text, KIN_BENCH_POD_SIZE_MAX, &info) <
        0)
        kin_bench_die("cannot render a Pod");
    return kin_bench_decode_one(source->decoder, kin_str_make(source->text, info.length));
}

static void release(kin_operation *operation)
{
    (void)operation;
}

static void finish(const kin_call_handlers *handlers, const kin_object *object, int code)
{
    kin_error err = KIN_ERROR_INIT;
    kin_result result = {sizeof(result), code, &err, object, NULL, true, 0};

    if (code < 0)
        kin_error_set(&err, code, "ended");
    if (handlers->done)
        handlers->done(&result, handlers->arg);
    if (handlers->arg_free)
        handlers->arg_free(handlers->arg);
}

static void cancel(kin_operation *operation)
{
    struct source *source =
        (struct source *)((char *)operation - offsetof(struct source, operation));

    pthread_mutex_lock(&source->lock);
    source->is_watched = false;
    pthread_cond_broadcast(&source->changed);
    pthread_mutex_unlock(&source->lock);
}

static int list(kin_list_watch *base, kin_operation **ret, const kin_request_options *options,
                const kin_call_handlers *handlers, kin_error *err)
{
    struct source *source = (struct source *)base;
    const kin_object *head = NULL;
    char text[128];

    (void)options;
    *ret = &source->operation;
    for (size_t i = 0; i < source->n; i++) {
        const kin_object *pod = make_pod(source, i);

        if (handlers->item(pod, handlers->arg, err) < 0)
            kin_bench_die("an item was refused: %s", err->message);
        kin_object_unref(pod);
    }
    (void)snprintf(text, sizeof(text),
                   "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"
                   "\"%u\"}}",
                   source->version);
    head = kin_bench_decode_one(source->decoder, kin_str_of(text));
    finish(handlers, head, 0);
    kin_object_unref(head);
    return 0;
}

static int watch(kin_list_watch *base, kin_operation **ret, const kin_request_options *options,
                 const kin_call_handlers *handlers, kin_error *err)
{
    struct source *source = (struct source *)base;

    (void)options;
    (void)err;
    *ret = &source->operation;
    pthread_mutex_lock(&source->lock);
    source->watch = *handlers;
    source->is_watched = true;
    pthread_cond_broadcast(&source->changed);
    pthread_mutex_unlock(&source->lock);
    return 0;
}

static void destroy(kin_list_watch *base)
{
    (void)base;
}

static const kin_list_watch_class source_class = {sizeof(source_class), list, watch, destroy,
                                                  false};

static void source_init(struct source *source, size_t pods)
{
    struct kin_bench_pods_options options = {
        .pods = pods, .seed = 1, .variant = KIN_BENCH_TEMPLATED};

    memset(source, 0, sizeof(*source));
    pthread_mutex_init(&source->lock, NULL);
    pthread_cond_init(&source->changed, NULL);
    source->operation = (kin_operation){cancel, release};
    source->text = kin_bench_alloc(KIN_BENCH_POD_SIZE_MAX, 1);
    source->decoder = kin_bench_decoder_new(NULL);
    source->n = pods;
    source->version = (unsigned)pods;
    if (kin_bench_pods_new(&source->generator, &options) < 0 ||
        kin_list_watch_init(&source->base, &source_class, NULL) < 0)
        kin_bench_die("cannot make the source");
}

static void await_watch(struct source *source, bool is_watched)
{
    pthread_mutex_lock(&source->lock);
    while (source->is_watched != is_watched)
        pthread_cond_wait(&source->changed, &source->lock);
    pthread_mutex_unlock(&source->lock);
}

/* --- the reader --- */

struct times {
    uint64_t counts[BUCKETS];
    int64_t max;
    long waits; /* how often the thread slept: for a lock, not for a processor */
};

struct reader {
    pthread_t thread;
    kin_store *store;
    char **keys;
    size_t n_keys;
    atomic_bool stop;
    atomic_int phase;
    struct times times[3];
};

static int64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static size_t bucket_of(uint64_t ns)
{
    unsigned bits = ns < SUB ? 0 : 63 - (unsigned)__builtin_clzll(ns) - 3;

    return bits == 0 ? (size_t)ns : bits * (SUB / 2) + (size_t)(ns >> bits);
}

static uint64_t value_of(size_t bucket)
{
    size_t bits = bucket < SUB ? 0 : bucket / (SUB / 2) - 1;

    return bits == 0 ? bucket : (uint64_t)(bucket - bits * (SUB / 2)) << bits;
}

static void note(struct times *times, int64_t ns)
{
    times->counts[bucket_of((uint64_t)ns)]++;
    if (ns > times->max)
        times->max = ns;
}

static long thread_waits(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

static void *read_on(void *arg)
{
    struct reader *r = arg;
    int64_t before = now_ns();
    long waits = thread_waits();
    int last = 0;

    for (size_t i = 0; !atomic_load_explicit(&r->stop, memory_order_relaxed); i++) {
        int phase = atomic_load_explicit(&r->phase, memory_order_relaxed);
        const kin_object *object = NULL;

        if (phase != last) {
            r->times[last].waits = thread_waits() - waits;
            waits += r->times[last].waits;
            last = phase;
            before = now_ns();
        }
        if (kin_store_get(r->store, &object, kin_str_of(r->keys[i % r->n_keys]), NULL) < 0)
            kin_bench_die("a kept object is not there");
        kin_object_unref(object);
        int64_t after = now_ns();

        note(&r->times[phase], after - before);
        before = after;
    }
    r->times[last].waits = thread_waits() - waits;
    return NULL;
}

/* Allocate and free on this thread until `seconds` have passed. */
static void allocate(struct times *times, double seconds)
{
    long waits = thread_waits();
    int64_t begin = now_ns();
    int64_t before = begin;

    while ((double)(before - begin) < seconds * 1e9) {
        char *block = malloc(BLOCK);

        if (!block)
            kin_bench_die("no memory");
        *(volatile char *)block = 1;
        free(block);
        int64_t after = now_ns();

        note(times, after - before);
        before = after;
    }
    times->waits = thread_waits() - waits;
}

static double percentile(const uint64_t *counts, double of)
{
    uint64_t n = 0;
    uint64_t seen = 0;

    for (size_t i = 0; i < BUCKETS; i++)
        n += counts[i];
    for (size_t i = 0; i < BUCKETS; i++) {
        seen += counts[i];
        if ((double)seen >= (double)n * of)
            return (double)value_of(i);
    }
    return 0;
}

static void reader_start(struct reader *r, struct source *source, kin_store *store, size_t keep)
{
    memset(r, 0, sizeof(*r));
    r->store = store;
    r->n_keys = keep;
    r->keys = kin_bench_alloc(keep, sizeof(*r->keys));
    for (size_t i = 0; i < keep; i++) {
        const kin_object *pod = make_pod(source, i);

        r->keys[i] = strdup(kin_object_key(pod));
        kin_object_unref(pod);
    }
    if (pthread_create(&r->thread, NULL, read_on, r) != 0)
        kin_bench_die("no thread");
}

static void report_times(struct kin_bench_report *report, const struct times *times,
                         const char *name)
{
    static const struct {
        const char *name;
        double of;
    } ranks[] = {{"p50", 0.5}, {"p99", 0.99}, {"p9999", 0.9999}};
    char measure[64];

    for (size_t i = 0; i < KIN_BENCH_LEN(ranks); i++) {
        (void)snprintf(measure, sizeof(measure), "%s.%s", name, ranks[i].name);
        kin_bench_report_measure(report, measure, percentile(times->counts, ranks[i].of), "ns");
    }
    (void)snprintf(measure, sizeof(measure), "%s.max", name);
    kin_bench_report_measure(report, measure, (double)times->max / 1000, "us");
    (void)snprintf(measure, sizeof(measure), "%s.waits", name);
    kin_bench_report_measure(report, measure, (double)times->waits, "count");
}

/* --- the run --- */

static kin_store *make_live(struct source *source, size_t n)
{
    kin_store *store = NULL;

    if (kin_store_new(&store, NULL, NULL) < 0)
        kin_bench_die("no store");
    for (size_t i = 0; i < n; i++) {
        const kin_object *pod = make_pod(source, i);

        if (kin_store_add(store, pod, NULL) < 0)
            kin_bench_die("cannot add");
        kin_object_unref(pod);
    }
    return store;
}

static void shrink(struct source *source, const struct run *run)
{
    kin_error err = KIN_ERROR_INIT;

    source->version = (unsigned)run->pods + 1;
    if (run->by_relist) {
        source->n = run->keep;
        source->is_watched = false;
        finish(&source->watch, NULL, KIN_EEXPIRED);
        await_watch(source, true);
        return;
    }
    for (size_t i = run->keep; i < run->pods; i++) {
        const kin_object *pod = make_pod(source, i);

        if (source->watch.event(KIN_WATCH_DELETED, pod, source->watch.arg, &err) < 0)
            kin_bench_die("a deletion was refused: %s", err.message);
        kin_object_unref(pod);
    }
}

static void await_len(kin_store *store, size_t n)
{
    while (kin_store_len(store) != n)
        kin_bench_sleep(0.001);
}

static kin_informer *make_informer(struct source *source)
{
    const kin_index by_namespace = KIN_INDEX_INIT(KIN_NAMESPACE_INDEX, kin_namespace_index);
    const kin_index by_node = kin_bench_node_index("node");
    kin_error err = KIN_ERROR_INIT;
    kin_informer *informer = NULL;

    if (kin_informer_new_from(&informer, &source->base, NULL, &err) < 0 ||
        kin_informer_add_index(informer, &by_namespace, &err) < 0 ||
        kin_informer_add_index(informer, &by_node, &err) < 0 ||
        kin_informer_start(informer, &err) < 0 || kin_informer_wait_synced(informer, -1, &err) < 0)
        kin_bench_die("%s", err.message);
    await_watch(source, true);
    return informer;
}

static void measure(const struct run *run)
{
    static struct source source;
    static struct source other; /* of the Pods outside of the informer */
    static struct reader reader;
    static struct times host[2];
    struct kin_bench_memory memory[4];
    struct kin_bench_report report;

    source_init(&source, run->pods);
    source_init(&other, run->live > run->pods ? run->live : run->pods);
    kin_store *live = make_live(&other, run->live);

    memory[0] = kin_bench_memory_now();
    kin_informer *informer = make_informer(&source);
    kin_store *store = kin_informer_store(informer);

    memory[1] = kin_bench_memory_now();
    reader_start(&reader, &source, store, run->keep);
    allocate(&host[0], 1);
    atomic_store(&reader.phase, 1);
    shrink(&source, run);
    await_len(store, run->keep);
    memory[2] = kin_bench_memory_now();
    atomic_store(&reader.phase, 2);
    allocate(&host[1], WAIT);
    memory[3] = kin_bench_memory_now();
    atomic_store(&reader.stop, true);
    (void)pthread_join(reader.thread, NULL);

    kin_bench_report_init(&report);
    kin_bench_report_measure(&report, "rss.before", (double)memory[0].rss, "B");
    kin_bench_report_measure(&report, "rss.full", (double)memory[1].rss, "B");
    kin_bench_report_measure(&report, "rss.shrunk", (double)memory[2].rss, "B");
    kin_bench_report_measure(&report, "rss.after", (double)memory[3].rss, "B");
    kin_bench_report_measure(&report, "rss.peak", (double)memory[3].peak_rss, "B");
    kin_bench_report_measure(&report, "heap.after", (double)kin_bench_heap_in_use(), "B");
    report_times(&report, &reader.times[0], "read.full");
    report_times(&report, &reader.times[1], "read.shrinking");
    report_times(&report, &reader.times[2], "read.after");
    report_times(&report, &host[0], "malloc.full");
    report_times(&report, &host[1], "malloc.after");
    kin_bench_write(&report);
    kin_store_unref(live);
}

int main(int argc, char **argv)
{
    struct run run = {.pods = 50000, .keep = 100};
    const struct kin_bench_option options[] = {
        {.name = "pods", .number = &run.pods, .max = PODS_MAX},
        {.name = "keep", .number = &run.keep, .max = PODS_MAX},
        {.name = "live", .number = &run.live, .max = PODS_MAX},
        {.name = "trim", .flag = &run.trim, .no = "no", .yes = "yes"},
    };
    const char *mode = kin_bench_parse(options, KIN_BENCH_LEN(options), argc, argv);

    if (!mode || (strcmp(mode, "relist") != 0 && strcmp(mode, "delete") != 0) ||
        run.keep >= run.pods) {
        (void)fputs(help, stderr);
        return KIN_BENCH_USAGE;
    }
    run.by_relist = strcmp(mode, "relist") == 0;
    kin_set_memory_trim(run.trim);
    measure(&run);
    /* The informer runs on; the figures are complete. */
    _Exit(0);
}
