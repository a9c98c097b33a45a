"""One figure: a value beside the baseline that was run with it, printed as one JSON line. Measures nothing."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil


@dataclass(frozen=True)
class Figure:
    """`value` and `baseline_value` are in the same `unit`; None: could not be had, stderr says why."""

    name: str
    value: float | None
    unit: str
    baseline: str
    baseline_value: float | None

    def line(self) -> str:
        """The figure as JSON, numbers to four significant digits."""
        fields = asdict(self)
        for key in ("value", "baseline_value"):
            if fields[key] is not None:
                fields[key] = float(f"{fields[key]:.4g}")
        return json.dumps(fields)


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least so many percent of the values do not exceed."""
    return sorted(values)[max(0, ceil(len(values) * percent / 100) - 1)]


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def say(text: str) -> None:
    """A remark for whoever runs it; standard output holds figures only."""
    print(text, file=sys.stderr, flush=True)
