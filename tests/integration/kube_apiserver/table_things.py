# SPDX-License-Identifier: Apache-2.0
"""Objects whose tables are worth a look: by the resource, what they are and, apart, their status.

A status is what controllers and kubelets would have written; there are none at tools/kube-apiserver.
"""

SPACE = "tables"
LONG_AGO = "2020-01-02T03:04:05Z"
IMAGES = [{"name": "main", "image": "registry.example/a:1"}, {"name": "side", "image": "registry.example/b:2"}]
WIDGETS = "tables.kinform.example"


def thing(api_version, kind, name, status=None, annotations=None, labels=None, owners=None, finalizers=None, space=SPACE,
          **members):
    meta = {"name": name, "annotations": annotations or {}, "labels": labels or {}, "ownerReferences": owners or [],
            "finalizers": finalizers or []}
    if space:
        meta["namespace"] = space
    return {"apiVersion": api_version, "kind": kind, "metadata": meta, **members}, status


def whole(api_version, kind, name, status=None, **members):
    """Of the whole cluster."""
    return thing(api_version, kind, name, status, space=None, **members)


def template(name, **more):
    return {"metadata": {"labels": {"app": name}}, "spec": {"containers": IMAGES, **more}}


def workload(kind, name, status=None, selector=None, **more):
    spec = {"selector": selector or {"matchLabels": {"app": name}}, "template": template(name), **more}
    return thing("apps/v1", kind, name, status, spec=spec)


def job(name, status=None, **more):
    return thing("batch/v1", "Job", name, status, spec={"template": template(name, restartPolicy="Never"), **more})


def cron(name, status=None, **more):
    made = {"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": template(name, restartPolicy="Never")}}}
    return thing("batch/v1", "CronJob", name, status, spec={**made, **more})


def condition(type_, status="True", reason="Because"):
    return {"type": type_, "status": status, "reason": reason, "message": "m", "lastTransitionTime": LONG_AGO,
            "lastProbeTime": LONG_AGO}


# ---- Pods

def container(name, ready=False, restarts=0, started=None, last=None, **state):
    return {"name": name, "ready": ready, "restartCount": restarts, "image": "i", "imageID": "i", "state": state,
            "started": ready if started is None else started,
            **({"lastState": {"terminated": last}} if last else {})}


def ended(code=0, **more):
    return {"exitCode": code, "startedAt": LONG_AGO, "finishedAt": LONG_AGO, **more}


RUNS = {"startedAt": LONG_AGO}


def pod(name, phase=None, containers=(), inits=(), conditions=(), init_spec=(), spec=None, finalizers=None, **more):
    status = {"phase": phase, "conditions": list(conditions), "containerStatuses": list(containers),
              "initContainerStatuses": list(inits), **more} if phase else None
    made = {"containers": IMAGES, **(spec or {})}
    if init_spec:
        made["initContainers"] = [{"name": one, "image": "i", **({"restartPolicy": "Always"} if side else {})}
                                  for one, side in init_spec]
    return thing("v1", "Pod", name, status, spec=made, finalizers=finalizers)


PODS = [
    pod("fresh"),
    pod("runs", "Running", [container("main", True, running=RUNS), container("side", True, running=RUNS)],
        conditions=[condition("Ready")], podIP="10.1.2.3", podIPs=[{"ip": "10.1.2.3"}, {"ip": "fd00::3"}],
        spec={"nodeName": "ready"}),
    pod("restarted", "Running", [container("main", True, 3, running=RUNS, last=ended(1)),
                                 container("side", True, 4, running=RUNS)]),
    pod("half", "Running", [container("main", True, running=RUNS), container("side", running=RUNS)]),
    pod("crashes", "Running", [container("main", True, running=RUNS),
                               container("side", restarts=7, waiting={"reason": "CrashLoopBackOff"}, last=ended(1))]),
    pod("both-wait", "Pending", [container("main", waiting={"reason": "ErrImagePull"}),
                                 container("side", waiting={"reason": "ImagePullBackOff"})]),
    pod("waits-without-reason", "Pending", [container("main", waiting={}), container("side", waiting={})]),
    pod("done", "Succeeded", [container("main", terminated=ended(reason="Completed")),
                              container("side", terminated=ended(reason="Completed"))]),
    pod("one-done", "Running", [container("main", True, running=RUNS),
                                container("side", terminated=ended(reason="Completed"))],
        conditions=[condition("Ready")]),
    pod("one-done-not-ready", "Running", [container("main", terminated=ended(reason="Completed")),
                                          container("side", True, running=RUNS)]),
    pod("one-of-each", "Running", [container("main", terminated=ended(reason="Completed")), container("side", True, running=RUNS),
                                   container("third", terminated=ended(1, reason="Error"))],
        spec={"containers": [*IMAGES, {"name": "third", "image": "i"}]}, conditions=[condition("Ready", "False")]),
    pod("exit-code", "Failed", [container("main", terminated=ended(3)), container("side", terminated=ended(4))]),
    pod("signal", "Failed", [container("main", terminated=ended(137, signal=9)),
                             container("side", terminated=ended(0, reason="Completed"))]),
    pod("done-and-failed", "Failed", [container("main", terminated=ended(reason="Completed")),
                                      container("side", terminated=ended(1, reason="Error"))]),
    pod("evicted", "Failed", reason="Evicted"),
    pod("gated", "Pending", spec={"schedulingGates": [{"name": "example.com/wait"}]},
        conditions=[condition("PodScheduled", "False", "SchedulingGated")]),
    pod("unschedulable", "Pending", conditions=[condition("PodScheduled", "False", "Unschedulable")],
        nominatedNodeName="ready"),
    pod("init-first", "Pending", inits=[container("a", running=RUNS), container("b", waiting={"reason": "PodInitializing"})],
        init_spec=[("a", False), ("b", False)]),
    pod("init-second", "Pending", inits=[container("a", terminated=ended()), container("b", restarts=2, running=RUNS)],
        init_spec=[("a", False), ("b", False)]),
    pod("init-fails", "Pending", inits=[container("a", restarts=5, terminated=ended(2))], init_spec=[("a", False)]),
    pod("init-killed", "Pending", inits=[container("a", terminated=ended(137, signal=9))], init_spec=[("a", False)]),
    pod("init-errs", "Pending", inits=[container("a", terminated=ended(1, reason="Error"))], init_spec=[("a", False)]),
    pod("init-backs-off", "Pending", inits=[container("a", restarts=3, waiting={"reason": "CrashLoopBackOff"},
                                                      last=ended(1))], init_spec=[("a", False)]),
    pod("inits-through", "Running", [container("main", True, 1, running=RUNS, last=ended()),
                                     container("side", True, running=RUNS)],
        inits=[container("a", restarts=6, terminated=ended(), last=ended())], init_spec=[("a", False)],
        conditions=[condition("Initialized")]),
    pod("sidecar", "Running", [container("main", True, running=RUNS), container("side", True, running=RUNS)],
        inits=[container("a", True, 2, running=RUNS, last=ended()), container("b", terminated=ended())],
        init_spec=[("a", True), ("b", False)], conditions=[condition("Initialized")]),
    pod("sidecar-starts", "Pending", inits=[container("a", running=RUNS, started=False)], init_spec=[("a", True)]),
    pod("sidecar-crashes", "Running", [container("main", True, running=RUNS), container("side", True, running=RUNS)],
        inits=[container("a", restarts=8, started=False, waiting={"reason": "CrashLoopBackOff"}, last=ended(1))],
        init_spec=[("a", True)], conditions=[condition("Initialized")]),
    pod("gates", "Running", [container("main", True, running=RUNS)],
        spec={"readinessGates": [{"conditionType": "example.com/one"}, {"conditionType": "example.com/two"}]},
        conditions=[condition("example.com/one"), condition("example.com/two", "False")]),
    pod("leaves", "Running", [container("main", True, running=RUNS)], spec={"nodeName": "ready"}),
    pod("leaves-failed", "Failed", [container("main", terminated=ended(1, reason="Error"))],
        finalizers=["example.com/keep"]),
    pod("lost", "Running", reason="NodeLost", finalizers=["example.com/keep"]),
]


# ---- nodes and what runs on them

def node(name, conditions=(), labels=None, addresses=(), **spec):
    info = dict.fromkeys(("machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion",
                          "kubeletVersion", "kubeProxyVersion", "operatingSystem", "architecture"), "")
    if conditions:
        info.update(architecture="amd64", kernelVersion="6.1.0", osImage="Debian GNU/Linux 12 (bookworm)", kubeletVersion="v1.36.3",
                    containerRuntimeVersion="containerd://2.1")
    return whole("v1", "Node", name, {"conditions": list(conditions), "nodeInfo": info, "addresses": [
        {"type": type_, "address": address} for type_, address in addresses]}, labels=labels, spec=spec)


NODES = [
    node("ready", [condition("MemoryPressure", "False"), condition("Ready")],
         {"node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/control-plane": "", "kubernetes.io/role": "old"},
         [("Hostname", "ready"), ("InternalIP", "10.0.0.1"), ("InternalIP", "fd00::1"), ("ExternalIP", "203.0.113.7")]),
    node("not-ready", [condition("Ready", "False")], unschedulable=True),
    node("unknown", [condition("Ready", "Unknown")], {"node-role.kubernetes.io/node": "", "kubernetes.io/role": "node"}),
    node("silent"),
]
WORKLOADS = {
    "deployments": [
        workload("Deployment", "fresh"),
        workload("Deployment", "half", {"replicas": 4, "readyReplicas": 2, "updatedReplicas": 3, "availableReplicas": 1},
                 replicas=4),
        workload("Deployment", "none", replicas=0),
        workload("Deployment", "chosen", selector={
            "matchLabels": {"app": "chosen"}, "matchExpressions": [
                {"key": "app", "operator": "In", "values": ["chosen", "b"]},
                {"key": "tier", "operator": "DoesNotExist"},
                {"key": "app", "operator": "Exists"},
                {"key": "zone", "operator": "NotIn", "values": ["z", "a"]}]}),
    ],
    "replicasets": [workload("ReplicaSet", "fresh"),
                    workload("ReplicaSet", "half", {"replicas": 3, "readyReplicas": 2}, replicas=5)],
    "statefulsets": [workload("StatefulSet", "fresh", serviceName="s"),
                     workload("StatefulSet", "half", {"replicas": 3, "readyReplicas": 2}, replicas=5, serviceName="s")],
    "daemonsets": [
        workload("DaemonSet", "fresh"),
        thing("apps/v1", "DaemonSet", "chosen", {
            "desiredNumberScheduled": 5, "currentNumberScheduled": 4, "numberReady": 3, "updatedNumberScheduled": 2,
            "numberAvailable": 1, "numberMisscheduled": 0},
            spec={"selector": {"matchLabels": {"app": "d"}}, "template": template("d", nodeSelector={"b": "2", "a": "1"})})],
    "replicationcontrollers": [
        thing("v1", "ReplicationController", "rc", {"replicas": 2, "readyReplicas": 1}, spec={
            "replicas": 3, "selector": {"app": "rc", "a": "b"}, "template": {
                "metadata": {"labels": {"app": "rc", "a": "b"}}, "spec": {"containers": IMAGES}}})],
    "controllerrevisions": [
        thing("apps/v1", "ControllerRevision", "owned", revision=7, data={"a": 1}, owners=[
            {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "1", "controller": True}]),
        thing("apps/v1", "ControllerRevision", "core", revision=8, data={"a": 1}, owners=[
            {"apiVersion": "v1", "kind": "ReplicationController", "name": "rc", "uid": "1", "controller": True}]),
        thing("apps/v1", "ControllerRevision", "orphan", revision=9, data={"a": 1})],
    "podtemplates": [thing("v1", "PodTemplate", "t", template=template("t")),
                     thing("v1", "PodTemplate", "plain", template={"spec": {"containers": IMAGES}})],
    "jobs": [
        job("fresh"), job("three", completions=3, parallelism=2), job("parallel", parallelism=4),
        job("suspended", {"conditions": [condition("Suspended")]}, suspend=True),
        job("done", {"startTime": LONG_AGO, "completionTime": "2020-01-02T04:05:06Z", "succeeded": 1, "conditions": [
            condition("SuccessCriteriaMet"), condition("Complete")]}),
        job("failed", {"startTime": LONG_AGO, "failed": 1, "conditions": [condition("FailureTarget"), condition("Failed")]}),
        job("failing", {"startTime": LONG_AGO, "conditions": [condition("FailureTarget")]}),
        job("succeeding", {"startTime": LONG_AGO, "conditions": [condition("SuccessCriteriaMet")]}),
    ],
    "cronjobs": [
        cron("fresh"), cron("suspended", suspend=True), cron("zoned", timeZone="Europe/Berlin"),
        cron("ran", {"lastScheduleTime": LONG_AGO, "active": [{"kind": "Job", "name": "a"}, {"kind": "Job", "name": "b"}]}),
    ],
}


# ---- the network

def service(name, balancer=None, **spec):
    return thing("v1", "Service", name, {"loadBalancer": {"ingress": balancer}} if balancer else None, spec=spec)


def ingress(name, hosts=(), tls=None, addresses=(), **spec):
    backend = {"service": {"name": "s", "port": {"number": 80}}}
    rules = [{**({"host": host} if host else {}), "http": {"paths": [
        {"path": "/", "pathType": "Prefix", "backend": backend}]}} for host in hosts]
    made = {"rules": rules, **({"tls": tls} if tls else {}), **({} if rules else {"defaultBackend": backend}), **spec}
    return thing("networking.k8s.io/v1", "Ingress", name, {"loadBalancer": {"ingress": list(addresses)}}, spec=made)


def slice_(name, addresses=(), ports=(), **more):
    return thing("discovery.k8s.io/v1", "EndpointSlice", name, addressType="IPv4",
                 endpoints=[{"addresses": [one]} for one in addresses], ports=list(ports), **more)


def subset(ips, *ports):
    return {"addresses": [{"ip": ip} for ip in ips], "ports": [{"name": f"p{port}", "port": port} for port in ports]}


NETWORK = {
    "services": [
        service("cluster", selector={"b": "2", "a": "1"}, ports=[{"name": "a", "port": 80}, {"name": "b", "port": 53, "protocol": "UDP"}]),
        service("headless", clusterIP="None"),
        service("node", type="NodePort", ports=[{"port": 80, "nodePort": 30080}]),
        service("pending", type="LoadBalancer", ports=[{"port": 80, "nodePort": 30081}]),
        service("balanced", [{"ip": "203.0.113.1"}, {"hostname": "lb.example"}], type="LoadBalancer",
                ports=[{"port": 80, "nodePort": 30082}], externalIPs=["203.0.113.9"]),
        service("long", [{"hostname": "a-rather-long-name-of-a-balancer.example"}], type="LoadBalancer",
                ports=[{"port": 80, "nodePort": 30083}]),
        service("outside", externalIPs=["203.0.113.2", "203.0.113.3"], ports=[{"port": 1}]),
        service("alias", type="ExternalName", externalName="example.com"),
    ],
    "ingresses": [
        ingress("plain"), ingress("hosts", ["a.example", "b.example"], ingressClassName="nginx"),
        ingress("many", ["a.example", "b.example", "c.example", "d.example", "e.example"], [{"hosts": ["a.example"]}]),
        ingress("any", [None, "a.example"]), ingress("three-and-any", ["a.example", "b.example", "c.example", None]),
        ingress("any-and-three", [None, "a.example", "b.example", "c.example"]),
        ingress("addressed", ["a.example"], addresses=[{"ip": "203.0.113.9"}, {"hostname": "lb.example"}, {"ip": "203.0.113.1"},
                                                       {"ip": "203.0.113.9"}]),
        ingress("long", ["a.example"], addresses=[{"hostname": "a-rather-long-name-of-a-balancer.example"}]),
    ],
    "ingressclasses": [
        whole("networking.k8s.io/v1", "IngressClass", "plain", spec={"controller": "example.com/c"}),
        whole("networking.k8s.io/v1", "IngressClass", "usual", spec={"controller": "example.com/c"},
              annotations={"ingressclass.kubernetes.io/is-default-class": "true"}),
        whole("networking.k8s.io/v1", "IngressClass", "with", spec={"controller": "example.com/c", "parameters": {
            "apiGroup": "k8s.example.com", "kind": "Parameters", "name": "p", "scope": "Cluster"}}),
        whole("networking.k8s.io/v1", "IngressClass", "core", spec={"controller": "example.com/c", "parameters": {
            "kind": "ConfigMap", "name": "p", "scope": "Cluster"}})],
    "networkpolicies": [
        thing("networking.k8s.io/v1", "NetworkPolicy", "all", spec={"podSelector": {}}),
        thing("networking.k8s.io/v1", "NetworkPolicy", "some", spec={"podSelector": {
            "matchLabels": {"b": "2", "a": "1"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]}})],
    "endpoints": [
        thing("v1", "Endpoints", "none"),
        thing("v1", "Endpoints", "one", subsets=[subset(["10.0.0.1"], 80)]),
        thing("v1", "Endpoints", "six", subsets=[subset(["10.0.0.3", "10.0.0.1", "fd00::1"], 80, 443)]),
        thing("v1", "Endpoints", "bare", subsets=[subset(["10.0.0.1", "10.0.0.2"])]),
        thing("v1", "Endpoints", "waits", subsets=[{"notReadyAddresses": [{"ip": "10.0.0.9"}], "ports": [{"port": 1}]}])],
    "endpointslices": [
        slice_("none"), slice_("one", ["10.0.0.1"], [{"port": 80}]), slice_("bare", ["10.0.0.1"]),
        slice_("many", [f"10.0.0.{n}" for n in range(1, 6)], [{"name": f"p{n}", "port": n} for n in range(1, 6)]),
        slice_("named", ["10.0.0.1"], [{"name": "any"}])],
}


# ---- storage

def volume(name, status=None, claim=None, annotations=None, modes=("ReadWriteOnce",), finalizers=None, **spec):
    return whole("v1", "PersistentVolume", name, status, annotations=annotations, finalizers=finalizers, spec={
        "capacity": {"storage": "5Gi"}, "accessModes": list(modes), "hostPath": {"path": "/tmp/v"},
        **({"claimRef": {"kind": "PersistentVolumeClaim", "namespace": SPACE, "name": claim}} if claim else {}), **spec})


def claim(name, status=None, annotations=None, modes=("ReadWriteOnce",), **spec):
    return thing("v1", "PersistentVolumeClaim", name, status, annotations=annotations, spec={
        "accessModes": list(modes), "resources": {"requests": {"storage": "3Gi"}}, **spec})


def class_(name, annotations=None, **members):
    return whole("storage.k8s.io/v1", "StorageClass", name, annotations=annotations, provisioner="example.com/p", **members)


STORAGE = {
    "persistentvolumes": [
        volume("free"), volume("bound", {"phase": "Bound"}, "bound", storageClassName="fast", volumeMode="Block"),
        volume("modes", modes=("ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce")),
        volume("failed", {"phase": "Failed", "reason": "Broken", "message": "m"}, persistentVolumeReclaimPolicy="Delete"),
        volume("old", annotations={"volume.beta.kubernetes.io/storage-class": "ancient"}),
        volume("leaves", finalizers=["example.com/keep"])],
    "persistentvolumeclaims": [
        claim("fresh"), claim("pending", {"phase": "Pending"}, storageClassName="fast"),
        claim("bound", {"phase": "Bound", "capacity": {"storage": "5Gi"}, "accessModes": ["ReadWriteOnce", "ReadOnlyMany"]},
              volumeName="bound", storageClassName="fast", volumeMode="Block"),
        claim("no-capacity", {"phase": "Bound"}, volumeName="v"),
        claim("pod", {"phase": "Bound", "capacity": {"storage": "5Gi"}, "accessModes": ["ReadWriteOncePod"]},
              modes=("ReadWriteOncePod",), volumeName="v")],
    "storageclasses": [
        class_("plain"), class_("fast", {"storageclass.kubernetes.io/is-default-class": "true"}, reclaimPolicy="Retain",
                                volumeBindingMode="WaitForFirstConsumer", allowVolumeExpansion=True),
        class_("beta", {"storageclass.beta.kubernetes.io/is-default-class": "true"}, allowVolumeExpansion=False)],
    "volumeattachments": [
        whole("storage.k8s.io/v1", "VolumeAttachment", "a", spec={
            "attacher": "a.example.com", "nodeName": "ready", "source": {"persistentVolumeName": "bound"}}),
        whole("storage.k8s.io/v1", "VolumeAttachment", "b", {"attached": True}, spec={
            "attacher": "a.example.com", "nodeName": "ready", "source": {"persistentVolumeName": "free"}})],
    "csinodes": [
        whole("storage.k8s.io/v1", "CSINode", "ready", spec={"drivers": [
            {"name": "a.example.com", "nodeID": "1", "topologyKeys": []}]}),
        whole("storage.k8s.io/v1", "CSINode", "none", spec={"drivers": []})],
    "csidrivers": [
        whole("storage.k8s.io/v1", "CSIDriver", "plain.example.com", spec={}),
        whole("storage.k8s.io/v1", "CSIDriver", "much.example.com", spec={
            "attachRequired": False, "podInfoOnMount": True, "storageCapacity": True, "requiresRepublish": True,
            "volumeLifecycleModes": ["Persistent", "Ephemeral"], "tokenRequests": [{"audience": "a"}, {"audience": "b"}]})],
}


# ---- policies

def hpa(name, metrics=(), current=(), status=None, **spec):
    return thing("autoscaling/v2", "HorizontalPodAutoscaler", name, {
        "currentMetrics": list(current), "desiredReplicas": 3, "conditions": [], **(status or {})}, spec={
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}, "maxReplicas": 9,
            "metrics": list(metrics), **spec})


def metric(type_, member, spec_or_status, **target):
    return {"type": type_, member: {**spec_or_status, **target}}


def cpu(name="cpu", **target):
    return metric("Resource", "resource", {"name": name, "target": target})


def cpu_now(name="cpu", **current):
    return metric("Resource", "resource", {"name": name, "current": current})


HALF = {"type": "Utilization", "averageUtilization": 50}
CUSTOM = {"metric": {"name": "m"}}
OBJECT = {"describedObject": {"kind": "Service", "name": "s"}, **CUSTOM}

POLICY = {
    "horizontalpodautoscalers": [
        hpa("default"), hpa("cpu", [cpu(**HALF)], minReplicas=2),
        hpa("cpu-now", [cpu(**HALF)], [cpu_now(averageUtilization=12, averageValue="100m")], {"currentReplicas": 4}),
        hpa("value", [cpu("memory", type="AverageValue", averageValue="1Gi")]),
        hpa("value-now", [cpu("memory", type="AverageValue", averageValue="1Gi")], [cpu_now("memory", averageValue="512Mi")]),
        hpa("pods", [metric("Pods", "pods", {**CUSTOM, "target": {"type": "AverageValue", "averageValue": "100"}})]),
        hpa("pods-now", [metric("Pods", "pods", {**CUSTOM, "target": {"type": "AverageValue", "averageValue": "100"}})],
            [metric("Pods", "pods", {**CUSTOM, "current": {"averageValue": "50"}})]),
        hpa("object", [metric("Object", "object", {**OBJECT, "target": {"type": "Value", "value": "7"}})],
            [metric("Object", "object", {**OBJECT, "current": {"value": "3"}})]),
        hpa("object-average", [metric("Object", "object", {**OBJECT, "target": {"type": "AverageValue", "averageValue": "7"}})],
            [metric("Object", "object", {**OBJECT, "current": {"averageValue": "3", "value": "9"}})]),
        hpa("external", [metric("External", "external", {**CUSTOM, "target": {"type": "Value", "value": "7"}})]),
        hpa("external-average", [metric("External", "external", {**CUSTOM, "target": {"type": "AverageValue", "averageValue": "7"}})],
            [metric("External", "external", {**CUSTOM, "current": {"averageValue": "3"}})]),
        hpa("container", [metric("ContainerResource", "containerResource", {"name": "cpu", "container": "c", "target": HALF})],
            [metric("ContainerResource", "containerResource", {"name": "cpu", "container": "c", "current": {
                "averageUtilization": 1, "averageValue": "1"}})]),
        hpa("three", [cpu(**HALF), cpu("memory", **HALF), cpu("disk", **HALF)], [cpu_now(averageUtilization=1, averageValue="1")]),
    ],
    "poddisruptionbudgets": [
        thing("policy/v1", "PodDisruptionBudget", "least", spec={"minAvailable": "50%", "selector": {}}),
        thing("policy/v1", "PodDisruptionBudget", "most", {"disruptionsAllowed": 2, "currentHealthy": 3, "desiredHealthy": 1,
                                                           "expectedPods": 3}, spec={"maxUnavailable": 1, "selector": {}}),
        thing("policy/v1", "PodDisruptionBudget", "neither", spec={"selector": {}})],
    "resourcequotas": [
        thing("v1", "ResourceQuota", "none"),
        thing("v1", "ResourceQuota", "some", {"hard": {"pods": "10", "limits.cpu": "2", "requests.cpu": "1", "limits.memory": "1Gi"},
                                              "used": {"pods": "3", "limits.cpu": "500m", "limits.memory": "0"}},
              spec={"hard": {"pods": "10"}})],
    "limitranges": [thing("v1", "LimitRange", "l", spec={"limits": [{"type": "Pod", "max": {"cpu": "1"}}]})],
    "priorityclasses": [
        whole("scheduling.k8s.io/v1", "PriorityClass", "high", value=1000),
        whole("scheduling.k8s.io/v1", "PriorityClass", "mine", value=-5, globalDefault=True, preemptionPolicy="Never")],
    "serviceaccounts": [thing("v1", "ServiceAccount", "sa", secrets=[{"name": "a"}, {"name": "b"}])],
    "roles": [thing("rbac.authorization.k8s.io/v1", "Role", "r", rules=[])],
    "rolebindings": [thing("rbac.authorization.k8s.io/v1", "RoleBinding", "b", roleRef={
        "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}, subjects=[
            {"kind": "User", "name": "jane", "apiGroup": "rbac.authorization.k8s.io"},
            {"kind": "User", "name": "joe", "apiGroup": "rbac.authorization.k8s.io"},
            {"kind": "Group", "name": "devs", "apiGroup": "rbac.authorization.k8s.io"},
            {"kind": "ServiceAccount", "name": "sa", "namespace": SPACE}]),
        thing("rbac.authorization.k8s.io/v1", "RoleBinding", "nobody", roleRef={
            "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"})],
    "clusterroles": [], "clusterrolebindings": [], "customresourcedefinitions": [],
    "validatingwebhookconfigurations": [
        whole("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "v")],
    "mutatingwebhookconfigurations": [
        whole("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "m")],
    "runtimeclasses": [whole("node.k8s.io/v1", "RuntimeClass", "gvisor", handler="runsc")],
}


# ---- what guards and extends the API

REQUEST = "{request}"  # of a certificate, which the tests make
ADMISSION = "admissionregistration.k8s.io/v1"
PARAMETERS = {"apiVersion": "example.com/v1", "kind": "Limit"}


def signing(name, conditions=(), certificate=None, **spec):
    status = {"conditions": [{"type": one, "status": "True", "reason": "R", "message": "m"} for one in conditions],
              **({"certificate": certificate} if certificate else {})}
    return whole("certificates.k8s.io/v1", "CertificateSigningRequest", name, status if conditions else None, spec={
        "request": REQUEST, "signerName": "example.com/signer", "usages": ["client auth"], **spec})


def policy(kind, name, **spec):
    rules = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["bindings"]}]
    return whole(ADMISSION, kind, name, spec={"matchConstraints": {"resourceRules": rules}, **spec})


def binding(kind, name, **spec):
    return whole(ADMISSION, kind, name, spec={"policyName": "p", **spec})


MUTATION = {"patchType": "JSONPatch", "jsonPatch": {"expression": "[JSONPatch{op: \"add\", path: \"/metadata/labels/a\", value: \"b\"}]"}}
GUARDS = {
    "certificatesigningrequests": [
        signing("pending"), signing("approved", ["Approved"], expirationSeconds=86400), signing("denied", ["Denied"]),
        signing("failed", ["Approved", "Failed"])],
    "validatingadmissionpolicies": [
        policy("ValidatingAdmissionPolicy", "plain", validations=[{"expression": "true"}, {"expression": "true"}]),
        policy("ValidatingAdmissionPolicy", "with", validations=[{"expression": "true"}], paramKind=PARAMETERS)],
    "validatingadmissionpolicybindings": [
        binding("ValidatingAdmissionPolicyBinding", "plain", validationActions=["Deny"]),
        binding("ValidatingAdmissionPolicyBinding", "named", validationActions=["Deny"], paramRef={
            "name": "n", "parameterNotFoundAction": "Deny"}),
        binding("ValidatingAdmissionPolicyBinding", "spaced", validationActions=["Deny"], paramRef={
            "name": "n", "namespace": "s", "parameterNotFoundAction": "Deny"})],
    "mutatingadmissionpolicies": [
        policy("MutatingAdmissionPolicy", "plain", mutations=[MUTATION], reinvocationPolicy="Never"),
        policy("MutatingAdmissionPolicy", "with", mutations=[MUTATION, MUTATION], reinvocationPolicy="Never",
               paramKind=PARAMETERS)],
    "mutatingadmissionpolicybindings": [
        binding("MutatingAdmissionPolicyBinding", "plain"),
        binding("MutatingAdmissionPolicyBinding", "named", paramRef={"name": "n", "parameterNotFoundAction": "Deny"}),
        binding("MutatingAdmissionPolicyBinding", "spaced", paramRef={
            "name": "n", "namespace": "s", "parameterNotFoundAction": "Deny"})],
    "apiservices": [
        whole("apiregistration.k8s.io/v1", "APIService", "v1.away.example.com", spec={
            "group": "away.example.com", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 1,
            "insecureSkipTLSVerify": True, "service": {"namespace": SPACE, "name": "nobody"}})],
    # These are there from the beginning; one more has no priority level.
    "flowschemas": [
        whole("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "dangling", spec={
            "priorityLevelConfiguration": {"name": "nosuch"}, "matchingPrecedence": 9000})],
    "prioritylevelconfigurations": [
        whole("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", "rejects", spec={
            "type": "Limited", "limited": {"nominalConcurrencyShares": 0, "limitResponse": {"type": "Reject"}}})],
    "componentstatuses": [],
    "servicecidrs": [whole("networking.k8s.io/v1", "ServiceCIDR", "more", spec={"cidrs": ["10.99.0.0/16", "fd99::/112"]})],
    "ipaddresses": [
        whole("networking.k8s.io/v1", "IPAddress", "10.99.0.7", spec={
            "parentRef": {"group": "", "resource": "services", "namespace": SPACE, "name": "cluster"}}),
        whole("networking.k8s.io/v1", "IPAddress", "10.99.0.8", spec={
            "parentRef": {"group": "example.com", "resource": "gateways", "name": "g"}})],
    "resourceclaims": [
        thing("resource.k8s.io/v1", "ResourceClaim", "fresh", spec={}),
        thing("resource.k8s.io/v1", "ResourceClaim", "allocated", {"allocation": {"devices": {}}}, spec={}),
        thing("resource.k8s.io/v1", "ResourceClaim", "reserved", {"allocation": {"devices": {}}, "reservedFor": [
            {"resource": "pods", "name": "p", "uid": "u"}]}, spec={}),
        thing("resource.k8s.io/v1", "ResourceClaim", "leaves", {"allocation": {"devices": {}}}, spec={},
              finalizers=["example.com/keep"]),
        thing("resource.k8s.io/v1", "ResourceClaim", "leaves-unused", spec={}, finalizers=["example.com/keep"])],
    "resourceslices": [
        whole("resource.k8s.io/v1", "ResourceSlice", "node", spec={
            "driver": "gpu.example.com", "nodeName": "ready", "pool": {"name": "pool", "generation": 1,
                                                                      "resourceSliceCount": 1}, "devices": []}),
        whole("resource.k8s.io/v1", "ResourceSlice", "all", spec={
            "driver": "gpu.example.com", "allNodes": True, "pool": {"name": "pool", "generation": 1,
                                                                    "resourceSliceCount": 1}, "devices": []})],
    "csistoragecapacities": [
        thing("storage.k8s.io/v1", "CSIStorageCapacity", "c", storageClassName="fast", capacity="1Gi")],
    "volumeattributesclasses": [
        whole("storage.k8s.io/v1", "VolumeAttributesClass", "gold", driverName="a.example.com", parameters={"iops": "5"})],
    "deviceclasses": [whole("resource.k8s.io/v1", "DeviceClass", "gpu", spec={})],
}


# ---- the rest

def event(name, **members):
    about = {"kind": "Pod", "name": "p", "namespace": SPACE}
    return thing("v1", "Event", name, **{"involvedObject": about, "reason": "Test", "type": "Normal", **members})


CORE = {
    "namespaces": [whole("v1", "Namespace", "other")],
    "configmaps": [thing("v1", "ConfigMap", "none"), thing("v1", "ConfigMap", "two", data={"a": "1"}, binaryData={"b": "AA=="})],
    "secrets": [thing("v1", "Secret", "none"),
                thing("v1", "Secret", "typed", type="kubernetes.io/basic-auth", stringData={"username": "a", "password": "b"})],
    "leases": [thing("coordination.k8s.io/v1", "Lease", "held", spec={"holderIdentity": "me"}),
               thing("coordination.k8s.io/v1", "Lease", "free", spec={})],
    "events": [
        event("plain", message="one line", firstTimestamp=LONG_AGO, lastTimestamp=LONG_AGO, count=1),
        event("again", message="two\nlines\n", firstTimestamp=LONG_AGO, lastTimestamp="2021-01-02T03:04:05Z", count=17,
              source={"component": "kubelet", "host": "node-1"}, type="Warning",
              involvedObject={"kind": "Pod", "name": "p", "namespace": SPACE, "fieldPath": "spec.containers{main}"}),
        event("series", message="m", eventTime="2020-01-02T03:04:05.000000Z", action="Act", reportingComponent="c.example",
              reportingInstance="i", series={"count": 5, "lastObservedTime": "2022-01-02T03:04:05.000000Z"}),
        event("bare", message=""), event("first", message="  m  ", firstTimestamp=LONG_AGO),
        event("nameless", message="m", involvedObject={"kind": "Pod", "namespace": SPACE})],
}
DEFINITION = whole("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"widgets.{WIDGETS}", spec={
    "group": WIDGETS, "scope": "Namespaced", "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
    "versions": [{
        "name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
        "additionalPrinterColumns": [
            {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
            {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"},
            {"name": "Big", "type": "boolean", "jsonPath": ".spec.big"},
            {"name": "Names", "type": "string", "jsonPath": ".spec.names", "priority": 1},
            {"name": "Weight", "type": "number", "jsonPath": ".spec.weight"},
            {"name": "Seen", "type": "date", "jsonPath": ".status.seen"},
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]}]})
WIDGET = {
    "widgets": [
        thing(f"{WIDGETS}/v1", "Widget", "whole", spec={"size": 3, "big": True, "names": ["a", "b"], "weight": 1.5},
              status={"seen": LONG_AGO, "conditions": [{"type": "Other", "status": "Unknown"},
                                                             {"type": "Ready", "status": "True"}]}),
        thing(f"{WIDGETS}/v1", "Widget", "empty"),
        thing(f"{WIDGETS}/v1", "Widget", "wrong", spec={"size": "large", "big": "maybe", "weight": {"a": 1}, "names": None}),
        thing(f"{WIDGETS}/v1", "Widget", "fraction", {"seen": 7}, spec={"size": 2.75, "big": 1, "weight": 3})],
}

THINGS = {"pods": PODS, "nodes": NODES, **WORKLOADS, **NETWORK, **STORAGE, **POLICY, **GUARDS, **CORE, **WIDGET}
# These are deleted, and stay, as long as they have finalizers or a node to say that they have ended.
LEAVING = {"pods": ["leaves", "leaves-failed", "lost"], "persistentvolumes": ["leaves"],
           "resourceclaims": ["leaves", "leaves-unused"]}
