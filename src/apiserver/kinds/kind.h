/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kind that is served: one resource of a group, in one or more versions. Built-in kinds come from
 * a table; those of CustomResourceDefinitions are made and go at run time. Const once made, SHARED.
 */
#ifndef KIN_APISERVER_KINDS_KIND_H
#define KIN_APISERVER_KINDS_KIND_H

#include <stdbool.h>

#include "base/ref.h"
#include "kinform/value.h"

/* What is done to a resource. Those of KIN__VERB_OTHER are no method that resources have: 405. */
enum kin__verb {
    KIN__VERB_GET,
    KIN__VERB_LIST,
    KIN__VERB_WATCH,
    KIN__VERB_CREATE,
    KIN__VERB_UPDATE,
    KIN__VERB_PATCH,
    KIN__VERB_DELETE,
    KIN__VERB_DELETE_COLLECTION,
    KIN__VERB_OTHER
};

/* Sets of verbs: KIN__VERB_BIT(KIN__VERB_GET) | … */
#define KIN__VERB_BIT(verb) (1u << (verb))
#define KIN__VERBS_ALL (KIN__VERB_BIT(KIN__VERB_OTHER) - 1)
#define KIN__VERBS_WRITE_PART                                                                      \
    (KIN__VERB_BIT(KIN__VERB_GET) | KIN__VERB_BIT(KIN__VERB_PATCH) |                               \
     KIN__VERB_BIT(KIN__VERB_UPDATE))

/* As discovery and logs have it: "deletecollection". "" for KIN__VERB_OTHER. */
const char *kin__verb_name(enum kin__verb verb);

/* How names of its objects must look. */
enum kin__name_rule {
    KIN__NAME_SUBDOMAIN,   /* RFC 1123 subdomain: most kinds */
    KIN__NAME_LABEL,       /* RFC 1123 label: namespaces, services, stateful sets */
    KIN__NAME_LABEL_1035,  /* RFC 1035 label: services of servers before 1.36, names in CRDs */
    KIN__NAME_PATH_SEGMENT /* anything that can stand in a path: RBAC */
};

/* A field by which lists and watches can select, beside metadata.name and metadata.namespace. */
typedef struct kin__selectable_field {
    const char *name;     /* as selectors say it: "spec.nodeName" */
    const char *path;     /* where it lies in the stored form, if that differs; NULL: `name` */
    const char *fallback; /* where it lies if nothing is there; NULL: nowhere else */
    const char *absent;   /* what an object without it has, e.g. "false"; NULL: "" */
} kin__selectable_field;

/* Where a kind keeps what its subresource "scale" shows; paths as kin_object_find() takes them. */
typedef struct kin__scale_paths {
    const char *replicas;        /* spec.replicas; NULL: there is no subresource "scale" */
    const char *status_replicas; /* status.replicas */
    const char *selector;        /* what selects the Pods; NULL: not told */
    /*
     * What lies there is a LabelSelector or, in a ReplicationController, a map of labels, and is to
     * be printed; else it is a string already.
     */
    bool selector_is_object;
} kin__scale_paths;

/* A subresource beside "status" and "scale". */
typedef struct kin__subresource {
    const char *name; /* "eviction" */
    /* What is sent and answered: "policy", "v1", "Eviction". The group and version are "" where
     * they are those of the kind itself. */
    const char *group;
    const char *version;
    const char *kind;
    unsigned verbs;
} kin__subresource;

typedef struct kin__kind_version {
    const char *name; /* "v1" */
    bool served;
    bool has_status; /* subresource: writes of the object leave status, and the other way round */
    bool deprecated;
    const char *warning; /* what users of a deprecated version are told; NULL: the usual words */
    kin__scale_paths scale;
    const kin__selectable_field *fields; /* ends with a NULL name; may be NULL */
    kin_value schema; /* of a CRD: openAPIV3Schema; KIN_NONE: none. Lives as long as the kind. */
} kin__kind_version;

/* How the forms of a kind's versions, or of two kinds with one collection, differ. */
enum kin__conversion {
    KIN__CONVERSION_NONE,   /* in apiVersion only */
    KIN__CONVERSION_EVENTS, /* see event_conversion.h */
    KIN__CONVERSION_WEBHOOK /* a CRD asks for a webhook, which is not called: as NONE */
};

/* What the server says of a field that cannot be selected by. */
enum kin__field_words {
    KIN__FIELDS_UNKNOWN,       /* of kinds that have no fields of their own */
    KIN__FIELDS_NOT_SUPPORTED, /* of those that have, and of CustomResourceDefinitions */
    KIN__FIELDS_JOB            /* of Jobs */
};

/* What metadata.generation is. What it counts are changes of anything but metadata and status. */
enum kin__generation {
    KIN__GENERATION_GIVEN,   /* what the object was created with */
    KIN__GENERATION_ONE,     /* 1 for ever */
    KIN__GENERATION_COUNTED, /* 1 at first */
    KIN__GENERATION_COUNTED_WITH_LABELS,
    KIN__GENERATION_COUNTED_WITH_ANNOTATIONS,
    KIN__GENERATION_COUNTED_FROM_GIVEN
};

typedef struct kin__kind {
    kin__ref ref;                      /* not counted for those of the table */
    const char *group;                 /* "" for core */
    const char *resource;              /* "pods" */
    const char *singular;              /* "pod" */
    const char *kind;                  /* "Pod" */
    const char *list_kind;             /* "PodList" */
    const char *const *short_names;    /* ends with NULL; may be NULL */
    const char *const *categories;     /* the same */
    const kin__kind_version *versions; /* preferred first; ends with a NULL name */
    const char *storage_version;       /* in which objects are kept */
    /*
     * The name of its collection: "pods", "deployments.apps". Two kinds may have the same: events
     * of core and of events.k8s.io are one collection, kept as core's. Whoever reads or writes
     * through a kind whose `conversion` is KIN__CONVERSION_EVENTS converts what goes in and out;
     * the other kind takes objects as they are.
     */
    const char *collection;
    const kin__subresource *subresources; /* ends with a NULL name; may be NULL */
    unsigned verbs;                       /* what it has; KIN__VERBS_ALL but for a few */
    enum kin__conversion conversion;
    enum kin__name_rule name_rule;
    enum kin__field_words field_words;
    bool namespaced;
    enum kin__generation generation;
    bool graceful;        /* deletion waits for a grace period: pods */
    bool returns_deleted; /* who deletes one is given the object, not a Status */
    bool custom;          /* of a CustomResourceDefinition */
    /* An update need not name the version that it changes: it is the newest then. */
    bool unconditional_update;
    bool create_on_update; /* an update of what is not there creates it */
    const kin_object *crd; /* what it was made of; SHARED with the kind; NULL in the table */
} kin__kind;

/* Another reference; does nothing to kinds of the table. Returns `kind`. */
const kin__kind *kin__kind_ref(const kin__kind *kind);
void kin__kind_unref(const kin__kind *kind);

/* The version of that name; NULL if the kind has none or it is not served. */
const kin__kind_version *kin__kind_find_version(const kin__kind *kind, kin_str version);
/* Whether a version is served. */
bool kin__kind_serves(const kin__kind *kind, kin_str version);
/* What one of its versions has under a name, or NULL: "status" and "scale" too. */
const kin__subresource *kin__kind_find_subresource(const kin__kind *kind,
                                                   const kin__kind_version *version, kin_str name);
/* One of its subresources, in the order of their names; NULL behind the last. */
const kin__subresource *kin__kind_subresource_at(const kin__kind *kind,
                                                 const kin__kind_version *version, size_t index);

/*
 * The table of built-in kinds, groups in the order of discovery and resources in that of their
 * names; ends with NULL.
 */
extern const kin__kind *const kin__builtin_kinds[];

/* Order of versions: v2, v1, v1beta2, v1beta1, v1alpha1, then others by name. <0: `a` is first. */
int kin__version_compare(kin_str a, kin_str b);

#endif
