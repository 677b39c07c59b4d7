/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What others see of an informer, and wait for.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/defect.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/str.h"
#include "cache/input.h"
#include "cache/store.h"
#include "informer/informer.h"
#include "informer/resource_key.h"
#include "kinform/resource_version.h"

static int check_informer(const kin_informer *informer, kin_error *err)
{
    return informer ? kin__fork_guard_check(&informer->guard, err)
                    : kin__error_null(err, "informer");
}

kin_store *kin_informer_store(kin_informer *informer)
{
    return informer ? informer->store : NULL;
}

int kin_informer_add_index(kin_informer *informer, const kin_index *index, kin_error *err)
{
    int code = check_informer(informer, err);

    return code < 0 ? code : kin_store_add_index(informer->store, index, err);
}

int kin_informer_lister(kin_informer *informer, kin_lister **ret, kin_error *err)
{
    char *title = NULL;
    int code = check_informer(informer, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    if (!informer->client)
        return kin_lister_new(ret, informer->store, informer->name, err);
    code = kin__resource_title(&title, informer->client, informer->resource, err);
    if (code == 0)
        code = kin_lister_new(ret, informer->store, title, err);
    kin__free(title);
    return code;
}

int kin_informer_fd(kin_informer *informer)
{
    return informer ? informer->dispatcher.wakeup.fd : KIN_EINVAL;
}

int kin_informer_dispatch(kin_informer *informer, size_t max, size_t *ret_n, kin_error *err)
{
    int code = check_informer(informer, err);
    size_t n = 0;

    if (code == 0)
        n = kin__dispatcher_run(&informer->dispatcher, max);
    if (ret_n)
        *ret_n = n;
    return code;
}

/* --- status --- */

const char *kin_informer_state_name(kin_informer_state state)
{
    static const char *const names[] = {"new",      "listing", "watching",  "waiting",
                                        "stopping", "stopped", "connecting"};

    return (size_t)state < sizeof(names) / sizeof(names[0]) ? names[state] : "?";
}

static kin_informer_state state_of(kin_reflector_state state)
{
    switch (state) {
    case KIN_REFLECTOR_WATCHING:
        return KIN_INFORMER_WATCHING;
    case KIN_REFLECTOR_BACKING_OFF:
        return KIN_INFORMER_WAITING;
    case KIN_REFLECTOR_CONNECTING:
        return KIN_INFORMER_CONNECTING;
    case KIN_REFLECTOR_IDLE:
    case KIN_REFLECTOR_LISTING:
    case KIN_REFLECTOR_STREAMING:
    case KIN_REFLECTOR_STOPPED:
        break;
    }
    return KIN_INFORMER_LISTING;
}

/* The larger, the worse. */
static int badness(kin_informer_state state)
{
    switch (state) {
    case KIN_INFORMER_WAITING:
        return 3;
    case KIN_INFORMER_LISTING:
        return 2;
    case KIN_INFORMER_CONNECTING:
        return 1;
    default:
        return 0;
    }
}

/* Of what is refused, that which is wrong in itself: a selector, for instance. */
static bool will_not_help(const kin_error *err)
{
    if (err->code == KIN_EREFUSED)
        return err->http_status == 400 || err->http_status == 422;
    return err->code == KIN_EDENIED || err->code == KIN_ENOTFOUND || err->code == KIN_ETLS;
}

/* Monotonic times of the reflector as times of day. */
static int64_t unix_of(const kin_informer *informer, kin__moment *moment, int64_t time)
{
    if (time == 0)
        return 0;
    if (moment->time != time) {
        moment->unix_ns =
            kin_clock_unix_now(informer->clock) - (kin_clock_now(informer->clock) - time);
        moment->time = time;
    }
    return moment->unix_ns;
}

/* The earlier; 0 is none. */
static int64_t sooner(int64_t a, int64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void count(const kin_reflector_status *status, kin__counts *sums)
{
    sums->events += status->events;
    sums->bookmarks += status->bookmarks;
    sums->lists += status->lists;
    sums->watches += status->watches;
    sums->skipped += status->skipped;
    sums->fallbacks += status->fallbacks;
    sums->json_fallbacks += status->json_fallbacks;
}

void kin__namespace_reflector_count(const kin__namespace_reflector *ns, kin__counts *sums)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;

    kin_reflector_get_status(ns->in.reflector, &status, NULL);
    count(&status, sums);
}

/* Why the worst of them waits; of those that fare alike, the last. */
static void note_error(kin__namespace_reflector *ns, const kin_reflector_status *status,
                       bool is_worse, bool is_better, kin_informer_status *ret)
{
    int64_t when = unix_of(ns->informer, &ns->error, status->last_error_time);
    bool was_there = ret->last_error.code != 0;

    if (status->last_error.code == 0 || (is_better && was_there))
        return;
    if (was_there && !is_worse && when < ret->last_error_unix_ns)
        return;
    ret->last_error = status->last_error;
    ret->last_error_unix_ns = when;
}

/* Whether something came behind the last failure: then that is over, also before a list is complete. */
static bool has_come_since(const kin_reflector_status *status)
{
    int64_t last = later(status->last_list, later(status->last_event, status->last_bookmark));

    return last > status->last_error_time;
}

static void add_reflector(const kin_informer *informer, kin__namespace_reflector *ns, bool is_first,
                          kin_informer_status *ret, kin__counts *sums)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;
    kin_informer_state state;
    bool is_worse;

    kin_reflector_get_status(ns->in.reflector, &status, NULL);
    state = state_of(status.state);
    is_worse = is_first || badness(state) > badness(ret->state);
    if (is_worse) {
        ret->state = state;
        ret->since_unix_ns = unix_of(informer, &ns->since, status.since);
    }
    note_error(ns, &status, is_worse, badness(state) < badness(ret->state), ret);
    if (state != KIN_INFORMER_WATCHING && will_not_help(&status.last_error) &&
        !has_come_since(&status))
        ret->is_failing_for_good = true;
    ret->last_event_unix_ns =
        later(ret->last_event_unix_ns,
              unix_of(informer, &ns->event, later(status.last_event, status.last_bookmark)));
    count(&status, sums);
    ret->gaps += status.gaps;
    ret->keeps_missing |= status.keeps_missing;
    ret->next_relist_unix_ns =
        sooner(ret->next_relist_unix_ns, unix_of(informer, &ns->relist, status.next_relist));
    ret->last_heard_unix_ns =
        sooner(ret->last_heard_unix_ns, unix_of(informer, &ns->heard, status.last_heard));
    ret->in_doubt |= status.in_doubt;
    if (ret->encoding != KIN_ENCODING_JSON && status.encoding != KIN_ENCODING_DEFAULT)
        ret->encoding = status.encoding;
    ret->last_list_unix_ns = sooner(ret->last_list_unix_ns, ns->in.list_applied);
    ret->queued += kin__reflector_queue_len(&ns->in);
    ret->listed += status.listed;
    if (is_first)
        memcpy(ret->resource_version, status.resource_version, sizeof(ret->resource_version));
    else
        ret->resource_version[0] = '\0';
}

static bool arrange_locked(const kin_informer *informer) KIN_REQUIRES(informer->lock)
{
    size_t n = 0;

    kin__list_for_each(&informer->reflectors, node) {
        if (!kin__namespace_reflector_is_of(kin__list_entry(node, kin__namespace_reflector, link),
                                            &informer->scope))
            return false;
        n++;
    }
    return n == (informer->scope.namespaces ? informer->scope.n_namespaces : 1);
}

/* Whether the reflectors are those of the scope: else others are about to take their place. Under the lock. */
static bool is_arranged(kin_informer *informer)
{
    uint64_t n_changes = informer->n_arranged + informer->n_scopes + 1;

    kin__mutex_assert_held(&informer->lock);
    if (informer->arrangement.n_changes != n_changes)
        informer->arrangement = (kin__arrangement){n_changes, arrange_locked(informer)};
    return informer->arrangement.is_complete;
}

/*
 * Whether the store has the first list of all that it is to look at: sticky, until another scope is set. Under the
 * lock.
 */
static bool has_all(kin_informer *informer)
{
    if (!informer->is_synced || !is_arranged(informer))
        return informer->is_synced && KIN_DEFECT(scope_synced_early);
    kin__list_for_each(&informer->reflectors, node) {
        if (!kin__list_entry(node, kin__namespace_reflector, link)->in.is_synced)
            return false;
    }
    return true;
}

static void look_locked(kin_informer *informer, kin_informer_status *ret)
    KIN_REQUIRES(informer->lock)
{
    kin__counts sums = informer->gone;
    bool is_first = true;

    kin__list_for_each(&informer->reflectors, node) {
        add_reflector(informer, kin__list_entry(node, kin__namespace_reflector, link), is_first,
                      ret, &sums);
        is_first = false;
    }
    ret->events = sums.events;
    ret->bookmarks = sums.bookmarks;
    ret->lists = sums.lists;
    ret->watches = sums.watches;
    ret->fallbacks = sums.fallbacks;
    ret->json_fallbacks = sums.json_fallbacks;
    /* Before the first turn, and while there is no memory for others: it is going to list. */
    if (is_first)
        ret->state = KIN_INFORMER_LISTING;
    ret->skipped = sums.skipped + informer->n_refused;
    ret->altered = informer->n_altered;
    /* Whoever loads writes it without the lock. */
    if (!informer->loop.is_held) {
        ret->is_warm = informer->warmth.is_warm;
        ret->snapshot_unix_ns = informer->warmth.unix_ns;
    }
    ret->is_synced = has_all(informer);
    if (informer->loop.life == KIN__LIFE_NEW)
        ret->state = KIN_INFORMER_NEW;
    else if (informer->loop.life == KIN__LIFE_STOPPING)
        ret->state = KIN_INFORMER_STOPPING;
    else if (informer->loop.life == KIN__LIFE_STOPPED)
        ret->state = KIN_INFORMER_STOPPED;
}

int kin_informer_get_status(kin_informer *informer, kin_informer_status *ret, kin_error *err)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    int code = check_informer(informer, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    kin__mutex_lock(&informer->lock);
    look_locked(informer, &status);
    kin__mutex_unlock(&informer->lock);
    status.objects = kin_store_len(informer->store);
    return kin__options_give(ret, &status, sizeof(status), "KIN_INFORMER_STATUS_INIT", err);
}

/* --- waiting --- */

bool kin_informer_has_synced(kin_informer *informer)
{
    bool is_synced;

    if (!informer || check_informer(informer, NULL) < 0)
        return false;
    kin__mutex_lock(&informer->lock);
    is_synced = has_all(informer);
    kin__mutex_unlock(&informer->lock);
    return is_synced;
}

/*
 * 0, KIN_EINVAL, KIN_EFORKED, KIN_EBUSY: a worker may look, but not wait, since what it waits for may need
 * the worker.
 */
static int check_wait(kin_informer *informer, int64_t timeout_ms, kin_error *err)
{
    int code = check_informer(informer, err);

    if (code == 0 && timeout_ms < -1)
        code = kin_error_set(err, KIN_EINVAL, "a timeout_ms of %lld", (long long)timeout_ms);
    if (code == 0 && timeout_ms != 0 &&
        kin__workers_runs_here(kin__shared_workers_pool(informer->shared_workers)))
        code = kin_error_set(err, KIN_EBUSY, "a callback of \"%s\" would wait for itself",
                             informer->name);
    return code;
}

int kin_informer_wait_stopped(kin_informer *informer, int64_t timeout_ms, kin_error *err)
{
    int code = check_informer(informer, err);

    return code < 0 ? code : kin__process_loop_wait_stopped(&informer->loop, timeout_ms, err);
}

static kin_informer *informer_of(kin__process_loop *loop)
{
    return kin__container_of(loop, kin_informer, loop);
}

int kin__informer_refusal_locked(kin_informer *informer, kin_error *ret)
{
    /* While another scope is being set, the reflectors are those of the old one. */
    if (informer->options.wait_while_refused || informer->loop.life != KIN__LIFE_RUNNING ||
        !is_arranged(informer))
        return 0;
    kin__list_for_each(&informer->reflectors, node) {
        int code = kin__reflector_queue_refusal_locked(
            &kin__list_entry(node, kin__namespace_reflector, link)->in, ret);

        if (code < 0)
            return code;
    }
    return 0;
}

static int is_synced(kin__process_loop *loop, const void *arg)
{
    kin_informer *informer = informer_of(loop);

    (void)arg;
    /* It is the loop's lock, too. */
    kin__mutex_assert_held(&informer->lock);
    if (has_all(informer))
        return 1;
    if (loop->life == KIN__LIFE_STOPPED)
        return KIN_ECLOSED;
    return kin__informer_refusal_locked(informer, NULL);
}

/* What it does, and what has failed. */
static int not_synced(kin_informer *informer, int code, kin_error *err)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_error *why = &status.last_error;

    kin_informer_get_status(informer, &status, NULL);
    /* Of several namespaces, that one which has ended the wait. */
    kin__mutex_lock(&informer->lock);
    kin__informer_refusal_locked(informer, why);
    kin__mutex_unlock(&informer->lock);
    if (why->code == 0)
        return kin_error_set(err, code, "%s have not synced: %s", informer->name,
                             kin_informer_state_name(status.state));
    kin_error_set(err, code, "%s have not synced: %s after an error: %s", informer->name,
                  kin_informer_state_name(status.state), why->message);
    if (err) {
        err->http_status = why->http_status;
        memcpy(err->reason, why->reason, sizeof(err->reason));
    }
    return code;
}

int kin_informer_wait_synced(kin_informer *informer, int64_t timeout_ms, kin_error *err)
{
    int code = check_wait(informer, timeout_ms, err);

    if (code < 0)
        return code;
    code = kin__process_loop_wait(&informer->loop, is_synced, NULL, timeout_ms);
    return code < 0 ? not_synced(informer, code, err) : 0;
}

/* What somebody waits for. */
struct wanted {
    kin_str version;
    const kin_str *namespace_; /* where it was written; NULL: anywhere */
    const char *name;          /* of an object: for messages; so the rest */
    kin_str key;               /* in the store */
    uint64_t
        reflector_id;    /* of the reflector of its namespace when the wait began; 0: without one */
    uint64_t n_received; /* of that ns, then */
};

/* 1: all up to that version was applied; 0; KIN_EPARSE. Under the lock. */
static int has_applied(const kin__namespace_reflector *ns, kin_str version)
{
    int order = -1;
    int code = 0;

    /* It may be synced, and more be waiting: then there is no version that all was applied of. */
    if (ns->in.is_synced && ns->in.applied[0])
        code = kin_resource_version_compare(&order, kin_str_of(ns->in.applied), version, NULL);
    return code < 0 ? code : order >= 0;
}

/* 1: all reflectors have it, or that of the namespace has. */
static int has_version(kin__process_loop *loop, const void *arg)
{
    kin_informer *informer = informer_of(loop);
    const struct wanted *wanted = arg;
    int found = informer->is_synced || wanted->namespace_;
    bool is_anybodys = false;

    if (!is_arranged(informer))
        found = 0;
    kin__list_for_each(&informer->reflectors, node) {
        const kin__namespace_reflector *ns = kin__list_entry(node, kin__namespace_reflector, link);

        if (found <= 0 ||
            (wanted->namespace_ && !kin__namespace_reflector_is_in(ns, *wanted->namespace_)))
            continue;
        is_anybodys = true;
        found = has_applied(ns, wanted->version);
    }
    if (found > 0 && !is_anybodys)
        return KIN_ENOTFOUND;
    return found == 0 && loop->life == KIN__LIFE_STOPPED ? KIN_ECLOSED : found;
}

static kin__namespace_reflector *find_reflector(const kin_informer *informer, kin_str namespace_)
{
    kin__list_for_each(&informer->reflectors, node) {
        kin__namespace_reflector *ns = kin__list_entry(node, kin__namespace_reflector, link);

        if (kin__namespace_reflector_is_in(ns, namespace_))
            return ns;
    }
    return NULL;
}

/*
 * 1: the store has the object, or has lost it again.
 *
 * That a later version was applied is not enough if the object is not there: the server may have been restored from a
 * backup since, so that its versions began again. Then the deletion must have been applied, or something that has come
 * since the wait began.
 */
static int has_object(kin__process_loop *loop, const void *arg)
{
    kin_informer *informer = informer_of(loop);
    const struct wanted *wanted = arg;
    int code = has_version(loop, arg);
    kin__store_age age;
    const kin__namespace_reflector *ns;

    if ((code != 1 && code != 0 && code != KIN_ECLOSED) || !is_arranged(informer))
        return code;
    age = kin__store_compare_version(informer->store, wanted->key, wanted->version);
    if ((age == KIN__STORE_HAS && (code == 1 || !KIN_DEFECT(wait_needs_quiet))) ||
        kin__deletions_has(&informer->deletions, wanted->key, wanted->version))
        return 1;
    if (code != 1 || KIN_DEFECT(wait_trusts_version))
        return code;
    ns = find_reflector(informer, *wanted->namespace_);
    /* A transformer may have changed the name, or have removed the version. */
    if (age == KIN__STORE_HAS_UNVERSIONED ||
        atomic_load_explicit(&informer->renames, memory_order_relaxed) || !ns ||
        ns->id != wanted->reflector_id || ns->in.n_applied > wanted->n_received)
        return 1;
    return loop->life == KIN__LIFE_STOPPED ? KIN_ECLOSED : 0;
}

/* What it does and, if that is why, what has failed. */
static int not_seen(kin_informer *informer, const char *version, kin_error *err)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    bool is_late;

    kin_informer_get_status(informer, &status, NULL);
    is_late = status.state != KIN_INFORMER_WATCHING && status.last_error.code != 0;
    kin_error_set(err, KIN_ETIMEOUT, "%s have not seen version %s in time: %s%s%s", informer->name,
                  version, kin_informer_state_name(status.state),
                  is_late ? " after an error: " : "", is_late ? status.last_error.message : "");
    if (err && is_late) {
        err->http_status = status.last_error.http_status;
        memcpy(err->reason, status.last_error.reason, sizeof(err->reason));
    }
    return KIN_ETIMEOUT;
}

/* `version` has an end. */
static int wait_wanted(kin_informer *informer, const struct wanted *wanted, int64_t timeout_ms,
                       kin_error *err)
{
    const char *version = wanted->version.data;
    int code = kin__process_loop_wait(&informer->loop, wanted->name ? has_object : has_version,
                                      wanted, timeout_ms);

    switch (code) {
    case 0:
        return 0;
    case KIN_ETIMEOUT:
        return not_seen(informer, version, err);
    case KIN_ECLOSED:
        return kin_error_set(err, code, "%s were stopped before version %s", informer->name,
                             version);
    case KIN_ENOTFOUND:
        return kin_error_set(err, code, "%s are not looked at in the namespace of %s",
                             informer->name, wanted->name);
    default:
        return kin_error_set(err, code, "%s have versions that cannot be compared", informer->name);
    }
}

int kin_informer_wait_version(kin_informer *informer, const char *resource_version,
                              int64_t timeout_ms, kin_error *err)
{
    struct wanted wanted = {.version = kin_str_of(resource_version)};
    int code = check_wait(informer, timeout_ms, err);

    if (code == 0 && !resource_version)
        code = kin__error_null(err, "resource_version");
    if (code == 0)
        code = kin_resource_version_validate(wanted.version, err);
    return code < 0 ? code : wait_wanted(informer, &wanted, timeout_ms, err);
}

int kin_informer_wait_object(kin_informer *informer, const kin_object *object, int64_t timeout_ms,
                             kin_error *err)
{
    char text[KIN_RESOURCE_VERSION_BYTES_MAX + 1];
    struct wanted wanted = {.name = NULL};
    const kin__namespace_reflector *ns;
    kin_str namespace_;
    int code = check_wait(informer, timeout_ms, err);

    if (code == 0 && !object)
        code = kin__error_null(err, "object");
    if (code < 0)
        return code;
    namespace_ = kin_object_namespace(object);
    wanted.namespace_ = &namespace_;
    wanted.name = kin_object_key(object);
    wanted.version = kin_object_resource_version(object);
    code = kin_resource_version_validate(wanted.version, err);
    if (code == 0)
        code = kin__input_key(informer->options.key, informer->options.key_arg, object, &wanted.key,
                              err);
    if (code == 0 && wanted.version.len >= sizeof(text))
        code = kin_error_set(err, KIN_EPARSE, "a version of %zu bytes", wanted.version.len);
    if (code < 0)
        return code;
    (void)snprintf(text, sizeof(text), "%" KIN_STR_FMT, KIN_STR_ARG(wanted.version));
    wanted.version = kin_str_of(text);
    kin__mutex_lock(&informer->lock);
    kin__deletions_reserve(&informer->deletions);
    ns = find_reflector(informer, namespace_);
    wanted.reflector_id = ns ? ns->id : 0;
    wanted.n_received = ns ? ns->in.n_received : 0;
    kin__mutex_unlock(&informer->lock);
    return wait_wanted(informer, &wanted, timeout_ms, err);
}

/* --- for the layers above --- */

void kin__informer_add_progress(kin_informer *informer, kin__progress *progress)
{
    kin__mutex_lock(&informer->lock);
    kin__list_push_back(&informer->progress, &progress->link);
    kin__mutex_unlock(&informer->lock);
}

void kin__informer_remove_progress(kin_informer *informer, kin__progress *progress)
{
    kin__mutex_lock(&informer->lock);
    kin__list_remove(&progress->link);
    kin__mutex_unlock(&informer->lock);
}

bool kin__informer_runs_here(kin_informer *informer)
{
    return kin__workers_runs_here(kin__shared_workers_pool(informer->shared_workers)) ||
           kin__informer_handler_calls_here(informer);
}

int kin__informer_has_version(kin_informer *informer, kin_str version, const kin_str *namespace_)
{
    struct wanted wanted = {.version = version, .namespace_ = namespace_};
    int found;

    kin__mutex_lock(&informer->lock);
    found = has_version(&informer->loop, &wanted);
    kin__mutex_unlock(&informer->lock);
    return found;
}

bool kin__informer_lane_locked(kin_informer *informer, const kin_str *namespace_, kin_str *ret)
{
    const kin__namespace_reflector *ns = namespace_ ? find_reflector(informer, *namespace_) : NULL;

    if (!is_arranged(informer) || (namespace_ && !ns))
        return false;
    *ret = kin_str_make("", 0);
    if (!ns || !ns->namespace_)
        return true;
    /* The empty name is taken. */
    *ret = kin_str_of(ns->namespace_);
    return ret->len > 0;
}

/* The version up to which a reflector's queue was applied, as a number. Under the lock. */
static int64_t reach_of(const kin__namespace_reflector *ns)
{
    kin_str applied = kin_str_of(ns->in.applied);
    int64_t version = INT64_MAX;

    if (!ns->in.is_synced || applied.len == 0)
        return 0;
    /* A number that does not fit is beyond all that do. */
    if (kin_resource_version_validate(applied, NULL) == 0)
        kin__str_to_i64(&version, applied);
    return version;
}

int64_t kin__informer_reach(kin_informer *informer, kin_str lane, uint64_t *ret_arranged)
{
    int64_t first = INT64_MAX;
    bool is_known = true;

    kin__mutex_lock(&informer->lock);
    kin__list_for_each(&informer->reflectors, node) {
        const kin__namespace_reflector *ns = kin__list_entry(node, kin__namespace_reflector, link);
        int64_t reach = reach_of(ns);

        if (lane.len > 0 && !kin__namespace_reflector_is_in(ns, lane))
            continue;
        /* A version that cannot be compared ends all waits. */
        is_known = is_known && reach < INT64_MAX;
        first = reach < first ? reach : first;
    }
    if (informer->loop.life == KIN__LIFE_STOPPED || !is_known)
        first = INT64_MAX;
    else if (!is_arranged(informer))
        first = 0;
    *ret_arranged = informer->n_arranged;
    kin__mutex_unlock(&informer->lock);
    return first;
}
