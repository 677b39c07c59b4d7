/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line of progress while the first lists come: how many objects there are so far, how fast they
 * come, and a bar where it is known how many there will be. A server tells that for a list of one object,
 * unless there is a selector; it is asked beside the informers, and nobody waits for the answer.
 */
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/base/escape.h"
#include "cli/base/report.h"
#include "cli/base/signals.h"
#include "cli/watch_inside.h"
#include "kinform/call.h"
#include "kinform/path.h"

enum { BAR = 20, PERIOD_MS = 100, RATE_AFTER_MS = 300 };
/* More objects than any server has; sums and products of such numbers have room. */
static const int64_t BELIEVED_MAX = INT64_C(1000000000000);

/* --- how many there will be --- */

/* In a worker. */
static int take_item(const kin_object *object, void *arg, kin_error *err)
{
    (void)object;
    (void)arg;
    (void)err;
    return 0;
}

/* In a worker. */
static void take_total(const kin_result *result, void *arg)
{
    struct watched *item = arg;
    int64_t remaining = 0;

    if (result->code == 0 && result->object &&
        kin_value_int64(&remaining,
                        kin_object_find(result->object, "metadata.remainingItemCount")) == 0 &&
        remaining > 0 && remaining <= BELIEVED_MAX)
        atomic_store(&item->total, (uint64_t)remaining + 1);
}

void watch_ask_total(struct watched *item)
{
    const struct selection_settings *selection = &item->watch->settings->selection;
    kin_request request = KIN_REQUEST_INIT;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;

    if (!watch_shows_progress(item->watch) || item->field_selector || selection->label_selector)
        return;
    options.limit = 1;
    options.metadata_only = true;
    request.verb = KIN_VERB_LIST;
    request.resource = item->resource;
    if (kin_resource_is_namespaced(item->resource) && !selection->all_namespaces)
        request.namespace_ = kin_client_namespace(item->watch->client);
    request.options = &options;
    handlers.item = take_item;
    handlers.done = take_total;
    handlers.arg = item;
    (void)kin_client_start(item->watch->client, NULL, &request, &handlers, NULL);
}

/* --- the line --- */

/* All kinds that are not synced yet, as one. */
struct sum {
    struct text names;
    uint64_t n;
    uint64_t total; /* 0: unknown */
    bool waits;     /* one of them does not list at all */
    bool
        is_warm; /* they are of a snapshot, and the server has not said yet that it goes on from there */
};

static void add_up(struct sum *sum, struct watched *item)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    uint64_t total = atomic_load(&item->total);
    bool is_known = sum->names.len == 0 || sum->total > 0;

    if (kin_informer_get_status(item->informer, &status, NULL) < 0)
        return;
    /* What a list has brought is in the queue, then in the store, once all of it has come. */
    uint64_t stored = status.objects + status.queued;
    uint64_t n = status.listed > stored ? status.listed : stored;
    text_add_string(&sum->names, sum->names.len ? ", " : "");
    add_escaped(&sum->names, kin_str_of(kin_resource_name(item->resource)));
    sum->n += n;
    sum->total = is_known && total > 0 ? sum->total + (total > n ? total : n) : 0;
    sum->waits |= status.state == KIN_INFORMER_WAITING;
    sum->is_warm |= item->is_warm;
}

static void add_bar(struct text *out, uint64_t n, uint64_t total)
{
    size_t full = (size_t)(BAR * n / total);

    text_add_string(out, " [");
    text_add_n(out, '#', full);
    text_add_n(out, '-', BAR - full);
    text_format(out, "] %3u%%", (unsigned)(100 * n / total));
}

static void add_line(struct text *out, const struct sum *sum, int64_t elapsed_ms)
{
    if (sum->is_warm) {
        text_format(out, "going on from %llu %s of the snapshot", (unsigned long long)sum->n,
                    text_string(&sum->names));
        return;
    }
    text_format(out, "%s %s: %llu", sum->waits ? "waiting for" : "listing",
                text_string(&sum->names), (unsigned long long)sum->n);
    if (sum->total > 0) {
        text_format(out, " of %llu", (unsigned long long)sum->total);
        add_bar(out, sum->n, sum->total);
    }
    if (sum->n > 0 && elapsed_ms >= RATE_AFTER_MS)
        text_format(out, "  %llu/s", (unsigned long long)(sum->n * 1000 / (uint64_t)elapsed_ms));
}

/* A line that is longer than the terminal's would leave something behind. */
static size_t columns_of_terminal(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

/* --- on the terminal --- */

static const char clear[] = "\r\033[K";

/* Whoever is interrupted leaves no half line for the prompt of the shell. */
static void on_signal(int number)
{
    (void)!write(STDERR_FILENO, clear, sizeof(clear) - 1);
    signal(number, SIG_DFL);
    raise(number);
}

/* With a snapshot signals are the loop's. */
static void set_signals(const struct watch *w, void (*handler)(int))
{
    if (w->settings->snapshot)
        return;
    signal_catch(SIGINT, handler);
    signal_catch(SIGTERM, handler);
}

bool watch_shows_progress(const struct watch *w)
{
    return !w->settings->quiet && is_screen(stderr);
}

void watch_clear_progress(struct watch *w)
{
    if (!w->has_progress)
        return;
    fputs(clear, stderr);
    set_signals(w, SIG_DFL);
    w->has_progress = false;
}

void watch_show_progress(struct watch *w)
{
    struct sum sum = {.names = TEXT_INIT};
    int64_t now = kin_clock_now(kin_clock_system());
    struct text line = TEXT_INIT;

    if (w->progress_ns > 0 && now - w->progress_ns < PERIOD_MS * 1000000LL)
        return;
    if (w->began_ns == 0)
        w->began_ns = now;
    w->progress_ns = now;
    for (size_t i = 0; i < w->wanted.len; i++) {
        if (!w->items[i].is_synced)
            add_up(&sum, &w->items[i]);
    }
    add_line(&line, &sum, (now - w->began_ns) / 1000000);
    size_t len = columns_of_terminal() - 1;
    if (!w->has_progress)
        set_signals(w, on_signal);
    w->has_progress = true;
    fprintf(stderr, "\r%.*s\033[K", (int)(len < line.len ? len : line.len), text_string(&line));
    text_done(&line);
    text_done(&sum.names);
}
