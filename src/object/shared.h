/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared values: strings and subtrees that many documents have in common, each in memory once.
 *
 * The pool is one for the process, divided by hash into parts with a lock each. A shared value
 * lives as long as something refers to it: documents, other shared values, decoders that remember
 * it. With the last reference its memory goes back.
 *
 * | operation     | synchronization                                                     |
 * |---------------|---------------------------------------------------------------------|
 * | read its tape | none: const                                                         |
 * | ref           | relaxed increment; the caller has a reference                       |
 * | find, add     | the part's lock; what is in the pool has a reference: one can be taken |
 * | unref         | decrement; the last only under the part's lock: no finder meets it  |
 */
#ifndef KIN_OBJECT_SHARED_H
#define KIN_OBJECT_SHARED_H

#include <stdatomic.h>

#include "kinform/error.h"
#include "object/tape.h"

typedef struct kin__shared {
    struct kin__shared *next; /* (part's lock) in its bucket; or in the list of those to free */
    _Atomic uint32_t refs;
    uint32_t hash;   /* of the content, as kin__node.hash */
    uint32_t size;   /* of this block in bytes */
    bool pooled;     /* const once others know it */
    bool packed;     /* some string in it has a packed form; const */
    uint16_t height; /* maps and arrays inside each other, itself included; 0 for a string; const */
    kin__tape tape;  /* one value */
} kin__shared;

/* Register for forks, once per process. 0, KIN_ENOMEM, KIN_ESYSTEM. */
int kin__shared_init(kin_error *err);

/* A new block with room for a tape; not in the pool yet, one reference. NULL: no memory. */
kin__shared *kin__shared_new(uint32_t hash, uint32_t refs_len, uint32_t len);

/* Whether a shared value has the content that the finder looks for. Called with no lock held. */
typedef bool (*kin__shared_match_fn)(const kin__shared *shared, const void *arg);

/*
 * A value with this hash and content, with a reference for the caller; or NULL. *ret_crowded says
 * that there are so many others with this hash that one more should not be added: equal contents
 * can be taken for different (compact.c), and their chain must not grow.
 */
const kin__shared *kin__shared_find(uint32_t hash, kin__shared_match_fn match, const void *arg,
                                    bool *ret_crowded);
/* Put a block into the pool. The caller's reference stays the caller's. */
void kin__shared_add(kin__shared *shared);

static inline void kin__shared_ref(const kin__shared *shared)
{
    kin__shared *counted = kin__unconst(shared);

    atomic_fetch_add_explicit(&counted->refs, 1, memory_order_relaxed);
}

void kin__shared_unref(const kin__shared *shared);
/* All references of a tape. */
void kin__shared_unref_all(const kin__tape *tape);

/* What the pool holds at this moment. */
struct kin__shared_stats {
    uint64_t values;
    uint64_t bytes; /* of the values and of the tables */
};
void kin__shared_stats(struct kin__shared_stats *ret);

#endif
