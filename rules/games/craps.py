"""Craps: follows rolls from release to rest, the point cycle, and the dice that leave the table."""

from __future__ import annotations

from devices.observation import Observation
from rules.desk import Desk
from rules.games.point_cycle import PointCycle
from rules.part import Part
from rules.people import supervises

AT_REST = {
    "off": "die-off-table",
    "stacked": "die-on-die",
    "bank": "die-on-chip-bank",
    "rail": "die-in-cup-or-on-rail",
    "bowl": "die-in-cup-or-on-rail",
}
"""Where a die may come to rest besides the layout: the rule that breaks."""

MS = 1_000_000
SAME_THROW_NS = 2000 * MS
"""A second release within this time, the dice not yet at rest, is the other die of the same throw."""


class Craps(Part):
    """The course of a roll; one round record a roll."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._cycle = PointCycle(desk.game.tables["come-out"], known=desk.last_round == 0)
        self._before: int | None = None
        self._uncalled: int | None = None
        self._uninspected: list[int] = []
        self._missing: list[int] = []
        self._throw = 0
        self._released = 0
        self._alone: tuple[int, int] | None = None
        """Time and journal sequence of a die that was told to leave the hand; the other may follow at once."""
        self._struck: int | None = 0
        """Dice that have struck the far end; None if not known."""
        self._strikes: list[int] = []
        self._no_roll = False

    # -- the throw

    def before_throw_started(self, observation: Observation) -> None:
        desk = self.desk
        dice = observation.data.get("dice")
        if desk.round is not None:
            if dice == 1 and self._released == 1 and desk.t - desk.round.opened < SAME_THROW_NS:
                return
            self._close(None, partial=desk.round.void is None)
        if self._uncalled is not None:
            self._cycle.take(self._uncalled)
        self._uncalled = None
        desk.boundary()
        desk.open_round()
        self._throw = desk.seq
        self._released = self._struck = 0
        self._strikes = []
        self._alone = None
        self._no_roll = False

    def on_throw_started(self, observation: Observation) -> None:
        desk = self.desk
        dice = observation.data.get("dice")
        self._released += dice or 0
        self._judge_inspection()
        in_play, spread_ms = desk.figure("dice-in-play"), observation.data.get("spread_ms")
        together = desk.figure("released-together-ms")
        if dice is not None and dice > in_play:
            desk.breach("dice-count-wrong", {"dice": dice}, {"dice": in_play})
        elif dice is not None and 0 < dice < in_play and spread_ms is None:
            self._judge_one_by_one(together * MS)
        elif dice is not None and 0 < dice < in_play:
            desk.breach("dice-not-released-together", {"dice": dice}, {"dice": in_play})
        elif spread_ms is not None and spread_ms > together:
            desk.breach("dice-not-released-together", {"spread_ms": spread_ms}, {"at_most_ms": together})

    def _judge_one_by_one(self, together: int) -> None:
        """A device that tells each die by itself, and no spread, leaves it to be seen how soon the other follows."""
        first, self._alone = self._alone, None
        if first is None and self._released == 1:
            self._alone = self.desk.t, self.desk.seq
        elif first is None or self.desk.t - first[0] > together:
            self._tell_alone(self._throw)

    def _judge_alone(self) -> None:
        """The throw goes on, and no other die has followed at once."""
        if self._alone is not None:
            _, seq = self._alone
            self._alone = None
            self._tell_alone(seq)

    def _tell_alone(self, seq: int) -> None:
        required = {"dice": self.desk.figure("dice-in-play")}
        self.desk.breach("dice-not-released-together", {"dice": 1}, required, [seq])

    def _judge_inspection(self) -> None:
        if self._uninspected:
            self.desk.breach("die-returned-uninspected", {"inspected": False}, {"inspected": True}, self._uninspected)
            self._uninspected = []

    def on_end_wall_struck(self, observation: Observation) -> None:
        self._judge_alone()
        dice = observation.data.get("dice")
        self._strikes.append(self.desk.seq)
        self._struck = None if dice is None or self._struck is None else self._struck + dice

    def on_die_off_table(self, observation: Observation) -> None:
        """Only a die that leaves during a roll makes it invalid and asks for an inspection (1288-1289)."""
        if self.desk.round is None:
            return
        self._judge_alone()
        self._went_off()
        self.desk.breach(
            "die-off-table", {"zone": observation.data.get("zone")}, {"dice": "on the table"}, [self._throw]
        )

    def _went_off(self) -> None:
        self._uninspected.append(self.desk.seq)
        self._missing.append(self.desk.seq)

    # -- the dice at rest

    def on_dice_settled(self, observation: Observation) -> None:
        if self.desk.round is None:
            return
        self._judge_alone()
        places = observation.data.get("at") or []
        for place in places:
            if place in AT_REST:
                if place == "off" and not self._uninspected:
                    self._went_off()
                self.desk.breach(AT_REST[place], {"at": places}, {"at": "layout"}, [self._throw])
        self._judge_far_end()
        self._close(observation.data.get("faces"))

    def _judge_far_end(self) -> None:
        desk, in_play = self.desk, self.desk.figure("dice-in-play")
        if self._struck is None:
            desk.leave_unjudged(("far-end-not-hit",))
        elif desk.round is not None and desk.round.void is None and not self._no_roll and self._struck < in_play:
            evidence = [self._throw, *self._strikes]
            desk.breach("far-end-not-hit", {"dice_that_struck": self._struck}, {"dice": in_play}, evidence)

    def _close(self, faces: list[int | None] | None, partial: bool = False) -> None:
        round_ = self.desk.round
        if round_ is None:
            return
        self._judge_alone()
        shown = [face for face in faces or [] if face is not None]
        total = sum(shown) if faces and len(shown) == len(faces) == self.desk.figure("dice-in-play") else None
        void = round_.void or ("no-roll" if self._no_roll else None)
        self._before = self._cycle.point
        if void is None and total is not None:
            course = self._cycle.take(total)
        else:
            course = self._cycle.stand()
            self._remember_uncalled(void, total)
        if total is None and void is None:
            self._cycle.known = False
        self.desk.close_round({"faces": faces, "total": total, **course}, partial, void)

    def _remember_uncalled(self, void: str | None, total: int | None) -> None:
        """Where the crew may but need not call No roll, a panel without the call says that the roll stood."""
        rule = self.desk.game.rules.get(void or "")
        if rule is not None and rule.optional and not self._no_roll and self.desk.has("panel.key_pressed"):
            self._uncalled = total

    # -- people

    def on_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if key == "no_roll":
            self._call_no_roll()
        elif key in ("dice_inspected", "supervisor"):
            self._uninspected = []
        elif key == "dice_set_changed":
            self._uninspected = []
            self._missing = []

    def _call_no_roll(self) -> None:
        """Called while the dice run, or just after they came to rest: either way the roll does not count."""
        if self.desk.round is not None:
            self._no_roll = True
        else:
            self._uncalled = None
            self._cycle.point = self._before

    def on_credential_presented(self, observation: Observation) -> None:
        credential = observation.data.get("credential")
        if isinstance(credential, str) and supervises(self.desk.table.people.get(credential)):
            self._uninspected = []

    # -- the set

    def on_dice_counted(self, observation: Observation) -> None:
        """The bowl holds the whole set, what two dice in play leave, or nothing while the set is offered (1286)."""
        desk = self.desk
        dice, whole = observation.data.get("dice"), desk.figure("dice-in-set")
        if dice is None or dice in (whole, whole - desk.figure("dice-in-play"), 0):
            if dice == whole:
                self._missing = []
        elif dice < whole and self._missing:
            desk.breach("die-lost", {"dice": dice}, {"dice": whole}, self._missing)
            self._missing = []
        else:
            desk.breach("dice-count-wrong", {"dice": dice}, {"dice": whole})

    def finish(self) -> None:
        if self.desk.round is not None:
            self._close(None, partial=self.desk.round.void is None)
