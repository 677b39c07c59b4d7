/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of `watch --snapshot`: begun with, and replaced at the end.
 *
 * Before a watch begins it is known whether it may be replaced. What is no snapshot, and one of
 * another kind of objects, which somebody will want to go on with, is left as it is: the name was a
 * mistake. One that is damaged, or of other namespaces or selectors, is of no use: that is said, all is listed,
 * and it is replaced.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/file.h"
#include "cli/base/report.h"
#include "cli/watch_inside.h"
#include "kinform/snapshot.h"

/* How long the rest of the first objects may take to come to the store once there is nothing more to show. */
enum { SYNC_MS = 2000 };

/* What docs/snapshot.md says that it begins with; then 4 bytes, of which the first is the format. */
static const unsigned char magic[] = {0x89, 'K', 'I', 'N', '\r', '\n', 0x1a, 0};
enum { FORMAT = 1 };

static int failed(const char *path, kin_error *err)
{
    return kin_error_set(err, KIN_ESYSTEM, "--snapshot %s: %s", path, strerror(errno));
}

/* 0, KIN_EINVAL (it is somebody's who did not mean us), KIN_ESYSTEM. */
static int check_beginning(const char *path, kin_error *err)
{
    unsigned char head[sizeof(magic) + 4];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));
    int error = errno;

    if (fd >= 0)
        close(fd);
    errno = error;
    if (n < 0)
        return failed(path, err);
    if (memcmp(head, magic, (size_t)n < sizeof(magic) ? (size_t)n : sizeof(magic)) != 0)
        return kin_error_set(err, KIN_EINVAL,
                             "--snapshot %s: it is no snapshot, and is left as it is; name "
                             "another file",
                             path);
    if ((size_t)n > sizeof(magic) && head[sizeof(magic)] != FORMAT)
        return kin_error_set(err, KIN_EINVAL,
                             "--snapshot %s: it is of another version of kinform, and is left as "
                             "it is; name another file",
                             path);
    return 0;
}

int watch_snapshot_check(struct watch *w, kin_error *err)
{
    const char *path = w->settings->snapshot;
    struct stat found;

    if (!path[0])
        return kin_error_set(err, KIN_EINVAL, "--snapshot wants the name of a file");
    if (stat(path, &found) < 0)
        return errno == ENOENT ? file_check_folder(path, err) : failed(path, err);
    if (!S_ISREG(found.st_mode))
        return kin_error_set(err, KIN_EINVAL, "--snapshot %s: %s", path,
                             S_ISDIR(found.st_mode) ? "it is a folder; name a file"
                                                    : "it is no regular file");
    w->has_snapshot = found.st_size > 0;
    int code = w->has_snapshot ? check_beginning(path, err) : 0;
    return code < 0 ? code : file_check_folder(path, err);
}

static bool is_of(const kin_snapshot_info *info, const kin_resource *resource)
{
    const char *slash = info->api_version ? strchr(info->api_version, '/') : NULL;
    const char *group = kin_resource_group(resource);
    size_t len = slash ? (size_t)(slash - info->api_version) : 0;

    if (!info->api_version || !info->resource) /* it was not known when it was saved */
        return true;
    return strcmp(info->resource, kin_resource_name(resource)) == 0 && strlen(group) == len &&
           strncmp(info->api_version, group, len) == 0;
}

int watch_snapshot_check_kind(const struct watch *w, kin_error *err)
{
    const struct watched *item = &w->items[0];
    const char *path = w->settings->snapshot;
    kin_snapshot *snapshot = NULL;
    int code = 0;

    if (w->wanted.len > 1) /* a category */
        return kin_error_set(err, KIN_EINVAL, "--snapshot is for one kind at a time");
    if (!w->has_snapshot || kin_snapshot_open(&snapshot, path, NULL) < 0)
        return 0; /* why not is said when it is loaded */
    const kin_snapshot_info *info = kin_snapshot_get_info(snapshot);
    if (!is_of(info, item->resource))
        code = kin_error_set(err, KIN_EINVAL,
                             "--snapshot %s: it is of %s, not of %s, and is left as it is; name "
                             "another file",
                             path, info->resource, kin_resource_name(item->resource));
    kin_snapshot_free(snapshot);
    return code;
}

void watch_snapshot_load(struct watched *item)
{
    const struct watch_settings *s = item->watch->settings;
    kin_error err = KIN_ERROR_INIT;

    if (!item->watch->has_snapshot)
        return;
    if (kin_informer_load(item->informer, s->snapshot, &err) == 0)
        item->is_warm = true;
    else if (!s->quiet)
        tell("--snapshot %s: not used, all is listed, and it will be replaced: %s", s->snapshot,
             err.message);
}

void watch_snapshot_save(struct watch *w)
{
    const struct watch_settings *s = w->settings;
    kin_error err = KIN_ERROR_INIT;
    kin_informer *informer = w->items[0].informer;

    /* Whoever reads one line and goes, or waits for an object that is there, has what it wants before all has come. */
    if ((w->has_no_reader || w->status == EXIT_OK) && !w->items[0].is_warm)
        (void)kin_informer_wait_synced(informer, SYNC_MS, NULL);
    if (!kin_informer_has_synced(informer)) {
        if (!s->quiet && !w->items[0].is_warm)
            tell("--snapshot %s: not saved, as not all that is there has come", s->snapshot);
        return;
    }
    kin_informer_stop(informer);
    if (kin_informer_wait_stopped(informer, -1, &err) < 0 ||
        kin_informer_save(informer, s->snapshot, &err) < 0)
        w->status = report_error(&err);
}
