/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutation detectors: writes to objects that are const are found, told once, and what is watched is
 * forgotten after a while.
 */
#include "kin_test.h"
#include "kinform/mutation_detector.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "child.h"
#include "item.h"
#include "kinform/json.h"
#include "object/document.h"
#include "object/shared.h"
#include "oom.h"

#define RETAIN_MS 1000

/* --- objects that can be written to --- */

struct box {
    kin_object base;
    char key[8];
    char version[8];
    unsigned value;
};

static struct box *box_of(const kin_object *object)
{
    return (struct box *)kin__unconst(object);
}

static kin_str box_key(const kin_object *object)
{
    return kin_str_of(box_of(object)->key);
}

static kin_str box_version(const kin_object *object)
{
    return kin_str_of(box_of(object)->version);
}

/* What another thread could do while an object is looked at. */
static void (*hash_hook)(const kin_object *object);

static uint64_t box_hash(const kin_object *object)
{
    uint64_t hash = box_of(object)->value;

    if (hash_hook)
        hash_hook(object);
    return hash;
}

static void box_destroy(kin_object *object)
{
    free(object);
}

static const kin_object_class hashed_class = {
    .size = sizeof(kin_object_class),
    .name = "hashed box",
    .key = box_key,
    .resource_version = box_version,
    .destroy = box_destroy,
    .hash = box_hash,
};

static const kin_object_class plain_class = {
    .size = sizeof(kin_object_class),
    .name = "plain box",
    .key = box_key,
    .resource_version = box_version,
    .destroy = box_destroy,
};

/* As an older program has it: what stands behind its end is none of it. */
static const kin_object_class old_class = {
    .size = offsetof(kin_object_class, hash),
    .name = "old box",
    .key = box_key,
    .resource_version = box_version,
    .destroy = box_destroy,
    .hash = box_hash,
};

static const kin_object *box_new(const kin_object_class *object_class, const char *key,
                                 unsigned value)
{
    struct box *box = calloc(1, sizeof(*box));

    assert_non_null(box);
    snprintf(box->key, sizeof(box->key), "%s", key);
    snprintf(box->version, sizeof(box->version), "1");
    box->value = value;
    assert_code(kin_object_init(&box->base, object_class, NULL), 0);
    return &box->base;
}

/* --- a detector, and what it tells --- */

struct world {
    kin_clock *clock;
    kin_mutation_detector *detector;
    unsigned told;
    const kin_object *last;
    unsigned logged;
    void (*during)(struct world *w); /* run when told; may be NULL */
};

static void altered(const kin_object *object, void *arg)
{
    struct world *w = arg;

    w->told++;
    w->last = object;
    if (w->during)
        w->during(w);
}

static void count_line(const kin_log_record *record, void *arg)
{
    struct world *w = arg;

    assert_int_equal(record->level, KIN_LOG_ERROR);
    w->logged++;
}

static void setup(struct world *w)
{
    kin_mutation_detector_options options = KIN_MUTATION_DETECTOR_OPTIONS_INIT;

    memset(w, 0, sizeof(*w));
    assert_code(kin_clock_new_fake(&w->clock, 0, NULL), 0);
    assert_code(kin_logger_new(&options.logger, KIN_LOG_DEBUG, count_line, w, NULL, NULL), 0);
    options.clock = w->clock;
    options.retain_ms = RETAIN_MS;
    options.altered = altered;
    options.altered_arg = w;
    assert_code(kin_mutation_detector_new(&w->detector, &options, NULL), 0);
    kin_logger_unref(options.logger);
}

static void teardown(struct world *w)
{
    kin_mutation_detector_free(w->detector);
    kin_clock_unref(w->clock);
    assert_int_equal(kin_test_items_live(), 0);
}

static void add(struct world *w, const kin_object *object)
{
    assert_code(kin_mutation_detector_add(w->detector, object, NULL), 0);
}

static void assert_check_finds(struct world *w, size_t n)
{
    size_t found = 99;
    unsigned told = w->told;
    unsigned logged = w->logged;

    assert_code(kin_mutation_detector_check(w->detector, &found, NULL), 0);
    assert_int_equal(found, n);
    assert_int_equal(w->told - told, n);
    assert_int_equal(w->logged - logged, n);
}

/* --- finding --- */

static void a_write_is_found_and_told_once(void **state)
{
    struct world w;
    const kin_object *a = box_new(&hashed_class, "a", 1);
    const kin_object *b = box_new(&hashed_class, "b", 2);

    (void)state;
    setup(&w);
    assert_check_finds(&w, 0);
    add(&w, a);
    add(&w, b);
    assert_check_finds(&w, 0);
    box_of(b)->value = 3;
    assert_check_finds(&w, 1);
    assert_ptr_equal(w.last, b);
    assert_check_finds(&w, 0);
    box_of(b)->value = 4; /* once more */
    box_of(a)->value = 4;
    assert_check_finds(&w, 2);
    assert_code(kin_mutation_detector_check(w.detector, NULL, NULL), 0);
    kin_object_unref(a);
    kin_object_unref(b);
    teardown(&w);
}

static void a_write_before_it_is_added_again_is_found(void **state)
{
    struct world w;
    const kin_object *a = box_new(&hashed_class, "a", 1);

    (void)state;
    setup(&w);
    add(&w, a);
    box_of(a)->value = 2;
    add(&w, a);
    assert_int_equal(kin_mutation_detector_len(w.detector), 1);
    assert_check_finds(&w, 1);
    kin_object_unref(a);
    teardown(&w);
}

static void without_a_hash_key_and_version_count(void **state)
{
    static const kin_object_class *const classes[] = {&plain_class, &old_class};

    (void)state;
    for (size_t i = 0; i < kin__array_len(classes); i++) {
        struct world w;
        const kin_object *a = box_new(classes[i], "a", 1);

        setup(&w);
        add(&w, a);
        box_of(a)->value = 2; /* nobody can know */
        assert_check_finds(&w, 0);
        strcpy(box_of(a)->version, "2");
        assert_check_finds(&w, 1);
        strcpy(box_of(a)->key, "b");
        assert_check_finds(&w, 1);
        kin_object_unref(a);
        teardown(&w);
    }
}

/* --- documents --- */

static const kin_object *decode(kin_decoder *decoder, const char *text)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (kin_decoder_decode(decoder, &object, kin_str_of(text), &err) < 0)
        fail_msg("%s", err.message);
    return object;
}

static void poke(kin_str text)
{
    char *byte = kin__unconst(text.data);

    *byte ^= 1;
}

static void every_byte_of_a_document_counts(void **state)
{
    static const char text[] =
        "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"web\",\"namespace\":\"default\","
        "\"resourceVersion\":\"77\"},\"spec\":{\"nodeName\":\"a-node-of-its-own\"}}";
    const kin_object *pod = NULL;
    const kin__document *document;
    struct world w;

    (void)state;
    setup(&w);
    assert_code(kin_object_from_json(&pod, kin_str_of(text), NULL, NULL), 0);
    document = kin__document_of(pod);
    add(&w, pod);
    assert_check_finds(&w, 0);
    for (uint32_t i = 0; i < document->tape.len; i++) {
        kin_str byte = {(const char *)kin__tape_bytes(&document->tape) + i, 1};

        poke(byte);
        assert_check_finds(&w, 1);
        poke(byte);
        assert_check_finds(&w, 1);
    }
    assert_check_finds(&w, 0);
    kin_object_unref(pod);
    teardown(&w);
}

/* A document that shares its arguments with others, and from the 5th on all of its template. */
static const kin_object *sharing(kin_decoder *decoder, unsigned i)
{
    char text[1024];

    snprintf(text, sizeof(text),
             "{\"metadata\":{\"name\":\"web-%u\"},\"spec\":{\"template\":{\"image\":"
             "\"some-image-with-a-long-name-that-comes-often:%u\",\"args\":[\"--one-of-many\","
             "\"--another-one-that-is-long-enough-to-be-shared\"],\"more\":{\"of\":\"it\"}}}}",
             i, i < 5 ? i : 99);
    return decode(decoder, text);
}

static const kin__shared *shared_in_shared(const kin__tape *tape)
{
    for (uint32_t i = 0; i < tape->refs_len; i++) {
        const kin__tape *inner = &kin__tape_refs(tape)[i]->tape;

        if (inner->refs_len > 0)
            return kin__tape_refs(inner)[0];
    }
    return NULL;
}

static void so_do_the_values_that_documents_share(void **state)
{
    const kin_object *pods[10] = {NULL};
    const kin__shared *inner;
    const kin__tape *tape;
    kin_decoder *decoder = NULL;
    struct world w;

    (void)state;
    setup(&w);
    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    for (unsigned i = 0; i < kin__array_len(pods); i++)
        pods[i] = sharing(decoder, i);
    tape = &kin__document_of(pods[kin__array_len(pods) - 1])->tape;
    assert_true(tape->refs_len > 0);
    inner = shared_in_shared(tape);
    assert_non_null(inner);
    add(&w, pods[kin__array_len(pods) - 1]);
    for (unsigned i = 0; i < 2; i++) {
        const kin__tape *written = i ? &inner->tape : &kin__tape_refs(tape)[0]->tape;
        kin_str last = {(const char *)kin__tape_bytes(written) + written->len - 1, 1};

        poke(last);
        assert_check_finds(&w, 1);
        poke(last);
        assert_check_finds(&w, 1);
    }
    for (size_t i = 0; i < kin__array_len(pods); i++)
        kin_object_unref(pods[i]);
    kin_decoder_free(decoder);
    teardown(&w);
}

static void tombstones_are_not_watched(void **state)
{
    struct world w;
    const kin_object *tombstone = NULL;

    (void)state;
    setup(&w);
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("a"), NULL, NULL), 0);
    add(&w, tombstone);
    assert_int_equal(kin_mutation_detector_len(w.detector), 0);
    kin_object_unref(tombstone);
    teardown(&w);
}

/* --- forgetting --- */

static void advance_ms(struct world *w, int64_t ms)
{
    assert_code(kin_clock_advance(w->clock, ms * KIN__MILLISECOND, NULL), 0);
}

static void objects_are_forgotten_after_a_last_look(void **state)
{
    struct world w;
    const kin_object *a = box_new(&hashed_class, "a", 1);
    const kin_object *b = box_new(&hashed_class, "b", 1);

    (void)state;
    setup(&w);
    add(&w, b);
    add(&w, a);
    advance_ms(&w, RETAIN_MS);
    assert_check_finds(&w, 0);
    assert_int_equal(kin_mutation_detector_len(w.detector), 2);
    add(&w, b); /* its time begins anew */
    advance_ms(&w, 1);
    box_of(a)->value = 2;
    assert_check_finds(&w, 1);
    assert_int_equal(kin_mutation_detector_len(w.detector), 1);
    box_of(a)->value = 3;
    assert_check_finds(&w, 0);
    box_of(b)->value = 3;
    assert_check_finds(&w, 1);
    kin_object_unref(a);
    kin_object_unref(b);
    teardown(&w);
}

static void the_default_is_two_minutes(void **state)
{
    kin_mutation_detector_options options = KIN_MUTATION_DETECTOR_OPTIONS_INIT;
    kin_mutation_detector *detector = NULL;
    const kin_object *item = kin_test_item("a", 1, NULL);

    (void)state;
    assert_code(kin_clock_new_fake(&options.clock, 0, NULL), 0);
    assert_code(kin_mutation_detector_new(&detector, &options, NULL), 0);
    assert_code(kin_mutation_detector_add(detector, item, NULL), 0);
    kin_object_unref(item);
    assert_code(kin_clock_advance(options.clock, 120 * KIN__SECOND, NULL), 0);
    assert_code(kin_mutation_detector_check(detector, NULL, NULL), 0);
    assert_int_equal(kin_test_items_live(), 1);
    assert_code(kin_clock_advance(options.clock, 1, NULL), 0);
    assert_code(kin_mutation_detector_check(detector, NULL, NULL), 0);
    assert_int_equal(kin_test_items_live(), 0);
    kin_mutation_detector_free(detector);
    kin_clock_unref(options.clock);
}

static void it_does_not_grow_where_nobody_checks(void **state)
{
    struct world w;
    const kin_object *written = box_new(&hashed_class, "w", 1);

    (void)state;
    setup(&w);
    add(&w, written);
    box_of(written)->value = 2;
    for (unsigned i = 0; i < 100; i++) {
        char key[8];
        const kin_object *item;

        snprintf(key, sizeof(key), "k%u", i);
        item = kin_test_item(key, i, NULL);
        add(&w, item);
        kin_object_unref(item);
        advance_ms(&w, RETAIN_MS / 10);
    }
    assert_true(kin_mutation_detector_len(w.detector) <= 12);
    assert_int_equal(kin_test_items_live(), kin_mutation_detector_len(w.detector));
    /* What was forgotten was looked at. */
    assert_int_equal(w.told, 1);
    assert_ptr_equal(w.last, written);
    kin_object_unref(written);
    teardown(&w);
}

/* --- what may be done when told --- */

static void add_and_check(struct world *w)
{
    const kin_object *item;

    if (w->told > 1)
        return;
    item = kin_test_item("new", 1, NULL);
    add(w, item);
    kin_object_unref(item);
    assert_code(kin_mutation_detector_check(w->detector, NULL, NULL), 0);
}

static void the_function_may_use_the_detector(void **state)
{
    struct world w;
    const kin_object *boxes[5];

    (void)state;
    setup(&w);
    w.during = add_and_check;
    for (unsigned i = 0; i < kin__array_len(boxes); i++) {
        boxes[i] = box_new(&hashed_class, "x", i);
        add(&w, boxes[i]);
    }
    for (unsigned i = 0; i < kin__array_len(boxes); i++)
        box_of(boxes[i])->value += 100;
    /* The inner check finds the four others; nothing is told twice. */
    assert_code(kin_mutation_detector_check(w.detector, NULL, NULL), 0);
    assert_int_equal(w.told, 5);
    assert_int_equal(kin_mutation_detector_len(w.detector), 6);
    for (unsigned i = 0; i < kin__array_len(boxes); i++)
        kin_object_unref(boxes[i]);
    teardown(&w);
}

/* --- what may happen while an object is looked at --- */

static struct world *hooked;
static unsigned looks;

static void check_within(const kin_object *object)
{
    (void)object;
    hash_hook = NULL;
    assert_code(kin_mutation_detector_check(hooked->detector, NULL, NULL), 0);
}

static void two_checks_at_once_tell_a_change_once(void **state)
{
    struct world w;
    const kin_object *a = box_new(&hashed_class, "a", 1);

    (void)state;
    setup(&w);
    hooked = &w;
    add(&w, a);
    box_of(a)->value = 2;
    hash_hook = check_within;
    assert_code(kin_mutation_detector_check(w.detector, NULL, NULL), 0);
    assert_null(hash_hook);
    assert_int_equal(w.told, 1);
    kin_object_unref(a);
    teardown(&w);
}

static void add_again(const kin_object *object)
{
    if (++looks < 1000)
        add(hooked, object);
}

static void a_check_ends_where_it_began(void **state)
{
    struct world w;
    const kin_object *a = box_new(&hashed_class, "a", 1);

    (void)state;
    setup(&w);
    hooked = &w;
    add(&w, a);
    looks = 0;
    hash_hook = add_again;
    assert_check_finds(&w, 0);
    hash_hook = NULL;
    assert_int_equal(looks, 1);
    kin_object_unref(a);
    teardown(&w);
}

static void look_at_detector(void *arg)
{
    kin_mutation_detector_len(arg);
}

static void objects_are_destroyed_without_the_lock(void **state)
{
    struct world w;
    const kin_object *item = kin_test_item("a", 1, NULL);

    (void)state;
    setup(&w);
    add(&w, item);
    kin_object_unref(item);
    kin_test_items_on_destroy(look_at_detector, w.detector);
    advance_ms(&w, RETAIN_MS + 1);
    assert_check_finds(&w, 0);
    assert_int_equal(kin_test_items_live(), 0);
    kin_test_items_on_destroy(NULL, NULL);
    teardown(&w);
}

/* --- the environment --- */

static void the_environment_can_ask_for_it(void **state)
{
    static const char *const names[] = {"KIN_CACHE_MUTATION_DETECTOR",
                                        "KUBE_CACHE_MUTATION_DETECTOR"};
    static const char *const yes[] = {"1", "t", "T", "true", "True", "TRUE"};
    static const char *const no[] = {"", "0", "f", "false", "yes", "tRUE", "true "};

    (void)state;
    for (size_t n = 0; n < 2; n++) {
        unsetenv(names[0]);
        unsetenv(names[1]);
        assert_false(kin_mutation_detector_wanted());
        for (size_t i = 0; i < kin__array_len(yes); i++) {
            setenv(names[n], yes[i], 1);
            assert_true(kin_mutation_detector_wanted());
        }
        for (size_t i = 0; i < kin__array_len(no); i++) {
            setenv(names[n], no[i], 1);
            assert_false(kin_mutation_detector_wanted());
        }
    }
    setenv(names[0], "false", 1);
    setenv(names[1], "true", 1);
    assert_true(kin_mutation_detector_wanted());
}

/* --- wrong arguments --- */

static void wrong_arguments_are_told(void **state)
{
    kin_mutation_detector_options options = KIN_MUTATION_DETECTOR_OPTIONS_INIT;
    kin_mutation_detector *detector = NULL;
    const kin_object *item = kin_test_item("a", 1, NULL);

    (void)state;
    assert_code(kin_mutation_detector_new(NULL, NULL, NULL), KIN_EINVAL);
    options.retain_ms = -1;
    assert_code(kin_mutation_detector_new(&detector, &options, NULL), KIN_EINVAL);
    options.size = 0;
    assert_code(kin_mutation_detector_new(&detector, &options, NULL), KIN_EINVAL);
    assert_null(detector);
    assert_code(kin_mutation_detector_new(&detector, NULL, NULL), 0);
    assert_code(kin_mutation_detector_add(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_mutation_detector_add(detector, NULL, NULL), KIN_EINVAL);
    assert_code(kin_mutation_detector_check(NULL, NULL, NULL), KIN_EINVAL);
    assert_int_equal(kin_mutation_detector_len(NULL), 0);
    kin_mutation_detector_free(NULL);
    kin_mutation_detector_free(detector);
    kin_object_unref(item);
}

/* --- threads --- */

enum { ADDERS = 3, ADDS = 200 };

static void *add_many(void *arg)
{
    struct world *w = arg;

    for (unsigned i = 0; i < ADDS; i++) {
        const kin_object *item = kin_test_item("k", i, NULL);

        add(w, item);
        add(w, item);
        kin_object_unref(item);
        if (i % 10 == 0)
            advance_ms(w, RETAIN_MS / 4);
    }
    return NULL;
}

static void *check_many(void *arg)
{
    struct world *w = arg;

    for (unsigned i = 0; i < ADDS; i++)
        assert_code(kin_mutation_detector_check(w->detector, NULL, NULL), 0);
    return NULL;
}

static void threads_add_and_check(void **state)
{
    struct world w;
    pthread_t threads[ADDERS + 2];

    (void)state;
    setup(&w);
    for (unsigned i = 0; i < ADDERS + 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i < ADDERS ? add_many : check_many, &w),
                         0);
    for (unsigned i = 0; i < ADDERS + 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(w.told, 0);
    advance_ms(&w, RETAIN_MS + 1);
    assert_check_finds(&w, 0);
    assert_int_equal(kin_mutation_detector_len(w.detector), 0);
    teardown(&w);
}

/* --- memory --- */

static int scenario(void *arg, kin_error *err)
{
    const kin_object *const *items = arg;
    kin_mutation_detector *detector = NULL;
    size_t n = 0;
    int code = kin_mutation_detector_new(&detector, NULL, err);

    while (code == 0 && n < 20) {
        code = kin_mutation_detector_add(detector, items[n], err);
        if (code == 0)
            n++;
        assert_int_equal(kin_mutation_detector_len(detector), n);
    }
    if (detector)
        assert_code(kin_mutation_detector_check(detector, NULL, NULL), 0);
    kin_mutation_detector_free(detector);
    return code;
}

static void a_failed_allocation_leaves_the_detector_as_it_was(void **state)
{
    const kin_object *items[20];

    (void)state;
    for (unsigned i = 0; i < kin__array_len(items); i++)
        items[i] = kin_test_item("a", i, NULL);
    kin_test_fail_each_allocation(scenario, items);
    for (unsigned i = 0; i < kin__array_len(items); i++)
        kin_object_unref(items[i]);
    assert_int_equal(kin_test_items_live(), 0);
}

static void a_check_needs_no_memory(void **state)
{
    struct world w;
    const kin_object *item = kin_test_item("a", 1, NULL);

    (void)state;
    setup(&w);
    add(&w, item);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_code(kin_mutation_detector_check(w.detector, NULL, NULL), 0);
    add(&w, item);
    assert_int_equal(kin_test_alloc_count(), 0);
    kin_test_alloc_disarm();
    kin_object_unref(item);
    teardown(&w);
}

/* --- fork --- */

static int in_child(void *arg)
{
    kin_mutation_detector *detector = arg;
    const kin_object *item = kin_test_item("a", 1, NULL);

    if (kin_mutation_detector_add(detector, item, NULL) != KIN_EFORKED)
        return 1;
    if (kin_mutation_detector_check(detector, NULL, NULL) != KIN_EFORKED)
        return 2;
    if (kin_mutation_detector_len(detector) != 0)
        return 3;
    kin_mutation_detector_free(detector);
    return 0;
}

static void a_forked_child_only_frees(void **state)
{
    struct world w;
    const kin_object *item = kin_test_item("a", 1, NULL);
    kin_test_child child;

    (void)state;
    setup(&w);
    add(&w, item);
    kin_object_unref(item);
    kin_test_run_child(&child, in_child, w.detector);
    assert_int_equal(child.exit_code, 0);
    assert_int_equal(kin_mutation_detector_len(w.detector), 1);
    teardown(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_is_found_and_told_once),
        cmocka_unit_test(a_write_before_it_is_added_again_is_found),
        cmocka_unit_test(without_a_hash_key_and_version_count),
        cmocka_unit_test(every_byte_of_a_document_counts),
        cmocka_unit_test(so_do_the_values_that_documents_share),
        cmocka_unit_test(tombstones_are_not_watched),
        cmocka_unit_test(objects_are_forgotten_after_a_last_look),
        cmocka_unit_test(the_default_is_two_minutes),
        cmocka_unit_test(it_does_not_grow_where_nobody_checks),
        cmocka_unit_test(the_function_may_use_the_detector),
        cmocka_unit_test(two_checks_at_once_tell_a_change_once),
        cmocka_unit_test(a_check_ends_where_it_began),
        cmocka_unit_test(objects_are_destroyed_without_the_lock),
        cmocka_unit_test(the_environment_can_ask_for_it),
        cmocka_unit_test(wrong_arguments_are_told),
        cmocka_unit_test(threads_add_and_check),
        cmocka_unit_test(a_failed_allocation_leaves_the_detector_as_it_was),
        cmocka_unit_test(a_check_needs_no_memory),
        cmocka_unit_test(a_forked_child_only_frees),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
