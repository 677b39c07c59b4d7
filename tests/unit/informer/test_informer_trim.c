/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of a cache that has shrunk is returned to the kernel, if the program has asked for that:
 * after deletions and after a relist, some seconds later, once a minute at most.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/mutex.h"
#include "base/trim.h"
#include "informer/informer.h"
#include "informer_support.h"

enum { TEXT = 1 << 20 };

/* A stage whose informer is looked at after each turn. */
struct scene {
    kin_test_stage *stage;
    kin__progress progress;
    kin_test_latch set; /* raised after a turn that has left a trim to come */
};

static kin_test_latch trims;

static int note_trim(size_t pad)
{
    (void)pad;
    kin__assert_no_locks();
    kin_test_latch_raise(&trims);
    return 0;
}

/* On the strand, whose member this reads. */
static void after_turn(kin__progress *progress)
{
    struct scene *scene = kin__container_of(progress, struct scene, progress);

    if (scene->stage->informer->is_trimming)
        kin_test_latch_raise(&scene->set);
}

static void ignore_batch(kin__progress *progress, const kin__notice *notices, size_t n)
{
    (void)progress;
    (void)notices;
    (void)n;
}

static struct scene *scene_new(void)
{
    struct scene *scene = calloc(1, sizeof(*scene));

    assert_non_null(scene);
    scene->stage = kin_test_stage_new();
    kin_test_stage_make(scene->stage);
    kin_test_latch_init(&scene->set);
    scene->progress.run = after_turn;
    scene->progress.stored = ignore_batch;
    kin__informer_add_progress(scene->stage->informer, &scene->progress);
    return scene;
}

static void scene_free(struct scene *scene)
{
    kin__informer_remove_progress(scene->stage->informer, &scene->progress);
    kin_test_stage_free(scene->stage);
    kin_test_latch_done(&scene->set);
    free(scene);
}

static int set_up(void **state)
{
    *state = scene_new();
    kin_test_latch_init(&trims);
    kin__trim_replace(note_trim);
    kin_set_memory_trim(true);
    return 0;
}

static int tear_down(void **state)
{
    kin_set_memory_trim(false);
    scene_free(*state);
    kin__trim_replace(NULL);
    kin_test_latch_done(&trims);
    return 0;
}

/* A Pod with a text of its own, of so many bytes. */
static const kin_object *make_pod(unsigned i, unsigned version, size_t bytes)
{
    char *json = malloc(bytes + 512);
    const kin_object *pod;
    int len;

    assert_non_null(json);
    len = snprintf(json, 512,
                   "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%u\","
                   "\"namespace\":\"default\",\"resourceVersion\":\"%u\"},\"text\":\"%08u",
                   i, version, i);
    memset(json + len, 'x', bytes);
    memcpy(json + len + bytes, "\"}", 3);
    pod = kin_test_json(json);
    assert_non_null(pod);
    free(json);
    return pod;
}

static void send_event(kin_test_pull *watch, enum kin_watch_type type, unsigned i, unsigned version,
                       size_t bytes)
{
    const kin_object *pod = make_pod(i, version, bytes);

    assert_code(kin_test_pull_event_object(watch, type, pod), 0);
    kin_object_unref(pod);
}

static void send_list(kin_test_pull *list, const char *version, unsigned n, size_t bytes)
{
    for (unsigned i = 0; i < n; i++) {
        const kin_object *pod = make_pod(i, 1, bytes);

        assert_code(kin_test_pull_item_object(list, pod), 0);
        kin_object_unref(pod);
    }
    kin_test_pull_list_done(list, version, NULL);
}

/*
 * Start with a list of so many; the watch after it. The cache has them: objects that are deleted while
 * they are queued never count.
 */
static kin_test_pull *start(struct scene *scene, unsigned n, size_t bytes)
{
    assert_code(kin_informer_start(scene->stage->informer, NULL), 0);
    send_list(kin_test_source_await(scene->stage->source, 0), "10", n, bytes);
    assert_code(kin_informer_wait_synced(scene->stage->informer, -1, NULL), 0);
    return kin_test_source_await(scene->stage->source, 1);
}

static void await_version(struct scene *scene, unsigned version)
{
    char text[24];

    snprintf(text, sizeof(text), "%u", version);
    kin_test_await_version(scene->stage, text);
}

/* All but the first; the last version is 10 and their number. */
static void delete_most(struct scene *scene, kin_test_pull *watch, unsigned n, unsigned version)
{
    for (unsigned i = 1; i < n; i++)
        send_event(watch, KIN_WATCH_DELETED, i, version + i, 1);
    await_version(scene, version + n - 1);
}

static void deletions_are_followed_by_a_trim(void **state)
{
    struct scene *scene = *state;
    kin_test_pull *watch = start(scene, 8, TEXT);

    delete_most(scene, watch, 8, 10);
    kin_test_latch_wait(&scene->set, 1);
    kin_test_advance(scene->stage, 4);
    assert_int_equal(kin_test_latch_count(&trims), 0);
    kin_test_advance(scene->stage, 1);
    kin_test_latch_wait(&trims, 1);
}

static void a_relist_is_followed_by_a_trim(void **state)
{
    static const kin_test_failure_of expired = {
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired", .message = "too old"};
    struct scene *scene = *state;
    kin_test_pull *watch = start(scene, 8, TEXT);

    kin_test_pull_fail(watch, &expired, true);
    /* The list comes at once, or after a delay. */
    while (kin_test_source_count(scene->stage->source) < 3)
        kin_test_advance(scene->stage, 1);
    send_list(kin_test_source_await(scene->stage->source, 2), "20", 1, TEXT);
    kin_test_latch_wait(&scene->set, 1);
    kin_test_advance(scene->stage, 5);
    kin_test_latch_wait(&trims, 1);
}

static void the_next_trim_comes_a_minute_later(void **state)
{
    struct scene *scene = *state;
    kin_test_pull *watch = start(scene, 8, TEXT);

    delete_most(scene, watch, 8, 10);
    kin_test_latch_wait(&scene->set, 1);
    kin_test_advance(scene->stage, 5);
    kin_test_latch_wait(&trims, 1);

    unsigned n_set = kin_test_latch_count(&scene->set);

    for (unsigned i = 1; i < 8; i++)
        send_event(watch, KIN_WATCH_ADDED, i, 20 + i, TEXT);
    await_version(scene, 27);
    delete_most(scene, watch, 8, 30);
    kin_test_latch_wait(&scene->set, n_set + 1);
    kin_test_advance(scene->stage, 59);
    assert_int_equal(kin_test_latch_count(&trims), 1);
    kin_test_advance(scene->stage, 1);
    kin_test_latch_wait(&trims, 2);
}

/* Everything that was due has run when the informer has stopped. */
static unsigned trims_at_the_end(struct scene *scene, kin_test_pull *watch)
{
    kin_test_advance(scene->stage, 3600);
    kin_test_stop_at(scene->stage, watch);
    return kin_test_latch_count(&trims);
}

static void a_cache_that_has_grown_again_is_left_alone(void **state)
{
    struct scene *scene = *state;
    kin_test_pull *watch = start(scene, 8, TEXT);

    delete_most(scene, watch, 8, 10);
    kin_test_latch_wait(&scene->set, 1);
    for (unsigned i = 1; i < 8; i++)
        send_event(watch, KIN_WATCH_ADDED, i, 20 + i, TEXT);
    await_version(scene, 27);
    assert_int_equal(trims_at_the_end(scene, watch), 0);
}

static void updates_that_make_objects_smaller_count(void **state)
{
    struct scene *scene = *state;
    kin_test_pull *watch = start(scene, 8, TEXT);

    for (unsigned i = 0; i < 8; i++)
        send_event(watch, KIN_WATCH_MODIFIED, i, 20 + i, 1);
    kin_test_latch_wait(&scene->set, 1);
    kin_test_advance(scene->stage, 5);
    kin_test_latch_wait(&trims, 1);
}

static void a_small_drop_is_not_worth_it(void **state)
{
    struct scene *scene = *state;
    kin_test_pull *watch = start(scene, 4, TEXT / 2);

    delete_most(scene, watch, 4, 10);
    assert_int_equal(trims_at_the_end(scene, watch), 0);
    assert_int_equal(kin_test_latch_count(&scene->set), 0);
}

static void a_program_that_has_not_asked_is_not_trimmed(void **state)
{
    struct scene *scene = *state;
    kin_test_pull *watch = start(scene, 8, TEXT);

    kin_set_memory_trim(false);
    delete_most(scene, watch, 8, 10);
    assert_int_equal(trims_at_the_end(scene, watch), 0);
    assert_int_equal(kin_test_latch_count(&scene->set), 0);
}

static void an_informer_that_stops_before_is_not_trimmed(void **state)
{
    struct scene *scene = *state;
    kin_test_pull *watch = start(scene, 8, TEXT);

    delete_most(scene, watch, 8, 10);
    kin_test_latch_wait(&scene->set, 1);
    kin_test_stop_at(scene->stage, watch);
    kin_test_advance(scene->stage, 3600);
    assert_int_equal(kin_test_latch_count(&trims), 0);
}

#if defined(__GLIBC__) && !KIN_TEST_SANITIZED

static int trim_and_note(size_t pad)
{
    int released = malloc_trim(pad);

    kin_test_latch_raise(&trims);
    return released;
}

static size_t rss(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long pages = 0;

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*u %lu", &pages), 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* One in 100 remains, so that free() by itself finds nothing to return at the end of the heap. */
static void the_process_becomes_smaller(void **state)
{
    enum { PODS = 20000, BYTES = 2000, KEEP_EACH = 100 };
    struct scene *scene = *state;
    size_t before = rss();
    kin_test_pull *watch = start(scene, PODS, BYTES);
    size_t full;

    kin__trim_replace(trim_and_note);
    full = rss();
    assert_true(full - before > (size_t)PODS * BYTES / 2);
    for (unsigned i = 0; i < PODS; i++) {
        if (i % KEEP_EACH)
            send_event(watch, KIN_WATCH_DELETED, i, 11 + i, 1);
    }
    await_version(scene, 10 + PODS);
    kin_test_latch_wait(&scene->set, 1);
    kin_test_advance(scene->stage, 5);
    kin_test_latch_wait(&trims, 1);
    assert_int_equal(kin_store_len(kin_informer_store(scene->stage->informer)), PODS / KEEP_EACH);
    assert_true(rss() < before + (full - before) / 2);
}

#endif

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
#if defined(__GLIBC__) && !KIN_TEST_SANITIZED
        TEST(the_process_becomes_smaller),
#endif
        TEST(deletions_are_followed_by_a_trim),
        TEST(a_relist_is_followed_by_a_trim),
        TEST(the_next_trim_comes_a_minute_later),
        TEST(a_cache_that_has_grown_again_is_left_alone),
        TEST(updates_that_make_objects_smaller_count),
        TEST(a_small_drop_is_not_worth_it),
        TEST(a_program_that_has_not_asked_is_not_trimmed),
        TEST(an_informer_that_stops_before_is_not_trimmed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
