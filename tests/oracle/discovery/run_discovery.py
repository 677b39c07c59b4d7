#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ask client-go and the C library which resources names mean; the answers must be the same.

    run_discovery.py --build DIR [--steps N] [--seed S] [--self] [PROGRAM]

The Go program in v37 is built into DIR and is one side; PROGRAM is the other. With --self the
Go program is both. README.md has the format. KIN_ORACLE_NAMES overrides N. Exit status: 0 all equal,
1 not, 2 wrong usage, 77 skipped since there is no Go here (1 with KIN_STRICT=1).
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "queues"))

import generate_catalogs  # noqa: E402
import run_queues  # noqa: E402

# Differences that are meant, by the name that generate_catalogs.py gives the question.
EXCUSED = {"short-name-with-version": "a version behind a short name counts"}
BATCH_STEPS = 20000  # in one run of the programs


def build(folder):
    """The Go program; None without Go."""
    go = shutil.which("go")
    if go is None:
        return None
    target = folder.resolve() / "kin-oracle-discovery"
    target.parent.mkdir(parents=True, exist_ok=True)
    result = subprocess.run([go, "build", "-buildvcs=false", "-o", str(target), "."], cwd=HERE / "v37",
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            timeout=run_queues.BUILD_SECONDS)
    if result.returncode != 0:
        raise run_queues.Failure(f"go build failed\n{result.stdout.decode(errors='replace')}")
    return [str(target)]


def check(steps, seed, oracle, program):
    rng = random.Random(f"{seed}:discovery")
    tally = run_queues.Tally()
    while tally.steps < steps and not tally.wrong:
        scripts, n = [], 0
        while n < min(BATCH_STEPS, steps - tally.steps):
            scripts.append(generate_catalogs.make_script(rng))
            n += len(scripts[-1]) - 1
        run_queues.compare(tally, scripts, run_queues.run(oracle, scripts),
                           run_queues.run(program, scripts))
    return run_queues.report("discovery", tally, oracle, program)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="run_discovery.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="where the Go program is built")
    parser.add_argument("--steps", type=run_queues.positive, default=20000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--self", action="store_true", help="the Go program is both sides")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    if options.self == bool(options.program):
        parser.error("either a program or --self is needed")
    if os.environ.get("KIN_ORACLE_NAMES"):
        options.steps = run_queues.positive(os.environ["KIN_ORACLE_NAMES"])
    return options


def main(arguments):
    options = parse_arguments(arguments)
    run_queues.EXCUSED.clear()
    run_queues.EXCUSED.update(EXCUSED)
    try:
        oracle = build(options.build)
        if oracle is None:
            strict = os.environ.get("KIN_STRICT") == "1"
            print("there is no go here" + (" (KIN_STRICT=1)" if strict else ": skipped"))
            return 1 if strict else run_queues.SKIPPED
        print(f"seed {options.seed}, {options.steps} steps", flush=True)
        program = oracle if options.self else options.program
        return 0 if check(options.steps, options.seed, oracle, program) else 1
    except (run_queues.Failure, subprocess.TimeoutExpired) as failure:
        print(failure)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
