#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run client-go's own tests of tools/cache and util/workqueue on the C library.

    run_conformance.py --build DIR --library FILE [--run REGEX] [--package tools/cache] [--verbose]

In DIR a copy of client-go's module is made, of links into the module cache. In it the two packages consist of the Go
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

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGES = {"tools/cache": "cache", "util/workqueue": "workqueue"}
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


def make_module(go, source, target):
    """client-go's module with our two packages; the tests that are left, by package."""
    if target.exists():
        shutil.rmtree(target)
    link_all(source, target, "")
    for package in PACKAGES:
        folder, name = package.split("/")
        (target / folder).unlink()
        link_all(source / folder, target / folder, name)
        (target / package).mkdir()
        for entry in (source / package).iterdir():
            if entry.is_dir():
                (target / package / entry.name).symlink_to(entry)
        for entry in (HERE / PACKAGES[package]).iterdir():
            shutil.copy(entry, target / package)
    for name in ("go.mod", "go.sum"):
        (target / name).unlink()
        (target / name).write_bytes((source / name).read_bytes())
    return {package: call([go, "run", "./filter", "-list", HERE / "excluded.txt", "-package", package, "-from",
                           source / package, "-to", target / package], HERE).split()
            for package in PACKAGES}


def exclusions(packages):
    """The lines of the list, each (file, test, kind, reason); and the subtests as a pattern for go test -skip."""
    lines = [line.split(None, 3) for line in (HERE / "excluded.txt").read_text().splitlines()]
    lines = [line for line in lines if line and not line[0].startswith("#") and line[0].rpartition("/")[0] in packages]
    skip = [line[1] for line in lines if "/" in line[1]]
    return lines, "|".join("/".join(f"^{re.escape(part)}$" for part in name.split("/")) for name in skip)


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
    command = [go, "test", "-json", "-count=1", f"-timeout={TIMEOUT}s"]
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


def report(code, results, output, tests, name, more):
    """The summary; true if all went well."""
    ran = {key: action for key, action in results.items() if key[1]}
    whole = {key: action for key, action in ran.items() if "/" not in key[1]}
    failed = sorted(key for key, action in results.items() if action in ("fail", "build-fail"))
    for key in failed:
        print(f"--- {' '.join(filter(None, key))}\n{''.join(output.get(key, [])[-80:])}")
    unfinished = [f"{package}: {test}" for package, names in tests.items() for test in names
                  if whole and not any(key[1] == test and key[0].endswith(package) for key in whole)]
    for test in unfinished:
        print(f"has not ended: {test}")
    n_passed = sum(action == "pass" for action in whole.values())
    n_sub = sum(action == "pass" for key, action in ran.items() if "/" in key[1])
    print(f"{name}: {len(whole)} run, {n_passed} passed (with {n_sub} subtests){more}", flush=True)
    return code == 0 and not failed and not unfinished and n_passed == len(whole) > 0


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
    packages = [options.package] if options.package else list(PACKAGES)
    library = options.library.resolve()
    env = dict(os.environ, CGO_ENABLED="1", CGO_CFLAGS=f"-I{ROOT / 'include'} -O1 -g",
               CGO_LDFLAGS=f"-L{library.parent} -Wl,-rpath,{library.parent} -lkinform", GOFLAGS="-mod=mod")
    try:
        call([go, "mod", "download"], HERE)
        source = Path(call([go, "list", "-m", "-f", "{{.Dir}}", "k8s.io/client-go"], HERE))
        folder = options.build.resolve() / "client-go"
        tests = make_module(go, source, folder)
        lines, skip = exclusions(packages)
        tests = {} if options.run else {package: tests[package] for package in packages}
        excluded = count_excluded(source, lines)
        kinds = ", ".join(f"{n} {kind}" for kind, n in excluded.items())

        def run(pattern, packages=packages):
            return run_tests(go, folder, packages, pattern, options, skip, env)

        good = report(*run_timed_again(run(options.run), run), tests, "client-go's tests",
                      f", {sum(excluded.values())} excluded ({kinds})")
        if "tools/cache" in packages and not options.run:
            packages = ["tools/cache"]
            env["KIN_CONFORMANCE_QUEUE"] = "delta-fifo"
            again = run(informer_tests(folder / "tools/cache"), packages)
            good = report(*run_timed_again(again, run), {}, "those of informers with a DeltaFIFO", "") and good
    except Failure as failure:
        print(failure)
        good = False
    print(f"{time.monotonic() - began:.0f} s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
