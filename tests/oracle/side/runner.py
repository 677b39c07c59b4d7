# SPDX-License-Identifier: Apache-2.0
"""What the runners of the oracles have in common: two programs, and how a run ends.

A runner exits with 0 if all is equal, 1 if not, 2 after wrong usage, and 77, skipped, where there is
no Go (1 with KIN_STRICT=1).
"""
import argparse
import os
import shutil
import subprocess
from pathlib import Path

SKIPPED = 77
BUILD_SECONDS = 900


class Failure(Exception):
    """One side gave nothing to compare."""


def build(folder, name, source):
    """The command that runs the Go program of a folder, made anew if its sources have changed; None
    without Go."""
    go = shutil.which("go")
    if go is None:
        return None
    target = folder.resolve() / name
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        result = subprocess.run([go, "build", "-buildvcs=false", "-o", str(target), "."], cwd=source,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                timeout=BUILD_SECONDS)
    except subprocess.TimeoutExpired:
        raise Failure(f"go build of {name} does not end") from None
    if result.returncode != 0:
        raise Failure(f"go build of {name} failed\n{result.stdout.decode(errors='replace')[-2000:]}")
    return [str(target)]


def positive(text):
    if int(text) < 1:
        raise ValueError
    return int(text)


def make_parser(path, description):
    """The arguments that all runners have."""
    parser = argparse.ArgumentParser(prog=Path(path).name, description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, help="where the Go program is built")
    parser.add_argument("--oracle", help="a program in its place, instead of --build")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--self", action="store_true", help="the Go program is both sides")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="the other side")
    return parser


def parse(parser, arguments, **variables):
    """The options; a number may be overridden by a variable of the environment: steps="NAME"."""
    options = parser.parse_args(arguments)
    if (options.build is None) == (options.oracle is None):
        parser.error("one of --build and --oracle is needed")
    if options.self == bool(options.program):
        parser.error("either a program or --self is needed")
    for name, variable in variables.items():
        if os.environ.get(variable):
            setattr(options, name, positive(os.environ[variable]))
    return options


def run(options, name, source, check):
    """The exit status of check(oracle, program), which says whether all is well."""
    try:
        oracle = [options.oracle] if options.oracle else build(options.build, name, source)
        if oracle is None:
            strict = os.environ.get("KIN_STRICT") == "1"
            print("there is no go here" + (" (KIN_STRICT=1)" if strict else ": skipped"))
            return 1 if strict else SKIPPED
        return 0 if check(oracle, oracle if options.self else options.program) else 1
    except Failure as failure:
        print(failure)
        return 1
