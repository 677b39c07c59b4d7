/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client's life: made of its options, closed, gone when its last call is.
 */
#include "client/client.h"

#include <errno.h>
#include <limits.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/str.h"
#include "client/call.h"
#include "client/headers.h"
#include "client/retry.h"
#include "kinform/version.h"

#define MAX_LIST_BYTES ((uint64_t)4 << 30)

enum {
    TIMEOUT_MS = 30000,
    N_WORKERS = 2,
    USER_AGENT_MAX = 1024,
};

/*
 * Who may list may usually ask for this (system:public-info-viewer), and servers neither queue nor limit it
 * (the flow schema "probes").
 */
#define PROBE_TARGET "/livez"

kin_client *kin__client_ref(kin_client *client)
{
    kin__ref_get(&client->ref);
    return client;
}

static void client_destroy(kin_client *client)
{
    bool forked = kin__fork_guard_check(&client->guard, NULL) < 0;

    kin__workers_free(client->workers);
    kin__transport_free(client->transport);
    kin__credentials_free(client->credentials);
    kin__warnings_done(&client->warnings, forked);
    kin__json_only_done(&client->json_only);
    kin__catalog_unref(client->catalog);
    for (size_t i = 0; client->extra_names && i < client->config->n_impersonate_extra; i++)
        kin__free(client->extra_names[i]);
    kin__free(client->extra_names);
    kin__free(client->user_agent);
    kin_logger_unref(client->logger);
    kin_clock_unref(client->clock);
    kin_config_unref(client->config);
    if (!forked) {
        kin__rate_limit_done(&client->rate_limit);
        kin__cond_done(&client->discovery.ended);
        kin__cond_done(&client->idle);
        kin__mutex_done(&client->lock);
    }
    kin__free(client);
}

void kin__client_unref(kin_client *client)
{
    if (client && kin__ref_put(&client->ref))
        client_destroy(client);
}

int kin__client_check(const kin_client *client, kin_error *err)
{
    return client ? kin__fork_guard_check(&client->guard, err) : kin__error_null(err, "client");
}

/* --- making --- */

static bool is_printable(char c)
{
    return c >= ' ' && c <= '~';
}

/*
 * "PROGRAM/unknown kinform/1.2.3". A program may have any name; a header may not. What stands before
 * the first slash is what a server takes for the manager of fields if none is named: it is the
 * program's name and nothing else, so there has to be a version, and nobody knows it.
 */
static void append_default_agent(kin__buf *buf)
{
    for (const char *p = program_invocation_short_name; *p && buf->len < 128; p++)
        kin__buf_append(buf, is_printable(*p) && *p != '/' ? kin_str_make(p, 1) : kin_str_of("_"));
    kin__buf_appendf(buf, "/unknown kinform/%s", kin_version_string());
}

static int set_user_agent(kin_client *client, const char *given, kin_error *err)
{
    kin__buf buf;
    int code;

    for (const char *p = given; p && *p; p++) {
        if (!is_printable(*p) || p - given >= USER_AGENT_MAX)
            return kin_error_set(err, KIN_EINVAL,
                                 "user_agent: it has to be up to %d printable "
                                 "ASCII characters",
                                 USER_AGENT_MAX);
    }
    kin__buf_init(&buf, (size_t)2 * USER_AGENT_MAX);
    if (given)
        kin__buf_append(&buf, kin_str_of(given));
    else
        append_default_agent(&buf);
    code = kin__buf_take(&buf, &client->user_agent, NULL);
    kin__buf_done(&buf);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

static int make_extra_names(kin_client *client, kin_error *err)
{
    size_t n = client->config->n_impersonate_extra;
    int code = 0;

    client->extra_names = kin__calloc(n + 1, sizeof(*client->extra_names));
    if (!client->extra_names)
        return kin__error_no_memory(err);
    for (size_t i = 0; i < n && code == 0; i++)
        code = kin__headers_extra_name(&client->extra_names[i],
                                       client->config->impersonate_extra[i].name);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

static int64_t ns_of(int64_t ms)
{
    return ms > INT64_MAX / KIN__MILLISECOND ? INT64_MAX : ms < 0 ? -1 : ms * KIN__MILLISECOND;
}

static int make_parts(kin_client *client, const kin_client_options *options, kin_error *err)
{
    kin__transport_options transport = {
        .config = client->config,
        .clock = client->clock,
        .logger = client->logger,
        .connect_timeout_ns = ns_of(options->connect_timeout_ms),
        .keepalive_idle_ns = ns_of(options->keepalive_idle_ms),
        .keepalive_interval_ns = ns_of(options->keepalive_interval_ms),
        .probe_after_ns = ns_of(options->probe_after_ms),
        .probe_timeout_ns = ns_of(options->probe_timeout_ms),
        .probe_target = PROBE_TARGET,
        .max_gzip_ratio =
            options->max_gzip_ratio < 0 ? UINT_MAX : (unsigned)options->max_gzip_ratio,
    };
    int code = kin__credentials_new(&client->credentials, client->config, client->clock,
                                    client->logger, err);

    if (code == 0)
        code = kin__transport_new(&client->transport, &transport, err);
    if (code == 0)
        code = kin__workers_new(&client->workers, "kin-work",
                                options->n_workers ? options->n_workers : N_WORKERS, client->clock,
                                err);
    return code;
}

static void take_limits(kin_client *client, const kin_client_options *options)
{
    client->timeout_ms = options->timeout_ms ? options->timeout_ms : TIMEOUT_MS;
    client->max_retries = kin__retry_max(options->max_retries);
    client->watch_idle_ns = ns_of(options->watch_idle_ms);
    client->encoding = options->encoding;
    client->max_list_bytes = options->max_list_bytes < 0   ? UINT64_MAX
                             : options->max_list_bytes > 0 ? (uint64_t)options->max_list_bytes
                                                           : MAX_LIST_BYTES;
}

static int client_make(kin_client **ret, const kin_client_options *options, kin_config *config,
                       kin_error *err)
{
    kin_client *client = kin__calloc(1, sizeof(*client));
    int code;

    if (!client)
        return kin__error_no_memory(err);
    code = kin__fork_guard_init(&client->guard, err);
    if (code < 0) {
        kin__free(client);
        return code;
    }
    kin__ref_init(&client->ref);
    client->config = kin_config_ref(config);
    client->clock = kin_clock_ref(options->clock ? options->clock : kin_clock_system());
    client->logger = options->logger ? kin_logger_ref(options->logger) : kin_default_logger();
    kin__mutex_init(&client->lock, KIN__RANK_CLIENT);
    kin__cond_init(&client->idle);
    kin__cond_init(&client->discovery.ended);
    kin__list_init(&client->calls);
    kin__list_init(&client->parked);
    kin__warnings_init(&client->warnings, options, client->logger);
    kin__rate_limit_init(&client->rate_limit, options->qps, options->burst);
    atomic_init(&client->wait_warned, INT64_MIN);
    take_limits(client, options);
    code = set_user_agent(client, options->user_agent, err);
    if (code == 0)
        code = make_extra_names(client, err);
    if (code == 0)
        code = make_parts(client, options, err);
    if (code < 0) {
        /* What was given stays the caller's. */
        client->warnings.arg_free = NULL;
        kin__client_unref(client);
        return code;
    }
    *ret = client;
    return 0;
}

int kin_client_new(kin_client **ret, const kin_client_options *options, kin_error *err)
{
    kin_client_options all = KIN_CLIENT_OPTIONS_INIT;
    kin_config *config = NULL;
    int code;

    if (!ret)
        return kin__error_null(err, "ret");
    code = kin__options_take(&all, sizeof(all), options, "KIN_CLIENT_OPTIONS_INIT", err);
    if (code == 0)
        code = kin__check_encoding(all.encoding, err);
    if (code < 0)
        return code;
    if (all.config)
        config = kin_config_ref(all.config);
    else
        code = kin_config_load(&config, NULL, err);
    if (code == 0)
        code = client_make(ret, &all, config, err);
    kin_config_unref(config);
    return code;
}

/* --- closing --- */

/* A reference to the first call that was not cancelled yet, or NULL. */
static kin_call *next_to_cancel(kin_client *client, kin__list *cancelled)
{
    kin_call *call = NULL;

    kin__mutex_lock(&client->lock);
    if (!kin__list_is_empty(&client->calls)) {
        kin__list *link = client->calls.next;

        kin__list_remove(link);
        kin__list_push_back(cancelled, link);
        call = kin_call_ref(kin__call_of_link(link));
    }
    kin__mutex_unlock(&client->lock);
    return call;
}

/*
 * No call is under way. What the I/O thread and the workers still hold of calls would end the client
 * behind the caller's back, who may be about to leave main() or to unload us.
 */
static void end_threads(kin_client *client)
{
    kin__transport_free(client->transport);
    client->transport = NULL;
    kin__workers_stop(client->workers, KIN__WORKERS_RUN);
}

void kin_client_free(kin_client *client)
{
    bool inside = false; /* of a callback of one of its calls, or another task of its workers */
    kin__list cancelled;
    kin_call *call;

    if (!client)
        return;
    if (kin__fork_guard_check(&client->guard, NULL) < 0) {
        kin__client_unref(client);
        return;
    }
    kin__list_init(&cancelled);
    inside = kin__workers_runs_here(client->workers);
    kin__mutex_lock(&client->lock);
    client->closed = true;
    kin__mutex_unlock(&client->lock);
    while ((call = next_to_cancel(client, &cancelled))) {
        kin_call_cancel(call);
        inside |= kin__call_runs_here(call);
        kin_call_unref(call);
    }
    kin__mutex_lock(&client->lock);
    while (!inside && client->n_calls > 0)
        kin__cond_wait(&client->idle, &client->lock);
    kin__list_splice_back(&client->calls, &cancelled);
    kin__mutex_unlock(&client->lock);
    if (!inside)
        end_threads(client);
    kin__client_unref(client);
}

const char *kin_client_namespace(const kin_client *client)
{
    return client && client->config->namespace_ ? client->config->namespace_ : "default";
}
