/* SPDX-License-Identifier: Apache-2.0 */
#include "client_support.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alloc.h"
#include "kinform/json.h"
#include "kinform/status.h"

void client_open_as(client_fixture *f, const kin_client_options *options,
                    const kin_test_http_options *server, const kin_config_options *config)
{
    kin_client_options all = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options with_server = KIN_CONFIG_OPTIONS_INIT;
    kin_resource_spec pods = KIN_RESOURCE_SPEC_INIT;
    kin_error err = KIN_ERROR_INIT;

    if (options)
        all = *options;
    /* Tests that move a clock count requests and timers; test_liveness.c has those of probes. */
    if (all.clock && all.probe_after_ms == 0)
        all.probe_after_ms = -1;
    if (config)
        with_server = *config;
    kin_test_http_start(&f->server, server ? server : &(kin_test_http_options){0});
    with_server.server = kin_test_http_url(f->server);
    with_server.insecure = strncmp(with_server.server, "https:", 6) == 0 && !with_server.ca_file;
    /* One that has a kubeconfig takes its user from there. */
    if (with_server.kubeconfig)
        assert_code(kin_config_load(&all.config, &with_server, &err), 0);
    else
        assert_code(kin_config_new(&all.config, &with_server, &err), 0);
    if (all.qps == 0)
        all.qps = -1;
    assert_code(kin_client_new(&f->client, &all, &err), 0);
    kin_config_unref(all.config);
    pods.version = "v1";
    pods.resource = "pods";
    pods.kind = "Pod";
    assert_code(kin_resource_new(&f->pods, &pods, NULL), 0);
}

void client_open(client_fixture *f, const kin_client_options *options,
                 const kin_test_http_options *server)
{
    client_open_as(f, options, server, NULL);
}

void client_close(client_fixture *f)
{
    kin_client_free(f->client);
    kin_resource_unref(f->pods);
    kin_test_http_stop(f->server);
}

void client_route(client_fixture *f, const char *method, const char *target, int status,
                  const char *body)
{
    kin_test_http_add_route(
        f->server,
        &(kin_test_http_route){.method = method, .target = target, .status = status, .body = body});
}

const kin_object *client_object(const char *json)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_object_from_json(&object, kin_str_of(json), NULL, &err), 0);
    return object;
}

static int see(client_seen *seen, const char *type, const kin_object *object, kin_error *err)
{
    size_t len = strlen(seen->text);

    snprintf(seen->text + len, sizeof(seen->text) - len, "%s%s%s%s", len ? " " : "", type,
             *type ? ":" : "", kin_object_key(object));
    if (++seen->n == seen->stop_at)
        return kin_error_set(err, KIN_ERANGE, "enough");
    return 0;
}

int client_see_item(const kin_object *object, void *seen, kin_error *err)
{
    return see(seen, "", object, err);
}

int client_see_event(enum kin_watch_type type, const kin_object *object, void *seen, kin_error *err)
{
    return see(seen, kin_watch_type_name(type), object, err);
}

/* --- allocations --- */

static size_t noted;

int client_note_allocations(void **state)
{
    (void)state;
    noted = kin_test_alloc_live();
    return 0;
}

static int64_t real_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool client_await_allocations(size_t n)
{
    int64_t end = real_ms() + KIN_TEST_TIMEOUT_MS;

    while (kin_test_alloc_live() != n && real_ms() < end)
        sched_yield();
    return kin_test_alloc_live() == n;
}

int client_check_allocations(void **state)
{
    (void)state;
    if (client_await_allocations(noted))
        return 0;
    print_error("%zu allocations before, %zu after\n", noted, kin_test_alloc_live());
    return -1;
}

/* --- time --- */

kin_clock *client_fake_clock(void)
{
    kin_clock *clock = NULL;

    assert_code(kin_clock_new_fake(&clock, 0, NULL), 0);
    return clock;
}

void client_advance(kin_clock *clock, size_t waiters, int64_t ms)
{
    assert_code(kin_clock_await_waiters(clock, waiters, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(clock, ms * 1000000, NULL), 0);
}

char *client_long_list(size_t n, size_t stuffing)
{
    size_t size = 256 + n * (stuffing + 128);
    char *text = malloc(size);
    size_t len;

    assert_non_null(text);
    len = (size_t)snprintf(text, size, "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[");
    for (size_t i = 0; i < n; i++) {
        len += (size_t)snprintf(text + len, size - len,
                                "%s{\"metadata\":{\"name\":\"i%zu\"},\"data\":\"", i ? "," : "", i);
        memset(text + len, 'x', stuffing);
        len += stuffing;
        len += (size_t)snprintf(text + len, size - len, "\"}");
    }
    snprintf(text + len, size - len, "],\"metadata\":{\"resourceVersion\":\"9\"}}");
    return text;
}

/* --- asynchronous requests --- */

void client_told_init(client_told *told)
{
    memset(told, 0, sizeof(*told));
    kin_test_latch_init(&told->told);
    kin_test_latch_init(&told->ended);
}

void client_told_done(client_told *told)
{
    kin_test_latch_done(&told->told);
    kin_test_latch_done(&told->ended);
}

static void note(client_told *told, char what)
{
    if (told->n_freed > 0 || (told->n_done > 0 && what != 'f'))
        told->out_of_order = true;
    if (told->hook)
        told->hook(told, what);
}

static int tell_item(const kin_object *object, void *arg, kin_error *err)
{
    client_told *told = arg;
    int code = client_see_item(object, &told->seen, err);

    note(told, 'i');
    kin_test_latch_raise(&told->told);
    return code;
}

static int tell_event(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    client_told *told = arg;
    int code = client_see_event(type, object, &told->seen, err);

    note(told, 'e');
    kin_test_latch_raise(&told->told);
    return code;
}

static void tell_done(const kin_result *result, void *arg)
{
    client_told *told = arg;

    told->code = result->code;
    told->err = *result->err;
    told->has_object = result->object != NULL;
    if (result->object)
        snprintf(told->key, sizeof(told->key), "%s", kin_object_key(result->object));
    if (result->status)
        told->status_code = kin_status_code(result->status);
    note(told, 'd');
    atomic_fetch_add(&told->n_done, 1);
}

static void tell_free(void *arg)
{
    client_told *told = arg;

    note(told, 'f');
    atomic_fetch_add(&told->n_freed, 1);
    kin_test_latch_raise(&told->ended);
}

kin_call_handlers client_told_handlers(client_told *told)
{
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;

    handlers.item = tell_item;
    handlers.event = tell_event;
    handlers.done = tell_done;
    handlers.arg = told;
    handlers.arg_free = tell_free;
    return handlers;
}

kin_call *client_start(client_fixture *f, enum kin_verb verb, client_told *told,
                       const kin_request_options *options)
{
    bool is_all = verb == KIN_VERB_LIST || verb == KIN_VERB_WATCH;
    kin_call_handlers handlers = client_told_handlers(told);
    kin_request request = KIN_REQUEST_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_call *call = NULL;

    request.verb = verb;
    request.resource = f->pods;
    request.namespace_ = is_all ? NULL : "ns";
    request.name = is_all || verb == KIN_VERB_DELETE_COLLECTION ? NULL : "web";
    request.options = options;
    assert_code(kin_client_start(f->client, &call, &request, &handlers, &err), 0);
    return call;
}

void client_assert_ended(client_told *told, int code)
{
    kin_test_latch_wait(&told->ended, 1);
    if (told->code != code)
        print_error("%s\n", told->err.message);
    assert_code(told->code, code);
    assert_int_equal(told->err.code, code);
    assert_int_equal(told->n_done, 1);
    assert_int_equal(told->n_freed, 1);
    assert_false(told->out_of_order);
}
