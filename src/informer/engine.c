/* SPDX-License-Identifier: Apache-2.0 */
#include "informer/engine.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/ref.h"
#include "client/client.h"
#include "client/list_watch.h"

enum { N_WORKERS = 2 };

struct kin__engine {
    kin__ref ref;
    kin_client *client;    /* SHARED; NULL: the workers are its own */
    kin__workers *workers; /* OWNED, or the client's */
    kin_clock *clock;      /* SHARED */
};

static int engine_make(kin__engine **ret, kin_client *client, kin_clock *clock, kin_error *err)
{
    kin__engine *engine = kin__calloc(1, sizeof(*engine));
    int code = 0;

    if (!engine)
        return kin__error_no_memory(err);
    kin__ref_init(&engine->ref);
    engine->clock = kin_clock_ref(clock);
    if (client) {
        engine->client = kin__client_ref(client);
        engine->workers = client->workers;
    } else {
        code = kin__workers_new(&engine->workers, "kin-inform", N_WORKERS, clock, err);
    }
    if (code < 0)
        kin__engine_unref(engine);
    else
        *ret = engine;
    return code;
}

int kin__engine_new(kin__engine **ret, kin_clock *clock, kin_error *err)
{
    return engine_make(ret, NULL, clock ? clock : kin_clock_system(), err);
}

int kin__engine_of(kin__engine **ret, kin_list_watch *source, kin_clock *clock, kin_error *err)
{
    kin_client *client = kin__list_watch_client(source);

    if (client && (!clock || clock == client->clock))
        return engine_make(ret, client, client->clock, err);
    return kin__engine_new(ret, clock, err);
}

kin__engine *kin__engine_ref(kin__engine *engine)
{
    kin__ref_get(&engine->ref);
    return engine;
}

void kin__engine_unref(kin__engine *engine)
{
    if (!engine || !kin__ref_put(&engine->ref))
        return;
    if (engine->client)
        kin__client_unref(engine->client);
    else
        kin__workers_free(engine->workers);
    kin_clock_unref(engine->clock);
    kin__free(engine);
}

kin__workers *kin__engine_workers(const kin__engine *engine)
{
    return engine->workers;
}

kin_clock *kin__engine_clock(const kin__engine *engine)
{
    return engine->clock;
}
