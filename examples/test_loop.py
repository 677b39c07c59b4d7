#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An example of an event loop, with a simulated cluster: until enough was seen, and until a signal.

    test_loop.py KINFORM PROGRAM
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from serve import Server

PODS = 12


def start_server(program, kubeconfig):
    return Server(program, kubeconfig, "--simulate", "--nodes", "3", "--pods", str(PODS), "--churn",
                  "400")


def start(program, kubeconfig, *arguments):
    return subprocess.Popen([program, *arguments], env={**os.environ, "KUBECONFIG": kubeconfig},
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def check(what, text, pattern):
    if not re.search(pattern, text, re.S):
        raise SystemExit(f"{what}: no /{pattern}/ in:\n{text}")


def until_enough(program, kubeconfig):
    run = start(program, kubeconfig, "--events", "40")
    text, _ = run.communicate()
    # While it was not looked, all 40 may have come: then nothing is told behind the sync.
    check("40 events", f"status {run.returncode}\n{text}",
          r"^status 0\n(\S+ \S+/\S+\n)+synced: \d+ pods\n(\S+ \S+/\S+\n)*stopped: \d+ pods, \d+ events\n$")
    check("40 events", text, r"(?m)^update \S+/\S+$")


def until_signal(program, kubeconfig, number):
    run = start(program, kubeconfig)
    text = ""
    n_behind = -1
    for line in run.stdout:
        text += line
        if line.startswith("synced: ") or n_behind >= 0:
            n_behind += 1
        if n_behind == 5:
            run.send_signal(number)
    check(signal.Signals(number).name, f"status {run.wait()}\n{text}",
          r"^status 0\n.*synced: \d+ pods\n.*stopped: \d+ pods, \d+ events\n$")


def without_a_server(program, folder):
    run = start(program, str(folder / "missing"))
    text, _ = run.communicate()
    check("no kubeconfig", f"status {run.returncode}\n{text}", r"^status 1\n.*missing")


def with_wrong_arguments(program, folder):
    for arguments in (["--events", "x"], ["--events", "0"], ["--events", "-1"], ["--events", "99999999999999999999"],
                      ["--events"], ["--help"], ["one", "two"], ["--events", "1", "one", "two"]):
        run = start(program, str(folder / "missing"), *arguments)
        text, _ = run.communicate()
        check(" ".join(arguments), f"status {run.returncode}\n{text}", r"^status 1\nusage: \S+ \[--events N\] \[NAMESPACE\]\n$")


def main():
    server_program, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig = str(Path(folder) / "kubeconfig")
        server = start_server(server_program, kubeconfig)
        try:
            until_enough(program, kubeconfig)
            until_signal(program, kubeconfig, signal.SIGINT)
            until_signal(program, kubeconfig, signal.SIGTERM)
            without_a_server(program, Path(folder))
            with_wrong_arguments(program, Path(folder))
        finally:
            status = server.close()
    if status != 0:
        raise SystemExit(f"the server ended with {status}")


if __name__ == "__main__":
    main()
