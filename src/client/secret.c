/* SPDX-License-Identifier: Apache-2.0 */
#include "client/secret.h"

#include <string.h>

#include "base/memory.h"
#include "kinform/error.h"

void kin__secret_wipe(void *data, size_t len)
{
    if (len)
        explicit_bzero(data, len);
}

void kin__secret_done(kin__secret *secret)
{
    kin__secret_wipe(secret->data, secret->len);
    kin__free(secret->data);
    *secret = KIN__SECRET_INIT;
}

int kin__secret_join(kin__secret *secret, const kin_str *parts, size_t n)
{
    kin__secret joined = KIN__SECRET_INIT;

    for (size_t i = 0; i < n; i++) {
        if (parts[i].len > SIZE_MAX / 2 - joined.len)
            return KIN_ENOMEM;
        joined.len += parts[i].len;
    }
    if (joined.len > 0) {
        size_t at = 0;

        joined.data = kin__malloc(joined.len + 1);
        if (!joined.data)
            return KIN_ENOMEM;
        for (size_t i = 0; i < n; i++) {
            if (parts[i].len)
                memcpy(joined.data + at, parts[i].data, parts[i].len);
            at += parts[i].len;
        }
        joined.data[at] = '\0';
    }
    /* Only now: the parts may be of the old value. */
    kin__secret_done(secret);
    *secret = joined;
    return 0;
}

int kin__secret_set(kin__secret *secret, kin_str value)
{
    return kin__secret_join(secret, &value, 1);
}

bool kin__secret_equal(const kin__secret *a, const kin__secret *b)
{
    unsigned char differ = 0;

    if (a->len != b->len)
        return false;
    for (size_t i = 0; i < a->len; i++)
        differ |= (unsigned char)a->data[i] ^ (unsigned char)b->data[i];
    return differ == 0;
}
