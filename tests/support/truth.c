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

enum { PATHS_MAX = 16 };

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

/* Its process; *ret_from: its output, if it is wanted. */
static pid_t start(const char *const *arguments, FILE **ret_from)
{
    posix_spawn_file_actions_t actions;
    int ends[2] = {-1, -1};
    pid_t pid = 0;

    if (posix_spawn_file_actions_init(&actions) != 0)
        abort();
    if (ret_from && (pipe2(ends, O_CLOEXEC) < 0 ||
                     posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) != 0))
        abort();
    if (posix_spawn(&pid, arguments[0], &actions, NULL, (char *const *)(uintptr_t)arguments,
                    environ) != 0)
        abort();
    posix_spawn_file_actions_destroy(&actions);
    if (ret_from) {
        close(ends[1]);
        *ret_from = fdopen(ends[0], "r");
        if (!*ret_from)
            abort();
    }
    return pid;
}

static bool has_succeeded(pid_t pid)
{
    int status = -1;

    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool kin_test_truth(kin_test_world *ret, const char *url, const char *const *paths, size_t n,
                    char *ret_text, size_t size)
{
    const char *arguments[PATHS_MAX + 6] = {KIN_TEST_PYTHON, "-I", "-S", KIN_TEST_TRUTH, url};
    FILE *from = NULL;

    memset(ret, 0, n * sizeof(*ret));
    for (size_t i = 0; i < n && i < PATHS_MAX; i++)
        arguments[5 + i] = paths[i];
    pid_t pid = start(arguments, &from);
    bool ok = read_all(ret, n, from, ret_text, size);

    (void)fclose(from);
    if (!has_succeeded(pid) && ok) {
        (void)snprintf(ret_text, size, "truth.py has failed");
        ok = false;
    }
    return ok;
}

bool kin_test_post(const char *url, const char *path, const char *body)
{
    const char *const arguments[] = {
        KIN_TEST_PYTHON, KIN_TEST_TRUTH, "--post", url, path, body, NULL};

    return has_succeeded(start(arguments, NULL));
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
