/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reflectors over a real kube-apiserver: streaming lists as it has them, pages, a version that was
 * compacted away, and a server that is restarted. After quiet, the store has what a list has.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "real_support.h"

struct follower {
    real r;
    kin_list_watch *source;
    kin_store *store;
    kin_reflector *reflector;
};

static void follow(struct follower *f, const char *namespace_, const kin_reflector_options *given)
{
    kin_list_watch_options scope = KIN_LIST_WATCH_OPTIONS_INIT;
    kin_reflector_options options = KIN_REFLECTOR_OPTIONS_INIT;
    kin_reflector_store into = KIN_REFLECTOR_STORE_INIT;
    kin_error err = KIN_ERROR_INIT;

    real_open(&f->r, namespace_);
    scope.namespace_ = namespace_;
    assert_code(kin_client_list_watch(f->r.client, &f->source, f->r.configmaps, &scope, &err), 0);
    assert_code(kin_store_new(&f->store, NULL, &err), 0);
    assert_code(kin_store_reflector_store(&into, f->store), 0);
    if (given)
        options = *given;
    options.backoff_max_ms = 1000; /* a server that starts is not worth a minute of ours */
    options.kind = "ConfigMap";
    options.api_version = "v1";
    assert_code(kin_reflector_new(&f->reflector, f->source, &into, &options, &err), 0);
}

static void leave(struct follower *f)
{
    kin_reflector_free(f->reflector);
    kin_store_unref(f->store);
    kin_list_watch_unref(f->source);
    real_close(&f->r);
}

static kin_reflector_status status_of(struct follower *f)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;

    assert_code(kin_reflector_get_status(f->reflector, &status, NULL), 0);
    return status;
}

static int put_aside(const kin_object *object, void *arg, kin_error *err)
{
    return kin_store_add(arg, object, err);
}

/* Whether both have the same keys in the same versions. */
static bool is_same(kin_store *a, kin_store *b)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    bool same = kin_store_len(a) == kin_store_len(b);

    assert_code(kin_store_list(a, &list, NULL), 0);
    for (size_t i = 0; i < list.len && same; i++) {
        const kin_object *other = NULL;

        same = kin_store_get_object(b, &other, list.items[i], NULL) == 0 &&
               kin_str_equal(kin_object_resource_version(list.items[i]),
                             kin_object_resource_version(other));
        kin_object_unref(other);
    }
    kin_object_list_done(&list);
    return same;
}

/* Until the store has what the server has. */
static void await_same(struct follower *f)
{
    int64_t begun = kin_clock_now(kin_clock_system());
    kin_store *listed = NULL;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_store_new(&listed, NULL, NULL), 0);
    assert_code(kin_client_list(f->r.client, NULL, f->r.configmaps, f->r.namespace_, put_aside,
                                listed, NULL, &err),
                0);
    while (!is_same(listed, f->store)) {
        if (kin_clock_now(kin_clock_system()) - begun > 120 * KIN__SECOND)
            fail_msg("the store is not as the server: %s", status_of(f).last_error.message);
        sched_yield();
    }
    kin_store_unref(listed);
}

static void change_some(struct follower *f, unsigned round)
{
    char name[32];

    for (unsigned i = 0; i < 5; i++) {
        snprintf(name, sizeof(name), "cm-%u-%u", round, i);
        real_create_configmap(&f->r, name, "1");
    }
    snprintf(name, sizeof(name), "cm-%u-1", round);
    real_set_configmap(&f->r, name, "2");
    snprintf(name, sizeof(name), "cm-%u-2", round);
    real_delete_configmap(&f->r, name);
}

static void follows_by_streaming_lists(void **state)
{
    struct follower f;

    (void)state;
    follow(&f, "streaming", NULL);
    change_some(&f, 1);
    assert_code(kin_reflector_start(f.reflector, NULL), 0);
    await_same(&f);
    change_some(&f, 2);
    await_same(&f);

    kin_reflector_status status = status_of(&f);

    assert_int_equal(status.streams, 1);
    assert_int_equal(status.lists, 1);
    assert_int_equal(status.skipped, 0);
    /* And again, from where it was. */
    kin_reflector_stop(f.reflector);
    assert_code(kin_reflector_wait(f.reflector, -1, NULL), 0);
    change_some(&f, 3);
    assert_code(kin_reflector_start(f.reflector, NULL), 0);
    await_same(&f);
    leave(&f);
}

static void follows_by_pages(void **state)
{
    kin_reflector_options options = KIN_REFLECTOR_OPTIONS_INIT;
    struct follower f;

    (void)state;
    options.streaming_lists = KIN_STREAMING_LISTS_NEVER;
    options.page_size = 2;
    follow(&f, "pages", &options);
    change_some(&f, 1);
    change_some(&f, 2);
    assert_code(kin_reflector_start(f.reflector, NULL), 0);
    await_same(&f);
    change_some(&f, 3);
    await_same(&f);
    assert_int_equal(status_of(&f).streams, 0);
    assert_int_equal(status_of(&f).lists, 1);
    leave(&f);
}

/* A version that the server has forgotten: it says so, and all is listed. */
static void a_compacted_version_leads_to_a_list(void **state)
{
    kin_reflector_options options = KIN_REFLECTOR_OPTIONS_INIT;
    struct follower f;
    kin_reflector_status status;

    (void)state;
    options.resource_version = "2"; /* of before there was anything */
    follow(&f, "compacted", &options);
    change_some(&f, 1);
    real_order("compact");
    real_order("restart"); /* its cache remembers more than etcd */
    assert_code(kin_reflector_start(f.reflector, NULL), 0);
    await_same(&f);
    status = status_of(&f);
    assert_int_equal(status.last_error.http_status, 410);
    assert_int_equal(status.relists, 1);
    change_some(&f, 2);
    await_same(&f);
    leave(&f);
}

static void goes_on_when_the_server_is_back(void **state)
{
    struct follower f;

    (void)state;
    follow(&f, "restarted", NULL);
    change_some(&f, 1);
    assert_code(kin_reflector_start(f.reflector, NULL), 0);
    await_same(&f);
    real_order("restart");
    change_some(&f, 2);
    await_same(&f);
    /* The list may be there a moment before that is told. */
    while (status_of(&f).state != KIN_REFLECTOR_WATCHING)
        sched_yield();
    leave(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_by_streaming_lists),
        cmocka_unit_test(follows_by_pages),
        cmocka_unit_test(goes_on_when_the_server_is_back),
        cmocka_unit_test(a_compacted_version_leads_to_a_list),
    };

    return run_real_tests(tests);
}
