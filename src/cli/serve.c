/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform serve: the embedded API server, until a signal ends it or as long as a program runs.
 *
 * Signals end it at once while it starts: there is nothing to tidy up yet. From then on they are
 * waited for, and the server closes what it has open. A second one does not wait for that.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/file.h"
#include "cli/local_server.h"
#include "cli/report.h"
#include "kinform/memory.h"

struct settings {
    int64_t port;
    const char *address;
    bool allow_anonymous;
    const char *data;
    bool tls;
    const char *token;
    const char *write_kubeconfig;
    bool control;
    struct option_texts faults;
    struct simulation_settings simulation;
};

#define AT(field) offsetof(struct settings, field)

static const struct option serving[] = {
    {"port", 0, OPTION_NUMBER, AT(port), "N", "port to listen on; default: a free one", NULL,
     65535},
    {"address", 0, OPTION_TEXT, AT(address), "ADDRESS", "address to listen on; default: 127.0.0.1",
     NULL, 0},
    {"allow-anonymous", 0, OPTION_FLAG, AT(allow_anonymous), NULL,
     "serve everybody, also where others reach the address", NULL, 0},
    {"tls", 0, OPTION_FLAG, AT(tls), NULL,
     "with a certificate of its own, which the kubeconfig has", NULL, 0},
    {"token", 0, OPTION_TEXT, AT(token), "TOKEN", "serve only those who have it", NULL, 0},
    {"data", 0, OPTION_TEXT, AT(data), "FILE",
     "keep everything in this SQLite database; default: in memory", "<file>", 0},
    {"write-kubeconfig", 0, OPTION_TEXT, AT(write_kubeconfig), "FILE",
     "write the kubeconfig there, instead of printing it", "<file>", 0},
};
static const struct option misbehaving[] = {
    {"faults", 0, OPTION_TEXTS, AT(faults), "JSON|@FILE",
     "a rule by which the server misbehaves, or a file of them; may be given again", "<file>", 0},
    {"control", 0, OPTION_FLAG, AT(control), NULL,
     "serve /_kinform/, by which clients may add such rules", NULL, 0},
};

static const struct option_group groups[] = {
    {"How it serves", serving, sizeof(serving) / sizeof(serving[0]), 0},
    {"A simulated cluster", simulation_options, N_SIMULATION_OPTIONS, AT(simulation)},
    {"Misbehaving on purpose", misbehaving, sizeof(misbehaving) / sizeof(misbehaving[0]), 0},
};

/* ---- what it is like ---- */

static int inject(kin_apiserver *server, const char *rules, kin_error *err)
{
    struct text content = TEXT_INIT;
    int code = 0;

    if (rules[0] == '@')
        code = file_read(&content, rules + 1, err);
    else
        text_add_string(&content, rules);
    if (code == 0)
        code = kin_apiserver_inject_json(server, text_view(&content), err);
    if (code < 0)
        kin_error_set(err, code, "--faults %.100s: %s", rules, err->message);
    text_done(&content);
    return code;
}

static int new_server(kin_apiserver **ret, const struct settings *s, kin_error *err)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    kin_apiserver_token token = {s->token, NULL, false};

    options.port = (uint16_t)s->port;
    options.address = s->address;
    options.allow_anonymous = s->allow_anonymous;
    options.tls = s->tls;
    options.storage_path = s->data;
    options.control = s->control;
    if (s->token) {
        options.tokens = &token;
        options.n_tokens = 1;
    }
    return kin_apiserver_new(ret, &options, err);
}

/* A large cluster takes its time; on a terminal it is seen that it goes on. */
static int wait_for_simulation(kin_apiserver *server, kin_error *err)
{
    bool is_terminal = isatty(STDERR_FILENO);
    bool is_shown = false;
    int code;

    while ((code = kin_apiserver_wait_for_simulation(server, is_terminal ? 200 : -1, err)) ==
           KIN_ETIMEOUT) {
        kin_simulation_stats stats = KIN_SIMULATION_STATS_INIT;

        if (kin_apiserver_simulation_stats(server, &stats, NULL) == 0)
            fprintf(stderr, "\rmaking the cluster: %llu writes\033[K",
                    (unsigned long long)stats.writes);
        is_shown = true;
    }
    if (is_shown)
        fputs("\r\033[K", stderr);
    return code;
}

static int simulate(kin_apiserver *server, const struct settings *s, kin_error *err)
{
    kin_simulation_stats stats = KIN_SIMULATION_STATS_INIT;
    unsigned churn = 0;
    int code = simulation_churn(&churn, &s->simulation, err);

    if (code == 0)
        code = simulation_begin(server, &s->simulation, err);
    if (code == 0)
        code = wait_for_simulation(server, err);
    if (code == 0)
        code = kin_apiserver_simulation_stats(server, &stats, err);
    if (code == 0)
        fprintf(stderr,
                "simulating %llu nodes, %llu deployments, %llu pods, %u changes per second\n",
                (unsigned long long)stats.nodes, (unsigned long long)stats.deployments,
                (unsigned long long)stats.pods, churn);
    return code;
}

static int start(kin_apiserver *server, const struct settings *s, kin_error *err)
{
    int code = 0;

    for (size_t i = 0; i < s->faults.len && code == 0; i++)
        code = inject(server, s->faults.items[i], err);
    if (code == 0)
        code = local_server_start(server, s->port, err);
    if (code == 0 && s->simulation.simulate)
        code = simulate(server, s, err);
    return code;
}

/* ---- how long ---- */

static void set_of_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGCHLD);
}

static void wait_for_signal(const sigset_t *set)
{
    siginfo_t info;

    while (sigwaitinfo(set, &info) < 0 || info.si_signo == SIGCHLD)
        continue;
}

static int spawn(pid_t *ret, const char *const *program)
{
    posix_spawnattr_t attributes;
    sigset_t none;
    char **argv = NULL;
    size_t n = 0;

    while (program[n])
        n++;
    argv = memory_zeroed(n + 1, sizeof(*argv));
    for (size_t i = 0; i < n; i++)
        argv[i] = memory_copy(kin_str_of(program[i]));
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int code = posix_spawnp(ret, argv[0], NULL, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    for (size_t i = 0; i < n; i++)
        free(argv[i]);
    free(argv);
    return code;
}

/* The status with which it ended, as a shell has it. */
static int wait_for_program(pid_t pid, const sigset_t *set)
{
    for (;;) {
        siginfo_t info;
        int status;

        if (waitpid(pid, &status, WNOHANG) == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (sigwaitinfo(set, &info) < 0)
            continue;
        /* What the terminal sends the program gets, too; what a process sends is passed on. */
        if (info.si_signo != SIGCHLD && info.si_code != SI_KERNEL)
            kill(pid, info.si_signo);
    }
}

static int run_program(const char *const *program, const sigset_t *set)
{
    pid_t pid;
    int code = spawn(&pid, program);

    if (code != 0)
        return report(code == ENOENT ? 127 : 126, "%s cannot be run: %s", program[0],
                      strerror(code));
    return wait_for_program(pid, set);
}

/* With a kubeconfig that is there as long as the program. */
static int serve_program(kin_apiserver *server, const struct settings *s,
                         const char *const *program, const sigset_t *set)
{
    kin_error err = KIN_ERROR_INIT;
    struct temporary_kubeconfig file = TEMPORARY_KUBECONFIG_INIT;
    const char *path = s->write_kubeconfig;
    int status = EXIT_FAILED;
    int code = path ? kin_apiserver_write_kubeconfig(server, path, &err)
                    : temporary_kubeconfig_write(&file, server, &err);

    if (code < 0)
        report_error(&err);
    else if (setenv("KUBECONFIG", path ? path : text_string(&file.path), 1) == 0)
        status = run_program(program, set);
    temporary_kubeconfig_remove(&file);
    return status;
}

static int print_kubeconfig(kin_apiserver *server, kin_error *err)
{
    char *text = NULL;
    int code = kin_apiserver_kubeconfig(server, &text, err);

    if (code < 0)
        return report_error(err);
    int status = output_write(kin_str_of(text));
    kin_free(text);
    return output_end(status);
}

static int write_kubeconfig(kin_apiserver *server, const char *path, kin_error *err)
{
    if (kin_apiserver_write_kubeconfig(server, path, err) < 0)
        return report_error(err);
    printf("export KUBECONFIG=%s\n", path);
    return output_end(EXIT_OK);
}

static int serve_until_signal(kin_apiserver *server, const struct settings *s, const sigset_t *set)
{
    kin_error err = KIN_ERROR_INIT;

    fprintf(stderr, "listening on %s, until Ctrl-C\n", kin_apiserver_url(server));
    int status = s->write_kubeconfig ? write_kubeconfig(server, s->write_kubeconfig, &err)
                                     : print_kubeconfig(server, &err);
    if (status == EXIT_OK)
        wait_for_signal(set);
    return status;
}

static int run(void *arg, const struct arguments *arguments)
{
    const struct settings *s = arg;
    kin_error err = KIN_ERROR_INIT;
    kin_apiserver *server = NULL;
    sigset_t set;

    if (arguments->len > 0)
        return report_usage("serve", "serve takes no arguments; a program stands behind --");
    if (arguments->behind && !arguments->behind[0])
        return report_usage("serve", "there is no program behind --");
    if (new_server(&server, s, &err) < 0 || start(server, s, &err) < 0) {
        kin_apiserver_free(server);
        free(s->faults.items);
        return report_error(&err);
    }
    set_of_signals(&set);
    signal(SIGCHLD, SIG_DFL); /* an ignored one would leave nothing to wait for */
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    int status = arguments->behind ? serve_program(server, s, arguments->behind, &set)
                                   : serve_until_signal(server, s, &set);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    kin_apiserver_free(server);
    free(s->faults.items);
    return status;
}

const struct command command_serve = {
    .name = "serve",
    .summary = "Serve the Kubernetes API on a port of this machine",
    .usage = "[OPTION…] [-- PROGRAM [ARGUMENT…]]",
    .details =
        "It serves until Ctrl-C, and prints a kubeconfig for kubectl and other clients. With a\n"
        "program behind -- it serves as long as that runs, which finds it by KUBECONFIG, and\n"
        "ends with its status.\n",
    .examples =
        "  kinform serve > /tmp/kubeconfig\n"
        "  kinform serve --simulate --write-kubeconfig /tmp/kubeconfig\n"
        "  kinform serve --simulate --churn 20 -- kubectl get pods -A -w\n"
        "  kinform serve --faults '{\"type\": \"Reset\", \"verb\": \"watch\", \"always\": true}'\n",
    .groups = groups,
    .n_groups = sizeof(groups) / sizeof(groups[0]),
    .settings_size = sizeof(struct settings),
    .takes_program = true,
    .run = run,
};
