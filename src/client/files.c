/* SPDX-License-Identifier: Apache-2.0 */
#include "client/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"

#define FIRST_SIZE 4096u

int kin__file_check(const char *path)
{
    /* Whoever reads it may wait for a pipe's writer; this only looks. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

/* Twice the room, or the limit and one byte by which it is seen to be exceeded. */
static int grow(kin__secret *text, size_t *cap, size_t limit)
{
    size_t wanted = *cap <= limit / 2 ? *cap * 2 : limit + 1;
    char *data = kin__malloc(wanted + 1);

    if (!data)
        return KIN_ENOMEM;
    if (text->len)
        memcpy(data, text->data, text->len);
    if (text->data)
        kin__secret_wipe(text->data, *cap);
    kin__free(text->data);
    text->data = data;
    *cap = wanted;
    return 0;
}

static size_t first_size(int fd, size_t limit)
{
    struct stat st;

    /* One more, so that the end is seen without growing. */
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        return (uint64_t)st.st_size < limit ? (size_t)st.st_size + 1 : limit + 1;
    return limit < FIRST_SIZE ? limit + 1 : FIRST_SIZE;
}

static int read_all(int fd, kin__secret *text, size_t *cap, size_t limit, const char *path,
                    kin_error *err)
{
    for (;;) {
        if (text->len == *cap && grow(text, cap, limit))
            return kin__error_no_memory(err);
        ssize_t n = read(fd, text->data + text->len, *cap - text->len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return kin__error_system(err, errno, path);
        if (n == 0)
            return 0;
        text->len += (size_t)n;
        if (text->len > limit)
            return kin_error_set(err, KIN_ELIMIT, "%s: longer than %zu bytes", path, limit);
    }
}

int kin__file_read(kin__secret *ret, const char *path, size_t limit, kin_error *err)
{
    kin__secret text = KIN__SECRET_INIT;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        if (errno == ENOENT)
            return kin_error_set(err, KIN_ENOTFOUND, "%s: there is no such file", path);
        return kin__error_system(err, errno, path);
    }
    size_t cap = first_size(fd, limit);
    text.data = kin__malloc(cap + 1);
    int code = text.data ? read_all(fd, &text, &cap, limit, path, err) : kin__error_no_memory(err);
    close(fd);
    if (!code && text.len > 0) {
        text.data[text.len] = '\0';
        kin__secret_done(ret);
        *ret = text;
        return 0;
    }
    if (text.data)
        kin__secret_wipe(text.data, text.len);
    kin__free(text.data);
    if (!code)
        kin__secret_done(ret);
    return code;
}

/* ---- paths ---- */

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
