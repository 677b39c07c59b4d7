/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face: a state, the API over it, and a server in front of both. The state lives as long
 * as the server object, unless a restart reads it anew from its file; the API is made anew with each
 * start, as after a restart of the process.
 *
 * Starting, stopping, restarting, and what needs the state from outside come one at a time: `is_busy`
 * is a lock that may be held while loggers are called. The server's own threads have the state for as
 * long as they run.
 */
#include "kinform/apiserver.h"

#include <string.h>

#include "apiserver/api_sink.h"
#include "apiserver/kubeconfig_write.h"
#include "apiserver/protocol/target.h"
#include "apiserver/server.h"
#include "apiserver/simulator/simulator_thread.h"
#include "apiserver/state/storage_sqlite.h"
#include "apiserver/verbs/api.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/options.h"
#include "base/str.h"
#include "base/thread.h"
#include "kinform/json.h"

struct kin_apiserver {
    kin__server *server;
    bool control;       /* const */
    char *storage_path; /* const; NULL: memory only */
    bool full_sync;     /* const */
    kin__state_options state_options;
    kin__api_options api_options;
    kin__mutex lock;
    kin__cond changed;
    bool is_busy;      /* (lock) somebody has what follows */
    kin__state *state; /* (busy) NULL: its file could not be read again */
    kin__api *api;     /* (busy) NULL: not started; changed while nothing is served */
    kin__thread restarter;
    bool is_restarting;                /* (busy) the thread is there */
    bool must_restart;                 /* (lock) */
    bool must_forget;                  /* (lock) */
    bool must_end;                     /* (lock) the thread */
    kin__api_sink *sink;               /* (busy) of the simulator */
    kin__simulator_thread *simulator;  /* (busy) NULL: there is none */
    kin_simulation_options simulation; /* (busy) */
    kin__simulator_stats earlier;      /* (busy) counts of its simulators before restarts */
};

static void enter(kin_apiserver *server)
{
    kin__mutex_lock(&server->lock);
    while (server->is_busy)
        kin__cond_wait(&server->changed, &server->lock);
    server->is_busy = true;
    kin__mutex_unlock(&server->lock);
}

/* The same for who comes from outside. 0, KIN_EINVAL (NULL), KIN_EFORKED; leave() only after 0. */
static int enter_checked(kin_apiserver *server, kin_error *err)
{
    if (!server)
        return kin__error_null(err, "server");
    int code = kin__server_check_fork(server->server, err);
    if (code == 0)
        enter(server);
    return code;
}

static void leave(kin_apiserver *server)
{
    kin__mutex_lock(&server->lock);
    server->is_busy = false;
    kin__cond_broadcast(&server->changed);
    kin__mutex_unlock(&server->lock);
}

static void serve(void *arg, kin__api_call *call)
{
    const kin_apiserver *server = arg;

    kin__api_serve(server->api, call);
}

/* --- the past --- */

/* POST /_kinform/rewind?version=N */
static bool rewind_by_query(kin_apiserver *server, kin_str query, kin__failure *failure)
{
    kin_error err = KIN_ERROR_INIT;
    kin_str text = {NULL, 0};
    uint64_t version = 0;

    if (!kin__query_find(query, kin_str_of("version"), &text) ||
        kin__str_to_u64(&version, text) < 0)
        return kin__fail(failure, 400, "BadRequest", "a version is needed: ?version=N");
    int code = kin__state_rewind(server->state, version, &err);
    if (code == KIN_EEXPIRED || code == KIN_ERANGE)
        return kin__fail(failure, 400, "BadRequest", "%s", err.message);
    return code == 0 ||
           kin__fail(failure, 500, "InternalError", "Internal error occurred: %s", err.message);
}

/* A command of the control endpoint. Rewinding waits for the storage; it is not for daily use. */
static bool command(void *arg, kin_str name, kin_str query, kin__failure *failure)
{
    kin_apiserver *server = arg;

    if (kin_str_equal(name, kin_str_of("compact"))) {
        kin__state_compact(server->state);
        return true;
    }
    if (kin_str_equal(name, kin_str_of("rewind")))
        return rewind_by_query(server, query, failure);
    return kin__fail(failure, 404, "NotFound", "the server could not find the requested resource");
}

/* --- life --- */

/* A client has asked for it. */
static void restart_later(void *arg, bool forget)
{
    kin_apiserver *server = arg;

    kin__mutex_lock(&server->lock);
    server->must_restart = true;
    server->must_forget = server->must_forget || forget;
    kin__cond_broadcast(&server->changed);
    kin__mutex_unlock(&server->lock);
}

static int make_state(kin_apiserver *server, kin_error *err)
{
    kin__state_options options = server->state_options;
    int code = 0;

    if (server->storage_path)
        code = kin__storage_sqlite_open(&options.storage, server->storage_path, server->full_sync,
                                        err);
    if (code < 0)
        return code;
    code = kin__state_new(&server->state, &options, err);
    if (code < 0 && options.storage)
        options.storage->storage_class->free(options.storage);
    server->api_options.state = server->state;
    return code;
}

static int take_options(kin_apiserver *server, const kin_apiserver_options *options, kin_error *err)
{
    if (options->first_version > UINT64_C(1) << 62)
        return kin_error_set(err, KIN_EINVAL, "first_version is too large");
    server->control = options->control;
    server->full_sync = options->full_sync;
    server->state_options = (kin__state_options){
        .window_changes = options->window_changes ? options->window_changes : 10000,
        .window_bytes = options->window_bytes ? options->window_bytes : (size_t)64 << 20,
        .first_version = options->first_version,
    };
    server->api_options = (kin__api_options){
        .clock = kin_clock_ref(options->clock ? options->clock : kin_clock_system()),
        .logger = options->logger ? kin_logger_ref(options->logger) : kin_default_logger(),
        .bookmark_ms = options->bookmark_ms,
        .watch_timeout_ms = options->watch_timeout_ms,
        .max_body_bytes = options->max_body_bytes,
        .seed = options->seed,
    };
    if (!options->storage_path)
        return 0;
    server->storage_path = kin__memdup_str(kin_str_of(options->storage_path));
    return server->storage_path ? 0 : kin__error_no_memory(err);
}

static int make_parts(kin_apiserver *server, const kin_apiserver_options *options, kin_error *err)
{
    const kin__service service = {
        .serve = serve, .command = command, .restart = restart_later, .arg = server};
    int code = take_options(server, options, err);

    if (code == 0)
        code = kin__server_new(&server->server, options, &service, err);
    if (code < 0)
        return code;
    server->api_options.faults = kin__server_faults(server->server);
    return make_state(server, err);
}

int kin_apiserver_new(kin_apiserver **ret, const kin_apiserver_options *options, kin_error *err)
{
    kin_apiserver_options all = KIN_APISERVER_OPTIONS_INIT;

    if (!ret)
        return kin__error_null(err, "ret");
    int code = kin__options_take(&all, sizeof(all), options, "KIN_APISERVER_OPTIONS_INIT", err);
    if (code < 0)
        return code;
    kin_apiserver *server = kin__calloc(1, sizeof(*server));
    if (!server)
        return kin__error_no_memory(err);
    kin__mutex_init(&server->lock, KIN__RANK_API_LIFE);
    kin__cond_init(&server->changed);
    code = make_parts(server, &all, err);
    if (code < 0) {
        kin_apiserver_free(server);
        return code;
    }
    *ret = server;
    return 0;
}

/* --- a simulated cluster --- */

static int start_simulation(kin_apiserver *server, kin_error *err)
{
    int code = kin__api_sink_new(&server->sink, server->api, server->state, err);

    if (code < 0)
        return code;
    const kin__simulator_options simulator = {.sink = kin__api_sink_base(server->sink),
                                              .clock = server->api_options.clock,
                                              .seed = server->simulation.seed,
                                              .nodes = server->simulation.nodes,
                                              .deployments = server->simulation.deployments,
                                              .pods = server->simulation.pods,
                                              .churn = server->simulation.churn,
                                              .events = server->simulation.events};
    (void)kin__api_set_kubelet(server->api, true, NULL);
    code = kin__simulator_thread_start(&server->simulator, &simulator, server->api_options.logger,
                                       err);
    if (code < 0) {
        (void)kin__api_set_kubelet(server->api, false, NULL);
        kin__api_sink_free(server->sink);
        server->sink = NULL;
    }
    return code;
}

static void stop_simulation(kin_apiserver *server)
{
    if (!server->simulator)
        return;
    kin__simulator_stats last = {0};

    kin__simulator_thread_stop(server->simulator, &last);
    server->earlier.writes += last.writes;
    server->earlier.conflicts += last.conflicts;
    server->earlier.lost += last.lost;
    server->earlier.failures += last.failures;
    server->simulator = NULL;
    kin__api_sink_free(server->sink);
    server->sink = NULL;
    /* Without memory for that, Pods that are about to end stay until somebody deletes them. */
    (void)kin__api_set_kubelet(server->api, false, NULL);
}

static int start(kin_apiserver *server, kin_error *err)
{
    kin__api *api = NULL;
    int code = server->state ? 0 : make_state(server, err);

    if (code == 0)
        code = kin__api_new(&api, &server->api_options, err);
    if (code < 0)
        return code;
    server->api = api;
    code = kin__server_start(server->server, err);
    if (code < 0) {
        kin__api_stop(api);
        kin__api_free(api);
        server->api = NULL;
    }
    return code;
}

static void stop(kin_apiserver *server)
{
    if (!server->api)
        return;
    stop_simulation(server);
    /* Watches end by themselves while the server still serves, so that clients see a clean end. */
    kin__server_close_port(server->server);
    kin__api_stop(server->api);
    kin__server_stop(server->server);
    kin__api_free(server->api);
    server->api = NULL;
}

/* A simulated cluster goes on: its kubelets and controllers are not the server's. */
static int restart(kin_apiserver *server, bool forget, kin_error *err)
{
    bool simulates = server->simulator != NULL;
    int code = 0;

    if (!server->api)
        return kin_error_set(err, KIN_EINVAL, "the server does not run");
    kin__server_cut(server->server);
    stop_simulation(server);
    kin__api_stop(server->api);
    kin__api_free(server->api);
    server->api = NULL;
    if (server->storage_path) {
        kin__state_free(server->state);
        server->state = NULL;
        code = make_state(server, err);
    }
    if (code == 0 && forget)
        kin__state_compact(server->state);
    if (code == 0)
        code = start(server, err);
    return code == 0 && simulates ? start_simulation(server, err) : code;
}

/* False: the thread is to end. */
static bool await_restart(kin_apiserver *server, bool *ret_forget)
{
    kin__mutex_lock(&server->lock);
    while (!server->must_restart && !server->must_end)
        kin__cond_wait(&server->changed, &server->lock);
    bool goes_on = !server->must_end;
    *ret_forget = server->must_forget;
    server->must_restart = false;
    server->must_forget = false;
    kin__mutex_unlock(&server->lock);
    return goes_on;
}

static void run_restarter(void *arg)
{
    kin_apiserver *server = arg;
    bool forget = false;

    while (await_restart(server, &forget)) {
        kin_error err = KIN_ERROR_INIT;

        if (kin_apiserver_restart(server, forget, &err) < 0)
            kin__log(server->api_options.logger, KIN_LOG_ERROR, "apiserver", "not restarted",
                     KIN__LOG_S("error", err.message));
    }
}

static int start_restarter(kin_apiserver *server, kin_error *err)
{
    if (!server->control || server->is_restarting)
        return 0;
    int code = kin__thread_start(&server->restarter, "kin-restart", run_restarter, server, err);
    server->is_restarting = code == 0;
    return code;
}

static void end_restarter(kin_apiserver *server)
{
    if (!server->is_restarting)
        return;
    kin__mutex_lock(&server->lock);
    server->must_end = true;
    kin__cond_broadcast(&server->changed);
    kin__mutex_unlock(&server->lock);
    (void)kin__thread_join(&server->restarter, NULL);
}

int kin_apiserver_start(kin_apiserver *server, kin_error *err)
{
    int code = enter_checked(server, err);
    if (code < 0)
        return code;
    if (server->api)
        code = kin_error_set(err, KIN_EBUSY, "the server runs already");
    if (code == 0)
        code = start_restarter(server, err);
    if (code == 0)
        code = start(server, err);
    leave(server);
    return code;
}

void kin_apiserver_stop(kin_apiserver *server)
{
    if (enter_checked(server, NULL) < 0)
        return;
    stop(server);
    leave(server);
}

int kin_apiserver_restart(kin_apiserver *server, bool forget, kin_error *err)
{
    int code = enter_checked(server, err);
    if (code < 0)
        return code;
    code = restart(server, forget, err);
    leave(server);
    return code;
}

void kin_apiserver_free(kin_apiserver *server)
{
    if (!server)
        return;
    bool is_ours = !server->server || kin__server_check_fork(server->server, NULL) == 0;
    if (is_ours) {
        end_restarter(server);
        stop(server);
    }
    kin__server_free(server->server);
    /* In a forked child the state's locks are as some thread left them: its memory is left alone. */
    if (is_ours && server->state)
        kin__state_free(server->state);
    kin_logger_unref(server->api_options.logger);
    kin_clock_unref(server->api_options.clock);
    kin__free(server->storage_path);
    if (is_ours) {
        kin__cond_done(&server->changed);
        kin__mutex_done(&server->lock);
    }
    kin__free(server);
}

/* --- about it --- */

const char *kin_apiserver_url(const kin_apiserver *server)
{
    return server ? kin__server_get_url(server->server) : "";
}

uint16_t kin_apiserver_port(const kin_apiserver *server)
{
    return server ? kin__server_port(server->server) : 0;
}

int kin_apiserver_kubeconfig(const kin_apiserver *server, char **ret, kin_error *err)
{
    if (!server || !ret)
        return kin__error_null(err, server ? "ret" : "server");
    return kin__server_kubeconfig(server->server, ret, err);
}

int kin_apiserver_write_kubeconfig(const kin_apiserver *server, const char *path, kin_error *err)
{
    char *text = NULL;

    if (!path)
        return kin__error_null(err, "path");
    int code = kin_apiserver_kubeconfig(server, &text, err);
    if (code < 0)
        return code;
    code = kin__file_replace(path, kin_str_of(text), err);
    explicit_bzero(text, strlen(text));
    kin__free(text);
    return code;
}

/* --- faults and requests --- */

int kin_apiserver_inject(kin_apiserver *server, const kin_fault *fault, uint64_t *ret_id,
                         kin_error *err)
{
    if (!server)
        return kin__error_null(err, "server");
    return kin__server_inject(server->server, fault, ret_id, err);
}

int kin_apiserver_inject_json(kin_apiserver *server, kin_str rules, kin_error *err)
{
    const kin_object *object = NULL;

    if (!server)
        return kin__error_null(err, "server");
    int code = kin__server_check_fork(server->server, err);
    if (code == 0)
        code = kin_object_from_json(&object, rules, NULL, err);
    if (code == 0)
        code = kin__server_inject_json(server->server, kin_object_root(object), NULL, NULL, err);
    kin_object_unref(object);
    return code;
}

int kin_apiserver_remove_fault(kin_apiserver *server, uint64_t id, uint64_t *ret_hits,
                               kin_error *err)
{
    if (!server)
        return kin__error_null(err, "server");
    return kin__server_remove_fault(server->server, id, ret_hits, err);
}

int kin_apiserver_clear_faults(kin_apiserver *server, kin_error *err)
{
    if (!server)
        return kin__error_null(err, "server");
    return kin__server_clear_faults(server->server, err);
}

/* Have the state to oneself. 0, KIN_EINVAL, KIN_EFORKED, KIN_ESYSTEM; leave() only after 0. */
static int enter_state(kin_apiserver *server, kin_error *err)
{
    int code = enter_checked(server, err);
    if (code < 0)
        return code;
    if (server->state)
        return 0;
    leave(server);
    return kin_error_set(err, KIN_ESYSTEM, "the storage could not be read after a restart");
}

int kin_apiserver_compact(kin_apiserver *server, kin_error *err)
{
    int code = enter_state(server, err);

    if (code < 0)
        return code;
    kin__state_compact(server->state);
    leave(server);
    return 0;
}

int kin_apiserver_rewind(kin_apiserver *server, uint64_t version, kin_error *err)
{
    int code = enter_state(server, err);

    if (code < 0)
        return code;
    code = kin__state_rewind(server->state, version, err);
    leave(server);
    return code;
}

int kin_apiserver_requests(kin_apiserver *server, const kin_request_filter *filter,
                           kin_request_fn *fn, void *arg, kin_error *err)
{
    if (!server || !fn)
        return kin__error_null(err, server ? "fn" : "server");
    int code = kin__server_check_fork(server->server, err);
    return code < 0 ? code
                    : kin__request_log_visit(kin__server_log(server->server), filter, fn, arg, err);
}

int kin_apiserver_wait_for_request(kin_apiserver *server, const kin_request_filter *filter,
                                   size_t n, int64_t timeout_ms, kin_error *err)
{
    if (!server)
        return kin__error_null(err, "server");
    if (timeout_ms < -1)
        return kin_error_set(err, KIN_EINVAL, "a timeout of %lld ms", (long long)timeout_ms);
    int code = kin__server_check_fork(server->server, err);
    return code < 0
               ? code
               : kin__request_log_wait(kin__server_log(server->server), filter, n, timeout_ms, err);
}

/* --- simulation --- */

/* With the server to itself. Whether there is one, or there is none. */
static int check_simulation(const kin_apiserver *server, bool is_there, kin_error *err)
{
    if (!server->api)
        return kin_error_set(err, KIN_EINVAL, "the server was not started");
    if (!server->simulator && is_there)
        return kin_error_set(err, KIN_EINVAL, "there is no simulation");
    if (server->simulator && !is_there)
        return kin_error_set(err, KIN_EBUSY, "there is a simulation already");
    return 0;
}

/* Have the server to oneself, as it is to be. leave() only after 0. */
static int enter_simulation(kin_apiserver *server, bool is_there, kin_error *err)
{
    int code = enter_checked(server, err);
    if (code < 0)
        return code;
    code = check_simulation(server, is_there, err);
    if (code < 0)
        leave(server);
    return code;
}

int kin_apiserver_simulate(kin_apiserver *server, const kin_simulation_options *options,
                           kin_error *err)
{
    kin_simulation_options all = KIN_SIMULATION_OPTIONS_INIT;
    int code = kin__options_take(&all, sizeof(all), options, "KIN_SIMULATION_OPTIONS_INIT", err);

    if (code == 0)
        code = enter_simulation(server, false, err);
    if (code < 0)
        return code;
    server->simulation = all;
    memset(&server->earlier, 0, sizeof(server->earlier));
    code = start_simulation(server, err);
    leave(server);
    return code;
}

void kin_apiserver_stop_simulation(kin_apiserver *server)
{
    if (enter_checked(server, NULL) < 0)
        return;
    stop_simulation(server);
    leave(server);
}

int kin_apiserver_set_churn(kin_apiserver *server, unsigned churn, kin_error *err)
{
    int code = churn > KIN__SIMULATED_MAX
                   ? kin_error_set(err, KIN_EINVAL, "%u changes per second are too many", churn)
                   : enter_simulation(server, true, err);

    if (code < 0)
        return code;
    server->simulation.churn = churn;
    kin__simulator_thread_set_churn(server->simulator, churn);
    leave(server);
    return 0;
}

/* In turns: nobody can stop or restart the server while it is had. */
int kin_apiserver_wait_for_simulation(kin_apiserver *server, int64_t timeout_ms, kin_error *err)
{
    enum { TURN_MS = 100 };
    int code = timeout_ms < -1
                   ? kin_error_set(err, KIN_EINVAL, "a timeout of %lld ms", (long long)timeout_ms)
                   : 0;

    while (code == 0) {
        int64_t turn_ms = timeout_ms >= 0 && timeout_ms < TURN_MS ? timeout_ms : TURN_MS;

        code = enter_simulation(server, true, err);
        if (code < 0)
            return code;
        bool is_populated = kin__simulator_thread_await_populated(server->simulator, turn_ms) == 0;
        leave(server);
        if (is_populated)
            return 0;
        if (timeout_ms >= 0 && (timeout_ms -= turn_ms) == 0)
            code = kin_error_set(err, KIN_ETIMEOUT, "the simulated cluster is not complete yet");
    }
    return code;
}

int kin_apiserver_simulation_stats(kin_apiserver *server, kin_simulation_stats *ret, kin_error *err)
{
    kin_simulation_stats all = KIN_SIMULATION_STATS_INIT;
    kin__simulator_stats stats;
    int code = enter_simulation(server, true, err);

    if (code < 0)
        return code;
    kin__simulator_thread_get_stats(server->simulator, &stats);
    const kin__simulator_stats earlier = server->earlier;
    leave(server);
    if (!ret)
        return kin__error_null(err, "ret");
    all.writes = earlier.writes + stats.writes;
    all.conflicts = earlier.conflicts + stats.conflicts;
    all.lost = earlier.lost + stats.lost;
    all.failures = earlier.failures + stats.failures;
    all.nodes = stats.nodes;
    all.deployments = stats.deployments;
    all.replica_sets = stats.sets;
    all.pods = stats.pods;
    all.events = stats.events;
    return kin__options_give(ret, &all, sizeof(all), "KIN_SIMULATION_STATS_INIT", err);
}
