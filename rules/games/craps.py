"""Craps: follows rolls from release to rest, the point cycle, and the dice that leave the table."""

from __future__ import annotations

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part
from pitwatch.rules.people import supervises
from pitwatch.rules.play.point_cycle import PointCycle

FAMILIES = {"craps": "Craps"}

AT_REST = {
    "off": "die-off-table",
    "stacked": "die-on-die",
    "bank": "die-on-chip-bank",
    "rail": "die-in-cup-or-on-rail",
    "bowl": "die-in-cup-or-on-rail",
}
"""Where a die may come to rest besides the layout: the rule that breaks."""

MS = 1_000_000
STANDS_NS = 60_000 * MS
"""No roll is called at once or not at all: after this time the roll stands and its bets are settled."""

CALLED_NS = 5_000 * MS
"""No roll is called for what no device sees, too: the record of any roll waits this long for that key."""

STRIKE_NS = 500 * MS
"""Where one device reports the strikes and another the rest, a strike may be reported this much later than the rest."""

UNSEEN_NS = 2_000 * MS
"""A roll takes at least this long: while no device watched, one may have been made."""

SAME_THROW_NS = 2000 * MS
"""A second release within this time, the dice not yet at rest, is the other die of the same throw."""


class Craps(Part):
    """The course of a roll; one round record a roll."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._cycle = PointCycle(desk.game.tables["come-out"], known=desk.last_round == 0)
        self._before: int | None = None
        self._uninspected: list[int] = []
        self._back: list[int] = []
        """The last count, if it shows that the dice which nobody examined are among the others again."""
        self._missing: list[int] = []
        self._throw = 0
        self._released = 0
        self._off = 0
        """Dice of this throw that were reported off the table."""
        self._alone: tuple[int, int] | None = None
        """Time and journal sequence of a die that was reported to leave the hand; the other may follow at once."""
        self._struck: int | None = 0
        """Dice that have struck the far end; None if not known."""
        self._strikes: list[int] = []
        self._no_roll = False
        self._at_rest: tuple[list[int | None] | None] | None = None
        """The faces of a roll that the crew may still call No roll: its record waits for that."""
        self._rested: tuple[int, int] = (0, 0)
        """Time and journal sequence of the dice at rest."""
        self._strikes_open = False
        """Whether the dice are at rest and the far end is not judged: the strikes may be reported yet."""
        self._dice = {device.id for device in desk.table.devices if device.type == "dice"}
        self._away: dict[str, int] = {}
        """Dice devices that are off line, and since when."""
        self._missed = False
        """Whether something of the dice did not get across since the last throw."""

    # -- the throw

    def before_throw_started(self, observation: Observation) -> None:
        desk = self.desk
        dice = observation.data.get("dice")
        self._back_on_line(observation.device)
        self._stands()
        self._missed = False
        if desk.round is not None:
            if dice == 1 and self._released == 1 and desk.t - desk.round.opened < SAME_THROW_NS:
                return
            self._close(None, partial=desk.round.void is None)
        desk.boundary()
        desk.open_round()
        self._throw = desk.seq
        self._released = self._struck = self._off = 0
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
        """A device that reports each die by itself, and no spread, leaves it to be seen how soon the other follows."""
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
        """The shooter may go on with others of the five: only a count shows that a die which went off is back."""
        if self._uninspected and self._back:
            evidence = [*self._uninspected, *self._back]
            self.desk.breach("die-returned-uninspected", {"inspected": False}, {"inspected": True}, evidence)
            self._inspected()

    def _inspected(self) -> None:
        self._uninspected, self._back = [], []

    def on_end_wall_struck(self, observation: Observation) -> None:
        self._judge_alone()
        dice = observation.data.get("dice")
        self._strikes.append(self.desk.seq)
        self._struck = None if dice is None or self._struck is None else self._struck + dice

    def on_die_off_table(self, observation: Observation) -> None:
        """Only a die that leaves during a roll makes it invalid and asks for an inspection (1288-1289)."""
        if self.desk.round is None or self._at_rest is not None:
            return
        self._judge_alone()
        self._went_off()
        self.desk.breach(
            "die-off-table", {"zone": observation.data.get("zone")}, {"dice": "on the table"}, [self._throw]
        )

    def _went_off(self) -> None:
        self._uninspected.append(self.desk.seq)
        self._back = []
        self._off += 1
        self._missing.append(self.desk.seq)

    # -- the dice at rest

    def on_dice_settled(self, observation: Observation) -> None:
        if self.desk.round is None and self._missed:
            self._cycle.known = False  # its throw did not get across
        if self.desk.round is None or self._at_rest is not None:
            return
        self._judge_alone()
        places = observation.data.get("at") or []
        for _ in range(places.count("off") - self._off):
            self._went_off()
        for place in places:
            if place in AT_REST:
                self.desk.breach(AT_REST[place], {"at": places}, {"at": "layout"}, [self._throw])
        self._missed = False
        self._at_rest = (observation.data.get("faces"),)
        self._rested = self.desk.t, self.desk.seq
        self._strikes_open = True
        if self._strikes_may_follow(observation.device):
            self.deadline = self.desk.t + STRIKE_NS
        else:
            self._wait_for_the_key()

    def _strikes_may_follow(self, told_by: str) -> bool:
        """Whether strikes are missing that a device other than the one which reported the rest may still report."""
        others = self.desk.table.provides("dice.end_wall_struck")
        few = self._struck is not None and self._struck < self.desk.figure("dice-in-play")
        return few and self._in_order and any(each.id != told_by for each in others)

    @property
    def _in_order(self) -> bool:
        """Whether nothing has made the open roll void."""
        return self.desk.round is not None and self.desk.round.void is None and not self._no_roll

    def _wait_for_the_key(self) -> None:
        """The roll is judged; its record waits while the crew may call No roll and would be heard."""
        self._judge_far_end()
        heard = self.desk.availability.on_line("panel.key_pressed:no_roll")
        void = self.desk.round.void if self.desk.round is not None else None
        if heard and not self._no_roll and (void is None or self._is_optional(void)):
            self.deadline = self._rested[0] + (CALLED_NS if void is None else STANDS_NS)
        elif self._at_rest is not None:
            self._close(self._at_rest[0])

    def _is_optional(self, void: str | None) -> bool:
        rule = self.desk.game.rules.get(void or "")
        return rule is not None and rule.optional

    def _stands(self) -> None:
        """The crew lets the roll count, whatever was wrong with it: its record is not void and names what was."""
        if self._at_rest is None:
            return
        self._judge_far_end()
        if self.desk.round is not None and self.desk.availability.on_line("panel.key_pressed:no_roll"):
            self.desk.round.void = None
        self._close(self._at_rest[0])

    def tick(self) -> None:
        if self._strikes_open:
            self._wait_for_the_key()
        else:
            self._stands()

    def _judge_far_end(self) -> None:
        """Once, when every device that can report a strike has reported it."""
        if not self._strikes_open:
            return
        self._strikes_open = False
        desk, in_play = self.desk, self.desk.figure("dice-in-play")
        if self._struck is None:
            desk.leave_unjudged(("far-end-not-hit",))
        elif self._in_order and self._struck < in_play:
            evidence = [self._throw, *self._strikes, self._rested[1]]
            desk.breach("far-end-not-hit", {"dice_that_struck": self._struck}, {"dice": in_play}, evidence)

    def _close(self, faces: list[int | None] | None, partial: bool = False) -> None:
        round_ = self.desk.round
        self._judge_far_end()
        closed = self.desk.t if self._at_rest is None else self._rested[0]
        self.deadline = self._at_rest = None
        if round_ is None:
            return
        self._judge_alone()
        shown = [face for face in faces or [] if face is not None]
        total = sum(shown) if faces and len(shown) == len(faces) == self.desk.figure("dice-in-play") else None
        void = round_.void or ("no-roll" if self._no_roll else None)
        self._before = self._cycle.point
        course = self._cycle.take(total) if void is None and total is not None else self._cycle.stand()
        if not self._no_roll and (self._is_optional(void) or (total is None and void is None)):
            self._cycle.known = False  # whether it counted, or as what, nobody knows
        self.desk.close_round({"faces": faces, "total": total, **course}, partial, void, closed)

    # -- people

    def on_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if key == "no_roll":
            self._call_no_roll()
        elif key == "round_over":
            self._stands()
        elif key in ("dice_inspected", "supervisor"):
            self._inspected()
        elif key == "dice_set_changed":
            self._inspected()
            self._missing = []

    def _call_no_roll(self) -> None:
        """Called while the dice run, or just after they came to rest: either way the roll does not count."""
        if self.desk.round is not None:
            self._no_roll = True
            if self._at_rest is not None:
                self._close(self._at_rest[0])
        else:
            self._cycle.point = self._before

    def on_credential_presented(self, observation: Observation) -> None:
        credential = observation.data.get("credential")
        if isinstance(credential, str) and supervises(self.desk.table.people.get(credential)):
            self._inspected()

    # -- what was not seen

    def missed(self, observation: Observation) -> None:
        self._missed = self._missed or observation.device in self._dice

    def on_device_offline(self, observation: Observation) -> None:
        self.missed(observation)
        if observation.device in self._dice:
            self._away.setdefault(observation.device, self.desk.t)

    def on_device_online(self, observation: Observation) -> None:
        self._back_on_line(observation.device)

    def _back_on_line(self, device: str) -> None:
        """Whether a roll was made while nobody watched, and as what it counted, is not known."""
        nobody = self._away and self._away.keys() == self._dice
        if nobody and self.desk.t - max(self._away.values()) >= UNSEEN_NS:
            self._cycle.known = False
        self._away.pop(device, None)

    # -- the set

    def before_dice_counted(self, observation: Observation) -> None:
        """Dice that are gathered are of no roll any more; one that only waits for the key is over."""
        if self._in_order:
            self._stands()

    def on_dice_counted(self, observation: Observation) -> None:
        """The bowl holds the whole set, what two dice in play leave, or nothing while the set is offered (1286). While
        a die that went off is looked for or examined it holds fewer: only a set gathered without it lacks it (1290)."""
        desk = self.desk
        dice, whole = observation.data.get("dice"), desk.figure("dice-in-set")
        left = whole - desk.figure("dice-in-play")
        self._back = [desk.seq] if dice in (whole, left) else []
        if dice is None or dice in (whole, left, 0):
            if dice == whole:
                self._missing = []
        elif not self._missing or dice > whole:
            desk.breach("dice-count-wrong", {"dice": dice}, {"dice": whole})
        elif dice > left:
            desk.breach("die-lost", {"dice": dice}, {"dice": whole}, self._missing)
            self._missing = []
        elif dice == len(self._missing) == 1:
            self._back = [desk.seq]  # it is put there alone, for others would leave two

    def finish(self) -> None:
        if self._at_rest is not None:
            self._close(self._at_rest[0])
        elif self.desk.round is not None:
            self._close(None, partial=self.desk.round.void is None)
