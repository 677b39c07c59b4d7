# SPDX-License-Identifier: Apache-2.0
"""Tests of bench/run. Run with `python3 -m unittest` in this folder.

Contestants, servers and generators are small scripts in a temporary tree. Nothing here measures
anything and nothing sleeps but children that are meant to hang.
"""
from __future__ import annotations

import contextlib
import io
import json
import os
import select
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from unittest import mock

REPO = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(REPO / "bench"))

from frame import cli, inputs, machine, measures, process, report, runner, stats, suite  # noqa: E402

HANG = "sleep 600"


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def dies(pid: int) -> bool:
    """Does a process that was killed, and that is not ours to reap, end? Waits for it, bounded."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([pidfd], [], [], 30)[0])
    finally:
        os.close(pidfd)


class Tree(unittest.TestCase):
    """A temporary source and build tree with fake programs."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.build = self.root / "build"
        self.bin = self.build / "release" / "bin"
        self.bin.mkdir(parents=True)

    def script(self, name: str, body: str) -> Path:
        """An executable shell script in {bin}."""
        path = self.bin / name
        path.write_text("#!/bin/sh\n" + textwrap.dedent(body), encoding="utf-8")
        path.chmod(0o755)
        return path

    def suite_file(self, body: str, name: str = "demo") -> Path:
        path = self.root / f"{name}.ini"
        path.write_text(textwrap.dedent(body), encoding="utf-8")
        return path

    def bench(self, *args: str, go: bool = False) -> tuple[int, str, str]:
        """cli.main() in this tree: (exit status, stdout, stderr). Without Go unless asked."""
        out, err = io.StringIO(), io.StringIO()
        which = inputs.shutil.which

        def no_go(program: str, *more: object, **named: object) -> str | None:
            return None if program == "go" else which(program, *more, **named)  # type: ignore

        with mock.patch.object(cli, "ROOT", self.root), \
                mock.patch.object(inputs.shutil, "which", which if go else no_go), \
                mock.patch.dict(os.environ, {"KIN_STRICT": os.environ.get("TEST_STRICT", "0")}), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = cli.main(["--build-dir", str(self.build), *args])
        return status, out.getvalue(), err.getvalue()

    def records(self, *args: str) -> tuple[int, list[dict], str]:
        """Run demo.ini into a file: (exit status, records, stdout)."""
        target = self.root / "out.jsonl"
        status, out, _ = self.bench("--suite", str(self.root / "demo.ini"), "--out", str(target), *args)
        return status, [json.loads(line) for line in target.read_text("utf-8").splitlines()], out


ONE = """\
    [line]
    measure = ops
    better = higher
    rounds = {rounds}
    warmup = {warmup}
    contestant.a = {{bin}}/a
"""     # what is appended has the same indentation


class Statistics(unittest.TestCase):
    def test_spread(self) -> None:
        self.assertEqual(stats.spread([3, 1, 2]), stats.Spread(3, 2, 1, 3))
        self.assertEqual(stats.spread([4, 1]), stats.Spread(2, 2.5, 1, 4))
        self.assertIsNone(stats.spread([]))

    def test_ratio_is_taken_within_rounds(self) -> None:
        # The machine gets ten times slower; each round says 2. The ratio of medians would say 2/11.
        own, reference = {0: 200, 1: 20, 2: 20}, {0: 100, 1: 10, 2: 10}
        self.assertEqual(stats.ratios(own, reference), stats.Spread(3, 2, 2, 2))
        self.assertEqual(stats.ratios({0: 1, 1: 20, 2: 7}, {1: 10, 2: 0}), stats.Spread(1, 2, 2, 2))
        self.assertIsNone(stats.ratios({0: 1}, {1: 1}))

    def test_verdict(self) -> None:
        def say(median: float, low: float, high: float, better: str | None) -> str:
            return stats.verdict(stats.Spread(3, median, low, high), better)

        self.assertEqual(say(15, 14, 16, "higher"), "15.0× better")
        self.assertEqual(say(0.1, 0.09, 0.2, "lower"), "10.0× better")
        self.assertEqual(say(0.5, 0.4, 0.6, "higher"), "2.00× worse")
        self.assertEqual(say(1.2, 0.9, 1.4, "higher"), "no clear difference")
        self.assertEqual(say(2, 2, 2, None), "")
        self.assertEqual(stats.verdict(stats.Spread(1, 9, 9, 9), "higher"), "")

    def test_times(self) -> None:
        for value, text in ((1234.5, "1234×"), (12.34, "12.3×"), (1.234, "1.23×"), (0.1234, "0.12×"),
                            (0.01234, "0.012×"), (0.0001234, "1.2e-04×")):
            self.assertEqual(stats.times(value), text)

    def test_order_gives_everybody_every_place_and_other_neighbours(self) -> None:
        def rounds(names: str, count: int) -> list[str]:
            return ["".join(stats.order(names, r)) for r in range(count)]

        self.assertEqual(rounds("ABC", 7), ["ABC", "CBA", "BCA", "ACB", "CAB", "BAC", "ABC"])
        self.assertEqual(rounds("AB", 4), ["AB", "BA", "BA", "AB"])
        self.assertEqual(rounds("A", 3), ["A"] * 3)
        for names in ("ABCD", "ABCDE"):
            turn = rounds(names, 2 * len(names))
            for name in names:
                places = [order.index(name) for order in turn]
                self.assertEqual(sorted(places), sorted(2 * list(range(len(names)))))
                for even in range(2, len(turn), 2):     # the mean place after each two rounds
                    self.assertEqual(sum(places[:even]) * 2, even * (len(names) - 1))
            for before, after in zip(turn, turn[1:]):
                self.assertFalse({*zip(before, before[1:])} & {*zip(after, after[1:])})

    def test_others(self) -> None:
        self.assertEqual(machine.judge(5.0, 10.0), (0.5, True))
        self.assertEqual(machine.judge(2.0, 10.0), (0.2, False))
        self.assertEqual(machine.judge(-1.0, 10.0), (0.0, False))
        # Two ticks in a run of 40 ms are half a core, and no finding.
        self.assertFalse(machine.judge(0.02, 0.04)[1])


class Units(unittest.TestCase):
    def test_human(self) -> None:
        for value, unit, text in (
                (1234567, "1/s", "1.23M/s"), (430000, "1/s", "430k/s"), (511, "1/s", "511/s"),
                (999.6, "1/s", "1.00k/s"), (8103, "B", "8.10 KB"), (12, "B", "12 B"),
                (3.187e9, "B", "3.19 GB"), (33.9e6, "B/s", "33.9 MB/s"), (34.6, "s", "34.6 s"),
                (1234, "s", "1234 s"), (250, "us", "250 µs"), (2557, "us", "2.56 ms"),
                (0.25e-3, "s", "250 µs"), (12, "ns", "12.0 ns"), (0.9999, "ms", "1.00 ms"),
                (10, "count", "10"), (123456, "count", "123k"), (0, "s", "0 s"), (0, "1/s", "0/s"),
                (0, "B", "0 B"), (0, "count", "0"), (154.3, "count", "154")):
            self.assertEqual(measures.human(value, unit), text, (value, unit))

    def test_range_has_the_unit_once(self) -> None:
        self.assertEqual(measures.human_range(30, 42.7, "s"), "30.0 – 42.7 s")
        self.assertEqual(measures.human_range(0.5, 42.7, "s"), "500 ms – 42.7 s")

    def test_base_units_make_contestants_comparable(self) -> None:
        self.assertEqual(measures.Measure(1500, "ms").base, (1.5, "s"))
        self.assertEqual(measures.Measure(7, "B").base, (7, "B"))


class Protocol(unittest.TestCase):
    def test_measures_and_notes(self) -> None:
        found, notes = measures.parse("note client-go v1\nmeasure ops 12.5 1/s\nmeasure p99.9 3 us\n")
        self.assertEqual(found, {"ops": measures.Measure(12.5, "1/s"), "p99.9": measures.Measure(3, "us")})
        self.assertEqual(notes, ["client-go v1"])
        self.assertEqual(measures.parse(""), ({}, []))

    def test_cpu_per_op(self) -> None:
        found, _ = measures.parse("measure ops 1000 1/s\nmeasure wall 2000 ms\nmeasure cpu 4 s\n")
        self.assertEqual(measures.cpu_per_op(found), measures.Measure(0.002, "s"))
        for missing in ("ops", "wall", "cpu"):
            self.assertIsNone(measures.cpu_per_op({n: m for n, m in found.items() if n != missing}))
        self.assertIsNone(measures.cpu_per_op({**found, "ops": measures.Measure(0, "1/s")}))

    def test_cpu_per_mb(self) -> None:
        found, _ = measures.parse("measure bytes 500000000 B/s\nmeasure wall 2000 ms\n")
        self.assertEqual(measures.cpu_per_mb(found, 4.0), measures.Measure(0.004, "s"))
        for missing in ("bytes", "wall"):
            self.assertIsNone(measures.cpu_per_mb({n: m for n, m in found.items() if n != missing}, 4.0))
        self.assertIsNone(measures.cpu_per_mb({**found, "bytes": measures.Measure(9, "B")}, 4.0))

    def test_anything_else_is_an_error_that_quotes_it(self) -> None:
        for bad, why in (("hello", "neither"), ("", "neither"), ("measure ops", "NAME VALUE UNIT"),
                         ("measure ops 1e6 1/s", "NAME VALUE UNIT"), ("measure Ops 1 s", "NAME VALUE UNIT"),
                         ("measure ops nan s", "NAME VALUE UNIT"), ("measure ops 1 parsec", "unknown unit"),
                         ("measure  ops 1 s", "NAME VALUE UNIT"), ("measure a 2 s", "repeats"),
                         ("measure run.wall 1 s", "runner's own"), ("measure ops 1 s x", "NAME VALUE UNIT")):
            with self.assertRaises(measures.ProtocolError, msg=bad) as caught:
                measures.parse(f"measure a 1 s\n{bad}\n")
            self.assertIn(repr(bad), str(caught.exception))
            self.assertIn("line 2", str(caught.exception))
            self.assertIn(why, str(caught.exception))


class Suites(Tree):
    def load(self, body: str, quick: bool = False) -> suite.Suite:
        return suite.load(self.suite_file(body), quick)

    BASE = "[l]\nmeasure = ops\nbetter = higher\ncontestant.a = a\n"

    def test_real_suites_are_good(self) -> None:
        files = sorted((REPO / "bench" / "suites").glob("*.ini"))
        self.assertTrue(files)
        for file in files:
            for quick in (False, True):
                self.assertTrue(suite.load(file, quick).lines)

    def test_inheritance_variables_and_quick(self) -> None:
        body = """\
            [DEFAULT]
            rounds = 4
            quick.rounds = 1
            size = 1000
            quick.size = 10
            tool = {bin}/tool --size {size}
            measure = wall
            better = lower
            contestant.a = {tool} --name 'a b' --brace {{x}}

            [plain]
            title = {size} things
            [own]
            size = 5
            rounds = 7
            quick.rounds = 2
            """
        plain, own = self.load(body).lines
        self.assertEqual((plain.title, plain.rounds, own.title, own.rounds), ("1000 things", 4, "own", 7))
        self.assertEqual(own.contestants["a"].argv({"bin": "/b c"}),
                         ["/b c/tool", "--size", "5", "--name", "a b", "--brace", "{x}"])
        plain, own = self.load(body, quick=True).lines
        self.assertEqual((plain.title, plain.rounds, own.rounds), ("10 things", 1, 2))
        self.assertEqual(own.contestants["a"].argv({"bin": "/b"})[2], "10")

    def test_defaults(self) -> None:
        line = self.load(self.BASE).lines[0]
        self.assertEqual((line.rounds, line.warmup, line.timeout, line.reference), (5, 1, 600, None))

    def test_errors_name_file_section_and_key(self) -> None:
        base = self.BASE
        for body, key, why in (
                (base + "colour = red\n", "colour", "unknown key"),
                ("[DEFAULT]\nrouns = 3\n" + base, "rouns", "unknown key"),
                (base + "quick.pods = 3\n", "quick.pods", "no pods"),
                ("[DEFAULT]\nquick.pods = 3\n" + base, "quick.pods", "no pods"),
                (base + "rounds = 0\n", "rounds", "at least 1"),
                (base + "rounds = 2.5\n", "rounds", "whole number"),
                (base + "timeout = soon\n", "timeout", "'soon'"),
                (base + "timeout = inf\n", "timeout", "'inf'"),
                (base + "reference = b\n", "reference", "not a contestant"),
                (base + "contestant.b = {nope}\n", "contestant.b", "unknown variable {nope}"),
                (base + "contestant.b = {x}\nx = {y}\ny = {x}\n", "contestant.b", "refers to itself"),
                (base + "contestant.b = x {\n", "contestant.b", "stray"),
                (base + "contestant.b = 'x\n", "contestant.b", "quotation"),
                (base + "contestant.b = x {url}\n", "contestant.b", "no server"),
                (base + "contestant.b = x {data}\n", "contestant.b", "no data"),
                (base + "prepare = x\n", "prepare", "no data"),
                (base + "bin = /x\ncontestant.b = {bin}\n", "bin", "built-in"),
                (base + "also = Ops\n", "also", "'Ops'"),
                (base + "also = run.nope\n", "also", "run.wall"),
                (base + "also = server.cpu\n", "also", "does not measure"),
                (base + "contestant.b =\n", "contestant.b", "no value"),
                (base + "serve = x\nserve_for = ever\n", "serve_for", "'ever'"),
                (base + "better = more\n", "better", "given twice"),
                (base.replace("higher", "more"), "better", "'more'"),
                (base.replace("measure = ops\n", ""), "measure", "missing"),
                (base.replace("contestant.a = a\n", ""), "contestant.NAME", "missing")):
            with self.assertRaises(suite.SuiteError, msg=body) as caught:
                self.load(body)
            for part in ("demo.ini", f"[{'DEFAULT' if body.startswith('[D') else 'l'}]", key, why):
                self.assertIn(part, str(caught.exception))

    def test_errors_of_the_file_itself(self) -> None:
        for body, why in (("", "no lines"), ("nonsense\n", "no section"), (self.BASE + self.BASE, "twice"),
                          (self.BASE.replace("[l]", "[l m]"), "a line's id")):
            with self.assertRaisesRegex(suite.SuiteError, why):
                self.load(body)
        status, out, err = self.bench("--suite", "absent")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("no such suite", err)

    def test_only_and_list(self) -> None:
        file = str(self.suite_file(self.BASE + "contestant.b = b\n" + self.BASE.replace("[l]", "[m]")))
        self.assertEqual(self.bench("--suite", file, "--only", "x*", "--list")[0], 2)
        _, out, _ = self.bench("--suite", file, "--only", "m", "--list")
        self.assertIn("  m: m\n", out)
        self.assertNotIn("  l: l\n", out)
        _, out, _ = self.bench("--suite", file, "--only", "l/b", "--list")
        self.assertIn("      b; ops", out)
        self.assertNotIn("  m: m\n", out)


class Runs(Tree):
    def test_rounds_are_interleaved_and_warmups_discarded(self) -> None:
        for name in "abc":
            self.script(name, f"echo {name} >> {self.root}/order\necho measure ops 10 1/s\n")
        self.suite_file(ONE.format(rounds=2, warmup=1)
                        + "    contestant.b = {bin}/b\n    contestant.c = {bin}/c\n")
        status, records, _ = self.records()
        self.assertEqual(status, 0)
        self.assertEqual((self.root / "order").read_text().split(), list("abc" "abc" "cba"))
        runs = [r for r in records if r["record"] == "run"]
        self.assertEqual([r["warmup"] for r in runs], [True] * 3 + [False] * 6)
        self.assertEqual([(r["round"], r["position"]) for r in runs[3:]],
                         [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)])
        n = {r["contestant"]: r["n"] for r in records if r["record"] == "summary" and r["primary"]}
        self.assertEqual(n, {"a": 2, "b": 2, "c": 2})

    def test_records_are_complete(self) -> None:
        counter = f"n=$(cat {self.root}/n-$0 2>/dev/null | wc -l); echo x >> {self.root}/n-$(basename $0)\n"
        self.script("a", counter + "echo measure ops 100 1/s\necho measure lag 2 ms\necho note hi\n")
        self.script("b", counter + f"n=$(wc -l < {self.root}/n-b)\n"
                    "echo measure ops $((n * 100)) 1/s\necho measure lag 500 us\n")
        self.suite_file(ONE.format(rounds=3, warmup=0)
                        + "    contestant.b = {bin}/b\n    reference = a\n    also = lag\n")
        status, records, out = self.records()
        self.assertEqual(status, 0)
        environment = records[0]
        self.assertEqual(environment["record"], "environment")
        for key in ("date", "cpu", "cores", "memory", "kernel", "compiler", "python", "go", "git_commit",
                    "client_go", "quick", "preset"):
            self.assertIn(key, environment)
        self.assertEqual([r["record"] for r in records].count("environment"), 1)
        run = next(r for r in records if r["record"] == "run" and r["contestant"] == "a")
        self.assertTrue(run["ok"])
        self.assertEqual(run["measures"]["ops"], {"value": 100.0, "unit": "1/s"})
        self.assertEqual(run["notes"], ["hi"])
        self.assertLessEqual({"run.wall", "run.cpu", "run.user", "run.system", "run.peak_rss"},
                             set(run["measures"]))
        self.assertGreaterEqual(run["others_cores"], 0)
        self.assertIn(run["disturbed"], (True, False))
        self.assertGreater(run["measures"]["run.peak_rss"]["value"], 0)
        summaries = {(r["contestant"], r["measure"]): r for r in records if r["record"] == "summary"}
        self.assertEqual(len(summaries), 2 * 7)
        ops = summaries["b", "ops"]
        self.assertEqual((ops["median"], ops["min"], ops["max"], ops["n"]), (200, 100, 300, 3))
        self.assertEqual(ops["ratio"], {"median": 2, "min": 1, "max": 3, "rounds": 3})
        self.assertIsNone(summaries["a", "ops"]["ratio"])
        self.assertAlmostEqual(summaries["b", "lag"]["ratio"]["median"], 0.25)
        self.assertEqual((summaries["b", "lag"]["unit"], summaries["b", "lag"]["better"]), ("s", "lower"))
        self.assertIn("4.00× better", out)

    def test_failures_do_not_stop_the_others(self) -> None:
        self.script("good", "echo measure ops 1 1/s\n")
        self.script("exits", f"echo x >> {self.root}/asked\necho the reason >&2\nexit 3\n")
        self.script("signalled", "kill -9 $$\n")
        self.script("garbles", "echo measure ops 1 1/s\necho oops\n")
        self.script("silent", "echo measure other 1 s\n")
        self.suite_file(ONE.format(rounds=2, warmup=0) + "".join(
            f"    contestant.{n} = {{bin}}/{n}\n" for n in ("exits", "signalled", "garbles", "silent"))
            + "    [next]\n    measure = ops\n    better = higher\n    rounds = 1\n"
              "    contestant.good = {bin}/good\n")
        (self.bin / "a").symlink_to("good")
        status, records, out = self.records()
        self.assertEqual(status, 1)
        for part in ("line/exits: exit status 3: the reason", "line/signalled: killed by SIGKILL",
                     "line/garbles: line 2 of its output is neither a measure nor a note: 'oops'",
                     "line/silent: did not report 'ops' (only: other, run.wall,"):
            self.assertIn("FAILED: " + part, out)
        self.assertEqual((self.root / "asked").read_text(), "x\n", "a failed one is not asked again")
        good = {(r["line"], r["n"]) for r in records if r["record"] == "summary" and r["primary"]}
        self.assertEqual(good, {("line", 2), ("next", 1)})
        failed = [r for r in records if r["record"] == "run" and not r["ok"]]
        self.assertEqual(len(failed), 4)
        self.assertEqual({r["contestant"] for r in records if r["record"] == "failure"},
                         {"exits", "signalled", "garbles", "silent"})

    def test_units_that_do_not_fit_are_a_failure(self) -> None:
        self.script("a", "echo measure ops 1 1/s\n")
        self.script("b", "echo measure ops 1 s\n")
        self.suite_file(ONE.format(rounds=1, warmup=0) + "    contestant.b = {bin}/b\n")
        status, _, out = self.records()
        self.assertEqual(status, 1)
        self.assertIn("reports 'ops' in s, others in 1/s", out)

    def test_timeout_kills_the_group_and_nothing_else(self) -> None:
        self.script("a", f"sleep 600 &\necho $! $$ > {self.root}/pids\n{HANG}\n")
        self.suite_file(ONE.format(rounds=1, warmup=0) + "    timeout = 3\n")
        bystander = subprocess.Popen(["sleep", "600"])
        try:
            status, _, out = self.records()
            self.assertIsNone(bystander.poll())
        finally:
            bystander.kill()
            bystander.wait()
        self.assertEqual(status, 1)
        self.assertIn("took longer than 3 s: killed", out)
        grandchild, child = map(int, (self.root / "pids").read_text().split())
        self.assertFalse(is_running(child))
        self.assertTrue(dies(grandchild))

    def test_what_a_contestant_leaves_behind_is_killed(self) -> None:
        with process.Child(["sh", "-c", "sleep 600 & echo $!"]) as child:
            child.has_ended(10)
            left = int(child.finish().stdout)
        self.assertTrue(dies(left))

    def test_runaway_output_is_stopped(self) -> None:
        with mock.patch.object(process, "OUTPUT_LIMIT", 1 << 20), \
                self.assertRaisesRegex(process.ChildError, "printed more than 1 MiB"):
            process.run(["sh", "-c", f"head -c 3000000 /dev/zero; {HANG}"], 60)

    def test_peak_memory_of_a_small_child_is_not_that_of_python(self) -> None:
        child = process.Child(["sh", "-c", HANG])
        with child:
            self.assertFalse(child.has_ended(0.05))
            usage = child.finish().usage
        self.assertEqual(usage.peak_rss_source, "sampled")
        self.assertLess(usage.peak_rss, process._own_peak_rss())

    def test_what_the_child_inherits_is_read_after_the_fork(self) -> None:
        with mock.patch.object(process.subprocess, "Popen", wraps=subprocess.Popen) as started, \
                mock.patch.object(process, "_own_peak_rss",
                                  side_effect=lambda: started.call_count << 40) as read:
            usage = process.run(["true"], 60).usage
        self.assertEqual(read.call_count, 1)
        self.assertNotEqual(usage.peak_rss_source, "wait4")

    def test_peak_memory_of_a_large_child_is_what_the_kernel_says(self) -> None:
        done = process.run([sys.executable, "-c", "x = b'x' * (200 << 20)"], 60)
        self.assertEqual(done.usage.peak_rss_source, "wait4")
        self.assertGreater(done.usage.peak_rss, 200 << 20)

    def test_skipped_aloud_and_strict(self) -> None:
        self.script("a", "echo measure ops 1 1/s\n")
        self.suite_file(ONE.format(rounds=1, warmup=0)
                        + "    contestant.absent = {bin}/absent\n    contestant.go = {client_go} x\n"
                        + "    contestant.behind = {bin}/a -- {bin}/nosuch x\n    contestant.there = {bin}/a -- true\n")
        status, records, out = self.records()
        self.assertEqual(status, 0)
        self.assertIn("skipped: line/behind: {root}/build/release/bin/nosuch is missing", out)
        self.assertEqual({r["contestant"] for r in records if r["record"] == "summary"}, {"a", "there"})
        self.assertIn("skipped: line/absent: {root}/build/release/bin/absent is missing (build the release preset)", out)
        self.assertIn("skipped: line/go: the Go peer needs Go", out)
        self.assertEqual({r["contestant"] for r in records if r["record"] == "skip"}, {"absent", "go", "behind"})
        self.assertEqual(self.records("--strict")[0], 1)
        with mock.patch.dict(os.environ, {"TEST_STRICT": "1"}):
            self.assertEqual(self.records()[0], 1)

    def test_nothing_says_where_this_is(self) -> None:
        self.script("a", f"echo note data is in {self.root}/x\necho measure ops 1 1/s\n")
        self.script("bad", f"echo cannot read {self.root}/x, {self.root}2 >&2\nexit 1\n")
        (self.build / "release" / "CMakeCache.txt").write_text(f"CMAKE_C_FLAGS:STRING=-I{self.root}/y\n")
        self.suite_file(ONE.format(rounds=1, warmup=0)
                        + "    contestant.bad = {bin}/bad\n    contestant.absent = {bin}/absent\n")
        _, records, out = self.records()
        self.assertIn(f"FAILED: line/bad: exit status 1: cannot read {{root}}/x, {self.root}2\n", out)
        self.assertEqual(records[0]["c_flags"], "-I{root}/y")
        self.assertEqual([r["notes"] for r in records if r.get("ok")], [["data is in {root}/x"]])
        for text in (out, *map(json.dumps, records)):
            self.assertNotIn(str(self.root), text.replace(f"{self.root}2", ""))
        self.assertRegex(records[0]["kernel"], r"^Linux \d+\.\d+$")

    def test_a_build_folder_elsewhere_is_not_named_either(self) -> None:
        place = inputs.Inputs(Path("/src/tree"), Path("/far/build"), "release", print)
        self.assertEqual(place.neutral("/far/build/release/bin/a; /src/tree/b; /far/builder"),
                         "{build}/release/bin/a; {root}/b; /far/builder")
        inner = inputs.Inputs(Path("/src/tree"), Path("/src/tree/build"), "release", print)
        self.assertEqual(inner.neutral("/src/tree/build/x"), "{root}/build/x")

    def test_peer_that_does_not_build_is_a_failure(self) -> None:
        peer = self.root / "bench" / "peers" / "client-go"
        peer.mkdir(parents=True)
        (peer / "go.mod").write_text("module x\n")
        tools = self.root / "tools"
        tools.mkdir()
        (tools / "go").write_text("#!/bin/sh\necho no such package >&2\nexit 1\n")
        (tools / "go").chmod(0o755)
        self.suite_file(ONE.format(rounds=1, warmup=0).replace("{{bin}}/a", "{{client_go}}")
                        .replace("{bin}/a", "{client_go}"))
        with mock.patch.dict(os.environ, {"PATH": f"{tools}:{os.environ['PATH']}"}):
            status, out, err = self.bench("--suite", str(self.root / "demo.ini"), go=True)
            self.assertEqual(status, 1)
            self.assertIn("building the Go peer", err)
            self.assertIn("go build of the Go peer: exit status 1: no such package", out)
            (tools / "go").write_text(
                "#!/bin/sh\n[ \"$1\" = build ] || exit 0\n"
                "printf '#!/bin/sh\\n[ \"$1\" = version ] && echo note peer 1 || "
                "echo measure ops 5 1/s\\n' > \"$4\"\nchmod +x \"$4\"\n")
            status, out, _ = self.bench("--suite", str(self.root / "demo.ini"), go=True)
        self.assertEqual(status, 0, out)
        self.assertIn("peer 1", out)
        self.assertIn("5/s", out)

    def test_quick_and_overrides(self) -> None:
        self.script("a", "echo measure ops $1 1/s\n")
        self.suite_file(ONE.format(rounds=3, warmup=2).replace("bin}/a", "bin}/a {size}")
                        + "    size = 1000\n    quick.size = 7\n    quick.rounds = 2\n")
        _, records, out = self.records("--quick", "--warmup", "0")
        runs = [r for r in records if r["record"] == "run"]
        self.assertEqual([r["measures"]["ops"]["value"] for r in runs], [7, 7])
        self.assertTrue(records[0]["quick"])
        self.assertIn("quick sizes: not for comparison", out)
        _, records, _ = self.records("--rounds", "1", "--warmup", "1")
        self.assertEqual([r["warmup"] for r in records if r["record"] == "run"], [True, False])
        self.assertEqual(self.bench("--suite", str(self.root / "demo.ini"))[0], 0)
        self.assertEqual(len(list((self.build / "bench").glob("demo-*.jsonl"))), 1)

    def test_bad_usage(self) -> None:
        with self.assertRaises(SystemExit) as caught:
            self.bench("--rounds", "0")
        self.assertEqual(caught.exception.code, 2)


class Servers(Tree):
    def serve(self, server: str, contestant: str) -> tuple[int, list[dict], str]:
        self.script("server", server)
        self.script("a", contestant)
        self.suite_file(ONE.format(rounds=2, warmup=0).replace("bin}/a", "bin}/a {url}")
                        + "    serve = {bin}/server\n    serve_timeout = 5\n    also = server.cpu\n")
        return self.records()

    def test_one_server_per_run_stopped_by_end_of_file(self) -> None:
        status, records, out = self.serve(
            f"echo start >> {self.root}/log\necho listening http://127.0.0.1:$$\ncat > /dev/null\n"
            f"echo stop >> {self.root}/log\n",
            f"echo run $1 >> {self.root}/log\necho measure ops 1 1/s\n")
        self.assertEqual(status, 0, out)
        log = (self.root / "log").read_text().splitlines()
        self.assertEqual([entry.split()[0] for entry in log], ["start", "run", "stop"] * 2)
        urls = {entry.split()[1] for entry in log if entry.startswith("run")}
        self.assertEqual(len(urls), 2)
        self.assertTrue(all(url.startswith("http://127.0.0.1:") for url in urls))
        run = next(r for r in records if r["record"] == "run")
        self.assertIn("server.peak_rss", run["measures"])

    def test_what_is_to_be_trusted(self) -> None:
        self.script("a", f"echo $1 $2 >> {self.root}/log\necho measure ops 1 1/s\n")
        self.suite_file(ONE.format(rounds=1, warmup=0).replace("bin}/a", "bin}/a {url} {ca}")
                        + "    serve = {bin}/server\n")
        self.script("server", "echo listening https://x ca /some/file\ncat > /dev/null\n")
        self.assertEqual(self.records()[0], 0)
        self.assertEqual((self.root / "log").read_text(), "https://x /some/file\n")
        self.script("server", "echo listening http://x\ncat > /dev/null\n")
        status, _, out = self.records()
        self.assertEqual(status, 1)
        self.assertIn("the server named no CA", out)

    def test_a_server_for_all_rounds_and_another_process_that_is_it(self) -> None:
        self.script("server", f"""\
            echo start >> {self.root}/log
            python3 -c 'import time; x = bytearray(60 << 20); del x; t = time.process_time
            while t() < 0.3: pass
            print(flush=True); time.sleep(600)' > {self.root}/ready &
            while ! [ -s {self.root}/ready ]; do sleep 0.01; done
            echo "listening https://x ca /a b/ca kubeconfig /a b/config pid $!"
            cat > /dev/null
            kill $!
            """)
        self.script("a", f'echo "$1 $2 $3" >> {self.root}/log\necho measure ops 1 1/s\n')
        self.suite_file(ONE.format(rounds=2, warmup=1).replace("bin}/a", "bin}/a {url} {ca} {kubeconfig}")
                        + "    serve = {bin}/server\n    serve_for = line\n    also = server.cpu, server.peak_rss\n")
        status, records, out = self.records()
        self.assertEqual(status, 0, out)
        self.assertEqual((self.root / "log").read_text().splitlines(),
                         ["start"] + ["https://x /a b/ca /a b/config"] * 3)
        for run in (r["measures"] for r in records if r["record"] == "run"):
            # Time and memory from before the run do not count.
            self.assertLess(run["server.cpu"]["value"], 0.2)
            self.assertLess(run["server.peak_rss"]["value"], 60 << 20)

    def test_a_server_for_all_rounds_that_fails(self) -> None:
        self.suite_file(ONE.format(rounds=2, warmup=0).replace("bin}/a", "bin}/a {kubeconfig}")
                        + "    serve = {bin}/server\n    serve_for = line\n")
        self.script("a", "echo measure ops 1 1/s\n")
        for server, why in (("exit 1\n", "a: server ended before it listened: exit status 1"),
                            ("echo listening x\ncat > /dev/null\n", "a: the server named no kubeconfig"),
                            ("echo listening x kubeconfig y\ncat > /dev/null\nexit 1\n",
                             "(server): server: exit status 1")):
            self.script("server", server)
            status, _, out = self.records()
            self.assertEqual(status, 1)
            self.assertIn(f"FAILED: line/{why}", out)

    def test_a_server_that_lacks_something_skips(self) -> None:
        self.script("a", "echo measure ops 1 1/s\n")
        self.script("server", "echo 'no programs: make them' >&2\nexit 77\n")
        for more in ("", "    serve_for = line\n"):
            self.suite_file(ONE.format(rounds=1, warmup=0) + "    serve = {bin}/server\n" + more)
            status, records, out = self.records()
            self.assertEqual(status, 0)
            self.assertIn("skipped: line/a: no programs: make them", out)
            self.assertIn("skip", [r["record"] for r in records])
            self.assertEqual(self.records("--strict")[0], 1)

    def test_servers_that_do_not_start(self) -> None:
        ok = "echo measure ops 1 1/s\n"
        for server, why in (("echo busy port >&2\nexit 1\n", "ended before it listened: exit status 1: busy"),
                            ("echo hello\ncat\n", "server said 'hello'")):
            status, _, out = self.serve(server, ok)
            self.assertEqual(status, 1)
            self.assertIn(why, out)
        with self.assertRaisesRegex(process.ChildError, "within 0.2 s"):
            process.Server(["sh", "-c", HANG], 0.2)

    def test_server_that_dies_meanwhile(self) -> None:
        status, _, out = self.serve(
            f"echo listening http://x/$$\necho $$ > {self.root}/pid\nexec cat\n",
            f"kill -9 ${{1##*/}}\nwhile grep -q '^State:.[^Z]' /proc/${{1##*/}}/status; do :; done\n"
            "echo connection refused >&2\nexit 1\n")
        self.assertEqual(status, 1)
        self.assertIn("exit status 1: connection refused; "
                      "server ended during the run: killed by SIGKILL", out)

    def test_server_that_does_not_stop_is_killed(self) -> None:
        with mock.patch.object(process, "STOP_SECONDS", 0.2):
            status, _, out = self.serve(f"echo listening x\necho $$ > {self.root}/pid\n{HANG}\n",
                                        "echo measure ops 1 1/s\n")
        self.assertEqual(status, 1)
        self.assertIn("server did not stop within 0.2 s: killed", out)
        self.assertFalse(is_running(int((self.root / "pid").read_text())))

    def test_server_goes_when_the_contestant_fails(self) -> None:
        status, _, _ = self.serve(f"echo listening x\necho $$ > {self.root}/pid\ncat\n", "exit 1\n")
        self.assertEqual(status, 1)
        self.assertFalse(is_running(int((self.root / "pid").read_text())))

    def test_missing_server_skips(self) -> None:
        self.script("a", "echo measure ops 1 1/s\n")
        self.suite_file(ONE.format(rounds=1, warmup=0) + "    serve = {bin}/nope\n")
        status, _, out = self.records()
        self.assertEqual(status, 0)
        self.assertIn("skipped: line/a", out)


class Data(Tree):
    GENERATOR = """\
        echo "$@" >> {root}/made
        while [ "$1" != --out ]; do shift; done
        echo '{{}}' > "$2/manifest.json"
        """
    SUITE = ONE.format(rounds=1, warmup=0).replace("bin}/a", "bin}/a {data}") \
        + "    data = --pods {pods}\n    pods = 3\n    quick.pods = 1\n    prepare = {bin}/prep {data}\n"

    def setUp(self) -> None:
        super().setUp()
        self.script("kin-bench-pods", self.GENERATOR.format(root=self.root))
        self.script("prep", f"echo x >> {self.root}/prepared\ntouch $1/extra\n")
        self.script("a", "[ -f $1/extra ] && [ -f $1/manifest.json ] && echo measure ops 1 1/s\n")
        self.suite_file(self.SUITE)

    def lines(self, name: str) -> int:
        return len((self.root / name).read_text().splitlines())

    def test_made_and_prepared_once(self) -> None:
        for _ in range(2):
            self.assertEqual(self.records()[0], 0)
        self.assertEqual((self.lines("made"), self.lines("prepared")), (1, 1))
        self.assertTrue((self.root / "made").read_text().startswith("--pods 3 --out "))

    def test_made_again_for_other_arguments_generator_or_preparation(self) -> None:
        self.records()
        self.records("--quick")
        self.assertEqual((self.lines("made"), self.lines("prepared")), (2, 2))
        self.script("prep", f"echo y >> {self.root}/prepared\n")
        self.records()
        self.assertEqual((self.lines("made"), self.lines("prepared")), (2, 3))
        self.script("kin-bench-pods", self.GENERATOR.format(root=self.root) + "# newer\n")
        self.script("prep", f"echo z >> {self.root}/prepared\ntouch $1/extra\n")
        self.assertEqual(self.records()[0], 0)
        self.assertEqual((self.lines("made"), self.lines("prepared")), (3, 4))

    def test_read_into_the_page_cache_before_each_run(self) -> None:
        self.script("b", "echo measure ops 1 1/s\n")
        self.suite_file(self.SUITE.replace("rounds = 1", "rounds = 2") + "    contestant.b = {bin}/b\n")
        with mock.patch.object(runner, "warm_cache") as warmed:
            self.assertEqual(self.records()[0], 0)
        self.assertEqual(warmed.call_count, 4)
        self.assertTrue((warmed.call_args.args[0] / "manifest.json").is_file())

    def test_an_older_preparation_is_forgotten(self) -> None:
        first = (self.bin / "prep").read_text()
        for body in (first, first + "# newer\n", first):
            (self.bin / "prep").write_text(body)
            self.assertEqual(self.records()[0], 0)
        self.assertEqual((self.lines("made"), self.lines("prepared")), (1, 3))
        self.assertEqual(len(list((self.build / "bench-data").glob("*/.prepared-*"))), 1)

    def test_half_made_data_is_never_used(self) -> None:
        self.script("kin-bench-pods", "echo disk full >&2\nexit 1\n")
        status, _, out = self.records()
        self.assertEqual(status, 1)
        self.assertIn("kin-bench-pods: exit status 1: disk full", out)
        self.assertEqual([p for p in (self.build / "bench-data").iterdir() if p.is_dir()], [])

    def unprepared(self, program: str) -> tuple[int, list[dict], str]:
        """A line that `program` should have prepared, whose contestant b is the same program."""
        self.script("a", "[ -f $1/manifest.json ] && echo measure ops 1 1/s\n")
        self.suite_file(self.SUITE.replace("{bin}/prep", program)
                        + f"    contestant.b = {program} b {{data}}\n"
                        + "    contestant.c = {bin}/c {data}\n")
        self.script("c", "[ -f $1/extra ] || { echo no extra >&2; exit 1; }\necho measure ops 1 1/s\n")
        return self.records()

    def test_failing_preparation_drops_its_program_only(self) -> None:
        self.script("prep", "exit 4\n")
        status, records, out = self.unprepared("{bin}/prep")
        self.assertEqual(status, 1)
        self.assertIn("FAILED: line/b, line/(prepare): prepare: exit status 4", out)
        self.assertIn("FAILED: line/c: exit status 1: no extra", out)
        self.assertEqual({r["contestant"] for r in records if r["record"] == "summary"}, {"a"})

    def test_failing_preparation_by_the_only_program(self) -> None:
        self.script("a", "exit 4\n")
        self.suite_file(self.SUITE.replace("{bin}/prep", "{bin}/a"))
        status, _, out = self.records()
        self.assertEqual(status, 1)
        self.assertIn("FAILED: line/a, line/(prepare): prepare: exit status 4", out)

    def test_failing_preparation_is_a_failure_though_nobody_uses_its_program(self) -> None:
        self.script("prep", "exit 4\n")
        self.script("a", "echo measure ops 1 1/s\n")
        status, records, _ = self.records()
        self.assertEqual(status, 1)
        self.assertEqual([(r["contestant"], r["reason"]) for r in records if r["record"] == "failure"],
                         [("(prepare)", "prepare: exit status 4")])
        self.assertIn(1, [r["median"] for r in records if r["record"] == "summary"])

    def test_without_go_the_others_run_on_unprepared_data(self) -> None:
        _, records, out = self.unprepared("{client_go} convert")
        self.assertIn("skipped: line/b, line/(prepare): the Go peer needs Go", out)
        self.assertEqual({r["contestant"] for r in records if r["record"] == "summary"}, {"a"})
        self.assertEqual(list((self.build / "bench-data").glob("*/.prepared-*")), [])

    def test_without_go_a_contestant_that_needs_its_files_is_skipped(self) -> None:
        self.script("a", "echo measure ops 1 1/s\n")
        self.suite_file(self.SUITE.replace("{bin}/prep", "{client_go}") + "    contestant.a-json = {bin}/a {data}\n"
                        + "    unprepared = *json, none\n")
        status, records, out = self.records()
        self.assertEqual(status, 0, out)
        self.assertIn("skipped: line/a, line/(prepare): the Go peer needs Go", out)
        self.assertEqual({r["contestant"] for r in records if r["record"] == "summary"}, {"a-json"})

    def test_without_go_nothing_is_made_for_go_alone(self) -> None:
        self.suite_file(self.SUITE.replace("{bin}/prep", "{client_go}").replace("{bin}/a", "{client_go}"))
        self.assertEqual(self.records()[0], 0)
        self.assertFalse((self.build / "bench-data").exists())

    def test_without_generator_the_line_is_skipped(self) -> None:
        (self.bin / "kin-bench-pods").unlink()
        status, _, out = self.records()
        self.assertEqual(status, 0)
        self.assertIn("kin-bench-pods is missing", out)


class Interrupts(Tree):
    def interrupted(self, name: str) -> tuple[int, str]:
        self.script("a", "echo measure ops 7 1/s\n")
        self.script("b", f"echo $$ > {self.root}/pid\nkill -{name} $PPID\n{HANG}\n")
        self.suite_file(ONE.format(rounds=1, warmup=0) + "    contestant.b = {bin}/b\n")
        done = subprocess.run(
            [sys.executable, str(REPO / "bench" / "run"), "--build-dir", str(self.build), "--suite",
             str(self.root / "demo.ini"), "--out", str(self.root / "out.jsonl")],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertNotIn("Traceback", done.stderr)
        self.assertFalse(is_running(int((self.root / "pid").read_text())))
        records = [json.loads(line) for line in (self.root / "out.jsonl").read_text().splitlines()]
        self.assertIn(7, [r["median"] for r in records if r["record"] == "summary"])
        return done.returncode, done.stdout

    def test_control_c_keeps_what_was_measured(self) -> None:
        status, out = self.interrupted("INT")
        self.assertEqual(status, 130)
        self.assertIn("7/s", out)

    def test_sigterm(self) -> None:
        self.assertEqual(self.interrupted("TERM")[0], 143)


class Tables(unittest.TestCase):
    def result(self, disturbed: int = 0) -> runner.Result:
        line = suite.Line(
            suite="demo", id="sync", title="sync of 10 Pods", measure="wall", better="lower",
            also=("ops",), data=None, prepare=None, serve=None, serve_timeout=1,
            contestants={"go": suite.Command(("go",)), "kinform": suite.Command(("kin",))},
            reference="go", rounds=3, warmup=0, timeout=1)
        result = runner.Result(line)
        for number in range(3):
            for name, wall, ops in (("go", 34.6 + number, 290), ("kinform", 2.0, 5000 + number)):
                result.runs.append(runner.Run(
                    name, number, {"wall": measures.Measure(wall, "s"), "ops": measures.Measure(ops, "1/s")},
                    [], 0.0, len(result.runs) < disturbed, "wait4"))
        result.figures, _ = runner.figures(line, result.runs)
        return result

    def test_text(self) -> None:
        self.assertEqual(report.text([self.result()]).splitlines(), [
            "  measure  contestant   median       min – max  n       ratio (min – max)",
            "",
            "sync: sync of 10 Pods",
            "  wall     go           35.6 s   34.6 – 36.6 s  3               reference",
            "           kinform      2.00 s   2.00 – 2.00 s  3  0.056× (0.055 – 0.058)  17.8× better",
            "  ops      go            290/s     290 – 290/s  3               reference",
            "           kinform     5.00k/s  5.00 – 5.00k/s  3     17.2× (17.2 – 17.2)  17.2× better"])

    def test_markdown(self) -> None:
        lines = report.markdown([self.result()]).splitlines()
        self.assertEqual(lines[0], "| line | measure | contestant | median | min – max | n | "
                                   "ratio (min – max) |  |")
        self.assertEqual(lines[1].count("---"), 8)
        self.assertEqual(lines[2], "| sync of 10 Pods | wall | go | 35.6 s | 34.6 – 36.6 s | 3 | "
                                   "reference |  |")
        self.assertEqual({line.count("|") for line in lines}, {9})

    def test_mark_when_more_than_half_of_a_contestants_runs_were_disturbed(self) -> None:
        self.assertNotIn("[disturbed]", report.text([self.result(disturbed=2)]))    # one of each
        marked = self.result(disturbed=3)       # two of three of the reference
        self.assertIn("sync: sync of 10 Pods  [disturbed]", report.text([marked]))
        self.assertIn("0.3 core", report.footer([marked])[0])

    def test_footer_groups_by_reason(self) -> None:
        first, second = self.result(), self.result()
        for result in (first, second):
            result.skipped["kinform"] = "it is missing"
        second.failed["go"] = "exit status 1"
        second.missing = ["rss"]
        self.assertEqual(report.footer([first, second]), [
            "note: sync: nobody reported rss", "skipped: sync/kinform, sync/kinform: it is missing",
            "FAILED: sync/go: exit status 1"])


if __name__ == "__main__":
    unittest.main()
