/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server, its clients and the informers; and what they have counted.
 */
#include <stdlib.h>
#include <string.h>

#include "chaos.h"
#include "kin_test.h"

/*
 * So many times as fast as the real time. Informers wait a minute after some failures in a row. A list may
 * take five of them, which must be more than the three real seconds for which the server, whose clock is
 * the system's, waits for a version of the future.
 */
enum { SPEED = KIN_TEST_SANITIZED ? 30 : 60 };
enum { BOOKMARK_MS = 50, IDLE_MS = 1500, WINDOW = 2000 };

/* Each kind in all ways: all of it; by a selector; some namespaces, in order; paged, and so on. */
static kin_test_view view_of(unsigned i)
{
    kin_test_view view = {.kind = (int)(i % KIN_TEST_KINDS), .namespaces = 7};

    switch (i / KIN_TEST_KINDS % 4) {
    case 0:
        view.resync_ms = 120000;
        break;
    case 1:
        view.odd_only = true;
        view.page_size = 40;
        break;
    case 2:
        view.namespaces = 3;
        view.queue = KIN_QUEUE_ORDERED;
        break;
    default:
        view.content = i % 2 ? KIN_CONTENT_METADATA : KIN_CONTENT_KEYS;
        view.no_streaming_list = true;
        view.page_size = 70;
        break;
    }
    return view;
}

void chaos_open(chaos *c)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    options.seed = c->options.seed;
    options.bookmark_ms = BOOKMARK_MS;
    options.window_changes = WINDOW;
    kin_test_cluster_open(&c->cluster, &options);
    kin_test_faults_init(&c->faults, c->cluster.server);
    kin_test_fast_clock_start(&c->clock, SPEED);
    c->fast = kin_test_cluster_client(&c->cluster, c->clock.clock, (int64_t)IDLE_MS * SPEED);
    c->plain = kin_test_cluster_client(&c->cluster, NULL, IDLE_MS);
    c->followers = calloc(c->options.informers, sizeof(*c->followers));
    if (!c->followers)
        abort();
    /* Half of them live from their client's workers and half have their own. */
    for (unsigned i = 0; i < c->options.informers; i++) {
        kin_test_view view = view_of(i);

        kin_test_follower_open(&c->followers[i], &view, i % 2 ? c->plain : c->fast, c->clock.clock,
                               c->options.seed + i + 1);
    }
    kin_test_loop_start(&c->loop, c->followers, c->options.informers);
}

void chaos_close(chaos *c)
{
    kin_test_loop_stop(&c->loop);
    for (unsigned i = 0; i < c->options.informers; i++)
        kin_test_follower_close(&c->followers[i]);
    free(c->followers);
    kin_client_free(c->fast);
    kin_client_free(c->plain);
    kin_test_fast_clock_done(&c->clock);
    kin_test_cluster_close(&c->cluster);
}

/* --- sums --- */

static void add_handlers(kin_test_follower *f, chaos_sums *ret)
{
    for (int i = 0; i < KIN_TEST_HANDLERS; i++) {
        kin_handler_status status = KIN_HANDLER_STATUS_INIT;

        (void)kin_registration_get_status(f->registrations[i], &status, NULL);
        ret->told += status.delivered;
        ret->merged += status.merged;
        ret->vanished += status.vanished;
        pthread_mutex_lock(&f->replays[i].lock);
        ret->syncs += f->replays[i].n_syncs;
        ret->tombstones += f->replays[i].n_tombstones;
        pthread_mutex_unlock(&f->replays[i].lock);
    }
}

void chaos_sum(chaos *c, chaos_sums *ret)
{
    memset(ret, 0, sizeof(*ret));
    for (unsigned i = 0; i < c->options.informers; i++) {
        kin_test_follower *f = &c->followers[i];
        const kin_informer_status *seen = &f->sums;

        kin_test_follower_sum(f);
        ret->events += seen->events;
        ret->bookmarks += seen->bookmarks;
        ret->lists += seen->lists;
        ret->watches += seen->watches;
        ret->skipped += seen->skipped;
        ret->told += f->n_told;
        ret->merged += f->n_merged;
        ret->vanished += f->n_vanished;
        ret->untold += f->n_untold;
        add_handlers(f, ret);
    }
}

uint64_t chaos_count_faults(const chaos *c)
{
    return kin_test_faults_sum(&c->faults) + c->deeds[CHAOS_COMPACT] + c->deeds[CHAOS_RESTART] +
           c->deeds[CHAOS_FORGET] + c->deeds[CHAOS_REWIND];
}
