/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking a server what it has, and whom a name means.
 *
 * The answer is kept: it changes when somebody installs something, not from request to request. A
 * name that is not in it is looked for once more in a fresh one, unless that is too young to be wrong;
 * so a kind that was just installed is found, and a name that is wrong does not cost the server
 * hundreds of requests each time.
 *
 * One thread asks at a time. Whoever wants to know meanwhile waits for it, and is told the same: the
 * answer, or why there is none.
 */
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/client.h"
#include "client/verbs.h"

/* What a server that aggregates is asked for, in the order of what is liked best. */
#define AGGREGATED                                                                                 \
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"                        \
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"

/* A name that is missing in a catalog of this age is missing on the server. */
#define YOUNG_NS (5 * KIN__SECOND)

enum {
    DOCUMENT_MAX = 16 << 20,
    /* Groups that do not answer in time are left out; so many of them are a server that does not. */
    TIMEOUTS_MAX = 3,
};

/*
 * One after the other is limit enough: a server without aggregation has a document per group version,
 * which would use up what the program's own requests have for seconds.
 */
static int ask(kin_client *client, char **ret, size_t *ret_len, const char *path,
               const char *accept, kin_error *err)
{
    const kin__text_request request = {path, accept, DOCUMENT_MAX, true};

    return kin__client_text(client, ret, ret_len, &request, err);
}

/* A server may have the core alone, or no core: what is not there says nothing of the other. */
static int add_document(kin_client *client, kin__catalog *catalog, const char *path, kin_error *err)
{
    kin_error why = KIN_ERROR_INIT;
    char *text = NULL;
    size_t len = 0;
    int code = ask(client, &text, &len, path, AGGREGATED, &why);

    if (code == KIN_ENOTFOUND)
        return 0;
    if (code == 0)
        code = kin__catalog_add(catalog, kin_str_make(text, len), &why);
    kin__free(text);
    return code < 0 ? kin__error_pass(err, code, &why) : 0;
}

/* Whether it is about one group, which others may not share. */
static bool is_of_group(int code, unsigned *n_timeouts)
{
    if (code == KIN_ETIMEOUT)
        return ++*n_timeouts < TIMEOUTS_MAX;
    return code == KIN_ESERVER || code == KIN_ENOTFOUND || code == KIN_EPROTOCOL ||
           code == KIN_EDENIED || code == KIN_EREFUSED || code == KIN_ELIMIT;
}

/* One group version of a server that does not aggregate. If it does not answer, others may. */
static int add_version(kin_client *client, kin__catalog *catalog, size_t index,
                       unsigned *n_timeouts, kin_error *err)
{
    const char *path = kin__catalog_missing(catalog, index);
    kin_error why = KIN_ERROR_INIT;
    char *text = NULL;
    size_t len = 0;
    int code;

    if (!path)
        return 0;
    code = ask(client, &text, &len, path, "application/json", &why);
    if (code == 0)
        code = kin__catalog_add_resources(catalog, index, kin_str_make(text, len), &why);
    kin__free(text);
    if (is_of_group(code, n_timeouts)) {
        kin__log(client->logger, KIN_LOG_WARN, "client", "a group of the server does not answer",
                 KIN__LOG_S("path", path), KIN__LOG_S("error", why.message));
        kin__catalog_give_up(catalog, index);
        return 0;
    }
    return code < 0 ? kin__error_pass(err, code, &why) : 0;
}

static int discover(kin_client *client, kin__catalog **ret, kin_error *err)
{
    kin__catalog *catalog = NULL;
    unsigned n_timeouts = 0;
    int code = kin__catalog_new(&catalog, NULL, err);

    if (code == 0)
        code = add_document(client, catalog, "/api", err);
    if (code == 0)
        code = add_document(client, catalog, "/apis", err);
    if (code == 0 && kin__catalog_n_versions(catalog) == 0)
        code = kin_error_set(err, KIN_EPROTOCOL, "the server tells of no API that it has");
    for (size_t i = 0; code == 0 && i < kin__catalog_n_versions(catalog); i++)
        code = add_version(client, catalog, i, &n_timeouts, err);
    if (code < 0)
        kin__catalog_unref(catalog);
    else
        *ret = catalog;
    return code;
}

/*
 * What is kept, or NULL. Whoever looks for a name that was missing wants one that was young when the
 * looking began, at `since`, or is younger: on a slow server nothing is young when it has come.
 */
static kin__catalog *kept_locked(kin_client *client, bool again, int64_t since)
    KIN_REQUIRES(client->lock)
{
    bool is_good = client->catalog && (!again || since - client->catalog_time < YOUNG_NS);

    return is_good ? kin__catalog_ref(client->catalog) : NULL;
}

/*
 * Ask the server, as the only one who does, and keep what it says. *ret_old is what was kept before,
 * to be released without the lock.
 */
static int run_locked(kin_client *client, kin__catalog **ret, kin__catalog **ret_old,
                      kin_error *err) KIN_REQUIRES(client->lock)
{
    kin__discovery *discovery = &client->discovery;
    int64_t asked_at = kin_clock_now(client->clock);
    kin__catalog *catalog = NULL;
    kin_error why;
    int code;

    discovery->running = true;
    discovery->runner = pthread_self();
    kin__mutex_unlock(&client->lock);
    kin__error_begin(&why);
    code = discover(client, &catalog, &why);
    kin__mutex_lock(&client->lock);
    if (code == 0) {
        *ret_old = client->catalog;
        client->catalog = kin__catalog_ref(catalog);
        client->catalog_time = asked_at;
    }
    discovery->code = code;
    discovery->err = why;
    discovery->running = false;
    discovery->n_ended++;
    kin__cond_broadcast(&discovery->ended);
    *ret = catalog;
    return code < 0 ? kin__error_pass(err, code, &why) : 0;
}

/* Wait for the one who asks. 0: there is an answer; or why there is none. */
static int join_locked(kin_client *client, kin_error *err) KIN_REQUIRES(client->lock)
{
    kin__discovery *discovery = &client->discovery;
    uint64_t n = discovery->n_ended;

    /* A function that is told of a warning, or of a line for the log, waits for itself. */
    if (pthread_equal(discovery->runner, pthread_self()))
        return kin_error_set(err, KIN_EBUSY, "this thread is asking the server what it has");
    discovery->n_waiting++;
    while (discovery->n_ended == n)
        kin__cond_wait(&discovery->ended, &client->lock);
    discovery->n_waiting--;
    return discovery->code < 0 ? kin__error_pass(err, discovery->code, &discovery->err) : 0;
}

/* What the server has, asked for if nobody has, or again. *ret is SHARED. */
static int get_catalog(kin_client *client, kin__catalog **ret, bool again, kin_error *err)
{
    int64_t since = kin_clock_now(client->clock);
    kin__catalog *old = NULL;
    kin__catalog *catalog;
    int code = 0;

    kin__mutex_lock(&client->lock);
    while (!(catalog = kept_locked(client, again, since)) && code == 0) {
        if (client->discovery.running) {
            code = join_locked(client, err);
        } else {
            code = run_locked(client, &catalog, &old, err);
            break;
        }
    }
    kin__mutex_unlock(&client->lock);
    kin__catalog_unref(old);
    if (code == 0)
        *ret = catalog;
    return code;
}

static int resolve(kin_client *client, kin_resource **ret, const char *name, bool again,
                   kin_error *err)
{
    kin__catalog *catalog = NULL;
    int code = get_catalog(client, &catalog, again, err);

    if (code == 0)
        code = kin__catalog_resolve(catalog, ret, name, err);
    kin__catalog_unref(catalog);
    return code;
}

int kin_client_resolve(kin_client *client, kin_resource **ret, const char *name, kin_error *err)
{
    int code = kin__client_check(client, err);

    if (code < 0)
        return code;
    if (!ret || !name)
        return kin__error_null(err, ret ? "name" : "ret");
    /* Between two requests no call keeps it, and somebody may free it. */
    kin__client_ref(client);
    code = resolve(client, ret, name, false, err);
    if (code == KIN_ENOTFOUND)
        code = resolve(client, ret, name, true, err);
    kin__client_unref(client);
    return code;
}

int kin_client_category(kin_client *client, const char *category, kin_category_fn *fn, void *arg,
                        kin_error *err)
{
    kin__catalog *catalog = NULL;
    int code = kin__client_check(client, err);

    if (code < 0)
        return code;
    if (!category || !fn)
        return kin__error_null(err, category ? "fn" : "category");
    kin__client_ref(client);
    code = get_catalog(client, &catalog, false, err);
    if (code == 0)
        code = kin__catalog_category(catalog, category, fn, arg, err);
    kin__catalog_unref(catalog);
    kin__client_unref(client);
    return code;
}

int kin__client_resolve_known(kin_client *client, kin_resource **ret, const char *name)
{
    kin__catalog *catalog;
    int code = KIN_ENOTFOUND;

    kin__mutex_lock(&client->lock);
    catalog = client->catalog ? kin__catalog_ref(client->catalog) : NULL;
    kin__mutex_unlock(&client->lock);
    if (catalog)
        code = kin__catalog_resolve(catalog, ret, name, NULL);
    kin__catalog_unref(catalog);
    return code;
}
