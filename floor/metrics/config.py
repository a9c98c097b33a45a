"""`[metrics]` of a FLOOR.toml: where figures for Prometheus are served."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from pitwatch.daemon.config.sections import Sections, shown

PLACE = re.compile(r"(?:([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):)?([0-9]{1,5})\Z")
RIGHT = "HOST:PORT or PORT is right; PORT alone is for this machine"


class MetricsSection(msgspec.Struct, frozen=True, kw_only=True):
    """`archive`, `watch`: HOST:PORT where the program's figures are read by HTTP. PORT alone: for this machine only;
    empty: nowhere."""

    archive: str = ""
    watch: str = ""


def read_metrics(sections: Sections, data: Any) -> MetricsSection:
    """Raises ConfigError."""
    found: MetricsSection = sections.section(data, MetricsSection, "metrics")
    for name in MetricsSection.__struct_fields__:
        text = getattr(found, name)
        if text:
            try:
                place(text)
            except ValueError:
                raise sections.error(f"metrics.{name}", f"{shown(text)} is no place; {RIGHT}") from None
    return found


def place(text: str) -> tuple[str, int]:
    """Host and port. Raises ValueError."""
    match = PLACE.match(text)
    if match is None or not 0 < int(match[2]) < 65_536:
        raise ValueError(f'"{text}" is no place; {RIGHT}')
    return (match[1] or "127.0.0.1").strip("[]"), int(match[2])
