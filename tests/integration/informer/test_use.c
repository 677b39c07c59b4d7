/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What programs do with an informer: read their own writes, handlers with filters, the program's event
 * loop, several informers of one client, any order of the end; and objects that it cannot use.
 */
#include "informer_support.h"

#include <dirent.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "latch.h"
#include "threads.h"

static kin_informer *maps_of(informer_fixture *f)
{
    kin_informer_options options = informer_options(f);
    kin_informer *informer = NULL;

    assert_code(kin_informer_new(&informer, f->client, "cm", &options, NULL), 0);
    return informer;
}

/* --- versions --- */

static void writes_are_read(void **state)
{
    informer_fixture f;
    kin_informer *informer;
    kin_error err = KIN_ERROR_INIT;
    char version[32];

    (void)state;
    informer_open(&f, NULL, NULL);
    informer = maps_of(&f);
    informer_start(informer);
    for (unsigned i = 0; i < 100; i++) {
        const kin_object *object = NULL;
        char name[16];
        char key[32];

        snprintf(name, sizeof(name), "m%u", i);
        snprintf(key, sizeof(key), "default/m%u", i);
        informer_put(&f, "default", name, "x", version);
        informer_await(informer, version);
        assert_code(kin_store_get(kin_informer_store(informer), &object, kin_str_of(key), NULL), 0);
        assert_true(kin_str_equal(kin_object_resource_version(object), kin_str_of(version)));
        kin_object_unref(object);
    }
    assert_code(kin_informer_wait_version(informer, "999999999", 0, &err), KIN_ETIMEOUT);
    assert_string_equal(err.message, "cm have not seen version 999999999 in time: watching");
    assert_code(kin_informer_wait_version(informer, "abc", 0, &err), KIN_EPARSE);
    kin_informer_stop(informer);
    assert_code(kin_informer_wait_version(informer, "999999999", -1, &err), KIN_ECLOSED);
    kin_informer_free(informer);
    informer_close(&f);
}

/* --- objects that cannot be used --- */

struct skipped {
    informer_fixture base;
    kin_clock *clock;
    kin_client *client;
    kin_informer *informer;
    informer_told told;
};

/* Nothing else is under way while it waits to try again: that time passes at once. */
static void on_changed(kin_informer *informer, void *arg)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    kin_informer_get_status(informer, &status, NULL);
    if (status.state == KIN_INFORMER_WAITING)
        kin_clock_advance(arg, 61 * KIN__SECOND, NULL);
}

/* A fake clock: what fails is tried again at once. */
static void open_skipped(struct skipped *f, const kin_decode_options *decode, bool lists)
{
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    kin_informer_options options;

    informer_open(&f->base, NULL, NULL);
    assert_code(kin_clock_new_fake(&f->clock, 0, NULL), 0);
    client.clock = f->clock;
    f->client = informer_client(&f->base, NULL, &client);
    options = informer_options(&f->base);
    options.decode = decode;
    options.changed = on_changed;
    options.changed_arg = f->clock;
    reflector.streaming_lists = lists ? KIN_STREAMING_LISTS_NEVER : KIN_STREAMING_LISTS_ALWAYS;
    options.reflector = &reflector;
    options.encoding =
        KIN_ENCODING_JSON; /* in protobuf, the server cannot make one object of many too large */
    assert_code(kin_informer_new(&f->informer, f->client, "configmaps", &options, NULL), 0);
    informer_told_init(&f->told);
    assert_code(kin_informer_add_handler(f->informer, NULL, informer_tell, &f->told, NULL, NULL),
                0);
}

static void close_skipped(struct skipped *f)
{
    kin_informer_free(f->informer);
    kin_client_free(f->client);
    informer_told_done(&f->told);
    kin_clock_unref(f->clock);
    informer_close(&f->base);
}

static void inject(informer_fixture *f, kin_fault_type type, const char *verb, uint64_t bytes)
{
    kin_fault fault = KIN_FAULT_INIT(type);

    fault.verb = verb;
    fault.path = "*/configmaps";
    fault.bytes = bytes;
    assert_code(kin_apiserver_inject(f->server, &fault, NULL, NULL), 0);
}

/* One object of a list is too large, and an event: they are skipped and counted; nothing else is lost. */
static void what_is_too_large_is_skipped(void **state)
{
    struct skipped f = {.informer = NULL};
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    char version[32];

    (void)state;
    decode.max_bytes = 64 * 1024;
    open_skipped(&f, &decode, false);
    informer_put(&f.base, "default", "a", "x", NULL);
    informer_put(&f.base, "default", "b", "x", NULL);
    informer_start(f.informer);
    informer_assert_told(&f.told, "+default/a +default/b");
    inject(&f.base, KIN_FAULT_WATCH_OVERSIZE, "watch", 128 * 1024);
    informer_put(&f.base, "default", "a", "too-large", NULL);
    informer_put(&f.base, "default", "c", "x", version);
    assert_code(kin_informer_wait_version(f.informer, version, -1, NULL), 0);
    informer_assert_told(&f.told, "+default/c");
    assert_code(kin_informer_get_status(f.informer, &status, NULL), 0);
    assert_int_equal(status.skipped, 1);
    /* The cached copy stays; the next change that can be read brings it up to date. */
    assert_int_equal(status.objects, 3);
    informer_put(&f.base, "default", "a", "small", NULL);
    informer_assert_told(&f.told, "~default/a");
    close_skipped(&f);
}

/* Watches that the server has answered. */
struct watches {
    uint64_t all;
    uint64_t open;
};

static bool count_watch(const kin_request_record *record, void *arg)
{
    struct watches *watches = arg;

    watches->all++;
    watches->open += record->phase != KIN_REQUEST_ENDED;
    return true;
}

/*
 * Until it watches with so many gaps, and a list is due if there are any: neither version nor sync tell it, the
 * reflector notes that when the store has the rest. By then the server has seen all its watches come and all
 * but the last one go: a fault that is injected next would be spent on one that nobody reads.
 */
static kin_informer_status await_gaps(struct skipped *f, uint64_t gaps)
{
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    int64_t deadline = kin_test_deadline();
    struct watches watches;
    bool is_due;

    filter.verb = "watch";
    filter.phase = KIN_REQUEST_ANSWERED;
    do {
        assert_true(kin_test_wait_turn(deadline));
        watches = (struct watches){0, 0};
        assert_code(kin_informer_get_status(f->informer, &status, NULL), 0);
        assert_code(kin_apiserver_requests(f->base.server, &filter, count_watch, &watches, NULL),
                    0);
        is_due = status.next_relist_unix_ns > 0;
    } while (status.gaps != gaps || is_due != (gaps > 0) || status.state != KIN_INFORMER_WATCHING ||
             watches.all != status.watches || watches.open != 1);
    return status;
}

/* The time of the list comes, and no other: what is under way meets no deadline. */
static void pass_gaps(struct skipped *f)
{
    int64_t due = await_gaps(f, 1).next_relist_unix_ns;

    assert_code(kin_clock_advance(f->clock, due - kin_clock_unix_now(f->clock), NULL), 0);
    await_gaps(f, 0);
}

/* Nobody changes it again, and it comes all the same: another list brings it. */
static void what_was_skipped_comes_later(void **state)
{
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;

    (void)state;
    decode.max_bytes = 64 * 1024;
    for (int lists = 0; lists < 2; lists++) {
        struct skipped f = {.informer = NULL};
        char version[32];

        open_skipped(&f, &decode, lists);
        informer_put(&f.base, "default", "a", "x", NULL);
        informer_put(&f.base, "default", "b", "x", NULL);
        inject(&f.base, KIN_FAULT_OVERSIZE_OBJECT, lists ? "list" : "watch", 128 * 1024);
        informer_start(f.informer);
        informer_assert_told(&f.told, "+default/b");
        pass_gaps(&f);
        informer_assert_told(&f.told, "+default/a");
        /* The same of a change. */
        inject(&f.base, KIN_FAULT_WATCH_OVERSIZE, "watch", 128 * 1024);
        informer_put(&f.base, "default", "a", "too-large", NULL);
        informer_put(&f.base, "default", "c", "x", version);
        /* The clock stands: the list is not due yet. */
        assert_code(kin_informer_wait_version(f.informer, version, -1, NULL), 0);
        informer_assert_told(&f.told, "+default/c");
        pass_gaps(&f);
        informer_assert_told(&f.told, "~default/a");
        close_skipped(&f);
    }
}

/* A list that is not JSON from somewhere on: what came before may stay, and it is listed again. */
static void garbage_is_survived(void **state)
{
    struct skipped f = {.informer = NULL};
    char version[32];

    (void)state;
    open_skipped(&f, NULL, false);
    informer_put(&f.base, "default", "a", "x", NULL);
    informer_put(&f.base, "default", "b", "x", version);
    inject(&f.base, KIN_FAULT_GARBAGE, NULL, 300);
    inject(&f.base, KIN_FAULT_GARBAGE, NULL, 300);
    assert_code(kin_informer_start(f.informer, NULL), 0);
    assert_code(kin_informer_wait_version(f.informer, version, -1, NULL), 0);
    informer_assert_told(&f.told, "+default/a +default/b");
    close_skipped(&f);
}

/* --- how it lists --- */

static bool count(const kin_request_record *record, void *n)
{
    (void)record;
    ++*(unsigned *)n;
    return true;
}

static unsigned n_requests(const informer_fixture *f, const char *verb, const char *query)
{
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    unsigned n = 0;

    filter.verb = verb;
    filter.query = query;
    assert_code(kin_apiserver_requests(f->server, &filter, count, &n, NULL), 0);
    return n;
}

/* A list is counted a little after others see what it has brought. */
static kin_informer_status await_list(kin_informer *informer)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    int64_t deadline = kin_test_deadline();

    for (;;) {
        assert_code(kin_informer_get_status(informer, &status, NULL), 0);
        if (status.lists > 0)
            return status;
        assert_true(kin_test_wait_turn(deadline));
    }
}

/* Streaming lists in protobuf, plain lists in JSON: by another option, and since it is a custom resource. */
static void the_encoding_decides_how_it_lists(void **state)
{
    static const struct {
        const char *name;
        kin_encoding encoding;
        unsigned lists;
    } cases[] = {
        {"configmaps", KIN_ENCODING_DEFAULT, 0},
        {"configmaps", KIN_ENCODING_JSON, 1},
        {"widgets", KIN_ENCODING_DEFAULT, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_informer_status status;
        kin_informer_options options;
        kin_informer *informer = NULL;
        informer_fixture f;

        informer_open(&f, NULL, NULL);
        informer_define_widgets(&f);
        unsigned before = n_requests(&f, "list", NULL);

        options = informer_options(&f);
        options.encoding = cases[i].encoding;
        assert_code(kin_informer_new(&informer, f.client, cases[i].name, &options, NULL), 0);
        informer_start(informer);
        assert_int_equal(n_requests(&f, "list", NULL) - before, cases[i].lists);
        assert_int_equal(n_requests(&f, "watch", "*sendInitialEvents=true*"), !cases[i].lists);
        status = await_list(informer);
        assert_int_equal(status.lists, 1);
        assert_int_equal(status.fallbacks, 0);
        kin_informer_free(informer);
        informer_close(&f);
    }
}

/* --- handlers --- */

static bool is_front(const kin_object *object, void *arg)
{
    kin_str value = {NULL, 0};

    (void)arg;
    return kin_object_label(object, kin_str_of("tier"), &value) &&
           kin_str_equal(value, kin_str_of("front"));
}

static void filters_let_in_and_out(void **state)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    informer_fixture f;
    kin_informer *informer;
    informer_told told;

    (void)state;
    informer_open(&f, NULL, NULL);
    informer_put(&f, "default", "a", "front", NULL);
    informer_put(&f, "default", "b", "back", NULL);
    informer = maps_of(&f);
    informer_told_init(&told);
    options.filter = is_front;
    assert_code(kin_informer_add_handler(informer, NULL, informer_tell, &told, &options, NULL), 0);
    informer_start(informer);
    informer_assert_told(&told, "+default/a");
    informer_put(&f, "default", "b", "front", NULL);
    informer_put(&f, "default", "a", "back", NULL);
    informer_put(&f, "default", "c", "back", NULL);
    informer_delete(&f, "default", "c");
    informer_delete(&f, "default", "b");
    informer_assert_told(&told, "+default/b -default/a -default/b");
    kin_informer_free(informer);
    informer_told_done(&told);
    informer_close(&f);
}

/* The loop is also woken when its handler has synced, with nothing to be told. */
static size_t dispatch_some(kin_informer *informer, struct pollfd *fd, size_t max)
{
    size_t n = 0;

    while (n == 0) {
        assert_int_equal(poll(fd, 1, KIN_TEST_TIMEOUT_MS), 1);
        assert_code(kin_informer_dispatch(informer, max, &n, NULL), 0);
    }
    return n;
}

static void the_loop_is_the_programs_own(void **state)
{
    kin_registration *registration = NULL;
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    informer_fixture f;
    kin_informer *informer;
    informer_told told;
    struct pollfd fd = {.events = POLLIN};
    char version[32];
    size_t n = 0;

    (void)state;
    informer_open(&f, NULL, NULL);
    for (unsigned i = 0; i < 10; i++)
        informer_put(&f, "default", (char[]){(char)('a' + i), 0}, "x", NULL);
    informer = maps_of(&f);
    informer_told_init(&told);
    options.delivery = KIN_DELIVER_LOOP;
    assert_code(
        kin_informer_add_handler(informer, &registration, informer_tell, &told, &options, NULL), 0);
    fd.fd = kin_informer_fd(informer);
    assert_int_equal(poll(&fd, 1, 0), 0);
    informer_start(informer);
    for (size_t sum = 0; sum < 10; sum += n) {
        n = dispatch_some(informer, &fd, 3);
        assert_in_range(n, 1, 3);
    }
    assert_code(kin_registration_wait_synced(registration, KIN_TEST_TIMEOUT_MS, NULL), 0);
    kin_registration_unref(registration);
    informer_assert_told(&told, "+default/a +default/b +default/c +default/d +default/e +default/f "
                                "+default/g +default/h +default/i +default/j");
    /* When the store has the next one, the loop has been woken for the sync, and for that. */
    informer_put(&f, "default", "k", "x", version);
    informer_await(informer, version);
    assert_int_equal(dispatch_some(informer, &fd, 0), 1);
    informer_assert_told(&told, "+default/k");
    assert_code(kin_informer_dispatch(informer, 0, &n, NULL), 0);
    assert_int_equal(n, 0);
    assert_int_equal(poll(&fd, 1, 0), 0);
    informer_delete(&f, "default", "a");
    assert_int_equal(dispatch_some(informer, &fd, 0), 1);
    informer_assert_told(&told, "-default/a");
    kin_informer_free(informer);
    informer_told_done(&told);
    informer_close(&f);
}

struct nested {
    kin_informer *informer;
    informer_told outer;
    informer_told inner;
    kin_registration *outer_registration;
    kin_registration *inner_registration;
    kin_test_latch removed;
    bool has_added;
};

/* With the first event it adds another one; with the first deletion it removes that one and itself. */
static void nest(const kin_event *event, void *arg)
{
    struct nested *nested = arg;

    if (!nested->has_added) {
        nested->has_added = true;
        kin_informer_add_handler(nested->informer, &nested->inner_registration, informer_tell,
                                 &nested->inner, NULL, NULL);
    }
    informer_tell(event, &nested->outer);
    if (event->type != KIN_EVENT_DELETE)
        return;
    kin_informer_remove_handler_wait(nested->informer, nested->inner_registration, NULL);
    kin_informer_remove_handler(nested->informer, nested->outer_registration);
    kin_test_latch_raise(&nested->removed);
}

static void handlers_come_and_go_from_handlers(void **state)
{
    struct nested *nested = calloc(1, sizeof(*nested));
    informer_fixture f;
    char version[32];

    (void)state;
    informer_open(&f, NULL, NULL);
    informer_put(&f, "default", "a", "x", NULL);
    informer_put(&f, "default", "b", "x", NULL);
    nested->informer = maps_of(&f);
    informer_told_init(&nested->outer);
    informer_told_init(&nested->inner);
    kin_test_latch_init(&nested->removed);
    assert_code(kin_informer_add_handler(nested->informer, &nested->outer_registration, nest,
                                         nested, NULL, NULL),
                0);
    informer_start(nested->informer);
    informer_assert_told(&nested->outer, "+default/a +default/b");
    informer_assert_told(&nested->inner, "+default/a +default/b");
    informer_put(&f, "default", "c", "x", NULL);
    informer_assert_told(&nested->inner, "+default/c");
    informer_delete(&f, "default", "c");
    kin_test_latch_wait(&nested->removed, 1);
    informer_put(&f, "default", "d", "x", version);
    informer_await(nested->informer, version);
    informer_assert_told(&nested->outer, "+default/c -default/c");
    kin_informer_free(nested->informer);
    kin_registration_unref(nested->outer_registration);
    kin_registration_unref(nested->inner_registration);
    kin_test_latch_done(&nested->removed);
    informer_told_done(&nested->inner);
    informer_told_done(&nested->outer);
    informer_close(&f);
    free(nested);
}

/* --- several, and the end --- */

static void two_informers_of_one_client(void **state)
{
    kin_informer_options options;
    informer_fixture f;
    kin_informer *maps;
    kin_informer *front;
    informer_told told[2];

    (void)state;
    informer_open(&f, NULL, NULL);
    informer_put(&f, "default", "a", "front", NULL);
    informer_put(&f, "default", "b", "back", NULL);
    maps = maps_of(&f);
    options = informer_options(&f);
    options.label_selector = "tier=front";
    assert_code(kin_informer_new(&front, f.client, "configmaps", &options, NULL), 0);
    informer_told_init(&told[0]);
    informer_told_init(&told[1]);
    assert_code(kin_informer_add_handler(maps, NULL, informer_tell, &told[0], NULL, NULL), 0);
    assert_code(kin_informer_add_handler(front, NULL, informer_tell, &told[1], NULL, NULL), 0);
    informer_start(maps);
    informer_start(front);
    informer_assert_told(&told[0], "+default/a +default/b");
    informer_assert_told(&told[1], "+default/a");
    /* The one ends, and the other does not notice. */
    kin_informer_free(maps);
    informer_put(&f, "default", "b", "front", NULL);
    informer_assert_told(&told[1], "+default/b");
    kin_informer_free(front);
    informer_told_done(&told[1]);
    informer_told_done(&told[0]);
    informer_close(&f);
}

struct waiter {
    kin_registration *registration;
    kin_test_latch begins;
    kin_error err;
    int code;
};

static void *wait_for_sync(void *arg)
{
    struct waiter *waiter = arg;

    kin_test_latch_raise(&waiter->begins);
    waiter->code = kin_registration_wait_synced(waiter->registration, -1, &waiter->err);
    return NULL;
}

/* The list will never come: who waits for a handler to be told of it is told that. */
static void the_client_goes_while_somebody_waits(void **state)
{
    (void)state;
    for (int delivery = KIN_DELIVER_THREAD; delivery <= KIN_DELIVER_LOOP; delivery++) {
        struct waiter waiter = {.err = KIN_ERROR_INIT};
        kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
        kin_registration *late = NULL;
        kin_informer *informer;
        informer_fixture f;
        informer_told told;
        pthread_t thread;

        informer_open(&f, NULL, NULL);
        informer_told_init(&told);
        inject(&f, KIN_FAULT_STALL, NULL, 0);
        informer = maps_of(&f);
        options.delivery = (kin_delivery)delivery;
        assert_code(kin_informer_add_handler(informer, &waiter.registration, informer_tell, &told,
                                             &options, NULL),
                    0);
        assert_code(kin_informer_start(informer, NULL), 0);
        kin_test_latch_init(&waiter.begins);
        assert_int_equal(pthread_create(&thread, NULL, wait_for_sync, &waiter), 0);
        kin_test_latch_wait(&waiter.begins, 1);
        kin_client_free(f.client);
        f.client = NULL;
        pthread_join(thread, NULL);
        assert_code(waiter.code, KIN_ECLOSED);
        assert_non_null(strstr(waiter.err.message, "client"));
        assert_code(kin_informer_add_handler(informer, &late, informer_tell, &told, &options, NULL),
                    0);
        assert_code(kin_registration_wait_synced(late, -1, NULL), KIN_ECLOSED);
        kin_registration_unref(late);
        kin_registration_unref(waiter.registration);
        kin_informer_free(informer);
        informer_told_done(&told);
        kin_test_latch_done(&waiter.begins);
        informer_close(&f);
    }
}

/* The client goes first, although it was to stay: the informer stops, and its store can be read. */
static void the_client_goes_first(void **state)
{
    informer_fixture f;

    (void)state;
    informer_open(&f, NULL, NULL);
    informer_put(&f, "default", "a", "x", NULL);
    for (unsigned i = 0; i < 60; i++) {
        kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
        kin_informer_options for_informer = informer_options(&f);
        kin_registration *registration = NULL;
        kin_client *client = informer_client(&f, NULL, NULL);
        kin_informer *informer = NULL;
        informer_told told;

        assert_code(kin_informer_new(&informer, client, "cm", &for_informer, NULL), 0);
        informer_told_init(&told);
        options.delivery = (kin_delivery)(i % 3);
        assert_code(
            kin_informer_add_handler(informer, &registration, informer_tell, &told, &options, NULL),
            0);
        informer_start(informer);
        kin_client_free(client);
        assert_code(kin_informer_wait_stopped(informer, -1, NULL), 0);
        assert_int_equal(kin_store_len(kin_informer_store(informer)), 1);
        assert_code(kin_informer_start(informer, NULL), KIN_ECLOSED);
        kin_informer_stop(informer);
        kin_informer_dispatch(informer, 0, NULL, NULL);
        kin_informer_free(informer);
        kin_registration_unref(registration);
        informer_told_done(&told);
    }
    informer_close(&f);
}

static unsigned count_entries(const char *path)
{
    DIR *folder = opendir(path);
    unsigned n = 0;

    assert_non_null(folder);
    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}

static void live_once(void)
{
    static const char *const namespaces[] = {"default", "other"};
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    informer_fixture f;
    kin_informer *informer;
    informer_told told[3];

    informer_open(&f, NULL, NULL);
    informer_make_namespace(&f, "other");
    informer_put(&f, "default", "a", "x", NULL);
    informer_put(&f, "other", "b", "x", NULL);
    informer = maps_of(&f);
    for (unsigned i = 0; i < 3; i++) {
        informer_told_init(&told[i]);
        options.delivery = (kin_delivery)i;
        assert_code(
            kin_informer_add_handler(informer, NULL, informer_tell, &told[i], &options, NULL), 0);
    }
    informer_start(informer);
    informer_assert_told(&told[0], "+default/a +other/b");
    assert_code(kin_informer_set_namespaces(informer, namespaces, 1, NULL), 0);
    informer_assert_told(&told[1], "+default/a +other/b -other/b?");
    assert_code(kin_apiserver_restart(f.server, true, NULL), 0);
    kin_informer_free(informer);
    for (unsigned i = 0; i < 3; i++)
        informer_told_done(&told[i]);
    informer_close(&f);
}

/* A handler of one informer that frees another, whose handler is told on the same workers. */
struct freeing {
    kin_informer *other;
    kin_test_latch other_told;
    kin_test_latch freed;
};

static void note_told(const kin_event *event, void *arg)
{
    struct freeing *freeing = arg;

    (void)event;
    kin_test_latch_raise(&freeing->other_told);
}

static void free_other(const kin_event *event, void *arg)
{
    struct freeing *freeing = arg;

    (void)event;
    kin_informer_free(freeing->other);
    freeing->other = NULL;
    kin_test_latch_raise(&freeing->freed);
}

/* What is waited for needs the only worker, which is what waits. */
static void a_handler_frees_another_informer(void **state)
{
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_handler_options handler = KIN_HANDLER_OPTIONS_INIT;
    struct freeing freeing;
    informer_fixture f;
    kin_informer *informer;

    (void)state;
    client.n_workers = 1;
    informer_open(&f, NULL, &client);
    informer_put(&f, "default", "a", "x", NULL);
    kin_test_latch_init(&freeing.other_told);
    kin_test_latch_init(&freeing.freed);
    freeing.other = maps_of(&f);
    informer = maps_of(&f);
    handler.delivery = KIN_DELIVER_POOL;
    assert_code(kin_informer_add_handler(freeing.other, NULL, note_told, &freeing, &handler, NULL),
                0);
    assert_code(kin_informer_add_handler(informer, NULL, free_other, &freeing, &handler, NULL), 0);
    informer_start(freeing.other);
    kin_test_latch_wait(&freeing.other_told, 1);
    informer_start(informer);
    kin_test_latch_wait(&freeing.freed, 1);
    kin_informer_free(informer);
    kin_test_latch_done(&freeing.freed);
    kin_test_latch_done(&freeing.other_told);
    informer_close(&f);
}

static void nothing_is_left_over(void **state)
{
    size_t threads = kin_test_count_threads("");

    (void)state;
    live_once();
    /* One that nobody joins may be about to end. */
    kin_test_await_threads("", threads);
    unsigned fds = count_entries("/proc/self/fd");
    size_t live = kin_test_alloc_live();

    for (unsigned i = 0; i < 5; i++)
        live_once();
    kin_test_await_threads("", threads);
    assert_int_equal(count_entries("/proc/self/fd"), fds);
    assert_int_equal(kin_test_alloc_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_are_read),
        cmocka_unit_test(what_is_too_large_is_skipped),
        cmocka_unit_test(what_was_skipped_comes_later),
        cmocka_unit_test(the_encoding_decides_how_it_lists),
        cmocka_unit_test(garbage_is_survived),
        cmocka_unit_test(filters_let_in_and_out),
        cmocka_unit_test(the_loop_is_the_programs_own),
        cmocka_unit_test(handlers_come_and_go_from_handlers),
        cmocka_unit_test(two_informers_of_one_client),
        cmocka_unit_test(the_client_goes_first),
        cmocka_unit_test(a_handler_frees_another_informer),
        cmocka_unit_test(the_client_goes_while_somebody_waits),
        cmocka_unit_test(nothing_is_left_over),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
