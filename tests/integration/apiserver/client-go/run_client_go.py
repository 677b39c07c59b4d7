#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run client-go's clients and informers against kinform-apiserver: the Go tests of this folder.

    run_client_go.py --server PROGRAM

KIN_TEST_SEED picks other writes and faults, KIN_FAULT_SECONDS says how long these last. Exit status:
0 all is well, 1 not, 77 skipped since there is no Go here (1 with KIN_STRICT=1).
"""
import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPED = 77


def main():
    parser = argparse.ArgumentParser(prog="run_client_go.py")
    parser.add_argument("--server", required=True)
    options = parser.parse_args()
    go = shutil.which("go")
    if go is None:
        strict = os.environ.get("KIN_STRICT") == "1"
        print("there is no go here" + (" (KIN_STRICT=1)" if strict else ": skipped"))
        return 1 if strict else SKIPPED
    # What client-go logs of each fault is of no use unless something fails; go test prints it then.
    run = subprocess.run([go, "test", "-buildvcs=false", "-count=1", "-timeout=240s", "./..."],
                         cwd=Path(__file__).resolve().parent,
                         env={**os.environ, "KIN_APISERVER_BIN": os.path.abspath(options.server)})
    return 1 if run.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
