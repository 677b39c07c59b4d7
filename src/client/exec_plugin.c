/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running an exec plugin.
 *
 * The process belongs to a program that we are guests of. It is waited for by its pid alone, through
 * a pidfd where the kernel has them. The program may ignore SIGCHLD or wait for any child: then the
 * exit status is lost to us, and what the plugin wrote decides. It starts with no signal blocked, with
 * SIGPIPE and its like as usual, and with no descriptor but the three standard ones (glibc 2.34).
 *
 * A plugin that does not talk to a terminal is the leader of a process group, so that its children
 * end with it when it is ended. One that does stays in ours: in a group of its own the terminal would
 * stop it. Children that a plugin leaves behind when it ends on its own are left alone, and their
 * holding its output open keeps nobody waiting.
 *
 * Standard error goes to the log line by line, bounded; to ours if it talks to a terminal, since
 * questions have no line end. Standard output is secret: it is one block that is wiped.
 */
#include "client/exec_plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/str.h"
#include "client/exec_credential.h"
#include "client/exec_policy.h"

#define INFO_NAME "KUBERNETES_EXEC_INFO"
#define LINE_MAX_BYTES 1024 /* of standard error; longer lines are logged in parts */
#define LINES_MAX 200       /* of standard error; what follows is dropped */
#define STATUS_POLL_MS 10   /* where there are no pidfds */

#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
#define HAVE_CLOSEFROM 1
#endif
#endif

struct plugin {
    const kin__exec_run *run;
    kin__secret output; /* of KIN__EXEC_OUTPUT_MAX + 1 bytes */
    char line[LINE_MAX_BYTES];
    size_t line_len;
    unsigned n_lines;
    int out; /* what it writes comes out here; -1: it has ended */
    int err;
    int pidfd; /* -1: none */
    pid_t pid;
    bool ended;
    bool timed_out;
    bool stopped;
    bool too_long;
    kin__clock_waiter waiter;
};

/* --- what it gets --- */

int kin__exec_plugin_interactive(const kin__exec_config *config, bool *ret, kin_error *err)
{
    bool is_terminal = config->interactive != KIN__INTERACTIVE_NEVER && isatty(STDIN_FILENO);

    if (config->interactive == KIN__INTERACTIVE_ALWAYS && !is_terminal)
        return kin_error_set(err, KIN_EDENIED,
                             "exec plugin %s must talk to a person (interactiveMode Always), and "
                             "standard input is no terminal",
                             config->command);
    *ret = is_terminal;
    return 0;
}

struct environment {
    char **all;        /* terminated by NULL; ours are BORROWED */
    kin__secret *made; /* those that are not ours */
    size_t n_made;
};

static void environment_done(struct environment *environment)
{
    for (size_t i = 0; i < environment->n_made; i++)
        kin__secret_done(&environment->made[i]);
    kin__free(environment->made);
    kin__free(environment->all);
}

/* Whether `text`, "NAME=value", is of this name. */
static bool has_name(const char *text, const char *name)
{
    size_t len = strlen(name);

    return strncmp(text, name, len) == 0 && text[len] == '=';
}

static bool is_replaced(const kin__exec_config *config, const char *text)
{
    if (has_name(text, INFO_NAME))
        return true;
    for (size_t i = 0; i < config->n_env; i++) {
        if (has_name(text, config->env[i].name))
            return true;
    }
    return false;
}

/* Of several of one name the last counts, and what we tell counts more. */
static bool is_repeated(const kin__exec_config *config, size_t at)
{
    if (strcmp(config->env[at].name, INFO_NAME) == 0)
        return true;
    for (size_t i = at + 1; i < config->n_env; i++) {
        if (strcmp(config->env[i].name, config->env[at].name) == 0)
            return true;
    }
    return false;
}

static int add_variable(struct environment *environment, const char *name, kin_str value)
{
    const kin_str parts[] = {kin_str_of(name), KIN__STR("="), value};
    int code = kin__secret_join(&environment->made[environment->n_made], parts, 3);

    if (code == 0)
        environment->n_made++;
    return code;
}

/* Ours, with the configured ones on top. 0, KIN_ENOMEM. */
static int environment_init(struct environment *environment, const kin__exec_run *run)
{
    const kin__exec_config *config = run->config;
    size_t n_ours = 0;
    size_t n = 0;
    int code = 0;

    while (environ && environ[n_ours])
        n_ours++;
    environment->n_made = 0;
    environment->all = kin__calloc(n_ours + config->n_env + 2, sizeof(*environment->all));
    environment->made = kin__calloc(config->n_env + 1, sizeof(*environment->made));
    if (!environment->all || !environment->made)
        return KIN_ENOMEM;
    for (size_t i = 0; i < n_ours; i++) {
        if (!is_replaced(config, environ[i]))
            environment->all[n++] = environ[i];
    }
    for (size_t i = 0; i < config->n_env && code == 0; i++) {
        if (!is_repeated(config, i))
            code = add_variable(environment, config->env[i].name,
                                kin__secret_str(&config->env[i].value));
    }
    if (code == 0)
        code = add_variable(environment, INFO_NAME, run->info);
    for (size_t i = 0; i < environment->n_made; i++)
        environment->all[n++] = environment->made[i].data;
    return code;
}

/* OWNED, the strings BORROWED; NULL: no memory. */
static char **make_arguments(const kin__exec_config *config)
{
    char **arguments = kin__calloc(config->n_args + 2, sizeof(*arguments));

    if (!arguments)
        return NULL;
    arguments[0] = config->command;
    for (size_t i = 0; i < config->n_args; i++)
        arguments[i + 1] = config->args[i];
    return arguments;
}

/* --- starting it --- */

/*
 * A pipe whose ends are none of the standard descriptors, which may be closed in the program we are
 * in: those are about to be replaced. Ours does not block. 0, or an errno.
 */
static int make_pipe(int *ret_ours, int *ret_theirs)
{
    int ends[2];
    int moved[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return errno;
    moved[0] = fcntl(ends[0], F_DUPFD_CLOEXEC, 3);
    moved[1] = moved[0] < 0 ? -1 : fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
    int os_error = errno;
    close(ends[0]);
    close(ends[1]);
    if (moved[1] < 0 || fcntl(moved[0], F_SETFL, O_NONBLOCK) < 0) {
        os_error = moved[1] < 0 ? os_error : errno;
        if (moved[0] >= 0)
            close(moved[0]);
        if (moved[1] >= 0)
            close(moved[1]);
        return os_error;
    }
    *ret_ours = moved[0];
    *ret_theirs = moved[1];
    return 0;
}

static void close_and_forget(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static int set_attributes(posix_spawnattr_t *attributes, bool interactive)
{
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    sigset_t none;
    sigset_t usual;

    sigemptyset(&none);
    sigemptyset(&usual);
    /* What a program that is no plugin's parent often ignores. SIGHUP stays as nohup left it. */
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGCHLD);
    sigaddset(&usual, SIGTERM);
    sigaddset(&usual, SIGALRM);
    sigaddset(&usual, SIGUSR1);
    sigaddset(&usual, SIGUSR2);
    if (!interactive)
        flags |= POSIX_SPAWN_SETPGROUP;
    int os_error = posix_spawnattr_setsigmask(attributes, &none);
    if (os_error == 0)
        os_error = posix_spawnattr_setsigdefault(attributes, &usual);
    if (os_error == 0)
        os_error = posix_spawnattr_setpgroup(attributes, 0);
    if (os_error == 0)
        os_error = posix_spawnattr_setflags(attributes, (short)flags);
    return os_error;
}

static int set_actions(posix_spawn_file_actions_t *actions, bool interactive, int out, int err)
{
    int os_error = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);

    if (os_error == 0 && !interactive)
        os_error =
            posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (os_error == 0 && !interactive)
        os_error = posix_spawn_file_actions_adddup2(actions, err, STDERR_FILENO);
#ifdef HAVE_CLOSEFROM
    if (os_error == 0)
        os_error = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#endif
    return os_error;
}

/* 0 or an errno. */
static int spawn(struct plugin *plugin, const char *path, char **arguments, char **environment,
                 int out, int err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    bool interactive = plugin->run->interactive;
    int os_error = posix_spawn_file_actions_init(&actions);

    if (os_error != 0)
        return os_error;
    os_error = posix_spawnattr_init(&attributes);
    if (os_error == 0) {
        os_error = set_attributes(&attributes, interactive);
        if (os_error == 0)
            os_error = set_actions(&actions, interactive, out, err);
        if (os_error == 0)
            os_error =
                posix_spawn(&plugin->pid, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return os_error;
}

/* ": HINT", or nothing. */
static const char *hint_separator(const kin__exec_config *config)
{
    return config->install_hint ? ": " : "";
}

static const char *hint(const kin__exec_config *config)
{
    return config->install_hint ? config->install_hint : "";
}

static int report_start(const kin__exec_config *config, int os_error, kin_error *err)
{
    kin_error why = KIN_ERROR_INIT;

    if (os_error == ENOENT)
        return kin_error_set(err, KIN_EDENIED, "exec plugin %s was not found%s%s", config->command,
                             hint_separator(config), hint(config));
    int code = kin__error_system(&why, os_error, config->command);
    if (os_error == EAGAIN || code == KIN_ENOMEM)
        return kin_error_set(err, code, "exec plugin %s", why.message);
    return kin_error_set(err, KIN_EDENIED, "exec plugin %s%s%s", why.message,
                         hint_separator(config), hint(config));
}

static int start_with(struct plugin *plugin, const char *path, char **arguments, char **environment,
                      kin_error *err)
{
    int out = -1;
    int error_out = -1;
    int os_error = make_pipe(&plugin->out, &out);

    if (os_error == 0 && !plugin->run->interactive)
        os_error = make_pipe(&plugin->err, &error_out);
    if (os_error != 0) {
        close_and_forget(&out);
        return kin__error_system(err, os_error, "a pipe for an exec plugin");
    }
    os_error = spawn(plugin, path, arguments, environment, out, error_out);
    close_and_forget(&out);
    close_and_forget(&error_out);
    return os_error == 0 ? 0 : report_start(plugin->run->config, os_error, err);
}

static int start(struct plugin *plugin, kin_error *err)
{
    const kin__exec_config *config = plugin->run->config;
    char **arguments = make_arguments(config);
    struct environment environment = {NULL, NULL, 0};
    char *found = NULL;
    int code = arguments ? environment_init(&environment, plugin->run) : KIN_ENOMEM;

    if (code == 0 && !strchr(config->command, '/'))
        code = kin__exec_find(&found, config->command);
    if (code < 0)
        kin__error_no_memory(err);
    else if (!found && !strchr(config->command, '/'))
        code = report_start(config, ENOENT, err);
    else
        code = start_with(plugin, found ? found : config->command, arguments, environment.all, err);
    kin__free(found);
    environment_done(&environment);
    kin__free(arguments);
    return code;
}

/* --- what it says --- */

static void log_line(struct plugin *plugin)
{
    kin_str line = kin__str_trim(kin_str_make(plugin->line, plugin->line_len));

    plugin->line_len = 0;
    if (line.len == 0 || plugin->n_lines > LINES_MAX)
        return;
    if (plugin->n_lines++ == LINES_MAX)
        line = kin_str_of("(what follows is dropped)");
    kin__log(plugin->run->logger, KIN_LOG_INFO, "credentials", "an exec plugin says",
             KIN__LOG_S("command", plugin->run->config->command), KIN__LOG_V("text", line));
}

static void take_error_text(struct plugin *plugin, kin_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\n' || plugin->line_len == sizeof(plugin->line))
            log_line(plugin);
        if (text.data[i] != '\n')
            plugin->line[plugin->line_len++] = text.data[i];
    }
}

/* Read once. False: nothing more for now, or ever. */
static bool read_error_text(struct plugin *plugin)
{
    char text[1024];
    ssize_t n = read(plugin->err, text, sizeof(text));

    if (n > 0)
        take_error_text(plugin, kin_str_make(text, (size_t)n));
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        close_and_forget(&plugin->err);
    return n > 0;
}

static bool read_output(struct plugin *plugin)
{
    kin__secret *output = &plugin->output;
    ssize_t n =
        read(plugin->out, output->data + output->len, KIN__EXEC_OUTPUT_MAX + 1 - output->len);

    if (n > 0)
        output->len += (size_t)n;
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        close_and_forget(&plugin->out);
    if (output->len > KIN__EXEC_OUTPUT_MAX) {
        plugin->too_long = true;
        close_and_forget(&plugin->out);
    }
    return n > 0 && plugin->out >= 0;
}

/*
 * What was written before it ended. Children that it left may go on writing to standard error: as
 * much as a pipe holds is enough.
 */
static void drain(struct plugin *plugin)
{
    while (plugin->out >= 0 && read_output(plugin))
        ;
    for (int n = 0; n < 64 && plugin->err >= 0 && read_error_text(plugin); n++)
        ;
    log_line(plugin);
}

/* --- waiting for its end --- */

static void wake(kin__clock_waiter *waiter)
{
    kin__wakeup_signal(kin__container_of(waiter, struct plugin, waiter)->run->wakeup);
}

/* Whether the process is there no more, or is a zombie that we have not buried. */
static bool has_ended(const struct plugin *plugin)
{
    siginfo_t info;

    info.si_pid = 0;
    if (waitid(P_PID, (id_t)plugin->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
        return errno != EINTR;
    return info.si_pid != 0;
}

static bool must_end(struct plugin *plugin)
{
    if (atomic_load_explicit(plugin->run->stop, memory_order_acquire))
        plugin->stopped = true;
    else if (kin_clock_now(plugin->run->clock) >= plugin->run->deadline)
        plugin->timed_out = true;
    return plugin->stopped || plugin->timed_out || plugin->too_long;
}

static int poll_timeout(const struct plugin *plugin)
{
    int ms = kin__clock_poll_ms(plugin->run->clock, plugin->waiter.deadline);

    if (plugin->pidfd < 0 && (ms < 0 || ms > STATUS_POLL_MS))
        return STATUS_POLL_MS;
    return ms;
}

static void wait_for_something(struct plugin *plugin)
{
    struct pollfd fds[] = {
        {.fd = plugin->out, .events = POLLIN},
        {.fd = plugin->err, .events = POLLIN},
        {.fd = plugin->pidfd, .events = POLLIN},
        {.fd = plugin->run->wakeup->fd, .events = POLLIN},
    };

    if (poll(fds, kin__array_len(fds), poll_timeout(plugin)) < 0)
        return;
    if (fds[0].revents)
        read_output(plugin);
    if (fds[1].revents)
        read_error_text(plugin);
    if (fds[3].revents)
        kin__wakeup_clear(plugin->run->wakeup);
    if (plugin->pidfd < 0 || fds[2].revents)
        plugin->ended = has_ended(plugin);
}

/* Only while it is not buried: its number could be somebody else's then. */
static void end_it(const struct plugin *plugin)
{
    kill(plugin->run->interactive ? plugin->pid : -plugin->pid, SIGKILL);
}

/* Its exit status as waitid() has it; false if somebody else took it. */
static bool bury(const struct plugin *plugin, siginfo_t *ret)
{
    int result;

    do {
        result = waitid(P_PID, (id_t)plugin->pid, ret, WEXITED);
    } while (result < 0 && errno == EINTR);
    return result == 0;
}

/* Until when to wait: for its end, or for what others have to do. */
static int64_t next_deadline(const struct plugin *plugin)
{
    int64_t tick = plugin->run->tick ? plugin->run->tick(plugin->run->tick_arg) : INT64_MAX;

    return tick < plugin->run->deadline ? tick : plugin->run->deadline;
}

static void wait_for_end(struct plugin *plugin)
{
    kin_clock *clock = plugin->run->clock;

    plugin->waiter.notify = wake;
    while (!plugin->ended && !must_end(plugin)) {
        plugin->waiter.deadline = next_deadline(plugin);
        bool waits = kin__clock_is_fake(clock) && kin__clock_wait_begin(clock, &plugin->waiter);
        wait_for_something(plugin);
        if (waits)
            kin__clock_wait_end(clock, &plugin->waiter);
    }
    if (!plugin->ended && !has_ended(plugin))
        end_it(plugin);
    drain(plugin);
}

static int judge(const struct plugin *plugin, const siginfo_t *info, kin_error *err)
{
    const kin__exec_config *config = plugin->run->config;

    if (plugin->stopped)
        return kin_error_set(err, KIN_ECANCELED, "exec plugin %s was ended", config->command);
    if (plugin->timed_out)
        return kin_error_set(err, KIN_EDENIED, "exec plugin %s took too long and was ended",
                             config->command);
    if (plugin->too_long)
        return kin_error_set(err, KIN_EDENIED, "exec plugin %s wrote more than %zu bytes",
                             config->command, KIN__EXEC_OUTPUT_MAX);
    if (!info)
        return 0;
    if (info->si_code != CLD_EXITED)
        return kin_error_set(err, KIN_EDENIED, "exec plugin %s was ended by signal %d%s%s",
                             config->command, info->si_status, hint_separator(config),
                             hint(config));
    if (info->si_status != 0)
        return kin_error_set(err, KIN_EDENIED, "exec plugin %s failed with exit status %d%s%s",
                             config->command, info->si_status, hint_separator(config),
                             hint(config));
    return 0;
}

static int pidfd_of(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    return -1;
#endif
}

int kin__exec_plugin_run(kin__secret *ret, const kin__exec_run *run, kin_error *err)
{
    struct plugin plugin = {.run = run, .out = -1, .err = -1, .pidfd = -1};
    siginfo_t info;

    plugin.output.data = kin__malloc(KIN__EXEC_OUTPUT_MAX + 2);
    if (!plugin.output.data)
        return kin__error_no_memory(err);
    int code = start(&plugin, err);
    if (code == 0) {
        plugin.pidfd = pidfd_of(plugin.pid);
        wait_for_end(&plugin);
        code = judge(&plugin, bury(&plugin, &info) ? &info : NULL, err);
    }
    close_and_forget(&plugin.out);
    close_and_forget(&plugin.err);
    close_and_forget(&plugin.pidfd);
    plugin.output.data[plugin.output.len] = '\0';
    if (code < 0) {
        kin__secret_done(&plugin.output);
        return code;
    }
    kin__secret_done(ret);
    *ret = plugin.output;
    return 0;
}
