/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading ahead: while a decoder of a list or watch reads the first part of some bytes, a worker
 * reads the second part, beginning where an item or event seems to begin.
 *
 * Where that is, is a guess. Whoever has guessed finds out whether it was right when it comes
 * there, and forgets what was read ahead if not. So whatever the text is, the result is what one
 * thread alone would have read; what cannot be read, or looks unusual, ends the reading ahead, and
 * is left to that thread.
 *
 * Nobody waits for a worker that is busy with something else: what no worker has begun is taken
 * back.
 */
#ifndef KIN_OBJECT_AHEAD_H
#define KIN_OBJECT_AHEAD_H

#include "base/workers.h"
#include "kinform/stream.h"

typedef struct kin__ahead kin__ahead;

typedef struct kin__ahead_object {
    const kin_object *object; /* SHARED, the caller's */
    enum kin_watch_type type; /* of an event */
} kin__ahead_object;

/*
 * Reads the object at *p and advances *p past it; false if it is incomplete or unusual. *ret_len is the length of
 * the object's text.
 */
typedef bool kin__ahead_read_fn(kin_decoder *decoder, const void *arg, const char **p,
                                const char *end, kin__ahead_object *ret, size_t *ret_len);

/* What was read. */
typedef struct kin__ahead_result {
    const kin__ahead_object *objects; /* BORROWED until the next begin */
    size_t n;
    size_t len;  /* of the text of all of them, and what stands between them */
    size_t last; /* of the text of the last object */
} kin__ahead_result;

/*
 * Where the text of an object begins, in what is between it and the one before; NULL: there is
 * none.
 */
typedef const char *kin__ahead_next_fn(const char *p, const char *end, bool is_first,
                                       enum kin_watch_type *ret_type);

/*
 * Reads as another decoder does, which is BORROWED until the last kin__ahead_end(). `workers` were
 * started; BORROWED until it is freed and what was posted has run or was dropped. 0, KIN_ENOMEM.
 */
int kin__ahead_new(kin__ahead **ret, kin__workers *workers, const kin_decoder *like,
                   kin__ahead_next_fn *next, kin_error *err);
/* Not between begin and end. May be NULL. */
void kin__ahead_free(kin__ahead *ahead);

/*
 * Let a worker read objects as far as they are there. `text` is BORROWED until the end. Whether one
 * was asked.
 */
bool kin__ahead_begin(kin__ahead *ahead, kin_str text);
/* The same for a text that is not JSON; `arg` is BORROWED until the end. */
bool kin__ahead_begin_with(kin__ahead *ahead, kin_str text, kin__ahead_read_fn *read,
                           const void *arg);
/* Wait until it is done, or take it back. The references in `ret` are the caller's. */
void kin__ahead_end(kin__ahead *ahead, kin__ahead_result *ret);
/* It is not needed for a while: give back what it can do without. */
void kin__ahead_rest(kin__ahead *ahead);

#endif
