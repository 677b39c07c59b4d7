/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deleting. An object goes at once unless something keeps it: finalizers, or a grace period that it
 * has. Then it gets a deletionTimestamp, and goes when nothing keeps it any more.
 *
 * There is no garbage collector yet, so that nobody would take the finalizers away again that the
 * policies Foreground and Orphan stand for: both are taken as Background.
 */
#include <string.h>

#include "apiserver/op.h"
#include "apiserver/selector.h"
#include "base/error.h"
#include "base/memory.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

enum { DEFAULT_GRACE = 30 };

/* --- what becomes of an object --- */

static bool check_preconditions(const kin__deletion *d, const kin_object *base,
                                kin__failure *failure)
{
    kin_scratch scratch;
    kin_str uid = kin_object_uid(base, &scratch);
    kin_str version = kin_object_resource_version(base);

    if (!d->options)
        return true;
    if (d->options->uid.len > 0 && !kin_str_equal(d->options->uid, uid))
        return kin__fail_precondition(failure, d->kind, kin_object_name(base),
                                      "the UID in the precondition (%" KIN_STR_FMT
                                      ") does not match the UID in record (%" KIN_STR_FMT
                                      "). The object might have been deleted and then recreated",
                                      KIN_STR_ARG(d->options->uid), KIN_STR_ARG(uid));
    if (d->options->resource_version.len > 0 &&
        !kin_str_equal(d->options->resource_version, version))
        return kin__fail_precondition(
            failure, d->kind, kin_object_name(base),
            "the ResourceVersion in the precondition (%" KIN_STR_FMT
            ") does not match the ResourceVersion in record (%" KIN_STR_FMT
            "). The object might have been modified",
            KIN_STR_ARG(d->options->resource_version), KIN_STR_ARG(version));
    return true;
}

static bool is_text(const kin_object *object, const char *path, const char *text)
{
    kin_scratch scratch;
    kin_str found = {NULL, 0};

    kin_value_string(&found, kin_object_find(object, path), &scratch);
    return kin_str_equal(found, kin_str_of(text));
}

/* How many seconds it has. */
static int64_t grace_of(const kin__deletion *d, const kin_object *base)
{
    int64_t grace = DEFAULT_GRACE;

    if (!d->kind->graceful)
        return 0;
    if (d->options && d->options->has_grace_period)
        grace = d->options->grace_period_seconds;
    else
        kin_value_int64(&grace, kin_object_find(base, "spec.terminationGracePeriodSeconds"));
    if (grace < 0)
        grace = 1;
    /* What runs nowhere need not be waited for. */
    if (is_text(base, "spec.nodeName", "") || is_text(base, "status.phase", "Succeeded") ||
        is_text(base, "status.phase", "Failed"))
        grace = 0;
    if (kin__is_being_deleted(base)) {
        int64_t left = 0;

        kin_value_int64(&left, kin_object_find(base, "metadata.deletionGracePeriodSeconds"));
        grace = left < grace || !d->options || !d->options->has_grace_period ? left : grace;
    }
    return grace;
}

static void mark(const kin__deletion *d, kin__edit *edit, const kin_object *base, int64_t grace)
{
    kin_time when = kin__api_now(d->api);
    int64_t generation = kin_object_generation(base);

    when.seconds += grace;
    kin__edit_time(edit, "metadata.deletionTimestamp", when);
    kin__edit_number(edit, "metadata.deletionGracePeriodSeconds", grace);
    if (generation > 0 && !kin__is_being_deleted(base))
        kin__edit_number(edit, "metadata.generation", generation + 1);
}

static bool has_same_grace(const kin_object *base, int64_t grace)
{
    int64_t own = -1;

    kin_value_int64(&own, kin_object_find(base, "metadata.deletionGracePeriodSeconds"));
    return kin__is_being_deleted(base) && own == grace;
}

static enum kin__outcome unchanged(const kin_object *base, const kin_object **ret)
{
    *ret = kin_object_ref(base);
    return KIN__UNCHANGED;
}

/* Namespaces, and definitions: they go when all that belongs to them has gone. */
static enum kin__outcome make_ending(const kin__deletion *d, const kin_object *base,
                                     uint64_t version, const kin_object **ret,
                                     kin__failure *failure)
{
    kin__edit edit;

    if (kin__is_being_deleted(base))
        return unchanged(base, ret);
    kin__edit_begin(&edit, base);
    kin__edit_version(&edit, version);
    kin__edit_time(&edit, "metadata.deletionTimestamp", kin__api_now(d->api));
    if (kin__crd_is(d->kind))
        kin__crd_mark_ending(d->api, &edit, base);
    else
        kin__edit_string(&edit, "status.phase", kin_str_of("Terminating"));
    return kin__edit_finish(&edit, ret, failure) ? KIN__PUT : KIN__REFUSED;
}

static bool is_namespace(const kin__kind *kind)
{
    return kind->group[0] == '\0' && strcmp(kind->resource, "namespaces") == 0;
}

enum kin__outcome kin__make_deleted(const kin__deletion *d, const kin_object *base,
                                    uint64_t version, const kin_object **ret, kin__failure *failure)
{
    int64_t grace;
    bool is_kept;
    kin__edit edit;

    if (!check_preconditions(d, base, failure))
        return KIN__REFUSED;
    if (is_namespace(d->kind) && !kin__namespace_may_go(d->kind, base, failure))
        return KIN__REFUSED;
    if (is_namespace(d->kind) || kin__crd_is(d->kind))
        return make_ending(d, base, version, ret, failure);
    grace = grace_of(d, base);
    is_kept = grace > 0 || kin__has_finalizers(base);
    if (is_kept && has_same_grace(base, grace))
        return unchanged(base, ret);
    kin__edit_begin(&edit, base);
    kin__edit_version(&edit, version);
    if (is_kept || d->kind->graceful)
        mark(d, &edit, base, grace);
    if (!kin__edit_finish(&edit, ret, failure))
        return KIN__REFUSED;
    return is_kept ? KIN__PUT : KIN__DELETE;
}

/* --- one object --- */

/* Options of the body, if there is one, or of the query. */
static bool read_options(kin__op *op, kin__failure *failure)
{
    op->deletion = op->info.options.deletion;
    if (op->call->request->body.len > 0) {
        memset(&op->deletion, 0, sizeof(op->deletion));
        if (!kin__op_decode(op, "DeleteOptions", &op->body, failure) ||
            !kin__delete_options_read(&op->deletion, op->body, op->scratch, failure))
            return false;
    }
    op->is_dry_run = op->deletion.dry_run;
    return kin__delete_options_check(&op->deletion, failure);
}

static enum kin__outcome make(kin__op *op, const kin_object *base, uint64_t version,
                              const kin_object **ret, kin__failure *failure)
{
    const kin__deletion deletion = {op->api, op->kind, &op->deletion};

    if (!base) {
        kin__fail_not_found(failure, op->kind, op->info.name);
        return KIN__REFUSED;
    }
    op->must_clear = is_namespace(op->kind) || kin__crd_is(op->kind);
    return kin__make_deleted(&deletion, base, version, ret, failure);
}

bool kin__serve_delete(kin__op *op, kin__failure *failure)
{
    if (!read_options(op, failure))
        return false;
    op->status = 200;
    op->is_deletion = true;
    return kin__op_write(op, make, failure);
}

/* --- by the server itself --- */

struct own_write {
    kin__write_done done;
    kin__api *api;
    const kin_object *object; /* a reference */
    const kin__kind *kind;    /* a reference */
    bool clear;
    void (*then)(void *arg);
    void *arg;
};

static void own_free(struct own_write *own)
{
    kin__api *api = own->api;

    kin_object_unref(own->object);
    kin__kind_unref(own->kind);
    kin__free(own);
    kin__mutex_lock(&api->lock);
    if (--api->n_ops == 0)
        kin__cond_broadcast(&api->idle);
    kin__mutex_unlock(&api->lock);
}

static void own_written(kin__write_done *done, int code)
{
    struct own_write *own = kin__container_of(done, struct own_write, done);
    kin__api *api = own->api;

    if (code == 0 && own->clear)
        kin__schedule_now(&api->schedule, &api->clear);
    if (code == 0 && own->kind->graceful && kin__is_being_deleted(own->object))
        kin__pods_wait(api, own->object);
    if (code == 0)
        kin__api_published(api);
    if (own->then)
        own->then(own->arg);
    own_free(own);
}

static struct own_write *own_new(kin__api *api, const kin__kind *kind)
{
    struct own_write *own = kin__calloc(1, sizeof(*own));

    if (!own)
        return NULL;
    own->done.fn = own_written;
    own->api = api;
    own->kind = kin__kind_ref(kind);
    kin__mutex_lock(&api->lock);
    api->n_ops++;
    kin__mutex_unlock(&api->lock);
    return own;
}

static bool failure_is_conflict(enum kin__outcome outcome, const kin__failure *failure)
{
    return outcome == KIN__REFUSED && failure->status == 409;
}

int kin__api_delete(const kin__deletion *deletion, kin__collection *collection, kin_str key,
                    void (*then)(void *arg), void *arg)
{
    kin__api *api = deletion->api;
    struct own_write *own = own_new(api, deletion->kind);
    const kin_object *object = NULL;
    enum kin__outcome outcome = KIN__REFUSED;
    kin__failure failure;
    kin__write write;
    int code = KIN_ENOTFOUND;

    if (!own)
        return KIN_ENOMEM;
    own->then = then;
    own->arg = arg;
    kin__state_begin(api->state, &write, collection, key);
    if (write.current) {
        outcome = kin__make_deleted(deletion, write.current, write.version, &object, &failure);
        code = outcome == KIN__UNCHANGED                ? KIN_EBUSY
               : failure_is_conflict(outcome, &failure) ? KIN_ECONFLICT
                                                        : KIN_ENOMEM;
    }
    if (outcome != KIN__PUT && outcome != KIN__DELETE) {
        kin__state_abort(api->state, &write);
        kin_object_unref(object);
        own_free(own);
        return code;
    }
    own->object = object;
    own->clear = outcome == KIN__DELETE &&
                 ((deletion->kind->namespaced &&
                   kin__namespace_is_ending(api, kin_object_namespace(object))) ||
                  (deletion->kind->custom && kin__crd_is_ending(api, deletion->kind)));
    code = kin__state_commit(api->state, &write, object, outcome == KIN__DELETE, &own->done, NULL);
    if (code < 0) {
        own_free(own);
        return code;
    }
    return 0;
}

/* --- collections --- */

struct sweep {
    kin__op *op;
    kin__state_page page;
    int code;            /* why one could not be written; this thread's until the last has ended */
    _Atomic size_t left; /* writes that are not published; one more while they are begun */
};

static void sweep_put(void *arg)
{
    struct sweep *sweep = arg;

    if (atomic_fetch_sub(&sweep->left, 1) > 1)
        return;
    if (sweep->code < 0) {
        kin_error err = KIN_ERROR_INIT;
        kin__failure failure;

        kin_error_set(&err, sweep->code, "not all could be deleted");
        kin__fail_internal(&failure, &err);
        kin_object_list_done(&sweep->page.objects);
        kin__op_fail(sweep->op, &failure);
    } else {
        sweep->page.more = false;
        kin__op_answer_list(sweep->op, &sweep->page, kin_str_of(""));
    }
    kin__free(sweep);
}

static void sweep_run(struct sweep *sweep)
{
    kin__op *op = sweep->op;
    const kin__deletion deletion = {op->api, op->kind, &op->deletion};

    for (size_t i = 0; !op->is_dry_run && i < sweep->page.objects.len; i++) {
        const char *key = kin_object_key(sweep->page.objects.items[i]);
        int code;

        atomic_fetch_add(&sweep->left, 1);
        code = kin__api_delete(&deletion, op->collection, kin_str_of(key), sweep_put, sweep);
        if (code == 0)
            continue;
        atomic_fetch_sub(&sweep->left, 1);
        /* What has gone meanwhile, or is being deleted already, is no failure. */
        if (code != KIN_ENOTFOUND && code != KIN_EBUSY)
            sweep->code = code;
    }
    sweep_put(sweep);
}

bool kin__serve_delete_collection(kin__op *op, kin__failure *failure)
{
    const kin__query_options *o = &op->info.options;
    kin__state_query query = {.limit = o->limit > SIZE_MAX ? 0 : (size_t)o->limit};
    struct sweep *sweep;
    kin__selector selector;
    kin__buf prefix;
    kin_error err = KIN_ERROR_INIT;
    int code;

    if (!read_options(op, failure) ||
        !kin__selector_for(&selector, op->kind, op->version, o->labels, o->fields, failure))
        return false;
    kin__buf_init(&prefix, KIN__PATH_MAX + 1);
    sweep = kin__calloc(1, sizeof(*sweep));
    if (!sweep || !kin__op_prefix(op, &prefix, failure)) {
        kin__buf_done(&prefix);
        kin__selector_done(&selector);
        kin__free(sweep);
        return kin__fail_no_memory(failure);
    }
    query.prefix = kin__buf_str(&prefix);
    query.match = kin__selector_match;
    query.match_arg = &selector;
    code = kin__state_list(op->api->state, op->collection, &query, &sweep->page, &err);
    kin__buf_done(&prefix);
    kin__selector_done(&selector);
    if (code < 0) {
        kin__free(sweep);
        return kin__op_fail_code(failure, code, &err);
    }
    sweep->op = op;
    atomic_init(&sweep->left, 1);
    sweep_run(sweep);
    return true;
}
