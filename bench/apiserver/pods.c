/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods of kin-bench-pods as requests. They are as a server lists them; what only a server may say is
 * left out: uid, version and time of creation, which stand side by side. What is created loses its
 * status, as everywhere, so whoever wants whole Pods sends an update of it as well.
 */
#include "apiserver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE "{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
#define NAME_MAX_LEN 63
#define PATH_MAX_LEN (2 * NAME_MAX_LEN + 40)

/* What a string member with this name holds: the first one in the text, which is that of the metadata. */
static kin_str member(kin_str text, const char *quoted_name)
{
    const char *at = memmem(text.data, text.len, quoted_name, strlen(quoted_name));

    if (!at)
        kin_bench_die("a Pod has no %s", quoted_name);
    at += strlen(quoted_name);
    const char *end = memchr(at, '"', (size_t)(text.data + text.len - at));
    if (!end || end - at > NAME_MAX_LEN)
        kin_bench_die("a Pod has a strange %s", quoted_name);
    return kin_str_make(at, (size_t)(end - at));
}

static kin_str namespace_of(kin_str text)
{
    return member(text, "\"namespace\":\"");
}

static void make_requests(struct kin_bench_pods *pods, size_t i)
{
    static const char uid_name[] = "\"uid\":\"";
    kin_str text = pods->items.texts[i];
    kin_str space = namespace_of(text);
    kin_str name = member(text, "\"metadata\":{\"name\":\"");
    kin_str time = member(text, "\"creationTimestamp\":\"");
    const char *end = member(text, uid_name).data - strlen(uid_name);
    const char *behind = time.data + time.len + strlen("\",");
    kin_str before = kin_str_make(text.data + 1, (size_t)(end - text.data - 1));
    kin_str after = kin_str_make(behind, (size_t)(text.data + text.len - behind));
    char path[PATH_MAX_LEN + 1];

    if (end > behind || behind[-1] != ',')
        kin_bench_die("the members of a Pod are in another order");
    (void)snprintf(path, sizeof(path), "/api/v1/namespaces/%.*s/pods", (int)space.len, space.data);
    kin_bench_request_init(&pods->creates[i], "POST", path, TYPE, before, after);
    (void)snprintf(path, sizeof(path), "/api/v1/namespaces/%.*s/pods/%.*s/status", (int)space.len,
                   space.data, (int)name.len, name.data);
    kin_bench_request_init(&pods->statuses[i], "PUT", path, TYPE, before, after);
}

void kin_bench_pods_load(struct kin_bench_pods *pods, const char *file)
{
    kin_bench_items_load(&pods->items, file);
    pods->creates = kin_bench_alloc(pods->items.n, sizeof(*pods->creates));
    pods->statuses = kin_bench_alloc(pods->items.n, sizeof(*pods->statuses));
    for (size_t i = 0; i < pods->items.n; i++)
        make_requests(pods, i);
}

void kin_bench_pods_make_namespaces(const struct kin_bench_pods *pods,
                                    const struct kin_bench_run *run)
{
    size_t room = 64;
    size_t n = 0;
    kin_str *names = kin_bench_alloc(room, sizeof(*names));
    struct kin_bench_run one = *run;

    one.connections = 1;
    one.depth = 1;
    for (size_t i = 0; i < pods->items.n; i++) {
        kin_str name = namespace_of(pods->items.texts[i]);
        size_t k = 0;
        struct kin_bench_request request;
        char body[128];

        while (k < n && !kin_str_equal(names[k], name))
            k++;
        if (k < n || kin_str_equal(name, kin_str_of("default")))
            continue;
        if (n == room)
            kin_bench_die("the Pods are in more than %zu namespaces", room);
        names[n++] = name;
        (void)snprintf(body, sizeof(body),
                       "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                       "\"%.*s\"}}",
                       (int)name.len, name.data);
        kin_bench_request_init(&request, "POST", "/api/v1/namespaces", body, kin_str_of(""),
                               kin_str_of(""));
        kin_bench_exchange(&one, &request, 1, 201);
    }
    free(names);
}

void kin_bench_pods_done(struct kin_bench_pods *pods)
{
    kin_bench_items_done(&pods->items);
    free(pods->creates);
    free(pods->statuses);
}

void kin_bench_create(const struct kin_bench_run *run)
{
    struct kin_bench_usage usage = {0, 0};
    struct kin_bench_section section;
    struct kin_bench_report report;
    struct kin_bench_pods pods;

    kin_bench_pods_load(&pods, run->pods);
    kin_bench_pods_make_namespaces(&pods, run);
    kin_bench_section_start(&section);
    kin_bench_exchange(run, pods.creates, pods.items.n, 201);
    kin_bench_section_stop(&section, &usage);
    kin_bench_report_init(&report);
    kin_bench_report_usage(&report, &usage);
    kin_bench_report_measure(&report, "ops", (double)pods.items.n * 1e9 / (double)usage.wall,
                             "1/s");
    kin_bench_pods_done(&pods);
    kin_bench_write(&report);
}
