/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform-client: the Pods of a cluster, and what happens to them.
 *
 *     kinform-client [NAMESPACE]              list them, all without a namespace
 *     kinform-client --watch [NAMESPACE]      and watch them, until Control-C
 *     kinform-client --events N [NAMESPACE]   or until so many events were seen
 *
 * Server and credentials are those that kubectl would use.
 */
#include <kinform.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int print_pod(const kin_object *pod, void *arg, kin_error *err)
{
    size_t *n = arg;
    char phase[32] = "?";

    (void)err;
    kin_object_get_string(pod, "status.phase", phase, sizeof(phase));
    printf("%s %s\n", kin_object_key(pod), phase);
    ++*n;
    return 0;
}

/* The list begins again: what was printed is printed once more. */
static int begin_again(void *arg, kin_error *err)
{
    (void)err;
    *(size_t *)arg = 0;
    printf("-- again --\n");
    return 0;
}

static int print_event(enum kin_watch_type type, const kin_object *pod, void *arg, kin_error *err)
{
    unsigned long *left = arg;
    char phase[32] = "?";

    kin_object_get_string(pod, "status.phase", phase, sizeof(phase));
    printf("%s %s %s\n", kin_watch_type_name(type), kin_object_key(pod), phase);
    /* Any code ends the watch, and is what it returns. */
    return --*left > 0 ? 0 : kin_error_set(err, KIN_ECANCELED, "that was enough");
}

/* `n` events, or any number if it is 0. */
static int watch(kin_client *client, kin_resource *pods, const char *namespace_,
                 const kin_object *list, unsigned long n, kin_error *err)
{
    kin_list_watch_options options = KIN_LIST_WATCH_OPTIONS_INIT;
    kin_str version = kin_object_resource_version(list);
    kin_list_watch *source = NULL;
    kin_retry_watch *retry = NULL;
    unsigned long left = n;
    char text[256];
    int code;

    snprintf(text, sizeof(text), "%" KIN_STR_FMT, KIN_STR_ARG(version));
    options.namespace_ = namespace_;
    code = kin_client_list_watch(client, &source, pods, &options, err);
    if (code == 0)
        code = kin_retry_watch_new(&retry, source, text, NULL, err);
    if (code == 0)
        code = kin_retry_watch_run(retry, print_event, &left, err);
    if (n > 0 && left == 0) {
        printf("%lu events\n", n);
        code = 0;
    }
    kin_retry_watch_free(retry);
    kin_list_watch_unref(source);
    return code;
}

int main(int argc, char **argv)
{
    bool is_counted = argc > 2 && strcmp(argv[1], "--events") == 0;
    bool is_watch = is_counted || (argc > 1 && strcmp(argv[1], "--watch") == 0);
    unsigned long n_events = is_counted ? strtoul(argv[2], NULL, 10) : 0;
    int first = 1 + is_watch + is_counted;
    const char *namespace_ = argc > first ? argv[first] : NULL;
    kin_error err = KIN_ERROR_INIT;
    const kin_object *list = NULL;
    kin_client *client = NULL;
    kin_resource *pods = NULL;
    size_t n = 0;
    int code;

    /* Events are seen when they happen, by whatever reads them. */
    setvbuf(stdout, NULL, _IOLBF, 0);
    kin_set_default_log_level(KIN_LOG_WARN, NULL); /* warnings go to standard error */
    code = kin_client_new(&client, NULL, &err);
    if (code == 0)
        code = kin_client_resolve(client, &pods, "pods", &err);
    if (code == 0)
        code = kin_client_list_all(client, &list, pods, namespace_, print_pod, begin_again, &n,
                                   NULL, &err);
    if (code == 0)
        printf("%zu pods\n", n);
    if (code == 0 && is_watch)
        code = watch(client, pods, namespace_, list, n_events, &err);
    if (code < 0)
        fprintf(stderr, "kinform-client: %s\n", err.message);
    kin_object_unref(list);
    kin_resource_unref(pods);
    kin_client_free(client);
    return code < 0;
}
