/* SPDX-License-Identifier: Apache-2.0 */
/* Objects from a snapshot: what an informer has saved, without any server. */
#ifndef KIN_CLI_GET_SNAPSHOT_H
#define KIN_CLI_GET_SNAPSHOT_H

#include "cli/cluster.h"
#include "cli/condition.h"
#include "cli/print/objects.h"

/* What is asked of it. All is BORROWED for the call. */
struct snapshot_query {
    const char *path;
    const struct wanted_list *wanted;
    const struct selection_settings *selection;
    const struct conditions *conditions;
    const kin_decode_options *decode;
    bool ignore_not_found;
};

/*
 * Those of its objects that are asked for, by key. Without -n those of all namespaces. Names that are not there are
 * told, unless they are to be ignored, and `*ret_status` is EXIT_NOT_FOUND then, else EXIT_OK. 0, KIN_EINVAL (it is of
 * another kind, a selector is wrong), KIN_ENOTFOUND (no file), and as kin_snapshot_read().
 */
int get_from_snapshot(struct groups *ret, int *ret_status, const struct snapshot_query *query,
                      kin_error *err);

#endif
