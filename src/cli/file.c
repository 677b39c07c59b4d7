/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 64 << 20 };

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

int file_temporary_folder(char **ret, kin_error *err)
{
    const char *parent = getenv("TMPDIR");
    struct text path = TEXT_INIT;

    text_format(&path, "%s/kinform-XXXXXX", parent && parent[0] ? parent : "/tmp");
    if (!mkdtemp(path.data)) {
        int code =
            kin_error_set(err, KIN_ESYSTEM, "no folder in %s: %s", path.data, strerror(errno));

        text_done(&path);
        return code;
    }
    *ret = path.data;
    return 0;
}
