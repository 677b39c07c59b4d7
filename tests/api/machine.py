# SPDX-License-Identifier: Apache-2.0
"""What tests of an installation share: a machine to install on, commands, blocks of documents."""
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from typed import Typed

ROOT = Path(__file__).resolve().parents[2]


def run(command, **more):
    """The output of a command; what it said is part of the failure."""
    result = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, **more)
    if result.returncode != 0:
        raise AssertionError(f"{shlex.join(map(str, command))}: {result.returncode}\n{result.stdout}")
    return result.stdout


def blocks_of(document):
    """(language, text) of what stands between fences."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", (ROOT / document).read_text(), re.M | re.S)


def declared(include):
    """The functions that the headers of a folder declare."""
    return {name for header in Path(include).rglob("*.h")
            for name in re.findall(r"^KIN_API [^;]*?\b(kin_\w+)\(", header.read_text(), re.M)}


def exported(*libraries):
    """The symbols of shared libraries."""
    return {line.split()[-1].split("@")[0] for library in libraries
            for line in run(["nm", "-D", "--defined-only", library]).splitlines()}


def libdir_of(build):
    """lib, or what the distribution has in its place."""
    return re.search(r"^CMAKE_INSTALL_LIBDIR:\w+=(.*)$", (Path(build) / "CMakeCache.txt").read_text(), re.M)[1]


class Machine:
    """A machine that kinform has not been installed on: a clone, and a prefix that takes the place of /usr/local.

    What the real one has of /usr/local is told by variables. Programs find libraries by a folder that a stub of ldconfig
    fills, so nobody finds those that it was not told of. The clone's make has cmake install this build, and build nothing.
    """

    CMAKE = """#!/bin/sh
case "$1 $2" in
--preset*|"--build --preset") exit 0 ;;
"--install build/release"|"--install "*/build/release) shift 2; exec {cmake} --install {build} "$@" ;;
esac
exec {cmake} "$@"
"""
    LDCONFIG = """#!/bin/sh
case " $* " in
*" -v "*) printf '%s: (from /etc/ld.so.conf:1)\\n\\tlibx.so.1 -> libx.so.1.0\\n/nowhere: (from <builtin>:0)\\n' {looks} ;;
*) cd {cache} && rm -f ./* && find {looks} -maxdepth 1 -name '*.so*' -exec ln -s '{{}}' . ';' ;;
esac
"""

    def __init__(self, folder, build, cc):
        libdir = libdir_of(build)
        self.folder = folder
        self.prefix = folder / "usr-local"
        self.clone = folder / "clone"
        self.cache = folder / "ld.so.cache"
        stubs = folder / "stubs"
        for made in (self.clone, self.cache, stubs):
            made.mkdir(parents=True)
        for path in ROOT.iterdir():
            if path.name not in ("build", ".git"):
                (self.clone / path.name).symlink_to(path)
        stub = {"cmake": self.CMAKE, "ldconfig": self.LDCONFIG, "cc": f'#!/bin/sh\nexec {shutil.which(cc) or cc} "$@"\n'}
        for name, text in stub.items():
            (stubs / name).write_text(text if name == "cc" else
                                      text.format(cmake=shutil.which("cmake"), build=build,
                                                  looks=self.prefix / libdir, cache=self.cache))
            (stubs / name).chmod(0o755)
        # make's own variables, if make runs the tests, are not for the make that is typed here.
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "DESTDIR", "PREFIX", "PKG_CONFIG_LIBDIR")}
        self.environment.update(PATH=f"{stubs}:{self.prefix}/bin:{os.environ['PATH']}", LD_LIBRARY_PATH=str(self.cache),
                                PKG_CONFIG_PATH=str(self.prefix / libdir / "pkgconfig"))

    def words(self, script):
        """The command for what is typed, with the prefix in place of /usr/local."""
        return ["bash", "-e", "-c", script.replace("/usr/local", str(self.prefix))]

    def type(self, script, cwd=None):
        """What is said when this is typed in the clone, or elsewhere."""
        return run(self.words(script), stdin=subprocess.DEVNULL, env=self.environment, cwd=cwd or self.clone)

    def terminal(self, script, cwd=None):
        """A terminal in which this is typed."""
        return Typed(self.words(script), env=self.environment, cwd=cwd or self.clone)
