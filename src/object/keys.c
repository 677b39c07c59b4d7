/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key dictionary: an append-only array of entries and an open-addressing index of ids.
 *
 * Learning is guarded against keys that only look like a vocabulary. A key must have been met in
 * several objects, must not be one of managedFields' selectors (`k:{…}`, `v:…`: they hold addresses
 * and uids), and keys that are not plain field names (labels, annotations, data of ConfigMaps) may
 * take a part of the room only, and so may values, so that fields of custom resources find some
 * whatever was there before.
 *
 * Documents hold ids without counting them, so a word cannot be removed. Instead the last room is
 * kept for common words: where it becomes scarce, and then each time it is halved, a word must have
 * been seen in more objects (need_of()).
 *
 * Whoever gets an id from find() sees its entry: the index slot is stored with release after the
 * entry, and loaded with acquire. Documents hold ids only of keys that their maker found.
 */
#include "object/keys.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/mutex.h"
#include "object/sightings.h"

#define INDEX_BITS 14
#define INDEX_LEN (1u << INDEX_BITS)
#define KEY_LEN_MAX 63
#define TEXT_MAX ((size_t)KIN__KEYS_MAX * (KEY_LEN_MAX + 1))

/* A kind of words. Names and values take a part of the room at most. */
struct kind {
    unsigned max;
    unsigned scarce;      /* from this room on a word needs more sightings */
    unsigned easy;        /* which of `needs` holds before that */
    _Atomic unsigned len; /* (lock) learnt; read without the lock to see whether there is room */
};

#define NAMES_MAX 1500u
#define VALUES_MAX 4256u
#define FIELDS_MAX (KIN__KEYS_MAX - KIN__KEY_BUILT_IN)

/* Counts of sightings at which a word is learnt, as its kind has less and less room. */
static const uint8_t needs[] = {3, 6, 12, 13, 14, 15};
#define NEEDS_LEN (sizeof(needs) / sizeof(needs[0]))
#define NEEDS_OF_VALUES 2

static struct kind fields = {.max = FIELDS_MAX, .scarce = 1000};
static struct kind names = {.max = NAMES_MAX, .scarce = NAMES_MAX / 2};
/* Later than names: they have been seen in 12 objects already, and each saves more. */
static struct kind values = {.max = VALUES_MAX, .scarce = 256, .easy = NEEDS_OF_VALUES};

_Static_assert(FIELDS_MAX > NAMES_MAX + VALUES_MAX + 2000u, "there is room for fields");
_Static_assert(KIN__KEYS_MAX <= INDEX_LEN / 2, "the index is at most half full");
_Static_assert(KIN__WORD_MAX <= KEY_LEN_MAX, "the texts have room for all");

struct kin__key_entry kin__key_entries[KIN__KEYS_MAX] = {
#define KIN__KEY_DEF(name, text_) [KIN__KEY_##name] = {text_, sizeof(text_) - 1, 0},
#include "object/keys.def"
#undef KIN__KEY_DEF
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool ready;
/* Ids plus one; 0 is free. A slot is written once. */
static _Atomic uint16_t index_slots[INDEX_LEN];

static kin__mutex lock = KIN__MUTEX_INITIALIZER(KIN__RANK_KEYS);
/* Written under the lock; read without it to see whether there is room at all. */
static _Atomic unsigned entries_len = KIN__KEY_BUILT_IN;
static char texts[TEXT_MAX]; /* (lock) after texts_len; room for all */
static size_t texts_len;     /* (lock) */

uint32_t kin__keys_hash(kin_str key)
{
    return (uint32_t)kin__hash(kin__hash_seed(), key.data, key.len);
}

static void add_to_index(uint16_t id)
{
    unsigned i = kin__key_entries[id].hash & (INDEX_LEN - 1);

    while (atomic_load_explicit(&index_slots[i], memory_order_relaxed) != 0)
        i = (i + 1) & (INDEX_LEN - 1);
    atomic_store_explicit(&index_slots[i], (uint16_t)(id + 1), memory_order_release);
}

static void init_once(void)
{
    for (unsigned id = 0; id < KIN__KEY_BUILT_IN; id++) {
        kin__key_entries[id].hash = kin__keys_hash(kin__keys_text((uint16_t)id));
        add_to_index((uint16_t)id);
    }
    atomic_store_explicit(&ready, true, memory_order_release);
}

void kin__keys_init(void)
{
    if (kin__unlikely(!atomic_load_explicit(&ready, memory_order_acquire)))
        pthread_once(&once, init_once);
}

uint16_t kin__keys_find_hashed(kin_str key, uint32_t hash)
{
    for (unsigned i = hash & (INDEX_LEN - 1);; i = (i + 1) & (INDEX_LEN - 1)) {
        unsigned slot = atomic_load_explicit(&index_slots[i], memory_order_acquire);

        if (slot == 0)
            return KIN__KEY_TEXT;

        const struct kin__key_entry *entry = &kin__key_entries[slot - 1];

        if (entry->hash == hash && entry->len == key.len &&
            memcmp(entry->text, key.data, key.len) == 0)
            return (uint16_t)(slot - 1);
    }
}

uint16_t kin__keys_find(kin_str key)
{
    kin__keys_init();
    return kin__keys_find_hashed(key, kin__keys_hash(key));
}

static bool is_field_name(kin_str key)
{
    for (size_t i = 0; i < key.len; i++) {
        unsigned char c = (unsigned char)key.data[i];

        /* The colon is for the "f:" of managedFields. */
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == ':'))
            return false;
    }
    return true;
}

static unsigned peek(const _Atomic unsigned *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* How many more words of a kind there is room for. */
static unsigned room_of(const struct kind *kind)
{
    unsigned all = KIN__KEYS_MAX - peek(&entries_len);
    unsigned own = kind->max - peek(&kind->len);

    return own < all ? own : all;
}

/* The count of sightings that a word needs now. */
static unsigned need_of(const struct kind *kind)
{
    unsigned room = room_of(kind);
    unsigned i = kind->easy;

    if (room == 0)
        return KIN__SIGHTINGS_MAX + 1;
    for (; i < NEEDS_LEN - 1 && room <= kind->scarce; room *= 2)
        i++;
    return needs[i];
}

/* The id, also if another thread was quicker, or KIN__KEY_TEXT if it was seen too seldom. */
static uint16_t add_word(kin_str word, uint32_t hash, struct kind *kind, unsigned sightings)
{
    /* The need never falls, so most threads need no lock to see it. */
    if (sightings < need_of(kind))
        return KIN__KEY_TEXT;
    kin__mutex_lock(&lock);
    uint16_t id = kin__keys_find_hashed(word, hash);
    if (id == KIN__KEY_TEXT && sightings >= need_of(kind)) {
        char *text = texts + texts_len;

        memcpy(text, word.data, word.len);
        text[word.len] = '\0';
        texts_len += word.len + 1;
        ++kind->len;
        id = (uint16_t)entries_len++;
        kin__key_entries[id] = (struct kin__key_entry){text, (uint32_t)word.len, hash};
        add_to_index(id);
    }
    kin__mutex_unlock(&lock);
    return id;
}

/* What is predicted or encoded is compared and written as it is: it must need no escape in JSON. */
static bool is_plain(kin_str word)
{
    for (size_t i = 0; i < word.len; i++) {
        if ((unsigned char)word.data[i] < 0x20 || word.data[i] == '"' || word.data[i] == '\\')
            return false;
    }
    return true;
}

void kin__keys_note(kin_str key, uint32_t hash, uint32_t origin)
{
    if (key.len >= 2 && (key.data[0] == 'k' || key.data[0] == 'v') && key.data[1] == ':')
        return;
    if (key.len == 0 || key.len > KEY_LEN_MAX || !is_plain(key))
        return;

    /* Another hash than the content's: a string value is no sighting of a key. */
    unsigned sightings = kin__sightings_add(hash * 0x9e3779b1u, origin);

    add_word(key, hash, is_field_name(key) ? &fields : &names, sightings);
}

uint16_t kin__keys_learn_value(kin_str word, uint32_t hash, unsigned sightings)
{
    if (word.len < KIN__WORD_MIN || word.len > KIN__WORD_MAX || !is_plain(word))
        return KIN__KEY_TEXT;
    return add_word(word, hash, &values, sightings);
}

unsigned kin__keys_learnt(void)
{
    return peek(&entries_len) - KIN__KEY_BUILT_IN;
}

void kin__keys_before_fork(void)
{
    pthread_mutex_lock(&lock.mutex);
}

void kin__keys_after_fork(void)
{
    pthread_mutex_unlock(&lock.mutex);
}
