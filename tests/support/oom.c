/* SPDX-License-Identifier: Apache-2.0 */
#include "oom.h"

#include <sched.h>
#include <time.h>

#include "alloc.h"
#include "kin_test.h"

/* More allocations than this are no scenario but a load test. */
#define MAX_ALLOCATIONS 100000

/*
 * Another thread may still have to release something that a run has left to it. So growth counts if it
 * lasts, and fewer allocations than before mean only that such a release came late.
 */
static bool is_leak(size_t before)
{
    time_t end = time(NULL) + 5;

    while (kin_test_alloc_live() > before && time(NULL) < end)
        sched_yield();
    return kin_test_alloc_live() > before;
}

static const char *run_with_failure(kin_test_scenario *scenario, void *arg, size_t n,
                                    enum kin_test_alloc_mode mode, bool *ret_reached, char *text,
                                    size_t size)
{
    size_t before = kin_test_alloc_live();
    kin_error err = KIN_ERROR_INIT;

    kin_test_alloc_arm(n, mode);
    int code = scenario(arg, &err);
    *ret_reached = kin_test_alloc_disarm();

    const char *how = mode == KIN_TEST_FAIL_ONE ? "" : " and all behind it";
    if (is_leak(before))
        snprintf(text, size, "allocation %zu%s failed: %zu allocations before, %zu after", n, how,
                 before, kin_test_alloc_live());
    else if (code != 0 && !*ret_reached)
        snprintf(text, size, "no allocation failed, and it gave %s: %s", kin_error_name(code),
                 err.message);
    else if (code != 0 && code != KIN_ENOMEM)
        snprintf(text, size, "allocation %zu%s failed: it gave %s: %s", n, how,
                 kin_error_name(code), err.message);
    else if (code == KIN_ENOMEM && (err.code != KIN_ENOMEM || !err.message[0]))
        snprintf(text, size, "allocation %zu%s failed: KIN_ENOMEM, but the error says %s \"%s\"", n,
                 how, kin_error_name(err.code), err.message);
    else
        return NULL;
    return text;
}

const char *kin_test_find_oom_defect(kin_test_scenario *scenario, void *arg, char *text,
                                     size_t size)
{
    static const enum kin_test_alloc_mode modes[] = {KIN_TEST_FAIL_ONE, KIN_TEST_FAIL_REST};
    bool reached;
    const char *defect =
        run_with_failure(scenario, arg, 0, KIN_TEST_FAIL_ONE, &reached, text, size);

    if (!defect && kin_test_alloc_count() == 0) {
        snprintf(text, size, "the scenario allocates nothing: it tests nothing");
        return text;
    }
    for (size_t m = 0; !defect && m < sizeof(modes) / sizeof(modes[0]); m++) {
        reached = true;
        /* Until the scenario ends before the failing allocation comes. */
        for (size_t n = 1; !defect && reached; n++) {
            if (n > MAX_ALLOCATIONS) {
                snprintf(text, size, "more than %d allocations", MAX_ALLOCATIONS);
                return text;
            }
            defect = run_with_failure(scenario, arg, n, modes[m], &reached, text, size);
        }
    }
    return defect;
}

void kin_test_fail_each_allocation(kin_test_scenario *scenario, void *arg)
{
    char text[1024];
    const char *defect = kin_test_find_oom_defect(scenario, arg, text, sizeof(text));

    if (defect)
        fail_msg("%s", defect);
}
