/* SPDX-License-Identifier: Apache-2.0 */
/* An API that has nothing: health, a version, and 404. */
#include "apiserver/api.h"
#include "apiserver/failure.h"
#include "base/error.h"
#include "base/memory.h"

struct kin__api {
    kin__api_options options;
};

int kin__api_new(kin__api **ret, const kin__api_options *options, kin_error *err)
{
    kin__api *api = kin__calloc(1, sizeof(*api));

    if (!api)
        return kin__error_no_memory(err);
    api->options = *options;
    *ret = api;
    return 0;
}

void kin__api_stop(kin__api *api)
{
    (void)api;
}

void kin__api_free(kin__api *api)
{
    kin__free(api);
}

static bool is_path(const kin__api_call *call, const char *path)
{
    return kin_str_equal(call->request->path, kin_str_of(path));
}

void kin__api_serve(kin__api *api, kin__api_call *call)
{
    kin__reply reply = {.status = 200};
    kin__failure failure;

    (void)api;
    kin__buf_init(&reply.body, 1 << 20);
    if (is_path(call, "/healthz") || is_path(call, "/livez") || is_path(call, "/readyz")) {
        reply.content_type = "text/plain; charset=utf-8";
        kin__buf_append(&reply.body, kin_str_of("ok"));
    } else if (is_path(call, "/version")) {
        kin__buf_append(&reply.body, kin_str_of("{\"major\":\"1\",\"minor\":\"33\"}"));
    } else {
        kin__fail(&failure, 404, "NotFound", "the server could not find the requested resource");
        kin__failure_reply(&failure, &reply);
    }
    call->answer(call, &reply);
}
