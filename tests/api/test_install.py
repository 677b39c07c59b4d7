#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Install into an empty place, move it, and use it as others do: pkg-config and find_package.

    test_install.py --build DIR --cc CC --cxx CXX --version X.Y.Z --readelf READELF
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

CONSUMER = Path(__file__).resolve().parent / "consumer"
OPTIONS = None


def run(command, **more):
    """The output of a command; what it said is part of the failure."""
    result = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, **more)
    if result.returncode != 0:
        raise AssertionError(f"{shlex.join(map(str, command))}: {result.returncode}\n{result.stdout}")
    return result.stdout


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="kinform-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        staged = cls.folder / "staged"
        run(["cmake", "--install", OPTIONS.build, "--prefix", "/opt/kinform"],
            env={**os.environ, "DESTDIR": str(staged)})
        # Nothing may remember where it was installed to.
        cls.prefix = cls.folder / "elsewhere" / "kinform"
        cls.prefix.parent.mkdir()
        (staged / "opt" / "kinform").rename(cls.prefix)
        shutil.rmtree(staged)
        found = list(cls.prefix.rglob("kinform.pc"))
        assert len(found) == 1, found
        cls.libdir = found[0].parent.parent
        cls.expected = f"{OPTIONS.version} {OPTIONS.version}\n"

    def pkg_config(self, *arguments, package="kinform"):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.libdir / "pkgconfig")}
        environment.pop("PKG_CONFIG_LIBDIR", None)
        return run(["pkg-config", *arguments, package], env=environment).split()

    def needed(self, program):
        return "libkinform.so" in run([OPTIONS.readelf, "-d", program])

    def assert_runs(self, program, shared):
        self.assertEqual(self.needed(program), shared, "linked to the shared library")
        self.assertEqual(run([program], env={**os.environ, "LD_LIBRARY_PATH":
                                             str(self.libdir) if shared else ""}), self.expected)

    def compile(self, compiler, language, standard, libraries):
        program = self.folder / self.id()
        run([*shlex.split(compiler), f"-std={standard}", "-Wall", "-Wextra", "-pedantic", "-Werror",
             *self.pkg_config("--cflags"), "-x", language, CONSUMER / "main.c", "-x", "none",
             "-o", program, *libraries])
        return program

    def test_files(self):
        for name in ("include/kinform.h", "include/kinform/error.h", "share/doc/kinform/LICENSE",
                     "share/doc/kinform/README.md"):
            self.assertTrue((self.prefix / name).is_file(), name)
        headers = {p.relative_to(self.prefix / "include") for p in (self.prefix / "include").rglob("*")
                   if p.is_file()}
        source = Path(__file__).resolve().parents[2] / "include"
        expected = {p.relative_to(source) for p in source.rglob("*.h")}
        if not OPTIONS.apiserver:
            expected.remove(Path("kinform/apiserver.h"))
        self.assertEqual(headers, expected)

    def test_the_command_runs_from_where_it_lies(self):
        self.need_apiserver()
        self.assertEqual(run([self.prefix / "bin" / "kinform", "version"], env={"PATH": os.environ["PATH"]}),
                         f"kinform {OPTIONS.version}\n")
        self.assertTrue((self.prefix / "share/man/man1/kinform.1").is_file())

    def test_soname(self):
        major, minor = OPTIONS.version.split(".")[:2]
        abi = major if major != "0" else f"0.{minor}"
        self.assertIn(f"[libkinform.so.{abi}]",
                      run([OPTIONS.readelf, "-d", self.libdir / "libkinform.so"]))

    def test_nothing_names_the_build_or_the_first_prefix(self):
        for path in [*self.prefix.rglob("*.cmake"), *self.prefix.rglob("*.pc")]:
            text = path.read_text()
            self.assertNotIn(str(OPTIONS.build), text, path)
            self.assertNotIn("/opt/kinform", text, path)

    def test_pkg_config_version(self):
        self.assertEqual(self.pkg_config("--modversion"), [OPTIONS.version])

    def test_c_shared(self):
        self.assert_runs(self.compile(OPTIONS.cc, "c", "c11", self.pkg_config("--libs")), True)

    def test_cxx_shared(self):
        self.assert_runs(self.compile(OPTIONS.cxx, "c++", "c++11", self.pkg_config("--libs")), True)

    def test_c_static(self):
        libraries = ["-l:libkinform.a" if flag == "-lkinform" else flag
                     for flag in self.pkg_config("--static", "--libs")]
        self.assertIn("-l:libkinform.a", libraries)
        self.assert_runs(self.compile(OPTIONS.cc, "c", "c11", libraries), False)

    def compile_apiserver(self, *libraries):
        program = self.folder / self.id()
        run([*shlex.split(OPTIONS.cc), "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror",
             *self.pkg_config("--cflags", package="kinform-apiserver"), CONSUMER / "apiserver.c",
             "-o", program, *libraries])
        return program

    def assert_serves(self, program, shared):
        self.assertEqual("libkinform-apiserver.so" in run([OPTIONS.readelf, "-d", program]), shared)
        self.assertIn("http://127.0.0.1:", run([program], env={
            **os.environ, "LD_LIBRARY_PATH": str(self.libdir) if shared else ""}))

    def need_apiserver(self):
        if not OPTIONS.apiserver:
            self.skipTest("built without the API server")

    def test_apiserver_shared(self):
        self.need_apiserver()
        libraries = self.pkg_config("--libs", package="kinform-apiserver")
        self.assert_serves(self.compile_apiserver(*libraries), True)

    def test_apiserver_static(self):
        self.need_apiserver()
        static = {"-lkinform": "-l:libkinform.a", "-lkinform-apiserver": "-l:libkinform-apiserver.a"}
        libraries = [static.get(flag, flag) for flag in
                     self.pkg_config("--static", "--libs", package="kinform-apiserver")]
        self.assert_serves(self.compile_apiserver(*libraries), False)

    def test_apiserver_find_package(self):
        self.need_apiserver()
        build = self.folder / "consumer-apiserver"
        self.configure(build, OPTIONS.version, "-DWITH_APISERVER=ON")
        run(["cmake", "--build", build, "--target", "apiserver_shared", "apiserver_static"])
        self.assert_serves(build / "apiserver_shared", True)
        self.assert_serves(build / "apiserver_static", False)

    def configure(self, build, version, *more):
        return run(["cmake", "-S", CONSUMER, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                    f"-DWANTED_VERSION={version}", f"-DCMAKE_C_COMPILER={OPTIONS.cc}",
                    f"-DCMAKE_CXX_COMPILER={OPTIONS.cxx}", *more])

    def test_find_package(self):
        build = self.folder / "consumer"
        self.configure(build, OPTIONS.version)
        run(["cmake", "--build", build])
        self.assert_runs(build / "shared_c", True)
        self.assert_runs(build / "shared_cxx", True)
        self.assert_runs(build / "static_c", False)

    def test_find_package_refuses_another_version(self):
        with self.assertRaisesRegex(AssertionError, "kinform"):
            self.configure(self.folder / "other", "99.0")


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--readelf", default="readelf")
    parser.add_argument("--apiserver", action="store_true")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
