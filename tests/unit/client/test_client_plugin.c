/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that wait for an exec plugin, beside others that do not. The client has one worker: whoever
 * held it would be seen.
 *
 * The plugin says that it runs by a byte in the pipe "runs", waits for a line in the pipe "gate", and
 * then gives what the file "answer" has; without one it fails.
 */
#include "client_support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"

struct scene {
    client_fixture f;
    kin_clock *clock;
    char folder[64];
    int runs;
    int gate;
};

static const char *in_folder(const struct scene *scene, const char *name)
{
    static char paths[4][128];
    static unsigned n;
    char *path = paths[n++ % 4];

    snprintf(path, sizeof(paths[0]), "%s/%s", scene->folder, name);
    return path;
}

static void write_file(const struct scene *scene, const char *name, const char *text)
{
    FILE *file = fopen(in_folder(scene, name), "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Both ends are open here, so that nobody waits for the other side. */
static int make_pipe(const struct scene *scene, const char *name)
{
    int fd;

    assert_int_equal(mkfifo(in_folder(scene, name), 0600), 0);
    fd = open(in_folder(scene, name), O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

/* Each watch has an event, and another when it is released. */
static void answer(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    (void)arg;
    if (!strstr(request->target, "watch=")) {
        kin_test_http_answer(conn, 200, "application/json", POD);
        return;
    }
    kin_test_http_status(conn, 200);
    kin_test_http_header(conn, "Content-Type", "application/json");
    kin_test_http_chunk_text(conn, EVENT("ADDED", "a", "1"));
    if (kin_test_http_stall(conn))
        kin_test_http_chunk_text(conn, EVENT("ADDED", "b", "2"));
    kin_test_http_wait_for_client_close(conn);
}

static void scene_open(struct scene *scene)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    char text[1024];

    memset(scene, 0, sizeof(*scene));
    strcpy(scene->folder, "/tmp/kin-client-XXXXXX");
    assert_non_null(mkdtemp(scene->folder));
    scene->runs = make_pipe(scene, "runs");
    scene->gate = make_pipe(scene, "gate");
    snprintf(text, sizeof(text),
             "current-context: c\n"
             "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
             "clusters: [{name: k, cluster: {server: \"http://127.0.0.1:1\"}}]\n"
             "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1,\n"
             "  command: /bin/sh, args: [-c, \"cd %s; echo >runs; read x <gate; cat answer\"],\n"
             "  interactiveMode: Never}}}]\n",
             scene->folder);
    write_file(scene, "config", text);
    scene->clock = client_fake_clock();
    options.clock = scene->clock;
    options.n_workers = 1;
    options.timeout_ms = -1;
    config.kubeconfig = in_folder(scene, "config");
    client_open_as(&scene->f, &options, &(kin_test_http_options){.handler = answer}, &config);
}

static void scene_close(struct scene *scene)
{
    static const char *const names[] = {"runs", "gate", "config", "answer"};

    client_close(&scene->f);
    close(scene->runs);
    close(scene->gate);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unlink(in_folder(scene, names[i]));
    rmdir(scene->folder);
    kin_clock_unref(scene->clock);
}

static void set_answer(const struct scene *scene, const char *status)
{
    char text[512];

    snprintf(text, sizeof(text),
             "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
             "\"status\":%s}",
             status);
    write_file(scene, "answer", text);
}

static void await_run(const struct scene *scene)
{
    char byte;

    assert_int_equal(read(scene->runs, &byte, 1), 1);
}

static void let_it_end(const struct scene *scene)
{
    assert_int_equal(write(scene->gate, "\n", 1), 1);
}

static void advance(const struct scene *scene, int64_t seconds)
{
    assert_code(kin_clock_advance(scene->clock, seconds * 1000000000, NULL), 0);
}

static void a_watch_goes_on_while_a_plugin_runs(void **state)
{
    client_told watched;
    client_told got;
    kin_call *calls[2];
    struct scene scene;

    (void)state;
    scene_open(&scene);
    client_told_init(&watched);
    client_told_init(&got);
    set_answer(&scene, "{\"token\":\"one\",\"expirationTimestamp\":\"1970-01-01T00:01:00Z\"}");
    calls[0] = client_start(&scene.f, KIN_VERB_WATCH, &watched, NULL);
    await_run(&scene);
    let_it_end(&scene);
    kin_test_latch_wait(&watched.told, 1);
    advance(&scene, 60);
    set_answer(&scene, "{\"token\":\"two\"}");
    calls[1] = client_start(&scene.f, KIN_VERB_GET, &got, NULL);
    await_run(&scene);
    kin_test_http_release(scene.f.server, 1);
    kin_test_latch_wait(&watched.told, 2);
    assert_string_equal(watched.seen.text, "ADDED:a ADDED:b");
    assert_int_equal(got.n_done, 0);
    let_it_end(&scene);
    client_assert_ended(&got, 0);
    assert_string_equal(
        kin_test_http_field_of(kin_test_http_request_at(scene.f.server, 1), "Authorization"),
        "Bearer two");
    kin_call_cancel(calls[0]);
    client_assert_ended(&watched, KIN_ECANCELED);
    kin_call_unref(calls[0]);
    kin_call_unref(calls[1]);
    scene_close(&scene);
    client_told_done(&watched);
    client_told_done(&got);
}

static void each_waits_for_its_own_time(void **state)
{
    static const int64_t timeouts[] = {2000, 1000, -1, -1};
    enum { N = sizeof(timeouts) / sizeof(timeouts[0]) };
    client_told told[N];
    kin_call *calls[N];
    struct scene scene;

    (void)state;
    scene_open(&scene);
    set_answer(&scene, "{\"token\":\"one\"}");
    for (int i = 0; i < N; i++) {
        kin_request_options options = KIN_REQUEST_OPTIONS_INIT;

        client_told_init(&told[i]);
        options.timeout_ms = timeouts[i];
        calls[i] = client_start(&scene.f, KIN_VERB_GET, &told[i], &options);
        if (i == 0)
            await_run(&scene);
    }
    advance(&scene, 1);
    client_assert_ended(&told[1], KIN_ETIMEOUT);
    assert_non_null(strstr(told[1].err.message, "/bin/sh"));
    assert_int_equal(told[0].n_done, 0);
    kin_call_cancel(calls[2]);
    client_assert_ended(&told[2], KIN_ECANCELED);
    advance(&scene, 1);
    client_assert_ended(&told[0], KIN_ETIMEOUT);
    assert_int_equal(told[3].n_done, 0);
    let_it_end(&scene);
    client_assert_ended(&told[3], 0);
    assert_int_equal(kin_test_http_count(scene.f.server).requests, 1);
    for (int i = 0; i < N; i++) {
        kin_call_unref(calls[i]);
        client_told_done(&told[i]);
    }
    scene_close(&scene);
}

/* Nobody holds them but the credentials. */
static void many_share_one_run(struct scene *scene, int code)
{
    enum { N = 500 };
    client_told *told = calloc(N, sizeof(*told));

    assert_non_null(told);
    for (int i = 0; i < N; i++) {
        client_told_init(&told[i]);
        kin_call_unref(client_start(&scene->f, KIN_VERB_GET, &told[i], NULL));
    }
    await_run(scene);
    let_it_end(scene);
    for (int i = 0; i < N; i++) {
        client_assert_ended(&told[i], code);
        client_told_done(&told[i]);
    }
    free(told);
}

static void all_get_what_one_run_gives(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    set_answer(&scene, "{\"token\":\"one\"}");
    many_share_one_run(&scene, 0);
    scene_close(&scene);
}

static void all_are_told_of_a_failure(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    many_share_one_run(&scene, KIN_EDENIED);
    assert_int_equal(kin_test_http_count(scene.f.server).requests, 0);
    scene_close(&scene);
}

/* They wait for a plugin that never answers. */
static void a_client_with_many_who_wait_is_freed(void **state)
{
    enum { N = 100 };
    client_told told[N];
    struct scene scene;

    (void)state;
    scene_open(&scene);
    for (int i = 0; i < N; i++) {
        client_told_init(&told[i]);
        kin_call_unref(client_start(&scene.f, KIN_VERB_GET, &told[i], NULL));
    }
    await_run(&scene);
    kin_client_free(scene.f.client);
    scene.f.client = NULL;
    for (int i = 0; i < N; i++) {
        assert_int_equal(told[i].n_freed, 1);
        client_assert_ended(&told[i], KIN_ECANCELED);
        client_told_done(&told[i]);
    }
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(a_watch_goes_on_while_a_plugin_runs),  client_test(each_waits_for_its_own_time),
        client_test(all_get_what_one_run_gives),           client_test(all_are_told_of_a_failure),
        client_test(a_client_with_many_who_wait_is_freed),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
