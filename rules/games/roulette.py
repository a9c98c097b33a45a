"""Roulette: follows spins from launch to rest. A spin is judged by what the wheel shows, panel or not."""

from __future__ import annotations

from typing import Any

from pitwatch.devices.observation import Observation
from pitwatch.rules.desk import Desk
from pitwatch.rules.desk.part import Part

FAMILIES = {"roulette": "Roulette"}

RESTING = ("before_game", "place_bets", "closed")
"""Wheel states in which no spin is under way."""

RUNNING = ("ball_in_rim", "no_more_bets")
"""Wheel states in which a spin is under way, its launch seen or not."""

COUNTER_WRAPS_AT = 256
"""Slingshot 2 status line: the spin counter runs 1..256 and begins again after a power cycle."""

DOUBLE_ZERO = "00"

SAME_BALL_NS = 5_000_000_000
"""So long after a ball came to rest nobody has taken it up."""

LATE_CALL_NS = 10_000_000_000
"""A call this soon after the ball came to rest is the one that its spin lacked: the losing bets still lie there."""


class Roulette(Part):
    """The course of a spin. Boundaries: DESIGN section 2, "Round boundaries"."""

    def __init__(self, desk: Desk):
        super().__init__(desk)
        self._rotor: str | None = None
        self._rotor_seq: int | None = None
        self._counter: int | None = None
        self._counted: list[int] = []
        """Journal sequence of the launch that reported the counter."""
        self._unbroken = False
        self._no_more_bets: int | None = None
        self._uncalled_until = 0
        self._closed_round: int | None = None
        self._settled: tuple[str | None, int] | None = None
        self._settled_at = 0
        self._unreported: str | None = None
        """Number of the closed spin, if no second report of it has come."""
        self._begin_spin()

    def _begin_spin(self, launch: int | None = None) -> None:
        self._ball: str | None = None
        self._launch = launch
        self._left_rim = False
        self._no_spin: int | None = None
        self._void_by_wheel = False
        """The wheel itself declared the game void."""
        self._reached_in = False
        """A hand was seen in the wheel after No Spin."""
        self._announced: tuple[str | None, int] | None = None

    def _evidence(self, *more: int | None) -> list[int]:
        return [seq for seq in (self._launch, *more) if seq is not None]

    @property
    def _called_off(self) -> bool:
        """Whether the open spin is No Spin already: what enters or leaves the wheel now is the dealer's hand and the
        ball it takes out."""
        round_ = self.desk.round
        off = self._no_spin is not None or self._void_by_wheel
        return round_ is not None and (off or round_.void is not None)

    # -- the spin opens

    def before_ball_launched(self, observation: Observation) -> None:
        if self.desk.round is not None:
            self._close({"pocket": None}, partial=not self._called_off)
        self.desk.boundary()
        self.desk.open_round()
        self._begin_spin(self.desk.seq)

    def on_ball_launched(self, observation: Observation) -> None:
        self._ball = observation.data.get("direction")
        self._judge_direction()
        self._judge_counter(observation.data.get("spin"))

    def _judge_counter(self, spin: int | None) -> None:
        """The wheel's own count goes up by one a spin; a jump counts only if no stretch of time went unwatched."""
        before, self._counter = self._counter, spin
        told, self._counted = self._counted, [self.desk.seq]
        unbroken, self._unbroken = self._unbroken, spin is not None
        if spin is None or before is None or not unbroken:
            return
        expected = before % COUNTER_WRAPS_AT + 1
        if spin not in (before, expected) and spin > 1:
            self.desk.breach("spin-counter-skip", {"spin": spin, "previous": before}, {"spin": expected}, told)

    def on_device_fault(self, observation: Observation) -> None:
        if observation.data.get("reason") == "silent":
            self._unbroken = False

    def on_device_offline(self, observation: Observation) -> None:
        self._unbroken = False

    # -- while the ball runs

    def on_rotor(self, observation: Observation) -> None:
        self._rotor = observation.data.get("direction") if observation.data.get("rpm") != 0 else None
        self._rotor_seq = self.desk.seq
        if not self._left_rim:
            self._judge_direction()

    def on_ball_left_rim(self, observation: Observation) -> None:
        if self.desk.round is None:
            return
        if self._left_rim:  # told once more, when the count is certain
            if not self._called_off:
                self._judge_revolutions(observation.data)
            return
        taken_out = self._called_off  # as No Spin asks: it was not short
        direction = observation.data.get("direction")
        if direction is not None:
            self._ball = direction
            self._judge_direction()
        self._left_rim = True
        if not taken_out:
            self._judge_revolutions(observation.data)
        self._judge_no_more_bets("the ball left the rim")

    def _judge_direction(self) -> None:
        """Once the spin is called off, the wheel may be stopped or turned for the next one."""
        if self.desk.round is None or self._called_off:
            return
        if self._ball is not None and self._ball == self._rotor:
            self.desk.breach(
                "same-direction-spin",
                {"ball": self._ball, "rotor": self._rotor},
                {"ball": "ccw" if self._rotor == "cw" else "cw"},
                self._evidence(self._rotor_seq),
            )

    def _judge_revolutions(self, data: dict[str, Any]) -> None:
        """An uncertain count is no breach as long as the revolution that was not heard may be the fourth."""
        rule = "under-minimum-revolutions"
        least = self.desk.figure("minimum-revolutions")
        revolutions = data.get("revolutions")
        most = data.get("at_most") if data.get("uncertain") else revolutions
        if most is not None and most < least:
            self.desk.breach(rule, {"revolutions": revolutions}, {"revolutions": least}, self._evidence())
        elif revolutions is None or revolutions < least:
            self.desk.leave_unjudged((rule,))
            return
        if self.desk.round is not None:
            self.desk.round.unjudged.discard(rule)

    def _judge_no_more_bets(self, when: str) -> None:
        """Called late, or not at all."""
        if self._no_more_bets is None and self.desk.round is not None and not self._called_off:
            self.desk.breach(
                "late-no-more-bets",
                {"no_more_bets": f"not called before {when}"},
                {"no_more_bets": "called before the ball drops"},
                self._evidence(),
            )

    def on_object_detected(self, observation: Observation) -> None:
        if self._called_off:
            self._reached_in = True
        elif self.desk.round is not None:
            self.desk.breach("foreign-object", {"object": "in the wheel"}, {"object": "none"}, self._evidence())

    def on_ball_floating(self, observation: Observation) -> None:
        if self.desk.round is not None and not self._called_off:
            self.desk.breach("floater", {"ball": "floating"}, {"ball": "in a compartment"}, self._evidence())

    def on_ball_expelled(self, observation: Observation) -> None:
        """A ball that leaves the wheel of a spin that is called off was taken out, as the document asks."""
        if self.desk.round is None:
            return
        if not self._called_off:
            self.desk.breach("ball-expelled", {"ball": "left the wheel"}, {"ball": "in the wheel"}, self._evidence())
        self._close({"pocket": None})

    # -- the panel

    def on_key_pressed(self, observation: Observation) -> None:
        key = observation.data.get("key")
        if key == "no_more_bets":
            if self._left_rim:
                self._judge_no_more_bets("the ball left the rim")
            if self.desk.round is not None or self.desk.t >= self._uncalled_until:
                self._no_more_bets = self.desk.seq
        elif key == "no_spin" and self.desk.round is not None:
            self._no_spin = self.desk.seq
        elif key == "round_over" and self.desk.round is None:
            self._no_more_bets = None
        elif key == "round_over" and self._no_spin is not None:
            self._close({"pocket": None})

    # -- the ball rests

    def on_ball_settled(self, observation: Observation) -> None:
        pocket = observation.data.get("pocket")
        if pocket == DOUBLE_ZERO and self.desk.option("wheel") == "single-zero":
            self.desk.breach(
                "equipment-malfunction",
                {"device": observation.device, "type": "wheel", "pocket": pocket},
                {"pocket": "of a wheel with a single zero"},
                once=pocket,
                always=True,
            )
            pocket = None
        if self.desk.round is None:
            self._settles_again(pocket)
            return
        self._settled, self._settled_at = (pocket, self.desk.seq), self.desk.t
        self._judge_no_more_bets("the ball came to rest")
        if self._no_spin is not None and not self._reached_in:  # else the dealer tried, which is all that is asked
            self.desk.breach(
                "settled-after-no-spin", {"pocket": pocket}, {"ball": "taken out"}, self._evidence(self._no_spin)
            )
        self._compare()
        self._close({"pocket": pocket})

    def _settles_again(self, pocket: str | None) -> None:
        """The wheel reports another number of the ball that rests: one ball has one number. Later on somebody may have
        taken it up and laid it down."""
        was = self._settled
        if was is None or self.desk.t - self._settled_at > SAME_BALL_NS or None in (pocket, was[0]) or pocket == was[0]:
            return
        self.desk.breach(
            "result-mismatch",
            {"settled": was[0], "announced": pocket},
            {"announced": was[0]},
            self._evidence(was[1]),
            round_number=self._closed_round,
        )

    def on_result_announced(self, observation: Observation) -> None:
        """The second report comes before the ball is reported at rest, or after it: then it is of the closed spin, as
        may be one of its number while the next ball runs on the rim."""
        pocket = observation.data.get("pocket")
        if self.desk.round is not None and not self._left_rim and self._unreported == pocket:
            self._unreported = None
            return
        self._announced = (pocket, self.desk.seq)
        if self.desk.round is None:
            self._unreported = None
            self._compare()

    def _compare(self) -> None:
        """Two independent reports of one spin."""
        settled, announced = self._settled, self._announced
        if settled is None or announced is None or settled[0] == announced[0]:
            return
        self.desk.breach(
            "result-mismatch",
            {"settled": settled[0], "announced": announced[0]},
            {"announced": settled[0]},
            self._evidence(settled[1], announced[1]),
            round_number=self._closed_round if self.desk.round is None else None,
        )

    # -- the spin closes

    def on_wheel_state(self, observation: Observation) -> None:
        """What a wheel that repeats its state shows of a spin of which part was unseen."""
        state = observation.data.get("state")
        if observation.data.get("void") and self.desk.round is not None:
            self._void_by_wheel = True
        if self.desk.round is None:
            if state in RUNNING:  # a result alone never opens a round
                self.desk.open_round().partial = True
                self._begin_spin()
                self._counter = observation.data.get("spin")
        elif observation.data.get("same_direction") and self._rotor is not None:
            self._ball = self._rotor
            self._judge_direction()
        elif state in RESTING:
            self._close({"pocket": self._shown_afterwards(observation.data)}, partial=not self._called_off)

    def _shown_afterwards(self, data: dict[str, Any]) -> str | None:
        """The number of the open spin from the last-number field, if the counter says that field is of this spin."""
        spin, last = data.get("spin"), data.get("last")
        if spin is None or self._counter is None or spin != self._counter % COUNTER_WRAPS_AT + 1:
            return None
        return last if isinstance(last, str) else None

    def _close(self, result: dict[str, Any], partial: bool = False) -> None:
        if self.desk.round is not None:
            self._closed_round = self.desk.round.number
        called = self._no_spin is not None or self._void_by_wheel
        self.desk.close_round(result, partial, void="no-spin" if called else None)
        self._uncalled_until = self.desk.t + LATE_CALL_NS if self._no_more_bets is None else 0
        self._no_more_bets = None
        self._unreported = result["pocket"] if self._announced is None else None
        self._announced = None if result["pocket"] is None else self._announced
        if result["pocket"] is None:
            self._settled = None

    def finish(self) -> None:
        if self.desk.round is not None:
            self._close({"pocket": None}, partial=not self._called_off)
