#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/setup on pretended machines: a PATH that holds nothing but stubs."""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SETUP = Path(__file__).resolve().parents[2] / "tools" / "setup"

BUILD = ("gcc libc6-dev make cmake ninja-build pkg-config libxxhash-dev libyaml-dev libcurl4-openssl-dev "
         "zlib1g-dev libmicrohttpd-dev libgnutls28-dev libsqlite3-dev libzstd-dev").split()

CHECK = BUILD + ("g++ binutils python3 libcmocka-dev libjansson-dev libssl-dev libuv1-dev libevent-dev tmux "
                 "groff-base zsh fish locales").split()

BENCH = CHECK + ["ca-certificates", "curl"]

# What a machine has without any of the packages above.
REAL_TOOLS = ("sh", "cat", "sed", "find", "grep")

# Commands that a package puts on the PATH.
COMMANDS = {
    "gcc": ["cc", "gcc"], "g++": ["c++", "g++"], "make": ["make"], "cmake": ["cmake"],
    "ninja-build": ["ninja"], "pkg-config": ["pkg-config"], "binutils": ["nm"],
    "python3": ["python3"], "clang": ["clang"], "clang-tidy": ["clang-tidy"],
    "clang-format": ["clang-format"], "cppcheck": ["cppcheck"], "git": ["git"],
    "musl-tools": ["musl-gcc"],
    "llvm": ["llvm-symbolizer"],
}

DPKG_QUERY = """#!/bin/sh
for package; do :; done
while read -r p; do
    [ "$p" = "$package" ] && { printf 'installed '; exit 0; }
done <"$FAKE/installed"
exit 1
"""

APT_GET = """#!/bin/sh
printf 'apt-get %s frontend=%s\\n' "$*" "${DEBIAN_FRONTEND:-}" >>"$FAKE/calls"
case " $* " in
*' update '*) exit "${UPDATE_STATUS:-0}" ;;
esac
[ "${INSTALL_STATUS:-0}" = 0 ] || exit "$INSTALL_STATUS"
for p; do
    case $p in
    -* | install) ;;
    *)
        [ "${INSTALL_DOES:-it}" = nothing ] && continue
        printf '%s\\n' "$p" >>"$FAKE/installed"
        "$FAKE/bring" "$p" ;;
    esac
done
"""

APT_CACHE = """#!/bin/sh
case $1 in
show)
    while read -r p; do
        [ "$p" = "$2" ] && printf 'Package: %s\\n' "$p"
    done <"$FAKE/known"
    exit 0 ;;
depends) # the lists are empty before an update
    grep -q update "$FAKE/calls" && printf '%s\\n' "$2" "  Depends: $2-18" ;;
esac
"""

CLANG = """#!/bin/sh
case $1 in
-dumpversion) echo 14.0.6 ;;
-print-resource-dir) echo "$FAKE/resource" ;;
*) exit 0 ;;
esac
"""


class Machine:
    """A PATH of its own. `installed` are the packages that are there at the start."""

    def __init__(self, root, installed, uid=0, apt=True, known=()):
        self.root = Path(root)
        self.bin = self.root / "bin"
        self.bin.mkdir()
        (self.root / "resource").mkdir()
        for tool in REAL_TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.script("id", f"#!/bin/sh\necho {uid}\n")
        (self.root / "known").write_text("".join(p + "\n" for p in known))
        (self.root / "installed").write_text("".join(p + "\n" for p in installed))
        (self.root / "calls").write_text("")
        # Installing puts commands on the PATH: linked from where all of them lie ready.
        self.shelf = self.root / "shelf"
        self.shelf.mkdir()
        bring = ["#!/bin/sh", "case $1 in"]
        for package, commands in COMMANDS.items():
            for command in commands:
                self.script(command, self.command_text(command), self.shelf)
            links = "; ".join(f'{shutil.which("ln")} -sf "$FAKE/shelf/{c}" "$FAKE/bin/{c}"'
                              for c in commands)
            bring.append(f"{package}) {links} ;;")
        bring.append('libclang-*) : >"$FAKE/resource/libclang_rt.fuzzer-x86_64.a" ;;')
        bring.append("esac")
        self.script("bring", "\n".join(bring) + "\n", self.root)
        if apt:
            self.script("dpkg-query", DPKG_QUERY)
            self.script("apt-get", APT_GET)
            self.script("apt-cache", APT_CACHE)
        for package in installed:
            for command in COMMANDS.get(package, []):
                self.add(command)

    @staticmethod
    def command_text(command):
        if command == "cmake":
            return '#!/bin/sh\necho "cmake version ${CMAKE_IS:-3.25.1}"\n'
        if command == "python3":
            return '#!/bin/sh\necho "Python ${PYTHON_IS:-3.11.2}"\n'
        if command == "clang":
            return CLANG
        if command in ("cc", "gcc"):
            # Preprocesses: knows the headers that are in $FAKE/headers.
            return ('#!/bin/sh\nread -r line; h=${line#*<}; h=${h%>*}\n'
                    '[ -e "$FAKE/headers/$h" ]\n')
        return "#!/bin/sh\n"

    def script(self, name, text, folder=None):
        path = (folder or self.bin) / name
        path.write_text(text)
        path.chmod(0o755)

    def add(self, command):
        self.script(command, self.command_text(command))

    def setup(self, *arguments, **environment):
        env = {"PATH": str(self.bin), "FAKE": str(self.root), **environment}
        return subprocess.run([str(self.bin / "sh"), str(SETUP), *arguments], env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)

    def calls(self):
        return (self.root / "calls").read_text().splitlines()


class SetupTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def machine(self, installed, **arguments):
        return Machine(self.folder.name, installed, **arguments)

    def test_nothing_missing_says_and_does_nothing(self):
        m = self.machine(CHECK)
        run = m.setup("check")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))
        self.assertEqual(m.calls(), [])

    def test_root_installs_only_what_is_missing(self):
        m = self.machine([p for p in CHECK if p not in ("cmake", "libcmocka-dev")])
        run = m.setup("check")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout, "tools/setup: installing: cmake libcmocka-dev\n")
        self.assertEqual(m.calls(), [
            "apt-get -qq update frontend=noninteractive",
            "apt-get -q install -y --no-install-recommends cmake libcmocka-dev "
            "frontend=noninteractive"])

    def test_root_on_an_empty_machine_installs_all(self):
        m = self.machine([])
        run = m.setup("check")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("installing: " + " ".join(CHECK) + "\n", run.stdout)
        self.assertEqual(m.setup("check").stdout, "", "the second time nothing is missing")

    def test_building_needs_nothing_of_the_tests(self):
        m = self.machine([])
        run = m.setup("build")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout, "tools/setup: installing: " + " ".join(BUILD) + "\n")
        self.assertEqual(m.setup("build").stdout, "", "the second time nothing is missing")
        self.assertIn("installing: " + " ".join(p for p in CHECK if p not in BUILD) + "\n", m.setup("check").stdout)

    def test_building_needs_no_python(self):
        m = self.machine(BUILD)
        self.assertEqual(m.setup("build", PYTHON_IS="3.9.2").returncode, 0)
        self.assertIn("cmake 3.22.1 is too old", m.setup("build", CMAKE_IS="3.22.1").stderr)

    def test_what_commands_of_make_need(self):
        make = shutil.which("make")
        for command, purpose in (("run", "build"), ("all", "build"), ("install", "build"), ("check", "check"),
                                 ("asan", "check"), ("bench", "bench")):
            said = subprocess.run([make, "-n", command], cwd=SETUP.parents[1], text=True, stdout=subprocess.PIPE,
                                  check=True, timeout=60).stdout
            self.assertIn(f"tools/setup {purpose}\n", said, command)
            self.assertEqual("KIN_BUILD_TESTS=AUTO" in said, purpose == "build", said)

    def test_without_root_the_command_to_type(self):
        m = self.machine([p for p in CHECK if p != "libxxhash-dev"], uid=1000)
        run = m.setup("check")
        self.assertEqual(run.returncode, 1)
        self.assertIn("sudo apt-get install -y --no-install-recommends libxxhash-dev\n", run.stdout)
        self.assertEqual(m.calls(), [], "nothing may run")

    def test_without_root_and_nothing_missing(self):
        run = self.machine(CHECK, uid=1000).setup("check")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))

    def test_what_only_examples_need_is_installed(self):
        m = self.machine([p for p in CHECK if p not in ("libuv1-dev", "libevent-dev")])
        self.assertIn("installing: libuv1-dev libevent-dev\n", m.setup("check").stdout)

    def test_what_only_examples_need_is_no_reason_to_stop(self):
        m = self.machine([p for p in CHECK if p not in ("libuv1-dev", "libevent-dev")], uid=1000)
        run = m.setup("check")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))

    def test_install_fails(self):
        m = self.machine([p for p in CHECK if p != "cmake"])
        run = m.setup("check", INSTALL_STATUS="100")
        self.assertEqual(run.returncode, 1)
        self.assertIn("apt-get could not install: cmake", run.stderr)

    def test_install_brings_nothing(self):
        m = self.machine([p for p in CHECK if p != "cmake"])
        run = m.setup("check", INSTALL_DOES="nothing")
        self.assertEqual(run.returncode, 1)
        self.assertIn("still missing: cmake", run.stderr)

    def test_update_fails_but_install_works(self):
        m = self.machine([p for p in CHECK if p != "cmake"])
        run = m.setup("check", UPDATE_STATUS="100")
        self.assertEqual(run.returncode, 0)
        self.assertIn("update failed", run.stderr)

    def test_a_tool_that_is_no_package_counts(self):
        m = self.machine([p for p in CHECK if p not in ("cmake", "ninja-build")])
        m.add("cmake")
        m.add("ninja")
        run = m.setup("check")
        self.assertEqual((run.returncode, run.stdout), (0, ""))

    def test_clang_as_the_only_compiler(self):
        m = self.machine([p for p in CHECK if p not in ("gcc", "g++")])
        m.add("clang")
        m.add("clang++")
        run = m.setup("check", CC="clang -m64", CXX="clang++")
        self.assertEqual((run.returncode, run.stdout), (0, ""))
        run = m.setup("check")
        self.assertIn("installing: gcc g++\n", run.stdout)

    def test_lint_adds_its_tools(self):
        m = self.machine(CHECK + ["clang", "git"])
        run = m.setup("lint")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("installing: clang-tidy clang-format cppcheck musl-tools\n", run.stdout)

    def test_fuzz_wants_the_runtime_not_just_clang(self):
        m = self.machine(CHECK + ["clang", "llvm"],
                         known=["libclang-rt-14-dev", "libclang-common-14-dev"])
        run = m.setup("fuzz")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("installing: libclang-rt-14-dev\n", run.stdout)
        self.assertEqual(m.setup("fuzz").stdout, "")

    def test_fuzz_takes_the_name_that_the_distribution_has(self):
        m = self.machine(CHECK + ["clang", "llvm"], known=["libclang-common-14-dev"])
        self.assertIn("installing: libclang-common-14-dev\n", m.setup("fuzz").stdout)

    def test_fuzz_without_clang_takes_the_version_that_will_come(self):
        m = self.machine(CHECK, known=["libclang-rt-18-dev"])
        self.assertIn("installing: clang libclang-rt-18-dev llvm\n", m.setup("fuzz").stdout)

    def test_all_is_everything_once(self):
        m = self.machine(CHECK, known=["libclang-rt-18-dev"])
        run = m.setup("all")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("installing: clang clang-tidy clang-format cppcheck musl-tools git libclang-rt-18-dev "
                      "llvm ca-certificates curl\n", run.stdout)

    def test_no_apt_names_what_is_missing(self):
        m = self.machine([], apt=False)
        for command in ("cc", "make", "cmake", "ninja", "pkg-config", "nm", "python3"):
            m.add(command)
        (m.root / "headers").mkdir()
        for header in ("stdio.h", "xxhash.h", "yaml.h", "jansson.h"):
            (m.root / "headers" / header).touch()
        run = m.setup("check")
        self.assertEqual(run.returncode, 1)
        self.assertIn("a C++ compiler", run.stderr)
        self.assertIn("the header <cmocka.h>", run.stderr)
        self.assertNotIn("xxhash", run.stderr)
        self.assertNotIn("cmake", run.stderr)

    def test_no_apt_and_nothing_missing(self):
        m = self.machine([], apt=False)
        for command in ("cc", "c++", "make", "cmake", "ninja", "pkg-config", "nm", "python3"):
            m.add(command)
        (m.root / "headers").mkdir()
        for header in ("stdio.h", "xxhash.h", "yaml.h", "jansson.h", "cmocka.h", "openssl/ssl.h",
                       "curl/curl.h", "zlib.h", "microhttpd.h", "gnutls/gnutls.h", "sqlite3.h", "zstd.h"):
            (m.root / "headers" / header).parent.mkdir(exist_ok=True)
            (m.root / "headers" / header).touch()
        run = m.setup("check")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))

    def test_old_cmake(self):
        m = self.machine(CHECK)
        run = m.setup("check", CMAKE_IS="3.22.1")
        self.assertEqual(run.returncode, 1)
        self.assertIn("cmake 3.22.1 is too old: 3.25", run.stderr)
        for good in ("3.25", "3.25.1", "3.100.2", "4.0.0"):
            self.assertEqual(m.setup("check", CMAKE_IS=good).returncode, 0, good)

    def test_old_python(self):
        m = self.machine(CHECK)
        self.assertIn("python3 3.9.2 is too old", m.setup("check", PYTHON_IS="3.9.2").stderr)
        self.assertEqual(m.setup("check", PYTHON_IS="3.10.0").returncode, 0)

    def test_bench_says_when_go_is_absent(self):
        m = self.machine(BENCH)
        run = m.setup("bench")
        self.assertEqual(run.returncode, 0)
        self.assertIn("go is not installed", run.stdout)
        run = m.setup("bench", KIN_STRICT="1")
        self.assertEqual(run.returncode, 1)
        self.assertIn("go is not installed", run.stderr)
        m.add("go")
        run = m.setup("bench", KIN_STRICT="1")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))

    def test_wrong_usage(self):
        m = self.machine(CHECK)
        self.assertEqual(m.setup().returncode, 2)
        self.assertEqual(m.setup("everything").returncode, 2)


if __name__ == "__main__":
    unittest.main()
