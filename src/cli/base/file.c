/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 64 << 20, LINKS_MAX = 40 };

static int failed(const char *path, kin_error *err)
{
    int code = errno == ENOENT ? KIN_ENOTFOUND : KIN_ESYSTEM;

    return kin_error_set(err, code, "%s: %s", path, strerror(errno));
}

int file_read(struct text *out, const char *path, kin_error *err)
{
    char block[16384];
    FILE *file = fopen(path, "re");
    int code = 0;

    if (!file)
        return failed(path, err);
    while (code == 0) {
        size_t n = fread(block, 1, sizeof(block), file);

        text_add(out, kin_str_make(block, n));
        if (out->len > FILE_MAX)
            code = kin_error_set(err, KIN_ELIMIT, "%s: longer than 64 MiB", path);
        if (n < sizeof(block))
            break;
    }
    if (code == 0 && ferror(file))
        code = failed(path, err);
    fclose(file);
    return code;
}

int file_check_folder(const char *path, kin_error *err)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? memory_copy(kin_str_make(path, (size_t)(slash - path) + 1)) : NULL;
    int code =
        access(folder ? folder : ".", W_OK | X_OK) < 0 ? failed(folder ? folder : ".", err) : 0;

    free(folder);
    return code;
}

int file_absolute(struct text *out, const char *path, kin_error *err)
{
    if (path[0] != '/') {
        char *folder = getcwd(NULL, 0);

        if (!folder)
            return failed("the current folder", err);
        text_format(out, "%s/", strcmp(folder, "/") == 0 ? "" : folder);
        free(folder);
    }
    text_add_string(out, path);
    return 0;
}

/* Replace the link that is the first `len` bytes of the path by what it contains. */
static int follow_link(struct text *path, size_t len, kin_error *err)
{
    char target[PATH_MAX];
    char *link = memory_copy(kin_str_make(path->data, len));
    ssize_t n = readlink(link, target, sizeof(target));
    int code = n < 0 ? failed(link, err) : 0;
    struct text resolved = TEXT_INIT;

    if (code == 0) {
        if (target[0] != '/')
            text_add(&resolved, kin_str_make(link, (size_t)(strrchr(link, '/') - link) + 1));
        text_add(&resolved, kin_str_make(target, (size_t)n));
        text_add_string(&resolved, path->data + len);
        text_done(path);
        *path = resolved;
    }
    free(link);
    return code;
}

/* The length up to the first part that is a link, 0: there is none. */
static int find_link(size_t *ret, const struct text *path, kin_error *err)
{
    size_t len = 0;
    bool is_link = false;

    while (len < path->len && !is_link) {
        struct stat info;

        len += strspn(path->data + len, "/");
        len += strcspn(path->data + len, "/");
        char *part = memory_copy(kin_str_make(path->data, len));
        bool exists = lstat(part, &info) == 0;
        int code = exists || (errno == ENOENT && len == path->len) ? 0 : failed(part, err);

        is_link = exists && S_ISLNK(info.st_mode);
        if (is_link && info.st_uid != geteuid() && info.st_uid != 0)
            code = kin_error_set(err, KIN_EINVAL,
                                 "%s is a symbolic link of another user; choose a path in a folder "
                                 "of your own",
                                 part);
        free(part);
        if (code < 0)
            return code;
    }
    *ret = is_link ? len : 0;
    return 0;
}

int file_resolve(struct text *out, const char *path, kin_error *err)
{
    struct text resolved = TEXT_INIT;
    size_t link = 0;
    int code = file_absolute(&resolved, path, err);

    for (int i = 0; code == 0; i++) {
        code = find_link(&link, &resolved, err);
        if (code < 0 || link == 0)
            break;
        code = i < LINKS_MAX ? follow_link(&resolved, link, err)
                             : kin_error_set(err, KIN_EINVAL, "%s: too many links", path);
    }
    if (code == 0)
        text_add_string(out, text_string(&resolved));
    text_done(&resolved);
    return code;
}

int file_temporary_folder(char **ret, kin_error *err)
{
    const char *given = getenv("TMPDIR");
    const char *parent = given && given[0] ? given : "/tmp";
    struct text path = TEXT_INIT;
    int code = file_absolute(&path, parent, err);

    text_add_string(&path, "/kinform-XXXXXX");
    if (code == 0 && !mkdtemp(path.data)) {
        code = failed(parent, err);
        kin_error_set(err, code, "no folder can be made in %s; TMPDIR names a better place",
                      err->message);
    }
    if (code == 0)
        *ret = path.data;
    else
        text_done(&path);
    return code;
}
