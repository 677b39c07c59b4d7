/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What writing and reading hold at their height: a block, not the whole. (What zstd takes for itself is
 * not seen here; it hangs on the block, too.)
 */
#include "snapshot_support.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 4000, OBJECT_BYTES = 4000, BLOCK_BYTES = 65536 };

static size_t in_use;
static size_t peak;

static void note(size_t more, size_t less)
{
    in_use += more;
    in_use -= less;
    if (in_use > peak)
        peak = in_use;
}

static void *counted_realloc(void *ptr, size_t size, void *arg)
{
    const size_t before = ptr ? malloc_usable_size(ptr) : 0;
    void *block = realloc(ptr, size);

    (void)arg;
    if (block)
        note(malloc_usable_size(block), before);
    return block;
}

static void *counted_alloc(size_t size, void *arg)
{
    return counted_realloc(NULL, size, arg);
}

static void counted_free(void *ptr, void *arg)
{
    (void)arg;
    note(0, malloc_usable_size(ptr));
    free(ptr);
}

/* Nothing in it repeats. */
static void fill(char *text, size_t len, uint64_t seed)
{
    for (size_t i = 0; i < len; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        text[i] = (char)('a' + (seed >> 33) % 26);
    }
    text[len] = '\0';
}

static kin_store *make_store(void)
{
    static char value[OBJECT_BYTES + 1];
    static char text[OBJECT_BYTES + 100];
    kin_decoder *decoder;
    kin_store *store;

    assert_code(kin_store_new(&store, NULL, NULL), 0);
    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    for (unsigned i = 0; i < OBJECTS; i++) {
        const kin_object *object;

        fill(value, OBJECT_BYTES, i);
        snprintf(text, sizeof(text), "{\"metadata\":{\"name\":\"c%u\"},\"data\":\"%s\"}", i, value);
        assert_code(kin_decoder_decode(decoder, &object, kin_str_of(text), NULL), 0);
        assert_code(kin_store_add(store, object, NULL), 0);
        kin_object_unref(object);
    }
    kin_decoder_free(decoder);
    return store;
}

static int count(const kin_object *object, void *arg, kin_error *err)
{
    (void)object;
    (void)err;
    ++*(unsigned *)arg;
    return 0;
}

static void one_block_is_held(void **state)
{
    kin_store *store = make_store();
    kin_snapshot *snapshot;
    snapshot_scene scene;
    unsigned n = 0;

    (void)state;
    snapshot_scene_open(&scene);
    peak = in_use;
    size_t before = in_use;

    snapshot_write(scene.path, store, BLOCK_BYTES);
    /* A block as JSON, in a buffer that doubles, and folded. */
    assert_in_range(peak - before, BLOCK_BYTES, 5 * BLOCK_BYTES);
    assert_int_equal(in_use, before);

    before = in_use;
    peak = in_use;
    assert_code(kin_snapshot_open(&snapshot, scene.path, NULL), 0);
    assert_code(kin_snapshot_read(snapshot, NULL, count, &n, NULL), 0);
    assert_int_equal(n, OBJECTS);
    /* The decoder has tables of its own, which do not hang on the file. */
    assert_in_range(peak - before, BLOCK_BYTES, OBJECTS * OBJECT_BYTES / 8);
    kin_snapshot_free(snapshot);
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_block_is_held)};
    const kin_allocator allocator = {sizeof(allocator), counted_alloc, counted_realloc,
                                     counted_free, NULL};

    if (kin_set_allocator(&allocator, NULL) < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
