#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the suite `cluster` starts: Pods are created as they are in the file, and bench/cluster/serve keeps the protocol.

    test_cluster.py FOLDER_OF_PROGRAMS [unittest's arguments]

The embedded API server stands for the real one.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
BIN = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
DEADLINE = 60
PODS = 40

# As tools/kube-apiserver: a kubeconfig, a child with that name, and an end with standard input.
TOOL = """\
#!/bin/sh
echo "$@" > "{folder}/flags"
[ -e "{folder}/missing" ] && {{ echo nothing built >&2; exit 77; }}
[ -e "{folder}/broken" ] && {{ echo etcd has ended >&2; exit 1; }}
"{folder}/kube-apiserver" 600 &
echo {folder}/kubeconfig
cat > /dev/null
kill $!
wait $!
exit 0
"""


def run(*command):
    return subprocess.run(command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=DEADLINE)


class Fill(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.assertEqual(run(BIN / "kin-bench-pods", "--pods", str(PODS), "--out", self.folder).returncode, 0)
        server = subprocess.Popen([BIN / "kin-bench-apiserver", "serve"], text=True, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait, DEADLINE)
        self.addCleanup(server.stdin.close)
        self.url = server.stdout.readline().split()[1]

    def fill(self, *more):
        return run(BIN / "kin-bench-client", "fill", "--url", self.url, "--file", self.folder / "pods.json", *more)

    def test_what_was_created_is_synced(self):
        done = self.fill("--streams", "4")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("measure ops ", done.stdout)
        for encoding in ("protobuf", "json"):
            for mode in ("list", "watchlist"):
                done = run(BIN / "kin-bench-informer", "sync", "--url", self.url, "--encoding", encoding,
                           "--list-mode", mode, "--gzip")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(f"measure objects {PODS} count\n", done.stdout)

    def test_pods_are_created_once(self):
        self.assertEqual(self.fill().returncode, 0)
        again = self.fill()
        self.assertEqual((again.returncode, again.stdout), (1, ""))
        self.assertIn("already exists", again.stderr)


class Serve(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.serve = self.folder / "bench" / "cluster" / "serve"
        tool = self.folder / "tools" / "kube-apiserver"
        for path in (self.serve, tool):
            path.parent.mkdir(parents=True)
        shutil.copy(REPO / "bench" / "cluster" / "serve", self.serve)
        # Nothing has to settle.
        self.serve.write_text(self.serve.read_text().replace("SETTLE_SECONDS = 3.0", "SETTLE_SECONDS = 0.0"))
        shutil.copy(shutil.which("sleep"), self.folder / "kube-apiserver")
        tool.write_text(TOOL.format(folder=self.folder))
        tool.chmod(0o755)
        (self.folder / "kubeconfig").write_text(json.dumps({"clusters": [{"cluster": {"server": "https://x"}}]}))

    def start(self, *program):
        process = subprocess.Popen([self.serve, "--a-flag", "--", *program], text=True, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return process, process.stdout.readline()

    def fails(self, status, *program):
        process, said = self.start(*program)
        self.assertEqual(said, "")
        _, why = process.communicate(timeout=DEADLINE)
        self.assertEqual(process.returncode, status)
        return why

    def test_it_tells_where_the_server_is(self):
        process, said = self.start("sh", "-c", f'echo "$@" > {self.folder}/filled', "sh", "--file", "pods")
        listening, url, kubeconfig, path, of, pid = said.split()
        self.assertEqual((listening, url, kubeconfig, of), ("listening", "https://x", "kubeconfig", "pid"))
        self.assertEqual(path, str(self.folder / "kubeconfig"))
        self.assertEqual((self.folder / "filled").read_text(), f"--file pods --kubeconfig {path}\n")
        self.assertEqual((self.folder / "flags").read_text(), "--cached -- --a-flag\n")
        self.assertEqual(Path(f"/proc/{pid}/comm").read_text(), "kube-apiserver\n")
        process.communicate("", timeout=DEADLINE)
        self.assertEqual(process.returncode, 0)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pid), 0)

    def test_what_was_not_built_is_told_by_the_status(self):
        (self.folder / "missing").touch()
        self.assertIn("make cluster", self.fails(77, "true"))

    def test_failures(self):
        self.assertIn("ended with 3", self.fails(1, "sh", "-c", "exit 3"))
        self.assertIn("PROGRAM", run(self.serve).stderr)
        (self.folder / "broken").touch()
        self.assertIn("etcd has ended", self.fails(1, "true"))


if __name__ == "__main__":
    unittest.main()
