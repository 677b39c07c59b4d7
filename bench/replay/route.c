/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a path to a kind, and from an Accept header to a format. The kinds that consist of several
 * words are listed; any other resource is taken for a custom one, and its kind is derived from the
 * plural, which suffices for a client that only wants its empty list to be consistent.
 */
#include "request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SEGMENTS_MAX 8

static const struct {
    const char *resource;
    const char *kind;
} kinds[] = {
    {"apiservices", "APIService"},
    {"certificatesigningrequests", "CertificateSigningRequest"},
    {"clusterrolebindings", "ClusterRoleBinding"},
    {"clusterroles", "ClusterRole"},
    {"componentstatuses", "ComponentStatus"},
    {"configmaps", "ConfigMap"},
    {"controllerrevisions", "ControllerRevision"},
    {"cronjobs", "CronJob"},
    {"csidrivers", "CSIDriver"},
    {"csinodes", "CSINode"},
    {"csistoragecapacities", "CSIStorageCapacity"},
    {"customresourcedefinitions", "CustomResourceDefinition"},
    {"daemonsets", "DaemonSet"},
    {"deviceclasses", "DeviceClass"},
    {"endpoints", "Endpoints"},
    {"endpointslices", "EndpointSlice"},
    {"flowschemas", "FlowSchema"},
    {"horizontalpodautoscalers", "HorizontalPodAutoscaler"},
    {"ingressclasses", "IngressClass"},
    {"ipaddresses", "IPAddress"},
    {"limitranges", "LimitRange"},
    {"mutatingwebhookconfigurations", "MutatingWebhookConfiguration"},
    {"networkpolicies", "NetworkPolicy"},
    {"persistentvolumeclaims", "PersistentVolumeClaim"},
    {"persistentvolumes", "PersistentVolume"},
    {"poddisruptionbudgets", "PodDisruptionBudget"},
    {"podtemplates", "PodTemplate"},
    {"priorityclasses", "PriorityClass"},
    {"prioritylevelconfigurations", "PriorityLevelConfiguration"},
    {"replicasets", "ReplicaSet"},
    {"replicationcontrollers", "ReplicationController"},
    {"resourceclaims", "ResourceClaim"},
    {"resourceclaimtemplates", "ResourceClaimTemplate"},
    {"resourcequotas", "ResourceQuota"},
    {"resourceslices", "ResourceSlice"},
    {"rolebindings", "RoleBinding"},
    {"runtimeclasses", "RuntimeClass"},
    {"serviceaccounts", "ServiceAccount"},
    {"servicecidrs", "ServiceCIDR"},
    {"statefulsets", "StatefulSet"},
    {"storageclasses", "StorageClass"},
    {"validatingadmissionpolicies", "ValidatingAdmissionPolicy"},
    {"validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding"},
    {"validatingwebhookconfigurations", "ValidatingWebhookConfiguration"},
    {"volumeattachments", "VolumeAttachment"},
};

static bool ends_with(const char *s, size_t len, const char *end)
{
    size_t n = strlen(end);

    return len > n && !memcmp(s + len - n, end, n);
}

static void find_kind(struct kin_bench_kind *ret, const char *resource)
{
    size_t len = strlen(resource);

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (!strcmp(kinds[i].resource, resource)) {
            (void)snprintf(ret->kind, sizeof(ret->kind), "%s", kinds[i].kind);
            return;
        }
    }
    (void)snprintf(ret->kind, sizeof(ret->kind), "%s", resource);
    if (ends_with(resource, len, "ies"))
        (void)snprintf(ret->kind + len - 3, sizeof(ret->kind) - len + 3, "y");
    else if (ends_with(resource, len, "sses"))
        ret->kind[len - 2] = '\0';
    else if (ends_with(resource, len, "s"))
        ret->kind[len - 1] = '\0';
    ret->kind[0] = (char)(ret->kind[0] - 'a' + 'A');
}

/* A DNS label or name: what groups, versions, namespaces and resources consist of. */
static bool is_name(const char *s, size_t max, bool dots)
{
    size_t len = strlen(s);

    if (len == 0 || len > max || s[0] < 'a' || s[0] > 'z')
        return false;
    for (size_t i = 0; i < len; i++)
        if (!(s[i] >= 'a' && s[i] <= 'z') && !(s[i] >= '0' && s[i] <= '9') && s[i] != '-' &&
            !(dots && s[i] == '.'))
            return false;
    return true;
}

static bool is_namespace(const char *s)
{
    /* Unlike the others a namespace may begin with a digit. */
    char prefixed[80];

    return strlen(s) < 64 && snprintf(prefixed, sizeof(prefixed), "n%s", s) > 1 &&
           is_name(prefixed, 64, false);
}

/* Splits in place; -1 when there are empty segments or too many. */
static int split(char *path, char *segments[SEGMENTS_MAX])
{
    int n = 0;

    while (*path == '/') {
        *path++ = '\0';
        if (n == SEGMENTS_MAX || *path == '/' || !*path)
            return -1;
        segments[n++] = path;
        path += strcspn(path, "/");
    }
    return n;
}

enum kin_bench_route kin_bench_route(const char *path, struct kin_bench_kind *ret)
{
    char copy[1024];
    char *segments[SEGMENTS_MAX];
    size_t len = strlen(path);
    int n;
    int at;

    if (!strcmp(path, "/version"))
        return KIN_BENCH_ROUTE_VERSION;
    if (len >= 5 && !strcmp(path + len - 5, "/pods")) {
        *ret = (struct kin_bench_kind){"Pod", "v1"};
        return KIN_BENCH_ROUTE_PODS;
    }
    if (len >= sizeof(copy))
        return KIN_BENCH_ROUTE_NONE;
    memcpy(copy, path, len + 1);
    n = split(copy, segments);
    if (n >= 3 && !strcmp(segments[0], "api") && is_name(segments[1], 32, false))
        at = 2;
    else if (n >= 4 && !strcmp(segments[0], "apis") && is_name(segments[1], 110, true) &&
             is_name(segments[2], 32, false))
        at = 3;
    else
        return KIN_BENCH_ROUTE_NONE;
    if (n == at + 3 && !strcmp(segments[at], "namespaces") && is_namespace(segments[at + 1]))
        at += 2;
    if (n != at + 1 || !is_name(segments[at], 63, false))
        return KIN_BENCH_ROUTE_NONE;
    if (!strcmp(segments[0], "api"))
        (void)snprintf(ret->api_version, sizeof(ret->api_version), "%s", segments[1]);
    else
        (void)snprintf(ret->api_version, sizeof(ret->api_version), "%s/%s", segments[1],
                       segments[2]);
    find_kind(ret, segments[at]);
    return KIN_BENCH_ROUTE_OTHER;
}

/* The next piece of *s up to a separator, without blanks around it. Moves *s behind it. */
static size_t next_piece(const char **s, char separator, const char **ret)
{
    const char *start = *s + strspn(*s, " \t");
    const char *end = strchr(start, separator);
    size_t len;

    if (!end)
        end = start + strlen(start);
    len = (size_t)(end - start);
    while (len > 0 && (start[len - 1] == ' ' || start[len - 1] == '\t'))
        len--;
    *ret = start;
    *s = *end ? end + 1 : end;
    return len;
}

static bool same(const char *data, size_t len, const char *text)
{
    return len == strlen(text) && !strncasecmp(data, text, len);
}

static bool is_zero_quality(const char *value, size_t len)
{
    if (len == 0 || value[0] != '0')
        return false;
    for (size_t i = 1; i < len; i++)
        if (value[i] != '0' && value[i] != '.')
            return false;
    return true;
}

/* The formats that one entry allows. */
static unsigned entry_formats(const char *entry, bool watch)
{
    const char *partial = watch ? "PartialObjectMetadata" : "PartialObjectMetadataList";
    const char *piece;
    size_t len = next_piece(&entry, ';', &piece);
    unsigned formats;

    if (same(piece, len, "application/json"))
        formats = 1u << KIN_BENCH_JSON;
    else if (same(piece, len, "application/vnd.kubernetes.protobuf"))
        formats = 1u << KIN_BENCH_PROTOBUF;
    else if (same(piece, len, "*/*") || same(piece, len, "application/*"))
        formats = 1u << KIN_BENCH_JSON | 1u << KIN_BENCH_PROTOBUF;
    else
        return 0;
    while (*entry) {
        len = next_piece(&entry, ';', &piece);
        if (len >= 3 && !strncasecmp(piece, "as=", 3))
            /* Tables are not served, and metadata only as JSON. */
            formats = formats & 1u << KIN_BENCH_JSON && same(piece + 3, len - 3, partial)
                          ? 1u << KIN_BENCH_METADATA
                          : 0;
        else if (len >= 2 && !strncasecmp(piece, "q=", 2) && is_zero_quality(piece + 2, len - 2))
            formats = 0;
    }
    return formats;
}

int kin_bench_negotiate(enum kin_bench_format *ret, const char *accept, bool watch,
                        unsigned available)
{
    if (!accept[strspn(accept, " \t,")])
        accept = "*/*";
    while (*accept) {
        const char *entry;
        char copy[256];
        size_t len = next_piece(&accept, ',', &entry);
        unsigned formats;

        if (len >= sizeof(copy))
            continue;
        memcpy(copy, entry, len);
        copy[len] = '\0';
        formats = entry_formats(copy, watch) & available;
        for (unsigned f = 0; f < KIN_BENCH_FORMAT_COUNT; f++) {
            if (formats & 1u << f) {
                *ret = (enum kin_bench_format)f;
                return 0;
            }
        }
    }
    return -1;
}
