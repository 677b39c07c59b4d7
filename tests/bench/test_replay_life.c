/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the replay server begins and ends: its arguments, what it announces, the certificate that it makes
 * or is given, clients that leave, and its stop.
 */
#include "certificates.h"
#include "replay_fixture.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* --- leaving and stopping --- */

static void clients_may_leave_mid_stream(void **state)
{
    static const char *const targets[] = {"/api/v1/pods", "/api/v1/pods?watch=1",
                                          "/api/v1/pods?watch=1&sendInitialEvents=true",
                                          "/api/v1/services?watch=1"};
    struct server s;
    struct client c;
    struct response r;

    (void)state;
    server_start_with_data(&s);
    for (unsigned i = 0; i < 64; i++) {
        struct linger reset = {.l_onoff = 1, .l_linger = 0};

        server_connect(&s, &c);
        client_get(&c, targets[i % 4], "");
        if (i % 8 < 4)
            client_head(&c, &r);
        /* Some reset the connection, some close it, some before they have read a byte. */
        if (i % 16 < 8)
            (void)setsockopt(c.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
        client_close(&c);
    }
    server_connect(&s, &c);
    check_list(&c, "/api/v1/pods", "", "application/json", "pods.json");
    client_close(&c);
    server_stop(&s);
}

static void end_of_stdin_stops_everything(void **state)
{
    const char *const slow[] = {"--data", replay_data, "--rate", "0.001", NULL};
    struct server s;
    struct client idle;
    struct client half;
    struct client stuck;
    struct client paced;
    struct span chunk;
    int small = 4096;

    (void)state;
    server_start_with_data(&s);
    assert_true(write(s.child.in, "ignored\n", 8) == 8);
    server_connect(&s, &idle);
    server_connect(&s, &half);
    client_send(&half, "GET /api", 8);
    server_connect(&s, &stuck);
    (void)setsockopt(stuck.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    /* More than the buffers hold is on its way, and nobody reads it. */
    client_get(&stuck, "/api/v1/pods?watch=1&sendInitialEvents=true", "");
    wait_readable(stuck.fd);
    server_stop(&s);
    client_expect_end(&idle);
    client_expect_end(&half);
    client_close(&idle);
    client_close(&half);
    client_close(&stuck);

    /* And while it waits for the time of the second event, in 1000 s. */
    server_start_as_asked(&s, slow);
    server_connect(&s, &paced);
    client_watch(&paced, "/api/v1/pods?watch=1", "", "application/json");
    chunk = client_chunk(&paced);
    free_span(chunk);
    server_stop(&s);
    client_expect_end(&paced);
    client_close(&paced);
}

/* --- the program --- */

static void bad_starts_are_reported(void **state)
{
    char *empty = make_temp_dir();
    char *cut = make_temp_dir();
    const struct {
        const char *args[5];
        int code;
        const char *says;
    } cases[] = {
        {{"--rate", "-1", NULL}, 2, "--rate wants"},
        {{"--rate", "1.2345", NULL}, 2, "--rate wants"},
        {{"--rate", "1000001", NULL}, 2, "--rate wants"},
        {{"--max-events", "x", NULL}, 2, "--max-events wants"},
        {{"--max-events", "", NULL}, 2, "--max-events wants"},
        {{"--bogus", NULL}, 2, "--help"},
        {{"stray", NULL}, 2, "unexpected argument"},
        {{"--listen", "0.0.0.0:0", NULL}, 1, "not a loopback address"},
        {{"--listen", "127.0.0.1", NULL}, 1, "not a loopback address"},
        {{"--listen", "127.0.0.1:99999", NULL}, 1, "not a loopback address"},
        {{"--listen", "[::2]:0", NULL}, 1, "not a loopback address"},
        {{"--data", "/nonexistent", NULL}, 1, "cannot open directory /nonexistent"},
        {{"--tls", "--certificate", "x", NULL}, 2, "go together"},
        {{"--certificate", "x", "--key", "x", NULL}, 2, "go together"},
        {{"--tls", "--certificate", "/nonexistent", "--key=/nonexistent", NULL},
         1,
         "cannot set up TLS with /nonexistent"},
        {{"--data", empty, NULL}, 1, "there are no data files"},
        {{"--data", cut, NULL}, 1, "events.jsonl: event 1 "},
    };

    (void)state;
    write_file(cut, "events.jsonl", "{}\n{}", 5);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct child c;
        char err[1024];
        int code;

        child_start(&c, replay_program(), cases[i].args, -1);
        child_read(c.err, err, sizeof(err), false);
        code = child_wait(&c);
        if (code != cases[i].code || !strstr(err, cases[i].says))
            fail_msg("case %zu ended with %d and said: %s", i, code, err);
    }
    remove_dir(empty);
    remove_dir(cut);
}

static void a_taken_port_is_reported(void **state)
{
    struct server s;
    struct child c;
    char address[64];
    const char *const args[] = {"--listen", address, NULL};
    char err[1024];

    (void)state;
    server_start_with_data(&s);
    (void)snprintf(address, sizeof(address), "127.0.0.1:%u", (unsigned)s.port);
    child_start(&c, replay_program(), args, -1);
    child_read(c.err, err, sizeof(err), false);
    assert_int_equal(child_wait(&c), 1);
    assert_non_null(strstr(err, "cannot listen on"));
    server_stop(&s);
}

static void help_and_announcement(void **state)
{
    static const char *const help[] = {"--help", NULL};
    static const char *const none[] = {NULL};
    struct child c;
    char text[4096];
    int full;

    (void)state;
    child_start(&c, replay_program(), help, -1);
    child_read(c.out, text, sizeof(text), false);
    assert_int_equal(child_wait(&c), 0);
    assert_non_null(strstr(text, "usage: kin-bench-replay"));

    /* Nobody could know the port: better not to run. */
    full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(full >= 0);
    child_start(&c, replay_program(), none, full);
    child_read(c.err, text, sizeof(text), false);
    assert_non_null(strstr(text, "cannot write to stdout"));
    assert_int_equal(child_wait(&c), 1);
    (void)close(full);
}

static void ipv6_is_served(void **state)
{
    static const char *const args[] = {"--listen", "[::1]:0", NULL};
    int probe = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct child c;
    char line[128];
    bool there;

    (void)state;
    there = probe >= 0 &&
            bind(probe, (const struct sockaddr *)(const void *)&address, sizeof(address)) == 0;
    if (probe >= 0)
        (void)close(probe);
    if (!there)
        skip();
    child_start(&c, replay_program(), args, -1);
    child_read(c.out, line, sizeof(line), true);
    assert_memory_equal(line, "listening http://[::1]:", 23);
    assert_int_equal(child_wait(&c), 0);
}

/* --- TLS alone --- */

static void a_given_certificate_is_used(void **state)
{
    kin_test_pki *pki = NULL;
    struct server s;
    struct client c;

    (void)state;
    kin_test_pki_new(&pki);
    {
        const kin_test_certificate *own = &pki->self_signed;
        const char *const args[] = {
            "--data",      replay_data, "--certificate", own->certificate_file, "--key",
            own->key_file, NULL};

        server_start_as_asked(&s, args);
        assert_string_equal(s.ca, own->certificate_file);
    }
    server_connect(&s, &c);
    check_list(&c, "/api/v1/pods", "", "application/json", "pods.json");
    client_close(&c);
    server_stop(&s);
    kin_test_pki_free(pki);
}

/* Whoever does not shake hands is told nothing, and others are served meanwhile and after. */
static void only_tls_is_spoken(void **state)
{
    struct server s;
    struct client silent;
    struct client plain;
    struct client c;

    (void)state;
    server_start_with_data(&s);
    client_connect(&silent, s.port);
    client_connect(&plain, s.port);
    client_get(&plain, "/version", "");
    while (plain.len == 0) {
        char alert[64];
        ssize_t n;

        wait_readable(plain.fd);
        n = recv(plain.fd, alert, sizeof(alert), 0);
        if (n <= 0)
            break;
        assert_int_not_equal(alert[0], 'H');
    }
    client_close(&plain);
    server_connect(&s, &c);
    check_list(&c, "/api/v1/pods", "", "application/json", "pods.json");
    client_close(&c);
    server_stop(&s);
    client_expect_end(&silent);
    client_close(&silent);
}

static void the_made_certificate_goes_with_the_server(void **state)
{
    static const char *const args[] = {NULL};
    struct server s;

    (void)state;
    server_start_as_asked(&s, args);
    assert_true(file_exists("/", s.ca + 1));
    server_stop(&s);
    assert_false(file_exists("/", s.ca + 1));
}

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(clients_may_leave_mid_stream),
        cmocka_unit_test(end_of_stdin_stops_everything),
        cmocka_unit_test(bad_starts_are_reported),
        cmocka_unit_test(a_taken_port_is_reported),
        cmocka_unit_test(help_and_announcement),
        cmocka_unit_test(ipv6_is_served),
    };
    static const struct CMUnitTest tls[] = {
        cmocka_unit_test(clients_may_leave_mid_stream),
        cmocka_unit_test(end_of_stdin_stops_everything),
        cmocka_unit_test(a_given_certificate_is_used),
        cmocka_unit_test(only_tls_is_spoken),
        cmocka_unit_test(the_made_certificate_goes_with_the_server),
    };
    int failed;

    (void)signal(SIGPIPE, SIG_IGN); /* OpenSSL writes as it likes */
    failed = cmocka_run_group_tests(plain, replay_make_data, replay_drop_data);
    return failed + cmocka_run_group_tests(tls, replay_make_data_for_tls, replay_drop_data);
}
