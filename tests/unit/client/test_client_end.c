/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that are ended at every stage of their lives: cancelled, or by the end of their client,
 * from outside and from their own callbacks.
 */
#include "client_support.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "certificates.h"
#include "child.h"
#include "kinform/list_watch.h"
#include "threads.h"

/* --- stages --- */

enum stage {
    AT_RATE_LIMIT,  /* its turn has not come */
    AT_CREDENTIALS, /* a plugin does not answer */
    AT_HANDSHAKE,   /* the server does not go on with TLS */
    AT_HEAD,        /* it was sent, and nothing comes */
    AT_LIST,        /* some items have come */
    AT_WATCH,       /* an event has come */
    AT_RETRY,       /* the server has said when to come back */
    N_STAGES
};

static const char *const stage_names[] = {"rate limit", "credentials", "handshake", "head",
                                          "list",       "watch",       "retry"};

struct scene {
    client_fixture f;
    enum stage stage;
    kin_clock *clock;
    char folder[64];
    int plugin; /* the reading end of what a plugin writes when it runs */
};

static void send_and_stall(kin_test_http_conn *conn, const kin_test_http_request *request,
                           void *arg)
{
    (void)arg;
    kin_test_http_status(conn, 200);
    kin_test_http_header(conn, "Content-Type", "application/json");
    if (strstr(request->target, "watch="))
        kin_test_http_chunk_text(conn, EVENT("ADDED", "a", "1"));
    else
        kin_test_http_chunk_text(conn, "{\"items\":[" ITEM("a") ",");
    kin_test_http_stall(conn);
}

static char *in_folder(const struct scene *scene, char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", scene->folder, name);
    return path;
}

/* A kubeconfig whose plugin says that it runs, and nothing else. */
static void write_kubeconfig(struct scene *scene)
{
    char pipe[128];
    char path[128];
    FILE *file;

    strcpy(scene->folder, "/tmp/kin-client-XXXXXX");
    assert_non_null(mkdtemp(scene->folder));
    assert_int_equal(mkfifo(in_folder(scene, pipe, sizeof(pipe), "pipe"), 0600), 0);
    scene->plugin = open(pipe, O_RDWR | O_CLOEXEC);
    assert_true(scene->plugin >= 0);
    file = fopen(in_folder(scene, path, sizeof(path), "config"), "w");
    assert_non_null(file);
    fprintf(file,
            "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
            "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
            "clusters: [{name: k, cluster: {server: \"http://127.0.0.1:1\"}}]\n"
            "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1,\n"
            "  command: /bin/sh, args: [-c, \"echo > %s; exec sleep 1000\"],\n"
            "  interactiveMode: Never}}}]\n",
            pipe);
    assert_int_equal(fclose(file), 0);
}

static void scene_open(struct scene *scene, enum stage stage)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_test_http_options server = {.handler = send_and_stall};
    char path[128];

    memset(scene, 0, sizeof(*scene));
    scene->stage = stage;
    scene->plugin = -1;
    if (stage == AT_RATE_LIMIT || stage == AT_RETRY)
        scene->clock = client_fake_clock();
    options.clock = scene->clock;
    options.qps = stage == AT_RATE_LIMIT ? 0.001 : 0;
    options.burst = 1;
    options.timeout_ms = -1;
    if (stage == AT_CREDENTIALS) {
        write_kubeconfig(scene);
        config.kubeconfig = in_folder(scene, path, sizeof(path), "config");
    }
    if (stage == AT_HANDSHAKE)
        server.tls = (kin_test_tls){.certificate = kin_test_group_pki->server.certificate,
                                    .key = kin_test_group_pki->server.key,
                                    .fate = KIN_TEST_TLS_STALLED};
    client_open_as(&scene->f, &options, &server, &config);
    if (stage == AT_RATE_LIMIT) {
        client_route(&scene->f, NULL, NULL, 200, POD);
        assert_code(kin_client_get(scene->f.client, NULL, scene->f.pods, "ns", "web", NULL, NULL),
                    0);
    } else if (stage == AT_HEAD) {
        kin_test_http_add_route(scene->f.server,
                                &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_FIRST});
    } else if (stage == AT_RETRY) {
        kin_test_http_add_route(scene->f.server,
                                &(kin_test_http_route){.status = 429,
                                                       .fields = "Retry-After: 10\r\n",
                                                       .body = STATUS(429, "TooManyRequests")});
    }
}

static enum kin_verb verb_of(enum stage stage)
{
    if (stage == AT_LIST)
        return KIN_VERB_LIST;
    return stage == AT_WATCH ? KIN_VERB_WATCH : KIN_VERB_GET;
}

/* Until `n` requests have come to the stage. */
static void await_stage(struct scene *scene, unsigned n)
{
    char byte;

    switch (scene->stage) {
    case AT_CREDENTIALS:
        assert_int_equal(read(scene->plugin, &byte, 1), 1);
        break;
    case AT_RATE_LIMIT:
    case AT_RETRY:
        /* The I/O thread waits for the clock. */
        assert_code(kin_clock_await_waiters(scene->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
        break;
    case AT_HANDSHAKE:
        kin_test_http_await_connections(scene->f.server, n);
        break;
    default:
        kin_test_http_await_stalled(scene->f.server, n);
        break;
    }
}

static void scene_close(struct scene *scene)
{
    client_close(&scene->f);
    if (scene->plugin >= 0) {
        char path[128];

        close(scene->plugin);
        unlink(in_folder(scene, path, sizeof(path), "pipe"));
        unlink(in_folder(scene, path, sizeof(path), "config"));
        rmdir(scene->folder);
    }
    kin_clock_unref(scene->clock);
}

static kin_call *start(struct scene *scene, client_told *told)
{
    kin_call *call;

    client_told_init(told);
    call = client_start(&scene->f, verb_of(scene->stage), told, NULL);
    await_stage(scene, 1);
    if (scene->stage == AT_LIST || scene->stage == AT_WATCH)
        kin_test_latch_wait(&told->told, 1);
    return call;
}

/* --- from outside --- */

static void a_request_is_cancelled_at_every_stage(void **state)
{
    (void)state;
    for (enum stage stage = 0; stage < N_STAGES; stage++) {
        struct scene scene;
        client_told told;
        kin_call *call;

        print_message("%s\n", stage_names[stage]);
        scene_open(&scene, stage);
        call = start(&scene, &told);
        assert_int_equal(told.n_done, 0);
        kin_call_cancel(call);
        kin_call_cancel(call);
        client_assert_ended(&told, KIN_ECANCELED);
        assert_true(told.err.message[0]);
        assert_code(kin_call_wait(call, -1, NULL), 0);
        kin_call_cancel(call);
        kin_call_unref(call);
        scene_close(&scene);
        client_told_done(&told);
    }
    kin_call_cancel(NULL);
}

static void a_client_is_freed_at_every_stage(void **state)
{
    (void)state;
    for (enum stage stage = 0; stage < N_STAGES; stage++) {
        struct scene scene;
        client_told told;
        kin_call *call;

        print_message("%s\n", stage_names[stage]);
        scene_open(&scene, stage);
        call = start(&scene, &told);
        kin_client_free(scene.f.client);
        scene.f.client = NULL;
        /* It has waited for the last callback. */
        assert_int_equal(told.n_freed, 1);
        client_assert_ended(&told, KIN_ECANCELED);
        /* What is left of the request can be used. */
        assert_code(kin_call_wait(call, 0, NULL), 0);
        kin_call_cancel(call);
        kin_call_unref(call);
        scene_close(&scene);
        client_told_done(&told);
    }
}

/* The threads are gone with it: who leaves main() next leaves nobody at work. */
static void no_thread_outlives_a_client(void **state)
{
    enum { TIMES = 50, WATCHES = 5 };

    (void)state;
    for (unsigned i = 0; i < TIMES; i++) {
        client_told told[WATCHES];
        struct scene scene;

        scene_open(&scene, AT_WATCH);
        for (unsigned k = 0; k < WATCHES; k++)
            kin_call_unref(start(&scene, &told[k]));
        assert_in_range(kin_test_count_threads("kin-"), 2, 3);
        kin_client_free(scene.f.client);
        assert_int_equal(kin_test_count_threads("kin-"), 0);
        scene.f.client = NULL;
        for (unsigned k = 0; k < WATCHES; k++) {
            client_assert_ended(&told[k], KIN_ECANCELED);
            client_told_done(&told[k]);
        }
        scene_close(&scene);
    }
}

struct sync {
    struct scene *scene;
    client_seen seen;
    int code;
    kin_error err;
};

static void *run_sync(void *arg)
{
    struct sync *sync = arg;
    client_fixture *f = &sync->scene->f;

    switch (verb_of(sync->scene->stage)) {
    case KIN_VERB_LIST:
        sync->code = kin_client_list(f->client, NULL, f->pods, NULL, client_see_item, &sync->seen,
                                     NULL, &sync->err);
        break;
    case KIN_VERB_WATCH:
        sync->code = kin_client_watch(f->client, f->pods, NULL, client_see_event, &sync->seen, NULL,
                                      &sync->err);
        break;
    default:
        sync->code = kin_client_get(f->client, NULL, f->pods, "ns", "web", NULL, &sync->err);
        break;
    }
    return NULL;
}

/* Before it is sent, one request cannot be told from many: a thread may not have begun. */
static bool is_counted(enum stage stage)
{
    return stage == AT_HEAD || stage == AT_LIST || stage == AT_WATCH;
}

static void a_client_is_freed_while_others_wait(void **state)
{
    enum { MAX = 4 };

    (void)state;
    for (enum stage stage = 0; stage < N_STAGES; stage++) {
        unsigned n = is_counted(stage) ? MAX : 1;
        struct sync sync[MAX];
        pthread_t threads[MAX];
        struct scene scene;

        print_message("%s\n", stage_names[stage]);
        scene_open(&scene, stage);
        for (unsigned i = 0; i < n; i++) {
            sync[i] = (struct sync){.scene = &scene, .err = KIN_ERROR_INIT};
            assert_int_equal(pthread_create(&threads[i], NULL, run_sync, &sync[i]), 0);
        }
        await_stage(&scene, n);
        kin_client_free(scene.f.client);
        scene.f.client = NULL;
        for (unsigned i = 0; i < n; i++) {
            pthread_join(threads[i], NULL);
            assert_code(sync[i].code, KIN_ECANCELED);
            assert_true(sync[i].err.message[0]);
        }
        scene_close(&scene);
    }
}

/* --- from many threads --- */

static void *cancel_often(void *arg)
{
    for (int i = 0; i < 100; i++)
        kin_call_cancel(arg);
    kin_call_unref(arg);
    return NULL;
}

static void many_threads_cancel(void **state)
{
    struct scene scene;
    client_told told;
    pthread_t threads[8];
    kin_call *call;

    (void)state;
    scene_open(&scene, AT_WATCH);
    call = start(&scene, &told);
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, cancel_often, kin_call_ref(call)), 0);
    kin_call_unref(call);
    client_assert_ended(&told, KIN_ECANCELED);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    scene_close(&scene);
    client_told_done(&told);
}

/* Somebody cancels while somebody else has not even begun. */
static void a_request_is_cancelled_before_it_has_begun(void **state)
{
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    client_route(&f, NULL, NULL, 200, POD);
    for (int i = 0; i < 200; i++) {
        client_told told;
        kin_call *call;

        client_told_init(&told);
        call = client_start(&f, KIN_VERB_GET, &told, NULL);
        kin_call_cancel(call);
        kin_call_unref(call);
        kin_test_latch_wait(&told.ended, 1);
        if (told.code != 0)
            assert_code(told.code, KIN_ECANCELED);
        client_told_done(&told);
    }
    client_close(&f);
}

/* --- from callbacks --- */

struct inside {
    client_fixture *f;
    char when; /* what client_told.hook is called with */
    bool free; /* the client; else cancel */
    _Atomic(kin_call *) call;
    kin_test_latch ready;
};

static void end_from_inside(client_told *told, char what)
{
    struct inside *inside = told->hook_arg;

    if (what != inside->when)
        return;
    kin_test_latch_wait(&inside->ready, 1);
    if (!inside->free) {
        kin_call_cancel(inside->call);
    } else {
        kin_client_free(inside->f->client);
        inside->f->client = NULL;
    }
}

/* All of the answer is there already when the first callback runs. */
static void run_inside(enum kin_verb verb, char when, bool free_client, int expected,
                       const char *seen)
{
    struct inside inside = {.when = when, .free = free_client};
    client_fixture f;
    client_told told;

    client_open(&f, NULL, NULL);
    client_told_init(&told);
    inside.f = &f;
    kin_test_latch_init(&inside.ready);
    told.hook = end_from_inside;
    told.hook_arg = &inside;
    client_route(&f, NULL, NULL, 200,
                 verb == KIN_VERB_LIST ? PODS
                                       : EVENT("ADDED", "a", "1") EVENT("DELETED", "a", "2"));
    inside.call = client_start(&f, verb, &told, NULL);
    kin_test_latch_raise(&inside.ready);
    client_assert_ended(&told, expected);
    assert_string_equal(told.seen.text, seen);
    assert_code(kin_call_wait(inside.call, -1, NULL), 0);
    kin_call_unref(inside.call);
    client_close(&f);
    kin_test_latch_done(&inside.ready);
    client_told_done(&told);
}

static void a_request_is_ended_by_its_own_callback(void **state)
{
    (void)state;
    for (int free_client = 0; free_client < 2; free_client++) {
        run_inside(KIN_VERB_LIST, 'i', free_client, KIN_ECANCELED, "ns/a");
        run_inside(KIN_VERB_WATCH, 'e', free_client, KIN_ECANCELED, "ADDED:a");
        /* Too late: it is told how it has ended. */
        run_inside(KIN_VERB_LIST, 'd', free_client, 0, "ns/a ns/b");
        run_inside(KIN_VERB_LIST, 'f', free_client, 0, "ns/a ns/b");
    }
}

static void cancel_by_slot(client_told *told, char what)
{
    if (what == 'i')
        kin_call_cancel(*(kin_call **)told->hook_arg);
}

/* The first callback may run before the start has returned, and has the call all the same. */
static void a_callback_has_the_call(void **state)
{
    kin_request request = KIN_REQUEST_INIT;
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    client_route(&f, NULL, NULL, 200, PODS);
    request.verb = KIN_VERB_LIST;
    request.resource = f.pods;
    for (int i = 0; i < 100; i++) {
        kin_call *call = NULL;
        kin_call_handlers handlers;
        client_told told;

        client_told_init(&told);
        told.hook = cancel_by_slot;
        told.hook_arg = &call;
        handlers = client_told_handlers(&told);
        assert_code(kin_client_start(f.client, &call, &request, &handlers, NULL), 0);
        client_assert_ended(&told, KIN_ECANCELED);
        assert_string_equal(told.seen.text, "ns/a");
        kin_call_unref(call);
        client_told_done(&told);
    }
    client_close(&f);
}

/* What could not be started leaves the caller's variable as it was. */
static void a_call_that_does_not_start_is_not_given(void **state)
{
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_request request = KIN_REQUEST_INIT;
    kin_list_watch *source = NULL;
    kin_operation *operation = NULL;
    char mark;
    kin_call *call = (kin_call *)(void *)&mark;
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    request.verb = KIN_VERB_LIST;
    request.resource = f.pods;
    assert_code(kin_client_start(f.client, &call, &request, &handlers, NULL), KIN_EINVAL);
    assert_ptr_equal(call, &mark);
    handlers.item = client_see_item;
    assert_code(kin_client_list_watch(f.client, &source, f.pods, NULL, NULL), 0);
    kin_client_free(f.client);
    f.client = NULL;
    assert_code(kin_list_watch_list(source, &operation, NULL, &handlers, NULL), KIN_ECLOSED);
    assert_null(operation);
    kin_list_watch_unref(source);
    client_close(&f);
}

/* While it is freed in one callback, others are under way. */
static void a_callback_frees_the_client_of_others(void **state)
{
    enum { N = 10 };
    struct inside inside = {.when = 'd', .free = true};
    client_fixture f;
    client_told told[N + 1];

    (void)state;
    client_open(&f, NULL, NULL);
    kin_test_latch_init(&inside.ready);
    inside.f = &f;
    client_route(&f, "DELETE", NULL, 200, POD);
    kin_test_http_add_route(f.server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_FIRST});
    for (unsigned i = 0; i < N; i++) {
        client_told_init(&told[i]);
        kin_call_unref(client_start(&f, KIN_VERB_GET, &told[i], NULL));
    }
    kin_test_http_await_stalled(f.server, N);
    client_told_init(&told[N]);
    told[N].hook = end_from_inside;
    told[N].hook_arg = &inside;
    kin_call_unref(client_start(&f, KIN_VERB_DELETE, &told[N], NULL));
    kin_test_latch_raise(&inside.ready);
    client_assert_ended(&told[N], 0);
    for (unsigned i = 0; i < N; i++)
        client_assert_ended(&told[i], KIN_ECANCELED);
    for (unsigned i = 0; i <= N; i++)
        client_told_done(&told[i]);
    client_close(&f);
    kin_test_latch_done(&inside.ready);
}

struct sync_inside {
    client_fixture *f;
    unsigned n;
};

static int free_in_item(const kin_object *object, void *arg, kin_error *err)
{
    struct sync_inside *inside = arg;

    (void)object;
    (void)err;
    inside->n++;
    kin_client_free(inside->f->client);
    inside->f->client = NULL;
    return 0;
}

static int free_in_event(enum kin_watch_type type, const kin_object *object, void *arg,
                         kin_error *err)
{
    (void)type;
    return free_in_item(object, arg, err);
}

static void a_client_is_freed_by_a_callback_that_is_waited_for(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        client_fixture f;
        struct sync_inside inside = {&f, 0};
        int code;

        client_open(&f, NULL, NULL);
        client_route(&f, NULL, NULL, 200,
                     i == 1 ? EVENT("ADDED", "a", "1") EVENT("DELETED", "a", "2")
                            : LIST("\"continue\":\"more\"", ITEM("a") "," ITEM("b")));
        if (i == 0)
            code = kin_client_list(f.client, NULL, f.pods, NULL, free_in_item, &inside, NULL, NULL);
        else if (i == 1)
            code = kin_client_watch(f.client, f.pods, NULL, free_in_event, &inside, NULL, NULL);
        else
            code = kin_client_list_all(f.client, NULL, f.pods, NULL, free_in_item, NULL, &inside,
                                       NULL, NULL);
        assert_code(code, KIN_ECANCELED);
        assert_int_equal(inside.n, 1);
        client_close(&f);
    }
}

/* --- fork --- */

struct forked {
    client_fixture *f;
    kin_call *call;
};

static int in_child(void *arg)
{
    struct forked *forked = arg;
    client_fixture *f = forked->f;
    kin_request request = KIN_REQUEST_INIT;
    kin_resource *resource = NULL;
    client_seen seen = {.n = 0};
    char *text = NULL;

    request.resource = f->pods;
    request.namespace_ = "ns";
    request.name = "web";
    if (kin_client_get(f->client, NULL, f->pods, "ns", "web", NULL, NULL) != KIN_EFORKED)
        return 1;
    if (kin_client_start(f->client, NULL, &request, NULL, NULL) != KIN_EFORKED)
        return 2;
    if (kin_client_resolve(f->client, &resource, "pods", NULL) != KIN_EFORKED)
        return 3;
    if (kin_client_get_text(f->client, &text, NULL, "/version", NULL) != KIN_EFORKED)
        return 4;
    if (kin_client_list_all(f->client, NULL, f->pods, NULL, client_see_item, NULL, &seen, NULL,
                            NULL) != KIN_EFORKED)
        return 5;
    if (kin_call_wait(forked->call, -1, NULL) != KIN_EFORKED)
        return 6;
    kin_call_cancel(forked->call);
    kin_call_unref(forked->call);
    kin_client_free(f->client);
    return 0;
}

static void a_forked_child_has_no_client(void **state)
{
    (void)state;
    for (enum stage stage = 0; stage < N_STAGES; stage++) {
        struct scene scene;
        client_told told;
        kin_test_child child;
        struct forked forked = {&scene.f, NULL};

        print_message("%s\n", stage_names[stage]);
        scene_open(&scene, stage);
        forked.call = start(&scene, &told);
        kin_test_run_child(&child, in_child, &forked);
        if (child.exit_code != 0)
            print_error("signal %d: %s\n", child.signal, child.output);
        assert_int_equal(child.exit_code, 0);
        /* Nothing of it is felt here. */
        assert_int_equal(told.n_done, 0);
        kin_call_cancel(forked.call);
        client_assert_ended(&told, KIN_ECANCELED);
        kin_call_unref(forked.call);
        scene_close(&scene);
        client_told_done(&told);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(a_request_is_cancelled_at_every_stage),
        client_test(a_client_is_freed_at_every_stage),
        client_test(no_thread_outlives_a_client),
        client_test(a_client_is_freed_while_others_wait),
        client_test(many_threads_cancel),
        client_test(a_request_is_cancelled_before_it_has_begun),
        client_test(a_request_is_ended_by_its_own_callback),
        client_test(a_callback_has_the_call),
        client_test(a_call_that_does_not_start_is_not_given),
        client_test(a_callback_frees_the_client_of_others),
        client_test(a_client_is_freed_by_a_callback_that_is_waited_for),
        client_test(a_forked_child_has_no_client),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, kin_test_pki_setup, kin_test_pki_teardown);
}
