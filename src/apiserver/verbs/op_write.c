/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing. A new state is made of the newest one without a lock, as it would be if no other write
 * came in between: with the version that is next. Then the write is begun. If the state is still
 * the newest, it is committed; if only the version is another one, that is set; else it is made
 * anew. After some attempts it is made while the lock is held, so that nobody waits for ever.
 */
#include <stdio.h>
#include <string.h>

#include "apiserver/verbs/api_inside.h"
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
    kin__json_write_string(&text, kin_object_name(object)); /* those of roles may have quotes */
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
    bool is_inside =
        op->call->request->is_inside; /* who gets what was stored, whatever was asked */
    bool is_told_only = op->is_deletion && op->is_gone && !op->kind->returns_deleted;

    if (!is_inside && (op->is_bound || is_told_only))
        answer_success(op, op->result);
    else if (!is_inside && op->encoding.kind == &kin__scale_kind)
        answer_scale(op);
    else
        kin__op_answer_object(op, op->status, op->result);
}

static void fail_not_stored(kin__op *op, int code)
{
    kin_error err = KIN_ERROR_INIT;
    kin__failure failure;

    kin_error_set(&err, code, "the write could not be stored");
    kin__fail_internal(&failure, &err);
    kin__op_fail(op, &failure);
}

static void written(kin__write_done *done, int code)
{
    kin__op *op = kin__container_of(done, kin__op, done);
    kin__api *api = op->api;

    if (code < 0) {
        if (kin__crd_is(op->kind))
            kin__crd_undo(op, op->base);
        fail_not_stored(op, code);
        return;
    }
    if (op->must_clear)
        kin__schedule_now(&api->schedule, &api->clear);
    if (op->must_wait)
        kin__pods_wait(api, op->result);
    kin__api_published(api);
    kin__op_answer_result(op);
}

static void settled(kin__write_done *done, int code)
{
    kin__op *op = kin__container_of(done, kin__op, done);

    if (code < 0)
        fail_not_stored(op, code);
    else if (op->refusal)
        kin__op_fail(op, op->refusal);
    else
        kin__op_answer_result(op);
}

/*
 * Nothing is written: answer with the failure or, if that is NULL, with the result. If it rests on
 * a state that the storage does not have yet, the answer waits for that: nobody may hear of a
 * version that a crash could still take back. As a verb's function.
 */
static bool answer_unwritten(kin__op *op, uint64_t seen, kin__failure *failure)
{
    if (seen > kin__state_version(op->api->state)) {
        if (failure) {
            op->refusal = kin__malloc(sizeof(*failure));
            if (!op->refusal)
                return kin__fail_no_memory(failure);
            *op->refusal = *failure;
        }
        op->done.fn = settled;
        kin__state_settle(op->api->state, seen, &op->done);
        return true;
    }
    if (failure)
        return false;
    kin__op_answer_result(op);
    return true;
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
    if (outcome == KIN__DELETE || kin__is_being_deleted(*object))
        op->must_clear |= kin__api_is_emptied(op->api, op->kind, *object);
    return !kin__crd_is(op->kind) || kin__crd_admit(op, outcome, base, object, failure);
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
    return answer_unwritten(op, a->write.seen, NULL);
}

static bool commit(kin__op *op, struct attempt *a, kin__failure *failure)
{
    kin_error err = KIN_ERROR_INIT;
    int code;

    if (!kin__op_admit(op, a->outcome, a->base, &a->object, failure)) {
        attempt_abort(op, a);
        return answer_unwritten(op, a->write.seen, failure);
    }
    if (op->is_dry_run)
        return answer_dry_run(op, a, failure);
    op->result = kin_object_ref(a->object);
    op->is_gone = a->outcome == KIN__DELETE;
    op->must_wait = op->kind->graceful && !op->is_gone && kin__pods_must_wait(a->base, a->object);
    op->done.fn = written;
    if (kin__crd_is(op->kind))
        op->base = kin_object_ref(a->base);
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
        ok = answer_unwritten(op, a.write.seen, NULL);
        break;
    default:
        attempt_abort(op, &a);
        ok = answer_unwritten(op, a.write.seen, failure);
    }
    kin_object_unref(a.base);
    kin_object_unref(a.object);
    return ok;
}
