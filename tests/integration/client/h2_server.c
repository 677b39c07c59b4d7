/* SPDX-License-Identifier: Apache-2.0 */
#include "kin_test.h"

#include "h2_server.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct h2_server {
    pid_t pid;
    FILE *to;
    FILE *from;
    char url[128];
    char line[256];
};

bool h2_server_exists(void)
{
    return access(KIN_TEST_H2_SERVER, X_OK) == 0;
}

static void hear(h2_server *server)
{
    if (!fgets(server->line, sizeof(server->line), server->from))
        fail_msg("the HTTP/2 server has left");
    server->line[strcspn(server->line, "\n")] = '\0';
}

void h2_server_start(h2_server **ret, const kin_test_certificate *certificate, unsigned max_streams)
{
    h2_server *server = calloc(1, sizeof(*server));
    posix_spawn_file_actions_t actions;
    char program[] = KIN_TEST_H2_SERVER;
    char streams[16];
    char *arguments[] = {program, certificate->certificate_file, certificate->key_file, streams,
                         NULL};
    int in[2];
    int out[2];

    assert_non_null(server);
    snprintf(streams, sizeof(streams), "%u", max_streams);
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    assert_int_equal(posix_spawn(&server->pid, program, &actions, NULL, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    server->to = fdopen(in[1], "w");
    server->from = fdopen(out[0], "r");
    assert_non_null(server->to);
    assert_non_null(server->from);
    hear(server);
    memcpy(server->url, server->line, sizeof(server->url));
    *ret = server;
}

void h2_server_stop(h2_server *server)
{
    fclose(server->to);
    fclose(server->from);
    kill(server->pid, SIGKILL); /* it may be frozen */
    waitpid(server->pid, NULL, 0);
    free(server);
}

const char *h2_server_url(const h2_server *server)
{
    return server->url;
}

void h2_server_tell(h2_server *server, const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    vfprintf(server->to, fmt, arguments);
    va_end(arguments);
    fputc('\n', server->to);
    fflush(server->to);
    hear(server);
    assert_string_not_equal(server->line, "what?");
}

h2_stats h2_server_stats(h2_server *server)
{
    h2_stats stats;

    h2_server_tell(server, "stats");
    assert_int_equal(sscanf(server->line, "%u %u %u %u", &stats.accepted, &stats.open,
                            &stats.streams, &stats.most_streams),
                     4);
    return stats;
}

void h2_server_freeze(h2_server *server)
{
    int status;

    kill(server->pid, SIGSTOP);
    assert_int_equal(waitpid(server->pid, &status, WUNTRACED), server->pid);
}

void h2_server_thaw(h2_server *server)
{
    kill(server->pid, SIGCONT);
}
