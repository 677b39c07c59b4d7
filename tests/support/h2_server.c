/* SPDX-License-Identifier: Apache-2.0 */
#include "h2_server.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kin_test.h"
#include "program.h"

static const char server[] = KIN_TEST_H2_BUILD "/kin-test-h2";

struct kin_test_h2 {
    kin_test_program program;
    char url[128];
};

static bool is_strict(void)
{
    const char *strict = getenv("KIN_STRICT");

    return strict && strcmp(strict, "1") == 0;
}

/* 0, ENOENT where there is no Go, or another number: it did not work. */
static int run_go(void)
{
    const char *const arguments[] = {
        "go", "build", "-C", KIN_TEST_H2_SOURCE, "-buildvcs=false", "-o", server, ".", NULL};
    pid_t pid = 0;
    int status = 0;
    int os_error = posix_spawnp(&pid, "go", NULL, NULL, (char **)(uintptr_t)arguments, environ);

    if (os_error != 0)
        return os_error;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return errno;
    }
    return status == 0 ? 0 : -1;
}

/* Quick where nothing has changed. One at a time: tests run side by side. */
static const char *build(void)
{
    int lock = open(KIN_TEST_H2_BUILD "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    int result = lock >= 0 && flock(lock, LOCK_EX) == 0 ? run_go() : errno;

    if (lock >= 0)
        close(lock);
    if (result == ENOENT && is_strict())
        fail_msg("go is not installed (KIN_STRICT=1)");
    if (result != 0 && result != ENOENT)
        fail_msg("%s does not build: %d", KIN_TEST_H2_SOURCE, result);
    return result == ENOENT ? "go is not installed" : NULL;
}

const char *kin_test_h2_start(kin_test_h2 **ret, const kin_test_h2_options *options)
{
    char streams[16];
    const char *const arguments[] = {server,
                                     options->standard ? "standard" : "frames",
                                     options->certificate_file,
                                     options->key_file,
                                     streams,
                                     NULL};
    const char *why = build();

    if (why)
        return why;
    kin_test_h2 *h2 = calloc(1, sizeof(*h2));

    assert_non_null(h2);
    snprintf(streams, sizeof(streams), "%u", options->streams ? options->streams : 250);
    kin_test_program_start(&h2->program, arguments);
    snprintf(h2->url, sizeof(h2->url), "%s", kin_test_program_hear(&h2->program));
    *ret = h2;
    return NULL;
}

void kin_test_h2_stop(kin_test_h2 *h2)
{
    if (!h2)
        return;
    kin_test_program_stop(&h2->program);
    free(h2);
}

const char *kin_test_h2_url(const kin_test_h2 *h2)
{
    return h2->url;
}

void kin_test_h2_order(kin_test_h2 *h2, const char *format, ...)
{
    char line[512];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    kin_test_program_order(&h2->program, line, NULL);
}

int64_t kin_test_h2_count(kin_test_h2 *h2, const char *what)
{
    kin_test_program_tell(&h2->program, "count", what);
    return strtoll(kin_test_program_hear(&h2->program), NULL, 10);
}

void kin_test_h2_await(kin_test_h2 *h2, const char *what, int64_t n)
{
    kin_test_h2_order(h2, "await %s %" PRId64, what, n);
}
