/* SPDX-License-Identifier: Apache-2.0 */
#include "queues.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "kinform/controller.h"
#include "kinform/delta_fifo.h"
#include "kinform/reconciler.h"
#include "kinform/work_queue.h"

#define MILLISECOND INT64_C(1000000)
#define SECOND INT64_C(1000000000)
enum { N_WORKERS = SIM_WORKERS };

static struct {
    sim_world *world;
    kin_informer *informer;
    kin_delta_fifo *fifo;
    kin_controller *controller; /* takes from it; NULL: the consumer does */
    kin_store *known;           /* what the DeltaFIFO's consumer has processed well */
    kin_work_queue *work;
    kin_reconciler *reconciler;
    pthread_t consumer;
    pthread_t workers[N_WORKERS];
    pthread_t starter;
    kin_test_rng rng;
    uint64_t version; /* of objects in the DeltaFIFO */
    bool is_calm;
    bool quits;
} all;

static void record(sim_what what, sim_queue queue, unsigned key, uint64_t version, unsigned flags)
{
    sim_record_add(all.world, what, queue, key, version, 0, flags);
}

/* `after_ns`: when it is due; INT64_MAX: later. */
static void record_add(sim_what what, unsigned key, int64_t after_ns)
{
    sim_record_add(all.world, what, SIM_WORK_QUEUE, key, 0, (uint64_t)after_ns, 0);
}

/* Work takes no time, some, or long, and may fail. */
static bool work(void)
{
    uint64_t chance = kin_test_below(&all.rng, 16);

    if (all.is_calm) {
        sim_yield();
        return true;
    }
    if (chance < 8)
        sim_yield();
    else
        sim_sleep((int64_t)kin_test_below(&all.rng, chance == 15 ? 100000 : 50) * MILLISECOND);
    return kin_test_below(&all.rng, 4) != 0;
}

static unsigned key_of(kin_str key)
{
    return key.len == 1 ? (unsigned)(key.data[0] - '0') : SIM_NONE;
}

/* --- the DeltaFIFO --- */

static uint64_t version_of(const kin_delta *delta)
{
    const kin_object *object = delta->object;

    kin_object_is_tombstone(object, &object);
    return sim_version_of(object);
}

static uint64_t newest_of(const kin_deltas *deltas)
{
    uint64_t newest = 0;

    for (size_t i = 0; i < deltas->len; i++) {
        if (version_of(&deltas->items[i]) > newest)
            newest = version_of(&deltas->items[i]);
    }
    return newest;
}

static bool have_deletion(const kin_deltas *deltas)
{
    for (size_t i = 0; i < deltas->len; i++) {
        if (deltas->items[i].type == KIN_DELTA_DELETED)
            return true;
    }
    return false;
}

static int consume(const kin_deltas *deltas, bool is_initial, void *arg, kin_error *err)
{
    const kin_delta *last = &deltas->items[deltas->len - 1];
    bool deletes = last->type == KIN_DELTA_DELETED;
    unsigned flags =
        (deletes ? SIM_LAST_DELETES : 0u) | (have_deletion(deltas) ? SIM_SOME_DELETE : 0u);
    unsigned key = sim_key_of(last->object);

    (void)is_initial;
    (void)arg;
    sim_record_add(all.world, SIM_TAKEN, SIM_DELTA_FIFO, key, version_of(last), newest_of(deltas),
                   flags);
    bool is_well = work();
    if (is_well)
        is_well = (deletes ? kin_store_delete(all.known, last->object, NULL)
                           : kin_store_add(all.known, last->object, NULL)) == 0;
    record(SIM_DONE, SIM_DELTA_FIFO, key, 0, is_well);
    return is_well ? 0 : kin_error_set(err, KIN_EREFUSED, "simulated");
}

static void *run_consumer(void *arg)
{
    (void)arg;
    sim_set_thread_name("consumer");
    while (!all.quits)
        kin_delta_fifo_pop(all.fifo, consume, NULL, 1000, NULL);
    return NULL;
}

/* Its source is silent: only the program wakes it. */
static void start_controller(void)
{
    kin_controller_options options = KIN_CONTROLLER_OPTIONS_INIT;
    kin_queue queue = KIN_QUEUE_INIT;

    options.process = consume;
    if (kin_delta_fifo_queue(&queue, all.fifo) < 0 ||
        kin_controller_new(&all.controller, sim_source_silent(), &queue, &options, NULL) < 0 ||
        kin_controller_start(all.controller, NULL) < 0)
        abort();
}

static void start_fifo(void)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_store_options store = KIN_STORE_OPTIONS_INIT;

    options.key = all.world->plan.config.own_key ? sim_object_id : NULL;
    store.key = options.key;
    if (kin_store_new(&all.known, &store, NULL) < 0)
        abort();
    kin_known_objects known = kin_store_known_objects(all.known);
    options.known = &known;
    if (kin_delta_fifo_new(&all.fifo, &options, NULL) < 0)
        abort();
    if (all.world->plan.config.controller)
        start_controller();
    else
        pthread_create(&all.consumer, NULL, run_consumer, NULL);
}

static void put(unsigned key, bool is_deletion)
{
    const kin_object *object = sim_object(key, ++all.version);

    record(SIM_PUT, SIM_DELTA_FIFO, key, all.version, is_deletion);
    int code = is_deletion ? kin_delta_fifo_delete(all.fifo, object, NULL)
                           : kin_delta_fifo_update(all.fifo, object, NULL);
    record(code == 0 ? SIM_PUT_ENDS : SIM_PUT_FAILS, SIM_DELTA_FIFO, key, all.version, is_deletion);
    kin_object_unref(object);
}

/* --- the work queue --- */

static void *run_worker(void *arg)
{
    kin_work_item *item;

    (void)arg;
    sim_set_thread_name("worker");
    while (kin_work_queue_get(all.work, &item, -1, NULL) == 0) {
        unsigned key = key_of(kin_work_item_key(item));

        record(SIM_TAKEN, SIM_WORK_QUEUE, key, 0, 0);
        bool is_well = work();
        /* Not to be lost, although this worker still has it. */
        if (!is_well) {
            record_add(SIM_PUT, key, INT64_MAX);
            int code = kin_work_queue_add_rate_limited(all.work, kin_work_item_key(item), NULL);
            record_add(code == 0 ? SIM_PUT_ENDS : SIM_PUT_FAILS, key, INT64_MAX);
        }
        record(SIM_DONE, SIM_WORK_QUEUE, key, 0, is_well);
        kin_work_queue_done(all.work, item);
    }
    return NULL;
}

static void start_work(void)
{
    if (kin_work_queue_new(&all.work, NULL, NULL) < 0)
        abort();
    for (unsigned i = 0; i < N_WORKERS; i++)
        pthread_create(&all.workers[i], NULL, run_worker, NULL);
}

static void add(unsigned key, int64_t after_ns)
{
    char text[2] = {(char)('0' + key), '\0'};

    record_add(SIM_PUT, key, after_ns);
    int code = after_ns > 0 ? kin_work_queue_add_after(all.work, kin_str_of(text), after_ns, NULL)
                            : kin_work_queue_add(all.work, kin_str_of(text), NULL);
    record_add(code == 0 ? SIM_PUT_ENDS : SIM_PUT_FAILS, key, after_ns);
}

/* --- the reconciler --- */

static int reconcile(kin_reconcile *call, void *arg, kin_error *err)
{
    kin_namespaced_name name = kin_reconcile_name(call);
    const kin_object *object = NULL;
    unsigned key = key_of(name.name);

    (void)arg;
    kin_store_get(kin_informer_store(all.informer), &object, kin_reconcile_key(call), NULL);
    record(SIM_TAKEN, SIM_RECONCILER, key, object ? sim_version_of(object) : 0, 0);
    kin_object_unref(object);
    bool is_well = work();
    record(SIM_DONE, SIM_RECONCILER, key, 0, is_well);
    return is_well ? 0 : kin_error_set(err, KIN_ECONFLICT, "simulated");
}

/* The caches may not be filled in time. */
static void *run_starter(void *arg)
{
    (void)arg;
    sim_set_thread_name("starter");
    while (!all.quits && kin_reconciler_start(all.reconciler, NULL) < 0)
        sim_sleep(SECOND);
    return NULL;
}

static void start_reconciler(void)
{
    kin_reconciler_options options = KIN_RECONCILER_OPTIONS_INIT;

    options.n_workers = N_WORKERS;
    options.deadline_ms = -1;
    if (kin_reconciler_new(&all.reconciler, reconcile, NULL, &options, NULL) < 0 ||
        kin_reconciler_watch(all.reconciler, all.informer, NULL, NULL, NULL, NULL) < 0)
        abort();
    pthread_create(&all.starter, NULL, run_starter, NULL);
}

/* --- all of them --- */

static bool plans(const sim_plan *plan, sim_do one, sim_do other)
{
    for (unsigned i = 0; i < plan->n; i++) {
        if (plan->actions[i].what == one || plan->actions[i].what == other)
            return true;
    }
    return false;
}

void sim_queues_start(sim_world *world, kin_informer *informer)
{
    all.world = world;
    all.informer = informer;
    all.rng.state = world->plan.seed ^ UINT64_C(0x9e3779b9);
    if (plans(&world->plan, SIM_DO_QUEUE_PUT, SIM_DO_QUEUE_DELETE))
        start_fifo();
    if (plans(&world->plan, SIM_DO_WORK, SIM_DO_WORK_LATER))
        start_work();
    if (world->plan.config.reconciler)
        start_reconciler();
}

void sim_queues_act(const sim_action *action)
{
    switch (action->what) {
    case SIM_DO_QUEUE_PUT:
        for (unsigned i = 0; i < 1 + action->detail % 4; i++)
            put(action->subject, false);
        break;
    case SIM_DO_QUEUE_DELETE:
        put(action->subject, true);
        break;
    case SIM_DO_QUEUE_RESYNC:
        for (unsigned i = 0; all.fifo && i < 4; i++)
            kin_delta_fifo_resync(all.fifo, NULL);
        break;
    case SIM_DO_WORK:
        add(action->subject, 0);
        break;
    default:
        add(action->subject, 1 + (int64_t)(action->detail % 100000) * MILLISECOND);
    }
}

void sim_queues_calm(void)
{
    all.is_calm = true;
}

void sim_queues_stop(void)
{
    all.quits = true;
    if (all.fifo) {
        if (all.controller)
            kin_controller_free(all.controller);
        else
            pthread_join(all.consumer, NULL);
        kin_delta_fifo_free(all.fifo);
        kin_store_unref(all.known);
    }
    if (all.work) {
        kin_work_queue_shut_down(all.work);
        for (unsigned i = 0; i < N_WORKERS; i++)
            pthread_join(all.workers[i], NULL);
        kin_work_queue_free(all.work);
    }
    if (all.reconciler) {
        kin_reconciler_stop(all.reconciler, KIN_RECONCILER_DROP);
        pthread_join(all.starter, NULL);
        kin_reconciler_free(all.reconciler);
    }
}
