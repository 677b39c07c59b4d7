#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""expect.py looks at both: how a program ends, and what it says."""
import subprocess
import sys
import unittest
from pathlib import Path

EXPECT = Path(__file__).resolve().parents[2] / "support" / "expect.py"


def expect(pattern, script):
    return subprocess.run([sys.executable, str(EXPECT), pattern, "--", "sh", "-c", script],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class ExpectTest(unittest.TestCase):
    def test_what_it_says_is_found_across_lines_and_on_both_streams(self):
        done = expect("one.*two", "echo one; echo two >&2")
        self.assertEqual((done.returncode, done.stdout), (0, "one\ntwo\n"))

    def test_the_right_words_do_not_help_a_program_that_fails(self):
        done = expect("one", "echo one; exit 23")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ended with 23", done.stdout)

    def test_a_good_end_does_not_help_without_the_words(self):
        done = expect("one", "echo two")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no 'one' in what it said", done.stdout)

    def test_a_signal_is_a_failure(self):
        self.assertEqual(expect("one", "echo one; kill -9 $$").returncode, 1)


if __name__ == "__main__":
    unittest.main()
