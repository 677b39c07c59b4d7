/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines: whose workers and whose clock.
 */
#include "client_support.h"

#include "alloc.h"
#include "client/client.h"
#include "informer/shared_workers.h"
#include "kinform/list_watch.h"
#include "oom.h"
#include "source.h"

static void a_clients_source_uses_the_clients_workers(void **state)
{
    kin_clock *other = client_fake_clock();
    kin_list_watch *source = NULL;
    kin__shared_workers *shared_workers = NULL;
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    assert_code(kin_client_list_watch(f.client, &source, f.pods, NULL, NULL), 0);
    assert_code(kin__shared_workers_of(&shared_workers, source, NULL, NULL), 0);
    assert_ptr_equal(kin__shared_workers_pool(shared_workers), f.client->workers);
    assert_ptr_equal(kin__shared_workers_clock(shared_workers), f.client->clock);
    kin__shared_workers_unref(shared_workers);
    assert_code(kin__shared_workers_of(&shared_workers, source, kin_clock_system(), NULL), 0);
    assert_ptr_equal(kin__shared_workers_pool(shared_workers), f.client->workers);
    /* Alarms go by the workers' clock: another one needs others. */
    kin__shared_workers_unref(shared_workers);
    assert_code(kin__shared_workers_of(&shared_workers, source, other, NULL), 0);
    assert_ptr_not_equal(kin__shared_workers_pool(shared_workers), f.client->workers);
    assert_ptr_equal(kin__shared_workers_clock(shared_workers), other);
    kin__shared_workers_unref(shared_workers);
    kin_list_watch_unref(source);
    kin_clock_unref(other);
    client_close(&f);
}

/* The workers outlive the client's handle as long as somebody may post to them. */
static void an_engine_keeps_the_workers(void **state)
{
    kin_list_watch *source = NULL;
    kin__shared_workers *shared_workers = NULL;
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    assert_code(kin_client_list_watch(f.client, &source, f.pods, NULL, NULL), 0);
    assert_code(kin__shared_workers_of(&shared_workers, source, NULL, NULL), 0);
    kin_list_watch_unref(source);
    kin_client_free(f.client);
    f.client = NULL;
    assert_code(kin__workers_start(kin__shared_workers_pool(shared_workers), NULL), KIN_ECLOSED);
    assert_ptr_equal(kin__shared_workers_ref(shared_workers), shared_workers);
    kin__shared_workers_unref(shared_workers);
    kin__shared_workers_unref(shared_workers);
    client_close(&f);
}

static void another_source_has_workers_of_its_own(void **state)
{
    kin_test_source *source = kin_test_source_new(false);
    kin__shared_workers *shared_workers = NULL;

    (void)state;
    assert_code(
        kin__shared_workers_of(&shared_workers, kin_test_source_list_watch(source), NULL, NULL), 0);
    assert_ptr_equal(kin__shared_workers_clock(shared_workers), kin_clock_system());
    /* No thread before the first start. */
    assert_int_equal(kin__workers_count(kin__shared_workers_pool(shared_workers)), 0);
    assert_code(kin__workers_start(kin__shared_workers_pool(shared_workers), NULL), 0);
    assert_int_equal(kin__workers_count(kin__shared_workers_pool(shared_workers)), 1);
    kin__shared_workers_unref(shared_workers);
    kin__shared_workers_unref(NULL);
    kin_test_source_free(source);
}

static int make(void *arg, kin_error *err)
{
    kin__shared_workers *shared_workers = NULL;
    int code = kin__shared_workers_new(&shared_workers, NULL, err);

    (void)arg;
    kin__shared_workers_unref(shared_workers);
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
