/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kin_test.h"

#ifdef KIN_COVERAGE
/* A child ends by _exit(), which does not write the counts. */
void dump_coverage(void) __asm__("__gcov_dump");
#else
static void dump_coverage(void)
{
}
#endif

/* A child that is meant to abort needs no core file and no cmocka handlers. */
static void prepare_child(int output)
{
    static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    const struct rlimit none = {0, 0};

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        signal(signals[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &none);
    dup2(output, STDERR_FILENO);
}

static void read_all(int fd, char *buf, size_t size)
{
    size_t len = 0;
    char rest[512] = {0}; /* what does not fit is read all the same, so that the child can end */

    for (;;) {
        size_t room = size - 1 - len;
        ssize_t n = read(fd, room ? buf + len : rest, room ? room : sizeof(rest));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        if (room)
            len += (size_t)n;
    }
    buf[len] = '\0';
}

void kin_test_run_child(kin_test_child *ret, int (*fn)(void *arg), void *arg)
{
    int ends[2];
    int status = 0;

    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(ends[0]);
        prepare_child(ends[1]);
        int result = fn(arg);

        dump_coverage();
        _exit(result);
    }
    close(ends[1]);
    read_all(ends[0], ret->output, sizeof(ret->output));
    close(ends[0]);
    while (waitpid(pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    ret->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ret->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
