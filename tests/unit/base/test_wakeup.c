/* SPDX-License-Identifier: Apache-2.0 */
#include "kin_test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/thread.h"
#include "base/wakeup.h"
#include "child.h"

static bool is_readable(const kin__wakeup *w)
{
    struct pollfd p = {.fd = w->fd, .events = POLLIN};

    return poll(&p, 1, 0) == 1;
}

/* The counter of the eventfd: how many signals were written. Empties it. */
static uint64_t written(const kin__wakeup *w)
{
    uint64_t count = 0;

    return read(w->fd, &count, sizeof(count)) == (ssize_t)sizeof(count) ? count : 0;
}

static void it_is_readable_between_signal_and_clear(void **state)
{
    kin__wakeup w;

    (void)state;
    assert_code(kin__wakeup_init(&w, NULL), 0);
    assert_false(is_readable(&w));
    assert_false(kin__wakeup_clear(&w));
    kin__wakeup_signal(&w);
    assert_true(is_readable(&w));
    assert_true(kin__wakeup_clear(&w));
    assert_false(is_readable(&w));
    assert_false(kin__wakeup_clear(&w));
    kin__wakeup_signal(&w);
    assert_true(is_readable(&w));
    kin__wakeup_done(&w);
    kin__wakeup_done(&w); /* harmless */
}

static void many_signals_are_one_write(void **state)
{
    kin__wakeup w;

    (void)state;
    assert_code(kin__wakeup_init(&w, NULL), 0);
    for (int i = 0; i < 1000; i++)
        kin__wakeup_signal(&w);
    assert_int_equal(written(&w), 1);
    kin__wakeup_done(&w);
}

static void the_descriptor_is_close_on_exec_and_does_not_block(void **state)
{
    kin__wakeup w;

    (void)state;
    assert_code(kin__wakeup_init(&w, NULL), 0);
    assert_true(fcntl(w.fd, F_GETFD) & FD_CLOEXEC);
    assert_true(fcntl(w.fd, F_GETFL) & O_NONBLOCK);
    kin__wakeup_done(&w);
}

static void signalling_keeps_errno(void **state)
{
    kin__wakeup w;

    (void)state;
    assert_code(kin__wakeup_init(&w, NULL), 0);
    errno = EDOM;
    kin__wakeup_signal(&w);
    kin__wakeup_signal(&w);
    assert_int_equal(errno, EDOM);
    kin__wakeup_done(&w);
}

static int init_without_descriptors(void *arg)
{
    const struct rlimit none = {0, 0};
    kin_error err = KIN_ERROR_INIT;
    kin__wakeup w = {.fd = -5};

    (void)arg;
    if (setrlimit(RLIMIT_NOFILE, &none) < 0)
        return 1;
    if (kin__wakeup_init(&w, &err) != KIN_ESYSTEM || err.os_error != EMFILE)
        return 2;
    return w.fd == -5 && strstr(err.message, "eventfd") ? 0 : 3;
}

static void running_out_of_descriptors_is_an_error(void **state)
{
    kin_test_child child;

    (void)state;
    kin_test_run_child(&child, init_without_descriptors, NULL);
    assert_int_equal(child.exit_code, 0);
}

/* Work is announced by a counter; the sleeper must see all of it without a timeout. */
#define ROUNDS 20000

struct shared {
    kin__wakeup wakeup;
    _Atomic unsigned posted;
};

static void post(void *arg)
{
    struct shared *s = arg;

    for (unsigned i = 0; i < ROUNDS; i++) {
        atomic_fetch_add_explicit(&s->posted, 1, memory_order_relaxed);
        kin__wakeup_signal(&s->wakeup);
    }
}

static void no_signal_is_lost(void **state)
{
    struct shared s;
    kin__thread threads[2] = {KIN__THREAD_INIT, KIN__THREAD_INIT};
    unsigned seen = 0;

    (void)state;
    assert_code(kin__wakeup_init(&s.wakeup, NULL), 0);
    atomic_init(&s.posted, 0);
    for (int i = 0; i < 2; i++)
        assert_code(kin__thread_start(&threads[i], "kin-post", post, &s, NULL), 0);
    while (seen < 2 * ROUNDS) {
        struct pollfd p = {.fd = s.wakeup.fd, .events = POLLIN};

        assert_int_equal(poll(&p, 1, KIN_TEST_TIMEOUT_MS), 1);
        kin__wakeup_clear(&s.wakeup);
        seen = atomic_load_explicit(&s.posted, memory_order_relaxed);
    }
    for (int i = 0; i < 2; i++)
        assert_code(kin__thread_join(&threads[i], NULL), 0);
    kin__wakeup_done(&s.wakeup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_readable_between_signal_and_clear),
        cmocka_unit_test(many_signals_are_one_write),
        cmocka_unit_test(the_descriptor_is_close_on_exec_and_does_not_block),
        cmocka_unit_test(signalling_keeps_errno),
        cmocka_unit_test(running_out_of_descriptors_is_an_error),
        cmocka_unit_test(no_signal_is_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
