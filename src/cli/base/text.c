/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/base/exit_status.h"

void (*memory_at_end)(void);

/* Without stdio, which may want memory itself. */
void memory_end(void)
{
    static const char message[] = "kinform: out of memory\n";

    if (memory_at_end)
        memory_at_end();
    (void)!write(STDERR_FILENO, message, sizeof(message) - 1);
    _exit(EXIT_FAILED);
}

void *memory_resize(void *ptr, size_t n, size_t size)
{
    void *grown = reallocarray(ptr, n ? n : 1, size);

    if (!grown)
        memory_end();
    return grown;
}

void *memory_zeroed(size_t n, size_t size)
{
    void *block = calloc(n ? n : 1, size);

    if (!block)
        memory_end();
    return block;
}

char *memory_copy(kin_str s)
{
    char *copy = memory_resize(NULL, s.len + 1, 1);

    if (s.len > 0)
        memcpy(copy, s.data, s.len);
    copy[s.len] = '\0';
    return copy;
}

void text_done(struct text *t)
{
    free(t->data);
    *t = (struct text)TEXT_INIT;
}

void text_clear(struct text *t)
{
    t->len = 0;
    if (t->data)
        t->data[0] = '\0';
}

/* Room for `n` more bytes and the terminator. */
static void reserve(struct text *t, size_t n)
{
    if (n >= SIZE_MAX / 4 || t->len >= SIZE_MAX / 4)
        memory_end();
    if (t->len + n + 1 <= t->cap)
        return;
    size_t cap = t->cap ? t->cap * 2 : 64;
    if (cap < t->len + n + 1)
        cap = t->len + n + 1;
    t->data = memory_resize(t->data, cap, 1);
    t->cap = cap;
}

void text_add(struct text *t, kin_str s)
{
    reserve(t, s.len);
    if (s.len > 0)
        memcpy(t->data + t->len, s.data, s.len);
    t->len += s.len;
    t->data[t->len] = '\0';
}

void text_add_string(struct text *t, const char *s)
{
    text_add(t, kin_str_of(s));
}

void text_add_char(struct text *t, char c)
{
    text_add(t, kin_str_make(&c, 1));
}

void text_add_n(struct text *t, char c, size_t n)
{
    reserve(t, n);
    memset(t->data + t->len, c, n);
    t->len += n;
    t->data[t->len] = '\0';
}

void text_add_lower(struct text *t, kin_str s)
{
    for (size_t i = 0; i < s.len; i++)
        text_add_char(
            t, (char)(s.data[i] >= 'A' && s.data[i] <= 'Z' ? s.data[i] - 'A' + 'a' : s.data[i]));
}

void text_format(struct text *t, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0)
        return;
    reserve(t, (size_t)n);
    va_start(args, fmt);
    vsnprintf(t->data + t->len, (size_t)n + 1, fmt, args);
    va_end(args);
    t->len += (size_t)n;
}

kin_str text_view(const struct text *t)
{
    return kin_str_make(t->data, t->len);
}

const char *text_string(const struct text *t)
{
    return t->data ? t->data : "";
}
