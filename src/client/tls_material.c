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
