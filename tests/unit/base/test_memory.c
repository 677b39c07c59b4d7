/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allocator hook and the checked allocations.
 *
 * The hook can be set only before the first allocation of a process, so most tests run
 * in a forked child each: as long as the parent has allocated nothing, every child
 * starts fresh. The tests of the second group use the default allocator, in the parent,
 * and therefore run last.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "child.h"

/* In a child: one of cmocka's assertions would jump back into the parent's list of tests. */
#define check(cond)                                                                                \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #cond);                   \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

/* --- an allocator that writes down what it is asked for --- */

#define LARGEST (64u << 20) /* more than this is "out of memory" */

static struct record {
    size_t allocs;
    size_t reallocs;
    size_t frees;
    size_t last_size;
    const void *last_ptr; /* of realloc and free */
    size_t zero_sizes;
    size_t null_frees;
    size_t foreign_args;
    size_t others; /* calls of another allocator */
    bool no_memory;
} seen;

static int hook_arg;

static bool note(size_t size, const void *arg)
{
    seen.last_size = size;
    seen.zero_sizes += size == 0;
    seen.foreign_args += arg != &hook_arg;
    return size <= LARGEST && !seen.no_memory;
}

/* Never zeroed by chance. */
static void *record_alloc(size_t size, void *arg)
{
    seen.allocs++;
    void *ptr = note(size, arg) ? malloc(size) : NULL;
    return ptr ? memset(ptr, 0xa5, size) : NULL;
}

static void *record_realloc(void *ptr, size_t size, void *arg)
{
    seen.reallocs++;
    seen.last_ptr = ptr;
    return note(size, arg) ? realloc(ptr, size) : NULL;
}

static void record_free(void *ptr, void *arg)
{
    seen.frees++;
    seen.last_ptr = ptr;
    seen.null_frees += ptr == NULL;
    seen.foreign_args += arg != &hook_arg;
    free(ptr);
}

static void *other_alloc(size_t size, void *arg)
{
    (void)arg;
    seen.others++;
    return malloc(size);
}

static kin_allocator recorder(void)
{
    kin_allocator allocator = KIN_ALLOCATOR_INIT;

    allocator.alloc = record_alloc;
    allocator.realloc = record_realloc;
    allocator.free = record_free;
    allocator.arg = &hook_arg;
    return allocator;
}

static kin_allocator other_allocator(void *(*alloc)(size_t size, void *arg))
{
    kin_allocator allocator = recorder();

    allocator.alloc = alloc;
    return allocator;
}

static int install(void)
{
    kin_allocator allocator = recorder();
    int code = kin_set_allocator(&allocator, NULL);

    memset(&allocator, 0, sizeof(allocator)); /* it was COPIED */
    return code;
}

static int grow(void **array, size_t *cap, size_t need, size_t elem_size)
{
    void *grown = kin__grow_array(*array, cap, need, elem_size);

    if (grown)
        *array = grown;
    return grown ? 0 : KIN_ENOMEM;
}

static bool rules_were_kept(void)
{
    return seen.zero_sizes == 0 && seen.null_frees == 0 && seen.foreign_args == 0;
}

/* --- the hook --- */

static int everything_goes_through_the_hook(void *arg)
{
    (void)arg;
    check(install() == 0);
    void *a = kin__malloc(10);
    check(a && seen.allocs == 1 && seen.last_size == 10);
    void *b = kin__calloc(3, 7);
    check(b && seen.allocs == 2 && seen.last_size == 21);
    char *c = kin__memdup_str(kin_str_of("pods"));
    check(c && seen.allocs == 3 && seen.last_size == 5);
    void *d = kin__realloc_array(NULL, 5, 4);
    check(d && seen.reallocs == 1 && seen.last_size == 20 && !seen.last_ptr);
    uintptr_t old = (uintptr_t)d;
    d = kin__realloc_array(d, 6, 4);
    check(d && seen.reallocs == 2 && seen.last_size == 24 && (uintptr_t)seen.last_ptr == old);
    void *e = NULL;
    size_t cap = 0;
    check(grow(&e, &cap, 100, 3) == 0 && seen.reallocs == 3);
    check(seen.last_size == cap * 3);

    kin__free(a);
    check(seen.frees == 1 && seen.last_ptr == a);
    kin_free(b);
    check(seen.frees == 2 && seen.last_ptr == b);
    kin_free(c);
    kin__free(d);
    kin__free(e);
    check(seen.frees == 5 && seen.allocs == 3 && seen.reallocs == 3);
    check(rules_were_kept());
    return 0;
}

static int the_hook_never_sees_a_size_of_0_nor_frees_null(void *arg)
{
    (void)arg;
    check(install() == 0);
    void *ptrs[] = {
        kin__malloc(0),
        kin__calloc(0, 8),
        kin__calloc(8, 0),
        kin__calloc(0, SIZE_MAX),
        kin__realloc_array(NULL, 0, 8),
        kin__realloc_array(kin__malloc(8), 0, 8),
        kin__realloc_array(NULL, 8, 0),
        kin__memdup_str(kin_str_make(NULL, 0)),
    };
    for (size_t i = 0; i < kin__array_len(ptrs); i++) {
        check(ptrs[i]); /* NULL always means failure */
        kin__free(ptrs[i]);
    }
    check(seen.frees == kin__array_len(ptrs));
    kin__free(NULL);
    kin_free(NULL);
    check(seen.frees == kin__array_len(ptrs));
    check(rules_were_kept());
    return 0;
}

static int wrong_allocators_are_refused(void *arg)
{
    kin_allocator wrong[5];
    kin_error err = KIN_ERROR_INIT;

    (void)arg;
    for (size_t i = 0; i < kin__array_len(wrong); i++)
        wrong[i] = recorder();
    wrong[0].alloc = NULL;
    wrong[1].realloc = NULL;
    wrong[2].free = NULL;
    wrong[3].size = 0;
    wrong[4].size = sizeof(kin_allocator) - 1;
    for (size_t i = 0; i < kin__array_len(wrong); i++) {
        kin_error_clear(&err);
        check(kin_set_allocator(&wrong[i], &err) == KIN_EINVAL);
        check(err.code == KIN_EINVAL && err.message[0]);
        check(kin_set_allocator(&wrong[i], NULL) == KIN_EINVAL);
    }
    kin_error_clear(&err);
    check(kin_set_allocator(NULL, &err) == KIN_EINVAL);
    check(err.code == KIN_EINVAL && err.message[0]);

    /* None of them is in force, and none counts as an allocation. */
    void *ptr = kin__malloc(1);
    kin__free(ptr);
    check(ptr && seen.allocs == 0 && seen.frees == 0);
    return 0;
}

static int a_refused_allocator_does_not_spoil_the_next(void *arg)
{
    (void)arg;
    check(kin_set_allocator(NULL, NULL) == KIN_EINVAL);
    check(install() == 0);
    kin__free(kin__malloc(1));
    check(seen.allocs == 1 && seen.frees == 1);
    return 0;
}

static int a_success_leaves_the_error_alone(void *arg)
{
    kin_allocator allocator = recorder();
    kin_error err = KIN_ERROR_INIT;

    (void)arg;
    kin_error_set(&err, KIN_EPARSE, "from before");
    check(kin_set_allocator(&allocator, &err) == 0);
    check(err.code == KIN_EPARSE && strcmp(err.message, "from before") == 0);
    return 0;
}

/* Of a newer header: what we don't know is not looked at. */
static int a_larger_allocator_is_taken(void *arg)
{
    struct {
        kin_allocator known;
        void *unknown[4];
    } allocator;

    (void)arg;
    memset(&allocator, 0xa5, sizeof(allocator));
    allocator.known = recorder();
    allocator.known.size = sizeof(allocator);
    check(kin_set_allocator(&allocator.known, NULL) == 0);
    kin__free(kin__malloc(1));
    check(seen.allocs == 1 && seen.frees == 1 && rules_were_kept());
    return 0;
}

static int the_last_allocator_set_in_time_is_in_force(void *arg)
{
    kin_allocator other = other_allocator(other_alloc);

    (void)arg;
    check(kin_set_allocator(&other, NULL) == 0);
    check(install() == 0);
    kin__free(kin__malloc(1));
    check(seen.others == 0 && seen.allocs == 1 && seen.frees == 1);
    return 0;
}

static int what_allocates_nothing_is_not_too_early(void *arg)
{
    kin_error err = KIN_ERROR_INIT;

    (void)arg;
    kin_free(NULL);
    kin__free(NULL);
    kin_error_set(&err, KIN_EINVAL, "%f", 0.5);
    kin_error_clear(&err);
    check(install() == 0);
    return 0;
}

/* One of each kind: the first allocation, in each of its forms, closes the door. */
static int allocate(int how)
{
    void *ptr = NULL;
    size_t cap = 0;

    switch (how) {
    case 0:
        ptr = kin__malloc(1);
        break;
    case 1:
        ptr = kin__calloc(1, 1);
        break;
    case 2:
        ptr = kin__realloc_array(NULL, 1, 1);
        break;
    case 3:
        ptr = kin__memdup_str(kin_str_of("x"));
        break;
    default:
        grow(&ptr, &cap, 1, 1);
        break;
    }
    check(ptr);
    kin__free(ptr);
    return 0;
}

#define WAYS_TO_ALLOCATE 5

static int it_is_too_late_after_the_first_allocation(void *arg)
{
    kin_error err = KIN_ERROR_INIT;

    check(allocate(*(int *)arg) == 0);
    kin_allocator allocator = recorder();
    check(kin_set_allocator(&allocator, &err) == KIN_EBUSY);
    check(err.code == KIN_EBUSY && err.message[0]);
    check(kin_set_allocator(&allocator, NULL) == KIN_EBUSY);
    check(allocate(0) == 0);
    check(seen.allocs == 0 && seen.frees == 0);
    return 0;
}

static int it_is_too_late_for_a_second_one_as_well(void *arg)
{
    kin_allocator other = other_allocator(other_alloc);

    check(install() == 0);
    check(allocate(*(int *)arg) == 0);
    check(kin_set_allocator(&other, NULL) == KIN_EBUSY);
    check(allocate(0) == 0);
    check(seen.others == 0);
    return 0;
}

static int a_failed_allocation_is_a_use_too(void *arg)
{
    (void)arg;
    check(install() == 0);
    seen.no_memory = true;
    check(kin__malloc(1) == NULL);
    check(install() == KIN_EBUSY);
    return 0;
}

/* --- overflow and out of memory --- */

static int sizes_that_overflow_never_reach_the_hook(void *arg)
{
    static const size_t pairs[][2] = {
        {SIZE_MAX, 2},
        {2, SIZE_MAX},
        {SIZE_MAX, SIZE_MAX},
        {SIZE_MAX / 2 + 1, 2},
        {(size_t)1 << (sizeof(size_t) * 4), (size_t)1 << (sizeof(size_t) * 4)},
    };

    (void)arg;
    check(install() == 0);
    char *old = kin__realloc_array(NULL, 4, 1);
    check(old);
    memcpy(old, "old", 4);
    for (size_t i = 0; i < kin__array_len(pairs); i++) {
        check(kin__calloc(pairs[i][0], pairs[i][1]) == NULL);
        check(kin__realloc_array(NULL, pairs[i][0], pairs[i][1]) == NULL);
        check(kin__realloc_array(old, pairs[i][0], pairs[i][1]) == NULL);
    }
    check(kin__memdup_str(kin_str_make("x", SIZE_MAX)) == NULL);
    check(seen.allocs == 0 && seen.reallocs == 1 && seen.frees == 0);
    check(memcmp(old, "old", 4) == 0);
    kin__free(old);
    return 0;
}

static int the_largest_sizes_that_do_not_overflow_do(void *arg)
{
    (void)arg;
    check(install() == 0);
    check(kin__malloc(SIZE_MAX) == NULL && seen.last_size == SIZE_MAX);
    check(kin__calloc(SIZE_MAX, 1) == NULL && seen.last_size == SIZE_MAX);
    check(kin__calloc(1, SIZE_MAX) == NULL && seen.last_size == SIZE_MAX);
    check(kin__calloc(SIZE_MAX / 2, 2) == NULL && seen.last_size == SIZE_MAX - 1);
    check(kin__realloc_array(NULL, SIZE_MAX, 1) == NULL && seen.last_size == SIZE_MAX);
    check(kin__memdup_str(kin_str_make("x", SIZE_MAX - 1)) == NULL && seen.last_size == SIZE_MAX);
    check(seen.allocs == 5 && seen.reallocs == 1);
    return 0;
}

static int no_memory_is_null_and_the_old_array_stays(void *arg)
{
    void *array = NULL;
    size_t cap = 0;

    (void)arg;
    check(install() == 0);
    check(grow(&array, &cap, 3, 1) == 0);
    memcpy(array, "old", 3);
    void *old = array;
    size_t old_cap = cap;
    seen.no_memory = true;
    check(kin__malloc(1) == NULL);
    check(kin__calloc(1, 1) == NULL);
    check(kin__memdup_str(kin_str_of("x")) == NULL);
    check(kin__realloc_array(NULL, 1, 1) == NULL);
    check(kin__realloc_array(array, 100, 1) == NULL);
    check(grow(&array, &cap, cap + 1, 1) == KIN_ENOMEM);
    check(array == old && cap == old_cap && memcmp(array, "old", 3) == 0);
    check(seen.frees == 0);
    kin__free(array);
    return 0;
}

static int calloc_zeroes_all_of_it(void *arg)
{
    (void)arg;
    check(install() == 0);
    unsigned char *array = kin__calloc(17, 13);
    check(array && seen.last_size == 17 * 13);
    for (size_t i = 0; i < 17 * 13; i++)
        check(array[i] == 0);
    kin__free(array);
    return 0;
}

/* --- growth --- */

static int enough_room_needs_no_growth(void *arg)
{
    void *array = NULL;
    size_t cap = 0;

    (void)arg;
    check(install() == 0);
    check(grow(&array, &cap, 0, 8) == 0 && array && seen.reallocs == 1); /* NULL is failure */
    kin__free(array);
    array = NULL;
    cap = 0;
    seen.reallocs = 0;
    check(grow(&array, &cap, 10, 8) == 0 && cap >= 10 && seen.reallocs == 1);
    size_t before = cap;
    void *same = array;
    check(grow(&array, &cap, 0, 8) == 0);
    check(grow(&array, &cap, 10, 8) == 0);
    check(grow(&array, &cap, before, 8) == 0);
    check(cap == before && array == same && seen.reallocs == 1);
    check(grow(&array, &cap, before + 1, 8) == 0);
    check(cap >= 2 * before && seen.reallocs == 2);
    kin__free(array);
    return 0;
}

static int grow_numbers(uint32_t **array, size_t *cap, size_t need)
{
    uint32_t *grown = kin__grow_array(*array, cap, need, sizeof(*grown));

    if (grown)
        *array = grown;
    return grown ? 0 : KIN_ENOMEM;
}

static int growth_at_least_doubles_and_keeps_the_content(void *arg)
{
    uint32_t *array = NULL;
    size_t cap = 0;

    (void)arg;
    check(install() == 0);
    for (uint32_t n = 0; n < 100000; n++) {
        size_t before = cap;

        check(grow_numbers(&array, &cap, n + 1) == 0);
        check(cap > n && (cap == before || cap >= 2 * before));
        check(cap == before || seen.last_size == cap * sizeof(*array));
        array[n] = n;
    }
    for (uint32_t n = 0; n < 100000; n++)
        check(array[n] == n);
    check(seen.reallocs <= 17); /* 2^17 > 100000 */
    kin__free(array);
    return 0;
}

static int a_large_need_is_met_at_once(void *arg)
{
    void *array = NULL;
    size_t cap = 0;

    (void)arg;
    check(install() == 0);
    check(grow(&array, &cap, 1000, 3) == 0 && cap >= 1000 && seen.reallocs == 1);
    check(grow(&array, &cap, 100000, 3) == 0 && cap >= 100000 && seen.reallocs == 2);
    check(seen.last_size == cap * 3);
    kin__free(array);
    return 0;
}

/* Capacities at the end of the range; the array behind them need not exist to ask. */
static int growth_does_not_wrap_around(void *arg)
{
    static const struct {
        size_t cap;
        size_t need;
        size_t elem_size;
        size_t asked; /* 0: not asked at all */
    } rows[] = {
        {0, SIZE_MAX, 1, SIZE_MAX},
        {0, SIZE_MAX, 2, 0},
        {0, SIZE_MAX / 8 + 1, 8, 0},
        {SIZE_MAX / 2, SIZE_MAX / 2 + 1, 1, SIZE_MAX - 1},
        {SIZE_MAX / 2 + 1, SIZE_MAX / 2 + 2, 1, SIZE_MAX},
        {SIZE_MAX - 1, SIZE_MAX, 1, SIZE_MAX},
        {SIZE_MAX / 8, SIZE_MAX / 8 + 1, 8, 0},
    };

    (void)arg;
    check(install() == 0);
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        void *array = NULL;
        size_t cap = rows[i].cap;
        size_t calls = seen.reallocs;

        seen.last_size = 0;
        check(grow(&array, &cap, rows[i].need, rows[i].elem_size) == KIN_ENOMEM);
        check(!array && cap == rows[i].cap);
        check(seen.reallocs == calls + (rows[i].asked != 0));
        check(seen.last_size == rows[i].asked);
    }
    size_t cap = SIZE_MAX;
    void *array = &cap; /* any array that is there: it is large enough already */
    check(grow(&array, &cap, SIZE_MAX, 8) == 0 && cap == SIZE_MAX && array == (void *)&cap);
    return 0;
}

/* --- the frame of the first group --- */

static void run(int (*fn)(void *arg), void *arg)
{
    kin_test_child child;

    kin_test_run_child(&child, fn, arg);
    if (child.exit_code != 0)
        fail_msg("exit code %d, signal %d: %s", child.exit_code, child.signal, child.output);
}

#define IN_CHILD(name)                                                                             \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        run(name, NULL);                                                                           \
    }

IN_CHILD(everything_goes_through_the_hook)
IN_CHILD(the_hook_never_sees_a_size_of_0_nor_frees_null)
IN_CHILD(wrong_allocators_are_refused)
IN_CHILD(a_refused_allocator_does_not_spoil_the_next)
IN_CHILD(a_success_leaves_the_error_alone)
IN_CHILD(a_larger_allocator_is_taken)
IN_CHILD(the_last_allocator_set_in_time_is_in_force)
IN_CHILD(what_allocates_nothing_is_not_too_early)
IN_CHILD(a_failed_allocation_is_a_use_too)
IN_CHILD(sizes_that_overflow_never_reach_the_hook)
IN_CHILD(the_largest_sizes_that_do_not_overflow_do)
IN_CHILD(no_memory_is_null_and_the_old_array_stays)
IN_CHILD(calloc_zeroes_all_of_it)
IN_CHILD(enough_room_needs_no_growth)
IN_CHILD(growth_at_least_doubles_and_keeps_the_content)
IN_CHILD(a_large_need_is_met_at_once)
IN_CHILD(growth_does_not_wrap_around)

static void test_it_is_too_late_after_the_first_allocation(void **state)
{
    (void)state;
    for (int how = 0; how < WAYS_TO_ALLOCATE; how++) {
        run(it_is_too_late_after_the_first_allocation, &how);
        run(it_is_too_late_for_a_second_one_as_well, &how);
    }
}

/* --- the default allocator, in the parent --- */

static void default_allocator_allocates_and_frees(void **state)
{
    unsigned char *array = kin__calloc(10, 2);

    (void)state;
    assert_non_null(array);
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(array[i], 0);
    memset(array, 7, 20);
    array = kin__realloc_array(array, 1000, 2);
    assert_non_null(array);
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(array[i], 7);
    kin_free(array);

    void *ptr = kin__malloc(0);
    assert_non_null(ptr);
    kin__free(ptr);
}

static void copies_are_terminated_and_the_caller_s(void **state)
{
    char bytes[] = {'a', '\0', 'b'};
    char *copy = kin__memdup_str(kin_str_make(bytes, sizeof(bytes)));

    (void)state;
    assert_non_null(copy);
    bytes[0] = 'x';
    assert_memory_equal(copy, "a\0b", 4);
    kin_free(copy);
    copy = kin__memdup_str(kin_str_make(NULL, 0));
    assert_non_null(copy);
    assert_string_equal(copy, "");
    kin_free(copy);
}

/* What never reaches an allocator is the same with the default one. */
static void default_allocator_is_not_asked_for_sizes_that_overflow(void **state)
{
    void *array = NULL;
    size_t cap = 0;

    (void)state;
    assert_null(kin__calloc(SIZE_MAX, 2));
    assert_null(kin__realloc_array(NULL, SIZE_MAX, 2));
    assert_null(kin__memdup_str(kin_str_make("x", SIZE_MAX)));
    assert_code(grow(&array, &cap, SIZE_MAX, 2), KIN_ENOMEM);
    assert_null(array);
    assert_int_equal(cap, 0);
    assert_code(kin_set_allocator(NULL, NULL), KIN_EINVAL);
}

static void allocator_can_not_be_replaced_in_use(void **state)
{
    kin_allocator allocator = recorder();
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    kin_free(kin__malloc(1));
    assert_code(kin_set_allocator(&allocator, &err), KIN_EBUSY);
    assert_code(err.code, KIN_EBUSY);
}

int main(void)
{
    const struct CMUnitTest in_children[] = {
        cmocka_unit_test(test_everything_goes_through_the_hook),
        cmocka_unit_test(test_the_hook_never_sees_a_size_of_0_nor_frees_null),
        cmocka_unit_test(test_wrong_allocators_are_refused),
        cmocka_unit_test(test_a_refused_allocator_does_not_spoil_the_next),
        cmocka_unit_test(test_a_success_leaves_the_error_alone),
        cmocka_unit_test(test_a_larger_allocator_is_taken),
        cmocka_unit_test(test_the_last_allocator_set_in_time_is_in_force),
        cmocka_unit_test(test_what_allocates_nothing_is_not_too_early),
        cmocka_unit_test(test_it_is_too_late_after_the_first_allocation),
        cmocka_unit_test(test_a_failed_allocation_is_a_use_too),
        cmocka_unit_test(test_sizes_that_overflow_never_reach_the_hook),
        cmocka_unit_test(test_the_largest_sizes_that_do_not_overflow_do),
        cmocka_unit_test(test_no_memory_is_null_and_the_old_array_stays),
        cmocka_unit_test(test_calloc_zeroes_all_of_it),
        cmocka_unit_test(test_enough_room_needs_no_growth),
        cmocka_unit_test(test_growth_at_least_doubles_and_keeps_the_content),
        cmocka_unit_test(test_a_large_need_is_met_at_once),
        cmocka_unit_test(test_growth_does_not_wrap_around),
    };
    const struct CMUnitTest in_parent[] = {
        cmocka_unit_test(default_allocator_allocates_and_frees),
        cmocka_unit_test(copies_are_terminated_and_the_caller_s),
        cmocka_unit_test(default_allocator_is_not_asked_for_sizes_that_overflow),
        cmocka_unit_test(allocator_can_not_be_replaced_in_use),
    };
    int failed = cmocka_run_group_tests(in_children, NULL, NULL);

    return failed + cmocka_run_group_tests(in_parent, NULL, NULL);
}
