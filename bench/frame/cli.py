# SPDX-License-Identifier: Apache-2.0
"""The command line of bench/run."""
from __future__ import annotations

import argparse
import dataclasses
import datetime
import fnmatch
import os
import signal
import sys
from pathlib import Path
from typing import Any, Sequence

from . import machine, process, report, runner, suite
from .inputs import Inputs
from .runner import Result
from .suite import Line, Suite, SuiteError

ROOT = Path(__file__).resolve().parent.parent.parent


class Terminated(BaseException):
    """SIGTERM; treated as Ctrl-C is."""


def main(argv: Sequence[str], doc: str | None = None) -> int:
    """Parse, run, report; returns the exit status."""
    args = _arguments(argv, doc)
    try:
        suites = _select(args)
    except SuiteError as e:
        print(f"bench/run: {e}", file=sys.stderr)
        return 2
    if args.list:
        _list(suites)
        return 0
    previous = {number: signal.signal(number, lambda *_, kind=kind: process.interrupt(kind))
                for number, kind in ((signal.SIGTERM, Terminated), (signal.SIGINT, KeyboardInterrupt))}
    try:
        return _run_all(args, suites)
    except KeyboardInterrupt:
        return 130
    except Terminated:
        return 143
    except OSError as e:
        print(f"bench/run: {e}", file=sys.stderr)
        return 2
    finally:
        process.kill_all()
        for number, handler in previous.items():
            signal.signal(number, handler)


def _arguments(argv: Sequence[str], doc: str | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run", description=doc,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", action="append", default=[], metavar="FILE|NAME")
    parser.add_argument("--only", action="append", default=[], metavar="GLOB")
    parser.add_argument("--rounds", type=_at_least(1), metavar="N")
    parser.add_argument("--warmup", type=_at_least(0), metavar="N")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--preset", default="release")
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build", metavar="DIR")
    parser.add_argument("--out", type=Path, metavar="FILE.jsonl")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args(argv)
    args.build_dir = args.build_dir.resolve()
    args.strict = args.strict or os.environ.get("KIN_STRICT", "0") not in ("", "0")
    return args


def _at_least(least: int) -> Any:
    def parse(text: str) -> int:
        number = int(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}")
        return number

    parse.__name__ = "number"       # argparse puts it into its message
    return parse


def _select(args: argparse.Namespace) -> list[Suite]:
    """The suites, cut down to what was asked for."""
    folder = ROOT / "bench" / "suites"
    files = [suite.find(name, folder) for name in args.suite] or sorted(folder.glob("*.ini"))
    chosen = []
    for file in files:
        loaded = suite.load(file, args.quick)
        lines = tuple(line for line in (_narrow(line, args) for line in loaded.lines) if line)
        if lines:
            chosen.append(dataclasses.replace(loaded, lines=lines))
    if not chosen:
        raise SuiteError(folder, "nothing matches --only" if args.only else "there are no suites")
    return chosen


def _narrow(line: Line, args: argparse.Namespace) -> Line | None:
    """The line with --only, --rounds and --warmup applied; None if it was not asked for."""
    contestants = line.contestants
    if args.only and not any(fnmatch.fnmatchcase(line.id, glob) for glob in args.only):
        contestants = {name: command for name, command in contestants.items()
                       if any(fnmatch.fnmatchcase(f"{line.id}/{name}", glob) for glob in args.only)}
    if not contestants:
        return None
    return dataclasses.replace(
        line, contestants=contestants,
        rounds=line.rounds if args.rounds is None else args.rounds,
        warmup=line.warmup if args.warmup is None else args.warmup)


def _list(suites: Sequence[Suite]) -> None:
    for chosen in suites:
        print(f"{chosen.name} ({chosen.file})")
        for line in chosen.lines:
            print(f"  {line.id}: {line.title}")
            print(f"      {', '.join(line.contestants)}; {line.measure}, {line.better} is better; "
                  f"rounds {line.rounds}, warm-up {line.warmup}")


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def _run_all(args: argparse.Namespace, suites: Sequence[Suite]) -> int:
    """Every suite; one file of records for each, or one for all with --out."""
    inputs = Inputs(ROOT, args.build_dir, args.preset, _say)
    status = 0
    shared = report.Sink(args.out) if args.out else None
    stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    environment: dict[str, Any] | None = None
    try:
        for chosen in suites:
            sink = shared or report.Sink(args.build_dir / "bench" / f"{chosen.name}-{stamp}.jsonl")
            results = [runner.available(line, inputs) for line in chosen.lines]
            if environment is None:
                environment = _environment(args, inputs)
            if sink is not shared or chosen is suites[0]:
                sink.emit(environment)
            _announce(results)
            try:
                for result in results:
                    runner.measure_line(result, inputs, sink.emit, _say)
            finally:        # an interrupt does not throw away what was measured
                _print(args, chosen, environment, results, sink)
                if sink is not shared:
                    sink.close()
            status = max(status, _status(args, results))
    finally:
        if shared:
            shared.close()
    return status


def _environment(args: argparse.Namespace, inputs: Inputs) -> dict[str, Any]:
    here = {name: inputs.neutral(fact) if isinstance(fact, str) else fact
            for name, fact in machine.environment(ROOT, args.build_dir, args.preset).items()}
    return {"record": "environment", **here, "client_go": inputs.peer_version(), "quick": args.quick, "strict": args.strict,
            "rounds": args.rounds, "warmup": args.warmup, "only": args.only}


def _announce(results: Sequence[Result]) -> None:
    """Skips are said before the hour of measuring, and again below the table."""
    for line in report.footer(results):
        _say(line)


def _print(args: argparse.Namespace, chosen: Suite, environment: dict[str, Any],
           results: Sequence[Result], sink: report.Sink) -> None:
    print(report.banner(chosen.name, environment), end="\n\n")
    print(report.markdown(results) if args.markdown else report.text(results))
    for line in report.footer(results):
        print(line)
    sys.stdout.flush()
    _say(f"records: {sink.path}")


def _status(args: argparse.Namespace, results: Sequence[Result]) -> int:
    failed = any(result.failed for result in results)
    skipped = any(result.skipped for result in results)
    if skipped and args.strict:
        _say("bench/run: something was skipped, and --strict forbids that")
    return int(failed or (skipped and args.strict))
