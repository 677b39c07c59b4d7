/* SPDX-License-Identifier: Apache-2.0 */
#include "kin_test.h"

#include <pthread.h>
#include <string.h>

#include "alloc.h"
#include "apiserver/http/request_log.h"
#include "base/clock.h"
#include "oom.h"

static kin__request_log *requests;
static kin_clock *timepiece;

static int start(void **state)
{
    (void)state;
    assert_code(kin_clock_new_fake(&timepiece, 1000 * KIN__SECOND, NULL), 0);
    assert_code(kin__request_log_new(&requests, 4, timepiece, NULL), 0);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    kin__request_log_free(requests);
    kin_clock_unref(timepiece);
    return 0;
}

static uint64_t add(const char *verb, const char *path)
{
    const kin__logged_request request = {.method = kin_str_of("GET"),
                                         .path = kin_str_of(path),
                                         .query = kin_str_of("q=1"),
                                         .verb = verb,
                                         .caller = "jane",
                                         .fault = 7};

    return kin__request_log_add(requests, &request);
}

struct seen {
    size_t n;
    kin_request_record last;
    char path[4096];
    uint64_t first_id;
    size_t max;
};

static bool see(const kin_request_record *record, void *arg)
{
    struct seen *seen = arg;

    if (seen->n++ == 0)
        seen->first_id = record->id;
    seen->last = *record;
    snprintf(seen->path, sizeof(seen->path), "%s", record->path);
    return seen->max == 0 || seen->n < seen->max;
}

static struct seen visit(const kin_request_filter *filter)
{
    struct seen seen = {0};

    assert_code(kin__request_log_visit(requests, filter, see, &seen, NULL), 0);
    return seen;
}

static void test_record(void **state)
{
    (void)state;
    uint64_t id = add("list", "/api/v1/pods");
    struct seen seen = visit(NULL);
    assert_int_equal(seen.n, 1);
    assert_int_equal(seen.last.id, id);
    assert_int_equal(seen.last.unix_ns, 1000 * KIN__SECOND);
    assert_int_equal(seen.last.phase, KIN_REQUEST_RECEIVED);
    assert_int_equal(seen.last.fault, 7);
    assert_string_equal(seen.last.verb, "list");
    assert_string_equal(seen.path, "/api/v1/pods");
    kin_clock_advance(timepiece, 5, NULL);
    kin__request_log_answered(requests, id, 200);
    seen = visit(NULL);
    assert_int_equal(seen.last.status, 200);
    assert_int_equal(seen.last.phase, KIN_REQUEST_ANSWERED);
    assert_int_equal(seen.last.duration_ns, 5);
    kin__request_log_ended(requests, id, 123);
    kin_clock_advance(timepiece, 5, NULL);
    seen = visit(NULL);
    assert_int_equal(seen.last.phase, KIN_REQUEST_ENDED);
    assert_int_equal(seen.last.duration_ns, 5);
    assert_int_equal(seen.last.body_bytes, 123);
}

static void test_the_oldest_goes(void **state)
{
    (void)state;
    uint64_t first = add("get", "/0");
    for (int i = 1; i < 10; i++)
        add("get", "/n");
    kin__request_log_answered(requests, first, 200); /* which is not there any more */
    kin__request_log_ended(requests, first, 1);
    struct seen seen = visit(NULL);
    assert_int_equal(seen.n, 4);
    assert_int_equal(seen.first_id, 7);
    assert_int_equal(seen.last.id, 10);
    assert_int_equal(seen.last.status, 0);
}

static void test_filter(void **state)
{
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;

    (void)state;
    add("list", "/api/v1/pods");
    uint64_t watch = add("watch", "/api/v1/pods");
    add("get", "/version");
    kin__request_log_answered(requests, watch, 410);
    filter.path = "/api/*";
    assert_int_equal(visit(&filter).n, 2);
    filter.verb = "watch";
    assert_int_equal(visit(&filter).n, 1);
    filter.status = 200;
    assert_int_equal(visit(&filter).n, 0);
    filter.status = 410;
    filter.query = "q=?";
    filter.phase = KIN_REQUEST_ANSWERED;
    assert_int_equal(visit(&filter).n, 1);
    filter.phase = KIN_REQUEST_ENDED;
    assert_int_equal(visit(&filter).n, 0);
    filter = (kin_request_filter)KIN_REQUEST_FILTER_INIT;
    filter.after_id = watch;
    assert_int_equal(visit(&filter).n, 1);
    filter.size = 0;
    assert_code(kin__request_log_wait(requests, &filter, 1, 0, NULL), KIN_EINVAL);
}

static void test_stop_early(void **state)
{
    struct seen seen = {.max = 2};

    (void)state;
    for (int i = 0; i < 4; i++)
        add("get", "/n");
    assert_code(kin__request_log_visit(requests, NULL, see, &seen, NULL), 0);
    assert_int_equal(seen.n, 2);
}

static void *add_two(void *arg)
{
    (void)arg;
    add("get", "/a");
    uint64_t id = add("get", "/b");
    kin__request_log_answered(requests, id, 200);
    return NULL;
}

static void test_wait(void **state)
{
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    pthread_t thread;

    (void)state;
    assert_code(kin__request_log_wait(requests, NULL, 0, 0, NULL), 0);
    assert_code(kin__request_log_wait(requests, NULL, 1, 0, NULL), KIN_ETIMEOUT);
    assert_code(kin__request_log_wait(requests, NULL, 1, 5, NULL), KIN_ETIMEOUT);
    assert_code(kin__request_log_wait(requests, NULL, 1000, -1, NULL), KIN_EINVAL);
    assert_int_equal(pthread_create(&thread, NULL, add_two, NULL), 0);
    filter.status = 200;
    assert_code(kin__request_log_wait(requests, &filter, 1, -1, NULL), 0);
    assert_code(kin__request_log_wait(requests, NULL, 2, KIN_TEST_TIMEOUT_MS, NULL), 0);
    pthread_join(thread, NULL);
}

static void test_json(void **state)
{
    kin__buf out;

    (void)state;
    add("get", "/a\"\xff\x01");
    add("get", "/b");
    kin__buf_init(&out, 1 << 20);
    kin__request_log_write(requests, &out);
    assert_int_equal(out.failed, 0);
    assert_non_null(strstr(out.data, "\"path\":\"/a\\\"??\""));
    assert_non_null(strstr(out.data, "},{\"id\":2,"));
    assert_non_null(strstr(out.data, "\"caller\":\"jane\"}]}\n"));
    kin__buf_done(&out);
}

static void test_long_texts_are_cut(void **state)
{
    char path[5000];

    (void)state;
    memset(path, 'x', sizeof(path));
    path[sizeof(path) - 1] = '\0';
    add("get", path);
    assert_int_equal(strlen(visit(NULL).path), 2048);
}

static int use(void *arg, kin_error *err)
{
    kin__request_log *log = NULL;
    struct seen seen = {0};
    const kin__logged_request request = {.path = kin_str_of("/"), .verb = "get", .caller = "x"};
    int code = kin__request_log_new(&log, 2, kin_clock_system(), err);

    (void)arg;
    if (code < 0)
        return code;
    uint64_t id = kin__request_log_add(log, &request);
    kin__request_log_ended(log, id, 1); /* also where it was not remembered */
    code = kin__request_log_visit(log, NULL, see, &seen, err);
    kin__request_log_free(log);
    return code;
}

static void test_no_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(use, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_record, start, stop),
        cmocka_unit_test_setup_teardown(test_the_oldest_goes, start, stop),
        cmocka_unit_test_setup_teardown(test_filter, start, stop),
        cmocka_unit_test_setup_teardown(test_stop_early, start, stop),
        cmocka_unit_test_setup_teardown(test_wait, start, stop),
        cmocka_unit_test_setup_teardown(test_json, start, stop),
        cmocka_unit_test_setup_teardown(test_long_texts_are_cut, start, stop),
        cmocka_unit_test(test_no_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
