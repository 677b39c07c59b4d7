/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform demo: an API server with a simulated cluster and informers that follow it, in one process, and a view
 * of them; or lines, where there is no terminal.
 *
 * One loop in one thread waits in poll() for informers, keys, signals and the next frame, and never for whoever
 * reads what it writes. Signals are blocked and come through a descriptor: whenever one arrives, the terminal
 * is put back and the kubeconfig removed. From then on they are as always, so that a second one ends it at once.
 * INT, TERM, HUP and QUIT ask for the end, and for the summary; of all others that can be waited for we die, tidily.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/base/report.h"
#include "cli/base/signals.h"
#include "cli/command.h"
#include "cli/demo_inside.h"
#include "cli/demo_summary.h"
#include "cli/demo_view.h"
#include "cli/local_server.h"
#include "cli/print/printer.h"
#include "cli/terminal.h"
#include "kinform/json.h"

enum { TICK_MS = 200, MAKING_MS = 20, FOR_DEFAULT_MS = 10000, PENDING_MAX = 65536 };
static const int64_t ms = 1000000;

struct settings {
    const char *for_;
    int64_t for_ms; /* of it; 0: until it is ended */
    bool plain;
    const char *color;
    int64_t port;
    struct simulation_settings simulation;
};

#define AT(field) offsetof(struct settings, field)
static const struct option own_options[] = {
    {"for", 0, OPTION_TEXT, AT(for_), "TIME",
     "end after so long; default: with q or Ctrl-C, and after 10s where there is no terminal", NULL,
     0},
    {"plain", 0, OPTION_FLAG, AT(plain), NULL, "lines instead of the view, on a terminal, too",
     NULL, 0},
    {"color", 0, OPTION_TEXT, AT(color), "WHEN",
     "auto, always or never; auto: on a terminal, unless NO_COLOR is set", "auto always never", 0},
    {"port", 0, OPTION_NUMBER, AT(port), "N",
     "port that the API server listens on; default: a free one", NULL, 65535},
};
static const struct option_group groups[] = {
    {"How it is shown", own_options, sizeof(own_options) / sizeof(own_options[0]), 0},
    {"The simulated cluster", simulation_options + 1, N_SIMULATION_OPTIONS - 1, AT(simulation)},
};

struct demo {
    const struct settings *settings;
    kin_apiserver *server;
    struct temporary_kubeconfig kubeconfig;
    struct text kubeconfig_word; /* its path, for a shell */
    struct demo_informers informers;
    bool has_informers;
    bool has_view;
    bool color;
    unsigned churn;
    uint64_t first_writes; /* of the simulated cluster, before there were informers */
    uint64_t writes;       /* since then; the last known */
    int signal_fd;
    int64_t deadline_ns; /* 0: none, or not yet */
    int64_t next_tick_ns;
    int64_t next_line_ns;
    bool was_synced; /* and told */
    size_t n_told;   /* changes up to the last that was told */
    struct text frame;
    struct text pending; /* lines that were not written yet */
    bool is_done;
    int ended_by; /* a signal of which we die when all is tidy; 0: none */
    int status;
};

static int64_t now(void)
{
    return kin_clock_now(kin_clock_system());
}

static void end(struct demo *d, int status)
{
    if (!d->is_done)
        d->status = status;
    d->is_done = true;
}

/* --- figures --- */

/* What is resident, in bytes; 0: unknown. */
static uint64_t memory_used(void)
{
    char line[128];
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");

    if (!file)
        return 0;
    if (fgets(line, sizeof(line), file)) {
        char *behind = strchr(line, ' ');

        pages = behind ? strtoull(behind, NULL, 10) : 0;
    }
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Each Pod is written, and an Event of it; so are nodes with their Leases. */
static unsigned percent_made(const struct demo *d)
{
    kin_simulation_stats stats = KIN_SIMULATION_STATS_INIT;

    if (d->has_informers || kin_apiserver_simulation_stats(d->server, &stats, NULL) < 0)
        return 100;
    uint64_t expected = 2 * (stats.pods + stats.nodes) + stats.deployments + 1;
    uint64_t percent = stats.writes * 100 / expected;
    return percent < 99 ? (unsigned)percent : 99;
}

static void get_figures(struct demo *d, struct demo_figures *f, size_t n_changes)
{
    kin_pool_stats pool = KIN_POOL_STATS_INIT;
    kin_simulation_stats simulation = KIN_SIMULATION_STATS_INIT;

    kin_pool_stats_get(&pool);
    if (d->has_informers && kin_apiserver_simulation_stats(d->server, &simulation, NULL) ==
                                0) /* not if a restart failed */
        d->writes = simulation.writes - d->first_writes;
    *f = (struct demo_figures){
        .url = kin_apiserver_url(d->server),
        .kubeconfig = text_string(&d->kubeconfig_word),
        .is_making = !d->has_informers,
        .percent = percent_made(d),
        .for_ns = d->settings->for_ms * ms,
        .memory = memory_used(),
        .shared = pool.bytes,
        .churn = d->churn,
        .writes = d->writes,
    };
    demo_informers_get(&d->informers, f, n_changes, now());
}

/* --- lines, where there is no terminal --- */

/* What a reader does not take waits, but not without bound. */
static bool can_say_more(const struct demo *d)
{
    return d->pending.len < PENDING_MAX;
}

static void say_progress(struct demo *d)
{
    struct demo_figures f;

    get_figures(d, &f, d->informers.n_events > d->n_told ? 1 : 0);
    if (!d->was_synced && demo_informers_have_synced(&d->informers)) {
        d->was_synced = true;
        demo_add_synced(&d->pending, &f);
    }
    if (now() < d->next_line_ns || !can_say_more(d))
        return;
    d->next_line_ns += 1000 * ms;
    d->n_told = d->informers.n_events;
    demo_add_progress(&d->pending, &f);
}

/* A pipe that can be written takes as much as this without making us wait. */
static void write_pending(struct demo *d)
{
    size_t len = d->pending.len < PIPE_BUF ? d->pending.len : PIPE_BUF;
    ssize_t n = write(STDOUT_FILENO, d->pending.data, len);

    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n < 0) {
        /* EPIPE brings a signal, which ends us quietly when it is let through. */
        int failure = errno;

        text_clear(&d->pending);
        end(d, failure == EPIPE ? EXIT_FAILED : output_failed(failure));
        return;
    }
    memmove(d->pending.data, d->pending.data + n, d->pending.len - (size_t)n + 1);
    d->pending.len -= (size_t)n;
}

/* --- the view --- */

static void show(struct demo *d)
{
    struct demo_figures f;
    size_t rows;
    size_t columns;

    terminal_size(&rows, &columns);
    get_figures(d, &f, rows);
    text_clear(&d->frame);
    demo_view_add(&d->frame, &f, rows, columns, d->color);
    terminal_show(text_view(&d->frame), columns);
    if (terminal_flush() < 0)
        end(d, EXIT_FAILED);
}

/* 0, 1, 2, 5, 10, 20, 50, … */
static unsigned next_churn(unsigned churn, bool more)
{
    static const unsigned steps[] = {0,   1,   2,   5,    10,   20,   50,
                                     100, 200, 500, 1000, 2000, 5000, 10000};
    size_t n = sizeof(steps) / sizeof(steps[0]);

    for (size_t i = 0; i < n; i++) {
        if (more && steps[i] > churn)
            return steps[i];
        if (!more && steps[n - 1 - i] < churn)
            return steps[n - 1 - i];
    }
    return churn;
}

static void set_churn(struct demo *d, bool more)
{
    unsigned churn = next_churn(d->churn, more);

    if (kin_apiserver_set_churn(d->server, churn, NULL) == 0)
        d->churn = churn;
}

/* As if its process had been killed: informers lose their watches and go on where they were. */
static void restart(struct demo *d)
{
    kin_error err = KIN_ERROR_INIT;

    if (!d->has_informers)
        return;
    if (kin_apiserver_restart(d->server, false, &err) == 0) {
        demo_informers_restarted(&d->informers, now());
        return;
    }
    terminal_leave();
    end(d, report_error(&err));
}

static void take_keys(struct demo *d)
{
    for (int key = terminal_key(); key != KEY_NONE && !d->is_done; key = terminal_key()) {
        switch (key) {
        case 'q':
        case 'Q':
        case KEY_END:
            end(d, EXIT_OK);
            break;
        case KEY_GONE:
            end(d, EXIT_FAILED);
            break;
        case ' ':
            demo_informers_pause(&d->informers, !d->informers.is_paused);
            break;
        case '+':
        case '-':
            set_churn(d, key == '+');
            break;
        case 'r':
            restart(d);
            break;
        default:
            break;
        }
    }
    if (!d->is_done)
        show(d);
}

/* Ctrl-Z: the shell gets its screen back, and we ours when it goes on. */
static void suspend(struct demo *d)
{
    kin_error err = KIN_ERROR_INIT;

    terminal_leave();
    kill(getpid(), SIGSTOP);
    if (terminal_enter(&err) < 0)
        end(d, report_error(&err));
}

/* --- signals --- */

static void set_of_signals(sigset_t *set, bool with_terminal)
{
    signals_ending(set);
    if (with_terminal) {
        signal_add(set, SIGTSTP);
        sigaddset(set, SIGWINCH);
    }
}

/* One that asks for the end has got what it wants then. All others have to be seen in our status. */
static void end_by(struct demo *d, int number)
{
    sigset_t asking;

    signals_asking(&asking);
    if (!sigismember(&asking, number))
        d->ended_by = number;
    end(d, EXIT_OK);
}

static void take_signal(struct demo *d)
{
    struct signalfd_siginfo info;

    while (!d->is_done && read(d->signal_fd, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo == SIGTSTP)
            suspend(d);
        else if (info.ssi_signo == SIGWINCH)
            terminal_forget();
        else
            end_by(d, (int)info.ssi_signo);
    }
    if (!d->is_done && d->has_view)
        show(d);
}

/* Until release_signals(). Those of a pipe as well, which have no descriptor: they wait. */
static int hold_signals(struct demo *d, kin_error *err)
{
    sigset_t set;

    set_of_signals(&set, d->has_view);
    d->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (d->signal_fd < 0)
        return kin_error_set(err, KIN_ESYSTEM, "signalfd: %s", strerror(errno));
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return 0;
}

static void release_signals(struct demo *d)
{
    sigset_t set;

    if (d->signal_fd < 0)
        return;
    close(d->signal_fd);
    d->signal_fd = -1;
    set_of_signals(&set, d->has_view);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* --- the loop --- */

static void start_informers(struct demo *d)
{
    kin_error err = KIN_ERROR_INIT;
    kin_simulation_stats stats = KIN_SIMULATION_STATS_INIT;

    d->has_informers = true;
    if (kin_apiserver_simulation_stats(d->server, &stats, NULL) == 0)
        d->first_writes = stats.writes;
    if (demo_informers_start(&d->informers, text_string(&d->kubeconfig.path), &err) < 0) {
        terminal_leave();
        end(d, report_error(&err));
        return;
    }
    d->next_line_ns = now() + 1000 * ms;
    if (d->settings->for_ms > 0)
        d->deadline_ns = now() + d->settings->for_ms * ms;
}

static void tick(struct demo *d)
{
    int64_t at = now();

    if (!d->has_informers && kin_apiserver_wait_for_simulation(d->server, 0, NULL) == 0)
        start_informers(d);
    if (d->is_done || at < d->next_tick_ns)
        return;
    d->next_tick_ns = at + TICK_MS * ms;
    if (d->has_informers)
        demo_informers_sample(&d->informers, at);
    if (d->has_view)
        show(d);
    else if (d->has_informers)
        say_progress(d);
}

static void run_out_of_time(struct demo *d)
{
    if (d->has_view)
        terminal_leave();
    if (demo_informers_have_synced(&d->informers))
        end(d, EXIT_OK);
    else
        end(d, report(EXIT_TIMEOUT, "the time was up before all informers were synced"));
}

static int time_to_wait(const struct demo *d)
{
    int64_t until = d->next_tick_ns;

    if (d->deadline_ns > 0 && d->deadline_ns < until)
        until = d->deadline_ns;
    int64_t wait = (until - now() + ms - 1) / ms;
    if (!d->has_informers && wait > MAKING_MS)
        wait = MAKING_MS;
    return wait < 0 ? 0 : (int)wait;
}

enum { SIGNALS, SCREEN, CHANGED, INFORMERS, N_FDS = INFORMERS + DEMO_KINDS };

static void set_fds(const struct demo *d, struct pollfd *fds)
{
    fds[SIGNALS] = (struct pollfd){d->signal_fd, POLLIN, 0};
    if (d->has_view)
        fds[SCREEN] = (struct pollfd){terminal_fd(),
                                      (short)(POLLIN | (terminal_is_behind() ? POLLOUT : 0)), 0};
    else
        fds[SCREEN] = (struct pollfd){STDOUT_FILENO, (short)(d->pending.len > 0 ? POLLOUT : 0), 0};
    fds[CHANGED] = (struct pollfd){d->informers.changed_fd, POLLIN, 0};
    for (size_t i = 0; i < DEMO_KINDS; i++) {
        kin_informer *informer = d->informers.items[i].informer;

        fds[INFORMERS + i] = (struct pollfd){informer ? kin_informer_fd(informer) : -1, POLLIN, 0};
    }
}

/* Nobody reads it any more. */
static void lose_output(struct demo *d)
{
    text_clear(&d->pending);
    if (!d->has_view)
        raise(SIGPIPE); /* which is held */
    end(d, EXIT_FAILED);
}

static void take_output(struct demo *d, short events)
{
    if (events & (POLLERR | POLLHUP | POLLNVAL))
        lose_output(d);
    else if (!d->has_view && events & POLLOUT)
        write_pending(d);
    else if (d->has_view && events & POLLOUT && terminal_flush() < 0)
        end(d, EXIT_FAILED);
    if (d->has_view && events & POLLIN && !d->is_done)
        take_keys(d);
}

static void loop(struct demo *d)
{
    struct pollfd fds[N_FDS];

    while (!d->is_done) {
        set_fds(d, fds);
        if (poll(fds, N_FDS, time_to_wait(d)) < 0)
            memset(fds, 0, sizeof(fds));
        if (fds[SIGNALS].revents)
            take_signal(d);
        if (fds[SCREEN].revents && !d->is_done)
            take_output(d, fds[SCREEN].revents);
        if (d->has_informers && !d->is_done)
            demo_informers_dispatch(&d->informers);
        if (!d->is_done)
            tick(d);
        if (d->deadline_ns > 0 && now() >= d->deadline_ns && !d->is_done)
            run_out_of_time(d);
    }
}

/* --- begin and end --- */

static int start_server(struct demo *d, kin_error *err)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    options.port = (uint16_t)d->settings->port;
    options.stop_timeout_ms = 200;
    int code = local_server_new(&d->server, &options, NULL, err);
    if (code == 0)
        code = local_server_start(d->server, NULL, d->settings->port, err);
    if (code == 0)
        code = simulation_begin(d->server, &d->settings->simulation, err);
    if (code == 0)
        code = temporary_kubeconfig_write(&d->kubeconfig, d->server, err);
    if (code == 0)
        add_shell_word(&d->kubeconfig_word, text_string(&d->kubeconfig.path));
    return code;
}

static struct demo *current; /* for tidy_up() */

/* There is no memory left: what others would stumble over is put away. */
static void tidy_up(void)
{
    terminal_leave();
    temporary_kubeconfig_remove(&current->kubeconfig);
}

static int begin(struct demo *d, kin_error *err)
{
    int code = hold_signals(d, err);

    current = d;
    memory_at_end = tidy_up;
    if (code == 0)
        code = start_server(d, err);
    if (code == 0 && d->has_view)
        code = terminal_enter(err);
    if (code == 0 && !d->has_view) {
        struct demo_figures f;

        get_figures(d, &f, 0);
        demo_add_beginning(&d->pending, &f);
    }
    return code;
}

/* What it was. What waits to be written comes first; from here on that may take its time. */
static int summarize(struct demo *d)
{
    struct demo_figures f;

    if (d->has_informers)
        demo_informers_sample(&d->informers, now());
    get_figures(d, &f, 0);
    demo_informers_measure(&d->informers, &f);
    text_add_char(&d->pending, '\n');
    demo_add_summary(&d->pending, &f);
    return output_write(text_view(&d->pending)) == EXIT_OK ? output_end(d->status) : EXIT_FAILED;
}

static void run_demo(struct demo *d)
{
    kin_error err = KIN_ERROR_INIT;
    int code = begin(d, &err);

    if (code == 0)
        loop(d);
    terminal_leave();
    temporary_kubeconfig_remove(&d->kubeconfig);
    memory_at_end = NULL;
    release_signals(d);
    if (d->ended_by)
        raise(d->ended_by);
    if (code < 0)
        d->status = report_error(&err);
    else if (d->informers.sync_ns >= 0)
        d->status = summarize(d);
}

static int check_for(struct settings *s, kin_error *err)
{
    if (!s->for_)
        return 0;
    if (duration_parse(&s->for_ms, s->for_, err) < 0)
        return kin_error_set(err, KIN_EINVAL, "--for: %s", err->message);
    if (s->for_ms == 0)
        return kin_error_set(err, KIN_EINVAL, "--for %s is no time at all; write 20s or 1m30s",
                             s->for_);
    return 0;
}

static int check_demo(struct settings *s, unsigned *ret_churn, const struct arguments *arguments,
                      kin_error *err)
{
    int code = 0;

    if (arguments->len > 0)
        code = kin_error_set(err, KIN_EINVAL, "demo takes no arguments");
    if (code == 0)
        code = color_check(s->color, err);
    if (code == 0)
        code = check_for(s, err);
    return code < 0 ? code : simulation_churn(ret_churn, &s->simulation, err);
}

static int demo_run(void *arg, const struct arguments *arguments)
{
    struct settings *s = arg;
    kin_error err = KIN_ERROR_INIT;
    unsigned churn = 0;

    if (check_demo(s, &churn, arguments, &err) < 0)
        return report_usage("demo", "%s", err.message);
    struct demo *d = memory_zeroed(1, sizeof(*d));
    d->settings = s;
    d->signal_fd = -1;
    d->churn = churn;
    d->has_view = !s->plain && terminal_is_there();
    d->color = color_wanted(s->color, stdout);
    if (s->for_ms == 0 && !d->has_view)
        s->for_ms = FOR_DEFAULT_MS;
    demo_informers_init(&d->informers);
    run_demo(d);
    int status = d->status;
    demo_informers_done(&d->informers);
    kin_apiserver_free(d->server);
    text_done(&d->kubeconfig_word);
    text_done(&d->frame);
    text_done(&d->pending);
    free(d);
    return status;
}

const struct command command_demo = {
    .name = "demo",
    .summary = "See informers at work on a simulated cluster",
    .usage = "[OPTION…]",
    .details =
        "An API server with a simulated cluster runs inside the command, and informers follow its\n"
        "pods, nodes, deployments, replicasets and leases. On a terminal there is a view of what each\n"
        "informer does and of what changes; else lines. A summary comes last. The kubeconfig that it\n"
        "names lets kubectl, and kinform in another terminal, work on the same cluster meanwhile. It has\n"
        "a random token, without which the server refuses clients; other users cannot read it.\n"
        "\n"
        "Keys: q or Ctrl-C quit; space holds the changes still; + and - make more or fewer of them;\n"
        "r restarts the server, as if it had been killed.\n",
    .examples = "  kinform demo\n"
                "  kinform demo --pods 5000 --churn 500\n"
                "  kinform demo --for 20s | tee demo.txt\n",
    .groups = groups,
    .n_groups = sizeof(groups) / sizeof(groups[0]),
    .settings_size = sizeof(struct settings),
    .run = demo_run,
};
