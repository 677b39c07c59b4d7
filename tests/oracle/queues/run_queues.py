#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the same random scripts with client-go and with the C library; the traces must be the same.

    run_queues.py --build DIR [--steps N] [--seed S] [--kinds A,B] [--self] [PROGRAM]

The Go programs of this folder are built into DIR and are one side; PROGRAM is the other. With
--self the Go programs are both. README.md has the format. N steps, split evenly between the kinds,
are run; KIN_ORACLE_STEPS overrides it. Exit status: 0 all equal, 1 not, 2 wrong usage, 77 skipped
since there is no Go here (1 with KIN_STRICT=1).
"""
import argparse
import collections
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import generate_scripts

HERE = Path(__file__).resolve().parent
SKIPPED = 77
BUILD_SECONDS = 900
RUN_SECONDS = 300
SHRINK_RUNS = 300

# Which Go program answers for a kind.
PROGRAMS = {"delta-fifo": "v32", "fifo": "v32", "store": "v37", "ordered-fifo": "v37"}

# Differences that are meant, by the name that generate_scripts.py gives the step. They are
# described in ../README.md. A name that is met often and never differs is no difference any more.
EXCUSED = {
    "failed-put-counts": "a put that fails has changed nothing, so the queue has not synced",
    "failed-list-stays-in-part": "a list that fails has changed nothing",
    "tombstone-in-list": "a list has no tombstones",
    "deltas-of-two-keys": "deltas that are put in again have one key",
    "deleted-key-jumps": "a key that was deleted and came again has one place in line",
    "short-second-list": "what a second list has dropped of the first is not waited for",
    "bad-key-in-atomic-list": "each object of a list has a key",
    "index-error": "the object is stored and left out of that index",
    "transaction-transforms": "a transaction transforms as other writes do",
    "empty-version": "an empty version is not noted",
}
STALE_AFTER = 20  # steps of a name without a difference


class Failure(Exception):
    """One side gave no trace to compare."""


# ---- the programs


def build(folder):
    """The Go programs by their names, made anew if their sources have changed; None without Go."""
    go = shutil.which("go")
    if go is None:
        return None
    made = {}
    for name in sorted(set(PROGRAMS.values())):
        target = folder.resolve() / f"kin-oracle-{name}"
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            result = subprocess.run([go, "build", "-buildvcs=false", "-o", str(target), "."],
                                    cwd=HERE / name, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, timeout=BUILD_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failure(f"go build of {name} does not end") from None
        if result.returncode != 0:
            raise Failure(f"go build of {name} failed\n{result.stdout.decode(errors='replace')}")
        made[name] = [str(target)]
    return made


def run(command, scripts):
    """The traces of a program, one per script. After a crash the rest is missing."""
    lines = [line for script in scripts for line in script]
    text = "".join(line + "\n" for line in lines)
    try:
        result = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=RUN_SECONDS)
        output, said, status = result.stdout, result.stderr, result.returncode
    except subprocess.TimeoutExpired as late:
        output, said, status = late.stdout or b"", late.stderr or b"", "no end in time"
    except OSError as error:
        raise Failure(f"{command[0]}: {error}") from None
    trace = output.decode(errors="replace").split("\n")[:-1]
    if status != 0:
        # In the place of the first line that is missing, or of the last one.
        del trace[len(lines) - 1:]
        trace.append(f"(status {status}) {said.decode(errors='replace').strip()[-500:]}")
    traces, at = [], 0
    for script in scripts:
        traces.append(trace[at:at + len(script)])
        at += len(script)
    return traces


# ---- the comparison


def note_of(line):
    return line.partition(" #")[2] or None


def first_difference(script, expected, given):
    """(index, name) of the first line that differs; the name if it is excused. None if none does."""
    for i, line in enumerate(script):
        ours = given[i] if i < len(given) else "(nothing)"
        theirs = expected[i] if i < len(expected) else "(nothing)"
        if ours != theirs:
            note = note_of(line)
            return i, note if note in EXCUSED else None
    return None


def shrink(script, differs):
    """Drop ever smaller stretches of steps for as long as a difference that is not meant stays."""
    runs = 0
    steps = script[1:]
    chunk = max(1, len(steps) // 2)
    while chunk >= 1:
        at = 0
        while at < len(steps) and runs < SHRINK_RUNS:
            trial = steps[:at] + steps[at + chunk:]
            runs += 1
            if trial and differs([script[0], *trial]):
                steps = trial
            else:
                at += chunk
        chunk //= 2
    return [script[0], *steps]


class Tally:
    def __init__(self):
        self.scripts = self.steps = 0
        self.seen = collections.Counter()  # steps with a name
        self.excused = collections.Counter()  # of them, those that differed
        self.wrong = []  # scripts


def compare(tally, scripts, expected, given):
    for script, theirs, ours in zip(scripts, expected, given):
        tally.scripts += 1
        tally.steps += len(script) - 1
        tally.seen.update(note for note in map(note_of, script) if note)
        found = first_difference(script, theirs, ours)
        if found is None:
            continue
        if found[1]:
            tally.excused[found[1]] += 1
        else:
            tally.wrong.append(script)


def show(script, theirs, ours):
    for i, line in enumerate(script):
        a = theirs[i] if i < len(theirs) else "(nothing)"
        b = ours[i] if i < len(ours) else "(nothing)"
        print(f"    {line}\n        go    {a}")
        if a != b:
            print(f"        ours  {b}")


def report(kind, tally, oracle, program):
    """Say how it went; whether all is well."""
    print(f"{kind:13} {tally.scripts:6} scripts, {tally.steps:8} steps, "
          f"{sum(tally.excused.values()):5} excused, {len(tally.wrong):5} different", flush=True)
    for name in sorted(tally.seen):
        print(f"    {name}: excused {tally.excused[name]} of {tally.seen[name]}")
    good = not tally.wrong
    for name, n in tally.seen.items():
        if name not in EXCUSED:
            print(f"    {name} is not in the list of differences")
            good = False
        elif oracle != program and n >= STALE_AFTER and not tally.excused[name]:
            print(f"    {name} is no difference any more")
            good = False
    if tally.wrong:
        def differs(script):
            found = first_difference(script, *(run(side, [script])[0] for side in (oracle, program)))
            return found is not None and not found[1]

        small = shrink(tally.wrong[0], differs)
        print("the first, made small:")
        show(small, run(oracle, [small])[0], run(program, [small])[0])
    return good


# ---- running

BATCH_STEPS = 100000  # in one run of the programs


def check_kind(kind, steps, seed, oracle, program):
    rng = random.Random(f"{seed}:{kind}")
    tally = Tally()
    while tally.steps < steps and not tally.wrong:
        scripts, n = [], 0
        while n < min(BATCH_STEPS, steps - tally.steps):
            scripts.append(generate_scripts.make_script(kind, rng))
            n += len(scripts[-1]) - 1
        compare(tally, scripts, run(oracle, scripts), run(program, scripts))
    return report(kind, tally, oracle, program)


def kind_names(text):
    names = text.split(",")
    for name in names:
        if name not in PROGRAMS:
            raise argparse.ArgumentTypeError(f"no kind {name}; there are {', '.join(PROGRAMS)}")
    return names


def positive(text):
    if int(text) < 1:
        raise ValueError
    return int(text)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="run_queues.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, help="where the Go programs are built")
    parser.add_argument("--oracle", help="a program for all kinds, instead of --build")
    parser.add_argument("--steps", type=positive, default=100000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--kinds", type=kind_names, default=list(PROGRAMS))
    parser.add_argument("--self", action="store_true", help="the Go programs are both sides")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    if (options.build is None) == (options.oracle is None):
        parser.error("one of --build and --oracle is needed")
    if options.self == bool(options.program):
        parser.error("either a program or --self is needed")
    if os.environ.get("KIN_ORACLE_STEPS"):
        options.steps = positive(os.environ["KIN_ORACLE_STEPS"])
    return options


def main(arguments):
    options = parse_arguments(arguments)
    try:
        if options.oracle:
            programs = {name: [options.oracle] for name in PROGRAMS.values()}
        else:
            programs = build(options.build)
        if programs is None:
            strict = os.environ.get("KIN_STRICT") == "1"
            print("there is no go here" + (" (KIN_STRICT=1)" if strict else ": skipped"))
            return 1 if strict else SKIPPED
        print(f"seed {options.seed}, {options.steps} steps", flush=True)
        good = True
        for kind in options.kinds:
            oracle = programs[PROGRAMS[kind]]
            program = oracle if options.self else options.program
            steps = -(-options.steps // len(options.kinds))
            good = check_kind(kind, steps, options.seed, oracle, program) and good
        return 0 if good else 1
    except Failure as failure:
        print(failure)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
