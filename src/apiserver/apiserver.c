/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face: a state, the API over it, and a server in front of both. The state lives as long
 * as the server object; the API is made anew with each start, as after a restart of the process.
 */
#include "kinform/apiserver.h"

#include <string.h>

#include "apiserver/api.h"
#include "apiserver/api_sink.h"
#include "apiserver/kubeconfig_write.h"
#include "apiserver/server.h"
#include "apiserver/simulator_thread.h"
#include "apiserver/storage_sqlite.h"
#include "apiserver/target.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/str.h"

struct kin_apiserver {
    kin__server *server;
    kin__state *state;
    kin__api *api; /* NULL: not started; changed while nothing is served */
    kin__api_options api_options;
    kin__api_sink *sink;              /* of the simulator */
    kin__simulator_thread *simulator; /* NULL: there is none */
};

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

static int make_state(kin_apiserver *server, const kin_apiserver_options *options, kin_error *err)
{
    kin__storage *storage = NULL;
    int code = 0;

    if (options->storage_path)
        code = kin__storage_sqlite_open(&storage, options->storage_path, options->full_sync, err);
    if (code < 0)
        return code;
    const kin__state_options state = {
        .storage = storage,
        .window_changes = options->window_changes ? options->window_changes : 10000,
        .window_bytes = options->window_bytes ? options->window_bytes : (size_t)64 << 20,
    };
    code = kin__state_new(&server->state, &state, err);
    if (code < 0 && storage)
        storage->storage_class->free(storage);
    return code;
}

static int make_parts(kin_apiserver *server, const kin_apiserver_options *options, kin_error *err)
{
    const kin__service service = {.serve = serve, .command = command, .arg = server};
    int code = kin__server_new(&server->server, options, &service, err);

    if (code == 0)
        code = make_state(server, options, err);
    server->api_options = (kin__api_options){
        .state = server->state,
        .clock = kin_clock_ref(options->clock ? options->clock : kin_clock_system()),
        .logger = options->logger ? kin_logger_ref(options->logger) : kin_default_logger(),
        .bookmark_ms = options->bookmark_ms,
        .watch_timeout_ms = options->watch_timeout_ms,
        .max_body_bytes = options->max_body_bytes,
        .seed = options->seed,
    };
    return code;
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
    code = make_parts(server, &all, err);
    if (code < 0) {
        kin_apiserver_free(server);
        return code;
    }
    *ret = server;
    return 0;
}

int kin_apiserver_start(kin_apiserver *server, kin_error *err)
{
    kin__api *api = NULL;

    if (!server)
        return kin__error_null(err, "server");
    int code = kin__server_check_fork(server->server, err);
    if (code < 0)
        return code;
    if (kin__server_runs(server->server))
        return kin_error_set(err, KIN_EBUSY, "the server runs already");
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

void kin_apiserver_stop(kin_apiserver *server)
{
    if (!server || kin__server_check_fork(server->server, NULL) < 0 || !server->api)
        return;
    kin_apiserver_stop_simulation(server);
    /* Watches end by themselves while the server still serves, so that clients see a clean end. */
    kin__server_close_port(server->server);
    kin__api_stop(server->api);
    kin__server_stop(server->server);
    kin__api_free(server->api);
    server->api = NULL;
}

void kin_apiserver_free(kin_apiserver *server)
{
    if (!server)
        return;
    bool is_ours = !server->server || kin__server_check_fork(server->server, NULL) == 0;
    if (server->server)
        kin_apiserver_stop(server);
    kin__server_free(server->server);
    /* In a forked child the state's locks are as some thread left them: its memory is left alone. */
    if (is_ours && server->state)
        kin__state_free(server->state);
    kin_logger_unref(server->api_options.logger);
    kin_clock_unref(server->api_options.clock);
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

int kin_apiserver_compact(kin_apiserver *server, kin_error *err)
{
    if (!server)
        return kin__error_null(err, "server");
    int code = kin__server_check_fork(server->server, err);
    if (code == 0)
        kin__state_compact(server->state);
    return code;
}

int kin_apiserver_rewind(kin_apiserver *server, uint64_t version, kin_error *err)
{
    if (!server)
        return kin__error_null(err, "server");
    int code = kin__server_check_fork(server->server, err);
    return code < 0 ? code : kin__state_rewind(server->state, version, err);
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

/* Whether there is one, or there is none. */
static int check_simulation(const kin_apiserver *server, bool is_there, kin_error *err)
{
    if (!server)
        return kin__error_null(err, "server");
    int code = kin__server_check_fork(server->server, err);
    if (code < 0)
        return code;
    if (!server->api)
        return kin_error_set(err, KIN_EINVAL, "the server was not started");
    if (!server->simulator && is_there)
        return kin_error_set(err, KIN_EINVAL, "there is no simulation");
    if (server->simulator && !is_there)
        return kin_error_set(err, KIN_EBUSY, "there is a simulation already");
    return 0;
}

int kin_apiserver_simulate(kin_apiserver *server, const kin_simulation_options *options,
                           kin_error *err)
{
    kin_simulation_options all = KIN_SIMULATION_OPTIONS_INIT;
    int code = check_simulation(server, false, err);

    if (code == 0)
        code = kin__options_take(&all, sizeof(all), options, "KIN_SIMULATION_OPTIONS_INIT", err);
    if (code == 0)
        code = kin__api_sink_new(&server->sink, server->api, server->state, err);
    if (code < 0)
        return code;
    const kin__simulator_options simulator = {.sink = kin__api_sink_base(server->sink),
                                              .clock = server->api_options.clock,
                                              .seed = all.seed,
                                              .nodes = all.nodes,
                                              .deployments = all.deployments,
                                              .pods = all.pods,
                                              .churn = all.churn,
                                              .events = all.events};
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

void kin_apiserver_stop_simulation(kin_apiserver *server)
{
    if (!server || !server->simulator || kin__server_check_fork(server->server, NULL) < 0)
        return;
    kin__simulator_thread_stop(server->simulator);
    server->simulator = NULL;
    kin__api_sink_free(server->sink);
    server->sink = NULL;
    /* Without memory for that, Pods that are about to end stay until somebody deletes them. */
    (void)kin__api_set_kubelet(server->api, false, NULL);
}

int kin_apiserver_set_churn(kin_apiserver *server, unsigned churn, kin_error *err)
{
    int code = check_simulation(server, true, err);

    if (code < 0)
        return code;
    if (churn > KIN__SIMULATED_MAX)
        return kin_error_set(err, KIN_EINVAL, "%u changes per second are too many", churn);
    kin__simulator_thread_set_churn(server->simulator, churn);
    return 0;
}

int kin_apiserver_wait_for_simulation(kin_apiserver *server, int64_t timeout_ms, kin_error *err)
{
    int code = check_simulation(server, true, err);

    if (code < 0)
        return code;
    if (timeout_ms < -1)
        return kin_error_set(err, KIN_EINVAL, "a timeout of %lld ms", (long long)timeout_ms);
    code = kin__simulator_thread_await_populated(server->simulator, timeout_ms);
    return code < 0 ? kin_error_set(err, code, "the simulated cluster is not complete yet") : 0;
}

int kin_apiserver_simulation_stats(kin_apiserver *server, kin_simulation_stats *ret, kin_error *err)
{
    kin_simulation_stats all = KIN_SIMULATION_STATS_INIT;
    kin__simulator_stats stats;
    int code = check_simulation(server, true, err);

    if (code < 0)
        return code;
    if (!ret)
        return kin__error_null(err, "ret");
    kin__simulator_thread_get_stats(server->simulator, &stats);
    all.writes = stats.writes;
    all.conflicts = stats.conflicts;
    all.lost = stats.lost;
    all.failures = stats.failures;
    all.nodes = stats.nodes;
    all.deployments = stats.deployments;
    all.replica_sets = stats.sets;
    all.pods = stats.pods;
    all.events = stats.events;
    return kin__options_give(ret, &all, sizeof(all), "KIN_SIMULATION_STATS_INIT", err);
}
