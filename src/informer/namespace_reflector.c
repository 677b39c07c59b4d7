/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An informer's reflector with its queue, of one namespace or of all, and what of the store belongs to it.
 */
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "informer/informer.h"
#include "informer/reflector.h"

enum { SNAPSHOT_RELIST_MS = 12 * 60 * 60 * 1000 };

/* --- what it knows of the store: its own namespace --- */

bool kin__namespace_reflector_is_in(const kin__namespace_reflector *ns, kin_str namespace_)
{
    return !ns->namespace_ || kin_str_equal(namespace_, kin_str_of(ns->namespace_));
}

bool kin__namespace_reflector_owns(const kin__namespace_reflector *ns, const kin_object *object)
{
    return kin__namespace_reflector_is_in(ns, kin_object_namespace(object));
}

static int known_has(void *arg, kin_str key, kin_error *err)
{
    const kin__namespace_reflector *ns = arg;

    return kin_store_get(ns->informer->store, NULL, key, err);
}

struct own_visit {
    const kin__namespace_reflector *ns;
    kin_visit_fn *visit;
    void *arg;
};

static int visit_own(kin_str key, const kin_object *object, void *arg)
{
    const struct own_visit *own = arg;

    return kin__namespace_reflector_owns(own->ns, object) ? own->visit(key, object, own->arg) : 0;
}

static int known_each(void *arg, kin_visit_fn *visit, void *visit_arg, kin_error *err)
{
    struct own_visit own = {arg, visit, visit_arg};

    return kin_store_each(own.ns->informer->store, visit_own, &own, err);
}

/* --- what is asked of its reflector --- */

/* The first setting that is not for who makes an informer; NULL: there is none. */
static const char *find_own(const kin_reflector_options *options)
{
    const struct {
        const char *name;
        bool is_set;
    } own[] = {
        {"name", options->name},
        {"logger", options->logger},
        {"clock", options->clock},
        {"seed", options->seed},
        {"resource_version", options->resource_version},
        {"page_size", options->page_size},
        {"min_watch_timeout_ms", options->min_watch_timeout_ms},
        {"resync_ms", options->resync_ms},
        {"should_resync", options->should_resync},
        {"error", options->error},
        {"status", options->status},
        {"arg", options->arg},
        {"arg_free", options->arg_free},
        {"gap_relist_ms", options->gap_relist_ms},
        {"gap_relist_max_ms", options->gap_relist_max_ms},
        {"relist_ms", options->relist_ms},
        {"metrics_arg_free", options->metrics_arg_free},
    };

    for (size_t i = 0; i < kin__array_len(own); i++) {
        if (own[i].is_set)
            return own[i].name;
    }
    return NULL;
}

int kin__reflector_wishes_init(kin__reflector_wishes *wishes, const kin_reflector_options *given,
                               kin_error *err)
{
    kin_reflector_options *all = &wishes->options;
    const char *own;
    int code;

    *wishes = (kin__reflector_wishes){.options = KIN_REFLECTOR_OPTIONS_INIT,
                                      .metrics = KIN_REFLECTOR_METRICS_INIT};
    code = kin__options_take(all, sizeof(*all), given, "KIN_REFLECTOR_OPTIONS_INIT", err);
    if (code == 0)
        code = kin__reflector_check_options(all, err);
    if (code == 0)
        code = kin__options_take(&wishes->metrics, sizeof(wishes->metrics), all->metrics,
                                 "KIN_REFLECTOR_METRICS_INIT", err);
    if (code < 0)
        return code;
    own = find_own(all);
    if (own)
        return kin_error_set(err, KIN_EINVAL, "%s of the reflector is for the informer to say",
                             own);
    all->size = sizeof(*all);
    wishes->metrics.size = sizeof(wishes->metrics);
    all->metrics = &wishes->metrics;
    if (kin__copy_text(&wishes->texts[0], all->api_version) < 0 ||
        kin__copy_text(&wishes->texts[1], all->kind) < 0)
        return kin__error_no_memory(err);
    all->api_version = wishes->texts[0];
    all->kind = wishes->texts[1];
    return 0;
}

void kin__reflector_wishes_done(kin__reflector_wishes *wishes)
{
    kin__free(wishes->texts[0]);
    kin__free(wishes->texts[1]);
}

/* --- life --- */

static int make_queue(kin__namespace_reflector *ns, kin_queue *ret, kin_error *err)
{
    const kin_informer *informer = ns->informer;
    kin_known_objects known = KIN_KNOWN_OBJECTS_INIT;
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;

    known.has = known_has;
    known.each = known_each;
    known.arg = ns;
    options.name = informer->name;
    options.logger = informer->logger;
    options.clock = informer->clock;
    options.key = informer->options.key;
    options.key_arg = informer->options.key_arg;
    options.transform = informer->options.transform;
    options.transform_arg = informer->options.transform_arg;
    options.known = &known;
    return kin__queue_new(ret, informer->options.queue, &options, &ns->informer->renames, err);
}

/*
 * How often its reflector lists; 0: never. State from a file may differ from that of the server, and its file is not
 * loaded again once its list is too old, so an informer with snapshots lists from time to time.
 */
static int64_t relist_ms(kin_informer *informer)
{
    bool has_snapshots;

    if (informer->options.relist_ms != 0)
        return informer->options.relist_ms > 0 ? informer->options.relist_ms : 0;
    kin__mutex_lock(&informer->lock);
    has_snapshots = informer->snapshot_path || informer->has_loaded;
    kin__mutex_unlock(&informer->lock);
    return has_snapshots ? SNAPSHOT_RELIST_MS : 0;
}

/* Others want to know how it fares. */
static void on_status(kin_reflector *reflector, const kin_reflector_status *status, void *arg)
{
    kin__namespace_reflector *ns = arg;

    (void)reflector;
    (void)status;
    kin__informer_has_news(ns->informer);
}

static void on_error(kin_reflector *reflector, const kin_failure *failure, void *arg)
{
    const kin__namespace_reflector *ns = arg;
    kin_informer *informer = ns->informer;
    kin_failure named = *failure;

    (void)reflector;
    named.namespace_ = ns->namespace_;
    informer->options.error(informer, &named, informer->options.error_arg);
}

/* Of several namespaces a log has to say which: "pods/default". Too long ones are cut. */
static void name_reflector(const kin__namespace_reflector *ns, char *buf, size_t size)
{
    (void)snprintf(buf, size, "%s%s%s", ns->informer->name, ns->namespace_ ? "/" : "",
                   ns->namespace_ ? ns->namespace_ : "");
}

static int make_intake(kin__namespace_reflector *ns, kin_list_watch *source, const char *version,
                       kin_error *err)
{
    kin_informer *informer = ns->informer;
    char name[256];
    kin__reflector_queue_owner owner = {.loop = &informer->loop, .is_in_order = true};
    kin_reflector_options options = informer->wishes.options;
    kin_queue queue = KIN_QUEUE_INIT;
    int code = make_queue(ns, &queue, err);

    if (code < 0)
        return code;
    /* Of several namespaces no version says all. */
    if (!ns->namespace_)
        owner.store = informer->store;
    name_reflector(ns, name, sizeof(name));
    options.name = name;
    options.logger = informer->logger;
    options.clock = informer->clock;
    options.seed = informer->options.seed;
    options.page_size = informer->options.page_size;
    options.min_watch_timeout_ms = informer->options.min_watch_timeout_ms;
    if (informer->options.no_streaming_list)
        options.streaming_lists = KIN_STREAMING_LISTS_NEVER;
    options.resource_version = version;
    options.gap_relist_ms = informer->options.gap_relist_ms;
    options.gap_relist_max_ms = informer->options.gap_relist_max_ms;
    options.relist_ms = relist_ms(informer);
    options.status = on_status;
    options.error = informer->options.error ? on_error : NULL;
    options.arg = ns;
    code = kin__reflector_queue_init(&ns->in, &owner, &queue, source, &options, err);
    if (code < 0) {
        queue.arg_free(queue.arg);
        return code;
    }
    ns->in.reflector->expects_resource = informer->client != NULL;
    ns->in.reflector->key = informer->options.key;
    ns->in.reflector->key_arg = informer->options.key_arg;
    return 0;
}

int kin__namespace_reflector_new(kin__namespace_reflector **ret, kin_informer *informer,
                                 kin_list_watch *source, const char *namespace_,
                                 const kin__scope *scope, const char *version, kin_error *err)
{
    kin__namespace_reflector *ns = kin__calloc(1, sizeof(*ns));
    int code = 0;

    if (!ns)
        return kin__error_no_memory(err);
    kin__list_init(&ns->link);
    ns->informer = informer;
    if (kin__copy_text(&ns->namespace_, namespace_) < 0 ||
        kin__copy_text(&ns->label_selector, scope ? scope->label_selector : NULL) < 0 ||
        kin__copy_text(&ns->field_selector, scope ? scope->field_selector : NULL) < 0)
        code = kin__error_no_memory(err);
    if (code == 0)
        code = make_intake(ns, source, version, err);
    if (code < 0) {
        kin__namespace_reflector_free(ns);
        return code;
    }
    *ret = ns;
    return 0;
}

void kin__namespace_reflector_begin_with_list(kin__namespace_reflector *ns, int64_t unix_ns)
{
    kin_clock *clock = ns->informer->clock;
    int64_t now = kin_clock_now(clock);
    int64_t age;

    if (__builtin_sub_overflow(kin_clock_unix_now(clock), unix_ns, &age))
        age = unix_ns < 0 ? INT64_MAX : 0;
    /* From the future, by a clock that was ahead: it is not younger than now. */
    if (age < 0)
        age = 0;
    ns->in.list_received = unix_ns;
    ns->in.list_applied = unix_ns;
    ns->in.reflector->listed_at = now - age;
}

void kin__namespace_reflector_free(kin__namespace_reflector *ns)
{
    if (!ns)
        return;
    kin__reflector_queue_done(&ns->in);
    kin__free(ns->namespace_);
    kin__free(ns->label_selector);
    kin__free(ns->field_selector);
    kin__free(ns);
}
