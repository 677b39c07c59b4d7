/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "load.h"

static const char kubeconfig[] =
    "apiVersion: v1\nkind: Config\ncurrent-context: bench\n"
    "clusters: [{name: bench, cluster: {server: \"%s\"}}]\n"
    "users: [{name: bench, user: {}}]\n"
    "contexts: [{name: bench, context: {cluster: bench, user: bench}}]\n";

static int64_t now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* --- its home --- */

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

/* The one whose home is there: whoever dies leaves neither. */
static struct kin_bench_child *alive;

/* kubectl keeps in its home what servers have told it. */
static void clean_up(void)
{
    int before = errno;

    if (!alive)
        return;
    if (alive->pid > 0 && kill(alive->pid, SIGKILL) == 0)
        (void)waitpid(alive->pid, NULL, 0);
    (void)nftw(alive->home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    alive = NULL;
    errno = before;
}

#define give_up(...) (clean_up(), kin_bench_die(__VA_ARGS__))

const char *kin_bench_temporary(void)
{
    const char *folder = getenv("TMPDIR");

    return folder && folder[0] ? folder : "/tmp";
}

static void make_home(struct kin_bench_child *child, const char *url)
{
    FILE *file;

    (void)snprintf(child->home, sizeof(child->home), "%s/kin-bench-XXXXXX", kin_bench_temporary());
    if (!mkdtemp(child->home))
        give_up("%s: %s", child->home, strerror(errno));
    child->pid = 0;
    alive = child;
    (void)snprintf(child->config, sizeof(child->config), "%s/kubeconfig", child->home);
    file = fopen(child->config, "we");
    if (!file || fprintf(file, kubeconfig, url) < 0 || fclose(file) != 0)
        give_up("%s: %s", child->config, strerror(errno));
    if (setenv("KUBECONFIG", child->config, 1) < 0 || setenv("HOME", child->home, 1) < 0)
        give_up("no environment: %s", strerror(errno));
}

/* --- its life --- */

void kin_bench_child_start(struct kin_bench_child *child, const char *url, char *const *argv,
                           bool listens)
{
    posix_spawn_file_actions_t actions;
    int output[2] = {-1, -1};

    make_home(child, url);
    if (listens && pipe2(output, O_CLOEXEC) < 0)
        give_up("no pipe: %s", strerror(errno));
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (listens)
        (void)posix_spawn_file_actions_adddup2(&actions, output[1], STDERR_FILENO);
    child->began = now();
    pid_t pid;
    int code = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    if (code != 0)
        give_up("%s: %s", argv[0], strerror(code));
    (void)posix_spawn_file_actions_destroy(&actions);
    child->pid = pid;
    child->said = NULL;
    if (listens) {
        (void)close(output[1]);
        child->said = fdopen(output[0], "r");
        if (!child->said)
            give_up("no stream: %s", strerror(errno));
    }
}

void kin_bench_child_await(struct kin_bench_child *child, const char *prefix)
{
    char line[1024] = "";

    while (fgets(line, sizeof(line), child->said)) {
        if (strncmp(line, prefix, strlen(prefix)) == 0)
            return;
    }
    give_up("it ended without %s; the last it said was: %s", prefix, line);
}

void kin_bench_child_used(const struct kin_bench_child *child, struct kin_bench_usage *ret)
{
    struct timespec time;
    clockid_t clock;

    ret->wall = now() - child->began;
    if (clock_getcpuclockid(child->pid, &clock) != 0 || clock_gettime(clock, &time) < 0)
        give_up("its CPU time is not known");
    ret->cpu = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void kin_bench_child_memory(const struct kin_bench_child *child, struct kin_bench_memory *ret)
{
    if (kin_bench_memory_read_of(child->pid, ret) < 0)
        give_up("its memory is not known: it has ended, perhaps");
}

void kin_bench_child_stop(struct kin_bench_child *child)
{
    int status = 0;

    if (waitpid(child->pid, &status, WNOHANG) != 0) {
        child->pid = 0;
        give_up("it ended before it was stopped, with status %d", status);
    }
    if (kill(child->pid, SIGTERM) < 0 || waitpid(child->pid, &status, 0) < 0)
        give_up("it cannot be stopped: %s", strerror(errno));
    child->pid = 0;
    if (child->said)
        (void)fclose(child->said);
    clean_up();
}

static int64_t nanoseconds(struct timeval time)
{
    return (int64_t)time.tv_sec * 1000000000 + (int64_t)time.tv_usec * 1000;
}

void kin_bench_child_wait(struct kin_bench_child *child, struct kin_bench_usage *ret,
                          size_t *ret_peak_rss)
{
    struct rusage used;
    int status = 0;

    if (wait4(child->pid, &status, 0, &used) < 0)
        give_up("it cannot be waited for: %s", strerror(errno));
    ret->wall = now() - child->began;
    ret->cpu = nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime);
    *ret_peak_rss = (size_t)used.ru_maxrss * 1024;
    child->pid = 0;
    clean_up();
    if (status != 0)
        give_up("it ended with status %d", status);
}
