/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a change, made once for each form that clients ask for, and shared by all watches.
 */
#ifndef KIN_APISERVER_VERBS_WATCH_TEXT_H
#define KIN_APISERVER_VERBS_WATCH_TEXT_H

#include "apiserver/protocol/encode.h"
#include "apiserver/state/state.h"

/*
 * The object of an event as JSON, or in its envelope as protobuf: of the new state, or (`is_old`) of the one before it with the
 * version of the change. *ret is BORROWED while the caller has its reference to the change; or it
 * is in `own`, if there are too many forms to keep them all. 0, KIN_ENOMEM or whatever else
 * encoding says: `err` explains KIN_ETYPE and KIN_EINVAL.
 */
int kin__watch_text(kin_str *ret, kin__change *change, const kin__encoding *encoding, bool is_old,
                    kin__buf *own, kin_error *err);

#endif
