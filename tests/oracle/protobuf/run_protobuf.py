#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare what the API server makes of protobuf with Go's JSON: the Go tests in go.

    run_protobuf.py --build DIR [--write] PROGRAM

PROGRAM is the library's side; with --write that of the protobuf that it writes. KIN_TEST_SEED picks
other objects, KIN_ORACLE_ROUNDS=1000 makes more of each kind. Exit status: 0 all is well, 1 not, 77 skipped since there is no Go here (1 with
KIN_STRICT=1).
"""
import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPED = 77


def main():
    parser = argparse.ArgumentParser(prog="run_protobuf.py")
    parser.add_argument("--build", help="not used: Go keeps what it builds")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("program")
    options = parser.parse_args()
    go = shutil.which("go")
    if go is None:
        strict = os.environ.get("KIN_STRICT") == "1"
        print("there is no go here" + (" (KIN_STRICT=1)" if strict else ": skipped"))
        return 1 if strict else SKIPPED
    which = "-run" if options.write else "-skip"
    variable = "KIN_WRITER_BIN" if options.write else "KIN_TRANSCODER_BIN"
    run = subprocess.run([go, "test", "-buildvcs=false", "-count=1", "-timeout=800s", which, "^TestWritten",
                          "./..."],
                         cwd=Path(__file__).resolve().parent / "go",
                         env={**os.environ, variable: os.path.abspath(options.program)})
    return 1 if run.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
