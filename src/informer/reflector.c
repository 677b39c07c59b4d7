/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reflectors: options, life, and who steps; see reflector.h.
 *
 * A reflector is stepped by one thread at a time. Whoever finds something for it sets `wanted`; a thread
 * that steps looks at it until there is nothing more. If none does, the task is posted to the strand. If
 * the workers have ended, nobody else will ever come, and the thread that found it steps: the reflector
 * ends, since `closed` says so.
 *
 * References: the handle has one, a run another, and so have the posted task, each alarm that is set and
 * each call.
 */
#include "informer/reflector.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/options.h"
#include "client/list_watch.h"

enum {
    LIST_MS = 5 * 60 * 1000,
    MIN_WATCH_MS = 5 * 60 * 1000,
    GAP_RELIST_MS = 60 * 1000,
    GAP_RELIST_MAX_MS = 60 * 60 * 1000,
    BOOKMARK_MS = 150 * 1000,
};

/* --- references --- */

enum { N_ALARMS = 5 };

static kin__alarm *alarm_of(kin_reflector *reflector, size_t i)
{
    kin__alarm *const alarms[N_ALARMS] = {&reflector->delay, &reflector->resync,
                                          &reflector->watchdog, &reflector->relist,
                                          &reflector->quiet};

    return alarms[i];
}

kin_reflector *kin__reflector_ref(kin_reflector *reflector)
{
    kin__ref_get(&reflector->ref);
    return reflector;
}

static void free_texts(kin_reflector *reflector)
{
    kin__free(kin__unconst(reflector->options.api_version));
    kin__free(kin__unconst(reflector->options.kind));
    kin__free(reflector->name);
}

static void destroy(kin_reflector *reflector)
{
    bool forked = kin__fork_guard_check(&reflector->guard, NULL) < 0;
    kin__shared_workers *shared_workers = reflector->shared_workers;

    if (reflector->made) {
        for (size_t i = 0; i < N_ALARMS; i++)
            kin__alarm_done(alarm_of(reflector, i));
        kin__strand_done(&reflector->strand);
        if (reflector->store.arg_free)
            reflector->store.arg_free(reflector->store.arg);
        if (reflector->options.arg_free)
            reflector->options.arg_free(reflector->options.arg);
        if (reflector->options.metrics_arg_free)
            reflector->options.metrics_arg_free(reflector->options.metrics_arg);
    }
    if (!forked) {
        kin__cond_done(&reflector->ended);
        kin__mutex_done(&reflector->lock);
    }
    kin__gaps_clear(&reflector->list_gaps);
    kin__gaps_clear(&reflector->page_gaps);
    kin__gaps_clear(&reflector->gaps);
    kin_list_watch_unref(reflector->source);
    kin_logger_unref(reflector->logger);
    free_texts(reflector);
    kin__free(reflector);
    kin__shared_workers_unref(shared_workers);
}

void kin__reflector_unref(kin_reflector *reflector)
{
    if (reflector && kin__ref_put(&reflector->ref))
        destroy(reflector);
}

/* --- who steps --- */

/* The caller's reference goes, too: before others can see that it is not needed any more. */
static void run_steps(kin_reflector *reflector, bool dropped)
{
    bool last;

    kin__mutex_lock(&reflector->lock);
    reflector->closed |= dropped;
    reflector->wanted = true;
    if (!reflector->stepping) {
        reflector->stepping = true;
        reflector->stepper = pthread_self();
        while (reflector->wanted && reflector->running) {
            reflector->wanted = false;
            kin__mutex_unlock(&reflector->lock);
            kin__reflector_step(reflector);
            kin__mutex_lock(&reflector->lock);
        }
        reflector->stepping = false;
        kin__cond_broadcast(&reflector->ended);
    }
    last = kin__ref_put(&reflector->ref);
    kin__mutex_unlock(&reflector->lock);
    if (last)
        destroy(reflector);
}

static void task_run(kin__task *task, bool dropped)
{
    kin_reflector *reflector = kin__container_of(task, kin_reflector, task);

    kin__mutex_lock(&reflector->lock);
    reflector->posted = false;
    kin__mutex_unlock(&reflector->lock);
    run_steps(reflector, dropped);
}

void kin__reflector_wake(kin_reflector *reflector)
{
    bool post;

    kin__mutex_lock(&reflector->lock);
    reflector->wanted = true;
    post = reflector->running && !reflector->stepping && !reflector->posted;
    if (post) {
        reflector->posted = true;
        kin__ref_get(&reflector->ref);
    }
    kin__mutex_unlock(&reflector->lock);
    if (post && kin__strand_post(&reflector->strand, &reflector->task) < 0)
        task_run(&reflector->task, true);
}

bool kin__reflector_ends(kin_reflector *reflector)
{
    kin__mutex_lock(&reflector->lock);
    bool ends = reflector->stopping || reflector->closed;
    reflector->wanted |= ends;
    kin__mutex_unlock(&reflector->lock);
    return ends;
}

void kin__reflector_look_again(kin_reflector *reflector)
{
    kin__mutex_lock(&reflector->lock);
    reflector->wanted = true;
    kin__mutex_unlock(&reflector->lock);
}

/* --- alarms --- */

static void wake_at(kin_reflector *reflector, bool dropped)
{
    run_steps(reflector, dropped);
}

static void delay_run(kin__alarm *alarm, bool dropped)
{
    wake_at(kin__container_of(alarm, kin_reflector, delay), dropped);
}

static void resync_run(kin__alarm *alarm, bool dropped)
{
    wake_at(kin__container_of(alarm, kin_reflector, resync), dropped);
}

static void watchdog_run(kin__alarm *alarm, bool dropped)
{
    wake_at(kin__container_of(alarm, kin_reflector, watchdog), dropped);
}

static void relist_run(kin__alarm *alarm, bool dropped)
{
    wake_at(kin__container_of(alarm, kin_reflector, relist), dropped);
}

static void quiet_run(kin__alarm *alarm, bool dropped)
{
    wake_at(kin__container_of(alarm, kin_reflector, quiet), dropped);
}

void kin__reflector_cancel_alarm(kin_reflector *reflector, kin__alarm *alarm)
{
    if (kin__alarm_cancel(alarm))
        kin__reflector_unref(reflector);
}

void kin__reflector_set_alarm(kin_reflector *reflector, kin__alarm *alarm, int64_t deadline)
{
    /* One that is set has its reference already. */
    if (!kin__alarm_cancel(alarm))
        kin__reflector_ref(reflector);
    if (kin__alarm_set(alarm, deadline) == 0)
        return;
    kin__mutex_lock(&reflector->lock);
    reflector->closed = true;
    reflector->wanted = true;
    kin__mutex_unlock(&reflector->lock);
    kin__reflector_unref(reflector);
}

/* --- options --- */

static int check_store(const kin_reflector_store *store, kin_error *err)
{
    if (store->add && store->update && store->delete_ && store->replace_begin && store->resync)
        return 0;
    return kin_error_set(err, KIN_EINVAL, "a function of the store is missing");
}

static int check_time(const char *name, int64_t ms, int64_t min, kin_error *err)
{
    if (ms >= min && ms <= INT64_MAX / KIN__MILLISECOND)
        return 0;
    return kin_error_set(err, KIN_EINVAL, "%s is %lld", name, (long long)ms);
}

static int check_times(const kin_reflector_options *options, kin_error *err)
{
    const struct {
        const char *name;
        int64_t ms;
        int64_t min;
    } times[] = {
        {"list_timeout_ms", options->list_timeout_ms, -1},
        {"min_watch_timeout_ms", options->min_watch_timeout_ms, 0},
        {"internal_error_retry_ms", options->internal_error_retry_ms, 0},
        {"resync_ms", options->resync_ms, 0},
        {"backoff_initial_ms", options->backoff_initial_ms, 0},
        {"backoff_max_ms", options->backoff_max_ms, 0},
        {"backoff_reset_ms", options->backoff_reset_ms, 0},
        {"gap_relist_ms", options->gap_relist_ms, -1},
        {"gap_relist_max_ms", options->gap_relist_max_ms, 0},
        {"bookmark_timeout_ms", options->bookmark_timeout_ms, -1},
        {"relist_ms", options->relist_ms, 0},
    };
    int code = 0;

    for (size_t i = 0; i < kin__array_len(times) && code == 0; i++)
        code = check_time(times[i].name, times[i].ms, times[i].min, err);
    return code;
}

int kin__reflector_check_options(const kin_reflector_options *options, kin_error *err)
{
    int code = check_times(options, err);

    if (code < 0)
        return code;
    if (options->page_size < 0)
        return kin_error_set(err, KIN_EINVAL, "page_size is %lld", (long long)options->page_size);
    if (options->backoff_factor != 0 && !(options->backoff_factor >= 1))
        return kin_error_set(err, KIN_EINVAL, "backoff_factor is %g", options->backoff_factor);
    if (options->backoff_jitter != options->backoff_jitter)
        return kin_error_set(err, KIN_EINVAL, "backoff_jitter is no number");
    if ((unsigned)options->streaming_lists > KIN_STREAMING_LISTS_ALWAYS)
        return kin_error_set(err, KIN_EINVAL, "streaming_lists is %d",
                             (int)options->streaming_lists);
    /* Any version: what is gone since would never be told. */
    if (options->resource_version && strcmp(options->resource_version, "0") == 0)
        return kin_error_set(err, KIN_EINVAL, "a watch cannot go on from the version \"0\"");
    if (options->resource_version &&
        strlen(options->resource_version) > KIN_RESOURCE_VERSION_BYTES_MAX)
        return kin_error_set(err, KIN_ELIMIT, "a resource version of more than %d bytes",
                             KIN_RESOURCE_VERSION_BYTES_MAX);
    return 0;
}

static int copy_texts(kin_reflector *reflector, const kin_reflector_options *given)
{
    const char *version = given->resource_version;
    char *api_version = NULL;
    char *kind = NULL;
    int code = kin__copy_text(&api_version, given->api_version);

    if (code == 0)
        code = kin__copy_text(&kind, given->kind);
    reflector->options = *given;
    reflector->options.resource_version = NULL;
    reflector->options.api_version = api_version;
    reflector->options.kind = kind;
    reflector->warm = version && version[0];
    if (reflector->warm)
        memcpy(reflector->version, version, strlen(version) + 1);
    reflector->name = kin__memdup_str(kin_str_of(given->name ? given->name : "reflector"));
    reflector->options.name = reflector->name;
    return reflector->name ? code : KIN_ENOMEM;
}

/*
 * Of lists for gaps: with the jitter of the other delays. A list without gaps begins them anew; and so does as
 * long a time as the longest in which none was due, since watches heal gaps, too.
 */
static void set_up_relist(kin_reflector *reflector, const kin__backoff_settings *like,
                          uint64_t seed)
{
    const kin_reflector_options *options = &reflector->options;
    kin__backoff_settings settings = *like;

    settings.initial =
        (options->gap_relist_ms > 0 ? options->gap_relist_ms : GAP_RELIST_MS) * KIN__MILLISECOND;
    settings.cap = (options->gap_relist_max_ms ? options->gap_relist_max_ms : GAP_RELIST_MAX_MS) *
                   KIN__MILLISECOND;
    if (settings.cap < settings.initial)
        settings.cap = settings.initial;
    settings.reset = settings.cap;
    settings.factor = 2;
    kin__backoff_init(&reflector->relist_backoff, &settings, seed);
}

static void set_up_backoff(kin_reflector *reflector)
{
    const kin_reflector_options *options = &reflector->options;
    kin__backoff_settings settings = KIN__BACKOFF_SETTINGS_INIT;
    int64_t now = kin_clock_now(reflector->clock);
    uint64_t seed = options->seed;

    if (seed == 0)
        seed = kin__hash(kin__hash_seed() ^ (uint64_t)now, &reflector, sizeof(reflector));
    if (options->backoff_initial_ms)
        settings.initial = options->backoff_initial_ms * KIN__MILLISECOND;
    if (options->backoff_max_ms)
        settings.cap = options->backoff_max_ms * KIN__MILLISECOND;
    if (settings.cap < settings.initial)
        settings.cap = settings.initial;
    if (options->backoff_reset_ms)
        settings.reset = options->backoff_reset_ms * KIN__MILLISECOND;
    if (options->backoff_factor != 0)
        settings.factor = options->backoff_factor;
    if (options->backoff_jitter != 0)
        settings.jitter = options->backoff_jitter > 0 ? options->backoff_jitter : 0;
    kin__backoff_init(&reflector->backoff, &settings, seed);
    reflector->random.state = seed + 1;
    set_up_relist(reflector, &settings, seed + 2);
}

static void set_up_times(kin_reflector *reflector)
{
    const kin_reflector_options *options = &reflector->options;

    reflector->list_timeout_ms = options->list_timeout_ms ? options->list_timeout_ms : LIST_MS;
    reflector->min_watch_ms =
        options->min_watch_timeout_ms > MIN_WATCH_MS ? options->min_watch_timeout_ms : MIN_WATCH_MS;
    if (reflector->min_watch_ms > INT64_MAX / 4)
        reflector->min_watch_ms = INT64_MAX / 4;
    reflector->delay_until = INT64_MAX;
    reflector->resync_at = INT64_MAX;
    reflector->watchdog_at = INT64_MAX;
    reflector->relist_at = INT64_MAX;
    reflector->gap_at = INT64_MAX;
    reflector->period_at = INT64_MAX;
    reflector->listed_at = kin_clock_now(reflector->clock);
    reflector->quiet_at = INT64_MAX;
    reflector->first_internal = INT64_MAX;
    reflector->stream_off_until = INT64_MIN;
}

/* A tenth less by chance: many programs must not ask the server at the same moment. */
static void set_up_bookmarks(kin_reflector *reflector)
{
    int64_t ms = reflector->options.bookmark_timeout_ms;

    if (ms == 0 && reflector->tells_begin)
        ms = BOOKMARK_MS;
    if (ms > 0)
        reflector->bookmark_ns = (int64_t)((double)(ms * KIN__MILLISECOND) *
                                           (1 - kin__random_unit(&reflector->random) / 10));
}

/* --- life --- */

/* Room for all, or none is left over. */
static int make_alarms(kin_reflector *reflector, kin_error *err)
{
    static kin__alarm_fn *const runs[N_ALARMS] = {delay_run, resync_run, watchdog_run, relist_run,
                                                  quiet_run};
    size_t n = 0;
    int code = 0;

    while (n < N_ALARMS && code == 0) {
        code = kin__alarm_init(alarm_of(reflector, n), &reflector->strand, runs[n], err);
        n += code == 0;
    }
    while (code < 0 && n > 0)
        kin__alarm_done(alarm_of(reflector, --n));
    return code;
}

static int make_parts(kin_reflector *reflector, kin__shared_workers *shared_workers,
                      kin_list_watch *source, const kin_reflector_options *options, kin_error *err)
{
    const kin_list_watch_class *source_class = source->source_class;
    int code = 0;

    if (copy_texts(reflector, options) < 0)
        return kin__error_no_memory(err);
    code = kin__options_take(&reflector->metrics, sizeof(reflector->metrics), options->metrics,
                             "KIN_REFLECTOR_METRICS_INIT", err);
    if (code < 0)
        return code;
    reflector->options.metrics = NULL;
    if (shared_workers)
        reflector->shared_workers = kin__shared_workers_ref(shared_workers);
    else
        code = kin__shared_workers_of(&reflector->shared_workers, source, options->clock, err);
    if (code < 0)
        return code;
    reflector->clock = kin__shared_workers_clock(reflector->shared_workers);
    reflector->options.clock = reflector->clock;
    reflector->can_stream = source_class->streaming_lists;
    reflector->tells_begin = kin__list_watch_client(source) != NULL;
    set_up_times(reflector);
    set_up_backoff(reflector);
    set_up_bookmarks(reflector);
    kin__strand_init(&reflector->strand, kin__shared_workers_pool(reflector->shared_workers));
    reflector->task.run = task_run;
    return make_alarms(reflector, err);
}

static int reflector_make(kin_reflector **ret, kin__shared_workers *shared_workers,
                          kin_list_watch *source, const kin_reflector_store *store,
                          const kin_reflector_options *options, kin_error *err)
{
    kin_reflector *reflector = kin__calloc(1, sizeof(*reflector));
    int code;

    if (!reflector)
        return kin__error_no_memory(err);
    code = kin__fork_guard_init(&reflector->guard, err);
    if (code < 0) {
        kin__free(reflector);
        return code;
    }
    kin__ref_init(&reflector->ref);
    kin__mutex_init(&reflector->lock, KIN__RANK_REFLECTOR);
    kin__cond_init(&reflector->ended);
    reflector->status = (kin_reflector_status)KIN_REFLECTOR_STATUS_INIT;
    kin__gaps_init(&reflector->list_gaps);
    kin__gaps_init(&reflector->page_gaps);
    kin__gaps_init(&reflector->gaps);
    reflector->store = *store;
    reflector->source = kin_list_watch_ref(source);
    reflector->logger = options->logger ? kin_logger_ref(options->logger) : kin_default_logger();
    code = make_parts(reflector, shared_workers, source, options, err);
    if (code < 0) {
        kin__reflector_unref(reflector);
        return code;
    }
    reflector->options.logger = reflector->logger;
    reflector->made = true;
    *ret = reflector;
    return 0;
}

int kin__reflector_new_on(kin_reflector **ret, kin__shared_workers *shared_workers,
                          kin_list_watch *source, const kin_reflector_store *store,
                          const kin_reflector_options *options, kin_error *err)
{
    kin_reflector_store all_store = KIN_REFLECTOR_STORE_INIT;
    kin_reflector_options all = KIN_REFLECTOR_OPTIONS_INIT;
    int code;

    if (!ret || !source || !store)
        return kin__error_null(err, !ret ? "ret" : source ? "store" : "source");
    code = kin__options_take(&all_store, sizeof(all_store), store, "KIN_REFLECTOR_STORE_INIT", err);
    if (code == 0)
        code = kin__options_take(&all, sizeof(all), options, "KIN_REFLECTOR_OPTIONS_INIT", err);
    if (code == 0)
        code = check_store(&all_store, err);
    if (code == 0)
        code = kin__reflector_check_options(&all, err);
    return code < 0 ? code : reflector_make(ret, shared_workers, source, &all_store, &all, err);
}

int kin_reflector_new(kin_reflector **ret, kin_list_watch *source, const kin_reflector_store *store,
                      const kin_reflector_options *options, kin_error *err)
{
    return kin__reflector_new_on(ret, NULL, source, store, options, err);
}

static int check_reflector(kin_reflector *reflector, kin_error *err)
{
    if (!reflector)
        return kin__error_null(err, "reflector");
    return kin__fork_guard_check(&reflector->guard, err);
}

bool kin__reflector_calls_here(kin_reflector *reflector)
{
    pthread_t self = pthread_self();
    bool here;

    kin__mutex_lock(&reflector->lock);
    here = (reflector->stepping && pthread_equal(reflector->stepper, self)) ||
           (reflector->n_inside > 0 && pthread_equal(reflector->inside, self));
    kin__mutex_unlock(&reflector->lock);
    return here;
}

bool kin__reflector_runs_here(kin_reflector *reflector)
{
    return kin__workers_runs_here(kin__shared_workers_pool(reflector->shared_workers)) ||
           kin__reflector_calls_here(reflector);
}

int kin_reflector_start(kin_reflector *reflector, kin_error *err)
{
    bool busy;
    int code = check_reflector(reflector, err);

    if (code == 0)
        code = kin__workers_start(kin__shared_workers_pool(reflector->shared_workers), err);
    if (code < 0)
        return code;
    kin__mutex_lock(&reflector->lock);
    busy = reflector->running || reflector->stepping;
    if (!busy) {
        reflector->running = true;
        reflector->stopping = false;
        reflector->at_end = false;
        /* So that its end is news, even if it comes before anything was begun. */
        reflector->status.state = KIN_REFLECTOR_IDLE;
        reflector->phase = KIN__PHASE_ROUND;
        reflector->is_relist = false;
        kin__ref_get(&reflector->ref);
    }
    kin__mutex_unlock(&reflector->lock);
    if (busy)
        return kin_error_set(err, KIN_EBUSY, "the reflector runs already");
    kin__reflector_wake(reflector);
    return 0;
}

void kin_reflector_stop(kin_reflector *reflector)
{
    if (check_reflector(reflector, NULL) < 0)
        return;
    kin__mutex_lock(&reflector->lock);
    reflector->stopping = reflector->running;
    kin__mutex_unlock(&reflector->lock);
    kin__reflector_wake(reflector);
}

int kin_reflector_wait(kin_reflector *reflector, int64_t timeout_ms, kin_error *err)
{
    bool in_time = true;
    int64_t deadline;
    int code = check_reflector(reflector, err);

    if (code < 0)
        return code;
    if (kin__reflector_runs_here(reflector))
        return kin_error_set(err, KIN_EBUSY, "a reflector is waited for by its own callback");
    deadline = kin__clock_deadline_ms(reflector->clock, timeout_ms);
    kin__mutex_lock(&reflector->lock);
    while ((reflector->running || reflector->stepping) && in_time)
        in_time =
            kin__cond_wait_until(&reflector->ended, &reflector->lock, reflector->clock, deadline);
    if (reflector->running || reflector->stepping)
        code = KIN_ETIMEOUT;
    kin__mutex_unlock(&reflector->lock);
    return code < 0 ? kin_error_set(err, code, "the reflector has not ended in time") : 0;
}

bool kin__reflector_has_ended(kin_reflector *reflector)
{
    kin__mutex_lock(&reflector->lock);
    while (reflector->at_end && (reflector->running || reflector->stepping))
        kin__cond_wait(&reflector->ended, &reflector->lock);
    bool has_ended = !reflector->running && !reflector->stepping;

    kin__mutex_unlock(&reflector->lock);
    return has_ended;
}

int kin_reflector_run(kin_reflector *reflector, kin_error *err)
{
    int code = check_reflector(reflector, err);

    if (code == 0 && kin__reflector_runs_here(reflector))
        code = kin_error_set(err, KIN_EBUSY, "a reflector is run by its own callback");
    if (code == 0)
        code = kin_reflector_start(reflector, err);
    return code < 0 ? code : kin_reflector_wait(reflector, -1, err);
}

void kin_reflector_free(kin_reflector *reflector)
{
    bool here;

    if (!reflector)
        return;
    if (check_reflector(reflector, NULL) < 0) {
        kin__reflector_unref(reflector);
        return;
    }
    here = kin__reflector_runs_here(reflector);
    kin__mutex_lock(&reflector->lock);
    reflector->freed = true;
    kin__mutex_unlock(&reflector->lock);
    kin_reflector_stop(reflector);
    kin__mutex_lock(&reflector->lock);
    while (!here && (reflector->running || reflector->stepping || reflector->posted))
        kin__cond_wait(&reflector->ended, &reflector->lock);
    kin__mutex_unlock(&reflector->lock);
    kin__reflector_unref(reflector);
}
