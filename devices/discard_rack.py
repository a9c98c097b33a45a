"""The discard rack: cards that went in, and whether it is empty. MicroPython subset. Must not know whose cards."""

from pitwatch.devices.line_device import MS, Input, LineDevice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"discard_rack.lines": "DiscardRack"}


class DiscardRack(LineDevice):
    """Cards that follow each other within the gap are one count, reported when the optic has been quiet for the gap."""

    TYPE = "discard_rack"
    EVENTS = ("cards_counted", "emptied")
    SETTINGS = {
        "card_ms": (10, "milliseconds after a card's first edge that belong to the same card"),
        "gap_ms": (1000, "milliseconds of quiet that end a count"),
        "stuck_s": (10, "seconds a card may lie in the optic"),
    }
    LINES = {
        "card": "pulse: one for each card that passes into the rack",
        "empty": "level: active while the rack is empty",
    }
    EVENT_LINES = {"cards_counted": ("card",), "emptied": ("empty",)}

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings)
        self.count = 0

    def input_for(self, line: str) -> "Input | None":
        if line == "card":
            return Input(line, pulse=True, hold_ms=self.settings["card_ms"], stuck_s=self.settings["stuck_s"])
        return Input(line, hold_ms=100) if line == "empty" else None

    def forget(self) -> None:
        self.count = 0

    def on_pulse(self, line: str, t: int, out: "list[Observation]") -> None:
        self.count += 1
        self.set_timer("gap", t + self.settings["gap_ms"] * MS)

    def on_timer(self, name: str, t: int, out: "list[Observation]") -> None:
        self.stop_timer("gap")
        if self.count:
            out.append(self.saw(t, "cards_counted", cards=self.count))
            self.count = 0

    def on_level(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        if level:
            self.on_timer("gap", t, out)  # what was counted before is reported before it is gone
            out.append(self.saw(t, "emptied"))
