/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transports: their life, the commands of other threads, and the loop of the I/O thread.
 *
 * A command is a bit of an exchange. Who gives one puts the exchange into the inbox, if it is not
 * there yet, and wakes the thread. A turn of the loop waits, then obeys the commands, lets libcurl
 * work on the sockets and times that are due, looks at the clock, and last notifies consumers and lets
 * go of what has ended. Of an end they are told at once. Both with no lock held and outside of libcurl:
 * a notify function may do anything with exchanges and transports, freeing its own included.
 *
 * Two times meet here. libcurl's timers are real, and given to epoll. Deadlines are of the
 * transport's clock: with the system's they are given to epoll, too; a fake one wakes the thread when
 * it is moved.
 */
#include "client/transport.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "client/config.h"
#include "client/transport_inside.h"

#define CONNECT_TIMEOUT (30 * KIN__SECOND)
/* A dead peer is found within 45 s: by three keepalive probes, or by one of ours and its timeout. */
#define KEEPALIVE_IDLE (15 * KIN__SECOND)
#define KEEPALIVE_INTERVAL (9 * KIN__SECOND)
#define PROBE_AFTER (20 * KIN__SECOND)
#define PROBE_TIMEOUT (15 * KIN__SECOND)
#define MAX_HEADER_BYTES ((size_t)64 * 1024)
#define MAX_CONNECTIONS 25
#define MAX_GZIP_RATIO 250
#define EVENTS_PER_TURN 64

/* What an event of the wake-up descriptor carries; lanes count from 1. */
#define WAKEUP_EVENT 0

/* --- life --- */

static void set_limits(kin__transport_options *limits)
{
    limits->config = NULL;
    if (limits->connect_timeout_ns <= 0)
        limits->connect_timeout_ns = CONNECT_TIMEOUT;
    if (limits->keepalive_idle_ns <= 0)
        limits->keepalive_idle_ns = KEEPALIVE_IDLE;
    if (limits->keepalive_interval_ns <= 0)
        limits->keepalive_interval_ns = KEEPALIVE_INTERVAL;
    if (limits->probe_after_ns == 0)
        limits->probe_after_ns = PROBE_AFTER;
    if (limits->probe_timeout_ns <= 0)
        limits->probe_timeout_ns = PROBE_TIMEOUT;
    if (limits->max_header_bytes == 0)
        limits->max_header_bytes = MAX_HEADER_BYTES;
    if (limits->max_connections == 0)
        limits->max_connections = MAX_CONNECTIONS;
    if (limits->max_gzip_ratio == 0)
        limits->max_gzip_ratio = MAX_GZIP_RATIO;
}

static int open_descriptors(kin__transport *transport, kin_error *err)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = WAKEUP_EVENT};
    int code = kin__wakeup_init(&transport->wakeup, err);

    if (code < 0)
        return code;
    transport->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (transport->epoll < 0)
        return kin__error_system(err, errno, "epoll_create1");
    if (epoll_ctl(transport->epoll, EPOLL_CTL_ADD, transport->wakeup.fd, &event) < 0)
        return kin__error_system(err, errno, "epoll_ctl");
    return 0;
}

static void init_fields(kin__transport *transport, const kin__transport_options *options)
{
    kin__ref_init(&transport->ref);
    transport->limits = *options;
    set_limits(&transport->limits);
    transport->clock = kin_clock_ref(options->clock);
    transport->logger = options->logger ? kin_logger_ref(options->logger) : NULL;
    transport->gzip = !options->config->no_compression;
    transport->epoll = -1;
    transport->wakeup.fd = -1;
    transport->thread = KIN__THREAD_INIT;
    kin__mutex_init(&transport->lock, KIN__RANK_TRANSPORT);
    kin__list_init(&transport->inbox);
    kin__list_init(&transport->lanes);
    kin__list_init(&transport->waiting);
    kin__list_init(&transport->told);
    kin__list_init(&transport->ended);
    kin__timers_init(&transport->timers);
    /* Programs that were started together must not probe together. */
    transport->random.state =
        (uint64_t)kin_clock_unix_now(kin_clock_system()) ^ (uintptr_t)transport;
    kin__liveness_init(&transport->liveness, transport);
}

static int init_rest(kin__transport *transport, const kin__transport_options *options,
                     kin_error *err)
{
    int code = kin__fork_guard_init(&transport->guard, err);

    if (code == 0)
        code = kin__easy_global_init(err);
    if (code == 0)
        code = kin__endpoint_init(&transport->endpoint, options->config, err);
    if (code == 0)
        code = open_descriptors(transport, err);
    transport->connect_to = (struct curl_slist){.data = transport->endpoint.connect_to};
    return code;
}

int kin__transport_new(kin__transport **ret, const kin__transport_options *options, kin_error *err)
{
    kin__transport *transport = kin__calloc(1, sizeof(*transport));

    if (!transport)
        return kin__error_no_memory(err);
    init_fields(transport, options);
    int code = init_rest(transport, options, err);
    if (code < 0) {
        kin__transport_unref(transport);
        return code;
    }
    *ret = transport;
    return 0;
}

void kin__transport_unref(kin__transport *transport)
{
    if (!kin__ref_put(&transport->ref))
        return;
    if (transport->epoll >= 0)
        close(transport->epoll);
    kin__wakeup_done(&transport->wakeup);
    kin__endpoint_done(&transport->endpoint);
    kin__timers_done(&transport->timers);
    kin_clock_unref(transport->clock);
    kin_logger_unref(transport->logger);
    if (kin__fork_guard_check(&transport->guard, NULL) == 0)
        kin__mutex_done(&transport->lock);
    kin__free(transport->lane_of);
    kin__free(transport);
}

void kin__transport_free(kin__transport *transport)
{
    if (!transport)
        return;
    if (kin__fork_guard_check(&transport->guard, NULL) == 0) {
        kin__mutex_lock(&transport->lock);
        transport->closing = true;
        kin__mutex_unlock(&transport->lock);
        kin__wakeup_signal(&transport->wakeup);
        if (kin__thread_is_current(&transport->thread))
            kin__thread_detach(&transport->thread);
        else
            kin__thread_join(&transport->thread, NULL);
    }
    kin__transport_unref(transport);
}

/* --- commands --- */

void kin__transport_post(kin__exchange *exchange, unsigned commands)
{
    kin__transport *transport = exchange->transport;

    if (kin__fork_guard_check(&transport->guard, NULL) < 0)
        return;
    kin__mutex_lock(&transport->lock);
    bool posted = !exchange->finished;
    if (posted) {
        if (!exchange->commands)
            kin__list_push_back(&transport->inbox, &exchange->inbox);
        exchange->commands |= commands;
    }
    kin__mutex_unlock(&transport->lock);
    if (posted)
        kin__wakeup_signal(&transport->wakeup);
}

static void transport_run(void *arg);

/* The thread begins with the first exchange, and has a reference of its own. */
static int start_thread_locked(kin__transport *transport, kin_error *err)
    KIN_REQUIRES(transport->lock)
{
    if (transport->thread.started)
        return 0;
    kin__ref_get(&transport->ref);
    int code = kin__thread_start(&transport->thread, "kin-io", transport_run, transport, err);
    if (code < 0)
        kin__transport_unref(transport);
    return code;
}

static int enter_locked(kin__transport *transport, kin__exchange *exchange, kin_error *err)
    KIN_REQUIRES(transport->lock)
{
    if (transport->closing)
        return kin_error_set(err, KIN_ECLOSED, "the client is closed");
    int code = start_thread_locked(transport, err);
    if (code < 0)
        return code;
    kin__ref_get(&exchange->ref);
    exchange->commands = KIN__COMMAND_START;
    kin__list_push_back(&transport->inbox, &exchange->inbox);
    return 0;
}

int kin__transport_start(kin__transport *transport, kin__exchange **ret,
                         const kin__exchange_spec *spec, kin_error *err)
{
    kin__exchange *exchange;
    int code = kin__fork_guard_check(&transport->guard, err);

    if (code < 0)
        return code;
    code = kin__exchange_new(&exchange, transport, spec, err);
    if (code < 0)
        return code;
    kin__mutex_lock(&transport->lock);
    code = enter_locked(transport, exchange, err);
    kin__mutex_unlock(&transport->lock);
    if (code < 0) {
        kin__exchange_put(exchange);
        return code;
    }
    *ret = exchange;
    kin__wakeup_signal(&transport->wakeup);
    return 0;
}

/* --- the I/O thread --- */

/* The next exchange that was told to do something, and what; NULL if there is none. */
static kin__exchange *take_command(kin__transport *transport, unsigned *ret_commands,
                                   bool *ret_closing)
{
    kin__exchange *exchange = NULL;

    kin__mutex_lock(&transport->lock);
    kin__list *node = kin__list_pop_front(&transport->inbox);
    if (node) {
        exchange = kin__list_entry(node, kin__exchange, inbox);
        *ret_commands = exchange->commands;
        exchange->commands = 0;
    }
    *ret_closing = transport->closing;
    kin__mutex_unlock(&transport->lock);
    return exchange;
}

/* Whether to go on. */
static bool obey(kin__transport *transport)
{
    kin__exchange *exchange;
    unsigned commands = 0;
    bool closing = false;

    while ((exchange = take_command(transport, &commands, &closing)) != NULL)
        kin__flight_obey(exchange, closing ? commands | KIN__COMMAND_CANCEL : commands);
    return !closing;
}

struct fake_waiter {
    kin__clock_waiter waiter;
    kin__wakeup *wakeup;
};

static void wake_by_clock(kin__clock_waiter *waiter)
{
    struct fake_waiter *fake = kin__container_of(waiter, struct fake_waiter, waiter);

    kin__wakeup_signal(fake->wakeup);
}

/* How long libcurl lets us wait, in milliseconds; -1: for ever. */
static int lanes_ms(const kin__transport *transport)
{
    int64_t next = INT64_MAX;

    kin__list_for_each(&transport->lanes, node) {
        const kin__lane *lane = kin__list_entry(node, kin__lane, link);

        if (lane->timer < next)
            next = lane->timer;
    }
    return kin__clock_poll_ms(kin_clock_system(), next);
}

static int wait_for_events(kin__transport *transport, struct epoll_event *events)
{
    int64_t deadline = kin__timers_next(&transport->timers);
    struct fake_waiter fake = {.waiter = {.deadline = deadline, .notify = wake_by_clock},
                               .wakeup = &transport->wakeup};
    bool registered = false;
    int ms = lanes_ms(transport);
    int clock_ms = kin__clock_poll_ms(transport->clock, deadline);

    if (deadline != INT64_MAX && kin__clock_is_fake(transport->clock)) {
        registered = kin__clock_wait_begin(transport->clock, &fake.waiter);
        if (!registered)
            clock_ms = 0;
    }
    if (ms < 0 || (clock_ms >= 0 && clock_ms < ms))
        ms = clock_ms;
    int n = epoll_wait(transport->epoll, events, EVENTS_PER_TURN, ms);

    transport->turn++;
    if (registered)
        kin__clock_wait_end(transport->clock, &fake.waiter);
    return n;
}

static void run_socket(kin__transport *transport, uint64_t data, uint32_t events)
{
    uint32_t id = (uint32_t)(data >> 32);
    int fd = (int)(uint32_t)data;

    if (id == WAKEUP_EVENT)
        return;
    kin__lane *lane = kin__lane_expecting(transport, id, fd, events);

    if (lane)
        kin__lane_socket(lane, fd, events);
}

static void run_lanes(kin__transport *transport)
{
    int64_t now = kin_clock_now(kin_clock_system());

    kin__list_for_each(&transport->lanes, node) {
        kin__lane *lane = kin__list_entry(node, kin__lane, link);

        do {
            kin__lane_time(lane, now);
            kin__lane_collect(lane);
        } while (kin__lane_advance(lane));
    }
}

static void run_timers(kin__transport *transport)
{
    int64_t now = kin_clock_now(transport->clock);
    kin__timer *timer;

    while ((timer = kin__timers_pop(&transport->timers, now)) != NULL)
        kin__flight_wake(kin__container_of(timer, kin__exchange, timer));
}

/* Consumers are told, and what has ended is let go of; in this order for each exchange. */
static void tell(kin__transport *transport)
{
    kin__list *node;

    while ((node = kin__list_pop_front(&transport->told)) != NULL) {
        kin__exchange *exchange = kin__list_entry(node, kin__exchange, telling);

        kin__assert_no_locks();
        kin__exchange_tell(exchange);
    }
    while ((node = kin__list_pop_front(&transport->ended)) != NULL) {
        kin__exchange *exchange = kin__list_entry(node, kin__exchange, flight);

        if (exchange->arg_free)
            exchange->arg_free(exchange->arg);
        kin__exchange_put(exchange);
    }
}

static void close_lanes(kin__transport *transport, bool all)
{
    kin__list_for_each(&transport->lanes, node) {
        kin__lane *lane = kin__list_entry(node, kin__lane, link);

        bool is_over = lane->retired || lane->is_late || lane->dead_socket >= 0;

        if (all ||
            (is_over && kin__list_is_empty(&lane->line) && kin__list_is_empty(&lane->flights)))
            kin__lane_free(lane);
    }
}

static void cancel_all(kin__list *flights)
{
    kin__list_for_each(flights, node) {
        kin__exchange *exchange = kin__list_entry(node, kin__exchange, flight);

        kin__flight_obey(exchange, KIN__COMMAND_CANCEL);
    }
}

static void shut_down(kin__transport *transport)
{
    cancel_all(&transport->waiting);
    kin__list_for_each(&transport->lanes, node) {
        kin__lane *lane = kin__list_entry(node, kin__lane, link);

        cancel_all(&lane->line);
        cancel_all(&lane->flights);
    }
    tell(transport);
    close_lanes(transport, true);
    kin__liveness_done(&transport->liveness);
}

static void transport_run(void *arg)
{
    kin__transport *transport = arg;
    struct epoll_event events[EVENTS_PER_TURN];

    for (;;) {
        int n = wait_for_events(transport, events);

        kin__wakeup_clear(&transport->wakeup);
        if (!obey(transport))
            break;
        for (int i = 0; i < n; i++)
            run_socket(transport, events[i].data.u64, events[i].events);
        run_timers(transport);
        run_lanes(transport);
        tell(transport);
        /* After tell(), which reports what probes have: nothing else may wake this thread for it. */
        while (transport->probe_news) {
            kin__liveness_run(transport);
            tell(transport);
        }
        close_lanes(transport, false);
    }
    shut_down(transport);
    kin__transport_unref(transport);
}
