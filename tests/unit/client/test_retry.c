/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which requests are sent again, and when; attempts after conflicts.
 */
#include "kin_test.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "client/retry.h"
#include "kinform/retry.h"

static const enum kin_verb reads[] = {KIN_VERB_GET, KIN_VERB_LIST};
static const enum kin_verb writes[] = {KIN_VERB_CREATE, KIN_VERB_UPDATE, KIN_VERB_PATCH,
                                       KIN_VERB_DELETE, KIN_VERB_DELETE_COLLECTION};

static int64_t after_answer(enum kin_verb verb, int http_status, int64_t retry_after_ms)
{
    return kin__retry_delay_ns(&(kin__attempt){.verb = verb,
                                               .max_retries = 10,
                                               .http_status = http_status,
                                               .retry_after_ms = retry_after_ms,
                                               .was_sent = true});
}

static int64_t after_failure(enum kin_verb verb, int code, bool was_sent)
{
    return kin__retry_delay_ns(&(kin__attempt){
        .verb = verb, .max_retries = 10, .code = code, .retry_after_ms = -1, .was_sent = was_sent});
}

static void comes_back_when_the_server_says(void **state)
{
    static const int may_pass[] = {429, 500, 502, 503, 504, 599};
    static const int final[] = {200, 301, 400, 401, 403, 404, 409, 410, 422};

    (void)state;
    for (int verb = KIN_VERB_GET; verb <= KIN_VERB_DELETE_COLLECTION; verb++) {
        for (size_t i = 0; i < kin__array_len(may_pass); i++) {
            assert_int_equal(after_answer((enum kin_verb)verb, may_pass[i], 2000), 2 * KIN__SECOND);
            assert_int_equal(after_answer((enum kin_verb)verb, may_pass[i], 0), 0);
            assert_int_equal(after_answer((enum kin_verb)verb, may_pass[i], -1), -1);
        }
        for (size_t i = 0; i < kin__array_len(final); i++)
            assert_int_equal(after_answer((enum kin_verb)verb, final[i], 2000), -1);
    }
    assert_int_equal(after_answer(KIN_VERB_GET, 503, INT64_MAX), INT64_MAX);
    assert_int_equal(after_answer(KIN_VERB_GET, 503, INT64_MAX / KIN__MILLISECOND),
                     INT64_MAX / KIN__MILLISECOND * KIN__MILLISECOND);
}

static void asks_again_when_a_connection_was_lost(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(reads); i++) {
        assert_int_equal(after_failure(reads[i], KIN_ECONNECT, true), KIN__SECOND);
        assert_int_equal(after_failure(reads[i], KIN_ECONNECT, false), -1);
        assert_int_equal(after_failure(reads[i], KIN_ETIMEOUT, true), -1);
    }
    for (size_t i = 0; i < kin__array_len(writes); i++) {
        assert_int_equal(after_failure(writes[i], KIN_ECONNECT, true), -1);
        assert_int_equal(after_failure(writes[i], KIN_ECONNECT, false), -1);
    }
    assert_int_equal(after_failure(KIN_VERB_WATCH, KIN_ECONNECT, true), KIN__SECOND);
    assert_int_equal(after_failure(KIN_VERB_WATCH, KIN_ETIMEOUT, true), KIN__SECOND);
    assert_int_equal(after_failure(KIN_VERB_WATCH, KIN_ECONNECT, false), -1);
}

static void does_not_repeat_what_cannot_change(void **state)
{
    static const int codes[] = {KIN_ECANCELED, KIN_ETLS,    KIN_EPROTOCOL, KIN_ELIMIT,
                                KIN_ENOMEM,    KIN_EDENIED, KIN_ESYSTEM,   KIN_ECLOSED};

    (void)state;
    for (int verb = KIN_VERB_GET; verb <= KIN_VERB_DELETE_COLLECTION; verb++) {
        for (size_t i = 0; i < kin__array_len(codes); i++)
            assert_int_equal(after_failure((enum kin_verb)verb, codes[i], true), -1);
    }
}

static void has_an_end(void **state)
{
    kin__attempt attempt = {.verb = KIN_VERB_GET,
                            .max_retries = kin__retry_max(0),
                            .http_status = 503,
                            .retry_after_ms = 1000};

    (void)state;
    for (attempt.retries = 0; attempt.retries < 10; attempt.retries++)
        assert_int_equal(kin__retry_delay_ns(&attempt), KIN__SECOND);
    assert_int_equal(kin__retry_delay_ns(&attempt), -1);
    attempt.retries = 0;
    attempt.max_retries = kin__retry_max(-1);
    assert_int_equal(kin__retry_delay_ns(&attempt), -1);
    assert_int_equal(kin__retry_max(3), 3);
}

/* --- conflicts --- */

/* Attempts that end with these codes, the last one again and again. */
struct script {
    const int *codes;
    size_t n;
    size_t calls;
    kin_clock *clock;
    int64_t times[16];
};

static int attempt(void *arg, kin_error *err)
{
    struct script *script = arg;
    size_t i = script->calls < script->n ? script->calls : script->n - 1;

    assert_int_equal(err->code, 0);
    script->times[script->calls++] = kin_clock_now(script->clock);
    if (script->codes[i] < 0)
        kin_error_set(err, script->codes[i], "attempt %zu", script->calls);
    return script->codes[i];
}

/* Runs it in a thread of its own, so that the test can move the clock. */
struct run {
    struct script script;
    kin_retry_options options;
    kin_error err;
    int code;
    pthread_t thread;
};

static void *run_thread(void *arg)
{
    struct run *run = arg;

    run->code = kin_retry_on_conflict(attempt, &run->script, &run->options, &run->err);
    return NULL;
}

static void run_begin(struct run *run, const int *codes, size_t n)
{
    static const kin_retry_options options = KIN_RETRY_OPTIONS_INIT;
    static const kin_error err = KIN_ERROR_INIT;

    memset(run, 0, sizeof(*run));
    run->options = options;
    run->err = err;
    run->script.codes = codes;
    run->script.n = n;
    assert_code(kin_clock_new_fake(&run->script.clock, 0, NULL), 0);
    run->options.clock = run->script.clock;
}

/* `waits` times somebody waits; then it ends. */
static void run_all(struct run *run, const int64_t *waits_ns, size_t n)
{
    assert_int_equal(pthread_create(&run->thread, NULL, run_thread, run), 0);
    for (size_t i = 0; i < n; i++) {
        assert_code(kin_clock_await_waiters(run->script.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
        assert_code(kin_clock_advance(run->script.clock, waits_ns[i], NULL), 0);
    }
    pthread_join(run->thread, NULL);
    kin_clock_unref(run->script.clock);
}

static void ends_with_the_first_success(void **state)
{
    static const int codes[] = {KIN_ECONFLICT, KIN_ECONFLICT, 0};
    const int64_t waits[] = {11 * KIN__MILLISECOND, 11 * KIN__MILLISECOND};
    struct run run;

    (void)state;
    run_begin(&run, codes, 3);
    run_all(&run, waits, 2);
    assert_code(run.code, 0);
    assert_int_equal(run.script.calls, 3);
    assert_int_equal(run.err.code, 0);
}

static void gives_up_after_five(void **state)
{
    static const int codes[] = {KIN_ECONFLICT};
    const int64_t waits[] = {11 * KIN__MILLISECOND, 11 * KIN__MILLISECOND, 11 * KIN__MILLISECOND,
                             11 * KIN__MILLISECOND};
    struct run run;

    (void)state;
    run_begin(&run, codes, 1);
    run_all(&run, waits, 4);
    assert_code(run.code, KIN_ECONFLICT);
    assert_int_equal(run.script.calls, 5);
    assert_string_equal(run.err.message, "attempt 5");
}

static void passes_other_failures_on(void **state)
{
    static const int codes[] = {KIN_ECONFLICT, KIN_ENOTFOUND};
    const int64_t waits[] = {11 * KIN__MILLISECOND};
    struct run run;

    (void)state;
    run_begin(&run, codes, 2);
    run_all(&run, waits, 1);
    assert_code(run.code, KIN_ENOTFOUND);
    assert_int_equal(run.script.calls, 2);
    assert_string_equal(run.err.message, "attempt 2");
}

/* A nanosecond less than the delay and it still waits: so the delays are exact. */
static void waits_as_it_is_told(void **state)
{
    static const int codes[] = {KIN_ECONFLICT};
    const int64_t waits[] = {20 * KIN__MILLISECOND - 1,  1, 60 * KIN__MILLISECOND - 1, 1,
                             100 * KIN__MILLISECOND - 1, 1};
    struct run run;

    (void)state;
    run_begin(&run, codes, 1);
    run.options.attempts = 4;
    run.options.delay_ms = 20;
    run.options.factor = 3;
    run.options.jitter = -1;
    run.options.max_delay_ms = 100;
    run_all(&run, waits, kin__array_len(waits));
    assert_code(run.code, KIN_ECONFLICT);
    assert_int_equal(run.script.calls, 4);
    assert_int_equal(run.script.times[3] - run.script.times[0], 180 * KIN__MILLISECOND);
}

static void spreads_delays(void **state)
{
    static const int codes[] = {KIN_ECONFLICT};
    const int64_t waits[] = {10 * KIN__MILLISECOND - 1, KIN__MILLISECOND + 1};
    struct run run;

    (void)state;
    run_begin(&run, codes, 1);
    run.options.attempts = 2;
    run_all(&run, waits, 2);
    assert_int_equal(run.script.calls, 2);
}

static void refuses_options_that_make_no_sense(void **state)
{
    static const int codes[] = {0};
    struct script script = {.codes = codes, .n = 1, .clock = kin_clock_system()};
    const kin_retry_options size = KIN_RETRY_OPTIONS_INIT;
    kin_retry_options wrong[] = {size, size, size, size, size, {0}};

    (void)state;
    wrong[0].attempts = -1;
    wrong[1].delay_ms = -1;
    wrong[2].max_delay_ms = -1;
    wrong[3].factor = NAN;
    wrong[4].jitter = NAN;
    for (size_t i = 0; i < kin__array_len(wrong); i++) {
        kin_error err = KIN_ERROR_INIT;

        assert_code(kin_retry_on_conflict(attempt, &script, &wrong[i], &err), KIN_EINVAL);
        assert_int_equal(err.code, KIN_EINVAL);
    }
    assert_code(kin_retry_on_conflict(NULL, &script, NULL, NULL), KIN_EINVAL);
    assert_int_equal(script.calls, 0);
    assert_code(kin_retry_on_conflict(attempt, &script, NULL, NULL), 0);
    assert_int_equal(script.calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back_when_the_server_says),
        cmocka_unit_test(asks_again_when_a_connection_was_lost),
        cmocka_unit_test(does_not_repeat_what_cannot_change),
        cmocka_unit_test(has_an_end),
        cmocka_unit_test(ends_with_the_first_success),
        cmocka_unit_test(gives_up_after_five),
        cmocka_unit_test(passes_other_failures_on),
        cmocka_unit_test(waits_as_it_is_told),
        cmocka_unit_test(spreads_delays),
        cmocka_unit_test(refuses_options_that_make_no_sense),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
