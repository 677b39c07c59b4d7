# SPDX-License-Identifier: Apache-2.0
"""The kinds that the run against a real cluster looks at, and objects of them."""

NAMESPACE = "e2e"
IMAGE = "registry.example/thing:1"
CRD_GROUP = "e2e.kinform.example"


def pod_spec(**more):
    return {"containers": [{"name": "main", "image": IMAGE}], **more}


def template(name, **more):
    return {"metadata": {"labels": {"app": name}}, "spec": pod_spec(**more)}


def workload(name, **more):
    return {"spec": {"selector": {"matchLabels": {"app": name}}, "template": template(name),
                     **more}}


def job_spec(name):
    return {"template": template(name, restartPolicy="Never")}


CORE = "/api/v1"
APPS = "/apis/apps/v1"

# By the name of the resource: where it is, its kind, whether it is in a namespace, what makes one.
KINDS = {
    "pods": (CORE, "Pod", True, lambda name: {"spec": pod_spec()}),
    "services": (CORE, "Service", True, lambda name: {"spec": {"ports": [{"port": 80}]}}),
    "configmaps": (CORE, "ConfigMap", True, lambda name: {"data": {"a": "ä \"b\" \\ \n\u2028"}}),
    "secrets": (CORE, "Secret", True, lambda name: {"stringData": {"a": name}}),
    "nodes": (CORE, "Node", False, lambda name: {"spec": {"podCIDR": "10.1.0.0/24"}}),
    "namespaces": (CORE, "Namespace", False, lambda name: {}),
    "events": (CORE, "Event", True, lambda name: {
        "involvedObject": {"kind": "Pod", "name": name, "namespace": NAMESPACE},
        "reason": "Test", "message": name}),
    "deployments": (APPS, "Deployment", True, lambda name: workload(name, replicas=3)),
    "replicasets": (APPS, "ReplicaSet", True, workload),
    "statefulsets": (APPS, "StatefulSet", True, lambda name: workload(name, serviceName=name)),
    "daemonsets": (APPS, "DaemonSet", True, workload),
    # These have no watch cache here: what etcd has forgotten is gone.
    "controllerrevisions": (APPS, "ControllerRevision", True,
                            lambda name: {"revision": 1, "data": {"name": name}}),
    "jobs": ("/apis/batch/v1", "Job", True, lambda name: {"spec": job_spec(name)}),
    "cronjobs": ("/apis/batch/v1", "CronJob", True, lambda name: {
        "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": job_spec(name)}}}),
    "endpointslices": ("/apis/discovery.k8s.io/v1", "EndpointSlice", True, lambda name: {
        "addressType": "IPv4", "endpoints": [{"addresses": ["10.1.2.3"]}],
        "ports": [{"name": "http", "port": 80}]}),
    "leases": ("/apis/coordination.k8s.io/v1", "Lease", True, lambda name: {
        "spec": {"holderIdentity": name, "renewTime": "2026-01-02T03:04:05.000006Z"}}),
    "widgets": (f"/apis/{CRD_GROUP}/v1", "Widget", True, lambda name: {
        "spec": {"size": 1.5, "big": 9007199254740993, "nested": {"list": [None, True, {}]}}}),
}

CRD = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": f"widgets.{CRD_GROUP}"},
    "spec": {
        "group": CRD_GROUP, "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
            "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}],
    },
}


def api_version(resource):
    return KINDS[resource][0].removeprefix("/apis/").removeprefix("/api/")


def path_of_all(resource):
    return f"{KINDS[resource][0]}/{resource}"


def path_of(resource):
    """The folder that objects are made in."""
    where, _, is_namespaced, _ = KINDS[resource]
    return f"{where}/namespaces/{NAMESPACE}/{resource}" if is_namespaced else f"{where}/{resource}"


def thing(resource, name):
    _, kind, is_namespaced, make = KINDS[resource]
    meta = {"name": name, "labels": {"step": "0"}}
    if is_namespaced:
        meta["namespace"] = NAMESPACE
    return {"apiVersion": api_version(resource), "kind": kind, "metadata": meta, **make(name)}
