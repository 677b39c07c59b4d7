/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults that bite behind some bytes bite at the end of a shorter body, so that a test which asks
 * for one gets one.
 */
#include "apiserver/http/fault_source.h"

#include <string.h>

#include "apiserver/faults/faults.h"
#include "apiserver/protocol/encode_protobuf.h"
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
    kin_str marker;         /* of KIN_FAULT_OVERSIZE_OBJECT: what ends where an object begins */
    size_t matched;         /* bytes of it that were just given; of protobuf, of its prefix */
    size_t padding_len; /* of the head of the field that makes protobuf too large; 0: not begun */
    char padding[KIN__PB_HEAD_MAX];
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

/* Behind which text the first object begins. */
static kin_str marker_of(const char *verb)
{
    return kin_str_of(strcmp(verb, "list") == 0    ? "\"items\":[{"
                      : strcmp(verb, "watch") == 0 ? "\"object\":{"
                                                   : "{");
}

/* White space does not count, because the client may have asked for it. */
static void match(struct fault_source *fault, char c)
{
    if (c == ' ' || c == '\n')
        return;
    if (fault->marker.data[fault->matched] != c)
        fault->matched = 0;
    if (fault->marker.data[fault->matched] == c)
        fault->matched++;
}

/* One byte at a time, so that nothing was read of what comes behind the marker. */
static enum kin__source_result read_to_marker(struct fault_source *fault, char *buf, size_t size,
                                              size_t *ret_len)
{
    enum kin__source_result result = KIN__SOURCE_DATA;
    size_t len = 0;

    while (len < size && fault->matched < fault->marker.len && result == KIN__SOURCE_DATA) {
        size_t n = 0;

        result = fault->inner->read(fault->inner, buf + len, 1, &n);
        if (result == KIN__SOURCE_DATA)
            match(fault, buf[len]);
        len += n;
    }
    *ret_len = len;
    return len > 0 ? KIN__SOURCE_DATA : result; /* it says so again the next time */
}

/* The next byte of the member that makes the object too large. */
static char next_of_padding(struct fault_source *fault)
{
    const kin_str begin = kin_str_of(KIN__PADDING_BEGIN);
    uint64_t at = fault->given++;

    if (at < begin.len)
        return begin.data[at];
    at -= begin.len;
    if (at < fault->fault.bytes)
        return 'x';
    return KIN__PADDING_END[at - fault->fault.bytes];
}

static enum kin__source_result read_oversize_object(kin__source *source, char *buf, size_t size,
                                                    size_t *ret_len)
{
    struct fault_source *fault = of(source);
    uint64_t total = strlen(KIN__PADDING_BEGIN) + fault->fault.bytes + strlen(KIN__PADDING_END);

    if (fault->matched < fault->marker.len)
        return read_to_marker(fault, buf, size, ret_len);
    if (fault->given == total)
        return fault->inner->read(fault->inner, buf, size, ret_len);
    for (*ret_len = 0; *ret_len < size && fault->given < total; ++*ret_len)
        buf[*ret_len] = next_of_padding(fault);
    return KIN__SOURCE_DATA;
}

/* The head of the field that makes a body in protobuf too large, once its prefix was given. */
static enum kin__source_result begin_padding(struct fault_source *fault, char *buf, size_t size,
                                             size_t *ret_len)
{
    size_t left = KIN__PROTOBUF_PREFIX_LEN - fault->matched;
    enum kin__source_result result;

    if (left == 0) {
        fault->padding_len = kin__protobuf_padding_head(fault->padding, fault->fault.bytes);
        *ret_len = 0;
        return KIN__SOURCE_DATA;
    }
    result = fault->inner->read(fault->inner, buf, size < left ? size : left, ret_len);
    if (result == KIN__SOURCE_DATA)
        fault->matched += *ret_len;
    return result;
}

/* A field that clients step over, after the prefix. */
static enum kin__source_result read_oversize_protobuf(kin__source *source, char *buf, size_t size,
                                                      size_t *ret_len)
{
    struct fault_source *fault = of(source);
    enum kin__source_result result;

    if (fault->padding_len == 0) {
        result = begin_padding(fault, buf, size, ret_len);
        if (result != KIN__SOURCE_DATA || *ret_len > 0)
            return result;
    }
    if (fault->given == fault->padding_len + fault->fault.bytes)
        return fault->inner->read(fault->inner, buf, size, ret_len);
    for (*ret_len = 0; *ret_len < size && fault->given < fault->padding_len + fault->fault.bytes;
         ++*ret_len, fault->given++) {
        char c = 'x';

        if (fault->given < fault->padding_len)
            c = fault->padding[fault->given];
        buf[*ret_len] = c;
    }
    return KIN__SOURCE_DATA;
}

static enum kin__source_result read_inner(kin__source *source, char *buf, size_t size,
                                          size_t *ret_len)
{
    struct fault_source *fault = of(source);

    return fault->inner->read(fault->inner, buf, size, ret_len);
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
    case KIN_FAULT_OVERSIZE_OBJECT:
        return true;
    default:
        return false;
    }
}

static bool is_oversize(const kin_fault *fault)
{
    return fault->type == KIN_FAULT_OVERSIZE || fault->type == KIN_FAULT_OVERSIZE_OBJECT;
}

static void set_read(struct fault_source *made)
{
    /* A watch in protobuf has no place for it: its frames say how long they are. */
    if (made->wire.is_protobuf && is_oversize(&made->fault)) {
        made->source.read =
            strcmp(made->wire.verb, "watch") == 0 ? read_inner : read_oversize_protobuf;
        return;
    }
    switch (made->fault.type) {
    case KIN_FAULT_DRIP:
        made->source.read = read_drip;
        break;
    case KIN_FAULT_GARBAGE:
        made->source.read = read_garbage;
        break;
    case KIN_FAULT_OVERSIZE:
        made->source.read = read_oversize;
        break;
    case KIN_FAULT_OVERSIZE_OBJECT:
        made->source.read = read_oversize_object;
        made->marker = marker_of(made->wire.verb);
        break;
    default:
        made->source.read = read_until;
    }
}

int kin__fault_source_new(kin__source **ret, kin__source *inner, const kin_fault *fault,
                          const kin__fault_wire *wire)
{
    struct fault_source *made = kin__calloc(1, sizeof(*made));

    if (!made)
        return KIN_ENOMEM;
    made->source.close = close_fault;
    made->inner = inner;
    made->fault = *fault;
    made->wire = *wire;
    set_read(made);
    made->timer.fire = interval_over;
    kin__timer_init(&made->timer.timer);
    inner->wake = forward_wake;
    inner->wake_arg = made;
    *ret = &made->source;
    return 0;
}
