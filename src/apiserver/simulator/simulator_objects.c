/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the simulator's objects look at first, as text: those that are made once each. Pods, which
 * are made all the time, come from skeletons (simulator_skeleton.c).
 */
#include "apiserver/simulator/simulator_inside.h"

#include <stdio.h>

#include "base/compiler.h"
#include "kinform/metadata.h"

/* The first few are those that a newcomer looks at. */
const char *const kin__sim_namespaces[SIM_NAMESPACES] = {
    "default", "shop", "billing", "search", "media", "analytics", "identity", "logistics"};

static const char *const words[] = {
    "web",     "api",      "worker",   "cart",     "checkout", "catalog", "gateway", "auth",
    "mailer",  "invoices", "payments", "orders",   "search",   "indexer", "cache",   "sessions",
    "reports", "exporter", "importer", "notifier", "uploads",  "preview", "feeds",   "profiles"};

const char *kin__sim_deployment_namespace(unsigned number)
{
    return kin__sim_namespaces[number % SIM_NAMESPACES];
}

void kin__sim_deployment_name(char *ret, size_t size, unsigned number)
{
    unsigned n = number / SIM_NAMESPACES;
    unsigned again = n / (unsigned)kin__array_len(words);
    /* Each namespace begins elsewhere, so that small clusters have many names. */
    const char *word = words[(n + number % SIM_NAMESPACES * 5) % kin__array_len(words)];

    if (again == 0)
        (void)snprintf(ret, size, "%s", word);
    else
        (void)snprintf(ret, size, "%s-%u", word, again + 1);
}

void kin__sim_put_namespace(kin__simulator *sim, const char *name)
{
    kin__buf_appendf(
        &sim->text,
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%s\","
        "\"labels\":{\"kubernetes.io/metadata.name\":\"%s\"}},"
        "\"spec\":{\"finalizers\":[\"kubernetes\"]},\"status\":{\"phase\":\"Active\"}}",
        name, name);
}

/* --- nodes --- */

void kin__sim_put_node(kin__simulator *sim, const struct sim_node *node)
{
    static const char *const types[] = {"standard-4", "standard-8", "memory-8", "compute-16"};
    const char *name = kin__sim_name(&node->actor).data; /* terminated */
    unsigned n = node->number;

    kin__buf_appendf(
        &sim->text,
        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\",\"labels\":{"
        "\"beta.kubernetes.io/arch\":\"amd64\",\"beta.kubernetes.io/os\":\"linux\","
        "\"kubernetes.io/arch\":\"amd64\",\"kubernetes.io/hostname\":\"%s\","
        "\"kubernetes.io/os\":\"linux\",\"node.kubernetes.io/instance-type\":\"%s\","
        "\"topology.kubernetes.io/region\":\"region-1\","
        "\"topology.kubernetes.io/zone\":\"region-1%c\"},\"annotations\":{"
        "\"node.alpha.kubernetes.io/ttl\":\"0\","
        "\"volumes.kubernetes.io/controller-managed-attach-detach\":\"true\"}},",
        name, name, types[n % kin__array_len(types)], (char)('a' + n % 3));
    kin__buf_appendf(&sim->text,
                     "\"spec\":{\"podCIDR\":\"10.%u.%u.0/24\",\"podCIDRs\":[\"10.%u.%u.0/24\"],"
                     "\"providerID\":\"simulated://region-1/%s\"}}",
                     (n >> 8) & 255u, n & 255u, (n >> 8) & 255u, n & 255u, name);
}

void kin__sim_put_lease(kin__simulator *sim, const struct sim_node *node)
{
    const char *name = kin__sim_name(&node->actor).data;
    kin_scratch scratch;
    kin_str uid = kin_object_uid(node->actor.object, &scratch);

    kin__buf_appendf(
        &sim->text,
        "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{"
        "\"name\":\"%s\",\"namespace\":\"kube-node-lease\",\"ownerReferences\":[{"
        "\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"%s\",\"uid\":\"%" KIN_STR_FMT
        "\"}]},\"spec\":{\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":40,"
        "\"renewTime\":",
        name, name, KIN_STR_ARG(uid), name);
    kin__sim_put_micro_time(sim, sim->now);
    kin__sim_put(sim, "}}");
}

/* --- Deployments --- */

void kin__sim_put_image(kin__simulator *sim, const struct sim_deployment *d)
{
    kin__sim_put(sim, "registry.example/");
    kin__sim_put_str(sim, kin__sim_namespace(&d->actor));
    kin__sim_put(sim, "/");
    kin__sim_put_str(sim, kin__sim_name(&d->actor));
    kin__buf_appendf(&sim->text, ":1.%u.%u", d->release / 10, d->release % 10);
}

static void put_probe(kin__simulator *sim, const char *name, const char *path, const char *port,
                      unsigned period)
{
    kin__buf_appendf(&sim->text,
                     "\"%s\":{\"httpGet\":{\"path\":\"%s\",\"port\":\"%s\",\"scheme\":\"HTTP\"},"
                     "\"initialDelaySeconds\":2,\"timeoutSeconds\":1,\"periodSeconds\":%u,"
                     "\"successThreshold\":1,\"failureThreshold\":3},",
                     name, path, port, period);
}

static void put_container_end(kin__simulator *sim)
{
    kin__sim_put(sim, "\"terminationMessagePath\":\"/dev/termination-log\","
                      "\"terminationMessagePolicy\":\"File\",\"imagePullPolicy\":\"IfNotPresent\","
                      "\"securityContext\":{\"capabilities\":{\"drop\":[\"ALL\"]},"
                      "\"readOnlyRootFilesystem\":true,\"allowPrivilegeEscalation\":false}}");
}

static void put_main_container(kin__simulator *sim, const struct sim_deployment *d,
                               const char *name)
{
    kin__buf_appendf(&sim->text, "{\"name\":\"%s\",\"image\":\"", name);
    kin__sim_put_image(sim, d);
    kin__buf_appendf(
        &sim->text,
        "\",\"args\":[\"--config=/etc/%s/config.yaml\",\"--listen=:8080\",\"--log-format=json\"],"
        "\"ports\":[{\"name\":\"http\",\"containerPort\":8080,\"protocol\":\"TCP\"},"
        "{\"name\":\"metrics\",\"containerPort\":9090,\"protocol\":\"TCP\"}],\"env\":["
        "{\"name\":\"LOG_LEVEL\",\"value\":\"info\"},"
        "{\"name\":\"POD_NAME\",\"valueFrom\":{\"fieldRef\":{\"apiVersion\":\"v1\","
        "\"fieldPath\":\"metadata.name\"}}},"
        "{\"name\":\"POD_IP\",\"valueFrom\":{\"fieldRef\":{\"apiVersion\":\"v1\","
        "\"fieldPath\":\"status.podIP\"}}},"
        "{\"name\":\"DATABASE_PASSWORD\",\"valueFrom\":{\"secretKeyRef\":{"
        "\"name\":\"%s-database\",\"key\":\"password\"}}}],"
        "\"resources\":{\"limits\":{\"memory\":\"%uMi\"},\"requests\":{\"cpu\":\"%um\","
        "\"memory\":\"%uMi\"}},\"volumeMounts\":[{\"name\":\"config\",\"readOnly\":true,"
        "\"mountPath\":\"/etc/%s\"},{\"name\":\"scratch\",\"mountPath\":\"/tmp\"}],",
        name, name, 256u << d->words % 3, 100u + d->words % 7 * 50, 128u << d->words % 3, name);
    put_probe(sim, "livenessProbe", "/healthz", "http", 10);
    put_probe(sim, "readinessProbe", "/readyz", "http", 5);
    put_container_end(sim);
}

static void put_proxy_container(kin__simulator *sim)
{
    kin__sim_put(sim,
                 "{\"name\":\"proxy\",\"image\":\"registry.example/platform/proxy:2.14.1\","
                 "\"ports\":[{\"name\":\"mesh\",\"containerPort\":15001,\"protocol\":\"TCP\"}],"
                 "\"resources\":{\"limits\":{\"memory\":\"128Mi\"},\"requests\":{\"cpu\":\"50m\","
                 "\"memory\":\"64Mi\"}},");
    put_probe(sim, "readinessProbe", "/ready", "mesh", 5);
    put_container_end(sim);
}

static void put_template(kin__simulator *sim, const struct sim_deployment *d, const char *name)
{
    kin__buf_appendf(
        &sim->text,
        "\"template\":{\"metadata\":{\"labels\":{\"app.kubernetes.io/name\":\"%s\","
        "\"app.kubernetes.io/part-of\":\"%s\",\"tier\":\"%s\"},\"annotations\":{"
        "\"prometheus.io/scrape\":\"true\",\"prometheus.io/port\":\"9090\"}},\"spec\":{"
        "\"volumes\":[{\"name\":\"config\",\"configMap\":{\"name\":\"%s-config\","
        "\"defaultMode\":420}},{\"name\":\"scratch\",\"emptyDir\":{\"sizeLimit\":\"64Mi\"}}],"
        "\"containers\":[",
        name, kin__sim_deployment_namespace(d->words), d->words % 3 ? "backend" : "frontend", name);
    put_main_container(sim, d, name);
    kin__sim_put(sim, ",");
    put_proxy_container(sim);
    kin__sim_put(sim, "],\"restartPolicy\":\"Always\",\"terminationGracePeriodSeconds\":30,"
                      "\"dnsPolicy\":\"ClusterFirst\",\"serviceAccountName\":\"default\","
                      "\"serviceAccount\":\"default\",\"securityContext\":{\"runAsUser\":10001,"
                      "\"runAsNonRoot\":true,\"fsGroup\":10001},"
                      "\"schedulerName\":\"default-scheduler\"}}");
}

void kin__sim_put_deployment(kin__simulator *sim, const struct sim_deployment *d)
{
    const char *name = kin__sim_name(&d->actor).data;
    const char *namespace_ = kin__sim_deployment_namespace(d->words);

    kin__buf_appendf(
        &sim->text,
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"%s\","
        "\"namespace\":\"%s\",\"labels\":{\"app.kubernetes.io/name\":\"%s\","
        "\"app.kubernetes.io/part-of\":\"%s\"},\"annotations\":{"
        "\"deployment.kubernetes.io/revision\":\"1\"}},\"spec\":{\"replicas\":%lld,"
        "\"selector\":{\"matchLabels\":{\"app.kubernetes.io/name\":\"%s\"}},",
        name, namespace_, name, namespace_, (long long)d->replicas, name);
    put_template(sim, d, name);
    kin__sim_put(sim, ",\"strategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{"
                      "\"maxUnavailable\":\"25%\",\"maxSurge\":\"25%\"}},"
                      "\"revisionHistoryLimit\":2,\"progressDeadlineSeconds\":600}}");
}
