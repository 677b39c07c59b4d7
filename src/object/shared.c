/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool of shared values: hash tables with chains, one per part, each under its own lock.
 *
 * Comparing contents runs without the lock, on a candidate that the finder holds a reference to.
 * Two threads that add the same content at the same moment may both succeed: the content is then
 * there twice, which is no error; sharing is a matter of memory only.
 *
 * A table grows when it is full, and shrinks when less than an eighth of it is used. Without
 * memory for that it stays as it is: chains become longer, and nothing fails. A part whose last
 * value goes gives its table back.
 *
 * A fork takes all parts' locks before and releases them after, in parent and child: the child
 * finds a pool in order, whatever other threads were doing. The order (parts in turn, then the
 * dictionary) is nowhere else used: no thread ever holds two parts.
 */
#include "object/shared.h"

#include <pthread.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"

/* Not more: a fork takes all of the locks, and ThreadSanitizer follows 64 at most. */
#define PART_BITS 5
#define PARTS (1u << PART_BITS)
#define BUCKETS_MIN 32u
/* Of one hash; with seeded hashes more than one is rare. */
#define CANDIDATES_MAX 4u

/* A cache line for each, so that threads in different parts do not meet. */
struct part {
    _Alignas(64) kin__mutex lock; /* rank KIN__RANK_SHARED */
    kin__shared **buckets;        /* (lock) NULL: empty */
    uint32_t buckets_len;         /* (lock) a power of two */
    uint32_t values;              /* (lock) */
    uint64_t bytes;               /* (lock) of the values */
};

/* clang-format off */
#define P1 {.lock = KIN__MUTEX_INITIALIZER(KIN__RANK_SHARED)}
#define P4 P1, P1, P1, P1
#define P16 P4, P4, P4, P4
static struct part parts[PARTS] = {P16, P16};
/* clang-format on */

static struct part *part_of(uint32_t hash)
{
    return &parts[hash >> (32 - PART_BITS)];
}

static kin__shared **bucket_of(const struct part *part, uint32_t hash)
{
    return &part->buckets[hash & (part->buckets_len - 1)];
}

/* For the fork handlers: pthread's own calls, since debug mutexes want one lock per rank. */
static void before_fork(void)
{
    for (unsigned i = 0; i < PARTS; i++)
        pthread_mutex_lock(&parts[i].lock.mutex);
    kin__keys_before_fork();
}

static void after_fork(void)
{
    kin__keys_after_fork();
    for (unsigned i = PARTS; i-- > 0;)
        pthread_mutex_unlock(&parts[i].lock.mutex);
}

static int registered = -1; /* an errno; const after the first kin__shared_init() */

static void register_for_forks(void)
{
    registered = pthread_atfork(before_fork, after_fork, after_fork);
}

int kin__shared_init(kin_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, register_for_forks);
    return registered ? kin__error_system(err, registered, "pthread_atfork") : 0;
}

kin__shared *kin__shared_new(uint32_t hash, uint32_t refs_len, uint32_t len)
{
    size_t size = sizeof(kin__shared) + kin__tape_size(len, refs_len);
    kin__shared *shared = kin__malloc(size);

    if (!shared)
        return NULL;
    shared->next = NULL;
    atomic_init(&shared->refs, 1);
    shared->hash = hash;
    shared->size = (uint32_t)size;
    shared->pooled = false;
    shared->tape.len = len;
    shared->tape.refs_len = refs_len;
    return shared;
}

static void resize_locked(struct part *part, uint32_t len) KIN_REQUIRES(part->lock)
{
    kin__shared **buckets = kin__calloc(len, sizeof(kin__shared *));

    if (!buckets)
        return;
    for (uint32_t i = 0; i < part->buckets_len; i++) {
        kin__shared *next;

        for (kin__shared *shared = part->buckets[i]; shared; shared = next) {
            kin__shared **bucket = &buckets[shared->hash & (len - 1)];

            next = shared->next;
            shared->next = *bucket;
            *bucket = shared;
        }
    }
    kin__free(part->buckets);
    part->buckets = buckets;
    part->buckets_len = len;
}

void kin__shared_add(kin__shared *shared)
{
    struct part *part = part_of(shared->hash);

    kin__mutex_lock(&part->lock);
    if (part->values >= part->buckets_len)
        resize_locked(part, part->buckets_len ? part->buckets_len * 2 : BUCKETS_MIN);
    /* Without any table it stays a private block, which unref knows by `pooled`. */
    shared->pooled = part->buckets_len > 0;
    if (shared->pooled) {
        kin__shared **bucket = bucket_of(part, shared->hash);

        shared->next = *bucket;
        *bucket = shared;
        part->values++;
        part->bytes += shared->size;
    }
    kin__mutex_unlock(&part->lock);
}

/* The next with this hash behind `after`, or the first, with a reference. */
static const kin__shared *next_candidate(uint32_t hash, const kin__shared *after)
{
    struct part *part = part_of(hash);
    kin__shared *found = NULL;

    kin__mutex_lock(&part->lock);
    if (part->values > 0) {
        found = after ? after->next : *bucket_of(part, hash);
        while (found && found->hash != hash)
            found = found->next;
        if (found)
            atomic_fetch_add_explicit(&found->refs, 1, memory_order_relaxed);
    }
    kin__mutex_unlock(&part->lock);
    return found;
}

const kin__shared *kin__shared_find(uint32_t hash, kin__shared_match_fn match, const void *arg,
                                    bool *ret_crowded)
{
    const kin__shared *candidate = next_candidate(hash, NULL);
    unsigned tried = 0;

    *ret_crowded = false;
    while (candidate && !match(candidate, arg)) {
        /* The reference keeps the candidate in its chain until the next one is found. */
        const kin__shared *next = ++tried < CANDIDATES_MAX ? next_candidate(hash, candidate) : NULL;

        kin__shared_unref(candidate);
        candidate = next;
    }
    *ret_crowded = tried == CANDIDATES_MAX;
    return candidate;
}

static void unlink_locked(struct part *part, kin__shared *shared) KIN_REQUIRES(part->lock)
{
    kin__shared **link = bucket_of(part, shared->hash);

    while (*link != shared)
        link = &(*link)->next;
    *link = shared->next;
    part->values--;
    part->bytes -= shared->size;
    if (part->values == 0) {
        kin__free(part->buckets);
        part->buckets = NULL;
        part->buckets_len = 0;
    } else if (part->buckets_len > 4 * BUCKETS_MIN && part->values < part->buckets_len / 8) {
        resize_locked(part, part->buckets_len / 4);
    }
}

/* Give a reference back; the block itself if that was the last one, now out of the pool. */
static kin__shared *drop(const kin__shared *shared)
{
    kin__shared *block = kin__unconst(shared);
    uint32_t refs = atomic_load_explicit(&block->refs, memory_order_relaxed);

    while (refs > 1) {
        if (atomic_compare_exchange_weak_explicit(&block->refs, &refs, refs - 1,
                                                  memory_order_release, memory_order_relaxed))
            return NULL;
    }
    if (!block->pooled)
        return atomic_fetch_sub_explicit(&block->refs, 1, memory_order_acq_rel) == 1 ? block : NULL;

    struct part *part = part_of(block->hash);
    bool last;

    kin__mutex_lock(&part->lock);
    /* A finder may have taken a reference meanwhile. */
    last = atomic_fetch_sub_explicit(&block->refs, 1, memory_order_acq_rel) == 1;
    if (last)
        unlink_locked(part, block);
    kin__mutex_unlock(&part->lock);
    return last ? block : NULL;
}

/* Free a list of blocks and what only they refer to: a list, not a recursion. */
static void free_all(kin__shared *dead)
{
    while (dead) {
        kin__shared *block = dead;

        dead = block->next;
        for (uint32_t i = 0; i < block->tape.refs_len; i++) {
            kin__shared *also = drop(kin__tape_refs(&block->tape)[i]);

            if (also) {
                also->next = dead;
                dead = also;
            }
        }
        kin__free(block);
    }
}

void kin__shared_unref(const kin__shared *shared)
{
    kin__shared *dead = drop(shared);

    if (dead) {
        dead->next = NULL;
        free_all(dead);
    }
}

void kin__shared_unref_all(const kin__tape *tape)
{
    for (uint32_t i = 0; i < tape->refs_len; i++)
        kin__shared_unref(kin__tape_refs(tape)[i]);
}

void kin__shared_stats(struct kin__shared_stats *ret)
{
    struct kin__shared_stats sum = {0, 0};

    for (unsigned i = 0; i < PARTS; i++) {
        struct part *part = &parts[i];

        kin__mutex_lock(&part->lock);
        sum.values += part->values;
        sum.bytes += part->bytes + part->buckets_len * sizeof(kin__shared *);
        kin__mutex_unlock(&part->lock);
    }
    *ret = sum;
}
