/* SPDX-License-Identifier: Apache-2.0 */
/* Options that say which cluster and which of its objects, and the client that they come to. */
#ifndef KIN_CLI_CLUSTER_H
#define KIN_CLI_CLUSTER_H

#include "cli/base/options.h"
#include "kinform/client.h"

struct cluster_settings {
    const char *kubeconfig;
    const char *context;
    const char *cluster;
    const char *user;
    const char *server;
    const char *token;
    const char *ca_file;
    bool insecure;
    const char *as_user;
    struct option_texts as_groups;
    int64_t request_timeout_ms;
    bool verbose;
};
#define N_CLUSTER_OPTIONS 12
extern const struct option cluster_options[N_CLUSTER_OPTIONS];

struct selection_settings {
    const char *namespace_;
    bool all_namespaces;
    const char *label_selector;
    const char *field_selector;
    struct option_texts where;
    const char *fields;
};
#define N_SELECTION_OPTIONS 6
extern const struct option selection_options[N_SELECTION_OPTIONS];
/* -n, the one that may come before the command. */
#define namespace_option (selection_options[0])

/*
 * A client as the settings say. Warnings of the server go to standard error; the library's log does so
 * with --verbose only. OWNED, kin_client_free(). 0, or as kin_client_new().
 */
int cluster_connect(kin_client **ret, const struct cluster_settings *cluster,
                    const struct selection_settings *selection, kin_error *err);

/* What makes no sense, before anybody is asked. 0, KIN_EINVAL with a line for the user. */
int cluster_check(const struct cluster_settings *cluster, kin_error *err);
int selection_check(const struct selection_settings *selection, kin_error *err);

/* A kind that is asked for, and a name if one is. */
struct wanted {
    char *kind;       /* OWNED */
    const char *name; /* BORROWED from the arguments; NULL: all */
    bool is_optional; /* one of a category: a server need not have it */
};
struct wanted_list {
    struct wanted *items; /* OWNED, wanted_done() */
    size_t len;
};

/*
 * `pods`, `pods,services`, `pods web-0 web-1`, `pods/web-0 svc/web`: as kubectl has it. 0, KIN_EINVAL with a line for
 * the user.
 */
int wanted_parse(struct wanted_list *ret, const struct arguments *arguments, kin_error *err);
/*
 * Put the kinds of a category into its place, as the server has them: `all`. On a server without categories `all` is
 * what kubectl shows of other ones. 0, KIN_EINVAL (a category has no names), or as kin_client_category().
 */
int wanted_expand(struct wanted_list *list, kin_client *client, kin_error *err);
/* Names go with one namespace, unless it is a snapshot, and with no selector. 0, KIN_EINVAL with a line for the user. */
int wanted_check(const struct wanted_list *list, const struct selection_settings *selection,
                 bool is_snapshot, kin_error *err);
void wanted_remove(struct wanted_list *list, size_t index);
void wanted_done(struct wanted_list *list);

#endif
