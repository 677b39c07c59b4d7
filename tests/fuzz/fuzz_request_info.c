/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any path, query and Accept header: what is read stays inside what was sent, what is refused has a
 * Status that can be written, and a kind that is asked has what it says.
 */
#include "apiserver/kinds/registry.h"
#include "apiserver/protocol/accept.h"
#include "apiserver/protocol/request_info.h"
#include "apiserver/protocol/selector.h"
#include "fuzz.h"
#include "kinform/json.h"

/* The Status of a failure is JSON with its code in it. */
static void check_failure(const kin__failure *failure)
{
    const kin_object *status = NULL;
    kin__buf out;
    int64_t code = 0;

    FUZZ_CHECK(failure->status >= 400 && failure->status < 600);
    FUZZ_CHECK(failure->message[0] != '\0');
    FUZZ_CHECK(failure->n_causes <= KIN__CAUSES_MAX);
    kin__buf_init(&out, 1 << 20);
    kin__failure_write(failure, &out);
    FUZZ_CHECK(kin_object_from_json(&status, kin__buf_str(&out), NULL, NULL) == 0);
    FUZZ_CHECK(kin_value_int64(&code, kin_value_get(kin_object_root(status), kin_str_of("code"))) ==
               0);
    FUZZ_CHECK(code == failure->status);
    kin_object_unref(status);
    kin__buf_done(&out);
}

static void check_inside(const kin__request_info *info, const kin__request *request, kin_str part)
{
    size_t size = request->path.len + request->query.len;

    FUZZ_CHECK(part.len == 0 ||
               (part.data >= info->text && part.data + part.len <= info->text + size));
}

static void check_info(const kin__request_info *info, const kin__request *request)
{
    const kin_str parts[] = {
        info->group, info->version,     info->namespace_, info->resource,
        info->name,  info->subresource, info->path,       info->options.continue_token};

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        check_inside(info, request, parts[i]);
    FUZZ_CHECK(!info->is_resource || (info->resource.len > 0 && info->version.len > 0));
    FUZZ_CHECK(info->subresource.len == 0 || info->name.len > 0);
    FUZZ_CHECK(info->path.len == 0 || info->path.data[0] == '/');
}

static void ask_kind(kin__registry *registry, const kin__request_info *info, kin_str accept)
{
    const kin__kind *kind =
        kin__registry_find(registry, info->group, info->version, info->resource);
    const kin__kind_version *version = NULL;
    const kin__subresource *subresource = NULL;
    kin__failure failure;
    kin__accepted accepted;
    kin__selector selector;

    if (!kind)
        return;
    if (!kin__request_info_check(info, kind, &version, &subresource, &failure)) {
        check_failure(&failure);
    } else {
        FUZZ_CHECK(version && (subresource != NULL) == (info->subresource.len > 0));
        if (!kin__accept_read(accept, kind, info->verb, &accepted, &failure))
            check_failure(&failure);
        if (kin__selector_for(&selector, kind, version, info->options.labels, info->options.fields,
                              &failure))
            kin__selector_done(&selector);
        else
            check_failure(&failure);
    }
    kin__kind_unref(kind);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "TRACE"};
    static kin__registry *registry;
    fuzz_input in = {data, size};
    kin__request request = {.method = kin_str_of(methods[fuzz_byte(&in) % 7])};
    enum kin__discovery form;
    const char *content_type;
    kin__request_info info;
    kin__failure failure;

    if (!registry)
        FUZZ_CHECK(kin__registry_new(&registry, NULL) == 0);
    request.accept = fuzz_str(&in);
    request.path = fuzz_str(&in);
    request.query = kin_str_make((const char *)in.data, in.len);
    if (kin__request_info_read(&info, &request, &failure))
        check_info(&info, &request);
    else
        check_failure(&failure);
    if (info.is_resource && info.options.labels)
        ask_kind(registry, &info, request.accept);
    kin__request_info_done(&info);
    if (!kin__accept_read_discovery(request.accept, &form, &content_type, &failure))
        check_failure(&failure);
    return 0;
}
