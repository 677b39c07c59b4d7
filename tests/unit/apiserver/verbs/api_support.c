/* SPDX-License-Identifier: Apache-2.0 */
#include "api_support.h"

#include "kin_test.h"

#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "state_support.h"

int kin_test_api_try_start(kin_test_api *t, const kin__api_options *options,
                           const kin__state_options *state_options, kin_error *err)
{
    const kin__state_options no_options = {.storage = NULL};
    kin__api_options all = {.seed = 7};
    int code;

    memset(t, 0, sizeof(*t));
    if (options)
        all = *options;
    code = kin_clock_new_fake(&t->clock, KIN_TEST_API_TIME * KIN__SECOND, err);
    if (code == 0)
        code = kin__state_new(&t->state, state_options ? state_options : &no_options, err);
    all.state = t->state;
    all.clock = t->clock;
    if (code == 0)
        code = kin__api_new(&t->api, &all, err);
    if (code < 0)
        kin_test_api_stop(t);
    return code;
}

void kin_test_api_start(kin_test_api *t, const kin__api_options *options)
{
    kin_error err = KIN_ERROR_INIT;

    if (kin_test_api_try_start(t, options, NULL, &err) < 0)
        fail_msg("%s", err.message);
}

void kin_test_api_stop(kin_test_api *t)
{
    if (t->api)
        kin__api_stop(t->api);
    kin__api_free(t->api);
    kin__state_free(t->state);
    kin_clock_unref(t->clock);
    memset(t, 0, sizeof(*t));
}

/* --- calls --- */

static void answer(kin__api_call *base, kin__reply *reply)
{
    kin_test_call *call = kin__container_of(base, kin_test_call, base);

    call->reply = *reply;
    kin_test_latch_raise(&call->answered);
}

static void wake(void *arg)
{
    kin_test_call *call = arg;

    kin_test_latch_raise(&call->woken);
}

void kin_test_call_start(kin_test_api *t, kin_test_call *call, const kin_test_request *request)
{
    kin__request *r = &call->request;
    const char *space = strchr(request->line, ' ');
    const char *path = space + 1;
    size_t len = strcspn(path, "?");

    memset(call, 0, sizeof(*call));
    kin__buf_init(&call->text, SIZE_MAX - 1);
    kin_test_latch_init(&call->answered);
    kin_test_latch_init(&call->woken);
    r->method = kin_str_make(request->line, (size_t)(space - request->line));
    r->path = kin_str_make(path, len);
    r->query = kin_str_of(path[len] == '?' ? path + len + 1 : "");
    r->accept = kin_str_of(request->accept ? request->accept : "application/json");
    r->content_type = kin_str_of(request->content_type ? request->content_type
                                 : request->body       ? "application/json"
                                                       : "");
    r->user_agent = kin_str_of("kin-test/1");
    r->if_none_match = kin_str_of(request->if_none_match ? request->if_none_match : "");
    r->body = kin_str_of(request->body && !request->body_len ? request->body : "");
    if (request->body_len)
        r->body = kin_str_make(request->body, request->body_len);
    r->caller.name = "admin";
    r->caller.read_only = request->read_only;
    call->base.request = r;
    call->base.answer = answer;
    kin__api_serve(t->api, &call->base);
}

void kin_test_call_wait(kin_test_call *call)
{
    kin_test_latch_wait(&call->answered, 1);
}

void kin_test_call_read(kin_test_call *call, size_t piece)
{
    kin__source *source = call->reply.source;
    char buf[65536];

    if (piece == 0 || piece > sizeof(buf))
        piece = sizeof(buf);
    if (!source) {
        if (call->text.len == 0)
            kin__buf_append(&call->text, kin__buf_str(&call->reply.body));
        call->has_ended = true;
        return;
    }
    /* Only once: whoever wakes reads it. */
    if (!call->is_reading) {
        source->wake = wake;
        source->wake_arg = call;
        call->is_reading = true;
    }
    while (!call->has_ended) {
        size_t len = 0;
        enum kin__source_result result = source->read(source, buf, piece, &len);

        if (result == KIN__SOURCE_WAIT)
            return;
        if (result == KIN__SOURCE_DATA) {
            assert_true(len > 0 && len <= piece);
            kin__buf_append(&call->text, kin_str_make(buf, len));
            continue;
        }
        call->has_ended = true;
        call->was_aborted = result == KIN__SOURCE_ABORT;
    }
}

void kin_test_call_read_more(kin_test_call *call)
{
    kin_test_latch_wait(&call->woken, ++call->n_wakes);
    kin_test_call_read(call, 0);
}

void kin_test_call_done(kin_test_call *call)
{
    if (call->reply.source)
        call->reply.source->close(call->reply.source);
    kin__buf_done(&call->reply.body);
    kin__buf_done(&call->text);
    kin_test_latch_done(&call->answered);
    kin_test_latch_done(&call->woken);
}

/* --- whole requests --- */

static char whole[4 * 1024 * 1024];

const char *kin_test_ask(kin_test_api *t, const kin_test_request *request, int *ret_status)
{
    kin_test_call call;

    kin_test_call_start(t, &call, request);
    kin_test_call_wait(&call);
    kin_test_call_read(&call, 0);
    *ret_status = call.reply.status;
    assert_true(call.text.len < sizeof(whole));
    memcpy(whole, call.text.data ? call.text.data : "", call.text.len);
    whole[call.text.len] = '\0';
    kin_test_call_done(&call);
    return whole;
}

static const char *expect(kin_test_api *t, int status, const kin_test_request *request)
{
    int found;
    const char *text = kin_test_ask(t, request, &found);

    if (found != status)
        fail_msg("%s %s: %d is not %d: %s", request->line, request->body ? request->body : "",
                 found, status, text);
    return text;
}

const char *kin_test_get(kin_test_api *t, int status, const char *line)
{
    const kin_test_request request = {.line = line};

    return expect(t, status, &request);
}

const char *kin_test_send(kin_test_api *t, int status, const char *line, const char *body)
{
    const kin_test_request request = {.line = line, .body = body};

    return expect(t, status, &request);
}

const char *kin_test_patch(kin_test_api *t, int status, const char *path, const char *type,
                           const char *body)
{
    char line[1024];
    char content_type[128];
    const kin_test_request request = {.line = line, .body = body, .content_type = content_type};

    snprintf(line, sizeof(line), "PATCH %s", path);
    snprintf(content_type, sizeof(content_type), "application/%s", type);
    return expect(t, status, &request);
}

void kin_test_assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in %s", part, text);
}

void kin_test_assert_has_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" is in %s", part, text);
}

const char *kin_test_member(const char *text, const char *name)
{
    static char value[1024];
    char quoted[128];
    const char *found;

    snprintf(quoted, sizeof(quoted), "\"%s\":\"", name);
    found = strstr(text, quoted);
    snprintf(value, sizeof(value), "%.*s", found ? (int)strcspn(found + strlen(quoted), "\"") : 0,
             found ? found + strlen(quoted) : "");
    return value;
}
