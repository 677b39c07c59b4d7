# SPDX-License-Identifier: Apache-2.0
"""Order of the runs, and what is made of their figures.

Median, smallest and largest only: a handful of runs on a shared machine has no distribution worth a
standard deviation. Ratios are taken within a round and then condensed, so that a slow quarter of an
hour, which hits both sides of a round, cancels out.
"""
from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Mapping, Sequence


@dataclass(frozen=True)
class Spread:
    """A handful of figures, condensed."""
    n: int
    median: float
    min: float
    max: float


def spread(values: Sequence[float]) -> Spread | None:
    """None for no figures at all."""
    if not values:
        return None
    return Spread(len(values), statistics.median(values), min(values), max(values))


def ratios(own: Mapping[int, float], reference: Mapping[int, float]) -> Spread | None:
    """own / reference, by round; rounds that either side lacks do not count."""
    return spread([own[r] / reference[r] for r in sorted(own)
                   if r in reference and reference[r] != 0])


def order(names: Sequence[str], round_number: int) -> list[str]:
    """The order of a round: every second one is the round before it backwards; then comes the next
    rotation.

    So places are even after each two rounds already, and most lines have few. Among three or more
    nobody has the same predecessor in two rounds on end, whose cooling caches and evicted pages
    would then be part of its figure.
    """
    shift = round_number // 2 % len(names)
    rotated = list(names[shift:]) + list(names[:shift])
    return rotated[::-1] if round_number % 2 else rotated


def verdict(ratio: Spread, better: str | None) -> str:
    """The ratio in words; 'no clear difference' when some rounds say so and others the opposite.

    Nothing for a single round: one figure on each side is no basis for a word like better.
    """
    if better is None or ratio.n < 2 or ratio.median <= 0 or ratio.min <= 0:
        return ""
    if ratio.min <= 1 <= ratio.max:
        return "no clear difference"
    gain = ratio.median if better == "higher" else 1 / ratio.median
    factor = gain if gain >= 1 else 1 / gain
    return f"{times(factor)} {'better' if gain >= 1 else 'worse'}"


def times(factor: float) -> str:
    """A ratio with as many digits as carry meaning."""
    if factor >= 100:
        return f"{factor:.0f}×"
    if factor >= 10:
        return f"{factor:.1f}×"
    if factor >= 0.1:
        return f"{factor:.2f}×"
    return f"{factor:.2g}×" if factor >= 0.001 else f"{factor:.1e}×"
