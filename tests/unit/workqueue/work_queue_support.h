/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of a work queue in one thread have in common. Time is a fake clock's.
 */
#ifndef KIN_TEST_WORK_QUEUE_SUPPORT_H
#define KIN_TEST_WORK_QUEUE_SUPPORT_H

#include "kin_test.h"
#include "kinform/work_queue.h"

#include <poll.h>
#include <string.h>

#include "base/clock.h"

static kin_clock *fake;

static inline int set_up(void **state)
{
    (void)state;
    return kin_clock_new_fake(&fake, 0, NULL);
}

static inline int tear_down(void **state)
{
    (void)state;
    kin_clock_unref(fake);
    return 0;
}

static inline kin_work_queue *new_with(kin_work_queue_options options)
{
    kin_work_queue *queue = NULL;

    options.clock = fake;
    assert_code(kin_work_queue_new(&queue, &options, NULL), 0);
    return queue;
}

static inline kin_work_queue *new_queue(void)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;

    return new_with(options);
}

static inline void add(kin_work_queue *queue, const char *key)
{
    assert_code(kin_work_queue_add(queue, kin_str_of(key), NULL), 0);
}

static inline void add_low(kin_work_queue *queue, const char *key)
{
    kin_work_add how = KIN_WORK_ADD_INIT;

    how.priority = KIN_WORK_LOW;
    assert_code(kin_work_queue_add_with(queue, kin_str_of(key), &how, NULL), 0);
}

static inline void add_after(kin_work_queue *queue, const char *key, int64_t ns)
{
    assert_code(kin_work_queue_add_after(queue, kin_str_of(key), ns, NULL), 0);
}

static inline void advance(int64_t ns)
{
    assert_code(kin_clock_advance(fake, ns, NULL), 0);
}

/* The next is this one; the caller is done with it some time. */
static inline kin_work_item *expect(kin_work_queue *queue, const char *key)
{
    kin_work_item *item = NULL;

    assert_code(kin_work_queue_get(queue, &item, 0, NULL), 0);
    assert_string_equal(kin_work_item_key(item).data, key);
    assert_int_equal(kin_work_item_key(item).len, strlen(key));
    return item;
}

static inline void expect_and_done(kin_work_queue *queue, const char *key)
{
    kin_work_queue_done(queue, expect(queue, key));
}

static inline void expect_nothing(kin_work_queue *queue, int code)
{
    kin_work_item *item = (kin_work_item *)(uintptr_t)1;

    assert_code(kin_work_queue_get(queue, &item, 0, NULL), code);
    assert_ptr_equal(item, (kin_work_item *)(uintptr_t)1);
}

static inline kin_work_queue_stats stats(kin_work_queue *queue)
{
    kin_work_queue_stats ret = KIN_WORK_QUEUE_STATS_INIT;

    assert_code(kin_work_queue_get_stats(queue, &ret, NULL), 0);
    return ret;
}

static inline bool readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, 0) == 1;
}

#define test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
