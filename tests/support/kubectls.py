# SPDX-License-Identifier: Apache-2.0
"""Where a kubectl is: the one on the PATH, or Debian's, which is old enough to be another client.

Debian's is used where it is installed. Else its package is fetched and unpacked into a folder of the
build: nothing is installed, so that a kubectl that is there stays what it is.
"""
import os
import shutil
import subprocess

PACKAGE = "kubernetes-client"
FETCH_SECONDS = 300


class NotThere(Exception):
    """There is no such kubectl here; says why."""


def is_strict():
    return os.environ.get("KIN_STRICT") == "1"


def run(command, folder=None):
    try:
        return subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=FETCH_SECONDS)
    except subprocess.TimeoutExpired:
        raise NotThere(f"{' '.join(command)} does not end") from None


def on_path():
    found = shutil.which("kubectl")
    if found is None:
        raise NotThere("no kubectl is on the PATH")
    return found


def is_installed():
    state = run(["dpkg-query", "-W", "-f=${db:Status-Status}", PACKAGE])
    return state.returncode == 0 and state.stdout == "installed"


def fetch(folder):
    """Brings the package into a folder; the lists of packages may be missing or old."""
    said = run(["apt-get", "download", PACKAGE], folder)
    if said.returncode != 0 and os.geteuid() == 0:
        run(["apt-get", "-qq", "update"])
        said = run(["apt-get", "download", PACKAGE], folder)
    packages = sorted(folder.glob(f"{PACKAGE}_*.deb"))
    if said.returncode != 0 or not packages:
        raise NotThere(f"the package {PACKAGE} cannot be fetched: {said.stdout.strip()[-300:]}")
    return packages[-1]


def of_debian(cache):
    if not all(shutil.which(name) for name in ("apt-get", "dpkg-deb", "dpkg-query")):
        raise NotThere("this is no Debian")
    if is_installed():
        return "/usr/bin/kubectl"
    target = cache.resolve() / "debian" / "usr" / "bin" / "kubectl"
    if not target.exists():
        # Unpacked beside its place, so that a run that is stopped leaves no half of it.
        part = cache.resolve() / "part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        package = fetch(part)
        said = run(["dpkg-deb", "-x", str(package), str(part / "files")])
        if said.returncode != 0:
            raise NotThere(f"{package.name} cannot be unpacked: {said.stdout.strip()[-300:]}")
        shutil.rmtree(cache / "debian", ignore_errors=True)
        (part / "files").rename(cache / "debian")
        shutil.rmtree(part)
    return str(target)


def find(which, cache):
    """The program; raises NotThere."""
    return of_debian(cache) if which == "debian" else on_path()


def may_be_missing(which):
    """Whether a run without it is merely skipped. A strict run wants one of them at least."""
    if not is_strict():
        return True
    return which == "path" or shutil.which("kubectl") is not None
