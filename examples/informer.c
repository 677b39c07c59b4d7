/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform-informer: what docs/informer.md tells of, one thing after the other, with the Pods of a cluster.
 *
 * Server and credentials are those that kubectl would use. Writes an annotation to one Pod.
 */
#include <kinform.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { TIMEOUT_MS = 30000 };

struct counts {
    atomic_uint adds;
    atomic_uint updates;
    atomic_uint deletes;
};

/* --- handlers --- */

static void count(const kin_event *event, void *arg)
{
    struct counts *counts = arg;

    switch (event->type) {
    case KIN_EVENT_ADD:
        atomic_fetch_add(&counts->adds, 1);
        break;
    case KIN_EVENT_UPDATE:
        if (event->is_sync)
            break; /* nothing has changed: it comes again, since that was asked for */
        atomic_fetch_add(&counts->updates, 1);
        break;
    case KIN_EVENT_DELETE:
        atomic_fetch_add(&counts->deletes, 1);
        break;
    }
}

static bool is_running(const kin_object *pod, void *arg)
{
    char phase[32];

    (void)arg;
    return kin_object_get_string(pod, "status.phase", phase, sizeof(phase)) == 0 &&
           strcmp(phase, "Running") == 0;
}

static int add_handlers(kin_informer *pods, kin_registration **ret_running, struct counts *all,
                        struct counts *running, kin_error *err)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    int code = kin_informer_add_handler(pods, NULL, count, all, NULL, err);

    options.name = "running";
    options.filter = is_running;
    options.delivery = KIN_DELIVER_POOL; /* it does not block */
    options.max_queued = 1000;
    if (code == 0)
        code = kin_informer_add_handler(pods, ret_running, count, running, &options, err);
    return code;
}

/* --- what is kept --- */

static int make(kin_informer **ret, kin_client *client, kin_error *err)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
    const kin_projection *projection = NULL;
    int code = kin_projection_drop(&projection, kin_str_of("metadata.managedFields"), err);

    if (code < 0)
        return code;
    decode.projection = projection;
    options.decode = &decode;
    options.resync_ms = 600000;
    options.label_selector = "tier,tier!=test";
    code = kin_informer_new(ret, client, "pods", &options, err);
    kin_projection_unref(projection); /* the informer has its own reference */
    return code;
}

/* --- indexes and listers --- */

static int by_node(const kin_object *pod, kin_index_values *values, void *arg, kin_error *err)
{
    char node[KIN_NAME_BYTES];

    (void)arg;
    if (kin_object_get_string(pod, "spec.nodeName", node, sizeof(node)) < 0)
        return 0; /* on no node: under no value */
    return kin_index_values_add(values, kin_str_of(node), err);
}

static int print_nodes(kin_lister *pods, kin_error *err)
{
    kin_string_list nodes = KIN_STRING_LIST_INIT;
    int code = kin_store_index_values(kin_lister_store(pods), &nodes, kin_str_of("node"), err);

    for (size_t i = 0; code == 0 && i < nodes.len; i++) {
        kin_object_list list = KIN_OBJECT_LIST_INIT;

        code = kin_lister_by_index(pods, &list, kin_str_of("node"), nodes.items[i], err);
        if (code == 0)
            printf("on %" KIN_STR_FMT ": %zu pods\n", KIN_STR_ARG(nodes.items[i]), list.len);
        kin_object_list_done(&list);
    }
    kin_string_list_done(&nodes);
    return code;
}

static int print_namespace(kin_lister *pods, const char *namespace_, kin_error *err)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    const kin_label_selector *front = NULL;
    int code = kin_label_selector_parse(&front, kin_str_of("tier=frontend"), err);

    if (code == 0)
        code = kin_lister_list(pods, &list, kin_str_of(namespace_), front, err);
    if (code == 0)
        printf("in %s: %zu pods with tier=frontend\n", namespace_, list.len);
    kin_object_list_done(&list);
    kin_label_selector_unref(front);
    return code;
}

/* Readers wait for nobody, and nobody waits for them: all of it is looked up in memory. */
static int print_pods(kin_informer *informer, kin_error *err)
{
    kin_lister *pods = NULL;
    int code = kin_informer_lister(informer, &pods, err);

    if (code == 0)
        code = print_nodes(pods, err);
    if (code == 0)
        code = print_namespace(pods, "default", err);
    kin_lister_free(pods);
    return code;
}

/* --- read your writes --- */

static int annotate(kin_client *client, kin_informer *pods, const kin_object *pod, kin_error *err)
{
    static const char patch[] = "{\"metadata\":{\"annotations\":{\"seen-by\":\"kinform\"}}}";
    char namespace_[256];
    char name[256];
    kin_resource *resource = NULL;
    const kin_object *written = NULL;
    int code = kin_client_resolve(client, &resource, "pods", err);

    snprintf(namespace_, sizeof(namespace_), "%" KIN_STR_FMT,
             KIN_STR_ARG(kin_object_namespace(pod)));
    snprintf(name, sizeof(name), "%" KIN_STR_FMT, KIN_STR_ARG(kin_object_name(pod)));
    if (code == 0)
        code = kin_client_patch(client, &written, resource, namespace_, name, KIN_PATCH_MERGE,
                                kin_str_of(patch), NULL, err);
    /* From here on the store has what was written, or something newer. */
    if (code == 0)
        code = kin_informer_wait_object(pods, written, TIMEOUT_MS, err);
    kin_object_unref(written);
    kin_resource_unref(resource);
    return code;
}

static int annotate_one(kin_client *client, kin_informer *pods, kin_error *err)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    int code = kin_store_list(kin_informer_store(pods), &list, err);

    if (code == 0 && list.len > 0) {
        code = annotate(client, pods, list.items[0], err);
        /* Somebody else may have deleted it meanwhile. */
        if (code == KIN_ENOTFOUND)
            code = 0;
        else if (code == 0)
            printf("wrote to %s, and the store has it\n", kin_object_key(list.items[0]));
    }
    kin_object_list_done(&list);
    return code;
}

/* --- status --- */

static void print_status(kin_informer *pods, kin_registration *running)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_handler_status handler = KIN_HANDLER_STATUS_INIT;

    if (kin_informer_get_status(pods, &status, NULL) < 0 ||
        kin_registration_get_status(running, &handler, NULL) < 0)
        return;
    printf("%s: %zu objects, %llu lists, version %s%s%s\n", kin_informer_state_name(status.state),
           status.objects, (unsigned long long)status.lists, status.resource_version,
           status.last_error.code ? ", it failed with: " : "", status.last_error.message);
    printf("running: told %llu times, %zu wait, %llu were merged\n",
           (unsigned long long)handler.delivered, handler.queued,
           (unsigned long long)handler.merged);
}

static int show(kin_client *client, kin_informer *pods, struct counts *all, struct counts *some,
                kin_error *err)
{
    kin_index index = KIN_INDEX_INIT("node", by_node);
    kin_registration *running = NULL;
    int code = add_handlers(pods, &running, all, some, err);

    if (code == 0)
        code = kin_informer_add_index(pods, &index, err);
    if (code == 0)
        code = kin_informer_start(pods, err);
    if (code == 0)
        code = kin_informer_wait_synced(pods, TIMEOUT_MS, err);
    if (code == 0)
        code = kin_registration_wait_synced(running, TIMEOUT_MS, err);
    if (code == 0) {
        printf("%zu pods, running: %u\n", kin_store_len(kin_informer_store(pods)),
               atomic_load(&some->adds) - atomic_load(&some->deletes));
        code = print_pods(pods, err);
    }
    if (code == 0)
        code = annotate_one(client, pods, err);
    if (code == 0)
        print_status(pods, running);
    kin_registration_unref(running);
    return code;
}

int main(void)
{
    kin_error err = KIN_ERROR_INIT;
    kin_client *client = NULL;
    kin_informer *pods = NULL;
    struct counts all = {0, 0, 0};
    struct counts some = {0, 0, 0};
    int code;

    kin_set_default_log_level(KIN_LOG_WARN, NULL); /* warnings go to standard error */
    code = kin_client_new(&client, NULL, &err);
    if (code == 0)
        code = make(&pods, client, &err);
    if (code == 0)
        code = show(client, pods, &all, &some, &err);
    if (code < 0)
        fprintf(stderr, "kinform-informer: %s\n", err.message);
    /* No handler runs behind this: what they count in can go, and the client. */
    kin_informer_free(pods);
    kin_client_free(client);
    return code < 0;
}
