/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that is restarted, compacted or rewound while it is watched, in C and by its control
 * endpoint: what breaks off, what stays, and what is forgotten.
 */
#include "kin_test.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "fault_support.h"
#include "folder.h"
#include "server_support.h"

#define FROM_5 "GET " MAPS "?watch=true&resourceVersion=5"

static fault_fixture f;

/* A watch that has told all there is. */
static int open_watch(const char *line, const char *until)
{
    int fd = fault_connect(&f);

    fault_send(fd, line);
    free(raw_read_until(fd, until));
    return fd;
}

/* What a watch tells until it breaks off or ends. */
static char *rest_of(int fd)
{
    char *rest = NULL;

    raw_read_all(fd, &rest);
    close(fd);
    return rest;
}

static void restart(bool forget)
{
    if (!f.by_http) {
        assert_code(kin_apiserver_restart(f.server, forget, NULL), 0);
        return;
    }
    fault_post(&f, forget ? "/_kinform/restart?forget=true" : "/_kinform/restart", "");
}

/* After a restart by the control endpoint the port is closed for a moment. */
static void await_port(void)
{
    int fd = -1;

    while ((fd = kin_test_connect_port(kin_apiserver_port(f.server))) < 0)
        assert_true(errno == ECONNREFUSED || errno == ECONNRESET);
    close(fd);
}

/* "ADDED a@6 …" of a watch from version 5. */
static void expect_from_5(const char *until, const char *events)
{
    int fd = fault_connect(&f);

    fault_send(fd, FROM_5 "&timeoutSeconds=100");
    char *text = raw_read_until(fd, until);
    close(fd);
    /* Chunks of which the end is missing do not matter. */
    const char *found = fault_events(text);
    if (strncmp(found, events, strlen(events)) != 0)
        fail_msg("\"%s\" is not \"%s\"", found, events);
    free(text);
}

static void expect_list(const char *part)
{
    char *answer = fault_ask(&f, "GET " MAPS);

    if (!strstr(answer, part))
        fail_msg("no %s in %s", part, answer);
    free(answer);
}

static void connections_break_off(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool forget = i & 1;

        fault_open(&f, i & 2);
        uint16_t port = kin_apiserver_port(f.server);
        int fd = open_watch(FROM_5, "\"name\":\"c\"");
        restart(forget);
        char *rest = rest_of(fd);
        assert_false(fault_is_whole(rest)); /* no clean end */
        free(rest);
        await_port();
        assert_int_equal(kin_apiserver_port(f.server), port);
        expect_list("\"resourceVersion\":\"8\"");
        if (forget)
            expect_from_5("410", "ERROR@");
        else
            expect_from_5("\"resourceVersion\":\"8\"", "ADDED a@6 ADDED b@7 ADDED c@8");
        fault_create(&f, "d");
        expect_list("\"resourceVersion\":\"9\"");
        fault_close(&f);
    }
}

static void faults_and_the_log_stay(void **state)
{
    static const fault_pair status = {FAULT(KIN_FAULT_STATUS, .path = "/version", .status = 503),
                                      "{\"type\":\"Status\",\"path\":\"/version\",\"status\":503}"};
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;

    (void)state;
    fault_open(&f, false);
    uint64_t id = fault_inject(&f, &status);
    restart(false);
    free(fault_ask(&f, "GET /version"));
    assert_int_equal(fault_hits(&f, id), 1);
    filter.verb = "create";
    assert_code(kin_apiserver_wait_for_request(f.server, &filter, 3, 0, NULL), 0);
    fault_close(&f);
}

/* The file is read again: the same objects, versions, and past. */
static void files_are_read_again(void **state)
{
    char folder[] = "/tmp/kin-restart-XXXXXX";
    char path[64];
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/store", folder);
    options.storage_path = path;
    options.control = true;
    f.clock = NULL;
    f.by_http = false;
    assert_code(kin_apiserver_new(&f.server, &options, NULL), 0);
    assert_code(kin_apiserver_restart(f.server, false, NULL), KIN_EINVAL);
    assert_code(kin_apiserver_start(f.server, NULL), 0);
    fault_create(&f, "a");
    fault_create(&f, "b");
    for (int i = 0; i < 3; i++) {
        restart(false);
        expect_from_5("\"resourceVersion\":\"7\"", "ADDED a@6 ADDED b@7");
    }
    restart(true);
    expect_from_5("410", "ERROR@");
    fault_create(&f, "c");
    expect_list("\"resourceVersion\":\"8\"");

    /* A file that has become something else: it does not run, until it is what it was. */
    char away[80];
    snprintf(away, sizeof(away), "%s/away", folder);
    assert_int_equal(rename(path, away), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_true(kin_apiserver_restart(f.server, false, NULL) < 0);
    assert_code(kin_apiserver_compact(f.server, NULL), KIN_ESYSTEM);
    assert_code(kin_apiserver_rewind(f.server, 5, NULL), KIN_ESYSTEM);
    assert_int_equal(kin_test_connect_port(kin_apiserver_port(f.server)), -1);
    assert_true(kin_apiserver_start(f.server, NULL) < 0);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rename(away, path), 0);
    assert_code(kin_apiserver_start(f.server, NULL), 0);
    expect_list("\"name\":\"c\"");
    fault_close(&f);
    assert_int_equal(kin_test_folder_remove(folder), 0);
}

static void only_what_runs(void **state)
{
    (void)state;
    assert_code(kin_apiserver_restart(NULL, false, NULL), KIN_EINVAL);
    fault_open(&f, true);
    char *answer = fault_ask(&f, "GET /_kinform/restart");
    assert_true(kin_test_contains(answer, "405 Method Not Allowed"));
    free(answer);
    answer = fault_ask(&f, "POST /_kinform/restart?forget=maybe");
    assert_true(kin_test_contains(answer, "400 Bad Request"));
    free(answer);
    kin_apiserver_stop(f.server);
    assert_code(kin_apiserver_restart(f.server, false, NULL), KIN_EINVAL);
    assert_code(kin_apiserver_start(f.server, NULL), 0);
    expect_list("\"name\":\"c\"");
    fault_close(&f);
}

/* Everybody at once: restarts from both sides, compacting, and the end in the midst of it. */
static void *restart_often(void *arg)
{
    for (int i = 0; i < 20; i++) {
        assert_code(kin_apiserver_restart(f.server, i % 3 == 0, NULL), 0);
        assert_code(kin_apiserver_compact(f.server, NULL), 0);
    }
    *(atomic_bool *)arg = true;
    return NULL;
}

static void all_at_once(void **state)
{
    static const char please[] = "POST /_kinform/restart HTTP/1.1\r\nHost: localhost\r\n"
                                 "Content-Type: application/json\r\nContent-Length: 0\r\n\r\n";
    atomic_bool is_over = false;
    pthread_t thread;

    (void)state;
    fault_open(&f, true);
    assert_int_equal(pthread_create(&thread, NULL, restart_often, &is_over), 0);
    while (!is_over) {
        int fd = kin_test_connect_port(kin_apiserver_port(f.server));
        char *rest = NULL;

        if (fd < 0)
            continue;
        (void)!send(fd, please, strlen(please), MSG_NOSIGNAL);
        raw_read_all(fd, &rest);
        free(rest);
        close(fd);
    }
    pthread_join(thread, NULL);
    int fd = kin_test_connect_port(kin_apiserver_port(f.server));
    if (fd >= 0) {
        (void)!send(fd, please, strlen(please), MSG_NOSIGNAL);
        close(fd);
    }
    fault_close(&f);
}

static void compact(void)
{
    if (f.by_http)
        fault_post(&f, "/_kinform/compact", "");
    else
        assert_code(kin_apiserver_compact(f.server, NULL), 0);
}

static void the_past_is_forgotten(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        fault_open(&f, i == 1);
        int fd = open_watch(FROM_5, "\"name\":\"c\"");
        compact();
        char *rest = rest_of(fd);
        assert_true(kin_test_contains(rest, "\"reason\":\"Expired\",\"code\":410}}\n"));
        assert_true(fault_is_whole(rest));
        free(rest);
        expect_from_5("410", "ERROR@");
        char *list = fault_ask(&f, "GET " MAPS "?resourceVersion=7&resourceVersionMatch=Exact");
        assert_true(kin_test_contains(list, "410 Gone"));
        free(list);
        expect_list("\"name\":\"a\"");
        fault_close(&f);
    }
}

static void time_goes_back(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        fault_open(&f, i == 1);
        int fd = open_watch(FROM_5, "\"name\":\"c\"");
        if (f.by_http)
            fault_post(&f, "/_kinform/rewind?version=6", "");
        else
            assert_code(kin_apiserver_rewind(f.server, 6, NULL), 0);
        char *rest = rest_of(fd);
        assert_true(kin_test_contains(rest, "\"code\":410}}\n"));
        free(rest);
        char *list = fault_ask(&f, "GET " MAPS);
        assert_true(kin_test_contains(list, "{\"resourceVersion\":\"6\"}"));
        assert_true(kin_test_contains(list, "\"name\":\"a\""));
        assert_false(kin_test_contains(list, "\"name\":\"b\""));
        free(list);
        fault_create(&f, "d"); /* a version that was there before */
        expect_list("\"resourceVersion\":\"7\"");
        fault_close(&f);
    }
}

static int check_allocations(void **state)
{
    (void)state;
    assert_int_equal(kin_test_alloc_live(), 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(connections_break_off, check_allocations),
        cmocka_unit_test_teardown(faults_and_the_log_stay, check_allocations),
        cmocka_unit_test_teardown(files_are_read_again, check_allocations),
        cmocka_unit_test_teardown(only_what_runs, check_allocations),
        cmocka_unit_test_teardown(all_at_once, check_allocations),
        cmocka_unit_test_teardown(the_past_is_forgotten, check_allocations),
        cmocka_unit_test_teardown(time_goes_back, check_allocations),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
