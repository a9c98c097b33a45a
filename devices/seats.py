"""Which seats have a wager, and which seat holds the bank. MicroPython subset. Must not know what a seat is dealt."""

from pitwatch.devices.line_device import SECOND, Input, LineDevice, numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"seats.lines": "SeatSensors"}


class SeatSensors(LineDevice):
    """A wager is present when its sensor has been covered for the hold time: a hand passing over it is none.

    bank_moved {seat}: null once the marker has been at no seat for `marker_s`: the house banks, or nobody yet.
    """

    TYPE = "seats"
    EVENTS = ("seat_taken", "seat_left", "bank_moved")
    SETTINGS = {
        "hold_ms": (300, "milliseconds a sensor must be steady to count"),
        "marker_s": (10, "seconds the bank marker must be at no seat to count as taken from the players"),
    }
    LINES = {
        "seat-*": "level, seat-1 to seat-9: active while a wager lies at the seat",
        "bank-*": "level, bank-1 to bank-9: active while the bank marker is at the seat",
    }
    EVENT_LINES = {"seat_taken": ("seat-*",), "seat_left": ("seat-*",), "bank_moved": ("bank-*",)}
    REPEATS_STATE = True

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings)
        self.bank = 0

    def input_for(self, line: str) -> "Input | None":
        if numbered(line, "seat-") or numbered(line, "bank-"):
            return Input(line, hold_ms=self.settings["hold_ms"])
        return None

    def initial(self, levels: "dict[str, int]", t: int) -> "list[Observation]":
        seen = super().initial(levels, t)
        if self.bank and not self.level_of("bank-%d" % self.bank):  # it went unseen, or just before the lines were lost
            self._await_marker(self.now)
            self._schedule()
        return seen

    def on_level(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        bank = numbered(line, "bank-")
        if not bank:
            out.append(self.saw(t, "seat_taken" if level else "seat_left", seat=line))
        elif not level:
            if bank == self.bank:
                self._await_marker(t)
        else:
            self.stop_timer("marker")
            if bank != self.bank:
                self.bank = bank
                out.append(self.saw(t, "bank_moved", seat="seat-%d" % bank))

    def on_timer(self, name: str, t: int, out: "list[Observation]") -> None:
        self.bank = 0
        out.append(self.saw(t, "bank_moved", seat=None))

    def _await_marker(self, t: int) -> None:
        self.set_timer("marker", t + self.settings["marker_s"] * SECOND)
