/* SPDX-License-Identifier: Apache-2.0 */
#include "server.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>

#include "kinform/json.h"

#define SECOND INT64_C(1000000000)

struct op;

struct source {
    kin_list_watch base;
    struct source *next;
    unsigned scope;
    /* Without versions it continues a watch here: after the changes that were taken; SIZE_MAX: it cannot. */
    size_t at;
    bool is_silent;
    bool
        is_clients; /* of an informer's reflector; the informer's first one would have to have threads */
};

static struct network {
    sim_world *world;
    struct source *sources;
    struct op *ops;
    struct op *ended;
    size_t n_sent;      /* messages to the program */
    unsigned n_sending; /* now */
    bool quits;
    pthread_t threads[SIM_NETWORK];
} net;

/* --- the model --- */

void sim_record_add(sim_world *world, sim_what what, unsigned handler, unsigned key,
                    uint64_t version, uint64_t old, unsigned flags)
{
    sim_history *history = &world->history;

    if (history->n == SIM_RECORDS) {
        history->is_full = true;
        return;
    }
    sim_record *record = &history->at[history->n++];
    *record = (sim_record){
        .step = sim_steps(),
        .now = sim_now(),
        .what = (uint8_t)what,
        .handler = (uint8_t)handler,
        .key = (uint8_t)key,
        .flags = (uint8_t)flags,
        .version = version,
        .old = old,
    };
    snprintf(record->thread, sizeof(record->thread), "%s", sim_thread_name());
}

uint64_t sim_server_get(const sim_server *server, unsigned key, size_t n)
{
    if (n > server->n_changes)
        n = server->n_changes;
    for (size_t i = n; i > 0; i--) {
        const sim_change *change = &server->changes[i - 1];

        if (change->key == key)
            return change->is_deletion ? 0 : change->version;
    }
    return 0;
}

static uint64_t version_of(const sim_server *server, size_t n)
{
    if (n > server->n_changes)
        n = server->n_changes;
    return n == 0 ? 1 : server->changes[n - 1].version;
}

/* How many changes are not newer than a version. */
static size_t changes_up_to(const sim_server *server, uint64_t version)
{
    size_t n = server->n_changes;

    while (n > 0 && server->changes[n - 1].version > version)
        n--;
    return n;
}

static void change(sim_world *world, unsigned key, bool is_deletion)
{
    sim_server *server = &world->server;
    uint64_t before = sim_server_get(server, key, SIZE_MAX);

    if (server->n_changes == SIM_CHANGES || (is_deletion && before == 0))
        return;
    /* Other resources have versions, too. */
    server->version += 1 + kin_test_below(&server->rng, 3);
    server->changes[server->n_changes++] = (sim_change){server->version, (uint8_t)key, is_deletion};
    sim_record_add(world, is_deletion ? SIM_DELETED : SIM_WROTE, SIM_NONE, key, server->version,
                   before, 0);
}

/* The same of a scope. */
static uint64_t get_in(const sim_server *server, unsigned scope, unsigned key, size_t n)
{
    uint64_t version = sim_server_get(server, key, n);

    return sim_scope_has(scope, key, version) ? version : 0;
}

/* --- objects --- */

/* The labels have its key and its version, since other places for these may be empty. */
const kin_object *sim_object(unsigned key, uint64_t version)
{
    const sim_config *config = &net.world->plan.config;
    const kin_object *object = NULL;
    char name[24] = "";
    char head[64] = "";
    char json[400];

    if (!config->own_key)
        snprintf(name, sizeof(name), "\"name\":\"%u\",", key);
    if (!config->unversioned)
        snprintf(head, sizeof(head), "\"resourceVersion\":\"%llu\",", (unsigned long long)version);
    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{%s\"namespace\":\"n%u\",%s"
             "\"labels\":{\"id\":\"n%u/%u\",\"version\":\"%llu\"}}}",
             name, key % 2, head, key % 2, key, (unsigned long long)version);
    return kin_object_from_json(&object, kin_str_of(json), NULL, NULL) < 0 ? NULL : object;
}

int sim_object_id(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)arg;
    return kin_object_label(object, kin_str_of("id"), ret)
               ? 0
               : kin_error_set(err, KIN_EINVAL, "an object of another world");
}

unsigned sim_key_of(const kin_object *object)
{
    kin_str id = {NULL, 0};

    kin_object_is_tombstone(object, &object);
    return object && sim_object_id(object, &id, NULL, NULL) == 0 && id.len == 4
               ? (unsigned)(id.data[3] - '0')
               : SIM_NONE;
}

uint64_t sim_version_of(const kin_object *object)
{
    kin_str text = {NULL, 0};
    char copy[24] = "";

    if (object)
        kin_object_label(object, kin_str_of("version"), &text);
    if (text.len > 0 && text.len < sizeof(copy))
        memcpy(copy, text.data, text.len);
    return strtoull(copy, NULL, 10);
}

/* A bookmark, or the head of a list. */
static const kin_object *make_head(uint64_t version, const char *more)
{
    const kin_object *object = NULL;
    char text[24] = "";
    char json[256];

    if (!net.world->plan.config.unversioned)
        snprintf(text, sizeof(text), "%llu", (unsigned long long)version);
    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"%s\"%s}}",
             text, more);
    return kin_object_from_json(&object, kin_str_of(json), NULL, NULL) < 0 ? NULL : object;
}

/* --- failures --- */

/* Ways to fail. */
static const struct way {
    int code;
    int http_status;
    const char *reason;
    int64_t retry_after_ms;
    int os_error;
} ways[SIM_WAYS] = {
    {KIN_ECONNECT, 0, "", 0, 0},
    {KIN_ECONNECT, 0, "", 0, ECONNREFUSED},
    {KIN_ESERVER, 500, "InternalError", 0, 0},
    {KIN_ESERVER, 503, "ServiceUnavailable", 2000, 0},
    {KIN_ESERVER, 429, "TooManyRequests", 1000, 0},
    {KIN_EEXPIRED, 410, "Expired", 0, 0},
    {KIN_EDENIED, 403, "Forbidden", 0, 0},
    {KIN_ETIMEOUT, 0, "", 0, 0},
    {KIN_EREFUSED, 422, "Invalid", 0, 0},
    {KIN_ESERVER, 503, "ServiceUnavailable", 86400000, 0},
};
enum { GONE = 5, INTERNAL = 2, LOST = 0 };

static const kin_object *make_status(const struct way *way, const char *cause)
{
    const kin_object *status = NULL;
    char json[320];

    snprintf(
        json, sizeof(json),
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"simulated\","
        "\"reason\":\"%s\",\"code\":%d%s}",
        way->reason, way->http_status, cause);
    return kin_object_from_json(&status, kin_str_of(json), NULL, NULL) < 0 ? NULL : status;
}

static void fill_error(kin_error *err, const struct way *way)
{
    kin_error_set(err, way->code, "simulated");
    err->http_status = way->http_status;
    err->os_error = way->os_error;
    err->retry_after_ms = way->retry_after_ms;
    snprintf(err->reason, sizeof(err->reason), "%s", way->reason);
}

/* --- operations --- */

struct op {
    kin_operation base;
    struct op *next;
    struct source *source;
    kin_call_handlers handlers;
    bool is_list;
    bool bookmarks;
    bool is_cancelled;
    bool is_released;
    bool is_busy; /* a thread of the network steps it */
    bool has_begun;
    bool is_agreed; /* a watch that was agreed to, and has not ended */
    unsigned replica;
    unsigned fails; /* in this way, from 1 on; 0: not */
    bool is_too_large;
    int64_t due;      /* when something may come */
    int64_t deadline; /* the end of a watch, or of a list without progress */
    /* A list, or the initial events of a stream: */
    bool has_items;
    unsigned next_key;
    int64_t limit;
    size_t at; /* changes that the list has seen, or that the watch has sent */
    bool wants_bookmark;
    size_t n_events; /* that were sent, initial ones not counted */
    uint64_t above;  /* of these versions */
    unsigned ends;   /* the watch: 1 well; 2 + way */
    bool repeats;    /* the last event */
    bool skips;      /* the next one */
};

static struct op *op_of(kin_operation *operation)
{
    return (struct op *)(void *)operation;
}

static void note_end(struct op *op)
{
    if (op->is_agreed)
        sim_record_add(net.world, SIM_ENDED, SIM_NONE, SIM_NONE, 0, 0, 0);
    op->is_agreed = false;
}

static void op_cancel(kin_operation *operation)
{
    op_of(operation)->is_cancelled = true;
    note_end(op_of(operation));
    sim_wake(&net);
    sim_yield();
}

static void op_release(kin_operation *operation)
{
    op_of(operation)->is_released = true;
    sim_wake(&net);
}

/* The changes that a replica has seen. */
static size_t seen_by(const sim_server *server, unsigned replica)
{
    return server->seen[replica] < server->n_changes ? server->seen[replica] : server->n_changes;
}

static unsigned next_failure(sim_server *server)
{
    unsigned way = server->failing % 16;

    server->failing /= 16;
    return way;
}

/* From where it reads; a version that the replica has not seen, or that is forgotten, makes it fail. */
static void place(struct op *op, sim_server *server, const kin_request_options *options)
{
    const char *text = options->resource_version ? options->resource_version : "";
    uint64_t version = strtoull(text, NULL, 10);

    if (options->continue_token) {
        unsigned long long at;

        if (sscanf(options->continue_token, "%llu.%u", &at, &op->next_key) == 2)
            op->at = (size_t)at;
        if (version_of(server, op->at) < server->compacted || op->at > server->n_changes ||
            kin_test_below(&server->rng, 6) == 0)
            op->fails = GONE + 1;
        return;
    }
    if (net.world->plan.config.unversioned) {
        op->at = op->has_items ? server->n_changes : op->source->at;
        if (op->at > server->n_changes || version_of(server, op->at) < server->compacted)
            op->fails = GONE + 1;
        return;
    }
    op->at = text[0] == '\0' ? server->n_changes : seen_by(server, op->replica);
    if (!op->has_items && op->is_list == false) {
        /* A watch from a version. */
        if (version < server->compacted)
            op->fails = GONE + 1;
        op->at = changes_up_to(server, version);
        op->above = version;
        /* Of a version that is yet to come, as after a restored backup, servers say so or wait. */
        op->is_too_large =
            version > version_of(server, SIZE_MAX) && kin_test_below(&server->rng, 2) == 0;
        return;
    }
    if (version > version_of(server, op->at))
        op->is_too_large = true;
}

static int begin(kin_list_watch *base, kin_operation **ret, const kin_request_options *options,
                 const kin_call_handlers *handlers, bool is_list)
{
    struct source *source = (struct source *)(void *)base;
    sim_server *server = &net.world->server;
    struct op *op = calloc(1, sizeof(*op));

    if (!op)
        return KIN_ENOMEM;
    op->base.cancel = op_cancel;
    op->base.release = op_release;
    op->source = source;
    op->handlers = *handlers;
    op->is_list = is_list;
    op->bookmarks = options->bookmarks;
    op->has_items = is_list || options->send_initial_events;
    op->limit = options->limit;
    op->replica = (unsigned)kin_test_below(&server->rng, SIM_REPLICAS);
    op->deadline = sim_now() + (is_list ? 300 * SECOND : options->watch_timeout_ms * 1000000);
    place(op, server, options);
    unsigned failure = source->is_silent ? 0 : next_failure(server);
    if (failure)
        op->fails = failure;
    op->due = sim_now();
    op->next = net.ops;
    net.ops = op;
    *ret = &op->base;
    sim_wake(&net);
    sim_yield();
    return 0;
}

static int source_list(kin_list_watch *base, kin_operation **ret,
                       const kin_request_options *options, const kin_call_handlers *handlers,
                       kin_error *err)
{
    (void)err;
    return begin(base, ret, options, handlers, true);
}

static int source_watch(kin_list_watch *base, kin_operation **ret,
                        const kin_request_options *options, const kin_call_handlers *handlers,
                        kin_error *err)
{
    (void)err;
    return begin(base, ret, options, handlers, false);
}

/* --- the network --- */

static void op_unlink(struct op *op)
{
    struct op **link = &net.ops;

    while (*link != op)
        link = &(*link)->next;
    *link = op->next;
    op->next = net.ended;
    net.ended = op;
}

static void begin_send(void)
{
    net.n_sent++;
    net.n_sending++;
}

size_t sim_network_sent(void)
{
    return net.n_sending > 0 ? SIZE_MAX : net.n_sent;
}

static void op_end(struct op *op, int code, const kin_error *err, const kin_object *object,
                   const kin_object *status)
{
    kin_error none = KIN_ERROR_INIT;
    kin_result result = {sizeof(result), code, err ? err : &none, object, status, op->has_begun, 0};

    note_end(op);
    begin_send();
    op->handlers.done(&result, op->handlers.arg);
    net.n_sending--;
    if (op->handlers.arg_free)
        op->handlers.arg_free(op->handlers.arg);
    /* It stays busy: nothing more is sent. */
    while (!op->is_released)
        sim_wait(&net, "a release", INT64_MAX);
    op_unlink(op);
}

static void op_end_code(struct op *op, int code, const char *text)
{
    kin_error err = KIN_ERROR_INIT;

    kin_error_set(&err, code, "%s", text);
    op_end(op, code, &err, NULL, NULL);
}

static void op_fail(struct op *op, const struct way *way, const char *cause)
{
    const kin_object *status = way->http_status ? make_status(way, cause) : NULL;
    kin_error err = KIN_ERROR_INIT;

    fill_error(&err, way);
    op_end(op, way->code, &err, NULL, status);
    kin_object_unref(status);
}

/* What the other side could not take ends the operation. */
static bool op_took(struct op *op, int code, const kin_error *err)
{
    if (code >= 0)
        return true;
    op_end(op, code, err, NULL, NULL);
    return false;
}

/* A message takes its time. */
static void take_time(sim_world *world, unsigned one_of)
{
    int64_t latency = world->plan.config.latency_ns;

    if (latency > 0 && kin_test_below(&world->server.rng, one_of) == 0)
        sim_sleep((int64_t)kin_test_below(&world->server.rng, (uint64_t)latency));
    else
        sim_yield();
}

static bool send_event(struct op *op, enum kin_watch_type type, const kin_object *object)
{
    kin_error err = KIN_ERROR_INIT;

    /* It may arrive after it was cancelled. */
    take_time(net.world, 16);
    begin_send();
    int code = object ? op->handlers.event(type, object, op->handlers.arg, &err) : KIN_ENOMEM;

    net.n_sending--;
    kin_object_unref(object);
    return op_took(op, code, &err);
}

static bool send_item(struct op *op, unsigned key, uint64_t version)
{
    const kin_object *object = sim_object(key, version);
    kin_error err = KIN_ERROR_INIT;
    int code;

    if (!op->is_list)
        return send_event(op, KIN_WATCH_ADDED, object);
    code = object ? op->handlers.item(object, op->handlers.arg, &err) : KIN_ENOMEM;
    kin_object_unref(object);
    return op_took(op, code, &err);
}

/* The next object of a list, or its end. Whether it goes on. */
static bool step_items(struct op *op)
{
    const sim_server *server = &net.world->server;
    char more[64] = "";

    while (op->next_key < SIM_KEYS) {
        unsigned key = op->next_key;
        uint64_t version = get_in(server, op->source->scope, key, op->at);

        op->next_key++;
        if (version == 0)
            continue;
        if (!send_item(op, key, version))
            return false;
        if (op->limit > 0 && --op->limit == 0 && op->next_key < SIM_KEYS) {
            snprintf(more, sizeof(more), ",\"continue\":\"%zu.%u\"", op->at, op->next_key);
            break;
        }
        return true;
    }
    uint64_t version = version_of(server, op->at);
    if (!more[0] && op->is_list)
        op->source->at = op->at;
    if (!more[0])
        sim_record_add(net.world, SIM_LISTED, sim_part(op->source->scope), SIM_NONE, version, 0, 0);
    if (!op->is_list) {
        op->has_items = false;
        if (!send_event(
                op, KIN_WATCH_BOOKMARK,
                make_head(version, ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}")))
            return false;
        op->source->at = op->at;
        return true;
    }
    const kin_object *head = make_head(version, more);
    if (head)
        op_end(op, 0, NULL, head, NULL);
    else
        op_end_code(op, KIN_ENOMEM, "out of memory");
    kin_object_unref(head);
    return false;
}

/* The next event of a watch. Whether it goes on. */
static bool step_events(struct op *op)
{
    sim_server *server = &net.world->server;
    size_t head = seen_by(server, op->replica);

    bool is_repeated = op->repeats && op->at > 0 && op->n_events > 0;

    op->at -= is_repeated;
    op->repeats = false;
    if (op->at < head && op->skips) {
        op->skips = false;
        op->at++;
        sim_record_add(net.world, SIM_LIED, SIM_NONE, SIM_NONE, 0, 0, 0);
        return true;
    }
    if (op->at < head) {
        const sim_change *c = &server->changes[op->at];
        uint64_t before = get_in(server, op->source->scope, c->key, op->at);
        uint64_t now = get_in(server, op->source->scope, c->key, op->at + 1);
        enum kin_watch_type type = now == 0 ? KIN_WATCH_DELETED
                                   : before ? KIN_WATCH_MODIFIED
                                            : KIN_WATCH_ADDED;

        op->at++;
        if ((c->version <= op->above && !is_repeated) || (before == 0 && now == 0))
            return true;
        op->n_events++;
        if (!send_event(op, type, sim_object(c->key, c->version)))
            return false;
        /* By now another list may have been taken, or the server may be another one. */
        if (op->at > op->source->at)
            op->source->at = op->at;
        return true;
    }
    if (op->wants_bookmark) {
        op->wants_bookmark = false;
        return !op->bookmarks ||
               send_event(op, KIN_WATCH_BOOKMARK, make_head(version_of(server, op->at), ""));
    }
    return true;
}

static bool op_begins(struct op *op)
{
    kin_error err = KIN_ERROR_INIT;

    op->has_begun = true;
    if (!op->is_list) {
        op->is_agreed = true;
        sim_record_add(net.world, SIM_AGREED, SIM_NONE, SIM_NONE, 0, 0, op->handlers.begun != NULL);
    }
    if (op->is_list || !op->handlers.begun)
        return true;
    return op_took(op, op->handlers.begun(op->handlers.arg, &err), &err);
}

/* An ERROR event, which ends a watch that was agreed to. */
static void end_with_error(struct op *op, const struct way *way)
{
    kin_error err = KIN_ERROR_INIT;
    const kin_object *status = make_status(way, "");
    int code =
        status ? op->handlers.event(KIN_WATCH_ERROR, status, op->handlers.arg, &err) : KIN_ENOMEM;

    kin_object_unref(status);
    op_end(op, code, &err, NULL, NULL);
}

static void op_step(struct op *op)
{
    sim_server *server = &net.world->server;
    static const struct way too_large = {KIN_ESERVER, 504, "Timeout", 1000, 0};

    if (op->is_cancelled)
        op_end_code(op, KIN_ECANCELED, "cancelled");
    else if (op->fails)
        op_fail(op, &ways[op->fails - 1], "");
    else if (op->is_too_large)
        op_fail(
            op, &too_large,
            ",\"details\":{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\",\"message\":\"x\"}]}");
    else if (!op->has_begun && !op_begins(op))
        return;
    else if (op->ends == 2 + LOST || (op->ends && op->is_list))
        op_fail(op, &ways[LOST], "");
    else if (op->ends > 1)
        end_with_error(op, &ways[op->ends - 2]);
    else if (op->ends == 1 || (!op->is_list && sim_now() >= op->deadline))
        op_end(op, 0, NULL, NULL, NULL);
    else if (op->is_list && sim_now() >= op->deadline)
        op_end_code(op, KIN_ETIMEOUT, "no progress");
    else if (server->stalled_until > sim_now() ||
             (op->has_items ? step_items(op) : step_events(op)))
        op->is_busy = false;
}

/* Whether a step would do something; else `*ret` is when it may. */
static bool op_is_ready(const struct op *op, int64_t *ret)
{
    const sim_server *server = &net.world->server;
    int64_t now = sim_now();

    if (op->is_busy || (op->source->is_silent && !op->is_cancelled))
        return false;
    if (op->is_cancelled || op->fails || op->is_too_large || op->ends || op->deadline <= now)
        return true;
    if (op->deadline < *ret)
        *ret = op->deadline;
    if (server->stalled_until > now) {
        if (server->stalled_until < *ret)
            *ret = server->stalled_until;
        return false;
    }
    return !op->has_begun || op->has_items || op->wants_bookmark || op->repeats ||
           op->at < seen_by(server, op->replica);
}

static void *network(void *arg)
{
    sim_server *server = &net.world->server;

    (void)arg;
    sim_set_thread_name("network");
    while (!net.quits) {
        struct op *ready = NULL;
        int64_t next = INT64_MAX;
        size_t n = 0;

        for (struct op *op = net.ops; op; op = op->next) {
            if (op_is_ready(op, &next) && kin_test_below(&server->rng, ++n) == 0)
                ready = op;
        }
        if (!ready) {
            sim_wait(&net, "something to send", next);
            continue;
        }
        ready->is_busy = true;
        take_time(net.world, 4);
        op_step(ready);
    }
    return NULL;
}

/* --- actions --- */

static void end_watches(unsigned how, bool lists_too)
{
    for (struct op *op = net.ops; op; op = op->next) {
        if (!op->is_list || lists_too)
            op->ends = how;
    }
}

/* The state of some changes ago, whose versions come again. */
static void restore(sim_world *world, unsigned detail)
{
    sim_server *server = &world->server;
    size_t lost = 1 + detail % 8;

    end_watches(2 + LOST, true);
    server->n_changes -= lost < server->n_changes ? lost : server->n_changes;
    server->version = version_of(server, SIZE_MAX);
    server->compacted = server->version;
    for (unsigned i = 0; i < SIM_REPLICAS; i++)
        server->seen[i] = SIZE_MAX;
    for (struct source *source = net.sources; source; source = source->next)
        source->at = SIZE_MAX;
    sim_record_add(world, SIM_RESTORED, SIM_NONE, SIM_NONE, server->version, 0, 0);
}

bool sim_server_lacks_memory(sim_world *world)
{
    sim_server *server = &world->server;

    return sim_steps() < server->memory_fails_until && kin_test_below(&server->rng, 8) == 0;
}

uint64_t sim_server_put(sim_world *world, unsigned key)
{
    change(world, key, false);
    sim_wake(&net);
    return world->server.version;
}

void sim_server_act(sim_world *world, const sim_action *action)
{
    sim_server *server = &world->server;

    switch (action->what) {
    case SIM_DO_PUT:
        change(world, action->subject, false);
        break;
    case SIM_DO_DELETE:
        change(world, action->subject, true);
        break;
    case SIM_DO_BOOKMARK:
        for (struct op *op = net.ops; op; op = op->next)
            op->wants_bookmark = true;
        break;
    case SIM_DO_END:
        end_watches(1, false);
        break;
    case SIM_DO_CUT:
        end_watches(2 + LOST, true);
        break;
    case SIM_DO_GONE:
        end_watches(2 + GONE, false);
        break;
    case SIM_DO_ERROR:
        end_watches(2 + INTERNAL, false);
        break;
    case SIM_DO_REPEAT:
        for (struct op *op = net.ops; op; op = op->next)
            op->repeats = !op->is_list;
        break;
    case SIM_DO_DROP:
        for (struct op *op = net.ops; op && world->plan.config.relist_ms; op = op->next)
            op->skips = !op->is_list;
        break;
    case SIM_DO_RESTORE:
        if (world->plan.config.relist_ms)
            restore(world, action->detail);
        break;
    case SIM_DO_NO_MEMORY:
        server->memory_fails_until = sim_steps() + action->detail % 2000;
        break;
    case SIM_DO_FAIL:
        server->failing = server->failing % 0x10000 * 16 + 1 + action->subject;
        break;
    case SIM_DO_COMPACT:
        server->compacted = server->version;
        break;
    case SIM_DO_LAG:
        server->seen[action->subject] = seen_by(server, action->subject);
        break;
    case SIM_DO_CATCH_UP:
        server->seen[action->subject] = SIZE_MAX;
        break;
    case SIM_DO_STALL:
        server->stalled_until = sim_now() + (int64_t)(action->detail % 45) * SECOND;
        break;
    case SIM_DO_RESTART:
        end_watches(2 + LOST, true);
        server->compacted = version_of(server, SIZE_MAX);
        for (unsigned i = 0; i < SIM_REPLICAS; i++)
            server->seen[i] = SIZE_MAX;
        break;
    default:
        break;
    }
    sim_wake(&net);
}

void sim_server_heal(sim_world *world)
{
    sim_server *server = &world->server;

    server->failing = 0;
    server->stalled_until = 0;
    server->memory_fails_until = 0;
    for (struct op *op = net.ops; op; op = op->next)
        op->skips = false;
    for (unsigned i = 0; i < SIM_REPLICAS; i++)
        server->seen[i] = SIZE_MAX;
    sim_wake(&net);
}

/* --- life --- */

static void source_destroy(kin_list_watch *base)
{
    (void)base; /* sim_network_stop() frees it: operations may be under way */
}

static const kin_list_watch_class plain_class = {sizeof(kin_list_watch_class), source_list,
                                                 source_watch, source_destroy, false};
static const kin_list_watch_class streaming_class = {sizeof(kin_list_watch_class), source_list,
                                                     source_watch, source_destroy, true};

kin_list_watch *sim_source_new(unsigned scope)
{
    struct source *source = calloc(1, sizeof(*source));

    source->scope = scope;
    source->next = net.sources;
    net.sources = source;
    kin_list_watch_init(&source->base,
                        net.world->plan.config.streaming ? &streaming_class : &plain_class, NULL);
    return &source->base;
}

kin_list_watch *sim_source_silent(void)
{
    kin_list_watch *base = sim_source_new(0);

    net.sources->is_silent = true;
    return base;
}

void sim_network_start(sim_world *world)
{
    net.world = world;
    for (unsigned i = 0; i < SIM_NETWORK; i++)
        pthread_create(&net.threads[i], NULL, network, NULL);
}

void sim_network_stop(void)
{
    net.quits = true;
    sim_wake(&net);
    for (unsigned i = 0; i < SIM_NETWORK; i++)
        pthread_join(net.threads[i], NULL);
    while (net.sources) {
        struct source *source = net.sources;

        net.sources = source->next;
        free(source);
    }
    while (net.ended) {
        struct op *op = net.ended;

        net.ended = op->next;
        free(op);
    }
}

/* --- the client --- */

static unsigned scope_of(const kin_list_watch_options *options)
{
    unsigned scope = options->namespace_ ? 1U << (options->namespace_[1] - '0') : 0;

    for (const char *at = options->label_selector; at && *at; at++)
        scope |= *at >= '0' && *at < '0' + SIM_COLORS ? 4U << (*at - '0') : 0;
    return scope;
}

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's names */
/* The linker puts these in place of the library's (CMakeLists.txt). An informer's first source is of no part. */
int __wrap_kin_client_list_watch_by_name(kin_client *client, kin_list_watch **ret,
                                         const char *resource,
                                         const kin_list_watch_options *options, kin_error *err)
{
    unsigned scope = options ? scope_of(options) : 0;

    (void)client;
    (void)resource;
    (void)err;
    *ret = sim_source_new(scope);
    net.sources->is_clients = options != NULL;
    if (options)
        sim_record_add(net.world, SIM_SOURCE, sim_part(scope), SIM_NONE, 0, 0, 0);
    return 0;
}

/* Of a source of a client it is known that it reports the agreement to a watch. */
kin_client *__wrap_kin__list_watch_client(kin_list_watch *source)
{
    return ((const struct source *)(const void *)source)->is_clients ? sim_client() : NULL;
}

int __wrap_kin__client_resolve_known(kin_client *client, kin_resource **ret, const char *name)
{
    (void)client;
    (void)ret;
    (void)name;
    return KIN_ENOTFOUND;
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

kin_client *sim_client(void)
{
    return (kin_client *)(void *)&net;
}
