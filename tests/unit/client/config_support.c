/* SPDX-License-Identifier: Apache-2.0 */
#include "config_support.h"

#include "kin_test.h"

#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX / 2];

int kin_test_folder_setup(void **state)
{
    static const char *const names[] = {"KUBECONFIG", "HOME", "KUBERNETES_SERVICE_HOST",
                                        "KUBERNETES_SERVICE_PORT", "POD_NAMESPACE"};
    char here[PATH_MAX / 4];

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unsetenv(names[i]);
    if (!getcwd(here, sizeof(here)))
        return -1;
    snprintf(folder, sizeof(folder), "%s/config-XXXXXX", here);
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

int kin_test_folder_teardown(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *kin_test_path(const char *name)
{
    static char paths[8][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return path;
}

const char *kin_test_write(const char *name, const char *text)
{
    const char *path = kin_test_path(name);
    char part[PATH_MAX];

    for (const char *slash = strchr(path + strlen(folder) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
        mkdir(part, 0700);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return path;
}
