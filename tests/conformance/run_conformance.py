#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run client-go's own tests of tools/cache and util/workqueue on the C library, and v0.32's of its queues.

    run_conformance.py --build DIR --library FILE [--run REGEX] [--package tools/cache] [--verbose]

In DIR a copy of client-go's module is made, of links into the module cache. In it the packages consist of the Go
files of this folder, which call the C library FILE, and of client-go's own *_test.go. excluded.txt names the tests that
do not run, each with its reason. Informers have the queue that client-go's have; their tests run again with the
library's default. README.md has more. Exit status: 0 all passed, 1 not, 2 wrong usage, 77 skipped since there is no Go
here (1 with KIN_STRICT=1).
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class Package(NamedTuple):
    """A package of the module that is made."""
    origin: str  # its folder in client-go
    shims: tuple  # folders of ours whose files it consists of
    module: Path  # its go.mod names the version of client-go
    files: tuple = ()  # of its test files only these


QUEUES_V32 = ROOT / "tests" / "oracle" / "queues" / "v32"
PACKAGES = {
    "tools/cache": Package("tools/cache", ("cache",), HERE),
    "util/workqueue": Package("util/workqueue", ("workqueue",), HERE),
    # The last whose queues have AddIfNotPresent, requeueing, Get and List, which the library has, too.
    "v0.32/tools/cache": Package("tools/cache", ("cache", "v32"), QUEUES_V32, ("delta_fifo_test.go", "fifo_test.go")),
}
PATH = "k8s.io/client-go/"  # of the module that is made
# Their limits are of real time, 50 ms to 2 s, which a busy machine may exceed. If none but these fail, they run again.
TIMED = {"TestDeltaFIFO_PopShouldUnblockWhenClosed", "TestFIFO_PopShouldUnblockWhenClosed",
         "TestNewReflectorWithCustomBackoff", "TestRealFIFO_PopMultipleDeltaInBatch",
         "TestRealFIFO_PopShouldUnblockWhenClosed", "TestSharedInformerErrorHandling",
         "TestSharedInformerWatchDisruption"}
INFORMER_TESTS = ("controller_test.go", "shared_informer_test.go")  # run with both queues
SKIPPED = 77
TIMEOUT = 840  # for hangs alone: on two quiet cores all takes two minutes
COUNTED = ("internal", "difference", "absent")  # kinds of exclusions that are tests


TEST_NAME = r"^func ((?:Test|Example)(?!Main\b)\w*)\("


class Failure(Exception):
    """Nothing could be run."""


def call(command, cwd, **options):
    """What a command prints."""
    result = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, text=True, **options)
    if result.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))} failed\n{result.stdout}")
    return result.stdout.strip()


def link_all(source, target, without):
    """Links to all that a folder has, but for one entry."""
    target.mkdir(parents=True, exist_ok=True)
    for entry in source.iterdir():
        if entry.name != without and not entry.name.startswith("."):
            (target / entry.name).symlink_to(entry)


def find_client_go(go, module):
    """The folder of client-go in the module cache, and its version."""
    found = json.loads(call([go, "mod", "download", "-json", "k8s.io/client-go"], module))
    return Path(found["Dir"]), found["Version"]


def make_package(go, name, source, target):
    """One package of ours with client-go's tests; the tests that are left."""
    package = PACKAGES[name]
    source, target = source / package.origin, target / name
    target.mkdir(parents=True)
    for entry in source.iterdir() if not package.files else ():
        if entry.is_dir():
            (target / entry.name).symlink_to(entry)
    for folder in package.shims:
        for entry in (HERE / folder).iterdir():
            (target / entry.name).symlink_to(entry)
    return call([go, "run", "./filter", "-list", HERE / "excluded.txt", "-package", name, "-from", source,
                 "-to", target, *package.files], HERE).split()


def make_module(go, sources, target):
    """client-go's module with our packages; the tests that are left, by package."""
    if target.exists():
        shutil.rmtree(target)
    main = sources[HERE]
    link_all(main, target, "")
    for folder, name in (package.origin.split("/") for package in PACKAGES.values() if package.module == HERE):
        (target / folder).unlink()
        link_all(main / folder, target / folder, name)
    for name in ("go.mod", "go.sum"):
        (target / name).unlink()
        (target / name).write_bytes((main / name).read_bytes())
    return {name: make_package(go, name, sources[package.module], target) for name, package in PACKAGES.items()}


def exclusions():
    """The lines of the list by package, each (file, test, kind, reason)."""
    lines = [line.split(None, 3) for line in (HERE / "excluded.txt").read_text().splitlines()]
    found = {name: [] for name in PACKAGES}
    for line in lines:
        if line and not line[0].startswith("#"):
            name, _, file = line[0].rpartition("/")
            if name not in PACKAGES:
                raise Failure(f"excluded.txt: no package {name}")
            found[name].append((file, *line[1:]))
    return found


def skipped(lines):
    """The subtests among them as a pattern for go test -skip."""
    names = [test for _, test, *_ in lines if "/" in test]
    return "|".join("/".join(f"^{re.escape(part)}$" for part in name.split("/")) for name in names)


def count_excluded(folder, lines):
    """How many whole tests the list excludes, by kind."""
    counts = dict.fromkeys(COUNTED, 0)
    for file, name, kind, *_ in lines:
        if kind not in COUNTED or "/" in name:
            continue
        text = (folder / file).read_text()
        counts[kind] += len(re.findall(TEST_NAME, text, re.MULTILINE)) if name == "*" else 1
    return counts


def run_tests(go, folder, packages, run, options, skip, env):
    """The last action of each test and subtest, and what those that failed have printed."""
    # Only a file of v32/ has the tag: without it the folder is not a package to go vet.
    command = [go, "test", "-json", "-count=1", "-tags=v32", f"-timeout={TIMEOUT}s"]
    command += ["-skip", skip] if skip else []
    command += ["-run", run] if run else []
    command += [f"./{package}" for package in packages]
    process = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    results, output = {}, {}
    for line in process.stdout:
        try:
            event = json.loads(line)
        except ValueError:
            print(line, end="")
            continue
        key = (event.get("Package") or event.get("ImportPath", ""), event.get("Test", ""))
        if event["Action"] in ("output", "build-output"):
            output.setdefault(key, []).append(event["Output"])
            if options.verbose:
                print(event["Output"], end="", flush=True)
        elif event["Action"] in ("pass", "fail", "skip", "build-fail"):
            results[key] = event["Action"]
    return process.wait(), results, output


def run_timed_again(outcome, run):
    """The outcome with the timed tests that failed as they are when they run alone, unless others failed, too."""
    code, results, output = outcome
    failed = {key[1].partition("/")[0] for key, action in results.items() if action == "fail" and key[1]}
    for _ in range(2):
        if not failed or not failed <= TIMED:
            break
        print(f"again, since limits of real time were exceeded: {', '.join(sorted(failed))}", flush=True)
        code, again, more = run(f"^({'|'.join(sorted(failed))})$")
        results, output = {**results, **again}, {**output, **more}
        failed = {key[1].partition("/")[0] for key, action in again.items() if action == "fail" and key[1]}
    return code, results, output


def informer_tests(folder):
    """A pattern for go test -run."""
    found = [name for file in INFORMER_TESTS for name in re.findall(TEST_NAME, (folder / file).read_text(), re.MULTILINE)]
    return f"^({'|'.join(found)})$"


def report(code, results, output, tests, title):
    """Print the summary; how many tests have run, and true if all went well."""
    ran = {key: action for key, action in results.items() if key[1]}
    whole = {key: action for key, action in ran.items() if "/" not in key[1]}
    failed = sorted(key for key, action in results.items() if action in ("fail", "build-fail"))
    for key in failed:
        print(f"--- {' '.join(filter(None, key))}\n{''.join(output.get(key, [])[-80:])}")
    unfinished = [f"{package}: {test}" for package, names in tests.items() for test in names
                  if whole and (PATH + package, test) not in whole]
    for test in unfinished:
        print(f"has not ended: {test}")
    n_passed = sum(action == "pass" for action in whole.values())
    n_sub = sum(action == "pass" for key, action in ran.items() if "/" in key[1])
    print(f"{title}: {len(whole)} run, {n_passed} passed (with {n_sub} subtests)", flush=True)
    return len(whole), code == 0 and not failed and not unfinished and n_passed == len(whole)


def run_all(go, options):
    """All rounds; true if all went well."""
    library = options.library.resolve()
    env = dict(os.environ, CGO_ENABLED="1", CGO_CFLAGS=f"-I{ROOT / 'include'} -O1 -g",
               CGO_LDFLAGS=f"-L{library.parent} -Wl,-rpath,{library.parent} -lkinform", GOFLAGS="-mod=mod")
    found = {module: find_client_go(go, module) for module in (HERE, QUEUES_V32)}
    sources = {module: source for module, (source, _) in found.items()}
    folder = options.build.resolve() / "client-go"
    lines = exclusions()
    tests = make_module(go, sources, folder)
    n_run, good = 0, True

    def run_round(title, packages, pattern, is_whole):
        nonlocal n_run, good
        if not packages:
            return
        skip = skipped([line for package in packages for line in lines[package]])

        def run(pattern):
            return run_tests(go, folder, packages, pattern, options, skip, env)

        left = {package: tests[package] for package in packages} if is_whole else {}
        n, went_well = report(*run_timed_again(run(pattern), run), left, title)
        n_run += n
        good = good and went_well and (n > 0 or options.run is not None)

    for module, (source, version) in found.items():
        packages = [name for name in PACKAGES if PACKAGES[name].module == module and options.package in (None, name)]
        counts = [count_excluded(source / PACKAGES[name].origin, lines[name]) for name in packages]
        kinds = {kind: sum(count[kind] for count in counts) for kind in COUNTED}
        why = ", ".join(f"{n} {kind}" for kind, n in kinds.items() if n) or "none"
        title = f"tests of client-go {version}, {sum(kinds.values())} excluded ({why})"
        run_round(title, packages, options.run, not options.run)
    if options.package in (None, "tools/cache") and not options.run:
        env["KIN_CONFORMANCE_QUEUE"] = "delta-fifo"
        run_round("tests of informers, with a DeltaFIFO", ["tools/cache"], informer_tests(folder / "tools/cache"), False)
    return good and n_run > 0


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True, help="libkinform.so")
    parser.add_argument("--run", help="only tests that match, as go test -run; then nothing has to be complete")
    parser.add_argument("--package", choices=PACKAGES, help="one package only")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(arguments)
    go = shutil.which("go")
    if go is None:
        strict = os.environ.get("KIN_STRICT") == "1"
        print("there is no go here" + (" (KIN_STRICT=1)" if strict else ": skipped"))
        return 1 if strict else SKIPPED

    began = time.monotonic()
    try:
        good = run_all(go, options)
    except Failure as failure:
        print(failure)
        good = False
    print(f"{time.monotonic() - began:.0f} s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
