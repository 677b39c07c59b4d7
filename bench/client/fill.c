/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills a server with Pods of kin-bench-pods. It creates the namespaces, then the Pods without the fields that the server
 * sets, and writes each status, since a server drops it when an object is created. No contestant is compared with this.
 */
#include "client.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <kinform/editor.h>

#define THREADS_MAX 64

/* The server sets the first four; priorities need a PriorityClass. */
static const char *const removed[] = {
    "metadata.uid",
    "metadata.resourceVersion",
    "metadata.creationTimestamp",
    "metadata.managedFields",
    "spec.priority",
    "spec.priorityClassName",
    "spec.preemptionPolicy",
};

struct filling {
    kin_client *client;
    kin_resource *pods;
    const kin_object **objects;
    size_t n;
    atomic_size_t next;
};

static const kin_object *without_servers_part(const kin_object *object)
{
    kin_error err = KIN_ERROR_INIT;
    kin_editor *editor = NULL;
    const kin_object *made;
    int rc = kin_editor_new(&editor, object, &err);

    for (size_t i = 0; rc == 0 && i < KIN_BENCH_LEN(removed); i++) {
        rc = kin_editor_remove(editor, kin_str_of(removed[i]), &err);
        rc = rc == KIN_ENOTFOUND ? 0 : rc;
    }
    if (rc < 0 || kin_editor_finish(editor, &made, &err) < 0)
        kin_bench_die("%s: %s", kin_object_key(object), err.message);
    kin_editor_free(editor);
    return made;
}

static void make_object(const struct filling *filling, const kin_object *object)
{
    kin_error err = KIN_ERROR_INIT;
    kin_request_options status = KIN_REQUEST_OPTIONS_INIT;
    kin_str from = kin_object_namespace(object);
    char namespace_[64];

    (void)snprintf(namespace_, sizeof(namespace_), "%.*s", (int)from.len, from.data);
    if (kin_client_create(filling->client, NULL, filling->pods, namespace_, object, NULL, &err) < 0)
        kin_bench_die("cannot create %s: %s", kin_object_key(object), err.message);
    status.subresource = "status";
    if (kin_client_update(filling->client, NULL, filling->pods, namespace_, object, &status, &err) <
        0)
        kin_bench_die("cannot write the status of %s: %s", kin_object_key(object), err.message);
}

static void *make_objects(void *arg)
{
    struct filling *filling = arg;

    for (;;) {
        size_t i = atomic_fetch_add(&filling->next, 1);

        if (i >= filling->n)
            return NULL;
        const kin_object *object = without_servers_part(filling->objects[i]);

        make_object(filling, object);
        kin_object_unref(object);
    }
}

static void make_namespace(kin_client *client, kin_resource *resource, kin_decoder *decoder,
                           kin_str name)
{
    kin_error err = KIN_ERROR_INIT;
    char text[256];
    int n =
        snprintf(text, sizeof(text),
                 "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%.*s\"}}",
                 (int)name.len, name.data);
    const kin_object *object = kin_bench_decode_one(decoder, kin_str_make(text, (size_t)n));
    int rc = kin_client_create(client, NULL, resource, NULL, object, NULL, &err);

    if (rc < 0 && strcmp(err.reason, "AlreadyExists") != 0)
        kin_bench_die("cannot create the namespace %s: %s", text, err.message);
    kin_object_unref(object);
}

/* Pods of a namespace are all over the list. */
static void make_namespaces(const struct filling *filling, kin_decoder *decoder)
{
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_resource *resource = NULL;

    spec.version = "v1";
    spec.resource = "namespaces";
    spec.kind = "Namespace";
    spec.cluster_wide = true;
    if (kin_resource_new(&resource, &spec, &err) < 0)
        kin_bench_die("%s", err.message);
    for (size_t i = 0; i < filling->n; i++) {
        kin_str name = kin_object_namespace(filling->objects[i]);
        size_t before = 0;

        while (!kin_str_equal(kin_object_namespace(filling->objects[before]), name))
            before++;
        if (before == i)
            make_namespace(filling->client, resource, decoder, name);
    }
    kin_resource_unref(resource);
}

static void run_threads(struct filling *filling, size_t n)
{
    pthread_t threads[THREADS_MAX];

    if (n > THREADS_MAX)
        n = THREADS_MAX;
    for (size_t i = 0; i < n; i++) {
        if (pthread_create(&threads[i], NULL, make_objects, filling) != 0)
            kin_bench_die("cannot start a thread");
    }
    for (size_t i = 0; i < n; i++)
        (void)pthread_join(threads[i], NULL);
}

void kin_bench_fill(const struct kin_bench_run *run)
{
    struct filling filling = {.next = 0};
    struct kin_bench_usage usage = {0, 0};
    struct kin_bench_section section;
    struct kin_bench_report report;
    struct kin_bench_items items;

    if (!run->file)
        kin_bench_die("fill wants --file");
    kin_bench_items_load(&items, run->file);
    kin_decoder *decoder = kin_bench_decoder_new(NULL);
    filling.objects = kin_bench_decode_all(decoder, &items, items.n);
    filling.n = items.n;
    filling.client = kin_bench_client_new(&run->server);
    filling.pods = kin_bench_resource_new("", "pods", "Pod");
    kin_bench_section_start(&section);
    make_namespaces(&filling, decoder);
    run_threads(&filling, run->streams);
    kin_bench_section_stop(&section, &usage);

    kin_client_free(filling.client);
    kin_resource_unref(filling.pods);
    kin_bench_unref_all(filling.objects, filling.n);
    free((void *)filling.objects);
    kin_decoder_free(decoder);
    kin_bench_items_done(&items);
    kin_bench_report_init(&report);
    kin_bench_report_usage(&report, &usage);
    kin_bench_report_measure(&report, "ops", (double)filling.n * 1e9 / (double)usage.wall, "1/s");
    kin_bench_write(&report);
}
