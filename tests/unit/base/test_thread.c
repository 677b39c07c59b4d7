/* SPDX-License-Identifier: Apache-2.0 */
#include "kin_test.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "alloc.h"
#include "base/thread.h"
#include "child.h"
#include "oom.h"

/* What a thread saw of itself. */
struct report {
    char name[32];
    sigset_t blocked;
    size_t stack_size;
    bool is_current;
    bool other_is_current;
    kin__thread thread;
    kin__thread *other;
};

static void look_around(void *arg)
{
    struct report *r = arg;
    pthread_attr_t attr;

    pthread_getname_np(pthread_self(), r->name, sizeof(r->name));
    pthread_sigmask(SIG_BLOCK, NULL, &r->blocked);
    pthread_getattr_np(pthread_self(), &attr);
    pthread_attr_getstacksize(&attr, &r->stack_size);
    pthread_attr_destroy(&attr);
}

static void run_report(struct report *r, const char *name)
{
    memset(r, 0, sizeof(*r));
    assert_code(kin__thread_start(&r->thread, name, look_around, r, NULL), 0);
    assert_code(kin__thread_join(&r->thread, NULL), 0);
}

static void threads_carry_their_name(void **state)
{
    struct report r;

    (void)state;
    run_report(&r, "kin-short");
    assert_string_equal(r.name, "kin-short");
    run_report(&r, "kin-a-name-that-is-too-long");
    assert_string_equal(r.name, "kin-a-name-that");
}

static void threads_are_deaf_to_signals_but_not_to_their_own_faults(void **state)
{
    static const int blocked[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE, SIGALRM, SIGUSR1};
    static const int open[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t before;
    sigset_t after;
    struct report r;

    (void)state;
    sigemptyset(&before);
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    run_report(&r, "kin-signals");
    for (size_t i = 0; i < sizeof(blocked) / sizeof(blocked[0]); i++)
        assert_int_equal(sigismember(&r.blocked, blocked[i]), 1);
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++)
        assert_int_equal(sigismember(&r.blocked, open[i]), 0);
    /* The caller's own mask is as before. */
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    for (int s = 1; s < SIGRTMIN; s++)
        assert_int_equal(sigismember(&before, s), sigismember(&after, s));
}

static void the_stack_size_is_settable(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    struct report r;

    (void)state;
    run_report(&r, "kin-default");
    size_t system_default = r.stack_size;
    assert_code(kin_set_thread_stack_size(1024 * 1024 + 1, NULL), 0);
    run_report(&r, "kin-small");
    assert_in_range(r.stack_size, 1024 * 1024 + 1, 1024 * 1024 + 128 * 1024);
    assert_code(kin_set_thread_stack_size(1000, &err), KIN_EINVAL);
    assert_non_null(strstr(err.message, "too small"));
    assert_code(kin_set_thread_stack_size(SIZE_MAX, &err), KIN_EINVAL);
    assert_non_null(strstr(err.message, "too large"));
    run_report(&r, "kin-same"); /* refused sizes change nothing */
    assert_in_range(r.stack_size, 1024 * 1024 + 1, 1024 * 1024 + 128 * 1024);
    assert_code(kin_set_thread_stack_size(0, NULL), 0);
    run_report(&r, "kin-default");
    assert_int_equal(r.stack_size, system_default);
}

static void compare_identities(void *arg)
{
    struct report *r = arg;

    r->is_current = kin__thread_is_current(&r->thread);
    r->other_is_current = kin__thread_is_current(r->other);
}

static void a_thread_knows_itself(void **state)
{
    kin__thread never = KIN__THREAD_INIT;
    struct report r;

    (void)state;
    memset(&r, 0, sizeof(r));
    r.other = &never;
    assert_code(kin__thread_start(&r.thread, "kin-self", compare_identities, &r, NULL), 0);
    assert_false(kin__thread_is_current(&r.thread));
    assert_code(kin__thread_join(&r.thread, NULL), 0);
    assert_true(r.is_current);
    assert_false(r.other_is_current);
    assert_false(kin__thread_is_current(&r.thread));
}

static void joining_what_never_started_does_nothing(void **state)
{
    kin__thread thread = KIN__THREAD_INIT;

    (void)state;
    assert_code(kin__thread_join(&thread, NULL), 0);
    assert_code(kin__thread_join(&thread, NULL), 0);
}

static void do_nothing(void *arg)
{
    (void)arg;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/* Sanitizers map terabytes: no limit on the address space can be set beside them. */
#define ADDRESS_SPACE_IS_LIMITABLE 0
#else
#define ADDRESS_SPACE_IS_LIMITABLE 1

/* A stack larger than the address space that is left: the system refuses the thread. */
static int start_without_address_space(void *arg)
{
    const struct rlimit small = {(rlim_t)512 << 20, (rlim_t)512 << 20};
    kin_error err = KIN_ERROR_INIT;
    kin__thread thread = KIN__THREAD_INIT;

    (void)arg;
    if (kin_set_thread_stack_size((size_t)1 << 30, NULL) < 0 || setrlimit(RLIMIT_AS, &small) < 0)
        return 1;
    int code = kin__thread_start(&thread, "kin-refused", do_nothing, NULL, &err);
    if (code != KIN_ESYSTEM && code != KIN_ENOMEM)
        return 2;
    if (err.code != code || err.os_error == 0 || !strstr(err.message, "starting a thread"))
        return 3;
    if (thread.started || kin_test_alloc_live() != 0)
        return 4;
    return 0;
}

static void a_refused_thread_is_an_error_and_leaves_nothing(void **state)
{
    kin_test_child child;

    (void)state;
    kin_test_run_child(&child, start_without_address_space, NULL);
    assert_int_equal(child.exit_code, 0);
}
#endif

static int start_and_join(void *arg, kin_error *err)
{
    kin__thread thread = KIN__THREAD_INIT;
    int code = kin__thread_start(&thread, "kin-oom", do_nothing, NULL, err);

    (void)arg;
    kin__thread_join(&thread, NULL);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(start_and_join, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_carry_their_name),
        cmocka_unit_test(threads_are_deaf_to_signals_but_not_to_their_own_faults),
        cmocka_unit_test(the_stack_size_is_settable),
        cmocka_unit_test(a_thread_knows_itself),
        cmocka_unit_test(joining_what_never_started_does_nothing),
#if ADDRESS_SPACE_IS_LIMITABLE
        cmocka_unit_test(a_refused_thread_is_an_error_and_leaves_nothing),
#endif
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
