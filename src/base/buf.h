/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing string. The first failure sticks: later appends do nothing, and one check at
 * the end is enough. The text is always terminated (the terminator is not counted), so
 * it can be handed to functions that take a C string if it holds no zero bytes. What is
 * appended must not be part of the buffer itself, which may move.
 */
#ifndef KIN_BASE_BUF_H
#define KIN_BASE_BUF_H

#include "kinform/error.h"

typedef struct kin__buf {
    char *data; /* NULL until something was appended */
    size_t len;
    size_t cap;
    size_t limit;   /* len never exceeds it */
    int failed;     /* 0, KIN_ENOMEM or KIN_ELIMIT */
    bool is_secret; /* memory is wiped before it is given back, also when the text moves */
} kin__buf;

/* `limit` bounds what the other side can make us hold; SIZE_MAX - 1 at most. */
void kin__buf_init(kin__buf *buf, size_t limit);
void kin__buf_init_secret(kin__buf *buf, size_t limit);
void kin__buf_done(kin__buf *buf);
/* Empty it and forget a failure; keeps the memory. */
void kin__buf_reset(kin__buf *buf);
/* The same, but memory of more than `max_kept` bytes is given back. */
void kin__buf_recycle(kin__buf *buf, size_t max_kept);
/* Keep the first `len` bytes, which are there. A failure stays. */
void kin__buf_truncate(kin__buf *buf, size_t len);

/* Makes room; for kin__buf_reserve() alone. Whether there is some now. */
bool kin__buf_grow(kin__buf *buf, size_t n);

/*
 * Where the next n bytes can be written, by who says with kin__buf_added() how many they were. NULL:
 * a failure, which sticks. For those to whom a call for each character is too much.
 */
static inline char *kin__buf_reserve(kin__buf *buf, size_t n)
{
    bool has_room = !buf->failed && n <= buf->limit - buf->len && n < buf->cap - buf->len;

    return has_room || kin__buf_grow(buf, n) ? buf->data + buf->len : NULL;
}

/* Count what was written to the reserved room, and terminate it. */
static inline void kin__buf_added(kin__buf *buf, size_t n)
{
    buf->len += n;
    buf->data[buf->len] = '\0';
}

void kin__buf_append(kin__buf *buf, kin_str s);
void kin__buf_append_char(kin__buf *buf, char c);
/* Formats in the C locale. */
void kin__buf_appendf(kin__buf *buf, const char *fmt, ...) KIN_PRINTF(2, 3);

/* View of the text; BORROWED until the next change. */
kin_str kin__buf_str(const kin__buf *buf);

/*
 * Hand over the text, OWNED by the caller, and leave the buffer empty.
 * 0, or the failure that stuck.
 */
int kin__buf_take(kin__buf *buf, char **ret, size_t *ret_len);

#endif
