/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots that are not what was written: each bit changed, each length, parts that are lost, doubled or
 * moved, and files that never were one. And the bytes themselves, which must stay what they are.
 */
#include "snapshot_support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "informer/snapshot_format.h"
#include "informer/snapshot_read.h"

#define POD(name) "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\"}}"
/* Long enough, and repeating enough, to be folded. */
#define LONG                                                                                       \
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"d\",\"labels\":{\"example.com/a\":\"true\","       \
    "\"example.com/b\":\"true\",\"example.com/c\":\"true\",\"example.com/d\":\"true\"}}}"

static const char *const four[] = {POD("a"), POD("b"), POD("c"), LONG, NULL};
static const char expected[] = POD("a") "\n" POD("b") "\n" POD("c") "\n" LONG "\n";

/* A file in memory. */
struct image {
    uint8_t bytes[4096];
    size_t len;
};

static int read_image(void *arg, void *buf, size_t len, uint64_t offset, kin_error *err)
{
    const struct image *image = arg;

    (void)err;
    assert_true(offset <= image->len && len <= image->len - offset);
    memcpy(buf, image->bytes + offset, len);
    return 0;
}

static int count(const kin_object *object, void *arg, kin_error *err)
{
    (void)object;
    (void)err;
    ++*(unsigned *)arg;
    return 0;
}

/* The code of opening and reading it; *n is how many objects were called back for. */
static int try_image(struct image *image, unsigned *n, kin_error *err)
{
    const kin__snapshot_source source = {"image", image->len, read_image, image};
    kin_snapshot *snapshot = NULL;
    int code = kin__snapshot_open_source(&snapshot, &source, err);

    *n = 0;
    if (code == 0)
        code = kin_snapshot_read(snapshot, NULL, count, n, err);
    else
        assert_null(snapshot);
    kin_snapshot_free(snapshot);
    return code;
}

static void assert_refused(struct image *image, const char *message)
{
    kin_error err = KIN_ERROR_INIT;
    unsigned n;

    assert_code(try_image(image, &n, &err), KIN_EPARSE);
    if (!strstr(err.message, message) || !strstr(err.message, "image: "))
        fail_msg("\"%s\" is not in: %s", message, err.message);
    assert_true(err.offset <= image->len);
}

static void make_image(struct image *image, const char *const *texts, size_t block_bytes)
{
    kin_store *store = snapshot_store(texts);
    snapshot_scene scene;
    size_t len;

    snapshot_scene_open(&scene);
    snapshot_write(scene.path, store, block_bytes);
    char *data = snapshot_load(scene.path, &len);

    assert_true(len <= sizeof(image->bytes));
    memcpy(image->bytes, data, len);
    image->len = len;
    free(data);
    kin_store_unref(store);
    snapshot_scene_close(&scene);
}

/* --- every byte --- */

static void each_bit_counts(void **state)
{
    struct image image;
    unsigned n;

    (void)state;
    /* Two blocks and more, one of them folded. */
    make_image(&image, four, 100);
    assert_code(try_image(&image, &n, NULL), 0);
    assert_int_equal(n, 4);
    for (size_t i = 0; i < image.len; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            kin_error err = KIN_ERROR_INIT;

            image.bytes[i] ^= (uint8_t)(1u << bit);
            if (try_image(&image, &n, &err) != KIN_EPARSE)
                fail_msg("bit %u of byte %zu does not count: %s", bit, i, err.message);
            image.bytes[i] ^= (uint8_t)(1u << bit);
        }
        /* And the whole byte. */
        image.bytes[i] = (uint8_t)~image.bytes[i];
        assert_code(try_image(&image, &n, NULL), KIN_EPARSE);
        image.bytes[i] = (uint8_t)~image.bytes[i];
    }
}

static void each_length_counts(void **state)
{
    struct image image;
    unsigned n;

    (void)state;
    make_image(&image, four, 100);
    const size_t len = image.len;

    for (image.len = 0; image.len < len; image.len++) {
        kin_error err = KIN_ERROR_INIT;

        assert_code(try_image(&image, &n, &err), KIN_EPARSE);
        assert_int_equal(n, 0);
        assert_non_null(strstr(err.message, image.len < 8 ? "not a snapshot" : "cut off"));
    }
    image.bytes[len] = 0;
    image.len = len + 1;
    assert_refused(&image, "more behind its end");
}

/* What the disk may do: a sector of zeros. */
static void zeros_are_found(void **state)
{
    struct image image;
    struct image damaged;
    unsigned n;

    (void)state;
    make_image(&image, four, 100);
    for (size_t at = 0; at < image.len; at++) {
        damaged = image;
        memset(damaged.bytes + at, 0, image.len - at);
        if (memcmp(damaged.bytes, image.bytes, image.len) != 0)
            assert_code(try_image(&damaged, &n, NULL), KIN_EPARSE);
    }
}

/* --- files that contradict themselves, with checksums that are right --- */

/* Where blocks begin; one more, at the end. */
struct map {
    size_t at[8];
    unsigned n;
};

static void find_blocks(struct map *map, const struct image *image)
{
    size_t at = KIN__SNAPSHOT_HEADER_BYTES + kin__get_u32(image->bytes + 12) + 8;

    for (map->n = 0; at < image->len; map->n++) {
        map->at[map->n] = at;
        at += KIN__SNAPSHOT_HEAD_BYTES + kin__get_u32(image->bytes + at) + 8;
    }
    map->at[map->n] = at;
}

/* Make all checksums right, and the header's idea of the length. */
static void sign(struct image *image)
{
    const size_t info_bytes = kin__get_u32(image->bytes + 12);
    uint8_t *info = image->bytes + KIN__SNAPSHOT_HEADER_BYTES;
    uint64_t checksum = kin__snapshot_checksum(0, info, info_bytes);
    struct map map;

    kin__put_u64(info + info_bytes, checksum);
    find_blocks(&map, image);
    for (unsigned i = 0; i < map.n; i++) {
        const size_t len = map.at[i + 1] - map.at[i] - 8;

        checksum = kin__snapshot_checksum(checksum, image->bytes + map.at[i], len);
        kin__put_u64(image->bytes + map.at[i] + len, checksum);
    }
    kin__put_u64(image->bytes + 16, image->len);
    kin__put_u64(image->bytes + 48, checksum);
    kin__put_u64(image->bytes + 56, kin__snapshot_checksum(0, image->bytes, 56));
}

static void cut(struct image *image, size_t from, size_t to)
{
    memmove(image->bytes + from, image->bytes + to, image->len - to);
    image->len -= to - from;
}

static void blocks_are_not_lost_or_moved(void **state)
{
    struct image image;
    struct image other;
    struct map map;

    (void)state;
    make_image(&image, four, 1); /* a block for each */
    find_blocks(&map, &image);
    assert_int_equal(map.n, 4);

    /* One is lost, and the header, which has its own checksum, was told. */
    other = image;
    cut(&other, map.at[1], map.at[2]);
    kin__put_u64(other.bytes + 16, other.len);
    kin__put_u64(other.bytes + 24, 3);
    kin__put_u64(other.bytes + 40, 3);
    kin__put_u64(other.bytes + 56, kin__snapshot_checksum(0, other.bytes, 56));
    assert_refused(&other, "a damaged block");

    /* The last one is lost: only the header has the sum of all. */
    const uint64_t last_json_bytes = kin__get_u32(image.bytes + map.at[3] + 4) - 4;

    other = image;
    other.len = map.at[3];
    kin__put_u64(other.bytes + 16, other.len);
    kin__put_u64(other.bytes + 24, 3);
    kin__put_u64(other.bytes + 32, kin__get_u64(other.bytes + 32) - last_json_bytes);
    kin__put_u64(other.bytes + 40, 3);
    kin__put_u64(other.bytes + 56, kin__snapshot_checksum(0, other.bytes, 56));
    assert_refused(&other, "do not fit together");
}

static void numbers_that_contradict_each_other(void **state)
{
    static const struct {
        unsigned at; /* of a number of 8 bytes in the header */
        uint64_t value;
        const char *message;
    } cases[] = {
        {24, 3, "contradicts itself"}, /* fewer than blocks */
        {24, 5, "do not fit together"},         {24, UINT64_MAX, "contradicts itself"},
        {24, 0, "contradicts itself"},          {32, 200, "do not fit together"},
        {32, UINT64_MAX, "contradicts itself"}, {32, 0, "contradicts itself"},
        {40, 3, "do not fit together"},         {40, 1000, "contradicts itself"},
        {40, UINT64_MAX, "contradicts itself"}, {40, 0, "contradicts itself"},
    };
    struct image image;
    struct image other;

    (void)state;
    make_image(&image, four, 1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        other = image;
        kin__put_u64(other.bytes + cases[i].at, cases[i].value);
        sign(&other);
        assert_refused(&other, cases[i].message);
    }
    /* More blocks than there are. */
    other = image;
    kin__put_u64(other.bytes + 24, 5);
    kin__put_u64(other.bytes + 40, 5);
    sign(&other);
    assert_refused(&other, "blocks are missing");
}

static void heads_that_make_no_sense(void **state)
{
    static const struct {
        unsigned at; /* in the head */
        uint32_t value;
    } cases[] = {
        {0, 0},          {0, UINT32_MAX}, {0, 5000}, {4, 0},  {4, 5},     {4, UINT32_MAX},
        {4, 0x7fffffff}, {8, 0},          {8, 99},   {12, 2}, {12, 9999}, {12, 1},
    };
    struct image image;
    struct map map;

    (void)state;
    make_image(&image, four, 1);
    find_blocks(&map, &image);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        /* One that is stored, and without the checksums: heads are looked at before. */
        unsigned b = kin__get_u32(image.bytes + map.at[0] + 12) == 0 ? 0 : 1;
        struct image other = image;

        kin__put_u32(other.bytes + map.at[b] + cases[i].at, cases[i].value);
        assert_refused(&other, "makes no sense");
    }
}

/* A block that claims to be unfolded to more than 256 times its size. */
static void bombs_are_refused(void **state)
{
    struct image image;
    struct map map;

    (void)state;
    make_image(&image, (const char *const[]){LONG, NULL}, 0);
    find_blocks(&map, &image);
    const uint32_t stored = kin__get_u32(image.bytes + map.at[0]);

    assert_int_equal(kin__get_u32(image.bytes + map.at[0] + 12), KIN__SNAPSHOT_ZSTD);
    /* Allowed, but not what comes out of it. */
    kin__put_u32(image.bytes + map.at[0] + 4, stored * 256 + 255);
    sign(&image);
    assert_refused(&image, "not what zstd writes");
    kin__put_u32(image.bytes + map.at[0] + 4, stored * 256 + 256);
    sign(&image);
    assert_refused(&image, "makes no sense");
    /* Less than what comes out of it: zstd has no room. */
    kin__put_u32(image.bytes + map.at[0] + 4, (uint32_t)strlen(LONG) + 3);
    sign(&image);
    assert_refused(&image, "not what zstd writes");
}

static void contents_that_make_no_sense(void **state)
{
    struct image image;
    struct image other;
    struct map map;

    (void)state;
    make_image(&image, (const char *const[]){POD("a"), NULL}, 0);
    find_blocks(&map, &image);
    uint8_t *prefix = image.bytes + map.at[0] + KIN__SNAPSHOT_HEAD_BYTES;

    assert_int_equal(kin__get_u32(prefix), strlen(POD("a")));
    other = image;
    kin__put_u32(prefix, (uint32_t)strlen(POD("a")) + 1);
    sign(&image);
    assert_refused(&image, "do not fit into their block");
    kin__put_u32(prefix, UINT32_MAX);
    sign(&image);
    assert_refused(&image, "do not fit into their block");
    image = other;
    prefix[4] = '[';
    sign(&image);
    assert_refused(&image, "object 0");
    /* An object of which only the beginning is said to be its text. */
    image = other;
    memcpy(prefix + 4, "{}", 2);
    kin__put_u32(prefix, 2);
    sign(&image);
    assert_refused(&image, "more than its objects");
}

static void infos_that_make_no_sense(void **state)
{
    static const char *const infos[] = {
        "{\"kind\":1}",
        "{\"kind\":null}",
        "{\"kind\":\"a\\u0000\"}",
        "{\"namespaces\":\"a\"}",
        "{\"namespaces\":[\"a\",2]}",
        "{\"namespaces\":[\"a\"],\"versions\":[\"1\",\"2\"]}",
        "{\"versions\":[\"1\"]}",
        "{\"unixNano\":\"1\"}",
        "{\"unixNano\":1.5}",
        "{\"listUnixNano\":\"1\"}",
        "{\"listUnixNano\":1.5}",
        "[]",
        "{",
        "",
    };
    static const char *const fine[] = {"{}", "{\"namespaces\":[],\"later\":{\"a\":[1,2]}}",
                                       "{\"unixNano\":-1}"};
    struct image image;
    unsigned n;

    (void)state;
    for (size_t i = 0; i < sizeof(infos) / sizeof(infos[0]) + 3; i++) {
        const size_t bad = sizeof(infos) / sizeof(infos[0]);
        const char *info = i < bad ? infos[i] : fine[i - bad];

        make_image(&image, (const char *const[]){NULL}, 0);
        image.len = KIN__SNAPSHOT_HEADER_BYTES + strlen(info) + 8;
        kin__put_u32(image.bytes + 12, (uint32_t)strlen(info));
        memcpy(image.bytes + KIN__SNAPSHOT_HEADER_BYTES, info, strlen(info));
        sign(&image);
        if (i < bad)
            assert_refused(&image, "what it says of itself makes no sense");
        else
            assert_code(try_image(&image, &n, NULL), 0);
    }
}

/* --- other files --- */

static void files_that_are_no_snapshots(void **state)
{
    static const char text[] = "{\"kind\":\"PodList\",\"items\":[]}"
                               "                                        ";
    kin_snapshot *snapshot = NULL;
    kin_error err = KIN_ERROR_INIT;
    struct image image;
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    assert_code(kin_snapshot_open(&snapshot, scene.path, &err), KIN_ENOTFOUND);
    assert_non_null(strstr(err.message, scene.path));
    snapshot_store_file(scene.path, "", 0);
    snapshot_assert_refused(scene.path, "not a snapshot");
    snapshot_store_file(scene.path, text, sizeof(text));
    snapshot_assert_refused(scene.path, "not a snapshot");
    assert_int_equal(unlink(scene.path), 0);
    assert_int_equal(mkdir(scene.path, 0700), 0);
    snapshot_assert_refused(scene.path, "not a file");
    assert_int_equal(rmdir(scene.path), 0);
    assert_int_equal(mkfifo(scene.path, 0600), 0);
    snapshot_assert_refused(scene.path, "not a file");
    assert_int_equal(unlink(scene.path), 0);

    make_image(&image, four, 0);
    kin__put_u32(image.bytes + 8, 2);
    sign(&image);
    assert_refused(&image, "a snapshot of format 2");
    assert_null(snapshot);
    snapshot_scene_close(&scene);
}

/* --- the bytes, which other machines and other versions read --- */

static void golden_files_are_read(void **state)
{
    (void)state;
    snapshot_assert_holds(KIN_TEST_DATA "/snapshot/stored.snapshot", POD("a") "\n");
    snapshot_assert_holds(KIN_TEST_DATA "/snapshot/folded.snapshot", expected);
}

/* Nothing in this one is of zstd's making, so it is the same whatever zstd there is. */
static void the_golden_file_is_written(void **state)
{
    struct image image;
    size_t len;

    (void)state;
    make_image(&image, (const char *const[]){POD("a"), NULL}, 0);
    char *golden = snapshot_load(KIN_TEST_DATA "/snapshot/stored.snapshot", &len);

    assert_int_equal(image.len, len);
    assert_memory_equal(image.bytes, golden, len);
    free(golden);
}

/* As docs/snapshot.md has it, byte by byte. */
static void numbers_are_little_endian(void **state)
{
    static const uint8_t begin[24] = {0x89, 'K', 'I', 'N', '\r', '\n', 0x1a, 0, /* magic */
                                      1,    0,   0,   0,                        /* format */
                                      0x2b, 1,   0,   0,                        /* info */
                                      0xb5, 1,   0,   0,   0,    0,    0,    0};
    static const uint8_t counts[24] = {1,    0, 0, 0, 0, 0, 0, 0,  /* objects */
                                       0x26, 0, 0, 0, 0, 0, 0, 0,  /* bytes of JSON */
                                       1,    0, 0, 0, 0, 0, 0, 0}; /* blocks */
    size_t len;
    char *golden = snapshot_load(KIN_TEST_DATA "/snapshot/stored.snapshot", &len);

    (void)state;
    assert_memory_equal(golden, begin, sizeof(begin));
    assert_memory_equal(golden + 24, counts, sizeof(counts));
    free(golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bit_counts),
        cmocka_unit_test(each_length_counts),
        cmocka_unit_test(zeros_are_found),
        cmocka_unit_test(blocks_are_not_lost_or_moved),
        cmocka_unit_test(numbers_that_contradict_each_other),
        cmocka_unit_test(heads_that_make_no_sense),
        cmocka_unit_test(bombs_are_refused),
        cmocka_unit_test(contents_that_make_no_sense),
        cmocka_unit_test(infos_that_make_no_sense),
        cmocka_unit_test(files_that_are_no_snapshots),
        cmocka_unit_test(golden_files_are_read),
        cmocka_unit_test(the_golden_file_is_written),
        cmocka_unit_test(numbers_are_little_endian),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
