/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files are read to their end, whatever their size was said to be: they may be written meanwhile,
 * and what is mounted from a cluster may have no size. A named pipe is not waited for.
 */
#include "client/secret_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

#define FIRST_SIZE ((size_t)4096)

struct reading {
    char *data;
    size_t len;
    size_t cap;
};

static void reading_done(struct reading *reading)
{
    kin__secret_wipe(reading->data, reading->len);
    kin__free(reading->data);
}

/* Not by realloc(), which would leave what it moved behind. */
static bool make_room(struct reading *reading)
{
    struct reading larger = {NULL, reading->len, reading->cap ? reading->cap * 2 : FIRST_SIZE};

    if (reading->len < reading->cap)
        return true;
    larger.data = kin__malloc(larger.cap);
    if (!larger.data)
        return false;
    if (reading->len > 0)
        memcpy(larger.data, reading->data, reading->len);
    reading_done(reading);
    *reading = larger;
    return true;
}

/* To its end, or beyond the limit. 0, KIN_ENOMEM, KIN_ESYSTEM with errno set. */
static int read_all(struct reading *reading, int fd, size_t limit)
{
    while (reading->len <= limit) {
        if (!make_room(reading))
            return KIN_ENOMEM;
        ssize_t n = read(fd, reading->data + reading->len, reading->cap - reading->len);
        if (n == 0)
            return 0;
        if (n > 0)
            reading->len += (size_t)n;
        else if (errno != EINTR)
            return KIN_ESYSTEM;
    }
    return 0;
}

int kin__secret_read(kin__secret *ret, int fd, const char *path, size_t limit, kin_error *err)
{
    struct reading reading = {NULL, 0, 0};
    int code = read_all(&reading, fd, limit);

    if (code == KIN_ESYSTEM)
        kin__error_system(err, errno, path);
    else if (code == 0 && reading.len > limit)
        code = kin_error_set(err, KIN_ELIMIT, "%s: longer than %zu bytes", path, limit);
    else if (code == 0)
        code = kin__secret_set(ret, kin_str_make(reading.data, reading.len));
    if (code == KIN_ENOMEM)
        kin__error_no_memory(err);
    reading_done(&reading);
    return code;
}

int kin__secret_file_read(kin__secret *ret, const char *path, kin_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (fd < 0)
        return kin__error_system(err, errno, path);
    int code = kin__secret_read(ret, fd, path, KIN__SECRET_FILE_MAX, err);
    close(fd);
    return code;
}
