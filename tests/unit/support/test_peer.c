/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peers that fall silent, as the client's kernel sees them: nothing comes, and nothing says why.
 */
#include "kin_test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "certificates.h"
#include "http_client.h"
#include "netns.h"
#include "peer.h"

static const char *no_namespace; /* why there is none */

static kin_test_peer *start(bool in_namespace)
{
    kin_test_peer *peer = NULL;
    const char *why = no_namespace;

    if (!in_namespace || !why)
        why = kin_test_peer_start(&peer, &(kin_test_peer_options){.in_namespace = in_namespace});
    if (why) {
        print_message("skipped: %s\n", why);
        skip();
    }
    return peer;
}

static int connect_to(const kin_test_peer *peer)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    char host[64];
    unsigned port = 0;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(sscanf(kin_test_peer_url(peer), "http://%63[0-9.]:%u", host, &port), 2);
    assert_int_equal(inet_aton(host, &in.sin_addr), 1);
    in.sin_port = htons((uint16_t)port);
    assert_int_equal(connect(fd, (struct sockaddr *)&in, sizeof(in)), 0);
    return fd;
}

static void ask(int fd, const char *target)
{
    char request[128];

    snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: h\r\n\r\n", target);
    raw_send(fd, request);
}

static void expect(int fd, const char *end)
{
    free(raw_read_until(fd, end));
}

static void assert_nothing_comes(int fd)
{
    char byte = 0;

    assert_int_equal(recv(fd, &byte, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
}

static void a_peer_answers(void **state)
{
    kin_test_peer *peer = start(false);
    int fd = connect_to(peer);

    (void)state;
    ask(fd, "/");
    expect(fd, "peer\n");
    ask(fd, "/size/5");
    expect(fd, "\r\n\r\nxxxxx");
    assert_int_equal(kin_test_peer_count(peer, "connections"), 1);
    assert_int_equal(kin_test_peer_count(peer, "requests"), 2);
    close(fd);
    kin_test_peer_await(peer, "closed", 1);
    kin_test_peer_stop(peer);
}

static void watches_get_every_event(void **state)
{
    kin_test_peer *peer = start(false);
    int fds[4];

    (void)state;
    for (int i = 0; i < 4; i++) {
        fds[i] = connect_to(peer);
        ask(fds[i], "/watch");
        expect(fds[i], "\r\n\r\n");
    }
    kin_test_peer_await(peer, "stalled", 4);
    for (int n = 0; n < 50; n++) {
        char text[16];

        snprintf(text, sizeof(text), "e%d", n);
        kin_test_peer_event(peer, text);
    }
    for (int i = 0; i < 4; i++) {
        expect(fds[i], "e0\n\r\n");
        expect(fds[i], "e49\n\r\n");
        close(fds[i]);
    }
    kin_test_peer_stop(peer);
}

static void a_frozen_peer_takes_and_gives_nothing(void **state)
{
    kin_test_peer *peer = start(false);
    int old = connect_to(peer);

    (void)state;
    ask(old, "/");
    expect(old, "peer\n");
    kin_test_peer_freeze(peer);
    ask(old, "/");
    int new = connect_to(peer); /* the kernel takes it */

    ask(new, "/");
    assert_nothing_comes(old);
    assert_nothing_comes(new);
    kin_test_peer_thaw(peer);
    expect(old, "peer\n");
    expect(new, "peer\n");
    close(old);
    close(new);
    kin_test_peer_freeze(peer);
    kin_test_peer_stop(peer); /* in any state */
}

static void a_killed_peer_ends_its_connections(void **state)
{
    kin_test_peer *peer = start(false);
    int fd = connect_to(peer);
    char *all = NULL;

    (void)state;
    ask(fd, "/stall");
    kin_test_peer_await(peer, "stalled", 1);
    kin_test_peer_freeze(peer);
    kin_test_peer_kill(peer);
    assert_int_equal(raw_read_all(fd, &all), 0);
    free(all);
    close(fd);
    kin_test_peer_stop(peer);
}

/* Bytes that the other side has not said to have. */
static int unacknowledged(int fd)
{
    int n = -1;

    assert_int_equal(ioctl(fd, SIOCOUTQ, &n), 0);
    return n;
}

static void lose_what_is_sent(void (*lose)(kin_test_peer *peer))
{
    kin_test_peer *peer = start(true);
    int fd = connect_to(peer);

    ask(fd, "/watch");
    expect(fd, "\r\n\r\n");
    kin_test_peer_await(peer, "stalled", 1);
    kin_test_peer_event(peer, "before");
    expect(fd, "before\n\r\n");
    assert_int_equal(unacknowledged(fd), 0);
    lose(peer);
    kin_test_peer_event(peer, "lost");
    raw_send(fd, "more");
    assert_nothing_comes(fd);
    assert_int_equal(unacknowledged(fd), 4);
    kin_test_peer_mend(peer);
    expect(fd, "lost\n\r\n"); /* TCP tries again */
    close(fd);
    kin_test_peer_stop(peer);
}

static void a_cut_wire_loses_what_is_sent(void **state)
{
    (void)state;
    lose_what_is_sent(kin_test_peer_cut);
}

static void a_peer_that_vanished_does_not_answer(void **state)
{
    (void)state;
    lose_what_is_sent(kin_test_peer_vanish);
}

static void namespaces_can_be_made_again(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        kin_test_peer *peer = start(true);
        int fd = connect_to(peer);

        ask(fd, "/");
        expect(fd, "peer\n");
        close(fd);
        kin_test_peer_stop(peer);
    }
}

static void a_peer_speaks_tls(void **state)
{
    kin_test_pki *pki = NULL;
    kin_test_peer *peer = NULL;
    CURL *easy = curl_easy_init();

    (void)state;
    kin_test_pki_new(&pki);
    assert_null(kin_test_peer_start(
        &peer, &(kin_test_peer_options){.certificate_file = pki->server.certificate_file,
                                        .key_file = pki->server.key_file,
                                        .client_ca_file = pki->ca.certificate_file,
                                        .in_namespace = !no_namespace}));
    curl_easy_setopt(easy, CURLOPT_URL, kin_test_peer_url(peer));
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_CAINFO, pki->ca.certificate_file);
    struct got got = easy_get(easy);

    assert_int_not_equal(got.code, CURLE_OK);
    got_done(&got);
    curl_easy_setopt(easy, CURLOPT_SSLCERT, pki->client.certificate_file);
    curl_easy_setopt(easy, CURLOPT_SSLKEY, pki->client.key_file);
    got = easy_get(easy);
    assert_int_equal(got.code, CURLE_OK);
    assert_string_equal(got.body, "peer\n");
    got_done(&got);
    curl_easy_cleanup(easy);
    kin_test_peer_stop(peer);
    kin_test_pki_free(pki);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peer_answers),
        cmocka_unit_test(watches_get_every_event),
        cmocka_unit_test(a_frozen_peer_takes_and_gives_nothing),
        cmocka_unit_test(a_killed_peer_ends_its_connections),
        cmocka_unit_test(a_cut_wire_loses_what_is_sent),
        cmocka_unit_test(a_peer_that_vanished_does_not_answer),
        cmocka_unit_test(namespaces_can_be_made_again),
        cmocka_unit_test(a_peer_speaks_tls),
    };

    no_namespace = kin_test_net_isolate();
    curl_global_init(CURL_GLOBAL_DEFAULT);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    curl_global_cleanup();
    return failed;
}
