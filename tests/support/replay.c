/* SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "kinform/metadata.h"

enum { PER_NAMESPACE = KIN_TEST_NAMES + KIN_TEST_MARKS };

/* --- worlds --- */

int kin_test_slot_of(const char *key)
{
    unsigned namespace_ = 0, i = 0;
    char sort = 0, end = 0;

    if (key[0] && key[1] == '/') {
        namespace_ = (unsigned)(key[0] - 'a');
        key += 2;
    }
    if (sscanf(key, "%c-%u%c", &sort, &i, &end) != 2 || namespace_ >= KIN_TEST_NAMESPACES)
        return -1;
    if (sort == 'o' && i < KIN_TEST_NAMES)
        return (int)(namespace_ * PER_NAMESPACE + i);
    if (sort == 's' && i < KIN_TEST_MARKS)
        return (int)(namespace_ * PER_NAMESPACE + KIN_TEST_NAMES + i);
    return -1;
}

void kin_test_slot_key(char ret[16], int slot, bool is_namespaced)
{
    int i = slot % PER_NAMESPACE;
    bool marks = i >= KIN_TEST_NAMES;

    ret[0] = (char)('a' + slot / PER_NAMESPACE);
    ret[1] = '/';
    (void)snprintf(ret + (is_namespaced ? 2 : 0), 14, "%c-%d", marks ? 's' : 'o',
                   marks ? i - KIN_TEST_NAMES : i);
}

int kin_test_slot_namespace(int slot)
{
    return slot / PER_NAMESPACE;
}

int kin_test_slot_of_mark(int namespace_, uint64_t mark)
{
    return namespace_ * PER_NAMESPACE + KIN_TEST_NAMES + (int)(mark % KIN_TEST_MARKS);
}

static bool is_mark(int slot)
{
    return slot % PER_NAMESPACE >= KIN_TEST_NAMES;
}

static kin_test_slot slot_of_object(const kin_object *object)
{
    kin_test_slot slot = {0};
    kin_scratch scratch;
    kin_str text;

    (void)kin__str_to_u64(&slot.version, kin_object_resource_version(object));
    if (kin_object_annotation(&text, object, kin_str_of("n"), &scratch) == 0)
        (void)kin__str_to_u64(&slot.n, text);
    return slot;
}

static int note(kin_str key, const kin_object *object, void *arg)
{
    kin_test_world *world = arg;
    int slot = kin_test_slot_of(kin_object_key(object));

    (void)key;
    if (slot < 0)
        return 1;
    world->slots[slot] = slot_of_object(object);
    return 0;
}

bool kin_test_world_of_store(kin_test_world *ret, kin_store *store)
{
    memset(ret, 0, sizeof(*ret));
    return kin_store_each(store, note, ret, NULL) == 0;
}

bool kin_test_world_equal(const kin_test_world *truth, const kin_test_world *known, bool with_n,
                          char *ret_text, size_t size)
{
    for (int i = 0; i < KIN_TEST_SLOTS; i++) {
        const kin_test_slot *is = &truth->slots[i], *seems = &known->slots[i];
        char key[16];

        if (is->version == seems->version && (!with_n || is->n == seems->n))
            continue;
        kin_test_slot_key(key, i, true);
        (void)snprintf(ret_text, size, "%s is at version %llu (n %llu), known at %llu (n %llu)",
                       key, (unsigned long long)is->version, (unsigned long long)is->n,
                       (unsigned long long)seems->version, (unsigned long long)seems->n);
        return false;
    }
    return true;
}

/* --- replays --- */

void kin_test_replay_init(kin_test_replay *replay)
{
    pthread_condattr_t attr;

    memset(replay, 0, sizeof(*replay));
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_mutex_init(&replay->lock, NULL);
    pthread_cond_init(&replay->told, &attr);
    pthread_condattr_destroy(&attr);
}

void kin_test_replay_done(kin_test_replay *replay)
{
    pthread_cond_destroy(&replay->told);
    pthread_mutex_destroy(&replay->lock);
}

/* (lock) `version`: what was told before; 0: nothing. */
static void wrong(kin_test_replay *replay, const kin_event *event, const char *what,
                  uint64_t version)
{
    if (replay->failure[0])
        return;
    (void)snprintf(replay->failure, sizeof(replay->failure),
                   "%s %s at %" KIN_STR_FMT ": %s, behind version %llu",
                   kin_event_type_name(event->type), kin_object_key(event->object),
                   KIN_STR_ARG(kin_object_resource_version(event->object)), what,
                   (unsigned long long)version);
}

/* (lock) */
static void look_at_update(kin_test_replay *replay, const kin_event *event, kin_test_slot is,
                           kin_test_slot was)
{
    kin_test_slot old = {0};

    if (event->old_object)
        old = slot_of_object(event->old_object);
    if (was.version == 0)
        wrong(replay, event, "it was not there", 0);
    else if (old.version != was.version || (old.n != was.n && !replay->may_go_back))
        wrong(replay, event, "an update from another state", was.version);
    else if (event->is_sync && is.version != was.version)
        wrong(replay, event, "a sync that changes it", was.version);
    replay->n_syncs += event->is_sync;
}

/* (lock) */
static void look_at(kin_test_replay *replay, const kin_event *event, int slot, kin_test_slot is)
{
    kin_test_slot was = replay->world.slots[slot];

    if (event->type == KIN_EVENT_ADD && was.version != 0)
        wrong(replay, event, "it was there", was.version);
    if (event->type == KIN_EVENT_DELETE && was.version == 0)
        wrong(replay, event, "it was not there", replay->highest[slot]);
    if (event->type == KIN_EVENT_UPDATE)
        look_at_update(replay, event, is, was);
    if (is.version < replay->highest[slot] && !replay->may_go_back)
        wrong(replay, event, "it goes back", replay->highest[slot]);
    replay->highest[slot] = is.version;
    replay->n_tombstones += kin_object_is_tombstone(event->object, NULL);
    if (event->type == KIN_EVENT_DELETE)
        memset(&is, 0, sizeof(is));
    replay->world.slots[slot] = is;
}

static void take_time(int64_t ns)
{
    struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

    if (ns > 0)
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

void kin_test_replay_event(const kin_event *event, void *arg)
{
    kin_test_replay *replay = arg;
    int slot = kin_test_slot_of(kin_object_key(event->object));
    const kin_object *object = event->object;
    kin_test_slot is;

    (void)kin_object_is_tombstone(event->object, &object);
    is = slot_of_object(object ? object : event->object);
    take_time(replay->slow_ns);
    pthread_mutex_lock(&replay->lock);
    replay->n_events++;
    if (slot < 0) {
        wrong(replay, event, "nobody has made it", 0);
    } else {
        look_at(replay, event, slot, is);
        if (is_mark(slot))
            pthread_cond_broadcast(&replay->told);
    }
    pthread_mutex_unlock(&replay->lock);
}

void kin_test_replay_may_go_back(kin_test_replay *replay, bool may)
{
    pthread_mutex_lock(&replay->lock);
    replay->may_go_back = may;
    for (int i = 0; i < KIN_TEST_SLOTS; i++)
        replay->highest[i] = replay->world.slots[i].version;
    pthread_mutex_unlock(&replay->lock);
}

/* (lock) */
static bool has_come(const kin_test_replay *replay, uint64_t mark, const uint64_t *versions,
                     unsigned namespaces)
{
    for (int i = 0; i < KIN_TEST_NAMESPACES; i++) {
        if ((namespaces >> i & 1) &&
            replay->world.slots[kin_test_slot_of_mark(i, mark)].version != versions[i])
            return false;
    }
    return true;
}

bool kin_test_replay_await(kin_test_replay *replay, uint64_t mark,
                           const uint64_t versions[KIN_TEST_NAMESPACES], unsigned namespaces,
                           int64_t timeout_ms)
{
    struct timespec at;
    int os_error = 0;

    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += timeout_ms / 1000;
    pthread_mutex_lock(&replay->lock);
    while (!has_come(replay, mark, versions, namespaces) && os_error == 0)
        os_error = pthread_cond_timedwait(&replay->told, &replay->lock, &at);
    bool there = has_come(replay, mark, versions, namespaces);

    pthread_mutex_unlock(&replay->lock);
    return there;
}

unsigned kin_test_replay_adopt(kin_test_replay *replay, const kin_test_world *truth)
{
    unsigned n = 0;

    pthread_mutex_lock(&replay->lock);
    for (int i = 0; i < KIN_TEST_SLOTS; i++) {
        kin_test_slot *slot = &replay->world.slots[i];

        if (slot->version != truth->slots[i].version || slot->n == truth->slots[i].n)
            continue;
        slot->n = truth->slots[i].n;
        n++;
    }
    pthread_mutex_unlock(&replay->lock);
    return n;
}

bool kin_test_replay_look(kin_test_replay *replay, kin_test_world *ret, char *ret_text, size_t size)
{
    pthread_mutex_lock(&replay->lock);
    *ret = replay->world;
    (void)snprintf(ret_text, size, "%s", replay->failure);
    pthread_mutex_unlock(&replay->lock);
    return ret_text[0] == '\0';
}
