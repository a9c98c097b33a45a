"""The progressive jackpot's contacts: coin-in lamps, meter lock, keyed hands, jackpot. MicroPython subset.

Must not know what a hand pays nor whether it was really held.
"""

from pitwatch.devices.line_device import Input, LineDevice, numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"progressive.lines": "ProgressiveContacts"}


class ProgressiveContacts(LineDevice):
    """The meter's state is reported as it is found at the start; lamps only if they are lit."""

    TYPE = "progressive"
    EVENTS = ("coin_in", "coin_in_cleared", "hand_keyed", "meter_locked", "meter_unlocked", "jackpot")
    LINES = {
        "coin-in-*": "level, coin-in-1 to coin-in-9: lamp, the seat has a progressive wager",
        "meter-lock": "level: active while the meter is locked out",
        "hand-*": "level: the named hand is keyed on the controller",
        "jackpot": "level: the controller reports a jackpot, no seat known",
        "jackpot-*": "level, jackpot-1 to jackpot-9: the controller reports a jackpot at the seat",
    }
    EVENT_LINES = {
        "coin_in": ("coin-in-*",),
        "coin_in_cleared": ("coin-in-*",),
        "hand_keyed": ("hand-*",),
        "meter_locked": ("meter-lock",),
        "meter_unlocked": ("meter-lock",),
        "jackpot": ("jackpot", "jackpot-*"),
    }
    REPEATS_STATE = True

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings)
        self.keyed: list[str] = []

    def input_for(self, line: str) -> "Input | None":
        known = line in ("meter-lock", "jackpot") or numbered(line, "coin-in-") or numbered(line, "jackpot-")
        return Input(line) if known or (line.startswith("hand-") and len(line) > 5) else None

    def on_initial(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        if level or line == "meter-lock":
            self.on_level(line, level, t, out)

    def on_level(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        if line == "meter-lock":
            out.append(self.saw(t, "meter_locked" if level else "meter_unlocked"))
        elif line.startswith("coin-in-"):
            seat = "seat-%d" % numbered(line, "coin-in-")
            out.append(self.saw(t, "coin_in" if level else "coin_in_cleared", seat=seat))
        elif line.startswith("hand-"):
            hand = line[5:]
            if level:
                self.keyed.append(hand)
            elif hand in self.keyed:
                self.keyed.remove(hand)
            out.append(self.saw(t, "hand_keyed", hand=hand, on=bool(level)))
        elif level:
            number = numbered(line, "jackpot-")
            keyed = self.keyed[0] if len(self.keyed) == 1 else None
            out.append(self.saw(t, "jackpot", seat="seat-%d" % number if number else None, hand=keyed))
