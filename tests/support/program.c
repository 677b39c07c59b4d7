/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kin_test.h"

void kin_test_program_start(kin_test_program *program, const char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    int in[2];
    int out[2];

    memset(program, 0, sizeof(*program));
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    int os_error = posix_spawn(&program->pid, arguments[0], &actions, NULL,
                               (char **)(uintptr_t)arguments, environ);

    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    program->to = in[1];
    program->from = out[0];
    if (os_error != 0)
        fail_msg("%s: %s", arguments[0], strerror(os_error));
}

void kin_test_program_wait(kin_test_program *program, int options)
{
    int status = 0;

    while (waitpid(program->pid, &status, options) < 0)
        assert_int_equal(errno, EINTR);
    if (options == 0)
        program->pid = 0;
}

void kin_test_program_stop(kin_test_program *program)
{
    /* Before it begins to end: LeakSanitizer stops threads then, and this would undo it. */
    if (program->pid != 0)
        kill(program->pid, SIGCONT);
    close(program->to);
    if (program->pid != 0)
        kin_test_program_wait(program, 0);
    close(program->from);
}

void kin_test_program_tell(kin_test_program *program, const char *command, const char *text)
{
    char line[1024];
    int len = snprintf(line, sizeof(line), "%s%s%s\n", command, text ? " " : "", text ? text : "");

    assert_true(len > 0 && (size_t)len < sizeof(line));
    assert_int_equal(write(program->to, line, (size_t)len), len);
}

const char *kin_test_program_hear(kin_test_program *program)
{
    for (size_t len = 0;; len++) {
        struct pollfd fd = {.fd = program->from, .events = POLLIN};

        if (poll(&fd, 1, KIN_TEST_TIMEOUT_MS) != 1)
            fail_msg("the program does not answer");
        assert_true(len < sizeof(program->line));
        if (read(program->from, program->line + len, 1) != 1)
            fail_msg("the program has left");
        if (program->line[len] != '\n')
            continue;
        program->line[len] = '\0';
        return program->line;
    }
}

void kin_test_program_order(kin_test_program *program, const char *command, const char *text)
{
    kin_test_program_tell(program, command, text);
    const char *answer = kin_test_program_hear(program);

    if (strcmp(answer, "ok") != 0)
        fail_msg("%s %s: %s", command, text ? text : "", answer);
}
