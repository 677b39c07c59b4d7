/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "kin_test.h"

struct change {
    enum kin_watch_type type;
    unsigned pod;
    unsigned version;
    bool is_spoilt;
};

struct kin_test_world {
    kin_test_source *source;
    pthread_mutex_t lock; /* callbacks of one operation come one at a time: under it */
    unsigned versions[KIN_TEST_WORLD_PODS]; /* (lock) 0: it is not there */
    unsigned version;                       /* (lock) the last */
    unsigned oldest;                        /* (lock) a watch from before cannot be had */
    struct change *changes;                 /* (lock) */
    size_t n_changes;                       /* (lock) */
    kin_test_pull **watches;                /* (lock) */
    size_t n_watches;                       /* (lock) */
};

static __thread char differs_text[256];

/* --- operations --- */

static void name_of(char ret[32], unsigned pod, unsigned version)
{
    snprintf(ret, 32, "p%u:%u", pod, version);
}

static void end_with(kin_test_pull *pull, int code)
{
    kin_error err = KIN_ERROR_INIT;

    kin_error_set(&err, code, "%s", kin_error_string(code));
    kin_test_pull_end(pull, code, &err, NULL, true);
}

static void list(kin_test_world *world, kin_test_pull *pull)
{
    char text[32];
    int code = 0;

    for (unsigned i = 0; i < KIN_TEST_WORLD_PODS && code == 0; i++) {
        if (world->versions[i] == 0)
            continue;
        name_of(text, i, world->versions[i]);
        code = kin_test_pull_item(pull, text);
    }
    snprintf(text, sizeof(text), "%u", world->version);
    if (code == 0)
        kin_test_pull_list_done(pull, text, NULL);
    else
        end_with(pull, code);
}

static int send(kin_test_pull *pull, const struct change *change)
{
    char text[32];

    if (change->is_spoilt) {
        snprintf(text, sizeof(text), "default/p%u", change->pod);
        return kin_test_pull_bad(pull, change->type, text);
    }
    name_of(text, change->pod, change->version);
    return kin_test_pull_event(pull, change->type, text);
}

static void expire(kin_test_pull *pull)
{
    static const kin_test_failure_of expired = {
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired", .message = "too old"};

    kin_test_pull_fail(pull, &expired, false);
}

static void watch(kin_test_world *world, kin_test_pull *pull)
{
    unsigned from = (unsigned)strtoul(pull->version, NULL, 10);
    int code = 0;

    if (from < world->oldest) {
        expire(pull);
        return;
    }
    for (size_t i = 0; i < world->n_changes && code == 0; i++) {
        if (world->changes[i].version > from)
            code = send(pull, &world->changes[i]);
    }
    if (code < 0) {
        end_with(pull, code);
        return;
    }
    world->watches = realloc(world->watches, (world->n_watches + 1) * sizeof(*world->watches));
    world->watches[world->n_watches++] = pull;
}

static int on_begin(kin_test_pull *pull, void *arg, kin_error *err)
{
    kin_test_world *world = arg;

    (void)err;
    pthread_mutex_lock(&world->lock);
    if (pull->is_list)
        list(world, pull);
    else
        watch(world, pull);
    pthread_mutex_unlock(&world->lock);
    return 0;
}

/* --- life --- */

kin_test_world *kin_test_world_new(void)
{
    kin_test_world *world = calloc(1, sizeof(*world));

    pthread_mutex_init(&world->lock, NULL);
    world->version = 1;
    world->source = kin_test_source_new(false);
    kin_test_source_on_begin(world->source, on_begin, world);
    return world;
}

void kin_test_world_free(kin_test_world *world)
{
    kin_test_source_free(world->source);
    pthread_mutex_destroy(&world->lock);
    free(world->changes);
    free(world->watches);
    free(world);
}

kin_list_watch *kin_test_world_list_watch(kin_test_world *world)
{
    return kin_test_source_list_watch(world->source);
}

/* --- changes --- */

/* Those that nobody wants any more end, as they do with a server. */
static void tell_watches(kin_test_world *world, const struct change *change)
{
    size_t n = 0;

    for (size_t i = 0; i < world->n_watches; i++) {
        kin_test_pull *pull = world->watches[i];
        int code = kin_test_pull_is_open(pull) ? send(pull, change) : KIN_ECANCELED;

        if (code == 0)
            world->watches[n++] = pull;
        else
            end_with(pull, code);
    }
    world->n_watches = n;
}

static unsigned note(kin_test_world *world, enum kin_watch_type type, unsigned pod, bool is_spoilt)
{
    struct change change = {type, pod, ++world->version, is_spoilt};

    world->changes = realloc(world->changes, (world->n_changes + 1) * sizeof(*world->changes));
    world->changes[world->n_changes++] = change;
    world->versions[pod] = type == KIN_WATCH_DELETED ? 0 : change.version;
    tell_watches(world, &change);
    return change.version;
}

static unsigned change(kin_test_world *world, unsigned pod, bool is_spoilt)
{
    pthread_mutex_lock(&world->lock);
    unsigned version =
        note(world, world->versions[pod] ? KIN_WATCH_MODIFIED : KIN_WATCH_ADDED, pod, is_spoilt);

    pthread_mutex_unlock(&world->lock);
    return version;
}

unsigned kin_test_world_put(kin_test_world *world, unsigned pod)
{
    return change(world, pod, false);
}

unsigned kin_test_world_spoil(kin_test_world *world, unsigned pod)
{
    return change(world, pod, true);
}

unsigned kin_test_world_delete(kin_test_world *world, unsigned pod)
{
    pthread_mutex_lock(&world->lock);
    unsigned version = world->version;

    if (world->versions[pod])
        version = note(world, KIN_WATCH_DELETED, pod, false);
    pthread_mutex_unlock(&world->lock);
    return version;
}

void kin_test_world_version(kin_test_world *world, char ret[24])
{
    pthread_mutex_lock(&world->lock);
    snprintf(ret, 24, "%u", world->version);
    pthread_mutex_unlock(&world->lock);
}

void kin_test_world_break(kin_test_world *world, bool expired)
{
    pthread_mutex_lock(&world->lock);
    /* Its end may begin another one, on another thread: which waits for the lock. */
    for (size_t i = 0; i < world->n_watches; i++)
        kin_test_pull_close(world->watches[i]);
    world->n_watches = 0;
    if (expired) {
        world->n_changes = 0;
        world->oldest = ++world->version;
    }
    pthread_mutex_unlock(&world->lock);
}

/* --- comparing --- */

static unsigned number_of(kin_str text)
{
    unsigned n = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] >= '0' && text.data[i] <= '9')
            n = n * 10 + (unsigned)(text.data[i] - '0');
    }
    return n;
}

static int see(kin_str key, const kin_object *object, void *arg)
{
    unsigned *versions = arg;
    unsigned pod = number_of(kin_object_name(object));

    (void)key;
    if (pod < KIN_TEST_WORLD_PODS)
        versions[pod] = number_of(kin_object_resource_version(object));
    return 0;
}

static const char *compare(kin_test_world *world, const unsigned *versions, unsigned modulus,
                           const char *who)
{
    const char *found = NULL;

    pthread_mutex_lock(&world->lock);
    for (unsigned i = 0; i < KIN_TEST_WORLD_PODS; i++) {
        unsigned expected = modulus && i % modulus ? 0 : world->versions[i];

        if (versions[i] == expected)
            continue;
        snprintf(differs_text, sizeof(differs_text), "%s has p%u in version %u, not %u", who, i,
                 versions[i], expected);
        found = differs_text;
        break;
    }
    pthread_mutex_unlock(&world->lock);
    return found;
}

const char *kin_test_world_differs(kin_test_world *world, kin_store *store)
{
    unsigned versions[KIN_TEST_WORLD_PODS] = {0};

    assert_code(kin_store_each(store, see, versions, NULL), 0);
    return compare(world, versions, 0, "the store");
}

/* --- mirrors --- */

void kin_test_mirror_init(kin_test_mirror *mirror)
{
    *mirror = (kin_test_mirror){.n_told = 0};
    pthread_mutex_init(&mirror->lock, NULL);
    atomic_init(&mirror->n_freed, 0);
}

void kin_test_mirror_done(kin_test_mirror *mirror)
{
    pthread_mutex_destroy(&mirror->lock);
}

void kin_test_mirror_freed(void *mirror)
{
    atomic_fetch_add(&((kin_test_mirror *)mirror)->n_freed, 1);
}

bool kin_test_mirror_filter(const kin_object *object, void *arg)
{
    const kin_test_mirror *mirror = arg;

    return number_of(kin_object_name(object)) % mirror->modulus == 0;
}

static bool is_possible(const kin_test_mirror *mirror, const kin_event *event, unsigned pod)
{
    unsigned has = mirror->versions[pod];

    if (event->type == KIN_EVENT_ADD)
        return has == 0;
    if (event->type == KIN_EVENT_DELETE)
        return has != 0;
    return has == number_of(kin_object_resource_version(event->old_object));
}

static void take(kin_test_mirror *mirror, const kin_event *event)
{
    const kin_object *last = NULL;
    bool is_tombstone = kin_object_is_tombstone(event->object, &last);
    unsigned pod = number_of(kin_object_name(event->object));
    unsigned version = is_tombstone ? 0 : number_of(kin_object_resource_version(event->object));

    if (pod >= KIN_TEST_WORLD_PODS)
        return;
    if (!is_possible(mirror, event, pod) && mirror->wrong[0] == '\0')
        snprintf(mirror->wrong, sizeof(mirror->wrong), "told %s of p%u:%u, having version %u",
                 kin_event_type_name(event->type), pod, version, mirror->versions[pod]);
    mirror->versions[pod] = event->type == KIN_EVENT_DELETE ? 0 : version;
    mirror->n_told++;
    mirror->n_sync += event->is_sync;
}

void kin_test_mirror_handle(const kin_event *event, void *arg)
{
    kin_test_mirror *mirror = arg;

    pthread_mutex_lock(&mirror->lock);
    take(mirror, event);
    pthread_mutex_unlock(&mirror->lock);
    if (mirror->during)
        mirror->during(mirror->during_arg);
}

const char *kin_test_mirror_differs(kin_test_mirror *mirror, kin_test_world *world)
{
    const char *found = NULL;

    pthread_mutex_lock(&mirror->lock);
    if (mirror->wrong[0]) {
        snprintf(differs_text, sizeof(differs_text), "%s", mirror->wrong);
        found = differs_text;
    } else {
        found = compare(world, mirror->versions, mirror->modulus, "the handler");
    }
    pthread_mutex_unlock(&mirror->lock);
    return found;
}
