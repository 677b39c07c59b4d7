/* SPDX-License-Identifier: Apache-2.0 */
#include "state_support.h"

#include "kin_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "kinform/json.h"
#include "latch.h"

int kin_test_document(const kin_object **ret, kin_str key, uint64_t version, unsigned value,
                      size_t padding, kin_error *err)
{
    kin_str rest = key;
    kin_str first;
    kin__buf buf;
    int code;

    kin__buf_init(&buf, SIZE_MAX - 1);
    kin__str_cut(&rest, '/', &first);
    kin__buf_appendf(&buf, "{\"metadata\":{");
    if (rest.data)
        kin__buf_appendf(&buf, "\"namespace\":\"%" KIN_STR_FMT "\",\"name\":\"%" KIN_STR_FMT "\",",
                         KIN_STR_ARG(first), KIN_STR_ARG(rest));
    else
        kin__buf_appendf(&buf, "\"name\":\"%" KIN_STR_FMT "\",", KIN_STR_ARG(first));
    kin__buf_appendf(&buf, "\"resourceVersion\":\"%llu\"},\"data\":{\"value\":%u,\"padding\":\"",
                     (unsigned long long)version, value);
    for (size_t i = 0; i < padding; i++)
        kin__buf_append_char(&buf, (char)('a' + (version * 31 + i * i) % 26));
    kin__buf_appendf(&buf, "\"}}");
    code = buf.failed ? kin__error_no_memory(err)
                      : kin_object_from_json(ret, kin__buf_str(&buf), NULL, err);
    kin__buf_done(&buf);
    return code;
}

unsigned kin_test_document_value(const kin_object *object)
{
    kin_value data = kin_value_get(kin_object_root(object), kin_str_of("data"));
    int64_t value = -1;

    assert_code(kin_value_int64(&value, kin_value_get(data, kin_str_of("value"))), 0);
    return (unsigned)value;
}

uint64_t kin_test_document_version(const kin_object *object)
{
    uint64_t version = 0;

    assert_code(kin__str_to_u64(&version, kin_object_resource_version(object)), 0);
    return version;
}

kin__collection *kin_test_collection(kin__state *state, const char *name)
{
    kin__collection *collection = NULL;

    assert_code(kin__state_collection(state, &collection, kin_str_of(name), NULL), 0);
    return collection;
}

static int commit(kin__state *state, kin__write *write, unsigned value, bool is_deletion,
                  kin__write_done *done, uint64_t *ret_version, kin_error *err)
{
    const kin_object *object = NULL;
    uint64_t version = write->version;
    int code = kin_test_document(&object, write->key, version, value, 0, err);

    if (code < 0)
        kin__state_abort(state, write);
    else
        code = kin__state_commit(state, write, object, is_deletion, done, err);
    kin_object_unref(object);
    if (code == 0 && ret_version)
        *ret_version = version;
    return code;
}

int kin_test_try_put(kin__state *state, kin__collection *collection, const char *key,
                     unsigned value, kin__write_done *done, uint64_t *ret_version, kin_error *err)
{
    kin__write write;

    kin__state_begin(state, &write, collection, kin_str_of(key));
    return commit(state, &write, value, false, done, ret_version, err);
}

int kin_test_try_delete(kin__state *state, kin__collection *collection, const char *key,
                        kin__write_done *done, uint64_t *ret_version, kin_error *err)
{
    kin__write write;

    kin__state_begin(state, &write, collection, kin_str_of(key));
    if (!write.current) {
        kin__state_abort(state, &write);
        return kin__error_no_key(err, kin_str_of(key));
    }
    return commit(state, &write, kin_test_document_value(write.current), true, done, ret_version,
                  err);
}

uint64_t kin_test_put(kin__state *state, kin__collection *collection, const char *key,
                      unsigned value)
{
    uint64_t version = 0;

    assert_code(kin_test_try_put(state, collection, key, value, NULL, &version, NULL), 0);
    return version;
}

uint64_t kin_test_delete(kin__state *state, kin__collection *collection, const char *key)
{
    uint64_t version = 0;

    assert_code(kin_test_try_delete(state, collection, key, NULL, &version, NULL), 0);
    return version;
}

static void on_done(kin__write_done *base, int code)
{
    kin_test_done *done = kin__container_of(base, kin_test_done, base);
    kin_test_latch *latch = done->latch;

    done->code = code;
    done->calls++;
    if (latch)
        kin_test_latch_raise(latch);
}

void kin_test_done_init(kin_test_done *done, struct kin_test_latch *latch)
{
    *done = (kin_test_done){{on_done, NULL}, latch, 1, 0};
}

int kin_test_value(kin__state *state, kin__collection *collection, const char *key)
{
    const kin_object *object = NULL;
    int value = -1;

    if (kin__state_get(state, collection, kin_str_of(key), &object, NULL) == 0)
        value = (int)kin_test_document_value(object);
    kin_object_unref(object);
    return value;
}

static int storage_load(kin__storage *storage, kin__storage_loader *loader, uint64_t *ret_version,
                        kin_error *err)
{
    (void)storage;
    (void)loader;
    (void)err;
    *ret_version = 0;
    return 0;
}

static int storage_start(kin__storage *base, kin__storage_written_fn *written, void *arg,
                         kin_error *err)
{
    kin_test_storage *storage = kin__container_of(base, kin_test_storage, base);

    (void)err;
    storage->written = written;
    storage->arg = arg;
    return 0;
}

static int storage_append(kin__storage *base, const kin__storage_record *record, kin_error *err)
{
    kin_test_storage *storage = kin__container_of(base, kin_test_storage, base);

    if (storage->append_code)
        return kin_error_set(err, storage->append_code, "append");
    storage->versions[storage->n++ % kin__array_len(storage->versions)] = record->version;
    return 0;
}

static void storage_compact(kin__storage *base, kin_str collection, uint64_t version,
                            const uint64_t *dead, size_t n_dead)
{
    kin_test_storage *storage = kin__container_of(base, kin_test_storage, base);

    (void)collection;
    (void)dead;
    storage->compacted = version;
    storage->n_dead += n_dead;
}

static int storage_rewind(kin__storage *base, uint64_t version, kin_error *err)
{
    kin_test_storage *storage = kin__container_of(base, kin_test_storage, base);

    if (storage->rewind_code)
        return kin_error_set(err, storage->rewind_code, "rewind");
    storage->rewound = version;
    return 0;
}

static void storage_free(kin__storage *base)
{
    kin__container_of(base, kin_test_storage, base)->is_freed = true;
}

void kin_test_storage_init(kin_test_storage *storage)
{
    static const kin__storage_class storage_class = {
        storage_load, storage_start, storage_append, storage_compact, storage_rewind, storage_free};

    memset(storage, 0, sizeof(*storage));
    storage->base.storage_class = &storage_class;
}

void kin_test_storage_written(kin_test_storage *storage, uint64_t version, int code)
{
    storage->written(storage->arg, version, code, code ? "the disk is gone" : NULL);
}

const char *kin_test_list(kin__state *state, kin__collection *collection, uint64_t version)
{
    static char text[4096];
    kin__state_query query = {.version = version};
    kin__state_page page;
    size_t len = 0;

    assert_code(kin__state_list(state, collection, &query, &page, NULL), 0);
    assert_true(version == 0 || page.version == version);
    assert_false(page.more);
    text[0] = '\0';
    for (size_t i = 0; i < page.objects.len; i++) {
        const kin_object *object = page.objects.items[i];

        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s=%u@%llu", i ? " " : "",
                                kin_object_key(object), kin_test_document_value(object),
                                (unsigned long long)kin_test_document_version(object));
        assert_true(len < sizeof(text));
    }
    kin_object_list_done(&page.objects);
    return text;
}

static char directory[64];

static void remove_directory(void)
{
    rmdir(directory);
}

const char *kin_test_database(const char *name)
{
    static char path[256];

    if (!directory[0]) {
        strcpy(directory, "/tmp/kin-test-state-XXXXXX");
        assert_non_null(mkdtemp(directory));
        atexit(remove_directory);
    }
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return path;
}

void kin_test_remove_database(const char *path)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    char name[300];

    for (size_t i = 0; i < kin__array_len(suffixes); i++) {
        snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
        unlink(name);
    }
}

kin__state *kin_test_open_state(const char *path, size_t window_changes, size_t window_bytes)
{
    kin__state_options options = {.window_changes = window_changes, .window_bytes = window_bytes};
    kin_error err = KIN_ERROR_INIT;
    kin__state *state = NULL;

    if (path && kin__storage_sqlite_open(&options.storage, path, false, &err) < 0)
        fail_msg("opening: %s", err.message);
    if (kin__state_new(&state, &options, &err) < 0)
        fail_msg("loading: %s", err.message);
    return state;
}
