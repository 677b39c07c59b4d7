#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files that are installed are hardened: what the compiler and the linker know is used, and shown by readelf.

    test_hardening.py --source DIR --build DIR --cc CC --readelf READELF --flag FLAG... [--optimized] FILE...

FILEs are programs, shared libraries and archives of the build tree. FLAGs are those that the compiler of the build knows.
"""
import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

OPTIONS = None


def run(*command):
    result = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise AssertionError(f"{shlex.join(map(str, command))}: {result.returncode}\n{result.stdout}")
    return result.stdout


def readelf(*arguments):
    return run(*shlex.split(OPTIONS.readelf), "-W", *arguments)


def search_paths(dynamic):
    """The folders of RPATH and RUNPATH in the output of readelf -d."""
    return [folder for paths in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic) for folder in paths.split(":")]


class HardeningTest(unittest.TestCase):
    def linked(self):
        for path in OPTIONS.files:
            if path.suffix != ".a":
                with self.subTest(path=path.name):
                    yield path

    def archives(self):
        for path in OPTIONS.files:
            if path.suffix == ".a":
                with self.subTest(path=path.name):
                    yield path

    def test_there_are_files_of_all_kinds(self):
        self.assertTrue(any(path.suffix == ".a" for path in OPTIONS.files))
        self.assertTrue(any(".so" in path.name for path in OPTIONS.files))

    def test_no_library_is_looked_for_in_the_current_directory(self):
        self.assertEqual(search_paths(" 0x1d (RUNPATH)  Library runpath: [/a:]"), ["/a", ""])
        for path in self.linked():
            for folder in search_paths(readelf("-d", path)):
                self.assertRegex(folder, r"^(/|\$ORIGIN(/|$))")

    def test_relocations_are_done_at_the_start_and_read_only_then(self):
        for path in self.linked():
            self.assertIn("GNU_RELRO", readelf("-l", path))
            dynamic = readelf("-d", path)
            self.assertRegex(dynamic, r"\(FLAGS\).*BIND_NOW|\(BIND_NOW\)|\(FLAGS_1\).*\bNOW\b")

    def test_the_code_has_no_fixed_place(self):
        for path in self.linked():
            self.assertRegex(readelf("-h", path), r"Type:\s+DYN")

    def test_no_memory_is_writable_and_executable(self):
        for path in self.linked():
            segments = re.findall(r"^\s+(LOAD|GNU_STACK)\s+(?:0x\w+\s+){5}([RWE ]{3})", readelf("-l", path), re.M)
            self.assertIn("GNU_STACK", [kind for kind, _ in segments])
            for kind, flags in segments:
                self.assertFalse("W" in flags and "E" in flags, kind)

    def test_stacks_are_protected(self):
        for path in self.linked():
            self.assertIn("__stack_chk_fail", readelf("--dyn-syms", path))

    def test_functions_of_the_c_library_are_checked(self):
        if not OPTIONS.optimized:
            self.skipTest("_FORTIFY_SOURCE needs optimization")
        for path in self.linked():
            self.assertRegex(readelf("--dyn-syms", path), r"__\w+_chk\b(?<!__stack_chk)")

    def test_control_flow_is_protected(self):
        if "-fcf-protection=full" not in OPTIONS.flag:
            self.skipTest("the compiler does not know -fcf-protection")
        for path in self.archives():
            members = re.split(r"^File: ", readelf("-n", path), flags=re.M)[1:]
            self.assertGreater(len(members), 10)
            for member in members:
                self.assertIn("IBT, SHSTK", member)

    def test_every_file_is_compiled_with_all_flags(self):
        """A stack that is probed page by page cannot be told from the finished file."""
        entries = json.loads((OPTIONS.build / "compile_commands.json").read_text())
        commands = [shlex.split(entry["command"]) for entry in entries]
        ours = [c for c in commands if c[c.index("-o") + 1].startswith("src/")]
        self.assertGreater(len(ours), 100)
        for command in ours:
            for flag in OPTIONS.flag:
                self.assertIn(flag, command)


class DefaultTest(unittest.TestCase):
    def test_a_build_without_a_type_is_optimized(self):
        folder = Path(tempfile.mkdtemp(prefix="kinform-hardening-"))
        self.addCleanup(shutil.rmtree, folder)
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        run("cmake", "-S", OPTIONS.source, "-B", folder, *generator, f"-DCMAKE_C_COMPILER={OPTIONS.cc}",
            "-DKIN_BUILD_TESTS=OFF", "-DKIN_BUILD_BENCH=OFF", "-DKIN_APISERVER=OFF", "-DKIN_SNAPSHOT=OFF")
        self.assertIn("CMAKE_BUILD_TYPE:STRING=RelWithDebInfo\n", (folder / "CMakeCache.txt").read_text())
        self.assertIn(" -O2 ", (folder / "compile_commands.json").read_text())


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--readelf", default="readelf")
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("--optimized", action="store_true")
    parser.add_argument("files", type=Path, nargs="+")
    OPTIONS = parser.parse_args()
    unittest.main(argv=[sys.argv[0]])


if __name__ == "__main__":
    main()
