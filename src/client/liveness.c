/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the server of a silent exchange is alive.
 *
 * A healthy server sends nothing while nothing changes. Neither does a frozen server, nor a network that
 * drops packets. If an exchange has heard nothing for a while, the transport sends a small request, the
 * probe. Any answer to it counts. If there is none within the probe's timeout, the silent exchanges fail.
 * TCP keepalive, at about the same pace, covers a connection that died alone.
 *
 * Exchanges are judged in groups. A group has one probe at a time.
 *
 * | group          | members                                   | probe                 | proof of life               |
 * |----------------|-------------------------------------------|-----------------------|-----------------------------|
 * | of a lane      | exchanges that may share a connection     | in that lane          | bytes on the same connection |
 * | of the server  | exchanges with a connection of their own  | in a lane of its own  | bytes on any connection     |
 *
 * A probe in a lane can be answered on another connection: libcurl opens one if the connection in question has all the
 * streams that the server allows, or has received a GOAWAY. That proves nothing, and nothing is held against the
 * connection: the server is alive, TCP keepalive finds a connection that died alone, and missing bookmarks a frozen
 * backend.
 *
 * All of it runs on the I/O thread, outside of libcurl. The timers of the members start a round. While a
 * round is under way they are not set; its end sets them again, so that the members of a group wake the
 * thread together. A probe that fails early, such as one whose connection was refused, is repeated: the
 * verdict takes the whole timeout. Probes do not wait for the client's rate limit. None is sent while
 * bytes come, none without a silent exchange, and none for an exchange that is paused or not sent yet:
 * libcurl's connect timeout applies to the latter.
 */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/transport_inside.h"

#define LOG_COMPONENT "transport"

/* A probe that failed early is repeated after this part of its timeout. */
#define REPEATS_PER_TIMEOUT 10
/* After this part of a probe's timeout its members are in doubt. */
#define DOUBT_PART 3

static int64_t now_of(const kin__transport *transport)
{
    return kin_clock_now(transport->clock);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* --- groups --- */

static bool is_shared(const kin__lane *lane)
{
    return lane && lane->is_paced;
}

static kin__liveness *group_of(const kin__exchange *exchange)
{
    return is_shared(exchange->lane) ? &exchange->lane->liveness : &exchange->transport->liveness;
}

/* `lane` is NULL for the group of the server. */
static kin__liveness *group_in(kin__transport *transport, kin__lane *lane)
{
    return lane ? &lane->liveness : &transport->liveness;
}

static bool is_member(const kin__exchange *exchange)
{
    return exchange->is_probed && exchange->lane && exchange->times_sent > 0 &&
           !exchange->is_paused && exchange->transport->limits.probe_after_ns > 0;
}

/* When the server of an exchange is known to have been alive; 0: nothing came yet. */
static int64_t last_proof(const kin__exchange *exchange)
{
    int64_t last = later(exchange->last_heard, exchange->proven_at);

    if (!is_shared(exchange->lane))
        return later(last, exchange->transport->heard_at);
    kin__list_for_each(&exchange->lane->flights, node) {
        const kin__exchange *other = kin__list_entry(node, kin__exchange, flight);

        if (other->connection == exchange->connection)
            last = later(last, other->last_heard);
    }
    return last;
}

static int64_t quiet_since(const kin__exchange *exchange)
{
    return later(exchange->last_byte, last_proof(exchange));
}

void kin__liveness_init(kin__liveness *group, kin__transport *transport)
{
    int64_t after = transport->limits.probe_after_ns;

    group->interval =
        add(after, (int64_t)(kin__random_unit(&transport->random) * (double)after / 4));
}

/* --- one probe --- */

static void on_news(kin__exchange *probe, void *arg)
{
    (void)arg;
    probe->transport->probe_news = true;
}

/* The transport adds these itself. */
static bool is_own_header(kin_str name)
{
    return kin_str_equal(name, kin_str_of("Host")) ||
           kin_str_equal(name, kin_str_of("Accept-Encoding"));
}

/* Headers of the silent exchange, with its credentials. BORROWED from it; *ret is OWNED. */
static int copy_headers(kin__header **ret, size_t *ret_n, const kin__exchange *exchange)
{
    size_t n = 0;
    kin__header *headers;

    for (const struct curl_slist *line = exchange->request.headers; line; line = line->next)
        n++;
    headers = kin__calloc(n + 1, sizeof(*headers));
    if (!headers)
        return KIN_ENOMEM;
    n = 0;
    for (const struct curl_slist *line = exchange->request.headers; line; line = line->next) {
        size_t len = strcspn(line->data, ":;");
        kin_str name = kin_str_make(line->data, len);
        const char *value = line->data + len;

        value += *value == ':' ? strspn(value, ": ") : strlen(value);
        if (!is_own_header(name))
            headers[n++] = (kin__header){name, kin_str_of(value)};
    }
    *ret = headers;
    *ret_n = n;
    return 0;
}

/* 0, or the code of the failure to send one. */
static int send_probe(kin__liveness *group, const kin__exchange *exchange, int64_t not_before)
{
    kin__transport *transport = exchange->transport;
    bool shares = is_shared(exchange->lane);
    kin__identity identity = {.tls = exchange->material};
    kin__exchange_spec spec = {
        .method = "GET",
        .target = transport->limits.probe_target ? transport->limits.probe_target : "/",
        .identity = &identity,
        .not_before = not_before,
        .deadline = add(group->asked_at, transport->limits.probe_timeout_ns),
        .kind = shares ? exchange->kind : KIN__LANE_PROBE,
        .notify = on_news,
    };
    kin__header *headers = NULL;
    int code = copy_headers(&headers, &spec.n_headers, exchange);

    spec.headers = headers;
    if (code == 0)
        code = kin__transport_start(transport, &group->probe, &spec, NULL);
    kin__free(headers);
    if (code < 0)
        return code;
    /* The inbox is this thread's to empty: the probe has not been looked at yet. */
    group->probe->is_probe = true;
    group->probe->probes_lane = shares ? exchange->lane->id : 0;
    return 0;
}

/* --- members --- */

typedef void member_fn(kin__exchange *member, const kin__liveness *group);

static void visit_flights(const kin__liveness *group, kin__lane *lane, member_fn *fn)
{
    kin__list_for_each(&lane->flights, node) {
        kin__exchange *exchange = kin__list_entry(node, kin__exchange, flight);

        if (is_member(exchange) && group_of(exchange) == group)
            fn(exchange, group);
    }
}

/* `fn` may end the member. */
static void visit(kin__transport *transport, const kin__liveness *group, member_fn *fn)
{
    kin__list_for_each(&transport->lanes, node)
        visit_flights(group, kin__list_entry(node, kin__lane, link), fn);
}

/* Whether the round is about it. */
static bool is_asked_for(const kin__exchange *member, const kin__liveness *group)
{
    return group->connection == 0 || group->connection == member->connection;
}

static bool is_silent(const kin__exchange *member, const kin__liveness *group)
{
    return is_asked_for(member, group) && quiet_since(member) < group->asked_at;
}

static void note_proof(kin__exchange *member, const kin__liveness *group)
{
    if (!is_asked_for(member, group))
        return;
    member->proven_at = now_of(member->transport);
    kin__exchange_set_heard(member, member->proven_at);
    kin__exchange_set_doubt(member, false);
}

static void note_doubt(kin__exchange *member, const kin__liveness *group)
{
    if (is_silent(member, group))
        kin__exchange_set_doubt(member, true);
}

static void end_dead(kin__exchange *member, const kin__liveness *group)
{
    kin__transport *transport = member->transport;
    int64_t now = now_of(transport);

    if (!is_silent(member, group))
        return;
    kin_error_set(&member->failure, KIN_ECONNECT,
                  "%s: no byte for %lld ms, and no answer to a probe for %lld ms",
                  transport->endpoint.name,
                  (long long)((now - quiet_since(member)) / KIN__MILLISECOND),
                  (long long)((now - group->asked_at) / KIN__MILLISECOND));
    kin__flight_end(member);
}

/* --- rounds --- */

static void begin_round(kin__exchange *exchange)
{
    kin__liveness *group = group_of(exchange);

    group->asked_at = now_of(exchange->transport);
    group->connection = is_shared(exchange->lane) ? exchange->connection : 0;
    group->is_proven = false;
    group->in_doubt = false;
    if (send_probe(group, exchange, 0) < 0)
        exchange->postponed_at = group->asked_at; /* out of memory: again after another interval */
}

/*
 * The timers of all exchanges, whatever their group: a lane's members belong to the server's group once it
 * is known that the server has no HTTP/2.
 */
static void end_round(kin__transport *transport, kin__liveness *group)
{
    kin__liveness_init(group, transport);
    kin__list_for_each(&transport->lanes, lane_node) {
        const kin__lane *lane = kin__list_entry(lane_node, kin__lane, link);

        kin__list_for_each(&lane->flights, node)
            kin__flight_set_timer(kin__list_entry(node, kin__exchange, flight));
    }
}

/* Connections on which nothing has come since the probe was sent get no new exchanges. */
static void retire_silent(kin__transport *transport, kin__lane *dead, int64_t since)
{
    kin__list_for_each(&transport->lanes, node) {
        kin__lane *lane = kin__list_entry(node, kin__lane, link);

        if (!lane->retired && (dead ? lane == dead : lane->heard_at < since))
            kin__lane_retire(lane);
    }
}

static void declare_dead(kin__transport *transport, kin__lane *lane, kin__liveness *group)
{
    kin__log(transport->logger, KIN_LOG_INFO, LOG_COMPONENT, "the server does not answer",
             KIN__LOG_S("server", transport->endpoint.name),
             KIN__LOG_I("probe_ms", (now_of(transport) - group->asked_at) / KIN__MILLISECOND));
    retire_silent(transport, lane, group->asked_at);
    visit(transport, group, end_dead);
}

/* A member that has heard nothing since the round began; NULL: none. */
static kin__exchange *find_silent(kin__transport *transport, const kin__liveness *group)
{
    kin__list_for_each(&transport->lanes, lane_node) {
        kin__lane *lane = kin__list_entry(lane_node, kin__lane, link);

        kin__list_for_each(&lane->flights, node) {
            kin__exchange *exchange = kin__list_entry(node, kin__exchange, flight);

            if (is_member(exchange) && group_of(exchange) == group && is_silent(exchange, group))
                return exchange;
        }
    }
    return NULL;
}

/* The probe was answered on another connection. Asks again after an interval, and leaves `heard` as it is. */
static void postpone(kin__exchange *member, const kin__liveness *group)
{
    if (!is_asked_for(member, group))
        return;
    member->postponed_at = now_of(member->transport);
    kin__exchange_set_doubt(member, false);
}

/* A probe has ended without a proof: it is repeated while there is time for another. */
static void judge(kin__transport *transport, kin__lane *lane, kin__liveness *group)
{
    int64_t timeout = transport->limits.probe_timeout_ns;
    int64_t next = add(now_of(transport), timeout / REPEATS_PER_TIMEOUT);
    kin__exchange *silent = find_silent(transport, group);

    if (silent && next < add(group->asked_at, timeout) && send_probe(group, silent, next) == 0)
        return;
    if (silent)
        declare_dead(transport, lane, group);
    end_round(transport, group);
}

static bool proves(const kin__liveness *group, const kin__exchange *probe)
{
    return probe->last_heard > 0 &&
           (group->connection == 0 || group->connection == probe->connection);
}

static void look(kin__transport *transport, kin__lane *lane)
{
    kin__liveness *group = group_in(transport, lane);
    kin__exchange *probe = group->probe;
    kin_str bytes;
    int code = 0;

    if (!probe)
        return;
    while (kin__exchange_read(probe, &bytes))
        continue;
    if (!group->is_proven && proves(group, probe)) {
        group->is_proven = true;
        visit(transport, group, note_proof);
    }
    if (!kin__exchange_ended(probe, &code, NULL))
        return;
    bool answered = probe->last_heard > 0;

    group->probe = NULL;
    kin__exchange_unref(probe);
    if (code == KIN_ECANCELED)
        return; /* the transport is closed */
    if (answered && !group->is_proven)
        visit(transport, group, postpone);
    if (answered || group->is_proven)
        end_round(transport, group);
    else
        judge(transport, lane, group);
}

void kin__liveness_run(kin__transport *transport)
{
    transport->probe_news = false;
    look(transport, NULL);
    kin__list_for_each(&transport->lanes, node)
        look(transport, kin__list_entry(node, kin__lane, link));
}

void kin__liveness_done(kin__liveness *group)
{
    kin__exchange_unref(group->probe);
    group->probe = NULL;
}

/* --- timers --- */

static kin__liveness *group_of_probe(const kin__exchange *probe)
{
    kin__lane *lane = NULL;

    if (probe->probes_lane == 0)
        return &probe->transport->liveness;
    lane = kin__lane_find(probe->transport, probe->probes_lane);
    return lane ? &lane->liveness : NULL;
}

static int64_t doubt_due(const kin__liveness *group, const kin__transport *transport)
{
    if (group->is_proven || group->in_doubt)
        return INT64_MAX;
    return add(group->asked_at, transport->limits.probe_timeout_ns / DOUBT_PART);
}

int64_t kin__liveness_next(const kin__exchange *exchange)
{
    if (exchange->is_probe) {
        const kin__liveness *group = group_of_probe(exchange);

        return group ? doubt_due(group, exchange->transport) : INT64_MAX;
    }
    if (!is_member(exchange) || group_of(exchange)->probe)
        return INT64_MAX;
    return add(later(quiet_since(exchange), exchange->postponed_at), group_of(exchange)->interval);
}

void kin__liveness_wake(kin__exchange *exchange)
{
    int64_t now = now_of(exchange->transport);
    kin__liveness *probed = exchange->is_probe ? group_of_probe(exchange) : NULL;

    if (probed && doubt_due(probed, exchange->transport) <= now) {
        probed->in_doubt = true;
        visit(exchange->transport, probed, note_doubt);
    } else if (is_member(exchange)) {
        kin__exchange_set_heard(exchange, last_proof(exchange));
        if (kin__liveness_next(exchange) <= now)
            begin_round(exchange);
    }
}
