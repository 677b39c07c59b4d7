/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of bounded size, appended piece by piece. What does not fit is dropped and remembered, so
 * that only the end of a rendering has to check. Numbers are formatted by hand: printf() is slow
 * and asks the locale.
 */
#ifndef KIN_BENCH_PODS_TEXT_H
#define KIN_BENCH_PODS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct kin_bench__text {
    char *data;
    size_t len;
    size_t cap;
    bool overflow;
};

static inline void kin_bench__text_init(struct kin_bench__text *t, char *data, size_t cap)
{
    t->data = data;
    t->len = 0;
    t->cap = cap;
    t->overflow = false;
}

/* Room for n bytes, or NULL. */
static inline char *put_room(struct kin_bench__text *t, size_t n)
{
    char *at = t->data + t->len;

    if (t->cap - t->len < n) {
        t->overflow = true;
        return NULL;
    }
    t->len += n;
    return at;
}

static inline void put_bytes(struct kin_bench__text *t, const char *data, size_t n)
{
    char *at = put_room(t, n);

    if (at)
        memcpy(at, data, n);
}

static inline void put_str(struct kin_bench__text *t, const char *s)
{
    put_bytes(t, s, strlen(s));
}

static inline void put_char(struct kin_bench__text *t, char c)
{
    put_bytes(t, &c, 1);
}

/*
 * A piece of JSON written with ' in place of ", which keeps the templates legible. Only for
 * literals: data goes through put_str().
 */
static inline void put_json(struct kin_bench__text *t, const char *s)
{
    size_t n = strlen(s);
    char *at = put_room(t, n);

    if (!at)
        return;
    for (size_t i = 0; i < n; i++) {
        at[i] = s[i];
        if (at[i] == '\'')
            at[i] = '"';
    }
}

static inline void put_u64(struct kin_bench__text *t, uint64_t v)
{
    char digits[20];
    size_t n = sizeof(digits);

    do {
        digits[--n] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    put_bytes(t, digits + n, sizeof(digits) - n);
}

/* Exactly n decimal digits, leading zeros included. */
static inline void put_digits(struct kin_bench__text *t, uint64_t v, size_t n)
{
    char *at = put_room(t, n);

    while (at && n > 0) {
        at[--n] = (char)('0' + v % 10);
        v /= 10;
    }
}

/* The lowest n hexadecimal digits of v. */
static inline void put_hex(struct kin_bench__text *t, uint64_t v, size_t n)
{
    char *at = put_room(t, n);

    while (at && n > 0) {
        at[--n] = "0123456789abcdef"[v & 15];
        v >>= 4;
    }
}

/* Seconds since 1970 as RFC 3339, quoted: "2026-01-15T08:00:00Z". For years 1970 to 9999. */
void kin_bench__text_put_time(struct kin_bench__text *t, uint64_t seconds);
/* A version 4 UUID made of 128 random bits, not quoted. */
void kin_bench__text_put_uuid(struct kin_bench__text *t, uint64_t high, uint64_t low);
/* 64 hexadecimal digits derived from one number: as good as a SHA-256 to look at. */
void kin_bench__text_put_digest(struct kin_bench__text *t, uint64_t id);

#endif
