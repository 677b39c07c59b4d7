/* SPDX-License-Identifier: Apache-2.0 */
#include "informer/deletions.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "kinform/resource_version.h"

enum {
    REMEMBERED = 128,
    VERSION_BYTES = 24, /* those of etcd have 20 at most; longer ones are not remembered */
};

struct kin__deletion {
    uint64_t hash;
    char version[VERSION_BYTES];
};

static uint64_t hash_of(kin_str key)
{
    return kin__hash(kin__hash_seed(), key.data, key.len);
}

void kin__deletions_done(kin__deletions *deletions)
{
    kin__free(deletions->items);
    *deletions = (kin__deletions){NULL, 0};
}

void kin__deletions_reserve(kin__deletions *deletions)
{
    if (!deletions->items)
        deletions->items = kin__calloc(REMEMBERED, sizeof(*deletions->items));
}

void kin__deletions_add(kin__deletions *deletions, kin_str key, kin_str version)
{
    kin__deletion *deletion;

    if (version.len == 0 || version.len >= VERSION_BYTES)
        return;
    kin__deletions_reserve(deletions);
    if (!deletions->items)
        return;
    deletion = &deletions->items[deletions->n++ % REMEMBERED];
    deletion->hash = hash_of(key);
    memcpy(deletion->version, version.data, version.len);
    deletion->version[version.len] = '\0';
}

bool kin__deletions_has(const kin__deletions *deletions, kin_str key, kin_str version)
{
    size_t n = deletions->n < REMEMBERED ? deletions->n : REMEMBERED;
    uint64_t hash = n > 0 ? hash_of(key) : 0;

    for (size_t i = 0; i < n; i++) {
        const kin__deletion *deletion = &deletions->items[i];
        int order = -1;

        if (deletion->hash == hash &&
            kin_resource_version_compare(&order, kin_str_of(deletion->version), version, NULL) ==
                0 &&
            order >= 0)
            return true;
    }
    return false;
}
