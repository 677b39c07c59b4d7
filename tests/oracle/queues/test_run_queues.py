#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_queues.py with scripts in the place of both programs; no Go is needed."""
import os
import random
import sys
import unittest
from pathlib import Path
from unittest import mock

import generate_scripts
import run_queues
import runner_case  # the runner has put its folder on the path
import traces

# A program that answers each line with the value of an expression.
PROGRAM = """#!{python}
import os, sys
for n, line in enumerate(sys.stdin):
    line = line.rstrip(chr(10))
    words = line.partition(" #")[0].split()
    print({expression}, flush=True)
"""
ECHO = "words[0]"


class RunTest(runner_case.RunnerCase):
    MODULE = run_queues
    PROGRAM = PROGRAM
    PATCHES = ((traces, "SHRINK_RUNS", 20),)

    def compare(self, oracle, program, *options, kind="delta-fifo"):
        return self.run_main("--oracle", self.program("oracle", oracle), "--steps", "300",
                             "--kinds", kind, *options, self.program("program", program))

    def scripts(self, *scripts):
        """These instead of random ones, over and over."""
        make = mock.patch.object(generate_scripts, "make_script",
                                 side_effect=[list(s) for s in scripts] * 1000)
        make.start()
        self.addCleanup(make.stop)

    def test_equal(self):
        for kind in run_queues.PROGRAMS:
            status, output = self.compare(ECHO, ECHO, kind=kind)
            self.assertEqual(status, 0, output)
            self.assertIn("0 different", output)

    def test_a_difference_is_shown_in_its_smallest_script(self):
        self.scripts(["script delta-fifo", "add a:1", "pop ok", "list", "close", "list"])
        status, output = self.compare(ECHO, '"other" if words[0] == "close" else words[0]')
        self.assertEqual(status, 1, output)
        shown = output.partition("the first, made small:\n")[2].split("\n")
        self.assertEqual([line.strip() for line in shown if line],
                         ["script delta-fifo", "go    script", "close", "go    close",
                          "ours  other"])

    def test_a_difference_that_is_meant_is_counted(self):
        self.scripts(["script delta-fifo", "add a:1", "list #tombstone-in-list"])
        status, output = self.compare(ECHO, '"other" if words[0] == "list" else words[0]')
        self.assertEqual(status, 0, output)
        self.assertIn("tombstone-in-list: excused 150 of 150", output)

    def test_an_excuse_holds_for_its_step_only(self):
        self.scripts(["script delta-fifo", "add a:1", "list #tombstone-in-list"])
        status, output = self.compare(ECHO, '"other" if words[0] == "add" else words[0]')
        self.assertEqual(status, 1, output)

    def test_a_name_that_is_not_listed_excuses_nothing(self):
        self.scripts(["script delta-fifo", "list #some-other-thing"])
        for program, wrong in ((ECHO, "not in the list"), ('"other"', "different")):
            status, output = self.compare(ECHO, program)
            self.assertEqual(status, 1, output)
            self.assertIn(wrong, output)

    def test_an_excuse_that_is_not_needed_any_more(self):
        self.scripts(["script delta-fifo", "list #tombstone-in-list"])
        status, output = self.compare(ECHO, ECHO)
        self.assertEqual(status, 1, output)
        self.assertIn("tombstone-in-list is no difference any more", output)

    def test_a_crash_is_a_difference(self):
        self.scripts(["script delta-fifo", "add a:1", "list"])
        status, output = self.compare(ECHO, 'os.abort() if words[0] == "list" else words[0]')
        self.assertEqual(status, 1, output)
        self.assertIn("status -6", output)

    def test_a_failure_at_the_very_end_is_a_difference(self):
        self.scripts(["script delta-fifo", "add a:1"])
        path = Path(self.program("program", ECHO))
        path.write_text(path.read_text() + "sys.exit(3)\n")
        status, output = self.run_main("--oracle", self.program("oracle", ECHO), "--steps", "10",
                                       "--kinds", "delta-fifo", path)
        self.assertEqual(status, 1, output)
        self.assertIn("status 3", output)

    def test_the_number_of_steps(self):
        self.assertRegex(self.compare(ECHO, ECHO)[1], "[34][0-9][0-9] steps, ")
        os.environ["KIN_ORACLE_STEPS"] = "2000"
        self.assertRegex(self.compare(ECHO, ECHO)[1], "2[01][0-9][0-9] steps, ")

    def test_without_go(self):
        with mock.patch("shutil.which", return_value=None):
            for strict, wanted in (("0", 77), ("1", 1)):
                os.environ["KIN_STRICT"] = strict
                status, output = self.run_main("--build", self.folder, "--self")
                self.assertEqual(status, wanted, output)

    def test_wrong_usage(self):
        for arguments in ((), ("--build", "x"), ("--build", "x", "--self", "y"),
                          ("--build", "x", "--oracle", "y", "--self"),
                          ("--build", "x", "--kinds", "heap", "--self"),
                          ("--build", "x", "--steps", "0", "--self")):
            self.assertEqual(self.run_main(*arguments)[0], 2, arguments)


class GenerateTest(unittest.TestCase):
    def scripts(self, kind, n=200):
        rng = random.Random(f"test:{kind}")
        return [generate_scripts.make_script(kind, rng) for _ in range(n)]

    def test_a_seed_gives_the_same_scripts(self):
        for kind in run_queues.PROGRAMS:
            self.assertEqual(self.scripts(kind), self.scripts(kind))

    def test_every_operation_comes(self):
        for kind, writer in generate_scripts.WRITERS.items():
            seen = {line.split()[0] for script in self.scripts(kind) for line in script}
            made = {"bad-put", "bad-list", "odd"}
            self.assertLessEqual(set(writer.WEIGHTS) - made, seen)

    def test_notes_are_listed_and_end_their_script(self):
        for kind in run_queues.PROGRAMS:
            for script in self.scripts(kind):
                notes = [traces.note_of(line) for line in script]
                self.assertFalse(any(notes[:-1]), script)
                self.assertIn(notes[-1], {None, *run_queues.EXCUSED})

    def test_all_differences_come(self):
        seen = {traces.note_of(script[-1]) for kind in run_queues.PROGRAMS
                for script in self.scripts(kind, 2000)}
        self.assertEqual(seen - {None}, set(run_queues.EXCUSED))


if __name__ == "__main__":
    unittest.main()
