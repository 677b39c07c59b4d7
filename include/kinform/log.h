/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Logging goes through a hook; unless asked, the library prints nothing.
 *
 * A `kin_logger` is a callback with a level. Components take one in their options;
 * without it they use the process's default logger, and there is none at first.
 * A record is a constant message plus key/value fields, so that it can be counted,
 * filtered and indexed without parsing text. The callback runs with no lock of the
 * library held and may call any function.
 */
#ifndef KINFORM_LOG_H
#define KINFORM_LOG_H

#include <kinform/error.h>

KIN_BEGIN_DECLS

/** How important a record is; a logger passes its own level and those before it. */
typedef enum kin_log_level {
    KIN_LOG_OFF = 0,   /**< as a logger's level: nothing */
    KIN_LOG_ERROR = 1, /**< something is lost or will not work without help */
    KIN_LOG_WARN = 2,  /**< something is wrong, and is dealt with */
    KIN_LOG_INFO = 3,  /**< milestones: started, synced, stopped */
    KIN_LOG_DEBUG = 4, /**< each decision */
    KIN_LOG_TRACE = 5  /**< each event */
} kin_log_level;

/** Type of a field's value. */
typedef enum kin_log_type {
    KIN_LOG_STR = 1,    /**< value.str */
    KIN_LOG_INT = 2,    /**< value.i64 */
    KIN_LOG_UINT = 3,   /**< value.u64 */
    KIN_LOG_DOUBLE = 4, /**< value.dbl */
    KIN_LOG_BOOL = 5    /**< value.boolean */
} kin_log_type;

/** One key and its value. Its layout never changes: arrays of it are passed. */
typedef struct kin_log_field {
    const char *key; /**< BORROWED during the call; [a-z0-9_.] */
    kin_log_type type;
    union {
        kin_str str; /**< BORROWED during the call */
        int64_t i64;
        uint64_t u64;
        double dbl;
        bool boolean;
    } value;
} kin_log_field;

/** One record. Everything in it is BORROWED during the call. */
typedef struct kin_log_record {
    size_t size; /**< sizeof(kin_log_record) as the library knows it */
    kin_log_level level;
    const char *component; /**< which part speaks: "reflector", "client" … */
    const char *message;   /**< a constant text, no values in it */
    const kin_log_field *fields;
    size_t n_fields;
    int64_t unix_ns; /**< when, by the system's wall clock */
} kin_log_record;

/**
 * Receives records.
 *
 * @param record  BORROWED during the call.
 * @thread any, several at once; no lock of the library is held
 */
typedef void kin_log_fn(const kin_log_record *record, void *arg);

/** A place for records to go. SHARED. */
typedef struct kin_logger kin_logger;

/**
 * Make a logger.
 *
 * @param[out] ret   SHARED, one reference; release with kin_logger_unref().
 * @param level      the least important level that is passed on.
 * @param fn         receives the records; kin_log_to_stderr is one.
 * @param arg        handed to `fn`; CONSUMED if `arg_free` is given, else BORROWED until
 *                   the last reference is gone.
 * @param arg_free   run once, after the last call of `fn`; may be NULL.
 * @return 0, KIN_EINVAL, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_logger_new(kin_logger **ret, kin_log_level level, kin_log_fn *fn, void *arg,
                           void (*arg_free)(void *arg), kin_error *err);

/**
 * Take another reference.
 *
 * @param logger  may be NULL.
 * @return `logger`.
 * @thread any
 */
KIN_API kin_logger *kin_logger_ref(kin_logger *logger);

/**
 * Drop a reference; the last one frees the logger.
 *
 * @param logger  may be NULL.
 * @thread any
 */
KIN_API void kin_logger_unref(kin_logger *logger);

/**
 * Change the level while it is in use.
 *
 * @return 0, KIN_EINVAL.
 * @thread any
 */
KIN_API int kin_logger_set_level(kin_logger *logger, kin_log_level level, kin_error *err);

/**
 * Whether a record of this level would be passed on. Cheap: one relaxed load.
 *
 * @param logger  NULL passes nothing on.
 * @thread any
 */
KIN_API bool kin_logger_enabled(const kin_logger *logger, kin_log_level level);

/**
 * Log a record, as the library itself does; for handlers that want to share its log.
 *
 * @param logger     NULL is allowed and drops the record.
 * @param component  BORROWED during the call.
 * @param message    BORROWED during the call.
 * @param fields     BORROWED during the call; NULL if `n_fields` is 0.
 * @thread any    @blocks as long as the logger's function does
 */
KIN_API void kin_logger_log(kin_logger *logger, kin_log_level level, const char *component,
                            const char *message, const kin_log_field *fields, size_t n_fields);

/**
 * Set the logger of everything that was not given one of its own.
 *
 * Takes effect for what is made afterwards.
 *
 * @param logger  SHARED: the library takes a reference of its own. NULL logs nothing.
 * @return 0, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_set_default_logger(kin_logger *logger, kin_error *err);

/**
 * Let the default logger write to standard error, with kin_log_to_stderr(): one line at the start of a program.
 * Replaces the default logger. Components made afterwards use it.
 *
 * @param level  the least important level that is written; KIN_LOG_OFF logs nothing.
 * @return 0, KIN_EINVAL, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_set_default_log_level(kin_log_level level, kin_error *err);

/**
 * The default logger.
 *
 * @return SHARED, one reference for the caller; release with kin_logger_unref(). May be NULL.
 * @thread any
 */
KIN_API kin_logger *kin_default_logger(void);

/**
 * A kin_log_fn that writes one line to standard error: time, level, component, message,
 * then key=value, quoted where needed. One write() per line, cut at 4 KiB. Control characters and
 * hidden ones (zero-width, bidirectional overrides) are escaped.
 *
 * @param record  BORROWED during the call.
 * @param arg     ignored.
 * @thread any
 */
KIN_API void kin_log_to_stderr(const kin_log_record *record, void *arg);

/**
 * Format a record as kin_log_to_stderr() does, without the line's end.
 *
 * @param record     BORROWED during the call.
 * @param[out] buf   receives the terminated text, cut if too long; NULL if `size` is 0.
 * @return the length the whole text has, without the terminator.
 * @thread any
 */
KIN_API size_t kin_log_format(const kin_log_record *record, char *buf, size_t size);

/**
 * The name of a level, "error" to "trace", "off", or "?".
 *
 * @return BORROWED for ever.
 * @thread any
 */
KIN_API const char *kin_log_level_name(kin_log_level level);

KIN_END_DECLS

#endif
