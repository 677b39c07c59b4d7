#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The first program, with a simulated cluster: what is there, what changes, and Enter.

    test_first.py KINFORM PROGRAM
"""
import os
import re
import sys
import tempfile
from pathlib import Path

from test_loop import PODS, check, start_server, without_a_server
from typed import Typed


def until_enter(program, kubeconfig):
    with Typed([program], env={**os.environ, "KUBECONFIG": kubeconfig}) as run:
        while len(run.said) <= PODS:
            run.wait_for("update")
        run.enter()
        status = run.end()
    told = run.said
    check("until Enter", f"status {status}\n" + "\n".join(told), r"^status 0\nadd \S+/\S+\n.*update \S+/\S+")
    wrong = [line for line in told if not re.fullmatch(r"(add|update|delete) \S+/\S+", line)]
    if wrong:
        raise SystemExit(f"it also said: {wrong}")


def main():
    server_program, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = str(Path(folder) / "kubeconfig")
        server = start_server(server_program, kubeconfig)
        try:
            until_enter(program, kubeconfig)
            without_a_server(program, Path(folder))
        finally:
            status = server.close()
    if status != 0:
        raise SystemExit(f"the server ended with {status}")


if __name__ == "__main__":
    main()
