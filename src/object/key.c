/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys: "namespace/name" or "name". Taking one apart gives views of it and allocates nothing.
 *
 * Putting the parts together and taking the result apart gives the parts again if neither holds
 * a slash. The other way round only "/name" changes: it loses its slash, as in client-go.
 */
#include "kinform/key.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"

int kin_key_split(kin_str *ret_namespace, kin_str *ret_name, kin_str key, kin_error *err)
{
    size_t slash = kin__str_find(key, '/');
    kin_str namespace_ = kin_str_make(key.data, 0);
    kin_str name = key;

    if (slash < key.len) {
        namespace_.len = slash;
        name = kin_str_make(key.data + slash + 1, key.len - slash - 1);

        size_t second = kin__str_find(name, '/');
        if (second < name.len)
            return kin__error_parse(err, slash + 1 + second,
                                    "key: expected \"name\" or \"namespace/name\", found a second "
                                    "'/'");
    }
    if (ret_namespace)
        *ret_namespace = namespace_;
    if (ret_name)
        *ret_name = name;
    return 0;
}

/* False if the length cannot be told: the parts may be longer together than memory is. */
static bool key_len(size_t *ret, kin_str namespace_, kin_str name)
{
    size_t len;

    if (namespace_.len == 0) {
        *ret = name.len;
        return true;
    }
    return !__builtin_add_overflow(namespace_.len, 1, &len) &&
           !__builtin_add_overflow(len, name.len, ret);
}

/* As much of `s` as fits behind `at`; where it ends, had all of it fitted. */
static size_t put_part(char *buf, size_t room, size_t at, kin_str s)
{
    if (at < room && s.len) {
        size_t fits = room - at < s.len ? room - at : s.len;

        memcpy(buf + at, s.data, fits);
    }
    return at + s.len;
}

size_t kin_key_format(char *buf, size_t size, kin_str namespace_, kin_str name)
{
    static const kin_str slash = KIN__STR("/");
    size_t len;
    size_t at = 0;

    if (!key_len(&len, namespace_, name))
        len = SIZE_MAX;
    if (size == 0)
        return len;
    if (namespace_.len) {
        at = put_part(buf, size - 1, at, namespace_);
        at = put_part(buf, size - 1, at, slash);
    }
    put_part(buf, size - 1, at, name);
    buf[len < size ? len : size - 1] = '\0';
    return len;
}

int kin_key_new(char **ret, kin_str namespace_, kin_str name, kin_error *err)
{
    size_t len = 0;

    if (!ret)
        return kin__error_null(err, "ret");
    if (!key_len(&len, namespace_, name) || len == SIZE_MAX)
        return kin__error_no_memory(err);
    char *key = kin__malloc(len + 1);
    if (!key)
        return kin__error_no_memory(err);
    kin_key_format(key, len + 1, namespace_, name);
    *ret = key;
    return 0;
}

int kin_namespaced_name_parse(kin_namespaced_name *ret, kin_str key, kin_error *err)
{
    if (!ret)
        return kin__error_null(err, "ret");
    return kin_key_split(&ret->namespace_, &ret->name, key, err);
}

int kin_namespaced_name_compare(kin_namespaced_name a, kin_namespaced_name b)
{
    int order = kin__str_compare(a.namespace_, b.namespace_);

    if (order == 0)
        order = kin__str_compare(a.name, b.name);
    return (order > 0) - (order < 0);
}

bool kin_namespaced_name_equal(kin_namespaced_name a, kin_namespaced_name b)
{
    return kin_str_equal(a.namespace_, b.namespace_) && kin_str_equal(a.name, b.name);
}
