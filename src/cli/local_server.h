/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by serve and demo: a server with TLS and a token, a simulated cluster, and a kubeconfig that exists while they run. */
#ifndef KIN_CLI_LOCAL_SERVER_H
#define KIN_CLI_LOCAL_SERVER_H

#include "cli/base/options.h"
#include "cli/base/text.h"
#include "kinform/apiserver.h"

struct simulation_settings {
    bool simulate;
    int64_t nodes;
    int64_t deployments;
    int64_t pods;
    const char *churn;
    int64_t seed;
};
/* The first is --simulate, which a command that always does has no use for. */
#define N_SIMULATION_OPTIONS 6
extern const struct option simulation_options[N_SIMULATION_OPTIONS];

enum { CHURN_MAX = 1000000 };

/* How many changes per second were asked for. 0, KIN_EINVAL with a line for the user. */
int simulation_churn(unsigned *ret, const struct simulation_settings *settings, kin_error *err);
/* Begin: it is not all there yet. 0, KIN_EINVAL, and others as kin_apiserver_simulate(). */
int simulation_begin(kin_apiserver *server, const struct simulation_settings *settings,
                     kin_error *err);

/* The name of an option that was given, --simulate aside; NULL: none. */
const char *simulation_option_given(const struct simulation_settings *settings);

/*
 * Make a server with TLS that only clients with the token can use: every user of the machine reaches a
 * loopback address. `options`: all but `tls` and `tokens`. `token`: NULL makes a random one.
 * 0, or as kin_apiserver_new().
 */
int local_server_new(kin_apiserver **ret, const kin_apiserver_options *options, const char *token,
                     kin_error *err);

/*
 * Listen, and say how to go on if that is not possible. `address` as it was asked for, NULL for the default.
 * 0, or as kin_apiserver_start().
 */
int local_server_start(kin_apiserver *server, const char *address, int64_t port, kin_error *err);

/*
 * Write the kubeconfig where the user says, with mode 0600. The user's own symbolic link stays one:
 * the file that it leads to is written. Links of other users are refused.
 * ret_path: where it is, from the root on. 0, or a code with a line for the user.
 */
int kubeconfig_write(struct text *ret_path, kin_apiserver *server, const char *path,
                     kin_error *err);
/* A word for a shell, in quotes where it needs them. */
void add_shell_word(struct text *out, const char *word);

/* A file that only its owner can read, in a folder of its own. */
struct temporary_kubeconfig {
    char *folder;     /* OWNED; NULL: there is none */
    struct text path; /* of the file */
};

/* clang-format off */
#define TEMPORARY_KUBECONFIG_INIT {NULL, TEXT_INIT}
/* clang-format on */

/* 0, or a code and nothing is left. */
int temporary_kubeconfig_write(struct temporary_kubeconfig *file, kin_apiserver *server,
                               kin_error *err);
/* It is gone afterwards, and may not have been there. */
void temporary_kubeconfig_remove(struct temporary_kubeconfig *file);

#endif
