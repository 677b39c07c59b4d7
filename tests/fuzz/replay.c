/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target over files instead of a fuzzer's inventions: what was found once
 * is checked in every build, with any compiler. Arguments are files and folders.
 * Input is copied into a block of its exact size, so that ASan sees reads beyond it.
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static int replay_file(const char *path, unsigned *count)
{
    FILE *f = fopen(path, "rb");
    long size = -1;

    if (f && fseek(f, 0, SEEK_END) == 0)
        size = ftell(f);
    uint8_t *data = size >= 0 ? malloc((size_t)size + (size == 0)) : NULL;
    int ok = data && fseek(f, 0, SEEK_SET) == 0 && fread(data, 1, (size_t)size, f) == (size_t)size;
    if (ok) {
        LLVMFuzzerTestOneInput(data, (size_t)size);
        ++*count;
    } else {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    }
    free(data);
    if (f)
        fclose(f);
    return ok;
}

static int replay_path(const char *path, unsigned *count)
{
    struct stat st;
    int ok = 1;

    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
        return replay_file(path, count);
    DIR *dir = opendir(path);
    if (!dir) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 0;
    }
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        char file[4096];

        if (e->d_name[0] == '.')
            continue;
        snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
        ok = replay_file(file, count) && ok;
    }
    closedir(dir);
    return ok;
}

int main(int argc, char **argv)
{
    unsigned count = 0;
    int ok = 1;

    for (int i = 1; i < argc; i++)
        ok = replay_path(argv[i], &count) && ok;
    printf("%u inputs replayed\n", count);
    return ok && count > 0 ? 0 : 1; /* a corpus that is gone is a failure */
}
