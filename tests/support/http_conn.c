/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection on its own thread: bytes in and out, stalls, and the end.
 *
 * The socket does not block; every wait is a poll() of it and of the wake-up descriptor, so
 * whoever gives the connection an order is heard at once, whatever is being waited for.
 */
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "http_inside.h"

#define READ_SIZE 16384
/* How long a client may take to read a piece before the next is sent all the same. */
#define PATIENCE_NS (200 * INT64_C(1000000))

/* An order from another thread becomes our own end. */
static void look_for_orders(kin_test_http_conn *conn)
{
    uint64_t ignored = 0;

    if (read(conn->wake, &ignored, sizeof(ignored)) < 0 && errno != EAGAIN)
        kin_test_http_die("eventfd");
    pthread_mutex_lock(&conn->server->lock);
    if (conn->order != KIN_TEST_END_NOT)
        conn->end = conn->order;
    pthread_mutex_unlock(&conn->server->lock);
}

void kin_test_http_client_left(kin_test_http_conn *conn)
{
    conn->client_left = true;
    if (conn->end == KIN_TEST_END_NOT)
        conn->end = KIN_TEST_END_ABANDON;
}

bool kin_test_http_ready(kin_test_http_conn *conn, short events)
{
    while (conn->end == KIN_TEST_END_NOT) {
        struct pollfd fds[2] = {{.fd = conn->fd, .events = events},
                                {.fd = conn->wake, .events = POLLIN}};

        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            kin_test_http_die("poll");
        if (fds[1].revents)
            look_for_orders(conn);
        else if (fds[0].revents)
            return true;
    }
    return false;
}

/* --- in --- */

static ssize_t read_some(kin_test_http_conn *conn, char *data, size_t size)
{
    if (conn->ssl)
        return kin_test_http_tls_read(conn, data, size);
    while (kin_test_http_ready(conn, POLLIN)) {
        ssize_t n = recv(conn->fd, data, size, 0);

        if (n >= 0 || (errno != EAGAIN && errno != EINTR))
            return n;
    }
    return -1;
}

bool kin_test_http_fill(kin_test_http_conn *conn)
{
    if (conn->end != KIN_TEST_END_NOT)
        return false;
    if (conn->in_at == conn->in_len)
        conn->in_at = conn->in_len = 0;
    kin_test_http_grow(&conn->in, &conn->in_size, conn->in_len + READ_SIZE);
    ssize_t n = read_some(conn, conn->in + conn->in_len, READ_SIZE);

    if (n <= 0) {
        if (conn->end == KIN_TEST_END_NOT)
            kin_test_http_client_left(conn);
        return false;
    }
    conn->in_len += (size_t)n;
    return true;
}

/* --- out --- */

bool kin_test_http_send_plain(kin_test_http_conn *conn, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t n = send(conn->fd, data, len, MSG_NOSIGNAL);

        if (n >= 0) {
            data += n;
            len -= (size_t)n;
            conn->n_sent += (uint64_t)n;
        } else if (errno == EAGAIN) {
            if (!kin_test_http_ready(conn, POLLOUT))
                return false;
        } else if (errno != EINTR) {
            kin_test_http_client_left(conn);
            return false;
        }
    }
    return true;
}

static bool write_all(kin_test_http_conn *conn, const char *data, size_t len)
{
    if (!conn->ssl)
        return kin_test_http_send_plain(conn, data, len);
    while (len > 0) {
        int n = kin_test_http_tls_write(conn, data, len < READ_SIZE ? len : READ_SIZE);

        if (n <= 0) {
            if (conn->end == KIN_TEST_END_NOT)
                kin_test_http_client_left(conn);
            return false;
        }
        data += n;
        len -= (size_t)n;
    }
    return true;
}

/* --- Pieces: what of our bytes lies in the client's socket, unread? The kernel knows. --- */

static void set_end_of_route(__be32 *ret_address, __be16 *ret_port,
                             const struct sockaddr_storage *name)
{
    if (name->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const void *)name;

        memcpy(ret_address, &in6->sin6_addr, sizeof(in6->sin6_addr));
        *ret_port = in6->sin6_port;
        return;
    }
    const struct sockaddr_in *in = (const void *)name;

    ret_address[0] = in->sin_addr.s_addr;
    *ret_port = in->sin_port;
}

struct diag_request {
    struct nlmsghdr header;
    struct inet_diag_req_v2 body;
};

/* The client's socket is the one whose ends are ours, exchanged. */
static bool make_diag_request(const kin_test_http_conn *conn, struct diag_request *ret)
{
    struct sockaddr_storage mine = {0};
    struct sockaddr_storage peer = {0};
    socklen_t mine_len = sizeof(mine);
    socklen_t peer_len = sizeof(peer);

    memset(ret, 0, sizeof(*ret));
    if (getsockname(conn->fd, (struct sockaddr *)&mine, &mine_len) < 0 ||
        getpeername(conn->fd, (struct sockaddr *)&peer, &peer_len) < 0 ||
        (mine.ss_family != AF_INET && mine.ss_family != AF_INET6))
        return false;
    ret->header.nlmsg_len = sizeof(*ret);
    ret->header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    ret->header.nlmsg_flags = NLM_F_REQUEST;
    ret->body.sdiag_family = (uint8_t)mine.ss_family;
    ret->body.sdiag_protocol = IPPROTO_TCP;
    ret->body.idiag_states = ~0u;
    ret->body.idiag_ext = 1 << (INET_DIAG_INFO - 1);
    ret->body.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    ret->body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    set_end_of_route(ret->body.id.idiag_src, &ret->body.id.idiag_sport, &peer);
    set_end_of_route(ret->body.id.idiag_dst, &ret->body.id.idiag_dport, &mine);
    return true;
}

/* What the kernel knows of the client's socket. */
struct client_socket {
    uint32_t queued;   /* bytes that the client has not read */
    uint64_t received; /* bytes that ever came */
};

static void read_diag(struct client_socket *ret, struct nlmsghdr *header)
{
    struct inet_diag_msg *message = NLMSG_DATA(header);
    struct rtattr *attribute = (struct rtattr *)(message + 1);
    size_t len = header->nlmsg_len - NLMSG_LENGTH(sizeof(*message));

    ret->queued = message->idiag_rqueue;
    for (; RTA_OK(attribute, len); attribute = RTA_NEXT(attribute, len)) {
        struct tcp_info info = {0};
        size_t size = RTA_PAYLOAD(attribute);

        if (attribute->rta_type != INET_DIAG_INFO)
            continue;
        memcpy(&info, RTA_DATA(attribute), size < sizeof(info) ? size : sizeof(info));
        ret->received = info.tcpi_bytes_received;
    }
}

/* False: it cannot be told. */
static bool ask_kernel(struct client_socket *ret, int netlink, const struct diag_request *request)
{
    union {
        struct nlmsghdr header;
        char bytes[4096];
    } answer;

    memset(ret, 0, sizeof(*ret));
    if (send(netlink, request, sizeof(*request), 0) < 0)
        return false;
    ssize_t n = recv(netlink, &answer, sizeof(answer), 0);

    if (n < (ssize_t)NLMSG_LENGTH(sizeof(struct inet_diag_msg)) ||
        answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY)
        return false;
    read_diag(ret, &answer.header);
    return true;
}

/* What was sent has come, and the client has taken it; or nobody can tell. */
static bool client_has_read(const kin_test_http_conn *conn, int netlink,
                            const struct diag_request *request)
{
    struct client_socket client;
    uint64_t sent = conn->ssl ? BIO_number_written(SSL_get_wbio(conn->ssl)) : conn->n_sent;

    return !ask_kernel(&client, netlink, request) ||
           (client.received >= sent && client.queued == 0);
}

static int64_t now(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * INT64_C(1000000000) + at.tv_nsec;
}

/* Until the client has taken what was sent, so that the next piece is a piece. */
void kin_test_http_wait_for_client_read(kin_test_http_conn *conn)
{
    struct diag_request request;

    kin_test_http_flush_head(conn);
    if (conn->hasty || !make_diag_request(conn, &request))
        return;
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (netlink < 0)
        return;
    int64_t end = now() + PATIENCE_NS;
    const struct timespec pause = {0, 20000};

    while (!client_has_read(conn, netlink, &request)) {
        struct pollfd wake = {.fd = conn->wake, .events = POLLIN};

        if (ppoll(&wake, 1, &pause, NULL) > 0)
            break;
        if (now() > end) {
            conn->hasty = true;
            break;
        }
    }
    close(netlink);
}

bool kin_test_http_send(kin_test_http_conn *conn, const char *data, size_t len)
{
    while (len > 0 && conn->end == KIN_TEST_END_NOT) {
        size_t piece = conn->split > 0 && conn->split < len ? conn->split : len;

        if (conn->cut > 0 && conn->cut < piece)
            piece = conn->cut;
        if (!write_all(conn, data, piece))
            return false;
        data += piece;
        len -= piece;
        /* Also after the last one: more may follow in another call. */
        if (conn->split > 0 || conn->cut == piece)
            kin_test_http_wait_for_client_read(conn);
        conn->cut -= piece < conn->cut ? piece : conn->cut;
    }
    return conn->end == KIN_TEST_END_NOT;
}

void kin_test_http_split(kin_test_http_conn *conn, size_t n)
{
    conn->split = n;
}

/* --- waits --- */

/* What ends a wait besides the client's end. */
struct until {
    bool (*ready)(void *arg); /* NULL: a permit */
    void *arg;
};

static bool is_reached(kin_test_http_conn *conn, const struct until *until)
{
    kin_test_http *server = conn->server;

    if (until->ready)
        return until->ready(until->arg);
    pthread_mutex_lock(&server->lock);
    bool taken = server->permit_all || server->permits > 0;

    if (taken && !server->permit_all)
        server->permits--;
    pthread_mutex_unlock(&server->lock);
    return taken;
}

static void count_stalled(kin_test_http_conn *conn, int by)
{
    kin_test_http *server = conn->server;

    pthread_mutex_lock(&server->lock);
    server->counts.stalled += (unsigned)by;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
}

/* Nothing is read here: what the client sent stays in its place. */
static bool poll_stalled(kin_test_http_conn *conn, const struct until *until)
{
    while (conn->end == KIN_TEST_END_NOT) {
        if (until && is_reached(conn, until))
            return true;
        struct pollfd fds[2] = {{.fd = conn->fd, .events = POLLRDHUP},
                                {.fd = conn->wake, .events = POLLIN}};

        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            kin_test_http_die("poll");
        if (fds[1].revents)
            look_for_orders(conn);
        if (fds[0].revents)
            kin_test_http_client_left(conn);
    }
    return false;
}

bool kin_test_http_stall_until(kin_test_http_conn *conn, bool (*ready)(void *arg), void *arg)
{
    const struct until until = {ready, arg};

    kin_test_http_flush_head(conn);
    count_stalled(conn, 1);
    bool released = poll_stalled(conn, &until);
    count_stalled(conn, -1);
    return released;
}

bool kin_test_http_stall(kin_test_http_conn *conn)
{
    return kin_test_http_stall_until(conn, NULL, NULL);
}

bool kin_test_http_wait_for_client_close(kin_test_http_conn *conn)
{
    kin_test_http_flush_head(conn);
    poll_stalled(conn, NULL);
    return conn->client_left;
}

/* --- the end --- */

static void end_by_handler(kin_test_http_conn *conn, enum kin_test_http_end end)
{
    kin_test_http_flush_head(conn);
    if (conn->end == KIN_TEST_END_NOT)
        conn->end = end;
}

void kin_test_http_close(kin_test_http_conn *conn)
{
    end_by_handler(conn, KIN_TEST_END_CLOSE);
}

void kin_test_http_abandon(kin_test_http_conn *conn)
{
    end_by_handler(conn, KIN_TEST_END_ABANDON);
}

void kin_test_http_reset(kin_test_http_conn *conn)
{
    end_by_handler(conn, KIN_TEST_END_RESET);
}

/*
 * Read and forget. A socket that is closed with bytes in it resets the connection, and the client
 * may lose an answer that it has not read yet. A client that is still sending is heard to its end,
 * or until an order comes.
 */
static void drain(kin_test_http_conn *conn)
{
    char bytes[READ_SIZE];
    bool ordered = conn->end == KIN_TEST_END_CLOSE && !conn->unread;

    for (;;) {
        ssize_t n = recv(conn->fd, bytes, sizeof(bytes), 0);

        if (n > 0 || (n < 0 && errno == EINTR))
            continue;
        if (n == 0 || errno != EAGAIN || ordered)
            return;
        struct pollfd fds[2] = {{.fd = conn->fd, .events = POLLIN},
                                {.fd = conn->wake, .events = POLLIN}};

        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            kin_test_http_die("poll");
        ordered = fds[1].revents != 0;
    }
}

static void hang_up(kin_test_http_conn *conn)
{
    const struct linger at_once = {1, 0};

    if (conn->end == KIN_TEST_END_RESET)
        setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    if (conn->end == KIN_TEST_END_CLOSE) {
        if (conn->ssl && SSL_is_init_finished(conn->ssl))
            SSL_shutdown(conn->ssl);
        shutdown(conn->fd, SHUT_WR);
        drain(conn);
    }
    SSL_free(conn->ssl);
    conn->ssl = NULL;
    close(conn->fd);
}

static void leave(kin_test_http_conn *conn)
{
    kin_test_http *server = conn->server;

    pthread_mutex_lock(&server->lock);
    conn->seen.open = false;
    conn->seen.left_by_client = conn->client_left;
    conn->finished = true;
    server->counts.open--;
    server->to_join++;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
}

/* --- the thread --- */

static void answer(kin_test_http_conn *conn, const kin_test_http_request *request)
{
    kin_test_http *server = conn->server;
    const char *connection = kin_test_http_field_of(request, "Connection");

    conn->request = request;
    conn->chunked = false;
    if (!kin_test_http_take_route(conn, request)) {
        if (server->options.handler)
            server->options.handler(conn, request, server->options.arg);
        else
            kin_test_http_answer(conn, 404, "text/plain", "no route\n");
    }
    kin_test_http_flush_head(conn);
    conn->request = NULL;
    if (connection && strcasecmp(connection, "close") == 0)
        kin_test_http_close(conn);
}

static bool begin(kin_test_http_conn *conn)
{
    kin_test_http *server = conn->server;
    const int on = 1;

    setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (server->options.accepted)
        server->options.accepted(conn, conn->number, server->options.arg);
    pthread_mutex_lock(&server->lock);
    SSL_CTX *tls = server->tls;

    conn->fate = server->fate;
    if (tls)
        SSL_CTX_up_ref(tls);
    pthread_mutex_unlock(&server->lock);
    if (!tls)
        return true;
    bool secure = conn->end == KIN_TEST_END_NOT && kin_test_http_secure(conn, tls);

    SSL_CTX_free(tls);
    return secure;
}

void *kin_test_http_conn_run(void *arg)
{
    kin_test_http_conn *conn = arg;
    bool usable = begin(conn);

    while (usable && conn->end == KIN_TEST_END_NOT) {
        kin_test_http_request *request = kin_test_http_read_request(conn);

        if (!request)
            break;
        kin_test_http_record(conn, request);
        answer(conn, request);
    }
    if (conn->end == KIN_TEST_END_NOT)
        conn->end = KIN_TEST_END_ABANDON;
    hang_up(conn);
    leave(conn);
    return NULL;
}
