/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "client/credentials.h"

kin__tls_material *kin__tls_material_ref(kin__tls_material *material)
{
    kin__ref_get(&material->ref);
    return material;
}

void kin__tls_material_unref(kin__tls_material *material)
{
    if (!material || !kin__ref_put(&material->ref))
        return;
    kin__secret_done(&material->certificate);
    kin__secret_done(&material->key);
    kin__secret_done(&material->ca);
    kin__free(material);
}

kin__tls_material *kin__tls_material_new(kin_str certificate, kin_str key, kin_str ca)
{
    /* Of the process, so that no two are ever taken for the same. */
    static _Atomic uint64_t generations;
    kin__tls_material *material = kin__calloc(1, sizeof(*material));

    if (!material)
        return NULL;
    kin__ref_init(&material->ref);
    material->generation = atomic_fetch_add_explicit(&generations, 1, memory_order_relaxed) + 1;
    if (kin__secret_set(&material->certificate, certificate) < 0 ||
        kin__secret_set(&material->key, key) < 0 || kin__secret_set(&material->ca, ca) < 0) {
        kin__tls_material_unref(material);
        return NULL;
    }
    return material;
}
