#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kinform watch: what it shows, until when, and what happens when the server goes away.

    test_watch.py --kinform PROGRAM [unittest's arguments]
"""
import contextlib
import fcntl
import http.server
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import termios
import threading
import time
import unittest
from pathlib import Path

import command
from command import Case, DEADLINE, Running, Server, config_map, environment, options, pod, run
from running import reserved_port, wait_until

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

    def popen(self, *arguments, **streams):
        """One whose streams are the test's own. It does not outlive the test, however that ends."""
        process = subprocess.Popen(arguments, env=environment(KUBECONFIG=self.server.kubeconfig), text=True,
                                   stderr=subprocess.PIPE, **streams)

        def end():
            if process.poll() is None:
                process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream:
                    stream.close()
        self.addCleanup(end)
        return process

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

    def test_a_kind_that_is_named_twice(self):
        watching = self.watch("cm,configmaps", "ConfigMap", "cm/a")
        self.create("a")
        watching.wait_for(r"\+ configmap \S+/a ")
        self.delete("a")
        watching.wait_for(r"- configmap \S+/a$")
        watching.signal(signal.SIGINT)
        watching.wait()
        self.assertEqual(len(watching.seen["out"]), 2, watching.seen)
        self.assertEqual(watching.seen["err"], ["watching 0 configmaps"])

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

    def test_kinds_that_are_given_twice(self):
        for arguments in (["cm", "cm"], ["cm,configmaps"], ["cm,ConfigMap", "secrets"], ["cm/m", "cm"], ["cm", "cm/m"],
                          ["cm/m", "secrets", "configmaps/m", "cm/m"]):
            with self.subTest(arguments):
                watching = self.start("watch", *arguments, "-n", self.namespace, "--until", ".data.last")
                for _ in range(1 + ("secrets" in arguments)):
                    watching.wait_for("^watching 0 ", "err")
                self.create("m")
                self.update("m", {"last": "yes"})
                self.assertEqual(watching.wait(), 0)
                signs = [line.split()[1] for line in watching.seen["out"]]
                self.assertEqual((signs, len(watching.seen["err"])), (["+", "~"], 1 + ("secrets" in arguments)), watching.seen)
                self.delete("m")

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
        narrow = self.watch("cm", "-o", "custom-columns=A:.metadata.name,B:.data.k")
        self.create("b", {"k": "v"})
        narrow.wait_for("^b     v$")  # six at least, as in tables
        self.assertEqual(narrow.seen["out"][0], "A     B")

    def test_documents_are_those_of_get(self):
        """With the members in the same order: protobuf has none. Items of lists have apiVersion first."""
        self.create("a", {"z": "1", "k": "2", "a": "3"})
        documents = {name: self.ok("get", "cm", "a", "-n", self.namespace, "-o", name) for name in ("json", "yaml")}
        documents["jsonl"] = self.ok("get", "cm", "-n", self.namespace, "--field-selector", "metadata.name=a", "-o", "jsonl")
        self.assertLess(documents["jsonl"].index('"z"'), documents["jsonl"].index('"k"'))
        line = self.watch("cm", "--initial", "-o", "jsonl").wait_for("type").string
        self.assertEqual(line, '{"type":"ADDED","object":' + documents["jsonl"].strip() + "}")
        for name in ("json", "yaml"):
            watching = self.watch("cm", "--initial", "-o", name)
            watching.wait_for("uid")
            out = "\n".join(watching.seen["out"])
            self.assertIn(out[out.index("metadata"):], documents[name])

    def test_fields(self):
        self.create("a", {"k": "v", "x": "y"})
        watching = self.watch("cm", "--fields", "data.k", "-o", "jsonl")
        self.update("a", {"k": "w", "x": "z"})
        self.assertEqual(json.loads(watching.wait_for(".*").group(0))["object"]["data"], {"k": "w"})

    def test_changes_of_what_fields_leave_out(self):
        self.create("a", {"k": "v", "x": "y"})
        running = [self.watch("cm", "--fields", "data.k", *arguments)
                   for arguments in ([], ["-o", "name"], ["-o", "jsonl"], ["--diff"])]
        versions = self.watch("cm", "--fields", "metadata.resourceVersion")
        self.update("a", {"k": "v", "x": "z"})
        self.update("a", {"k": "w", "x": "z"})
        self.create("b", {"k": "n"})
        self.assertRegex(running[0].wait_for("configmap").string, r"~ configmap \S+/a  data.k: v → w$")
        running[0].wait_for(r"\+ configmap \S+/b  n$")
        self.assertEqual(running[1].wait_for("/").string, "configmap/a")
        self.assertEqual(running[1].wait_for("/").string, "configmap/b")
        self.assertEqual(json.loads(running[2].wait_for("type").string)["object"]["data"], {"k": "w"})
        self.assertEqual(json.loads(running[2].wait_for("type").string)["object"]["data"], {"k": "n"})
        running[3].wait_for("/b")
        self.assertEqual(len([line for line in running[3].seen["out"] if "~" in line]), 1)
        versions.wait_for(r"/b")
        self.assertEqual(len(versions.seen["out"]), 3)

    def test_until_sees_what_fields_leave_out(self):
        self.create("a", {"k": "1"})
        watching = self.watch("cm", "--fields", "metadata.uid", "--until", ".data.k==3",
                              "--where", ".data.k", "--timeout", f"{DEADLINE}s")
        self.update("a", {"k": "3"})
        self.assertEqual(watching.wait(), 0)

    def test_until(self):
        self.create("a", {"k": "1"})
        watching = self.watch("cm/a", "--until", ".data.k>=3", "--timeout", f"{DEADLINE}s")
        self.update("a", {"k": "2"})
        self.update("a", {"k": "3"})
        self.assertEqual(watching.wait(), 0)
        self.assertRegex(watching.seen["out"][-1], "data.k: .* → 3$")
        # What is so already.
        said = self.run_it("watch", "cm/a", "-n", self.namespace, "--until", ".data.k==3")
        self.assertEqual(said.status, 0, said)
        self.assertRegex(said.out, rf"\A\S+ \+ configmap {self.namespace}/a  1\n\Z")  # it is shown

    def test_the_time_is_up_while_what_has_come_is_written(self):
        """That took longer than the time: it has come all the same, and nothing else is said."""
        self.create("big", {"k": "x" * 500000})
        for seconds in (2, 30):  # a slow machine may not get to it in the first
            reading, writing = os.pipe()
            process = self.popen(options.kinform, "watch", "cm", "-n", self.namespace, "--initial", "-o", "yaml", "--until",
                                 ".metadata.name==big", "--timeout", f"{seconds}s", "-q", stdout=writing)
            os.close(writing)
            began = time.monotonic()
            with open(reading, "rb") as pipe:
                wait_until(lambda: self.queued_bytes(pipe) >= 60000 or process.poll() is not None, "the pipe was full")
                if process.poll() is not None and seconds == 2:
                    continue
                wait_until(lambda: time.monotonic() > began + seconds, "the time was up")
                self.assertIn(b"name: big", pipe.read())
            self.assertEqual((process.wait(DEADLINE), process.stderr.read()), (0, ""))
            break

    def test_the_time_is_up(self):
        self.create("a")
        said = self.given_time(lambda said: said.status != 6, "watch", "cm", "-n", self.namespace, "--quiet")
        self.assertEqual((said.status, said.out, said.err), (0, "", ""))
        line = self.fails(6, "watch", "cm", "-qn", self.namespace, "--timeout", "200ms", "--until", ".x")
        self.assertIn("the time is up", line)

    def test_what_is_wrong(self):
        self.assertIn("no resource", self.fails(3, "watch", "nosuch"))
        self.assertIn("one object is cm/nosuch", self.fails(3, "watch", "cm", "nosuch"))
        self.assertIn("known field selector", self.fails(1, "watch", "cm", "--field-selector", "data.k=1"))
        self.assertIn("/nonexistent", self.fails(3, "watch", "cm", "--snapshot", "/nonexistent/maps.kin"))

    def test_objects_that_a_template_fails_for(self):
        for output, names in (("jsonpath=-{.metadata.annotations.x[0]}", "abc"), ("custom-columns=A:.metadata.annotations.x[0]", "def")):
            watching = self.watch("cm", "-o", output)
            bad, good, last = names
            self.create(bad, annotations={"x": "y"})
            self.create(good)
            watching.wait_for(rf"^kinform: configmaps {self.namespace}/{bad}: .*no array", "err")
            watching.wait_for("^(-|<none>)$")
            self.create(last)
            watching.wait_for("^(-|<none>)$")
            self.assertEqual(watching.seen["out"], ["A", "<none>", "<none>"] if "A:" in output else ["-", "-"])

    def test_a_reader_that_goes_away(self):
        self.create("a")
        process = self.popen(options.kinform, "watch", "cm", "-n", self.namespace, stdout=subprocess.PIPE)
        process.stderr.readline()
        process.stdout.close()  # nothing is written: it notices all the same
        self.assertEqual(process.stderr.read(), "")
        self.assertEqual(process.wait(DEADLINE), -signal.SIGPIPE)

    def test_a_socket_that_is_closed(self):
        ours, theirs = socket.socketpair()
        process = self.popen(options.kinform, "watch", "cm", "-n", self.namespace, stdout=theirs)
        theirs.close()
        process.stderr.readline()
        ours.close()  # nothing is written
        self.assertEqual(process.wait(DEADLINE), -signal.SIGPIPE)

    def test_standard_descriptors_that_are_closed(self):
        process = self.popen("sh", "-c", 'exec "$0" "$@" <&- >&-', options.kinform, "watch", "cm", "-n", self.namespace)
        process.stderr.readline()
        for descriptor in (0, 1):
            self.assertEqual(os.readlink(f"/proc/{process.pid}/fd/{descriptor}"), "/dev/null")
        self.create("a")
        self.assertEqual(process.stderr.read(), "kinform: standard output cannot be written: it is closed\n")
        self.assertEqual(process.wait(DEADLINE), 1)

    def test_a_pipe_that_is_full(self):
        process = self.watch_without_reader()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(DEADLINE), -signal.SIGINT)

    def watch_without_reader(self, *arguments):
        """It has more to say than its pipe takes."""
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        process = self.popen(options.kinform, "watch", "cm", "-n", self.namespace, "-o", "json", *arguments, stdout=writing)
        os.close(writing)
        process.stderr.readline()
        for n in range(20):
            self.create(f"big{n}", {"k": "x" * 20000})
        wait_until(lambda: self.queued_bytes(reading) >= 60000, "the pipe was full")
        return process

    @staticmethod
    def queued_bytes(descriptor):
        return int.from_bytes(fcntl.ioctl(descriptor, termios.FIONREAD, b"\0\0\0\0"), "little")

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
                (["--field-selector", "metadata.name=b"], "b"),
                (["--fields", "metadata.uid", "-l", "app=web"], "a"),
                (["--fields", "metadata.uid", "--field-selector", "data.k=2,metadata.name!=a"], "b")):
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
        # What is not there is told, and the rest is shown.
        said = run("get", "--snapshot", path, "cm", "a", "c", "b", "d", "-o", "name")
        self.assertEqual((said.status, said.out), (3, "configmap/a\nconfigmap/b\n"), said)
        self.assertEqual(said.err, "kinform: the snapshot has no c\nkinform: the snapshot has no d\n")
        said = run("get", "--snapshot", path, "cm", "a", "c", "-o", "name", "--ignore-not-found")
        self.assertEqual((said.status, said.out, said.err), (0, "configmap/a\n", ""), said)
        said = run("get", "--snapshot", path, "cm", "c", "--ignore-not-found")
        self.assertEqual((said.status, said.out, said.err), (0, "", ""), said)
        said = run("get", "--snapshot", path, "cm", "c", "--where", ".data")
        self.assertEqual((said.status, said.out), (3, ""), said)
        # It goes on from there: only what has changed since is told.
        self.update("a", {"k": "3"}, labels={"app": "web"})
        self.delete("b")
        watching = self.watch("cm", "--snapshot", path)
        watching.wait_for(r"~ configmap .*/a  data.k: 1 → 3$")
        watching.wait_for(r"- configmap .*/b$")
        self.assertEqual(len(watching.seen["out"]), 2)

    def saved(self, path):
        said = run("get", "--snapshot", str(path), "-o", "name")
        self.assertEqual(said.status, 0, said)
        return said.out.split()

    def test_a_file_that_is_no_snapshot_is_left_alone(self):
        path = self.path / "precious.txt"
        for text in ("junk\n", "a long text, longer than what a snapshot begins with\n", "\x89"):
            path.write_text(text)
            # Nobody is asked: there is no such server.
            said = run("watch", "cm", "--snapshot", str(path), "--timeout", "1s", "--server", "http://127.0.0.1:1")
            self.assertEqual((said.status, said.out, path.read_text()), (2, "", text), said)
            self.assertRegex(said.err, r"\Akinform: [^\n]*precious.txt: it is no snapshot[^\n]*\n\Z")

    def test_files_that_cannot_be_saved_to(self):
        os.mkfifo(self.path / "fifo")
        for path, text in ((str(self.path), "a folder"), ("", "the name of a file"), (str(self.path / "fifo"), "no regular file"),
                           (f"{self.path}/server/x", "server")):
            said = run("watch", "cm", "--snapshot", path, "--timeout", "1s", "--server", "http://127.0.0.1:1")
            self.assertIn(said.status, (2, 3), said)
            self.assertRegex(said.err, rf"\Akinform: [^\n]*{text}[^\n]*\n\Z")

    def test_an_empty_file_is_as_good_as_none(self):
        path = self.path / "empty.kin"
        path.touch()
        self.create("a")
        said = self.given_time(lambda said: said.status != 6, "watch", "cm", "-n", self.namespace, "--snapshot", str(path))
        self.assertEqual((said.status, said.err), (0, "watching 1 configmaps\n"), said)
        self.assertEqual(self.saved(path), ["configmap/a"])

    def test_a_snapshot_that_is_not_used_is_told(self):
        path = self.path / "other.kin"
        self.create("a")
        arguments = ["-n", self.namespace, "--snapshot", str(path), "--timeout", "10s", "--until", ".data"]
        self.assertEqual(self.run_it("watch", "cm", *arguments).status, 0)
        whole = path.read_bytes()
        # Of another kind it is left as it is.
        said = self.run_it("watch", "secrets", *arguments)
        self.assertEqual((said.status, path.read_bytes()), (2, whole), said)
        self.assertRegex(said.err, r"\Akinform: [^\n]*other.kin: it is of configmaps, not of secrets[^\n]*\n\Z")
        # Of a newer format, too.
        path.write_bytes(whole[:8] + b"\2" + whole[9:])
        self.assertIn("another version of kinform", self.fails(2, "watch", "cm", *arguments))
        for content, more, text in ((whole, ["-l", "!x"], "label selector"), (whole[:-1], [], "other.kin"), (whole[:5], [], "other.kin"),
                                    (whole[:-20] + b"x" + whole[-19:], [], "other.kin"), (whole, ["--fields", "data"], "projection")):
            path.write_bytes(content)
            said = self.run_it("watch", "cm", *arguments, *more)
            self.assertEqual(said.status, 0, said)
            self.assertRegex(said.err, rf"(?m)^--snapshot [^\n]*other.kin: not used, all is listed, and it will be replaced: .*{text}")
            self.assertNotIn("not saved", said.err)
            self.assertEqual(self.saved(path), ["configmap/a"])
            path.write_bytes(content)
            said = self.run_it("watch", "cm", *arguments, *more, "-q")
            self.assertEqual((said.status, said.err), (0, ""), said)

    def test_a_signal_while_nobody_reads(self):
        path = self.path / "full.kin"
        process = self.watch_without_reader("--snapshot", str(path))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(DEADLINE), 128 + signal.SIGINT)
        self.assertEqual(process.stderr.read(), "")
        self.assertGreater(len(self.saved(path)), 2)

    def test_a_reader_that_goes_away_before_it_is_saved(self):
        path = self.path / "head.kin"
        for n in range(300):
            self.create(f"m{n}", {"k": "x" * 1000})
        process = self.popen(options.kinform, "watch", "cm", "-n", self.namespace, "-o", "json", "--initial", "--snapshot", str(path), stdout=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.wait(DEADLINE), -signal.SIGPIPE)
        self.assertNotIn("kinform:", process.stderr.read())
        self.assertEqual(len(self.saved(path)), 300)

    def test_each_signal_that_asks_saves(self):
        self.create("a")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            path = self.path / f"{number.name}.kin"
            watching = self.watch("cm", "--snapshot", str(path))
            watching.signal(number)
            self.assertEqual(watching.wait(), 128 + number)
            self.assertEqual(self.saved(path), ["configmap/a"])

    def test_names_that_no_object_has(self):
        """They are names, and no more of a selector."""
        self.create("a")
        for name in ("a,metadata.name!=b", "a=b", r"a\b"):
            watching = self.watch(f"cm/{name}")
            watching.signal(signal.SIGINT)
            self.assertEqual((watching.wait(), watching.seen["out"]), (-signal.SIGINT, []))
            self.assertEqual(watching.seen["err"], ["watching 0 configmaps"])

    def test_signals_that_were_ignored_stay_so(self):
        path = str(self.path / "ignored.kin")
        for arguments, status in ((["--snapshot", path], 128 + signal.SIGTERM), ([], -signal.SIGTERM)):
            with command.ignoring(signal.SIGHUP, signal.SIGINT):
                watching = self.watch("cm", *arguments)
            watching.signal(signal.SIGHUP)
            watching.signal(signal.SIGINT)
            watching.signal(signal.SIGTERM)
            self.assertEqual(watching.wait(), status)

    def test_snapshots_without_objects(self):
        path = str(self.path / "none_yet.kin")
        said = self.given_time(lambda said: said.status != 6, "watch", "deployments", "-n", self.namespace, "--snapshot", path, "-q")
        self.assertEqual(said.status, 0, said)
        for kind in ("deploy", "deployments", "Deployment", "deployments.apps", "deployments.v1.apps"):
            said = run("get", kind, "--snapshot", path)
            self.assertEqual((said.status, said.out, said.err), (0, "", "No resources found.\n"), said)
        for kind in ("pods", "deployments.extensions"):
            said = run("get", kind, "--snapshot", path)
            self.assertEqual((said.status, said.out), (2, ""), said)
            self.assertIn(f"is of deployments, not of {kind}", said.err)

    def test_snapshots_that_are_none(self):
        path = self.path / "none.kin"
        self.assertEqual(run("get", "--snapshot", str(path)).status, 3)
        path.write_text("this is no snapshot")
        said = run("get", "--snapshot", str(path))
        self.assertEqual(said.status, 1)
        self.assertRegex(said.err, r"\Akinform: [^\n]*none.kin[^\n]*\n\Z")


class WithoutStreamingListsTest(unittest.TestCase):
    """Servers that know no streaming lists, or do not let us: lists are asked for instead, without a word; one that fails is told."""

    def test_what_is_refused_is_listed(self):
        for status in (400, 403, 404, 422, 500):
            rule = {"type": "Status", "status": status, "verb": "watch", "path": "*/namespaces"}
            said = run("serve", "--faults", json.dumps(rule), "--", options.kinform, "watch", "ns", "--initial",
                       "--until", ".metadata.name==default")
            self.assertEqual(said.status, 0, said)
            self.assertRegex(said.out, "namespace default ")
            self.assertEqual(said.err.count("trying again"), 1 if status == 500 else 0, said.err)


class ServerThatGoesAwayTest(unittest.TestCase):
    def test_it_is_told_and_survived(self):
        with tempfile.TemporaryDirectory() as folder, reserved_port() as port:
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

    def test_another_one_in_its_place_is_listed(self):
        """One without the other's data: what is gone and what is new are told."""
        path = "/api/v1/namespaces/default/configmaps"
        with tempfile.TemporaryDirectory() as folder, reserved_port() as port:
            server = Server(folder, "--port", port)
            for name in "abc":
                server.create(path, config_map(name))
            watching = Running("watch", "cm", KUBECONFIG=server.kubeconfig)
            self.addCleanup(watching.close)
            watching.wait_for("watching 3 configmaps", "err")
            server.close()
            server = Server(folder, "--port", port)
            server.create(path, config_map("new"))
            signs = sorted(watching.wait_for(r" ([-+]) configmap default/(\w+)").groups() for _ in range(4))
            self.assertEqual(signs, [("+", "new"), ("-", "a"), ("-", "b"), ("-", "c")])
            server.close()


class AnotherReasonTest(unittest.TestCase):
    def test_it_is_told(self):
        with tempfile.TemporaryDirectory() as folder, reserved_port() as port:
            server = Server(folder, "--port", port)
            watching = Running("watch", "cm", KUBECONFIG=server.kubeconfig)
            self.addCleanup(watching.close)
            watching.wait_for("watching 0 configmaps", "err")
            server.close()
            watching.wait_for(r"^configmaps: .*; trying again$", "err")
            # It is back, and does not know us any more.
            server = Server(folder, "--port", port, "--faults",
                            '{"type": "Status", "status": 401, "path": "*/configmaps", "always": true}')
            self.addCleanup(Running.close, server)
            watching.wait_for(r"^configmaps: (?!.*connect).*; trying again$", "err")
            self.assertEqual(len(watching.seen["err"]), 3, watching.seen)


class StaleTest(Case):
    """A server that has forgotten what was when a snapshot was saved."""
    ARGUMENTS = ("--control",)
    MAPS = "/api/v1/namespaces/default/configmaps"

    def test_it_is_told_and_all_is_listed(self):
        path = str(self.path / "maps.kin")
        self.server.create(self.MAPS, config_map("a"))
        self.assertEqual(self.run_it("watch", "cm", "--snapshot", path, "--until", ".data", "-q").status, 0)
        self.server.create(self.MAPS, config_map("b"))
        self.server.send("POST", "/_kinform/compact")
        watching = self.start("watch", "cm", "--snapshot", path)
        watching.wait_for("^watching 2 configmaps$", "err")
        self.assertEqual(len(watching.seen["err"]), 2, watching.seen)
        self.assertRegex(watching.seen["err"][0], r"^--snapshot \S+maps.kin: too old for the server, and all is listed: ")

    def test_time_that_is_up_before_the_server_has_agreed(self):
        path = str(self.path / "time.kin")
        self.server.create(self.MAPS, config_map("c"))
        self.assertEqual(self.run_it("watch", "cm", "--snapshot", path, "--until", ".data", "-q").status, 0)
        self.server.send("POST", "/_kinform/faults", {"type": "Stall", "verb": "watch", "path": "*/configmaps", "always": True})
        self.assert_time_is_up("has not agreed yet to go on from the snapshot", "watch", "cm", "--snapshot", path, "-q")


class StallingTest(Case):
    """A server that says nothing."""
    ARGUMENTS = ("--control",)

    def test_the_time_is_up(self):
        self.server.send("POST", "/_kinform/faults", {"type": "Stall", "path": "*/configmaps", "always": True})
        self.assert_time_is_up("not all that is there has come", "watch", "cm", "-q")
        self.server.send("POST", "/_kinform/faults", {"type": "Stall", "always": True})
        self.fails(6, "watch", "cm", "--timeout", "300ms", "-q")


@contextlib.contextmanager
def answering(answers):
    """A server with these documents, by path, and no watches; its URL."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path, _, query = self.path.partition("?")
            body = json.dumps(answers.get(path, {})).encode()
            self.send_response(200 if path in answers and "watch=" not in query else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class TextsOfServersTest(Case):
    """What a server says does not make a terminal do things."""
    ARGUMENTS = ("--control",)
    NASTY = "a\x1b[31m\x07\n\x7f\u0085\u009b31mé"
    SHOWN = r"a\x1b[31m\x07\n\x7f\x85\x9b31mé"

    def test_what_failed(self):
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": self.NASTY, "code": 500}
        for verb in ("watch", "list"):
            self.server.send("POST", "/_kinform/faults", {"type": "Status", "status": 500, "verb": verb, "path": "*/configmaps",
                                                          "body": json.dumps(status), "always": True})
        watching = self.start("watch", "cm")
        watching.wait_for(rf"^configmaps: .*{re.escape(self.SHOWN)}.*; trying again$", "err")
        self.assertIn(self.SHOWN, self.fails(1, "get", "cm"))

    def test_kinds(self):
        """A server can call them what it likes."""
        pods = {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": [{"metadata": {"name": "a"}}]}
        answers = {"/api": {"kind": "APIVersions", "versions": ["v1"]},
                   "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
                   "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
                       {"name": "pods", "namespaced": False, "kind": "P" + self.NASTY, "verbs": ["list", "watch", "get"]}]},
                   "/api/v1/pods": pods}
        with answering(answers) as url:
            for arguments in (["watch", "pods", "--initial", "--until", ".metadata.name==a"],
                              ["watch", "pods", "--initial", "--until", ".metadata.name==a", "-o", "name"], ["get", "pods", "-o", "name"]):
                said = run(*arguments, "--server", url)
                self.assertEqual(said.status, 0, said)
                self.assertIn("p" + self.SHOWN, said.out)

    def test_warnings(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.wfile.write(("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n"
                                  'Warning: 299 - "a\u0085\u009b31mé"\r\n\r\n').encode())

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            said = run("get", "cm", "--server", f"http://127.0.0.1:{server.server_port}")
            server.shutdown()
            thread.join()
        self.assertIn("Warning: a\\x85\\x9b31mé\n", said.err)


class DeniedTest(Case):
    ARGUMENTS = ("--faults", '{"type": "Status", "status": 403, "verb": "list", "path": "*/secrets", "always": true}',
                 "--faults", '{"type": "Status", "status": 403, "verb": "watch", "path": "*/secrets", "always": true}')

    def test_what_will_not_get_better_ends_it(self):
        self.fails(4, "watch", "secrets")


if __name__ == "__main__":
    command.main()
