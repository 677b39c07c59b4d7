#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run client-go's clients and informers against the embedded API server: the Go tests of this folder.

    run_client_go.py --kinform PROGRAM

KIN_TEST_SEED picks other writes and faults, KIN_FAULT_SECONDS says how long these last. Exit status:
0 all is well, 1 not, 77 skipped since there is no Go here (1 with KIN_STRICT=1).
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
APART = "^TestInformerUnderFaults$/^streaming=true$"


def start(command, folder, environment, log):
    with open(log, "w") as file:
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT)


def main():
    parser = argparse.ArgumentParser(prog="run_client_go.py")
    parser.add_argument("--kinform", required=True)
    options = parser.parse_args()
    go = shutil.which("go")
    if go is None:
        strict = os.environ.get("KIN_STRICT") == "1"
        print("there is no go here" + (" (KIN_STRICT=1)" if strict else ": skipped"))
        return 1 if strict else SKIPPED
    here = Path(__file__).resolve().parent
    environment = {**os.environ, "KIN_KINFORM": os.path.abspath(options.kinform)}
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "tests")
        built = subprocess.run([go, "test", "-buildvcs=false", "-c", "-o", program, "."], cwd=here)
        if built.returncode:
            return 1
        # Whether lists are streamed is a switch of the whole process, and faults last for seconds: one half of
        # these has a process of its own, beside the rest.
        logs = [Path(folder) / name for name in ("rest", "apart")]
        runs = [start([program, "-test.timeout=240s", "-test.v", which], here, environment, log)
                for which, log in zip((f"-test.skip={APART}", f"-test.run={APART}"), logs)]
        statuses = [run.wait() for run in runs]
        said = [log.read_text() for log in logs]
    for status, text in zip(statuses, said):
        # What client-go logs of each fault is of no use unless something fails.
        print(text if status else "\n".join(re.findall(r"(?m)^ *--- .*|^PASS$", text)))
    if not all(re.search(r"(?m)^ *--- PASS: TestInformerUnderFaults/streaming=", text) for text in said):
        print("a half has run no test under faults")
        return 1
    return 1 if any(statuses) else 0


if __name__ == "__main__":
    sys.exit(main())
