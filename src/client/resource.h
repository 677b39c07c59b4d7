/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resources, for the rest of the client; the public half is kinform/resource.h.
 */
#ifndef KIN_CLIENT_RESOURCE_H
#define KIN_CLIENT_RESOURCE_H

#include "base/ref.h"
#include "kinform/resource.h"

/* One block: the strings stand behind the struct. Const once it is made. */
struct kin_resource {
    kin__ref ref;
    const char *group;
    const char *version;
    const char *name;
    const char *kind;
    const char *api_version;
    const char *verbs; /* each terminated, an empty one is the end; NULL: nobody knows */
    bool namespaced;
};

typedef struct kin__resource_parts {
    kin_str group;
    kin_str version;
    kin_str name;
    kin_str kind;
    kin_str verbs; /* each terminated; data NULL: nobody knows */
    bool namespaced;
} kin__resource_parts;

/* All is COPIED. 0, KIN_EINVAL (a part that cannot stand in a path), KIN_ENOMEM. */
int kin__resource_make(kin_resource **ret, const kin__resource_parts *parts, kin_error *err);

#endif
