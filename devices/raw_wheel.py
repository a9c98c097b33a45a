"""A roulette wheel from bare sensors: rotor, ball on the rim, pocket. MicroPython subset.

Must not know what a valid spin needs. `devices.ball_track` turns passes into revolutions, `devices.rotor` encoder
pulses into an angle; this module turns them into events.
"""

from pitwatch.devices.ball_track import BallTrack
from pitwatch.devices.line_device import MS, SECOND, Input, LineDevice
from pitwatch.devices.rotor import Rotor
from pitwatch.devices.wheel_pockets import order_of, pocket_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pitwatch.devices.ball_track import Path
    from pitwatch.devices.observation import Observation

DEVICES = {"wheel.lines": "RawWheel"}

DIRECTIONS = ("cw", "ccw")
TRACK = ("track-a", "track-b")
ENCODER = ("rotor-index", "rotor-encoder", "rotor-encoder-b")
SAME_PASS = 20 * MS  # after a pass at one sensor: still that pass
LONG_PASS = 150 * MS  # a sensor dark for longer has missed an edge
SURE = 8.0  # lead over the other direction at which one is reported
LATE = 0.35  # of a revolution more than it should take, and no pass: the ball is not on the rim
DELIVERY = 60 * MS  # that an edge may take to reach us
ROTOR_STOPPED = 3 * SECOND  # without an encoder pulse
NEW_PACE = 2.0  # rpm between two reports of the rotor
OUT_OF_STEP = 3  # revolutions in a row with a wrong number of encoder pulses
LIVELY = 5 * SECOND  # a ball on the bowl has been seen within this time


class RawWheel(LineDevice):
    """All angles and directions as seen from above.

    ball_launched {direction}: at the fourth coherent pass, or when a shorter run ends; null if one sensor is silent.
    Also under, if the rotor's angle is known: the pocket at the reader when the ball first passed track-a.
    ball_left_rim {revolutions, direction, seen_ago_ms}: whole revolutions from the first pass on the rim to the last,
    seen_ago_ms before. If a pass was not heard, or something else passed as well, also uncertain: true and at_least,
    at_most: the revolutions that may be true.
    ball_settled {pocket}: read twice in a row, a rotor revolution apart.
    """

    TYPE = "wheel"
    EVENTS = (
        "rotor", "ball_launched", "ball_left_rim", "ball_settled", "ball_expelled", "ball_floating", "object_detected",
        "ball_missing",
    )  # fmt: skip
    SETTINGS = {
        "wheel": ("double-zero", "double-zero or single-zero: the order of the pockets; else the table's option"),
        "sensor_angle": (
            90,
            "degrees clockwise from track-a to track-b, 20 to 160 or 200 to 340",
        ),
        "encoder_pulses": (64, "encoder pulses in a revolution of the rotor"),
        "pocket_at_index": ("0", "pocket at the reader when the index mark is at its sensor"),
        "max_rpm": (60, "fastest rotor believed, in revolutions a minute"),
        "floating_s": (25, "seconds after leaving the rim at which a ball that still runs is a floater"),
        "missing_s": (45, "seconds after leaving the rim at which an unseen ball is missing"),
        "stuck_s": (30, "seconds a sensor at the track may be dark"),
    }
    OF_TABLE = ("wheel",)
    LINES = {
        "rotor-index": "pulse: the rotor's index mark passes its sensor",
        "rotor-encoder": "pulse: rotor encoder, first channel",
        "rotor-encoder-b": "pulse: rotor encoder, second channel; a quarter pulse behind if clockwise",
        "track-a": "pulse: the ball passes the first sensor on the rim",
        "track-b": "pulse: the ball passes the second sensor on the rim",
        "pocket": "pulse: the ball passes the reader over the pockets",
        "drop": "pulse: the ball crosses the bowl",
        "object": "pulse: beam across the wheel that no ball on its way darkens",
        "outside": "pulse: the ball leaves the wheel head",
    }
    EVENT_LINES = {"ball_settled": ("pocket",), "ball_expelled": ("outside",), "object_detected": ("object",)}
    REQUIRED = ("rotor-index", "rotor-encoder", "rotor-encoder-b", "track-a", "track-b")

    def __init__(self, device_id: str, settings: "dict[str, Any] | None" = None):
        super().__init__(device_id, settings)
        self.order = order_of(self.settings["wheel"])
        if self.settings["pocket_at_index"] not in self.order:
            raise ValueError("pocket_at_index: this wheel has no pocket %r" % (self.settings["pocket_at_index"],))
        angle = self.settings["sensor_angle"]
        if not (20 <= angle <= 160 or 200 <= angle <= 340):
            raise ValueError("sensor_angle: %r shows no direction; 20 to 160 or 200 to 340 degrees" % (angle,))
        if self.settings["encoder_pulses"] < 8:
            raise ValueError("encoder_pulses: %r are too few; 8 or more" % (self.settings["encoder_pulses"],))
        self.rotor = Rotor(self.settings["encoder_pulses"])
        self.passed = [-SECOND, -SECOND]  # ns of the last pass at each track sensor
        self.half = 8 * MS  # half the time the ball darkens the pocket reader
        self.forget()

    def forget(self) -> None:
        self.rotor.stop()
        self.told: tuple[float, str | None] | None = None  # the rotor as reported last
        self.wrong = 0  # revolutions in a row in which encoder and index disagree
        self.state = "idle"  # "rim", "bowl"
        self.track = BallTrack(self.settings["sensor_angle"])
        self.alive = -LIVELY  # ns at which the ball was last seen after it left the rim
        self.entered = 0  # ns at which the ball came to the pocket reader
        self.read_last: tuple[str, int] | None = None  # (pocket, ns) read last
        self.resting = False  # the pocket that is read has been reported

    def input_for(self, line: str) -> "Input | None":
        if line not in self.LINES:
            return None
        if line in ENCODER:
            return Input(line, pulse=True, hold_ms=0, edges_per_s=20000)
        if line == "object":
            return Input(line, pulse=True, hold_ms=1000, stuck_s=self.settings["stuck_s"])
        return Input(line, pulse=True, hold_ms=2, stuck_s=self.settings["stuck_s"])

    # Sensors of which every edge matters: a level that repeats itself is the trace of an edge that was lost.

    def on_raw(self, known: Input, level: int, t: int, out: "list[Observation]") -> None:
        line, lost = known.name, level == known.raw
        if known.bad or (known.raw is None and not level):
            return
        if line in TRACK:
            sensor = TRACK.index(line)
            since = t - self.passed[sensor]
            if (level or lost or since > LONG_PASS) and since >= SAME_PASS:
                self.passed[sensor] = t
                self._pass(sensor, not level, t, out)
        elif line == "rotor-encoder":
            if level or lost:
                self._encoder(t, out)
            if level and not lost and self.knows("rotor-encoder-b"):
                turning = "ccw" if self.level_of("rotor-encoder-b") else "cw"
                if self.rotor.sample(turning):
                    self.read_last = None
                    self._tell_rotor(t, out)
        elif line == "rotor-index":
            if level or lost:
                self._index(t, out)
        elif line == "pocket":
            if level:
                if lost:
                    self._read_pocket(self.entered + self.half, t, out)
                self.entered = t
                self.set_timer("reader", t + 2 * LONG_PASS)
            elif self.has_timer("reader") and not lost:
                self.stop_timer("reader")
                self.half = (t - self.entered) // 2
                self._read_pocket(self.entered + self.half, t, out)
            elif lost:
                self._read_pocket(t - self.half, t, out)

    def on_pulse(self, line: str, t: int, out: "list[Observation]") -> None:
        if line == "drop":
            if self.state == "rim":
                self._leave(t, out)
            self.alive = t
        elif line == "object":
            out.append(self.saw(t, "object_detected"))
        elif line == "outside":
            path, _, _ = self.track.best()
            if self.state != "idle" or (path is not None and path.passes >= 2):
                self._end_spin()
                out.append(self.saw(t, "ball_expelled"))

    def on_timer(self, name: str, t: int, out: "list[Observation]") -> None:
        if name == "pass":
            self._overdue(t, out)
        elif name == "rotor":
            self.rotor.stop()
            self.read_last = None
            self._tell_rotor(t, out)
        elif name == "reader":
            self._read_pocket(self.entered + self.half, t, out)
        elif name == "lifted":
            self.resting = False
            self.read_last = None
        elif name == "floating":
            if t - self.alive < LIVELY:
                out.append(self.saw(t, "ball_floating"))
        elif name == "missing":
            if t - self.alive < LIVELY:
                self.set_timer("missing", t + LIVELY)
            else:
                self._end_spin()
                out.append(self.saw(t, "ball_missing"))

    # --- rotor ----------------------------------------------------------------------------------------------------

    def _encoder(self, t: int, out: "list[Observation]") -> None:
        self.set_timer("rotor", t + ROTOR_STOPPED)
        if not self.rotor.pulse(t):
            return
        rpm = 60 / self.rotor.period
        if rpm > self.settings["max_rpm"]:
            out += self.faults.set(t, "impossible rotor speed", rpm=round(rpm, 1), at_most=self.settings["max_rpm"])
            return
        out += self.faults.clear(t, "impossible rotor speed")
        if self.told is None or not self.told[1] or abs(rpm - self.told[0]) >= NEW_PACE:
            self._tell_rotor(t, out)

    def _index(self, t: int, out: "list[Observation]") -> None:
        pulses = self.rotor.index(t)
        if pulses is None or pulses < 0.25 * self.rotor.pulses:
            return
        if abs(pulses - self.rotor.pulses) <= max(2, self.rotor.pulses * 0.05):
            self.wrong = 0
            out += self.faults.clear(t, "encoder out of step")
        else:
            self.wrong += 1
            if self.wrong == OUT_OF_STEP:
                out += self.faults.set(
                    t, "encoder out of step", line="rotor-encoder", pulses=round(pulses), expected=self.rotor.pulses
                )

    def _tell_rotor(self, t: int, out: "list[Observation]") -> None:
        """Report the rotor's state if it is known and differs from what was reported."""
        rpm = round(60 / self.rotor.period, 1) if self.rotor.period else 0.0
        if bool(rpm) != bool(self.rotor.direction) or (not rpm and self.told is None):
            return
        if self.told != (rpm, self.rotor.direction):
            self.told = (rpm, self.rotor.direction)
            out.append(self.saw(t, "rotor", rpm=rpm, direction=self.rotor.direction))

    # --- ball on the rim ------------------------------------------------------------------------------------------

    def _pass(self, sensor: int, faint: bool, t: int, out: "list[Observation]") -> None:
        out += self.faults.clear(t, "silent:" + TRACK[sensor])
        self.alive = t
        self.track.add(sensor, t, faint)
        path, direction, lead = self.track.best()
        if path is None:
            return
        if self.state != "rim" and path.passes >= 4 and lead >= SURE:
            self._launch(DIRECTIONS[direction], t, out)
        elif path.passes >= 8 and not path.both:
            silent = TRACK[1 - path.sensor]
            key = "silent:" + silent
            out += self.faults.set(t, "track sensor silent", key, line=silent, passes_at_the_other=path.passes)
            if self.state != "rim":
                self._launch(None, t, out)
        self._expect(path)

    def _expect(self, path: "Path") -> None:
        """When the ball is overdue: one revolution on, so that one pass may go unheard. Two passes show no pace yet,
        for they fit either direction."""
        wait = int(path.period * (1 + LATE) * 1e9) if path.passes > 2 else 3 * SECOND
        self.set_timer("pass", path.last + wait + DELIVERY)

    def _launch(self, direction: "str | None", t: int, out: "list[Observation]") -> None:
        self._end_spin(keep_track=True)
        self.state = "rim"
        self._tell_rotor(t, out)
        under = self._under()
        if under is None:
            out.append(self.saw(t, "ball_launched", direction=direction))
        else:
            out.append(self.saw(t, "ball_launched", direction=direction, under=under))

    def _under(self) -> "str | None":
        """The pocket at the reader when the ball first passed track-a; None if that is not known."""
        first = self.track.first_at(0)
        if first is None or self.rotor.direction is None:
            return None
        turned = self.rotor.turned(first)
        if turned is None:
            return None
        return pocket_at(self.order, self.settings["pocket_at_index"], turned, self.rotor.direction)

    def _overdue(self, t: int, out: "list[Observation]") -> None:
        path, direction, lead = self.track.best()
        if self.state != "rim":
            if path is None or path.passes < 3 or lead < SURE:
                self._new_track(t)
                return
            self._launch(DIRECTIONS[direction], t, out)
        self._leave(t, out)

    def _leave(self, t: int, out: "list[Observation]") -> None:
        path, direction, lead = self.track.best()
        self.state = "bowl"
        if path is not None:
            least, most = self.track.bounds()
            data = {
                "revolutions": path.revolutions(),
                "direction": DIRECTIONS[direction] if lead >= SURE else None,
                "seen_ago_ms": (t - path.last) // MS,
            }
            if path.missed or least != most:
                data.update({"uncertain": True, "at_least": least, "at_most": most})
            out.append(self.saw(t, "ball_left_rim", **data))
            self._new_track(path.last)
        self.set_timer("floating", t + int(self.settings["floating_s"] * SECOND))
        if self.knows("pocket"):
            self.set_timer("missing", t + int(self.settings["missing_s"] * SECOND))

    def _new_track(self, after: int) -> None:
        """Begin anew with the passes after `after`, which the old track did not explain."""
        later = self.track.since(after)
        self.track = BallTrack(self.settings["sensor_angle"])
        self.stop_timer("pass")
        for sensor, t, faint in later:
            self.track.add(sensor, t, faint)
        path, _, _ = self.track.best()
        if path is not None:
            self._expect(path)

    def _end_spin(self, keep_track: bool = False) -> None:
        self.state = "idle"
        self.resting = False
        self.read_last = None
        for name in ("floating", "missing", "lifted"):
            self.stop_timer(name)
        if not keep_track:
            self.track = BallTrack(self.settings["sensor_angle"])
            self.stop_timer("pass")

    # --- ball in a pocket -----------------------------------------------------------------------------------------

    def _read_pocket(self, at: int, t: int, out: "list[Observation]") -> None:
        """The ball was at the reader at `at`, and it is `t` now."""
        turned = self.rotor.turned(at)
        if turned is None or self.rotor.direction is None:
            return
        pocket = pocket_at(self.order, self.settings["pocket_at_index"], turned, self.rotor.direction)
        before, self.read_last = self.read_last, (pocket, at)
        revolution = int(self.rotor.period * 1e9)
        self.set_timer("lifted", max(t, at + revolution * 5 // 2))
        if before is None or at - before[1] < revolution * 7 // 10:
            return
        if self.resting:
            if pocket == before[0]:
                out += self.faults.clear(t, "pocket moved")
            else:
                out += self.faults.set(t, "pocket moved", line="pocket", was=before[0], now=pocket)
        elif pocket == before[0]:
            if self.state == "rim":
                self._leave(t, out)
            self._end_spin()
            self.read_last = (pocket, at)
            self.resting = True
            self.set_timer("lifted", max(t, at + revolution * 5 // 2))
            out.append(self.saw(t, "ball_settled", pocket=pocket))
