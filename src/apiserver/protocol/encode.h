/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects as clients see them: in the version and form that they ask for.
 */
#ifndef KIN_APISERVER_PROTOCOL_ENCODE_H
#define KIN_APISERVER_PROTOCOL_ENCODE_H

#include "apiserver/kinds/kind.h"
#include "apiserver/protocol/accept.h"
#include "base/buf.h"

/* The largest text that is made of one object. */
#define KIN__TEXT_MAX (1u << 30)

typedef struct kin__encoding {
    const kin__kind *kind;            /* BORROWED */
    const kin__kind_version *version; /* BORROWED */
    enum kin__form form;
    enum kin__form_version form_version;
    bool is_protobuf; /* see encode_protobuf.h */
    unsigned message; /* of protobuf: the place in kin__pb_messages */
} kin__encoding;

bool kin__encoding_equal(const kin__encoding *a, const kin__encoding *b);

/* "apps/v1" */
void kin__encode_api_version(kin__buf *out, const kin__kind *kind, const char *version);
/*
 * Compact JSON, also if the encoding is protobuf. Items of lists of built-in kinds have no type. Only
 * memory can be missing: see the buffer.
 */
void kin__encode_object(kin__buf *out, const kin__encoding *encoding, const kin_object *object,
                        bool is_item);
/* The beginning of a list, up to its items: `{"kind":…,"metadata":{…}`. `remaining` 0: not told. */
void kin__encode_list_head(kin__buf *out, const kin__encoding *encoding, uint64_t version,
                           kin_str continue_token, uint64_t remaining);
/* What the items of a list are if there are none. */
const char *kin__encode_no_items(const kin__encoding *encoding);
/* An object of a bookmark. */
void kin__encode_bookmark(kin__buf *out, const kin__encoding *encoding, uint64_t version,
                          bool is_end_of_initial_events);
/*
 * A text as YAML: `json` is a whole map. `is_item`: as an item of a sequence, "- …". What can go
 * wrong is told by the buffer.
 */
void kin__encode_yaml(kin__buf *out, kin_str json, bool is_item);

#endif
