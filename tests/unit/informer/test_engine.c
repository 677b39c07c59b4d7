/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines: whose workers and whose clock.
 */
#include "client_support.h"

#include "alloc.h"
#include "client/client.h"
#include "informer/engine.h"
#include "kinform/list_watch.h"
#include "oom.h"
#include "source.h"

static void a_clients_source_uses_the_clients_workers(void **state)
{
    kin_clock *other = client_fake_clock();
    kin_list_watch *source = NULL;
    kin__engine *engine = NULL;
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    assert_code(kin_client_list_watch(f.client, &source, f.pods, NULL, NULL), 0);
    assert_code(kin__engine_of(&engine, source, NULL, NULL), 0);
    assert_ptr_equal(kin__engine_workers(engine), f.client->workers);
    assert_ptr_equal(kin__engine_clock(engine), f.client->clock);
    kin__engine_unref(engine);
    assert_code(kin__engine_of(&engine, source, kin_clock_system(), NULL), 0);
    assert_ptr_equal(kin__engine_workers(engine), f.client->workers);
    /* Alarms go by the workers' clock: another one needs others. */
    kin__engine_unref(engine);
    assert_code(kin__engine_of(&engine, source, other, NULL), 0);
    assert_ptr_not_equal(kin__engine_workers(engine), f.client->workers);
    assert_ptr_equal(kin__engine_clock(engine), other);
    kin__engine_unref(engine);
    kin_list_watch_unref(source);
    kin_clock_unref(other);
    client_close(&f);
}

/* The workers outlive the client's handle as long as somebody may post to them. */
static void an_engine_keeps_the_workers(void **state)
{
    kin_list_watch *source = NULL;
    kin__engine *engine = NULL;
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    assert_code(kin_client_list_watch(f.client, &source, f.pods, NULL, NULL), 0);
    assert_code(kin__engine_of(&engine, source, NULL, NULL), 0);
    kin_list_watch_unref(source);
    kin_client_free(f.client);
    f.client = NULL;
    assert_code(kin__workers_start(kin__engine_workers(engine), NULL), KIN_ECLOSED);
    assert_ptr_equal(kin__engine_ref(engine), engine);
    kin__engine_unref(engine);
    kin__engine_unref(engine);
    client_close(&f);
}

static void another_source_has_workers_of_its_own(void **state)
{
    kin_test_source *source = kin_test_source_new(false);
    kin__engine *engine = NULL;

    (void)state;
    assert_code(kin__engine_of(&engine, kin_test_source_list_watch(source), NULL, NULL), 0);
    assert_ptr_equal(kin__engine_clock(engine), kin_clock_system());
    /* No thread before the first start. */
    assert_int_equal(kin__workers_count(kin__engine_workers(engine)), 0);
    assert_code(kin__workers_start(kin__engine_workers(engine), NULL), 0);
    assert_int_equal(kin__workers_count(kin__engine_workers(engine)), 1);
    kin__engine_unref(engine);
    kin__engine_unref(NULL);
    kin_test_source_free(source);
}

static int make(void *arg, kin_error *err)
{
    kin__engine *engine = NULL;
    int code = kin__engine_new(&engine, NULL, err);

    (void)arg;
    kin__engine_unref(engine);
    return code;
}

static void survives_without_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(make, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(a_clients_source_uses_the_clients_workers),
        client_test(an_engine_keeps_the_workers),
        client_test(another_source_has_workers_of_its_own),
        client_test(survives_without_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
