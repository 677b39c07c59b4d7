#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/coverage on what a pretended gcov says."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "coverage"


def lines(*counts):
    return [{"line_number": at, "count": count} for at, count in enumerate(counts, 1)]


class CoverageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name)
        self.gcov = self.build / "gcov"

    def coverage(self, *reports, arguments=(), status=0):
        said = "\n".join(json.dumps({"current_working_directory": str(ROOT), "files": files})
                         for files in reports)
        (self.build / "said").write_text(said + "\n")
        self.gcov.write_text(f"#!/bin/sh\ncat '{self.build}/said'\nexit {status}\n")
        self.gcov.chmod(0o755)
        return subprocess.run([sys.executable, str(TOOL), "--gcov", str(self.gcov), *arguments,
                               str(self.build)], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)

    def rows(self, run):
        """{file: [lines, run]}"""
        self.assertEqual(run.returncode, 0, run.stderr)
        return {row.split()[0]: row.split()[1:3] for row in run.stdout.splitlines()[1:]}

    def test_table(self):
        (self.build / "a.gcno").touch()
        run = self.coverage([{"file": "src/base/map.c", "lines": lines(1, 0, 5, 0)},
                             {"file": "src/base/list.h", "lines": lines(1, 1)}])
        self.assertEqual(self.rows(run), {"src/base/map.c": ["4", "2"], "src/base/list.h": ["2", "2"],
                                          "total": ["6", "4"]})
        self.assertIn("66.7 %", run.stdout)

    def test_a_line_that_any_object_ran_was_run(self):
        (self.build / "a.gcno").touch()
        run = self.coverage([{"file": "src/base/list.h", "lines": lines(0, 1, 0)}],
                            [{"file": str(ROOT / "src/base/list.h"), "lines": lines(3, 0, 0)}])
        self.assertEqual(self.rows(run)["src/base/list.h"], ["3", "2"])

    def test_other_files_do_not_count(self):
        (self.build / "a.gcno").touch()
        run = self.coverage([{"file": "/usr/include/xxhash.h", "lines": lines(0)},
                             {"file": "tests/unit/base/test_map.c", "lines": lines(0)},
                             {"file": "src/base/map.c", "lines": lines(1)}])
        self.assertEqual(self.rows(run), {"src/base/map.c": ["1", "1"], "total": ["1", "1"]})

    def test_lines_that_did_not_run(self):
        (self.build / "a.gcno").touch()
        run = self.coverage([{"file": "src/base/map.c", "lines": lines(0, 0, 1, 0)}],
                            arguments=["--lines"])
        self.assertIn("not run: 1-2 4\n", run.stdout)

    def test_failures(self):
        self.assertIn("no notes of gcov", self.coverage().stderr)
        (self.build / "a.gcno").touch()
        self.assertIn("failed", self.coverage(status=3).stderr)
        self.assertIn("no file of src/", self.coverage([]).stderr)

    def test_reset(self):
        for name in ("gone.gcno", "gone.gcda", "here.gcno", "here.gcda", "here.o"):
            (self.build / name).touch()
        subprocess.run([sys.executable, str(TOOL), "--reset", str(self.build)], check=True)
        self.assertEqual(sorted(p.name for p in self.build.iterdir()), ["here.gcno", "here.o"])


if __name__ == "__main__":
    unittest.main()
