/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work queue: the descriptor for poll().
 *
 * It is a timerfd, which can say all there is to say: set to a time that has passed it is readable
 * until it is set again, set to the first timer's it becomes readable by itself, and not set it is
 * not readable. It is set under the lock whenever what it should say changes, and costs a system
 * call only then.
 *
 * A fake clock's time means nothing to the kernel. There, a waiter of the clock makes it readable.
 * That can be once too often, when somebody took the key at the same moment; whoever polls then
 * finds nothing, and with that it is set right.
 */
#include "workqueue/work_queue.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/error.h"

/* What it can be set to, besides a time of the clock. */
#define NEVER INT64_MAX
#define NOW INT64_C(0)

static void set(int fd, int64_t at)
{
    struct itimerspec spec = {{0, 0}, {0, 0}};

    if (at == NOW) {
        spec.it_value.tv_nsec = 1;
    } else if (at != NEVER) {
        spec.it_value.tv_sec = (time_t)(at / KIN__SECOND);
        spec.it_value.tv_nsec = (long)(at % KIN__SECOND);
    }
    (void)timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL); /* can't fail for such values */
}

/*
 * Runs in the thread that moves a fake clock. It needs no lock: until it has returned nobody ends
 * the wait, and with that nobody else sets the descriptor.
 */
static void notify(kin__clock_waiter *waiter)
{
    const kin_work_queue *queue = kin__container_of(waiter, kin_work_queue, waiter);

    set(queue->fd, NOW);
}

/* Have the fake clock tell when `at` has come. False: not now, notify() is under way. */
static bool wait_fake_locked(kin_work_queue *queue, int64_t at) KIN_REQUIRES(queue->lock)
{
    if (queue->waiter_begun && !kin__clock_wait_try_end(queue->clock, &queue->waiter))
        return false;
    queue->waiter_begun = false;
    if (at != NOW && at != NEVER) {
        queue->waiter.deadline = at;
        queue->waiter.notify = notify;
        queue->waiter_begun = kin__clock_wait_begin(queue->clock, &queue->waiter);
        at = queue->waiter_begun ? NEVER : NOW;
    }
    set(queue->fd, at);
    return true;
}

void kin__work_fd_set_locked(kin_work_queue *queue)
{
    int64_t at = NOW;

    if (queue->n_queued == 0 && !queue->shut_down)
        at = kin__timers_next(&queue->timers);
    if (at == queue->fd_at)
        return;
    if (!kin__clock_is_fake(queue->clock))
        set(queue->fd, at);
    else if (!wait_fake_locked(queue, at))
        return;
    queue->fd_at = at;
}

int kin_work_queue_fd(kin_work_queue *queue, int *ret, kin_error *err)
{
    int code = kin__work_queue_check(queue, err);
    int os_error = 0;

    if (code < 0)
        return code;
    if (!ret)
        return kin__error_null(err, "ret");
    kin__quick_lock_take(&queue->lock);
    if (queue->fd < 0) {
        queue->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
        os_error = queue->fd < 0 ? errno : 0;
        queue->fd_at = NEVER;
        queue->plain = false;
    }
    kin__work_fd_locked(queue);
    int fd = queue->fd;
    kin__quick_lock_give(&queue->lock);
    if (os_error)
        return kin__error_system(err, os_error, "timerfd_create");
    *ret = fd;
    return 0;
}

void kin__work_fd_done(kin_work_queue *queue)
{
    if (queue->fd < 0)
        return;
    if (queue->waiter_begun && kin__fork_guard_check(&queue->guard, NULL) == 0)
        kin__clock_wait_end(queue->clock, &queue->waiter);
    close(queue->fd);
}
