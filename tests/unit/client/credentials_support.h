/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests of credentials share: a folder of files that are rotated, configurations that are
 * filled in by hand, plugins that are a line of shell, and a logger that remembers.
 */
#ifndef KIN_TEST_CREDENTIALS_SUPPORT_H
#define KIN_TEST_CREDENTIALS_SUPPORT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/compiler.h"
#include "client/credentials.h"
#include "kinform/log.h"

#define V1 "client.authentication.k8s.io/v1"

/* Texts that pass for PEM; they differ in what is looked for. */
#define CERTIFICATE(letters) "-----BEGIN CERTIFICATE-----\n" letters "\n-----END CERTIFICATE-----\n"
#define KEY(letters) "-----BEGIN PRIVATE KEY-----\n" letters "\n-----END PRIVATE KEY-----\n"

/* A folder of its own for each test: made and removed by these, cmocka's state. */
int folder_setup(void **state);
int folder_teardown(void **state);
/* "FOLDER/name"; one of eight buffers in turn. */
char *in_folder(const char *name);
/* As kubelets do it: the old content or the new one, never a part. */
void write_file(const char *name, const char *content);
/* In place. */
void overwrite_file(const char *name, const char *content);
void remove_file(const char *name);
/* How many bytes a file has; 0 if there is none. */
size_t file_size(const char *name);

/* A literal, where a configuration has a string of its own. */
static inline char *text(const char *literal)
{
    return kin__unconst(literal);
}

/* One with a server only; the strings and secrets of it are the caller's to set. */
kin_config config_for(const char *server);
void set_secret(kin__secret *secret, const char *content);
/* Wipes the secrets, frees nothing else. */
void config_done(kin_config *config);

/* A plugin that is a line of shell. */
typedef struct shell_plugin {
    kin__exec_config exec;
    char *args[2];
} shell_plugin;
void shell_plugin_init(shell_plugin *plugin, const char *script);
/* The line of shell that answers so; one of eight buffers in turn. `status` is JSON. */
char *answering(const char *before, const char *status);

/* Counts what is logged, and keeps the last text and error. */
typedef struct remembering {
    kin_logger *logger;
    atomic_uint n;
    atomic_uint n_warnings;
    pthread_mutex_t lock;
    char all[65536]; /* (lock) lines, one per record, cut */
} remembering;
void remembering_init(remembering *log);
void remembering_done(remembering *log);
/* Whether some line has the text. */
bool has_logged(remembering *log, const char *content);

/* kin__credentials_get() without an end, which must succeed. */
kin__identity get_identity(kin__credentials *credentials);
/* The header that it is sent with is this one. */
void assert_sends(kin__credentials *credentials, const char *authorization);

#endif
