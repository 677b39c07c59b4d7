/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/server.h"

#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "apiserver/control.h"
#include "apiserver/http/http.h"
#include "apiserver/http/origin.h"
#include "apiserver/http/tls.h"
#include "apiserver/http/tokens.h"
#include "apiserver/kubeconfig_write.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/process.h"

#define THREADS_DEFAULT_MAX 4u
#define THREADS_MAX 256u
#define HEADER_MIN ((size_t)1024)
#define HEADER_MAX ((size_t)16 << 20)
#define BODY_MAX ((size_t)1 << 30)
/* A hundred years: sums of times and their nanoseconds do not overflow. */
#define TIMEOUT_MAX_MS (INT64_C(100) * 365 * 24 * 3600 * 1000)

struct kin__server {
    kin__fork_guard guard;
    kin__service service;
    kin__http_options http_options; /* const after new, but for the port */
    int reserve;                    /* keeps the port while it does not run; -1: not started yet */
    int64_t stop_timeout_ms;
    bool control;
    kin__tokens *tokens;
    kin__tls tls;
    kin__request_log *log;
    kin__metrics *metrics;
    kin__faults *faults;
    kin_clock *clock;
    kin_logger *logger;
    char *host_names; /* OWNED; NULL: none */
    char url[128];
    kin__mutex lock;
    kin__http *http; /* (lock) NULL: it does not run; changed by start and stop alone */
};

/* --- options --- */

static int check_options(const kin_apiserver_options *options, kin_error *err)
{
    const int64_t times[] = {options->header_timeout_ms, options->body_timeout_ms,
                             options->idle_timeout_ms,   options->send_timeout_ms,
                             options->stop_timeout_ms,   options->bookmark_ms,
                             options->watch_timeout_ms};

    for (size_t i = 0; i < kin__array_len(times); i++) {
        if (times[i] < 0 || times[i] > TIMEOUT_MAX_MS)
            return kin_error_set(err, KIN_EINVAL, "a time of %lld ms", (long long)times[i]);
    }
    if (options->threads > THREADS_MAX)
        return kin_error_set(err, KIN_EINVAL, "%u threads are too many", options->threads);
    if (options->max_header_bytes != 0 &&
        (options->max_header_bytes < HEADER_MIN || options->max_header_bytes > HEADER_MAX))
        return kin_error_set(err, KIN_EINVAL, "max_header_bytes is not between %zu and %zu",
                             HEADER_MIN, HEADER_MAX);
    if (options->max_body_bytes > BODY_MAX)
        return kin_error_set(err, KIN_EINVAL, "max_body_bytes is more than %zu", BODY_MAX);
    if (!options->cert_file != !options->key_file)
        return kin_error_set(err, KIN_EINVAL, "cert_file and key_file belong together");
    if (options->cert_file && !options->tls)
        return kin_error_set(err, KIN_EINVAL, "cert_file without tls");
    return kin__origin_check_names(kin_str_of(options->host_names), err);
}

static int check_exposure(const kin_apiserver_options *options, const kin__address *address,
                          kin_error *err)
{
    if (kin__address_is_loopback(address) || options->n_tokens > 0 || options->allow_anonymous)
        return 0;
    return kin_error_set(err, KIN_EINVAL,
                         "%s is not a loopback address, and there are no tokens: everybody could "
                         "write; set allow_anonymous if that is meant",
                         options->address);
}

static unsigned default_threads(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 1                                    ? 1
           : (unsigned long)cores > THREADS_DEFAULT_MAX ? THREADS_DEFAULT_MAX
                                                        : (unsigned)cores;
}

static uint64_t or_default(uint64_t given, uint64_t otherwise)
{
    return given ? given : otherwise;
}

static void set_http_options(kin__server *server, const kin_apiserver_options *options)
{
    kin__http_options *http = &server->http_options;

    http->threads = options->threads ? options->threads : default_threads();
    http->max_connections = (unsigned)or_default(options->max_connections, 10000);
    http->max_connections_per_address = options->max_connections_per_address;
    http->max_header_bytes = or_default(options->max_header_bytes, (size_t)32 << 10);
    http->max_body_bytes = or_default(options->max_body_bytes, (size_t)3 << 20);
    http->header_timeout_ms = (int64_t)or_default((uint64_t)options->header_timeout_ms, 32000);
    http->body_timeout_ms = (int64_t)or_default((uint64_t)options->body_timeout_ms, 60000);
    http->idle_timeout_ms = (int64_t)or_default((uint64_t)options->idle_timeout_ms, 90000);
    http->send_timeout_ms = (int64_t)or_default((uint64_t)options->send_timeout_ms, 300000);
    http->gzip_watches = options->gzip_watches;
    server->stop_timeout_ms = (int64_t)or_default((uint64_t)options->stop_timeout_ms, 1000);
}

/* --- what it serves itself --- */

static void serve_metrics(kin__server *server, kin__api_call *call)
{
    kin__reply reply = {.status = 200, .content_type = "text/plain; version=0.0.4; charset=utf-8"};

    kin__buf_init(&reply.body, SIZE_MAX - 1);
    kin__metrics_write(server->metrics, &reply.body);
    call->answer(call, &reply);
}

static bool is_control(void *arg, kin_str path)
{
    const kin__server *server = arg;

    return server->control && kin__control_is_path(path);
}

static void serve(void *arg, kin__api_call *call)
{
    kin__server *server = arg;
    kin_str path = call->request->path;

    if (kin_str_equal(path, kin_str_of("/metrics")))
        serve_metrics(server, call);
    else if (is_control(server, path))
        kin__control_serve(server, call);
    else
        server->service.serve(server->service.arg, call);
}

/* --- life --- */

static int make_certificate(kin__server *server, const kin_apiserver_options *options,
                            kin_error *err)
{
    int code = 0;

    if (!options->tls)
        return 0;
    code = options->cert_file ? kin__tls_read(&server->tls, options->cert_file, options->key_file,
                                              options->ca_file, err)
                              : kin__tls_make(&server->tls, &server->http_options.address,
                                              kin_str_of(options->host_names), err);
    server->http_options.cert = server->tls.cert;
    server->http_options.key = server->tls.key;
    return code;
}

static int make_parts(kin__server *server, const kin_apiserver_options *options, kin_error *err)
{
    uint64_t seed = options->seed;
    int code = make_certificate(server, options, err);

    if (seed == 0 && getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
        seed = (uint64_t)kin_clock_unix_now(kin_clock_system());
    if (code == 0)
        code = kin__tokens_new(&server->tokens, options->tokens, options->n_tokens, err);
    if (code == 0)
        code = kin__request_log_new(&server->log, options->log_requests, server->clock, err);
    if (code == 0)
        code = kin__faults_new(&server->faults, seed, err);
    server->metrics = kin__calloc(1, sizeof(*server->metrics));
    if (code == 0 && !server->metrics)
        code = kin__error_no_memory(err);
    server->http_options.clock = server->clock;
    server->http_options.logger = server->logger;
    server->http_options.tokens = server->tokens;
    server->http_options.log = server->log;
    server->http_options.metrics = server->metrics;
    server->http_options.faults = server->faults;
    server->http_options.is_exempt = is_control;
    server->http_options.serve = serve;
    server->http_options.serve_arg = server;
    return code;
}

int kin__server_new(kin__server **ret, const kin_apiserver_options *options,
                    const kin__service *service, kin_error *err)
{
    const char *text = options->address ? options->address : "127.0.0.1";
    kin__address address;
    int code = kin__address_parse(&address, text, options->port, err);

    if (code == 0)
        code = check_options(options, err);
    if (code == 0)
        code = check_exposure(options, &address, err);
    if (code < 0)
        return code;
    kin__server *server = kin__calloc(1, sizeof(*server));
    if (!server)
        return kin__error_no_memory(err);
    code = kin__fork_guard_init(&server->guard, err);
    if (code < 0) {
        kin__free(server);
        return code;
    }
    kin__mutex_init(&server->lock, KIN__RANK_API_SERVER);
    server->service = *service;
    server->control = options->control;
    server->clock = kin_clock_ref(options->clock ? options->clock : kin_clock_system());
    server->logger = options->logger ? kin_logger_ref(options->logger) : kin_default_logger();
    server->http_options.address = address;
    server->reserve = -1;
    set_http_options(server, options);
    server->host_names =
        options->host_names ? kin__memdup_str(kin_str_of(options->host_names)) : NULL;
    server->http_options.host_names = server->host_names;
    if (options->host_names && !server->host_names)
        code = kin__error_no_memory(err);
    if (code == 0)
        code = make_parts(server, options, err);
    if (code < 0) {
        kin__server_free(server);
        return code;
    }
    *ret = server;
    return 0;
}

void kin__server_free(kin__server *server)
{
    if (!server)
        return;
    bool is_ours = kin__fork_guard_check(&server->guard, NULL) == 0;
    if (is_ours)
        kin__server_stop(server);
    else
        kin__http_free(server->http, 0);
    if (server->reserve >= 0)
        close(server->reserve);
    kin__faults_free(server->faults);
    kin__request_log_free(server->log);
    kin__free(server->metrics);
    kin__tokens_free(server->tokens);
    kin__tls_done(&server->tls);
    kin__free(server->host_names);
    kin_logger_unref(server->logger);
    kin_clock_unref(server->clock);
    if (is_ours)
        kin__mutex_done(&server->lock);
    kin__free(server);
}

int kin__server_check_fork(const kin__server *server, kin_error *err)
{
    return kin__fork_guard_check(&server->guard, err);
}

static void remember_address(kin__server *server, const kin__http *http)
{
    const kin__address *address = kin__http_address(http);
    char host[64];

    if (server->url[0])
        return; /* it stays as it was, and somebody may be reading it */
    kin__address_host(address, true, host, sizeof(host));
    if (kin__address_is_any(address))
        snprintf(host, sizeof(host), "%s", host[0] == '[' ? "[::1]" : "127.0.0.1");
    snprintf(server->url, sizeof(server->url), "%s://%s:%u", server->tls.cert ? "https" : "http",
             host, kin__address_port(address));
}

int kin__server_start(kin__server *server, kin_error *err)
{
    kin__http *http = NULL;
    int code = kin__server_check_fork(server, err);

    if (code < 0)
        return code;
    if (kin__server_runs(server))
        return kin_error_set(err, KIN_EBUSY, "the server runs already");
    /* The port stays, should it be started again. */
    if (server->reserve < 0)
        code = kin__socket_reserve(&server->reserve, &server->http_options.address, err);
    if (code == 0)
        code = kin__http_start(&http, &server->http_options, err);
    if (code < 0)
        return code;
    remember_address(server, http);
    kin__mutex_lock(&server->lock);
    server->http = http;
    kin__mutex_unlock(&server->lock);
    kin__log(server->logger, KIN_LOG_INFO, "apiserver", "listening",
             KIN__LOG_S("url", server->url));
    return 0;
}

bool kin__server_runs(const kin__server *server)
{
    return server->http != NULL;
}

void kin__server_close_port(kin__server *server)
{
    if (kin__server_check_fork(server, NULL) < 0)
        return;
    kin__mutex_lock(&server->lock); /* so that no fault that is removed meanwhile opens it again */
    if (server->http)
        kin__http_close_port(server->http);
    kin__mutex_unlock(&server->lock);
}

static void stop_within(kin__server *server, int64_t drain_ms)
{
    if (kin__server_check_fork(server, NULL) < 0)
        return;
    kin__mutex_lock(&server->lock);
    kin__http *http = server->http;
    server->http = NULL;
    kin__mutex_unlock(&server->lock);
    if (!http)
        return;
    kin__http_free(http, drain_ms);
    kin__log(server->logger, KIN_LOG_INFO, "apiserver", "stopped", KIN__LOG_S("url", server->url));
}

void kin__server_stop(kin__server *server)
{
    stop_within(server, server->stop_timeout_ms);
}

void kin__server_cut(kin__server *server)
{
    stop_within(server, 0);
}

/* --- about it --- */

const char *kin__server_get_url(const kin__server *server)
{
    return server->url;
}

uint16_t kin__server_port(const kin__server *server)
{
    return kin__address_port(&server->http_options.address);
}

int kin__server_kubeconfig(const kin__server *server, char **ret, kin_error *err)
{
    int code = kin__server_check_fork(server, err);

    if (code < 0)
        return code;
    if (!server->url[0])
        return kin_error_set(err, KIN_EINVAL, "the server was not started yet");
    return kin__kubeconfig_make(ret, server->url, server->tls.ca, kin__tokens_first(server->tokens),
                                err);
}

kin__faults *kin__server_faults(kin__server *server)
{
    return server->faults;
}

kin__request_log *kin__server_log(kin__server *server)
{
    return server->log;
}

kin__metrics *kin__server_metrics(kin__server *server)
{
    return server->metrics;
}

const kin__service *kin__server_service(const kin__server *server)
{
    return &server->service;
}

/* --- faults --- */

/* The port is opened or closed as the rules say now. */
static int follow_faults(kin__server *server, kin_error *err)
{
    int code = 0;

    kin__mutex_lock(&server->lock);
    if (server->http)
        code = kin__http_follow_faults(server->http, err);
    kin__mutex_unlock(&server->lock);
    return code;
}

int kin__server_inject(kin__server *server, const kin_fault *fault, uint64_t *ret_id,
                       kin_error *err)
{
    int code = kin__server_check_fork(server, err);

    if (code == 0)
        code = kin__faults_add(server->faults, fault, ret_id, err);
    return code < 0 ? code : follow_faults(server, err);
}

static int inject_one(kin__server *server, kin_value rule, size_t index, kin__fault_added_fn *added,
                      void *arg, kin_error *err)
{
    uint64_t id = 0;
    int code = kin__faults_add_json(server->faults, rule, &id, err);

    if (code == 0 && added)
        added(id, index, arg);
    return code < 0 ? code : follow_faults(server, err);
}

int kin__server_inject_json(kin__server *server, kin_value rules, kin__fault_added_fn *added,
                            void *arg, kin_error *err)
{
    kin_value list = kin_value_get(rules, kin_str_of("faults"));
    int code = 0;
    kin_iter it;

    if (kin_value_type(list) == KIN_NONE)
        return inject_one(server, rules, 0, added, arg, err);
    if (kin_value_type(list) != KIN_ARRAY)
        return kin_error_set(err, KIN_EINVAL, "faults: an array of rules, not a %s",
                             kin_type_name(kin_value_type(list)));
    kin_iter_init(&it, rules);
    while (kin_iter_next(&it)) {
        if (!kin_str_equal(it.key, kin_str_of("faults")))
            return kin_error_set(err, KIN_EINVAL,
                                 "%.*s: nothing stands beside faults; rules are in its array",
                                 (int)(it.key.len < 64 ? it.key.len : 64), it.key.data);
    }
    kin_iter_init(&it, list);
    while (code == 0 && kin_iter_next(&it))
        code = inject_one(server, it.value, it.index, added, arg, err);
    return code;
}

int kin__server_remove_fault(kin__server *server, uint64_t id, uint64_t *ret_hits, kin_error *err)
{
    int code = kin__server_check_fork(server, err);

    if (code == 0)
        code = kin__faults_remove(server->faults, id, ret_hits, err);
    return code < 0 ? code : follow_faults(server, err);
}

int kin__server_clear_faults(kin__server *server, kin_error *err)
{
    int code = kin__server_check_fork(server, err);

    if (code < 0)
        return code;
    kin__faults_clear(server->faults);
    return follow_faults(server, err);
}
