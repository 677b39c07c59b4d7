/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything goes by the descriptor of the folder, so that it stays one folder whatever is renamed
 * meanwhile. The order is that of the textbook: the file's content to the disk, then its name, then the
 * folder to the disk.
 *
 * The lock is flock()'s, of the open file: it goes with the process. Whoever gets it looks whether the file
 * is still the one under the name: its last owner may have renamed or removed it between opening and
 * locking.
 */
#include "informer/snapshot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

#define SUFFIX ".tmp"
#define MODE 0600
/* Each attempt that fails means that another writer ended just then. */
#define ATTEMPTS 100

static int fail(const kin__new_file *file, const char *what, kin_error *err)
{
    const int os_error = errno;
    char text[sizeof(err->message)];

    snprintf(text, sizeof(text), "%s: %s", file->path, what);
    return kin__error_system(err, os_error, text);
}

static void release(kin__new_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    if (file->folder >= 0)
        close(file->folder);
    kin__free(file->path);
    kin__free(file->temporary);
}

/* Cut the path at its last slash; the folder is "." or "/" where nothing is left of it. */
static int open_folder(kin__new_file *file, kin_error *err)
{
    char *slash = strrchr(file->path, '/');
    const char *folder = ".";

    file->name = slash ? slash + 1 : file->path;
    if (file->name[0] == '\0' || strcmp(file->name, ".") == 0 || strcmp(file->name, "..") == 0)
        return kin_error_set(err, KIN_EINVAL, "\"%s\" is not the name of a file", file->path);
    if (slash) {
        folder = slash == file->path ? "/" : file->path;
        *slash = '\0';
    }
    file->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (slash)
        *slash = '/';
    return file->folder < 0 ? fail(file, "opening its folder", err) : 0;
}

static int lock(const kin__new_file *file, kin_error *err)
{
    while (flock(file->fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno == EWOULDBLOCK)
            return kin_error_set(err, KIN_EBUSY, "%s: somebody else is writing it", file->path);
        if (errno != EINTR)
            return fail(file, "locking its temporary file", err);
    }
    return 0;
}

/* Whether what was opened and locked is what is under the name, and ours alone. */
static int look(const kin__new_file *file, bool *ret_same, kin_error *err)
{
    struct stat opened;
    struct stat named;

    *ret_same = false;
    if (fstat(file->fd, &opened) < 0)
        return fail(file, "looking at its temporary file", err);
    if (fstatat(file->folder, file->temporary, &named, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : fail(file, "looking at its temporary file", err);
    if (opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
        return 0;
    if (!S_ISREG(opened.st_mode) || opened.st_uid != geteuid() || opened.st_nlink != 1)
        return kin_error_set(err, KIN_EDENIED,
                             "%s: its temporary file, with " SUFFIX " behind, belongs to others",
                             file->path);
    /* Whoever could open it might have it open still, and read what is written to it. */
    if (opened.st_mode & (S_IRWXG | S_IRWXO))
        return unlinkat(file->folder, file->temporary, 0) < 0
                   ? fail(file, "removing an old temporary file", err)
                   : 0;
    *ret_same = true;
    return 0;
}

/* Make it, or open what somebody left; *ret_made says which. A file that goes meanwhile: fd is -1. */
static int make_or_open(kin__new_file *file, bool *ret_made, kin_error *err)
{
    const int flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;

    file->fd = openat(file->folder, file->temporary, flags | O_CREAT | O_EXCL, MODE);
    *ret_made = file->fd >= 0;
    if (file->fd < 0 && errno == EEXIST) {
        file->fd = openat(file->folder, file->temporary, flags);
        if (file->fd < 0 && errno == ENOENT)
            return 0;
    }
    return file->fd < 0 ? fail(file, "making its temporary file", err) : 0;
}

static int open_temporary(kin__new_file *file, bool *ret_same, kin_error *err)
{
    bool made = false;
    int code = make_or_open(file, &made, err);

    if (code < 0 || file->fd < 0)
        return code;
    code = lock(file, err);
    if (code == 0)
        code = look(file, ret_same, err);
    /* Not if it is another's by now. */
    if (code < 0 && code != KIN_EBUSY && made)
        unlinkat(file->folder, file->temporary, 0);
    if (code < 0 || !*ret_same) {
        close(file->fd);
        file->fd = -1;
    }
    return code;
}

static int open_all(kin__new_file *file, kin_error *err)
{
    bool same = false;
    int code = open_folder(file, err);

    if (code < 0)
        return code;
    const size_t size = strlen(file->name) + sizeof(SUFFIX);

    file->temporary = kin__malloc(size);
    if (!file->temporary)
        return kin__error_no_memory(err);
    snprintf(file->temporary, size, "%s" SUFFIX, file->name);
    for (unsigned i = 0; code == 0 && !same; i++) {
        if (i == ATTEMPTS)
            return kin_error_set(err, KIN_EBUSY, "%s: others write it all the time", file->path);
        code = open_temporary(file, &same, err);
    }
    return code;
}

int kin__new_file_begin(kin__new_file *file, const char *path, kin_error *err)
{
    int code;

    *file = (kin__new_file){.folder = -1, .fd = -1, .path = kin__memdup_str(kin_str_of(path))};
    if (!file->path)
        return kin__error_no_memory(err);
    code = open_all(file, err);
    if (code < 0) {
        release(file);
        return code;
    }
    /* What a crash left is emptied; the umask may have taken rights from the owner. */
    if (fchmod(file->fd, MODE) < 0 || ftruncate(file->fd, 0) < 0) {
        code = fail(file, "preparing its temporary file", err);
        kin__new_file_abort(file);
    }
    return code;
}

int kin__new_file_append(kin__new_file *file, const void *data, size_t len, kin_error *err)
{
    const char *at = data;

    while (len > 0) {
        ssize_t n = write(file->fd, at, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(file, "writing", err);
        at += n;
        len -= (size_t)n;
    }
    return 0;
}

int kin__new_file_write_at(kin__new_file *file, const void *data, size_t len, uint64_t offset,
                           kin_error *err)
{
    const char *at = data;

    while (len > 0) {
        ssize_t n = pwrite(file->fd, at, len, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(file, "writing", err);
        at += n;
        offset += (uint64_t)n;
        len -= (size_t)n;
    }
    return 0;
}

int kin__new_file_commit(kin__new_file *file, kin_error *err)
{
    int code = 0;

    if (fsync(file->fd) < 0)
        code = fail(file, "flushing it to the disk", err);
    else if (renameat(file->folder, file->temporary, file->folder, file->name) < 0)
        code = fail(file, "renaming it", err);
    if (code < 0) {
        kin__new_file_abort(file);
        return code;
    }
    /* Some file systems do not let folders be flushed, and keep their order themselves. */
    if (fsync(file->folder) < 0 && errno != EINVAL && errno != ENOTSUP)
        code = fail(file, "flushing its folder to the disk", err);
    release(file);
    return code;
}

void kin__new_file_abort(kin__new_file *file)
{
    /* Before the lock goes: afterwards it may be another's. */
    unlinkat(file->folder, file->temporary, 0);
    release(file);
}
