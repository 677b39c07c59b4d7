/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the informers know of sources of objects; the public half is kinform/list_watch.h.
 */
#ifndef KIN_CLIENT_LIST_WATCH_H
#define KIN_CLIENT_LIST_WATCH_H

#include "kinform/list_watch.h"

/* The client whose server a source asks: BORROWED while the source lives. NULL: it is another's. */
kin_client *kin__list_watch_client(kin_list_watch *source);

/*
 * What a source of a client's is of, once that is known: BORROWED while the source lives. NULL: not yet, or it is
 * another's source. Any thread; before an object has come it is known.
 */
const kin_resource *kin__list_watch_resource(kin_list_watch *source);

/* Whether it is still to be discovered what a client's source is of. */
bool kin__list_watch_is_unresolved(kin_list_watch *source);
/* An operation that only discovers that. Of the handlers, `done` counts. As kin_list_watch_list(). */
int kin__list_watch_resolve(kin_list_watch *source, kin_operation **ret,
                            const kin_call_handlers *handlers, kin_error *err);
/*
 * Whether to prefer a streaming list. A client's source that reads JSON prefers a plain list: the API server encodes and
 * flushes each object of a stream by itself, which costs the server and the client twice the CPU time.
 */
bool kin__list_watch_streams(kin_list_watch *source);

/*
 * Ask for JSON in the next list or watch, after one for which kin__operation_needs_json() is true. Whether those that follow
 * ask for protobuf again depends on the answer.
 */
void kin__list_watch_try_json(kin_list_watch *source);

/*
 * When the server of a client's operation was last known to be alive; 0: never, or it is another's operation.
 * The operation must not be released meanwhile.
 */
int64_t kin__operation_last_heard(kin_operation *operation);
/* The encoding of its answer; default: no answer yet, or not a client's operation. Same rule. */
kin_encoding kin__operation_encoding(kin_operation *operation);
/* Whether the operation had to give up protobuf for JSON. Same rule. */
bool kin__operation_fell_back(kin_operation *operation);
/*
 * Whether it failed since protobuf cannot be used, after objects were delivered or as a streaming list: the next one may
 * follow at once, with kin__list_watch_try_json(). Same rule.
 */
bool kin__operation_needs_json(kin_operation *operation);

/* Whether a bookmark is the one that ends the initial events of a watch. */
bool kin__bookmark_ends_list(const kin_object *bookmark);

/* Whether a source of a client's asks for metadata only. */
bool kin__list_watch_is_partial(kin_list_watch *source);

#endif
