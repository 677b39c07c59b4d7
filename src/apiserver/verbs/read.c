/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Get and list. The state in memory is always the newest, so what the real server's rules leave
 * open is the newest here:
 *
 * | resourceVersion | match              | what is given                                          |
 * |-----------------|--------------------|--------------------------------------------------------|
 * | none            | none               | the newest                                             |
 * | 0               | none, NotOlderThan | the newest; a limit does not count, as with a cache    |
 * | N               | none, no limit     | the newest, once N is there                            |
 * | N               | none, with a limit | N                                                      |
 * | N               | NotOlderThan       | the newest, once N is there                            |
 * | N               | Exact              | N                                                      |
 */
#include <string.h>

#include "apiserver/protocol/continue_token.h"
#include "apiserver/protocol/selector.h"
#include "apiserver/verbs/api_inside.h"
#include "base/str.h"
#include "object/object.h"

bool kin__serve_get(kin__op *op, kin__failure *failure)
{
    const kin_object *object = NULL;
    uint64_t current = kin__state_version(op->api->state);
    uint64_t version;
    int code;

    if (!kin__resource_version_read(op->info.options.resource_version, op->info.verb, &version,
                                    failure))
        return false;
    if (version > current && !kin__op_has_waited(op))
        return kin__op_wait(op, version, kin__serve_get, failure);
    if (version > current)
        return kin__fail_too_large_version(failure, version, current);
    code = kin__state_get(op->api->state, op->collection, kin__buf_str(&op->key), &object, NULL);
    if (code < 0)
        return kin__fail_not_found(failure, op->kind, op->info.name);
    if (op->subresource && kin_str_equal(op->info.subresource, kin_str_of("scale"))) {
        kin_error err = KIN_ERROR_INIT;
        const kin_object *scale = NULL;

        code = kin__scale_of(&scale, op, object, &err);
        kin_object_unref(object);
        if (code < 0)
            return kin__op_fail_code(failure, code, &err);
        object = scale;
    }
    kin__op_answer_object(op, 200, object);
    kin_object_unref(object);
    return true;
}

bool kin__op_prefix(const kin__op *op, kin__buf *ret, kin__failure *failure)
{
    if (op->info.namespace_.len == 0)
        return true;
    kin__buf_append(ret, op->info.namespace_);
    kin__buf_append_char(ret, '/');
    return ret->failed ? kin__fail_no_memory(failure) : true;
}

struct listing {
    kin__state_query query;
    kin__selector selector;
    kin__continue from;
    kin__buf prefix;
    kin__buf after;
    bool is_continued;
};

static void listing_init(struct listing *l)
{
    *l = (struct listing){.is_continued = false};
    kin__buf_init(&l->prefix, KIN__PATH_MAX + 1);
    kin__buf_init(&l->after, KIN__PATH_MAX + KIN__CONTINUE_MAX);
    kin__buf_init(&l->from.after, KIN__CONTINUE_MAX);
}

static void listing_done(struct listing *l)
{
    if (l->selector.labels)
        kin__selector_done(&l->selector);
    kin__continue_done(&l->from);
    kin__buf_done(&l->prefix);
    kin__buf_done(&l->after);
}

static bool read_continue(kin__op *op, struct listing *l, kin__failure *failure)
{
    if (op->info.options.continue_token.len == 0)
        return true;
    if (!kin__continue_read(&l->from, op->info.options.continue_token, failure))
        return false;
    kin__buf_append(&l->after, kin__buf_str(&l->prefix));
    kin__buf_append(&l->after, kin__buf_str(&l->from.after));
    if (l->after.failed)
        return kin__fail_no_memory(failure);
    l->is_continued = true;
    l->query.after = kin__buf_str(&l->after);
    l->query.version = l->from.version > 0 ? (uint64_t)l->from.version : 0;
    return true;
}

/* Only one object can be meant: no need to look at others, and nothing is left for another page. */
static bool narrow_to_name(kin__op *op, struct listing *l, kin__failure *failure)
{
    kin_str name;

    if (!kin__selector_name(&l->selector, &name) ||
        (op->kind->namespaced && op->info.namespace_.len == 0))
        return true;
    l->query.limit = 0;
    kin__buf_append(&l->prefix, name);
    if (l->prefix.failed)
        return kin__fail_no_memory(failure);
    l->query.prefix = kin__buf_str(&l->prefix);
    return true;
}

static bool prepare(kin__op *op, struct listing *l, uint64_t version, kin__failure *failure)
{
    const kin__query_options *o = &op->info.options;
    bool is_any = kin_str_equal(o->resource_version, kin_str_of("0"));
    bool is_exact = kin_str_equal(o->resource_version_match, kin_str_of("Exact"));

    if (!kin__op_prefix(op, &l->prefix, failure) || !read_continue(op, l, failure) ||
        !kin__selector_for(&l->selector, op->kind, op->version, o->labels, o->fields, failure))
        return false;
    l->query.prefix = kin__buf_str(&l->prefix);
    l->query.limit = is_any || o->limit > SIZE_MAX ? 0 : (size_t)o->limit;
    if (version > 0 && (is_exact || (o->resource_version_match.len == 0 && o->limit > 0)))
        l->query.version = version;
    if (!kin__selector_is_empty(&l->selector)) {
        l->query.match = kin__selector_match;
        l->query.match_arg = &l->selector;
    }
    return narrow_to_name(op, l, failure);
}

static bool fail_list(kin__op *op, const struct listing *l, int code, const kin_error *err,
                      kin__failure *failure)
{
    kin__buf token;

    if (code == KIN_ERANGE)
        return kin__fail_too_large_version(failure, l->query.version,
                                           kin__state_version(op->api->state));
    if (code != KIN_EEXPIRED)
        return kin__op_fail_code(failure, code, err);
    if (!l->is_continued)
        return kin__fail_expired(failure, "The resourceVersion for the provided list is too old.");
    kin__fail_expired(
        failure,
        "The provided continue parameter is too old to display a consistent list result. You can "
        "start a new list without the continue parameter, or use the continue token in this "
        "response to retrieve the remainder of the results. Continuing with the provided token "
        "results in an inconsistent list - objects that were created, modified, or deleted between "
        "the time the first chunk was returned and now may show up in the list.");
    kin__buf_init(&token, sizeof(failure->continue_token) - 1);
    kin__continue_write(&token, -1, kin__buf_str(&l->from.after));
    if (!token.failed)
        memcpy(failure->continue_token, token.data, token.len + 1);
    kin__buf_done(&token);
    return false;
}

/* The token of the next page: where the last object of this one stands. */
static bool write_token(const struct listing *l, const kin__state_page *page, kin__buf *ret)
{
    kin_str key;
    size_t prefix = l->prefix.len;

    if (!page->more || page->objects.len == 0)
        return true;
    key = kin__object_key(page->objects.items[page->objects.len - 1]);
    kin__continue_write(ret, (int64_t)page->version,
                        kin_str_make(key.data + prefix, key.len - prefix));
    return !ret->failed;
}

static bool list(kin__op *op, struct listing *l, kin__failure *failure)
{
    kin__state_page page;
    kin__buf token;
    kin_error err = KIN_ERROR_INIT;
    int code = kin__state_list(op->api->state, op->collection, &l->query, &page, &err);

    if (code < 0)
        return fail_list(op, l, code, &err, failure);
    kin__buf_init(&token, (size_t)KIN__CONTINUE_MAX * 2);
    if (!write_token(l, &page, &token)) {
        kin_object_list_done(&page.objects);
        kin__buf_done(&token);
        return kin__fail_no_memory(failure);
    }
    kin__op_answer_list(op, &page, kin__buf_str(&token));
    kin__buf_done(&token);
    return true;
}

bool kin__serve_list(kin__op *op, kin__failure *failure)
{
    uint64_t current = kin__state_version(op->api->state);
    struct listing l;
    uint64_t version;
    bool ok;

    if (!kin__resource_version_read(op->info.options.resource_version, op->info.verb, &version,
                                    failure))
        return false;
    if (version > current && !kin__op_has_waited(op))
        return kin__op_wait(op, version, kin__serve_list, failure);
    if (version > current)
        return kin__fail_too_large_version(failure, version, current);
    listing_init(&l);
    ok = prepare(op, &l, version, failure) && list(op, &l, failure);
    listing_done(&l);
    return ok;
}
