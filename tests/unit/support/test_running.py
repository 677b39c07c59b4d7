#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that tests run: their lines, their ends, and signals that reach them."""
import signal
import subprocess
import sys
import unittest

from running import DEADLINE, Running, said_by

# A shell has the programs that it starts in the background ignore SIGINT.
INTERRUPTED = """
import signal, subprocess
signal.signal(signal.SIGINT, signal.SIG_IGN)
from running import Running
one = Running(["sh", "-c", "echo ready; read forever"], None, stdin=subprocess.PIPE)
one.wait_for("ready")
one.signal(signal.SIGINT)
print(one.wait())
one.close()
"""


class RunningTest(unittest.TestCase):
    def start(self, script, **how):
        one = Running(["sh", "-c", script], None, **how)
        self.addCleanup(one.close)
        return one

    def test_lines_of_both_streams_and_the_end(self):
        one = self.start("echo a; echo b1; echo c >&2; exit 3")
        self.assertEqual(one.wait_for("b(.)").group(1), "1")
        self.assertEqual(one.wait(), 3)
        self.assertEqual(one.seen, {"out": ["a", "b1"], "err": ["c"]})

    def test_streams_may_be_one(self):
        one = self.start("echo a; echo b >&2", stderr=subprocess.STDOUT)
        one.wait_for("b")
        self.assertEqual(one.seen, {"out": ["a", "b"]})

    def test_an_end_without_the_line_is_a_failure(self):
        with self.assertRaisesRegex(AssertionError, "ended without 'x'.*only this"):
            self.start("echo only this").wait_for("x")

    def test_close_ends_what_runs(self):
        one = self.start("echo ready; read forever", stdin=subprocess.PIPE)
        one.wait_for("ready")
        self.assertTrue(one.is_running())
        one.close()
        self.assertEqual(one.process.returncode, -signal.SIGKILL)

    def test_what_is_said_and_what_is_read(self):
        said = said_by(["sh", "-c", "cat; echo e >&2; exit 4"], None, "in")
        self.assertEqual((said.status, said.out, said.err), (4, "in", "e\n"))

    def test_a_signal_that_we_ignore_reaches_a_program(self):
        done = subprocess.run([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True,
                              timeout=DEADLINE)
        self.assertEqual(done.stdout, f"{-signal.SIGINT}\n")


if __name__ == "__main__":
    unittest.main()
