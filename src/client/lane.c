/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lane: a libcurl multi handle whose sockets are in the transport's epoll set.
 *
 * Runs on the I/O thread alone. libcurl tells which sockets and which time it waits for; it is
 * called when one of them has come, and never waits itself. Its time is real, whatever clock the
 * transport has. A socket is known to epoll by lane and number, so an event of a lane that is gone
 * finds nobody.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/transport_inside.h"

#define LOG_COMPONENT "transport"

/*
 * Streams of one connection. A server tells its own limit only after the first requests are on their
 * way, and refuses what is beyond it; every server is to allow these (RFC 9113, 6.5.2).
 */
#define STREAMS_MAX 100L

/*
 * Exchanges of a lane whose connection they share and keep. The next ones open another lane, so that a
 * probe in a lane finds room on the connection that it is about: libcurl does not let us choose one.
 */
#define LASTING_MAX 96

const kin__lane_traits *kin__lane_traits_of(enum kin__lane_kind kind)
{
    static const kin__lane_traits all[] = {
        [KIN__LANE_SHORT] = {.is_shared = true, .is_bounded = true},
        [KIN__LANE_LIST] = {.is_bounded = true},
        [KIN__LANE_WATCH] = {.is_shared = true, .lasts = true},
        [KIN__LANE_WATCH_LIST] = {.lasts = true},
        [KIN__LANE_PROBE] = {.is_shared = false},
    };

    return &all[kind];
}

bool kin__lane_may_share(const kin__transport *transport, enum kin__lane_kind kind)
{
    return transport->endpoint.is_tls && kin__lane_traits_of(kind)->is_shared;
}

static int on_timer(CURLM *multi, long timeout_ms, void *arg)
{
    kin__lane *lane = arg;

    (void)multi;
    lane->timer =
        timeout_ms < 0 ? INT64_MAX : kin__clock_deadline_ms(kin_clock_system(), timeout_ms);
    return 0;
}

static uint32_t epoll_events(int what)
{
    switch (what) {
    case CURL_POLL_IN:
        return EPOLLIN;
    case CURL_POLL_OUT:
        return EPOLLOUT;
    case CURL_POLL_INOUT:
        return EPOLLIN | EPOLLOUT;
    default:
        return 0;
    }
}

void kin__lane_forget_socket(kin__transport *transport, int fd)
{
    if ((size_t)fd < transport->n_lane_of)
        transport->lane_of[fd] = 0;
    /* libcurl has looked for one that it could use, and closes all that it finds dead. */
    kin__list_for_each(&transport->lanes, node) {
        kin__lane *lane = kin__list_entry(node, kin__lane, link);

        if (lane->dead_socket == fd)
            lane->dead_socket = -1;
    }
}

int kin__lane_expect_socket(kin__transport *transport, int fd)
{
    size_t cap = transport->n_lane_of;
    uint32_t *lanes;

    if ((size_t)fd < cap)
        return 0;
    lanes = kin__grow_array(transport->lane_of, &cap, (size_t)fd + 1, sizeof(*lanes));
    if (!lanes)
        return KIN_ENOMEM;
    memset(lanes + transport->n_lane_of, 0, (cap - transport->n_lane_of) * sizeof(*lanes));
    transport->lane_of = lanes;
    transport->n_lane_of = cap;
    return 0;
}

/* In kin__transport.lane_of: no lane waits any more, and the socket may be in the epoll set. */
static uint32_t removed_in(uint32_t turn)
{
    return UINT32_MAX - (turn & 1);
}

/*
 * libcurl also tells of sockets that it has closed without a word, whose numbers others in the
 * process may have by now: the epoll set is left alone. A socket that is open stays in it until it
 * has an event in another turn than that of its removal: then it was open after that.
 */
static void remove_socket(const kin__lane *lane, int fd)
{
    kin__transport *transport = lane->transport;

    if ((size_t)fd < transport->n_lane_of && transport->lane_of[fd] == lane->id)
        transport->lane_of[fd] = removed_in(transport->turn);
}

kin__lane *kin__lane_find(const kin__transport *transport, uint32_t id)
{
    kin__list_for_each(&transport->lanes, node) {
        kin__lane *lane = kin__list_entry(node, kin__lane, link);

        if (lane->id == id)
            return lane;
    }
    return NULL;
}

/*
 * A connection that is kept has said something. libcurl looks at such a one only when it has a use
 * for it; until then it would stay, with its memory, after the server has closed it. What is said is
 * not ours to read (a GOAWAY, a PING): the end is waited for from then on. An end is remembered, and
 * the lane goes when it is empty: libcurl has no other way to close a connection that nobody uses. Unless
 * libcurl has found it by then, since it had a use for one.
 */
static void see_idle(kin__transport *transport, uint32_t id, int fd, uint32_t events)
{
    struct epoll_event end = {.events = EPOLLRDHUP, .data.u64 = (uint64_t)id << 32 | (uint32_t)fd};
    kin__lane *lane = kin__lane_find(transport, id);

    if (lane && !(events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) &&
        epoll_ctl(transport->epoll, EPOLL_CTL_MOD, fd, &end) == 0)
        return;
    transport->lane_of[fd] = 0;
    epoll_ctl(transport->epoll, EPOLL_CTL_DEL, fd, NULL);
    if (lane)
        lane->dead_socket = fd;
}

kin__lane *kin__lane_expecting(kin__transport *transport, uint32_t id, int fd, uint32_t events)
{
    if (transport->lane_of[fd] == removed_in(transport->turn + 1))
        see_idle(transport, id, fd, events);
    return transport->lane_of[fd] == id ? kin__lane_find(transport, id) : NULL;
}

static int watch_socket(const kin__transport *transport, int fd, struct epoll_event *event)
{
    bool is_in = transport->lane_of[fd] != 0;
    int result = epoll_ctl(transport->epoll, is_in ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, event);

    /* A socket that libcurl has closed without a word, such as those of its look-ups. */
    if (result < 0 && is_in && errno == ENOENT)
        result = epoll_ctl(transport->epoll, EPOLL_CTL_ADD, fd, event);
    return result;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *known)
{
    kin__lane *lane = arg;
    kin__transport *transport = lane->transport;
    struct epoll_event event = {.events = epoll_events(what)};

    (void)easy;
    (void)known;
    if (what == CURL_POLL_REMOVE) {
        remove_socket(lane, fd);
        return 0;
    }
    /* Of its own sockets, which it makes for look-ups, nobody was told before. */
    if (kin__lane_expect_socket(transport, fd) < 0)
        return -1; /* the lane is given up */
    event.data.u64 = (uint64_t)lane->id << 32 | (uint32_t)fd;
    if (watch_socket(transport, fd, &event) < 0)
        return -1;
    transport->lane_of[fd] = lane->id;
    return 0;
}

static bool set_options(kin__lane *lane, const kin__transport *transport)
{
    CURLM *multi = lane->multi;
    long connections = (long)transport->limits.max_connections;
    const kin__lane_traits *traits = kin__lane_traits_of(lane->kind);
    long pipelining = traits->is_shared ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING;

    if (traits->is_bounded &&
        curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections) != CURLM_OK)
        return false;
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, lane) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_TIMERDATA, lane) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, connections) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, STREAMS_MAX) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_PIPELINING, pipelining) == CURLM_OK;
}

static int lane_new(kin__lane **ret, kin__exchange *exchange, kin_error *err)
{
    kin__transport *transport = exchange->transport;
    kin__lane *lane = kin__calloc(1, sizeof(*lane));

    if (!lane)
        return kin__error_no_memory(err);
    kin__list_init(&lane->link);
    kin__list_init(&lane->line);
    kin__list_init(&lane->flights);
    lane->id = ++transport->next_lane;
    lane->transport = transport;
    lane->kind = exchange->kind;
    /* Until it is known that the server has no HTTP/2. */
    lane->is_paced = kin__lane_may_share(transport, lane->kind);
    lane->timer = INT64_MAX;
    lane->dead_socket = -1;
    kin__liveness_init(&lane->liveness, transport);
    lane->multi = curl_multi_init();
    if (!lane->multi || !set_options(lane, transport)) {
        kin__lane_free(lane);
        return kin__error_no_memory(err);
    }
    if (exchange->material) {
        lane->material = kin__tls_material_ref(exchange->material);
        lane->generation = exchange->material->generation;
    }
    kin__list_push_back(&transport->lanes, &lane->link);
    *ret = lane;
    return 0;
}

void kin__lane_free(kin__lane *lane)
{
    if (lane->multi)
        curl_multi_cleanup(lane->multi);
    kin__liveness_done(&lane->liveness);
    kin__tls_material_unref(lane->material);
    kin__list_remove(&lane->link);
    kin__free(lane);
}

/* Whether there are newer certificates than these. */
static bool is_outdated(const kin__transport *transport, uint64_t generation)
{
    kin__list_for_each(&transport->lanes, node) {
        if (kin__list_entry(node, kin__lane, link)->generation > generation)
            return true;
    }
    return false;
}

/* The certificate was renewed: what lasts is ended, so that it comes back with the new one. */
static void retire_older(kin__transport *transport, uint64_t generation)
{
    kin__list_for_each(&transport->lanes, node) {
        kin__lane *lane = kin__list_entry(node, kin__lane, link);

        if (lane->generation >= generation || lane->retired)
            continue;
        kin__lane_retire(lane);
        kin__log(transport->logger, KIN_LOG_DEBUG, LOG_COMPONENT, "certificates were renewed",
                 KIN__LOG_S("server", transport->endpoint.name));
        kin__list_for_each(&lane->flights, flight) {
            kin__exchange *exchange = kin__list_entry(flight, kin__exchange, flight);

            if (!kin__lane_traits_of(exchange->kind)->lasts)
                continue;
            kin_error_set(&exchange->failure, KIN_ECONNECT,
                          "%s: ended, since the certificates were renewed",
                          transport->endpoint.name);
            kin__flight_end(exchange);
        }
    }
}

static bool has_room(const kin__lane *lane)
{
    return !lane->is_paced || !kin__lane_traits_of(lane->kind)->lasts || lane->n < LASTING_MAX;
}

/* The lane that a probe is about, whatever state it is in. */
static int lane_for_probe(kin__lane **ret, const kin__exchange *probe, kin_error *err)
{
    kin__lane *lane = kin__lane_find(probe->transport, probe->probes_lane);

    if (!lane)
        return kin_error_set(err, KIN_ECONNECT, "the connections to probe are closed");
    *ret = lane;
    return 0;
}

int kin__lane_for(kin__lane **ret, kin__exchange *exchange, kin_error *err)
{
    kin__transport *transport = exchange->transport;
    uint64_t generation = exchange->material ? exchange->material->generation : 0;

    if (exchange->probes_lane != 0)
        return lane_for_probe(ret, exchange, err);
    kin__list_for_each(&transport->lanes, node) {
        kin__lane *lane = kin__list_entry(node, kin__lane, link);

        if (!lane->retired && lane->kind == exchange->kind && lane->generation == generation &&
            has_room(lane)) {
            *ret = lane;
            return 0;
        }
    }
    retire_older(transport, generation);
    int code = lane_new(ret, exchange, err);
    if (code == 0)
        (*ret)->is_late = is_outdated(transport, generation);
    return code;
}

/* libcurl has given up on the whole lane. */
static void check_multi(kin__lane *lane, CURLMcode code)
{
    if (code == CURLM_OK)
        return;
    kin__lane_retire(lane);
    lane->broken = true;
    kin__flight_lane_failed(lane, curl_multi_strerror(code));
}

/* What libcurl has to do now. The timer stays: libcurl tells the same time only once. */
static void run_due(kin__lane *lane)
{
    int running;

    check_multi(lane, curl_multi_socket_action(lane->multi, CURL_SOCKET_TIMEOUT, 0, &running));
}

void kin__lane_add(kin__lane *lane, kin__exchange *exchange)
{
    exchange->lane = lane;
    lane->n++;
    kin__list_remove(&exchange->flight);
    if (exchange->is_probe)
        kin__list_push_front(&lane->line, &exchange->flight);
    else
        kin__list_push_back(&lane->line, &exchange->flight);
}

/* It is in the lane no more, whatever list it is in. */
static void leave(kin__exchange *exchange)
{
    kin__lane *lane = exchange->lane;

    lane->n--;
    if (lane->unsent == exchange)
        lane->unsent = NULL;
    exchange->lane = NULL;
}

void kin__lane_retire(kin__lane *lane)
{
    kin__list *node;

    lane->retired = true;
    while ((node = kin__list_pop_front(&lane->line)) != NULL) {
        kin__exchange *exchange = kin__list_entry(node, kin__exchange, flight);

        leave(exchange);
        kin__flight_relaunch(exchange);
    }
}

/* The first in line that may go; NULL: none. A probe does not wait for a connection to be made. */
static kin__exchange *take_next(kin__lane *lane)
{
    kin__exchange *first = kin__list_entry(lane->line.next, kin__exchange, flight);

    if (lane->broken || kin__list_is_empty(&lane->line) || (lane->unsent && !first->is_probe))
        return NULL;
    kin__list_remove(&first->flight);
    return first;
}

/*
 * Left to itself, libcurl 7.88 makes a connection for each of a hundred streams that find the first
 * one full, or not ready. So it gets one at a time while connections may be shared: the next one
 * follows when the one before is on a connection, which is at once where there is room.
 */
bool kin__lane_advance(kin__lane *lane)
{
    kin__exchange *exchange;
    bool any = false;

    while ((exchange = take_next(lane)) != NULL) {
        any = true;
        kin__list_push_back(&lane->flights, &exchange->flight);
        if (curl_multi_add_handle(lane->multi, exchange->easy) != CURLM_OK) {
            kin__error_no_memory(&exchange->failure);
            kin__flight_end(exchange);
            continue;
        }
        exchange->in_multi = true;
        if (lane->is_paced && !exchange->is_probe)
            lane->unsent = exchange;
        if (lane->is_paced)
            run_due(lane);
    }
    return any;
}

/*
 * libcurl 7.88 does not send the RST_STREAM of a transfer that is taken out of the middle: it lies in
 * a buffer until something else is sent on the connection, and the server goes on with the stream. If
 * there is another stream, pausing it for nothing makes libcurl send. If not, the connection has been
 * closed by FORBID_REUSE.
 */
static void flush(kin__lane *lane, uint64_t connection)
{
    kin__list_for_each(&lane->flights, node) {
        kin__exchange *other = kin__list_entry(node, kin__exchange, flight);

        if (!other->lane || other->is_paused || other->connection != connection)
            continue;
        curl_easy_pause(other->easy, CURLPAUSE_RECV);
        curl_easy_pause(other->easy, CURLPAUSE_CONT);
        return;
    }
}

/* libcurl 7.88 forgets to free what it holds for a paused stream beside others: have it handed over. */
static void take_held(kin__exchange *exchange)
{
    exchange->is_paused = false;
    curl_easy_pause(exchange->easy, CURLPAUSE_CONT);
}

static curl_socket_t open_none(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)arg;
    (void)purpose;
    (void)address;
    return CURL_SOCKET_BAD;
}

/*
 * The same where libcurl has ended the stream already, since the server has reset it: what it holds it
 * frees only behind a transfer that was alone on its connection. So there is another one, which gets no
 * connection.
 */
static void free_held(CURL *easy)
{
    if (curl_easy_setopt(easy, CURLOPT_URL, "http://127.0.0.1/") == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_none) == CURLE_OK)
        (void)curl_easy_perform(easy);
}

void kin__lane_remove(kin__exchange *exchange, bool complete)
{
    kin__lane *lane = exchange->lane;

    if (lane) {
        if (!complete && exchange->is_paused)
            take_held(exchange);
        if (!complete)
            curl_easy_setopt(exchange->easy, CURLOPT_FORBID_REUSE, 1L);
        if (exchange->in_multi)
            curl_multi_remove_handle(lane->multi, exchange->easy);
        if (complete && exchange->is_paused)
            free_held(exchange->easy);
        leave(exchange);
        if (!complete && exchange->connection != 0 && !lane->broken)
            flush(lane, exchange->connection);
    }
    curl_easy_cleanup(exchange->easy);
    exchange->easy = NULL;
}

void kin__lane_take_back(kin__exchange *exchange)
{
    kin__lane *lane = exchange->lane;

    curl_multi_remove_handle(lane->multi, exchange->easy);
    exchange->in_multi = false;
    leave(exchange);
    kin__list_remove(&exchange->flight);
}

void kin__lane_socket(kin__lane *lane, int fd, uint32_t events)
{
    int running;
    /* An error is found by reading and writing: that tells which one it is. */
    uint32_t failed = events & (EPOLLERR | EPOLLHUP);
    int mask = (failed || events & EPOLLIN ? CURL_CSELECT_IN : 0) |
               (failed || events & EPOLLOUT ? CURL_CSELECT_OUT : 0);

    if (!lane->broken)
        check_multi(lane, curl_multi_socket_action(lane->multi, fd, mask, &running));
}

void kin__lane_time(kin__lane *lane, int64_t system_now)
{
    if (lane->broken || lane->timer > system_now)
        return;
    lane->timer = INT64_MAX; /* libcurl sets it again if it needs to */
    run_due(lane);
}

void kin__lane_collect(kin__lane *lane)
{
    CURLMsg *message;
    int left;

    while (!lane->broken && (message = curl_multi_info_read(lane->multi, &left)) != NULL) {
        char *exchange = NULL;
        CURLcode result = message->data.result; /* the message goes with its transfer */

        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &exchange);
        kin__flight_done((kin__exchange *)(void *)exchange, result);
    }
}
