/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of a body's members, as a decoder into structs checks them, and in the words of Go's. What
 * is not there and what is null are the same.
 */
#ifndef KIN_APISERVER_KINDS_MEMBER_TYPES_H
#define KIN_APISERVER_KINDS_MEMBER_TYPES_H

#include "apiserver/kinds/failure.h"

enum kin__shape {
    KIN__SHAPE_STRING,
    KIN__SHAPE_TIME, /* RFC 3339 */
    KIN__SHAPE_INTEGER,
    KIN__SHAPE_BOOL,
    KIN__SHAPE_MAP,
    KIN__SHAPE_STRING_MAP,
    KIN__SHAPE_STRINGS,
    KIN__SHAPE_MAPS
};

typedef struct kin__member {
    const char *name;
    enum kin__shape shape;
    const char *type;      /* as the real server calls it: "v1.ResourceScope" */
    const char *item_type; /* of what is in it; NULL: that is not looked at */
} kin__member;

/* What the body should be: "Deployment" in version "v1". */
typedef struct kin__decoding {
    const char *kind;
    kin_str version;
    kin__failure *failure; /* 400, if a member is of another type */
} kin__decoding;

/*
 * Whether the members of a map have their types. `where` as the real server calls the place:
 * "ObjectMeta.metadata".
 */
bool kin__members_check(const kin__decoding *decoding, kin_value map, const kin__member *members,
                        size_t n, const char *where);
/* 400: `found` is no `type`. `where` is the member's whole place, "" if it is none of a struct. */
bool kin__fail_type(const kin__decoding *decoding, kin_value found, const char *where,
                    const char *type);
/* As Go's JSON decoder calls what it found: "object", "number". */
const char *kin__found_type(kin_value value);
/* Whether a value is of a type, null, or not there. */
bool kin__is_type(kin_value value, enum kin_type type);

#endif
