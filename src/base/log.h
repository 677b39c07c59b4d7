/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logging inside the library; the public half is kinform/log.h.
 *
 *     kin__log(logger, KIN_LOG_WARN, "reflector", "watch ended early",
 *              KIN__LOG_S("kind", kind), KIN__LOG_I("events", n));
 *
 * The fields are evaluated only if the level is enabled. Never call it with a lock held:
 * the logger's function is the user's. A debug build checks that.
 */
#ifndef KIN_BASE_LOG_H
#define KIN_BASE_LOG_H

#include "kinform/log.h"

/* Fields: C string, view, signed, unsigned, double, boolean. */
#define KIN__LOG_S(k, v)                                                                           \
    ((kin_log_field){.key = (k), .type = KIN_LOG_STR, .value.str = kin_str_of(v)})
#define KIN__LOG_V(k, v) ((kin_log_field){.key = (k), .type = KIN_LOG_STR, .value.str = (v)})
#define KIN__LOG_I(k, v) ((kin_log_field){.key = (k), .type = KIN_LOG_INT, .value.i64 = (v)})
#define KIN__LOG_U(k, v) ((kin_log_field){.key = (k), .type = KIN_LOG_UINT, .value.u64 = (v)})
#define KIN__LOG_D(k, v) ((kin_log_field){.key = (k), .type = KIN_LOG_DOUBLE, .value.dbl = (v)})
#define KIN__LOG_B(k, v) ((kin_log_field){.key = (k), .type = KIN_LOG_BOOL, .value.boolean = (v)})

/* At least one field: a message without any detail is rarely worth a line. */
#define kin__log(logger, level, component, message, ...)                                           \
    do {                                                                                           \
        if (kin_logger_enabled((logger), (level))) {                                               \
            const kin_log_field kin__fields[] = {__VA_ARGS__};                                     \
            kin_logger_log((logger), (level), (component), (message), kin__fields,                 \
                           sizeof(kin__fields) / sizeof(kin__fields[0]));                          \
        }                                                                                          \
    } while (0)

#endif
