/* SPDX-License-Identifier: Apache-2.0 */
#include "replay_fixture.h"

#include <stdio.h>
#include <string.h>

#include "pods_fixture.h"

const char replay_protobuf_list[] = "k8s\0 not really protobuf, but bytes";
char *replay_data;
static bool secure; /* this time with TLS */

/* --- data --- */

static size_t put_frame(char *out, const char *payload, size_t len)
{
    out[0] = (char)(len >> 24);
    out[1] = (char)(len >> 16);
    out[2] = (char)(len >> 8);
    out[3] = (char)len;
    memcpy(out + 4, payload, len);
    return len + 4;
}

static void make_data(bool with_tls)
{
    static char frames[64 * 1024];
    size_t len = 0;

    secure = with_tls;
    replay_data = make_pods_dir(REPLAY_PODS, REPLAY_EVENTS, KIN_BENCH_FILES_ALL);
    write_file(replay_data, "pods.pb", replay_protobuf_list, sizeof(replay_protobuf_list));
    for (unsigned i = 0; i < REPLAY_INITIAL_FRAMES; i++) {
        char payload[128];
        int n = snprintf(payload, sizeof(payload), "pod %u", i);

        len += put_frame(frames + len, payload, (size_t)n);
    }
    write_file(replay_data, "stream.pbs", frames, len);
    len = 0;
    for (unsigned i = 0; i < REPLAY_FRAMES; i++) {
        char payload[128];
        int n = snprintf(payload, sizeof(payload),
                         "event %u" KIN_BENCH_SENT_KEY "\x12\x13" KIN_BENCH_SENT_ZERO "end", i);

        len += put_frame(frames + len, payload, (size_t)n);
    }
    write_file(replay_data, "events.pbs", frames, len);
}

int replay_make_data(void **state)
{
    (void)state;
    make_data(false);
    return 0;
}

int replay_make_data_for_tls(void **state)
{
    (void)state;
    make_data(true);
    return 0;
}

int replay_drop_data(void **state)
{
    (void)state;
    remove_dir(replay_data);
    return 0;
}

/* --- server --- */

void server_start_as_asked(struct server *s, const char *const *args)
{
    const char *all[12] = {NULL};
    size_t n = 0;

    while (n < 10 && args[n]) {
        all[n] = args[n];
        n++;
    }
    if (secure)
        all[n] = "--tls";
    server_start(s, all);
    assert_true((s->ca[0] != '\0') == secure);
}

void server_connect(const struct server *s, struct client *c)
{
    client_connect(c, s->port);
    if (s->ca[0])
        client_secure(c, s->ca);
}

void server_start_with_data(struct server *s)
{
    const char *const args[] = {"--data", replay_data, NULL};

    server_start_as_asked(s, args);
}

void check_list(struct client *c, const char *target, const char *headers, const char *type,
                const char *file)
{
    struct span want = read_file(replay_data, file);
    struct response r;
    struct span body;

    client_get(c, target, headers);
    body = client_response(c, &r);
    assert_int_equal(r.status, 200);
    assert_string_equal(r.type, type);
    assert_int_equal(body.len, want.len);
    assert_memory_equal(body.data, want.data, want.len);
    free_span(body);
    free_span(want);
}
