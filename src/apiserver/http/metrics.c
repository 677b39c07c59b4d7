/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names are those of the real server where it counts the same thing, so that its dashboards work.
 */
#include "apiserver/http/metrics.h"

#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"

/* As kin__target names them, and as the real server's metrics do. The last stands for all others. */
static const struct {
    const char *verb;
    const char *shown;
} verbs[KIN__METRICS_VERBS] = {
    {"get", "GET"},        {"list", "LIST"},
    {"watch", "WATCH"},    {"create", "POST"},
    {"update", "PUT"},     {"patch", "PATCH"},
    {"delete", "DELETE"},  {"deletecollection", "DELETECOLLECTION"},
    {"post", "POST_PATH"}, {"other", "OTHER"},
};

void kin__metrics_answered(kin__metrics *metrics, const char *verb, int status)
{
    size_t i = 0;

    while (i < KIN__METRICS_VERBS - 1 && strcmp(verbs[i].verb, verb) != 0)
        i++;
    if (status >= 100 && status < 100 + KIN__METRICS_CODES)
        kin__metrics_add(&metrics->requests[i][status - 100], 1);
}

static void write_head(kin__buf *out, const char *name, const char *type, const char *help)
{
    kin__buf_appendf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_counter(kin__buf *out, const char *name, const _Atomic uint64_t *counter,
                          const char *help)
{
    write_head(out, name, "counter", help);
    kin__buf_appendf(out, "%s %" PRIu64 "\n", name,
                     atomic_load_explicit(counter, memory_order_relaxed));
}

static void write_gauge(kin__buf *out, const char *name, const char *labels,
                        const _Atomic int64_t *gauge, const char *help)
{
    write_head(out, name, "gauge", help);
    kin__buf_appendf(out, "%s%s %" PRId64 "\n", name, labels,
                     atomic_load_explicit(gauge, memory_order_relaxed));
}

static void write_requests(const kin__metrics *metrics, kin__buf *out)
{
    write_head(out, "apiserver_request_total", "counter", "Requests that were answered.");
    for (size_t i = 0; i < KIN__METRICS_VERBS; i++) {
        for (size_t code = 0; code < KIN__METRICS_CODES; code++) {
            uint64_t n = atomic_load_explicit(&metrics->requests[i][code], memory_order_relaxed);

            if (n > 0)
                kin__buf_appendf(out,
                                 "apiserver_request_total{verb=\"%s\",code=\"%zu\"} %" PRIu64 "\n",
                                 verbs[i].shown, code + 100, n);
        }
    }
}

void kin__metrics_write(const kin__metrics *metrics, kin__buf *out)
{
    write_requests(metrics, out);
    write_counter(out, "apiserver_request_aborts_total", &metrics->aborted,
                  "Requests that ended without an answer.");
    write_counter(out, "apiserver_request_bytes_total", &metrics->request_bytes,
                  "Bytes of bodies that were received.");
    write_counter(out, "apiserver_response_bytes_total", &metrics->response_bytes,
                  "Bytes of bodies that were sent.");
    write_counter(out, "kinform_apiserver_faults_total", &metrics->faults,
                  "Requests that met a fault on purpose.");
    write_counter(out, "kinform_apiserver_connections_total", &metrics->connections_total,
                  "Connections that were accepted.");
    write_counter(out, "kinform_apiserver_connections_refused_total", &metrics->connections_refused,
                  "Connections beyond a limit, or refused on purpose.");
    write_gauge(out, "kinform_apiserver_connections", "", &metrics->connections,
                "Connections that are open.");
    write_gauge(out, "apiserver_current_inflight_requests", "", &metrics->in_flight,
                "Requests that are being worked on.");
    write_gauge(out, "apiserver_longrunning_requests", "{verb=\"WATCH\"}", &metrics->watches,
                "Watches that are open.");
}
