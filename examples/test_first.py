#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The first program, with a simulated cluster: what is there, what changes, and Enter.

    test_first.py KINFORM-APISERVER PROGRAM
"""
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from test_loop import PODS, check, start_server, without_a_server


def lines_of(terminal):
    """What is written to a terminal, line by line: a program writes to a pipe when it likes."""
    text = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # nobody has its other side any more
            return
        *lines, text = (text + piece).split(b"\n")
        yield from (line.decode().rstrip("\r") for line in lines)


def until_enter(program, kubeconfig):
    terminal, its_side = pty.openpty()
    run = subprocess.Popen([program], env={**os.environ, "KUBECONFIG": kubeconfig},
                           stdin=subprocess.PIPE, stdout=its_side, stderr=its_side)
    os.close(its_side)
    told = []
    pressed = False
    for line in lines_of(terminal):
        told.append(line)
        if len(told) > PODS and "update" in line and not pressed:
            pressed = True
            run.stdin.write(b"\n")
            run.stdin.flush()
    os.close(terminal)
    run.stdin.close()
    check("until Enter", f"status {run.wait()}\n" + "\n".join(told), r"^status 0\nadd \S+/\S+\n.*update \S+/\S+")
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
            server.stdin.close()
            server.wait()


if __name__ == "__main__":
    main()
