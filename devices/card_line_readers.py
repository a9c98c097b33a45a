"""Card readers that send one line for each card: a shoe's, and those under the felt. MicroPython subset.

Equal cards in a row are each reported, because a shoe holds several decks. Must not know how many cards a hand may
have.
"""

from pitwatch.devices.byte_device import ByteDevice
from pitwatch.devices.protocols import card_lines
from pitwatch.devices.protocols.line_framer import LineFramer
from pitwatch.devices.vocabulary import is_position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"shoe.card_lines": "CardLineShoe", "card_position.card_lines": "CardLinePositions"}

CODES = (None, '"plain" (the default), "barcode4" or a table of code = card ("cut": cut card, "??": a card not read)')
LONGEST = 32  # bytes a line
LONGER = 2  # times as long as the longest code: that is no code nobody knows, it is no code
DIFFERENT = 64  # distinct unknown codes reported before the rest is silent


class CardLines(ByteDevice):
    """What both readers share: lines, codes, garbage and codes nobody knows.

    A text no code stands for is a card not read and, once for each text, the fault "unknown_code"; one that is far too
    long for a code is discarded. The first line after the start or after a lost link may be the end of one: unless it
    makes sense it is discarded.
    """

    SETTINGS = {"codes": CODES}
    SERIAL = (9600, "8N1")

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings, LineFramer(LONGEST))
        self._codes = card_lines.table(self.settings["codes"])
        self._longest = LONGER * max([len(code) for code in self._codes] + [1])
        self._unknown: set[str] = set()
        self._first = True

    def _message(self, line: bytes, t: int) -> "list[Observation]":
        told = self._text(str(line, "ascii").strip(), t) if _printable(line) else None
        self._first = False
        if told is None:
            self._framer.discarded += len(line)
            return []
        return told

    def interrupted(self, t: int) -> "list[Observation]":
        self._first = True
        return super().interrupted(t)

    def _text(self, text: str, t: int) -> "list[Observation] | None":
        """What a line of printable text says; None if it says nothing."""
        raise NotImplementedError

    def _strange(self, t: int, reason: str, text: str) -> "list[Observation]":
        """The fault of a text nobody knows, the first time it comes."""
        if text in self._unknown or len(self._unknown) >= DIFFERENT:
            return []
        self._unknown.add(text)
        return self._faults.once(t, reason, said=text)


class CardLineShoe(CardLines):
    """A shoe that reads each card as it leaves; it does not know where the card goes."""

    TYPE = "shoe"
    EVENTS = ("card_drawn", "cut_card_drawn")

    @classmethod
    def events_with(cls, lines: "tuple[str, ...]", settings: "dict[str, Any] | None" = None) -> "tuple[str, ...]":
        """That it places no card is reported too, as `card_drawn:unplaced`."""
        return cls.EVENTS + ("card_drawn:unplaced",)

    def _text(self, text: str, t: int) -> "list[Observation] | None":
        if text in self._codes:
            self.understood += 1
            card = self._codes[text]
            if card == card_lines.CUT:
                return [self.saw(t, "cut_card_drawn")]
            return [self.saw(t, "card_drawn", card=card, to=None)]
        if self._first or len(text) > self._longest:
            return None
        return [self.saw(t, "card_drawn", card=None, to=None)] + self._strange(t, "unknown_code", text)


class CardLinePositions(CardLines):
    """Readers at the positions of a table: `<channel> <code>` a card was placed, `-<channel> <code>` it was removed."""

    TYPE = "card_position"
    EVENTS = ("card_placed", "card_removed")
    SETTINGS = {
        "codes": CODES,
        "channels": (
            {str(n): f"seat-{n}" if n else "dealer" for n in range(10)},
            'channel = position of the reader, such as "1" = "seat-1"',
        ),
    }

    @classmethod
    def events_with(cls, lines: "tuple[str, ...]", settings: "dict[str, Any] | None" = None) -> "tuple[str, ...]":
        """Which places have a reader is reported too, as `card_placed:burn`."""
        channels = (settings or {}).get("channels", cls.SETTINGS["channels"][0])
        places = [str(place) for place in channels.values()] if isinstance(channels, dict) else []
        return cls.EVENTS + tuple(["card_placed:" + place for place in places])

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings)
        self._channels = self.settings["channels"]
        for channel, position in self._channels.items():
            if not is_position(position):
                raise ValueError(f'channels.{channel}: {position!r} is no position; such as "seat-1" or "dealer"')

    def _text(self, text: str, t: int) -> "list[Observation] | None":
        removed = text.startswith("-")
        channel, _, code = text[1 if removed else 0 :].partition(" ")
        code = code.strip()
        known = (channel in self._channels) + (code in self._codes)
        if not code or len(code) > self._longest or known < (2 if self._first else 1):
            return None
        self.understood += known == 2
        card = self._codes.get(code)
        if card == card_lines.CUT:
            card = None
        to = self._channels.get(channel)
        seen = [self.saw(t, "card_removed" if removed else "card_placed", card=card, to=to)]
        if code not in self._codes:
            seen += self._strange(t, "unknown_code", code)
        if to is None:
            seen += self._strange(t, "unknown_channel", channel)
        return seen


def _printable(line: bytes) -> bool:
    return all([32 <= byte < 127 for byte in line]) and len(line.strip()) > 0
