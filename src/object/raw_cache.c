/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two slots for each hash. A newcomer takes a free one, or that of an entry that was not used since
 * the last newcomer came by; so what is used often stays, and what is not makes room.
 */
#include "object/raw_cache.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "object/json_scan.h"

#define SLOTS 8192u
#define BYTES_MAX 1048576u
/* Longer texts would take too much of the room. */
#define TEXT_MAX 65536u
#define USES_MAX 7u
#define SCORE_MAX 60u
#define SCORE_START 16u
/*
 * With a score of 0 so many chances are let pass, and more each time nothing comes of one. Even, so
 * that what alternates is met in turn.
 */
#define PASS_MIN 6u
#define PASS_MAX 60u

struct kin__raw_entry {
    const kin__shared *shared;
    uint64_t hash;
    uint32_t len;
    uint16_t uses; /* since it came, saturating */
    uint16_t height;
    uint16_t form;
    char text[];
};

void kin__raw_cache_init(kin__raw_cache *cache)
{
    memset(cache, 0, sizeof(*cache));
    for (size_t i = 0; i < KIN__RAW_SCORES; i++)
        cache->scores[i] = (struct kin__raw_score){0, SCORE_START, 0, PASS_MIN};
}

static void drop_entry(kin__raw_cache *cache, size_t slot)
{
    struct kin__raw_entry *entry = cache->slots[slot];

    if (!entry)
        return;
    cache->bytes -= entry->len;
    if (entry->shared)
        kin__shared_unref(entry->shared);
    /* A text that a server sent may be a secret. */
    kin__free_wiped(entry, sizeof(*entry) + entry->len);
    cache->slots[slot] = NULL;
}

void kin__raw_cache_done(kin__raw_cache *cache)
{
    for (size_t i = 0; cache->slots && i < SLOTS; i++)
        drop_entry(cache, i);
    kin__free(cache->slots);
}

/* The first of the two slots. */
static uint32_t slot_of(uint64_t hash)
{
    return (uint32_t)(hash % SLOTS) & ~1u;
}

static bool is_entry(const struct kin__raw_entry *entry, unsigned form, const char *p, size_t left)
{
    /* The end first: texts of one kind often begin alike. */
    return entry && entry->len <= left && entry->form == form &&
           memcmp(p + entry->len - 16, entry->text + entry->len - 16, 16) == 0 &&
           memcmp(p, entry->text, entry->len) == 0;
}

static void use(struct kin__raw_entry *entry, struct kin__raw_known *ret)
{
    if (entry->uses < USES_MAX)
        entry->uses++;
    *ret = (struct kin__raw_known){entry->shared, entry->len, entry->height};
}

static uint64_t hash_of(unsigned form, const char *text, size_t len)
{
    return kin__hash(kin__hash_seed() + form, text, len);
}

static struct kin__raw_entry *search(const kin__raw_cache *cache, unsigned form, const char *p,
                                     size_t len, uint32_t *ret_slot)
{
    uint64_t hash;

    if (len < KIN__RAW_TEXT_MIN || len > TEXT_MAX)
        return NULL;
    hash = hash_of(form, p, len);
    for (uint32_t slot = slot_of(hash), i = 0; i < 2; i++) {
        struct kin__raw_entry *entry = cache->slots[slot + i];

        if (entry && entry->hash == hash && entry->len == len && is_entry(entry, form, p, len)) {
            *ret_slot = slot + i;
            return entry;
        }
    }
    return NULL;
}

/* Whether to search, given the results of earlier searches at this place. */
static bool may_look(const kin__raw_cache *cache, struct kin__raw_score *score)
{
    if (!cache->slots || (score->score == 0 && ++score->passed <= score->to_pass))
        return false;
    score->passed = 0;
    return true;
}

/* Notes the result of a search. */
static bool note_look(struct kin__raw_score *score, struct kin__raw_entry *entry,
                      struct kin__raw_known *ret)
{
    if (!entry) {
        if (score->score > 0)
            score->score--;
        else if (score->to_pass < PASS_MAX)
            score->to_pass = (uint8_t)(score->to_pass * 2 + PASS_MIN);
        return false;
    }
    score->to_pass = PASS_MIN;
    if (score->score < SCORE_MAX)
        score->score += 4;
    use(entry, ret);
    return true;
}

bool kin__raw_cache_find(kin__raw_cache *cache, unsigned context, const char *p, const char *end,
                         struct kin__raw_known *ret)
{
    struct kin__raw_score *score = &cache->scores[context % KIN__RAW_SCORES];

    if (!may_look(cache, score))
        return false;
    /* In a list what belongs together stands together. */
    if (is_entry(cache->slots[score->last], KIN__RAW_JSON, p, (size_t)(end - p))) {
        use(cache->slots[score->last], ret);
        return true;
    }

    /* Longer texts are not kept: their end need not be found, at every level of a deep one. */
    if (end - p > (ptrdiff_t)TEXT_MAX)
        end = p + TEXT_MAX;
    const char *text_end = kin__json_skip_container(p, end);
    size_t len = text_end ? (size_t)(text_end - p) : 0;

    return note_look(score, search(cache, KIN__RAW_JSON, p, len, &score->last), ret);
}

bool kin__raw_cache_find_sized(kin__raw_cache *cache, unsigned context, unsigned form,
                               const char *p, size_t len, struct kin__raw_known *ret)
{
    struct kin__raw_score *score = &cache->scores[context % KIN__RAW_SCORES];
    struct kin__raw_entry *last;

    if (!may_look(cache, score))
        return false;
    last = cache->slots[score->last];
    if (last && last->len == len && is_entry(last, form, p, len)) {
        use(last, ret);
        return true;
    }
    return note_look(score, search(cache, form, p, len, &score->last), ret);
}

/* A slot for a newcomer, emptied; SLOTS if both are in use. */
static uint32_t make_room(kin__raw_cache *cache, uint64_t hash)
{
    uint32_t slot = slot_of(hash);

    for (unsigned i = 0; i < 2; i++) {
        struct kin__raw_entry *entry = cache->slots[slot + i];

        /* The same text, known as valid only, makes place for its value. */
        if (!entry || entry->uses == 0 || (entry->hash == hash && !entry->shared)) {
            drop_entry(cache, slot + i);
            return slot + i;
        }
        entry->uses--;
    }
    return SLOTS;
}

void kin__raw_cache_add(kin__raw_cache *cache, unsigned form, const char *text, size_t len,
                        const kin__shared *shared, unsigned height)
{
    if (len < KIN__RAW_TEXT_MIN || len > TEXT_MAX)
        return;
    if (!cache->slots)
        cache->slots = kin__calloc(SLOTS, sizeof(struct kin__raw_entry *));
    if (!cache->slots)
        return;

    uint64_t hash = hash_of(form, text, len);
    uint32_t slot = make_room(cache, hash);

    if (slot == SLOTS || cache->bytes + len > BYTES_MAX)
        return;

    struct kin__raw_entry *entry = kin__malloc(sizeof(*entry) + len);

    if (!entry)
        return;
    memcpy(entry->text, text, len);
    if (shared)
        kin__shared_ref(shared);
    entry->shared = shared;
    entry->hash = hash;
    entry->len = (uint32_t)len;
    entry->uses = 1;
    entry->height = (uint16_t)height;
    entry->form = (uint16_t)form;
    cache->bytes += len;
    cache->slots[slot] = entry;
}
