/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a program tests what it does with informers without a server: the test inserts objects into a fake source.
 * docs/testing.md quotes it. examples/testing.c is the same with an API server.
 */
#include <kinform.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

/* --- what is tested: a part of a program that counts Pods --- */

struct census {
    kin_informer *informer;
    int n_pods;
    int n_unseen; /* deletions whose event was lost */
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

/* The program itself gets its source from kin_client_list_watch_by_name(). */
static int census_start(struct census *census, kin_list_watch *pods, kin_error *err)
{
    kin_handler_options handler = KIN_HANDLER_OPTIONS_INIT;
    int code = kin_informer_new_from(&census->informer, pods, NULL, err);

    handler.delivery = KIN_DELIVER_LOOP;
    if (code == 0)
        code = kin_informer_add_handler(census->informer, NULL, count, census, &handler, err);
    return code < 0 ? code : kin_informer_start(census->informer, err);
}

/* --- the test --- */

static kin_error err = KIN_ERROR_INIT;

#define CHECK(what) check((what), #what, __LINE__)

static void check(bool holds, const char *what, int line)
{
    if (holds)
        return;
    fprintf(stderr, "line %d: %s: %s\n", line, what, err.message);
    exit(1);
}

static void add_pod(kin_fake_source *pods, const char *json)
{
    const kin_object *pod = NULL;

    CHECK(kin_object_from_json(&pod, kin_str_of(json), NULL, &err) == 0);
    CHECK(kin_fake_source_add(pods, NULL, pod, &err) == 0);
    kin_object_unref(pod);
}

/* Call the handler, in this thread, until it has counted this many. */
static void dispatch_until(struct census *census, int n_pods)
{
    struct pollfd fd = {.fd = kin_informer_fd(census->informer), .events = POLLIN};

    while (census->n_pods != n_pods) {
        CHECK(poll(&fd, 1, 60000) > 0);
        CHECK(kin_informer_dispatch(census->informer, 1, NULL, &err) == 0);
    }
}

int main(void)
{
    struct census census = {NULL, 0, 0};
    kin_fake_source *pods = NULL;

    CHECK(kin_fake_source_new(&pods, NULL, &err) == 0);
    add_pod(pods, "{\"metadata\": {\"namespace\": \"default\", \"name\": \"early\"}}");
    CHECK(census_start(&census, kin_fake_source_list_watch(pods), &err) == 0);
    dispatch_until(&census, 1);
    add_pod(pods, "{\"metadata\": {\"namespace\": \"default\", \"name\": \"late\"}}");
    dispatch_until(&census, 2);

    /* A deletion that no watch reports. The next list shows it. */
    kin_fake_source_lose_events(pods, 1);
    CHECK(kin_fake_source_delete(pods, NULL, "default/early", &err) == 0);
    kin_fake_source_expire(pods);
    kin_fake_source_break_watches(pods, NULL);
    dispatch_until(&census, 1);
    CHECK(census.n_unseen == 1);

    CHECK(kin_informer_free(census.informer) == 0);
    kin_fake_source_free(pods);
    puts("the census is right");
    return 0;
}
