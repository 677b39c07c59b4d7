/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storage in a SQLite database, in WAL mode, writes grouped into transactions by a thread of its
 * own.
 */
#ifndef KIN_APISERVER_STATE_STORAGE_SQLITE_H
#define KIN_APISERVER_STATE_STORAGE_SQLITE_H

#include "apiserver/state/storage.h"

/*
 * *ret OWNED: release with its class's free, or hand it to a state. The file is made if it is not
 * there. With `full_sync` a write that was acknowledged survives a loss of power, not only the end
 * of the process. 0, KIN_EINVAL (not a path), KIN_ENOMEM, KIN_ESYSTEM, KIN_EPARSE (not ours, of a
 * newer format, or damaged), KIN_EBUSY (in use by another process or storage).
 */
int kin__storage_sqlite_open(kin__storage **ret, const char *path, bool full_sync, kin_error *err);

#endif
