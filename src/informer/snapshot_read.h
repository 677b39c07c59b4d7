/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading snapshots from anywhere; files are the public half, kinform/snapshot.h.
 */
#ifndef KIN_INFORMER_SNAPSHOT_READ_H
#define KIN_INFORMER_SNAPSHOT_READ_H

#include "kinform/snapshot.h"

typedef struct kin__snapshot_source {
    const char *name; /* for messages; BORROWED as long as the snapshot */
    uint64_t size;
    /* Read exactly `len` bytes, which lie within `size`. 0 or a negative code. */
    int (*read)(void *arg, void *buf, size_t len, uint64_t offset, kin_error *err);
    void *arg;
} kin__snapshot_source;

/* As kin_snapshot_open(). Freeing the snapshot leaves the source alone. */
int kin__snapshot_open_source(kin_snapshot **ret, const kin__snapshot_source *source,
                              kin_error *err);

#endif
