#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kin-bench-cli measures the programs it is given, and leaves nothing behind.

    test_cli.py PROGRAM [unittest's arguments]
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None
DEADLINE = 60


class CliTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_it(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=DEADLINE, env={**os.environ, "TMPDIR": self.folder.name})

    def measures(self, *arguments):
        done = self.run_it(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual({line[0] for line in lines}, {"measure"})
        return {line[1]: (float(line[2]), line[3]) for line in lines}

    def fails(self, status, *arguments):
        done = self.run_it(*arguments)
        self.assertEqual((done.returncode, done.stdout), (status, ""))
        return done.stderr

    def test_a_whole_program(self):
        began = time.monotonic()
        found = self.measures("whole", "--url", "http://x", "--", sys.executable, "-c",
                              "import os; print('to nobody'); x = b'x' * (100 << 20)\n"
                              "while sum(os.times()[:2]) < 0.2: pass")
        self.assertLessEqual(found["wall"][0], (time.monotonic() - began) * 1.01)
        self.assertGreaterEqual(found["cpu"][0], 0.2)
        self.assertGreaterEqual(found["wall"][0], 0.2)
        self.assertGreater(found["peak_rss"], (100 << 20, "B"))

    def test_a_home_and_a_kubeconfig(self):
        """Both are its own, and gone with it, whatever is in them."""
        with tempfile.NamedTemporaryFile("r") as told:
            self.measures("whole", "--url", "http://there:80", "--", "sh", "-c",
                          f'mkdir -p "$HOME/.kube/cache"; echo x > "$HOME/.kube/cache/y"; cat "$KUBECONFIG" > {told.name};'
                          f'echo "home: $HOME" >> {told.name}')
            text = told.read()
        self.assertIn('server: "http://there:80"', text)
        home = text.split("home: ")[1].strip()
        self.assertTrue(home.startswith(self.folder.name))
        self.assertFalse(os.path.exists(home))

    def test_until_a_line(self):
        with tempfile.NamedTemporaryFile("r") as told:
            found = self.measures("until", "--url", "u", "--line", "ready", "--", "sh", "-c",
                                  f"echo $$ > {told.name}; echo not yet >&2; echo ready now >&2; exec sleep {DEADLINE * 2}")
            pid = int(told.read())
        self.assertLess(found["wall"][0], DEADLINE)
        self.assertEqual(set(found), {"wall", "cpu", "rss", "rss_anon", "peak_rss"})
        self.assertGreater(found["rss"], (0, "B"))
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)

    def test_at_rest(self):
        began = time.monotonic()
        self.measures("until", "--url", "u", "--rest", "1", "--", "sleep", str(DEADLINE * 2))
        self.assertGreaterEqual(time.monotonic() - began, 1)

    @unittest.skipUnless(shutil.which("strip"), "there is no strip")
    def test_sizes(self):
        found = self.measures("size", f"program={PROGRAM}", f"again={PROGRAM}")
        self.assertEqual(found["program"], found["again"])
        self.assertLess(1000, found["program"][0])
        self.assertLess(found["program"][0], os.path.getsize(PROGRAM))

    def test_what_fails(self):
        self.assertIn("status 768", self.fails(1, "whole", "--url", "u", "--", "sh", "-c", "exit 3"))
        self.assertIn("No such file", self.fails(1, "whole", "--url", "u", "--", "/nonexistent"))
        self.assertIn("the last it said was: sorry",
                      self.fails(1, "until", "--url", "u", "--line", "ready", "--", "sh", "-c", "echo sorry >&2"))
        self.assertIn("it has ended", self.fails(1, "until", "--url", "u", "--rest", "1", "--", "true"))
        self.assertIn("strip", self.fails(1, "size", "x=/nonexistent"))
        for arguments in ([], ["whole"], ["whole", "--", "true"], ["nosuch", "--url", "u", "--", "true"],
                          ["until", "--url", "u"], ["size"], ["whole", "--nosuch", "x", "--", "true"]):
            self.assertIn("usage:", self.fails(2, *arguments))

    def tearDown(self):
        self.assertEqual(os.listdir(self.folder.name), [])


if __name__ == "__main__":
    unittest.main()
