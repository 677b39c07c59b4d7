#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kinform demo: in a pipe, on a terminal (tmux), with kubectl beside it, ended in all ways there are.

    test_demo.py --kinform PROGRAM [unittest's arguments]

The tests on a terminal are skipped if there is no tmux (with KIN_STRICT=1 they fail).
"""
import os
import re
import shlex
import shutil
import signal
import ssl
import stat
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import command
from command import DEADLINE, Running, environment, has_ended, is_strict, left_in, options, run, state_of
from running import reserved_port, wait_until
from terminal import Terminal

KINDS = ("pods", "nodes", "deployments", "replicasets", "leases")
PROGRESS = r"^ +\d+s  \d+ objects, \d+ events, [\d.,]+/s, queued \d+, lag \S+( m?s)?, memory \d+ MiB$"


class long_runs:
    """Those that last: they begin with the first test, and are looked at by the last."""
    folder = None
    default = None
    quiet = None
    timed = None


def setUpModule():
    long_runs.folder = tempfile.TemporaryDirectory()
    small = ("--pods", "3", "--nodes", "2", "--deployments", "1", "--churn", "0")
    long_runs.default = Running("demo", *small)
    long_runs.quiet = Running("demo", "--for", "5s", "--nodes", "1", "--pods", "1", "--deployments", "1", "--churn", "0")
    if shutil.which("tmux"):
        line = f"{shlex.quote(options.kinform)} demo --for 8s"
        long_runs.timed = Terminal(Path(long_runs.folder.name), line)


def tearDownModule():
    long_runs.default.close()
    long_runs.quiet.close()
    if long_runs.timed:
        long_runs.timed.close()
    long_runs.folder.cleanup()


class DemoCase(unittest.TestCase):
    """With a folder for the kubeconfig, in which nothing may be left."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "t"
        self.folder.mkdir()
        self.path = Path(folder.name)

    def is_empty(self):
        return not left_in(self.folder)

    def kubeconfigs(self):
        return list(self.folder.glob("kinform-*/kubeconfig"))

    def assert_tidy(self):
        self.assertEqual(left_in(self.folder), [])

    def assert_summary(self, text):
        for kind in KINDS:
            self.assertRegex(text, rf"(?m)^{kind} +[\d,]+ +\d+ +[\d.,]+ +\S+( m?s)? +\d+ +[\d,]+ *$")
        self.assertRegex(text, r"(?m)^all +\d+ ")
        self.assertRegex(text, r"Synced \d+ objects in [\d.]+ m?s\.")
        self.assertRegex(text, r"takes \d+ MiB of memory")


class PipeTest(DemoCase):
    def start(self, *arguments):
        running = Running("demo", *arguments, TMPDIR=str(self.folder))
        self.addCleanup(running.close)
        return running

    def test_lines_and_a_summary(self):
        running = self.start("--for", "1h")
        running.wait_for(r"a simulated cluster at https://127\.0\.0\.1:\d+, ")
        running.wait_for(rf"export KUBECONFIG={self.folder}/kinform-\w+/kubeconfig$")
        running.wait_for(r"^synced: 5 informers have 1\d\d objects after [\d.]+ m?s$")
        running.wait_for(PROGRESS)
        running.wait_for(r"^       \d\d:\d\d:\d\d [-+~] (pod|node|deployment|replicaset|lease) \S+")
        running.signal(signal.SIGTERM)
        self.assertEqual(running.wait(), 0)
        self.assertEqual(running.seen["err"], [])
        out = "\n".join(running.seen["out"])
        self.assert_summary(out)
        self.assertNotIn("\x1b", out)
        self.assert_tidy()

    def test_figures_are_measured(self):
        """None of them stays at nothing while much happens."""
        running = self.start("--for", "1h", "--churn", "5000", "--pods", "300")
        line = (r"s  [\d,]+ objects, [1-9][\d,]* events, (?!0\.0)[\d.,]+/s, queued [1-9]\d*, lag [<\d.]+ m?s, "
                r"memory [1-9]\d* MiB$")
        running.wait_for(line)
        # By then each kind of change has come, however slow this is.
        running.wait_for(r"objects, [\d,]+,\d{3} events, ")
        running.signal(signal.SIGTERM)
        self.assertEqual(running.wait(), 0)
        out = "\n".join(running.seen["out"])
        # Objects, events, events per second, the longest lag, bytes, bytes of JSON.
        for kind in ("pods", "leases", "all"):
            self.assertRegex(out, rf"(?m)^{kind} +[1-9][\d,]* +[1-9][\d,]* +(?!0\.0)[\d.,]+ +[<\d.]+ m?s +[1-9]\d* +"
                                  r"[1-9][\d,]* *$")
        self.assertRegex(out, r"has written [1-9][\d,]* times \([1-9][\d.,]*/s\)")
        self.assertRegex(out, r"told of [1-9][\d,]* changes, of these [1-9][\d,]* heartbeats")
        self.assertRegex(out, r"Heartbeats were told [<\d.]+ m?s after they were due \(median of (the last )?[1-9]")

    def test_what_the_cluster_is_like(self):
        names = set()
        for seed in ("1", "2"):
            running = self.start("--for", "1h", "--pods", "6", "--deployments", "3", "--churn", "0", "--seed", seed)
            path = running.wait_for("KUBECONFIG=(.*)").group(1)
            running.wait_for("^synced")
            names.add(run("get", "pods", "-A", "-o", "name", KUBECONFIG=path).out)
            running.signal(signal.SIGTERM)
            self.assertEqual(running.wait(), 0)
            out = "\n".join(running.seen["out"])
            self.assertRegex(out, r"(?m)^deployments +3 ")
            self.assertRegex(out, r"(?m)^pods +6 ")
        self.assertEqual(len(names), 2, names)

    def test_too_little_time(self):
        said = run("demo", "--for", "1ms", TMPDIR=str(self.folder))
        self.assertEqual(said.status, 6, said)
        self.assertRegex(said.err, r"\Akinform: the time was up [^\n]*\n\Z")
        self.assertNotIn("INFORMER", said.out)
        self.assert_tidy()

    def test_every_signal_that_asks_ends_it_well(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            running = self.start("--for", "1h")
            running.wait_for("^synced")
            running.signal(number)
            self.assertEqual(running.wait(), 0, number)
            self.assert_summary("\n".join(running.seen["out"]))
            self.assert_tidy()

    def test_every_other_signal_ends_it_tidily(self):
        for number in (signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGVTALRM, signal.SIGRTMIN):
            running = self.start("--for", "1h")
            running.wait_for("^synced")
            running.signal(number)
            self.assertEqual(running.wait(), -number)
            self.assert_tidy()

    def test_what_is_ignored_stays_ignored(self):
        """As nohup has it."""
        line = f"trap '' HUP USR1; exec {shlex.quote(options.kinform)} demo --for 1h"
        running = Running("-c", line, program="sh", TMPDIR=str(self.folder))
        self.addCleanup(running.close)
        running.wait_for("^synced")
        for number in (signal.SIGHUP, signal.SIGUSR1):
            running.signal(number)
        running.wait_for(PROGRESS)
        running.wait_for(PROGRESS)
        running.signal(signal.SIGTERM)
        self.assertEqual(running.wait(), 0)
        self.assert_tidy()

    def test_killed_at_any_moment(self):
        moments = (lambda r: None,
                   lambda r: wait_until(lambda: not self.is_empty(), "there was a folder"),
                   lambda r: wait_until(self.kubeconfigs, "there was a kubeconfig"),
                   lambda r: r.wait_for("^kinform demo"),
                   lambda r: r.wait_for("KUBECONFIG"),
                   lambda r: r.wait_for("^synced"),
                   lambda r: r.wait_for(PROGRESS))
        for number in (signal.SIGINT, signal.SIGTERM):
            for i, moment in enumerate(moments):
                with self.subTest(signal=number, moment=i):
                    running = self.start("--for", "1h")
                    moment(running)
                    running.signal(number)
                    # The first is so early that there is nothing to tidy up.
                    self.assertIn(running.wait(), (0, -number) if i == 0 else (0,))
                    self.assert_tidy()

    def test_while_the_cluster_is_being_made(self):
        running = self.start("--pods", "1000000")
        running.wait_for("KUBECONFIG")
        running.signal(signal.SIGINT)
        self.assertEqual(running.wait(), 0)
        self.assertEqual(running.seen["err"], [])
        self.assert_tidy()

    def test_a_pipe_that_nobody_reads_any_more(self):
        process = subprocess.Popen([options.kinform, "demo", "--for", "1h"], text=True,
                                   env=environment(TMPDIR=str(self.folder)),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertIn("kinform demo", process.stdout.readline())
        process.stdout.close()
        self.assertEqual(process.wait(DEADLINE), -signal.SIGPIPE)
        self.assertEqual(process.stderr.read(), "")
        process.stderr.close()
        self.assert_tidy()

    def test_a_pipe_that_is_full(self):
        """Signals are not kept waiting by it; the second one does not wait for the summary."""
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        os.set_blocking(writing, False)
        try:
            while True:
                os.write(writing, b"x" * 4096)
        except BlockingIOError:
            os.set_blocking(writing, True)
        process = subprocess.Popen([options.kinform, "demo", "--for", "1h"], stdout=writing,
                                   env=environment(TMPDIR=str(self.folder)))
        os.close(writing)
        self.addCleanup(process.wait, DEADLINE)
        self.addCleanup(process.kill)
        wait_until(self.kubeconfigs, "there was a kubeconfig")
        process.send_signal(signal.SIGINT)
        wait_until(self.is_empty, "the kubeconfig was removed")
        process.send_signal(signal.SIGINT)
        # It may have had nothing to say, if it was not synced yet.
        self.assertIn(process.wait(DEADLINE), (-signal.SIGINT, 0))

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([options.kinform, "demo"], stdout=full, stderr=subprocess.PIPE,
                                  env=environment(TMPDIR=str(self.folder)), text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Akinform: standard output cannot be written: [^\n]*\n\Z")
        self.assert_tidy()

    def test_no_place_for_the_kubeconfig(self):
        said = run("demo", TMPDIR=str(self.folder / "nosuch"))
        self.assertEqual((said.status, said.out), (3, ""), said)
        self.assertRegex(said.err, r"\Akinform: no folder [^\n]* TMPDIR [^\n]*\n\Z")

    def test_the_kubeconfig_is_a_word_for_a_shell(self):
        folder = self.folder / "sp dir"
        folder.mkdir()
        running = Running("demo", "--for", "1h", TMPDIR=str(folder))
        self.addCleanup(running.close)
        word = running.wait_for("KUBECONFIG=(.*)").group(1)
        self.assertRegex(shlex.split(word)[0], rf"\A{folder}/kinform-\w+/kubeconfig\Z")

    def test_a_port(self):
        with reserved_port() as port:
            running = self.start("--for", "1h", "--port", port)
            running.wait_for(rf"https://127\.0\.0\.1:{port},")
            said = run("demo", "--port", port, TMPDIR=str(self.folder))
            self.assertEqual((said.status, said.out), (1, ""), said)
            self.assertRegex(said.err, rf"\Akinform: port {port}: [^\n]*--port\n\Z")
            self.assertEqual(len(self.kubeconfigs()), 1)
            running.signal(signal.SIGTERM)
            self.assertEqual(running.wait(), 0)
            running = self.start("--for", "1h", "--port", port)
            running.wait_for(rf"https://127\.0\.0\.1:{port},")

    def test_clients_need_the_token(self):
        """Other users of the machine reach the port, but cannot read the kubeconfig."""
        tokens = set()
        for _ in range(2):
            running = self.start("--for", "1h", "--pods", "1", "--churn", "0")
            url = running.wait_for(r"a simulated cluster at (https://127\.0\.0\.1:\d+), ").group(1)
            path = running.wait_for("KUBECONFIG=(.*)").group(1)
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(url + "/api/v1/namespaces", context=context, timeout=DEADLINE)
            self.assertEqual(refused.exception.code, 401)
            refused.exception.close()
            text = Path(path).read_text()
            self.assertIn("certificate-authority-data: ", text)
            tokens.add(re.search(r"token: (\S{20,})", text).group(1))
            self.assertNotRegex("\n".join(running.seen["out"]), "|".join(tokens))
            running.signal(signal.SIGTERM)
            self.assertEqual(running.wait(), 0)
        self.assertEqual(len(tokens), 2)

    def test_others_use_the_kubeconfig(self):
        running = self.start("--for", "1h", "--pods", "5", "--deployments", "1", "--churn", "0")
        path = running.wait_for("KUBECONFIG=(.*)").group(1)
        objects = int(running.wait_for(r"^synced: 5 informers have (\d+) objects").group(1))
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(Path(path).parent).st_mode), 0o700)
        kubectl = shutil.which("kubectl")
        for program in [options.kinform] + [kubectl] * bool(kubectl):
            said = run("get", "nodes", "-o", "name", program=program, KUBECONFIG=path)
            self.assertEqual((said.status, said.out.splitlines()[0]), (0, "node/node-0001"), said)
        if kubectl:  # what it does is seen: a Deployment, its ReplicaSet and its Pod
            said = run("create", "deployment", "more", "--image", "i:1", program=kubectl, KUBECONFIG=path)
            self.assertEqual(said.status, 0, said)
            running.wait_for(rf"^ +\S+  {objects + 3} objects")


@unittest.skipUnless(shutil.which("tmux") or is_strict(), "there is no tmux")
class TerminalTest(DemoCase):
    def setUp(self):
        super().setUp()
        self.pid = self.path / "pid"
        self.before = self.path / "before"
        self.after = self.path / "after"

    def terminal(self, *arguments, columns=100, rows=30, before="", **changes):
        words = " ".join(shlex.quote(word) for word in (options.kinform, "demo", *arguments))
        start = f"echo $$ > {self.pid}; {before} exec {words}"
        line = (f"trap 'echo interrupted' INT; stty -g > {self.before}; sh -c {shlex.quote(start)}; s=$?; "
                f"stty -g > {self.after}; (exit $s)")
        terminal = Terminal(self.path, line, columns, rows, TMPDIR=str(self.folder), **changes)
        self.addCleanup(terminal.close)
        return terminal

    def view(self, *arguments, **changes):
        """When all informers watch."""
        terminal = self.terminal(*arguments, **changes)
        self.wait_for_view(terminal)
        return terminal

    @staticmethod
    def wait_for_view(terminal):
        terminal.wait_until(lambda s: s.count("watching") == 5 and "synced in" in s, "all informers watching")

    def process(self):
        return int(self.pid.read_text())

    def assert_ended(self, terminal, status=0):
        """The terminal is as it was, and nothing is left."""
        screen = terminal.wait_for(f"ended with {status}.")
        self.assertEqual((terminal.ask("alternate_on"), terminal.ask("cursor_flag"), terminal.ask("wrap_flag")),
                         ("0", "1", "1"))
        self.assertEqual(self.before.read_text(), self.after.read_text())
        self.assertNotIn("interrupted", screen)  # as `make run` would be
        self.assert_tidy()
        return re.sub(r"\x1b\[[\d;]*m", "", screen)

    def test_the_view(self):
        terminal = self.view()
        self.assertEqual(terminal.ask("alternate_on"), "1")
        lines = terminal.lines()
        self.assertRegex(lines[0], r"^kinform demo  \d+s  synced in [\d.]+ m?s  memory \d+ MiB  https://127")
        self.assertIn(f"export KUBECONFIG={self.kubeconfigs()[0]}"[:60], lines[1])
        self.assertRegex(lines[3], r"^INFORMER +STATE +OBJECTS +EVENTS/S +QUEUED +LAG +B/OBJECT$")
        for line, kind in zip(lines[4:9], KINDS):
            self.assertRegex(line, rf"^{kind} +watching +\d+ +[\d.]+ +\d+ +\S+( m?s)? +(\d+|-)$")
        self.assertRegex(lines[9], r"^all +\d+ ")
        self.assertIn("q quit", lines[29])
        terminal.wait_for("~")
        terminal.press("q")
        self.assert_summary(self.assert_ended(terminal))

    def test_control_c(self):
        terminal = self.view()
        terminal.press("C-c")
        self.assert_summary(self.assert_ended(terminal))

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            terminal = self.view()
            os.kill(self.process(), number)
            self.assert_summary(self.assert_ended(terminal))

    def test_a_signal_that_does_not_ask(self):
        terminal = self.view()
        os.kill(self.process(), signal.SIGUSR2)
        self.assert_ended(terminal, 128 + signal.SIGUSR2)

    def test_colors(self):
        terminal = self.view()
        self.assertIn("\x1b[32mwatching", terminal.screen())
        terminal.press("q")
        self.assert_ended(terminal)
        terminal = self.view(NO_COLOR="1")
        self.assertNotIn("\x1b[", terminal.screen())

    def test_sizes(self):
        terminal = self.view()
        for columns, rows, header in ((40, 10, "INFORMER     STATE     OBJECTS  EVENTS/S"),
                                      (20, 5, "INFORMER     OBJECTS"),
                                      (200, 50, "INFORMER      STATE      OBJECTS   EVENTS/S   QUEUED")):
            terminal.resize(columns, rows)
            terminal.wait_until(lambda s, h=header, r=rows: h in re.sub(r"\x1b\[[\d;]*m", "", s)
                                and ("q quit" in s.split("\n")[r - 1] or r < 9), header)
            lines = terminal.lines()
            self.assertEqual(len(lines) - 1, rows)
            self.assertTrue(lines[0].startswith("kinform demo"), lines)
        terminal.press("q")
        self.assert_ended(terminal)

    def test_a_small_terminal_from_the_beginning(self):
        terminal = self.view(columns=40, rows=10)
        lines = terminal.lines()
        self.assertRegex(lines[7], r"^leases +watching +\d+ +[\d.]+$")
        self.assertIn("q quit", lines[9])

    def test_keys(self):
        terminal = self.view()
        terminal.wait_for("changes per second: 10 ")
        terminal.press("+")
        terminal.wait_for("changes per second: 20 ")
        terminal.press("-", "-")
        terminal.wait_for("changes per second: 5 ")
        terminal.press("Space")
        terminal.wait_for("paused, ")
        terminal.wait_until(lambda s: re.search(r"paused, [1-9]", s), "changes that are not shown")
        terminal.press("Space", "x", "Up")
        terminal.wait_for("changes per second: 5 ")
        terminal.press("Q")
        self.assert_ended(terminal)

    def test_a_restart_of_the_server(self):
        terminal = self.view(columns=80, rows=24)
        terminal.press("r")
        terminal.wait_for("The server was restarted")
        terminal.wait_for("The server was restarted; all informers watch again, after ")
        self.wait_for_view(terminal)
        terminal.press("q")
        summary = self.assert_ended(terminal)
        self.assert_summary(summary)
        # The counts include the time before the restart. They never wrap around.
        self.assertRegex(summary.replace("\n", ""), r"has written \d{1,4} times")

    def test_stopped_and_continued(self):
        terminal = self.view()
        terminal.press("C-z")
        wait_until(lambda: state_of(self.process()) == "T", "it was stopped")
        wait_until(lambda: terminal.ask("alternate_on") == "0", "the screen was given back")
        os.kill(self.process(), signal.SIGCONT)
        wait_until(lambda: terminal.ask("alternate_on") == "1", "the screen was taken again")
        self.wait_for_view(terminal)
        terminal.press("q")
        self.assert_ended(terminal)

    def test_no_view(self):
        for arguments, before in ((["--plain"], ""), ([], "export TERM=dumb;")):
            terminal = self.terminal("--for", "1h", *arguments, before=before)
            terminal.wait_for("synced: 5 informers")
            self.assertEqual(terminal.ask("alternate_on"), "0")
            os.kill(self.process(), signal.SIGTERM)
            self.assert_summary(self.assert_ended(terminal))

    def test_a_terminal_that_goes_away(self):
        terminal = self.view()
        pid = self.process()
        terminal.tmux("kill-session")
        wait_until(lambda: has_ended(pid), "it had ended")
        self.assert_tidy()


class WholeRunTest(unittest.TestCase):
    """What setUpModule() began; it is the last class, by its name."""

    def test_a_change_is_told_once(self):
        self.assertEqual(long_runs.quiet.wait(), 0)
        out = "\n".join(long_runs.quiet.seen["out"])
        changes = re.findall(r"(?m)^ +(\d\d:\d\d:\d\d .*)$", out)
        self.assertEqual(len(changes), len(set(changes)), out)
        # There is a heartbeat in ten seconds, and a line in each.
        self.assertLess(len(changes), len(re.findall(rf"(?m){PROGRESS}", out)), out)

    @unittest.skipUnless(shutil.which("tmux") or is_strict(), "there is no tmux")
    def test_after_a_time(self):
        screen = long_runs.timed.wait_for("ended with 0.")
        self.assertGreaterEqual(float(re.search(r"Ran for ([\d.]+) s", screen).group(1)), 8)

    def test_it_stops_by_itself(self):
        self.assertEqual(long_runs.default.wait(), 0)
        out = "\n".join(long_runs.default.seen["out"])
        self.assertGreaterEqual(float(re.search(r"\nRan for ([\d.]+) s\.", out).group(1)), 10)
        self.assertIn("Asked for 0 changes per second", out)
        self.assertRegex(out, r"(?m)^pods +3 +0 ")
        self.assertRegex(out, r"(?m)^nodes +2 ")


if __name__ == "__main__":
    command.main()
