/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work queue in one thread: the set, delays, the limiter, priorities, the end, metrics, the
 * descriptor.
 */
#include "work_queue_support.h"

#include "base/compiler.h"

/* --- the set --- */

static void a_key_is_queued_once(void **state)
{
    kin_work_queue *queue = new_queue();

    (void)state;
    add(queue, "a");
    add(queue, "b");
    add(queue, "a");
    assert_int_equal(kin_work_queue_len(queue), 2);
    expect_and_done(queue, "a");
    assert_int_equal(kin_work_queue_len(queue), 1);
    expect_and_done(queue, "b");
    expect_nothing(queue, KIN_ETIMEOUT);
    kin_work_queue_free(queue);
}

static void a_key_that_is_added_while_it_is_worked_on_comes_back(void **state)
{
    kin_work_queue *queue = new_queue();
    kin_work_item *item;

    (void)state;
    add(queue, "a");
    item = expect(queue, "a");
    add(queue, "a");
    add(queue, "a");
    assert_int_equal(kin_work_queue_len(queue), 0);
    expect_nothing(queue, KIN_ETIMEOUT); /* no two have the same key */
    add(queue, "b");
    assert_int_equal(stats(queue).n_again, 1);
    kin_work_queue_done(queue, item);
    assert_int_equal(kin_work_queue_len(queue), 2);
    expect_and_done(queue, "b"); /* it was queued first */
    expect_and_done(queue, "a");
    expect_nothing(queue, KIN_ETIMEOUT); /* twice was once */
    kin_work_queue_free(queue);
}

static void a_worker_goes_on_with_the_next(void **state)
{
    kin_work_queue *queue = new_queue();
    kin_work_item *item = NULL;

    (void)state;
    add(queue, "a");
    add(queue, "b");
    assert_code(kin_work_queue_next(queue, &item, 0, NULL), 0);
    assert_string_equal(kin_work_item_key(item).data, "a");
    add(queue, "a");
    assert_code(kin_work_queue_next(queue, &item, 0, NULL), 0);
    assert_string_equal(kin_work_item_key(item).data, "b");
    assert_code(kin_work_queue_next(queue, &item, 0, NULL), 0);
    assert_string_equal(kin_work_item_key(item).data, "a");
    assert_code(kin_work_queue_next(queue, &item, 0, NULL), KIN_ETIMEOUT);
    assert_null(item);
    assert_int_equal(stats(queue).n_working, 0);
    kin_work_queue_shut_down(queue);
    assert_code(kin_work_queue_next(queue, &item, 0, NULL), KIN_ECLOSED);
    kin_work_queue_free(queue);
}

static void several_at_once(void **state)
{
    kin_work_queue *queue = new_queue();
    kin_work_item *items[4];
    size_t n = 99;

    (void)state;
    assert_code(kin_work_queue_get_batch(queue, items, &n, 4, 0, NULL), KIN_ETIMEOUT);
    assert_int_equal(n, 99);
    for (unsigned i = 0; i < 6; i++)
        add(queue, (const char *[]){"a", "b", "c", "d", "e", "f"}[i]);
    assert_code(kin_work_queue_get_batch(queue, items, &n, 4, 0, NULL), 0);
    assert_int_equal(n, 4);
    assert_string_equal(kin_work_item_key(items[3]).data, "d");
    add(queue, "c");
    add(queue, "b");
    kin_work_queue_done_batch(queue, items, n);
    assert_code(kin_work_queue_get_batch(queue, items, &n, 4, 0, NULL), 0);
    assert_int_equal(n, 4);
    assert_string_equal(kin_work_item_key(items[0]).data, "e");
    assert_string_equal(kin_work_item_key(items[1]).data, "f");
    assert_string_equal(kin_work_item_key(items[2]).data, "b"); /* in the order they were done in */
    assert_string_equal(kin_work_item_key(items[3]).data, "c");
    kin_work_queue_done_batch(queue, items, n);
    kin_work_queue_done_batch(queue, NULL, 0);
    kin_work_queue_done(queue, NULL);
    assert_int_equal(kin_work_queue_len(queue), 0);
    kin_work_queue_free(queue);
}

static void keys_have_two_parts(void **state)
{
    static const struct {
        const char *key;
        const char *namespace_;
        const char *name;
    } cases[] = {
        {"name", "", "name"}, {"ns/name", "ns", "name"}, {"/name", "", "name"},
        {"ns/", "ns", ""},    {"a/b/c", "", "a/b/c"},    {"/", "", ""},
    };
    kin_work_queue *queue = new_queue();
    char long_name[1000];

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin_work_item *item;
        kin_namespaced_name name;

        add(queue, cases[i].key);
        item = expect(queue, cases[i].key);
        name = kin_work_item_name(item);
        assert_true(kin_str_equal(name.namespace_, kin_str_of(cases[i].namespace_)));
        assert_true(kin_str_equal(name.name, kin_str_of(cases[i].name)));
        kin_work_queue_done(queue, item);
    }
    kin_namespaced_name pair = {kin_str_of("ns"), kin_str_of("name")};
    assert_code(kin_work_queue_add_name(queue, pair, NULL, NULL), 0);
    add(queue, "ns/name"); /* the same key */
    pair.namespace_ = kin_str_of("");
    assert_code(kin_work_queue_add_name(queue, pair, NULL, NULL), 0);
    memset(long_name, 'n', sizeof(long_name));
    pair = (kin_namespaced_name){kin_str_of("ns"), kin_str_make(long_name, sizeof(long_name))};
    assert_code(kin_work_queue_add_name(queue, pair, NULL, NULL), 0);
    expect_and_done(queue, "ns/name");
    expect_and_done(queue, "name");
    kin_work_item *item = NULL;
    assert_code(kin_work_queue_get(queue, &item, 0, NULL), 0);
    assert_true(kin_namespaced_name_equal(kin_work_item_name(item), pair));
    kin_work_queue_done(queue, item);
    expect_nothing(queue, KIN_ETIMEOUT);
    pair.name = kin_str_of("");
    assert_code(kin_work_queue_add_name(queue, pair, NULL, NULL), KIN_EINVAL);
    pair.name = kin_str_of("a/b");
    assert_code(kin_work_queue_add_name(queue, pair, NULL, NULL), KIN_EINVAL);
    pair = (kin_namespaced_name){kin_str_of("a/b"), kin_str_of("c")};
    assert_code(kin_work_queue_add_name(queue, pair, NULL, NULL), KIN_EINVAL);
    kin_work_queue_free(queue);
}

/* --- delays --- */

static void a_key_comes_when_its_time_has_come(void **state)
{
    kin_work_queue *queue = new_queue();

    (void)state;
    add_after(queue, "foo", 50 * KIN__MILLISECOND);
    expect_nothing(queue, KIN_ETIMEOUT);
    assert_int_equal(stats(queue).n_delayed, 1);
    advance(50 * KIN__MILLISECOND - 1);
    assert_int_equal(kin_work_queue_len(queue), 0);
    advance(1);
    assert_int_equal(kin_work_queue_len(queue), 1);
    expect_and_done(queue, "foo");
    advance(KIN__SECOND);
    expect_nothing(queue, KIN_ETIMEOUT); /* once */
    add_after(queue, "now", 0);
    add_after(queue, "past", -KIN__SECOND);
    expect_and_done(queue, "now");
    expect_and_done(queue, "past");
    kin_work_queue_free(queue);
}

static void the_earliest_time_counts(void **state)
{
    kin_work_queue *queue = new_queue();

    (void)state;
    add_after(queue, "foo", 50);
    add_after(queue, "foo", 70);
    advance(50);
    expect_and_done(queue, "foo");
    advance(20);
    expect_nothing(queue, KIN_ETIMEOUT);
    add_after(queue, "foo", 50);
    add_after(queue, "foo", 30);
    assert_int_equal(stats(queue).n_delayed, 1);
    advance(30);
    expect_and_done(queue, "foo");
    advance(20);
    expect_nothing(queue, KIN_ETIMEOUT);
    kin_work_queue_free(queue);
}

static void keys_come_in_the_order_of_their_times(void **state)
{
    kin_work_queue *queue = new_queue();

    (void)state;
    add_after(queue, "third", 30);
    add_after(queue, "first", 10);
    add_after(queue, "second", 20);
    add_after(queue, "as the third", 30);
    add_after(queue, "never", INT64_MAX);
    advance(KIN__SECOND);
    expect_and_done(queue, "first");
    expect_and_done(queue, "second");
    expect_and_done(queue, "third");
    expect_and_done(queue, "as the third");
    expect_nothing(queue, KIN_ETIMEOUT);
    assert_int_equal(stats(queue).n_delayed, 1);
    kin_work_queue_free(queue);
}

static void a_delayed_key_can_be_worked_on_meanwhile(void **state)
{
    kin_work_queue *queue = new_queue();
    kin_work_item *item;

    (void)state;
    add_after(queue, "a", 10);
    add(queue, "a");
    expect_and_done(queue, "a");
    advance(10);
    item = expect(queue, "a");
    add_after(queue, "a", 5);
    advance(5);
    assert_int_equal(kin_work_queue_len(queue), 0);
    assert_int_equal(stats(queue).n_again, 1);
    kin_work_queue_done(queue, item);
    expect_and_done(queue, "a");
    add(queue, "a");
    add_after(queue, "a", 5);
    advance(5);
    assert_int_equal(kin_work_queue_len(queue), 1);
    expect_and_done(queue, "a");
    expect_nothing(queue, KIN_ETIMEOUT);
    kin_work_queue_free(queue);
}

/* --- the limiter --- */

static void delays_grow_until_the_key_is_forgotten(void **state)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    kin_work_queue *queue;

    (void)state;
    assert_code(
        kin_rate_limiter_new_exponential(&options.limiter, KIN__MILLISECOND, KIN__SECOND, NULL), 0);
    queue = new_with(options);
    kin_rate_limiter_unref(options.limiter);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 5; i++) {
            assert_int_equal(kin_work_queue_n_requeues(queue, kin_str_of("a")), i);
            assert_code(kin_work_queue_add_rate_limited(queue, kin_str_of("a"), NULL), 0);
            advance((KIN__MILLISECOND << i) - 1);
            expect_nothing(queue, KIN_ETIMEOUT);
            advance(1);
            expect_and_done(queue, "a");
        }
        kin_work_queue_forget(queue, kin_str_of("a"));
        assert_int_equal(kin_work_queue_n_requeues(queue, kin_str_of("a")), 0);
    }
    assert_int_equal(stats(queue).retries, 10);
    kin_work_queue_free(queue);
}

static void without_one_the_limiter_is_that_of_controllers(void **state)
{
    kin_work_queue *queue = new_queue();

    (void)state;
    assert_code(kin_work_queue_add_rate_limited(queue, kin_str_of("a"), NULL), 0);
    advance(5 * KIN__MILLISECOND - 1);
    expect_nothing(queue, KIN_ETIMEOUT);
    advance(1);
    expect_and_done(queue, "a");
    kin_work_queue_free(queue);
}

static int reentrant_when(kin_str key, int64_t *ret, void *arg, kin_error *err)
{
    kin_work_queue *queue = *(kin_work_queue **)arg;

    *ret = (int64_t)kin_work_queue_len(queue); /* no lock is held */
    return key.data[0] == '!' ? kin_error_set(err, KIN_ESERVER, "no") : 0;
}

static void a_limiter_of_the_callers_own_may_use_the_queue(void **state)
{
    kin_rate_limiter_functions functions = KIN_RATE_LIMITER_FUNCTIONS_INIT;
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_work_queue *queue = NULL;

    (void)state;
    functions.when = reentrant_when;
    assert_code(kin_rate_limiter_new(&options.limiter, &functions, &queue, NULL, NULL), 0);
    queue = new_with(options);
    kin_rate_limiter_unref(options.limiter);
    assert_code(kin_work_queue_add_rate_limited(queue, kin_str_of("a"), NULL), 0);
    assert_code(kin_work_queue_add_rate_limited(queue, kin_str_of("b"), NULL), 0);
    assert_int_equal(kin_work_queue_len(queue), 1);
    assert_code(kin_work_queue_add_rate_limited(queue, kin_str_of("!"), &err), KIN_ESERVER);
    assert_string_equal(err.message, "no");
    advance(1);
    assert_int_equal(kin_work_queue_len(queue), 2);
    kin_work_queue_free(queue);
}

/* --- priorities --- */

static void what_can_wait_comes_later_but_comes(void **state)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    static const char *const order[] = {"h0", "h1", "l0", "h2", "h3", "l1",
                                        "h4", "h5", "l2", "h6", "l3", "l4"};
    kin_work_queue *queue;
    char key[4];

    (void)state;
    options.low_every = 3;
    queue = new_with(options);
    for (unsigned i = 0; i < 5; i++) {
        snprintf(key, sizeof(key), "l%u", i);
        add_low(queue, key);
    }
    for (unsigned i = 0; i < 7; i++) {
        snprintf(key, sizeof(key), "h%u", i);
        add(queue, key);
    }
    assert_int_equal(stats(queue).n_low, 5);
    for (size_t i = 0; i < kin__array_len(order); i++) {
        kin_work_item *item = expect(queue, order[i]);

        assert_int_equal(kin_work_item_priority(item),
                         order[i][0] == 'l' ? KIN_WORK_LOW : KIN_WORK_HIGH);
        kin_work_queue_done(queue, item);
    }
    /* Those that went when nobody waited do not count. */
    for (unsigned i = 0; i < 5; i++) {
        add(queue, "h");
        expect_and_done(queue, "h");
    }
    add_low(queue, "l");
    add(queue, "h0");
    add(queue, "h1");
    expect_and_done(queue, "h0");
    expect_and_done(queue, "h1");
    expect_and_done(queue, "l");
    kin_work_queue_free(queue);
}

static void the_higher_priority_counts(void **state)
{
    kin_work_add how = KIN_WORK_ADD_INIT;
    kin_work_queue *queue = new_queue();
    kin_work_item *item;

    (void)state;
    add_low(queue, "a");
    add_low(queue, "b");
    add(queue, "c");
    add(queue, "b"); /* to the end of those with high priority */
    add_low(queue, "c");
    assert_int_equal(stats(queue).n_low, 1);
    assert_int_equal(kin_work_queue_len(queue), 3);
    expect_and_done(queue, "c");
    item = expect(queue, "b");
    assert_int_equal(kin_work_item_priority(item), KIN_WORK_HIGH);
    add_low(queue, "b");
    add(queue, "b"); /* while it is worked on */
    kin_work_queue_done(queue, item);
    expect_and_done(queue, "b");
    expect_and_done(queue, "a");
    how.priority = KIN_WORK_LOW;
    how.after_ns = 10;
    assert_code(kin_work_queue_add_with(queue, kin_str_of("d"), &how, NULL), 0);
    assert_code(kin_work_queue_add_with(queue, kin_str_of("e"), &how, NULL), 0);
    add_after(queue, "e", 10);
    advance(10);
    assert_int_equal(stats(queue).n_low, 1);
    expect_and_done(queue, "e");
    expect_and_done(queue, "d");
    how.after_ns = 0;
    how.rate_limited = true;
    assert_code(kin_work_queue_add_with(queue, kin_str_of("f"), &how, NULL), 0);
    advance(5 * KIN__MILLISECOND);
    item = expect(queue, "f");
    assert_int_equal(kin_work_item_priority(item), KIN_WORK_LOW);
    kin_work_queue_done(queue, item);
    /* A timer brings a key from the line of low to that of high priority. */
    add_low(queue, "g");
    add_low(queue, "h");
    add_after(queue, "h", 1);
    advance(1);
    expect_and_done(queue, "h");
    expect_and_done(queue, "g");
    kin_work_queue_free(queue);
}

/* --- the end --- */

static void after_the_shutdown_nothing_is_taken(void **state)
{
    kin_work_queue *queue = new_queue();
    kin_work_item *item;

    (void)state;
    add(queue, "a");
    add(queue, "b");
    item = expect(queue, "a");
    add(queue, "a");
    assert_false(kin_work_queue_is_shutting_down(queue));
    kin_work_queue_shut_down(queue);
    assert_true(kin_work_queue_is_shutting_down(queue));
    assert_code(kin_work_queue_add(queue, kin_str_of("c"), NULL), KIN_ECLOSED);
    assert_code(kin_work_queue_add_after(queue, kin_str_of("c"), 5, NULL), KIN_ECLOSED);
    assert_code(kin_work_queue_add_rate_limited(queue, kin_str_of("c"), NULL), KIN_ECLOSED);
    assert_int_equal(kin_work_queue_n_requeues(queue, kin_str_of("c")), 1); /* it was asked */
    assert_int_equal(stats(queue).refused, 3);
    expect_and_done(queue, "b"); /* what was queued is handed out */
    expect_nothing(queue, KIN_ECLOSED);
    kin_work_queue_done(queue, item);
    expect_and_done(queue, "a"); /* and what was noted */
    expect_nothing(queue, KIN_ECLOSED);
    kin_work_queue_shut_down(queue);
    kin_work_queue_free(queue);
}

static void a_drain_waits_for_what_is_queued_too(void **state)
{
    kin_work_queue *queue = new_queue();
    kin_error err = KIN_ERROR_INIT;
    kin_work_item *item;

    (void)state;
    add(queue, "a");
    assert_code(kin_work_queue_shut_down_with_drain(queue, 0, &err), KIN_ETIMEOUT);
    assert_string_equal(err.message, "1 keys are not done");
    item = expect(queue, "a");
    assert_code(kin_work_queue_shut_down_with_drain(queue, 0, NULL), KIN_ETIMEOUT);
    kin_work_queue_done(queue, item);
    assert_code(kin_work_queue_shut_down_with_drain(queue, 0, NULL), 0);
    kin_work_queue_free(queue);
}

static void shut_down_at_once(const kin_log_record *record, void *arg)
{
    kin_work_queue *const *queue = arg;

    (void)record;
    kin_work_queue_shut_down(*queue);
}

/* It comes between the drain's closing and its waiting, from where the drain reports what is dropped. */
static void a_shutdown_while_a_drain_begins_ends_it(void **state)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    kin_work_queue *queue;

    (void)state;
    assert_code(
        kin_logger_new(&options.logger, KIN_LOG_WARN, shut_down_at_once, &queue, NULL, NULL), 0);
    queue = new_with(options);
    kin_logger_unref(options.logger);
    add(queue, "a");
    add_after(queue, "later", KIN__SECOND);
    assert_code(kin_work_queue_shut_down_with_drain(queue, 0, NULL), KIN_ECANCELED);
    expect_and_done(queue, "a");
    kin_work_queue_free(queue);
}

struct dropped {
    char text[128];
    unsigned most;
};

static bool note_dropped(kin_str key, int64_t left_ns, void *arg)
{
    struct dropped *d = arg;
    size_t len = strlen(d->text);

    snprintf(d->text + len, sizeof(d->text) - len, "%s:%lld ", key.data, (long long)left_ns);
    return --d->most > 0;
}

static void count_lines(const kin_log_record *record, void *arg)
{
    (void)record;
    ++*(unsigned *)arg;
}

static void what_was_delayed_is_reported(void **state)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    struct dropped all = {"", 100};
    struct dropped some = {"", 2};
    kin_work_queue *queue;
    unsigned n_lines = 0;

    (void)state;
    assert_code(kin_logger_new(&options.logger, KIN_LOG_TRACE, count_lines, &n_lines, NULL, NULL),
                0);
    queue = new_with(options);
    kin_logger_unref(options.logger);
    add_after(queue, "c", 40);
    add_after(queue, "a", 10);
    add_after(queue, "d", 50);
    add_after(queue, "b", 20);
    add_after(queue, "e", 40);
    advance(10);
    assert_code(kin_work_queue_visit_dropped(queue, note_dropped, &all, NULL), KIN_EINVAL);
    kin_work_queue_shut_down(queue);
    assert_int_equal(n_lines, 1);
    advance(KIN__SECOND);
    expect_and_done(queue, "a"); /* its time had come, though nobody had looked */
    expect_nothing(queue, KIN_ECLOSED);
    assert_code(kin_work_queue_visit_dropped(queue, note_dropped, &all, NULL), 0);
    assert_string_equal(all.text, "b:10 c:30 e:30 d:40 ");
    assert_code(kin_work_queue_visit_dropped(queue, note_dropped, &some, NULL), 0);
    assert_string_equal(some.text, "b:10 c:30 ");
    assert_int_equal(stats(queue).n_delayed, 4);
    kin_work_queue_shut_down(queue);
    assert_int_equal(n_lines, 1);
    kin_work_queue_free(queue);
}

static void a_dropped_key_that_is_being_worked_on_stays(void **state)
{
    kin_work_queue *queue = new_queue();
    struct dropped all = {"", 100};
    kin_work_item *item;

    (void)state;
    add(queue, "a");
    item = expect(queue, "a");
    add_after(queue, "a", 10);
    kin_work_queue_shut_down(queue);
    kin_work_queue_done(queue, item);
    assert_code(kin_work_queue_visit_dropped(queue, note_dropped, &all, NULL), 0);
    assert_string_equal(all.text, "a:10 ");
    kin_work_queue_free(queue);
}

/* --- metrics --- */

struct metrics {
    kin_work_queue *queue; /* used by them: no lock is held */
    int depth;
    unsigned adds;
    unsigned retries;
    double queued[8];
    unsigned n_queued;
    double worked[8];
    unsigned n_worked;
    double unfinished;
    double longest;
    unsigned n_freed;
};

static void on_depth(int change, void *arg)
{
    struct metrics *m = arg;

    m->depth += change;
    (void)kin_work_queue_len(m->queue);
}

static void on_add(void *arg)
{
    ((struct metrics *)arg)->adds++;
}

static void on_queued(double seconds, void *arg)
{
    struct metrics *m = arg;

    m->queued[m->n_queued++] = seconds;
}

static void on_worked(double seconds, void *arg)
{
    struct metrics *m = arg;

    m->worked[m->n_worked++] = seconds;
    (void)kin_work_queue_len(m->queue);
}

static void on_unfinished(double seconds, void *arg)
{
    ((struct metrics *)arg)->unfinished = seconds;
}

static void on_longest(double seconds, void *arg)
{
    ((struct metrics *)arg)->longest = seconds;
}

static void on_retry(void *arg)
{
    ((struct metrics *)arg)->retries++;
}

static void on_free(void *arg)
{
    ((struct metrics *)arg)->n_freed++;
}

static void measure(struct metrics *m)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    const kin_work_queue_metrics all = {sizeof(all), on_depth,      on_add,     on_queued,
                                        on_worked,   on_unfinished, on_longest, on_retry};

    memset(m, 0, sizeof(*m));
    options.metrics = &all;
    options.metrics_arg = m;
    options.metrics_arg_free = on_free;
    m->queue = new_with(options);
}

#define assert_seconds(actual, expected) assert_true((actual) == (double)(expected))

static void metrics_are_those_of_client_go(void **state)
{
    kin_work_item *item;
    struct metrics m;

    (void)state;
    measure(&m);
    add(m.queue, "foo");
    add(m.queue, "foo");
    assert_int_equal(m.adds, 1);
    assert_int_equal(m.depth, 1);
    advance(50 * KIN__SECOND);
    item = expect(m.queue, "foo");
    assert_int_equal(m.depth, 0);
    assert_int_equal(m.n_queued, 1);
    assert_seconds(m.queued[0], 50);
    add(m.queue, "foo"); /* counts when it is added, not when it is queued */
    assert_int_equal(m.adds, 2);
    assert_int_equal(m.depth, 1);
    advance(25 * KIN__SECOND);
    kin_work_queue_update_metrics(m.queue);
    assert_seconds(m.unfinished, 25);
    assert_seconds(m.longest, 25);
    kin_work_queue_done(m.queue, item);
    assert_int_equal(m.n_worked, 1);
    assert_seconds(m.worked[0], 25);
    advance(10 * KIN__SECOND);
    item = expect(m.queue, "foo");
    assert_seconds(m.queued[1], 35); /* since it was added */
    add_after(m.queue, "later", KIN__SECOND);
    assert_int_equal(m.retries, 1);
    assert_int_equal(m.adds, 2);
    advance(KIN__SECOND);
    kin_work_item *second = expect(m.queue, "later");
    assert_int_equal(m.adds, 3);
    assert_seconds(m.queued[2], 0);
    advance(KIN__SECOND);
    kin_work_queue_update_metrics(m.queue);
    assert_seconds(m.unfinished, 3);
    assert_seconds(m.longest, 2);
    kin_work_queue_stats now = stats(m.queue);
    assert_int_equal(now.unfinished_ns, 3 * KIN__SECOND);
    assert_int_equal(now.longest_ns, 2 * KIN__SECOND);
    assert_int_equal(now.n_working, 2);
    assert_int_equal(now.adds, 3);
    kin_work_queue_done(m.queue, item);
    kin_work_queue_done(m.queue, second);
    kin_work_queue_update_metrics(m.queue);
    assert_seconds(m.unfinished, 0);
    assert_seconds(m.longest, 0);
    assert_int_equal(m.n_freed, 0);
    kin_work_queue_free(m.queue);
    assert_int_equal(m.n_freed, 1);
}

static void metrics_rest_after_the_shutdown(void **state)
{
    kin_work_item *item;
    struct metrics m;

    (void)state;
    measure(&m);
    add(m.queue, "foo");
    item = expect(m.queue, "foo");
    advance(KIN__SECOND);
    kin_work_queue_update_metrics(m.queue);
    assert_seconds(m.unfinished, 1);
    kin_work_queue_shut_down(m.queue);
    advance(KIN__SECOND);
    kin_work_queue_update_metrics(m.queue);
    assert_seconds(m.unfinished, 1);
    kin_work_queue_done(m.queue, item);
    assert_seconds(m.worked[0], 2);
    kin_work_queue_free(m.queue);
}

static void metrics_may_be_left_out(void **state)
{
    kin_work_queue_options options = KIN_WORK_QUEUE_OPTIONS_INIT;
    const kin_work_queue_metrics none = KIN_WORK_QUEUE_METRICS_INIT;
    kin_work_queue *queue;
    kin_work_item *item;

    (void)state;
    options.metrics = &none;
    queue = new_with(options);
    add_after(queue, "a", 0);
    kin_work_queue_update_metrics(queue);
    expect_and_done(queue, "a");
    kin_work_queue_free(queue);
    options.metrics = NULL;
    options.timing = true;
    queue = new_with(options);
    add(queue, "a");
    item = expect(queue, "a");
    advance(5);
    assert_int_equal(stats(queue).longest_ns, 5);
    kin_work_queue_done(queue, item);
    kin_work_queue_free(queue);
    queue = new_queue();
    add(queue, "a");
    item = expect(queue, "a");
    advance(5);
    assert_int_equal(stats(queue).longest_ns, 0);
    kin_work_queue_done(queue, item);
    kin_work_queue_free(queue);
}

/* --- the descriptor --- */

static void a_descriptor_says_whether_there_is_something(void **state)
{
    kin_work_queue *queue = new_queue();
    kin_work_item *item;
    int same = -1;
    int fd = -1;

    (void)state;
    add(queue, "before");
    assert_code(kin_work_queue_fd(queue, &fd, NULL), 0);
    assert_code(kin_work_queue_fd(queue, &same, NULL), 0);
    assert_int_equal(fd, same);
    assert_true(readable(fd));
    item = expect(queue, "before");
    assert_false(readable(fd));
    add(queue, "before");
    assert_false(readable(fd)); /* somebody works on it */
    kin_work_queue_done(queue, item);
    assert_true(readable(fd));
    expect_and_done(queue, "before");
    assert_false(readable(fd));
    add_after(queue, "later", 10);
    assert_false(readable(fd));
    advance(9);
    assert_false(readable(fd));
    advance(1);
    assert_true(readable(fd));
    expect_and_done(queue, "later");
    assert_false(readable(fd));
    add_after(queue, "later", 20);
    add_after(queue, "later", 10); /* earlier than it was set to */
    advance(10);
    assert_true(readable(fd));
    expect_and_done(queue, "later");
    add_after(queue, "a", 5);
    add_after(queue, "b", 7);
    advance(5);
    expect_and_done(queue, "a");
    assert_false(readable(fd));
    advance(2);
    assert_true(readable(fd));
    expect_and_done(queue, "b");
    add_after(queue, "never", 1000);
    kin_work_queue_shut_down(queue);
    assert_true(readable(fd));
    expect_nothing(queue, KIN_ECLOSED);
    assert_true(readable(fd));
    kin_work_queue_free(queue);
}

static void a_descriptor_goes_by_the_real_time_too(void **state)
{
    kin_work_queue *queue = NULL;
    kin_work_item *item = NULL;
    struct pollfd p = {.events = POLLIN};

    (void)state;
    assert_code(kin_work_queue_new(&queue, NULL, NULL), 0);
    assert_code(kin_work_queue_fd(queue, &p.fd, NULL), 0);
    add_after(queue, "never", INT64_MAX);
    assert_false(readable(p.fd));
    add_after(queue, "far", 3600 * KIN__SECOND);
    assert_false(readable(p.fd));
    add_after(queue, "soon", KIN__MILLISECOND);
    assert_int_equal(poll(&p, 1, KIN_TEST_TIMEOUT_MS), 1);
    assert_code(kin_work_queue_get(queue, &item, 0, NULL), 0);
    assert_false(readable(p.fd));
    kin_work_queue_done(queue, item);
    kin_work_queue_free(queue);
}

static void a_descriptor_with_a_time_ahead_can_be_freed(void **state)
{
    kin_work_queue *queue = new_queue();
    int fd;

    (void)state;
    assert_code(kin_work_queue_fd(queue, &fd, NULL), 0);
    add_after(queue, "a", 10);
    kin_work_queue_free(queue);
    advance(10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_key_is_queued_once),
        test(a_key_that_is_added_while_it_is_worked_on_comes_back),
        test(a_worker_goes_on_with_the_next),
        test(several_at_once),
        test(keys_have_two_parts),
        test(a_key_comes_when_its_time_has_come),
        test(the_earliest_time_counts),
        test(keys_come_in_the_order_of_their_times),
        test(a_delayed_key_can_be_worked_on_meanwhile),
        test(delays_grow_until_the_key_is_forgotten),
        test(without_one_the_limiter_is_that_of_controllers),
        test(a_limiter_of_the_callers_own_may_use_the_queue),
        test(what_can_wait_comes_later_but_comes),
        test(the_higher_priority_counts),
        test(after_the_shutdown_nothing_is_taken),
        test(a_drain_waits_for_what_is_queued_too),
        test(a_shutdown_while_a_drain_begins_ends_it),
        test(what_was_delayed_is_reported),
        test(a_dropped_key_that_is_being_worked_on_stays),
        test(metrics_are_those_of_client_go),
        test(metrics_rest_after_the_shutdown),
        test(metrics_may_be_left_out),
        test(a_descriptor_says_whether_there_is_something),
        test(a_descriptor_goes_by_the_real_time_too),
        test(a_descriptor_with_a_time_ahead_can_be_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
