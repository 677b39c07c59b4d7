/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kubectl says of Pods. STATUS is what matters most of the phase, of conditions and of what the
 * containers do: a Pod that runs and whose container keeps crashing is "CrashLoopBackOff".
 */
#include "cli/age.h"
#include "cli/columns.h"
#include "kinform/path.h"

static kin_value status_of(const kin_object *pod, const char *member)
{
    return kin_value_get(kin_object_find(pod, "status"), kin_str_of(member));
}

static kin_value find(kin_value value, const char *path)
{
    kin_value found = {NULL, NULL};

    (void)kin_value_find(&found, value, kin_str_of(path), NULL);
    return found;
}

static bool is_there(kin_value value)
{
    return kin_value_type(value) > KIN_NULL;
}

static bool is_true(kin_value value)
{
    bool flag = false;

    return kin_value_bool(&flag, value) == 0 && flag;
}

static int64_t number(kin_value value)
{
    int64_t n = 0;

    (void)kin_value_int64(&n, value);
    return n;
}

static bool equals(kin_value value, const char *text)
{
    kin_scratch scratch;
    kin_str s;

    return kin_value_string(&s, value, &scratch) == 0 && kin_str_equal(s, kin_str_of(text));
}

/* A string that is not empty replaces what is there. */
static bool replace(struct text *out, const char *prefix, kin_value value)
{
    kin_scratch scratch;
    kin_str s;

    if (kin_value_string(&s, value, &scratch) < 0 || s.len == 0)
        return false;
    text_clear(out);
    text_add_string(out, prefix);
    text_add(out, s);
    return true;
}

static kin_value condition(const kin_object *pod, const char *type)
{
    kin_iter it;

    kin_iter_init(&it, status_of(pod, "conditions"));
    while (kin_iter_next(&it)) {
        if (equals(find(it.value, "type"), type))
            return it.value;
    }
    return (kin_value){NULL, NULL};
}

/* The reason with which a container has ended, or its signal or status. */
static void add_end(struct text *out, const char *prefix, kin_value terminated)
{
    if (replace(out, prefix, find(terminated, "reason")))
        return;
    text_clear(out);
    if (number(find(terminated, "signal")) != 0)
        text_format(out, "%sSignal:%lld", prefix, (long long)number(find(terminated, "signal")));
    else
        text_format(out, "%sExitCode:%lld", prefix,
                    (long long)number(find(terminated, "exitCode")));
}

/* Init containers that go on beside the others. */
static bool is_sidecar(const kin_object *pod, kin_value status)
{
    kin_scratch scratch;
    kin_str name;
    kin_iter it;

    if (kin_value_string(&name, find(status, "name"), &scratch) < 0)
        return false;
    kin_iter_init(&it, kin_object_find(pod, "spec.initContainers"));
    while (kin_iter_next(&it)) {
        kin_scratch other;
        kin_str its;

        if (kin_value_string(&its, find(it.value, "name"), &other) == 0 && kin_str_equal(its, name))
            return equals(find(it.value, "restartPolicy"), "Always");
    }
    return false;
}

/* Whether the init container is what the Pod waits for. */
static bool tell_init(struct text *out, const kin_object *pod, const kin_iter *it)
{
    kin_value terminated = find(it->value, "state.terminated");
    kin_value waiting = find(it->value, "state.waiting.reason");

    if (is_there(terminated) && number(find(terminated, "exitCode")) == 0)
        return false;
    if (is_sidecar(pod, it->value) && is_true(find(it->value, "started")))
        return false;
    if (is_there(terminated))
        add_end(out, "Init:", terminated);
    else if (equals(waiting, "PodInitializing") || !replace(out, "Init:", waiting)) {
        text_clear(out);
        text_format(out, "Init:%zu/%zu", it->index,
                    kin_value_len(kin_object_find(pod, "spec.initContainers")));
    }
    return true;
}

static bool tell_inits(struct text *out, const kin_object *pod)
{
    kin_iter it;

    kin_iter_init(&it, status_of(pod, "initContainerStatuses"));
    while (kin_iter_next(&it)) {
        if (tell_init(out, pod, &it))
            return true;
    }
    return false;
}

/* The first container that does not simply run decides. */
static void tell_containers(struct text *out, const kin_object *pod)
{
    bool is_told = false;
    bool one_runs = false;
    kin_iter it;

    kin_iter_init(&it, status_of(pod, "containerStatuses"));
    while (kin_iter_next(&it)) {
        kin_value terminated = find(it.value, "state.terminated");
        kin_value waiting = find(it.value, "state.waiting.reason");

        if (is_true(find(it.value, "ready")) && is_there(find(it.value, "state.running")))
            one_runs = true;
        if (is_told)
            continue;
        if (is_there(waiting))
            is_told = replace(out, "", waiting);
        else if (is_there(terminated)) {
            add_end(out, "", terminated);
            is_told = true;
        }
    }
    if (one_runs && kin_str_equal(text_view(out), kin_str_of("Completed"))) {
        text_clear(out);
        text_add_string(out, equals(find(condition(pod, "Ready"), "status"), "True") ? "Running"
                                                                                     : "NotReady");
    }
}

void pod_status(struct text *out, const kin_object *pod, int64_t now)
{
    struct text status = TEXT_INIT;
    kin_value phase = status_of(pod, "phase");

    (void)now;
    (void)replace(&status, "", phase);
    (void)replace(&status, "", status_of(pod, "reason"));
    if (equals(find(condition(pod, "PodScheduled"), "reason"), "SchedulingGated"))
        (void)replace(&status, "", find(condition(pod, "PodScheduled"), "reason"));
    if (!tell_inits(&status, pod) || equals(find(condition(pod, "Initialized"), "status"), "True"))
        tell_containers(&status, pod);
    if (is_there(kin_object_find(pod, "metadata.deletionTimestamp"))) {
        bool is_lost = equals(status_of(pod, "reason"), "NodeLost");

        if (is_lost || !(equals(phase, "Succeeded") || equals(phase, "Failed"))) {
            text_clear(&status);
            text_add_string(&status, is_lost ? "Unknown" : "Terminating");
        }
    }
    text_add(out, text_view(&status));
    text_done(&status);
}

void pod_ready(struct text *out, const kin_object *pod, int64_t now)
{
    size_t total = kin_value_len(kin_object_find(pod, "spec.containers"));
    size_t ready = 0;
    kin_iter it;

    (void)now;
    kin_iter_init(&it, status_of(pod, "containerStatuses"));
    while (kin_iter_next(&it))
        ready += is_true(find(it.value, "ready")) && is_there(find(it.value, "state.running"));
    kin_iter_init(&it, status_of(pod, "initContainerStatuses"));
    while (kin_iter_next(&it)) {
        if (is_sidecar(pod, it.value)) {
            total++;
            ready += is_true(find(it.value, "ready"));
        }
    }
    text_format(out, "%zu/%zu", ready, total);
}

void pod_restarts(struct text *out, const kin_object *pod, int64_t now)
{
    int64_t restarts = 0;
    kin_time last = {0, 0};
    kin_iter it;

    kin_iter_init(&it, status_of(pod, "containerStatuses"));
    while (kin_iter_next(&it)) {
        kin_time finished;

        restarts += number(find(it.value, "restartCount"));
        if (kin_value_time(&finished, find(it.value, "lastState.terminated.finishedAt")) == 0 &&
            kin_time_compare(finished, last) > 0)
            last = finished;
    }
    text_format(out, "%lld", (long long)restarts);
    if (restarts > 0 && last.seconds > 0) {
        text_add_string(out, " (");
        add_duration(out, now - last.seconds);
        text_add_string(out, " ago)");
    }
}

void pod_gates(struct text *out, const kin_object *pod, int64_t now)
{
    kin_value gates = kin_object_find(pod, "spec.readinessGates");
    size_t met = 0;
    kin_iter it;

    (void)now;
    if (kin_value_len(gates) == 0)
        return;
    kin_iter_init(&it, gates);
    while (kin_iter_next(&it)) {
        kin_scratch scratch;
        kin_str type;
        struct text name = TEXT_INIT;

        if (kin_value_string(&type, find(it.value, "conditionType"), &scratch) == 0)
            text_add(&name, type);
        met += equals(find(condition(pod, text_string(&name)), "status"), "True");
        text_done(&name);
    }
    text_format(out, "%zu/%zu", met, kin_value_len(gates));
}
