/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A factory without a client, on a clock that stands: its informers have sources that do what the test says.
 */
#ifndef KIN_TEST_FACTORY_SUPPORT_H
#define KIN_TEST_FACTORY_SUPPORT_H

#include <stdatomic.h>

#include "kin_test.h"
#include "kinform/factory.h"
#include "source.h"

enum { KIN_TEST_FACTORY_SOURCES = 4 };

typedef struct kin_test_factory {
    kin_clock *clock;
    kin_factory *factory;
    /* for what is made by it, in the order in which it is made */
    kin_test_source *sources[KIN_TEST_FACTORY_SOURCES];
    atomic_uint n_made;
    kin_informer_options seen; /* what the last constructor was given */
    char seen_name[64];
} kin_test_factory;

/* `options->informers` are taken over, with the clock. */
void kin_test_factory_init_with(kin_test_factory *f, kin_factory_options *options);
void kin_test_factory_init(kin_test_factory *f);
void kin_test_factory_done(kin_test_factory *f);

/* A constructor: over the next source. The argument is the kin_test_factory. */
int kin_test_construct(kin_informer **ret, kin_client *client, const char *resource,
                       const kin_informer_options *options, void *arg, kin_error *err);
/* The informer of that name, by this constructor. */
kin_informer *kin_test_ask(kin_test_factory *f, const char *resource);
/* The first list of the n-th one, and the watch behind it. */
kin_test_pull *kin_test_sync_source(kin_test_factory *f, size_t n, const char *version,
                                    const char *pods);

#endif
