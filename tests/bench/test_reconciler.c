/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-reconciler against the embedded API server: both modes keep the protocol and count what
 * was done; what it cannot measure leaves no figures, and no files stay.
 */
#include "bench_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct server {
    struct child child;
    char url[128];
};

static void server_start(struct server *s)
{
    static const char *const args[] = {"serve", NULL};
    char line[200];

    child_start(&s->child, program_path("KIN_BENCH_APISERVER", "kin-bench-apiserver"), args, -1);
    child_read(s->child.out, line, sizeof(line), true);
    assert_int_equal(sscanf(line, "listening %127s", s->url), 1);
}

static void server_stop(struct server *s)
{
    child_close_stdin(&s->child);
    assert_int_equal(child_wait(&s->child), 0);
}

static void run_program(struct result *r, const char *const *args)
{
    run_to_end(r, program_path("KIN_BENCH_RECONCILER", "kin-bench-reconciler"), args);
}

static void assert_counted(const struct result *r, double want)
{
    if (r->status != 0 || r->err[0])
        fail_msg("it ended with %d: %s", r->status, r->err);
    assert_near(value_of(r->out, "ops") * value_of(r->out, "wall"), want);
    assert_true(fabs(value_of(r->out, "deployments") - want) < 0.5);
    assert_true(value_of(r->out, "cpu") > 0);
}

static void a_controller_does_all_of_it(void **state)
{
    struct server s;
    const char *const args[] = {"controller",
                                "--url",
                                s.url,
                                "--program",
                                program_path("KIN_CONTROLLER", "kinform-controller"),
                                "--deployments",
                                "40",
                                NULL};
    struct result r;

    (void)state;
    server_start(&s);
    run_program(&r, args);
    assert_counted(&r, 40);
    /* They are there already. */
    run_program(&r, args);
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    assert_non_null(strstr(r.err, "already exists"));
    server_stop(&s);
}

static void so_do_threads(void **state)
{
    struct server s;
    const char *const args[] = {"writes", "--url",     s.url, "--deployments",
                                "40",     "--threads", "3",   NULL};
    struct result r;

    (void)state;
    server_start(&s);
    run_program(&r, args);
    assert_counted(&r, 40);
    server_stop(&s);
}

static void a_program_that_is_no_controller_has_no_figures(void **state)
{
    struct server s;
    const char *const args[] = {"controller", "--url",         s.url, "--program",
                                "/bin/true",  "--deployments", "2",   NULL};
    struct result r;

    (void)state;
    server_start(&s);
    run_program(&r, args);
    assert_int_equal(r.status, 1);
    assert_string_equal(r.out, "");
    assert_non_null(strstr(r.err, "/bin/true does not run"));
    server_stop(&s);
}

static void refuses_what_it_does_not_know(void **state)
{
    static const char *const cases[][8] = {
        {NULL},
        {"writes", NULL},
        {"controller", "--url", "http://127.0.0.1:1", NULL},
        {"writes", "--url", "http://127.0.0.1:1", "--program", "x", NULL},
        {"watch", "--url", "http://127.0.0.1:1", NULL},
        {"writes", "--url", "http://127.0.0.1:1", "--deployments", "0", NULL},
        {"writes", "--url", "http://127.0.0.1:1", "--pods", "1", NULL},
    };
    struct result r;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run_program(&r, cases[i]);
        assert_int_not_equal(r.status, 0);
        assert_string_equal(r.out, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_controller_does_all_of_it),
        cmocka_unit_test(so_do_threads),
        cmocka_unit_test(a_program_that_is_no_controller_has_no_figures),
        cmocka_unit_test(refuses_what_it_does_not_know),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
