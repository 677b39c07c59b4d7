/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries in the order in which they were added, each an object with its fingerprint, and a map that
 * finds them by the object's address.
 *
 * Hash functions are the user's, and slow: they run without the lock. A check goes through the list
 * behind a marker of its own, which stays in the list while the lock is not held; so entries may come
 * and go meanwhile, several checks may run at once, and none needs memory. It ends where the list
 * ended when it began.
 *
 * Who finds a change notes the new fingerprint, under the lock, if the entry is still there with the
 * old one. So each change is told once. Who takes an entry out looks at it for the last time.
 */
#include "kinform/mutation_detector.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/options.h"
#include "base/process.h"
#include "base/str.h"
#include "object/fingerprint.h"
#include "object/object.h"

/* An entry that is added takes out so many that are too old: more than come in. */
enum { FORGET_PER_ADD = 2 };

/* client-go's. */
enum { DEFAULT_RETAIN_MS = 2 * 60 * 1000 };

struct entry {
    kin__map_node node;       /* the key is the object's address, `object` itself */
    kin__list link;           /* as they were added; or among those that were taken out */
    const kin_object *object; /* SHARED; NULL: a marker */
    uint64_t fingerprint;
    uint64_t order; /* added later: larger */
    int64_t added_at;
};

struct kin_mutation_detector {
    kin__fork_guard guard;
    char *name;
    kin_logger *logger;
    kin_clock *clock;
    int64_t retain; /* nanoseconds */
    kin_mutation_detector_altered_fn *altered;
    void *altered_arg;

    kin__mutex lock;   /* rank MUTATION_DETECTOR */
    kin__map map;      /* (lock) */
    kin__list entries; /* (lock) the oldest first; with markers in between */
    uint64_t order;    /* (lock) of the last one */
};

static struct entry *entry_of_link(kin__list *link)
{
    return kin__list_entry(link, struct entry, link);
}

/* --- the environment --- */

/* As Go's strconv.ParseBool() takes it. */
static bool is_true(const char *text)
{
    static const char *const texts[] = {"1", "t", "T", "true", "True", "TRUE"};

    for (size_t i = 0; text && i < kin__array_len(texts); i++)
        if (strcmp(text, texts[i]) == 0)
            return true;
    return false;
}

bool kin_mutation_detector_wanted(void)
{
    return is_true(secure_getenv("KIN_CACHE_MUTATION_DETECTOR")) ||
           is_true(secure_getenv("KUBE_CACHE_MUTATION_DETECTOR"));
}

/* --- life --- */

static int init(kin_mutation_detector *detector, const kin_mutation_detector_options *options,
                kin_error *err)
{
    int64_t retain_ms = options->retain_ms ? options->retain_ms : DEFAULT_RETAIN_MS;
    int code = kin__fork_guard_init(&detector->guard, err);

    if (code < 0)
        return code;
    detector->name =
        kin__memdup_str(kin_str_of(options->name ? options->name : "mutation detector"));
    if (!detector->name)
        return kin__error_no_memory(err);
    detector->logger = options->logger ? kin_logger_ref(options->logger) : kin_default_logger();
    detector->clock = options->clock ? kin_clock_ref(options->clock) : kin_clock_system();
    detector->retain =
        retain_ms > INT64_MAX / KIN__MILLISECOND ? INT64_MAX : retain_ms * KIN__MILLISECOND;
    detector->altered = options->altered;
    detector->altered_arg = options->altered_arg;
    kin__mutex_init(&detector->lock, KIN__RANK_MUTATION_DETECTOR);
    kin__map_init(&detector->map, kin__hash_seed());
    kin__list_init(&detector->entries);
    return 0;
}

int kin_mutation_detector_new(kin_mutation_detector **ret,
                              const kin_mutation_detector_options *options, kin_error *err)
{
    kin_mutation_detector_options all = KIN_MUTATION_DETECTOR_OPTIONS_INIT;
    kin_mutation_detector *detector;
    int code;

    if (!ret)
        return kin__error_null(err, "ret");
    code = kin__options_take(&all, sizeof(all), options, "KIN_MUTATION_DETECTOR_OPTIONS_INIT", err);
    if (code < 0)
        return code;
    if (all.retain_ms < 0)
        return kin_error_set(err, KIN_EINVAL, "retain_ms is negative");
    detector = kin__calloc(1, sizeof(*detector));
    if (!detector)
        return kin__error_no_memory(err);
    code = init(detector, &all, err);
    if (code < 0) {
        kin__free(detector);
        return code;
    }
    *ret = detector;
    return 0;
}

static void entry_free(struct entry *entry)
{
    kin_object_unref(entry->object);
    kin__free(entry);
}

void kin_mutation_detector_free(kin_mutation_detector *detector)
{
    kin__list *link;

    if (!detector)
        return;
    while ((link = kin__list_pop_front(&detector->entries)))
        entry_free(entry_of_link(link));
    kin__map_done(&detector->map);
    if (kin__fork_guard_check(&detector->guard, NULL) == 0)
        kin__mutex_done(&detector->lock);
    kin_clock_unref(detector->clock);
    kin_logger_unref(detector->logger);
    kin__free(detector->name);
    kin__free(detector);
}

static int check_detector(const kin_mutation_detector *detector, kin_error *err)
{
    return detector ? kin__fork_guard_check(&detector->guard, err)
                    : kin__error_null(err, "detector");
}

/* --- entries --- */

static kin_str address_of(const kin_object *const *object)
{
    return kin_str_make((const char *)object, sizeof(*object));
}

static struct entry *find_locked(const kin_mutation_detector *detector, const kin_object *object)
    KIN_REQUIRES(detector->lock)
{
    kin__map_node *node = kin__map_get(&detector->map, address_of(&object));

    return node ? kin__container_of(node, struct entry, node) : NULL;
}

/* The next entry behind a place in the list that is no marker, or NULL. */
static struct entry *next_locked(kin_mutation_detector *detector, const kin__list *place)
    KIN_REQUIRES(detector->lock)
{
    kin__list *link = place->next;

    while (link != &detector->entries && !entry_of_link(link)->object)
        link = link->next;
    return link == &detector->entries ? NULL : entry_of_link(link);
}

/* Its time begins now. */
static void renew_locked(kin_mutation_detector *detector, struct entry *entry)
    KIN_REQUIRES(detector->lock)
{
    entry->order = ++detector->order;
    entry->added_at = kin_clock_now(detector->clock);
    kin__list_remove(&entry->link);
    kin__list_push_back(&detector->entries, &entry->link);
}

/* Take out the oldest ones that are too old and not younger than `order`, `max` at most. */
static void take_old_locked(kin_mutation_detector *detector, uint64_t order, size_t max,
                            kin__list *taken) KIN_REQUIRES(detector->lock)
{
    int64_t now = kin_clock_now(detector->clock);
    struct entry *entry = next_locked(detector, &detector->entries);

    while (entry && max-- > 0 && entry->order <= order &&
           now - entry->added_at > detector->retain) {
        kin__map_remove(&detector->map, &entry->node);
        kin__list_remove(&entry->link);
        kin__list_push_back(taken, &entry->link);
        entry = next_locked(detector, &detector->entries);
    }
}

static void tell(kin_mutation_detector *detector, const kin_object *object)
{
    kin__log(detector->logger, KIN_LOG_ERROR, "mutation detector",
             "an object that is shared was written to", KIN__LOG_S("detector", detector->name),
             KIN__LOG_S("class", object->object_class->name),
             KIN__LOG_V("key", kin__object_key(object)));
    if (detector->altered) {
        kin__assert_no_locks();
        detector->altered(object, detector->altered_arg);
    }
}

/* Of what was taken out: look for the last time, and free it. How many had changed. */
static size_t forget(kin_mutation_detector *detector, kin__list *taken)
{
    kin__list *link;
    size_t altered = 0;

    while ((link = kin__list_pop_front(taken))) {
        struct entry *entry = entry_of_link(link);

        if (kin__object_fingerprint(entry->object) != entry->fingerprint) {
            altered++;
            tell(detector, entry->object);
        }
        entry_free(entry);
    }
    return altered;
}

/* --- adding --- */

static bool renew(kin_mutation_detector *detector, const kin_object *object)
{
    struct entry *entry;

    kin__mutex_lock(&detector->lock);
    entry = find_locked(detector, object);
    if (entry)
        renew_locked(detector, entry);
    kin__mutex_unlock(&detector->lock);
    return entry != NULL;
}

static int add_new(kin_mutation_detector *detector, const kin_object *object, kin__list *taken)
{
    struct entry *entry = kin__calloc(1, sizeof(*entry));
    kin__map_node *existing = NULL;
    int code;

    if (!entry)
        return KIN_ENOMEM;
    entry->fingerprint = kin__object_fingerprint(object);
    entry->object = kin_object_ref(object);
    kin__list_init(&entry->link);
    kin__mutex_lock(&detector->lock);
    code = kin__map_add(&detector->map, &entry->node, address_of(&entry->object), &existing);
    /* Another thread may have added it meanwhile; its fingerprint is older. */
    if (code == 0)
        renew_locked(detector, existing ? kin__container_of(existing, struct entry, node) : entry);
    if (code == 0)
        take_old_locked(detector, detector->order, FORGET_PER_ADD, taken);
    kin__mutex_unlock(&detector->lock);
    if (code < 0 || existing)
        entry_free(entry);
    return code;
}

int kin_mutation_detector_add(kin_mutation_detector *detector, const kin_object *object,
                              kin_error *err)
{
    kin__list taken;
    int code = check_detector(detector, err);

    if (code == 0 && !object)
        code = kin__error_null(err, "object");
    if (code < 0)
        return code;
    if (kin_object_is_tombstone(object, NULL) || renew(detector, object))
        return 0;
    kin__list_init(&taken);
    code = add_new(detector, object, &taken);
    forget(detector, &taken);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

/* --- checking --- */

/* A reference to the object behind the marker, which moves on; NULL at the end. */
static const kin_object *step_locked(kin_mutation_detector *detector, struct entry *marker,
                                     uint64_t *ret_fingerprint) KIN_REQUIRES(detector->lock)
{
    struct entry *entry = next_locked(detector, &marker->link);

    if (!entry || entry->order > marker->order)
        return NULL;
    kin__list_remove(&marker->link);
    kin__list_push_front(&entry->link, &marker->link);
    *ret_fingerprint = entry->fingerprint;
    return kin_object_ref(entry->object);
}

static bool look_at(kin_mutation_detector *detector, const kin_object *object, uint64_t fingerprint)
{
    uint64_t now = kin__object_fingerprint(object);
    struct entry *entry;
    bool altered;

    if (now == fingerprint)
        return false;
    kin__mutex_lock(&detector->lock);
    entry = find_locked(detector, object);
    altered = entry && entry->fingerprint == fingerprint;
    if (altered)
        entry->fingerprint = now;
    kin__mutex_unlock(&detector->lock);
    if (altered)
        tell(detector, object);
    return altered;
}

int kin_mutation_detector_check(kin_mutation_detector *detector, size_t *ret_altered,
                                kin_error *err)
{
    struct entry marker = {.object = NULL};
    const kin_object *object;
    uint64_t fingerprint;
    size_t altered = 0;
    kin__list taken;
    int code = check_detector(detector, err);

    if (code < 0)
        return code;
    kin__list_init(&taken);
    kin__mutex_lock(&detector->lock);
    marker.order = detector->order;
    kin__list_push_front(&detector->entries, &marker.link);
    while ((object = step_locked(detector, &marker, &fingerprint))) {
        kin__mutex_unlock(&detector->lock);
        altered += look_at(detector, object, fingerprint);
        kin_object_unref(object);
        kin__mutex_lock(&detector->lock);
    }
    kin__list_remove(&marker.link);
    take_old_locked(detector, marker.order, SIZE_MAX, &taken);
    kin__mutex_unlock(&detector->lock);
    altered += forget(detector, &taken);
    if (ret_altered)
        *ret_altered = altered;
    return 0;
}

size_t kin_mutation_detector_len(kin_mutation_detector *detector)
{
    size_t len;

    if (check_detector(detector, NULL) < 0)
        return 0;
    kin__mutex_lock(&detector->lock);
    len = kin__map_len(&detector->map);
    kin__mutex_unlock(&detector->lock);
    return len;
}
