/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing, with nobody else there. Old objects live on in the set, so that none is freed in
 * measured time: the other side's collector runs between passes, too.
 */
#include "cache.h"

#include <stdlib.h>

struct write_bench {
    struct kin_bench_store store; /* first: passes get a pointer to either */
    kin_write *writes;            /* of a transaction */
};

static void next_objects(void *arg)
{
    struct kin_bench_store *b = arg;

    b->objects = kin_bench_set_next_updates(&b->set);
}

static void run(struct kin_bench_store *b, void (*set_up)(void *arg), uint64_t (*pass)(void *arg),
                struct kin_bench_report *report)
{
    struct kin_bench_usage used = {0};
    uint64_t ops = kin_bench_timed_passes(b->args->min_time, set_up, pass, b, &used);

    kin_bench_report_ops(report, ops, &used);
    kin_bench_report_note(report, "%zu objects", b->set.n);
}

/* --- add --- */

static void next_objects_empty_store(void *arg)
{
    struct kin_bench_store *b = arg;

    next_objects(arg);
    kin_store_unref(b->store);
    b->store = kin_bench_store_new(2);
}

static uint64_t pass_add(void *arg)
{
    struct kin_bench_store *b = arg;

    kin_bench_store_fill(b->store, b->objects, b->set.n);
    return b->set.n;
}

void kin_bench_store_add(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    struct kin_bench_store b;

    kin_bench_store_begin(&b, args);
    run(&b, next_objects_empty_store, pass_add, report);
    kin_bench_store_check(b.store, b.objects, b.set.n);
    kin_bench_store_end(&b);
}

/* --- update: each object by another one with the same index values --- */

static uint64_t pass_update(void *arg)
{
    struct kin_bench_store *b = arg;
    kin_error err = KIN_ERROR_INIT;

    for (size_t i = 0; i < b->set.n; i++) {
        if (kin_store_update(b->store, b->objects[i], &err) < 0)
            kin_bench_die("cannot update: %s", err.message);
    }
    return b->set.n;
}

/* Filling in the writes is part of it: nobody has them ready. */
static uint64_t pass_update_batches(void *arg)
{
    struct write_bench *w = arg;
    struct kin_bench_store *b = &w->store;
    kin_error err = KIN_ERROR_INIT;

    for (size_t at = 0; at < b->set.n;) {
        size_t n = 0;

        for (; n < b->args->batch && at < b->set.n; n++, at++)
            w->writes[n] = (kin_write){KIN_WRITE_PUT, b->objects[at], 0};
        if (kin_store_write(b->store, w->writes, n, &err) < 0)
            kin_bench_die("cannot write: %s", err.message);
    }
    return b->set.n;
}

void kin_bench_store_update(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    struct write_bench w = {.writes = NULL};
    struct kin_bench_store *b = &w.store;

    kin_bench_store_begin(b, args);
    if (args->batch > 0) {
        w.writes = kin_bench_alloc(args->batch, sizeof(*w.writes));
        run(b, next_objects, pass_update_batches, report);
    } else {
        run(b, next_objects, pass_update, report);
    }
    kin_bench_store_check(b->store, b->objects, b->set.n);
    kin_bench_store_end(b);
    free(w.writes);
}

/* --- delete all, one by one --- */

static void next_objects_full_store(void *arg)
{
    struct kin_bench_store *b = arg;

    next_objects_empty_store(arg);
    kin_bench_store_fill(b->store, b->set.older, b->set.n);
}

static uint64_t pass_delete(void *arg)
{
    struct kin_bench_store *b = arg;
    kin_error err = KIN_ERROR_INIT;

    for (size_t i = 0; i < b->set.n; i++) {
        if (kin_store_delete(b->store, b->objects[i], &err) < 0)
            kin_bench_die("cannot delete: %s", err.message);
    }
    return b->set.n;
}

void kin_bench_store_delete(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    struct kin_bench_store b;

    kin_bench_store_begin(&b, args);
    run(&b, next_objects_full_store, pass_delete, report);
    kin_bench_store_check(b.store, NULL, 0);
    kin_bench_store_end(&b);
}

/* --- replace all at once, by the same keys --- */

static uint64_t pass_replace(void *arg)
{
    struct kin_bench_store *b = arg;
    kin_error err = KIN_ERROR_INIT;

    if (kin_store_replace(b->store, b->objects, b->set.n, kin_str_of("2"), &err) < 0)
        kin_bench_die("cannot replace: %s", err.message);
    return b->set.n;
}

void kin_bench_store_replace(const struct kin_bench_arguments *args,
                             struct kin_bench_report *report)
{
    struct kin_bench_store b;
    struct kin_bench_usage used = {0};

    kin_bench_store_begin(&b, args);
    uint64_t ops = kin_bench_timed_passes(args->min_time, next_objects, pass_replace, &b, &used);
    kin_bench_report_ops(report, ops, &used);
    kin_bench_report_measure(report, "per_call",
                             (double)used.wall / 1e6 * (double)b.set.n / (double)ops, "ms");
    kin_bench_store_check(b.store, b.objects, b.set.n);
    kin_bench_store_end(&b);
}
