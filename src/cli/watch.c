/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform watch: informers whose handlers run in this thread's loop, which waits in poll() for them, for
 * changes of their states, for the end of the time, and for whoever reads standard output to go away.
 *
 * A signal ends it as it ends any program, at once, and so does an output that nobody reads any more. With
 * --snapshot there is something to do at the end: then the first signal ends the loop, also where it waits for
 * whoever reads, and a second one does not wait.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cli/base/report.h"
#include "cli/base/signals.h"
#include "cli/command.h"
#include "cli/fields.h"
#include "cli/jsonpath/jsonpath.h"
#include "cli/watch_inside.h"

/* How often it lists with --snapshot. */
enum { SNAPSHOT_RELIST_MS = 12 * 60 * 60 * 1000 };

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
#else
    {"snapshot", 0, OPTION_MISSING, 0, "FILE", "begin with what is in this file",
     "snapshots (KIN_SNAPSHOT=OFF)", 0},
#endif
};
static const struct option_group groups_of_options[] = {
    {"What is shown", own_options, sizeof(own_options) / sizeof(own_options[0]), 0},
    {"Which objects", selection_options, N_SELECTION_OPTIONS, AT(selection)},
    {"Output", output_options, N_OUTPUT_OPTIONS, AT(output)},
    {"Which cluster", cluster_options, N_CLUSTER_OPTIONS, AT(cluster)},
};

/* --- what informers tell --- */

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

static void flush(struct watch *w);

/* An object that a template cannot do anything with is named, and others are shown all the same. */
static void show(struct watched *item, const kin_event *event)
{
    struct watch *w = item->watch;
    const size_t len = w->out.len;
    const size_t n_shown = w->view.n_shown;
    kin_error err = KIN_ERROR_INIT;

    if (watch_view_add(&w->view, &w->out, item->resource, event, &err) == 0)
        return;
    w->out.len = len; /* nothing of it; a header is still to come, if it was before */
    w->view.n_shown = n_shown;
    flush(w);
    watch_clear_progress(w);
    report(EXIT_OK, "%s %s: %s", kin_resource_name(item->resource), kin_object_key(event->object),
           err.message);
}

/* In the loop. */
static void on_event(const kin_event *event, void *arg)
{
    struct watched *item = arg;
    struct watch *w = item->watch;

    if (w->is_done || event->is_sync)
        return;
    item->n_initial += event->is_initial;
    if (watch_has_rows(w)) {
        if (!event->is_initial)
            watch_rows_add(item, event);
        else if (w->settings->initial)
            watch_rows_keep(item, event->object);
        return;
    }
    bool is_it =
        w->until && event->type != KIN_EVENT_DELETE && condition_holds(w->until, event->object);
    if (is_it || !event->is_initial || w->settings->initial)
        show(item, event);
    if (is_it)
        watch_end(w, EXIT_OK);
}

/* --- making them --- */

/* The selector of the options, and the name. No object has a name with what is escaped: then there is none. */
static char *make_field_selector(const struct watch *w, const char *name)
{
    const char *selector = w->settings->selection.field_selector;
    struct text text = TEXT_INIT;

    if (selector)
        text_add_string(&text, selector);
    if (name)
        text_add_string(&text, selector ? ",metadata.name=" : "metadata.name=");
    for (; name && *name; name++) {
        if (strchr("\\,=", *name))
            text_add_char(&text, '\\');
        text_add_char(&text, *name);
    }
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
    if (!printer_is_table(&w->view.printer))
        options.encoding = KIN_ENCODING_JSON;
    options.changed = state_changed;
    options.changed_arg = w;
    /* Also without a file yet: the list of the file that is saved at the end must not be too old for the next start. */
    if (w->settings->snapshot)
        options.relist_ms = SNAPSHOT_RELIST_MS;
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
    if (code < 0)
        return code;
#if KIN_CLI_SNAPSHOT
    if (w->settings->snapshot)
        watch_snapshot_load(item);
#endif
    if (!item->is_warm)
        watch_ask_total(item);
    if (watch_has_rows(w)) {
        item->rows.resource = kin_resource_ref(item->resource);
        if (w->view.printer.n_fields == 0)
            crd_columns_ask(&item->rows.columns, w->client, item->resource);
    }
    return kin_informer_start(item->informer, err);
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

/* Whether another one shows all that it would: of two that are the same the first. */
static bool is_covered(const struct watch *w, size_t index)
{
    const char *name = w->wanted.items[index].name;

    for (size_t i = 0; i < w->wanted.len; i++) {
        const char *other = w->wanted.items[i].name;

        if (i == index || !resources_are_same(w->items[i].resource, w->items[index].resource))
            continue;
        if (name && (!other || (i < index && strcmp(name, other) == 0)))
            return true;
        if (!name && !other && i < index)
            return true;
    }
    return false;
}

static void item_done(struct watched *item)
{
    kin_registration_unref(item->registration);
    kin_informer_free(item->informer);
    kin_resource_unref(item->resource);
    kin_resource_unref(item->rows.resource);
    objects_clear(&item->rows.objects);
    free(item->rows.objects.items);
    crd_columns_done(&item->rows.columns);
    free(item->widths);
    free(item->field_selector);
}

/* `pods,po`: a change is shown once. Before there are informers, which know the addresses. */
static void drop_covered(struct watch *w)
{
    for (size_t i = w->wanted.len; i-- > 0;) {
        if (!is_covered(w, i))
            continue;
        item_done(&w->items[i]);
        for (size_t next = i + 1; next < w->wanted.len; next++)
            w->items[next - 1] = w->items[next];
        wanted_remove(&w->wanted, i);
        w->items[w->wanted.len] = (struct watched){.watch = NULL};
    }
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
    drop_covered(w);
    return 0;
}

/* Kinds are looked up first: who mistypes one is told at once. */
static int make_all(struct watch *w, kin_error *err)
{
    const struct watch_settings *s = w->settings;
    struct cluster_settings cluster = s->cluster;
    int code = 0;

#if KIN_CLI_SNAPSHOT
    if (s->snapshot)
        code = watch_snapshot_check(w, err);
#endif
    if (s->timeout_ms > 0) {
        w->deadline_ns = kin_clock_now(kin_clock_system()) + s->timeout_ms * 1000000;
        if (cluster.request_timeout_ms == 0 || cluster.request_timeout_ms > s->timeout_ms)
            cluster.request_timeout_ms = s->timeout_ms;
    }
    if (code == 0)
        code = cluster_connect(&w->client, &cluster, &s->selection, err);
    if (code == 0)
        code = wanted_expand(&w->wanted, w->client, err);
    if (code < 0)
        return code;
    w->items = memory_zeroed(w->wanted.len, sizeof(*w->items));
    code = resolve_all(w, err);
#if KIN_CLI_SNAPSHOT
    if (code == 0 && s->snapshot)
        code = watch_snapshot_check_kind(w, err);
#endif
    w->view.printer.with_namespace = s->selection.all_namespaces;
    w->view.printer.with_kind = w->wanted.len > 1;
    for (size_t i = 0; i < w->wanted.len && code == 0; i++)
        code = make_informer(&w->items[i], err);
    return code;
}

static void free_all(struct watch *w)
{
    for (size_t i = 0; i < w->wanted.len && w->items; i++)
        item_done(&w->items[i]);
    kin_client_free(w->client);
}

/* --- the loop --- */

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
    sigset_t asking;

    if (w->signal_fd < 0)
        return;
    signal_fd = w->signal_fd;
    signal(SIGPIPE, SIG_IGN); /* a write says so */
    signals_asking(&asking);
    for (int number = 1; number < NSIG; number++) {
        if (sigismember(&asking, number) == 1)
            signal_catch(number, on_signal);
    }
}

/* Nobody reads what is written. */
static void lose_reader(struct watch *w)
{
    w->has_no_reader = true;
    watch_end(w, EXIT_FAILED);
}

/* Until standard output can be written, and a signal is not late. False: one has come. */
static bool wait_for_reader(const struct watch *w)
{
    struct pollfd fds[] = {{STDOUT_FILENO, POLLOUT, 0}, {w->signal_fd, POLLIN, 0}};

    while (!signal_received && poll(fds, 2, -1) < 0 && errno == EINTR)
        ;
    return !signal_received;
}

/*
 * Where signals are ours, no more at once than a pipe takes without making us wait; a terminal may do so all the
 * same, but then a signal interrupts the call. False: no more can be written.
 */
static bool write_some(struct watch *w, const char *data, size_t len, size_t *done)
{
    bool is_patient = w->signal_fd < 0;

    if (!is_patient && !wait_for_reader(w))
        return false;
    ssize_t n = write(STDOUT_FILENO, data, is_patient || len < PIPE_BUF ? len : PIPE_BUF);
    int error = n < 0 ? errno : 0;
    if (n > 0)
        *done += (size_t)n;
    if (error == EAGAIN) /* somebody who has it in common with us has made it so */
        return wait_for_reader(w);
    if (error == EPIPE)
        lose_reader(w);
    else if (error != 0 && error != EINTR)
        watch_end(w, output_failed(error));
    return error == 0 || error == EINTR;
}

static void flush(struct watch *w)
{
    size_t done = 0;

    if (w->out.len > 0)
        watch_clear_progress(w);
    while (done < w->out.len && write_some(w, w->out.data + done, w->out.len - done, &done))
        ;
    text_clear(&w->out);
}

/* As get has it: an object that was asked for by its name is there. */
static void check_found(struct watched *item, const char *name)
{
    const struct watch_settings *s = item->watch->settings;

    if (name && item->n_initial == 0 && s->initial && !s->ignore_not_found)
        watch_end(item->watch, report(EXIT_NOT_FOUND, "%s \"%s\" not found",
                                      kin_resource_name(item->resource), name));
}

static void dispatch(struct watch *w)
{
    for (size_t i = 0; i < w->wanted.len; i++) {
        struct watched *item = &w->items[i];

        (void)kin_informer_dispatch(item->informer, 0, NULL, NULL);
        if (!item->is_synced && kin_registration_has_synced(item->registration)) {
            item->is_synced = true;
            if (watch_has_rows(w))
                watch_rows_begin(item);
            flush(w);
            if (w->settings->as_get)
                check_found(item, w->wanted.items[i].name);
            else
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
    if (!is_synced(w) && w->items[0].is_warm)
        watch_end(w, report(EXIT_TIMEOUT, "the time is up, and the server has not agreed yet to go "
                                          "on from the snapshot"));
    else if (!is_synced(w))
        watch_end(w, report(EXIT_TIMEOUT, "the time is up, and not all that is there has come"));
    else if (!w->until)
        watch_end(w, EXIT_OK);
    else
        watch_end(w, report(EXIT_TIMEOUT, "the time is up, and %s does not hold for any object",
                            w->settings->until));
}

static void loop(struct watch *w)
{
    size_t n = w->wanted.len;
    struct pollfd *fds = memory_zeroed(n + 3, sizeof(*fds));
    int64_t deadline_ns = w->deadline_ns;

    for (size_t i = 0; i < n; i++)
        fds[i] = (struct pollfd){kin_informer_fd(w->items[i].informer), POLLIN, 0};
    fds[n] = (struct pollfd){w->changed_fd, POLLIN, 0};
    fds[n + 1] = (struct pollfd){w->signal_fd, POLLIN, 0};
    /* A write would tell that nobody reads, whenever there is one. A pipe says POLLERR, a socket POLLHUP. */
    fds[n + 2] = (struct pollfd){STDOUT_FILENO, 0, 0};
    while (!w->is_done) {
        int ready = poll(fds, (nfds_t)(n + 3), time_to_wait(w, deadline_ns));

        if (ready > 0 && fds[n + 2].revents)
            lose_reader(w);
        if (ready > 0 && fds[n].revents)
            look_at_all(w);
        if (ready > 0)
            dispatch(w);
        if (signal_received)
            watch_end(w, 128 + signal_received);
        if (!is_synced(w) && watch_shows_progress(w))
            watch_show_progress(w);
        if (!w->is_done && deadline_ns > 0 && kin_clock_now(kin_clock_system()) >= deadline_ns)
            run_out_of_time(w);
    }
    watch_clear_progress(w);
    free(fds);
}

/* --- the command line --- */

/* Each argument is a kind, several with commas, or KIND/NAME. */
static int take_arguments(struct watch *w, const struct arguments *arguments, kin_error *err)
{
    bool is_whole = w->settings->as_get || arguments->len == 0;
    int code = is_whole ? wanted_parse(&w->wanted, arguments, err) : 0;

    if (is_whole && code == 0)
        code = wanted_check(&w->wanted, &w->settings->selection, false, err);
    if (is_whole && code == 0 && w->wanted.len > 1 && w->wanted.items[0].name)
        return kin_error_set(err, KIN_EINVAL,
                             "--watch takes one name; several are kinform watch KIND/NAME…");
    if (is_whole)
        return code;
    for (size_t i = 0; i < arguments->len && code == 0; i++) {
        const struct arguments one = {&arguments->items[i], 1, NULL, false};

        code = wanted_parse(&w->wanted, &one, err);
    }
    if (code == 0 && w->settings->snapshot && w->wanted.len > 1)
        return kin_error_set(err, KIN_EINVAL, "--snapshot is for one kind at a time");
    return code;
}

/* What is accepted and does nothing would be believed to have done something. */
static int check_output(const struct watch *w, kin_error *err)
{
    const struct watch_settings *s = w->settings;

    if (s->diff && !printer_is_table(&w->view.printer))
        return kin_error_set(err, KIN_EINVAL, "--diff is a way to show changes, and so is -o %s",
                             s->output.output);
    if (!s->as_get && (s->output.show_labels || s->output.label_columns.len > 0))
        return kin_error_set(err, KIN_EINVAL,
                             "%s is for tables: kinform get --watch; here it is "
                             "-o jsonpath={.metadata.labels}",
                             s->output.show_labels ? "--show-labels" : "-L");
    return 0;
}

static int parse_order(struct watch *w, kin_error *err)
{
    const char *path = w->settings->sort_by;

    if (jsonpath_parse_relaxed(&w->order, kin_str_of(path), err) < 0)
        return kin_error_set(err, KIN_EINVAL, "--sort-by %s: %s", path, err->message);
    tell("Warning: --sort-by is for the first table; changes are shown as they come");
    return 0;
}

static int prepare(struct watch *w, const struct arguments *arguments, kin_error *err)
{
    const struct watch_settings *s = w->settings;
    int code = printer_init(&w->view.printer, &s->output, err);

    if (code == 0)
        code = check_output(w, err);
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
    if (code == 0 && s->sort_by)
        code = parse_order(w, err);
    const struct fields_use use = {
        .conditions = &w->conditions, .until = w->until, .order = w->order};
    if (code == 0)
        code = fields_apply(&w->projection, &w->view.printer, &s->selection, &use, err);
    if (code == 0)
        conditions_warn(&w->conditions, &s->selection.where);
    if (code == 0 && w->until)
        condition_warn(w->until, "--until", s->until);
    w->view.diff = s->diff;
    w->view.color = color_wanted(s->output.color, stdout);
    w->changed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    w->signal_fd = s->snapshot ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;
    if (code == 0 && (w->changed_fd < 0 || (s->snapshot && w->signal_fd < 0)))
        return kin_error_set(err, KIN_ESYSTEM, "eventfd: %s", strerror(errno));
    return code;
}

int watch_run(struct watch_settings *s, const struct arguments *arguments)
{
    struct watch w = {.settings = s};
    kin_error err = KIN_ERROR_INIT;

    if (prepare(&w, arguments, &err) < 0) {
        w.status = report_usage(s->as_get ? "get" : "watch", "%s", err.message);
    } else if (make_all(&w, &err) < 0) {
        w.status = report_error(&err);
    } else {
        catch_signals(&w);
        loop(&w);
#if KIN_CLI_SNAPSHOT
        if (s->snapshot)
            watch_snapshot_save(&w);
#endif
    }
    free_all(&w);
    free(w.items);
    if (w.changed_fd >= 0)
        close(w.changed_fd);
    signal_fd = -1; /* one that comes now is late */
    if (w.signal_fd >= 0)
        close(w.signal_fd);
    kin_projection_unref(w.projection);
    conditions_done(&w.conditions);
    condition_free(w.until);
    jsonpath_free(w.order);
    watch_view_done(&w.view);
    wanted_done(&w.wanted);
    text_done(&w.out);
    free(s->selection.where.items);
    free(s->cluster.as_groups.items);
    free(s->output.label_columns.items);
    if (w.has_no_reader) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    return w.status;
}

static int watch_command(void *arg, const struct arguments *arguments)
{
    return watch_run(arg, arguments);
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
    .run = watch_command,
};
