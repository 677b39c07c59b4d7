/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading, by any number of threads, alone or beside a writer.
 *
 * What a reader gets is given back in measured time. Each checks that it got all there is: beside a
 * writer, too, since that only updates. All do something at least, however late they come to run.
 */
#include "cache.h"

#include <kinform/view.h>

/* --- readers --- */

/* Readers start in different places, so that they do not share cache lines by walking in step. */
static size_t first_key(const struct kin_bench_worker *worker)
{
    const struct kin_bench_store *b = worker->arg;

    return worker->number * b->set.n / b->args->readers;
}

static void read_get(struct kin_bench_worker *worker, const atomic_bool *stop)
{
    const struct kin_bench_store *b = worker->arg;
    const kin_object *object;
    size_t at = first_key(worker);
    uint64_t ops = 0;
    uint64_t found = 0;

    do {
        for (unsigned i = 0; i < KIN_BENCH_CHECK_EVERY; i++) {
            if (kin_store_get(b->store, &object, b->set.keys[at], NULL) == 0) {
                kin_object_unref(object);
                found++;
            }
            if (++at == b->set.n)
                at = 0;
        }
        ops += KIN_BENCH_CHECK_EVERY;
    } while (!kin_bench_stopped(stop));
    worker->ops = ops;
    worker->objects = found;
}

/* One view for so many gets, as a handler would have that looks at some objects. */
static void read_view_get(struct kin_bench_worker *worker, const atomic_bool *stop)
{
    const struct kin_bench_store *b = worker->arg;
    const kin_object *object;
    kin_view *view;
    size_t at = first_key(worker);
    uint64_t ops = 0;
    uint64_t found = 0;

    do {
        if (kin_view_new(&view, b->store, NULL) < 0)
            kin_bench_die("no view");
        for (unsigned i = 0; i < KIN_BENCH_CHECK_EVERY; i++) {
            found += kin_view_get(view, &object, b->set.keys[at], NULL) == 0;
            if (++at == b->set.n)
                at = 0;
        }
        kin_view_free(view);
        ops += KIN_BENCH_CHECK_EVERY;
    } while (!kin_bench_stopped(stop));
    worker->ops = ops;
    worker->objects = found;
}

static void read_list(struct kin_bench_worker *worker, const atomic_bool *stop)
{
    const struct kin_bench_store *b = worker->arg;
    uint64_t ops = 0;
    uint64_t found = 0;

    do {
        kin_object_list list;

        if (kin_store_list(b->store, &list, NULL) < 0)
            kin_bench_die("cannot list");
        found += list.len;
        kin_object_list_done(&list);
        ops++;
    } while (!kin_bench_stopped(stop));
    worker->ops = ops;
    worker->objects = found;
}

/* As list, without a reference to each. */
static void read_view_list(struct kin_bench_worker *worker, const atomic_bool *stop)
{
    const struct kin_bench_store *b = worker->arg;
    uint64_t ops = 0;
    uint64_t found = 0;

    do {
        const kin_object *object;
        kin_view *view;

        if (kin_view_new(&view, b->store, NULL) < 0)
            kin_bench_die("no view");
        while (kin_view_next(view, NULL, &object))
            found++;
        kin_view_free(view);
        ops++;
    } while (!kin_bench_stopped(stop));
    worker->ops = ops;
    worker->objects = found;
}

static void read_by_index(struct kin_bench_worker *worker, const atomic_bool *stop)
{
    const struct kin_bench_store *b = worker->arg;
    kin_str index = kin_str_of(b->args->index);
    kin_string_list values;
    uint64_t state = KIN_BENCH_ORDER_SEED + worker->number;
    uint64_t ops = 0;
    uint64_t found = 0;

    if (kin_store_index_values(b->store, &values, index, NULL) < 0 || values.len == 0)
        kin_bench_die("the index has no values");
    do {
        kin_str value = values.items[kin_bench_draw(&state) % values.len];
        kin_object_list list;

        if (kin_store_by_index(b->store, &list, index, value, NULL) < 0 || list.len == 0)
            kin_bench_die("an index value has no objects");
        found += list.len;
        kin_object_list_done(&list);
        ops++;
    } while (!kin_bench_stopped(stop));
    kin_string_list_done(&values);
    worker->ops = ops;
    worker->objects = found;
}

typedef void read_fn(struct kin_bench_worker *worker, const atomic_bool *stop);

/* What each call must find. */
enum finds { FINDS_SOME, FINDS_ONE, FINDS_ALL };

/* --- readers alone --- */

static void make_readers(struct kin_bench_worker *workers, struct kin_bench_store *b, read_fn *read)
{
    for (unsigned i = 0; i < b->args->readers; i++)
        workers[i] = (struct kin_bench_worker){.work = read, .arg = b, .number = i};
}

static uint64_t sum_ops(const struct kin_bench_worker *workers, size_t n)
{
    uint64_t ops = 0;

    for (size_t i = 0; i < n; i++)
        ops += workers[i].ops;
    return ops;
}

/* Returns how many objects were found. */
static uint64_t check_found(const struct kin_bench_worker *workers, size_t n, enum finds finds,
                            size_t all)
{
    uint64_t each = finds == FINDS_ALL ? all : 1;
    uint64_t objects = 0;

    for (size_t i = 0; i < n; i++) {
        if (finds != FINDS_SOME && workers[i].objects != workers[i].ops * each)
            kin_bench_die("a reader found %llu objects in %llu calls",
                          (unsigned long long)workers[i].objects,
                          (unsigned long long)workers[i].ops);
        objects += workers[i].objects;
    }
    return objects;
}

static void read_alone(const struct kin_bench_arguments *args, struct kin_bench_report *report,
                       read_fn *read, enum finds finds)
{
    struct kin_bench_worker workers[KIN_BENCH_MAX_READERS];
    struct kin_bench_usage used = {0};
    struct kin_bench_store b;

    kin_bench_store_begin(&b, args);
    make_readers(workers, &b, read);
    kin_bench_timed_workers(args->min_time, workers, args->readers, &used);
    uint64_t objects = check_found(workers, args->readers, finds, b.set.n);

    kin_bench_report_ops(report, sum_ops(workers, args->readers), &used);
    kin_bench_report_rate(report, "objects", objects, &used);
    kin_bench_report_note(report, "%zu objects, %u reader(s)", b.set.n, args->readers);
    kin_bench_store_end(&b);
}

void kin_bench_store_get(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    read_alone(args, report, read_get, FINDS_ONE);
}

void kin_bench_store_view_get(const struct kin_bench_arguments *args,
                              struct kin_bench_report *report)
{
    read_alone(args, report, read_view_get, FINDS_ONE);
    kin_bench_report_note(report, "a new view for each %d gets", KIN_BENCH_CHECK_EVERY);
}

void kin_bench_store_list(const struct kin_bench_arguments *args, struct kin_bench_report *report)
{
    read_alone(args, report, read_list, FINDS_ALL);
}

void kin_bench_store_view_list(const struct kin_bench_arguments *args,
                               struct kin_bench_report *report)
{
    read_alone(args, report, read_view_list, FINDS_ALL);
}

void kin_bench_store_by_index(const struct kin_bench_arguments *args,
                              struct kin_bench_report *report)
{
    read_alone(args, report, read_by_index, FINDS_SOME);
}

/* --- a writer beside readers --- */

/* One look at the flag per update, as on the other side, where each can take milliseconds. */
static void write_updates(struct kin_bench_worker *worker, const atomic_bool *stop)
{
    struct kin_bench_store *b = worker->arg;
    const kin_object **objects = kin_bench_set_next_updates(&b->set);
    kin_error err = KIN_ERROR_INIT;
    size_t at = 0;
    uint64_t ops = 0;

    do {
        if (kin_store_update(b->store, objects[at], &err) < 0)
            kin_bench_die("cannot update: %s", err.message);
        if (++at == b->set.n) {
            objects = kin_bench_set_next_updates(&b->set);
            at = 0;
        }
        ops++;
    } while (!kin_bench_stopped(stop));
    worker->ops = ops;
}

/*
 * The writer alone and then beside readers, in one process and one store, since machines differ
 * more than the two do.
 */
static void writer_while(const struct kin_bench_arguments *args, struct kin_bench_report *report,
                         read_fn *read, enum finds finds)
{
    struct kin_bench_worker workers[KIN_BENCH_MAX_READERS + 1];
    struct kin_bench_usage alone = {0};
    struct kin_bench_usage used = {0};
    struct kin_bench_store b;

    kin_bench_store_begin(&b, args);
    workers[0] = (struct kin_bench_worker){.work = write_updates, .arg = &b};
    make_readers(workers + 1, &b, read);
    kin_bench_timed_workers(args->min_time, workers, 1, &alone);
    double undisturbed = (double)workers[0].ops * 1e9 / (double)alone.wall;

    kin_bench_timed_workers(args->min_time, workers, args->readers + 1, &used);
    double disturbed = (double)workers[0].ops * 1e9 / (double)used.wall;

    (void)check_found(workers + 1, args->readers, finds, b.set.n);
    kin_bench_report_ops(report, workers[0].ops, &used);
    kin_bench_report_measure(report, "undisturbed_ops", undisturbed, "1/s");
    kin_bench_report_measure(report, "ratio_of_undisturbed", disturbed / undisturbed, "count");
    kin_bench_report_rate(report, "reader_ops", sum_ops(workers + 1, args->readers), &used);
    kin_bench_report_note(report, "%zu objects, %u reader(s)", b.set.n, args->readers);
    kin_bench_store_end(&b);
}

void kin_bench_writer_while_get(const struct kin_bench_arguments *args,
                                struct kin_bench_report *report)
{
    writer_while(args, report, read_get, FINDS_ONE);
}

void kin_bench_writer_while_list(const struct kin_bench_arguments *args,
                                 struct kin_bench_report *report)
{
    writer_while(args, report, read_list, FINDS_ALL);
}
