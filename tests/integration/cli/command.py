# SPDX-License-Identifier: Apache-2.0
"""The command and a server of its own, as the tests of this folder use them."""
import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

import running
from running import DEADLINE, said_by

SKIPPED = 77
HOME = tempfile.TemporaryDirectory()  # kubectl keeps things there


class options:  # of the command line
    kinform = None


def is_strict():
    return os.environ.get("KIN_STRICT") == "1"


def environment(**changes):
    """
    Ours, without what would lead the command to another cluster or give it colours. What one that is killed leaves
    goes with us, and completions may take their time.
    """
    own = {name: value for name, value in os.environ.items()
           if name not in ("KUBECONFIG", "NO_COLOR", "HTTP_PROXY", "http_proxy")
           and not name.startswith("KUBERNETES_")}
    return {**own, "HOME": HOME.name, "TMPDIR": HOME.name, "KINFORM_COMPLETION_TIMEOUT": f"{DEADLINE}s", **changes}


def left_in(folder):
    """
    What programs have left in this folder of temporary files. ThreadSanitizer has a file of its own there
    for an instant while a program is loaded; one that is killed right then leaves it.
    """
    return [path for path in folder.iterdir() if not path.name.startswith("tsan.rodata.")]


@contextlib.contextmanager
def ignoring(*numbers):
    """What is started meanwhile begins with these signals ignored, as by nohup."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def state_of(pid):
    """"R", "S", "T", …; "" if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def has_ended(pid):
    """A zombie has: it waits for whoever started it."""
    return state_of(pid) in ("", "Z", "X")


def run(*arguments, program=None, text=None, **changes):
    """What the command says, and how it ends."""
    return said_by([program or options.kinform, *arguments], environment(**changes), text)


class Running(running.Running):
    """The command while it runs."""

    def __init__(self, *arguments, program=None, stdin=subprocess.DEVNULL, **changes):
        super().__init__([program or options.kinform, *arguments], environment(**changes), stdin)


class Server(Running):
    """kinform serve, until close()."""

    def __init__(self, folder, *arguments):
        self.kubeconfig = str(Path(folder) / "kubeconfig")
        # Plain, unless the test is about tokens: send() does not send one.
        plain = () if {"--token", "--plain", "--allow-anonymous"} & set(arguments) else ("--plain",)
        super().__init__("serve", "--until-eof", "--write-kubeconfig", self.kubeconfig, *plain, *arguments,
                         stdin=subprocess.PIPE)
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

    def given_time(self, has_got_there, *arguments):
        """
        What the command says with a --timeout, of which part goes by before it gets to what is looked at. How much,
        is the machine's affair: longer and longer ones, until it gets there.
        """
        for timeout in ("300ms", "3s", "30s"):
            said = self.run_it(*arguments, "--timeout", timeout)
            if has_got_there(said):
                break
        return said

    def assert_time_is_up(self, why, *arguments):
        said = self.given_time(lambda said: why in said.err, *arguments)
        self.assertEqual((said.status, said.out), (6, ""), said)
        self.assertRegex(said.err, rf"\Akinform: [^\n]*{why}[^\n]*\n\Z")

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
