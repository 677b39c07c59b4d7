/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that takes the place of another when it is complete. Until then it is under a name of its
 * own, in the same folder: NAME.tmp, always the same, so that what a crash leaves behind is used up by the
 * next one that writes, and never more than one is left. A lock on it keeps others away.
 */
#ifndef KIN_INFORMER_SNAPSHOT_FILE_H
#define KIN_INFORMER_SNAPSHOT_FILE_H

#include "kinform/error.h"

typedef struct kin__new_file {
    int folder;
    int fd;
    char *path;       /* for messages */
    const char *name; /* in the folder; a part of `path` */
    char *temporary;
} kin__new_file;

/*
 * Begin. 0, KIN_EINVAL (the path names no file), KIN_EBUSY (another writes it), KIN_EDENIED (the
 * temporary file is not ours), KIN_ESYSTEM, KIN_ENOMEM; on failure there is nothing to release.
 */
int kin__new_file_begin(kin__new_file *file, const char *path, kin_error *err);
/* Write all of it at the end of what was written, or at an offset. 0, KIN_ESYSTEM, KIN_ENOMEM. */
int kin__new_file_append(kin__new_file *file, const void *data, size_t len, kin_error *err);
int kin__new_file_write_at(kin__new_file *file, const void *data, size_t len, uint64_t offset,
                           kin_error *err);
/* To the disk, and into its place. Ends it in any case. 0, KIN_ESYSTEM, KIN_ENOMEM. */
int kin__new_file_commit(kin__new_file *file, kin_error *err);
/* Forget it. */
void kin__new_file_abort(kin__new_file *file);

#endif
