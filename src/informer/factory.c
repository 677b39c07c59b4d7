/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factories: who asks for an informer gets the one that there is.
 *
 * Constructors and tweak functions are the user's, so they run without the lock. They may ask the
 * factory for other informers. Who asks for one that is being made waits for its maker; who would
 * wait for itself, by way of other makers perhaps, is told so instead.
 */
#include "informer/factory.h"

#include "base/assert.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/options.h"
#include "client/client.h"
#include "informer/resource_key.h"
#include "kinform/owner.h"

/* Longer names are those of nothing. */
#define NAME_BYTES_MAX 4096

struct resync {
    kin__list link;
    kin__factory_name name;
    int64_t resync_ms;
};

/* Somebody who waits for an informer. On its stack. */
struct waiter {
    kin__list link;
    pthread_t thread;
    kin__factory_entry *entry; /* NULL: the wait is over */
};

int kin__factory_check(const kin_factory *factory, kin_error *err)
{
    return factory ? kin__fork_guard_check(&factory->guard, err) : kin__error_null(err, "factory");
}

/* --- names --- */

static void name_done(kin__factory_name *name)
{
    kin__free(name->resource);
    kin__free(name->key);
}

static int name_init(kin__factory_name *name, const kin_factory *factory, const char *resource,
                     kin_error *err)
{
    *name = (kin__factory_name){NULL, NULL, false};
    if (kin__copy_text(&name->resource, resource) < 0)
        return kin__error_no_memory(err);
    int code = kin__resource_key(&name->key, &name->is_known, factory->client, resource, err);

    if (code < 0)
        name_done(name);
    return code;
}

/* The client may know by now what it means. Without memory it is found out another time. */
static void learn_locked(kin_factory *factory, kin__factory_name *name) KIN_REQUIRES(factory->lock)
{
    char *key = NULL;
    bool is_known;

    if (name->is_known ||
        kin__resource_key(&key, &is_known, factory->client, name->resource, NULL) < 0)
        return;
    kin__free(name->key);
    name->key = key;
    name->is_known = is_known;
}

/* Whatever names turn out to mean, those who say the same mean the same. */
static bool is_same(const kin__factory_name *a, const kin__factory_name *b)
{
    return strcmp(a->resource, b->resource) == 0 || strcmp(a->key, b->key) == 0;
}

/* --- entries --- */

static kin__factory_entry *entry_of(kin__list *node)
{
    return kin__list_entry(node, kin__factory_entry, link);
}

static void free_entry(kin__factory_entry *entry)
{
    name_done(&entry->name);
    kin__free(entry);
}

static void leave_locked(kin_factory *factory, kin__factory_entry *entry)
    KIN_REQUIRES(factory->lock)
{
    if (!entry)
        return;
    entry->n_uses--;
    if (entry->is_removed)
        kin__cond_broadcast(&factory->made);
}

void kin__factory_leave(kin_factory *factory, kin__factory_entry *entry)
{
    kin__mutex_lock(&factory->lock);
    leave_locked(factory, entry);
    kin__mutex_unlock(&factory->lock);
}

/* `all`: also those that were removed and not given away. */
static kin__factory_entry *next(kin_factory *factory, kin__factory_entry *entry, bool all)
{
    kin__factory_entry *found = NULL;

    kin__mutex_lock(&factory->lock);
    kin__list *node = entry ? entry->link.next : factory->entries.next;

    while (node != &factory->entries &&
           (!entry_of(node)->informer || (entry_of(node)->is_removed && !all)))
        node = node->next;
    if (node != &factory->entries) {
        found = entry_of(node);
        found->n_uses++;
    }
    leave_locked(factory, entry);
    kin__mutex_unlock(&factory->lock);
    return found;
}

kin__factory_entry *kin__factory_next(kin_factory *factory, kin__factory_entry *entry)
{
    return next(factory, entry, false);
}

static kin__factory_entry *find_locked(kin_factory *factory, const kin__factory_name *name)
    KIN_REQUIRES(factory->lock)
{
    kin__list_for_each(&factory->entries, node) {
        if (!entry_of(node)->is_removed &&
            strcmp(entry_of(node)->name.resource, name->resource) == 0)
            return entry_of(node);
    }
    kin__list_for_each(&factory->entries, node) {
        if (entry_of(node)->is_removed)
            continue;
        learn_locked(factory, &entry_of(node)->name);
        if (is_same(&entry_of(node)->name, name))
            return entry_of(node);
    }
    return NULL;
}

/* CONSUMES the name if it succeeds. */
static int add_entry_locked(kin_factory *factory, kin__factory_entry **ret, kin__factory_name *name,
                            kin_error *err) KIN_REQUIRES(factory->lock)
{
    kin__factory_entry *entry = kin__calloc(1, sizeof(*entry));

    if (!entry)
        return kin__error_no_memory(err);
    entry->name = *name;
    *name = (kin__factory_name){NULL, NULL, false};
    entry->maker = pthread_self();
    kin__list_push_back(&factory->entries, &entry->link);
    *ret = entry;
    return 0;
}

/* --- waiting for a maker --- */

static struct waiter *find_waiter_locked(kin_factory *factory, pthread_t thread)
    KIN_REQUIRES(factory->lock)
{
    kin__list_for_each(&factory->waiters, node) {
        struct waiter *waiter = kin__list_entry(node, struct waiter, link);

        if (waiter->entry && pthread_equal(waiter->thread, thread))
            return waiter;
    }
    return NULL;
}

/* Whether the one who makes it waits for this thread. Chains have no loops: nobody closes one. */
static bool is_made_by_us_locked(kin_factory *factory, const kin__factory_entry *entry)
    KIN_REQUIRES(factory->lock)
{
    while (!pthread_equal(entry->maker, pthread_self())) {
        const struct waiter *waiter = find_waiter_locked(factory, entry->maker);

        if (!waiter)
            return false;
        entry = waiter->entry;
    }
    return true;
}

/* 0: it was made, or not; KIN_EBUSY. */
static int wait_locked(kin_factory *factory, kin__factory_entry *entry, kin_error *err)
    KIN_REQUIRES(factory->lock)
{
    struct waiter waiter;

    if (is_made_by_us_locked(factory, entry))
        return kin_error_set(err, KIN_EBUSY, "the informer \"%s\" is made by who asks for it",
                             entry->name.resource);
    waiter.thread = pthread_self();
    waiter.entry = entry;
    kin__list_push_back(&factory->waiters, &waiter.link);
    while (waiter.entry)
        kin__cond_wait(&factory->made, &factory->lock);
    kin__list_remove(&waiter.link);
    return 0;
}

/* The entry of a name, whose informer may be waited for; NULL: there is none. 0, KIN_EBUSY. */
static int find_made_locked(kin_factory *factory, kin__factory_entry **ret,
                            const kin__factory_name *name, kin_error *err)
    KIN_REQUIRES(factory->lock)
{
    kin__factory_entry *entry;
    int code = 0;

    while ((entry = find_locked(factory, name)) && !entry->informer && code == 0)
        code = wait_locked(factory, entry, err);
    *ret = entry;
    return code;
}

/* `informer` NULL: it could not be made, and the next one who asks may try. */
static void finish(kin_factory *factory, kin__factory_entry *entry, kin_informer *informer)
{
    kin__mutex_lock(&factory->lock);
    kin__list_for_each(&factory->waiters, node) {
        struct waiter *waiter = kin__list_entry(node, struct waiter, link);

        if (waiter->entry == entry)
            waiter->entry = NULL;
    }
    kin__cond_broadcast(&factory->made);
    entry->informer = informer;
    if (!informer)
        kin__list_remove(&entry->link);
    kin__mutex_unlock(&factory->lock);
    if (!informer)
        free_entry(entry);
}

/* --- making --- */

static int construct_by_name(kin_informer **ret, kin_client *client, const char *resource,
                             const kin_informer_options *options, void *arg, kin_error *err)
{
    (void)arg;
    if (!client)
        return kin_error_set(err, KIN_EINVAL,
                             "a factory without a client has informers by constructors only");
    return kin_informer_new(ret, client, resource, options, err);
}

static bool has_index(const kin_string_list *names, const char *name)
{
    for (size_t i = 0; i < names->len; i++) {
        if (kin_str_equal(names->items[i], kin_str_of(name)))
            return true;
    }
    return false;
}

/* Those that a constructor has put in are its own. */
static int add_indexes(const kin_factory *factory, kin_informer *informer, kin_error *err)
{
    kin_index by_namespace = KIN_INDEX_INIT(KIN_NAMESPACE_INDEX, kin_namespace_index);
    kin_index by_owner = KIN_INDEX_INIT(KIN_OWNER_INDEX, kin_owner_index);
    kin_string_list names = KIN_STRING_LIST_INIT;
    int code = kin_store_index_names(kin_informer_store(informer), &names, err);

    if (code == 0 && !has_index(&names, KIN_NAMESPACE_INDEX))
        code = kin_informer_add_index(informer, &by_namespace, err);
    if (code == 0 && factory->index_owners && !has_index(&names, KIN_OWNER_INDEX))
        code = kin_informer_add_index(informer, &by_owner, err);
    kin_string_list_done(&names);
    return code;
}

static int construct_with(kin_factory *factory, kin_informer **ret, const char *resource,
                          const kin_informer_options *options, kin_factory_construct_fn *construct,
                          void *arg, kin_error *err)
{
    kin_informer *informer = NULL;
    kin_error said;
    int code;

    kin__error_begin(&said);
    kin__assert_no_locks();
    code = construct(&informer, factory->client, resource, options, arg, &said);
    if (code < 0)
        return kin__error_pass(err, code, &said);
    if (!informer)
        return kin_error_set(err, KIN_EINVAL, "the constructor of \"%s\" made nothing", resource);
    code = add_indexes(factory, informer, err);
    if (code < 0)
        kin_informer_free(informer);
    else
        *ret = informer;
    return code;
}

static int64_t resync_of(kin_factory *factory, const kin__factory_entry *entry)
{
    int64_t resync_ms = factory->informers.resync_ms;

    kin__mutex_lock(&factory->lock);
    kin__list_for_each(&factory->resyncs, node) {
        struct resync *resync = kin__list_entry(node, struct resync, link);

        learn_locked(factory, &resync->name);
        if (is_same(&resync->name, &entry->name))
            resync_ms = resync->resync_ms;
    }
    kin__mutex_unlock(&factory->lock);
    return resync_ms;
}

static int tweak(kin_factory *factory, const char *resource, kin_informer_options *options,
                 kin_error *err)
{
    kin_error said;
    int code;

    if (!factory->tweak)
        return 0;
    kin__error_begin(&said);
    kin__assert_no_locks();
    code = factory->tweak(resource, options, factory->tweak_arg, &said);
    return code < 0 ? kin__error_pass(err, code, &said) : 0;
}

static int make(kin_factory *factory, kin_informer **ret, const kin__factory_entry *entry,
                kin_factory_construct_fn *construct, void *arg, kin_error *err)
{
    kin_informer_options options = factory->informers;
    kin__buf name;
    int code = 0;

    kin__buf_init(&name, NAME_BYTES_MAX);
    options.resync_ms = resync_of(factory, entry);
    if (factory->name) {
        kin__buf_appendf(&name, "%s/%s", factory->name, entry->name.resource);
        options.name = name.data;
        code = name.failed == KIN_ENOMEM ? kin__error_no_memory(err) : 0;
    }
    if (code == 0)
        code = tweak(factory, entry->name.resource, &options, err);
    if (code == 0)
        code = construct_with(factory, ret, entry->name.resource, &options, construct, arg, err);
    kin__buf_done(&name);
    return code;
}

/*
 * The informer that there is, which may be waited for; or, with NULL, an entry for this thread to
 * make it for. The entry takes the name over.
 */
static int find_or_add(kin_factory *factory, kin_informer **ret, kin__factory_entry **ret_entry,
                       kin__factory_name *name, kin_error *err)
{
    kin__factory_entry *entry = NULL;
    int code;

    kin__mutex_lock(&factory->lock);
    code = find_made_locked(factory, &entry, name, err);
    if (code == 0 && entry)
        *ret = entry->informer;
    else if (code == 0)
        code = add_entry_locked(factory, ret_entry, name, err);
    kin__mutex_unlock(&factory->lock);
    return code;
}

static int get_informer(kin_factory *factory, kin_informer **ret, const char *resource,
                        kin_factory_construct_fn *construct, void *arg, kin_error *err)
{
    kin__factory_entry *entry = NULL;
    kin__factory_name name;
    int code = name_init(&name, factory, resource, err);

    if (code < 0)
        return code;
    code = find_or_add(factory, ret, &entry, &name, err);
    name_done(&name);
    if (code < 0 || !entry)
        return code;
    code = make(factory, ret, entry, construct, arg, err);
    finish(factory, entry, code < 0 ? NULL : *ret);
    return code;
}

int kin_factory_informer_for(kin_factory *factory, kin_informer **ret, const char *resource,
                             kin_factory_construct_fn *construct, void *arg, kin_error *err)
{
    kin_informer *informer = NULL;
    int code = kin__factory_check(factory, err);

    if (code == 0 && (!resource || !construct))
        code = kin__error_null(err, resource ? "construct" : "resource");
    if (code == 0 && resource[0] == '\0')
        code = kin_error_set(err, KIN_EINVAL, "no resource is named");
    if (code == 0)
        code = get_informer(factory, &informer, resource, construct, arg, err);
    if (code == 0 && ret)
        *ret = informer;
    return code;
}

int kin_factory_informer(kin_factory *factory, kin_informer **ret, const char *resource,
                         kin_error *err)
{
    return kin_factory_informer_for(factory, ret, resource, construct_by_name, NULL, err);
}

/* The entry of an informer, in use; NULL: it was removed meanwhile. */
static kin__factory_entry *use(kin_factory *factory, const kin_informer *informer)
{
    kin__factory_entry *found = NULL;

    kin__mutex_lock(&factory->lock);
    kin__list_for_each(&factory->entries, node) {
        if (entry_of(node)->informer == informer && !entry_of(node)->is_removed)
            found = entry_of(node);
    }
    if (found)
        found->n_uses++;
    kin__mutex_unlock(&factory->lock);
    return found;
}

int kin_factory_lister(kin_factory *factory, kin_lister **ret, const char *resource, kin_error *err)
{
    kin__factory_entry *entry = NULL;
    int code = ret ? 0 : kin__error_null(err, "ret");

    while (code == 0 && !entry) {
        kin_informer *informer = NULL;

        code = kin_factory_informer(factory, &informer, resource, err);
        if (code == 0)
            entry = use(factory, informer);
    }
    if (!entry)
        return code;
    code = kin_informer_lister(entry->informer, ret, err);
    kin__factory_leave(factory, entry);
    return code;
}

/* --- removing --- */

/* Who gives it away waits for those who use it, and these may wait for who asks. */
static int check_giver_locked(kin_factory *factory, kin_informer *informer, kin_error *err)
    KIN_REQUIRES(factory->lock)
{
    if (kin__workers_runs_here(kin__shared_workers_pool(informer->shared_workers)) ||
        kin__informer_handler_calls_here(informer))
        return kin_error_set(err, KIN_EBUSY, "a callback of \"%s\" would wait for itself",
                             informer->name);
    if (kin__factory_starts_here_locked(factory))
        return kin_error_set(err, KIN_EBUSY, "what a start calls would wait for it");
    return 0;
}

/* Nobody finds it from now on. */
static int forget_locked(kin_factory *factory, kin__factory_entry **ret,
                         const kin__factory_name *name, bool is_given_away, kin_error *err)
    KIN_REQUIRES(factory->lock)
{
    kin__factory_entry *entry = NULL;
    int code = find_made_locked(factory, &entry, name, err);

    if (code < 0)
        return code;
    if (!entry)
        return kin_error_set(err, KIN_ENOTFOUND, "the factory has no informer of \"%s\"",
                             name->resource);
    if (is_given_away)
        code = check_giver_locked(factory, entry->informer, err);
    if (code < 0)
        return code;
    entry->is_removed = true;
    entry->n_uses++;
    *ret = entry;
    return 0;
}

/* Its informer is the caller's, when nobody else is at it. */
static kin_informer *give_away(kin_factory *factory, kin__factory_entry *entry)
{
    kin_informer *informer = entry->informer;

    kin__mutex_lock(&factory->lock);
    while (entry->n_uses > 1)
        kin__cond_wait(&factory->made, &factory->lock);
    kin__list_remove(&entry->link);
    kin__mutex_unlock(&factory->lock);
    free_entry(entry);
    return informer;
}

int kin_factory_remove(kin_factory *factory, kin_informer **ret, const char *resource,
                       kin_error *err)
{
    kin__factory_entry *entry = NULL;
    kin__factory_name name;
    int code = kin__factory_check(factory, err);

    if (code == 0 && !resource)
        code = kin__error_null(err, "resource");
    if (code == 0)
        code = name_init(&name, factory, resource, err);
    if (code < 0)
        return code;
    kin__mutex_lock(&factory->lock);
    code = forget_locked(factory, &entry, &name, ret != NULL, err);
    kin__mutex_unlock(&factory->lock);
    name_done(&name);
    if (code < 0 || !entry)
        return code;
    kin_informer_stop(entry->informer);
    if (ret)
        *ret = give_away(factory, entry);
    else
        kin__factory_leave(factory, entry);
    return 0;
}

/* --- resyncs --- */

static void free_resync(struct resync *resync)
{
    name_done(&resync->name);
    kin__free(resync);
}

static int new_resync(const kin_factory *factory, struct resync **ret, const char *resource,
                      int64_t resync_ms, kin_error *err)
{
    struct resync *resync = kin__calloc(1, sizeof(*resync));
    int code;

    if (!resync)
        return kin__error_no_memory(err);
    resync->resync_ms = resync_ms;
    code = name_init(&resync->name, factory, resource, err);
    if (code < 0)
        kin__free(resync);
    else
        *ret = resync;
    return code;
}

int kin_factory_set_resync(kin_factory *factory, const char *resource, int64_t resync_ms,
                           kin_error *err)
{
    struct resync *resync = NULL;
    bool is_late;
    int code = kin__factory_check(factory, err);

    if (code == 0 && !resource)
        code = kin__error_null(err, "resource");
    if (code == 0 && resync_ms < 0)
        code = kin_error_set(err, KIN_EINVAL, "a resync_ms of %lld", (long long)resync_ms);
    if (code == 0)
        code = new_resync(factory, &resync, resource, resync_ms, err);
    if (code < 0 || !resync)
        return code;
    kin__mutex_lock(&factory->lock);
    is_late = find_locked(factory, &resync->name) != NULL;
    if (!is_late)
        kin__list_push_back(&factory->resyncs, &resync->link);
    kin__mutex_unlock(&factory->lock);
    if (!is_late)
        return 0;
    free_resync(resync);
    return kin_error_set(err, KIN_EBUSY, "there is an informer of \"%s\" already", resource);
}

/* --- life --- */

/*
 * A handler of one informer may look at any other, or ask the factory, until its last call has returned:
 * so none is freed before all have ended.
 */
static void end_informers(kin_factory *factory)
{
    kin__factory_entry *entry = NULL;

    while ((entry = next(factory, entry, true)))
        kin__informer_abandon(entry->informer);
    while ((entry = next(factory, entry, true)))
        kin__informer_end(entry->informer);
}

static void destroy(kin_factory *factory)
{
    kin__list *node;

    end_informers(factory);
    while ((node = kin__list_pop_front(&factory->entries))) {
        kin_informer_free(entry_of(node)->informer);
        free_entry(entry_of(node));
    }
    while ((node = kin__list_pop_front(&factory->resyncs)))
        free_resync(kin__list_entry(node, struct resync, link));
    kin_projection_unref(factory->decode.projection);
    kin__reflector_wishes_done(&factory->wishes);
    kin__scope_done(&factory->scope);
    kin__free(factory->snapshot_identity);
    kin_logger_unref(factory->logger);
    kin_clock_unref(factory->clock);
    kin__cond_done(&factory->made);
    kin__mutex_done(&factory->lock);
    kin__free(factory->name);
    kin__free(factory);
}

static int copy_decode(kin_factory *factory, const kin_decode_options *given, kin_error *err)
{
    kin_decode_options all = KIN_DECODE_OPTIONS_INIT;
    int code = kin__options_take(&all, sizeof(all), given, "KIN_DECODE_OPTIONS_INIT", err);

    if (code < 0 || !given)
        return code;
    if (all.api_version || all.kind)
        return kin_error_set(err, KIN_EINVAL, "apiVersion and kind are each resource's");
    factory->decode = all;
    kin_projection_ref(all.projection);
    factory->informers.decode = &factory->decode;
    return 0;
}

static int copy_reflector(kin_factory *factory, const kin_reflector_options *given, kin_error *err)
{
    int code = kin__reflector_wishes_init(&factory->wishes, given, err);

    if (code < 0 || !given)
        return code;
    if (factory->wishes.options.api_version || factory->wishes.options.kind)
        return kin_error_set(err, KIN_EINVAL, "apiVersion and kind are each resource's");
    factory->informers.reflector = &factory->wishes.options;
    return 0;
}

static int copy_metrics(kin_factory *factory, const kin_informer_metrics *given, kin_error *err)
{
    factory->metrics = (kin_informer_metrics)KIN_INFORMER_METRICS_INIT;
    int code = kin__options_take(&factory->metrics, sizeof(factory->metrics), given,
                                 "KIN_INFORMER_METRICS_INIT", err);

    factory->metrics.size = sizeof(factory->metrics);
    if (code == 0 && given)
        factory->informers.metrics = &factory->metrics;
    return code;
}

/* How all informers are to be, without anything that is the caller's. */
static int copy_informers(kin_factory *factory, const kin_informer_options *given, kin_error *err)
{
    kin_informer_options *all = &factory->informers;
    int code;

    *all = (kin_informer_options)KIN_INFORMER_OPTIONS_INIT;
    code = kin__options_take(all, sizeof(*all), given, "KIN_INFORMER_OPTIONS_INIT", err);
    if (code == 0 && all->name)
        code = kin_error_set(err, KIN_EINVAL, "one name for all informers");
    if (code == 0 && all->snapshot_path)
        code = kin_error_set(err, KIN_EINVAL, "one snapshot_path for all informers");
    if (code == 0 && all->resync_ms < 0)
        code = kin_error_set(err, KIN_EINVAL, "a resync_ms of %lld", (long long)all->resync_ms);
    if (code == 0)
        code = kin__check_label_selector(all->label_selector, err);
    if (code == 0)
        code = kin__scope_init(&factory->scope, all->namespaces, all->n_namespaces,
                               all->label_selector, all->field_selector, err);
    if (code == 0 && kin__copy_text(&factory->snapshot_identity, all->snapshot_identity) < 0)
        code = kin__error_no_memory(err);
    if (code < 0)
        return code;
    all->size = sizeof(*all);
    all->snapshot_identity = factory->snapshot_identity;
    all->namespaces = (const char *const *)factory->scope.namespaces;
    all->label_selector = factory->scope.label_selector;
    all->field_selector = factory->scope.field_selector;
    factory->logger = kin_logger_ref(all->logger);
    if (all->clock)
        factory->clock = kin_clock_ref(all->clock);
    code = copy_decode(factory, all->decode, err);
    if (code == 0)
        code = copy_reflector(factory, all->reflector, err);
    return code < 0 ? code : copy_metrics(factory, all->metrics, err);
}

static int set_up(kin_factory *factory, const kin_factory_options *options, kin_error *err)
{
    int code = kin__fork_guard_init(&factory->guard, err);

    if (code == 0)
        code = copy_informers(factory, options->informers, err);
    if (code == 0 && kin__copy_text(&factory->name, options->name) < 0)
        code = kin__error_no_memory(err);
    if (code == 0 && !factory->clock)
        factory->clock =
            kin_clock_ref(factory->client ? factory->client->clock : kin_clock_system());
    return code;
}

int kin_factory_new(kin_factory **ret, kin_client *client, const kin_factory_options *options,
                    kin_error *err)
{
    kin_factory_options all = KIN_FACTORY_OPTIONS_INIT;
    kin_factory *factory;
    int code = kin__options_take(&all, sizeof(all), options, "KIN_FACTORY_OPTIONS_INIT", err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code == 0 && client)
        code = kin__client_check(client, err);
    if (code < 0)
        return code;
    factory = kin__calloc(1, sizeof(*factory));
    if (!factory)
        return kin__error_no_memory(err);
    factory->client = client;
    factory->index_owners = all.index_owners;
    factory->tweak = all.tweak;
    factory->tweak_arg = all.tweak_arg;
    factory->decode = (kin_decode_options)KIN_DECODE_OPTIONS_INIT;
    kin__list_init(&factory->entries);
    kin__list_init(&factory->waiters);
    kin__list_init(&factory->resyncs);
    kin__mutex_init(&factory->lock, KIN__RANK_FACTORY);
    kin__cond_init(&factory->made);
    code = set_up(factory, &all, err);
    if (code < 0)
        destroy(factory);
    else
        *ret = factory;
    return code;
}

/* 0, KIN_EBUSY (logged): the caller is a callback of the factory or of one of its informers. */
static int check_free(kin_factory *factory)
{
    int code = 0;

    kin__mutex_lock(&factory->lock);
    bool is_own = kin__factory_starts_here_locked(factory);

    kin__list_for_each(&factory->entries, node) {
        const kin__factory_entry *entry = entry_of(node);

        is_own |= !entry->informer && pthread_equal(entry->maker, pthread_self());
    }
    kin__mutex_unlock(&factory->lock);
    if (is_own) {
        kin__log(factory->logger, KIN_LOG_ERROR, "informer",
                 "a factory is not freed: called by one of its own callbacks",
                 KIN__LOG_S("factory", factory->name ? factory->name : ""));
        return KIN_EBUSY;
    }
    for (kin__factory_entry *entry = NULL; (entry = next(factory, entry, true));) {
        if (code == 0)
            code = kin__informer_check_end(entry->informer);
    }
    return code;
}

int kin_factory_free(kin_factory *factory)
{
    /* In a forked child, whoever ran the informers is not there. */
    int code = factory ? kin__fork_guard_check(&factory->guard, NULL) : 0;

    if (factory && code == 0)
        code = check_free(factory);
    if (!factory || code < 0)
        return code;
    /* Not a shutdown, which waits until all is applied: nobody wants that now. */
    kin__factory_stop(factory);
    /* A handler may be at it. */
    kin__factory_await_starts(factory, INT64_MAX, NULL);
    destroy(factory);
    return 0;
}
