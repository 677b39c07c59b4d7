/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform serve: the embedded API server, until a signal or the end of input ends it, or as long as a
 * program runs.
 *
 * Signals end it at once while it starts: there is nothing to tidy up yet. From then on they are
 * waited for, and the server closes what it has open. A second one does not wait for that. With a
 * program, signals are the program's: it decides when it ends, and so when we do.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/file.h"
#include "cli/base/report.h"
#include "cli/base/signals.h"
#include "cli/command.h"
#include "cli/local_server.h"
#include "kinform/clock.h"
#include "kinform/memory.h"

struct settings {
    int64_t port;
    const char *address;
    bool allow_anonymous;
    const char *data;
    bool plain;
    bool tls;
    const char *token;
    const char *host_names;
    const char *write_kubeconfig;
    bool until_eof;
    bool gzip_watches;
    bool control;
    struct option_texts faults;
    struct simulation_settings simulation;
};

#define AT(field) offsetof(struct settings, field)

static const struct option serving[] = {
    {"port", 0, OPTION_NUMBER, AT(port), "N", "port to listen on; default: a free one", NULL,
     65535},
    {"address", 0, OPTION_TEXT, AT(address), "ADDRESS",
     "IP address to listen on; default: 127.0.0.1", NULL, 0},
    {"host-name", 0, OPTION_TEXT, AT(host_names), "NAMES",
     "host names, not addresses, under which clients reach it, separated by commas; default: localhost",
     NULL, 0},
    {"token", 0, OPTION_TEXT, AT(token), "TOKEN|@FILE",
     "the token that clients need; default: a random one; others on the machine see TOKEN, not FILE",
     "<@file>", 0},
    {"allow-anonymous", 0, OPTION_FLAG, AT(allow_anonymous), NULL,
     "serve clients without a token, even if others reach the address", NULL, 0},
    {"plain", 0, OPTION_FLAG, AT(plain), NULL,
     "serve HTTP without TLS and without a token, to every user of this machine", NULL, 0},
    {"tls", 0, OPTION_FLAG, AT(tls), NULL, "serve HTTPS, which is the default; not with --plain",
     NULL, 0},
    {"gzip-watches", 0, OPTION_FLAG, AT(gzip_watches), NULL,
     "compress watches for clients that accept gzip", NULL, 0},
    {"data", 0, OPTION_TEXT, AT(data), "FILE",
     "keep everything in this SQLite database; default: in memory", "<file>", 0},
    {"write-kubeconfig", 0, OPTION_TEXT, AT(write_kubeconfig), "FILE",
     "write the kubeconfig there, instead of printing it; -: print it", "<file>", 0},
    {"until-eof", 0, OPTION_FLAG, AT(until_eof), NULL,
     "until standard input ends, too: for whoever starts it and must not leave it behind", NULL, 0},
};
static const struct option misbehaving[] = {
    {"faults", 0, OPTION_TEXTS, AT(faults), "JSON|@FILE",
     "a rule by which the server misbehaves, or a file of them; may be given again", "<@file>", 0},
    {"control", 0, OPTION_FLAG, AT(control), NULL,
     "serve /_kinform/, by which clients may add such rules", NULL, 0},
};

static const struct option_group groups[] = {
    {"How it serves", serving, sizeof(serving) / sizeof(serving[0]), 0},
    {"A simulated cluster", simulation_options, N_SIMULATION_OPTIONS, AT(simulation)},
    {"Misbehaving on purpose", misbehaving, sizeof(misbehaving) / sizeof(misbehaving[0]), 0},
};

/* --- what it is like --- */

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

/* The token itself, or what is in a file, which others do not see among the arguments. */
static int read_token(struct text *ret, const char *token, kin_error *err)
{
    int code = 0;

    if (token[0] == '@')
        code = file_read(ret, token + 1, err);
    else
        text_add_string(ret, token);
    if (code < 0)
        return kin_error_set(err, code, "--token %s: %s", token, err->message);
    while (ret->len > 0 && strchr(" \t\r\n", ret->data[ret->len - 1]))
        ret->data[--ret->len] = '\0';
    for (size_t i = 0; i < ret->len; i++) {
        if (ret->data[i] <= ' ' || ret->data[i] > '~')
            return kin_error_set(err, KIN_EINVAL, "--token: a token has no spaces or lines in it");
    }
    if (ret->len == 0)
        return kin_error_set(err, KIN_EINVAL, "--token %s: it is empty", token);
    return 0;
}

/* The address as the library wants it, and whether it is one that others need a reason for. */
static int get_address(const char **ret, const struct settings *s, kin_error *err)
{
    const char *address = s->address;
    struct in_addr v4;
    struct in6_addr v6;
    bool is_own = false;

    if (address && strcmp(address, "localhost") == 0)
        address = "127.0.0.1";
    *ret = address;
    if (!address)
        return 0;
    if (inet_pton(AF_INET, address, &v4) == 1)
        is_own = ntohl(v4.s_addr) >> 24 == 127;
    else if (inet_pton(AF_INET6, address, &v6) == 1)
        is_own = IN6_IS_ADDR_LOOPBACK(&v6);
    else
        return kin_error_set(err, KIN_EINVAL,
                             "--address %s is no IP address; write one, as 127.0.0.1 or ::1",
                             address);
    if (is_own || !s->plain || s->allow_anonymous)
        return 0;
    return kin_error_set(
        err, KIN_EINVAL,
        "others reach --address %s, and everybody could write; leave --plain out, or "
        "add --allow-anonymous if that is meant",
        address);
}

static int new_server(kin_apiserver **ret, const struct settings *s, kin_error *err)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    struct text token = TEXT_INIT;
    int code = get_address(&options.address, s, err);

    options.port = (uint16_t)s->port;
    options.allow_anonymous = s->allow_anonymous;
    options.tls = !s->plain;
    options.host_names = s->host_names;
    options.storage_path = s->data;
    options.gzip_watches = s->gzip_watches;
    options.control = s->control;
    /* Who has followed a server that was here before notices that this is another one: microseconds. */
    options.first_version = (uint64_t)kin_clock_unix_now(kin_clock_system()) / 1000;
    if (code == 0 && s->token)
        code = read_token(&token, s->token, err);
    if (code == 0 && (s->plain || (s->allow_anonymous && !s->token)))
        code = kin_apiserver_new(ret, &options, err);
    else if (code == 0)
        code = local_server_new(ret, &options, s->token ? text_string(&token) : NULL, err);
    if (token.data)
        explicit_bzero(token.data, token.len);
    text_done(&token);
    return code;
}

/* A large cluster takes its time; on a screen it is seen that it goes on. */
static int wait_for_simulation(kin_apiserver *server, kin_error *err)
{
    bool has_screen = is_screen(stderr);
    bool is_shown = false;
    int code;

    while ((code = kin_apiserver_wait_for_simulation(server, has_screen ? 200 : -1, err)) ==
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
        code = local_server_start(server, s->address, s->port, err);
    if (code == 0 && s->simulation.simulate)
        code = simulate(server, s, err);
    return code;
}

/* --- how long --- */

/* False: there is no more, or it cannot be read. */
static bool drop_input(void)
{
    char buf[256];
    ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));

    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* A signal that asks for it, which is taken, or the end of the input if that counts. */
static int wait_for_end(const sigset_t *set, bool until_eof, kin_error *err)
{
    struct signalfd_siginfo info;
    int fd = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);

    if (fd < 0)
        return kin_error_set(err, KIN_ESYSTEM, "signalfd: %s", strerror(errno));
    struct pollfd fds[] = {{fd, POLLIN, 0}, {until_eof ? STDIN_FILENO : -1, POLLIN, 0}};
    while (read(fd, &info, sizeof(info)) < 0 && (!fds[1].revents || drop_input())) {
        if (poll(fds, 2, -1) < 0)
            fds[1].revents = 0;
    }
    close(fd);
    return 0;
}

/* In the child of a process with threads: nothing here takes a lock or memory. */
_Noreturn static void become(char *const *argv, pid_t parent, int failure_fd)
{
    sigset_t none;

    /*
     * If we are killed in a way that nobody can tidy up after, the program does not run on without its server.
     * Programs that change who they are (sudo) do not get this signal: the kernel forgets it for them.
     */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_FAILED); /* killed before that */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(argv[0], argv);
    int failure = errno;
    (void)!write(failure_fd, &failure, sizeof(failure));
    _exit(EXIT_FAILED);
}

/* posix_spawn() has no way to ask for a signal at the parent's death. 0, or what errno says. */
static int fork_program(pid_t *ret, char *const *argv)
{
    pid_t parent = getpid();
    int failure = 0;
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) < 0)
        return errno;
    pid_t pid = fork();
    if (pid == 0)
        become(argv, parent, fds[1]);
    if (pid < 0)
        failure = errno;
    close(fds[1]);
    /* The end of the pipe, if it runs: exec closes the other one. */
    ssize_t n = -1;
    do {
        n = pid > 0 ? read(fds[0], &failure, sizeof(failure)) : 0;
    } while (n < 0 && errno == EINTR);
    close(fds[0]);
    if (pid > 0 && failure != 0)
        waitpid(pid, NULL, 0);
    *ret = pid;
    return failure;
}

static int spawn(pid_t *ret, const char *const *program)
{
    char **argv = NULL;
    size_t n = 0;

    while (program[n])
        n++;
    argv = memory_zeroed(n + 1, sizeof(*argv));
    for (size_t i = 0; i < n; i++)
        argv[i] = memory_copy(kin_str_of(program[i]));
    int code = fork_program(ret, argv);
    for (size_t i = 0; i < n; i++)
        free(argv[i]);
    free(argv);
    return code;
}

/*
 * What is typed goes to all of the terminal's foreground: the program has it already, unless it is in a group of
 * its own. That the terminal is gone is told to whoever leads the session, and to the foreground if that is us: to
 * hear of it twice does no harm.
 */
static bool has_it_already(pid_t pid, const siginfo_t *info)
{
    return info->si_code == SI_KERNEL && (info->si_signo == SIGINT || info->si_signo == SIGQUIT) &&
           getpgid(pid) == getpgrp();
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
        if (info.si_signo != SIGCHLD && !has_it_already(pid, &info))
            kill(pid, info.si_signo);
    }
}

static int run_program(const char *const *program, const sigset_t *set)
{
    pid_t pid = -1;
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
    struct temporary_kubeconfig temporary = TEMPORARY_KUBECONFIG_INIT;
    struct text path = TEXT_INIT;
    int status = EXIT_FAILED;
    int code = s->write_kubeconfig ? kubeconfig_write(&path, server, s->write_kubeconfig, &err)
                                   : temporary_kubeconfig_write(&temporary, server, &err);

    if (code < 0)
        status = report_error(&err);
    else if (setenv("KUBECONFIG", text_string(s->write_kubeconfig ? &path : &temporary.path), 1) <
             0)
        status = report(EXIT_FAILED, "KUBECONFIG cannot be set: %s", strerror(errno));
    else
        status = run_program(program, set);
    temporary_kubeconfig_remove(&temporary);
    text_done(&path);
    return status;
}

/* A file that standard output was redirected to is for its owner only: there is a token in it. */
static void protect_output(const struct settings *s)
{
    struct stat info;

    if (fstat(STDOUT_FILENO, &info) != 0 || !S_ISREG(info.st_mode))
        return;
    if (info.st_uid == geteuid())
        (void)fchmod(STDOUT_FILENO, S_IRUSR | S_IWUSR);
    else if (!s->plain)
        tell(
            "Warning: standard output is a file of another user; that user can read the token in it");
}

static int print_kubeconfig(kin_apiserver *server, const struct settings *s, kin_error *err)
{
    char *text = NULL;
    int code = kin_apiserver_kubeconfig(server, &text, err);

    if (code < 0)
        return report_error(err);
    protect_output(s);
    int status = output_write(kin_str_of(text));
    kin_free(text);
    return output_end(status);
}

/* Whoever evaluates it has the variable set. */
static int print_export(const struct text *path)
{
    struct text line = TEXT_INIT;

    text_add_string(&line, "export KUBECONFIG=");
    add_shell_word(&line, text_string(path));
    text_add_char(&line, '\n');
    int status = output_write(text_view(&line));
    text_done(&line);
    return output_end(status);
}

static int serve_until_end(kin_apiserver *server, const struct settings *s, const sigset_t *set)
{
    kin_error err = KIN_ERROR_INIT;
    struct text path = TEXT_INIT;

    if (s->write_kubeconfig && kubeconfig_write(&path, server, s->write_kubeconfig, &err) < 0) {
        text_done(&path);
        return report_error(&err);
    }
    fprintf(stderr, "listening on %s, until Ctrl-C%s\n", kin_apiserver_url(server),
            s->until_eof ? " or the end of input" : "");
    int status = s->write_kubeconfig ? print_export(&path) : print_kubeconfig(server, s, &err);
    text_done(&path);
    if (status == EXIT_OK && wait_for_end(set, s->until_eof, &err) < 0)
        status = report_error(&err);
    return status;
}

/* --- all of it --- */

/* What makes no sense, before anything is begun. */
static int check_serve(const struct settings *s, const struct arguments *arguments, kin_error *err)
{
    const char *simulated = simulation_option_given(&s->simulation);

    if (arguments->len > 0)
        return kin_error_set(err, KIN_EINVAL,
                             "serve takes no arguments; a program stands behind --");
    if (arguments->behind && !arguments->behind[0])
        return kin_error_set(err, KIN_EINVAL, "there is no program behind --");
    if (arguments->behind && s->until_eof)
        return kin_error_set(err, KIN_EINVAL,
                             "--until-eof does not go with a program, whose input it is");
    if (s->plain && s->tls)
        return kin_error_set(err, KIN_EINVAL, "--tls is the default and does not go with --plain");
    if (s->plain && s->token)
        return kin_error_set(
            err, KIN_EINVAL,
            "--token does not go with --plain: kubectl sends no token without TLS");
    if (arguments->behind && s->write_kubeconfig && strcmp(s->write_kubeconfig, "-") == 0)
        return kin_error_set(err, KIN_EINVAL,
                             "--write-kubeconfig - does not go with a program, whose output it is");
    if (simulated && !s->simulation.simulate)
        return kin_error_set(err, KIN_EINVAL, "--%s is of a simulated cluster: add --simulate",
                             simulated);
    return 0;
}

static int check_place(const char *option, const char *path, kin_error *err)
{
    struct text resolved = TEXT_INIT;
    int code = path ? file_check_folder(path, err) : 0;

    if (path && code == 0)
        code = file_resolve(&resolved, path, err);
    text_done(&resolved);
    if (code < 0)
        kin_error_set(err, code, "--%s %s: %s", option, path, err->message);
    return code;
}

/* Whether the kubeconfig may replace the file at this path, before the server starts. */
static int check_kubeconfig(const char *path, kin_error *err)
{
    struct stat info;

    if (!path || stat(path, &info) != 0)
        return 0;
    if (!S_ISREG(info.st_mode))
        return kin_error_set(
            err, KIN_EINVAL,
            "--write-kubeconfig %s: it is not a regular file; leave the option out "
            "to print the kubeconfig",
            path);
    if (info.st_uid != geteuid())
        return kin_error_set(err, KIN_EINVAL,
                             "--write-kubeconfig %s: the file belongs to another user; choose a "
                             "path in a folder of your own",
                             path);
    return 0;
}

static int make(kin_apiserver **ret, const struct settings *s, kin_error *err)
{
    int code = check_place("data", s->data, err);

    if (code == 0)
        code = check_kubeconfig(s->write_kubeconfig, err);
    if (code == 0)
        code = check_place("write-kubeconfig", s->write_kubeconfig, err);
    if (code == 0)
        code = new_server(ret, s, err);
    return code < 0 ? code : start(*ret, s, err);
}

static int serve(kin_apiserver *server, const struct settings *s, const char *const *program)
{
    sigset_t set;

    if (program)
        signals_ending(&set);
    else
        signals_asking(&set);
    if (program)
        sigaddset(&set, SIGCHLD);
    signal(SIGCHLD, SIG_DFL); /* an ignored one would leave nothing to wait for */
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    int status =
        program ? serve_program(server, s, program, &set) : serve_until_end(server, s, &set);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    return status;
}

static int serve_run(void *arg, const struct arguments *arguments)
{
    struct settings *s = arg;
    kin_error err = KIN_ERROR_INIT;
    kin_apiserver *server = NULL;
    int status = EXIT_OK;
    int code = check_serve(s, arguments, &err);

    if (code < 0)
        status = report_usage("serve", "%s", err.message);
    if (s->write_kubeconfig && strcmp(s->write_kubeconfig, "-") == 0)
        s->write_kubeconfig = NULL;
    if (code == 0 && make(&server, s, &err) < 0)
        status = report_error(&err);
    else if (code == 0)
        status = serve(server, s, arguments->behind);
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
        "program behind -- it serves as long as that runs, which finds it by KUBECONFIG, gets the\n"
        "signals that we get, and ends with its status.\n"
        "\n"
        "Clients need the certificate and the random token that the kubeconfig has; both are new each\n"
        "time. With --plain every user of the machine can use the server, without TLS and token. Web\n"
        "pages of other origins, and host names that are not the server's, are refused in any case.\n"
        "\n"
        "The kubeconfig is for its owner only (mode 0600). FILE of --write-kubeconfig may be a symbolic link of your own: the file that it\n"
        "leads to is written. Links and files of other users are refused; write to a folder of your own.\n",
    .examples =
        "  kinform serve > kubeconfig\n"
        "  kinform serve --simulate --write-kubeconfig kubeconfig\n"
        "  kinform serve --simulate --churn 20 -- kubectl get pods -A -w\n"
        "  kinform serve --faults '{\"type\": \"Reset\", \"verb\": \"watch\", \"always\": true}'\n",
    .groups = groups,
    .n_groups = sizeof(groups) / sizeof(groups[0]),
    .settings_size = sizeof(struct settings),
    .takes_program = true,
    .run = serve_run,
};
