/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The informers that are measured, and the indexes that the peer's have.
 */
#include "informer.h"

/* --- informers --- */

/* Nothing may fail, nor be had in another way than was asked for. A watch that the server has ended has not. */
static void on_changed(kin_informer *informer, void *arg)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    (void)arg;
    if (kin_informer_get_status(informer, &status, NULL) < 0)
        return;
    if (status.last_error.code < 0)
        kin_bench_die("the informer has failed: %s", status.last_error.message);
    if (status.fallbacks > 0)
        kin_bench_die("the informer has failed to get a streaming list, and lists instead");
}

static kin_list_watch *make_source(kin_client *client, const char *group, const char *resource,
                                   const char *kind)
{
    kin_resource *of = kin_bench_resource_new(group, resource, kind);
    kin_error err = KIN_ERROR_INIT;
    kin_list_watch *source = NULL;

    if (kin_client_list_watch(client, &source, of, NULL, &err) < 0)
        kin_bench_die("%s", err.message);
    kin_resource_unref(of);
    return source;
}

kin_informer *kin_bench_informer_new(const struct kin_bench_run *run, kin_client *client,
                                     const char *group, const char *resource, const char *kind)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_informer *informer = NULL;
    kin_list_watch *source = make_source(client, group, resource, kind);

    options.name = resource;
    options.queue = run->is_ordered ? KIN_QUEUE_ORDERED : KIN_QUEUE_DELTA_FIFO;
    /* Not as the encoding suggests: the command line says which. */
    reflector.streaming_lists =
        run->streams ? KIN_STREAMING_LISTS_ALWAYS : KIN_STREAMING_LISTS_NEVER;
    options.reflector = &reflector;
    options.changed = on_changed;
    if (kin_informer_new_from(&informer, source, &options, &err) < 0)
        kin_bench_die("%s", err.message);
    kin_list_watch_unref(source);
    return informer;
}

kin_registration *kin_bench_add_handler(const struct kin_bench_run *run, kin_informer *informer,
                                        kin_event_fn *fn, void *arg, size_t max_queued)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_registration *handler = NULL;

    options.delivery = run->delivery;
    options.max_queued = max_queued;
    if (kin_informer_add_handler(informer, &handler, fn, arg, &options, &err) < 0)
        kin_bench_die("%s", err.message);
    return handler;
}

void kin_bench_start(kin_informer *informer)
{
    kin_error err = KIN_ERROR_INIT;

    if (kin_informer_start(informer, &err) < 0)
        kin_bench_die("%s", err.message);
}

void kin_bench_wait_synced(kin_informer *informer, kin_registration *handler)
{
    kin_error err = KIN_ERROR_INIT;

    if (kin_informer_wait_synced(informer, -1, &err) < 0 ||
        kin_registration_wait_synced(handler, -1, &err) < 0)
        kin_bench_die("%s", err.message);
}

void kin_bench_check_requests(const struct kin_bench_run *run, kin_informer *informer)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_error err = KIN_ERROR_INIT;

    if (kin_informer_get_status(informer, &status, &err) < 0)
        kin_bench_die("%s", err.message);
    /*
     * A list may not be counted yet, since others see what it has brought before that; behind one that
     * is, a watch may have begun. A streaming list is a watch; one that falls back to a list has
     * failed, and ends the run by that.
     */
    bool is_right = run->streams ? status.watches == 1 : status.watches <= status.lists;

    is_right = is_right && status.lists <= 1;

    if (!is_right)
        kin_bench_die("it has listed %llu times and watched %llu times",
                      (unsigned long long)status.lists, (unsigned long long)status.watches);
    if (status.skipped > 0)
        kin_bench_die("%llu objects were left out", (unsigned long long)status.skipped);
}

void kin_bench_check_encoding(const struct kin_bench_run *run, kin_informer *informer)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_encoding wanted = kin_bench_server_encoding(&run->server);
    kin_error err = KIN_ERROR_INIT;

    if (kin_informer_get_status(informer, &status, &err) < 0)
        kin_bench_die("%s", err.message);
    if (status.encoding != wanted)
        kin_bench_die("asked for %s, the server answered in %s", kin_encoding_name(wanted),
                      kin_encoding_name(status.encoding));
}

void kin_bench_stop(kin_informer *informer)
{
    kin_error err = KIN_ERROR_INIT;

    kin_informer_stop(informer);
    if (kin_informer_wait_stopped(informer, -1, &err) < 0)
        kin_bench_die("%s", err.message);
}

/* --- Pods --- */

static void add_indexes(kin_informer *informer)
{
    const kin_index by_namespace = KIN_INDEX_INIT(KIN_NAMESPACE_INDEX, kin_namespace_index);
    kin_index node = kin_bench_node_index("node");
    kin_error err = KIN_ERROR_INIT;

    if (kin_informer_add_index(informer, &by_namespace, &err) < 0 ||
        kin_informer_add_index(informer, &node, &err) < 0)
        kin_bench_die("no index: %s", err.message);
}

void kin_bench_pods_open(struct kin_bench_pods *pods, const struct kin_bench_run *run,
                         kin_event_fn *fn, void *arg, size_t max_queued)
{
    pods->client = kin_bench_client_new(&run->server);
    pods->informer = kin_bench_informer_new(run, pods->client, "", "pods", "Pod");
    add_indexes(pods->informer);
    pods->handler = kin_bench_add_handler(run, pods->informer, fn, arg, max_queued);
}

void kin_bench_pods_close(struct kin_bench_pods *pods)
{
    kin_registration_unref(pods->handler);
    kin_informer_free(pods->informer);
    kin_client_free(pods->client);
}
