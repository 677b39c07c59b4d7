/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Informers: life, and a turn of the strand. What others wait for is in informer_status.c.
 */
#include "informer/informer.h"

#include "base/assert.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/options.h"
#include "cache/store.h"
#include "client/encoding.h"
#include "informer/reflector.h"

/* How often the detector looks: client-go's. */
#define CHECK_EVERY KIN__SECOND
/* From a drop of the cache until its memory is returned: handlers hold deleted objects for a while. */
#define TRIM_DELAY (5 * KIN__SECOND)

/* --- the strand --- */

void kin__informer_wake(kin_informer *informer)
{
    kin__process_loop_wake(&informer->loop);
}

void kin__informer_has_news(kin_informer *informer)
{
    atomic_store_explicit(&informer->has_news, true, memory_order_release);
    kin__informer_wake(informer);
}

/* One batch of each ns. Whether there is more; or a code. */
static int apply_reflectors(kin_informer *informer, kin_error *err)
{
    int more = 0;

    /* Only the strand changes the list. */
    kin__list_for_each(&informer->reflectors, node) {
        int code = kin__informer_pop(kin__list_entry(node, kin__namespace_reflector, link), err);

        if (code < 0)
            return code;
        more |= code;
    }
    return more;
}

static bool are_all_synced_locked(const kin_informer *informer) KIN_REQUIRES(informer->lock)
{
    kin__list_for_each(&informer->reflectors, node) {
        if (!kin__list_entry(node, kin__namespace_reflector, link)->in.is_synced)
            return false;
    }
    return !kin__list_is_empty(&informer->reflectors);
}

/* Handlers that wait for the sync wait for their listener. */
static void look_whether_refused_locked(kin_informer *informer) KIN_REQUIRES(informer->lock)
{
    int refusal = informer->is_synced ? 0 : kin__informer_refusal_locked(informer, NULL);

    if (informer->refusal == refusal)
        return;
    informer->refusal = refusal;
    kin__list_for_each(&informer->registrations, node)
        kin__informer_tell_life_locked(informer, kin__list_entry(node, kin_registration, link));
}

static void look_whether_synced(kin_informer *informer)
{
    bool is_news;

    kin__mutex_lock(&informer->lock);
    is_news = !informer->is_synced && are_all_synced_locked(informer);
    informer->is_synced |= is_news;
    look_whether_refused_locked(informer);
    kin__cond_broadcast(&informer->changed);
    kin__mutex_unlock(&informer->lock);
    if (is_news) {
        kin__informer_tell_synced(informer);
        atomic_store_explicit(&informer->has_news, true, memory_order_release);
    }
}

/* Whatever has changed since the last time is told as one; by the strand, so one at a time. */
static void tell_news(kin_informer *informer)
{
    if (!atomic_exchange_explicit(&informer->has_news, false, memory_order_acq_rel) ||
        !informer->options.changed)
        return;
    kin__assert_no_locks();
    informer->options.changed(informer, informer->options.changed_arg);
}

static void tell_progress(kin_informer *informer)
{
    kin__mutex_lock(&informer->lock);
    kin__list_for_each(&informer->progress, node) {
        kin__progress *progress = kin__list_entry(node, kin__progress, link);

        progress->run(progress);
    }
    kin__mutex_unlock(&informer->lock);
}

static bool is_abandoned(kin_informer *informer)
{
    kin__mutex_lock(&informer->lock);
    bool is_abandoned = informer->is_abandoned;

    kin__mutex_unlock(&informer->lock);
    return is_abandoned;
}

static void set_resync(kin_informer *informer)
{
    int64_t check;

    if (informer->is_resyncing)
        return;
    kin__mutex_lock(&informer->lock);
    check = informer->resync_check;
    kin__mutex_unlock(&informer->lock);
    if (check == 0)
        return;
    informer->is_resyncing = true;
    kin__alarm_set(&informer->resync, kin__clock_deadline(informer->clock, check));
}

static void set_check(kin_informer *informer)
{
    if (!informer->detector || informer->is_checking)
        return;
    informer->is_checking = true;
    kin__alarm_set(&informer->check, kin__clock_deadline(informer->clock, CHECK_EVERY));
}

static void set_trim(kin_informer *informer, int64_t at)
{
    if (informer->is_trimming || !kin__footprint_has_dropped(&informer->footprint) ||
        !kin__trim_is_on())
        return;
    informer->is_trimming = true;
    kin__alarm_set(&informer->trim, at);
}

/*
 * One look at all there is to do: those who were added, what was received, and what is looked at, in this
 * order, since a reflector goes when nothing in its queue waits. What one of them lacks does not hold up the
 * others. 0, or a code; *ret_more: 1, there is more to apply; or a code.
 */
static int work(kin_informer *informer, kin__life life, int *ret_more, kin_error *err)
{
    int joined = kin__informer_join(informer, err);
    int arranged = 0;

    kin__informer_measure(informer);
    *ret_more = apply_reflectors(informer, err);
    kin__informer_measure(informer);
    if (life == KIN__LIFE_RUNNING)
        arranged = kin__informer_arrange_reflectors(informer, err);
    if (*ret_more < 0)
        return *ret_more;
    return arranged < 0 ? arranged : joined;
}

static kin_informer *informer_of(kin__process_loop *loop)
{
    return kin__container_of(loop, kin_informer, loop);
}

/* By the strand, which tells: somebody else would be late with it, and it would be told twice. */
static void note_life(kin_informer *informer, kin__life life)
{
    if (informer->told_life == life)
        return;
    informer->told_life = life;
    atomic_store_explicit(&informer->has_news, true, memory_order_release);
}

static int take_turn(kin__process_loop *loop, kin__life life, kin_error *err)
{
    kin_informer *informer = informer_of(loop);
    int code = 0;
    int more = 0;

    note_life(informer, life);
    kin__informer_reap(informer);
    /* Nobody has stopped them but the client, whose workers run what was posted and take no more. */
    if (life == KIN__LIFE_RUNNING && kin__informer_has_lost_reflector(informer)) {
        kin__process_loop_close(loop);
        return 0;
    }
    /* Else it ends at once, whether there is memory or not. */
    if (!is_abandoned(informer))
        code = work(informer, life, &more, err);
    look_whether_synced(informer);
    kin__informer_serve_saves(informer);
    if (life == KIN__LIFE_RUNNING) {
        set_resync(informer);
        set_check(informer);
        set_trim(informer, kin__clock_deadline(informer->clock, TRIM_DELAY));
    }
    /* What could not be applied waits, and so does the end. Not for those who could not join. */
    if (more < 0)
        return more;
    if (code < 0)
        kin__process_loop_retry(loop, err);
    return more;
}

static bool stop_reflectors(kin__process_loop *loop)
{
    return kin__informer_stop_reflectors(informer_of(loop));
}

static void finish_turn(kin__process_loop *loop, bool has_stopped)
{
    kin_informer *informer = informer_of(loop);

    if (has_stopped) {
        kin__alarm_cancel(&informer->resync);
        kin__alarm_cancel(&informer->check);
        kin__alarm_cancel(&informer->trim);
        informer->is_resyncing = false;
        informer->is_checking = false;
        informer->is_trimming = false;
        note_life(informer, KIN__LIFE_STOPPED);
    }
    tell_progress(informer);
    tell_news(informer);
}

static void run_resync(kin__alarm *alarm, bool dropped)
{
    kin_informer *informer = kin__container_of(alarm, kin_informer, resync);
    kin_error err;
    int code = 0;

    informer->is_resyncing = false;
    if (dropped || kin__process_loop_life(&informer->loop) != KIN__LIFE_RUNNING)
        return;
    kin__error_begin(&err);
    if (kin__informer_begin_resync(informer, kin_clock_now(informer->clock))) {
        kin__list_for_each(&informer->reflectors, node) {
            if (code == 0)
                code = kin__reflector_queue_resync(
                    &kin__list_entry(node, kin__namespace_reflector, link)->in, &err);
        }
        kin__informer_wake(informer);
    }
    if (code < 0)
        kin__log(informer->logger, KIN_LOG_WARN, "informer", "a resync was left out",
                 KIN__LOG_S("informer", informer->name), KIN__LOG_S("error", err.message));
    set_resync(informer);
}

static void run_check(kin__alarm *alarm, bool dropped)
{
    kin_informer *informer = kin__container_of(alarm, kin_informer, check);
    size_t n_altered = 0;

    informer->is_checking = false;
    if (dropped || kin__process_loop_life(&informer->loop) != KIN__LIFE_RUNNING)
        return;
    kin_mutation_detector_check(informer->detector, &n_altered, NULL);
    if (n_altered > 0) {
        kin__mutex_lock(&informer->lock);
        informer->n_altered += n_altered;
        kin__mutex_unlock(&informer->lock);
        kin__informer_has_news(informer);
    }
    set_check(informer);
}

/* Other tasks of the strand wait meanwhile: some milliseconds, at most once a minute. */
static void run_trim(kin__alarm *alarm, bool dropped)
{
    kin_informer *informer = kin__container_of(alarm, kin_informer, trim);
    int64_t next;

    informer->is_trimming = false;
    if (dropped || kin__process_loop_life(&informer->loop) != KIN__LIFE_RUNNING ||
        !kin__footprint_has_dropped(&informer->footprint) || !kin__trim_is_on())
        return;
    kin__assert_no_locks();
    kin__store_reclaim_all(informer->store);
    next = kin__trim(kin_clock_now(informer->clock));
    if (next == 0)
        kin__footprint_settle(&informer->footprint);
    else
        set_trim(informer, next);
}

/* --- life --- */

static int make_store(kin_informer *informer, kin_error *err)
{
    kin_store_options options = KIN_STORE_OPTIONS_INIT;

    options.name = informer->name;
    options.logger = informer->logger;
    options.key = informer->options.key;
    options.key_arg = informer->options.key_arg;
    return kin_store_new(&informer->store, &options, err);
}

/* As listers want it. What a source of the caller's own has may know of no namespaces. */
static int add_namespace_index(kin_informer *informer, kin_error *err)
{
    kin_index index = KIN_INDEX_INIT(KIN_NAMESPACE_INDEX, kin_namespace_index);

    return informer->client ? kin_store_add_index(informer->store, &index, err) : 0;
}

static int make_detector(kin_informer *informer, kin_error *err)
{
    kin_mutation_detector_options options = KIN_MUTATION_DETECTOR_OPTIONS_INIT;

    if (!informer->options.detect_mutations && !kin_mutation_detector_wanted())
        return 0;
    options.name = informer->name;
    options.logger = informer->logger;
    options.clock = informer->clock;
    return kin_mutation_detector_new(&informer->detector, &options, err);
}

/* Room for all, or none is left over. */
static int make_alarms(kin_informer *informer, kin_error *err)
{
    const struct {
        kin__alarm *alarm;
        kin__alarm_fn *run;
    } alarms[] = {{&informer->resync, run_resync},
                  {&informer->check, run_check},
                  {&informer->trim, run_trim}};
    size_t n = 0;
    int code = 0;

    while (n < kin__array_len(alarms) && code == 0) {
        code = kin__alarm_init(alarms[n].alarm, &informer->loop.strand, alarms[n].run, err);
        n += code == 0;
    }
    while (code < 0 && n > 0)
        kin__alarm_done(alarms[--n].alarm);
    return code;
}

/* Who waits for a handler to be synced waits for what a stopped informer does not bring. */
static void tell_life(kin__process_loop *loop)
{
    kin_informer *informer = informer_of(loop);

    /* It is the loop's lock, too. */
    kin__mutex_assert_held(&informer->lock);
    kin__list_for_each(&informer->registrations, node)
        kin__informer_tell_life_locked(informer, kin__list_entry(node, kin_registration, link));
}

static int make_loop(kin_informer *informer, kin_error *err)
{
    static const kin__process_loop_class loop_class = {
        "informer", stop_reflectors, take_turn, finish_turn, NULL, NULL, tell_life};
    int code;

    informer->loop.loop_class = &loop_class;
    informer->loop.name = informer->name;
    informer->loop.logger = informer->logger;
    informer->loop.shared_workers = informer->shared_workers;
    informer->loop.lock = &informer->lock;
    informer->loop.changed = &informer->changed;
    code = kin__process_loop_init(&informer->loop, err);
    if (code == 0)
        code = make_alarms(informer, err);
    informer->has_alarms = code == 0;
    return code;
}

static int make_parts(kin_informer *informer, const kin_informer_options *options, const char *name,
                      kin_error *err)
{
    int code =
        kin__shared_workers_of(&informer->shared_workers, informer->source, options->clock, err);

    if (code < 0)
        return code;
    informer->clock = kin__shared_workers_clock(informer->shared_workers);
    informer->name = kin__memdup_str(kin_str_of(options->name ? options->name : name));
    if (!informer->name || kin__copy_text(&informer->snapshot_path, options->snapshot_path) < 0 ||
        kin__copy_text(&informer->snapshot_identity, options->snapshot_identity) < 0)
        return kin__error_no_memory(err);
    code = kin__dispatcher_init(&informer->dispatcher, err);
    if (code < 0)
        return code;
    informer->has_dispatcher = true;
    code = make_store(informer, err);
    if (code == 0)
        code = add_namespace_index(informer, err);
    if (code == 0)
        code = make_detector(informer, err);
    return code < 0 ? code : make_loop(informer, err);
}

static void destroy(kin_informer *informer)
{
    kin__informer_free_reflectors(informer);
    if (informer->has_alarms) {
        kin__alarm_done(&informer->trim);
        kin__alarm_done(&informer->check);
        kin__alarm_done(&informer->resync);
    }
    kin__process_loop_done(&informer->loop);
    kin__delta_batch_done(&informer->batch);
    kin__deletions_done(&informer->deletions);
    kin__free(informer->receivers);
    kin__free(informer->resyncing);
    kin_mutation_detector_free(informer->detector);
    kin_store_unref(informer->store);
    if (informer->has_dispatcher)
        kin__dispatcher_done(&informer->dispatcher);
    kin_list_watch_unref(informer->source);
    kin_projection_unref(informer->decode.projection);
    kin__reflector_wishes_done(&informer->wishes);
    kin__scope_done(&informer->scope);
    kin__warmth_done(&informer->warmth);
    kin__free(informer->snapshot_path);
    kin__free(informer->snapshot_identity);
    kin__free(informer->resource);
    kin__cond_done(&informer->changed);
    kin__mutex_done(&informer->lock);
    kin__free(informer->name);
    kin_logger_unref(informer->logger);
    kin__shared_workers_unref(informer->shared_workers);
    kin__free(informer);
}

static int check_options(const kin_informer_options *options, kin_error *err)
{
    if (options->queue < KIN_QUEUE_DELTA_FIFO || options->queue > KIN_QUEUE_ORDERED)
        return kin_error_set(err, KIN_EINVAL, "a queue of %d", (int)options->queue);
    if (options->content < KIN_CONTENT_WHOLE || options->content > KIN_CONTENT_KEYS)
        return kin_error_set(err, KIN_EINVAL, "a content of %d", (int)options->content);
    if (options->resync_ms < 0)
        return kin_error_set(err, KIN_EINVAL, "a resync_ms of %lld", (long long)options->resync_ms);
    if (options->snapshot_max_age_ms < -1)
        return kin_error_set(err, KIN_EINVAL, "a snapshot_max_age_ms of %lld",
                             (long long)options->snapshot_max_age_ms);
    if (options->gap_relist_ms < -1 || options->gap_relist_ms > INT64_MAX / KIN__MILLISECOND)
        return kin_error_set(err, KIN_EINVAL, "a gap_relist_ms of %lld",
                             (long long)options->gap_relist_ms);
    if (options->gap_relist_max_ms < 0 || options->gap_relist_max_ms > INT64_MAX / KIN__MILLISECOND)
        return kin_error_set(err, KIN_EINVAL, "a gap_relist_max_ms of %lld",
                             (long long)options->gap_relist_max_ms);
    if (options->relist_ms < -1 || options->relist_ms > INT64_MAX / KIN__MILLISECOND)
        return kin_error_set(err, KIN_EINVAL, "a relist_ms of %lld", (long long)options->relist_ms);
    return kin__check_encoding(options->encoding, err);
}

/* An informer without its parts; `source` SHARED. */
static int allocate(kin_informer **ret, kin_list_watch *source, const kin_informer_options *options,
                    kin_error *err)
{
    kin_informer *informer = kin__calloc(1, sizeof(*informer));

    if (!informer)
        return kin__error_no_memory(err);
    informer->source = kin_list_watch_ref(source);
    informer->options = *options;
    informer->options.name = NULL;
    informer->options.namespaces = NULL;
    informer->options.label_selector = NULL;
    informer->options.field_selector = NULL;
    informer->options.decode = NULL;
    informer->options.snapshot_path = NULL;
    informer->options.snapshot_identity = NULL;
    informer->options.reflector = NULL;
    informer->options.metrics = NULL;
    informer->decode = (kin_decode_options)KIN_DECODE_OPTIONS_INIT;
    informer->logger = options->logger ? kin_logger_ref(options->logger) : kin_default_logger();
    informer->resync_check = kin__informer_resync_period(options->resync_ms);
    kin__list_init(&informer->reflectors);
    kin__list_init(&informer->registrations);
    kin__list_init(&informer->leaving);
    kin__list_init(&informer->saves);
    kin__list_init(&informer->progress);
    kin__mutex_init(&informer->lock, KIN__RANK_INFORMER);
    kin__cond_init(&informer->changed);
    *ret = informer;
    return 0;
}

/* CONSUMES the informer if it fails. */
static int complete(kin_informer **ret, kin_informer *informer, const kin_informer_options *options,
                    const char *name, kin_error *err)
{
    int code = kin__fork_guard_init(&informer->guard, err);

    if (code == 0)
        code = kin__reflector_wishes_init(&informer->wishes, options->reflector, err);
    if (code == 0 && informer->client &&
        (informer->wishes.options.api_version || informer->wishes.options.kind))
        code = kin_error_set(err, KIN_EINVAL, "apiVersion and kind are the resource's");
    if (code == 0)
        code = kin__options_take(&informer->metrics, sizeof(informer->metrics), options->metrics,
                                 "KIN_INFORMER_METRICS_INIT", err);
    if (code == 0)
        code = make_parts(informer, options, name, err);
    kin__delta_batch_init(&informer->batch, informer->store, options->key, options->key_arg);
    if (code < 0)
        destroy(informer);
    else
        *ret = informer;
    return code;
}

int kin_informer_new_from(kin_informer **ret, kin_list_watch *source,
                          const kin_informer_options *options, kin_error *err)
{
    kin_informer_options all = KIN_INFORMER_OPTIONS_INIT;
    kin_informer *informer = NULL;
    int code = kin__options_take(&all, sizeof(all), options, "KIN_INFORMER_OPTIONS_INIT", err);

    if (code == 0 && (!ret || !source))
        code = kin__error_null(err, ret ? "source" : "ret");
    if (code == 0)
        code = check_options(&all, err);
    if (code == 0 && (all.namespaces || all.label_selector || all.field_selector || all.decode ||
                      all.content != KIN_CONTENT_WHOLE || all.encoding != KIN_ENCODING_DEFAULT))
        code =
            kin_error_set(err, KIN_EINVAL,
                          "namespaces, selectors, content, encoding and decode are options of the "
                          "source, not of an informer that is given one");
    if (code == 0)
        code = allocate(&informer, source, &all, err);
    return code != 0 ? code : complete(ret, informer, &all, "informer", err);
}

/* What is left of an object of which only the key and the version are wanted. */
#define KEY_PATHS "metadata.name,metadata.namespace,metadata.resourceVersion,metadata.uid"

static int set_decode(kin_informer *informer, const kin_informer_options *options, kin_error *err)
{
    kin_decode_options given = KIN_DECODE_OPTIONS_INIT;
    int code =
        kin__options_take(&given, sizeof(given), options->decode, "KIN_DECODE_OPTIONS_INIT", err);

    if (code < 0)
        return code;
    if (given.api_version || given.kind)
        return kin_error_set(err, KIN_EINVAL, "apiVersion and kind are the resource's");
    if (given.projection && options->content == KIN_CONTENT_KEYS)
        return kin_error_set(err, KIN_EINVAL, "nothing is left to project of keys");
    informer->decode = given;
    if (options->content == KIN_CONTENT_KEYS)
        return kin_projection_keep(&informer->decode.projection, kin_str_of(KEY_PATHS), err);
    kin_projection_ref(given.projection);
    return 0;
}

static int set_client(kin_informer *informer, kin_client *client, const char *resource,
                      const kin_informer_options *options, kin_error *err)
{
    int code = set_decode(informer, options, err);

    if (code < 0) {
        informer->decode.projection = NULL;
        return code;
    }
    code = kin__check_label_selector(options->label_selector, err);
    if (code < 0)
        return code;
    informer->client = client;
    informer->resource = kin__memdup_str(kin_str_of(resource));
    if (!informer->resource)
        return kin__error_no_memory(err);
    return kin__scope_init(&informer->scope, options->namespaces, options->n_namespaces,
                           options->label_selector, options->field_selector, err);
}

int kin_informer_new(kin_informer **ret, kin_client *client, const char *resource,
                     const kin_informer_options *options, kin_error *err)
{
    kin_informer_options all = KIN_INFORMER_OPTIONS_INIT;
    kin_list_watch *source = NULL;
    kin_informer *informer = NULL;
    int code = kin__options_take(&all, sizeof(all), options, "KIN_INFORMER_OPTIONS_INIT", err);

    if (code == 0 && (!ret || !resource))
        code = kin__error_null(err, ret ? "resource" : "ret");
    if (code == 0)
        code = check_options(&all, err);
    /* By it the workers are found; what is listed is each reflector's own. */
    if (code == 0)
        code = kin_client_list_watch_by_name(client, &source, resource, NULL, err);
    if (code == 0)
        code = allocate(&informer, source, &all, err);
    kin_list_watch_unref(source);
    if (code != 0)
        return code;
    code = set_client(informer, client, resource, &all, err);
    if (code < 0) {
        destroy(informer);
        return code;
    }
    return complete(ret, informer, &all, resource, err);
}

void kin__informer_abandon(kin_informer *informer)
{
    kin__mutex_lock(&informer->lock);
    informer->is_abandoned = true;
    kin__mutex_unlock(&informer->lock);
    kin_informer_stop(informer);
    kin__informer_wake(informer);
    kin__informer_drop_handlers(informer);
}

void kin__informer_end(kin_informer *informer)
{
    kin__workers *workers = kin__shared_workers_pool(informer->shared_workers);

    kin__informer_abandon(informer);
    /* By a handler of another informer: what it waits for may need the worker that it has. */
    kin__workers_step_aside(workers);
    kin__process_loop_await_stopped(&informer->loop);
    kin__informer_end_handlers(informer);
    kin__alarm_cancel(&informer->resync);
    kin__alarm_cancel(&informer->check);
    kin__alarm_cancel(&informer->trim);
    kin__process_loop_settle(&informer->loop);
    kin__workers_come_back(workers);
}

/* Whether the caller is in a callback of one of its reflectors, or of a snapshot that is being loaded. */
static bool is_fed_here(kin_informer *informer)
{
    bool is_here;

    kin__mutex_lock(&informer->lock);
    is_here = informer->loop.is_held;
    kin__list_for_each(&informer->reflectors, node) {
        const kin__namespace_reflector *ns = kin__list_entry(node, kin__namespace_reflector, link);

        is_here = is_here || kin__reflector_calls_here(ns->in.reflector);
    }
    kin__mutex_unlock(&informer->lock);
    return is_here;
}

int kin__informer_check_end(kin_informer *informer)
{
    if (!kin__strand_runs_here(&informer->loop.strand) &&
        !kin__store_is_indexed_here(informer->store) && !is_fed_here(informer) &&
        !kin__informer_is_told_here(informer))
        return 0;
    kin__log(informer->logger, KIN_LOG_ERROR, "informer",
             "not freed: called by one of its own callbacks; stop it there, and free it elsewhere",
             KIN__LOG_S("informer", informer->name));
    return KIN_EBUSY;
}

int kin_informer_free(kin_informer *informer)
{
    int code = informer ? kin__fork_guard_check(&informer->guard, NULL) : 0;

    if (informer && code == 0)
        code = kin__informer_check_end(informer);
    if (!informer || code < 0)
        return code;
    kin__informer_end(informer);
    destroy(informer);
    return 0;
}

/* --- starting and stopping --- */

/* The first start begins with the snapshot, if there is one that can be used; else it has been said. */
static void begin_warm(kin_informer *informer)
{
    bool is_first;

    if (!informer->snapshot_path)
        return;
    kin__mutex_lock(&informer->lock);
    is_first = informer->loop.life == KIN__LIFE_NEW && !informer->has_loaded;
    kin__mutex_unlock(&informer->lock);
    if (is_first)
        kin_informer_load(informer, informer->snapshot_path, NULL);
}

int kin_informer_start(kin_informer *informer, kin_error *err)
{
    int code;

    if (!informer)
        return kin__error_null(err, "informer");
    code = kin__fork_guard_check(&informer->guard, err);
    if (code == 0)
        begin_warm(informer);
    return code < 0 ? code : kin__process_loop_start(&informer->loop, err);
}

void kin_informer_stop(kin_informer *informer)
{
    if (!informer || kin__fork_guard_check(&informer->guard, NULL) < 0)
        return;
    kin__process_loop_stop(&informer->loop);
}

int kin_informer_run(kin_informer *informer, kin_error *err)
{
    int code;

    if (informer && kin__workers_runs_here(kin__shared_workers_pool(informer->shared_workers)))
        return kin_error_set(err, KIN_EBUSY, "\"%s\" is run by a callback of its workers",
                             informer->name);
    code = kin_informer_start(informer, err);
    return code < 0 ? code : kin_informer_wait_stopped(informer, -1, err);
}
