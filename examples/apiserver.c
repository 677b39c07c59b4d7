/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Kubernetes API server to try things on. It writes a kubeconfig, says where it is, and serves
 * until its standard input ends:
 *
 *     kinform-apiserver --tls /tmp/kubeconfig
 *     KUBECONFIG=/tmp/kubeconfig kubectl create namespace shop     (in another terminal)
 *
 * or as long as a program runs, which finds it as kubectl would:
 *
 *     kinform-apiserver --simulate --churn 20 /tmp/kubeconfig kubectl get pods -A -w
 */
#include <errno.h>
#include <getopt.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kinform/apiserver.h>

static const char usage[] =
    "usage: kinform-apiserver [OPTION...] KUBECONFIG [PROGRAM [ARGUMENT...]]\n"
    "\n"
    "Serve the Kubernetes API on a port of this machine: until standard input ends, or as long as\n"
    "PROGRAM runs, which finds the server by the environment variable KUBECONFIG.\n"
    "\n"
    "  KUBECONFIG     file to be written, for kubectl and other clients\n"
    "  --tls          with a certificate of its own, which the kubeconfig has\n"
    "  --port N       port to listen on; default: a free one\n"
    "  --data FILE    keep everything in this SQLite database; default: in memory\n"
    "  --token TOKEN  serve only those who have it, as the kubeconfig has\n"
    "  --control      serve /_kinform/, by which clients may make the server misbehave\n"
    "  --simulate     as if there were a cluster, in which things happen:\n"
    "  --nodes N        so many nodes; default: 10\n"
    "  --deployments N  so many Deployments; default: 12\n"
    "  --pods N         with so many Pods altogether; default: 100\n"
    "  --churn N        so many changes per second; default: 10; 0: only heartbeats\n"
    "  --seed N         others than with another number; default: 0\n";

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

/* The status with which it ended, as a shell has it. */
static int run_program(char **program, const char *kubeconfig)
{
    pid_t pid;
    int status;

    if (setenv("KUBECONFIG", kubeconfig, 1) < 0)
        return 1;
    fflush(stdout);
    int code = posix_spawnp(&pid, program[0], NULL, NULL, program, environ);
    if (code != 0) {
        fprintf(stderr, "kinform-apiserver: %s: %s\n", program[0], strerror(code));
        return 127;
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int simulate(kin_apiserver *server, const kin_simulation_options *options, kin_error *err)
{
    kin_simulation_stats stats = KIN_SIMULATION_STATS_INIT;
    int code = kin_apiserver_simulate(server, options, err);

    if (code == 0)
        code = kin_apiserver_wait_for_simulation(server, -1, err);
    if (code == 0)
        code = kin_apiserver_simulation_stats(server, &stats, err);
    if (code == 0)
        printf("simulating %llu nodes, %llu deployments, %llu pods, %u changes per second\n",
               (unsigned long long)stats.nodes, (unsigned long long)stats.deployments,
               (unsigned long long)stats.pods, options->churn);
    return code;
}

/* `cluster` NULL: nothing is simulated; `program[0]` NULL: none is run. */
static int serve(const kin_apiserver_options *options, const kin_simulation_options *cluster,
                 const char *kubeconfig, char **program)
{
    kin_error err = KIN_ERROR_INIT;
    kin_apiserver *server = NULL;
    int status = 0;

    if (kin_apiserver_new(&server, options, &err) < 0)
        return fail(&err);
    if (kin_apiserver_start(server, &err) < 0 || (cluster && simulate(server, cluster, &err) < 0) ||
        kin_apiserver_write_kubeconfig(server, kubeconfig, &err) < 0) {
        status = fail(&err);
    } else {
        printf("listening %s\n", kin_apiserver_url(server));
        fflush(stdout);
        if (program[0])
            status = run_program(program, kubeconfig);
        else
            wait_for_end_of_input();
    }
    kin_apiserver_free(server);
    return status;
}

static unsigned parse_number(const char *option, const char *text, unsigned long max)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || number > max) {
        fprintf(stderr, "kinform-apiserver: --%s wants a number up to %lu, not %s\n", option, max,
                text);
        exit(2);
    }
    return (unsigned)number;
}

static const struct option long_options[] = {
    {"tls", no_argument, NULL, 't'},
    {"port", required_argument, NULL, 'p'},
    {"data", required_argument, NULL, 'd'},
    {"token", required_argument, NULL, 'k'},
    {"control", no_argument, NULL, 'c'},
    {"help", no_argument, NULL, 'h'},
    {"simulate", no_argument, NULL, 's'},
    {"nodes", required_argument, NULL, 'N'},
    {"pods", required_argument, NULL, 'P'},
    {"deployments", required_argument, NULL, 'D'},
    {"churn", required_argument, NULL, 'C'},
    {"seed", required_argument, NULL, 'S'},
    {NULL, 0, NULL, 0},
};

/* An option of the simulation. */
static bool take_cluster_option(kin_simulation_options *cluster, int option)
{
    const unsigned long max = 1000000;

    switch (option) {
    case 'N':
        cluster->nodes = parse_number("nodes", optarg, max);
        return true;
    case 'D':
        cluster->deployments = parse_number("deployments", optarg, max);
        return true;
    case 'P':
        cluster->pods = parse_number("pods", optarg, max);
        return true;
    case 'C':
        cluster->churn = parse_number("churn", optarg, max);
        return true;
    case 'S':
        cluster->seed = parse_number("seed", optarg, 0xffffffff);
        return true;
    default:
        return false;
    }
}

struct settings {
    kin_apiserver_options server;
    kin_simulation_options cluster;
    kin_apiserver_token token;
    bool is_simulated;
};

static bool take_option(struct settings *s, int option)
{
    switch (option) {
    case 't':
        s->server.tls = true;
        return true;
    case 'p':
        s->server.port = (uint16_t)parse_number("port", optarg, 65535);
        return true;
    case 'd':
        s->server.storage_path = optarg;
        return true;
    case 'k':
        s->token.token = optarg;
        s->server.tokens = &s->token;
        s->server.n_tokens = 1;
        return true;
    case 'c':
        s->server.control = true;
        return true;
    case 's':
        s->is_simulated = true;
        return true;
    case 'h':
        fputs(usage, stdout);
        exit(0);
    default:
        return take_cluster_option(&s->cluster, option);
    }
}

/* Up to what is no option: "+". */
static void take_options(struct settings *s, int argc, char **argv)
{
    for (int option; (option = getopt_long(argc, argv, "+h", long_options, NULL)) != -1;) {
        if (!take_option(s, option)) {
            fputs(usage, stderr);
            exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    struct settings s = {
        KIN_APISERVER_OPTIONS_INIT, KIN_SIMULATION_OPTIONS_INIT, {NULL, NULL, false}, false};

    s.cluster.churn = 10;
    take_options(&s, argc, argv);
    if (optind >= argc) {
        fputs(usage, stderr);
        return 2;
    }
    const char *kubeconfig = argv[optind++];
    /* Options may stand behind it, too; what is behind the program's name is the program's. */
    take_options(&s, argc, argv);
    return serve(&s.server, s.is_simulated ? &s.cluster : NULL, kubeconfig, argv + optind);
}
