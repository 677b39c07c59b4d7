/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a program tests what it does with informers: with an API server in the test's own process that can be told to
 * misbehave, and a clock that the test moves. docs/testing.md tells of it.
 *
 * Nothing sleeps, and nothing depends on how fast the machine is: each step waits for what it needs.
 */
#include <kinform.h>
#include <kinform/apiserver.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what is tested: a part of a program that counts Pods --- */

struct census {
    kin_informer *informer;
    int n_pods;
    int n_unseen; /* deletions that nobody saw happen */
};

static void count(const kin_event *event, void *arg)
{
    struct census *census = arg;

    if (event->type == KIN_EVENT_ADD)
        census->n_pods++;
    if (event->type == KIN_EVENT_DELETE) {
        census->n_pods--;
        census->n_unseen += kin_object_is_tombstone(event->object, NULL);
    }
}

static int census_start(struct census *census, kin_client *client, kin_clock *clock, kin_error *err)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_handler_options handler = KIN_HANDLER_OPTIONS_INIT;

    options.clock = clock; /* NULL in the program itself */
    handler.delivery = KIN_DELIVER_LOOP;
    int code = kin_informer_new(&census->informer, client, "pods", &options, err);
    if (code == 0)
        code = kin_informer_add_handler(census->informer, NULL, count, census, &handler, err);
    return code < 0 ? code : kin_informer_start(census->informer, err);
}

/* --- the scene --- */

struct scene {
    kin_apiserver *server;
    kin_clock *clock;
    kin_client *client;
    kin_resource *pods;
    struct census census;
};

static kin_error err = KIN_ERROR_INIT;

#define CHECK(what) check((what), #what, __LINE__)

static void check(bool holds, const char *what, int line)
{
    if (holds)
        return;
    fprintf(stderr, "line %d: %s: %s\n", line, what, err.message);
    exit(1);
}

static void open_scene(struct scene *s)
{
    kin_config_options where = KIN_CONFIG_OPTIONS_INIT;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;

    memset(s, 0, sizeof(*s));
    CHECK(kin_apiserver_new(&s->server, NULL, &err) == 0);
    CHECK(kin_apiserver_start(s->server, &err) == 0);
    CHECK(kin_clock_new_fake(&s->clock, 0, &err) == 0);

    where.server = kin_apiserver_url(s->server); /* a free port: tests run beside each other */
    CHECK(kin_config_new(&options.config, &where, &err) == 0);
    options.qps = -1; /* no rate limit */
    CHECK(kin_client_new(&s->client, &options, &err) == 0);
    kin_config_unref(options.config);
    CHECK(kin_client_resolve(s->client, &s->pods, "pods", &err) == 0);
}

static void close_scene(struct scene *s)
{
    kin_informer_free(s->census.informer);
    kin_resource_unref(s->pods);
    kin_client_free(s->client);
    kin_clock_unref(s->clock);
    kin_apiserver_free(s->server);
}

static void create_pod(struct scene *s, const char *name)
{
    const kin_object *pod = NULL;

    CHECK(kin_object_make(&pod, &err,
                          "{apiVersion: v1, kind: Pod, metadata: {name: %s},"
                          " spec: {containers: [{name: c, image: i}]}}",
                          name) == 0);
    CHECK(kin_client_create(s->client, NULL, s->pods, "default", pod, NULL, &err) == 0);
    kin_object_unref(pod);
}

/*
 * Runs the handler, in this thread, until it has counted so many. As long as it has nothing to do, time passes for
 * the informer: a second in 10 ms, and an hour at most.
 */
static void dispatch_until(struct scene *s, int n_pods)
{
    struct pollfd fd = {.fd = kin_informer_fd(s->census.informer), .events = POLLIN};

    for (int seconds = 0; s->census.n_pods != n_pods;) {
        CHECK(seconds < 3600);
        if (poll(&fd, 1, 10) == 0) {
            CHECK(kin_clock_advance(s->clock, 1000000000, &err) == 0);
            seconds++;
        } else {
            CHECK(kin_informer_dispatch(s->census.informer, 1, NULL, &err) == 0);
        }
    }
}

/* Lets time pass until the server was asked so often. */
static void pass_time_until_asked(struct scene *s, const kin_request_filter *filter, size_t n)
{
    for (int seconds = 0; kin_apiserver_wait_for_request(s->server, filter, n, 10, &err) < 0;
         seconds++) {
        CHECK(seconds < 3600);
        CHECK(kin_clock_advance(s->clock, 1000000000, &err) == 0);
    }
}

/* --- the tests --- */

static void test_it_follows(void)
{
    struct scene s;

    open_scene(&s);
    create_pod(&s, "early");
    CHECK(census_start(&s.census, s.client, s.clock, &err) == 0);
    dispatch_until(&s, 1);
    create_pod(&s, "late");
    dispatch_until(&s, 2);
    CHECK(kin_client_delete(s.client, NULL, s.pods, "default", "early", NULL, &err) == 0);
    dispatch_until(&s, 1);
    close_scene(&s);
}

/* A server that cannot answer: the informer asks again, later and later. */
static void test_it_gets_over_an_outage(void)
{
    kin_fault outage = KIN_FAULT_INIT(KIN_FAULT_STATUS);
    kin_request_filter lists = KIN_REQUEST_FILTER_INIT;
    struct scene s;

    open_scene(&s);
    create_pod(&s, "web-0");
    outage.path = "/api/v1/pods";
    outage.status = 500;
    outage.times = KIN_FAULT_ALWAYS;
    CHECK(kin_apiserver_inject(s.server, &outage, NULL, &err) == 0);
    CHECK(census_start(&s.census, s.client, s.clock, &err) == 0);

    lists.verb = "list";
    lists.path = "/api/v1/pods";
    lists.status = 500;
    pass_time_until_asked(&s, &lists, 3);
    CHECK(s.census.n_pods == 0);
    CHECK(kin_apiserver_clear_faults(s.server, &err) == 0);
    dispatch_until(&s, 1);
    close_scene(&s);
}

/* The watch ends with "410 Gone" in the place of a deletion. The list that follows finds it. */
static void test_it_notices_what_it_has_missed(void)
{
    kin_fault gone = KIN_FAULT_INIT(KIN_FAULT_WATCH_ERROR);
    struct scene s;

    open_scene(&s);
    create_pod(&s, "web-0");
    create_pod(&s, "web-1");
    CHECK(census_start(&s.census, s.client, s.clock, &err) == 0);
    dispatch_until(&s, 2);

    gone.path = "/api/v1/pods";
    CHECK(kin_apiserver_inject(s.server, &gone, NULL, &err) == 0);
    CHECK(kin_client_delete(s.client, NULL, s.pods, "default", "web-0", NULL, &err) == 0);
    dispatch_until(&s, 1);
    CHECK(s.census.n_unseen == 1);
    close_scene(&s);
}

int main(void)
{
    kin_set_default_log_level(KIN_LOG_WARN, NULL); /* warnings go to standard error */
    test_it_follows();
    test_it_gets_over_an_outage();
    test_it_notices_what_it_has_missed();
    puts("3 tests passed");
    return 0;
}
