/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a snapshot is of, as JSON: a map with a member for each text that is there. Members that a
 * reader does not know are left alone, so that a later version can say more.
 */
#ifndef KIN_INFORMER_SNAPSHOT_INFO_H
#define KIN_INFORMER_SNAPSHOT_INFO_H

#include "base/buf.h"
#include "kinform/snapshot.h"

/* How many texts there are, namespaces and their versions aside. */
#define KIN__SNAPSHOT_TEXTS 9u

typedef struct kin__snapshot_info {
    kin_snapshot_info info; /* its pointers are to what follows */
    char *texts[KIN__SNAPSHOT_TEXTS];
    char **namespaces;
    size_t n_namespaces;
    char **versions;
    size_t n_versions;
} kin__snapshot_info;

/*
 * Append the texts and times; a failure of the buffer sticks in it. 0, KIN_EINVAL: a text is not
 * UTF-8, or a namespace or a version is NULL, or there are not as many of these as of those.
 */
int kin__snapshot_info_write(kin__buf *buf, const kin_snapshot_info *info, kin_error *err);

/*
 * Read it; *ret is to be released with kin__snapshot_info_done() also after a failure. `origin` is
 * where the text stands, `name` the file's, both for messages. 0, KIN_EPARSE, KIN_ENOMEM, KIN_ESYSTEM.
 */
int kin__snapshot_info_read(kin__snapshot_info *ret, kin_str text, uint64_t origin,
                            const char *name, kin_error *err);
void kin__snapshot_info_done(kin__snapshot_info *info);

#endif
