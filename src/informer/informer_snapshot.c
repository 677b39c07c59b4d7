/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an informer has, in a file, and beginning with it.
 *
 * Objects and versions belong together at one moment only: between two batches, when nothing waits in any
 * queue. There the strand takes a view and notes the versions, and whoever saves writes them to the file
 * in its own thread, while the informer goes on. An informer that is never done with what it gets is not
 * waited for without end: then the versions are older than the objects, and what lies between comes
 * again, which ends in the same state.
 *
 * A file is loaded before the start, by whoever calls: into the store, which nobody else writes to yet.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/defect.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/client.h"
#include "informer/informer.h"
#include "informer/resource_key.h"
#include "kinform/snapshot.h"
#include "object/projection.h"

/* So many turns of the strand, and the next is as good as any other. */
enum { MAX_TURNS = 100 };

/* Twice the default period of lists of informers with snapshots: a program that is down for hours starts warm. */
#define MAX_AGE_MS INT64_C(86400000)

/* "metadata 0123456789abcdef" */
typedef char content_text[32];

/* --- what it is of --- */

/* How much of the objects there is. */
static void describe_content(const kin_informer *informer, content_text ret)
{
    static const char *const names[] = {
        [KIN_CONTENT_WHOLE] = "whole",
        [KIN_CONTENT_METADATA] = "metadata",
        [KIN_CONTENT_KEYS] = "keys",
    };
    uint64_t id = kin__projection_id(informer->decode.projection);

    if (id)
        snprintf(ret, sizeof(content_text), "%s %016" PRIx64, names[informer->options.content], id);
    else
        snprintf(ret, sizeof(content_text), "%s", names[informer->options.content]);
}

static const char *identity_of(const kin_informer *informer)
{
    if (informer->snapshot_identity)
        return informer->snapshot_identity;
    return informer->client ? kin_config_server(informer->client->config) : NULL;
}

/* All but the versions and the resource. BORROWED from the informer, the scope and `content`. */
static void describe(const kin_informer *informer, const kin__scope *scope, const char *content,
                     kin_snapshot_info *ret)
{
    ret->cluster = identity_of(informer);
    ret->namespaces = (const char *const *)scope->namespaces;
    ret->n_namespaces = scope->n_namespaces;
    ret->label_selector = scope->label_selector;
    ret->field_selector = scope->field_selector;
    ret->projection = content;
}

/* What the resource has turned out to be, as far as the client knows; a reference, or NULL. */
static kin_resource *find_resource(const kin_informer *informer)
{
    kin_resource *resource = NULL;

    if (informer->client)
        (void)kin__client_resolve_known(informer->client, &resource, informer->resource);
    return resource;
}

/* BORROWED from the informer and the resource, which may be NULL. */
static void describe_resource(const kin_informer *informer, const kin_resource *resource,
                              kin_snapshot_info *ret)
{
    ret->resource = informer->client ? informer->resource : informer->name;
    ret->asked_as = informer->resource;
    if (!resource)
        return;
    ret->resource = kin_resource_name(resource);
    ret->api_version = kin_resource_api_version(resource);
    ret->kind = kin_resource_kind(resource);
}

/* --- saving --- */

/* Somebody who waits for something to save. On the stack of that thread. */
struct save {
    kin__list link;              /* (informer's lock) */
    bool is_done;                /* (informer's lock) */
    bool is_taken;               /* (informer's lock) the strand is at it */
    uint64_t n_turns;            /* (informer's lock) the strand's, when it was at it last */
    uint64_t first_turn;         /* (informer's lock) when it was first */
    int code;                    /* once done */
    kin_error err;               /* once done */
    kin__scope scope;            /* once done; OWNED */
    kin__version_text *versions; /* once done; OWNED: one, or one per namespace */
    int64_t list_unix_ns;        /* once done: of the oldest list; 0: none */
    kin_view *view;              /* once done; OWNED */
};

static void save_done(struct save *save)
{
    kin_view_free(save->view);
    kin__free(save->versions);
    kin__scope_done(&save->scope);
}

/*
 * Up to which version the store has all of a namespace's objects; "" if it cannot be said, or is not so: what was skipped or
 * refused, or stayed because a list had gaps, is put right by a list only.
 */
static void note_version(const kin__namespace_reflector *ns, kin__version_text ret)
{
    const kin__reflector_queue *in = &ns->in;

    ret[0] = '\0';
    if (in->is_synced && in->counts && kin__reflector_queue_gaps_locked(in) == in->gaps_applied)
        memcpy(ret, KIN_DEFECT(snapshot_claims_received) ? in->received : in->applied,
               sizeof(kin__version_text));
}

static size_t count_versions(const kin__scope *scope)
{
    return scope->namespaces ? scope->n_namespaces : 1;
}

/* The oldest list counts, since each has brought a part of the store. */
static void note_list(const kin__namespace_reflector *ns, int64_t *oldest)
{
    int64_t begun = ns->in.list_applied;

    if (begun != 0 && (*oldest == 0 || begun < *oldest))
        *oldest = begun;
}

/* The versions of all reflectors. Whether nothing waits in any of them. */
static bool note_versions_locked(kin_informer *informer, struct save *save)
    KIN_REQUIRES(informer->lock)
{
    bool is_drained = true;

    save->list_unix_ns = 0;
    kin__list_for_each(&informer->reflectors, node) {
        const kin__namespace_reflector *ns = kin__list_entry(node, kin__namespace_reflector, link);

        is_drained = is_drained && strcmp(ns->in.applied, ns->in.received) == 0 &&
                     kin__reflector_queue_len(&ns->in) == 0;
        if (!kin__namespace_reflector_is_of(ns, &save->scope))
            continue;
        note_list(ns, &save->list_unix_ns);
        for (size_t i = 0; i < count_versions(&save->scope); i++) {
            if (!ns->namespace_ || strcmp(ns->namespace_, save->scope.namespaces[i]) == 0)
                note_version(ns, save->versions[i]);
        }
    }
    return is_drained || KIN_DEFECT(snapshot_claims_received);
}

/* Room for it, once. */
static int prepare(kin_informer *informer, struct save *save, kin_error *err)
{
    int code;

    /* The scope may be another one by now. */
    kin__scope_done(&save->scope);
    kin__free(save->versions);
    save->versions = NULL;
    code = kin__informer_copy_scope(informer, &save->scope, err);
    if (code < 0)
        return code;
    save->versions = kin__calloc(count_versions(&save->scope), sizeof(*save->versions));
    return save->versions ? 0 : kin__error_no_memory(err);
}

/*
 * Take what is to be saved: first the versions, then the view, which is not older. 1 if this is not the
 * moment, 0, or a code.
 */
static int take(kin_informer *informer, struct save *save, bool may_wait, kin_error *err)
{
    bool is_synced;
    bool is_drained;
    int code = prepare(informer, save, err);

    if (code < 0)
        return code;
    kin__mutex_lock(&informer->lock);
    is_synced = informer->is_synced;
    is_drained = note_versions_locked(informer, save);
    kin__mutex_unlock(&informer->lock);
    if (!is_synced)
        return kin_error_set(err, KIN_EBUSY, "%s have not synced: there is nothing to save",
                             informer->name);
    if (!is_drained && may_wait)
        return 1;
    return kin_view_new(&save->view, informer->store, err);
}

/* One that had not its turn yet. */
static struct save *pick(kin_informer *informer, uint64_t turn)
{
    struct save *found = NULL;

    kin__mutex_lock(&informer->lock);
    kin__list_for_each(&informer->saves, node) {
        struct save *save = kin__list_entry(node, struct save, link);

        if (!found && save->n_turns != turn)
            found = save;
    }
    if (found) {
        found->is_taken = true;
        found->n_turns = turn;
        if (!found->first_turn)
            found->first_turn = turn;
    }
    kin__mutex_unlock(&informer->lock);
    return found;
}

static void let_go(kin_informer *informer, struct save *save, bool is_done)
{
    kin__mutex_lock(&informer->lock);
    save->is_taken = false;
    save->is_done = is_done;
    if (is_done)
        kin__list_remove(&save->link);
    kin__cond_broadcast(&informer->changed);
    kin__mutex_unlock(&informer->lock);
}

void kin__informer_serve_saves(kin_informer *informer)
{
    uint64_t turn = ++informer->save_turn;
    struct save *save;

    while ((save = pick(informer, turn))) {
        int code = take(informer, save, turn - save->first_turn < MAX_TURNS, &save->err);

        save->code = code;
        let_go(informer, save, code <= 0);
    }
}

/* Wait for the strand; without one there is nobody who could change anything. */
static int request(kin_informer *informer, struct save *save)
{
    bool is_mine;

    kin__mutex_lock(&informer->lock);
    kin__list_push_back(&informer->saves, &save->link);
    kin__mutex_unlock(&informer->lock);
    kin__informer_wake(informer);
    kin__mutex_lock(&informer->lock);
    while (!save->is_done && (!informer->loop.is_closed || save->is_taken))
        kin__cond_wait(&informer->changed, &informer->lock);
    is_mine = !save->is_done;
    if (is_mine)
        kin__list_remove(&save->link);
    kin__mutex_unlock(&informer->lock);
    if (is_mine)
        save->code = take(informer, save, false, &save->err);
    return save->code;
}

static int write_file(const kin_informer *informer, const struct save *save, const char *path,
                      kin_error *err)
{
    kin_snapshot_options options = KIN_SNAPSHOT_OPTIONS_INIT;
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;
    size_t n = save->scope.namespaces ? save->scope.n_namespaces : 0;
    kin_resource *resource = find_resource(informer);
    const char **versions = NULL;
    content_text content;
    int code;

    describe_content(informer, content);
    describe(informer, &save->scope, content, &info);
    describe_resource(informer, resource, &info);
    info.resource_version = n > 0 ? "" : save->versions[0];
    info.list_unix_ns = save->list_unix_ns;
    if (n > 0) {
        versions = kin__calloc(n, sizeof(*versions));
        if (!versions) {
            kin_resource_unref(resource);
            return kin__error_no_memory(err);
        }
        for (size_t i = 0; i < n; i++)
            versions[i] = save->versions[i];
        info.versions = versions;
        info.n_versions = n;
    }
    options.clock = informer->clock;
    code = kin_snapshot_write_view(path, save->view, &info, &options, err);
    kin_resource_unref(resource);
    kin__free(versions);
    return code;
}

static int check_path(kin_informer *informer, const char *path, kin_error *err)
{
    if (!informer || !path)
        return kin__error_null(err, informer ? "path" : "informer");
    return kin__fork_guard_check(&informer->guard, err);
}

static bool was_started(kin_informer *informer)
{
    kin__mutex_lock(&informer->lock);
    bool was = informer->loop.life != KIN__LIFE_NEW;
    kin__mutex_unlock(&informer->lock);
    return was;
}

int kin_informer_save(kin_informer *informer, const char *path, kin_error *err)
{
    struct save save = {.is_done = false};
    int code = check_path(informer, path, err);

    if (code < 0)
        return code;
    if (!was_started(informer))
        return kin_error_set(err, KIN_EBUSY, "%s have not synced: there is nothing to save",
                             informer->name);
    if (kin__workers_runs_here(kin__shared_workers_pool(informer->shared_workers)))
        return kin_error_set(err, KIN_EBUSY, "a worker has other things to do than to save");
    kin__error_begin(&save.err);
    code = request(informer, &save);
    code =
        code < 0 ? kin__error_pass(err, code, &save.err) : write_file(informer, &save, path, err);
    save_done(&save);
    return code;
}

/* --- loading --- */

static bool differs(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") != 0;
}

static int foreign(kin_error *err, const char *what, const char *has, const char *wanted)
{
    return kin_error_set(err, KIN_EMISMATCH, "it is of another %s: \"%s\" instead of \"%s\"", what,
                         has ? has : "", wanted ? wanted : "");
}

static int compare_namespaces(const kin_snapshot_info *has, const kin__scope *wanted,
                              kin_error *err)
{
    size_t n = wanted->namespaces ? wanted->n_namespaces : 0;

    if (has->n_namespaces != n)
        return kin_error_set(err, KIN_EMISMATCH, "it is of %zu namespaces instead of %zu",
                             has->n_namespaces, n);
    /* None of those that are wanted is there twice. */
    for (size_t i = 0; i < n; i++) {
        if (!kin__scope_has(wanted, has->namespaces[i]))
            return foreign(err, "namespace", has->namespaces[i], wanted->namespaces[i]);
    }
    return 0;
}

/* "deployments.v1.apps", as kin__resource_key() has it. */
static int key_of(const kin_snapshot_info *has, char **ret, kin_error *err)
{
    const char *slash = strchr(has->api_version, '/');
    const char *version = slash ? slash + 1 : has->api_version;
    kin__buf text;
    int code;

    /* Both are of an info, which is bounded. */
    kin__buf_init(&text, KIN_SNAPSHOT_INFO_BYTES_MAX);
    kin__buf_appendf(&text, "%s.%s.", has->resource ? has->resource : "", version);
    if (slash)
        kin__buf_append(&text, kin_str_make(has->api_version, (size_t)(slash - has->api_version)));
    code = kin__buf_take(&text, ret, NULL);
    kin__buf_done(&text);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

/* How they were asked for: it is the same word, and nobody can say yet what it means. */
static int compare_words(const kin_informer *informer, const kin_snapshot_info *has, kin_error *err)
{
    const char *asked_as = has->asked_as ? has->asked_as : has->resource;

    return differs(asked_as, informer->resource)
               ? foreign(err, "resource", asked_as, informer->resource)
               : 0;
}

/* What both have turned out to be, if that is known; else the words. 0, KIN_EMISMATCH, KIN_ENOMEM. */
static int compare_names(const kin_informer *informer, const kin_snapshot_info *has, kin_error *err)
{
    char *wanted = NULL;
    char *key = NULL;
    bool is_known = false;
    int code = kin__resource_key(&wanted, &is_known, informer->client, informer->resource, err);

    if (code == 0 && (!is_known || !has->api_version))
        code = compare_words(informer, has, err);
    else if (code == 0 && (code = key_of(has, &key, err)) == 0 && differs(key, wanted))
        code = foreign(err, "resource", key, wanted);
    kin__free(wanted);
    kin__free(key);
    return code;
}

static int compare_resource(const kin_informer *informer, const kin_snapshot_info *has,
                            kin_error *err)
{
    kin_resource *resource;
    int code;

    if (!informer->client)
        return differs(has->resource, informer->name)
                   ? foreign(err, "resource", has->resource, informer->name)
                   : 0;
    code = compare_names(informer, has, err);
    if (code < 0)
        return code;
    resource = find_resource(informer);
    if (resource && has->kind && differs(has->kind, kin_resource_kind(resource)))
        code = foreign(err, "kind", has->kind, kin_resource_kind(resource));
    kin_resource_unref(resource);
    return code;
}

/* 0, KIN_EMISMATCH, KIN_ENOMEM. */
static int compare(const kin_informer *informer, const kin_snapshot_info *has,
                   const kin__scope *scope, kin_error *err)
{
    kin_snapshot_info wanted = KIN_SNAPSHOT_INFO_INIT;
    content_text content;
    int code;

    describe_content(informer, content);
    describe(informer, scope, content, &wanted);
    if (differs(has->cluster, wanted.cluster))
        return foreign(err, "cluster or identity", has->cluster, wanted.cluster);
    code = compare_resource(informer, has, err);
    if (code < 0)
        return code;
    if (differs(has->projection, wanted.projection))
        return foreign(err, "content or projection", has->projection, wanted.projection);
    if (KIN_DEFECT(snapshot_of_other_scope))
        return 0;
    if (differs(has->label_selector, wanted.label_selector))
        return foreign(err, "label selector", has->label_selector, wanted.label_selector);
    if (differs(has->field_selector, wanted.field_selector))
        return foreign(err, "field selector", has->field_selector, wanted.field_selector);
    return compare_namespaces(has, scope, err);
}

/* When it was last certain what the server had. Files of earlier versions say only when they were written. */
static int64_t list_time(const kin_snapshot_info *info)
{
    return info->list_unix_ns != 0 ? info->list_unix_ns : info->unix_ns;
}

/* Milliseconds. A file may say anything: what is too much is as much as possible. */
static int64_t age_of(const kin_informer *informer, const kin_snapshot_info *info)
{
    int64_t time = list_time(info);
    int64_t ns;

    if (__builtin_sub_overflow(kin_clock_unix_now(informer->clock), time, &ns))
        ns = time < 0 ? INT64_MAX : INT64_MIN;
    return ns / KIN__MILLISECOND;
}

/* 0, KIN_EEXPIRED. */
static int check_age(const kin_informer *informer, const kin_snapshot_info *info, kin_error *err)
{
    int64_t max = informer->options.snapshot_max_age_ms;
    int64_t age = age_of(informer, info);

    if (max < 0)
        return 0;
    if (max == 0)
        max = MAX_AGE_MS;
    if (age < -max)
        return kin_error_set(err, KIN_EEXPIRED, "its list is from %" PRId64 " s in the future",
                             -(age / 1000));
    return age <= max
               ? 0
               : kin_error_set(err, KIN_EEXPIRED,
                               "its list is %" PRId64 " s old, and %" PRId64 " s are allowed",
                               age / 1000, max / 1000);
}

/* A version that no watch can begin with is none. */
static int copy_version(kin__version_text ret, const char *version, kin_error *err)
{
    size_t len = version ? strlen(version) : 0;

    if (len > KIN_RESOURCE_VERSION_BYTES_MAX)
        return kin_error_set(err, KIN_EPARSE, "it has a version of %zu bytes", len);
    if (len == 0 || strcmp(version, "0") == 0)
        return 0;
    memcpy(ret, version, len + 1);
    return 0;
}

static int copy_versions(kin__warmth *warmth, const kin_snapshot_info *info, kin_error *err)
{
    const kin__scope *scope = &warmth->scope;
    size_t n = count_versions(scope);
    int code = 0;

    warmth->versions = kin__calloc(n, sizeof(*warmth->versions));
    if (!warmth->versions)
        return kin__error_no_memory(err);
    if (!scope->namespaces)
        return copy_version(warmth->versions[0], info->resource_version, err);
    for (size_t i = 0; code == 0 && i < info->n_versions; i++) {
        size_t at = 0;

        while (at < n && strcmp(scope->namespaces[at], info->namespaces[i]) != 0)
            at++;
        if (KIN_DEFECT(snapshot_versions_by_order))
            at = i;
        if (at < n)
            code = copy_version(warmth->versions[at], info->versions[i], err);
    }
    return code;
}

struct load {
    kin_informer *informer;
    kin_replace *replace;
    int64_t bytes; /* of the objects that were read */
};

static int stage(const kin_object *object, void *arg, kin_error *err)
{
    struct load *load = arg;

    /* A debugging aid, which does without where there is no memory. */
    if (load->informer->detector)
        kin_mutation_detector_add(load->informer->detector, object, NULL);
    load->bytes += kin__delta_batch_cost(object);
    return kin_replace_add(load->replace, object, err);
}

static int fill_store(kin_informer *informer, kin_snapshot *snapshot, kin_error *err)
{
    const char *version = kin_snapshot_get_info(snapshot)->resource_version;
    struct load load = {informer, NULL, 0};
    int code = kin_store_replace_begin(informer->store, &load.replace, err);

    if (code < 0)
        return code;
    code = kin_snapshot_read(snapshot, &informer->decode, stage, &load, err);
    if (code == 0)
        code = kin_replace_commit(load.replace, kin_str_of(version ? version : ""), err);
    if (code < 0)
        kin_replace_abort(load.replace);
    else
        kin__footprint_add(&informer->footprint, load.bytes);
    return code;
}

static int load(kin_informer *informer, kin_snapshot *snapshot, kin_error *err)
{
    const kin_snapshot_info *info = kin_snapshot_get_info(snapshot);
    kin__warmth warmth = {
        .is_warm = true, .unix_ns = info->unix_ns, .list_unix_ns = list_time(info)};
    int code = kin__informer_copy_scope(informer, &warmth.scope, err);

    if (code == 0)
        code = compare(informer, info, &warmth.scope, err);
    if (code == 0)
        code = check_age(informer, info, err);
    if (code == 0)
        code = copy_versions(&warmth, info, err);
    /* The objects were transformed before they were saved: under which keys the server has them is not known. */
    if (code == 0 && informer->options.transform)
        atomic_store_explicit(&informer->renames, true, memory_order_relaxed);
    if (code == 0)
        code = fill_store(informer, snapshot, err);
    if (code < 0) {
        kin__warmth_done(&warmth);
        return code;
    }
    informer->warmth = warmth;
    /* It may have objects of namespaces that were left when it was written. */
    informer->must_sweep = !KIN_DEFECT(snapshot_not_swept);
    return 0;
}

/* 0, KIN_EBUSY. */
static int begin_load(kin_informer *informer, kin_error *err)
{
    kin__mutex_lock(&informer->lock);
    bool may = informer->loop.life == KIN__LIFE_NEW && !informer->loop.is_held &&
               !informer->warmth.is_warm;
    if (may) {
        informer->loop.is_held = true;
        informer->has_loaded = true;
    }
    kin__mutex_unlock(&informer->lock);
    return may ? 0
               : kin_error_set(err, KIN_EBUSY,
                               "a snapshot is loaded once, and before the informer is started");
}

static void end_load(kin_informer *informer)
{
    kin__mutex_lock(&informer->lock);
    informer->loop.is_held = false;
    kin__mutex_unlock(&informer->lock);
}

/* That there is none yet is nothing to be warned of. */
static void report(const kin_informer *informer, const char *path, const kin_error *why)
{
    kin_log_level level = why->code == KIN_ENOTFOUND ? KIN_LOG_INFO : KIN_LOG_WARN;

    kin__log(informer->logger, level, "informer", "a snapshot is not used, and all is listed",
             KIN__LOG_S("informer", informer->name), KIN__LOG_S("path", path),
             KIN__LOG_S("error", why->message));
}

int kin_informer_load(kin_informer *informer, const char *path, kin_error *err)
{
    kin_snapshot *snapshot = NULL;
    kin_error why;
    int code = check_path(informer, path, err);

    if (code == 0)
        code = begin_load(informer, err);
    if (code < 0)
        return code;
    kin__error_begin(&why);
    code = kin_snapshot_open(&snapshot, path, &why);
    if (code == 0)
        code = load(informer, snapshot, &why);
    kin_snapshot_free(snapshot);
    end_load(informer);
    if (code == 0)
        return 0;
    report(informer, path, &why);
    return kin__error_pass(err, code, &why);
}
