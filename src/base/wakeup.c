/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A coalesced eventfd.
 *
 * The order in clear() matters: the descriptor is emptied before `pending` is reset.
 * The other way round, a signal between the two would be written, then emptied, and
 * `pending` would stay set over an empty descriptor: no later signal would wake.
 * As it is, a signal that comes before the reset is part of this round; the exchange
 * makes the signaller's writes visible to the sleeper.
 */
#include "base/wakeup.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"

int kin__wakeup_init(kin__wakeup *wakeup, kin_error *err)
{
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    if (fd < 0)
        return kin__error_system(err, errno, "eventfd");
    wakeup->fd = fd;
    atomic_init(&wakeup->pending, false);
    return 0;
}

void kin__wakeup_done(kin__wakeup *wakeup)
{
    if (wakeup->fd >= 0)
        close(wakeup->fd);
    wakeup->fd = -1;
}

void kin__wakeup_signal(kin__wakeup *wakeup)
{
    const uint64_t one = 1;
    int saved = errno;

    if (atomic_exchange_explicit(&wakeup->pending, true, memory_order_acq_rel))
        return;
    while (write(wakeup->fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
    errno = saved;
}

bool kin__wakeup_clear(kin__wakeup *wakeup)
{
    uint64_t count;

    while (read(wakeup->fd, &count, sizeof(count)) < 0 && errno == EINTR)
        ;
    return atomic_exchange_explicit(&wakeup->pending, false, memory_order_acq_rel);
}
