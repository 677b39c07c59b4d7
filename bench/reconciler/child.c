/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The controller that is measured: the program of the examples, which knows nothing of it.
 */
#include "reconciler.h"

#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char kubeconfig[] =
    "apiVersion: v1\nkind: Config\ncurrent-context: bench\n"
    "clusters: [{name: bench, cluster: {server: \"%s\"}}]\n"
    "users: [{name: bench, user: {}}]\n"
    "contexts: [{name: bench, context: {cluster: bench, user: bench}}]\n";

static void write_kubeconfig(struct kin_bench_child *child, const char *url)
{
    int fd;

    (void)snprintf(child->kubeconfig, sizeof(child->kubeconfig), "/tmp/kin-bench-XXXXXX");
    fd = mkstemp(child->kubeconfig);
    if (fd < 0 || dprintf(fd, kubeconfig, url) < 0 || close(fd) < 0)
        kin_bench_die("%s: %s", child->kubeconfig, strerror(errno));
}

static void run_program(const char *program, int input, int output)
{
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0)
        (void)execl(program, program, (char *)NULL);
    _exit(127);
}

void kin_bench_child_start(struct kin_bench_child *child, const char *program, const char *url)
{
    char line[256] = "";
    int input[2];
    int output[2];

    write_kubeconfig(child, url);
    /* Before the fork: other threads may be allocating. */
    if (setenv("KUBECONFIG", child->kubeconfig, 1) < 0 || pipe2(input, O_CLOEXEC) < 0 ||
        pipe2(output, O_CLOEXEC) < 0)
        kin_bench_die("no pipes: %s", strerror(errno));
    child->pid = fork();
    if (child->pid < 0)
        kin_bench_die("fork: %s", strerror(errno));
    if (child->pid == 0)
        run_program(program, input[0], output[1]);
    (void)close(input[0]);
    (void)close(output[1]);
    child->input = input[1];
    FILE *in = fdopen(output[0], "r");
    bool runs = in && fgets(line, sizeof(line), in) && strncmp(line, "running", 7) == 0;

    (void)unlink(child->kubeconfig);
    if (!runs)
        kin_bench_die("%s does not run: %s", program, line);
    child->output = in;
}

int64_t kin_bench_child_cpu(const struct kin_bench_child *child)
{
    struct timespec time;
    clockid_t clock;

    if (clock_getcpuclockid(child->pid, &clock) != 0 || clock_gettime(clock, &time) < 0)
        kin_bench_die("the controller's CPU time is not known");
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void kin_bench_child_stop(struct kin_bench_child *child)
{
    int status = 0;

    if (write(child->input, "\n", 1) != 1 || waitpid(child->pid, &status, 0) < 0 || status != 0)
        kin_bench_die("the controller ended with status %d", status);
    (void)close(child->input);
    (void)fclose(child->output);
}
