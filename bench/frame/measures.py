# SPDX-License-Identifier: Apache-2.0
"""The measure protocol, and numbers as people read them.

A contestant prints `measure NAME VALUE UNIT` and `note TEXT`, nothing else. Anything else is an
error: a figure that was silently not understood would look like one that was not taken.
"""
from __future__ import annotations

import math
import re
from dataclasses import dataclass

# unit -> (base unit, factor). Contestants may report the same measure in different time units.
UNITS = {"s": ("s", 1.0), "ms": ("s", 1e-3), "us": ("s", 1e-6), "ns": ("s", 1e-9),
         "B": ("B", 1.0), "count": ("count", 1.0), "1/s": ("1/s", 1.0), "B/s": ("B/s", 1.0)}
RESERVED = ("run.", "server.")
RUN_MEASURES = ("run.wall", "run.cpu", "run.user", "run.system", "run.peak_rss",
                "run.cpu_per_op", "run.cpu_per_mb")
SERVER_MEASURES = ("server.cpu", "server.peak_rss")
_MEASURE = re.compile(r"measure ([a-z0-9_.]+) (-?[0-9]+(?:\.[0-9]+)?) (\S+)")


class ProtocolError(Exception):
    """A contestant printed something that is not of the protocol."""


@dataclass(frozen=True)
class Measure:
    """A value as it was reported."""
    value: float
    unit: str

    @property
    def base(self) -> tuple[float, str]:
        """The value in the unit that all contestants are compared in."""
        unit, factor = UNITS[self.unit]
        return self.value * factor, unit


def parse(text: str) -> tuple[dict[str, Measure], list[str]]:
    """Measures and notes of one contestant's standard output."""
    measures: dict[str, Measure] = {}
    notes: list[str] = []
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    for number, line in enumerate(lines, 1):
        if line.startswith("note "):
            notes.append(line.removeprefix("note "))
            continue
        match = _MEASURE.fullmatch(line)
        why = _why_not(line, match, measures)
        if why or not match:
            raise ProtocolError(f"line {number} of its output {why}: {line[:200]!r}")
        measures[match.group(1)] = Measure(float(match.group(2)), match.group(3))
    return measures, notes


def cpu_per_op(found: dict[str, Measure]) -> Measure | None:
    """CPU time for one operation, of a contestant that reports ops (1/s), wall and cpu.

    On a busy machine it is steadier than the rate, and contestants that run for a fixed time cannot
    be compared by cpu itself.
    """
    ops, wall, cpu = (found[n].base if n in found else (0.0, "") for n in ("ops", "wall", "cpu"))
    if (ops[1], wall[1], cpu[1]) != ("1/s", "s", "s") or ops[0] * wall[0] <= 0:
        return None
    return Measure(cpu[0] / (ops[0] * wall[0]), "s")


def cpu_per_mb(found: dict[str, Measure], cpu: float) -> Measure | None:
    """CPU time for a million bytes, of a contestant that reports bytes (B/s) and wall.

    The CPU time is that of the whole process: programs of others do not tell that of a section.
    """
    rate, wall = (found[n].base if n in found else (0.0, "") for n in ("bytes", "wall"))
    if (rate[1], wall[1]) != ("B/s", "s") or rate[0] * wall[0] <= 0:
        return None
    return Measure(cpu * 1e6 / (rate[0] * wall[0]), "s")


def _why_not(line: str, match: re.Match[str] | None, seen: dict[str, Measure]) -> str:
    if not match:
        return ("is not 'measure NAME VALUE UNIT'" if line.startswith("measure")
                else "is neither a measure nor a note")
    if match.group(3) not in UNITS:
        return f"has an unknown unit (known: {' '.join(UNITS)})"
    if match.group(1) in seen:
        return "repeats a measure"
    if match.group(1).startswith(RESERVED):
        return "uses a name that is the runner's own"
    return ""


def direction(unit: str) -> str | None:
    """Which way a measure is good, by its unit; None for counts, which may be either."""
    base = UNITS[unit][0]
    return {"s": "lower", "B": "lower", "1/s": "higher", "B/s": "higher"}.get(base)


def three_digits(value: float) -> str:
    """Three significant digits without exponent: 0.0123, 1.23, 12.3, 123, 1234."""
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:.0f}"
    rounded = float(f"{value:.3g}")         # first, since 9.999 is 10.0 and not 10.00
    return f"{rounded:.{max(0, 2 - math.floor(math.log10(abs(rounded))))}f}"


def _scaled(value: float, steps: tuple[tuple[float, str], ...]) -> tuple[str, str]:
    """The largest step in which the number, once rounded, is at least 1."""
    rounded = float(f"{value:.3g}")
    for factor, suffix in steps:
        if abs(rounded) / factor >= 1 - 1e-9:
            break
    return three_digits(value / factor), suffix


_TIME = ((1.0, " s"), (1e-3, " ms"), (1e-6, " µs"), (1e-9, " ns"))
_DECIMAL = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_BYTES = ((1e12, " TB"), (1e9, " GB"), (1e6, " MB"), (1e3, " KB"), (1.0, " B"))


_STEPS = {"s": _TIME, "B": _BYTES, "B/s": _BYTES, "1/s": _DECIMAL, "count": _DECIMAL}


def _parts(value: float, unit: str) -> tuple[str, str]:
    """The number and what follows it."""
    base, factor = UNITS[unit]
    value *= factor
    per = "/s" if base.endswith("/s") else ""
    if base == "count" and value == int(value) and abs(value) < 10000:
        return str(int(value)), ""
    if value == 0:
        return "0", (" s" if base == "s" else " B" if base[0] == "B" else "") + per
    number, suffix = _scaled(value, _STEPS[base])
    if suffix in ("", " B") and value == int(value):
        number = str(int(value))            # 12 B, not 12.0 B
    return number, suffix + per


def human(value: float, unit: str) -> str:
    """1.23M/s, 8.10 KB, 34.6 s, 250 µs."""
    number, suffix = _parts(value, unit)
    return number + suffix


def human_range(low: float, high: float, unit: str) -> str:
    """A range; the unit once if it is the same at both ends."""
    (first, first_suffix), (last, last_suffix) = _parts(low, unit), _parts(high, unit)
    return f"{first}{'' if first_suffix == last_suffix else first_suffix} – {last}{last_suffix}"
