# SPDX-License-Identifier: Apache-2.0
"""Tests of runners, with scripts in the place of both programs: what they have in common."""
import contextlib
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock


class RunnerCase(unittest.TestCase):
    MODULE = None  # the runner
    PROGRAM = None  # text of a program, with {python} and {expression}
    PATCHES = ()  # (object, name, value) for the time of a test

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.start(mock.patch.dict(os.environ))
        for name in [name for name in os.environ if name.startswith("KIN_ORACLE_")]:
            del os.environ[name]
        for patch in self.PATCHES:
            self.start(mock.patch.object(*patch))

    def start(self, patch):
        patch.start()
        self.addCleanup(patch.stop)

    def program(self, name, expression):
        path = self.folder / name
        path.write_text(self.PROGRAM.format(python=sys.executable, expression=expression))
        path.chmod(0o755)
        return str(path)

    def run_main(self, *arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                status = self.MODULE.main([str(a) for a in arguments])
            except SystemExit as end:
                status = end.code
        return status, output.getvalue()
