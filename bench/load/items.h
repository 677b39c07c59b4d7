/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The items of a list in protobuf; those in JSON are in items.c. Nothing is judged: the decoder does that.
 */
#ifndef KIN_BENCH_ITEMS_H
#define KIN_BENCH_ITEMS_H

#include "load.h"

bool kin_bench__is_protobuf(kin_str file);
/* How many items there are, and into `texts`, unless it is NULL, where they are. 0: this is not a list, or an empty one. */
size_t kin_bench__protobuf_items(kin_str file, kin_str *texts);
/* Room for an item as an object of its own. */
size_t kin_bench__protobuf_typed_max(kin_str item);
/* Write it; returns its length. */
size_t kin_bench__protobuf_type(char *out, kin_str item);

#endif
