#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ask client-go and the C library which resources names mean; the answers must be the same.

    run_discovery.py --build DIR [--steps N] [--seed S] [--self] [PROGRAM]

The Go program in v37 is built into DIR and is one side; PROGRAM is the other. With --self the
Go program is both. README.md has the format. KIN_ORACLE_NAMES overrides N. Exit status: 0 all equal,
1 not, 2 wrong usage, 77 skipped since there is no Go here (1 with KIN_STRICT=1).
"""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "side"))

import generate_catalogs  # noqa: E402
import runner  # noqa: E402
import traces  # noqa: E402

# Differences that are meant, by the name that generate_catalogs.py gives the question.
EXCUSED = {"short-name-with-version": "a version behind a short name counts"}
BATCH_STEPS = 20000  # in one run of the programs


def main(arguments):
    parser = runner.make_parser(__file__, __doc__)
    parser.add_argument("--steps", type=runner.positive, default=20000)
    options = runner.parse(parser, arguments, steps="KIN_ORACLE_NAMES")
    print(f"seed {options.seed}, {options.steps} steps", flush=True)

    def check(oracle, program):
        return traces.check("discovery", generate_catalogs.make_script, options, BATCH_STEPS, EXCUSED,
                            oracle, program)

    return runner.run(options, "kin-oracle-discovery", HERE / "v37", check)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
