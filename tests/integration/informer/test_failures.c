/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The error function of an informer is called for each failure of a list or watch, with the operation that failed. On
 * a fake clock, so that the delays between the attempts pass at once.
 */
#include "informer_support.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "latch.h"

struct failure {
    kin_failed_operation operation;
    kin_error err;
    char namespace_[32];
    bool is_watch_error;
    uint64_t watches; /* that had begun */
};

struct fixture {
    informer_fixture base;
    kin_clock *clock;
    kin_client *client;
    kin_informer *informer;
    kin_test_latch failed;
    struct failure failures[32]; /* as many as the latch says */
    unsigned n_seen;
    uint64_t n_watches; /* that had begun when the last failure was reported */
};

static void on_error(kin_informer *informer, const kin_failure *failure, void *arg)
{
    struct fixture *f = arg;
    unsigned n = kin_test_latch_count(&f->failed);
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    struct failure *ret;

    assert_true(n < sizeof(f->failures) / sizeof(f->failures[0]));
    ret = &f->failures[n];
    /* No lock is held. */
    assert_code(kin_informer_get_status(informer, &status, NULL), 0);
    assert_code(status.last_error.code, failure->err->code);
    ret->operation = failure->operation;
    ret->err = *failure->err;
    ret->is_watch_error = failure->is_watch_error;
    ret->watches = status.watches;
    (void)snprintf(ret->namespace_, sizeof(ret->namespace_), "%s",
                   failure->namespace_ ? failure->namespace_ : "");
    kin_test_latch_raise(&f->failed);
}

static void open_all(struct fixture *f, const char *const *namespaces, size_t n)
{
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    kin_informer_options options;

    memset(f, 0, sizeof(*f));
    informer_open(&f->base, NULL, NULL);
    assert_code(kin_clock_new_fake(&f->clock, 0, NULL), 0);
    kin_test_latch_init(&f->failed);
    client.clock = f->clock;
    client.probe_after_ms = -1;
    f->client = informer_client(&f->base, NULL, &client);
    for (size_t i = 0; i < n; i++)
        informer_make_namespace(&f->base, namespaces[i]);
    options = informer_options(&f->base);
    options.namespaces = namespaces;
    options.n_namespaces = n;
    options.no_streaming_list = true;
    options.page_size = 1;
    reflector.backoff_initial_ms = 1;
    reflector.backoff_max_ms = 1;
    reflector.backoff_jitter = -1;
    options.reflector = &reflector;
    options.error = on_error;
    options.error_arg = f;
    assert_code(kin_informer_new(&f->informer, f->client, "configmaps", &options, NULL), 0);
}

static void close_all(struct fixture *f)
{
    kin_informer_free(f->informer);
    kin_client_free(f->client);
    kin_test_latch_done(&f->failed);
    kin_clock_unref(f->clock);
    informer_close(&f->base);
}

static void inject(struct fixture *f, kin_fault_type type, const char *verb, int status,
                   uint32_t skip)
{
    kin_fault fault = KIN_FAULT_INIT(type);

    fault.path = "*/configmaps";
    fault.verb = verb;
    fault.status = status;
    fault.skip = skip;
    assert_code(kin_apiserver_inject(f->base.server, &fault, NULL, NULL), 0);
}

static uint64_t count_watches(struct fixture *f)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    assert_code(kin_informer_get_status(f->informer, &status, NULL), 0);
    return status.watches;
}

/*
 * Lets its delays pass, in steps that are short against all timeouts: while a watch is refused, the state is the same
 * before and after a delay.
 */
static kin_informer_state step(struct fixture *f)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    assert_code(kin_informer_get_status(f->informer, &status, NULL), 0);
    if (status.state == KIN_INFORMER_WAITING)
        assert_code(kin_clock_advance(f->clock, KIN__MILLISECOND, NULL), 0);
    sched_yield();
    return status.state;
}

/* The state of a watch that has failed can still be WATCHING when its failure is reported. */
static void await_watch(struct fixture *f)
{
    while (step(f) != KIN_INFORMER_WATCHING || count_watches(f) <= f->n_watches)
        continue;
}

static const struct failure *await_failure(struct fixture *f, kin_failed_operation operation,
                                           int code, bool is_watch_error)
{
    const struct failure *failure = &f->failures[f->n_seen++];

    while (kin_test_latch_count(&f->failed) < f->n_seen)
        step(f);
    assert_int_equal(failure->operation, operation);
    assert_code(failure->err.code, code);
    assert_int_equal(failure->is_watch_error, is_watch_error);
    f->n_watches = failure->watches;
    return failure;
}

static void each_attempt_is_reported(void **state)
{
    const struct failure *failure;
    kin_fault reset = KIN_FAULT_INIT(KIN_FAULT_RESET);
    kin_fault refuse = KIN_FAULT_INIT(KIN_FAULT_REFUSE);
    char version[32];
    struct fixture f;

    (void)state;
    open_all(&f, NULL, 0);
    informer_put(&f.base, "default", "a", "x", NULL);
    informer_put(&f.base, "default", "b", "x", NULL);
    /* Three lists, then the second page of one without a version, then the first watch. */
    inject(&f, KIN_FAULT_STATUS, "list", 503, 0);
    inject(&f, KIN_FAULT_STATUS, "list", 403, 0);
    inject(&f, KIN_FAULT_STATUS, "list", 410, 0);
    inject(&f, KIN_FAULT_STATUS, "list", 429, 1);
    inject(&f, KIN_FAULT_STATUS, "watch", 429, 0);
    assert_code(kin_informer_start(f.informer, NULL), 0);
    await_failure(&f, KIN_FAILED_LIST, KIN_ESERVER, true);
    await_failure(&f, KIN_FAILED_LIST, KIN_EDENIED, true);
    await_failure(&f, KIN_FAILED_LIST, KIN_EEXPIRED, false);
    failure = await_failure(&f, KIN_FAILED_PAGE, KIN_ESERVER, true);
    assert_int_equal(failure->err.http_status, 429);
    failure = await_failure(&f, KIN_FAILED_WATCH_BEGIN, KIN_ESERVER, false);
    assert_int_equal(failure->err.http_status, 429);

    /* An error event: the version has expired. A list follows. The watch after it meets the next fault. */
    await_watch(&f);
    reset.path = "*/configmaps";
    reset.verb = "watch";
    reset.bytes = 1;
    assert_code(kin_apiserver_inject(f.base.server, &reset, NULL, NULL), 0);
    inject(&f, KIN_FAULT_WATCH_ERROR, NULL, 410, 0);
    informer_put(&f.base, "default", "c", "x", NULL);
    await_failure(&f, KIN_FAILED_WATCH, KIN_EEXPIRED, false);

    /* The connection of that watch is lost with the first byte, and others are refused. */
    await_watch(&f);
    refuse.times = KIN_FAULT_ALWAYS;
    assert_code(kin_apiserver_inject(f.base.server, &refuse, NULL, NULL), 0);
    assert_code(kin_clock_advance(f.clock, 2 * KIN__SECOND, NULL), 0);
    informer_put(&f.base, "default", "lost", "x", version);
    await_failure(&f, KIN_FAILED_WATCH, KIN_ECONNECT, false);
    for (int i = 0; i < 3; i++) {
        failure = await_failure(&f, KIN_FAILED_WATCH_BEGIN, KIN_ECONNECT, false);
        assert_int_equal(failure->err.os_error, ECONNREFUSED);
    }
    assert_code(kin_apiserver_clear_faults(f.base.server, NULL), 0);
    await_watch(&f);
    f.n_seen = kin_test_latch_count(&f.failed); /* others before the faults were cleared */
    informer_await(f.informer, version);

    /* The server ends a watch after its time: not a failure. */
    await_watch(&f);
    inject(&f, KIN_FAULT_WATCH_END, NULL, 0, 1);
    informer_put(&f.base, "default", "d", "x", NULL);
    informer_put(&f.base, "default", "e", "x", version);
    informer_await(f.informer, version);
    await_watch(&f);
    assert_int_equal(kin_test_latch_count(&f.failed), f.n_seen);
    close_all(&f);
}

static void the_namespace_is_named(void **state)
{
    static const char *const namespaces[] = {"one", "two"};
    const struct failure *failure;
    struct fixture f;

    (void)state;
    open_all(&f, namespaces, 2);
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_STATUS);

    fault.path = "*/two/configmaps";
    fault.status = 403;
    assert_code(kin_apiserver_inject(f.base.server, &fault, NULL, NULL), 0);
    assert_code(kin_informer_start(f.informer, NULL), 0);
    failure = await_failure(&f, KIN_FAILED_LIST, KIN_EDENIED, true);
    assert_string_equal(failure->namespace_, "two");
    close_all(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_attempt_is_reported),
        cmocka_unit_test(the_namespace_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
