/* SPDX-License-Identifier: Apache-2.0 */
#include "informer/shared_workers.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/ref.h"
#include "client/client.h"
#include "client/list_watch.h"

enum { N_WORKERS = 2 };

struct kin__shared_workers {
    kin__ref ref;
    kin_client *client;    /* SHARED; NULL: the workers are its own */
    kin__workers *workers; /* OWNED, or the client's */
    kin_clock *clock;      /* SHARED */
};

static int make_shared_workers(kin__shared_workers **ret, kin_client *client, kin_clock *clock,
                               kin_error *err)
{
    kin__shared_workers *shared_workers = kin__calloc(1, sizeof(*shared_workers));
    int code = 0;

    if (!shared_workers)
        return kin__error_no_memory(err);
    kin__ref_init(&shared_workers->ref);
    shared_workers->clock = kin_clock_ref(clock);
    if (client) {
        shared_workers->client = kin__client_ref(client);
        shared_workers->workers = client->workers;
    } else {
        code = kin__workers_new(&shared_workers->workers, "kin-inform", N_WORKERS, clock, err);
    }
    if (code < 0)
        kin__shared_workers_unref(shared_workers);
    else
        *ret = shared_workers;
    return code;
}

int kin__shared_workers_new(kin__shared_workers **ret, kin_clock *clock, kin_error *err)
{
    return make_shared_workers(ret, NULL, clock ? clock : kin_clock_system(), err);
}

int kin__shared_workers_of(kin__shared_workers **ret, kin_list_watch *source, kin_clock *clock,
                           kin_error *err)
{
    kin_client *client = kin__list_watch_client(source);

    if (client && (!clock || clock == client->clock))
        return make_shared_workers(ret, client, client->clock, err);
    return kin__shared_workers_new(ret, clock, err);
}

kin__shared_workers *kin__shared_workers_ref(kin__shared_workers *shared_workers)
{
    kin__ref_get(&shared_workers->ref);
    return shared_workers;
}

void kin__shared_workers_unref(kin__shared_workers *shared_workers)
{
    if (!shared_workers || !kin__ref_put(&shared_workers->ref))
        return;
    if (shared_workers->client)
        kin__client_unref(shared_workers->client);
    else
        kin__workers_free(shared_workers->workers);
    kin_clock_unref(shared_workers->clock);
    kin__free(shared_workers);
}

kin__workers *kin__shared_workers_pool(const kin__shared_workers *shared_workers)
{
    return shared_workers->workers;
}

kin_clock *kin__shared_workers_clock(const kin__shared_workers *shared_workers)
{
    return shared_workers->clock;
}
