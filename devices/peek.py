"""The peek device: the dealer's hole card was checked, and whether it made blackjack. MicroPython subset.

Must not know the card.
"""

from pitwatch.devices.line_device import MS, Input, LineDevice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"peek.lines": "PeekDevice"}


class PeekDevice(LineDevice):
    """The two lamps light in either order: the answer is blackjack if its lamp lights within the answer time."""

    TYPE = "peek"
    EVENTS = ("hole_card_checked",)
    SETTINGS = {"answer_ms": (300, "milliseconds after the check within which the blackjack lamp may light")}
    LINES = {
        "hole-checked": "level: lamp, a hole card has been read",
        "blackjack": "level: lamp, the hole card makes blackjack",
    }
    REQUIRED = ("hole-checked", "blackjack")

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings)
        self.told = False  # this check's answer is out

    def input_for(self, line: str) -> "Input | None":
        return Input(line) if line in self.LINES else None

    def on_initial(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        self.on_level(line, level, t, out)

    def on_level(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        if not level:
            if not self.level_of("hole-checked") and not self.level_of("blackjack") and not self.has_timer("answer"):
                self.told = False
        elif self.reading:
            self.told = True  # it belongs to a check that nobody saw begin
        elif not self.told:
            if self.level_of("blackjack"):
                self._answer(True, t, out)
            elif not self.has_timer("answer"):
                self.set_timer("answer", t + self.settings["answer_ms"] * MS)

    def on_timer(self, name: str, t: int, out: "list[Observation]") -> None:
        self._answer(False, t, out)

    def _answer(self, blackjack: bool, t: int, out: "list[Observation]") -> None:
        self.stop_timer("answer")
        self.told = bool(self.level_of("hole-checked") or self.level_of("blackjack"))
        out.append(self.saw(t, "hole_card_checked", blackjack=blackjack))
