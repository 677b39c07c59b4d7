# SPDX-License-Identifier: Apache-2.0
"""Tables for people and JSON lines for programs."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any, IO, Sequence

from . import measures, stats
from .runner import Figure, Result

HEAD = ("measure", "contestant", "median", "min – max", "n", "ratio (min – max)", "")
RIGHT = (False, False, True, True, True, True, False)
INDENT = "  "


class Sink:
    """A file of JSON lines. Each is flushed: what was measured before an interrupt is kept."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._file: IO[str] = open(path, "w", encoding="utf-8")

    def emit(self, record: dict[str, Any]) -> None:
        """Write one record."""
        self._file.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        """The end."""
        self._file.close()


def cells(result: Result) -> list[tuple[str, ...]]:
    """The rows of one line: each shown measure, contestant below contestant."""
    rows = []
    shown = (result.line.measure, *result.line.also)
    last = ""
    for figure in result.figures:
        if figure.measure in shown:
            name = figure.measure if figure.measure != last else ""
            last = figure.measure
            rows.append((name, figure.contestant, measures.human(figure.spread.median, figure.unit),
                         _range(figure), str(figure.spread.n), *_ratio(result, figure)))
    return rows


def _range(figure: Figure) -> str:
    if figure.spread.n == 1:
        return ""
    return measures.human_range(figure.spread.min, figure.spread.max, figure.unit)


def _ratio(result: Result, figure: Figure) -> tuple[str, str]:
    if len(result.line.contestants) > 1 and figure.contestant == result.line.reference:
        return "reference", ""
    ratio = figure.ratio
    if ratio is None:
        return "", ""
    text = stats.times(ratio.median)
    if ratio.n > 1:
        text += f" ({stats.times(ratio.min)[:-1]} – {stats.times(ratio.max)[:-1]})"
    return text, stats.verdict(ratio, figure.better)


def _heading(result: Result) -> str:
    return f"{result.line.id}: {result.line.title}" + ("  [disturbed]" if result.disturbed else "")


def text(results: Sequence[Result]) -> str:
    """An aligned table; the same in a terminal and in a pipe."""
    blocks = [(result, cells(result)) for result in results]
    rows = [HEAD, *(row for _, block in blocks for row in block)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD))]

    def aligned(row: Sequence[str]) -> str:
        return (INDENT + "  ".join(cell.rjust(width) if right else cell.ljust(width)
                                   for cell, width, right in zip(row, widths, RIGHT))).rstrip()

    out = [aligned(HEAD)]
    for result, block in blocks:
        if block:
            out += ["", _heading(result), *map(aligned, block)]
    return "\n".join(out) + "\n"


def markdown(results: Sequence[Result]) -> str:
    """The same as a Markdown table."""
    def row(values: Sequence[str]) -> str:
        return "| " + " | ".join(value.replace("|", "\\|") for value in values) + " |"

    out = [row(("line", *HEAD)), row(["---"] + ["---:" if right else "---" for right in RIGHT])]
    for result in results:
        title = result.line.title + (" [disturbed]" if result.disturbed else "")
        for number, block_row in enumerate(cells(result)):
            out.append(row(("" if number else title, *block_row)))
    return "\n".join(out) + "\n"


def footer(results: Sequence[Result]) -> list[str]:
    """What a reader of the table has to know besides: doubts, skips, failures."""
    out = []
    if any(result.disturbed for result in results):
        out.append("[disturbed]: during more than half of the runs of a contestant of this line, other "
                   "work used more than 0.3 core.")
    for result in results:
        if result.missing:
            out.append(f"note: {result.line.id}: nobody reported {', '.join(result.missing)}")
    for word, kind in (("skipped", "skipped"), ("FAILED", "failed")):
        for why, where in _by_reason(results, kind).items():
            out.append(f"{word}: {', '.join(where)}: {why}")
    return out


def _by_reason(results: Sequence[Result], kind: str) -> dict[str, list[str]]:
    """One line for each reason: a missing Go is one fact and not thirty."""
    found: dict[str, list[str]] = {}
    for result in results:
        for name, why in getattr(result, kind).items():
            found.setdefault(why, []).append(f"{result.line.id}/{name}")
    return found


def banner(suite: str, environment: dict[str, Any]) -> str:
    """Where the figures are from, in one paragraph."""
    facts = [f"{environment['cores_usable']} × {environment['cpu']}",
             measures.human(environment["memory"], "B"), environment["kernel"],
             environment["compiler"], environment["client_go"] or environment["go"],
             "quick sizes: not for comparison" if environment["quick"] else None,
             f"commit {environment['git_commit'][:12]}{'+' if environment['git_dirty'] else ''}"
             if environment["git_commit"] else None,
             environment["date"]]
    return f"{suite}: " + ", ".join(fact for fact in facts if fact)
