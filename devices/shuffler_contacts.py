"""A card shuffler seen through isolated contacts: lamps, motor, door, card exit. MicroPython subset.

No shuffler's own port is public, so nothing here depends on one. Must not know which game the cards are for.

Batch machine: a run of the motor is a shuffle; cards at the exit are the shuffled cards coming out.
Packet machine: the motor also runs to deal. A run in which a card comes out is a deal; a run without a card for
`shuffle_after_ms` is a shuffle. A card that comes out in a running shuffle ends it: the machine deals from what it has.
"""

from pitwatch.devices.line_device import MS, SECOND, Input, LineDevice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.observation import Observation

DEVICES = {"shuffler.lines": "ShufflerContacts"}


class ShufflerContacts(LineDevice):
    """Data beyond the vocabulary: jammed {during: "shuffle" | "deal" | null, cards_out}: cards_out is how much of a
    packet had come out when the machine jammed; that packet is not reported as dispensed.

    `shuffle_completed.cards` is the number the settings say if the machine's own count lamp confirms it, else null.
    `count_failed.cards` is what passed the exit of a batch machine, null if nothing did.
    """

    TYPE = "shuffler"
    EVENTS = (
        "shuffle_started", "shuffle_completed", "count_failed", "packet_dispensed", "jammed", "jam_cleared", "stopped",
        "door_opened", "door_closed", "cards_inserted", "cards_removed",
    )  # fmt: skip
    SETTINGS = {
        "machine": ("batch", "batch: shuffles the whole deck out; packet: deals packets on demand"),
        "cards": (52, "cards that the machine's count lamp vouches for"),
        "packet_gap_ms": (600, "milliseconds without a card that end a packet"),
        "card_ms": (10, "milliseconds after a card's first edge that belong to the same card"),
        "shuffle_after_ms": (3000, "packet machine: milliseconds of motor without a card that make it a shuffle"),
        "stop_s": (3, "seconds after the motor stopped within which the count lamp must light"),
        "cycle_min_s": (10, "without count lamps: seconds of motor that make a complete shuffle"),
        "cycle_max_s": (300, "seconds of motor that no shuffle takes"),
    }
    LINES = {
        "motor": "level: the motor runs",
        "jam": "level: jam lamp",
        "door": "level: active while the door is open",
        "card-exit": "pulse: one for each card that leaves the machine",
        "count-ok": "level: lamp, the machine counted a full deck",
        "count-bad": "level: lamp, the machine's count failed",
        "tray": "level: cards lie in the tray",
    }
    EVENT_LINES = {
        "count_failed": ("count-bad",),
        "packet_dispensed": ("card-exit",),
        "jammed": ("jam",),
        "jam_cleared": ("jam",),
        "door_opened": ("door",),
        "door_closed": ("door",),
        "cards_inserted": ("tray",),
        "cards_removed": ("tray",),
    }
    REQUIRED = ("motor",)

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings)
        if self.settings["machine"] not in ("batch", "packet"):
            raise ValueError("machine: %r is no kind of shuffler; 'batch' or 'packet'" % (self.settings["machine"],))
        self.packets = self.settings["machine"] == "packet"
        self.cycle = False  # a shuffle was reported and neither its end nor a jam
        self.loaded = False  # the last shuffle ended well: what comes next may be a deal
        self.dealing = False  # a card came out in this run of the motor
        self.began = 0
        self.ran = 0  # ns that the cycle took, once its motor has stopped
        self.cards = 0  # of the packet (or the batch) coming out

    def input_for(self, line: str) -> "Input | None":
        if line == "card-exit":
            return Input(line, pulse=True, hold_ms=self.settings["card_ms"], stuck_s=10)
        return Input(line) if line in self.LINES else None

    def on_initial(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        if line == "door" or (line == "jam" and level):
            self.on_level(line, level, t, out)
        elif line == "motor" and level and not self.reading:
            self.on_level(line, level, t, out)  # no levels were read: the first word of the line is a change

    def forget(self) -> None:
        self.cycle = False
        self.loaded = False
        self.dealing = False
        self.cards = 0

    def on_level(self, line: str, level: int, t: int, out: "list[Observation]") -> None:
        if line == "motor":
            if level:
                self._motor_on(t, out)
            else:
                self._motor_off(t, out)
        elif line == "jam":
            if level:
                self._jam(t, out)
            else:
                out.append(self.saw(t, "jam_cleared"))
                if self.level_of("motor") and not self.cycle:
                    self._motor_on(t, out)
        elif line == "door":
            out.append(self.saw(t, "door_opened" if level else "door_closed"))
        elif line == "tray":
            out.append(self.saw(t, "cards_inserted" if level else "cards_removed"))
        elif level and line == "count-ok":
            if self.cycle:
                self._complete(self.settings["cards"], t, out)
        elif level and line == "count-bad":
            self._end_cycle()
            self.loaded = False
            out.append(self.saw(t, "count_failed", cards=None if self.packets else self.cards or None))

    def on_pulse(self, line: str, t: int, out: "list[Observation]") -> None:
        if self.packets:
            self.stop_timer("shuffle")
            self.dealing = True
            if self.cycle:
                self._complete(None, t, out)
            self.set_timer("packet", t + self.settings["packet_gap_ms"] * MS)
        self.cards += 1

    def on_timer(self, name: str, t: int, out: "list[Observation]") -> None:
        if name == "packet":
            out.append(self.saw(t, "packet_dispensed", cards=self.cards, to=None))
            self.cards = 0
        elif name == "shuffle":
            self._start(t, out)
        elif name == "stop":
            self._judge_stop(t, out)
        elif name == "long":
            seconds = (t - self.began) // SECOND
            out += self.faults.set(t, "cycle too long", line="motor", seconds=seconds)

    def _motor_on(self, t: int, out: "list[Observation]") -> None:
        if self.level_of("jam"):
            return  # it runs to free itself
        if self.has_timer("stop"):  # a pause within the cycle
            self.stop_timer("stop")
            self.set_timer("long", self.began + self.settings["cycle_max_s"] * SECOND)
            return
        self.began = t
        self.dealing = False
        self.set_timer("long", t + self.settings["cycle_max_s"] * SECOND)
        if not self.packets:
            self._start(t, out)
        elif not self.has_timer("packet"):
            self.set_timer("shuffle", t + self.settings["shuffle_after_ms"] * MS)

    def _motor_off(self, t: int, out: "list[Observation]") -> None:
        self.stop_timer("shuffle")
        self.stop_timer("long")
        out += self.faults.clear(t, "cycle too long")
        if self.cycle:
            self.ran = t - self.began
            self.set_timer("stop", t + self.settings["stop_s"] * SECOND)

    def _start(self, t: int, out: "list[Observation]") -> None:
        self.cycle = True
        self.loaded = False
        self.cards = 0
        out.append(self.saw(t, "shuffle_started"))

    def _complete(self, cards: "int | None", t: int, out: "list[Observation]") -> None:
        self._end_cycle()
        self.loaded = True
        out.append(self.saw(t, "shuffle_completed", cards=cards))

    def _end_cycle(self) -> None:
        self.cycle = False
        self.stop_timer("stop")
        self.stop_timer("shuffle")

    def _judge_stop(self, t: int, out: "list[Observation]") -> None:
        """The motor stopped and no count lamp has lit since."""
        lamps = self.knows("count-ok") or self.knows("count-bad")
        if not lamps and self.ran >= self.settings["cycle_min_s"] * SECOND:
            self._complete(None, t, out)
        else:
            self._end_cycle()
            out.append(self.saw(t, "stopped"))

    def _jam(self, t: int, out: "list[Observation]") -> None:
        if self.has_timer("shuffle") and not self.loaded and not self.dealing:
            self._start(t, out)  # too early to know by the motor, but there is nothing in it to deal
        partial = self.cards if self.has_timer("packet") else 0
        self.stop_timer("packet")
        during = None
        if self.cycle:
            during = "shuffle"
        elif self.packets and (self.dealing or partial or self.level_of("motor")):
            during = "deal"
        self._end_cycle()
        self.cards = 0
        out.append(self.saw(t, "jammed", during=during, cards_out=partial))
