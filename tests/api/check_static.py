#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that static libraries can be linked together: no name is defined in two of them.

    check_static.py [--nm nm] LIB.a LIB.a...

Prints each name that is, and where; exit status 1 if there is any.
"""
import argparse
import subprocess
import sys
from collections import defaultdict


def defined(library, nm):
    run = subprocess.run([nm, "-g", "--defined-only", library], check=True, text=True,
                         stdout=subprocess.PIPE)
    fields = (line.split() for line in run.stdout.splitlines())
    # Weak and common symbols, and what sanitizers add, may be there more than once.
    return {f[2] for f in fields if len(f) == 3 and f[1] in "TDBR" and f[2].startswith("kin")}


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("libraries", nargs="+")
    options = parser.parse_args(arguments)
    places = defaultdict(list)
    for library in options.libraries:
        names = defined(library, options.nm)
        if not names:
            parser.error(f"{library} defines nothing")
        for name in names:
            places[name].append(library)
    twice = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in sorted(twice.items()):
        print(f"{name} is defined in {' and in '.join(where)}")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
