/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program that uses the library: an informer, handlers, readers, waits. It acts by the plan, and records what the
 * library does. It judges nothing.
 */
#include "run.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kinform/informer.h"
#include "kinform/log.h"
#include "kinform/view.h"

#define MILLISECOND INT64_C(1000000)
#define SECOND INT64_C(1000000000)
enum { MAX_STEPS = 3000000 };
/* After everything is quiet: within this time the informer must have what the server has. */
enum { CALM_SECONDS = 4 * 3600 };

struct handler {
    struct program *program;
    unsigned id; /* each registration has its own; SIM_NONE: too many */
    unsigned speed;
    kin_registration *registration;
    uint64_t has[SIM_KEYS]; /* versions, 0: not there */
};

struct program {
    sim_world *world;
    kin_informer *informer;
    struct handler *slots[SIM_HANDLERS];
    unsigned n_handlers;
    unsigned n_views;
    bool is_quiet; /* handlers are no longer slow */
};

static void record(struct program *p, sim_what what, unsigned handler, unsigned key,
                   uint64_t version, uint64_t old, unsigned flags)
{
    sim_record_add(p->world, what, handler, key, version, old, flags);
}

/* ---- Handlers */

/* Fast, with a pause, or stuck for a long time. */
static void be_slow(const struct handler *h)
{
    switch (h->program->is_quiet ? 0 : h->speed) {
    case 0:
        sim_yield();
        break;
    case 1:
        sim_sleep((int64_t)(sim_now() % 7) * MILLISECOND);
        break;
    case 2:
        sim_sleep(SECOND);
        break;
    default:
        sim_sleep(1000 * SECOND);
    }
}

static void handle(const kin_event *event, void *arg)
{
    struct handler *h = arg;
    const kin_object *object = event->object;
    bool is_tombstone = kin_object_is_tombstone(event->object, &object);
    unsigned key = sim_key_of(event->object);
    uint64_t version = sim_version_of(object);
    uint64_t old = event->old_object ? sim_version_of(event->old_object) : 0;
    unsigned flags = (event->is_initial ? SIM_INITIAL : 0) | (event->is_sync ? SIM_SYNC : 0) |
                     (is_tombstone ? SIM_TOMBSTONE : 0);
    static const sim_what whats[] = {[KIN_EVENT_ADD] = SIM_ADD,
                                     [KIN_EVENT_UPDATE] = SIM_UPDATE,
                                     [KIN_EVENT_DELETE] = SIM_DELETE};

    record(h->program, whats[event->type], h->id, key, version, old, flags);
    if (key < SIM_KEYS)
        h->has[key] = event->type == KIN_EVENT_DELETE ? 0 : version;
    be_slow(h);
    record(h->program, SIM_CALL_ENDS, h->id, key, version, 0, 0);
}

static void join(struct program *p, unsigned slot, unsigned detail)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    struct handler *h;

    if (p->slots[slot] || p->n_handlers >= SIM_NONE)
        return;
    h = calloc(1, sizeof(*h));
    h->program = p;
    h->id = p->n_handlers++;
    h->speed = detail % 8 < 4 ? 0 : detail % 8 - 4;
    options.delivery = detail & 64 ? KIN_DELIVER_POOL : KIN_DELIVER_THREAD;
    if (options.delivery == KIN_DELIVER_POOL && h->speed > 1)
        h->speed = 1;
    options.max_queued = p->world->plan.config.max_queued;
    options.resync_ms = detail & 128 ? -1 : 0;
    p->slots[slot] = h;
    record(p, SIM_JOINED, h->id, SIM_NONE, 0, 0, 0);
    if (kin_informer_add_handler(p->informer, &h->registration, handle, h, &options, NULL) < 0)
        abort();
}

static void leave(struct program *p, unsigned slot, bool waits)
{
    struct handler *h = p->slots[slot];

    if (!h)
        return;
    p->slots[slot] = NULL;
    record(p, SIM_LEAVES, h->id, SIM_NONE, 0, 0, 0);
    if (!waits)
        kin_informer_remove_handler(p->informer, h->registration);
    else if (kin_informer_remove_handler_wait(p->informer, h->registration, NULL) == 0)
        record(p, SIM_LEFT, h->id, SIM_NONE, 0, 0, 0);
    kin_registration_unref(h->registration);
    /* A call may be under way: the memory stays. */
}

/* ---- Readers */

static uint64_t version_in(kin_view *view, unsigned key)
{
    const kin_object *object = NULL;
    char text[16];
    uint64_t version = 0;

    snprintf(text, sizeof(text), "n%u/%u", key % 2, key);
    if (kin_view_get(view, &object, kin_str_of(text), NULL) == 0)
        version = sim_version_of(object);
    return version;
}

/* Twice, with time in between: a view shows one version. */
static void read_view(struct program *p, unsigned detail)
{
    unsigned number = p->n_views++;
    kin_view *view = NULL;

    if (kin_view_new(&view, kin_informer_store(p->informer), NULL) < 0)
        abort();
    record(p, SIM_VIEW, SIM_NONE, SIM_NONE, number, 0, 0);
    for (int round = 0; round < 2; round++) {
        for (unsigned key = 0; key < SIM_KEYS; key++) {
            record(p, SIM_VIEW_ITEM, SIM_NONE, key, version_in(view, key), number, 0);
            sim_yield();
        }
        sim_sleep((int64_t)(detail % 10) * SECOND);
    }
    kin_view_free(view);
}

static uint64_t version_in_store(struct program *p, unsigned key)
{
    const kin_object *object = NULL;
    char text[16];
    uint64_t version = 0;

    snprintf(text, sizeof(text), "n%u/%u", key % 2, key);
    if (kin_store_get(kin_informer_store(p->informer), &object, kin_str_of(text), NULL) == 0)
        version = sim_version_of(object);
    kin_object_unref(object);
    return version;
}

static void write_and_wait(struct program *p, unsigned key, unsigned detail)
{
    uint64_t version = sim_server_put(p->world, key);
    const kin_object *object = sim_object(key, version);

    record(p, SIM_WAIT_BEGINS, SIM_NONE, key, version, 0, 0);
    int code = kin_informer_wait_object(p->informer, object, (detail % 100) * 1000, NULL);
    record(p, SIM_WAIT_ENDS, SIM_NONE, key, version, version_in_store(p, key), code == 0);
    kin_object_unref(object);
}

/* ---- Actors */

static void restart(struct program *p)
{
    kin_informer_stop(p->informer);
    kin_informer_wait_stopped(p->informer, -1, NULL);
    sim_sleep(SECOND);
    if (kin_informer_start(p->informer, NULL) < 0)
        abort();
}

static void act(struct program *p, const sim_action *action)
{
    switch (action->what) {
    case SIM_DO_JOIN:
        join(p, action->subject, action->detail);
        break;
    case SIM_DO_LEAVE:
        leave(p, action->subject, false);
        break;
    case SIM_DO_LEAVE_WAIT:
        leave(p, action->subject, true);
        break;
    case SIM_DO_STOP:
        restart(p);
        break;
    case SIM_DO_READ:
        read_view(p, action->detail);
        break;
    case SIM_DO_WRITE:
        write_and_wait(p, action->subject, action->detail);
        break;
    default:
        sim_server_act(p->world, action);
    }
}

struct actor {
    struct program *program;
    sim_actor who;
    pthread_t thread;
};

static void *actor_run(void *arg)
{
    static const char *const names[] = {"server", "user", "other"};
    struct actor *actor = arg;
    const sim_plan *plan = &actor->program->world->plan;

    sim_set_thread_name(names[actor->who]);
    for (unsigned i = 0; i < plan->n; i++) {
        const sim_action *action = &plan->actions[i];

        if (sim_actor_of(action->what) != actor->who)
            continue;
        sim_sleep(action->after_ns);
        record(actor->program, SIM_ACTS, SIM_NONE, SIM_NONE, i, 0, 0);
        act(actor->program, action);
    }
    return NULL;
}

/* ---- The end */

static bool agrees(struct program *p)
{
    for (unsigned key = 0; key < SIM_KEYS; key++) {
        uint64_t truth = sim_server_get(&p->world->server, key, SIZE_MAX);

        if (version_in_store(p, key) != truth)
            return false;
        for (unsigned i = 0; i < SIM_HANDLERS; i++) {
            if (p->slots[i] && p->slots[i]->has[key] != truth)
                return false;
        }
    }
    return true;
}

static int note_indexed(kin_str key, const kin_object *object, void *arg)
{
    struct program *p = arg;

    (void)key;
    record(p, SIM_INDEX_HAS, SIM_NONE, sim_key_of(object), sim_version_of(object), 0, 0);
    return 0;
}

static void note_store(struct program *p)
{
    for (unsigned key = 0; key < SIM_KEYS; key++)
        record(p, SIM_STORE_HAS, SIM_NONE, key, version_in_store(p, key), 0, 0);
    for (unsigned color = 0; color < 3; color++) {
        char text[2] = {(char)('0' + color), '\0'};

        kin_store_each_by_index(kin_informer_store(p->informer), kin_str_of("color"),
                                kin_str_of(text), note_indexed, p, NULL);
    }
}

static void come_to_rest(struct program *p)
{
    int64_t end = sim_now() + CALM_SECONDS * SECOND;

    p->is_quiet = true;
    sim_server_heal(p->world);
    record(p, SIM_QUIET, SIM_NONE, SIM_NONE, 0, 0, 0);
    /* Once may be a coincidence while more is on its way. */
    for (unsigned times = 0; times < 3 && sim_now() < end; times = agrees(p) ? times + 1 : 0)
        sim_sleep(60 * SECOND);
    record(p, SIM_CALM, SIM_NONE, SIM_NONE, 0, 0, agrees(p));
    for (unsigned i = 0; i < SIM_HANDLERS; i++) {
        if (p->slots[i] && kin_registration_has_synced(p->slots[i]->registration))
            record(p, SIM_SYNCED, p->slots[i]->id, SIM_NONE, 0, 0, 0);
    }
    note_store(p);
}

/* ---- All of it */

static sim_world *stopping_world;

static void stopped(sim_stop why, const char *text)
{
    sim_verdict *verdict = &stopping_world->verdict;

    verdict->is_bad = true;
    verdict->at = stopping_world->history.n;
    snprintf(verdict->guarantee, sizeof(verdict->guarantee), "Live");
    snprintf(verdict->text, sizeof(verdict->text), "%s:\n%s",
             why == SIM_DEADLOCK ? "all threads wait, and none for a time" : "too many steps",
             text);
    _exit(0);
}

static int color_of(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    char text[2] = {(char)('0' + sim_version_of(object) % 3), '\0'};

    (void)arg;
    return kin_index_values_add(values, kin_str_of(text), err);
}

static void make_informer(struct program *p, kin_list_watch *source)
{
    const sim_config *config = &p->world->plan.config;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_index index = KIN_INDEX_INIT("color", color_of);

    options.queue = config->ordered ? KIN_QUEUE_ORDERED : KIN_QUEUE_DELTA_FIFO;
    options.no_streaming_list = !config->streaming;
    options.page_size = config->page_size;
    options.resync_ms = config->resync_ms;
    options.seed = p->world->plan.seed | 1;
    if (kin_informer_new_from(&p->informer, source, &options, NULL) < 0 ||
        kin_informer_add_index(p->informer, &index, NULL) < 0 ||
        kin_informer_start(p->informer, NULL) < 0)
        abort();
}

void sim_run(sim_world *world)
{
    static struct program program;
    struct actor actors[SIM_ACTORS];
    struct program *p = &program;

    p->world = world;
    stopping_world = world;
    world->server.rng.state = world->plan.seed;
    world->server.version = 1;
    memset(world->server.seen, 0xff, sizeof(world->server.seen));
    sim_begin(&world->plan.schedule, MAX_STEPS, stopped);
    kin_list_watch *source = sim_source_new(world);
    make_informer(p, source);
    join(p, 0, (unsigned)world->plan.seed & 0xff);
    for (unsigned i = 0; i < SIM_ACTORS; i++) {
        actors[i] = (struct actor){.program = p, .who = (sim_actor)i};
        pthread_create(&actors[i].thread, NULL, actor_run, &actors[i]);
    }
    for (unsigned i = 0; i < SIM_ACTORS; i++)
        pthread_join(actors[i].thread, NULL);
    come_to_rest(p);
    kin_informer_free(p->informer);
    sim_source_free(source);
    world->steps = sim_steps();
    world->simulated_ns = sim_now() - world->plan.schedule.start_ns;
}
