/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The built-in kinds, as discovery of a real server lists them: groups in its order, resources by
 * name.
 *
 * What is left out on purpose: groups whose objects are questions to the server (authentication,
 * authorization), versions that would need a conversion of their own (autoscaling/v1), alpha and
 * beta versions, componentstatuses, and subresources that lead into containers and other servers
 * (exec, log, proxy, …).
 */
#include <stddef.h>

#include "apiserver/kinds/kind.h"

/* clang-format off */
#define NAMES(...) (const char *const[]){__VA_ARGS__, NULL}
#define VERSION(...) \
    .versions = (const kin__kind_version[]){{.served = true, .name = __VA_ARGS__}, {.name = NULL}}, \
    .storage_version = FIRST(__VA_ARGS__, )
#define FIRST(first, ...) first
#define KIND(group_, resource_, singular_, kind_) \
    .group = (group_), .resource = (resource_), .singular = (singular_), .kind = (kind_), \
    .list_kind = kind_ "List"
#define SCALE {"spec.replicas", "status.replicas", "spec.selector", true}
/* clang-format on */

/*
 * --- fields that lists can select by ---
 *
 * The real server writes defaults into objects, and finds them there. Here objects stay as they
 * came, and are found as if they had them.
 */

static const kin__selectable_field pod_fields[] = {
    {.name = "spec.nodeName"},
    {.name = "spec.host", .path = "spec.nodeName"}, /* of clients from before 1.0 */
    {.name = "spec.restartPolicy", .absent = "Always"},
    {.name = "spec.schedulerName", .absent = "default-scheduler"},
    {.name = "spec.serviceAccountName"},
    {.name = "spec.hostNetwork", .absent = "false"},
    {.name = "status.phase", .absent = "Pending"},
    {.name = "status.podIP"},
    {.name = "status.podIPs"}, /* allowed, but no Pod has a text there */
    {.name = "status.nominatedNodeName"},
    {.name = NULL},
};
static const kin__selectable_field node_fields[] = {
    {.name = "spec.unschedulable", .absent = "false"},
    {.name = NULL},
};
static const kin__selectable_field controller_fields[] = {
    {.name = "status.replicas", .absent = "0"},
    {.name = NULL},
};
static const kin__selectable_field namespace_fields[] = {
    {.name = "status.phase"},
    {.name = NULL},
};
static const kin__selectable_field secret_fields[] = {
    {.name = "type", .absent = "Opaque"},
    {.name = NULL},
};
static const kin__selectable_field service_fields[] = {
    {.name = "spec.clusterIP"},
    {.name = "spec.type", .absent = "ClusterIP"},
    {.name = NULL},
};
static const kin__selectable_field job_fields[] = {
    {.name = "status.successful", .path = "status.succeeded", .absent = "0"},
    {.name = NULL},
};
static const kin__selectable_field signer_fields[] = {
    {.name = "spec.signerName"},
    {.name = NULL},
};
static const kin__selectable_field slice_fields[] = {
    {.name = "spec.nodeName"},
    {.name = "spec.driver"},
    {.name = NULL},
};
static const kin__selectable_field event_fields[] = {
    {.name = "involvedObject.kind"},
    {.name = "involvedObject.namespace"},
    {.name = "involvedObject.name"},
    {.name = "involvedObject.uid"},
    {.name = "involvedObject.apiVersion"},
    {.name = "involvedObject.resourceVersion"},
    {.name = "involvedObject.fieldPath"},
    {.name = "reason"},
    {.name = "reportingComponent"},
    {.name = "source", .path = "source.component", .fallback = "reportingComponent"},
    {.name = "type"},
    {.name = NULL},
};
/* Events are kept in core's form. */
static const kin__selectable_field event_group_fields[] = {
    {.name = "reason"},
    {.name = "regarding.kind", .path = "involvedObject.kind"},
    {.name = "regarding.namespace", .path = "involvedObject.namespace"},
    {.name = "regarding.name", .path = "involvedObject.name"},
    {.name = "regarding.uid", .path = "involvedObject.uid"},
    {.name = "regarding.apiVersion", .path = "involvedObject.apiVersion"},
    {.name = "regarding.resourceVersion", .path = "involvedObject.resourceVersion"},
    {.name = "regarding.fieldPath", .path = "involvedObject.fieldPath"},
    {.name = "reportingController", .path = "reportingComponent"},
    {.name = "type"},
    {.name = NULL},
};

/* --- subresources beside status and scale, by name --- */

static const kin__subresource pod_subresources[] = {
    {"binding", "", "", "Binding", KIN__VERB_BIT(KIN__VERB_CREATE)},
    {"ephemeralcontainers", "", "", "Pod", KIN__VERBS_WRITE_PART},
    {"eviction", "policy", "v1", "Eviction", KIN__VERB_BIT(KIN__VERB_CREATE)},
    {"resize", "", "", "Pod", KIN__VERBS_WRITE_PART},
    {.name = NULL},
};
static const kin__subresource namespace_subresources[] = {
    {"finalize", "", "", "Namespace", KIN__VERB_BIT(KIN__VERB_UPDATE)},
    {.name = NULL},
};
static const kin__subresource approval_subresource[] = {
    {"approval", "", "", "CertificateSigningRequest", KIN__VERBS_WRITE_PART},
    {.name = NULL},
};

/* --- core --- */

static const kin__kind bindings = {
    KIND("", "bindings", "binding", "Binding"),
    VERSION("v1"),
    .collection = "bindings",
    .verbs = KIN__VERB_BIT(KIN__VERB_CREATE),
    .name_rule = KIN__NAME_PATH_SEGMENT,
    .namespaced = true,
};

static const kin__kind configmaps = {
    KIND("", "configmaps", "configmap", "ConfigMap"),
    VERSION("v1"),
    .collection = "configmaps",
    .short_names = NAMES("cm"),
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .unconditional_update = true,
};

static const kin__kind endpoints = {
    KIND("", "endpoints", "endpoints", "Endpoints"),
    VERSION("v1"),
    .collection = "endpoints",
    .short_names = NAMES("ep"),
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .unconditional_update = true,
    .create_on_update = true,
};

static const kin__kind events = {
    KIND("", "events", "event", "Event"),
    VERSION("v1", .fields = event_fields),
    .collection = "events",
    .short_names = NAMES("ev"),
    .verbs = KIN__VERBS_ALL,
    .name_rule = KIN__NAME_PATH_SEGMENT,
    .field_words = KIN__FIELDS_NOT_SUPPORTED,
    .namespaced = true,
    .unconditional_update = true,
    .create_on_update = true,
};

static const kin__kind limitranges = {
    KIND("", "limitranges", "limitrange", "LimitRange"),
    VERSION("v1"),
    .collection = "limitranges",
    .short_names = NAMES("limits"),
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .unconditional_update = true,
    .create_on_update = true,
};

static const kin__kind namespaces = {
    KIND("", "namespaces", "namespace", "Namespace"),
    VERSION("v1", .has_status = true, .fields = namespace_fields),
    .collection = "namespaces",
    .short_names = NAMES("ns"),
    .subresources = namespace_subresources,
    .verbs = KIN__VERBS_ALL & ~KIN__VERB_BIT(KIN__VERB_DELETE_COLLECTION),
    .name_rule = KIN__NAME_LABEL,
    .field_words = KIN__FIELDS_NOT_SUPPORTED,
    .unconditional_update = true,
};

static const kin__kind nodes = {
    KIND("", "nodes", "node", "Node"),
    VERSION("v1", .has_status = true, .fields = node_fields),
    .collection = "nodes",
    .short_names = NAMES("no"),
    .verbs = KIN__VERBS_ALL,
    .field_words = KIN__FIELDS_NOT_SUPPORTED,
    .unconditional_update = true,
};

static const kin__kind persistentvolumeclaims = {
    KIND("", "persistentvolumeclaims", "persistentvolumeclaim", "PersistentVolumeClaim"),
    VERSION("v1", .has_status = true),
    .collection = "persistentvolumeclaims",
    .short_names = NAMES("pvc"),
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .unconditional_update = true,
    .returns_deleted = true,
};

static const kin__kind persistentvolumes = {
    KIND("", "persistentvolumes", "persistentvolume", "PersistentVolume"),
    VERSION("v1", .has_status = true),
    .collection = "persistentvolumes",
    .short_names = NAMES("pv"),
    .verbs = KIN__VERBS_ALL,
    .unconditional_update = true,
    .returns_deleted = true,
};

static const kin__kind pods = {
    KIND("", "pods", "pod", "Pod"),
    VERSION("v1", .has_status = true, .fields = pod_fields),
    .collection = "pods",
    .short_names = NAMES("po"),
    .categories = NAMES("all"),
    .subresources = pod_subresources,
    .verbs = KIN__VERBS_ALL,
    .field_words = KIN__FIELDS_NOT_SUPPORTED,
    .namespaced = true,
    .generation = KIN__GENERATION_COUNTED,
    .graceful = true,
    .unconditional_update = true,
    .returns_deleted = true,
};

static const kin__kind podtemplates = {
    KIND("", "podtemplates", "podtemplate", "PodTemplate"),
    VERSION("v1"),
    .collection = "podtemplates",
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .generation = KIN__GENERATION_COUNTED,
    .unconditional_update = true,
    .returns_deleted = true,
};

static const kin__kind replicationcontrollers = {
    KIND("", "replicationcontrollers", "replicationcontroller", "ReplicationController"),
    VERSION("v1", .has_status = true, .scale = SCALE, .fields = controller_fields),
    .collection = "replicationcontrollers",
    .short_names = NAMES("rc"),
    .categories = NAMES("all"),
    .verbs = KIN__VERBS_ALL,
    .field_words = KIN__FIELDS_NOT_SUPPORTED,
    .namespaced = true,
    .generation = KIN__GENERATION_COUNTED,
    .unconditional_update = true,
};

static const kin__kind resourcequotas = {
    KIND("", "resourcequotas", "resourcequota", "ResourceQuota"),
    VERSION("v1", .has_status = true),
    .collection = "resourcequotas",
    .short_names = NAMES("quota"),
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .unconditional_update = true,
    .returns_deleted = true,
};

static const kin__kind secrets = {
    KIND("", "secrets", "secret", "Secret"),
    VERSION("v1", .fields = secret_fields),
    .collection = "secrets",
    .verbs = KIN__VERBS_ALL,
    .field_words = KIN__FIELDS_NOT_SUPPORTED,
    .namespaced = true,
    .unconditional_update = true,
};

static const kin__kind serviceaccounts = {
    KIND("", "serviceaccounts", "serviceaccount", "ServiceAccount"),
    VERSION("v1"),
    .collection = "serviceaccounts",
    .short_names = NAMES("sa"),
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .unconditional_update = true,
    .returns_deleted = true,
};

static const kin__kind services = {
    KIND("", "services", "service", "Service"),
    VERSION("v1", .has_status = true, .fields = service_fields),
    .collection = "services",
    .short_names = NAMES("svc"),
    .categories = NAMES("all"),
    .verbs = KIN__VERBS_ALL,
    .name_rule = KIN__NAME_LABEL,
    .field_words = KIN__FIELDS_NOT_SUPPORTED,
    .namespaced = true,
    .unconditional_update = true,
    .create_on_update = true,
    .returns_deleted = true,
};

/* --- apiregistration.k8s.io --- */

static const kin__kind apiservices = {
    KIND("apiregistration.k8s.io", "apiservices", "apiservice", "APIService"),
    VERSION("v1", .has_status = true),
    .collection = "apiservices.apiregistration.k8s.io",
    .categories = NAMES("api-extensions"),
    .verbs = KIN__VERBS_ALL,
    .name_rule = KIN__NAME_PATH_SEGMENT,
};

/* --- apps --- */

static const kin__kind controllerrevisions = {
    KIND("apps", "controllerrevisions", "controllerrevision", "ControllerRevision"),
    VERSION("v1"),
    .collection = "controllerrevisions.apps",
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .unconditional_update = true,
};

static const kin__kind daemonsets = {
    KIND("apps", "daemonsets", "daemonset", "DaemonSet"),
    VERSION("v1", .has_status = true),
    .collection = "daemonsets.apps",
    .short_names = NAMES("ds"),
    .categories = NAMES("all"),
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .generation = KIN__GENERATION_COUNTED,
    .unconditional_update = true,
};

static const kin__kind deployments = {
    KIND("apps", "deployments", "deployment", "Deployment"),
    VERSION("v1", .has_status = true, .scale = SCALE),
    .collection = "deployments.apps",
    .short_names = NAMES("deploy"),
    .categories = NAMES("all"),
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .generation = KIN__GENERATION_COUNTED_WITH_ANNOTATIONS,
    .unconditional_update = true,
};

static const kin__kind replicasets = {
    KIND("apps", "replicasets", "replicaset", "ReplicaSet"),
    VERSION("v1", .has_status = true, .scale = SCALE),
    .collection = "replicasets.apps",
    .short_names = NAMES("rs"),
    .categories = NAMES("all"),
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .generation = KIN__GENERATION_COUNTED,
    .unconditional_update = true,
};

static const kin__kind statefulsets = {
    KIND("apps", "statefulsets", "statefulset", "StatefulSet"),
    VERSION("v1", .has_status = true, .scale = SCALE),
    .collection = "statefulsets.apps",
    .short_names = NAMES("sts"),
    .categories = NAMES("all"),
    .verbs = KIN__VERBS_ALL,
    .name_rule = KIN__NAME_LABEL,
    .namespaced = true,
    .generation = KIN__GENERATION_COUNTED,
    .unconditional_update = true,
};

/* --- events.k8s.io --- */

static const kin__kind events_of_group = {
    KIND("events.k8s.io", "events", "event", "Event"),
    VERSION("v1", .fields = event_group_fields),
    .collection = "events",
    .conversion = KIN__CONVERSION_EVENTS,
    .short_names = NAMES("ev"),
    .verbs = KIN__VERBS_ALL,
    .field_words = KIN__FIELDS_NOT_SUPPORTED,
    .namespaced = true,
    .unconditional_update = true,
    .create_on_update = true,
};

/* --- autoscaling --- */

static const kin__kind horizontalpodautoscalers = {
    KIND("autoscaling", "horizontalpodautoscalers", "horizontalpodautoscaler",
         "HorizontalPodAutoscaler"),
    VERSION("v2", .has_status = true),
    .collection = "horizontalpodautoscalers.autoscaling",
    .short_names = NAMES("hpa"),
    .categories = NAMES("all"),
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .unconditional_update = true,
};

/* --- batch --- */

static const kin__kind cronjobs = {
    KIND("batch", "cronjobs", "cronjob", "CronJob"),
    VERSION("v1", .has_status = true),
    .collection = "cronjobs.batch",
    .short_names = NAMES("cj"),
    .categories = NAMES("all"),
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .generation = KIN__GENERATION_COUNTED,
    .unconditional_update = true,
};

static const kin__kind jobs = {
    KIND("batch", "jobs", "job", "Job"),
    VERSION("v1", .has_status = true, .fields = job_fields),
    .collection = "jobs.batch",
    .categories = NAMES("all"),
    .verbs = KIN__VERBS_ALL,
    .field_words = KIN__FIELDS_JOB,
    .namespaced = true,
    .generation = KIN__GENERATION_COUNTED,
    .unconditional_update = true,
};

/* --- certificates.k8s.io --- */

static const kin__kind certificatesigningrequests = {
    KIND("certificates.k8s.io", "certificatesigningrequests", "certificatesigningrequest",
         "CertificateSigningRequest"),
    VERSION("v1", .has_status = true, .fields = signer_fields),
    .collection = "certificatesigningrequests.certificates.k8s.io",
    .short_names = NAMES("csr"),
    .subresources = approval_subresource,
    .verbs = KIN__VERBS_ALL,
    .name_rule = KIN__NAME_PATH_SEGMENT,
    .field_words = KIN__FIELDS_NOT_SUPPORTED,
    .unconditional_update = true,
};

/* --- networking.k8s.io --- */

static const kin__kind ingressclasses = {
    KIND("networking.k8s.io", "ingressclasses", "ingressclass", "IngressClass"),
    VERSION("v1"),
    .collection = "ingressclasses.networking.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .generation = KIN__GENERATION_COUNTED,
    .unconditional_update = true,
};

static const kin__kind ingresses = {
    KIND("networking.k8s.io", "ingresses", "ingress", "Ingress"),
    VERSION("v1", .has_status = true),
    .collection = "ingresses.networking.k8s.io",
    .short_names = NAMES("ing"),
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .generation = KIN__GENERATION_COUNTED,
    .unconditional_update = true,
};

static const kin__kind ipaddresses = {
    KIND("networking.k8s.io", "ipaddresses", "ipaddress", "IPAddress"),
    VERSION("v1"),
    .collection = "ipaddresses.networking.k8s.io",
    .short_names = NAMES("ip"),
    .verbs = KIN__VERBS_ALL,
    .name_rule = KIN__NAME_PATH_SEGMENT,
    .unconditional_update = true,
};

static const kin__kind networkpolicies = {
    KIND("networking.k8s.io", "networkpolicies", "networkpolicy", "NetworkPolicy"),
    VERSION("v1"),
    .collection = "networkpolicies.networking.k8s.io",
    .short_names = NAMES("netpol"),
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .generation = KIN__GENERATION_COUNTED,
    .unconditional_update = true,
};

static const kin__kind servicecidrs = {
    KIND("networking.k8s.io", "servicecidrs", "servicecidr", "ServiceCIDR"),
    VERSION("v1", .has_status = true),
    .collection = "servicecidrs.networking.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .unconditional_update = true,
};

/* --- policy --- */

static const kin__kind poddisruptionbudgets = {
    KIND("policy", "poddisruptionbudgets", "poddisruptionbudget", "PodDisruptionBudget"),
    VERSION("v1", .has_status = true),
    .collection = "poddisruptionbudgets.policy",
    .short_names = NAMES("pdb"),
    .verbs = KIN__VERBS_ALL,
    .name_rule = KIN__NAME_PATH_SEGMENT,
    .namespaced = true,
    .generation = KIN__GENERATION_COUNTED,
};

/* --- rbac.authorization.k8s.io --- */

static const kin__kind clusterrolebindings = {
    KIND("rbac.authorization.k8s.io", "clusterrolebindings", "clusterrolebinding",
         "ClusterRoleBinding"),
    VERSION("v1"),
    .collection = "clusterrolebindings.rbac.authorization.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .name_rule = KIN__NAME_PATH_SEGMENT,
    .unconditional_update = true,
    .create_on_update = true,
};

static const kin__kind clusterroles = {
    KIND("rbac.authorization.k8s.io", "clusterroles", "clusterrole", "ClusterRole"),
    VERSION("v1"),
    .collection = "clusterroles.rbac.authorization.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .name_rule = KIN__NAME_PATH_SEGMENT,
    .unconditional_update = true,
    .create_on_update = true,
};

static const kin__kind rolebindings = {
    KIND("rbac.authorization.k8s.io", "rolebindings", "rolebinding", "RoleBinding"),
    VERSION("v1"),
    .collection = "rolebindings.rbac.authorization.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .name_rule = KIN__NAME_PATH_SEGMENT,
    .namespaced = true,
    .unconditional_update = true,
    .create_on_update = true,
};

static const kin__kind roles = {
    KIND("rbac.authorization.k8s.io", "roles", "role", "Role"),
    VERSION("v1"),
    .collection = "roles.rbac.authorization.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .name_rule = KIN__NAME_PATH_SEGMENT,
    .namespaced = true,
    .unconditional_update = true,
    .create_on_update = true,
};

/* --- storage.k8s.io --- */

static const kin__kind csidrivers = {
    KIND("storage.k8s.io", "csidrivers", "csidriver", "CSIDriver"),
    VERSION("v1"),
    .collection = "csidrivers.storage.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .generation = KIN__GENERATION_COUNTED_FROM_GIVEN,
    .returns_deleted = true,
};

static const kin__kind csinodes = {
    KIND("storage.k8s.io", "csinodes", "csinode", "CSINode"),
    VERSION("v1"),
    .collection = "csinodes.storage.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .returns_deleted = true,
};

static const kin__kind csistoragecapacities = {
    KIND("storage.k8s.io", "csistoragecapacities", "csistoragecapacity", "CSIStorageCapacity"),
    VERSION("v1"),
    .collection = "csistoragecapacities.storage.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
};

static const kin__kind storageclasses = {
    KIND("storage.k8s.io", "storageclasses", "storageclass", "StorageClass"),
    VERSION("v1"),
    .collection = "storageclasses.storage.k8s.io",
    .short_names = NAMES("sc"),
    .verbs = KIN__VERBS_ALL,
    .unconditional_update = true,
    .returns_deleted = true,
};

static const kin__kind volumeattachments = {
    KIND("storage.k8s.io", "volumeattachments", "volumeattachment", "VolumeAttachment"),
    VERSION("v1", .has_status = true),
    .collection = "volumeattachments.storage.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .returns_deleted = true,
};

static const kin__kind volumeattributesclasses = {
    KIND("storage.k8s.io", "volumeattributesclasses", "volumeattributesclass",
         "VolumeAttributesClass"),
    VERSION("v1"),
    .collection = "volumeattributesclasses.storage.k8s.io",
    .short_names = NAMES("vac"),
    .verbs = KIN__VERBS_ALL,
    .unconditional_update = true,
    .returns_deleted = true,
};

/* --- admissionregistration.k8s.io --- */

static const kin__kind mutatingadmissionpolicies = {
    KIND("admissionregistration.k8s.io", "mutatingadmissionpolicies", "mutatingadmissionpolicy",
         "MutatingAdmissionPolicy"),
    VERSION("v1"),
    .collection = "mutatingadmissionpolicies.admissionregistration.k8s.io",
    .categories = NAMES("api-extensions"),
    .verbs = KIN__VERBS_ALL,
    .generation = KIN__GENERATION_COUNTED,
};

static const kin__kind mutatingadmissionpolicybindings = {
    KIND("admissionregistration.k8s.io", "mutatingadmissionpolicybindings",
         "mutatingadmissionpolicybinding", "MutatingAdmissionPolicyBinding"),
    VERSION("v1"),
    .collection = "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
    .categories = NAMES("api-extensions"),
    .verbs = KIN__VERBS_ALL,
    .generation = KIN__GENERATION_COUNTED,
};

static const kin__kind mutatingwebhookconfigurations = {
    KIND("admissionregistration.k8s.io", "mutatingwebhookconfigurations",
         "mutatingwebhookconfiguration", "MutatingWebhookConfiguration"),
    VERSION("v1"),
    .collection = "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    .categories = NAMES("api-extensions"),
    .verbs = KIN__VERBS_ALL,
    .generation = KIN__GENERATION_COUNTED,
};

static const kin__kind validatingadmissionpolicies = {
    KIND("admissionregistration.k8s.io", "validatingadmissionpolicies", "validatingadmissionpolicy",
         "ValidatingAdmissionPolicy"),
    VERSION("v1", .has_status = true),
    .collection = "validatingadmissionpolicies.admissionregistration.k8s.io",
    .categories = NAMES("api-extensions"),
    .verbs = KIN__VERBS_ALL,
    .generation = KIN__GENERATION_COUNTED,
};

static const kin__kind validatingadmissionpolicybindings = {
    KIND("admissionregistration.k8s.io", "validatingadmissionpolicybindings",
         "validatingadmissionpolicybinding", "ValidatingAdmissionPolicyBinding"),
    VERSION("v1"),
    .collection = "validatingadmissionpolicybindings.admissionregistration.k8s.io",
    .categories = NAMES("api-extensions"),
    .verbs = KIN__VERBS_ALL,
    .generation = KIN__GENERATION_COUNTED,
};

static const kin__kind validatingwebhookconfigurations = {
    KIND("admissionregistration.k8s.io", "validatingwebhookconfigurations",
         "validatingwebhookconfiguration", "ValidatingWebhookConfiguration"),
    VERSION("v1"),
    .collection = "validatingwebhookconfigurations.admissionregistration.k8s.io",
    .categories = NAMES("api-extensions"),
    .verbs = KIN__VERBS_ALL,
    .generation = KIN__GENERATION_COUNTED,
};

/* --- apiextensions.k8s.io --- */

static const kin__kind customresourcedefinitions = {
    KIND("apiextensions.k8s.io", "customresourcedefinitions", "customresourcedefinition",
         "CustomResourceDefinition"),
    VERSION("v1", .has_status = true),
    .collection = "customresourcedefinitions.apiextensions.k8s.io",
    .short_names = NAMES("crd", "crds"),
    .categories = NAMES("api-extensions"),
    .verbs = KIN__VERBS_ALL,
    .generation = KIN__GENERATION_COUNTED,
};

/* --- scheduling.k8s.io --- */

static const kin__kind priorityclasses = {
    KIND("scheduling.k8s.io", "priorityclasses", "priorityclass", "PriorityClass"),
    VERSION("v1"),
    .collection = "priorityclasses.scheduling.k8s.io",
    .short_names = NAMES("pc"),
    .verbs = KIN__VERBS_ALL,
    .generation = KIN__GENERATION_ONE,
    .unconditional_update = true,
};

/* --- coordination.k8s.io --- */

static const kin__kind leases = {
    KIND("coordination.k8s.io", "leases", "lease", "Lease"),
    VERSION("v1"),
    .collection = "leases.coordination.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .create_on_update = true,
};

/* --- node.k8s.io --- */

static const kin__kind runtimeclasses = {
    KIND("node.k8s.io", "runtimeclasses", "runtimeclass", "RuntimeClass"),
    VERSION("v1"),
    .collection = "runtimeclasses.node.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .create_on_update = true,
};

/* --- discovery.k8s.io --- */

static const kin__kind endpointslices = {
    KIND("discovery.k8s.io", "endpointslices", "endpointslice", "EndpointSlice"),
    VERSION("v1"),
    .collection = "endpointslices.discovery.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .generation = KIN__GENERATION_COUNTED_WITH_LABELS,
    .unconditional_update = true,
};

/* --- resource.k8s.io --- */

static const kin__kind deviceclasses = {
    KIND("resource.k8s.io", "deviceclasses", "deviceclass", "DeviceClass"),
    VERSION("v1"),
    .collection = "deviceclasses.resource.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .generation = KIN__GENERATION_COUNTED,
    .unconditional_update = true,
    .returns_deleted = true,
};

static const kin__kind resourceclaims = {
    KIND("resource.k8s.io", "resourceclaims", "resourceclaim", "ResourceClaim"),
    VERSION("v1", .has_status = true),
    .collection = "resourceclaims.resource.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .unconditional_update = true,
    .returns_deleted = true,
};

static const kin__kind resourceclaimtemplates = {
    KIND("resource.k8s.io", "resourceclaimtemplates", "resourceclaimtemplate",
         "ResourceClaimTemplate"),
    VERSION("v1"),
    .collection = "resourceclaimtemplates.resource.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .namespaced = true,
    .unconditional_update = true,
    .returns_deleted = true,
};

static const kin__kind resourceslices = {
    KIND("resource.k8s.io", "resourceslices", "resourceslice", "ResourceSlice"),
    VERSION("v1", .fields = slice_fields),
    .collection = "resourceslices.resource.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .field_words = KIN__FIELDS_NOT_SUPPORTED,
    .generation = KIN__GENERATION_COUNTED,
    .unconditional_update = true,
    .returns_deleted = true,
};

/* --- flowcontrol.apiserver.k8s.io --- */

static const kin__kind flowschemas = {
    KIND("flowcontrol.apiserver.k8s.io", "flowschemas", "flowschema", "FlowSchema"),
    VERSION("v1", .has_status = true),
    .collection = "flowschemas.flowcontrol.apiserver.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .generation = KIN__GENERATION_COUNTED,
    .unconditional_update = true,
};

static const kin__kind prioritylevelconfigurations = {
    KIND("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations",
         "prioritylevelconfiguration", "PriorityLevelConfiguration"),
    VERSION("v1", .has_status = true),
    .collection = "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
    .verbs = KIN__VERBS_ALL,
    .generation = KIN__GENERATION_COUNTED,
    .unconditional_update = true,
};

const kin__kind *const kin__builtin_kinds[] = {
    &bindings,
    &configmaps,
    &endpoints,
    &events,
    &limitranges,
    &namespaces,
    &nodes,
    &persistentvolumeclaims,
    &persistentvolumes,
    &pods,
    &podtemplates,
    &replicationcontrollers,
    &resourcequotas,
    &secrets,
    &serviceaccounts,
    &services,
    &apiservices,
    &controllerrevisions,
    &daemonsets,
    &deployments,
    &replicasets,
    &statefulsets,
    &events_of_group,
    &horizontalpodautoscalers,
    &cronjobs,
    &jobs,
    &certificatesigningrequests,
    &ingressclasses,
    &ingresses,
    &ipaddresses,
    &networkpolicies,
    &servicecidrs,
    &poddisruptionbudgets,
    &clusterrolebindings,
    &clusterroles,
    &rolebindings,
    &roles,
    &csidrivers,
    &csinodes,
    &csistoragecapacities,
    &storageclasses,
    &volumeattachments,
    &volumeattributesclasses,
    &mutatingadmissionpolicies,
    &mutatingadmissionpolicybindings,
    &mutatingwebhookconfigurations,
    &validatingadmissionpolicies,
    &validatingadmissionpolicybindings,
    &validatingwebhookconfigurations,
    &customresourcedefinitions,
    &priorityclasses,
    &leases,
    &runtimeclasses,
    &endpointslices,
    &deviceclasses,
    &resourceclaims,
    &resourceclaimtemplates,
    &resourceslices,
    &flowschemas,
    &prioritylevelconfigurations,
    NULL,
};
