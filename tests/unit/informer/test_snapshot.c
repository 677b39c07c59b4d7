/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots that are written and read: nothing is lost, and what cannot be is said.
 */
#include "snapshot_support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "item.h"
#include "oom.h"

#define A                                                                                          \
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"namespace\":\"x\",\"resourceVersion\":\"5\"}}"
#define B                                                                                          \
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"},\"n\":[12345678901234567890,1.50,null,{},[]]}"
#define C "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"c\"},\"t\":\"\\u0000\\n\xf0\x9f\x98\x80\"}"

static const char *const three[] = {A, B, C, NULL};
static const char *const none[] = {NULL};

static void everything_comes_back(void **state)
{
    static const size_t blocks[] = {0, 1, 150, 200, KIN_SNAPSHOT_BLOCK_BYTES_MAX};
    kin_store *store = snapshot_store(three);
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
        snapshot_write(scene.path, store, blocks[i]);
        snapshot_assert_holds(scene.path, A "\n" B "\n" C "\n");
    }
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

static void an_empty_store_comes_back(void **state)
{
    kin_store *store = snapshot_store(none);
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    snapshot_write(scene.path, store, 0);
    snapshot_assert_holds(scene.path, "");
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

static int stage(const kin_object *object, void *arg, kin_error *err)
{
    return kin_replace_add(arg, object, err);
}

static void it_fills_a_store(void **state)
{
    kin_store *store = snapshot_store(three);
    kin_snapshot *snapshot;
    kin_replace *replace;
    snapshot_scene scene;
    kin_store *other;
    char version[8];

    (void)state;
    snapshot_scene_open(&scene);
    snapshot_write(scene.path, store, 150);
    assert_code(kin_store_new(&other, NULL, NULL), 0);
    assert_code(kin_snapshot_open(&snapshot, scene.path, NULL), 0);
    assert_code(kin_store_replace_begin(other, &replace, NULL), 0);
    assert_code(kin_snapshot_read(snapshot, NULL, stage, replace, NULL), 0);
    assert_code(kin_replace_commit(
                    replace, kin_str_of(kin_snapshot_get_info(snapshot)->resource_version), NULL),
                0);
    assert_int_equal(kin_store_len(other), 3);
    assert_code(kin_store_get(other, NULL, kin_str_of("x/a"), NULL), 0);
    assert_int_equal(kin_store_resource_version(other, version, sizeof(version)), 2);
    assert_string_equal(version, "77");
    kin_snapshot_free(snapshot);
    kin_store_unref(other);
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

/* --- what it is of --- */

static void the_info_comes_back(void **state)
{
    const kin_snapshot_info wrote = snapshot_info();
    kin_store *store = snapshot_store(three);
    kin_snapshot *snapshot;
    snapshot_scene scene;
    struct stat st;

    (void)state;
    snapshot_scene_open(&scene);
    snapshot_write(scene.path, store, 0);
    assert_code(kin_snapshot_open(&snapshot, scene.path, NULL), 0);
    const kin_snapshot_info *info = kin_snapshot_get_info(snapshot);

    assert_int_equal(info->size, sizeof(*info));
    assert_string_equal(info->cluster, wrote.cluster);
    assert_string_equal(info->api_version, "v1");
    assert_string_equal(info->kind, "Pod");
    assert_string_equal(info->resource, "pods");
    assert_int_equal(info->n_namespaces, 2);
    assert_string_equal(info->namespaces[0], "team-a");
    assert_string_equal(info->namespaces[1], "team-b");
    assert_string_equal(info->label_selector, wrote.label_selector);
    assert_string_equal(info->field_selector, wrote.field_selector);
    assert_string_equal(info->projection, wrote.projection);
    assert_string_equal(info->resource_version, "77");
    assert_int_equal(info->unix_ns, SNAPSHOT_TIME);
    assert_int_equal(info->objects, 3);
    assert_int_equal(info->json_bytes, strlen(A) + strlen(B) + strlen(C));
    assert_int_equal(stat(scene.path, &st), 0);
    assert_int_equal(info->file_bytes, st.st_size);
    kin_snapshot_free(snapshot);
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

static void each_namespace_may_have_its_version(void **state)
{
    static const char *const versions[] = {"77", ""};
    static const char *const lacking[] = {"77", NULL};
    kin_snapshot_info info = snapshot_info();
    kin_store *store = snapshot_store(three);
    kin_snapshot *snapshot;
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    info.versions = versions;
    info.n_versions = 2;
    info.list_unix_ns = SNAPSHOT_TIME;
    assert_code(kin_snapshot_write(scene.path, store, &info, NULL, NULL), 0);
    assert_code(kin_snapshot_open(&snapshot, scene.path, NULL), 0);
    assert_int_equal(kin_snapshot_get_info(snapshot)->list_unix_ns, SNAPSHOT_TIME);
    assert_int_equal(kin_snapshot_get_info(snapshot)->n_versions, 2);
    assert_string_equal(kin_snapshot_get_info(snapshot)->versions[0], "77");
    assert_string_equal(kin_snapshot_get_info(snapshot)->versions[1], "");
    kin_snapshot_free(snapshot);
    info.n_versions = 1;
    assert_code(kin_snapshot_write(scene.path, store, &info, NULL, NULL), KIN_EINVAL);
    info.n_versions = 2;
    info.versions = lacking;
    assert_code(kin_snapshot_write(scene.path, store, &info, NULL, NULL), KIN_EINVAL);
    info.versions = NULL;
    assert_code(kin_snapshot_write(scene.path, store, &info, NULL, NULL), KIN_EINVAL);
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

static void what_is_not_said_is_not_there(void **state)
{
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;
    kin_store *store = snapshot_store(none);
    kin_snapshot *snapshot;
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    info.resource_version = "5";
    info.kind = "";
    assert_code(kin_snapshot_write(scene.path, store, &info, NULL, NULL), 0);
    assert_code(kin_snapshot_open(&snapshot, scene.path, NULL), 0);
    const kin_snapshot_info *read = kin_snapshot_get_info(snapshot);

    assert_null(read->cluster);
    assert_null(read->api_version);
    assert_string_equal(read->kind, "");
    assert_null(read->namespaces);
    assert_int_equal(read->n_namespaces, 0);
    assert_int_equal(read->n_versions, 0);
    assert_null(read->label_selector);
    assert_null(read->projection);
    assert_string_equal(read->resource_version, "5");
    assert_true(read->unix_ns > SNAPSHOT_TIME);
    assert_int_equal(read->list_unix_ns, 0);
    kin_snapshot_free(snapshot);
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

static void an_older_program_says_less(void **state)
{
    struct {
        kin_snapshot_info info;
    } given = {KIN_SNAPSHOT_INFO_INIT};
    kin_store *store = snapshot_store(none);
    kin_snapshot *snapshot;
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    given.info.cluster = "one";
    given.info.kind = "not looked at";
    given.info.size = offsetof(kin_snapshot_info, kind);
    assert_code(kin_snapshot_write(scene.path, store, &given.info, NULL, NULL), 0);
    assert_code(kin_snapshot_open(&snapshot, scene.path, NULL), 0);
    assert_string_equal(kin_snapshot_get_info(snapshot)->cluster, "one");
    assert_null(kin_snapshot_get_info(snapshot)->kind);
    kin_snapshot_free(snapshot);
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

/* --- one version --- */

static void a_view_is_written_as_it_was(void **state)
{
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;
    kin_store *store = snapshot_store(three);
    kin_snapshot *snapshot;
    snapshot_scene scene;
    kin_view *view;

    (void)state;
    snapshot_scene_open(&scene);
    assert_code(kin_view_new(&view, store, NULL), 0);
    assert_code(kin_store_delete_key(store, kin_str_of("b"), NULL), 0);
    assert_code(kin_store_bookmark(store, kin_str_of("78"), NULL), 0);
    /* Wherever somebody else has come to in it. */
    assert_true(kin_view_next(view, NULL, NULL));
    assert_code(kin_snapshot_write_view(scene.path, view, &info, NULL, NULL), 0);
    kin_view_free(view);
    snapshot_assert_holds(scene.path, A "\n" B "\n" C "\n");
    assert_code(kin_snapshot_open(&snapshot, scene.path, NULL), 0);
    assert_string_equal(kin_snapshot_get_info(snapshot)->resource_version, "77");

    /* Whoever has it open reads it to its end, whatever is written meanwhile. */
    assert_code(kin_snapshot_write(scene.path, store, &info, NULL, NULL), 0);
    snapshot_assert_holds(scene.path, A "\n" C "\n");
    assert_int_equal(kin_snapshot_get_info(snapshot)->objects, 3);
    kin_snapshot_free(snapshot);
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

/* --- blocks --- */

/* Text that zstd cannot shorten much, and text that it shortens beyond what is allowed. */
static char *long_text(size_t len, bool is_random)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    char *text = malloc(len + 1);
    uint64_t seed = 1;

    assert_non_null(text);
    for (size_t i = 0; text && i < len; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        text[i] = letters[is_random ? seed >> 58 : 0];
    }
    if (text)
        text[len] = '\0';
    return text;
}

static uint64_t file_bytes(const char *path)
{
    kin_snapshot *snapshot;

    assert_code(kin_snapshot_open(&snapshot, path, NULL), 0);
    uint64_t bytes = kin_snapshot_get_info(snapshot)->file_bytes;

    kin_snapshot_free(snapshot);
    return bytes;
}

static int count(const kin_object *object, void *arg, kin_error *err)
{
    (void)object;
    (void)err;
    ++*(unsigned *)arg;
    return 0;
}

static int read_count(const char *path, const kin_decode_options *options, unsigned *n,
                      kin_error *err)
{
    kin_snapshot *snapshot;

    *n = 0;
    assert_code(kin_snapshot_open(&snapshot, path, NULL), 0);
    int code = kin_snapshot_read(snapshot, options, count, n, err);

    kin_snapshot_free(snapshot);
    return code;
}

static void objects_larger_than_a_block(void **state)
{
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    for (unsigned is_random = 0; is_random < 2; is_random++) {
        char *text = long_text(3000000, is_random);
        kin_store *store = snapshot_store_of(3, text);
        unsigned n;

        snapshot_write(scene.path, store, 1000);
        assert_code(read_count(scene.path, NULL, &n, NULL), 0);
        assert_int_equal(n, 3);
        /* What is folded more than 256 times is not folded at all. */
        if (is_random)
            assert_true(file_bytes(scene.path) < 3 * 2400000);
        else
            assert_true(file_bytes(scene.path) > 3 * 3000000);
        kin_store_unref(store);
        free(text);
    }
    snapshot_scene_close(&scene);
}

static void what_repeats_is_folded(void **state)
{
    char *text = long_text(3000, true);
    kin_store *store = snapshot_store_of(200, text);
    snapshot_scene scene;
    unsigned n;

    (void)state;
    snapshot_scene_open(&scene);
    snapshot_write(scene.path, store, 0);
    assert_true(file_bytes(scene.path) < 20000);
    assert_code(read_count(scene.path, NULL, &n, NULL), 0);
    assert_int_equal(n, 200);
    kin_store_unref(store);
    free(text);
    snapshot_scene_close(&scene);
}

static void limits_of_the_reader(void **state)
{
    char *text = long_text(100000, true);
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin_store *store = snapshot_store_of(1, text);
    kin_error err = KIN_ERROR_INIT;
    snapshot_scene scene;
    size_t len;
    unsigned n;

    (void)state;
    snapshot_scene_open(&scene);
    snapshot_write(scene.path, store, 0);
    options.max_bytes = 100000;
    assert_code(read_count(scene.path, &options, &n, &err), KIN_ELIMIT);
    assert_non_null(strstr(err.message, "more than 100000 bytes"));
    /* A limit that only the decoder sees. */
    options.max_bytes = 0;
    options.max_depth = 1;
    assert_code(read_count(scene.path, &options, &n, &err), KIN_ELIMIT);
    assert_non_null(strstr(err.message, "object 0"));
    assert_int_equal(n, 0);
    options.max_depth = 2;
    assert_code(read_count(scene.path, &options, &n, &err), 0);
    /* What is damaged is damaged, also if it is too long. */
    char *data = snapshot_load(scene.path, &len);

    data[len / 2] ^= 1;
    snapshot_store_file(scene.path, data, len);
    options.max_bytes = 100000;
    assert_code(read_count(scene.path, &options, &n, &err), KIN_EPARSE);
    free(data);
    free(text);
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

/* --- reading --- */

static void a_projection_keeps_less(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    const char *const texts[] = {B, NULL};
    kin_store *store = snapshot_store(texts);
    const kin_object *object = NULL;
    kin_snapshot *snapshot;
    kin_replace *replace;
    snapshot_scene scene;
    char *json;

    (void)state;
    snapshot_scene_open(&scene);
    snapshot_write(scene.path, store, 0);
    assert_code(kin_projection_drop(&options.projection, kin_str_of("n"), NULL), 0);
    assert_code(kin_snapshot_open(&snapshot, scene.path, NULL), 0);
    assert_code(kin_store_replace_begin(store, &replace, NULL), 0);
    assert_code(kin_snapshot_read(snapshot, &options, stage, replace, NULL), 0);
    assert_code(kin_replace_commit(replace, kin_str_of("1"), NULL), 0);
    assert_code(kin_store_get(store, &object, kin_str_of("b"), NULL), 0);
    assert_code(kin_object_to_json(&json, NULL, object, KIN_JSON_COMPACT, NULL), 0);
    assert_string_equal(json, "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"b\"}}");
    kin_free(json);
    kin_object_unref(object);
    kin_projection_unref(options.projection);
    kin_snapshot_free(snapshot);
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

struct visit {
    kin_snapshot *snapshot;
    unsigned n;
};

static int refuse_second(const kin_object *object, void *arg, kin_error *err)
{
    struct visit *visit = arg;

    (void)object;
    assert_code(kin_snapshot_read(visit->snapshot, NULL, refuse_second, visit, NULL), KIN_EBUSY);
    return ++visit->n == 2 ? kin_error_set(err, KIN_ECONFLICT, "enough") : 0;
}

static void a_callback_ends_it(void **state)
{
    kin_store *store = snapshot_store(three);
    kin_error err = KIN_ERROR_INIT;
    struct visit visit = {NULL, 0};
    snapshot_scene scene;
    unsigned n = 0;

    (void)state;
    snapshot_scene_open(&scene);
    snapshot_write(scene.path, store, 150);
    assert_code(kin_snapshot_open(&visit.snapshot, scene.path, NULL), 0);
    assert_code(kin_snapshot_read(visit.snapshot, NULL, refuse_second, &visit, &err),
                KIN_ECONFLICT);
    assert_int_equal(visit.n, 2);
    assert_string_equal(err.message, "enough");
    /* It can be read again, from its beginning. */
    for (unsigned i = 1; i < 3; i++) {
        assert_code(kin_snapshot_read(visit.snapshot, NULL, count, &n, NULL), 0);
        assert_int_equal(n, 3 * i);
    }
    kin_snapshot_free(visit.snapshot);
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

static int keep_size(const kin_object *object, void *arg, kin_error *err)
{
    (void)err;
    *(size_t *)arg += kin_object_size(object);
    return 0;
}

static void what_is_read_is_shared(void **state)
{
    char *text = long_text(2000, true);
    kin_store *store = snapshot_store_of(100, text);
    kin_snapshot *snapshot;
    snapshot_scene scene;
    size_t bytes = 0;

    (void)state;
    snapshot_scene_open(&scene);
    snapshot_write(scene.path, store, 0);
    kin_store_unref(store);
    assert_code(kin_snapshot_open(&snapshot, scene.path, NULL), 0);
    assert_code(kin_snapshot_read(snapshot, NULL, keep_size, &bytes, NULL), 0);
    assert_true(bytes < 100 * 1000);
    kin_snapshot_free(snapshot);
    free(text);
    snapshot_scene_close(&scene);
}

/* --- arguments --- */

static void wrong_arguments(void **state)
{
    static const char *const missing[] = {"a", NULL};
    kin_snapshot_options options = KIN_SNAPSHOT_OPTIONS_INIT;
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;
    kin_store *store = snapshot_store(none);
    kin_snapshot *snapshot = NULL;
    kin_error err = KIN_ERROR_INIT;
    snapshot_scene scene;
    unsigned n = 0;

    (void)state;
    snapshot_scene_open(&scene);
    assert_code(kin_snapshot_write(NULL, store, &info, NULL, NULL), KIN_EINVAL);
    assert_code(kin_snapshot_write(scene.path, NULL, &info, NULL, NULL), KIN_EINVAL);
    assert_code(kin_snapshot_write(scene.path, store, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_snapshot_write_view(scene.path, NULL, &info, NULL, NULL), KIN_EINVAL);
    assert_code(kin_snapshot_write("", store, &info, NULL, NULL), KIN_EINVAL);
    assert_code(kin_snapshot_write("/tmp/", store, &info, NULL, NULL), KIN_EINVAL);
    assert_code(kin_snapshot_write("/tmp/..", store, &info, NULL, NULL), KIN_EINVAL);
    options.level = 20;
    assert_code(kin_snapshot_write(scene.path, store, &info, &options, NULL), KIN_EINVAL);
    options.level = -1;
    assert_code(kin_snapshot_write(scene.path, store, &info, &options, NULL), KIN_EINVAL);
    options.level = 19;
    options.block_bytes = KIN_SNAPSHOT_BLOCK_BYTES_MAX + 1;
    assert_code(kin_snapshot_write(scene.path, store, &info, &options, NULL), KIN_EINVAL);
    options.size = 0;
    assert_code(kin_snapshot_write(scene.path, store, &info, &options, NULL), KIN_EINVAL);
    info.kind = "\xff";
    assert_code(kin_snapshot_write(scene.path, store, &info, NULL, &err), KIN_EINVAL);
    assert_string_equal(err.message, "kind is not UTF-8");
    info.kind = NULL;
    info.namespaces = missing;
    info.n_namespaces = 2;
    assert_code(kin_snapshot_write(scene.path, store, &info, NULL, NULL), KIN_EINVAL);
    info.namespaces = NULL;
    assert_code(kin_snapshot_write(scene.path, store, &info, NULL, NULL), KIN_EINVAL);
    info.size = 0;
    assert_code(kin_snapshot_write(scene.path, store, &info, NULL, NULL), KIN_EINVAL);
    assert_false(snapshot_exists(scene.path));
    assert_code(kin_snapshot_open(NULL, scene.path, NULL), KIN_EINVAL);
    assert_code(kin_snapshot_open(&snapshot, NULL, NULL), KIN_EINVAL);
    assert_code(kin_snapshot_read(NULL, NULL, count, &n, NULL), KIN_EINVAL);
    snapshot_write(scene.path, store, 0);
    assert_code(kin_snapshot_open(&snapshot, scene.path, NULL), 0);
    assert_code(kin_snapshot_read(snapshot, NULL, NULL, NULL, NULL), KIN_EINVAL);
    kin_snapshot_free(snapshot);
    kin_snapshot_free(NULL);
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

static void an_info_that_is_too_long(void **state)
{
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;
    kin_store *store = snapshot_store(none);
    char *text = long_text(KIN_SNAPSHOT_INFO_BYTES_MAX, true);
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    info.label_selector = text;
    assert_code(kin_snapshot_write(scene.path, store, &info, NULL, NULL), KIN_ELIMIT);
    assert_false(snapshot_exists(scene.path));
    text[KIN_SNAPSHOT_INFO_BYTES_MAX - 200] = '\0';
    assert_code(kin_snapshot_write(scene.path, store, &info, NULL, NULL), 0);
    snapshot_assert_holds(scene.path, "");
    free(text);
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

static void objects_that_are_no_documents(void **state)
{
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;
    const kin_object *item = kin_test_item("mine", 1, NULL);
    kin_store *store = snapshot_store(three);
    kin_error err = KIN_ERROR_INIT;
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    snapshot_write(scene.path, store, 0);
    assert_code(kin_store_add(store, item, NULL), 0);
    assert_code(kin_snapshot_write(scene.path, store, &info, NULL, &err), KIN_ETYPE);
    assert_string_equal(err.message, "mine: not a document");
    snapshot_assert_holds(scene.path, A "\n" B "\n" C "\n");
    kin_object_unref(item);
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

/* --- memory --- */

static int write_scenario(void *arg, kin_error *err)
{
    static const char *const namespaces[] = {"team-a", "team-b"};
    kin_snapshot_options options = KIN_SNAPSHOT_OPTIONS_INIT;
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;
    const char *path = *(const char **)arg;
    kin_store *store = ((kin_store **)arg)[1];

    info.cluster = "one";
    info.namespaces = namespaces;
    info.n_namespaces = 2;
    options.block_bytes = 150;
    return kin_snapshot_write(path, store, &info, &options, err);
}

static int read_scenario(void *arg, kin_error *err)
{
    kin_snapshot *snapshot = NULL;
    unsigned n = 0;
    int code = kin_snapshot_open(&snapshot, *(const char **)arg, err);

    if (code == 0)
        code = kin_snapshot_read(snapshot, NULL, count, &n, err);
    assert_true(code < 0 || n == 3);
    kin_snapshot_free(snapshot);
    return code;
}

static void each_allocation_may_fail(void **state)
{
    kin_store *store = snapshot_store(three);
    snapshot_scene scene;
    void *arg[2];

    (void)state;
    snapshot_scene_open(&scene);
    arg[0] = scene.path;
    arg[1] = store;
    kin_test_fail_each_allocation(write_scenario, arg);
    assert_false(snapshot_exists(scene.temporary));
    kin_test_fail_each_allocation(read_scenario, arg);
    snapshot_assert_holds(scene.path, A "\n" B "\n" C "\n");
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(an_empty_store_comes_back),
        cmocka_unit_test(it_fills_a_store),
        cmocka_unit_test(the_info_comes_back),
        cmocka_unit_test(each_namespace_may_have_its_version),
        cmocka_unit_test(what_is_not_said_is_not_there),
        cmocka_unit_test(an_older_program_says_less),
        cmocka_unit_test(a_view_is_written_as_it_was),
        cmocka_unit_test(objects_larger_than_a_block),
        cmocka_unit_test(what_repeats_is_folded),
        cmocka_unit_test(limits_of_the_reader),
        cmocka_unit_test(a_projection_keeps_less),
        cmocka_unit_test(a_callback_ends_it),
        cmocka_unit_test(what_is_read_is_shared),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(an_info_that_is_too_long),
        cmocka_unit_test(objects_that_are_no_documents),
        cmocka_unit_test(each_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
