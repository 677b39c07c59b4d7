/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The error table and the functions that fill in a kin_error.
 *
 * A kin_error may come from a program compiled against an older header, with fewer
 * fields. Its `size` says how many bytes are its own; nothing beyond is touched.
 * Everything up to and including `message` exists since the first release.
 */
#include "base/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/locale.h"
#include "base/utf8.h"

static const struct {
    int code;
    unsigned flags;
    const char *name;
    const char *description;
} table[] = {
#define ROW(name, value, flags, description) {(value), (flags), "KIN_" #name, description},
    KIN_ERROR_MAP(ROW)
#undef ROW
};

const char *kin_error_name(int code)
{
    if (code == KIN_OK)
        return "KIN_OK";
    for (size_t i = 0; i < kin__array_len(table); i++) {
        if (table[i].code == code)
            return table[i].name;
    }
    return "KIN_E?";
}

const char *kin_error_string(int code)
{
    if (code == KIN_OK)
        return "success";
    for (size_t i = 0; i < kin__array_len(table); i++) {
        if (table[i].code == code)
            return table[i].description;
    }
    return "unknown error";
}

static unsigned default_flags(int code)
{
    for (size_t i = 0; i < kin__array_len(table); i++) {
        if (table[i].code == code)
            return table[i].flags;
    }
    return 0;
}

static bool is_initialized(const kin_error *err)
{
    return err && err->size >= offsetof(kin_error, message) + sizeof(err->message);
}

void kin_error_clear(kin_error *err)
{
    static const kin_error empty = KIN_ERROR_INIT;

    if (is_initialized(err)) {
        size_t size = err->size;

        memcpy(err, &empty, size < sizeof(empty) ? size : sizeof(empty));
        err->size = size;
    }
}

/*
 * Formatted aside: the arguments may point into err, as in "reading x: <old message>".
 * `suffix` is kept whole, the formatted part is cut.
 */
static int set_error(kin_error *err, int code, const char *suffix, const char *fmt, va_list ap)
    KIN_PRINTF(4, 0);
static int set_error(kin_error *err, int code, const char *suffix, const char *fmt, va_list ap)
{
    char message[sizeof(err->message)];
    size_t room = sizeof(message) - strlen(suffix);
    kin__locale_scope scope;

    kin__c_locale_begin(&scope);
    int n = vsnprintf(message, room, fmt, ap);
    kin__c_locale_end(&scope);
    if (n < 0)
        snprintf(message, room, "%s", kin_error_string(code));
    else if ((size_t)n >= room)
        message[kin__utf8_cut(message, room - 1)] = '\0';
    memcpy(message + strlen(message), suffix, strlen(suffix) + 1);

    kin_error_clear(err);
    err->code = code;
    err->flags = default_flags(code);
    memcpy(err->message, message, strlen(message) + 1); /* what is behind it stays zero */
    return code;
}

int kin_error_set(kin_error *err, int code, const char *fmt, ...)
{
    if (is_initialized(err)) {
        va_list ap;

        va_start(ap, fmt);
        set_error(err, code, "", fmt, ap);
        va_end(ap);
    }
    return code;
}

void kin__error_http(kin_error *err, int http_status, kin_str reason)
{
    size_t len;

    if (!is_initialized(err))
        return;
    len = reason.len < sizeof(err->reason) ? reason.len : sizeof(err->reason) - 1;
    err->http_status = http_status;
    if (len)
        memcpy(err->reason, reason.data, len);
    err->reason[len] = '\0';
}

int kin__error_pass(kin_error *err, int code, const kin_error *said)
{
    if (!said || said->code != code || said->message[0] == '\0')
        return kin_error_set(err, code, "%s", kin_error_string(code));
    if (is_initialized(err)) {
        size_t size = err->size;

        memcpy(err, said, size < sizeof(*said) ? size : sizeof(*said));
        err->size = size;
    }
    return code;
}

static void set_input_error(kin_error *err, int code, uint64_t offset, const char *fmt, va_list ap)
    KIN_PRINTF(4, 0);
static void set_input_error(kin_error *err, int code, uint64_t offset, const char *fmt, va_list ap)
{
    char suffix[32];

    if (!is_initialized(err))
        return;
    snprintf(suffix, sizeof(suffix), " at byte %" PRIu64, offset);
    set_error(err, code, suffix, fmt, ap);
    if (err->size >= offsetof(kin_error, offset) + sizeof(err->offset))
        err->offset = offset;
}

int kin__error_input(kin_error *err, int code, uint64_t offset, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    set_input_error(err, code, offset, fmt, ap);
    va_end(ap);
    return code;
}

int kin__error_parse(kin_error *err, uint64_t offset, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    set_input_error(err, KIN_EPARSE, offset, fmt, ap);
    va_end(ap);
    return KIN_EPARSE;
}

int kin__error_system(kin_error *err, int os_error, const char *what)
{
    char text[128];
    int code = os_error == ENOMEM ? KIN_ENOMEM : KIN_ESYSTEM;

    kin_error_set(err, code, "%s: %s", what, kin__strerror(os_error, text, sizeof(text)));
    if (is_initialized(err))
        err->os_error = os_error;
    return code;
}
