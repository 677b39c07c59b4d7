# SPDX-License-Identifier: Apache-2.0
"""The command and a server of its own, as the tests of this folder use them."""
import argparse
import contextlib
import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request
from pathlib import Path

DEADLINE = 120  # of anything that is waited for, in seconds
SKIPPED = 77
HOME = tempfile.TemporaryDirectory()  # kubectl keeps things there


class options:  # of the command line
    kinform = None


def is_strict():
    return os.environ.get("KIN_STRICT") == "1"


def environment(**changes):
    """Ours, without what would lead the command to another cluster or give it colours."""
    own = {name: value for name, value in os.environ.items()
           if name not in ("KUBECONFIG", "NO_COLOR", "HTTP_PROXY", "http_proxy")
           and not name.startswith("KUBERNETES_")}
    return {**own, "HOME": HOME.name, **changes}


@contextlib.contextmanager
def reserved_port():
    """A port for servers that come and go: while one is away, the kernel gives it to nobody else."""
    with socket.socket() as reserve:
        reserve.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserve.bind(("127.0.0.1", 0))
        yield str(reserve.getsockname()[1])


class Said:
    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = err

    def __repr__(self):
        return f"exit status {self.status}\n--- out\n{self.out}\n--- err\n{self.err}"


def run(*arguments, program=None, text=None, **changes):
    """What the command says, and how it ends."""
    done = subprocess.run([program or options.kinform, *arguments], env=environment(**changes),
                          input=text, stdin=None if text else subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE)
    return Said(done.returncode, done.stdout, done.stderr)


class Running:
    """A command that runs. Threads read its lines, so that waiting for one has an end."""

    def __init__(self, *arguments, **changes):
        self.process = subprocess.Popen([options.kinform, *arguments], text=True,
                                        env=environment(**changes), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines = {"out": queue.Queue(), "err": queue.Queue()}
        self.seen = {"out": [], "err": []}
        self.readers = [threading.Thread(target=self.read, args=pair, daemon=True)
                        for pair in (("out", self.process.stdout), ("err", self.process.stderr))]
        for reader in self.readers:
            reader.start()

    def read(self, name, stream):
        for line in stream:
            self.lines[name].put(line.rstrip("\n"))
        self.lines[name].put(None)

    def wait_for(self, pattern, name="out"):
        """The match of the next line in which it is found."""
        end = time.monotonic() + DEADLINE
        while True:
            try:
                line = self.lines[name].get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no line with {pattern!r} behind {self.seen}") from None
            if line is None:
                raise AssertionError(f"it ended without {pattern!r}: {self.seen}")
            self.seen[name].append(line)
            found = re.search(pattern, line)
            if found:
                return found

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self):
        """Its exit status; all lines are in `seen` then."""
        status = self.process.wait(DEADLINE)
        for reader in self.readers:
            reader.join(DEADLINE)
        for name, lines in self.lines.items():
            while not lines.empty():
                line = lines.get()
                if line is not None:
                    self.seen[name].append(line)
        return status

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
        self.process.stdout.close()
        self.process.stderr.close()


class Server(Running):
    """kinform serve, until close()."""

    def __init__(self, folder, *arguments):
        self.kubeconfig = str(Path(folder) / "kubeconfig")
        super().__init__("serve", "--write-kubeconfig", self.kubeconfig, *arguments)
        self.url = self.wait_for(r"listening on (\S+),", "err").group(1)
        self.wait_for("^export KUBECONFIG=")

    def send(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method,
                                         data=json.dumps(body).encode() if body else None,
                                         headers={"Content-Type": "application/json"})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                request, timeout=DEADLINE) as answer:
            return json.load(answer)

    def create(self, path, body):
        return self.send("POST", path, body)

    def close(self):
        self.signal(signal.SIGTERM)
        status = self.wait()
        super().close()
        assert status == 0, f"the server ended with {status}: {self.seen}"


def config_map(name, data=None, **metadata):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata},
            "data": data or {"k": "v"}}


def pod(name, **metadata):
    containers = [{"image": "i:1", "name": "one", "ports": [{"containerPort": 80}]},
                  {"image": "i:2", "name": "two"}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata},
            "spec": {"containers": containers, "terminationGracePeriodSeconds": 5,
                     "hostNetwork": True}}


class Case(unittest.TestCase):
    """A server per class, with ARGUMENTS, for which `kinform` has the kubeconfig."""
    ARGUMENTS = ()
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        cls.server = Server(cls.folder.name, *cls.ARGUMENTS)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        cls.folder.cleanup()

    def run_it(self, *arguments, **changes):
        return run(*arguments, KUBECONFIG=self.server.kubeconfig, **changes)

    def ok(self, *arguments, **changes):
        said = self.run_it(*arguments, **changes)
        self.assertEqual((said.status, said.err), (0, ""), said)
        return said.out

    def fails(self, status, *arguments, **changes):
        """The one line that it says."""
        said = self.run_it(*arguments, **changes)
        self.assertEqual(said.status, status, said)
        self.assertEqual(said.out, "", said)
        self.assertRegex(said.err, r"\Akinform: [^\n]*\n\Z")
        return said.err

    def start(self, *arguments, **changes):
        running = Running(*arguments, KUBECONFIG=self.server.kubeconfig, **changes)
        self.addCleanup(running.close)
        return running


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kinform", required=True)
    known, rest = parser.parse_known_args()
    options.kinform = str(Path(known.kinform).resolve())
    unittest.main(module="__main__", argv=[sys.argv[0], *rest])
