/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kind that is served: one resource of a group, in one or more versions. Built-in kinds come from
 * a table; those of CustomResourceDefinitions are made and go at run time. Const once made, SHARED.
 */
#ifndef KIN_APISERVER_KIND_H
#define KIN_APISERVER_KIND_H

#include <stdbool.h>

#include "base/ref.h"
#include "kinform/common.h"

/* How names of its objects must look. */
enum kin__name_rule {
    KIN__NAME_SUBDOMAIN, /* RFC 1123 subdomain: most kinds */
    KIN__NAME_LABEL,     /* RFC 1123 label: namespaces */
    KIN__NAME_LABEL_1035, /* RFC 1035 label: services */
    KIN__NAME_PATH_SEGMENT /* anything that can stand in a path: RBAC */
};

/* A field by which lists and watches can select, beside metadata.name and metadata.namespace. */
typedef struct kin__selectable_field {
    const char *name; /* as selectors say it: "spec.nodeName" */
    const char *path; /* where it lies, if that differs; NULL: `name` */
    const char *absent; /* what an object without it has: "" or e.g. "false" */
} kin__selectable_field;

typedef struct kin__kind_version {
    const char *name; /* "v1" */
    bool served;
} kin__kind_version;

/* Where a kind keeps what its subresource "scale" shows; dotted paths, NULL where it has none. */
typedef struct kin__scale_paths {
    const char *replicas;        /* spec.replicas; NULL: no subresource "scale" */
    const char *status_replicas; /* status.replicas */
    const char *selector;        /* spec.selector (a LabelSelector), or a string's path */
} kin__scale_paths;

typedef struct kin__kind {
    kin__ref ref;           /* not counted for those of the table */
    const char *group;      /* "" for core */
    const char *resource;   /* "pods" */
    const char *singular;   /* "pod" */
    const char *kind;       /* "Pod" */
    const char *list_kind;  /* "PodList" */
    const char *const *short_names; /* ends with NULL; may be NULL */
    const char *const *categories;  /* the same */
    const kin__kind_version *versions; /* preferred first; ends with a NULL name */
    const char *storage_version;       /* in which objects are kept */
    const kin__selectable_field *fields; /* ends with a NULL name; may be NULL */
    kin__scale_paths scale;
    enum kin__name_rule name_rule;
    bool namespaced;
    bool has_status;     /* subresource: writes of the object leave status, and the other way round */
    bool has_generation; /* metadata.generation counts changes of anything but metadata and status */
    bool graceful;       /* deletion waits for a grace period: pods */
    bool custom;         /* of a CustomResourceDefinition */
} kin__kind;

/* Readers and other users of one version's name: whether it is served. */
bool kin__kind_serves(const kin__kind *kind, kin_str version);

/* The table of built-in kinds; ends with NULL. */
extern const kin__kind *const kin__builtin_kinds[];

#endif
