#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/fuzz with scripts in the place of fuzzers."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "fuzz"

GOOD = """#!/bin/sh
echo "$*" >"$0.arguments"
echo 'stat::number_of_executed_units: 1234' >&2
echo 'stat::new_units_added:          5' >&2
"""
BAD = """#!/bin/sh
for a; do
    case $a in -artifact_prefix=*) input=${a#*=}crash-1 ;; esac
done
echo "==1==ERROR: AddressSanitizer: heap-buffer-overflow" >&2
echo "artifact_prefix='x'; Test unit written to $input" >&2
exit 77
"""


class FuzzTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name).resolve()
        (self.build / "bin").mkdir()

    def add(self, name, text):
        path = self.build / "bin" / f"fuzz_{name}"
        path.write_text(text)
        path.chmod(0o755)
        return path

    def fuzz(self, *arguments):
        return subprocess.run([str(TOOL), "--build", str(self.build), "--seconds", "7", *arguments],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              env={**os.environ, "LC_ALL": "C"})

    def test_all_are_run(self):
        for name in ("a", "b", "c"):
            self.add(name, GOOD)
        run = self.fuzz("--jobs", "2")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout.count("1234 runs, 5 new inputs"), 3, run.stdout)

    def test_arguments(self):
        fuzzer = self.add("map", GOOD)
        self.fuzz()
        words = Path(f"{fuzzer}.arguments").read_text().split()
        for word in ("-max_total_time=7", "-timeout=10", "-rss_limit_mb=2048",
                     f"-artifact_prefix={self.build}/crashes/map-", f"{self.build}/corpus/map"):
            self.assertIn(word, words)
        self.assertTrue((self.build / "corpus" / "map").is_dir())
        self.assertTrue((self.build / "crashes").is_dir())

    def test_a_crash_is_reported_and_the_others_run(self):
        self.add("a", BAD)
        self.add("b", GOOD)
        run = self.fuzz("--jobs", "1")
        self.assertEqual(run.returncode, 1)
        self.assertIn("a                        FAILED (exit status 77)", run.stdout)
        self.assertIn("heap-buffer-overflow", run.stdout)
        self.assertIn(f"to reproduce: {self.build}/bin/fuzz_a {self.build}/crashes/a-crash-1\n",
                      run.stdout)
        self.assertIn("1234 runs", run.stdout)

    def test_named_ones_only(self):
        self.add("a", BAD)
        self.add("b", GOOD)
        self.assertEqual(self.fuzz("b").returncode, 0)
        self.assertEqual(self.fuzz("nobody").returncode, 1)

    def test_none(self):
        self.assertEqual(self.fuzz().returncode, 1)

    def test_wrong_usage(self):
        self.assertEqual(self.fuzz("--jobs").returncode, 2)
        self.assertEqual(self.fuzz("--jobs", "many").returncode, 2)
        self.assertEqual(self.fuzz("--nonsense").returncode, 2)


if __name__ == "__main__":
    unittest.main()
