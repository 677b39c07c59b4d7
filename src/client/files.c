/* SPDX-License-Identifier: Apache-2.0 */
#include "client/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "client/secret_file.h"

int kin__file_check(const char *path)
{
    /* Whoever reads it may wait for a pipe's writer; this only looks. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

int kin__file_read(kin__secret *ret, const char *path, size_t limit, kin_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 && errno == ENOENT)
        return kin_error_set(err, KIN_ENOTFOUND, "%s: there is no such file", path);
    if (fd < 0)
        return kin__error_system(err, errno, path);
    int code = kin__secret_read(ret, fd, path, limit, err);
    close(fd);
    return code;
}

/* --- paths --- */

/* Append the parts of a path to an absolute one: "." is nothing, ".." goes back one. */
static void append_parts(kin__buf *buf, kin_str path)
{
    for (kin_str part; kin__str_cut(&path, '/', &part);) {
        if (part.len == 0 || kin_str_equal(part, kin_str_of(".")))
            continue;
        if (kin_str_equal(part, kin_str_of(".."))) {
            const char *slash = buf->len ? memrchr(buf->data, '/', buf->len) : NULL;

            kin__buf_truncate(buf, slash ? (size_t)(slash - buf->data) : 0);
            continue;
        }
        kin__buf_append_char(buf, '/');
        kin__buf_append(buf, part);
    }
}

static int append_working_folder(kin__buf *buf, kin_error *err)
{
    char folder[PATH_MAX];

    if (!getcwd(folder, sizeof(folder)))
        return kin__error_system(err, errno, "finding the working directory");
    append_parts(buf, kin_str_of(folder));
    return 0;
}

int kin__file_resolve(char **ret, const char *file, const char *path, kin_error *err)
{
    const char *slash = strrchr(file, '/');
    kin__buf buf;
    size_t len = 0;
    int code = 0;

    kin__buf_init(&buf, SIZE_MAX - 1);
    if (path[0] == '/') {
        kin__buf_append(&buf, kin_str_of(path));
    } else {
        if (file[0] != '/')
            code = append_working_folder(&buf, err);
        if (slash)
            append_parts(&buf, kin_str_make(file, (size_t)(slash - file)));
        append_parts(&buf, kin_str_of(path));
        if (buf.len == 0)
            kin__buf_append_char(&buf, '/');
    }
    if (!code && kin__buf_take(&buf, ret, &len))
        code = kin__error_no_memory(err);
    kin__buf_done(&buf);
    return code;
}
