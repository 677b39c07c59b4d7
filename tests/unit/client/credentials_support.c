/* SPDX-License-Identifier: Apache-2.0 */
#include "kin_test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "credentials_support.h"
#include "folder.h"

static char folder[64];

int folder_setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/kin-credentials-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

int folder_teardown(void **state)
{
    (void)state;
    return kin_test_folder_remove(folder);
}

char *in_folder(const char *name)
{
    static char paths[8][256];
    static unsigned turn;
    char *path = paths[turn++ % 8];

    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static void write_to(const char *path, const char *content)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, strlen(content)), strlen(content));
    close(fd);
}

void write_file(const char *name, const char *content)
{
    char path[256];
    char aside[256];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    snprintf(aside, sizeof(aside), "%s/.aside", folder);
    write_to(aside, content);
    assert_int_equal(rename(aside, path), 0);
}

void overwrite_file(const char *name, const char *content)
{
    write_to(in_folder(name), content);
}

void remove_file(const char *name)
{
    assert_int_equal(unlink(in_folder(name)), 0);
}

size_t file_size(const char *name)
{
    struct stat info;

    return stat(in_folder(name), &info) == 0 ? (size_t)info.st_size : 0;
}

kin_config config_for(const char *server)
{
    kin_config config;

    memset(&config, 0, sizeof(config));
    kin__ref_init(&config.ref);
    config.server = text(server);
    return config;
}

void set_secret(kin__secret *secret, const char *content)
{
    assert_code(kin__secret_set(secret, kin_str_of(content)), 0);
}

void config_done(kin_config *config)
{
    kin__secret_done(&config->ca_data);
    kin__secret_done(&config->certificate_data);
    kin__secret_done(&config->key_data);
    kin__secret_done(&config->token);
    kin__secret_done(&config->password);
}

void shell_plugin_init(shell_plugin *plugin, const char *script)
{
    memset(plugin, 0, sizeof(*plugin));
    plugin->args[0] = text("-c");
    plugin->args[1] = text(script);
    plugin->exec.api_version = text(V1);
    plugin->exec.command = text("/bin/sh");
    plugin->exec.args = plugin->args;
    plugin->exec.n_args = 2;
    plugin->exec.interactive = KIN__INTERACTIVE_NEVER;
}

char *answering(const char *before, const char *status)
{
    static char scripts[8][4096];
    static unsigned turn;
    char *script = scripts[turn++ % 8];

    snprintf(script, sizeof(scripts[0]),
             "%s\ncat <<'END'\n{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
             "\",\"status\":%s}\nEND\n",
             before, status);
    return script;
}

static void remember(const kin_log_record *record, void *arg)
{
    remembering *log = arg;
    char line[2048];

    atomic_fetch_add(&log->n, 1);
    if (record->level <= KIN_LOG_WARN)
        atomic_fetch_add(&log->n_warnings, 1);
    kin_log_format(record, line, sizeof(line));
    pthread_mutex_lock(&log->lock);
    size_t len = strlen(log->all);
    snprintf(log->all + len, sizeof(log->all) - len, "%s\n", line);
    pthread_mutex_unlock(&log->lock);
}

void remembering_init(remembering *log)
{
    memset(log, 0, sizeof(*log));
    pthread_mutex_init(&log->lock, NULL);
    assert_code(kin_logger_new(&log->logger, KIN_LOG_TRACE, remember, log, NULL, NULL), 0);
}

void remembering_done(remembering *log)
{
    kin_logger_unref(log->logger);
    pthread_mutex_destroy(&log->lock);
}

bool has_logged(remembering *log, const char *content)
{
    pthread_mutex_lock(&log->lock);
    bool found = strstr(log->all, content) != NULL;
    pthread_mutex_unlock(&log->lock);
    return found;
}

kin__identity get_identity(kin__credentials *credentials)
{
    kin__identity identity = {KIN__SECRET_INIT, NULL, 0};
    kin_error err = KIN_ERROR_INIT;
    int code = kin__credentials_get(credentials, &identity, INT64_MAX, NULL, &err);

    if (code < 0)
        print_error("%s\n", err.message);
    assert_code(code, 0);
    return identity;
}

void assert_sends(kin__credentials *credentials, const char *authorization)
{
    kin__identity identity = get_identity(credentials);

    if (authorization) {
        assert_non_null(identity.authorization.data);
        assert_string_equal(identity.authorization.data, authorization);
    } else {
        assert_null(identity.authorization.data);
    }
    kin__identity_done(&identity);
}
