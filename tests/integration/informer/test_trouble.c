/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes wrong before an informer has synced: who waits is told why, in words that help; it goes on
 * trying, and can be stopped at any moment. On a fake clock, so that nobody waits for it to try again.
 */
#include "informer_support.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "client/client.h"
#include "kinform/list_watch.h"
#include "latch.h"

struct fixture {
    informer_fixture base;
    kin_clock *clock;
    kin_client *client; /* with the clock */
    kin_informer *informer;
    kin_test_latch changes;
};

static void on_changed(kin_informer *informer, void *arg)
{
    struct fixture *f = arg;

    (void)informer;
    kin_test_latch_raise(&f->changes);
}

static void open_server(struct fixture *f, const kin_apiserver_options *server)
{
    memset(f, 0, sizeof(*f));
    informer_open(&f->base, server, NULL);
    assert_code(kin_clock_new_fake(&f->clock, 0, NULL), 0);
    kin_test_latch_init(&f->changes);
}

static void open_client(struct fixture *f, const kin_config_options *config)
{
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;

    client.clock = f->clock;
    client.max_retries = -1;
    f->client = informer_client(&f->base, config, &client);
}

static void open_informer(struct fixture *f, const kin_config_options *config, const char *resource)
{
    kin_informer_options options = informer_options(&f->base);
    kin_error err = KIN_ERROR_INIT;

    open_client(f, config);
    options.changed = on_changed;
    options.changed_arg = f;
    assert_code(kin_informer_new(&f->informer, f->client, resource, &options, &err), 0);
}

static void close_all(struct fixture *f)
{
    kin_informer_free(f->informer);
    kin_client_free(f->client);
    kin_test_latch_done(&f->changes);
    kin_clock_unref(f->clock);
    informer_close(&f->base);
}

static kin_informer_status await_state(struct fixture *f, kin_informer_state state)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    for (;;) {
        unsigned n = kin_test_latch_count(&f->changes);

        assert_code(kin_informer_get_status(f->informer, &status, NULL), 0);
        if (status.state == state)
            return status;
        kin_test_latch_wait(&f->changes, n + 1);
    }
}

/* It waits before it tries again: let that time pass, and wait until it watches. */
static void recover(struct fixture *f)
{
    await_state(f, KIN_INFORMER_WAITING);
    assert_code(kin_clock_advance(f->clock, 61 * KIN__SECOND, NULL), 0);
    await_state(f, KIN_INFORMER_WATCHING);
    assert_code(kin_informer_wait_synced(f->informer, -1, NULL), 0);
}

/* Start it, and compare the reason for which it does not sync. */
static void assert_reason(struct fixture *f, int http_status, const char *message, bool is_for_good)
{
    kin_error err = KIN_ERROR_INIT;
    kin_informer_status status;

    assert_code(kin_informer_start(f->informer, &err), 0);
    status = await_state(f, KIN_INFORMER_WAITING);
    assert_code(kin_informer_wait_synced(f->informer, 0, &err), KIN_ETIMEOUT);
    print_message("%s\n", err.message);
    assert_int_equal(err.http_status, http_status);
    if (!strstr(err.message, message))
        fail_msg("\"%s\" is not in \"%s\"", message, err.message);
    assert_int_equal(status.is_failing_for_good, is_for_good);
    assert_false(status.is_synced);
}

/* --- reasons --- */

static void nobody_knows_us(void **state)
{
    static const kin_apiserver_token token = {"good", "somebody", false};
    kin_apiserver_options server = KIN_APISERVER_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    struct fixture f;

    (void)state;
    server.tokens = &token;
    server.n_tokens = 1;
    open_server(&f, &server);
    config.token = "bad";
    open_informer(&f, &config, "configmaps");
    assert_reason(&f, 401, "Unauthorized", true);
    close_all(&f);
}

static void inject(struct fixture *f, kin_fault_type type, const char *path, int status,
                   uint32_t times)
{
    kin_fault fault = KIN_FAULT_INIT(type);

    fault.path = path;
    fault.status = status;
    fault.times = times;
    assert_code(kin_apiserver_inject(f->base.server, &fault, NULL, NULL), 0);
}

/* Lists are answered with this status for a while. */
static void answered_with(int status, bool is_for_good)
{
    struct fixture f;

    open_server(&f, NULL);
    inject(&f, KIN_FAULT_STATUS, "*/configmaps", status, KIN_FAULT_ALWAYS);
    open_informer(&f, NULL, "configmaps");
    assert_reason(&f, status, "configmaps have not synced: waiting after an error: ", is_for_good);
    assert_code(kin_apiserver_clear_faults(f.base.server, NULL), 0);
    recover(&f);
    close_all(&f);
}

static void we_may_not(void **state)
{
    (void)state;
    answered_with(403, true);
}

static void the_server_fails(void **state)
{
    (void)state;
    answered_with(500, false);
}

static void nobody_listens(void **state)
{
    struct fixture f;

    (void)state;
    open_server(&f, NULL);
    open_informer(&f, NULL, "configmaps");
    kin_apiserver_stop(f.base.server);
    assert_reason(&f, 0, "no connection", false);
    assert_code(kin_apiserver_start(f.base.server, NULL), 0);
    recover(&f);
    close_all(&f);
}

static void the_certificate_is_not_trusted(void **state)
{
    kin_apiserver_options server = KIN_APISERVER_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    struct fixture f;

    (void)state;
    server.tls = true;
    open_server(&f, &server);
    config.server = kin_apiserver_url(f.base.server);
    open_informer(&f, &config, "configmaps");
    assert_reason(&f, 0, "certificate", true);
    close_all(&f);
}

/* --- several namespaces --- */

/* Whether something was logged of the namespace that may not be read. */
static void look_for_one(const kin_log_record *record, void *arg)
{
    for (size_t i = 0; i < record->n_fields; i++) {
        if (strcmp(record->fields[i].key, "reflector") == 0 &&
            kin_str_equal(record->fields[i].value.str, kin_str_of("configmaps/one")))
            atomic_store((atomic_bool *)arg, true);
    }
}

/* One that may not be read, and one whose watch breaks off later, and goes on. */
static void the_worst_of_several_is_told(void **state)
{
    static const char *const namespaces[] = {"one", "two"};
    kin_fault reset = KIN_FAULT_INIT(KIN_FAULT_RESET);
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_informer_options options;
    kin_informer_status status;
    informer_told told;
    struct fixture f;
    atomic_bool is_logged = false;

    (void)state;
    open_server(&f, NULL);
    open_client(&f, NULL);
    for (size_t i = 0; i < 2; i++)
        informer_make_namespace(&f.base, namespaces[i]);
    inject(&f, KIN_FAULT_STATUS, "*/one/configmaps", 403, KIN_FAULT_ALWAYS);
    reset.path = "*/two/configmaps";
    reset.verb = "watch";
    reset.bytes = 1;
    assert_code(kin_apiserver_inject(f.base.server, &reset, NULL, NULL), 0);
    options = informer_options(&f.base);
    options.namespaces = namespaces;
    options.n_namespaces = 2;
    options.no_streaming_list = true;
    /* It may have been refused once or twice below. */
    options.wait_while_refused = true;
    options.changed = on_changed;
    options.changed_arg = &f;
    assert_code(kin_logger_new(&options.logger, KIN_LOG_WARN, look_for_one, &is_logged, NULL, NULL),
                0);
    informer_told_init(&told);
    informer_put(&f.base, "two", "a", "x", NULL);
    assert_code(kin_informer_new(&f.informer, f.client, "configmaps", &options, &err), 0);
    assert_code(kin_informer_add_handler(f.informer, NULL, informer_tell, &told, NULL, &err), 0);
    assert_code(kin_informer_start(f.informer, NULL), 0);
    informer_assert_told(&told, "+two/a");
    /* Else it were too short for a watch, which has begun by now. */
    filter.verb = "watch";
    filter.path = "*/two/configmaps";
    assert_code(
        kin_apiserver_wait_for_request(f.base.server, &filter, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(f.clock, 2 * KIN__SECOND, NULL), 0);
    /* With its first byte the first watch breaks off; it comes by the second. */
    informer_put(&f.base, "two", "b", "x", NULL);
    informer_assert_told(&told, "+two/b");
    status = await_state(&f, KIN_INFORMER_WAITING);
    assert_int_equal(status.last_error.http_status, 403);
    assert_true(status.is_failing_for_good);
    assert_code(kin_informer_wait_synced(f.informer, 0, &err), KIN_ETIMEOUT);
    assert_int_equal(err.http_status, 403);
    assert_string_equal(err.reason, "Forbidden");
    assert_true(atomic_load(&is_logged));
    close_all(&f);
    kin_logger_unref(options.logger);
    informer_told_done(&told);
}

/* One namespace of several that is refused ends the wait for all, and the error is of that one. */
static void one_of_several_is_refused(void **state)
{
    static const char *const namespaces[] = {"one", "two"};
    kin_error err = KIN_ERROR_INIT;
    kin_informer_options options;
    struct fixture f;

    (void)state;
    open_server(&f, NULL);
    open_client(&f, NULL);
    for (size_t i = 0; i < 2; i++)
        informer_make_namespace(&f.base, namespaces[i]);
    inject(&f, KIN_FAULT_STATUS, "*/one/configmaps", 403, KIN_FAULT_ALWAYS);
    inject(&f, KIN_FAULT_STATUS, "*/two/configmaps", 503, KIN_FAULT_ALWAYS);
    options = informer_options(&f.base);
    options.namespaces = namespaces;
    options.n_namespaces = 2;
    options.changed = on_changed;
    options.changed_arg = &f;
    assert_code(kin_informer_new(&f.informer, f.client, "configmaps", &options, &err), 0);
    assert_code(kin_informer_start(f.informer, NULL), 0);
    while (kin_informer_wait_synced(f.informer, 0, &err) == KIN_ETIMEOUT) {
        unsigned n = kin_test_latch_count(&f.changes);

        assert_code(kin_clock_advance(f.clock, 60 * KIN__SECOND, NULL), 0);
        kin_test_latch_wait(&f.changes, n + 1);
    }
    assert_code(kin_informer_wait_synced(f.informer, -1, &err), KIN_EDENIED);
    assert_int_equal(err.http_status, 403);
    assert_string_equal(err.reason, "Forbidden");
    close_all(&f);
}

/* --- names --- */

static void a_resource_comes_later(void **state)
{
    struct fixture f;

    (void)state;
    open_server(&f, NULL);
    open_informer(&f, NULL, "widgets");
    assert_reason(&f, 0, "widgets", true);
    informer_define_widgets(&f.base);
    recover(&f);
    close_all(&f);
}

static void short_names(void **state)
{
    static const char *const names[] = {"cm", "configmap", "configmaps", "wd",
                                        "widgets.shop.example"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct fixture f;

        open_server(&f, NULL);
        informer_define_widgets(&f.base);
        open_informer(&f, NULL, names[i]);
        assert_code(kin_informer_start(f.informer, NULL), 0);
        await_state(&f, KIN_INFORMER_WATCHING);
        assert_code(kin_informer_wait_synced(f.informer, -1, NULL), 0);
        close_all(&f);
    }
}

/* --- stopping --- */

/* Stop or free it while the server says nothing to requests of a path. */
static void stop_while_stalled(const char *path)
{
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    struct fixture f;

    for (int frees = 0; frees < 2; frees++) {
        open_server(&f, NULL);
        inject(&f, KIN_FAULT_STALL, path, 0, KIN_FAULT_ALWAYS);
        open_informer(&f, NULL, "configmaps");
        filter.path = path;
        assert_code(kin_informer_start(f.informer, NULL), 0);
        assert_code(
            kin_apiserver_wait_for_request(f.base.server, &filter, 1, KIN_TEST_TIMEOUT_MS, NULL),
            0);
        if (!frees) {
            kin_informer_stop(f.informer);
            assert_code(kin_informer_wait_stopped(f.informer, -1, NULL), 0);
            assert_code(kin_informer_wait_synced(f.informer, -1, NULL), KIN_ECLOSED);
        }
        close_all(&f);
    }
}

static void it_stops_while_it_resolves(void **state)
{
    (void)state;
    stop_while_stalled("/api*");
}

enum { MANY = 6 };

/* The delay behind a first failure passes at once. */
static void hurry(kin_informer *informer, void *arg)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    kin_informer_get_status(informer, &status, NULL);
    if (status.state == KIN_INFORMER_WAITING)
        kin_clock_advance(arg, 2 * KIN__SECOND, NULL);
}

/* Informers of one client, by names that have to be resolved. */
static void start_many(struct fixture *f, kin_informer *informers[MANY])
{
    kin_informer_options options = informer_options(&f->base);

    options.changed = hurry;
    options.changed_arg = f->clock;
    for (size_t i = 0; i < MANY; i++) {
        assert_code(
            kin_informer_new(&informers[i], f->client, i % 2 ? "pods" : "cm", &options, NULL), 0);
        assert_code(kin_informer_start(informers[i], NULL), 0);
    }
}

/* However many there are: what waits for a silent server takes one worker of the client, not all. */
static void many_stop_while_they_resolve(void **state)
{
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    kin_informer *informers[MANY] = {NULL};
    struct fixture f;

    (void)state;
    open_server(&f, NULL);
    inject(&f, KIN_FAULT_STALL, "/api*", 0, KIN_FAULT_ALWAYS);
    open_informer(&f, NULL, "configmaps");
    start_many(&f, informers);
    filter.path = "/api*";
    assert_code(
        kin_apiserver_wait_for_request(f.base.server, &filter, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    for (size_t i = 0; i < MANY; i++)
        kin_informer_stop(informers[i]);
    for (size_t i = 0; i < MANY; i++)
        assert_code(kin_informer_wait_stopped(informers[i], -1, NULL), 0);
    for (size_t i = 0; i < MANY; i++)
        kin_informer_free(informers[i]);
    close_all(&f);
}

/* What one of them learns, all of them learn: a failure, too. */
static void many_share_an_answer(void **state)
{
    kin_informer *informers[MANY] = {NULL};
    struct fixture f;

    (void)state;
    open_server(&f, NULL);
    inject(&f, KIN_FAULT_STATUS, "/api", 503, 1);
    open_informer(&f, NULL, "configmaps");
    start_many(&f, informers);
    for (size_t i = 0; i < MANY; i++)
        assert_code(kin_informer_wait_synced(informers[i], -1, NULL), 0);
    for (size_t i = 0; i < MANY; i++)
        kin_informer_free(informers[i]);
    close_all(&f);
}

static void it_stops_while_it_lists(void **state)
{
    (void)state;
    stop_while_stalled("*/configmaps");
}

/* --- lists of what is known by a name --- */

struct listing {
    kin_list_watch *source;
    kin_operation *operation;
    kin_test_latch ended;
    int code;
};

static int on_item(const kin_object *object, void *arg, kin_error *err)
{
    (void)object;
    (void)arg;
    (void)err;
    return 0;
}

static void on_done(const kin_result *result, void *arg)
{
    struct listing *listing = arg;

    listing->code = result->code;
    kin_test_latch_raise(&listing->ended);
}

static void list_by_name(struct fixture *f, struct listing *listing, const char *name)
{
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;

    kin_test_latch_init(&listing->ended);
    handlers.item = on_item;
    handlers.done = on_done;
    handlers.arg = listing;
    assert_code(kin_client_list_watch_by_name(f->client, &listing->source, name, NULL, NULL), 0);
    assert_code(kin_list_watch_list(listing->source, &listing->operation, NULL, &handlers, NULL),
                0);
}

static void assert_ends(struct listing *listing, int code)
{
    kin_test_latch_wait(&listing->ended, 1);
    assert_int_equal(listing->code, code);
    kin_operation_release(listing->operation);
    kin_list_watch_unref(listing->source);
    kin_test_latch_done(&listing->ended);
}

static bool note_id(const kin_request_record *record, void *arg)
{
    *(uint64_t *)arg = record->id;
    return true;
}

/* A server that says nothing when it is asked what it has, and one who has asked. */
static void open_silent(struct fixture *f, struct listing *asking, const char *name)
{
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;

    inject(f, KIN_FAULT_STALL, "/api", 0, KIN_FAULT_ALWAYS);
    assert_code(kin_apiserver_requests(f->base.server, &filter, note_id, &filter.after_id, NULL),
                0);
    list_by_name(f, asking, name);
    filter.path = "/api";
    assert_code(
        kin_apiserver_wait_for_request(f->base.server, &filter, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
}

static void close_silent(struct fixture *f, struct listing *asking)
{
    kin_client_free(f->client);
    f->client = NULL;
    assert_ends(asking, KIN_ECANCELED);
    close_all(f);
}

/* Who asks for a name that nobody knows does not hold up those whose names are known. */
static void what_is_known_waits_for_nobody(void **state)
{
    kin_resource *maps;
    struct listing asking;
    struct listing known;
    struct fixture f;

    (void)state;
    open_server(&f, NULL);
    open_client(&f, NULL);
    assert_code(kin_client_resolve(f.client, &maps, "configmaps", NULL), 0);
    kin_resource_unref(maps);
    /* Or a name that is missing would not be asked for again. */
    assert_code(kin_clock_advance(f.clock, 6 * KIN__SECOND, NULL), 0);
    open_silent(&f, &asking, "widgets");
    list_by_name(&f, &known, "cm");
    assert_ends(&known, 0);
    close_silent(&f, &asking);
}

static unsigned count_parked(kin_client *client)
{
    unsigned n = 0;

    kin__mutex_lock(&client->lock);
    kin__list_for_each(&client->parked, node) {
        n++;
    }
    kin__mutex_unlock(&client->lock);
    return n;
}

/* Nor does a silent server hold up who does not want to know any more. */
static void who_waits_for_another_can_be_cancelled(void **state)
{
    enum { N = 4 };
    struct listing waiting[N];
    struct listing asking;
    struct fixture f;

    (void)state;
    open_server(&f, NULL);
    open_client(&f, NULL);
    open_silent(&f, &asking, "configmaps");
    for (size_t i = 0; i < N; i++)
        list_by_name(&f, &waiting[i], "pods");
    while (count_parked(f.client) < N)
        sched_yield();
    for (size_t i = 0; i < N; i++)
        kin_operation_cancel(waiting[i].operation);
    for (size_t i = 0; i < N; i++)
        assert_ends(&waiting[i], KIN_ECANCELED);
    close_silent(&f, &asking);
}

/* Who has cancelled is told that, and not what else has failed meanwhile. */
static void who_asks_can_be_cancelled(void **state)
{
    struct listing asking;
    struct fixture f;

    (void)state;
    open_server(&f, NULL);
    open_client(&f, NULL);
    open_silent(&f, &asking, "configmaps");
    kin_operation_cancel(asking.operation);
    /* Its question is everybody's, and goes on until it has taken too long. */
    assert_code(kin_clock_advance(f.clock, 61 * KIN__SECOND, NULL), 0);
    assert_ends(&asking, KIN_ECANCELED);
    close_all(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_knows_us),
        cmocka_unit_test(we_may_not),
        cmocka_unit_test(the_server_fails),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(the_certificate_is_not_trusted),
        cmocka_unit_test(the_worst_of_several_is_told),
        cmocka_unit_test(one_of_several_is_refused),
        cmocka_unit_test(a_resource_comes_later),
        cmocka_unit_test(short_names),
        cmocka_unit_test(it_stops_while_it_resolves),
        cmocka_unit_test(many_stop_while_they_resolve),
        cmocka_unit_test(many_share_an_answer),
        cmocka_unit_test(it_stops_while_it_lists),
        cmocka_unit_test(what_is_known_waits_for_nobody),
        cmocka_unit_test(who_waits_for_another_can_be_cancelled),
        cmocka_unit_test(who_asks_can_be_cancelled),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
