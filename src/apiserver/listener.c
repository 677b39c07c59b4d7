/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/listener.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/process.h"

struct kin__listener {
    kin__fork_guard guard;
    kin__pulse *pulse;
    kin__mutex lock;
    kin__address address; /* (lock) */
    int fd;               /* (lock) -1: closed */
};

static int open_locked(kin__listener *listener, kin_error *err) KIN_REQUIRES(listener->lock)
{
    int fd = -1;
    int code = kin__socket_listen(&fd, &listener->address, err);

    if (code < 0)
        return code;
    code = kin__pulse_listen(listener->pulse, fd, err);
    if (code < 0)
        close(fd);
    else
        listener->fd = fd;
    return code;
}

int kin__listener_open(kin__listener *listener, kin_error *err)
{
    int code = 0;

    kin__mutex_lock(&listener->lock);
    if (listener->fd < 0)
        code = open_locked(listener, err);
    kin__mutex_unlock(&listener->lock);
    return code;
}

void kin__listener_close(kin__listener *listener)
{
    kin__mutex_lock(&listener->lock);
    if (listener->fd >= 0) {
        kin__pulse_unlisten(listener->pulse, listener->fd);
        /* A forked child that has it open would keep the port, and let clients wait at it. */
        shutdown(listener->fd, SHUT_RDWR);
        close(listener->fd);
    }
    listener->fd = -1;
    kin__mutex_unlock(&listener->lock);
}

int kin__listener_new(kin__listener **ret, kin__pulse *pulse, kin__address *address, kin_error *err)
{
    kin__listener *listener = kin__calloc(1, sizeof(*listener));

    if (!listener)
        return kin__error_no_memory(err);
    int code = kin__fork_guard_init(&listener->guard, err);
    if (code < 0) {
        kin__free(listener);
        return code;
    }
    kin__mutex_init(&listener->lock, KIN__RANK_API_LISTENER);
    listener->pulse = pulse;
    listener->address = *address;
    listener->fd = -1;
    code = kin__listener_open(listener, err);
    if (code < 0) {
        kin__listener_free(listener);
        return code;
    }
    *address = listener->address;
    *ret = listener;
    return 0;
}

void kin__listener_free(kin__listener *listener)
{
    if (!listener)
        return;
    if (kin__fork_guard_check(&listener->guard, NULL) == 0) {
        kin__listener_close(listener);
        kin__mutex_done(&listener->lock);
    } else if (listener->fd >= 0) {
        close(listener->fd); /* this copy of it */
    }
    kin__free(listener);
}

int kin__listener_accept(kin__listener *listener, kin__address *ret_peer)
{
    int fd = -1;

    kin__mutex_lock(&listener->lock);
    errno = EAGAIN;
    if (listener->fd >= 0) {
        ret_peer->len = sizeof(ret_peer->storage);
        fd = accept4(listener->fd, (struct sockaddr *)&ret_peer->storage, &ret_peer->len,
                     SOCK_CLOEXEC | SOCK_NONBLOCK);
    }
    kin__mutex_unlock(&listener->lock);
    return fd;
}
