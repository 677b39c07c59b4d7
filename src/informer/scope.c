/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which objects an informer looks at: namespaces and selectors.
 */
#include "base/defect.h"
#include "base/error.h"
#include "base/memory.h"
#include "informer/informer.h"
#include "informer/reflector.h"

void kin__scope_done(kin__scope *scope)
{
    for (size_t i = 0; i < scope->n_namespaces; i++)
        kin__free(scope->namespaces[i]);
    kin__free(scope->namespaces);
    kin__free(scope->label_selector);
    kin__free(scope->field_selector);
    *scope = (kin__scope){.n_namespaces = 0};
}

static int check_namespaces(const char *const *namespaces, size_t n, kin_error *err)
{
    if (n == 0)
        return kin_error_set(err, KIN_EINVAL, "no namespace; NULL means all");
    for (size_t i = 0; i < n; i++) {
        if (!namespaces[i] || !namespaces[i][0])
            return kin_error_set(err, KIN_EINVAL,
                                 "an empty namespace; NULL instead of them means all");
        for (size_t j = 0; j < i; j++) {
            if (strcmp(namespaces[i], namespaces[j]) == 0)
                return kin_error_set(err, KIN_EINVAL, "the namespace \"%s\" twice", namespaces[i]);
        }
    }
    return 0;
}

static int copy_namespaces(kin__scope *scope, const char *const *namespaces, size_t n)
{
    if (!namespaces)
        return 0;
    scope->namespaces = kin__calloc(n + 1, sizeof(*scope->namespaces));
    if (!scope->namespaces)
        return KIN_ENOMEM;
    for (; scope->n_namespaces < n; scope->n_namespaces++) {
        if (kin__copy_text(&scope->namespaces[scope->n_namespaces],
                           namespaces[scope->n_namespaces]) < 0)
            return KIN_ENOMEM;
    }
    return 0;
}

int kin__scope_init(kin__scope *scope, const char *const *namespaces, size_t n_namespaces,
                    const char *label_selector, const char *field_selector, kin_error *err)
{
    int code = 0;

    *scope = (kin__scope){.n_namespaces = 0};
    if (namespaces)
        code = check_namespaces(namespaces, n_namespaces, err);
    if (code < 0)
        return code;
    if (copy_namespaces(scope, namespaces, n_namespaces) == 0 &&
        kin__copy_text(&scope->label_selector, label_selector) == 0 &&
        kin__copy_text(&scope->field_selector, field_selector) == 0)
        return 0;
    kin__scope_done(scope);
    return kin__error_no_memory(err);
}

int kin__check_label_selector(const char *text, kin_error *err)
{
    const kin_label_selector *selector = NULL;
    int code = text ? kin_label_selector_parse(&selector, kin_str_of(text), err) : 0;

    kin_label_selector_unref(selector);
    return code;
}

/* --- reflectors --- */

bool kin__is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool kin__scope_has(const kin__scope *scope, const char *namespace_)
{
    if (!scope->namespaces || !namespace_)
        return !scope->namespaces && !namespace_;
    for (size_t i = 0; i < scope->n_namespaces; i++) {
        if (strcmp(scope->namespaces[i], namespace_) == 0)
            return true;
    }
    return false;
}

bool kin__namespace_reflector_is_of(const kin__namespace_reflector *ns, const kin__scope *scope)
{
    return !ns->informer->client || (kin__is_same_text(ns->label_selector, scope->label_selector) &&
                                     kin__is_same_text(ns->field_selector, scope->field_selector) &&
                                     kin__scope_has(scope, ns->namespace_));
}

void kin__warmth_done(kin__warmth *warmth)
{
    kin__scope_done(&warmth->scope);
    kin__free(warmth->versions);
    *warmth = (kin__warmth){.is_warm = false};
}

static kin__namespace_reflector *reflector_of(kin__list *node)
{
    return kin__list_entry(node, kin__namespace_reflector, link);
}

/* The strand's own view of it: others may set another one at any time. */
int kin__informer_copy_scope(kin_informer *informer, kin__scope *ret, kin_error *err)
{
    int code;

    kin__mutex_lock(&informer->lock);
    code = kin__scope_init(ret, (const char *const *)informer->scope.namespaces,
                           informer->scope.n_namespaces, informer->scope.label_selector,
                           informer->scope.field_selector, err);
    kin__mutex_unlock(&informer->lock);
    return code;
}

bool kin__informer_stop_reflectors(kin_informer *informer)
{
    bool have_all_ended = true;

    kin__list_for_each(&informer->reflectors, node)
        have_all_ended = kin__reflector_queue_stop(&reflector_of(node)->in) && have_all_ended;
    return have_all_ended;
}

bool kin__informer_has_lost_reflector(const kin_informer *informer)
{
    kin__list_for_each(&informer->reflectors, node) {
        const kin__namespace_reflector *ns = reflector_of(node);

        if (ns->in.is_started && !ns->in.is_stopping && kin__reflector_has_ended(ns->in.reflector))
            return true;
    }
    return false;
}

static void free_reflector(kin_informer *informer, kin__namespace_reflector *ns)
{
    kin__mutex_lock(&informer->lock);
    kin__namespace_reflector_count(ns, &informer->gone);
    kin__list_remove(&ns->link);
    informer->n_arranged++;
    kin__mutex_unlock(&informer->lock);
    kin__namespace_reflector_free(ns);
}

void kin__informer_free_reflectors(kin_informer *informer)
{
    kin__list_for_each(&informer->reflectors, node)
        free_reflector(informer, reflector_of(node));
}

/* Those that nobody wants end, and go when all that they have brought is applied. Whether all have. */
static bool let_others_go(kin_informer *informer, const kin__scope *scope)
{
    bool are_gone = true;

    kin__list_for_each(&informer->reflectors, node) {
        kin__namespace_reflector *ns = reflector_of(node);

        if (kin__namespace_reflector_is_of(ns, scope))
            continue;
        if (kin__reflector_queue_stop(&ns->in) && kin__reflector_queue_len(&ns->in) == 0) {
            free_reflector(informer, ns);
            informer->must_sweep = true;
        } else {
            are_gone = false;
        }
    }
    return are_gone;
}

static bool has_reflector(const kin_informer *informer, const char *namespace_)
{
    kin__list_for_each(&informer->reflectors, node) {
        if (kin__is_same_text(reflector_of(node)->namespace_, namespace_))
            return true;
    }
    return false;
}

/* The version that the store has of a namespace with these selectors; NULL: none. */
static char *find_warm(kin__warmth *warmth, const char *namespace_, const kin__scope *scope)
{
    const kin__scope *had = &warmth->scope;

    if (!warmth->is_warm || !warmth->versions ||
        (scope && (!kin__is_same_text(had->label_selector, scope->label_selector) ||
                   !kin__is_same_text(had->field_selector, scope->field_selector))))
        return NULL;
    if (!namespace_)
        return had->namespaces ? NULL : warmth->versions[0];
    for (size_t i = 0; i < had->n_namespaces; i++) {
        if (strcmp(had->namespaces[i], namespace_) == 0)
            return warmth->versions[i];
    }
    return NULL;
}

static int add_reflector(kin_informer *informer, kin_list_watch *source, const char *namespace_,
                         const kin__scope *scope, kin_error *err)
{
    char *version = find_warm(&informer->warmth, namespace_, scope);
    kin__namespace_reflector *ns = NULL;
    int code = kin__namespace_reflector_new(&ns, informer, source, namespace_, scope, version, err);

    if (code < 0)
        return code;
    /*
     * Handlers and the store may have seen newer states of these objects than version "0", any that the server has
     * cached, would bring. Versions of another scope cannot be asked for: it lists the most recent state.
     */
    if ((informer->has_listed || informer->warmth.is_warm) && !KIN_DEFECT(scope_list_at_zero))
        ns->in.reflector->unavailable = true;
    if (version && version[0])
        kin__namespace_reflector_begin_with_list(ns, informer->warmth.list_unix_ns);
    /* One that comes again later finds the store as others have left it. */
    if (version)
        version[0] = '\0';
    kin__mutex_lock(&informer->lock);
    kin__list_push_back(&informer->reflectors, &ns->link);
    ns->id = ++informer->n_arranged;
    kin__mutex_unlock(&informer->lock);
    return 0;
}

static int add_client_reflector(kin_informer *informer, const char *namespace_,
                                const kin__scope *scope, kin_error *err)
{
    kin_list_watch_options options = KIN_LIST_WATCH_OPTIONS_INIT;
    kin_list_watch *source = NULL;
    int code;

    if (has_reflector(informer, namespace_))
        return 0;
    options.namespace_ = namespace_;
    options.label_selector = scope->label_selector;
    options.field_selector = scope->field_selector;
    options.metadata_only = informer->options.content != KIN_CONTENT_WHOLE;
    options.encoding = informer->options.encoding;
    options.decode = &informer->decode;
    code =
        kin_client_list_watch_by_name(informer->client, &source, informer->resource, &options, err);
    if (code == 0)
        code = add_reflector(informer, source, namespace_, scope, err);
    kin_list_watch_unref(source);
    return code;
}

static int add_reflectors(kin_informer *informer, const kin__scope *scope, kin_error *err)
{
    int code = 0;

    if (!informer->client)
        return kin__list_is_empty(&informer->reflectors)
                   ? add_reflector(informer, informer->source, NULL, NULL, err)
                   : 0;
    if (!scope->namespaces)
        return add_client_reflector(informer, NULL, scope, err);
    for (size_t i = 0; code == 0 && i < scope->n_namespaces; i++)
        code = add_client_reflector(informer, scope->namespaces[i], scope, err);
    return code;
}

static int start_reflectors(kin_informer *informer, kin_error *err)
{
    int code = 0;

    kin__list_for_each(&informer->reflectors, node) {
        if (code == 0)
            code = kin__reflector_queue_start(&reflector_of(node)->in, err);
    }
    return code;
}

/* --- what is not looked at any more --- */

struct sweep {
    kin_informer *informer;
    kin__namespace_reflector *by; /* whose queue the deletions go through */
    kin_error *err;
};

/* By a tombstone: nobody has told how it ended, nor that it did. Nor is it transformed once more. */
static int sweep_one(kin_str key, const kin_object *object, void *arg)
{
    const struct sweep *sweep = arg;
    const kin_object *tombstone = NULL;
    int code;

    kin__list_for_each(&sweep->informer->reflectors, node) {
        if (kin__namespace_reflector_owns(reflector_of(node), object))
            return 0;
    }
    code = kin_tombstone_new(&tombstone, key, object, sweep->err);
    if (code == 0)
        code = kin__reflector_queue_delete(&sweep->by->in, tombstone, sweep->err);
    kin_object_unref(tombstone);
    return code;
}

/*
 * All that waits now, the deletions included: before a namespace that comes back can have been listed
 * again, since what is queued behind that would delete what was listed.
 */
static int apply_all(kin__namespace_reflector *ns, kin_error *err)
{
    size_t n = kin__reflector_queue_len(&ns->in);
    int code = 1;

    /* A batch may have less than there is room for: an object that changed twice begins the next. */
    while (n > 0 && code > 0) {
        code = kin__informer_pop(ns, err);
        /* Somebody replaces what waits. */
        if (!ns->in.call.was_made)
            break;
        n -= n < ns->in.call.n_keys ? n : ns->in.call.n_keys;
    }
    return code < 0 ? code : 0;
}

/* One that has been listed. A deletion would end the first list of another before it has come. */
static kin__namespace_reflector *find_synced(const kin_informer *informer)
{
    kin__list_for_each(&informer->reflectors, node) {
        if (reflector_of(node)->in.is_synced)
            return reflector_of(node);
    }
    return NULL;
}

/* Not before something else is there; but one that may not be read keeps nobody from it. */
static int sweep(kin_informer *informer, kin_error *err)
{
    struct sweep sweep = {informer, NULL, err};
    int code;

    if (!informer->must_sweep || KIN_DEFECT(scope_not_swept))
        return 0;
    sweep.by = find_synced(informer);
    if (!sweep.by)
        return 0;
    code = kin_store_each(informer->store, sweep_one, &sweep, err);
    if (code == 0)
        code = apply_all(sweep.by, err);
    informer->must_sweep = code < 0;
    return code;
}

int kin__informer_arrange_reflectors(kin_informer *informer, kin_error *err)
{
    kin__scope scope;
    int code = kin__informer_copy_scope(informer, &scope, err);

    if (code < 0)
        return code;
    if (let_others_go(informer, &scope)) {
        code = add_reflectors(informer, &scope, err);
        if (code == 0)
            code = start_reflectors(informer, err);
        informer->has_listed = informer->has_listed || code == 0;
        if (code == 0)
            code = sweep(informer, err);
    }
    kin__scope_done(&scope);
    return code;
}

/* --- another scope --- */

static int check_client(const kin_informer *informer, kin_error *err)
{
    int code =
        informer ? kin__fork_guard_check(&informer->guard, err) : kin__error_null(err, "informer");

    if (code == 0 && !informer->client)
        code = kin_error_set(err, KIN_EINVAL,
                             "what a source of the caller's own has is for it to decide");
    return code;
}

static void swap_locked(kin_informer *informer, kin__scope *scope) KIN_REQUIRES(informer->lock)
{
    kin__scope before = informer->scope;

    informer->scope = *scope;
    informer->n_scopes++;
    *scope = before;
}

int kin_informer_set_namespaces(kin_informer *informer, const char *const *namespaces, size_t n,
                                kin_error *err)
{
    kin__scope scope;
    int code = check_client(informer, err);

    if (code < 0)
        return code;
    kin__mutex_lock(&informer->lock);
    code = kin__scope_init(&scope, namespaces, n, informer->scope.label_selector,
                           informer->scope.field_selector, err);
    if (code == 0)
        swap_locked(informer, &scope);
    kin__mutex_unlock(&informer->lock);
    kin__scope_done(&scope);
    kin__informer_wake(informer);
    return code;
}

int kin_informer_set_selectors(kin_informer *informer, const char *label_selector,
                               const char *field_selector, kin_error *err)
{
    kin__scope scope;
    int code = check_client(informer, err);

    if (code == 0)
        code = kin__check_label_selector(label_selector, err);
    if (code < 0)
        return code;
    kin__mutex_lock(&informer->lock);
    code = kin__scope_init(&scope, (const char *const *)informer->scope.namespaces,
                           informer->scope.n_namespaces, label_selector, field_selector, err);
    if (code == 0)
        swap_locked(informer, &scope);
    kin__mutex_unlock(&informer->lock);
    kin__scope_done(&scope);
    kin__informer_wake(informer);
    return code;
}
