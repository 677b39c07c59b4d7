#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command that lasts, ended by signals at moments that nobody has chosen: it ends at once, says nothing, and
leaves nothing behind.

    test_killed.py --kinform PROGRAM [unittest's arguments]

KIN_TEST_SEED=N repeats the moments of another run, as far as a machine does.
"""
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import command
from command import Case, DEADLINE, environment, left_in, options, run

SEED = int(os.environ.get("KIN_TEST_SEED", time.time_ns() % 1000000))
ROUNDS = 15
ASKS = (signal.SIGINT, signal.SIGTERM)
ALL = (*ASKS, signal.SIGKILL)


def is_gone(group):
    """Whether no process of the group is left, zombies of others' included."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


class KilledTest(Case):
    ARGUMENTS = ("--simulate", "--pods", "500", "--nodes", "5", "--churn", "50")

    def setUp(self):
        self.random = random.Random(f"{SEED} {self._testMethodName}")
        print(f"{self._testMethodName}: KIN_TEST_SEED={SEED}", flush=True)

    def begin(self, *arguments, **changes):
        # A sanitizer looks for leaks with a process of its own, which outlives one that is killed meanwhile.
        changes["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        return subprocess.Popen([options.kinform, *arguments], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                env=environment(KUBECONFIG=self.server.kubeconfig, **changes))

    def kill(self, process, number, longest):
        """At some moment before `longest` seconds have passed. (status, out, err)"""
        try:
            out, err = process.communicate(timeout=self.random.uniform(0, longest))
        except subprocess.TimeoutExpired:
            process.send_signal(number)
            out, err = process.communicate(timeout=DEADLINE)
        self.assertTrue(is_gone(process.pid), "a process is left")
        return process.returncode, out, err

    def until(self, pattern, stream, *arguments):
        """How long it takes to say that, and as much again: moments before and behind it."""
        began = time.monotonic()
        running = self.start(*arguments)
        running.wait_for(pattern, stream)
        took = time.monotonic() - began
        running.close()
        return 2 * took

    def duration(self, *arguments):
        """Of the whole command, in seconds."""
        began = time.monotonic()
        self.run_it(*arguments)
        return time.monotonic() - began

    def test_get(self):
        arguments = ("get", "pods,nodes", "-A", "-o", "json")
        longest = self.duration(*arguments)
        for number in ALL * (ROUNDS // 3):
            status, _, err = self.kill(self.begin(*arguments), number, longest)
            self.assertIn(status, (0, -number))
            self.assertEqual(err, b"")

    def test_watch(self):
        longest = self.until("^watching ", "err", "watch", "pods,nodes", "-A", "--initial")
        for number in ALL * (ROUNDS // 3):
            process = self.begin("watch", "pods,nodes", "-A", "--initial", "-q")
            status, _, err = self.kill(process, number, longest)
            self.assertEqual((status, err), (-number, b""))

    def test_watch_with_a_snapshot(self):
        """What is there is whole, whoever was killed while it was written."""
        folder = self.path / "snapshots"
        folder.mkdir()
        path = folder / "pods.kin"
        began = time.monotonic()
        watching = self.start("watch", "pods", "-A", "--snapshot", str(path))
        watching.wait_for("^watching ", "err")
        watching.signal(signal.SIGINT)
        self.assertEqual(watching.wait(), 128 + signal.SIGINT)
        longest = (time.monotonic() - began) * 2
        for number in ALL * (ROUNDS // 3):
            process = self.begin("watch", "pods", "-A", "-q", "--snapshot", str(path))
            status, _, err = self.kill(process, number, longest)
            self.assertIn(status, (-number, 128 + number))
            self.assertEqual(err, b"")
            if number in ASKS:
                self.assertEqual([one.name for one in folder.iterdir() if one != path], [])
            said = run("get", "--snapshot", str(path), "-o", "name")
            self.assertEqual((said.status, said.err), (0, ""), said)
            self.assertGreater(len(said.out.splitlines()), 400)
            for left in folder.iterdir():  # of SIGKILL, which nobody can tidy up after
                if left != path:
                    left.unlink()

    def test_serve(self):
        data = self.path / "data.sqlite"
        longest = self.until("^current-context:", "out", "serve", "--data", str(data), "--simulate", "--pods", "20",
                             "--nodes", "2")
        for number in ALL * (ROUNDS // 3):
            process = self.begin("serve", "--data", str(data), "--simulate", "--pods", "20", "--nodes", "2")
            status, _, err = self.kill(process, number, longest)
            self.assertIn(status, (0, -number))
            self.assertNotIn(b"kinform:", err)
        said = run("serve", "--data", str(data), "--", options.kinform, "get", "ns", "default", "-oname")
        self.assertEqual((said.status, said.out), (0, "namespace/default\n"), said)

    def test_serve_a_program(self):
        folder = self.path / "temporary"
        folder.mkdir()
        # That long it takes until the program runs.
        longest = 2 * self.duration("serve", "--", "true")
        for number in ASKS * (ROUNDS // 2):
            process = self.begin("serve", "--", "sleep", "600", TMPDIR=str(folder))
            status, out, err = self.kill(process, number, longest)
            self.assertIn(status, (-number, 128 + number))
            self.assertEqual((out, err), (b"", b""))
            self.assertEqual(left_in(folder), [])


if __name__ == "__main__":
    command.main()
