/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a server has, asked for in JSON and in protobuf: both are the same documents.
 *
 *     kin-test-encodings KUBECONFIG < RESOURCES
 *
 * Each line of the input is a resource: "GROUP VERSION RESOURCE KIND NAMESPACED WATCHED", the group of the core is "-". It is listed, got and
 * watched, whole and as metadata. Each line of the output says for one of these what the encoding was when protobuf was asked
 * for, and how many objects there were: "apps/v1 deployments list whole protobuf 3". Differences are errors: status 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/call.h"
#include "client/list_watch.h"
#include "kinform.h"

/* The server writes, too: leases, for one. */
enum { TRIES = 20 };

struct seen {
    const kin_object **objects;
    size_t n;
    const kin_object *head;
    int code;
    kin_error err;
    kin_encoding encoding;
};

struct asked {
    kin_client *client;
    kin_resource *resource;
    enum kin_verb verb;
    const char *namespace_;
    const char *name;
    bool metadata_only;
};

static void seen_done(struct seen *seen)
{
    for (size_t i = 0; i < seen->n; i++)
        kin_object_unref(seen->objects[i]);
    free(seen->objects);
    kin_object_unref(seen->head);
}

static int take_item(const kin_object *object, void *arg, kin_error *err)
{
    struct seen *seen = arg;
    const kin_object **more = realloc(seen->objects, (seen->n + 1) * sizeof(const kin_object *));

    if (!more)
        return kin_error_set(err, KIN_ENOMEM, "no memory");
    seen->objects = more;
    more[seen->n++] = kin_object_ref(object);
    return 0;
}

/* Up to the end of the initial events. */
static int take_event(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    if (type == KIN_WATCH_BOOKMARK)
        return kin__bookmark_ends_list(object) ? kin_error_set(err, KIN_ERANGE, "enough") : 0;
    return take_item(object, arg, err);
}

static void take_end(const kin_result *result, void *arg)
{
    struct seen *seen = arg;

    seen->code = result->code == KIN_ERANGE ? 0 : result->code;
    seen->err = *result->err;
    seen->head = result->object ? kin_object_ref(result->object) : NULL;
}

static struct seen ask(const struct asked *asked, kin_encoding encoding)
{
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_request request = KIN_REQUEST_INIT;
    struct seen seen = {.err = KIN_ERROR_INIT};
    kin_call *call = NULL;

    options.encoding = encoding;
    options.metadata_only = asked->metadata_only;
    if (asked->verb == KIN_VERB_WATCH) {
        options.send_initial_events = true;
        options.bookmarks = true;
        options.resource_version_match = "NotOlderThan";
        options.watch_timeout_ms = 60000;
    }
    request.verb = asked->verb;
    request.resource = asked->resource;
    request.namespace_ = asked->namespace_;
    request.name = asked->name;
    request.options = &options;
    handlers.item = take_item;
    handlers.event = take_event;
    handlers.done = take_end;
    handlers.arg = &seen;
    seen.code = kin_client_start(asked->client, &call, &request, &handlers, &seen.err);
    if (seen.code == 0)
        kin_call_wait(call, -1, NULL);
    seen.encoding = call ? kin__call_encoding(call) : KIN_ENCODING_DEFAULT;
    kin_call_unref(call);
    return seen;
}

/* --- comparing --- */

static void tell(const char *what, const kin_object *object)
{
    char *text = NULL;
    size_t len;

    if (object && kin_object_to_json(&text, &len, object, KIN_JSON_COMPACT, NULL) == 0)
        fprintf(stderr, "  %s: %s\n", what, text);
    kin_free(text);
}

static bool are_equal(const kin_object *a, const kin_object *b, bool says)
{
    bool equal = a == b || (a && b && kin_object_equal(a, b));

    if (!equal && says) {
        tell("json", a);
        tell("protobuf", b);
    }
    return equal;
}

static bool is_same(const struct seen *json, const struct seen *protobuf, bool says)
{
    bool same = json->code == 0 && protobuf->code == 0 && json->n == protobuf->n;

    if (!same && says)
        fprintf(stderr, "  json: %d %s, %zu objects; protobuf: %d %s, %zu objects\n", json->code,
                json->err.message, json->n, protobuf->code, protobuf->err.message, protobuf->n);
    for (size_t i = 0; same && i < json->n; i++)
        same = are_equal(json->objects[i], protobuf->objects[i], says);
    return same && are_equal(json->head, protobuf->head, says);
}

static const char *verb_name(enum kin_verb verb)
{
    if (verb == KIN_VERB_GET)
        return "get";
    return verb == KIN_VERB_LIST ? "list" : "watch";
}

/* Whether both are the same. */
static bool compare(const struct asked *asked)
{
    struct seen protobuf = {.n = 0};
    bool same = false;

    for (int i = 0; i < TRIES && !same; i++) {
        struct seen json = ask(asked, KIN_ENCODING_JSON);

        seen_done(&protobuf);
        protobuf = ask(asked, KIN_ENCODING_PROTOBUF);
        same = is_same(&json, &protobuf, i == TRIES - 1);
        if (json.encoding != KIN_ENCODING_JSON)
            same = false;
        seen_done(&json);
    }
    printf("%s %s %s %s %s %zu\n", kin_resource_api_version(asked->resource),
           kin_resource_name(asked->resource), verb_name(asked->verb),
           asked->metadata_only ? "metadata" : "whole", kin_encoding_name(protobuf.encoding),
           asked->verb == KIN_VERB_GET ? (size_t)(protobuf.head != NULL) : protobuf.n);
    if (!same)
        fprintf(stderr, "%s %s differs%s%s\n", verb_name(asked->verb),
                kin_resource_name(asked->resource), asked->name ? ": " : "",
                asked->name ? asked->name : "");
    seen_done(&protobuf);
    return same;
}

/* Each object by itself. */
static bool compare_objects(struct asked asked)
{
    struct seen all;
    bool same = true;

    asked.verb = KIN_VERB_LIST;
    all = ask(&asked, KIN_ENCODING_JSON);
    asked.verb = KIN_VERB_GET;
    for (size_t i = 0; i < all.n; i++) {
        char namespace_[256];
        char name[256];
        kin_str space = kin_object_namespace(all.objects[i]);

        snprintf(namespace_, sizeof(namespace_), "%" KIN_STR_FMT, KIN_STR_ARG(space));
        snprintf(name, sizeof(name), "%" KIN_STR_FMT, KIN_STR_ARG(kin_object_name(all.objects[i])));
        asked.namespace_ = space.len > 0 ? namespace_ : NULL;
        asked.name = name;
        same &= compare(&asked);
    }
    seen_done(&all);
    return same;
}

static bool compare_resource(kin_client *client, kin_resource *resource, bool is_watched)
{
    struct asked asked = {.client = client, .resource = resource};
    bool same = true;

    for (int metadata_only = 0; metadata_only < 2; metadata_only++) {
        asked.metadata_only = metadata_only;
        asked.verb = KIN_VERB_LIST;
        same &= compare(&asked);
        same &= compare_objects(asked);
        asked.verb = KIN_VERB_WATCH;
        if (is_watched)
            same &= compare(&asked);
    }
    return same;
}

static bool compare_all(kin_client *client)
{
    char group[256];
    char version[64];
    char name[256];
    char kind[256];
    int is_namespaced;
    int is_watched;
    bool same = true;

    while (scanf("%255s %63s %255s %255s %d %d", group, version, name, kind, &is_namespaced,
                 &is_watched) == 6) {
        kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
        kin_resource *resource = NULL;

        spec.group = strcmp(group, "-") == 0 ? "" : group;
        spec.version = version;
        spec.resource = name;
        spec.kind = kind;
        spec.cluster_wide = !is_namespaced;
        if (kin_resource_new(&resource, &spec, NULL) < 0)
            return false;
        same &= compare_resource(client, resource, is_watched);
        kin_resource_unref(resource);
    }
    return same;
}

int main(int argc, char **argv)
{
    kin_config_options where = KIN_CONFIG_OPTIONS_INIT;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_client *client = NULL;
    bool same = false;

    if (argc != 2)
        return 2;
    where.kubeconfig = argv[1];
    options.qps = -1;
    if (kin_config_load(&options.config, &where, &err) < 0 ||
        kin_client_new(&client, &options, &err) < 0)
        fprintf(stderr, "%s\n", err.message);
    else
        same = compare_all(client);
    kin_client_free(client);
    kin_config_unref(options.config);
    return same ? 0 : 1;
}
