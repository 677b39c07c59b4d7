#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is shown of changes and of progress, and files that are too long to be read.

    test_shown.py --kinform PROGRAM [unittest's arguments]
"""
import os
import pty
import re
import select
import signal
import subprocess
import time
import unittest

import command
from command import Case, DEADLINE, config_map, environment, options

SPACE = "/api/v1/namespaces/default"


class DiffTest(Case):
    def changed(self, name, *arguments):
        """The lines behind the first one, of a change of one line of twenty."""
        data = {f"k{n:02}": "same" for n in range(20)}
        self.server.create(f"{SPACE}/configmaps", config_map(name, data))
        watching = self.start("watch", f"cm/{name}", "--diff", *arguments)
        watching.wait_for("watching", "err")
        self.server.send("PUT", f"{SPACE}/configmaps/{name}", config_map(name, {**data, "k10": "other"}))
        watching.wait_for("configmap default/")
        watching.wait_for(r"k13")
        watching.wait_for(r"\.\.\.")
        watching.signal(signal.SIGINT)
        watching.wait()
        return watching.seen["out"][1:]

    def test_three_lines_around_a_change(self):
        self.assertEqual(self.changed("plain"),
                         ["  ...", "    k07: same", "    k08: same", "    k09: same", "-   k10: same", "+   k10: other",
                          "    k11: same", "    k12: same", "    k13: same", "  ..."])

    def test_colours(self):
        lines = self.changed("coloured", "--color", "always")
        self.assertEqual([line for line in lines if "\033" in line],
                         ["\033[31m-   k10: same\033[0m", "\033[32m+   k10: other\033[0m"])
        self.assertFalse([line for line in self.changed("bare", "--color=never") if "\033" in line])


class ProgressTest(Case):
    """Streaming lists whose end does not come, on a terminal."""
    ARGUMENTS = ("--faults", '{"type": "WatchNoInitialEnd", "always": true}')

    def test_kinds_are_summed(self):
        for n in range(7):
            self.server.create(f"{SPACE}/configmaps", config_map(f"c{n}"))
        for n in range(4):
            self.server.create(f"{SPACE}/secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": f"s{n}"}})
        ours, its = pty.openpty()
        process = subprocess.Popen([options.kinform, "watch", "cm,secrets"], stdin=subprocess.DEVNULL, stdout=its, stderr=its,
                                   env=environment(KUBECONFIG=self.server.kubeconfig, TERM="xterm"))
        os.close(its)
        try:
            shown = self.read_until(ours, r"listing configmaps, secrets: 11 of 11 \[#{20}\] 100%")
            # While one kind is not known, no sum is.
            self.assertNotRegex(shown, r"listing configmaps, secrets: \d+ of [47]\b")
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(DEADLINE), -signal.SIGINT)
        finally:
            process.kill()
            process.wait()
            os.close(ours)

    def read_until(self, terminal, pattern):
        end = time.monotonic() + DEADLINE
        shown = ""
        while not re.search(pattern, shown):
            ready, _, _ = select.select([terminal], [], [], max(0.0, end - time.monotonic()))
            self.assertTrue(ready, f"no {pattern!r} in {shown!r}")
            shown += os.read(terminal, 4096).decode()
        return shown


class FileTest(Case):
    def test_rules_in_files_have_a_limit(self):
        path = self.path / "rules"
        for n_bytes, said in ((64 << 20, None), ((64 << 20) + 1, "longer than 64 MiB")):
            with open(path, "wb") as file:
                file.truncate(n_bytes)
            line = self.fails(1, "serve", "--faults", f"@{path}")
            self.assertEqual("longer than 64 MiB" in line, said is not None, line)


if __name__ == "__main__":
    command.main()
