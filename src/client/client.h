/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a client: what all its calls share.
 *
 * The public handle has one reference, each call another. Freeing the handle closes the client: no
 * call begins any more, those under way are cancelled, and it waits until their last callbacks have
 * returned and the threads have ended, unless it runs in one of them.
 */
#ifndef KIN_CLIENT_CLIENT_H
#define KIN_CLIENT_CLIENT_H

#include "base/list.h"
#include "base/mutex.h"
#include "base/process.h"
#include "base/rate_limit.h"
#include "base/workers.h"
#include "client/catalog.h"
#include "client/credentials.h"
#include "client/encoding.h"
#include "client/transport.h"
#include "client/warnings.h"
#include "kinform/client.h"

/* Asking the server what it has: one thread does, all who want to know wait for it. */
typedef struct kin__discovery {
    kin__cond ended;
    bool running;     /* (client's lock) */
    pthread_t runner; /* (client's lock) who asks */
    size_t n_waiting; /* (client's lock) for that thread */
    uint64_t n_ended; /* (client's lock) how often it was asked */
    int code;         /* (client's lock) what that ended with, the last time */
    kin_error err;    /* (client's lock) */
} kin__discovery;

struct kin_client {
    kin__ref ref;
    kin__fork_guard guard;
    kin_config *config;
    kin_clock *clock;
    kin_logger *logger;
    char *user_agent;
    char **extra_names;    /* of headers, for config->impersonate_extra */
    int64_t timeout_ms;    /* of a request that names none; -1: never */
    int64_t watch_idle_ns; /* 0: by the watch's own timeout, -1: never */
    int max_retries;
    uint64_t max_list_bytes; /* UINT64_MAX: no limit */
    kin_encoding encoding;   /* of a request that names none */
    kin__json_only json_only;
    kin__credentials *credentials;
    kin__transport *transport; /* NULL once it is closed */
    kin__workers *workers;
    kin__rate_limit rate_limit;
    _Atomic int64_t wait_warned; /* when a wait for it was warned of; INT64_MIN: never */
    kin__warnings warnings;

    kin__mutex lock;       /* rank CLIENT */
    kin__cond idle;        /* no call is under way any more */
    kin__list calls;       /* (lock) kin_call.link, all that have not ended */
    size_t n_calls;        /* (lock) */
    bool closed;           /* (lock) */
    kin__catalog *catalog; /* (lock) SHARED; NULL: nobody has asked, or it is not to be trusted */
    int64_t catalog_time;  /* (lock) when it was asked for */
    kin__discovery discovery;
    bool has_resolver; /* (lock) one of its workers asks what a name means, and may wait for that */
    kin__list parked;  /* (lock) lists and watches that wait for it; see list_watch.c */
};

kin_client *kin__client_ref(kin_client *client);
void kin__client_unref(kin_client *client);

/*
 * What a name means, by what the server was asked before: asks nobody and waits for nobody. *ret is SHARED.
 * 0, KIN_ENOTFOUND: nobody has asked yet, or it was not there.
 */
int kin__client_resolve_known(kin_client *client, kin_resource **ret, const char *name);

/* 0, KIN_EINVAL (NULL), KIN_EFORKED. */
int kin__client_check(const kin_client *client, kin_error *err);

/* What a page was, also after a failure. */
typedef struct kin__page {
    uint64_t listed; /* as listed_bytes of kin_result */
    bool needs_json; /* as kin__call_needs_json() */
} kin__page;

/* As kin_client_list(), of a page. */
int kin__client_list_page(kin_client *client, const kin_object **ret, kin_resource *resource,
                          const char *namespace_, kin_list_item_fn *item, void *arg,
                          const kin_request_options *options, kin__page *ret_page, kin_error *err);

#endif
