#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What depends on a terminal: colours, progress, Ctrl-C. Through tmux.

    test_terminal.py --kinform PROGRAM [unittest's arguments]

Exit status: as unittest, or 77, skipped, if there is no tmux (1 with KIN_STRICT=1).
"""
import shlex
import tempfile

import command
from command import Case, Server, config_map, options, run
from terminal import Terminal, need_tmux

MAPS = "/api/v1/namespaces/default/configmaps"


class TerminalTest(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.create(MAPS, config_map("a"))

    def terminal(self, *arguments, **changes):
        line = " ".join(shlex.quote(word) for word in (options.kinform, *arguments))
        terminal = Terminal(self.path, line, KUBECONFIG=self.server.kubeconfig, **changes)
        self.addCleanup(terminal.close)
        return terminal

    def test_headers_are_bold(self):
        screen = self.terminal("get", "cm").wait_for("ended with 0.")
        self.assertIn("\x1b[1mNAME", screen)

    def test_no_color(self):
        for arguments, changes in ((["get", "cm"], {"NO_COLOR": "1"}), (["get", "cm", "--color=never"], {})):
            screen = self.terminal(*arguments, **changes).wait_for("ended with 0.")
            self.assertIn("NAME", screen)
            self.assertNotIn("\x1b[1m", screen)

    def test_colors_that_are_asked_for(self):
        self.assertIn("\x1b[1m", self.ok("get", "cm", "--color", "always", NO_COLOR="1"))
        self.assertNotIn("\x1b", self.ok("get", "cm"))

    def test_a_watch_until_control_c(self):
        terminal = self.terminal("watch", "cm")
        screen = terminal.wait_for("watching 1 configmaps")
        self.assertNotIn("listing", screen)  # the progress is gone
        self.server.create(MAPS, config_map("b"))
        screen = terminal.wait_for("configmap default/b")
        self.assertIn("\x1b[32m+", screen)
        self.server.send("DELETE", f"{MAPS}/b")
        self.assertIn("\x1b[31m-", terminal.wait_for("\x1b[31m-"))
        terminal.press("C-c")
        terminal.wait_for("ended with 130.")

    def test_a_large_cluster_without_a_screen(self):
        line = f"TERM=dumb {shlex.quote(options.kinform)} serve --simulate --pods 3000 --churn 0 -- true"
        terminal = Terminal(self.path, line)
        self.addCleanup(terminal.close)
        terminal.wait_for("ended with 0.")
        self.assertIn("simulating", terminal.received)
        self.assertNotIn("making the cluster", terminal.received)

    def test_a_server_until_control_c(self):
        terminal = self.terminal("serve")
        terminal.wait_for("until Ctrl-C")
        terminal.wait_for("current-context:")
        terminal.press("C-c")
        terminal.wait_for("ended with 0.")


class BarTest(Case):
    """A streaming list that breaks off in the midst: one of several objects has come."""
    ARGUMENTS = ("--faults", '{"type": "Stall", "bytes": 700, "verb": "watch", "path": "*/configmaps", "always": true}',
                 "--faults", '{"type": "Stall", "verb": "list", "path": "*/configmaps", "skip": 2, "always": true}')

    def terminal(self, *arguments, columns=100):
        line = " ".join(shlex.quote(word) for word in (options.kinform, "watch", *arguments))
        terminal = Terminal(self.path, line, columns, KUBECONFIG=self.server.kubeconfig)
        self.addCleanup(terminal.close)
        return terminal

    def test_how_many_there_will_be(self):
        for n in range(4):
            self.server.create(MAPS, config_map(f"m{n}", {"k": "x" * 300}))
        terminal = self.terminal("cm")
        terminal.wait_for("listing configmaps: 1 of 4 [#####---------------]  25%  ")
        terminal.press("C-c")
        screen = terminal.wait_for("ended with 130.")
        self.assertNotIn("listing", screen)
        # It stays in its line where that is short.
        terminal = self.terminal("cm", columns=30)
        terminal.wait_for("listing configmaps: 1 of 4 [#")
        self.assertEqual(terminal.screen().count("listing"), 1)
        terminal.press("C-c")
        terminal.wait_for("ended with 130.")
        # Nobody says how many there are where there is a selector.
        terminal = self.terminal("cm", "-l", "!x")
        terminal.wait_for("listing configmaps: 1  ")
        terminal.press("C-c")
        terminal.wait_for("ended with 130.")


class ProgressTest(Case):
    ARGUMENTS = ("--faults", '{"type": "Stall", "verb": "list", "path": "*/configmaps", "always": true}',
                 "--faults", '{"type": "Stall", "verb": "watch", "path": "*/configmaps", "always": true}')

    def test_progress_of_a_warm_start(self):
        """There is nothing to list: what it waits for is the server's word."""
        path = self.path / "maps.kin"
        with tempfile.TemporaryDirectory() as folder:
            server = Server(folder)
            server.create(MAPS, config_map("a"))
            said = run("watch", "cm", "--snapshot", str(path), "--until", ".data", "--server", server.url, "-q")
            self.assertEqual(said.status, 0, said)
            line = f"{shlex.quote(options.kinform)} watch cm --snapshot {shlex.quote(str(path))}"
            terminal = Terminal(self.path, line, KUBECONFIG=server.kubeconfig)
            self.addCleanup(terminal.close)
            terminal.wait_for("watching 1 configmaps")
            terminal.press("C-c")
            terminal.wait_for("ended with 130.")
            self.assertIn("going on from 1 configmaps of the snapshot", terminal.received)
            self.assertNotIn("listing", terminal.received)
            server.close()

    def test_no_progress_without_a_screen(self):
        for kind in ("dumb", ""):
            line = f"TERM={kind} {shlex.quote(options.kinform)} watch cm --timeout 1s"
            terminal = Terminal(self.path, line, KUBECONFIG=self.server.kubeconfig)
            self.addCleanup(terminal.close)
            screen = terminal.wait_for("ended with 6.")
            self.assertIn("the time is up", screen)
            self.assertNotIn("listing", terminal.received)
            self.assertNotIn("\x1b[K", terminal.received)

    def test_progress_and_control_c(self):
        line = f"{shlex.quote(options.kinform)} watch cm"
        terminal = Terminal(self.path, line, KUBECONFIG=self.server.kubeconfig)
        self.addCleanup(terminal.close)
        terminal.wait_for("listing configmaps: 0")
        terminal.press("C-c")
        terminal.wait_for("ended with 130.")


if __name__ == "__main__":
    need_tmux()
    command.main()
