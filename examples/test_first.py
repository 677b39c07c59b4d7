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

from serve import Server
from test_loop import PODS, check, start, start_server, without_a_server
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


def forbidden(server_program, program, folder):
    """A server that denies access: the program ends with the reason, and warnings come before it."""
    kubeconfig = str(folder / "forbidden")
    server = Server(server_program, kubeconfig, "--faults",
                    '{"type": "Status", "status": 403, "path": "*/pods", "always": true}')
    try:
        run = start(program, kubeconfig)
        text, _ = run.communicate()
    finally:
        server.close()
    check("403", f"status {run.returncode}\n{text}",
          r"^status 1\n.* error .*forbidden.*\npods have not synced: .*: forbidden\n$")
    if text.count("failed to list or watch") != 2:
        raise SystemExit(f"it did not end after the second refusal:\n{text}")


def main():
    server_program, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = str(Path(folder) / "kubeconfig")
        server = start_server(server_program, kubeconfig)
        try:
            until_enter(program, kubeconfig)
            without_a_server(program, Path(folder))
            forbidden(server_program, program, Path(folder))
        finally:
            status = server.close()
    if status != 0:
        raise SystemExit(f"the server ended with {status}")


if __name__ == "__main__":
    main()
