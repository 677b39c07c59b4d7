/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies that are there already, as sources: for what looks at bodies while they are sent.
 */
#ifndef KIN_APISERVER_HTTP_MEMORY_SOURCE_H
#define KIN_APISERVER_HTTP_MEMORY_SOURCE_H

#include "apiserver/protocol/reply.h"

/* The text of `buf`, CONSUMED (the buffer is left empty), then all of `rest`, CONSUMED; may be
 * NULL. 0, KIN_ENOMEM: both are as they were. */
int kin__memory_source_new(kin__source **ret, kin__buf *buf, kin__source *rest);

/*
 * Read ahead until there are more than `min` bytes in memory: DATA. Otherwise what the rest said
 * instead of giving more; after ABORT, and where there is no memory, it gives nothing but ABORT.
 */
enum kin__source_result kin__memory_source_fill(kin__source *source, size_t min);
/* All that is in memory and was not read yet; the buffer was initialized. */
void kin__memory_source_take(kin__source *source, kin__buf *ret);

#endif
