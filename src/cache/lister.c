/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listers are visits (view.c) of a store, or of a value of its index of namespaces, that pass on what
 * a selector matches. So labels, which may be asked of a class of the caller's own, are looked at with
 * no pin but the visit's, which keeps one version only. Where every object matches, the store's own
 * lists are quicker.
 */
#include "kinform/lister.h"

#include "base/error.h"
#include "base/log.h"
#include "cache/collect.h"
#include "cache/store.h"
#include "kinform/key.h"

struct kin_lister {
    kin_store *store;
    char *resource;
};

/* What a visit passes on, and to whom. */
struct selection {
    const kin_label_selector *selector; /* NULL: everything */
    const kin_str *namespace_;          /* NULL: any, or looked up already */
    kin_visit_fn *visit;
    void *arg;
    bool begun; /* an object was looked at */
};

static int visit_selected(kin_str key, const kin_object *object, void *arg)
{
    struct selection *s = arg;

    s->begun = true;
    if (s->namespace_ && !kin_str_equal(kin_object_namespace(object), *s->namespace_))
        return 0;
    if (s->selector && !kin_label_selector_matches(s->selector, object))
        return 0;
    return s->visit(key, object, s->arg);
}

static const kin_label_selector *simplify(const kin_label_selector *selector)
{
    return selector && kin_label_selector_is_empty(selector) ? NULL : selector;
}

static bool is_nothing(const kin_label_selector *selector)
{
    return selector && kin_label_selector_is_nothing(selector);
}

/* Once per store: a program that lists in a loop would fill its log with it. */
static void warn_of_scan(kin_store *store)
{
    if (!atomic_exchange_explicit(&store->scan_warned, true, memory_order_relaxed))
        kin__log(store->logger, KIN_LOG_WARN, "lister",
                 "there is no index of namespaces: all objects are looked at",
                 KIN__LOG_S("store", store->name), KIN__LOG_S("index", KIN_NAMESPACE_INDEX));
}

/* A namespace of a store that has no index of them. */
static int scan(kin_store *store, kin_str namespace_, struct selection *s, kin_error *err)
{
    warn_of_scan(store);
    s->namespace_ = &namespace_;
    return kin_store_each(store, visit_selected, s, err);
}

static int visit_namespace(kin_store *store, kin_str namespace_, struct selection *s,
                           kin_error *err)
{
    kin_error said;
    int code;

    kin__error_begin(&said);
    code = kin_store_each_by_index(store, kin_str_of(KIN_NAMESPACE_INDEX), namespace_,
                                   visit_selected, s, &said);
    if (s->begun || code >= 0)
        return code;
    /* The visitor has said nothing yet, so it is the index that is not there. */
    return code == KIN_ENOTFOUND ? scan(store, namespace_, s, err)
                                 : kin__error_pass(err, code, &said);
}

int kin_visit_all_by_namespace(kin_store *store, kin_str namespace_,
                               const kin_label_selector *selector, kin_visit_fn *visit, void *arg,
                               kin_error *err)
{
    struct selection s = {simplify(selector), NULL, visit, arg, false};
    int code = kin__store_check(store, err);

    if (code == 0 && !visit)
        code = kin__error_null(err, "visit");
    if (code < 0 || is_nothing(selector))
        return code;
    return namespace_.len ? visit_namespace(store, namespace_, &s, err)
                          : kin_store_each(store, visit_selected, &s, err);
}

int kin_visit_all(kin_store *store, const kin_label_selector *selector, kin_visit_fn *visit,
                  void *arg, kin_error *err)
{
    return kin_visit_all_by_namespace(store, kin_str_make(NULL, 0), selector, visit, arg, err);
}

/* --- lists --- */

static int collect(kin_str key, const kin_object *object, void *arg)
{
    (void)key;
    return kin__collect_object(arg, object);
}

static int list_selected(kin_store *store, kin_object_list *ret, kin_str namespace_,
                         const kin_label_selector *selector, kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    int code = kin_visit_all_by_namespace(store, namespace_, selector, collect, &to, err);

    if (code == KIN_ENOMEM)
        kin__error_no_memory(err);
    return kin__collector_give_objects(&to, code, ret);
}

/* All of a namespace, whatever their labels. */
static int list_namespace(kin_store *store, kin_object_list *ret, kin_str namespace_,
                          kin_error *err)
{
    kin_error said;
    int code;

    kin__error_begin(&said);
    code = kin_store_by_index(store, ret, kin_str_of(KIN_NAMESPACE_INDEX), namespace_, &said);
    if (code == KIN_ENOTFOUND)
        return list_selected(store, ret, namespace_, NULL, err);
    return code < 0 ? kin__error_pass(err, code, &said) : 0;
}

int kin_list_all_by_namespace(kin_store *store, kin_object_list *ret, kin_str namespace_,
                              const kin_label_selector *selector, kin_error *err)
{
    int code = kin__store_check(store, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    if (simplify(selector))
        return list_selected(store, ret, namespace_, selector, err);
    return namespace_.len ? list_namespace(store, ret, namespace_, err)
                          : kin_store_list(store, ret, err);
}

int kin_list_all(kin_store *store, kin_object_list *ret, const kin_label_selector *selector,
                 kin_error *err)
{
    return kin_list_all_by_namespace(store, ret, kin_str_make(NULL, 0), selector, err);
}

/* --- of one resource --- */

int kin_lister_new(kin_lister **ret, kin_store *store, const char *resource, kin_error *err)
{
    kin_lister *lister;

    if (!ret || !store || !resource)
        return kin__error_null(err, !ret ? "ret" : !store ? "store" : "resource");
    lister = kin__calloc(1, sizeof(*lister));
    if (lister)
        lister->resource = kin__memdup_str(kin_str_of(resource));
    if (!lister || !lister->resource) {
        kin__free(lister);
        return kin__error_no_memory(err);
    }
    lister->store = kin_store_ref(store);
    *ret = lister;
    return 0;
}

void kin_lister_free(kin_lister *lister)
{
    if (!lister)
        return;
    kin_store_unref(lister->store);
    kin__free(lister->resource);
    kin__free(lister);
}

int kin_lister_list(kin_lister *lister, kin_object_list *ret, kin_str namespace_,
                    const kin_label_selector *selector, kin_error *err)
{
    return lister ? kin_list_all_by_namespace(lister->store, ret, namespace_, selector, err)
                  : kin__error_null(err, "lister");
}

int kin_lister_each(kin_lister *lister, kin_str namespace_, const kin_label_selector *selector,
                    kin_visit_fn *visit, void *arg, kin_error *err)
{
    return lister ? kin_visit_all_by_namespace(lister->store, namespace_, selector, visit, arg, err)
                  : kin__error_null(err, "lister");
}

static int not_found(const kin_lister *lister, kin_str name, kin_error *err)
{
    kin_error_set(err, KIN_ENOTFOUND, "%s \"%" KIN_STR_FMT "\" not found", lister->resource,
                  KIN_STR_ARG(name));
    kin__error_http(err, 404, kin_str_of("NotFound"));
    return KIN_ENOTFOUND;
}

static int get(kin_lister *lister, const kin_object **ret, kin_str key, kin_str name,
               kin_error *err)
{
    kin_error said;
    int code;

    kin__error_begin(&said);
    code = kin_store_get(lister->store, ret, key, &said);
    if (code == KIN_ENOTFOUND)
        return not_found(lister, name, err);
    return code < 0 ? kin__error_pass(err, code, &said) : 0;
}

int kin_lister_get(kin_lister *lister, const kin_object **ret, kin_str namespace_, kin_str name,
                   kin_error *err)
{
    /* Names have up to 253 bytes, namespaces 63. */
    char few[320];
    char *many = NULL;
    size_t len;
    int code;

    if (!lister)
        return kin__error_null(err, "lister");
    len = kin_key_format(few, sizeof(few), namespace_, name);
    if (len > KIN_KEY_BYTES_MAX)
        return not_found(lister, name, err);
    if (len >= sizeof(few)) {
        code = kin_key_new(&many, namespace_, name, err);
        if (code < 0)
            return code;
    }
    code = get(lister, ret, kin_str_make(many ? many : few, len), name, err);
    kin__free(many);
    return code;
}

int kin_lister_by_index(kin_lister *lister, kin_object_list *ret, kin_str index, kin_str value,
                        kin_error *err)
{
    return lister ? kin_store_by_index(lister->store, ret, index, value, err)
                  : kin__error_null(err, "lister");
}

kin_store *kin_lister_store(const kin_lister *lister)
{
    return lister ? lister->store : NULL;
}
