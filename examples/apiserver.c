/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Kubernetes API server to try things on. It writes a kubeconfig, says where it is, and serves
 * until its standard input ends:
 *
 *     kinform-apiserver /tmp/kubeconfig --tls
 *     KUBECONFIG=/tmp/kubeconfig kubectl create namespace shop     (in another terminal)
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <kinform/apiserver.h>

static const char usage[] =
    "usage: kinform-apiserver KUBECONFIG [--tls] [--port N] [--data FILE] [--token TOKEN] "
    "[--control]\n"
    "\n"
    "Serve the Kubernetes API on a port of this machine until standard input ends.\n"
    "\n"
    "  KUBECONFIG     file to be written, for kubectl and other clients\n"
    "  --tls          with a certificate of its own, which the kubeconfig has\n"
    "  --port N       port to listen on; default: a free one\n"
    "  --data FILE    keep everything in this SQLite database; default: in memory\n"
    "  --token TOKEN  serve only those who have it, as the kubeconfig has\n"
    "  --control      serve /_kinform/, by which clients may make the server misbehave\n";

static int fail(const kin_error *err)
{
    fprintf(stderr, "kinform-apiserver: %s\n", err->message);
    return 1;
}

static void wait_for_end_of_input(void)
{
    char buf[256];

    while (read(STDIN_FILENO, buf, sizeof(buf)) > 0)
        continue;
}

static int serve(const kin_apiserver_options *options, const char *kubeconfig)
{
    kin_error err = KIN_ERROR_INIT;
    kin_apiserver *server = NULL;
    int status = 0;

    if (kin_apiserver_new(&server, options, &err) < 0)
        return fail(&err);
    if (kin_apiserver_start(server, &err) < 0 ||
        kin_apiserver_write_kubeconfig(server, kubeconfig, &err) < 0) {
        status = fail(&err);
    } else {
        printf("listening %s\n", kin_apiserver_url(server));
        fflush(stdout);
        wait_for_end_of_input();
    }
    kin_apiserver_free(server);
    return status;
}

static uint16_t parse_port(const char *text)
{
    char *end;
    unsigned long port = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || port > 65535) {
        fprintf(stderr, "kinform-apiserver: --port wants a number up to 65535, not %s\n", text);
        exit(2);
    }
    return (uint16_t)port;
}

int main(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"tls", no_argument, NULL, 't'},         {"port", required_argument, NULL, 'p'},
        {"data", required_argument, NULL, 'd'},  {"token", required_argument, NULL, 'k'},
        {"control", no_argument, NULL, 'c'},     {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    kin_apiserver_token token = {NULL, NULL, false};

    for (int option; (option = getopt_long(argc, argv, "h", long_options, NULL)) != -1;) {
        switch (option) {
        case 't':
            options.tls = true;
            break;
        case 'p':
            options.port = parse_port(optarg);
            break;
        case 'd':
            options.storage_path = optarg;
            break;
        case 'k':
            token.token = optarg;
            options.tokens = &token;
            options.n_tokens = 1;
            break;
        case 'c':
            options.control = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        default:
            fputs(usage, stderr);
            return 2;
        }
    }
    if (optind != argc - 1) {
        fputs(usage, stderr);
        return 2;
    }
    return serve(&options, argv[optind]);
}
