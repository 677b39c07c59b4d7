/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults that bite behind some bytes bite at the end of a shorter body, so that a test which asks
 * for one gets one.
 */
#include "apiserver/fault_source.h"

#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"

#define GARBAGE "\xff\xfe}\x01{\"\xc0\x80]\\u12\x7f\x80["
#define GARBAGE_LEN 16u

_Static_assert(sizeof(GARBAGE) - 1 == GARBAGE_LEN, "as the header says");

struct fault_source {
    kin__source source;
    kin__source *inner;
    kin_fault fault;
    kin__fault_wire wire;
    kin__pulse_timer timer; /* of KIN_FAULT_DRIP */
    _Atomic bool is_time;   /* the timer has fired */
    uint64_t given;         /* bytes of the body so far; of KIN_FAULT_DRIP in this interval */
};

static struct fault_source *of(kin__source *source)
{
    return kin__container_of(source, struct fault_source, source);
}

static void forward_wake(void *arg)
{
    struct fault_source *fault = arg;

    fault->source.wake(fault->source.wake_arg);
}

static void interval_over(kin__pulse_timer *timer)
{
    struct fault_source *fault = kin__container_of(timer, struct fault_source, timer);

    fault->is_time = true;
    forward_wake(fault);
}

static enum kin__source_result bite(struct fault_source *fault)
{
    switch (fault->fault.type) {
    case KIN_FAULT_RESET:
        fault->wire.reset(fault->wire.arg);
        return KIN__SOURCE_ABORT;
    case KIN_FAULT_TRUNCATE:
        fault->wire.truncate(fault->wire.arg);
        return KIN__SOURCE_ABORT;
    default:
        return KIN__SOURCE_WAIT; /* and nothing will ever wake it */
    }
}

static enum kin__source_result read_until(kin__source *source, char *buf, size_t size,
                                          size_t *ret_len)
{
    struct fault_source *fault = of(source);
    uint64_t left = fault->fault.bytes - fault->given;

    if (left == 0)
        return bite(fault);
    if (size > left)
        size = (size_t)left;
    enum kin__source_result result = fault->inner->read(fault->inner, buf, size, ret_len);
    if (result == KIN__SOURCE_END) {
        fault->given = fault->fault.bytes;
        return bite(fault);
    }
    if (result == KIN__SOURCE_DATA)
        fault->given += *ret_len;
    return result;
}

static enum kin__source_result read_drip(kin__source *source, char *buf, size_t size,
                                         size_t *ret_len)
{
    struct fault_source *fault = of(source);

    if (fault->is_time) {
        fault->is_time = false;
        fault->given = 0;
    }
    uint64_t left = fault->fault.bytes - fault->given;
    if (left == 0)
        return KIN__SOURCE_WAIT;
    if (size > left)
        size = (size_t)left;
    enum kin__source_result result = fault->inner->read(fault->inner, buf, size, ret_len);
    if (result != KIN__SOURCE_DATA)
        return result;
    fault->given += *ret_len;
    if (fault->given == fault->fault.bytes &&
        kin__pulse_set_ms(fault->wire.pulse, &fault->timer, fault->fault.interval_ms) < 0)
        return KIN__SOURCE_ABORT;
    return KIN__SOURCE_DATA;
}

static enum kin__source_result read_garbage(kin__source *source, char *buf, size_t size,
                                            size_t *ret_len)
{
    struct fault_source *fault = of(source);
    enum kin__source_result result = fault->inner->read(fault->inner, buf, size, ret_len);

    if (result != KIN__SOURCE_DATA)
        return result;
    for (size_t i = 0; i < *ret_len; i++) {
        uint64_t at = fault->given + i;

        if (at >= fault->fault.bytes && at - fault->fault.bytes < GARBAGE_LEN)
            buf[i] = GARBAGE[at - fault->fault.bytes];
    }
    fault->given += *ret_len;
    return result;
}

static enum kin__source_result read_oversize(kin__source *source, char *buf, size_t size,
                                             size_t *ret_len)
{
    struct fault_source *fault = of(source);
    uint64_t left = fault->fault.bytes - fault->given;

    if (left == 0)
        return fault->inner->read(fault->inner, buf, size, ret_len);
    *ret_len = left < size ? (size_t)left : size;
    memset(buf, ' ', *ret_len);
    fault->given += *ret_len;
    return KIN__SOURCE_DATA;
}

static void close_fault(kin__source *source)
{
    struct fault_source *fault = of(source);

    kin__pulse_cancel(fault->wire.pulse, &fault->timer);
    fault->inner->close(fault->inner);
    kin__free(fault);
}

bool kin__fault_is_of_body(const kin_fault *fault)
{
    switch (fault->type) {
    case KIN_FAULT_RESET:
    case KIN_FAULT_STALL:
    case KIN_FAULT_DRIP:
    case KIN_FAULT_TRUNCATE:
    case KIN_FAULT_GARBAGE:
    case KIN_FAULT_OVERSIZE:
        return true;
    default:
        return false;
    }
}

int kin__fault_source_new(kin__source **ret, kin__source *inner, const kin_fault *fault,
                          const kin__fault_wire *wire)
{
    struct fault_source *made = kin__calloc(1, sizeof(*made));

    if (!made)
        return KIN_ENOMEM;
    made->source.read = fault->type == KIN_FAULT_DRIP       ? read_drip
                        : fault->type == KIN_FAULT_GARBAGE  ? read_garbage
                        : fault->type == KIN_FAULT_OVERSIZE ? read_oversize
                                                            : read_until;
    made->source.close = close_fault;
    made->inner = inner;
    made->fault = *fault;
    made->wire = *wire;
    made->timer.fire = interval_over;
    kin__timer_init(&made->timer.timer);
    inner->wake = forward_wake;
    inner->wake_arg = made;
    *ret = &made->source;
    return 0;
}
