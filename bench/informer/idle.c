/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An agent that watches several kinds on which nothing happens, with one client and a handler for
 * each.
 */
#include "informer.h"

/* After the sync, until what belongs to starting is over: a part of the time that is measured. */
#define STEADY_PART 0.2

/* The peer's, commonest first. Pods are the one kind for which the replay server has objects. */
static const struct {
    const char *group;
    const char *resource;
    const char *kind;
} kinds[] = {
    {"", "services", "Service"},
    {"", "configmaps", "ConfigMap"},
    {"", "secrets", "Secret"},
    {"", "nodes", "Node"},
    {"", "namespaces", "Namespace"},
    {"", "serviceaccounts", "ServiceAccount"},
    {"apps", "deployments", "Deployment"},
    {"apps", "replicasets", "ReplicaSet"},
    {"apps", "statefulsets", "StatefulSet"},
    {"apps", "daemonsets", "DaemonSet"},
    {"batch", "jobs", "Job"},
    {"discovery.k8s.io", "endpointslices", "EndpointSlice"},
};

struct agent {
    kin_client *client;
    kin_informer *informers[KIN_BENCH_LEN(kinds)];
    kin_registration *handlers[KIN_BENCH_LEN(kinds)];
};

static void on_event(const kin_event *event, void *arg)
{
    (void)arg;
    kin_bench_die("the server is not idle: %s", kin_event_type_name(event->type));
}

static void agent_start(struct agent *agent, const struct kin_bench_run *run)
{
    agent->client = kin_bench_client_new(&run->server);
    for (size_t i = 0; i < run->kinds; i++) {
        agent->informers[i] = kin_bench_informer_new(run, agent->client, kinds[i].group,
                                                     kinds[i].resource, kinds[i].kind);
        agent->handlers[i] = kin_bench_add_handler(run, agent->informers[i], on_event, NULL, 0);
        kin_bench_start(agent->informers[i]);
    }
    for (size_t i = 0; i < run->kinds; i++)
        kin_bench_wait_synced(agent->informers[i], agent->handlers[i]);
}

static void agent_stop(struct agent *agent, const struct kin_bench_run *run)
{
    for (size_t i = 0; i < run->kinds; i++) {
        kin_registration_unref(agent->handlers[i]);
        kin_informer_free(agent->informers[i]);
    }
    kin_client_free(agent->client);
}

void kin_bench_idle(const struct kin_bench_run *run)
{
    struct kin_bench_usage usage = {0, 0};
    struct kin_bench_section section;
    struct kin_bench_report report;
    struct agent agent;

    double seconds = (double)run->window_ms / 1e3;

    agent_start(&agent, run);
    kin_bench_sleep(seconds * STEADY_PART);
    /* As it is: a program that has nothing to do does not give memory back by itself. */
    size_t heap = kin_bench_heap_in_use();
    struct kin_bench_memory memory = kin_bench_memory_now();
    unsigned threads = kin_bench_threads();

    kin_bench_section_start(&section);
    kin_bench_sleep(seconds);
    kin_bench_section_stop(&section, &usage);
    for (size_t i = 0; i < run->kinds; i++)
        kin_bench_check_requests(run, agent.informers[i]);
    agent_stop(&agent, run);

    kin_bench_report_common(&report, run, &usage);
    kin_bench_report_note(&report, "%zu kinds, one handler each", run->kinds);
    kin_bench_report_memory(&report, &memory);
    kin_bench_report_measure(&report, "heap", (double)heap, "B");
    kin_bench_report_measure(&report, "threads", threads, "count");
    kin_bench_write(&report);
}
