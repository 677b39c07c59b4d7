#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build the HTTP/2 server of the tests.

    build_h2server.py OUTPUT

Exit status: 0 built, 77 skipped since there is no Go here (1 with KIN_STRICT=1), 1 it failed.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPED = 77


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    go = shutil.which("go")
    if not go:
        print("skipped: go is not installed", file=sys.stderr)
        return 1 if os.environ.get("KIN_STRICT") == "1" else SKIPPED
    source = Path(__file__).resolve().parent / "h2server"
    result = subprocess.run([go, "build", "-o", str(Path(sys.argv[1]).resolve()), "."], cwd=source,
                            check=False)
    return 1 if result.returncode else 0


sys.exit(main())
