"""What all browsers of a panel see: the newest lines of each kind, and what is new since, in portions.

Bounded: old lines are forgotten, and a browser that does not read is dropped; it asks again and gets the newest."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from typing import Any

import msgspec

KEPT = 200
"""Lines of each kind and table that a browser gets when it comes."""
PORTION = 400
"""Lines in a portion at most; how many more there were is said."""
BEHIND = 50
"""Portions that a browser may be behind."""
MOST_BROWSERS = 16


class FullError(Exception):
    """As many browsers as may watch are there."""


class Browser:
    """`portions`: what is to be sent; None: no more, it was too slow or the panel ends."""

    def __init__(self) -> None:
        self.portions: asyncio.Queue[bytes | None] = asyncio.Queue(BEHIND)

    def hand(self, portion: bytes) -> bool:
        """Returns whether the browser is still with us."""
        try:
            self.portions.put_nowait(portion)
        except asyncio.QueueFull:
            self.drop()
            return False
        return True

    def drop(self) -> None:
        while not self.portions.empty():
            self.portions.get_nowait()
        self.portions.put_nowait(None)


class Feed:
    def __init__(self) -> None:
        self._kept: defaultdict[tuple[str, str], deque[dict[str, Any]]] = defaultdict(lambda: deque(maxlen=KEPT))
        self._fresh: list[dict[str, Any]] = []
        self._more = 0
        self._number = 0
        self._browsers: set[Browser] = set()
        self._encode = msgspec.json.Encoder().encode

    def put(self, table: str, kind: str, line: dict[str, Any]) -> None:
        """A new line: `kind` is "wire", "observation" or "verdict"."""
        self._number += 1
        numbered = {"n": self._number, "table": table, "kind": kind, **line}
        self._kept[table, kind].append(numbered)
        if len(self._fresh) < PORTION:
            self._fresh.append(numbered)
        else:
            self._more += 1

    def hand_out(self, tables: dict[str, Any]) -> None:
        """Send every browser what is new, and the tables as they are now."""
        portion = self._encode({"lines": self._fresh, "more": self._more, "tables": tables})
        self._fresh, self._more = [], 0
        self._browsers = {browser for browser in self._browsers if browser.hand(portion)}

    def come(self, tables: dict[str, Any]) -> Browser:
        """A browser comes, and gets what is kept. Raises FullError."""
        if len(self._browsers) >= MOST_BROWSERS:
            raise FullError
        waiting = {line["n"] for line in self._fresh}  # these come with the next portion
        lines = [line for kept in self._kept.values() for line in kept if line["n"] not in waiting]
        browser = Browser()
        browser.hand(self._encode({"lines": sorted(lines, key=lambda line: line["n"]), "more": 0, "tables": tables}))
        self._browsers.add(browser)
        return browser

    def leave(self, browser: Browser) -> None:
        self._browsers.discard(browser)

    def end(self) -> None:
        """The panel ends: nobody waits for more."""
        for browser in self._browsers:
            browser.drop()
        self._browsers.clear()
