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
#include "kinform/memory.h"
#include "kinform/view.h"
#include "queues.h"

#define MILLISECOND INT64_C(1000000)
#define SECOND INT64_C(1000000000)
enum { MAX_STEPS = 20000000, MAX_LIVES = 6 };
/* After everything is quiet: within this time the informer must have what the server has. */
enum { CALM_SECONDS = 4 * 3600 };

/* What a handler does in one of its calls. */
enum antic { NO_ANTIC, LEAVES, LEAVES_AND_WAITS, ADDS_ANOTHER, N_ANTICS };

struct handler {
    struct program *program;
    unsigned id; /* each registration has its own; SIM_NONE: too many */
    unsigned speed;
    unsigned n_calls;
    unsigned antic_at; /* the call */
    enum antic antic;
    kin_registration *registration;
    uint64_t has[SIM_KEYS]; /* versions, 0: not there */
};

struct program {
    sim_world *world;
    kin_informer *informer;
    struct handler *slots[SIM_HANDLERS];
    bool is_quiet; /* handlers are no longer slow */
};

static void record(struct program *p, sim_what what, unsigned handler, unsigned key,
                   uint64_t version, uint64_t old, unsigned flags)
{
    sim_record_add(p->world, what, handler, key, version, old, flags);
}

/* --- handlers --- */

/* Fast, with a pause, or stuck for a long time. */
static void be_slow(const struct handler *h)
{
    switch (h->program->is_quiet ? 0 : h->speed) {
    case 0:
        sim_yield();
        break;
    case 1:
        sim_sleep((int64_t)(sim_now() % 7) * 20 * MILLISECOND);
        break;
    case 2:
        sim_sleep(SECOND);
        break;
    default:
        sim_sleep(1000 * SECOND);
    }
}

static void join(struct program *p, unsigned slot, unsigned detail);
static void leave(struct program *p, unsigned slot, bool waits);

static void do_antic(struct handler *h)
{
    struct program *p = h->program;
    unsigned slot = 0;

    while (slot < SIM_HANDLERS && p->slots[slot] != (h->antic == ADDS_ANOTHER ? NULL : h))
        slot++;
    if (slot == SIM_HANDLERS)
        return;
    if (h->antic == ADDS_ANOTHER)
        join(p, slot, h->id * 37);
    else
        leave(p, slot, h->antic == LEAVES_AND_WAITS);
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
    if (++h->n_calls == h->antic_at && !h->program->is_quiet)
        do_antic(h);
    be_slow(h);
    record(h->program, SIM_CALL_ENDS, h->id, key, version, 0, 0);
}

static void join(struct program *p, unsigned slot, unsigned detail)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    struct handler *h;

    if (p->slots[slot] || p->world->n_handlers >= SIM_NONE)
        return;
    h = calloc(1, sizeof(*h));
    h->program = p;
    h->id = p->world->n_handlers++;
    h->speed = detail % 8 < 4 ? 0 : detail % 8 - 4;
    h->antic = (enum antic)(detail >> 8 & 1 ? (detail >> 9) % N_ANTICS : 0);
    h->antic_at = 1 + (detail >> 12) % 8;
    options.delivery = detail & 64 ? KIN_DELIVER_POOL : KIN_DELIVER_THREAD;
    if (options.delivery == KIN_DELIVER_POOL && h->speed > 1)
        h->speed = 1;
    options.max_queued = p->world->plan.config.max_queued;
    options.resync_ms = detail & 128 ? -1 : 0;
    p->slots[slot] = h;
    record(p, SIM_JOINED, h->id, SIM_NONE, 0, 0, 0);
    if (kin_informer_add_handler(p->informer, &h->registration, handle, h, &options, NULL) < 0) {
        p->slots[slot] = NULL;
        record(p, SIM_LEAVES, h->id, SIM_NONE, 0, 0, 0);
    }
}

static void leave(struct program *p, unsigned slot, bool waits)
{
    struct handler *h = p->slots[slot];

    /* Another thread may still be adding it. */
    if (!h || !h->registration)
        return;
    p->slots[slot] = NULL;
    record(p, SIM_LEAVES, h->id, SIM_NONE, 0, 0, 0);
    if (!waits)
        kin_informer_remove_handler(p->informer, h->registration);
    else if (kin_informer_remove_handler_wait(p->informer, h->registration, NULL) == 0)
        record(p, SIM_LEFT, h->id, SIM_NONE, 0, 0, 0);
    record(p, SIM_GONE, h->id, SIM_NONE, 0, 0, 0);
    kin_registration_unref(h->registration);
    /* A call may be under way: the memory stays. */
}

/* --- indexes --- */

struct indexed {
    struct program *program;
    sim_what what;
    unsigned color;
};

static int note_indexed(kin_str key, const kin_object *object, void *arg)
{
    const struct indexed *indexed = arg;

    (void)key;
    record(indexed->program, indexed->what, SIM_NONE, sim_key_of(object), sim_version_of(object), 0,
           indexed->color);
    return 0;
}

static void read_index(struct program *p, sim_what what)
{
    for (unsigned color = 0; color < SIM_COLORS; color++) {
        char text[2] = {(char)('0' + color), '\0'};
        struct indexed indexed = {p, what, color};

        kin_store_each_by_index(kin_informer_store(p->informer), kin_str_of("color"),
                                kin_str_of(text), note_indexed, &indexed, NULL);
    }
}

/* --- readers --- */

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
    unsigned number = p->world->n_views++;
    kin_view *view = NULL;

    if (kin_view_new(&view, kin_informer_store(p->informer), NULL) < 0)
        return;
    record(p, SIM_VIEW, SIM_NONE, SIM_NONE, number, 0, 0);
    for (int round = 0; round < 2; round++) {
        for (unsigned key = 0; key < SIM_KEYS; key++) {
            record(p, SIM_VIEW_ITEM, SIM_NONE, key, version_in(view, key), number, 0);
            sim_yield();
        }
        sim_sleep((int64_t)(detail % 10) * SECOND);
    }
    kin_view_free(view);
    read_index(p, SIM_INDEX_READ);
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
    size_t sent = sim_network_sent();
    uint64_t version = sim_server_put(p->world, key);
    const kin_object *object = sim_object(key, version);
    unsigned timeout_ms = detail % 100 * 1000;

    if (!object)
        return;
    record(p, SIM_WAIT_BEGINS, SIM_NONE, key, version, timeout_ms, 0);
    int code = kin_informer_wait_object(p->informer, object, timeout_ms, NULL);
    uint64_t stored = version_in_store(p, key);
    bool is_silent = sent != SIZE_MAX && sim_network_sent() == sent;
    record(p, SIM_WAIT_ENDS, SIM_NONE, key, version, stored, (code == 0) | is_silent << 1);
    kin_object_unref(object);
}

/* --- waiting for the first list, and looking at the status --- */

static void wait_handler_synced(struct program *p, unsigned slot, unsigned detail)
{
    const struct handler *h = p->slots[slot];
    unsigned timeout_ms = detail % 100 * 100;

    if (!h || !h->registration)
        return;
    kin_registration *registration = kin_registration_ref(h->registration);
    record(p, SIM_SYNC_BEGINS, h->id, SIM_NONE, 0, timeout_ms, 0);
    int code = kin_registration_wait_synced(registration, timeout_ms, NULL);
    record(p, SIM_SYNCED, h->id, SIM_NONE, 0, 0, code == 0);
    kin_registration_unref(registration);
}

static void wait_synced(struct program *p, unsigned detail)
{
    unsigned timeout_ms = detail % 100 * 100;

    record(p, SIM_SYNC_BEGINS, SIM_NONE, SIM_NONE, 0, timeout_ms, 0);
    int code = kin_informer_wait_synced(p->informer, timeout_ms, NULL);
    record(p, SIM_SYNCED, SIM_NONE, SIM_NONE, 0, 0, code == 0);
    for (unsigned key = 0; key < SIM_KEYS && code == 0; key++)
        record(p, SIM_SYNC_HAS, SIM_NONE, key, version_in_store(p, key), 0, 0);
}

static void read_status(struct program *p)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    for (unsigned i = 0; i < 5; i++) {
        if (kin_informer_get_status(p->informer, &status, NULL) == 0)
            record(p, SIM_STATUS, SIM_NONE, SIM_NONE, (uint64_t)status.state, 0,
                   status.state == KIN_INFORMER_WATCHING);
        sim_sleep(SECOND);
    }
}

/* --- the scope --- */

/* Its namespaces, how many there are, and the label selector; NULL: all. */
static unsigned scope_texts(unsigned scope, const char *namespaces[2], char selector[32])
{
    static const char *const names[] = {"n0", "n1"};
    unsigned colors = sim_scope_colors(scope);
    unsigned n = 0;
    size_t len = 0;

    for (unsigned i = 0; i < 2; i++) {
        unsigned which = scope & 32 ? 1 - i : i;

        if (sim_scope_namespaces(scope) >> which & 1)
            namespaces[n++] = names[which];
    }
    selector[0] = '\0';
    for (unsigned color = 0; color < SIM_COLORS; color++) {
        if (colors >> color & 1)
            len +=
                (size_t)snprintf(selector + len, 32 - len, "%s%u", len ? "," : "color in (", color);
    }
    if (len > 0)
        snprintf(selector + len, 32 - len, ")");
    return n;
}

/* One of the two calls. Without memory it is repeated. */
static void set_scope(struct program *p, unsigned scope, bool selects)
{
    const char *namespaces[2];
    char selector[32];
    unsigned n = scope_texts(scope, namespaces, selector);

    p->world->scope = scope;
    record(p, SIM_SCOPE, SIM_NONE, SIM_NONE, 0, 0, scope);
    while ((selects
                ? kin_informer_set_selectors(p->informer, selector[0] ? selector : NULL, NULL, NULL)
                : kin_informer_set_namespaces(p->informer, n ? namespaces : NULL, n, NULL)) < 0)
        sim_sleep(SECOND);
    record(p, SIM_SCOPED, SIM_NONE, SIM_NONE, 0, 0, scope);
}

static void change_scope(struct program *p, unsigned scope, unsigned detail)
{
    const unsigned colors = 7U << 2;
    unsigned before = p->world->scope;

    if (!p->world->plan.config.scopes)
        return;
    if (detail % 4 != 0)
        set_scope(p, (before & colors) | (scope & ~colors), false);
    if (detail % 4 != 1)
        set_scope(p, (p->world->scope & ~colors) | (scope & colors), true);
}

/* --- actors --- */

static void restart(struct program *p)
{
    kin_informer_stop(p->informer);
    kin_informer_wait_stopped(p->informer, -1, NULL);
    do
        sim_sleep(SECOND);
    while (kin_informer_start(p->informer, NULL) < 0);
}

static void stopped(sim_stop why, const char *text);

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
    case SIM_DO_SYNC:
        wait_handler_synced(p, action->subject, action->detail);
        break;
    case SIM_DO_SYNC_ALL:
        wait_synced(p, action->detail);
        break;
    case SIM_DO_SCOPE:
        change_scope(p, action->subject, action->detail);
        break;
    case SIM_DO_STATUS:
        read_status(p);
        break;
    case SIM_DO_SAVE:
        if (p->world->plan.config.snapshot)
            kin_informer_save(p->informer, p->world->snapshot, NULL);
        break;
    case SIM_DO_DIE:
        if (p->world->plan.config.snapshot && p->world->life < MAX_LIVES)
            stopped(SIM_DEATH, "");
        break;
    case SIM_DO_QUEUE_RESYNC:
    case SIM_DO_QUEUE_PUT:
    case SIM_DO_QUEUE_DELETE:
    case SIM_DO_WORK:
    case SIM_DO_WORK_LATER:
        sim_queues_act(action);
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
    static const char *const names[] = {"server", "user",     "other",
                                        "waiter", "producer", "resyncer"};
    struct actor *actor = arg;
    const sim_plan *plan = &actor->program->world->plan;
    unsigned *next = &actor->program->world->next_action[actor->who];

    sim_set_thread_name(names[actor->who]);
    for (unsigned i = *next; i < plan->n; i++) {
        const sim_action *action = &plan->actions[i];

        if (sim_actor_of(action->what) != actor->who)
            continue;
        sim_sleep(action->after_ns);
        *next = i + 1;
        record(actor->program, SIM_ACTS, SIM_NONE, SIM_NONE, i, 0, 0);
        act(actor->program, action);
    }
    return NULL;
}

/* --- the end --- */

static bool agrees(struct program *p)
{
    for (unsigned key = 0; key < SIM_KEYS; key++) {
        uint64_t truth = sim_server_get(&p->world->server, key, SIZE_MAX);
        uint64_t stored = version_in_store(p, key);

        if (!sim_scope_has(p->world->scope, key, truth))
            truth = 0;
        if (stored != truth && !sim_is_rejected(&p->world->plan.config, truth))
            return false;
        for (unsigned i = 0; i < SIM_HANDLERS; i++) {
            if (p->slots[i] && p->slots[i]->has[key] != stored)
                return false;
        }
    }
    return true;
}

static void note_store(struct program *p)
{
    for (unsigned key = 0; key < SIM_KEYS; key++)
        record(p, SIM_STORE_HAS, SIM_NONE, key, version_in_store(p, key), 0, 0);
    read_index(p, SIM_INDEX_HAS);
}

static void come_to_rest(struct program *p)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_view *view = NULL;
    int64_t end = sim_now() + CALM_SECONDS * SECOND;

    p->is_quiet = true;
    sim_survive();
    sim_queues_calm();
    sim_server_heal(p->world);
    /* So that the store keeps states that were replaced. */
    if (kin_view_new(&view, kin_informer_store(p->informer), NULL) < 0)
        abort();
    record(p, SIM_QUIET, SIM_NONE, SIM_NONE, 0, 0, 0);
    /* Once may be a coincidence while more is on its way. */
    for (unsigned times = 0; times < 3 && sim_now() < end; times = agrees(p) ? times + 1 : 0)
        sim_sleep(60 * SECOND);
    note_store(p);
    kin_informer_get_status(p->informer, &status, NULL);
    record(p, SIM_CALM, SIM_NONE, SIM_NONE, 0, 0, status.keeps_missing);
    kin_view_free(view);
}

/* --- all of it --- */

static sim_world *stopping_world;

static void stopped(sim_stop why, const char *text)
{
    sim_verdict *verdict = &stopping_world->verdict;

    if (why == SIM_DEATH) {
        sim_record_add(stopping_world, SIM_DIED, SIM_NONE, SIM_NONE, 0, 0, 0);
        stopping_world->has_died = true;
        stopping_world->now = sim_now();
        stopping_world->steps += sim_steps();
        _exit(0);
    }
    verdict->is_bad = true;
    verdict->at = stopping_world->history.n;
    verdict->key = SIM_NONE;
    snprintf(verdict->guarantee, sizeof(verdict->guarantee), "Live");
    snprintf(verdict->text, sizeof(verdict->text), "%s:\n%s",
             why == SIM_DEADLOCK ? "all threads wait, and none for a time" : "too many steps",
             text);
    _exit(0);
}

static int color_of(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    const struct program *p = arg;
    char text[2] = {(char)('0' + sim_version_of(object) % SIM_COLORS), '\0'};

    if (p->world->plan.config.slow_index && !p->is_quiet)
        sim_sleep((int64_t)(sim_now() % 5) * (sim_now() % 3 ? SECOND / 10 : 10 * SECOND));
    return kin_index_values_add(values, kin_str_of(text), err);
}

static int transform(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    const struct program *p = arg;

    if (sim_is_rejected(&p->world->plan.config, sim_version_of(object)))
        return kin_error_set(err, KIN_EREFUSED, "simulated");
    *ret = kin_object_ref(object);
    return 0;
}

/* Over a source of the program's own, or over a client. */
static int new_informer(struct program *p, kin_informer_options *options)
{
    const char *namespaces[2];
    char selector[32];

    if (!p->world->plan.config.scopes)
        return kin_informer_new_from(&p->informer, sim_source_new(0), options, NULL);
    options->n_namespaces = scope_texts(p->world->scope, namespaces, selector);
    options->namespaces = options->n_namespaces ? namespaces : NULL;
    options->label_selector = selector[0] ? selector : NULL;
    record(p, SIM_SCOPE, SIM_NONE, SIM_NONE, 0, 0, p->world->scope);
    return kin_informer_new(&p->informer, sim_client(), "pods", options, NULL);
}

static void make_informer(struct program *p)
{
    const sim_config *config = &p->world->plan.config;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_index index = KIN_INDEX_INIT("color", color_of);
    char version[KIN_RESOURCE_VERSION_BYTES_MAX + 1];
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    options.queue = config->ordered ? KIN_QUEUE_ORDERED : KIN_QUEUE_DELTA_FIFO;
    options.no_streaming_list = !config->streaming;
    options.page_size = config->page_size;
    options.resync_ms = config->resync_ms;
    options.seed = p->world->plan.seed | 1;
    options.relist_ms = config->relist_ms ? config->relist_ms : -1;
    if (config->snapshot) {
        options.snapshot_identity = "simulation";
        options.snapshot_max_age_ms = -1;
    }
    options.transform = config->rejects ? transform : NULL;
    options.transform_arg = p;
    options.key = config->own_key ? sim_object_id : NULL;
    index.arg = p;
    if (new_informer(p, &options) < 0 || kin_informer_add_index(p->informer, &index, NULL) < 0)
        abort();
    /* There may be no file yet. The version is read before others come. */
    if (config->snapshot)
        kin_informer_load(p->informer, p->world->snapshot, NULL);
    kin_informer_get_status(p->informer, &status, NULL);
    kin_store_resource_version(kin_informer_store(p->informer), version, sizeof(version));
    if (status.is_warm)
        record(p, SIM_LOADED, SIM_NONE, SIM_NONE, version[0] ? strtoull(version, NULL, 10) : 1, 0,
               0);
    if (kin_informer_start(p->informer, NULL) < 0)
        abort();
    if (status.is_warm)
        wait_synced(p, 1);
}

/* --- memory --- */

static void *allocate(size_t size, void *arg)
{
    return sim_server_lacks_memory(arg) ? NULL : malloc(size);
}

static void *reallocate(void *ptr, size_t size, void *arg)
{
    return sim_server_lacks_memory(arg) ? NULL : realloc(ptr, size);
}

static void release(void *ptr, void *arg)
{
    (void)arg;
    free(ptr);
}

static void set_allocator(sim_world *world)
{
    kin_allocator allocator = {sizeof(allocator), allocate, reallocate, release, world};

    if (kin_set_allocator(&allocator, NULL) < 0)
        abort();
}

static void begin_life(sim_world *world)
{
    sim_schedule how = world->plan.schedule;
    unsigned life = world->life++;

    if (life == 0) {
        world->server.rng.state = world->plan.seed;
        world->server.version = 1;
        world->scope = world->plan.config.scopes ? world->plan.config.scope : 0;
        memset(world->server.seen, 0xff, sizeof(world->server.seen));
    } else {
        how.start_unix_ns += world->now - how.start_ns;
        how.start_ns = world->now;
        how.seed += life;
        world->scope ^= world->plan.config.scopes ? 32 : 0;
    }
    how.die_at = life < 2 ? world->plan.config.dies_at[life] : 0;
    world->has_died = false;
    world->server.memory_fails_until = 0;
    sim_begin(&how, MAX_STEPS, stopped);
}

void sim_run(sim_world *world)
{
    static struct program program;
    struct actor actors[SIM_ACTORS];
    struct program *p = &program;

    p->world = world;
    stopping_world = world;
    begin_life(world);
    set_allocator(world);
    sim_network_start(world);
    make_informer(p);
    join(p, 0, (unsigned)world->plan.seed & 0xff);
    sim_queues_start(world, p->informer);
    for (unsigned i = 0; i < SIM_ACTORS; i++) {
        actors[i] = (struct actor){.program = p, .who = (sim_actor)i};
        pthread_create(&actors[i].thread, NULL, actor_run, &actors[i]);
    }
    for (unsigned i = 0; i < SIM_ACTORS; i++)
        pthread_join(actors[i].thread, NULL);
    if (world->plan.config.dies_at_end && !world->has_ended) {
        world->has_ended = true;
        stopped(SIM_DEATH, "");
    }
    come_to_rest(p);
    sim_queues_stop();
    kin_informer_free(p->informer);
    sim_network_stop();
    world->steps += sim_steps();
    world->simulated_ns = sim_now() - world->plan.schedule.start_ns;
}
