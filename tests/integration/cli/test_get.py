#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kinform get, against `kinform serve`.

    test_get.py --kinform PROGRAM [unittest's arguments]
"""
import http.server
import json
import os
import pty
import re
import signal
import socket
import subprocess
import threading
import unittest

import command
from command import Case, DEADLINE, Running, config_map, environment, options, pod, run

SPACE = "/api/v1/namespaces/default"


class ObjectsTest(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.create("/api/v1/namespaces", {"metadata": {"name": "other"}})
        for name, size, labels in (("a", "10", {"app": "web"}), ("b", "9", {"app": "db"}),
                                   ("c", "512Mi", {})):
            cls.server.create(f"{SPACE}/configmaps", config_map(name, {"size": size}, labels=labels))
        cls.server.create("/api/v1/namespaces/other/configmaps",
                          config_map("wide", {"text": "日本語", "bell": "\x07\x1b[31mred"}))
        cls.server.create(f"{SPACE}/pods", pod("p"))

    def test_tables(self):
        self.assertRegex(self.ok("get", "configmaps"),
                         r"\ANAME   DATA   AGE\na      1      \d+s\nb      1      \d+s\nc      1      \d+s\n\Z")
        self.assertRegex(self.ok("get", "cm", "-A", "--no-headers"),
                         r"\Adefault   a      1     \d+s\n(default .*\n)*other     wide   2     \d+s\n\Z")
        self.assertRegex(self.ok("get", "cm", "a", "--show-labels"),
                         r"\ANAME   DATA   AGE +LABELS\na      1      \S+ +app=web\n\Z")
        self.assertRegex(self.ok("get", "po,cm"),
                         r"\ANAME    READY   STATUS    RESTARTS   AGE\npod/p   0/2     Pending   0 +\d+s\n\n"
                         r"NAME +DATA +AGE\nconfigmap/a ")
        self.assertRegex(self.ok("get", "pods", "-o", "wide"), r"NOMINATED NODE   READINESS GATES\n")
        self.assertRegex(self.ok("get", "ns", "-A"), r"\ANAME +STATUS +AGE\n")

    def test_options_before_the_command(self):
        for arguments in (["-n", "other", "get", "cm"], ["-nother", "get", "cm"], ["--namespace=other", "get", "cm"],
                          ["-n", "default", "get", "cm", "-n", "other"],
                          ["--namespace", "other", "--kubeconfig", self.server.kubeconfig, "get", "cm"]):
            self.assertEqual(self.ok(*arguments, "-o", "name"), "configmap/wide\n")
        self.assertEqual(self.ok("--context", "kinform", "get", "cm", "a", "-o", "name"), "configmap/a\n")

    def test_wide_characters_are_aligned(self):
        out = self.ok("get", "cm", "-n", "other", "-o",
                      "custom-columns=TEXT:.data.text,BELL:.data.bell,N:.metadata.name")
        self.assertEqual(out, "TEXT     BELL              N\n"
                              "日本語   \\x07\\x1b[31mred   wide\n")

    def test_names_and_kinds(self):
        for arguments in (["cm/a", "pods/p"], ["configmap/a", "Pod/p"], ["configmaps./a", "pods.v1./p"]):
            with self.subTest(arguments):
                self.assertEqual(self.ok("get", *arguments, "-o", "name"), "configmap/a\npod/p\n")
        self.assertEqual(self.ok("get", "cm", "b", "a", "-oname"), "configmap/b\nconfigmap/a\n")
        self.assertEqual(self.ok("get", "cm", "wide", "-nother", "-o=name"), "configmap/wide\n")
        self.assertEqual(self.ok("get", "--namespace=other", "-o", "name", "cm"), "configmap/wide\n")

    def test_a_kind_that_is_named_twice(self):
        for kinds in ("cm,cm", "cm,configmaps", "cm,ConfigMap", "cm,configmaps.v1."):
            with self.subTest(kinds):
                self.assertEqual(self.ok("get", kinds, "-o", "name"), "configmap/a\nconfigmap/b\nconfigmap/c\n")
        self.assertRegex(self.ok("get", "po,cm,po,all", "-l", "!app", "-o", "name"), r"\Apod/p\nconfigmap/c\n(gadget|\Z)")
        # Names that are given twice are meant, as kubectl has it.
        self.assertEqual(self.ok("get", "cm", "a", "a", "-o", "name"), "configmap/a\nconfigmap/a\n")

    def test_selectors_and_conditions(self):
        for arguments, names in (
                (["-l", "app"], "ab"), (["-l", "app!=web"], "bc"), (["--selector=app in (web,x)"], "a"),
                (["--field-selector", "metadata.name=b"], "b"),
                (["--where", ".data.size>9"], "ac"), (["--where", ".data.size==9.0"], "b"),
                (["--where", "data.size != 9"], "ac"), (["--where", "{.metadata.labels.app}"], "ab"),
                (["--where", ".metadata.labels.app!=web"], "bc"),
                (["--where", ".metadata.name=~'^[ab]$'", "--where", "metadata.name>=b"], "b"),
                (["--where", ".data.nosuch[5]==x"], ""),
        ):
            with self.subTest(arguments):
                self.assertEqual(self.ok("get", "cm", *arguments, "-o", "name"),
                                 "".join(f"configmap/{name}\n" for name in names))

    def test_orders(self):
        for path, names in ((".data.size", "bac"), ("metadata.name", "abc"),
                            (".metadata.labels.app", "cba")):
            with self.subTest(path):
                self.assertEqual(self.ok("get", "cm", "--sort-by", path, "-o",
                                         "jsonpath={.items[*].metadata.name}"), " ".join(names))

    def test_warnings_about_paths_and_operators(self):
        for condition, operator in ((".data.size~=9", "~="), (".data.size~9", "~"), (".data.size^=9", "^="),
                                    (".data.size:9", ":"), (".data.size$=9", "$="), (".data.size*=9", "*=")):
            for command in (("get",), ("watch", "--timeout", "1ms")):
                said = self.run_it(*command, "cm", "--where", condition)
                self.assertRegex(said.err, rf"(?m)^Warning: --where {re.escape(condition)}: there is no operator "
                                           rf"{re.escape(operator)}, ")
        self.assertIn("Warning: --until .a~=b: there is no operator ~=",
                      self.run_it("watch", "cm", "--timeout", "1ms", "--until", ".a~=b").err)
        for condition in (".data.size>9", ".data.*==9", ".data['a~b']==1", ".data.nosuch", "{$.data.size}",
                          r".metadata.annotations.a\.b/c==1", ".data.size=~'^(9|1:)$'"):
            self.assertEqual(self.run_it("get", "cm", "-o", "name", "--where", condition).err, "", condition)
        said = self.fails(2, "get", "cm", "--where", ".data.size contains 9")
        self.assertIn("compare with ==, ", said)
        said = self.run_it("get", "cm", "--sort-by", ".nosuch.path", "-o", "name")
        self.assertEqual((said.status, said.out), (0, "configmap/a\nconfigmap/b\nconfigmap/c\n"))
        self.assertRegex(said.err, r"\AWarning: --sort-by \.nosuch\.path: no object has [^\n]*\n\Z")
        # Nothing to sort, or one object that has it: nothing to warn about.
        for arguments in (("cm", "-l", "nosuch=1"), ("cm,pods",)):
            self.assertNotIn("Warning", self.run_it("get", *arguments, "--sort-by", ".data.size", "-o", "name").err)

    def test_one_order_of_numbers_and_texts(self):
        """Quantities come first, wherever they were."""
        for n, values in enumerate((("999", "1k", "1x"), ("1x", "999", "1k"), ("1k", "1x", "999"))):
            for name, value in zip("abc", values):
                self.server.create(f"{SPACE}/configmaps",
                                   config_map(f"{name}{n}", {"mixed": value}, labels={"mixed": str(n)}))
            self.addCleanup(self.delete_mixed, n)
            self.assertEqual(self.ok("get", "cm", "-l", f"mixed={n}", "--sort-by", ".data.mixed", "-o",
                                     "jsonpath={.items[*].data.mixed}"), "999 1k 1x")

    def delete_mixed(self, n):
        for name in "abc":
            self.server.send("DELETE", f"{SPACE}/configmaps/{name}{n}")

    def test_json(self):
        one = json.loads(self.ok("get", "cm", "a", "-o", "json"))
        self.assertEqual((one["kind"], one["metadata"]["name"]), ("ConfigMap", "a"))
        several = self.ok("get", "cm", "-o", "json")
        self.assertEqual(several, json.dumps(json.loads(several), indent=4) + "\n")
        self.assertEqual([item["metadata"]["name"] for item in json.loads(several)["items"]], list("abc"))
        self.assertEqual(json.loads(several)["items"][0], one)
        self.assertEqual(json.loads(self.ok("get", "cm", "-l", "app=none", "-o", "json"))["items"], [])
        lines = self.ok("get", "cm,po", "-o", "jsonl").splitlines()
        self.assertEqual([json.loads(line)["kind"] for line in lines],
                         ["ConfigMap"] * 3 + ["Pod"])

    def test_yaml(self):
        one = self.ok("get", "cm", "a", "-o", "yaml")
        self.assertTrue(one.startswith("kind: ConfigMap\n") or one.startswith("apiVersion: v1\n"))
        several = self.ok("get", "cm", "-l", "app=web", "-o", "yaml")
        found = re.fullmatch(r"apiVersion: v1\nitems:\n- (.*)kind: List\nmetadata:\n  resourceVersion: \"\"\n",
                             several, re.S)
        lines = ("  " + found.group(1)).splitlines()
        self.assertTrue(all(line.startswith("  ") for line in lines), several)
        self.assertEqual(sorted(line[2:] for line in lines), sorted(one.splitlines()))
        self.assertIn("items: []\n", self.ok("get", "cm", "-l", "app=none", "-o", "yaml"))

    def test_fields(self):
        kept = json.loads(self.ok("get", "cm", "a", "--fields", "data.size", "-o", "json"))
        self.assertEqual(kept["data"], {"size": "10"})
        self.assertNotIn("labels", kept["metadata"])

    def test_fields_in_tables(self):
        """The name and what the fields say, not columns of what is not there."""
        self.assertEqual(self.ok("get", "cm", "--fields", "data.size,metadata.labels['app']"),
                         "NAME   data.size   metadata.labels['app']\na      10          web\n"
                         "b      9           db\nc      512Mi       <none>\n")
        self.assertEqual(self.ok("get", "cm,po", "-A", "--fields", "spec.containers[*].name", "--where",
                                 ".metadata.name=~^(a|p)$"),
                         "NAMESPACE   NAME          spec.containers[*].name\ndefault     configmap/a   <none>\n\n"
                         "NAMESPACE   NAME    spec.containers[*].name\ndefault     pod/p   one,two\n")
        self.assertEqual(self.ok("get", "cm", "a", "--fields", ".data", "--show-labels", "--no-headers"),
                         'a     {"size":"10"}   app=web\n')

    def test_other_options_see_what_fields_leave_out(self):
        keep = ["get", "cm", "--fields", "metadata.uid"]
        for arguments, out in (
                (["--where", ".data.size>9", "-o", "name"], "configmap/a\nconfigmap/c\n"),
                (["--where", ".metadata.labels.app==web", "-o", "name"], "configmap/a\n"),
                (["--sort-by", ".data.size", "-o", "name"], "configmap/b\nconfigmap/a\nconfigmap/c\n"),
                (["-o", "custom-columns=N:.data.size", "--no-headers"], "10\n9\n512Mi\n"),
                (["-o", "jsonpath={.items[*].data.size}"], "10 9 512Mi"),
                (["-o", "jsonpath={.items[?(@.data.size=='9')].metadata.name}"], "b"),
                (["-o", "jsonpath={range .items[*]}{.data.size}{';'}{end}"], "10;9;512Mi;"),
                (["a", "-o", "jsonpath={.data.size}"], "10"),
                (["-l", "app=web", "-o", "name"], "configmap/a\n"),
        ):
            with self.subTest(arguments):
                self.assertEqual(self.ok(*keep, *arguments), out)
        for arguments, name in ((["--where", "..size==9"], "--where"), (["--sort-by", "..size"], "--sort-by"),
                                (["-o", "jsonpath={..size}"], "the template of -o"),
                                (["-o", "custom-columns=SIZE:..size"], "SIZE")):
            self.assertIn(f"{name} may look at any part", self.fails(2, *keep, *arguments))

    def test_nothing_is_there(self):
        for arguments, text in ((["secrets"], "No resources found in default namespace.\n"),
                                (["secrets", "-A"], "No resources found.\n")):
            said = self.run_it("get", *arguments)
            self.assertEqual((said.status, said.out, said.err), (0, "", text))
        self.assertIn('"nosuch" not found', self.fails(3, "get", "cm", "nosuch"))
        self.assertIn('"nosuch" not found', self.fails(3, "get", "cm", "nosuch", "-o", "json"))
        self.assertIn("no resource", self.fails(3, "get", "nosuch"))
        self.assertEqual(self.ok("get", "cm", "nosuch", "--ignore-not-found"), "")
        said = self.run_it("get", "cm", "nosuch", "a", "-o", "name")
        self.assertEqual((said.status, said.out), (3, "configmap/a\n"))
        self.assertIn('"nosuch" not found', said.err)

    def test_what_the_server_refuses(self):
        self.assertIn("known field selector", self.fails(1, "get", "cm", "--field-selector", "data.size=9"))

    def test_all(self):
        """kubectl's: those of its kinds that the server has."""
        self.assertRegex(self.ok("get", "all", "-o", "name"), r"\Apod/p\n")
        self.assertRegex(self.ok("get", "cm,all", "-l", "!app", "-o", "name"), r"\Aconfigmap/c\npod/p\n")

    def test_categories(self):
        """Of the server, custom resources included."""
        for plural, names in (("gadgets", {"categories": ["all", "toys"]}), ("gizmos", {"categories": ["toys"]})):
            self.server.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
                "metadata": {"name": f"{plural}.example.com"},
                "spec": {"group": "example.com", "scope": "Namespaced",
                         "names": {"plural": plural, "singular": plural[:-1], "kind": plural[:-1].title(), **names},
                         "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                             "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}})
            self.server.create(f"/apis/example.com/v1/namespaces/default/{plural}", {
                "apiVersion": "example.com/v1", "kind": plural[:-1].title(), "metadata": {"name": "g"}})
        self.assertEqual(self.ok("get", "all", "-o", "name"), "pod/p\ngadget.example.com/g\n")
        self.assertEqual(self.ok("get", "toys,all", "-o", "name"),
                         "gadget.example.com/g\ngizmo.example.com/g\npod/p\n")
        self.assertIn("customresourcedefinition.apiextensions.k8s.io/gizmos.example.com\n",
                      self.ok("get", "api-extensions", "-o", "name"))
        self.assertIn("toys are several kinds: say of which g is", self.fails(2, "get", "toys", "g"))
        self.assertIn("toys are several kinds: say of which g is", self.fails(2, "get", "toys/g"))

    def test_columns_of_custom_resources(self):
        """Those of their definition; only name and age if it cannot be read."""
        columns = [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
                   {"name": "Due", "type": "date", "jsonPath": ".spec.due"},
                   {"name": "Note", "type": "string", "jsonPath": ".spec.note", "priority": 1},
                   {"name": "None", "type": "string", "jsonPath": ".spec.none"},
                   # Left out, whatever a server lets pass: each step multiplies what there is.
                   {"name": "Bomb", "type": "string", "jsonPath": "...*...*...*...*...*...*...*...*...*...*"},
                   {"name": "Union", "type": "string", "jsonPath": ".spec['size','size']"}]
        self.server.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
            "metadata": {"name": "widgets.example.org"},
            "spec": {"group": "example.org", "scope": "Namespaced",
                     "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
                     "versions": [{"name": "v1", "served": True, "storage": True, "additionalPrinterColumns": columns,
                                   "schema": {"openAPIV3Schema": {
                                       "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}})
        self.server.create("/apis/example.org/v1/namespaces/default/widgets", {
            "apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "w"},
            "spec": {"size": 3, "due": "2001-09-09T01:46:40Z", "note": "\x1bhi"}})
        self.assertRegex(self.ok("get", "widgets"), r"\ANAME   SIZE   DUE +NONE\nw      3      \d+y\d*d?   +\n\Z")
        self.assertRegex(self.ok("get", "widgets", "-o", "wide"),
                         r"\ANAME   SIZE   DUE +NOTE +NONE\nw      3      \d+y\d*d? +\\x1bhi +\n\Z")
        self.assertRegex(self.ok("get", "widgets", "w", "--no-headers"), r"\Aw +3 +\d+y")
        self.server.create("/apis/example.org/v1/namespaces/default/widgets", {
            "apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "x"},
            "spec": {"size": "large", "due": "soon", "none": None}})
        self.assertRegex(self.ok("get", "widgets", "x", "--no-headers"), r"\Ax +<invalid> +<no value>\n\Z")
        # The definition is asked for once, however many names there are.
        said = self.run_it("get", "widgets", "w", "x", "-v")
        self.assertEqual(said.err.count("customresourcedefinitions/widgets.example.org"), 1, said)

    def test_kinds_without_namespaces_beside_others(self):
        out = self.ok("get", "cm,ns", "-A")
        self.assertRegex(out, r"\ANAMESPACE +NAME +DATA +AGE\ndefault +configmap/a ")
        self.assertRegex(out, r"\n\nNAME +STATUS +AGE\nnamespace/default +Active ")

    def test_templates_that_fail(self):
        self.assertIn("no item 9", self.fails(2, "get", "cm", "-o", "jsonpath={.items[9]}"))

    def test_output_that_cannot_be_written(self):
        for output in ("table", "json", "yaml", "name", "jsonpath={.items}", "custom-columns=A:.data"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([options.kinform, "get", "cm", "-o", output], text=True,
                                      env=environment(KUBECONFIG=self.server.kubeconfig),
                                      stdout=full, stderr=subprocess.PIPE, timeout=DEADLINE)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"\Akinform: standard output cannot be written: [^\n]*\n\Z")


class WatchTest(Case):
    """get --watch: a table, and rows below it."""

    def create(self, name, **labels):
        self.server.create(f"{SPACE}/configmaps", config_map(name, {"k": "v"}, labels=labels))

    def delete_all(self):
        self.server.send("DELETE", f"{SPACE}/configmaps")

    def setUp(self):
        super().setUp()
        self.create("b", app="db")
        self.create("a", app="web")
        self.addCleanup(self.delete_all)

    def end(self, watching):
        watching.signal(signal.SIGINT)
        self.assertEqual(watching.wait(), -signal.SIGINT)
        self.assertEqual(watching.seen["err"], [])
        return watching.seen["out"]

    def test_a_table_and_rows(self):
        watching = self.start("get", "cm", "-w", "-L", "app")
        watching.wait_for("^b ")
        self.create("a-long-name")
        watching.wait_for("^a-long-name ")
        self.server.send("PUT", f"{SPACE}/configmaps/b", config_map("b", {"k": "v", "l": "w"}, labels={"app": "other"}))
        watching.wait_for("other")
        self.server.send("DELETE", f"{SPACE}/configmaps/a")
        watching.wait_for("^a  .*web")
        # Like kubectl's: one header; columns keep their widths, and get wider when they must.
        out = "\n".join(self.end(watching))
        self.assertRegex(out, r"\ANAME   DATA   AGE   APP\na      1      \d+s +web\nb      1      \d+s +db\n"
                              r"a-long-name   1      \d+s +\nb             2      \d+s +other\na             1      \d+s +web\Z")

    def test_columns_of_labels(self):
        self.server.send("PUT", f"{SPACE}/configmaps/a",
                         config_map("a", labels={"app": "web", "example.com/tier": "front"}))
        for arguments in (["-L", "app,example.com/tier"], ["-L", "app", "--label-columns=example.com/tier"]):
            self.assertRegex(self.ok("get", "cm", *arguments),
                             r"\ANAME   DATA   AGE   APP   TIER\na      1      \d+s +web   front\nb      1      \d+s +db +\n\Z")
        # Beside other options. --fields keeps labels for it.
        self.assertRegex(self.ok("get", "cm", "a", "-L", "app", "--show-labels"),
                         r"\ANAME +DATA +AGE +APP +LABELS\na +1 +\S+ +web +app=web,example\.com/tier=front\n\Z")
        self.assertRegex(self.ok("get", "cm", "a", "-L", "app", "--fields", "kind"),
                         r"\ANAME +kind +APP\na +ConfigMap +web\n\Z")

    def test_only_changes(self):
        watching = self.start("get", "cm", "--watch-only", "-v")
        watching.wait_for("watch=", "err")
        self.create("a-long-name")
        watching.wait_for("^a-long-name ")
        watching.signal(signal.SIGINT)
        watching.wait()
        self.assertRegex("\n".join(watching.seen["out"]), r"\ANAME +DATA +AGE\na-long-name +1 +\d+s\Z")

    def test_one_object(self):
        watching = self.start("get", "cm", "b", "-w", "--no-headers")
        watching.wait_for("^b ")
        self.server.send("PUT", f"{SPACE}/configmaps/a", config_map("a", {"k": "v", "l": "w"}))
        self.server.send("PUT", f"{SPACE}/configmaps/b", config_map("b", {"k": "v", "l": "w"}))
        watching.wait_for("^b +2 ")
        self.assertEqual([line.split()[0] for line in self.end(watching)], ["b", "b"])
        self.assertIn('configmaps "nosuch" not found', self.fails(3, "get", "cm", "nosuch", "-w"))

    def test_several_kinds_and_namespaces(self):
        watching = self.start("get", "cm,ns", "-A", "-w")
        for _ in range(2):  # the last row of each table, in any order
            watching.wait_for("^(namespace/kube-system|default +configmap/b) ")
        self.create("a-long-name")
        watching.wait_for("^default +configmap/a-long-name ")
        out = self.end(watching)
        self.assertEqual(len([line for line in out if line.startswith("NAMESPACE ")]), 1)
        self.assertEqual(len([line for line in out if line.startswith("NAME ")]), 1)
        self.assertIn("", out)  # between the tables

    def test_an_order(self):
        watching = self.start("get", "cm", "-w", "--sort-by", ".metadata.labels.app")
        watching.wait_for("^a ")
        self.assertEqual([line.split()[0] for line in watching.seen["out"]][:3], ["NAME", "b", "a"])
        watching.wait_for("^Warning: --sort-by is for the first table", "err")

    def test_documents(self):
        watching = self.start("get", "cm", "-w", "-o", "name")
        watching.wait_for("configmap/b")
        self.create("a-long-name")
        watching.wait_for("configmap/a-long-name")
        self.assertEqual(sorted(self.end(watching)), ["configmap/a", "configmap/a-long-name", "configmap/b"])


class ManyTest(Case):
    ARGUMENTS = ("--simulate", "--pods", "2000", "--nodes", "20", "--churn", "0")

    def test_pages(self):
        self.assertEqual(len(self.ok("get", "pods", "-A", "-o", "name").splitlines()), 2000)
        out = self.ok("get", "pods", "-A").splitlines()
        self.assertEqual(len(out), 2001)
        self.assertEqual(len({len(line.split("  ")[0]) > 0 for line in out}), 1)

    def test_a_pipe_that_is_closed(self):
        """It holds less than any of the outputs has."""
        for output in ("table", "json", "jsonl", "yaml", "name"):
            with self.subTest(output):
                process = subprocess.Popen([options.kinform, "get", "pods", "-A", "-o", output],
                                           env=environment(KUBECONFIG=self.server.kubeconfig),
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, pipesize=4096)
                self.assertTrue(process.stdout.readline())
                process.stdout.close()
                self.assertEqual(process.stderr.read(), b"")
                self.assertEqual(process.wait(DEADLINE), -signal.SIGPIPE)
                process.stderr.close()

    def test_interrupted_at_any_moment(self):
        for n in range(20):
            process = subprocess.Popen([options.kinform, "get", "pods", "-A", "-o", "json"],
                                       env=environment(KUBECONFIG=self.server.kubeconfig),
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdout.read(n * 1000) if n > 10 else os.sched_yield()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=DEADLINE)
            self.assertEqual(err, b"")
            self.assertIn(process.returncode, (-signal.SIGINT, 0))


class SilentTest(unittest.TestCase):
    def test_interrupted_while_it_waits(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(DEADLINE)
            running = Running("get", "cm", "--server", f"http://127.0.0.1:{listener.getsockname()[1]}")
            self.addCleanup(running.close)
            connection, _ = listener.accept()
            with connection:
                self.assertTrue(connection.recv(1))
                running.signal(signal.SIGINT)
                self.assertEqual(running.wait(), -signal.SIGINT)


class Hostile(http.server.BaseHTTPRequestHandler):
    """A server whose names, texts and warnings have commands for terminals in them."""
    BAD = "\x1b]0;owned\x07\x9b31m\x7f"
    HIDDEN = "\u202e\u2066\u200b\u200d\ufeff\u2028\U000e0041"
    ANSWERS = {
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/apis": {"kind": "APIGroupList", "groups": []},
        "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
            {"name": "things", "singularName": "thing", "namespaced": True, "kind": "Thing", "verbs": ["list"]}]},
        "/api/v1/namespaces/default/things": {"kind": "ThingList", "apiVersion": "v1", "metadata": {}, "items": [
            {"metadata": {"name": "a" + BAD, "namespace": "default"}, "text": BAD + "\tb\nc",
             "hidden": HIDDEN, "lines": f"a{HIDDEN}\nb\n"}]},
    }

    def do_GET(self):
        answer = self.ANSWERS.get(self.path.split("?")[0])
        body = json.dumps(answer or {"kind": "Status", "code": 404}, ensure_ascii=False).encode()
        self.send_response(200 if answer else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.path.startswith("/api/v1/namespaces"):
            self.send_header("Warning", '299 - "careful\xc2\x9b31m\xe2\x80\xae"')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def at_a_terminal(*arguments):
    """What a command writes to a terminal."""
    ours, its = pty.openpty()
    process = subprocess.Popen([options.kinform, *arguments], env=environment(TERM="dumb"), stdout=its,
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    os.close(its)
    out = b""
    try:
        while True:
            out += os.read(ours, 65536)
    except OSError:  # so Linux says that the other side is closed
        os.close(ours)
    process.communicate(timeout=DEADLINE)
    return out.decode()


class HostileTest(unittest.TestCase):
    CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
    SHOWN = r"\u202e\u2066\u200b\u200d\ufeff\u2028\U000e0041"

    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
        cls.thread = threading.Thread(target=cls.server.serve_forever, daemon=True)
        cls.thread.start()
        cls.url = f"http://127.0.0.1:{cls.server.server_address[1]}"

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.thread.join(DEADLINE)
        cls.server.server_close()

    def test_no_command_reaches_a_terminal(self):
        for output in ("table", "wide", "name", "json", "jsonl", "yaml", "jsonpath={.items[*].text}",
                       "jsonpath={.items}", "custom-columns=T:.text"):
            with self.subTest(output):
                out = at_a_terminal("get", "things", "-s", self.url, "-o", output).replace("\r\n", "\n")
                self.assertIn("owned", out + "owned" * (output == "custom-columns=T:.text"))
                self.assertIsNone(self.CONTROLS.search(out), repr(out))

    def test_hidden_characters_are_seen_on_a_terminal(self):
        for output in ("json", "jsonl", "yaml", "jsonpath={.items[*].hidden}", "jsonpath={.items}",
                       "custom-columns=T:.hidden"):
            with self.subTest(output):
                out = at_a_terminal("get", "things", "-s", self.url, "-o", output)
                self.assertFalse(set(out) & set(Hostile.HIDDEN), repr(out))
                shown = self.SHOWN.replace(r"\U000e0041", r"\udb40\udc41") if output.startswith("json") and "=" not in output \
                    else self.SHOWN
                self.assertIn(shown, out.replace(r"\uFEFF", r"\ufeff"))
        # Tables are for people, wherever they go.
        self.assertIn(self.SHOWN, run("get", "things", "-s", self.url, "-o", "custom-columns=T:.hidden").out)

    def test_hidden_characters_stay_in_a_pipe(self):
        for output in ("json", "jsonl", "jsonpath={.items[*].hidden}"):
            self.assertIn(Hostile.HIDDEN, run("get", "things", "-s", self.url, "-o", output).out)
        # YAML has escapes of its own for two of them, as kubectl's has.
        self.assertIn(Hostile.HIDDEN.replace("\ufeff", r"\uFEFF").replace("\u2028", r"\u2028"),
                      run("get", "things", "-s", self.url, "-o", "yaml").out)

    def test_a_program_gets_the_same_values(self):
        for output, text in (("json", "items"), ("jsonl", None)):
            out = run("get", "things", "-s", self.url, "-o", output).out
            self.assertIsNone(self.CONTROLS.search(out), repr(out))
            thing = json.loads(out)["items"][0] if text else json.loads(out)
            self.assertEqual((thing["metadata"]["name"], thing["text"]),
                             ("a" + Hostile.BAD, Hostile.BAD + "\tb\nc"))
        self.assertEqual(run("get", "things", "-s", self.url, "-o", "jsonpath={.items[*].text}").out,
                         Hostile.BAD + "\tb\nc")
        self.assertEqual(run("get", "things", "-s", self.url, "-o", "name").out,
                         "thing/a\\x1b]0;owned\\x07\\x9b31m\\x7f\n")

    def test_a_server_without_categories(self):
        """`all` is what it is elsewhere; here there is nothing of it."""
        said = run("get", "all", "-s", self.url)
        self.assertEqual((said.status, said.err), (0, "No resources found.\n"), said)
        self.assertIn("none of these kinds", run("watch", "all", "-s", self.url).err)
        self.assertIn('no resource "nosuch"', run("get", "nosuch", "-s", self.url).err)

    def test_warnings(self):
        said = run("get", "things", "-s", self.url)
        self.assertIn("Warning: careful", said.err)
        self.assertIsNone(self.CONTROLS.search(said.err), repr(said.err))
        self.assertIn(r"\u202e", said.err)
        self.assertNotIn("\u202e", said.err)


class DeniedTest(Case):
    """What may not be read is told, and the rest is shown."""
    ARGUMENTS = ("--faults", '{"type": "Status", "status": 403, "verb": "list", "path": "*/secrets", "always": true}',
                 "--faults", '{"type": "Status", "status": 401, "verb": "list", "path": "*/pods", "always": true}')

    def test_one_of_several_kinds(self):
        self.server.create(f"{SPACE}/configmaps", config_map("a"))
        for kinds in ("secrets,cm", "cm,secrets", "nosuch,cm,secrets"):
            said = self.run_it("get", kinds, "-o", "name")
            self.assertEqual((said.status, said.out), (3 if "nosuch" in kinds else 4, "configmap/a\n"), said)
            self.assertEqual(len(said.err.splitlines()), 2 if "nosuch" in kinds else 1)
        for output in ("json", "yaml", "table", "name"):
            self.fails(4, "get", "secrets", "-o", output)
            self.fails(3, "get", "nosuch", "-o", output)
        # Who is not let in at all is asked to log in, once.
        self.assertIn("log in again", self.fails(4, "get", "pods,cm"))


class SecretDefinitionsTest(Case):
    """Who may not read definitions sees name and age of custom resources."""
    ARGUMENTS = ("--faults", '{"type": "Status", "status": 403, "verb": "get",'
                             ' "path": "*/customresourcedefinitions/*", "always": true}')

    def test_name_and_age(self):
        self.server.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
            "metadata": {"name": "widgets.example.org"},
            "spec": {"group": "example.org", "scope": "Namespaced",
                     "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
                     "versions": [{"name": "v1", "served": True, "storage": True, "additionalPrinterColumns": [
                         {"name": "Size", "type": "integer", "jsonPath": ".spec.size"}],
                         "schema": {"openAPIV3Schema": {"type": "object",
                                                        "x-kubernetes-preserve-unknown-fields": True}}}]}})
        self.server.create("/apis/example.org/v1/namespaces/default/widgets", {
            "apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 3}})
        self.assertRegex(self.ok("get", "widgets"), r"\ANAME   AGE\nw      \d+s\n\Z")


class StallingTest(Case):
    ARGUMENTS = ("--faults", '{"type": "Stall", "verb": "list", "path": "*/configmaps", "always": true}')

    def test_a_timeout(self):
        said = self.run_it("get", "cm", "--request-timeout", "300ms")
        self.assertEqual(said.status, 6, said)
        self.assertRegex(said.err, r"\Akinform: [^\n]*\n\Z")


if __name__ == "__main__":
    command.main()
