/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the server writes on its own behalf: deletions of collections, of what namespaces and
 * definitions take along, of Pods whose time is over. Nobody waits for an answer, but the API waits
 * for what is on its way, as it does for requests.
 */
#include "apiserver/verbs/api_inside.h"

#include "base/memory.h"
#include "kinform/metadata.h"

struct own_write {
    kin__write_done done;
    kin__api *api;
    const kin_object *object; /* a reference; NULL: nobody has to wait for its grace period */
    bool clear;               /* something that is being deleted may be empty then */
    kin__own_written_fn *then;
    void *arg;
};

static void own_free(struct own_write *own)
{
    kin__api *api = own->api;

    kin_object_unref(own->object);
    kin__free(own);
    kin__mutex_lock(&api->lock);
    if (--api->n_ops == 0)
        kin__cond_broadcast(&api->idle);
    kin__mutex_unlock(&api->lock);
}

static void own_written(kin__write_done *done, int code)
{
    struct own_write *own = kin__container_of(done, struct own_write, done);
    kin__api *api = own->api;

    if (code == 0 && own->clear)
        kin__schedule_now(&api->schedule, &api->clear);
    if (code == 0 && own->object)
        kin__pods_wait(api, own->object);
    if (code == 0)
        kin__api_published(api);
    if (own->then)
        own->then(own->arg, code);
    own_free(own);
}

static struct own_write *own_new(kin__api *api)
{
    struct own_write *own = kin__calloc(1, sizeof(*own));

    if (!own)
        return NULL;
    own->done.fn = own_written;
    own->api = api;
    kin__mutex_lock(&api->lock);
    api->n_ops++;
    kin__mutex_unlock(&api->lock);
    return own;
}

static int own_commit(struct own_write *own, kin__write *write, const kin_object *object,
                      bool is_deletion)
{
    int code = kin__state_commit(own->api->state, write, object, is_deletion, &own->done, NULL);

    if (code < 0)
        own_free(own);
    return code;
}

int kin__api_commit(kin__api *api, kin__write *write, const kin_object *object, bool is_deletion,
                    bool clear)
{
    struct own_write *own = own_new(api);

    if (!own) {
        kin__state_abort(api->state, write);
        return KIN_ENOMEM;
    }
    own->clear = clear;
    return own_commit(own, write, object, is_deletion);
}

bool kin__api_is_emptied(kin__api *api, const kin__kind *kind, const kin_object *object)
{
    if (kin__crd_is(kind) || (!kind->namespaced && !kind->custom))
        return kin__crd_is(kind);
    return (kind->namespaced && kin__namespace_is_ending(api, kin_object_namespace(object))) ||
           (kind->custom && kin__crd_is_ending(api, kind));
}

int kin__api_delete(const kin__deletion *deletion, kin__collection *collection, kin_str key,
                    kin__own_written_fn *then, void *arg, kin__failure *failure)
{
    kin__api *api = deletion->api;
    struct own_write *own = own_new(api);
    const kin_object *object = NULL;
    enum kin__outcome outcome = KIN__REFUSED;
    kin__write write;
    int code = KIN_ENOTFOUND;

    if (!own)
        return KIN_ENOMEM;
    own->then = then;
    own->arg = arg;
    kin__state_begin(api->state, &write, collection, key);
    if (write.current)
        outcome = kin__make_deleted(deletion, write.current, write.version, &object, failure);
    if (write.current && outcome == KIN__REFUSED)
        code = failure->status == 500 ? KIN_ENOMEM : KIN_ECONFLICT;
    else if (outcome == KIN__UNCHANGED)
        code = KIN_EBUSY;
    if (outcome != KIN__PUT && outcome != KIN__DELETE) {
        kin__state_abort(api->state, &write);
        kin_object_unref(object);
        own_free(own);
        return code;
    }
    if (outcome == KIN__PUT && deletion->kind->graceful &&
        kin__pods_must_wait(write.current, object))
        own->object = kin_object_ref(object);
    own->clear = kin__api_is_emptied(api, deletion->kind, object);
    code = own_commit(own, &write, object, outcome == KIN__DELETE);
    kin_object_unref(object);
    return code;
}

/* --- clearing out --- */

static bool is_not_ending(const kin_object *object, void *arg)
{
    (void)arg;
    return !kin__is_being_deleted(object);
}

static size_t delete_all(kin__api *api, const kin__kind *kind, kin__collection *collection,
                         const kin_object_list *objects)
{
    const kin__deletion deletion = {api, kind, NULL};
    kin__failure failure;
    size_t n = 0;

    kin__failure_init(&failure);
    for (size_t i = 0; i < objects->len; i++) {
        int code =
            kin__api_delete(&deletion, collection, kin_str_of(kin_object_key(objects->items[i])),
                            NULL, NULL, &failure);

        if (code == 0)
            n++;
        else if (code == KIN_ENOMEM)
            kin__api_clear_later(api);
    }
    return n;
}

bool kin__api_sweep(kin__api *api, const kin__kind *kind, kin_str prefix, size_t *budget)
{
    kin__state_query query = {.prefix = prefix, .limit = *budget, .match = is_not_ending};
    kin__collection *collection = NULL;
    kin__state_page page;
    bool is_empty;

    if (*budget == 0)
        return false;
    if (kin__state_collection(api->state, &collection, kin_str_of(kind->collection), NULL) < 0 ||
        kin__state_list(api->state, collection, &query, &page, NULL) < 0) {
        kin__api_clear_later(api);
        return false;
    }
    is_empty = page.objects.len == 0;
    *budget -= delete_all(api, kind, collection, &page.objects);
    kin_object_list_done(&page.objects);
    if (!is_empty)
        return false;
    /* Nothing is left to do; but is there something that goes only later? */
    query.match = NULL;
    query.limit = 1;
    if (kin__state_list(api->state, collection, &query, &page, NULL) < 0) {
        kin__api_clear_later(api);
        return false;
    }
    is_empty = page.objects.len == 0;
    kin_object_list_done(&page.objects);
    return is_empty;
}
