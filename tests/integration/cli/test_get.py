#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kinform get, against `kinform serve`.

    test_get.py --kinform PROGRAM [unittest's arguments]
"""
import json
import os
import re
import signal
import socket
import subprocess
import unittest

import command
from command import Case, DEADLINE, Running, config_map, environment, options, pod

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
                            (".metadata.labels.app", "cba"), (".nosuch", "abc")):
            with self.subTest(path):
                self.assertEqual(self.ok("get", "cm", "--sort-by", path, "-o",
                                         "jsonpath={.items[*].metadata.name}"), " ".join(names))

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
        self.assertEqual(self.ok("get", "all", "-o", "name"), "pod/p\n")
        self.assertEqual(self.ok("get", "cm,all", "-l", "!app", "-o", "name"), "configmap/c\npod/p\n")

    def test_kinds_without_namespaces_beside_others(self):
        out = self.ok("get", "cm,ns", "-A")
        self.assertRegex(out, r"\ANAMESPACE +NAME +DATA +AGE\ndefault +configmap/a ")
        self.assertRegex(out, r"\n\nNAMESPACE +NAME +STATUS +AGE\n +namespace/default +Active ")

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


class ManyTest(Case):
    ARGUMENTS = ("--simulate", "--pods", "2000", "--nodes", "20", "--churn", "0")

    def test_pages(self):
        self.assertEqual(len(self.ok("get", "pods", "-A", "-o", "name").splitlines()), 2000)
        out = self.ok("get", "pods", "-A").splitlines()
        self.assertEqual(len(out), 2001)
        self.assertEqual(len({len(line.split("  ")[0]) > 0 for line in out}), 1)

    def test_a_pipe_that_is_closed(self):
        for output in ("table", "json", "jsonl", "yaml", "name"):
            with self.subTest(output):
                process = subprocess.Popen([options.kinform, "get", "pods", "-A", "-o", output],
                                           env=environment(KUBECONFIG=self.server.kubeconfig),
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
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


class BreakingTest(Case):
    """A server that goes away in the midst of each list."""
    ARGUMENTS = ("--faults", '{"type": "Reset", "bytes": 100, "verb": "list", "path": "*/configmaps", "always": true}')

    def test_it_is_told(self):
        self.server.create(f"{SPACE}/configmaps", config_map("a"))
        self.assertIn("is the server running", self.fails(5, "get", "cm"))
        self.assertEqual(self.ok("get", "cm/a", "-oname"), "configmap/a\n")


class StallingTest(Case):
    ARGUMENTS = ("--faults", '{"type": "Stall", "verb": "list", "path": "*/configmaps", "always": true}')

    def test_a_timeout(self):
        said = self.run_it("get", "cm", "--request-timeout", "300ms")
        self.assertEqual(said.status, 6, said)
        self.assertRegex(said.err, r"\Akinform: [^\n]*\n\Z")


if __name__ == "__main__":
    command.main()
