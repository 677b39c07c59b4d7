/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The informers of kinform demo, from one factory, with handlers in the loop's own thread. A handler only
 * keeps references to what it was told, the latest in a ring: what has changed in an object is found out when
 * it is shown, so that many changes per second cost little.
 */
#include "cli/demo_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cli/cluster.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "kinform/path.h"
#include "kinform/view.h"

static const int64_t second = 1000000000;

static const char *const names[DEMO_KINDS] = {"pods", "nodes", "deployments", "replicasets",
                                              "leases"};

/* --- what they tell --- */

/* In a worker: the loop looks. */
static void state_changed(kin_informer *informer, void *arg)
{
    const struct demo_informers *all = arg;
    const uint64_t one = 1;

    (void)informer;
    (void)!write(all->changed_fd, &one, sizeof(one));
}

/* A node renews its Lease when that is due, by the server's clock, which is ours. */
static void note_latency(struct demo_informers *all, const kin_object *lease)
{
    int64_t now = kin_clock_unix_now(kin_clock_system());
    kin_value renewed = {NULL, NULL};
    kin_time t;

    if (kin_value_find(&renewed, kin_object_root(lease), kin_str_of("spec.renewTime"), NULL) < 0 ||
        kin_value_time(&t, renewed) < 0 || t.seconds < now / second - 60 ||
        t.seconds > now / second)
        return; /* not by the simulation: somebody has edited it */
    int64_t ns = now - t.seconds * second - t.nanoseconds;
    if (ns < 0)
        return;
    all->latencies[all->n_latencies++ % DEMO_LATENCIES] = ns;
    all->max_latency_ns = ns > all->max_latency_ns ? ns : all->max_latency_ns;
}

static void forget_event(struct demo_event *event)
{
    kin_object_unref(event->object);
    kin_object_unref(event->old_object);
    *event = (struct demo_event){0};
}

static void on_event(const kin_event *event, void *arg)
{
    struct demo_informer *item = arg;
    struct demo_informers *all = item->all;

    if (event->is_initial || event->is_sync)
        return;
    if (event->type == KIN_EVENT_UPDATE && strcmp(names[item->index], "leases") == 0)
        note_latency(all, event->object);
    if (all->is_paused) {
        all->unseen++;
        return;
    }
    struct demo_event *kept = &all->events[all->n_events++ % DEMO_CHANGES];
    forget_event(kept);
    kept->unix_s = kin_clock_unix_now(kin_clock_system()) / second;
    kept->kind = item->index;
    kept->type = event->type;
    kept->object = kin_object_ref(event->object);
    kept->old_object = event->old_object ? kin_object_ref(event->old_object) : NULL;
}

void demo_informers_pause(struct demo_informers *all, bool is_paused)
{
    all->is_paused = is_paused;
    all->unseen = 0;
}

/* --- life --- */

void demo_informers_init(struct demo_informers *all)
{
    memset(all, 0, sizeof(*all));
    all->changed_fd = -1;
    all->sync_ns = -1;
    for (size_t i = 0; i < DEMO_KINDS; i++) {
        all->items[i].all = all;
        all->items[i].index = i;
    }
}

static int add_informer(struct demo_informers *all, size_t i, kin_error *err)
{
    struct demo_informer *item = &all->items[i];
    kin_handler_options handler = KIN_HANDLER_OPTIONS_INIT;
    int code = kin_client_resolve(all->client, &item->resource, names[i], err);

    handler.delivery = KIN_DELIVER_LOOP;
    if (code == 0)
        code = kin_factory_informer(all->factory, &item->informer, names[i], err);
    if (code == 0)
        code = kin_informer_add_handler(item->informer, &item->registration, on_event, item,
                                        &handler, err);
    return code;
}

static int make(struct demo_informers *all, const char *kubeconfig, kin_error *err)
{
    const struct cluster_settings cluster = {.kubeconfig = kubeconfig};
    const struct selection_settings selection = {.namespace_ = NULL};
    kin_informer_options informers = KIN_INFORMER_OPTIONS_INIT;
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;

    all->changed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (all->changed_fd < 0)
        return kin_error_set(err, KIN_ESYSTEM, "eventfd: %s", strerror(errno));
    informers.changed = state_changed;
    informers.changed_arg = all;
    options.informers = &informers;
    int code = cluster_connect(&all->client, &cluster, &selection, err);
    if (code == 0)
        code = kin_factory_new(&all->factory, all->client, &options, err);
    for (size_t i = 0; i < DEMO_KINDS && code == 0; i++)
        code = add_informer(all, i, err);
    return code;
}

int demo_informers_start(struct demo_informers *all, const char *kubeconfig, kin_error *err)
{
    int code = make(all, kubeconfig, err);

    all->started_ns = kin_clock_now(kin_clock_system());
    all->second_ns = all->started_ns;
    return code < 0 ? code : kin_factory_start(all->factory, err);
}

void demo_informers_done(struct demo_informers *all)
{
    for (size_t i = 0; i < DEMO_KINDS; i++) {
        kin_registration_unref(all->items[i].registration);
        kin_resource_unref(all->items[i].resource);
    }
    kin_factory_free(all->factory);
    kin_client_free(all->client);
    for (size_t i = 0; i < DEMO_CHANGES; i++) {
        forget_event(&all->events[i]);
        text_done(&all->texts[i][0]);
        text_done(&all->texts[i][1]);
    }
    text_done(&all->note);
    if (all->changed_fd >= 0)
        close(all->changed_fd);
    all->changed_fd = -1;
}

/* --- running --- */

static void note_lag(struct demo_informer *item)
{
    kin_handler_status status = KIN_HANDLER_STATUS_INIT;

    if (kin_registration_get_status(item->registration, &status, NULL) < 0 || status.queued == 0)
        return;
    item->lags[0] = status.lag_ns > item->lags[0] ? status.lag_ns : item->lags[0];
    item->depths[0] = status.queued > item->depths[0] ? status.queued : item->depths[0];
    if (status.is_synced && status.lag_ns > item->max_lag_ns)
        item->max_lag_ns = status.lag_ns;
}

static bool all_synced(const struct demo_informers *all)
{
    for (size_t i = 0; i < DEMO_KINDS; i++) {
        if (!kin_registration_has_synced(all->items[i].registration))
            return false;
    }
    return true;
}

void demo_informers_dispatch(struct demo_informers *all)
{
    uint64_t n;

    (void)!read(all->changed_fd, &n, sizeof(n));
    for (size_t i = 0; i < DEMO_KINDS; i++) {
        note_lag(&all->items[i]);
        (void)kin_informer_dispatch(all->items[i].informer, 0, NULL, NULL);
    }
    if (all->sync_ns >= 0 || !all_synced(all))
        return;
    all->sync_ns = kin_clock_now(kin_clock_system()) - all->started_ns;
    for (size_t i = 0; i < DEMO_KINDS; i++) {
        kin_informer_status status = KIN_INFORMER_STATUS_INIT;

        (void)kin_informer_get_status(all->items[i].informer, &status, NULL);
        all->synced_objects += status.objects;
        all->items[i].first_events = status.events;
        all->items[i].rate.n = 0;
    }
}

bool demo_informers_have_synced(const struct demo_informers *all)
{
    return all->sync_ns >= 0;
}

/* --- what happens to the connections --- */

static void begin_note(struct demo_informers *all, int64_t now_ns, bool was_restarted)
{
    all->lost_ns = now_ns;
    all->back_ns = 0;
    all->was_restarted = was_restarted;
    all->has_waited = false;
}

static void write_note(struct demo_informers *all, size_t n_waiting, const char *reason)
{
    text_clear(&all->note);
    text_add_string(&all->note,
                    all->was_restarted ? "The server was restarted" : "The server was lost");
    if (all->back_ns > 0) {
        text_add_string(&all->note, "; all informers watch again, after ");
        add_lag(&all->note, all->back_ns - all->lost_ns);
    } else if (n_waiting > 0) {
        text_format(&all->note, "; %zu wait and try again: %s", n_waiting, reason);
    }
}

static void note_connections(struct demo_informers *all, int64_t now_ns)
{
    enum { SHOWN_S = 15 };
    const char *reason = NULL;
    size_t n_waiting = 0;
    size_t n_watching = 0;

    for (size_t i = 0; i < DEMO_KINDS; i++) {
        const kin_informer_status *status = &all->items[i].status;

        n_watching += status->state == KIN_INFORMER_WATCHING;
        n_waiting += status->state == KIN_INFORMER_WAITING;
        if (status->state == KIN_INFORMER_WAITING && !reason)
            reason = status->last_error.message;
    }
    if (n_waiting > 0 && (all->lost_ns == 0 || all->back_ns > 0))
        begin_note(all, now_ns, false);
    if (all->lost_ns == 0)
        return;
    all->has_waited = all->has_waited || n_waiting > 0;
    /* A connection that is lost and had again between two looks was never seen to be gone. */
    if (n_watching == DEMO_KINDS && all->back_ns == 0 &&
        (all->has_waited || now_ns > all->lost_ns + 2 * second))
        all->back_ns = now_ns;
    if (all->back_ns > 0 && now_ns > all->back_ns + SHOWN_S * second) {
        text_clear(&all->note);
        all->lost_ns = 0;
    } else {
        write_note(all, n_waiting, reason);
    }
}

void demo_informers_restarted(struct demo_informers *all, int64_t now_ns)
{
    begin_note(all, now_ns, true);
    write_note(all, 0, NULL);
}

/* --- figures --- */

/* The average size of an object, and for the first `n_json` of them also that of its JSON. */
static void measure(struct demo_informer *item, size_t n_json, uint64_t *ret_json)
{
    kin_view *view = NULL;
    const kin_object *object = NULL;
    uint64_t bytes = 0;
    uint64_t json = 0;
    size_t n = 0;
    size_t n_written = 0;

    if (kin_view_new(&view, kin_informer_store(item->informer), NULL) < 0)
        return;
    while (kin_view_next(view, NULL, &object)) {
        char *text = NULL;
        size_t len = 0;

        bytes += kin_object_size(object);
        n++;
        if (n_written < n_json &&
            kin_object_to_json(&text, &len, object, KIN_JSON_COMPACT, NULL) == 0) {
            json += len;
            n_written++;
        }
        kin_free(text);
    }
    kin_view_free(view);
    item->bytes = n > 0 ? bytes / n : 0;
    *ret_json = n_written > 0 ? json / n_written : 0;
}

/* Objects are gone through, so with many of them it is done less often. */
static void measure_all(struct demo_informers *all, int64_t now_ns)
{
    uint64_t json;

    if (now_ns < all->next_look_ns)
        return;
    for (size_t i = 0; i < DEMO_KINDS; i++)
        measure(&all->items[i], 0, &json);
    int64_t took = kin_clock_now(kin_clock_system()) - now_ns;
    all->next_look_ns = now_ns + second + 20 * took;
}

void demo_informers_sample(struct demo_informers *all, int64_t now_ns)
{
    bool next_second = now_ns >= all->second_ns + second;

    for (size_t i = 0; i < DEMO_KINDS; i++) {
        struct demo_informer *item = &all->items[i];

        item->status = (kin_informer_status)KIN_INFORMER_STATUS_INIT;
        (void)kin_informer_get_status(item->informer, &item->status, NULL);
        rate_sample(&item->rate, now_ns, item->status.events);
        if (next_second) {
            item->lags[1] = item->lags[0];
            item->lags[0] = 0;
            item->depths[1] = item->depths[0];
            item->depths[0] = 0;
        }
    }
    if (next_second)
        all->second_ns = now_ns;
    measure_all(all, now_ns);
    if (all->sync_ns >= 0)
        note_connections(all, now_ns);
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static struct demo_latency latency_of(const struct demo_informers *all)
{
    size_t n = all->n_latencies < DEMO_LATENCIES ? all->n_latencies : DEMO_LATENCIES;
    struct demo_latency latency = {all->n_latencies, n, 0, all->max_latency_ns};

    if (all->n_latencies == 0)
        return latency;
    int64_t *sorted = memory_zeroed(n, sizeof(*sorted));
    memcpy(sorted, all->latencies, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), by_size);
    latency.median_ns = sorted[n / 2];
    free(sorted);
    return latency;
}

static void get_change(struct demo_informers *all, size_t number, size_t into)
{
    const struct demo_event *kept = &all->events[number % DEMO_CHANGES];
    const kin_event event = {.size = sizeof(event),
                             .type = kept->type,
                             .object = kept->object,
                             .old_object = kept->old_object};
    const kin_resource *resource = all->items[kept->kind].resource;
    struct text *head = &all->texts[into][0];
    struct text *details = &all->texts[into][1];

    text_clear(head);
    text_clear(details);
    watch_view_add_head(&all->view, head, resource, &event, kept->unix_s);
    watch_view_add_details(&all->view, details, resource, &event);
    all->changes[into] = (struct demo_change){
        kept->type, text_string(head), text_string(details) + strspn(text_string(details), " ")};
}

static void get_kind(const struct demo_informer *item, struct demo_kind *kind)
{
    const kin_informer_status *status = &item->status;

    *kind = (struct demo_kind){
        .name = names[item->index],
        .state = status->state,
        .error = status->state == KIN_INFORMER_WAITING ? status->last_error.message : NULL,
        .objects = status->objects,
        .events = status->events > item->first_events ? status->events - item->first_events : 0,
        .rate = rate_per_second(&item->rate),
        .queued = item->depths[0] > item->depths[1] ? item->depths[0] : item->depths[1],
        .lag_ns = item->lags[0] > item->lags[1] ? item->lags[0] : item->lags[1],
        .max_lag_ns = item->max_lag_ns,
        .bytes = item->bytes,
    };
}

void demo_informers_get(struct demo_informers *all, struct demo_figures *f, size_t n_changes,
                        int64_t now_ns)
{
    size_t n = all->n_events < DEMO_CHANGES ? all->n_events : DEMO_CHANGES;

    n = n < n_changes ? n : n_changes;
    for (size_t i = 0; i < n; i++)
        get_change(all, all->n_events - n + i, i);
    for (size_t i = 0; i < DEMO_KINDS; i++)
        get_kind(&all->items[i], &f->kinds[i]);
    f->changes = all->changes;
    f->n_changes = n;
    f->is_paused = all->is_paused;
    f->unseen = all->unseen;
    f->note = all->note.len > 0 ? text_string(&all->note) : NULL;
    f->sync_ns = all->sync_ns;
    f->synced_objects = all->synced_objects;
    f->elapsed_ns = all->started_ns > 0 ? now_ns - all->started_ns : 0;
}

void demo_informers_measure(struct demo_informers *all, struct demo_figures *f)
{
    enum { JSON_OBJECTS = 200 };

    f->latency = latency_of(all);
    for (size_t i = 0; i < DEMO_KINDS; i++) {
        if (!all->items[i].informer)
            continue;
        measure(&all->items[i], JSON_OBJECTS, &f->kinds[i].json);
        f->kinds[i].bytes = all->items[i].bytes;
    }
}
