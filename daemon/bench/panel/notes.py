"""Writes what the daemon hears at one table into a capture, and shows it. Knows no device."""

from __future__ import annotations

from typing import Any, BinaryIO

from pitwatch.daemon.bench.panel.feed import Feed
from pitwatch.daemon.captures.capture import Writer

MOST = 64 << 20
"""Bytes of a capture; what comes later is shown and not kept, so that a panel that is left open fills no disk."""
SHOWN = 96
"""Bytes of one piece that are shown."""


class PanelNotes:
    """`daemon.bench.keeping.Notes`. `file`: of the capture, open for reading too. `full_at`: when the capture was full
    (ns); None: it is not."""

    def __init__(self, table: str, file: BinaryIO, feed: Feed):
        self._table = table
        self._file = file
        self._writer = Writer(file)
        self._feed = feed
        self.full_at: int | None = None

    def received(self, device: str, data: bytes, t_ns: int) -> None:
        if self._room(t_ns):
            self._writer.received(device, data, t_ns)
        text = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in data[:SHOWN])
        self._show(t_ns, device, {"hex": data[:SHOWN].hex(" "), "text": text, "bytes": len(data)})

    def edge(self, device: str, line: str, level: int, t_ns: int) -> None:
        if self._room(t_ns):
            self._writer.edge(device, line, level, t_ns)
        self._show(t_ns, device, {"line": line, "level": level})

    def levels(self, device: str, levels: dict[str, int], t_ns: int) -> None:
        if self._room(t_ns):
            self._writer.levels(device, levels, t_ns)
        self._show(t_ns, device, {"levels": levels})

    def observation(self, device: str, event: str, data: dict[str, Any], t_ns: int) -> None:
        if self._room(t_ns):
            self._writer.observation(device, event, data, t_ns)
        self._show(t_ns, device, {"event": event, "data": data})

    def capture(self) -> bytes:
        """What was kept so far: whole lines."""
        self._file.flush()
        end = self._file.tell()
        self._file.seek(0)
        kept = self._file.read(end)
        self._file.seek(end)
        return kept

    def _room(self, t_ns: int) -> bool:
        if self.full_at is None and self._file.tell() >= MOST:
            self.full_at = t_ns
        return self.full_at is None

    def _show(self, t_ns: int, device: str, fields: dict[str, Any]) -> None:
        self._feed.put(self._table, "wire", {"t": t_ns / 1e9, "device": device, **fields})
