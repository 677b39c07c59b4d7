/* SPDX-License-Identifier: Apache-2.0 */
/*
 * examples/client.c, against a scripted server.
 */
#include "client_support.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"

/* The exit status; what it printed, to both streams, is in `output`. */
static int run(const char *first, const char *second, char *output, size_t size)
{
    char program[] = KIN_TEST_EXAMPLE;
    char *arguments[] = {program, kin__unconst(first), kin__unconst(second), NULL};
    posix_spawn_file_actions_t actions;
    size_t len = 0;
    ssize_t n;
    int ends[2];
    int status = 0;
    pid_t pid;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    assert_int_equal(posix_spawn(&pid, program, &actions, NULL, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    while ((n = read(ends[0], output + len, size - 1 - len)) > 0)
        len += (size_t)n;
    output[len] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void it_prints_pods(void **state)
{
    char path[] = "/tmp/kin-example-XXXXXX";
    char output[4096];
    client_fixture f;
    FILE *file;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    client_open(&f, NULL, NULL);
    client_route(&f, "GET", "/api", 200, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
    client_route(&f, "GET", "/api/v1", 200,
                 "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{\"name\":"
                 "\"pods\",\"singularName\":\"pod\",\"namespaced\":true,\"kind\":\"Pod\",\"verbs\":"
                 "[\"get\",\"list\",\"watch\"]}]}");
    client_route(&f, "GET", "/api/v1/pods?*", 200, PODS);
    client_route(&f, "GET", "/api/v1/namespaces/ns/pods?limit*", 200,
                 LIST("\"resourceVersion\":\"9\"", ITEM("a")));
    client_route(
        &f, "GET", "/api/v1/namespaces/ns/pods?*", 200,
        EVENT("DELETED", "a", "10") "{\"type\":\"ERROR\",\"object\":" STATUS(410, "Expired") "}");
    file = fdopen(fd, "w");
    assert_non_null(file);
    fprintf(file,
            "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
            "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
            "clusters: [{name: k, cluster: {server: \"%s\"}}]\nusers: [{name: u, user: {}}]\n",
            kin_test_http_url(f.server));
    assert_int_equal(fclose(file), 0);
    setenv("KUBECONFIG", path, 1);
    assert_int_equal(run(NULL, NULL, output, sizeof(output)), 0);
    assert_string_equal(output, "ns/a ?\nns/b ?\n2 pods\n");
    assert_int_equal(run("--watch", "ns", output, sizeof(output)), 1);
    assert_non_null(strstr(output, "ns/a ?\n1 pods\n"));
    assert_non_null(strstr(output, "DELETED a ?\n"));
    assert_non_null(strstr(output, "it says Expired"));
    unlink(path);
    client_close(&f);
}

static void it_says_what_is_wrong(void **state)
{
    char output[4096];

    (void)state;
    setenv("KUBECONFIG", "/nonexistent/kubeconfig", 1);
    unsetenv("KUBERNETES_SERVICE_HOST");
    assert_int_equal(run(NULL, NULL, output, sizeof(output)), 1);
    assert_memory_equal(output, "kinform-client: ", 16);
    assert_true(strlen(output) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_prints_pods),
        cmocka_unit_test(it_says_what_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
