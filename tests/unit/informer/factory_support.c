/* SPDX-License-Identifier: Apache-2.0 */
#include "factory_support.h"

#include <string.h>

void kin_test_factory_init_with(kin_test_factory *f, kin_factory_options *options)
{
    kin_informer_options informers = KIN_INFORMER_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;

    memset(f, 0, sizeof(*f));
    assert_code(kin_clock_new_fake(&f->clock, 0, NULL), 0);
    for (size_t i = 0; i < KIN_TEST_FACTORY_SOURCES; i++)
        f->sources[i] = kin_test_source_new(false);
    if (options->informers)
        informers = *options->informers;
    informers.clock = f->clock;
    informers.seed = 1;
    options->informers = &informers;
    assert_code(kin_factory_new(&f->factory, NULL, options, &err), 0);
    options->informers = NULL;
}

void kin_test_factory_init(kin_test_factory *f)
{
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;

    kin_test_factory_init_with(f, &options);
}

void kin_test_factory_done(kin_test_factory *f)
{
    kin_factory_free(f->factory);
    for (size_t i = 0; i < KIN_TEST_FACTORY_SOURCES; i++)
        kin_test_source_free(f->sources[i]);
    kin_clock_unref(f->clock);
}

int kin_test_construct(kin_informer **ret, kin_client *client, const char *resource,
                       const kin_informer_options *options, void *arg, kin_error *err)
{
    kin_test_factory *f = arg;
    kin_informer_options own = *options;
    unsigned i = atomic_fetch_add(&f->n_made, 1);

    assert_null(client);
    assert_non_null(resource);
    f->seen = *options;
    snprintf(f->seen_name, sizeof(f->seen_name), "%s", options->name ? options->name : "");
    own.namespaces = NULL;
    own.n_namespaces = 0;
    own.label_selector = NULL;
    own.field_selector = NULL;
    own.decode = NULL;
    own.content = KIN_CONTENT_WHOLE;
    assert_true(i < KIN_TEST_FACTORY_SOURCES);
    return kin_informer_new_from(ret, kin_test_source_list_watch(f->sources[i]), &own, err);
}

kin_informer *kin_test_ask(kin_test_factory *f, const char *resource)
{
    kin_informer *informer = NULL;
    kin_error err = KIN_ERROR_INIT;

    assert_code(
        kin_factory_informer_for(f->factory, &informer, resource, kin_test_construct, f, &err), 0);
    return informer;
}

kin_test_pull *kin_test_sync_source(kin_test_factory *f, size_t n, const char *version,
                                    const char *pods)
{
    kin_test_pull_list(kin_test_source_await(f->sources[n], 0), version, pods);
    return kin_test_source_await(f->sources[n], 1);
}
