/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of FIFO: fifo.c (life, in and out), fifo_read.c.
 *
 * An entry has an object that waits and one that is in flight. The key's bytes are those of `object`
 * if there is one, else those of `flight`. So an object that was deleted stays where it is until
 * its place is skipped: what is deleted is the permission to see it, and deleting needs no memory.
 */
#ifndef KIN_CACHE_FIFO_H
#define KIN_CACHE_FIFO_H

#include "cache/line.h"
#include "cache/pop.h"
#include "kinform/fifo.h"

typedef struct kin__fifo_entry {
    kin__line_entry line;
    const kin_object *object; /* SHARED: the newest to wait; may be out of use, or NULL */
    const kin_object *flight; /* SHARED: in flight, or NULL */
    const char *flight_key;   /* the key's bytes in it */
    bool deleted;             /* waits, but there is nothing behind its place */
    bool recalled;            /* is in flight, and was deleted or replaced meanwhile */
    uint64_t mark;            /* the last replacement whose list has the key */
} kin__fifo_entry;

struct kin_fifo {
    kin__line line; /* its lock is the queue's */
    kin__slow slow;
    kin_key_fn *key;
    void *key_arg;
    size_t n_deleted; /* (lock) how many wait in vain */
    uint64_t mark;    /* (lock) counts replacements */
    kin__list spare;  /* (lock) entries to be used again, linked by their line.link */
    size_t n_spare;   /* (lock) */
};

static inline kin__fifo_entry *kin__fifo_entry_of(kin__line_entry *entry)
{
    return entry ? kin__container_of(entry, kin__fifo_entry, line) : NULL;
}

/* The line of a queue, which may be NULL. */
static inline kin__line *kin__fifo_line(kin_fifo *fifo)
{
    return fifo ? &fifo->line : NULL;
}

/* 0, KIN_EINVAL (NULL), KIN_EFORKED. */
static inline int kin__fifo_check(const kin_fifo *fifo, kin_error *err)
{
    return kin__line_check(fifo ? &fifo->line : NULL, err);
}

/* What a reader sees of an entry, which may be NULL; NULL if nothing. */
static inline const kin_object *kin__fifo_entry_newest(const kin__fifo_entry *entry)
{
    if (!entry)
        return NULL;
    if (entry->line.flags & KIN__LINE_WAITING && !entry->deleted)
        return entry->object;
    return entry->line.flags & KIN__LINE_IN_FLIGHT && !entry->recalled ? entry->flight : NULL;
}

#endif
