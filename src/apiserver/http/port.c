/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/http/port.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/process.h"

struct kin__port {
    kin__fork_guard guard;
    kin__pulse *pulse;
    kin__mutex lock;
    kin__address address; /* (lock) */
    int fd;               /* (lock) -1: closed */
};

static int open_locked(kin__port *port, kin_error *err) KIN_REQUIRES(port->lock)
{
    int fd = -1;
    int code = kin__socket_listen(&fd, &port->address, err);

    if (code < 0)
        return code;
    code = kin__pulse_listen(port->pulse, fd, err);
    if (code < 0)
        close(fd);
    else
        port->fd = fd;
    return code;
}

int kin__port_open(kin__port *port, kin_error *err)
{
    int code = 0;

    kin__mutex_lock(&port->lock);
    if (port->fd < 0)
        code = open_locked(port, err);
    kin__mutex_unlock(&port->lock);
    return code;
}

void kin__port_close(kin__port *port)
{
    kin__mutex_lock(&port->lock);
    if (port->fd >= 0) {
        kin__pulse_unlisten(port->pulse, port->fd);
        /* A forked child that has it open would keep the port, and let clients wait at it. */
        shutdown(port->fd, SHUT_RDWR);
        close(port->fd);
    }
    port->fd = -1;
    kin__mutex_unlock(&port->lock);
}

int kin__port_new(kin__port **ret, kin__pulse *pulse, kin__address *address, kin_error *err)
{
    kin__port *port = kin__calloc(1, sizeof(*port));

    if (!port)
        return kin__error_no_memory(err);
    int code = kin__fork_guard_init(&port->guard, err);
    if (code < 0) {
        kin__free(port);
        return code;
    }
    kin__mutex_init(&port->lock, KIN__RANK_API_LISTENER);
    port->pulse = pulse;
    port->address = *address;
    port->fd = -1;
    code = kin__port_open(port, err);
    if (code < 0) {
        kin__port_free(port);
        return code;
    }
    *address = port->address;
    *ret = port;
    return 0;
}

void kin__port_free(kin__port *port)
{
    if (!port)
        return;
    if (kin__fork_guard_check(&port->guard, NULL) == 0) {
        kin__port_close(port);
        kin__mutex_done(&port->lock);
    } else if (port->fd >= 0) {
        close(port->fd); /* this copy of it */
    }
    kin__free(port);
}

int kin__port_accept(kin__port *port, kin__address *ret_peer)
{
    int fd = -1;

    kin__mutex_lock(&port->lock);
    errno = EAGAIN;
    if (port->fd >= 0) {
        ret_peer->len = sizeof(ret_peer->storage);
        fd = accept4(port->fd, (struct sockaddr *)&ret_peer->storage, &ret_peer->len,
                     SOCK_CLOEXEC | SOCK_NONBLOCK);
    }
    kin__mutex_unlock(&port->lock);
    return fd;
}
