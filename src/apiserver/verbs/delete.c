/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deleting. An object goes at once unless something keeps it: finalizers, or a grace period that it
 * has. Then it gets a deletionTimestamp, and goes when nothing keeps it any more.
 *
 * There is no garbage collector yet, so that nobody would take the finalizers away again that the
 * policies Foreground and Orphan stand for: both are taken as Background.
 */
#include <string.h>

#include "apiserver/verbs/api_inside.h"
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

static int64_t at_most_a_century(int64_t seconds)
{
    return seconds < KIN__CENTURY ? seconds : KIN__CENTURY;
}

/* When it is to go. A shorter period begins when the first one did. */
static kin_time end_of(const kin__deletion *d, const kin_object *base, int64_t grace)
{
    kin_time when = kin__api_now(d->api);
    int64_t own = 0;

    if (kin_object_deletion_timestamp(&when, base) == 0) {
        kin_value_int64(&own, kin_object_find(base, "metadata.deletionGracePeriodSeconds"));
        when.seconds -= at_most_a_century(own);
    }
    when.seconds += at_most_a_century(grace);
    return when;
}

static void mark(const kin__deletion *d, kin__edit *edit, const kin_object *base, int64_t grace)
{
    kin_time when = end_of(d, base, grace);
    int64_t generation = kin_object_generation(base);

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
    return kin__kind_is(kind, "", "namespaces");
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

bool kin__op_read_delete_options(kin__op *op, kin__failure *failure)
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
    if (!kin__op_read_delete_options(op, failure))
        return false;
    op->status = 200;
    op->is_deletion = true;
    return kin__op_write(op, make, failure);
}
