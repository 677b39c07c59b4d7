/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists: at which version, in which pages, and how they become what the store has.
 *
 * The version is "0" at first, which a server answers from its cache, however old; then the last that was
 * seen, so that time does not go backwards; and none, the newest, once the server has said that it
 * cannot have that one. A list at a version other than these two has no pages, since a server reads pages
 * from etcd, and all its clients come at once when it was restarted. If the first list came in pages all
 * the same, there is no cache to spare, and they stay. The rules are client-go's, but for one: pages at a
 * version are asked for as "not older than" it. Without that a server has to answer with that very version,
 * and who lists since a watch from it has failed gets nothing newer until the server has forgotten it.
 *
 * What a list brings is staged: a list that fails on its second page changes nothing.
 */
#include "base/defect.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "cache/replace.h"
#include "informer/reflector.h"
#include "informer/reflector_queue.h"
#include "kinform/metadata.h"

enum { PAGE = 500 };

/* --- the stepper --- */

static bool is_any(const char *version)
{
    return version[0] == '\0' || strcmp(version, "0") == 0;
}

static int64_t limit_of(const kin_reflector *reflector)
{
    if (reflector->options.page_size > 0)
        return reflector->options.page_size;
    return reflector->paginated || is_any(reflector->list_version) ? PAGE : 0;
}

void kin__reflector_begin_list(kin_reflector *reflector)
{
    if (reflector->unavailable || KIN_DEFECT(relist_at_zero))
        reflector->list_version[0] = '\0';
    else
        kin__reflector_get_version(reflector, &reflector->list_version);
    if (!reflector->unavailable && reflector->list_version[0] == '\0')
        memcpy(reflector->list_version, "0", 2);
    reflector->limit = limit_of(reflector);
    reflector->full_list = false;
    kin__reflector_set_state(reflector, KIN_REFLECTOR_LISTING);
    kin__reflector_measure_list(reflector);
    kin__reflector_begin_page(reflector, NULL);
}

void kin__reflector_begin_resolve(kin_reflector *reflector)
{
    kin__reflector_call *call;
    kin_error why;

    reflector->phase = KIN__PHASE_ROUND;
    kin__reflector_set_state(reflector, KIN_REFLECTOR_LISTING);
    if (kin__reflector_ends(reflector))
        return;
    call = kin__reflector_call_new(reflector, KIN__CALL_LIST);
    if (!call) {
        kin__error_begin(&why);
        kin__error_no_memory(&why);
        kin__reflector_failed(reflector, KIN__CALL_LIST, false, &why);
        return;
    }
    reflector->call = call;
    reflector->phase = KIN__PHASE_CALL;
    call->resolves = true;
    kin__reflector_call_begin(call, NULL);
}

void kin__reflector_begin_page(kin_reflector *reflector, const char *token)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin__reflector_call *call;
    kin_error why;
    int code;

    reflector->phase = KIN__PHASE_ROUND;
    if (kin__reflector_ends(reflector))
        return;
    call = kin__reflector_call_new(reflector, KIN__CALL_LIST);
    code = call ? 0 : KIN_ENOMEM;
    kin__error_begin(&why);
    if (!call)
        kin__error_no_memory(&why);
    else if (!token && !(reflector->replace && KIN_DEFECT(expired_page_keeps_others)))
        code = kin__reflector_begin_replace(reflector, &why);
    if (code < 0) {
        kin__reflector_call_unref(call);
        kin__reflector_failed(reflector, KIN__CALL_LIST, token != NULL, &why);
        return;
    }
    reflector->call = call;
    reflector->phase = KIN__PHASE_CALL;
    call->is_continued = token != NULL;
    /* The token has the version in it. */
    options.resource_version =
        token || !reflector->list_version[0] ? NULL : reflector->list_version;
    options.limit = reflector->full_list ? 0 : reflector->limit;
    if (options.resource_version && options.limit > 0 && !is_any(reflector->list_version))
        options.resource_version_match = "NotOlderThan";
    options.continue_token = token;
    options.listed_bytes = token ? reflector->page_bytes : 0;
    /* A list that makes progress may take as long as it does. */
    options.timeout_ms = -1;
    options.progress_timeout_ms = reflector->list_timeout_ms;
    kin__reflector_call_begin(call, &options);
}

int kin__reflector_begin_replace(kin_reflector *reflector, kin_error *err)
{
    int code;

    kin__reflector_abort_replace(reflector);
    reflector->list_has_gaps = false;
    reflector->list_items = 0;
    kin__gaps_clear(&reflector->list_gaps);
    kin__gaps_clear(&reflector->page_gaps);
    reflector->has_first_page = false;
    kin__assert_no_locks();
    if (reflector->queue)
        kin__reflector_queue_begin_list(reflector->queue);
    code = reflector->store.replace_begin(&reflector->replace, reflector->store.arg, err);
    if (code >= 0 && !reflector->replace)
        code = kin_error_set(err, KIN_EINVAL, "the store has begun no replacement");
    if (code < 0) {
        kin__reflector_count(reflector, &reflector->status.store_errors);
        return kin__said(err, code);
    }
    return 0;
}

void kin__reflector_abort_replace(kin_reflector *reflector)
{
    kin_replace_abort(reflector->replace);
    reflector->replace = NULL;
    atomic_store_explicit(&reflector->n_listed, 0, memory_order_relaxed);
}

/* --- what comes --- */

bool kin__is_about_object(int code)
{
    switch (code) {
    case KIN_ENOMEM:
    case KIN_EBUSY:
    case KIN_ECLOSED:
    case KIN_EFORKED:
    case KIN_ESYSTEM:
    case KIN_ECANCELED:
    case KIN_ETIMEOUT:
        return false;
    default:
        return true;
    }
}

int kin__reflector_call_stage(kin__reflector_call *call, const kin_object *object, kin_error *err)
{
    kin_reflector *reflector = call->reflector;
    int code = kin_replace_add(reflector->replace, object, err);

    if (code == 0) {
        atomic_fetch_add_explicit(&reflector->n_listed, 1, memory_order_relaxed);
        return 0;
    }
    if (kin__is_about_object(code)) {
        kin__reflector_call_skip_item(call, object, err->message);
        return 0;
    }
    call->store_failed = true;
    kin__reflector_count(reflector, &reflector->status.store_errors);
    return code;
}

/* What stands in a list under this key, if that is known, cannot be used: the store keeps what it has. */
static void keep(kin_reflector *reflector, kin_str key)
{
    kin__gaps_add(&reflector->page_gaps, key);
    if (key.len == 0 || kin_replace_keep(reflector->replace, key, NULL) < 0)
        reflector->list_has_gaps = true;
}

/*
 * What is there or has changed can be done without: the store keeps what it has of it. That something is
 * gone, or all that there is has come, cannot.
 */
int kin__reflector_call_take_bad(kin__reflector_call *call, enum kin_watch_type type, kin_str key,
                                 const kin_error *why, kin_error *err)
{
    bool is_list = type == 0;

    if (!is_list && type != KIN_WATCH_ADDED && type != KIN_WATCH_MODIFIED)
        return kin__error_pass(err, why->code, why);
    kin__reflector_skip_bad(call->reflector, key, why->message);
    /* It is the object's own, and not what a key function would say. */
    if (call->reflector->key)
        key.len = 0;
    if (is_list || call->kind == KIN__CALL_STREAM) {
        call->reflector->list_items++;
        keep(call->reflector, key);
        return 0;
    }
    call->n_events++;
    kin__gaps_add(&call->reflector->gaps, key);
    call->gaps_changed = true;
    return 0;
}

void kin__reflector_call_skip_item(kin__reflector_call *call, const kin_object *object,
                                   const char *why)
{
    kin_str key = kin__reflector_key(call->reflector, object);

    kin__reflector_skip(call->reflector, object, why);
    if (key.len > 0)
        keep(call->reflector, key);
    else /* The store cannot have it. */
        kin__gaps_add(&call->reflector->page_gaps, key);
}

int kin__reflector_call_take_item(kin__reflector_call *call, const kin_object *object,
                                  kin_error *err)
{
    kin_scratch scratch;

    call->reflector->list_items++;
    /* Items of a list need not say what they are. */
    if (kin_object_kind(object, &scratch).len > 0 &&
        !kin__reflector_expects(call->reflector, object)) {
        kin__reflector_call_skip_item(call, object, "it is of another kind");
        return 0;
    }
    return kin__reflector_call_stage(call, object, err);
}

static int copy_version(kin__version *ret, kin_str version, kin_error *err)
{
    if (version.len >= sizeof(*ret))
        return kin_error_set(err, KIN_EPROTOCOL, "a list with a resource version of %zu bytes",
                             version.len);
    memcpy(*ret, version.data, version.len);
    (*ret)[version.len] = '\0';
    return 0;
}

static bool is_table(const kin_object *list)
{
    kin_scratch scratch[2];

    return kin_str_equal(kin_object_kind(list, &scratch[0]), kin_str_of("Table")) &&
           kin__str_starts_with(kin_object_api_version(list, &scratch[1]),
                                kin_str_of("meta.k8s.io/"));
}

int kin__reflector_call_read_list(kin__reflector_call *call, const kin_object *list, kin_error *err)
{
    kin_scratch scratch;
    kin_str token;
    int code;

    if (!list)
        return 0;
    if (is_table(list))
        return kin_error_set(err, KIN_EPROTOCOL, "the server has sent a Table instead of a list");
    code = copy_version(&call->version, kin_object_resource_version(list), err);
    if (code < 0)
        return code;
    token = kin_object_continue_token(list, &scratch);
    if (token.len == 0)
        return 0;
    call->token = kin__memdup_str(token);
    return call->token ? 0 : kin__error_no_memory(err);
}

int kin__reflector_commit(kin_reflector *reflector, kin_str version, kin_error *err)
{
    bool keeps_missing;
    int code;

    kin__assert_no_locks();
    if (reflector->list_has_gaps)
        kin_replace_keep_missing(reflector->replace);
    /* Also where it was told to keep one, and could not but keep all. */
    keeps_missing = reflector->replace->keeps;
    code = reflector->queue ? kin__reflector_queue_commit_list(reflector->queue, reflector->replace,
                                                               version, err)
                            : kin_replace_commit(reflector->replace, version, err);
    if (code < 0) {
        kin__reflector_abort_replace(reflector);
        kin__reflector_count(reflector, &reflector->status.store_errors);
        return code;
    }
    reflector->replace = NULL;
    atomic_store_explicit(&reflector->n_listed, 0, memory_order_relaxed);
    kin__gaps_move(&reflector->list_gaps, &reflector->page_gaps);
    kin__gaps_replace(&reflector->gaps, &reflector->list_gaps);
    reflector->gaps.keeps_missing = keeps_missing;
    kin__mutex_lock(&reflector->lock);
    kin__reflector_note_gaps_locked(reflector);
    kin__mutex_unlock(&reflector->lock);
    return 0;
}
