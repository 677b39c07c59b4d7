/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot_support.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"

void snapshot_scene_open(snapshot_scene *scene)
{
    strcpy(scene->folder, "/tmp/kin-snapshot-XXXXXX");
    assert_non_null(mkdtemp(scene->folder));
    snprintf(scene->path, sizeof(scene->path), "%s/pods", scene->folder);
    snprintf(scene->temporary, sizeof(scene->temporary), "%s/pods.tmp", scene->folder);
}

void snapshot_scene_close(snapshot_scene *scene)
{
    DIR *dir = opendir(scene->folder);

    assert_non_null(dir);
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        if (e->d_name[0] != '.' && strcmp(e->d_name, "pods") != 0)
            fail_msg("%s was left behind", e->d_name);
    }
    closedir(dir);
    assert_int_equal(kin_test_folder_remove(scene->folder), 0);
}

bool snapshot_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

kin_store *snapshot_store(const char *const *texts)
{
    kin_store *store;

    assert_code(kin_store_new(&store, NULL, NULL), 0);
    for (; *texts; texts++) {
        const kin_object *object;

        assert_code(kin_object_from_json(&object, kin_str_of(*texts), NULL, NULL), 0);
        assert_code(kin_store_add(store, object, NULL), 0);
        kin_object_unref(object);
    }
    assert_code(kin_store_bookmark(store, kin_str_of("77"), NULL), 0);
    return store;
}

kin_store *snapshot_store_of(unsigned n, const char *value)
{
    const size_t size = strlen(value) + 100;
    char *text = malloc(size);
    kin_store *store;

    assert_non_null(text);
    assert_code(kin_store_new(&store, NULL, NULL), 0);
    for (unsigned i = 0; i < n; i++) {
        const kin_object *object;

        snprintf(text, size,
                 "{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c%u\"},\"data\":\"%s\"}", i,
                 value);
        assert_code(kin_object_from_json(&object, kin_str_of(text), NULL, NULL), 0);
        assert_code(kin_store_add(store, object, NULL), 0);
        kin_object_unref(object);
    }
    free(text);
    return store;
}

kin_snapshot_options snapshot_options(kin_clock **clock, size_t block_bytes)
{
    kin_snapshot_options options = KIN_SNAPSHOT_OPTIONS_INIT;

    assert_code(kin_clock_new_fake(clock, SNAPSHOT_TIME, NULL), 0);
    options.clock = *clock;
    options.block_bytes = block_bytes;
    return options;
}

kin_snapshot_info snapshot_info(void)
{
    static const char *const namespaces[] = {"team-a", "team-b"};
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;

    info.cluster = "https://example.com:6443 6f0f";
    info.api_version = "v1";
    info.kind = "Pod";
    info.resource = "pods";
    info.namespaces = namespaces;
    info.n_namespaces = 2;
    info.label_selector = "app in (a,\"b\")";
    info.field_selector = "spec.nodeName=node-1";
    info.projection = "drop metadata.managedFields \xc3\xa9";
    return info;
}

void snapshot_write(const char *path, kin_store *store, size_t block_bytes)
{
    const kin_snapshot_info info = snapshot_info();
    kin_error err = KIN_ERROR_INIT;
    kin_clock *clock;
    const kin_snapshot_options options = snapshot_options(&clock, block_bytes);

    if (kin_snapshot_write(path, store, &info, &options, &err) < 0)
        fail_msg("not written: %s", err.message);
    kin_clock_unref(clock);
}

struct lines {
    char *texts[256];
    size_t n;
};

static int add_line(const kin_object *object, void *arg, kin_error *err)
{
    struct lines *lines = arg;

    assert_true(lines->n < sizeof(lines->texts) / sizeof(lines->texts[0]));
    int code = kin_object_to_json(&lines->texts[lines->n], NULL, object, KIN_JSON_COMPACT, err);

    lines->n += code == 0;
    return code;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int snapshot_read_text(kin__buf *ret, const char *path, kin_error *err)
{
    kin_snapshot *snapshot = NULL;
    struct lines lines = {.n = 0};
    int code = kin_snapshot_open(&snapshot, path, err);

    if (code == 0)
        code = kin_snapshot_read(snapshot, NULL, add_line, &lines, err);
    if (code == 0)
        qsort(lines.texts, lines.n, sizeof(lines.texts[0]), compare);
    for (size_t i = 0; i < lines.n; i++) {
        if (code == 0)
            kin__buf_appendf(ret, "%s\n", lines.texts[i]);
        kin_free(lines.texts[i]);
    }
    kin_snapshot_free(snapshot);
    return code == 0 ? ret->failed : code;
}

void snapshot_assert_holds(const char *path, const char *expected)
{
    kin_error err = KIN_ERROR_INIT;
    kin__buf text;

    kin__buf_init(&text, SIZE_MAX - 1);
    if (snapshot_read_text(&text, path, &err) < 0)
        fail_msg("not read: %s", err.message);
    assert_string_equal(text.data ? text.data : "", expected);
    kin__buf_done(&text);
}

void snapshot_assert_refused(const char *path, const char *message)
{
    kin_error err = KIN_ERROR_INIT;
    kin__buf text;

    kin__buf_init(&text, SIZE_MAX - 1);
    assert_code(snapshot_read_text(&text, path, &err), KIN_EPARSE);
    assert_int_equal(err.code, KIN_EPARSE);
    if (!strstr(err.message, message) || !strstr(err.message, path))
        fail_msg("\"%s\" is not in: %s", message, err.message);
    kin__buf_done(&text);
}

char *snapshot_load(const char *path, size_t *ret_len)
{
    FILE *f = fopen(path, "rb");
    char *data = malloc(1 << 20);

    if (!f || !data) {
        fail_msg("%s cannot be read", path);
        exit(1);
    }
    *ret_len = fread(data, 1, 1 << 20, f);
    assert_true(feof(f));
    fclose(f);
    return data;
}

void snapshot_store_file(const char *path, const void *data, size_t len)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}
