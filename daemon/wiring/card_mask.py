"""Hides payment cards in what any port hears, so that none reaches a capture or the journal.

A magnetic-stripe reader may be plugged into the wrong port, or type into one that expects bar codes. Its own protocol
lets through staff numbers alone (`devices.protocols.magstripe`); here every other byte passes but the digits of a card.
"""

from __future__ import annotations

import re

from pitwatch.devices.protocols.magstripe import HIDDEN, luhn

SHOWN = 6
"""First digits of a number that may pass: they name the bank, and no card."""

LONGEST = 19
BEFORE = rb"(?:;|%B)"
"""What stands before a card's number on a track, unless the reader is set to leave it out; then `=` follows it."""

CARD = re.compile(BEFORE + rb"([0-9]{13,19})(?![0-9])|(?<![0-9])([0-9]{13,19})(?==)")
OPEN = re.compile(rb"(?:%|" + BEFORE + rb"[0-9]{0,19}|(?<![0-9])[0-9]{1,19})\Z")
TOO_LONG = re.compile(rb"[0-9]{20}\Z")


class CardMask:
    """`feed` gives back the bytes, `#` in place of the digits of a card. Digits that may be the middle of one wait for
    what follows; nothing else does."""

    def __init__(self) -> None:
        self._passed = b""  # of a number that is still open: let through already
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        text = self._passed + self._held + data
        done = len(self._passed)
        # A number at the very end may go on, or be followed by what makes it one.
        ends = OPEN.search(text)
        whole = CARD.sub(_hidden, text if ends is None else text[: ends.start()])
        if ends is None:
            self._passed, self._held = (text[-20:] if TOO_LONG.search(text) else b""), b""
            return whole[done:]
        tail = ends.group()
        shown = len(tail.rstrip(b"0123456789")) + SHOWN
        self._passed, self._held = tail[:shown], tail[shown:]
        return (whole + self._passed)[done:]

    def interrupt(self) -> None:
        """The link was lost: what waits is forgotten."""
        self._passed = self._held = b""


def _hidden(found: re.Match[bytes]) -> bytes:
    digits = found.group(1) or found.group(2)
    if not luhn(digits.decode()):
        return found.group()
    before = found.group()[: len(found.group()) - len(digits)]
    return before + digits[:SHOWN] + HIDDEN.encode() * (len(digits) - SHOWN)
