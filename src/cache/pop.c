/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/pop.h"

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

enum {
    SLOW_MS = 100,   /* what is slow, unless told otherwise */
    SLOW_DEPTH = 10, /* only worth a line if more than these wait */
};

/* No time of a clock: nobody wants to know. */
#define NOT_TIMED INT64_MIN

int kin__slow_init(kin__slow *slow, const char *component, const char *name, kin_logger *logger,
                   int64_t slow_ms, kin_error *err)
{
    slow->component = component;
    slow->limit_ns = INT64_MAX;
    if (slow_ms >= 0 && slow_ms < INT64_MAX / 1000000)
        slow->limit_ns = (slow_ms ? slow_ms : SLOW_MS) * 1000000;
    slow->name = kin__memdup_str(kin_str_of(name ? name : component));
    if (!slow->name)
        return kin__error_no_memory(err);
    slow->logger = logger ? kin_logger_ref(logger) : kin_default_logger();
    return 0;
}

void kin__slow_done(kin__slow *slow)
{
    kin_logger_unref(slow->logger);
    kin__free(slow->name);
}

int64_t kin__slow_start(const kin__slow *slow, kin_clock *clock, size_t depth)
{
    return depth > SLOW_DEPTH && slow->limit_ns < INT64_MAX ? kin_clock_now(clock) : NOT_TIMED;
}

void kin__slow_end(const kin__slow *slow, kin_clock *clock, int64_t start, kin_str key, size_t n,
                   size_t depth)
{
    int64_t took;

    if (start == NOT_TIMED)
        return;
    took = kin_clock_now(clock) - start;
    if (took < slow->limit_ns)
        return;
    kin__log(slow->logger, KIN_LOG_WARN, slow->component, "slow processing holds up the queue",
             KIN__LOG_S("queue", slow->name), KIN__LOG_V("key", key), KIN__LOG_U("keys", n),
             KIN__LOG_U("waiting", depth), KIN__LOG_I("ms", took / 1000000));
}

int kin__pop_result(int code, const kin_error *said, kin_error *err)
{
    if (code > 0)
        return kin_error_set(err, KIN_EINVAL, "the process function returned %d", code);
    if (code == KIN_EREQUEUE)
        code = said->code == KIN_EREQUEUE ? 0 : said->code;
    return code < 0 ? kin__error_pass(err, code, said) : 0;
}

int kin__pop_nothing(int code, kin_error *err)
{
    if (code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    return kin_error_set(
        err, code, code == KIN_ECLOSED ? "the queue is closed and empty" : "nothing came in time");
}
