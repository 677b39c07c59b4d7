/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creating. What only the server may say is set here, whatever the client said of it.
 */
#include <string.h>

#include "apiserver/kinds/validate.h"
#include "apiserver/verbs/api_inside.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

/* Of generated names that are taken. */
enum { TRIES = 8 };

static void prepare_status(kin__op *op, kin__edit *edit)
{
    /* Whoever makes a node is the one who knows its status. */
    if (!op->version->has_status || kin__kind_is(op->kind, "", "nodes"))
        return;
    kin__edit_remove(edit, "status");
    if (kin__kind_is(op->kind, "", "pods"))
        kin__edit_string(edit, "status.phase", kin_str_of("Pending"));
}

/* Another name, and with it another key. False: no memory. */
static bool generate_name(kin__op *op, kin__failure *failure)
{
    kin_scratch scratch;

    kin__name_generate(&op->api->random, kin_object_generate_name(op->body, &scratch), op->name);
    kin__buf_reset(&op->key);
    if (op->info.namespace_.len > 0) {
        kin__buf_append(&op->key, op->info.namespace_);
        kin__buf_append_char(&op->key, '/');
    }
    kin__buf_append(&op->key, kin_str_of(op->name));
    op->n_tries++;
    return op->key.failed ? kin__fail_no_memory(failure) : true;
}

static void say_it_is_being_deleted(kin__failure *failure)
{
    char message[sizeof(failure->message)];
    kin__cutline line;

    memcpy(message, failure->message, sizeof(message));
    kin__cutline_init(&line, failure->message, sizeof(failure->message));
    kin__cutline_append(&line, kin_str_of("object is being deleted: "));
    kin__cutline_append(&line, kin_str_of(message));
}

static enum kin__outcome refuse_existing(kin__op *op, const kin_object *base, kin__failure *failure)
{
    if (op->is_generated && op->n_tries < TRIES)
        return generate_name(op, failure) ? KIN__AGAIN : KIN__REFUSED;
    if (op->is_generated)
        kin__fail_generated_name_exists(failure, op->kind, kin_str_of(op->name));
    else
        kin__fail_already_exists(failure, op->kind, kin_object_name(op->body));
    if (kin__is_being_deleted(base))
        say_it_is_being_deleted(failure);
    return KIN__REFUSED;
}

enum kin__outcome kin__make_created(kin__op *op, const kin_object *base, uint64_t version,
                                    const kin_object **ret, kin__failure *failure)
{
    kin__edit edit;

    /* Judged before all else, as the real server does it, and once more with the writer's lock. */
    if (op->kind->namespaced && !kin__namespace_admit(op, failure))
        return KIN__REFUSED;
    if (base)
        return refuse_existing(op, base, failure);
    if (!op->uid[0])
        kin__uid_make(&op->api->random, op->uid);
    kin__edit_begin(&edit, op->body);
    if (op->is_generated)
        kin__edit_string(&edit, "metadata.name", kin_str_of(op->name));
    if (op->kind->namespaced)
        kin__edit_string(&edit, "metadata.namespace", op->info.namespace_);
    else
        kin__edit_remove(&edit, "metadata.namespace");
    kin__edit_string(&edit, "metadata.uid", kin_str_of(op->uid));
    kin__edit_version(&edit, version);
    kin__edit_time(&edit, "metadata.creationTimestamp", kin__api_now(op->api));
    kin__edit_remove(&edit, "metadata.deletionTimestamp");
    kin__edit_remove(&edit, "metadata.deletionGracePeriodSeconds");
    kin__edit_remove(&edit, "metadata.selfLink");
    kin__edit_remove_empty(&edit, op->body);
    if (op->kind->generation != KIN__GENERATION_GIVEN &&
        op->kind->generation != KIN__GENERATION_COUNTED_FROM_GIVEN)
        kin__edit_number(&edit, "metadata.generation", 1);
    prepare_status(op, &edit);
    if (kin__kind_is(op->kind, "", "namespaces"))
        kin__namespace_prepare(&edit, op->body,
                               op->is_generated ? kin_str_of(op->name) : kin_object_name(op->body));
    if (!kin__edit_finish(&edit, ret, failure) || !kin__validate_create(op->kind, *ret, failure) ||
        (kin__crd_is(op->kind) && !kin__crd_prepare(op, NULL, ret, failure)))
        return KIN__REFUSED;
    return KIN__PUT;
}

/* The key of what the body describes. */
static bool find_key(kin__op *op, kin__failure *failure)
{
    kin_scratch scratch;
    kin_str name = kin_object_name(op->body);

    if (name.len == 0 && kin_object_generate_name(op->body, &scratch).len > 0) {
        op->is_generated = true;
        return generate_name(op, failure);
    }
    /* Without a name the validation will say so; what else is in the key does not matter then. */
    kin__buf_append(&op->key, name);
    return op->key.failed ? kin__fail_no_memory(failure) : true;
}

bool kin__serve_create(kin__op *op, kin__failure *failure)
{
    if (!kin__op_read_body(op, failure))
        return false;
    if (kin_object_resource_version(op->body).len > 0)
        return kin__fail(failure, 500, NULL,
                         "resourceVersion should not be set on objects to be created");
    if (!find_key(op, failure))
        return false;
    op->status = 201;
    op->is_dry_run = op->info.options.dry_run;
    return kin__op_write(op, kin__make_created, failure);
}
