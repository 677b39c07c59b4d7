/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each fault of a watch, injected in both ways, as a client meets it over HTTP: what comes, whether the
 * end is a proper one, how often the rule has applied, and that the log names it.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "fault_support.h"

#define WATCH "GET " MAPS "?watch=true&resourceVersion=5"
#define INITIAL                                                                                    \
    "GET " MAPS "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"            \
    "allowWatchBookmarks=true"
#define RULE(type) "{\"type\":\"" type "\",\"verb\":\"watch\",\"path\":\"*/configmaps\",\"skip\":1"
#define OF_MAPS .verb = "watch", .path = "*/configmaps", .skip = 1

static fault_fixture f;

struct a_case {
    fault_pair pair;
    const char *line;
    const char *events; /* with "last", which is made when the watch is open, where it goes on */
    const char *part;   /* of the response; NULL: any */
};

static bool take_fault(const kin_request_record *record, void *arg)
{
    *(uint64_t *)arg = record->fault;
    return true;
}

static uint64_t logged_fault(void)
{
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    uint64_t fault = 0;

    filter.verb = "watch";
    filter.phase = KIN_REQUEST_ENDED;
    assert_code(kin_apiserver_wait_for_request(f.server, &filter, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_apiserver_requests(f.server, &filter, take_fault, &fault, NULL), 0);
    return fault;
}

/* Both pieces, the first of which is released. */
static char *join(char *first, const char *second)
{
    size_t len = strlen(first);
    char *both = realloc(first, len + strlen(second) + 1);

    assert_non_null(both);
    memcpy(both + len, second, strlen(second) + 1);
    return both;
}

/* All that a watch gives, until the server stops if it does not end by itself. */
static char *watch_to_the_end(const char *line, bool goes_on)
{
    int fd = fault_connect(&f);
    char *rest = NULL;
    char *all = NULL;

    fault_send(fd, line);
    if (goes_on) {
        char *begin = raw_read_until(fd, "\"name\":\"c\"");

        fault_create(&f, "last");
        char *more = raw_read_until(fd, "\"name\":\"last\"");
        begin = join(begin, more);
        free(more);
        /* What is under way comes before the end. */
        kin_apiserver_stop(f.server);
        raw_read_all(fd, &rest);
        all = join(begin, rest);
        free(rest);
    } else {
        raw_read_all(fd, &all);
    }
    close(fd);
    return all;
}

static void run(const struct a_case *c, bool by_http)
{
    fault_open(&f, by_http);
    uint64_t id = fault_inject(&f, &c->pair);
    char *response = watch_to_the_end(c->line, strstr(c->events, "last") != NULL);
    const char *events = fault_events(response);

    if (strcmp(events, c->events) != 0)
        fail_msg("%s: \"%s\" is not \"%s\"", c->pair.json, events, c->events);
    if (c->part && !strstr(response, c->part))
        fail_msg("%s: no %s in %s", c->pair.json, c->part, response);
    if (!fault_is_whole(response))
        fail_msg("%s: has no end", c->pair.json);
    assert_int_equal(logged_fault(), id);
    assert_int_equal(fault_hits(&f, id), 1);
    free(response);
    fault_close(&f);
}

static void changes(void **state)
{
    static const struct a_case cases[] = {
        {{FAULT(KIN_FAULT_WATCH_DROP, OF_MAPS), RULE("WatchDrop") "}"},
         WATCH,
         "ADDED a@6 ADDED c@8 ADDED last@9",
         NULL},
        {{FAULT(KIN_FAULT_WATCH_DUPLICATE, OF_MAPS), RULE("WatchDuplicate") "}"},
         WATCH,
         "ADDED a@6 ADDED b@7 ADDED b@7 ADDED c@8 ADDED last@9",
         NULL},
        {{FAULT(KIN_FAULT_WATCH_REORDER, OF_MAPS), RULE("WatchReorder") "}"},
         WATCH,
         "ADDED a@6 ADDED c@8 ADDED b@7 ADDED last@9",
         NULL},
        {{FAULT(KIN_FAULT_WATCH_END, OF_MAPS), RULE("WatchEnd") "}"}, WATCH, "ADDED a@6", NULL},
        {{FAULT(KIN_FAULT_WATCH_OVERSIZE, OF_MAPS, .bytes = 40),
          RULE("WatchOversize") ",\"bytes\":40}"},
         WATCH,
         "ADDED a@6 ADDED b@7 ADDED c@8 ADDED last@9",
         "\"object\":{\"kinformPadding\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\","
         "\"kind\":\"ConfigMap\""},
        {{FAULT(KIN_FAULT_WATCH_NO_INITIAL_END, .path = "*/configmaps"),
          "{\"type\":\"WatchNoInitialEnd\",\"path\":\"*/configmaps\"}"},
         INITIAL,
         "ADDED a@6 ADDED b@7 ADDED c@8 ADDED last@9",
         NULL},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        run(&cases[i], false);
        run(&cases[i], true);
    }
}

static void errors(void **state)
{
    static const struct a_case cases[] = {
        {{FAULT(KIN_FAULT_WATCH_ERROR, OF_MAPS), RULE("WatchError") "}"},
         WATCH,
         "ADDED a@6 ERROR@",
         "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
         "\"metadata\":{},\"status\":\"Failure\",\"message\":\"too old resource version: 7 (8)\","
         "\"reason\":\"Expired\",\"code\":410}}\n"},
        {{FAULT(KIN_FAULT_WATCH_ERROR, OF_MAPS, .status = 429, .retry_after_s = 7),
          RULE("WatchError") ",\"status\":429,\"retryAfterSeconds\":7}"},
         WATCH,
         "ADDED a@6 ERROR@",
         "\"message\":\"Too many requests, please try again later.\","
         "\"reason\":\"TooManyRequests\",\"details\":{\"retryAfterSeconds\":7},\"code\":429}}\n"},
        {{FAULT(KIN_FAULT_WATCH_ERROR, OF_MAPS, .status = 500),
          RULE("WatchError") ",\"status\":500}"},
         WATCH,
         "ADDED a@6 ERROR@",
         "\"reason\":\"InternalError\""},
        {{FAULT(KIN_FAULT_WATCH_ERROR, .status = 403), "{\"type\":\"WatchError\",\"status\":403}"},
         INITIAL,
         "ERROR@",
         "\"reason\":\"Forbidden\""},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        run(&cases[i], false);
        run(&cases[i], true);
    }
}

/* Time goes on until a bookmark comes. The first one is lost. */
static void bookmarks(void **state)
{
    static const fault_pair lost = {FAULT(KIN_FAULT_WATCH_NO_BOOKMARKS, .path = MAPS),
                                    "{\"type\":\"WatchNoBookmarks\",\"path\":\"" MAPS "\"}"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        char byte = 0;

        fault_open(&f, i == 1);
        uint64_t id = fault_inject(&f, &lost);
        int fd = fault_connect(&f);
        fault_send(fd, WATCH "&allowWatchBookmarks=true&timeoutSeconds=1000000000");
        free(raw_read_until(fd, "\"name\":\"c\""));
        free(raw_read_until(fd, "}}\n\r\n"));
        while (recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0)
            assert_code(kin_clock_advance(f.clock, 1000 * KIN__MILLISECOND, NULL), 0);
        free(raw_read_until(fd, "\"BOOKMARK\""));
        close(fd);
        assert_int_equal(logged_fault(), id);
        assert_int_equal(fault_hits(&f, id), 1);
        fault_close(&f);
    }
}

/* Without a rule that meets it all is well. */
static void others_are_spared(void **state)
{
    static const fault_pair others[] = {
        {FAULT(KIN_FAULT_WATCH_DROP, .path = "*/secrets"),
         "{\"type\":\"WatchDrop\",\"path\":\"*/secrets\"}"},
        {FAULT(KIN_FAULT_WATCH_DROP, .verb = "list"), "{\"type\":\"WatchDrop\",\"verb\":\"list\"}"},
        {FAULT(KIN_FAULT_WATCH_NO_BOOKMARKS, .times = 9),
         "{\"type\":\"WatchNoBookmarks\",\"times\":9}"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(others); i++) {
        fault_open(&f, i % 2);
        uint64_t id = fault_inject(&f, &others[i]);
        char *response = watch_to_the_end(INITIAL, true);

        assert_string_equal(fault_events(response),
                            "ADDED a@6 ADDED b@7 ADDED c@8 BOOKMARK@8 ADDED last@9");
        assert_non_null(strstr(response, "\"k8s.io/initial-events-end\":\"true\""));
        assert_int_equal(logged_fault(), 0);
        assert_int_equal(fault_hits(&f, id), 0);
        free(response);
        fault_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes),
        cmocka_unit_test(errors),
        cmocka_unit_test(bookmarks),
        cmocka_unit_test(others_are_spared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
