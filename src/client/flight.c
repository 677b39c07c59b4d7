/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An exchange on the I/O thread: it waits for its time, is launched into a lane, is watched by the
 * clock, and ends.
 *
 * All runs on the I/O thread, outside of libcurl unless said otherwise. An exchange is in one list at a
 * time: the waiting ones, a lane's flights, the ended ones. It has one timer, for whatever is next:
 * its time to start, its deadline, a probe of its peer, the end of its peer's silence. Silence is not measured by moving the
 * timer with each byte: when the timer runs out it is seen how long ago the last byte came.
 */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "client/curl_error.h"
#include "client/transport_inside.h"

#define LOG_COMPONENT "transport"

/* A server that has not seen a request so often is not to be tried for ever. */
#define SENDS_MAX 8

static int64_t now_of(const kin__exchange *exchange)
{
    return kin_clock_now(exchange->transport->clock);
}

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When its peer will have been silent for too long; it is not asked while we do not listen. */
static int64_t silence_ends(const kin__exchange *exchange)
{
    if (exchange->idle_ns <= 0 || exchange->times_sent == 0 || exchange->is_paused)
        return INT64_MAX;
    return add(exchange->last_byte, exchange->idle_ns);
}

/* It was set before, so this takes no memory. */
void kin__flight_set_timer(kin__exchange *exchange)
{
    int64_t next = exchange->lane ? earlier(silence_ends(exchange), kin__liveness_next(exchange))
                                  : exchange->not_before;

    kin__timers_set(&exchange->transport->timers, &exchange->timer,
                    earlier(next, exchange->deadline));
}

void kin__flight_sends(kin__exchange *exchange, uint64_t connection)
{
    exchange->connection = connection;
    if (exchange->lane->unsent == exchange)
        exchange->lane->unsent = NULL;
    exchange->times_sent++;
    atomic_store(&exchange->was_sent, true);
    exchange->last_byte = now_of(exchange);
    kin__flight_set_timer(exchange);
}

void kin__flight_sent_some(kin__exchange *exchange)
{
    exchange->last_byte = now_of(exchange);
}

void kin__flight_heard(kin__exchange *exchange)
{
    exchange->last_byte = now_of(exchange);
    exchange->last_heard = exchange->last_byte;
    exchange->transport->heard_at = exchange->last_byte;
    if (exchange->lane)
        exchange->lane->heard_at = exchange->last_byte;
    kin__exchange_set_heard(exchange, exchange->last_byte);
    kin__exchange_set_doubt(exchange, false);
}

void kin__flight_disown(kin__exchange *exchange, uint32_t last_stream)
{
    kin__list_for_each(&exchange->lane->flights, node) {
        kin__exchange *other = kin__list_entry(node, kin__exchange, flight);

        if (other->connection == exchange->connection && other->stream > last_stream)
            other->is_disowned = true;
    }
}

/* Not at the end of the turn: nobody waits for what libcurl has to clean up. */
static void tell_now(kin__exchange *exchange)
{
    if (kin__list_is_empty(&exchange->telling))
        return;
    kin__list_remove(&exchange->telling);
    kin__assert_no_locks();
    kin__exchange_tell(exchange);
}

/*
 * The consumer is told before libcurl lets go of it: for a stream that is paused that takes
 * milliseconds, for the 32 MiB that are held, and whoever cancels does not wait so long.
 */
static void end(kin__exchange *exchange, bool complete)
{
    kin__transport *transport = exchange->transport;

    exchange->is_discarded = true;
    kin__timers_cancel(&transport->timers, &exchange->timer);
    kin__list_remove(&exchange->flight);
    kin__list_push_back(&transport->ended, &exchange->flight);

    kin__mutex_lock(&transport->lock);
    exchange->finished = true;
    exchange->commands = 0;
    kin__list_remove(&exchange->inbox);
    kin__mutex_unlock(&transport->lock);

    kin__exchange_set_ended(exchange);
    tell_now(exchange);
    kin__lane_remove(exchange, complete);
    kin__http_request_done(&exchange->request);
}

void kin__flight_end(kin__exchange *exchange)
{
    end(exchange, false);
}

static void fail(kin__exchange *exchange, int code, const char *why)
{
    kin_error_set(&exchange->failure, code, "%s: %s", exchange->transport->endpoint.name, why);
    kin__flight_end(exchange);
}

static void launch(kin__exchange *exchange)
{
    kin__lane *lane;

    if (kin__lane_for(&lane, exchange, &exchange->failure) < 0) {
        kin__flight_end(exchange);
        return;
    }
    kin__lane_add(lane, exchange);
    kin__flight_set_timer(exchange);
}

void kin__flight_relaunch(kin__exchange *exchange)
{
    kin__list_push_back(&exchange->transport->waiting, &exchange->flight);
    kin__flight_set_timer(exchange); /* its time has come already */
}

static void start(kin__exchange *exchange)
{
    kin__transport *transport = exchange->transport;
    int64_t now = now_of(exchange);

    kin__list_push_back(&transport->waiting, &exchange->flight);
    if (kin__timers_set(&transport->timers, &exchange->timer, exchange->deadline) < 0) {
        kin__error_no_memory(&exchange->failure);
        kin__flight_end(exchange);
    } else if (exchange->deadline <= now) {
        fail(exchange, KIN_ETIMEOUT, "the deadline has passed");
    } else if (exchange->not_before > now) {
        kin__flight_set_timer(exchange);
    } else {
        launch(exchange);
    }
}

/*
 * The consumer has made room. libcurl has held what came for an HTTP/2 stream meanwhile, 32 MiB at
 * most, and allows the server as much again when it is resumed. So all that it holds is taken now: if
 * it was paused in the middle of that, the rest would be held beside what comes next, and so on, until
 * libcurl gives up at 64 MB.
 */
static void resume(kin__exchange *exchange)
{
    if (!exchange->lane || !exchange->is_paused)
        return;
    exchange->is_paused = false;
    exchange->last_byte = now_of(exchange);
    kin__flight_set_timer(exchange);
    exchange->is_resuming = true;
    CURLcode code = curl_easy_pause(exchange->easy, CURLPAUSE_CONT);
    exchange->is_resuming = false;
    if (code != CURLE_OK)
        kin__flight_done(exchange, code);
}

void kin__flight_obey(kin__exchange *exchange, unsigned commands)
{
    if (commands & KIN__COMMAND_CANCEL) {
        if (commands & KIN__COMMAND_START)
            kin__list_push_back(&exchange->transport->waiting, &exchange->flight);
        fail(exchange, KIN_ECANCELED, "cancelled");
        return;
    }
    if (commands & KIN__COMMAND_START)
        start(exchange);
    else if (commands & KIN__COMMAND_RESUME)
        resume(exchange);
}

/* Whether a byte came for anybody on the connection since the exchange has been silent. */
static bool is_alive(const kin__exchange *silent)
{
    int64_t since = add(now_of(silent), -silent->idle_ns);

    kin__list_for_each(&silent->lane->flights, node) {
        const kin__exchange *other = kin__list_entry(node, kin__exchange, flight);

        if (other != silent && other->last_heard > since && other->connection == silent->connection)
            return true;
    }
    return false;
}

static void fail_silent(kin__exchange *exchange, int64_t idle_ns)
{
    kin_error_set(&exchange->failure, KIN_ECONNECT, "%s: no byte for %lld ms",
                  exchange->transport->endpoint.name, (long long)(idle_ns / KIN__MILLISECOND));
    kin__flight_end(exchange);
}

/*
 * Nothing came for too long. If others hear from the server on the same connection, it is this
 * stream alone. Else the connection is dead: nobody new is put on it, and watches that are silent
 * on it, too, need not wait for their own time. What is not a watch is left alone: it may have been
 * sent just now, and ends by its own bounds.
 */
static void fall_silent(kin__exchange *exchange)
{
    kin__transport *transport = exchange->transport;
    kin__lane *lane = exchange->lane;
    int64_t idle_ns = exchange->idle_ns;

    if (!kin__lane_may_share(transport, lane->kind) || is_alive(exchange)) {
        fail_silent(exchange, idle_ns);
        return;
    }
    kin__lane_retire(lane);
    kin__log(transport->logger, KIN_LOG_INFO, LOG_COMPONENT, "a connection is dead",
             KIN__LOG_S("server", transport->endpoint.name),
             KIN__LOG_I("silent_ms", idle_ns / KIN__MILLISECOND));
    kin__list_for_each(&lane->flights, node) {
        kin__exchange *other = kin__list_entry(node, kin__exchange, flight);

        if (other != exchange && kin__lane_traits_of(other->kind)->lasts &&
            other->connection == exchange->connection)
            fail_silent(other, idle_ns);
    }
    fail_silent(exchange, idle_ns);
}

static void look_at_peer(kin__exchange *exchange)
{
    if (exchange->lane)
        kin__liveness_wake(exchange);
    kin__flight_set_timer(exchange);
}

void kin__flight_wake(kin__exchange *exchange)
{
    int64_t now = now_of(exchange);

    /* As launching does: put it back, so that from here on setting it takes no memory. */
    if (kin__timers_set(&exchange->transport->timers, &exchange->timer, INT64_MAX) < 0) {
        kin__error_no_memory(&exchange->failure);
        kin__flight_end(exchange);
        return;
    }
    if (exchange->deadline <= now)
        fail(exchange, KIN_ETIMEOUT, "no complete answer before the deadline");
    else if (exchange->lane && silence_ends(exchange) <= now)
        fall_silent(exchange);
    else if (!exchange->lane && exchange->not_before <= now)
        launch(exchange);
    else
        look_at_peer(exchange);
}

/*
 * Whether what is no answer belongs to one before it: on a connection that was used before, bytes behind
 * the end of an answer are found only when the next request has been sent. That connection is closed, and
 * on another one there are none.
 */
static bool is_surplus(const kin__exchange *exchange, CURLcode curl_code)
{
    long n_connects = 1;

    if (exchange->reader.answer.status != 0 ||
        (curl_code != CURLE_UNSUPPORTED_PROTOCOL && curl_code != CURLE_WEIRD_SERVER_REPLY))
        return false;
    curl_easy_getinfo(exchange->easy, CURLINFO_NUM_CONNECTS, &n_connects);
    return n_connects == 0;
}

static void explain(kin__exchange *exchange, CURLcode curl_code)
{
    long os_error = 0;

    /* What libcurl says of a header line beyond its own limit of 100 KiB. */
    if (curl_code == CURLE_OUT_OF_MEMORY && exchange->times_sent > 0 &&
        !exchange->reader.complete) {
        kin_error_set(&exchange->failure, KIN_ELIMIT, "%s: the answer's headers are too long",
                      exchange->transport->endpoint.name);
        return;
    }
    if (is_surplus(exchange, curl_code)) {
        kin_error_set(&exchange->failure, KIN_ECONNECT,
                      "%s: bytes that nobody asked for came before the answer",
                      exchange->transport->endpoint.name);
        return;
    }
    curl_easy_getinfo(exchange->easy, CURLINFO_OS_ERRNO, &os_error);
    kin__curl_error(&exchange->failure, curl_code, exchange->detail, (int)os_error,
                    exchange->transport->endpoint.name);
}

/* No connection for the first in line is no connection for those behind it. */
static void fail_line(kin__lane *lane, const kin_error *failure)
{
    kin__list_for_each(&lane->line, node) {
        kin__exchange *exchange = kin__list_entry(node, kin__exchange, flight);

        exchange->failure = *failure;
        kin__flight_end(exchange);
    }
}

/*
 * The server has not seen it, and libcurl has not tried again by itself: that it does only beside
 * other streams of the connection. Each time a connection is closed, so there is an end to it.
 */
static bool is_to_be_sent_again(const kin__exchange *exchange)
{
    return exchange->is_disowned && exchange->last_heard == 0 && exchange->failure.code == 0 &&
           exchange->times_sent < SENDS_MAX;
}

static void send_again(kin__exchange *exchange)
{
    kin__lane_take_back(exchange);
    exchange->request.sent = 0;
    exchange->detail[0] = '\0';
    kin__flight_relaunch(exchange);
}

void kin__flight_done(kin__exchange *exchange, CURLcode curl_code)
{
    kin__lane *lane = exchange->lane;
    bool was_unsent = lane->unsent == exchange;

    if (is_to_be_sent_again(exchange)) {
        send_again(exchange);
        return;
    }
    if (exchange->failure.code == 0) {
        if (curl_code != CURLE_OK)
            explain(exchange, curl_code);
        else if (!exchange->reader.complete) /* libcurl takes that for an answer */
            kin_error_set(&exchange->failure, KIN_ECONNECT,
                          "%s: the connection was lost within the answer's headers",
                          exchange->transport->endpoint.name);
    }
    end(exchange, true);
    if (was_unsent &&
        (exchange->failure.code == KIN_ECONNECT || exchange->failure.code == KIN_ETLS))
        fail_line(lane, &exchange->failure);
}

void kin__flight_lane_failed(kin__lane *lane, const char *why)
{
    kin__list_for_each(&lane->flights, node) {
        kin__exchange *exchange = kin__list_entry(node, kin__exchange, flight);

        fail(exchange, KIN_ESYSTEM, why);
    }
}
