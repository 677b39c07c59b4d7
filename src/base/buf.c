/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The growing string. Invariants: cap > len or cap == 0; data[len] == 0 if data; after a
 * failure the text is what it was before the append that failed.
 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/compiler.h"
#include "base/locale.h"
#include "base/memory.h"

void kin__buf_init(kin__buf *buf, size_t limit)
{
    kin__assert(limit < SIZE_MAX);
    memset(buf, 0, sizeof(*buf));
    buf->limit = limit;
}

void kin__buf_init_secret(kin__buf *buf, size_t limit)
{
    kin__buf_init(buf, limit);
    buf->is_secret = true;
}

/* Without a text, which was released or is the caller's now. */
static void forget(kin__buf *buf)
{
    bool is_secret = buf->is_secret;

    kin__buf_init(buf, buf->limit);
    buf->is_secret = is_secret;
}

static void release(kin__buf *buf)
{
    if (buf->is_secret)
        kin__free_wiped(buf->data, buf->cap);
    else
        kin__free(buf->data);
}

void kin__buf_done(kin__buf *buf)
{
    release(buf);
    forget(buf);
}

void kin__buf_reset(kin__buf *buf)
{
    buf->len = 0;
    buf->failed = 0;
    if (buf->data)
        buf->data[0] = '\0';
}

void kin__buf_recycle(kin__buf *buf, size_t max_kept)
{
    if (buf->cap > max_kept)
        kin__buf_done(buf);
    else
        kin__buf_reset(buf);
}

void kin__buf_truncate(kin__buf *buf, size_t len)
{
    kin__assert(len <= buf->len);
    buf->len = len;
    if (buf->data)
        buf->data[len] = '\0';
}

/* As kin__grow_array(); realloc() would leave the old text behind where it moves it. */
static char *move_secret(kin__buf *buf, size_t need)
{
    size_t cap = buf->cap;
    char *data = kin__grow_array(NULL, &cap, need, 1);

    if (!data)
        return NULL;
    if (buf->len)
        memcpy(data, buf->data, buf->len);
    release(buf);
    buf->cap = cap;
    return data;
}

bool kin__buf_grow(kin__buf *buf, size_t n)
{
    if (buf->failed)
        return false;
    if (n > buf->limit - buf->len) {
        buf->failed = KIN_ELIMIT;
        return false;
    }
    size_t need = buf->len + n + 1;
    char *data =
        buf->is_secret ? move_secret(buf, need) : kin__grow_array(buf->data, &buf->cap, need, 1);
    if (data)
        buf->data = data;
    else
        buf->failed = KIN_ENOMEM;
    return data != NULL;
}

void kin__buf_append(kin__buf *buf, kin_str s)
{
    char *room = kin__buf_reserve(buf, s.len);

    if (!room)
        return;
    if (s.len)
        memcpy(room, s.data, s.len);
    kin__buf_added(buf, s.len);
}

void kin__buf_append_char(kin__buf *buf, char c)
{
    char *room = kin__buf_reserve(buf, 1);

    if (!room)
        return;
    *room = c;
    kin__buf_added(buf, 1);
}

/* Format into what room there is; the length the text needs, negative if unformattable. */
static int format_at_end(kin__buf *buf, const char *fmt, va_list ap) KIN_PRINTF(2, 0);
static int format_at_end(kin__buf *buf, const char *fmt, va_list ap)
{
    kin__locale_scope scope;

    kin__c_locale_begin(&scope);
    int n = vsnprintf(buf->data + buf->len, buf->cap - buf->len, fmt, ap);
    kin__c_locale_end(&scope);
    return n;
}

void kin__buf_appendf(kin__buf *buf, const char *fmt, ...)
{
    va_list ap;

    if (!kin__buf_reserve(buf, 0))
        return;
    size_t room = buf->cap - buf->len;
    va_start(ap, fmt);
    int n = format_at_end(buf, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n > buf->limit - buf->len || (size_t)n >= room)
        buf->data[buf->len] = '\0'; /* what was written is not ours until it is whole */
    if (n < 0) {
        buf->failed = KIN_ELIMIT;
        return;
    }
    if (!kin__buf_reserve(buf, (size_t)n))
        return;
    if ((size_t)n >= room) {
        va_start(ap, fmt);
        format_at_end(buf, fmt, ap);
        va_end(ap);
    }
    buf->len += (size_t)n;
}

kin_str kin__buf_str(const kin__buf *buf)
{
    return kin_str_make(buf->data, buf->len);
}

int kin__buf_take(kin__buf *buf, char **ret, size_t *ret_len)
{
    if (!kin__buf_reserve(buf, 0)) /* an empty text is a text too */
        return buf->failed;
    buf->data[buf->len] = '\0';
    *ret = buf->data;
    if (ret_len)
        *ret_len = buf->len;
    forget(buf);
    return 0;
}
