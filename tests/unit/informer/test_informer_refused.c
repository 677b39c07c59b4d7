/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for the sync of an informer whose server refuses it: with 401, 403 or because of TLS. Two refusals in a row
 * end them, unless the options say otherwise.
 */
#include "informer_support.h"

#include <string.h>

#include "base/compiler.h"
#include "kinform/controller.h"

static const kin_test_failure_of forbidden = {
    .code = KIN_EDENIED, .http_status = 403, .reason = "Forbidden", .message = "no pods for you"};
static const kin_test_failure_of unknown = {
    .code = KIN_EDENIED, .http_status = 401, .reason = "Unauthorized", .message = "who are you"};
static const kin_test_failure_of untrusted = {.code = KIN_ETLS, .message = "a strange certificate"};
static const kin_test_failure_of missing = {
    .code = KIN_ENOTFOUND, .http_status = 404, .reason = "NotFound", .message = "no such resource"};
static const kin_test_failure_of broken = {
    .code = KIN_ESERVER, .http_status = 503, .message = "not now"};

/* The n-th list, from 0, fails; the informer backs off. */
static void fail_list(kin_test_stage *stage, size_t n, const kin_test_failure_of *failure)
{
    kin_test_pull_fail(kin_test_source_await(stage->source, n), failure, false);
    kin_test_await_informer(stage, KIN_INFORMER_WAITING);
}

/* Long enough for any delay. */
static void retry(kin_test_stage *stage)
{
    kin_test_advance(stage, 60);
}

static void assert_synced_with(kin_test_stage *stage, int code)
{
    assert_code(kin_informer_wait_synced(stage->informer, 0, NULL), code);
    assert_code(kin_registration_wait_synced(stage->registration, 0, NULL), code);
}

/* --- what ends a wait --- */

static void assert_two_end_it(const kin_test_failure_of *first, const kin_test_failure_of *second)
{
    kin_test_stage *stage = kin_test_stage_with(NULL);
    kin_error err = KIN_ERROR_INIT;

    kin_test_add_handler(stage, NULL);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    fail_list(stage, 0, first);
    assert_synced_with(stage, KIN_ETIMEOUT);
    retry(stage);
    kin_test_pull_fail(kin_test_source_await(stage->source, 1), second, false);
    /* Without a limit: the refusals end them. */
    assert_code(kin_informer_wait_synced(stage->informer, -1, &err), second->code);
    assert_int_equal(err.http_status, second->http_status);
    assert_non_null(strstr(err.message, second->message));
    assert_string_equal(err.reason, second->reason ? second->reason : "");
    err = (kin_error)KIN_ERROR_INIT;
    assert_code(kin_registration_wait_synced(stage->registration, -1, &err), second->code);
    assert_int_equal(err.http_status, second->http_status);
    assert_non_null(strstr(err.message, second->message));
    /* The informer goes on, and what comes then is waited for as ever. */
    retry(stage);
    kin_test_pull_list(kin_test_source_await(stage->source, 2), "5", "a:1");
    kin_test_await_informer(stage, KIN_INFORMER_WATCHING);
    assert_code(kin_informer_wait_synced(stage->informer, -1, NULL), 0);
    assert_code(kin_registration_wait_synced(stage->registration, -1, NULL), 0);
    assert_synced_with(stage, 0);
    kin_test_stage_free(stage);
}

static void two_refusals_end_a_wait(void **context)
{
    (void)context;
    assert_two_end_it(&forbidden, &forbidden);
    assert_two_end_it(&unknown, &unknown);
    assert_two_end_it(&untrusted, &untrusted);
    assert_two_end_it(&unknown, &forbidden);
}

/* --- what does not --- */

static void assert_waits_on(const kin_test_failure_of *const *failures, size_t n)
{
    kin_test_stage *stage = kin_test_stage_with(NULL);

    kin_test_add_handler(stage, NULL);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        fail_list(stage, i, failures[i]);
        assert_synced_with(stage, KIN_ETIMEOUT);
        retry(stage);
    }
    kin_test_pull_list(kin_test_source_await(stage->source, n), "5", "a:1");
    assert_code(kin_registration_wait_synced(stage->registration, -1, NULL), 0);
    kin_test_stage_free(stage);
}

static void other_failures_do_not(void **context)
{
    static const kin_test_failure_of *const not_found[] = {&missing, &missing, &missing};
    static const kin_test_failure_of *const mixed[] = {&forbidden, &broken, &forbidden, &missing,
                                                       &untrusted};

    (void)context;
    assert_waits_on(not_found, kin__array_len(not_found));
    assert_waits_on(mixed, kin__array_len(mixed));
}

static void callers_can_keep_waiting(void **context)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_test_stage *stage;

    (void)context;
    options.wait_while_refused = true;
    stage = kin_test_stage_with(&options);
    kin_test_add_handler(stage, NULL);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    for (size_t i = 0; i < 4; i++) {
        fail_list(stage, i, &forbidden);
        assert_synced_with(stage, KIN_ETIMEOUT);
        retry(stage);
    }
    kin_test_pull_list(kin_test_source_await(stage->source, 4), "5", "a:1");
    assert_code(kin_registration_wait_synced(stage->registration, -1, NULL), 0);
    kin_test_stage_free(stage);
}

/* A restart forgets refusals: the user may have fixed the cause meanwhile. */
static void a_stop_forgets_refusals(void **context)
{
    kin_test_stage *stage = kin_test_stage_with(NULL);

    (void)context;
    kin_test_add_handler(stage, NULL);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    fail_list(stage, 0, &forbidden);
    retry(stage);
    fail_list(stage, 1, &forbidden);
    /* The strand passes it on to handlers. */
    assert_code(kin_registration_wait_synced(stage->registration, -1, NULL), KIN_EDENIED);
    assert_synced_with(stage, KIN_EDENIED);
    kin_informer_stop(stage->informer);
    assert_code(kin_informer_wait_stopped(stage->informer, -1, NULL), 0);
    assert_synced_with(stage, KIN_ECLOSED);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    assert_synced_with(stage, KIN_ETIMEOUT);
    fail_list(stage, 2, &forbidden);
    assert_synced_with(stage, KIN_ETIMEOUT);
    kin_test_stage_free(stage);
}

/* Of an informer that was synced before, nobody waits for the first list. */
static void one_that_was_synced_stays_so(void **context)
{
    static const kin_test_failure_of expired = {
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired", .message = "too old"};
    kin_test_stage *stage = kin_test_stage_with(NULL);
    kin_test_pull *watch;

    (void)context;
    kin_test_add_handler(stage, NULL);
    watch = kin_test_start(stage, "5", "a:1");
    assert_code(kin_registration_wait_synced(stage->registration, -1, NULL), 0);
    kin_test_pull_error_event(watch, &expired);
    kin_test_await_informer(stage, KIN_INFORMER_WAITING);
    retry(stage);
    fail_list(stage, 2, &forbidden);
    retry(stage);
    fail_list(stage, 3, &forbidden);
    assert_synced_with(stage, 0);
    kin_test_stage_free(stage);
}

/* --- controllers --- */

/* The second refusal ends the wait of a plain informer, that is of a controller. */
static void plain(bool keeps_waiting)
{
    kin_plain_informer_options options = KIN_PLAIN_INFORMER_OPTIONS_INIT;
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    kin_test_source *source = kin_test_source_new(false);
    kin_clock *clock = NULL;
    kin_controller *controller = NULL;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_clock_new_fake(&clock, 0, NULL), 0);
    reflector.clock = clock;
    options.reflector = &reflector;
    options.wait_while_refused = keeps_waiting;
    assert_code(kin_controller_new_informer(&controller, NULL, kin_test_source_list_watch(source),
                                            NULL, NULL, &options, &err),
                0);
    assert_code(kin_controller_start(controller, NULL), 0);
    kin_test_pull_fail(kin_test_source_await(source, 0), &forbidden, false);
    assert_code(kin_clock_await_waiters(clock, 1, -1, NULL), 0);
    assert_code(kin_controller_wait_synced(controller, 0, NULL), KIN_ETIMEOUT);
    assert_code(kin_clock_advance(clock, INT64_C(60000000000), NULL), 0);
    kin_test_pull_fail(kin_test_source_await(source, 1), &forbidden, false);
    if (keeps_waiting) {
        assert_code(kin_clock_await_waiters(clock, 1, -1, NULL), 0);
        assert_code(kin_controller_wait_synced(controller, 0, &err), KIN_ETIMEOUT);
    } else {
        assert_code(kin_controller_wait_synced(controller, -1, &err), KIN_EDENIED);
    }
    assert_int_equal(err.http_status, 403);
    assert_non_null(strstr(err.message, "no pods for you"));
    kin_controller_free(controller);
    kin_test_source_free(source);
    kin_clock_unref(clock);
}

static void controllers_wait_likewise(void **context)
{
    (void)context;
    plain(false);
    plain(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_refusals_end_a_wait),      cmocka_unit_test(other_failures_do_not),
        cmocka_unit_test(callers_can_keep_waiting),     cmocka_unit_test(a_stop_forgets_refusals),
        cmocka_unit_test(one_that_was_synced_stays_so), cmocka_unit_test(controllers_wait_likewise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
