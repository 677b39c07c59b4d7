#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command in a build with as little as can be had: it works, and says what is not in it.

    test_options.py --source DIR --cc CC --readelf READELF
"""
import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

OPTIONS = None
WITHOUT = ("-DKIN_APISERVER=OFF", "-DKIN_SNAPSHOT=OFF", "-DKIN_BUILD_TESTS=OFF", "-DKIN_BUILD_BENCH=OFF")


def run(command, status=0, **more):
    """The output of a command, and what it said besides; that is part of the failure."""
    result = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)
    if result.returncode != status:
        raise AssertionError(f"{shlex.join(map(str, command))}: {result.returncode}\n"
                             f"{result.stdout}{result.stderr}")
    return result.stdout, result.stderr


class OptionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="kinform-options-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        run(["cmake", "-S", OPTIONS.source, "-B", cls.folder, *generator, f"-DCMAKE_C_COMPILER={OPTIONS.cc}",
             "-DCMAKE_C_FLAGS=-O0", *WITHOUT])
        run(["cmake", "--build", cls.folder, "--parallel", os.cpu_count(), "--target", "kinform_cli"])
        cls.kinform = cls.folder / "bin" / "kinform"

    def says(self, *arguments):
        return run([self.kinform, *arguments])[0]

    def test_it_says_what_is_not_in_it(self):
        for arguments in (["demo"], ["serve"], ["serve", "--port", "1", "--", "true"], ["demo", "--help"]):
            out, err = run([self.kinform, *arguments], status=1)
            self.assertEqual(out, "")
            self.assertRegex(err, rf"\Akinform: kinform {arguments[0]} is not in this build, .*KIN_APISERVER.*\n\Z")
        for name in ("demo", "serve"):
            self.assertRegex(self.says("--help"), rf"(?m)^  {name} .*\(not in this build\)$")
            self.assertIn("made without the embedded API server", self.says("help", name))

    def test_options_that_are_not_in_it_are_unknown(self):
        for name in ("get", "watch"):
            _, err = run([self.kinform, name, "pods", "--snapshot", "f"], status=2)
            self.assertIn("unknown option --snapshot", err)
            self.assertNotIn("--snapshot", self.says(name, "--help"))

    def test_the_rest_works(self):
        self.assertRegex(self.says("version"), r"\Akinform \d")
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("watch", self.says("completion", shell))
        _, err = run([self.kinform, "get", "pods", "--server", "http://127.0.0.1:1"], status=5)
        self.assertIn("is the server running", err)

    def test_it_needs_no_more_than_that(self):
        needed = run([OPTIONS.readelf, "-d", self.kinform])[0]
        needed += run([OPTIONS.readelf, "-d", self.folder / "lib" / "libkinform.so"])[0]
        self.assertIn("libcurl", needed)
        for library in ("libkinform-apiserver", "libmicrohttpd", "libgnutls", "libsqlite3", "libzstd"):
            self.assertNotIn(library, needed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("source", "cc", "readelf"):
        parser.add_argument(f"--{name}", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
