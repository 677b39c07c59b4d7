/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are loaded while somebody else starts the informer, and files of informers that had not
 * all. test_informer_warm.c has the rest.
 */
#include "informer_support.h"
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "folder.h"
#include "kinform/factory.h"
#include "kinform/snapshot.h"

static char folder[] = "/tmp/kin-load-XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/pods", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return kin_test_folder_remove(folder);
}

/* A file of "a:1 b:2". */
static void save_file(void)
{
    kin_test_stage *stage = kin_test_stage_with(NULL);

    kin_test_start(stage, "5", "a:1 b:2");
    kin_test_await_version(stage, "5");
    assert_code(kin_informer_save(stage->informer, path, NULL), 0);
    kin_test_stage_free(stage);
}

/* --- a load that takes its time --- */

/* A load in a thread of its own, whose index function waits for the test. */
struct load {
    kin_informer *informer;
    kin_test_latch inside;
    kin_test_latch go;
    pthread_t thread;
};

static int wait_in_index(const kin_object *object, kin_index_values *values, void *arg,
                         kin_error *err)
{
    struct load *load = arg;

    (void)object;
    (void)values;
    (void)err;
    kin_test_latch_raise(&load->inside);
    kin_test_latch_wait(&load->go, 1);
    return 0;
}

static void *run_load(void *arg)
{
    struct load *load = arg;

    assert_code(kin_informer_load(load->informer, path, NULL), 0);
    return NULL;
}

static void begin_load(struct load *load, kin_informer *informer)
{
    kin_index index = KIN_INDEX_INIT("slow", wait_in_index);

    load->informer = informer;
    kin_test_latch_init(&load->inside);
    kin_test_latch_init(&load->go);
    index.arg = load;
    assert_code(kin_informer_add_index(informer, &index, NULL), 0);
    assert_int_equal(pthread_create(&load->thread, NULL, run_load, load), 0);
    kin_test_latch_wait(&load->inside, 1);
}

static void end_load(struct load *load)
{
    kin_test_latch_raise(&load->go);
    assert_int_equal(pthread_join(load->thread, NULL), 0);
}

/* Index functions are called until then. */
static void load_done(struct load *load)
{
    kin_test_latch_done(&load->inside);
    kin_test_latch_done(&load->go);
}

static void a_start_during_a_load_says_so(void **state)
{
    kin_test_stage *stage = kin_test_stage_new();
    kin_error err = KIN_ERROR_INIT;
    struct load load;

    (void)state;
    save_file();
    kin_test_stage_make(stage);
    begin_load(&load, stage->informer);
    assert_code(kin_informer_start(stage->informer, &err), KIN_EBUSY);
    assert_string_equal(err.message, "a snapshot of the informer is being loaded");
    end_load(&load);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    assert_code(kin_informer_start(stage->informer, &err), KIN_EBUSY);
    assert_string_equal(err.message, "the informer runs, or is being stopped");
    kin_test_stage_free(stage);
    load_done(&load);
}

static int construct(kin_informer **ret, kin_client *client, const char *resource,
                     const kin_informer_options *options, void *arg, kin_error *err)
{
    kin_informer_options own = *options;

    (void)client;
    own.name = resource;
    return kin_informer_new_from(ret, kin_test_source_list_watch(arg), &own, err);
}

static void a_factory_starts_it_after_a_load(void **state)
{
    kin_test_source *source = kin_test_source_new(false);
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;
    kin_informer_options informers = KIN_INFORMER_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_factory *factory = NULL;
    kin_informer *informer = NULL;
    struct load load;

    (void)state;
    save_file();
    informers.snapshot_max_age_ms = -1;
    options.informers = &informers;
    assert_code(kin_factory_new(&factory, NULL, &options, NULL), 0);
    assert_code(kin_factory_informer_for(factory, &informer, "pods", construct, source, NULL), 0);
    begin_load(&load, informer);
    assert_code(kin_factory_start(factory, &err), KIN_EBUSY);
    assert_string_equal(err.message, "a snapshot of the informer is being loaded");
    /* It is not waited for, since it was not started. */
    assert_code(kin_factory_wait_for_sync(factory, -1, NULL), 0);
    end_load(&load);
    assert_code(kin_factory_start(factory, NULL), 0);
    assert_string_equal(kin_test_source_await(source, 0)->version, "5");
    kin_factory_free(factory);
    kin_test_source_free(source);
    load_done(&load);
}

/* --- what is not all --- */

static void save_here(kin_test_stage *stage, const char *version)
{
    kin_snapshot *snapshot = NULL;

    assert_code(kin_informer_save(stage->informer, path, NULL), 0);
    assert_code(kin_snapshot_open(&snapshot, path, NULL), 0);
    assert_string_equal(kin_snapshot_get_info(snapshot)->resource_version, version);
    kin_snapshot_free(snapshot);
}

/* The watch ends since its version is gone, and all is listed anew. */
static kin_test_pull *list_anew(kin_test_stage *stage, kin_test_pull *watch, size_t index)
{
    static const kin_test_failure_of expired = {
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"};

    kin_test_pull_error_event(watch, &expired);
    kin_test_await_informer(stage, KIN_INFORMER_WAITING);
    kin_test_advance(stage, 50);
    return kin_test_source_await(stage->source, index);
}

/* Nobody knows what could not be read: "c" stays, and something else is missing. */
static void list_with_a_gap(kin_test_stage *stage)
{
    kin_test_pull *pull = list_anew(stage, kin_test_start(stage, "5", "a:1 c:3"), 2);

    assert_code(kin_test_pull_item(pull, "a:6"), 0);
    assert_code(kin_test_pull_bad(pull, (enum kin_watch_type)0, ""), 0);
    kin_test_pull_list_done(pull, "9", NULL);
    kin_test_await_version(stage, "9");
    kin_test_stage_has(stage, "a:6 c:3");
}

static void what_a_list_with_gaps_left_is_listed(void **state)
{
    kin_test_stage *stage = kin_test_stage_with(NULL);
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_test_pull *pull;

    (void)state;
    list_with_a_gap(stage);
    save_here(stage, "");
    /* A watch does not bring it. */
    pull = kin_test_source_await(stage->source, 3);
    kin_test_pull_event(pull, KIN_WATCH_MODIFIED, "a:10");
    kin_test_await_version(stage, "10");
    save_here(stage, "");
    kin_test_stage_free(stage);

    options.snapshot_path = path;
    stage = kin_test_stage_with(&options);
    assert_code(kin_informer_start(stage->informer, NULL), 0);
    pull = kin_test_source_await(stage->source, 0);
    assert_true(pull->is_list);
    kin_test_stage_has(stage, "a:10 c:3");
    kin_test_stage_free(stage);
}

static void the_next_list_makes_it_whole(void **state)
{
    kin_test_stage *stage = kin_test_stage_with(NULL);
    kin_test_pull *pull;

    (void)state;
    list_with_a_gap(stage);
    pull = list_anew(stage, kin_test_source_await(stage->source, 3), 4);
    kin_test_pull_list(pull, "12", "a:6 new:8");
    kin_test_await_version(stage, "12");
    save_here(stage, "12");
    /* What a watch brings can be skipped, too. */
    pull = kin_test_source_await(stage->source, 5);
    assert_code(kin_test_pull_bad(pull, KIN_WATCH_MODIFIED, "default/a"), 0);
    kin_test_pull_event(pull, KIN_WATCH_MODIFIED, "new:14");
    kin_test_await_version(stage, "14");
    save_here(stage, "");
    kin_test_stage_free(stage);
}

/* "odd" is put into the queue by its own name, and then has one that has no key. */
static int rename_odd(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    (void)arg;
    (void)err;
    if (strcmp(kin_object_key(object), "default/odd") == 0)
        *ret = kin_test_pod("keyless:3");
    else
        *ret = kin_object_ref(object);
    return 0;
}

static int refuse_keyless(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)arg;
    if (strcmp(kin_object_key(object), "default/keyless") == 0)
        return kin_error_set(err, KIN_EINVAL, "no key");
    *ret = kin_str_of(kin_object_key(object));
    return 0;
}

static void what_the_store_refuses_is_listed(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_test_stage *stage;

    (void)state;
    options.transform = rename_odd;
    options.key = refuse_keyless;
    stage = kin_test_stage_with(&options);
    kin_test_start(stage, "5", "a:1 odd:3");
    kin_test_await_version(stage, "5");
    kin_test_stage_has(stage, "a:1");
    assert_int_equal(kin_test_informer_status(stage).skipped, 1);
    save_here(stage, "");
    kin_test_stage_free(stage);
}

/* Objects get other names, and each one of which `arg` is the key is rejected. */
static int rename_or_reject(const kin_object *object, const kin_object **ret, void *arg,
                            kin_error *err)
{
    char text[64];

    if (arg && strcmp(kin_object_key(object), arg) == 0)
        return kin_error_set(err, KIN_ETYPE, "rejected");
    snprintf(text, sizeof(text), "r-%" KIN_STR_FMT ":%" KIN_STR_FMT,
             KIN_STR_ARG(kin_object_name(object)),
             KIN_STR_ARG(kin_object_resource_version(object)));
    *ret = kin_test_pod(text);
    return 0;
}

/* The file has r-a and r-b. That b is deleted, and rejected, must not be lost: the watch ends, and a list follows. */
static void a_renamed_object_is_deleted_after_a_warm_start(void **state)
{
    static char rejected[] = "default/b";

    (void)state;
    for (int queue = KIN_QUEUE_DELTA_FIFO; queue <= KIN_QUEUE_ORDERED; queue++) {
        kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
        kin_test_stage *stage;
        kin_test_pull *pull;

        options.queue = (kin_informer_queue)queue;
        options.transform = rename_or_reject;
        stage = kin_test_stage_with(&options);
        kin_test_start(stage, "5", "a:1 b:2");
        kin_test_await_version(stage, "5");
        save_here(stage, "5");
        kin_test_stage_free(stage);

        options.transform_arg = rejected;
        options.snapshot_path = path;
        stage = kin_test_stage_with(&options);
        assert_code(kin_informer_start(stage->informer, NULL), 0);
        pull = kin_test_source_await(stage->source, 0);
        assert_false(pull->is_list);
        assert_code(kin_test_pull_begun(pull), 0);
        assert_code(kin_test_pull_event(pull, KIN_WATCH_DELETED, "b:6"), KIN_ETYPE);
        kin_test_pull_end(pull, KIN_ETYPE, NULL, NULL, true);
        kin_test_await_informer(stage, KIN_INFORMER_WAITING);
        kin_test_advance(stage, 60);
        pull = kin_test_source_await(stage->source, 1);
        assert_true(pull->is_list);
        kin_test_pull_list(pull, "7", "a:1");
        kin_test_await_version(stage, "7");
        kin_test_stage_has(stage, "r-a:1");
        kin_test_stage_free(stage);
        unlink(path);
    }
}

/* --- times that cannot be --- */

static void expect_expired(int64_t unix_ns, int64_t list_unix_ns, const char *why)
{
    kin_test_stage *stage = kin_test_stage_with(NULL);
    kin_snapshot_options options = KIN_SNAPSHOT_OPTIONS_INIT;
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_clock_new_fake(&options.clock, unix_ns, NULL), 0);
    info.resource = "pods";
    info.projection = "whole";
    info.resource_version = "5";
    info.list_unix_ns = list_unix_ns;
    assert_code(
        kin_snapshot_write(path, kin_informer_store(stage->informer), &info, &options, NULL), 0);
    assert_code(kin_informer_load(stage->informer, path, &err), KIN_EEXPIRED);
    assert_non_null(strstr(err.message, why));
    kin_clock_unref(options.clock);
    kin_test_stage_free(stage);
}

static void a_file_of_any_time_is_looked_at(void **state)
{
    (void)state;
    expect_expired(INT64_MIN, 0, "s old");
    expect_expired(INT64_MAX, 0, "s in the future");
    expect_expired(0, INT64_MIN, "s old");
    expect_expired(0, INT64_MAX, "s in the future");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_during_a_load_says_so),
        cmocka_unit_test(a_factory_starts_it_after_a_load),
        cmocka_unit_test(what_a_list_with_gaps_left_is_listed),
        cmocka_unit_test(the_next_list_makes_it_whole),
        cmocka_unit_test(what_the_store_refuses_is_listed),
        cmocka_unit_test(a_renamed_object_is_deleted_after_a_warm_start),
        cmocka_unit_test(a_file_of_any_time_is_looked_at),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
