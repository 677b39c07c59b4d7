#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real kubectl against the embedded API server.

    test_kubectl.py --kinform PROGRAM --cache DIR --kubectl debian|path [unittest's arguments]

Exit status: as unittest, or 77, skipped, if there is no such kubectl (1 with KIN_STRICT=1 and no
other one).
"""
import argparse
import json
import subprocess
import sys
import unittest
from pathlib import Path

import kubectls
from cluster import Cluster

SKIPPED = 77
PARTS = 4
TOKEN = "open-sesame"


class options:  # of the command line
    kubectl = None
    kinform = None


def config_map(name, data=None, **metadata):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata},
            "data": data or {"k": "v"}}


def pod(name, **metadata):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata},
            "spec": {"containers": [{"name": "c", "image": "registry.example/c:1"}]}}


def deployment(name):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": 1, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": pod("x")["spec"]}}}


def definition(plural, kind):
    singular = plural[:-1]
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.shop.example"},
            "spec": {"group": "shop.example", "scope": "Namespaced",
                     "names": {"plural": plural, "singular": singular, "kind": kind,
                               "shortNames": [plural[:3]]},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "subresources": {"status": {}},
                                   "schema": {"openAPIV3Schema": {
                                       "type": "object",
                                       "x-kubernetes-preserve-unknown-fields": True}}}]}}


class KubectlCase(unittest.TestCase):
    """Each test has a namespace of its own in the server of its class."""
    ARGUMENTS = ()
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(options.kubectl, options.kinform, *cls.ARGUMENTS)

    @classmethod
    def tearDownClass(cls):
        status = cls.cluster.close()
        assert status == 0, f"the server ended with {status}"

    def setUp(self):
        self.namespace = self._testMethodName.removeprefix("test_").replace("_", "-")[:60].strip("-")
        space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}}
        self.ok("create", "-f", self.cluster.file(space))

    def run_kubectl(self, *arguments, text=None):
        return self.cluster.kubectl("-n", self.namespace, *arguments, text=text)

    def ok(self, *arguments, text=None):
        """What it prints, without the last line's end."""
        said = self.run_kubectl(*arguments, text=text)
        self.assertEqual(said.status, 0, said)
        return said.out.removesuffix("\n")

    def fails(self, *arguments):
        """What it prints as the error."""
        said = self.run_kubectl(*arguments)
        self.assertEqual(said.status, 1, said)
        return said.err.removesuffix("\n")

    def create(self, *objects):
        self.ok("create", "-f", self.cluster.file(*objects))

    def get(self, *arguments):
        return json.loads(self.ok("get", *arguments, "-o", "json"))

    def start(self, *arguments):
        running = self.cluster.start("-n", self.namespace, *arguments)
        self.addCleanup(running.close)
        return running

    def is_older_than(self, minor):
        return self.cluster.version < (1, minor)


class KubectlTest(KubectlCase):
    ARGUMENTS = ("--token", TOKEN, "--control")

    # --- what is there ---

    def test_versions_and_resources(self):
        versions = self.ok("api-versions").split()
        for one in ("v1", "apps/v1", "batch/v1", "apiextensions.k8s.io/v1"):
            self.assertIn(one, versions)
        self.assertIn("Server Version", self.ok("version"))
        names = self.ok("api-resources", "-o", "name").split()
        for one in ("pods", "deployments.apps", "leases.coordination.k8s.io"):
            self.assertIn(one, names)
        self.assertNotIn("pods", self.ok("api-resources", "--namespaced=false", "-o", "name").split())
        self.assertEqual(self.ok("api-resources", "--api-group=batch", "-o", "name").split(),
                         ["cronjobs.batch", "jobs.batch"])
        lines = self.ok("api-resources", "--api-group=apps").splitlines()
        self.assertEqual([one.split() for one in lines if one.startswith("deployments")],
                         [["deployments", "deploy", "apps/v1", "true", "Deployment"]])

    # --- reading ---

    def test_output_formats(self):
        self.create(config_map("a", {"k": "one"}, labels={"app": "x"}), config_map("b", {"k": "two"}))
        self.assertEqual(self.ok("get", "cm", "-o", "name"), "configmap/a\nconfigmap/b")
        self.assertEqual(self.ok("get", "configmap", "a", "-o", "jsonpath={.data.k}"), "one")
        self.assertEqual(self.ok("get", "cm", "-o", "jsonpath={.items[*].data.k}"), "one two")
        table = self.ok("get", "cm", "-o", "custom-columns=N:.metadata.name,K:.data.k")
        self.assertEqual([line.split() for line in table.splitlines()],
                         [["N", "K"], ["a", "one"], ["b", "two"]])
        one = self.get("cm", "a")
        self.assertEqual((one["apiVersion"], one["kind"]), ("v1", "ConfigMap"))
        self.assertEqual(one["metadata"]["namespace"], self.namespace)
        for name in ("uid", "resourceVersion", "creationTimestamp"):
            self.assertTrue(one["metadata"][name])
        both = self.get("cm")
        self.assertEqual([item["metadata"]["name"] for item in both["items"]], ["a", "b"])
        lines = self.ok("get", "cm", "a", "-o", "yaml").splitlines()
        for line in ("kind: ConfigMap", "data:", "  k: one", "    app: x"):
            self.assertIn(line, lines)
        rows = [line.split() for line in self.ok("get", "cm").splitlines()]
        self.assertEqual([row[0] for row in rows], ["NAME", "a", "b"])
        self.assertEqual(self.ok("get", "cm", "-A", "-l", "app=x", "--field-selector",
                                 f"metadata.namespace={self.namespace}", "-o", "jsonpath={.items[*].metadata.name}"), "a")

    def test_selectors(self):
        self.create(config_map("a", labels={"app": "x", "tier": "front"}),
                    config_map("b", labels={"app": "x"}), config_map("c", labels={"app": "y"}))

        def names(*arguments):
            return self.ok("get", "cm", "-o", "jsonpath={.items[*].metadata.name}", *arguments)

        self.assertEqual(names("-l", "app=x"), "a b")
        self.assertEqual(names("-l", "app!=x"), "c")
        self.assertEqual(names("-l", "app in (x,y),!tier"), "b c")
        self.assertEqual(names("-l", "tier"), "a")
        self.assertEqual(names("--field-selector", "metadata.name=b"), "b")
        self.assertEqual(names("--field-selector", "metadata.name!=b", "-l", "app=x"), "a")
        self.assertIn('"data.k" is not a known field selector: only "metadata.name"',
                      self.fails("get", "cm", "--field-selector", "data.k=v"))
        self.assertIn("No resources found", self.run_kubectl("get", "cm", "-l", "app=z").err)

    def test_chunked_lists(self):
        # Few enough for a kubectl that limits how often it asks.
        self.create(*[config_map(f"c{at:02d}") for at in range(9)])
        for size in ("1", "4", "9", "500", "0"):
            names = self.ok("get", "cm", "--chunk-size", size, "-o", "name").split()
            self.assertEqual(names, [f"configmap/c{at:02d}" for at in range(9)], size)
        path = f"/api/v1/namespaces/{self.namespace}/configmaps"
        queries = [one["query"] for one in self.cluster.request("GET", "/_kinform/requests")["requests"]
                   if one["verb"] == "list" and one["path"] == path]
        self.assertEqual(sum("continue=" in query and "limit=4" in query for query in queries), 2)

    def test_get_watch(self):
        self.create(config_map("a"))
        watch = self.start("get", "cm", "-w", "--output-watch-events", "-o",
                           "jsonpath={.type} {.object.metadata.name} {.object.data.k}{'\\n'}")
        watch.wait_for("ADDED")
        self.create(config_map("b", {"k": "new"}))
        self.assertEqual(watch.wait_for("b ").split(), ["ADDED", "b", "new"])
        self.ok("patch", "cm", "a", "--type=merge", "-p", '{"data":{"k":"changed"}}')
        self.assertEqual(watch.wait_for("changed").split(), ["MODIFIED", "a", "changed"])
        self.ok("delete", "cm", "b")
        self.assertEqual(watch.wait_for("DELETED").split(), ["DELETED", "b", "new"])
        only = self.start("get", "cm", "-l", "app=x", "--watch-only", "-o", "name")
        self.cluster.wait_for_request("watch", f"/api/v1/namespaces/{self.namespace}/configmaps",
                                      query="labelSelector=app%3Dx")
        self.ok("label", "cm", "a", "app=x")
        self.assertEqual(only.wait_for("a"), "configmap/a")
        single = self.start("get", "cm", "a", "-w", "-o", "jsonpath={.data.k}{'\\n'}")
        single.wait_for("changed")
        self.ok("patch", "cm", "a", "--type=merge", "-p", '{"data":{"k":"again"}}')
        single.wait_for("again")

    # --- writing ---

    def test_create_and_replace(self):
        file = self.cluster.file(config_map("a"))
        self.assertEqual(self.ok("create", "-f", file), "configmap/a created")
        first = self.get("cm", "a")
        file = self.cluster.file(config_map("a", {"k": "w"}))
        self.assertEqual(self.ok("replace", "-f", file), "configmap/a replaced")
        second = self.get("cm", "a")
        self.assertEqual(second["data"], {"k": "w"})
        self.assertEqual(second["metadata"]["uid"], first["metadata"]["uid"])
        self.assertGreater(int(second["metadata"]["resourceVersion"]),
                           int(first["metadata"]["resourceVersion"]))
        self.ok("replace", "--force", "-f", file)
        self.assertNotEqual(self.get("cm", "a")["metadata"]["uid"], first["metadata"]["uid"])
        said = self.ok("create", "-f", "-", text=json.dumps(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "some-"}}))
        self.assertRegex(said, r"^configmap/some-[a-z0-9]{5} created$")

    def test_apply_of_what_is_new(self):
        file = self.cluster.file(config_map("a"))
        self.assertEqual(self.ok("apply", "-f", file), "configmap/a created")
        self.assertEqual(self.ok("apply", "-f", file), "configmap/a unchanged")

    def test_patches(self):
        self.create(config_map("a", {"k": "v", "gone": "soon"}))
        self.assertEqual(self.ok("patch", "cm", "a", "--type=merge", "-p",
                                 '{"data":{"x":"y","gone":null}}'), "configmap/a patched")
        self.assertEqual(self.get("cm", "a")["data"], {"k": "v", "x": "y"})
        self.ok("patch", "cm", "a", "--type=json", "-p",
                '[{"op":"test","path":"/data/k","value":"v"},{"op":"replace","path":"/data/k",'
                '"value":"w"},{"op":"remove","path":"/data/x"}]')
        self.assertEqual(self.get("cm", "a")["data"], {"k": "w"})
        said = self.ok("patch", "cm", "a", "--type=merge", "-p", '{"data":{"k":"w"}}')
        self.assertEqual(said, "configmap/a patched (no change)")
        before = self.get("cm", "a")
        self.fails("patch", "cm", "a", "--type=json", "-p",
                   '[{"op":"test","path":"/data/k","value":"other"},{"op":"remove","path":"/data/k"}]')
        self.assertEqual(self.get("cm", "a"), before)

    def test_label_and_annotate(self):
        self.create(config_map("a"), config_map("b"))
        self.assertEqual(self.ok("label", "cm", "a", "tier=back"), "configmap/a labeled")
        self.assertEqual(self.get("cm", "a")["metadata"]["labels"], {"tier": "back"})
        self.assertIn("already has a value", self.fails("label", "cm", "a", "tier=front"))
        self.ok("label", "--overwrite", "cm", "--all", "tier=front")
        self.assertEqual(self.ok("get", "cm", "-l", "tier=front", "-o", "name"),
                         "configmap/a\nconfigmap/b")
        self.ok("label", "cm", "a", "tier-")
        self.assertNotIn("labels", self.get("cm", "a")["metadata"])
        self.assertEqual(self.ok("annotate", "cm", "a", "note=some words"), "configmap/a annotated")
        self.assertEqual(self.get("cm", "a")["metadata"]["annotations"], {"note": "some words"})
        self.ok("annotate", "cm", "a", "note-")
        self.assertNotIn("annotations", self.get("cm", "a")["metadata"])

    def test_scale(self):
        self.create(deployment("web"))
        self.assertEqual(self.ok("scale", "deployment", "web", "--replicas=3"),
                         "deployment.apps/web scaled")
        one = self.get("deployment", "web")
        self.assertEqual((one["spec"]["replicas"], one["metadata"]["generation"]), (3, 2))
        self.assertIn("Expected replicas to be 2, was 3",
                      self.fails("scale", "deploy/web", "--current-replicas=2", "--replicas=4"))
        self.ok("scale", "deploy/web", "--current-replicas=3", "--replicas=0")
        self.assertEqual(self.get("deployment", "web")["spec"]["replicas"], 0)

    def test_server_dry_run(self):
        file = self.cluster.file(config_map("a"))
        self.create(config_map("there"))
        before = self.get("cm")["items"]
        if self.is_older_than(27):
            # It looks for the parameter in the OpenAPI document, and without finds nothing to ask.
            self.assertIn("dry-run", self.fails("create", "--dry-run=server", "-f", file))
            self.assertIn("dry-run", self.fails("delete", "--dry-run=server", "cm", "there"))
        else:
            self.assertEqual(self.ok("create", "--dry-run=server", "-f", file),
                             "configmap/a created (server dry run)")
            self.assertEqual(self.ok("delete", "--dry-run=server", "cm", "there"),
                             'configmap "there" deleted (server dry run)')
            self.assertEqual(self.ok("label", "--dry-run=server", "cm", "there", "a=b"),
                             "configmap/there labeled (server dry run)")
        self.assertEqual(self.get("cm")["items"], before)

    # --- deleting and waiting ---

    def test_delete(self):
        self.create(*[config_map(name, labels={"app": name[0]}) for name in ("a1", "a2", "b1", "b2")])
        self.assertEqual(self.ok("delete", "cm", "a1"), 'configmap "a1" deleted')
        self.assertEqual(self.ok("delete", "cm", "a2", "--wait=false"), 'configmap "a2" deleted')
        self.assertEqual(self.ok("get", "cm", "-o", "name"), "configmap/b1\nconfigmap/b2")
        self.ok("delete", "cm", "-l", "app=b")
        self.assertEqual(self.ok("get", "cm", "-o", "name"), "")
        self.assertEqual(self.ok("delete", "cm", "a1", "--ignore-not-found"), "")
        self.create(config_map("c"), config_map("d"))
        self.ok("delete", "cm", "--all")
        self.assertEqual(self.ok("get", "cm", "-o", "name"), "")

    def test_delete_waits_for_finalizers(self):
        self.create(config_map("held", finalizers=["shop.example/hold"]))
        deleting = self.start("delete", "cm", "held")
        deleting.wait_for('"held" deleted')
        waiting = self.start("wait", "--for=delete", "cm/held", "--timeout=60s")
        self.cluster.wait_for_request("watch", f"/api/v1/namespaces/{self.namespace}/configmaps",
                                      times=2)
        self.assertIn("deletionTimestamp", self.get("cm", "held")["metadata"])
        self.assertTrue(deleting.is_running())
        self.ok("delete", "cm", "held", "--wait=false")  # again, which changes nothing
        self.assertTrue(waiting.is_running())
        self.ok("patch", "cm", "held", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
        self.assertEqual(deleting.wait(), 0)
        self.assertEqual(waiting.wait(), 0)
        self.assertIn("NotFound", self.fails("get", "cm", "held"))

    def test_delete_of_an_object_that_is_held_runs_out_of_time(self):
        self.create(config_map("held", finalizers=["shop.example/hold"]))
        self.assertIn("timed out", self.fails("delete", "cm", "held", "--timeout=1s"))
        self.ok("patch", "cm", "held", "--type=json", "-p",
                '[{"op":"remove","path":"/metadata/finalizers"}]')

    def test_wait_for_a_condition(self):
        self.create(pod("p"))
        waiting = self.start("wait", "--for=condition=Ready", "pod/p", "--timeout=60s")
        path = f"/api/v1/namespaces/{self.namespace}/pods"
        self.cluster.wait_for_request("watch", path)
        self.assertTrue(waiting.is_running())
        self.cluster.request("PATCH", f"{path}/p/status",
                             {"status": {"phase": "Running",
                                         "conditions": [{"type": "Ready", "status": "True"}]}},
                             "application/merge-patch+json")
        self.assertEqual(waiting.wait(), 0, waiting.seen)
        self.assertIn("pod/p condition met", waiting.seen["out"])
        self.assertIn("timed out", self.fails("wait", "--for=condition=Initialized", "pod/p",
                                              "--timeout=1s"))
        if not self.is_older_than(23):
            self.assertEqual(self.ok("wait", "--for=jsonpath={.status.phase}=Running", "pod/p",
                                     "--timeout=20s"), "pod/p condition met")

    def test_drain(self):
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": self.namespace},
                "spec": {"unschedulable": True}}  # which kubectl would do by a strategic merge patch
        placed = pod("placed")
        placed["spec"]["nodeName"] = self.namespace
        self.create(node, placed, pod("elsewhere"))
        self.assertIn("evicted", self.ok("drain", self.namespace, "--force", "--grace-period=0"))
        self.assertEqual(self.ok("get", "pods", "-o", "name"), "pod/elsewhere")

    # --- objects that kubectl makes itself, which it sends in protobuf from 1.32 on ---

    def sent_types(self, *arguments):
        """The content types of what a command sends."""
        said = self.run_kubectl(*arguments, "-v=8")
        self.assertEqual(said.status, 0, said)
        text, types = said.out + said.err, []
        for line in text.splitlines():
            if "Request Headers" in line:
                types.append(None)
            elif "Content-Type: " in line and types and types[-1] is None:
                types[-1] = line.split("Content-Type: ")[1]
        return types

    def test_generated_objects(self):
        types = self.sent_types("create", "configmap", "made", "--from-literal=k=v")
        if not self.is_older_than(32):
            self.assertIn("application/vnd.kubernetes.protobuf", types)
        self.assertEqual(self.get("cm", "made")["data"], {"k": "v"})
        self.ok("create", "secret", "generic", "s", "--from-literal=k=v")
        self.assertEqual(self.get("secret", "s")["data"], {"k": "dg=="})
        self.ok("create", "deployment", "web", "--image=registry.example/web:1", "--port=80")
        made = self.get("deployment", "web")
        self.assertEqual(made["spec"]["selector"], {"matchLabels": {"app": "web"}})
        container = made["spec"]["template"]["spec"]["containers"][0]
        self.assertEqual((container["image"], container["ports"]),
                         ("registry.example/web:1", [{"containerPort": 80}]))
        self.ok("expose", "deployment", "web", "--port=80", "--target-port=http")
        self.assertEqual(self.get("service", "web")["spec"]["ports"],
                         [{"port": 80, "protocol": "TCP", "targetPort": "http"}])
        self.ok("create", "quota", "q", "--hard=pods=2,cpu=500m")
        self.assertEqual(self.get("quota", "q")["spec"]["hard"], {"pods": "2", "cpu": "500m"})
        self.ok("create", "role", "r", "--verb=get,list", "--resource=pods")
        self.assertEqual(self.get("role", "r")["rules"],
                         [{"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"]}])
        self.ok("create", "job", "j", "--image=registry.example/j:1")
        self.ok("create", "serviceaccount", "sa")
        self.ok("create", "namespace", f"{self.namespace}-more")
        self.assertIn("already exists", self.fails("create", "configmap", "made"))
        self.ok("delete", "configmap", "made")
        self.assertIn("NotFound", self.fails("get", "configmap", "made"))

    def test_namespaces_are_emptied(self):
        self.create(config_map("a"), pod("p"), deployment("web"))
        self.assertEqual(self.ok("delete", "namespace", self.namespace),
                         f'namespace "{self.namespace}" deleted')
        self.assertEqual(self.fails("get", "ns", self.namespace),
                         f'Error from server (NotFound): namespaces "{self.namespace}" not found')
        for kind in ("cm", "pods", "deployments"):
            self.assertEqual(self.ok("get", kind, "-o", "name"), "")

    # --- custom resources ---

    def test_custom_resources(self):
        said = self.ok("create", "-f", self.cluster.file(definition("widgets", "Widget")))
        self.assertEqual(
            said, "customresourcedefinition.apiextensions.k8s.io/widgets.shop.example created")
        self.ok("wait", "--for=condition=Established", "crd/widgets.shop.example", "--timeout=20s")
        self.cluster.forget()
        self.assertIn("widgets.shop.example", self.ok("api-resources", "-o", "name").split())
        widget = {"apiVersion": "shop.example/v1", "kind": "Widget", "metadata": {"name": "w"},
                  "spec": {"size": 3, "parts": [1, 2.5, "x"]}}
        self.assertEqual(self.ok("create", "-f", self.cluster.file(widget)),
                         "widget.shop.example/w created")
        for name in ("widgets", "widget", "wid", "widgets.shop.example", "widgets.v1.shop.example"):
            self.assertEqual(self.ok("get", name, "-o", "name"), "widget.shop.example/w")
        self.assertEqual(self.get("wid", "w")["spec"], widget["spec"])
        watch = self.start("get", "widgets", "-w", "--output-watch-events", "-o",
                           "jsonpath={.type} {.object.metadata.name} {.object.spec.size}{'\\n'}")
        watch.wait_for("ADDED")
        self.ok("patch", "widget", "w", "--type=merge", "-p", '{"spec":{"size":4}}')
        self.assertEqual(watch.wait_for("MODIFIED").split(), ["MODIFIED", "w", "4"])
        self.ok("delete", "crd", "widgets.shop.example")
        watch.wait_for("DELETED")
        self.cluster.forget()
        self.assertEqual(self.fails("get", "widgets"),
                         'error: the server doesn\'t have a resource type "widgets"')

    # --- errors, as kubectl prints them ---

    def test_errors(self):
        file = self.cluster.file(config_map("a"))
        self.ok("create", "-f", file)
        stale = self.get("cm", "a")
        self.assertEqual(self.fails("create", "-f", file),
                         f'Error from server (AlreadyExists): error when creating "{file}": '
                         'configmaps "a" already exists')
        self.assertEqual(self.fails("get", "cm", "nope"),
                         'Error from server (NotFound): configmaps "nope" not found')
        self.assertEqual(self.fails("delete", "deployment", "nope"),
                         'Error from server (NotFound): deployments.apps "nope" not found')
        self.assertEqual(self.fails("get", "nothing"),
                         'error: the server doesn\'t have a resource type "nothing"')
        self.ok("label", "cm", "a", "x=y")
        file = self.cluster.file(stale)
        self.assertEqual(self.fails("replace", "-f", file),
                         f'Error from server (Conflict): error when replacing "{file}": Operation '
                         'cannot be fulfilled on configmaps "a": the object has been modified; please '
                         'apply your changes to the latest version and try again')
        self.assertIn('The ConfigMap "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name": ',
                      self.fails("create", "-f", self.cluster.file(config_map("Bad_Name"))))
        elsewhere = self.cluster.file(config_map("a", namespace="nowhere"))
        said = self.cluster.kubectl("create", "-f", elsewhere)
        self.assertEqual(said.err.strip(),
                         f'Error from server (NotFound): error when creating "{elsewhere}": '
                         'namespaces "nowhere" not found')
        self.assertIn("the namespace from the provided object \"nowhere\" does not match",
                      self.fails("create", "-f", elsewhere))
        self.assertIn("Unauthorized", self.fails("--token=wrong", "get", "cm"))

    def test_a_server_that_fails(self):
        path = f"/api/v1/namespaces/{self.namespace}/configmaps"
        self.create(config_map("a"))
        self.cluster.request("POST", "/_kinform/faults",
                             {"type": "Status", "verb": "list", "path": path, "status": 403})
        self.assertIn("Error from server (Forbidden)", self.fails("get", "cm"))
        self.cluster.request("POST", "/_kinform/faults",
                             {"type": "Status", "verb": "list", "path": path, "status": 429,
                              "retryAfterSeconds": 1})
        self.assertEqual(self.ok("get", "cm", "-o", "name"), "configmap/a")
        self.cluster.request("POST", "/_kinform/faults",
                             {"type": "Truncate", "verb": "list", "path": path, "bytes": 40})
        self.assertIn("unexpected EOF", self.fails("get", "cm", "-o", "name"))
        watch = self.start("get", "cm", "-w", "-o", "name")
        watch.wait_for("a")
        self.cluster.wait_for_request("watch", path)
        self.cluster.request("POST", "/_kinform/compact")
        self.assertEqual(self.ok("get", "cm", "-o", "name"), "configmap/a")


class PlainTest(KubectlCase):
    """The same over plain HTTP, without a token."""

    def test_objects_over_plain_http(self):
        self.assertTrue(self.cluster.server.url.startswith("http://"))
        self.create(config_map("a"))
        watch = self.start("get", "cm", "-w", "-o", "name")
        watch.wait_for("a")
        self.ok("label", "cm", "a", "x=y")
        watch.wait_for("a")
        self.ok("delete", "cm", "a")
        self.assertEqual(self.ok("get", "cm", "-o", "name"), "")


def test_names():
    loader = unittest.defaultTestLoader
    return [f"{case.__name__}.{name}" for case in (KubectlTest, PlainTest)
            for name in loader.getTestCaseNames(case)]


def run_parts():
    """All tests, in processes with a server each: most of the time a kubectl waits for something."""
    names = test_names()
    running = [subprocess.Popen([sys.executable, *sys.argv, *names[part::PARTS]],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
               for part in range(PARTS)]
    for one in running:
        print(one.communicate()[0], end="")
    return 0 if all(one.returncode == 0 for one in running) else 1


def main():
    parser = argparse.ArgumentParser(prog="test_kubectl.py")
    parser.add_argument("--kinform", required=True)
    parser.add_argument("--cache", required=True, type=Path)
    parser.add_argument("--kubectl", choices=("debian", "path"), required=True)
    given, rest = parser.parse_known_args()
    options.kinform = given.kinform
    try:
        options.kubectl = kubectls.find(given.kubectl, given.cache)
    except kubectls.NotThere as why:
        skipped = kubectls.may_be_missing(given.kubectl)
        print(f"{why}: " + ("skipped" if skipped else "KIN_STRICT=1 wants one"))
        return SKIPPED if skipped else 1
    if not rest:
        return run_parts()
    print(f"kubectl is {options.kubectl}", flush=True)
    return 0 if unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
