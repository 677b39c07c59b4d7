/* SPDX-License-Identifier: Apache-2.0 */
/* No storage. */
#include "apiserver/storage_sqlite.h"

int kin__storage_sqlite_open(kin__storage **ret, const char *path, bool full_sync, kin_error *err)
{
    (void)ret;
    (void)full_sync;
    return kin_error_set(err, KIN_ESYSTEM, "%s: there is no storage yet", path);
}
