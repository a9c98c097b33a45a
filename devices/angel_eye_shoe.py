"""An Angel Eye baccarat shoe: frames in; each card, cut card, result and error out once. MicroPython subset.

Must not know the tableau: the rules decide whether a card should have been drawn.
"""

from pitwatch.devices.byte_device import ByteDevice
from pitwatch.devices.protocols import angel_eye as wire
from pitwatch.devices.running_number import NumberedDiscards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"shoe.angel_eye": "AngelEyeShoe"}

POSITIONS = {"player": "player", "banker": "banker", "burn": "burn", "first_card": "burn"}


class AngelEyeShoe(ByteDevice):
    """Observations beyond the vocabulary's bare fields:

    card_drawn {card, to, index}: index is the shoe's own count within the target. The card turned when a shoe starts
    has `first_card`: true and goes to "burn"; if the shoe then states how many to burn, the next burnt card carries it
    as `burn_count`. A card drawn outside the game goes to "discard" with `outside`: "lock", "error" or "setting".
    result_declared with `forced_quit`: true and winner null: the hand was ended by hand, there is no result.
    reader_error {kind, error_mode}.
    `shoe_started` is said at the shoe's start message if no card was drawn since the last one or the cut card came out;
    and at a first card in a shoe already dealt from. A start message in the middle of a shoe is a fault, "restarted".
    bytes_discarded {count, lost}: lost as in `devices.running_number`; noise between two frames is no lost card.
    An `R` frame ("retransmission" to one public source, a new deal to the other) is a fault report and moves nothing.
    """

    TYPE = "shoe"
    EVENTS = (
        "shoe_started", "card_drawn", "cut_card_drawn", "reader_error", "reader_error_cleared", "result_declared",
        "locked", "unlocked",
    )  # fmt: skip
    SETTINGS = {"decks": (None, "decks in the shoe, if the shoe is always filled alike; the wire does not say")}
    SERIAL = (4800, "8N1")

    @classmethod
    def events_with(cls, lines: "tuple[str, ...]", settings: "dict[str, Any] | None" = None) -> "tuple[str, ...]":
        """The places it knows are reported too, as `card_drawn:player`: it knows no seat."""
        return cls.EVENTS + ("card_drawn:player", "card_drawn:banker", "card_drawn:burn", "card_drawn:discard")

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings, wire.Framer())
        decks = self.settings["decks"]
        if decks is not None and not (type(decks) is int and 1 <= decks <= 12):
            raise ValueError(f"decks: {decks!r} is no number of decks; 1 to 12")
        self._discards: NumberedDiscards = NumberedDiscards(self)
        self._repeats = wire.Repeats()
        self._started = False  # shoe_started said and no card drawn since
        self._dealt = False  # a card was drawn from this shoe
        self._cut = False
        self._locked: bool | None = None
        self._burn_count: int | None = None

    def _message(self, frame: wire.Frame, t: int) -> "list[Observation]":
        self.understood += 1
        self._framer.discarded -= frame.noise
        self._discards.add(frame.noise, t)
        repeat = self._repeats.is_repeat(frame, t)
        if frame.command == "S" and not repeat:
            return self._discards.restarted(frame.seq, t) + self._frame(frame, t)
        if frame.command in wire.PAYLOADS and not wire.well_formed(frame):
            self._discards.unread(len(frame.payload) + 6, t)
            return [] if repeat else self._frame(frame, t)
        seen = self._discards.message(frame.seq, repeat, t)
        return seen if repeat else seen + self._frame(frame, t)

    def interrupted(self, t: int) -> "list[Observation]":
        seen = ByteDevice.interrupted(self, t)
        self._discards.interrupted()
        return seen

    def _frame(self, frame: wire.Frame, t: int) -> "list[Observation]":
        command, payload = frame.command, frame.payload
        if command not in wire.PAYLOADS:
            return self._faults.once(t, "unknown_event", event=command, bytes=_hex(payload))
        if not wire.well_formed(frame):
            return self._faults.once(t, "malformed_frame", command=command, bytes=_hex(payload))
        if command == "S":
            return self._start(t)
        if command == "D":
            return self._card(wire.Card(payload), payload, t)
        if command == "d":
            return self._outside(wire.Card(payload), payload, t)
        if command == "G":
            return self._result(payload[0], t)
        if command == "L":
            return self._lock(bool(payload[0] & 1), t)
        if command == "C":
            self._cut = True
            return [self.saw(t, "cut_card_drawn")]
        if command == "E":
            return [self.saw(t, "reader_error", kind=_kind(payload[0]), error_mode=bool(payload[0] & 64))]
        if command == "e":
            return [self.saw(t, "reader_error_cleared", kind=_kind(payload[0]))]
        if command == "R":
            card = wire.Card(payload)
            to = POSITIONS.get(wire.IN_GAME.get(card.where, ""))
            return self._faults.once(t, "retransmission", card=card.card, to=to, index=card.index)
        if command == "M":
            text = str(payload, "ascii")
            return self._faults.once(t, "preset_changed", preset=text[:2], value=text[2:])
        return []  # P: standing by

    def _start(self, t: int) -> "list[Observation]":
        if self._dealt and not self._cut:
            return self._faults.once(t, "restarted")
        return [] if self._started else self._new_shoe(t)

    def _new_shoe(self, t: int) -> "list[Observation]":
        self._started, self._dealt, self._cut, self._burn_count = True, False, False, None
        return [self.saw(t, "shoe_started", decks=self.settings["decks"])]

    def _card(self, drawn: wire.Card, payload: bytes, t: int) -> "list[Observation]":
        where = wire.IN_GAME.get(drawn.where)
        if where == "burn_count":
            self._burn_count = drawn.number
            return []
        seen = []
        if where == "first_card" and not self._started:
            seen += self._new_shoe(t)
        self._started, self._dealt = False, True
        data = {"card": drawn.card, "to": POSITIONS.get(where) if where else None, "index": drawn.index}
        if where == "first_card":
            data["first_card"] = True
        elif where == "burn" and self._burn_count is not None:
            data["burn_count"], self._burn_count = self._burn_count, None
        seen.append(self.saw(t, "card_drawn", **data))
        if where is None or drawn.card is None or drawn.index is None:
            seen += self._faults.once(t, "impossible_card", bytes=_hex(payload))
        return seen

    def _outside(self, drawn: wire.Card, payload: bytes, t: int) -> "list[Observation]":
        self._started, self._dealt = False, True
        mode = wire.OUTSIDE_GAME.get(drawn.where)
        seen = [self.saw(t, "card_drawn", card=drawn.card, to="discard", index=drawn.index, outside=mode)]
        if mode is None or drawn.card is None or drawn.index is None:
            seen += self._faults.once(t, "impossible_card", bytes=_hex(payload))
        return seen

    def _result(self, code: int, t: int) -> "list[Observation]":
        winner = wire.WINNERS.get(code >> 4 & 7)
        if winner is None or code & 12:
            return self._faults.once(t, "impossible_result", bytes=_hex(bytes([code])))
        pairs = list(wire.PAIRS[code & 3])
        if winner == "forced_quit":
            return [self.saw(t, "result_declared", winner=None, pairs=pairs, forced_quit=True)]
        return [self.saw(t, "result_declared", winner=winner, pairs=pairs)]

    def _lock(self, locked: bool, t: int) -> "list[Observation]":
        if locked == self._locked:
            return []
        self._locked = locked
        return [self.saw(t, "locked" if locked else "unlocked")]


def _kind(code: int) -> str:
    return wire.ERRORS.get(code & 63, f"code {code & 63}")


def _hex(data: bytes) -> str:
    return "".join([f"{byte:02x}" for byte in data])
