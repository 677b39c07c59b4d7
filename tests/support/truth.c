/* SPDX-License-Identifier: Apache-2.0 */
#include "truth.h"

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc.h"
#include "kin_test.h"
#include "threads.h"

static bool take_line(kin_test_world *ret, size_t n, const char *line)
{
    unsigned long long version, number;
    unsigned which, is_odd;
    char key[64];

    if (sscanf(line, "%u %63s %llu %llu %u", &which, key, &version, &number, &is_odd) != 5 ||
        which >= n || kin_test_slot_of(key) < 0)
        return false;
    ret[which].slots[kin_test_slot_of(key)] =
        (kin_test_slot){.version = version, .n = number, .is_odd = is_odd != 0};
    return true;
}

/* Whether it has ended with what it ends with. */
static bool read_all(kin_test_world *ret, size_t n, FILE *from, char *ret_text, size_t size)
{
    char line[256];

    while (fgets(line, sizeof(line), from)) {
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, "end") == 0)
            return true;
        if (!take_line(ret, n, line)) {
            (void)snprintf(ret_text, size, "truth.py has said \"%s\"", line);
            return false;
        }
    }
    (void)snprintf(ret_text, size, "truth.py has not come to its end");
    return false;
}

/* --- the program --- */

static pid_t spawn(const char *const *arguments, posix_spawn_file_actions_t *actions)
{
    pid_t pid = 0;

    if (posix_spawn(&pid, arguments[0], actions, NULL, (char *const *)(uintptr_t)arguments,
                    environ) != 0)
        abort();
    return pid;
}

static bool has_succeeded(pid_t pid)
{
    int status = -1;

    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/*
 * One for all questions of a process: to start it takes longer than to ask. It ends when its input does, at the
 * latest when we do.
 */
static struct {
    pid_t pid; /* 0: it does not run */
    FILE *to;
    FILE *from;
} teller;

static void start_teller(void)
{
    const char *const arguments[] = {KIN_TEST_PYTHON, "-I", "-S", KIN_TEST_TRUTH, NULL};
    posix_spawn_file_actions_t actions;
    int in[2];
    int out[2];

    if (teller.pid)
        return;
    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 ||
        posix_spawn_file_actions_init(&actions) != 0 ||
        posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO) != 0 ||
        posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO) != 0)
        abort();
    teller.pid = spawn(arguments, &actions);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    teller.to = fdopen(in[1], "w");
    teller.from = fdopen(out[0], "r");
    if (!teller.to || !teller.from)
        abort();
}

static void end_teller(void)
{
    (void)fclose(teller.to);
    (void)fclose(teller.from);
    (void)has_succeeded(teller.pid);
    teller.pid = 0;
}

bool kin_test_truth(kin_test_world *ret, const char *url, const char *const *paths, size_t n,
                    char *ret_text, size_t size)
{
    memset(ret, 0, n * sizeof(*ret));
    start_teller();
    (void)fprintf(teller.to, "%s", url);
    for (size_t i = 0; i < n; i++)
        (void)fprintf(teller.to, " %s", paths[i]);
    (void)fprintf(teller.to, "\n");
    (void)fflush(teller.to);
    bool ok = read_all(ret, n, teller.from, ret_text, size);
    /* What it would say next is of this question, or it is gone. */
    if (!ok)
        end_teller();
    return ok;
}

bool kin_test_post(const char *url, const char *path, const char *body)
{
    const char *const arguments[] = {
        KIN_TEST_PYTHON, KIN_TEST_TRUTH, "--post", url, path, body, NULL};

    return has_succeeded(spawn(arguments, NULL));
}

/* --- what is held --- */

static size_t count_entries(const char *folder)
{
    DIR *dir = opendir(folder);
    size_t n = 0;

    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

void kin_test_hold(kin_test_holdings *ret)
{
    start_teller(); /* its descriptors are there before and after */
    ret->fds = count_entries("/proc/self/fd");
    ret->threads = kin_test_count_threads("");
    ret->allocations = kin_test_alloc_live();
}

bool kin_test_holds_same(const kin_test_holdings *before, char *ret_text, size_t size)
{
    int64_t deadline = kin_test_deadline();
    kin_test_holdings now;

    kin_test_hold(&now);
    /* One that nobody joins may be about to end. */
    while (now.threads > before->threads && kin_test_wait_turn(deadline))
        kin_test_hold(&now);
    if (now.fds == before->fds && now.threads == before->threads &&
        now.allocations == before->allocations)
        return true;
    (void)snprintf(
        ret_text, size, "%zu allocations (%zu before), %zu descriptors (%zu), %zu threads (%zu)",
        now.allocations, before->allocations, now.fds, before->fds, now.threads, before->threads);
    return false;
}
