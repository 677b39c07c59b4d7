/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The consumer's side of an exchange, and what the I/O thread puts there.
 *
 * Bytes go from one to the other in blocks. The I/O thread appends to the last one while it has
 * room; the consumer takes the first one whole, and reads it without the lock. When what waits
 * reaches the limit the I/O thread pauses the transfer; when half of it is gone the consumer asks it
 * to go on. Bodies that are compressed are unfolded by the consumer, piece by piece: the bytes that
 * wait are counted as they came, and the I/O thread has no work with them.
 */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "client/transport_inside.h"
#include "kinform/json.h"

#define BUFFER_LIMIT ((size_t)1024 * 1024)
/* Events are small and many, lists are large: blocks of several sizes, so that none wastes much. */
#define BLOCK_SMALL ((size_t)4096 - sizeof(kin__block))
#define BLOCK_LARGE ((size_t)64 * 1024 - sizeof(kin__block))
/* Of what has to wait anyway: large enough to be read by two threads, each a part of it. */
#define BLOCK_HUGE ((size_t)256 * 1024 - sizeof(kin__block))
/*
 * Blocks of a large body that were read are used again. The allocator would give their memory back to
 * the system, and have it faulted in anew: that takes longer than to fill them. Not those of watches,
 * which are many and idle most of the time; a streaming list has none left when it becomes one.
 */
#define SPARE_MAX ((size_t)1024 * 1024) /* bytes */
#define UNFOLDED_SIZE ((size_t)64 * 1024)
/* The ratio of compression counts from here on: one object of any accepted size may have any. */
#define RATIO_FROM ((uint64_t)KIN_DECODE_MAX_BYTES)

/* --- life --- */

static void init_fields(kin__exchange *exchange, kin__transport *transport,
                        const kin__exchange_spec *spec)
{
    kin__ref_init(&exchange->ref);
    kin__ref_init(&exchange->users);
    kin__ref_get(&transport->ref);
    exchange->transport = transport;
    exchange->notify = spec->notify;
    exchange->arg = spec->arg;
    exchange->not_before = spec->not_before;
    exchange->deadline = spec->deadline;
    exchange->idle_ns = spec->idle_ns;
    exchange->buffer_limit = spec->buffer_limit ? spec->buffer_limit : BUFFER_LIMIT;
    exchange->is_probed = spec->is_probed;
    exchange->kind = spec->kind;
    if (spec->identity && spec->identity->tls)
        exchange->material = kin__tls_material_ref(spec->identity->tls);
    kin__list_init(&exchange->inbox);
    kin__list_init(&exchange->flight);
    kin__list_init(&exchange->telling);
    kin__timer_init(&exchange->timer);
    kin__answer_reader_init(&exchange->reader, transport->limits.max_header_bytes);
    atomic_init(&exchange->was_sent, false);
    atomic_init(&exchange->heard, 0);
    kin__error_begin(&exchange->failure);
    kin__error_begin(&exchange->error);
    kin__error_begin(&exchange->broken);
    kin__mutex_init(&exchange->lock, KIN__RANK_EXCHANGE);
    kin__cond_init(&exchange->changed);
}

int kin__exchange_new(kin__exchange **ret, kin__transport *transport,
                      const kin__exchange_spec *spec, kin_error *err)
{
    kin__exchange *exchange = kin__calloc(1, sizeof(*exchange));

    if (!exchange)
        return kin__error_no_memory(err);
    init_fields(exchange, transport, spec);
    int code = kin__http_request_init(&exchange->request, &transport->endpoint, transport->gzip,
                                      spec, err);
    if (code == 0)
        code = kin__easy_new(exchange, err);
    if (code < 0) {
        kin__exchange_put(exchange);
        return code;
    }
    exchange->arg_free = spec->arg_free;
    *ret = exchange;
    return 0;
}

/* Bodies may hold secrets. May be NULL. */
static void free_block(kin__block *block)
{
    if (block)
        kin__free_wiped(block, sizeof(*block) + block->used);
}

static void free_blocks(kin__block *block)
{
    while (block) {
        kin__block *next = block->next;

        free_block(block);
        block = next;
    }
}

static bool is_forked(const kin__exchange *exchange, kin_error *err)
{
    return kin__fork_guard_check(&exchange->transport->guard, err) < 0;
}

void kin__exchange_put(kin__exchange *exchange)
{
    if (!kin__ref_put(&exchange->ref))
        return;
    if (!is_forked(exchange, NULL)) {
        /* Only of one that was never started: the I/O thread cleans up behind itself. */
        if (exchange->easy)
            curl_easy_cleanup(exchange->easy);
        kin__cond_done(&exchange->changed);
        kin__mutex_done(&exchange->lock);
    }
    kin__http_request_done(&exchange->request);
    kin__answer_reader_done(&exchange->reader);
    kin__tls_material_unref(exchange->material);
    free_blocks(exchange->first);
    free_blocks(exchange->spare);
    free_block(exchange->reading);
    kin__gunzip_free(exchange->gunzip);
    kin__free_wiped(exchange->unfolded, UNFOLDED_SIZE);
    kin__transport_unref(exchange->transport);
    kin__free(exchange);
}

kin__exchange *kin__exchange_ref(kin__exchange *exchange)
{
    kin__ref_get(&exchange->users);
    return exchange;
}

void kin__exchange_unref(kin__exchange *exchange)
{
    if (!exchange || !kin__ref_put(&exchange->users))
        return;
    kin__exchange_cancel(exchange);
    kin__exchange_put(exchange);
}

void kin__exchange_cancel(kin__exchange *exchange)
{
    kin__transport_post(exchange, KIN__COMMAND_CANCEL);
}

/* --- what the I/O thread puts there --- */

/* Whether the consumer is to be told: it has looked since it was told last. */
static bool mark_locked(kin__exchange *exchange) KIN_REQUIRES(exchange->lock)
{
    bool tell = !exchange->notified;

    exchange->notified = true;
    return tell;
}

/* The I/O thread does it when libcurl has returned. */
static void tell_later(kin__exchange *exchange)
{
    if (kin__list_is_empty(&exchange->telling))
        kin__list_push_back(&exchange->transport->told, &exchange->telling);
}

void kin__exchange_tell(kin__exchange *exchange)
{
    kin__cond_broadcast(&exchange->changed);
    if (exchange->notify)
        exchange->notify(exchange, exchange->arg);
}

void kin__exchange_set_answered(kin__exchange *exchange)
{
    kin__mutex_lock(&exchange->lock);
    exchange->answered = true;
    bool tell = mark_locked(exchange);
    kin__mutex_unlock(&exchange->lock);
    if (tell)
        tell_later(exchange);
}

/* A block that was read, with room for so many bytes. Smaller ones are not wanted any more. */
static kin__block *take_spare_locked(kin__exchange *exchange, size_t cap)
    KIN_REQUIRES(exchange->lock)
{
    kin__block *block;

    while ((block = exchange->spare) != NULL) {
        exchange->spare = block->next;
        exchange->spare_bytes -= block->cap;
        if (block->cap >= cap)
            break;
        free_block(block);
    }
    return block;
}

/* An empty block with room for so many bytes; NULL: no memory. */
static kin__block *new_block_locked(kin__exchange *exchange, size_t len)
    KIN_REQUIRES(exchange->lock)
{
    bool is_large = exchange->kind == KIN__LANE_LIST || len > BLOCK_SMALL / 2;
    size_t cap = is_large ? BLOCK_LARGE : BLOCK_SMALL;
    kin__block *block;

    if (exchange->queued >= BLOCK_LARGE)
        cap = BLOCK_HUGE;
    if (cap < len)
        cap = len;
    block = take_spare_locked(exchange, cap);
    if (!block) {
        block = kin__malloc(sizeof(*block) + cap);
        if (!block)
            return NULL;
        block->cap = cap;
        block->used = 0;
    }
    block->next = NULL;
    block->len = 0;
    return block;
}

static bool append_locked(kin__exchange *exchange, kin_str bytes) KIN_REQUIRES(exchange->lock)
{
    kin__block *block = exchange->last;

    if (!block || block->cap - block->len < bytes.len) {
        block = new_block_locked(exchange, bytes.len);
        if (!block)
            return false;
        if (exchange->last)
            exchange->last->next = block;
        else
            exchange->first = block;
        exchange->last = block;
    }
    memcpy(block->data + block->len, bytes.data, bytes.len);
    block->len += bytes.len;
    if (block->used < block->len)
        block->used = block->len;
    exchange->queued += bytes.len;
    return true;
}

struct news {
    bool tell; /* when libcurl has returned */
    bool wake; /* now */
};

static enum kin__feed feed_locked(kin__exchange *exchange, kin_str bytes, bool all,
                                  struct news *ret) KIN_REQUIRES(exchange->lock)
{
    if (exchange->queued >= exchange->buffer_limit && !all) {
        exchange->wants_resume = true;
        return KIN__FEED_PAUSE;
    }
    if (!append_locked(exchange, bytes))
        return KIN__FEED_NO_MEMORY;
    ret->tell = mark_locked(exchange);
    exchange->unheard += bytes.len;
    ret->wake = exchange->unheard >= exchange->buffer_limit / 4;
    if (ret->wake)
        exchange->unheard = 0;
    return KIN__FEED_TAKEN;
}

/*
 * libcurl hands over 16 KiB at a time, and may read until the stream is paused before it returns. So
 * who waits is woken when it returns, and now and then before: for each piece, waking would take longer
 * than reading; at the end alone, both sides would wait for each other.
 */
enum kin__feed kin__exchange_feed(kin__exchange *exchange, kin_str bytes, bool all)
{
    struct news news = {false, false};

    kin__mutex_lock(&exchange->lock);
    enum kin__feed result = feed_locked(exchange, bytes, all, &news);
    kin__mutex_unlock(&exchange->lock);
    if (news.wake)
        kin__cond_broadcast(&exchange->changed);
    if (news.tell)
        tell_later(exchange);
    return result;
}

void kin__exchange_set_heard(kin__exchange *exchange, int64_t when)
{
    /* One writer: the I/O thread. */
    if (when > atomic_load_explicit(&exchange->heard, memory_order_relaxed))
        atomic_store_explicit(&exchange->heard, when, memory_order_relaxed);
}

void kin__exchange_set_doubt(kin__exchange *exchange, bool in_doubt)
{
    bool tell;

    /* One writer: the I/O thread, which needs no lock to read it. */
    if (exchange->in_doubt == in_doubt)
        return;
    kin__mutex_lock(&exchange->lock);
    exchange->in_doubt = in_doubt;
    tell = mark_locked(exchange);
    kin__mutex_unlock(&exchange->lock);
    if (tell)
        tell_later(exchange);
}

void kin__exchange_set_ended(kin__exchange *exchange)
{
    kin__block *dropped = NULL;

    kin__mutex_lock(&exchange->lock);
    exchange->error = exchange->failure;
    exchange->ended = true;
    exchange->wants_resume = false;
    if (exchange->error.code == KIN_ECANCELED) {
        dropped = exchange->first;
        exchange->first = NULL;
        exchange->last = NULL;
        exchange->queued = 0;
    }
    bool tell = mark_locked(exchange);
    kin__mutex_unlock(&exchange->lock);
    free_blocks(dropped);
    if (tell)
        tell_later(exchange);
}

/* --- the consumer's side --- */

int kin__exchange_wait(kin__exchange *exchange, int64_t deadline)
{
    bool in_time = true;

    if (is_forked(exchange, NULL))
        return KIN_EFORKED;
    kin__mutex_lock(&exchange->lock);
    exchange->notified = false;
    while (!exchange->first && !exchange->ended && !exchange->may_unfold && in_time &&
           (!exchange->answered || exchange->answer_seen)) {
        in_time = kin__cond_wait_until(&exchange->changed, &exchange->lock,
                                       exchange->transport->clock, deadline);
        exchange->notified = false; /* the wake-up may have been about a doubt */
    }
    bool is_there = exchange->first || exchange->ended || exchange->may_unfold ||
                    (exchange->answered && !exchange->answer_seen);
    if (exchange->answered)
        exchange->answer_seen = true;
    kin__mutex_unlock(&exchange->lock);
    return is_there ? 0 : KIN_ETIMEOUT;
}

const kin__answer *kin__exchange_answer(kin__exchange *exchange)
{
    if (is_forked(exchange, NULL))
        return NULL;
    kin__mutex_lock(&exchange->lock);
    exchange->notified = false;
    bool answered = exchange->answered;
    exchange->answer_seen = answered;
    kin__mutex_unlock(&exchange->lock);
    return answered ? &exchange->reader.answer : NULL;
}

/* Keep the block that was read for the bytes to come; false if it is not wanted. */
static bool spare_locked(kin__exchange *exchange) KIN_REQUIRES(exchange->lock)
{
    kin__block *block = exchange->reading;

    if (!block || kin__lane_traits_of(exchange->kind)->is_shared || block->cap < BLOCK_LARGE ||
        exchange->spare_bytes + block->cap > SPARE_MAX || exchange->ended)
        return false;
    block->next = exchange->spare;
    exchange->spare = block;
    exchange->spare_bytes += block->cap;
    return true;
}

/* What lasts has read all there is: the blocks that it will not need soon. */
static kin__block *unneeded_locked(kin__exchange *exchange) KIN_REQUIRES(exchange->lock)
{
    kin__block *spare = exchange->spare;

    if (exchange->first || !kin__lane_traits_of(exchange->kind)->lasts)
        return NULL;
    exchange->spare = NULL;
    exchange->spare_bytes = 0;
    return spare;
}

/* The next block becomes the one that is read. */
static bool take_block(kin__exchange *exchange)
{
    bool resume = false;

    kin__mutex_lock(&exchange->lock);
    kin__block *unwanted = spare_locked(exchange) ? NULL : exchange->reading;
    kin__block *unneeded = unneeded_locked(exchange);
    exchange->notified = false;
    kin__block *block = exchange->first;
    if (block) {
        exchange->first = block->next;
        if (!exchange->first)
            exchange->last = NULL;
        exchange->queued -= block->len;
        resume = exchange->wants_resume && exchange->queued <= exchange->buffer_limit / 2;
        if (resume)
            exchange->wants_resume = false;
    }
    kin__mutex_unlock(&exchange->lock);
    free_block(unwanted);
    free_blocks(unneeded);
    exchange->reading = block;
    if (resume)
        kin__transport_post(exchange, KIN__COMMAND_RESUME);
    return block != NULL;
}

/* The body cannot be made sense of: that is the end, whatever else comes. */
static bool give_up(kin__exchange *exchange, int code)
{
    exchange->may_unfold = false;
    const char *server = exchange->transport->endpoint.name;

    if (code == KIN_ENOMEM)
        kin__error_no_memory(&exchange->broken);
    else if (code == KIN_ELIMIT)
        kin_error_set(&exchange->broken, code,
                      "%s: a compressed answer of %" PRIu64 " bytes has more than %" PRIu64
                      " bytes, over %u times as much; the client's max_gzip_ratio is the limit",
                      server, kin__gunzip_total_in(exchange->gunzip),
                      kin__gunzip_total_out(exchange->gunzip),
                      exchange->transport->limits.max_gzip_ratio);
    else
        kin_error_set(&exchange->broken, code, "%s: the answer's compression is damaged", server);
    kin__exchange_cancel(exchange);
    return false;
}

/* Whether it expands more than real lists do: a small body must not become gigabytes of work. */
static bool is_bomb(const kin__exchange *exchange)
{
    uint64_t in = kin__gunzip_total_in(exchange->gunzip);
    uint64_t out = kin__gunzip_total_out(exchange->gunzip);
    unsigned max = exchange->transport->limits.max_gzip_ratio;

    return out > RATIO_FROM && max < UINT_MAX && out / max > in;
}

static bool begin_unfolding(kin__exchange *exchange)
{
    if (exchange->gunzip)
        return true;
    exchange->unfolded = kin__malloc(UNFOLDED_SIZE);
    if (exchange->unfolded)
        exchange->gunzip = kin__gunzip_new();
    return exchange->gunzip != NULL;
}

static bool read_unfolded(kin__exchange *exchange, kin_str *ret)
{
    if (!begin_unfolding(exchange))
        return give_up(exchange, KIN_ENOMEM);
    for (;;) {
        size_t len = 0;
        int code = kin__gunzip_take(exchange->gunzip, exchange->unfolded, UNFOLDED_SIZE, &len);

        if (code == 0 && is_bomb(exchange))
            code = KIN_ELIMIT;
        if (code < 0)
            return give_up(exchange, code);
        exchange->may_unfold = len > 0;
        if (len > 0) {
            *ret = kin_str_make(exchange->unfolded, len);
            return true;
        }
        if (!take_block(exchange))
            return false;
        kin__gunzip_give(exchange->gunzip,
                         kin_str_make(exchange->reading->data, exchange->reading->len));
    }
}

bool kin__exchange_read(kin__exchange *exchange, kin_str *ret)
{
    if (exchange->broken.code || !kin__exchange_answer(exchange))
        return false;
    if (exchange->reader.is_gzip)
        return read_unfolded(exchange, ret);
    if (!take_block(exchange))
        return false;
    *ret = kin_str_make(exchange->reading->data, exchange->reading->len);
    return true;
}

static int say(kin_error *err, const kin_error *said)
{
    if (err && err->size) {
        size_t size = err->size < sizeof(*said) ? err->size : sizeof(*said);
        size_t given = err->size;

        memcpy(err, said, size);
        err->size = given;
    }
    return said->code;
}

/* A compressed body says itself where it ends. */
static void set_cut_off(kin__exchange *exchange)
{
    const char *server = exchange->transport->endpoint.name;

    if (exchange->reader.answer.is_delimited)
        kin_error_set(&exchange->broken, KIN_EPROTOCOL, "%s: the answer's compression is cut off",
                      server);
    else
        kin_error_set(&exchange->broken, KIN_ECONNECT,
                      "%s: the connection was lost within the answer", server);
}

bool kin__exchange_ended(kin__exchange *exchange, int *ret_code, kin_error *err)
{
    if (is_forked(exchange, err)) {
        *ret_code = KIN_EFORKED;
        return true;
    }
    kin__mutex_lock(&exchange->lock);
    exchange->notified = false;
    bool ended =
        exchange->ended && (!exchange->first || exchange->broken.code) && !exchange->may_unfold;
    kin__mutex_unlock(&exchange->lock);
    if (!ended)
        return false;
    if (exchange->broken.code == 0 && exchange->error.code == 0 && exchange->gunzip &&
        !kin__gunzip_is_complete(exchange->gunzip))
        set_cut_off(exchange);
    const kin_error *said = exchange->broken.code ? &exchange->broken : &exchange->error;
    *ret_code = said->code ? say(err, said) : 0;
    return true;
}

int64_t kin__exchange_heard(const kin__exchange *exchange)
{
    return atomic_load_explicit(&exchange->heard, memory_order_relaxed);
}

bool kin__exchange_in_doubt(kin__exchange *exchange)
{
    if (is_forked(exchange, NULL))
        return false;
    kin__mutex_lock(&exchange->lock);
    exchange->notified = false;
    bool in_doubt = exchange->in_doubt && !exchange->ended;
    kin__mutex_unlock(&exchange->lock);
    return in_doubt;
}

bool kin__exchange_was_sent(kin__exchange *exchange)
{
    return atomic_load(&exchange->was_sent);
}
