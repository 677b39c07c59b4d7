#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What README and docs/tutorial.md say to type, typed on a machine that has nothing of kinform yet.

    test_guides.py --build DIR --cc CC
"""
import argparse
import json
import re
import shutil
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

from machine import ROOT, Machine, blocks_of, libdir_of
from running import reserved_port

OPTIONS = None
POD = r"[a-z]+/[a-z]+-[a-z0-9]+-[a-z0-9]+"


def create_pod(port, name):
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
           "spec": {"containers": [{"name": "c", "image": "i"}]}}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/v1/namespaces/default/pods", json.dumps(pod).encode(),
                                     {"Content-Type": "application/json"})
    urllib.request.urlopen(request).close()


class GuideTest(unittest.TestCase):
    def setUp(self):
        folder = Path(tempfile.mkdtemp(prefix="kinform-guide-"))
        self.addCleanup(shutil.rmtree, folder)
        self.machine = Machine(folder, OPTIONS.build, OPTIONS.cc)

    def test_the_readme(self):
        """What README says to type after its first program."""
        blocks = [text for language, text in blocks_of("README.md") if language == "sh" and "first.c" in text]
        self.assertEqual(len(blocks), 1)
        with self.machine.terminal(blocks[0]) as typed:
            typed.wait_for(r"^add default/web-")
            typed.wait_for(rf"^update {POD}$")
            typed.enter()
            self.assertEqual(typed.end(), 0)

    def test_the_loader_is_told(self):
        """Where it looks, and of nothing else."""
        machine = self.machine
        self.assertIn("The loader has been told", machine.type("make install PREFIX=/usr/local"))
        self.assertTrue((machine.cache / "libkinform.so").exists())
        elsewhere = machine.folder / "elsewhere"
        for command in (f"make install PREFIX={elsewhere}", f"make install PREFIX=/usr/local DESTDIR={elsewhere}"):
            with self.subTest(command):
                shutil.rmtree(machine.cache)
                machine.cache.mkdir()
                self.assertEqual("does not look into" in machine.type(command), "DESTDIR" not in command)
                self.assertEqual(list(machine.cache.iterdir()), [])
        machine.cache.rmdir()  # now ldconfig fails, as it does without root
        self.assertIn("type ldconfig as root", machine.type("make install PREFIX=/usr/local"))

    def test_uninstall_removes_what_install_brought(self):
        machine = self.machine
        for destination in ("", str(machine.folder / "destination"), "below/the clone"):
            with self.subTest(destination):
                destdir = f" DESTDIR='{destination}'" if destination else ""
                below = Path(f"{machine.clone / destination}{machine.prefix}") if destination else machine.prefix
                machine.type(f"make install PREFIX=/usr/local{destdir}")
                self.assertTrue((below / "bin/kinform").is_file())
                others = [below / "bin/other", below / "share/doc/kinform/notes", below / "include/other/kinform.h"]
                for other in others:
                    other.parent.mkdir(exist_ok=True)
                    other.write_text("")
                machine.type(f"make uninstall PREFIX=/usr/local{destdir}")
                self.assertEqual(sorted(path for path in below.rglob("*") if not path.is_dir()), sorted(others))
                self.assertFalse((below / "include/kinform").exists())
                self.assertFalse((below / "share/doc/kinform/docs").exists())
                self.assertEqual(list(machine.cache.iterdir()), [])
                machine.type(f"make uninstall PREFIX=/usr/local{destdir}")  # nothing to do is no error


class TutorialTest(unittest.TestCase):
    """docs/tutorial.md from its beginning to its end: the next block is always the next one of the page."""

    def setUp(self):
        folder = Path(tempfile.mkdtemp(prefix="kinform-tutorial-"))
        self.addCleanup(shutil.rmtree, folder)
        self.machine = Machine(folder, OPTIONS.build, OPTIONS.cc)
        self.machine.environment["HOME"] = str(folder / "home")
        self.kubeconfig = folder / "work" / "kubeconfig"
        self.work = folder / "work"
        self.work.mkdir()
        self.text = (ROOT / "docs/tutorial.md").read_text()
        self.blocks = iter(blocks_of("docs/tutorial.md"))
        self.exports = ""

    def next(self, language):
        its_language, text = next(self.blocks)
        self.assertEqual(its_language, language, text)
        if libdir_of(OPTIONS.build) != "lib":
            text = re.sub(r"/\.local/lib\b", f"/.local/{libdir_of(OPTIONS.build)}", text)
        return text

    def write(self, name, text):
        self.assertIn(f"`{name}`", self.text)
        (self.work / name).write_text(text)

    def type(self, script):
        return self.machine.type(self.exports + script, cwd=self.work)

    def terminal(self, script):
        return self.machine.terminal(self.exports + script, cwd=self.work)

    def test_it(self):
        self.install()
        self.compile()
        self.run_it()
        self.run_it_beside_others()
        self.what_it_says_if_it_may_not()
        self.another_handler()
        self.index_and_lister()
        self.assertEqual(list(self.blocks), [], "a block of the page that is not tried")

    def install(self):
        self.machine.type(self.next("sh"))
        exports = self.next("sh")
        self.assertRegex(self.type(exports), r"\Akinform \d+\.\d+\.\d+\n\Z")
        self.exports = "".join(line + "\n" for line in exports.splitlines() if line.startswith("export "))

    def compile(self):
        self.write("first.c", self.next("c"))
        self.type(self.next("sh"))
        self.write("CMakeLists.txt", self.next("cmake"))
        self.type(re.search(r"`(cmake -B .*?)`", self.text)[1])
        self.assertTrue((self.work / "build/first").is_file())

    def run_it(self):
        with self.terminal(self.next("sh")) as typed:
            for line in self.next("text").splitlines():
                self.assertRegex(line, rf"^add {POD}$")
            typed.wait_for(rf"^add {POD}$")
            typed.wait_for(rf"^update {POD}$")
            typed.enter()
            self.assertEqual(typed.end(), 0)

    def run_it_beside_others(self):
        serve = self.next("sh")
        first = self.next("sh")
        kubectl, watch = self.next("sh").splitlines()
        self.assertEqual(serve.count("--port 8001 "), 1)
        with reserved_port() as port, self.terminal(serve.replace("8001", port)) as server:
            server.wait_for("^export KUBECONFIG=")
            with self.terminal(first) as typed:
                typed.wait_for(rf"^update {POD}$")
                with self.terminal(watch) as watcher:
                    watcher.wait_for(r"watching \d+ pods$")
                    if shutil.which("kubectl"):
                        told = len(typed.said)
                        self.assertRegex(self.type(kubectl), r"pod .* deleted")
                        typed.wait_for("^delete default/")
                        if not any(line.startswith("add default/") for line in typed.said[told:]):
                            typed.wait_for("^add default/")
                    watcher.wait_for(r"\bdefault/")
                    watcher.interrupt()
                    watcher.end()
                server.interrupt()
                server.end()
                with self.terminal(serve.replace("8001", port)) as server:
                    server.wait_for("^export KUBECONFIG=")
                    create_pod(port, "only-here-now")  # nobody can have told of it before
                    typed.wait_for(r"^add default/only-here-now$")
                    server.interrupt()
                    server.end()
                typed.enter()
                self.assertEqual(typed.end(), 0)

    def what_it_says_if_it_may_not(self):
        serve = self.next("sh")
        expected = self.next("text")
        with self.terminal(serve) as typed:
            self.assertEqual(typed.end(), 1)
        self.assertEqual(typed.said[-1] + "\n", expected)
        self.assertIn(" error reflector: failed to list or watch", typed.said[0])
        # The same from a server that says what kube-apiserver does (test_real_access.c asks that one).
        says = self.next("text")
        message = says.strip().split("error: ")[1]
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403, "message": message}
        rule = {"type": "Status", "status": 403, "path": "*/pods", "always": True, "body": json.dumps(status)}
        (self.work / "rule").write_text(json.dumps(rule))
        with self.terminal(re.sub("'.*'", "@rule", serve)) as typed:
            self.assertEqual(typed.end(), 1)
        self.assertEqual(typed.said[-1] + "\n", says)

    def another_handler(self):
        text = (self.work / "first.c").read_text()
        first = re.search(r"static void changed\(.*?^}\n", text, re.M | re.S)[0]
        self.write("first.c", text.replace(first, self.next("c")))
        self.type("cc first.c $(pkg-config --cflags --libs kinform) -o first")
        like = rf"^{POD}: [A-Z]\w+ -> [A-Z]\w+$"
        self.assertTrue(any(re.match(like, code) for code in re.findall("`(.*?)`", self.text)))
        with self.terminal("kinform serve --simulate -- ./first") as typed:
            typed.wait_for(like)
            typed.enter()
            self.assertEqual(typed.end(), 0)

    def index_and_lister(self):
        self.write("nodes.c", self.next("c"))
        said = self.type(self.next("sh"))
        for line in self.next("text").splitlines():
            self.assertRegex(line, r"^node-\d{4}: \d+ pods$")
        self.assertRegex(said, r"(?m)^node-\d{4}: \d+ pods$")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--cc", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
