/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Informers that are looked at, with handlers of four sorts.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cluster.h"

/* A slow handler, for which events are merged soon. */
#define SLOW_NS 2000000
#define SLOW_QUEUED 16

static void must(bool is_so, const char *what)
{
    if (is_so)
        return;
    (void)fprintf(stderr, "%s\n", what);
    abort();
}

/* --- handlers --- */

static const struct {
    const char *name;
    kin_delivery delivery;
    size_t max_queued;
    int64_t slow_ns;
} sorts[KIN_TEST_HANDLERS] = {{"thread", KIN_DELIVER_THREAD, 0, 0},
                              {"pool", KIN_DELIVER_POOL, 0, 0},
                              {"loop", KIN_DELIVER_LOOP, 0, 0},
                              {"slow", KIN_DELIVER_THREAD, SLOW_QUEUED, SLOW_NS}};

static void add_handler(kin_test_follower *f, int i, bool may_go_back)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;

    kin_test_replay_init(&f->replays[i]);
    f->replays[i].slow_ns = sorts[i].slow_ns;
    f->replays[i].may_go_back = may_go_back;
    options.name = sorts[i].name;
    options.delivery = sorts[i].delivery;
    options.max_queued = sorts[i].max_queued;
    options.slow_ms = -1;
    must(kin_informer_add_handler(f->informer, &f->registrations[i], kin_test_replay_event,
                                  &f->replays[i], &options, NULL) == 0,
         "no handler");
}

static void remove_handler(kin_test_follower *f, int i)
{
    kin_handler_status status = KIN_HANDLER_STATUS_INIT;

    must(kin_informer_remove_handler_wait(f->informer, f->registrations[i], NULL) == 0,
         "a handler stays");
    must(kin_registration_get_status(f->registrations[i], &status, NULL) == 0, "no status");
    f->n_merged += status.merged;
    f->n_vanished += status.vanished;
    f->n_told += status.delivered;
    kin_registration_unref(f->registrations[i]);
    kin_test_replay_done(&f->replays[i]);
}

void kin_test_follower_replace(kin_test_follower *f, int handler, bool may_go_back)
{
    remove_handler(f, handler);
    add_handler(f, handler, may_go_back);
}

void kin_test_follower_may_go_back(kin_test_follower *f, bool may)
{
    for (int i = 0; i < KIN_TEST_HANDLERS; i++)
        kin_test_replay_may_go_back(&f->replays[i], may);
}

/* --- life --- */

static unsigned all_namespaces(const kin_test_view *view)
{
    return kin_test_kind_is_namespaced(view->kind) ? (1u << KIN_TEST_NAMESPACES) - 1 : 1;
}

/* How many there are in the mask. */
static size_t namespaces_of(unsigned mask, const char *ret[KIN_TEST_NAMESPACES])
{
    static const char *const names[KIN_TEST_NAMESPACES] = {"a", "b", "c"};
    size_t n = 0;

    for (int i = 0; i < KIN_TEST_NAMESPACES; i++) {
        if (mask >> i & 1)
            ret[n++] = names[i];
    }
    return n;
}

void kin_test_follower_look_elsewhere(kin_test_follower *f, unsigned namespaces, bool odd_only)
{
    kin_test_follower_sum(f);
    if (f->view.namespaces != all_namespaces(&f->view)) {
        const char *names[KIN_TEST_NAMESPACES];
        size_t n = namespaces_of(namespaces, names);

        must(kin_informer_set_namespaces(f->informer, names, n, NULL) == 0, "no namespaces");
        f->view.namespaces = namespaces;
    } else {
        must(kin_informer_set_selectors(f->informer, odd_only ? "odd=1" : NULL, NULL, NULL) == 0,
             "no selectors");
        f->view.odd_only = odd_only;
    }
}

void kin_test_follower_open(kin_test_follower *f, const kin_test_view *view, kin_client *client,
                            kin_clock *clock, uint64_t seed)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    const char *namespaces[KIN_TEST_NAMESPACES];
    kin_error err = KIN_ERROR_INIT;

    memset(f, 0, sizeof(*f));
    f->view = *view;
    f->view.namespaces &= all_namespaces(view);
    if (f->view.namespaces != all_namespaces(view)) {
        options.namespaces = namespaces;
        options.n_namespaces = namespaces_of(f->view.namespaces, namespaces);
    }
    options.label_selector = view->odd_only ? "odd=1" : NULL;
    options.content = view->content;
    options.queue = view->queue;
    options.no_streaming_list = view->no_streaming_list;
    options.page_size = view->page_size;
    options.resync_ms = view->resync_ms;
    options.clock = clock;
    options.seed = seed;
    if (kin_informer_new(&f->informer, client, kin_test_kind_name(view->kind), &options, &err) < 0)
        must(false, err.message);
    for (int i = 0; i < KIN_TEST_HANDLERS; i++)
        add_handler(f, i, false);
    must(kin_informer_start(f->informer, NULL) == 0, "it does not start");
}

void kin_test_follower_close(kin_test_follower *f)
{
    for (int i = 0; i < KIN_TEST_HANDLERS; i++)
        remove_handler(f, i);
    kin_informer_free(f->informer);
}

/* --- looks --- */

/* What it is, and how it fares. */
static void describe(kin_test_follower *f, const char *what, const char *why,
                     char words[KIN_TEST_WORDS])
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    (void)kin_informer_get_status(f->informer, &status, NULL);
    (void)snprintf(words, KIN_TEST_WORDS,
                   "%s%s namespaces %u content %d queue %d, %s: %s (state %s, version %s, queued "
                   "%zu, lists %llu, watches %llu, skipped %llu, last error \"%.200s\")",
                   kin_test_kind_name(f->view.kind), f->view.odd_only ? " odd=1" : "",
                   f->view.namespaces, (int)f->view.content, (int)f->view.queue, what, why,
                   kin_informer_state_name(status.state), status.resource_version, status.queued,
                   (unsigned long long)status.lists, (unsigned long long)status.watches,
                   (unsigned long long)status.skipped, status.last_error.message);
}

bool kin_test_follower_await(kin_test_follower *f, const kin_test_cluster *cluster,
                             int64_t timeout_ms, char words[KIN_TEST_WORDS])
{
    for (int i = 0; i < KIN_TEST_HANDLERS; i++) {
        if (kin_test_replay_await(&f->replays[i], cluster->mark,
                                  cluster->mark_versions[f->view.kind], f->view.namespaces,
                                  timeout_ms))
            continue;
        describe(f, sorts[i].name, "a mark has not come", words);
        return false;
    }
    return true;
}

/* What of it is in the view. */
static void select_from(kin_test_world *ret, const kin_test_view *view, const kin_test_world *truth)
{
    memset(ret, 0, sizeof(*ret));
    for (int i = 0; i < KIN_TEST_SLOTS; i++) {
        const kin_test_slot *slot = &truth->slots[i];

        if ((view->namespaces >> kin_test_slot_namespace(i) & 1) &&
            (slot->is_odd || !view->odd_only))
            ret->slots[i] = *slot;
    }
}

static bool is_same(kin_test_follower *f, const char *what, const kin_test_world *truth,
                    const kin_test_world *known, bool with_n, char words[KIN_TEST_WORDS])
{
    char why[256];

    if (kin_test_world_equal(truth, known, with_n, why, sizeof(why)))
        return true;
    describe(f, what, why, words);
    return false;
}

bool kin_test_follower_check(kin_test_follower *f, const kin_test_world truth[KIN_TEST_KINDS],
                             char words[KIN_TEST_WORDS])
{
    kin_test_world is, seems;
    char why[256] = "there is what nobody has made";

    select_from(&is, &f->view, &truth[f->view.kind]);
    if (!kin_test_world_of_store(&seems, kin_informer_store(f->informer))) {
        describe(f, "store", why, words);
        return false;
    }
    bool with_n = f->view.content != KIN_CONTENT_KEYS;

    if (!is_same(f, "store", &is, &seems, with_n, words))
        return false;
    for (int i = 0; i < KIN_TEST_HANDLERS; i++) {
        bool may_go_back = f->replays[i].may_go_back;

        if (!kin_test_replay_look(&f->replays[i], &seems, why, sizeof(why))) {
            describe(f, sorts[i].name, why, words);
            return false;
        }
        if (!is_same(f, sorts[i].name, &is, &seems, with_n && !may_go_back, words))
            return false;
        if (with_n && may_go_back)
            f->n_untold += kin_test_replay_adopt(&f->replays[i], &is);
    }
    return true;
}

/* Whatever it looks at by now, what was counted before is in it. */
void kin_test_follower_sum(kin_test_follower *f)
{
    kin_informer_status now = KIN_INFORMER_STATUS_INIT;
    const kin_informer_status *last = &f->sums;

    must(kin_informer_get_status(f->informer, &now, NULL) == 0, "no status");
    must(now.events >= last->events && now.bookmarks >= last->bookmarks &&
             now.lists >= last->lists && now.watches >= last->watches &&
             now.skipped >= last->skipped,
         "a sum has gone down");
    f->sums = now;
}

/* --- the loop --- */

static void *loop_run(void *arg)
{
    kin_test_loop *loop = arg;
    struct pollfd *fds = calloc(loop->n + 1, sizeof(*fds));

    must(fds != NULL, "no memory");
    for (size_t i = 0; i < loop->n; i++)
        fds[i] =
            (struct pollfd){.fd = kin_informer_fd(loop->followers[i].informer), .events = POLLIN};
    fds[loop->n] = (struct pollfd){.fd = loop->wakeup, .events = POLLIN};
    while (!atomic_load(&loop->is_over)) {
        (void)poll(fds, loop->n + 1, -1);
        for (size_t i = 0; i < loop->n; i++) {
            if (fds[i].revents)
                must(kin_informer_dispatch(loop->followers[i].informer, 64, NULL, NULL) == 0,
                     "no dispatch");
        }
    }
    free(fds);
    return NULL;
}

void kin_test_loop_start(kin_test_loop *loop, kin_test_follower *followers, size_t n)
{
    loop->followers = followers;
    loop->n = n;
    loop->wakeup = eventfd(0, EFD_CLOEXEC);
    atomic_init(&loop->is_over, false);
    must(loop->wakeup >= 0 && pthread_create(&loop->thread, NULL, loop_run, loop) == 0, "no loop");
}

void kin_test_loop_stop(kin_test_loop *loop)
{
    atomic_store(&loop->is_over, true);
    must(eventfd_write(loop->wakeup, 1) == 0, "no wake-up");
    pthread_join(loop->thread, NULL);
    close(loop->wakeup);
}
