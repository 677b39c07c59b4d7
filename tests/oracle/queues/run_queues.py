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
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "side"))

import generate_scripts  # noqa: E402
import runner  # noqa: E402
import traces  # noqa: E402

BATCH_STEPS = 100000  # in one run of the programs

# Which Go program answers for a kind.
PROGRAMS = {"delta-fifo": "v32", "fifo": "v32", "store": "v37", "ordered-fifo": "v37",
            "work-queue": "v37"}

# Differences that are meant, by the name that generate_scripts.py gives the step. They are
# described in ../README.md.
EXCUSED = {
    "failed-put-counts": "a put that fails has changed nothing, so the queue has not synced",
    "failed-list-stays-in-part": "a list that fails has changed nothing",
    "tombstone-in-list": "a list has no tombstones",
    "deltas-of-two-keys": "deltas that are put in again have one key",
    "deleted-key-jumps": "a key that was deleted and came again has one place in line",
    "short-second-list": "what a second list has dropped of the first is not waited for",
    "rejected-deletion": "a deletion is queued, as a tombstone, although its object cannot be transformed",
    "bad-key-in-atomic-list": "each object of a list has a key",
    "index-error": "the object is stored and left out of that index",
    "transaction-transforms": "a transaction transforms as other writes do",
    "empty-version": "an empty version is not noted",
    "drain-leaves-queued": "a drain waits for what is queued, too",
}


def check_kind(kind, options):
    """The exit status of the scripts of one kind."""
    version = PROGRAMS[kind]

    def make_script(rng):
        return generate_scripts.make_script(kind, rng)

    def check(oracle, program):
        return traces.check(kind, make_script, options, BATCH_STEPS, EXCUSED, oracle, program)

    return runner.run(options, f"kin-oracle-{version}", HERE / version, check)


def kind_names(text):
    names = text.split(",")
    for name in names:
        if name not in PROGRAMS:
            raise argparse.ArgumentTypeError(f"no kind {name}; there are {', '.join(PROGRAMS)}")
    return names


def main(arguments):
    parser = runner.make_parser(__file__, __doc__)
    parser.add_argument("--steps", type=runner.positive, default=100000)
    parser.add_argument("--kinds", type=kind_names, default=list(PROGRAMS))
    options = runner.parse(parser, arguments, steps="KIN_ORACLE_STEPS")
    print(f"seed {options.seed}, {options.steps} steps", flush=True)
    options.steps = -(-options.steps // len(options.kinds))
    return max(check_kind(kind, options) for kind in options.kinds)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
