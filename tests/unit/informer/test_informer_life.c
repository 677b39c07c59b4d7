/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The corners of an informer's life: ends that come early or find no memory, handlers and callbacks that
 * use the informer, and that nothing is left over, no descriptor and no thread.
 */
#include "kin_test.h"
#include "kinform/informer.h"

#include <dirent.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "base/thread.h"
#include "child.h"
#include "informer/informer.h"
#include "threads.h"
#include "world.h"

struct fixture {
    kin_clock *clock;
    kin_test_world *world;
    kin_informer *informer;
    kin_test_mirror mirror;
    kin_registration *registration;
};

static void open_with(struct fixture *f, kin_informer_options *options)
{
    memset(f, 0, sizeof(*f));
    assert_code(kin_clock_new_fake(&f->clock, 0, NULL), 0);
    f->world = kin_test_world_new();
    kin_test_mirror_init(&f->mirror);
    options->clock = f->clock;
    options->name = "pods";
    options->seed = 1;
    assert_code(
        kin_informer_new_from(&f->informer, kin_test_world_list_watch(f->world), options, NULL), 0);
}

static void open_plain(struct fixture *f)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    open_with(f, &options);
}

static void add(struct fixture *f, kin_delivery delivery)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;

    options.delivery = delivery;
    assert_code(kin_informer_add_handler(f->informer, &f->registration, kin_test_mirror_handle,
                                         &f->mirror, &options, NULL),
                0);
}

static void end(struct fixture *f)
{
    kin_registration_unref(f->registration);
    kin_informer_free(f->informer);
    kin_test_world_free(f->world);
    kin_test_mirror_done(&f->mirror);
    kin_clock_unref(f->clock);
}

static void await_version(struct fixture *f)
{
    char version[24];

    kin_test_world_version(f->world, version);
    assert_code(kin_informer_wait_version(f->informer, version, -1, NULL), 0);
}

/* --- ends --- */

struct gate {
    kin_test_latch inside;
    kin_test_latch open;
};

static int pass_gate(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    struct gate *gate = arg;

    kin_test_latch_raise(&gate->inside);
    kin_test_latch_wait(&gate->open, 1);
    return kin_index_values_add(values, kin_object_name(object), err);
}

/* What was received cannot be applied, and nobody moves the clock: it is freed all the same. */
static void it_is_freed_without_memory(void **state)
{
    struct gate gate;
    kin_index index = KIN_INDEX_INIT("gate", pass_gate);
    struct fixture f;

    (void)state;
    kin_test_latch_init(&gate.inside);
    kin_test_latch_init(&gate.open);
    index.arg = &gate;
    open_plain(&f);
    assert_code(kin_informer_add_index(f.informer, &index, NULL), 0);
    assert_code(kin_informer_start(f.informer, NULL), 0);
    kin_test_world_put(f.world, 1);
    kin_test_latch_wait(&gate.inside, 1);
    kin_test_world_put(f.world, 2);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    kin_test_latch_raise(&gate.open);
    kin_informer_free(f.informer);
    assert_true(kin_test_alloc_disarm());
    f.informer = NULL;
    end(&f);
    kin_test_latch_done(&gate.open);
    kin_test_latch_done(&gate.inside);
}

/* Also before anything was begun, and again and again. */
static void it_is_stopped_at_any_moment(void **state)
{
    struct fixture f;

    (void)state;
    open_plain(&f);
    add(&f, KIN_DELIVER_THREAD);
    for (unsigned i = 0; i < 5000; i++) {
        kin_informer_status status = KIN_INFORMER_STATUS_INIT;

        assert_code(kin_informer_start(f.informer, NULL), 0);
        for (unsigned n = i % 50; n > 0; n--)
            kin_informer_get_status(f.informer, &status, NULL);
        kin_informer_stop(f.informer);
        assert_code(kin_informer_wait_stopped(f.informer, -1, NULL), 0);
        kin_test_world_put(f.world, i % 8);
    }
    assert_code(kin_informer_start(f.informer, NULL), 0);
    await_version(&f);
    assert_null(kin_test_world_differs(f.world, kin_informer_store(f.informer)));
    end(&f);
}

/* --- callbacks --- */

struct watcher {
    struct fixture f;
    atomic_uint n_inside;
    atomic_bool is_wrong;
    atomic_int waited; /* with which code */
    kin_test_latch told;
    kin_test_latch stopped;
};

static void on_change(kin_informer *informer, void *arg)
{
    struct watcher *watcher = arg;
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    if (atomic_fetch_add(&watcher->n_inside, 1) != 0)
        atomic_store(&watcher->is_wrong, true);
    kin_informer_get_status(informer, &status, NULL);
    atomic_store(&watcher->waited, kin_informer_wait_stopped(informer, -1, NULL));
    if (status.state == KIN_INFORMER_WATCHING)
        kin_test_latch_raise(&watcher->told);
    if (status.state == KIN_INFORMER_STOPPED)
        kin_test_latch_raise(&watcher->stopped);
    atomic_fetch_sub(&watcher->n_inside, 1);
}

static void changes_are_told_to_the_end(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    struct watcher *watcher = calloc(1, sizeof(*watcher));

    (void)state;
    kin_test_latch_init(&watcher->told);
    kin_test_latch_init(&watcher->stopped);
    options.changed = on_change;
    options.changed_arg = watcher;
    open_with(&watcher->f, &options);
    assert_code(kin_informer_start(watcher->f.informer, NULL), 0);
    kin_test_latch_wait(&watcher->told, 1);
    /* It would have waited for itself. */
    assert_code(atomic_load(&watcher->waited), KIN_EBUSY);
    kin_informer_stop(watcher->f.informer);
    kin_test_latch_wait(&watcher->stopped, 1);
    end(&watcher->f);
    assert_false(atomic_load(&watcher->is_wrong));
    kin_test_latch_done(&watcher->stopped);
    kin_test_latch_done(&watcher->told);
    free(watcher);
}

struct meddler {
    struct fixture f;
    kin_test_mirror other;
    kin_registration *added;
    int codes[3];
    unsigned n_calls;
    kin_test_latch done;
};

/* Adds a handler, then removes that, then itself. */
static void meddle(void *arg)
{
    struct meddler *meddler = arg;
    kin_informer *informer = meddler->f.informer;

    switch (meddler->n_calls++) {
    case 0:
        meddler->codes[0] = kin_informer_add_handler(
            informer, &meddler->added, kin_test_mirror_handle, &meddler->other, NULL, NULL);
        break;
    case 1:
        meddler->codes[1] = kin_informer_remove_handler_wait(informer, meddler->added, NULL);
        break;
    case 2:
        meddler->codes[2] =
            kin_informer_remove_handler_wait(informer, meddler->f.registration, NULL);
        break;
    default:
        break;
    }
    kin_test_latch_raise(&meddler->done);
}

/* Until something was told: it is readable also when a handler is synced, once. */
static void dispatch(struct fixture *f)
{
    struct pollfd fd = {kin_informer_fd(f->informer), POLLIN, 0};
    size_t n = 0;

    while (n == 0) {
        assert_int_equal(poll(&fd, 1, KIN_TEST_TIMEOUT_MS), 1);
        assert_code(kin_informer_dispatch(f->informer, 0, &n, NULL), 0);
    }
}

/* Change the world, and wait until the handler has been told of it. */
static void call_meddler(struct meddler *meddler, kin_delivery delivery, unsigned n)
{
    kin_test_world_put(meddler->f.world, 1);
    if (delivery == KIN_DELIVER_LOOP)
        dispatch(&meddler->f);
    kin_test_latch_wait(&meddler->done, n);
}

static void meddle_by(kin_delivery delivery)
{
    struct meddler *meddler = calloc(1, sizeof(*meddler));
    kin_handler_status status = KIN_HANDLER_STATUS_INIT;

    kin_test_mirror_init(&meddler->other);
    kin_test_latch_init(&meddler->done);
    open_plain(&meddler->f);
    meddler->f.mirror.during = meddle;
    meddler->f.mirror.during_arg = meddler;
    add(&meddler->f, delivery);
    assert_code(kin_informer_start(meddler->f.informer, NULL), 0);
    call_meddler(meddler, delivery, 1);
    assert_code(meddler->codes[0], 0);
    assert_code(kin_registration_wait_synced(meddler->added, -1, NULL), 0);
    assert_null(kin_test_mirror_differs(&meddler->other, meddler->f.world));
    call_meddler(meddler, delivery, 2);
    assert_code(meddler->codes[1], 0);
    call_meddler(meddler, delivery, 3);
    /* It is removed, but was not waited for. */
    assert_code(meddler->codes[2], KIN_EBUSY);
    assert_code(
        kin_informer_remove_handler_wait(meddler->f.informer, meddler->f.registration, NULL), 0);
    kin_test_world_put(meddler->f.world, 1);
    await_version(&meddler->f);
    assert_code(kin_registration_get_status(meddler->f.registration, &status, NULL), 0);
    assert_int_equal(status.delivered, 3);
    assert_int_equal(status.queued, 0);
    kin_registration_unref(meddler->added);
    end(&meddler->f);
    kin_test_latch_done(&meddler->done);
    kin_test_mirror_done(&meddler->other);
    free(meddler);
}

static void a_handler_adds_and_removes_handlers(void **state)
{
    (void)state;
    meddle_by(KIN_DELIVER_THREAD);
    meddle_by(KIN_DELIVER_POOL);
    meddle_by(KIN_DELIVER_LOOP);
}

/* --- waiting in a worker --- */

static void ignore(const kin_event *event, void *arg)
{
    (void)event;
    (void)arg;
}

struct worker {
    struct fixture f;
    kin_registration *other; /* never told: nobody dispatches */
    kin_test_latch inside;
    kin_test_latch removed;
    atomic_int codes[2];
};

/* On the strand, which the handler needs to be synced. */
static void wait_for_handler(kin_informer *informer, void *arg)
{
    struct worker *worker = arg;

    (void)informer;
    atomic_store(&worker->codes[0], kin_registration_wait_synced(worker->other, -1, NULL));
    atomic_store(&worker->codes[1], kin_registration_wait_synced(worker->other, 0, NULL));
    kin_test_latch_raise(&worker->inside);
}

static void a_worker_does_not_wait_for_a_handlers_sync(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_handler_options handler = KIN_HANDLER_OPTIONS_INIT;
    struct worker worker;

    (void)state;
    memset(&worker, 0, sizeof(worker));
    kin_test_latch_init(&worker.inside);
    options.changed = wait_for_handler;
    options.changed_arg = &worker;
    open_with(&worker.f, &options);
    handler.delivery = KIN_DELIVER_LOOP;
    assert_code(
        kin_informer_add_handler(worker.f.informer, &worker.other, ignore, NULL, &handler, NULL),
        0);
    kin_test_world_put(worker.f.world, 1);
    assert_code(kin_informer_start(worker.f.informer, NULL), 0);
    kin_test_latch_wait(&worker.inside, 1);
    assert_code(atomic_load(&worker.codes[0]), KIN_EBUSY);
    assert_code(atomic_load(&worker.codes[1]), KIN_ETIMEOUT);
    end(&worker.f);
    kin_registration_unref(worker.other);
    kin_test_latch_done(&worker.inside);
}

/* Holds one worker of two until the other has removed it. */
static void hold_worker(const kin_event *event, void *arg)
{
    struct worker *worker = arg;

    (void)event;
    kin_test_latch_raise(&worker->inside);
    kin_test_latch_wait(&worker->removed, 1);
}

static void remove_other(const kin_event *event, void *arg)
{
    struct worker *worker = arg;

    (void)event;
    kin_test_latch_wait(&worker->inside, 1);
    atomic_store(&worker->codes[0],
                 kin_informer_remove_handler_wait(worker->f.informer, worker->other, NULL));
    kin_test_latch_raise(&worker->removed);
}

/* What ends a handler of the pool is a worker: here there is none left. */
static void a_worker_does_not_wait_for_the_end_of_another(void **state)
{
    kin_handler_options handler = KIN_HANDLER_OPTIONS_INIT;
    struct worker worker;

    (void)state;
    memset(&worker, 0, sizeof(worker));
    kin_test_latch_init(&worker.inside);
    kin_test_latch_init(&worker.removed);
    open_plain(&worker.f);
    handler.delivery = KIN_DELIVER_POOL;
    assert_code(kin_informer_add_handler(worker.f.informer, &worker.other, hold_worker, &worker,
                                         &handler, NULL),
                0);
    assert_code(
        kin_informer_add_handler(worker.f.informer, NULL, remove_other, &worker, &handler, NULL),
        0);
    kin_test_world_put(worker.f.world, 1);
    assert_code(kin_informer_start(worker.f.informer, NULL), 0);
    kin_test_latch_wait(&worker.removed, 1);
    assert_code(atomic_load(&worker.codes[0]), KIN_EBUSY);
    assert_code(kin_informer_remove_handler_wait(worker.f.informer, worker.other, NULL), 0);
    kin_registration_unref(worker.other);
    end(&worker.f);
    kin_test_latch_done(&worker.removed);
    kin_test_latch_done(&worker.inside);
}

/* --- being freed meanwhile --- */

struct late {
    struct fixture f;
    kin_test_latch inside;
    kin_test_latch others_end;
    kin_registration *added;
    int code;
};

/* Is under way until the other one has been ended: then the informer is being freed. */
static void add_late(const kin_event *event, void *arg)
{
    struct late *late = arg;

    (void)event;
    kin_test_latch_raise(&late->inside);
    kin_test_latch_wait(&late->others_end, 1);
    late->code = kin_informer_add_handler(late->f.informer, &late->added, kin_test_mirror_handle,
                                          &late->f.mirror, NULL, NULL);
}

static void raise_latch(void *latch)
{
    kin_test_latch_raise(latch);
}

/* Nobody would end it, nor wait for it. */
static void no_handler_is_added_to_what_is_being_freed(void **state)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    struct late late;

    (void)state;
    memset(&late, 0, sizeof(late));
    kin_test_latch_init(&late.inside);
    kin_test_latch_init(&late.others_end);
    open_plain(&late.f);
    assert_code(kin_informer_add_handler(late.f.informer, NULL, add_late, &late, NULL, NULL), 0);
    options.arg_free = raise_latch;
    assert_code(
        kin_informer_add_handler(late.f.informer, NULL, ignore, &late.others_end, &options, NULL),
        0);
    assert_code(kin_informer_start(late.f.informer, NULL), 0);
    kin_test_world_put(late.f.world, 1);
    kin_test_latch_wait(&late.inside, 1);
    kin_informer_free(late.f.informer);
    late.f.informer = NULL;
    assert_code(late.code, KIN_ECLOSED);
    assert_null(late.added);
    end(&late.f);
    kin_test_latch_done(&late.others_end);
    kin_test_latch_done(&late.inside);
}

static size_t virtual_kib(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    size_t kib = 0;

    assert_non_null(file);
    while (fgets(line, sizeof(line), file))
        if (sscanf(line, "VmSize: %zu kB", &kib) == 1)
            break;
    fclose(file);
    return kib;
}

static size_t count_leaving(kin_informer *informer)
{
    size_t n = 0;

    kin__mutex_lock(&informer->lock);
    kin__list_for_each(&informer->leaving, node)
        n++;
    kin__mutex_unlock(&informer->lock);
    return n;
}

/* Removes itself in its first call, if it is to. */
struct leaver {
    kin_informer *informer;
    kin_registration *registration;
    bool removes_itself;
    kin_test_latch told;
};

static void note_and_leave(const kin_event *event, void *arg)
{
    struct leaver *leaver = arg;

    (void)event;
    if (leaver->removes_itself)
        kin_informer_remove_handler(leaver->informer, leaver->registration);
    kin_test_latch_raise(&leaver->told);
}

/* Nothing else happens to the informer: no event, and no other handler comes or goes. */
static void threads_of_removed_handlers_are_joined_at_once(void **state)
{
    enum { N = 100 };
    static struct leaver leavers[N];
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    struct fixture f;
    size_t before;

    (void)state;
    for (int round = 0; round < 3; round++) {
        int64_t deadline = kin_test_deadline();
        bool is_stopped = round == 2;
        /* libc's own memory for threads stays: the first round makes it. Of 100 stacks of 8 MiB it keeps few. */
        size_t most = KIN_TEST_SANITIZED || round == 0 ? SIZE_MAX / 2 : (size_t)N * 8 * 1024 / 4;

        open_plain(&f);
        kin_test_world_put(f.world, 1);
        assert_code(kin_informer_start(f.informer, NULL), 0);
        await_version(&f);
        before = virtual_kib();
        for (size_t i = 0; i < N; i++) {
            leavers[i] = (struct leaver){.informer = f.informer, .removes_itself = i % 2};
            kin_test_latch_init(&leavers[i].told);
            assert_code(kin_informer_add_handler(f.informer, &leavers[i].registration,
                                                 note_and_leave, &leavers[i], &options, NULL),
                        0);
        }
        for (size_t i = 0; i < N; i++)
            kin_test_latch_wait(&leavers[i].told, 1);
        if (is_stopped) {
            kin_informer_stop(f.informer);
            assert_code(kin_informer_wait_stopped(f.informer, -1, NULL), 0);
        }
        for (size_t i = 0; i < N; i += 2)
            kin_informer_remove_handler(f.informer, leavers[i].registration);
        while (count_leaving(f.informer) > 0 || virtual_kib() > before + most) {
            assert_true(kin_clock_now(kin_clock_system()) < deadline);
            sched_yield();
        }
        for (size_t i = 0; i < N; i++) {
            kin_registration_unref(leavers[i].registration);
            kin_test_latch_done(&leavers[i].told);
        }
        end(&f);
    }
}

static void handlers_are_counted_and_found(void **state)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    kin_registration *found = NULL;
    kin_registration *first = NULL;
    kin_registration *second = NULL;
    struct fixture f;

    (void)state;
    open_plain(&f);
    assert_int_equal(kin_informer_count_handlers(f.informer), 0);
    assert_code(kin_informer_find_handler(f.informer, &found, NULL, NULL), KIN_ENOTFOUND);
    add(&f, KIN_DELIVER_THREAD);
    options.name = "named";
    assert_code(kin_informer_add_handler(f.informer, &first, kin_test_mirror_handle, &f.mirror,
                                         &options, NULL),
                0);
    assert_code(kin_informer_add_handler(f.informer, &second, kin_test_mirror_handle, &f.mirror,
                                         &options, NULL),
                0);
    assert_int_equal(kin_informer_count_handlers(f.informer), 3);
    assert_code(kin_informer_find_handler(f.informer, &found, "other", NULL), KIN_ENOTFOUND);
    assert_null(found);
    assert_code(kin_informer_find_handler(f.informer, &found, NULL, NULL), 0);
    assert_ptr_equal(found, f.registration);
    kin_registration_unref(found);
    assert_code(kin_informer_find_handler(f.informer, &found, "named", NULL), 0);
    assert_ptr_equal(found, first);
    kin_informer_remove_handler(f.informer, found);
    kin_registration_unref(found);
    assert_int_equal(kin_informer_count_handlers(f.informer), 2);
    assert_code(kin_informer_find_handler(f.informer, &found, "named", NULL), 0);
    assert_ptr_equal(found, second);
    kin_registration_unref(found);
    assert_code(kin_informer_find_handler(NULL, &found, "named", NULL), KIN_EINVAL);
    assert_code(kin_informer_find_handler(f.informer, NULL, "named", NULL), KIN_EINVAL);
    assert_int_equal(kin_informer_count_handlers(NULL), 0);
    kin_registration_unref(second);
    kin_registration_unref(first);
    end(&f);
}

/* A reference to a registration may be kept as long as one likes. */
static void registrations_outlive_the_informer(void **state)
{
    (void)state;
    for (int delivery = KIN_DELIVER_THREAD; delivery <= KIN_DELIVER_LOOP; delivery++) {
        kin_handler_status status = KIN_HANDLER_STATUS_INIT;
        struct fixture f;

        open_plain(&f);
        add(&f, (kin_delivery)delivery);
        assert_code(kin_informer_start(f.informer, NULL), 0);
        kin_test_world_put(f.world, 1);
        await_version(&f);
        kin_informer_free(f.informer);
        f.informer = NULL;
        assert_code(kin_registration_get_status(f.registration, &status, NULL), 0);
        assert_int_equal(status.queued, 0);
        assert_true(kin_registration_has_synced(f.registration) ||
                    kin_registration_wait_synced(f.registration, -1, NULL) == KIN_ECLOSED);
        end(&f);
    }
}

static int use_in_child(void *arg)
{
    struct fixture *f = arg;
    kin_handler_status status = KIN_HANDLER_STATUS_INIT;

    return kin_registration_get_status(f->registration, &status, NULL) == KIN_EFORKED &&
                   kin_registration_wait_synced(f->registration, -1, NULL) == KIN_EFORKED &&
                   !kin_registration_has_synced(f->registration)
               ? 0
               : 1;
}

/* Its locks are as others have left them. */
static void registrations_are_dead_in_a_forked_child(void **state)
{
    kin_test_child child;
    struct fixture f;

    (void)state;
    open_plain(&f);
    add(&f, KIN_DELIVER_THREAD);
    assert_code(kin_informer_start(f.informer, NULL), 0);
    assert_code(kin_registration_wait_synced(f.registration, -1, NULL), 0);
    kin_test_run_child(&child, use_in_child, &f);
    assert_int_equal(child.exit_code, 0);
    end(&f);
}

/* --- what is left over --- */

static unsigned count_entries(const char *path)
{
    DIR *folder = opendir(path);
    unsigned n = 0;

    assert_non_null(folder);
    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}

static void live_once(void)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_handler_options handler = KIN_HANDLER_OPTIONS_INIT;
    struct fixture f;
    kin_test_mirror others[3];

    options.resync_ms = 10000;
    open_with(&f, &options);
    add(&f, KIN_DELIVER_THREAD);
    for (unsigned i = 0; i < 3; i++) {
        kin_test_mirror_init(&others[i]);
        handler.delivery = (kin_delivery)i;
        assert_code(kin_informer_add_handler(f.informer, NULL, kin_test_mirror_handle, &others[i],
                                             &handler, NULL),
                    0);
    }
    assert_code(kin_informer_start(f.informer, NULL), 0);
    kin_test_world_put(f.world, 1);
    await_version(&f);
    dispatch(&f);
    /* One that ends while the informer goes on. */
    kin_informer_remove_handler(f.informer, f.registration);
    kin_informer_stop(f.informer);
    assert_code(kin_informer_wait_stopped(f.informer, -1, NULL), 0);
    assert_code(kin_informer_start(f.informer, NULL), 0);
    kin_test_world_put(f.world, 2);
    await_version(&f);
    end(&f);
    for (unsigned i = 0; i < 3; i++)
        kin_test_mirror_done(&others[i]);
}

/* What brings something and what applies it share their workers, also those of no client. */
static void there_is_one_set_of_workers(void **state)
{
    struct fixture f;

    (void)state;
    open_plain(&f);
    kin_test_world_put(f.world, 1);
    assert_code(kin_informer_start(f.informer, NULL), 0);
    await_version(&f);
    kin_test_await_threads("kin-inform-0", 1);
    end(&f);
}

static void nothing_is_left_over(void **state)
{
    size_t threads = kin_test_count_threads("");

    (void)state;
    live_once();
    /* One that nobody joins may be about to end. */
    kin_test_await_threads("", threads);
    unsigned fds = count_entries("/proc/self/fd");
    size_t live = kin_test_alloc_live();

    for (unsigned i = 0; i < 10; i++)
        live_once();
    kin_test_await_threads("", threads);
    assert_int_equal(count_entries("/proc/self/fd"), fds);
    assert_int_equal(kin_test_alloc_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_freed_without_memory),
        cmocka_unit_test(it_is_stopped_at_any_moment),
        cmocka_unit_test(changes_are_told_to_the_end),
        cmocka_unit_test(a_handler_adds_and_removes_handlers),
        cmocka_unit_test(a_worker_does_not_wait_for_a_handlers_sync),
        cmocka_unit_test(a_worker_does_not_wait_for_the_end_of_another),
        cmocka_unit_test(no_handler_is_added_to_what_is_being_freed),
        cmocka_unit_test(threads_of_removed_handlers_are_joined_at_once),
        cmocka_unit_test(handlers_are_counted_and_found),
        cmocka_unit_test(registrations_outlive_the_informer),
        cmocka_unit_test(registrations_are_dead_in_a_forked_child),
        cmocka_unit_test(there_is_one_set_of_workers),
        cmocka_unit_test(nothing_is_left_over),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
