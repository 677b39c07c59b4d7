/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loggers and the default logger.
 *
 * Threads: any. A logger is immutable but for its level, which is one atomic, so logging
 * takes no lock. Only the pointer to the default logger is guarded, and only while a
 * reference is taken; components take theirs once, when they are made. The user's
 * function runs with no lock held, which a debug build checks.
 */
#include "base/log.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/ref.h"

struct kin_logger {
    kin__ref ref;
    atomic_int level;
    kin_log_fn *fn; /* const after new, as are the next two */
    void *arg;
    void (*arg_free)(void *arg);
};

static kin__mutex default_lock = KIN__MUTEX_INITIALIZER(KIN__RANK_DEFAULT_LOGGER);
static kin_logger *default_logger; /* (default_lock) */
/* The lock above is used only once this is set: from then on a forked child makes it anew. */
static atomic_bool default_survives_fork;

static bool is_level(kin_log_level level)
{
    return (int)level >= KIN_LOG_OFF && (int)level <= KIN_LOG_TRACE;
}

int kin_logger_new(kin_logger **ret, kin_log_level level, kin_log_fn *fn, void *arg,
                   void (*arg_free)(void *arg), kin_error *err)
{
    if (!ret || !fn || !is_level(level))
        return kin_error_set(err, KIN_EINVAL, "a logger needs a function and a valid level");

    kin_logger *logger = kin__malloc(sizeof(*logger));
    if (!logger)
        return kin__error_no_memory(err);
    kin__ref_init(&logger->ref);
    atomic_init(&logger->level, (int)level);
    logger->fn = fn;
    logger->arg = arg;
    logger->arg_free = arg_free;
    *ret = logger;
    return 0;
}

kin_logger *kin_logger_ref(kin_logger *logger)
{
    if (logger)
        kin__ref_get(&logger->ref);
    return logger;
}

void kin_logger_unref(kin_logger *logger)
{
    if (!logger || !kin__ref_put(&logger->ref))
        return;
    kin__assert_no_locks();
    if (logger->arg_free)
        logger->arg_free(logger->arg);
    kin__free(logger);
}

int kin_logger_set_level(kin_logger *logger, kin_log_level level, kin_error *err)
{
    if (!logger || !is_level(level))
        return kin_error_set(err, KIN_EINVAL, "no logger or no such level");
    atomic_store_explicit(&logger->level, (int)level, memory_order_relaxed);
    return 0;
}

bool kin_logger_enabled(const kin_logger *logger, kin_log_level level)
{
    return logger && (int)level > KIN_LOG_OFF &&
           (int)level <= atomic_load_explicit(&logger->level, memory_order_relaxed);
}

void kin_logger_log(kin_logger *logger, kin_log_level level, const char *component,
                    const char *message, const kin_log_field *fields, size_t n_fields)
{
    if (!kin_logger_enabled(logger, level))
        return;

    const kin_log_record record = {
        .size = sizeof(record),
        .level = level,
        .component = component,
        .message = message,
        .fields = fields,
        .n_fields = n_fields,
        .unix_ns = kin_clock_unix_now(kin_clock_system()),
    };
    kin__assert_no_locks();
    logger->fn(&record, logger->arg);
}

static void make_lock_anew(void)
{
    /*
     * A thread that is not there in the child may have held it. The guarded pointer is changed by
     * one store, so it is whole whoever did.
     */
    kin__mutex_init(&default_lock, KIN__RANK_DEFAULT_LOGGER);
}

int kin_set_default_logger(kin_logger *logger, kin_error *err)
{
    /* Two threads that race here register the handler twice, which does no harm. */
    if (!atomic_load_explicit(&default_survives_fork, memory_order_relaxed)) {
        int os_error = pthread_atfork(NULL, NULL, make_lock_anew);

        if (os_error != 0)
            return kin__error_system(err, os_error, "pthread_atfork");
        atomic_store_explicit(&default_survives_fork, true, memory_order_release);
    }
    kin_logger_ref(logger);
    kin__mutex_lock(&default_lock);
    kin_logger *before = default_logger;
    default_logger = logger;
    kin__mutex_unlock(&default_lock);
    kin_logger_unref(before);
    return 0;
}

int kin_set_default_log_level(kin_log_level level, kin_error *err)
{
    kin_logger *logger = NULL;
    int code = kin_logger_new(&logger, level, kin_log_to_stderr, NULL, NULL, err);

    if (code == 0)
        code = kin_set_default_logger(logger, err);
    kin_logger_unref(logger);
    return code;
}

kin_logger *kin_default_logger(void)
{
    if (!atomic_load_explicit(&default_survives_fork, memory_order_acquire))
        return NULL; /* none was ever set */
    kin__mutex_lock(&default_lock);
    kin_logger *logger = kin_logger_ref(default_logger);
    kin__mutex_unlock(&default_lock);
    return logger;
}

const char *kin_log_level_name(kin_log_level level)
{
    static const char *const names[] = {"off", "error", "warn", "info", "debug", "trace"};

    return is_level(level) ? names[level] : "?";
}
