/* SPDX-License-Identifier: Apache-2.0 */
#include "replay_server.h"

#include <stdio.h>
#include <string.h>

const char *replay_program(void)
{
    return program_path("KIN_BENCH_REPLAY", "kin-bench-replay");
}

/* "listening http://127.0.0.1:PORT", or "listening https://127.0.0.1:PORT ca FILE"; whole lines. */
static bool parse_announcement(struct server *s, const char *line)
{
    unsigned port = 0;
    int end = 0;

    s->ca[0] = '\0';
    if (sscanf(line, "listening https://127.0.0.1:%u ca %1023s%n", &port, s->ca, &end) < 2)
        (void)sscanf(line, "listening http://127.0.0.1:%u%n", &port, &end);
    s->port = (uint16_t)port;
    (void)snprintf(s->url, sizeof(s->url), "http%s://127.0.0.1:%u", s->ca[0] ? "s" : "", port);
    return end > 0 && line[end] == '\n' && port >= 1 && port <= 65535;
}

void server_start(struct server *s, const char *const *args)
{
    char line[1200];

    child_start(&s->child, replay_program(), args, -1);
    child_read(s->child.out, line, sizeof(line), true);
    if (!parse_announcement(s, line)) {
        char err[1024];

        child_read(s->child.err, err, sizeof(err), false);
        fail_msg("it said: %s%s", line, err);
    }
}

void server_stop(struct server *s)
{
    assert_int_equal(child_wait(&s->child), 0);
}
