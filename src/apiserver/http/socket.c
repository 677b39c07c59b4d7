/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/http/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"

#define BACKLOG 4096
#define KEEPALIVE_IDLE_S 120
#define KEEPALIVE_INTERVAL_S 15

static struct sockaddr_in *v4(const kin__address *address)
{
    return (struct sockaddr_in *)(void *)&((kin__address *)kin__unconst(address))->storage;
}

static struct sockaddr_in6 *v6(const kin__address *address)
{
    return (struct sockaddr_in6 *)(void *)&((kin__address *)kin__unconst(address))->storage;
}

int kin__address_parse(kin__address *ret, const char *text, uint16_t port, kin_error *err)
{
    char host[INET6_ADDRSTRLEN + 2];
    size_t len = strlen(text);
    kin__address address = {.len = 0};

    if (len > 1 && text[0] == '[' && text[len - 1] == ']') {
        text++;
        len -= 2;
    }
    if (len >= sizeof(host))
        return kin_error_set(err, KIN_EINVAL, "%s is no IP address", text);
    memcpy(host, text, len);
    host[len] = '\0';
    if (inet_pton(AF_INET, host, &v4(&address)->sin_addr) == 1) {
        address.storage.ss_family = AF_INET;
        address.len = sizeof(struct sockaddr_in);
    } else if (inet_pton(AF_INET6, host, &v6(&address)->sin6_addr) == 1) {
        address.storage.ss_family = AF_INET6;
        address.len = sizeof(struct sockaddr_in6);
    } else {
        return kin_error_set(err, KIN_EINVAL, "%s is no IP address", host);
    }
    kin__address_set_port(&address, port);
    *ret = address;
    return 0;
}

bool kin__address_is_loopback(const kin__address *address)
{
    if (address->storage.ss_family == AF_INET)
        return ntohl(v4(address)->sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&v6(address)->sin6_addr);
}

bool kin__address_is_any(const kin__address *address)
{
    if (address->storage.ss_family == AF_INET)
        return v4(address)->sin_addr.s_addr == htonl(INADDR_ANY);
    return IN6_IS_ADDR_UNSPECIFIED(&v6(address)->sin6_addr);
}

uint16_t kin__address_port(const kin__address *address)
{
    /* Both families have the port in the same place. */
    return ntohs(v4(address)->sin_port);
}

void kin__address_set_port(kin__address *address, uint16_t port)
{
    v4(address)->sin_port = htons(port);
}

bool kin__address_same_host(const kin__address *a, const kin__address *b)
{
    if (a->storage.ss_family != b->storage.ss_family)
        return false;
    if (a->storage.ss_family == AF_INET)
        return v4(a)->sin_addr.s_addr == v4(b)->sin_addr.s_addr;
    return memcmp(&v6(a)->sin6_addr, &v6(b)->sin6_addr, sizeof(struct in6_addr)) == 0;
}

void kin__address_host(const kin__address *address, bool for_url, char *buf, size_t size)
{
    char host[INET6_ADDRSTRLEN] = "";

    if (address->storage.ss_family == AF_INET) {
        (void)inet_ntop(AF_INET, &v4(address)->sin_addr, host, sizeof(host));
        snprintf(buf, size, "%s", host);
    } else {
        (void)inet_ntop(AF_INET6, &v6(address)->sin6_addr, host, sizeof(host));
        snprintf(buf, size, for_url ? "[%s]" : "%s", host);
    }
}

static int bind_to(int fd, kin__address *address, kin_error *err)
{
    int on = 1;

    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, (struct sockaddr *)&address->storage, address->len) != 0)
        return kin__error_system(err, errno, "bind");
    if (getsockname(fd, (struct sockaddr *)&address->storage, &address->len) != 0)
        return kin__error_system(err, errno, "getsockname");
    return 0;
}

static int bind_and_listen(int fd, kin__address *address, kin_error *err)
{
    int on = 1;
    int idle_s = KEEPALIVE_IDLE_S;
    int interval_s = KEEPALIVE_INTERVAL_S;
    int code;

    /*
     * Accepted sockets inherit these: small answers go at once, and a client that has vanished
     * without a word does not keep its watch for ever.
     */
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof(interval_s));
    code = bind_to(fd, address, err);
    if (code == 0 && listen(fd, BACKLOG) != 0)
        code = kin__error_system(err, errno, "listen");
    return code;
}

typedef int prepare_fn(int fd, kin__address *address, kin_error *err);

static int open_socket(int *ret, prepare_fn *prepare, kin__address *address, kin_error *err)
{
    int fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return kin__error_system(err, errno, "socket");
    int code = prepare(fd, address, err);
    if (code < 0) {
        close(fd);
        return code;
    }
    *ret = fd;
    return 0;
}

int kin__socket_listen(int *ret, kin__address *address, kin_error *err)
{
    return open_socket(ret, bind_and_listen, address, err);
}

int kin__socket_reserve(int *ret, kin__address *address, kin_error *err)
{
    return open_socket(ret, bind_to, address, err);
}

void kin__socket_reset(int fd)
{
    /* To connect to nothing is to disconnect, which Linux does with a reset. */
    const struct sockaddr nobody = {.sa_family = AF_UNSPEC};

    (void)connect(fd, &nobody, sizeof(nobody));
}
