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
