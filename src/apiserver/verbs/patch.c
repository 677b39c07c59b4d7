/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patches. A patch is applied to what a client would see of the newest state, and the result is an
 * update: a resourceVersion that the patch sets is the one that must be the newest.
 */
#include "kinform/patch.h"

#include "apiserver/kinds/validate.h"
#include "apiserver/protocol/event_conversion.h"
#include "apiserver/verbs/api_inside.h"
#include "base/str.h"
#include "object/json.h"

static bool fail_media_type(kin__failure *failure)
{
    return kin__fail(failure, 415, "UnsupportedMediaType",
                     "the body of the request was in an unknown format - accepted media types "
                     "include: application/json-patch+json, application/merge-patch+json");
}

static bool read_type(kin__op *op, kin__failure *failure)
{
    kin_str type = op->call->request->content_type;

    type = kin__str_trim(kin_str_make(type.data, kin__str_find(type, ';')));
    if (kin_str_equal(type, kin_str_of("application/json-patch+json"))) {
        op->patch_type = KIN__PATCH_JSON;
        return true;
    }
    if (kin_str_equal(type, kin_str_of("application/merge-patch+json"))) {
        op->patch_type = KIN__PATCH_MERGE;
        return true;
    }
    /* Those that the real server takes, and this one does not yet. */
    if (kin__str_starts_with(type, kin_str_of("application/apply-patch+")))
        return kin__patch_options_check(&op->info.options, true, failure) &&
               fail_media_type(failure);
    if (kin_str_equal(type, kin_str_of("application/strategic-merge-patch+json")))
        return fail_media_type(failure);
    kin__fail(failure, 415, "UnsupportedMediaType", "415: Unsupported Media Type");
    failure->has_details = true;
    return false;
}

/* What is most often wrong in the words of the real server; all else in ours, which say where. */
static const char *json_words(const kin_error *err)
{
    return kin__str_starts_with(kin_str_of(err->message), kin_str_of("unexpected end"))
               ? "unexpected end of JSON input"
               : err->message;
}

/* Whether the text is a patch of its type at all. */
static bool check_patch(kin__op *op, kin__failure *failure)
{
    const kin_object *holder = NULL;
    kin_value value;
    kin_error err = KIN_ERROR_INIT;
    enum kin_type wanted = op->patch_type == KIN__PATCH_JSON ? KIN_ARRAY : KIN_MAP;
    int code = kin__json_read_value(&holder, &value, op->call->request->body, &err);
    enum kin_type found = code == 0 ? kin_value_type(value) : KIN_NONE;
    size_t len = code == 0 ? kin_value_len(value) : 0;

    kin_object_unref(holder);
    if (code == KIN_ENOMEM)
        return kin__fail_no_memory(failure);
    if (code < 0)
        return kin__fail_bad_request(failure, "error decoding patch: %s", json_words(&err));
    if (found != wanted)
        return kin__fail_bad_request(
            failure, "error decoding patch: json: cannot unmarshal %s into Go value of type %s",
            found == KIN_MAP ? "object" : kin_type_name(found),
            wanted == KIN_ARRAY ? "[]handlers.jsonPatchOp" : "map[string]interface {}");
    if (wanted == KIN_ARRAY && len > KIN_JSON_PATCH_MAX_OPERATIONS)
        return kin__fail(failure, 413, "RequestEntityTooLarge",
                         "Request entity too large: The allowed maximum operations in a JSON patch "
                         "is %d, got %zu",
                         KIN_JSON_PATCH_MAX_OPERATIONS, len);
    return true;
}

/* The newest state as the client knows it. */
static int present(kin__op *op, const kin_object *base, const kin_object **ret, kin_error *err)
{
    if (op->encoding.kind == &kin__scale_kind)
        return kin__scale_of(ret, op, base, err);
    if (op->kind->conversion == KIN__CONVERSION_EVENTS)
        return kin__event_convert(ret, base, KIN__EVENT_EVENTS, err);
    return kin__to_version(ret, base, op->kind, op->version->name, err);
}

/*
 * One patch after the other would make an object as large as anybody likes. It is the text that
 * counts: in memory, what repeats takes no room.
 */
static bool check_size(const kin__op *op, const kin_object *object, kin__failure *failure)
{
    kin__buf text;
    int code;

    kin__buf_init(&text, op->api->max_body);
    kin__json_write(&text, kin_object_root(object), KIN_JSON_COMPACT);
    code = text.failed;
    kin__buf_done(&text);
    if (code == KIN_ENOMEM)
        return kin__fail_no_memory(failure);
    return code == 0 || kin__fail(failure, 500, "", "etcdserver: request is too large");
}

static bool apply(kin__op *op, const kin_object *base, const kin_object **ret,
                  kin__failure *failure)
{
    kin_str text = op->call->request->body;
    kin_error err = KIN_ERROR_INIT;
    int code;

    if (op->patch_type == KIN__PATCH_JSON)
        code = kin_object_json_patch(ret, base, text, &err);
    else
        code = kin_object_merge_patch(ret, base, text, &err);
    if (code == 0)
        return check_size(op, *ret, failure);
    if (code == KIN_ENOMEM || code == KIN_ELIMIT || code == KIN_ESYSTEM)
        return kin__op_fail_code(failure, code, &err);
    kin__fail(failure, 422, "Invalid",
              "the server rejected our request due to an error in our request");
    failure->has_details = true;
    return false;
}

/* What came out is no object of its kind: that is the patch's fault, and told with the object. */
static bool fail_result(const kin_object *patched, kin__failure *failure)
{
    char words[1024];
    kin__cutline line;
    kin__buf json;

    kin__cutline_init(&line, words, sizeof(words));
    kin__cutline_append(&line, kin_str_of(failure->message));
    kin__buf_init(&json, KIN__TEXT_MAX);
    kin__json_write(&json, kin_object_root(patched), KIN_JSON_COMPACT);
    if (json.failed) {
        kin__fail_no_memory(failure);
    } else {
        kin__fail_invalid_kind(failure, "", "", kin_str_of(""));
        kin__cause_invalid(failure, kin_str_of("patch"), kin__buf_str(&json), words);
    }
    kin__buf_done(&json);
    return false;
}

/* The result of the patch as it would come with an update. */
static bool take_result(kin__op *op, const kin_object *patched, const kin_object **ret,
                        kin__failure *failure)
{
    if (op->encoding.kind == &kin__scale_kind) {
        *ret = kin_object_ref(patched);
        return kin__scale_check(op, patched, failure);
    }
    if (!kin__validate_type(op->kind, kin_str_of(op->version->name), op->subresource, patched,
                            failure))
        return failure->status == 400 ? fail_result(patched, failure) : false;
    return kin__op_take_body(op, patched, ret, failure);
}

static enum kin__outcome make(kin__op *op, const kin_object *base, uint64_t version,
                              const kin_object **ret, kin__failure *failure)
{
    const kin_object *shown = NULL;
    const kin_object *patched = NULL;
    const kin_object *object = NULL;
    enum kin__outcome outcome = KIN__REFUSED;
    kin_error err = KIN_ERROR_INIT;
    int code;

    if (!base) {
        kin__fail_not_found(failure, op->kind, op->info.name);
        return KIN__REFUSED;
    }
    code = present(op, base, &shown, &err);
    if (code < 0)
        kin__op_fail_code(failure, code, &err);
    else if (apply(op, shown, &patched, failure) && take_result(op, patched, &object, failure))
        outcome = kin__make_updated(op, base, object, version, ret, failure);
    kin_object_unref(object);
    kin_object_unref(patched);
    kin_object_unref(shown);
    return outcome;
}

static bool is_there(kin__op *op)
{
    const kin_object *object = NULL;
    int code =
        kin__state_get(op->api->state, op->collection, kin__buf_str(&op->key), &object, NULL);

    kin_object_unref(object);
    return code == 0;
}

bool kin__serve_patch(kin__op *op, kin__failure *failure)
{
    op->status = 200;
    op->is_dry_run = op->info.options.dry_run;
    if (!read_type(op, failure) || !kin__patch_options_check(&op->info.options, false, failure))
        return false;
    if (check_patch(op, failure))
        return kin__op_write(op, make, failure);
    /* The real server looks at a patch when it has found what is to be patched. */
    if (failure->status == 400 && !is_there(op))
        kin__fail_not_found(failure, op->kind, op->info.name);
    return false;
}
