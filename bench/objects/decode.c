/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding alone, as the `decode` of bench/peers/client-go does it: a whole list, of which all objects
 * are held until the last one is there, or item by item, as a watch brings them. Each thread has a
 * decoder of its own and a first pass to itself, then all start together.
 *
 * The first pass is the warm-up, and the only one in which the decoder remembers nothing. Later
 * passes read the same texts again, as a watch or another list does. So its speed is a measure of its own.
 *
 * A list is counted in whole passes, a watch in objects, so that threads stop at the same time.
 * Decoding and freeing are both measured: the other side's collector runs in its measured time, too.
 */
#include "objects.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

struct job {
    struct kin_bench_items items;
    bool per_object;
    pthread_barrier_t start;
    atomic_bool stop;
};

struct worker {
    struct job *job;
    pthread_t thread;
    kin_decoder *decoder;        /* of objects */
    struct kin_bench_list *list; /* of lists */
    size_t first;            /* the item it begins with: threads are not to meet at the same one */
    const kin_object **kept; /* of a list */
    uint64_t objects;
    uint64_t bytes;
    double first_pass; /* bytes per second of CPU time */
};

static void pass_list(struct worker *w)
{
    const struct kin_bench_items *items = &w->job->items;

    kin_bench_list_read(w->list, items, w->kept);
    kin_bench_unref_all(w->kept, items->n);
    w->objects += items->n;
    w->bytes += items->file_size;
}

/* It counts on its own, and adds at the end: what other threads have lies beside the sums. */
static void pass_objects(struct worker *w)
{
    const struct kin_bench_items *items = &w->job->items;
    size_t at = w->first;
    size_t done = 0;
    uint64_t bytes = 0;

    while (done < items->n && !atomic_load_explicit(&w->job->stop, memory_order_relaxed)) {
        kin_object_unref(kin_bench_decode_one(w->decoder, items->texts[at]));
        bytes += items->texts[at].len;
        at = at + 1 < items->n ? at + 1 : 0;
        done++;
    }
    w->objects += done;
    w->bytes += bytes;
}

static int64_t thread_cpu(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    void (*pass)(struct worker *) = w->job->per_object ? pass_objects : pass_list;

    int64_t before = thread_cpu();

    pass(w);
    w->first_pass = (double)w->bytes * 1e9 / (double)(thread_cpu() - before);
    w->objects = 0;
    w->bytes = 0;
    (void)pthread_barrier_wait(&w->job->start);
    while (!atomic_load_explicit(&w->job->stop, memory_order_relaxed))
        pass(w);
    return NULL;
}

static void start_workers(struct worker *workers, struct job *job,
                          const struct kin_bench_arguments *args)
{
    for (unsigned t = 0; t < args->threads; t++) {
        struct worker *w = &workers[t];

        w->job = job;
        w->first = job->items.n / args->threads * t;
        if (args->per_object)
            w->decoder = kin_bench_decoder_for(&job->items, args->projection);
        else
            w->list = kin_bench_list_new(args, job->items.encoding);
        w->kept = kin_bench_alloc(job->items.n, sizeof(const kin_object *));
        if (pthread_create(&w->thread, NULL, work, w) != 0)
            kin_bench_die("cannot start a thread");
    }
}

void kin_bench_decode(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    struct worker workers[KIN_BENCH_MAX_THREADS] = {{.job = NULL}};
    struct job job = {.per_object = args->per_object};
    struct kin_bench_section section;
    struct kin_bench_usage used = {0};
    uint64_t objects = 0;
    uint64_t bytes = 0;

    kin_bench_items_load(&job.items, args->file);
    if (args->per_object)
        kin_bench_items_type(&job.items, NULL);
    if (pthread_barrier_init(&job.start, NULL, args->threads + 1) != 0)
        kin_bench_die("cannot make a barrier");
    start_workers(workers, &job, args);
    (void)pthread_barrier_wait(&job.start);
    kin_bench_section_start(&section);
    kin_bench_sleep(args->seconds);
    atomic_store_explicit(&job.stop, true, memory_order_relaxed);
    for (unsigned t = 0; t < args->threads; t++)
        (void)pthread_join(workers[t].thread, NULL);
    kin_bench_section_stop(&section, &used);

    for (unsigned t = 0; t < args->threads; t++) {
        objects += workers[t].objects;
        bytes += workers[t].bytes;
        kin_decoder_free(workers[t].decoder);
        kin_bench_list_free(workers[t].list);
        free((void *)workers[t].kept);
    }
    (void)pthread_barrier_destroy(&job.start);
    kin_bench_items_done(&job.items);
    kin_bench_report_note(report, "%s, %llu objects decoded by %u thread(s)",
                          kin_encoding_name(job.items.encoding), (unsigned long long)objects,
                          args->threads);
    if (!args->per_object)
        kin_bench_report_note(report, "%s", kin_bench_list_note());
    kin_bench_report_rates(report, &used, objects, bytes);
    kin_bench_report_measure(report, "first_pass.bytes_per_core", workers[0].first_pass, "B/s");
}
