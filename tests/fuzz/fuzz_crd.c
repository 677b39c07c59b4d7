/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CustomResourceDefinitions of any JSON: what is taken can be served, found and discovered, and
 * gives documents that are JSON; what is refused has causes. Metadata of the same object are
 * judged, too.
 */
#include <string.h>

#include "apiserver/kinds/kind_crd.h"
#include "apiserver/kinds/names.h"
#include "apiserver/kinds/registry.h"
#include "apiserver/kinds/validate.h"
#include "apiserver/protocol/discovery.h"
#include "fuzz.h"
#include "kinform/json.h"

static void check_json(const kin__buf *text)
{
    const kin_object *object = NULL;

    FUZZ_CHECK(kin_object_from_json(&object, kin__buf_str(text), NULL, NULL) == 0);
    kin_object_unref(object);
}

static void check_failure(const kin__failure *failure)
{
    kin__buf out;

    FUZZ_CHECK(failure->status == 422 || failure->status == 400);
    FUZZ_CHECK(failure->status == 400 || failure->n_causes > 0);
    kin__buf_init(&out, 1 << 20);
    kin__failure_write(failure, &out);
    check_json(&out);
    kin__buf_done(&out);
}

static void check_discovery(kin__registry *registry)
{
    kin__buf out;

    kin__buf_init(&out, 16 << 20);
    kin__discovery_apis(registry, KIN__DISCOVERY_V2, &out);
    check_json(&out);
    kin__buf_done(&out);
}

/* Names that can stand in paths and documents, one storage version, and an order. */
static void check_kind(const kin__kind *kind)
{
    bool has_storage = false;

    FUZZ_CHECK(kin__name_problems(KIN__NAME_LABEL_1035, kin_str_of(kind->resource), false).n == 0);
    FUZZ_CHECK(kin__name_problems(KIN__NAME_LABEL_1035, kin_str_of(kind->singular), false).n == 0);
    FUZZ_CHECK(kin__name_problems(KIN__NAME_SUBDOMAIN, kin_str_of(kind->group), false).n == 0);
    FUZZ_CHECK(kind->kind[0] && kind->list_kind[0] && strcmp(kind->kind, kind->list_kind) != 0);
    for (const kin__kind_version *v = kind->versions; v->name; v++) {
        has_storage |= v->name == kind->storage_version;
        FUZZ_CHECK(!v[1].name ||
                   kin__version_compare(kin_str_of(v->name), kin_str_of(v[1].name)) < 0);
        FUZZ_CHECK(!v->scale.replicas || v->scale.status_replicas);
    }
    FUZZ_CHECK(has_storage);
}

static void serve(const kin__kind *kind)
{
    kin__registry *registry = NULL;
    kin__name_conflict conflict;

    FUZZ_CHECK(kin__registry_new(&registry, NULL) == 0);
    int code = kin__registry_put(registry, kind, &conflict, NULL);
    FUZZ_CHECK(code == 0 || (code == KIN_EEXISTS && conflict.reason));
    if (code == 0) {
        kin_str version = kin_str_of(kind->versions[0].name);
        const kin__kind *found = kin__registry_find(registry, kin_str_of(kind->group), version,
                                                    kin_str_of(kind->resource));

        FUZZ_CHECK((found == kind) == kind->versions[0].served);
        kin__kind_unref(found);
        check_discovery(registry);
    }
    kin__registry_free(registry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const kin_object *crd = NULL;
    const kin__kind *kind = NULL;
    kin__failure failure;

    if (kin_object_from_json(&crd, kin_str_make((const char *)data, size), NULL, NULL) < 0)
        return 0;
    if (kin__kind_from_crd(&kind, crd, &failure)) {
        check_kind(kind);
        serve(kind);
    } else {
        check_failure(&failure);
    }
    const kin__kind *judge = kind ? kind : kin__builtin_kinds[0];
    bool is_good = kin__validate_body(judge, kin_str_of("v1"), NULL, kin_str_of("a"),
                                      kin_str_of("b"), crd, &failure) &&
                   kin__validate_create(judge, crd, &failure) &&
                   kin__validate_update(judge, crd, crd, &failure);
    if (!is_good)
        check_failure(&failure);
    kin__kind_unref(kind);
    kin_object_unref(crd);
    return 0;
}
