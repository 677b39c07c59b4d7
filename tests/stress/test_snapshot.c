/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots of a store that changes all the time: each has one version, with the resource version
 * of that, and never parts of two.
 */
#include "kin_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"
#include "kinform/snapshot.h"

enum { OBJECTS = 60, SNAPSHOTS = 60 };

struct scene {
    kin_store *store;
    char folder[64];
    char path[96];
    atomic_bool stop;
    atomic_uint versions;
};

/* All objects anew, in one transaction, with the same resource version. */
static void write_version(struct scene *scene, kin_decoder *decoder, unsigned version)
{
    kin_write writes[OBJECTS];
    char text[200];

    for (unsigned i = 0; i < OBJECTS; i++) {
        snprintf(text, sizeof(text),
                 "{\"metadata\":{\"name\":\"c%u\",\"resourceVersion\":\"%u\"},\"data\":\"%u\"}", i,
                 version, version * i);
        writes[i].type = KIN_WRITE_PUT;
        assert_code(kin_decoder_decode(decoder, &writes[i].object, kin_str_of(text), NULL), 0);
    }
    assert_code(kin_store_write(scene->store, writes, OBJECTS, NULL), 0);
    for (unsigned i = 0; i < OBJECTS; i++)
        kin_object_unref(writes[i].object);
}

static void *change(void *arg)
{
    struct scene *scene = arg;
    kin_decoder *decoder;
    unsigned version = 1;

    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    while (!atomic_load(&scene->stop)) {
        write_version(scene, decoder, ++version);
        atomic_store(&scene->versions, version);
    }
    kin_decoder_free(decoder);
    return NULL;
}

struct seen {
    const char *version;
    unsigned n;
    unsigned others; /* of another version */
};

static int see(const kin_object *object, void *arg, kin_error *err)
{
    struct seen *seen = arg;

    (void)err;
    seen->n++;
    if (!kin_str_equal(kin_object_resource_version(object), kin_str_of(seen->version)))
        seen->others++;
    return 0;
}

static void check_snapshot(const struct scene *scene)
{
    kin_snapshot *snapshot;
    struct seen seen = {NULL, 0, 0};

    assert_code(kin_snapshot_open(&snapshot, scene->path, NULL), 0);
    seen.version = kin_snapshot_get_info(snapshot)->resource_version;
    assert_code(kin_snapshot_read(snapshot, NULL, see, &seen, NULL), 0);
    assert_int_equal(seen.n, OBJECTS);
    assert_int_equal(seen.others, 0);
    kin_snapshot_free(snapshot);
}

static void each_has_one_version(void **state)
{
    kin_snapshot_options options = KIN_SNAPSHOT_OPTIONS_INIT;
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;
    kin_decoder *decoder;
    struct scene scene;
    pthread_t thread;

    (void)state;
    strcpy(scene.folder, "/tmp/kin-snapshot-XXXXXX");
    assert_non_null(mkdtemp(scene.folder));
    snprintf(scene.path, sizeof(scene.path), "%s/pods", scene.folder);
    atomic_init(&scene.stop, false);
    atomic_init(&scene.versions, 0);
    assert_code(kin_store_new(&scene.store, NULL, NULL), 0);
    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    write_version(&scene, decoder, 1);
    kin_decoder_free(decoder);
    options.block_bytes = 300; /* many steps, so that much happens between them */
    assert_int_equal(pthread_create(&thread, NULL, change, &scene), 0);
    for (unsigned i = 0; i < SNAPSHOTS || atomic_load(&scene.versions) < 10; i++) {
        assert_code(kin_snapshot_write(scene.path, scene.store, &info, &options, NULL), 0);
        check_snapshot(&scene);
    }
    atomic_store(&scene.stop, true);
    pthread_join(thread, NULL);
    kin_store_unref(scene.store);
    assert_int_equal(kin_test_folder_remove(scene.folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_has_one_version)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
