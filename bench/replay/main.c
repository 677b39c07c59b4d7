/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-replay: an API server of pre-rendered bytes. Arguments, data, announcement; the rest is
 * the library's. It lives as long as its stdin, so that it ends with the one who started it.
 */
#include "pace.h"
#include "server.h"
#include "tls.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define EXIT_USAGE 2
/* Connections, files, and some to spare. */
#define DESCRIPTORS ((rlim_t)KIN_BENCH_CONNECTIONS_MAX + 64)

static const char help[] =
    "usage: kin-bench-replay [--data DIR] [--rate EVENTS_PER_S] [--listen ADDRESS:PORT]\n"
    "                        [--max-events N] [--tls [--certificate FILE --key FILE]]\n"
    "\n"
    "Serve a set of Pods and watch events over HTTP/1.1, as an API server would, from bytes that are\n"
    "made already. Prints \"listening URL\" when ready, with TLS \"listening URL ca FILE\"; ends when\n"
    "stdin does.\n"
    "\n"
    "  --data DIR          files written by kin-bench-pods, and their protobuf forms if there are\n"
    "                      any; without it all lists are empty and all watches silent\n"
    "  --rate R            events per second on each watch, up to three decimals, at most 1000000;\n"
    "                      0, the default: as fast as the client reads\n"
    "  --listen A:P        loopback address to listen on (default 127.0.0.1:0, any free port)\n"
    "  --max-events N      end a watch's events after N; the stream stays open (default: all)\n"
    "  --tls               with a certificate for 127.0.0.1, ::1 and localhost, made at the start; the\n"
    "                      file that is printed is gone when the server is\n"
    "  --certificate FILE  with this one instead, and what follows it; the file is printed as the CA\n"
    "  --key FILE          of that certificate\n"
    "  --help              this text\n";

struct options {
    struct kin_bench_settings settings;
    const char *address;
    const char *dir;
    const char *certificate;
    const char *key;
    bool tls;
};

static int usage(const char *message, const char *value)
{
    (void)fprintf(stderr, "kin-bench-replay: %s%s%s\ntry: kin-bench-replay --help\n", message,
                  value ? ": " : "", value ? value : "");
    return EXIT_USAGE;
}

static int parse_count(uint64_t *ret, const char *text)
{
    uint64_t v = 0;

    if (!*text || strlen(text) > 18)
        return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return -1;
        v = v * 10 + (uint64_t)(*text - '0');
    }
    *ret = v;
    return 0;
}

static void raise_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= DESCRIPTORS)
        return;
    limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

static int announce(const char *url, const struct kin_bench_tls *tls)
{
    if (printf("listening %s%s%s\n", url, tls ? " ca " : "", tls ? kin_bench_tls_ca(tls) : "") <
            0 ||
        fflush(stdout) != 0) {
        (void)fprintf(stderr, "kin-bench-replay: cannot write to stdout: %s\n", strerror(errno));
        return -1;
    }
    return 0;
}

/* 0, or the exit status with which it ends here; *ret_done: it ends well. */
static int parse_options(struct options *o, int argc, char **argv, bool *ret_done)
{
    static const struct option longs[] = {
        {"data", required_argument, NULL, 'd'},
        {"rate", required_argument, NULL, 'r'},
        {"listen", required_argument, NULL, 'l'},
        {"max-events", required_argument, NULL, 'm'},
        {"certificate", required_argument, NULL, 'c'},
        {"key", required_argument, NULL, 'k'},
        {"tls", no_argument, NULL, 't'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int opt;

    while ((opt = getopt_long(argc, argv, "", longs, NULL)) != -1) {
        switch (opt) {
        case 'd':
            o->dir = optarg;
            break;
        case 'r':
            if (kin_bench_rate_parse(&o->settings.rate, optarg) < 0)
                return usage("--rate wants events per second, 0 to 1000000, got", optarg);
            break;
        case 'l':
            o->address = optarg;
            break;
        case 'm':
            if (parse_count(&o->settings.max_events, optarg) < 0)
                return usage("--max-events wants a number, got", optarg);
            break;
        case 't':
            o->tls = true;
            break;
        case 'c':
            o->certificate = optarg;
            break;
        case 'k':
            o->key = optarg;
            break;
        case 'h':
            *ret_done = true;
            return fputs(help, stdout) < 0 || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
        default:
            (void)fputs("try: kin-bench-replay --help\n", stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc)
        return usage("unexpected argument", argv[optind]);
    if (!o->certificate != !o->key || (o->certificate && !o->tls))
        return usage("--certificate and --key go together, and with --tls", NULL);
    return 0;
}

/* 0, or -1 with a message. */
static int serve(struct options *o, char *message, size_t size)
{
    char url[96];
    int listener;
    int rc;

    if (o->tls) {
        o->settings.tls = kin_bench_tls_new(o->certificate, o->key, message, size);
        if (!o->settings.tls)
            return -1;
    }
    listener = kin_bench__server_listen(o->address, o->tls ? "https" : "http", url, sizeof(url),
                                        message, size);
    if (listener < 0)
        return -1;
    rc = announce(url, o->settings.tls);
    if (rc == 0)
        rc = kin_bench__server_run(listener, STDIN_FILENO, &o->settings, message, size);
    else
        message[0] = '\0';
    (void)close(listener);
    return rc;
}

int main(int argc, char **argv)
{
    struct kin_bench_data data;
    struct options o = {.settings = {.data = &data, .max_events = UINT64_MAX},
                        .address = "127.0.0.1:0"};
    char message[1024];
    bool done = false;
    int rc = parse_options(&o, argc, argv, &done);

    if (rc != 0 || done)
        return rc;
    if (fcntl(STDIN_FILENO, F_GETFD) < 0) {
        (void)fputs("kin-bench-replay: stdin is closed, there would be no way to stop\n", stderr);
        return EXIT_FAILURE;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    raise_descriptor_limit();

    kin_bench_data_init(&data);
    if (o.dir && kin_bench_data_open(&data, o.dir, message, sizeof(message)) < 0) {
        (void)fprintf(stderr, "kin-bench-replay: %s\n", message);
        return EXIT_FAILURE;
    }
    o.settings.has_data = o.dir != NULL;
    rc = serve(&o, message, sizeof(message));
    if (rc < 0 && message[0])
        (void)fprintf(stderr, "kin-bench-replay: %s\n", message);
    kin_bench_tls_free(o.settings.tls);
    kin_bench_data_done(&data);
    return rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
