/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform-factory: the Deployments of a cluster, with their Pods, and the node of each, from three
 * informers of one factory.
 *
 *     kinform-factory [NAMESPACE]
 *
 * Server and credentials are those that kubectl would use. Nothing is asked of the server per
 * Deployment: all of it is looked up in caches, which would stay fresh for as long as the program
 * ran.
 */
#include <kinform.h>
#include <stdio.h>

static void print_pods(kin_informer *pods, const kin_object *replica_set)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    kin_list_children(kin_informer_store(pods), &list, replica_set, true, NULL);
    for (size_t i = 0; i < list.len; i++) {
        char node[KIN_NAME_BYTES] = "?";

        kin_object_get_string(list.items[i], "spec.nodeName", node, sizeof(node));
        printf("  %s on %s\n", kin_object_key(list.items[i]), node);
    }
    kin_object_list_done(&list);
}

/* Deployment, ReplicaSets, Pods: each is found by the uid of its owner. */
static void print_deployment(kin_informer *replica_sets, kin_informer *pods,
                             const kin_object *deployment)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    printf("%s\n", kin_object_key(deployment));
    kin_list_children(kin_informer_store(replica_sets), &list, deployment, true, NULL);
    for (size_t i = 0; i < list.len; i++)
        print_pods(pods, list.items[i]);
    kin_object_list_done(&list);
}

static int print_all(kin_factory *factory, const char *namespace_, kin_error *err)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_lister *deployments = NULL;
    kin_informer *replica_sets = NULL;
    kin_informer *pods = NULL;
    int code;

    /* Whoever asks for a resource shares its informer with all others who do. */
    if ((code = kin_factory_lister(factory, &deployments, "deployments", err)) == 0 &&
        (code = kin_factory_informer(factory, &replica_sets, "replicasets", err)) == 0 &&
        (code = kin_factory_informer(factory, &pods, "pods", err)) == 0 &&
        (code = kin_factory_start(factory, err)) == 0 &&
        /* An error names those that have not synced, and why. */
        (code = kin_factory_wait_for_sync(factory, 30000, err)) == 0 &&
        (code = kin_lister_list(deployments, &list, kin_str_of(namespace_), NULL, err)) == 0) {
        for (size_t i = 0; i < list.len; i++)
            print_deployment(replica_sets, pods, list.items[i]);
        printf("%zu deployments\n", list.len);
    }
    kin_object_list_done(&list);
    kin_lister_free(deployments);
    return code;
}

int main(int argc, char **argv)
{
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_client *client = NULL;
    kin_factory *factory = NULL;
    int code;

    kin_set_default_log_level(KIN_LOG_WARN, NULL); /* warnings go to standard error */
    code = kin_client_new(&client, NULL, &err);
    options.index_owners = true;
    if (code == 0)
        code = kin_factory_new(&factory, client, &options, &err);
    if (code == 0)
        code = print_all(factory, argc > 1 ? argv[1] : "", &err);
    if (code < 0)
        fprintf(stderr, "kinform-factory: %s\n", err.message);
    kin_factory_free(factory);
    kin_client_free(client);
    return code < 0;
}
