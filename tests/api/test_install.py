#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Install into an empty place, move it, and use it as others do: pkg-config and find_package.

    test_install.py --build DIR --cc CC --cxx CXX --version X.Y.Z --readelf READELF
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from machine import declared, exported, run

ROOT = Path(__file__).resolve().parents[2]
CONSUMER = Path(__file__).resolve().parent / "consumer"
OPTIONS = None


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
        return run(["pkg-config", *arguments, *package.split()], env=environment).split()

    def private(self, package):
        """What a package needs that its users do not."""
        said = run(["pkg-config", "--print-requires-private", package],
                   env={**os.environ, "PKG_CONFIG_PATH": str(self.libdir / "pkgconfig")})
        return [line.split()[0] for line in said.splitlines() if line.strip()]

    def ours_static(self, package):
        """What links our libraries static, and the others as the linker likes."""
        packages = ["kinform-apiserver", "kinform"] if package == "kinform-apiserver" else ["kinform"]
        needs = [need for each in packages for need in self.private(each)]
        flags = self.pkg_config("--libs", package=" ".join([package, *needs]))
        return [re.sub("^-l(kinform.*)$", r"-l:lib\1.a", flag) for flag in flags]

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
        source = ROOT / "include"
        expected = {p.relative_to(source) for p in source.rglob("*.h")}
        if OPTIONS.apiserver and OPTIONS.command and OPTIONS.snapshot:
            self.assertEqual(headers, expected)
        else:
            self.assertLess(headers, expected)

    def test_what_headers_declare_is_there(self):
        functions = declared(self.prefix / "include")
        self.assertGreater(len(functions), 300)
        self.assertEqual(functions - exported(*self.libdir.glob("libkinform*.so")), set())

    def test_documents_find_each_other(self):
        """But for what is in the source tree only."""
        folder = self.prefix / "share/doc/kinform"
        documents = list(folder.rglob("*.md"))
        self.assertLessEqual({ROOT / "README.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/*.md")},
                             {ROOT / path.relative_to(folder) for path in documents})
        n = 0
        for document in documents:
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
                place = Path(os.path.normpath(document.parent / target)).relative_to(folder)
                n += 1
                if place.parts[0] in ("src", "tests", "tools"):
                    continue
                with self.subTest(document=document.relative_to(folder), target=target):
                    self.assertTrue((folder / place).exists())
        self.assertGreater(n, 100, "the documents were not understood")
        for example in ROOT.glob("examples/*.c"):
            self.assertTrue((folder / "examples" / example.name).is_file(), example.name)

    def test_one_header_has_all_others(self):
        """But that of the second library."""
        included = re.findall(r"^#include <(kinform/.*)>$", (self.prefix / "include/kinform.h").read_text(), re.M)
        headers = {str(p.relative_to(self.prefix / "include")) for p in (self.prefix / "include/kinform").rglob("*.h")}
        self.assertEqual(set(included), headers - {"kinform/apiserver.h"})

    def test_completions_are_what_the_command_says(self):
        self.need_command()
        share = self.prefix / "share"
        for shell, name in (("bash", "bash-completion/completions/kinform"), ("zsh", "zsh/site-functions/_kinform"),
                            ("fish", "fish/vendor_completions.d/kinform.fish")):
            self.assertEqual((share / name).read_text(), run([self.prefix / "bin/kinform", "completion", shell]))

    def test_the_command_runs_from_where_it_lies(self):
        self.need_command()
        self.assertEqual(run([self.prefix / "bin" / "kinform", "version"], env={"PATH": os.environ["PATH"]}),
                         f"kinform {OPTIONS.version}\n")
        self.assertTrue((self.prefix / "share/man/man1/kinform.1").is_file())

    def test_soname(self):
        major, minor = OPTIONS.version.split(".")[:2]
        abi = major if major != "0" else f"0.{minor}"
        for library in ["libkinform", *(["libkinform-apiserver"] if OPTIONS.apiserver else [])]:
            self.assertIn(f"[{library}.so.{abi}]",
                          run([OPTIONS.readelf, "-d", self.libdir / f"{library}.so"]))

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

    def test_cxx_with_every_header(self):
        """One after the other, and not by the header that has them all."""
        headers = sorted(p.relative_to(self.prefix / "include")
                         for p in (self.prefix / "include/kinform").rglob("*.h"))
        source = self.folder / "headers.cpp"
        source.write_text("".join(f"#include <{header}>\n" for header in headers) +
                          "#include <cstdio>\n"
                          "int main() { std::printf(\"%s %s\\n\", KIN_VERSION_STRING, kin_version_string()); }\n")
        program = self.folder / self.id()
        run([*shlex.split(OPTIONS.cxx), "-std=c++11", "-Wall", "-Wextra", "-pedantic", "-Werror",
             *self.pkg_config("--cflags"), source, "-o", program, *self.pkg_config("--libs")])
        self.assert_runs(program, True)

    def test_examples(self):
        """Those that others begin with need nothing but what is installed."""
        self.need_command()
        for name, *more in (("first",), ("informer",), ("loop-epoll", "pods.c")):
            with self.subTest(name):
                sources = [ROOT / "examples" / source for source in (f"{name}.c", *more)]
                run([*shlex.split(OPTIONS.cc), "-Wall", "-Wextra", "-Werror", *self.pkg_config("--cflags"), *sources,
                     "-o", self.folder / name, *self.pkg_config("--libs")])

    def test_c_static(self):
        libraries = self.ours_static("kinform")
        self.assertIn("-l:libkinform.a", libraries)
        self.assert_runs(self.compile(OPTIONS.cc, "c", "c11", libraries), False)

    def test_pkg_config_asks_the_others(self):
        """What they need themselves is in what --static says, and nothing of them in what is said without it."""
        expected = {"kinform": {"yaml-0.1"}}
        if OPTIONS.command:
            expected["kinform"] |= {"libcurl", "zlib"}
        if OPTIONS.snapshot:
            expected["kinform"] |= {"libzstd"}
        if OPTIONS.apiserver:
            expected["kinform-apiserver"] = {"libmicrohttpd", "gnutls", "sqlite3", "zlib"}
        for package, others in expected.items():
            self.assertEqual(set(self.private(package)), others)
            static = self.pkg_config("--static", "--libs", package=package)
            for other in others:
                with self.subTest(package=package, other=other):
                    self.assertLessEqual(set(self.pkg_config("--static", "--libs", package=other)), set(static))
            self.assertEqual({flag for flag in self.pkg_config("--libs", package=package) if not flag.startswith("-L")},
                             {"-lkinform", f"-l{package}"})

    def test_all_static(self):
        """With what --static says, if the others can be linked so here: not all development packages have what theirs say."""
        program = self.folder / "empty"
        source = self.folder / "empty.c"
        source.write_text("int main(void)\n{\n    return 0;\n}\n")
        others = [flag for flag in self.pkg_config("--static", "--libs") if flag != "-lkinform"]
        if subprocess.run([*shlex.split(OPTIONS.cc), "-static", source, *others, "-o", program], capture_output=True).returncode:
            self.skipTest("the libraries that it needs are not here as static ones")
        self.assert_runs(self.compile(OPTIONS.cc, "c", "c11", ["-static", *self.pkg_config("--static", "--libs")]), False)

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

    def need_command(self):
        if not OPTIONS.command:
            self.skipTest("built without the command")

    def need_apiserver(self):
        if not OPTIONS.apiserver:
            self.skipTest("built without the API server")

    def test_apiserver_shared(self):
        self.need_apiserver()
        libraries = self.pkg_config("--libs", package="kinform-apiserver")
        self.assert_serves(self.compile_apiserver(*libraries), True)

    def test_apiserver_static(self):
        self.need_apiserver()
        libraries = self.ours_static("kinform-apiserver")
        self.assertIn("-l:libkinform-apiserver.a", libraries)
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

    def test_find_package_with_components(self):
        build = self.folder / "components"
        apiserver = "ON" if OPTIONS.apiserver else "OFF"
        for wanted in ("OPTIONAL_COMPONENTS;apiserver", "OPTIONAL_COMPONENTS;nothing"):
            said = self.configure(build, OPTIONS.version, f"-DWANTED_COMPONENTS={wanted}")
            self.assertIn(f"kinform_apiserver_FOUND: {apiserver}\n", said)
        with self.assertRaisesRegex(AssertionError, "kinform has no component nothing, only apiserver"):
            self.configure(build, OPTIONS.version, "-DWANTED_COMPONENTS=COMPONENTS;nothing")
        if OPTIONS.apiserver:
            self.configure(build, OPTIONS.version, "-DWANTED_COMPONENTS=COMPONENTS;apiserver")

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
    parser.add_argument("--command", action="store_true")
    parser.add_argument("--snapshot", action="store_true")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
