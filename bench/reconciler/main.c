/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-reconciler: Deployments on an API server, and who makes their ReplicaSets and statuses: a
 * controller, or threads that know what to write without having looked.
 */
#include "reconciler.h"

#include <kinform.h>

#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "load.h"
#include "measure.h"

#define EXIT_USAGE 2
#define NUMBER_MAX 1000000
#define PATIENCE_S INT64_C(120)

static const char help[] =
    "usage: kin-bench-reconciler MODE --url URL [OPTION]...\n"
    "\n"
    "  controller  a controller makes a ReplicaSet and a status for each Deployment\n"
    "  writes      the same writes, by threads that look at nothing\n"
    "\n"
    "  --program FILE   controller: what to run\n"
    "  --deployments N  how many (1000)\n"
    "  --threads N      writes: how many (2)\n";

struct run {
    const char *url;
    const char *program;
    size_t deployments;
    size_t threads;
    kin_client *client;
    kin_resource *deployment_kind;
    kin_resource *replica_set_kind;
    atomic_size_t next; /* writes: the next Deployment */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t n_done; /* (lock) Deployments that have their status */
};

/* --- what there is --- */

static void open_server(struct run *run)
{
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;

    config.server = run->url;
    options.qps = -1;
    if (kin_config_new(&options.config, &config, &err) < 0 ||
        kin_client_new(&run->client, &options, &err) < 0 ||
        kin_client_resolve(run->client, &run->deployment_kind, "deployments.apps", &err) < 0 ||
        kin_client_resolve(run->client, &run->replica_set_kind, "replicasets.apps", &err) < 0)
        kin_bench_die("%s", err.message);
    kin_config_unref(options.config);
}

static void close_server(struct run *run)
{
    kin_resource_unref(run->deployment_kind);
    kin_resource_unref(run->replica_set_kind);
    kin_client_free(run->client);
}

static void create(struct run *run, kin_resource *resource, const char *kind, size_t i)
{
    kin_error err = KIN_ERROR_INIT;
    const kin_object *object = NULL;
    char text[1024];

    (void)snprintf(
        text, sizeof(text),
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"%s\",\"metadata\":{\"namespace\":\"default\","
        "\"name\":\"app-%zu\"},\"spec\":{\"replicas\":%zu,\"selector\":{\"matchLabels\":{\"app\":"
        "\"app-%zu\"}},\"template\":{\"metadata\":{\"labels\":{\"app\":\"app-%zu\"}},\"spec\":{"
        "\"containers\":[{\"name\":\"main\",\"image\":\"app:%zu\"}]}}}}",
        kind, i, i % 5 + 1, i, i, i);
    if (kin_object_from_json(&object, kin_str_of(text), NULL, &err) < 0 ||
        kin_client_create(run->client, NULL, resource, NULL, object, NULL, &err) < 0)
        kin_bench_die("%s", err.message);
    kin_object_unref(object);
}

static int count_one(const kin_object *object, void *arg, kin_error *err)
{
    (void)object;
    (void)err;
    ++*(size_t *)arg;
    return 0;
}

/* Each Deployment has its ReplicaSet. */
static void check(struct run *run)
{
    kin_error err = KIN_ERROR_INIT;
    size_t n = 0;

    if (kin_client_list(run->client, NULL, run->replica_set_kind, NULL, count_one, &n, NULL, &err) <
        0)
        kin_bench_die("%s", err.message);
    if (n != run->deployments)
        kin_bench_die("%zu ReplicaSets of %zu Deployments", n, run->deployments);
}

/* --- looking on --- */

static bool is_done(const kin_object *deployment)
{
    int64_t generation = 0;

    return kin_value_int64(&generation, kin_object_find(deployment, "status.observedGeneration")) ==
           0;
}

static void look(const kin_event *event, void *arg)
{
    struct run *run = arg;

    if (event->type == KIN_EVENT_DELETE || !is_done(event->object) ||
        (event->old_object && is_done(event->old_object)))
        return;
    pthread_mutex_lock(&run->lock);
    run->n_done++;
    pthread_cond_signal(&run->changed);
    pthread_mutex_unlock(&run->lock);
}

static kin_informer *look_on(struct run *run)
{
    kin_error err = KIN_ERROR_INIT;
    kin_informer *informer = NULL;

    if (kin_informer_new(&informer, run->client, "deployments.apps", NULL, &err) < 0 ||
        kin_informer_add_handler(informer, NULL, look, run, NULL, &err) < 0 ||
        kin_informer_start(informer, &err) < 0 ||
        kin_informer_wait_synced(informer, PATIENCE_S * 1000, &err) < 0)
        kin_bench_die("%s", err.message);
    return informer;
}

static void wait_for_all(struct run *run)
{
    struct timespec deadline;
    int code = 0;

    (void)clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&run->lock);
    while (run->n_done < run->deployments && code == 0)
        code = pthread_cond_timedwait(&run->changed, &run->lock, &deadline);
    size_t n = run->n_done;
    pthread_mutex_unlock(&run->lock);
    if (n < run->deployments)
        kin_bench_die("%zu of %zu Deployments have a status", n, run->deployments);
}

/* --- modes --- */

static void report(const struct run *run, const struct kin_bench_usage *usage, const char *note)
{
    struct kin_bench_report report;

    kin_bench_report_init(&report);
    kin_bench_report_usage(&report, usage);
    kin_bench_report_measure(&report, "ops", (double)run->deployments * 1e9 / (double)usage->wall,
                             "1/s");
    kin_bench_report_measure(&report, "deployments", (double)run->deployments, "count");
    kin_bench_report_note(&report, "%s", note);
    if (kin_bench_report_write(&report, stdout) < 0)
        kin_bench_die("the report cannot be written");
}

static void run_controller(struct run *run)
{
    struct kin_bench_usage usage = {0, 0};
    struct kin_bench_section section;
    struct kin_bench_child child;
    kin_informer *informer = look_on(run);

    kin_bench_child_start(&child, run->program, run->url);
    int64_t before = kin_bench_child_cpu(&child);
    kin_bench_section_start(&section);
    wait_for_all(run);
    kin_bench_section_stop(&section, &usage);
    usage.cpu = kin_bench_child_cpu(&child) - before;
    kin_bench_child_stop(&child);
    kin_informer_free(informer);
    report(run, &usage, "cpu is the controller's alone");
}

static void write_status(struct run *run, size_t i)
{
    static const char patch[] = "{\"status\":{\"replicas\":0,\"observedGeneration\":1}}";
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    char name[32];

    (void)snprintf(name, sizeof(name), "app-%zu", i);
    options.subresource = "status";
    if (kin_client_patch(run->client, NULL, run->deployment_kind, "default", name, KIN_PATCH_MERGE,
                         kin_str_of(patch), &options, &err) < 0)
        kin_bench_die("%s", err.message);
}

static void *write_some(void *arg)
{
    struct run *run = arg;
    size_t i;

    while ((i = atomic_fetch_add(&run->next, 1)) < run->deployments) {
        create(run, run->replica_set_kind, "ReplicaSet", i);
        write_status(run, i);
    }
    return NULL;
}

static void run_writes(struct run *run)
{
    struct kin_bench_usage usage = {0, 0};
    struct kin_bench_section section;
    pthread_t *threads = kin_bench_alloc(run->threads, sizeof(*threads));

    kin_bench_section_start(&section);
    for (size_t i = 0; i < run->threads; i++) {
        if (pthread_create(&threads[i], NULL, write_some, run) != 0)
            kin_bench_die("no threads");
    }
    for (size_t i = 0; i < run->threads; i++)
        (void)pthread_join(threads[i], NULL);
    kin_bench_section_stop(&section, &usage);
    free(threads);
    report(run, &usage, "nothing is read, and nothing compared");
}

/* --- arguments --- */

static bool parse_options(struct run *run, int argc, char **argv)
{
    static const struct option longs[] = {
        {"url", required_argument, NULL, 'u'},
        {"program", required_argument, NULL, 'p'},
        {"deployments", required_argument, NULL, 'd'},
        {"threads", required_argument, NULL, 't'},
        {NULL, 0, NULL, 0},
    };
    int opt;

    while ((opt = getopt_long(argc, argv, "", longs, NULL)) != -1) {
        switch (opt) {
        case 'u':
            run->url = optarg;
            break;
        case 'p':
            run->program = optarg;
            break;
        case 'd':
            run->deployments = kin_bench_number(optarg, NUMBER_MAX);
            break;
        case 't':
            run->threads = kin_bench_number(optarg, NUMBER_MAX);
            break;
        default:
            return false;
        }
    }
    return optind + 1 == argc && run->url && run->deployments > 0 && run->threads > 0;
}

int main(int argc, char **argv)
{
    struct run run = {.deployments = 1000,
                      .threads = 2,
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .changed = PTHREAD_COND_INITIALIZER};
    bool is_controller;

    if (!parse_options(&run, argc, argv) ||
        (is_controller = strcmp(argv[optind], "controller") == 0) != (run.program != NULL) ||
        (!is_controller && strcmp(argv[optind], "writes") != 0)) {
        (void)fputs(help, stderr);
        return EXIT_USAGE;
    }
    open_server(&run);
    for (size_t i = 0; i < run.deployments; i++)
        create(&run, run.deployment_kind, "Deployment", i);
    if (is_controller)
        run_controller(&run);
    else
        run_writes(&run);
    check(&run);
    close_server(&run);
    return 0;
}
