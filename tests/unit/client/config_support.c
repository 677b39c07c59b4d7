/* SPDX-License-Identifier: Apache-2.0 */
#include "config_support.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"

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

int kin_test_folder_teardown(void **state)
{
    (void)state;
    return kin_test_folder_remove(folder);
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

kin_config *config_made(config_fn *fn, const kin_config_options *options)
{
    kin_error err = KIN_ERROR_INIT;
    kin_config *config = NULL;

    if (fn(&config, options, &err))
        fail_msg("%s", err.message);
    return config;
}

void config_refused(config_fn *fn, const kin_config_options *options, int code, const char *message)
{
    kin_error err = KIN_ERROR_INIT;
    kin_config *config = NULL;

    assert_code(fn(&config, options, &err), code);
    assert_null(config);
    if (!strstr(err.message, message))
        fail_msg("\"%s\", not \"%s\"", err.message, message);
    assert_null(strstr(err.message, "hush"));
    assert_code(fn(&config, options, NULL), code);
}
