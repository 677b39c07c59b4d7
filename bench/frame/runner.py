# SPDX-License-Identifier: Apache-2.0
"""Runs the lines of a suite, contestant by contestant and round by round.

Nothing that goes wrong with one contestant keeps the others from being measured. A contestant that
has failed once is not asked again on that line: five rounds of a ten-minute timeout help nobody.
"""
from __future__ import annotations

import datetime
import fnmatch
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Sequence

from . import measures, stats
from .inputs import Inputs, Unavailable, warm_cache
from .machine import Meter
from .measures import Measure
from .process import ChildError, Finished, NotHere, Server, Usage, run
from .suite import Command, Line

Say = Callable[[str], None]
Emit = Callable[[dict[str, Any]], None]

# Keys beside the contestants among the skipped and the failed; a contestant cannot have such a name.
PREPARE = "(prepare)"
SERVER = "(server)"


@dataclass(frozen=True)
class Run:
    """One run of one contestant."""
    contestant: str
    round: int
    measures: dict[str, Measure]
    notes: list[str]
    others: float
    disturbed: bool
    peak_rss_source: str


@dataclass(frozen=True)
class Served:
    """What the server used: in its whole life, or in one run if the line's runs share it."""
    cpu: float
    peak_rss: int


@dataclass(frozen=True)
class Figure:
    """One measure of one contestant on one line, over all measured rounds; values in base units."""
    contestant: str
    measure: str
    unit: str
    better: str | None
    spread: stats.Spread
    ratio: stats.Spread | None


@dataclass
class Result:
    """What became of a line."""
    line: Line
    runs: list[Run] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)        # contestant -> why
    skipped: dict[str, str] = field(default_factory=dict)       # contestant -> why
    figures: list[Figure] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)            # of `also`, reported by nobody

    def able(self) -> list[str]:
        """The contestants that nothing has kept from running so far."""
        return [n for n in self.line.contestants if n not in self.skipped and n not in self.failed]

    @property
    def disturbed(self) -> bool:
        """Were more than half of the runs of any contestant? Its ratio is then in doubt."""
        by_name: dict[str, list[bool]] = {}
        for done in self.runs:
            by_name.setdefault(done.contestant, []).append(done.disturbed)
        return any(sum(marks) * 2 > len(marks) for marks in by_name.values())


def available(line: Line, inputs: Inputs) -> Result:
    """Sort out who can run at all; asked of all lines before anything is measured."""
    result = Result(line)
    for name, command in line.contestants.items():
        try:
            if line.serve:
                inputs.require(line.serve)
            inputs.require(command)
        except Unavailable as e:
            result.skipped[name] = inputs.neutral(str(e))
        except ChildError as e:
            result.failed[name] = inputs.neutral(str(e))
    return result


def measure_line(result: Result, inputs: Inputs, emit: Emit, say: Say) -> None:
    """All rounds of one line. Adds to result, also when it is interrupted half-way."""
    line = result.line
    try:
        builtins = _data(result, inputs) if result.able() else None
        if builtins is not None and result.able():
            _rounds(result, result.able(), builtins, inputs, emit, say)
    finally:
        result.figures, clashes = figures(line, result.runs)
        result.failed.update(clashes)
        result.missing = missing(line, result.runs)
        for figure in result.figures:
            emit(summary_record(result, figure))
        _emit_absent(result, emit)


def _emit_absent(result: Result, emit: Emit) -> None:
    """Who was not measured, or not to the end: a missing figure has a reason in the file."""
    for kind, absent in (("skip", result.skipped), ("failure", result.failed)):
        for name, why in absent.items():
            emit({"record": kind, "suite": result.line.suite, "line": result.line.id,
                  "contestant": name, "reason": why})


def _data(result: Result, inputs: Inputs) -> dict[str, str] | None:
    """The line's variables with its data made; None if that did not work."""
    try:
        folder = inputs.data_set(result.line)
    except Unavailable as e:
        result.skipped.update(dict.fromkeys(result.able(), inputs.neutral(str(e))))
        return None
    except ChildError as e:
        result.failed.update(dict.fromkeys(result.able(), inputs.neutral(str(e))))
        return None
    if folder is None:
        return inputs.builtins()
    if result.line.prepare:
        _prepare(result, result.line.prepare, folder, inputs)
    return inputs.builtins(data=str(folder))


def _prepare(result: Result, command: Command, folder: Path, inputs: Inputs) -> None:
    """Prepare the data. If that does not work, a contestant runs without it if it needs neither its files nor its program."""
    try:
        inputs.prepare(command, folder)
        return
    except Unavailable as e:
        absent, why = result.skipped, inputs.neutral(str(e))
    except ChildError as e:
        absent, why = result.failed, inputs.neutral(str(e))
    absent.update({name: why for name in result.able()
                   if result.line.contestants[name].shares_program(command)
                   or not any(fnmatch.fnmatchcase(name, glob) for glob in result.line.unprepared)})
    absent[PREPARE] = why


def _rounds(result: Result, names: Sequence[str], builtins: dict[str, str], inputs: Inputs,
            emit: Emit, say: Say) -> None:
    """All rounds, with one server for all of them if the line says so."""
    line = result.line
    shared: Server | None = None
    try:
        if line.serve and line.serve_for == "line":
            say(f"{line.suite} {line.id}: starting the server")
            shared = Server(line.serve.argv(builtins), line.serve_timeout, inputs.root)
        _all_rounds(result, names, builtins, inputs, shared, emit, say)
    except NotHere as e:
        result.skipped.update(dict.fromkeys(result.able(), inputs.neutral(str(e))))
    except ChildError as e:
        result.failed.update(dict.fromkeys(result.able(), inputs.neutral(str(e))))
    except BaseException:
        if shared:
            shared.abandon()
        raise
    if shared:
        try:
            shared.stop()
        except ChildError as e:
            result.failed[SERVER] = inputs.neutral(str(e))


def _all_rounds(result: Result, names: Sequence[str], builtins: dict[str, str], inputs: Inputs,
                shared: Server | None, emit: Emit, say: Say) -> None:
    line = result.line
    for number in range(line.warmup + line.rounds):
        warm = number < line.warmup
        label = (f"warm-up {number + 1}/{line.warmup}" if warm
                 else f"round {number - line.warmup + 1}/{line.rounds}")
        counted = number if warm else number - line.warmup
        for position, name in enumerate(stats.order(names, counted)):
            if name in result.failed:
                continue
            if "data" in builtins:
                warm_cache(Path(builtins["data"]))
            began = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
            record = {"record": "run", "suite": line.suite, "line": line.id, "contestant": name,
                      "round": counted, "warmup": warm, "position": position, "date": began}
            where = f"{line.suite} {line.id} {label} {name}"
            try:
                done = one_run(line, name, counted, builtins, inputs, shared)
            except ChildError as e:
                result.failed[name] = why = inputs.neutral(str(e))
                emit({**record, "ok": False, "error": why})
                say(f"{where}: FAILED: {why}")
                continue
            emit({**record, "ok": True, **_run_fields(done)})
            shown = done.measures[line.measure]
            say(f"{where}: {measures.human(shown.value, shown.unit)}"
                + (f"  (others used {done.others:.2f} cores)" if done.disturbed else ""))
            if not warm:
                result.runs.append(done)


def _run_fields(done: Run) -> dict[str, Any]:
    return {"measures": {n: {"value": m.value, "unit": m.unit} for n, m in done.measures.items()},
            "notes": done.notes, "others_cores": round(done.others, 3), "disturbed": done.disturbed,
            "peak_rss_source": done.peak_rss_source}


def one_run(line: Line, name: str, number: int, builtins: dict[str, str], inputs: Inputs,
            shared: Server | None = None) -> Run:
    """Start the server if there is one and it is not shared, run the contestant, stop the server. ChildError."""
    command = line.contestants[name]
    served: Served | None = None
    if line.serve is None:
        finished, others, disturbed = _metered(line, command, builtins, inputs, None)
    elif shared:
        shared.forget_peak()
        before = shared.cpu()
        finished, others, disturbed = _metered(line, command, _at(builtins, command, shared), inputs, shared)
        served = Served(shared.cpu() - before, shared.peak_rss())
    else:
        server = Server(line.serve.argv(builtins), line.serve_timeout, inputs.root)
        try:
            finished, others, disturbed = _metered(line, command, _at(builtins, command, server), inputs, server)
        except ChildError as e:
            try:
                server.stop()
            except ChildError as also:
                raise ChildError(f"{e}; {also}") from None
            raise
        except BaseException:
            server.abandon()
            raise
        used = server.stop()
        served = Served(used.cpu, used.peak_rss)
    found, notes = _reported(finished)
    per_op = measures.cpu_per_op(found)
    per_mb = measures.cpu_per_mb(found, finished.usage.cpu)
    found.update(_added(finished.usage, served))
    if per_op:
        found["run.cpu_per_op"] = per_op
    if per_mb:
        found["run.cpu_per_mb"] = per_mb
    if line.measure not in found:
        raise ChildError(f"did not report {line.measure!r} (only: {', '.join(found)})")
    return Run(name, number, found, [inputs.neutral(note) for note in notes], others, disturbed,
               finished.usage.peak_rss_source)


def _metered(line: Line, command: Command, builtins: dict[str, str], inputs: Inputs,
             server: Server | None) -> tuple[Finished, float, bool]:
    before = server.cpu() if server else 0.0
    meter = Meter()
    finished = run(command.argv(builtins), line.timeout, inputs.root)
    served = max(0.0, server.cpu() - before) if server else 0.0
    return finished, *meter.others(finished.usage.cpu + served)


def _reported(finished: Finished) -> tuple[dict[str, Measure], list[str]]:
    try:
        return measures.parse(finished.stdout)
    except measures.ProtocolError as e:
        raise ChildError(str(e)) from None


def _at(builtins: dict[str, str], command: Command, server: Server) -> dict[str, str]:
    """The variables, with what the server said of itself."""
    if command.uses("ca") and not server.ca:
        raise ChildError("the server named no CA")
    if command.uses("kubeconfig") and not server.kubeconfig:
        raise ChildError("the server named no kubeconfig")
    return {**builtins, "url": server.url, "ca": server.ca, "kubeconfig": server.kubeconfig}


def _added(usage: Usage, served: Served | None) -> dict[str, Measure]:
    """The measures that are the runner's own."""
    added = {"run.wall": Measure(usage.wall, "s"), "run.cpu": Measure(usage.cpu, "s"),
             "run.user": Measure(usage.user, "s"), "run.system": Measure(usage.system, "s"),
             "run.peak_rss": Measure(usage.peak_rss, "B")}
    if served:
        added["server.cpu"] = Measure(served.cpu, "s")
        added["server.peak_rss"] = Measure(served.peak_rss, "B")
    return added


def figures(line: Line, runs: Sequence[Run]) -> tuple[list[Figure], dict[str, str]]:
    """All measures of all contestants condensed, the line's own ones first.

    The second value says who reported a measure in a unit that cannot be compared.
    """
    units: dict[str, str] = {}
    clashes: dict[str, str] = {}
    values: dict[str, dict[str, dict[int, float]]] = {}     # measure -> contestant -> round
    for done in runs:
        for name, reported in done.measures.items():
            value, unit = reported.base
            if units.setdefault(name, unit) != unit:
                clashes[done.contestant] = f"reports {name!r} in {unit}, others in {units[name]}"
                continue
            values.setdefault(name, {}).setdefault(done.contestant, {})[done.round] = value
    shown = [line.measure, *(n for n in line.also if n != line.measure)]
    found = []
    for name in [n for n in shown if n in values] + [n for n in values if n not in shown]:
        better = line.better if name == line.measure else measures.direction(units[name])
        reference = values[name].get(line.reference or "", {})
        for contestant in line.contestants:
            own = values[name].get(contestant, {})
            condensed = stats.spread(list(own.values()))
            if condensed:
                ratio = stats.ratios(own, reference) if contestant != line.reference else None
                found.append(Figure(contestant, name, units[name], better, condensed, ratio))
    return found, clashes


def missing(line: Line, runs: Sequence[Run]) -> list[str]:
    """Measures of `also` that no run reported."""
    return [name for name in line.also if runs and not any(name in r.measures for r in runs)]


def summary_record(result: Result, figure: Figure) -> dict[str, Any]:
    """The JSON record of one measure of one contestant."""
    line = result.line
    own = [r for r in result.runs if r.contestant == figure.contestant]
    ratio = figure.ratio and {"median": figure.ratio.median, "min": figure.ratio.min,
                              "max": figure.ratio.max, "rounds": figure.ratio.n}
    return {"record": "summary", "suite": line.suite, "line": line.id, "title": line.title,
            "contestant": figure.contestant, "measure": figure.measure,
            "primary": figure.measure == line.measure, "unit": figure.unit, "better": figure.better,
            "n": figure.spread.n, "median": figure.spread.median, "min": figure.spread.min,
            "max": figure.spread.max, "reference": line.reference, "ratio": ratio,
            "disturbed_runs": sum(r.disturbed for r in own)}
