/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watchers: what they read, when they are notified, how they end, and texts that they share.
 */
#include "kin_test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "apiserver/state/state_inside.h"
#include "base/compiler.h"
#include "latch.h"
#include "state_support.h"

struct watch {
    kin__watcher base;
    unsigned notified;
    bool closes; /* itself, when it is notified */
    kin_test_latch *entered;
    kin_test_latch *leave;
};

static kin__state *state;
static kin__collection *pods;

static int set_up(void **unused)
{
    (void)unused;
    state = kin_test_open_state(NULL, 0, 0);
    pods = kin_test_collection(state, "pods");
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    kin__state_free(state);
    assert_int_equal(kin_test_alloc_live(), 0);
    return 0;
}

static void on_notify(kin__watcher *base)
{
    struct watch *watch = kin__container_of(base, struct watch, base);

    watch->notified++;
    if (watch->entered)
        kin_test_latch_raise(watch->entered);
    if (watch->leave)
        kin_test_latch_wait(watch->leave, 1);
    if (watch->closes)
        kin__watcher_close(base);
}

static void open_watch(struct watch *watch, uint64_t version)
{
    memset(watch, 0, sizeof(*watch));
    watch->base.notify = on_notify;
    assert_code(kin__watcher_open(&watch->base, state, pods, version, NULL), 0);
}

/* "+key=value@version" created, "~" changed, "-" deleted, of one read; BORROWED until the next. */
static const char *read_some(struct watch *watch, size_t max, uint64_t *ret_version)
{
    static char text[4096];
    kin__change *changes[64];
    uint64_t version = 0;
    size_t len = 0;
    size_t n = 0;
    int code = kin__watcher_read(&watch->base, changes, max, &n, &version);

    if (code < 0)
        return kin_error_name(code);
    text[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        const char *sign = changes[i]->is_deletion ? "-" : changes[i]->old ? "~" : "+";

        assert_int_equal(changes[i]->version, kin_test_document_version(changes[i]->object));
        if (changes[i]->is_deletion)
            assert_non_null(changes[i]->old);
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s%s=%u@%llu", i ? " " : "",
                                sign, kin_object_key(changes[i]->object),
                                kin_test_document_value(changes[i]->object),
                                (unsigned long long)changes[i]->version);
        kin__change_unref(changes[i]);
    }
    if (ret_version)
        *ret_version = version;
    return text;
}

static void changes_come_in_their_order(void **unused)
{
    struct watch watch;

    (void)unused;
    kin_test_put(state, pods, "a/x", 1);
    kin_test_put(state, pods, "a/y", 2);
    kin_test_put(state, pods, "a/x", 3);
    kin_test_delete(state, pods, "a/x");
    kin_test_put(state, pods, "a/x", 4);
    open_watch(&watch, 0);
    assert_string_equal(read_some(&watch, 64, NULL),
                        "+a/x=1@2 +a/y=2@3 ~a/x=3@4 -a/x=3@5 +a/x=4@6");
    kin__watcher_close(&watch.base);
    open_watch(&watch, 4);
    assert_string_equal(read_some(&watch, 1, NULL), "-a/x=3@5");
    assert_string_equal(read_some(&watch, 1, NULL), "+a/x=4@6");
    assert_string_equal(read_some(&watch, 1, NULL), "");
    kin__watcher_close(&watch.base);
    open_watch(&watch, 6);
    assert_string_equal(read_some(&watch, 64, NULL), "");
    kin__watcher_close(&watch.base);
    assert_code(kin__watcher_open(&watch.base, state, pods, 7, NULL), KIN_ERANGE);
}

static void only_changes_of_its_collection(void **unused)
{
    kin__collection *others = kin_test_collection(state, "others");
    struct watch watch;
    uint64_t version;

    (void)unused;
    kin_test_put(state, others, "o", 1);
    open_watch(&watch, 2);
    assert_string_equal(read_some(&watch, 64, &version), "");
    assert_int_equal(version, 2);
    kin_test_put(state, others, "o", 2);
    assert_int_equal(watch.notified, 0);
    assert_string_equal(read_some(&watch, 64, &version), "");
    assert_int_equal(version, 3); /* nothing up to there, although nothing came */
    kin_test_put(state, pods, "a/x", 3);
    assert_string_equal(read_some(&watch, 64, NULL), "+a/x=3@4");
    kin__watcher_close(&watch.base);
}

static void it_says_up_to_where_nothing_is_missing(void **unused)
{
    kin__collection *others = kin_test_collection(state, "others");
    struct watch watch;
    uint64_t version;

    (void)unused;
    for (unsigned i = 0; i < 3; i++)
        kin_test_put(state, pods, "a/x", i);
    kin_test_put(state, others, "o", 2);
    open_watch(&watch, 1);
    read_some(&watch, 2, &version);
    assert_int_equal(version, 3);
    read_some(&watch, 2, &version);
    assert_int_equal(version, 5);
    kin__watcher_close(&watch.base);
}

static void it_is_notified_once_and_then_after_it_has_read_all(void **unused)
{
    struct watch watch;

    (void)unused;
    open_watch(&watch, 1);
    kin_test_put(state, pods, "a/x", 1);
    assert_int_equal(watch.notified, 0); /* it has not asked yet */
    read_some(&watch, 64, NULL);
    kin_test_put(state, pods, "a/x", 2);
    assert_int_equal(watch.notified, 0); /* nor been told that there is nothing */
    read_some(&watch, 64, NULL);
    assert_string_equal(read_some(&watch, 64, NULL), "");
    assert_string_equal(read_some(&watch, 64, NULL), ""); /* waits only once */
    kin_test_put(state, pods, "a/x", 3);
    kin_test_put(state, pods, "a/x", 4);
    assert_int_equal(watch.notified, 1);
    assert_string_equal(read_some(&watch, 64, NULL), "~a/x=3@4 ~a/x=4@5");
    assert_string_equal(read_some(&watch, 64, NULL), "");
    kin_test_put(state, pods, "a/x", 5);
    assert_int_equal(watch.notified, 2);
    kin__watcher_close(&watch.base);
}

static void one_that_is_too_slow_expires(void **unused)
{
    struct watch slow;
    struct watch quick;

    (void)unused;
    kin__state_free(state);
    state = kin_test_open_state(NULL, 3, 0);
    pods = kin_test_collection(state, "pods");
    open_watch(&slow, 1);
    kin_test_put(state, pods, "a/x", 0);
    open_watch(&quick, 2);
    for (unsigned i = 1; i < 4; i++)
        kin_test_put(state, pods, "a/x", i);
    assert_string_equal(read_some(&slow, 64, NULL), "KIN_EEXPIRED");
    assert_string_equal(read_some(&quick, 64, NULL), "~a/x=1@3 ~a/x=2@4 ~a/x=3@5");
    kin__watcher_close(&slow.base);
    kin__watcher_close(&quick.base);
    assert_code(kin__watcher_open(&slow.base, state, pods, 1, NULL), KIN_EEXPIRED);
    assert_code(kin__watcher_open(&slow.base, state, pods, 2, NULL), 0);
    kin__watcher_close(&slow.base);
}

static void compacting_ends_all(void **unused)
{
    struct watch behind;
    struct watch waiting;

    (void)unused;
    kin_test_put(state, pods, "a/x", 0);
    open_watch(&behind, 1);
    open_watch(&waiting, 2);
    read_some(&waiting, 64, NULL);
    kin__state_compact(state);
    assert_int_equal(waiting.notified, 1);
    assert_string_equal(read_some(&waiting, 64, NULL), "KIN_EEXPIRED");
    assert_string_equal(read_some(&behind, 64, NULL), "KIN_EEXPIRED");
    kin__watcher_close(&behind.base);
    kin__watcher_close(&waiting.base);
    open_watch(&waiting, 2); /* from this moment on it works again */
    kin_test_put(state, pods, "a/x", 1);
    assert_string_equal(read_some(&waiting, 64, NULL), "~a/x=1@3");
    kin__watcher_close(&waiting.base);
}

static void going_back_ends_all(void **unused)
{
    struct watch behind;
    struct watch waiting;

    (void)unused;
    kin_test_put(state, pods, "a/x", 0);
    open_watch(&behind, 1);
    kin_test_put(state, pods, "a/x", 1);
    open_watch(&waiting, 3);
    read_some(&waiting, 64, NULL);
    assert_code(kin__state_rewind(state, 2, NULL), 0);
    assert_int_equal(waiting.notified, 1);
    assert_string_equal(read_some(&waiting, 64, NULL), "KIN_EEXPIRED");
    assert_string_equal(read_some(&behind, 64, NULL), "KIN_EEXPIRED");
    kin__watcher_close(&behind.base);
    kin__watcher_close(&waiting.base);
    assert_code(kin__watcher_open(&waiting.base, state, pods, 3, NULL), KIN_ERANGE);
    open_watch(&waiting, 1);
    kin_test_put(state, pods, "a/y", 2);
    assert_string_equal(read_some(&waiting, 64, NULL), "+a/x=0@2 +a/y=2@3");
    kin__watcher_close(&waiting.base);
}

static void a_change_outlives_its_log(void **unused)
{
    kin__change *change = NULL;
    struct watch watch;
    uint64_t version;
    size_t n;

    (void)unused;
    kin_test_put(state, pods, "a/x", 1);
    kin_test_put(state, pods, "a/x", 2);
    open_watch(&watch, 2);
    assert_code(kin__watcher_read(&watch.base, &change, 1, &n, &version), 0);
    assert_int_equal(n, 1);
    kin__watcher_close(&watch.base);
    kin__state_compact(state);
    kin_test_delete(state, pods, "a/x");
    kin__state_compact(state);
    assert_int_equal(kin_test_document_value(change->old), 1);
    assert_int_equal(kin_test_document_value(change->object), 2);
    assert_ptr_equal(kin__change_ref(change), change);
    kin__change_unref(change);
    kin__change_unref(change);
    kin__change_unref(NULL);
}

static void it_may_close_itself_when_it_is_notified(void **unused)
{
    struct watch watches[3];

    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        open_watch(&watches[i], 1);
        read_some(&watches[i], 64, NULL);
        watches[i].closes = true;
    }
    kin_test_put(state, pods, "a/x", 1);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(watches[i].notified, 1);
    kin_test_put(state, pods, "a/x", 2);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(watches[i].notified, 1);
}

struct closing {
    struct watch *watch;
    kin_test_latch closed;
};

static void *close_it(void *arg)
{
    struct closing *closing = arg;

    kin__watcher_close(&closing->watch->base);
    kin_test_latch_raise(&closing->closed);
    return NULL;
}

static void *write_it(void *arg)
{
    (void)arg;
    kin_test_put(state, pods, "a/x", 1);
    return NULL;
}

/* Two wait: the first is being notified, the second has yet to be. */
static void closing_waits_for_its_notify_and_no_other(void **unused)
{
    kin_test_latch entered;
    kin_test_latch leave;
    struct closing closing;
    struct watch first;
    struct watch second;
    pthread_t writer;
    pthread_t closer;

    (void)unused;
    kin_test_latch_init(&entered);
    kin_test_latch_init(&leave);
    kin_test_latch_init(&closing.closed);
    open_watch(&first, 1);
    open_watch(&second, 1);
    read_some(&first, 64, NULL);
    read_some(&second, 64, NULL);
    first.entered = &entered;
    first.leave = &leave;
    assert_int_equal(pthread_create(&writer, NULL, write_it, NULL), 0);
    kin_test_latch_wait(&entered, 1);
    kin__watcher_close(&second.base); /* at once, and it will not be notified */
    closing.watch = &first;
    assert_int_equal(pthread_create(&closer, NULL, close_it, &closing), 0);
    for (unsigned waiting = 0; waiting == 0;) {
        kin__mutex_lock(&state->lock);
        waiting = state->n_closing;
        kin__mutex_unlock(&state->lock);
    }
    assert_int_equal(closing.closed.count, 0);
    kin_test_latch_raise(&leave);
    kin_test_latch_wait(&closing.closed, 1);
    pthread_join(writer, NULL);
    pthread_join(closer, NULL);
    assert_int_equal(first.notified, 1);
    assert_int_equal(second.notified, 0);
    kin_test_latch_done(&entered);
    kin_test_latch_done(&leave);
    kin_test_latch_done(&closing.closed);
}

static void many_are_notified_each_once(void **unused)
{
    enum { N = 2000 };
    struct watch *watches = calloc(N, sizeof(*watches));

    (void)unused;
    assert_non_null(watches);
    for (size_t i = 0; i < N; i++) {
        open_watch(&watches[i], 1);
        read_some(&watches[i], 64, NULL);
    }
    kin_test_put(state, pods, "a/x", 1);
    kin_test_put(state, pods, "a/x", 2);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(watches[i].notified, 1);
        assert_string_equal(read_some(&watches[i], 64, NULL), "+a/x=1@2 ~a/x=2@3");
        kin__watcher_close(&watches[i].base);
    }
    free(watches);
}

/* --- texts --- */

struct text {
    kin__encoded base;
    bool is_freed;
};

static void text_free(kin__encoded *base)
{
    struct text *text = kin__container_of(base, struct text, base);

    kin__assert_no_locks();
    assert_false(text->is_freed);
    text->is_freed = true;
}

/* Read one change and give it a text. */
static kin__change *attach(struct watch *watch, struct text *text)
{
    kin__change *change = NULL;
    uint64_t version;
    size_t n;

    *text = (struct text){{text_free, NULL}, false};
    assert_code(kin__watcher_read(&watch->base, &change, 1, &n, &version), 0);
    assert_int_equal(n, 1);
    atomic_store(&change->encoded, &text->base);
    return change;
}

static void put_many(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        kin_test_put(state, pods, "a/x", i);
}

static void texts_go_when_their_change_gets_old(void **unused)
{
    struct watch watch;
    struct text texts[2];
    kin__change *held;

    (void)unused;
    put_many(2);
    open_watch(&watch, 1);
    kin__change_unref(attach(&watch, &texts[0]));
    held = attach(&watch, &texts[1]);
    kin__watcher_close(&watch.base);
    put_many(KIN__TEXTS_KEPT - 2);
    assert_false(texts[0].is_freed);
    put_many(2);
    assert_true(texts[0].is_freed);
    assert_false(texts[1].is_freed); /* somebody may be sending it */
    kin__change_unref(held);
    assert_false(texts[1].is_freed); /* the log has it, and does not come by any more */
    kin__state_compact(state);
    assert_true(texts[1].is_freed);
}

static void who_reads_the_past_leaves_no_texts(void **unused)
{
    struct watch watch;
    struct text texts[2];

    (void)unused;
    put_many(2 * KIN__TEXTS_KEPT);
    open_watch(&watch, 1);
    kin__change_unref(attach(&watch, &texts[0]));
    assert_false(texts[0].is_freed);
    kin__change_unref(attach(&watch, &texts[1]));
    assert_true(texts[0].is_freed);
    assert_false(texts[1].is_freed);
    kin__watcher_close(&watch.base);
    assert_true(texts[1].is_freed);
    open_watch(&watch, 2 * KIN__TEXTS_KEPT); /* a new one */
    kin__change_unref(attach(&watch, &texts[0]));
    kin__watcher_close(&watch.base);
    assert_false(texts[0].is_freed);
    kin__state_compact(state);
    assert_true(texts[0].is_freed);
}

#define test(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(changes_come_in_their_order),
        test(only_changes_of_its_collection),
        test(it_says_up_to_where_nothing_is_missing),
        test(it_is_notified_once_and_then_after_it_has_read_all),
        test(one_that_is_too_slow_expires),
        test(compacting_ends_all),
        test(going_back_ends_all),
        test(a_change_outlives_its_log),
        test(it_may_close_itself_when_it_is_notified),
        test(closing_waits_for_its_notify_and_no_other),
        test(many_are_notified_each_once),
        test(texts_go_when_their_change_gets_old),
        test(who_reads_the_past_leaves_no_texts),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
