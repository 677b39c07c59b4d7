/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be asked of a kind. Nothing here changes one but its count.
 *
 * "status" and "scale" are subresources of a version: they are not in the list of the others, but
 * stand among them in the order of names, as discovery has them.
 */
#include "apiserver/kinds/kind.h"

#include "apiserver/kinds/kind_crd.h"
#include "base/compiler.h"
#include "base/str.h"

const char *kin__verb_name(enum kin__verb verb)
{
    static const char *const names[] = {"get",    "list",  "watch",  "create",
                                        "update", "patch", "delete", "deletecollection"};

    return (size_t)verb < kin__array_len(names) ? names[verb] : "";
}

const kin__kind *kin__kind_ref(const kin__kind *kind)
{
    if (kind && kind->custom)
        kin__ref_get(&((kin__kind *)kin__unconst(kind))->ref);
    return kind;
}

void kin__kind_unref(const kin__kind *kind)
{
    if (kind && kind->custom && kin__ref_put(&((kin__kind *)kin__unconst(kind))->ref))
        kin__kind_crd_free(kin__unconst(kind));
}

const kin__kind_version *kin__kind_find_version(const kin__kind *kind, kin_str version)
{
    for (const kin__kind_version *v = kind->versions; v->name; v++)
        if (kin_str_equal(kin_str_of(v->name), version))
            return v->served ? v : NULL;
    return NULL;
}

bool kin__kind_serves(const kin__kind *kind, kin_str version)
{
    return kin__kind_find_version(kind, version) != NULL;
}

/* --- subresources --- */

static const kin__subresource scale_subresource = {"scale", "autoscaling", "v1", "Scale",
                                                   KIN__VERBS_WRITE_PART};
/* Its kind is that of whom it belongs to: the name is empty. */
static const kin__subresource status_subresource = {"status", "", "", "", KIN__VERBS_WRITE_PART};

/* The first by name of three lists: whichever is not yet past. */
static const kin__subresource *first_of(const kin__subresource *a, const kin__subresource *b)
{
    if (!a || !a->name)
        return b;
    if (!b || !b->name)
        return a;
    return strcmp(a->name, b->name) < 0 ? a : b;
}

const kin__subresource *kin__kind_subresource_at(const kin__kind *kind,
                                                 const kin__kind_version *version, size_t index)
{
    const kin__subresource *scale = version->scale.replicas ? &scale_subresource : NULL;
    const kin__subresource *status = version->has_status ? &status_subresource : NULL;
    const kin__subresource *other = kind->subresources;
    const kin__subresource *found;

    do {
        found = first_of(first_of(other, scale), status);
        if (!found || !found->name)
            return NULL;
        if (found == scale)
            scale = NULL;
        else if (found == status)
            status = NULL;
        else
            other++;
    } while (index-- > 0);
    return found;
}

const kin__subresource *kin__kind_find_subresource(const kin__kind *kind,
                                                   const kin__kind_version *version, kin_str name)
{
    const kin__subresource *found;

    for (size_t i = 0; (found = kin__kind_subresource_at(kind, version, i)); i++)
        if (kin_str_equal(kin_str_of(found->name), name))
            return found;
    return NULL;
}

/* --- the order of versions --- */

struct version {
    bool known;    /* it looks like v1, v1beta2 or v1alpha3 */
    int stability; /* 2: neither alpha nor beta, 1: beta, 0: alpha */
    uint64_t major;
    uint64_t minor;
};

/* Digits at the beginning, which are cut off; false if there are none or too many. */
static bool take_number(kin_str *rest, uint64_t *ret)
{
    size_t n = 0;

    while (n < rest->len && rest->data[n] >= '0' && rest->data[n] <= '9')
        n++;
    if (n == 0 || kin__str_to_u64(ret, kin_str_make(rest->data, n)) < 0)
        return false;
    *rest = kin_str_make(rest->data + n, rest->len - n);
    return true;
}

static bool take_word(kin_str *rest, kin_str word)
{
    if (!kin__str_starts_with(*rest, word))
        return false;
    *rest = kin_str_make(rest->data + word.len, rest->len - word.len);
    return true;
}

static struct version read_version(kin_str text)
{
    struct version v = {false, 2, 0, 0};

    if (!take_word(&text, kin_str_of("v")) || !take_number(&text, &v.major))
        return v;
    if (text.len > 0) {
        if (take_word(&text, kin_str_of("beta")))
            v.stability = 1;
        else if (take_word(&text, kin_str_of("alpha")))
            v.stability = 0;
        else
            return v;
        if (!take_number(&text, &v.minor))
            return v;
    }
    v.known = text.len == 0;
    return v;
}

static int later_first(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

int kin__version_compare(kin_str a, kin_str b)
{
    struct version va = read_version(a);
    struct version vb = read_version(b);

    if (va.known != vb.known)
        return va.known ? -1 : 1;
    if (!va.known)
        return kin__str_compare(a, b);
    if (va.stability != vb.stability)
        return vb.stability - va.stability;
    if (va.major != vb.major)
        return later_first(va.major, vb.major);
    return later_first(va.minor, vb.minor);
}
