/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kubectl says of Pods. STATUS is what matters most of the phase, of conditions and of what the
 * containers do: a Pod that runs and whose container keeps crashing is "CrashLoopBackOff".
 */
#include "cli/print/age.h"
#include "cli/print/columns_inside.h"
#include "kinform/path.h"

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

/* The reason with which a container has ended, or its signal or status. */
static void add_end(struct text *out, const char *prefix, kin_value terminated)
{
    if (replace(out, prefix, cell_find(terminated, "reason")))
        return;
    text_clear(out);
    if (number(cell_find(terminated, "signal")) != 0)
        text_format(out, "%sSignal:%lld", prefix,
                    (long long)number(cell_find(terminated, "signal")));
    else
        text_format(out, "%sExitCode:%lld", prefix,
                    (long long)number(cell_find(terminated, "exitCode")));
}

/* What items are called of which a member is this. */
static struct cell_set names_where(kin_value items, const char *name, const char *member,
                                   const char *value)
{
    struct cell_set names = {NULL, 0, false};
    kin_iter it;

    kin_iter_init(&it, items);
    while (kin_iter_next(&it)) {
        kin_scratch scratch;
        kin_str s;

        if (cell_equals(cell_find(it.value, member), value) &&
            kin_value_string(&s, cell_find(it.value, name), &scratch) == 0)
            cell_set_add(&names, s);
    }
    return names;
}

static bool has_name(struct cell_set *names, kin_value name)
{
    kin_scratch scratch;
    kin_str s;

    return kin_value_string(&s, name, &scratch) == 0 && cell_set_has(names, s);
}

/*
 * What a walk over the containers finds. As kubectl has it, the first init container that is not through decides, and
 * nothing behind it counts; once all are through, those that go on, the sidecars, count together with the containers.
 */
struct pod {
    struct text status;
    size_t ready;
    size_t total;
    int64_t restarts;
    kin_time last; /* when the last container that was restarted had ended */
};

static void count_restarts(int64_t *restarts, kin_time *last, kin_value status)
{
    kin_time finished;

    *restarts += number(cell_find(status, "restartCount"));
    if (kin_value_time(&finished, cell_find(status, "lastState.terminated.finishedAt")) == 0 &&
        kin_time_compare(finished, *last) > 0)
        *last = finished;
}

/* Whether the init container is what the Pod waits for. */
static bool tell_init(struct pod *p, const kin_object *pod, const kin_iter *it, bool is_side)
{
    kin_value terminated = cell_find(it->value, "state.terminated");
    kin_value waiting = cell_find(it->value, "state.waiting.reason");

    if (is_there(terminated) && number(cell_find(terminated, "exitCode")) == 0)
        return false;
    if (is_side && is_true(cell_find(it->value, "started"))) {
        p->ready += is_true(cell_find(it->value, "ready"));
        return false;
    }
    if (is_there(terminated))
        add_end(&p->status, "Init:", terminated);
    else if (cell_equals(waiting, "PodInitializing") || !replace(&p->status, "Init:", waiting)) {
        text_clear(&p->status);
        text_format(&p->status, "Init:%zu/%zu", it->index,
                    kin_value_len(kin_object_find(pod, "spec.initContainers")));
    }
    return true;
}

/* Whether the Pod is still at it. If not, only the restarts of sidecars are counted. */
static bool tell_inits(struct pod *p, const kin_object *pod)
{
    /* Init containers that go on beside the others. */
    struct cell_set sidecars =
        names_where(kin_object_find(pod, "spec.initContainers"), "name", "restartPolicy", "Always");
    bool is_waiting = false;
    int64_t restarts = 0;
    kin_time last = {0, 0};
    kin_iter it;

    kin_iter_init(&it, kin_object_find(pod, "status.initContainerStatuses"));
    while (!is_waiting && kin_iter_next(&it)) {
        bool is_side = has_name(&sidecars, cell_find(it.value, "name"));

        count_restarts(&restarts, &last, it.value);
        if (is_side)
            count_restarts(&p->restarts, &p->last, it.value);
        is_waiting = tell_init(p, pod, &it, is_side);
    }
    cell_set_done(&sidecars);
    if (!is_waiting || cell_equals(cell_find(cell_condition(pod, "Initialized"), "status"), "True"))
        return false;
    p->restarts = restarts;
    p->last = last;
    return true;
}

/*
 * The first container that does not simply run decides. One that has done its work does not where another runs, or
 * has failed.
 */
static void tell_containers(struct pod *p, const kin_object *pod)
{
    struct text failure = TEXT_INIT;
    bool is_told = false;
    bool one_runs = false;
    kin_iter it;

    kin_iter_init(&it, kin_object_find(pod, "status.containerStatuses"));
    while (kin_iter_next(&it)) {
        kin_value terminated = cell_find(it.value, "state.terminated");
        kin_value waiting = cell_find(it.value, "state.waiting.reason");
        bool runs =
            is_true(cell_find(it.value, "ready")) && is_there(cell_find(it.value, "state.running"));

        count_restarts(&p->restarts, &p->last, it.value);
        p->ready += runs;
        one_runs |= runs;
        if (failure.len == 0 && number(cell_find(terminated, "exitCode")) != 0)
            add_end(&failure, "", terminated);
        if (is_told)
            continue;
        if (is_there(waiting))
            is_told = replace(&p->status, "", waiting);
        else if (is_there(terminated)) {
            add_end(&p->status, "", terminated);
            is_told = true;
        }
    }
    if (kin_str_equal(text_view(&p->status), kin_str_of("Completed")) &&
        (one_runs || failure.len > 0)) {
        bool is_ready = cell_equals(cell_find(cell_condition(pod, "Ready"), "status"), "True");

        text_clear(&p->status);
        if (one_runs && is_ready)
            text_add_string(&p->status, "Running");
        else if (failure.len > 0)
            text_add(&p->status, text_view(&failure));
        else
            text_add_string(&p->status, "NotReady");
    }
    text_done(&failure);
}

static size_t count_containers(const kin_object *pod)
{
    size_t n = kin_value_len(kin_object_find(pod, "spec.containers"));
    kin_iter it;

    kin_iter_init(&it, kin_object_find(pod, "spec.initContainers"));
    while (kin_iter_next(&it))
        n += cell_equals(cell_find(it.value, "restartPolicy"), "Always");
    return n;
}

/* text_done() of its status. */
static struct pod look_at(const kin_object *pod)
{
    struct pod p = {.total = count_containers(pod)};
    kin_value phase = kin_object_find(pod, "status.phase");

    (void)replace(&p.status, "", phase);
    (void)replace(&p.status, "", kin_object_find(pod, "status.reason"));
    if (cell_equals(cell_find(cell_condition(pod, "PodScheduled"), "reason"), "SchedulingGated"))
        (void)replace(&p.status, "", cell_find(cell_condition(pod, "PodScheduled"), "reason"));
    if (!tell_inits(&p, pod))
        tell_containers(&p, pod);
    if (is_there(kin_object_find(pod, "metadata.deletionTimestamp"))) {
        bool is_lost = cell_equals(kin_object_find(pod, "status.reason"), "NodeLost");

        if (is_lost || !(cell_equals(phase, "Succeeded") || cell_equals(phase, "Failed"))) {
            text_clear(&p.status);
            text_add_string(&p.status, is_lost ? "Unknown" : "Terminating");
        }
    }
    return p;
}

void pod_status(struct text *out, const kin_object *pod, int64_t now)
{
    struct pod p = look_at(pod);

    (void)now;
    text_add(out, text_view(&p.status));
    text_done(&p.status);
}

void pod_ready(struct text *out, const kin_object *pod, int64_t now)
{
    struct pod p = look_at(pod);

    (void)now;
    text_format(out, "%zu/%zu", p.ready, p.total);
    text_done(&p.status);
}

void pod_restarts(struct text *out, const kin_object *pod, int64_t now)
{
    struct pod p = look_at(pod);

    text_format(out, "%lld", (long long)p.restarts);
    if (p.restarts > 0 && p.last.seconds > 0) {
        text_add_string(out, " (");
        add_duration(out, now - p.last.seconds);
        text_add_string(out, " ago)");
    }
    text_done(&p.status);
}

void pod_gates(struct text *out, const kin_object *pod, int64_t now)
{
    kin_value gates = kin_object_find(pod, "spec.readinessGates");
    size_t met = 0;
    kin_iter it;

    (void)now;
    if (kin_value_len(gates) == 0)
        return;
    struct cell_set met_types =
        names_where(kin_object_find(pod, "status.conditions"), "type", "status", "True");
    kin_iter_init(&it, gates);
    while (kin_iter_next(&it))
        met += has_name(&met_types, cell_find(it.value, "conditionType"));
    cell_set_done(&met_types);
    text_format(out, "%zu/%zu", met, kin_value_len(gates));
}
