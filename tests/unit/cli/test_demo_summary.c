/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of kinform demo. */
#include "kin_test.h"

#include <string.h>

#include "cli/demo_summary.h"
#include "cli/print/table.h"
#include "demo_sample.h"

typedef void add_fn(struct text *out, const struct demo_figures *f);

static void expect(add_fn *add, const struct demo_figures *f, const char *expected)
{
    struct text out = TEXT_INIT;

    add(&out, f);
    assert_string_equal(text_string(&out), expected);
    text_done(&out);
}

static void the_beginning_names_the_kubeconfig(void **state)
{
    struct demo_figures f = sample_figures();

    (void)state;
    expect(
        demo_add_beginning, &f,
        "kinform demo: a simulated cluster at http://127.0.0.1:4321, and informers that follow it\n"
        "kubectl works on it, too, as long as this runs: "
        "export KUBECONFIG=/tmp/kinform-AbCdEf/kubeconfig\n");
    expect(demo_add_synced, &f, "synced: 5 informers have 1,233 objects after 22 ms\n");
}

static void progress_has_the_last_change(void **state)
{
    struct demo_figures f = sample_figures();

    (void)state;
    f.n_changes = 2;
    expect(demo_add_progress, &f,
           "   8s  1,234 objects, 120 events, 15.0/s, queued 3, lag 0.2 ms, memory 31 MiB\n"
           "       15:04:06 ~ pod shop/cart-1  status.phase: Pending → Running\n");
    f.n_changes = 0;
    expect(demo_add_progress, &f,
           "   8s  1,234 objects, 120 events, 15.0/s, queued 3, lag 0.2 ms, memory 31 MiB\n");
}

static void long_changes_are_cut(void **state)
{
    struct demo_figures f = sample_figures();
    char details[400];
    const struct demo_change change = {KIN_EVENT_UPDATE, "15:04:06 ~ pod a/b", details};
    struct text out = TEXT_INIT;

    (void)state;
    memset(details, 'x', sizeof(details) - 1);
    details[sizeof(details) - 1] = '\0';
    f.changes = &change;
    f.n_changes = 1;
    demo_add_progress(&out, &f);
    const char *line = strchr(text_string(&out), '\n') + 1;
    assert_string_equal(line + strlen(line) - 5, "x…\n");
    assert_int_equal(display_width(kin_str_make(line, strlen(line) - 1)), 121);
    text_done(&out);
}

static void the_summary_has_all_figures(void **state)
{
    struct demo_figures f = sample_figures();

    (void)state;
    expect(
        demo_add_summary, &f,
        "INFORMER      OBJECTS   EVENTS   EVENTS/S   LONGEST LAG   B/OBJECT   AS JSON\n"
        "pods          1,200     100      11.8       3.4 ms        520        8,400\n"
        "nodes         10        1        0.1        <0.1 ms       280        3,232\n"
        "deployments   12        9        1.1        -             204        3,763\n"
        "replicasets   12        10       1.2        -             213        3,486\n"
        "leases        0         0        0.0        -             0          0\n"
        "all           1,234     120      14.1       3.4 ms        511        8,265\n"
        "\n"
        "Ran for 8.5 s. Asked for 10 changes per second, the simulated cluster has written 95 times "
        "(11.2/s),\n"
        "Events included, which no informer follows here. The informers were told of 120 changes, of "
        "these 52 heartbeats.\n"
        "Synced 1,233 objects in 22 ms.\n"
        "Heartbeats were told 0.6 ms after they were due (median of 52; longest 5.3 ms),\n"
        "which includes what the simulated cluster was late itself.\n"
        "The process takes 31 MiB of memory, the API server included.\n"
        "B/OBJECT is what an object takes for itself. What objects have in common, those of the\n"
        "API server and their past versions included, takes 84 KiB.\n");
}

static void the_median_is_of_those_that_are_kept(void **state)
{
    struct demo_figures f = sample_figures();
    struct text out = TEXT_INIT;

    (void)state;
    f.latency.n = 103911;
    f.latency.n_kept = 4096;
    demo_add_summary(&out, &f);
    assert_non_null(strstr(text_string(&out), "of these 103,911 heartbeats.\n"));
    assert_non_null(strstr(text_string(&out), "(median of the last 4,096; longest of all 5.3 ms)"));
    text_done(&out);
}

static void no_heartbeat_is_no_latency(void **state)
{
    struct demo_figures f = sample_figures();
    struct text out = TEXT_INIT;

    (void)state;
    f.latency.n = 0;
    demo_add_summary(&out, &f);
    assert_null(strstr(text_string(&out), "Heartbeats"));
    assert_non_null(strstr(text_string(&out), "of these 0 heartbeats"));
    assert_non_null(strstr(text_string(&out), "22 ms.\nThe process"));
    text_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_beginning_names_the_kubeconfig),
        cmocka_unit_test(progress_has_the_last_change),
        cmocka_unit_test(long_changes_are_cut),
        cmocka_unit_test(the_summary_has_all_figures),
        cmocka_unit_test(the_median_is_of_those_that_are_kept),
        cmocka_unit_test(no_heartbeat_is_no_latency),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
