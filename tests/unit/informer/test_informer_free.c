/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An informer that one of its own callbacks frees: KIN_EBUSY, a line in the log, and the informer runs on. Then
 * another thread frees it.
 */
#include "kin_test.h"
#include "kinform/factory.h"
#include "kinform/informer.h"

#include <poll.h>
#include <stdatomic.h>
#include <string.h>

#include "latch.h"
#include "world.h"

struct scene {
    kin_test_world *world;
    kin_informer_options options;
    kin_handler_options handler;
    kin_event_fn *fn; /* NULL: no handler */
    kin_informer *informer;
    kin_factory *factory; /* NULL: the informer is free-standing */
    kin_registration *registration;
    atomic_bool is_made; /* the callback may look at `informer` */
    atomic_bool has_tried;
    int code;
    kin_test_latch tried;
    atomic_uint n_logged;
};

static void try_once(struct scene *scene)
{
    if (!atomic_load(&scene->is_made) || atomic_exchange(&scene->has_tried, true))
        return;
    scene->code =
        scene->factory ? kin_factory_free(scene->factory) : kin_informer_free(scene->informer);
    kin_test_latch_raise(&scene->tried);
}

static void log_line(const kin_log_record *record, void *arg)
{
    struct scene *scene = arg;

    if (record->level == KIN_LOG_ERROR && strstr(record->message, "own callbacks"))
        atomic_fetch_add(&scene->n_logged, 1);
}

static int construct(kin_informer **ret, kin_client *client, const char *resource,
                     const kin_informer_options *options, void *arg, kin_error *err)
{
    struct scene *scene = arg;

    (void)client;
    (void)resource;
    (void)options;
    return kin_informer_new_from(ret, kin_test_world_list_watch(scene->world), &scene->options,
                                 err);
}

static void make_factory(struct scene *scene)
{
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;

    assert_code(kin_factory_new(&scene->factory, NULL, &options, NULL), 0);
    assert_code(
        kin_factory_informer_for(scene->factory, &scene->informer, "pods", construct, scene, NULL),
        0);
}

static void begin(struct scene *scene)
{
    memset(scene, 0, sizeof(*scene));
    scene->options = (kin_informer_options)KIN_INFORMER_OPTIONS_INIT;
    scene->handler = (kin_handler_options)KIN_HANDLER_OPTIONS_INIT;
    scene->world = kin_test_world_new();
    kin_test_latch_init(&scene->tried);
}

static void await_version(struct scene *scene)
{
    char version[24];

    kin_test_world_version(scene->world, version);
    assert_code(kin_informer_wait_version(scene->informer, version, -1, NULL), 0);
}

/* Make it as the scene says, and let its callback try; `by_factory`: its factory. */
static void run(struct scene *scene, bool by_factory)
{
    kin_logger *logger = NULL;

    assert_code(kin_logger_new(&logger, KIN_LOG_WARN, log_line, scene, NULL, NULL), 0);
    scene->options.logger = logger;
    if (by_factory)
        make_factory(scene);
    else
        assert_code(kin_informer_new_from(&scene->informer, kin_test_world_list_watch(scene->world),
                                          &scene->options, NULL),
                    0);
    atomic_store(&scene->is_made, true);
    if (scene->fn)
        assert_code(kin_informer_add_handler(scene->informer, &scene->registration, scene->fn,
                                             scene, &scene->handler, NULL),
                    0);
    kin_test_world_put(scene->world, 1);
    assert_code(kin_informer_start(scene->informer, NULL), 0);
    while (scene->handler.delivery == KIN_DELIVER_LOOP && !atomic_load(&scene->has_tried)) {
        struct pollfd ready = {kin_informer_fd(scene->informer), POLLIN, 0};

        assert_int_equal(poll(&ready, 1, -1), 1);
        assert_code(kin_informer_dispatch(scene->informer, 0, NULL, NULL), 0);
    }
    kin_test_latch_wait(&scene->tried, 1);
    assert_code(scene->code, KIN_EBUSY);
    assert_int_equal(atomic_load(&scene->n_logged), 1);
    kin_test_world_put(scene->world, 2);
    await_version(scene);
    assert_null(kin_test_world_differs(scene->world, kin_informer_store(scene->informer)));
    if (by_factory)
        assert_code(kin_factory_free(scene->factory), 0);
    else
        assert_code(kin_informer_free(scene->informer), 0);
    kin_registration_unref(scene->registration);
    kin_logger_unref(logger);
    kin_test_latch_done(&scene->tried);
    kin_test_world_free(scene->world);
}

/* --- handlers --- */

static void handle(const kin_event *event, void *arg)
{
    (void)event;
    try_once(arg);
}

static void ignore(const kin_event *event, void *arg)
{
    (void)event;
    (void)arg;
}

static const kin_delivery deliveries[] = {KIN_DELIVER_THREAD, KIN_DELIVER_POOL, KIN_DELIVER_LOOP};

static void by_a_handler(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(deliveries) / sizeof(deliveries[0]); i++) {
        struct scene scene;

        begin(&scene);
        scene.fn = handle;
        scene.handler.delivery = deliveries[i];
        run(&scene, false);
    }
}

static void by_a_handler_of_a_factory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(deliveries) / sizeof(deliveries[0]); i++) {
        struct scene scene;

        begin(&scene);
        scene.fn = handle;
        scene.handler.delivery = deliveries[i];
        run(&scene, true);
    }
}

static bool filter(const kin_object *object, void *arg)
{
    (void)object;
    try_once(arg);
    return true;
}

static void by_a_filter(void **state)
{
    struct scene scene;

    (void)state;
    begin(&scene);
    scene.fn = ignore;
    scene.handler.filter = filter;
    scene.handler.filter_arg = &scene;
    run(&scene, false);
}

static void remove_and_handle(const kin_event *event, void *arg)
{
    struct scene *scene = arg;

    (void)event;
    kin_informer_remove_handler(scene->informer, scene->registration);
    try_once(scene);
}

static void by_a_handler_that_was_removed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(deliveries) / sizeof(deliveries[0]); i++) {
        struct scene scene;

        begin(&scene);
        scene.fn = remove_and_handle;
        scene.handler.delivery = deliveries[i];
        run(&scene, false);
    }
}

static void remove_only(const kin_event *event, void *arg)
{
    struct scene *scene = arg;

    (void)event;
    kin_informer_remove_handler(scene->informer, scene->registration);
}

static void arg_free(void *arg)
{
    try_once(arg);
}

static void by_arg_free(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(deliveries) / sizeof(deliveries[0]); i++) {
        struct scene scene;

        begin(&scene);
        scene.fn = remove_only;
        scene.handler.delivery = deliveries[i];
        scene.handler.arg_free = arg_free;
        run(&scene, false);
    }
}

/* --- the others --- */

static void changed(kin_informer *informer, void *arg)
{
    (void)informer;
    try_once(arg);
}

static void by_changed(void **state)
{
    struct scene scene;

    (void)state;
    begin(&scene);
    scene.options.changed = changed;
    scene.options.changed_arg = &scene;
    run(&scene, false);
}

static int transform(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    (void)err;
    try_once(arg);
    *ret = kin_object_ref(object);
    return 0;
}

static void by_a_transformer(void **state)
{
    static const kin_informer_queue queues[] = {KIN_QUEUE_DELTA_FIFO, KIN_QUEUE_ORDERED};

    (void)state;
    for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
        struct scene scene;

        begin(&scene);
        scene.options.transform = transform;
        scene.options.transform_arg = &scene;
        scene.options.queue = queues[i];
        run(&scene, false);
    }
}

static int key(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)err;
    try_once(arg);
    *ret = kin_str_of(kin_object_key(object));
    return 0;
}

static void by_a_key_function(void **state)
{
    struct scene scene;

    (void)state;
    begin(&scene);
    scene.options.key = key;
    scene.options.key_arg = &scene;
    run(&scene, false);
}

static void queued(const char *name, double items, void *arg)
{
    (void)name;
    (void)items;
    try_once(arg);
}

static void by_metrics(void **state)
{
    kin_informer_metrics metrics = KIN_INFORMER_METRICS_INIT;
    struct scene scene;

    (void)state;
    begin(&scene);
    metrics.store_resource_version = queued;
    scene.options.metrics = &metrics;
    scene.options.metrics_arg = &scene;
    run(&scene, false);
}

static void listed(const char *name, void *arg)
{
    (void)name;
    try_once(arg);
}

static void by_metrics_of_a_reflector(void **state)
{
    kin_reflector_metrics metrics = KIN_REFLECTOR_METRICS_INIT;
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    struct scene scene;

    (void)state;
    begin(&scene);
    metrics.lists_total = listed;
    reflector.metrics = &metrics;
    reflector.metrics_arg = &scene;
    scene.options.reflector = &reflector;
    run(&scene, false);
}

static int index_by_name(const kin_object *object, kin_index_values *values, void *arg,
                         kin_error *err)
{
    try_once(arg);
    return kin_index_values_add(values, kin_object_name(object), err);
}

/* On the strand while it writes, and in this thread while the index is added. */
static void by_an_index_function(void **state)
{
    (void)state;
    for (unsigned is_late = 0; is_late < 2; is_late++) {
        kin_index index = KIN_INDEX_INIT("name", index_by_name);
        struct scene scene;

        begin(&scene);
        index.arg = &scene;
        assert_code(kin_informer_new_from(&scene.informer, kin_test_world_list_watch(scene.world),
                                          &scene.options, NULL),
                    0);
        kin_test_world_put(scene.world, 1);
        atomic_store(&scene.is_made, true);
        if (!is_late)
            assert_code(kin_informer_add_index(scene.informer, &index, NULL), 0);
        assert_code(kin_informer_start(scene.informer, NULL), 0);
        await_version(&scene);
        if (is_late)
            assert_code(kin_informer_add_index(scene.informer, &index, NULL), 0);
        kin_test_latch_wait(&scene.tried, 1);
        assert_code(scene.code, KIN_EBUSY);
        kin_test_world_put(scene.world, 2);
        await_version(&scene);
        assert_code(kin_informer_free(scene.informer), 0);
        kin_test_latch_done(&scene.tried);
        kin_test_world_free(scene.world);
    }
}

/* --- a factory's own callbacks --- */

static int construct_and_free(kin_informer **ret, kin_client *client, const char *resource,
                              const kin_informer_options *options, void *arg, kin_error *err)
{
    struct scene *scene = arg;

    scene->code = kin_factory_free(scene->factory);
    return construct(ret, client, resource, options, arg, err);
}

static void by_a_constructor(void **state)
{
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;
    struct scene scene;

    (void)state;
    begin(&scene);
    assert_code(kin_factory_new(&scene.factory, NULL, &options, NULL), 0);
    assert_code(kin_factory_informer_for(scene.factory, &scene.informer, "pods", construct_and_free,
                                         &scene, NULL),
                0);
    assert_code(scene.code, KIN_EBUSY);
    assert_code(kin_factory_free(scene.factory), 0);
    kin_test_latch_done(&scene.tried);
    kin_test_world_free(scene.world);
}

static void null_is_nothing(void **state)
{
    (void)state;
    assert_code(kin_informer_free(NULL), 0);
    assert_code(kin_factory_free(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_a_handler),         cmocka_unit_test(by_a_handler_of_a_factory),
        cmocka_unit_test(by_a_filter),          cmocka_unit_test(by_a_handler_that_was_removed),
        cmocka_unit_test(by_arg_free),          cmocka_unit_test(by_changed),
        cmocka_unit_test(by_a_transformer),     cmocka_unit_test(by_a_key_function),
        cmocka_unit_test(by_metrics),           cmocka_unit_test(by_metrics_of_a_reflector),
        cmocka_unit_test(by_an_index_function), cmocka_unit_test(by_a_constructor),
        cmocka_unit_test(null_is_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
