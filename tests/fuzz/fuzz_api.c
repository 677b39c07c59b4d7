/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Some requests in a row, of any method, path, query and body, to an API with a few objects: each
 * has an answer with a status, and what is said to be JSON is JSON.
 */
#include <pthread.h>
#include <string.h>

#include "apiserver/verbs/api.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "fuzz.h"
#include "kinform/json.h"
#include "kinform/yaml.h"
#include "object/json.h"

enum { REQUESTS_MAX = 6 };

struct call {
    kin__api_call base;
    kin__request request;
    kin__reply reply;
    pthread_mutex_t lock;
    pthread_cond_t answered;
    bool is_answered; /* (lock) */
};

static kin_clock *fake_clock;

static void answer(kin__api_call *base, kin__reply *reply)
{
    struct call *call = kin__container_of(base, struct call, base);

    pthread_mutex_lock(&call->lock);
    call->reply = *reply;
    call->is_answered = true;
    pthread_cond_signal(&call->answered);
    pthread_mutex_unlock(&call->lock);
}

static void wake(void *arg)
{
    (void)arg;
}

/* --- what is answered --- */

static void check_json(kin_str text)
{
    const kin_object *holder = NULL;
    kin_value value;

    FUZZ_CHECK(kin__json_read_value(&holder, &value, text, NULL) == 0);
    kin_object_unref(holder);
}

static void check_lines(kin_str text)
{
    size_t from = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '\n')
            continue;
        check_json(kin_str_make(text.data + from, i - from));
        from = i + 1;
    }
    FUZZ_CHECK(from == text.len);
}

static void check_yaml(kin_str text)
{
    const kin_object *object = NULL;

    FUZZ_CHECK(kin_object_from_yaml(&object, text, NULL, NULL) == 0);
    kin_object_unref(object);
}

/* A watch, or a list, which is one line. */
static void check_source(kin__source *source, bool is_yaml)
{
    enum kin__source_result result = KIN__SOURCE_DATA;
    kin__buf text;
    char buf[1000];
    size_t len;

    source->wake = wake;
    kin__buf_init(&text, 1 << 26);
    while (result == KIN__SOURCE_DATA) {
        result = source->read(source, buf, sizeof(buf), &len);
        if (result == KIN__SOURCE_DATA)
            kin__buf_append(&text, kin_str_make(buf, len));
    }
    FUZZ_CHECK(result != KIN__SOURCE_ABORT);
    FUZZ_CHECK(!text.failed);
    if (is_yaml)
        check_yaml(kin__buf_str(&text));
    else
        check_lines(kin__buf_str(&text));
    kin__buf_done(&text);
    source->close(source);
}

static void check_reply(kin__reply *reply)
{
    FUZZ_CHECK(reply->status >= 200 && reply->status < 600);
    FUZZ_CHECK(reply->content_type);
    bool is_yaml = strcmp(reply->content_type, "application/yaml") == 0;

    if (reply->source)
        check_source(reply->source, is_yaml);
    else if (is_yaml)
        check_yaml(kin__buf_str(&reply->body));
    else if (strstr(reply->content_type, "json"))
        check_json(kin__buf_str(&reply->body));
    kin__buf_done(&reply->body);
}

static void ask(kin__api *api, const kin__request *request)
{
    struct call call = {.base = {.answer = answer}, .request = *request};

    call.base.request = &call.request;
    call.request.caller.name = "fuzz";
    pthread_mutex_init(&call.lock, NULL);
    pthread_cond_init(&call.answered, NULL);
    kin__api_serve(api, &call.base);
    pthread_mutex_lock(&call.lock);
    if (!call.is_answered) {
        /* It waits for a version that will not come. */
        pthread_mutex_unlock(&call.lock);
        FUZZ_CHECK(kin_clock_advance(fake_clock, 4 * KIN__SECOND, NULL) == 0);
        pthread_mutex_lock(&call.lock);
    }
    while (!call.is_answered)
        pthread_cond_wait(&call.answered, &call.lock);
    pthread_mutex_unlock(&call.lock);
    check_reply(&call.reply);
    pthread_cond_destroy(&call.answered);
    pthread_mutex_destroy(&call.lock);
}

/* --- what is asked --- */

static void ask_known(kin__api *api, const char *path, const char *body)
{
    const kin__request request = {.method = kin_str_of("POST"),
                                  .path = kin_str_of(path),
                                  .query = kin_str_of(""),
                                  .accept = kin_str_of(""),
                                  .content_type = kin_str_of("application/json"),
                                  .user_agent = kin_str_of(""),
                                  .body = kin_str_of(body)};

    ask(api, &request);
}

static kin_str take_path(fuzz_input *in)
{
    static const char *const paths[] = {
        "/api/v1/namespaces/default/configmaps/a",
        "/api/v1/namespaces/default/configmaps",
        "/api/v1/configmaps",
        "/apis/apps/v1/namespaces/default/deployments/d",
        "/apis/apps/v1/namespaces/default/deployments/d/scale",
        "/apis/apps/v1/namespaces/default/deployments/d/status",
        "/api/v1/namespaces/default/pods/p",
        "/api/v1/namespaces/default/pods/p/binding",
        "/api/v1/namespaces",
        "/api/v1/namespaces/n",
        "/api/v1/namespaces/n/finalize",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        "/apis/k.example/v1/namespaces/default/widgets",
        "/apis/events.k8s.io/v1/namespaces/default/events",
        "/api/v1/watch/namespaces/default/configmaps/a",
        "/api/v1/namespaces/default/pods/p/eviction",
        "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
    };
    unsigned n = fuzz_byte(in);

    return n < kin__array_len(paths) ? kin_str_of(paths[n]) : fuzz_str(in);
}

static void ask_any(kin__api *api, fuzz_input *in)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "TRACE"};
    static const char *const types[] = {"application/json", "application/merge-patch+json",
                                        "application/json-patch+json", "application/yaml", ""};
    static const char *const accepts[] = {
        "application/json", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", "*/*",
        "application/yaml"};
    kin__request request = {.user_agent = kin_str_of("")};

    request.method = kin_str_of(methods[fuzz_byte(in) % kin__array_len(methods)]);
    request.content_type = kin_str_of(types[fuzz_byte(in) % kin__array_len(types)]);
    unsigned accept = fuzz_byte(in);
    request.accept = accept < kin__array_len(accepts) ? kin_str_of(accepts[accept]) : fuzz_str(in);
    request.path = take_path(in);
    request.query = fuzz_str(in);
    request.body = fuzz_str(in);
    ask(api, &request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    kin__state_options state_options = {.window_changes = 20};
    kin__api_options options = {.seed = 7, .max_body_bytes = 65536};
    kin__api *api = NULL;

    if (!fake_clock)
        FUZZ_CHECK(kin_clock_new_fake(&fake_clock, KIN__SECOND, NULL) == 0);
    FUZZ_CHECK(kin__state_new(&options.state, &state_options, NULL) == 0);
    options.clock = fake_clock;
    FUZZ_CHECK(kin__api_new(&api, &options, NULL) == 0);
    ask_known(api, "/api/v1/namespaces/default/configmaps",
              "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"1\"}},\"data\":{\"k\":\"v\"}}");
    ask_known(
        api, "/apis/apps/v1/namespaces/default/deployments",
        "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":1,\"selector\":{\"matchLabels\":"
        "{\"a\":\"b\"}}}}");
    ask_known(api, "/api/v1/namespaces/default/pods", "{\"metadata\":{\"name\":\"p\"}}");
    ask_known(api, "/api/v1/namespaces", "{\"metadata\":{\"name\":\"n\"}}");
    for (unsigned i = 0; i < REQUESTS_MAX && in.len > 0; i++)
        ask_any(api, &in);
    kin__api_stop(api);
    kin__api_free(api);
    kin__state_free(options.state);
    return 0;
}
