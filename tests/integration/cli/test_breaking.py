#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers that break off in the midst of lists. A request is tried ten times, with a second between: both tests
wait, beside each other.

    test_breaking.py --kinform PROGRAM [unittest's arguments]
"""
import threading

import command
from command import Case, config_map

SPACE = "/api/v1/namespaces/default"
CONFIG_MAPS = f"{SPACE}/configmaps"


class BreakingTest(Case):
    ARGUMENTS = ("--control",)

    def break_off(self, verb, path, **rule):
        self.server.send("POST", "/_kinform/faults", {"type": "Reset", "verb": verb, "path": path, "always": True, **rule})

    def get(self):
        """It is told."""
        self.assertIn("is the server running", self.fails(5, "get", "cm", "-n", "other"))
        self.assertEqual(self.ok("get", "cm/b", "-n", "other", "-oname"), "configmap/b\n")

    def watch(self):
        """A server that goes away while the first objects come, and is back then: it is told and survived."""
        watching = self.start("watch", "cm", "--initial")
        watching.wait_for(r"^configmaps: .*; trying again$", "err")
        for rule in self.server.send("GET", "/_kinform/faults")["faults"]:
            if rule["path"] == CONFIG_MAPS:
                self.server.send("DELETE", f"/_kinform/faults/{rule['id']}")
        watching.wait_for(r"^watching 1 configmaps$", "err")
        self.assertRegex("\n".join(watching.seen["err"]), r"; trying again\nwatching 1 configmaps\Z")
        watching.wait_for(r"\+ configmap default/a")

    def test_both(self):
        self.server.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}})
        self.server.create(CONFIG_MAPS, config_map("a"))
        self.server.create("/api/v1/namespaces/other/configmaps", config_map("b"))
        for verb in ("watch", "list"):
            self.break_off(verb, CONFIG_MAPS, bytes=10)
        self.break_off("list", "/api/v1/namespaces/other/configmaps", bytes=100)
        failures = []

        def note(test):
            try:
                test()
            except BaseException as failure:
                failures.append(failure)

        beside = threading.Thread(target=note, args=(self.get,))
        beside.start()
        note(self.watch)
        beside.join(2 * command.DEADLINE)
        self.assertFalse(beside.is_alive())
        for failure in failures:
            raise failure


if __name__ == "__main__":
    command.main()
