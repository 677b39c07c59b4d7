/* SPDX-License-Identifier: Apache-2.0 */
#include "kin_test.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "base/log.h"
#include "base/mutex.h"
#include "child.h"
#include "kinform/clock.h"
#include "latch.h"
#include "oom.h"

/* --- a logger that counts --- */

struct sink {
    kin_logger *logger;
    atomic_uint records;
    atomic_uint freed;
    atomic_uint late; /* records behind arg_free */
    kin_log_record last;
};

static void count_record(const kin_log_record *record, void *arg)
{
    struct sink *sink = arg;

    (void)record;
    atomic_fetch_add(&sink->records, 1);
    if (atomic_load(&sink->freed))
        atomic_fetch_add(&sink->late, 1);
}

static void keep_record(const kin_log_record *record, void *arg)
{
    struct sink *sink = arg;

    sink->last = *record;
    count_record(record, arg);
}

static void free_sink(void *arg)
{
    struct sink *sink = arg;

    atomic_fetch_add(&sink->freed, 1);
}

static void init_sink(struct sink *sink, kin_log_level level, kin_log_fn *fn)
{
    memset(sink, 0, sizeof(*sink));
    assert_code(kin_logger_new(&sink->logger, level, fn, sink, free_sink, NULL), 0);
}

static unsigned freed(struct sink *sink)
{
    return atomic_load(&sink->freed);
}

static unsigned records(struct sink *sink)
{
    return atomic_load(&sink->records);
}

static void say(kin_logger *logger, kin_log_level level)
{
    kin_logger_log(logger, level, "test", "message", NULL, 0);
}

/* --- levels --- */

static void numbers_of_levels_and_types_never_change(void **state)
{
    (void)state;
    assert_int_equal(KIN_LOG_OFF, 0);
    assert_int_equal(KIN_LOG_ERROR, 1);
    assert_int_equal(KIN_LOG_WARN, 2);
    assert_int_equal(KIN_LOG_INFO, 3);
    assert_int_equal(KIN_LOG_DEBUG, 4);
    assert_int_equal(KIN_LOG_TRACE, 5);
    assert_int_equal(KIN_LOG_STR, 1);
    assert_int_equal(KIN_LOG_INT, 2);
    assert_int_equal(KIN_LOG_UINT, 3);
    assert_int_equal(KIN_LOG_DOUBLE, 4);
    assert_int_equal(KIN_LOG_BOOL, 5);
}

static void levels_have_names(void **state)
{
    (void)state;
    assert_string_equal(kin_log_level_name(KIN_LOG_OFF), "off");
    assert_string_equal(kin_log_level_name(KIN_LOG_ERROR), "error");
    assert_string_equal(kin_log_level_name(KIN_LOG_WARN), "warn");
    assert_string_equal(kin_log_level_name(KIN_LOG_INFO), "info");
    assert_string_equal(kin_log_level_name(KIN_LOG_DEBUG), "debug");
    assert_string_equal(kin_log_level_name(KIN_LOG_TRACE), "trace");
    assert_string_equal(kin_log_level_name((kin_log_level)6), "?");
    assert_string_equal(kin_log_level_name((kin_log_level)-1), "?");
}

static void a_logger_passes_its_level_and_those_before_it(void **state)
{
    (void)state;
    for (int own = KIN_LOG_OFF; own <= KIN_LOG_TRACE; own++) {
        struct sink sink;

        init_sink(&sink, (kin_log_level)own, count_record);
        for (int level = KIN_LOG_OFF; level <= KIN_LOG_TRACE; level++) {
            bool passes = level != KIN_LOG_OFF && level <= own;
            unsigned before = records(&sink);

            assert_int_equal(kin_logger_enabled(sink.logger, (kin_log_level)level), passes);
            say(sink.logger, (kin_log_level)level);
            assert_int_equal(records(&sink) - before, passes);
        }
        kin_logger_unref(sink.logger);
    }
}

/* KIN_LOG_OFF, as a logger's level, is "nothing". */
static void an_off_logger_passes_nothing_whatever_the_level(void **state)
{
    static const int levels[] = {INT32_MIN, -1, 0, 1, 5, 6, INT32_MAX};
    struct sink sink;

    (void)state;
    init_sink(&sink, KIN_LOG_OFF, count_record);
    for (size_t i = 0; i < kin__array_len(levels); i++) {
        assert_false(kin_logger_enabled(sink.logger, (kin_log_level)levels[i]));
        say(sink.logger, (kin_log_level)levels[i]);
    }
    assert_int_equal(records(&sink), 0);
    kin_logger_unref(sink.logger);
}

static void a_level_that_does_not_exist_is_not_passed(void **state)
{
    static const int levels[] = {INT32_MIN, -1, 6, INT32_MAX};
    struct sink sink;

    (void)state;
    init_sink(&sink, KIN_LOG_TRACE, count_record);
    for (size_t i = 0; i < kin__array_len(levels); i++)
        assert_false(kin_logger_enabled(sink.logger, (kin_log_level)levels[i]));
    kin_logger_unref(sink.logger);
}

static void the_level_can_be_changed_in_use(void **state)
{
    struct sink sink;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    init_sink(&sink, KIN_LOG_WARN, count_record);
    say(sink.logger, KIN_LOG_INFO);
    assert_int_equal(records(&sink), 0);
    assert_code(kin_logger_set_level(sink.logger, KIN_LOG_INFO, &err), 0);
    say(sink.logger, KIN_LOG_INFO);
    assert_int_equal(records(&sink), 1);
    assert_code(kin_logger_set_level(sink.logger, KIN_LOG_OFF, &err), 0);
    say(sink.logger, KIN_LOG_ERROR);
    assert_int_equal(records(&sink), 1);
    assert_code(kin_logger_set_level(sink.logger, KIN_LOG_TRACE, &err), 0);
    say(sink.logger, KIN_LOG_TRACE);
    assert_int_equal(records(&sink), 2);
    assert_code(err.code, 0);
    kin_logger_unref(sink.logger);
}

static void a_wrong_level_is_refused_and_the_old_one_stays(void **state)
{
    static const int wrong[] = {-1, 6, INT32_MIN, INT32_MAX};
    struct sink sink;

    (void)state;
    init_sink(&sink, KIN_LOG_WARN, count_record);
    for (size_t i = 0; i < kin__array_len(wrong); i++) {
        kin_error err = KIN_ERROR_INIT;

        assert_code(kin_logger_set_level(sink.logger, (kin_log_level)wrong[i], &err), KIN_EINVAL);
        assert_code(err.code, KIN_EINVAL);
        assert_code(kin_logger_set_level(sink.logger, (kin_log_level)wrong[i], NULL), KIN_EINVAL);
        assert_true(kin_logger_enabled(sink.logger, KIN_LOG_WARN));
        assert_false(kin_logger_enabled(sink.logger, KIN_LOG_INFO));
    }
    assert_code(kin_logger_set_level(NULL, KIN_LOG_INFO, NULL), KIN_EINVAL);
    kin_logger_unref(sink.logger);
}

/* --- loggers --- */

static void a_logger_needs_a_function_and_a_level(void **state)
{
    struct sink sink = {.logger = NULL};
    kin_logger *untouched = (kin_logger *)(void *)&sink;
    kin_logger *logger = untouched;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_logger_new(&logger, KIN_LOG_INFO, NULL, &sink, free_sink, &err), KIN_EINVAL);
    assert_code(err.code, KIN_EINVAL);
    assert_code(kin_logger_new(&logger, (kin_log_level)6, count_record, &sink, free_sink, &err),
                KIN_EINVAL);
    assert_code(kin_logger_new(&logger, (kin_log_level)-1, count_record, &sink, free_sink, NULL),
                KIN_EINVAL);
    assert_code(kin_logger_new(NULL, KIN_LOG_INFO, count_record, &sink, free_sink, NULL),
                KIN_EINVAL);
    assert_ptr_equal(logger, untouched);
    assert_int_equal(freed(&sink), 0); /* the argument is still ours */
}

static void without_memory_the_argument_stays_the_caller_s(void **state)
{
    struct sink sink = {.logger = NULL};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    kin_test_alloc_arm(1, KIN_TEST_FAIL_ONE);
    int code = kin_logger_new(&sink.logger, KIN_LOG_INFO, count_record, &sink, free_sink, &err);
    assert_true(kin_test_alloc_disarm());
    assert_code(code, KIN_ENOMEM);
    assert_code(err.code, KIN_ENOMEM);
    assert_null(sink.logger);
    assert_int_equal(freed(&sink), 0);
}

static void the_argument_is_freed_once_with_the_last_reference(void **state)
{
    size_t before = kin_test_alloc_live();
    struct sink sink;

    (void)state;
    init_sink(&sink, KIN_LOG_INFO, count_record);
    assert_ptr_equal(kin_logger_ref(sink.logger), sink.logger);
    kin_logger_unref(sink.logger);
    assert_int_equal(freed(&sink), 0);
    say(sink.logger, KIN_LOG_INFO);
    assert_int_equal(records(&sink), 1);
    kin_logger_unref(sink.logger);
    assert_int_equal(freed(&sink), 1);
    assert_int_equal(kin_test_alloc_live(), before);
}

static void the_argument_need_not_be_freed(void **state)
{
    size_t before = kin_test_alloc_live();
    struct sink sink = {.logger = NULL};

    (void)state;
    assert_code(kin_logger_new(&sink.logger, KIN_LOG_INFO, count_record, &sink, NULL, NULL), 0);
    say(sink.logger, KIN_LOG_INFO);
    kin_logger_unref(sink.logger);
    assert_int_equal(records(&sink), 1);
    assert_int_equal(kin_test_alloc_live(), before);
}

static void a_null_logger_drops_everything(void **state)
{
    (void)state;
    assert_null(kin_logger_ref(NULL));
    kin_logger_unref(NULL);
    for (int level = KIN_LOG_OFF; level <= KIN_LOG_TRACE; level++) {
        assert_false(kin_logger_enabled(NULL, (kin_log_level)level));
        say(NULL, (kin_log_level)level);
    }
}

static void a_record_holds_what_was_logged_and_when(void **state)
{
    const kin_log_field fields[] = {KIN__LOG_S("kind", "pods"), KIN__LOG_I("events", -3)};
    static const char component[] = "reflector";
    static const char message[] = "watch ended early";
    struct sink sink;

    (void)state;
    init_sink(&sink, KIN_LOG_WARN, keep_record);
    int64_t before = kin_clock_unix_now(kin_clock_system());
    kin_logger_log(sink.logger, KIN_LOG_WARN, component, message, fields, 2);
    int64_t after = kin_clock_unix_now(kin_clock_system());
    assert_int_equal(sink.last.size, sizeof(kin_log_record));
    assert_int_equal(sink.last.level, KIN_LOG_WARN);
    assert_ptr_equal(sink.last.component, component);
    assert_ptr_equal(sink.last.message, message);
    assert_ptr_equal(sink.last.fields, fields);
    assert_int_equal(sink.last.n_fields, 2);
    assert_true(before <= sink.last.unix_ns && sink.last.unix_ns <= after);
    kin_logger_unref(sink.logger);
}

/* --- the macro --- */

static int evaluations;

static int64_t evaluate(void)
{
    evaluations++;
    return 7;
}

static void fields_are_evaluated_only_if_enabled(void **state)
{
    struct sink sink;

    (void)state;
    evaluations = 0;
    init_sink(&sink, KIN_LOG_WARN, count_record);
    kin__log(sink.logger, KIN_LOG_INFO, "test", "message", KIN__LOG_I("n", evaluate()));
    kin__log((kin_logger *)NULL, KIN_LOG_WARN, "test", "message", KIN__LOG_I("n", evaluate()));
    assert_int_equal(evaluations, 0);
    kin__log(sink.logger, KIN_LOG_WARN, "test", "message", KIN__LOG_I("n", evaluate()));
    assert_int_equal(evaluations, 1);
    assert_int_equal(records(&sink), 1);
    kin_logger_unref(sink.logger);
}

static char formatted[1024];

static void format_record(const kin_log_record *record, void *arg)
{
    (void)arg;
    kin_log_format(record, formatted, sizeof(formatted));
}

static void the_macro_takes_fields_of_all_types(void **state)
{
    kin_logger *logger;
    kin_str view = kin_str_make("podsx", 4);

    (void)state;
    assert_code(kin_logger_new(&logger, KIN_LOG_INFO, format_record, NULL, NULL, NULL), 0);
    kin__log(logger, KIN_LOG_INFO, "test", "message", KIN__LOG_S("s", "text"),
             KIN__LOG_V("v", view), KIN__LOG_I("i", INT64_MIN), KIN__LOG_U("u", UINT64_MAX),
             KIN__LOG_D("d", 0.5), KIN__LOG_B("b", true), KIN__LOG_S("null", NULL));
    kin_logger_unref(logger);
    assert_string_equal(strchr(formatted, ' '),
                        " info test: message s=text v=pods i=-9223372036854775808 "
                        "u=18446744073709551615 d=0.5 b=true null=\"\"");
}

/* --- the default logger --- */

static void there_is_no_default_logger_at_first(void **state)
{
    (void)state;
    assert_null(kin_default_logger());
}

static void *ask_for_default(void *arg)
{
    atomic_bool *stop = arg;

    while (!atomic_load(stop))
        kin_logger_unref(kin_default_logger());
    return NULL;
}

static int ask_in_child(void *arg)
{
    (void)arg;
    alarm(KIN_TEST_TIMEOUT_MS / 1000);
    return kin_default_logger() ? 1 : 0;
}

/* No logger, no handler that could make the lock anew in the child: it must not be needed. */
static void a_forked_child_can_ask_before_one_was_ever_set(void **state)
{
    atomic_bool stop = false;
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, ask_for_default, &stop), 0);
    for (int i = 0; i < 50; i++) {
        kin_test_child child;

        kin_test_run_child(&child, ask_in_child, NULL);
        assert_int_equal(child.exit_code, 0);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}

static void the_library_has_its_own_reference_to_the_default_logger(void **state)
{
    struct sink sink;

    (void)state;
    init_sink(&sink, KIN_LOG_INFO, count_record);
    assert_code(kin_set_default_logger(sink.logger, NULL), 0);
    kin_logger_unref(sink.logger);
    assert_int_equal(freed(&sink), 0);
    kin_logger *logger = kin_default_logger();
    assert_ptr_equal(logger, sink.logger);
    say(logger, KIN_LOG_INFO);
    assert_int_equal(records(&sink), 1);
    kin_logger_unref(logger);
    assert_int_equal(freed(&sink), 0);
    assert_code(kin_set_default_logger(NULL, NULL), 0);
    assert_int_equal(freed(&sink), 1);
    assert_null(kin_default_logger());
}

/* That it writes to standard error is seen in the examples' tests. */
static void the_default_log_level_sets_a_logger(void **state)
{
    kin_logger *logger;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_set_default_log_level(KIN_LOG_WARN, &err), 0);
    logger = kin_default_logger();
    assert_true(kin_logger_enabled(logger, KIN_LOG_WARN));
    assert_false(kin_logger_enabled(logger, KIN_LOG_INFO));
    kin_logger_unref(logger);
    assert_code(kin_set_default_log_level((kin_log_level)9, &err), KIN_EINVAL);
    logger = kin_default_logger();
    assert_true(kin_logger_enabled(logger, KIN_LOG_WARN));
    kin_logger_unref(logger);
    assert_code(kin_set_default_log_level(KIN_LOG_OFF, NULL), 0);
    logger = kin_default_logger();
    assert_false(kin_logger_enabled(logger, KIN_LOG_ERROR));
    kin_logger_unref(logger);
    assert_code(kin_set_default_logger(NULL, NULL), 0);
}

static void a_logger_that_was_got_outlives_its_replacement(void **state)
{
    struct sink sinks[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        init_sink(&sinks[i], KIN_LOG_INFO, count_record);
    assert_code(kin_set_default_logger(sinks[0].logger, NULL), 0);
    kin_logger_unref(sinks[0].logger);
    kin_logger *got = kin_default_logger();
    assert_code(kin_set_default_logger(sinks[1].logger, NULL), 0);
    kin_logger_unref(sinks[1].logger);
    assert_int_equal(freed(&sinks[0]), 0);
    say(got, KIN_LOG_INFO);
    assert_int_equal(records(&sinks[0]), 1);
    assert_int_equal(records(&sinks[1]), 0);
    kin_logger_unref(got);
    assert_int_equal(freed(&sinks[0]), 1);
    assert_int_equal(freed(&sinks[1]), 0);
    assert_code(kin_set_default_logger(NULL, NULL), 0);
    assert_int_equal(freed(&sinks[1]), 1);
    assert_int_equal(atomic_load(&sinks[0].late), 0);
}

/* With the library's reference as the only one, dropping it first would be too early. */
static void the_default_logger_can_replace_itself(void **state)
{
    struct sink sink;

    (void)state;
    init_sink(&sink, KIN_LOG_INFO, count_record);
    assert_code(kin_set_default_logger(sink.logger, NULL), 0);
    kin_logger_unref(sink.logger);
    assert_code(kin_set_default_logger(sink.logger, NULL), 0);
    assert_int_equal(freed(&sink), 0);
    assert_code(kin_set_default_logger(NULL, NULL), 0);
    assert_code(kin_set_default_logger(NULL, NULL), 0);
    assert_int_equal(freed(&sink), 1);
}

static int make_use_and_drop(void *arg, kin_error *err)
{
    struct sink sink = {.logger = NULL};

    (void)arg;
    int code = kin_logger_new(&sink.logger, KIN_LOG_INFO, count_record, &sink, free_sink, err);
    if (code == 0)
        code = kin_set_default_logger(sink.logger, err);
    kin_logger_unref(sink.logger);
    if (code == 0)
        code = kin_set_default_log_level(KIN_LOG_WARN, err);
    kin_set_default_logger(NULL, NULL);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(make_use_and_drop, NULL);
}

/* --- callbacks that call the library --- */

static void log_again(const kin_log_record *record, void *arg)
{
    struct sink *sink = arg;

    count_record(record, arg);
    if (records(sink) < 5)
        kin_logger_log(sink->logger, record->level, "test", "again", NULL, 0);
}

static void a_logger_may_log_to_itself(void **state)
{
    struct sink sink;

    (void)state;
    init_sink(&sink, KIN_LOG_INFO, log_again);
    say(sink.logger, KIN_LOG_INFO);
    assert_int_equal(records(&sink), 5);
    kin_logger_unref(sink.logger);
}

static void become_nobody(const kin_log_record *record, void *arg)
{
    struct sink *sink = arg;

    count_record(record, arg);
    kin_logger *logger = kin_default_logger();
    kin_logger_set_level(logger, KIN_LOG_ERROR, NULL);
    kin_logger_unref(logger);
    kin_set_default_logger(NULL, NULL);
    if (freed(sink)) /* the caller still has the logger */
        atomic_fetch_add(&sink->late, 1);
}

static void a_logger_may_replace_the_default_logger(void **state)
{
    struct sink sink;

    (void)state;
    init_sink(&sink, KIN_LOG_INFO, become_nobody);
    kin_set_default_logger(sink.logger, NULL);
    kin_logger_unref(sink.logger);
    kin_logger *logger = kin_default_logger();
    say(logger, KIN_LOG_INFO);
    assert_int_equal(records(&sink), 1);
    assert_int_equal(atomic_load(&sink.late), 0);
    assert_null(kin_default_logger());
    assert_int_equal(freed(&sink), 0);
    kin_logger_unref(logger);
    assert_int_equal(freed(&sink), 1);
}

static struct sink heir;

static void free_and_appoint_heir(void *arg)
{
    free_sink(arg);
    kin_set_default_logger(heir.logger, NULL);
    kin_logger *logger = kin_default_logger();
    say(logger, KIN_LOG_INFO);
    kin_logger_unref(logger);
}

static void arg_free_may_use_the_library(void **state)
{
    struct sink sink = {.logger = NULL};

    (void)state;
    init_sink(&heir, KIN_LOG_INFO, count_record);
    assert_code(kin_logger_new(&sink.logger, KIN_LOG_INFO, count_record, &sink,
                               free_and_appoint_heir, NULL),
                0);
    kin_set_default_logger(sink.logger, NULL);
    kin_logger_unref(sink.logger);
    kin_set_default_logger(NULL, NULL); /* runs arg_free, which sets another one */
    assert_int_equal(freed(&sink), 1);
    assert_int_equal(records(&heir), 1);
    kin_logger *logger = kin_default_logger();
    assert_ptr_equal(logger, heir.logger);
    kin_logger_unref(logger);
    kin_set_default_logger(NULL, NULL);
    assert_int_equal(freed(&heir), 0);
    kin_logger_unref(heir.logger);
    assert_int_equal(freed(&heir), 1);
}

#if KIN_DEBUG_CHECKS
static kin__mutex lock = KIN__MUTEX_INITIALIZER(KIN__RANK_CLOCK);

static int log_under_a_lock(void *arg)
{
    struct sink *sink = arg;

    kin__mutex_lock(&lock);
    say(sink->logger, KIN_LOG_INFO);
    kin__mutex_unlock(&lock);
    return 0;
}

static int drop_the_last_reference_under_a_lock(void *arg)
{
    struct sink *sink = arg;

    kin__mutex_lock(&lock);
    kin_logger_unref(sink->logger);
    kin__mutex_unlock(&lock);
    return 0;
}

static void callbacks_under_a_lock_abort_a_debug_build(void **state)
{
    static int (*const misuses[])(void *) = {
        log_under_a_lock,
        drop_the_last_reference_under_a_lock,
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(misuses); i++) {
        struct sink sink;
        kin_test_child child;

        init_sink(&sink, KIN_LOG_INFO, count_record);
        kin_test_run_child(&child, misuses[i], &sink);
        kin_logger_unref(sink.logger);
        assert_int_equal(child.signal, SIGABRT);
        assert_non_null(strstr(child.output, "callback"));
    }
}
#endif

/* --- threads --- */

#define N_THREADS 4
#define N_SINKS 300

struct talker {
    pthread_t thread;
    kin_test_latch *running;
    atomic_bool *stop;
    unsigned logged; /* to a logger that was there */
};

static void *talk(void *arg)
{
    struct talker *t = arg;

    do {
        kin_logger *logger = kin_default_logger();

        if (kin_logger_enabled(logger, KIN_LOG_INFO))
            t->logged++;
        say(logger, KIN_LOG_INFO);
        kin_logger_unref(logger);
        if (t->running) {
            kin_test_latch_raise(t->running);
            t->running = NULL;
        }
    } while (!atomic_load(t->stop));
    return NULL;
}

static void start_talkers(struct talker *talkers, atomic_bool *stop, kin_test_latch *running)
{
    kin_test_latch_init(running);
    for (int i = 0; i < N_THREADS; i++) {
        talkers[i] = (struct talker){.running = running, .stop = stop};
        assert_int_equal(pthread_create(&talkers[i].thread, NULL, talk, &talkers[i]), 0);
    }
    kin_test_latch_wait(running, N_THREADS);
}

static unsigned stop_talkers(struct talker *talkers, atomic_bool *stop, kin_test_latch *running)
{
    unsigned logged = 0;

    atomic_store(stop, true);
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(talkers[i].thread, NULL);
        logged += talkers[i].logged;
    }
    kin_test_latch_done(running);
    return logged;
}

static void threads_may_log_while_the_default_logger_is_replaced(void **state)
{
    static struct sink sinks[N_SINKS];
    struct talker talkers[N_THREADS];
    kin_test_latch running;
    atomic_bool stop = false;
    unsigned received = 0;

    (void)state;
    for (int i = 0; i < N_SINKS; i++)
        init_sink(&sinks[i], KIN_LOG_INFO, count_record);
    start_talkers(talkers, &stop, &running);
    for (int i = 0; i < N_SINKS; i++) {
        kin_set_default_logger(sinks[i].logger, NULL);
        kin_logger_unref(sinks[i].logger);
        kin_logger *current = kin_default_logger();
        say(current, KIN_LOG_DEBUG); /* dropped */
        kin_logger_unref(current);
        while (i % 50 == 0 && records(&sinks[i]) == 0)
            sched_yield(); /* now and then, until one of the threads has used it */
    }
    kin_set_default_logger(NULL, NULL);
    unsigned logged = stop_talkers(talkers, &stop, &running);
    for (int i = 0; i < N_SINKS; i++) {
        assert_int_equal(freed(&sinks[i]), 1);
        assert_int_equal(atomic_load(&sinks[i].late), 0);
        received += records(&sinks[i]);
    }
    assert_true(received > 0);
    assert_int_equal(received, logged);
}

static void the_level_may_be_changed_while_threads_log(void **state)
{
    struct talker talkers[N_THREADS];
    kin_test_latch running;
    atomic_bool stop = false;
    struct sink sink;

    (void)state;
    init_sink(&sink, KIN_LOG_OFF, count_record);
    kin_set_default_logger(sink.logger, NULL);
    start_talkers(talkers, &stop, &running);
    assert_int_equal(records(&sink), 0);
    for (int i = 0; i < 1000; i++)
        kin_logger_set_level(sink.logger, i % 2 ? KIN_LOG_INFO : KIN_LOG_OFF, NULL);
    while (records(&sink) == 0)
        sched_yield(); /* the last level lets them pass, sooner or later */
    stop_talkers(talkers, &stop, &running);
    kin_set_default_logger(NULL, NULL);
    kin_logger_unref(sink.logger);
    assert_int_equal(freed(&sink), 1);
}

static int use_default_logger_in_child(void *arg)
{
    struct sink *sink = arg;

    alarm(KIN_TEST_TIMEOUT_MS / 1000); /* hanging is what this is about */
    unsigned before = records(sink);
    kin_logger *logger = kin_default_logger();
    say(logger, KIN_LOG_INFO);
    kin_logger_unref(logger);
    if (logger != sink->logger || records(sink) != before + 1)
        return 1;
    return kin_set_default_logger(NULL, NULL) == 0 && !kin_default_logger() ? 0 : 2;
}

/* At the time of the fork another thread may hold the lock, and is not there in the child. */
static void a_forked_child_can_use_the_default_logger(void **state)
{
    struct talker talkers[N_THREADS];
    kin_test_latch running;
    atomic_bool stop = false;
    struct sink sink;

    (void)state;
    init_sink(&sink, KIN_LOG_INFO, count_record);
    kin_set_default_logger(sink.logger, NULL);
    start_talkers(talkers, &stop, &running);
    for (int i = 0; i < 50; i++) {
        kin_test_child child;

        kin_test_run_child(&child, use_default_logger_in_child, &sink);
        if (child.exit_code != 0)
            fail_msg("exit code %d, signal %d: %s", child.exit_code, child.signal, child.output);
    }
    stop_talkers(talkers, &stop, &running);
    kin_set_default_logger(NULL, NULL);
    kin_logger_unref(sink.logger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_no_default_logger_at_first), /* first, as it says */
        cmocka_unit_test(a_forked_child_can_ask_before_one_was_ever_set),
        cmocka_unit_test(numbers_of_levels_and_types_never_change),
        cmocka_unit_test(levels_have_names),
        cmocka_unit_test(a_logger_passes_its_level_and_those_before_it),
        cmocka_unit_test(an_off_logger_passes_nothing_whatever_the_level),
        cmocka_unit_test(a_level_that_does_not_exist_is_not_passed),
        cmocka_unit_test(the_level_can_be_changed_in_use),
        cmocka_unit_test(a_wrong_level_is_refused_and_the_old_one_stays),
        cmocka_unit_test(a_logger_needs_a_function_and_a_level),
        cmocka_unit_test(without_memory_the_argument_stays_the_caller_s),
        cmocka_unit_test(the_argument_is_freed_once_with_the_last_reference),
        cmocka_unit_test(the_argument_need_not_be_freed),
        cmocka_unit_test(a_null_logger_drops_everything),
        cmocka_unit_test(a_record_holds_what_was_logged_and_when),
        cmocka_unit_test(fields_are_evaluated_only_if_enabled),
        cmocka_unit_test(the_macro_takes_fields_of_all_types),
        cmocka_unit_test(the_library_has_its_own_reference_to_the_default_logger),
        cmocka_unit_test(the_default_log_level_sets_a_logger),
        cmocka_unit_test(a_logger_that_was_got_outlives_its_replacement),
        cmocka_unit_test(the_default_logger_can_replace_itself),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_logger_may_log_to_itself),
        cmocka_unit_test(a_logger_may_replace_the_default_logger),
        cmocka_unit_test(arg_free_may_use_the_library),
#if KIN_DEBUG_CHECKS
        cmocka_unit_test(callbacks_under_a_lock_abort_a_debug_build),
#endif
        cmocka_unit_test(threads_may_log_while_the_default_logger_is_replaced),
        cmocka_unit_test(the_level_may_be_changed_while_threads_log),
        cmocka_unit_test(a_forked_child_can_use_the_default_logger),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
