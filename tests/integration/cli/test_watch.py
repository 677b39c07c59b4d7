#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kinform watch: what it shows, until when, and what happens when the server goes away.

    test_watch.py --kinform PROGRAM [unittest's arguments]
"""
import json
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

import command
from command import Case, DEADLINE, Running, Server, config_map, environment, options, pod, run

SPACE = "/api/v1/namespaces/{}"


class WatchTest(Case):
    def setUp(self):
        self.namespace = self._testMethodName.replace("_", "-")[:60].strip("-")
        self.space = SPACE.format(self.namespace)
        self.server.create("/api/v1/namespaces", {"metadata": {"name": self.namespace}})

    def create(self, name, data=None, **metadata):
        self.server.create(f"{self.space}/configmaps", config_map(name, data, **metadata))

    def update(self, name, data, **metadata):
        self.server.send("PUT", f"{self.space}/configmaps/{name}", config_map(name, data, **metadata))

    def delete(self, name):
        self.server.send("DELETE", f"{self.space}/configmaps/{name}")

    def watch(self, *arguments, **changes):
        """Until it is synced."""
        watching = self.start("watch", *arguments, "-n", self.namespace, **changes)
        watching.wait_for(r"^watching \d+ ", "err")
        return watching

    def test_changes_are_lines(self):
        self.create("old")
        watching = self.watch("cm")
        self.assertEqual(watching.seen["err"], ["watching 1 configmaps"])
        self.create("new", {"a": "1", "b": "2"})
        watching.wait_for(rf"^\d\d:\d\d:\d\d \+ configmap {self.namespace}/new  2$")
        self.update("new", {"a": "1", "b": "3", "c": "x\n\x1b"})
        watching.wait_for(rf"~ configmap {self.namespace}/new  data.b: 2 → 3, data.c: none → x\\n\\x1b$")
        self.delete("new")
        watching.wait_for(rf"- configmap {self.namespace}/new$")
        self.assertEqual(len(watching.seen["out"]), 3)
        watching.signal(signal.SIGINT)
        self.assertEqual(watching.wait(), -signal.SIGINT)

    def test_items_are_called_by_their_names(self):
        self.server.create(f"{self.space}/pods", pod("p"))
        watching = self.watch("pods")
        changed = self.server.send("GET", f"{self.space}/pods/p")
        changed["spec"]["containers"][1]["image"] = "i:3"
        self.server.send("PUT", f"{self.space}/pods/p", changed)
        watching.wait_for(r"~ pod \S+/p  spec.containers\[two\].image: i:2 → i:3$")

    def test_many_changes_are_cut(self):
        self.create("m", {"k": "v"})
        watching = self.watch("cm")
        self.update("m", {"k": "v", **{f"k{n}": "é" * 100 for n in range(9)}})
        line = watching.wait_for("~ .*").group(0)
        self.assertIn("data.k0: none → " + "é" * 30 + "…, ", line)
        self.assertTrue(line.endswith(", and 3 more"), line)
        watching.close()
        watching = self.watch("cm", "-o", "wide")
        self.update("m", {"k": "v"})
        line = watching.wait_for("~ .*").group(0)
        self.assertEqual(line.count("data.k"), 9)
        self.assertIn("é" * 100, line)

    def test_diff(self):
        self.create("d", {"a": "1", "b": "2", "c": "3"})
        watching = self.watch("cm/d", "--diff")
        self.update("d", {"a": "1", "b": "x", "c": "3"})
        watching.wait_for("~ configmap")
        watching.wait_for(r"^    a: \"1\"$")
        watching.wait_for(r"^-   b: \"2\"$")
        watching.wait_for(r"^\+   b: x$")
        watching.wait_for(r"^    c: \"3\"$")
        self.assertFalse(any("resourceVersion" in line for line in watching.seen["out"]))

    def test_several_kinds_and_names(self):
        watching = self.watch("cm/a", "secrets,pods")
        for _ in range(2):  # each kind says so
            watching.wait_for("^watching 0 ", "err")
        self.create("b")
        self.create("a")
        watching.wait_for("configmap .*/a")
        self.server.create(f"{self.space}/pods", pod("p"))
        watching.wait_for(r"\+ pod .*/p  0/2  Pending  0$")
        self.assertEqual(len(watching.seen["out"]), 2)

    def test_all_kinds(self):
        watching = self.start("watch", "all", "-n", self.namespace)
        watching.wait_for("^watching 0 pods$", "err")
        self.server.create(f"{self.space}/pods", pod("p"))
        watching.wait_for(r"\+ pod .*/p  0/2  Pending  0$")

    def test_what_is_there_at_the_beginning(self):
        for name in "abc":
            self.create(name, labels={"app": name})
        for arguments, names in (([], "abc"), (["-l", "app in (a,b)"], "ab"),
                                 (["--field-selector", "metadata.name!=b"], "ac"),
                                 (["--where", ".metadata.name>=b"], "bc")):
            watching = self.watch("cm", "--initial", "-o", "name", *arguments)
            for _ in names:
                watching.wait_for("^configmap/")
            watching.signal(signal.SIGINT)
            self.assertEqual(watching.wait(), -signal.SIGINT)
            self.assertEqual(sorted(watching.seen["out"]), [f"configmap/{name}" for name in names])

    def test_objects_that_leave_the_condition(self):
        self.create("a", {"k": "in"})
        watching = self.watch("cm", "--where", ".data.k==in")
        self.update("a", {"k": "out"})
        watching.wait_for(r"- configmap .*/a")
        self.update("a", {"k": "in"})
        watching.wait_for(r"\+ configmap .*/a")

    def test_outputs(self):
        self.create("a")
        running = {name: self.watch("cm", "-o", name) for name in
                   ("name", "json", "jsonl", "yaml", "jsonpath={.metadata.name}={.data.k}{\"\\n\"}", "jsonpath={.metadata.name}",
                    "custom-columns=NAME:.metadata.name,K:.data.k")}
        self.update("a", {"k": "w"})
        self.delete("a")
        for watching in running.values():
            watching.wait_for("a")
        lines = iter(running["jsonl"].wait_for(".*").group(0) for _ in range(1))
        next(lines)
        events = [json.loads(line) for line in running["jsonl"].seen["out"]]
        self.assertEqual([event["type"] for event in events], ["MODIFIED", "DELETED"])
        self.assertEqual(events[0]["object"]["data"], {"k": "w"})
        running["name"].wait_for("^configmap/a$")
        running["json"].wait_for('"name": "a"')
        running["yaml"].wait_for("^---$")
        running["yaml"].wait_for("^  name: a$")
        running['jsonpath={.metadata.name}={.data.k}{"\\n"}'].wait_for("^a=w$")
        template = running["jsonpath={.metadata.name}"]  # which has no end of a line
        template.wait_for("^a$")
        self.assertEqual(template.seen["out"], ["a", "a"])
        columns = running["custom-columns=NAME:.metadata.name,K:.data.k"]
        columns.wait_for("^a      w$")
        self.assertEqual(columns.seen["out"][0], "NAME   K")

    def test_fields(self):
        self.create("a", {"k": "v", "x": "y"})
        watching = self.watch("cm", "--fields", "data.k", "-o", "jsonl")
        self.update("a", {"k": "w", "x": "z"})
        self.assertEqual(json.loads(watching.wait_for(".*").group(0))["object"]["data"], {"k": "w"})

    def test_until(self):
        self.create("a", {"k": "1"})
        watching = self.watch("cm/a", "--until", ".data.k>=3", "--timeout", f"{DEADLINE}s")
        self.update("a", {"k": "2"})
        self.update("a", {"k": "3"})
        self.assertEqual(watching.wait(), 0)
        self.assertRegex(watching.seen["out"][-1], "data.k: .* → 3$")
        # What is so already.
        said = self.run_it("watch", "cm/a", "-n", self.namespace, "--until", ".data.k==3")
        self.assertEqual((said.status, said.out), (0, ""), said)

    def test_the_time_is_up(self):
        self.create("a")
        said = self.run_it("watch", "cm", "-n", self.namespace, "--timeout", "200ms", "--quiet")
        self.assertEqual((said.status, said.out, said.err), (0, "", ""))
        line = self.fails(6, "watch", "cm", "-qn", self.namespace, "--timeout", "200ms", "--until", ".x")
        self.assertIn("the time is up", line)

    def test_what_is_wrong(self):
        self.assertIn("no resource", self.fails(3, "watch", "nosuch"))
        self.assertIn("one object is cm/nosuch", self.fails(3, "watch", "cm", "nosuch"))
        self.assertIn("known field selector", self.fails(1, "watch", "cm", "--field-selector", "data.k=1"))
        self.assertIn("/nonexistent", self.fails(3, "watch", "cm", "--snapshot", "/nonexistent/maps.kin"))
        watching = self.watch("cm", "-o", "jsonpath={.data[0]}")
        self.create("a")
        self.assertEqual(watching.wait(), 2)
        self.assertIn("no array", watching.seen["err"][-1])

    def test_a_reader_that_goes_away(self):
        self.create("a")
        process = subprocess.Popen([options.kinform, "watch", "cm", "-n", self.namespace],
                                   env=environment(KUBECONFIG=self.server.kubeconfig), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stderr.readline()
        process.stdout.close()  # nothing is written: it notices all the same
        self.assertEqual(process.stderr.read(), "")
        self.assertEqual(process.wait(DEADLINE), -signal.SIGPIPE)
        process.stderr.close()

    def test_a_pipe_that_is_full(self):
        reading, writing = os.pipe()
        process = subprocess.Popen([options.kinform, "watch", "cm", "-n", self.namespace, "-o", "json"],
                                   env=environment(KUBECONFIG=self.server.kubeconfig), text=True,
                                   stdout=writing, stderr=subprocess.PIPE)
        os.close(writing)
        process.stderr.readline()
        for n in range(20):
            self.create(f"big{n}", {"k": "x" * 20000})
        while int.from_bytes(self.queued(reading), "little") < 60000:
            os.sched_yield()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(DEADLINE), -signal.SIGINT)
        process.stderr.close()
        os.close(reading)

    @staticmethod
    def queued(descriptor):
        import fcntl
        import termios
        return fcntl.ioctl(descriptor, termios.FIONREAD, b"\0\0\0\0")

    def test_interrupted_at_any_moment(self):
        for n in range(12):
            watching = self.start("watch", "cm,pods", "-n", self.namespace)
            if n % 3 == 1:
                watching.wait_for("watching", "err")
            watching.signal(signal.SIGTERM if n % 2 else signal.SIGINT)
            self.assertIn(watching.wait(), (-signal.SIGINT, -signal.SIGTERM))

    # ---- snapshots

    def test_snapshots(self):
        path = str(self.path / "maps.kin")
        self.create("a", {"k": "1"}, labels={"app": "web"})
        self.create("b", {"k": "2"})
        for number in (signal.SIGINT, signal.SIGTERM):
            watching = self.watch("cm", "--snapshot", path)
            watching.signal(number)
            self.assertEqual(watching.wait(), 128 + number)
        # Without any server.
        self.assertEqual(run("get", "--snapshot", path, "-o", "name").out, "configmap/a\nconfigmap/b\n")
        for arguments, names in (
                (["cm"], "ab"), (["configmaps", "b"], "b"), (["ConfigMap/a"], "a"),
                (["-l", "app=web"], "a"), (["--where", ".data.k>1"], "b"),
                (["--sort-by", ".data.k", "-n", self.namespace], "ab"), (["-n", "other"], ""),
                (["--field-selector", "metadata.name=b"], "b")):
            with self.subTest(arguments):
                said = run("get", "--snapshot", path, *arguments, "-o", "name")
                self.assertEqual((said.status, said.out),
                                 (0, "".join(f"configmap/{name}\n" for name in names)), said)
        self.assertRegex(run("get", "--snapshot", path).out, rf"NAMESPACE +NAME +DATA +AGE\n{self.namespace} +a ")
        for arguments, status, text in ((["pods"], 2, "is of configmaps"), (["cm", "c"], 3, "has no c"),
                                        (["-l", "a=b=c"], 2, "-l a=b=c")):
            said = run("get", "--snapshot", path, *arguments)
            self.assertEqual((said.status, said.out), (status, ""), said)
            self.assertIn(text, said.err)
        # It goes on from there: only what has changed since is told.
        self.update("a", {"k": "3"}, labels={"app": "web"})
        self.delete("b")
        watching = self.watch("cm", "--snapshot", path)
        watching.wait_for(r"~ configmap .*/a  data.k: 1 → 3$")
        watching.wait_for(r"- configmap .*/b$")
        self.assertEqual(len(watching.seen["out"]), 2)

    def test_snapshots_that_are_none(self):
        path = self.path / "none.kin"
        self.assertEqual(run("get", "--snapshot", str(path)).status, 3)
        path.write_text("this is no snapshot")
        said = run("get", "--snapshot", str(path))
        self.assertEqual(said.status, 1)
        self.assertRegex(said.err, r"\Akinform: [^\n]*none.kin[^\n]*\n\Z")


class ServerThatGoesAwayTest(unittest.TestCase):
    def test_it_is_told_and_survived(self):
        with tempfile.TemporaryDirectory() as folder, command.reserved_port() as port:
            data = str(Path(folder) / "data.sqlite")
            server = Server(folder, "--data", data, "--port", port)
            watching = Running("watch", "cm", KUBECONFIG=server.kubeconfig)
            self.addCleanup(watching.close)
            watching.wait_for("watching 0 configmaps", "err")
            server.signal(signal.SIGKILL)
            server.wait()
            Running.close(server)
            watching.wait_for(r"^configmaps: .*; trying again$", "err")
            server = Server(folder, "--data", data, "--port", port)
            watching.wait_for(r"^configmaps: watching again after \d+\.\ds$", "err")
            server.create("/api/v1/namespaces/default/configmaps", config_map("a"))
            watching.wait_for(r"\+ configmap default/a")
            self.assertEqual(len(watching.seen["err"]), 3, watching.seen)
            watching.signal(signal.SIGINT)
            self.assertEqual(watching.wait(), -signal.SIGINT)
            server.close()


class StallingTest(Case):
    """A server that says nothing."""
    ARGUMENTS = ("--control",)

    def test_the_time_is_up(self):
        self.server.send("POST", "/_kinform/faults", {"type": "Stall", "path": "*/configmaps", "always": True})
        line = self.fails(6, "watch", "cm", "--timeout", "300ms", "-q")
        self.assertIn("not all that is there has come", line)
        self.server.send("POST", "/_kinform/faults", {"type": "Stall", "always": True})
        self.fails(6, "watch", "cm", "--timeout", "300ms", "-q")


class BreakingTest(Case):
    """A server that goes away while the first objects come, and is back then."""
    ARGUMENTS = ("--control",)

    def test_it_is_told_and_survived(self):
        path = "/api/v1/namespaces/default/configmaps"
        self.server.create(path, config_map("a"))
        for verb in ("watch", "list"):
            self.server.send("POST", "/_kinform/faults", {"type": "Reset", "bytes": 10, "verb": verb,
                                                          "path": path, "always": True})
        watching = self.start("watch", "cm", "--initial")
        watching.wait_for(r"^configmaps: .*; trying again$", "err")
        self.server.send("DELETE", "/_kinform/faults")
        watching.wait_for(r"^watching 1 configmaps$", "err")
        self.assertRegex("\n".join(watching.seen["err"]), r"; trying again\nwatching 1 configmaps\Z")
        watching.wait_for(r"\+ configmap default/a")


class DeniedTest(Case):
    ARGUMENTS = ("--faults", '{"type": "Status", "status": 403, "verb": "list", "path": "*/secrets", "always": true}',
                 "--faults", '{"type": "Status", "status": 403, "verb": "watch", "path": "*/secrets", "always": true}')

    def test_what_will_not_get_better_ends_it(self):
        self.fails(4, "watch", "secrets")


if __name__ == "__main__":
    command.main()
