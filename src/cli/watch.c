/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform watch: informers whose handlers run in this thread's loop, which waits in poll() for them, for
 * changes of their states, for the end of the time, and for whoever reads standard output to go away.
 *
 * A signal ends it as it ends any program, at once. With --snapshot there is something to do at the end:
 * then the first signal ends the loop, and a second one does not wait.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/file.h"
#include "cli/report.h"
#include "cli/watch_inside.h"

#define AT(field) offsetof(struct watch_settings, field)
static const struct option own_options[] = {
    {"initial", 0, OPTION_FLAG, AT(initial), NULL, "show what is there at the beginning, too", NULL,
     0},
    {"diff", 0, OPTION_FLAG, AT(diff), NULL, "show changes as lines that are gone and new", NULL,
     0},
    {"until", 0, OPTION_TEXT, AT(until), "CONDITION",
     "end when it holds for an object: .status.phase==Running", NULL, 0},
    {"timeout", 0, OPTION_DURATION, AT(timeout_ms), "TIME",
     "end after so long; a failure if --until did not hold, or the first objects have not come",
     NULL, 0},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), NULL, "say nothing of connections and progress", NULL,
     0},
#if KIN_CLI_SNAPSHOT
    {"snapshot", 0, OPTION_TEXT, AT(snapshot), "FILE",
     "begin with what is in this file, and save it there at the end; for one kind", "<file>", 0},
#endif
};
static const struct option_group groups_of_options[] = {
    {"What is shown", own_options, sizeof(own_options) / sizeof(own_options[0]), 0},
    {"Which objects", selection_options, N_SELECTION_OPTIONS, AT(selection)},
    {"Output", output_options, N_OUTPUT_OPTIONS, AT(output)},
    {"Which cluster", cluster_options, N_CLUSTER_OPTIONS, AT(cluster)},
};

/* ---- what informers tell ---- */

/* In a worker: the loop looks. */
static void state_changed(kin_informer *informer, void *arg)
{
    const struct watch *w = arg;
    const uint64_t one = 1;

    (void)informer;
    (void)!write(w->changed_fd, &one, sizeof(one));
}

static bool is_wanted(const kin_object *object, void *arg)
{
    return conditions_hold(arg, object);
}

/* In the loop. */
static void on_event(const kin_event *event, void *arg)
{
    struct watched *item = arg;
    struct watch *w = item->watch;
    kin_error err = KIN_ERROR_INIT;

    if (w->is_done || event->is_sync)
        return;
    if ((!event->is_initial || w->settings->initial) &&
        watch_view_add(&w->view, &w->out, item->resource, event, &err) < 0)
        watch_end(w, report_error(&err));
    if (w->until && event->type != KIN_EVENT_DELETE && condition_holds(w->until, event->object))
        watch_end(w, EXIT_OK);
}

/* ---- making them ---- */

/* The selector of the options, and the name. */
static char *make_field_selector(const struct watch *w, const char *name)
{
    const char *selector = w->settings->selection.field_selector;
    struct text text = TEXT_INIT;

    if (selector)
        text_add_string(&text, selector);
    if (name)
        text_format(&text, "%smetadata.name=%s", selector ? "," : "", name);
    return text.data;
}

/* "pods", "deployments.v1.apps": a snapshot remembers it, whatever the user has called it. */
static void add_whole_name(struct text *out, const kin_resource *resource)
{
    text_add_string(out, kin_resource_name(resource));
    if (kin_resource_group(resource)[0])
        text_format(out, ".%s.%s", kin_resource_version(resource), kin_resource_group(resource));
}

static int make_informer(struct watched *item, kin_error *err)
{
    struct watch *w = item->watch;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_handler_options handler = KIN_HANDLER_OPTIONS_INIT;
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
    const char *namespace_ = kin_client_namespace(w->client);

    if (kin_resource_is_namespaced(item->resource) && !w->settings->selection.all_namespaces) {
        options.namespaces = &namespace_;
        options.n_namespaces = 1;
    }
    options.label_selector = w->settings->selection.label_selector;
    options.field_selector = item->field_selector;
    decode.projection = w->projection;
    options.decode = &decode;
    options.changed = state_changed;
    options.changed_arg = w;
    options.snapshot_path = w->settings->snapshot;
    options.snapshot_max_age_ms = -1;
    handler.delivery = KIN_DELIVER_LOOP;
    handler.filter = w->conditions.len > 0 ? is_wanted : NULL;
    handler.filter_arg = &w->conditions;
    struct text name = TEXT_INIT;
    add_whole_name(&name, item->resource);
    int code = kin_informer_new(&item->informer, w->client, text_string(&name), &options, err);
    text_done(&name);
    if (code == 0)
        code = kin_informer_add_handler(item->informer, &item->registration, on_event, item,
                                        &handler, err);
    return code < 0 ? code : kin_informer_start(item->informer, err);
}

/* `watch pods web-0`, as kubectl has it for get, is no kind behind another. */
static int unknown_kind(const struct watch *w, size_t index, kin_error *err)
{
    const struct wanted *wanted = w->wanted.items;

    if (index == 0 || wanted[index].name || wanted[index - 1].name)
        return err->code;
    return kin_error_set(err, err->code, "%s; one object is %s/%s", err->message,
                         wanted[index - 1].kind, wanted[index].kind);
}

static int resolve_all(struct watch *w, kin_error *err)
{
    for (size_t i = 0; i < w->wanted.len;) {
        struct watched *item = &w->items[i];
        int code = kin_client_resolve(w->client, &item->resource, w->wanted.items[i].kind, err);

        if (code == KIN_ENOTFOUND && w->wanted.items[i].is_optional) {
            wanted_remove(&w->wanted, i);
            continue;
        }
        if (code < 0)
            return code == KIN_ENOTFOUND ? unknown_kind(w, i, err) : code;
        item->watch = w;
        item->field_selector = make_field_selector(w, w->wanted.items[i].name);
        i++;
    }
    if (w->wanted.len == 0)
        return kin_error_set(err, KIN_ENOTFOUND, "the server has none of these kinds");
    return 0;
}

/* Kinds are looked up first: who mistypes one is told at once. */
static int make_all(struct watch *w, kin_error *err)
{
    const struct watch_settings *s = w->settings;
    struct cluster_settings cluster = s->cluster;
    int code = s->snapshot ? file_check_folder(s->snapshot, err) : 0; /* not at the end only */

    if (s->timeout_ms > 0) {
        w->deadline_ns = kin_clock_now(kin_clock_system()) + s->timeout_ms * 1000000;
        if (cluster.request_timeout_ms == 0 || cluster.request_timeout_ms > s->timeout_ms)
            cluster.request_timeout_ms = s->timeout_ms;
    }
    if (code == 0)
        code = cluster_connect(&w->client, &cluster, &s->selection, err);
    if (code == 0)
        code = resolve_all(w, err);
    for (size_t i = 0; i < w->wanted.len && code == 0; i++) {
        watch_ask_total(&w->items[i]);
        code = make_informer(&w->items[i], err);
    }
    return code;
}

static void free_all(struct watch *w)
{
    for (size_t i = 0; i < w->wanted.len; i++) {
        kin_registration_unref(w->items[i].registration);
        kin_informer_free(w->items[i].informer);
        kin_resource_unref(w->items[i].resource);
        free(w->items[i].field_selector);
    }
    kin_client_free(w->client);
}

/* ---- the loop ---- */

static volatile sig_atomic_t signal_received;
static int signal_fd = -1;

/* Once: end well. Twice: end. */
static void on_signal(int number)
{
    const uint64_t one = 1;
    int before = errno;

    if (signal_received) {
        signal(number, SIG_DFL);
        raise(number);
    }
    signal_received = number;
    (void)!write(signal_fd, &one, sizeof(one));
    errno = before;
}

static void catch_signals(const struct watch *w)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    if (!w->settings->snapshot)
        return;
    signal_fd = w->changed_fd;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

static void flush(struct watch *w)
{
    if (w->out.len > 0)
        watch_clear_progress(w);
    if (output_write(text_view(&w->out)) != EXIT_OK || output_end(EXIT_OK) != EXIT_OK)
        watch_end(w, EXIT_FAILED);
    text_clear(&w->out);
}

static void dispatch(struct watch *w)
{
    for (size_t i = 0; i < w->wanted.len; i++) {
        struct watched *item = &w->items[i];

        (void)kin_informer_dispatch(item->informer, 0, NULL, NULL);
        if (!item->is_synced && kin_registration_has_synced(item->registration)) {
            item->is_synced = true;
            flush(w);
            watch_say_synced(item);
        }
    }
    flush(w);
}

static void look_at_all(struct watch *w)
{
    uint64_t n;

    (void)!read(w->changed_fd, &n, sizeof(n));
    for (size_t i = 0; i < w->wanted.len && !w->is_done; i++)
        watch_look_at(&w->items[i]);
    if (signal_received)
        watch_end(w, 128 + signal_received);
}

static bool is_synced(const struct watch *w)
{
    for (size_t i = 0; i < w->wanted.len; i++) {
        if (!w->items[i].is_synced)
            return false;
    }
    return true;
}

/* Milliseconds; -1: for ever. */
static int time_to_wait(const struct watch *w, int64_t deadline_ns)
{
    int64_t ms = -1;

    if (deadline_ns > 0) {
        ms = (deadline_ns - kin_clock_now(kin_clock_system()) + 999999) / 1000000;
        ms = ms < 0 ? 0 : ms;
    }
    if (watch_shows_progress(w) && !is_synced(w) && (ms < 0 || ms > 100))
        ms = 100;
    return ms > 3600000 ? 3600000 : (int)ms;
}

static void run_out_of_time(struct watch *w)
{
    watch_clear_progress(w);
    if (!is_synced(w))
        watch_end(w, report(EXIT_TIMEOUT, "the time is up, and not all that is there has come"));
    else if (!w->until)
        watch_end(w, EXIT_OK);
    else
        watch_end(w, report(EXIT_TIMEOUT, "the time is up, and %s does not hold for any object",
                            w->settings->until));
}

/* Nobody reads what is written. A pipe does not say so before the next write. */
static void end_by_pipe(void)
{
    raise(SIGPIPE);
}

static void loop(struct watch *w)
{
    size_t n = w->wanted.len;
    struct pollfd *fds = memory_zeroed(n + 2, sizeof(*fds));
    int64_t deadline_ns = w->deadline_ns;

    for (size_t i = 0; i < n; i++)
        fds[i] = (struct pollfd){kin_informer_fd(w->items[i].informer), POLLIN, 0};
    fds[n] = (struct pollfd){w->changed_fd, POLLIN, 0};
    fds[n + 1] = (struct pollfd){STDOUT_FILENO, 0, 0};
    while (!w->is_done) {
        int ready = poll(fds, (nfds_t)(n + 2), time_to_wait(w, deadline_ns));

        if (ready > 0 && fds[n + 1].revents & POLLERR)
            end_by_pipe();
        if (ready > 0 && fds[n].revents)
            look_at_all(w);
        if (ready > 0)
            dispatch(w);
        if (!is_synced(w) && watch_shows_progress(w))
            watch_show_progress(w);
        if (deadline_ns > 0 && kin_clock_now(kin_clock_system()) >= deadline_ns)
            run_out_of_time(w);
    }
    watch_clear_progress(w);
    free(fds);
}

/* What was received belongs to it: the watch goes on from there. */
static void save(struct watch *w)
{
    kin_error err = KIN_ERROR_INIT;
    kin_informer *informer = w->items[0].informer;

    if (!w->settings->snapshot || !kin_informer_has_synced(informer))
        return;
    kin_informer_stop(informer);
    if (kin_informer_wait_stopped(informer, -1, &err) < 0 ||
        kin_informer_save(informer, w->settings->snapshot, &err) < 0)
        w->status = report_error(&err);
}

/* ---- the command line ---- */

/* Each argument is a kind, several with commas, or KIND/NAME. */
static int take_arguments(struct watch *w, const struct arguments *arguments, kin_error *err)
{
    int code = arguments->len > 0 ? 0 : wanted_parse(&w->wanted, arguments, err);

    for (size_t i = 0; i < arguments->len && code == 0; i++) {
        const struct arguments one = {&arguments->items[i], 1, NULL, false};

        code = wanted_parse(&w->wanted, &one, err);
    }
    if (code == 0 && w->settings->snapshot && w->wanted.len > 1)
        return kin_error_set(err, KIN_EINVAL, "--snapshot is for one kind at a time");
    return code;
}

static int prepare(struct watch *w, const struct arguments *arguments, kin_error *err)
{
    const struct watch_settings *s = w->settings;
    int code = printer_init(&w->view.printer, &s->output, err);

    if (code == 0)
        code = take_arguments(w, arguments, err);
    if (code == 0)
        code = selection_check(&s->selection, err);
    if (code == 0)
        code = cluster_check(&s->cluster, err);
    if (code == 0)
        code = conditions_parse(&w->conditions, &s->selection.where, err);
    if (code == 0 && s->until)
        code = condition_parse(&w->until, s->until, err);
    if (code == 0)
        code =
            selection_projection(&w->projection, &s->selection, s->output.show_managed_fields, err);
    w->view.diff = s->diff;
    w->view.color = color_wanted(s->output.color, stdout);
    w->items = memory_zeroed(w->wanted.len, sizeof(*w->items));
    w->changed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (code == 0 && w->changed_fd < 0)
        return kin_error_set(err, KIN_ESYSTEM, "eventfd: %s", strerror(errno));
    return code;
}

static int run(void *arg, const struct arguments *arguments)
{
    struct watch_settings *s = arg;
    struct watch w = {.settings = s};
    kin_error err = KIN_ERROR_INIT;

    if (prepare(&w, arguments, &err) < 0) {
        w.status = report_usage("watch", "%s", err.message);
    } else if (make_all(&w, &err) < 0) {
        w.status = report_error(&err);
    } else {
        catch_signals(&w);
        loop(&w);
        save(&w);
    }
    free_all(&w);
    free(w.items);
    if (w.changed_fd >= 0)
        close(w.changed_fd);
    kin_projection_unref(w.projection);
    conditions_done(&w.conditions);
    condition_free(w.until);
    watch_view_done(&w.view);
    wanted_done(&w.wanted);
    text_done(&w.out);
    free(s->selection.where.items);
    free(s->cluster.as_groups.items);
    return w.status;
}

const struct command command_watch = {
    .name = "watch",
    .summary = "Show what changes in a cluster",
    .usage = "KIND[,KIND…] [KIND/NAME…] [OPTION…]",
    .details =
        "One line per change: the time, + ~ or -, kind and name, and what has changed in it. It goes on\n"
        "when the server goes away and comes back, and says so. One object is KIND/NAME.\n",
    .examples = "  kinform watch pods -A\n"
                "  kinform watch deploy,rs,pods -n shop --diff\n"
                "  kinform watch pods/web-0 --until .status.phase==Running --timeout 2m\n"
                "  kinform watch nodes --fields status.conditions -o jsonl --initial\n"
#if KIN_CLI_SNAPSHOT
                "  kinform watch pods -A --snapshot pods.kin\n"
#endif
    ,
    .words = "<kind>",
    .groups = groups_of_options,
    .n_groups = sizeof(groups_of_options) / sizeof(groups_of_options[0]),
    .settings_size = sizeof(struct watch_settings),
    .run = run,
};
