/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Those who change objects. Each has kinds of its own, so that what one does decides nothing of what
 * another does. The first one also restarts things.
 */
#include <stdio.h>
#include <stdlib.h>

#include "chaos.h"

struct writer {
    chaos *chaos;
    kin_test_rng rng;
    unsigned number;
    pthread_t thread;
};

static void write_something(struct writer *w)
{
    kin_test_cluster *cluster = &w->chaos->cluster;
    int n_kinds = (KIN_TEST_KINDS + CHAOS_WRITERS - 1 - (int)w->number) / CHAOS_WRITERS;
    int kind = (int)kin_test_below(&w->rng, (uint64_t)n_kinds) * CHAOS_WRITERS + (int)w->number;
    unsigned namespace_ = (unsigned)kin_test_below(
        &w->rng, kin_test_kind_is_namespaced(kind) ? KIN_TEST_NAMESPACES : 1);
    unsigned name = (unsigned)kin_test_below(&w->rng, KIN_TEST_NAMES);
    bool deletes = kin_test_below(&w->rng, 5) == 0;
    bool is_odd = kin_test_below(&w->rng, 2);
    char key[16];

    (void)snprintf(key, sizeof(key), "%c/o-%u", 'a' + namespace_, name);
    int slot = kin_test_slot_of(key);
    int code = deletes ? kin_test_cluster_delete(cluster, kind, slot)
                       : kin_test_cluster_put(cluster, kind, slot, is_odd);

    atomic_fetch_add(code < 0 ? &w->chaos->n_failed_writes : &w->chaos->n_writes, 1);
}

/* --- deeds --- */

static void must(bool is_so, const char *what)
{
    if (is_so)
        return;
    (void)fprintf(stderr, "%s\n", what);
    abort();
}

static void stop_informer(struct writer *w)
{
    kin_test_follower *f =
        &w->chaos->followers[kin_test_below(&w->rng, w->chaos->options.informers)];

    kin_informer_stop(f->informer);
    must(kin_informer_wait_stopped(f->informer, -1, NULL) == 0, "it does not stop");
    must(kin_informer_start(f->informer, NULL) == 0, "it does not start again");
}

static void replace_handler(struct writer *w)
{
    kin_test_follower *f =
        &w->chaos->followers[kin_test_below(&w->rng, w->chaos->options.informers)];
    int handler = (int)kin_test_below(&w->rng, KIN_TEST_HANDLERS);

    kin_test_follower_replace(f, handler, w->chaos->lies);
}

/* Two of the three, or one: never all, which would be without namespaces. */
static void look_elsewhere(struct writer *w)
{
    kin_test_follower *f =
        &w->chaos->followers[kin_test_below(&w->rng, w->chaos->options.informers)];
    unsigned namespaces = 1 + (unsigned)kin_test_below(&w->rng, 6);

    kin_test_follower_look_elsewhere(f, namespaces, kin_test_below(&w->rng, 2));
}

/* Only where versions may go back. */
static bool rewind_somewhat(struct writer *w)
{
    uint64_t version = atomic_load(&w->chaos->cluster.version);
    uint64_t back = kin_test_below(&w->rng, 200);

    return w->chaos->lies && version > back &&
           kin_apiserver_rewind(w->chaos->cluster.server, version - back, NULL) == 0;
}

static void do_deed(struct writer *w)
{
    kin_apiserver *server = w->chaos->cluster.server;
    enum chaos_deed deed = (enum chaos_deed)kin_test_below(&w->rng, CHAOS_DEEDS);
    bool is_done = true;

    if (deed == CHAOS_COMPACT)
        must(kin_apiserver_compact(server, NULL) == 0, "no compaction");
    else if (deed == CHAOS_RESTART || deed == CHAOS_FORGET)
        must(kin_apiserver_restart(server, deed == CHAOS_FORGET, NULL) == 0, "no restart");
    else if (deed == CHAOS_REWIND)
        is_done = rewind_somewhat(w);
    else if (deed == CHAOS_STOP_INFORMER)
        stop_informer(w);
    else if (deed == CHAOS_LOOK_ELSEWHERE)
        look_elsewhere(w);
    else
        replace_handler(w);
    w->chaos->deeds[deed] += is_done;
}

static void *run(void *arg)
{
    struct writer *w = arg;

    for (unsigned i = 0; i < w->chaos->writes; i++) {
        write_something(w);
        if (w->number == 0 && kin_test_below(&w->rng, 150) == 0)
            do_deed(w);
    }
    return NULL;
}

void chaos_write(chaos *c)
{
    struct writer writers[CHAOS_WRITERS];

    for (unsigned i = 0; i < CHAOS_WRITERS; i++) {
        uint64_t seed = c->options.seed * 1000003 + (uint64_t)c->phase * CHAOS_WRITERS + i;

        writers[i] = (struct writer){.chaos = c, .rng = {seed}, .number = i};
        must(pthread_create(&writers[i].thread, NULL, run, &writers[i]) == 0, "no thread");
    }
    for (unsigned i = 0; i < CHAOS_WRITERS; i++)
        pthread_join(writers[i].thread, NULL);
}
