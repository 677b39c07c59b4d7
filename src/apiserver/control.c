/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/control.h"

#include <inttypes.h>

#include "apiserver/protocol/target.h"
#include "base/error.h"
#include "base/str.h"
#include "object/json.h"

#define PREFIX "/_kinform/"
#define ANSWER_MAX ((size_t)64 << 20)

bool kin__control_is_path(kin_str path)
{
    return kin__str_starts_with(path, kin_str_of(PREFIX));
}

/* What is asked for, and the answer as it is made. */
struct control {
    kin__server *server;
    const kin__request *request;
    kin_str rest; /* of the path */
    kin__buf *out;
    kin__failure *failure;
    void (*over)(void *server); /* when the answer is out; NULL: nothing */
};

static bool is_method(const struct control *control, const char *method)
{
    return kin_str_equal(control->request->method, kin_str_of(method));
}

static bool fail_method(const struct control *control)
{
    return kin__fail(control->failure, 405, "MethodNotAllowed",
                     "the server does not allow this method on the requested resource");
}

static bool fail_path(const struct control *control)
{
    return kin__fail(control->failure, 404, "NotFound",
                     "the server could not find the requested resource");
}

static bool fail_code(const struct control *control, int code, const kin_error *err)
{
    if (code == KIN_ENOTFOUND)
        return kin__fail(control->failure, 404, "NotFound", "%s", err->message);
    if (code == KIN_EINVAL || code == KIN_EPARSE || code == KIN_ELIMIT)
        return kin__fail(control->failure, 400, "BadRequest", "%s", err->message);
    return kin__fail(control->failure, 500, "InternalError", "Internal error occurred: %s",
                     err->message);
}

/* --- faults --- */

static void add_id(uint64_t id, size_t index, void *arg)
{
    kin__buf_appendf(arg, "%s%" PRIu64, index > 0 ? "," : "", id);
}

static bool add_faults(const struct control *control)
{
    kin_error err = KIN_ERROR_INIT;
    const kin_object *object = NULL;
    int code = kin_object_from_json(&object, control->request->body, NULL, &err);

    if (code == 0) {
        kin__buf_append(control->out, kin_str_of("{\"ids\":["));
        code = kin__server_inject_json(control->server, kin_object_root(object), add_id,
                                       control->out, &err);
        kin__buf_append(control->out, kin_str_of("]}\n"));
        kin_object_unref(object);
    }
    return code == 0 || fail_code(control, code, &err);
}

static bool remove_faults(const struct control *control)
{
    kin_error err = KIN_ERROR_INIT;
    int code = kin__server_clear_faults(control->server, &err);

    kin__buf_append(control->out, kin_str_of("{}\n"));
    return code == 0 || fail_code(control, code, &err);
}

static bool remove_fault(const struct control *control, kin_str text)
{
    kin_error err = KIN_ERROR_INIT;
    uint64_t id = 0;
    uint64_t hits = 0;

    if (kin__str_to_u64(&id, text) < 0)
        return fail_path(control);
    int code = kin__server_remove_fault(control->server, id, &hits, &err);
    kin__buf_appendf(control->out, "{\"id\":%" PRIu64 ",\"hits\":%" PRIu64 "}\n", id, hits);
    return code == 0 || fail_code(control, code, &err);
}

static bool run_faults(const struct control *control)
{
    if (is_method(control, "GET")) {
        kin__faults_write(kin__server_faults(control->server), control->out);
        return true;
    }
    if (is_method(control, "POST"))
        return add_faults(control);
    if (is_method(control, "DELETE"))
        return remove_faults(control);
    return fail_method(control);
}

/* --- the rest --- */

static bool run_requests(const struct control *control)
{
    if (!is_method(control, "GET"))
        return fail_method(control);
    kin__request_log_write(kin__server_log(control->server), control->out);
    return true;
}

static void restart(void *arg)
{
    const kin__service *service = kin__server_service(arg);

    service->restart(service->arg, false);
}

static void restart_and_forget(void *arg)
{
    const kin__service *service = kin__server_service(arg);

    service->restart(service->arg, true);
}

/* Once the answer is out. */
static bool run_restart(struct control *control)
{
    kin_str forget = kin_str_of("");

    if (!kin__server_service(control->server)->restart)
        return fail_path(control);
    if (!is_method(control, "POST"))
        return fail_method(control);
    kin__query_find(control->request->query, kin_str_of("forget"), &forget);
    if (forget.len > 0 && !kin_str_equal(forget, kin_str_of("true")) &&
        !kin_str_equal(forget, kin_str_of("false")))
        return kin__fail(control->failure, 400, "BadRequest", "forget is true or false");
    control->over = kin_str_equal(forget, kin_str_of("true")) ? restart_and_forget : restart;
    kin__buf_append(control->out, kin_str_of("{}\n"));
    return true;
}

static bool run_command(const struct control *control)
{
    const kin__service *service = kin__server_service(control->server);

    if (!service->command)
        return fail_path(control);
    if (!is_method(control, "POST"))
        return fail_method(control);
    kin__buf_append(control->out, kin_str_of("{}\n"));
    return service->command(service->arg, control->rest, control->request->query, control->failure);
}

/* A web page cannot send this type to another origin without asking first. */
static bool is_json(kin_str content_type)
{
    kin_str type = kin_str_make(content_type.data, kin__str_find(content_type, ';'));

    return kin_str_equal(kin__str_trim(type), kin_str_of("application/json"));
}

static bool control_run(struct control *control)
{
    static const char one[] = "faults/";

    if (control->request->caller.read_only)
        return kin__fail(control->failure, 403, "Forbidden",
                         "forbidden: User \"%s\" cannot %s path \"%" KIN_STR_FMT "\"",
                         control->request->caller.name, is_method(control, "GET") ? "get" : "post",
                         KIN_STR_ARG(control->request->path));
    if (is_method(control, "POST") && !is_json(control->request->content_type))
        return kin__fail(control->failure, 415, "UnsupportedMediaType",
                         "the control endpoint wants Content-Type: application/json");
    if (kin_str_equal(control->rest, kin_str_of("faults")))
        return run_faults(control);
    if (kin__str_starts_with(control->rest, kin_str_of(one)))
        return is_method(control, "DELETE")
                   ? remove_fault(control, kin_str_make(control->rest.data + sizeof(one) - 1,
                                                        control->rest.len - sizeof(one) + 1))
                   : fail_method(control);
    if (kin_str_equal(control->rest, kin_str_of("requests")))
        return run_requests(control);
    if (kin_str_equal(control->rest, kin_str_of("restart")))
        return run_restart(control);
    return run_command(control);
}

void kin__control_serve(kin__server *server, kin__api_call *call)
{
    kin__failure failure; /* set where it is used */
    kin__reply reply = {.status = 200};
    struct control control = {
        .server = server,
        .request = call->request,
        .rest = kin_str_make(call->request->path.data + sizeof(PREFIX) - 1,
                             call->request->path.len - sizeof(PREFIX) + 1),
        .out = &reply.body,
        .failure = &failure,
    };

    kin__buf_init(&reply.body, ANSWER_MAX);
    if (!control_run(&control)) {
        kin__buf_done(&reply.body);
        kin__failure_reply(&failure, &reply);
    }
    reply.over = control.over;
    reply.over_arg = server;
    call->answer(call, &reply);
}
