/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reflector and a little server in memory, with everything that can go wrong between them, at random.
 * After quiet, the store has what the server has.
 *
 * The server keeps its changes, forgets old ones, lists in pages of one version, streams lists, and
 * breaks off where the test wants. It does not lie: what it calls back for has happened, in this order.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model.h"
#include "reflector_support.h"

enum { N_KEYS = 6, MAX_HISTORY = 4096 };

struct change {
    enum kin_watch_type type;
    unsigned key;
};

struct world {
    kin_test_scene scene;
    unsigned versions[N_KEYS];          /* of what there is; 0: there is nothing */
    struct change history[MAX_HISTORY]; /* that made a version */
    unsigned version;
    unsigned compacted;     /* what was before cannot be watched from */
    size_t served;          /* the operation that is being answered, from 1 */
    unsigned position;      /* up to where it was told */
    bool begun;             /* it was told what there was before that, if it wants to know */
    unsigned pages[N_KEYS]; /* the version that pages are of */
    unsigned pages_version;
    unsigned next_page;
    char text[512]; /* what is wrong */
};

static void *world_new(uint64_t seed)
{
    struct world *world = calloc(1, sizeof(*world));

    world->version = 1;
    kin_test_scene_init(&world->scene, seed % 2);
    world->scene.options.resync_ms = seed % 3 ? 700 : 0;
    world->scene.options.page_size = seed % 5 == 0 ? 2 : 0;
    world->scene.options.internal_error_retry_ms = seed % 7 == 0 ? 5000 : 0;
    kin_test_scene_make(&world->scene);
    assert_code(kin_reflector_start(world->scene.reflector, NULL), 0);
    return world;
}

static void world_free(void *state)
{
    struct world *world = state;

    kin_test_scene_done(&world->scene);
    free(world);
}

/* The operation that waits for an answer; NULL: it backs off. */
static kin_test_pull *settle(struct world *world)
{
    for (;;) {
        size_t n = kin_test_source_count(world->scene.source);
        kin_test_pull *op = n ? kin_test_await(&world->scene, n - 1) : NULL;

        if (op && kin_test_pull_is_open(op)) {
            if (world->served != n) {
                world->position = op->is_list ? 0 : (unsigned)atoi(op->version);
                world->begun = !op->streams && world->position > 0;
            }
            world->served = n;
            return op;
        }
        if (kin_test_status(&world->scene).state == KIN_REFLECTOR_BACKING_OFF)
            return NULL;
        sched_yield();
    }
}

static const char *pod_of(const struct world *world, unsigned key, unsigned version)
{
    static char text[32];

    (void)world;
    snprintf(text, sizeof(text), "%c:%u", (int)('a' + key), version);
    return text;
}

/* --- the server --- */

static const char *put(void *state, kin_test_rng *rng)
{
    struct world *world = state;
    unsigned key = (unsigned)kin_test_below(rng, N_KEYS);

    world->version++;
    world->history[world->version] =
        (struct change){world->versions[key] ? KIN_WATCH_MODIFIED : KIN_WATCH_ADDED, key};
    world->versions[key] = world->version;
    return NULL;
}

static const char *take(void *state, kin_test_rng *rng)
{
    struct world *world = state;
    unsigned key = (unsigned)kin_test_below(rng, N_KEYS);

    if (!world->versions[key])
        return NULL;
    world->version++;
    world->history[world->version] = (struct change){KIN_WATCH_DELETED, key};
    world->versions[key] = 0;
    return NULL;
}

static const char *compact(void *state, kin_test_rng *rng)
{
    struct world *world = state;

    (void)rng;
    world->compacted = world->version;
    return NULL;
}

static const kin_test_failure_of expired = {
    .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"};

static void version_text(char *text, size_t size, unsigned version)
{
    snprintf(text, size, "%u", version);
}

/* A page of two, or all that is left. */
static void serve_list(struct world *world, kin_test_pull *op, bool in_pages)
{
    char version[16];
    unsigned n = 0;

    if (!op->token[0]) {
        memcpy(world->pages, world->versions, sizeof(world->pages));
        world->pages_version = world->version;
        world->next_page = 0;
    }
    version_text(version, sizeof(version), world->pages_version);
    for (; world->next_page < N_KEYS && (!in_pages || op->limit == 0 || n < 2);
         world->next_page++) {
        unsigned key = world->next_page;

        if (world->pages[key]) {
            n++;
            kin_test_pull_item(op, pod_of(world, key, world->pages[key]));
        }
    }
    if (world->next_page < N_KEYS) {
        char token[16];

        version_text(token, sizeof(token), world->next_page);
        kin_test_pull_list_done(op, version, token);
    } else {
        kin_test_pull_list_done(op, version, NULL);
    }
}

/* All that there is, in any order; `n` of it. Whether it is told. */
static bool serve_initial(struct world *world, kin_test_pull *op, size_t n)
{
    char version[16];

    for (unsigned key = N_KEYS; key-- > 0 && n > 0; n--) {
        if (world->versions[key])
            kin_test_pull_event(op, KIN_WATCH_ADDED, pod_of(world, key, world->versions[key]));
    }
    if (n == 0)
        return false;
    world->position = world->version;
    world->begun = true;
    if (op->streams) {
        version_text(version, sizeof(version), world->version);
        kin_test_pull_bookmark(op, version, true);
    }
    return true;
}

/* Up to `n` changes. */
static void serve_watch(struct world *world, kin_test_pull *op, size_t n)
{
    if (world->position < world->compacted) {
        kin_test_pull_error_event(op, &expired);
        return;
    }
    for (; n > 0 && world->position < world->version; n--) {
        const struct change *change = &world->history[world->position + 1];
        int code =
            kin_test_pull_event(op, change->type, pod_of(world, change->key, world->position + 1));

        if (code < 0) {
            kin_test_pull_fail(op, &(kin_test_failure_of){.code = code}, true);
            return;
        }
        world->position++;
    }
}

/* A streaming list that has begun must not be begun again: it is told in one go, or breaks off. */
static const char *serve(void *state, kin_test_rng *rng)
{
    struct world *world = state;
    kin_test_pull *op = settle(world);

    if (!op)
        return NULL;
    if (op->is_list)
        serve_list(world, op, kin_test_below(rng, 2));
    else if (!world->begun)
        serve_initial(world, op, SIZE_MAX);
    else
        serve_watch(world, op, kin_test_below(rng, 4));
    return NULL;
}

static const char *bookmark(void *state, kin_test_rng *rng)
{
    struct world *world = state;
    kin_test_pull *op = settle(world);
    char version[16];

    (void)rng;
    if (!op || op->is_list || !world->begun)
        return NULL;
    version_text(version, sizeof(version), world->position);
    kin_test_pull_bookmark(op, version, false);
    return NULL;
}

/* --- what goes wrong --- */

static const kin_test_failure_of failures[] = {
    {.code = KIN_ECONNECT},
    {.code = KIN_ECONNECT, .os_error = 111},
    {.code = KIN_ESERVER, .http_status = 429, .reason = "TooManyRequests"},
    {.code = KIN_ESERVER, .http_status = 500, .reason = "InternalError"},
    {.code = KIN_ESERVER, .http_status = 503, .reason = "ServiceUnavailable"},
    {.code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"},
    {.code = KIN_ESERVER,
     .http_status = 504,
     .reason = "Timeout",
     .cause = "ResourceVersionTooLarge"},
    {.code = KIN_EDENIED, .http_status = 403, .reason = "Forbidden"},
    {.code = KIN_EREFUSED, .http_status = 400, .reason = "BadRequest"},
    {.code = KIN_EPARSE},
    {.code = KIN_ENOMEM},
    {.code = KIN_ETIMEOUT},
};

static const char *fail_op(void *state, kin_test_rng *rng)
{
    struct world *world = state;
    kin_test_pull *op = settle(world);
    const kin_test_failure_of *failure =
        &failures[kin_test_below(rng, sizeof(failures) / sizeof(failures[0]))];

    if (!op)
        return NULL;
    if (op->is_list && kin_test_below(rng, 2))
        kin_test_pull_item(op, "zombie:1");
    if (!op->is_list && !world->begun)
        serve_initial(world, op, kin_test_below(rng, 3));
    if (!op->is_list && failure->http_status && kin_test_below(rng, 2))
        kin_test_pull_error_event(op, failure);
    else
        kin_test_pull_fail(op, failure, !op->is_list && kin_test_below(rng, 2));
    return NULL;
}

static const char *close_op(void *state, kin_test_rng *rng)
{
    struct world *world = state;
    kin_test_pull *op = settle(world);

    if (!op || op->is_list)
        return NULL;
    if (kin_test_below(rng, 2))
        kin_test_advance_ms(&world->scene, 1500);
    kin_test_pull_close(op);
    return NULL;
}

/* The store refuses a change, once. */
static const char *refuse(void *state, kin_test_rng *rng)
{
    struct world *world = state;
    kin_test_pull *op = settle(world);

    (void)rng;
    if (!op || op->is_list || !world->begun)
        return NULL;
    world->scene.put_code = KIN_ENOMEM;
    serve_watch(world, op, 1);
    world->scene.put_code = 0;
    return NULL;
}

static const char *pass(void *state, kin_test_rng *rng)
{
    struct world *world = state;

    if (!settle(world)) {
        kin_reflector_status status = kin_test_status(&world->scene);
        int64_t left = status.backoff_until - kin_clock_now(world->scene.clock);

        if (left > 0)
            kin_clock_advance(world->scene.clock, left, NULL);
    } else if (kin_test_below(rng, 4) == 0) {
        kin_test_advance_ms(&world->scene, (int64_t)kin_test_below(rng, 40000));
    }
    return NULL;
}

static const char *restart(void *state, kin_test_rng *rng)
{
    struct world *world = state;

    (void)rng;
    settle(world);
    kin_test_stop(&world->scene);
    assert_code(kin_reflector_start(world->scene.reflector, NULL), 0);
    return NULL;
}

/* --- quiet --- */

static unsigned number_of(kin_str text)
{
    char digits[16] = "";

    memcpy(digits, text.data, text.len < sizeof(digits) ? text.len : sizeof(digits) - 1);
    return (unsigned)atoi(digits);
}

static const char *compare(struct world *world)
{
    char version[64];

    for (unsigned key = 0; key < N_KEYS; key++) {
        const kin_object *object = NULL;
        char name[16];
        unsigned found = 0;

        snprintf(name, sizeof(name), "default/%c", (int)('a' + key));
        if (kin_store_get(world->scene.store, &object, kin_str_of(name), NULL) == 0)
            found = number_of(kin_object_resource_version(object));
        kin_object_unref(object);
        if (found != world->versions[key]) {
            snprintf(world->text, sizeof(world->text), "%s is in version %u instead of %u", name,
                     found, world->versions[key]);
            return world->text;
        }
    }
    if (kin_store_len(world->scene.store) > N_KEYS)
        return "the store has what never was";
    kin_reflector_last_version(world->scene.reflector, version, sizeof(version));
    if ((unsigned)atoi(version) > world->version)
        return "a version of the future";
    return NULL;
}

static const char *quiet(void *state, kin_test_rng *rng)
{
    struct world *world = state;

    int64_t begun = kin_clock_now(kin_clock_system());

    while (kin_clock_now(kin_clock_system()) - begun < 10 * KIN__SECOND) {
        kin_test_pull *op = settle(world);

        if (!op)
            pass(world, rng);
        else if (op->is_list || !world->begun)
            serve(world, rng);
        else if (world->position < world->version)
            serve_watch(world, op, SIZE_MAX);
        else
            return compare(world);
    }
    return "it does not come to rest";
}

static const kin_test_op ops[] = {
    {"put", 10, put},        {"take", 5, take},         {"compact", 2, compact},
    {"serve", 20, serve},    {"bookmark", 3, bookmark}, {"fail", 8, fail_op},
    {"close", 4, close_op},  {"refuse", 2, refuse},     {"pass", 10, pass},
    {"restart", 1, restart}, {"quiet", 3, quiet},
};

static void after_quiet_the_store_is_as_the_server(void **state)
{
    const kin_test_model model = {ops, sizeof(ops) / sizeof(ops[0]), world_new, world_free, NULL};

    (void)state;
    kin_test_run_model(&model, 80, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_quiet_the_store_is_as_the_server),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
