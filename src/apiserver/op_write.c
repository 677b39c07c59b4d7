/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing. A new state is made of the newest one without a lock, as it would be if no other write
 * came in between: with the version that is next. Then the write is begun. If the state is still
 * the newest, it is committed; if only the version is another one, that is set; else it is made
 * anew. After some attempts it is made while the lock is held, so that nobody waits for ever.
 */
#include <stdio.h>
#include <string.h>

#include "apiserver/op.h"
#include "base/memory.h"
#include "kinform/metadata.h"
#include "object/json.h"

enum { ATTEMPTS = 3 };

/* --- the answer --- */

static void answer_success(kin__op *op, const kin_object *object)
{
    kin_scratch scratch;
    kin_str uid = kin_object_uid(object, &scratch);
    kin__buf text;

    kin__buf_init(&text, KIN__TEXT_MAX);
    kin__buf_append(&text, kin_str_of("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                                      "\"status\":\"Success\""));
    if (op->is_bound) {
        kin__buf_append(&text, kin_str_of(",\"code\":201}"));
        kin__op_answer_json(op, op->status, &text);
        return;
    }
    kin__buf_append(&text, kin_str_of(",\"details\":{\"name\":"));
    kin__json_write_string(&text, kin_object_name(object));
    if (op->kind->group[0])
        kin__buf_appendf(&text, ",\"group\":\"%s\"", op->kind->group);
    kin__buf_appendf(&text, ",\"kind\":\"%s\",\"uid\":", op->kind->resource);
    kin__json_write_string(&text, uid);
    kin__buf_append(&text, kin_str_of("}}"));
    kin__op_answer_json(op, op->status, &text);
}

static void answer_scale(kin__op *op)
{
    const kin_object *scale = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin__failure failure;
    int code = kin__scale_of(&scale, op, op->result, &err);

    if (code < 0) {
        kin__op_fail_code(&failure, code, &err);
        kin__op_fail(op, &failure);
        return;
    }
    kin__op_answer_object(op, op->status, scale);
    kin_object_unref(scale);
}

void kin__op_answer_result(kin__op *op)
{
    if (op->is_bound || (op->is_deletion && op->is_gone && !op->kind->returns_deleted))
        answer_success(op, op->result);
    else if (op->encoding.kind == &kin__scale_kind)
        answer_scale(op);
    else
        kin__op_answer_object(op, op->status, op->result);
}

static void written(kin__write_done *done, int code)
{
    kin__op *op = kin__container_of(done, kin__op, done);
    kin__api *api = op->api;

    if (code < 0) {
        kin_error err = KIN_ERROR_INIT;
        kin__failure failure;

        kin_error_set(&err, code, "the write could not be stored");
        kin__fail_internal(&failure, &err);
        kin__op_fail(op, &failure);
        return;
    }
    if (op->must_clear)
        kin__schedule_now(&api->schedule, &api->clear);
    if (op->kind->graceful && !op->is_gone && kin__is_being_deleted(op->result))
        kin__pods_wait(api, op->result);
    kin__api_published(api);
    kin__op_answer_result(op);
}

/* --- writing --- */

struct attempt {
    kin__write write;
    const kin_object *base;   /* a reference */
    const kin_object *object; /* a reference */
    enum kin__outcome outcome;
    bool is_begun;
};

static void attempt_begin(kin__op *op, struct attempt *a)
{
    kin__state_begin(op->api->state, &a->write, op->collection, kin__buf_str(&op->key));
    a->is_begun = true;
}

static void attempt_abort(kin__op *op, struct attempt *a)
{
    if (a->is_begun)
        kin__state_abort(op->api->state, &a->write);
    a->is_begun = false;
}

static void attempt_done(kin__op *op, struct attempt *a)
{
    attempt_abort(op, a);
    kin_object_unref(a->base);
    kin_object_unref(a->object);
    a->base = NULL;
    a->object = NULL;
}

/*
 * Make the new state, and begin the write. False: another one came in between, or the key is
 * another.
 */
static bool try_make(kin__op *op, struct attempt *a, kin__make_fn *make, bool is_last,
                     kin__failure *failure)
{
    uint64_t version;

    attempt_begin(op, a);
    a->base = kin_object_ref(a->write.current);
    version = a->write.version;
    if (!is_last)
        attempt_abort(op, a);
    a->outcome = make(op, a->base, version, &a->object, failure);
    if (a->outcome == KIN__AGAIN)
        return false;
    if (a->outcome == KIN__REFUSED || a->outcome == KIN__UNCHANGED || is_last)
        return true;
    attempt_begin(op, a);
    if (a->write.current != a->base)
        return false;
    if (a->write.version != version) {
        kin_error err = KIN_ERROR_INIT;
        int code = kin__set_version(&a->object, a->write.version, &err);

        if (code < 0) {
            kin__op_fail_code(failure, code, &err);
            a->outcome = KIN__REFUSED;
        }
    }
    return true;
}

bool kin__op_admit(kin__op *op, enum kin__outcome outcome, const kin_object *base,
                   const kin_object **object, kin__failure *failure)
{
    if (!base && op->kind->namespaced && !kin__namespace_admit(op, failure))
        return false;
    if (!base && op->kind->custom && !kin__crd_admit_custom(op, failure))
        return false;
    if (outcome == KIN__DELETE)
        op->must_clear |= (op->kind->namespaced &&
                           kin__namespace_is_ending(op->api, kin_object_namespace(*object))) ||
                          (op->kind->custom && kin__crd_is_ending(op->api, op->kind));
    return !kin__crd_is(op->kind) || kin__crd_admit(op, outcome, object, failure);
}

/*
 * What a dry run answers: an object that was never written has no version, another one keeps its
 * own.
 */
static bool answer_dry_run(kin__op *op, struct attempt *a, kin__failure *failure)
{
    kin__edit edit;

    attempt_abort(op, a);
    kin__edit_begin(&edit, a->object);
    if (a->base)
        kin__edit_string(&edit, "metadata.resourceVersion", kin_object_resource_version(a->base));
    else
        kin__edit_remove(&edit, "metadata.resourceVersion");
    if (!kin__edit_finish(&edit, &op->result, failure))
        return false;
    op->is_gone = a->outcome == KIN__DELETE;
    kin__op_answer_result(op);
    return true;
}

static bool commit(kin__op *op, struct attempt *a, kin__failure *failure)
{
    kin_error err = KIN_ERROR_INIT;
    int code;

    if (!kin__op_admit(op, a->outcome, a->base, &a->object, failure))
        return false;
    if (op->is_dry_run)
        return answer_dry_run(op, a, failure);
    op->result = kin_object_ref(a->object);
    op->is_gone = a->outcome == KIN__DELETE;
    op->done.fn = written;
    a->is_begun = false;
    code = kin__state_commit(op->api->state, &a->write, a->object, a->outcome == KIN__DELETE,
                             &op->done, &err);
    if (code == 0)
        return true; /* op may be gone */
    if (kin__crd_is(op->kind))
        kin__crd_undo(op, a->base);
    return kin__op_fail_code(failure, code, &err);
}

bool kin__op_write(kin__op *op, kin__make_fn *make, kin__failure *failure)
{
    struct attempt a = {.outcome = KIN__REFUSED};
    bool ok;

    for (unsigned n = 0; !try_make(op, &a, make, n >= ATTEMPTS, failure); n++)
        attempt_done(op, &a);
    switch (a.outcome) {
    case KIN__PUT:
    case KIN__DELETE:
        ok = commit(op, &a, failure);
        break;
    case KIN__UNCHANGED:
        attempt_abort(op, &a);
        op->result = kin_object_ref(a.object);
        kin__op_answer_result(op);
        ok = true;
        break;
    default:
        ok = false;
    }
    if (a.is_begun)
        attempt_abort(op, &a);
    kin_object_unref(a.base);
    kin_object_unref(a.object);
    return ok;
}
