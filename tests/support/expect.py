# SPDX-License-Identifier: Apache-2.0
"""Run a program as a test: expect.py PATTERN -- COMMAND…

It must exit with 0 and print what the pattern finds, across lines. CTest's PASS_REGULAR_EXPRESSION looks at
the output alone: a leak that a sanitizer finds at the end would pass.
"""
import re
import subprocess
import sys


def main():
    pattern, dashes, *command = sys.argv[1:]
    assert dashes == "--" and command, __doc__
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    print(done.stdout, end="")
    if done.returncode != 0:
        sys.exit(f"expect.py: it ended with {done.returncode}")
    if not re.search(pattern, done.stdout, re.DOTALL):
        sys.exit(f"expect.py: no {pattern!r} in what it said")


main()
