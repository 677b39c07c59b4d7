/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The peer's own program: see peer.h. It ends with its standard input, and with its parent.
 *
 *     kin-test-peer loopback|namespace [CERTIFICATE KEY [CLIENT-CA]]
 */
#include "kin_test.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "http_server.h"
#include "netns.h"

#define MAX_EVENTS 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *events[MAX_EVENTS]; /* (lock) kept to the end */
static size_t n_events;          /* (lock) */

static void die(const char *what)
{
    fprintf(stderr, "kin-test-peer: %s\n", what);
    exit(1);
}

static void say(const char *line)
{
    printf("%s\n", line);
    fflush(stdout);
}

/* --- answers --- */

static size_t count_events(void)
{
    pthread_mutex_lock(&lock);
    size_t n = n_events;
    pthread_mutex_unlock(&lock);
    return n;
}

static bool has_news(void *arg)
{
    return count_events() > *(const size_t *)arg;
}

static void watch(kin_test_http_conn *conn)
{
    size_t seen = count_events();

    kin_test_http_status(conn, 200);
    kin_test_http_header(conn, "Content-Type", "application/json");
    kin_test_http_chunk_text(conn, "");
    while (kin_test_http_stall_until(conn, has_news, &seen)) {
        pthread_mutex_lock(&lock);
        const char *event = events[seen++];
        pthread_mutex_unlock(&lock);
        kin_test_http_chunk_text(conn, event);
    }
}

static void answer(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    (void)arg;
    if (strcmp(request->target, "/watch") == 0) {
        watch(conn);
    } else if (strcmp(request->target, "/stall") == 0) {
        kin_test_http_stall(conn);
    } else if (strncmp(request->target, "/size/", 6) == 0) {
        size_t len = strtoull(request->target + 6, NULL, 10);
        char *bytes = malloc(len + 1);

        if (!bytes)
            die("memory");
        memset(bytes, 'x', len);
        kin_test_http_status(conn, 200);
        kin_test_http_body(conn, bytes, len);
        free(bytes);
    } else {
        kin_test_http_answer(conn, 200, "text/plain", "peer\n");
    }
}

/* --- commands --- */

static void add_event(kin_test_http *server, const char *text)
{
    size_t len = strlen(text);
    char *line = malloc(len + 2);

    if (!line)
        die("memory");
    memcpy(line, text, len);
    memcpy(line + len, "\n", 2);
    pthread_mutex_lock(&lock);
    if (n_events == MAX_EVENTS)
        die("too many events");
    events[n_events++] = line;
    pthread_mutex_unlock(&lock);
    kin_test_http_release(server, 0);
}

static void say_count(kin_test_http *server, const char *what)
{
    kin_test_http_counts counts = kin_test_http_count(server);
    char line[32];
    unsigned n = 0;

    if (strcmp(what, "connections") == 0)
        n = counts.connections;
    else if (strcmp(what, "requests") == 0)
        n = counts.requests;
    else if (strcmp(what, "stalled") == 0)
        n = counts.stalled;
    else if (strcmp(what, "closed") == 0)
        n = counts.connections - counts.open;
    else
        die(what);
    snprintf(line, sizeof(line), "%u", n);
    say(line);
}

static void wait_for(kin_test_http *server, const char *text)
{
    char what[32];
    unsigned n = 0;

    if (sscanf(text, "%31s %u", what, &n) != 2)
        die(text);
    if (strcmp(what, "connections") == 0)
        kin_test_http_await_connections(server, n);
    else if (strcmp(what, "requests") == 0)
        kin_test_http_await_requests(server, n);
    else if (strcmp(what, "stalled") == 0)
        kin_test_http_await_stalled(server, n);
    else if (strcmp(what, "closed") == 0)
        kin_test_http_await_closed(server, n);
    else
        die(what);
}

static void move_link(const char *address, bool up)
{
    if (kin_test_net_link(KIN_TEST_NETNS_LINK, address, up) != 0)
        die("the link does not move");
}

static void obey(kin_test_http *server, char *line)
{
    char *text = strchr(line, ' ');

    if (text)
        *text++ = '\0';
    if (strcmp(line, "count") == 0 && text) {
        say_count(server, text);
        return;
    }
    if (strcmp(line, "event") == 0)
        add_event(server, text ? text : "");
    else if (strcmp(line, "await") == 0 && text)
        wait_for(server, text);
    else if (strcmp(line, "down") == 0)
        move_link(NULL, false);
    else if (strcmp(line, "vanish") == 0)
        move_link("0.0.0.0", true);
    else if (strcmp(line, "up") == 0)
        move_link(KIN_TEST_NETNS_PEERS, true);
    else
        die(line);
    say("ok");
}

/* --- start --- */

static char *read_file(const char *path)
{
    static const size_t size = 65536;
    FILE *file = fopen(path, "re");
    char *text = calloc(1, size);

    if (!file || !text)
        die(path);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void enter_namespace(void)
{
    char line[64];
    const char *why = kin_test_net_unshare();

    say(why ? why : "unshared");
    if (why || !fgets(line, sizeof(line), stdin))
        exit(0); /* the parent knows */
    move_link(KIN_TEST_NETNS_PEERS, true);
}

int main(int argc, char **argv)
{
    char line[1024];
    char *texts[3] = {NULL, NULL, NULL};
    kin_test_http *server = NULL;
    kin_test_http_options options = {.handler = answer};

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* also if we are stopped then */
    if (argc < 2 || argc > 5)
        die("wrong arguments");
    for (int i = 2; i < argc; i++)
        texts[i - 2] = read_file(argv[i]);
    options.tls.certificate = texts[0];
    options.tls.key = texts[1];
    options.tls.client_ca = texts[2];
    options.tls.require_client_certificate = texts[2] != NULL;
    if (strcmp(argv[1], "namespace") == 0) {
        enter_namespace();
        options.address = KIN_TEST_NETNS_PEERS;
    }
    kin_test_http_start(&server, &options);
    say(kin_test_http_url(server));
    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = '\0';
        obey(server, line);
    }
    kin_test_http_stop(server);
    for (size_t i = 0; i < 3; i++)
        free(texts[i]);
    for (size_t i = 0; i < n_events; i++)
        free(events[i]);
    return 0;
}
