/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods by the node that they are on, as the peer has them.
 */
#include <kinform/path.h>

#include "load.h"

static int by_node(const kin_object *pod, kin_index_values *values, void *arg, kin_error *err)
{
    kin_scratch scratch;
    kin_str node;

    if (kin_value_string(&node, kin_object_get(pod, arg), &scratch) < 0)
        return 0; /* on no node: under no value */
    return kin_index_values_add(values, node, err);
}

static void free_path(void *path)
{
    kin_path_free(path);
}

kin_index kin_bench_node_index(const char *name)
{
    kin_index index = KIN_INDEX_INIT(name, by_node);
    kin_error err = KIN_ERROR_INIT;
    kin_path *path;

    if (kin_path_parse(&path, kin_str_of("spec.nodeName"), &err) < 0)
        kin_bench_die("no path: %s", err.message);
    index.arg = path;
    index.arg_free = free_path;
    return index;
}
