/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One transfer of libcurl: its options, and what libcurl calls while it runs.
 *
 * It is made by the thread that starts the exchange, and belongs to the I/O thread from then on. The
 * callbacks run on the I/O thread inside of libcurl: they note what happened and never call libcurl
 * to change the transfer. One that refuses to go on leaves the reason in `failure`.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/process.h"
#include "client/config.h"
#include "client/curl_words.h"
#include "client/transport_inside.h"

/*
 * Plain connections gain by large reads; for TLS a record is 16 KiB, whatever is asked for. It stays for
 * as long as the exchange does, so what lasts has the default of 16 KiB.
 */
#define LIST_BUFFER (256L * 1024)
#define KEEPALIVE_PROBES 3

#define at_least(major, minor, patch)                                                              \
    (LIBCURL_VERSION_NUM >= ((major) << 16 | (minor) << 8 | (patch)))
#if defined(LIBCURL_VERSION_NUM) && !at_least(7, 80, 0)
#error "libcurl 7.80 or newer is needed"
#endif

static pthread_once_t init_once = PTHREAD_ONCE_INIT;
static CURLcode init_result;

/*
 * libcurl opens the file for the keys of all TLS connections here, and has no option against it. The
 * user who starts a set-user-ID program must not read its connections. The variable is emptied in place,
 * which libcurl takes for unset: unsetenv() would race with other threads that read the environment.
 */
static void disable_key_log(void)
{
    static const char name[] = "SSLKEYLOGFILE=";

    for (char **variable = environ; variable && *variable; variable++) {
        if (strncmp(*variable, name, sizeof(name) - 1) == 0)
            (*variable)[sizeof(name) - 1] = '\0';
    }
}

static void init_curl(void)
{
    if (kin__process_is_privileged())
        disable_key_log();
    init_result = curl_global_init(CURL_GLOBAL_DEFAULT);
}

int kin__easy_global_init(kin_error *err)
{
    pthread_once(&init_once, init_curl);
    if (init_result != CURLE_OK)
        return kin_error_set(err, KIN_ESYSTEM, "libcurl: %s", curl_easy_strerror(init_result));
    return 0;
}

/* --- callbacks --- */

/* A length other than what was given tells libcurl to end the transfer. */
#define REFUSED ((size_t)0)

static const char *server_of(const kin__exchange *exchange)
{
    return exchange->transport->endpoint.name;
}

static size_t refuse(kin__exchange *exchange, int code, const char *why)
{
    if (code == KIN_ENOMEM)
        kin__error_no_memory(&exchange->failure);
    else
        kin_error_set(&exchange->failure, code, "%s: %s", server_of(exchange), why);
    return REFUSED;
}

static size_t refuse_redirect(kin__exchange *exchange)
{
    char host[128];

    kin__answer_location_host(&exchange->reader, host, sizeof(host));
    kin_error_set(&exchange->failure, KIN_EPROTOCOL,
                  "%s: redirected%s%s with status %d; redirects are not followed",
                  server_of(exchange), host[0] ? " to " : "", host, exchange->reader.answer.status);
    exchange->failure.http_status = exchange->reader.answer.status;
    return REFUSED;
}

static size_t on_header(char *data, size_t one, size_t len, void *arg)
{
    kin__exchange *exchange = arg;
    bool was_complete = exchange->reader.complete;

    (void)one;
    if (exchange->is_discarded)
        return len;
    kin__flight_heard(exchange);
    switch (kin__answer_reader_line(&exchange->reader, kin_str_make(data, len))) {
    case 0:
        break;
    case KIN_ELIMIT:
        return refuse(exchange, KIN_ELIMIT, "the answer's headers are too long");
    case KIN_ENOMEM:
        return refuse(exchange, KIN_ENOMEM, "");
    default:
        return refuse(exchange, KIN_EPROTOCOL, "the answer is not HTTP");
    }
    if (was_complete || !exchange->reader.complete)
        return len;
    exchange->lane->is_paced = exchange->lane->is_paced && exchange->reader.answer.is_http2;
    if (kin__answer_is_redirect(&exchange->reader))
        return refuse_redirect(exchange);
    if (exchange->reader.is_encoded)
        return refuse(exchange, KIN_EPROTOCOL, "an encoding that was not asked for");
    kin__exchange_set_answered(exchange);
    return len;
}

static size_t on_body(char *data, size_t one, size_t len, void *arg)
{
    kin__exchange *exchange = arg;

    (void)one;
    if (len == 0 || exchange->is_discarded)
        return len;
    kin__flight_heard(exchange);
    switch (kin__exchange_feed(exchange, kin_str_make(data, len), exchange->is_resuming)) {
    case KIN__FEED_TAKEN:
        return len;
    case KIN__FEED_PAUSE:
        exchange->is_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    default:
        return refuse(exchange, KIN_ENOMEM, "");
    }
}

static size_t on_read(char *buffer, size_t one, size_t size, void *arg)
{
    kin__exchange *exchange = arg;
    kin__http_request *request = &exchange->request;
    size_t left = request->body.len - request->sent;
    size_t n = left < size ? left : size;

    (void)one;
    kin__flight_sent_some(exchange);
    if (n)
        memcpy(buffer, request->body.data + request->sent, n);
    request->sent += n;
    return n;
}

static int on_seek(void *arg, curl_off_t offset, int origin)
{
    kin__exchange *exchange = arg;

    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > exchange->request.body.len)
        return CURL_SEEKFUNC_FAIL;
    exchange->request.sent = (size_t)offset;
    return CURL_SEEKFUNC_OK;
}

/*
 * A number for a connection. libcurl tells the socket of a transfer only when that is over; the two
 * ends of a connection are told before a request goes out.
 */
static uint64_t connection_of(const char *remote, int remote_port, const char *local,
                              int local_port)
{
    uint64_t hash = kin__hash(kin__hash(0, local, strlen(local)), remote, strlen(remote));

    hash ^= ((uint64_t)(uint32_t)remote_port << 32) | (uint32_t)local_port;
    return hash ? hash : 1;
}

static bool is_end(const struct sockaddr_storage *address, const char *ip, int port)
{
    char text[INET6_ADDRSTRLEN] = "";
    in_port_t own_port;

    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;

        inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text));
        own_port = v4->sin_port;
    } else if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;

        inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text));
        own_port = v6->sin6_port;
    } else {
        return false;
    }
    return ntohs(own_port) == port && strcmp(text, ip) == 0;
}

/* The socket between two ends, or -1. There is no other way to it before a transfer is over. */
static int socket_between(const kin__transport *transport, const char *remote, int remote_port,
                          const char *local, int local_port)
{
    for (int fd = 0; (size_t)fd < transport->n_lane_of; fd++) {
        struct sockaddr_storage address = {0};
        socklen_t len = sizeof(address);

        if (getsockname(fd, (struct sockaddr *)&address, &len) < 0 ||
            !is_end(&address, local, local_port))
            continue;
        len = sizeof(address);
        if (getpeername(fd, (struct sockaddr *)&address, &len) == 0 &&
            is_end(&address, remote, remote_port))
            return fd;
    }
    return -1;
}

/*
 * Whether a connection that was kept is of no use any more. Over HTTP/1 a server has nothing to say
 * before it is asked but that it closes; libcurl takes the alert of TLS for a sign of life.
 */
static bool has_closed(const kin__exchange *exchange, const char *remote, int remote_port,
                       const char *local, int local_port)
{
    long n_connects = 1;
    char byte;

    curl_easy_getinfo(exchange->easy, CURLINFO_NUM_CONNECTS, &n_connects);
    if (exchange->lane->is_paced || n_connects > 0)
        return false; /* it may be HTTP/2, or is new */
    int fd = socket_between(exchange->transport, remote, remote_port, local, local_port);
    if (fd < 0)
        return false;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN;
}

/*
 * Before a request goes out. libcurl sends it again, on another connection, if the first was lost
 * before a byte came back. Whether the server has acted on it by then nobody knows, unless the server
 * itself has said that it has not even seen it. For the same reason such a request does not go out
 * where nobody reads it.
 */
static int on_send(void *arg, char *remote, char *local, int remote_port, int local_port)
{
    kin__exchange *exchange = arg;

    if (!kin__http_request_may_be_repeated(&exchange->request)) {
        if (exchange->times_sent > 0 && !exchange->is_disowned)
            return CURL_PREREQFUNC_ABORT;
        exchange->is_disowned = has_closed(exchange, remote, remote_port, local, local_port);
        if (exchange->is_disowned)
            return CURL_PREREQFUNC_ABORT;
    }
    exchange->is_disowned = false;
    exchange->stream = 0;
    kin__flight_sends(exchange, connection_of(remote, remote_port, local, local_port));
    return CURL_PREREQFUNC_OK;
}

/* What libcurl says in words only. Never kept, never shown: there are headers in it. */
static int on_words(CURL *easy, curl_infotype type, char *data, size_t len, void *arg)
{
    kin__exchange *exchange = arg;
    uint32_t number;

    (void)easy;
    if (type != CURLINFO_TEXT || exchange->times_sent == 0 || !exchange->lane)
        return 0;
    if (kin__curl_says_stream(kin_str_make(data, len), &number))
        exchange->stream = number;
    else if (kin__curl_says_goaway(kin_str_make(data, len), &number))
        kin__flight_disown(exchange, number);
    return 0;
}

static curl_socket_t on_open(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
    kin__exchange *exchange = arg;
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);

    (void)purpose;
    if (fd >= 0 && kin__lane_expect_socket(exchange->transport, fd) < 0) {
        close(fd);
        kin__error_no_memory(&exchange->failure);
        return CURL_SOCKET_BAD;
    }
    return fd;
}

static int on_close(void *arg, curl_socket_t fd)
{
    kin__lane_forget_socket(arg, fd);
    return close(fd);
}

static void set_int(int fd, int option, int64_t value)
{
    int number = value > INT32_MAX ? INT32_MAX : (int)value;

    /* Some systems and address families have fewer of them; the deadlines above still hold. */
    (void)setsockopt(fd, IPPROTO_TCP, option, &number, sizeof(number));
}

static int64_t whole_seconds(int64_t ns)
{
    int64_t seconds = ns / KIN__SECOND;

    return seconds > 0 ? seconds : 1;
}

static int on_socket_made(void *arg, curl_socket_t fd, curlsocktype purpose)
{
    const kin__exchange *exchange = arg;
    const kin__transport_options *limits = &exchange->transport->limits;
    int64_t dead = limits->keepalive_idle_ns + KEEPALIVE_PROBES * limits->keepalive_interval_ns;
    int on = 1;

    (void)purpose;
    if (exchange->transport->endpoint.socket)
        return CURL_SOCKOPT_OK;
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    set_int(fd, TCP_KEEPIDLE, whole_seconds(limits->keepalive_idle_ns));
    set_int(fd, TCP_KEEPINTVL, whole_seconds(limits->keepalive_interval_ns));
    set_int(fd, TCP_KEEPCNT, KEEPALIVE_PROBES);
    /* Also while something that was sent is not acknowledged: probes stop then. */
    set_int(fd, TCP_USER_TIMEOUT, dead / KIN__MILLISECOND);
    return CURL_SOCKOPT_OK;
}

/* --- options --- */

#define set(option, value) (curl_easy_setopt(easy, option, value) == CURLE_OK)

static bool set_blob(CURL *easy, CURLoption option, const kin__secret *secret)
{
    /* Not copied: the exchange holds the material for as long as it has the transfer. */
    struct curl_blob blob = {.data = secret->data, .len = secret->len, .flags = CURL_BLOB_NOCOPY};

    return secret->len == 0 || set(option, &blob);
}

/* A TLS library that cannot read CAs from a folder has no default for it either. */
static bool set_no_folder(CURL *easy, CURLoption option)
{
    CURLcode code = curl_easy_setopt(easy, option, NULL);

    return code == CURLE_OK || code == CURLE_NOT_BUILT_IN || code == CURLE_UNKNOWN_OPTION;
}

/*
 * Trust the configured CAs and no others, for the server and for a proxy with TLS, as client-go does.
 * libcurl adds the blob to its default folder and bundle instead of replacing them, and to the
 * system's native store if it was built so. Without configured CAs these defaults apply.
 */
static bool set_cas(CURL *easy, const kin__endpoint *endpoint, const kin__secret *ca)
{
    if (ca->len == 0)
        return true;
    if (!set(CURLOPT_CAINFO, NULL) || !set_no_folder(easy, CURLOPT_CAPATH) ||
        !set(CURLOPT_SSL_OPTIONS, 0L) || !set_blob(easy, CURLOPT_CAINFO_BLOB, ca))
        return false;
    if (endpoint->proxy && !*endpoint->proxy)
        return true;
    return set(CURLOPT_PROXY_CAINFO, NULL) && set_no_folder(easy, CURLOPT_PROXY_CAPATH) &&
           set(CURLOPT_PROXY_SSL_OPTIONS, 0L) && set_blob(easy, CURLOPT_PROXY_CAINFO_BLOB, ca);
}

static bool set_tls(CURL *easy, const kin__exchange *exchange)
{
    const kin__endpoint *endpoint = &exchange->transport->endpoint;
    const kin__tls_material *material = exchange->material;
    long verify = endpoint->insecure ? 0 : 1;

    if (!endpoint->is_tls)
        return true;
    if (!set(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) ||
        !set(CURLOPT_SSL_VERIFYPEER, verify) || !set(CURLOPT_SSL_VERIFYHOST, verify * 2) ||
        !set(CURLOPT_SSL_SESSIONID_CACHE, 0L))
        return false;
    return !material || (set_cas(easy, endpoint, &material->ca) &&
                         set_blob(easy, CURLOPT_SSLCERT_BLOB, &material->certificate) &&
                         set_blob(easy, CURLOPT_SSLKEY_BLOB, &material->key));
}

static bool set_version(CURL *easy, const kin__exchange *exchange)
{
    if (!kin__lane_may_share(exchange->transport, exchange->kind))
        return set(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    return set(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS) && set(CURLOPT_PIPEWAIT, 1L);
}

/* Writes go where a stream's number and the connection's end are worth knowing; nobody else listens. */
static bool set_words(CURL *easy, kin__exchange *exchange)
{
    if (!exchange->transport->endpoint.is_tls || exchange->kind != KIN__LANE_SHORT)
        return true;
    return set(CURLOPT_DEBUGFUNCTION, on_words) && set(CURLOPT_DEBUGDATA, exchange) &&
           set(CURLOPT_VERBOSE, 1L);
}

static bool set_request(CURL *easy, kin__exchange *exchange)
{
    kin__http_request *request = &exchange->request;

    if (!set(CURLOPT_URL, request->url) || !set(CURLOPT_PATH_AS_IS, 1L) ||
        !set(CURLOPT_HTTPHEADER, request->headers) ||
        !set(CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE))
        return false;
    if (strcmp(request->method, "HEAD") == 0)
        return set(CURLOPT_NOBODY, 1L);
    if (request->body.data &&
        (!set(CURLOPT_UPLOAD, 1L) ||
         !set(CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->body.len) ||
         !set(CURLOPT_READFUNCTION, on_read) || !set(CURLOPT_READDATA, exchange) ||
         !set(CURLOPT_SEEKFUNCTION, on_seek) || !set(CURLOPT_SEEKDATA, exchange)))
        return false;
    return set(CURLOPT_CUSTOMREQUEST, request->method);
}

static bool set_place(CURL *easy, kin__exchange *exchange)
{
    kin__transport *transport = exchange->transport;
    const kin__endpoint *endpoint = &transport->endpoint;
    int64_t timeout_ms = transport->limits.connect_timeout_ns / KIN__MILLISECOND;

    return set(CURLOPT_CONNECTTIMEOUT_MS, (long)(timeout_ms > 0 ? timeout_ms : 1)) &&
           (!endpoint->socket || set(CURLOPT_UNIX_SOCKET_PATH, endpoint->socket)) &&
           (!endpoint->connect_to || set(CURLOPT_CONNECT_TO, &transport->connect_to)) &&
           /* What NO_PROXY excepts is excepted from a proxy of the environment only. */
           (!endpoint->proxy ||
            (set(CURLOPT_PROXY, endpoint->proxy) && set(CURLOPT_NOPROXY, ""))) &&
           set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) && set(CURLOPT_OPENSOCKETFUNCTION, on_open) &&
           set(CURLOPT_OPENSOCKETDATA, exchange) && set(CURLOPT_CLOSESOCKETFUNCTION, on_close) &&
           set(CURLOPT_CLOSESOCKETDATA, transport) &&
           set(CURLOPT_SOCKOPTFUNCTION, on_socket_made) && set(CURLOPT_SOCKOPTDATA, exchange);
}

static bool set_behaviour(CURL *easy, kin__exchange *exchange)
{
#if at_least(7, 85, 0)
    if (!set(CURLOPT_PROTOCOLS_STR, "http,https"))
        return false;
#else
    if (!set(CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)))
        return false;
#endif
#if at_least(7, 87, 0)
    /* A transfer that is ended while a name is looked up does not wait for the answer. */
    if (!set(CURLOPT_QUICK_EXIT, 1L))
        return false;
#endif
    if (exchange->kind == KIN__LANE_LIST && !set(CURLOPT_BUFFERSIZE, LIST_BUFFER))
        return false;
    return set(CURLOPT_NOSIGNAL, 1L) && set(CURLOPT_ERRORBUFFER, exchange->detail) &&
           set(CURLOPT_PRIVATE, exchange) && set(CURLOPT_PREREQFUNCTION, on_send) &&
           set(CURLOPT_PREREQDATA, exchange) && set(CURLOPT_HEADERFUNCTION, on_header) &&
           set(CURLOPT_HEADERDATA, exchange) && set(CURLOPT_WRITEFUNCTION, on_body) &&
           set(CURLOPT_WRITEDATA, exchange);
}

int kin__easy_new(kin__exchange *exchange, kin_error *err)
{
    CURL *easy = curl_easy_init();

    if (!easy)
        return kin__error_no_memory(err);
    if (!set_behaviour(easy, exchange) || !set_place(easy, exchange) ||
        !set_request(easy, exchange) || !set_version(easy, exchange) ||
        !set_words(easy, exchange) || !set_tls(easy, exchange)) {
        curl_easy_cleanup(easy);
        return kin_error_set(err, KIN_ESYSTEM, "libcurl lacks memory, or something that is needed");
    }
    exchange->easy = easy;
    return 0;
}
