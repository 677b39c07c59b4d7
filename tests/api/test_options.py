#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds with as little as can be had: the command without what it can do without, the library without the client. They
work, and say what is not in them.

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

from machine import declared, exported, libdir_of

OPTIONS = None


def run(command, status=0, **more):
    """The output of a command, and what it said besides; that is part of the failure."""
    result = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)
    if result.returncode != status:
        raise AssertionError(f"{shlex.join(map(str, command))}: {result.returncode}\n"
                             f"{result.stdout}{result.stderr}")
    return result.stdout, result.stderr


class BuildTest(unittest.TestCase):
    """A build, and an installation of it."""

    WITHOUT = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="kinform-options-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        run(["cmake", "-S", OPTIONS.source, "-B", cls.folder, *generator, f"-DCMAKE_C_COMPILER={OPTIONS.cc}",
             "-DCMAKE_BUILD_TYPE=Debug", "-DKIN_BUILD_TESTS=OFF", "-DKIN_BUILD_BENCH=OFF", *cls.WITHOUT])
        run(["cmake", "--build", cls.folder, "--parallel", os.cpu_count(), "--target", "kinform_installed"])
        cls.prefix = cls.folder / "prefix"
        run(["cmake", "--install", cls.folder, "--prefix", cls.prefix])
        cls.libdir = cls.prefix / libdir_of(cls.folder)
        cls.kinform = cls.folder / "bin" / "kinform"

    def check_headers(self):
        """Each has only what is there, and the one that includes the others has no more than these."""
        include = self.prefix / "include"
        self.assertEqual(declared(include) - exported(self.libdir / "libkinform.so"), set())
        source = self.folder / "main.c"
        source.write_text("#include <kinform.h>\nint main(void)\n{\n    return kin_version_string() == NULL;\n}\n")
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.libdir / "pkgconfig"), "LD_LIBRARY_PATH": str(self.libdir)}
        flags = run(["pkg-config", "--cflags", "--libs", "kinform"], env=environment)[0].split()
        run([*shlex.split(OPTIONS.cc), "-Wall", "-Werror", source, *flags, "-o", self.folder / "main"])
        run([self.folder / "main"], env=environment)

    def find_package(self, components, status):
        """What cmake says when this is looked for."""
        folder = self.folder / "consumer"
        folder.mkdir(exist_ok=True)
        (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(consumer LANGUAGES C)\n"
                                               f"find_package(kinform REQUIRED {components})\n")
        return "".join(run(["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}"], status))


class AutoTest(unittest.TestCase):
    """KIN_BUILD_TESTS=AUTO on a machine that lacks what the tests need, and on this one."""

    def configure(self, folder, value, *more, status=0):
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        return "".join(run(["cmake", "-S", OPTIONS.source, "-B", folder, *generator, f"-DCMAKE_C_COMPILER={OPTIONS.cc}",
                            f"-DKIN_BUILD_TESTS={value}", f"-DKIN_BUILD_BENCH={value}", *more], status))

    @staticmethod
    def targets(folder):
        return run(["cmake", "--build", folder, "--target", "help"])[0]

    def test_tests_are_left_out_until_they_can_be_built(self):
        without = ("-DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON")
        with tempfile.TemporaryDirectory(prefix="kinform-auto-") as folder:
            said = self.configure(folder, "AUTO", *without)
            self.assertIn("Left out: the tests and examples", said)
            self.assertIn("Left out: the benchmark programs", said)
            targets = self.targets(folder)
            self.assertRegex(targets, r"\bkinform_cli\b")
            self.assertRegex(targets, r"\bkinform_installed\b")
            self.assertNotIn("unit.base", targets)
            # Strict, as `make check` is, it is an error; and later, in the same folder, all of it is there.
            self.assertIn("OpenSSL", self.configure(folder, "ON", *without, status=1))
            here = [option.replace("=ON", "=OFF") for option in without]
            self.assertNotIn("Left out", self.configure(folder, "ON", *here))
            with_tests = self.targets(folder)
            self.assertIn("unit.base.map", with_tests)
            self.assertIn("kin-bench-map", with_tests)
            self.assertNotIn("Left out", self.configure(folder, "AUTO", *here))
            self.assertEqual(self.targets(folder), with_tests)


class CommandTest(BuildTest):
    WITHOUT = ("-DKIN_APISERVER=OFF", "-DKIN_SNAPSHOT=OFF")

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

    def test_it_says_which_options_are_not_in_it(self):
        for name in ("get", "watch"):
            for arguments in (["--snapshot", "f"], ["--snapshot=f"], ["--snapshot"]):
                _, err = run([self.kinform, name, "pods", *arguments], status=1)
                self.assertEqual(err, "kinform: --snapshot is not in this build, which was made without snapshots "
                                      "(KIN_SNAPSHOT=OFF)\n")
            self.assertRegex(self.says(name, "--help"), r"(?m)^ +--snapshot FILE .* \(not in this build\)$")
            offered = self.says("completion", "__complete", "bash", "--", name, "--")
            self.assertIn("--namespace", offered)
            self.assertNotIn("--snapshot", offered)

    def test_the_rest_works(self):
        self.assertRegex(self.says("version"), r"\Akinform \d")
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("kinform completion", self.says("completion", shell))
        self.assertIn("watch", self.says("completion", "__complete", "bash", "--", ""))
        _, err = run([self.kinform, "get", "pods", "--server", "http://127.0.0.1:1"], status=5)
        self.assertIn("is the server running", err)

    def test_it_needs_no_more_than_that(self):
        needed = run([OPTIONS.readelf, "-d", self.kinform])[0]
        needed += run([OPTIONS.readelf, "-d", self.folder / "lib" / "libkinform.so"])[0]
        self.assertIn("libcurl", needed)
        for library in ("libkinform-apiserver", "libmicrohttpd", "libgnutls", "libsqlite3", "libzstd"):
            self.assertNotIn(library, needed)

    def test_headers(self):
        self.check_headers()
        self.assertFalse((self.prefix / "include/kinform/snapshot.h").exists())
        self.assertTrue((self.prefix / "include/kinform/informer.h").exists())

    def test_find_package(self):
        self.find_package("", 0)
        self.assertIn("this kinform was built without its API server", " ".join(self.find_package("COMPONENTS apiserver", 1).split()))


class LibraryTest(BuildTest):
    WITHOUT = ("-DKIN_CLIENT=OFF", "-DKIN_APISERVER=OFF", "-DKIN_SNAPSHOT=OFF")

    def test_headers(self):
        self.check_headers()
        left = {path.stem for path in (self.prefix / "include/kinform").iterdir()}
        self.assertTrue({"object", "store", "lister", "delta_fifo", "work_queue", "yaml"} <= left)
        self.assertFalse({"client", "informer", "reconciler", "snapshot", "apiserver"} & left)

    def test_there_is_no_command(self):
        self.assertFalse((self.prefix / "bin").exists())
        self.assertFalse((self.prefix / "share/man").exists())

    def test_it_needs_no_more_than_that(self):
        needed = run([OPTIONS.readelf, "-d", self.libdir / "libkinform.so"])[0]
        for library in ("libcurl", "libz.", "libzstd", "libgnutls"):
            self.assertNotIn(library, needed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("source", "cc", "readelf"):
        parser.add_argument(f"--{name}", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
