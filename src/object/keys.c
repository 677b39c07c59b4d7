/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key dictionary: an append-only array of entries and an open-addressing index of ids.
 *
 * Learning is guarded against keys that only look like a vocabulary. A key must have been met
 * several times, must not be one of managedFields' selectors (`k:{…}`, `v:…`: they hold addresses
 * and uids), and keys that are not plain field names (labels, annotations, data of ConfigMaps) may
 * take a part of the room only, and so may values, so that fields of custom resources find some
 * whatever was there before.
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
#define TEXT_MAX 196608u
/* The sighting at which a key is learnt. */
#define LEARN_AT 3u
/*
 * How many of them may be keys that are no field names, and values: so each finds room for a
 * vocabulary.
 */
#define NAMES_MAX 1500u
#define VALUES_MAX 4000u

_Static_assert(KIN__KEYS_MAX <= INDEX_LEN / 2, "the index is at most half full");

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
static _Atomic unsigned names_len;  /* (lock) learnt keys that are no field names */
static _Atomic unsigned values_len; /* (lock) learnt values */
static char texts[TEXT_MAX];        /* (lock) for what is behind texts_len */
static _Atomic size_t texts_len;    /* (lock) */

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

/* Once there is none it stays so, and nobody has to wait for the lock to be told. */
static bool has_room(size_t len, const _Atomic unsigned *counter, unsigned counter_max)
{
    return peek(&entries_len) < KIN__KEYS_MAX &&
           TEXT_MAX - atomic_load_explicit(&texts_len, memory_order_relaxed) >= len + 1 &&
           (!counter || peek(counter) < counter_max);
}

/* The id, also if another thread was quicker, or KIN__KEY_TEXT if there is no room. */
static uint16_t add_word(kin_str word, uint32_t hash, _Atomic unsigned *counter,
                         unsigned counter_max)
{
    if (!has_room(word.len, counter, counter_max))
        return KIN__KEY_TEXT;
    kin__mutex_lock(&lock);
    uint16_t id = kin__keys_find_hashed(word, hash);
    if (id == KIN__KEY_TEXT && has_room(word.len, counter, counter_max)) {
        char *text = texts + texts_len;

        memcpy(text, word.data, word.len);
        text[word.len] = '\0';
        texts_len += word.len + 1;
        if (counter)
            ++*counter;
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

uint16_t kin__keys_learn(kin_str key, uint32_t hash)
{
    uint16_t id = kin__keys_find_hashed(key, hash);

    if (id != KIN__KEY_TEXT || key.len == 0 || key.len > KEY_LEN_MAX || !is_plain(key))
        return id;
    if (key.len >= 2 && (key.data[0] == 'k' || key.data[0] == 'v') && key.data[1] == ':')
        return id;
    /* Another hash than the content's: a string value is no sighting of a key. */
    if (kin__sightings_add(hash * 0x9e3779b1u, KIN__ANY_ORIGIN) < LEARN_AT)
        return id;
    return is_field_name(key) ? add_word(key, hash, NULL, 0)
                              : add_word(key, hash, &names_len, NAMES_MAX);
}

uint16_t kin__keys_learn_value(kin_str word, uint32_t hash)
{
    if (word.len < KIN__WORD_MIN || word.len > KIN__WORD_MAX || !is_plain(word))
        return KIN__KEY_TEXT;
    return add_word(word, hash, &values_len, VALUES_MAX);
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
