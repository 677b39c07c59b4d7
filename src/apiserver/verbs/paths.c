/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths that are no resources: health, the version, discovery.
 */
#include <stdio.h>
#include <string.h>

#include "apiserver/protocol/discovery.h"
#include "apiserver/verbs/api_inside.h"
#include "base/str.h"

/* The Kubernetes whose behaviour this is. */
static const char version_text[] =
    "{\"major\":\"1\",\"minor\":\"36\",\"emulationMajor\":\"1\",\"emulationMinor\":\"36\","
    "\"minCompatibilityMajor\":\"1\",\"minCompatibilityMinor\":\"35\","
    "\"gitVersion\":\"v1.36.3+kinform\",\"gitCommit\":\"\",\"gitTreeState\":\"clean\","
    "\"buildDate\":\"1970-01-01T00:00:00Z\",\"goVersion\":\"\",\"compiler\":\"\","
    "\"platform\":\"linux\"}";

static const char *const checks[] = {"ping", "etcd",
                                     "poststarthook/start-system-namespaces-controller"};

void kin__op_answer_no_page(kin__op *op)
{
    kin__op_answer_text(op, 404, "text/plain; charset=utf-8", kin_str_of("404 page not found\n"));
}

/* Of what is no resource the verb is the method's. HEAD is another one to the real server. */
static bool is_get(const kin__op *op)
{
    return op->info.verb == KIN__VERB_GET && !op->info.is_head;
}

/* --- health --- */

static bool has_parameter(kin_str query, const char *name)
{
    kin_str pair;

    while (kin__str_cut(&query, '&', &pair))
        if (kin_str_equal(kin_str_make(pair.data, kin__str_find(pair, '=')), kin_str_of(name)))
            return true;
    return false;
}

static bool is_check(kin_str name)
{
    for (size_t i = 0; i < kin__array_len(checks); i++)
        if (kin_str_equal(name, kin_str_of(checks[i])))
            return true;
    return false;
}

/* Of all checks, or (`is_one`) of one, of which there is nothing to be told. */
static void answer_health(kin__op *op, const char *what, bool is_one)
{
    char text[1024];
    kin__cutline line;

    if (is_one || !has_parameter(op->call->request->query, "verbose")) {
        kin__op_answer_text(op, 200, "text/plain; charset=utf-8", kin_str_of("ok"));
        return;
    }
    kin__cutline_init(&line, text, sizeof(text));
    for (size_t i = 0; i < kin__array_len(checks); i++)
        kin__cutline_appendf(&line, "[+]%s ok\n", checks[i]);
    kin__cutline_appendf(&line, "%s check passed\n", what);
    kin__op_answer_text(op, 200, "text/plain; charset=utf-8", kin_str_make(text, line.len));
}

/* Whether the path is one of them. */
static bool serve_health(kin__op *op)
{
    static const char *const roots[] = {"healthz", "livez", "readyz"};
    kin_str path = op->info.path;
    kin_str root;

    if (path.len == 0)
        return false;
    path = kin_str_make(path.data + 1, path.len - 1);
    kin__str_cut(&path, '/', &root);
    for (size_t i = 0; i < kin__array_len(roots); i++) {
        if (!kin_str_equal(root, kin_str_of(roots[i])))
            continue;
        if (!path.data || is_check(path))
            answer_health(op, roots[i], path.data != NULL);
        else
            kin__op_answer_no_page(op);
        return true;
    }
    return false;
}

/* --- discovery --- */

/* Of an aggregated document that the client has already, only that it is still the same. */
static void answer_discovery(kin__op *op, kin__buf *text, enum kin__discovery form,
                             const char *content_type)
{
    kin_str known = kin__str_trim(op->call->request->if_none_match);
    kin__reply reply;

    if (form == KIN__DISCOVERY_PLAIN) {
        kin__op_answer_json(op, 200, text);
        return;
    }
    memset(&reply, 0, sizeof(reply));
    reply.status = 200;
    reply.content_type = content_type;
    reply.headers[0].name = "ETag";
    kin__discovery_etag(kin__buf_str(text), reply.headers[0].value);
    reply.headers[1].name = "Vary";
    snprintf(reply.headers[1].value, sizeof(reply.headers[1].value), "Accept");
    reply.n_headers = 2;
    reply.body = *text;
    if (!text->failed && kin_str_equal(known, kin_str_of(reply.headers[0].value))) {
        reply.status = 304;
        kin__buf_reset(&reply.body);
    }
    kin__op_answer(op, &reply);
}

static bool serve_roots(kin__op *op, bool is_core, kin__failure *failure)
{
    enum kin__discovery form;
    const char *content_type;
    kin__buf text;

    if (!is_get(op))
        return kin__fail_no_method(failure);
    if (!kin__accept_read_discovery(op->call->request->accept, &form, &content_type, failure))
        return false;
    kin__buf_init(&text, KIN__TEXT_MAX);
    if (is_core)
        kin__discovery_api(op->api->registry, form, kin_str_of(op->api->server_address), &text);
    else
        kin__discovery_apis(op->api->registry, form, &text);
    answer_discovery(op, &text, form, content_type);
    return true;
}

/* /apis/GROUP, /apis/GROUP/VERSION, /api/VERSION: what is behind /api or /apis. */
static bool serve_group(kin__op *op, bool is_core, kin_str rest, kin__failure *failure)
{
    kin_str group = kin_str_of("");
    kin_str version = {NULL, 0};
    kin__buf text;
    bool is_there;

    if (is_core) {
        version = rest;
    } else {
        kin__str_cut(&rest, '/', &group);
        version = rest;
    }
    kin__buf_init(&text, KIN__TEXT_MAX);
    is_there = version.data ? kin__discovery_version(op->api->registry, group, version, &text)
                            : kin__discovery_group(op->api->registry, group, &text);
    if (is_there && is_get(op)) {
        kin__op_answer_json(op, 200, &text);
        return true;
    }
    kin__buf_done(&text);
    if (is_there)
        return kin__fail_no_method(failure);
    const kin__snapshot *snapshot = kin__registry_snapshot(op->api->registry);
    bool has_group = kin__snapshot_find_group(snapshot, group) != NULL;
    kin__snapshot_unref(snapshot);
    if (has_group)
        return kin__fail_no_path(failure);
    kin__op_answer_no_page(op);
    return true;
}

static bool serve_index(kin__op *op)
{
    const kin__snapshot *snapshot = kin__registry_snapshot(op->api->registry);
    kin__buf text;

    kin__buf_init(&text, KIN__TEXT_MAX);
    kin__buf_append(&text, kin_str_of("{\"paths\":[\"/api\",\"/api/v1\",\"/apis\""));
    for (size_t i = 0; i < snapshot->n_groups; i++) {
        const kin__group *group = &snapshot->groups[i];

        if (!group->name[0])
            continue;
        kin__buf_appendf(&text, ",\"/apis/%s\"", group->name);
        for (size_t j = 0; j < group->n_versions; j++)
            kin__buf_appendf(&text, ",\"/apis/%s/%s\"", group->name, group->versions[j]);
    }
    kin__buf_append(&text, kin_str_of(",\"/healthz\",\"/livez\",\"/metrics\","
                                      "\"/openapi/v2\",\"/readyz\",\"/version\"]}"));
    kin__snapshot_unref(snapshot);
    kin__op_answer_json(op, 200, &text);
    return true;
}

static bool serve_version(kin__op *op, kin__failure *failure)
{
    kin__buf text;

    if (!is_get(op))
        return kin__fail_no_method(failure);
    kin__buf_init(&text, KIN__TEXT_MAX);
    kin__buf_append(&text, kin_str_of(version_text));
    kin__op_answer_json(op, 200, &text);
    return true;
}

/*
 * Without schemas to tell of, an empty document: kubectl, which checks what it sends by it, then finds
 * nothing to check, and does not refuse to create. It reads no other form than this one.
 */
static bool serve_openapi(kin__op *op, kin__failure *failure)
{
    if (!is_get(op))
        return kin__fail_no_method(failure);
    kin__op_answer_text(op, 200, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
                        kin_str_of(""));
    return true;
}

bool kin__serve_path(kin__op *op, kin__failure *failure)
{
    kin_str path = op->info.path;
    const kin_str core = kin_str_of("/api/");
    const kin_str groups = kin_str_of("/apis/");

    if (serve_health(op))
        return true;
    if (path.len == 0 && op->info.verb == KIN__VERB_GET)
        return serve_index(op);
    if (kin_str_equal(path, kin_str_of("/version")))
        return serve_version(op, failure);
    if (kin_str_equal(path, kin_str_of("/openapi/v2")))
        return serve_openapi(op, failure);
    if (kin_str_equal(path, kin_str_of("/api")))
        return serve_roots(op, true, failure);
    if (kin_str_equal(path, kin_str_of("/apis")))
        return serve_roots(op, false, failure);
    if (kin__str_starts_with(path, core))
        return serve_group(op, true, kin_str_make(path.data + core.len, path.len - core.len),
                           failure);
    if (kin__str_starts_with(path, groups))
        return serve_group(op, false, kin_str_make(path.data + groups.len, path.len - groups.len),
                           failure);
    kin__op_answer_no_page(op);
    return true;
}
