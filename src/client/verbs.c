/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verbs: requests that are waited for, and those that are not.
 */
#include "client/verbs.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "client/api_request.h"

/* --- waited for --- */

/* Give the caller what the call has: the object after a success, the Status after a failure. */
static int give(kin_call *call, int code, const kin_object **ret,
                const kin_request_options *options)
{
    kin_request_options all = KIN_REQUEST_OPTIONS_INIT;

    kin__options_take(&all, sizeof(all), options, "KIN_REQUEST_OPTIONS_INIT", NULL);
    if (code == 0 && ret)
        *ret = kin__call_object(call) ? kin_object_ref(kin__call_object(call)) : NULL;
    if (code < 0 && all.ret_status && kin__call_status(call))
        *all.ret_status = kin_object_ref(kin__call_status(call));
    return code;
}

static int run_request(kin_client *client, const kin_object **ret, const kin_request *request,
                       kin_list_item_fn *item, kin_watch_event_fn *event, void *arg, kin_error *err)
{
    const kin_call_handlers handlers = {
        .size = sizeof(handlers), .item = item, .event = event, .arg = arg};
    kin_call *call = NULL;
    int code = kin__request_call(&call, client, request, &handlers, err);

    if (code < 0)
        return code;
    code = give(call, kin__call_run(call, err), ret, request->options);
    kin_call_unref(call);
    return code;
}

/* The same where an object is the answer. */
static int run_for_object(kin_client *client, const kin_object **ret, const kin_request *request,
                          kin_error *err)
{
    return run_request(client, ret, request, NULL, NULL, NULL, err);
}

static kin_request request_of(enum kin_verb verb, kin_resource *resource, const char *namespace_,
                              const char *name, const kin_request_options *options)
{
    kin_request request = KIN_REQUEST_INIT;

    request.verb = verb;
    request.resource = resource;
    request.namespace_ = namespace_;
    request.name = name;
    request.options = options;
    return request;
}

int kin_client_get(kin_client *client, const kin_object **ret, kin_resource *resource,
                   const char *namespace_, const char *name, const kin_request_options *options,
                   kin_error *err)
{
    kin_request request = request_of(KIN_VERB_GET, resource, namespace_, name, options);

    return run_for_object(client, ret, &request, err);
}

int kin__client_list_page(kin_client *client, const kin_object **ret, kin_resource *resource,
                          const char *namespace_, kin_list_item_fn *item, void *arg,
                          const kin_request_options *options, kin__page *ret_page, kin_error *err)
{
    const kin_call_handlers handlers = {.size = sizeof(handlers), .item = item, .arg = arg};
    kin_request request = request_of(KIN_VERB_LIST, resource, namespace_, NULL, options);
    kin_call *call = NULL;
    int code = kin__request_call(&call, client, &request, &handlers, err);

    if (code < 0)
        return code;
    code = give(call, kin__call_run(call, err), ret, options);
    ret_page->listed = kin__call_listed(call);
    ret_page->needs_json = kin__call_needs_json(call);
    kin_call_unref(call);
    return code;
}

int kin_client_list(kin_client *client, const kin_object **ret, kin_resource *resource,
                    const char *namespace_, kin_list_item_fn *item, void *arg,
                    const kin_request_options *options, kin_error *err)
{
    kin__page page;

    return kin__client_list_page(client, ret, resource, namespace_, item, arg, options, &page, err);
}

int kin_client_watch(kin_client *client, kin_resource *resource, const char *namespace_,
                     kin_watch_event_fn *event, void *arg, const kin_request_options *options,
                     kin_error *err)
{
    kin_request request = request_of(KIN_VERB_WATCH, resource, namespace_, NULL, options);

    return run_request(client, NULL, &request, NULL, event, arg, err);
}

int kin_client_create(kin_client *client, const kin_object **ret, kin_resource *resource,
                      const char *namespace_, const kin_object *object,
                      const kin_request_options *options, kin_error *err)
{
    kin_request request = request_of(KIN_VERB_CREATE, resource, namespace_, NULL, options);

    request.object = object;
    return run_for_object(client, ret, &request, err);
}

int kin_client_update(kin_client *client, const kin_object **ret, kin_resource *resource,
                      const char *namespace_, const kin_object *object,
                      const kin_request_options *options, kin_error *err)
{
    kin_request request = request_of(KIN_VERB_UPDATE, resource, namespace_, NULL, options);

    request.object = object;
    return run_for_object(client, ret, &request, err);
}

int kin_client_patch(kin_client *client, const kin_object **ret, kin_resource *resource,
                     const char *namespace_, const char *name, enum kin_patch_type type,
                     kin_str patch, const kin_request_options *options, kin_error *err)
{
    kin_request request = request_of(KIN_VERB_PATCH, resource, namespace_, name, options);

    request.patch_type = type;
    request.patch = patch;
    return run_for_object(client, ret, &request, err);
}

int kin_client_delete(kin_client *client, const kin_object **ret, kin_resource *resource,
                      const char *namespace_, const char *name, const kin_request_options *options,
                      kin_error *err)
{
    kin_request request = request_of(KIN_VERB_DELETE, resource, namespace_, name, options);

    return run_for_object(client, ret, &request, err);
}

int kin_client_delete_collection(kin_client *client, const kin_object **ret, kin_resource *resource,
                                 const char *namespace_, const kin_request_options *options,
                                 kin_error *err)
{
    kin_request request =
        request_of(KIN_VERB_DELETE_COLLECTION, resource, namespace_, NULL, options);

    return run_for_object(client, ret, &request, err);
}

int kin__client_text(kin_client *client, char **ret, size_t *ret_len,
                     const kin__text_request *request, kin_error *err)
{
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
    kin__call_spec spec = {.verb = KIN_VERB_GET,
                           .method = "GET",
                           .target = request->target,
                           .accept = request->accept,
                           .kind = KIN__ANSWER_TEXT,
                           .decode = &decode,
                           .timeout_ms = client->timeout_ms,
                           .unlimited = request->unlimited};
    kin_call *call = NULL;
    int code;

    decode.max_bytes = request->max_bytes;
    code = kin__call_new(&call, client, &spec, err);
    if (code == 0)
        code = kin__call_run(call, err);
    if (code == 0) {
        char *text = kin__memdup_str(kin__call_text(call));

        if (!text) {
            code = kin__error_no_memory(err);
        } else {
            *ret = text;
            if (ret_len)
                *ret_len = kin__call_text(call).len;
        }
    }
    kin_call_unref(call);
    return code;
}

int kin_client_get_text(kin_client *client, char **ret, size_t *ret_len, const char *target,
                        kin_error *err)
{
    int code = kin__client_check(client, err);

    if (code < 0)
        return code;
    if (!ret || !target)
        return kin__error_null(err, ret ? "target" : "ret");
    if (target[0] != '/')
        return kin_error_set(err, KIN_EINVAL, "a path begins with a slash");
    return kin__client_text(client, ret, ret_len,
                            &(kin__text_request){.target = target, .accept = "*/*"}, err);
}

/* --- not waited for --- */

int kin__client_start(kin_client *client, kin_call **ret, const kin_request *request,
                      const kin_call_handlers *handlers, enum kin__json_use use, kin_error *err)
{
    kin_call_handlers all = KIN_CALL_HANDLERS_INIT;
    kin_call *before = ret ? *ret : NULL;
    kin_call *call = NULL;
    int code = kin__options_take(&all, sizeof(all), handlers, "KIN_CALL_HANDLERS_INIT", err);

    if (code == 0)
        code = kin__request_call(&call, client, request, &all, err);
    if (code < 0)
        return code;
    kin__call_use_json(call, use);
    /* The first callback may want to cancel it. Whoever has it may be done with it on return. */
    if (ret)
        *ret = call;
    code = kin__call_start(call, err);
    if (code < 0 && ret)
        *ret = before;
    if (code < 0 || !ret)
        kin_call_unref(call);
    return code;
}

int kin_client_start(kin_client *client, kin_call **ret, const kin_request *request,
                     const kin_call_handlers *handlers, kin_error *err)
{
    return kin__client_start(client, ret, request, handlers, KIN__JSON_NEXT, err);
}
